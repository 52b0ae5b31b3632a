// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of positions (record/window.h). No function reads a register, memory of
 * packets or a clock.
 */
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "record/window.h"

#define LIMIT_NEVER		0xfffffff0	/* LONG packets do not reach it */

/* Looks that find the same position until the GPU counts as stopped there for good. */
#define STILL_AT_EDGE		5
#define STILL_AT_WINDOW		64

/* Return true if the GPU is at the end of the addresses. */
static bool is_at_end(const struct pcounter_window *w)
{
	return w->head - w->origin == w->size;
}

/* Return true if the slots behind @w->ready hold unread packets, or are not empty. */
static bool is_limited(const struct pcounter_window *w)
{
	return w->guarded || pcounter_window_is_filling(w);
}

static u32 last_address(const struct pcounter_window *w)
{
	return w->base + w->size - w->packet;
}

/*
 * Compute RECORD_LIMIT. It cannot express free slots that continue at the beginning of the
 * addresses: while more than half of the ring is free, set none; otherwise let the GPU stop
 * at the end, until the position is past it.
 */
static u32 limit_of(const struct pcounter_window *w)
{
	u64 ready = w->ready - w->origin;

	if (is_limited(w) && ready <= w->size)
		return w->base + ready - w->packet;
	if (w->size > U32_MAX && (!is_limited(w) || w->ready - w->head > w->ring / 2))
		return LIMIT_NEVER;
	return last_address(w);
}

/**
 * pcounter_window_free() - note how much the GPU may have
 * @w: the window
 * @room: bytes behind @w->tail; slots that the GPU already has are not taken back
 */
void pcounter_window_free(struct pcounter_window *w, u64 room)
{
	room = min_t(u64, room, w->ring);
	w->end = max(w->end, w->tail + (room & ~(u64)(w->packet - 1)));
}

/**
 * pcounter_window_begin() - put all positions where recording begins
 * @w: the window, with its addresses; gets @start and @limit
 * @tail: position of the first packet
 * @offset: begin in the copy of the ring that this offset of the addresses is in
 * @bytes: slots that are empty from there on
 * @room: bytes from there on that the GPU may have
 */
void pcounter_window_begin(struct pcounter_window *w, u64 tail, u32 offset, u32 bytes,
			   u64 room)
{
	offset = offset < w->size ? offset & ~(w->ring - 1) : 0;
	offset |= tail & (w->ring - 1);
	w->origin = tail - offset;
	w->start = w->base + offset;
	w->begin = tail;
	w->tail = tail;
	w->head = tail;
	w->ready = tail + bytes;
	w->end = w->ready;
	w->edge = w->ready;
	w->looks = 0;
	w->still = 0;
	pcounter_window_free(w, room);
	w->limit = limit_of(w);
}

/**
 * pcounter_window_extend() - give the GPU more slots
 * @w: the window; gets @limit
 * @most: bytes at most, if there are slots that have to be emptied
 * @dirty: gets the bytes behind the old @w->ready that have to be emptied
 *
 * The GPU may stop at the old LIMIT before the new one is set.
 *
 * Return: true if RECORD_LIMIT is to be written; false if there are no more slots, or where
 * the GPU has stopped at the end of the addresses, so that only a new start helps.
 */
bool pcounter_window_extend(struct pcounter_window *w, u32 most, u32 *dirty)
{
	u32 bytes = w->end - w->ready;

	/* slots of later rounds have been emptied, or read */
	*dirty = pcounter_window_is_first(w, w->ready) ? w->begin + w->ring - w->ready : 0;
	if (*dirty > most)
		bytes = min(bytes, most);
	*dirty = min(bytes, *dirty);
	if (!bytes)
		return false;
	if (w->head != w->edge)
		w->edge = w->ready;
	if (w->head == w->ready)
		w->still = 1;
	w->ready += bytes;
	if (is_at_end(w) && w->limit == last_address(w))
		return false;
	w->limit = limit_of(w);
	return true;
}

/**
 * pcounter_window_look() - take the position of the GPU
 * @w: the window
 * @address: the address in RECORD_STATUS, any value
 * @passed: gets the packets behind @w->ready, which LIMIT should have prevented; the
 *	position stays at @w->ready then
 *
 * Return: false if the position is impossible: off the packets, in another domain's
 * addresses, or back.
 */
bool pcounter_window_look(struct pcounter_window *w, u32 address, u32 *passed)
{
	u32 offset = address - w->base, moved = offset - (u32)(w->head - w->origin);
	u64 head = w->head + moved;

	*passed = 0;
	if (offset % w->packet || moved > BIT(31) || offset > w->size)
		return false;
	if (w->guarded && head > w->ready) {
		*passed = (u32)(head - w->ready) / w->packet;
		head = w->ready;
	}
	w->looks++;
	w->still = head == w->head ? w->still + 1 : 1;
	w->head = head;
	/* at 4 GiB the GPU has stopped, or is at the beginning of the next addresses */
	if (w->size > U32_MAX && (head - w->origin > w->size ||
				  (is_at_end(w) && w->limit != last_address(w))))
		w->origin += w->size;
	return true;
}

/**
 * pcounter_window_catch_up() - pass over packets that the GPU has overwritten
 * @w: the window of a ring that is not guarded
 *
 * If the GPU is a whole ring ahead, go on in the middle of the ring.
 *
 * Return: the number of these packets.
 */
u32 pcounter_window_catch_up(struct pcounter_window *w)
{
	s64 unread = w->head - w->tail, passed = unread - w->ring / 2;

	if (unread < (s64)w->ring)
		return 0;
	w->tail += passed;
	return (u32)passed / w->packet;
}

/**
 * pcounter_window_stops_at() - check whether the GPU may have stopped for good
 * @w: the window
 *
 * Return: @w->still at which it has stopped where it is, 0 if it has not.
 */
unsigned int pcounter_window_stops_at(const struct pcounter_window *w)
{
	/* it waits for the reader to make room */
	if (is_limited(w) && w->ready - w->head < w->packet)
		return 0;
	if (is_at_end(w))
		return 1;
	if (w->head == w->edge && w->ready != w->edge)
		return STILL_AT_EDGE;
	/* whether LONG packets reach LIMIT at the end is disputed (hw:ambiguities/20) */
	return w->head == w->origin && w->head != w->begin ? STILL_AT_WINDOW : 0;
}
