// SPDX-License-Identifier: GPL-2.0-only
/*
 * From packets of record mode to what users have counted. gpu->lock is held in
 * all functions, and not for long: what there is no time for waits.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "count/gpu.h"
#include "hw/registers.h"
#include "params.h"
#include "record/record.h"

#define CTR_FULL		0xffff

/*
 * With interrupts off so many packets are read in one snapshot from all domains, but
 * for a few of each.
 */
#define READ_MOST		4096U
#define READ_LEAST		32U
/* So many are to be there at most when they are read. */
#define READ_USUAL		2048U
/* When not all could be read. */
#define BEHIND_POLL_NS		(100 * NSEC_PER_USEC)
/* A reader of packets that are skimmed is told as often. */
#define SKIM_POLL_NS		(10 * NSEC_PER_MSEC)
#define POLL_US_MIN		100U
#define POLL_US_MAX		1000000U
/* How long a forced packet is waited for. */
#define FORCE_POLLS		20
#define USER_0			BIT(0)

/* ---- one by one ---- */

static void add_packet(struct pcounter_domain *d, const struct pcounter_packet *packet)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_user *user = &d->user[i];

		if (!pcounter_period_is_whole(d, user))
			continue;
		user->total += user->slot == PCOUNTER_NO_SLOT ? packet->clocks :
							       packet->ctr[user->slot];
		user->measured = true;
	}
}

/* A counter that somebody uses is full: nobody knows what it has missed. */
static bool is_full(const struct pcounter_domain *d, const struct pcounter_packet *packet)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		const struct pcounter_user *user = &d->user[i];

		if (user->placed && user->slot != PCOUNTER_NO_SLOT &&
		    packet->ctr[user->slot] == CTR_FULL)
			return true;
	}
	return false;
}

/* From here on all users count. */
static void settle(struct pcounter_domain *d, struct pcounter_stream *s)
{
	unsigned int i;

	s->joined = d->swaps;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		d->user[i].begun = d->user[i].total;
}

static void note_packet(struct pcounter_stream *s, const struct pcounter_packet *packet,
			bool full)
{
	s->cycles = packet->cycles;
	s->loss.packets++;
	s->loss.merged += packet->stop > 1 ? packet->stop - 1 : 0;
	s->loss.saturated += full;
	s->full = full ? s->full + 1 : 0;
	if (!full)
		s->full_looks = 0;
}

/**
 * pcounter_record_next() - read the next packet, if it has arrived
 * @gpu: the GPU
 * @dom: domain index
 * @packet: where to leave it
 *
 * The first packet after a loss is not counted: nobody knows what share of it
 * belongs to which cycles. One with a full counter is not counted either, for
 * nobody in the domain, so that events and cycles are still of the same packets.
 *
 * Return: whether there was one.
 */
bool pcounter_record_next(struct pcounter_gpu *gpu, unsigned int dom,
			  struct pcounter_packet *packet)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	bool full;

	if (!s || !s->running)
		return false;
	/* others can write to a reader's pages, too */
	if (s->ring->reader && s->tail == s->head)
		return false;
	if (!pcounter_slot_read(s, packet))
		return false;
	s->tail += s->packet;
	s->late = 0;
	full = is_full(d, packet);
	if (s->resync)
		packet->clocks = 0;
	else
		d->swaps++;
	if (!s->resync && !full)
		add_packet(d, packet);
	if (d->swaps == s->joined)
		settle(d, s);
	s->resync = false;
	note_packet(s, packet, full);
	return true;
}

/**
 * pcounter_record_settle() - the packets for which new users wait do not come
 * @gpu: the GPU
 * @dom: domain index; a domain with a stream
 */
void pcounter_record_settle(struct pcounter_gpu *gpu, unsigned int dom)
{
	if (!pcounter_record_settled(gpu, dom))
		settle(&gpu->dom[dom], pcounter_stream_of(gpu, dom));
}

/* ---- many at once ---- */

/* Returns how many clocks a packet covers. */
static u64 period_of(const struct pcounter_settings *set)
{
	return 1ULL << (PCOUNTER_PERIODIC_SHIFT + (set->periodic ?: PCOUNTER_PERIODIC_DEFAULT));
}

static void add_sum(struct pcounter_domain *d, const struct pcounter_sum *sum)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_user *user = &d->user[i];

		if (!pcounter_period_is_whole(d, user))
			continue;
		user->total += user->slot == PCOUNTER_NO_SLOT ? sum->clocks :
							       sum->ctr[user->slot];
		user->measured = true;
	}
}

static void take_sum(struct pcounter_domain *d, struct pcounter_stream *s,
		     const struct pcounter_sum *sum)
{
	if (!sum->n)
		return;
	d->swaps += sum->n;
	add_sum(d, sum);
	s->tail += sum->n * s->packet;
	s->cycles = sum->cycles;
	s->late = 0;
	s->loss.packets += sum->n;
	s->full = 0;
	s->full_looks = 0;
}

/**
 * pcounter_record_plain() - read packets up to one that is to be looked at by itself
 * @gpu: the GPU
 * @dom: domain index
 * @most: packets at most
 * @copy: where to leave them, NULL if only their counts are wanted
 *
 * As pcounter_record_next() does one by one, but faster.
 *
 * Return: how many there were; after none pcounter_record_next() goes on.
 */
unsigned int pcounter_record_plain(struct pcounter_gpu *gpu, unsigned int dom,
				   unsigned int most, u8 *copy)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	struct pcounter_sum sum;

	if (!s || !s->running || s->resync || !pcounter_record_settled(gpu, dom))
		return 0;
	/* others can write to a reader's pages, too */
	if (s->ring->reader)
		most = min(most, (s->head - s->tail) / s->packet);
	pcounter_slots_sum(s, most, &sum, copy);
	take_sum(d, s, &sum);
	return sum.n;
}

/**
 * pcounter_record_skim() - take the packets that are left to their reader
 * @gpu: the GPU
 * @dom: domain index
 *
 * Where only clocks are counted there is nothing else to be known of them, however many
 * there are. What is irregular, and the last one, is pcounter_record_next()'s.
 *
 * Return: how many there were.
 */
unsigned int pcounter_record_skim(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	struct pcounter_sum sum;
	unsigned int most;

	if (!s || !s->running || s->resync || !pcounter_stream_skims(s) ||
	    !pcounter_record_settled(gpu, dom) || (s32)(s->head - s->tail) <= 0)
		return 0;
	most = (s->head - s->tail) / s->packet;
	pcounter_slots_skim(s, most, period_of(&d->plan.set), &sum);
	/* one alone is never skimmed */
	if (most > 1)
		s->skimmed = sum.n;
	take_sum(d, s, &sum);
	return sum.n;
}

/**
 * pcounter_record_count() - read packets of which only the counts are wanted
 * @gpu: the GPU
 * @dom: domain index
 * @most: packets at most
 *
 * Return: how many there were.
 */
unsigned int pcounter_record_count(struct pcounter_gpu *gpu, unsigned int dom,
				   unsigned int most)
{
	struct pcounter_packet packet;
	unsigned int n, plain;

	for (n = 0; n < most; n += plain ?: 1) {
		plain = pcounter_record_plain(gpu, dom, most - n, NULL);
		if (!plain && !pcounter_record_next(gpu, dom, &packet))
			break;
	}
	return n;
}

/* ---- counting ---- */

/* Of what arrives meanwhile no more than a ring is read. */
static unsigned int most_packets(const struct pcounter_stream *s)
{
	return min(s->slots, READ_MOST);
}

static void budget_begin(struct pcounter_record *r, u32 epoch)
{
	r->epoch = epoch;
	r->began = ktime_get_mono_fast_ns();
	r->packets = 0;
}

static bool budget_is_spent(const struct pcounter_gpu *gpu)
{
	const struct pcounter_record *r = gpu->record;

	return r->packets >= READ_MOST || ktime_get_mono_fast_ns() - r->began >= gpu->most_ns;
}

static void read_all(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_record *r = gpu->record;
	unsigned int i, n;

	if (!s)
		return;
	if (r->epoch != gpu->epoch)
		budget_begin(r, gpu->epoch);
	s->behind = false;
	for (i = 0; i < most_packets(s); i += READ_LEAST) {
		if (i && budget_is_spent(gpu))
			break;
		pcounter_record_skim(gpu, dom);
		n = pcounter_record_count(gpu, dom, READ_LEAST);
		r->packets += n;
		if (n < READ_LEAST)
			return;
	}
	s->behind = true;
}

/**
 * pcounter_record_drain() - read what has arrived
 * @gpu: the GPU
 * @dom: domain index
 *
 * No register is read. What there is no time for now is there the next time, which
 * is soon.
 */
void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom)
{
	/* samples are to be made of them, and not under the lock */
	if (!gpu->dom[dom].sampled)
		read_all(gpu, dom);
}

/**
 * pcounter_record_force() - ask for a packet now, where software can
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_force(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	unsigned int i;

	if (!s || !s->running || !gpu->topo.dom[dom].user ||
	    !pcounter_domain_ok(gpu, &gpu->dom[dom]))
		return;
	pcounter_drive_user(&gpu->dom[dom].block, &gpu->dom[dom].hw,
			    gpu->dom[dom].hw.user | USER_0, USER_0);
	for (i = 0; i < FORCE_POLLS; i++) {
		if (pcounter_slot_landed(s))
			return;
		udelay(1);
	}
}

/* What would have been samples is only counted. */
static void finish(struct pcounter_gpu *gpu, unsigned int dom)
{
	read_all(gpu, dom);
	pcounter_record_force(gpu, dom);
	read_all(gpu, dom);
}

/**
 * pcounter_record_end() - bring a domain's totals up to now, for the last time
 * @gpu: the GPU
 * @dom: domain index
 *
 * Return: true if there was no time for all of it: to be called again, after the
 * lock has been given up.
 */
bool pcounter_record_end(struct pcounter_gpu *gpu, unsigned int dom)
{
	budget_begin(gpu->record, gpu->epoch);
	finish(gpu, dom);
	return pcounter_stream_of(gpu, dom)->behind;
}

/**
 * pcounter_record_update() - bring a domain's totals up to now
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_update(struct pcounter_gpu *gpu, unsigned int dom)
{
	/* samples are to be made of the packets */
	if (gpu->dom[dom].sampled)
		pcounter_record_force(gpu, dom);
	else
		finish(gpu, dom);
}

/**
 * pcounter_record_update_last() - bring a domain's totals up to now: the ring is left
 * @gpu: the GPU
 * @dom: domain index; a domain in record mode
 *
 * What there is no time for is lost.
 */
void pcounter_record_update_last(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	s32 unread;

	pcounter_record_update(gpu, dom);
	unread = (s32)(s->head - s->tail) / (s32)s->packet;
	if (s->behind && unread > 0)
		s->loss.overrun += unread;
	s->behind = false;
}

/* At the fastest clock there can be. */
static u64 fill_ns(const struct pcounter_gpu *gpu, u64 clocks)
{
	return mul_u64_u64_div_u64(clocks, NSEC_PER_SEC, gpu->gen->max_clock_hz);
}

/* Packets are skimmed, and there is nothing that only some looks find out. */
static bool may_wait(const struct pcounter_stream *s)
{
	return pcounter_stream_skims(s) && s->skimmed && !s->at_edge && !s->still && s->late < 2 &&
	       s->ring->size - (s->head - s->ring->base) > pcounter_ring_bytes(s->ring);
}

/**
 * pcounter_record_poll_ns() - how often packets must be read
 * @gpu: the GPU
 * @dom: domain index
 *
 * Four times while a ring fills, at the fastest clock there can be, and before
 * there are more packets than can be read at once. However large a reader's is, it
 * is told as often, but for what is skimmed.
 *
 * Return: nanoseconds.
 */
u64 pcounter_record_poll_ns(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	unsigned int us = pcounter_record_params.poll_us;
	u64 period = period_of(&gpu->dom[dom].plan.set);
	unsigned int slots = min(s->slots, pcounter_ring_bytes(&s->own) / s->packet);
	u64 ns;

	if (s->behind)
		return BEHIND_POLL_NS;
	if (us)
		return clamp(us, POLL_US_MIN, POLL_US_MAX) * (u64)NSEC_PER_USEC;
	ns = fill_ns(gpu, min(slots / 4, READ_USUAL) * period);
	if (may_wait(s))
		ns = min_t(u64, fill_ns(gpu, s->slots / 4 * period), SKIM_POLL_NS);
	if (s->filling)
		ns = min_t(u64, ns, PCOUNTER_EDGE_POLL_NS);
	/* a small area is its reader's choice, and no reason to do nothing else */
	return pcounter_stream_guarded(s) ? max_t(u64, ns, PCOUNTER_EDGE_POLL_NS) : ns;
}
