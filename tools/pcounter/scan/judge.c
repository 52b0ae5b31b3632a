// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wires that a command changes, and the certainty of that. The scan runs windows with
 * and without the command in random order. If the command has no effect, each order was
 * equally likely, however the wires behave by themselves. So a permutation test tells, which
 * makes no assumption about noise.
 */
#include <math.h>

#include "cli/sample.h"
#include "lib/util.h"
#include "scan/survey.h"

#define ORDERS		10000	/* drawn orders of the windows */

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

/* Return the difference of shares that is noise of a wire; 0 for one that was constant. */
static double noise_of(const struct survey *survey, const struct wire *wire)
{
	return wire_constant(&wire->before) ? 0 : survey->tolerance;
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

/* Keep the suspicious wires that were counted in each window. Return the number of windows. */
static unsigned int keep_complete(struct survey *survey)
{
	unsigned int i, n = 1, kept = 0;

	for (i = 0; i < survey->suspects; i++)
		n = max(n, survey->suspect[i]->still.n);
	for (i = 0; i < survey->suspects; i++) {
		struct wire *wire = survey->suspect[i];

		if (n > 1 && wire->still.n == n && wire->driven.n == n)
			survey->suspect[kept++] = wire;
		else
			wire->certainty = NAN;
	}
	survey->unjudged = survey->suspects - kept;
	survey->suspects = kept;
	/* the first one made the wire suspicious */
	return n - 1;
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
	unsigned int windows = keep_complete(survey), i;
	struct sample_pair *pairs;

	if (!survey->suspects)
		return;
	pairs = need(survey->suspects, sizeof(*pairs));
	for (i = 0; i < survey->suspects; i++) {
		pairs[i].sample[0].value = survey->suspect[i]->still.share + 1;
		pairs[i].sample[1].value = survey->suspect[i]->driven.share + 1;
	}
	sample_test(pairs, survey->suspects, windows, false, ORDERS);
	for (i = 0; i < survey->suspects; i++) {
		struct wire *wire = survey->suspect[i];

		wire->certainty = 1 - pairs[i].p;
		if (wire->certainty >= JUDGE_CERTAIN &&
		    fabs(wire_change(wire)) > noise_of(survey, wire))
			survey->suspect[survey->changed++] = wire;
	}
	free(pairs);
	qsort(survey->suspect, survey->changed, sizeof(*survey->suspect), by_change);
	for (i = 0; i < survey->changed; i++)
		survey->suspect[i]->rank = i + 1;
}
