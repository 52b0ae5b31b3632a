/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of repeated measurements, and comparisons of two versions of a program by them.
 */
#ifndef _PCOUNTER_TOOL_SAMPLE_H
#define _PCOUNTER_TOOL_SAMPLE_H

#include <math.h>
#include <string.h>

#include "cli/out.h"

#define SAMPLE_LEVEL	0.01	/* of false alarms in comparisons without a difference */

/* The least numbers that can reach the level: one of 126, and one of 128 outcomes. */
#define LEAST_RUNS	5
#define LEAST_ROUNDS	8

/**
 * struct sample - repeated measurements of a quantity
 * @n: number of measurements
 * @mean: their mean
 * @squares: sum of the squares of their distances from @mean
 * @value: the measurements
 */
struct sample {
	double n;
	double mean;
	double squares;
	double *value;
};

/**
 * struct sample_pair - a metric of two versions of a program
 * @name: its name
 * @unit: its unit
 * @source: its expression
 * @sample: its values, by version
 * @apart: distance of the versions, from 0 to 1
 * @p: probability of such a distance of any metric between equal versions
 */
struct sample_pair {
	const char *name;
	const char *unit;
	const char *source;
	struct sample sample[2];
	double apart;
	double p;
};

/* Return true for a share that is impossible: its events do not measure what it says. */
static inline bool share_over(const char *unit, double value)
{
	return !strcmp(unit, "%") && round(100 * value) > 1e4;
}

void sample_add(struct sample *sample, double value);
double sample_deviation(const struct sample *sample);
double sample_error(const struct sample *sample);
double sample_percent(const struct sample *sample);
void sample_test(struct sample_pair *pairs, unsigned int nr, unsigned int n, bool turns,
		 unsigned int draws);
int sample_compare(struct out *out, struct sample_pair *pairs, unsigned int nr, bool turns);

#endif
