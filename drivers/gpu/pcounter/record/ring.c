// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings that the GPU writes packets to: memory of the driver, or pages that user space
 * has mapped. Rings come and go with record->mutex held, and may sleep.
 */
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hw/io.h"
#include "record/memory.h"

static int alloc_pages_own(struct pcounter_ring *ring, unsigned int nr_pages)
{
	unsigned int i;
	int err;

	err = pcounter_memory_alloc(ring->dev, &ring->mem, (size_t)nr_pages * PCOUNTER_VM_PAGE);
	if (err)
		return err;
	for (i = 0; i < nr_pages; i++) {
		ring->page[i].cpu = ring->mem.cpu + i * PCOUNTER_VM_PAGE;
		ring->page[i].dma = ring->mem.dma + i * PCOUNTER_VM_PAGE;
	}
	ring->nr_pages = nr_pages;
	memset(ring->mem.cpu, PCOUNTER_PACKET_EMPTY, ring->mem.size);
	return 0;
}

static int map_pages(struct pcounter_ring *ring, void **pages, unsigned int nr_pages)
{
	unsigned int i;

	for (i = 0; i < nr_pages; i++) {
		struct pcounter_page *page = &ring->page[i];

		memset(pages[i], PCOUNTER_PACKET_EMPTY, PCOUNTER_VM_PAGE);
		cond_resched();
		page->cpu = pages[i];
		page->dma = dma_map_page(ring->dev, virt_to_page(pages[i]), 0,
					 PCOUNTER_VM_PAGE, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(ring->dev, page->dma))
			return -ENOMEM;
		ring->nr_pages = i + 1;
		if (page->dma & ~PCOUNTER_VM_ADDRESS)
			return -EIO;
		ring->sync |= dma_need_sync(ring->dev, page->dma);
	}
	return 0;
}

/* Return a reader's pages, or free the driver's; leak them if the GPU may still use them. */
static void put_pages(struct pcounter_ring *ring, bool forgotten)
{
	unsigned int i;

	for (i = 0; ring->reader && i < ring->nr_pages; i++) {
		if (forgotten)
			dma_unmap_page(ring->dev, ring->page[i].dma, PCOUNTER_VM_PAGE,
				       DMA_BIDIRECTIONAL);
		else
			get_page(virt_to_page(ring->page[i].cpu));
	}
	if (forgotten) {
		pcounter_memory_free(ring->dev, &ring->mem);
		pcounter_memory_free(ring->dev, &ring->table);
	}
	ring->nr_pages = 0;
}

/**
 * pcounter_ring_alloc() - make a ring that the GPU knows, all slots of which are empty
 * @d: the domain
 * @pages: pages of a reader, NULL for memory of the driver
 * @nr_pages: number of pages, a power of 2
 *
 * Slots are emptied here, since it would take too long with interrupts off.
 *
 * Return: the ring, for kvfree(), or an ERR_PTR().
 */
struct pcounter_ring *pcounter_ring_alloc(struct pcounter_domain *d, void **pages,
					  unsigned int nr_pages)
{
	struct pcounter_gpu *gpu = d->gpu;
	struct pcounter_ring *ring = kvzalloc(struct_size(ring, page, nr_pages), GFP_KERNEL);
	int err;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->dev = gpu->io->dev;
	ring->reader = pages;
	gpu->record->ops->channel->place(d, ring);
	err = pages ? map_pages(ring, pages, nr_pages) : alloc_pages_own(ring, nr_pages);
	if (!err)
		err = pcounter_vm_map(gpu, ring);
	if (!err)
		err = pcounter_channel_bind(gpu);
	if (!err)
		return ring;
	/* nothing was written there that the TLB could remember */
	gpu->record->ops->channel->unmap(gpu, ring);
	put_pages(ring, true);
	kvfree(ring);
	return ERR_PTR(err);
}

/**
 * pcounter_ring_put_pages() - let the GPU forget a ring, and return or free its pages
 * @gpu: the GPU
 * @ring: the ring, NULL for none; it may have no pages any more
 *
 * Memory that the GPU may still use leaks.
 */
void pcounter_ring_put_pages(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	if (!ring || !ring->nr_pages)
		return;
	gpu->record->ops->channel->unmap(gpu, ring);
	put_pages(ring, pcounter_vm_forget(gpu));
}

/* ---- slots; gpu->lock held ---- */

static const struct pcounter_page *page_at(const struct pcounter_ring *ring, u64 position)
{
	return &ring->page[position >> PCOUNTER_VM_PAGE_SHIFT & (ring->nr_pages - 1)];
}

/* Return the bytes between two positions that are in the first one's page. */
static u32 bytes_in_page(u64 position, u64 end)
{
	return min_t(u64, end - position, PCOUNTER_VM_PAGE - position % PCOUNTER_VM_PAGE);
}

/**
 * pcounter_ring_slot() - find the slot of a position
 * @ring: the ring
 * @position: the position
 *
 * Return: its address.
 */
__le64 *pcounter_ring_slot(const struct pcounter_ring *ring, u64 position)
{
	return page_at(ring, position)->cpu + position % PCOUNTER_VM_PAGE;
}

/* The debugging code of the DMA API takes spinlock_t; perf calls with a raw one held. */
static DEFINE_WAIT_OVERRIDE_MAP(sync_map, LD_WAIT_CONFIG);

/**
 * pcounter_ring_sync() - let the CPU or the device see what the other one wrote
 * @ring: the ring
 * @position: position of the first slot
 * @bytes: size of all of them, no more than the ring's
 * @to_cpu: the CPU sees it
 *
 * The device may use a copy of a reader's pages.
 */
void pcounter_ring_sync(const struct pcounter_ring *ring, u64 position, u32 bytes, bool to_cpu)
{
	u64 at = position, end = position + bytes;
	dma_addr_t addr;
	u32 n;

	if (!ring->sync)
		return;
	lock_map_acquire_try(&sync_map);
	for (; at < end; at += n) {
		n = bytes_in_page(at, end);
		addr = page_at(ring, at)->dma + at % PCOUNTER_VM_PAGE;
		if (to_cpu)
			dma_sync_single_for_cpu(ring->dev, addr, n, DMA_BIDIRECTIONAL);
		else
			dma_sync_single_for_device(ring->dev, addr, n, DMA_BIDIRECTIONAL);
	}
	lock_map_release(&sync_map);
}

/**
 * pcounter_ring_empty() - mark slots as empty
 * @ring: the ring; the device does not write to these slots now
 * @position: position of the first slot
 * @bytes: size of all of them
 */
void pcounter_ring_empty(const struct pcounter_ring *ring, u64 position, u32 bytes)
{
	u64 at = position, end = position + bytes;
	u32 n;

	for (; at < end; at += n) {
		n = bytes_in_page(at, end);
		memset(pcounter_ring_slot(ring, at), PCOUNTER_PACKET_EMPTY, n);
	}
	pcounter_ring_sync(ring, position, bytes, false);
}
