// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of readers: pages that user space has mapped, into which the GPU writes
 * by itself. Each domain has a place for one beside the driver's own ring, so
 * that it can be put there and taken away while others are counting.
 */
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "record/record.h"

/* ---- pages ---- */

static void unmap_pages(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->nr_pages; i++)
		dma_unmap_page(gpu->io->dev, ring->dma[i], PCOUNTER_VM_PAGE,
			       DMA_BIDIRECTIONAL);
	ring->nr_pages = 0;
}

static int map_pages(struct pcounter_gpu *gpu, struct pcounter_ring *ring, void **pages,
		     unsigned int nr_pages)
{
	struct device *dev = gpu->io->dev;
	unsigned int i;

	for (i = 0; i < nr_pages; i++) {
		/* all at once would take too long with interrupts off */
		memset(pages[i], 0xff, PCOUNTER_VM_PAGE);
		cond_resched();
		ring->page[i] = pages[i];
		ring->dma[i] = dma_map_page(dev, virt_to_page(pages[i]), 0,
					    PCOUNTER_VM_PAGE, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(dev, ring->dma[i])) {
			unmap_pages(gpu, ring);
			return -ENOMEM;
		}
		ring->sync |= dma_need_sync(dev, ring->dma[i]);
		ring->nr_pages = i + 1;
	}
	ring->clean = true;
	return 0;
}

static void ring_free(struct pcounter_ring *ring)
{
	kvfree(ring->page);
	kvfree(ring->dma);
	kfree(ring);
}

static struct pcounter_ring *ring_make(struct pcounter_gpu *gpu, unsigned int dom,
				       void **pages, unsigned int nr_pages)
{
	struct pcounter_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	int err = -ENOMEM;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->reader = true;
	pcounter_ring_place(gpu, dom, ring);
	ring->dev = gpu->io->dev;
	ring->page = kvcalloc(nr_pages, sizeof(*ring->page), GFP_KERNEL);
	ring->dma = kvcalloc(nr_pages, sizeof(*ring->dma), GFP_KERNEL);
	if (ring->page && ring->dma)
		err = map_pages(gpu, ring, pages, nr_pages);
	if (!err)
		return ring;
	ring_free(ring);
	return ERR_PTR(err);
}

/* ---- the address space ---- */

static unsigned int aux_entry(unsigned int dom)
{
	return (PCOUNTER_VM_WINDOWS + dom) * PCOUNTER_VM_TABLES;
}

static int place(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring)
{
	struct pcounter_vm *vm = &gpu->record.vm;

	if (pcounter_record_own_window(gpu))
		return pcounter_vm_map(vm, aux_entry(dom), PCOUNTER_VM_TABLES,
				       !pcounter_record_params.own_tables, ring->dma,
				       ring->nr_pages);
	return pcounter_vm_map_half(vm, dom, ring->dma, ring->nr_pages);
}

/**
 * pcounter_aux_unmap() - take a ring out of the GPU's address space
 * @gpu: the GPU
 * @dom: domain index
 * @ring: a reader's
 *
 * Takes effect at the next TLB flush; until then all memory must stay.
 */
void pcounter_aux_unmap(struct pcounter_gpu *gpu, unsigned int dom,
			struct pcounter_ring *ring)
{
	if (pcounter_record_own_window(gpu))
		pcounter_vm_unmap(&gpu->record.vm, aux_entry(dom), PCOUNTER_VM_TABLES);
	else
		pcounter_vm_unmap_half(&gpu->record.vm, dom);
}

/**
 * pcounter_aux_release() - give pages back
 * @gpu: the GPU
 * @ring: a reader's, out of the address space
 * @forgotten: the TLB has been flushed; else nobody else may ever get the pages
 */
void pcounter_aux_release(struct pcounter_gpu *gpu, struct pcounter_ring *ring,
			  bool forgotten)
{
	unsigned int i;

	if (forgotten) {
		unmap_pages(gpu, ring);
		return;
	}
	for (i = 0; i < ring->nr_pages; i++)
		get_page(virt_to_page(ring->page[i]));
	ring->nr_pages = 0;
}

/* ---- coming and going ---- */

static int attach(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring)
{
	struct pcounter_stream *s = gpu->record.stream[dom];
	unsigned long flags;
	int err;

	err = place(gpu, dom, ring);
	if (err)
		return err;
	if (!pcounter_record_flush(gpu)) {
		/* nothing has been written there, which the TLB could remember */
		pcounter_aux_unmap(gpu, dom, ring);
		return -EIO;
	}
	flags = pcounter_lock(&gpu->lock);
	s->aux = ring;
	s->divert = false;
	pcounter_unlock(&gpu->lock, flags);
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
	struct pcounter_record *r = &gpu->record;
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
	*ring = ring_make(gpu, dom, pages, nr_pages);
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
	unmap_pages(gpu, *ring);
	ring_free(*ring);
out:
	mutex_unlock(&r->mutex);
	return err;
}

/* Nothing is written there any more, except for what is on its way. */
static void leave(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring)
{
	struct pcounter_stream *s = gpu->record.stream[dom];
	unsigned long flags;

	flags = pcounter_lock(&gpu->lock);
	s->divert = false;
	if (s->running && s->ring == ring) {
		/* who counted has not been told in time to go elsewhere */
		if (pcounter_domain_active(&gpu->dom[dom]))
			pcounter_domain_fault(&gpu->dom[dom], PCOUNTER_FAULT_RECORD_LOST);
		if (pcounter_gpu_hold(gpu)) {
			pcounter_record_rest(gpu, dom);
			pcounter_gpu_drop(gpu);
		}
		s->running = false;
	}
	s->ring = &s->own;
	s->aux = NULL;
	pcounter_unlock(&gpu->lock, flags);
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
	struct pcounter_record *r = &gpu->record;
	bool forgotten;

	mutex_lock(&r->mutex);
	/* the stream may have been shut in between */
	if (r->stream[dom] && r->stream[dom]->aux == ring) {
		leave(gpu, dom, ring);
		pcounter_record_settle_down(gpu, dom);
		pcounter_aux_unmap(gpu, dom, ring);
		forgotten = pcounter_record_flush(gpu);
		pcounter_aux_release(gpu, ring, forgotten);
		if (!forgotten)
			pcounter_record_keep(gpu);
	}
	ring_free(ring);
	mutex_unlock(&r->mutex);
	pcounter_record_close(gpu, dom);
}
