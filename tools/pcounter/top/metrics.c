// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of an interval in text formats: OpenMetrics on stdout, or Prometheus' older
 * format in a file for the textfile collector of node_exporter.
 */
#include "cli/out.h"
#include "top/top.h"

enum value { UP, ASLEEP, CLOCK_HERTZ, CLOCK_CLOCKS, CLOCK_SECONDS, SIGNAL_CLOCKS, SIGNAL_OBSERVED,
	     ENGINE_BUSY, HW_UTILIZATION };

/**
 * struct metric - a metric
 * @name: its name, without "_total"
 * @counter: a counter, which only grows; else a gauge
 * @unit: its unit, NULL if it has none
 * @help: its description
 */
struct metric {
	const char *name;
	bool counter;
	const char *unit;
	const char *help;
};

static const struct metric metrics[] = {
	[UP] = { "pcounter_up", false, NULL, "Whether the GPU can be counted on." },
	[ASLEEP] = { "pcounter_asleep", false, NULL,
		     "Whether the GPU is asleep, and left asleep." },
	[CLOCK_HERTZ] = { "pcounter_domain_clock_hertz", false, "hertz",
			  "Clock of a domain in the last interval." },
	[CLOCK_CLOCKS] = { "pcounter_domain_clocks", true, "clocks",
			   "Clocks of a domain while it was counted." },
	[CLOCK_SECONDS] = { "pcounter_domain_running_seconds", true, "seconds",
			    "Time for which a domain was counted." },
	[SIGNAL_CLOCKS] = { "pcounter_signal_clocks", true, "clocks",
			    "Clocks in which a signal was 1." },
	[SIGNAL_OBSERVED] = { "pcounter_signal_observed_clocks", true, "clocks",
		"Clocks in which a signal was looked at: it may take turns with others." },
	[ENGINE_BUSY] = { "pcounter_engine_busy_ratio", false, "ratio",
			  "Share of the last interval in which an engine was busy." },
	/* the name of OpenTelemetry's conventions for GPUs */
	[HW_UTILIZATION] = { "hw_gpu_utilization_ratio", false, "ratio",
			     "Fraction of time spent in a specific task." },
};

/* Return the task of a signal in OpenTelemetry's conventions, NULL if it has none. */
static const char *task_of(const struct top_row *row)
{
	static const struct {
		const char *prefix, *task;
	} tasks[] = {
		{ GPU_BUSY, "general" }, { "ppdec_", "decoder" }, { "pvdec_", "decoder" },
		{ "pvenc_", "encoder" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tasks) && !isnan(row->busy); i++)
		if (!strncmp(row->name, tasks[i].prefix, strlen(tasks[i].prefix)))
			return tasks[i].task;
	return NULL;
}

/* Return true for the first signal of its task: PDAEMON and PCOUNTER may both have one. */
static bool is_first(const struct watch *w, const struct top_row *row)
{
	const struct top_row *other;

	for (other = w->row; other < row; other++)
		if (!strcmp(task_of(other) ?: "", task_of(row)))
			return false;
	return true;
}

/* Return a value of a row, NAN if it is unknown, or if only other rows have such a value. */
static double value_of(enum value value, const struct top_row *row, bool first)
{
	bool of_clock = value < SIGNAL_CLOCKS;
	const double values[] = {
		[UP] = !strcmp(row->state, "counting") || !strcmp(row->state, "waiting"),
		[ASLEEP] = !strcmp(row->state, "asleep"),
		[CLOCK_HERTZ] = row->hz,
		[CLOCK_CLOCKS] = row->total_cycles,
		[CLOCK_SECONDS] = row->total_running / NS_S,
		[SIGNAL_CLOCKS] = row->total_events,
		[SIGNAL_OBSERVED] = row->total_cycles,
		[ENGINE_BUSY] = row->busy,
		[HW_UTILIZATION] = task_of(row) ? row->busy : NAN,
	};

	/* the state of a GPU is in its first row, a clock's */
	if (value <= ASLEEP ? !first : !row->name || of_clock != row_is_clock(row))
		return NAN;
	return values[value];
}

/* ---- text ---- */

static void put_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, ",%s=", name);
	put_quoted(f, value, false);
}

static void put_sample(FILE *f, enum value which, const struct gpu *gpu,
		       const struct top_row *row, double value)
{
	fprintf(f, "%s%s{gpu=\"%s\"", metrics[which].name, metrics[which].counter ? "_total" : "",
		gpu->pmu->name);
	put_label(f, "address", gpu->address);
	put_label(f, "chip", gpu->pmu->chip_name);
	if (which > ASLEEP)
		put_label(f, "domain", row->domain);
	if (which >= SIGNAL_CLOCKS) {
		put_label(f, "unit", row->unit);
		put_label(f, "signal", row->name);
	}
	if (which >= ENGINE_BUSY)
		put_label(f, "engine", row->plain->engine);
	if (which == HW_UTILIZATION) {
		put_label(f, "hw_id", gpu->address);
		put_label(f, "hw_type", "gpu");
		put_label(f, "hw_gpu_task", task_of(row));
	}
	fprintf(f, "} %.17g\n", value);
}

/* Write the head of a family; in the older format its name ends in "_total". */
static void put_head(FILE *f, const struct metric *metric, bool plain)
{
	const char *total = plain && metric->counter ? "_total" : "";

	fprintf(f, "# HELP %s%s %s\n", metric->name, total, metric->help);
	fprintf(f, "# TYPE %s%s %s\n", metric->name, total, metric->counter ? "counter" : "gauge");
	if (metric->unit && !plain)
		fprintf(f, "# UNIT %s %s\n", metric->name, metric->unit);
}

static void put_family(FILE *f, enum value which, const struct watch *w)
{
	unsigned int i;
	double value;

	for (i = 0; i < w->nr_rows; i++) {
		value = value_of(which, &w->row[i], !i);
		if (!isnan(value) && (which != HW_UTILIZATION || is_first(w, &w->row[i])))
			put_sample(f, which, w->gpu, &w->row[i], value);
	}
}

static void put_all(FILE *f, const struct watches *all, bool plain)
{
	unsigned int which, i;

	for (which = 0; which < ARRAY_SIZE(metrics); which++) {
		put_head(f, &metrics[which], plain);
		for (i = 0; i < all->nr; i++)
			put_family(f, which, &all->watch[i]);
	}
	if (!plain)
		fputs("# EOF\n", f);
}

/* ---- output ---- */

/**
 * metrics_show() - write the counts of an interval
 * @path: the file to replace, NULL for stdout
 * @all: the GPUs
 *
 * The file is replaced at once: readers see either the old or the new one.
 *
 * Return: false, with a message, if it cannot be written.
 */
bool metrics_show(const char *path, const struct watches *all)
{
	static struct out out = { .whole = true };

	if (!path) {
		put_all(stdout, all, false);
		return !fflush(stdout);
	}
	if (!out_open(&out, path))
		return false;
	put_all(out.f, all, true);
	return out_close(&out);
}
