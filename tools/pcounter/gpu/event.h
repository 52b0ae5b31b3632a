/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event strings.
 */
#ifndef _PCOUNTER_TOOL_EVENT_H
#define _PCOUNTER_TOOL_EVENT_H

#include "gpu/types.h"

bool event_terms(const struct pmu *pmu, const char *terms, struct event *event);
uint64_t event_value(const struct event *event, const char *term, uint64_t none);
int event_domain(const struct event *event);
bool event_has(const struct event *event, const char *term);
bool event_complete(struct event *event);
struct event event_without(const struct event *event, unsigned int without);
void event_print(const struct event *event, char *buf, size_t len);
const struct pmu *event_pmu(const struct pmus *pmus, const char *name);
bool groups_parse(const struct pmus *pmus, const char *text, struct groups *groups,
		  char *why);
void groups_join(struct groups *groups);
void groups_free(struct groups *groups);

#endif
