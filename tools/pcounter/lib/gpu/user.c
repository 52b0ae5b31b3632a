// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that the user defines in ~/.config/pcounter/CHIP.events.
 */
#include <pwd.h>

#include "gpu/pmu.h"
#include "lib/util.h"

#define HEADINGS	"event,"
#define NAME_LETTERS	"abcdefghijklmnopqrstuvwxyz0123456789_"

/*
 * Copy the cells of a line to the event; a quoted cell may contain commas. Return the error,
 * NULL if there is none.
 */
static const char *take_cells(struct pmu_name *name, char *line)
{
	const struct {
		char *to;
		size_t room;
		const char *what;
	} place[] = {
		{ name->name, sizeof(name->name), "name" },
		{ name->terms, sizeof(name->terms), "list of terms" },
		{ name->unit, sizeof(name->unit), "unit" },
		{ name->text, sizeof(name->text), "text" },
		{ name->source, sizeof(name->source), "source" },
	};
	const char *cell;
	unsigned int i;
	bool quoted;

	for (i = 0; line; i++) {
		if (i == ARRAY_SIZE(place))
			return "more than NAME,\"TERMS\",UNIT,TEXT,SOURCE";
		quoted = *line == '"';
		line += quoted;
		if (quoted && !strchr(line, '"'))
			return "a quote that does not end";
		cell = strsep(&line, quoted ? "\"" : ",");
		if (quoted && *line && *line != ',')
			return "a quote that ends within a cell";
		if (quoted)
			strsep(&line, ",");
		if (snprintf(place[i].to, place[i].room, "%s", cell) >= (int)place[i].room)
			return text_tmp("the %s is too long", place[i].what);
	}
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
	struct pmu_name name = { .confidence = "user" };
	const char *wrong = take_cells(&name, line) ?: check(pmu, &name, event);

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
