// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GPU's address space for record mode, hw:memory: a bare channel with a page
 * directory, page tables and one DMA object, all in coherent system memory. Touches no
 * register.
 *
 * The page tables repeat a ring of pages over and over, so that the position,
 * which only ever grows, walks a ring (hw:memory/alias).
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/errno.h>

#include "record/vm.h"

/* Channel structure (3) */
#define CHAN_DIRECTORY		0x200		/* where it is unless the MMU says otherwise */
#define CHAN_DIRECTORY_SIZE	0x4000
#define CHAN_DIRECTORY_MAX	0x1000		/* further away is not believed */
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
#define PDE_ADDRESS		GENMASK_ULL(39, 12)
#define TABLE_ENTRIES		(2 * PCOUNTER_VM_HALF)

/* Page table entry (6) */
#define PTE_PRESENT		BIT(0)
#define PTE_TARGET		GENMASK(5, 4)
#define PTE_ADDRESS		GENMASK_ULL(39, 12)

/* All addresses are bus addresses of 40 bits (9). */
#define ADDRESS_BITS		GENMASK_ULL(39, 0)

/**
 * pcounter_dma_alloc() - allocate memory that CPU and GPU share
 * @dev: the device that does the DMA
 * @mem: the memory, zeroed
 * @size: bytes
 *
 * Return: 0, -ENOMEM, or -EIO for an address that the GPU cannot reach.
 */
int pcounter_dma_alloc(struct device *dev, struct pcounter_dma_mem *mem, size_t size)
{
	mem->cpu = dma_alloc_coherent(dev, size, &mem->dma, GFP_KERNEL | __GFP_NOWARN);
	if (!mem->cpu)
		return -ENOMEM;
	mem->size = size;
	if (!(mem->dma & ~ADDRESS_BITS) && !(mem->dma & (PCOUNTER_VM_PAGE - 1)))
		return 0;
	pcounter_dma_free(dev, mem);
	return -EIO;
}

/**
 * pcounter_dma_free() - free memory that CPU and GPU share
 * @dev: the device
 * @mem: the memory, possibly none
 */
void pcounter_dma_free(struct device *dev, struct pcounter_dma_mem *mem)
{
	if (mem->cpu)
		dma_free_coherent(dev, mem->size, mem->cpu, mem->dma);
	mem->cpu = NULL;
}

static void put32(struct pcounter_dma_mem *mem, u32 offset, u32 val)
{
	WRITE_ONCE(*(__le32 *)(mem->cpu + offset), cpu_to_le32(val));
}

static void put64(struct pcounter_dma_mem *mem, u32 offset, u64 val)
{
	WRITE_ONCE(*(__le64 *)(mem->cpu + offset), cpu_to_le64(val));
}

static u32 object_offset(const struct pcounter_vm *vm)
{
	return vm->directory + CHAN_DIRECTORY_SIZE;
}

/**
 * pcounter_vm_init() - make a channel in which nothing is mapped
 * @vm: zeroed memory
 * @dev: the device that does the DMA
 * @pd_offset: where the MMU looks for the page directory, 0 if it does not say
 *
 * Return: 0; -EIO if that is nonsense; -ENOMEM.
 */
int pcounter_vm_init(struct pcounter_vm *vm, struct device *dev, u32 pd_offset)
{
	u32 object;
	int err;

	vm->dev = dev;
	vm->directory = pd_offset & ~7u ?: CHAN_DIRECTORY;
	if (vm->directory > CHAN_DIRECTORY_MAX)
		return -EIO;
	err = pcounter_dma_alloc(dev, &vm->chan, CHAN_SIZE);
	if (err)
		return err;
	/* entries of 0 are not present; the limit is above whatever is mapped */
	object = object_offset(vm);
	put32(&vm->chan, object, OBJECT_PAGED);
	put32(&vm->chan, object + 4, ~0u);
	put32(&vm->chan, object + 12, OBJECT_LIMIT_HIGH);
	return 0;
}

/**
 * pcounter_vm_free() - free the channel, which the GPU must have forgotten
 * @vm: the address space
 */
void pcounter_vm_free(struct pcounter_vm *vm)
{
	pcounter_dma_free(vm->dev, &vm->chan);
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

static void fill_table(struct pcounter_dma_mem *table, unsigned int first,
		       const dma_addr_t *pages, unsigned int nr_pages)
{
	unsigned int i;

	for (i = first; i < TABLE_ENTRIES; i++)
		put64(table, i * sizeof(u64),
		      (pages[i % nr_pages] & PTE_ADDRESS) | PTE_PRESENT |
		      FIELD_PREP(PTE_TARGET, TARGET_SNOOPED));
}

static void set_directory(struct pcounter_vm *vm, unsigned int entry,
			  const struct pcounter_dma_mem *table)
{
	u64 val = 0;

	if (table)
		val = (table->dma & PDE_ADDRESS) | PDE_SMALL |
		      FIELD_PREP(PDE_TARGET, TARGET_SNOOPED);
	put64(&vm->chan, vm->directory + entry * sizeof(u64), val);
}

static int check_pages(const dma_addr_t *pages, unsigned int nr_pages, unsigned int most)
{
	unsigned int i;

	if (!nr_pages || nr_pages & (nr_pages - 1) || nr_pages > most)
		return -EINVAL;
	for (i = 0; i < nr_pages; i++)
		if (pages[i] & ~PTE_ADDRESS)
			return -EIO;
	return 0;
}

/**
 * pcounter_vm_map() - let entries of the directory repeat a ring of pages
 * @vm: the address space
 * @table: page table, made here; all entries share it (hw:ambiguities/25)
 * @entry: first entry of the page directory
 * @n: number of entries; each covers 512 MiB
 * @pages: bus addresses of the pages
 * @nr_pages: number of pages; a power of 2, at most what one entry covers
 *
 * Takes effect at the next TLB flush.
 *
 * Return: 0 or a negative errno, then nothing is mapped.
 */
int pcounter_vm_map(struct pcounter_vm *vm, struct pcounter_dma_mem *table,
		    unsigned int entry, unsigned int n, const dma_addr_t *pages,
		    unsigned int nr_pages)
{
	int err = check_pages(pages, nr_pages, TABLE_ENTRIES);

	if (!err)
		err = pcounter_dma_alloc(vm->dev, table, TABLE_ENTRIES * sizeof(u64));
	if (err)
		return err;
	fill_table(table, 0, pages, nr_pages);
	while (n--)
		set_directory(vm, entry + n, table);
	return 0;
}

/**
 * pcounter_vm_unmap() - clear entries of the directory
 * @vm: the address space
 * @entry: first entry of the page directory
 * @n: number of entries
 *
 * Pages and tables must stay until the GPU's TLB has been flushed.
 */
void pcounter_vm_unmap(struct pcounter_vm *vm, unsigned int entry, unsigned int n)
{
	while (n--)
		set_directory(vm, entry + n, NULL);
}

/**
 * pcounter_vm_map_half() - let other pages repeat in the upper half of a page table
 * @table: a table by pcounter_vm_map() that one entry of the directory uses
 * @pages: bus addresses of the pages
 * @nr_pages: number of pages; a power of 2, at most PCOUNTER_VM_HALF
 *
 * Takes effect at the next TLB flush.
 *
 * Return: 0 or a negative errno, then nothing has changed.
 */
int pcounter_vm_map_half(struct pcounter_dma_mem *table, const dma_addr_t *pages,
			 unsigned int nr_pages)
{
	int err = check_pages(pages, nr_pages, PCOUNTER_VM_HALF);

	if (!err)
		fill_table(table, PCOUNTER_VM_HALF, pages, nr_pages);
	return err;
}

/**
 * pcounter_vm_unmap_half() - clear the upper half of a page table
 * @table: the table
 */
void pcounter_vm_unmap_half(struct pcounter_dma_mem *table)
{
	unsigned int i;

	for (i = PCOUNTER_VM_HALF; i < TABLE_ENTRIES; i++)
		put64(table, i * sizeof(u64), 0);
}
