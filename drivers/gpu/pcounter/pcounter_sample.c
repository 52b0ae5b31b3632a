// SPDX-License-Identifier: GPL-2.0-only
/*
 * From packets to perf samples. The ordinary functions for that are not for
 * modules; perf_tp_event() is, with a list of its own for each event.
 *
 * All of it runs on the events' CPU with interrupts off, which is what keeps
 * pcounter_pmu.sampling as it is, and without gpu->lock: perf may call back.
 */
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include <asm/irq_regs.h>

#include <uapi/linux/pcounter_record.h>

#include "pcounter_pmu.h"

#define SAMPLE_PACKETS		32	/* in one sample at most */

/**
 * struct pcounter_sample - what a sampling event is going to say
 * @entry: written by perf
 * @pad: perf wants the raw data, with its own length word, in units of 8 bytes
 * @head: header of our payload
 * @packet: packets
 */
struct pcounter_sample {
	struct trace_entry entry;
	u32 pad;
	struct pcounter_record_header head;
	struct pcounter_record_packet packet[SAMPLE_PACKETS];
} __packed;

/**
 * pcounter_sample_init() - prepare an event that samples
 * @pe: the event
 *
 * A frequency has to begin somewhere: with a period that a signal at 1 has in
 * every packet.
 *
 * Return: 0 or -ENOMEM.
 */
int pcounter_sample_init(struct pcounter_event *pe)
{
	struct hw_perf_event *hwc = &pe->base.event->hw;

	INIT_LIST_HEAD(&pe->sampling);
	if (!is_sampling_event(pe->base.event))
		return 0;
	pe->sample = kzalloc(sizeof(*pe->sample), GFP_KERNEL);
	if (!pe->sample)
		return -ENOMEM;
	if (pe->base.event->attr.freq) {
		hwc->sample_period = pcounter_record_period(&pe->raw.set);
		hwc->last_period = hwc->sample_period;
	}
	return 0;
}

/**
 * pcounter_sample_add() - an event is put on the PMU; gpu->lock is held
 * @ppmu: the PMU
 * @pe: the event
 */
void pcounter_sample_add(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	struct hw_perf_event *hwc = &pe->base.event->hw;

	if (!pe->sample)
		return;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, -(s64)hwc->sample_period);
	hlist_add_head_rcu(&pe->base.event->hlist_entry, &pe->head);
	list_add_tail(&pe->sampling, &ppmu->sampling);
	ppmu->gpu.dom[pe->raw.dom].sampled++;
	pe->pending = 0;
	pe->sample->head.packets = 0;
}

/**
 * pcounter_sample_del() - an event leaves the PMU; gpu->lock is held
 * @ppmu: the PMU
 * @pe: the event
 */
void pcounter_sample_del(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	if (!pe->sample || list_empty(&pe->sampling))
		return;
	hlist_del_rcu(&pe->base.event->hlist_entry);
	list_del_init(&pe->sampling);
	ppmu->gpu.dom[pe->raw.dom].sampled--;
}

/* A sample for each call, with as many packets as there are: nothing is left out. */
static bool streams(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_PERIOD && !event->attr.freq;
}

static unsigned int packets_in(const struct pcounter_sample *sample)
{
	return le16_to_cpu(sample->head.packets);
}

static void fill_header(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	const struct pcounter_stream *s = ppmu->gpu.record.stream[pe->raw.dom];
	struct pcounter_record_header *head = &pe->sample->head;

	head->magic = cpu_to_le32(PCOUNTER_RECORD_MAGIC);
	head->version = cpu_to_le16(PCOUNTER_RECORD_VERSION);
	head->size = cpu_to_le16(sizeof(*head));
	head->domain = cpu_to_le16(pe->raw.dom);
	head->format = cpu_to_le16(pe->req.set.brief ? PCOUNTER_RECORD_SHORT :
						       PCOUNTER_RECORD_LONG);
	head->slot = cpu_to_le16(pe->slot == PCOUNTER_NO_SLOT ? PCOUNTER_RECORD_SLOT_CLK :
								pe->slot);
	head->pair_cycle = cpu_to_le64(s->cycles);
	head->pair_time = cpu_to_le64(s->time);
	head->first = cpu_to_le64(s->loss.packets - packets_in(pe->sample));
	head->overrun = cpu_to_le64(s->loss.overrun);
	head->missing = cpu_to_le64(s->loss.missing);
	head->merged = cpu_to_le64(s->loss.merged);
	head->saturated = cpu_to_le64(s->loss.saturated);
	head->gaps = cpu_to_le64(s->loss.gaps);
}

static void deliver(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	size_t packet = pe->req.set.brief ? sizeof(struct pcounter_record_packet) / 2 :
					    sizeof(struct pcounter_record_packet);
	struct pt_regs *regs = get_irq_regs(), here;
	unsigned int n = packets_in(pe->sample);
	u64 count = pe->pending;
	int rctx;

	pe->pending = 0;
	if (!n || (!count && !streams(pe->base.event)))
		return;
	fill_header(ppmu, pe);
	rctx = perf_swevent_get_recursion_context();
	if (rctx < 0) {
		local64_add(count, &pe->base.event->count);
		pe->sample->head.packets = 0;
		return;
	}
	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}
	/* gives the context back */
	perf_tp_event(0, count, pe->sample, offsetof(struct pcounter_sample, packet) + n * packet,
		      regs, &pe->head, rctx, NULL);
	pe->sample->head.packets = 0;
}

static void append(struct pcounter_event *pe, const struct pcounter_packet *packet)
{
	unsigned int n = packets_in(pe->sample);
	u8 *to = (u8 *)pe->sample->packet;

	if (pe->req.set.brief)
		memcpy(to + n * sizeof(packet->raw) / 2, packet->raw, sizeof(packet->raw) / 2);
	else
		memcpy(to + n * sizeof(packet->raw), packet->raw, sizeof(packet->raw));
	pe->sample->head.packets = cpu_to_le16(n + 1);
}

/* What a packet means to an event: gpu->lock is not held, the total cannot change. */
static void sample_packet(struct pcounter_pmu *ppmu, struct pcounter_event *pe,
			  const struct pcounter_packet *packet)
{
	const struct pcounter_user *user = &ppmu->gpu.dom[pe->raw.dom].user[pe->user];
	struct perf_event *event = pe->base.event;
	u64 delta = user->total - pe->prev;

	if (event->hw.state & PERF_HES_STOPPED || !list_empty(&pe->starting))
		return;
	pe->prev = user->total;
	pe->slot = user->slot;
	pe->pending += delta;
	append(pe, packet);
	if (packets_in(pe->sample) == SAMPLE_PACKETS ||
	    (!streams(event) && (s64)pe->pending + local64_read(&event->hw.period_left) >= 0))
		deliver(ppmu, pe);
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
		gpu->record.stream[dom]->time = local_clock();
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return got;
}

static void drain_domain(struct pcounter_pmu *ppmu, unsigned int dom)
{
	const struct pcounter_stream *s = ppmu->gpu.record.stream[dom];
	unsigned int i, most = s ? s->slots : 0;
	struct pcounter_packet packet;
	struct pcounter_event *pe;

	for (i = 0; i < most && next_packet(ppmu, dom, &packet); i++)
		list_for_each_entry(pe, &ppmu->sampling, sampling)
			if (pe->raw.dom == dom)
				sample_packet(ppmu, pe, &packet);
	list_for_each_entry(pe, &ppmu->sampling, sampling)
		if (pe->raw.dom == dom)
			deliver(ppmu, pe);
}

/**
 * pcounter_sample_drain() - hand perf all packets that have arrived
 * @ppmu: the PMU
 * @look: see how far the device is, one register read for each domain
 * @force: ask for packets first, where software can
 */
void pcounter_sample_drain(struct pcounter_pmu *ppmu, bool look, bool force)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	unsigned int i;

	if (list_empty(&ppmu->sampling) || ppmu->delivering)
		return;
	ppmu->delivering = true;
	for (i = 0; i < gpu->topo.nr; i++) {
		if (!gpu->dom[i].sampled)
			continue;
		raw_spin_lock_irqsave(&gpu->lock, flags);
		if (look && pcounter_domain_ok(gpu, &gpu->dom[i]))
			pcounter_record_look(gpu, i);
		if (force)
			pcounter_record_force(gpu, i);
		raw_spin_unlock_irqrestore(&gpu->lock, flags);
		drain_domain(ppmu, i);
	}
	ppmu->delivering = false;
}

/**
 * pcounter_sample_free() - an event is closed
 * @pe: the event
 */
void pcounter_sample_free(struct pcounter_event *pe)
{
	kfree(pe->sample);
}
