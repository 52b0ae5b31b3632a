/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of events: what they mean, and which is near.
 */
#ifndef _PCOUNTER_TOOL_NAMES_H
#define _PCOUNTER_TOOL_NAMES_H

#include "gpu/texts.h"
#include "gpu/types.h"

#define HINT_TEXT	128

const struct event_text *event_text(const char *name);
const struct pmu_name *event_named(const struct pmu *pmu, const char *name);
const char *name_nearest(const char *text, const char *(*list)(const void *context,
							       unsigned int i),
			 const void *context);
char *did_you_mean(const char *near, char hint[HINT_TEXT]);
const char *event_nearest(const struct pmu *pmu, const char *name);
const char *term_nearest(const struct pmu *pmu, const char *name);

#endif
