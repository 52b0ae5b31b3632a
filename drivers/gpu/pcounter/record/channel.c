// SPDX-License-Identifier: GPL-2.0-only
/*
 * The channel of record mode: what PCOUNTER writes packets through, and the state
 * of the engine that is put back when the last stream is gone. It may sleep;
 * record->mutex is held.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "record/record.h"

/* A domain that records makes a packet in this time; the slowest PERIODIC at 30 MHz does. */
#define FOREIGN_US		2200

static bool any_stream(const struct pcounter_record *r)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_VM_WINDOWS; i++)
		if (r->stream[i])
			return true;
	return false;
}

/* Is a domain that is not ours in record mode? */
static bool is_foreign(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);
	bool records = awake && !pcounter_domain_is_saved(&gpu->dom[dom]) &&
		       pcounter_ctrl_records(gpu->io, gpu->topo.dom[dom].block,
					     &gpu->record->foreign_ctrl[dom]);

	pcounter_gpu_end(gpu, flags, awake);
	return records;
}

/* Unless it has become ours meanwhile. */
static void foreign_write(struct pcounter_gpu *gpu, unsigned int dom, u32 ctrl)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	if (awake && !pcounter_domain_is_saved(&gpu->dom[dom]))
		pcounter_ctrl_write(gpu->io, gpu->topo.dom[dom].block, ctrl);
	pcounter_gpu_end(gpu, flags, awake);
}

/**
 * pcounter_channel_status() - position and fault of a domain, which need not be ours
 * @gpu: the GPU
 * @dom: domain index
 *
 * Return: RECORD_STATUS, PCOUNTER_DEAD if the GPU sleeps.
 */
u32 pcounter_channel_status(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);
	u32 status = PCOUNTER_DEAD;

	if (awake)
		status = pcounter_record_status(gpu->io, gpu->topo.dom[dom].block);
	pcounter_gpu_end(gpu, flags, awake);
	return status;
}

/*
 * A former user may have left domains in record mode. They must not write
 * through our channel; but where the position moves somebody is using them.
 */
static int foreign_halt(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	u32 foreign = 0, before[PCOUNTER_VM_WINDOWS];
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		if (is_foreign(gpu, i))
			foreign |= BIT(i);
	if (!foreign)
		return 0;
	for (i = 0; i < gpu->topo.nr; i++)
		before[i] = pcounter_channel_status(gpu, i);
	usleep_range(FOREIGN_US, 2 * FOREIGN_US);
	for (i = 0; i < gpu->topo.nr; i++)
		if (foreign & BIT(i) && pcounter_channel_status(gpu, i) != before[i])
			return -EBUSY;
	for (i = 0; i < gpu->topo.nr; i++)
		if (foreign & BIT(i))
			foreign_write(gpu, i, pcounter_ctrl_in_quad(r->foreign_ctrl[i]));
	r->foreign_domains = foreign;
	return 0;
}

static bool hold_in_reset(struct pcounter_gpu *gpu, bool set)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);
	bool was = awake ? pcounter_ctrl_reset(gpu->io, set) : set;

	pcounter_gpu_end(gpu, flags, awake);
	return was;
}

static void foreign_restore(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		if (r->foreign_domains & BIT(i))
			foreign_write(gpu, i, r->foreign_ctrl[i]);
	r->foreign_domains = 0;
}

/* A GPU that falls asleep forgets the channel, and all that it is writing. */
static int keep_awake(struct pcounter_gpu *gpu, bool awake)
{
	return gpu->io->ops->keep ? gpu->io->ops->keep(gpu->io, awake) : 0;
}

/**
 * pcounter_channel_open() - prepare the address space and the channel
 * @gpu: the GPU
 *
 * Nothing happens if there is a channel already.
 *
 * Return: 0 or a negative errno, see pcounter_record_open().
 */
int pcounter_channel_open(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	u32 pd_offset;
	int err;

	if (r->bound)
		return 0;
	err = keep_awake(gpu, true);
	if (err)
		return err;
	err = foreign_halt(gpu);
	if (err)
		goto err_sleep;
	err = gpu->io->ops->dma(gpu->io, true);
	if (err)
		goto err_restore;
	pd_offset = pcounter_gpu_read(gpu, pcounter_tlb_pd_offset);
	err = pcounter_is_dead(pd_offset) ? -EIO :
	      pcounter_vm_init(&r->vm, gpu->io->dev, pd_offset);
	if (!err)
		return 0;
	gpu->io->ops->dma(gpu->io, false);
err_restore:
	foreign_restore(gpu);
err_sleep:
	keep_awake(gpu, false);
	return err;
}

/**
 * pcounter_channel_bind() - let PCOUNTER know the channel and its address space
 * @gpu: the GPU
 *
 * Return: 0, -EIO if the GPU does not do it.
 */
int pcounter_channel_bind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	unsigned long flags;
	bool awake;

	if (!pcounter_record_flush(gpu))
		return -EIO;
	if (r->bound)
		return 0;
	awake = pcounter_gpu_begin(gpu, &flags);
	if (awake) {
		pcounter_record_load(gpu->io, &r->chan_found, &r->dma_found);
		pcounter_record_bind(gpu->io, pcounter_vm_descriptor(&r->vm),
				     pcounter_vm_selector(&r->vm));
		r->bound = true;
	}
	pcounter_gpu_end(gpu, flags, awake);
	if (!r->bound)
		return -EIO;
	r->held = hold_in_reset(gpu, false);
	return 0;
}

/* Selector 0 is an object through which nothing can be written. */
static void channel_unbind(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	if (r->bound && awake) {
		pcounter_record_bind(gpu->io, pcounter_vm_descriptor(&r->vm), 0);
		pcounter_record_unbind(gpu->io, r->chan_found, r->dma_found);
	}
	r->bound = false;
	/* nothing of what was there before us has survived */
	if (r->lost) {
		r->held = false;
		r->foreign_domains = 0;
	}
	r->lost = false;
	pcounter_gpu_end(gpu, flags, awake);
}

/**
 * pcounter_channel_close() - undo both, if no stream is left
 * @gpu: the GPU
 */
void pcounter_channel_close(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;

	if (any_stream(r))
		return;
	if (!r->stuck) {
		channel_unbind(gpu);
		pcounter_vm_free(&r->vm);
		gpu->io->ops->dma(gpu->io, false);
		if (r->held)
			hold_in_reset(gpu, true);
		foreign_restore(gpu);
	}
	keep_awake(gpu, false);
}
