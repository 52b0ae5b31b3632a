// SPDX-License-Identifier: GPL-2.0-only
/*
 * How PMUs come and go. perf keeps using a PMU for its open events even after it
 * was unregistered (before 6.15), so that happens only when the last is closed.
 */
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/trace_events.h>

#include "pcounter_base.h"
#include "pcounter_compat.h"

/*
 * How often more events than counters take turns. Each turn costs some twenty
 * register accesses, during which the new events do not count yet: at 5 us each
 * (a slow bus) that is 0.2 % of a turn.
 */
#define PCOUNTER_ROTATE_MS	50

static enum cpuhp_state pcounter_cpuhp;
static struct workqueue_struct *pcounter_wq;

/* ---- references ---- */

/* Whatever is on its way is over. */
static void base_calm(struct pcounter_base *base)
{
	irq_work_sync(&base->kick);
	cancel_work_sync(&base->fault_work);
}

static void base_release_work(struct work_struct *work)
{
	struct pcounter_base *base =
		container_of(work, struct pcounter_base, release_work);

	/* who has closed the last event may have been preempted before perf was through */
	synchronize_rcu_tasks();
	/* a bell may start the rotation, and the rotation may kick; bells are for events */
	base_calm(base);
	pcounter_pmu_stop_rotation(&base->pmu);
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
 * pcounter_base_put() - give up a reference
 * @base: the PMU
 */
void pcounter_base_put(struct pcounter_base *base)
{
	kref_put(&base->kref, base_release);
}

/**
 * pcounter_base_flush() - wait until PMUs without references are gone
 */
void pcounter_base_flush(void)
{
	flush_workqueue(pcounter_wq);
}

/* ---- the bell ---- */

static void base_bell(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
}

/**
 * pcounter_base_is_bell() - is it the event that is never counted?
 * @event: an event of ours
 *
 * Return: true if so.
 */
bool pcounter_base_is_bell(const struct perf_event *event)
{
	return event->overflow_handler == base_bell;
}

/*
 * Time running goes on as long as perf believes that an event is counted. A new
 * pinned event makes perf take down all events of this PMU and try to add them
 * again; when the GPU sleeps that fails, and perf tries again every turn.
 */
static void base_ring(struct pcounter_base *base)
{
	struct perf_event_attr attr = {
		.type = base->pmu.type, .size = sizeof(attr), .pinned = 1,
	};
	struct perf_event *bell;

	bell = perf_event_create_kernel_counter(&attr, READ_ONCE(base->cpu), NULL,
						base_bell, NULL);
	if (!IS_ERR(bell))
		perf_event_release_kernel(bell);
}

static bool base_rings(struct pcounter_base *base)
{
	unsigned long flags;
	bool rings;

	flags = pcounter_lock(base->lock);
	rings = base->ops->rings(base) && !list_empty(&base->events);
	pcounter_unlock(base->lock, flags);
	return rings;
}

/* ---- events ---- */

/**
 * pcounter_base_check_attr() - is this an event that a GPU can count at all?
 * @event: the event that is being opened
 *
 * Return: 0 or a negative errno.
 */
int pcounter_base_check_attr(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	/* A GPU does not know for which task it works. */
	if (event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK)
		return -EINVAL;
	return 0;
}

/**
 * pcounter_base_check_group() - are all members of this PMU, or software?
 * @event: the event that is being opened
 *
 * Return: 0 or -EINVAL.
 */
int pcounter_base_check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (leader->pmu != event->pmu && !is_software_event(leader))
		return -EINVAL;
	/* one that is just being opened as a leader has no siblings, nor a context */
	if (leader == event)
		return 0;
	for_each_sibling_event(sibling, leader)
		if (sibling->pmu != event->pmu && !is_software_event(sibling))
			return -EINVAL;
	return 0;
}

/**
 * pcounter_base_open() - connect our part of an event with perf's
 * @be: our part
 * @event: perf's part
 *
 * The caller puts @be into pcounter_base.events, and sets event->destroy.
 *
 * Return: false if the PMU is on its way in or out.
 */
bool pcounter_base_open(struct pcounter_base_event *be, struct perf_event *event)
{
	struct pcounter_base *base = to_pcounter_base(event->pmu);

	/* pairs with pcounter_base_register() */
	if (!smp_load_acquire(&base->ready) || !kref_get_unless_zero(&base->kref))
		return false;
	be->event = event;
	event->pmu_private = be;
	/*
	 * The counters belong to no CPU, but a group must be read from one
	 * place: all events go to the CPU that the cpumask file names.
	 */
	event->cpu = base->cpu;
	return true;
}

/**
 * pcounter_base_close() - the opposite; @be may be freed afterwards
 * @be: our part, out of pcounter_base.events
 *
 * The reference to the PMU is still to be put.
 */
void pcounter_base_close(struct pcounter_base_event *be)
{
	struct pcounter_base *base = to_pcounter_base(be->event->pmu);

	wait_event(base->stop_wait, !READ_ONCE(be->stopping));
}

/**
 * pcounter_base_stop() - an event cannot count: perf is to disable it
 * @be: the event; the lock is held
 *
 * As long as perf tries to add it, others of its CPU wait for their turn.
 */
void pcounter_base_stop(struct pcounter_base_event *be)
{
	be->stopped = false;
	pcounter_base_kick(to_pcounter_base(be->event->pmu));
}

static void base_kicked(struct irq_work *kick)
{
	schedule_work(&container_of(kick, struct pcounter_base, kick)->fault_work);
}

/**
 * pcounter_base_kick() - see to events that have failed, and to the bell
 * @base: the PMU
 *
 * From anywhere: to wake a worker takes the lock of a runqueue, with which perf may
 * have called.
 */
void pcounter_base_kick(struct pcounter_base *base)
{
	irq_work_queue(&base->kick);
}

/* Does the sample of a software event, or of a tracepoint, ask? */
static bool base_is_nested(void)
{
	int rctx = perf_swevent_get_recursion_context();
	struct hlist_head nobody = HLIST_HEAD_INIT;
	struct trace_entry entry;

	if (rctx < 0)
		return true;
	/* what gives the context back is not for modules; this does no more than that */
	perf_tp_event(0, 0, &entry, sizeof(entry), NULL, &nobody, rctx, NULL);
	return false;
}

/**
 * pcounter_base_can_read() - can an event be read here and now?
 * @base: the PMU
 * @sampling: a sample of our own asks, which holds no lock
 *
 * Whoever hit a tracepoint may hold any lock: ours, that of a runqueue, of timers
 * or of runtime power management.
 *
 * Return: false if not: its count stays what it was.
 */
bool pcounter_base_can_read(const struct pcounter_base *base, bool sampling)
{
	if (in_nmi() || pcounter_lock_is_mine(base->lock))
		return false;
	return sampling || !base_is_nested();
}

static struct pcounter_base_event *base_next_failed(struct pcounter_base *base)
{
	struct pcounter_base_event *be, *found = NULL;
	unsigned long flags;

	flags = pcounter_lock(base->lock);
	list_for_each_entry(be, &base->events, node) {
		if (be->stopped || !base->ops->failed(base, be))
			continue;
		be->stopping = true;
		be->stopped = true;
		found = be;
		break;
	}
	pcounter_unlock(base->lock, flags);
	return found;
}

/*
 * perf wants a mutex to disable an event, the one that it holds when it opens
 * a group: no lock of ours may be held, so a mark keeps the event.
 */
static void base_fault_work(struct work_struct *work)
{
	struct pcounter_base *base =
		container_of(work, struct pcounter_base, fault_work);
	struct pcounter_base_event *be;
	unsigned long flags;

	base->ops->report(base);
	if (base_rings(base))
		base_ring(base);
	while ((be = base_next_failed(base))) {
		perf_event_disable(be->event);
		flags = pcounter_lock(base->lock);
		be->stopping = false;
		pcounter_unlock(base->lock, flags);
		wake_up_all(&base->stop_wait);
	}
}

/* ---- CPU hotplug ---- */

static int base_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct pcounter_base *base = hlist_entry(node, struct pcounter_base, node);

	if (base->cpu < 0)
		base->cpu = cpu;
	return 0;
}

static int base_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct pcounter_base *base = hlist_entry(node, struct pcounter_base, node);
	unsigned int target;

	if (base->cpu != cpu)
		return 0;
	target = cpumask_any_but(cpu_online_mask, cpu);
	if (target >= nr_cpu_ids) {
		base->cpu = -1;
		return 0;
	}
	hrtimer_cancel(&base->timer);
	base->cpu = target;
	/* adding the events again starts the timer on the new CPU */
	perf_pmu_migrate_context(&base->pmu, cpu, target);
	return 0;
}

/* ---- creation ---- */

/**
 * pcounter_base_setup() - first step of a PMU
 * @base: the PMU, zeroed; its owner has still to fill in @base->pmu, @base->name
 *	and @base->timer
 * @ops: what it does in its own way
 * @lock: what protects it
 * @parent: the device it belongs to
 */
void pcounter_base_setup(struct pcounter_base *base, const struct pcounter_base_ops *ops,
			 struct pcounter_lock *lock, struct device *parent)
{
	base->ops = ops;
	base->lock = lock;
	base->parent = get_device(parent);
	base->cpu = -1;
	kref_init(&base->kref);
	INIT_LIST_HEAD(&base->events);
	init_waitqueue_head(&base->stop_wait);
	init_irq_work(&base->kick, base_kicked);
	INIT_WORK(&base->fault_work, base_fault_work);
	INIT_WORK(&base->release_work, base_release_work);
}

/**
 * pcounter_base_register() - perf gets to know a PMU
 * @base: the PMU
 *
 * Return: 0 or a negative errno.
 */
int pcounter_base_register(struct pcounter_base *base)
{
	int err;

	base->pmu.task_ctx_nr = perf_invalid_context;
	base->pmu.capabilities |= PERF_PMU_CAP_NO_EXCLUDE;
	base->pmu.hrtimer_interval_ms = PCOUNTER_ROTATE_MS;
	pcounter_pmu_set_parent(&base->pmu, base->parent);
	err = cpuhp_state_add_instance(pcounter_cpuhp, &base->node);
	if (err)
		return err;
	err = perf_pmu_register(&base->pmu, base->name, -1);
	/*
	 * Before 6.15 an event can be opened by the PMU's number before perf has
	 * what it needs for it (seen on 6.1: contexts at address 0).
	 */
	smp_store_release(&base->ready, !err);
	if (err)
		cpuhp_state_remove_instance_nocalls(pcounter_cpuhp, &base->node);
	return err;
}

/**
 * pcounter_base_remove() - the GPU or its provider goes away
 * @base: the PMU; its owner has seen to it that no register is touched any more
 *
 * It is gone when the last event is closed.
 */
void pcounter_base_remove(struct pcounter_base *base)
{
	unsigned long flags;
	bool open;

	hrtimer_cancel(&base->timer);
	flags = pcounter_lock(base->lock);
	open = !list_empty(&base->events);
	pcounter_unlock(base->lock, flags);
	/* for their running time, which ends here */
	if (open)
		base_ring(base);
	cpuhp_state_remove_instance_nocalls(pcounter_cpuhp, &base->node);
	base_calm(base);
	pcounter_base_put(base);
	/* without open events it is out of sysfs when this returns */
	pcounter_base_flush();
}

/**
 * pcounter_base_module_init() - set up what all PMUs share
 *
 * Return: 0 or a negative errno.
 */
int pcounter_base_module_init(void)
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
