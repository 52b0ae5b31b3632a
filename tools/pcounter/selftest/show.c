// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of selftests: reading, writing, and printing for people.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/tool.h"
#include "selftest/experiments.h"
#include "selftest/selftest.h"

/* Return a text of a foreign file, without characters that could move the cursor. */
static const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));
	char text[WHY_TEXT], *at;

	snprintf(text, sizeof(text), "%s", s ?: "");
	for (at = text; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return text_tmp("%s", text);
}

/**
 * report_load() - read a report
 * @path: the file
 * @why: gets the reason of a failure
 * @len: size of @why
 *
 * Return: the report, NULL if the file is not a report.
 */
json_t *report_load(const char *path, char *why, size_t len)
{
	struct stat st;
	json_error_t error;
	json_t *report = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st)) {
		snprintf(why, len, "%s", strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > SELFTEST_MOST) {
		snprintf(why, len, "no report: not a file, or more than %u bytes", SELFTEST_MOST);
	} else {
		report = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
		if (!report)
			snprintf(why, len, "no report: line %d: %s", error.line, error.text);
	}
	if (fd >= 0)
		close(fd);
	if (!report)
		return NULL;
	if (!strcmp(text_of(report, "kind"), SELFTEST_KIND) &&
	    json_integer_value(json_object_get(report, "schema")) == SELFTEST_SCHEMA)
		return report;
	snprintf(why, len, "no report of schema %u", SELFTEST_SCHEMA);
	json_decref(report);
	return NULL;
}

/**
 * report_save() - write a report
 * @report: the report
 * @path: the file
 *
 * Return: false, with a message, if it cannot be written.
 */
bool report_save(const json_t *report, const char *path)
{
	size_t flags = JSON_INDENT(1) | JSON_PRESERVE_ORDER;

	/* a GPU with many units: no indentation, which saves space */
	if (json_dumpb(report, NULL, 0, flags) > SELFTEST_MOST)
		flags = JSON_COMPACT | JSON_PRESERVE_ORDER;
	if (!json_dump_file(report, path, flags))
		return true;
	complain("%s: %s", path, strerror(errno));
	return false;
}

/* Return a number of a list: an address, the expected value, or the value of a register. */
static json_int_t number_of(const json_t *object, const char *key, unsigned int index)
{
	return json_integer_value(json_array_get(json_object_get(object, key), index));
}

/* Print a register, its value, and the expected value. */
static void show_register(const json_t *row, FILE *out)
{
	if (json_object_get(row, "register"))
		fprintf(out, "    at register 0x%06llx: %08llx should be %08llx\n",
			number_of(row, "register", 0), number_of(row, "register", 2),
			number_of(row, "register", 1));
}

static void show_failure(const json_t *check, FILE *out)
{
	size_t i, n = json_array_size(json_object_get(check, "evidence"));

	fprintf(out, "    not: %s%s%s", text_of(check, "name"),
		json_object_get(check, "domain") ? ", domain " : "", text_of(check, "domain"));
	for (i = 0; i < n; i++)
		fprintf(out, "%s%lld", i ? " " : ": ", number_of(check, "evidence", i));
	fputc('\n', out);
	show_register(check, out);
}

/* Print a stopped clock, which is no fault. */
static void show_still(const json_t *check, FILE *out)
{
	if (strcmp(text_of(check, "name"), "clock") ||
	    json_array_size(json_object_get(check, "evidence")) != 2 ||
	    number_of(check, "evidence", 0) || number_of(check, "evidence", 1))
		return;
	fprintf(out, "    clock stands still: domain %s", text_of(check, "domain"));
	if (json_object_get(check, "register"))
		fprintf(out, ", register 0x%06llx stays at %llu", number_of(check, "register", 0),
			number_of(check, "register", 2));
	fputc('\n', out);
}

static bool passed(const json_t *check)
{
	return json_is_true(json_object_get(check, "ok"));
}

static void show_stage(const json_t *stage, FILE *out)
{
	const json_t *check, *checks = json_object_get(stage, "checks");
	size_t i, good = 0;

	if (!json_array_size(checks))
		return;
	json_array_foreach(checks, i, check)
		good += passed(check);
	fprintf(out, "  %-12s %zu of %zu checks as expected\n", text_of(stage, "name"), good,
		json_array_size(checks));
	json_array_foreach(checks, i, check)
		if (!passed(check))
			show_failure(check, out);
	json_array_foreach(checks, i, check)
		show_still(check, out);
}

static void show_experiment(const json_t *row, FILE *out)
{
	const char *name = text_of(row, "name"), *verdict = text_of(row, "verdict");
	const struct experiment *exp = experiment_find(name);

	if (!strcmp(verdict, "absent"))
		return;
	fprintf(out, "  %s\n    %s: %s%s\n", exp ? exp->question : name, verdict,
		text_of(row, "text"), text_of(row, "why"));
	show_register(row, out);
}

/**
 * report_show() - print a report for people
 * @report: the report
 * @out: the output
 */
void report_show(const json_t *report, FILE *out)
{
	const json_t *row, *rows;
	size_t i;

	fprintf(out, "\nchip %s, %s\nWhat works:\n", text_of(report, "chip"),
		text_of(report, "date"));
	rows = json_object_get(report, "stages");
	json_array_foreach(rows, i, row)
		show_stage(row, out);
	rows = json_object_get(report, "experiments");
	if (json_array_size(rows))
		fputs("What was learnt:\n", out);
	json_array_foreach(rows, i, row)
		show_experiment(row, out);
	row = json_object_get(report, "restored");
	if (row)
		fprintf(out, "Registers are %s.\n", json_is_true(row) ? "as they were found" :
									 "NOT as they were found");
}
