/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sysfs files of a PMU of idle counters.
 */
#ifndef _PCOUNTER_IDLE_SYSFS_H
#define _PCOUNTER_IDLE_SYSFS_H

struct pcounter_idle_pmu;

int pcounter_idle_sysfs_build(struct pcounter_idle_pmu *ipmu);
void pcounter_idle_sysfs_free(struct pcounter_idle_pmu *ipmu);

#endif
