// SPDX-License-Identifier: GPL-2.0-only
/*
 * One GPU and its PMUs: creation, sleep and removal.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/spinlock.h>

#include "compat.h"
#include "debugfs.h"
#include "device.h"
#include "hw/io.h"
#include "lent.h"
#include "perf/types.h"
#include "record/record.h"

/**
 * pcounter_device_create() - offer a GPU's counters to perf
 * @parent: the device of the counters
 * @owner: module that must stay loaded while events are open
 * @chipset: chipset id
 * @io: access to its registers; must work until pcounter_device_remove() returns
 *
 * Write no register; on GF100+ read the masks of the units.
 *
 * Return: the PMU or an ERR_PTR(); -ENODEV for a chip without PCOUNTER.
 */
struct pcounter_pmu *pcounter_device_create(struct device *parent,
					    struct module *owner,
					    u32 chipset, struct pcounter_io *io)
{
	const struct pcounter_chip *chip = pcounter_chip_find(chipset);
	struct pcounter_pmu *ppmu;
	int err;

	if (!chip || chip->presence == PCOUNTER_ABSENT)
		return ERR_PTR(-ENODEV);
	ppmu = pcounter_pmu_alloc(parent, owner);
	if (IS_ERR(ppmu))
		return ppmu;
	err = pcounter_gpu_init(&ppmu->gpu, chip, pcounter_gen_find(chip), io);
	ppmu->gpu.most_ns = pcounter_io_dark_ns(io);
	if (!err)
		err = pcounter_record_setup(&ppmu->gpu);
	if (!err)
		pcounter_sysfs_build(ppmu);
	/* perf does not touch a PMU without samples when it unthrottles events */
	ppmu->base.pmu.capabilities = ppmu->gpu.record_mode && io->ops->dma ?
				      PERF_PMU_CAP_SAMPLING : PERF_PMU_CAP_NO_INTERRUPT;
	if (!err)
		err = pcounter_base_register(&ppmu->base);
	if (err) {
		ppmu->base.ops->free(&ppmu->base);
		return ERR_PTR(err);
	}
	pcounter_idle_create(ppmu);
	pcounter_debugfs_add(ppmu);
	INIT_LIST_HEAD(&ppmu->lent_node);
	pcounter_lent_add(ppmu);
	return ppmu;
}
EXPORT_SYMBOL_GPL(pcounter_device_create);

/**
 * pcounter_device_suspend() - stop counting before a system sleep or an unbind
 * @ppmu: the PMU
 *
 * Update the counts. End record mode until pcounter_device_resume(), since the GPU must
 * not write to memory that sleeps, or has been saved. Wait for an experiment.
 */
void pcounter_device_suspend(struct pcounter_pmu *ppmu)
{
	pcounter_lent_remove(ppmu);
	pcounter_record_stop_all(&ppmu->gpu, -EAGAIN);
	guard(raw_spinlock_irqsave)(&ppmu->gpu.lock);
	pcounter_pmu_update(ppmu);
}

/**
 * pcounter_device_resume() - undo pcounter_device_suspend()
 * @ppmu: the PMU
 */
void pcounter_device_resume(struct pcounter_pmu *ppmu)
{
	pcounter_record_allow(&ppmu->gpu);
	pcounter_lent_add(ppmu);
}

/**
 * pcounter_device_remove() - remove the PMUs of a GPU that leaves
 * @ppmu: the PMU
 * @restore: true to restore the registers, if the GPU can still be reached and belongs to
 *	nobody else
 *
 * After the return the driver accesses no register. Open events keep their last
 * valid count; their close frees the rest.
 */
void pcounter_device_remove(struct pcounter_pmu *ppmu, bool restore)
{
	pcounter_lent_remove(ppmu);
	debugfs_remove(ppmu->debugfs);
	pcounter_record_stop_all(&ppmu->gpu, -ENODEV);
	pcounter_gpu_leave(&ppmu->gpu, restore);
	pcounter_lease_end(ppmu);
	if (ppmu->idle.ready)
		pcounter_base_remove(&ppmu->idle);
	pcounter_base_remove(&ppmu->base);
}
EXPORT_SYMBOL_GPL(pcounter_device_remove);
