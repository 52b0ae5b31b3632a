// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter top: what is busy now.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "gpu/count.h"
#include "gpu/metric.h"
#include "gpu/names.h"

#include "lib/tool.h"
#include "verbs/metrics.h"
#include "verbs/screen.h"
#include "verbs/verbs.h"
#include "verbs/watch.h"

#define LEAST_TURN	10	/* ms */
#define ALL_PMUS	"pcounter/"

static const struct option_doc options[] = {
	{ 'd', "device", "GPU", "only this one: PCI address or name of the PMU" },
	{ 'i', "interval", "TIME", "length of an interval: 2s, 200ms, or a number of ms" },
	{ 'n', "count", "N", "end after so many intervals" },
	{ 'e', "event", "EVENT", "as for perf, or a name in which * matches; repeatable" },
	{ 'a', "all", NULL, "show every named signal" },
	{ 'J', "jsonl", NULL, "JSON Lines" },
	{ 'c', "csv", NULL, "CSV" },
	{ 'M', "openmetrics", NULL, "OpenMetrics; with -o a file for node_exporter" },
	{ 'o', "output", "FILE", "write there instead of stdout" },
	{ }
};

static const char *const columns[] = {
	"time_ms", "gpu", "address", "state", "domain", "unit", "name", "events", "cycles",
	"share", "busy", "clock_hz", NULL
};

/* ---- output ---- */

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static struct cell text_cell(const char *s)
{
	return s && *s ? CELL_S(s) : CELL_UNKNOWN;
}

static bool write_rows(struct out *out, const struct top_rows *rows, int64_t time)
{
	unsigned int i;
	bool good = true;

	for (i = 0; i < rows->nr && good; i++) {
		const struct top_row *row = &rows->row[i];
		bool share = row->counted && row->cycles;
		const struct cell cells[] = {
			CELL_I(time),
			CELL_S(row->gpu->pmu->name),
			CELL_S(row->gpu->address),
			CELL_S(row->state),
			text_cell(row->domain),
			text_cell(row->unit),
			text_cell(row->name),
			row->counted ? CELL_I(row->events) : CELL_UNKNOWN,
			row->counted ? CELL_I(row->cycles) : CELL_UNKNOWN,
			share ? CELL_R((double)row->events / row->cycles) : CELL_UNKNOWN,
			row->has_busy ? CELL_R(row->busy) : CELL_UNKNOWN,
			row->hz >= 0 ? CELL_R(row->hz) : CELL_UNKNOWN,
		};

		good = out_row(out, cells);
	}
	return good;
}

static bool print_rows(FILE *f, const struct top_rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		fprintf(f, "%-12s %-8s %-10s %-31s ", row->gpu->pmu->name, row->domain,
			row->unit, row->name ? row->name : "");
		if (strcmp(row->state, "counting"))
			fprintf(f, "%s\n", row->state);
		else if (!strcmp(row->unit, "clock"))
			fprintf(f, "%10.3f MHz\n", row->hz / 1e6);
		else if (!row->counted || !row->cycles)
			fprintf(f, "%s\n", row->counted ? "clock stands still" : "not counted");
		else
			fprintf(f, "%6.1f %%\n", 100.0 * row->events / row->cycles);
	}
	fputc('\n', f);
	return !fflush(f);
}

/**
 * struct top - a run
 * @nr: number of @watch
 * @watch: the GPUs
 * @view: length of an interval, and whether all is counted
 * @counted: @view.all as it is counted now
 * @wishes: which signals
 * @intervals: how many, 0: no end
 * @screen: on a screen
 * @to_metrics: rows are written as metrics
 * @metrics: to this file, NULL for stdout
 * @by_engine: which begins with the page of engines
 * @out: rows go there otherwise
 */
struct top {
	unsigned int nr;
	struct watch *watch;
	struct screen_view view;
	bool counted;
	struct wishes wishes;
	unsigned long intervals;
	bool screen;
	bool to_metrics;
	const char *metrics;
	bool by_engine;
	struct out out;
};

static bool show(struct top *top, const struct top_rows *rows)
{
	if (top->screen) {
		screen_draw(rows, &top->view);
		return true;
	}
	if (top->to_metrics)
		return metrics_show(top->metrics, rows);
	if (top->out.kind == OUT_TEXT)
		return print_rows(top->out.f, rows);
	return write_rows(&top->out, rows, now_ms());
}

static int first_open(struct top *top)
{
	unsigned int i;
	char why[700];
	int err;

	for (i = 0; i < top->nr; i++) {
		if (gpu_asleep(top->watch[i].gpu))
			continue;
		err = watch_open(&top->watch[i]);
		if (!err)
			continue;
		count_explain(err, false, why, sizeof(why));
		complain("%s: %s", top->watch[i].gpu->pmu->name, why);
		return STATUS_NO;
	}
	return STATUS_OK;
}

/* Chunks take turns within an interval, as many as there is time for. */
static bool let_turns_pass(struct top *top, struct top_rows *rows)
{
	double end = seconds() + top->view.ms / 1e3, left;
	unsigned int turns = 1, i;

	for (i = 0; i < top->nr; i++)
		turns = max(turns, top->watch[i].turns);
	turns = min_t(unsigned int, turns, max(top->view.ms / LEAST_TURN, 1UL));
	for (; turns; turns--) {
		left = max(end - seconds(), 0.0) * 1e3 / turns;
		if (!(top->screen ? screen_wait(rows, left, &top->view) :
				    wait_ms(left)))
			return false;
		for (i = 0; i < top->nr && turns > 1; i++)
			watch_turn(&top->watch[i]);
	}
	return true;
}

static void next_turn(struct top *top)
{
	unsigned int i;

	for (i = 0; i < top->nr; i++)
		watch_turn(&top->watch[i]);
}

/* Count all, or what the first page shows: a key has asked for it. */
static bool count_anew(struct top *top)
{
	unsigned int i;

	top->counted = top->view.all;
	top->wishes.all = top->view.all;
	for (i = 0; i < top->nr; i++) {
		struct watch *watch = &top->watch[i];

		watch_close(watch);
		free(watch->chunk);
		if (!watch_init(watch, watch->gpu, &top->wishes))
			return false;
	}
	return first_open(top) == STATUS_OK;
}

static int run_intervals(struct top *top)
{
	struct top_rows rows = {};
	unsigned long done = 0;
	unsigned int i;
	int status = STATUS_OK;

	if (!top->screen && !top->to_metrics)
		out_header(&top->out);
	while (!top->intervals || done < top->intervals) {
		if (top->view.all != top->counted && !count_anew(top)) {
			status = STATUS_NO;
			break;
		}
		if (!let_turns_pass(top, &rows))
			break;
		rows.nr = 0;
		for (i = 0; i < top->nr; i++)
			watch_rows(&top->watch[i], &rows);
		next_turn(top);
		if (!show(top, &rows)) {
			status = STATUS_NO;
			break;
		}
		done++;
	}
	free(rows.row);
	return status;
}

static int run_watches(struct top *top, const char *path)
{
	int status = first_open(top);

	if (status != STATUS_OK)
		return status;
	top->screen = top->out.kind == OUT_TEXT && !path && !top->to_metrics &&
		      isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
	if (top->screen && !screen_begin(top->by_engine))
		top->screen = false;
	top->metrics = path;
	if (!top->to_metrics && !top->screen && !out_open(&top->out, path))
		return STATUS_NO;
	catch_signals();
	status = run_intervals(top);
	if (top->screen)
		screen_end();
	else if (top->to_metrics && path)
		unlink(path);	/* nothing would be new in it again */
	else if (!top->to_metrics && !out_close(&top->out))
		status = STATUS_NO;
	return status;
}

static int watch_gpus(struct top *top, const struct gpus *gpus, const char *wish)
{
	struct wishes *wishes = &top->wishes;
	char hint[HINT_TEXT];
	const char *near;
	unsigned int i;

	top->watch = calloc(gpus->nr + 1, sizeof(*top->watch));
	for (i = 0; i < gpus->nr && top->watch; i++) {
		const struct gpu *gpu = &gpus->gpu[i];

		if (!gpu->pmu || !gpu_chosen(gpu, wish))
			continue;
		if (!watch_init(&top->watch[top->nr++], gpu, wishes))
			return STATUS_USAGE;
	}
	if (!top->nr) {
		complain("no GPU%s%s with counters; pcounter doctor says why", wish ? " " : "",
			 wish ? wish : "");
		return STATUS_NO_GPU;
	}
	for (i = 0; i < wishes->nr; i++) {
		if (wishes->wish[i].seen)
			continue;
		if (metric_find(top->watch[0].gpu->pmu, wishes->wish[i].event)) {
			complain("%s: a metric, made of events: pcounter stat -M %s",
				 wishes->wish[i].event, wishes->wish[i].event);
			return STATUS_USAGE;
		}
		near = event_nearest(top->watch[0].gpu->pmu, wishes->wish[i].event);
		complain("%s: no GPU here has such an event%s", wishes->wish[i].event,
			 did_you_mean(near, hint));
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static void forget(struct top *top)
{
	unsigned int i;

	for (i = 0; i < top->nr; i++) {
		watch_close(&top->watch[i]);
		free(top->watch[i].chunk);
	}
	free(top->watch);
}

/**
 * struct choices - what the command line says beside struct top
 * @wish: which GPU
 * @path: where to write
 */
struct choices {
	const char *wish;
	const char *path;
};

/* "terms", "name*", or as perf has it "pcounter_0/terms/". */
static bool take_event(const char *text, struct wishes *wishes)
{
	struct wish *wish = &wishes->wish[wishes->nr];
	const char *slash = strchr(text, '/'), *end = slash ? strchr(slash + 1, '/') : NULL;

	if (wishes->nr == MAX_WISHES) {
		complain("no more than %u events", MAX_WISHES);
		return false;
	}
	if ((slash && (!end || end[1])) || strlen(text) >= sizeof(wish->event)) {
		complain("%s: not an event", text);
		return false;
	}
	if (slash && strncmp(text, ALL_PMUS, slash - text + 1))
		snprintf(wish->pmu, sizeof(wish->pmu), "%.*s", (int)(slash - text), text);
	if (slash)
		snprintf(wish->event, sizeof(wish->event), "%.*s", (int)(end - slash - 1),
			 slash + 1);
	else
		strcpy(wish->event, text);
	wishes->nr++;
	return true;
}

static bool take_option(int c, struct top *top, struct choices *ch)
{
	double ns;

	switch (c) {
	case 'd':
		ch->wish = optarg;
		return true;
	case 'i':
		if (!verb_duration(optarg, NS_MS, 10 * NS_MS, 3600 * NS_S, &ns))
			return false;
		top->view.ms = ns / NS_MS;
		return true;
	case 'n':
		return verb_number(optarg, 1, 1000000000, &top->intervals);
	case 'e':
		return take_event(optarg, &top->wishes);
	case 'a':
		top->wishes.all = true;
		top->view.all = true;
		top->counted = true;
		return true;
	case 'M':
		top->to_metrics = true;
		return true;
	case 'J':
		top->out.kind = OUT_JSONL;
		return true;
	case 'c':
		top->out.kind = OUT_CSV;
		return true;
	default:
		ch->path = optarg;
		return true;
	}
}

static int run_top(const struct verb *verb, int argc, char **argv)
{
	struct top top = { .view.ms = 1000, .out.columns = columns };
	struct choices ch = {};
	struct gpus gpus;
	int c, status;

	while ((c = verb_getopt(verb, argc, argv)) != -1)
		if (!take_option(c, &top, &ch))
			return STATUS_USAGE;
	if (optind < argc) {
		verb_usage(verb, stderr);
		return STATUS_USAGE;
	}
	/* each node of many pays for what is counted beyond need */
	top.wishes.lean = top.to_metrics;
	top.by_engine = !top.wishes.nr && !top.wishes.all;
	gpus_find(&gpus);
	status = watch_gpus(&top, &gpus, ch.wish);
	if (status == STATUS_OK)
		status = run_watches(&top, ch.path);
	forget(&top);
	gpus_free(&gpus);
	return status;
}

const struct verb verb_top = {
	.name = "top",
	.args = "",
	.summary = "show what is busy now, on a screen or as JSON Lines or CSV",
	.text =
		"On a terminal the first page answers why it is slow: which engine is the\n"
		"busiest, and what it waits for. It has a line for each engine, its name, a bar,\n"
		"how busy it was, the intervals before and the longest wait; then what passes\n"
		"the memory and PCIe, as far as the chip counts it, and the clocks. Temperature,\n"
		"clients and VRAM are there if the graphics driver tells them in hwmon and in\n"
		"fdinfo, of processes that this user may look at.\n"
		"\n"
		"Tab shows the clocks, and then the signals; s sorts engines, the busiest first;\n"
		"space stops the picture; + and - change the interval; g shows one GPU after the\n"
		"other; a counts every named signal; h explains; q ends.\n"
		"\n"
		"It counts in intervals the clock of every domain and the share of its clocks in\n"
		"which signals are 1: those signals and events that tell how busy a unit is, for\n"
		"what it waits and what passes the memory and PCIe (these two not for\n"
		"Prometheus), and the engines that the idle counters of GT215 and later watch.\n"
		"Signals of a domain that are more than its counters take turns, in all domains\n"
		"at once: each has the same part of an interval, but not less than 10 ms, so\n"
		"that some may be left for the next. A share is never cut off at 100 %: what is\n"
		"above is shown as it is.\n"
		"\n"
		"Without a terminal, or with -J, -c or -o, the same goes out as rows. Their\n"
		"columns: time_ms (milliseconds since 1970), gpu, address, state\n"
		"(counting; waiting: no turn came, or others had the domain; asleep, gone,\n"
		"refused, stopped: the events cannot be read), domain, unit, name, events,\n"
		"cycles, share, busy, clock_hz. What is unknown is null, or empty.\n"
		"\n"
		"--openmetrics writes what Prometheus reads: to stdout, or with -o into a file for\n"
		"the textfile collector of node_exporter, which is replaced after each interval\n"
		"and removed at the end. A share is rate(pcounter_signal_clocks_total) /\n"
		"rate(pcounter_signal_observed_clocks_total). Of a GPU that has left nothing is\n"
		"there but pcounter_up 0.\n"
		"\n"
		"A sleeping GPU is shown as asleep and left asleep. SIGINT ends a run after\n"
		"the last whole row, with exit status 0.\n",
	.options = options,
	.example = "pcounter top -J -i 100 -n 10",
	.run = run_top,
};
