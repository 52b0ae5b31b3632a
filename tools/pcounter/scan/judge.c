// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wires that a command changes, and how sure that is. Windows with the command and
 * without come in an order that was drawn by lot. If the command does nothing, any
 * other order was as likely, whatever the wire does by itself: so the share of orders
 * that set both kinds apart as far as this one is the chance of an accident (the rank
 * sum test). Nothing is assumed about noise.
 */
#include <math.h>

#include "lib/tool.h"
#include "scan/survey.h"

#define WINDOWS		(2 * JUDGE_MOST)
#define RANKS		(WINDOWS * (WINDOWS + 1) + 1)	/* sums of doubled ranks */

/**
 * shares_mean() - mean of shares
 * @shares: the shares
 *
 * The first share made the wire suspicious, so it is not a fair sample if there are others.
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

/* Twice the rank of a share among others; equal shares have the mean of their ranks. */
static unsigned int rank_of(double share, const double *all, unsigned int n)
{
	unsigned int rank = 1, i;

	for (i = 0; i < n; i++)
		rank += all[i] < share ? 2 : all[i] == share;
	return rank;
}

/* ways[k][sum]: in how many ways have k of the ranks that sum? */
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

/* How likely is it that the order alone sets both kinds of windows so far apart? */
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

/* @wires: number of wires that could differ by accident. */
static double certainty(const struct wire *wire, unsigned int wires, double (*ways)[RANKS])
{
	if (wire->still.n < 2 || wire->driven.n < 2)
		return 0;
	return 1 - fmin(1, wires * chance(wire, ways));
}

/* Wires that seem to have changed; returns how many. */
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
 * judge_windows() - how often to look again
 * @survey: looked at without the command, and with it
 * @tolerance: as for survey_plan()
 *
 * The best that so many windows can tell, both kinds wholly apart, has to be certain
 * for all that seems to have changed.
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
 * survey_judge() - say which wires the command changed, how surely, and rank them
 * @survey: all phases are done
 * @tolerance: as for survey_plan()
 */
void survey_judge(struct survey *survey, double tolerance)
{
	struct wire **list = need(survey->gpu->pmu->topo.nr * SURVEY_SIGNALS, sizeof(*list));
	double (*ways)[RANKS] = need(JUDGE_MOST + 1, sizeof(*ways));
	unsigned int wires = find_suspicious(survey, tolerance, list), i, n = 0;

	survey->judged = true;
	for (i = 0; i < wires; i++) {
		list[i]->certainty = certainty(list[i], wires, ways);
		list[i]->changed = list[i]->certainty >= JUDGE_CERTAIN &&
				   change_of(list[i]) > wire_tolerance(list[i], tolerance);
		if (list[i]->changed)
			list[n++] = list[i];
	}
	qsort(list, n, sizeof(*list), by_change);
	for (i = 0; i < n; i++)
		list[i]->rank = i + 1;
	free(list);
	free(ways);
}
