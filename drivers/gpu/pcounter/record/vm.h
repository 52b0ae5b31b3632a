/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address space through which record mode writes: one channel for all
 * domains, made of nothing but system memory, and rings of pages in it.
 */
#ifndef _PCOUNTER_RECORD_VM_H
#define _PCOUNTER_RECORD_VM_H

#include <linux/types.h>

struct device;
struct pcounter_gpu;

#define PCOUNTER_VM_PAGE	4096
/* of 4 GiB, where addresses have 40 bits: one for each domain, and as many for readers */
#define PCOUNTER_VM_WINDOWS	8
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
 * @chan: channel structure: page directory and DMA object
 * @directory: offset of the page directory in @chan
 */
struct pcounter_vm {
	struct pcounter_dma_mem chan;
	u32 directory;
};

/**
 * struct pcounter_ring - pages that the GPU writes packets to, and their addresses
 * @dev: device that does the DMA
 * @mem: memory of the pages, if it is the driver's
 * @table: page table, if the ring has one of its own
 * @page: CPU addresses
 * @dma: bus addresses
 * @nr_pages: number of pages, a power of 2; 0 once the pages are returned
 * @high: bits 32 to 39 of the GPU's addresses
 * @base: bits 0 to 31 of the first address
 * @size: size of the address range, in which the pages repeat
 * @reader: the pages are a reader's, and packets stay in them
 * @sync: the pages have to be synced for the device or the CPU
 * @overwrite: the GPU may overwrite packets that the reader has not read
 * @clean: all slots are empty, and the GPU has not written to the ring yet
 */
struct pcounter_ring {
	struct device *dev;
	struct pcounter_dma_mem mem;
	struct pcounter_dma_mem table;
	void **page;
	dma_addr_t *dma;
	unsigned int nr_pages;
	u32 high;
	u32 base;
	u64 size;
	bool reader;
	bool sync;
	bool overwrite;
	bool clean;
};

int pcounter_vm_init(struct pcounter_gpu *gpu, u32 pd_offset);
void pcounter_vm_free(struct pcounter_gpu *gpu);
u32 pcounter_vm_descriptor(const struct pcounter_vm *vm);
u32 pcounter_vm_selector(const struct pcounter_vm *vm);

struct pcounter_ring *pcounter_ring_alloc(struct pcounter_gpu *gpu, unsigned int dom,
					  void **pages, unsigned int nr_pages);
int pcounter_ring_map(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_ring *ring,
		      bool whole);
void pcounter_ring_unmap(struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring);
void pcounter_ring_put_pages(struct pcounter_ring *ring, bool forgotten);
void pcounter_ring_free(struct pcounter_ring *ring);

#endif
