// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers: the pages of an AUX area are a domain's second ring, into which the GPU writes
 * packets by itself. The driver tells the GPU how far it may write, and the reader how
 * far it has written.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/mutex.h>

#include "count/gpu.h"
#include "record/channel.h"
#include "record/reader.h"
#include "record/record.h"
#include "record/ring.h"
#include "record/session.h"
#include "record/stream.h"

/* ---- coming and going, which may sleep ---- */

static int check_reader(struct pcounter_record *r, unsigned int dom)
{
	if (r->closed)
		return r->closed;
	if (!r->stream[dom] || READ_ONCE(r->channel) != PCOUNTER_CHANNEL_BOUND)
		return -EIO;
	return r->stream[dom]->aux ? -EBUSY : 0;
}

static int map_ring(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring)
{
	int err = pcounter_ring_map(gpu, dom, ring, true);

	if (err)
		return err;
	if (pcounter_channel_flush(gpu))
		return 0;
	/* nothing was written there that the TLB could remember */
	pcounter_ring_unmap(gpu, dom, ring);
	return -EIO;
}

/**
 * pcounter_reader_add() - make a reader's pages the second ring of a domain
 * @gpu: the GPU
 * @dom: domain index; events of it are open
 * @pages: CPU addresses of the pages
 * @nr_pages: number of pages, a power of 2
 * @overwrite: old packets may be overwritten
 * @out: gets the ring, for pcounter_reader_del()
 *
 * Return: 0; -EINVAL for a number that does not fit; -EBUSY if there is one; -EIO
 * if the GPU cannot; -EAGAIN, -ENODEV as pcounter_record_get(); -ENOMEM.
 */
int pcounter_reader_add(struct pcounter_gpu *gpu, unsigned int dom, void **pages,
			unsigned int nr_pages, bool overwrite, struct pcounter_ring **out)
{
	struct pcounter_record *r = gpu->record;
	struct pcounter_ring *ring;
	unsigned long flags;
	int err;

	if (nr_pages < PCOUNTER_READER_PAGES_MIN || nr_pages > PCOUNTER_VM_HALF)
		return -EINVAL;
	mutex_lock(&r->mutex);
	err = check_reader(r, dom);
	if (err)
		goto out;
	ring = pcounter_ring_alloc(gpu, dom, pages, nr_pages);
	if (IS_ERR(ring)) {
		err = PTR_ERR(ring);
		goto out;
	}
	ring->overwrite = overwrite;
	err = map_ring(gpu, dom, ring);
	if (err) {
		pcounter_ring_put_pages(ring, true);
		pcounter_ring_free(ring);
		goto out;
	}
	/* the stream stays as long as this */
	r->refs[dom]++;
	raw_spin_lock_irqsave(&gpu->lock, flags);
	r->stream[dom]->aux = ring;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	*out = ring;
out:
	mutex_unlock(&r->mutex);
	return err;
}

/* Stop writing to a ring, but for a packet that is on its way. */
static void leave_ring(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	if (pcounter_stream_runs(s) && s->ring == ring) {
		/* perf has freed the area before it stopped the event */
		if (pcounter_domain_active(&gpu->dom[dom]))
			pcounter_domain_fault(gpu, &gpu->dom[dom], PCOUNTER_FAULT_RECORD_LOST);
		if (awake)
			pcounter_record_stop(gpu, dom);
		s->state = PCOUNTER_STREAM_OFF;
	}
	s->ring = s->own;
	s->target = s->own;
	s->aux = NULL;
	pcounter_gpu_end(gpu, flags, awake);
}

/**
 * pcounter_reader_del() - remove a reader's ring
 * @gpu: the GPU
 * @dom: domain index
 * @ring: the ring by pcounter_reader_add(); is freed
 *
 * When it returns, the GPU does not know the pages any more, or they are never freed.
 */
void pcounter_reader_del(struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring)
{
	struct pcounter_record *r = gpu->record;
	bool forgotten;

	mutex_lock(&r->mutex);
	/* the stream may have been stopped in between */
	if (r->stream[dom] && r->stream[dom]->aux == ring) {
		leave_ring(gpu, dom, ring);
		pcounter_channel_wait(gpu, dom);
		pcounter_ring_unmap(gpu, dom, ring);
		forgotten = pcounter_channel_flush(gpu);
		pcounter_ring_put_pages(ring, forgotten);
		if (!forgotten)
			pcounter_channel_leak(gpu);
	}
	pcounter_ring_free(ring);
	mutex_unlock(&r->mutex);
	pcounter_record_put(gpu, dom);
}

/* ---- reading, with gpu->lock held ---- */

/**
 * pcounter_reader_runs() - check if packets go to a reader's ring
 * @gpu: the GPU
 * @dom: domain index
 *
 * Return: true if so.
 */
bool pcounter_reader_runs(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	return pcounter_stream_runs(s) && s->ring == s->aux;
}

/**
 * pcounter_reader_start() - let packets go to a reader's ring, and free slots in it
 * @gpu: the GPU
 * @dom: domain index
 * @ring: the ring
 * @head: bytes that the reader was given so far
 * @room: bytes behind @head that the GPU may write to
 *
 * Begins at the next commit, or goes on where it is.
 *
 * Return: false if the ring was removed.
 */
bool pcounter_reader_start(struct pcounter_gpu *gpu, unsigned int dom,
			   struct pcounter_ring *ring, u64 head, u64 room)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	bool runs = pcounter_reader_runs(gpu, dom);

	if (!s || s->aux != ring)
		return false;
	s->target = ring;
	room = min_t(u64, room, pcounter_ring_bytes(ring));
	if (runs && ring->overwrite)
		return true;
	if (runs && (s->room < s->packet || s->state == PCOUNTER_STREAM_SPOILT)) {
		/* LIMIT was reached: only a new start helps */
		s->state = PCOUNTER_STREAM_OFF;
		s->loss.gaps++;
		runs = false;
	}
	if (!runs) {
		s->given = head;
		s->room = room;
		return true;
	}
	/* the reader may take room back, but the GPU has got it */
	s->room = max_t(u32, room - (u32)room % s->packet, s->room);
	if (pcounter_gpu_hold(gpu)) {
		pcounter_stream_extend(gpu, dom);
		pcounter_gpu_drop(gpu);
	}
	return true;
}

/**
 * pcounter_reader_stop() - let packets go to the driver's ring again
 * @gpu: the GPU
 * @dom: domain index
 *
 * At the next commit.
 */
void pcounter_reader_stop(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	if (s)
		s->target = s->own;
}

/**
 * pcounter_reader_give() - give a reader the packets that have arrived in its ring
 * @gpu: the GPU
 * @dom: domain index
 * @full: set if there is no room for another packet
 *
 * The slot of a packet that never arrived is empty.
 *
 * Return: bytes since the last time.
 */
u32 pcounter_reader_give(struct pcounter_gpu *gpu, unsigned int dom, bool *full)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	u32 bytes;

	*full = false;
	if (!pcounter_reader_runs(gpu, dom))
		return 0;
	bytes = s->tail - s->given;
	s->given = s->tail;
	if (!pcounter_stream_guarded(s))
		return bytes;
	s->room -= bytes;
	*full = s->room < s->packet || s->state == PCOUNTER_STREAM_SPOILT;
	return bytes;
}
