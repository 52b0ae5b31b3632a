// SPDX-License-Identifier: GPL-2.0-only
/*
 * The channel of record mode, through which PCOUNTER writes packets, and the state of the
 * engine that is restored when the last stream is gone. The functions may sleep; the
 * caller holds record->mutex.
 *
 * The GPU's address space, hw:memory, is a bare channel with a page directory, page
 * tables and one DMA object, all in coherent system memory; and the rings in it, of
 * memory of the driver or of pages that user space has mapped.
 *
 * The page tables repeat a ring of pages over and over, so that the position,
 * which only ever grows, walks a ring (hw:memory/alias). Each domain has addresses for
 * one ring of either kind, so that a reader can come and go while others are counting.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dev_printk.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
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

/* A domain that records makes a packet in this time; the slowest PERIODIC at 30 MHz does. */
#define FOREIGN_US		2200

/* Assumed: time from the stop of a domain until its last packet has landed. */
#define LAST_PACKET_US		2000

/* hw:ambiguities/26: a flush may take a while, or for ever. */
#define FLUSH_POLLS		400
#define FLUSH_POLL_US		50
/* Upper bound on engines: there are fewer, and a mask has room for these. */
#define ENGINES			32

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

/*
 * Let PCOUNTER forget all translations; return true if it certainly has. The graphics
 * driver flushes by the same register, with a lock that this driver cannot take, and one
 * of two flushes at once may be lost. If the register shows two flushes, repeat both;
 * flush PCOUNTER twice in any case. PGRAPH may hang when it is flushed while it works
 * (hw:memory/tlb), and only its driver can halt it: log its lost flush instead.
 */
static bool channel_flush(struct pcounter_gpu *gpu)
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

/*
 * Let PCOUNTER forget translations of memory that is freed. A leak is better than a GPU
 * that writes into memory of somebody else: return false if the GPU may still know the
 * memory; then it leaks, and record mode ends.
 */
static bool channel_forget(struct pcounter_gpu *gpu)
{
	if (gpu->gone || channel_flush(gpu))
		return true;
	if (READ_ONCE(gpu->record->channel) != PCOUNTER_CHANNEL_STUCK)
		dev_warn(gpu->io->dev,
			 "pcounter: the TLB is not flushed: record mode ends, its memory is kept\n");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->record->channel = PCOUNTER_CHANNEL_STUCK;
	return false;
}

/* ---- domains that a former user left in record mode ---- */

/* Return RECORD_STATUS of a domain, PCOUNTER_DEAD if the GPU sleeps. */
static u32 read_status(struct pcounter_domain *d)
{
	return pcounter_gpu_read(d->gpu, pcounter_reg_addr(d->gpu->gen, PCOUNTER_REG_RECORD_STATUS,
							d->block.nr));
}

/* Return the mask of domains in record mode that are not the driver's; with @stop, stop them. */
static u32 find_foreign(struct pcounter_gpu *gpu, bool stop)
{
	u32 ctrl, foreign = 0;
	unsigned int i;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	for (i = 0; awake && i < gpu->topo.nr; i++) {
		const struct pcounter_block *b = &gpu->dom[i].block;

		if (gpu->dom[i].saved || !pcounter_ctrl_records(b, &ctrl))
			continue;
		foreign |= BIT(i);
		if (!stop)
			continue;
		gpu->record->foreign_ctrl[i] = ctrl;
		pcounter_reg_write(b, PCOUNTER_REG_CTRL, pcounter_ctrl_in_quad(b, ctrl));
	}
	return foreign;
}

/*
 * Foreign domains must not write through the driver's channel. If the position of one
 * moves, somebody is using it.
 */
static int foreign_stop(struct pcounter_gpu *gpu)
{
	u32 foreign = find_foreign(gpu, false), before[PCOUNTER_VM_WINDOWS];
	unsigned int i;

	if (!foreign)
		return 0;
	for (i = 0; i < gpu->topo.nr; i++)
		before[i] = read_status(&gpu->dom[i]);
	usleep_range(FOREIGN_US, 2 * FOREIGN_US);
	for (i = 0; i < gpu->topo.nr; i++)
		if (foreign & BIT(i) && read_status(&gpu->dom[i]) != before[i])
			return -EBUSY;
	find_foreign(gpu, true);
	return 0;
}

static void foreign_forget(struct pcounter_record *r)
{
	r->saved_reset = false;
	memset(r->foreign_ctrl, 0, sizeof(r->foreign_ctrl));
}

/* Restore the state from before the driver, except of domains that the driver uses now. */
static void foreign_restore(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	if (awake && r->saved_reset)
		pcounter_ctrl_reset(gpu->io, true);
	for (i = 0; awake && i < gpu->topo.nr; i++)
		if (r->foreign_ctrl[i] && !gpu->dom[i].saved)
			pcounter_reg_write(&gpu->dom[i].block, PCOUNTER_REG_CTRL,
					   r->foreign_ctrl[i]);
	foreign_forget(r);
}

/* ---- the channel ---- */

/* Return the channel's value of RECORD_CHAN. */
static u32 descriptor(const struct pcounter_record *r)
{
	return FIELD_PREP(CHAN_ADDRESS, r->chan.dma >> CHAN_ADDRESS_SHIFT) |
	       FIELD_PREP(CHAN_TARGET, TARGET_SNOOPED) | NV40_RECORD_CHAN_VALID;
}

/* Make a channel in which nothing is mapped. */
static int make_channel(struct pcounter_gpu *gpu)
{
	u32 object, pd_offset = pcounter_gpu_read(gpu, G84_VM_PD_OFFSET);
	struct pcounter_record *r = gpu->record;
	int err;

	/* 0 if the MMU does not say where it looks for the directory */
	r->directory = pd_offset & ~7u ?: CHAN_DIRECTORY;
	if (pcounter_is_dead(pd_offset) || r->directory > CHAN_DIRECTORY_MAX)
		return -EIO;
	err = mem_alloc(gpu->io->dev, &r->chan, CHAN_SIZE);
	if (err)
		return err;
	/* entries of 0 are not present; the limit is above all mapped addresses */
	object = r->directory + CHAN_DIRECTORY_SIZE;
	put32(&r->chan, object, OBJECT_PAGED);
	put32(&r->chan, object + 4, ~0u);
	put32(&r->chan, object + 12, OBJECT_LIMIT_HIGH);
	return 0;
}

/**
 * pcounter_channel_alloc() - prepare the address space and the channel
 * @gpu: the GPU
 *
 * Does nothing if there is a channel already. The first ring binds it.
 *
 * Return: 0 or a negative errno, see pcounter_record_get().
 */
int pcounter_channel_alloc(struct pcounter_gpu *gpu)
{
	int err;

	if (READ_ONCE(gpu->record->channel) != PCOUNTER_CHANNEL_NONE)
		return 0;
	err = foreign_stop(gpu);
	if (!err)
		err = gpu->io->ops->dma(gpu->io, true);
	if (err) {
		foreign_restore(gpu);
		return err;
	}
	err = make_channel(gpu);
	if (err)
		pcounter_channel_free(gpu);
	return err;
}

/* Let PCOUNTER know the channel and its address space, with all rings. */
static int channel_bind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	if (!channel_flush(gpu))
		return -EIO;
	if (READ_ONCE(r->channel) != PCOUNTER_CHANNEL_NONE)
		return 0;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return -EIO;
	r->saved_chan = pcounter_rd32(gpu->io, NV40_RECORD_CHAN);
	r->saved_dma = pcounter_rd32(gpu->io, NV40_RECORD_DMA);
	pcounter_record_bind(gpu->io, descriptor(r),
			     (r->directory + CHAN_DIRECTORY_SIZE) / CHAN_OBJECT_ALIGN);
	r->saved_reset = pcounter_ctrl_reset(gpu->io, false);
	r->channel = PCOUNTER_CHANNEL_BOUND;
	return 0;
}

/* Selector 0 is an object through which nothing can be written. */
static void channel_unbind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	if (r->channel != PCOUNTER_CHANNEL_NONE && awake) {
		pcounter_record_bind(gpu->io, descriptor(r), 0);
		pcounter_record_bind(gpu->io, r->saved_chan & ~NV40_RECORD_CHAN_VALID,
				     r->saved_dma);
		/* writes are posted: a read waits until they have arrived */
		pcounter_rd32(gpu->io, NV40_RECORD_CHAN);
	}
	/* a reset has cleared the state from before the driver */
	if (r->channel == PCOUNTER_CHANNEL_RESET)
		foreign_forget(r);
	r->channel = PCOUNTER_CHANNEL_NONE;
}

/**
 * pcounter_channel_free() - free the channel, if no stream is left
 * @gpu: the GPU
 */
void pcounter_channel_free(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		if (gpu->dom[i].stream)
			return;
	if (READ_ONCE(r->channel) != PCOUNTER_CHANNEL_STUCK) {
		channel_unbind(gpu);
		mem_free(gpu->io->dev, &r->chan);
	}
	gpu->io->ops->dma(gpu->io, false);
	if (READ_ONCE(r->channel) != PCOUNTER_CHANNEL_STUCK)
		foreign_restore(gpu);
}

/**
 * pcounter_channel_wait() - wait for the last packet of a domain that was stopped
 * @d: the domain
 *
 * Return: RECORD_STATUS, PCOUNTER_DEAD if the GPU sleeps.
 */
u32 pcounter_channel_wait(struct pcounter_domain *d)
{
	/* the read pushes out the write that stopped the domain, and the last packet */
	read_status(d);
	usleep_range(LAST_PACKET_US, 2 * LAST_PACKET_US);
	return read_status(d);
}

/* ---- pages of a ring ---- */

/*
 * Each domain has a window, or a share of one. A reader's ring has a window behind the
 * domains' windows, or half of the domain's share.
 */
static void set_addresses(const struct pcounter_domain *d, bool whole, struct pcounter_ring *ring)
{
	if (d->gpu->gen->caps & PCOUNTER_CAP_RECORD_HIGH) {
		ring->high = d->index + (ring->reader ? PCOUNTER_VM_WINDOWS : 0);
		ring->size = WINDOW;
		ring->entry = ring->high * WINDOW_TABLES;
		ring->entries = whole ? WINDOW_TABLES : 1;
		return;
	}
	ring->base = d->index << SHARE_SHIFT;
	ring->size = BIT(SHARE_SHIFT - 1);
	ring->entry = d->index;
	ring->entries = 1;
	if (ring->reader) {
		ring->base |= BIT(SHARE_SHIFT - 1);
		ring->half_of = &d->stream->own->table;
	}
}

static int alloc_pages_own(struct pcounter_ring *ring, unsigned int nr_pages)
{
	unsigned int i;
	int err;

	err = mem_alloc(ring->dev, &ring->mem, (size_t)nr_pages * PCOUNTER_VM_PAGE);
	if (err)
		return err;
	for (i = 0; i < nr_pages; i++) {
		ring->page[i].cpu = ring->mem.cpu + i * PCOUNTER_VM_PAGE;
		ring->page[i].dma = ring->mem.dma + i * PCOUNTER_VM_PAGE;
	}
	ring->nr_pages = nr_pages;
	memset(ring->mem.cpu, 0xff, ring->mem.size);
	return 0;
}

static int map_pages(struct pcounter_ring *ring, void **pages, unsigned int nr_pages)
{
	unsigned int i;

	for (i = 0; i < nr_pages; i++) {
		struct pcounter_page *page = &ring->page[i];

		memset(pages[i], 0xff, PCOUNTER_VM_PAGE);
		cond_resched();
		page->cpu = pages[i];
		page->dma = dma_map_page(ring->dev, virt_to_page(pages[i]), 0,
					 PCOUNTER_VM_PAGE, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(ring->dev, page->dma))
			return -ENOMEM;
		ring->nr_pages = i + 1;
		if (page->dma & ~PAGE_ADDRESS)
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
		mem_free(ring->dev, &ring->mem);
		mem_free(ring->dev, &ring->table);
	}
	ring->nr_pages = 0;
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
			val = ring->page[i & (ring->nr_pages - 1)].dma | PTE_PRESENT |
			      FIELD_PREP(PTE_TARGET, TARGET_SNOOPED);
		put64(table, i * sizeof(u64), val);
	}
}

/* Let the ring's entries of the directory share a page table (hw:ambiguities/25). */
static void set_directory(struct pcounter_record *r, const struct pcounter_ring *ring, u64 val)
{
	unsigned int i;

	for (i = 0; i < ring->entries; i++)
		put64(&r->chan, r->directory + (ring->entry + i) * sizeof(u64), val);
}

/* Put a ring into the GPU's address space, which takes effect at the next TLB flush. */
static int map_ring(struct pcounter_record *r, struct pcounter_ring *ring)
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
	set_directory(r, ring, ring->table.dma | PDE_SMALL |
			       FIELD_PREP(PDE_TARGET, TARGET_SNOOPED));
	return 0;
}

/* Take a ring out of the GPU's address space: until the next TLB flush all memory must stay. */
static void unmap_ring(struct pcounter_record *r, struct pcounter_ring *ring)
{
	if (ring->half_of)
		fill_table(ring->half_of, PCOUNTER_VM_HALF, NULL);
	else
		set_directory(r, ring, 0);
}

/**
 * pcounter_ring_alloc() - make a ring that the GPU knows, all slots of which are empty
 * @d: the domain
 * @pages: pages of a reader, NULL for memory of the driver
 * @nr_pages: number of pages, a power of 2
 * @whole: repeat them in all addresses of the ring, else in the first 512 MiB
 *
 * Slots are emptied here, since it would take too long with interrupts off.
 *
 * Return: the ring, for kvfree(), or an ERR_PTR().
 */
struct pcounter_ring *pcounter_ring_alloc(struct pcounter_domain *d, void **pages,
					  unsigned int nr_pages, bool whole)
{
	struct pcounter_gpu *gpu = d->gpu;
	struct pcounter_ring *ring = kvzalloc(struct_size(ring, page, nr_pages), GFP_KERNEL);
	int err;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->dev = gpu->io->dev;
	ring->reader = pages;
	ring->clean = true;
	set_addresses(d, whole, ring);
	err = pages ? map_pages(ring, pages, nr_pages) : alloc_pages_own(ring, nr_pages);
	if (!err)
		err = map_ring(gpu->record, ring);
	if (!err)
		err = channel_bind(gpu);
	if (!err)
		return ring;
	/* nothing was written there that the TLB could remember */
	unmap_ring(gpu->record, ring);
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
	unmap_ring(gpu->record, ring);
	put_pages(ring, channel_forget(gpu));
}
