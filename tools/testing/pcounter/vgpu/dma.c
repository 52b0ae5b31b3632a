// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory: DMA reads and writes of the model.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu.h"

static u8 *dma_find(struct vgpu *gpu, u64 addr, size_t len)
{
	unsigned int i;

	if (!pci_is_master(gpu)) {
		gpu->dma.master_off++;
		return NULL;
	}
	for (i = 0; i < DMA_REGIONS; i++) {
		const struct vgpu_region *r = &gpu->dma.regions[i];

		if (r->at && addr >= r->gpa && addr - r->gpa <= r->size - len)
			return r->at + (addr - r->gpa);
	}
	gpu->dma.nowhere++;
	return NULL;
}

static int dma_read(void *ctx, u64 addr, void *buf, size_t len)
{
	const u8 *from = dma_find(ctx, addr, len);

	if (!from)
		return -EFAULT;
	memcpy(buf, from, len);
	return 0;
}

/*
 * Write to guest memory. A guest's CPU may be polling, so the beginning, by which it
 * recognises a packet, comes last.
 */
static int dma_write(void *ctx, u64 addr, const void *buf, size_t len)
{
	struct vgpu *gpu = ctx;
	u8 *to = dma_find(gpu, addr, len);
	u64 word;

	if (!to)
		return -EFAULT;
	if (len % sizeof(word) || addr % sizeof(word)) {
		memcpy(to, buf, len);
		return 0;
	}
	while (len) {
		len -= sizeof(word);
		memcpy(&word, (const u8 *)buf + len, sizeof(word));
		__atomic_store_n((u64 *)(to + len), word, __ATOMIC_RELEASE);
	}
	return 0;
}

/**
 * dma_init() - connect the model to the known memory of the guest
 * @gpu:	the GPU
 */
void dma_init(struct vgpu *gpu)
{
	const struct pcmodel_bus bus = {
		.read = dma_read,
		.write = dma_write,
		.ctx = gpu,
	};

	pcmodel_set_bus(gpu->model, &bus);
	gpu->model->dma.audit = true;
}

/**
 * dma_sync() - apply QEMU's new layout of guest memory
 * @gpu:	the GPU
 * @gpa:	guest-physical address of each region
 * @size:	bytes
 * @offset:	start of each region in its file
 * @fds:	the files; the caller keeps them
 * @n:		number of regions
 */
void dma_sync(struct vgpu *gpu, const u64 gpa[], const u64 size[],
	      const s64 offset[], const int fds[], unsigned int n)
{
	struct vgpu_region *r = gpu->dma.regions;
	unsigned int i;

	for (i = 0; i < DMA_REGIONS; i++) {
		if (r[i].at)
			munmap(r[i].at, r[i].size);
		memset(&r[i], 0, sizeof(r[i]));
	}
	for (i = 0; i < n && i < DMA_REGIONS; i++) {
		void *at;

		if (!size[i])
			continue;
		at = mmap(NULL, size[i], PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], offset[i]);
		if (at == MAP_FAILED) {
			fprintf(stderr, "vgpu: guest memory at %#llx: %s\n",
				(unsigned long long)gpa[i], strerror(errno));
			continue;
		}
		r[i].gpa = gpa[i];
		r[i].size = size[i];
		r[i].at = at;
	}
}
