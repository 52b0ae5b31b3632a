/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From packets to perf: all domains that sample.
 */
#ifndef _PCOUNTER_PERF_DRAIN_H
#define _PCOUNTER_PERF_DRAIN_H

#include "perf/base.h"

void pcounter_sample_drain(struct pcounter_base *base, enum pcounter_drain why);

#endif
