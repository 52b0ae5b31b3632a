/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Life time of a PMU of a GPU: references, the CPU it counts on, and what
 * perf's callbacks defer to a hard interrupt and to a work item.
 */
#ifndef _PCOUNTER_PERF_CORE_H
#define _PCOUNTER_PERF_CORE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "perf/callback.h"

#define PCOUNTER_PMU_NAME	24

struct pcounter_base;

/**
 * struct pcounter_base_event - our part of a perf event
 * @event: perf's part
 * @node: in pcounter_base.events
 * @starting: in pcounter_base.starting while it waits for the commit
 * @leaving: in pcounter_base.leaving until the reschedule in which it stopped
 *	ends
 * @stopping: the work disables it, it must not go away
 * @stopped: the work has disabled it
 */
struct pcounter_base_event {
	struct perf_event *event;
	struct list_head node;
	struct list_head starting;
	struct list_head leaving;
	bool stopping;
	bool stopped;
};

/**
 * struct pcounter_base_ops - what PMUs differ in
 * @full: must perf disable this event until there is room? The lock is held
 * @resched: must perf reschedule all events? True once for each request. The
 *	lock is held
 * @kicked: do what a callback could not do, in a hard interrupt; returns the
 *	CPU on which this has to be done instead, -1 if it is done
 * @report: say in the log why events do not count
 * @free: the last reference is gone, and the PMU is unregistered
 * @want_resched: of a PMU beside another: request a reschedule. The lock is
 *	held
 * @latch: likewise: update all counts. The lock is held
 */
struct pcounter_base_ops {
	bool (*full)(struct pcounter_base *base, struct pcounter_base_event *be);
	bool (*resched)(struct pcounter_base *base);
	int (*kicked)(struct pcounter_base *base);
	void (*report)(struct pcounter_base *base);
	void (*free)(struct pcounter_base *base);
	void (*want_resched)(struct pcounter_base *base);
	void (*latch)(struct pcounter_base *base);
};

/**
 * struct pcounter_base - a PMU
 * @pmu: perf's part
 * @ops: its own operations
 * @lock: protects @events, @starting, @leaving and what the PMU counts with
 * @parent: the device it belongs to, referenced
 * @name: its name in sysfs
 * @cpu: all events are counted on this CPU, -1 if none is online
 * @ready: perf has finished its registration
 * @node: in the CPU hotplug state's list
 * @kref: one for the provider, one for each open event, one for each of @late_puts
 * @events: all open events
 * @starting: those that begin to count at the next commit
 * @leaving: those that have stopped since the last commit and may be added
 *	again
 * @stop_wait: where closing an event waits while @work disables the event
 * @kick: does what perf's callbacks must not do, as soon as interrupts are on
 * @work_due: @work has something to do
 * @work_queued: @work has not begun, and will see all that is due
 * @kick_cpu: @work has to kick on this CPU, unless it is -1
 * @work: does what needs a mutex
 * @release_work: unregisters and frees, when the last reference is gone
 * @late_puts: references to the PMU, each with one to its module, that ...
 * @put_work: ... puts when perf's contexts do not need the PMU any more
 * @moving: perf moves its events to another CPU: some are in no context
 * @timer: updates counts periodically while events count
 */
struct pcounter_base {
	struct pmu pmu;
	const struct pcounter_base_ops *ops;
	raw_spinlock_t *lock;
	struct device *parent;
	char name[PCOUNTER_PMU_NAME];
	int cpu;
	bool ready;
	struct hlist_node node;
	struct kref kref;
	struct list_head events;
	struct list_head starting;
	struct list_head leaving;
	wait_queue_head_t stop_wait;
	struct irq_work kick;
	bool work_due;
	bool work_queued;
	int kick_cpu;
	struct work_struct work;
	struct work_struct release_work;
	atomic_t late_puts;
	struct delayed_work put_work;
	seqcount_t moving;
	struct hrtimer timer;
};

static inline struct pcounter_base *to_pcounter_base(struct pmu *pmu)
{
	return container_of(pmu, struct pcounter_base, pmu);
}

void pcounter_base_setup(struct pcounter_base *base, const struct pcounter_base_ops *ops,
			 raw_spinlock_t *lock, struct device *parent);
int pcounter_base_register(struct pcounter_base *base);
void pcounter_base_remove(struct pcounter_base *base);
void pcounter_base_flush(void);
void pcounter_base_put(struct pcounter_base *base);
void pcounter_base_put_later(struct pcounter_base *base);
int pcounter_base_check(struct perf_event *event, bool gone);
bool pcounter_base_open(struct pcounter_base_event *be, struct perf_event *event);
void pcounter_base_close(struct pcounter_base_event *be);
void pcounter_base_kick(struct pcounter_base *base);
void pcounter_base_kick_work(struct pcounter_base *base);
bool pcounter_base_begins(struct pcounter_base_event *be);
bool pcounter_base_ends(struct pcounter_base_event *be);
void pcounter_base_stop(struct pcounter_base_event *be);
void pcounter_base_start_timer(struct pcounter_base *base, u64 ns);
enum hrtimer_restart pcounter_base_next_timer(struct pcounter_base *base, u64 ns);

int pcounter_number_get(const char *device);
void pcounter_number_put(int number);

int pcounter_base_module_init(void);
void pcounter_base_module_exit(void);

#endif
