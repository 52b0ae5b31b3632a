// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the streams of record mode come and go: memory, address space, channel. All of it
 * happens when events are opened and closed, and may sleep.
 *
 * A fault is for ever, so every page that the position can reach stays mapped until the
 * domain has left record mode and its last packet has arrived. Pages are unmapped and the
 * TLB is flushed before they are freed.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "params.h"
#include "record/channel.h"
#include "record/packets.h"
#include "record/record.h"
#include "record/ring.h"
#include "record/session.h"
#include "record/stream.h"

#define RING_KB_MIN		64U
#define RING_KB_MAX		4096U
/* A ring of the largest kind is read in this many pieces, even if each takes long. */
#define READ_ROUNDS		1000

/* ---- streams ---- */

static unsigned int own_pages(void)
{
	unsigned int kb = clamp(pcounter_record_ring_kb, RING_KB_MIN, RING_KB_MAX);

	return rounddown_pow_of_two(kb) * 1024UL / PCOUNTER_VM_PAGE;
}

static void stream_free(struct pcounter_stream *s, bool forgotten)
{
	pcounter_ring_put_pages(s->own, forgotten);
	pcounter_ring_free(s->own);
	kfree(s);
}

static struct pcounter_stream *stream_alloc(struct pcounter_gpu *gpu, unsigned int dom,
					    bool whole)
{
	struct pcounter_stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->own = pcounter_ring_alloc(gpu, dom, NULL, own_pages());
	if (IS_ERR(s->own)) {
		err = PTR_ERR(s->own);
		kfree(s);
		return ERR_PTR(err);
	}
	s->ring = s->own;
	s->target = s->own;
	err = pcounter_ring_map(gpu, dom, s->own, whole);
	if (!err)
		return s;
	stream_free(s, true);
	return ERR_PTR(err);
}

static int stream_open(struct pcounter_gpu *gpu, unsigned int dom, bool whole)
{
	struct pcounter_record *r = gpu->record;
	struct pcounter_stream *s;
	unsigned long flags;
	int err;

	if (r->channel == PCOUNTER_CHANNEL_STUCK || r->wedged & BIT(dom))
		return -EIO;
	err = pcounter_channel_alloc(gpu);
	if (err)
		return err;
	s = stream_alloc(gpu, dom, whole);
	if (IS_ERR(s)) {
		pcounter_channel_free(gpu);
		return PTR_ERR(s);
	}
	err = pcounter_channel_bind(gpu);
	if (err) {
		pcounter_ring_unmap(gpu, dom, s->own);
		stream_free(s, true);
		pcounter_channel_free(gpu);
		return err;
	}
	raw_spin_lock_irqsave(&gpu->lock, flags);
	r->stream[dom] = s;
	/* the GPU was reset while the stream was being made */
	if (r->channel == PCOUNTER_CHANNEL_RESET)
		pcounter_stream_fault_all(gpu);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return 0;
}

static void stream_stop(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	if (awake)
		pcounter_record_stop(gpu, dom);
	pcounter_stream_of(gpu, dom)->state = PCOUNTER_STREAM_OFF;
	pcounter_gpu_end(gpu, flags, awake);
}

/* Take the stream from all others; a domain with a fault needs a reset of the GPU. */
static void stream_detach(struct pcounter_gpu *gpu, unsigned int dom, u32 status)
{
	struct pcounter_record *r = gpu->record;
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	r->stream[dom] = NULL;
	if (pcounter_status_fault(status))
		r->wedged |= BIT(dom);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	/* samples are made of it with interrupts off, and without the lock */
	synchronize_rcu();
}

static void stream_close(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	bool forgotten;
	u32 status;

	stream_stop(gpu, dom);
	status = pcounter_channel_wait(gpu, dom);
	if (s->aux)
		pcounter_ring_unmap(gpu, dom, s->aux);
	pcounter_ring_unmap(gpu, dom, s->own);
	stream_detach(gpu, dom, status);
	forgotten = gpu->gone || pcounter_channel_flush(gpu);
	if (s->aux)
		pcounter_ring_put_pages(s->aux, forgotten);
	stream_free(s, forgotten);
	if (!forgotten)
		pcounter_channel_leak(gpu);
	pcounter_channel_free(gpu);
}

/* ---- references ---- */

/* Return 0 if a domain may record. */
static int record_check(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	/* @io is not there any more when the GPU has left */
	if (r->closed)
		return r->closed;
	if (!gpu->io->ops->dma)
		return -EOPNOTSUPP;
	return READ_ONCE(r->channel) == PCOUNTER_CHANNEL_RESET ? -EIO : 0;
}

static int get_stream(struct pcounter_gpu *gpu, unsigned int dom, bool whole, bool alone)
{
	struct pcounter_record *r = gpu->record;
	int err = record_check(gpu);

	if (!err && alone && r->stream[dom])
		err = -EBUSY;
	if (!err && !r->stream[dom])
		err = stream_open(gpu, dom, whole);
	if (!err)
		r->refs[dom]++;
	return err;
}

/**
 * pcounter_record_get() - get a reference to the stream of a domain, for an event
 * @gpu: the GPU
 * @dom: domain index
 *
 * The first reference makes the stream. The GPU is kept awake until the last one is
 * dropped, but never woken.
 *
 * Return: 0; -EOPNOTSUPP without DMA; -EAGAIN if the GPU or the system sleeps;
 * -EBUSY if somebody else records; -EIO if the GPU cannot, or was reset while other
 * events are still open; -ENODEV if it has left; -ENOMEM.
 */
int pcounter_record_get(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = gpu->record;
	int err;

	mutex_lock(&r->mutex);
	err = get_stream(gpu, dom, true, false);
	mutex_unlock(&r->mutex);
	return err;
}

/**
 * pcounter_record_put() - put a reference by pcounter_record_get() or pcounter_record_lend()
 * @gpu: the GPU
 * @dom: domain index
 *
 * The last reference frees the stream.
 */
void pcounter_record_put(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = gpu->record;

	mutex_lock(&r->mutex);
	if (!--r->refs[dom] && r->stream[dom])
		stream_close(gpu, dom);
	mutex_unlock(&r->mutex);
}

/**
 * pcounter_record_lend() - lend the stream of a domain to an experiment
 * @gpu: the GPU, which is lent (pcounter_gpu_lend())
 * @dom: domain index
 * @share: map the ring in all of its part of a window, by one page table; else in the
 *	first 512 MiB only
 * @ring: gets the ring
 *
 * Return: 0; -EBUSY if it records; and as pcounter_record_get().
 */
int pcounter_record_lend(struct pcounter_gpu *gpu, unsigned int dom, bool share,
			 const struct pcounter_ring **ring)
{
	struct pcounter_record *r = gpu->record;
	int err;

	mutex_lock(&r->mutex);
	err = get_stream(gpu, dom, share, true);
	if (!err)
		*ring = r->stream[dom]->own;
	mutex_unlock(&r->mutex);
	return err;
}

/* Read the packets of a domain that is about to stop, with the lock released in between. */
static void read_rest(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned int i;
	unsigned long flags;
	bool awake, more = true;

	for (i = 0; more && i < READ_ROUNDS; i++) {
		awake = pcounter_gpu_begin(gpu, &flags);
		more = awake && pcounter_record_update_some(gpu, dom);
		pcounter_gpu_end(gpu, flags, awake);
	}
	raw_spin_lock_irqsave(&gpu->lock, flags);
	pcounter_domain_fault(gpu, &gpu->dom[dom], PCOUNTER_FAULT_RECORD_LOST);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

/**
 * pcounter_record_stop_all() - stop all streams and free their memory
 * @gpu: the GPU; its registers can still be reached
 * @err: -ENODEV if it leaves, -EAGAIN if the system goes to sleep; events are refused
 *	with this from now on
 */
void pcounter_record_stop_all(struct pcounter_gpu *gpu, int err)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	mutex_lock(&r->mutex);
	r->closed = err;
	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++) {
		if (!r->stream[i])
			continue;
		read_rest(gpu, i);
		stream_close(gpu, i);
	}
	mutex_unlock(&r->mutex);
}

/**
 * pcounter_record_allow() - allow events again after the system has woken up
 * @gpu: the GPU
 */
void pcounter_record_allow(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	mutex_lock(&r->mutex);
	r->closed = 0;
	mutex_unlock(&r->mutex);
}
