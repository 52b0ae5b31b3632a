// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of repeated measurements, and tests of their differences.
 */
#include <math.h>

#include "lib/sample.h"

/**
 * sample_add() - add measurements to a sample
 * @sample: the sample; all zero: an empty one
 * @n: number of measurements
 * @mean: their mean
 * @deviation: their standard deviation
 */
void sample_add(struct sample *sample, double n, double mean, double deviation)
{
	double all = sample->n + n, apart = mean - sample->mean;

	sample->squares += deviation * deviation * (n - 1) + apart * apart * sample->n * n / all;
	sample->mean += apart * n / all;
	sample->n = all;
}

/**
 * sample_deviation() - estimate the standard deviation of a quantity
 * @sample: measurements of it
 *
 * Return: the deviation, 0 if there are less than two measurements.
 */
double sample_deviation(const struct sample *sample)
{
	return sample->n > 1 ? sqrt(sample->squares / (sample->n - 1)) : 0;
}

/**
 * sample_error() - estimate the standard error of a mean
 * @sample: the measurements
 *
 * Return: the error, 0 if there are less than two measurements.
 */
double sample_error(const struct sample *sample)
{
	return sample->n > 1 ? sample_deviation(sample) / sqrt(sample->n) : 0;
}

/**
 * sample_percent() - relate the standard error of a mean to the mean
 * @sample: the measurements
 *
 * Return: percent, 0 if the mean is 0.
 */
double sample_percent(const struct sample *sample)
{
	return sample->mean ? 100 * sample_error(sample) / fabs(sample->mean) : 0;
}
