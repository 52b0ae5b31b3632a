// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf callbacks. All of them run on the PMU's CPU with interrupts off; what
 * was added and deleted between pmu_disable and pmu_enable is applied at once.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "pcounter_compat.h"
#include "pcounter_idle_pmu.h"
#include "pcounter_pmu.h"

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

static void pcounter_pmu_free(struct pcounter_base *base)
{
	struct pcounter_pmu *ppmu = base_to_ppmu(base);

	irq_work_sync(&ppmu->redo);
	pcounter_number_put(ppmu->number);
	put_device(base->parent);
	pcounter_sysfs_free(ppmu);
	pcounter_gpu_free(&ppmu->gpu);
	kfree(ppmu);
}

static bool pcounter_event_failed(struct pcounter_base *base,
				  struct pcounter_base_event *be)
{
	struct pcounter_event *pe = container_of(be, struct pcounter_event, base);

	return pcounter_aux_is_full(pe) ||
	       (pe->added && base_to_ppmu(base)->gpu.dom[pe->req.dom].fault);
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

static bool pcounter_rings(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base_to_ppmu(base)->gpu;
	bool rings = gpu->bell;

	gpu->bell = false;
	return rings;
}

static const struct pcounter_base_ops pcounter_pmu_ops = {
	.failed = pcounter_event_failed,
	.rings = pcounter_rings,
	.report = pcounter_report_faults,
	.free = pcounter_pmu_free,
};

/* ---- counting; gpu.lock held in all helpers ---- */

static void pcounter_check_faults(struct pcounter_pmu *ppmu)
{
	if (pcounter_gpu_take_news(&ppmu->gpu) || ppmu->gpu.bell)
		pcounter_base_kick(&ppmu->base);
}

static struct pcounter_user *pcounter_event_user(struct pcounter_pmu *ppmu,
						 struct pcounter_event *pe)
{
	return &ppmu->gpu.dom[pe->req.dom].user[pe->user];
}

/* Credit the event with what its counter has seen since the last time. */
static void pcounter_event_update(struct pcounter_pmu *ppmu,
				  struct pcounter_event *pe)
{
	u64 total = pcounter_event_user(ppmu, pe)->total;

	/* what samples, perf counts by itself */
	if (!list_empty(&pe->starting) || pe->sample)
		return;
	if (pcounter_domain_is_process(&ppmu->gpu.dom[pe->req.dom]))
		local64_set(&pe->base.event->count, total);
	else
		local64_add(total - pe->prev, &pe->base.event->count);
	pe->prev = total;
}

static ktime_t pcounter_poll_interval(struct pcounter_pmu *ppmu)
{
	return ns_to_ktime(min(pcounter_gpu_poll_ns(&ppmu->gpu),
			       pcounter_gpu_collect_ns(&ppmu->gpu)));
}

/* All domains are due only now and then where one is looked at often. */
static void pcounter_poll(struct pcounter_pmu *ppmu)
{
	u64 due = pcounter_gpu_poll_ns(&ppmu->gpu);
	ktime_t now = ktime_get();

	if (pcounter_gpu_collects(&ppmu->gpu) &&
	    ktime_before(now, ktime_add_ns(ppmu->polled, due / 2))) {
		pcounter_gpu_collect(&ppmu->gpu);
		return;
	}
	ppmu->polled = now;
	pcounter_gpu_poll(&ppmu->gpu);
}

static void pcounter_commit(struct pcounter_pmu *ppmu)
{
	struct pcounter_event *pe, *next;
	bool active = false;
	ktime_t interval;

	if (!ppmu->gpu.gone)
		active = pcounter_gpu_commit(&ppmu->gpu);
	interval = pcounter_poll_interval(ppmu);
	list_for_each_entry_safe(pe, next, &ppmu->starting, starting) {
		list_del_init(&pe->starting);
		pe->prev = pcounter_event_user(ppmu, pe)->total;
	}
	pcounter_check_faults(ppmu);
	if (!active)
		hrtimer_try_to_cancel(&ppmu->base.timer);
	else if (!hrtimer_is_queued(&ppmu->base.timer) ||
		 ktime_after(hrtimer_get_remaining(&ppmu->base.timer), interval))
		hrtimer_start(&ppmu->base.timer, interval, HRTIMER_MODE_REL_PINNED_HARD);
}

/* What the GPU has lost is programmed again, unless that happens anyway. */
static void pcounter_redo(struct pcounter_pmu *ppmu)
{
	if (ppmu->gpu.redo && !ppmu->depth)
		pcounter_commit(ppmu);
}

static void pcounter_enter(struct pcounter_pmu *ppmu)
{
	if (!ppmu->depth++)
		ppmu->gpu.epoch++;
}

static void pcounter_leave(struct pcounter_pmu *ppmu)
{
	if (!--ppmu->depth)
		pcounter_commit(ppmu);
}

static void pcounter_pmu_disable(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long flags;

	if (!ppmu->depth)
		pcounter_sample_drain(ppmu, false, false);
	flags = pcounter_lock(&ppmu->gpu.lock);
	pcounter_enter(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, flags);
}

static void pcounter_pmu_enable(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long flags;

	flags = pcounter_lock(&ppmu->gpu.lock);
	pcounter_leave(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, flags);
}

static void pcounter_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long irq_flags;

	if (!ppmu->depth)
		pcounter_sample_drain(ppmu, false, flags == PERF_PMU_TXN_READ);
	irq_flags = pcounter_lock(&ppmu->gpu.lock);
	ppmu->reading = flags == PERF_PMU_TXN_READ;
	pcounter_enter(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, irq_flags);
}

static void pcounter_end_txn(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long flags;

	flags = pcounter_lock(&ppmu->gpu.lock);
	if (ppmu->reading)
		ppmu->depth--;
	else
		pcounter_leave(ppmu);
	pcounter_redo(ppmu);
	ppmu->reading = false;
	pcounter_unlock(&ppmu->gpu.lock, flags);
}

/* Some members of a group need others; without, perf takes all of them back. */
static int pcounter_commit_txn(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	bool complete;
	unsigned long flags;

	flags = pcounter_lock(&ppmu->gpu.lock);
	complete = ppmu->reading || pcounter_gpu_complete(&ppmu->gpu);
	pcounter_unlock(&ppmu->gpu.lock, flags);
	if (!complete)
		return -EAGAIN;
	pcounter_end_txn(pmu);
	return 0;
}

/* An event that left and came back within one moment has missed nothing. */
static bool pcounter_event_continues(struct pcounter_pmu *ppmu,
				     struct pcounter_event *pe)
{
	return pe->left == ppmu->gpu.epoch &&
	       pe->serial == pcounter_event_user(ppmu, pe)->serial;
}

static void pcounter_do_start(struct pcounter_pmu *ppmu,
			      struct pcounter_event *pe)
{
	struct pcounter_domain *d = &ppmu->gpu.dom[pe->req.dom];
	struct pcounter_user *user = pcounter_event_user(ppmu, pe);

	pe->base.event->hw.state = 0;
	pcounter_aux_start(ppmu, pe);
	if (pcounter_event_continues(ppmu, pe))
		return;
	pe->serial = user->serial;
	list_add_tail(&pe->starting, &ppmu->starting);
	d->join |= user->placed;
	d->dirty = true;
	if (!ppmu->depth) {
		pcounter_enter(ppmu);
		pcounter_leave(ppmu);
	}
}

static void pcounter_do_stop(struct pcounter_pmu *ppmu,
			     struct pcounter_event *pe)
{
	if (pe->base.event->hw.state & PERF_HES_STOPPED)
		return;
	if (list_empty(&pe->starting)) {
		if (!ppmu->depth)
			ppmu->gpu.epoch++;
		pcounter_domain_sync(&ppmu->gpu, pe->req.dom);
		pcounter_event_update(ppmu, pe);
		pe->left = ppmu->gpu.epoch;
	} else {
		list_del_init(&pe->starting);
		pe->left = 0;
	}
	pcounter_aux_stop(ppmu, pe);
	pe->base.event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	pcounter_check_faults(ppmu);
}

static void pcounter_event_start(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	unsigned long irq_flags;

	irq_flags = pcounter_lock(&ppmu->gpu.lock);
	if (event->hw.state & PERF_HES_STOPPED)
		pcounter_do_start(ppmu, to_pcounter_event(event));
	if (!ppmu->depth && rcu_access_pointer(to_pcounter_event(event)->aux))
		pcounter_commit(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, irq_flags);
}

static void pcounter_event_stop(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	unsigned long irq_flags;

	pcounter_sample_drain(ppmu, false, !ppmu->depth);
	irq_flags = pcounter_lock(&ppmu->gpu.lock);
	pcounter_do_stop(ppmu, to_pcounter_event(event));
	/* perf may be about to free an AUX area */
	if (!ppmu->depth && rcu_access_pointer(to_pcounter_event(event)->aux))
		pcounter_commit(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, irq_flags);
}

/* Events that move to another CPU do so one by one; they wait for each other. */
static int pcounter_add_user(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	int user;

	if (ppmu->added && ppmu->added_cpu != raw_smp_processor_id())
		return -EAGAIN;
	pcounter_event_settle(pe);
	user = pcounter_domain_add(&ppmu->gpu, &pe->req);
	if (user >= 0 && !ppmu->added++)
		ppmu->added_cpu = raw_smp_processor_id();
	return user;
}

static int pcounter_event_add(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe;
	unsigned long irq_flags;
	int user;

	if (pcounter_base_is_bell(event))
		return -EAGAIN;
	pe = to_pcounter_event(event);
	irq_flags = pcounter_lock(&ppmu->gpu.lock);
	user = pcounter_add_user(ppmu, pe);
	pe->added |= user >= 0 || user == -EIO;
	if (user == -EIO) {
		pcounter_base_stop(&pe->base);
	} else if (user >= 0) {
		pe->user = user;
		pcounter_sample_add(ppmu, pe);
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		if (flags & PERF_EF_START)
			pcounter_do_start(ppmu, pe);
	}
	pcounter_unlock(&ppmu->gpu.lock, irq_flags);
	return user < 0 ? user : 0;
}

static void pcounter_event_del(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe = to_pcounter_event(event);
	unsigned long irq_flags;

	pcounter_sample_drain(ppmu, false, !ppmu->depth);
	irq_flags = pcounter_lock(&ppmu->gpu.lock);
	pcounter_do_stop(ppmu, pe);
	pcounter_sample_del(ppmu, pe);
	pcounter_domain_del(&ppmu->gpu, pe->req.dom, pe->user);
	ppmu->added--;
	if (!ppmu->depth)
		pcounter_commit(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, irq_flags);
}

static void pcounter_event_read(struct perf_event *event)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe = to_pcounter_event(event);
	unsigned long flags;

	if (!pcounter_base_can_read(&ppmu->base, ppmu->submitting))
		return;
	if (!ppmu->depth)
		pcounter_sample_drain(ppmu, false, true);
	flags = pcounter_lock(&ppmu->gpu.lock);
	if (!(event->hw.state & PERF_HES_STOPPED)) {
		if (!ppmu->depth)
			ppmu->gpu.epoch++;
		pcounter_domain_sync(&ppmu->gpu, pe->req.dom);
		pcounter_event_update(ppmu, pe);
		pcounter_check_faults(ppmu);
		/* it starts timers, and whoever starts one may have been traced to here */
		if (ppmu->gpu.redo)
			irq_work_queue(&ppmu->redo);
	}
	pcounter_unlock(&ppmu->gpu.lock, flags);
}

static void pcounter_redo_work(struct irq_work *redo)
{
	struct pcounter_pmu *ppmu = container_of(redo, struct pcounter_pmu, redo);
	unsigned long flags;

	flags = pcounter_lock(&ppmu->gpu.lock);
	pcounter_redo(ppmu);
	pcounter_unlock(&ppmu->gpu.lock, flags);
}

static enum hrtimer_restart pcounter_timer(struct hrtimer *timer)
{
	struct pcounter_pmu *ppmu = container_of(timer, struct pcounter_pmu, base.timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	unsigned long flags;

	pcounter_sample_drain(ppmu, true, false);
	flags = pcounter_lock(&ppmu->gpu.lock);
	if (!ppmu->gpu.gone) {
		pcounter_poll(ppmu);
		/* perf has not taken the events down yet */
		ppmu->gpu.bell |= ppmu->gpu.asleep;
		pcounter_check_faults(ppmu);
		pcounter_redo(ppmu);
		if (!hrtimer_is_queued(timer)) {
			hrtimer_forward_now(timer, pcounter_poll_interval(ppmu));
			restart = HRTIMER_RESTART;
		}
	}
	pcounter_unlock(&ppmu->gpu.lock, flags);
	return restart;
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
	pcounter_base_setup(&ppmu->base, &pcounter_pmu_ops, &ppmu->gpu.lock, parent);
	snprintf(ppmu->base.name, sizeof(ppmu->base.name), "pcounter_%d", ppmu->number);
	INIT_LIST_HEAD(&ppmu->starting);
	INIT_LIST_HEAD(&ppmu->sampling);
	init_irq_work(&ppmu->redo, pcounter_redo_work);
	hrtimer_setup(&ppmu->base.timer, pcounter_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	ppmu->base.pmu = (struct pmu) {
		.module = owner,
		.event_init = pcounter_event_init,
		.pmu_enable = pcounter_pmu_enable,
		.pmu_disable = pcounter_pmu_disable,
		.start_txn = pcounter_start_txn,
		.commit_txn = pcounter_commit_txn,
		.cancel_txn = pcounter_end_txn,
		.add = pcounter_event_add,
		.del = pcounter_event_del,
		.start = pcounter_event_start,
		.stop = pcounter_event_stop,
		.read = pcounter_event_read,
		.setup_aux = pcounter_aux_setup,
		.free_aux = pcounter_aux_free,
	};
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
	pcounter_check_faults(ppmu);
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
