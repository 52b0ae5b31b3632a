/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sysfs files of a PMU of idle counters.
 */
#ifndef _PCOUNTER_IDLE_SYSFS_H
#define _PCOUNTER_IDLE_SYSFS_H

#include <linux/sysfs.h>

extern const struct attribute_group *pcounter_idle_groups[];

void pcounter_idle_sysfs_init(void);

#endif
