// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counts of an interval as OpenMetrics, on stdout, or in Prometheus' older text format
 * in a file for the textfile collector of node_exporter.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "lib/tool.h"
#include "verbs/metrics.h"

/* Which rows a metric is made of. */
enum rows { OF_GPU, OF_CLOCK, OF_SIGNAL };

/**
 * struct metric - a metric
 * @name: its name, without "_total"
 * @counter: it only grows; else it is a gauge
 * @unit: its unit, NULL if it has none
 * @help: what it is
 * @rows: which rows it is made of
 * @value: its value of a row
 */
struct metric {
	const char *name;
	bool counter;
	const char *unit;
	const char *help;
	enum rows rows;
	double (*value)(const struct top_row *row);
};

static double value_up(const struct top_row *row)
{
	return !strcmp(row->state, "counting") || !strcmp(row->state, "waiting");
}

static double value_asleep(const struct top_row *row)
{
	return !strcmp(row->state, "asleep");
}

static double value_hertz(const struct top_row *row)
{
	return row->hz;
}

static double value_events(const struct top_row *row)
{
	return row->total_events;
}

static double value_cycles(const struct top_row *row)
{
	return row->total_cycles;
}

static double value_running(const struct top_row *row)
{
	return row->total_running / NS_S;
}

static const struct metric metrics[] = {
	{ "pcounter_up", false, NULL, "Whether the GPU can be counted on.", OF_GPU, value_up },
	{ "pcounter_asleep", false, NULL, "Whether the GPU is asleep, and left asleep.", OF_GPU,
	  value_asleep },
	{ "pcounter_domain_clock_hertz", false, "hertz", "Clock of a domain in the last interval.",
	  OF_CLOCK, value_hertz },
	{ "pcounter_domain_clocks", true, "clocks", "Clocks of a domain while it was counted.",
	  OF_CLOCK, value_cycles },
	{ "pcounter_domain_running_seconds", true, "seconds",
	  "Time for which a domain was counted.", OF_CLOCK, value_running },
	{ "pcounter_signal_clocks", true, "clocks", "Clocks in which a signal was 1.", OF_SIGNAL,
	  value_events },
	{ "pcounter_signal_observed_clocks", true, "clocks",
	  "Clocks in which a signal was looked at: it may take turns with others.", OF_SIGNAL,
	  value_cycles },
};

/* ---- text ---- */

static bool is_of(const struct top_row *row, enum rows rows)
{
	if (!row->name)
		return false;
	return (rows == OF_CLOCK) == !strcmp(row->unit, "clock");
}

static void put_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, ",%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', f);
		fputc(*value, f);
	}
	fputc('"', f);
}

static void put_sample(FILE *f, const struct metric *metric, const struct top_row *row)
{
	double value = metric->value(row);

	/* an unknown clock is no value, and not 0 */
	if (value < 0)
		return;
	fprintf(f, "%s%s{gpu=\"%s\"", metric->name, metric->counter ? "_total" : "",
		row->gpu->pmu->name);
	put_label(f, "address", row->gpu->address);
	put_label(f, "chip", row->gpu->pmu->chip_name);
	if (metric->rows != OF_GPU)
		put_label(f, "domain", row->domain);
	if (metric->rows == OF_SIGNAL) {
		put_label(f, "unit", row->unit);
		put_label(f, "signal", row->name);
	}
	fprintf(f, "} %.17g\n", value);
}

/* The older format has "_total" in the name of the family. */
static void put_head(FILE *f, const struct metric *metric, bool plain)
{
	const char *total = plain && metric->counter ? "_total" : "";
	size_t len = strlen(metric->name), more = metric->unit ? strlen(metric->unit) : 0;

	fprintf(f, "# HELP %s%s %s\n", metric->name, total, metric->help);
	fprintf(f, "# TYPE %s%s %s\n", metric->name, total, metric->counter ? "counter" : "gauge");
	if (more && !plain && len > more && !strcmp(metric->name + len - more, metric->unit))
		fprintf(f, "# UNIT %s %s\n", metric->name, metric->unit);
}

static char *make_text(const struct top_rows *rows, bool plain)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(metrics) && f; i++) {
		const struct gpu *gpu = NULL;

		put_head(f, &metrics[i], plain);
		for (k = 0; k < rows->nr; k++) {
			const struct top_row *row = &rows->row[k];

			/* the first row of a GPU tells its state: that of a clock */
			if (metrics[i].rows == OF_GPU ? row->gpu != gpu :
							is_of(row, metrics[i].rows))
				put_sample(f, &metrics[i], row);
			gpu = row->gpu;
		}
	}
	if (!f)
		return NULL;
	if (!plain)
		fputs("# EOF\n", f);
	return fclose(f) ? NULL : text;
}

/* ---- where it goes ---- */

/* Readers see the old or the new file, and nothing between. */
static bool replace_file(const char *to, const char *text)
{
	char path[4096];
	bool good;
	FILE *f;

	snprintf(path, sizeof(path), "%s.%d", to, getpid());
	f = fopen(path, "we");
	good = f && fputs(text, f) >= 0;
	if (f)
		good = !fclose(f) && good;
	good = good && !rename(path, to);
	if (!good) {
		complain("%s: %s", to, strerror(errno));
		unlink(path);
	}
	return good;
}

/**
 * metrics_show() - write the counts of an interval
 * @path: a file, which is replaced; NULL for stdout
 * @rows: the counts
 *
 * Return: false, with a word on stderr, if it cannot be written.
 */
bool metrics_show(const char *path, const struct top_rows *rows)
{
	char *text = make_text(rows, path);
	bool good;

	if (!text) {
		complain("out of memory");
		return false;
	}
	good = path ? replace_file(path, text) : fputs(text, stdout) >= 0 && !fflush(stdout);
	free(text);
	return good;
}
