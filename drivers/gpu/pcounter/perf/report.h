/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log messages for events that do not count.
 */
#ifndef _PCOUNTER_PERF_REPORT_H
#define _PCOUNTER_PERF_REPORT_H

struct pcounter_base;

void pcounter_pmu_report(struct pcounter_base *base);

#endif
