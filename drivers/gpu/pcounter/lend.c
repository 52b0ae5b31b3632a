// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interface for the laboratory: files in the folder of each GPU, access to
 * a GPU's registers one at a time, and the exported symbols.
 */
#include <linux/debugfs.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "compat.h"
#include "hw/idle.h"
#include "hw/io.h"
#include "hw/registers.h"
#include "lend.h"
#include "perf/types.h"
#include "record/record.h"
#include "record/session.h"
#include "rules/signals.h"
#include "rules/topo.h"

static LIST_HEAD(lab_gpus);
static const struct pcounter_lab *lab_files;	/* NULL: the laboratory is not loaded */
static DEFINE_MUTEX(lab_lock);			/* protects both, and the laboratory's files */

/* Create the laboratory's files of a GPU, or remove them if it is not loaded. */
static void lab_show(struct pcounter_pmu *ppmu)
{
	debugfs_remove(ppmu->lab);
	ppmu->lab = NULL;
	if (!lab_files)
		return;
	ppmu->lab = debugfs_create_dir("lab", ppmu->debugfs);
	debugfs_create_file("experiment", 0600, ppmu->lab, &ppmu->gpu, lab_files->experiment);
	debugfs_create_file("registers", 0400, ppmu->lab, &ppmu->gpu, lab_files->registers);
}

/**
 * pcounter_lab_add() - let the laboratory use a GPU
 * @ppmu: its PMU, which has its folder in debugfs
 */
void pcounter_lab_add(struct pcounter_pmu *ppmu)
{
	mutex_lock(&lab_lock);
	list_add_tail(&ppmu->lab_node, &lab_gpus);
	lab_show(ppmu);
	mutex_unlock(&lab_lock);
}

/**
 * pcounter_lab_remove() - remove the laboratory's files of a GPU
 * @ppmu: its PMU
 *
 * Wait for an experiment, which restores the registers.
 */
void pcounter_lab_remove(struct pcounter_pmu *ppmu)
{
	mutex_lock(&lab_lock);
	list_del(&ppmu->lab_node);
	debugfs_remove(ppmu->lab);
	mutex_unlock(&lab_lock);
}

/**
 * pcounter_lab_attach() - create the files of the laboratory for all GPUs
 * @lab: its files, NULL to remove them
 *
 * An open file has a reference to the laboratory, so no experiment runs when the files
 * are removed.
 */
void pcounter_lab_attach(const struct pcounter_lab *lab)
{
	struct pcounter_pmu *ppmu;

	mutex_lock(&lab_lock);
	lab_files = lab;
	list_for_each_entry(ppmu, &lab_gpus, lab_node)
		lab_show(ppmu);
	mutex_unlock(&lab_lock);
}
EXPORT_SYMBOL_NS_GPL(pcounter_lab_attach, PCOUNTER_NAMESPACE);

/**
 * pcounter_lab_access() - read or write a register
 * @gpu: the GPU
 * @addr: the register
 * @read: set to the value; NULL: write
 * @write: the value to write; only while the GPU is lent
 *
 * Each call accesses only one register, since interrupts are off during the access.
 *
 * Return: false if the GPU sleeps, or has left.
 */
bool pcounter_lab_access(struct pcounter_gpu *gpu, u32 addr, u32 *read, u32 write)
{
	unsigned long flags;
	bool awake;

	if (!pcounter_gpu_get(gpu))
		return false;
	awake = pcounter_gpu_begin(gpu, &flags);
	if (awake && read)
		*read = pcounter_rd32(gpu->io, addr);
	else if (awake)
		pcounter_wr32(gpu->io, addr, write);
	pcounter_gpu_end(gpu, flags, awake);
	pcounter_gpu_put(gpu);
	return awake;
}
EXPORT_SYMBOL_NS_GPL(pcounter_lab_access, PCOUNTER_NAMESPACE);

/*
 * Functions of other files. Their files are also built for user space, where the unit
 * tests call them, so they do not export them themselves.
 */
#define LAB_NEEDS(name)	EXPORT_SYMBOL_NS_GPL(name, PCOUNTER_NAMESPACE)

/* The GPU as a whole, and memory for packets. */
LAB_NEEDS(pcounter_gpu_lend);
LAB_NEEDS(pcounter_gpu_reclaim);
LAB_NEEDS(pcounter_record_lend);
LAB_NEEDS(pcounter_record_put);

/* Addresses of a chip's registers and signals: pure functions, which exist here already. */
LAB_NEEDS(pcounter_reg_addr);
LAB_NEEDS(pcounter_status_addr);
LAB_NEEDS(pcounter_pdaemon_slots);
LAB_NEEDS(pcounter_trailer_of);
LAB_NEEDS(pcounter_dom_name);
LAB_NEEDS(pcounter_signals_find);
LAB_NEEDS(pcounter_signal_names);
