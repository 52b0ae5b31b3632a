// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of selftests: reading, writing, and printing for people.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tool.h"
#include "selftest/experiments.h"
#include "selftest/selftest.h"

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
	const char *kind = NULL;
	json_int_t schema = 0;
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
	json_unpack(report, "{s:s, s:I}", "kind", &kind, "schema", &schema);
	if (kind && !strcmp(kind, SELFTEST_KIND) && schema == SELFTEST_SCHEMA)
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

/* Copy a text from a foreign file, without characters that could move the cursor. */
static const char *text_of(const json_t *object, const char *key, char buf[WHY_TEXT])
{
	const char *s = json_string_value(json_object_get(object, key));
	unsigned int i;

	for (i = 0; s && s[i] && i < WHY_TEXT - 1; i++)
		buf[i] = s[i] >= ' ' && s[i] < 0x7f ? s[i] : '?';
	buf[s ? i : 0] = 0;
	return buf;
}

/* Print a register, its value, and the expected value. */
static void show_register(const json_t *row, FILE *out)
{
	const json_t *reg = json_object_get(row, "register");

	if (reg)
		fprintf(out, "    at register 0x%06llx: %08llx should be %08llx\n",
			json_integer_value(json_array_get(reg, 0)),
			json_integer_value(json_array_get(reg, 2)),
			json_integer_value(json_array_get(reg, 1)));
}

static void show_failure(const json_t *check, FILE *out)
{
	const json_t *value, *evidence = json_object_get(check, "evidence");
	char name[WHY_TEXT], domain[WHY_TEXT];
	size_t i;

	fprintf(out, "    not: %s%s%s", text_of(check, "name", name),
		json_object_get(check, "domain") ? ", domain " : "",
		text_of(check, "domain", domain));
	json_array_foreach(evidence, i, value)
		fprintf(out, "%s%lld", i ? " " : ": ", json_integer_value(value));
	fputc('\n', out);
	show_register(check, out);
}

static void show_stage(const json_t *stage, FILE *out)
{
	const json_t *check, *checks = json_object_get(stage, "checks");
	char name[WHY_TEXT];
	size_t i, bad = 0;

	json_array_foreach(checks, i, check)
		bad += !json_is_true(json_object_get(check, "ok"));
	fprintf(out, "  %-12s %zu of %zu checks as expected\n", text_of(stage, "name", name),
		json_array_size(checks) - bad, json_array_size(checks));
	json_array_foreach(checks, i, check)
		if (!json_is_true(json_object_get(check, "ok")))
			show_failure(check, out);
}

/* Print the stopped clocks, which are no fault. */
static void show_rest(const json_t *stage, FILE *out)
{
	const json_t *check, *checks = json_object_get(stage, "checks"), *hz, *reg;
	char name[WHY_TEXT], domain[WHY_TEXT];
	size_t i;

	json_array_foreach(checks, i, check) {
		hz = json_object_get(check, "evidence");
		if (strcmp(text_of(check, "name", name), "clock") || json_array_size(hz) != 2 ||
		    json_integer_value(json_array_get(hz, 0)) ||
		    json_integer_value(json_array_get(hz, 1)))
			continue;
		fprintf(out, "    clock stands still: domain %s", text_of(check, "domain", domain));
		reg = json_object_get(check, "register");
		if (reg)
			fprintf(out, ", register 0x%06llx stays at %llu",
				json_integer_value(json_array_get(reg, 0)),
				json_integer_value(json_array_get(reg, 2)));
		fputc('\n', out);
	}
}

static void show_experiment(const json_t *row, FILE *out)
{
	char name[WHY_TEXT], verdict[WHY_TEXT], text[WHY_TEXT], why[WHY_TEXT];
	const struct experiment *exp;

	text_of(row, "name", name);
	text_of(row, "verdict", verdict);
	if (!strcmp(verdict, "absent"))
		return;
	exp = experiment_find(name);
	fprintf(out, "  %s\n    %s: %s%s\n", exp ? exp->question : name, verdict,
		text_of(row, "text", text), text_of(row, "why", why));
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
	char buf[WHY_TEXT];
	size_t i;

	fprintf(out, "\nchip %s", text_of(report, "chip", buf));
	fprintf(out, ", %s\n", text_of(report, "date", buf));
	fputs("What works:\n", out);
	rows = json_object_get(report, "stages");
	json_array_foreach(rows, i, row) {
		if (!json_array_size(json_object_get(row, "checks")))
			continue;
		show_stage(row, out);
		show_rest(row, out);
	}
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
