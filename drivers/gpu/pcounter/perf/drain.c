// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads packets of the GPU and delivers them to perf, domain by domain.
 *
 * All functions run on the events' CPU with interrupts off, so the list
 * pcounter_base.sampling does not change. Samples are delivered without
 * gpu->lock: perf may call back.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "perf/aux.h"
#include "perf/drain.h"
#include "perf/output.h"
#include "perf/types.h"
#include "record/packets.h"
#include "record/record.h"
#include "record/stream.h"

#define PACKETS_AT_ONCE		256U	/* with the lock held */
#define PACKETS_IN_A_DRAIN	4096U

/* Requests a packet and reads the position; not while the GPU sleeps. */
static void approach(struct pcounter_gpu *gpu, unsigned int dom, bool look, bool force)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	/* in a reader's ring only the position shows how many packets have arrived */
	look |= pcounter_reader_runs(gpu, dom);
	if (awake && force)
		pcounter_record_force(gpu, dom);
	if (awake && look && pcounter_domain_ok(gpu, &gpu->dom[dom]))
		pcounter_record_look(gpu, dom);
	pcounter_gpu_end(gpu, flags, awake);
}

static bool in_time(u64 until)
{
	return (s64)(until - ktime_get_mono_fast_ns()) > 0;
}

static unsigned int count_packets(struct pcounter_gpu *gpu, unsigned int dom, unsigned int most)
{
	unsigned int n = 0;
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (pcounter_domain_ok(gpu, &gpu->dom[dom]))
		n = pcounter_record_count(gpu, dom, most);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return n;
}

/* Count packets, with the lock released now and then. Return true if there may be more. */
static bool deliver_packets(struct pcounter_pmu *ppmu, unsigned int dom, unsigned int most,
			    u64 until)
{
	unsigned int n = PACKETS_AT_ONCE;

	for (; most && n == PACKETS_AT_ONCE && in_time(until); most -= n)
		n = count_packets(&ppmu->gpu, dom, min(most, PACKETS_AT_ONCE));
	return n == PACKETS_AT_ONCE;
}

static bool wants_packets(const struct pcounter_event *pe, unsigned int dom)
{
	return pe->raw.dom == dom && !rcu_access_pointer(pe->aux);
}

/* Read packets into @copy, and count them. */
static bool read_packets(struct pcounter_gpu *gpu, unsigned int dom, unsigned int most,
			 u8 *copy, struct pcounter_batch *batch)
{
	unsigned long flags;
	bool got;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	got = pcounter_domain_ok(gpu, &gpu->dom[dom]) &&
	      pcounter_record_read(gpu, dom, most, copy, batch);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return got;
}

/*
 * Make samples of packets, of as many at once as have room in the next samples of all
 * events. Return true if there may be more.
 */
static bool sample_packets(struct pcounter_pmu *ppmu, unsigned int dom, unsigned int most,
			   u64 until)
{
	struct pcounter_event *pe;
	struct pcounter_batch batch;
	unsigned int room;
	u8 *copy;

	for (; most && in_time(until); most -= batch.n) {
		room = min(most, PACKETS_AT_ONCE);
		copy = NULL;
		list_for_each_entry(pe, &ppmu->base.sampling, sampling) {
			if (!wants_packets(pe, dom))
				continue;
			room = min(room, pcounter_sample_room(pe));
			copy = copy ?: pcounter_sample_space(pe);
		}
		if (!read_packets(&ppmu->gpu, dom, room, copy, &batch))
			return false;
		list_for_each_entry(pe, &ppmu->base.sampling, sampling)
			if (wants_packets(pe, dom))
				pcounter_sample_packets(pe, copy, &batch);
	}
	return true;
}

/* The next drain is soon. */
static void note_behind(struct pcounter_gpu *gpu, unsigned int dom, bool behind)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (pcounter_stream_of(gpu, dom))
		pcounter_stream_of(gpu, dom)->behind = behind;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

/* Does an event need packets one by one? */
static bool needs_packets(struct pcounter_pmu *ppmu, unsigned int dom)
{
	struct pcounter_event *pe;

	list_for_each_entry(pe, &ppmu->base.sampling, sampling)
		if (wants_packets(pe, dom))
			return true;
	return false;
}

static void drain_domain(struct pcounter_pmu *ppmu, unsigned int dom, u64 until)
{
	const struct pcounter_stream *s = READ_ONCE(ppmu->gpu.record->stream[dom]);
	unsigned int most = s ? min(s->slots, PACKETS_IN_A_DRAIN) : 0;
	struct pcounter_event *pe;
	bool behind;

	behind = needs_packets(ppmu, dom) ? sample_packets(ppmu, dom, most, until) :
					    deliver_packets(ppmu, dom, most, until);
	note_behind(&ppmu->gpu, dom, behind);
	list_for_each_entry(pe, &ppmu->base.sampling, sampling)
		if (pe->raw.dom == dom && !pcounter_aux_publish(pe))
			pcounter_sample_deliver(pe);
}

/* Events move to another CPU one by one: only the old CPU has the list. */
static bool drain_begins(struct pcounter_pmu *ppmu)
{
	unsigned long flags;
	bool begins;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	begins = ppmu->base.added && ppmu->base.added_cpu == raw_smp_processor_id() &&
		 !list_empty(&ppmu->base.sampling) && !ppmu->delivering;
	ppmu->delivering |= begins;
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	return begins;
}

static void drain(struct pcounter_pmu *ppmu, bool look, bool force)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned int i, domains = 0;
	u64 share;

	if (!drain_begins(ppmu))
		return;
	for (i = 0; i < gpu->topo.nr; i++)
		domains += gpu->dom[i].sampled ? 1 : 0;
	share = div_u64(gpu->most_ns, max(domains, 1U));
	for (i = 0; i < gpu->topo.nr; i++) {
		if (!gpu->dom[i].sampled)
			continue;
		approach(gpu, i, look, force);
		drain_domain(ppmu, i, ktime_get_mono_fast_ns() + share);
	}
	WRITE_ONCE(ppmu->delivering, false);
}

/*
 * Deliver the packets that came before an event left, or before another begins:
 * counters may move with the commit. perf has removed the event that left, but
 * its buffer is still there.
 */
static void drain_before_commit(struct pcounter_pmu *ppmu)
{
	struct pcounter_base_event *be;
	bool any = false;

	list_for_each_entry(be, &ppmu->base.deferred, deferred) {
		if (pcounter_event_leaves(be) && !base_to_pe(be)->sample)
			continue;
		be->event->hw.state = 0;
		any = true;
	}
	if (!any)
		return;
	drain(ppmu, false, false);
	list_for_each_entry(be, &ppmu->base.deferred, deferred)
		if (pcounter_event_leaves(be))
			be->event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/**
 * pcounter_sample_drain() - hand perf packets that have arrived
 * @base: the PMU
 * @why: the timer reads the device's position, one register read for each domain;
 *	a read asks for packets first, where software can
 *
 * Packets for which there is no time are left to the next drain, which is soon.
 * Does nothing on a CPU other than the events'.
 */
void pcounter_sample_drain(struct pcounter_base *base, enum pcounter_drain why)
{
	if (why == PCOUNTER_DRAIN_COMMIT)
		drain_before_commit(base->ppmu);
	else
		drain(base->ppmu, why == PCOUNTER_DRAIN_TIMER, why == PCOUNTER_DRAIN_NOW);
}
