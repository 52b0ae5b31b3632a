/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address space through which record mode writes: one channel for all
 * domains, made of nothing but system memory, and rings of pages in it.
 */
#ifndef _PCOUNTER_RECORD_VM_H
#define _PCOUNTER_RECORD_VM_H

#include "record/record.h"

int pcounter_vm_init(struct pcounter_gpu *gpu, u32 pd_offset);
void pcounter_vm_free(struct pcounter_gpu *gpu);
u32 pcounter_vm_descriptor(const struct pcounter_vm *vm);
u32 pcounter_vm_selector(const struct pcounter_vm *vm);

struct pcounter_ring *pcounter_ring_alloc(struct pcounter_gpu *gpu, unsigned int dom,
					  void **pages, unsigned int nr_pages, bool whole);
void pcounter_ring_unmap(struct pcounter_gpu *gpu, struct pcounter_ring *ring);
void pcounter_ring_put_pages(struct pcounter_ring *ring, bool forgotten);
void pcounter_ring_free(struct pcounter_ring *ring);

#endif
