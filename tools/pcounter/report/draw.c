// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: timelines as pictures, SVG for browsers. Each column shows the shares of
 * its packets: dark up to the least, light up to the greatest, and a line at the mean. Unknown
 * time is grey.
 */
#include <math.h>
#include <wchar.h>

#include "report/report.h"

/* in pixels */
#define FONT		11
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

#define SPACING		0.62	/* width of a character of the font, in its heights */
#define SAME		0.001	/* shares that differ by less are drawn as one line */

/* The shares of a column that are drawn, and unknown time. */
enum kind { LEAST, MEAN, GREATEST, UNKNOWN };

static const char *const colours_of[] = {
	[LEAST] = "#8cb8eb",
	[MEAN] = "#1a4d99",
	[GREATEST] = "#d1e6fa",
	[UNKNOWN] = "#d1d1d1",
};

/* ---- texts and rectangles ---- */

/* XML has no other characters, escaped or not. */
static bool is_xml(wchar_t c)
{
	return (c >= ' ' && c < 0xd800) || (c >= 0xe000 && c < 0xfffe) ||
	       (c > 0xffff && c <= 0x10ffff);
}

/* Write a text of any bytes; "?" is for those that are no characters of the user's locale. */
static void put_letters(FILE *f, const char *text)
{
	const char *end = text + strlen(text);
	mbstate_t state = {};
	wchar_t c;
	size_t n;

	for (; text < end; text += n) {
		n = mbrtowc(&c, text, end - text, &state);
		if (n > (size_t)(end - text) || !is_xml(c)) {
			state = (mbstate_t){};
			n = 1;
			c = '?';
		}
		if (c > '~' || strchr("<>&\"", c))
			fprintf(f, "&#%lu;", (unsigned long)c);
		else
			fputc(c, f);
	}
}

static void put_text(FILE *f, double x, double y, const char *text)
{
	fprintf(f, "<text x=\"%g\" y=\"%g\">", x, y);
	put_letters(f, text);
	fputs("</text>\n", f);
}

/* Draw a rectangle. @title: text that a viewer shows at the pointer, NULL for none */
static void put_rect(FILE *f, double x, double y, double width, double height,
		     const char *style, const char *title)
{
	fprintf(f, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" %s", x, y, width, height,
		style);
	if (title) {
		fputs("><title>", f);
		put_letters(f, title);
		fputs("</title></rect>\n", f);
	} else {
		fputs("/>\n", f);
	}
}

/* Begin a picture with a white background. */
static void begin_picture(FILE *f, unsigned int width, unsigned int height)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", f);
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\"", f);
	fprintf(f, " width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"", width, height, width,
		height);
	fprintf(f, " font-family=\"monospace\" font-size=\"%u\">\n", FONT);
	put_rect(f, 0, 0, width, height, "fill=\"#fff\"", NULL);
}

/* Draw a colour and its meaning. Return the position of the next one. */
static double put_key(FILE *f, double x, double y, const char *colour, const char *text)
{
	put_rect(f, x, y - FONT + 1, FONT, FONT, text_tmp("fill=\"%s\"", colour), NULL);
	put_text(f, x + 1.5 * FONT, y, text);
	return x + (3 + SPACING * strlen(text)) * FONT;
}

/* ---- shares ---- */

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
		put_rect(f, LEFT + first, y - HEIGHT, next - first, HEIGHT, "fill-opacity=\"0\"",
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
			put_rect(f, LEFT + first, y - HEIGHT, end - first, HEIGHT,
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
	put_text(f, LEFT, y - HEIGHT - 6, text_tmp("c%u  %s", k, report_name(rs, k)));
	put_text(f, LEFT - 34, y - HEIGHT + FONT - 2, "100%");
	put_text(f, LEFT - 20, y, "0%");
	draw_line(f, c, report_unit(rs), k, y);
	put_rect(f, LEFT, y - HEIGHT, c->nr, HEIGHT,
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
			x, y, x, y + 4 + FONT, (first + i) * step);
	}
	put_text(f, LEFT, y + 8 + 2 * FONT, unit);
}

static double draw_stream(FILE *f, const struct report *report, const struct report_stream *rs,
			  double y)
{
	struct report_columns columns;
	unsigned int k;

	report_columns(report, rs, PLOT, &columns);
	put_text(f, 8, y + FONT + 6,
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
	double x = 8, y = 2 * FONT + 10;

	put_text(f, x, FONT + 4,
		 text_tmp("%s, recorded %s", name ? name + 1 : report->path,
			  date_text(report->file.real_time / 1000000000)));
	x = put_key(f, x, y, colours_of[MEAN], "line: mean");
	x = put_key(f, x, y, colours_of[LEAST], "up to the least share of a packet");
	x = put_key(f, x, y, colours_of[GREATEST], "up to the greatest share of a packet");
	put_key(f, x, y, colours_of[UNKNOWN], "no data");
}

/**
 * report_draw() - draw timelines as a picture
 * @report: the run
 *
 * Return: false, with a message, if it cannot be written.
 */
bool report_draw(const struct report *report)
{
	static struct out out;
	unsigned int height = HEAD, i;
	double y = HEAD;

	if (!out_open(&out, report->picture))
		return false;
	for (i = 0; i < report->nr; i++)
		height += TITLE + AXIS + BAND * __builtin_popcount(report->stream[i].counters);
	begin_picture(out.f, LEFT + PLOT + RIGHT, height);
	draw_head(out.f, report);
	for (i = 0; i < report->nr; i++)
		y = draw_stream(out.f, report, &report->stream[i], y);
	fputs("</svg>\n", out.f);
	return out_close(&out);
}
