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
#include "verbs/judge.h"
#include "verbs/map.h"
#include "verbs/survey.h"
#include "verbs/verbs.h"

#define MAX_LISTED	40	/* active wires in the text */
#define MOST_PAUSE	4.0	/* windows, between those that are looked at again */

static const struct option_doc options[] = {
	{ 'd', "device", "GPU", "only this one: PCI address or name of the PMU" },
	{ 'i', "interval", "TIME", "length of a round without command: 2s, 50ms; default 100ms" },
	{ 't', "tolerance", "PERCENT", "change that means nothing in a moving wire, default 1" },
	{ 'l', "limit", "TIME", "end the command (SIGTERM) after that" },
	{ 'J', "jsonl", NULL, "JSON Lines, a line for each wire" },
	{ 'c', "csv", NULL, "CSV, a row for each wire" },
	{ 'o', "output", "FILE", "write there instead of stdout" },
	{ 'p', "picture", "FILE", "draw the map: SVG if its name ends so, else PNG" },
	{ }
};

static const char *const columns[] = {
	"gpu", "address", "chip", "domain", "signal", "name", "confidence", "state", "events",
	"cycles", "share", "share_during", "change", "rank", "certainty", NULL
};

/**
 * struct scan - a run
 * @wish: which GPU
 * @interval: length of a round in seconds
 * @tolerance: change that means nothing
 * @limit: the command is ended after so many seconds, 0: not at all
 * @command: what to run, NULL: nothing
 * @path: where to write
 * @picture: where to draw
 * @out: rows
 * @runs: how often the command ran
 * @failures: how often it failed
 * @status: how, as waitpid() says
 * @took: how long it took, at most
 * @window: how long a round without the command is
 * @rounds: rounds of the phase under way
 * @again: how often wires are looked at again behind that
 */
struct scan {
	const char *wish;
	double interval;
	unsigned long tolerance;
	double limit;
	char **command;
	const char *path;
	const char *picture;
	struct out out;
	unsigned int runs;
	unsigned int failures;
	int status;
	double took;
	double window;
	unsigned int rounds;
	unsigned int again;
};

/* ---- windows ---- */

static bool let_pass(double time)
{
	double end = seconds() + time, left;

	while (!stopped && (left = end - seconds()) > 0)
		wait_fd(-1, left);
	return !stopped;
}

static bool window_time(void *context)
{
	const struct scan *scan = context;

	return let_pass(scan->window);
}

static bool window_command(void *context)
{
	struct scan *scan = context;
	double begin = seconds();
	bool ended = true;
	int status = 0, fd;
	pid_t pid;

	pid = start_command(scan->command, true, &fd);
	if (fd >= 0) {
		ended = wait_fd(fd, scan->limit > 0 ? scan->limit : -1) > 0;
		close(fd);
	}
	if (pid > 0)
		status = end_command(pid);
	scan->took = max(scan->took, seconds() - begin);
	scan->runs++;
	if (pid < 0 || (ended && status)) {
		scan->failures++;
		scan->status = status;
	}
	return !stopped;
}

/* With those phases that come behind one, and their pauses, about. */
static double seconds_left(const struct scan *scan, enum survey_phase phase, unsigned int left)
{
	double rounds = left;

	if (phase == SURVEY_BEFORE && scan->command)
		rounds += scan->rounds;
	return (rounds + scan->again * (1 + MOST_PAUSE / 2)) * scan->window;
}

static void progress(const struct survey *survey, const char *what, enum survey_phase phase,
		     unsigned int left)
{
	const struct scan *scan = survey->context;

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %s, round %u, %u to go, about %.0f s left \033[K",
			survey->gpu->pmu->name, what, survey->rounds + 1, left,
			seconds_left(scan, phase, left));
}

static void progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- phases ---- */

static int phase(struct survey *survey, enum survey_phase which, struct scan *scan)
{
	scan->rounds = survey_plan(survey, which, scan->tolerance / 100.0);
	if (which == SURVEY_BEFORE)
		complain("%s: %u rounds or more, about %.0f s", survey->gpu->pmu->name,
			 (scan->command ? 2 : 1) * scan->rounds,
			 seconds_left(scan, which, scan->rounds));
	survey->window = which == SURVEY_DURING || which == SURVEY_REPEAT ? window_command :
			 window_time;
	return survey_phase(survey, which);
}

/*
 * What seems to have changed is looked at again, with the command and without, in an
 * order drawn by lot: what moves regularly must not be in step with either.
 */
static int look_again(struct survey *survey, struct scan *scan)
{
	unsigned int still = judge_windows(survey, scan->tolerance / 100.0), driven = still;
	enum survey_phase which;
	int err = 0;

	srand((uint64_t)(seconds() * 1e9));
	while (still + driven && !err) {
		which = (unsigned int)rand() % (still + driven) < still ? SURVEY_AGAIN :
									   SURVEY_REPEAT;
		still -= which == SURVEY_AGAIN;
		driven -= which == SURVEY_REPEAT;
		scan->again = still + driven;
		err = let_pass(MOST_PAUSE * scan->window * rand() / RAND_MAX) ?
		      phase(survey, which, scan) : -EINTR;
	}
	return err;
}

static int survey_gpu(struct survey *survey, struct scan *scan)
{
	int err;

	survey->context = scan;
	survey->progress = progress;
	survey_levels(survey);
	/* as long as the command, so that noise is the same */
	scan->window = scan->command ? scan->took : scan->interval;
	scan->again = scan->command ? 2 * JUDGE_FEWEST : 0;
	err = phase(survey, SURVEY_BEFORE, scan);
	if (!err && scan->command) {
		err = phase(survey, SURVEY_DURING, scan);
		if (!err)
			err = look_again(survey, scan);
		survey_judge(survey, scan->tolerance / 100.0);
	}
	progress_end();
	return err;
}

/* How long does it take, and does it work at all? */
static int try_command(struct scan *scan)
{
	if (!scan->command)
		return STATUS_OK;
	complain("the command runs once alone, then once in each round");
	if (!window_command(scan))
		return STATUS_INTERRUPTED;
	if (!scan->failures)
		return STATUS_OK;
	complain("%s: it fails with status %d: nothing was looked at", *scan->command,
		 command_status(scan->status));
	return STATUS_NO;
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
	return shares_mean(&wire->driven) - shares_mean(&wire->still);
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
		share_cell(shares_mean(&wire->still)),
		share_cell(shares_mean(&wire->driven)),
		share_cell(change_of(wire)),
		wire->changed ? CELL_I(wire->rank) : CELL_UNKNOWN,
		survey->judged ? share_cell(wire->certainty) : CELL_UNKNOWN,
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
		name ? name : "-", 100 * shares_mean(&wire->still));
	if (wire->changed)
		fprintf(f, "  -> %7.3f %%  (%+.3f)  %.1f %% sure",
			100 * shares_mean(&wire->driven), 100 * change_of(wire),
			100 * wire->certainty);
	fputc('\n', f);
}

/* Wires that seemed to change, and did not surely. */
static unsigned int count_noise(const struct survey *survey)
{
	unsigned int dom, sig, n = 0;

	for (dom = 0; dom < survey->gpu->pmu->topo.nr; dom++)
		for (sig = 0; sig < survey->dom[dom].nr; sig++)
			n += !isnan(survey->dom[dom].wire[sig].certainty) &&
			     !survey->dom[dom].wire[sig].changed;
	return n;
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
	if (count_noise(survey))
		fprintf(f, "  (%u more differed, as they do by themselves)\n", count_noise(survey));
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

static int explain_failure(const struct gpu *gpu, int err)
{
	char why[700];

	if (stopped)
		return STATUS_INTERRUPTED;
	count_explain(err, false, why, sizeof(why));
	complain("%s: %s", gpu->pmu->name, why);
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
		return explain_failure(gpu, err);
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
	if (n && scan->picture && !map_draw(done, n, scan->picture))
		status = STATUS_NO;
	if (!found) {
		complain("no GPU%s%s with counters; pcounter doctor says why",
			 scan->wish ? " " : "", scan->wish ?: "");
		status = STATUS_NO_GPU;
	}
	for (i = 0; i < gpus->nr && surveys; i++)
		survey_end(&surveys[i]);
	free(surveys);
	free(done);
	return status;
}

static bool take_time(double *time)
{
	double ns;

	if (!verb_duration(optarg, NS_MS, NS_MS, 3600 * NS_S, &ns))
		return false;
	*time = ns / NS_S;
	return true;
}

static bool take_option(int c, struct scan *scan)
{
	switch (c) {
	case 'd':
		scan->wish = optarg;
		return true;
	case 'i':
		return take_time(&scan->interval);
	case 't':
		return verb_number(optarg, 0, 100, &scan->tolerance);
	case 'l':
		return take_time(&scan->limit);
	case 'J':
		scan->out.kind = OUT_JSONL;
		return true;
	case 'c':
		scan->out.kind = OUT_CSV;
		return true;
	case 'p':
		scan->picture = optarg;
		return true;
	default:
		scan->path = optarg;
		return true;
	}
}

static int run_scan(const struct verb *verb, int argc, char **argv)
{
	struct scan scan = { .interval = 0.1, .tolerance = 1, .out.columns = columns };
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
	status = try_command(&scan);
	if (status == STATUS_OK)
		status = scan_gpus(&gpus, &scan);
	if (status == STATUS_OK && scan.failures) {
		complain("%s: it failed in %u of %u runs, at last with status %d", *scan.command,
			 scan.failures, scan.runs, command_status(scan.status));
		status = STATUS_NO;
	}
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
		"Its output goes nowhere. It runs once before all: rounds without it are as\n"
		"long as it took then, and if it fails nothing is looked at. If it fails later\n"
		"that is said, and the exit status is 1.\n"
		"\n"
		"What seems to have changed is looked at again, five to twelve times with the\n"
		"command and as often without, in an order drawn by lot and after pauses of any\n"
		"length; the more wires seem to have changed, the more often. A finding tells\n"
		"how sure it is: 99 % means that of 100 scans with a command that does nothing\n"
		"one has a false finding, however its wires move by themselves (rank sum test,\n"
		"for all wires together). Less is no finding, nor is a change of a moving wire\n"
		"by less than --tolerance. Wires that the counting itself moves are left out.\n"
		"\n"
		"The map has a cell for each wire. The columns of --csv and --jsonl: gpu,\n"
		"address, chip, domain, signal, name, confidence, state (low, high, active,\n"
		"own: moved by the counting, unknown), events, cycles, share, share_during,\n"
		"change, rank, certainty.\n",
	.options = options,
	.example = "pcounter scan --picture map.svg -- glxgears -info",
	.run = run_scan,
};
