// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periodic reading of domains: before counters run full, and where a signal
 * ends periods or packets arrive. gpu->lock is held.
 */
#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "count/gpu.h"

/* How often registers are compared with the written values, at least. */
#define PCOUNTER_CHECK_NS	NSEC_PER_SEC

/**
 * pcounter_gpu_poll_ns() - get the interval at which pcounter_gpu_poll() is due now
 * @gpu: the GPU
 *
 * Half the time in which the fastest clock fills a counter, but at most a second.
 *
 * Return: nanoseconds.
 */
u64 pcounter_gpu_poll_ns(const struct pcounter_gpu *gpu)
{
	u64 half = BIT_ULL(pcounter_counter_bits(gpu->gen) - 1);
	const struct pcounter_domain *d;
	u64 ns = PCOUNTER_CHECK_NS, rate;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		rate = (u64)gpu->gen->table->max_clock_hz *
		       pcounter_ctr_modes[d->plan.set.ctr].increment;
		if (pcounter_domain_counts(d))
			ns = min(ns, mul_u64_u64_div_u64(half, NSEC_PER_SEC, rate));
	}
	return ns;
}

static bool domain_collects(const struct pcounter_domain *d)
{
	return pcounter_domain_counts(d) && d->mode->collect;
}

/**
 * pcounter_gpu_collect_ns() - get the interval at which a poll or a collect is due
 * @gpu: the GPU
 *
 * Return: nanoseconds; less than pcounter_gpu_poll_ns() if pcounter_gpu_collect() is due
 * more often, since a signal ends the periods of a domain, or a domain records.
 */
u64 pcounter_gpu_collect_ns(const struct pcounter_gpu *gpu)
{
	u64 ns = pcounter_gpu_poll_ns(gpu);
	const struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (domain_collects(d))
			ns = min(ns, d->mode->collect_ns(d));
	return ns;
}

/**
 * pcounter_gpu_collect() - read periods that a signal has ended, and packets
 * @gpu: the GPU
 */
void pcounter_gpu_collect(struct pcounter_gpu *gpu)
{
	struct pcounter_domain *d;

	gpu->snapshot++;
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (domain_collects(d))
			d->mode->collect(d);
}

/*
 * Poll a domain; swap at once if the domain has its own trigger. The caller pulls a shared
 * trigger once for all domains.
 */
static void domain_poll(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;

	if (!pcounter_domain_counts(d))
		return;
	if (pcounter_regs_differ(&d->block, &d->plan, &d->hw) ||
	    (d->mode->intact && !d->mode->intact(d))) {
		pcounter_domain_fault(d, pcounter_block_answers(&d->block) ?
				      PCOUNTER_FAULT_FOREIGN_WRITE : PCOUNTER_FAULT_DEAD);
		return;
	}
	pcounter_domain_sync_muxes(d, false);
	if (d->mode->collect)
		d->mode->collect(d);
	else if (!d->mode->swaps || !(gpu->gen->caps & PCOUNTER_CAP_SWAP_SHARED))
		d->mode->update(d);
}

/**
 * pcounter_gpu_poll_some() - update totals before counters run full
 * @gpu: the GPU
 * @budget_ns: how long it may take, with interrupts off
 *
 * Also compares the registers with the written values. A GPU may have over a hundred
 * domains: the next calls update the domains that are left.
 *
 * Return: true if all domains have been polled.
 */
bool pcounter_gpu_poll_some(struct pcounter_gpu *gpu, u64 budget_ns)
{
	u64 begin = ktime_get_mono_fast_ns();
	bool done;

	gpu->snapshot++;
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return true;
	do {
		domain_poll(&gpu->dom[gpu->polled++]);
		done = gpu->polled == gpu->topo.nr;
	} while (!done && ktime_get_mono_fast_ns() - begin < budget_ns);
	if (done)
		gpu->polled = 0;
	/* one trigger for all domains */
	if (gpu->gen->caps & PCOUNTER_CAP_SWAP_SHARED)
		pcounter_quad_swap(&gpu->dom[0]);
	if (done)
		pcounter_quad_watch(gpu);
	return done;
}

/**
 * pcounter_gpu_poll() - update the totals of all domains at once
 * @gpu: the GPU
 */
void pcounter_gpu_poll(struct pcounter_gpu *gpu)
{
	gpu->polled = 0;
	pcounter_gpu_poll_some(gpu, ~0ULL);
}
