// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GPU's address space for record mode, hw:memory: a bare channel
 * with a page directory, page tables and one DMA object, all in coherent system
 * memory; of the channel there may be a copy in video memory. Touches no register.
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
 * pcounter_dma_alloc() - memory that CPU and GPU share
 * @dev: the device that does the DMA
 * @mem: what was allocated, zeroed
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
 * pcounter_dma_free() - give it back
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
 * pcounter_vm_free() - give everything back; the GPU must have forgotten it
 * @vm: the address space
 */
void pcounter_vm_free(struct pcounter_vm *vm)
{
	pcounter_vm_free_tables(vm, 0, PCOUNTER_VM_ENTRIES);
	pcounter_dma_free(vm->dev, &vm->chan);
}

/**
 * pcounter_vm_descriptor() - what names the channel in RECORD_CHAN
 * @vm: the address space
 *
 * Return: its value, without VALID.
 */
u32 pcounter_vm_descriptor(const struct pcounter_vm *vm)
{
	return FIELD_PREP(CHAN_ADDRESS, vm->chan.dma >> CHAN_ADDRESS_SHIFT) |
	       FIELD_PREP(CHAN_TARGET, TARGET_SNOOPED);
}

/**
 * pcounter_vm_selector() - what names the DMA object in RECORD_DMA
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
 * @entry: first entry of the page directory
 * @n: how many; each covers 512 MiB
 * @share: they may share one page table (hw:ambiguities/25: nobody has seen it)
 * @pages: bus addresses of the pages
 * @nr_pages: how many; a power of 2, at most what one entry covers
 *
 * Takes effect at the next TLB flush.
 *
 * Return: 0 or a negative errno, then nothing is mapped.
 */
int pcounter_vm_map(struct pcounter_vm *vm, unsigned int entry, unsigned int n,
		    bool share, const dma_addr_t *pages, unsigned int nr_pages)
{
	unsigned int i, tables = share ? 1 : n;
	int err = check_pages(pages, nr_pages, TABLE_ENTRIES);

	if (err)
		return err;
	for (i = 0; i < tables; i++) {
		struct pcounter_dma_mem *table = &vm->table[entry + i];

		err = table->cpu ? 0 :
		      pcounter_dma_alloc(vm->dev, table, TABLE_ENTRIES * sizeof(u64));
		if (err) {
			pcounter_vm_free_tables(vm, entry, n);
			return err;
		}
		fill_table(table, 0, pages, nr_pages);
	}
	for (i = 0; i < n; i++)
		set_directory(vm, entry + i, &vm->table[entry + i % tables]);
	return 0;
}

/**
 * pcounter_vm_unmap() - nothing is there any more
 * @vm: the address space
 * @entry: first entry of the page directory
 * @n: how many
 *
 * Pages and tables must stay until the GPU's TLB has been flushed.
 */
void pcounter_vm_unmap(struct pcounter_vm *vm, unsigned int entry, unsigned int n)
{
	while (n--)
		set_directory(vm, entry + n, NULL);
}

/**
 * pcounter_vm_map_half() - let other pages repeat in half of what an entry covers
 * @vm: the address space
 * @entry: entry of the page directory, mapped by pcounter_vm_map() as one of one
 * @pages: bus addresses of the pages
 * @nr_pages: how many; a power of 2, at most PCOUNTER_VM_HALF
 *
 * It is the upper half. Takes effect at the next TLB flush.
 *
 * Return: 0 or a negative errno, then nothing has changed.
 */
int pcounter_vm_map_half(struct pcounter_vm *vm, unsigned int entry,
			 const dma_addr_t *pages, unsigned int nr_pages)
{
	int err = check_pages(pages, nr_pages, PCOUNTER_VM_HALF);

	if (!err)
		fill_table(&vm->table[entry], PCOUNTER_VM_HALF, pages, nr_pages);
	return err;
}

/**
 * pcounter_vm_unmap_half() - nothing is there any more
 * @vm: the address space
 * @entry: entry of the page directory
 */
void pcounter_vm_unmap_half(struct pcounter_vm *vm, unsigned int entry)
{
	unsigned int i;

	for (i = PCOUNTER_VM_HALF; i < TABLE_ENTRIES; i++)
		put64(&vm->table[entry], i * sizeof(u64), 0);
}

/**
 * pcounter_vm_free_tables() - free page tables that nothing refers to
 * @vm: the address space
 * @entry: first entry of the page directory that used them
 * @n: how many
 */
void pcounter_vm_free_tables(struct pcounter_vm *vm, unsigned int entry, unsigned int n)
{
	while (n--)
		pcounter_dma_free(vm->dev, &vm->table[entry + n]);
}
