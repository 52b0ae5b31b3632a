// SPDX-License-Identifier: GPL-2.0-only
/*
 * attack: an ordinary user's two tasks that hand a byte to each other on one
 * CPU, each with a pinned software event of its own.
 *
 * When a task with a pinned event comes, perf removes all flexible events of a
 * CPU and adds them again, with the lock of the runqueue held.
 *
 * usage: attack -c CPU -t SECONDS [-n]	-n: without events
 */
#include <errno.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY		65534
/* Each task takes at least this many turns, on a slow machine beyond the time that -t sets. */
#define FEWEST_TURNS	50

static atomic_bool stop;

static void on_signal(int number)
{
	(void)number;
	stop = true;
}

static int fail(const char *what)
{
	fprintf(stderr, "attack: %s: %s\n", what, strerror(errno));
	return 1;
}

static bool become_nobody(void)
{
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

static bool go_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* Open an event of this task on all CPUs; the task's end closes it. */
static bool pin_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY, .pinned = 1, .exclude_kernel = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0;
}

static void ping_pong(int in, int out)
{
	unsigned int turns = 0;
	char byte = 0;

	while ((!stop || turns < FEWEST_TURNS) && write(out, &byte, 1) == 1 &&
	       read(in, &byte, 1) == 1)
		turns++;
}

static void end_after(double seconds)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct itimerval timer = {
		.it_value.tv_sec = (time_t)seconds,
		.it_value.tv_usec = (seconds - (time_t)seconds) * 1000000,
	};

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static int attack(bool events)
{
	struct rusage self, child;
	int to[2], from[2], status;
	pid_t pid;

	if (pipe(to) || pipe(from))
		return fail("pipe");
	pid = fork();
	if (pid < 0)
		return fail("fork");
	if (events && !pin_event())
		return fail("a pinned event of one's own");
	if (!pid) {
		close(to[1]);
		close(from[0]);
		ping_pong(to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	ping_pong(from[0], to[1]);
	close(to[1]);
	close(from[0]);
	if (waitpid(pid, &status, 0) != pid || status)
		return fail("the other task");
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &child);
	printf("switches %ld\n", self.ru_nvcsw + self.ru_nivcsw + child.ru_nvcsw + child.ru_nivcsw);
	return 0;
}

int main(int argc, char **argv)
{
	bool events = true;
	double seconds = 1;
	unsigned int cpu = 0;
	int c;

	while ((c = getopt(argc, argv, "c:t:n")) != -1) {
		if (c == 'c')
			cpu = strtoul(optarg, NULL, 0);
		else if (c == 't')
			seconds = atof(optarg);
		else if (c == 'n')
			events = false;
		else
			return 2;
	}
	if (!go_to(cpu))
		return fail("sched_setaffinity");
	if (!become_nobody())
		return fail("setresuid");
	end_after(seconds);
	return attack(events);
}
