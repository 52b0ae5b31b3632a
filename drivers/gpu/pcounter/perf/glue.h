/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that perf has for its own PMUs, but does not export to modules.
 */
#ifndef _PCOUNTER_PERF_GLUE_H
#define _PCOUNTER_PERF_GLUE_H

#include <linux/types.h>

struct hlist_head;
struct perf_event;
struct pmu;

void pcounter_glue_resched(struct pmu *pmu, int cpu);
bool pcounter_glue_is_probe(const struct perf_event *event);
void pcounter_glue_never_blocks(struct perf_event *event);
void pcounter_glue_never_ran(struct perf_event *event);
void pcounter_glue_stop_rotation(struct pmu *pmu);
void pcounter_glue_reset_rotation(struct pmu *pmu, int cpu);
int pcounter_glue_sample_begin(void);
void pcounter_glue_sample(struct hlist_head *head, u64 count, void *entry, size_t size,
			  int context);

#endif
