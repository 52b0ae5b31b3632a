// SPDX-License-Identifier: GPL-2.0-only
/*
 * Means and errors of repeated measurements, and comparisons of simulated runs of two
 * versions of a program: false alarms, and the figures of pcounter-stat.rst.
 *
 * test_sample [COMPARISONS]	simulate more for each figure
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include "cli/sample.h"
#include "lib/util.h"

#define NEAR	0.000000001
#define METRICS	12
#define MOST	20	/* runs of a version */
#define DRAWS	1000
#define HEAD	"difference in spreads"
#define PAGE	"../../../Documentation/admin-guide/perf/pcounter-stat.rst"

static unsigned int comparisons = 1000;
static uint64_t seed = 20090401;

/* Return a number from 0 to 1: xorshift. */
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Most runs are alike, some take longer. */
static double skewed(void)
{
	return -log(uniform()) - 1;
}

/* Each run is like the one before. */
static double drifting(void)
{
	static double last;

	last = 0.9 * last + sqrt(1 - 0.9 * 0.9) * normal();
	return last;
}

/* A GPU that gets hot: each run is longer than the one before. */
static double rising(void)
{
	static double last;

	last = fmod(last + 0.5, 1000);
	return last + normal();
}

TEST(test_moments)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct sample all = {};
	unsigned int i;

	assert_true(sample_percent(&all) == 0);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		sample_add(&all, values[i]);
	assert_true(fabs(all.mean - 5) < NEAR);
	assert_true(fabs(sample_deviation(&all) - sqrt(32.0 / 7)) < NEAR);
	assert_true(fabs(sample_error(&all) - sqrt(32.0 / 7 / 8)) < NEAR);
	assert_true(fabs(sample_percent(&all) - 20 * sqrt(32.0 / 7 / 8)) < NEAR);
	free(all.value);
}

/* Two versions with @n runs of each, by turns if @turns. */
struct versions {
	struct sample_pair pairs[METRICS];
	double value[METRICS][2][MOST];
	unsigned int n;
	bool turns;
};

static struct versions *versions(unsigned int n, bool turns)
{
	struct versions *v = need(1, sizeof(*v));
	unsigned int i;

	v->n = n;
	v->turns = turns;
	for (i = 0; i < 2 * METRICS; i++)
		v->pairs[i / 2].sample[i % 2] = (struct sample){
			.n = n, .value = v->value[i / 2][i % 2],
		};
	return v;
}

/* Let both versions run; the first metric of the second one is larger by @change. */
static void run(struct versions *v, double (*noise)(void), double change)
{
	bool second[MOST];
	unsigned int i, k, version;

	for (k = 0; k < v->n; k++)
		second[k] = uniform() < 0.5;
	for (i = 0; i < METRICS; i++) {
		for (k = 0; k < 2 * v->n; k++) {
			version = v->turns ? k % 2 ^ second[k / 2] : k / v->n;
			v->value[i][version][v->turns ? k / 2 : k % v->n] =
				50 + noise() + (i || !version ? 0 : change);
		}
	}
}

static bool differ(const struct versions *v)
{
	unsigned int i;

	for (i = 0; i < METRICS; i++)
		if (v->pairs[i].p < SAMPLE_LEVEL)
			return true;
	return false;
}

/* Return the part of comparisons in which a metric differs. */
static double found(unsigned int n, bool turns, double (*noise)(void), double change)
{
	struct versions *v = versions(n, turns);
	unsigned int i, sum = 0;

	for (i = 0; i < comparisons; i++) {
		run(v, noise, change);
		sample_test(v->pairs, METRICS, n, turns, DRAWS);
		sum += differ(v);
	}
	free(v);
	return (double)sum / comparisons;
}

/* Return the part of all ways to name the runs whose distance is as large as the real one. */
static double exact(const struct versions *v)
{
	double real = 0, sum, same = 0, all = 0;
	unsigned int mask, ways = 1U << (v->turns ? v->n : 2 * v->n), k;

	for (k = 0; k < v->n; k++)
		real += v->value[0][0][k] - v->value[0][1][k];
	for (mask = 0; mask < ways; mask++) {
		if (!v->turns && __builtin_popcount(mask) != (int)v->n)
			continue;
		for (sum = 0, k = 0; k < 2 * v->n; k++)
			sum += v->value[0][k / v->n][k % v->n] *
			       ((mask >> (v->turns ? k % v->n : k) & 1) ^
				(v->turns && k >= v->n) ? 1 : -1);
		all++;
		same += fabs(sum) >= fabs(real) - NEAR;
	}
	return same / all;
}

/* One metric: the probability is that of all ways. */
TEST(test_exact)
{
	unsigned int i;

	for (i = 0; i < 40; i++) {
		struct versions *v = versions(i % 2 ? LEAST_ROUNDS : LEAST_RUNS, i % 2);
		double want;

		run(v, normal, i < 20 ? 3 : i < 38 ? 1 : 100);
		want = exact(v);
		sample_test(v->pairs, 1, v->n, v->turns, 100000);
		if (fabs(v->pairs[0].p - want) > 5 * sqrt(want / 1000))
			fail_msg("%u: %f, not %f", i, v->pairs[0].p, want);
		if (want < SAMPLE_LEVEL || i >= 38)
			assert_true(fabs(v->pairs[0].p - want) < 0.0015);
		/* the least numbers of runs that can differ */
		if (i >= 38)
			assert_true(differ(v));
		free(v);
	}
}

/* Values that do not vary differ, unless only by rounding. */
TEST(test_constants)
{
	struct versions *v = versions(10, false);
	unsigned int i;

	for (i = 0; i < 10; i++) {
		v->value[1][1][i] = 1;
		v->value[2][0][i] = 1000000;
		v->value[2][1][i] = 1000000.001;
		v->value[3][0][i] = i;
		v->value[3][1][i] = 9 - i;
	}
	sample_test(v->pairs, 4, v->n, false, 100000);
	assert_true(v->pairs[0].p == 1 && v->pairs[2].p == 1 && v->pairs[3].p == 1);
	assert_true(v->pairs[1].p < 0.0001);
	free(v);
}

/* At most 1.5 % of comparisons in which nothing differs, or as many as chance allows. */
static double alarms(const char *what, bool turns, double (*noise)(void))
{
	double most = fmax(0.015, 0.01 + 4 * sqrt(0.01 / comparisons)), share, sum = 0;
	unsigned int n, least = turns ? LEAST_ROUNDS : LEAST_RUNS;

	for (n = least; n <= MOST; n++) {
		share = found(n, turns, noise, 0);
		if (share > most)
			fail_msg("%s, %u runs: %.1f %%", what, n, 100 * share);
		sum += share / (MOST + 1 - least);
	}
	print_message("# %s: %.2f %%\n", what, 100 * sum);
	return sum;
}

TEST(test_without_a_difference)
{
	assert_true(alarms("normal", false, normal) < 0.0115);
	assert_true(alarms("skewed", false, skewed) < 0.0115);
	assert_true(alarms("by turns", true, normal) < 0.0115);
	assert_true(alarms("by turns, skewed", true, skewed) < 0.0115);
	assert_true(alarms("by turns, drifting", true, drifting) < 0.0115);
	assert_true(alarms("by turns, rising", true, rising) < 0.0115);
	/* nothing can tell a drift from a difference otherwise */
	assert_true(found(10, false, drifting, 0) > 0.9);
}

/* Simulate a row of the page's table. Return true if its figures are right. */
static bool check_row(const char *row, const double *changes, unsigned int nr)
{
	double (*noise)(void) = strstr(row, "skewed") ? skewed : normal, share;
	const char *at = strstr(row, "  ");
	unsigned int i, n = atoi(row);
	bool good = true;

	print_message("# ");
	for (i = 0; i < nr; i++) {
		share = 100 * found(n, strstr(row, "rounds"), noise, changes[i]);
		good &= fabs(share - strtod(at, (char **)&at)) <= 3;
		print_message("%.1f ", share);
	}
	print_message("%s: %s", good ? "as the page says" : "not as the page says", row);
	return good;
}

TEST(test_figures_of_the_page)
{
	FILE *f = fopen(PAGE, "re");
	char line[128] = "";
	const char *at = line + strlen(HEAD);
	double change[4];
	unsigned int rows = 0, i;
	bool good = true;

	assert_non_null(f);
	while (strncmp(line, HEAD, strlen(HEAD)))
		assert_non_null(fgets(line, sizeof(line), f));
	for (i = 0; i < ARRAY_SIZE(change); i++)
		change[i] = strtod(at, (char **)&at);
	assert_true(change[3] > change[2]);
	assert_non_null(fgets(line, sizeof(line), f));
	for (; fgets(line, sizeof(line), f) && *line != '='; rows++)
		good &= check_row(line, change, ARRAY_SIZE(change));
	assert_true(good && rows > 4);
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		comparisons = atoi(argv[1]);
	return unit_run(NULL, NULL);
}
