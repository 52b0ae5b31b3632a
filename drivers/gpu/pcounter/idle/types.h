/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The idle counters of one GPU as perf sees them.
 */
#ifndef _PCOUNTER_IDLE_TYPES_H
#define _PCOUNTER_IDLE_TYPES_H

#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/types.h>

#include "idle/counters.h"
#include "perf/types.h"

#define PCOUNTER_IDLE_MASK	GENMASK_ULL(31, 0)	/* of config */
#define PCOUNTER_IDLE_WHEN	GENMASK_ULL(33, 32)

struct pcounter_idle_named;

/**
 * struct pcounter_idle_pmu - the idle counters of a GPU as perf sees them
 * @base: what all PMUs have; its lock is the GPU's, and protects all that
 *	follows
 * @idle: the counters
 * @ppmu: the PMU beside it, referenced, so that its number stays in use
 * @gone: no register may be touched any more
 * @resched: perf has to reschedule all events
 * @losses: sleeps and losses of the GPU that have been handled
 * @depth: nesting of "PMU disabled" and transactions
 * @fresh: the counters have been read in this reschedule
 * @active: events that are on the PMU
 * @named: the files in events/
 * @named_attrs: the same as a list
 * @named_group: the same as a group
 * @groups: all groups of sysfs files
 */
struct pcounter_idle_pmu {
	struct pcounter_base base;
	struct pcounter_idle idle;
	struct pcounter_pmu *ppmu;
	bool gone;
	bool resched;
	u32 losses;
	unsigned int depth;
	bool fresh;
	unsigned int active;
	struct pcounter_idle_named *named;
	struct attribute **named_attrs;
	struct attribute_group named_group;
	const struct attribute_group *groups[5];
};

static inline struct pcounter_idle_pmu *to_pcounter_idle_pmu(struct pmu *pmu)
{
	return container_of(to_pcounter_base(pmu), struct pcounter_idle_pmu, base);
}

/*
 * The PMU of the idle counters beside that of the same GPU's domains, or NULL.
 */
static inline struct pcounter_idle_pmu *pcounter_idle_beside(const struct pcounter_pmu *ppmu)
{
	return ppmu->beside ? to_pcounter_idle_pmu(&ppmu->beside->pmu) : NULL;
}

#endif
