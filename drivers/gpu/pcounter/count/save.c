// SPDX-License-Identifier: GPL-2.0-only
/*
 * A domain's registers are saved at its first use and restored at its last
 * close.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "count/gpu.h"
#include "hw/io.h"

/*
 * Park the swap input on a signal that is constant, or that only the driver
 * raises, so that no foreign trigger ends a period. Where its number is
 * disputed or unknown, a probe finds it.
 */
static void domain_find_zero(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	struct pcounter_dom_id *id = d->id;
	struct pcounter_image img;
	u16 found;

	if (!(gpu->gen->caps & PCOUNTER_CAP_SWAP_SRC))
		return;
	if (id->disputed || id->trailer == PCOUNTER_TRAILER_UNKNOWN) {
		/* quad mode without inputs: sources can be set, and nothing counts */
		pcounter_domain_encode(d, &d->plan, &img);
		pcounter_domain_store(d, &img);
		found = gpu->gen->table->trailer_probe(&d->block, &d->hw);
		/* here the probe raises the swap signal: no answer, no swap */
		if (found != PCOUNTER_TRAILER_UNKNOWN || gpu->gen->table->user_swaps)
			id->trailer = found;
		if (found != PCOUNTER_TRAILER_UNKNOWN)
			id->disputed = false;
	}
	if (id->trailer == PCOUNTER_TRAILER_UNKNOWN)
		pcounter_domain_fault(d, PCOUNTER_FAULT_NO_TRAILER);
	else
		d->zero = id->trailer + pcounter_trailer_of(gpu->gen->caps)->zero;
}

/**
 * pcounter_domain_is_known() - check whether a domain may be written
 * @d: the domain
 *
 * If no document describes a chip, its registers must first read as expected.
 *
 * Return: true if so.
 */
bool pcounter_domain_is_known(const struct pcounter_domain *d)
{
	return !(d->block.gen->caps & PCOUNTER_CAP_INFERRED) ||
	       d->unit.state != PCOUNTER_UNIT_FREE ||
	       d->block.gen->table->is_known(&d->block);
}

/* Return the levels of USER signals, if the register cannot be read back. */
static u32 levels_driven(const struct pcounter_domain *d)
{
	return d->block.gen->table->user_read ? 0 : d->hw.user;
}

static bool any_saved(const struct pcounter_gpu *gpu)
{
	const struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (d->unit.state != PCOUNTER_UNIT_FREE)
			return true;
	return false;
}

/* Save shared registers for the first domain in use. Return false if CTRL does not answer. */
static bool gpu_save_shared(const struct pcounter_domain *d, u32 ctrl)
{
	struct pcounter_gpu *gpu = d->gpu;
	const struct pcounter_reg_table *table = gpu->gen->table;

	if (table->ctrl_answers && gpu->topo.nr > 1 && !table->ctrl_answers(&d->block))
		return false;
	gpu->ctrl = ctrl;
	gpu->ctrl_found = d->found.ctrl;
	if (table->ungate)
		table->ungate(&d->block, gpu->gates);
	return true;
}

/* Read the registers; return the reason if the domain cannot be used. */
static enum pcounter_fault domain_load(struct pcounter_domain *d, struct pcounter_image *now)
{
	struct pcounter_gpu *gpu = d->gpu;

	if (!pcounter_domain_is_known(d))
		return PCOUNTER_FAULT_NOT_KNOWN;
	if (gpu->gen->table->enable)
		gpu->gen->table->enable(gpu->io);
	pcounter_regs_load(&d->block, now);
	if (!pcounter_block_answers(&d->block))
		return PCOUNTER_FAULT_DEAD;
	now->user |= levels_driven(d);
	/* do not take the driver's own values, which a GPU that slept may have kept */
	if (memcmp(now, &d->hw, sizeof(*now)))
		d->found = *now;
	if (!any_saved(gpu) && !gpu_save_shared(d, now->ctrl))
		return PCOUNTER_FAULT_NO_CTRL;
	return PCOUNTER_OK;
}

/**
 * pcounter_domain_save() - save the registers at the first use
 * @d: the domain
 */
void pcounter_domain_save(struct pcounter_domain *d)
{
	struct pcounter_image now;
	enum pcounter_fault fault = domain_load(d, &now);

	if (fault != PCOUNTER_OK) {
		pcounter_domain_fault(d, fault);
		return;
	}
	d->unit.state = PCOUNTER_UNIT_OWNED;
	d->life = 0;
	d->hw = now;
	domain_find_zero(d);
}

/* No domain is in use: restore the registers that domains share. */
static void gpu_restore_shared(struct pcounter_gpu *gpu)
{
	const struct pcounter_reg_table *table = gpu->gen->table;
	struct pcounter_domain *d;

	if (table->restore_ctrl)
		table->restore_ctrl(&gpu->dom[0].block, gpu->ctrl_found);
	if (table->gate)
		table->gate(&gpu->dom[0].block, gpu->gates);
	pcounter_gpu_run_periodic(gpu);
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		if (d->saved_periodic)
			pcounter_run_periodic(&d->block, false);
		d->saved_periodic = false;
	}
}

/* Restore the registers of a domain, where the driver has saved them. */
static bool domain_restore(const struct pcounter_domain *d)
{
	if (d->unit.state == PCOUNTER_UNIT_FREE || d->unit.fault == PCOUNTER_FAULT_DEAD ||
	    d->unit.fault == PCOUNTER_FAULT_SLOW || d->unit.fault == PCOUNTER_FAULT_FOREIGN_WRITE)
		return false;
	pcounter_regs_restore(&d->block, &d->hw, &d->found);
	return true;
}

/* Restore the registers at the last close, unless pcounter_gpu_leave() does. */
static void domain_release(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	u32 levels = levels_driven(d);
	bool restore;

	if (d->mode && d->mode->halt)
		d->mode->halt(d);
	if (gpu->gone)
		return;
	restore = domain_restore(d);
	memset(&d->use, 0, sizeof(d->use));
	d->hw.user = levels;
	if (restore && !any_saved(gpu))
		gpu_restore_shared(gpu);
}

/**
 * pcounter_gpu_restore() - restore all registers of a GPU that is awake
 * @gpu: the GPU; its lock is not held
 *
 * One domain at a time, to keep interrupts off for a short time only.
 */
void pcounter_gpu_restore(struct pcounter_gpu *gpu)
{
	const struct pcounter_domain *d;
	bool restored = false;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		guard(raw_spinlock_irqsave)(&gpu->lock);
		restored |= domain_restore(d);
	}
	guard(raw_spinlock_irqsave)(&gpu->lock);
	if (restored)
		gpu_restore_shared(gpu);
	pcounter_idle_restore(&gpu->idle, true);
}

/**
 * pcounter_gpu_refuses() - check whether events may use a GPU
 * @gpu: the GPU
 *
 * Return: 0, -EBUSY if the GPU is lent, -ENODEV if it has left.
 */
int pcounter_gpu_refuses(const struct pcounter_gpu *gpu)
{
	if (gpu->gone)
		return -ENODEV;
	return gpu->lent ? -EBUSY : 0;
}

/**
 * pcounter_gpu_use() - count an opened event
 * @gpu: the GPU
 *
 * The first event tries a GPU that was too slow once more. The close decrements
 * @gpu->opened.
 *
 * Return: 0, -EBUSY if the GPU is lent, -ENODEV if it has left.
 */
int pcounter_gpu_use(struct pcounter_gpu *gpu)
{
	int err = pcounter_gpu_refuses(gpu);

	if (!err && !gpu->opened++)
		pcounter_io_retry(gpu->io);
	return err;
}

/**
 * pcounter_domain_get() - count an opened event for its domain
 * @gpu: the GPU
 * @req: the event's request
 *
 * Return: 0, -EBUSY if too many muxes are in use or the GPU is lent, -ENODEV if
 * it has left.
 */
int pcounter_domain_get(struct pcounter_gpu *gpu,
			const struct pcounter_request *req)
{
	int err = pcounter_gpu_use(gpu);

	if (err)
		return err;
	err = pcounter_mux_open(&gpu->muxes, req);
	if (err)
		gpu->opened--;
	else
		gpu->dom[req->dom].refs++;
	return err;
}

/**
 * pcounter_domain_put() - count a closed event for its domain
 * @gpu: the GPU
 * @req: the event's request
 *
 * The last close restores the registers, unless another driver uses the domain
 * by then.
 */
void pcounter_domain_put(struct pcounter_gpu *gpu,
			 const struct pcounter_request *req)
{
	struct pcounter_domain *d = &gpu->dom[req->dom];
	bool last = !--d->refs;
	bool uses = (last && d->unit.state != PCOUNTER_UNIT_FREE) || req->mux[0].id;

	CLASS(pcounter_hold, awake)(uses ? gpu : NULL);
	gpu->opened--;
	if (last)
		domain_release(d);
	pcounter_mux_close(&gpu->muxes, req, awake);
}
