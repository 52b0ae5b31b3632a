/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record mode (G84:GF100): domains write packets of counters into a ring in
 * memory, from which they are taken without reading a register.
 */
#ifndef _PCOUNTER_RECORD_H
#define _PCOUNTER_RECORD_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "pcounter_place.h"
#include "pcounter_vm.h"

struct pcounter_gpu;

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
	__le64 raw[4];
};

/**
 * struct pcounter_loss - what is missing in a stream, since it began
 * @packets: packets that were taken
 * @overrun: packets that were overwritten before they were taken
 * @missing: packets that never arrived, though the position has moved on
 * @merged: requests that found the packet before still on its way
 * @saturated: packets with a counter that was full
 * @gaps: times that recording had to begin anew at the end of its window
 */
struct pcounter_loss {
	u64 packets;
	u64 overrun;
	u64 missing;
	u64 merged;
	u64 saturated;
	u64 gaps;
};

#define PCOUNTER_RECORD_NEVER	0xfffffff0	/* a LIMIT that LONG packets do not reach */
#define PCOUNTER_PERIODIC_SHIFT	9		/* PERIODIC_PERIOD n is 2^(9 + n) clocks */

/**
 * struct pcounter_ring - pages that the GPU writes packets to
 * @mem: their memory
 * @page: where the CPU sees them
 * @dma: where the GPU does
 * @nr_pages: how many, a power of 2
 */
struct pcounter_ring {
	struct pcounter_dma_mem mem;
	void **page;
	dma_addr_t *dma;
	unsigned int nr_pages;
};

/**
 * struct pcounter_stream - the packets of a domain
 * @ring: where they arrive
 * @slots: packets that fit into it
 * @packet: bytes of a packet
 * @high: bits 32 to 39 of all its addresses
 * @base: first address of its part of the window
 * @size: bytes of that part
 * @limit: RECORD_LIMIT
 * @running: the domain is in record mode, and its packets are ours
 * @wrapped: the position has been at the beginning of the window before
 * @still: times that it was found there
 * @late: times that the packet at @tail had not arrived, which the position is past
 * @looks: times that the position was read since the start
 * @head: position that was read last
 * @tail: where the next packet will be
 * @resync: a packet before the next one was lost
 * @cycles: cycle counter of the packet that was taken last
 * @time: when that was, for samples, by perf's clock
 * @loss: what is missing
 */
struct pcounter_stream {
	struct pcounter_ring ring;
	unsigned int slots;
	unsigned int packet;
	u32 high;
	u32 base;
	u64 size;
	u32 limit;
	bool running;
	bool wrapped;
	unsigned int still;
	unsigned int late;
	unsigned int looks;
	u32 head;
	u32 tail;
	bool resync;
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
 * @closed: the GPU leaves, no stream begins any more
 * @stuck: a TLB flush did not end; memory that the GPU may still know is kept
 * @wedged: domains that had a fault; only a reset of the GPU helps
 * @held: RECORD_RESET was set before us
 * @strangers: domains that a former user had left in record mode
 * @stranger_ctrl: their CTRL, put back at the end
 * @chan_found: RECORD_CHAN as it was before us
 * @dma_found: likewise RECORD_DMA
 * @stream: of each domain, NULL without open events; changes under the GPU's lock
 */
struct pcounter_record {
	struct mutex mutex;	/* protects @refs, @vm and the existence of streams */
	unsigned int refs[PCOUNTER_VM_WINDOWS];
	struct pcounter_vm vm;
	bool bound;
	bool closed;
	bool stuck;
	u32 wedged;
	bool held;
	u32 strangers;
	u32 stranger_ctrl[PCOUNTER_VM_WINDOWS];
	u32 chan_found;
	u32 dma_found;
	struct pcounter_stream *stream[PCOUNTER_VM_WINDOWS];
};

/**
 * struct pcounter_record_params - what the module's parameters say
 * @ring_kb: size of a domain's ring in KiB
 * @own_tables: no two entries of the page directory share a page table
 * @poll_us: how often packets are taken; 0: as the ring needs it
 * @position: where in its window a stream begins, to test the end of it
 */
struct pcounter_record_params {
	unsigned int ring_kb;
	bool own_tables;
	unsigned int poll_us;
	unsigned int position;
};

extern struct pcounter_record_params pcounter_record_params;

int pcounter_record_open(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_close(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_shut(struct pcounter_gpu *gpu);

void pcounter_record_program(struct pcounter_gpu *gpu, unsigned int dom,
			     const struct pcounter_plan *plan,
			     const s8 slot[PCOUNTER_MAX_REQUESTS]);
void pcounter_record_leave(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_look(struct pcounter_gpu *gpu, unsigned int dom);
bool pcounter_record_next(struct pcounter_gpu *gpu, unsigned int dom,
			  struct pcounter_packet *packet);
void pcounter_record_force(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_take_in(struct pcounter_gpu *gpu, unsigned int dom);
u64 pcounter_record_period(const struct pcounter_settings *set);
u64 pcounter_record_poll_ns(const struct pcounter_gpu *gpu, unsigned int dom);

#endif
