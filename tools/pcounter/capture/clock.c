// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversion of cycles to time: a straight line from the cycle counter to perf's clock,
 * for each epoch. A pair bounds the time of its cycle: at most @time, at least @time -
 * @error. The program looks at random moments, so some pairs come without delay, while
 * @error is the whole time between two looks. clock_fit() takes the line within the bounds
 * with the least delays in the mean; its error is the distance to the farthest other line
 * within the bounds.
 */
#include <math.h>

#include "capture/capture.h"
#include "lib/tool.h"

#define MAX_PAIRS	2048	/* points of a line, at most */
#define ROUNDS		96	/* of bisection: finer than a double resolves */
#define SLOPES		64	/* tried between the flattest and the steepest */

/**
 * struct point - bounds of a time
 * @x: cycles since the first point
 * @low: earliest time, in ns since the first point
 * @high: latest time, in ns since the first point
 */
struct point {
	double x;
	double low;
	double high;
};

/**
 * struct points - the pairs of an epoch
 * @base: the first pair
 * @point: bounds of the time of each pair
 * @nr: number of points
 */
struct points {
	const struct read_pair *base;
	struct point point[MAX_PAIRS];
	unsigned int nr;
};

/**
 * epochs_add() - add packets
 * @epochs: the epochs of the packets so far
 * @piece: the packets to add
 */
void epochs_add(struct stat_epochs *epochs, const struct read_piece *piece)
{
	if (piece->epoch >= READ_EPOCHS)
		return;
	while (epochs->nr <= piece->epoch) {
		epochs->epoch = grow(epochs->epoch, epochs->nr, sizeof(*epochs->epoch));
		epochs->epoch[epochs->nr++] = (struct stat_epoch){
			.before = piece->before, .first = piece->begin,
		};
	}
	epochs->epoch[piece->epoch].last = piece->cycle[piece->nr - 1];
}

/* ---- a line through bounds ---- */

/* Find the offsets at which a line of this slope is within all bounds; none if @low > @high. */
static void offsets(const struct points *points, double slope, double *low, double *high)
{
	unsigned int i;

	*low = -INFINITY;
	*high = INFINITY;
	for (i = 0; i < points->nr; i++) {
		*low = fmax(*low, points->point[i].low - slope * points->point[i].x);
		*high = fmin(*high, points->point[i].high - slope * points->point[i].x);
	}
}

static double room(const struct points *points, double slope)
{
	double low, high;

	offsets(points, slope, &low, &high);
	return high - low;
}

/* Return the time in the middle of the latest line of this slope: great if delays are small. */
static double reach(const struct points *points, double slope)
{
	double low, high, x = 0;
	unsigned int i;

	for (i = 0; i < points->nr; i++)
		x += points->point[i].x / points->nr;
	offsets(points, slope, &low, &high);
	return high + slope * x;
}

/*
 * Find the slope with the most room or reach, both concave functions of the slope. A pair
 * without error makes the room 0 for all possible slopes; take the middle of them.
 */
static double best_slope(const struct points *points, double low, double high,
			 double (*room)(const struct points *points, double slope))
{
	double a, b, at_a, at_b;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		a = low + (high - low) / 3;
		b = high - (high - low) / 3;
		at_a = room(points, a);
		at_b = room(points, b);
		if (at_a <= at_b)
			low = a;
		if (at_a >= at_b)
			high = b;
	}
	return (low + high) / 2;
}

/* Return the last slope with room, between a slope with room and one without. */
static double last_slope(const struct points *points, double good, double bad)
{
	double middle;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		middle = (good + bad) / 2;
		if (room(points, middle) >= 0)
			good = middle;
		else
			bad = middle;
	}
	return good;
}

/* Return the greatest distance at either end between this line and any line with room. */
static double farthest(const struct points *points, double flat, double steep, double slope,
		       double offset)
{
	double x = points->point[points->nr - 1].x, low, high, far = 0, other;
	unsigned int i;

	for (i = 0; i <= SLOPES; i++) {
		other = flat + (steep - flat) * i / SLOPES;
		offsets(points, other, &low, &high);
		far = fmax(far, fmax(fabs(low - offset), fabs(high - offset)));
		far = fmax(far, fabs(low - offset + (other - slope) * x));
		far = fmax(far, fabs(high - offset + (other - slope) * x));
	}
	return far;
}

static void fit(const struct points *points, struct stat_line *line, struct stat_clock *clock,
		bool most)
{
	const struct point *last = &points->point[points->nr - 1];
	double worst = 0, low, high, slope, slack, flat, steep;
	unsigned int i;

	for (i = 0; i < points->nr; i++)
		worst = fmax(worst, points->point[i].high - points->point[i].low);
	low = fmax(0, (last->low - worst) / last->x);
	high = (last->high + worst) / last->x;
	slope = best_slope(points, low, high, room);
	slack = room(points, slope);
	if (!(slope > 0))
		return;
	offsets(points, slope, &low, &high);
	line->error = -slack / 2;
	flat = slope;
	steep = slope;
	if (slack < 0) {
		clock->bent = true;
		high = (low + high) / 2;
	} else {
		flat = last_slope(points, slope, fmax(0, slope - (2 * worst + 1) / last->x));
		steep = last_slope(points, slope, slope + (2 * worst + 1) / last->x);
		slope = best_slope(points, flat, steep, reach);
		offsets(points, slope, &low, &high);
		line->error = farthest(points, flat, steep, slope, high);
	}
	line->known = true;
	line->cycle = points->base->cycle;
	line->time = points->base->time + (s64)high;
	line->slope = slope;
	if (!most)
		return;
	clock->hz = NS_S / slope;
	clock->used = points->nr;
	clock->hz_min = slack < 0 ? 0 : NS_S / steep;
	clock->hz_max = slack < 0 ? 0 : NS_S / flat;
}

/* ---- pairs to epochs ---- */

/* Return the epoch of a pair. A pair follows its packets in the file. */
static unsigned int epoch_of(const struct stat_epochs *epochs, const struct read_pair *pair,
			     unsigned int epoch)
{
	while (epoch + 1 < epochs->nr && epochs->epoch[epoch + 1].before < pair->before)
		epoch++;
	return epoch;
}

static bool goes_on(const struct read_pair *pair, const struct read_pair *before)
{
	return pair->cycle > before->cycle && pair->time > before->time;
}

/* Collect the points of an epoch: if there are too many pairs, every nth and the last. */
static const struct read_pair *take_points(const struct read_pair *pair,
					   const struct read_pair *end, struct points *points)
{
	size_t stride = (end - pair) / MAX_PAIRS + 1;
	const struct read_pair *p, *before = NULL;

	points->base = pair;
	points->nr = 0;
	for (p = pair; p < end; p++) {
		if (before && !goes_on(p, before))
			continue;
		if (points->nr == MAX_PAIRS)
			break;
		if ((p - pair) % stride && p + 1 != end)
			continue;
		points->point[points->nr++] = (struct point){
			.x = p->cycle - pair->cycle,
			.low = (double)(s64)(p->time - pair->time) - p->error,
			.high = (s64)(p->time - pair->time),
		};
		before = p;
	}
	return before;
}

/* Make a line of one pair and a known frequency. */
static void single(const struct read_pair *pair, const struct stat_clock *clock,
		   struct stat_line *line)
{
	*line = (struct stat_line){
		.known = clock->hz > 0,
		.cycle = pair->cycle,
		.time = pair->time - pair->error / 2,
		.slope = NS_S / clock->hz,
		.error = pair->error / 2.0,
	};
}

static void fit_epochs(struct stat_clock *clock, const struct read_stream *s,
		       const struct stat_epochs *epochs, struct points *points,
		       const struct read_pair **only)
{
	const struct read_pair *pair = s->pair, *end = s->pair + s->nr_pairs, *next;
	unsigned int epoch = 0;
	double longest = 0;

	for (; pair < end; pair = next) {
		epoch = epoch_of(epochs, pair, epoch);
		next = pair + 1;
		while (next < end && epoch_of(epochs, next, epoch) == epoch &&
		       next->cycle >= next[-1].cycle)
			next++;
		if (epoch >= clock->nr || only[epoch])
			continue;
		only[epoch] = pair;
		take_points(pair, next, points);
		if (points->nr < 2)
			continue;
		fit(points, &clock->line[epoch], clock,
		    points->point[points->nr - 1].x > longest);
		longest = fmax(longest, points->point[points->nr - 1].x);
	}
}

/**
 * clock_fit() - fit lines from cycles to time
 * @clock: gets the lines
 * @s: the stream
 * @epochs: its epochs
 */
void clock_fit(struct stat_clock *clock, const struct read_stream *s,
	       const struct stat_epochs *epochs)
{
	struct points *points = need(1, sizeof(*points));
	const struct read_pair **only = need(epochs->nr + 1, sizeof(*only));
	unsigned int i;

	*clock = (struct stat_clock){ .nr = epochs->nr };
	clock->line = need(epochs->nr + 1, sizeof(*clock->line));
	fit_epochs(clock, s, epochs, points, only);
	if (!clock->hz)
		clock->hz = s->hz;
	for (i = 0; i < clock->nr; i++)
		if (!clock->line[i].known && only[i])
			single(only[i], clock, &clock->line[i]);
	free(points);
	free(only);
}

/**
 * clock_time() - convert cycles to time
 * @clock: the clock
 * @epoch: number of restarts of the cycle counter so far
 * @cycle: value of the cycle counter
 * @time: gets perf's clock in ns
 *
 * Return: false if the time is unknown.
 */
bool clock_time(const struct stat_clock *clock, unsigned int epoch, u64 cycle, s64 *time)
{
	const struct stat_line *line;
	double ns;

	if (epoch >= clock->nr || !clock->line[epoch].known)
		return false;
	line = &clock->line[epoch];
	ns = ((double)cycle - (double)line->cycle) * line->slope;
	if (fabs(ns) > READ_TIME / 2)
		return false;
	*time = line->time + (s64)floor(ns + 0.5);
	return true;
}

/**
 * clock_free() - free the lines
 * @clock: the clock
 */
void clock_free(struct stat_clock *clock)
{
	free(clock->line);
	clock->line = NULL;
}
