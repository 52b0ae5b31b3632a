// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a GPU: it is made, lent to a borrower, and leaves.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "count/gpu.h"
#include "hw/io.h"

/**
 * pcounter_gpu_init() - prepare a GPU; writes no register
 * @gpu: zeroed memory
 * @chip: which chip it is
 * @gen: its generation
 * @io: access to its registers
 *
 * Return: 0 or -ENOMEM.
 */
int pcounter_gpu_init(struct pcounter_gpu *gpu, const struct pcounter_chip *chip,
		      const struct pcounter_gen *gen, struct pcounter_io *io)
{
	const struct pcounter_reg_table *table = gen->table;
	struct pcounter_domain *d;
	u32 gpcs = 0, parts = 0;

	raw_spin_lock_init(&gpu->lock);
	gpu->chip = chip;
	gpu->gen = gen;
	gpu->io = io;
	gpu->muxes.topo = &gpu->topo;
	gpu->muxes.io = io;
	gpu->losses = io->losses;
	gpu->most_ns = U64_MAX;
	/* never equal to a domain's before its first sync */
	gpu->snapshot = 1;
	if (table->units)
		table->units(gen, io, &gpcs, &parts);
	pcounter_topo_build(&gpu->topo, chip, gen->caps, gpcs, parts);
	if (table->tpcs)
		table->tpcs(io, &gpu->topo);
	gpu->dom = kvcalloc(gpu->topo.nr, sizeof(*gpu->dom), GFP_KERNEL);
	if (!gpu->dom)
		return -ENOMEM;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		d->gpu = gpu;
		d->index = d - gpu->dom;
		d->id = &gpu->topo.dom[d->index];
		d->block = (struct pcounter_block){
			.gen = gen,
			.ctrl = pcounter_ctrl_of(gen, d->id->block),
			.io = io,
			.nr = d->id->block,
		};
	}
	return 0;
}

/**
 * pcounter_gpu_free() - free the memory of pcounter_gpu_init()
 * @gpu: the GPU
 */
void pcounter_gpu_free(struct pcounter_gpu *gpu)
{
	kvfree(gpu->dom);
}

/**
 * pcounter_gpu_lend() - lend the GPU to a borrower, and refuse events
 * @gpu: the GPU; its lock is not held
 *
 * The GPU stays awake until pcounter_gpu_reclaim(). The borrower leaves the registers
 * as it finds them.
 *
 * Return: 0; -EBUSY if an event is open, or the GPU is lent already; -EAGAIN if it
 * sleeps; -EAGAIN or -ENODEV if it has left.
 */
int pcounter_gpu_lend(struct pcounter_gpu *gpu)
{
	int err;

	if (!pcounter_gpu_get(gpu))
		return -EAGAIN;
	scoped_guard(raw_spinlock_irqsave, &gpu->lock) {
		err = pcounter_gpu_refuses(gpu);
		if (!err && gpu->opened)
			err = -EBUSY;
		gpu->lent |= !err;
	}
	if (err)
		pcounter_gpu_put(gpu);
	return err;
}

/**
 * pcounter_gpu_reclaim() - take a lent GPU back, and allow events again
 * @gpu: the GPU; its lock is not held
 */
void pcounter_gpu_reclaim(struct pcounter_gpu *gpu)
{
	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		gpu->lent = false;
	pcounter_gpu_put(gpu);
}

/**
 * pcounter_gpu_leave() - end all accesses to the registers of a GPU that leaves
 * @gpu: the GPU; its lock is not held
 * @restore: update the counts, and restore the registers; only while the registers can be
 *	read, and before another driver has the GPU
 *
 * Takes a reference of its own, since the reference of the open events may end.
 */
void pcounter_gpu_leave(struct pcounter_gpu *gpu, bool restore)
{
	CLASS(pcounter_ref, ref)(restore ? gpu : NULL);
	bool awake;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock) {
		awake = ref && pcounter_gpu_check_power(gpu);
		if (awake) {
			pcounter_gpu_poll(gpu);
			pcounter_idle_latch(&gpu->idle);
		}
		gpu->gone = true;
	}
	if (awake)
		pcounter_gpu_restore(gpu);
}
