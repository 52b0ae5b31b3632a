// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of repeated measurements, and comparisons of two versions of a program by them.
 */
#include <math.h>

#include "cli/sample.h"
#include "cli/verb.h"

#define DRAWS		100000
#define RESOLUTION	0.000001	/* smaller relative differences are rounding */

/**
 * sample_add() - add a measurement to a sample
 * @sample: the sample; all zero: an empty one
 * @value: the measurement
 */
void sample_add(struct sample *sample, double value)
{
	double apart = value - sample->mean;

	sample->value = grow(sample->value, sample->n, sizeof(value));
	sample->value[(size_t)sample->n++] = value;
	sample->mean += apart / sample->n;
	sample->squares += apart * (value - sample->mean);
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

/* Return the distance of the versions of a metric, if the first one has made these runs. */
static double distance(const double *scores, const unsigned int *runs, unsigned int n)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += scores[runs[i]];
	return fabs(sum);
}

/*
 * Make scores of the values of a metric, first version first: centred as a whole or in each
 * round, and of one size for all metrics, since draws change neither.
 */
static void score(double *scores, const struct sample_pair *pair, unsigned int n, bool turns)
{
	const double *a = pair->sample[0].value, *b = pair->sample[1].value;
	double mean = 0, squares = 0, size;
	unsigned int i;

	for (i = 0; i < n; i++)
		mean += (a[i] + b[i]) / 2 / n;
	for (i = 0; i < n; i++) {
		if (turns)
			mean = (a[i] + b[i]) / 2;
		scores[i] = a[i] - mean;
		scores[i + n] = b[i] - mean;
		squares += pow(scores[i], 2) + pow(scores[i + n], 2);
	}
	size = squares > pow(RESOLUTION * mean, 2) ? sqrt(squares * n / 2) : INFINITY;
	for (i = 0; i < 2 * n; i++)
		scores[i] /= size;
}

/**
 * sample_test() - test which metrics of two versions of a program differ
 * @pairs: the metrics; @apart and @p are set
 * @nr: number of the metrics
 * @n: number of measurements of each to test
 * @turns: measurements of the same number make a round, whose order was random
 * @draws: number of draws, with the real one
 *
 * A permutation test: if the versions are equal, any of them could have made any run, or
 * any run of a round. So the real distance is as likely among the greatest as that of a
 * draw, whatever the distribution of the values and, with @turns, their drift. A draw
 * counts with the greatest distance of all metrics, so that many metrics make no more
 * false alarms than one (P. H. Westfall and S. S. Young, Resampling-Based Multiple
 * Testing, 1993). Draws end early when no metric can differ any more.
 */
void sample_test(struct sample_pair *pairs, unsigned int nr, unsigned int n, bool turns,
		 unsigned int draws)
{
	unsigned int *runs = need(2 * n, sizeof(*runs)), i, other, drawn;
	double *scores = need(2 * n * nr, sizeof(*scores)), most, least = 0;

	for (i = 0; i < 2 * n; i++)
		runs[i] = i;
	for (i = 0; i < nr; i++) {
		score(scores + 2 * n * i, &pairs[i], n, turns);
		pairs[i].apart = distance(scores + 2 * n * i, runs, n);
		pairs[i].p = 1;
	}
	for (drawn = 1; drawn < draws && least < SAMPLE_LEVEL * draws; drawn++) {
		for (i = 0; i < n; i++) {
			other = turns ? random() % 2 * n : random() % (2 * n - i);
			swap(runs[i], runs[i + other]);
		}
		for (most = 0, i = 0; i < nr; i++)
			most = fmax(most, distance(scores + 2 * n * i, runs, n));
		for (least = draws, i = 0; i < nr; i++) {
			pairs[i].p += most >= pairs[i].apart - RESOLUTION;
			least = fmin(least, pairs[i].p);
		}
	}
	for (i = 0; i < nr; i++)
		pairs[i].p /= drawn;
	free(scores);
	free(runs);
}

static const char *const columns[] = {
	"event", "unit", "before", "before-error", "after", "after-error", "p", "differs", NULL
};

/*
 * Keep the metrics that have a value in each run of both versions. Return the number of runs
 * to test: among unequal numbers a different spread alone looks like a different mean.
 */
static unsigned int keep_complete(struct sample_pair *pairs, unsigned int *nr)
{
	unsigned int i, n = 0, runs[2] = {};

	for (i = 0; i < 2 * *nr; i++)
		runs[i % 2] = max(runs[i % 2], pairs[i / 2].sample[i % 2].n);
	for (i = 0; i < *nr; i++) {
		const struct sample *of = pairs[i].sample;

		if (of[0].n == runs[0] && of[1].n == runs[1])
			swap(pairs[n++], pairs[i]);
		else if (of[0].n || of[1].n)
			complain("%s: not in all runs: left out", pairs[i].name);
	}
	*nr = n;
	return min(runs[0], runs[1]);
}

static void show_pair(struct out *out, const struct sample_pair *pair)
{
	const struct sample *a = &pair->sample[0], *b = &pair->sample[1];
	bool over = share_over(pair->unit, fmax(a->mean, b->mean));
	bool differs = pair->p < SAMPLE_LEVEL;
	const struct cell cells[] = {
		cell_text(pair->name), cell_text(pair->unit), cell_real(a->mean),
		cell_real(sample_error(a)), cell_real(b->mean), cell_real(sample_error(b)),
		cell_real(pair->p), cell_int(true, differs),
	};

	if (out->kind != OUT_TEXT) {
		out_row(out, cells);
		return;
	}
	fprintf(out->f, "%12.6g +- %-8.2g %12.6g +- %-8.2g %-12s %-*s", a->mean, sample_error(a),
		b->mean, sample_error(b), over ? "%!" : pair->unit, differs ? 28 : 0, pair->name);
	if (differs && a->mean)
		fprintf(out->f, " %+.1f %%", 100 * (b->mean / a->mean - 1));
	fprintf(out->f, differs ? "  p = %.2g\n" : "\n", pair->p);
}

/**
 * sample_compare() - compare two versions of a program
 * @out: the output, which is open; it gets other columns
 * @pairs: the metrics
 * @nr: number of them
 * @turns: the versions ran by turns, in random order
 *
 * Return: STATUS_NO if a metric differs, STATUS_OK if none does; STATUS_USAGE, with a
 * message, if there are too few runs.
 */
int sample_compare(struct out *out, struct sample_pair *pairs, unsigned int nr, bool turns)
{
	unsigned int runs = keep_complete(pairs, &nr), least = turns ? LEAST_ROUNDS : LEAST_RUNS;
	unsigned int i, n = 0;

	if (!nr || runs < least)
		return tell(STATUS_USAGE, "%u runs of each are too few, %u the least: %s",
			    nr ? runs : 0, least, "pcounter stat -r 10 -j -o FILE");
	sample_test(pairs, nr, runs, turns, DRAWS);
	out->columns = columns;
	if (out->kind == OUT_TEXT)
		fprintf(out->f, "%12s %24s %24s metric\n", "before", "after", "unit        ");
	for (i = 0; i < nr; i++) {
		show_pair(out, &pairs[i]);
		n += pairs[i].p < SAMPLE_LEVEL;
	}
	if (out->kind == OUT_TEXT)
		fprintf(out->f, "\n%u of %u differ (%u runs of each, permutation test, p < %g)\n",
			n, nr, runs, SAMPLE_LEVEL);
	return n ? STATUS_NO : STATUS_OK;
}
