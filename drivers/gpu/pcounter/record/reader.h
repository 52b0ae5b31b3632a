/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers: a domain writes packets into pages that user space has mapped.
 */
#ifndef _PCOUNTER_RECORD_READER_H
#define _PCOUNTER_RECORD_READER_H

#include "record/record.h"

#define PCOUNTER_READER_PAGES_MIN	16
/* A reader with less room than this is not started. */
#define PCOUNTER_READER_ROOM_MIN	(2 * PCOUNTER_VM_PAGE)

int pcounter_reader_add(struct pcounter_gpu *gpu, unsigned int dom, void **pages,
			unsigned int nr_pages, bool overwrite, struct pcounter_ring **ring);
void pcounter_reader_del(struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring);
bool pcounter_reader_start(struct pcounter_gpu *gpu, unsigned int dom,
			   struct pcounter_ring *ring, u64 head, u64 room);
void pcounter_reader_stop(struct pcounter_gpu *gpu, unsigned int dom);
bool pcounter_reader_runs(const struct pcounter_gpu *gpu, unsigned int dom);
u32 pcounter_reader_give(struct pcounter_gpu *gpu, unsigned int dom, bool *full);

#endif
