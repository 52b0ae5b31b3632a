// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a PMU: references, its work item, the CPU that it counts on.
 *
 * Before 6.15 perf uses a PMU for its open events even after the PMU was
 * unregistered, so a PMU is unregistered when its last event is closed.
 *
 * Software events use it, too: an event that shared a group with one of the
 * PMU's events stays in the PMU's context until it is closed. While only
 * software events are left, the module has a reference to itself.
 */
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>

#include "compat.h"
#include "params.h"
#include "perf/types.h"
#include "perf/glue.h"

/*
 * Length of a turn, if there are more events than counters. Each turn costs some twenty
 * register accesses, during which the new events do not count yet: at 5 us each
 * (a slow bus) that is 0.2 % of a turn.
 */
#define PCOUNTER_ROTATE_MS	50

/* Interval of checks of perf's contexts while they outlive the last event. */
#define PCOUNTER_PUT_MS		20

static enum cpuhp_state pcounter_cpuhp;
static struct workqueue_struct *pcounter_wq;

/* ---- references ---- */

/* Wait until neither @kick nor @work is pending. */
static void base_calm(struct pcounter_base *base)
{
	irq_work_sync(&base->kick);
	/* @kick may run on two CPUs; the end of one run hides the other */
	synchronize_rcu();
	cancel_work_sync(&base->work);
	irq_work_sync(&base->kick);
}

static void base_release_work(struct work_struct *work)
{
	struct pcounter_base *base =
		container_of(work, struct pcounter_base, release_work);
	int cpu;

	/* the task that closed the last event may be preempted inside of perf */
	synchronize_rcu_tasks();
	cancel_delayed_work_sync(&base->put_work);
	/* the work may restart perf's rotation, which may kick */
	base_calm(base);
	for_each_possible_cpu(cpu)
		pcounter_glue_stop_rotation(&base->pmu, cpu, true);
	base_calm(base);
	perf_pmu_unregister(&base->pmu);
	base->ops->free(base);
}

static void base_release(struct kref *kref)
{
	struct pcounter_base *base = container_of(kref, struct pcounter_base, kref);

	/* event->destroy may run where unregistering would wait for itself */
	queue_work(pcounter_wq, &base->release_work);
}

/**
 * pcounter_base_get() - get a reference for an event that is being opened
 * @base: the PMU
 *
 * Return: false if the PMU is not registered yet, or is being removed.
 */
bool pcounter_base_get(struct pcounter_base *base)
{
	return pcounter_base_is_ready(base) && kref_get_unless_zero(&base->kref);
}

/**
 * pcounter_base_put() - put a reference
 * @base: the PMU
 */
void pcounter_base_put(struct pcounter_base *base)
{
	kref_put(&base->kref, base_release);
}

/*
 * Return true if perf's contexts of this PMU have more events than @ours. No event
 * can join them while no event of the PMU is open.
 */
static bool base_has_foreign(const struct pcounter_base *base, int ours)
{
	unsigned int moving = raw_seqcount_begin(&base->moving);
	int cpu, events = 0;

	for_each_possible_cpu(cpu)
		events += pcounter_compat_events(&base->pmu, cpu);
	return events > ours || read_seqcount_retry(&base->moving, moving);
}

static void base_put_work(struct work_struct *work)
{
	struct pcounter_base *base =
		container_of(to_delayed_work(work), struct pcounter_base, put_work);
	struct module *module = base->pmu.module;
	/* taken before the check: what is counted later waits for the next check */
	int puts = atomic_xchg(&base->late_puts, 0);

	/* if an event is open, its close checks the contexts again */
	if (list_empty(&base->events) && base_has_foreign(base, 0)) {
		atomic_add(puts, &base->late_puts);
		queue_delayed_work(pcounter_wq, &base->put_work,
				   msecs_to_jiffies(PCOUNTER_PUT_MS));
		return;
	}
	for (; puts; puts--) {
		pcounter_base_put(base);
		module_put(module);
	}
}

/**
 * pcounter_base_put_later() - put a reference to the PMU and one to its module
 * @base: the PMU
 *
 * For functions that perf calls. A module that puts the last reference to itself
 * may vanish while its code runs; module_exit() waits for the work that puts both.
 */
void pcounter_base_put_later(struct pcounter_base *base)
{
	/* a work item that runs already may put the reference once @late_puts counts it */
	kref_get(&base->kref);
	atomic_inc(&base->late_puts);
	queue_delayed_work(pcounter_wq, &base->put_work, 0);
	pcounter_base_put(base);
}

/**
 * pcounter_base_flush() - wait until PMUs without references are gone
 */
void pcounter_base_flush(void)
{
	flush_workqueue(pcounter_wq);
}

/**
 * pcounter_base_close() - end the PMU's use of an event, so that its memory can be freed
 * @pe: the event, which is not in pcounter_base.events any more
 *
 * The caller puts the event's reference to the PMU.
 */
void pcounter_base_close(struct pcounter_event *pe)
{
	struct pcounter_base *base = pe->base;

	if (READ_ONCE(base->disabling) == pe)
		flush_work(&base->work);
	if (!list_empty(&base->events) || !base_has_foreign(base, !!pe->event->ctx))
		return;
	kref_get(&base->kref);
	__module_get(base->pmu.module);
	pcounter_base_put_later(base);
}

/* ---- the work item ---- */

/*
 * Run the work item soon. Does not kick while the work is pending: a BPF
 * program that reads in the interrupt would raise the next interrupt for ever.
 */
static void base_kick_work(struct pcounter_base *base)
{
	lockdep_assert_held(base->lock);
	if (!base->work_due)
		pcounter_base_kick(base);
	base->work_due = true;
}

/**
 * pcounter_base_want_resched() - have perf reschedule all events
 * @base: the PMU
 *
 * An event that cannot count is refused when perf adds it again.
 */
void pcounter_base_want_resched(struct pcounter_base *base)
{
	base->resched = true;
	base_kick_work(base);
}

/**
 * pcounter_base_check() - have perf reschedule if an event cannot count any more
 * @base: the PMU
 *
 * Return: true if a commit is due, though perf does not reschedule.
 */
bool pcounter_base_check(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;

	lockdep_assert_held(base->lock);
	if (pcounter_gpu_take_resched(gpu, base->ops->wants))
		pcounter_base_want_resched(base);
	return gpu->want & base->ops->wants_commit;
}

/**
 * pcounter_base_disable() - have perf disable an event that has no room for packets
 * @pe: the event
 */
void pcounter_base_disable(struct pcounter_event *pe)
{
	pe->disable = true;
	base_kick_work(pe->base);
}

static void base_kick_here(void *base)
{
	pcounter_base_kick(base);
}

/* Let @disabling be the next event to disable; return false if there is none. */
static bool base_next_to_disable(struct pcounter_base *base)
{
	struct pcounter_event *pe, *found = NULL;

	scoped_guard(raw_spinlock_irqsave, base->lock) {
		list_for_each_entry(pe, &base->events, node)
			if (pe->disable)
				found = pe;
		if (found)
			found->disable = false;
		WRITE_ONCE(base->disabling, found);
	}
	return found;
}

/**
 * pcounter_base_report() - log once why a unit has stopped
 * @base: the PMU; in process context
 * @u: the unit
 * @kind: the word for the unit, as "domain"
 * @name: name or number of the unit
 */
void pcounter_base_report(struct pcounter_base *base, struct pcounter_unit *u, const char *kind,
			  const char *name)
{
	enum pcounter_fault fault = PCOUNTER_OK;

	scoped_guard(raw_spinlock_irqsave, base->lock)
		fault = pcounter_gpu_log_fault(&base->ppmu->gpu, u);
	if (fault != PCOUNTER_OK)
		dev_warn_ratelimited(base->parent, "%s: %s %s stopped counting: %s\n", base->name,
				     kind, name, pcounter_fault_text[fault]);
}

static void base_work(struct work_struct *work)
{
	struct pcounter_base *base = container_of(work, struct pcounter_base, work);
	bool resched = false;
	int cpu = -1;

	scoped_guard(raw_spinlock_irqsave, base->lock) {
		base->work_due = false;
		swap(cpu, base->kick_cpu);
		swap(resched, base->resched);
		resched &= !list_empty(&base->events);
	}
	base->ops->report(base);
	/* events move to another CPU: the timer can be started only there */
	if (cpu >= 0)
		smp_call_function_single(cpu, base_kick_here, base, true);
	if (resched)
		pcounter_glue_resched(&base->pmu, READ_ONCE(base->cpu));
	/*
	 * perf disables an event under a mutex that it also holds when it opens a
	 * group. So no lock of the PMU may be held; @disabling keeps the event.
	 */
	while (base_next_to_disable(base))
		perf_event_disable(base->disabling->event);
}

/* ---- CPU hotplug ---- */

/*
 * Have new events opened on another CPU. Return false while perf is opening one for the old
 * CPU: until a context has the event, perf does not move it, and it would never count.
 */
static bool base_switch(struct pcounter_base *base, int target)
{
	struct pcounter_event *pe;

	guard(raw_spinlock_irqsave)(base->lock);
	list_for_each_entry(pe, &base->events, node)
		if (!READ_ONCE(pe->event->ctx))
			return false;
	WRITE_ONCE(base->cpu, target);
	return true;
}

/*
 * Adding the events again starts the timer on the new CPU. Fails after a second in which
 * perf has not ended the opening of an event, which may itself wait for CPU hotplug.
 */
static int base_move(struct pcounter_base *base, int target)
{
	int from = base->cpu, ticks = HZ;

	for (; !base_switch(base, target); schedule_timeout_uninterruptible(1))
		if (!ticks--)
			return -EBUSY;
	hrtimer_cancel(&base->timer);
	/* perf has not set up its contexts yet, and no event is open */
	if (!pcounter_base_is_ready(base))
		return 0;
	pcounter_glue_stop_rotation(&base->pmu, target, false);
	raw_write_seqcount_begin(&base->moving);
	perf_pmu_migrate_context(&base->pmu, from, target);
	raw_write_seqcount_end(&base->moving);
	return 0;
}

/* Return true if the administrator has not isolated a CPU, nor stopped its tick. */
static bool base_prefers(int cpu)
{
	if (pcounter_test_params.cpu >= 0)
		return cpu == pcounter_test_params.cpu;
	/* cpuset changes the first of these masks */
	guard(rcu)();
	return housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) &&
	       housekeeping_test_cpu(cpu, HK_TYPE_TICK);
}

static int base_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct pcounter_base *base = hlist_entry(node, struct pcounter_base, node);

	if (base->cpu < 0)
		WRITE_ONCE(base->cpu, cpu);
	else if (base_prefers(cpu) && !base_prefers(base->cpu))
		base_move(base, cpu);
	return 0;
}

static int base_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct pcounter_base *base = hlist_entry(node, struct pcounter_base, node);
	/* the last CPU cannot go offline */
	unsigned int target = cpumask_any_but(cpu_online_mask, cpu), other;

	if (base->cpu != cpu)
		return 0;
	for_each_online_cpu(other)
		if (other != cpu && base_prefers(other))
			target = other;
	return base_move(base, target);
}

/* ---- creation ---- */

/**
 * pcounter_base_setup() - prepare a PMU for pcounter_base_register()
 * @base: the PMU, zeroed; the caller prepares @base->pmu, @base->name, @base->ppmu,
 *	@base->lock, @base->depth, @base->kick and @base->timer
 * @ops: its backend
 * @parent: the device it belongs to
 */
void pcounter_base_setup(struct pcounter_base *base, const struct pcounter_backend *ops,
			 struct device *parent)
{
	base->ops = ops;
	base->parent = parent;
	base->cpu = -1;
	base->kick_cpu = -1;
	kref_init(&base->kref);
	raw_spin_lock_init(&base->timer_lock);
	INIT_LIST_HEAD(&base->events);
	INIT_LIST_HEAD(&base->deferred);
	INIT_LIST_HEAD(&base->sampling);
	INIT_WORK(&base->work, base_work);
	INIT_WORK(&base->release_work, base_release_work);
	INIT_DELAYED_WORK(&base->put_work, base_put_work);
	seqcount_init(&base->moving);
}

/**
 * pcounter_base_register() - register a PMU with perf
 * @base: the PMU
 *
 * Return: 0 or a negative errno.
 */
int pcounter_base_register(struct pcounter_base *base)
{
	int err;

	if (!base->depth || base->format_dir.failed || base->caps_dir.failed ||
	    base->events_dir.failed)
		return -ENOMEM;
	base->pmu.task_ctx_nr = perf_invalid_context;
	base->pmu.hrtimer_interval_ms = PCOUNTER_ROTATE_MS;
	pcounter_compat_set_parent(&base->pmu, base->parent);
	err = cpuhp_state_add_instance(pcounter_cpuhp, &base->node);
	if (err)
		return err;
	err = perf_pmu_register(&base->pmu, base->name, -1);
	/*
	 * Before 6.15 an event can be opened by the PMU's number before perf
	 * has set up its contexts (seen on 6.1: contexts at address 0).
	 */
	smp_store_release(&base->ready, !err);
	if (err)
		cpuhp_state_remove_instance_nocalls(pcounter_cpuhp, &base->node);
	return err;
}

/**
 * pcounter_base_remove() - remove a PMU
 * @base: the PMU, whose GPU is gone
 *
 * It is unregistered and freed when its last event is closed.
 */
void pcounter_base_remove(struct pcounter_base *base)
{
	/* end the events' running time */
	if (!list_empty(&base->events))
		pcounter_glue_resched(&base->pmu, READ_ONCE(base->cpu));
	cpuhp_state_remove_instance_nocalls(pcounter_cpuhp, &base->node);
	base_calm(base);
	/* an interrupt that saw the GPU may have started it */
	hrtimer_cancel(&base->timer);
	pcounter_base_put(base);
	/* without open events it is out of sysfs when this returns */
	pcounter_base_flush();
}

/**
 * pcounter_base_module_init() - set up the work queue and CPU hotplug of all PMUs
 *
 * Return: 0 or a negative errno.
 */
int __init pcounter_base_module_init(void)
{
	int state;

	pcounter_wq = alloc_workqueue("pcounter", WQ_UNBOUND, 0);
	if (!pcounter_wq)
		return -ENOMEM;
	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/pcounter:online",
					base_cpu_online, base_cpu_offline);
	if (state < 0) {
		destroy_workqueue(pcounter_wq);
		return state;
	}
	pcounter_cpuhp = state;
	return 0;
}

/**
 * pcounter_base_module_exit() - undo pcounter_base_module_init()
 */
void pcounter_base_module_exit(void)
{
	destroy_workqueue(pcounter_wq);
	cpuhp_remove_multi_state(pcounter_cpuhp);
}
