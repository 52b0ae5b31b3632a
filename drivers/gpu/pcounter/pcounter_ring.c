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
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pcounter_domain.h"
#include "pcounter_io.h"
#include "pcounter_record.h"
#include "pcounter_regs.h"

#define RING_KB_MIN		64U
#define RING_KB_MAX		4096U
#define WINDOW			BIT_ULL(32)
#define SHARE_SHIFT		29	/* of a window that all domains share: one entry each */

/* hw/ambiguities.md 26: a flush may take a while, or for ever */
#define FLUSH_POLLS		200
#define FLUSH_POLL_US		50
/* No register tells that nothing is on its way: the position stands still. */
#define DRAIN_POLLS		50
#define DRAIN_POLL_US		200
#define DRAIN_QUIET		5
/* Whoever records makes a packet in this time; the slowest PERIODIC at 30 MHz does. */
#define STRANGER_US		2200

struct pcounter_record_params pcounter_record_params = {
	.ring_kb = 1024,
};

static u32 locked_rd32(struct pcounter_gpu *gpu, u32 addr)
{
	unsigned long flags;
	u32 val = PCOUNTER_DEAD;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (!gpu->gone)
		val = pcounter_rd32(gpu->io, addr);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return val;
}

static void locked_wr32(struct pcounter_gpu *gpu, u32 addr, u32 val)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (!gpu->gone)
		pcounter_wr32(gpu->io, addr, val);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

static bool flush_done(struct pcounter_gpu *gpu)
{
	unsigned int i;
	u32 val;

	for (i = 0; i < FLUSH_POLLS; i++) {
		val = locked_rd32(gpu, G80_VM_FLUSH);
		if (val == PCOUNTER_DEAD)
			return false;
		if (!(val & G80_VM_FLUSH_BUSY))
			return true;
		usleep_range(FLUSH_POLL_US, 2 * FLUSH_POLL_US);
	}
	return false;
}

/*
 * The graphics driver flushes by the same register, with a lock that we cannot
 * take, and one of two flushes at once may be lost: do it twice.
 */
static bool flush_tlb(struct pcounter_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!flush_done(gpu))
			return false;
		locked_wr32(gpu, G80_VM_FLUSH, G80_VM_FLUSH_PCOUNTER);
	}
	return flush_done(gpu);
}

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
	return 0;
}

/* ---- streams ---- */

static bool own_window(const struct pcounter_gpu *gpu)
{
	return gpu->gen->caps & PCOUNTER_CAP_RECORD_HIGH;
}

/* Entries of the page directory that a domain's part of a window takes. */
static unsigned int entries_of(const struct pcounter_gpu *gpu)
{
	return own_window(gpu) ? PCOUNTER_VM_TABLES : 1;
}

static struct pcounter_stream *stream_alloc(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	unsigned int n = entries_of(gpu);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->high = own_window(gpu) ? dom : 0;
	s->base = own_window(gpu) ? 0 : dom << SHARE_SHIFT;
	s->size = own_window(gpu) ? WINDOW : BIT(SHARE_SHIFT);
	err = ring_alloc(gpu, &s->ring);
	if (err)
		goto err_free;
	err = pcounter_vm_map(&gpu->record.vm, dom * n, n,
			      !pcounter_record_params.own_tables, s->ring.dma,
			      s->ring.nr_pages);
	if (!err)
		return s;
	ring_free(gpu, &s->ring);
err_free:
	kfree(s);
	return ERR_PTR(err);
}

static void stream_free(struct pcounter_gpu *gpu, unsigned int dom,
			struct pcounter_stream *s)
{
	unsigned int n = entries_of(gpu);

	pcounter_vm_free_tables(&gpu->record.vm, dom * n, n);
	ring_free(gpu, &s->ring);
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

/* Which domains that are not ours are in record mode? */
static u32 find_strangers(struct pcounter_gpu *gpu)
{
	u32 found = 0, ctrl;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++) {
		ctrl = locked_rd32(gpu, NV40_CTRL(gpu->topo.dom[i].block));
		if (ctrl != PCOUNTER_DEAD && !gpu->dom[i].taken &&
		    (ctrl & NV40_CTRL_MODE) == NV40_CTRL_MODE_RECORD)
			found |= BIT(i);
		gpu->record.stranger_ctrl[i] = ctrl & NV40_CTRL_CONFIG;
	}
	return found;
}

static u32 position_of(struct pcounter_gpu *gpu, unsigned int dom)
{
	return locked_rd32(gpu, NV40_RECORD_STATUS(gpu->topo.dom[dom].block));
}

/*
 * A former user may have left domains in record mode. They must not write
 * through our channel; but where the position moves somebody is using them.
 */
static int halt_strangers(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	u32 strangers = find_strangers(gpu), before[PCOUNTER_VM_WINDOWS], ctrl;
	unsigned int i;

	if (!strangers)
		return 0;
	for (i = 0; i < gpu->topo.nr; i++)
		before[i] = position_of(gpu, i);
	usleep_range(STRANGER_US, 2 * STRANGER_US);
	for (i = 0; i < gpu->topo.nr; i++)
		if (strangers & BIT(i) && position_of(gpu, i) != before[i])
			return -EBUSY;
	for (i = 0; i < gpu->topo.nr; i++) {
		if (!(strangers & BIT(i)))
			continue;
		ctrl = r->stranger_ctrl[i] & ~NV40_CTRL_MODE;
		locked_wr32(gpu, NV40_CTRL(gpu->topo.dom[i].block),
			    ctrl | NV40_CTRL_MODE_QUAD);
	}
	r->strangers = strangers;
	return 0;
}

/* RECORD_RESET holds the counters of all domains at 0. */
static bool record_reset(struct pcounter_gpu *gpu, bool set)
{
	unsigned long flags;
	bool was = set;
	u32 gctrl;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	gctrl = gpu->gone ? PCOUNTER_DEAD : pcounter_rd32(gpu->io, NV40_GCTRL);
	if (gctrl != PCOUNTER_DEAD) {
		was = gctrl & NV40_GCTRL_RECORD_RESET;
		if (was != set)
			pcounter_wr32(gpu->io, NV40_GCTRL, gctrl ^ NV40_GCTRL_RECORD_RESET);
	}
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return was;
}

static void restore_strangers(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		if (r->strangers & BIT(i) && !gpu->dom[i].taken)
			locked_wr32(gpu, NV40_CTRL(gpu->topo.dom[i].block),
				    r->stranger_ctrl[i]);
	r->strangers = 0;
}

static int channel_open(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	u32 pd_offset;
	int err;

	if (r->bound)
		return 0;
	err = halt_strangers(gpu);
	if (err)
		return err;
	err = gpu->io->ops->dma(gpu->io, true);
	if (err) {
		restore_strangers(gpu);
		return err;
	}
	pd_offset = locked_rd32(gpu, G84_VM_PD_OFFSET);
	err = pcounter_is_dead(pd_offset) ? -EIO :
	      pcounter_vm_init(&r->vm, gpu->io->dev, pd_offset);
	if (err) {
		gpu->io->ops->dma(gpu->io, false);
		restore_strangers(gpu);
	}
	return err;
}

static int channel_bind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned long flags;

	if (!flush_tlb(gpu))
		return -EIO;
	if (r->bound)
		return 0;
	raw_spin_lock_irqsave(&gpu->lock, flags);
	gpu->gen->ops->record_load(gpu->gen, gpu->io, &r->chan_found, &r->dma_found);
	gpu->gen->ops->record_bind(gpu->gen, gpu->io, pcounter_vm_descriptor(&r->vm),
				   pcounter_vm_selector(&r->vm));
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	r->bound = true;
	r->held = record_reset(gpu, false);
	return 0;
}

/* Selector 0 is an object through which nothing can be written. */
static void channel_close(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned long flags;

	if (any_stream(r) || r->stuck)
		return;
	if (r->bound && !gpu->gone) {
		raw_spin_lock_irqsave(&gpu->lock, flags);
		gpu->gen->ops->record_bind(gpu->gen, gpu->io,
					   pcounter_vm_descriptor(&r->vm), 0);
		gpu->gen->ops->record_unbind(gpu->gen, gpu->io, r->chan_found,
					     r->dma_found);
		raw_spin_unlock_irqrestore(&gpu->lock, flags);
	}
	r->bound = false;
	pcounter_vm_free(&r->vm);
	gpu->io->ops->dma(gpu->io, false);
	if (r->held)
		record_reset(gpu, true);
	restore_strangers(gpu);
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
	raw_spin_lock_irqsave(&gpu->lock, flags);
	r->stream[dom] = s;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return 0;
}

/**
 * pcounter_record_open() - an event of record mode is opened
 * @gpu: the GPU
 * @dom: domain index
 *
 * Return: 0; -EOPNOTSUPP without DMA; -EBUSY if somebody else records; -EIO if
 * the GPU cannot; -ENOMEM.
 */
int pcounter_record_open(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = &gpu->record;
	int err = 0;

	if (!gpu->io->ops->dma)
		return -EOPNOTSUPP;
	mutex_lock(&r->mutex);
	if (r->closed)
		err = -ENODEV;
	else if (!r->refs[dom])
		err = record_start(gpu, dom);
	if (!err)
		r->refs[dom]++;
	mutex_unlock(&r->mutex);
	return err;
}

/* Out of record mode, whatever the registers hold meanwhile. */
static void record_halt(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned int block = gpu->topo.dom[dom].block;
	struct pcounter_domain *d = &gpu->dom[dom];
	unsigned long flags;
	u32 ctrl;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	pcounter_record_leave(gpu, dom);
	ctrl = gpu->gone ? PCOUNTER_DEAD : pcounter_rd32(gpu->io, NV40_CTRL(block));
	if (ctrl != PCOUNTER_DEAD && (ctrl & NV40_CTRL_MODE) == NV40_CTRL_MODE_RECORD) {
		ctrl &= NV40_CTRL_CONFIG & ~NV40_CTRL_MODE;
		ctrl |= NV40_CTRL_MODE_QUAD;
		pcounter_wr32(gpu->io, NV40_CTRL(block), ctrl);
		if (d->taken)
			d->hw.ctrl = ctrl;
		memset(&d->plan, 0, sizeof(d->plan));
	}
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

static void wait_for_last_packet(struct pcounter_gpu *gpu, unsigned int dom)
{
	u32 addr = NV40_RECORD_STATUS(gpu->topo.dom[dom].block), now, before = 0;
	unsigned int i, quiet = 0;

	for (i = 0; i < DRAIN_POLLS && quiet < DRAIN_QUIET; i++) {
		now = locked_rd32(gpu, addr);
		quiet = now == before ? quiet + 1 : 0;
		before = now;
		usleep_range(DRAIN_POLL_US, 2 * DRAIN_POLL_US);
	}
}

static void record_stop(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_record *r = &gpu->record;
	struct pcounter_stream *s = r->stream[dom];
	unsigned int n = entries_of(gpu);
	unsigned long flags;

	record_halt(gpu, dom);
	wait_for_last_packet(gpu, dom);
	raw_spin_lock_irqsave(&gpu->lock, flags);
	r->stream[dom] = NULL;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	pcounter_vm_unmap(&r->vm, dom * n, n);
	/* memory that the GPU may still write to is lost rather than freed */
	if (!gpu->gone && !flush_tlb(gpu)) {
		r->stuck = true;
		return;
	}
	stream_free(gpu, dom, s);
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

/**
 * pcounter_record_shut() - the GPU leaves: end all streams, free all memory
 * @gpu: the GPU; its registers can still be reached
 */
void pcounter_record_shut(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = &gpu->record;
	unsigned long flags;
	unsigned int i;

	mutex_lock(&r->mutex);
	r->closed = true;
	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++) {
		if (!r->stream[i])
			continue;
		raw_spin_lock_irqsave(&gpu->lock, flags);
		pcounter_record_take_in(gpu, i);
		pcounter_domain_fault(&gpu->dom[i], PCOUNTER_FAULT_DEAD);
		raw_spin_unlock_irqrestore(&gpu->lock, flags);
		record_stop(gpu, i);
	}
	mutex_unlock(&r->mutex);
}
