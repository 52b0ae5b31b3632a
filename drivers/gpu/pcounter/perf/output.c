// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf samples of one event, made of packets.
 *
 * All of it but opening and closing runs on the events' CPU with interrupts
 * off. Samples are made without gpu->lock: perf may call back.
 */
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include <uapi/linux/pcounter_record.h>

#include "perf/glue.h"
#include "perf/output.h"
#include "perf/types.h"
#include "record/packets.h"
#include "record/record.h"
#include "record/slots.h"

#define SAMPLE_PACKETS		256	/* in one sample at most */

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
 * pcounter_sample_init() - prepare an event that samples
 * @pe: the event
 *
 * perf adjusts the period of a frequency by the time between two overflows, and
 * packets that are read together overflow microseconds apart: the period grows
 * until there is no sample. So perf does not learn of the frequency, and the event
 * streams. Its samples say how much each of them stands for, or it is refused.
 *
 * Return: 0 or a negative errno.
 */
int pcounter_sample_init(struct pcounter_event *pe)
{
	struct perf_event_attr *attr = &pe->base.event->attr;

	INIT_LIST_HEAD(&pe->sampling);
	if (!is_sampling_event(pe->base.event))
		return 0;
	if (attr->freq && !(attr->sample_type & PERF_SAMPLE_PERIOD))
		return -EOPNOTSUPP;
	attr->freq = 0;
	pe->sample = kzalloc(sizeof(*pe->sample), GFP_KERNEL_ACCOUNT);
	return pe->sample ? 0 : -ENOMEM;
}

/**
 * pcounter_sample_add() - an event is added to the PMU; gpu->lock is held
 * @pe: the event; nothing happens if it is there already
 */
void pcounter_sample_add(struct pcounter_event *pe)
{
	struct hw_perf_event *hwc = &pe->base.event->hw;
	struct pcounter_gpu *gpu = pcounter_gpu_of(&pe->base);

	if (!pe->sample || !list_empty(&pe->sampling))
		return;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, -(s64)hwc->sample_period);
	hlist_add_head_rcu(&pe->base.event->hlist_entry, &pe->head);
	list_add_tail(&pe->sampling, &pcounter_base_of(&pe->base)->sampling);
	/* packets until now are for events that do not sample */
	pcounter_record_drain(gpu, pe->raw.dom);
	pcounter_domain_sample(gpu, pe->raw.dom, true);
	pe->pending = 0;
	pe->sample->head.packets = 0;
}

/**
 * pcounter_sample_del() - an event leaves the PMU; gpu->lock is held
 * @pe: the event
 */
void pcounter_sample_del(struct pcounter_event *pe)
{
	if (!pe->sample || list_empty(&pe->sampling))
		return;
	hlist_del_rcu(&pe->base.event->hlist_entry);
	list_del_init(&pe->sampling);
	pcounter_domain_sample(pcounter_gpu_of(&pe->base), pe->raw.dom, false);
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
	return pe->req.set.brief ? PCOUNTER_PACKET_SHORT : PCOUNTER_PACKET_LONG;
}

static bool fill_header(struct pcounter_event *pe)
{
	const struct pcounter_record *record = pcounter_gpu_of(&pe->base)->record;
	const struct pcounter_stream *s = READ_ONCE(record->stream[pe->raw.dom]);
	struct pcounter_record_header *head = &pe->sample->head;

	/* the GPU has just left */
	if (!s)
		return false;
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
	head->unread = cpu_to_le64(s->loss.unread);
	head->used = cpu_to_le16(s->used);
	return true;
}

/* Give @count to perf, with a sample unless the event has stopped. */
static void submit(struct pcounter_event *pe, u64 count)
{
	size_t size = offsetof(struct pcounter_sample, packet) +
		      packets_in(pe->sample) * packet_bytes(pe);
	int context = -1;

	/*
	 * another event's sample may have stopped it: perf would drop this one
	 */
	if (!(pe->base.event->hw.state & PERF_HES_STOPPED) && fill_header(pe))
		context = pcounter_glue_sample_begin();
	if (context < 0) {
		local64_add(count, &pe->base.event->count);
		return;
	}
	pcounter_glue_sample(&pe->head, count, pe->sample, size, context);
}

/**
 * pcounter_sample_deliver() - give an event's count and samples to perf
 * @pe: the event
 *
 * An event that streams has samples of packets in which nothing was counted,
 * too.
 */
void pcounter_sample_deliver(struct pcounter_event *pe)
{
	u64 count = pe->pending;

	pe->pending = 0;
	if (count || (packets_in(pe->sample) && streams(pe->base.event)))
		submit(pe, count);
	pe->sample->head.packets = 0;
}

static bool is_counting(const struct pcounter_event *pe)
{
	return !(pe->base.event->hw.state & PERF_HES_STOPPED) &&
	       pe->base.state != PCOUNTER_STATE_STARTING;
}

/* Credit the event with the count of its request; the total cannot change now. */
static bool count_event(struct pcounter_event *pe)
{
	const struct pcounter_client *client = pcounter_user_of(pe);

	if (!is_counting(pe))
		return false;
	pe->pending += client->total - pe->prev;
	pe->prev = client->total;
	pe->slot = client->slot;
	return true;
}

/**
 * pcounter_sample_header() - an event whose packets are in its AUX area
 * @pe: the event
 * @sample: packets have been added there
 */
void pcounter_sample_header(struct pcounter_event *pe, bool sample)
{
	struct perf_event *event = pe->base.event;
	u64 count;

	count_event(pe);
	count = pe->pending;
	pe->pending = 0;
	if (sample && streams(event) && event->attr.sample_type & PERF_SAMPLE_RAW)
		submit(pe, count);
	else
		local64_add(count, &event->count);
	pe->sample->head.packets = 0;
}

/**
 * pcounter_sample_room() - get the number of packets that an event takes at once
 * @pe: the event
 *
 * Return: the number; 1 if each packet may be the last of its sample.
 */
unsigned int pcounter_sample_room(const struct pcounter_event *pe)
{
	return streams(pe->base.event) ? SAMPLE_PACKETS - packets_in(pe->sample) : 1;
}

/**
 * pcounter_sample_space() - get the place of the next packets of an event
 * @pe: the event; there is room for pcounter_sample_room() of them
 *
 * Return: the place.
 */
u8 *pcounter_sample_space(struct pcounter_event *pe)
{
	return (u8 *)pe->sample->packet + packets_in(pe->sample) * packet_bytes(pe);
}

/**
 * pcounter_sample_packets() - add packets to an event's count and sample
 * @pe: the event; gpu->lock is not held
 * @copy: the packets, perhaps in pcounter_sample_space() already
 * @batch: the same, decoded; no more than there is room for
 */
void pcounter_sample_packets(struct pcounter_event *pe, const u8 *copy,
			     const struct pcounter_batch *batch)
{
	struct perf_event *event = pe->base.event;
	u8 *to = pcounter_sample_space(pe);
	unsigned int n;

	/* of another request, or of the event at another counter: its sample ends */
	if (is_counting(pe) &&
	    !pcounter_record_is_for(pcounter_gpu_of(&pe->base), pe->raw.dom, pe->client, batch)) {
		pcounter_sample_deliver(pe);
		return;
	}
	if (!count_event(pe))
		return;
	if (to != copy)
		memcpy(to, copy, batch->n * packet_bytes(pe));
	n = packets_in(pe->sample) + batch->n;
	pe->sample->head.packets = cpu_to_le16(n);
	if (n == SAMPLE_PACKETS ||
	    (!streams(event) && (s64)pe->pending + local64_read(&event->hw.period_left) >= 0))
		pcounter_sample_deliver(pe);
}

/**
 * pcounter_sample_free() - an event is closed
 * @pe: the event
 */
void pcounter_sample_free(struct pcounter_event *pe)
{
	kfree(pe->sample);
}
