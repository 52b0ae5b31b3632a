/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record mode (G84:GF100): domains write packets of counters into a ring in
 * memory, from which they are read without an access to a register.
 */
#ifndef _PCOUNTER_RECORD_RECORD_H
#define _PCOUNTER_RECORD_RECORD_H

#include <linux/mutex.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "count/gpu.h"
#include "record/vm.h"
#include "rules/place.h"

#define PCOUNTER_PACKET_WORDS	4	/* of 8 bytes; 2 in a SHORT packet */

/**
 * struct pcounter_packet - a packet, as it was found
 * @cycles: cycle counter, 48 bits
 * @clocks: cycles since the packet before, 0 if that is not known
 * @stop: requests that this packet answers
 * @ctr: the counters; 4 in a SHORT packet
 * @raw: as the GPU wrote it
 */
struct pcounter_packet {
	u64 cycles;
	u64 clocks;
	u16 stop;
	u16 ctr[PCOUNTER_RECORD_SLOTS];
	__le64 raw[PCOUNTER_PACKET_WORDS];
};

/**
 * struct pcounter_sum - packets one after the other, added up
 * @n: how many
 * @cycles: cycle counter of the last, 48 bits
 * @clocks: cycles of all of them
 * @ctr: the counters
 */
struct pcounter_sum {
	unsigned int n;
	u64 cycles;
	u64 clocks;
	u32 ctr[PCOUNTER_RECORD_SLOTS];
};

/**
 * struct pcounter_loss - what is missing in a stream, since it began
 * @packets: packets that were read
 * @overrun: packets that were overwritten before they were read
 * @missing: packets that never arrived, though the position has moved on
 * @merged: requests that found the packet before still on its way
 * @saturated: packets with a used counter that was full, which are not counted
 * @gaps: times that recording had to begin anew: at the end of its window, or
 *	because packets were to go elsewhere
 * @unread: packets that a reader had no room for, by time
 */
struct pcounter_loss {
	u64 packets;
	u64 overrun;
	u64 missing;
	u64 merged;
	u64 saturated;
	u64 gaps;
	u64 unread;
};

/* A packet that the position is past has so many looks to arrive. */
#define PCOUNTER_LATE_LOOKS	16
#define PCOUNTER_RECORD_NEVER	0xfffffff0	/* a LIMIT that LONG packets do not reach */
#define PCOUNTER_PERIODIC_SHIFT	9		/* PERIODIC_PERIOD n is 2^(9 + n) clocks */

/**
 * struct pcounter_ring - pages that the GPU writes packets to, and where it sees them
 * @mem: their memory, if it is ours
 * @page: where the CPU sees them
 * @dma: where the GPU does
 * @nr_pages: how many, a power of 2
 * @high: bits 32 to 39 of all addresses
 * @base: first address of this part of a window, in which the pages repeat
 * @size: bytes of that part
 * @reader: somebody else's pages: packets stay in them
 * @sync: they have to be synced ...
 * @dev: ... for this device, for which they lie elsewhere
 * @overwrite: old packets are overwritten, whether they were read or not
 * @clean: all of it is empty, and the GPU has not been let there yet
 */
struct pcounter_ring {
	struct pcounter_dma_mem mem;
	void **page;
	dma_addr_t *dma;
	unsigned int nr_pages;
	u32 high;
	u32 base;
	u64 size;
	bool reader;
	bool sync;
	struct device *dev;
	bool overwrite;
	bool clean;
};

/**
 * struct pcounter_stream - the packets of a domain
 * @own: ring of the driver
 * @aux: ring of a reader, NULL if there is none
 * @divert: packets are to go to @aux
 * @ring: where they arrive
 * @slots: packets that fit into it
 * @packet: bytes of a packet
 * @used: its counters that somebody has asked for
 * @joined: number of the packet behind which all users count
 * @limit: RECORD_LIMIT
 * @edge: where @ready was before LIMIT was moved last
 * @at_edge: looks that have found the position there
 * @stops: with it, recording stops at the end of the window
 * @offset: of @aux: where in the ring the reader goes on
 * @room: of @aux: bytes from @given on that the reader has left to the GPU
 * @given: of @aux: up to here the reader has been given packets
 * @spoilt: of @aux: packets that had not been read were overwritten
 * @begin: where recording began; of @aux: no more than once round before @ready
 * @ready: up to here slots were made empty, and the GPU may write; or are @stale
 * @filling: there are more, which will be later
 * @skimmed: the packets of the last look were skimmed, as far as they can be
 * @stale: up to here slots hold packets that have been read, or lost
 * @running: the domain is in record mode, and its packets are ours
 * @wrapped: the position has been at the beginning of the window before
 * @still: times that it was found there
 * @late: times that the packet at @tail had not arrived, which the position is past
 * @looks: times that the position was read since the start
 * @head: position that was read last
 * @tail: where the next packet will be
 * @resync: a packet before the next one was lost
 * @behind: more has arrived than there was time for
 * @full: packets in a row, up to the last, that a full counter has spoilt ...
 * @full_looks: ... and how many looks at the position there were meanwhile
 * @cycles: cycle counter of the packet that was read last
 * @time: when that was, for samples, by perf's clock
 * @loss: what is missing
 */
struct pcounter_stream {
	struct pcounter_ring own;
	struct pcounter_ring *aux;
	bool divert;
	struct pcounter_ring *ring;
	unsigned int slots;
	unsigned int packet;
	u16 used;
	u64 joined;
	u32 limit;
	u32 edge;
	unsigned int at_edge;
	bool stops;
	u32 offset;
	u32 room;
	u32 given;
	bool spoilt;
	u32 begin;
	u32 ready;
	bool filling;
	bool skimmed;
	u32 stale;
	bool running;
	bool wrapped;
	unsigned int still;
	unsigned int late;
	unsigned int looks;
	u32 head;
	u32 tail;
	bool resync;
	bool behind;
	unsigned int full;
	unsigned int full_looks;
	u64 cycles;
	u64 time;
	struct pcounter_loss loss;
};

/**
 * struct pcounter_record - record mode of a GPU
 * @mutex: protects @refs, @vm and the existence of streams
 * @refs: open events of each domain
 * @vm: the address space
 * @bound: PCOUNTER knows @vm
 * @closed: errno with which streams are refused, 0 if they are not
 * @lost: the GPU has forgotten @vm; nothing is recorded before all streams are
 *	closed. Changes under the GPU's lock
 * @stuck: a TLB flush did not end; memory that the GPU may still know is kept
 * @wedged: domains that had a fault; only a reset of the GPU helps
 * @held: RECORD_RESET was set before us
 * @foreign_domains: domains that a former user had left in record mode
 * @foreign_ctrl: their CTRL, put back at the end
 * @chan_found: RECORD_CHAN as it was before us
 * @dma_found: likewise RECORD_DMA
 * @flush_tells: the register of TLB flushes says of which engine the last one was
 * @flushes_owed: engines whose flush, by another driver, may have been lost
 * @epoch: snapshot (struct pcounter_gpu) in which packets were read last ...
 * @began: ... since when ...
 * @packets: ... and how many
 * @stream: of each domain, NULL without open events; changes under the GPU's lock
 */
struct pcounter_record {
	struct mutex mutex;	/* protects @refs, @vm and the existence of streams */
	unsigned int refs[PCOUNTER_VM_WINDOWS];
	struct pcounter_vm vm;
	bool bound;
	int closed;
	bool lost;
	bool stuck;
	u32 wedged;
	bool held;
	u32 foreign_domains;
	u32 foreign_ctrl[PCOUNTER_VM_WINDOWS];
	u32 chan_found;
	u32 dma_found;
	bool flush_tells;
	u32 flushes_owed;
	u32 epoch;
	u64 began;
	unsigned int packets;
	struct pcounter_stream *stream[PCOUNTER_VM_WINDOWS];
};

int pcounter_record_setup(struct pcounter_gpu *gpu);
void pcounter_record_release(struct pcounter_gpu *gpu);

int pcounter_record_open(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_close(struct pcounter_gpu *gpu, unsigned int dom);
int pcounter_record_lend(struct pcounter_gpu *gpu, unsigned int dom, bool share,
			 const struct pcounter_ring **ring);
void pcounter_record_take(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_shut(struct pcounter_gpu *gpu, int err);
void pcounter_record_allow(struct pcounter_gpu *gpu);

void pcounter_record_look(struct pcounter_gpu *gpu, unsigned int dom);
bool pcounter_record_next(struct pcounter_gpu *gpu, unsigned int dom,
			  struct pcounter_packet *packet);
unsigned int pcounter_record_skim(struct pcounter_gpu *gpu, unsigned int dom);
unsigned int pcounter_record_plain(struct pcounter_gpu *gpu, unsigned int dom,
				   unsigned int most, u8 *copy);
unsigned int pcounter_record_count(struct pcounter_gpu *gpu, unsigned int dom,
				   unsigned int most);
void pcounter_record_force(struct pcounter_gpu *gpu, unsigned int dom);
u64 pcounter_record_poll_ns(const struct pcounter_gpu *gpu, unsigned int dom);

/* ---- rings of readers ---- */

#define PCOUNTER_AUX_PAGES_MIN	16
#define PCOUNTER_AUX_ROOM_MIN	(2 * PCOUNTER_VM_PAGE)	/* without it nothing is started */

int pcounter_record_attach(struct pcounter_gpu *gpu, unsigned int dom, void **pages,
			   unsigned int nr_pages, bool overwrite,
			   struct pcounter_ring **ring);
void pcounter_record_detach(struct pcounter_gpu *gpu, unsigned int dom,
			    struct pcounter_ring *ring);
bool pcounter_record_divert(struct pcounter_gpu *gpu, unsigned int dom,
			    const struct pcounter_ring *ring, u64 head, u64 room);
void pcounter_record_back(struct pcounter_gpu *gpu, unsigned int dom);
bool pcounter_record_diverts(const struct pcounter_gpu *gpu, unsigned int dom);
u32 pcounter_record_give(struct pcounter_gpu *gpu, unsigned int dom, bool *full);

void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom);

static inline struct pcounter_stream *pcounter_stream_of(const struct pcounter_gpu *gpu,
							 unsigned int dom)
{
	return gpu->record->stream[dom];
}

/* The packet that was read last was read at @time, of perf's clock. */
static inline void pcounter_stream_stamp(struct pcounter_gpu *gpu, unsigned int dom, u64 time)
{
	pcounter_stream_of(gpu, dom)->time = time;
}

/*
 * Do all users of a domain count? A new one begins some packets later; what it has in
 * common with others, their @begun tells.
 */
static inline bool pcounter_record_settled(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_domain *d = &gpu->dom[dom];
	const struct pcounter_stream *s;

	if (!d->mode || d->mode != gpu->record_mode)
		return true;
	s = pcounter_stream_of(gpu, dom);
	return !s || (s64)(d->swaps - s->joined) >= 0;
}

/*
 * Was the packet that was read last made as a whole for this user? The first one
 * behind a loss has no number of its own.
 */
static inline bool pcounter_record_is_for(const struct pcounter_gpu *gpu, unsigned int dom,
					  unsigned int user, const struct pcounter_packet *packet)
{
	const struct pcounter_domain *d = &gpu->dom[dom];
	const struct pcounter_user *u = &d->user[user];

	return u->placed && (s64)(d->swaps - u->since) >= (packet->clocks ? 1 : 0);
}

/* More has arrived than was read: the next look is soon. */
static inline void pcounter_stream_behind(struct pcounter_gpu *gpu, unsigned int dom,
					  bool behind)
{
	pcounter_stream_of(gpu, dom)->behind = behind;
}

/* A reader had no room for so many packets. */
static inline void pcounter_stream_unread(struct pcounter_stream *s, u64 packets)
{
	s->loss.unread += packets;
}

/* ---- between the files of record mode ---- */

static inline u32 pcounter_ring_bytes(const struct pcounter_ring *ring)
{
	return ring->nr_pages * PCOUNTER_VM_PAGE;
}

/* LIMIT was moved too late: in so many looks at this interval the slowest packet comes. */
#define PCOUNTER_EDGE_LOOKS	4
#define PCOUNTER_EDGE_POLL_NS	NSEC_PER_MSEC

/* A reader's ring: nobody has read what lies behind, and it must not be written to. */
static inline bool pcounter_stream_guarded(const struct pcounter_stream *s)
{
	return s->ring->reader && !s->ring->overwrite;
}

/* Packets of which only the clocks are wanted, and that stay where they are. */
static inline bool pcounter_stream_skims(const struct pcounter_stream *s)
{
	return pcounter_stream_guarded(s) && !s->ring->sync && !s->used;
}

/* Where no event sets PERIODIC_PERIOD: 2^14 clocks, 37 000 packets/s at 600 MHz. */
#define PCOUNTER_PERIODIC_DEFAULT	5

/* mode.c */
void pcounter_record_halt(struct pcounter_gpu *gpu, unsigned int dom);

/* channel.c */
u32 pcounter_channel_status(struct pcounter_gpu *gpu, unsigned int dom);
int pcounter_channel_open(struct pcounter_gpu *gpu);
int pcounter_channel_bind(struct pcounter_gpu *gpu);
void pcounter_channel_close(struct pcounter_gpu *gpu);

/* stream.c */
void pcounter_stream_program(struct pcounter_gpu *gpu, unsigned int dom,
			     const struct pcounter_plan *plan,
			     const s8 slot[PCOUNTER_MAX_REQUESTS]);
void pcounter_stream_stop(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_stream_lost(struct pcounter_gpu *gpu);

/* packets.c */
bool pcounter_record_end(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_settle(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_update(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_update_last(struct pcounter_gpu *gpu, unsigned int dom);

/* slots.c */
void pcounter_slots_empty(const struct pcounter_stream *s, u32 position, u32 bytes);
bool pcounter_slot_landed(const struct pcounter_stream *s);
bool pcounter_slot_read(const struct pcounter_stream *s, struct pcounter_packet *packet);
void pcounter_slots_skim(const struct pcounter_stream *s, unsigned int most, u64 period,
			 struct pcounter_sum *sum);
void pcounter_slots_sum(const struct pcounter_stream *s, unsigned int most,
			struct pcounter_sum *sum, u8 *copy);

/* ring.c */
int pcounter_ring_alloc(struct pcounter_gpu *gpu, struct pcounter_ring *ring);
void pcounter_ring_free(struct pcounter_gpu *gpu, struct pcounter_ring *ring);
unsigned int pcounter_ring_entries(const struct pcounter_gpu *gpu);
void pcounter_ring_place(const struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring);
struct pcounter_ring *pcounter_reader_make(struct pcounter_gpu *gpu, unsigned int dom,
					   void **pages, unsigned int nr_pages);
void pcounter_reader_free(struct pcounter_ring *ring);
int pcounter_reader_map(struct pcounter_gpu *gpu, unsigned int dom,
			struct pcounter_ring *ring);
void pcounter_reader_unmap(struct pcounter_gpu *gpu, unsigned int dom,
			   struct pcounter_ring *ring);
void pcounter_reader_release(struct pcounter_gpu *gpu, struct pcounter_ring *ring,
			     bool forgotten);

/* flush.c */
void pcounter_record_keep(struct pcounter_gpu *gpu);
bool pcounter_record_flush(struct pcounter_gpu *gpu);

#endif
