// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps of a survey: a square for each domain, a cell for each wire.
 */
#include <math.h>

#include "cli/picture.h"
#include "cli/verb.h"
#include "scan/survey.h"

#define ROW		16	/* wires in a line */

/* in pixels */
#define CELL		14
#define MARGIN		40
#define TITLE		34
#define HEAD		(PICTURE_FONT + 6)	/* a line of the heading */
#define BLOCK_WIDTH	(ROW * CELL + MARGIN + 16)
#define BLOCK_HEIGHT	(ROW * CELL + TITLE + 16)
#define IN_A_LINE	4
#define LEAST_WIDTH	(2 * BLOCK_WIDTH)	/* room for the heading */

#define CHANGED		(WIRE_OWN + 1)	/* the frame of a wire that the command changed */

/* Colours, and their meanings in the legend. */
static const struct {
	const char *colour;
	const char *text;
} keys[] = {
	[WIRE_LOW] = { "#f0f2f7", "always 0" },
	[WIRE_ACTIVE] = { "#66b399", "changes" },
	[WIRE_HIGH] = { "#1a3380", "always 1" },
	[WIRE_UNKNOWN] = { "#ccc", "unknown" },
	[WIRE_OWN] = { "#ccc", NULL },
	[CHANGED] = { "#d90000", "frame: changed by the command" },
};

/* Return the title of a domain. */
static const char *title_of(const struct survey *survey, unsigned int dom)
{
	const struct pmu *pmu = survey->gpu->pmu;
	const char *clock = pmu->topo.dom[dom].clock;

	return text_tmp("%s %s, domain %s%s%s", pmu->name, pmu->chip_name, dom_name(pmu, dom),
			clock ? ", " : "", clock ?: "");
}

static void print_cell(const struct wire *wire, bool colour, FILE *f)
{
	static const char letters[] = {
		[WIRE_OWN] = '~', [WIRE_UNKNOWN] = '?', [WIRE_LOW] = '.', [WIRE_HIGH] = '#',
	};
	bool active = wire_state(wire) == WIRE_ACTIVE;
	char c = active ? '0' + (int)(wire_share(&wire->before) * 10) : letters[wire_state(wire)];

	if (colour && (wire->rank || active))
		fprintf(f, "\033[%sm%c\033[0m", wire->rank ? "7" : "32", c);
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

	fputs("  . always 0   # always 1   0-9 tenths of its clocks at 1\n"
	      "  ~ moved by the counting   ? unknown\n", f);
	for (dom = 0; dom < survey->gpu->pmu->topo.nr; dom++) {
		const struct survey_dom *d = &survey->dom[dom];

		fprintf(f, "\n%s\n       0123456789abcdef\n", title_of(survey, dom));
		for (i = 0; i < d->nr; i++) {
			if (!(i % ROW))
				fprintf(f, "  0x%02x ", i);
			print_cell(&d->wire[i], colour, f);
			if (i % ROW == ROW - 1 || i == d->nr - 1)
				fputc('\n', f);
		}
	}
}

/* Return the title of a wire: its number, name and shares, or its state. */
static const char *wire_title(const struct survey *survey, const struct wire *wire)
{
	const struct pmu *pmu = survey->gpu->pmu;
	const struct pmu_name *name = pmu_wire_name(pmu, &pmu->topo.dom[wire->dom], wire->sig);
	enum wire_state state = wire_state(wire);
	const char *text = text_tmp("0x%02x%s%s: ", wire->sig, name ? " " : "",
				    name ? name->name : "");

	if (state != WIRE_ACTIVE)
		return text_tmp("%s%s", text, keys[state].text ?: "moved by the counting");
	text = text_tmp("%sat 1 in %.3f %% of its clocks", text, 100 * shares_mean(&wire->still));
	if (!wire->rank)
		return text;
	return text_tmp("%s, with the command in %.3f %%", text, 100 * shares_mean(&wire->driven));
}

/* Draw a wire; the colour of an active one shows its share. */
static void draw_cell(FILE *f, const struct survey *survey, const struct wire *wire, double x,
		      double y)
{
	unsigned int light = 255 * (1 - wire_share(&wire->before)), red = light * 3 / 4;
	const char *style = text_tmp("fill=\"%s\"", keys[wire_state(wire)].colour);

	if (wire_state(wire) == WIRE_ACTIVE)
		style = text_tmp("fill=\"#%02x%02x99\"", red, 128 + light * 2 / 5);
	if (wire->rank)
		style = text_tmp("%s stroke=\"%s\" stroke-width=\"2\"", style,
				 keys[CHANGED].colour);
	picture_rect(f, x, y, CELL - 1, CELL - 1, style, wire_title(survey, wire));
}

static void draw_domain(FILE *f, const struct survey *survey, unsigned int dom, double x,
			double y)
{
	const struct survey_dom *d = &survey->dom[dom];
	const char *title = title_of(survey, dom);
	unsigned int i;

	/* without the remark on the clock, which may be longer than the square */
	picture_text(f, x, y + PICTURE_FONT, text_tmp("%.*s", (int)strcspn(title, "("), title));
	for (i = 0; i < d->nr; i++) {
		if (!(i % ROW))
			picture_text(f, x, y + TITLE + (i / ROW + 0.8) * CELL,
				     text_tmp("0x%02x", i));
		if (i < ROW)
			picture_text(f, x + MARGIN + (i + 0.2) * CELL, y + TITLE - 4,
				     text_tmp("%x", i));
		draw_cell(f, survey, &d->wire[i], x + MARGIN + i % ROW * CELL,
			  y + TITLE + i / ROW * CELL);
	}
}

/* Draw the names of the cards, the date and the legend. Return the height. */
static double draw_head(FILE *f, const struct survey *surveys, unsigned int n)
{
	double x = 8, y = PICTURE_FONT + 4;
	unsigned int i;

	for (i = 0; i < n; i++, y += HEAD) {
		const struct gpu *gpu = surveys[i].gpu;
		const char *card = gpu_card(gpu);

		picture_text(f, x, y, text_tmp("%s%s%s, %s, scanned %s", card, *card ? " " : "",
					       gpu->pmu->chip_name, gpu->address,
					       date_text(time(NULL))));
	}
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].text)
			x = picture_key(f, x, y, keys[i].colour, keys[i].text);
	return y + PICTURE_FONT;
}

/**
 * map_draw() - draw maps as a picture
 * @surveys: the surveys
 * @n: number of surveys
 * @path: file to write
 *
 * Return: false, with a message, if it cannot be written.
 */
bool map_draw(const struct survey *surveys, unsigned int n, const char *path)
{
	unsigned int total = 0, at = 0, i, dom;
	FILE *f;
	double y;

	for (i = 0; i < n; i++)
		total += surveys[i].gpu->pmu->topo.nr;
	f = picture_begin(path, max_t(unsigned int, LEAST_WIDTH,
				      BLOCK_WIDTH * min_t(unsigned int, total, IN_A_LINE)),
			  HEAD * (n + 2) + BLOCK_HEIGHT * DIV_ROUND_UP(total, IN_A_LINE));
	if (!f)
		return false;
	y = draw_head(f, surveys, n);
	for (i = 0; i < n; i++)
		for (dom = 0; dom < surveys[i].gpu->pmu->topo.nr; dom++, at++)
			draw_domain(f, &surveys[i], dom, at % IN_A_LINE * BLOCK_WIDTH + 8,
				    at / IN_A_LINE * BLOCK_HEIGHT + y);
	return picture_end();
}
