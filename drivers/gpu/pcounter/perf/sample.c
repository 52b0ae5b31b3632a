// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read packets of the GPU, domain by domain, and make perf samples of them.
 *
 * All functions but those that check and open an event run on the events' CPU with
 * interrupts off, so no other code changes the list pcounter_base.sampling.
 *
 * perf may call back while a sample is made, so gpu->lock is not held then. Meanwhile the
 * end of record mode may count packets on another CPU, and free the stream.
 */
#include <linux/cleanup.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/trace_events.h>

#include <uapi/linux/pcounter_record.h>

#include "perf/glue.h"
#include "perf/types.h"
#include "record/record.h"

#define SAMPLE_PACKETS		256U	/* in one sample at most */
#define PACKETS_AT_ONCE		256U	/* with the lock held */
#define COPIES_AT_ONCE		1024U	/* of packets, between looks at the clock */
#define PACKETS_IN_A_DRAIN	4096U	/* the clock may stand still */

/**
 * struct pcounter_sample - the next sample of an event
 * @entry: written by perf
 * @pad: raw data, with perf's length word, comes in units of 8 bytes
 * @head: header of the payload
 * @packet: packets
 */
struct pcounter_sample {
	struct trace_entry entry;
	u32 pad;
	struct pcounter_record_header head;
	struct pcounter_record_packet packet[SAMPLE_PACKETS];
} __packed;

/**
 * pcounter_sample_check() - refuse samples without packets, and of unknown meaning
 * @pe: the event
 *
 * Return: 0 or a negative errno.
 */
int pcounter_sample_check(const struct pcounter_event *pe)
{
	const struct perf_event_attr *attr = &pe->event->attr;

	if (!is_sampling_event(pe->event))
		return 0;
	return pe->raw.set.mode != PCOUNTER_MODE_RECORD ||
	       (attr->freq && !(attr->sample_type & PERF_SAMPLE_PERIOD)) ? -EOPNOTSUPP : 0;
}

/**
 * pcounter_sample_init() - prepare an event that samples
 * @pe: the event
 *
 * perf adjusts the period of a frequency by the time between two overflows, and
 * packets that are read together overflow microseconds apart: the period grows
 * until there is no sample. So the driver hides the frequency from perf, and the event gets
 * a sample of all packets of each drain.
 *
 * Return: 0 or a negative errno.
 */
int pcounter_sample_init(struct pcounter_event *pe)
{
	INIT_LIST_HEAD(&pe->sampling);
	if (!is_sampling_event(pe->event))
		return 0;
	pe->event->attr.freq = 0;
	hlist_add_head(&pe->event->hlist_entry, &pe->head);
	pe->sample = kzalloc(sizeof(*pe->sample), GFP_KERNEL_ACCOUNT);
	if (!pe->sample)
		return -ENOMEM;
	pe->sample->head = (struct pcounter_record_header){
		.magic = cpu_to_le32(PCOUNTER_RECORD_MAGIC),
		.version = cpu_to_le16(PCOUNTER_RECORD_VERSION),
		.size = cpu_to_le16(sizeof(pe->sample->head)),
		.domain = cpu_to_le16(pe->raw.dom),
	};
	return 0;
}

/**
 * pcounter_sample_add() - begin to sample for an event; gpu->lock is held
 * @pe: the event; it may be sampled already
 */
void pcounter_sample_add(struct pcounter_event *pe)
{
	struct hw_perf_event *hwc = &pe->event->hw;

	if (!pe->sample || !list_empty(&pe->sampling))
		return;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, -(s64)hwc->sample_period);
	list_add_tail(&pe->sampling, &pe->base->sampling);
	/* count earlier packets, which are for events that do not sample */
	if (!pcounter_domain_of(pe)->sampled++)
		pcounter_record_drain(pcounter_domain_of(pe)->stream);
	pe->pending = 0;
	pe->sample->head.packets = 0;
}

/**
 * pcounter_sample_del() - end sampling for an event; gpu->lock is held
 * @pe: the event
 */
void pcounter_sample_del(struct pcounter_event *pe)
{
	if (!pe->sample || list_empty(&pe->sampling))
		return;
	list_del_init(&pe->sampling);
	pcounter_domain_of(pe)->sampled--;
	/* there was no time for its last sample */
	local64_add(pe->pending, &pe->event->count);
}

/* Return true if an event has a sample of all packets of each drain, so none is left out. */
static bool streams(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_PERIOD;
}

static unsigned int packets_in(const struct pcounter_sample *sample)
{
	return le16_to_cpu(sample->head.packets);
}

static unsigned int packet_bytes(const struct pcounter_event *pe)
{
	return le16_to_cpu(pe->sample->head.format) == PCOUNTER_RECORD_SHORT ?
	       PCOUNTER_PACKET_SHORT : PCOUNTER_PACKET_LONG;
}

static u16 format_of(const struct pcounter_stream *s)
{
	if (s->d->gpu->record->ops->one_ring)
		return PCOUNTER_RECORD_STREAM;
	return s->w.packet == PCOUNTER_PACKET_SHORT ? PCOUNTER_RECORD_SHORT : PCOUNTER_RECORD_LONG;
}

/* Describe the packets of a sample, the last of which is the one that was read last. */
static void fill_header(struct pcounter_event *pe, const struct pcounter_stream *s)
{
	struct pcounter_record_header *head = &pe->sample->head;

	head->format = cpu_to_le16(format_of(s));
	if (s->d->gpu->record->ops->one_ring) {
		head->flags = cpu_to_le16(s->d->gpu->record->sums == PCOUNTER_SUMS_YES ?
					  PCOUNTER_RECORD_SUMS : 0);
		head->periodic = cpu_to_le16(s->d->plan.set.periodic);
	}
	head->slot = cpu_to_le16(pe->slot == PCOUNTER_NO_SLOT ? PCOUNTER_RECORD_SLOT_CLK :
								pe->slot);
	head->pair_cycle = cpu_to_le64(s->read.cycles);
	head->pair_time = cpu_to_le64(s->time);
	head->first = cpu_to_le64(s->loss.packets - packets_in(pe->sample));
	head->overrun = cpu_to_le64(s->loss.overrun);
	head->missing = cpu_to_le64(s->loss.missing);
	head->merged = cpu_to_le64(s->loss.merged);
	head->saturated = cpu_to_le64(s->loss.saturated);
	head->gaps = cpu_to_le64(s->loss.gaps);
	head->used = cpu_to_le16(s->used);
}

/* Give an event's count to perf; with a sample if it is due, unless the event has stopped. */
static void submit(struct pcounter_event *pe, bool due)
{
	size_t size = offsetof(struct pcounter_sample, packet) +
		      packets_in(pe->sample) * packet_bytes(pe);
	u64 count = pe->pending;

	pe->pending = 0;
	/* another event's sample may have stopped it: perf would drop this one */
	if (!due || pe->event->hw.state & PERF_HES_STOPPED ||
	    !pcounter_glue_sample(&pe->head, count, pe->sample, size))
		local64_add(count, &pe->event->count);
	pe->sample->head.packets = 0;
}

/* Return true if a sample ends with its last packet, with @all if it has any. */
static bool is_due(const struct pcounter_event *pe, bool all)
{
	const struct perf_event *event = pe->event;

	return packets_in(pe->sample) >= (all ? 1 : SAMPLE_PACKETS) || (all && pe->pending) ||
	       (!streams(event) && (s64)pe->pending + local64_read(&event->hw.period_left) >= 0);
}

/* An event that streams has samples of packets in which nothing was counted, too. */
static void sample_deliver(struct pcounter_event *pe)
{
	submit(pe, pe->pending || (packets_in(pe->sample) && streams(pe->event)));
}

static bool is_counting(const struct pcounter_event *pe)
{
	return !(pe->event->hw.state & PERF_HES_STOPPED) &&
	       pe->state != PCOUNTER_STATE_STARTING;
}

/*
 * Credit the event with the count of its request, unless the packets of @batch are not for
 * the request at its present counter. The header describes the sample as it is now: until
 * the sample is delivered, recording may begin anew.
 */
static bool count_event(struct pcounter_event *pe, const struct pcounter_batch *batch)
{
	const struct pcounter_client *client = pe->client;
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);
	const struct pcounter_stream *s;

	guard(raw_spinlock)(&gpu->lock);
	s = pcounter_domain_of(pe)->stream;
	if (batch && !pcounter_record_is_for(pcounter_domain_of(pe), client, batch))
		return false;
	if (is_counting(pe)) {
		pe->pending += client->total - pe->prev;
		pe->prev = client->total;
		pe->slot = client->slot;
	}
	/* the GPU has just left */
	if (!s)
		return false;
	if (batch)
		pe->sample->head.packets = cpu_to_le16(packets_in(pe->sample) + batch->n);
	fill_header(pe, s);
	return true;
}

/* The packets of the event are in its AUX area: its sample is a header alone. */
static void aux_deliver(struct pcounter_event *pe)
{
	struct perf_event *event = pe->event;
	bool unreported = pcounter_aux_read(pe);

	unreported &= count_event(pe, NULL);
	/* perf may stop the event at this sample */
	submit(pe, unreported && streams(event) && event->attr.sample_type & PERF_SAMPLE_RAW);
	pcounter_aux_publish(pe);
}

/* Return the place of the next packets in an event's sample. */
static u8 *sample_place(struct pcounter_event *pe)
{
	return (u8 *)pe->sample->packet + packets_in(pe->sample) * packet_bytes(pe);
}

/*
 * Add packets to an event's count and sample. @copy has the packets, and may be
 * sample_place() itself; @batch has them decoded. The sample has room for all of them.
 */
static void sample_packets(struct pcounter_event *pe, const u8 *copy,
			   const struct pcounter_batch *batch)
{
	u8 *to = sample_place(pe);

	if (!is_counting(pe))
		return;
	if (!count_event(pe, batch)) {
		/* end the sample */
		sample_deliver(pe);
		return;
	}
	if (to != copy)
		memcpy(to, copy, batch->n * packet_bytes(pe));
}

/* ---- all domains that sample ---- */

/* Request a packet or read the position, unless the GPU sleeps. */
static void approach(struct pcounter_domain *d, enum pcounter_drain why)
{
	guard(raw_spinlock)(&d->gpu->lock);
	CLASS(pcounter_hold, awake)(d->gpu);

	if (awake && d->unit.fault == PCOUNTER_OK)
		pcounter_record_look(d->stream, why == PCOUNTER_DRAIN_NOW);
}

/*
 * Deliver the samples of a domain that are due, or @all. Return the place of the next
 * packets in the sample of an event; limit @room to what there is in the samples of all
 * events. Return NULL if the time is over: the next drain begins with the events that were
 * not served.
 */
static u8 *make_room(struct pcounter_pmu *ppmu, const struct pcounter_domain *d, bool all,
		     u64 until, unsigned int *room)
{
	struct pcounter_event *pe, *next;
	u8 *place = NULL;

	list_for_each_entry_safe(pe, next, &ppmu->base.sampling, sampling) {
		if (pe->raw.dom != d->index)
			continue;
		if (is_due(pe, all)) {
			sample_deliver(pe);
			list_move_tail(&pe->sampling, &ppmu->base.sampling);
			if (ktime_get_mono_fast_ns() >= until)
				return NULL;
		}
		/* each packet may be the last of the sample of an event that does not stream */
		*room = streams(pe->event) ?
			min(*room, SAMPLE_PACKETS - packets_in(pe->sample)) : 1;
		place = place ?: sample_place(pe);
	}
	return place;
}

/* Read packets, unless a reader has them: look up the stream anew, since it may have gone. */
static unsigned int read_some(struct pcounter_domain *d, unsigned int most, u8 *copy,
			      struct pcounter_batch *batch)
{
	guard(raw_spinlock)(&d->gpu->lock);
	if (d->unit.fault != PCOUNTER_OK || !pcounter_stream_counts(d->stream))
		return 0;
	return pcounter_record_read(d->stream, most, copy, batch);
}

/*
 * Count packets and make samples of them. Return true if there may be more, or samples are
 * left, which come before more packets are read. Read the first packets even if the time is
 * over: this may be the last drain.
 */
static bool read_packets(struct pcounter_pmu *ppmu, struct pcounter_domain *d, u64 until)
{
	unsigned int once = clamp(COPIES_AT_ONCE / d->sampled, 1U, PACKETS_AT_ONCE);
	unsigned int room, got, n;
	struct pcounter_event *pe;
	struct pcounter_batch batch;
	bool behind = true;
	u8 *copy;

	for (got = 0; got < PACKETS_IN_A_DRAIN; got += n) {
		room = once;
		copy = make_room(ppmu, d, !got, until, &room);
		if (!copy || (got && ktime_get_mono_fast_ns() >= until))
			break;
		n = read_some(d, room, copy, &batch);
		if (!n) {
			behind = false;
			break;
		}
		list_for_each_entry(pe, &ppmu->base.sampling, sampling)
			if (pe->raw.dom == d->index)
				sample_packets(pe, copy, &batch);
	}
	return !make_room(ppmu, d, true, until, &room) || behind;
}

static void drain_domain(struct pcounter_pmu *ppmu, struct pcounter_domain *d,
			 enum pcounter_drain why, u64 share)
{
	struct pcounter_event *pe;
	bool behind;

	approach(d, why);
	behind = read_packets(ppmu, d, ktime_get_mono_fast_ns() + share);
	/* packets that are left need an early next drain */
	scoped_guard(raw_spinlock, &d->gpu->lock)
		if (d->stream)
			d->stream->behind = behind;
	list_for_each_entry(pe, &ppmu->base.sampling, sampling)
		if (pe->raw.dom == d->index && rcu_access_pointer(pe->aux))
			aux_deliver(pe);
}

/* Events move to another CPU one by one: only the old CPU has the list. */
static bool drain_begins(struct pcounter_pmu *ppmu)
{
	guard(raw_spinlock_irqsave)(&ppmu->gpu.lock);
	if (!ppmu->base.added || ppmu->base.added_cpu != raw_smp_processor_id() ||
	    ppmu->delivering)
		return false;
	ppmu->delivering = true;
	return true;
}

/**
 * pcounter_sample_drain() - deliver packets that have arrived to perf
 * @base: the PMU
 * @why: the timer reads the device's position, one register read for each domain;
 *	a read asks for packets first, where software can
 *
 * Packets for which there is no time are left to the next drain, which is soon.
 * Does nothing on a CPU other than the events'.
 */
void pcounter_sample_drain(struct pcounter_base *base, enum pcounter_drain why)
{
	struct pcounter_pmu *ppmu = base->ppmu;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned int i, domains = 0;
	u64 share;

	if (!drain_begins(ppmu))
		return;
	for (i = 0; i < gpu->topo.nr; i++)
		domains += gpu->dom[i].sampled ? 1 : 0;
	share = div_u64(gpu->most_ns, max(domains, 1U));
	for (i = 0; i < gpu->topo.nr; i++)
		if (gpu->dom[i].sampled)
			drain_domain(ppmu, &gpu->dom[i], why, share);
	WRITE_ONCE(ppmu->delivering, false);
}
