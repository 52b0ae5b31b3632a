// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that the user defines in ~/.config/pcounter/CHIP.events.
 */
#include <pwd.h>

#include "gpu/pmu.h"
#include "lib/util.h"

#define HEADINGS	"event,"
#define NAME_LETTERS	"abcdefghijklmnopqrstuvwxyz0123456789_"

enum { NAME, TERMS, UNIT, TEXT, SOURCE, CELLS };

/* Split a line into cells; a quoted cell may contain commas. */
static const char *split(char *line, char **cell)
{
	unsigned int n = 0;
	bool quoted;

	for (; line; n++) {
		if (n == CELLS)
			return "more than NAME,\"TERMS\",UNIT,TEXT,SOURCE";
		quoted = *line == '"';
		cell[n] = line + quoted;
		line = cell[n];
		if (quoted && !strchr(line, '"'))
			return "a quote that does not end";
		if (quoted)
			strsep(&line, "\"");
		if (quoted && *line && *line != ',')
			return "a quote that ends within a cell";
		strsep(&line, ",");
	}
	return NULL;
}

/**
 * struct cell_place - place of a cell in struct pmu_name
 * @at: offset in bytes
 * @room: size in bytes
 * @wrong: message about a longer cell
 */
static const struct cell_place {
	size_t at;
	size_t room;
	const char *wrong;
} places[CELLS] = {
	[NAME] = { offsetof(struct pmu_name, name), sizeof(((struct pmu_name *)NULL)->name),
		"the name is too long" },
	[TERMS] = { offsetof(struct pmu_name, terms), sizeof(((struct pmu_name *)NULL)->terms),
		"too many terms" },
	[UNIT] = { offsetof(struct pmu_name, unit), sizeof(((struct pmu_name *)NULL)->unit),
		"the unit is too long" },
	[TEXT] = { offsetof(struct pmu_name, text), sizeof(((struct pmu_name *)NULL)->text),
		"the text is too long" },
	[SOURCE] = { offsetof(struct pmu_name, source), sizeof(((struct pmu_name *)NULL)->source),
		"the source is too long" },
};

static const char *check(const struct pmu *pmu, char *const *cell, struct event *event)
{
	const char *name = cell[NAME];
	unsigned int i;

	if (!*name || name[strspn(name, NAME_LETTERS)])
		return "a name has small letters, digits and _";
	for (i = 0; i < CELLS; i++)
		if (strlen(cell[i]) >= places[i].room)
			return places[i].wrong;
	if (event_named(pmu, name))
		return "the chip has an event of that name already";
	if (!*cell[TERMS])
		return "no terms";
	if (!event_terms(pmu, cell[TERMS], event))
		return event->error;
	return event_domain(event) < 0 ? "the chip has no such domain" : NULL;
}

/* Add the event of a line. Return the error, NULL if there is none. */
static const char *add_line(struct pmu *pmu, char *line, struct event *event)
{
	char none[] = "", *cell[CELLS] = { none, none, none, none, none };
	const char *wrong = split(line, cell);
	struct pmu_name *entry;
	unsigned int i;

	wrong = wrong ?: check(pmu, cell, event);
	if (wrong)
		return wrong;
	entry = pmu_name_add(pmu);
	strcpy(entry->confidence, "user");
	for (i = 0; i < CELLS; i++)
		strcpy((char *)entry + places[i].at, cell[i]);
	return NULL;
}

/* Return the folder of the user's settings, for immediate use. */
static const char *settings_folder(void)
{
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
	const struct passwd *user = home ? NULL : getpwuid(getuid());

	return config && *config ? config :
	       text_tmp("%s/.config", home ?: user ? user->pw_dir : "");
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
	char path[512], line[1024];
	unsigned int number;
	const char *wrong;
	FILE *f;

	if (!*pmu->chip_name || !pmu->topo.chip)
		return;
	snprintf(path, sizeof(path), "%s/pcounter/%s.events", settings_folder(), pmu->chip_name);
	f = fopen(path, "r");
	if (!f)
		return;
	for (number = 1; fgets(line, sizeof(line), f); number++) {
		struct event event = {};

		line[strcspn(line, "\r\n")] = 0;
		strcpy(line, text_plain(line));
		if (!*line || *line == '#' || !strncmp(line, HEADINGS, strlen(HEADINGS)))
			continue;
		wrong = add_line(pmu, line, &event);
		if (wrong)
			complain("%s:%u: %s", path, number, wrong);
	}
	fclose(f);
}
