/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The request of a domain's event, by itself and as a member of its group.
 */
#ifndef _PCOUNTER_PERF_GROUP_H
#define _PCOUNTER_PERF_GROUP_H

struct pcounter_event;
struct pcounter_pmu;
struct pcounter_request;
struct perf_event;

int pcounter_event_parse(struct pcounter_pmu *ppmu, struct perf_event *event,
			 struct pcounter_request *raw);
void pcounter_event_apply_group(struct pcounter_event *pe);

#endif
