// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU sleeps when its owner, the graphics driver, does not use it. The driver
 * never wakes it, and open events do not keep it awake. But no register may be
 * touched while the GPU falls asleep, and perf's callbacks must not call
 * runtime power management, which acquires locks that are held around wake-ups.
 *
 * So this file gets a reference for the callbacks, in process context or in a
 * hard interrupt without locks. It puts the reference as soon as the owner does
 * not use the GPU any more: the owner has no reference, and its autosuspend
 * delay is over. The counts are updated first.
 */
#include <linux/cleanup.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include "hw/io.h"
#include "perf/types.h"

/* perf retries the events of a sleeping GPU at each turn, or at each task switch. */
#define LEASE_RETRY_MS	10
/* Interval of checks for an owner that still uses the GPU, and for power off. */
#define LEASE_WATCH_MS	50

/*
 * Process context gets and puts references in a read section of this SRCU: a GPU that
 * is not gone in a section stays reachable until the section ends.
 */
DEFINE_SRCU(pcounter_lease_srcu);

static void lease_watch_later(struct pcounter_pmu *ppmu)
{
	schedule_delayed_work(&ppmu->lease.watch, msecs_to_jiffies(LEASE_WATCH_MS));
}

static bool lease_is_needed(const struct pcounter_pmu *ppmu)
{
	return !ppmu->gpu.gone && ppmu->gpu.opened;
}

static bool lease_is_due(const struct pcounter_pmu *ppmu)
{
	return lease_is_needed(ppmu) && !ppmu->lease.ref && ppmu->gpu.io->ops->get;
}

/**
 * pcounter_lease_get() - begin the lease if it is due, unless the GPU sleeps
 * @ppmu: the PMU; no lock is held. In process context or in an interrupt
 *
 * Return: true if it has begun.
 */
bool pcounter_lease_get(struct pcounter_pmu *ppmu)
{
	struct pcounter_gpu *gpu = &ppmu->gpu;
	bool got = false;

	if (!pcounter_gpu_get(gpu))
		return false;
	scoped_guard(raw_spinlock_irqsave, &gpu->lock) {
		got = lease_is_due(ppmu);
		ppmu->lease.ref |= got;
	}
	if (got)
		lease_watch_later(ppmu);
	else
		pcounter_gpu_put(gpu);
	return got;
}

/**
 * pcounter_lease_try() - get the reference if the GPU has woken up
 * @ppmu: the PMU; no lock is held. In process context or in an interrupt
 *
 * perf reschedules then, and adds the events that were refused.
 */
void pcounter_lease_try(struct pcounter_pmu *ppmu)
{
	struct pcounter_lease *lease = &ppmu->lease;

	scoped_guard(raw_spinlock_irqsave, &ppmu->gpu.lock) {
		if (!lease_is_due(ppmu) ||
		    time_before(jiffies, lease->tried + msecs_to_jiffies(LEASE_RETRY_MS)))
			return;
		lease->tried = jiffies;
	}
	if (!pcounter_lease_get(ppmu))
		return;
	guard(raw_spinlock_irqsave)(&ppmu->gpu.lock);
	pcounter_base_want_resched(&ppmu->base);
	if (pcounter_base_is_ready(&ppmu->idle))
		pcounter_base_want_resched(&ppmu->idle);
}

/**
 * pcounter_lease_close() - end the lease if no event needs it any more
 * @ppmu: the PMU; in a section of pcounter_lease_srcu, or its GPU is just leaving
 *
 * A pending watch finds no lease, and does nothing.
 */
void pcounter_lease_close(struct pcounter_pmu *ppmu)
{
	scoped_guard(raw_spinlock_irqsave, &ppmu->gpu.lock) {
		if (!ppmu->lease.ref || lease_is_needed(ppmu))
			return;
		ppmu->lease.ref = false;
	}
	pcounter_gpu_put(&ppmu->gpu);
}

/*
 * Ask the owner's driver whether the GPU may sleep, as runtime power management
 * would without the lease. If the driver refuses, the lease goes on. The counts are
 * updated while the GPU is still awake.
 */
static void lease_watch(struct work_struct *work)
{
	struct pcounter_pmu *ppmu = container_of(to_delayed_work(work), struct pcounter_pmu,
						 lease.watch);
	struct pcounter_gpu *gpu = &ppmu->gpu;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		if (!ppmu->lease.ref || gpu->gone)
			return;
	if (!gpu->io->ops->unused(gpu->io)) {
		lease_watch_later(ppmu);
		return;
	}
	scoped_guard(raw_spinlock_irqsave, &gpu->lock) {
		if (!ppmu->lease.ref || gpu->gone)
			return;
		pcounter_pmu_update(ppmu);
		ppmu->lease.ref = false;
		/* an interrupt that the update has raised must not renew the lease */
		ppmu->lease.tried = jiffies;
	}
	pcounter_gpu_put_sync(gpu);
	if (pcounter_lease_get(ppmu)) {
		pcounter_base_kick(&ppmu->base);
		return;
	}
	guard(raw_spinlock_irqsave)(&gpu->lock);
	pcounter_gpu_sleeps(gpu);
	pcounter_base_check(&ppmu->base);
	if (pcounter_base_is_ready(&ppmu->idle))
		pcounter_base_check(&ppmu->idle);
}

/**
 * pcounter_lease_end() - end the lease of a GPU that has left
 * @ppmu: the PMU, whose GPU is gone
 */
void pcounter_lease_end(struct pcounter_pmu *ppmu)
{
	/* who saw that the GPU is there: processes, and interrupts, which may run on two CPUs */
	synchronize_srcu(&pcounter_lease_srcu);
	synchronize_rcu();
	pcounter_lease_close(ppmu);
	cancel_delayed_work_sync(&ppmu->lease.watch);
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
