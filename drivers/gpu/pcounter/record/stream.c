// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode as one of the ways in which a domain counts (count/gpu.h): where the
 * stream of packets begins, how far the GPU is, and where it may write. The caller holds
 * gpu->lock. record/window.c computes positions; packets are counted in
 * record/packets.c, and given to a reader in record/reader.c; record/session.c makes and
 * frees streams.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "params.h"
#include "record/record.h"

/* Slots that are emptied at once, with interrupts off, in bytes. */
#define FILL_BYTES		0x20000U
/* A domain stops after this many packets in a row with a full counter, and this many looks. */
#define FULL_PACKETS		16
#define FULL_LOOKS		2

/* Upper bound on packets pending at a read. */
#define READ_USUAL		2048U
/* Interval of reads where not all packets could be read. */
#define BEHIND_POLL_NS		(100 * NSEC_PER_USEC)
/* Longest interval of looks for a reader. */
#define READER_POLL_NS		(10 * NSEC_PER_MSEC)
/* Shortest interval where the GPU may stop at LIMIT, at least for a reader. */
#define EDGE_POLL_NS		NSEC_PER_MSEC
#define POLL_US_MIN		100U
#define POLL_US_MAX		1000000U

/* Requests a packet: PERIODIC or, where software can, USER_0. */
#define STOP_PERIODIC		PCOUNTER_OP_SOURCE_0
#define STOP_PERIODIC_OR_USER	0xeeee

/* ---- free slots and LIMIT ---- */

static void set_limit(const struct pcounter_stream *s)
{
	const struct pcounter_block *block = &s->d->block;

	pcounter_reg_write(block, PCOUNTER_REG_RECORD_HIGH, s->ring->address >> 32);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_LIMIT, s->w.limit);
}

/**
 * pcounter_g84_extend() - let the GPU write to more slots
 * @s: the stream
 *
 * The cycle counter begins at 0, so packets from before would look newer than the first
 * ones: empty all slots once. Later, packets that a reader has read stay, since their
 * cycles show that they are older.
 */
void pcounter_g84_extend(struct pcounter_stream *s)
{
	u64 ready = s->w.ready;
	bool more;
	u32 dirty;

	if (s->state != PCOUNTER_STREAM_RUNNING || s->w.looks < PCOUNTER_CLEAN_LOOKS)
		return;
	more = pcounter_window_extend(&s->w, FILL_BYTES, &dirty);
	pcounter_ring_empty(s->ring, ready, dirty);
	if (more)
		set_limit(s);
}

/* ---- the position ---- */

/* Read how far the GPU is, by one register read; a fault is left to the caller. */
static enum pcounter_fault read_head(struct pcounter_stream *s)
{
	u32 status = pcounter_reg_read(&s->d->block, PCOUNTER_REG_RECORD_STATUS), passed;

	if (status == PCOUNTER_DEAD)
		return PCOUNTER_FAULT_DEAD;
	if (pcounter_status_fault(status))
		return PCOUNTER_FAULT_RECORD;
	if (!pcounter_window_look(&s->w, status & NV40_RECORD_STATUS_POSITION, &passed))
		return PCOUNTER_FAULT_POSITION;
	/* LIMIT was not set in time, or is ignored */
	if (passed && s->state != PCOUNTER_STREAM_SPOILT) {
		s->loss.overrun += passed;
		s->state = PCOUNTER_STREAM_SPOILT;
	}
	return PCOUNTER_OK;
}

/**
 * pcounter_stream_stands() - check whether the position stands still
 * @s: the stream
 * @looks: looks that found it where it is, or 0; a program that reads in a loop looks
 *	more often than packets come, so count no more than one look in EDGE_POLL_NS
 *
 * Return: true if so.
 */
bool pcounter_stream_stands(const struct pcounter_stream *s, unsigned int looks)
{
	return s->w.still >= looks &&
	       local_clock() + EDGE_POLL_NS >= s->time + looks * EDGE_POLL_NS;
}

/* ---- stop ---- */

/* End the stream of a domain. A packet that is on its way still arrives. */
static void stream_stop(struct pcounter_domain *d)
{
	struct pcounter_stream *s = d->stream;

	if (!s)
		return;
	pcounter_record_update(d);
	/* packets for which there is no time are lost */
	if (pcounter_stream_counts(s) && s->behind)
		s->loss.overrun += max(pcounter_window_unread(&s->w), 0);
	s->state = PCOUNTER_STREAM_OFF;
	if (!pcounter_record_settled(d))
		pcounter_record_join(s);
}

/**
 * pcounter_g84_leave() - leave record mode, whatever the registers hold
 * @s: the stream
 */
void pcounter_g84_leave(struct pcounter_stream *s)
{
	struct pcounter_domain *d = s->d;
	u32 ctrl;

	if (!pcounter_ctrl_records(&d->block, &ctrl))
		return;
	ctrl = pcounter_ctrl_in_quad(&d->block, ctrl);
	pcounter_reg_write(&d->block, PCOUNTER_REG_CTRL, ctrl);
	if (d->unit.state != PCOUNTER_UNIT_FREE)
		d->hw.ctrl = ctrl;
	pcounter_domain_unprogram(d);
}

/**
 * pcounter_record_stop() - stop writing packets, but for one that is on its way
 * @s: the stream
 */
void pcounter_record_stop(struct pcounter_stream *s)
{
	CLASS(pcounter_hold, awake)(s->d->gpu);

	if (awake) {
		stream_stop(s->d);
		s->d->gpu->record->ops->leave(s);
	}
	s->state = PCOUNTER_STREAM_OFF;
}

/**
 * pcounter_stream_fault_all() - end all streams: the GPU has forgotten everything
 * @gpu: the GPU
 *
 * Packets that it wrote before are read. Faults of its memory path are gone, too.
 */
void pcounter_stream_fault_all(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		gpu->dom[i].wedged = false;
	if (r->channel == PCOUNTER_CHANNEL_NONE)
		return;
	if (r->channel == PCOUNTER_CHANNEL_BOUND)
		WRITE_ONCE(r->channel, PCOUNTER_CHANNEL_RESET);
	for (i = 0; i < gpu->topo.nr; i++) {
		if (!gpu->dom[i].stream)
			continue;
		pcounter_domain_fault(&gpu->dom[i], PCOUNTER_FAULT_RECORD_LOST);
		stream_stop(&gpu->dom[i]);
	}
}

/* ---- start ---- */

/* Set the STOP input, which requests packets, and which no event sets. */
static void plan_stop(const struct pcounter_domain *d, struct pcounter_plan *plan)
{
	const struct pcounter_dom_id *id = d->id;
	struct pcounter_input *stop = &plan->in[PCOUNTER_STOP];

	stop->sig[0] = id->trailer + pcounter_trailer_of(d->gpu->gen->caps)->periodic;
	stop->sig[1] = id->user;
	stop->op = id->user ? STOP_PERIODIC_OR_USER : STOP_PERIODIC;
	plan->used |= BIT(PCOUNTER_STOP);
	plan->set.periodic = plan->set.periodic ?: PCOUNTER_PERIODIC_DEFAULT;
}

/*
 * Put the positions into a ring: where a reader goes on, or at @offset; and empty the first
 * slots, where packets may have arrived after the last stop, or of the last round. The last
 * @garbage bytes of the ring are not for packets yet.
 */
static void place(struct pcounter_stream *s, u32 offset, u32 garbage)
{
	struct pcounter_window *w = &s->w;
	bool reader = s->ring == s->reader.ring;
	u64 tail = reader ? s->reader.head : offset - offset % w->packet;
	u64 room = reader && w->guarded ? s->reader.room : w->ring;
	u32 first = min_t(u64, room & ~(u64)(w->packet - 1), w->ring);

	if (s->ring->dirty) {
		first = min(first, FILL_BYTES);
		pcounter_ring_empty(s->ring, tail, first);
	}
	s->ring->dirty = pcounter_ring_bytes(s->ring);
	pcounter_window_begin(w, tail, offset, first - garbage, room);
}

/*
 * On entering record mode the GPU may write packets of garbage (hw:ambiguities/18). Give it
 * a slot for one, until the restart sets the position: one that is emptied later, or in the
 * driver's ring if a reader has the other one.
 *
 * With RECORD_HIGH both rings have the same addresses below it. A packet between the writes
 * to RECORD_HIGH and to RECORD_START lands in the reader's ring, at the address of the
 * garbage: where recording begins, since that slot is free, and overwritten first.
 */
static void park(struct pcounter_stream *s)
{
	struct pcounter_ring *ring = s->w.guarded ? s->own : s->ring;
	const struct pcounter_block *block = &s->d->block;
	u32 garbage = ring->address + (s->w.guarded ? s->w.start - s->w.base :
				       s->w.ready & (pcounter_ring_bytes(ring) - PCOUNTER_VM_PAGE));

	ring->dirty = pcounter_ring_bytes(ring);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_HIGH, ring->address >> 32);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_LIMIT, garbage);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_START, garbage);
}

/* RECORD_START clears all counters of a domain in record mode, and begins the count. */
static void stream_start(struct pcounter_stream *s)
{
	memset(&s->read, 0, sizeof(s->read));
	set_limit(s);
	pcounter_reg_write(&s->d->block, PCOUNTER_REG_RECORD_START, s->w.start);
	s->state = PCOUNTER_STREAM_RUNNING;
}

/* Let packets of a size go to a ring; nothing is written yet but for garbage. */
static void stream_prepare(struct pcounter_stream *s, struct pcounter_ring *ring, bool brief)
{
	s->ring = ring;
	s->behind = false;
	s->w = (struct pcounter_window){
		.base = ring->address, .size = ring->size, .ring = pcounter_ring_bytes(ring),
		.packet = brief ? PCOUNTER_PACKET_SHORT : PCOUNTER_PACKET_LONG,
		.guarded = ring->reader && !ring->overwrite,
	};
	/* the page behind the first slots is for garbage */
	place(s, pcounter_test_params.record_position, s->w.guarded ? 0 : PCOUNTER_VM_PAGE);
	park(s);
}

/**
 * pcounter_record_assign() - let requests count from their first whole packet on
 * @s: the stream
 * @running: packets are made, and go on; otherwise all requests begin
 *
 * If a counter moves, all requests start again, or the members of a group would differ: the
 * clock never moves.
 */
void pcounter_record_assign(struct pcounter_stream *s, bool running)
{
	struct pcounter_domain *d = s->d;
	bool all = !running || pcounter_domain_moves(d);
	/* besides unread packets one may be on its way, and one is half full */
	u32 old = running && !s->reader.ring ? 2 : 0;
	unsigned int i;

	if (old && read_head(s) == PCOUNTER_OK)
		old += clamp(pcounter_window_unread(&s->w), 0, (s32)pcounter_stream_slots(s));
	s->used = 0;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_client *client = &d->client[i];

		if (!pcounter_client_counts(client))
			continue;
		if (client->next != PCOUNTER_NO_SLOT)
			s->used |= BIT(client->next);
		if (!all && client->placed && client->slot == client->next)
			continue;
		client->slot = client->next;
		client->placed = true;
		client->since = d->swaps + old;
		s->joined = client->since;
	}
}

/* Program a domain to record for its requests. */
static void stream_program(struct pcounter_domain *d, const struct pcounter_plan *plan)
{
	struct pcounter_stream *s = d->stream;
	struct pcounter_ring *ring = s->reader.open ? s->reader.ring : s->own;
	struct pcounter_image img = d->hw;
	struct pcounter_plan all = *plan;
	bool was_running = pcounter_stream_runs(s);
	bool goes_on = was_running && d->plan.set.brief == plan->set.brief && s->ring == ring;

	plan_stop(d, &all);
	pcounter_domain_hold_periodic(d, &all);
	pcounter_regs_encode(&d->block, &all, all.set.ctr, d->zero, &img);
	if (goes_on) {
		pcounter_record_update(d);
	} else {
		stream_stop(d);
		s->loss.gaps += was_running;
		stream_prepare(s, ring, plan->set.brief);
	}
	/* inputs first, CTRL last */
	pcounter_regs_restore(&d->block, &d->hw, &img);
	d->hw = img;
	pcounter_domain_programmed(d, d->gpu->record_mode, &all);
	d->phase = PCOUNTER_PHASE_UNKNOWN;
	pcounter_record_assign(s, goes_on);
	if (!goes_on)
		stream_start(s);
}

/* ---- looks at the position ---- */

/* Start again where the GPU has stopped for good; at the end, in the next addresses. */
static void restart(struct pcounter_stream *s)
{
	s->loss.gaps++;
	s->reader.head = s->w.tail;
	s->reader.room = s->w.end - s->w.tail;
	place(s, 0, 0);
	stream_start(s);
}

/* Return true if all packets have a full counter: the counts would stand still for ever. */
static bool all_full(struct pcounter_stream *s)
{
	return s->read.full && ++s->read.full_looks > FULL_LOOKS && s->read.full >= FULL_PACKETS;
}

/*
 * Pass over packets that were overwritten, or had time enough to arrive: drains may have had
 * no time to read one that is there. Where the GPU was a round ahead, the slots before it
 * hold packets that are older than the next ones.
 */
static void catch_up(struct pcounter_stream *s)
{
	u32 overrun = pcounter_window_catch_up(&s->w);

	if (overrun) {
		s->loss.overrun += overrun;
		s->read.old = s->w.tail + s->w.ring;
	} else if (s->w.tail < s->w.head && ++s->read.late > PCOUNTER_LATE_LOOKS &&
		   !pcounter_packet_landed(s)) {
		s->loss.missing++;
		s->w.tail += s->w.packet;
	} else {
		return;
	}
	s->read.resync = true;
	s->read.late = 0;
}

/**
 * pcounter_g84_look() - see how far the GPU is, by one register read
 * @s: the stream
 */
void pcounter_g84_look(struct pcounter_stream *s)
{
	enum pcounter_fault fault = read_head(s);
	unsigned int looks;

	if (fault == PCOUNTER_OK) {
		pcounter_g84_extend(s);
		if (!s->reader.ring && all_full(s))
			fault = PCOUNTER_FAULT_SATURATED;
		if (!s->reader.ring)
			catch_up(s);
		looks = pcounter_window_stops_at(&s->w);
		if (looks && s->w.tail == s->w.head && pcounter_stream_stands(s, looks))
			restart(s);
	}
	if (fault == PCOUNTER_FAULT_RECORD)
		s->d->wedged = true;
	if (fault != PCOUNTER_OK)
		pcounter_domain_fault(s->d, fault);
}

/**
 * pcounter_record_look() - see how far the GPU is, by few register reads
 * @s: the stream, NULL for none
 * @now: request a packet, which the driver finds in its own ring without a look; in a
 *	reader's ring only the position shows how many packets have arrived
 */
void pcounter_record_look(struct pcounter_stream *s, bool now)
{
	bool reader = pcounter_reader_runs(s);

	if (!pcounter_stream_runs(s))
		return;
	if (now)
		s->d->gpu->record->ops->force(s);
	/* nobody reads the driver's ring while there is a reader */
	if (reader || (!now && !s->reader.ring))
		s->d->gpu->record->ops->look(s);
}

/* ---- the mode ---- */

/*
 * Look four times while a ring fills; and read packets before there are more than can be
 * read at once.
 */
static u64 record_poll_ns(const struct pcounter_domain *d)
{
	const struct pcounter_stream *s = d->stream;
	unsigned int us = pcounter_test_params.record_poll_us;
	unsigned int slots = pcounter_stream_slots(s) / 4;
	u64 ns;

	if (s->behind)
		return BEHIND_POLL_NS;
	if (us)
		return clamp(us, POLL_US_MIN, POLL_US_MAX) * (u64)NSEC_PER_USEC;
	if (!s->reader.ring)
		slots = min(slots, READ_USUAL);
	ns = pcounter_record_ns(d, slots);
	if (s->reader.ring)
		ns = min_t(u64, ns, READER_POLL_NS);
	if (pcounter_window_is_filling(&s->w) || pcounter_window_stops_at(&s->w))
		ns = min_t(u64, ns, EDGE_POLL_NS);
	/* a small area is its reader's choice, and no reason to poll more often */
	return s->reader.ring ? max_t(u64, ns, EDGE_POLL_NS) : ns;
}

/**
 * pcounter_record_rest() - let a domain make no more packets
 * @d: the domain
 */
void pcounter_record_rest(struct pcounter_domain *d)
{
	if (pcounter_stream_runs(d->stream))
		pcounter_record_stop(d->stream);
}

/**
 * pcounter_record_collect() - read packets that have arrived, for events that only count
 * @d: the domain
 */
void pcounter_record_collect(struct pcounter_domain *d)
{
	if (d->sampled)
		return;
	pcounter_record_look(d->stream, false);
	pcounter_record_drain(d->stream);
}

/**
 * pcounter_record_intact() - check whether a domain has the programming of record mode
 * @d: the domain
 *
 * Return: true if so.
 */
bool pcounter_record_intact(const struct pcounter_domain *d)
{
	return pcounter_read_state(&d->block, &d->hw) < PCOUNTER_CTRL_FOREIGN;
}

const struct pcounter_mode_ops pcounter_record_mode = {
	.program = stream_program,
	.update = pcounter_record_update,
	.collect = pcounter_record_collect,
	.collect_ns = record_poll_ns,
	.intact = pcounter_record_intact,
	.halt = stream_stop,
	.unused = pcounter_record_rest,
	.forget = pcounter_stream_fault_all,
};
