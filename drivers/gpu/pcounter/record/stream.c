// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains in record mode: where the stream of packets begins, how far it is, and
 * where it may go. gpu->lock is held in all functions; what packets say is in
 * record/packets.c, how streams come and go in record/session.c.
 */
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "params.h"
#include "record/record.h"

#define PACKET_LONG		32
#define PACKET_SHORT		16

/* After so many looks a packet of the time before the start has arrived, too. */
#define CLEAN_LOOKS		2
/* So often the position is at the beginning of the window before it has stopped there. */
#define STILL_LOOKS		64
/* Bytes that are made empty at once, with interrupts off. */
#define FILL_BYTES		0x20000U
/* Nothing but packets with a full counter, at least so many in so many polls. */
#define FULL_PACKETS		16
#define FULL_LOOKS		2

/* Requests a packet: PERIODIC or, where software can, USER_0. */
#define STOP_PERIODIC		PCOUNTER_OP_SOURCE_0
#define STOP_PERIODIC_OR_USER	0xeeee

static u32 ring_bytes(const struct pcounter_stream *s)
{
	return pcounter_ring_bytes(s->ring);
}

/* ---- start ---- */

/* What requests packets: nothing that users have asked for. */
static void plan_stop(const struct pcounter_gpu *gpu, unsigned int dom,
		      struct pcounter_plan *plan)
{
	const struct pcounter_dom_id *id = &gpu->topo.dom[dom];
	struct pcounter_input *stop = &plan->in[PCOUNTER_STOP];

	stop->sig[0] = id->trailer + pcounter_trailer_of(gpu->gen->caps)->periodic;
	stop->sig[1] = id->user;
	stop->op = id->user ? STOP_PERIODIC_OR_USER : STOP_PERIODIC;
	plan->used |= BIT(PCOUNTER_STOP);
	plan->set.periodic = plan->set.periodic ?: PCOUNTER_PERIODIC_DEFAULT;
}

/* ---- what the GPU may write to ---- */

/* Must it stop somewhere, since what is there was not read, or is not empty? */
static bool fenced(const struct pcounter_stream *s)
{
	return pcounter_stream_guarded(s) || s->filling;
}

/* Of that, how much is behind the last packet? */
static u32 room_left(const struct pcounter_stream *s, u32 position)
{
	return s->ready - position;
}

/*
 * After the packet at LIMIT there is no other. Where what is free begins anew at
 * the beginning of the window, LIMIT cannot tell: while that is most of the
 * ring it is left out, and moved as soon as the position has passed.
 */
static u32 limit_of(struct pcounter_stream *s)
{
	const struct pcounter_ring *ring = s->ring;
	u64 end = (u64)(s->head - ring->base) + room_left(s, s->head);

	if (fenced(s) && end <= ring->size)
		return ring->base + end - s->packet;
	if (ring->size > U32_MAX && (!fenced(s) || room_left(s, s->head) > ring_bytes(s) / 2))
		return PCOUNTER_RECORD_NEVER;
	return ring->base + ring->size - s->packet;
}

static void set_limit(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 last = s->ring->base + s->ring->size - s->packet;

	s->limit = limit_of(s);
	/* where it has stopped, only a new start helps */
	if (!s->stops || s->head != s->ring->base)
		s->stops = s->limit == last && (fenced(s) || s->packet == PACKET_SHORT);
	pcounter_record_set_window(gpu->gen, gpu->io, gpu->topo.dom[dom].block,
				   s->ring->high, s->limit);
}

/* Up to where slots are to be empty: where the reader has read, or once round. */
static u32 fill_end(const struct pcounter_stream *s)
{
	return pcounter_stream_guarded(s) ? s->given + s->room : s->begin + ring_bytes(s);
}

/*
 * Where packets are skimmed, those of the last round may stay: their clocks show that
 * they are older. What was there before the stream began has to go, and all where the
 * GPU's periods are not what they should be: packets are looked at then.
 */
static u32 stream_clear(struct pcounter_stream *s)
{
	u32 bytes = ring_bytes(s), n = fill_end(s) - s->ready;

	if (pcounter_stream_guarded(s) && s->ready - s->begin > bytes)
		s->begin = s->ready - bytes;
	if (pcounter_stream_skims(s) && s->skimmed && s->ready - s->begin == bytes) {
		s->stale = s->ready + n;
		return n;
	}
	n = min(n, FILL_BYTES);
	pcounter_slots_empty(s, s->ready, n);
	return n;
}

/* What is not empty yet is made so piece by piece, and the GPU let there. */
static void stream_extend(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 n;

	/* @ready is where packets of garbage are until then */
	if (!fenced(s) || s->ready == fill_end(s) || s->looks < CLEAN_LOOKS)
		return;
	n = stream_clear(s);
	s->edge = s->ready;
	if (s->head == s->edge && !s->at_edge)
		s->at_edge = 1;
	s->ready += n;
	s->filling = s->ready != fill_end(s);
	set_limit(gpu, dom);
}

/* The cycle counter begins anew: what lies ahead of a reader's must not seem to follow. */
static void stream_forget(struct pcounter_stream *s)
{
	if (!pcounter_stream_guarded(s) || (s32)(s->stale - s->head) <= 0)
		return;
	s->begin = s->head;
	s->stale = s->head;
	s->ready = s->head + min(s->ready - s->head, FILL_BYTES);
	s->edge = s->ready;
	s->filling = s->ready != fill_end(s);
	pcounter_slots_empty(s, s->head, s->ready - s->head);
}

static void stream_restart(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	s->head = position;
	s->tail = position;
	stream_forget(s);
	s->cycles = 0;
	s->wrapped = false;
	s->stops = false;
	s->still = 0;
	s->late = 0;
	s->at_edge = 0;
	set_limit(gpu, dom);
	pcounter_record_set_position(gpu->io, gpu->topo.dom[dom].block, position);
}

static u32 first_position(const struct pcounter_stream *s)
{
	u32 offset = pcounter_record_params.position;

	offset -= offset % s->packet;
	if (offset >= s->ring->size)
		offset = 0;
	/* where the reader goes on */
	if (s->ring->reader)
		offset = (offset & ~(ring_bytes(s) - 1)) | (s->offset & (ring_bytes(s) - 1));
	return s->ring->base + offset;
}

/*
 * On entering record mode there may be packets of garbage (hw:ambiguities/18):
 * they get a place behind what may be written to at first. RECORD_START in
 * record mode clears all counters, and is where the count begins.
 */
static void stream_prepare(struct pcounter_gpu *gpu, unsigned int dom, bool brief)
{
	unsigned int block = gpu->topo.dom[dom].block;
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 room, garbage;

	s->packet = brief ? PACKET_SHORT : PACKET_LONG;
	s->slots = ring_bytes(s) / s->packet;
	s->looks = 0;
	s->skimmed = false;
	s->resync = false;
	s->spoilt = false;
	s->behind = false;
	s->full = 0;
	s->full_looks = 0;
	s->room -= s->room % s->packet;
	s->given = first_position(s);
	s->begin = s->given;
	s->stale = s->given;
	room = pcounter_stream_guarded(s) ? s->room : ring_bytes(s);
	if (!s->ring->clean) {
		room = min(room, FILL_BYTES);
		pcounter_slots_empty(s, s->given, room);
	}
	s->ring->clean = false;
	s->ready = s->given + room - PCOUNTER_VM_PAGE;
	s->edge = s->ready;
	s->filling = true;
	garbage = s->ring->base + ((s->ready - s->ring->base) & (ring_bytes(s) - 1));
	pcounter_record_set_window(gpu->gen, gpu->io, block, s->ring->high,
				   garbage + PCOUNTER_VM_PAGE - s->packet);
	pcounter_record_set_position(gpu->io, block, garbage);
}

/* Packets that the position is past, and that are still to be read. */
static u32 packets_unread(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 status = pcounter_record_status(gpu->io, gpu->topo.dom[dom].block);
	s32 unread;

	/* the next look says so */
	if (pcounter_status_dead(status) || pcounter_status_fault(status))
		return 0;
	unread = (s32)(pcounter_status_position(status) - s->tail) / (s32)s->packet;
	return unread > 0 ? min_t(u32, unread, s->slots) : 0;
}

/*
 * What is new while packets are made begins with the next whole packet. Where a counter
 * moves all of them do, or the members of a group would differ: the clock never moves.
 */
static void record_assign(struct pcounter_gpu *gpu, unsigned int dom, bool running,
			  const s8 slot[PCOUNTER_MAX_REQUESTS])
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	bool all = !running || pcounter_domain_moves(d, slot);
	/* besides, one may be on its way, and one is half full */
	u32 old = running ? packets_unread(gpu, dom) + 2 : 0;
	unsigned int i;

	s->used = 0;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_user *user = &d->user[i];

		user->starting = 0;
		if (!user->refs)
			continue;
		if (slot[i] != PCOUNTER_NO_SLOT)
			s->used |= BIT(slot[i]);
		if (!all && user->placed && user->slot == slot[i])
			continue;
		user->slot = slot[i];
		user->placed = true;
		user->since = d->swaps + old;
		s->joined = user->since;
	}
}

/**
 * pcounter_stream_program() - let a domain record what its users ask for
 * @gpu: the GPU
 * @dom: domain index
 * @plan: where
 * @slot: counter of each user
 */
void pcounter_stream_program(struct pcounter_gpu *gpu, unsigned int dom,
			     const struct pcounter_plan *plan,
			     const s8 slot[PCOUNTER_MAX_REQUESTS])
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	struct pcounter_image img = d->hw;
	struct pcounter_plan all = *plan;
	struct pcounter_ring *ring = s->divert ? s->aux : &s->own;
	bool running = s->running && d->plan.set.brief == plan->set.brief &&
		       s->ring == ring;

	plan_stop(gpu, dom, &all);
	pcounter_regs_encode(&d->block, &all, d->zero, &img);
	if (s->running && !running)
		pcounter_record_update_last(gpu, dom);
	else if (s->running)
		pcounter_record_update(gpu, dom);
	if (!running) {
		pcounter_record_settle(gpu, dom);
		s->loss.gaps += s->running;
		s->ring = ring;
		stream_prepare(gpu, dom, plan->set.brief);
	}
	/* inputs first, CTRL last */
	pcounter_regs_restore(&d->block, &d->hw, &img);
	d->hw = img;
	d->plan = all;
	d->mode = gpu->record_mode;
	d->phase = PCOUNTER_PHASE_NONE;
	d->latch = PCOUNTER_LATCH_UNKNOWN;
	pcounter_domain_run_periodic(gpu, dom);
	record_assign(gpu, dom, running, slot);
	if (running)
		return;
	stream_restart(gpu, dom, s->given);
	s->running = true;
}

/**
 * pcounter_stream_stop() - a domain is about to do something else
 * @gpu: the GPU
 * @dom: domain index
 *
 * A packet that is on its way arrives all the same.
 */
void pcounter_stream_stop(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	if (!s || !s->running)
		return;
	pcounter_record_update_last(gpu, dom);
	pcounter_record_settle(gpu, dom);
	s->running = false;
}

/**
 * pcounter_stream_lost() - the GPU has forgotten everything, the channel as well
 * @gpu: the GPU
 *
 * What it had written before is taken. Faults of its memory path are gone, too.
 */
void pcounter_stream_lost(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	r->wedged = 0;
	if (!r->bound)
		return;
	r->lost = true;
	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++) {
		if (!r->stream[i])
			continue;
		pcounter_record_drain(gpu, i);
		pcounter_record_settle(gpu, i);
		r->stream[i]->running = false;
		pcounter_domain_fault(gpu, &gpu->dom[i], PCOUNTER_FAULT_RECORD_LOST);
	}
}

/* ---- the position ---- */

static void stream_skip(struct pcounter_stream *s, u32 packets, u64 *loss)
{
	s->tail += packets * s->packet;
	*loss += packets;
	s->resync = true;
	s->late = 0;
}

/*
 * The writer has lapped us: begin again in the middle of what is still there. What
 * lies ahead of the writer is older than that, by its cycles.
 */
static void stream_overrun(struct pcounter_stream *s, u32 unread)
{
	u32 keep = s->slots / 2;

	stream_skip(s, unread - keep, &s->loss.overrun);
	s->stale = s->head + (s->slots - keep) * s->packet;
}

/* At the end of its part of the window recording stops; everything is taken. */
static bool at_the_end(struct pcounter_stream *s)
{
	if (fenced(s) && room_left(s, s->head) < s->packet)
		return false;
	if (s->ring->size <= U32_MAX)
		return s->head - s->ring->base == s->ring->size;
	/* whether LONG packets reach LIMIT there is disputed (hw:ambiguities/20) */
	if (s->head != s->ring->base || !s->wrapped) {
		s->still = 0;
		s->wrapped |= s->head != s->ring->base && s->head > s->ring->base + ring_bytes(s);
		return false;
	}
	return s->stops || ++s->still >= STILL_LOOKS;
}

/* It had been at LIMIT before that was moved, and only a new start helps. */
static bool stopped_at_edge(struct pcounter_stream *s, bool moved)
{
	if (moved)
		s->at_edge = fenced(s) && s->head == s->edge && s->ready != s->edge;
	else if (s->at_edge && room_left(s, s->head) >= s->packet)
		s->at_edge++;
	return s->at_edge > PCOUNTER_EDGE_LOOKS;
}

/* A LIMIT that could not be set in time, or is not heeded. */
static u32 check_room(struct pcounter_stream *s, u32 position)
{
	u32 beyond = position - s->ready;

	if (!pcounter_stream_guarded(s) || (s32)beyond <= 0)
		return position;
	if (!s->spoilt)
		s->loss.overrun += beyond / s->packet;
	s->spoilt = true;
	return s->ready;
}

static void check_position(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 moved = position - s->head;

	/* what cannot be: odd addresses, other domains', and going back */
	if ((position - s->ring->base) % s->packet || moved > BIT(31) ||
	    position - s->ring->base > s->ring->size) {
		pcounter_domain_fault(gpu, &gpu->dom[dom], PCOUNTER_FAULT_POSITION);
		return;
	}
	s->head = check_room(s, position);
}

/* Recording begins anew elsewhere in the ring; nothing else changes. */
static void stream_turn(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 back = s->head - position;

	s->loss.gaps++;
	s->given -= back;
	s->begin -= back;
	s->ready -= back;
	s->stale -= back;
	stream_restart(gpu, dom, position);
}

/* Counts that stand still for that reason are none. */
static void check_full(struct pcounter_gpu *gpu, struct pcounter_domain *d,
		       struct pcounter_stream *s)
{
	if (s->full && ++s->full_looks > FULL_LOOKS && s->full >= FULL_PACKETS)
		pcounter_domain_fault(gpu, d, PCOUNTER_FAULT_SATURATED);
}

/**
 * pcounter_record_look() - see how far the device is; one register read
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_look(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	u32 status, before;
	s32 unread;

	if (!s || !s->running)
		return;
	status = pcounter_record_status(gpu->io, gpu->topo.dom[dom].block);
	if (pcounter_status_dead(status)) {
		pcounter_domain_fault(gpu, d, PCOUNTER_FAULT_DEAD);
		return;
	}
	if (pcounter_status_fault(status)) {
		gpu->record->wedged |= BIT(dom);
		pcounter_domain_fault(gpu, d, PCOUNTER_FAULT_RECORD);
		return;
	}
	before = s->head;
	check_position(gpu, dom, pcounter_status_position(status));
	if (d->fault)
		return;
	s->looks++;
	/* half of all positions are behind, the other half ahead */
	if ((s32)(s->stale - s->tail) < 0)
		s->stale = s->tail;
	stream_extend(gpu, dom);
	check_full(gpu, d, s);
	/* where packets arrive first, @tail may be ahead of the position */
	unread = (s32)(s->head - s->tail) / (s32)s->packet;
	if (unread > (s32)s->slots - 1)
		stream_overrun(s, unread);
	else if (unread > 0 && ++s->late > PCOUNTER_LATE_LOOKS)
		stream_skip(s, 1, &s->loss.missing);
	if (at_the_end(s) && s->tail == s->head)
		stream_turn(gpu, dom, s->ring->base);
	else if (stopped_at_edge(s, s->head != before) && s->tail == s->head)
		stream_turn(gpu, dom, s->head);
}

/* ---- readers ---- */

/**
 * pcounter_record_divert() - packets are to go to the reader's ring
 * @gpu: the GPU
 * @dom: domain index
 * @ring: the ring
 * @head: how many bytes the reader has been given so far
 * @room: how many from there on may be written to
 *
 * Begins at the next commit, and goes on from where it is if they do already.
 *
 * Return: false if the ring has been taken away.
 */
bool pcounter_record_divert(struct pcounter_gpu *gpu, unsigned int dom,
			    const struct pcounter_ring *ring, u64 head, u64 room)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 before;

	if (!s || s->aux != ring)
		return false;
	before = s->room;
	s->divert = true;
	s->offset = head;
	s->room = min_t(u64, room, pcounter_ring_bytes(s->aux));
	if (!s->running || s->ring != ring || ring->overwrite)
		return true;
	if (before < s->packet || s->spoilt) {
		/* LIMIT was reached: only a new start helps */
		s->running = false;
		s->loss.gaps++;
		return true;
	}
	/* the reader's word for it may have changed, not what the GPU was told */
	s->room = max(s->room - s->room % s->packet, before);
	s->filling = s->ready != fill_end(s);
	if (s->filling && pcounter_gpu_hold(gpu)) {
		stream_extend(gpu, dom);
		pcounter_gpu_drop(gpu);
	}
	return true;
}

/**
 * pcounter_record_back() - packets are to go to the driver's ring again
 * @gpu: the GPU
 * @dom: domain index
 *
 * At the next commit.
 */
void pcounter_record_back(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	if (s)
		s->divert = false;
}

/**
 * pcounter_record_diverts() - do packets go to a reader's ring?
 * @gpu: the GPU
 * @dom: domain index
 *
 * Return: true if so.
 */
bool pcounter_record_diverts(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = gpu->record->stream[dom];

	return s && s->running && s->ring != &s->own;
}

/**
 * pcounter_record_give() - what has arrived in the reader's ring
 * @gpu: the GPU
 * @dom: domain index
 * @full: set if there is no room for another packet
 *
 * Packets are whole, except for those that never arrived.
 *
 * Return: bytes since the last time.
 */
u32 pcounter_record_give(struct pcounter_gpu *gpu, unsigned int dom, bool *full)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 bytes;

	*full = false;
	if (!pcounter_record_diverts(gpu, dom))
		return 0;
	bytes = s->tail - s->given;
	s->given = s->tail;
	s->room -= pcounter_stream_guarded(s) ? bytes : 0;
	*full = pcounter_stream_guarded(s) && (s->room < s->packet || s->spoilt);
	return bytes;
}
