// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf callbacks. All of them run on the PMU's CPU with interrupts off; what
 * was added and deleted between pmu_disable and pmu_enable is applied at once.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "compat.h"
#include "perf/aux.h"
#include "perf/drain.h"
#include "perf/event.h"
#include "perf/glue.h"
#include "perf/lease.h"
#include "perf/output.h"
#include "perf/pmu.h"
#include "perf/report.h"
#include "perf/sysfs.h"
#include "perf/types.h"
#include "record/stream.h"
#include "record/packets.h"

/* ---- operations of pcounter_base ---- */

static bool pcounter_event_full(struct pcounter_base *base, struct pcounter_base_event *be)
{
	return pcounter_aux_is_full(container_of(be, struct pcounter_event, base));
}

static bool pcounter_wants_resched(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &to_pcounter_pmu(&base->pmu)->gpu;
	bool wanted = gpu->resched;

	gpu->resched = false;
	return wanted;
}

/* ---- counting; gpu.lock held in all helpers ---- */

/**
 * pcounter_pmu_check_faults() - have perf reschedule after a fault
 * @ppmu: the PMU
 *
 * An event that cannot count is refused when perf adds it again.
 */
void pcounter_pmu_check_faults(struct pcounter_pmu *ppmu)
{
	if (pcounter_gpu_notice_faults(&ppmu->gpu))
		pcounter_gpu_want_resched(&ppmu->gpu);
	if (ppmu->gpu.resched)
		pcounter_base_kick_work(&ppmu->base);
}

static struct pcounter_user *pcounter_event_user(struct pcounter_pmu *ppmu,
						 struct pcounter_event *pe)
{
	return &ppmu->gpu.dom[pe->req.dom].user[pe->user];
}

/* Credits the event with what its user has counted since the last time. */
static void pcounter_event_update(struct pcounter_pmu *ppmu,
				  struct pcounter_event *pe)
{
	u64 total = pcounter_event_user(ppmu, pe)->total;

	if (!list_empty(&pe->base.starting))
		return;
	pe->measured |= pcounter_event_user(ppmu, pe)->measured;
	/* perf itself counts events that sample */
	if (pe->sample)
		return;
	if (!list_empty(&pe->late)) {
		if (!pcounter_record_settled(&ppmu->gpu, pe->req.dom))
			return;
		pe->prev = pcounter_event_user(ppmu, pe)->begun;
		list_del_init(&pe->late);
	}
	if (pcounter_domain_is_process(&ppmu->gpu.dom[pe->req.dom]))
		local64_set(&pe->base.event->count, total);
	else
		local64_add(total - pe->prev, &pe->base.event->count);
	pe->prev = total;
}

static u64 pcounter_poll_interval_of(struct pcounter_pmu *ppmu)
{
	return min(pcounter_gpu_poll_ns(&ppmu->gpu), pcounter_gpu_collect_ns(&ppmu->gpu));
}

/*
 * Longest time with interrupts off at once; a pause of the same length follows.
 */
#define PCOUNTER_BUDGET_NS	(100 * NSEC_PER_USEC)

/*
 * Where one domain is read often, all domains are polled only now and then.
 * Returns after how many ns at most the next call is due.
 */
static u64 pcounter_poll(struct pcounter_pmu *ppmu)
{
	u64 due = pcounter_gpu_poll_ns(&ppmu->gpu);
	ktime_t now = ktime_get();

	if (!ppmu->gpu.polled && pcounter_gpu_collects(&ppmu->gpu) &&
	    ktime_before(now, ktime_add_ns(ppmu->polled, due / 2))) {
		pcounter_gpu_collect(&ppmu->gpu);
		return pcounter_poll_interval_of(ppmu);
	}
	if (!pcounter_gpu_poll_some(&ppmu->gpu, PCOUNTER_BUDGET_NS))
		return PCOUNTER_BUDGET_NS;
	ppmu->polled = now;
	return pcounter_poll_interval_of(ppmu);
}

static void pcounter_stays(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	list_del_init(&pe->base.leaving);
	pcounter_domain_left(&ppmu->gpu, pe->req.dom, pe->user);
}

/* An event has left, and is not added again: credit it for the last time. */
static void pcounter_event_left(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	pcounter_stays(ppmu, pe);
	pcounter_domain_sync(&ppmu->gpu, pe->req.dom);
	pcounter_event_update(ppmu, pe);
	list_del_init(&pe->late);
	pcounter_aux_stop(ppmu, pe);
	if (!pe->added)
		pcounter_sample_del(ppmu, pe);
}

static void pcounter_finish_leaving(struct pcounter_pmu *ppmu)
{
	struct pcounter_event *pe, *next;

	list_for_each_entry_safe(pe, next, &ppmu->base.leaving, base.leaving)
		pcounter_event_left(ppmu, pe);
}

/* Those of a domain that the commit has left to the next one begin there, all at once. */
static void pcounter_finish_starting(struct pcounter_pmu *ppmu)
{
	struct pcounter_event *pe, *next;

	list_for_each_entry_safe(pe, next, &ppmu->base.starting, base.starting) {
		if (ppmu->gpu.dom[pe->req.dom].invalid)
			continue;
		list_del_init(&pe->base.starting);
		pe->prev = pcounter_event_user(ppmu, pe)->total;
		if (!pcounter_record_settled(&ppmu->gpu, pe->req.dom))
			list_move_tail(&pe->late, &ppmu->late);
	}
}

/* Before another one joins, and they would begin with that. */
static void pcounter_finish_late(struct pcounter_pmu *ppmu)
{
	struct pcounter_event *pe, *next;

	list_for_each_entry_safe(pe, next, &ppmu->late, late) {
		pcounter_domain_sync(&ppmu->gpu, pe->req.dom);
		pcounter_event_update(ppmu, pe);
	}
}

static void pcounter_commit(struct pcounter_pmu *ppmu)
{
	u64 ns;

	pcounter_finish_late(ppmu);
	pcounter_finish_leaving(ppmu);
	ppmu->active = !ppmu->gpu.gone && pcounter_gpu_commit(&ppmu->gpu);
	/* without a reference this waits until there is one */
	if (ppmu->added && !ppmu->gpu.gone && !pcounter_gpu_is_held(&ppmu->gpu))
		pcounter_gpu_want_commit(&ppmu->gpu);
	pcounter_finish_starting(ppmu);
	pcounter_pmu_check_faults(ppmu);
	ns = pcounter_poll_interval_of(ppmu);
	if (ppmu->active != hrtimer_is_queued(&ppmu->base.timer) ||
	    (ppmu->active && ns < ppmu->interval) || ppmu->gpu.commit == PCOUNTER_COMMIT_PARTIAL)
		pcounter_base_kick(&ppmu->base);
	ppmu->interval = ns;
}

/*
 * Programs domains that were invalidated or left to this call, unless a commit is due
 * anyway.
 */
static void pcounter_recommit(struct pcounter_pmu *ppmu)
{
	if (ppmu->gpu.commit != PCOUNTER_COMMIT_DONE && !ppmu->depth)
		pcounter_commit(ppmu);
}

static void pcounter_enter(struct pcounter_pmu *ppmu)
{
	if (!ppmu->depth++)
		pcounter_gpu_next_snapshot(&ppmu->gpu);
}

static void pcounter_leave(struct pcounter_pmu *ppmu)
{
	if (!--ppmu->depth)
		pcounter_commit(ppmu);
}

/*
 * Samples of the packets that came before an event left, or before another begins,
 * with which counters may move. perf has removed the one that left, but its buffer
 * is still there.
 */
static void pcounter_drain_before(struct pcounter_pmu *ppmu)
{
	bool any = !list_empty(&ppmu->base.starting);
	struct pcounter_event *pe;

	list_for_each_entry(pe, &ppmu->base.leaving, base.leaving) {
		if (!pe->sample)
			continue;
		pe->base.event->hw.state = 0;
		any = true;
	}
	if (!any)
		return;
	pcounter_sample_drain(ppmu, false, false);
	list_for_each_entry(pe, &ppmu->base.leaving, base.leaving)
		pe->base.event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/*
 * What happens until pcounter_pmu_enable() is one reschedule: perf removes and
 * adds all events whenever one comes or goes, and at task switches. An event
 * that is added again in the same reschedule misses nothing, and costs no
 * register access.
 */
static void pcounter_pmu_disable(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	pcounter_enter(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	pcounter_callback_end();
}

static void pcounter_end_snapshot(struct pcounter_pmu *ppmu)
{
	unsigned long flags;

	if (ppmu->depth == 1)
		pcounter_drain_before(ppmu);
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	pcounter_leave(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
}

static void pcounter_pmu_enable(struct pmu *pmu)
{
	pcounter_callback_begin();
	pcounter_end_snapshot(to_pcounter_pmu(pmu));
	pcounter_callback_end();
}

static void pcounter_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);
	unsigned long irq_flags;

	pcounter_callback_begin();
	if (!ppmu->depth && flags == PERF_PMU_TXN_READ)
		pcounter_sample_drain(ppmu, false, true);
	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	ppmu->reading = flags == PERF_PMU_TXN_READ;
	ppmu->gpu.turn++;
	ppmu->stale = false;
	pcounter_enter(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
	pcounter_callback_end();
}

/*
 * A read changes nothing, but it may have found that the GPU has lost
 * something.
 */
static void pcounter_end_read(struct pcounter_pmu *ppmu)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	ppmu->depth--;
	pcounter_pmu_check_faults(ppmu);
	pcounter_recommit(ppmu);
	ppmu->reading = false;
	ppmu->stale = false;
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
}

static void pcounter_end_txn(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);

	pcounter_callback_begin();
	if (ppmu->reading)
		pcounter_end_read(ppmu);
	else
		pcounter_end_snapshot(ppmu);
	pcounter_callback_end();
}

static bool pcounter_is_complete(struct pcounter_pmu *ppmu)
{
	unsigned long flags;
	bool complete;

	/* changed by callbacks only */
	if (!ppmu->gpu.partial)
		return true;
	pcounter_callback_begin();
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	complete = pcounter_gpu_complete(&ppmu->gpu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	pcounter_callback_end();
	return complete;
}

/*
 * Some members of a group need others; if these are missing, perf removes all.
 */
static int pcounter_commit_txn(struct pmu *pmu)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pmu);

	if (!ppmu->reading && !pcounter_is_complete(ppmu))
		return -EAGAIN;
	pcounter_end_txn(pmu);
	return 0;
}

static void pcounter_do_start(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	if (!pcounter_base_begins(&pe->base)) {
		pcounter_stays(ppmu, pe);
		return;
	}
	pcounter_aux_start(ppmu, pe);
	pcounter_domain_join(&ppmu->gpu, pe->req.dom, pe->user);
	if (!ppmu->depth) {
		pcounter_enter(ppmu);
		pcounter_leave(ppmu);
	}
}

static void pcounter_do_stop(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	if (pcounter_base_ends(&pe->base))
		pcounter_domain_leave(&ppmu->gpu, pe->req.dom, pe->user);
}

/* Outside of a reschedule events that have left are resolved at once. */
static void pcounter_stop_now(struct pcounter_pmu *ppmu)
{
	if (ppmu->depth)
		return;
	pcounter_gpu_next_snapshot(&ppmu->gpu);
	pcounter_commit(ppmu);
}

static void pcounter_event_start(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	unsigned long irq_flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	if (event->hw.state & PERF_HES_STOPPED)
		pcounter_do_start(ppmu, to_pcounter_event(event));
	if (!ppmu->depth && rcu_access_pointer(to_pcounter_event(event)->aux))
		pcounter_commit(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
	pcounter_callback_end();
}

static void pcounter_event_stop(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	unsigned long irq_flags;

	pcounter_callback_begin();
	if (!ppmu->depth)
		pcounter_sample_drain(ppmu, false, true);
	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	pcounter_do_stop(ppmu, to_pcounter_event(event));
	pcounter_stop_now(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
	pcounter_callback_end();
}

/* Events move to another CPU one by one; they wait for each other. */
static int pcounter_add_user(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	int user;

	if (ppmu->added && ppmu->added_cpu != raw_smp_processor_id())
		return -EAGAIN;
	pcounter_event_apply_group(pe);
	if (!pcounter_domain_has_room(&ppmu->gpu, &pe->req))
		pcounter_finish_leaving(ppmu);
	user = pcounter_domain_add(&ppmu->gpu, &pe->req);
	if (user < 0)
		return user;
	if (!ppmu->added++)
		ppmu->added_cpu = raw_smp_processor_id();
	/* it has another user now: credit what the old one has counted */
	if (!list_empty(&pe->base.leaving) &&
	    (pe->user != user || pe->serial != ppmu->gpu.dom[pe->req.dom].user[user].serial))
		pcounter_event_left(ppmu, pe);
	pe->user = user;
	pe->serial = pcounter_event_user(ppmu, pe)->serial;
	return 0;
}

static int pcounter_do_add(struct pcounter_pmu *ppmu, struct pcounter_event *pe, int flags)
{
	int err = pcounter_add_user(ppmu, pe);

	if (err) {
		/* it may have woken */
		if (!pcounter_gpu_is_held(&ppmu->gpu))
			pcounter_base_kick(&ppmu->base);
		return err;
	}
	pe->added = true;
	if (list_empty(&pe->sampling))
		pcounter_sample_add(ppmu, pe);
	pe->base.event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		pcounter_do_start(ppmu, pe);
	return 0;
}

/*
 * Has an event stopped before it could count? It may not have been credited yet. A
 * time that somebody has read must not go back.
 */
static bool pcounter_never_measured(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	if (!list_empty(&pe->base.leaving))
		pe->measured |= pcounter_event_user(ppmu, pe)->measured;
	return !pe->measured && !pe->told;
}

static int pcounter_event_add(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe = to_pcounter_event(event);
	unsigned long irq_flags;
	int err;

	if (pcounter_glue_is_probe(event))
		return -EAGAIN;
	pcounter_callback_begin();
	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	err = pcounter_do_add(ppmu, pe, flags);
	if (err == -EIO && pcounter_never_measured(ppmu, pe))
		pcounter_glue_never_ran(event);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
	pcounter_callback_end();
	return err;
}

static void pcounter_event_del(struct perf_event *event, int flags)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_event *pe = to_pcounter_event(event);
	unsigned long irq_flags;

	pcounter_callback_begin();
	raw_spin_lock_irqsave(&ppmu->gpu.lock, irq_flags);
	pcounter_do_stop(ppmu, pe);
	pcounter_domain_del(&ppmu->gpu, pe->req.dom, pe->user);
	pe->added = false;
	ppmu->added--;
	if (list_empty(&pe->base.leaving))
		pcounter_sample_del(ppmu, pe);
	pcounter_stop_now(ppmu);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, irq_flags);
	pcounter_callback_end();
}

static void pcounter_credit(struct pcounter_pmu *ppmu, struct perf_event *member,
			    unsigned int dom)
{
	struct pcounter_event *pe;

	if (member->pmu != &ppmu->base.pmu)
		return;
	pe = to_pcounter_event(member);
	if (!pe->added || pe->req.dom != dom || member->hw.state & PERF_HES_STOPPED)
		return;
	pcounter_event_update(ppmu, pe);
	pe->epoch = ppmu->gpu.epoch;
}

/* All members of a group on one domain are credited from the same totals. */
static void pcounter_credit_group(struct pcounter_pmu *ppmu, struct perf_event *event)
{
	unsigned int dom = to_pcounter_event(event)->req.dom;
	struct perf_event *leader = event->group_leader, *member;

	pcounter_credit(ppmu, leader, dom);
	for_each_sibling_event(member, leader)
		pcounter_credit(ppmu, member, dom);
}

static void pcounter_do_read(struct pcounter_pmu *ppmu, struct perf_event *event)
{
	if (event->hw.state & PERF_HES_STOPPED || ppmu->stale)
		return;
	if (!ppmu->depth)
		pcounter_gpu_next_snapshot(&ppmu->gpu);
	pcounter_domain_sync(&ppmu->gpu, to_pcounter_event(event)->req.dom);
	pcounter_credit_group(ppmu, event);
	/* perf reads the other members, too, and says when this ends */
	if (ppmu->reading)
		return;
	pcounter_pmu_check_faults(ppmu);
	/* a read by a BPF program must not program registers */
	if (ppmu->gpu.commit == PCOUNTER_COMMIT_WANTED && pcounter_gpu_is_held(&ppmu->gpu))
		pcounter_base_kick(&ppmu->base);
}

/*
 * Samples are made without the lock, but not inside of a section that holds it.
 */
static void pcounter_drain_for_read(struct pcounter_pmu *ppmu)
{
	unsigned long flags;

	if (ppmu->depth || list_empty(&ppmu->sampling))
		return;
	if (raw_spin_trylock_irqsave(&ppmu->gpu.lock, flags)) {
		raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
		pcounter_sample_drain(ppmu, false, true);
	}
}

/* Another member of its group was read, and this one with it. Without the lock. */
static bool pcounter_is_credited(const struct pcounter_pmu *ppmu,
				 const struct pcounter_event *pe)
{
	return READ_ONCE(ppmu->reading) && pe->epoch == READ_ONCE(ppmu->gpu.epoch);
}

static noinline void pcounter_read_gpu(struct pcounter_pmu *ppmu, struct perf_event *event)
{
	unsigned long flags;

	pcounter_callback_begin();
	pcounter_drain_for_read(ppmu);
	if (raw_spin_trylock_irqsave(&ppmu->gpu.lock, flags)) {
		pcounter_do_read(ppmu, event);
		raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	} else if (ppmu->reading) {
		/*
		 * the others of its group would be newer, so they are not read
		 */
		ppmu->stale = true;
	}
	pcounter_callback_end();
}

static void pcounter_event_read(struct perf_event *event)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);

	to_pcounter_event(event)->told = true;
	if (!in_nmi() && !pcounter_is_credited(ppmu, to_pcounter_event(event)))
		pcounter_read_gpu(ppmu, event);
}

/* In a hard interrupt, without locks: what the callbacks must not do. */
static int pcounter_kicked(struct pcounter_base *base)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(&base->pmu);
	unsigned long flags;
	bool here, active;
	u64 interval;

	pcounter_lease_try(ppmu);
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	here = !ppmu->added || ppmu->added_cpu == raw_smp_processor_id();
	if (here && !ppmu->gpu.gone)
		pcounter_recommit(ppmu);
	active = ppmu->active && ppmu->added && !ppmu->gpu.gone;
	interval = ppmu->interval;
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	if (!here)
		return READ_ONCE(ppmu->added_cpu);
	if (active)
		pcounter_base_start_timer(base, interval);
	else
		hrtimer_try_to_cancel(&base->timer);
	return -1;
}

static enum hrtimer_restart pcounter_timer(struct hrtimer *timer)
{
	struct pcounter_pmu *ppmu = container_of(timer, struct pcounter_pmu, base.timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	unsigned long flags;
	u64 next;

	pcounter_sample_drain(ppmu, true, false);
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	if (!ppmu->gpu.gone && ppmu->active) {
		next = pcounter_poll(ppmu);
		/* perf has not taken the events down yet */
		if (ppmu->gpu.asleep)
			pcounter_gpu_want_resched(&ppmu->gpu);
		pcounter_pmu_check_faults(ppmu);
		pcounter_recommit(ppmu);
		ppmu->interval = next;
		restart = pcounter_base_next_timer(&ppmu->base, next);
	}
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	return restart;
}

/* ---- creation and end ---- */

/**
 * pcounter_pmu_free() - the last reference is gone
 * @base: the PMU, which is unregistered
 */
void pcounter_pmu_free(struct pcounter_base *base)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(&base->pmu);

	cancel_delayed_work_sync(&ppmu->lease.watch);
	pcounter_number_put(ppmu->number);
	put_device(base->parent);
	pcounter_sysfs_free(ppmu);
	pcounter_record_release(&ppmu->gpu);
	pcounter_gpu_free(&ppmu->gpu);
	kfree(ppmu);
}

static const struct pcounter_base_ops pcounter_pmu_ops = {
	.full = pcounter_event_full,
	.resched = pcounter_wants_resched,
	.kicked = pcounter_kicked,
	.report = pcounter_pmu_report,
	.free = pcounter_pmu_free,
};

static void pcounter_pmu_setup(struct pcounter_pmu *ppmu, struct device *parent,
			       struct module *owner)
{
	pcounter_base_setup(&ppmu->base, &pcounter_pmu_ops, &ppmu->gpu.lock, parent);
	INIT_LIST_HEAD(&ppmu->late);
	INIT_LIST_HEAD(&ppmu->sampling);
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
}

/**
 * pcounter_pmu_alloc() - first step of a GPU's PMU
 * @parent: the device it belongs to; its name keeps the PMU's number
 * @owner: module that must stay loaded while events are open
 *
 * Return: the PMU, prepared but for pcounter_pmu.gpu; an ERR_PTR().
 */
struct pcounter_pmu *pcounter_pmu_alloc(struct device *parent, struct module *owner)
{
	struct pcounter_pmu *ppmu = kzalloc(sizeof(*ppmu), GFP_KERNEL);

	if (!ppmu)
		return ERR_PTR(-ENOMEM);
	/* an old PMU of this device that is being freed puts its number */
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
