/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record mode: a domain writes packets of counters into a ring in memory. The driver reads
 * them there without an access to a register, or hands the bytes to a reader. From GF100 on
 * packets are records, and all domains write to one ring (gf100.c).
 */
#ifndef _PCOUNTER_RECORD_RECORD_H
#define _PCOUNTER_RECORD_RECORD_H

#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "count/gpu.h"
#include "hw/registers.h"
#include "record/decode.h"
#include "record/window.h"
#include "rules/place.h"

#define PCOUNTER_VM_PAGE_SHIFT	12
#define PCOUNTER_VM_PAGE	4096
/* of 4 GiB, where addresses have 40 bits: one for each domain, and as many for readers */
#define PCOUNTER_VM_WINDOWS	8
#define PCOUNTER_VM_HALF	0x10000	/* pages in half a page table */

#define PCOUNTER_READER_PAGES_MIN	16
/* A reader with less room than this is not started. */
#define PCOUNTER_READER_ROOM_MIN	(2 * PCOUNTER_VM_PAGE)

/**
 * struct pcounter_loss - packets of a stream that were read or lost since it was opened
 * @packets: packets read, or given to a reader
 * @overrun: packets overwritten before they were read
 * @missing: packets that never arrived, though the position is past them
 * @merged: requests that found the packet before still on its way
 * @saturated: packets that are not counted, because a used counter was full
 * @gaps: restarts of recording: at the end of the window, or in another ring
 *
 * Of packets in a reader's ring, the driver knows @packets, @overrun and @gaps only.
 */
struct pcounter_loss {
	u64 packets;
	u64 overrun;
	u64 missing;
	u64 merged;
	u64 saturated;
	u64 gaps;
};

/**
 * struct pcounter_dma_mem - memory that CPU and GPU share
 * @cpu: address for the CPU, NULL if there is no memory
 * @dma: address for the GPU
 * @size: bytes
 */
struct pcounter_dma_mem {
	void *cpu;
	dma_addr_t dma;
	size_t size;
};

/**
 * struct pcounter_page - a page of a ring
 * @cpu: address for the CPU
 * @dma: address for the GPU
 */
struct pcounter_page {
	void *cpu;
	dma_addr_t dma;
};

/**
 * struct pcounter_ring - pages that the GPU writes packets to, and their addresses
 */
struct pcounter_ring {
	/* Constant until the pages are returned. */
	/** @dev: device that does the DMA */
	struct device *dev;
	/** @mem: memory of the pages, if it is the driver's */
	struct pcounter_dma_mem mem;
	/** @nr_pages: number of pages, a power of 2; 0 once they are returned */
	unsigned int nr_pages;
	/** @reader: the pages are a reader's, and packets stay in them */
	bool reader;
	/** @sync: the pages have to be synced for the device or the CPU */
	bool sync;
	/**
	 * @overwrite: the GPU may overwrite packets that the reader has not
	 * read
	 */
	bool overwrite;

	/* The GPU's addresses; constant, too. */
	/** @table: page table, if the ring has one of its own */
	struct pcounter_dma_mem table;
	/**
	 * @half_of: page table whose upper half has the pages, NULL if the ring
	 * has its own
	 */
	struct pcounter_dma_mem *half_of;
	/** @address: the GPU's first address, 40 bits */
	u64 address;
	/** @size: size of the address range, in which the pages repeat */
	u64 size;

	/* The GPU's lock protects it. */
	/** @dirty: bytes from its first page on that may hold packets */
	u32 dirty;

	/** @page: the pages, constant */
	struct pcounter_page page[];
};

/*
 * State of the stream of a domain:
 *
 *   OFF ---program---> RUNNING ---position past @w.ready--> SPOILT
 *    ^                    |                                   |
 *    +--------------------+-----------------------------------+
 *      stop, reset, move to another ring, room in a full ring
 *
 * Only a reader's ring can be SPOILT; it needs a new start.
 */
enum pcounter_stream_state {
	PCOUNTER_STREAM_OFF,		/* the domain does not record for its events */
	PCOUNTER_STREAM_RUNNING,
	PCOUNTER_STREAM_SPOILT,		/* the GPU overwrote packets that were not read */
};

/**
 * struct pcounter_reading - how far the packets of a stream were read; cleared by each start
 */
struct pcounter_reading {
	/* The packet that was read last, and the next one. */
	/** @cycles: cycle counter of the last packet, 0 if there is none */
	u64 cycles;
	/** @resync: a packet before the next one was lost */
	bool resync;
	/** @old: slots before this may hold packets that were lost */
	u64 old;

	/* What is counted until something is wrong. */
	/**
	 * @late: looks since a packet was read, while the position is past
	 * the tail
	 */
	unsigned int late;
	/**
	 * @full: packets in a row, up to the last one, with a used counter that
	 * was full
	 */
	unsigned int full;
	/** @full_looks: looks at the position since the first of these */
	unsigned int full_looks;
};

/**
 * struct pcounter_reader - an AUX area, which has the packets of a domain for itself
 */
struct pcounter_reader {
	/** @ring: its pages, NULL if there is none */
	struct pcounter_ring *ring;
	/** @open: packets go there from the next commit on, or already */
	bool open;
	/**
	 * @head: while no packet goes there: bytes that the reader was given so
	 * far
	 */
	u64 head;
	/**
	 * @room: while no packet goes there: bytes behind @head that the GPU
	 * may write to
	 */
	u64 room;
};

/**
 * struct pcounter_taken - GF100+: what was taken out of the ring for a domain
 */
struct pcounter_taken {
	/** @first: no record was taken since the start */
	bool first;
	/** @from: position of the first that counts */
	u64 from;
	/** @head: first word of the last one, which has its time ... */
	u64 head;
	/** @ns: ... and the look that took it, or the start, @now of struct pcounter_record */
	s64 ns;
	/** @ctr: counters of the last one that was counted */
	u32 ctr[PCOUNTER_SLOTS];

	/** @constant: counter whose input is always 1 */
	unsigned int constant;
	/** @borrows: until that has proved something, an event has to do without it */
	bool borrows;
	/** @count: its count in the last record */
	u32 count;
	/** @proofs: records in a row that were not late */
	unsigned int proofs;
	/** @tried: all records in which @count was looked at */
	unsigned int tried;

	/** @has_id: the domain's id is in the registers ... */
	bool has_id;
	/** @found: ... which had these values */
	u32 found[2];
};

/**
 * struct pcounter_stream - the packets of a domain
 */
struct pcounter_stream {
	/* Constant. */
	/** @d: the domain */
	struct pcounter_domain *d;
	/**
	 * @own: ring of the driver. While there is a reader that is not open,
	 * packets go to @own, where they stay unread. GF100+: all streams have one
	 */
	struct pcounter_ring *own;

	/* Where packets go. The GPU's lock protects all that follows. */
	/** @state: see above */
	enum pcounter_stream_state state;
	/** @reader: the AUX area; @reader.ring changes with record->mutex, too */
	struct pcounter_reader reader;
	/** @ring: where packets arrive */
	struct pcounter_ring *ring;
	/** @w: positions in @ring */
	struct pcounter_window w;

	/* Who counts them. */
	/** @used: mask of the counters that events use */
	u16 used;
	/** @joined: number of the packet from which on all requests count */
	u64 joined;

	/* How far they were read. */
	/** @read: which packet is next */
	struct pcounter_reading read;
	/** @taken: GF100+: what was taken out of the ring */
	struct pcounter_taken taken;
	/** @time: time by perf's clock when the last packet was read */
	u64 time;
	/** @behind: there was no time to read all packets */
	bool behind;
	/** @loss: packets that were read or lost */
	struct pcounter_loss loss;

	/**
	 * @box: GF100+: records that were taken out of @own. @w has positions in it, or
	 * those of a reader's ring
	 */
	__le64 box[];
};

/*
 * The channel through which all domains write:
 *
 *   NONE ---first stream---> BOUND ---GPU reset---> RESET
 *    ^                         |                      |
 *    +-------last stream-------+----------------------+
 *
 * A TLB flush that does not end makes it STUCK for ever; GF100+: so do records that stay
 * on their way.
 */
enum pcounter_channel_state {
	PCOUNTER_CHANNEL_NONE,
	PCOUNTER_CHANNEL_BOUND,		/* PCOUNTER knows the channel */
	PCOUNTER_CHANNEL_RESET,		/* the GPU has forgotten it; events must be closed */
	PCOUNTER_CHANNEL_STUCK,		/* the GPU may know memory, which is leaked */
};

/* hw:ambiguities/53: the counters of a record */
enum pcounter_sums {
	PCOUNTER_SUMS_UNKNOWN,
	PCOUNTER_SUMS_NO,	/* count its period */
	PCOUNTER_SUMS_YES,	/* run on */
};

/**
 * struct pcounter_stream_ops - streams of a generation; gpu->lock held, GPU awake
 * @mode: record mode, as one of the ways in which a domain counts
 * @channel: the way of packets to memory
 * @one_ring: all domains write to one ring, which the GPU never overwrites, and a packet
 *	has its domain and its time; otherwise each domain has a ring
 * @box_words: number of pcounter_stream.box
 * @look: see how far the GPU is; the stream is read
 * @extend: let the GPU write to slots that were read
 * @force: let packets that are due be there, as far as software can
 * @give: return how many more bytes a reader can have
 * @read: decode packets from the tail on, which does not move; copy them, too, unless
 *	@copy is NULL
 * @leave: leave record mode, whatever the registers hold
 */
struct pcounter_stream_ops {
	const struct pcounter_mode_ops *mode;
	const struct pcounter_channel_ops *channel;
	bool one_ring;
	unsigned int box_words;
	void (*look)(struct pcounter_stream *s);
	void (*extend)(struct pcounter_stream *s);
	void (*force)(struct pcounter_stream *s);
	u32 (*give)(struct pcounter_stream *s);
	void (*read)(struct pcounter_stream *s, unsigned int most, u8 *copy,
		     struct pcounter_batch *batch);
	void (*leave)(struct pcounter_stream *s);
};

/**
 * struct pcounter_record - record mode of a GPU
 */
struct pcounter_record {
	/**
	 * @mutex: protects all that follows, unless noted, and the existence of
	 * streams with their references
	 */
	struct mutex mutex;
	/** @ops: how the generation does it, constant */
	const struct pcounter_stream_ops *ops;
	/** @chan: channel structure: page directory and DMA object */
	struct pcounter_dma_mem chan;
	/** @directory: offset of the page directory in @chan */
	u32 directory;
	/** @table_shift: 2^@table_shift bytes of addresses have a table */
	unsigned int table_shift;

	/* GF100+: that ring. The GPU's lock protects it. */
	/** @bound: the ring that is bound */
	struct pcounter_ring *bound;
	/** @reader: the stream of the domain whose events have a reader's ring */
	struct pcounter_stream *reader;
	/** @stopping: domains wait until @bound is empty, and the ring can be bound again */
	bool stopping;
	/** @next: position of the next record */
	u64 next;
	/** @freed: places before this belong to the GPU */
	u64 freed;
	/** @behind: there are more records than a look takes */
	bool behind;
	/** @looked: pcounter_gpu.snapshot of the last look, 0 if it is too old, ... */
	u32 looked;
	/** @now: ... and its time in nanoseconds; CPUs may differ a little */
	s64 now;
	/** @late_ns: @now since when something is late, 0 if nothing is */
	s64 late_ns;
	/** @known: domains that have sent records to it */
	bool known[PCOUNTER_MAX_DOMAINS];
	/** @no_ids: records have the id 0 */
	bool no_ids;
	/** @floods: how often the ring was full before @sums was known */
	unsigned int floods;
	/** @sums: whether the counters run on over records, once that was seen */
	enum pcounter_sums sums;

	/**
	 * @channel: see above; changes under the GPU's lock, and but for a
	 * reset with @mutex, too
	 */
	enum pcounter_channel_state channel;
	/** @closed: errno for new streams, 0 if they are allowed */
	int closed;

	/* What the driver found, and restores. */
	/** @saved_reset: RECORD_RESET was set */
	bool saved_reset;
	/** @saved_chan: RECORD_CHAN */
	u32 saved_chan;
	/** @saved_dma: RECORD_DMA */
	u32 saved_dma;
	/**
	 * @foreign_ctrl: CTRL of domains that a former user left in record
	 * mode; 0 for the others
	 */
	u32 foreign_ctrl[PCOUNTER_VM_WINDOWS];

	/* Flushes of the TLB. */
	/**
	 * @flush_tells: the register of TLB flushes shows the engine of a flush
	 * that is done
	 */
	bool flush_tells;
	/**
	 * @flushes_owed: mask of engines whose flush, by another driver, may
	 * have been lost
	 */
	u32 flushes_owed;

	/* How long packets have been read. The GPU's lock protects it. */
	/** @snapshot: pcounter_gpu.snapshot in which packets were read last */
	u32 snapshot;
	/** @began: time at which reading began in that snapshot */
	u64 began;
};

/* Return the number of clocks between two packets of a domain in record mode. */
static inline u64 pcounter_record_period(const struct pcounter_domain *d)
{
	return 1ULL << (PCOUNTER_PERIODIC_SHIFT + d->plan.set.periodic);
}

/* Return the time in which a domain makes packets, with the fastest possible clock. */
static inline u64 pcounter_record_ns(const struct pcounter_domain *d, u64 packets)
{
	return mul_u64_u64_div_u64(packets * pcounter_record_period(d), NSEC_PER_SEC,
				   d->gpu->gen->table->max_clock_hz);
}

static inline u32 pcounter_ring_bytes(const struct pcounter_ring *ring)
{
	return ring->nr_pages * PCOUNTER_VM_PAGE;
}

/* Return true if packets of the domain are read: NULL is no stream. */
static inline bool pcounter_stream_runs(const struct pcounter_stream *s)
{
	return s && s->state != PCOUNTER_STREAM_OFF;
}

/* Return true if packets are read and counted here: no reader has them. */
static inline bool pcounter_stream_counts(const struct pcounter_stream *s)
{
	return pcounter_stream_runs(s) && !s->reader.ring;
}

/* Return true if packets go to a reader's ring. */
static inline bool pcounter_reader_runs(const struct pcounter_stream *s)
{
	return pcounter_stream_runs(s) && s->ring == s->reader.ring;
}

/* Return true if the GPU has no room for another packet there, and only a new start helps. */
static inline bool pcounter_reader_is_full(const struct pcounter_stream *s)
{
	return pcounter_reader_runs(s) &&
	       (pcounter_window_is_full(&s->w) || s->state == PCOUNTER_STREAM_SPOILT);
}

static inline unsigned int pcounter_stream_slots(const struct pcounter_stream *s)
{
	return s->w.ring / s->w.packet;
}

/*
 * Return true if the packets that were read last were made as a whole for this request.
 * The first packet behind a loss has no number of its own.
 */
static inline bool pcounter_record_is_for(const struct pcounter_domain *d,
					  const struct pcounter_client *client,
					  const struct pcounter_batch *batch)
{
	return client->placed && (s64)(d->swaps - client->since) >= (batch->clocks ? 1 : 0);
}

/* ---- session.c: streams and readers come and go; may sleep ---- */

int pcounter_record_setup(struct pcounter_gpu *gpu);
int pcounter_record_get(struct pcounter_domain *d);
void pcounter_record_put(struct pcounter_domain *d);
struct pcounter_ring *pcounter_reader_add(struct pcounter_domain *d, void **pages,
					  unsigned int nr_pages, bool overwrite,
					  unsigned int members);
void pcounter_reader_del(struct pcounter_domain *d, struct pcounter_ring *ring);
void pcounter_record_stop_all(struct pcounter_gpu *gpu, int err);
void pcounter_record_allow(struct pcounter_gpu *gpu);

/* ---- channel.c: the channel of all streams; record->mutex held ---- */

int pcounter_channel_alloc(struct pcounter_gpu *gpu);
void pcounter_channel_free(struct pcounter_gpu *gpu);
u32 pcounter_channel_wait(struct pcounter_domain *d);

/* ---- ring.c: pages that packets are written to; record->mutex held, but for a slot ---- */

struct pcounter_ring *pcounter_ring_alloc(struct pcounter_domain *d, void **pages,
					  unsigned int nr_pages);
void pcounter_ring_put_pages(struct pcounter_gpu *gpu, struct pcounter_ring *ring);
__le64 *pcounter_ring_slot(const struct pcounter_ring *ring, u64 position);
void pcounter_ring_sync(const struct pcounter_ring *ring, u64 position, u32 bytes, bool to_cpu);
void pcounter_ring_empty(const struct pcounter_ring *ring, u64 position, u32 bytes);

/* ---- stream.c: record mode, and how far the GPU is; gpu->lock held ---- */

extern const struct pcounter_mode_ops pcounter_record_mode;

void pcounter_g84_look(struct pcounter_stream *s);
void pcounter_g84_extend(struct pcounter_stream *s);
void pcounter_g84_leave(struct pcounter_stream *s);
void pcounter_record_assign(struct pcounter_stream *s, bool running);
void pcounter_record_collect(struct pcounter_domain *d);
bool pcounter_record_intact(const struct pcounter_domain *d);
void pcounter_record_rest(struct pcounter_domain *d);
void pcounter_record_look(struct pcounter_stream *s, bool now);
void pcounter_record_stop(struct pcounter_stream *s);
bool pcounter_stream_stands(const struct pcounter_stream *s, unsigned int looks);
void pcounter_stream_fault_all(struct pcounter_gpu *gpu);

/* ---- gf100.c: records of GF100 and later ---- */

extern const struct pcounter_stream_ops pcounter_stream_gf100;

/* ---- reader.c: bytes for a reader; gpu->lock held ---- */

void pcounter_reader_start(struct pcounter_stream *s, u64 head, u64 room);
u32 pcounter_reader_give(struct pcounter_stream *s);
u32 pcounter_g84_give(struct pcounter_stream *s);

/* ---- packets.c: from slots to the totals of requests; gpu->lock held ---- */

unsigned int pcounter_record_read(struct pcounter_stream *s, unsigned int most, u8 *copy,
				  struct pcounter_batch *batch);
bool pcounter_record_drain(struct pcounter_stream *s);
void pcounter_record_force(struct pcounter_domain *d);
void pcounter_record_update(struct pcounter_domain *d);
void pcounter_g84_read(struct pcounter_stream *s, unsigned int most, u8 *copy,
		       struct pcounter_batch *batch);
void pcounter_g84_force(struct pcounter_stream *s);
bool pcounter_packet_landed(const struct pcounter_stream *s);
bool pcounter_record_settled(const struct pcounter_domain *d);
void pcounter_record_join(struct pcounter_stream *s);

#endif
