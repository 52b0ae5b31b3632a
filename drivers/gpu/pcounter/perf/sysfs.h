/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sysfs files of a PMU.
 */
#ifndef _PCOUNTER_PERF_SYSFS_H
#define _PCOUNTER_PERF_SYSFS_H

#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

struct pcounter_pmu;

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

bool pcounter_sysfs_file(struct perf_pmu_events_attr *file, const char *name, const char *text);
void pcounter_sysfs_init(void);
int pcounter_sysfs_build(struct pcounter_pmu *ppmu);
void pcounter_sysfs_free(struct pcounter_pmu *ppmu);

#endif
