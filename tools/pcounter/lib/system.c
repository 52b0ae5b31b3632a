// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs, time, and messages on stderr.
 */
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "lib/util.h"

atomic_int stopped;

static bool is_program(const char *path)
{
	struct stat status;

	if (access(path, X_OK) || stat(path, &status))
		return false;
	errno = EACCES;
	return S_ISREG(status.st_mode);
}

/**
 * find_program() - find the file of a command
 * @command: first word of the command
 *
 * Return: the path, for immediate use; NULL, with errno, if there is no such program.
 */
const char *find_program(const char *command)
{
	const char *path = getenv("PATH"), *file;
	size_t part;

	if (strchr(command, '/'))
		return is_program(command) ? command : NULL;
	for (; path && *path; path += part + !!path[part]) {
		part = strcspn(path, ":");
		file = text_tmp("%.*s/%s", (int)part, path, command);
		if (is_program(file))
			return file;
	}
	errno = ENOENT;
	return NULL;
}

/**
 * wait_fd() - wait until a descriptor is readable
 * @fd: the descriptor; -1: only wait
 * @seconds: upper bound on the time; negative: no bound
 *
 * Return: positive if @fd is readable; 0 after @seconds; negative after a signal.
 */
int wait_fd(int fd, double seconds)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct timespec left = {
		.tv_sec = seconds,
		.tv_nsec = (seconds - (time_t)seconds) * 1e9,
	};

	if (stopped)
		return -1;
	return ppoll(&wait, 1, seconds < 0 ? NULL : &left, NULL);
}

/**
 * clock_ns() - read a clock of the system
 * @clock: the clock
 *
 * Return: its time in ns.
 */
uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/**
 * seconds() - read a clock for measuring
 *
 * Return: seconds since an arbitrary moment.
 */
double seconds(void)
{
	return clock_ns(CLOCK_MONOTONIC) / NS_S;
}

/**
 * wait_until() - wait until a time, or until a descriptor is readable
 * @fd: the descriptor; -1: only wait
 * @when: the time, as of seconds(); may be infinite
 *
 * Return: false if @fd is readable, or a signal asks the program to end.
 */
bool wait_until(int fd, double when)
{
	double left;

	while (!stopped && (left = when - seconds()) > 0)
		if (wait_fd(fd, isfinite(left) ? left : -1) > 0)
			return false;
	return !stopped;
}

/**
 * wait_ms() - wait
 * @ms: the time to wait
 *
 * Return: false if a signal asks the program to end.
 */
bool wait_ms(double ms)
{
	return wait_until(-1, seconds() + ms / 1e3);
}

/**
 * complain() - print a message on stderr
 * @fmt: as for printf
 *
 * Return: false, for the caller to return.
 */
bool complain(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("pcounter: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return false;
}
