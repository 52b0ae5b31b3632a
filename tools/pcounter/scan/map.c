// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps of a survey: a square for each domain, a cell for each wire.
 */
#include <math.h>

#include "gpu/pmu.h"
#include "lib/picture.h"
#include "lib/tool.h"
#include "scan/survey.h"

#define ROW		16	/* wires in a line */

/* in pixels */
#define CELL		14
#define MARGIN		40
#define TITLE		34
#define BLOCK_WIDTH	(ROW * CELL + MARGIN + 16)
#define BLOCK_HEIGHT	(ROW * CELL + TITLE + 16)
#define IN_A_LINE	4

static void title_of(const struct survey *survey, unsigned int dom, char *buf, size_t len)
{
	const struct pcounter_topo *topo = &survey->gpu->pmu->topo;
	const char *clock = topo->dom[dom].clock;

	snprintf(buf, len, "%s %s, domain %s%s%s", survey->gpu->pmu->name,
		 survey->gpu->pmu->chip_name,
		 dom_name(survey->gpu->pmu, dom), clock ? ", " : "",
		 clock ? clock : "");
}

/* Return the letter of a wire: '.' always 0, '#' always 1, a digit: tenths, '?' not counted. */
static char letter(const struct wire *wire)
{
	double share = sample_share(&wire->sample[SURVEY_BEFORE]);

	if (isnan(share))
		return '?';
	if (share <= 0)
		return '.';
	if (share >= 1)
		return '#';
	return '0' + (int)(share * 10);
}

static void print_cell(const struct wire *wire, bool colour, FILE *f)
{
	char c = wire->own ? '~' : letter(wire);

	if (colour && wire->changed)
		fprintf(f, "\033[7m%c\033[0m", c);
	else if (colour && c >= '0' && c <= '9')
		fprintf(f, "\033[32m%c\033[0m", c);
	else
		fputc(c, f);
}

/**
 * map_print() - print a map for the terminal
 * @survey: the survey
 * @f: the output
 */
void map_print(const struct survey *survey, FILE *f)
{
	unsigned int dom, i;
	bool colour = colours(f);
	char title[96];

	fputs("  . always 0   # always 1   0-9 tenths of its clocks at 1\n"
	      "  ~ moved by the counting   ? unknown\n", f);
	for (dom = 0; dom < survey->gpu->pmu->topo.nr; dom++) {
		const struct survey_dom *d = &survey->dom[dom];

		title_of(survey, dom, title, sizeof(title));
		fprintf(f, "\n%s\n       0123456789abcdef\n", title);
		for (i = 0; i < d->nr; i++) {
			if (!(i % ROW))
				fprintf(f, "  0x%02x ", i);
			print_cell(&d->wire[i], colour, f);
			if (i % ROW == ROW - 1 || i == d->nr - 1)
				fputc('\n', f);
		}
	}
}

/* Draw a wire: pale for 0, green if it is active, dark blue for 1, grey if unknown. */
static void draw_cell(cairo_t *cr, const struct wire *wire, double x, double y)
{
	double share = sample_share(&wire->sample[SURVEY_BEFORE]);

	if (isnan(share) || wire->own)
		cairo_set_source_rgb(cr, 0.8, 0.8, 0.8);
	else if (share > 0 && share < 1)
		cairo_set_source_rgb(cr, 0.75 * (1 - share), 0.9 - 0.4 * share, 0.6);
	else if (share > 0)
		cairo_set_source_rgb(cr, 0.1, 0.2, 0.5);
	else
		cairo_set_source_rgb(cr, 0.94, 0.95, 0.97);
	cairo_rectangle(cr, x, y, CELL - 1, CELL - 1);
	cairo_fill(cr);
	if (!wire->changed)
		return;
	cairo_set_source_rgb(cr, 0.85, 0, 0);
	cairo_set_line_width(cr, 2);
	cairo_rectangle(cr, x, y, CELL - 1, CELL - 1);
	cairo_stroke(cr);
}

static void draw_domain(cairo_t *cr, const struct survey *survey, unsigned int dom, double x,
			double y)
{
	const struct survey_dom *d = &survey->dom[dom];
	char text[96];
	unsigned int i;

	title_of(survey, dom, text, sizeof(text));
	picture_text(cr, x, y + PICTURE_FONT, text);
	for (i = 0; i < d->nr; i++) {
		if (!(i % ROW)) {
			snprintf(text, sizeof(text), "0x%02x", i);
			picture_text(cr, x, y + TITLE + (i / ROW + 0.8) * CELL, text);
		}
		if (i < ROW) {
			snprintf(text, sizeof(text), "%x", i);
			picture_text(cr, x + MARGIN + (i + 0.2) * CELL, y + TITLE - 4, text);
		}
		draw_cell(cr, &d->wire[i], x + MARGIN + i % ROW * CELL,
			  y + TITLE + i / ROW * CELL);
	}
}

/**
 * map_draw() - draw maps as a picture
 * @surveys: the surveys
 * @n: number of surveys
 * @path: file to write
 *
 * Return: false, with a message, if it cannot be written.
 */
bool map_draw(const struct survey *const *surveys, unsigned int n, const char *path)
{
	unsigned int total = 0, at = 0, i, dom;
	cairo_t *cr;

	for (i = 0; i < n; i++)
		total += surveys[i]->gpu->pmu->topo.nr;
	cr = picture_begin(path, BLOCK_WIDTH * min_t(unsigned int, total, IN_A_LINE),
			   BLOCK_HEIGHT * ((total + IN_A_LINE - 1) / IN_A_LINE));
	for (i = 0; i < n; i++)
		for (dom = 0; dom < surveys[i]->gpu->pmu->topo.nr; dom++, at++)
			draw_domain(cr, surveys[i], dom, at % IN_A_LINE * BLOCK_WIDTH + 8,
				    at / IN_A_LINE * BLOCK_HEIGHT + 8);
	return picture_end(cr, path);
}
