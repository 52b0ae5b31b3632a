// SPDX-License-Identifier: GPL-2.0-only
/*
 * Log messages for events that do not count.
 */
#include <linux/device.h>

#include "perf/report.h"
#include "perf/types.h"

static enum pcounter_fault pcounter_next_fault(struct pcounter_gpu *gpu, unsigned int dom)
{
	enum pcounter_fault fault;
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	fault = pcounter_gpu_log_fault(gpu, dom);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return fault;
}

static void pcounter_report_faults(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &to_pcounter_pmu(&base->pmu)->gpu;
	char name[PCOUNTER_DOM_NAME];
	enum pcounter_fault fault;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++) {
		fault = pcounter_next_fault(gpu, i);
		if (fault != PCOUNTER_OK)
			dev_warn_ratelimited(base->parent,
					     "%s: domain %s stopped counting: %s\n",
					     base->name,
					     pcounter_dom_name(&gpu->topo, i,
							       name, sizeof(name)),
					     pcounter_fault_text(fault));
	}
}

/* Muxes that could not be set; each is logged once. */
static void pcounter_report_muxes(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &to_pcounter_pmu(&base->pmu)->gpu;
	struct pcounter_mux_failure failure;
	char name[PCOUNTER_DOM_NAME];
	unsigned long flags;
	bool more;

	for (;;) {
		raw_spin_lock_irqsave(&gpu->lock, flags);
		more = pcounter_mux_next_failure(&gpu->muxes, &failure);
		raw_spin_unlock_irqrestore(&gpu->lock, flags);
		if (!more)
			return;
		dev_warn_ratelimited(base->parent,
				     "%s: domain %s: an event does not count: mux %s, tpc %u, position %u: %s\n",
				     base->name,
				     pcounter_dom_name(&gpu->topo, failure.id - gpu->topo.dom,
						       name, sizeof(name)),
				     failure.name, failure.setting.tpc, failure.setting.sel,
				     failure.why);
	}
}

/**
 * pcounter_pmu_report() - log why events do not count
 * @base: the PMU
 */
void pcounter_pmu_report(struct pcounter_base *base)
{
	pcounter_report_faults(base);
	pcounter_report_muxes(base);
}
