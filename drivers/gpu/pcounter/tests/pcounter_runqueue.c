// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's callbacks under a lock that represents a runqueue's lock, for KUnit.
 *
 * perf also calls add, del, start, stop and read from the scheduler, with a
 * runqueue's lock held. A wake-up acquires that lock, so a callback must not
 * wake a task, queue work, print, or acquire a lock that is held around a
 * wake-up. Calls from the scheduler are rare and a deadlock needs a race, so
 * the suites wrap each callback: lockdep then reports the lock in any call.
 */
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "pcounter_fake.h"
#include "perf/types.h"

#ifdef CONFIG_PROVE_LOCKING
static struct lock_class_key runqueue_key;

static struct lockdep_map runqueue = {
	.name = "pcounter: a callback of perf, as if a runqueue were locked",
	.key = &runqueue_key,
	.wait_type_outer = LD_WAIT_SPIN,
	.wait_type_inner = LD_WAIT_SPIN,
};

/* The callbacks of the driver, which all of its PMUs share. */
static struct pmu real;

/* A wake-up acquires the task's pi_lock, then a runqueue's lock. */
static void teach(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&current->pi_lock, flags);
	lock_map_acquire(&runqueue);
	lock_map_release(&runqueue);
	raw_spin_unlock_irqrestore(&current->pi_lock, flags);
}

/* Recursive: a BPF program may read an event inside of a callback. */
static void begin(void)
{
	lock_map_acquire_read(&runqueue);
}

static void end(void)
{
	lock_map_release(&runqueue);
}

static void locked_enable(struct pmu *pmu)
{
	begin();
	real.pmu_enable(pmu);
	end();
}

static void locked_disable(struct pmu *pmu)
{
	begin();
	real.pmu_disable(pmu);
	end();
}

static void locked_start_txn(struct pmu *pmu, unsigned int flags)
{
	begin();
	real.start_txn(pmu, flags);
	end();
}

static int locked_commit_txn(struct pmu *pmu)
{
	int err;

	begin();
	err = real.commit_txn(pmu);
	end();
	return err;
}

static void locked_cancel_txn(struct pmu *pmu)
{
	begin();
	real.cancel_txn(pmu);
	end();
}

static int locked_add(struct perf_event *event, int flags)
{
	int err;

	begin();
	err = real.add(event, flags);
	end();
	return err;
}

static void locked_del(struct perf_event *event, int flags)
{
	begin();
	real.del(event, flags);
	end();
}

static void locked_start(struct perf_event *event, int flags)
{
	begin();
	real.start(event, flags);
	end();
}

static void locked_stop(struct perf_event *event, int flags)
{
	begin();
	real.stop(event, flags);
	end();
}

static void locked_read(struct perf_event *event)
{
	begin();
	real.read(event);
	end();
}

static void wrap(struct pmu *pmu)
{
	real = *pmu;
	pmu->pmu_enable = locked_enable;
	pmu->pmu_disable = locked_disable;
	pmu->start_txn = locked_start_txn;
	pmu->commit_txn = locked_commit_txn;
	pmu->cancel_txn = locked_cancel_txn;
	pmu->add = locked_add;
	pmu->del = locked_del;
	pmu->start = locked_start;
	pmu->stop = locked_stop;
	pmu->read = locked_read;
}

/**
 * pcounter_fake_lock_runqueue() - run all callbacks with a lock like a runqueue's held
 * @ppmu: a GPU without open events
 */
void pcounter_fake_lock_runqueue(struct pcounter_pmu *ppmu)
{
	teach();
	wrap(&ppmu->base.pmu);
	if (ppmu->idle.ready)
		wrap(&ppmu->idle.pmu);
}
#else
void pcounter_fake_lock_runqueue(struct pcounter_pmu *ppmu)
{
}
#endif
