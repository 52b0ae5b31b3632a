// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stages in which the module runs programs: a workload, and named experiments.
 */
#include <string.h>

#include "lib/tool.h"
#include "selftest/experiments.h"
#include "selftest/selftest.h"

static const char *verdict_of(const json_t *row)
{
	return json_string_value(json_object_get(row, "verdict"));
}

static void note(struct selftest *test, const struct experiment *exp, json_t *row)
{
	const char *verdict = verdict_of(row);

	test->danger = verdict && !strcmp(verdict, "not-restored");
	test->failed += test->danger || (verdict && !strcmp(verdict, "contradicts"));
	fprintf(test->progress, "  %-20s %s\n", exp->name, verdict ? verdict : "no answer");
	fflush(test->progress);
	json_array_append_new(json_object_get(test->report, "experiments"), row);
}

/* ---- 3: register accesses as a workload ---- */

/* Return the name of the check for an experiment of the workload. */
static const char *check_of(const struct experiment *exp)
{
	if (!strcmp(exp->name, "ptimer"))
		return "PTIMER's signal is where the tables have it";
	return "register accesses are counted";
}

static void check_workload(struct selftest *test, const struct experiment *exp)
{
	json_t *row = selftest_ask(test, exp), *evidence = json_object_get(row, "evidence");
	const char *verdict = verdict_of(row), *why;

	if (verdict && (!strcmp(verdict, "decided") || !strcmp(verdict, "contradicts"))) {
		/* exactly this number: more accesses are another user of the bus, and no proof */
		selftest_check(test, check_of(exp),
			       !strcmp(verdict, "decided") &&
			       !json_integer_value(json_object_get(row, "reading")),
			       NULL, evidence ? json_incref(evidence) : json_array());
	} else if (verdict && !strcmp(verdict, "not-restored")) {
		test->danger = true;
		selftest_check(test, "registers take back what they held", false, NULL,
			       json_array());
	} else {
		why = json_string_value(json_object_get(row, "why"));
		fprintf(test->progress, "  %s: %s\n", exp->name,
			why ? why : verdict ? verdict : "no answer");
	}
	json_decref(row);
}

/**
 * selftest_workload() - run stage 3: count known numbers of register accesses
 * @test: the run
 */
void selftest_workload(struct selftest *test)
{
	const struct experiment *exp;

	selftest_stage(test, 3, "accesses",
		       "counters, as perf does; 1000 reads and 200 writes of theirs; PTIMER, by reads");
	for (exp = experiments; exp->name && !selftest_over(test); exp++)
		if (exp->workload)
			check_workload(test, exp);
}

/* ---- 4: named experiments ---- */

static void list_one(const struct experiment *exp, FILE *out)
{
	fprintf(out, "%-20s %s\n%-20s writes: %s\n", exp->name, exp->question, "", exp->touches);
}

/**
 * selftest_list() - list the experiments
 * @out: the output
 */
void selftest_list(FILE *out)
{
	const struct experiment *exp;

	for (exp = experiments; exp->name; exp++) {
		list_one(exp, out);
		if (exp->record)
			fprintf(out, "%-20s only with --record\n", "");
	}
}

/**
 * selftest_experiments() - list, then run the named experiments
 * @test: the run, in stage 4 or 5
 * @record: run the experiments of record mode; else all others
 */
void selftest_experiments(struct selftest *test, bool record)
{
	const struct experiment *exp;

	for (exp = experiments; exp->name; exp++)
		if (!exp->workload && exp->record == record)
			list_one(exp, test->progress);
	for (exp = experiments; exp->name && !selftest_over(test); exp++) {
		if (exp->workload || exp->record != record)
			continue;
		note(test, exp, selftest_ask(test, exp));
		/* signals are unblocked here */
		wait_ms(1);
	}
}
