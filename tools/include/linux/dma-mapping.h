/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User-space stand-in for the kernel header of this name: memory whose bus
 * addresses are far from zero and from the CPU's. All of it is in one place,
 * so that a modelled device can find it.
 */
#ifndef _SHIM_LINUX_DMA_MAPPING_H
#define _SHIM_LINUX_DMA_MAPPING_H

#include <stdlib.h>
#include <string.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct device;
struct page;

#define GFP_KERNEL		0
#define __GFP_NOWARN		0
#define SHIM_DMA_BASE		0x1200000000ULL
#define SHIM_DMA_BLOCKS		64

/**
 * struct shim_dma - coherent memory that is allocated
 * @cpu: where the CPU sees it
 * @size: bytes, 0 for none
 */
struct shim_dma {
	void *cpu;
	size_t size;
};

/* One of each in a program, wherever this is included. */
#pragma weak shim_dma
struct shim_dma shim_dma[SHIM_DMA_BLOCKS];
/* the allocation that fails, 0 for none, counted down */
#pragma weak shim_dma_fail
int shim_dma_fail;

/* Each block has 256 MiB of bus addresses of its own. */
static inline dma_addr_t shim_dma_address(unsigned int block)
{
	return SHIM_DMA_BASE + ((dma_addr_t)block << 28);
}

static inline void *dma_alloc_coherent(struct device *dev, size_t size, dma_addr_t *dma,
				       unsigned int gfp)
{
	unsigned int i;

	(void)dev;
	(void)gfp;
	if (shim_dma_fail && !--shim_dma_fail)
		return NULL;
	for (i = 0; i < SHIM_DMA_BLOCKS; i++) {
		if (shim_dma[i].size)
			continue;
		shim_dma[i].cpu = aligned_alloc(4096, size);
		memset(shim_dma[i].cpu, 0, size);
		shim_dma[i].size = size;
		*dma = shim_dma_address(i);
		return shim_dma[i].cpu;
	}
	return NULL;
}

static inline void dma_free_coherent(struct device *dev, size_t size, void *cpu,
				     dma_addr_t dma)
{
	unsigned int block = (dma - SHIM_DMA_BASE) >> 28;

	(void)dev;
	(void)size;
	free(cpu);
	shim_dma[block].size = 0;
}

enum dma_data_direction {
	DMA_BIDIRECTIONAL,
};

#define SHIM_PAGE		4096
#define SHIM_PAGES_BASE		0x7000000000ULL
#define SHIM_PAGES		1024

/**
 * struct shim_page - a page that is mapped for a device
 * @cpu: where the CPU sees it, NULL for none
 * @bounce: where the device does
 */
struct shim_page {
	void *cpu;
	u8 bounce[SHIM_PAGE];
};

/*
 * Devices do not see the pages themselves, and what is not synced is missed, unless a
 * test says so.
 */
#pragma weak shim_pages
struct shim_page shim_pages[SHIM_PAGES];
#pragma weak shim_pages_seen
bool shim_pages_seen;

/* Where the device sees a page that is mapped. */
static inline u8 *shim_page_memory(struct shim_page *page)
{
	return shim_pages_seen ? page->cpu : page->bounce;
}

static inline dma_addr_t dma_map_page(struct device *dev, struct page *page, size_t offset,
				      size_t size, enum dma_data_direction dir)
{
	unsigned int i;

	(void)dev;
	(void)size;
	(void)dir;
	if (shim_dma_fail && !--shim_dma_fail)
		return ~(dma_addr_t)0;
	for (i = 0; i < SHIM_PAGES; i++) {
		if (shim_pages[i].cpu)
			continue;
		shim_pages[i].cpu = (u8 *)page + offset;
		memcpy(shim_pages[i].bounce, shim_pages[i].cpu, SHIM_PAGE);
		return SHIM_PAGES_BASE + i * SHIM_PAGE;
	}
	return ~(dma_addr_t)0;
}

static inline int dma_mapping_error(struct device *dev, dma_addr_t dma)
{
	(void)dev;
	return dma == ~(dma_addr_t)0;
}

static inline bool dma_need_sync(struct device *dev, dma_addr_t dma)
{
	(void)dev;
	(void)dma;
	return !shim_pages_seen;
}

static inline struct shim_page *shim_page_at(dma_addr_t dma)
{
	return &shim_pages[(dma - SHIM_PAGES_BASE) / SHIM_PAGE];
}

static inline void dma_sync_single_for_cpu(struct device *dev, dma_addr_t dma, size_t size,
					   enum dma_data_direction dir)
{
	struct shim_page *page = shim_page_at(dma);
	size_t offset = dma % SHIM_PAGE;

	(void)dev;
	(void)dir;
	memcpy((u8 *)page->cpu + offset, page->bounce + offset, size);
}

static inline void dma_sync_single_for_device(struct device *dev, dma_addr_t dma, size_t size,
					      enum dma_data_direction dir)
{
	struct shim_page *page = shim_page_at(dma);
	size_t offset = dma % SHIM_PAGE;

	(void)dev;
	(void)dir;
	memcpy(page->bounce + offset, (u8 *)page->cpu + offset, size);
}

static inline void dma_unmap_page(struct device *dev, dma_addr_t dma, size_t size,
				  enum dma_data_direction dir)
{
	if (!shim_pages_seen)
		dma_sync_single_for_cpu(dev, dma, size, dir);
	shim_page_at(dma)->cpu = NULL;
}

#endif
