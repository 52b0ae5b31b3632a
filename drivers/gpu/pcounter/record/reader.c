// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets for a reader, who has mapped the pages that the GPU writes to: the driver asks how
 * far whole packets have landed, gives these bytes to the reader, and moves RECORD_LIMIT. It
 * decodes no packet, and counts nothing. The caller holds gpu->lock.
 *
 * Slots are empty in the first round only. Later they hold packets of the round before,
 * whose cycles show that they are older.
 */
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>

#include "record/record.h"

/* The packets that are on their way are among these. */
#define LAST_PACKETS	16

static u64 head_at(const struct pcounter_stream *s, u64 at)
{
	return pcounter_packet_head(pcounter_ring_slot(s->ring, at));
}

/* Return true if a packet that has begun, and that no other one follows, has landed. */
static bool is_whole(const struct pcounter_stream *s, u64 at, u64 head)
{
	bool first = pcounter_window_is_first(&s->w, at);
	u64 packet[PCOUNTER_PACKET_WORDS];

	dma_rmb();
	pcounter_packet_load(pcounter_ring_slot(s->ring, at), head, s->w.packet / sizeof(u64),
			     packet);
	return pcounter_stream_stands(s, pcounter_packet_looks(packet, first));
}

/*
 * Return the position up to which all packets have landed, but for packets that never will.
 * They land in order: one that has begun shows that the ones before it are there.
 */
static u64 landed(const struct pcounter_stream *s)
{
	u64 at = s->w.head, head;
	unsigned int i;

	for (i = 0; i < LAST_PACKETS && at > s->w.tail; i++) {
		at -= s->w.packet;
		head = head_at(s, at);
		if (pcounter_packet_has_begun(head, s->read.cycles))
			return is_whole(s, at, head) ? at + s->w.packet : at;
	}
	return pcounter_stream_stands(s, PCOUNTER_LATE_LOOKS) ? s->w.head : s->w.tail;
}

/* Note the time of the last packet, if it is there. */
static void note_time(struct pcounter_stream *s)
{
	u64 head = head_at(s, s->w.tail - s->w.packet), now = ktime_get_mono_fast_ns();
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		s->d->client[i].last_ns = now;
	if (!pcounter_packet_has_begun(head, s->read.cycles))
		return;
	s->read.cycles = head & PCOUNTER_PACKET_CYCLES;
	s->time = local_clock();
}

/**
 * pcounter_g84_give() - find the packets that have landed in a reader's ring
 * @s: the stream
 *
 * The slot of a packet that never arrived is empty, or holds the packet of a round before.
 *
 * Return: bytes since the last time.
 */
u32 pcounter_g84_give(struct pcounter_stream *s)
{
	u64 end;
	u32 bytes;

	pcounter_ring_sync(s->ring, s->w.tail, min_t(u64, s->w.head - s->w.tail, s->w.ring),
			   true);
	end = landed(s);
	bytes = end - s->w.tail;
	s->w.tail = end;
	s->loss.packets += bytes / s->w.packet;
	if (bytes)
		note_time(s);
	return bytes;
}

/**
 * pcounter_reader_give() - give a reader the packets that have landed in its ring
 * @s: the stream, NULL for none
 *
 * Return: bytes since the last time.
 */
u32 pcounter_reader_give(struct pcounter_stream *s)
{
	return pcounter_reader_runs(s) ? s->d->gpu->record->ops->give(s) : 0;
}

/**
 * pcounter_reader_start() - let packets go to a reader's ring, and free slots in it
 * @s: the stream, which has a reader
 * @head: bytes that the reader was given so far
 * @room: bytes behind @head that the GPU may write to
 *
 * Begins at the next commit, or goes on where it is.
 */
void pcounter_reader_start(struct pcounter_stream *s, u64 head, u64 room)
{
	s->reader.open = true;
	if (pcounter_reader_is_full(s)) {
		s->state = PCOUNTER_STREAM_OFF;
		s->loss.gaps++;
	}
	s->reader.head = head;
	s->reader.room = room;
	if (pcounter_reader_runs(s) && s->w.guarded) {
		pcounter_window_free(&s->w, room);
		if (pcounter_gpu_check_power(s->d->gpu))
			s->d->gpu->record->ops->extend(s);
	}
}
