// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversion of cycles to time: a straight line from the cycle counter to perf's clock,
 * for each epoch. A pair bounds the time of its cycle: at most @time, at least @time -
 * @error. The program looks at random moments, so some pairs come without delay, while
 * @error is the whole time between two looks. clock_fit() takes the line within the bounds
 * with the least delays in the mean; its error is the distance to the farthest other line
 * within the bounds. All lines within the bounds are a convex polygon in the plane of slopes
 * and offsets, and both searches end at one of its corners.
 */
#include <math.h>

#include "capture/capture.h"
#include "lib/util.h"

#define MAX_PAIRS	2048	/* points of a line, at most */
#define MAX_CORNERS	(4 + 2 * MAX_PAIRS)	/* each bound adds one */

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

/**
 * struct line - times, as a function of cycles since the first point
 * @slope: ns per cycle
 * @offset: time of the first point, in ns
 */
struct line {
	double slope;
	double offset;
};

/**
 * struct lines - all lines within bounds
 * @corner: the corners of the polygon of slopes and offsets
 * @nr: number of corners; 0: no line
 */
struct lines {
	struct line corner[MAX_CORNERS];
	unsigned int nr;
};

static double time_at(const struct line *line, double x)
{
	return line->offset + line->slope * x;
}

/* Drop the lines beyond a bound at @x: above it if @sign is 1, below it if @sign is -1. */
static void cut(struct lines *lines, double x, double bound, int sign)
{
	static struct lines old;
	unsigned int i;

	old.nr = lines->nr;
	memcpy(old.corner, lines->corner, lines->nr * sizeof(*lines->corner));
	lines->nr = 0;
	for (i = 0; i < old.nr; i++) {
		const struct line *a = &old.corner[i], *b = &old.corner[(i + 1) % old.nr];
		double far = sign * (time_at(a, x) - bound), next = sign * (time_at(b, x) - bound);
		double part = far / (far - next);

		if (far <= 0)
			lines->corner[lines->nr++] = *a;
		if ((far < 0 && next > 0) || (far > 0 && next < 0))
			lines->corner[lines->nr++] = (struct line){
				.slope = a->slope + part * (b->slope - a->slope),
				.offset = a->offset + part * (b->offset - a->offset),
			};
	}
}

/* Find the lines within bounds that are @wider than those of the points. Return false for none. */
static bool find_lines(const struct points *points, double wider, struct lines *lines)
{
	const struct point *first = points->point, *last = &points->point[points->nr - 1], *p;
	const double low = first->low - wider, high = first->high + wider;
	const double flat = fmax(0, (last->low - wider - high) / last->x);
	const double steep = (last->high + wider - low) / last->x;

	*lines = (struct lines){
		.corner = { { flat, low }, { steep, low }, { steep, high }, { flat, high } },
		.nr = 4,
	};
	for (p = first + 1; p <= last; p++) {
		cut(lines, p->x, p->high + wider, 1);
		cut(lines, p->x, p->low - wider, -1);
	}
	return lines->nr;
}

/* Return the greatest distance at either end between a line and all lines. */
static double farthest(const struct lines *lines, const struct line *line, double x)
{
	double far = 0;
	unsigned int i;

	for (i = 0; i < lines->nr; i++) {
		far = fmax(far, fabs(lines->corner[i].offset - line->offset));
		far = fmax(far, fabs(time_at(&lines->corner[i], x) - time_at(line, x)));
	}
	return far;
}

/* Fit a line; the longest one gives the frequency. */
static void fit(const struct points *points, struct clock_epoch *epoch, struct clock *clock)
{
	const double x = points->point[points->nr - 1].x;
	double middle = 0, wider = 0, flat = INFINITY, steep = 0;
	static struct lines lines;
	const struct line *line, *best = lines.corner;
	unsigned int i;

	for (; !find_lines(points, wider, &lines); clock->bent = true)
		wider = 2 * wider + 1;
	for (i = 0; i < points->nr; i++)
		middle += points->point[i].x / points->nr;
	for (line = lines.corner; line < lines.corner + lines.nr; line++) {
		flat = fmin(flat, line->slope);
		steep = fmax(steep, line->slope);
		/* the latest times are of small delays */
		if (time_at(line, middle) > time_at(best, middle))
			best = line;
	}
	if (!(best->slope > 0))
		return;
	epoch->error = farthest(&lines, best, x);
	epoch->known = true;
	epoch->time = epoch->pair->time + (s64)best->offset;
	epoch->slope = best->slope;
	if (x <= clock->span)
		return;
	clock->span = x;
	clock->hz = NS_S / best->slope;
	clock->used = points->nr;
	clock->hz_min = wider ? 0 : NS_S / steep;
	clock->hz_max = wider ? 0 : NS_S / flat;
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
	/* the unit of a record's time is not the domain's clock */
	if (!clock->hz && !s->records)
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
	/* a record may be older than the first one */
	ns = (double)(s64)(cycle - e->pair->cycle) * e->slope;
	if (fabs(ns) > READ_TIME / 2)
		return false;
	/* floor() would be a call for each row */
	whole = ns + 0.5;
	*time = e->time + whole - (whole > ns + 0.5);
	return true;
}
