// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle counters as a second PMU beside that of PCOUNTER, "pcounter_idle_N".
 */
#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "compat.h"
#include "idle/pmu.h"
#include "idle/sysfs.h"
#include "idle/types.h"
#include "perf/glue.h"
#include "perf/lease.h"

/**
 * struct pcounter_idle_event - our part of a perf event
 * @base: what all PMUs' events have
 * @slot: which counter counts it
 * @prev: that counter's total up to which it has been credited
 * @added: it is on the PMU
 * @failed: its counter has stopped, it never runs again
 */
struct pcounter_idle_event {
	struct pcounter_base_event base;
	int slot;
	u64 prev;
	bool added;
	bool failed;
};

static struct pcounter_idle_event *base_to_ie(struct pcounter_base_event *be)
{
	return container_of(be, struct pcounter_idle_event, base);
}

static struct pcounter_idle_event *to_ie(struct perf_event *event)
{
	return base_to_ie(event->pmu_private);
}

static u32 idle_mask_of(const struct perf_event *event)
{
	return FIELD_GET(PCOUNTER_IDLE_MASK, event->attr.config);
}

/* The term counts from 0, the register from 1. */
static u32 idle_mode_of(const struct perf_event *event)
{
	return FIELD_GET(PCOUNTER_IDLE_WHEN, event->attr.config) + PCOUNTER_IDLE_ALL;
}

/* ---- operations of pcounter_base ---- */

static void idle_report(struct pcounter_base *base)
{
	struct pcounter_idle *idle = &to_pcounter_idle_pmu(&base->pmu)->idle;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < idle->nr; i++) {
		enum pcounter_idle_fault fault = PCOUNTER_IDLE_OK;

		raw_spin_lock_irqsave(base->lock, flags);
		if (!idle->slot[i].logged)
			fault = idle->slot[i].fault;
		idle->slot[i].logged = idle->slot[i].fault;
		raw_spin_unlock_irqrestore(base->lock, flags);
		if (fault)
			dev_warn_ratelimited(base->parent, "%s: counter %u stopped: %s\n",
					     base->name, i,
					     pcounter_idle_fault_text(fault));
	}
}

static void idle_free(struct pcounter_base *base)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(&base->pmu);

	pcounter_base_put(&ipmu->ppmu->base);
	put_device(base->parent);
	pcounter_idle_sysfs_free(ipmu);
	kfree(ipmu);
}

static bool idle_wants_resched(struct pcounter_base *base)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(&base->pmu);
	bool wanted = ipmu->resched;

	ipmu->resched = false;
	return wanted;
}

/* ---- counting; the lock is held in all helpers ---- */

/* perf has to reschedule all events. */
static void idle_want_resched(struct pcounter_base *base)
{
	to_pcounter_idle_pmu(&base->pmu)->resched = true;
	pcounter_base_kick_work(base);
}

/* May registers be touched? Until idle_drop(). */
static bool idle_hold(struct pcounter_idle_pmu *ipmu)
{
	struct pcounter_gpu *gpu = &ipmu->ppmu->gpu;
	bool awake = pcounter_gpu_hold(gpu);

	if (ipmu->losses != gpu->sleeps + gpu->losses) {
		ipmu->losses = gpu->sleeps + gpu->losses;
		pcounter_idle_forget(&ipmu->idle);
		idle_want_resched(&ipmu->base);
	}
	return awake;
}

static void idle_drop(struct pcounter_idle_pmu *ipmu)
{
	pcounter_gpu_check(&ipmu->ppmu->gpu);
	pcounter_gpu_drop(&ipmu->ppmu->gpu);
}

/* Was the GPU off when that was read? Then no counter is at fault. */
static bool idle_doubt(struct pcounter_idle_pmu *ipmu)
{
	bool off = pcounter_gpu_doubt(&ipmu->ppmu->gpu);

	if (off)
		pcounter_idle_acquit(&ipmu->idle);
	return off;
}

/*
 * An event whose counter has stopped is refused when perf adds its events
 * again.
 */
static void idle_latch(struct pcounter_idle_pmu *ipmu)
{
	struct pcounter_base_event *be;
	bool stopped, off;

	if (ipmu->fresh || ipmu->gone || !idle_hold(ipmu))
		return;
	ipmu->fresh = ipmu->depth;
	stopped = pcounter_idle_latch(&ipmu->idle);
	off = stopped && idle_doubt(ipmu);
	idle_drop(ipmu);
	if (!stopped)
		return;
	list_for_each_entry(be, &ipmu->base.events, node) {
		struct pcounter_idle_event *ie = base_to_ie(be);

		ie->failed |= !off && ie->slot >= 0 && ipmu->idle.slot[ie->slot].fault;
	}
	idle_want_resched(&ipmu->base);
}

static void idle_update(struct pcounter_idle_pmu *ipmu, struct pcounter_idle_event *ie)
{
	u64 total = ipmu->idle.slot[ie->slot].total;

	if (!list_empty(&ie->base.starting))
		return;
	local64_add(total - ie->prev, &ie->base.event->count);
	ie->prev = total;
}

/* Credits events that have left, and are not added again, for the last time. */
static void idle_finish_leaving(struct pcounter_idle_pmu *ipmu)
{
	struct pcounter_idle_event *ie, *next;

	if (!list_empty(&ipmu->base.leaving))
		idle_latch(ipmu);
	list_for_each_entry_safe(ie, next, &ipmu->base.leaving, base.leaving) {
		list_del_init(&ie->base.leaving);
		idle_update(ipmu, ie);
		if (ie->added)
			continue;
		pcounter_idle_del(&ipmu->idle, ie->slot);
		ie->slot = -1;
	}
}

/* All events that begin do so from one reading of all counters. */
static void idle_commit(struct pcounter_idle_pmu *ipmu)
{
	struct pcounter_idle_event *ie, *next;

	ipmu->fresh = false;
	idle_finish_leaving(ipmu);
	if (!list_empty(&ipmu->base.starting))
		idle_latch(ipmu);
	ipmu->fresh = false;
	list_for_each_entry_safe(ie, next, &ipmu->base.starting, base.starting) {
		list_del_init(&ie->base.starting);
		ie->prev = ipmu->idle.slot[ie->slot].total;
	}
	if ((ipmu->active && !ipmu->gone) != hrtimer_is_queued(&ipmu->base.timer))
		pcounter_base_kick(&ipmu->base);
}

static void idle_enter(struct pcounter_idle_pmu *ipmu)
{
	unsigned long flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(ipmu->base.lock, flags);
	if (!ipmu->depth++)
		ipmu->fresh = false;
	raw_spin_unlock_irqrestore(ipmu->base.lock, flags);
	pcounter_callback_end();
}

static void idle_leave(struct pcounter_idle_pmu *ipmu)
{
	unsigned long flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(ipmu->base.lock, flags);
	if (!--ipmu->depth)
		idle_commit(ipmu);
	raw_spin_unlock_irqrestore(ipmu->base.lock, flags);
	pcounter_callback_end();
}

static void idle_pmu_disable(struct pmu *pmu)
{
	idle_enter(to_pcounter_idle_pmu(pmu));
}

static void idle_pmu_enable(struct pmu *pmu)
{
	idle_leave(to_pcounter_idle_pmu(pmu));
}

static void idle_start_txn(struct pmu *pmu, unsigned int txn)
{
	idle_enter(to_pcounter_idle_pmu(pmu));
}

static int idle_commit_txn(struct pmu *pmu)
{
	idle_leave(to_pcounter_idle_pmu(pmu));
	return 0;
}

static void idle_do_start(struct pcounter_idle_pmu *ipmu, struct pcounter_idle_event *ie)
{
	if (!pcounter_base_begins(&ie->base))
		list_del_init(&ie->base.leaving);
	else if (!ipmu->depth)
		idle_commit(ipmu);
}

static void idle_event_start(struct perf_event *event, int flags)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(event->pmu);
	unsigned long irq_flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(ipmu->base.lock, irq_flags);
	if (event->hw.state & PERF_HES_STOPPED)
		idle_do_start(ipmu, to_ie(event));
	raw_spin_unlock_irqrestore(ipmu->base.lock, irq_flags);
	pcounter_callback_end();
}

static void idle_event_stop(struct perf_event *event, int flags)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(event->pmu);
	unsigned long irq_flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(ipmu->base.lock, irq_flags);
	pcounter_base_ends(event->pmu_private);
	if (!ipmu->depth)
		idle_commit(ipmu);
	raw_spin_unlock_irqrestore(ipmu->base.lock, irq_flags);
	pcounter_callback_end();
}

static int idle_find_slot(struct pcounter_idle_pmu *ipmu, struct perf_event *event)
{
	int slot;

	if (to_ie(event)->failed)
		return -EIO;
	if (ipmu->gone)
		return -ENODEV;
	if (!idle_hold(ipmu))
		return -EAGAIN;
	slot = pcounter_idle_add(&ipmu->idle, idle_mask_of(event), idle_mode_of(event));
	if (slot == -EIO && idle_doubt(ipmu))
		slot = -EAGAIN;
	idle_drop(ipmu);
	if (slot == -EIO)
		to_ie(event)->failed = true;
	return slot;
}

/*
 * An event that left in this reschedule still has its counter, unless it is
 * stale.
 */
static bool idle_still_has_it(struct pcounter_idle_pmu *ipmu, struct pcounter_idle_event *ie)
{
	const struct pcounter_idle_slot *s;

	if (list_empty(&ie->base.leaving) || ie->failed || ipmu->gone || !idle_hold(ipmu))
		return false;
	idle_drop(ipmu);
	s = &ipmu->idle.slot[ie->slot];
	return !s->stale && !s->fault;
}

/* A new event may get the counter of an event that is leaving. */
static int idle_get_slot(struct pcounter_idle_pmu *ipmu, struct perf_event *event)
{
	int slot;

	if (!list_empty(&to_ie(event)->base.leaving))
		idle_finish_leaving(ipmu);
	slot = idle_find_slot(ipmu, event);
	if (slot != -EAGAIN || list_empty(&ipmu->base.leaving))
		return slot;
	idle_finish_leaving(ipmu);
	return idle_find_slot(ipmu, event);
}

static int idle_do_add(struct pcounter_idle_pmu *ipmu, struct perf_event *event, int flags)
{
	struct pcounter_idle_event *ie = to_ie(event);
	int slot;

	if (!idle_still_has_it(ipmu, ie)) {
		slot = idle_get_slot(ipmu, event);
		if (slot < 0) {
			/* the GPU may have woken */
			if (!pcounter_gpu_is_held(&ipmu->ppmu->gpu))
				pcounter_base_kick(&ipmu->base);
			return slot;
		}
		ie->slot = slot;
	}
	ie->added = true;
	ipmu->active++;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		idle_do_start(ipmu, ie);
	return 0;
}

static int idle_event_add(struct perf_event *event, int flags)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(event->pmu);
	unsigned long irq_flags;
	int err;

	if (pcounter_glue_is_probe(event))
		return -EAGAIN;
	pcounter_callback_begin();
	raw_spin_lock_irqsave(ipmu->base.lock, irq_flags);
	err = idle_do_add(ipmu, event, flags);
	raw_spin_unlock_irqrestore(ipmu->base.lock, irq_flags);
	pcounter_callback_end();
	return err;
}

static void idle_event_del(struct perf_event *event, int flags)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(event->pmu);
	struct pcounter_idle_event *ie = to_ie(event);
	unsigned long irq_flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(ipmu->base.lock, irq_flags);
	pcounter_base_ends(&ie->base);
	ie->added = false;
	ipmu->active--;
	if (list_empty(&ie->base.leaving)) {
		pcounter_idle_del(&ipmu->idle, ie->slot);
		ie->slot = -1;
	}
	if (!ipmu->depth)
		idle_commit(ipmu);
	raw_spin_unlock_irqrestore(ipmu->base.lock, irq_flags);
	pcounter_callback_end();
}

static void idle_event_read(struct perf_event *event)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(event->pmu);
	unsigned long flags;

	if (in_nmi())
		return;
	pcounter_callback_begin();
	if (raw_spin_trylock_irqsave(ipmu->base.lock, flags)) {
		if (!(event->hw.state & PERF_HES_STOPPED)) {
			idle_latch(ipmu);
			idle_update(ipmu, to_ie(event));
		}
		raw_spin_unlock_irqrestore(ipmu->base.lock, flags);
	}
	pcounter_callback_end();
}

/* In a hard interrupt, without locks: what the callbacks must not do. */
static int idle_kicked(struct pcounter_base *base)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(&base->pmu);
	unsigned long flags;
	bool active;

	/* pcounter_idle_remove() waits for this before the GPU goes, not afterwards */
	if (!READ_ONCE(ipmu->gone))
		pcounter_lease_try(ipmu->ppmu);
	raw_spin_lock_irqsave(base->lock, flags);
	active = ipmu->active && !ipmu->gone;
	raw_spin_unlock_irqrestore(base->lock, flags);
	if (!active) {
		hrtimer_try_to_cancel(&base->timer);
		return -1;
	}
	if (READ_ONCE(base->cpu) != raw_smp_processor_id())
		return base->cpu;
	pcounter_base_start_timer(base, PCOUNTER_IDLE_POLL_MS * NSEC_PER_MSEC);
	return -1;
}

/* Updates all counts. */
static void idle_latch_all(struct pcounter_base *base)
{
	unsigned long flags;

	raw_spin_lock_irqsave(base->lock, flags);
	idle_latch(to_pcounter_idle_pmu(&base->pmu));
	raw_spin_unlock_irqrestore(base->lock, flags);
}

static const struct pcounter_base_ops idle_base_ops = {
	.resched = idle_wants_resched,
	.kicked = idle_kicked,
	.report = idle_report,
	.free = idle_free,
	.want_resched = idle_want_resched,
	.latch = idle_latch_all,
};

static enum hrtimer_restart idle_timer(struct hrtimer *timer)
{
	struct pcounter_idle_pmu *ipmu =
		container_of(timer, struct pcounter_idle_pmu, base.timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	unsigned long flags;

	raw_spin_lock_irqsave(ipmu->base.lock, flags);
	if (!ipmu->gone && ipmu->active) {
		idle_latch(ipmu);
		/* perf has not taken the events down yet */
		if (ipmu->ppmu->gpu.asleep)
			idle_want_resched(&ipmu->base);
		restart = pcounter_base_next_timer(&ipmu->base,
						   PCOUNTER_IDLE_POLL_MS * NSEC_PER_MSEC);
	}
	raw_spin_unlock_irqrestore(ipmu->base.lock, flags);
	return restart;
}

/* ---- opening and closing ---- */

static void idle_restore(struct pcounter_idle_pmu *ipmu)
{
	bool awake = idle_hold(ipmu);

	pcounter_idle_restore(&ipmu->idle, awake);
	if (awake)
		idle_drop(ipmu);
}

/* The last close restores registers, for which the GPU must be awake. */
static void idle_event_destroy(struct perf_event *event)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(event->pmu);
	struct pcounter_idle_event *ie = to_ie(event);
	int section = srcu_read_lock(&pcounter_lease_srcu);
	struct pcounter_gpu *gpu = &ipmu->ppmu->gpu;
	unsigned long flags;
	bool awake;

	awake = !READ_ONCE(ipmu->gone) && pcounter_gpu_get(gpu);
	raw_spin_lock_irqsave(ipmu->base.lock, flags);
	list_del(&ie->base.node);
	pcounter_gpu_unuse(gpu);
	if (list_empty(&ipmu->base.events) && !ipmu->gone)
		idle_restore(ipmu);
	raw_spin_unlock_irqrestore(ipmu->base.lock, flags);
	if (awake)
		pcounter_gpu_put(gpu);
	pcounter_lease_close(ipmu->ppmu);
	srcu_read_unlock(&pcounter_lease_srcu, section);
	pcounter_base_close(&ie->base);
	kfree(ie);
	pcounter_base_put(&ipmu->base);
}

/* How many counters a group may use; all, while PDAEMON is off. */
static unsigned int idle_room(const struct pcounter_idle *idle)
{
	return pcounter_idle_ours(idle) ?: idle->nr;
}

/* Records what is counted; false if that is more than there are counters. */
static bool idle_collect(u64 config[], unsigned int *n, unsigned int max,
			 const struct perf_event *event)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (config[i] == event->attr.config)
			return true;
	if (*n == max)
		return false;
	config[(*n)++] = event->attr.config;
	return true;
}

static int idle_check_group(struct pcounter_idle_pmu *ipmu, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int n = 0, max = idle_room(&ipmu->idle);
	u64 config[PCOUNTER_IDLE_SLOTS];
	bool fits = idle_collect(config, &n, max, event);

	if (leader != event) {
		if (leader->pmu == event->pmu)
			fits &= idle_collect(config, &n, max, leader);
		for_each_sibling_event(sibling, leader)
			if (sibling->pmu == event->pmu)
				fits &= idle_collect(config, &n, max, sibling);
	}
	if (fits)
		return 0;
	dev_dbg(ipmu->base.parent, "%s: the group needs more than the %u counters that are ours\n",
		ipmu->base.name, max);
	return -EINVAL;
}

static int idle_check_terms(struct pcounter_idle_pmu *ipmu, struct perf_event *event)
{
	const char *why;
	int err;

	if (event->attr.config & ~(PCOUNTER_IDLE_MASK | PCOUNTER_IDLE_WHEN) ||
	    event->attr.config1 || event->attr.config2)
		return -EINVAL;
	err = pcounter_idle_check(idle_mask_of(event), idle_mode_of(event), &why);
	if (err)
		dev_dbg(ipmu->base.parent, "%s: %s\n", ipmu->base.name, why);
	return err;
}

static int idle_check_event(struct pcounter_idle_pmu *ipmu, struct perf_event *event)
{
	int err = pcounter_base_check(event, READ_ONCE(ipmu->gone));

	if (!err)
		err = idle_check_terms(ipmu, event);
	return err ?: idle_check_group(ipmu, event);
}

/* The GPU may have left since the last check, and its mapping with it. */
static int idle_open_event(struct pcounter_idle_pmu *ipmu, struct pcounter_idle_event *ie)
{
	int section = srcu_read_lock(&pcounter_lease_srcu);
	unsigned long flags;
	int err;

	pcounter_lease_open(ipmu->ppmu);
	raw_spin_lock_irqsave(ipmu->base.lock, flags);
	err = ipmu->gone ? -ENODEV : pcounter_gpu_use(&ipmu->ppmu->gpu);
	if (!err) {
		if (list_empty(&ipmu->base.events))
			pcounter_io_retry(ipmu->idle.io);
		list_add_tail(&ie->base.node, &ipmu->base.events);
	}
	raw_spin_unlock_irqrestore(ipmu->base.lock, flags);
	if (err)
		pcounter_lease_close(ipmu->ppmu);
	srcu_read_unlock(&pcounter_lease_srcu, section);
	return err;
}

static int idle_event_init(struct perf_event *event)
{
	struct pcounter_idle_pmu *ipmu = to_pcounter_idle_pmu(event->pmu);
	struct pcounter_idle_event *ie;
	int err;

	if (pcounter_glue_is_probe(event))
		return 0;
	err = idle_check_event(ipmu, event);
	if (err)
		return err;
	ie = kzalloc(sizeof(*ie), GFP_KERNEL);
	if (!ie)
		return -ENOMEM;
	ie->slot = -1;
	err = -ENODEV;
	if (!pcounter_base_open(&ie->base, event))
		goto err_free;
	err = idle_open_event(ipmu, ie);
	if (err)
		goto err_put;
	event->destroy = idle_event_destroy;
	return 0;

err_put:
	event->pmu_private = NULL;
	pcounter_base_put(&ipmu->base);
err_free:
	kfree(ie);
	return err;
}

/* ---- creation ---- */

static void idle_setup(struct pcounter_idle_pmu *ipmu, struct pcounter_pmu *ppmu)
{
	struct pcounter_base *base = &ipmu->base;

	kref_get(&ppmu->base.kref);
	ipmu->ppmu = ppmu;
	ipmu->losses = ppmu->gpu.sleeps + ppmu->gpu.losses;
	pcounter_base_setup(base, &idle_base_ops, &ppmu->gpu.lock, ppmu->base.parent);
	snprintf(base->name, sizeof(base->name), "pcounter_idle_%d", ppmu->number);
	hrtimer_setup(&base->timer, idle_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	base->pmu = (struct pmu) {
		.module = ppmu->base.pmu.module,
		.capabilities = PERF_PMU_CAP_NO_INTERRUPT,
		.event_init = idle_event_init,
		.pmu_enable = idle_pmu_enable,
		.pmu_disable = idle_pmu_disable,
		.start_txn = idle_start_txn,
		.commit_txn = idle_commit_txn,
		.cancel_txn = idle_pmu_enable,
		.add = idle_event_add,
		.del = idle_event_del,
		.start = idle_event_start,
		.stop = idle_event_stop,
		.read = idle_event_read,
	};
}

/**
 * pcounter_idle_create() - offer the idle counters of a GPU to perf
 * @ppmu: the PMU beside it, which gets a pointer to it
 *
 * Writes no register. Without idle counters, or without memory, @ppmu works
 * alone.
 */
void pcounter_idle_create(struct pcounter_pmu *ppmu)
{
	struct pcounter_idle_pmu *ipmu = kzalloc(sizeof(*ipmu), GFP_KERNEL);
	unsigned long flags;
	bool present;

	if (!ipmu)
		return;
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	present = pcounter_idle_init(&ipmu->idle, ppmu->gpu.chip, ppmu->gpu.io);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	if (!present) {
		kfree(ipmu);
		return;
	}
	idle_setup(ipmu, ppmu);
	if (!pcounter_idle_sysfs_build(ipmu) && !pcounter_base_register(&ipmu->base)) {
		ppmu->beside = &ipmu->base;
		return;
	}
	dev_warn(ppmu->base.parent, "%s: cannot be set up\n", ipmu->base.name);
	idle_free(&ipmu->base);
}

/**
 * pcounter_idle_remove() - the GPU or its provider goes away
 * @ppmu: the PMU beside that of its idle counters, if it has any
 * @restore: it can still be reached, and is nobody else's: registers are put back
 */
void pcounter_idle_remove(struct pcounter_pmu *ppmu, bool restore)
{
	struct pcounter_idle_pmu *ipmu = pcounter_idle_beside(ppmu);
	unsigned long flags;
	bool awake;

	if (!ipmu)
		return;
	awake = restore && pcounter_gpu_get(&ppmu->gpu);
	raw_spin_lock_irqsave(ipmu->base.lock, flags);
	if (awake && !list_empty(&ipmu->base.events))
		idle_restore(ipmu);
	ipmu->gone = true;
	ppmu->beside = NULL;
	raw_spin_unlock_irqrestore(ipmu->base.lock, flags);
	if (awake)
		pcounter_gpu_put(&ppmu->gpu);
	/* the lease may still use it */
	synchronize_srcu(&pcounter_lease_srcu);
	pcounter_base_remove(&ipmu->base);
}
