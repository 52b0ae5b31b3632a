// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: timelines as pictures. Each column shows the shares of its packets:
 * dark up to the least, light up to the greatest, and a line at the mean. Unknown time
 * is grey.
 */
#include <math.h>

#include "cli/picture.h"
#include "report/report.h"

/* in pixels, or points */
#define PLOT		1000
#define LEFT		48
#define RIGHT		24
#define HEAD		42	/* the capture, and the legend */
#define TITLE		28
#define BAND		56	/* height of a counter's band, made of */
#define HEIGHT		34	/* the timeline, and the name above it */
#define AXIS		40
#define TICKS		8
#define OVER		1.1	/* of HEIGHT: shares above 1 are cut there */

#define SAME		0.001	/* shares that differ by less are drawn as one line */
#define MAX_BANDS	500	/* cairo's limit: less than 32768 pixels */

/* The shares of a column that are drawn, and unknown time. */
enum kind { LEAST, MEAN, GREATEST, UNKNOWN };

static const double colours_of[][3] = {
	[LEAST] = { 0.55, 0.72, 0.92 },
	[MEAN] = { 0.1, 0.3, 0.6 },
	[GREATEST] = { 0.82, 0.90, 0.98 },
	[UNKNOWN] = { 0.82, 0.82, 0.82 },
};

static double share_of(const struct report_columns *c, unsigned int k, enum kind kind,
		       unsigned int i)
{
	if (kind == MEAN)
		return report_mean(c, k, i);
	return kind == LEAST ? c->column[i].min[k] : c->column[i].max[k];
}

static double height_of(double share)
{
	return fmin(share, OVER) * HEIGHT;
}

/* Return the end of the stretch of columns that are all known, or all unknown. */
static unsigned int stretch_end(const struct report_columns *c, unsigned int first)
{
	unsigned int end = first + 1;

	while (end < c->nr && report_column(c, end) == report_column(c, first))
		end++;
	return end;
}

/* Draw unknown columns in grey. */
static void draw_unknown(cairo_t *cr, const struct report_columns *c, double y)
{
	unsigned int first, end;

	picture_colour(cr, colours_of[UNKNOWN]);
	for (first = 0; first < c->nr; first = end) {
		end = stretch_end(c, first);
		if (!report_column(c, first))
			cairo_rectangle(cr, LEFT + first, y - HEIGHT, end - first, HEIGHT);
	}
	cairo_fill(cr);
}

/* Draw the outline between two unknown stretches; join equal shares. */
static void outline(cairo_t *cr, const struct report_columns *c, unsigned int k, enum kind kind,
		    double y, unsigned int first, unsigned int end)
{
	double share = share_of(c, k, kind, first), next;
	unsigned int i;

	cairo_move_to(cr, LEFT + first, y - height_of(share));
	for (i = first + 1; i < end; i++) {
		next = share_of(c, k, kind, i);
		if (fabs(next - share) < SAME)
			continue;
		cairo_line_to(cr, LEFT + i, y - height_of(share));
		cairo_line_to(cr, LEFT + i, y - height_of(next));
		share = next;
	}
	cairo_line_to(cr, LEFT + end, y - height_of(share));
}

static void draw_area(cairo_t *cr, const struct report_columns *c, unsigned int k, enum kind kind,
		      double y, unsigned int first, unsigned int end)
{
	outline(cr, c, k, kind, y, first, end);
	cairo_line_to(cr, LEFT + end, y);
	cairo_line_to(cr, LEFT + first, y);
	cairo_close_path(cr);
	picture_colour(cr, colours_of[kind]);
	cairo_fill(cr);
}

static void draw_line(cairo_t *cr, const struct report_columns *c, unsigned int k, double y)
{
	unsigned int first, end;

	for (first = 0; first < c->nr; first = end) {
		end = stretch_end(c, first);
		if (!report_column(c, first))
			continue;
		draw_area(cr, c, k, GREATEST, y, first, end);
		draw_area(cr, c, k, LEAST, y, first, end);
		outline(cr, c, k, MEAN, y, first, end);
		picture_colour(cr, colours_of[MEAN]);
		cairo_set_line_width(cr, 1);
		cairo_stroke(cr);
	}
}

static void draw_band(cairo_t *cr, const struct report_columns *c, const struct report_stream *rs,
		      unsigned int k, double y)
{
	picture_text(cr, LEFT, y - HEIGHT - 6, text_tmp("c%u  %s", k, report_name(rs, k)));
	picture_text(cr, LEFT - 34, y - HEIGHT + PICTURE_FONT - 2, "100%");
	picture_text(cr, LEFT - 20, y, "0%");
	draw_unknown(cr, c, y);
	draw_line(cr, c, k, y);
	cairo_set_source_rgb(cr, 0.6, 0.6, 0.6);
	cairo_set_line_width(cr, 0.5);
	cairo_rectangle(cr, LEFT, y - HEIGHT, c->nr, HEIGHT);
	cairo_stroke(cr);
}

/* Return a round number of units between two ticks. */
static double tick_step(double range)
{
	double step = pow(10, floor(log10(range / TICKS)));

	if (range / step > 5 * TICKS)
		return 5 * step;
	return range / step > 2 * TICKS ? 2 * step : step;
}

static void draw_axis(cairo_t *cr, const struct report_columns *c, const char *unit, double y)
{
	double range = c->to - c->from, step = tick_step(range), x;
	double first = ceil(c->from / step);
	const char *label;
	unsigned int i;

	for (i = 0; i <= 5 * TICKS && (first + i) * step <= c->to; i++) {
		x = LEFT + ((first + i) * step - c->from) / range * c->nr;
		cairo_set_source_rgb(cr, 0, 0, 0);
		cairo_set_line_width(cr, 1);
		cairo_move_to(cr, x, y);
		cairo_line_to(cr, x, y + 4);
		cairo_stroke(cr);
		label = text_tmp("%.10g", (first + i) * step);
		picture_text(cr, x - 3.0 * (label[1] ? 3 : 1), y + 4 + PICTURE_FONT, label);
	}
	picture_text(cr, LEFT, y + 8 + 2 * PICTURE_FONT, unit);
}

static double draw_stream(cairo_t *cr, const struct report *report, const struct report_stream *rs,
			  double y)
{
	struct report_columns columns;
	unsigned int k;

	report_columns(report, rs, PLOT, &columns);
	picture_text(cr, 8, y + PICTURE_FONT + 6,
		     text_tmp("%s, %s, domain %u: share of its clocks in which a signal is 1",
			      *rs->s->card ? rs->s->card : rs->s->pmu, rs->s->gpu, rs->s->domain));
	y += TITLE;
	for (k = 0; k < READ_COUNTERS; k++) {
		if (!(rs->counters & BIT(k)))
			continue;
		y += BAND;
		draw_band(cr, &columns, rs, k, y);
	}
	draw_axis(cr, &columns,
		  rs->clock.timed ? "s since the capture began" : report_unit(rs), y + 4);
	free(columns.column);
	return y + AXIS;
}

/* Draw the heading of the picture: the capture, and the legend. */
static void draw_head(cairo_t *cr, const struct report *report)
{
	const char *name = strrchr(report->path, '/');
	double x = 8, y = 2 * PICTURE_FONT + 10;

	picture_text(cr, x, PICTURE_FONT + 4,
		     text_tmp("%s, recorded %s", name ? name + 1 : report->path,
			      date_text(report->file.real_time / 1000000000)));
	x = picture_key(cr, x, y, colours_of[MEAN], "line: mean");
	x = picture_key(cr, x, y, colours_of[LEAST], "up to the least share of a packet");
	x = picture_key(cr, x, y, colours_of[GREATEST], "up to the greatest share of a packet");
	picture_key(cr, x, y, colours_of[UNKNOWN], "no data");
}

/* Return the number of streams, from the first on, that fit into a picture. */
static unsigned int fitting(const struct report *report, unsigned int *bands)
{
	unsigned int i, more;

	for (i = 0, *bands = 0; i < report->nr; i++) {
		more = __builtin_popcount(report->stream[i].counters);
		if (*bands + more + i > MAX_BANDS)
			break;
		*bands += more;
	}
	if (i < report->nr)
		complain("the picture ends after %u of %u streams", i, report->nr);
	return i;
}

/**
 * report_draw() - draw timelines as a picture
 * @report: the run
 * @path: file to write: SVG if its name ends in .svg, else PNG
 *
 * Return: false, with a message, if it cannot be written.
 */
bool report_draw(const struct report *report, const char *path)
{
	unsigned int bands, nr = fitting(report, &bands);
	unsigned int width = LEFT + PLOT + RIGHT;
	unsigned int height = HEAD + nr * (TITLE + AXIS) + bands * BAND;
	unsigned int i;
	cairo_t *cr;
	double y = HEAD;

	cr = picture_begin(path, width, height);
	draw_head(cr, report);
	for (i = 0; i < nr; i++)
		y = draw_stream(cr, report, &report->stream[i], y);
	return picture_end(cr, path);
}
