// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the streams of record mode come and go: memory, address space, channel.
 * All of it happens when events are opened and closed, and may sleep.
 *
 * A fault is for ever, so every page that the position can reach stays mapped
 * until the domain has left record mode and its last packet has arrived; pages
 * are unmapped and the TLB is flushed before they are freed.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dev_printk.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kmemleak.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "params.h"
#include "record/record.h"

#define RING_KB_MIN		64U
#define RING_KB_MAX		4096U
#define WINDOW			BIT_ULL(32)
#define SHARE_SHIFT		29	/* of a window that all domains share: one entry each */

/* No register tells that nothing is on its way: the position stands still. */
#define DRAIN_POLLS		50
#define DRAIN_POLL_US		200
#define DRAIN_QUIET		5
/* A ring of the largest kind is taken in so many pieces, even if each takes long. */
#define END_ROUNDS		1000

/* ---- streams ---- */

/* Its ring is in the first @n entries of its part of the page directory. */
static struct pcounter_stream *stream_alloc(struct pcounter_gpu *gpu, unsigned int dom,
					    unsigned int n)
{
	struct pcounter_stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->ring = &s->own;
	pcounter_ring_place(gpu, dom, &s->own);
	err = pcounter_ring_alloc(gpu, &s->own);
	if (err)
		goto err_free;
	err = pcounter_vm_map(&gpu->record->vm, dom * pcounter_ring_entries(gpu), n,
			      !pcounter_record_params.own_tables, s->own.dma,
			      s->own.nr_pages);
	if (!err)
		return s;
	pcounter_ring_free(gpu, &s->own);
err_free:
	kfree(s);
	return ERR_PTR(err);
}

static void stream_free(struct pcounter_gpu *gpu, unsigned int dom,
			struct pcounter_stream *s)
{
	unsigned int n = pcounter_ring_entries(gpu);

	pcounter_vm_free_tables(&gpu->record->vm, dom * n, n);
	pcounter_ring_free(gpu, &s->own);
	kfree(s);
}

/* ---- opening and closing ---- */

/* May a domain record? */
static int record_check(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	/* @io is not there any more when the GPU has left */
	if (r->closed)
		return r->closed;
	if (!gpu->io->ops->dma)
		return -EOPNOTSUPP;
	return READ_ONCE(r->lost) ? -EIO : 0;
}

static int record_start(struct pcounter_gpu *gpu, unsigned int dom, unsigned int entries)
{
	struct pcounter_record *r = gpu->record;
	unsigned int n = pcounter_ring_entries(gpu);
	struct pcounter_stream *s;
	unsigned long flags;
	int err;

	if (r->stuck || r->wedged & BIT(dom))
		return -EIO;
	err = pcounter_channel_open(gpu);
	if (err)
		return err;
	s = stream_alloc(gpu, dom, entries);
	if (IS_ERR(s)) {
		pcounter_channel_close(gpu);
		return PTR_ERR(s);
	}
	err = pcounter_channel_bind(gpu);
	if (err) {
		pcounter_vm_unmap(&r->vm, dom * n, n);
		stream_free(gpu, dom, s);
		pcounter_channel_close(gpu);
		return err;
	}
	raw_spin_lock_irqsave(&gpu->lock, flags);
	r->stream[dom] = s;
	/* while this one was being made */
	if (r->lost)
		pcounter_stream_lost(gpu);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return 0;
}

/**
 * pcounter_record_open() - an event of record mode is opened
 * @gpu: the GPU
 * @dom: domain index
 *
 * The GPU is kept awake until the last of them is closed, but never woken.
 *
 * Return: 0; -EOPNOTSUPP without DMA; -EAGAIN if the GPU or the system sleeps;
 * -EBUSY if somebody else records; -EIO if the GPU cannot, or has forgotten what
 * others still have open; -ENODEV if it has left; -ENOMEM.
 */
int pcounter_record_open(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = gpu->record;
	int err;

	mutex_lock(&r->mutex);
	err = record_check(gpu);
	if (!err && !r->stream[dom])
		err = record_start(gpu, dom, pcounter_ring_entries(gpu));
	if (!err)
		r->refs[dom]++;
	mutex_unlock(&r->mutex);
	return err;
}

/* Wait for the last packet of a domain that records no more, or elsewhere. */
static void await_last_packet(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned int i, quiet = 0;
	u32 now, before = 0;

	for (i = 0; i < DRAIN_POLLS && quiet < DRAIN_QUIET; i++) {
		now = pcounter_channel_status(gpu, dom);
		quiet = now == before ? quiet + 1 : 0;
		before = now;
		usleep_range(DRAIN_POLL_US, 2 * DRAIN_POLL_US);
	}
}

static void record_halt(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	if (awake)
		pcounter_record_halt(gpu, dom);
	gpu->record->stream[dom]->running = false;
	pcounter_gpu_end(gpu, flags, awake);
}

static void record_stop(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = gpu->record;
	struct pcounter_stream *s = r->stream[dom];
	struct pcounter_ring *aux = s->aux;
	unsigned int n = pcounter_ring_entries(gpu);
	unsigned long flags;
	bool forgotten;

	record_halt(gpu, dom);
	await_last_packet(gpu, dom);
	raw_spin_lock_irqsave(&gpu->lock, flags);
	r->stream[dom] = NULL;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	/* samples are made of it with interrupts off, and without the lock */
	synchronize_rcu();
	pcounter_vm_unmap(&r->vm, dom * n, n);
	if (aux)
		pcounter_reader_unmap(gpu, dom, aux);
	forgotten = gpu->gone || pcounter_record_flush(gpu);
	if (aux)
		pcounter_reader_release(gpu, aux, forgotten);
	if (forgotten) {
		stream_free(gpu, dom, s);
	} else {
		kmemleak_not_leak(s);
		pcounter_record_keep(gpu);
	}
	pcounter_channel_close(gpu);
}

/**
 * pcounter_record_close() - an event of record mode has been closed
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_close(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = gpu->record;

	mutex_lock(&r->mutex);
	if (!--r->refs[dom] && r->stream[dom])
		record_stop(gpu, dom);
	mutex_unlock(&r->mutex);
}

/**
 * pcounter_record_lend() - let a domain record for something else than events
 * @gpu: the GPU, which is lent (pcounter_gpu_lend())
 * @dom: domain index
 * @share: in all of its part of a window, by one page table; else in the first
 *	512 MiB only
 * @ring: gets the memory
 *
 * Return: 0; -EBUSY if it records; and as pcounter_record_open().
 */
int pcounter_record_lend(struct pcounter_gpu *gpu, unsigned int dom, bool share,
			 const struct pcounter_ring **ring)
{
	struct pcounter_record *r = gpu->record;
	int err;

	mutex_lock(&r->mutex);
	err = record_check(gpu);
	if (!err && r->stream[dom])
		err = -EBUSY;
	if (!err && share && pcounter_record_params.own_tables)
		err = -EOPNOTSUPP;
	if (!err)
		err = record_start(gpu, dom, share ? pcounter_ring_entries(gpu) : 1);
	if (!err) {
		r->refs[dom]++;
		*ring = &r->stream[dom]->own;
	}
	mutex_unlock(&r->mutex);
	return err;
}

/**
 * pcounter_record_take() - take a domain and its memory back
 * @gpu: the GPU
 * @dom: domain index
 *
 * After a fault the domain is refused to events, as after one of theirs.
 */
void pcounter_record_take(struct pcounter_gpu *gpu, unsigned int dom)
{
	u32 status = pcounter_channel_status(gpu, dom);
	unsigned long flags;

	if (!pcounter_status_dead(status) && pcounter_status_fault(status)) {
		raw_spin_lock_irqsave(&gpu->lock, flags);
		gpu->record->wedged |= BIT(dom);
		raw_spin_unlock_irqrestore(&gpu->lock, flags);
	}
	pcounter_record_close(gpu, dom);
}

/* Take what has come, and stop. */
static void record_end(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned int i;
	unsigned long flags;
	bool awake, more = true;

	for (i = 0; more && i < END_ROUNDS; i++) {
		awake = pcounter_gpu_begin(gpu, &flags);
		more = awake && pcounter_record_end(gpu, dom);
		pcounter_gpu_end(gpu, flags, awake);
	}
	raw_spin_lock_irqsave(&gpu->lock, flags);
	pcounter_domain_fault(gpu, &gpu->dom[dom], PCOUNTER_FAULT_RECORD_LOST);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	record_stop(gpu, dom);
}

/**
 * pcounter_record_shut() - end all streams, free all memory
 * @gpu: the GPU; its registers can still be reached
 * @err: -ENODEV if it leaves, -EAGAIN if the system goes to sleep; with this
 *	events are refused from now on
 */
void pcounter_record_shut(struct pcounter_gpu *gpu, int err)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	mutex_lock(&r->mutex);
	r->closed = err;
	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++)
		if (r->stream[i])
			record_end(gpu, i);
	mutex_unlock(&r->mutex);
}

/**
 * pcounter_record_allow() - the system has woken: events may be opened again
 * @gpu: the GPU
 */
void pcounter_record_allow(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	mutex_lock(&r->mutex);
	r->closed = 0;
	mutex_unlock(&r->mutex);
}

/* ---- readers ---- */

static int attach(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring)
{
	struct pcounter_stream *s = gpu->record->stream[dom];
	unsigned long flags;
	int err;

	err = pcounter_reader_map(gpu, dom, ring);
	if (err)
		return err;
	if (!pcounter_record_flush(gpu)) {
		/* nothing has been written there, which the TLB could remember */
		pcounter_reader_unmap(gpu, dom, ring);
		return -EIO;
	}
	raw_spin_lock_irqsave(&gpu->lock, flags);
	s->aux = ring;
	s->divert = false;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return 0;
}

/**
 * pcounter_record_attach() - let a reader's pages be a domain's second ring
 * @gpu: the GPU
 * @dom: domain index; events of it are open
 * @pages: where the CPU sees the pages
 * @nr_pages: how many, a power of 2
 * @overwrite: old packets may be overwritten
 * @ring: the ring, for pcounter_record_detach()
 *
 * Return: 0; -EINVAL for a number that does not fit; -EBUSY if there is one; -EIO
 * if the GPU cannot; -EAGAIN, -ENODEV as pcounter_record_open(); -ENOMEM.
 */
int pcounter_record_attach(struct pcounter_gpu *gpu, unsigned int dom, void **pages,
			   unsigned int nr_pages, bool overwrite,
			   struct pcounter_ring **ring)
{
	struct pcounter_record *r = gpu->record;
	int err = 0;

	if (nr_pages < PCOUNTER_AUX_PAGES_MIN || nr_pages > PCOUNTER_VM_HALF)
		return -EINVAL;
	mutex_lock(&r->mutex);
	if (r->closed)
		err = r->closed;
	else if (!r->stream[dom] || READ_ONCE(r->lost) || r->stuck)
		err = -EIO;
	else if (r->stream[dom]->aux)
		err = -EBUSY;
	if (err)
		goto out;
	*ring = pcounter_reader_make(gpu, dom, pages, nr_pages);
	if (IS_ERR(*ring)) {
		err = PTR_ERR(*ring);
		goto out;
	}
	(*ring)->overwrite = overwrite;
	err = attach(gpu, dom, *ring);
	if (!err) {
		/* the stream stays as long as this */
		r->refs[dom]++;
		goto out;
	}
	pcounter_reader_release(gpu, *ring, true);
	pcounter_reader_free(*ring);
out:
	mutex_unlock(&r->mutex);
	return err;
}

/* Nothing is written there any more, except for what is on its way. */
static void leave(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring)
{
	struct pcounter_stream *s = gpu->record->stream[dom];
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	s->divert = false;
	if (s->running && s->ring == ring) {
		/* its events have not been told in time to go elsewhere */
		if (pcounter_domain_active(&gpu->dom[dom]))
			pcounter_domain_fault(gpu, &gpu->dom[dom], PCOUNTER_FAULT_RECORD_LOST);
		if (awake)
			pcounter_record_halt(gpu, dom);
		s->running = false;
	}
	s->ring = &s->own;
	s->aux = NULL;
	pcounter_gpu_end(gpu, flags, awake);
}

/**
 * pcounter_record_detach() - the reader goes
 * @gpu: the GPU
 * @dom: domain index
 * @ring: what pcounter_record_attach() has returned; is freed
 *
 * When it returns the GPU does not know the pages any more, or they are never
 * freed.
 */
void pcounter_record_detach(struct pcounter_gpu *gpu, unsigned int dom,
			    struct pcounter_ring *ring)
{
	struct pcounter_record *r = gpu->record;
	bool forgotten;

	mutex_lock(&r->mutex);
	/* the stream may have been shut in between */
	if (r->stream[dom] && r->stream[dom]->aux == ring) {
		leave(gpu, dom, ring);
		await_last_packet(gpu, dom);
		pcounter_reader_unmap(gpu, dom, ring);
		forgotten = pcounter_record_flush(gpu);
		pcounter_reader_release(gpu, ring, forgotten);
		if (!forgotten)
			pcounter_record_keep(gpu);
	}
	pcounter_reader_free(ring);
	mutex_unlock(&r->mutex);
	pcounter_record_close(gpu, dom);
}
