// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's callbacks, the same for all PMUs of a GPU. All but .event_init run on the
 * PMU's CPU with interrupts off. perf calls most of them from the scheduler, too,
 * so they do nothing but take the GPU's lock, touch registers, and call functions
 * of perf; an interrupt and a work item do the rest.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include "compat.h"
#include "perf/glue.h"
#include "perf/types.h"
#include "record/record.h"

/* A counter that has neither stopped nor lost its value. */
#define PMU_COUNTS	U64_MAX

/* ---- opening and closing an event ---- */

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
	 * the kernel refuses an event that counts the kernel with EACCES; the perf
	 * tool then excludes the kernel, but still lacks the right
	 */
	if (event->attr.exclude_kernel && !perfmon_capable())
		return -EACCES;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	return pcounter_attr_has_more(&event->attr) ? -EINVAL : 0;
}

/*
 * The last of all checks. perf record of 6.12 drops .exclude_guest after EINVAL, and sets
 * it again after EOPNOTSUPP: without end if the bit decides between both.
 */
static int event_check_excludes(struct perf_event *event)
{
	/* perf does not keep .exclusive: see pcounter_glue_never_blocks() */
	return event_has_any_exclude_flag(event) || event->attr.exclusive ? -EINVAL : 0;
}

/*
 * is_software_event() takes events of a GPU for software events, but a context
 * must not mix events of two of the driver's PMUs.
 */
static bool event_may_join(const struct perf_event *event, struct perf_event *member)
{
	return member->pmu == event->pmu ||
	       (is_software_event(member) && member->pmu->task_ctx_nr == perf_sw_context);
}

static int event_check(struct perf_event *event)
{
	struct perf_event *member = event->group_leader;
	int err = event_check_attr(event) ?: event_check_cpu(event);

	if (err)
		return err;
	for (; member; member = pcounter_next_member(member))
		if (!event_may_join(event, member))
			return -EINVAL;
	return 0;
}

/* The last close restores registers, for which the GPU must be awake. */
static void event_destroy(struct perf_event *event)
{
	struct pcounter_event *pe = event->pmu_private;
	struct pcounter_base *base = pe->base;

	scoped_guard(srcu, &pcounter_lease_srcu) {
		CLASS(pcounter_ref, ref)(&base->ppmu->gpu);

		scoped_guard(raw_spinlock_irqsave, base->lock)
			list_del(&pe->node);
		base->ops->close(pe);
		pcounter_base_close(pe);
		pcounter_lease_close(base->ppmu);
	}
	kfree(pe);
	pcounter_base_put(base);
}

/* Get the references of an event that is being opened. */
static int event_open(struct pcounter_event *pe)
{
	struct pcounter_base *base = pe->base;
	int err;

	if (!pcounter_base_get(base))
		return -ENODEV;
	guard(srcu)(&pcounter_lease_srcu);
	err = base->ops->open(pe);
	if (err) {
		pcounter_lease_close(base->ppmu);
		pcounter_base_put(base);
		return err;
	}
	pcounter_lease_get(base->ppmu);
	guard(raw_spinlock_irqsave)(base->lock);
	list_add_tail(&pe->node, &base->events);
	return 0;
}

/* Open an event without an access to a register. */
static int pcounter_event_init(struct perf_event *event)
{
	struct pcounter_base *base = to_pcounter_base(event->pmu);
	struct pcounter_event *pe __free(kfree) = NULL;
	int err;

	if (pcounter_glue_is_probe(event))
		return 0;
	err = event_check(event);
	if (err)
		return err;
	pe = kzalloc(sizeof(*pe), GFP_KERNEL);
	if (!pe)
		return -ENOMEM;
	pe->event = event;
	pe->base = base;
	INIT_LIST_HEAD(&pe->deferred);
	err = base->ops->check(pe) ?: event_check_excludes(event) ?: event_open(pe);
	if (err)
		return err;
	event->pmu_private = no_free_ptr(pe);
	event->destroy = event_destroy;
	/* a group is read in one place: all events are on the CPU of cpumask */
	event->cpu = READ_ONCE(base->cpu);
	pcounter_glue_never_blocks(event);
	return 0;
}

/* ---- the states of an event ---- */

static void pmu_moves(struct pcounter_event *pe, enum pcounter_state state)
{
	struct pcounter_base *base = pe->base;
	enum pcounter_state from = pe->state;

	lockdep_assert_held(base->lock);
	pe->state = state;
	pe->event->hw.state = pcounter_event_runs(pe) ? 0 : PERF_HES_STOPPED | PERF_HES_UPTODATE;
	list_del_init(&pe->deferred);
	if (state == PCOUNTER_STATE_LEAVING || state == PCOUNTER_STATE_STARTING)
		list_add_tail(&pe->deferred, &base->deferred);
	/* keep the client of an event that perf may add again in this reschedule */
	if (state == PCOUNTER_STATE_LEAVING)
		pe->client->leaving++;
	else if (from == PCOUNTER_STATE_LEAVING)
		pe->client->leaving--;
	else if (state == PCOUNTER_STATE_STARTING && base->ops->start)
		base->ops->start(pe);
}

/*
 * Account for the running time until @now; until @end if later counts are lost, otherwise
 * PMU_COUNTS.
 */
static void pmu_account(struct pcounter_event *pe, u64 end, u64 now)
{
	now = max(now, pe->since);
	pe->ran += clamp(end, pe->since, now) - pe->since;
	pe->since = now;
	pe->cut |= end != PMU_COUNTS;
}

/*
 * Add the growth of the event's total to its count. Return PMU_COUNTS, or the time of the
 * last reading if the counter has stopped, or has lost its value since.
 */
static u64 pmu_add_count(struct pcounter_event *pe)
{
	const struct pcounter_client *client = pe->client;
	bool counts = client->placed && !client->unit->fault && !pcounter_gpu_of(pe)->gone;
	u64 end = counts ? PMU_COUNTS : client->last_ns;
	s64 count;

	/* perf itself counts events that sample */
	if (pe->sample)
		return end;
	if (pe->late) {
		if (!pcounter_record_settled(pcounter_domain_of(pe)))
			return end;
		pe->prev = client->begun;
		pe->late = false;
	}
	count = client->total - pe->prev;
	/* a period of a process has begun at 0 */
	if (count < 0)
		count = client->last;
	local64_add(count, &pe->event->count);
	pe->prev = client->total;
	return end;
}

/**
 * pcounter_pmu_count() - credit an event with what its counter has counted until now
 * @pe: the event; the lock is held
 */
void pcounter_pmu_count(struct pcounter_event *pe)
{
	pmu_account(pe, pmu_add_count(pe), ktime_get_mono_fast_ns());
}

/*
 * Credit an event that perf reads or has deleted. To perf an event runs from add to del,
 * even if its last reading is older: then end its running time there. A BPF program reads
 * without perf's lock, and has the time until @now: it must not go back.
 */
static void pmu_credit(struct pcounter_event *pe, u64 now)
{
	bool reported = IS_ENABLED(CONFIG_SMP) && !raw_spin_is_locked(&pe->event->ctx->lock);
	struct perf_event *member = pe->event->group_leader;
	u64 *running = &pe->event->total_time_running;
	u64 end = pmu_add_count(pe);

	pmu_account(pe, reported ? PMU_COUNTS : end, now);
	if (reported || !pe->cut) {
		pe->ran = max(pe->ran, *running);
		return;
	}
	*running = min(*running, pe->ran);
	/*
	 * perf stat prints a 0 with the leader's share of the time, as if it had been
	 * measured, and "<not counted>" without running time
	 */
	for (; member && !*running; member = pcounter_next_member(member))
		member->total_time_running = 0;
}

/* Credit an event in LEAVING for the last time. */
static void pmu_settle(struct pcounter_event *pe)
{
	struct pcounter_base *base = pe->base;

	lockdep_assert_held(base->lock);
	base->ops->latch(base, pe->raw.dom);
	pmu_credit(pe, ktime_get_mono_fast_ns());
	pmu_moves(pe, PCOUNTER_STATE_STOPPED);
	base->ops->left(pe);
}

/* Credit all events that have stopped. Their counters are free afterwards. */
static void pmu_settle_all(struct pcounter_base *base)
{
	struct pcounter_event *pe, *next;

	lockdep_assert_held(base->lock);
	list_for_each_entry_safe(pe, next, &base->deferred, deferred)
		if (pe->state == PCOUNTER_STATE_LEAVING)
			pmu_settle(pe);
}

static void pmu_begin_started(struct pcounter_base *base)
{
	struct pcounter_event *pe, *next;

	list_for_each_entry_safe(pe, next, &base->deferred, deferred) {
		if (pe->state != PCOUNTER_STATE_STARTING ||
		    (base->ops->begin && !base->ops->begin(pe)))
			continue;
		pe->prev = pe->client->total;
		/* @ran stays */
		pmu_account(pe, 0, ktime_get_mono_fast_ns());
		pe->cut = false;
		pmu_moves(pe, PCOUNTER_STATE_COUNTING);
	}
}

/* Only the interrupt may start and stop the timer. */
static void pmu_commit(struct pcounter_base *base)
{
	u64 ns;

	lockdep_assert_held(base->lock);
	pmu_settle_all(base);
	ns = base->ops->commit(base);
	pmu_begin_started(base);
	pcounter_base_check(base);
	if (!!ns != hrtimer_is_queued(&base->timer) || ns < base->interval)
		pcounter_base_kick(base);
	base->interval = ns;
}

static unsigned int pmu_depth(const struct pcounter_base *base)
{
	return this_cpu_read(*base->depth);
}

/*
 * perf moves events to another CPU one by one, and reschedules on both CPUs. Return true if
 * the other CPU has none, and has committed that; otherwise leave the events to it.
 */
static bool pmu_is_here(const struct pcounter_base *base)
{
	return base->added_cpu == raw_smp_processor_id() ||
	       (!base->added && list_empty(&base->deferred));
}

/*
 * Outside of a reschedule: program domains that were invalidated, or that the
 * last commit had no time for.
 */
static void pmu_check(struct pcounter_base *base)
{
	if (pcounter_base_check(base) && !pmu_depth(base) && pmu_is_here(base))
		pmu_commit(base);
}

/* Outside of a reschedule an event starts and stops at once. */
static void pmu_commit_now(struct pcounter_base *base)
{
	if (pmu_depth(base))
		return;
	base->ppmu->gpu.snapshot++;
	pmu_commit(base);
}

static void pmu_start(struct pcounter_event *pe)
{
	if (pe->state == PCOUNTER_STATE_LEAVING)
		pmu_moves(pe, PCOUNTER_STATE_COUNTING);
	else if (pe->state == PCOUNTER_STATE_STOPPED)
		pmu_moves(pe, PCOUNTER_STATE_STARTING);
}

static void pmu_stop(struct pcounter_event *pe)
{
	if (pe->state == PCOUNTER_STATE_STARTING)
		pmu_moves(pe, PCOUNTER_STATE_STOPPED);
	else if (pe->state == PCOUNTER_STATE_COUNTING)
		pmu_moves(pe, PCOUNTER_STATE_LEAVING);
}

/* Find a client for an event, which may be the client that it has in LEAVING. */
static int pmu_find_client(struct pcounter_event *pe)
{
	struct pcounter_base *base = pe->base;
	struct pcounter_client *client = base->ops->add(pe);

	if (client == ERR_PTR(-ENOSPC)) {
		pmu_settle_all(base);
		client = base->ops->add(pe);
	}
	if (IS_ERR(client))
		return PTR_ERR(client);
	/* another client counts the event now: credit the count of its old client */
	if (pe->state == PCOUNTER_STATE_LEAVING && pe->client != client)
		pmu_settle(pe);
	pe->client = client;
	pcounter_sample_add(pe);
	return 0;
}

static int pmu_add(struct pcounter_event *pe, int flags)
{
	struct pcounter_base *base = pe->base;
	int err = -EAGAIN;

	lockdep_assert_held(base->lock);
	if (pmu_is_here(base))
		err = pmu_find_client(pe);
	if (err) {
		/* the GPU may have woken up */
		if (!pcounter_gpu_is_held(&base->ppmu->gpu))
			pcounter_base_kick(base);
		return err;
	}
	if (!base->added++)
		base->added_cpu = raw_smp_processor_id();
	pe->added = true;
	if (flags & PERF_EF_START)
		pmu_start(pe);
	return 0;
}

/* ---- samples, without the lock: perf may call back ---- */

static void pmu_drain(struct pcounter_base *base, enum pcounter_drain why)
{
	if (!list_empty(&base->sampling))
		base->ops->drain(base, why);
}

/*
 * Deliver the packets that came before an event left, or before another begins:
 * counters may move with the commit. perf takes the count of an event that left, though
 * some kernels (seen in 6.12.117) drop its sample.
 */
static void pmu_drain_for_commit(struct pcounter_base *base)
{
	struct pcounter_event *pe;
	bool any = false;

	scoped_guard(raw_spinlock, base->lock) {
		if (!pmu_is_here(base))
			return;
		list_for_each_entry(pe, &base->deferred, deferred) {
			if (pe->state == PCOUNTER_STATE_LEAVING && !is_sampling_event(pe->event))
				continue;
			pe->event->hw.state = 0;
			any = true;
		}
	}
	if (!any)
		return;
	base->ops->drain(base, PCOUNTER_DRAIN_RESCHED);
	guard(raw_spinlock)(base->lock);
	list_for_each_entry(pe, &base->deferred, deferred)
		if (pe->state == PCOUNTER_STATE_LEAVING)
			pe->event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/* A BPF program may read an event inside of a section that holds the lock: try it. */
static void pmu_drain_for_read(struct pcounter_base *base)
{
	unsigned long flags;

	if (pmu_depth(base) || list_empty(&base->sampling) ||
	    !raw_spin_trylock_irqsave(base->lock, flags))
		return;
	raw_spin_unlock_irqrestore(base->lock, flags);
	base->ops->drain(base, PCOUNTER_DRAIN_NOW);
}

/* ---- perf's callbacks: reschedules and transactions ---- */

/*
 * perf calls .pmu_disable and .pmu_enable around a reschedule: it deletes and
 * adds all events whenever one comes or goes, and at task switches.
 */
static void pcounter_pmu_disable(struct pmu *pmu)
{
	struct pcounter_base *base = to_pcounter_base(pmu);

	guard(raw_spinlock)(base->lock);
	if (this_cpu_inc_return(*base->depth) == 1 && pmu_is_here(base))
		base->ppmu->gpu.snapshot++;
}

static void pcounter_pmu_enable(struct pmu *pmu)
{
	struct pcounter_base *base = to_pcounter_base(pmu);

	if (pmu_depth(base) == 1 && !list_empty(&base->sampling))
		pmu_drain_for_commit(base);
	guard(raw_spinlock)(base->lock);
	if (!this_cpu_dec_return(*base->depth) && pmu_is_here(base))
		pmu_commit(base);
}

static void pcounter_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct pcounter_base *base = to_pcounter_base(pmu);

	if (!pmu_depth(base) && flags == PERF_PMU_TXN_READ)
		pmu_drain(base, PCOUNTER_DRAIN_NOW);
	pcounter_pmu_disable(pmu);
	base->turn++;
	if (flags == PERF_PMU_TXN_READ)
		WRITE_ONCE(base->txn, PCOUNTER_TXN_READ);
}

static void pcounter_cancel_txn(struct pmu *pmu)
{
	struct pcounter_base *base = to_pcounter_base(pmu);
	bool reads = base->txn >= PCOUNTER_TXN_READ;

	WRITE_ONCE(base->txn, PCOUNTER_TXN_NONE);
	if (!reads) {
		pcounter_pmu_enable(pmu);
		return;
	}
	/* a read programs nothing, but may have found that the GPU was reset */
	guard(raw_spinlock)(base->lock);
	this_cpu_dec(*base->depth);
	pmu_check(base);
}

/* Refuse a group if a member lacks another one that it needs: perf then removes them all. */
static int pcounter_commit_txn(struct pmu *pmu)
{
	struct pcounter_base *base = to_pcounter_base(pmu);

	if (base->txn == PCOUNTER_TXN_NONE && base->ops->end_group && !base->ops->end_group(base))
		return -EAGAIN;
	pcounter_cancel_txn(pmu);
	return 0;
}

/* ---- perf's callbacks: events; perf adds and deletes them in reschedules only ---- */

static void pcounter_event_start(struct perf_event *event, int flags)
{
	struct pcounter_event *pe = event->pmu_private;
	struct pcounter_base *base = pe->base;

	guard(raw_spinlock)(base->lock);
	pmu_start(pe);
	pmu_commit_now(base);
}

static void pcounter_event_stop(struct perf_event *event, int flags)
{
	struct pcounter_event *pe = event->pmu_private;
	struct pcounter_base *base = pe->base;

	if (!pmu_depth(base))
		pmu_drain(base, PCOUNTER_DRAIN_NOW);
	guard(raw_spinlock)(base->lock);
	pmu_stop(pe);
	pmu_commit_now(base);
}

static int pcounter_event_add(struct perf_event *event, int flags)
{
	struct pcounter_event *pe = event->pmu_private;

	/* the event of pcounter_glue_resched() */
	if (!pe)
		return -EAGAIN;
	guard(raw_spinlock)(pe->base->lock);
	return pmu_add(pe, flags);
}

static void pcounter_event_del(struct perf_event *event, int flags)
{
	struct pcounter_event *pe = event->pmu_private;
	struct pcounter_base *base = pe->base;

	/* once in a reschedule, which may delete many events */
	if (is_sampling_event(event) && base->drained != base->ppmu->gpu.snapshot) {
		base->drained = base->ppmu->gpu.snapshot;
		pmu_drain(base, PCOUNTER_DRAIN_RESCHED);
	}
	guard(raw_spinlock)(base->lock);
	pmu_stop(pe);
	pe->added = false;
	pcounter_client_del(pcounter_gpu_of(pe), pe->client);
	if (pe->state != PCOUNTER_STATE_LEAVING)
		base->ops->left(pe);
	base->added--;
}

/* ---- perf's callbacks: a read ---- */

/* Credit all members of a group on one unit from the same totals, until the same time. */
static void pmu_credit_group(struct pcounter_base *base, struct perf_event *leader,
			     unsigned int unit)
{
	u64 now = ktime_get_mono_fast_ns();
	struct perf_event *member;

	lockdep_assert_held(base->lock);
	for (member = leader; member; member = pcounter_next_member(member)) {
		struct pcounter_event *pe = member->pmu_private;

		if (member->pmu != &base->pmu || pe->raw.dom != unit || !pcounter_event_runs(pe))
			continue;
		if (pe->state == PCOUNTER_STATE_COUNTING)
			pmu_credit(pe, now);
		pe->turn = base->turn;
	}
}

static void pmu_read(struct pcounter_base *base, struct pcounter_event *pe)
{
	if (!pcounter_event_runs(pe) || base->txn == PCOUNTER_TXN_STALE)
		return;
	if (!pmu_depth(base))
		base->ppmu->gpu.snapshot++;
	base->ops->latch(base, pe->raw.dom);
	pmu_credit_group(base, pe->event->group_leader, pe->raw.dom);
	/* perf reads the other members, too, and ends the transaction then */
	if (base->txn == PCOUNTER_TXN_READ)
		return;
	/* a read by a BPF program must not program registers */
	if (pcounter_base_check(base) && pcounter_gpu_is_held(&base->ppmu->gpu))
		pcounter_base_kick(base);
}

/* Return true if the read of another member has credited the event. Takes no lock. */
static bool pmu_is_credited(const struct pcounter_base *base, const struct pcounter_event *pe)
{
	return READ_ONCE(base->txn) >= PCOUNTER_TXN_READ &&
	       pe->turn == base->turn;
}

static noinline void pmu_read_gpu(struct pcounter_base *base, struct pcounter_event *pe)
{
	unsigned long flags;

	pmu_drain_for_read(base);
	if (raw_spin_trylock_irqsave(base->lock, flags)) {
		pmu_read(base, pe);
		raw_spin_unlock_irqrestore(base->lock, flags);
	} else {
		/* perf reports an older count with the time until now */
		if (pe->state == PCOUNTER_STATE_COUNTING)
			pmu_account(pe, PMU_COUNTS, ktime_get_mono_fast_ns());
		/* the other members would be newer than this one: do not read them */
		if (base->txn == PCOUNTER_TXN_READ)
			WRITE_ONCE(base->txn, PCOUNTER_TXN_STALE);
	}
}

static void pcounter_event_read(struct perf_event *event)
{
	struct pcounter_event *pe = event->pmu_private;
	struct pcounter_base *base = pe->base;

	if (!in_nmi() && !pmu_is_credited(base, pe))
		pmu_read_gpu(base, pe);
}

/* ---- interrupts ---- */

/* Poll after @ns at the latest; on the CPU that the PMU counts on. */
static void pmu_set_timer(struct pcounter_base *base, u64 ns)
{
	struct hrtimer *timer = &base->timer;

	lockdep_assert_held(&base->timer_lock);
	if (!ns)
		hrtimer_try_to_cancel(timer);
	else if (!hrtimer_is_queued(timer) ||
		 ktime_to_ns(hrtimer_get_remaining(timer)) > (s64)ns)
		hrtimer_start(timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Do the work that callbacks must not do: in a hard interrupt, without locks. */
static void pmu_kicked(struct irq_work *kick)
{
	struct pcounter_base *base = container_of(kick, struct pcounter_base, kick);
	bool here = false, due = false;
	u64 ns = 0;

	pcounter_lease_try(base->ppmu);
	guard(raw_spinlock)(&base->timer_lock);
	scoped_guard(raw_spinlock, base->lock) {
		here = pmu_is_here(base);
		if (here) {
			pmu_check(base);
			ns = base->added && !base->ppmu->gpu.gone ? base->interval : 0;
		} else {
			base->kick_cpu = base->added_cpu;
			base->work_due = true;
		}
		due = base->work_due;
	}
	if (here)
		pmu_set_timer(base, ns);
	if (due)
		schedule_work(&base->work);
}

static enum hrtimer_restart pcounter_timer(struct hrtimer *timer)
{
	struct pcounter_base *base = container_of(timer, struct pcounter_base, timer);
	u64 ns;

	pmu_drain(base, PCOUNTER_DRAIN_TIMER);
	guard(raw_spinlock)(&base->timer_lock);
	guard(raw_spinlock)(base->lock);
	if (base->ppmu->gpu.gone || !base->interval)
		return HRTIMER_NORESTART;
	ns = base->ops->poll(base);
	/* perf has not deleted the events yet */
	if (base->ppmu->gpu.asleep)
		pcounter_base_want_resched(base);
	pmu_check(base);
	base->interval = ns;
	/* if the events have moved, the timer may run on another CPU already */
	if (hrtimer_is_queued(timer))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(ns));
	return HRTIMER_RESTART;
}

static const struct pmu pcounter_callbacks = {
	.event_init = pcounter_event_init,
	.pmu_enable = pcounter_pmu_enable,
	.pmu_disable = pcounter_pmu_disable,
	.start_txn = pcounter_start_txn,
	.commit_txn = pcounter_commit_txn,
	.cancel_txn = pcounter_cancel_txn,
	.add = pcounter_event_add,
	.del = pcounter_event_del,
	.start = pcounter_event_start,
	.stop = pcounter_event_stop,
	.read = pcounter_event_read,
};

/**
 * pcounter_pmu_setup() - prepare a PMU, and its perf callbacks
 * @base: the PMU, zeroed; the caller fills in @base->name
 * @ops: its backend
 * @ppmu: the GPU
 * @parent: the device it belongs to
 * @owner: module that must stay loaded while events are open
 */
void pcounter_pmu_setup(struct pcounter_base *base, const struct pcounter_backend *ops,
			struct pcounter_pmu *ppmu, struct device *parent, struct module *owner)
{
	pcounter_base_setup(base, ops, parent);
	base->ppmu = ppmu;
	base->lock = &ppmu->gpu.lock;
	base->depth = alloc_percpu(unsigned int);
	init_irq_work(&base->kick, pmu_kicked);
	base->attr_groups[0] = &pcounter_pmu_group;
	base->attr_groups[1] = &base->format_dir.group;
	base->attr_groups[2] = &base->caps_dir.group;
	base->attr_groups[3] = &base->events_dir.group;
	hrtimer_setup(&base->timer, pcounter_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	base->pmu = pcounter_callbacks;
	base->pmu.module = owner;
	base->pmu.attr_groups = base->attr_groups;
}

/**
 * pcounter_pmu_free() - free the memory of pcounter_pmu_setup(), and the files
 * @base: the PMU, which perf does not know any more
 */
void pcounter_pmu_free(struct pcounter_base *base)
{
	pcounter_sysfs_free(base);
	free_percpu(base->depth);
}
