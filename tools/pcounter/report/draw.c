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

/* The shares of a column that are drawn, and unknown time. */
enum kind { LEAST, MEAN, GREATEST, UNKNOWN };

static const char *const colours_of[] = {
	[LEAST] = "#8cb8eb",
	[MEAN] = "#1a4d99",
	[GREATEST] = "#d1e6fa",
	[UNKNOWN] = "#d1d1d1",
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

/* Draw the outline between two unknown stretches; join equal shares. */
static void outline(FILE *f, const struct report_columns *c, unsigned int k, enum kind kind,
		    double y, unsigned int first, unsigned int end)
{
	double share = share_of(c, k, kind, first), next;
	unsigned int i;

	fprintf(f, "<path d=\"M%u %.2f", LEFT + first, y - height_of(share));
	for (i = first + 1; i < end; i++) {
		next = share_of(c, k, kind, i);
		if (fabs(next - share) < SAME)
			continue;
		fprintf(f, "H%uV%.2f", LEFT + i, y - height_of(next));
		share = next;
	}
	fprintf(f, "H%u", LEFT + end);
	if (kind == MEAN)
		fprintf(f, "\" fill=\"none\" stroke=\"%s\"/>\n", colours_of[kind]);
	else
		fprintf(f, "V%gH%uZ\" fill=\"%s\"/>\n", y, LEFT + first, colours_of[kind]);
}

static bool is_same(const struct report_columns *c, unsigned int k, unsigned int a,
		    unsigned int b)
{
	enum kind kind;

	for (kind = LEAST; kind <= GREATEST; kind++)
		if (fabs(share_of(c, k, kind, a) - share_of(c, k, kind, b)) >= SAME)
			return false;
	return true;
}

/* Give columns a title with their shares; join equal columns. */
static void put_titles(FILE *f, const struct report_columns *c, const char *unit, unsigned int k,
		       double y, unsigned int first, unsigned int end)
{
	double width = (c->to - c->from) / c->nr;
	int digits = fmax(0, 1 - floor(log10(width)));
	unsigned int next;

	for (; first < end; first = next) {
		for (next = first + 1; next < end && is_same(c, k, first, next);)
			next++;
		picture_rect(f, LEFT + first, y - HEIGHT, next - first, HEIGHT,
			     "fill-opacity=\"0\"",
			     text_tmp("%.*f to %.*f %s: mean %.1f %%, %.1f to %.1f %% in a packet",
				      digits, c->from + first * width,
				      digits, c->from + next * width, unit,
				      100 * share_of(c, k, MEAN, first),
				      100 * share_of(c, k, LEAST, first),
				      100 * share_of(c, k, GREATEST, first)));
	}
}

static void draw_line(FILE *f, const struct report_columns *c, const char *unit, unsigned int k,
		      double y)
{
	unsigned int first, end;

	for (first = 0; first < c->nr; first = end) {
		end = stretch_end(c, first);
		if (!report_column(c, first)) {
			picture_rect(f, LEFT + first, y - HEIGHT, end - first, HEIGHT,
				     text_tmp("fill=\"%s\"", colours_of[UNKNOWN]), "no data");
			continue;
		}
		outline(f, c, k, GREATEST, y, first, end);
		outline(f, c, k, LEAST, y, first, end);
		outline(f, c, k, MEAN, y, first, end);
		put_titles(f, c, unit, k, y, first, end);
	}
}

static void draw_band(FILE *f, const struct report_columns *c, const struct report_stream *rs,
		      unsigned int k, double y)
{
	picture_text(f, LEFT, y - HEIGHT - 6, text_tmp("c%u  %s", k, report_name(rs, k)));
	picture_text(f, LEFT - 34, y - HEIGHT + PICTURE_FONT - 2, "100%");
	picture_text(f, LEFT - 20, y, "0%");
	draw_line(f, c, report_unit(rs), k, y);
	picture_rect(f, LEFT, y - HEIGHT, c->nr, HEIGHT,
		     "fill=\"none\" stroke=\"#999\" stroke-width=\"0.5\"", NULL);
}

/* Return a round number of units between two ticks. */
static double tick_step(double range)
{
	double step = pow(10, floor(log10(range / TICKS)));

	if (range / step > 5 * TICKS)
		return 5 * step;
	return range / step > 2 * TICKS ? 2 * step : step;
}

static void draw_axis(FILE *f, const struct report_columns *c, const char *unit, double y)
{
	double range = c->to - c->from, step = tick_step(range), x;
	double first = ceil(c->from / step);
	unsigned int i;

	for (i = 0; i <= 5 * TICKS && (first + i) * step <= c->to; i++) {
		x = LEFT + ((first + i) * step - c->from) / range * c->nr;
		fprintf(f, "<path d=\"M%.2f %gv4\" stroke=\"#000\"/>\n"
			"<text x=\"%.2f\" y=\"%g\" text-anchor=\"middle\">%.10g</text>\n",
			x, y, x, y + 4 + PICTURE_FONT, (first + i) * step);
	}
	picture_text(f, LEFT, y + 8 + 2 * PICTURE_FONT, unit);
}

static double draw_stream(FILE *f, const struct report *report, const struct report_stream *rs,
			  double y)
{
	struct report_columns columns;
	unsigned int k;

	report_columns(report, rs, PLOT, &columns);
	picture_text(f, 8, y + PICTURE_FONT + 6,
		     text_tmp("%s, %s, domain %u: share of its clocks in which a signal is 1",
			      *rs->s->card ? rs->s->card : rs->s->pmu, rs->s->gpu, rs->s->domain));
	y += TITLE;
	for (k = 0; k < READ_COUNTERS; k++) {
		if (!(rs->counters & BIT(k)))
			continue;
		y += BAND;
		draw_band(f, &columns, rs, k, y);
	}
	draw_axis(f, &columns,
		  rs->clock.timed ? "s since the capture began" : report_unit(rs), y + 4);
	free(columns.column);
	return y + AXIS;
}

/* Draw the heading of the picture: the capture, and the legend. */
static void draw_head(FILE *f, const struct report *report)
{
	const char *name = strrchr(report->path, '/');
	double x = 8, y = 2 * PICTURE_FONT + 10;

	picture_text(f, x, PICTURE_FONT + 4,
		     text_tmp("%s, recorded %s", name ? name + 1 : report->path,
			      date_text(report->file.real_time / 1000000000)));
	x = picture_key(f, x, y, colours_of[MEAN], "line: mean");
	x = picture_key(f, x, y, colours_of[LEAST], "up to the least share of a packet");
	x = picture_key(f, x, y, colours_of[GREATEST], "up to the greatest share of a packet");
	picture_key(f, x, y, colours_of[UNKNOWN], "no data");
}

/**
 * report_draw() - draw timelines as a picture
 * @report: the run
 *
 * Return: false, with a message, if it cannot be written.
 */
bool report_draw(const struct report *report)
{
	unsigned int height = HEAD, i;
	double y = HEAD;
	FILE *f;

	for (i = 0; i < report->nr; i++)
		height += TITLE + AXIS + BAND * __builtin_popcount(report->stream[i].counters);
	f = picture_begin(report->picture, LEFT + PLOT + RIGHT, height);
	if (!f)
		return false;
	draw_head(f, report);
	for (i = 0; i < report->nr; i++)
		y = draw_stream(f, report, &report->stream[i], y);
	return picture_end();
}
