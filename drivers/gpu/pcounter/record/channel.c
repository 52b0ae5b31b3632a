// SPDX-License-Identifier: GPL-2.0-only
/*
 * The channel of record mode, through which PCOUNTER writes packets, and the state of the
 * engine that is restored when the last stream is gone. The functions may sleep; the
 * caller holds record->mutex.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dev_printk.h>
#include <linux/errno.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "record/record.h"

/* A domain that records makes a packet in this time; the slowest PERIODIC at 30 MHz does. */
#define FOREIGN_US		2200

/* No register shows that no packet is on its way, but then the position stands still. */
#define WAIT_POLLS		50
#define WAIT_POLL_US		200
#define WAIT_QUIET		5

#define FLUSH_POLL_US		50
/* Retries where flushes of other engines come in between. */
#define FLUSH_TRIES		8
/* Upper bound on engines: there are fewer, and a mask has room for these. */
#define ENGINES			32

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
static bool flush_begin(struct pcounter_gpu *gpu, u32 engine, u32 *val)
{
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	*val = PCOUNTER_DEAD;
	return awake && pcounter_tlb_flush(gpu->io, engine, val);
}

/* Return 0 if the flush is done and no other one was seen; -EAGAIN; -EIO. */
static int flush_once(struct pcounter_gpu *gpu, u32 engine)
{
	struct pcounter_record *r = gpu->record;
	bool collision;
	unsigned int i;
	u32 val;

	/* another driver may have requested one */
	if (!pcounter_gpu_wait(gpu, G80_VM_FLUSH, G80_VM_FLUSH_BUSY, FLUSH_POLL_US))
		return -EIO;
	if (!flush_begin(gpu, engine, &val))
		return val == PCOUNTER_DEAD ? -EIO : -EAGAIN;
	collision = flush_collides(r, val, engine);
	for (i = 0; i < PCOUNTER_WAIT_POLLS && val & G80_VM_FLUSH_BUSY; i++) {
		usleep_range(FLUSH_POLL_US, 2 * FLUSH_POLL_US);
		val = pcounter_gpu_read(gpu, G80_VM_FLUSH);
		if (val == PCOUNTER_DEAD)
			return -EIO;
		collision |= flush_collides(r, val, engine);
	}
	if (val & G80_VM_FLUSH_BUSY)
		return -EIO;
	return collision ? -EAGAIN : 0;
}

static bool flush_engine_certainly(struct pcounter_gpu *gpu, u32 engine)
{
	unsigned int i;
	int err = -EAGAIN;

	for (i = 0; err == -EAGAIN && i < FLUSH_TRIES; i++)
		err = flush_once(gpu, engine);
	return !err;
}

/*
 * Repeat flushes that another driver believes to be done. PGRAPH may hang when it is
 * flushed while it works (hw:memory/tlb), and only its driver can halt it: log that.
 */
static void flush_for_others(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	u32 owed = r->flushes_owed & ~BIT(G80_VM_ENGINE_PGRAPH);
	unsigned int i;

	if (r->flushes_owed & BIT(G80_VM_ENGINE_PGRAPH))
		dev_warn_once(gpu->io->dev,
			      "pcounter: a TLB flush of the graphics driver may have been lost\n");
	r->flushes_owed = 0;
	for (i = 0; i < ENGINES; i++)
		if (owed & BIT(i))
			flush_engine_certainly(gpu, i);
	r->flushes_owed = 0;
}

/**
 * pcounter_channel_flush() - let PCOUNTER forget all translations
 * @gpu: the GPU
 *
 * The graphics driver flushes by the same register, with a lock that this driver cannot
 * take, and one of two flushes at once may be lost. Where the register shows that there
 * were two, both are repeated. Each flush is done twice in any case.
 *
 * Return: true if the translations are certainly forgotten.
 */
bool pcounter_channel_flush(struct pcounter_gpu *gpu)
{
	unsigned int i;
	bool done = true;

	for (i = 0; done && i < 2; i++)
		done = flush_engine_certainly(gpu, G80_VM_ENGINE_PCOUNTER);
	flush_for_others(gpu);
	return done;
}

/**
 * pcounter_channel_forget() - let PCOUNTER forget translations of memory that is freed
 * @gpu: the GPU, which may have left
 *
 * A leak is better than a GPU that writes into memory of somebody else.
 *
 * Return: false if the GPU may still know the memory; then it leaks, and record mode ends.
 */
bool pcounter_channel_forget(struct pcounter_gpu *gpu)
{
	if (gpu->gone || pcounter_channel_flush(gpu))
		return true;
	if (gpu->record->channel != PCOUNTER_CHANNEL_STUCK)
		dev_warn(gpu->io->dev,
			 "pcounter: the TLB is not flushed: record mode ends, its memory is kept\n");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->record->channel = PCOUNTER_CHANNEL_STUCK;
	return false;
}

/* ---- domains that a former user left in record mode ---- */

/* Return RECORD_STATUS of a domain, PCOUNTER_DEAD if the GPU sleeps. */
static u32 read_status(struct pcounter_gpu *gpu, unsigned int dom)
{
	return pcounter_gpu_read(gpu, pcounter_reg_addr(gpu->gen, PCOUNTER_REG_RECORD_STATUS,
							gpu->dom[dom].block.nr));
}

/* Return the mask of domains in record mode that are not the driver's; save their CTRL. */
static u32 find_foreign(struct pcounter_gpu *gpu)
{
	unsigned int i;
	u32 foreign = 0;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	for (i = 0; awake && i < gpu->topo.nr; i++)
		if (!pcounter_domain_is_saved(&gpu->dom[i]) &&
		    pcounter_ctrl_records(&gpu->dom[i].block, &gpu->record->foreign_ctrl[i]))
			foreign |= BIT(i);
	return foreign;
}

/* Stop foreign domains, or restore them, unless they have become the driver's. */
static void write_foreign(struct pcounter_gpu *gpu, bool restore)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	if (awake && restore && r->saved_reset)
		pcounter_ctrl_reset(gpu->io, true);
	for (i = 0; awake && i < gpu->topo.nr; i++) {
		const struct pcounter_block *b = &gpu->dom[i].block;
		u32 ctrl = r->foreign_ctrl[i];

		if (r->foreign_domains & BIT(i) && !pcounter_domain_is_saved(&gpu->dom[i]))
			pcounter_reg_write(b, PCOUNTER_REG_CTRL,
					   restore ? ctrl : pcounter_ctrl_in_quad(b, ctrl));
	}
}

/* Restore the state from before the driver. */
static void foreign_restore(struct pcounter_gpu *gpu)
{
	write_foreign(gpu, true);
	gpu->record->saved_reset = false;
	gpu->record->foreign_domains = 0;
}

/*
 * Foreign domains must not write through the driver's channel. If the position of one
 * moves, somebody is using it.
 */
static int foreign_stop(struct pcounter_gpu *gpu)
{
	u32 foreign = find_foreign(gpu), before[PCOUNTER_VM_WINDOWS];
	unsigned int i;

	if (!foreign)
		return 0;
	for (i = 0; i < gpu->topo.nr; i++)
		before[i] = read_status(gpu, i);
	usleep_range(FOREIGN_US, 2 * FOREIGN_US);
	for (i = 0; i < gpu->topo.nr; i++)
		if (foreign & BIT(i) && read_status(gpu, i) != before[i])
			return -EBUSY;
	gpu->record->foreign_domains = foreign;
	write_foreign(gpu, false);
	return 0;
}

/* ---- the channel ---- */

/* A GPU that falls asleep forgets the channel, and packets that are on their way. */
static int stay_awake(struct pcounter_gpu *gpu, bool awake)
{
	return gpu->io->ops->stay_awake ? gpu->io->ops->stay_awake(gpu->io, awake) : 0;
}

/**
 * pcounter_channel_alloc() - prepare the address space and the channel
 * @gpu: the GPU
 *
 * Does nothing if there is a channel already.
 *
 * Return: 0 or a negative errno, see pcounter_record_get().
 */
int pcounter_channel_alloc(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	u32 pd_offset;
	int err;

	if (r->channel != PCOUNTER_CHANNEL_NONE)
		return 0;
	err = stay_awake(gpu, true);
	if (err)
		return err;
	err = foreign_stop(gpu);
	if (err)
		goto err_sleep;
	err = gpu->io->ops->dma(gpu->io, true);
	if (err)
		goto err_restore;
	pd_offset = pcounter_gpu_read(gpu, G84_VM_PD_OFFSET);
	err = pcounter_is_dead(pd_offset) ? -EIO :
	      pcounter_vm_init(gpu, pd_offset);
	if (!err)
		return 0;
	gpu->io->ops->dma(gpu->io, false);
err_restore:
	foreign_restore(gpu);
err_sleep:
	stay_awake(gpu, false);
	return err;
}

/**
 * pcounter_channel_bind() - let PCOUNTER know the channel and its address space
 * @gpu: the GPU
 *
 * Return: 0, -EIO if the GPU does not bind it.
 */
int pcounter_channel_bind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	if (!pcounter_channel_flush(gpu))
		return -EIO;
	if (r->channel != PCOUNTER_CHANNEL_NONE)
		return 0;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return -EIO;
	pcounter_record_load(gpu->io, &r->saved_chan, &r->saved_dma);
	pcounter_record_bind(gpu->io, pcounter_vm_descriptor(&r->vm),
			     pcounter_vm_selector(&r->vm));
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
		pcounter_record_bind(gpu->io, pcounter_vm_descriptor(&r->vm), 0);
		pcounter_record_unbind(gpu->io, r->saved_chan, r->saved_dma);
	}
	/* a reset has cleared the state from before the driver */
	if (r->channel == PCOUNTER_CHANNEL_RESET) {
		r->saved_reset = false;
		r->foreign_domains = 0;
	}
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

	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++)
		if (r->stream[i])
			return;
	if (r->channel != PCOUNTER_CHANNEL_STUCK) {
		channel_unbind(gpu);
		pcounter_vm_free(gpu);
		gpu->io->ops->dma(gpu->io, false);
		foreign_restore(gpu);
	}
	stay_awake(gpu, false);
}

/**
 * pcounter_channel_wait() - wait for the last packet of a domain that was stopped
 * @gpu: the GPU
 * @dom: domain index
 *
 * Return: RECORD_STATUS, PCOUNTER_DEAD if the GPU sleeps.
 */
u32 pcounter_channel_wait(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned int i, quiet = 0;
	u32 status = 0, before;

	for (i = 0; i < WAIT_POLLS && quiet < WAIT_QUIET; i++) {
		before = status;
		status = read_status(gpu, dom);
		quiet = status == before ? quiet + 1 : 0;
		usleep_range(WAIT_POLL_US, 2 * WAIT_POLL_US);
	}
	return status;
}
