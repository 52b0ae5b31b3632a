// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads packets of the GPU and delivers them to perf, domain by domain.
 *
 * All of it runs on the events' CPU with interrupts off, which is what keeps
 * pcounter_pmu.sampling as it is, and without gpu->lock: perf may call back.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include "perf/aux.h"
#include "perf/drain.h"
#include "perf/output.h"
#include "perf/types.h"
#include "record/record.h"

#define PACKETS_AT_ONCE		256U	/* with the lock held */
#define PACKETS_IN_A_DRAIN	4096U

/* Requests a packet and reads the position; not while the GPU sleeps. */
static void approach(struct pcounter_gpu *gpu, unsigned int dom, bool look, bool force)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	/* in a reader's ring only the position shows what has arrived */
	look |= pcounter_record_diverts(gpu, dom);
	if (awake && force)
		pcounter_record_force(gpu, dom);
	if (awake && look && pcounter_domain_ok(gpu, &gpu->dom[dom]))
		pcounter_record_look(gpu, dom);
	pcounter_gpu_end(gpu, flags, awake);
}

static bool next_packet(struct pcounter_pmu *ppmu, unsigned int dom,
			struct pcounter_packet *packet)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	bool got;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	got = pcounter_domain_ok(gpu, &gpu->dom[dom]) && pcounter_record_next(gpu, dom, packet);
	if (got)
		pcounter_stream_stamp(gpu, dom, local_clock());
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return got;
}

static bool in_time(u64 until)
{
	return (s64)(until - ktime_get_mono_fast_ns()) > 0;
}

/* With the lock held. Returns how many there were, without those that are skimmed. */
static unsigned int count_packets(struct pcounter_gpu *gpu, unsigned int dom, unsigned int most)
{
	unsigned int n, skimmed;

	if (!pcounter_domain_ok(gpu, &gpu->dom[dom]))
		return 0;
	skimmed = pcounter_record_skim(gpu, dom);
	n = pcounter_record_count(gpu, dom, most);
	if (n || skimmed)
		pcounter_stream_stamp(gpu, dom, local_clock());
	return n;
}

/*
 * All at once; drops the lock now and then. Returns true if there may be more.
 */
static bool deliver_packets(struct pcounter_pmu *ppmu, unsigned int dom, unsigned int most,
			    u64 until)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned int n = PACKETS_AT_ONCE;
	unsigned long flags;

	for (; most && n == PACKETS_AT_ONCE && in_time(until); most -= n) {
		raw_spin_lock_irqsave(&gpu->lock, flags);
		n = count_packets(gpu, dom, min(most, PACKETS_AT_ONCE));
		raw_spin_unlock_irqrestore(&gpu->lock, flags);
	}
	return n == PACKETS_AT_ONCE;
}

static bool wants_packets(const struct pcounter_event *pe, unsigned int dom)
{
	return pe->raw.dom == dom && !rcu_access_pointer(pe->aux);
}

/*
 * As many as have room in the samples of all, if none of these ends before; @first has
 * its copy already. Returns 0 if the next packet must be looked at by itself.
 */
static unsigned int stream_packets(struct pcounter_pmu *ppmu, unsigned int dom)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	struct pcounter_event *pe, *first = NULL;
	unsigned int n = PACKETS_AT_ONCE;
	unsigned long flags;
	u8 *copy;

	list_for_each_entry(pe, &ppmu->sampling, sampling) {
		if (!wants_packets(pe, dom))
			continue;
		first = first ?: pe;
		n = min(n, pcounter_sample_room(pe));
	}
	if (!first || !n)
		return 0;
	copy = pcounter_sample_space(first);
	raw_spin_lock_irqsave(&gpu->lock, flags);
	n = pcounter_domain_ok(gpu, &gpu->dom[dom]) ?
	    pcounter_record_plain(gpu, dom, n, copy) : 0;
	if (n)
		pcounter_stream_stamp(gpu, dom, local_clock());
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	list_for_each_entry(pe, &ppmu->sampling, sampling)
		if (n && wants_packets(pe, dom))
			pcounter_sample_packets(ppmu, pe, copy, n);
	return n;
}

/* One by one where that makes a difference. */
static bool sample_packets(struct pcounter_pmu *ppmu, unsigned int dom, unsigned int most,
			   u64 until)
{
	struct pcounter_packet packet;
	struct pcounter_event *pe;
	unsigned int i, n;

	for (i = 0; i < most && in_time(until); i += n ?: 1) {
		n = stream_packets(ppmu, dom);
		if (n)
			continue;
		if (!next_packet(ppmu, dom, &packet))
			return false;
		list_for_each_entry(pe, &ppmu->sampling, sampling)
			if (wants_packets(pe, dom))
				pcounter_sample_packet(ppmu, pe, &packet);
	}
	return true;
}

/* The next drain is soon. */
static void note_behind(struct pcounter_gpu *gpu, unsigned int dom, bool behind)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (gpu->record->stream[dom])
		pcounter_stream_behind(gpu, dom, behind);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

/* Does an event need packets one by one? */
static bool needs_packets(struct pcounter_pmu *ppmu, unsigned int dom)
{
	struct pcounter_event *pe;

	list_for_each_entry(pe, &ppmu->sampling, sampling)
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
	list_for_each_entry(pe, &ppmu->sampling, sampling)
		if (pe->raw.dom == dom && !pcounter_aux_publish(ppmu, pe))
			pcounter_sample_deliver(ppmu, pe);
}

/* Events move to another CPU one by one: only the old CPU has the list. */
static bool drain_begins(struct pcounter_pmu *ppmu)
{
	unsigned long flags;
	bool begins;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	begins = ppmu->added && ppmu->added_cpu == raw_smp_processor_id() &&
		 !list_empty(&ppmu->sampling) && !ppmu->delivering;
	ppmu->delivering |= begins;
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	return begins;
}

/**
 * pcounter_sample_drain() - hand perf packets that have arrived
 * @ppmu: the PMU
 * @look: read the device's position, one register read for each domain
 * @force: ask for packets first, where software can
 *
 * Packets for which there is no time are left to the next drain, which is soon.
 * Does nothing on a CPU other than the events'.
 */
void pcounter_sample_drain(struct pcounter_pmu *ppmu, bool look, bool force)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned int i, domains = 0;
	u64 share;

	if (list_empty(&ppmu->sampling) || !drain_begins(ppmu))
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
