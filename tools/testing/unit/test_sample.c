// SPDX-License-Identifier: GPL-2.0-only
/*
 * Means, errors and tests of repeated measurements: against tables of Student's
 * distribution, and with simulated runs of two versions of a program.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/sample.h"
#include "lib/tool.h"

#define NEAR	0.000000001
#define PAIRS	200
#define METRICS	12
#define RUNS	10
#define LEVEL	0.01	/* of pcounter diff */

static uint64_t seed;

/* Return a number from 0 to 1: xorshift. */
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	double sum = -6;
	unsigned int i;

	for (i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/* Most runs are alike, some take longer. */
static double skewed(void)
{
	return -log(1 - uniform()) - 1;
}

static void test_moments(void **state)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct sample all = {}, parts = {}, half = {};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(values); i++)
		sample_add(&all, 1, values[i], 0);
	assert_true(fabs(all.mean - 5) < NEAR);
	assert_true(fabs(sample_deviation(&all) - sqrt(32.0 / 7)) < NEAR);
	assert_true(fabs(sample_error(&all) - sqrt(32.0 / 7 / 8)) < NEAR);
	assert_true(fabs(sample_percent(&all) - 20 * sqrt(32.0 / 7 / 8)) < NEAR);
	/* two files make the same sample */
	for (i = 0; i < 3; i++)
		sample_add(&parts, 1, values[i], 0);
	for (; i < ARRAY_SIZE(values); i++)
		sample_add(&half, 1, values[i], 0);
	sample_add(&parts, half.n, half.mean, sample_deviation(&half));
	assert_true(fabs(parts.mean - all.mean) < NEAR);
	assert_true(fabs(parts.squares - all.squares) < NEAR);
	sample_add(&(struct sample){}, 1, 0, 0);
	assert_true(sample_percent(&(struct sample){}) == 0);
}

/* Make a sample of a given mean and standard error. */
static struct sample made(double n, double mean, double error)
{
	return (struct sample){ n, mean, error * error * n * (n - 1) };
}

static void test_tables(void **state)
{
	/* two-sided quantiles; two equal samples of n have 2 (n - 1) degrees of freedom */
	static const struct {
		double n, t, p;
	} row[] = {
		{ 2, 4.302653, 0.05 }, { 2, 9.924843, 0.01 }, { 6, 2.228139, 0.05 },
		{ 6, 3.169273, 0.01 }, { 6, 4.586894, 0.001 }, { 11, 2.085963, 0.05 },
		{ 11, 2.845340, 0.01 }, { 61, 1.979930, 0.05 }, { 5000, 1.960201, 0.05 },
	};
	struct sample a, b;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		a = made(row[i].n, 100, M_SQRT1_2);
		b = made(row[i].n, 100 + row[i].t, M_SQRT1_2);
		if (fabs(sample_test(&a, &b) / row[i].p - 1) > 0.005)
			fail_msg("t = %f: %f", row[i].t, sample_test(&a, &b));
	}
	/* all of the spread in one of them: its n - 1 degrees */
	a = made(11, 100, 0);
	b = made(11, 100 + 2.228139, 1);
	assert_true(fabs(sample_test(&a, &b) - 0.05) < 0.00001);
	b = made(11, 100, 1);
	assert_true(sample_test(&a, &b) == 1);
	b = made(11, 101, 0);
	assert_true(sample_test(&a, &b) == 0);
	assert_true(sample_test(&a, &(struct sample){ 11, 100.00001, 0 }) == 1);
	assert_true(isnan(sample_test(&a, &(struct sample){ 1, 7, 0 })));
}

static void test_correction(void **state)
{
	double p[] = { 0.04, 0.01, 0.03, 0.005 };
	static const double want[] = { 0.06, 0.03, 0.06, 0.02 };
	unsigned int i;

	(void)state;
	sample_correct(p, ARRAY_SIZE(p));
	for (i = 0; i < ARRAY_SIZE(p); i++)
		assert_true(fabs(p[i] - want[i]) < NEAR);
}

/* Compare two versions by all metrics; return true if any differs. */
static bool pair(double (*noise)(void), double spread, double change)
{
	double p[METRICS];
	unsigned int i, k;

	for (i = 0; i < METRICS; i++) {
		struct sample side[2] = {};

		for (k = 0; k < 2 * RUNS; k++)
			sample_add(&side[k % 2], 1, 50 * (1 + spread * noise()) *
				   (k % 2 && !i ? 1 + change : 1), 0);
		p[i] = sample_test(&side[0], &side[1]);
	}
	sample_correct(p, METRICS);
	for (i = 0; i < METRICS; i++)
		if (p[i] < LEVEL)
			return true;
	return false;
}

static unsigned int pairs(double (*noise)(void), double spread, double change)
{
	unsigned int i, found = 0;

	seed = 20090401;
	for (i = 0; i < PAIRS; i++)
		found += pair(noise, spread, change);
	print_message("# %u of %u differ: spread %.1f %%, change %.0f %%\n", found, PAIRS,
		      100 * spread, 100 * change);
	return found;
}

static void test_pairs_without_a_difference(void **state)
{
	(void)state;
	assert_true(pairs(normal, 0.09, 0) <= PAIRS / 20);
	assert_true(pairs(normal, 0.001, 0) <= PAIRS / 20);
	assert_true(pairs(skewed, 0.09, 0) <= PAIRS / 20);
}

static void test_pairs_with_a_difference(void **state)
{
	(void)state;
	assert_true(pairs(normal, 0.01, 0.03) >= PAIRS * 19 / 20);
	/* rare slow runs hide some */
	assert_true(pairs(skewed, 0.01, 0.03) >= PAIRS * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_correction),
		cmocka_unit_test(test_pairs_without_a_difference),
		cmocka_unit_test(test_pairs_with_a_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
