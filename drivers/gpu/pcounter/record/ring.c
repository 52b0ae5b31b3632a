// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings, and where the GPU sees them: memory of the driver, and pages that user space has
 * mapped, into which the GPU writes by itself. Each domain has addresses for one ring of
 * either kind, so that a reader can come and go while others are counting.
 */
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "record/record.h"
#include "record/ring.h"

#define WINDOW			BIT_ULL(32)
#define SHARE_SHIFT		29	/* of a window that all domains share: one entry each */

/* Return true if each domain has a window, false if all domains share one. */
static bool own_window(const struct pcounter_gpu *gpu)
{
	return gpu->gen->caps & PCOUNTER_CAP_RECORD_HIGH;
}

/* A reader's ring has a window behind the domains' windows, or half of the domain's share. */
static void set_addresses(const struct pcounter_gpu *gpu, unsigned int dom,
			  struct pcounter_ring *ring)
{
	if (own_window(gpu)) {
		ring->high = dom + (ring->reader ? PCOUNTER_VM_WINDOWS : 0);
		ring->size = WINDOW;
	} else {
		ring->base = dom << SHARE_SHIFT | (ring->reader ? BIT(SHARE_SHIFT - 1) : 0);
		ring->size = BIT(SHARE_SHIFT - 1);
	}
}

/* ---- memory ---- */

static int alloc_pages_own(struct pcounter_ring *ring, unsigned int nr_pages)
{
	size_t size = (size_t)nr_pages * PCOUNTER_VM_PAGE;
	unsigned int i;
	int err;

	err = pcounter_dma_alloc(ring->dev, &ring->mem, size);
	if (err)
		return err;
	for (i = 0; i < nr_pages; i++) {
		ring->page[i] = ring->mem.cpu + i * PCOUNTER_VM_PAGE;
		ring->dma[i] = ring->mem.dma + i * PCOUNTER_VM_PAGE;
	}
	ring->nr_pages = nr_pages;
	memset(ring->mem.cpu, 0xff, size);
	return 0;
}

static void unmap_pages(struct pcounter_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->nr_pages; i++)
		dma_unmap_page(ring->dev, ring->dma[i], PCOUNTER_VM_PAGE, DMA_BIDIRECTIONAL);
}

static int map_pages(struct pcounter_ring *ring, void **pages, unsigned int nr_pages)
{
	unsigned int i;

	for (i = 0; i < nr_pages; i++) {
		memset(pages[i], 0xff, PCOUNTER_VM_PAGE);
		cond_resched();
		ring->page[i] = pages[i];
		ring->dma[i] = dma_map_page(ring->dev, virt_to_page(pages[i]), 0,
					    PCOUNTER_VM_PAGE, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(ring->dev, ring->dma[i])) {
			unmap_pages(ring);
			return -ENOMEM;
		}
		ring->sync |= dma_need_sync(ring->dev, ring->dma[i]);
		ring->nr_pages = i + 1;
	}
	return 0;
}

/**
 * pcounter_ring_alloc() - make a ring, all slots of which are empty
 * @gpu: the GPU, which does not know the ring yet
 * @dom: domain index
 * @pages: pages of a reader, NULL for memory of the driver
 * @nr_pages: number of pages, a power of 2
 *
 * Slots are emptied here, since it would take too long with interrupts off.
 *
 * Return: the ring, or an ERR_PTR().
 */
struct pcounter_ring *pcounter_ring_alloc(struct pcounter_gpu *gpu, unsigned int dom,
					  void **pages, unsigned int nr_pages)
{
	struct pcounter_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	int err = -ENOMEM;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->dev = gpu->io->dev;
	ring->reader = pages;
	ring->clean = true;
	set_addresses(gpu, dom, ring);
	ring->page = kvcalloc(nr_pages, sizeof(*ring->page), GFP_KERNEL);
	ring->dma = kvcalloc(nr_pages, sizeof(*ring->dma), GFP_KERNEL);
	if (ring->page && ring->dma)
		err = pages ? map_pages(ring, pages, nr_pages) : alloc_pages_own(ring, nr_pages);
	if (!err)
		return ring;
	pcounter_ring_free(ring);
	return ERR_PTR(err);
}

/**
 * pcounter_ring_put_pages() - return a reader's pages, or free the driver's
 * @ring: the ring, out of the address space
 * @forgotten: the TLB was flushed; else nobody else may ever get the memory, so it leaks
 */
void pcounter_ring_put_pages(struct pcounter_ring *ring, bool forgotten)
{
	unsigned int i;

	if (!forgotten) {
		for (i = 0; ring->reader && i < ring->nr_pages; i++)
			get_page(virt_to_page(ring->page[i]));
	} else {
		if (ring->reader)
			unmap_pages(ring);
		pcounter_dma_free(ring->dev, &ring->mem);
		pcounter_dma_free(ring->dev, &ring->table);
	}
	ring->nr_pages = 0;
}

/**
 * pcounter_ring_free() - free the description of a ring
 * @ring: the ring, without pages
 */
void pcounter_ring_free(struct pcounter_ring *ring)
{
	kvfree(ring->page);
	kvfree(ring->dma);
	kfree(ring);
}

/* ---- addresses ---- */

static unsigned int first_entry(const struct pcounter_gpu *gpu, unsigned int dom,
				const struct pcounter_ring *ring)
{
	return own_window(gpu) ? ring->high * PCOUNTER_VM_TABLES : dom;
}

/* Return true if the ring is in half of the page table of the domain's own ring. */
static bool is_half(const struct pcounter_gpu *gpu, const struct pcounter_ring *ring)
{
	return ring->reader && !own_window(gpu);
}

/**
 * pcounter_ring_map() - put a ring into the GPU's address space
 * @gpu: the GPU
 * @dom: domain index
 * @ring: the ring
 * @whole: repeat it in all of its addresses, else in the first 512 MiB
 *
 * Return: 0 or a negative errno.
 */
int pcounter_ring_map(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring,
		      bool whole)
{
	struct pcounter_vm *vm = &gpu->record->vm;

	if (is_half(gpu, ring))
		return pcounter_vm_map_half(&pcounter_stream_of(gpu, dom)->own->table,
					    ring->dma, ring->nr_pages);
	return pcounter_vm_map(vm, &ring->table, first_entry(gpu, dom, ring),
			       whole && own_window(gpu) ? PCOUNTER_VM_TABLES : 1, ring->dma,
			       ring->nr_pages);
}

/**
 * pcounter_ring_unmap() - take a ring out of the GPU's address space
 * @gpu: the GPU
 * @dom: domain index
 * @ring: the ring
 *
 * Takes effect at the next TLB flush; until then all memory must stay.
 */
void pcounter_ring_unmap(struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring)
{
	if (is_half(gpu, ring))
		pcounter_vm_unmap_half(&pcounter_stream_of(gpu, dom)->own->table);
	else
		pcounter_vm_unmap(&gpu->record->vm, first_entry(gpu, dom, ring),
				  own_window(gpu) ? PCOUNTER_VM_TABLES : 1);
}
