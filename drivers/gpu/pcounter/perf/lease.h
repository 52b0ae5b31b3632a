/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the registers of a GPU may be touched by perf's callbacks.
 */
#ifndef _PCOUNTER_PERF_LEASE_H
#define _PCOUNTER_PERF_LEASE_H

#include <linux/srcu.h>

struct pcounter_pmu;

/*
 * Held in process context that gets and puts references: a GPU that is not gone
 * in such a section stays reachable until its end.
 */
extern struct srcu_struct pcounter_lease_srcu;

void pcounter_lease_init(struct pcounter_pmu *ppmu);
void pcounter_lease_open(struct pcounter_pmu *ppmu);
void pcounter_lease_close(struct pcounter_pmu *ppmu);
void pcounter_lease_try(struct pcounter_pmu *ppmu);
void pcounter_lease_end(struct pcounter_pmu *ppmu);

#endif
