// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains in record mode: the stream of packets, from the start to what users
 * have counted. gpu->lock is held in all functions; how streams come and go is
 * in pcounter_ring.c.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "pcounter_domain.h"
#include "pcounter_record.h"
#include "pcounter_regs.h"

/* Packet, hw/record-memory.md 12: the first 8 bytes are cycles and STOP count. */
#define PACKET_CYCLES		GENMASK_ULL(47, 0)
#define PACKET_STOP		GENMASK_ULL(59, 48)
#define PACKET_STOP_SHIFT	48
#define PACKET_ZERO		GENMASK_ULL(63, 60)
#define PACKET_EMPTY		(~0ULL)		/* what no packet can be */
#define PACKET_WORDS		4
#define PACKET_LONG		32
#define PACKET_SHORT		16

#define CTR_BITS		16
#define CTR_FULL		0xffff

/* PERIODIC_PERIOD where nobody has a wish: 2^14 clocks, 37 000 packets/s at 600 MHz */
#define DEFAULT_PERIODIC	5
/* A packet that the position is past has so many looks to arrive. */
#define LATE_LOOKS		16
/* After so many looks a packet of the time before the start has arrived, too. */
#define SETTLED_LOOKS		2
/* So often the position is at the beginning of the window before it has stopped there. */
#define STILL_LOOKS		64
/* Cycle counters of neighbours differ by less than this. */
#define PACKET_MAX_CLOCKS		BIT_ULL(47)
#define POLL_US_MIN		100U
#define POLL_US_MAX		1000000U
/* How long a forced packet is waited for. */
#define FORCE_POLLS		20

/* Requests a packet: PERIODIC or, where software can, USER_0. */
#define STOP_PERIODIC		PCOUNTER_OP_SOURCE_0
#define STOP_PERIODIC_OR_USER	0xeeee
#define USER_0			BIT(0)

static struct pcounter_stream *stream_of(struct pcounter_gpu *gpu, unsigned int dom)
{
	return gpu->record.stream[dom];
}

static u32 ring_bytes(const struct pcounter_stream *s)
{
	return s->ring.nr_pages * PCOUNTER_VM_PAGE;
}

static __le64 *slot_at(const struct pcounter_stream *s, u32 position)
{
	u32 offset = (position - s->base) & (ring_bytes(s) - 1);

	return s->ring.page[offset / PCOUNTER_VM_PAGE] + offset % PCOUNTER_VM_PAGE;
}

/* Mark @n packets from @position on as not there. */
static void make_empty(const struct pcounter_stream *s, u32 position, unsigned int n)
{
	for (; n; n--, position += s->packet)
		WRITE_ONCE(*slot_at(s, position), cpu_to_le64(PACKET_EMPTY));
}

/* ---- start ---- */

static u8 periodic_of(const struct pcounter_settings *set)
{
	return set->periodic ?: DEFAULT_PERIODIC;
}

/**
 * pcounter_record_period() - how many clocks a packet covers
 * @set: what is wished for the domain
 *
 * Return: clocks.
 */
u64 pcounter_record_period(const struct pcounter_settings *set)
{
	return 1ULL << (PCOUNTER_PERIODIC_SHIFT + periodic_of(set));
}

/* What requests packets: nothing that users have asked for. */
static void plan_stop(const struct pcounter_gpu *gpu, unsigned int dom,
		      struct pcounter_plan *plan)
{
	const struct pcounter_dom_id *id = &gpu->topo.dom[dom];
	struct pcounter_input *stop = &plan->in[PCOUNTER_STOP];

	stop->sig[0] = id->trailer + G84_TRAILER_PERIODIC;
	stop->sig[1] = id->user;
	stop->op = id->user ? STOP_PERIODIC_OR_USER : STOP_PERIODIC;
	plan->used |= BIT(PCOUNTER_STOP);
	plan->set.periodic = periodic_of(&plan->set);
}

static void stream_restart(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = stream_of(gpu, dom);

	s->head = position;
	s->tail = position;
	s->cycles = 0;
	s->wrapped = false;
	s->still = 0;
	s->late = 0;
	gpu->gen->ops->record_start(gpu->gen, gpu->io, gpu->topo.dom[dom].block, position);
}

/*
 * On entering record mode there may be packets of garbage (hw/ambiguities.md
 * 18): they get a place at the end of the ring. RECORD_START in record mode
 * clears all counters, and is where the count begins.
 */
static void stream_prepare(struct pcounter_gpu *gpu, unsigned int dom, bool brief)
{
	struct pcounter_stream *s = stream_of(gpu, dom);

	s->packet = brief ? PACKET_SHORT : PACKET_LONG;
	s->slots = ring_bytes(s) / s->packet;
	s->looks = 0;
	s->resync = false;
	make_empty(s, s->base, s->slots);
	s->limit = s->size <= U32_MAX ? s->base + (u32)s->size - s->packet :
					PCOUNTER_RECORD_NEVER;
	gpu->gen->ops->record_window(gpu->gen, gpu->io, gpu->topo.dom[dom].block,
				     s->high, s->limit);
	gpu->gen->ops->record_start(gpu->gen, gpu->io, gpu->topo.dom[dom].block,
				    s->base + ring_bytes(s) - PCOUNTER_VM_PAGE);
}

static u32 first_position(const struct pcounter_stream *s)
{
	u32 offset = pcounter_record_params.position;

	offset -= offset % s->packet;
	return offset < s->size ? s->base + offset : s->base;
}

/* Who is new, or moves while packets are made, begins with the next whole packet. */
static void record_settle(struct pcounter_domain *d, bool running,
			  const s8 slot[PCOUNTER_MAX_REQUESTS])
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_user *user = &d->user[i];

		if (!user->refs || (user->placed && running && user->slot == slot[i]))
			continue;
		user->slot = slot[i];
		user->placed = true;
		/* one may be on its way, and one is half full */
		user->since = d->swaps + (running ? 2 : 0);
	}
	d->join = false;
}

/**
 * pcounter_record_program() - let a domain record what its users ask for
 * @gpu: the GPU
 * @dom: domain index
 * @plan: where
 * @slot: counter of each user
 */
void pcounter_record_program(struct pcounter_gpu *gpu, unsigned int dom,
			     const struct pcounter_plan *plan,
			     const s8 slot[PCOUNTER_MAX_REQUESTS])
{
	unsigned int block = gpu->topo.dom[dom].block;
	struct pcounter_stream *s = stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	struct pcounter_image img = d->hw;
	struct pcounter_plan all = *plan;
	bool running = s->running && d->plan.set.brief == plan->set.brief;

	plan_stop(gpu, dom, &all);
	gpu->gen->ops->encode(gpu->gen, block, &all, d->zero, &img);
	if (running)
		pcounter_record_take_in(gpu, dom);
	else
		stream_prepare(gpu, dom, plan->set.brief);
	/* inputs first, CTRL last */
	gpu->gen->ops->restore(gpu->gen, gpu->io, block, &d->hw, &img);
	d->hw = img;
	d->plan = all;
	d->phase = PCOUNTER_PHASE_NONE;
	d->drained = false;
	d->pending = false;
	pcounter_domain_run_periodic(gpu, dom);
	record_settle(d, running, slot);
	if (running)
		return;
	stream_restart(gpu, dom, first_position(s));
	s->running = true;
}

/**
 * pcounter_record_leave() - a domain is about to do something else
 * @gpu: the GPU
 * @dom: domain index
 *
 * A packet that is on its way arrives all the same.
 */
void pcounter_record_leave(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = gpu->topo.caps & PCOUNTER_CAP_RECORD ?
				    stream_of(gpu, dom) : NULL;

	if (!s || !s->running)
		return;
	pcounter_record_take_in(gpu, dom);
	s->running = false;
}

/* ---- taking packets ---- */

/* Read once what the device has written, then check, then use. */
static bool take(struct pcounter_stream *s, u64 word[PACKET_WORDS])
{
	__le64 *slot = slot_at(s, s->tail);
	unsigned int i;

	word[0] = le64_to_cpu(READ_ONCE(slot[0]));
	if (word[0] & PACKET_ZERO)
		return false;
	dma_rmb();
	for (i = 1; i < s->packet / sizeof(u64); i++)
		word[i] = le64_to_cpu(READ_ONCE(slot[i]));
	WRITE_ONCE(slot[0], cpu_to_le64(PACKET_EMPTY));
	return true;
}

static bool decode(struct pcounter_stream *s, const u64 word[PACKET_WORDS],
		   struct pcounter_packet *packet)
{
	unsigned int i, ctrs = (s->packet - sizeof(u64)) * BITS_PER_BYTE / CTR_BITS;

	packet->cycles = word[0] & PACKET_CYCLES;
	packet->stop = (word[0] & PACKET_STOP) >> PACKET_STOP_SHIFT;
	packet->clocks = (packet->cycles - s->cycles) & PACKET_CYCLES;
	/* of an earlier time: it had been on its way when this stream began */
	if (packet->clocks >= PACKET_MAX_CLOCKS)
		return false;
	for (i = 0; i < PACKET_WORDS; i++)
		packet->raw[i] = cpu_to_le64(word[i]);
	for (i = 0; i < PCOUNTER_RECORD_SLOTS; i++)
		packet->ctr[i] = i >= ctrs ? 0 : word[1 + i / 4] >> i % 4 * CTR_BITS;
	return true;
}

static void add_packet(struct pcounter_domain *d, const struct pcounter_stream *s,
		       const struct pcounter_packet *packet)
{
	unsigned int i;

	d->swaps++;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_user *user = &d->user[i];

		if (!pcounter_period_is_whole(d, user))
			continue;
		user->total += user->slot == PCOUNTER_NO_SLOT ? packet->clocks :
							       packet->ctr[user->slot];
	}
}

static void note_packet(struct pcounter_domain *d, struct pcounter_stream *s,
			const struct pcounter_packet *packet)
{
	unsigned int i;

	s->cycles = packet->cycles;
	s->loss.packets++;
	s->loss.merged += packet->stop > 1 ? packet->stop - 1 : 0;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		const struct pcounter_user *user = &d->user[i];

		if (user->placed && user->slot != PCOUNTER_NO_SLOT &&
		    packet->ctr[user->slot] == CTR_FULL) {
			s->loss.saturated++;
			break;
		}
	}
}

/**
 * pcounter_record_next() - take the next packet, if it has arrived
 * @gpu: the GPU
 * @dom: domain index
 * @packet: where to leave it
 *
 * The first packet after a loss is not counted: nobody knows what share of it
 * belongs to which cycles.
 *
 * Return: whether there was one.
 */
bool pcounter_record_next(struct pcounter_gpu *gpu, unsigned int dom,
			  struct pcounter_packet *packet)
{
	struct pcounter_stream *s = stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	u64 word[PACKET_WORDS] = {};

	if (!s || !s->running)
		return false;
	if (!take(s, word) || !decode(s, word, packet))
		return false;
	s->tail += s->packet;
	s->late = 0;
	if (s->resync)
		packet->clocks = 0;
	else
		add_packet(d, s, packet);
	s->resync = false;
	note_packet(d, s, packet);
	return true;
}

/* ---- the position ---- */

static void stream_skip(struct pcounter_stream *s, u32 packets, u64 *loss)
{
	s->tail += packets * s->packet;
	*loss += packets;
	s->resync = true;
	s->late = 0;
}

/* The writer has lapped us: begin again in the middle of what is still there. */
static void stream_overrun(struct pcounter_stream *s, u32 unread)
{
	u32 keep = s->slots / 2;

	stream_skip(s, unread - keep, &s->loss.overrun);
	make_empty(s, s->head, s->slots - keep);
}

/* At the end of its part of the window recording stops; everything is taken. */
static bool at_the_end(struct pcounter_stream *s)
{
	if (s->size <= U32_MAX)
		return s->head - s->base == s->size;
	/* whether LONG packets reach LIMIT there is disputed (hw/ambiguities.md 20) */
	if (s->head != s->base || !s->wrapped) {
		s->still = 0;
		s->wrapped |= s->head != s->base && s->head > s->base + ring_bytes(s);
		return false;
	}
	return ++s->still >= STILL_LOOKS;
}

static void check_position(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = stream_of(gpu, dom);
	u32 moved = position - s->head;

	/* what cannot be: odd addresses, other domains', and going back */
	if ((position - s->base) % s->packet || moved > BIT(31) ||
	    position - s->base > s->size) {
		pcounter_domain_fault(&gpu->dom[dom], PCOUNTER_FAULT_POSITION);
		return;
	}
	s->head = position;
}

/**
 * pcounter_record_look() - see how far the device is; one register read
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_look(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	u32 status;
	s32 unread;

	if (!s || !s->running)
		return;
	status = gpu->gen->ops->record_status(gpu->gen, gpu->io, gpu->topo.dom[dom].block);
	if (pcounter_is_dead(status)) {
		pcounter_domain_fault(d, PCOUNTER_FAULT_DEAD);
		return;
	}
	if (status & NV40_RECORD_STATUS_FAULT) {
		gpu->record.wedged |= BIT(dom);
		pcounter_domain_fault(d, PCOUNTER_FAULT_RECORD);
		return;
	}
	check_position(gpu, dom, status & NV40_RECORD_STATUS_POSITION);
	if (d->fault)
		return;
	if (++s->looks == SETTLED_LOOKS && s->head - s->base < ring_bytes(s) / 2)
		make_empty(s, s->base + ring_bytes(s) - PCOUNTER_VM_PAGE,
			   PCOUNTER_VM_PAGE / s->packet);
	/* where packets arrive first, @tail may be ahead of the position */
	unread = (s32)(s->head - s->tail) / (s32)s->packet;
	if (unread > (s32)s->slots - 1)
		stream_overrun(s, unread);
	else if (unread > 0 && ++s->late > LATE_LOOKS)
		stream_skip(s, 1, &s->loss.missing);
	if (at_the_end(s) && s->tail == s->head) {
		s->loss.gaps++;
		stream_restart(gpu, dom, s->base);
	}
}

/* ---- counting ---- */

/**
 * pcounter_record_drain() - take what has arrived
 * @gpu: the GPU
 * @dom: domain index
 *
 * No register is read; of what arrives meanwhile no more than a ring is taken.
 */
void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = stream_of(gpu, dom);
	struct pcounter_packet packet;
	unsigned int i;

	/* samples are to be made of them, and not under the lock */
	if (gpu->dom[dom].sampled)
		return;
	for (i = 0; s && i < s->slots; i++)
		if (!pcounter_record_next(gpu, dom, &packet))
			return;
}

/**
 * pcounter_record_force() - ask for a packet now, where software can
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_force(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = stream_of(gpu, dom);
	unsigned int i;

	if (!s || !s->running || !gpu->topo.dom[dom].user ||
	    !pcounter_domain_ok(gpu, &gpu->dom[dom]))
		return;
	gpu->gen->ops->user(gpu->gen, gpu->io, gpu->topo.dom[dom].block,
			    &gpu->dom[dom].hw, gpu->dom[dom].hw.user | USER_0, USER_0);
	for (i = 0; i < FORCE_POLLS; i++) {
		if (!(le64_to_cpu(READ_ONCE(*slot_at(s, s->tail))) & PACKET_ZERO))
			return;
		udelay(1);
	}
}

/**
 * pcounter_record_take_in() - bring a domain's totals up to now
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_take_in(struct pcounter_gpu *gpu, unsigned int dom)
{
	pcounter_record_drain(gpu, dom);
	if (!gpu->topo.dom[dom].user)
		return;
	pcounter_record_force(gpu, dom);
	pcounter_record_drain(gpu, dom);
}

/**
 * pcounter_record_poll_ns() - how often packets must be taken
 * @gpu: the GPU
 * @dom: domain index
 *
 * Four times while a ring fills, at the fastest clock there can be.
 *
 * Return: nanoseconds.
 */
u64 pcounter_record_poll_ns(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = gpu->record.stream[dom];
	unsigned int us = pcounter_record_params.poll_us;
	u64 clocks = s->slots * pcounter_record_period(&gpu->dom[dom].plan.set);

	if (us)
		return clamp(us, POLL_US_MIN, POLL_US_MAX) * (u64)NSEC_PER_USEC;
	return mul_u64_u64_div_u64(clocks / 4, NSEC_PER_SEC, gpu->gen->max_clock_hz);
}
