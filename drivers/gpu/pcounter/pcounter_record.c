// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains in record mode: the stream of packets, from the start to what users
 * have counted. gpu->lock is held in all functions; how streams come and go is
 * in pcounter_ring.c.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/lockdep.h>
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
/* LIMIT was moved too late: in so many looks at 1 ms each the slowest packet comes. */
#define EDGE_LOOKS		4
/* Cycle counters of neighbours differ by less than this. */
#define PACKET_MAX_CLOCKS		BIT_ULL(47)
#define POLL_US_MIN		100U
#define READER_POLL_NS		NSEC_PER_MSEC
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
	return pcounter_ring_bytes(s->ring);
}

/* A reader's ring: nobody has read what lies behind, and it must not be written to. */
static bool guarded(const struct pcounter_stream *s)
{
	return s->ring->reader && !s->ring->overwrite;
}

static __le64 *slot_at(const struct pcounter_stream *s, u32 position)
{
	u32 offset = (position - s->ring->base) & (ring_bytes(s) - 1);

	return s->ring->page[offset / PCOUNTER_VM_PAGE] + offset % PCOUNTER_VM_PAGE;
}

/* Debugging of the DMA API takes spinlock_t, perf calls with a raw one held. */
static DEFINE_WAIT_OVERRIDE_MAP(sync_map, LD_WAIT_CONFIG);

/* Pages of a reader may lie elsewhere as far as the device is concerned. */
static void sync_slots(const struct pcounter_stream *s, u32 position, u32 bytes, bool to_cpu)
{
	const struct pcounter_ring *ring = s->ring;
	u32 offset, n;

	if (!ring->sync)
		return;
	lock_map_acquire_try(&sync_map);
	for (; bytes; bytes -= n, position += n) {
		dma_addr_t page;

		offset = (position - ring->base) & (ring_bytes(s) - 1);
		page = ring->dma[offset / PCOUNTER_VM_PAGE];
		offset %= PCOUNTER_VM_PAGE;
		n = min_t(u32, bytes, PCOUNTER_VM_PAGE - offset);
		if (to_cpu)
			dma_sync_single_for_cpu(ring->dev, page + offset, n,
						DMA_BIDIRECTIONAL);
		else
			dma_sync_single_for_device(ring->dev, page + offset, n,
						   DMA_BIDIRECTIONAL);
	}
	lock_map_release(&sync_map);
}

/* Mark @n packets from @position on as not there. */
static void make_empty(const struct pcounter_stream *s, u32 position, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		WRITE_ONCE(*slot_at(s, position + i * s->packet),
			   cpu_to_le64(PACKET_EMPTY));
	sync_slots(s, position, n * s->packet, false);
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

/* ---- what the GPU may write to ---- */

/* Of what the reader has left to the GPU, how much is behind the last packet? */
static u32 room_left(const struct pcounter_stream *s, u32 position)
{
	return s->room - (position - s->given);
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

	if (guarded(s) && end <= ring->size)
		return ring->base + end - s->packet;
	if (ring->size > U32_MAX && (!guarded(s) || room_left(s, s->head) > ring_bytes(s) / 2))
		return PCOUNTER_RECORD_NEVER;
	return ring->base + ring->size - s->packet;
}

static void set_limit(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = stream_of(gpu, dom);
	u32 last = s->ring->base + s->ring->size - s->packet;

	s->limit = limit_of(s);
	/* where it has stopped, only a new start helps */
	if (!s->stops || s->head != s->ring->base)
		s->stops = s->limit == last && (guarded(s) || s->packet == PACKET_SHORT);
	gpu->gen->ops->record_window(gpu->gen, gpu->io, gpu->topo.dom[dom].block,
				     s->ring->high, s->limit);
}

static void stream_restart(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = stream_of(gpu, dom);

	s->head = position;
	s->tail = position;
	s->cycles = 0;
	s->wrapped = false;
	s->stops = false;
	s->still = 0;
	s->late = 0;
	s->at_edge = 0;
	set_limit(gpu, dom);
	gpu->gen->ops->record_start(gpu->gen, gpu->io, gpu->topo.dom[dom].block, position);
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
 * On entering record mode there may be packets of garbage (hw/ambiguities.md
 * 18): they get a place at the end of what may be written to. RECORD_START in
 * record mode clears all counters, and is where the count begins.
 */
static void stream_prepare(struct pcounter_gpu *gpu, unsigned int dom, bool brief)
{
	unsigned int block = gpu->topo.dom[dom].block;
	struct pcounter_stream *s = stream_of(gpu, dom);
	u32 room;

	s->packet = brief ? PACKET_SHORT : PACKET_LONG;
	s->slots = ring_bytes(s) / s->packet;
	s->looks = 0;
	s->resync = false;
	s->spoilt = false;
	s->room -= s->room % s->packet;
	s->given = first_position(s);
	s->begin = s->given;
	room = guarded(s) ? s->room : ring_bytes(s);
	make_empty(s, s->given, room / s->packet);
	s->garbage = s->ring->base + ((s->given - s->ring->base + room - PCOUNTER_VM_PAGE) &
				      (ring_bytes(s) - 1));
	gpu->gen->ops->record_window(gpu->gen, gpu->io, block, s->ring->high,
				     s->garbage + PCOUNTER_VM_PAGE - s->packet);
	gpu->gen->ops->record_start(gpu->gen, gpu->io, block, s->garbage);
}

/* Those have arrived: the place is made ready for packets, if it is still ahead. */
static void drop_garbage(const struct pcounter_stream *s)
{
	if (s->head - s->begin <= ((s->garbage - s->begin) & (ring_bytes(s) - 1)))
		make_empty(s, s->garbage, PCOUNTER_VM_PAGE / s->packet);
}

/* Who is new, or moves while packets are made, begins with the next whole packet. */
static void record_settle(struct pcounter_domain *d, struct pcounter_stream *s, bool running,
			  const s8 slot[PCOUNTER_MAX_REQUESTS])
{
	unsigned int i;

	s->used = 0;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_user *user = &d->user[i];

		if (!user->refs)
			continue;
		if (slot[i] != PCOUNTER_NO_SLOT)
			s->used |= BIT(slot[i]);
		if (user->placed && running && user->slot == slot[i])
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
	struct pcounter_ring *ring = s->divert ? s->aux : &s->own;
	bool running = s->running && d->plan.set.brief == plan->set.brief &&
		       s->ring == ring;

	plan_stop(gpu, dom, &all);
	gpu->gen->ops->encode(gpu->gen, block, &all, d->zero, &img);
	if (s->running)
		pcounter_record_take_in(gpu, dom);
	if (!running) {
		s->loss.gaps += s->running;
		s->ring = ring;
		stream_prepare(gpu, dom, plan->set.brief);
	}
	/* inputs first, CTRL last */
	gpu->gen->ops->restore(gpu->gen, gpu->io, block, &d->hw, &img);
	d->hw = img;
	d->plan = all;
	d->phase = PCOUNTER_PHASE_NONE;
	d->drained = false;
	d->pending = false;
	pcounter_domain_run_periodic(gpu, dom);
	record_settle(d, s, running, slot);
	if (running)
		return;
	stream_restart(gpu, dom, s->given);
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

/**
 * pcounter_record_lost() - the GPU has forgotten everything, the channel as well
 * @gpu: the GPU
 *
 * What it had written before is taken. Faults of its memory path are gone, too.
 */
void pcounter_record_lost(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned int i;

	r->wedged = 0;
	if (!r->bound)
		return;
	r->lost = true;
	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++) {
		if (!r->stream[i])
			continue;
		pcounter_record_drain(gpu, i);
		r->stream[i]->running = false;
		pcounter_domain_fault(&gpu->dom[i], PCOUNTER_FAULT_RECORD_LOST);
	}
}

/* ---- taking packets ---- */

/* Read once what the device has written, then check, then use. */
static bool take(struct pcounter_stream *s, u64 word[PACKET_WORDS])
{
	__le64 *slot = slot_at(s, s->tail);
	unsigned int i;

	sync_slots(s, s->tail, s->packet, true);
	word[0] = le64_to_cpu(READ_ONCE(slot[0]));
	if (word[0] & PACKET_ZERO)
		return false;
	dma_rmb();
	for (i = 1; i < s->packet / sizeof(u64); i++)
		word[i] = le64_to_cpu(READ_ONCE(slot[i]));
	/* a reader has yet to see it */
	if (!s->ring->reader)
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
	/* others can write to a reader's pages, too */
	if (s->ring->reader && s->tail == s->head)
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
	if (s->ring->reader)
		sync_slots(s, s->head, ring_bytes(s), true);
	else
		make_empty(s, s->head, s->slots - keep);
}

/* At the end of its part of the window recording stops; everything is taken. */
static bool at_the_end(struct pcounter_stream *s)
{
	if (guarded(s) && room_left(s, s->head) < s->packet)
		return false;
	if (s->ring->size <= U32_MAX)
		return s->head - s->ring->base == s->ring->size;
	/* whether LONG packets reach LIMIT there is disputed (hw/ambiguities.md 20) */
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
		s->at_edge = guarded(s) && s->head == s->edge;
	else if (s->at_edge && room_left(s, s->head) >= s->packet)
		s->at_edge++;
	return s->at_edge > EDGE_LOOKS;
}

/* A LIMIT that could not be set in time, or is not heeded. */
static u32 check_room(struct pcounter_stream *s, u32 position)
{
	u32 beyond = position - s->given - s->room;

	if (!guarded(s) || (s32)beyond <= 0)
		return position;
	if (!s->spoilt)
		s->loss.overrun += beyond / s->packet;
	s->spoilt = true;
	return s->given + s->room;
}

static void check_position(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = stream_of(gpu, dom);
	u32 moved = position - s->head;

	/* what cannot be: odd addresses, other domains', and going back */
	if ((position - s->ring->base) % s->packet || moved > BIT(31) ||
	    position - s->ring->base > s->ring->size) {
		pcounter_domain_fault(&gpu->dom[dom], PCOUNTER_FAULT_POSITION);
		return;
	}
	s->head = check_room(s, position);
}

/* Recording begins anew elsewhere in the ring; nothing else changes. */
static void stream_turn(struct pcounter_gpu *gpu, unsigned int dom, u32 position)
{
	struct pcounter_stream *s = stream_of(gpu, dom);

	s->loss.gaps++;
	s->given -= s->head - position;
	stream_restart(gpu, dom, position);
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
	u32 status, before;
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
	before = s->head;
	check_position(gpu, dom, status & NV40_RECORD_STATUS_POSITION);
	if (d->fault)
		return;
	if (++s->looks == SETTLED_LOOKS)
		drop_garbage(s);
	/* where packets arrive first, @tail may be ahead of the position */
	unread = (s32)(s->head - s->tail) / (s32)s->packet;
	if (unread > (s32)s->slots - 1)
		stream_overrun(s, unread);
	else if (unread > 0 && ++s->late > LATE_LOOKS)
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
	struct pcounter_stream *s = stream_of(gpu, dom);
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
	s->edge = s->given + before;
	/* the reader's word for it may have changed, not what the GPU was told */
	s->room = max(s->room - s->room % s->packet, before);
	make_empty(s, s->given + before, (s->room - before) / s->packet);
	if (pcounter_gpu_hold(gpu)) {
		set_limit(gpu, dom);
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
	struct pcounter_stream *s = stream_of(gpu, dom);

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
	const struct pcounter_stream *s = gpu->record.stream[dom];

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
	struct pcounter_stream *s = stream_of(gpu, dom);
	u32 bytes;

	*full = false;
	if (!pcounter_record_diverts(gpu, dom))
		return 0;
	bytes = s->tail - s->given;
	s->given = s->tail;
	s->room -= guarded(s) ? bytes : 0;
	*full = guarded(s) && (s->room < s->packet || s->spoilt);
	return bytes;
}

/* ---- counting ---- */

static void take_all(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = stream_of(gpu, dom);
	struct pcounter_packet packet;
	unsigned int i;

	for (i = 0; s && i < s->slots; i++)
		if (!pcounter_record_next(gpu, dom, &packet))
			return;
}

/**
 * pcounter_record_drain() - take what has arrived
 * @gpu: the GPU
 * @dom: domain index
 *
 * No register is read; of what arrives meanwhile no more than a ring is taken.
 */
void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom)
{
	/* samples are to be made of them, and not under the lock */
	if (!gpu->dom[dom].sampled)
		take_all(gpu, dom);
}

/**
 * pcounter_record_finish() - bring a domain's totals up to now, for the last time
 * @gpu: the GPU
 * @dom: domain index
 *
 * What would have been samples is only counted.
 */
void pcounter_record_finish(struct pcounter_gpu *gpu, unsigned int dom)
{
	take_all(gpu, dom);
	pcounter_record_force(gpu, dom);
	take_all(gpu, dom);
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
		sync_slots(s, s->tail, s->packet, true);
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
	/* samples are to be made of the packets */
	if (gpu->dom[dom].sampled)
		pcounter_record_force(gpu, dom);
	else
		pcounter_record_finish(gpu, dom);
}

/**
 * pcounter_record_poll_ns() - how often packets must be taken
 * @gpu: the GPU
 * @dom: domain index
 *
 * Four times while a ring fills, at the fastest clock there can be. However
 * large a reader's is, it is told as often.
 *
 * Return: nanoseconds.
 */
u64 pcounter_record_poll_ns(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = gpu->record.stream[dom];
	unsigned int us = pcounter_record_params.poll_us;
	unsigned int slots = min(s->slots, pcounter_ring_bytes(&s->own) / s->packet);
	u64 clocks = slots * pcounter_record_period(&gpu->dom[dom].plan.set);

	if (us)
		return clamp(us, POLL_US_MIN, POLL_US_MAX) * (u64)NSEC_PER_USEC;
	clocks = mul_u64_u64_div_u64(clocks / 4, NSEC_PER_SEC, gpu->gen->max_clock_hz);
	/* a small area is its reader's choice, and no reason to do nothing else */
	return guarded(s) ? max_t(u64, clocks, READER_POLL_NS) : clocks;
}
