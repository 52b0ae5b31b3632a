// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GPU's address space for record mode, hw:memory: a bare channel with a page
 * directory, page tables and one DMA object, all in coherent system memory; and the rings
 * in it, of memory of the driver or of pages that user space has mapped. Touches no
 * register.
 *
 * The page tables repeat a ring of pages over and over, so that the position,
 * which only ever grows, walks a ring (hw:memory/alias). Each domain has addresses for
 * one ring of either kind, so that a reader can come and go while others are counting.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hw/io.h"
#include "record/record.h"

/* Channel structure (3) */
#define CHAN_DIRECTORY		0x200		/* where it is unless the MMU says otherwise */
#define CHAN_DIRECTORY_SIZE	0x4000
#define CHAN_DIRECTORY_MAX	0x1000		/* a larger offset is invalid */
#define CHAN_OBJECT_ALIGN	0x10
#define CHAN_SIZE		0x6000

/* Descriptor for RECORD_CHAN (2); all targets alike */
#define CHAN_ADDRESS_SHIFT	12
#define CHAN_ADDRESS		GENMASK(27, 0)
#define CHAN_TARGET		GENMASK(29, 28)
#define TARGET_SNOOPED		2

/* DMA object (4) */
#define OBJECT_PAGED		0x7fc00000	/* everything from page tables */
#define OBJECT_LIMIT_HIGH	GENMASK(31, 24)

/* Page directory entry (5): small pages, a full table */
#define PDE_SMALL		3
#define PDE_TARGET		GENMASK(3, 2)
#define TABLE_ENTRIES		(2 * PCOUNTER_VM_HALF)

/* Page table entry (6) */
#define PTE_PRESENT		BIT(0)
#define PTE_TARGET		GENMASK(5, 4)

/* All addresses of pages are bus addresses of 40 bits (9). */
#define PAGE_ADDRESS		GENMASK_ULL(39, 12)

#define WINDOW			BIT_ULL(32)
#define WINDOW_TABLES		8	/* a window's entries in the page directory */
#define SHARE_SHIFT		29	/* of a window that all domains share: one entry each */

/* ---- memory that CPU and GPU share ---- */

static void mem_free(struct device *dev, struct pcounter_dma_mem *mem)
{
	if (mem->cpu)
		dma_free_coherent(dev, mem->size, mem->cpu, mem->dma);
	mem->cpu = NULL;
}

/* Return 0, -ENOMEM, or -EIO for an address that the GPU cannot reach. */
static int mem_alloc(struct device *dev, struct pcounter_dma_mem *mem, size_t size)
{
	mem->cpu = dma_alloc_coherent(dev, size, &mem->dma, GFP_KERNEL | __GFP_NOWARN);
	if (!mem->cpu)
		return -ENOMEM;
	mem->size = size;
	if (!((mem->dma | (mem->dma + size - PCOUNTER_VM_PAGE)) & ~PAGE_ADDRESS))
		return 0;
	mem_free(dev, mem);
	return -EIO;
}

static void put32(struct pcounter_dma_mem *mem, u32 offset, u32 val)
{
	WRITE_ONCE(*(__le32 *)(mem->cpu + offset), cpu_to_le32(val));
}

static void put64(struct pcounter_dma_mem *mem, u32 offset, u64 val)
{
	WRITE_ONCE(*(__le64 *)(mem->cpu + offset), cpu_to_le64(val));
}

/* ---- the channel ---- */

static u32 object_offset(const struct pcounter_vm *vm)
{
	return vm->directory + CHAN_DIRECTORY_SIZE;
}

/**
 * pcounter_vm_init() - make a channel in which nothing is mapped
 * @gpu: the GPU
 * @pd_offset: where the MMU looks for the page directory, 0 if it does not say
 *
 * Return: 0; -EIO if @pd_offset is invalid; -ENOMEM.
 */
int pcounter_vm_init(struct pcounter_gpu *gpu, u32 pd_offset)
{
	struct pcounter_vm *vm = &gpu->record->vm;
	u32 object;
	int err;

	vm->directory = pd_offset & ~7u ?: CHAN_DIRECTORY;
	if (vm->directory > CHAN_DIRECTORY_MAX)
		return -EIO;
	err = mem_alloc(gpu->io->dev, &vm->chan, CHAN_SIZE);
	if (err)
		return err;
	/* entries of 0 are not present; the limit is above all mapped addresses */
	object = object_offset(vm);
	put32(&vm->chan, object, OBJECT_PAGED);
	put32(&vm->chan, object + 4, ~0u);
	put32(&vm->chan, object + 12, OBJECT_LIMIT_HIGH);
	return 0;
}

/**
 * pcounter_vm_free() - free the channel, which the GPU must have forgotten
 * @gpu: the GPU
 */
void pcounter_vm_free(struct pcounter_gpu *gpu)
{
	mem_free(gpu->io->dev, &gpu->record->vm.chan);
}

/**
 * pcounter_vm_descriptor() - get the descriptor of the channel for RECORD_CHAN
 * @vm: the address space
 *
 * Return: the descriptor, without VALID.
 */
u32 pcounter_vm_descriptor(const struct pcounter_vm *vm)
{
	return FIELD_PREP(CHAN_ADDRESS, vm->chan.dma >> CHAN_ADDRESS_SHIFT) |
	       FIELD_PREP(CHAN_TARGET, TARGET_SNOOPED);
}

/**
 * pcounter_vm_selector() - get the selector of the DMA object for RECORD_DMA
 * @vm: the address space
 *
 * Return: the selector.
 */
u32 pcounter_vm_selector(const struct pcounter_vm *vm)
{
	return object_offset(vm) / CHAN_OBJECT_ALIGN;
}

/* ---- pages of a ring ---- */

/*
 * Each domain has a window, or a share of one. A reader's ring has a window behind the
 * domains' windows, or half of the domain's share.
 */
static void set_addresses(const struct pcounter_gpu *gpu, unsigned int dom, bool whole,
			  struct pcounter_ring *ring)
{
	if (gpu->gen->caps & PCOUNTER_CAP_RECORD_HIGH) {
		ring->high = dom + (ring->reader ? PCOUNTER_VM_WINDOWS : 0);
		ring->size = WINDOW;
		ring->entry = ring->high * WINDOW_TABLES;
		ring->entries = whole ? WINDOW_TABLES : 1;
		return;
	}
	ring->base = dom << SHARE_SHIFT;
	ring->size = BIT(SHARE_SHIFT - 1);
	ring->entry = dom;
	ring->entries = 1;
	if (ring->reader) {
		ring->base |= BIT(SHARE_SHIFT - 1);
		ring->half_of = &pcounter_stream_of(gpu, dom)->own->table;
	}
}

static int alloc_pages_own(struct pcounter_ring *ring, unsigned int nr_pages)
{
	size_t size = (size_t)nr_pages * PCOUNTER_VM_PAGE;
	unsigned int i;
	int err;

	err = mem_alloc(ring->dev, &ring->mem, size);
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

static int map_pages(struct pcounter_ring *ring, void **pages, unsigned int nr_pages)
{
	unsigned int i;

	for (i = 0; i < nr_pages; i++) {
		memset(pages[i], 0xff, PCOUNTER_VM_PAGE);
		cond_resched();
		ring->page[i] = pages[i];
		ring->dma[i] = dma_map_page(ring->dev, virt_to_page(pages[i]), 0,
					    PCOUNTER_VM_PAGE, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(ring->dev, ring->dma[i]))
			return -ENOMEM;
		ring->nr_pages = i + 1;
		if (ring->dma[i] & ~PAGE_ADDRESS)
			return -EIO;
		ring->sync |= dma_need_sync(ring->dev, ring->dma[i]);
	}
	return 0;
}

/**
 * pcounter_ring_put_pages() - return a reader's pages, or free the driver's
 * @ring: the ring, out of the address space; it may have no pages any more
 * @forgotten: the TLB was flushed; if not, the GPU may still use the memory, so it leaks
 */
void pcounter_ring_put_pages(struct pcounter_ring *ring, bool forgotten)
{
	unsigned int i;

	if (!ring->nr_pages)
		return;
	for (i = 0; ring->reader && i < ring->nr_pages; i++) {
		if (forgotten)
			dma_unmap_page(ring->dev, ring->dma[i], PCOUNTER_VM_PAGE,
				       DMA_BIDIRECTIONAL);
		else
			get_page(virt_to_page(ring->page[i]));
	}
	if (forgotten) {
		mem_free(ring->dev, &ring->mem);
		mem_free(ring->dev, &ring->table);
	}
	ring->nr_pages = 0;
}

/**
 * pcounter_ring_free() - free a ring, and pages that it still has
 * @ring: the ring, out of the address space
 */
void pcounter_ring_free(struct pcounter_ring *ring)
{
	pcounter_ring_put_pages(ring, true);
	kvfree(ring->page);
	kvfree(ring->dma);
	kfree(ring);
}

/* ---- addresses of a ring ---- */

/* Repeat the pages of a ring from an entry of a page table on; clear them without a ring. */
static void fill_table(struct pcounter_dma_mem *table, unsigned int first,
		       const struct pcounter_ring *ring)
{
	unsigned int i;
	u64 val = 0;

	for (i = first; i < TABLE_ENTRIES; i++) {
		if (ring)
			val = ring->dma[i & (ring->nr_pages - 1)] | PTE_PRESENT |
			      FIELD_PREP(PTE_TARGET, TARGET_SNOOPED);
		put64(table, i * sizeof(u64), val);
	}
}

/* Let the ring's entries of the directory share a page table (hw:ambiguities/25). */
static void set_directory(struct pcounter_vm *vm, const struct pcounter_ring *ring, u64 val)
{
	unsigned int i;

	for (i = 0; i < ring->entries; i++)
		put64(&vm->chan, vm->directory + (ring->entry + i) * sizeof(u64), val);
}

/* Put a ring into the GPU's address space, which takes effect at the next TLB flush. */
static int map_ring(struct pcounter_vm *vm, struct pcounter_ring *ring)
{
	int err;

	if (ring->half_of) {
		fill_table(ring->half_of, PCOUNTER_VM_HALF, ring);
		return 0;
	}
	err = mem_alloc(ring->dev, &ring->table, TABLE_ENTRIES * sizeof(u64));
	if (err)
		return err;
	fill_table(&ring->table, 0, ring);
	set_directory(vm, ring, ring->table.dma | PDE_SMALL |
				FIELD_PREP(PDE_TARGET, TARGET_SNOOPED));
	return 0;
}

/**
 * pcounter_ring_alloc() - make a ring, all slots of which are empty
 * @gpu: the GPU
 * @dom: domain index
 * @pages: pages of a reader, NULL for memory of the driver
 * @nr_pages: number of pages, a power of 2
 * @whole: repeat them in all addresses of the ring, else in the first 512 MiB
 *
 * Slots are emptied here, since it would take too long with interrupts off. The GPU knows
 * the ring after the next TLB flush.
 *
 * Return: the ring, or an ERR_PTR().
 */
struct pcounter_ring *pcounter_ring_alloc(struct pcounter_gpu *gpu, unsigned int dom,
					  void **pages, unsigned int nr_pages, bool whole)
{
	struct pcounter_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	int err = -ENOMEM;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->dev = gpu->io->dev;
	ring->reader = pages;
	ring->clean = true;
	set_addresses(gpu, dom, whole, ring);
	ring->page = kvcalloc(nr_pages, sizeof(*ring->page), GFP_KERNEL);
	ring->dma = kvcalloc(nr_pages, sizeof(*ring->dma), GFP_KERNEL);
	if (ring->page && ring->dma)
		err = pages ? map_pages(ring, pages, nr_pages) : alloc_pages_own(ring, nr_pages);
	if (!err)
		err = map_ring(&gpu->record->vm, ring);
	if (!err)
		return ring;
	pcounter_ring_free(ring);
	return ERR_PTR(err);
}

/**
 * pcounter_ring_unmap() - take a ring out of the GPU's address space
 * @gpu: the GPU
 * @ring: the ring
 *
 * Takes effect at the next TLB flush; until then all memory must stay.
 */
void pcounter_ring_unmap(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	if (ring->half_of)
		fill_table(ring->half_of, PCOUNTER_VM_HALF, NULL);
	else
		set_directory(&gpu->record->vm, ring, 0);
}
