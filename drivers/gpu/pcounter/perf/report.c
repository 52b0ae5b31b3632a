// SPDX-License-Identifier: GPL-2.0-only
/*
 * Log messages for events that do not count.
 */
#include <linux/device.h>

#include "perf/report.h"
#include "perf/types.h"

static void report_fault(struct pcounter_base *base, unsigned int dom)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	char name[PCOUNTER_DOM_NAME];
	enum pcounter_fault fault;
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	fault = pcounter_gpu_log_fault(gpu, dom);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (fault != PCOUNTER_OK)
		dev_warn_ratelimited(base->parent, "%s: domain %s stopped counting: %s\n",
				     base->name,
				     pcounter_dom_name(&gpu->topo, dom, name, sizeof(name)),
				     pcounter_fault_text(fault));
}

/* Log a mux that could not be set; return false if there is none. */
static bool report_mux(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	struct pcounter_mux_failure failure;
	char name[PCOUNTER_DOM_NAME];
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	found = pcounter_mux_next_failure(&gpu->muxes, &failure);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (found)
		dev_warn_ratelimited(base->parent,
				     "%s: domain %s: an event does not count: mux %s, tpc %u, position %u: %s\n",
				     base->name,
				     pcounter_dom_name(&gpu->topo, failure.id - gpu->topo.dom,
						       name, sizeof(name)),
				     failure.name, failure.setting.tpc, failure.setting.sel,
				     failure.why);
	return found;
}

/**
 * pcounter_pmu_report() - log why events do not count, each reason once
 * @base: the PMU of the domains
 */
void pcounter_pmu_report(struct pcounter_base *base)
{
	unsigned int i;

	for (i = 0; i < base->ppmu->gpu.topo.nr; i++)
		report_fault(base, i);
	while (report_mux(base))
		;
}
