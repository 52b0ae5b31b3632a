// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter top: show the activity of GPUs now.
 */
#include "gpu/metric.h"
#include "cli/out.h"
#include "cli/sample.h"
#include "top/top.h"

#define LEAST_TURN	10	/* ms */
#define ALL_PMUS	"pcounter"

static const char *const columns[] = {
	"time_ms", "gpu", "address", "state", "domain", "unit", "name", "events", "cycles",
	"share", "busy", "clock_hz", "peak", NULL
};

/* Arguments of the command line. */
static const char *device, *path;
static double interval = NS_S;
static unsigned long intervals;
static struct wishes wishes;
static bool to_metrics;
static struct out out = { .columns = columns };

static struct watches all;
static bool on_screen;

static bool take_event(const struct option_doc *o, const char *text);

static const struct option_doc options[] = {
	OPTION_DEVICE(&device),
	{ 'i', "interval", "TIME", "length of an interval: 2s, 200ms, or a number of ms",
	  OPT_TIME(&interval, 10 * NS_MS, 3600 * NS_S, NS_MS) },
	{ 'n', "count", "N", "end after N intervals", OPT_NUMBER(&intervals, 1, 1e9) },
	{ 'e', "event", "EVENT", "as for perf, or a name in which * matches; repeatable",
	  .take = take_event },
	{ 'a', "all", NULL, "every named signal, in rows", OPT_FLAG(&wishes.all) },
	{ 'J', "jsonl", NULL, "JSON Lines", OPT_ROWS(&out.kind, OUT_JSONL) },
	{ 'c', "csv", NULL, "CSV", OPT_ROWS(&out.kind, OUT_CSV) },
	{ LONG_OWN, "openmetrics", NULL, "OpenMetrics; with -o a file for node_exporter",
	  OPT_FLAG(&to_metrics) },
	{ 'o', "output", "FILE", "write to FILE instead of stdout", OPT_TEXT(&path) },
	{ }
};

/* Take an event: "terms", "name*", or in perf's syntax "pcounter_0/terms/". */
static bool take_event(const struct option_doc *o, const char *text)
{
	char *rest = text_keep(strdup(text));
	const char *pmu = strchr(text, '/') ? strsep(&rest, "/") : "";
	const char *event = strsep(&rest, "/");
	struct wish *wish = &wishes.wish[wishes.nr];

	if (wishes.nr == MAX_WISHES)
		return complain("no more than %u events", MAX_WISHES);
	if ((strchr(text, '/') && (!rest || *rest)) || strlen(text) >= sizeof(wish->event))
		return complain("%s: not an event", text);
	snprintf(wish->pmu, sizeof(wish->pmu), "%s", strcmp(pmu, ALL_PMUS) ? pmu : "");
	strcpy(wish->event, event);
	wishes.nr++;
	return true;
}

/* ---- output ---- */

/* Format the value of a row, a number or a word. @peak: share of what its unit could do */
static const char *row_value(const struct top_row *row, double peak)
{
	if (strcmp(row->state, "counting"))
		return row->state;
	if (row_is_clock(row))
		return text_tmp("%10.3f MHz", row->hz / 1e6);
	if (!row->cycles)
		return "clock stands still";
	if (isnan(peak))
		return text_tmp("%6.1f %%", 100 * row_share(row));
	return text_tmp("%6.1f %%  of peak %.1f %%%s", 100 * row_share(row), 100 * peak,
			share_over("%", 100 * peak) ? "!" : "");
}

static void show_row(const struct watch *w, const struct top_row *row, int64_t time)
{
	double peak = row->name ? metric_peak(w->gpu->pmu, row->name, row_share(row)) : NAN;
	bool counted = !isnan(row->hz);
	const struct cell cells[] = {
		cell_int(true, time), cell_text(w->gpu->pmu->name), cell_text(w->gpu->address),
		cell_text(row->state), cell_text(row->domain), cell_text(row->unit),
		cell_text(row->name), cell_int(counted, row->events),
		cell_int(counted, row->cycles), cell_real(row_share(row)),
		cell_real(row->busy), cell_real(row->hz), cell_real(peak),
	};

	if (out.kind != OUT_TEXT)
		out_row(&out, cells);
	else
		fprintf(out.f, "%-12s %-8s %-10s %-31s %s\n", w->gpu->pmu->name, row->domain,
			row->unit, row->name ?: "", row_value(row, peak));
}

/* Show the interval that ends now. */
static bool show(void)
{
	int64_t time = clock_ns(CLOCK_REALTIME) / 1000000;
	struct watch *w;
	unsigned int i;

	for (w = all.watch; w < all.watch + all.nr; w++) {
		watch_rows(w, &wishes);
		watch_turn(w);
	}
	if (on_screen) {
		screen_draw(&all, &wishes);
		return true;
	}
	if (to_metrics)
		return metrics_show(path, &all);
	for (w = all.watch; w < all.watch + all.nr; w++)
		for (i = 0; i < w->nr_rows; i++)
			show_row(w, &w->row[i], time);
	if (out.kind == OUT_TEXT)
		fputc('\n', out.f);
	return !fflush(out.f);
}

static bool first_open(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < all.nr; i++) {
		struct watch *watch = &all.watch[i];

		err = gpu_asleep(watch->gpu) ? 0 : watch_open(watch);
		if (err)
			return complain("%s: %s", watch->gpu->pmu->name,
					count_explain(err, false));
	}
	return true;
}

/* Wait for an interval; let chunks take turns in it, as many as there is time for. */
static bool let_turns_pass(void)
{
	double end = seconds() + wishes.ms / 1e3, left;
	unsigned int turns = 1, i;

	for (i = 0; i < all.nr; i++)
		turns = max(turns, all.watch[i].turns);
	turns = min_t(unsigned int, turns, max(wishes.ms / LEAST_TURN, 1UL));
	for (; turns; turns--) {
		left = max(end - seconds(), 0.0) * 1e3 / turns;
		if (!(on_screen ? screen_wait(&all, left, &wishes) : wait_ms(left)))
			return false;
		for (i = 0; i < all.nr && turns > 1; i++)
			watch_turn(&all.watch[i]);
	}
	return true;
}

static int run_intervals(void)
{
	unsigned long done;
	bool good = true;

	for (done = 0; good && (!intervals || done < intervals); done++) {
		texts_free();
		if (!let_turns_pass())
			break;
		good = show();
	}
	return good ? STATUS_OK : STATUS_NO;
}

static int run_watches(void)
{
	int status;

	if (!first_open())
		return STATUS_NO;
	on_screen = out.kind == OUT_TEXT && !path && !to_metrics && !wishes.nr && !wishes.all &&
		      isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && screen_begin();
	if (!to_metrics && !on_screen && !out_open(&out, path))
		return STATUS_NO;
	catch_signals();
	status = run_intervals();
	if (on_screen)
		screen_end();
	else if (to_metrics && path && may_replace(path))
		unlink(path);	/* its contents would never change again */
	else if (!to_metrics && !out_close(&out))
		status = STATUS_NO;
	return status;
}

/* Check that all events of the user exist; if not, suggest a similar name. */
static bool check_wishes(const struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < wishes.nr; i++) {
		const char *event = wishes.wish[i].event;

		if (wishes.wish[i].seen)
			continue;
		if (metric_find(pmu, event))
			complain("%s: a metric, made of events: pcounter stat -M %s", event, event);
		else
			complain("%s: no GPU here has such an event", event);
		return false;
	}
	return true;
}

static int watch_gpus(const struct gpus *gpus)
{
	int status = STATUS_USAGE;
	bool good = true;

	all.watch = need(gpus->nr, sizeof(*all.watch));
	for (; all.nr < gpus->nr && good; all.nr++) {
		all.watch[all.nr].gpu = &gpus->gpu[all.nr];
		good = watch_init(&all.watch[all.nr], &wishes);
	}
	if (good && check_wishes(gpus->gpu->pmu))
		status = run_watches();
	while (all.nr)
		watch_free(&all.watch[--all.nr]);
	free(all.watch);
	return status;
}

static int run_top(char **args)
{
	wishes.ms = interval / NS_MS;
	/* in a cluster each event costs on every node */
	wishes.lean = to_metrics;
	return gpus_run(device, watch_gpus);
}

const struct verb verb_top = {
	.name = "top",
	.args = "",
	.summary = "show what is busy now, on a screen or as JSON Lines or CSV",
	.options = options,
	.counts = true,
	.run = run_top,
};
