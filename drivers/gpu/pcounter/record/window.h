/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the packets of a domain are: the arithmetic of positions, without registers.
 *
 * A position counts the bytes that were written, and never goes back. A position modulo
 * @ring is a slot, and @base plus the position less @origin is the GPU's address:
 *
 *   position    @origin      @tail      @head      @ready     @end
 *                  v           v          v          v          v
 *   addresses      | read ...  | unread   |   free   | not yet  |            | ...
 *                @base                                                     @size
 *
 * RECORD_LIMIT is the address of the last packet that the GPU may write. Addresses have 32
 * bits: the GPU goes on at 0 behind 4 GiB, unless LIMIT stops it there.
 */
#ifndef _PCOUNTER_RECORD_WINDOW_H
#define _PCOUNTER_RECORD_WINDOW_H

#include <linux/types.h>

/**
 * struct pcounter_window - positions of the packets of a domain
 * @base: the first address
 * @size: bytes of addresses, in which the pages of the ring repeat
 * @ring: bytes of these pages, a power of 2
 * @packet: bytes of a packet, a power of 2
 * @guarded: a reader frees slots: the GPU must never pass @end. Otherwise the GPU may go
 *	on for ever once @ready is @end
 * @origin: position of the first address
 * @begin: recording began here
 * @tail: the next packet to read
 * @head: position of the GPU at the last look; in a ring that is not guarded a packet may
 *	be seen earlier, so that @tail is ahead
 * @ready: slots before this are empty or read, so the GPU may write to them
 * @end: slots before this may be emptied, or were read
 * @edge: the last @ready at which the GPU may have stopped
 * @start: RECORD_START, the address of the packet at @begin
 * @limit: RECORD_LIMIT
 * @looks: looks at the position since recording began
 * @still: looks in a row that found the position at @head
 */
struct pcounter_window {
	u32 base;
	u64 size;
	u32 ring;
	u32 packet;
	bool guarded;
	u64 origin;
	u64 begin;
	u64 tail;
	u64 head;
	u64 ready;
	u64 end;
	u64 edge;
	u32 start;
	u32 limit;
	unsigned int looks;
	unsigned int still;
};

/* Return the number of packets before the position that were not read yet. */
static inline s32 pcounter_window_unread(const struct pcounter_window *w)
{
	return (s32)(w->head - w->tail) / (s32)w->packet;
}

/* Return true if a slot was empty when the GPU got it: in the first round. */
static inline bool pcounter_window_is_first(const struct pcounter_window *w, u64 at)
{
	return at - w->begin < w->ring;
}

/* Return true if the GPU may get more slots. */
static inline bool pcounter_window_is_filling(const struct pcounter_window *w)
{
	return w->ready != w->end;
}

/* Return true if the GPU has no slot for another packet, and never gets one by itself. */
static inline bool pcounter_window_is_full(const struct pcounter_window *w)
{
	return w->guarded && w->end - w->tail < w->packet;
}

void pcounter_window_free(struct pcounter_window *w, u64 room);
void pcounter_window_begin(struct pcounter_window *w, u64 tail, u32 offset, u32 bytes,
			   u64 room);
bool pcounter_window_extend(struct pcounter_window *w, u32 most, u32 *dirty);
bool pcounter_window_look(struct pcounter_window *w, u32 address, u32 *passed);
u32 pcounter_window_catch_up(struct pcounter_window *w);
unsigned int pcounter_window_stops_at(const struct pcounter_window *w);

#endif
