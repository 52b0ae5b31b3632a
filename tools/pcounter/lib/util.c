// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals, time, commands, and words on stderr.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/tool.h"

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

static bool is_program(const char *path)
{
	struct stat status;

	if (access(path, X_OK) || stat(path, &status))
		return false;
	errno = EACCES;
	return S_ISREG(status.st_mode);
}

/**
 * find_program() - the file that a command is
 * @command: its first word
 * @file: room for it
 * @len: how much
 *
 * Return: false, with errno, if there is none.
 */
bool find_program(const char *command, char *file, size_t len)
{
	const char *path = getenv("PATH");
	size_t part;

	snprintf(file, len, "%s", command);
	if (strchr(command, '/'))
		return is_program(command);
	for (; path && *path; path += part + !!path[part]) {
		part = strcspn(path, ":");
		snprintf(file, len, "%.*s/%s", (int)part, path, command);
		if (is_program(file))
			return true;
	}
	errno = ENOENT;
	return false;
}

/**
 * can_run() - is there such a command?
 * @command: its first word
 *
 * Return: false, with errno, if not.
 */
bool can_run(const char *command)
{
	char file[4096];

	return find_program(command, file, sizeof(file));
}

/**
 * command_status() - exit status of a command as in a shell
 * @status: as waitpid() says
 *
 * Return: its exit status, above 128 if a signal ended it.
 */
int command_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/**
 * start_command() - start a command
 * @command: its words
 * @quiet: discard its output, which would mix with ours
 * @fd: something that wait_fd() can wait for, -1 if there is nothing
 *
 * It ends with EXEC_FAILED if there is no such command, with a message.
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
 * end_command() - end a command of start_command()
 * @pid: its process
 *
 * A command that ignores SIGTERM for a second is killed, since our own signals may be
 * blocked.
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
 * run_command() - run a command to its end
 * @command: its words
 * @quiet: discard its output, which would mix with ours
 * @limit: end it after so many seconds, if that is positive
 *
 * A signal ends it, too.
 *
 * Return: as waitpid() says, 0 if it was ended here, -1 if it could not be started.
 */
int run_command(char **command, bool quiet, double limit)
{
	bool ended = true;
	pid_t pid;
	int fd, status;

	pid = start_command(command, quiet, &fd);
	if (fd >= 0) {
		ended = wait_fd(fd, limit > 0 ? limit : -1) > 0;
		close(fd);
	}
	if (pid < 0)
		return -1;
	status = end_command(pid);
	return ended ? status : 0;
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
bool wait_ms(double ms)
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
