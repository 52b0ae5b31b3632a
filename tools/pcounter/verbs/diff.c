// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter diff: compare two outputs of pcounter stat -r N -j.
 */
#include "lib/out.h"
#include "lib/sample.h"

#define LEVEL		0.01	/* of false alarms in comparisons without a difference */

static const char *const columns[] = {
	"event", "unit", "before", "before-error", "after", "after-error", "p", "differs", NULL
};

static struct out out = { .columns = columns };

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "a row of JSON for each metric", OPT_ROWS(&out.kind, OUT_JSONL) },
	{ }
};

/**
 * struct row - a metric of both files
 * @name: its name
 * @unit: its unit
 * @sample: its values in each file
 */
struct row {
	char *name;
	char *unit;
	struct sample sample[2];
};

static struct row *rows;
static unsigned int nr_rows;

static struct row *row_of(const char *name, const char *unit)
{
	unsigned int i;

	for (i = 0; i < nr_rows; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	rows = grow(rows, nr_rows, sizeof(*rows));
	rows[nr_rows].name = strdup(name);
	rows[nr_rows].unit = strdup(unit);
	return &rows[nr_rows++];
}

/* Take a line of a file. Return the reason why it is not valid, NULL if it is. */
static const char *take_line(const char *line, unsigned int file)
{
	json_t *json = json_loads(line, 0, NULL), *value = json_object_get(json, "counter-value");
	double deviation, runs = json_number_value(json_object_get(json, "runs"));
	const char *name, *unit, *why = NULL;

	if (json_unpack(json, "{s:s, s:s, s:F}", "event", &name, "unit", &unit,
			"stddev", &deviation))
		why = "not an output of pcounter stat -j";
	else if (json_is_number(json_object_get(json, "interval")))
		why = "intervals of one run are no repetitions: stat -r";
	else if (json_is_number(value) && runs >= 1)
		sample_add(&row_of(text_plain(name), text_plain(unit))->sample[file], runs,
			   json_number_value(value), deviation);
	json_decref(json);
	return why;
}

static bool read_file(const char *path, unsigned int file)
{
	FILE *f = fopen(path, "re");
	const char *why = f ? NULL : strerror(errno);
	char *line = NULL;
	size_t len = 0;

	while (!why && getline(&line, &len, f) > 0)
		why = take_line(line, file);
	free(line);
	if (f)
		fclose(f);
	return !why || complain("%s: %s", path, why);
}

/* Keep the metrics that both files have in two or more runs. */
static void keep_common(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr_rows; i++) {
		if (rows[i].sample[0].n > 1 && rows[i].sample[1].n > 1) {
			swap(rows[n], rows[i]);
			n++;
		} else {
			complain("%s: not in two runs of each file: left out", rows[i].name);
		}
	}
	nr_rows = n;
}

static void show_row(const struct row *row, double p)
{
	const struct sample *a = &row->sample[0], *b = &row->sample[1];
	const struct cell cells[] = {
		cell_text(row->name), cell_text(row->unit), cell_real(a->mean),
		cell_real(sample_error(a)), cell_real(b->mean), cell_real(sample_error(b)),
		cell_real(p), cell_int(true, p < LEVEL),
	};

	if (out.kind != OUT_TEXT) {
		out_row(&out, cells);
		return;
	}
	fprintf(out.f, "%12.6g +- %-8.2g %12.6g +- %-8.2g %-12s %-*s", a->mean, sample_error(a),
		b->mean, sample_error(b), row->unit, p < LEVEL ? 28 : 0, row->name);
	if (p < LEVEL && a->mean)
		fprintf(out.f, " %+.1f %%", 100 * (b->mean / a->mean - 1));
	fprintf(out.f, p < LEVEL ? "  p = %.2g\n" : "\n", p);
}

static int compare(void)
{
	double *p = need(nr_rows, sizeof(*p));
	unsigned int i, n = 0;

	for (i = 0; i < nr_rows; i++)
		p[i] = sample_test(&rows[i].sample[0], &rows[i].sample[1]);
	sample_correct(p, nr_rows);
	if (!out_open(&out, NULL))
		return STATUS_USAGE;
	if (out.kind == OUT_TEXT)
		fprintf(out.f, "%12s %24s %24s metric\n", "before", "after", "unit        ");
	for (i = 0; i < nr_rows; i++) {
		show_row(&rows[i], p[i]);
		n += p[i] < LEVEL;
	}
	if (out.kind == OUT_TEXT)
		fprintf(out.f, "\n%u of %u differ (Welch's t-test, corrected by Holm: p < %g)\n",
			n, nr_rows, LEVEL);
	free(p);
	return !out_close(&out) ? STATUS_USAGE : n ? STATUS_NO : STATUS_OK;
}

static int run_diff(char **args)
{
	if (!args[0] || !args[1]) {
		verb_usage(&verb_diff, stderr);
		return STATUS_USAGE;
	}
	if (!read_file(args[0], 0) || !read_file(args[1], 1))
		return STATUS_USAGE;
	keep_common();
	if (nr_rows)
		return compare();
	complain("nothing to compare: pcounter stat -r 10 -j -o FILE writes a file for it");
	return STATUS_USAGE;
}

const struct verb verb_diff = {
	.name = "diff",
	.args = "BEFORE_FILE AFTER_FILE",
	.summary = "say which metrics of two outputs of stat differ beyond their spread",
	.options = options,
	.run = run_diff,
};
