/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opening and closing events.
 */
#ifndef _PCOUNTER_PERF_EVENT_H
#define _PCOUNTER_PERF_EVENT_H

struct perf_event;

int pcounter_event_init(struct perf_event *event);

#endif
