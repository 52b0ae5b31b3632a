// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that the module runs: a workload, and named experiments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "lib/tool.h"
#include "selftest/selftest.h"

#define TEXT	1024

/* Ask the module; gives its answer in lines. */
static int ask(FILE *file, const char *name, char *text, size_t len)
{
	int fd = fileno(file);
	ssize_t got;

	if (pwrite(fd, name, strlen(name), 0) < 0)
		return -errno;
	got = pread(fd, text, len - 1, 0);
	if (got < 0)
		return -errno;
	text[got] = 0;
	return 0;
}

/**
 * selftest_look() - what registers hold, as one number
 * @file: the module's file
 * @sum: gets the number
 *
 * Return: 0, or a negative errno: -EBUSY if somebody counts, -EAGAIN if the GPU sleeps.
 */
int selftest_look(FILE *file, unsigned int *sum)
{
	char text[TEXT];
	int err = ask(file, "look", text, sizeof(text));

	if (!err && sscanf(text, "sum %x", sum) != 1)
		err = -EIO;
	return err;
}

static void take_line(json_t *row, char *line)
{
	unsigned int addr, wanted, got;
	char *value = strchr(line, ' '), *word;
	json_t *evidence;

	if (!value)
		return;
	*value++ = 0;
	if (!strcmp(line, "verdict") || !strcmp(line, "text") || !strcmp(line, "why")) {
		json_object_set_new(row, line, json_string(value));
	} else if (!strcmp(line, "reading") || !strcmp(line, "accesses")) {
		json_object_set_new(row, line, json_integer(strtoul(value, NULL, 10)));
	} else if (!strcmp(line, "register") &&
		   sscanf(value, "%x wanted %x got %x", &addr, &wanted, &got) == 3) {
		json_object_set_new(row, line, json_pack("[I, I, I]", (json_int_t)addr,
							 (json_int_t)wanted, (json_int_t)got));
	} else if (!strcmp(line, "evidence")) {
		evidence = json_array();
		while ((word = strsep(&value, " ")))
			json_array_append_new(evidence, json_integer(strtoul(word, NULL, 10)));
		json_object_set_new(row, line, evidence);
	}
}

/* What the module says of an experiment, as a row of the report. */
static json_t *make_one(FILE *file, const struct pcounter_experiment *exp)
{
	json_t *row = json_pack("{s:s, s:i}", "name", exp->name, "row", exp->row);
	char text[TEXT], *line, *rest = text;
	int err = ask(file, exp->name, text, sizeof(text));

	if (err)
		json_object_set_new(row, "verdict", json_string("refused"));
	if (err)
		json_object_set_new(row, "why", json_string(strerror(-err)));
	while (!err && (line = strsep(&rest, "\n")))
		take_line(row, line);
	return row;
}

static const char *verdict_of(const json_t *row)
{
	return json_string_value(json_object_get(row, "verdict"));
}

static void note(struct selftest *test, const struct pcounter_experiment *exp, json_t *row)
{
	const char *verdict = verdict_of(row);

	test->danger = verdict && !strcmp(verdict, "not-restored");
	test->failed += test->danger || (verdict && !strcmp(verdict, "contradicts"));
	fprintf(test->progress, "  %-20s %s\n", exp->name, verdict ? verdict : "no answer");
	fflush(test->progress);
	json_array_append_new(json_object_get(test->report, "experiments"), row);
}

/* ---- 3: register accesses as a workload ---- */

/* What is checked by the experiments that write nothing but what counting writes. */
static const char *check_of(const struct pcounter_experiment *exp)
{
	if (!strcmp(exp->name, "ptimer"))
		return "PTIMER's signal is where the tables have it";
	return "register accesses are counted";
}

static void check_workload(struct selftest *test, FILE *file,
			   const struct pcounter_experiment *exp)
{
	json_t *row = make_one(file, exp), *evidence = json_object_get(row, "evidence");
	const char *verdict = verdict_of(row), *why;

	if (verdict && (!strcmp(verdict, "decided") || !strcmp(verdict, "contradicts"))) {
		/* exactly so many: more is another user of the bus, and no proof */
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
 * selftest_workload() - stage 3: known numbers of register accesses
 * @test: the run
 * @file: the module's file
 */
void selftest_workload(struct selftest *test, FILE *file)
{
	unsigned int i;

	selftest_stage(test, 3, "accesses",
		       "counters, as perf does; 1000 reads and 200 writes of theirs; PTIMER, by reads");
	for (i = 0; i < pcounter_nr_experiments && !selftest_over(test); i++)
		if (pcounter_experiments[i].workload)
			check_workload(test, file, &pcounter_experiments[i]);
}

/* ---- 4: named experiments ---- */

static void list_one(const struct pcounter_experiment *exp, FILE *out)
{
	fprintf(out, "%-20s %s\n%-20s writes: %s\n", exp->name, exp->question, "", exp->touches);
}

/**
 * selftest_list() - what experiments there are
 * @out: where to say it
 */
void selftest_list(FILE *out)
{
	unsigned int i;

	for (i = 0; i < pcounter_nr_experiments; i++) {
		list_one(&pcounter_experiments[i], out);
		if (pcounter_experiments[i].record)
			fprintf(out, "%-20s only with --record\n", "");
	}
}

/**
 * selftest_experiments() - named experiments, which are listed first
 * @test: the run, in stage 4 or 5
 * @file: the module's file
 * @record: those of record mode, or all others
 */
void selftest_experiments(struct selftest *test, FILE *file, bool record)
{
	const struct pcounter_experiment *end = pcounter_experiments + pcounter_nr_experiments;
	const struct pcounter_experiment *exp;

	for (exp = pcounter_experiments; exp < end; exp++)
		if (!exp->workload && exp->record == record)
			list_one(exp, test->progress);
	for (exp = pcounter_experiments; exp < end && !selftest_over(test); exp++) {
		if (exp->workload || exp->record != record)
			continue;
		note(test, exp, make_one(file, exp));
		/* signals arrive here */
		wait_ms(1);
	}
}
