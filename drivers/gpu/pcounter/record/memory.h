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
/* Addresses of a ring in which its pages repeat: as many as a position has bits. */
#define PCOUNTER_VM_WINDOW	BIT_ULL(32)
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
int pcounter_vm_map(struct pcounter_gpu *gpu, struct pcounter_ring *ring);
void pcounter_vm_unmap(struct pcounter_gpu *gpu, struct pcounter_ring *ring);
bool pcounter_vm_flush(struct pcounter_gpu *gpu);
bool pcounter_vm_forget(struct pcounter_gpu *gpu);

/* ---- channel.c ---- */

u32 pcounter_channel_descriptor(const struct pcounter_record *r);
int pcounter_channel_bind(struct pcounter_gpu *gpu);

/* ---- how a generation does it; record->mutex held ---- */

/**
 * struct pcounter_vm_format - how entries of page tables have an address of memory
 * @pde: the other bits of an entry of the page directory
 * @pde_up: bits that the address of a page table is shifted to the left in it
 * @pte: the other bits of an entry of a page table
 * @pte_down: bits that the address of a page is shifted to the right in it
 */
struct pcounter_vm_format {
	u64 pde;
	unsigned int pde_up;
	u64 pte;
	unsigned int pte_down;
};

/**
 * struct pcounter_channel_ops - address space and channel of record mode
 * @format: entries of page tables
 * @claim: before the first stream: return -EBUSY if somebody else records
 * @restore: after the last one: restore what @claim found
 * @make: make the channel structure, in which nothing is mapped
 * @bind: let PCOUNTER know the channel; gpu->lock held, GPU awake
 * @unbind: undo @bind
 * @wait: wait for the last packet of a domain that was stopped; return RECORD_STATUS, 0
 *	if there is none
 * @place: choose the GPU's addresses of a ring
 * @unmap: take a ring out of the address space; until the next flush all memory must stay
 * @flush: let PCOUNTER forget all translations; return true if it certainly has
 */
struct pcounter_channel_ops {
	struct pcounter_vm_format format;
	int (*claim)(struct pcounter_gpu *gpu);
	void (*restore)(struct pcounter_gpu *gpu);
	int (*make)(struct pcounter_gpu *gpu);
	void (*bind)(struct pcounter_gpu *gpu);
	void (*unbind)(struct pcounter_gpu *gpu);
	u32 (*wait)(struct pcounter_domain *d);
	void (*place)(const struct pcounter_domain *d, struct pcounter_ring *ring);
	void (*unmap)(struct pcounter_gpu *gpu, struct pcounter_ring *ring);
	bool (*flush)(struct pcounter_gpu *gpu);
};

/* ---- gf100_vm.c; gpu->lock held, GPU awake ---- */

void pcounter_gf100_bind(struct pcounter_gpu *gpu, struct pcounter_ring *ring, u32 offset);

extern const struct pcounter_channel_ops pcounter_channel_g84;
extern const struct pcounter_channel_ops pcounter_channel_gf100;

#endif
