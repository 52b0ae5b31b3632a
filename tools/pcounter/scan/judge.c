// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wires that a command changes, and the certainty of that. The scan runs windows with
 * and without the command in random order. If the command has no effect, every order was
 * equally likely, however the wire behaves by itself. So the probability of an accident is
 * the share of orders that separate both kinds of windows at least as far as the real one
 * (the rank sum test). The test makes no assumption about noise.
 */
#include <math.h>

#include "lib/tool.h"
#include "scan/survey.h"

#define WINDOWS		(2 * JUDGE_MOST)
#define RANKS		(WINDOWS * (WINDOWS + 1) + 1)	/* sums of doubled ranks */

/**
 * shares_mean() - compute the mean of shares
 * @shares: the shares
 *
 * The first share made the wire suspicious, so it is left out if there are others.
 *
 * Return: their mean, NAN if there are none.
 */
double shares_mean(const struct shares *shares)
{
	unsigned int first = shares->n > 1, i;
	double sum = 0;

	for (i = first; i < shares->n; i++)
		sum += shares->share[i];
	return shares->n ? sum / (shares->n - first) : NAN;
}

static double change_of(const struct wire *wire)
{
	return fabs(shares_mean(&wire->driven) - shares_mean(&wire->still));
}

/* Return twice the rank of a share; equal shares get the mean of their ranks. */
static unsigned int rank_of(double share, const double *all, unsigned int n)
{
	unsigned int rank = 1, i;

	for (i = 0; i < n; i++)
		rank += all[i] < share ? 2 : all[i] == share;
	return rank;
}

/* Set ways[k][sum] to the number of choices of k ranks with this sum. */
static void count_ways(const unsigned int *rank, unsigned int n, unsigned int most,
		       double (*ways)[RANKS])
{
	unsigned int i, k, sum;
	const unsigned int all = n * (n + 1);

	memset(ways, 0, (most + 1) * sizeof(*ways));
	ways[0][0] = 1;
	for (i = 0; i < n; i++)
		for (k = most; k; k--)
			for (sum = rank[i]; sum <= all; sum++)
				ways[k][sum] += ways[k - 1][sum - rank[i]];
}

/* Return the probability that the order alone separates both kinds of windows this far. */
static double chance(const struct wire *wire, double (*ways)[RANKS])
{
	unsigned int n = wire->still.n - 1, m = wire->driven.n - 1, i, sum = 0;
	unsigned int rank[WINDOWS];
	double all[WINDOWS], orders = 0, as_far = 0;
	int mean = m * (n + m + 1), far;

	memcpy(all, wire->still.share + 1, n * sizeof(*all));
	memcpy(all + n, wire->driven.share + 1, m * sizeof(*all));
	for (i = 0; i < n + m; i++) {
		rank[i] = rank_of(all[i], all, n + m);
		sum += i < n ? 0 : rank[i];
	}
	far = abs((int)sum - mean);
	count_ways(rank, n + m, m, ways);
	for (i = 0; i < RANKS; i++) {
		orders += ways[m][i];
		as_far += abs((int)i - mean) >= far ? ways[m][i] : 0;
	}
	return as_far / orders;
}

/* Return the certainty of a change. @wires: number of wires that could differ by accident. */
static double certainty(const struct wire *wire, unsigned int wires, double (*ways)[RANKS])
{
	if (wire->still.n < 2 || wire->driven.n < 2)
		return 0;
	return 1 - fmin(1, wires * chance(wire, ways));
}

/* List the wires that seem to have changed, if @list is not NULL. Return their number. */
static unsigned int find_suspicious(struct survey *survey, double tolerance, struct wire **list)
{
	unsigned int dom, sig, n = 0;

	for (dom = 0, sig = 0; survey_has_wire(survey, &dom, &sig); sig++) {
		struct wire *wire = &survey->dom[dom].wire[sig];

		wire->certainty = NAN;
		if (!wire_suspicious(wire, tolerance))
			continue;
		if (list)
			list[n] = wire;
		n++;
	}
	return n;
}

/**
 * judge_windows() - find the number of windows for the second look
 * @survey: the survey, after the phases without and with the command
 * @tolerance: as for survey_plan()
 *
 * The number suffices for certainty about all suspicious wires in the best case, when
 * both kinds of windows are separated completely.
 *
 * Return: the number of windows of each kind, 0 if nothing seems to have changed.
 */
unsigned int judge_windows(struct survey *survey, double tolerance)
{
	unsigned int wires = find_suspicious(survey, tolerance, NULL), n;
	double orders = 1;

	for (n = 1; wires && n <= JUDGE_MOST; n++) {
		orders *= 2.0 * (2 * n - 1) / n;
		if (n >= JUDGE_FEWEST && 2 * wires / orders <= 1 - JUDGE_CERTAIN)
			break;
	}
	return wires ? min(n, (unsigned int)JUDGE_MOST) : 0;
}

static int by_change(const void *a, const void *b)
{
	double x = change_of(*(struct wire *const *)a), y = change_of(*(struct wire *const *)b);

	return (x < y) - (x > y);
}

/**
 * survey_judge() - decide which wires the command changed, with certainty and rank
 * @survey: the survey, after all phases
 * @tolerance: as for survey_plan()
 */
void survey_judge(struct survey *survey, double tolerance)
{
	struct wire **list = need(survey->gpu->pmu->topo.nr * SURVEY_SIGNALS, sizeof(*list));
	double (*ways)[RANKS] = need(JUDGE_MOST + 1, sizeof(*ways));
	unsigned int wires = find_suspicious(survey, tolerance, list), i, n = 0;

	for (i = 0; i < wires; i++) {
		list[i]->certainty = certainty(list[i], wires, ways);
		if (list[i]->certainty >= JUDGE_CERTAIN &&
		    change_of(list[i]) > wire_tolerance(list[i], tolerance))
			list[n++] = list[i];
	}
	qsort(list, n, sizeof(*list), by_change);
	for (i = 0; i < n; i++)
		list[i]->rank = i + 1;
	free(list);
	free(ways);
}
