/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The idle counters of one GPU as perf sees them.
 */
#ifndef _PCOUNTER_IDLE_PMU_H
#define _PCOUNTER_IDLE_PMU_H

#include <linux/container_of.h>
#include <linux/types.h>

#include "idle/counters.h"
#include "perf/types.h"

/**
 * struct pcounter_idle_pmu - the idle counters of a GPU as perf sees them
 * @base: the part that all PMUs have; its lock is the GPU's, and protects the
 *	counters. It has a reference to the PMU of the domains, so that the
 *	number stays in use
 * @idle: the counters
 * @losses: sleeps and losses of the GPU that have been handled
 * @read: snapshot (pcounter_base.snapshot) in which the counters were read last
 * @format: the folder format/
 * @events: the folder events/: each engine idle and busy, and the time base
 * @attr_groups: all groups of sysfs files
 */
struct pcounter_idle_pmu {
	struct pcounter_base base;
	struct pcounter_idle idle;
	u32 losses;
	u32 read;
	struct pcounter_folder format;
	struct pcounter_folder events;
	const struct attribute_group *attr_groups[5];
};

static inline struct pcounter_idle_pmu *base_to_ipmu(struct pcounter_base *base)
{
	return container_of(base, struct pcounter_idle_pmu, base);
}

/*
 * Return the PMU of the GPU's idle counters, NULL if the GPU has none.
 */
static inline struct pcounter_idle_pmu *pcounter_idle_beside(const struct pcounter_pmu *ppmu)
{
	return ppmu->beside ? base_to_ipmu(ppmu->beside) : NULL;
}

void pcounter_idle_create(struct pcounter_pmu *ppmu);
void pcounter_idle_remove(struct pcounter_pmu *ppmu, bool restore);

#endif
