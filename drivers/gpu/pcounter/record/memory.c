// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GPU's address space for record mode, hw:memory: page tables in coherent system
 * memory, and the TLB. The functions may sleep; the caller holds record->mutex.
 *
 * The page tables repeat a ring of pages over and over, so that the position,
 * which only ever grows, walks a ring (hw:memory/alias). Each domain has addresses for
 * one ring of either kind, so that a reader can come and go.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dev_printk.h>
#include <linux/dma-mapping.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include "hw/io.h"
#include "hw/record.h"
#include "record/memory.h"

#define ENTRY_SIZE		sizeof(u64)

/* hw:ambiguities/26: a flush may take a while, or for ever. */
#define FLUSH_POLLS		400
#define FLUSH_POLL_US		50
/* Upper bound on engines: there are fewer, and a mask has room for these. */
#define ENGINES			32

/* ---- memory that CPU and GPU share ---- */

/**
 * pcounter_memory_free() - free memory that the GPU does not use any more
 * @dev: device that does the DMA
 * @mem: the memory, or none
 */
void pcounter_memory_free(struct device *dev, struct pcounter_dma_mem *mem)
{
	if (mem->cpu)
		dma_free_coherent(dev, mem->size, mem->cpu, mem->dma);
	mem->cpu = NULL;
}

/**
 * pcounter_memory_alloc() - allocate memory for CPU and GPU
 * @dev: device that does the DMA
 * @mem: gets the memory
 * @size: bytes
 *
 * Return: 0, -ENOMEM, or -EIO for an address that the GPU cannot reach.
 */
int pcounter_memory_alloc(struct device *dev, struct pcounter_dma_mem *mem, size_t size)
{
	mem->cpu = dma_alloc_coherent(dev, size, &mem->dma, GFP_KERNEL | __GFP_NOWARN);
	if (!mem->cpu)
		return -ENOMEM;
	mem->size = size;
	if (!((mem->dma | (mem->dma + size - PCOUNTER_VM_PAGE)) & ~PCOUNTER_VM_ADDRESS))
		return 0;
	pcounter_memory_free(dev, mem);
	return -EIO;
}

/* ---- page tables ---- */

/**
 * pcounter_vm_place() - choose the GPU's addresses of a ring
 * @d: the domain
 * @ring: the ring
 *
 * Each domain has a window, or a share of one. A reader's ring has a window behind the
 * domains' windows, or half of the domain's share.
 */
void pcounter_vm_place(const struct pcounter_domain *d, struct pcounter_ring *ring)
{
	const unsigned int shift = d->gpu->record->table_shift;

	if (d->gpu->gen->caps & PCOUNTER_CAP_RECORD_HIGH) {
		ring->address = (d->index + (ring->reader ? PCOUNTER_VM_WINDOWS : 0)) *
				PCOUNTER_VM_WINDOW;
		ring->size = PCOUNTER_VM_WINDOW;
		return;
	}
	/* one table for each domain, in the window that all share */
	ring->address = (u64)d->index << shift;
	ring->size = BIT(shift - 1);
	if (ring->reader) {
		ring->address |= BIT(shift - 1);
		ring->half_of = &d->stream->own->table;
	}
}

/* Repeat the pages of a ring from an entry of a page table on, or clear them. */
static void fill_table(const struct pcounter_record *r, struct pcounter_dma_mem *table,
		       unsigned int first, const struct pcounter_ring *ring, bool map)
{
	const struct pcounter_vm_format *f = &r->ops->channel->format;
	unsigned int i;

	for (i = first; i < table->size / ENTRY_SIZE; i++)
		pcounter_put64(table, i * ENTRY_SIZE, !map ? 0 : f->pte |
			       ring->page[i & (ring->nr_pages - 1)].dma >> f->pte_down);
}

/* Let the ring's entries of the directory share its page tables (hw:ambiguities/25). */
static void set_directory(struct pcounter_record *r, const struct pcounter_ring *ring, bool map)
{
	const struct pcounter_vm_format *f = &r->ops->channel->format;
	u32 first = r->directory + (ring->address >> r->table_shift) * ENTRY_SIZE;
	u32 bytes = ENTRY_SIZE << (r->table_shift - PCOUNTER_VM_PAGE_SHIFT);
	unsigned int n = ring->size >> r->table_shift ?: 1, i;

	for (i = 0; i < n; i++)
		pcounter_put64(&r->chan, first + i * ENTRY_SIZE, !map ? 0 : f->pde |
			       (ring->table.dma + i * bytes % ring->table.size) << f->pde_up);
}

/**
 * pcounter_vm_map() - put a ring into the GPU's address space
 * @gpu: the GPU
 * @ring: the ring, with pages and addresses
 *
 * A ring larger than a page table has several, in a row. Takes effect at the next TLB flush.
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int pcounter_vm_map(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	struct pcounter_record *r = gpu->record;
	unsigned int entries = BIT(r->table_shift - PCOUNTER_VM_PAGE_SHIFT);
	int err;

	if (ring->half_of) {
		fill_table(r, ring->half_of, PCOUNTER_VM_HALF, ring, true);
		return 0;
	}
	err = pcounter_memory_alloc(ring->dev, &ring->table,
				    max(ring->nr_pages, entries) * ENTRY_SIZE);
	if (err)
		return err;
	fill_table(r, &ring->table, 0, ring, true);
	set_directory(r, ring, true);
	return 0;
}

/**
 * pcounter_vm_unmap() - take a ring out of the GPU's address space
 * @gpu: the GPU
 * @ring: the ring; until the next TLB flush all memory must stay
 */
void pcounter_vm_unmap(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	if (ring->half_of)
		fill_table(gpu->record, ring->half_of, PCOUNTER_VM_HALF, ring, false);
	else
		set_directory(gpu->record, ring, false);
}

/* ---- TLB flushes, by a register that the graphics driver writes, too ---- */

/* Return true if another engine's flush was requested beside ours, so one may be lost. */
static bool flush_collides(struct pcounter_record *r, u32 val, u32 engine)
{
	u32 other = FIELD_GET(G80_VM_FLUSH_ENGINE, val);

	if (other == engine) {
		r->flush_tells |= engine && !(val & G80_VM_FLUSH_BUSY);
		return false;
	}
	/* without a flush, 0 may be PGRAPH's number or mean nothing */
	if (!(val & G80_VM_FLUSH_BUSY) && !other && !r->flush_tells)
		return false;
	if (other < ENGINES)
		r->flushes_owed |= BIT(other);
	return true;
}

/*
 * Request a flush, unless another one is in progress. The check and the write are two
 * register accesses, without an interrupt in between.
 */
static u32 flush_begin(struct pcounter_gpu *gpu, u32 engine, bool *begun)
{
	u32 state;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	if (!awake)
		return PCOUNTER_DEAD;
	state = pcounter_rd32(gpu->io, G80_VM_FLUSH);
	if (state & G80_VM_FLUSH_BUSY)
		return state;
	*begun = true;
	pcounter_wr32(gpu->io, G80_VM_FLUSH,
		      FIELD_PREP(G80_VM_FLUSH_ENGINE, engine) | G80_VM_FLUSH_BUSY);
	return pcounter_rd32(gpu->io, G80_VM_FLUSH);
}

/* Return true if a flush is done, and no other one was seen beside it. */
static bool flush_engine(struct pcounter_gpu *gpu, u32 engine)
{
	bool begun = false, collision = false;
	unsigned int i;
	u32 val;

	for (i = 0; i < FLUSH_POLLS; i++) {
		val = begun ? pcounter_gpu_read(gpu, G80_VM_FLUSH) :
			      flush_begin(gpu, engine, &begun);
		if (val == PCOUNTER_DEAD)
			return false;
		collision |= begun && flush_collides(gpu->record, val, engine);
		if (begun && !(val & G80_VM_FLUSH_BUSY)) {
			if (!collision)
				return true;
			begun = false;
			collision = false;
		}
		usleep_range(FLUSH_POLL_US, 2 * FLUSH_POLL_US);
	}
	return false;
}

/**
 * pcounter_vm_flush() - let PCOUNTER forget all translations
 * @gpu: the GPU
 *
 * The graphics driver flushes by the same register, with a lock that this driver cannot
 * take, and one of two flushes at once may be lost. If the register shows two flushes,
 * repeat both; flush PCOUNTER twice in any case. PGRAPH may hang when it is flushed while
 * it works (hw:memory/tlb), and only its driver can halt it: log its lost flush instead.
 *
 * Return: true if it certainly has.
 */
bool pcounter_vm_flush(struct pcounter_gpu *gpu)
{
	bool done = flush_engine(gpu, G80_VM_ENGINE_PCOUNTER) &&
		    flush_engine(gpu, G80_VM_ENGINE_PCOUNTER);
	u32 owed = gpu->record->flushes_owed;
	unsigned int i;

	if (owed & BIT(G80_VM_ENGINE_PGRAPH))
		dev_warn_once(gpu->io->dev,
			      "pcounter: a TLB flush of the graphics driver may have been lost\n");
	for (i = 0; i < ENGINES; i++)
		if (owed & BIT(i) && i != G80_VM_ENGINE_PGRAPH)
			flush_engine(gpu, i);
	gpu->record->flushes_owed = 0;
	return done;
}

/**
 * pcounter_vm_forget() - let PCOUNTER forget translations of memory that is freed
 * @gpu: the GPU
 *
 * A leak is better than a GPU that writes into memory of somebody else.
 *
 * Return: false if the GPU may still know the memory; then it leaks, and record mode ends.
 */
bool pcounter_vm_forget(struct pcounter_gpu *gpu)
{
	if (gpu->gone || gpu->record->ops->channel->flush(gpu))
		return true;
	if (READ_ONCE(gpu->record->channel) != PCOUNTER_CHANNEL_STUCK)
		dev_warn(gpu->io->dev,
			 "pcounter: the TLB is not flushed: record mode ends, its memory is kept\n");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->record->channel = PCOUNTER_CHANNEL_STUCK;
	return false;
}
