/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the log says of events that do not count.
 */
#ifndef _PCOUNTER_PERF_REPORT_H
#define _PCOUNTER_PERF_REPORT_H

struct pcounter_base;

void pcounter_pmu_report(struct pcounter_base *base);

#endif
