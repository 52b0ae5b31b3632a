// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf callbacks. All of them run on the PMU's CPU with interrupts off; what
 * was added and deleted between pmu_disable and pmu_enable is applied at once.
 */
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "pcounter_compat.h"
#include "pcounter_pmu.h"

/*
 * How often more events than counters take turns. Each turn costs some twenty
 * register accesses, during which the new events do not count yet: at 5 us each
 * (a slow bus) that is 0.2 % of a turn.
 */
#define PCOUNTER_ROTATE_MS	50
/* Periods that a signal ends: how often to look whether one has. */
#define PCOUNTER_COLLECT_NS	NSEC_PER_MSEC

static enum cpuhp_state pcounter_cpuhp;
static struct workqueue_struct *pcounter_wq;

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

/* ---- life time ---- */

static void pcounter_pmu_free(struct pcounter_pmu *ppmu)
{
	pcounter_number_put(ppmu->number);
	put_device(ppmu->parent);
	pcounter_sysfs_free(ppmu);
	pcounter_gpu_free(&ppmu->gpu);
	kfree(ppmu);
}

/*
 * perf keeps using a PMU for its open events even after it was unregistered
 * (before 6.15), so that happens only after the last one is closed.
 */
static void pcounter_release_work(struct work_struct *work)
{
	struct pcounter_pmu *ppmu =
		container_of(work, struct pcounter_pmu, release_work);

	pcounter_pmu_stop_rotation(&ppmu->pmu);
	perf_pmu_unregister(&ppmu->pmu);
	pcounter_pmu_free(ppmu);
}

static void pcounter_pmu_release(struct kref *kref)
{
	struct pcounter_pmu *ppmu = container_of(kref, struct pcounter_pmu, kref);

	/* event->destroy may run where unregistering would wait for itself */
	queue_work(pcounter_wq, &ppmu->release_work);
}

/**
 * pcounter_pmu_put() - give up a reference
 * @ppmu: the PMU
 */
void pcounter_pmu_put(struct pcounter_pmu *ppmu)
{
	kref_put(&ppmu->kref, pcounter_pmu_release);
}

/* ---- faults ---- */

static struct pcounter_event *pcounter_next_faulty(struct pcounter_pmu *ppmu)
{
	struct pcounter_event *pe, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	list_for_each_entry(pe, &ppmu->events, node) {
		if (!pe->added || pe->stopped || !ppmu->gpu.dom[pe->req.dom].fault)
			continue;
		pe->stopping = true;
		found = pe;
		break;
	}
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	return found;
}

/*
 * perf wants a mutex to disable an event, the one that it holds when it opens
 * a group: no lock of ours may be held, so a mark keeps the event.
 */
static void pcounter_stop_faulty(struct pcounter_pmu *ppmu)
{
	struct pcounter_event *pe;
	unsigned long flags;

	while ((pe = pcounter_next_faulty(ppmu))) {
		perf_event_disable(pe->event);
		raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
		pe->stopped = true;
		pe->stopping = false;
		raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
		wake_up_all(&ppmu->stop_wait);
	}
}

static void pcounter_fault_work(struct work_struct *work)
{
	struct pcounter_pmu *ppmu =
		container_of(work, struct pcounter_pmu, fault_work);
	struct pcounter_gpu *gpu = &ppmu->gpu;
	char name[PCOUNTER_DOM_NAME];
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++)
		if (gpu->dom[i].fault)
			dev_warn_ratelimited(ppmu->parent,
					     "%s: domain %s stopped counting: %s\n",
					     ppmu->name,
					     pcounter_dom_name(&gpu->topo, i,
							       name, sizeof(name)),
					     pcounter_fault_text(gpu->dom[i].fault));
	pcounter_stop_faulty(ppmu);
}

static void pcounter_check_faults(struct pcounter_pmu *ppmu)
{
	if (pcounter_gpu_take_news(&ppmu->gpu))
		schedule_work(&ppmu->fault_work);
}

/* ---- counting; gpu.lock held in all helpers ---- */

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

	if (!list_empty(&pe->starting))
		return;
	if (pcounter_domain_is_process(&ppmu->gpu.dom[pe->req.dom]))
		local64_set(&pe->event->count, total);
	else
		local64_add(total - pe->prev, &pe->event->count);
	pe->prev = total;
}

static ktime_t pcounter_poll_interval(struct pcounter_pmu *ppmu)
{
	u64 ns = pcounter_gpu_poll_ns(&ppmu->gpu);

	if (pcounter_gpu_collects(&ppmu->gpu))
		ns = min_t(u64, ns, PCOUNTER_COLLECT_NS);
	return ns_to_ktime(ns);
}

/* All domains are due only now and then where one is looked at often. */
static void pcounter_poll(struct pcounter_pmu *ppmu)
{
	u64 due = pcounter_gpu_poll_ns(&ppmu->gpu);
	ktime_t now = ktime_get();

	if (pcounter_gpu_collects(&ppmu->gpu) &&
	    ktime_before(now, ktime_add_ns(ppmu->polled, due - PCOUNTER_COLLECT_NS))) {
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
		hrtimer_try_to_cancel(&ppmu->timer);
	else if (!hrtimer_is_queued(&ppmu->timer) ||
		 ktime_after(hrtimer_get_remaining(&ppmu->timer), interval))
		hrtimer_start(&ppmu->timer, interval, HRTIMER_MODE_REL_PINNED_HARD);
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

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	pcounter_enter(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
}

static void pcounter_pmu_enable(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	pcounter_leave(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
}

static void pcounter_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long irq_flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	ppmu->reading = flags == PERF_PMU_TXN_READ;
	pcounter_enter(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
}

static void pcounter_end_txn(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	if (ppmu->reading)
		ppmu->depth--;
	else
		pcounter_leave(ppmu);
	ppmu->reading = false;
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
}

/* Some members of a group need others; without, perf takes all of them back. */
static int pcounter_commit_txn(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	bool complete;
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	complete = ppmu->reading || pcounter_gpu_complete(&ppmu->gpu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
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

	pe->event->hw.state = 0;
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
	if (pe->event->hw.state & PERF_HES_STOPPED)
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
	pe->event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	pcounter_check_faults(ppmu);
}

static void pcounter_event_start(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	unsigned long irq_flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	if (event->hw.state & PERF_HES_STOPPED)
		pcounter_do_start(ppmu, to_pcounter_event(event));
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
}

static void pcounter_event_stop(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	unsigned long irq_flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	pcounter_do_stop(ppmu, to_pcounter_event(event));
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
}

static int pcounter_event_add(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe = to_pcounter_event(event);
	unsigned long irq_flags;
	int user;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	pcounter_event_settle(pe);
	user = pcounter_domain_add(&ppmu->gpu, &pe->req);
	if (user >= 0) {
		pe->added = true;
		pe->user = user;
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		if (flags & PERF_EF_START)
			pcounter_do_start(ppmu, pe);
	}
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
	return user < 0 ? user : 0;
}

static void pcounter_event_del(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe = to_pcounter_event(event);
	unsigned long irq_flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	pcounter_do_stop(ppmu, pe);
	pcounter_domain_del(&ppmu->gpu, pe->req.dom, pe->user);
	if (!ppmu->depth)
		pcounter_commit(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
}

static void pcounter_event_read(struct perf_event *event)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe = to_pcounter_event(event);
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	if (!(event->hw.state & PERF_HES_STOPPED)) {
		if (!ppmu->depth)
			ppmu->gpu.epoch++;
		pcounter_domain_sync(&ppmu->gpu, pe->req.dom);
		pcounter_event_update(ppmu, pe);
		pcounter_check_faults(ppmu);
	}
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
}

static enum hrtimer_restart pcounter_timer(struct hrtimer *timer)
{
	struct pcounter_pmu *ppmu = container_of(timer, struct pcounter_pmu, timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	if (!ppmu->gpu.gone) {
		pcounter_poll(ppmu);
		pcounter_check_faults(ppmu);
		hrtimer_forward_now(timer, pcounter_poll_interval(ppmu));
		restart = HRTIMER_RESTART;
	}
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	return restart;
}

/* ---- CPU hotplug ---- */

static int pcounter_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct pcounter_pmu *ppmu = hlist_entry(node, struct pcounter_pmu, node);

	if (ppmu->cpu < 0)
		ppmu->cpu = cpu;
	return 0;
}

static int pcounter_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct pcounter_pmu *ppmu = hlist_entry(node, struct pcounter_pmu, node);
	unsigned int target;

	if (ppmu->cpu != cpu)
		return 0;
	target = cpumask_any_but(cpu_online_mask, cpu);
	if (target >= nr_cpu_ids) {
		ppmu->cpu = -1;
		return 0;
	}
	hrtimer_cancel(&ppmu->timer);
	ppmu->cpu = target;
	/* adding the events again starts the timer on the new CPU */
	perf_pmu_migrate_context(&ppmu->pmu, cpu, target);
	return 0;
}

/* ---- creation ---- */

static struct pcounter_pmu *pcounter_pmu_alloc(struct device *parent,
					       struct module *owner)
{
	struct pcounter_pmu *ppmu = kzalloc(sizeof(*ppmu), GFP_KERNEL);

	if (!ppmu)
		return ERR_PTR(-ENOMEM);
	/* a PMU of this device that is on its way out gives its number back */
	flush_workqueue(pcounter_wq);
	ppmu->number = pcounter_number_get(dev_name(parent));
	if (ppmu->number < 0) {
		kfree(ppmu);
		return ERR_PTR(-ENOMEM);
	}
	snprintf(ppmu->name, sizeof(ppmu->name), "pcounter_%d", ppmu->number);
	ppmu->parent = get_device(parent);
	ppmu->cpu = -1;
	kref_init(&ppmu->kref);
	INIT_LIST_HEAD(&ppmu->starting);
	INIT_LIST_HEAD(&ppmu->events);
	init_waitqueue_head(&ppmu->stop_wait);
	INIT_WORK(&ppmu->fault_work, pcounter_fault_work);
	INIT_WORK(&ppmu->release_work, pcounter_release_work);
	hrtimer_setup(&ppmu->timer, pcounter_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	ppmu->pmu = (struct pmu) {
		.module = owner,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE |
				PERF_PMU_CAP_NO_INTERRUPT,
		.hrtimer_interval_ms = PCOUNTER_ROTATE_MS,
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
	};
	pcounter_pmu_set_parent(&ppmu->pmu, parent);
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
	if (err)
		goto err_free;
	err = cpuhp_state_add_instance(pcounter_cpuhp, &ppmu->node);
	if (err)
		goto err_free;
	err = perf_pmu_register(&ppmu->pmu, ppmu->name, -1);
	if (err)
		goto err_cpuhp;
	pcounter_debugfs_add(ppmu);
	return ppmu;

err_cpuhp:
	cpuhp_state_remove_instance_nocalls(pcounter_cpuhp, &ppmu->node);
err_free:
	pcounter_pmu_free(ppmu);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(pcounter_pmu_create);

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

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	ppmu->gpu.gone = true;
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	hrtimer_cancel(&ppmu->timer);
	cpuhp_state_remove_instance_nocalls(pcounter_cpuhp, &ppmu->node);
	cancel_work_sync(&ppmu->fault_work);
	pcounter_debugfs_remove(ppmu);
	pcounter_pmu_put(ppmu);
	/* a PMU without open events is out of sysfs when this returns */
	flush_workqueue(pcounter_wq);
}
EXPORT_SYMBOL_GPL(pcounter_pmu_remove);

/**
 * pcounter_pmu_module_init() - set up what all PMUs share
 *
 * Return: 0 or a negative errno.
 */
int pcounter_pmu_module_init(void)
{
	int state;

	pcounter_wq = alloc_workqueue("pcounter", 0, 0);
	if (!pcounter_wq)
		return -ENOMEM;
	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN,
					"perf/pcounter:online",
					pcounter_cpu_online,
					pcounter_cpu_offline);
	if (state < 0) {
		destroy_workqueue(pcounter_wq);
		return state;
	}
	pcounter_cpuhp = state;
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
	destroy_workqueue(pcounter_wq);
	cpuhp_remove_multi_state(pcounter_cpuhp);
	list_for_each_entry_safe(n, next, &pcounter_numbers, node)
		kfree(n);
}
