// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of events: what they mean, and which is near.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "gpu/names.h"
#include "lib/tool.h"

#define LONGEST_NAME	63

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

/* ---- what was meant? ---- */

/* Of how many letters may differ two names that are alike. */
static unsigned int tolerated(size_t len)
{
	return len < 3 ? 1 : max(2U, (unsigned int)len / 4 + 1);
}

/* How many letters are to be put in and left out; @a is no longer than a name. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[LONGEST_NAME + 2], i, k, left, up;
	size_t n = strlen(b);

	if (n > LONGEST_NAME)
		return ~0U;
	for (k = 0; k <= n; k++)
		row[k] = k;
	for (i = 0; a[i]; i++) {
		left = i + 1;
		for (k = 0; k < n; k++) {
			up = row[k + 1] + 1;
			up = min(up, left + 1);
			up = min(up, row[k] + 2 * (a[i] != b[k]));
			row[k] = left;
			left = up;
		}
		row[n] = left;
	}
	return row[n];
}

/**
 * name_nearest() - the name that was meant, perhaps
 * @text: what was written
 * @list: gives the name with a number, NULL behind the last
 * @context: for @list
 *
 * Return: the nearest name; NULL if none is alike: a wrong guess helps nobody.
 */
const char *name_nearest(const char *text, const char *(*list)(const void *context,
							       unsigned int i),
			 const void *context)
{
	char name[LONGEST_NAME + 1];
	const char *nearest = NULL, *other;
	unsigned int i, far, best;

	snprintf(name, sizeof(name), "%s", text);
	best = tolerated(strlen(name)) + 1;
	for (i = 0; (other = list(context, i)); i++) {
		far = distance(name, other);
		/* what begins so is not finished yet */
		if (strlen(name) > 2 && !strncmp(other, name, strlen(name)))
			far = min(far, 2U);
		if (far < best) {
			best = far;
			nearest = other;
		}
	}
	return nearest;
}

/**
 * did_you_mean() - what an error says of the name that was meant, perhaps
 * @near: that name, NULL if there is none
 * @hint: gets a part of a sentence, nothing if there is none
 *
 * Return: @hint.
 */
char *did_you_mean(const char *near, char hint[HINT_TEXT])
{
	*hint = 0;
	if (near)
		snprintf(hint, HINT_TEXT, "; did you mean %s?", near);
	return hint;
}

/**
 * event_named() - an event by its name
 * @pmu: its PMU
 * @name: the name
 *
 * Return: the event, NULL if there is none.
 */
const struct pmu_name *event_named(const struct pmu *pmu, const char *name)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_names; i++)
		if (!strcmp(pmu->names[i].name, name))
			return &pmu->names[i];
	return NULL;
}

/**
 * pmu_with() - the PMU of a GPU that has an event
 * @pmu: the GPU's PMU
 * @name: name of the event
 *
 * Return: that PMU, or the one of its idle counters, or NULL.
 */
const struct pmu *pmu_with(const struct pmu *pmu, const char *name)
{
	if (event_named(pmu, name))
		return pmu;
	return pmu->beside && event_named(pmu->beside, name) ? pmu->beside : NULL;
}

/**
 * pmu_name_add() - make room for one more event with a name
 * @pmu: its PMU
 *
 * Return: the event, all zero; NULL if there is no memory.
 */
struct pmu_name *pmu_name_add(struct pmu *pmu)
{
	struct pmu_name *more = realloc(pmu->names, (pmu->nr_names + 1) * sizeof(*more));

	if (!more)
		return NULL;
	pmu->names = more;
	return memset(&more[pmu->nr_names++], 0, sizeof(*more));
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
 * Return: its name, NULL if none is alike.
 */
const char *event_nearest(const struct pmu *pmu, const char *name)
{
	return name_nearest(name, pmu_name_at, pmu);
}

static const char *pmu_term_at(const void *context, unsigned int i)
{
	const struct pmu *pmu = context;

	return i < pmu->nr_terms ? pmu->term[i].name : NULL;
}

/**
 * term_nearest() - the term that was meant, perhaps
 * @pmu: its PMU
 * @name: what was written
 *
 * Return: its name, NULL if none is alike.
 */
const char *term_nearest(const struct pmu *pmu, const char *name)
{
	return name_nearest(name, pmu_term_at, pmu);
}
