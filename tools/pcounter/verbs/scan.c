// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter scan: show the activity of all signals, and find those that a command changes.
 */
#include <math.h>

#include "cli/out.h"
#include "scan/survey.h"

#define MAX_LISTED	40	/* active wires in the text */
#define ROW		16	/* wires in a line of the map */
#define MOST_PAUSE	4.0	/* longest pause between windows of the second look, in windows */

static const char *const columns[] = {
	"gpu", "address", "chip", "domain", "signal", "name", "confidence", "state", "events",
	"cycles", "share", "share_during", "change", "rank", "certainty", NULL
};

/* Arguments of the command line; times are in ns. */
static const char *device, *path;
static double interval = 100 * NS_MS, limit;
static unsigned long percent = 1;
static char **command;
static struct out out = { .columns = columns };

enum { TOLERANCE = LONG_OWN, LIMIT };

static const struct option_doc options[] = {
	OPTION_DEVICE(&device),
	{ 'i', "interval", "TIME", "length of a round without command: 2s, 50ms; default 100ms",
	  OPT_TIME(&interval, NS_MS, 3600 * NS_S, NS_MS) },
	{ TOLERANCE, "tolerance", "PERCENT", "change of a moving wire that is noise, default 1",
	  OPT_NUMBER(&percent, 0, 100) },
	{ LIMIT, "limit", "TIME", "end the command (SIGTERM) after TIME", OPT_TIME(&limit, NS_MS,
	  3600 * NS_S, NS_MS) },
	{ 'J', "jsonl", NULL, "JSON Lines, a line for each wire", OPT_ROWS(&out.kind, OUT_JSONL) },
	{ 'c', "csv", NULL, "CSV, a row for each wire", OPT_ROWS(&out.kind, OUT_CSV) },
	{ 'o', "output", "FILE", "write to FILE instead of stdout", OPT_TEXT(&path) },
	{ }
};

/**
 * struct scan - the run
 * @runs: number of runs of the command
 * @failures: number of failed runs
 * @status: status of a failed run, from waitpid()
 * @took: duration of the longest run
 * @window: duration of a round without the command
 */
static struct scan {
	unsigned int runs;
	unsigned int failures;
	int status;
	double took;
	double window;
} scan;

/* ---- windows ---- */

static bool window_time(void)
{
	return wait_ms(scan.window * NS_S / NS_MS);
}

static bool window_command(void)
{
	double begin = seconds();
	int status = run_command(command, true, limit / NS_S);

	scan.took = max(scan.took, seconds() - begin);
	scan.runs++;
	scan.failures += !!status;
	scan.status = status ?: scan.status;
	return !stopped;
}

static void progress(const struct survey *survey, enum survey_phase phase, unsigned int left)
{
	static const char *const what[] = {
		"without the command", "with the command", "without it again", "with it again",
	};

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %s, round %u, %u to go, %.0f s or more \033[K",
			survey->gpu->pmu->name, what[phase], survey->rounds + 1, left,
			left * scan.window);
}

/* ---- phases ---- */

static int phase(struct survey *survey, enum survey_phase which)
{
	unsigned int left = survey_plan(survey, which), all = command ? 2 * left : left;
	int err = 0;

	if (which == SURVEY_BEFORE)
		complain("%s: %u rounds or more, %.0f s or more", survey->gpu->pmu->name, all,
			 all * scan.window);
	for (; left && !err; left = survey_left(survey)) {
		progress(survey, which, left);
		err = survey_round(survey, phase_driven(which) ? window_command : window_time);
	}
	/* the rounds before an interruption tell about the wires that they have counted */
	if (!err || stopped)
		survey_note(survey, which);
	return err;
}

/*
 * Take a second look at suspicious wires, with and without the command in random order,
 * so that a wire that moves regularly is not in step with either kind of window.
 */
static int look_again(struct survey *survey)
{
	unsigned int still = judge_windows(survey), driven = still;
	enum survey_phase which;
	int err = 0;

	srand((uint64_t)(seconds() * 1e9));
	while (still + driven && !err) {
		which = (unsigned int)rand() % (still + driven) < still ? SURVEY_AGAIN :
									   SURVEY_REPEAT;
		still -= which == SURVEY_AGAIN;
		driven -= which == SURVEY_REPEAT;
		err = wait_ms(MOST_PAUSE * scan.window * NS_S / NS_MS * rand() / RAND_MAX) ?
		      phase(survey, which) : -EINTR;
	}
	return err;
}

static int survey_gpu(struct survey *survey)
{
	int err;

	survey_levels(survey);
	/* as long as the command runs, so that noise is the same */
	scan.window = command ? scan.took : interval / NS_S;
	err = phase(survey, SURVEY_BEFORE);
	if (command)
		err = err ?: phase(survey, SURVEY_DURING) ?: look_again(survey);
	if (command && !err)
		survey_judge(survey);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	return err;
}

/* Run the command once to measure its duration, and to see that it works. */
static int try_command(void)
{
	if (!command)
		return STATUS_OK;
	complain("the command runs once alone, then once in each round");
	if (!window_command())
		return STATUS_INTERRUPTED;
	if (!scan.failures)
		return STATUS_OK;
	return tell(STATUS_NO, "%s: it fails with status %d: nothing was looked at", *command,
		    command_status(scan.status));
}

/* ---- output ---- */

static void write_wire(const struct survey *survey, const struct wire *wire)
{
	static const char *const states[] = {
		[WIRE_OWN] = "own", [WIRE_UNKNOWN] = "unknown", [WIRE_LOW] = "low",
		[WIRE_HIGH] = "high", [WIRE_ACTIVE] = "active",
	};
	const struct pmu *pmu = survey->gpu->pmu;
	const struct pmu_name *name = pmu_wire_name(pmu, &pmu->topo.dom[wire->dom], wire->sig);
	const struct cell cells[] = {
		cell_text(pmu->name), cell_text(survey->gpu->address), cell_text(pmu->chip_name),
		cell_text(pmu->topo.dom[wire->dom].name),
		cell_int(true, wire->sig), cell_text(name ? name->name : NULL),
		cell_text(name ? name->confidence : NULL),
		cell_text(states[wire_state(wire)]), cell_int(true, wire->before.events),
		cell_int(true, wire->before.cycles), cell_real(shares_mean(&wire->still)),
		cell_real(shares_mean(&wire->driven)), cell_real(wire_change(wire)),
		cell_int(wire->rank, wire->rank),
		cell_real(stopped ? NAN : wire->certainty),
	};

	out_row(&out, cells);
}

static void print_cell(const struct wire *wire, bool colour)
{
	static const char letters[] = {
		[WIRE_OWN] = '~', [WIRE_UNKNOWN] = '?', [WIRE_LOW] = '.', [WIRE_HIGH] = '#',
	};
	bool active = wire_state(wire) == WIRE_ACTIVE;
	char c = active ? '0' + (int)(wire_share(&wire->before) * 10) : letters[wire_state(wire)];

	if (colour && (wire->rank || active))
		fprintf(out.f, "\033[%sm%c\033[0m", wire->rank ? "7" : "32", c);
	else
		fputc(c, out.f);
}

/* Print a square for each domain, a letter for each wire. */
static void print_map(const struct survey *survey)
{
	const struct pmu *pmu = survey->gpu->pmu;
	bool colour = colours(out.f);
	unsigned int dom, i;

	fputs("  . always 0   # always 1   0-9 tenths of its clocks at 1\n"
	      "  ~ moved by the counting   ? unknown\n", out.f);
	for (dom = 0; dom < pmu->topo.nr; dom++) {
		const struct survey_dom *d = &survey->dom[dom];
		const char *clock = pmu->topo.dom[dom].clock;

		fprintf(out.f, "\n%s %s, domain %s%s%s\n       0123456789abcdef\n", pmu->name,
			pmu->chip_name, pmu->topo.dom[dom].name, clock ? ", " : "", clock ?: "");
		for (i = 0; i < d->nr; i++) {
			if (!(i % ROW))
				fprintf(out.f, "  0x%02x ", i);
			print_cell(&d->wire[i], colour);
			if (i % ROW == ROW - 1 || i == d->nr - 1)
				fputc('\n', out.f);
		}
	}
}

static void print_wire(const struct survey *survey, const struct wire *wire)
{
	const struct pmu *pmu = survey->gpu->pmu;
	const struct pmu_name *name = pmu_wire_name(pmu, &pmu->topo.dom[wire->dom], wire->sig);

	fprintf(out.f, "  %-8s 0x%02x  %-30s %7.3f %%", pmu->topo.dom[wire->dom].name, wire->sig,
		name ? name->name : "-", 100 * shares_mean(&wire->still));
	if (wire->rank)
		fprintf(out.f, "  -> %7.3f %%  (%+.3f)  %.1f %% sure",
			100 * shares_mean(&wire->driven), 100 * wire_change(wire),
			100 * wire->certainty);
	fputc('\n', out.f);
}

static void print_changes(const struct survey *survey)
{
	unsigned int i, noise = survey->suspects - survey->changed;

	fprintf(out.f, "\nchanged while the command ran:\n");
	for (i = 0; i < survey->changed; i++)
		print_wire(survey, survey->suspect[i]);
	if (stopped)
		fprintf(out.f, "  not compared: the scan was interrupted\n");
	else if (!survey->changed)
		fprintf(out.f, "  nothing\n");
	if (noise && !stopped)
		fprintf(out.f, "  (%u more differed, as they do by themselves)\n", noise);
	if (survey->unjudged)
		fprintf(out.f, "  (%u more differed, and were not counted each time: unknown)\n",
			survey->unjudged);
}

static void print_survey(const struct survey *survey)
{
	const struct wire *wire;
	unsigned int n = 0, unknown = 0;

	print_map(survey);
	fprintf(out.f, "\nactive:\n");
	for (wire = survey->wire; wire < survey->wire + survey->nr; wire++) {
		unknown += wire_state(wire) == WIRE_UNKNOWN;
		if (wire_state(wire) == WIRE_ACTIVE && n++ < MAX_LISTED)
			print_wire(survey, wire);
	}
	if (!n)
		fprintf(out.f, "  nothing\n");
	if (n > MAX_LISTED)
		fprintf(out.f, "  and %u more: --csv has them all\n", n - MAX_LISTED);
	if (command)
		print_changes(survey);
	if (unknown && !stopped)
		fprintf(out.f, "\n%u signals were not counted: %s\n", unknown,
			"others had their domains, or the clocks stood still");
	fprintf(out.f, "\n%u rounds%s%s\n", survey->rounds, stopped ? ", then interrupted" : "",
		survey->levels ? "" : "; SIG_STATUS is for root only, with it there would be less");
}

/* ---- the run ---- */

static int scan_gpu(const struct gpu *gpu, struct survey *survey)
{
	const struct wire *wire;
	int err;

	survey->tolerance = percent / 100.0;
	if (gpu_asleep(gpu))
		return tell(STATUS_NO, "%s is %s: left alone", gpu->pmu->name, gpu_power(gpu));
	err = survey_begin(survey, gpu) ?: survey_gpu(survey);
	if (err && !stopped)
		return tell(STATUS_NO, "%s: %s", gpu->pmu->name, count_explain(err, false));
	if (out.kind == OUT_TEXT)
		print_survey(survey);
	else
		for (wire = survey->wire; wire < survey->wire + survey->nr; wire++)
			write_wire(survey, wire);
	return fflush(out.f) ? STATUS_NO : stopped ? STATUS_INTERRUPTED : STATUS_OK;
}

static int survey_gpus(const struct gpus *gpus)
{
	int status = STATUS_OK, one;
	unsigned int i;

	for (i = 0; i < gpus->nr && status != STATUS_INTERRUPTED; i++) {
		struct survey survey = {};

		one = scan_gpu(&gpus->gpu[i], &survey);
		survey_end(&survey);
		status = one ?: status;
	}
	return status;
}

static int scan_gpus(const struct gpus *gpus)
{
	int status = try_command() ?: survey_gpus(gpus);

	if (status == STATUS_OK && scan.failures)
		return tell(STATUS_NO, "%s: it failed in %u of %u runs, at last with status %d",
			    *command, scan.failures, scan.runs, command_status(scan.status));
	return status;
}

static int run_scan(char **args)
{
	int status;

	command = *args ? args : NULL;
	if ((command && !can_run(*command)) || !out_open(&out, path))
		return STATUS_NO;
	catch_signals();
	status = gpus_run(device, scan_gpus);
	return out_close(&out) ? status : status ?: STATUS_NO;
}

const struct verb verb_scan = {
	.name = "scan",
	.args = "[-- COMMAND...]",
	.summary = "show what all signals do, and which of them a command changes",
	.options = options,
	.counts = true,
	.run = run_scan,
};
