// SPDX-License-Identifier: GPL-2.0-only
/*
 * The map of a survey: a square for each domain, a letter for each wire.
 */
#include "cli/verb.h"
#include "scan/survey.h"

#define ROW		16	/* wires in a line */

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
