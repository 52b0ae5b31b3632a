/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf PMU of the idle counters of one GPU.
 */
#ifndef _PCOUNTER_IDLE_PMU_H
#define _PCOUNTER_IDLE_PMU_H

#include <linux/types.h>

struct pcounter_pmu;

void pcounter_idle_create(struct pcounter_pmu *ppmu);
void pcounter_idle_remove(struct pcounter_pmu *ppmu, bool restore);

#endif
