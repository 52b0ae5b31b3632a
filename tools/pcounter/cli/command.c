// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals, and commands that the program runs.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>

#include "cli/verb.h"

#define PATIENCE_MS	1000	/* with a command that is to end */
#define PATIENCE_S	2	/* with an output that takes nothing */

/*
 * Give an output up that takes nothing. A terminal forgets what it has not shown, and serves
 * ncurses, which repeats an interrupted write; a pipe is replaced by /dev/null.
 */
static void give_up(int fd)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	if (poll(&out, 1, 0))
		return;
	tcflow(fd, TCOON);
	tcflush(fd, TCOFLUSH);
	if (!poll(&out, 1, 0))
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), fd);
}

/*
 * After a signal, SIGALRM interrupts each call that takes long: a write to an output that takes
 * nothing, or a wait that began just after the look at @stopped.
 */
static void note_signal(int sig)
{
	int err = errno;

	if (sig != SIGALRM) {
		stopped = sig;
	} else {
		give_up(STDOUT_FILENO);
		give_up(STDERR_FILENO);
	}
	alarm(PATIENCE_S);
	errno = err;
}

/**
 * catch_signals() - let SIGINT, SIGTERM and SIGHUP end a run in good order
 *
 * SIGHUP stays ignored under nohup. SIGPIPE keeps its default action: a reader that closes
 * the pipe wants no more output, and no message.
 */
void catch_signals(void)
{
	struct sigaction act = { .sa_handler = note_signal }, old;

	/* a background process may then touch its terminal */
	sigfillset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	/* a write that goes on loses nothing */
	act.sa_flags = SA_RESTART;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, &old);
	if (old.sa_handler == SIG_IGN)
		sigaction(SIGHUP, &old, NULL);
}

/**
 * can_run() - check that a command exists
 * @command: first word of the command
 *
 * Return: false, with a message, if there is no such program.
 */
bool can_run(const char *command)
{
	return find_program(command) || complain("%s: %s", command, strerror(errno));
}

/**
 * command_status() - convert the status of a command to an exit status as in a shell
 * @status: status from waitpid()
 *
 * Return: the exit status, above 128 if a signal ended the command.
 */
int command_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static struct rlimit usual_files;

/**
 * more_files() - let the program open as many files as the user may: an event takes one
 */
void more_files(void)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &usual_files);
	files = usual_files;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/**
 * start_command() - start a command
 * @command: its words
 * @quiet: discard its output, which would mix with ours
 * @fd: gets a descriptor for wait_fd(), -1 if there is none
 *
 * The process ends with EXEC_FAILED and a message if the command does not exist.
 *
 * Return: the process, -1 if it cannot be started.
 */
pid_t start_command(char *const *command, bool quiet, int *fd)
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
		/* a program that uses select() needs small numbers */
		if (usual_files.rlim_max)
			setrlimit(RLIMIT_NOFILE, &usual_files);
		execvp(command[0], command);
		complain("%s: %s", command[0], strerror(errno));
		_exit(EXEC_FAILED);
	}
	/* glibc before 2.36 and musl have no function for it */
	*fd = pid > 0 ? syscall(SYS_pidfd_open, pid, 0) : -1;
	return pid;
}

/**
 * end_command() - end a command of start_command()
 * @pid: its process
 * @fd: its descriptor, which is closed
 *
 * A command that ignores SIGTERM for a second is killed: the program catches signals, so the
 * user could not end it.
 *
 * Return: status from waitpid().
 */
int end_command(pid_t pid, int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int status = 0;

	kill(pid, SIGTERM);
	/* shorter than the time between two interruptions */
	if (RETRY(poll(&wait, 1, PATIENCE_MS)) <= 0)
		kill(pid, SIGKILL);
	RETRY(waitpid(pid, &status, 0));
	if (fd >= 0)
		close(fd);
	return status;
}

/**
 * run_command() - run a command to its end
 * @command: its words
 * @quiet: discard its output, which would mix with ours
 * @limit: seconds after which the command is ended; not positive: no limit
 *
 * The signals of catch_signals() end the command, too.
 *
 * Return: status from waitpid(), 0 if this function ended the command, -1 if it could not
 * be started.
 */
int run_command(char *const *command, bool quiet, double limit)
{
	bool ended;
	pid_t pid;
	int fd, status;

	pid = start_command(command, quiet, &fd);
	if (pid < 0)
		return -1;
	ended = fd < 0 || wait_fd(fd, limit > 0 ? limit : -1) > 0;
	status = end_command(pid, fd);
	return ended ? status : 0;
}

/**
 * colours() - check that output may have colours
 * @f: the output
 *
 * Return: true if @f is a terminal and NO_COLOR is not set.
 */
bool colours(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(f)) && !(no && *no) && term && strcmp(term, "dumb");
}
