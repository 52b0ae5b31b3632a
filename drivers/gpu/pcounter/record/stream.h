/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record mode as one of the ways in which a domain counts.
 */
#ifndef _PCOUNTER_RECORD_STREAM_H
#define _PCOUNTER_RECORD_STREAM_H

struct pcounter_gpu;

int pcounter_record_setup(struct pcounter_gpu *gpu);
void pcounter_record_release(struct pcounter_gpu *gpu);
void pcounter_record_look(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_stop(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_stream_extend(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_stream_fault_all(struct pcounter_gpu *gpu);

#endif
