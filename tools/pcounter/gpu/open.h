/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opening of events and mapping of their areas, through perf's system call.
 */
#ifndef _PCOUNTER_TOOL_OPEN_H
#define _PCOUNTER_TOOL_OPEN_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/types.h"

int perf_open(struct perf_event_attr *attr, int pid, int cpu, int leader);
int event_open(const struct event *event, int leader, struct perf_event_attr attr);
struct perf_event_mmap_page *data_map(int fd, unsigned int pages);
void *area_map(int fd, struct perf_event_mmap_page *page, size_t size);
uint64_t perf_clock(void);

#endif
