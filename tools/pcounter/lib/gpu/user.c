// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that the user defines in ~/.config/pcounter/CHIP.events.
 */
#include <pwd.h>

#include "gpu/pmu.h"
#include "lib/util.h"

#define HEADINGS	"event,"
#define NAME_LETTERS	"abcdefghijklmnopqrstuvwxyz0123456789_"
#define CELLS		5	/* name, terms, unit, text, source */

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

/* Copy cells to the event. Return the error, NULL if there is none. */
static const char *fill(struct pmu_name *name, char *const *cell)
{
	const struct {
		char *to;
		size_t room;
		const char *what;
	} place[CELLS] = {
		{ name->name, sizeof(name->name), "name" },
		{ name->terms, sizeof(name->terms), "list of terms" },
		{ name->unit, sizeof(name->unit), "unit" },
		{ name->text, sizeof(name->text), "text" },
		{ name->source, sizeof(name->source), "source" },
	};
	unsigned int i;

	for (i = 0; i < CELLS; i++)
		if (snprintf(place[i].to, place[i].room, "%s", cell[i]) >= (int)place[i].room)
			return text_tmp("the %s is too long", place[i].what);
	return NULL;
}

static const char *check(const struct pmu *pmu, const struct pmu_name *name, struct event *event)
{
	if (!*name->name || name->name[strspn(name->name, NAME_LETTERS)])
		return "a name has small letters, digits and _";
	if (event_named(pmu, name->name))
		return "the chip has an event of that name already";
	if (!*name->terms)
		return "no terms";
	if (!event_terms(pmu, name->terms, event))
		return event->error;
	return event_domain(event) < 0 ? "the chip has no such domain" : NULL;
}

/* Add the event of a line. Return the error, NULL if there is none. */
static const char *add_line(struct pmu *pmu, char *line, struct event *event)
{
	char none[] = "", *cell[CELLS] = { none, none, none, none, none };
	struct pmu_name name = { .confidence = "user" };
	const char *wrong = split(line, cell) ?: fill(&name, cell) ?: check(pmu, &name, event);

	if (!wrong)
		*pmu_name_add(pmu) = name;
	return wrong;
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
