// SPDX-License-Identifier: GPL-2.0-only
/*
 * How PMUs come and go. Before 6.15 perf uses a PMU for its open events even
 * after it was unregistered, so a PMU is unregistered when its last event is
 * closed.
 *
 * perf uses it for software events, too: those that shared a group with an event
 * of ours are in the PMU's context until they are closed. While such an event is
 * all that is left, the module has a reference on itself.
 */
#include <linux/capability.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "compat.h"
#include "params.h"
#include "perf/core.h"
#include "perf/glue.h"

/*
 * How often more events than counters take turns. Each turn costs some twenty
 * register accesses, during which the new events do not count yet: at 5 us each
 * (a slow bus) that is 0.2 % of a turn.
 */
#define PCOUNTER_ROTATE_MS	50

/* How often perf's contexts are looked at while they outlive our last event. */
#define PCOUNTER_PUT_MS		20

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

/**
 * pcounter_number_get() - a number for a PMU
 * @device: name of the device that it belongs to
 *
 * Return: the number that the device had before if that is free, or a new one;
 * -ENOMEM.
 */
int pcounter_number_get(const char *device)
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

/**
 * pcounter_number_put() - a PMU does not exist any more
 * @number: its number
 */
void pcounter_number_put(int number)
{
	struct pcounter_number *n;

	mutex_lock(&pcounter_numbers_lock);
	list_for_each_entry(n, &pcounter_numbers, node)
		if (n->number == number)
			n->busy = false;
	mutex_unlock(&pcounter_numbers_lock);
}

/* ---- references ---- */

/* Afterwards neither @kick nor @work is pending. */
static void base_calm(struct pcounter_base *base)
{
	irq_work_sync(&base->kick);
	cancel_work_sync(&base->work);
	irq_work_sync(&base->kick);
}

static void base_release_work(struct work_struct *work)
{
	struct pcounter_base *base =
		container_of(work, struct pcounter_base, release_work);

	/*
	 * the task that closed the last event may be preempted inside of perf
	 */
	synchronize_rcu_tasks();
	cancel_delayed_work_sync(&base->put_work);
	/* the work may restart perf's rotation, which may kick */
	base_calm(base);
	pcounter_glue_stop_rotation(&base->pmu);
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
 * pcounter_base_put() - put a reference
 * @base: the PMU
 */
void pcounter_base_put(struct pcounter_base *base)
{
	kref_put(&base->kref, base_release);
}

/*
 * Do perf's contexts of this PMU have more events than @ours? They can get no other
 * while none of ours is open.
 */
static bool base_has_foreign(struct pcounter_base *base, int ours)
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
	int puts;

	/* the close of an open event looks again */
	if (list_empty_careful(&base->events) && base_has_foreign(base, 0)) {
		queue_delayed_work(pcounter_wq, &base->put_work,
				   msecs_to_jiffies(PCOUNTER_PUT_MS));
		return;
	}
	for (puts = atomic_xchg(&base->late_puts, 0); puts; puts--) {
		pcounter_base_put(base);
		module_put(module);
	}
}

/**
 * pcounter_base_put_later() - put a reference to the PMU and one to its module
 * @base: the PMU
 *
 * For functions that perf calls: the code of a module that puts the last reference
 * to itself may vanish beneath it. module_exit() waits for the work that puts them.
 */
void pcounter_base_put_later(struct pcounter_base *base)
{
	/* once it is counted, the work may put it before it is queued here */
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

/* ---- rescheduling ---- */

static bool base_wants_resched(struct pcounter_base *base)
{
	unsigned long flags;
	bool wanted;

	raw_spin_lock_irqsave(base->lock, flags);
	wanted = base->ops->resched(base) && !list_empty(&base->events);
	raw_spin_unlock_irqrestore(base->lock, flags);
	return wanted;
}

/* ---- events ---- */

/*
 * perf opens an event on each CPU that its user names. The counters belong to no
 * CPU: each of these events would count all there is.
 */
static int base_check_cpu(const struct perf_event *event)
{
	/* the counters do not know for which task the GPU works */
	if (event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK)
		return -EINVAL;
	if (event->cpu == READ_ONCE(to_pcounter_base(event->pmu)->cpu))
		return 0;
	/* the CPU may have gone offline after perf has read cpumask */
	return cpu_active(event->cpu) ? -EINVAL : 0;
}

/* Can a GPU count such an event? */
static int base_check_attr(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/*
	 * perf answers EACCES to an event that counts the kernel, too, and its
	 * tool tries again without the kernel: the right is still missing
	 */
	if (event->attr.exclude_kernel && !perfmon_capable())
		return -EACCES;
	if (event_has_any_exclude_flag(event))
		return -EINVAL;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (pcounter_attr_has_more(&event->attr))
		return -EINVAL;
	return base_check_cpu(event);
}

/* Our own events are software to is_software_event(), but no context has two PMUs of ours. */
static bool base_may_join(struct perf_event *event, struct perf_event *member)
{
	return member->pmu == event->pmu ||
	       (is_software_event(member) && member->pmu->task_ctx_nr == perf_sw_context);
}

/* Are all members of this PMU, or software? */
static int base_check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (!base_may_join(event, leader))
		return -EINVAL;
	/*
	 * one that is just being opened as a leader has no siblings, nor a
	 * context
	 */
	if (leader == event)
		return 0;
	for_each_sibling_event(sibling, leader)
		if (!base_may_join(event, sibling))
			return -EINVAL;
	return 0;
}

/**
 * pcounter_base_check() - may this event be opened, whatever it counts?
 * @event: the event that is being opened
 * @gone: the GPU has left
 *
 * Return: 0 or a negative errno.
 */
int pcounter_base_check(struct perf_event *event, bool gone)
{
	int err = base_check_attr(event);

	if (!err && gone)
		err = -ENODEV;
	return err ?: base_check_group(event);
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
	INIT_LIST_HEAD(&be->starting);
	INIT_LIST_HEAD(&be->leaving);
	event->pmu_private = be;
	/*
	 * A group must be read from one place: all events are on the CPU that
	 * the cpumask file names.
	 */
	event->cpu = base->cpu;
	pcounter_glue_never_blocks(event);
	return true;
}

/**
 * pcounter_base_close() - undo pcounter_base_open(); @be may be freed
 * afterwards
 * @be: our part, out of pcounter_base.events
 *
 * The caller puts the reference to the PMU.
 */
void pcounter_base_close(struct pcounter_base_event *be)
{
	struct pcounter_base *base = to_pcounter_base(be->event->pmu);

	wait_event(base->stop_wait, !READ_ONCE(be->stopping));
	if (!list_empty_careful(&base->events) || !base_has_foreign(base, !!be->event->ctx))
		return;
	kref_get(&base->kref);
	__module_get(base->pmu.module);
	pcounter_base_put_later(base);
}

/**
 * pcounter_base_begins() - an event that has stopped is started
 * @be: the event; the lock is held
 *
 * Return: whether it waits for the commit now. If not it was stopped in this
 * reschedule, and the caller removes it from pcounter_base.leaving.
 */
bool pcounter_base_begins(struct pcounter_base_event *be)
{
	be->event->hw.state = 0;
	if (!list_empty(&be->leaving))
		return false;
	list_add_tail(&be->starting, &to_pcounter_base(be->event->pmu)->starting);
	return true;
}

/**
 * pcounter_base_ends() - an event is stopped, if it has not been
 * @be: the event; the lock is held
 *
 * Return: whether it has counted until now, and is in pcounter_base.leaving.
 */
bool pcounter_base_ends(struct pcounter_base_event *be)
{
	struct hw_perf_event *hwc = &be->event->hw;

	if (hwc->state & PERF_HES_STOPPED || !list_empty(&be->leaving))
		return false;
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!list_empty(&be->starting)) {
		list_del_init(&be->starting);
		return false;
	}
	list_add_tail(&be->leaving, &to_pcounter_base(be->event->pmu)->leaving);
	return true;
}

/**
 * pcounter_base_kick() - defer to an interrupt what a callback must not do
 * @base: the PMU
 *
 * May be called from anywhere.
 */
void pcounter_base_kick(struct pcounter_base *base)
{
	irq_work_queue(&base->kick);
}

/**
 * pcounter_base_kick_work() - kick, and queue the work, too
 * @base: the PMU; its lock is held
 *
 * Not while the work is pending: a BPF program that reads in the interrupt
 * would raise the next interrupt for ever.
 */
void pcounter_base_kick_work(struct pcounter_base *base)
{
	if (base->work_queued)
		return;
	base->work_due = true;
	pcounter_base_kick(base);
}

/**
 * pcounter_base_stop() - have perf disable an event without room for packets
 * @be: the event; the lock is held
 */
void pcounter_base_stop(struct pcounter_base_event *be)
{
	be->stopped = false;
	pcounter_base_kick_work(to_pcounter_base(be->event->pmu));
}

static void base_kicked(struct irq_work *kick)
{
	struct pcounter_base *base = container_of(kick, struct pcounter_base, kick);
	int cpu = base->ops->kicked(base);
	unsigned long flags;
	bool due;

	raw_spin_lock_irqsave(base->lock, flags);
	if (cpu >= 0)
		base->kick_cpu = cpu;
	due = base->work_due || cpu >= 0;
	base->work_due = false;
	base->work_queued |= due;
	raw_spin_unlock_irqrestore(base->lock, flags);
	if (due)
		schedule_work(&base->work);
}

/**
 * pcounter_base_start_timer() - poll the GPU after this time at the latest
 * @base: the PMU, on the CPU that it counts on; not from a callback of perf
 * @ns: nanoseconds
 */
void pcounter_base_start_timer(struct pcounter_base *base, u64 ns)
{
	struct hrtimer *timer = &base->timer;

	if (!hrtimer_is_queued(timer) || ktime_to_ns(hrtimer_get_remaining(timer)) > (s64)ns)
		hrtimer_start(timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pcounter_base_next_timer() - the timer is to go on
 * @base: the PMU; from the timer's function
 * @ns: nanoseconds
 *
 * Unless it was started meanwhile: events move to another CPU while it runs here.
 *
 * Return: what that function returns.
 */
enum hrtimer_restart pcounter_base_next_timer(struct pcounter_base *base, u64 ns)
{
	if (hrtimer_is_queued(&base->timer))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(&base->timer, ns_to_ktime(ns));
	return HRTIMER_RESTART;
}

static void base_kick_here(void *base)
{
	pcounter_base_kick(base);
}

/* Events move to another CPU: the timer can be started only there. */
static void base_kick_there(struct pcounter_base *base)
{
	unsigned long flags;
	int cpu;

	raw_spin_lock_irqsave(base->lock, flags);
	cpu = base->kick_cpu;
	base->kick_cpu = -1;
	raw_spin_unlock_irqrestore(base->lock, flags);
	if (cpu >= 0)
		smp_call_function_single(cpu, base_kick_here, base, true);
}

static struct pcounter_base_event *base_next_full(struct pcounter_base *base)
{
	struct pcounter_base_event *be, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(base->lock, flags);
	list_for_each_entry(be, &base->events, node) {
		if (be->stopped || !base->ops->full || !base->ops->full(base, be))
			continue;
		be->stopping = true;
		be->stopped = true;
		found = be;
		break;
	}
	raw_spin_unlock_irqrestore(base->lock, flags);
	return found;
}

/*
 * perf disables an event under a mutex that it also holds when it opens a
 * group. So no lock of the PMU may be held, and a flag keeps the event.
 */
static void base_work(struct work_struct *work)
{
	struct pcounter_base *base = container_of(work, struct pcounter_base, work);
	struct pcounter_base_event *be;
	unsigned long flags;

	raw_spin_lock_irqsave(base->lock, flags);
	base->work_queued = false;
	raw_spin_unlock_irqrestore(base->lock, flags);
	base->ops->report(base);
	base_kick_there(base);
	if (base_wants_resched(base))
		pcounter_glue_resched(&base->pmu, READ_ONCE(base->cpu));
	while ((be = base_next_full(base))) {
		perf_event_disable(be->event);
		raw_spin_lock_irqsave(base->lock, flags);
		be->stopping = false;
		raw_spin_unlock_irqrestore(base->lock, flags);
		wake_up_all(&base->stop_wait);
	}
}

/* ---- CPU hotplug ---- */

/* Adding the events again starts the timer on the new CPU. */
static void base_move(struct pcounter_base *base, int target)
{
	int from = base->cpu;

	hrtimer_cancel(&base->timer);
	base->cpu = target;
	pcounter_glue_reset_rotation(&base->pmu, target);
	raw_write_seqcount_begin(&base->moving);
	perf_pmu_migrate_context(&base->pmu, from, target);
	raw_write_seqcount_end(&base->moving);
}

static int base_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct pcounter_base *base = hlist_entry(node, struct pcounter_base, node);

	if (base->cpu >= 0 && (int)cpu != pcounter_test_params.cpu)
		return 0;
	if (base->cpu >= 0 && base->ready)
		base_move(base, cpu);
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
	if (target < nr_cpu_ids)
		base_move(base, target);
	else
		base->cpu = -1;
	return 0;
}

/* ---- creation ---- */

/**
 * pcounter_base_setup() - first step of a PMU
 * @base: the PMU, zeroed; the caller fills in @base->pmu, @base->name and
 *	@base->timer afterwards
 * @ops: its own operations
 * @lock: what protects it
 * @parent: the device it belongs to
 */
void pcounter_base_setup(struct pcounter_base *base, const struct pcounter_base_ops *ops,
			 raw_spinlock_t *lock, struct device *parent)
{
	base->ops = ops;
	base->lock = lock;
	base->parent = get_device(parent);
	base->cpu = -1;
	base->kick_cpu = -1;
	kref_init(&base->kref);
	INIT_LIST_HEAD(&base->events);
	INIT_LIST_HEAD(&base->starting);
	INIT_LIST_HEAD(&base->leaving);
	init_waitqueue_head(&base->stop_wait);
	init_irq_work(&base->kick, base_kicked);
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

	base->pmu.task_ctx_nr = perf_invalid_context;
	base->pmu.hrtimer_interval_ms = PCOUNTER_ROTATE_MS;
	pcounter_compat_set_parent(&base->pmu, base->parent);
	err = cpuhp_state_add_instance(pcounter_cpuhp, &base->node);
	if (err)
		return err;
	err = perf_pmu_register(&base->pmu, base->name, -1);
	/*
	 * Before 6.15 an event can be opened by the PMU's number before perf
	 * has what it needs for it (seen on 6.1: contexts at address 0).
	 */
	smp_store_release(&base->ready, !err);
	if (err)
		cpuhp_state_remove_instance_nocalls(pcounter_cpuhp, &base->node);
	return err;
}

/**
 * pcounter_base_remove() - the GPU or its provider goes away
 * @base: the PMU, which touches no register any more
 *
 * It is gone when the last event is closed.
 */
void pcounter_base_remove(struct pcounter_base *base)
{
	unsigned long flags;
	bool open;

	hrtimer_cancel(&base->timer);
	raw_spin_lock_irqsave(base->lock, flags);
	open = !list_empty(&base->events);
	raw_spin_unlock_irqrestore(base->lock, flags);
	/* ends the events' running time */
	if (open)
		pcounter_glue_resched(&base->pmu, READ_ONCE(base->cpu));
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
	pcounter_callback_teach();
	return 0;
}

/**
 * pcounter_base_module_exit() - undo pcounter_base_module_init()
 */
void pcounter_base_module_exit(void)
{
	struct pcounter_number *n, *next;

	destroy_workqueue(pcounter_wq);
	cpuhp_remove_multi_state(pcounter_cpuhp);
	list_for_each_entry_safe(n, next, &pcounter_numbers, node)
		kfree(n);
}
