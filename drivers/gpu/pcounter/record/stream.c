// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode as one of the ways in which a domain counts (count/gpu.h): where the
 * stream of packets begins, how far the GPU is, and where it may write. The caller holds
 * gpu->lock, but for setup. Packets are decoded and counted in record/packets.c;
 * record/session.c makes and frees streams.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "params.h"
#include "record/record.h"

#define LIMIT_NEVER		0xfffffff0	/* LONG packets do not reach it */
/* Slots that are emptied at once, with interrupts off, in bytes. */
#define FILL_BYTES		0x20000U
/* A domain stops after this many packets in a row with a full counter, and this many looks. */
#define FULL_PACKETS		16
#define FULL_LOOKS		2

/* Looks that find the same position until the GPU counts as stopped there for good. */
#define STILL_AT_EDGE		5
#define STILL_AT_WINDOW		64

/* Upper bound on packets pending at a read. */
#define READ_USUAL		2048U
/* Interval of reads where not all packets could be read. */
#define BEHIND_POLL_NS		(100 * NSEC_PER_USEC)
/* Interval of reads where packets are skimmed. */
#define SKIM_POLL_NS		(10 * NSEC_PER_MSEC)
/* Shortest interval where the GPU may stop at LIMIT, at least for a reader. */
#define EDGE_POLL_NS		NSEC_PER_MSEC
#define POLL_US_MIN		100U
#define POLL_US_MAX		1000000U

/* Requests a packet: PERIODIC or, where software can, USER_0. */
#define STOP_PERIODIC		PCOUNTER_OP_SOURCE_0
#define STOP_PERIODIC_OR_USER	0xeeee

static u32 ring_bytes(const struct pcounter_stream *s)
{
	return pcounter_ring_bytes(s->ring);
}

/* ---- free slots and LIMIT ---- */

/* Return the position up to which slots are to be emptied: the reader's tail, or one round. */
static u64 fill_end(const struct pcounter_stream *s)
{
	return pcounter_stream_guarded(s) ? s->given + s->room : s->begin + ring_bytes(s);
}

/* Return true if the GPU may get more slots of the ring. */
static bool is_filling(const struct pcounter_stream *s)
{
	return s->ready != fill_end(s);
}

/* Return true if the slots behind @s->ready hold unread packets, or are not empty. */
static bool is_limited(const struct pcounter_stream *s)
{
	return pcounter_stream_guarded(s) || is_filling(s);
}

/* Return the last slot of the window. */
static u32 last_address(const struct pcounter_stream *s)
{
	return s->ring->base + s->ring->size - s->packet;
}

/*
 * Return LIMIT, the address of the last packet. LIMIT cannot express free slots that
 * continue at the beginning of the window: while more than half of the ring is free, set
 * none; otherwise let the GPU stop at the end, until the position is past it.
 */
static u32 limit_of(const struct pcounter_stream *s)
{
	const struct pcounter_ring *ring = s->ring;
	u64 end = s->ready - s->origin;

	if (is_limited(s) && end <= ring->size)
		return ring->base + end - s->packet;
	if (ring->size > U32_MAX && (!is_limited(s) || s->ready - s->head > ring_bytes(s) / 2))
		return LIMIT_NEVER;
	return last_address(s);
}

static void set_limit(struct pcounter_stream *s)
{
	const struct pcounter_block *block = &s->d->block;

	/* where the GPU has stopped at the end of the window only a new start helps */
	if (s->head - s->origin == s->ring->size && s->limit == last_address(s))
		return;
	s->limit = limit_of(s);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_HIGH, s->ring->high);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_LIMIT, s->limit);
}

/*
 * Make slots free for the GPU; return their size. Packets of the last round may stay
 * where packets are skimmed, since their cycles show that they are older. Slots that hold
 * data from before the stream have to be emptied, and all slots if the GPU's periods are
 * irregular, so that packets are decoded.
 */
static u32 free_slots(struct pcounter_stream *s)
{
	u32 n = fill_end(s) - s->ready;

	if (pcounter_stream_skims(s) && s->skimmed && s->ready - s->begin >= ring_bytes(s)) {
		s->stale = s->ready + n;
		return n;
	}
	n = min(n, FILL_BYTES);
	pcounter_slots_empty(s, s->ready, n);
	return n;
}

/* Let the GPU write to more slots. */
static void stream_extend(struct pcounter_stream *s)
{
	if (s->state != PCOUNTER_STREAM_RUNNING || s->looks < PCOUNTER_CLEAN_LOOKS ||
	    !is_filling(s))
		return;
	/* the GPU may stop at the old LIMIT before the new one is set */
	if (s->head != s->edge)
		s->edge = s->ready;
	if (s->head == s->ready)
		s->still = 1;
	s->ready += free_slots(s);
	set_limit(s);
}

/* ---- the position ---- */

/*
 * Take the position; return false if it is impossible: off the packets, in another
 * domain's window, or back.
 */
static bool set_head(struct pcounter_stream *s, u32 address)
{
	const struct pcounter_ring *ring = s->ring;
	u32 offset = address - ring->base, moved = offset - (u32)(s->head - s->origin);
	u64 head = s->head + moved;

	if (offset % s->packet || moved > BIT(31) || offset > ring->size)
		return false;
	/* LIMIT was not set in time, or is ignored */
	if (pcounter_stream_guarded(s) && head > s->ready) {
		if (s->state != PCOUNTER_STREAM_SPOILT)
			s->loss.overrun += (u32)(head - s->ready) / s->packet;
		s->state = PCOUNTER_STREAM_SPOILT;
		head = s->ready;
	}
	if (head != s->head)
		s->still = 0;
	s->head = head;
	/* at the end of a window of 4 GiB it has stopped, or is at the beginning of the next */
	if (ring->size > U32_MAX && (head - s->origin > ring->size ||
				     (head - s->origin == ring->size &&
				      s->limit != last_address(s))))
		s->origin += ring->size;
	return true;
}

/* Read how far the GPU is, by one register read; a fault is left to the caller. */
static enum pcounter_fault read_head(struct pcounter_stream *s)
{
	u32 status = pcounter_reg_read(&s->d->block, PCOUNTER_REG_RECORD_STATUS);

	if (status == PCOUNTER_DEAD)
		return PCOUNTER_FAULT_DEAD;
	if (pcounter_status_fault(status))
		return PCOUNTER_FAULT_RECORD;
	return set_head(s, status & NV40_RECORD_STATUS_POSITION) ?
	       PCOUNTER_OK : PCOUNTER_FAULT_POSITION;
}

/* ---- stop ---- */

/* End the stream of a domain. A packet that is on its way still arrives. */
static void stream_stop(struct pcounter_domain *d)
{
	struct pcounter_stream *s = d->stream;

	if (!s)
		return;
	if (s->state != PCOUNTER_STREAM_OFF) {
		pcounter_record_update(d);
		/* packets for which there is no time are lost */
		if (s->behind)
			s->loss.overrun += max(pcounter_stream_unread(s), 0);
	}
	s->state = PCOUNTER_STREAM_OFF;
	if (!pcounter_record_settled(d))
		pcounter_record_join(d);
}

/* Leave record mode, whatever the registers hold. */
static void record_mode_off(struct pcounter_domain *d)
{
	u32 ctrl;

	if (!pcounter_ctrl_records(&d->block, &ctrl))
		return;
	ctrl = pcounter_ctrl_in_quad(&d->block, ctrl);
	pcounter_reg_write(&d->block, PCOUNTER_REG_CTRL, ctrl);
	if (d->saved)
		d->hw.ctrl = ctrl;
	pcounter_domain_unprogram(d);
}

/**
 * pcounter_record_stop() - stop writing packets, but for one that is on its way
 * @d: the domain; a domain with a stream
 */
void pcounter_record_stop(struct pcounter_domain *d)
{
	CLASS(pcounter_hold, awake)(d->gpu);

	if (awake) {
		stream_stop(d);
		record_mode_off(d);
	}
	d->stream->state = PCOUNTER_STREAM_OFF;
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

	gpu->wedged = 0;
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
 * The cycle counter restarts at 0. Older packets ahead of the position have larger cycles,
 * so one would seem to follow a new packet: empty their slots.
 */
static void empty_stale(struct pcounter_stream *s)
{
	if (!pcounter_stream_guarded(s) || s->stale <= s->head)
		return;
	s->begin = s->head;
	s->stale = s->head;
	s->ready = s->head + min_t(u64, s->ready - s->head, FILL_BYTES);
	pcounter_slots_empty(s, s->head, s->ready - s->head);
}

/* RECORD_START clears all counters of a domain in record mode, and begins the count. */
static void stream_restart(struct pcounter_stream *s)
{
	/* the next packet is the first one, at @s->tail */
	s->head = s->tail;
	empty_stale(s);
	s->edge = s->ready;
	memset_startat(s, 0, still);
	set_limit(s);
	pcounter_reg_write(&s->d->block, PCOUNTER_REG_RECORD_START,
			   s->ring->base + (u32)(s->head - s->origin));
}

/* Put all positions where recording begins: where a reader goes on, or at 0. */
static void set_begin(struct pcounter_stream *s)
{
	u32 offset = pcounter_test_params.record_position;

	offset -= offset % s->packet;
	if (offset >= s->ring->size)
		offset = 0;
	if (s->ring->reader)
		offset = (offset & ~(ring_bytes(s) - 1)) | (s->given & (ring_bytes(s) - 1));
	else
		s->given = offset;
	s->origin = s->given - offset;
	s->begin = s->given;
	s->tail = s->given;
	s->stale = s->given;
}

/*
 * On entering record mode the GPU may write packets of garbage (hw:ambiguities/18). Give
 * it the last free page for them, until the restart sets the position to @s->begin. A
 * reader may have left less; then give it a page of the driver's ring.
 */
static void stream_prepare(struct pcounter_stream *s, bool brief)
{
	const struct pcounter_block *block = &s->d->block;
	struct pcounter_ring *ring = s->ring;
	u32 room, garbage;

	s->packet = brief ? PCOUNTER_PACKET_SHORT : PCOUNTER_PACKET_LONG;
	s->slots = ring_bytes(s) / s->packet;
	s->room -= s->room % s->packet;
	set_begin(s);
	room = pcounter_stream_guarded(s) ? s->room : ring_bytes(s);
	if (!s->ring->clean) {
		room = min(room, FILL_BYTES);
		pcounter_slots_empty(s, s->begin, room);
	}
	s->ring->clean = false;
	s->ready = s->begin + room;
	if (room < PCOUNTER_READER_ROOM_MIN)
		ring = s->own;
	else
		s->ready -= PCOUNTER_VM_PAGE;
	ring->clean = false;
	garbage = ring->base + (s->ready & (pcounter_ring_bytes(ring) - 1));
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_HIGH, ring->high);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_LIMIT,
			   garbage + PCOUNTER_VM_PAGE - s->packet);
	pcounter_reg_write(block, PCOUNTER_REG_RECORD_START, garbage);
}

/*
 * A request that joins while packets are made begins with the next whole packet. If a
 * counter moves, all requests start again, or the members of a group would differ: the
 * clock never moves.
 */
static void record_assign(struct pcounter_stream *s, bool running)
{
	struct pcounter_domain *d = s->d;
	bool all = !running || pcounter_domain_moves(d);
	/* besides unread packets one may be on its way, and one is half full */
	u32 old = running ? 2 : 0;
	unsigned int i;

	if (running && read_head(s) == PCOUNTER_OK)
		old += clamp(pcounter_stream_unread(s), 0, (s32)s->slots);
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
	struct pcounter_image img = d->hw;
	struct pcounter_plan all = *plan;
	bool was_running = pcounter_stream_runs(s);
	bool goes_on = was_running && d->plan.set.brief == plan->set.brief &&
		       s->ring == s->target;

	plan_stop(d, &all);
	pcounter_regs_encode(&d->block, &all, all.set.ctr, d->zero, &img);
	if (goes_on) {
		pcounter_record_update(d);
	} else {
		stream_stop(d);
		s->loss.gaps += was_running;
		s->ring = s->target;
		stream_prepare(s, plan->set.brief);
	}
	/* inputs first, CTRL last */
	pcounter_regs_restore(&d->block, &d->hw, &img);
	d->hw = img;
	d->plan = all;
	d->mode = d->gpu->record_mode;
	d->phase = PCOUNTER_PHASE_UNKNOWN;
	pcounter_domain_run_periodic(d);
	record_assign(s, goes_on);
	if (goes_on)
		return;
	stream_restart(s);
	s->state = PCOUNTER_STREAM_RUNNING;
	s->looks = 0;
}

/* ---- looks at the position ---- */

static void stream_skip(struct pcounter_stream *s, u32 packets, u64 *loss)
{
	s->tail += packets * s->packet;
	*loss += packets;
	s->resync = true;
	s->late = 0;
}

/* Return at how many looks the GPU has stopped for good where it is, 0 if it does not. */
static unsigned int looks_until_stop(const struct pcounter_stream *s)
{
	/* it waits for the reader to make room */
	if (is_limited(s) && s->ready - s->head < s->packet)
		return 0;
	if (s->head - s->origin == s->ring->size)
		return 1;
	if (s->head == s->edge && s->ready != s->edge)
		return STILL_AT_EDGE;
	/* whether LONG packets reach LIMIT at the end is disputed (hw:ambiguities/20) */
	return s->head == s->origin && s->cycles ? STILL_AT_WINDOW : 0;
}

/* Return true if packets are skimmed and looks may be rare: no other look is needed. */
static bool is_steady(const struct pcounter_stream *s)
{
	return pcounter_stream_skims(s) && s->skimmed && s->late < 2 && !looks_until_stop(s) &&
	       s->origin + s->ring->size - s->head > ring_bytes(s);
}

/*
 * Start again where the GPU has stopped for good; at the end, in the next window. A program
 * that reads in a loop looks more often than packets come, so count no more than one look
 * in EDGE_POLL_NS.
 */
static void restart_if_stopped(struct pcounter_stream *s)
{
	unsigned int looks = looks_until_stop(s);

	if (s->tail != s->head || !looks || s->still < looks ||
	    local_clock() < s->time + (looks - 1) * EDGE_POLL_NS)
		return;
	if (s->head - s->origin == s->ring->size)
		s->origin = s->head;
	s->loss.gaps++;
	stream_restart(s);
}

/* Stop a domain if all packets have a full counter: its counts would stand still for ever. */
static void check_full(struct pcounter_stream *s)
{
	if (s->full && ++s->full_looks > FULL_LOOKS && s->full >= FULL_PACKETS)
		pcounter_domain_fault(s->d, PCOUNTER_FAULT_SATURATED);
}

/*
 * Skip packets that were overwritten, or had time enough to arrive. If the GPU was faster
 * than the reader, continue in the middle of the ring; slots ahead of the position hold
 * packets that are older than that.
 */
static void catch_up(struct pcounter_stream *s)
{
	s32 unread = pcounter_stream_unread(s);
	u32 left = s->slots / 2;

	if (unread > (s32)s->slots - 1) {
		stream_skip(s, unread - left, &s->loss.overrun);
		s->stale = s->head + (s->slots - left) * s->packet;
	} else if (unread > 0 && ++s->late > PCOUNTER_LATE_LOOKS) {
		stream_skip(s, 1, &s->loss.missing);
	}
}

/**
 * pcounter_record_look() - see how far the GPU is, by one register read
 * @d: the domain
 */
void pcounter_record_look(struct pcounter_domain *d)
{
	struct pcounter_stream *s = d->stream;
	enum pcounter_fault fault;

	if (!pcounter_stream_runs(s))
		return;
	fault = read_head(s);
	if (fault == PCOUNTER_FAULT_RECORD)
		d->gpu->wedged |= BIT(d->index);
	if (fault) {
		pcounter_domain_fault(d, fault);
		return;
	}
	s->looks++;
	s->still++;
	stream_extend(s);
	check_full(s);
	catch_up(s);
	restart_if_stopped(s);
}

/* ---- readers ---- */

/**
 * pcounter_reader_runs() - check if packets go to a reader's ring
 * @d: the domain
 *
 * Return: true if so.
 */
bool pcounter_reader_runs(const struct pcounter_domain *d)
{
	const struct pcounter_stream *s = d->stream;

	return pcounter_stream_runs(s) && s->ring == s->aux;
}

/* Return true if there is no room for another packet. */
static bool reader_is_full(const struct pcounter_stream *s)
{
	return s->room < s->packet || s->state == PCOUNTER_STREAM_SPOILT;
}

/**
 * pcounter_reader_start() - let packets go to a reader's ring, and free slots in it
 * @d: the domain
 * @ring: the ring
 * @head: bytes that the reader was given so far
 * @room: bytes behind @head that the GPU may write to
 *
 * Begins at the next commit, or goes on where it is.
 *
 * Return: false if the ring was removed.
 */
bool pcounter_reader_start(struct pcounter_domain *d, struct pcounter_ring *ring, u64 head,
			   u64 room)
{
	struct pcounter_stream *s = d->stream;

	if (!s || s->aux != ring)
		return false;
	s->target = ring;
	room = min_t(u64, room, pcounter_ring_bytes(ring));
	if (pcounter_reader_runs(d) && reader_is_full(s)) {
		/* LIMIT was reached: only a new start helps */
		s->state = PCOUNTER_STREAM_OFF;
		s->loss.gaps++;
	}
	if (!pcounter_reader_runs(d)) {
		s->given = head;
		s->room = room;
	} else if (!ring->overwrite) {
		/* the reader may take room back, but the GPU already has it */
		s->room = max_t(u32, room - (u32)room % s->packet, s->room);
		if (pcounter_gpu_check_power(d->gpu))
			stream_extend(s);
	}
	return true;
}

/**
 * pcounter_reader_stop() - let packets go to the driver's ring again
 * @d: the domain
 *
 * Takes effect at the next commit.
 */
void pcounter_reader_stop(struct pcounter_domain *d)
{
	struct pcounter_stream *s = d->stream;

	if (s)
		s->target = s->own;
}

/**
 * pcounter_reader_give() - give a reader the packets that have arrived in its ring
 * @d: the domain
 * @full: set if there is no room for another packet
 *
 * The slot of a packet that never arrived is empty.
 *
 * Return: bytes since the last time.
 */
u32 pcounter_reader_give(struct pcounter_domain *d, bool *full)
{
	struct pcounter_stream *s = d->stream;
	u32 bytes;

	*full = false;
	if (!pcounter_reader_runs(d))
		return 0;
	bytes = s->tail - s->given;
	s->given = s->tail;
	if (pcounter_stream_guarded(s))
		s->room -= bytes;
	*full = reader_is_full(s);
	return bytes;
}

/* ---- the mode ---- */

/* Return the time for clocks at the fastest possible rate. */
static u64 shortest_ns(const struct pcounter_gpu *gpu, u64 clocks)
{
	return mul_u64_u64_div_u64(clocks, NSEC_PER_SEC, gpu->gen->table->max_clock_hz);
}

/*
 * Packets are read four times while a ring fills, and before there are more than can be
 * read at once. A reader's larger ring does not change that, unless its packets are
 * skimmed.
 */
static u64 record_poll_ns(const struct pcounter_domain *d)
{
	const struct pcounter_stream *s = d->stream;
	unsigned int us = pcounter_test_params.record_poll_us;
	u64 period = pcounter_record_period(d), ns;
	unsigned int slots = min(s->slots, pcounter_ring_bytes(s->own) / s->packet);

	if (s->behind)
		return BEHIND_POLL_NS;
	if (us)
		return clamp(us, POLL_US_MIN, POLL_US_MAX) * (u64)NSEC_PER_USEC;
	ns = shortest_ns(d->gpu, min(slots / 4, READ_USUAL) * period);
	if (is_steady(s))
		ns = min_t(u64, shortest_ns(d->gpu, s->slots / 4 * period), SKIM_POLL_NS);
	if (is_filling(s))
		ns = min_t(u64, ns, EDGE_POLL_NS);
	/* a small area is its reader's choice, and no reason to poll more often */
	return pcounter_stream_guarded(s) ? max_t(u64, ns, EDGE_POLL_NS) : ns;
}

/* A reader's ring is stopped by pcounter_reader_del(), if not before. */
static void record_rest(struct pcounter_domain *d)
{
	const struct pcounter_stream *s = d->stream;

	if (pcounter_stream_runs(s) && s->target == s->own)
		pcounter_record_stop(d);
}

static void record_collect(struct pcounter_domain *d)
{
	if (!d->sampled)
		pcounter_record_look(d);
	pcounter_record_drain(d);
}

static bool record_intact(const struct pcounter_domain *d)
{
	return pcounter_read_state(&d->block, &d->hw) < PCOUNTER_CTRL_FOREIGN;
}

static const struct pcounter_mode_ops record_mode = {
	.program = stream_program,
	.update = pcounter_record_update,
	.collect = record_collect,
	.collect_ns = record_poll_ns,
	.intact = record_intact,
	.halt = stream_stop,
	.unused = record_rest,
	.forget = pcounter_stream_fault_all,
};

/**
 * pcounter_record_setup() - prepare record mode; writes no register
 * @gpu: the GPU, after pcounter_gpu_init(); gets its @record, for kfree()
 *
 * Return: 0 or -ENOMEM.
 */
int pcounter_record_setup(struct pcounter_gpu *gpu)
{
	gpu->record = kzalloc(sizeof(*gpu->record), GFP_KERNEL);
	if (!gpu->record)
		return -ENOMEM;
	mutex_init(&gpu->record->mutex);
	if (gpu->topo.caps & PCOUNTER_CAP_RECORD)
		gpu->record_mode = &record_mode;
	return 0;
}
