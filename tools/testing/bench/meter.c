// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread spins at the lowest priority. The time that it loses is used by something
 * else, so the measurement includes interrupts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "meter.h"

#define NS		1000000000ULL
#define CALIBRATE_NS	100000000ULL
/* Every interrupt is longer than this, and nothing else is. */
#define HOLE_NS		500
#define PARAMETERS	"/sys/module/pcounter_sim/parameters/"

static bool spinning;
static uint64_t spins;
static double free_rate;	/* spins in a nanosecond without the workload */
static double ticking;		/* share of the time that the machine's own interrupts take */
static unsigned int missed;

void die(const char *what)
{
	fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS + ts.tv_nsec;
}

/* Return the time that the simulated GPU has used so far. */
uint64_t spent(void)
{
	FILE *stream = fopen(PARAMETERS "spent_ns", "r");
	char text[32];

	if (!stream || !fgets(text, sizeof(text), stream))
		die("spent_ns");
	fclose(stream);
	return strtoull(text, NULL, 0);
}

void set_rate(unsigned int packets_per_second)
{
	FILE *stream = fopen(PARAMETERS "rate", "w");

	if (!stream || fprintf(stream, "%u\n", packets_per_second) < 0 || fclose(stream))
		die("rate");
}

static void *spin(void *unused)
{
	struct sched_param param = { };

	(void)unused;
	pthread_setschedparam(pthread_self(), SCHED_IDLE, &param);
	while (__atomic_load_n(&spinning, __ATOMIC_RELAXED))
		__atomic_store_n(&spins, spins + 1, __ATOMIC_RELAXED);
	return NULL;
}

static double run(void (*body)(void *arg), void *arg, uint64_t *ns, uint64_t *gpu_ns)
{
	pthread_t thread;
	uint64_t start;

	spins = 0;
	spinning = true;
	if (pthread_create(&thread, NULL, spin, NULL))
		die("pthread_create");
	*gpu_ns = spent();
	start = now();
	body(arg);
	*ns = now() - start;
	*gpu_ns = spent() - *gpu_ns;
	__atomic_store_n(&spinning, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return spins;
}

/* Return the interruptions within @ns of a thread that only interrupts displace. */
struct holes find_holes(uint64_t ns)
{
	struct sched_param param = { .sched_priority = 10 }, usual = { };
	uint64_t start, last, at, hole, gpu = spent(), before;
	struct holes found = { };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
	start = now();
	last = start;
	do {
		at = now();
		hole = at - last;
		if (hole > HOLE_NS) {
			before = gpu;
			gpu = spent();
			hole -= hole > gpu - before ? gpu - before : hole;
			found.longest = hole > found.longest ? hole : found.longest;
			found.all += hole;
			at = now();
		}
		last = at;
	} while (at - start < ns);
	sched_setscheduler(0, SCHED_OTHER, &usual);
	return found;
}

static void rest(void *arg)
{
	usleep(*(uint64_t *)arg / 1000);
}

void meter_calibrate(void)
{
	uint64_t ns = CALIBRATE_NS, took, gpu;

	/* the first run loads code and data */
	run(rest, &ns, &took, &gpu);
	free_rate = run(rest, &ns, &took, &gpu);
	free_rate /= took;
	ticking = find_holes(CALIBRATE_NS).all / (double)CALIBRATE_NS;
}

struct used meter_run(void (*body)(void *arg), void *arg)
{
	uint64_t ns, gpu;
	double left = run(body, arg, &ns, &gpu) / free_rate;

	/* while the simulated GPU works there are interrupts, too, which no spin is lost to */
	return (struct used){ .all = ns, .ns = ns - gpu,
			      .driver = ns - gpu - left - gpu * ticking };
}

/* ---- the table ---- */

void title(const char *text, const char *unit)
{
	printf("\n%-40s %8s %6s %5s\n", text, unit, "ratio", "goal");
}

/* Print a figure that has no goal. */
void row(const char *name, double figure)
{
	printf("%-40s %8.1f\n", name, figure);
}

/* A figure above the bound is a regression. */
void row_of(const char *name, double figure, double ratio, double goal, double bound)
{
	printf("%-40s %8.1f %6.2f %5.1f%s\n", name, figure, ratio, goal,
	       ratio > bound ? "  MISSED" : ratio > goal ? "  not reached" : "");
	missed += ratio > bound;
}

bool all_reached(void)
{
	return !missed;
}
