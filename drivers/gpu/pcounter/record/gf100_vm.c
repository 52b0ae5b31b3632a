// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way of records to memory from GF100 on (hw:memory/gf100, hw:stream/order): an
 * instance block with an address space of its own, page tables in system memory, and the
 * ring that is bound. No VRAM is used, and nothing of the graphics driver's changes.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dev_printk.h>
#include <linux/errno.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "record/memory.h"

/* Instance block, with a directory of a page behind it */
#define INSTANCE_DIRECTORY	0x200
#define INSTANCE_LIMIT		0x208
#define INSTANCE_SIZE		(2 * PCOUNTER_VM_PAGE)
/* The last address: the directory has entries for more, of either size. */
#define LAST_ADDRESS		GENMASK_ULL(34, 0)

/* Snooped system memory, with the bit VOL that nouveau sets for it */
#define SPACE_SNOOPED		6
#define PDE_SNOOPED		(6ULL << 32)
#define PDE_ADDRESS_UP		24		/* bits 12 to 39 at 36 to 63 */
#define PTE_SNOOPED		(5ULL << 32 | BIT(0))
#define PTE_ADDRESS_DOWN	8		/* the same at 4 to 31 */

#define TABLE_SHIFT		27		/* or one less */

#define MODE_C			3		/* of CTRL: the other mode that makes records */

#define POLLS			400
#define POLL_US			50
/* Assumed: time from the stop of a domain until its last record has landed. */
#define LAST_RECORD_US		2000

/* ---- the address space ---- */

static int gf100_make(struct pcounter_gpu *gpu)
{
	u32 queue = pcounter_gpu_read(gpu, GF100_VM_QUEUE);
	struct pcounter_record *r = gpu->record;
	int err;

	if (pcounter_is_dead(queue))
		return -EIO;
	err = pcounter_memory_alloc(gpu->io->dev, &r->chan, INSTANCE_SIZE);
	if (err)
		return err;
	r->directory = PCOUNTER_VM_PAGE;
	r->table_shift = TABLE_SHIFT - (queue & GF100_VM_QUEUE_HALF ? 1 : 0);
	pcounter_put64(&r->chan, INSTANCE_DIRECTORY, (r->chan.dma + r->directory) | SPACE_SNOOPED);
	pcounter_put64(&r->chan, INSTANCE_LIMIT, LAST_ADDRESS);
	return 0;
}

/* One ring at a time is bound; a reader's ring is made while the other one is. */
static void gf100_place(const struct pcounter_domain *d, struct pcounter_ring *ring)
{
	/* no ring crosses a multiple of 4 GiB */
	ring->address = ring->reader ? PCOUNTER_VM_WINDOW : 0;
	ring->size = PCOUNTER_VM_WINDOW;
}

/*
 * Flush by one write, which other drivers cannot disturb: it needs no register with a
 * directory. It costs them their cached translations once.
 */
static bool begin_flush(struct pcounter_gpu *gpu)
{
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	u32 queue;

	if (!awake)
		return false;
	queue = pcounter_rd32(gpu->io, GF100_VM_QUEUE);
	if (pcounter_is_dead(queue) || !(queue & GF100_VM_QUEUE_FREE))
		return false;
	pcounter_wr32(gpu->io, GF100_VM_FLUSH, GF100_VM_FLUSH_ALL);
	return true;
}

/* Once records were on their way for too long, nothing is certain any more. */
static bool gf100_flush(struct pcounter_gpu *gpu)
{
	bool begun = false;
	unsigned int i;
	u32 queue;

	for (i = 0; i < POLLS && READ_ONCE(gpu->record->channel) != PCOUNTER_CHANNEL_STUCK; i++) {
		begun = begun || begin_flush(gpu);
		queue = pcounter_gpu_read(gpu, GF100_VM_QUEUE);
		if (begun && !pcounter_is_dead(queue) && queue & GF100_VM_QUEUE_EMPTY)
			return true;
		usleep_range(POLL_US, 2 * POLL_US);
	}
	return false;
}

/* ---- the unit ---- */

/* Return -EBUSY if somebody else lets domains record, or has bound a ring. */
static int gf100_claim(struct pcounter_gpu *gpu)
{
	const u32 record = gpu->gen->table->ctrl[0].record, mode = gpu->gen->table->ctrl[0].mode;
	struct pcounter_domain *d;
	u32 val;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return -EAGAIN;
	val = pcounter_rd32(gpu->io, GF100_RECORD_CHAN);
	if (pcounter_is_dead(val))
		return -EIO;
	if (val & NV40_RECORD_CHAN_VALID)
		return -EBUSY;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		val = pcounter_reg_read(&d->block, PCOUNTER_REG_CTRL);
		if (!pcounter_is_dead(val) &&
		    ((val & mode) == (record & mode) || (val & mode) == MODE_C))
			return -EBUSY;
	}
	return 0;
}

static void set_ring(struct pcounter_io *io, u64 address, u32 bytes)
{
	pcounter_wr32(io, GF100_RECORD_START, address);
	pcounter_wr32(io, GF100_RECORD_HIGH, address >> 32);
	pcounter_wr32(io, GF100_RECORD_SIZE, bytes);
}

/*
 * Documents disagree whether RECORD_CHAN takes the ring or clears it (hw:ambiguities/54):
 * write the ring before and after. An acknowledge of all bytes makes their number 0.
 */
static void bind(struct pcounter_io *io, u32 chan, u64 address, u32 size)
{
	u32 bytes = pcounter_rd32(io, GF100_RECORD_BYTES);

	pcounter_wr32(io, GF100_RECORD_CTRL, GF100_RECORD_CTRL_CLEAR);
	if (!pcounter_is_dead(bytes))
		pcounter_wr32(io, GF100_RECORD_BUMP, bytes);
	set_ring(io, address, size);
	pcounter_wr32(io, GF100_RECORD_CHAN, chan);
	set_ring(io, address, size);
	/* writes are posted: a read waits until they have arrived */
	pcounter_rd32(io, GF100_RECORD_CHAN);
}

/**
 * pcounter_gf100_bind() - let records go to a ring from a place on
 * @gpu: the GPU; no domain records, gpu->lock is held
 * @ring: the ring; all its slots are empty
 * @offset: offset of the first slot in the ring
 *
 * The GPU may write to the whole ring.
 */
void pcounter_gf100_bind(struct pcounter_gpu *gpu, struct pcounter_ring *ring, u32 offset)
{
	struct pcounter_record *r = gpu->record;

	r->bound = ring;
	bind(gpu->io, pcounter_channel_descriptor(r), ring->address + offset,
	     pcounter_ring_bytes(ring));
}

static void gf100_unbind(struct pcounter_gpu *gpu)
{
	gpu->record->bound = NULL;
	bind(gpu->io, 0, 0, 0);
}

static void gf100_unmap(struct pcounter_gpu *gpu, struct pcounter_ring *ring)
{
	scoped_guard(raw_spinlock_irqsave, &gpu->lock) {
		CLASS(pcounter_hold, awake)(gpu);

		if (awake && gpu->record->bound == ring)
			gf100_unbind(gpu);
		if (gpu->record->bound == ring)
			gpu->record->bound = NULL;
	}
	pcounter_vm_unmap(gpu, ring);
}

/* Return true if domains record to a ring: it was bound when the unit was empty. */
static bool goes_on(const struct pcounter_gpu *gpu)
{
	const struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (pcounter_stream_runs(d->stream))
			return !gpu->record->stopping;
	return false;
}

/*
 * Wait until the unit is empty. It stays full after a fault, or if the bit means something
 * else (hw:ambiguities/57): then it may write at any time, and its memory is kept.
 */
static u32 gf100_wait(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	unsigned int i, us;
	u32 status;

	for (i = 0; i < POLLS; i++) {
		scoped_guard(raw_spinlock_irqsave, &gpu->lock)
			if (goes_on(gpu) || gpu->record->channel != PCOUNTER_CHANNEL_BOUND)
				return 0;
		/* the first read pushes out the write that stopped the domain */
		status = pcounter_gpu_read(gpu, GF100_RECORD_STATUS);
		if (i && (pcounter_is_dead(status) || status & GF100_RECORD_STATUS_EMPTY))
			return 0;
		us = i ? POLL_US : LAST_RECORD_US;
		usleep_range(us, 2 * us);
	}
	dev_warn(gpu->io->dev,
		 "pcounter: records are still on their way: record mode ends, its memory is kept\n");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->record->channel = PCOUNTER_CHANNEL_STUCK;
	return 0;
}

static void gf100_nothing(struct pcounter_gpu *gpu)
{
}

const struct pcounter_channel_ops pcounter_channel_gf100 = {
	.format = {
		.pde = PDE_SNOOPED, .pde_up = PDE_ADDRESS_UP,
		.pte = PTE_SNOOPED, .pte_down = PTE_ADDRESS_DOWN,
	},
	.claim = gf100_claim,
	/* it was not claimed unless there was nothing to restore */
	.restore = gf100_nothing,
	.make = gf100_make,
	/* each ring is bound by itself */
	.bind = gf100_nothing,
	.unbind = gf100_unbind,
	.wait = gf100_wait,
	.place = gf100_place,
	.unmap = gf100_unmap,
	.flush = gf100_flush,
};
