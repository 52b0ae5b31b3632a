/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sysfs files of a PMU.
 */
#ifndef _PCOUNTER_PERF_SYSFS_H
#define _PCOUNTER_PERF_SYSFS_H

struct pcounter_pmu;

void pcounter_sysfs_init(void);
int pcounter_sysfs_build(struct pcounter_pmu *ppmu);
void pcounter_sysfs_free(struct pcounter_pmu *ppmu);

#endif
