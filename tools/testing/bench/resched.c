// SPDX-License-Identifier: GPL-2.0-only
/*
 * Costs of open events for other users' task switches: perf removes all flexible events
 * of a processor and adds them again for a task with a pinned event of its own, with
 * interrupts off. For comparison: perf's dummy event, which does nothing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "meter.h"
#include "resched.h"
#include "stream.h"

#define TURNS	40	/* rounds of two switches or more */
#define MOST	1024

static int fds[MOST];

/* Open an event of this task, with the rights of any user. */
static int pin_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY, .pinned = 1, .exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	CHECK(fd);
	return fd;
}

/**
 * struct pipes - pipes to the other task and back
 * @to: read by the other task
 * @from: written by the other task
 */
struct pipes {
	int to[2];
	int from[2];
};

static void *echo(void *arg)
{
	const struct pipes *p = arg;
	int pinned = pin_event();
	char byte;

	while (read(p->to[0], &byte, 1) == 1 && write(p->from[1], &byte, 1) == 1)
		;
	close(pinned);
	return NULL;
}

/* Return the switches of both tasks; the kernel's own come in between. */
static uint64_t switches(void)
{
	struct rusage usage;

	CHECK(getrusage(RUSAGE_SELF, &usage));
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static double turns(const struct pipes *p)
{
	uint64_t gpu = spent(), n = switches(), start = now();
	unsigned int i;
	char byte = 0;

	for (i = 0; i < TURNS; i++) {
		CHECK(write(p->to[1], &byte, 1));
		CHECK(read(p->from[0], &byte, 1));
	}
	start = now() - start;
	return (start - (spent() - gpu)) / (double)(switches() - n);
}

/* Return the instructions of a switch between two tasks with pinned events. */
double a_switch(void)
{
	int pinned = pin_event();
	pthread_t thread;
	struct pipes p;
	double each;

	CHECK(pipe(p.to));
	CHECK(pipe(p.from));
	if (pthread_create(&thread, NULL, echo, &p))
		die("pthread_create");
	turns(&p);
	each = turns(&p);
	close(p.to[1]);
	pthread_join(thread, NULL);
	close(p.to[0]);
	close(p.from[0]);
	close(p.from[1]);
	close(pinned);
	return each;
}

/**
 * struct load - a number of open events
 * @attr: makes the attributes of an event
 * @n: number of events
 * @opening: instructions to open them
 */
struct load {
	struct perf_event_attr (*attr)(unsigned int i);
	unsigned int n;
	double opening;
};

static void load_open(struct load *load)
{
	struct perf_event_attr attr;
	uint64_t start, gpu = spent();
	unsigned int i;

	start = now();
	for (i = 0; i < load->n; i++) {
		attr = load->attr(i);
		fds[i] = event_open(&attr, -1);
	}
	load->opening = now() - start - (spent() - gpu);
}

static void load_close(const struct load *load)
{
	unsigned int i;

	for (i = 0; i < load->n; i++)
		close(fds[i]);
}

/*
 * Return the time that each event adds to a switch, and in @opening the time to open one
 * more.
 */
static double each_of(struct perf_event_attr (*attr)(unsigned int i), unsigned int n,
		      double *opening)
{
	struct load load = { .attr = attr, .n = n };
	double without = a_switch(), with;

	load_open(&load);
	with = a_switch();
	load_close(&load);
	if (opening)
		*opening = load.opening / n;
	return (with - without) / n;
}

static struct perf_event_attr dummy(unsigned int i)
{
	(void)i;
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
}

/* Return the time that each of @n dummy events of perf adds to a switch. */
double dummy_switch(unsigned int n)
{
	return each_of(dummy, n, NULL);
}

/* Four signals of a domain have counters, and the others wait. */
static struct perf_event_attr signals(unsigned int i)
{
	return (struct perf_event_attr){
		.type = pmu_type("pcounter_0"), .config = TERM(DOM, 1) | TERM(SIG, 1 + i % 200),
	};
}

static struct perf_event_attr same(unsigned int i)
{
	(void)i;
	return signals(0);
}

/* Events that need an input and find it in use: a search shows that they do not fit. */
static struct perf_event_attr inputs(unsigned int i)
{
	struct perf_event_attr attr = signals(i);

	attr.config1 = i % 2 ? TERM(START, 1) : TERM(PRE, 1);
	return attr;
}

static struct perf_event_attr idle(unsigned int i)
{
	return (struct perf_event_attr){
		.type = pmu_type("pcounter_idle_0"), .config = 1 + i,
	};
}

static const struct {
	const char *name;
	struct perf_event_attr (*attr)(unsigned int i);
	unsigned int n;
} loads[] = {
	{ "4 signals that count", signals, 4 },
	{ "16 signals, 12 wait", signals, 16 },
	{ "64 signals, 60 wait", signals, 64 },
	{ "256 signals, 236 wait", signals, 256 },
	{ "1024 signals, 1000 wait", signals, 1024 },
	{ "256 that share a counter", same, 256 },
	{ "256 of two inputs", inputs, 256 },
	{ "4 idle counters", idle, 4 },
	{ "256 idle counters, 252 wait", idle, 256 },
};

void resched(void)
{
	struct rlimit files = { 2 * MOST, 2 * MOST };
	double unit = 0, each, opening, theirs;
	unsigned int i, n = 0;

	CHECK(setrlimit(RLIMIT_NOFILE, &files));
	title("by a task switch, for each event", "each");
	for (i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		char text[64];

		if (loads[i].n != n) {
			n = loads[i].n;
			unit = dummy_switch(n);
			snprintf(text, sizeof(text), "%u of perf's dummy event", n);
			row(text, unit);
		}
		each = each_of(loads[i].attr, n, NULL);
		row_of(loads[i].name, each, each / unit, MOST_DUMMIES, MOST_DUMMIES);
	}
	title("opening, for each event", "each");
	for (n = 256; n <= MOST; n *= 4) {
		char text[64];

		each_of(dummy, n, &theirs);
		each_of(signals, n, &opening);
		snprintf(text, sizeof(text), "%u of perf's dummy event", n);
		row(text, theirs);
		snprintf(text, sizeof(text), "%u signals of a domain", n);
		row_of(text, opening, opening / theirs, MOST_DUMMIES, MOST_DUMMIES);
	}
}
