/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the registers of a GPU may be touched by perf's callbacks.
 */
#ifndef _PCOUNTER_PERF_LEASE_H
#define _PCOUNTER_PERF_LEASE_H

#include <linux/srcu.h>
#include <linux/workqueue.h>

struct pcounter_pmu;

/**
 * struct pcounter_lease - a reference that keeps a GPU awake while its owner uses it
 * @users: open events of both PMUs of the GPU
 * @held: the reference is ours, the callbacks may touch registers
 * @tried: when it was last asked for, in jiffies
 * @watch: gives it back when the owner does not use the GPU any more
 *
 * The GPU's lock protects @users, @held and @tried.
 */
struct pcounter_lease {
	unsigned int users;
	bool held;
	unsigned long tried;
	struct delayed_work watch;
};

/*
 * Held in process context that takes and puts references: a GPU that is not gone in
 * such a section stays reachable until its end.
 */
extern struct srcu_struct pcounter_lease_srcu;

void pcounter_lease_init(struct pcounter_pmu *ppmu);
void pcounter_lease_open(struct pcounter_pmu *ppmu);
void pcounter_lease_close(struct pcounter_pmu *ppmu);
void pcounter_lease_try(struct pcounter_pmu *ppmu);
void pcounter_lease_end(struct pcounter_pmu *ppmu);

#endif
