// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: shares over time, in columns of equal width.
 */
#include <math.h>

#include "report/report.h"

#define LEAST_WIDTH	0.000001	/* least width of an axis */
#define ROUND		0.000000001

/* Distribute a tile over the columns that it covers. */
static void add_tile(struct report_columns *c, const struct stat_tile *tile, double from, double to)
{
	double width = (c->to - c->from) / c->nr, left, right, part, known;
	struct report_column *column;
	unsigned int first, last, i, k;

	if (to < from || to < c->from || from > c->to)
		return;
	/* packets may be missing within a tile, too */
	known = tile->last > tile->first ? (double)tile->span / (tile->last - tile->first) : 1;
	first = clamp((from - c->from) / width, 0.0, c->nr - 1.0);
	/* a tile that ends at the begin of a column has no part in the column */
	last = clamp(ceil((to - c->from) / width - ROUND) - 1, (double)first, c->nr - 1.0);
	for (i = first; i <= last; i++) {
		left = fmax(from, c->from + i * width);
		right = fmin(to, c->from + (i + 1) * width);
		part = to > from ? fmax(0, right - left) / (to - from) : 1;
		column = &c->column[i];
		column->cycles += part * tile->cycles;
		column->known += known * fmax(0, right - left) / width;
		for (k = 0; k < READ_COUNTERS; k++) {
			column->total[k] += part * tile->total[k];
			column->min[k] = fmin(column->min[k], tile->min[k]);
			column->max[k] = fmax(column->max[k], tile->max[k]);
		}
	}
}

/* Find the axis of a stream: the packets, as far as they are within the window. */
static void find_axis(const struct report *report, const struct report_stream *rs, double *from,
		      double *to)
{
	report_ends(report, rs, from, to);
	*from = fmax(*from, report->from);
	*to = fmin(*to, report->to);
	if (*from > *to)
		*from = *to = 0;
	if (!(*to - *from > ROUND * (1 + fabs(*from))))
		*to = *from + LEAST_WIDTH + ROUND * fabs(*from);
}

/**
 * report_columns() - compute shares over time
 * @report: the run
 * @rs: the stream
 * @nr: number of columns
 * @c: gets the columns; the caller frees them
 */
void report_columns(const struct report *report, const struct report_stream *rs, unsigned int nr,
		    struct report_columns *c)
{
	unsigned int i, k;

	c->nr = nr;
	c->column = need(nr, sizeof(*c->column));
	for (i = 0; i < nr; i++)
		for (k = 0; k < READ_COUNTERS; k++)
			c->column[i].min[k] = INFINITY;
	find_axis(report, rs, &c->from, &c->to);
	for (i = 0; i < rs->stat->nr_tiles; i++) {
		const struct stat_tile *tile = &rs->stat->tile[i];

		add_tile(c, tile, report_x(report, rs, tile->epoch, tile->first),
			 report_x(report, rs, tile->epoch, tile->last));
	}
}
