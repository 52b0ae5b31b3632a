/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMU of a GPU's domains, "pcounter_N".
 */
#ifndef _PCOUNTER_PERF_DOMAINS_H
#define _PCOUNTER_PERF_DOMAINS_H

struct device;
struct module;
struct pcounter_pmu;

struct pcounter_pmu *pcounter_pmu_alloc(struct device *parent, struct module *owner);
void pcounter_pmu_free(struct pcounter_pmu *ppmu);

#endif
