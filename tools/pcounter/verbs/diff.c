// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter diff: compare two outputs of pcounter stat -r N -j, or the two commands of one.
 */
#include "cli/sample.h"

static struct out out;

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "a row of JSON for each metric", OPT_ROWS(&out.kind, OUT_JSONL) },
	{ }
};

static struct sample_pair *pairs;
static unsigned int nr_pairs;
static bool turns;

static struct sample_pair *pair_of(const char *name, const char *unit, const char *source)
{
	struct sample_pair *pair;
	unsigned int i;

	for (i = 0; i < nr_pairs; i++)
		if (!strcmp(pairs[i].name, name))
			return &pairs[i];
	pairs = grow(pairs, nr_pairs, sizeof(*pairs));
	pair = &pairs[nr_pairs++];
	pair->name = strdup(name);
	pair->unit = strdup(unit);
	pair->source = strdup(source);
	return pair;
}

/* Take a row of a file. Return the reason why it is not valid, NULL if it is. */
static const char *take_row(json_t *row, unsigned int file)
{
	json_t *values, *value, *turn = json_object_get(row, "turn");
	const char *name, *unit, *source;
	struct sample_pair *pair;
	size_t i;

	if (json_unpack(row, "{s:s, s:s, s:s, s:o}", "event", &name, "unit", &unit,
			"source", &source, "values", &values))
		return "not an output of pcounter stat -j";
	if (json_is_number(json_object_get(row, "interval")))
		return "intervals of one run are no repetitions: stat -r";
	if (json_is_integer(turn) != turns)
		return turns ? "one file needs the runs of stat --versus" :
			       "it has the runs of both commands: pcounter diff FILE";
	name = text_plain(name);
	source = text_plain(source);
	pair = pair_of(name, text_plain(unit), source);
	if (strcmp(pair->source, source))
		return text_tmp("%s is %s here, and %s elsewhere: not comparable", name, source,
				pair->source);
	json_array_foreach(values, i, value) {
		if (!json_is_number(value))
			return "not an output of pcounter stat -j";
		sample_add(&pair->sample[turns ? json_integer_value(turn) & 1 : file],
			   json_number_value(value));
	}
	return NULL;
}

static bool read_file(const char *path, unsigned int file)
{
	FILE *f = fopen(path, "re");
	const char *why = f ? NULL : strerror(errno);
	char *line = NULL;
	size_t len = 0;
	json_t *row;

	while (!why && getline(&line, &len, f) > 0) {
		row = json_loads(line, 0, NULL);
		why = take_row(row, file);
		json_decref(row);
	}
	free(line);
	if (f)
		fclose(f);
	return !why || complain("%s: %s", path, why);
}

static int run_diff(char **args)
{
	int status;

	turns = !args[1];
	if (!read_file(args[0], 0) || (args[1] && !read_file(args[1], 1)) || !out_open(&out, NULL))
		return STATUS_USAGE;
	status = sample_compare(&out, pairs, nr_pairs, turns);
	return out_close(&out) ? status : STATUS_USAGE;
}

const struct verb verb_diff = {
	.name = "diff",
	.args = "FILE [AFTER_FILE]",
	.summary = "say which metrics of two outputs of stat differ beyond their spread",
	.options = options,
	.run = run_diff,
};
