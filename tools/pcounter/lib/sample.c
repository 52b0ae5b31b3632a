// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of repeated measurements, and tests of their differences.
 */
#include <math.h>
#include <stdbool.h>

#include "lib/sample.h"
#include "lib/tool.h"

#define STEPS		2000	/* of an integral, even */
#define MOST_FREEDOM	1000.0	/* the normal distribution is near */
#define RESOLUTION	0.000001	/* smaller relative differences are rounding */

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

/* Integrate a power of the cosine up to a right angle, by Simpson's rule. */
static double integral(double from, double power)
{
	double step = (M_PI / 2 - from) / STEPS, sum = 0;
	unsigned int i;

	for (i = 0; i <= STEPS; i++)
		sum += pow(fmax(cos(from + i * step), 0), power) *
		       (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
	return sum * step / 3;
}

/**
 * sample_test() - test whether the means of two quantities differ: Welch's t-test
 * @a: measurements of the first quantity
 * @b: measurements of the second one
 *
 * With tan(x) = t / sqrt(f), the density of Student's distribution of f degrees of
 * freedom is proportional to cos(x) ^ (f - 1).
 *
 * Return: the probability of a difference at least as large between equal quantities;
 * NAN with less than two measurements of one of them.
 */
double sample_test(const struct sample *a, const struct sample *b)
{
	double va = pow(sample_error(a), 2), vb = pow(sample_error(b), 2);
	double apart = fabs(a->mean - b->mean), freedom, from;

	if (a->n < 2 || b->n < 2)
		return NAN;
	if (apart <= RESOLUTION * fabs(a->mean))
		return 1;
	if (va + vb == 0)
		return 0;
	freedom = pow(va + vb, 2) / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
	freedom = fmin(freedom, MOST_FREEDOM);
	from = atan(apart / sqrt((va + vb) * freedom));
	return integral(from, freedom - 1) / integral(0, freedom - 1);
}

/**
 * sample_correct() - correct probabilities of several tests: Holm's method
 * @p: the probabilities of sample_test(); less than 5 % of all comparisons in which
 *     nothing differs have a corrected one below 5 %, and so on
 * @n: their number
 */
void sample_correct(double *p, unsigned int n)
{
	bool *done = need(n, sizeof(*done));
	unsigned int left, least, i;
	double last = 0;

	for (left = n; left; left--) {
		for (least = n, i = 0; i < n; i++)
			if (!done[i] && (least == n || p[i] < p[least]))
				least = i;
		last = fmax(last, fmin(1, p[least] * left));
		p[least] = last;
		done[least] = true;
	}
	free(done);
}
