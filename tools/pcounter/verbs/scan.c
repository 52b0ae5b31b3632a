// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter scan: what all signals do, and which of them a command changes.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "gpu/count.h"
#include "gpu/pmu.h"
#include "lib/tool.h"
#include "verbs/map.h"
#include "verbs/survey.h"
#include "verbs/verbs.h"

#define MAX_LISTED	40	/* active wires in the text */

static const struct option_doc options[] = {
	{ 'd', "device", "GPU", "only this one: PCI address or name of the PMU" },
	{ 'i', "interval", "MS", "length of a round in milliseconds, default 100" },
	{ 't', "tolerance", "PERCENT", "change that means nothing in a moving wire, default 1" },
	{ 'l', "limit", "MS", "end the command (SIGTERM) after so many milliseconds" },
	{ 'J', "json", NULL, "JSON Lines, a line for each wire" },
	{ 'c', "csv", NULL, "CSV, a row for each wire" },
	{ 'o', "output", "FILE", "write there instead of stdout" },
	{ 'p', "png", "FILE", "draw the map" },
	{ }
};

static const char *const columns[] = {
	"gpu", "address", "chip", "domain", "signal", "name", "confidence", "state", "events",
	"cycles", "share", "share_during", "change", "rank", NULL
};

/**
 * struct scan - a run
 * @wish: which GPU
 * @ms: length of a round
 * @tolerance: change that means nothing
 * @limit: the command is ended after so many milliseconds, 0: not at all
 * @command: what to run, NULL: nothing
 * @path: where to write
 * @png: where to draw
 * @out: rows
 * @took: how long the command took, at most
 * @failed: it could not be run
 * @window: how long a round after the command is
 */
struct scan {
	const char *wish;
	unsigned long ms;
	unsigned long tolerance;
	unsigned long limit;
	char **command;
	const char *path;
	const char *png;
	struct out out;
	double took;
	bool failed;
	unsigned int window;
};

/* ---- windows ---- */

static bool window_time(void *context)
{
	const struct scan *scan = context;

	return wait_ms(scan->window);
}

static bool window_command(void *context)
{
	struct scan *scan = context;
	double begin = seconds();
	int status = 0, fd;
	pid_t pid;

	pid = start_command(scan->command, true, &fd);
	if (fd >= 0) {
		wait_fd(fd, scan->limit ? scan->limit / 1e3 : -1);
		close(fd);
	}
	if (pid > 0)
		status = end_command(pid);
	scan->took = max(scan->took, seconds() - begin);
	scan->failed = pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == EXEC_FAILED);
	return !scan->failed && !stopped;
}

static void progress(const struct survey *survey, const char *what, unsigned int left)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %s, round %u, %u to go \033[K", survey->gpu->pmu->name,
			what, survey->rounds + 1, left);
}

static void progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- phases ---- */

static int phase(struct survey *survey, enum survey_phase which, struct scan *scan)
{
	unsigned int rounds = survey_plan(survey, which, scan->tolerance / 100.0);

	survey->window = which == SURVEY_DURING ? window_command : window_time;
	if (which == SURVEY_DURING)
		complain("%s: the command runs once in each of %u rounds or more",
			 survey->gpu->pmu->name, rounds);
	return survey_phase(survey, which);
}

static int survey_gpu(struct survey *survey, struct scan *scan)
{
	int err;

	survey->context = scan;
	survey->progress = progress;
	scan->window = scan->ms;
	survey_levels(survey);
	err = phase(survey, SURVEY_BEFORE, scan);
	if (!err && scan->command) {
		err = phase(survey, SURVEY_DURING, scan);
		/* as long as the command: what moves seldom must get its chance */
		if (scan->took * 1e3 > scan->ms)
			scan->window = ceil(scan->took * 1e3);
		if (!err)
			err = phase(survey, SURVEY_AFTER, scan);
		survey_judge(survey, scan->tolerance / 100.0);
	}
	progress_end();
	return err;
}

/* ---- output ---- */

static const char *state_of(const struct wire *wire)
{
	double share = sample_share(&wire->sample[SURVEY_BEFORE]);

	if (wire->own)
		return "own";
	if (isnan(share))
		return "unknown";
	return share <= 0 ? "low" : share >= 1 ? "high" : "active";
}

static double change_of(const struct wire *wire)
{
	return sample_share(&wire->sample[SURVEY_DURING]) -
	       sample_share(&wire->sample[SURVEY_BEFORE]);
}

static struct cell share_cell(double share)
{
	return isnan(share) ? CELL_UNKNOWN : CELL_R(share);
}

static bool write_wire(struct out *out, const struct survey *survey, unsigned int dom,
		       unsigned int sig)
{
	const struct pmu *pmu = survey->gpu->pmu;
	const struct wire *wire = &survey->dom[dom].wire[sig];
	const struct sample *before = &wire->sample[SURVEY_BEFORE];
	const char *confidence = NULL, *name;
	char domain[PCOUNTER_DOM_NAME];

	name = pmu_wire_name(pmu, &pmu->topo.dom[dom], sig, &confidence);
	pcounter_dom_name(&pmu->topo, dom, domain, sizeof(domain));

	const struct cell cells[] = {
		CELL_S(pmu->name),
		CELL_S(survey->gpu->address),
		CELL_S(pmu->chip_name),
		CELL_S(domain),
		CELL_I(sig),
		name ? CELL_S(name) : CELL_UNKNOWN,
		confidence && *confidence ? CELL_S(confidence) : CELL_UNKNOWN,
		CELL_S(state_of(wire)),
		before->known ? CELL_I(before->events) : CELL_UNKNOWN,
		before->known ? CELL_I(before->cycles) : CELL_UNKNOWN,
		share_cell(sample_share(before)),
		share_cell(sample_share(&wire->sample[SURVEY_DURING])),
		share_cell(change_of(wire)),
		wire->changed ? CELL_I(wire->rank) : CELL_UNKNOWN,
	};

	return out_row(out, cells);
}

static bool write_rows(struct out *out, const struct survey *survey)
{
	unsigned int dom, sig;
	bool good = true;

	for (dom = 0; dom < survey->gpu->pmu->topo.nr; dom++)
		for (sig = 0; sig < survey->dom[dom].nr && good; sig++)
			good = write_wire(out, survey, dom, sig);
	return good;
}

static void print_wire(FILE *f, const struct survey *survey, unsigned int dom,
		       unsigned int sig)
{
	const struct pmu *pmu = survey->gpu->pmu;
	const struct wire *wire = &survey->dom[dom].wire[sig];
	const char *name = pmu_wire_name(pmu, &pmu->topo.dom[dom], sig, NULL);
	char domain[PCOUNTER_DOM_NAME];

	fprintf(f, "  %-8s 0x%02x  %-30s %7.3f %%",
		pcounter_dom_name(&pmu->topo, dom, domain, sizeof(domain)), sig,
		name ? name : "-", 100 * sample_share(&wire->sample[SURVEY_BEFORE]));
	if (wire->changed)
		fprintf(f, "  -> %7.3f %%  (%+.3f)",
			100 * sample_share(&wire->sample[SURVEY_DURING]),
			100 * change_of(wire));
	fputc('\n', f);
}

/* Ranked; there are not so many that searching for the next would hurt. */
static void print_changes(FILE *f, const struct survey *survey)
{
	unsigned int rank, dom, sig, nr = survey->gpu->pmu->topo.nr;
	bool found = true;

	fprintf(f, "\nchanged while the command ran:\n");
	for (rank = 1; found; rank++) {
		found = false;
		for (dom = 0; dom < nr && !found; dom++) {
			for (sig = 0; sig < survey->dom[dom].nr && !found; sig++) {
				found = survey->dom[dom].wire[sig].rank == rank;
				if (found)
					print_wire(f, survey, dom, sig);
			}
		}
	}
	if (rank == 2)
		fprintf(f, "  nothing\n");
}

static void print_active(FILE *f, const struct survey *survey)
{
	unsigned int dom, sig, n = 0;

	fprintf(f, "\nactive:\n");
	for (dom = 0; dom < survey->gpu->pmu->topo.nr; dom++)
		for (sig = 0; sig < survey->dom[dom].nr; sig++)
			if (!strcmp(state_of(&survey->dom[dom].wire[sig]), "active") &&
			    n++ < MAX_LISTED)
				print_wire(f, survey, dom, sig);
	if (!n)
		fprintf(f, "  nothing\n");
	if (n > MAX_LISTED)
		fprintf(f, "  and %u more: --csv has them all\n", n - MAX_LISTED);
}

static bool write_survey(const struct survey *survey, struct scan *scan)
{
	FILE *f = scan->out.f;

	if (scan->out.kind != OUT_TEXT)
		return write_rows(&scan->out, survey);
	map_print(survey, f);
	print_active(f, survey);
	if (scan->command)
		print_changes(f, survey);
	fprintf(f, "\n%u rounds%s\n", survey->rounds,
		survey->levels ? "" : "; SIG_STATUS is for root only, with it there would be less");
	return !ferror(f);
}

/* ---- the run ---- */

static int explain_failure(const struct gpu *gpu, const struct scan *scan, int err)
{
	char why[700];

	if (stopped)
		return STATUS_INTERRUPTED;
	if (!scan->failed) {
		count_explain(err, false, why, sizeof(why));
		complain("%s: %s", gpu->pmu->name, why);
	}
	return STATUS_NO;
}

static int scan_gpu(const struct gpu *gpu, struct scan *scan, struct survey *survey)
{
	int err;

	if (gpu_asleep(gpu)) {
		complain("%s is %s: left alone", gpu->pmu->name, gpu_power(gpu));
		return STATUS_NO;
	}
	err = survey_begin(survey, gpu);
	if (!err)
		err = survey_gpu(survey, scan);
	if (err)
		return explain_failure(gpu, scan, err);
	return write_survey(survey, scan) ? STATUS_OK : STATUS_NO;
}

static int scan_gpus(const struct gpus *gpus, struct scan *scan)
{
	struct survey *surveys = calloc(gpus->nr + 1, sizeof(*surveys));
	const struct survey **done = calloc(gpus->nr + 1, sizeof(*done));
	unsigned int i, n = 0, found = 0;
	int status = STATUS_OK, one;

	for (i = 0; i < gpus->nr && surveys && done && status != STATUS_INTERRUPTED; i++) {
		const struct gpu *gpu = &gpus->gpu[i];

		if (!gpu->pmu || !gpu_chosen(gpu, scan->wish))
			continue;
		found++;
		one = scan_gpu(gpu, scan, &surveys[i]);
		if (one == STATUS_OK)
			done[n++] = &surveys[i];
		else
			status = one;
	}
	if (n && scan->png && !map_png(done, n, scan->png))
		status = STATUS_NO;
	if (!found) {
		complain("no GPU with counters; pcounter doctor says why");
		status = STATUS_NO_GPU;
	}
	for (i = 0; i < gpus->nr && surveys; i++)
		survey_end(&surveys[i]);
	free(surveys);
	free(done);
	return status;
}

static bool take_option(int c, struct scan *scan)
{
	switch (c) {
	case 'd':
		scan->wish = optarg;
		return true;
	case 'i':
		return verb_number(optarg, 1, 3600000, &scan->ms);
	case 't':
		return verb_number(optarg, 0, 100, &scan->tolerance);
	case 'l':
		return verb_number(optarg, 1, 3600000, &scan->limit);
	case 'J':
		scan->out.kind = OUT_JSONL;
		return true;
	case 'c':
		scan->out.kind = OUT_CSV;
		return true;
	case 'p':
		scan->png = optarg;
		return true;
	default:
		scan->path = optarg;
		return true;
	}
}

static int run_scan(const struct verb *verb, int argc, char **argv)
{
	struct scan scan = { .ms = 100, .tolerance = 1, .out.columns = columns };
	struct gpus gpus;
	int c, status;

	while ((c = verb_getopt(verb, argc, argv)) != -1)
		if (!take_option(c, &scan))
			return STATUS_USAGE;
	if (optind < argc)
		scan.command = argv + optind;
	if (scan.command && !can_run(*scan.command)) {
		complain("%s: %s", *scan.command, strerror(errno));
		return STATUS_NO;
	}
	if (!out_open(&scan.out, scan.path))
		return STATUS_NO;
	catch_signals();
	out_header(&scan.out);
	gpus_find(&gpus);
	status = scan_gpus(&gpus, &scan);
	gpus_free(&gpus);
	if (!out_close(&scan.out) && status == STATUS_OK)
		status = STATUS_NO;
	return status;
}

const struct verb verb_scan = {
	.name = "scan",
	.args = "[-- COMMAND...]",
	.summary = "show what all signals do, and which of them a command changes",
	.text =
		"Looks at every signal of every domain: how much of the time it is 1. First\n"
		"SIG_STATUS is read a few times (root only). Then one counter watches four\n"
		"wires at once for leaving the level at which they were seen; those that do,\n"
		"and those seen moving, are counted one by one; where there is record mode,\n"
		"and the right to it (CAP_PERFMON), twelve in a round. So a domain of 256\n"
		"signals takes some 16 rounds and not 64. All domains count in the same round.\n"
		"\n"
		"With a command, the wires are looked at again while it runs, and those that\n"
		"changed are ranked. There are fewer counters than wires: the command runs\n"
		"once in each round, from its start to its end, so that nothing it does is\n"
		"missed; it should do the same each time. --limit ends one that would run on.\n"
		"Its output goes nowhere. What seems to have changed is looked at once more\n"
		"afterwards, for as long as the command took: wires that move by themselves\n"
		"are not put down to it. Nor are those that the counting itself moves.\n"
		"\n"
		"The map has a cell for each wire. The columns of --csv and --json: gpu,\n"
		"address, chip, domain, signal, name, confidence, state (low, high, active,\n"
		"own: moved by the counting, unknown), events, cycles, share, share_during,\n"
		"change, rank.\n",
	.options = options,
	.example = "pcounter scan --png map.png -- glxgears -info",
	.run = run_scan,
};
