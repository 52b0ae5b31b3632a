// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wires that a command changes, and the certainty of that. The scan runs windows with
 * and without the command in random order. If the command has no effect, every order was
 * equally likely, however the wire behaves by itself. So the probability of an accident is
 * the share of orders that separate both kinds of windows at least as far as the real one
 * (the rank sum test). The test makes no assumption about noise.
 */
#include <math.h>

#include "lib/util.h"
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

/**
 * wire_change() - compute the effect of the command on a wire
 * @wire: the wire
 *
 * Return: the difference of its mean shares, NAN if unknown.
 */
double wire_change(const struct wire *wire)
{
	return shares_mean(&wire->driven) - shares_mean(&wire->still);
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
static double chance(const struct wire *wire)
{
	static double ways[JUDGE_MOST + 1][RANKS];
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

/* Return the difference of shares that is noise of a wire; 0 for one that was constant. */
static double noise_of(const struct survey *survey, const struct wire *wire)
{
	return sample_constant(&wire->before) ? 0 : survey->tolerance;
}

/* Return true if the shares without and with the command differ by more than noise. */
static bool is_suspicious(const struct survey *survey, const struct wire *wire)
{
	return !wire->own && wire->still.n && wire->driven.n &&
	       fabs(wire->still.share[0] - wire->driven.share[0]) > noise_of(survey, wire);
}

/**
 * judge_windows() - list suspicious wires; find the number of windows for the second look
 * @survey: the survey, after the phases without and with the command
 *
 * The number suffices for certainty about all suspicious wires in the best case, when
 * both kinds of windows are separated completely.
 *
 * Return: the number of windows of each kind, 0 if nothing seems to have changed.
 */
unsigned int judge_windows(struct survey *survey)
{
	struct wire *wire;
	double orders = 1;
	unsigned int n;

	for (wire = survey->wire; wire < survey->wire + survey->nr; wire++) {
		if (!is_suspicious(survey, wire))
			continue;
		wire->certainty = 0;
		survey->suspect = grow(survey->suspect, survey->suspects, sizeof(wire));
		survey->suspect[survey->suspects++] = wire;
	}
	for (n = 1; survey->suspects && n < JUDGE_MOST; n++) {
		orders *= 2.0 * (2 * n - 1) / n;
		if (n >= JUDGE_FEWEST && 2 * survey->suspects / orders <= 1 - JUDGE_CERTAIN)
			break;
	}
	return survey->suspects ? n : 0;
}

static int by_change(const void *a, const void *b)
{
	double x = fabs(wire_change(*(struct wire *const *)a));
	double y = fabs(wire_change(*(struct wire *const *)b));

	return (x < y) - (x > y);
}

/**
 * survey_judge() - decide which wires the command changed, with certainty and rank
 * @survey: the survey, after all phases
 */
void survey_judge(struct survey *survey)
{
	unsigned int i;

	for (i = 0; i < survey->suspects; i++) {
		struct wire *wire = survey->suspect[i];

		/* each suspicious wire could differ by accident */
		if (wire->still.n > 1 && wire->driven.n > 1)
			wire->certainty = 1 - fmin(1, survey->suspects * chance(wire));
		if (wire->certainty >= JUDGE_CERTAIN &&
		    fabs(wire_change(wire)) > noise_of(survey, wire))
			survey->suspect[survey->changed++] = wire;
	}
	qsort(survey->suspect, survey->changed, sizeof(*survey->suspect), by_change);
	for (i = 0; i < survey->changed; i++)
		survey->suspect[i]->rank = i + 1;
}
