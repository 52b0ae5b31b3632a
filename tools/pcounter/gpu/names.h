/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of events: what they mean, and which is near.
 */
#ifndef _PCOUNTER_TOOL_NAMES_H
#define _PCOUNTER_TOOL_NAMES_H

#include "gpu/texts.h"
#include "gpu/types.h"

#define HINT_TEXT	128
#define GPU_BUSY	"gpu_busy"	/* how busy the graphics engine is, on every chip */
#define IDLE_DOMAIN	"pdaemon"	/* whose clock the idle counters have */
#define IDLE_TICKS	"ticks"	/* time base of the idle counters */

const struct event_text *event_text(const char *name);
const struct pmu *pmu_with(const struct pmu *pmu, const char *name);
struct pmu_name *pmu_name_add(struct pmu *pmu);
const struct pmu_name *event_named(const struct pmu *pmu, const char *name);
const char *name_nearest(const char *text, const char *(*list)(const void *context,
							       unsigned int i),
			 const void *context);
char *did_you_mean(const char *near, char hint[HINT_TEXT]);
const char *event_nearest(const struct pmu *pmu, const char *name);
const char *term_nearest(const struct pmu *pmu, const char *name);

#endif
