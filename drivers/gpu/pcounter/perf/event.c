// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening and closing events of any PMU.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "compat.h"
#include "perf/event.h"
#include "perf/glue.h"
#include "perf/lease.h"
#include "perf/types.h"

/*
 * perf opens an event on each CPU that its user names. The counters belong to
 * no CPU: each of these events would count everything.
 */
static int event_check_cpu(const struct perf_event *event)
{
	/* the counters do not know for which task the GPU works */
	if (event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK)
		return -EINVAL;
	if (event->cpu == READ_ONCE(to_pcounter_base(event->pmu)->cpu))
		return 0;
	/* the CPU may have gone offline after perf has read cpumask */
	return cpu_active(event->cpu) ? -EINVAL : 0;
}

static int event_check_attr(struct perf_event *event)
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
	return event_check_cpu(event);
}

/*
 * Events of a GPU are software to is_software_event(), but no context has two
 * of the driver's PMUs.
 */
static bool event_may_join(struct perf_event *event, struct perf_event *member)
{
	return member->pmu == event->pmu ||
	       (is_software_event(member) && member->pmu->task_ctx_nr == perf_sw_context);
}

/* Are all members of the group events of this PMU, or software? */
static int event_check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (!event_may_join(event, leader))
		return -EINVAL;
	/* a leader that is just being opened has no siblings, nor a context */
	if (leader == event)
		return 0;
	for_each_sibling_event(sibling, leader)
		if (!event_may_join(event, sibling))
			return -EINVAL;
	return 0;
}

static int event_check(struct perf_event *event)
{
	const struct pcounter_base *base = to_pcounter_base(event->pmu);
	int err = event_check_attr(event);

	if (!err && pcounter_base_is_gone(base))
		err = -ENODEV;
	return err ?: event_check_group(event);
}

/* The last close restores registers, for which the GPU must be awake. */
static void event_close(struct pcounter_base_event *be)
{
	struct pcounter_base *base = pcounter_base_of(be);
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	int section = srcu_read_lock(&pcounter_lease_srcu);
	unsigned long flags;
	bool awake;

	awake = !pcounter_base_is_gone(base) && pcounter_gpu_get(gpu);
	raw_spin_lock_irqsave(base->lock, flags);
	list_del(&be->node);
	raw_spin_unlock_irqrestore(base->lock, flags);
	base->ops->close(be);
	pcounter_base_close(be);
	if (awake)
		pcounter_gpu_put(gpu);
	pcounter_lease_close(base->ppmu);
	srcu_read_unlock(&pcounter_lease_srcu, section);
}

static void event_destroy(struct perf_event *event)
{
	struct pcounter_base *base = to_pcounter_base(event->pmu);

	event_close(event->pmu_private);
	kfree(event->pmu_private);
	pcounter_base_put(base);
}

static int event_open(struct pcounter_base_event *be)
{
	struct pcounter_base *base = pcounter_base_of(be);
	int section = srcu_read_lock(&pcounter_lease_srcu);
	unsigned long flags;
	int err;

	pcounter_lease_open(base->ppmu);
	err = base->ops->open(be);
	if (err) {
		pcounter_lease_close(base->ppmu);
	} else {
		raw_spin_lock_irqsave(base->lock, flags);
		list_add_tail(&be->node, &base->events);
		raw_spin_unlock_irqrestore(base->lock, flags);
	}
	srcu_read_unlock(&pcounter_lease_srcu, section);
	return err;
}

/* Check the event's terms, and get references to what it needs. */
static int event_begin(struct pcounter_base_event *be)
{
	struct pcounter_base *base = pcounter_base_of(be);
	int err = base->ops->check(be);

	if (err)
		return err;
	if (!pcounter_base_get(base))
		return -ENODEV;
	err = event_open(be);
	if (err)
		pcounter_base_put(base);
	return err;
}

/**
 * pcounter_event_init() - perf opens an event
 * @event: the event
 *
 * Return: 0 or a negative errno; no register is touched.
 */
int pcounter_event_init(struct perf_event *event)
{
	struct pcounter_base *base = to_pcounter_base(event->pmu);
	struct pcounter_base_event *be;
	int err;

	if (pcounter_glue_is_probe(event))
		return 0;
	err = event_check(event);
	if (err)
		return err;
	be = kzalloc(base->ops->event_size, GFP_KERNEL);
	if (!be)
		return -ENOMEM;
	be->event = event;
	INIT_LIST_HEAD(&be->deferred);
	err = event_begin(be);
	if (err) {
		kfree(be);
		return err;
	}
	event->pmu_private = be;
	event->destroy = event_destroy;
	/* a group is read in one place: all events are on the CPU of cpumask */
	event->cpu = base->cpu;
	pcounter_glue_never_blocks(event);
	return 0;
}
