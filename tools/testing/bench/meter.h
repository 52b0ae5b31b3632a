/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measure the time that a workload uses, without the machine's own use; and print the
 * table. In a guest whose clock counts instructions a nanosecond is one of them.
 */
#ifndef _BENCH_METER_H
#define _BENCH_METER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct used - time used by a workload
 * @all: duration
 * @ns: duration, without the time of the simulated GPU
 * @driver: part of @ns that other programs could not use
 */
struct used {
	double all;
	double ns;
	double driver;
};

/**
 * struct holes - interruptions, without the time of the simulated GPU
 * @longest: ns of the longest one
 * @all: ns of all of them
 */
struct holes {
	uint64_t longest;
	uint64_t all;
};

void die(const char *what);
uint64_t now(void);
uint64_t spent(void);
void set_rate(unsigned int packets_per_second);
void meter_calibrate(void);
struct used meter_run(void (*body)(void *arg), void *arg);
struct holes find_holes(uint64_t ns);

void title(const char *text, const char *unit);
void row(const char *name, double figure);
void row_of(const char *name, double figure, double ratio, double goal, double bound);
bool all_reached(void);

#endif
