/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One GPU and its PMUs.
 */
#ifndef _PCOUNTER_DEVICE_H
#define _PCOUNTER_DEVICE_H

#include <linux/types.h>

struct device;
struct module;
struct pcounter_io;
struct pcounter_pmu;

struct pcounter_pmu *pcounter_device_create(struct device *parent,
					    struct module *owner,
					    u32 chipset, struct pcounter_io *io);
void pcounter_device_suspend(struct pcounter_pmu *ppmu);
void pcounter_device_resume(struct pcounter_pmu *ppmu);
void pcounter_device_remove(struct pcounter_pmu *ppmu, bool restore);

#endif
