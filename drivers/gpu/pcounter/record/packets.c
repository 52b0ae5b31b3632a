// SPDX-License-Identifier: GPL-2.0-only
/*
 * The packets of record mode: finds packets that have arrived in their slots, decodes them,
 * and adds them to the totals of requests. The caller holds gpu->lock in all functions, and
 * must not hold it for long: packets for which there is no time are left to the next call.
 *
 * Each word that the device writes is read once, then checked, then used. An empty slot is
 * filled with ones. A packet may arrive in pieces of 4 bytes, so its first word alone does
 * not show that the rest is there.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/string.h>

#include "hw/registers.h"
#include "record/record.h"

/* The last packets of a batch may still be on their way. */
#define SKIM_LATE		4

/* Limits on packets of a domain that are read in one snapshot, with interrupts off. */
#define READ_MOST		4096U
#define READ_LEAST		32U
/* Polls for a packet that software has requested, 1 us apart. */
#define FORCE_POLLS		20
#define USER_0			BIT(0)

/* ---- slots ---- */

static u32 ring_offset(const struct pcounter_stream *s, u64 position)
{
	return position & (pcounter_ring_bytes(s->ring) - 1);
}

static __le64 *slot_at(const struct pcounter_stream *s, u64 position)
{
	u32 offset = ring_offset(s, position);

	return s->ring->page[offset / PCOUNTER_VM_PAGE].cpu + offset % PCOUNTER_VM_PAGE;
}

/* The debugging code of the DMA API takes spinlock_t; perf calls with a raw one held. */
static DEFINE_WAIT_OVERRIDE_MAP(sync_map, LD_WAIT_CONFIG);

/* The device may use a copy of a reader's pages. */
static void sync_slots(const struct pcounter_stream *s, u64 position, u32 bytes, bool to_cpu)
{
	const struct pcounter_ring *ring = s->ring;
	u32 offset, n;
	dma_addr_t addr;

	if (!ring->sync)
		return;
	lock_map_acquire_try(&sync_map);
	for (; bytes; bytes -= n, position += n) {
		offset = ring_offset(s, position);
		n = min_t(u32, bytes, PCOUNTER_VM_PAGE - offset % PCOUNTER_VM_PAGE);
		addr = ring->page[offset / PCOUNTER_VM_PAGE].dma + offset % PCOUNTER_VM_PAGE;
		if (to_cpu)
			dma_sync_single_for_cpu(ring->dev, addr, n, DMA_BIDIRECTIONAL);
		else
			dma_sync_single_for_device(ring->dev, addr, n, DMA_BIDIRECTIONAL);
	}
	lock_map_release(&sync_map);
}

/**
 * pcounter_slots_empty() - mark slots as empty
 * @s: the stream; the device does not write to these slots now
 * @position: position of the first slot
 * @bytes: size of all of them
 */
void pcounter_slots_empty(const struct pcounter_stream *s, u64 position, u32 bytes)
{
	u64 at = position, end = position + bytes;
	u32 n;

	for (; at < end; at += n) {
		n = min_t(u32, end - at, PCOUNTER_VM_PAGE - at % PCOUNTER_VM_PAGE);
		memset(slot_at(s, at), PCOUNTER_PACKET_EMPTY, n);
	}
	sync_slots(s, position, bytes, false);
}

static bool is_brief(const struct pcounter_stream *s)
{
	return s->packet == PCOUNTER_PACKET_SHORT;
}

/* ---- arrival ---- */

static u64 cycles_between(u64 from, u64 to)
{
	return (to - from) & PCOUNTER_PACKET_CYCLES;
}

/*
 * Return true if a packet that no other one follows is complete. Two full counters look
 * like a hole, and a slot that was not empty shows no hole: then wait for more looks.
 */
static bool is_complete(const struct pcounter_stream *s, u64 at, const u64 *packet)
{
	unsigned int late = at == s->tail ? s->late : 0;

	if (pcounter_packet_has_hole(packet))
		return late >= PCOUNTER_LATE_LOOKS;
	return !(s->ring->overwrite || s->stale > at) || late >= PCOUNTER_CLEAN_LOOKS;
}

/* Read the packet at a position; return true if it has arrived as a whole. */
static bool read_packet(const struct pcounter_stream *s, u64 at, u64 cycles, u64 *packet)
{
	const __le64 *slot = slot_at(s, at);
	u64 head = pcounter_packet_head(slot), next;

	if (!pcounter_packet_has_begun(head, cycles))
		return false;
	next = pcounter_packet_head(slot_at(s, at + s->packet));
	dma_rmb();
	pcounter_packet_load(slot, head, s->packet / sizeof(u64), packet);
	/* half of @head may have arrived since it was read */
	return (pcounter_packet_follows(next, head) && (u32)head != U32_MAX) ||
	       is_complete(s, at, packet);
}

/* Return true if the next packet has arrived, and is complete. */
static bool next_landed(const struct pcounter_stream *s)
{
	u64 packet[PCOUNTER_PACKET_WORDS];

	sync_slots(s, s->tail, 2 * s->packet, true);
	return read_packet(s, s->tail, s->cycles, packet);
}

/* ---- decoding ---- */

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
	pcounter_decode_one(d, packet, is_brief(s), batch);
	return true;
}

/*
 * Decode at most @most (65536) packets from @s->tail on, which does not move; add them up
 * in @batch, and copy them to @copy unless that is NULL. A packet with a full counter is a
 * batch of its own. Slots of the driver's ring are empty afterwards.
 */
static void read_slots(const struct pcounter_stream *s, unsigned int most, u8 *copy,
		       struct pcounter_batch *batch)
{
	struct pcounter_decoder d;
	unsigned int left;
	u64 at = s->tail;

	sync_slots(s, at, (most + 1) * s->packet, true);
	pcounter_decode_begin(&d, s->used, s->cycles, copy);
	while (batch->n < most && !batch->full) {
		/* the packet behind the last one of a page is in another page */
		left = (PCOUNTER_VM_PAGE - (u32)at % PCOUNTER_VM_PAGE) / s->packet - 1;
		left = is_brief(s) ? 0 : min(left, most - batch->n);
		batch->n += pcounter_decode_run(&d, slot_at(s, at), left);
		at = s->tail + batch->n * s->packet;
		if (batch->n == most || !read_one(&d, s, at, batch))
			break;
		batch->n++;
		at += s->packet;
	}
	if (!s->ring->reader)
		pcounter_slots_empty(s, s->tail, batch->n * s->packet);
	pcounter_decode_end(&d, s->cycles, batch);
}

/* ---- skimming ---- */

/*
 * Return the cycle counter of a packet if its distance from the last packet read is one
 * period for each slot, within half a period; else 0.
 */
static u64 due_cycles(const struct pcounter_stream *s, unsigned int i, u64 period)
{
	u64 head = pcounter_packet_head(slot_at(s, s->tail + i * s->packet));
	u64 early = cycles_between(s->cycles, head) - i * period;

	if (!pcounter_packet_has_begun(head, s->cycles) || head & PCOUNTER_PACKET_MERGED ||
	    (u32)head == U32_MAX || early <= period / 2 || early >= period + period / 2)
		return 0;
	return head & PCOUNTER_PACKET_CYCLES;
}

/*
 * Count at most @most packets before the GPU's position by the cycle counters of the last
 * two; return false if they do not show the number of packets. The GPU writes packets in
 * order. If there are as many periods as slots in between, each slot has its packet, and
 * no packet answers two requests. The last packet shows that the one before is complete.
 */
static bool skim_slots(const struct pcounter_stream *s, unsigned int most, u64 period,
		       struct pcounter_batch *batch)
{
	unsigned int n;

	for (n = most - 1; n && n + SKIM_LATE >= most; n--) {
		batch->cycles = due_cycles(s, n - 1, period);
		if (!batch->cycles || !due_cycles(s, n, period))
			continue;
		batch->n = n;
		batch->clocks = cycles_between(s->cycles, batch->cycles);
		return true;
	}
	return false;
}

/* ---- counting ---- */

/**
 * pcounter_record_settled() - check whether all requests of a domain count
 * @gpu: the GPU
 * @dom: domain index
 *
 * A new request begins some packets later; its @begun is the part of its total from
 * before that.
 *
 * Return: true if so, or if the domain is not in record mode.
 */
bool pcounter_record_settled(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_domain *d = &gpu->dom[dom];
	const struct pcounter_stream *s;

	if (!d->mode || d->mode != gpu->record_mode)
		return true;
	s = pcounter_stream_of(gpu, dom);
	return !s || (s64)(d->swaps - s->joined) >= 0;
}

/**
 * pcounter_record_join() - let all requests of a domain count from the next packet on
 * @gpu: the GPU
 * @dom: domain index; a domain with a stream
 */
void pcounter_record_join(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];
	unsigned int i;

	pcounter_stream_of(gpu, dom)->joined = d->swaps;
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
static void take_batch(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_batch *batch)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	bool settled = pcounter_record_settled(gpu, dom);

	if (s->resync)
		batch->clocks = 0;
	else
		d->swaps += batch->n;
	if (!s->resync && !batch->full)
		add_batch(d, batch);
	if (!settled && pcounter_record_settled(gpu, dom))
		pcounter_record_join(gpu, dom);
	s->resync = false;
	s->tail += batch->n * s->packet;
	s->late = 0;
	s->cycles = batch->cycles;
	s->time = local_clock();
	s->full = batch->full ? s->full + 1 : 0;
	s->full_looks = batch->full ? s->full_looks : 0;
	s->loss.packets += batch->n;
	s->loss.merged += batch->merged;
	s->loss.saturated += batch->full;
}

/**
 * pcounter_record_read() - read and count packets that have arrived
 * @gpu: the GPU
 * @dom: domain index
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
unsigned int pcounter_record_read(struct pcounter_gpu *gpu, unsigned int dom, unsigned int most,
				  u8 *copy, struct pcounter_batch *batch)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	memset(batch, 0, sizeof(*batch));
	if (!pcounter_stream_runs(s))
		return 0;
	/* user space can write to a reader's pages, too */
	if (s->ring->reader)
		most = min_t(u32, most, pcounter_stream_unread(s));
	if (s->resync || !pcounter_record_settled(gpu, dom))
		most = min(most, 1U);
	if (most)
		read_slots(s, most, copy, batch);
	if (batch->n)
		take_batch(gpu, dom, batch);
	return batch->n;
}

/*
 * Count packets that stay in a reader's ring. If all events count clocks, the number of
 * packets is enough. Only the last packet and irregular packets have to be read.
 */
static void skim(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_batch batch = {};
	s32 most;

	if (!pcounter_stream_runs(s) || s->resync || !pcounter_stream_skims(s) ||
	    !pcounter_record_settled(gpu, dom))
		return;
	most = pcounter_stream_unread(s);
	/* one packet alone is never skimmed */
	if (most < 2)
		return;
	s->skimmed = skim_slots(s, most, pcounter_record_period(gpu, dom), &batch);
	if (s->skimmed)
		take_batch(gpu, dom, &batch);
}

/**
 * pcounter_record_count() - count packets that have arrived, without samples of them
 * @gpu: the GPU
 * @dom: domain index
 * @most: packets to read at most; any number is skimmed
 *
 * Return: the number of packets that were read.
 */
unsigned int pcounter_record_count(struct pcounter_gpu *gpu, unsigned int dom,
				   unsigned int most)
{
	struct pcounter_batch batch;
	unsigned int n, got = 1;

	skim(gpu, dom);
	for (n = 0; n < most && got; n += got)
		got = pcounter_record_read(gpu, dom, most - n, NULL, &batch);
	return n;
}

/* ---- counting all packets, in limited time ---- */

/**
 * pcounter_record_drain() - count packets that have arrived, without a register access
 * @gpu: the GPU
 * @dom: domain index
 *
 * Packets for which there is no time are read soon. Packets of which samples are made are
 * left to the caller of pcounter_record_read().
 */
void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	if (!s || gpu->dom[dom].sampled)
		return;
	if (r->epoch != gpu->epoch) {
		r->epoch = gpu->epoch;
		r->began = ktime_get_mono_fast_ns();
	}
	s->behind = false;
	/* no more than a ring: packets arrive while others are read */
	for (i = 0; i < min(s->slots, READ_MOST); i += READ_LEAST) {
		if (i && ktime_get_mono_fast_ns() - r->began >= gpu->most_ns)
			break;
		if (pcounter_record_count(gpu, dom, READ_LEAST) < READ_LEAST)
			return;
	}
	s->behind = true;
}

/**
 * pcounter_record_force() - request a packet now, if software can
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_force(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	unsigned int i;

	if (!pcounter_stream_runs(s) || !gpu->topo.dom[dom].user || d->fault != PCOUNTER_OK)
		return;
	d->hw.user = pcounter_drive_user(&d->block, d->hw.user, d->hw.user | USER_0, USER_0);
	for (i = 0; i < FORCE_POLLS && !next_landed(s); i++)
		udelay(1);
}

/**
 * pcounter_record_update() - bring a domain's totals up to now
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_update(struct pcounter_gpu *gpu, unsigned int dom)
{
	pcounter_record_drain(gpu, dom);
	pcounter_record_force(gpu, dom);
	pcounter_record_drain(gpu, dom);
}
