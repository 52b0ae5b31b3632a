/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf PMU of one GPU.
 */
#ifndef _PCOUNTER_PERF_PMU_H
#define _PCOUNTER_PERF_PMU_H

#include "count/gpu.h"
#include "record/record.h"
#include "perf/core.h"
#include "perf/lease.h"

struct dentry;
struct dev_ext_attribute;
struct pcounter_idle_pmu;
struct pcounter_aux;
struct pcounter_sample;
struct pcounter_named_event;

/**
 * struct pcounter_pmu - a GPU as perf sees it
 * @base: what all PMUs have; its lock is that of @gpu
 * @gpu: the engine; gpu.lock also protects @starting, @depth and @reading
 * @number: the N of "pcounter_N"
 * @depth: nesting of "PMU disabled" and transactions; changes are applied at 0
 * @reading: a read transaction is on: all reads are of one moment
 * @stale: a read in it could not have the lock, so no other reads the GPU
 * @starting: events that begin to count at the next commit
 * @leaving: events that have stopped since the last commit and may yet come back
 * @active: domains count, and the timer is wanted
 * @interval: after how many ns at most
 * @added: events on the PMU ...
 * @added_cpu: ... all of which are on this CPU
 * @sampling: those that sample; changed and read on that CPU only
 * @delivering: samples are being made; likewise
 * @submitting: perf has got one of them, and may ask for the counts of its group
 * @polled: when all domains were looked at last
 * @lease: keeps the GPU awake while its owner uses it
 * @idle: the PMU of its idle counters, NULL if it has none
 * @debugfs: this PMU's folder
 * @events_dir: the files in events/ that are cycles
 * @signals: a file in events/ for each named signal
 * @event_attrs: the files in events/ as a list
 * @events_group: the same as a group
 * @attr_groups: all groups of sysfs files
 */
struct pcounter_pmu {
	struct pcounter_base base;
	struct pcounter_gpu gpu;
	int number;
	unsigned int depth;
	bool reading;
	bool stale;
	struct list_head starting;
	struct list_head leaving;
	bool active;
	u64 interval;
	unsigned int added;
	unsigned int added_cpu;
	struct list_head sampling;
	bool delivering;
	bool submitting;
	ktime_t polled;
	struct pcounter_lease lease;
	struct pcounter_idle_pmu *idle;
	struct dentry *debugfs;
	struct pcounter_named_event *events_dir;
	struct dev_ext_attribute *signals;
	struct attribute **event_attrs;
	struct attribute_group events_group;
	const struct attribute_group *attr_groups[5];
};

/**
 * struct pcounter_event - our part of a perf event
 * @base: what all PMUs' events have
 * @starting: in pcounter_pmu.starting while it waits for the commit
 * @raw: what it asks for itself
 * @req: and as a member of its group
 * @user: which user of the domain counts it
 * @serial: that user's serial
 * @prev: the user's total up to which the event has been credited
 * @leaving: in pcounter_pmu.leaving until the moment in which it stopped is over
 * @added: it is on the PMU
 * @sampling: in pcounter_pmu.sampling
 * @head: list of this event alone, for perf
 * @sample: what it is going to say; NULL if it does not sample
 * @aux: its AUX area, NULL if it has none; changes under the GPU's lock, and is
 *	looked at with that or with interrupts off
 * @pending: what it has counted and perf does not know yet
 * @slot: its counter in the packets of @sample
 */
struct pcounter_event {
	struct pcounter_base_event base;
	struct list_head starting;
	struct pcounter_request raw;
	struct pcounter_request req;
	unsigned int user;
	u32 serial;
	u64 prev;
	struct list_head leaving;
	bool added;
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

struct pcounter_pmu *pcounter_pmu_create(struct device *parent,
					 struct module *owner,
					 u32 chipset, struct pcounter_io *io);
void pcounter_pmu_suspend(struct pcounter_pmu *ppmu);
void pcounter_pmu_resume(struct pcounter_pmu *ppmu);
void pcounter_pmu_remove(struct pcounter_pmu *ppmu);

int pcounter_pmu_module_init(void);
void pcounter_pmu_module_exit(void);

void pcounter_pmu_setup(struct pcounter_pmu *ppmu, struct device *parent,
			struct module *owner);
void pcounter_pmu_check_faults(struct pcounter_pmu *ppmu);
void pcounter_pmu_report(struct pcounter_base *base);
void pcounter_pmu_free(struct pcounter_base *base);

int pcounter_event_init(struct perf_event *event);
void pcounter_event_settle(struct pcounter_event *pe);

int pcounter_sample_init(struct pcounter_event *pe);
void pcounter_sample_free(struct pcounter_event *pe);
void pcounter_sample_add(struct pcounter_pmu *ppmu, struct pcounter_event *pe);
void pcounter_sample_del(struct pcounter_pmu *ppmu, struct pcounter_event *pe);
void pcounter_sample_drain(struct pcounter_pmu *ppmu, bool look, bool force);
void pcounter_sample_header(struct pcounter_pmu *ppmu, struct pcounter_event *pe,
			    bool sample);

void *pcounter_aux_setup(struct perf_event *event, void **pages, int nr_pages,
			 bool overwrite);
void pcounter_aux_free(void *data);
void pcounter_aux_forget(struct pcounter_event *pe);
void pcounter_aux_start(struct pcounter_pmu *ppmu, struct pcounter_event *pe);
void pcounter_aux_stop(struct pcounter_pmu *ppmu, struct pcounter_event *pe);
bool pcounter_aux_is_full(const struct pcounter_event *pe);
bool pcounter_aux_publish(struct pcounter_pmu *ppmu, struct pcounter_event *pe);

void pcounter_sysfs_init(void);
int pcounter_sysfs_build(struct pcounter_pmu *ppmu);
void pcounter_sysfs_free(struct pcounter_pmu *ppmu);

void pcounter_debugfs_init(void);
void pcounter_debugfs_exit(void);
void pcounter_debugfs_add(struct pcounter_pmu *ppmu);
void pcounter_debugfs_remove(struct pcounter_pmu *ppmu);

#endif
