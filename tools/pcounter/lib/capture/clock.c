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
#include "lib/util.h"

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
 * @point: bounds of the time of each pair
 * @nr: number of points
 */
struct points {
	struct point point[MAX_PAIRS];
	unsigned int nr;
};

/**
 * clock_add() - add a packet to the epochs
 * @clock: the clock, all zero at first; the caller frees @clock->epoch
 * @walk: the packet
 */
void clock_add(struct clock *clock, const struct read_walk *walk)
{
	if (walk->epoch >= READ_EPOCHS)
		return;
	if (walk->epoch == clock->nr) {
		clock->epoch = grow(clock->epoch, clock->nr, sizeof(*clock->epoch));
		clock->epoch[clock->nr++] = (struct clock_epoch){
			.number = walk->number, .first = walk->begin,
		};
	}
	clock->epoch[walk->epoch].last = walk->cycle;
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

/* Fit a line; the longest one gives the frequency. */
static void fit(const struct points *points, struct clock_epoch *epoch, struct clock *clock)
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
	flat = slope;
	steep = slope;
	if (slack >= 0) {
		flat = last_slope(points, slope, fmax(0, slope - (2 * worst + 1) / last->x));
		steep = last_slope(points, slope, slope + (2 * worst + 1) / last->x);
		slope = best_slope(points, flat, steep, reach);
	}
	offsets(points, slope, &low, &high);
	if (slack < 0) {
		clock->bent = true;
		high = (low + high) / 2;
	}
	epoch->error = farthest(points, flat, steep, slope, high);
	epoch->known = true;
	epoch->time = epoch->pair->time + (s64)high;
	epoch->slope = slope;
	if (last->x <= clock->span)
		return;
	clock->span = last->x;
	clock->hz = NS_S / slope;
	clock->used = points->nr;
	clock->hz_min = slack < 0 ? 0 : NS_S / steep;
	clock->hz_max = slack < 0 ? 0 : NS_S / flat;
}

/* ---- pairs to epochs ---- */

/*
 * Collect the points of an epoch: of pairs that go forward, and if there are too many,
 * every nth and the last.
 */
static void take_points(const struct read_pair *pair, const struct read_pair *end,
			struct points *points)
{
	size_t stride = (end - pair) / MAX_PAIRS + 1;
	const struct read_pair *p, *before = NULL;

	points->nr = 0;
	for (p = pair; p < end && points->nr < MAX_PAIRS; p++) {
		if (before && (p->cycle <= before->cycle || p->time <= before->time))
			continue;
		if ((p - pair) % stride && p + 1 != end)
			continue;
		points->point[points->nr++] = (struct point){
			.x = p->cycle - pair->cycle,
			.low = (double)(s64)(p->time - pair->time) - p->error,
			.high = (s64)(p->time - pair->time),
		};
		before = p;
	}
}

/* Fit a line to the first pairs of each epoch that go forward. */
static void fit_epochs(struct clock *clock, const struct read_stream *s)
{
	const struct read_pair *pair = s->pair, *end = s->pair + s->nr_pairs, *next;
	struct clock_epoch *epoch = clock->epoch, *last = clock->epoch + clock->nr;
	static struct points points;

	for (; clock->nr && pair < end; pair = next) {
		/* a pair follows its packets in the file */
		while (epoch + 1 < last && epoch[1].number < pair->next)
			epoch++;
		next = pair + 1;
		while (next < end && next->cycle >= next[-1].cycle &&
		       (epoch + 1 == last || epoch[1].number >= next->next))
			next++;
		if (epoch->pair)
			continue;
		epoch->pair = pair;
		take_points(pair, next, &points);
		if (points.nr > 1)
			fit(&points, epoch, clock);
	}
}

/**
 * clock_fit() - fit lines from cycles to time
 * @clock: the clock, with its epochs
 * @s: the stream
 */
void clock_fit(struct clock *clock, const struct read_stream *s)
{
	struct clock_epoch *epoch;
	double before = 0;

	fit_epochs(clock, s);
	if (!clock->hz)
		clock->hz = s->hz;
	clock->timed = true;
	for (epoch = clock->epoch; epoch < clock->epoch + clock->nr; epoch++) {
		if (!epoch->known && epoch->pair && clock->hz > 0) {
			/* a single pair, and a known frequency */
			epoch->known = true;
			epoch->time = epoch->pair->time - epoch->pair->error / 2;
			epoch->slope = NS_S / clock->hz;
			epoch->error = epoch->pair->error / 2.0;
		}
		clock->timed &= epoch->known;
		epoch->before = before;
		before += (double)epoch->last - epoch->first;
	}
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
bool clock_time(const struct clock *clock, unsigned int epoch, u64 cycle, s64 *time)
{
	const struct clock_epoch *e;
	double ns;
	s64 whole;

	if (epoch >= clock->nr || !clock->epoch[epoch].known)
		return false;
	e = &clock->epoch[epoch];
	ns = ((double)cycle - (double)e->pair->cycle) * e->slope;
	if (fabs(ns) > READ_TIME / 2)
		return false;
	/* floor() would be a call for each row */
	whole = ns + 0.5;
	*time = e->time + whole - (whole > ns + 0.5);
	return true;
}
