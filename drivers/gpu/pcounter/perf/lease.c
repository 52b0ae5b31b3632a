// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU sleeps when its owner, the graphics driver, does not use it. Nothing
 * here wakes a GPU, and open events do not keep it awake. But a register must
 * not be touched while the GPU falls asleep, and perf's callbacks must not call
 * runtime power management: it acquires locks that are held around wake-ups.
 *
 * So a reference is got here, in process context or in a hard interrupt without
 * locks, on behalf of the callbacks. It is put as soon as the owner does not
 * use the GPU any more: the owner has no reference, and its autosuspend delay
 * is over. The counts are updated first.
 */
#include <linux/jiffies.h>
#include <linux/time64.h>

#include "hw/io.h"
#include "perf/lease.h"
#include "perf/types.h"

/*
 * perf offers the events of a sleeping GPU at each turn, or at each task
 * switch.
 */
#define LEASE_RETRY_MS	10

DEFINE_SRCU(pcounter_lease_srcu);

static void lease_resched(struct pcounter_pmu *ppmu)
{
	pcounter_gpu_want_resched(&ppmu->gpu);
	pcounter_base_kick_work(&ppmu->base);
	if (ppmu->beside)
		ppmu->beside->ops->want_resched(ppmu->beside);
}

static void lease_watch_later(struct pcounter_pmu *ppmu)
{
	u64 ns = ppmu->gpu.io->ops->watch_ns(ppmu->gpu.io);

	schedule_delayed_work(&ppmu->lease.watch, nsecs_to_jiffies(ns));
}

/* Gets the reference, unless the GPU sleeps or no event is open. */
static bool lease_get(struct pcounter_pmu *ppmu)
{
	struct pcounter_lease *lease = &ppmu->lease;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	bool got;

	if (!pcounter_gpu_get(gpu))
		return false;
	raw_spin_lock_irqsave(&gpu->lock, flags);
	got = lease->users && !lease->held && !gpu->gone;
	lease->held |= got;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (got)
		lease_watch_later(ppmu);
	else
		pcounter_gpu_put(gpu);
	return got;
}

/**
 * pcounter_lease_try() - is the GPU awake by now?
 * @ppmu: the PMU; no lock is held. In process context or in an interrupt
 *
 * If so perf reschedules, and adds the events that were refused.
 */
void pcounter_lease_try(struct pcounter_pmu *ppmu)
{
	struct pcounter_lease *lease = &ppmu->lease;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	bool due;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	due = !gpu->gone && gpu->io->ops->get && lease->users && !lease->held &&
	      time_after_eq(jiffies, lease->tried + msecs_to_jiffies(LEASE_RETRY_MS));
	if (due)
		lease->tried = jiffies;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (!due || !lease_get(ppmu))
		return;
	raw_spin_lock_irqsave(&gpu->lock, flags);
	lease_resched(ppmu);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

/**
 * pcounter_lease_open() - an event of one of the GPU's PMUs is opened
 * @ppmu: the PMU; in a section of pcounter_lease_srcu
 */
void pcounter_lease_open(struct pcounter_pmu *ppmu)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	bool due;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	ppmu->lease.users++;
	due = !ppmu->lease.held && !gpu->gone && gpu->io->ops->get;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (due)
		lease_get(ppmu);
}

/* Ends the lease; returns whether it has a reference, which the caller puts. */
static bool lease_stop(struct pcounter_pmu *ppmu)
{
	bool held = ppmu->lease.held;

	ppmu->lease.held = false;
	return held;
}

/* Ends the lease, which no event needs any more; false if there was none, or one does. */
static bool lease_drop(struct pcounter_pmu *ppmu)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	bool held;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	held = (gpu->gone || !ppmu->lease.users) && lease_stop(ppmu);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (held)
		pcounter_gpu_put(gpu);
	return held;
}

/* The last event is closed; but another may have been opened meanwhile. */
static void lease_watch_no_more(struct pcounter_pmu *ppmu)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	bool held;

	cancel_delayed_work(&ppmu->lease.watch);
	raw_spin_lock_irqsave(&gpu->lock, flags);
	held = ppmu->lease.held;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (held)
		lease_watch_later(ppmu);
}

/**
 * pcounter_lease_close() - an event was closed
 * @ppmu: the PMU; in a section of pcounter_lease_srcu
 */
void pcounter_lease_close(struct pcounter_pmu *ppmu)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	ppmu->lease.users--;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (lease_drop(ppmu))
		lease_watch_no_more(ppmu);
}

/* Updates all counts while the GPU is still awake. */
static bool lease_reset(struct pcounter_pmu *ppmu)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	struct pcounter_base *beside;
	unsigned long flags;
	int section;
	bool held;

	section = srcu_read_lock(&pcounter_lease_srcu);
	beside = READ_ONCE(ppmu->beside);
	if (beside)
		beside->ops->latch(beside);
	srcu_read_unlock(&pcounter_lease_srcu, section);
	raw_spin_lock_irqsave(&gpu->lock, flags);
	held = ppmu->lease.held && !gpu->gone;
	if (held) {
		pcounter_gpu_poll(gpu);
		lease_stop(ppmu);
	}
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return held;
}

/*
 * Asks the owner's driver whether the GPU may sleep, as runtime power
 * management would without the lease. If the driver refuses, the lease goes on.
 */
static void lease_watch(struct work_struct *work)
{
	struct pcounter_pmu *ppmu = container_of(to_delayed_work(work), struct pcounter_pmu,
						 lease.watch);
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned long flags;
	bool held;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	held = ppmu->lease.held && !gpu->gone;
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (!held)
		return;
	if (!gpu->io->ops->unused(gpu->io)) {
		lease_watch_later(ppmu);
		return;
	}
	if (!lease_reset(ppmu))
		return;
	pcounter_gpu_rest(gpu);
	if (lease_get(ppmu)) {
		pcounter_base_kick(&ppmu->base);
		return;
	}
	raw_spin_lock_irqsave(&gpu->lock, flags);
	pcounter_gpu_sleeps(gpu);
	lease_resched(ppmu);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

/**
 * pcounter_lease_end() - the GPU leaves
 * @ppmu: the PMU, whose GPU is gone
 */
void pcounter_lease_end(struct pcounter_pmu *ppmu)
{
	lease_drop(ppmu);
	cancel_delayed_work_sync(&ppmu->lease.watch);
	synchronize_srcu(&pcounter_lease_srcu);
}

/**
 * pcounter_lease_init() - prepare the lease of a GPU
 * @ppmu: the PMU
 */
void pcounter_lease_init(struct pcounter_pmu *ppmu)
{
	INIT_DELAYED_WORK(&ppmu->lease.watch, lease_watch);
	ppmu->lease.tried = jiffies - msecs_to_jiffies(LEASE_RETRY_MS);
}
