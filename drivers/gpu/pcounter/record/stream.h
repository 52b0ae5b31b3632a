/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record mode as one of the ways in which a domain counts, and packets that go to a
 * reader. The caller holds gpu->lock, but for setup and release.
 */
#ifndef _PCOUNTER_RECORD_STREAM_H
#define _PCOUNTER_RECORD_STREAM_H

#include "record/record.h"

/* A reader with less room than this is not started. */
#define PCOUNTER_READER_ROOM_MIN	(2 * PCOUNTER_VM_PAGE)

int pcounter_record_setup(struct pcounter_gpu *gpu);
void pcounter_record_release(struct pcounter_gpu *gpu);
void pcounter_record_look(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_stop(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_stream_fault_all(struct pcounter_gpu *gpu);

bool pcounter_reader_start(struct pcounter_gpu *gpu, unsigned int dom,
			   struct pcounter_ring *ring, u64 head, u64 room);
void pcounter_reader_stop(struct pcounter_gpu *gpu, unsigned int dom);
bool pcounter_reader_runs(const struct pcounter_gpu *gpu, unsigned int dom);
u32 pcounter_reader_give(struct pcounter_gpu *gpu, unsigned int dom, bool *full);

#endif
