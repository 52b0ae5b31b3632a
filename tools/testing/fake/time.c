// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time of a fake machine: it passes while the program waits, and a command takes the
 * time that the script gives.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"
#include "wrap.h"

#define MS	1000000.0

struct fake_line fake_script[FAKE_LINES];
unsigned int fake_lines;
uint64_t fake_now;
static uint64_t began, command;
static bool commanded, signalled;

static void read_script(void)
{
	FILE *f = fopen(getenv("FAKE_SCRIPT") ?: "/dev/null", "re");
	char text[256];

	while (f && fgets(text, sizeof(text), f) && fake_lines < FAKE_LINES) {
		struct fake_line *line = &fake_script[fake_lines++];
		double *v = line->value;

		line->n = sscanf(text, "%63s %lf %lf %lf %lf %lf", line->word, v, v + 1, v + 2,
				 v + 3, v + 4) - 1;
	}
	if (f)
		fclose(f);
}

static __attribute((constructor)) void fake_begin(void)
{
	began = 1000000000000;
	fake_now = began;
	read_script();
	fake_tree();
	fake_foreign();
}

/**
 * fake_value() - look a number of the script up
 * @word: first word of its line
 * @none: value if the script has no line for it
 *
 * Return: the number.
 */
double fake_value(const char *word, double none)
{
	unsigned int i;

	for (i = 0; i < fake_lines; i++)
		if (!strcmp(fake_script[i].word, word))
			return fake_script[i].value[0];
	return none;
}

/**
 * fake_between() - check if the current time is in a range of the script
 * @word: first word of its line
 * @first: first number of its line
 *
 * Return: true from its second to its third number, in ms since the program began.
 */
bool fake_between(const char *word, unsigned int first)
{
	double ms = (fake_now - began) / MS;
	unsigned int i;

	for (i = 0; i < fake_lines; i++)
		if (!strcmp(fake_script[i].word, word) && fake_script[i].value[0] == first &&
		    ms >= fake_script[i].value[1] && ms < fake_script[i].value[2])
			return true;
	return false;
}

/**
 * fake_running() - check for a running command
 * @since: receives its start time
 *
 * Return: false if there is none, or it has ended.
 */
bool fake_running(uint64_t *since)
{
	*since = command;
	return commanded;
}

/* Let time pass. Return -1 if a signal interrupts that. */
static int pass(uint64_t ns)
{
	double at = fake_value("interrupt", -1);
	uint64_t most = fake_value("step", FAKE_STEP);
	uint64_t step;

	for (; ns; ns -= step) {
		step = ns < most ? ns : most;
		fake_now += step;
		fake_step(step);
		if (fake_now >= began + fake_value("killed", 1e12) * MS)
			kill(getpid(), SIGKILL);
		if (at >= 0 && !signalled && fake_now >= began + at * MS) {
			signalled = true;
			kill(getpid(), SIGINT);
			errno = EINTR;
			return -1;
		}
	}
	return 0;
}

pid_t __wrap_fork(void)
{
	pid_t pid = __real_fork();

	command = fake_now;
	commanded = true;
	return pid;
}

int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *left, const sigset_t *mask)
{
	uint64_t ns = left ? left->tv_sec * 1000000000ULL + left->tv_nsec : UINT64_MAX;
	uint64_t end = command + fake_value("command", 50) * MS;
	bool child = fds->fd >= 0 && commanded;
	static const struct timespec none;

	/* the test waits for the program, too */
	if (fake_value("real", 0)) {
		int got = __real_ppoll(fds, n, left, mask);

		pass(got ? FAKE_STEP : ns ?: 1);
		return got;
	}
	if (child && (ns == UINT64_MAX || fake_now + ns >= end)) {
		if (pass(end > fake_now ? end - fake_now : 0))
			return -1;
		commanded = false;
		return __real_ppoll(fds, n, NULL, mask);
	}
	if (pass(ns == UINT64_MAX ? 1000000000 : ns ?: 1))
		return -1;
	return __real_ppoll(fds, n, &none, mask);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	uint64_t now = fake_now + (clock == CLOCK_REALTIME ? 1600000000000000000ULL : 0);

	ts->tv_sec = now / 1000000000;
	ts->tv_nsec = now % 1000000000;
	return 0;
}

int __wrap_usleep(useconds_t us)
{
	pass(us * 1000ULL);
	return 0;
}
