/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address space through which record mode writes: one channel for all
 * domains, made of nothing but system memory.
 */
#ifndef _PCOUNTER_RECORD_VM_H
#define _PCOUNTER_RECORD_VM_H

#include <linux/types.h>

struct device;

#define PCOUNTER_VM_PAGE	4096
/* of 4 GiB, where addresses have 40 bits: one for each domain, and as many for readers */
#define PCOUNTER_VM_WINDOWS	8
#define PCOUNTER_VM_TABLES	8	/* a window's entries in the page directory */
#define PCOUNTER_VM_HALF	0x10000	/* pages in half a page table */

/**
 * struct pcounter_dma_mem - memory that CPU and GPU share
 * @cpu: address for the CPU, NULL if there is no memory
 * @dma: address for the GPU
 * @size: bytes
 */
struct pcounter_dma_mem {
	void *cpu;
	dma_addr_t dma;
	size_t size;
};

/**
 * struct pcounter_vm - the address space
 * @dev: the device that does the DMA
 * @chan: channel structure: page directory and DMA object
 * @directory: offset of the page directory in @chan
 */
struct pcounter_vm {
	struct device *dev;
	struct pcounter_dma_mem chan;
	u32 directory;
};

int pcounter_dma_alloc(struct device *dev, struct pcounter_dma_mem *mem, size_t size);
void pcounter_dma_free(struct device *dev, struct pcounter_dma_mem *mem);

int pcounter_vm_init(struct pcounter_vm *vm, struct device *dev, u32 pd_offset);
void pcounter_vm_free(struct pcounter_vm *vm);
u32 pcounter_vm_descriptor(const struct pcounter_vm *vm);
u32 pcounter_vm_selector(const struct pcounter_vm *vm);
int pcounter_vm_map(struct pcounter_vm *vm, struct pcounter_dma_mem *table,
		    unsigned int entry, unsigned int n, const dma_addr_t *pages,
		    unsigned int nr_pages);
void pcounter_vm_unmap(struct pcounter_vm *vm, unsigned int entry, unsigned int n);
int pcounter_vm_map_half(struct pcounter_dma_mem *table, const dma_addr_t *pages,
			 unsigned int nr_pages);
void pcounter_vm_unmap_half(struct pcounter_dma_mem *table);

#endif
