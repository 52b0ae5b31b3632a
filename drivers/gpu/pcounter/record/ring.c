// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings, and where the GPU sees them: memory of the driver's own, and pages of
 * readers that user space has mapped, into which the GPU writes by itself. Each
 * domain has a place for one of these beside the driver's ring, so that it can be
 * put there and taken away while others are counting.
 */
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "params.h"
#include "record/record.h"

#define RING_KB_MIN		64U
#define RING_KB_MAX		4096U
#define WINDOW			BIT_ULL(32)
#define SHARE_SHIFT		29	/* of a window that all domains share: one entry each */

/* ---- the driver's ---- */

/**
 * pcounter_ring_free() - free the memory of a ring of the driver's
 * @gpu: the GPU
 * @ring: the ring
 */
void pcounter_ring_free(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	kvfree(ring->page);
	kvfree(ring->dma);
	pcounter_dma_free(gpu->io->dev, &ring->mem);
}

/**
 * pcounter_ring_alloc() - get memory for a ring of the driver's
 * @gpu: the GPU
 * @ring: the ring; all of it is empty then
 *
 * Return: 0 or a negative errno.
 */
int pcounter_ring_alloc(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
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
		pcounter_ring_free(gpu, ring);
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

/* Has each domain a window of its own, or all a share of one? */
static bool own_window(const struct pcounter_gpu *gpu)
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
	bool own = own_window(gpu);

	ring->high = own ? dom + (ring->reader ? PCOUNTER_VM_WINDOWS : 0) : 0;
	/* the second half of a share is for the ring of a reader */
	ring->base = own ? 0 : dom << SHARE_SHIFT | (ring->reader ? BIT(SHARE_SHIFT - 1) : 0);
	ring->size = own ? WINDOW : BIT(SHARE_SHIFT - 1);
}

/**
 * pcounter_ring_entries() - entries of the page directory that a domain has
 * @gpu: the GPU
 *
 * Return: how many there are of its part of a window.
 */
unsigned int pcounter_ring_entries(const struct pcounter_gpu *gpu)
{
	return own_window(gpu) ? PCOUNTER_VM_TABLES : 1;
}

/* ---- readers' pages ---- */

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

/**
 * pcounter_reader_free() - free what the driver keeps of a reader's ring
 * @ring: the ring
 */
void pcounter_reader_free(struct pcounter_ring *ring)
{
	kvfree(ring->page);
	kvfree(ring->dma);
	kfree(ring);
}

/**
 * pcounter_reader_make() - let a reader's pages be a ring
 * @gpu: the GPU
 * @dom: domain index
 * @pages: where the CPU sees the pages
 * @nr_pages: how many, a power of 2
 *
 * Return: the ring, which the GPU does not know yet, or an ERR_PTR().
 */
struct pcounter_ring *pcounter_reader_make(struct pcounter_gpu *gpu, unsigned int dom,
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
	pcounter_reader_free(ring);
	return ERR_PTR(err);
}

/* ---- readers' addresses ---- */

static unsigned int aux_entry(unsigned int dom)
{
	return (PCOUNTER_VM_WINDOWS + dom) * PCOUNTER_VM_TABLES;
}

/**
 * pcounter_reader_map() - put a ring into the GPU's address space
 * @gpu: the GPU
 * @dom: domain index
 * @ring: a reader's
 *
 * Return: 0 or a negative errno.
 */
int pcounter_reader_map(struct pcounter_gpu *gpu, unsigned int dom,
			struct pcounter_ring *ring)
{
	struct pcounter_vm *vm = &gpu->record->vm;

	if (own_window(gpu))
		return pcounter_vm_map(vm, aux_entry(dom), PCOUNTER_VM_TABLES,
				       !pcounter_record_params.own_tables, ring->dma,
				       ring->nr_pages);
	return pcounter_vm_map_half(vm, dom, ring->dma, ring->nr_pages);
}

/**
 * pcounter_reader_unmap() - take a ring out of the GPU's address space
 * @gpu: the GPU
 * @dom: domain index
 * @ring: a reader's
 *
 * Takes effect at the next TLB flush; until then all memory must stay.
 */
void pcounter_reader_unmap(struct pcounter_gpu *gpu, unsigned int dom,
			   struct pcounter_ring *ring)
{
	if (own_window(gpu))
		pcounter_vm_unmap(&gpu->record->vm, aux_entry(dom), PCOUNTER_VM_TABLES);
	else
		pcounter_vm_unmap_half(&gpu->record->vm, dom);
}

/**
 * pcounter_reader_release() - give pages back
 * @gpu: the GPU
 * @ring: a reader's, out of the address space
 * @forgotten: the TLB has been flushed; else nobody else may ever get the pages
 */
void pcounter_reader_release(struct pcounter_gpu *gpu, struct pcounter_ring *ring,
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
