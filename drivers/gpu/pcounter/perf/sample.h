/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From packets to perf samples.
 */
#ifndef _PCOUNTER_PERF_SAMPLE_H
#define _PCOUNTER_PERF_SAMPLE_H

#include "perf/base.h"

struct pcounter_event;

int pcounter_sample_init(struct pcounter_event *pe);
void pcounter_sample_add(struct pcounter_event *pe);
void pcounter_sample_del(struct pcounter_event *pe);
void pcounter_sample_drain(struct pcounter_base *base, enum pcounter_drain why);

#endif
