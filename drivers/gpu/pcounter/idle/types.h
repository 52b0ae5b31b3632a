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
#include <linux/types.h>

#include "idle/counters.h"
#include "perf/types.h"

#define PCOUNTER_IDLE_MASK	GENMASK_ULL(31, 0)	/* of config */
#define PCOUNTER_IDLE_WHEN	GENMASK_ULL(33, 32)

/**
 * struct pcounter_idle_pmu - the idle counters of a GPU as perf sees them
 * @base: the part that all PMUs have; its lock is the GPU's, and protects the
 *	counters. It has a reference to the PMU of the domains, so that the
 *	number stays in use
 * @idle: the counters
 * @losses: sleeps and losses of the GPU that have been handled
 * @fresh: the counters have been read in this snapshot
 */
struct pcounter_idle_pmu {
	struct pcounter_base base;
	struct pcounter_idle idle;
	u32 losses;
	bool fresh;
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
