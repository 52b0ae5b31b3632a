// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of events: what they mean, what a user has added, which is near.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "gpu/names.h"
#include "lib/tool.h"

#define LONGEST_NAME	63
#define USER_FILE	".config/pcounter"

static int by_name(const void *key, const void *entry)
{
	return strcmp(key, ((const struct event_text *)entry)->name);
}

/**
 * event_text() - what an event with a public name counts
 * @name: its name
 *
 * Return: the words, NULL if there are none.
 */
const struct event_text *event_text(const char *name)
{
	return bsearch(name, event_texts, nr_event_texts, sizeof(*event_texts), by_name);
}

/* ---- what a user has added ---- */

/* One cell of a line, which may stand in quotes; *rest goes behind it. */
static char *next_cell(char **rest)
{
	char *start = *rest, *end;

	if (!start)
		return NULL;
	if (*start == '"') {
		start++;
		end = strchr(start, '"');
		if (!end)
			return NULL;
		*end++ = 0;
		*rest = *end == ',' ? end + 1 : NULL;
		return start;
	}
	end = strchr(start, ',');
	if (end)
		*end++ = 0;
	*rest = end;
	return start;
}

static bool good_name(const char *name)
{
	return *name && strlen(name) <= LONGEST_NAME &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static void add_line(struct pmu *pmu, const char *path, unsigned int number, char *line)
{
	char *rest = line, *name = next_cell(&rest), *terms = next_cell(&rest);
	char *unit = next_cell(&rest), *text = next_cell(&rest);
	struct pmu_name *more, *entry;
	unsigned int i;

	if (!name || !terms || !good_name(name) || !*terms ||
	    strlen(terms) >= sizeof(entry->terms)) {
		complain("%s:%u: not NAME,\"TERMS\",UNIT,TEXT", path, number);
		return;
	}
	for (i = 0; i < pmu->nr_names; i++) {
		if (strcmp(pmu->names[i].name, name))
			continue;
		complain("%s:%u: %s has an event %s already", path, number, pmu->name, name);
		return;
	}
	more = realloc(pmu->names, (pmu->nr_names + 1) * sizeof(*more));
	if (!more)
		return;
	pmu->names = more;
	entry = &more[pmu->nr_names++];
	memset(entry, 0, sizeof(*entry));
	strcpy(entry->name, name);
	strcpy(entry->terms, terms);
	strcpy(entry->confidence, "user");
	snprintf(entry->unit, sizeof(entry->unit), "%s", unit ? unit : "");
	snprintf(entry->text, sizeof(entry->text), "%s", text ? text : "");
}

/**
 * names_add_user() - the events that the user has written down for a chip
 * @pmu: the PMU; gets them
 *
 * They are in ~/.config/pcounter/CHIP.events, one in a line: NAME,"TERMS",UNIT,TEXT.
 * Lines that begin with "#" and the line of headings say nothing.
 */
void names_add_user(struct pmu *pmu)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[512], line[1024];
	unsigned int number = 0;
	FILE *f;

	if (!*pmu->chip_name || pmu->idle || (!home && !(config && *config)))
		return;
	if (config && *config)
		snprintf(path, sizeof(path), "%s/pcounter/%s.events", config, pmu->chip_name);
	else
		snprintf(path, sizeof(path), "%s/" USER_FILE "/%s.events", home,
			 pmu->chip_name);
	f = fopen(path, "r");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = 0;
		number++;
		if (*line && *line != '#' && strncmp(line, "event,", strlen("event,")))
			add_line(pmu, path, number, line);
	}
	fclose(f);
}

/* ---- what was meant? ---- */

/* How many letters are to be put in, left out or changed. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[LONGEST_NAME + 2], i, k, left, up;
	size_t n = strlen(b);

	if (n > LONGEST_NAME || strlen(a) > LONGEST_NAME)
		return ~0U;
	for (k = 0; k <= n; k++)
		row[k] = k;
	for (i = 0; a[i]; i++) {
		left = i + 1;
		for (k = 0; k < n; k++) {
			up = row[k + 1] + 1;
			up = min(up, left + 1);
			up = min(up, row[k] + (a[i] != b[k]));
			row[k] = left;
			left = up;
		}
		row[n] = left;
	}
	return row[n];
}

/**
 * name_nearest() - the name that was meant, perhaps
 * @name: what was written
 * @list: gives the name with a number, NULL behind the last
 * @context: for @list
 *
 * Return: the nearest name, NULL if none is near.
 */
const char *name_nearest(const char *name, const char *(*list)(const void *context,
							       unsigned int i),
			 const void *context)
{
	unsigned int i, best = strlen(name) / 3 + 1, far;
	const char *nearest = NULL, *other;

	for (i = 0; (other = list(context, i)); i++) {
		far = distance(name, other);
		/* what begins so is not finished yet */
		if (!strncmp(other, name, strlen(name)))
			far = min(far, 2U);
		if (far < best || (far == best && !nearest)) {
			best = far;
			nearest = other;
		}
	}
	return nearest;
}

static const char *pmu_name_at(const void *context, unsigned int i)
{
	const struct pmu *pmu = context;

	return i < pmu->nr_names ? pmu->names[i].name : NULL;
}

/**
 * event_nearest() - the event that was meant, perhaps
 * @pmu: its PMU
 * @name: what was written
 *
 * Return: its name, NULL if none is near.
 */
const char *event_nearest(const struct pmu *pmu, const char *name)
{
	return name_nearest(name, pmu_name_at, pmu);
}
