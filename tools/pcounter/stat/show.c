// SPDX-License-Identifier: GPL-2.0-only
/*
 * The values of runs, in the formats of perf stat.
 */
#include <math.h>

#include "stat/runs.h"

#define TURN		0.05	/* s for which events count before perf rotates */

const char *const stat_columns[] = {
	"interval", "counter-value", "unit", "event", "variance", "event-runtime", "pcnt-running",
	"stddev", "runs", "gpu", "chip", "source", "confidence", "reason", "values", "clock",
	"turn", "command", "date", "version", "peak", NULL
};

/* The duration of a run is a row of its own. */
const struct metric elapsed = { .name = "elapsed", .unit = "s", .scale = 1, .peak = "",
			       .expression = "seconds" };

/**
 * runs_text() - check whether the output is for people
 * @runs: the runs
 *
 * Return: true for text of several lines.
 */
bool runs_text(const struct runs *runs)
{
	return runs->out.kind == OUT_TEXT && !runs->separator && !runs->line;
}

/* ---- values that are missing ---- */

/* Reasons why a metric has no value, and why none has. */
static const char *const reasons[][2] = {
	{ "no events", "the clocks stand still" },
	{ "asleep", "the GPU is asleep, and stat does not wake it" },
	{ "gone", "the GPU has left" },
	{ "not counted", "others have its counters (pcounter doctor)" },
	{ "no turn", "the run was too short for its metrics to take turns" },
};

/* Return the number of runs that count, 1 for an interval. */
static double runs_of(const struct counts *counts)
{
	return durations(counts)->value.n ?: 1;
}

/* Return true if a metric has counted that may have kept the counters from the others. */
static bool was_short(const struct counts *counts)
{
	const struct member *m = counts->member;

	while (m < durations(counts) && !m->running)
		m++;
	return m < durations(counts) && m->enabled / runs_of(counts) < counts->n * TURN;
}

/* Return the reasons for a metric that has counted, or has not, but has no value. */
static const char *const *reasons_of(const struct counts *counts, bool counted)
{
	return reasons[counted ? 0 : pmu_left(counts->gpu->pmu) ? 2 : gpu_asleep(counts->gpu) ? 1 :
		       was_short(counts) ? 4 : 3];
}

static const char *why_not(const struct counts *counts, const struct member *m)
{
	return reasons_of(counts, m->running > 0)[0];
}

/* Return the reason why no metric has a value, NULL if the user wants to see each. */
static const char *why_nothing(const struct runs *runs, const struct counts *counts)
{
	const struct member *m;
	bool counted = false;

	for (m = counts->member; m < durations(counts); m++) {
		counted |= m->running > 0;
		if (m->value.n || (runs->list && counted))
			return NULL;
	}
	return reasons_of(counts, counted)[1];
}

/* ---- a value ---- */

/* Return the unit of a value, with an exclamation mark if the value is impossible. */
static const char *unit_of(const struct member *m)
{
	const char *unit = m->use.metric->unit;

	return share_over(unit, m->value.mean) ? "%!" : unit;
}

static const char *command_text(char *const *word)
{
	const char *text = "";

	for (; word && *word; word++)
		text = text_tmp("%s%s%s", text, *text ? " " : "", *word);
	return text;
}

static void put_json(struct runs *runs, const struct counts *counts, const struct member *m)
{
	const struct metric *metric = m->use.metric;
	const struct pmu *pmu = counts->gpu->pmu;
	const struct cell cells[] = {
		cell_real(runs->interval > 0 ? runs->when : NAN),
		cell_real(m->value.n ? m->value.mean : NAN),
		{ .kind = CELL_TEXT, .s = metric->unit }, cell_text(metric->name),
		cell_real(runs->repeat > 1 ? sample_percent(&m->value) : NAN),
		cell_int(true, m->running * NS_S / runs_of(counts)),
		cell_real(100 * m->running / m->enabled),
		cell_real(sample_deviation(&m->value)), cell_int(true, m->value.n),
		cell_text(pmu->name), cell_text(pmu->chip_name), cell_text(metric->expression),
		cell_text(metric_confidence(pmu, metric)),
		cell_text(!m->value.n ? why_not(counts, m) :
			  share_over(metric->unit, m->value.mean) ? "above 100 %" : NULL),
		{ .kind = CELL_LIST, .list = m->value.value, .nr = m->value.n },
		cell_real(m->clock), cell_int(runs->versus, counts->turn),
		cell_text(command_text(runs->command[counts->turn])),
		cell_text(runs->date), cell_text(PCOUNTER_VERSION),
		cell_text(or_null(metric->peak)),
	};

	out_row(&runs->out, cells);
}

/* Format a value: whole numbers of large counts, else two digits. */
static const char *value_text(const struct counts *counts, const struct member *m)
{
	const struct metric *metric = m->use.metric;
	bool whole = metric->scale <= 1 && fabs(m->value.mean) >= 1e4;

	if (!m->value.n)
		return text_tmp("<%s>", why_not(counts, m));
	return text_tmp("%.*f", metric == &elapsed ? 6 : whole ? 0 : 2, m->value.mean);
}

static void put_csv(const struct runs *runs, const struct counts *counts, const struct member *m)
{
	const char *separator = runs->separator;
	FILE *f = runs->out.f;

	if (runs->interval > 0)
		fprintf(f, "%.9f%s", runs->when, separator);
	fprintf(f, "%s%s%s%s%s%s", value_text(counts, m), separator, unit_of(m),
		separator, m->use.metric->name, separator);
	if (runs->repeat > 1)
		fprintf(f, "%.2f%%%s", sample_percent(&m->value), separator);
	fprintf(f, "%.0f%s%.2f\n", m->running * NS_S / runs_of(counts), separator,
		100 * m->running / m->enabled);
}

static void print_metric(const struct runs *runs, const struct counts *counts,
			 const struct member *m)
{
	double share = m->running / m->enabled;
	bool spread = m->value.n > 1, part = share > 0 && share < 0.9995;
	FILE *f = runs->out.f;

	if (runs->interval > 0)
		fprintf(f, "%15.9f ", runs->when);
	fprintf(f, "%16s %-14s %-*s", value_text(counts, m), unit_of(m),
		spread || part || *m->use.metric->peak ? 28 : 0, m->use.metric->name);
	if (spread)
		fprintf(f, " ( +- %5.2f%% )", sample_percent(&m->value));
	if (part)
		fprintf(f, " (%.1f %% of the time)", 100 * share);
	if (*m->use.metric->peak)
		fprintf(f, " of %s", m->use.metric->peak);
	fputc('\n', f);
}

static void show_metric(struct runs *runs, const struct counts *counts, const struct member *m)
{
	if (runs->out.kind == OUT_JSONL)
		put_json(runs, counts, m);
	else if (runs->separator)
		put_csv(runs, counts, m);
	else
		print_metric(runs, counts, m);
}

/* ---- all values ---- */

/* Print the values of a GPU behind its address, if there are several; a word replaces a value. */
static void print_line(const struct runs *runs, const struct counts *counts)
{
	bool last = counts == &runs->counts[runs->nr - 1];
	const struct member *m;
	FILE *f = runs->out.f;

	if (runs->nr > 1)
		fprintf(f, "%s ", counts->gpu->address);
	for (m = counts->member; m < durations(counts); m++) {
		fputs(m > counts->member ? "  " : "", f);
		if (m->value.n)
			fprintf(f, "%.1f %s", m->value.mean, unit_of(m));
		else
			fputs(why_not(counts, m), f);
	}
	fputs(last ? "\n" : "  ", f);
}

/**
 * runs_head() - print a heading for people
 * @runs: the runs
 */
void runs_head(const struct runs *runs)
{
	const struct gpu *gpu = runs->counts->gpu;
	FILE *f = runs->out.f;

	if (runs->interval > 0) {
		fprintf(f, "#          time            value unit           metric\n");
		return;
	}
	fprintf(f, "\n %s (%s) for %s", gpu->address, gpu->pmu->chip_name,
		*runs->command ? **runs->command : "the whole system");
	if (runs->versus)
		fprintf(f, ", and %s, by turns", runs->versus);
	if (runs->repeat > 1)
		fprintf(f, " (%.0f runs)", runs_of(runs->counts));
	fprintf(f, ":\n\n");
}

/* Show all metrics. The default set leaves out ratios of events that did not occur. */
static void show_metrics(struct runs *runs, const struct counts *counts)
{
	const char *nothing = runs_text(runs) ? why_nothing(runs, counts) : NULL;
	const struct member *m;

	if (nothing)
		fprintf(runs->out.f, "%s nothing was counted: %s\n",
			runs->interval > 0 ? text_tmp("%15.9f", runs->when) : "", nothing);
	for (m = counts->member; m < durations(counts) && !nothing; m++)
		if (runs->list || m->value.n || !m->running)
			show_metric(runs, counts, m);
	if (!runs->separator && !runs->interval)
		show_metric(runs, counts, durations(counts));
}

static void compare_commands(struct runs *runs)
{
	static struct sample_pair pairs[MAX_USES + 1];
	const struct member *a = runs->counts[0].member, *b = runs->counts[1].member;
	unsigned int i, n = runs->counts->n + 1;

	for (i = 0; i < n; i++)
		pairs[i] = (struct sample_pair){
			.name = a[i].use.metric->name, .unit = a[i].use.metric->unit,
			.sample = { a[i].value, b[i].value },
		};
	sample_compare(&runs->out, pairs, n, true);
}

/**
 * runs_show() - show the values of the last interval, or of all runs
 * @runs: the runs
 */
void runs_show(struct runs *runs)
{
	bool whole_text = runs_text(runs) && !runs->interval;
	const struct counts *counts = runs->counts;

	if (whole_text)
		runs_head(runs);
	if (whole_text && runs->versus) {
		compare_commands(runs);
		return;
	}
	for (; counts < runs->counts + runs->nr; counts++)
		if (runs->line)
			print_line(runs, counts);
		else
			show_metrics(runs, counts);
	if (whole_text)
		fputc('\n', runs->out.f);
	fflush(runs->out.f);
}
