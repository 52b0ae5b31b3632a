// SPDX-License-Identifier: GPL-2.0-only
/*
 * One GPU and its PMUs: how they come, sleep and go.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "idle/pmu.h"
#include "perf/pmu.h"

/* ---- numbers: stable for an address as long as the module is loaded ---- */

/**
 * struct pcounter_number - a PMU number and the device that has it
 * @node: in pcounter_numbers
 * @number: the number
 * @busy: a PMU of this number exists
 * @device: name of the device
 */
struct pcounter_number {
	struct list_head node;
	int number;
	bool busy;
	char device[];
};

static LIST_HEAD(pcounter_numbers);
static DEFINE_MUTEX(pcounter_numbers_lock);	/* protects pcounter_numbers */

static int pcounter_number_get(const char *device)
{
	size_t len = strlen(device) + 1;
	struct pcounter_number *n;
	int number = 0;

	mutex_lock(&pcounter_numbers_lock);
	list_for_each_entry(n, &pcounter_numbers, node) {
		if (!n->busy && !strcmp(n->device, device))
			goto found;
		number = max(number, n->number + 1);
	}
	n = kzalloc(struct_size(n, device, len), GFP_KERNEL);
	if (!n) {
		number = -ENOMEM;
		goto out;
	}
	n->number = number;
	memcpy(n->device, device, len);
	list_add_tail(&n->node, &pcounter_numbers);
found:
	n->busy = true;
	number = n->number;
out:
	mutex_unlock(&pcounter_numbers_lock);
	return number;
}

static void pcounter_number_put(int number)
{
	struct pcounter_number *n;

	mutex_lock(&pcounter_numbers_lock);
	list_for_each_entry(n, &pcounter_numbers, node)
		if (n->number == number)
			n->busy = false;
	mutex_unlock(&pcounter_numbers_lock);
}

/* ---- what pcounter_base asks ---- */

static struct pcounter_pmu *base_to_ppmu(struct pcounter_base *base)
{
	return container_of(base, struct pcounter_pmu, base);
}

/**
 * pcounter_pmu_free() - the last reference is gone
 * @base: the PMU, which perf does not know any more
 */
void pcounter_pmu_free(struct pcounter_base *base)
{
	struct pcounter_pmu *ppmu = base_to_ppmu(base);

	cancel_delayed_work_sync(&ppmu->lease.watch);
	pcounter_number_put(ppmu->number);
	put_device(base->parent);
	pcounter_sysfs_free(ppmu);
	pcounter_record_release(&ppmu->gpu);
	pcounter_gpu_free(&ppmu->gpu);
	kfree(ppmu);
}

/* A fault of a domain is told once, and counted. */
static enum pcounter_fault pcounter_untold_fault(struct pcounter_gpu *gpu,
						 unsigned int dom)
{
	enum pcounter_fault fault = PCOUNTER_OK;
	unsigned long flags;

	flags = pcounter_lock(&gpu->lock);
	if (gpu->dom[dom].fault && !gpu->dom[dom].told) {
		fault = gpu->dom[dom].fault;
		gpu->dom[dom].told = true;
		gpu->faults[fault]++;
	}
	pcounter_unlock(&gpu->lock, flags);
	return fault;
}

static void pcounter_report_faults(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base_to_ppmu(base)->gpu;
	char name[PCOUNTER_DOM_NAME];
	enum pcounter_fault fault;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++) {
		fault = pcounter_untold_fault(gpu, i);
		if (fault != PCOUNTER_OK)
			dev_warn_ratelimited(base->parent,
					     "%s: domain %s stopped counting: %s\n",
					     base->name,
					     pcounter_dom_name(&gpu->topo, i,
							       name, sizeof(name)),
					     pcounter_fault_text(fault));
	}
}

/* Muxes that could not be set, each told once. */
static void pcounter_report_muxes(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base_to_ppmu(base)->gpu;
	struct pcounter_mux_news news;
	char name[PCOUNTER_DOM_NAME];
	unsigned long flags;
	bool more;

	for (;;) {
		flags = pcounter_lock(&gpu->lock);
		more = pcounter_mux_take_news(&gpu->muxes, &news);
		pcounter_unlock(&gpu->lock, flags);
		if (!more)
			return;
		dev_warn_ratelimited(base->parent,
				     "%s: domain %s: an event does not count: mux %s, tpc %u, position %u: %s\n",
				     base->name,
				     pcounter_dom_name(&gpu->topo, news.id - gpu->topo.dom,
						       name, sizeof(name)),
				     news.name, news.wish.tpc, news.wish.sel, news.why);
	}
}

/**
 * pcounter_pmu_report() - say in the log why events do not count
 * @base: the PMU
 */
void pcounter_pmu_report(struct pcounter_base *base)
{
	pcounter_report_faults(base);
	pcounter_report_muxes(base);
}

/* ---- creation ---- */

static struct pcounter_pmu *pcounter_pmu_alloc(struct device *parent,
					       struct module *owner)
{
	struct pcounter_pmu *ppmu = kzalloc(sizeof(*ppmu), GFP_KERNEL);

	if (!ppmu)
		return ERR_PTR(-ENOMEM);
	/* a PMU of this device that is on its way out gives its number back */
	pcounter_base_flush();
	ppmu->number = pcounter_number_get(dev_name(parent));
	if (ppmu->number < 0) {
		kfree(ppmu);
		return ERR_PTR(-ENOMEM);
	}
	pcounter_pmu_setup(ppmu, parent, owner);
	snprintf(ppmu->base.name, sizeof(ppmu->base.name), "pcounter_%d", ppmu->number);
	pcounter_lease_init(ppmu);
	return ppmu;
}

/**
 * pcounter_pmu_create() - offer a GPU's counters to perf
 * @parent: the device they belong to; its name keeps the PMU's number
 * @owner: module that must stay loaded while events are open
 * @chipset: chipset id
 * @io: access to its registers; must work until pcounter_pmu_remove() returns
 *
 * Writes no register; on GF100+ it reads which units there are.
 *
 * Return: the PMU or an ERR_PTR(); -ENODEV for a chip without PCOUNTER.
 */
struct pcounter_pmu *pcounter_pmu_create(struct device *parent,
					 struct module *owner,
					 u32 chipset, struct pcounter_io *io)
{
	const struct pcounter_chip *chip = pcounter_chip_find(chipset);
	const struct pcounter_gen *gen;
	struct pcounter_pmu *ppmu;
	int err;

	if (!chip || chip->presence == PCOUNTER_ABSENT)
		return ERR_PTR(-ENODEV);
	gen = pcounter_gen_find(chip);
	ppmu = pcounter_pmu_alloc(parent, owner);
	if (IS_ERR(ppmu))
		return ppmu;
	err = pcounter_gpu_init(&ppmu->gpu, chip, gen, io);
	if (!err)
		err = pcounter_record_setup(&ppmu->gpu);
	ppmu->gpu.most_ns = pcounter_io_dark_ns(io);
	if (!err)
		err = pcounter_sysfs_build(ppmu);
	/* sampling is record mode's */
	if (!err && (!(gen->caps & PCOUNTER_CAP_RECORD) || !io->ops->dma))
		ppmu->base.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	if (!err)
		err = pcounter_base_register(&ppmu->base);
	if (err) {
		pcounter_pmu_free(&ppmu->base);
		return ERR_PTR(err);
	}
	ppmu->idle = pcounter_idle_create(ppmu);
	pcounter_debugfs_add(ppmu);
	return ppmu;
}
EXPORT_SYMBOL_GPL(pcounter_pmu_create);

/**
 * pcounter_pmu_suspend() - the system goes to sleep, or the GPU's driver leaves
 * @ppmu: the PMU
 *
 * Takes in what was counted. Record mode ends here: nothing may write to memory
 * that is asleep, or saved.
 */
void pcounter_pmu_suspend(struct pcounter_pmu *ppmu)
{
	unsigned long flags;

	pcounter_record_shut(&ppmu->gpu, -EAGAIN);
	flags = pcounter_lock(&ppmu->gpu.lock);
	pcounter_gpu_poll(&ppmu->gpu);
	pcounter_pmu_check_faults(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, flags);
	pcounter_idle_latch_all(ppmu->idle);
}

/**
 * pcounter_pmu_resume() - the system has woken, or the driver is gone
 * @ppmu: the PMU
 */
void pcounter_pmu_resume(struct pcounter_pmu *ppmu)
{
	pcounter_record_allow(&ppmu->gpu);
}

/**
 * pcounter_pmu_remove() - the GPU or its provider goes away
 * @ppmu: the PMU
 *
 * When it returns no register is touched any more. Events that are still open
 * keep their last right count and free the rest when they are closed.
 */
void pcounter_pmu_remove(struct pcounter_pmu *ppmu)
{
	unsigned long flags;

	pcounter_debugfs_remove(ppmu);
	pcounter_idle_remove(ppmu->idle);
	pcounter_record_shut(&ppmu->gpu, -ENODEV);
	flags = pcounter_lock(&ppmu->gpu.lock);
	ppmu->gpu.gone = true;
	pcounter_unlock(&ppmu->gpu.lock, flags);
	pcounter_lease_end(ppmu);
	pcounter_base_remove(&ppmu->base);
}
EXPORT_SYMBOL_GPL(pcounter_pmu_remove);

/**
 * pcounter_pmu_module_init() - set up what all PMUs share
 *
 * Return: 0 or a negative errno.
 */
int pcounter_pmu_module_init(void)
{
	int err = pcounter_base_module_init();

	if (err)
		return err;
	pcounter_sysfs_init();
	pcounter_debugfs_init();
	return 0;
}

/**
 * pcounter_pmu_module_exit() - undo pcounter_pmu_module_init()
 */
void pcounter_pmu_module_exit(void)
{
	struct pcounter_number *n, *next;

	pcounter_debugfs_exit();
	pcounter_base_module_exit();
	list_for_each_entry_safe(n, next, &pcounter_numbers, node)
		kfree(n);
}
