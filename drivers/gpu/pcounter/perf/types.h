/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A GPU and its events as perf sees them: structures of this folder.
 */
#ifndef _PCOUNTER_PERF_TYPES_H
#define _PCOUNTER_PERF_TYPES_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "count/gpu.h"
#include "perf/core.h"
#include "record/record.h"

struct dentry;
struct dev_ext_attribute;
struct pcounter_aux;
struct pcounter_sample;
struct pcounter_named_event;

/**
 * struct pcounter_lease - a reference that keeps a GPU awake while its owner
 * uses it
 * @users: open events of both PMUs of the GPU
 * @held: the lease has a reference, and the callbacks may touch registers
 * @tried: time of the last attempt to get it, in jiffies
 * @watch: puts it when the owner does not use the GPU any more
 *
 * The GPU's lock protects @users, @held and @tried.
 */
struct pcounter_lease {
	unsigned int users;
	bool held;
	unsigned long tried;
	struct delayed_work watch;
};

/**
 * struct pcounter_pmu - a GPU as perf sees it
 * @base: what all PMUs have; its lock is that of @gpu
 * @gpu: the engine; gpu.lock also protects @depth and @reading
 * @number: the N of "pcounter_N"
 * @depth: nesting of "PMU disabled" and transactions; changes are applied at 0
 * @reading: in a read transaction: all reads are of one snapshot
 * @stale: a read in it did not get the lock, so the others read no register
 * @active: domains count, and the timer is wanted
 * @interval: of @timer, in ns
 * @added: events on the PMU ...
 * @added_cpu: ... and the CPU of all of them
 * @late: those that began while packets were made
 * @sampling: those that sample; changed and read on that CPU only
 * @delivering: samples are being made; likewise
 * @polled: time of the last poll of all domains
 * @lease: keeps the GPU awake while its owner uses it
 * @beside: another PMU of this GPU, that of its idle counters; NULL if it has
 *	none
 * @debugfs: this PMU's folder
 * @lab: files of the laboratory in it, NULL if there are none
 * @lab_node: in the list of GPUs that the laboratory may use
 * @events_dir: the files in events/ that are cycles
 * @names: a file in events/ for each named signal and public event
 * @event_attrs: the files in events/ as a list
 * @events_group: the same as a group
 * @confidence_attrs: the files in confidence/ as a list
 * @confidence_group: the same as a group
 * @attr_groups: all groups of sysfs files
 */
struct pcounter_pmu {
	struct pcounter_base base;
	struct pcounter_gpu gpu;
	int number;
	unsigned int depth;
	bool reading;
	bool stale;
	bool active;
	u64 interval;
	unsigned int added;
	unsigned int added_cpu;
	struct list_head late;
	struct list_head sampling;
	bool delivering;
	ktime_t polled;
	struct pcounter_lease lease;
	struct pcounter_base *beside;
	struct dentry *debugfs;
	struct dentry *lab;
	struct list_head lab_node;
	struct pcounter_named_event *events_dir;
	struct dev_ext_attribute *names;
	struct attribute **event_attrs;
	struct attribute_group events_group;
	struct attribute **confidence_attrs;
	struct attribute_group confidence_group;
	const struct attribute_group *attr_groups[6];
};

/**
 * struct pcounter_event - our part of a perf event
 * @base: what all PMUs' events have
 * @raw: its own request
 * @req: the same as a member of its group ...
 * @group: ... the leader of which has this id; 0 before it was added
 * @user: the domain's user that counts it
 * @serial: that user's serial
 * @prev: the user's total up to which the event has been credited
 * @epoch: snapshot (struct pcounter_gpu.epoch) of which it was read last
 * @late: in pcounter_pmu.late while it counts with the newest of its domain
 * @added: it is on the PMU
 * @measured: its user has counted a whole period or packet
 * @told: its times were read while perf believed that it counts
 * @sampling: in pcounter_pmu.sampling
 * @head: list of this event alone, for perf
 * @sample: its next sample; NULL if it does not sample
 * @aux: its AUX area, NULL if it has none; changes under the GPU's lock, and is
 *	read with that or with interrupts off
 * @pending: count that perf has not been given yet
 * @slot: its counter in the packets of @sample
 */
struct pcounter_event {
	struct pcounter_base_event base;
	struct pcounter_request raw;
	struct pcounter_request req;
	u64 group;
	unsigned int user;
	u32 serial;
	u64 prev;
	u32 epoch;
	struct list_head late;
	bool added;
	bool measured;
	bool told;
	struct list_head sampling;
	struct hlist_head head;
	struct pcounter_sample *sample;
	struct pcounter_aux __rcu *aux;
	u64 pending;
	s8 slot;
};

static inline struct pcounter_event *to_pcounter_event(struct perf_event *event)
{
	struct pcounter_base_event *be = event->pmu_private;

	return container_of(be, struct pcounter_event, base);
}

static inline struct pcounter_pmu *to_pcounter_pmu(struct pmu *pmu)
{
	return container_of(to_pcounter_base(pmu), struct pcounter_pmu, base);
}

#endif
