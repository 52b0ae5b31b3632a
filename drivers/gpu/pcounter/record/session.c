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
#include "hw/regs.h"
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
/* Whoever records makes a packet in this time; the slowest PERIODIC at 30 MHz does. */
#define STRANGER_US		2200

struct pcounter_record_params pcounter_record_params = {
	.ring_kb = 1024,
};

/* ---- rings ---- */

static void ring_free(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	kvfree(ring->page);
	kvfree(ring->dma);
	pcounter_dma_free(gpu->io->dev, &ring->mem);
}

static int ring_alloc(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	unsigned int kb = clamp(pcounter_record_params.ring_kb, RING_KB_MIN, RING_KB_MAX), i;
	size_t size = rounddown_pow_of_two(kb) * 1024UL;
	int err;

	ring->nr_pages = size / PCOUNTER_VM_PAGE;
	ring->page = kvcalloc(ring->nr_pages, sizeof(*ring->page), GFP_KERNEL);
	ring->dma = kvcalloc(ring->nr_pages, sizeof(*ring->dma), GFP_KERNEL);
	err = ring->page && ring->dma ? pcounter_dma_alloc(gpu->io->dev, &ring->mem, size) :
					-ENOMEM;
	if (err) {
		ring_free(gpu, ring);
		return err;
	}
	for (i = 0; i < ring->nr_pages; i++) {
		ring->page[i] = ring->mem.cpu + i * PCOUNTER_VM_PAGE;
		ring->dma[i] = ring->mem.dma + i * PCOUNTER_VM_PAGE;
	}
	/* here, and not with interrupts off when recording begins */
	memset(ring->mem.cpu, 0xff, size);
	ring->clean = true;
	return 0;
}

/* ---- streams ---- */

/**
 * pcounter_record_own_window() - has each domain a window of its own?
 * @gpu: the GPU
 *
 * Return: true if so, false if all have a share of one.
 */
bool pcounter_record_own_window(const struct pcounter_gpu *gpu)
{
	return gpu->gen->caps & PCOUNTER_CAP_RECORD_HIGH;
}

/**
 * pcounter_ring_place() - which addresses has a ring?
 * @gpu: the GPU
 * @dom: domain index
 * @ring: the ring; if it is a reader's, it is the second of the domain
 */
void pcounter_ring_place(const struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring)
{
	bool own = pcounter_record_own_window(gpu);

	ring->high = own ? dom + (ring->reader ? PCOUNTER_VM_WINDOWS : 0) : 0;
	/* the second half of a share is for the ring of a reader */
	ring->base = own ? 0 : dom << SHARE_SHIFT | (ring->reader ? BIT(SHARE_SHIFT - 1) : 0);
	ring->size = own ? WINDOW : BIT(SHARE_SHIFT - 1);
}

/* Entries of the page directory that a domain's part of a window takes. */
static unsigned int entries_of(const struct pcounter_gpu *gpu)
{
	return pcounter_record_own_window(gpu) ? PCOUNTER_VM_TABLES : 1;
}

static struct pcounter_stream *stream_alloc(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	unsigned int n = entries_of(gpu);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->ring = &s->own;
	pcounter_ring_place(gpu, dom, &s->own);
	err = ring_alloc(gpu, &s->own);
	if (err)
		goto err_free;
	err = pcounter_vm_map(&gpu->record.vm, dom * n, n,
			      !pcounter_record_params.own_tables, s->own.dma,
			      s->own.nr_pages);
	if (!err)
		return s;
	ring_free(gpu, &s->own);
err_free:
	kfree(s);
	return ERR_PTR(err);
}

static void stream_free(struct pcounter_gpu *gpu, unsigned int dom,
			struct pcounter_stream *s)
{
	unsigned int n = entries_of(gpu);

	pcounter_vm_free_tables(&gpu->record.vm, dom * n, n);
	ring_free(gpu, &s->own);
	kfree(s);
}

/* ---- the channel ---- */

static bool any_stream(const struct pcounter_record *r)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++)
		if (r->stream[i])
			return true;
	return false;
}

/* Is a domain that is not ours in record mode? */
static bool is_stranger(struct pcounter_gpu *gpu, unsigned int dom)
{
	u32 ctrl = PCOUNTER_DEAD;
	unsigned long flags;

	flags = pcounter_lock(&gpu->lock);
	if (!gpu->dom[dom].taken && pcounter_gpu_hold(gpu)) {
		ctrl = pcounter_rd32(gpu->io, NV40_CTRL(gpu->topo.dom[dom].block));
		pcounter_gpu_drop(gpu);
	}
	pcounter_unlock(&gpu->lock, flags);
	gpu->record.stranger_ctrl[dom] = ctrl & NV40_CTRL_CONFIG;
	return ctrl != PCOUNTER_DEAD && (ctrl & NV40_CTRL_MODE) == NV40_CTRL_MODE_RECORD;
}

/* Unless it has become ours meanwhile. */
static void stranger_write(struct pcounter_gpu *gpu, unsigned int dom, u32 ctrl)
{
	unsigned long flags;

	flags = pcounter_lock(&gpu->lock);
	if (!gpu->dom[dom].taken && pcounter_gpu_hold(gpu)) {
		pcounter_wr32(gpu->io, NV40_CTRL(gpu->topo.dom[dom].block), ctrl);
		pcounter_gpu_drop(gpu);
	}
	pcounter_unlock(&gpu->lock, flags);
}

static u32 position_of(struct pcounter_gpu *gpu, unsigned int dom)
{
	return pcounter_record_rd32(gpu, NV40_RECORD_STATUS(gpu->topo.dom[dom].block));
}

/*
 * A former user may have left domains in record mode. They must not write
 * through our channel; but where the position moves somebody is using them.
 */
static int halt_strangers(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	u32 strangers = 0, before[PCOUNTER_VM_WINDOWS];
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		if (is_stranger(gpu, i))
			strangers |= BIT(i);
	if (!strangers)
		return 0;
	for (i = 0; i < gpu->topo.nr; i++)
		before[i] = position_of(gpu, i);
	usleep_range(STRANGER_US, 2 * STRANGER_US);
	for (i = 0; i < gpu->topo.nr; i++)
		if (strangers & BIT(i) && position_of(gpu, i) != before[i])
			return -EBUSY;
	for (i = 0; i < gpu->topo.nr; i++)
		if (strangers & BIT(i))
			stranger_write(gpu, i, (r->stranger_ctrl[i] & ~NV40_CTRL_MODE) |
					       NV40_CTRL_MODE_QUAD);
	r->strangers = strangers;
	return 0;
}

/* RECORD_RESET holds the counters of all domains at 0. */
static bool hold_in_reset(struct pcounter_gpu *gpu, bool set)
{
	u32 gctrl = pcounter_rd32(gpu->io, NV40_GCTRL);
	bool was = gctrl & NV40_GCTRL_RECORD_RESET;

	if (gctrl == PCOUNTER_DEAD)
		return set;
	if (was != set)
		pcounter_wr32(gpu->io, NV40_GCTRL, gctrl ^ NV40_GCTRL_RECORD_RESET);
	return was;
}

static bool record_reset(struct pcounter_gpu *gpu, bool set)
{
	unsigned long flags;
	bool was = set;

	flags = pcounter_lock(&gpu->lock);
	if (pcounter_gpu_hold(gpu)) {
		was = hold_in_reset(gpu, set);
		pcounter_gpu_drop(gpu);
	}
	pcounter_unlock(&gpu->lock, flags);
	return was;
}

static void restore_strangers(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		if (r->strangers & BIT(i))
			stranger_write(gpu, i, r->stranger_ctrl[i]);
	r->strangers = 0;
}

/* A GPU that falls asleep forgets the channel, and all that it is writing. */
static int keep_awake(struct pcounter_gpu *gpu, bool awake)
{
	return gpu->io->ops->keep ? gpu->io->ops->keep(gpu->io, awake) : 0;
}

static int channel_open(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	u32 pd_offset;
	int err;

	if (r->bound)
		return 0;
	r->budget_ns = pcounter_io_dark_ns(gpu->io);
	err = keep_awake(gpu, true);
	if (err)
		return err;
	err = halt_strangers(gpu);
	if (err)
		goto err_sleep;
	err = gpu->io->ops->dma(gpu->io, true);
	if (err)
		goto err_restore;
	pd_offset = pcounter_record_rd32(gpu, G84_VM_PD_OFFSET);
	err = pcounter_is_dead(pd_offset) ? -EIO :
	      pcounter_vm_init(&r->vm, gpu->io->dev, pd_offset);
	if (err)
		goto err_dma;
	err = pcounter_instmem_borrow(gpu);
	if (!err)
		return 0;
	pcounter_vm_free(&r->vm);
err_dma:
	gpu->io->ops->dma(gpu->io, false);
err_restore:
	restore_strangers(gpu);
err_sleep:
	keep_awake(gpu, false);
	return err;
}

static int channel_bind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned long flags;

	if (!pcounter_record_flush(gpu))
		return -EIO;
	if (r->bound)
		return 0;
	flags = pcounter_lock(&gpu->lock);
	if (pcounter_gpu_hold(gpu)) {
		gpu->gen->ops->record_load(gpu->gen, gpu->io, &r->chan_found,
					   &r->dma_found);
		gpu->gen->ops->record_bind(gpu->gen, gpu->io,
					   pcounter_vm_descriptor(&r->vm),
					   pcounter_vm_selector(&r->vm));
		r->bound = true;
		pcounter_gpu_drop(gpu);
	}
	pcounter_unlock(&gpu->lock, flags);
	if (!r->bound)
		return -EIO;
	r->held = record_reset(gpu, false);
	return 0;
}

/* Selector 0 is an object through which nothing can be written. */
static void channel_unbind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned long flags;

	flags = pcounter_lock(&gpu->lock);
	if (r->bound && pcounter_gpu_hold(gpu)) {
		gpu->gen->ops->record_bind(gpu->gen, gpu->io,
					   pcounter_vm_descriptor(&r->vm), 0);
		gpu->gen->ops->record_unbind(gpu->gen, gpu->io, r->chan_found,
					     r->dma_found);
		/* writes are posted: when a read comes back they have arrived */
		pcounter_rd32(gpu->io, NV40_RECORD_CHAN);
		pcounter_gpu_drop(gpu);
	}
	r->bound = false;
	/* nothing of what was there before us has survived */
	if (r->lost) {
		pcounter_instmem_forget(gpu);
		r->held = false;
		r->strangers = 0;
	}
	r->lost = false;
	pcounter_unlock(&gpu->lock, flags);
}

static void channel_close(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;

	if (any_stream(r))
		return;
	if (!r->stuck) {
		channel_unbind(gpu);
		pcounter_instmem_give_back(gpu);
		pcounter_vm_free(&r->vm);
		gpu->io->ops->dma(gpu->io, false);
		if (r->held)
			record_reset(gpu, true);
		restore_strangers(gpu);
	}
	keep_awake(gpu, false);
}

/* ---- opening and closing ---- */

static int record_start(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = &gpu->record;
	struct pcounter_stream *s;
	unsigned long flags;
	int err;

	if (r->stuck || r->wedged & BIT(dom))
		return -EIO;
	err = channel_open(gpu);
	if (err)
		return err;
	s = stream_alloc(gpu, dom);
	if (IS_ERR(s)) {
		channel_close(gpu);
		return PTR_ERR(s);
	}
	err = channel_bind(gpu);
	if (err) {
		pcounter_vm_unmap(&r->vm, dom * entries_of(gpu), entries_of(gpu));
		stream_free(gpu, dom, s);
		channel_close(gpu);
		return err;
	}
	flags = pcounter_lock(&gpu->lock);
	r->stream[dom] = s;
	/* while this one was being made */
	if (r->lost)
		pcounter_record_lost(gpu);
	pcounter_unlock(&gpu->lock, flags);
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
	struct pcounter_record *r = &gpu->record;
	int err = 0;

	mutex_lock(&r->mutex);
	/* @io is not there any more when the GPU has left */
	if (r->closed)
		err = r->closed;
	else if (!gpu->io->ops->dma)
		err = -EOPNOTSUPP;
	else if (READ_ONCE(r->lost))
		err = -EIO;
	else if (!r->stream[dom])
		err = record_start(gpu, dom);
	if (!err)
		r->refs[dom]++;
	mutex_unlock(&r->mutex);
	return err;
}

/* Out of record mode, whatever the registers hold meanwhile. */
static void record_mode_off(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned int block = gpu->topo.dom[dom].block;
	struct pcounter_domain *d = &gpu->dom[dom];
	u32 ctrl;

	ctrl = pcounter_rd32(gpu->io, NV40_CTRL(block));
	if (ctrl == PCOUNTER_DEAD || (ctrl & NV40_CTRL_MODE) != NV40_CTRL_MODE_RECORD)
		return;
	ctrl &= NV40_CTRL_CONFIG & ~NV40_CTRL_MODE;
	ctrl |= NV40_CTRL_MODE_QUAD;
	pcounter_wr32(gpu->io, NV40_CTRL(block), ctrl);
	if (d->taken)
		d->hw.ctrl = ctrl;
	memset(&d->plan, 0, sizeof(d->plan));
}

/**
 * pcounter_record_rest() - nobody counts: nothing is written any more
 * @gpu: the GPU, held; its lock as well
 * @dom: domain index
 */
void pcounter_record_rest(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = gpu->record.stream[dom];

	if (!s || !s->running || s->divert)
		return;
	pcounter_record_leave(gpu, dom);
	record_mode_off(gpu, dom);
}

static void record_halt(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned long flags;

	flags = pcounter_lock(&gpu->lock);
	if (pcounter_gpu_hold(gpu)) {
		pcounter_record_leave(gpu, dom);
		record_mode_off(gpu, dom);
		pcounter_gpu_drop(gpu);
	}
	gpu->record.stream[dom]->running = false;
	pcounter_unlock(&gpu->lock, flags);
}

/**
 * pcounter_record_settle_down() - wait for the last packet
 * @gpu: the GPU
 * @dom: domain index, which records no more, or elsewhere
 */
void pcounter_record_settle_down(struct pcounter_gpu *gpu, unsigned int dom)
{
	u32 addr = NV40_RECORD_STATUS(gpu->topo.dom[dom].block), now, before = 0;
	unsigned int i, quiet = 0;

	for (i = 0; i < DRAIN_POLLS && quiet < DRAIN_QUIET; i++) {
		now = pcounter_record_rd32(gpu, addr);
		quiet = now == before ? quiet + 1 : 0;
		before = now;
		usleep_range(DRAIN_POLL_US, 2 * DRAIN_POLL_US);
	}
}

static void record_stop(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = &gpu->record;
	struct pcounter_stream *s = r->stream[dom];
	struct pcounter_ring *aux = s->aux;
	unsigned int n = entries_of(gpu);
	unsigned long flags;
	bool forgotten;

	record_halt(gpu, dom);
	pcounter_record_settle_down(gpu, dom);
	flags = pcounter_lock(&gpu->lock);
	r->stream[dom] = NULL;
	pcounter_unlock(&gpu->lock, flags);
	/* samples are made of it with interrupts off, and without the lock */
	synchronize_rcu();
	pcounter_vm_unmap(&r->vm, dom * n, n);
	if (aux)
		pcounter_aux_unmap(gpu, dom, aux);
	forgotten = gpu->gone || pcounter_record_flush(gpu);
	if (aux)
		pcounter_aux_release(gpu, aux, forgotten);
	if (forgotten) {
		stream_free(gpu, dom, s);
	} else {
		kmemleak_not_leak(s);
		pcounter_record_keep(gpu);
	}
	channel_close(gpu);
}

/**
 * pcounter_record_close() - an event of record mode has been closed
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_close(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = &gpu->record;

	mutex_lock(&r->mutex);
	if (!--r->refs[dom] && r->stream[dom])
		record_stop(gpu, dom);
	mutex_unlock(&r->mutex);
}

/* Take what has come, and stop. */
static void record_end(struct pcounter_gpu *gpu, unsigned int dom,
		       enum pcounter_fault fault)
{
	unsigned int i;
	unsigned long flags;
	bool more = true;

	for (i = 0; more && i < END_ROUNDS; i++) {
		more = false;
		flags = pcounter_lock(&gpu->lock);
		if (pcounter_gpu_hold(gpu)) {
			more = pcounter_record_end(gpu, dom);
			pcounter_gpu_drop(gpu);
		}
		pcounter_unlock(&gpu->lock, flags);
	}
	flags = pcounter_lock(&gpu->lock);
	pcounter_domain_fault(&gpu->dom[dom], fault);
	pcounter_unlock(&gpu->lock, flags);
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
	enum pcounter_fault fault = err == -ENODEV ? PCOUNTER_FAULT_DEAD :
						     PCOUNTER_FAULT_RECORD_LOST;
	struct pcounter_record *r = &gpu->record;
	unsigned int i;

	mutex_lock(&r->mutex);
	r->closed = err;
	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++)
		if (r->stream[i])
			record_end(gpu, i, fault);
	mutex_unlock(&r->mutex);
}

/**
 * pcounter_record_allow() - the system has woken: events may be opened again
 * @gpu: the GPU
 */
void pcounter_record_allow(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;

	mutex_lock(&r->mutex);
	r->closed = 0;
	mutex_unlock(&r->mutex);
}
