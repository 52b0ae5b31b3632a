/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf PMU of one GPU.
 */
#ifndef _PCOUNTER_PMU_H
#define _PCOUNTER_PMU_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "pcounter_domain.h"

struct dentry;
struct pcounter_named_event;

/**
 * struct pcounter_pmu - a GPU as perf sees it
 * @pmu: perf's part
 * @gpu: the engine; gpu.lock also protects @starting, @depth,
 *	@reading and @events
 * @parent: the device it belongs to, referenced
 * @number: the N of "pcounter_N"
 * @name: "pcounter_N"
 * @cpu: all events are counted on this CPU, -1 if none is online
 * @node: in the CPU hotplug state's list
 * @kref: one for the provider, one for each open event
 * @depth: nesting of "PMU disabled" and transactions; changes are applied at 0
 * @reading: a read transaction is on: all reads are of one moment
 * @starting: events that begin to count at the next commit
 * @events: all open events
 * @stop_wait: for who closes an event that @fault_work is stopping
 * @fault_work: stops the events of domains that have stopped
 * @release_work: unregisters and frees, when the last reference is gone
 * @timer: takes in counts before counters run full, or periods as they end
 * @polled: when all domains were looked at last
 * @debugfs: this PMU's folder
 * @events_dir: the files in events/
 * @event_attrs: the same as a list
 * @events_group: the same as a group
 * @attr_groups: all groups of sysfs files
 */
struct pcounter_pmu {
	struct pmu pmu;
	struct pcounter_gpu gpu;
	struct device *parent;
	int number;
	char name[24];
	int cpu;
	struct hlist_node node;
	struct kref kref;
	unsigned int depth;
	bool reading;
	struct list_head starting;
	struct list_head events;
	wait_queue_head_t stop_wait;
	struct work_struct fault_work;
	struct work_struct release_work;
	struct hrtimer timer;
	ktime_t polled;
	struct dentry *debugfs;
	struct pcounter_named_event *events_dir;
	struct attribute **event_attrs;
	struct attribute_group events_group;
	const struct attribute_group *attr_groups[5];
};

/**
 * struct pcounter_event - our part of a perf event
 * @event: perf's part
 * @node: in pcounter_pmu.events
 * @starting: in pcounter_pmu.starting while it waits for the commit
 * @raw: what it asks for itself
 * @req: and as a member of its group
 * @user: which user of the domain counts it
 * @serial: that user's serial
 * @prev: the user's total up to which @event has been credited
 * @left: moment at which it was last deleted
 * @added: it has been on the PMU at least once
 * @stopping: the fault work is at it, it must not go away
 * @stopped: the fault work is done with it
 */
struct pcounter_event {
	struct perf_event *event;
	struct list_head node;
	struct list_head starting;
	struct pcounter_request raw;
	struct pcounter_request req;
	unsigned int user;
	u32 serial;
	u64 prev;
	u32 left;
	bool added;
	bool stopping;
	bool stopped;
};

static inline struct pcounter_event *to_pcounter_event(struct perf_event *event)
{
	return event->pmu_private;
}

static inline struct pcounter_pmu *to_pcounter_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct pcounter_pmu, pmu);
}

struct pcounter_pmu *pcounter_pmu_create(struct device *parent,
					 struct module *owner,
					 u32 chipset, struct pcounter_io *io);
void pcounter_pmu_remove(struct pcounter_pmu *ppmu);

int pcounter_pmu_module_init(void);
void pcounter_pmu_module_exit(void);

int pcounter_event_init(struct perf_event *event);
void pcounter_event_settle(struct pcounter_event *pe);
void pcounter_pmu_put(struct pcounter_pmu *ppmu);

void pcounter_sysfs_init(void);
int pcounter_sysfs_build(struct pcounter_pmu *ppmu);
void pcounter_sysfs_free(struct pcounter_pmu *ppmu);

void pcounter_debugfs_init(void);
void pcounter_debugfs_exit(void);
void pcounter_debugfs_add(struct pcounter_pmu *ppmu);
void pcounter_debugfs_remove(struct pcounter_pmu *ppmu);

#endif
