/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A GPU as perf sees it: its PMUs, and the lease that permits register access.
 */
#ifndef _PCOUNTER_PERF_TYPES_H
#define _PCOUNTER_PERF_TYPES_H

#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/srcu.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "count/gpu.h"
#include "perf/base.h"
#include "record/record.h"

struct dentry;
struct module;
struct pcounter_aux;
struct pcounter_sample;

/**
 * struct pcounter_lease - a reference that keeps a GPU awake while its owner
 * uses it
 * @ref: the lease has a reference, and the callbacks may touch registers
 * @tried: time of the last attempt to get it, in jiffies
 * @watch: puts it when the owner does not use the GPU any more
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
 * @base: the PMU of its domains
 * @idle: the PMU of its idle counters, ready if the GPU has any. It has a reference to
 *	@base, so that the number stays in use
 * @gpu: the engine
 * @number: the N of "pcounter_N"
 * @delivering: samples are being made; changed and read on the events' CPU only
 * @polled: time of the last poll of all domains
 * @lease: keeps the GPU awake while its owner uses it
 * @debugfs: this PMU's folder
 * @lab: files of the laboratory in it, NULL if there are none
 * @lent_node: in the list of GPUs that the laboratory may use
 */
struct pcounter_pmu {
	struct pcounter_base base;
	struct pcounter_base idle;
	struct pcounter_gpu gpu;
	int number;
	bool delivering;
	ktime_t polled;
	struct pcounter_lease lease;
	struct dentry *debugfs;
	struct dentry *lab;
	struct list_head lent_node;
};

/**
 * struct pcounter_event - an event of a domain
 * @base: the part that all PMUs' events have
 * @raw: its own request
 * @req: the same as a member of its group ...
 * @group: ... the leader of which has this id; 0 before it was added
 * @client: the entry of its request in the domain
 * @prev: the total of that entry up to which the event has been credited
 * @late: @prev is unknown until its client's first packet has been read
 * @measured: its client has counted a whole period or packet
 * @sampling: in pcounter_base.sampling
 * @head: list of this event alone, for perf
 * @sample: its next sample; NULL if it does not sample
 * @aux: its AUX area, NULL if it has none; changes under the GPU's lock, and is
 *	read with that or with interrupts off
 * @pending: count that has not been given to perf yet
 * @slot: its counter in the packets of @sample
 */
struct pcounter_event {
	struct pcounter_base_event base;
	struct pcounter_request raw;
	struct pcounter_request req;
	u64 group;
	unsigned int client;
	u64 prev;
	bool late;
	bool measured;
	struct list_head sampling;
	struct hlist_head head;
	struct pcounter_sample *sample;
	struct pcounter_aux __rcu *aux;
	u64 pending;
	s8 slot;
};

static inline struct pcounter_event *base_to_pe(struct pcounter_base_event *be)
{
	return container_of(be, struct pcounter_event, base);
}

static inline struct pcounter_event *to_pcounter_event(struct perf_event *event)
{
	return base_to_pe(event->pmu_private);
}

/* Return the GPU of one of its PMUs. */
static inline struct pcounter_pmu *to_pcounter_pmu(struct pmu *pmu)
{
	return to_pcounter_base(pmu)->ppmu;
}

static inline struct pcounter_gpu *pcounter_gpu_of(const struct pcounter_base_event *be)
{
	return &pcounter_base_of(be)->ppmu->gpu;
}

static inline struct pcounter_client *pcounter_client_of(const struct pcounter_event *pe)
{
	return &pcounter_gpu_of(&pe->base)->dom[pe->raw.dom].client[pe->client];
}

/* Update all counts of a GPU's PMUs; the lock is held. */
static inline void pcounter_pmu_update(struct pcounter_pmu *ppmu)
{
	pcounter_gpu_poll(&ppmu->gpu);
	if (ppmu->idle.ready)
		ppmu->idle.ops->poll(&ppmu->idle);
}

struct pcounter_pmu *pcounter_pmu_alloc(struct device *parent, struct module *owner);
void pcounter_idle_create(struct pcounter_pmu *ppmu);

/* from packets to perf samples */
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

bool pcounter_folder_alloc(struct pcounter_folder *folder, const char *name, unsigned int room);
__printf(3, 4)
bool pcounter_folder_add(struct pcounter_folder *folder, const char *name, const char *format, ...);
int pcounter_sysfs_build(struct pcounter_pmu *ppmu);
void pcounter_sysfs_free(struct pcounter_base *base);

extern struct srcu_struct pcounter_lease_srcu;

void pcounter_lease_init(struct pcounter_pmu *ppmu);
bool pcounter_lease_get(struct pcounter_pmu *ppmu);
void pcounter_lease_close(struct pcounter_pmu *ppmu);
void pcounter_lease_try(struct pcounter_pmu *ppmu);
void pcounter_lease_end(struct pcounter_pmu *ppmu);

/* Return true if the GPU of a PMU has left, so that no register may be touched. */
static inline bool pcounter_base_is_gone(const struct pcounter_base *base)
{
	return READ_ONCE(base->ppmu->gpu.gone);
}

#endif
