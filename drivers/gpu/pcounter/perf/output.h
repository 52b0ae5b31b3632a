/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From packets to perf samples: one event.
 */
#ifndef _PCOUNTER_PERF_OUTPUT_H
#define _PCOUNTER_PERF_OUTPUT_H

#include <linux/types.h>

struct pcounter_batch;
struct pcounter_event;

int pcounter_sample_init(struct pcounter_event *pe);
void pcounter_sample_free(struct pcounter_event *pe);
void pcounter_sample_add(struct pcounter_event *pe);
void pcounter_sample_del(struct pcounter_event *pe);
unsigned int pcounter_sample_room(const struct pcounter_event *pe);
u8 *pcounter_sample_space(struct pcounter_event *pe);
void pcounter_sample_packets(struct pcounter_event *pe, const u8 *copy,
			     const struct pcounter_batch *batch);
void pcounter_sample_deliver(struct pcounter_event *pe);
void pcounter_sample_header(struct pcounter_event *pe, bool sample);

#endif
