// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module with the experiments: loading it, and running its experiments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/tool.h"
#include "selftest/experiments.h"
#include "selftest/selftest.h"

#define TEXT	1024

static bool run(const char *command)
{
	return !system(command);
}

/* Load the module, so that its folder exists; else print the reason. */
static bool load(struct selftest *test, const char *folder)
{
	if (file_exists("%s", folder))
		return true;
	if (geteuid())
		complain("only root can make a selftest: sudo pcounter selftest");
	else if (!file_exists("/sys/kernel/debug/pcounter"))
		complain("no files of pcounter: sudo mount -t debugfs none /sys/kernel/debug");
	else if (!run("modprobe -n -q pcounter_lab"))
		complain("pcounter_lab is not installed for this kernel: %s",
			 "install pcounter-dkms, or: sudo make install");
	else if (!run("modprobe pcounter_lab"))
		complain("the kernel refuses pcounter_lab: %s",
			 "with Secure Boot it must be signed as pcounter is; see pcounter doctor");
	else
		test->loaded = true;
	return test->loaded;
}

/**
 * selftest_open() - load the module with the experiments
 * @test: the run
 *
 * Under lockdown even root cannot open files of debugfs for writing; the run goes on
 * without the experiments.
 *
 * Return: false, with a message, if the run cannot go on.
 */
bool selftest_open(struct selftest *test)
{
	char folder[128], path[160];

	snprintf(folder, sizeof(folder), DEBUGFS "/%s/lab", test->gpu->pmu->name);
	snprintf(path, sizeof(path), "%s/experiment", folder);
	if (!load(test, folder))
		return false;
	test->file = fopen(path, "r+e");
	test->locked = !test->file && errno == EPERM;
	if (test->locked)
		complain("the kernel's lockdown (Secure Boot) forbids to write to debugfs: %s",
			 "stages 3 and 4 and USER signals are left out; without lockdown they are not");
	else if (!test->file)
		complain("%s: %s", path, strerror(errno));
	return test->file || test->locked;
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
		run("rmmod pcounter_lab");
}

/* Run an experiment in the module; get its answer as lines. */
static int ask(FILE *file, const char *name, char *text, size_t len)
{
	int fd = fileno(file);

	memset(text, 0, len);
	return write(fd, name, strlen(name)) < 0 || pread(fd, text, len - 1, 0) < 0 ? -errno : 0;
}

static void take_line(json_t *row, const struct experiment *exp, char *line)
{
	unsigned int addr, wanted, got;
	char *value = strchr(line, ' '), *word;
	unsigned long number;
	json_t *list;

	if (!value)
		return;
	*value++ = 0;
	number = strtoul(value, NULL, 10);
	if (!strcmp(line, "verdict") || !strcmp(line, "why")) {
		json_object_set_new(row, line, json_string(value));
	} else if (!strcmp(line, "reading") || !strcmp(line, "accesses")) {
		json_object_set_new(row, line, json_integer(number));
		if (*line == 'r' && number < EXPERIMENT_READINGS && exp->reading[number])
			json_object_set_new(row, "text", json_string(exp->reading[number]));
	} else if (!strcmp(line, "register") &&
		   sscanf(value, "%x wanted %x got %x", &addr, &wanted, &got) == 3) {
		json_object_set_new(row, line, json_pack("[I, I, I]", (json_int_t)addr,
							 (json_int_t)wanted, (json_int_t)got));
	} else if (!strcmp(line, "evidence")) {
		list = json_array();
		while ((word = strsep(&value, " ")))
			json_array_append_new(list, json_integer(strtoul(word, NULL, 10)));
		json_object_set_new(row, line, list);
	}
}

/**
 * selftest_ask() - run an experiment
 * @test: the run
 * @exp: the experiment
 *
 * Return: the module's answer, as a row of the report.
 */
json_t *selftest_ask(const struct selftest *test, const struct experiment *exp)
{
	json_t *row = json_pack("{s:s, s:i}", "name", exp->name, "row", exp->row);
	char text[TEXT], *line, *rest = text;
	int err = ask(test->file, exp->name, text, sizeof(text));

	if (err) {
		json_object_set_new(row, "verdict", json_string("refused"));
		json_object_set_new(row, "why", json_string(strerror(-err)));
	}
	while (!err && (line = strsep(&rest, "\n")))
		take_line(row, exp, line);
	return row;
}
