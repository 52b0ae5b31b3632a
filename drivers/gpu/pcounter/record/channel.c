// SPDX-License-Identifier: GPL-2.0-only
/*
 * The channel of record mode, through which PCOUNTER writes packets (hw:memory): a bare
 * channel with a page directory and one DMA object in coherent system memory; and the
 * state of the engine that is restored when the last stream is gone. The functions may
 * sleep; the caller holds record->mutex.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "record/memory.h"

/* Channel structure (3) */
#define CHAN_DIRECTORY		0x200		/* where it is unless the MMU says otherwise */
#define CHAN_DIRECTORY_SIZE	0x4000
#define CHAN_DIRECTORY_MAX	0x1000		/* a larger offset is invalid */
#define CHAN_OBJECT_ALIGN	0x10
#define CHAN_SIZE		0x6000

/* Descriptor for RECORD_CHAN (2) */
#define CHAN_ADDRESS_SHIFT	12
#define CHAN_ADDRESS		GENMASK(27, 0)
#define CHAN_TARGET		GENMASK(29, 28)

/* Entries of the page directory (5), with small pages and full tables, and of a table (6) */
#define TABLE_SHIFT		29
#define PDE_SMALL		3
#define PDE_TARGET_SHIFT	2
#define PTE_PRESENT		BIT(0)
#define PTE_TARGET_SHIFT	4

/* DMA object (4) */
#define OBJECT_PAGED		0x7fc00000	/* everything from page tables */
#define OBJECT_LIMIT_HIGH	GENMASK(31, 24)

/* A domain that records makes a packet in this time; the slowest PERIODIC at 30 MHz does. */
#define FOREIGN_US		2200

/* Assumed: time from the stop of a domain until its last packet has landed. */
#define LAST_PACKET_US		2000

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

		if (gpu->dom[i].unit.state != PCOUNTER_UNIT_FREE ||
		    !pcounter_ctrl_records(b, &ctrl))
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
		if (r->foreign_ctrl[i] && gpu->dom[i].unit.state == PCOUNTER_UNIT_FREE)
			pcounter_reg_write(&gpu->dom[i].block, PCOUNTER_REG_CTRL,
					   r->foreign_ctrl[i]);
	foreign_forget(r);
}

/* ---- the channel ---- */

/**
 * pcounter_channel_descriptor() - describe the channel for RECORD_CHAN
 * @r: record mode, with a channel structure
 *
 * Return: the value that binds it.
 */
u32 pcounter_channel_descriptor(const struct pcounter_record *r)
{
	return FIELD_PREP(CHAN_ADDRESS, r->chan.dma >> CHAN_ADDRESS_SHIFT) |
	       FIELD_PREP(CHAN_TARGET, PCOUNTER_TARGET_SNOOPED) | NV40_RECORD_CHAN_VALID;
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
	r->table_shift = TABLE_SHIFT;
	err = pcounter_memory_alloc(gpu->io->dev, &r->chan, CHAN_SIZE);
	if (err)
		return err;
	/* entries of 0 are not present; the limit is above all mapped addresses */
	object = r->directory + CHAN_DIRECTORY_SIZE;
	pcounter_put32(&r->chan, object, OBJECT_PAGED);
	pcounter_put32(&r->chan, object + 4, ~0u);
	pcounter_put32(&r->chan, object + 12, OBJECT_LIMIT_HIGH);
	return 0;
}

static void bind_channel(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	r->saved_chan = pcounter_rd32(gpu->io, NV40_RECORD_CHAN);
	r->saved_dma = pcounter_rd32(gpu->io, NV40_RECORD_DMA);
	pcounter_record_bind(gpu->io, pcounter_channel_descriptor(r),
			     (r->directory + CHAN_DIRECTORY_SIZE) / CHAN_OBJECT_ALIGN);
	r->saved_reset = pcounter_ctrl_reset(gpu->io, false);
}

/* Selector 0 is an object through which nothing can be written. */
static void unbind_channel(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	pcounter_record_bind(gpu->io, pcounter_channel_descriptor(r), 0);
	pcounter_record_bind(gpu->io, r->saved_chan & ~NV40_RECORD_CHAN_VALID, r->saved_dma);
	/* writes are posted: a read waits until they have arrived */
	pcounter_rd32(gpu->io, NV40_RECORD_CHAN);
}

static u32 last_packet(struct pcounter_domain *d)
{
	/* the read pushes out the write that stopped the domain, and the last packet */
	read_status(d);
	usleep_range(LAST_PACKET_US, 2 * LAST_PACKET_US);
	return read_status(d);
}

const struct pcounter_channel_ops pcounter_channel_g84 = {
	.format = {
		.pde = PDE_SMALL | PCOUNTER_TARGET_SNOOPED << PDE_TARGET_SHIFT,
		.pte = PTE_PRESENT | PCOUNTER_TARGET_SNOOPED << PTE_TARGET_SHIFT,
	},
	.claim = foreign_stop,
	.restore = foreign_restore,
	.make = make_channel,
	.bind = bind_channel,
	.unbind = unbind_channel,
	.wait = last_packet,
	.place = pcounter_vm_place,
	.unmap = pcounter_vm_unmap,
	.flush = pcounter_vm_flush,
};

/* ---- the channel of any generation ---- */

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
	const struct pcounter_channel_ops *ops = gpu->record->ops->channel;
	int err;

	if (READ_ONCE(gpu->record->channel) != PCOUNTER_CHANNEL_NONE)
		return 0;
	err = ops->claim(gpu);
	if (!err)
		err = gpu->io->ops->dma(gpu->io, true);
	if (err) {
		ops->restore(gpu);
		return err;
	}
	err = ops->make(gpu);
	if (err)
		pcounter_channel_free(gpu);
	return err;
}

/**
 * pcounter_channel_bind() - let PCOUNTER know the channel and its address space
 * @gpu: the GPU
 *
 * Return: 0 or -EIO.
 */
int pcounter_channel_bind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	if (!r->ops->channel->flush(gpu))
		return -EIO;
	if (READ_ONCE(r->channel) != PCOUNTER_CHANNEL_NONE)
		return 0;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return -EIO;
	r->ops->channel->bind(gpu);
	r->channel = PCOUNTER_CHANNEL_BOUND;
	return 0;
}

static void channel_unbind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	if (r->channel != PCOUNTER_CHANNEL_NONE && awake)
		r->ops->channel->unbind(gpu);
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
		pcounter_memory_free(gpu->io->dev, &r->chan);
		r->ops->channel->restore(gpu);
	}
	gpu->io->ops->dma(gpu->io, false);
}

/**
 * pcounter_channel_wait() - wait for the last packet of a domain that was stopped
 * @d: the domain
 *
 * Return: RECORD_STATUS, 0 if there is none, PCOUNTER_DEAD if the GPU sleeps.
 */
u32 pcounter_channel_wait(struct pcounter_domain *d)
{
	return d->gpu->record->ops->channel->wait(d);
}
