// SPDX-License-Identifier: GPL-2.0-only
/*
 * The packets of record mode that the driver counts: finds packets that have arrived in
 * the slots of its ring, lets them be decoded, and adds them to the totals of requests. The
 * caller holds gpu->lock in all functions, and must not hold it for long: packets for which
 * there is no time are left to the next call.
 *
 * A packet may arrive in pieces of 4 bytes, so its first word alone does not show that the
 * rest is there.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/string.h>

#include "hw/registers.h"
#include "record/record.h"

/* Limits on packets of a domain that are read in one snapshot, with interrupts off. */
#define READ_MOST		4096U
#define READ_LEAST		32U
/* Polls for a packet that software has requested, 1 us apart. */
#define FORCE_POLLS		20
#define USER_0			BIT(0)

/* ---- arrival ---- */

/* Read the packet at a position; return true if it has arrived as a whole. */
static bool read_packet(const struct pcounter_stream *s, u64 at, u64 cycles, u64 *packet)
{
	const __le64 *slot = pcounter_ring_slot(s->ring, at);
	unsigned int late = at == s->w.tail ? s->read.late : 0;
	u64 head = pcounter_packet_head(slot), next;

	if (!pcounter_packet_has_begun(head, cycles))
		return false;
	next = pcounter_packet_head(pcounter_ring_slot(s->ring, at + s->w.packet));
	dma_rmb();
	pcounter_packet_load(slot, head, s->w.packet / sizeof(u64), packet);
	/* half of @head may have arrived since it was read */
	return (pcounter_packet_follows(next, head) && (u32)head != U32_MAX) ||
	       late >= pcounter_packet_looks(packet, s->read.old <= at);
}

/**
 * pcounter_packet_landed() - has the next packet arrived, as a whole?
 * @s: the stream
 *
 * Return: true if it has.
 */
bool pcounter_packet_landed(const struct pcounter_stream *s)
{
	u64 packet[PCOUNTER_PACKET_WORDS];

	return read_packet(s, s->w.tail, s->read.cycles, packet);
}

/* ---- from slots to a batch ---- */

/* Decode the packet at a position; return true if it has arrived, and suits the batch. */
static bool read_one(struct pcounter_decoder *d, const struct pcounter_stream *s, u64 at,
		     struct pcounter_batch *batch)
{
	u64 packet[PCOUNTER_PACKET_WORDS];
	bool full;

	if (!read_packet(s, at, d->cycles, packet))
		return false;
	full = pcounter_packet_is_full(packet, s->used);
	if (full && batch->n)
		return false;
	batch->full = full;
	pcounter_decode_one(d, packet, s->w.packet == PCOUNTER_PACKET_SHORT, batch);
	return true;
}

/* Return how many LONG packets at a position have the packet behind them in the same page. */
static unsigned int run_length(const struct pcounter_stream *s, u64 at, unsigned int most)
{
	if (s->w.packet == PCOUNTER_PACKET_SHORT)
		return 0;
	return min((PCOUNTER_VM_PAGE - (u32)at % PCOUNTER_VM_PAGE) / PCOUNTER_PACKET_LONG - 1,
		   most);
}

/**
 * pcounter_g84_read() - decode packets from the tail on, which does not move
 * @s: the stream
 * @most: packets at most, up to 65536
 * @copy: where to copy them, or NULL
 * @batch: gets their sums
 *
 * A packet with a full counter is a batch of its own. The slots are empty afterwards.
 */
void pcounter_g84_read(struct pcounter_stream *s, unsigned int most, u8 *copy,
		       struct pcounter_batch *batch)
{
	struct pcounter_decoder d = {
		.used = DIV_ROUND_UP(fls(s->used), PCOUNTER_WORD_CTRS),
		.cycles = s->read.cycles, .copy = copy,
	};
	u64 at = s->w.tail;

	while (batch->n < most && !batch->full) {
		const __le64 *slot = pcounter_ring_slot(s->ring, at);

		batch->n += pcounter_decode_run(&d, slot, run_length(s, at, most - batch->n));
		at = s->w.tail + batch->n * s->w.packet;
		if (batch->n == most || !read_one(&d, s, at, batch))
			break;
		batch->n++;
		at += s->w.packet;
	}
	pcounter_decode_end(&d, s->read.cycles, batch);
	pcounter_ring_empty(s->ring, s->w.tail, batch->n * s->w.packet);
}

/* ---- counting ---- */

/**
 * pcounter_record_settled() - check whether all requests of a domain count
 * @d: the domain
 *
 * A new request begins some packets later; its @begun is the part of its total from
 * before that.
 *
 * Return: true if so, or if the domain is not in record mode.
 */
bool pcounter_record_settled(const struct pcounter_domain *d)
{
	return d->plan.set.mode != PCOUNTER_MODE_RECORD || !d->stream ||
	       (s64)(d->swaps - d->stream->joined) >= 0;
}

/**
 * pcounter_record_join() - let all requests of a domain count from the next packet on
 * @s: the stream
 */
void pcounter_record_join(struct pcounter_stream *s)
{
	struct pcounter_domain *d = s->d;
	unsigned int i;

	s->joined = d->swaps;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		d->client[i].begun = d->client[i].total;
}

static void add_batch(struct pcounter_domain *d, const struct pcounter_batch *batch)
{
	u64 now = ktime_get_mono_fast_ns();
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_client *client = &d->client[i];

		if (!pcounter_period_is_whole(d, client))
			continue;
		client->total += client->slot == PCOUNTER_NO_SLOT ? batch->clocks :
							       batch->ctr[client->slot];
		client->last_ns = now;
	}
}

/* Count a batch, unless the packet before it was lost: then nobody knows its cycles. */
static void take_batch(struct pcounter_stream *s, struct pcounter_batch *batch)
{
	bool settled = pcounter_record_settled(s->d);

	if (s->read.resync)
		batch->clocks = 0;
	else
		s->d->swaps += batch->n;
	if (!s->read.resync && !batch->full)
		add_batch(s->d, batch);
	if (!settled && pcounter_record_settled(s->d))
		pcounter_record_join(s);
	s->w.tail += batch->n * s->w.packet;
	s->read.resync = false;
	s->read.late = 0;
	s->read.cycles = batch->cycles;
	s->read.full = batch->full ? s->read.full + 1 : 0;
	s->read.full_looks = batch->full ? s->read.full_looks : 0;
	s->time = local_clock();
	s->loss.packets += batch->n;
	s->loss.merged += batch->merged;
	s->loss.saturated += batch->full;
}

/**
 * pcounter_record_read() - read and count packets that have arrived
 * @s: the stream, whose packets no reader has
 * @most: packets at most
 * @copy: where to copy the packets, NULL if only their counts are wanted
 * @batch: the packets, decoded
 *
 * Does not count the first packet after a loss. Does not count one with a full counter
 * either, for any request of the domain, so that events and cycles stay comparable. Such
 * packets, and packets that only some requests count, are batches of their own.
 *
 * Return: the number of packets.
 */
unsigned int pcounter_record_read(struct pcounter_stream *s, unsigned int most, u8 *copy,
				  struct pcounter_batch *batch)
{
	memset(batch, 0, sizeof(*batch));
	if (s->read.resync || !pcounter_record_settled(s->d))
		most = min(most, 1U);
	if (most)
		s->d->gpu->record->ops->read(s, most, copy, batch);
	if (batch->n)
		take_batch(s, batch);
	return batch->n;
}

/* ---- counting all packets, in limited time ---- */

/**
 * pcounter_record_drain() - count packets that have arrived, without a register access
 * @s: the stream, NULL for none; no samples are made of these packets
 *
 * Return: true if packets are left for which there is no time; they are read soon.
 */
bool pcounter_record_drain(struct pcounter_stream *s)
{
	struct pcounter_batch batch;
	struct pcounter_gpu *gpu;
	struct pcounter_record *r;
	unsigned int n, got;

	if (!pcounter_stream_counts(s))
		return false;
	gpu = s->d->gpu;
	r = gpu->record;
	if (r->snapshot != gpu->snapshot) {
		r->snapshot = gpu->snapshot;
		r->began = ktime_get_mono_fast_ns();
	}
	s->behind = false;
	/* no more than a ring: packets arrive while others are read */
	for (n = 0; n < min(pcounter_stream_slots(s), READ_MOST); n += got) {
		if (n >= READ_LEAST && ktime_get_mono_fast_ns() - r->began >= gpu->most_ns)
			break;
		got = pcounter_record_read(s, READ_LEAST, NULL, &batch);
		if (!got)
			return false;
	}
	s->behind = true;
	return true;
}

/**
 * pcounter_g84_force() - request a packet, where software can
 * @s: the stream, which runs
 */
void pcounter_g84_force(struct pcounter_stream *s)
{
	struct pcounter_domain *d = s->d;
	unsigned int i;

	if (s->reader.ring || !d->id->user || d->unit.fault != PCOUNTER_OK)
		return;
	d->hw.user = pcounter_drive_user(&d->block, d->hw.user, d->hw.user | USER_0, USER_0);
	for (i = 0; i < FORCE_POLLS && !pcounter_packet_landed(s); i++)
		udelay(1);
}

/**
 * pcounter_record_force() - let packets that are due be there, as far as software can
 * @d: the domain
 */
void pcounter_record_force(struct pcounter_domain *d)
{
	if (pcounter_stream_runs(d->stream))
		d->gpu->record->ops->force(d->stream);
}

/**
 * pcounter_record_update() - bring a domain's totals up to now
 * @d: the domain
 *
 * Packets of which samples are made are left to the caller of pcounter_record_read().
 */
void pcounter_record_update(struct pcounter_domain *d)
{
	if (!d->sampled)
		pcounter_record_drain(d->stream);
	pcounter_record_force(d);
	if (!d->sampled)
		pcounter_record_drain(d->stream);
}
