/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of repeated measurements, and tests of their differences.
 */
#ifndef _PCOUNTER_TOOL_SAMPLE_H
#define _PCOUNTER_TOOL_SAMPLE_H

/**
 * struct sample - repeated measurements of a quantity
 * @n: number of measurements
 * @mean: their mean
 * @squares: sum of the squares of their distances from @mean
 */
struct sample {
	double n;
	double mean;
	double squares;
};

void sample_add(struct sample *sample, double n, double mean, double deviation);
double sample_deviation(const struct sample *sample);
double sample_error(const struct sample *sample);
double sample_percent(const struct sample *sample);
double sample_test(const struct sample *a, const struct sample *b);
void sample_correct(double *p, unsigned int n);

#endif
