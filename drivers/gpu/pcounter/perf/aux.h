/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's AUX area, to which the GPU writes packets.
 */
#ifndef _PCOUNTER_PERF_AUX_H
#define _PCOUNTER_PERF_AUX_H

#include <linux/types.h>

struct pcounter_event;
struct perf_event;

void *pcounter_aux_setup(struct perf_event *event, void **pages, int nr_pages,
			 bool overwrite);
void pcounter_aux_free(void *data);
void pcounter_aux_forget(struct pcounter_event *pe);
void pcounter_aux_start(struct pcounter_event *pe);
void pcounter_aux_stop(struct pcounter_event *pe);
bool pcounter_aux_read(struct pcounter_event *pe);
void pcounter_aux_publish(struct pcounter_event *pe);

#endif
