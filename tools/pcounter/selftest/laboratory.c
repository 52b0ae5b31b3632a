// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module with the experiments: loading it, and the stages in which it runs programs: a
 * workload, and named experiments.
 */
#include <spawn.h>
#include <sys/wait.h>

#include "gpu/texts.h"
#include "lib/util.h"
#include "selftest/selftest.h"

#define TEXT		1024
#define MODPROBE	"/sbin/modprobe"
#define RMMOD		"/sbin/rmmod"
#define MODULE		"pcounter_lab"

/*
 * Run a program without a shell, which would look at PATH, and out of the reach of ^C.
 * Return true if it succeeds.
 */
static bool run(char *const *command)
{
	posix_spawnattr_t attr;
	int status, err;
	pid_t pid;

	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	err = posix_spawn(&pid, *command, NULL, &attr, command, environ);
	posix_spawnattr_destroy(&attr);
	return !err && RETRY(waitpid(pid, &status, 0)) == pid && !status;
}

/* Load the module, so that its folder exists; else print the reason. */
static bool load(struct selftest *test)
{
	if (file_exists(text_tmp(DEBUGFS "/%s/lab", test->gpu->pmu->name)))
		return true;
	if (geteuid())
		complain("only root can make a selftest: sudo pcounter selftest");
	else if (!file_exists(DEBUGFS))
		complain("no files of pcounter: sudo mount -t debugfs none /sys/kernel/debug");
	else if (!run((char *[]){ MODPROBE, "-n", "-q", MODULE, NULL }))
		complain("pcounter_lab is not installed for this kernel: %s",
			 "install pcounter-dkms, or: sudo make install");
	else if (!run((char *[]){ MODPROBE, MODULE, NULL }))
		complain("the kernel refuses pcounter_lab: %s",
			 "with Secure Boot it must be signed as pcounter is; see pcounter doctor");
	else
		test->loaded = true;
	return test->loaded;
}

/* Return true if the kernel's command line forbids to mount debugfs. */
static bool is_forbidden(void)
{
	const char *line = file_text("/proc/cmdline");

	return !file_exists(DEBUGFS) &&
	       (strstr(line, "debugfs=off") || strstr(line, "debugfs=no-mount"));
}

/**
 * selftest_open() - load the module with the experiments
 * @test: the run
 *
 * Under lockdown even root cannot open files of debugfs for writing; the run goes on
 * without the experiments, and without all files if the kernel has been told to hide them.
 *
 * Return: false, with a message, if the run cannot go on.
 */
bool selftest_open(struct selftest *test)
{
	const char *path = text_tmp(DEBUGFS "/%s/lab/experiment", test->gpu->pmu->name);
	bool locked;

	test->hidden = !geteuid() && is_forbidden();
	if (test->hidden) {
		complain("the kernel hides debugfs (debugfs= on its command line): %s",
			 "stages 1, 3, 4 and 6 are left out");
		return true;
	}
	if (!load(test))
		return false;
	test->file = fopen(path, "r+e");
	if (test->file)
		return true;
	locked = errno == EPERM;
	if (locked)
		complain("the kernel's lockdown (Secure Boot) forbids to write to debugfs: %s",
			 "stages 3 and 4 and USER signals are left out; without lockdown they are not");
	else
		complain("%s: %s", path, strerror(errno));
	return locked;
}

/**
 * selftest_close() - unload the module, if this run has loaded it
 * @test: the run
 */
void selftest_close(struct selftest *test)
{
	if (test->file)
		fclose(test->file);
	if (test->loaded)
		run((char *[]){ RMMOD, MODULE, NULL });
}

static const char *verdict_of(const json_t *row)
{
	return json_string_value(json_object_get(row, "verdict")) ?: "no answer";
}

/* Run an experiment. Return the module's answer, as a row of the report. */
static json_t *ask(struct selftest *test, const struct experiment *exp)
{
	json_t *row = json_pack("{s:s, s:i}", "name", exp->name, "row", exp->row), *answer;
	int fd = fileno(test->file), reading;
	char text[TEXT] = "";

	if (write(fd, exp->name, strlen(exp->name)) < 0 || pread(fd, text, TEXT - 1, 0) < 0)
		answer = json_pack("{s:s, s:s}", "verdict", "refused", "why", strerror(errno));
	else
		answer = json_loads(text, 0, NULL);
	json_object_update_new(row, answer);
	if (!json_unpack(row, "{s:i}", "reading", &reading) && reading < EXPERIMENT_READINGS &&
	    exp->reading[reading])
		json_object_set_new(row, "text", json_string(exp->reading[reading]));
	test->danger = !strcmp(verdict_of(row), "not-restored");
	return row;
}

/* ---- 3: register accesses as a workload ---- */

static void check_workload(struct selftest *test, const struct experiment *exp)
{
	json_t *row = ask(test, exp);
	const char *verdict = verdict_of(row);
	bool decided = !strcmp(verdict, "decided");

	if (decided || !strcmp(verdict, "contradicts"))
		/* exactly this number: more accesses are another user of the bus, and no proof */
		selftest_check(test, exp->check, decided &&
			       !json_integer_value(json_object_get(row, "reading")), NULL,
			       json_incref(json_object_get(row, "evidence")));
	else if (test->danger)
		selftest_check(test, "registers take back what they held", false, NULL, NULL);
	else
		fprintf(stderr, "  %s: %s\n", exp->name,
			json_string_value(json_object_get(row, "why")) ?: verdict);
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
		if (*exp->check)
			check_workload(test, exp);
}

/* ---- 4: named experiments ---- */

static void list_one(const struct experiment *exp, FILE *out)
{
	fprintf(out, "%-20s %s\n%-20s writes: %s\n", exp->name, exp->question, "", exp->touches);
}

/**
 * selftest_list() - list the experiments
 */
void selftest_list(void)
{
	const struct experiment *exp;

	for (exp = experiments; exp->name; exp++) {
		list_one(exp, stdout);
		if (exp->record)
			printf("%-20s only with --record\n", "");
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
	const char *verdict;
	json_t *row;

	for (exp = experiments; exp->name; exp++)
		if (!*exp->check && exp->record == record)
			list_one(exp, stderr);
	for (exp = experiments; exp->name && !selftest_over(test); exp++) {
		if (*exp->check || exp->record != record)
			continue;
		row = ask(test, exp);
		verdict = verdict_of(row);
		test->failed += test->danger || !strcmp(verdict, "contradicts");
		fprintf(stderr, "  %-20s %s\n", exp->name, verdict);
		json_array_append_new(json_object_get(test->report, "experiments"), row);
	}
}
