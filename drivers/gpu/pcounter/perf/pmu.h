/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's callbacks, the same for all PMUs of a GPU.
 */
#ifndef _PCOUNTER_PERF_PMU_H
#define _PCOUNTER_PERF_PMU_H

struct device;
struct module;
struct pcounter_backend;
struct pcounter_base;
struct pcounter_base_event;
struct pcounter_pmu;

void pcounter_pmu_setup(struct pcounter_base *base, const struct pcounter_backend *ops,
			struct pcounter_pmu *ppmu, struct device *parent, struct module *owner);
void pcounter_pmu_settle(struct pcounter_base_event *be);
void pcounter_pmu_settle_all(struct pcounter_base *base);

#endif
