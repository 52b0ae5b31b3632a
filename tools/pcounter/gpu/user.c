// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that the user defines in ~/.config/pcounter/CHIP.events.
 */
#include "gpu/event.h"
#include "gpu/names.h"
#include "lib/tool.h"

#define USER_FOLDER	".config/pcounter"
#define HEADINGS	"event,"
#define NAME_LETTERS	"abcdefghijklmnopqrstuvwxyz0123456789_"

enum { NAME, TERMS, UNIT, TEXT, SOURCE, CELLS };

/* Split off a cell, which ends at a comma; a quoted cell may contain commas. */
static const char *split(char *line, char **cell)
{
	unsigned int n = 0;
	char *end;

	for (;; line = end) {
		bool quoted = *line == '"';

		if (n == CELLS)
			return "more than NAME,\"TERMS\",UNIT,TEXT,SOURCE";
		cell[n++] = line + quoted;
		end = strchr(line + quoted, quoted ? '"' : ',');
		if (quoted && !end)
			return "a quote that does not end";
		if (quoted && end[1] && end[1] != ',')
			return "a quote that ends within a cell";
		if (!end || (quoted && !end[1])) {
			if (end)
				*end = 0;
			return NULL;
		}
		*end++ = 0;
		end += quoted;
	}
}

static const char *check_name(const struct pmu *pmu, const char *name)
{
	if (!*name || name[strspn(name, NAME_LETTERS)])
		return "a name has small letters, digits and _";
	if (strlen(name) >= sizeof(pmu->names->name))
		return "the name is too long";
	return event_named(pmu, name) ? "the chip has an event of that name already" : NULL;
}

static const char *check_terms(const struct pmu *pmu, const char *terms, struct event *event)
{
	if (!*terms)
		return "no terms";
	if (strlen(terms) >= sizeof(pmu->names->terms))
		return "too many terms";
	if (!event_terms(pmu, terms, event))
		return event->error;
	return event_domain(pmu, event) < 0 ? "the chip has no such domain" : NULL;
}

static const char *check_words(const struct pmu *pmu, char *const *cell)
{
	if (strlen(cell[UNIT]) >= sizeof(pmu->names->unit))
		return "the unit is too long";
	if (strlen(cell[TEXT]) >= sizeof(pmu->names->text))
		return "the text is too long";
	return strlen(cell[SOURCE]) >= sizeof(pmu->names->source) ?
	       "the source is too long" : NULL;
}

/* Add the event of a line. Return the error, NULL if there is none. */
static const char *add_line(struct pmu *pmu, char *line, struct event *event)
{
	char none[] = "", *cell[CELLS] = { none, none, none, none, none };
	const char *wrong = split(line, cell);
	struct pmu_name *entry;

	if (!wrong)
		wrong = check_name(pmu, cell[NAME]);
	if (!wrong)
		wrong = check_terms(pmu, cell[TERMS], event);
	if (!wrong)
		wrong = check_words(pmu, cell);
	if (wrong)
		return wrong;
	entry = pmu_name_add(pmu);
	strcpy(entry->name, cell[NAME]);
	strcpy(entry->terms, cell[TERMS]);
	strcpy(entry->confidence, "user");
	strcpy(entry->unit, cell[UNIT]);
	strcpy(entry->text, cell[TEXT]);
	strcpy(entry->source, cell[SOURCE]);
	return NULL;
}

static void add_lines(struct pmu *pmu, FILE *f, const char *path)
{
	unsigned int number = 0;
	char line[1024];

	while (fgets(line, sizeof(line), f)) {
		struct event event = {};
		const char *wrong;

		line[strcspn(line, "\r\n")] = 0;
		number++;
		if (!*line || *line == '#' || !strncmp(line, HEADINGS, strlen(HEADINGS)))
			continue;
		wrong = add_line(pmu, line, &event);
		if (wrong)
			complain("%s:%u: %s", path, number, wrong);
	}
}

/**
 * user_names_add() - add the events that the user defines for a chip
 * @pmu: the PMU; gets the events
 *
 * Each line defines an event: NAME,"TERMS",UNIT,TEXT,SOURCE; the last three may be
 * missing. Lines that begin with "#" and the line of headings are ignored. Invalid lines
 * are reported by number on stderr, and left out.
 */
void user_names_add(struct pmu *pmu)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[512];
	FILE *f;

	if (!*pmu->chip_name || !pmu->topo.chip)
		return;
	if (config && *config)
		snprintf(path, sizeof(path), "%s/pcounter/%s.events", config, pmu->chip_name);
	else if (home)
		snprintf(path, sizeof(path), "%s/" USER_FOLDER "/%s.events", home,
			 pmu->chip_name);
	else
		return;
	f = fopen(path, "r");
	if (!f)
		return;
	add_lines(pmu, f, path);
	fclose(f);
}
