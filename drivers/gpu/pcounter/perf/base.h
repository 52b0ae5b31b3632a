/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PMU of a GPU. A GPU has up to two: one for its domains, and one for its idle
 * counters. perf's callbacks are the same for both; a backend counts.
 */
#ifndef _PCOUNTER_PERF_BASE_H
#define _PCOUNTER_PERF_BASE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#define PCOUNTER_PMU_NAME	24

struct pcounter_base;
struct pcounter_pmu;

/*
 * perf adds, starts, stops and deletes events one by one. The counters change
 * in the commit that ends a reschedule:
 *
 *              start               commit
 *   STOPPED ----------> STARTING ----------> COUNTING
 *    ^   ^                 |                  |   ^
 *    |   +------stop-------+                stop start
 *    |                                        v   |
 *    +----------------commit---------------- LEAVING
 *
 * perf deletes an event that it has stopped. In LEAVING even a deleted event still
 * has its counter. If perf starts it again in the same reschedule, it misses nothing
 * and no register is touched.
 */
enum pcounter_state {
	PCOUNTER_STATE_STOPPED,
	PCOUNTER_STATE_LEAVING,
	PCOUNTER_STATE_STARTING,
	PCOUNTER_STATE_COUNTING,
};

/* The transaction that perf is in: a read of a group, or any other or none. */
enum pcounter_txn {
	PCOUNTER_TXN_NONE,
	PCOUNTER_TXN_READ,
	PCOUNTER_TXN_STALE,	/* as READ, but a read did not get the lock: skip the rest */
};

/* Why samples are delivered. */
enum pcounter_drain {
	PCOUNTER_DRAIN_TIMER,
	PCOUNTER_DRAIN_NOW,	/* an event is read or stopped: ask the GPU for packets first */
	PCOUNTER_DRAIN_RESCHED,	/* events leave, or counters may move */
};

/**
 * struct pcounter_base_event - the driver's part of a perf event
 * @event: perf's part
 * @node: in pcounter_base.events
 * @state: where it is
 * @added: perf has added it, and has not deleted it since
 * @deferred: in pcounter_base.deferred while the commit has to handle it
 * @disable: the work item has to disable it: its reader has to make room first
 * @unit: a latch serves all events of the same unit
 * @snapshot: pcounter_base.snapshot when it was credited last
 * @was_read: its times were read while perf believed that it counts
 */
struct pcounter_base_event {
	struct perf_event *event;
	struct list_head node;
	enum pcounter_state state;
	bool added;
	struct list_head deferred;
	bool disable;
	unsigned int unit;
	u32 snapshot;
	bool was_read;
};

/**
 * struct pcounter_backend - how a PMU counts
 * @event_size: size of its part of an event, which begins with struct
 *	pcounter_base_event
 * @check: parse the event's terms; can it ever be counted with its group?
 * @open: get references for an open event
 * @close: undo @open; the last close restores registers
 * @add: find a counter; an event in LEAVING still has one
 * @del: the event is deleted; may be NULL
 * @start: it is in STARTING now; may be NULL
 * @leave: it enters (true) or leaves (false) the state LEAVING; may be NULL
 * @left: it is not credited any more, and is STOPPED now; free its counter if it is
 *	deleted
 * @begin: the commit is done: begin to credit it; return false to begin at the next commit
 * @latch: update the totals of a unit, once in a snapshot
 * @credit: add the growth of its total to its count
 * @next: a new snapshot (pcounter_base.snapshot) begins; may be NULL
 * @commit: program all changes; returns the time to the next poll in ns, 0: none
 * @poll: update totals, as many as there is time for; returns the time to the next poll
 *	in ns
 * @check_faults: request a reschedule if something has stopped; returns
 *	whether a commit is due
 * @complete: can the events that were added count together? May be NULL
 * @drain: deliver samples; called only while something samples
 * @report: log why events do not count
 * @free: free the PMU, which is unregistered
 *
 * The lock is held from @add to @check_faults. The others are called without it;
 * @complete and @drain from perf's callbacks, the rest in process context.
 */
struct pcounter_backend {
	size_t event_size;
	int (*check)(struct pcounter_base_event *be);
	int (*open)(struct pcounter_base_event *be);
	void (*close)(struct pcounter_base_event *be);
	int (*add)(struct pcounter_base_event *be);
	void (*del)(struct pcounter_base_event *be);
	void (*start)(struct pcounter_base_event *be);
	void (*leave)(struct pcounter_base_event *be, bool leaves);
	void (*left)(struct pcounter_base_event *be);
	bool (*begin)(struct pcounter_base_event *be);
	void (*latch)(struct pcounter_base *base, unsigned int unit);
	void (*credit)(struct pcounter_base_event *be);
	void (*next)(struct pcounter_base *base);
	u64 (*commit)(struct pcounter_base *base);
	u64 (*poll)(struct pcounter_base *base);
	bool (*check_faults)(struct pcounter_base *base);
	bool (*complete)(struct pcounter_base *base);
	void (*drain)(struct pcounter_base *base, enum pcounter_drain why);
	void (*report)(struct pcounter_base *base);
	void (*free)(struct pcounter_base *base);
};

/**
 * struct pcounter_folder - a folder in sysfs, of files with constant texts
 * @group: the folder
 * @file: its files
 * @nr: number of files
 */
struct pcounter_folder {
	struct attribute_group group;
	struct perf_pmu_events_attr *file;
	unsigned int nr;
};

/**
 * struct pcounter_base - a PMU
 * @pmu: perf's part
 * @ops: how it counts
 * @ppmu: the GPU
 * @lock: the GPU's lock; protects the fields below unless noted
 * @parent: the device it belongs to
 * @name: its name in sysfs
 * @cpu: all events are counted on this CPU, -1 if none is online
 * @ready: perf has finished its registration
 * @node: in the CPU hotplug state's list
 * @kref: one for the provider, one for each open event, one for each of @late_puts
 * @events: all open events
 * @deferred: events that the next commit handles
 * @sampling: events that sample; changed and read on their CPU only
 * @drained: snapshot (@snapshot) of the last drain before a deletion
 * @depth: nesting of "PMU disabled" and transactions; the commit is at 0
 * @txn: transaction that perf is in
 * @turn: number of that transaction
 * @snapshot: number of the snapshot: a unit is latched once in it
 * @added: events on the PMU ...
 * @added_cpu: ... and the CPU of all of them
 * @interval: of @timer in ns, 0 if it is not needed
 * @resched: perf has to reschedule all events
 * @disabling: the event that @work is disabling; its closing waits for @work
 * @kick: does the work that perf's callbacks must not do, once interrupts are on
 * @work_due: @work has to run, and has not begun yet
 * @kick_cpu: @work has to kick on this CPU, unless it is -1
 * @work: does the part that needs a mutex
 * @release_work: unregisters and frees, when the last reference is gone
 * @late_puts: references to the PMU, each with one to its module, that ...
 * @put_work: ... puts when perf's contexts do not need the PMU any more
 * @moving: perf moves its events to another CPU: some are in no context
 * @timer: updates counts periodically while events count
 * @format_dir: the folder format/
 * @caps_dir: the folder caps/
 * @events_dir: the folder events/
 * @attr_groups: all groups of sysfs files
 */
struct pcounter_base {
	struct pmu pmu;
	const struct pcounter_backend *ops;
	struct pcounter_pmu *ppmu;
	raw_spinlock_t *lock;
	struct device *parent;
	char name[PCOUNTER_PMU_NAME];
	int cpu;
	bool ready;
	struct hlist_node node;
	struct kref kref;
	struct list_head events;
	struct list_head deferred;
	struct list_head sampling;
	u32 drained;
	unsigned int depth;
	enum pcounter_txn txn;
	u64 turn;
	u32 snapshot;
	unsigned int added;
	unsigned int added_cpu;
	u64 interval;
	bool resched;
	struct pcounter_base_event *disabling;
	struct irq_work kick;
	bool work_due;
	int kick_cpu;
	struct work_struct work;
	struct work_struct release_work;
	atomic_t late_puts;
	struct delayed_work put_work;
	seqcount_t moving;
	struct hrtimer timer;
	struct pcounter_folder format_dir;
	struct pcounter_folder caps_dir;
	struct pcounter_folder events_dir;
	const struct attribute_group *attr_groups[6];
};

static inline struct pcounter_base *to_pcounter_base(struct pmu *pmu)
{
	return container_of(pmu, struct pcounter_base, pmu);
}

static inline struct pcounter_base *pcounter_base_of(const struct pcounter_base_event *be)
{
	return to_pcounter_base(be->event->pmu);
}

/* Return true if perf has started the event. */
static inline bool pcounter_event_runs(const struct pcounter_base_event *be)
{
	return be->state >= PCOUNTER_STATE_STARTING;
}

/* Begin a new snapshot: the next latch of each unit reads registers. */
static inline void pcounter_base_next_snapshot(struct pcounter_base *base)
{
	base->snapshot++;
	if (base->ops->next)
		base->ops->next(base);
}

/* Raise the interrupt that does the work which callbacks must not do. */
static inline void pcounter_base_kick(struct pcounter_base *base)
{
	irq_work_queue(&base->kick);
}

int pcounter_base_register(struct pcounter_base *base);
void pcounter_base_setup(struct pcounter_base *base, const struct pcounter_backend *ops,
			 struct device *parent);
void pcounter_base_remove(struct pcounter_base *base);
void pcounter_base_flush(void);
bool pcounter_base_get(struct pcounter_base *base);
void pcounter_base_put(struct pcounter_base *base);
void pcounter_base_put_later(struct pcounter_base *base);
void pcounter_base_close(struct pcounter_base_event *be);
void pcounter_base_want_resched(struct pcounter_base *base);
void pcounter_base_disable(struct pcounter_base_event *be);

int pcounter_base_module_init(void);
void pcounter_base_module_exit(void);

void pcounter_pmu_setup(struct pcounter_base *base, const struct pcounter_backend *ops,
			struct pcounter_pmu *ppmu, struct device *parent, struct module *owner);
void pcounter_pmu_settle(struct pcounter_base_event *be);
void pcounter_pmu_settle_all(struct pcounter_base *base);

#endif
