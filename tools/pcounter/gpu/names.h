/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of events, with their descriptions, names of chips, and similar names.
 */
#ifndef _PCOUNTER_TOOL_NAMES_H
#define _PCOUNTER_TOOL_NAMES_H

#include "gpu/texts.h"
#include "gpu/types.h"

#define LONGEST_NAME	63
/* Busy clocks of the graphics engine; scripts/tables/metrics.csv has its sources. */
#define GPU_BUSY	"gpu_busy"
#define IDLE_DOMAIN	"pdaemon"	/* the idle counters run at its clock */
#define IDLE_TICKS	"ticks"	/* time base of the idle counters */

/**
 * struct guess - a search for a similar name
 * @text: the user's text
 * @name: the nearest name so far, NULL if no name is similar
 * @best: distance of @name from @text
 */
struct guess {
	char text[LONGEST_NAME + 1];
	const char *name;
	unsigned int best;
};

const struct event_text *event_text(const char *name);
unsigned int confidence_rank(const char *word);
const struct pmu *pmu_with(const struct pmu *pmu, const char *name);
struct pmu_name *pmu_name_add(struct pmu *pmu);
const struct pmu_name *event_named(const struct pmu *pmu, const char *name);
struct guess guess_begin(const char *text);
void guess_try(struct guess *guess, const char *name);
const char *did_you_mean(const char *near);
const char *event_nearest(const struct pmu *pmu, const char *name);
const char *term_nearest(const struct pmu *pmu, const char *name);
const struct pcounter_chip *chip_find(const char *text, char *chips, size_t len);
const char *chip_why_not(const char *text);

void user_names_add(struct pmu *pmu);

#endif
