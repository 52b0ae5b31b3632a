/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting and recording through perf's system call, and the right to do so.
 */
#ifndef _PCOUNTER_TOOL_COUNT_H
#define _PCOUNTER_TOOL_COUNT_H

#include <linux/perf_event.h>

#include "gpu/pmu.h"

#define RECORD_PAGES	16	/* of the area for perf's records */

/**
 * struct reading - the kernel's answer to a read of a group
 * @n: number of events
 * @enabled: ns for which the group was enabled
 * @running: ns for which the group counted
 * @value: the counts of the events
 */
struct reading {
	uint64_t n;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[];
};

/**
 * struct count - a group of open events
 * @n: number of events
 * @fd: their descriptors; the first is the leader's
 * @now: the last reading
 * @before: the reading before that
 * @refused: number of the event that the kernel refused
 * @page: record mode: area for perf's records, NULL if it is not mapped
 * @aux: record mode: area into which the GPU writes packets, NULL if it is not mapped
 * @size: size of @aux in bytes
 */
struct count {
	unsigned int n;
	int *fd;
	struct reading *now;
	struct reading *before;
	unsigned int refused;
	struct perf_event_mmap_page *page;
	char *aux;
	size_t size;
};

int count_open(struct count *count, const struct event *event, unsigned int n);
int record_map(struct count *count, size_t pages);
void count_enable(const struct count *count, bool on);
bool count_read(struct count *count);
void count_close(struct count *count);
int own_open(void);
uint64_t perf_clock(void);
const char *count_explain(int err, bool record);
int measure_clocks(const struct pmu *pmu, unsigned int ms, double *hz);
bool clock_event(const struct pmu *pmu, int dom, struct event *event);
void wire_event(const struct pmu *pmu, unsigned int dom, const char *rest,
		struct event *event);

bool may_count(bool record);
const char *rights_text(bool record);
const char *rights_help(void);
const char *rights_help_perf(void);

#endif
