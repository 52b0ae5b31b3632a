// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of events, with their descriptions, and similar names.
 */
#include "gpu/names.h"
#include "lib/tool.h"

static int by_name(const void *key, const void *entry)
{
	return strcmp(key, ((const struct event_text *)entry)->name);
}

/**
 * event_text() - find the description of an event with a public name
 * @name: its name
 *
 * Return: the description, NULL if there is none.
 */
const struct event_text *event_text(const char *name)
{
	return bsearch(name, event_texts, nr_event_texts, sizeof(*event_texts), by_name);
}

/* ---- similar names ---- */

/* Return the greatest distance at which two names count as similar. */
static unsigned int tolerated(size_t len)
{
	return len < 3 ? 1 : max(2U, (unsigned int)len / 4 + 1);
}

/* Return the number of insertions and deletions from @a to @b; @a is at most LONGEST_NAME long. */
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
 * guess_begin() - start the search for a similar name
 * @text: the user's text
 *
 * Return: a guess without a name.
 */
struct guess guess_begin(const char *text)
{
	struct guess guess = {};

	snprintf(guess.text, sizeof(guess.text), "%s", text);
	guess.best = tolerated(strlen(guess.text)) + 1;
	return guess;
}

/**
 * guess_try() - take a name if it is nearer than all earlier ones
 * @guess: the guess
 * @name: the name
 */
void guess_try(struct guess *guess, const char *name)
{
	size_t len = strlen(guess->text);
	unsigned int far = distance(guess->text, name);

	/* a prefix is an unfinished name */
	if (len > 2 && !strncmp(name, guess->text, len))
		far = min(far, 2U);
	if (far >= guess->best)
		return;
	guess->best = far;
	guess->name = name;
}

/**
 * did_you_mean() - suggest a name in an error message
 * @near: the name, NULL if no name is similar
 *
 * Return: a part of a sentence, empty without a name.
 */
const char *did_you_mean(const char *near)
{
	return near ? text_tmp("; did you mean %s?", near) : "";
}

/**
 * event_named() - find an event by its name
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
 * pmu_with() - find the PMU of a GPU that has an event
 * @pmu: the GPU's PMU
 * @name: name of the event
 *
 * Return: @pmu, the PMU of its idle counters, or NULL.
 */
const struct pmu *pmu_with(const struct pmu *pmu, const char *name)
{
	if (event_named(pmu, name))
		return pmu;
	return pmu->beside && event_named(pmu->beside, name) ? pmu->beside : NULL;
}

/**
 * pmu_name_add() - add a named event to a PMU
 * @pmu: its PMU
 *
 * Return: the event, all zero.
 */
struct pmu_name *pmu_name_add(struct pmu *pmu)
{
	pmu->names = grow(pmu->names, pmu->nr_names, sizeof(*pmu->names));
	return &pmu->names[pmu->nr_names++];
}

/**
 * event_nearest() - find the event with the most similar name
 * @pmu: its PMU
 * @name: the user's text
 *
 * Return: its name, NULL if no name is similar.
 */
const char *event_nearest(const struct pmu *pmu, const char *name)
{
	struct guess guess = guess_begin(name);
	unsigned int i;

	for (i = 0; i < pmu->nr_names; i++)
		guess_try(&guess, pmu->names[i].name);
	return guess.name;
}

/**
 * term_nearest() - find the term with the most similar name
 * @pmu: its PMU
 * @name: the user's text
 *
 * Return: its name, NULL if no name is similar.
 */
const char *term_nearest(const struct pmu *pmu, const char *name)
{
	struct guess guess = guess_begin(name);
	unsigned int i;

	for (i = 0; i < pmu->nr_terms; i++)
		guess_try(&guess, pmu->term[i].name);
	return guess.name;
}
