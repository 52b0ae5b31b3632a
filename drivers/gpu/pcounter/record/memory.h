/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of record mode, as CPU and GPU address it. */
#ifndef _PCOUNTER_RECORD_MEMORY_H
#define _PCOUNTER_RECORD_MEMORY_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "record/record.h"

/* All addresses of pages are bus addresses of 40 bits (9). */
#define PCOUNTER_VM_ADDRESS	GENMASK_ULL(39, 12)
/* The same in a descriptor and in entries of tables (2, 5, 6). */
#define PCOUNTER_TARGET_SNOOPED	2

static inline void pcounter_put32(struct pcounter_dma_mem *mem, u32 offset, u32 val)
{
	WRITE_ONCE(*(__le32 *)(mem->cpu + offset), cpu_to_le32(val));
}

static inline void pcounter_put64(struct pcounter_dma_mem *mem, u32 offset, u64 val)
{
	WRITE_ONCE(*(__le64 *)(mem->cpu + offset), cpu_to_le64(val));
}

/* ---- memory.c: memory, page tables and the TLB; record->mutex held ---- */

int pcounter_memory_alloc(struct device *dev, struct pcounter_dma_mem *mem, size_t size);
void pcounter_memory_free(struct device *dev, struct pcounter_dma_mem *mem);

void pcounter_vm_place(const struct pcounter_domain *d, struct pcounter_ring *ring);
int pcounter_vm_map(struct pcounter_record *r, struct pcounter_ring *ring);
void pcounter_vm_unmap(struct pcounter_record *r, struct pcounter_ring *ring);
bool pcounter_vm_flush(struct pcounter_gpu *gpu);
bool pcounter_vm_forget(struct pcounter_gpu *gpu);

/* ---- channel.c ---- */

int pcounter_channel_bind(struct pcounter_gpu *gpu);

#endif
