// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a command has changed, and how sure that is: shares of several windows of
 * the same length without the command are compared with some with it. A wire whose
 * shares differ from window to window by themselves has to differ by more.
 */
#include <math.h>
#include <stdlib.h>

#include <linux/kernel.h>

#include "verbs/judge.h"

/**
 * shares_mean() - mean of shares
 * @shares: the shares
 *
 * Return: their mean, NAN if there are none.
 */
double shares_mean(const struct shares *shares)
{
	return shares->n ? shares->sum / shares->n : NAN;
}

/* Sum of the squares of what they differ from their mean. */
static double scatter(const struct shares *shares)
{
	return shares->n ? fmax(0, shares->squares - shares->sum * shares->sum / shares->n) : 0;
}

static double change_of(const struct wire *wire)
{
	return fabs(shares_mean(&wire->driven) - shares_mean(&wire->still));
}

/*
 * Student's t: how likely is it that means of the same differ by so much? This sum is
 * for even degrees of freedom.
 */
static double chance(double t, unsigned int freedom)
{
	double angle = atan(t / sqrt(freedom)), square = cos(angle) * cos(angle);
	double term = 1, sum = 1;
	unsigned int k;

	for (k = 2; k < freedom; k += 2) {
		term *= square * (k - 1) / k;
		sum += term;
	}
	return fmax(0, 1 - sin(angle) * sum);
}

/* How likely is it that all of one kind come before all of the other, in either order? */
static double chance_of_order(unsigned int n, unsigned int m)
{
	double ways = 1;
	unsigned int i;

	for (i = 1; i <= m; i++)
		ways *= (double)(n + i) / i;
	return fmin(1, 2 / ways);
}

/* @wires: so many had the chance to differ by accident. */
static double certainty(const struct wire *wire, unsigned int wires)
{
	unsigned int n = wire->still.n, m = wire->driven.n, freedom = (n + m - 2) & ~1U;
	double spread, by_accident = 0;

	if (n < 2 || m < 2)
		return 0;
	spread = sqrt((scatter(&wire->still) + scatter(&wire->driven)) / (n + m - 2) *
		      (1.0 / n + 1.0 / m));
	if (spread > 0)
		by_accident = fmin(1, wires * chance(change_of(wire) / spread, freedom));
	return 1 - fmax(by_accident, chance_of_order(n, m));
}

static int by_change(const void *a, const void *b)
{
	double x = change_of(*(struct wire *const *)a), y = change_of(*(struct wire *const *)b);

	return (x < y) - (x > y);
}

/**
 * survey_judge() - say which wires the command changed, how surely, and rank them
 * @survey: all phases are done
 * @tolerance: as for survey_plan()
 */
void survey_judge(struct survey *survey, double tolerance)
{
	unsigned int nr = survey->gpu->pmu->topo.nr, i, k, n = 0, wires = 0;
	struct wire **list = calloc(nr * SURVEY_SIGNALS, sizeof(*list));

	survey->judged = true;
	for (i = 0; i < nr && list; i++) {
		for (k = 0; k < survey->dom[i].nr; k++) {
			struct wire *wire = &survey->dom[i].wire[k];

			wire->certainty = NAN;
			if (wire_suspicious(wire, tolerance))
				list[wires++] = wire;
		}
	}
	for (i = 0; i < wires; i++) {
		list[i]->certainty = certainty(list[i], wires);
		list[i]->changed = list[i]->certainty >= JUDGE_CERTAIN;
		if (list[i]->changed)
			list[n++] = list[i];
	}
	if (n)
		qsort(list, n, sizeof(*list), by_change);
	for (i = 0; i < n; i++)
		list[i]->rank = i + 1;
	free(list);
}
