/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A GPU as perf sees it: its PMUs and their events, and the lease that permits register
 * access. A GPU has up to two PMUs: one for its domains, and one for its idle counters.
 * perf's callbacks are the same for both; a backend counts.
 */
#ifndef _PCOUNTER_PERF_TYPES_H
#define _PCOUNTER_PERF_TYPES_H

#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "count/gpu.h"
#include "record/record.h"

#define PCOUNTER_PMU_NAME	24

struct dentry;
struct module;
struct pcounter_aux;
struct pcounter_base;
struct pcounter_pmu;
struct pcounter_sample;

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
 * and no register is touched. If a new event needs its client or idle counter
 * before the commit, the driver credits it at once, and it is STOPPED.
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
 * struct pcounter_event - the driver's part of a perf event
 */
struct pcounter_event {
	/* Constant once it is open. */
	/** @event: perf's part */
	struct perf_event *event;
	/** @base: its PMU */
	struct pcounter_base *base;
	/**
	 * @raw: its own request, zero for an idle counter. All events with the
	 * same @raw.dom share a latch
	 */
	struct pcounter_request raw;
	/** @sample: its next sample; NULL if it does not sample */
	struct pcounter_sample *sample;
	/** @head: list of this event alone, for perf */
	struct hlist_head head;

	/* Its state. The GPU's lock protects all that follows, unless noted. */
	/** @node: in pcounter_base.events */
	struct list_head node;
	/** @state: where it is */
	enum pcounter_state state;
	/** @added: perf has added it, and has not deleted it since */
	bool added;
	/**
	 * @deferred: in pcounter_base.deferred while the commit has to handle
	 * it
	 */
	struct list_head deferred;
	/**
	 * @disable: the work item has to disable it until its reader makes room
	 */
	bool disable;
	/** @failed: its idle counter has stopped, so it never runs again */
	bool failed;

	/* Its request, and its counter. */
	/** @req: @raw with the settings of its group */
	struct pcounter_request req;
	/**
	 * @group: id of the leader of that group; 0 before perf first adds the
	 * event
	 */
	u64 group;
	/**
	 * @client: the entry of its request in a domain or an idle counter;
	 * while it is added, or in LEAVING
	 */
	struct pcounter_client *client;

	/* Its count and its running time. */
	/**
	 * @prev: the total of @client up to which the event has been credited
	 */
	u64 prev;
	/**
	 * @late: @prev is unknown until its client's first packet has been read
	 */
	bool late;
	/**
	 * @turn: pcounter_base.turn when a read of its group credited it last
	 */
	u64 turn;
	/**
	 * @ran: its running time until @since, without time whose counts are
	 * lost, unless perf has reported that time
	 */
	u64 ran;
	/** @since: when @ran was updated */
	u64 since;
	/**
	 * @cut: counts are lost: perf's running time has to be reduced to @ran
	 */
	bool cut;

	/* Its samples. */
	/** @sampling: in pcounter_base.sampling */
	struct list_head sampling;
	/** @pending: count that has not been given to perf yet */
	u64 pending;
	/** @slot: its counter in the packets of @sample */
	s8 slot;
	/**
	 * @aux: its AUX area, NULL if it has none; changes under the GPU's
	 * lock, and is read with that or with interrupts off
	 */
	struct pcounter_aux __rcu *aux;
};

/**
 * struct pcounter_backend - how a PMU counts
 * @check: parse the event's terms; refuse an event that can never count with its group
 * @open: get references for an open event
 * @close: undo @open; the last close restores registers
 * @add: find a client, and note in it that perf has added the event; -ENOSPC if there may
 *	be one once events in LEAVING have been credited
 * @start: note that perf starts the event, which does not count yet; may be NULL
 * @left: note that the event is STOPPED, and is credited no more
 * @begin: return false if the event, which has started, does not count before the next
 *	commit; may be NULL
 * @latch: update the totals of a unit, once in a snapshot
 * @commit: program all changes; return the time to the next poll in ns, 0 for no poll
 * @poll: update totals while there is time; return the time to the next poll in ns
 * @wants: the PCOUNTER_WANT_* for which perf has to reschedule its events
 * @wants_commit: the PCOUNTER_WANT_* for which it commits outside of a reschedule
 * @end_group: return true if the events that were added can count together; may be NULL
 * @drain: deliver samples; called only while an event samples
 * @report: log why events do not count
 * @free: free the PMU, which is unregistered
 *
 * The lock is held from @add to @poll. The others are called without it;
 * @end_group and @drain from perf's callbacks, the rest in process context.
 */
struct pcounter_backend {
	int (*check)(struct pcounter_event *pe);
	int (*open)(struct pcounter_event *pe);
	void (*close)(struct pcounter_event *pe);
	struct pcounter_client *(*add)(struct pcounter_event *pe);
	void (*start)(struct pcounter_event *pe);
	void (*left)(struct pcounter_event *pe);
	bool (*begin)(struct pcounter_event *pe);
	void (*latch)(struct pcounter_base *base, unsigned int unit);
	u64 (*commit)(struct pcounter_base *base);
	u64 (*poll)(struct pcounter_base *base);
	u32 wants;
	u32 wants_commit;
	bool (*end_group)(struct pcounter_base *base);
	void (*drain)(struct pcounter_base *base, enum pcounter_drain why);
	void (*report)(struct pcounter_base *base);
	void (*free)(struct pcounter_base *base);
};

/**
 * struct pcounter_folder - a folder in sysfs, of files with constant texts
 * @group: the folder
 * @file: its files
 * @nr: number of files
 * @failed: there is no memory for it, or for its last file
 */
struct pcounter_folder {
	struct attribute_group group;
	struct perf_pmu_events_attr *file;
	unsigned int nr;
	bool failed;
};

/**
 * struct pcounter_base - a PMU
 */
struct pcounter_base {
	/** @pmu: perf's part, which perf protects */
	struct pmu pmu;

	/* Constant once the PMU is set up. */
	/** @ops: how it counts */
	const struct pcounter_backend *ops;
	/** @ppmu: the GPU */
	struct pcounter_pmu *ppmu;
	/** @lock: the GPU's lock */
	raw_spinlock_t *lock;
	/** @parent: the device it belongs to */
	struct device *parent;
	/** @name: its name in sysfs */
	char name[PCOUNTER_PMU_NAME];
	/**
	 * @depth: nesting of "PMU disabled" and transactions, on each CPU; the
	 * commit is at 0
	 */
	unsigned int __percpu *depth;
	/** @format_dir: the folder format/ */
	struct pcounter_folder format_dir;
	/** @caps_dir: the folder caps/ */
	struct pcounter_folder caps_dir;
	/** @events_dir: the folder events/ */
	struct pcounter_folder events_dir;
	/** @attr_groups: all groups of sysfs files */
	const struct attribute_group *attr_groups[5];

	/* Its life. */
	/** @ready: perf has finished its registration */
	bool ready;
	/**
	 * @cpu: all events are counted on this CPU; -1 before the registration
	 */
	int cpu;
	/** @node: in the CPU hotplug state's list */
	struct hlist_node node;
	/**
	 * @kref: references: one of the provider, one of each open event, of
	 * each AUX area and of each of @late_puts; of the PMU of the domains,
	 * one of the PMU of the idle counters
	 */
	struct kref kref;
	/**
	 * @release_work: unregisters and frees, when the last reference is gone
	 */
	struct work_struct release_work;
	/**
	 * @late_puts: references to the PMU, each with one to its module, for
	 * @put_work to put
	 */
	atomic_t late_puts;
	/**
	 * @put_work: puts @late_puts when perf's contexts do not need the PMU
	 * any more
	 */
	struct delayed_work put_work;
	/**
	 * @moving: perf moves its events to another CPU: some are in no context
	 */
	seqcount_t moving;

	/* Its events. @lock protects all that follows, unless noted. */
	/** @events: all open events */
	struct list_head events;
	/** @deferred: events that the next commit handles */
	struct list_head deferred;
	/** @sampling: events that sample; changed and read on their CPU only */
	struct list_head sampling;
	/** @added: number of events that perf has added */
	unsigned int added;
	/**
	 * @added_cpu: the CPU of these events, and of the events in @deferred
	 */
	unsigned int added_cpu;

	/* The transaction and the reschedule that perf is in. */
	/** @txn: transaction that perf is in */
	enum pcounter_txn txn;
	/** @turn: number of the transaction */
	u64 turn;
	/**
	 * @drained: pcounter_gpu.snapshot of the last drain before a deletion
	 */
	u32 drained;

	/* What callbacks must not do. */
	/**
	 * @kick: does the work that perf's callbacks must not do, once
	 * interrupts are on
	 */
	struct irq_work kick;
	/** @kick_cpu: @work has to kick on this CPU, unless it is -1 */
	int kick_cpu;
	/** @work: does the part that needs a mutex */
	struct work_struct work;
	/** @work_due: @work has to run, and has not begun yet */
	bool work_due;
	/** @resched: perf has to reschedule all events */
	bool resched;
	/**
	 * @disabling: the event that @work is disabling; its closing waits for
	 * @work
	 */
	struct pcounter_event *disabling;
	/** @timer: updates counts periodically while events count */
	struct hrtimer timer;
	/**
	 * @timer_lock: keeps a look at the events and the change of @timer that
	 * follows from it together. Taken before @lock, in hard interrupts only:
	 * a BPF program that reads while a timer base is locked takes @lock
	 */
	raw_spinlock_t timer_lock;
	/** @interval: of @timer in ns, 0 if it is not needed */
	u64 interval;
};

/**
 * struct pcounter_lease - a reference that keeps a GPU awake while its owner
 * uses it
 * @ref: the lease has a reference, and the callbacks may touch registers
 * @tried: time of the last attempt to get it, in jiffies
 * @watch: puts the reference when the owner does not use the GPU any more
 *
 * The GPU's lock protects @ref and @tried.
 */
struct pcounter_lease {
	bool ref;
	unsigned long tried;
	struct delayed_work watch;
};

/**
 * struct pcounter_pmu - a GPU as perf sees it, and its PMUs
 */
struct pcounter_pmu {
	/** @gpu: the engine */
	struct pcounter_gpu gpu;
	/** @base: the PMU of its domains */
	struct pcounter_base base;
	/**
	 * @idle: the PMU of its idle counters, ready if the GPU has idle
	 * counters. It has a reference to @base, so that @number stays in use
	 */
	struct pcounter_base idle;
	/** @lease: keeps the GPU awake while its owner uses it */
	struct pcounter_lease lease;
	/** @number: the N of "pcounter_N" */
	int number;

	/**
	 * @delivering: samples are being made; changed and read on the events'
	 * CPU only
	 */
	bool delivering;
	/** @polled: time of the last poll of all domains */
	ktime_t polled;

	/* Files. */
	/** @debugfs: this PMU's folder */
	struct dentry *debugfs;
	/** @lab: files of the laboratory in it, NULL if there are none */
	struct dentry *lab;
	/** @lent_node: in the list of GPUs that the laboratory may use now */
	struct list_head lent_node;
};

static inline struct pcounter_event *to_pcounter_event(struct perf_event *event)
{
	return event->pmu_private;
}

static inline struct pcounter_base *to_pcounter_base(struct pmu *pmu)
{
	return container_of(pmu, struct pcounter_base, pmu);
}

/* Return true if events can be opened. */
static inline bool pcounter_base_is_ready(const struct pcounter_base *base)
{
	/* pairs with pcounter_base_register() */
	return smp_load_acquire(&base->ready);
}

/* Return true if perf has started the event. */
static inline bool pcounter_event_runs(const struct pcounter_event *pe)
{
	return pe->state >= PCOUNTER_STATE_STARTING;
}

/* Raise the interrupt that does the work which callbacks must not do. */
static inline void pcounter_base_kick(struct pcounter_base *base)
{
	irq_work_queue(&base->kick);
}

static inline struct pcounter_gpu *pcounter_gpu_of(const struct pcounter_event *pe)
{
	return &pe->base->ppmu->gpu;
}

static inline struct pcounter_domain *pcounter_domain_of(const struct pcounter_event *pe)
{
	return &pcounter_gpu_of(pe)->dom[pe->raw.dom];
}

/* Update all counts of a GPU's PMUs. */
static inline void pcounter_pmu_update(struct pcounter_pmu *ppmu)
{
	lockdep_assert_held(&ppmu->gpu.lock);
	pcounter_gpu_poll(&ppmu->gpu);
	if (pcounter_base_is_ready(&ppmu->idle))
		ppmu->idle.ops->poll(&ppmu->idle);
}

int pcounter_base_register(struct pcounter_base *base);
void pcounter_base_setup(struct pcounter_base *base, const struct pcounter_backend *ops,
			 struct device *parent);
void pcounter_base_remove(struct pcounter_base *base);
void pcounter_base_flush(void);
bool pcounter_base_get(struct pcounter_base *base);
void pcounter_base_put(struct pcounter_base *base);
void pcounter_base_put_later(struct pcounter_base *base);
void pcounter_base_close(struct pcounter_event *pe);
void pcounter_base_want_resched(struct pcounter_base *base);
bool pcounter_base_check(struct pcounter_base *base);
void pcounter_base_disable(struct pcounter_event *pe);
void pcounter_base_report(struct pcounter_base *base, struct pcounter_unit *u, const char *kind,
			  const char *name);

int pcounter_base_module_init(void);
void pcounter_base_module_exit(void);

void pcounter_pmu_setup(struct pcounter_base *base, const struct pcounter_backend *ops,
			struct pcounter_pmu *ppmu, struct device *parent, struct module *owner);
void pcounter_pmu_free(struct pcounter_base *base);
void pcounter_pmu_count(struct pcounter_event *pe);

struct pcounter_pmu *pcounter_pmu_alloc(struct device *parent, struct module *owner);
void pcounter_idle_create(struct pcounter_pmu *ppmu);

/* from packets to perf samples */
int pcounter_sample_check(const struct pcounter_event *pe);
int pcounter_sample_init(struct pcounter_event *pe);
void pcounter_sample_add(struct pcounter_event *pe);
void pcounter_sample_del(struct pcounter_event *pe);
void pcounter_sample_drain(struct pcounter_base *base, enum pcounter_drain why);

/* perf's AUX area, to which the GPU writes packets */
void *pcounter_aux_setup(struct perf_event *event, void **pages, int nr_pages,
			 bool overwrite);
void pcounter_aux_free(void *data);
void pcounter_aux_forget(struct pcounter_event *pe);
void pcounter_aux_start(struct pcounter_event *pe);
void pcounter_aux_stop(struct pcounter_event *pe);
bool pcounter_aux_read(struct pcounter_event *pe);
void pcounter_aux_publish(struct pcounter_event *pe);

/* A file with one value of a PMU, which the expression @value calls "base". */
#define PCOUNTER_SYSFS_VALUE(name, format, value)					\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *buf) \
{											\
	struct pcounter_base *base = to_pcounter_base(dev_get_drvdata(dev));		\
											\
	return sysfs_emit(buf, format "\n", value);					\
}											\
static DEVICE_ATTR_RO(name)

/* Files that all PMUs have. */
extern const struct attribute_group pcounter_pmu_group;

void pcounter_folder_alloc(struct pcounter_folder *folder, const char *name, unsigned int room);
__printf(3, 4)
void pcounter_folder_add(struct pcounter_folder *folder, const char *name, const char *format, ...);
void pcounter_sysfs_build(struct pcounter_pmu *ppmu);
void pcounter_sysfs_free(struct pcounter_base *base);

extern struct srcu_struct pcounter_lease_srcu;

void pcounter_lease_init(struct pcounter_pmu *ppmu);
bool pcounter_lease_get(struct pcounter_pmu *ppmu);
void pcounter_lease_close(struct pcounter_pmu *ppmu);
void pcounter_lease_try(struct pcounter_pmu *ppmu);
void pcounter_lease_end(struct pcounter_pmu *ppmu);

#endif
