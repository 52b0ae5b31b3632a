/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings and their addresses.
 */
#ifndef _PCOUNTER_RECORD_RING_H
#define _PCOUNTER_RECORD_RING_H

#include "record/record.h"

struct pcounter_ring *pcounter_ring_alloc(struct pcounter_gpu *gpu, unsigned int dom,
					  void **pages, unsigned int nr_pages);
int pcounter_ring_map(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring,
		      bool whole);
void pcounter_ring_unmap(struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring);
void pcounter_ring_put_pages(struct pcounter_ring *ring, bool forgotten);
void pcounter_ring_free(struct pcounter_ring *ring);

#endif
