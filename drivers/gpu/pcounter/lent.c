// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver lends to the laboratory, a separate module: GPUs, its files in debugfs,
 * one by one registers, and functions.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "compat.h"
#include "hw/idle.h"
#include "hw/io.h"
#include "hw/registers.h"
#include "lent.h"
#include "perf/types.h"
#include "record/memory.h"
#include "rules/chip.h"
#include "rules/lookup.h"

static LIST_HEAD(gpus);
static const struct pcounter_lab *lent_files;	/* NULL: the laboratory is not loaded */
static DEFINE_MUTEX(lent_lock);			/* protects both, and pcounter_pmu.lab */

/* Create the files of a GPU that is lent, or remove them; then wait for an experiment. */
static void lent_show(struct pcounter_pmu *ppmu)
{
	lockdep_assert_held(&lent_lock);
	debugfs_remove(ppmu->lab);
	ppmu->lab = NULL;
	if (!lent_files || list_empty(&ppmu->lent_node))
		return;
	ppmu->lab = debugfs_create_dir("lab", ppmu->debugfs);
	debugfs_create_file("experiment", 0600, ppmu->lab, &ppmu->gpu, lent_files->experiment);
	debugfs_create_file("registers", 0400, ppmu->lab, &ppmu->gpu, lent_files->registers);
}

/**
 * pcounter_lend_files() - create the files of the laboratory for all GPUs
 * @lab: its files, NULL to remove them
 *
 * An open file has a reference to the laboratory, so no experiment runs when the files
 * are removed.
 */
void pcounter_lend_files(const struct pcounter_lab *lab)
{
	struct pcounter_pmu *ppmu;

	guard(mutex)(&lent_lock);
	lent_files = lab;
	list_for_each_entry(ppmu, &gpus, lent_node)
		lent_show(ppmu);
}
EXPORT_SYMBOL_NS_GPL(pcounter_lend_files, PCOUNTER_NAMESPACE);

/**
 * pcounter_lent_add() - let the laboratory use a GPU; again, after pcounter_lent_remove()
 * @ppmu: the PMU, with its folder in debugfs
 */
void pcounter_lent_add(struct pcounter_pmu *ppmu)
{
	guard(mutex)(&lent_lock);
	list_move_tail(&ppmu->lent_node, &gpus);
	lent_show(ppmu);
}

/**
 * pcounter_lent_remove() - take a GPU from the laboratory; wait for an experiment
 * @ppmu: the PMU
 *
 * Comes before the end of record mode: an experiment has the memory of a stream.
 */
void pcounter_lent_remove(struct pcounter_pmu *ppmu)
{
	guard(mutex)(&lent_lock);
	list_del_init(&ppmu->lent_node);
	lent_show(ppmu);
}

/**
 * pcounter_gpu_access() - read or write a register
 * @gpu: the GPU
 * @addr: the register
 * @read: set to the value; NULL: write
 * @write: the value to write; only while the GPU is lent
 *
 * Each call accesses only one register, since interrupts are off during the access.
 *
 * Return: false if the GPU sleeps, or has left.
 */
bool pcounter_gpu_access(struct pcounter_gpu *gpu, u32 addr, u32 *read, u32 write)
{
	CLASS(pcounter_ref, ref)(gpu);
	if (!ref)
		return false;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	if (awake && read)
		*read = pcounter_rd32(gpu->io, addr);
	else if (awake)
		pcounter_wr32(gpu->io, addr, write);
	return awake;
}
EXPORT_SYMBOL_NS_GPL(pcounter_gpu_access, PCOUNTER_NAMESPACE);

/* ---- symbols for the laboratory ---- */

/*
 * Functions of files that are also built for user space, where the unit tests call them,
 * so that these files cannot export them.
 */
#define LENDS(name)	EXPORT_SYMBOL_NS_GPL(name, PCOUNTER_NAMESPACE)

/* The GPU as a whole, and memory for packets. */
LENDS(pcounter_gpu_lend);
LENDS(pcounter_gpu_reclaim);
LENDS(pcounter_record_get);
LENDS(pcounter_record_put);
LENDS(pcounter_gf100_bind);

/* Addresses of a chip's registers and signals: pure functions, which exist here already. */
LENDS(pcounter_is_dead);
LENDS(pcounter_reg_addr);
LENDS(pcounter_status_addr);
LENDS(pcounter_pdaemon_slots);
LENDS(pcounter_topo_find);
LENDS(pcounter_trailer_of);
LENDS(pcounter_signals);
LENDS(pcounter_signal_names);
