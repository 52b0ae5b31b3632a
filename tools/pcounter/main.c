// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter: what one wants beside perf with the performance counters of
 * NVIDIA GPUs.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pcounter.h"

#define MAX_OPTIONS	24

const struct verb *const verbs[] = {
	&verb_list, &verb_doctor, &verb_explain, &verb_top, &verb_scan,
	&verb_record, &verb_report, NULL
};

atomic_int stopped;

/* Signals arrive while we wait and at no other time, so that none is missed. */
static sigset_t waiting_mask;
static bool catching;

static void note_signal(int sig)
{
	stopped = sig;
}

/**
 * catch_signals() - let SIGINT and SIGTERM end a run in good order
 *
 * SIGPIPE keeps its default: who closes the pipe wants no more, and no word.
 */
void catch_signals(void)
{
	struct sigaction act = { .sa_handler = note_signal };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &waiting_mask);
	catching = true;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
}

/**
 * start_command() - run what somebody wants to see something of
 * @command: its words
 * @quiet: what it says would mix with our own output
 * @fd: something that wait_fd() can wait for, -1 if there is nothing
 *
 * It ends with EXEC_FAILED if there is no such command, with a word on stderr.
 *
 * Return: the process, -1 if there is none.
 */
pid_t start_command(char **command, bool quiet, int *fd)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (quiet) {
			int null = open("/dev/null", O_RDWR);

			dup2(null, STDIN_FILENO);
			dup2(null, STDOUT_FILENO);
		}
		if (catching)
			sigprocmask(SIG_SETMASK, &waiting_mask, NULL);
		execvp(command[0], command);
		complain("%s: %s", command[0], strerror(errno));
		_exit(EXEC_FAILED);
	}
	*fd = pid > 0 ? pidfd_open(pid, 0) : -1;
	return pid;
}

/**
 * end_command() - end what start_command() has begun
 * @pid: its process
 *
 * Who does not listen to SIGTERM for a second is ended all the same: our own
 * signals may be blocked meanwhile.
 *
 * Return: as waitpid() says.
 */
int end_command(pid_t pid)
{
	unsigned int round;
	int status = 0;

	kill(pid, SIGTERM);
	for (round = 0; round < 50; round++) {
		if (waitpid(pid, &status, WNOHANG))
			return status;
		usleep(20000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

/**
 * wait_fd() - wait until something can be read
 * @fd: from where; -1: only let time pass
 * @seconds: how long at most; negative: for ever
 *
 * Return: positive if it can; 0 after that time; negative if a signal came.
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
	return ppoll(&wait, 1, seconds < 0 ? NULL : &left, catching ? &waiting_mask : NULL);
}

/**
 * seconds() - time, for measuring
 *
 * Return: seconds since some moment.
 */
double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/**
 * wait_ms() - let time pass
 * @ms: how long
 *
 * Return: false if a signal asked for an end.
 */
bool wait_ms(unsigned int ms)
{
	double end = seconds() + ms / 1e3, left;

	while (!stopped && (left = end - seconds()) > 0)
		wait_fd(-1, left);
	return !stopped;
}

/**
 * complain() - say something on stderr
 * @fmt: as for printf
 */
void complain(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("pcounter: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/**
 * colours() - may there be colours?
 * @f: where they would go
 *
 * Return: true on a terminal whose user has not said NO_COLOR.
 */
bool colours(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(f)) && !(no && *no) && term && strcmp(term, "dumb");
}

/**
 * verb_usage() - a page of help
 * @verb: about what
 * @out: where to
 */
void verb_usage(const struct verb *verb, FILE *out)
{
	const struct option_doc *o;
	char left[48];

	fprintf(out, "usage: pcounter %s [options]%s%s\n%s\n\n", verb->name,
		*verb->args ? " " : "", verb->args, verb->summary);
	for (o = verb->options; o->name; o++) {
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter < 256 ? '-' : ' ',
			 o->letter < 256 ? o->letter : ' ', o->letter < 256 ? ", " : "  ",
			 o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		fprintf(out, "  %-28s %s\n", left, o->text);
	}
	fprintf(out, "  %-28s %s\n", "-h, --help", "this text");
}

/**
 * verb_getopt() - the next option of a verb
 * @verb: the verb
 * @argc: its arguments
 * @argv: the same
 *
 * Return: as getopt_long(); ends the program for --help and for mistakes.
 */
int verb_getopt(const struct verb *verb, int argc, char **argv)
{
	struct option longs[MAX_OPTIONS + 2] = {};
	char shorts[3 * MAX_OPTIONS] = "+h", *s = shorts + 2;
	unsigned int n = 0;
	int c;

	for (; n < MAX_OPTIONS && verb->options[n].name; n++) {
		const struct option_doc *o = &verb->options[n];

		longs[n] = (struct option){ o->name, o->arg ? required_argument : no_argument,
					    NULL, o->letter };
		if (o->letter >= 256)
			continue;
		*s++ = o->letter;
		if (o->arg)
			*s++ = ':';
	}
	longs[n] = (struct option){ "help", no_argument, NULL, 'h' };
	c = getopt_long(argc, argv, shorts, longs, NULL);
	if (c == 'h') {
		verb_usage(verb, stdout);
		exit(STATUS_OK);
	}
	if (c == '?') {
		fprintf(stderr, "Try: pcounter %s --help\n", verb->name);
		exit(STATUS_USAGE);
	}
	return c;
}

/**
 * verb_number() - an option's argument that is a number
 * @text: the argument
 * @min: least value
 * @max: greatest value
 * @value: where to store it
 *
 * Return: false, with a word on stderr, if it is none.
 */
bool verb_number(const char *text, unsigned long min, unsigned long max,
		 unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 0);
	if (isdigit((unsigned char)*text) && !*end && !errno && *value >= min && *value <= max)
		return true;
	complain("%s: not a number from %lu to %lu", text, min, max);
	return false;
}

static void print_help(FILE *out)
{
	unsigned int i;

	fputs("usage: pcounter VERB [options]\n"
	      "Performance counters (PCOUNTER) of NVIDIA GPUs, beside perf.\n\n", out);
	for (i = 0; verbs[i]; i++)
		fprintf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	fputs("\n  pcounter VERB --help    options of a verb\n"
	      "  pcounter --version      the version\n"
	      "  pcounter --completion bash|zsh, pcounter --manual [VERB]\n"
	      "                          shell completion, manual page (roff)\n\n"
	      "Exit status: 0 done, 1 it did not work or the answer is no, 2 wrong usage,\n"
	      "3 no GPU that could be asked, 130 interrupted.\n", out);
}

static int main_option(int argc, char **argv)
{
	const char *arg = argv[1], *value = argc > 2 ? argv[2] : "";

	if (!strcmp(arg, "-h") || !strcmp(arg, "--help")) {
		print_help(stdout);
		return STATUS_OK;
	}
	if (!strcmp(arg, "--version")) {
		puts("pcounter " PCOUNTER_VERSION);
		return STATUS_OK;
	}
	if (!strcmp(arg, "--manual"))
		return doc_manual(value, stdout);
	if (!strcmp(arg, "--completion"))
		return doc_completion(value, stdout);
	complain("%s: no such verb or option; try: pcounter --help", arg);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	unsigned int i;
	int status;

	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	for (i = 0; verbs[i]; i++)
		if (!strcmp(argv[1], verbs[i]->name))
			break;
	status = verbs[i] ? verbs[i]->run(verbs[i], argc - 1, argv + 1) :
			    main_option(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		complain("output: %s", strerror(errno));
		return STATUS_NO;
	}
	return status;
}
