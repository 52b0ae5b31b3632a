// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of selftests: writing, and printing for people.
 */
#include "gpu/texts.h"
#include "cli/out.h"
#include "lib/util.h"
#include "selftest/selftest.h"

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key)) ?: "";
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
	static struct out out;

	/* a GPU with many units: no indentation, which saves space */
	if (json_dumpb(report, NULL, 0, flags) > SELFTEST_MOST)
		flags = JSON_COMPACT | JSON_PRESERVE_ORDER;
	if (!out_open(&out, path))
		return false;
	json_dumpf(report, out.f, flags);
	return out_close(&out);
}

/* Get the register of a row. Return false if it has none. */
static bool register_of(const json_t *row, json_int_t *addr, json_int_t *wanted, json_int_t *got)
{
	return !json_unpack((json_t *)row, "{s:[I, I, I]}", "register", addr, wanted, got);
}

/* Print a register, its value, and the expected value. */
static void show_register(const json_t *row)
{
	json_int_t addr, wanted, got;

	if (register_of(row, &addr, &wanted, &got))
		printf("    at register 0x%06llx: %08llx should be %08llx\n", addr, got, wanted);
}

static void show_failure(const json_t *check)
{
	const json_t *value;
	size_t i;

	printf("    not: %s%s%s", text_of(check, "name"),
	       json_object_get(check, "domain") ? ", domain " : "", text_of(check, "domain"));
	json_array_foreach(json_object_get(check, "evidence"), i, value)
		printf("%s%lld", i ? " " : ": ", json_integer_value(value));
	putchar('\n');
	show_register(check);
}

/* Print a stopped clock, which is no fault. */
static void show_still(const json_t *check)
{
	json_int_t before, after, addr, wanted, got;

	if (strcmp(text_of(check, "name"), "clock") ||
	    json_unpack((json_t *)check, "{s:[I, I!]}", "evidence", &before, &after) ||
	    before || after)
		return;
	printf("    clock stands still: domain %s", text_of(check, "domain"));
	if (register_of(check, &addr, &wanted, &got))
		printf(", register 0x%06llx stays at %llu", addr, got);
	putchar('\n');
}

static bool passed(const json_t *check)
{
	return json_is_true(json_object_get(check, "ok"));
}

static void show_stage(const json_t *stage)
{
	const json_t *check, *checks = json_object_get(stage, "checks");
	size_t i, good = 0;

	if (!json_array_size(checks))
		return;
	json_array_foreach(checks, i, check)
		good += passed(check);
	printf("  %-12s %zu of %zu checks as expected\n", text_of(stage, "name"), good,
	       json_array_size(checks));
	json_array_foreach(checks, i, check)
		if (!passed(check))
			show_failure(check);
	json_array_foreach(checks, i, check)
		show_still(check);
}

static void show_experiment(const json_t *row)
{
	const char *name = text_of(row, "name"), *verdict = text_of(row, "verdict");
	const struct experiment *exp = experiments;

	if (!strcmp(verdict, "absent"))
		return;
	while (exp->name && strcmp(exp->name, name))
		exp++;
	printf("  %s\n    %s: %s%s\n", exp->question ?: name, verdict,
	       text_of(row, "text"), text_of(row, "why"));
	show_register(row);
}

/**
 * report_show() - print a report for people
 * @report: the report
 */
void report_show(const json_t *report)
{
	const json_t *row, *rows;
	size_t i;

	printf("\nchip %s, %s\nWhat works:\n", text_of(report, "chip"), text_of(report, "date"));
	rows = json_object_get(report, "stages");
	json_array_foreach(rows, i, row)
		show_stage(row);
	rows = json_object_get(report, "experiments");
	if (json_array_size(rows))
		puts("What was learnt:");
	json_array_foreach(rows, i, row)
		show_experiment(row);
	row = json_object_get(report, "restored");
	if (row)
		printf("Registers are %sas they were found.\n", json_is_true(row) ? "" : "NOT ");
}
