/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPUs, with or without a PMU.
 */
#ifndef _PCOUNTER_TOOL_GPU_H
#define _PCOUNTER_TOOL_GPU_H

#include <stdbool.h>

#include "gpu/types.h"

#define VENDOR_NVIDIA	0x10de
#define GPU_NODES	4

/**
 * struct gpu - a GPU
 * @address: PCI address, or name of the device
 * @pci: it is a PCI function
 * @vendor: PCI vendor id, 0 if it is none
 * @device: PCI device id
 * @driver: kernel driver that is bound to it, may be empty
 * @nr_nodes: number of @node
 * @node: its DRM nodes
 * @pmu: its PMU, NULL if it has none
 */
struct gpu {
	char address[64];
	bool pci;
	unsigned long vendor;
	unsigned long device;
	char driver[32];
	unsigned int nr_nodes;
	char node[GPU_NODES][32];
	const struct pmu *pmu;
};

/**
 * struct gpus - all GPUs
 * @nr: how many
 * @gpu: in the order of their addresses
 * @pmus: their PMUs
 */
struct gpus {
	unsigned int nr;
	struct gpu *gpu;
	struct pmus pmus;
};

void gpus_find(struct gpus *gpus);
void gpus_free(struct gpus *gpus);
bool gpu_chosen(const struct gpu *gpu, const char *wish);
const struct gpu *gpus_first(const struct gpus *gpus, const char *wish, char *others, size_t len);
const char *gpu_power(const struct gpu *gpu);
bool gpu_asleep(const struct gpu *gpu);
void gpu_why_not(const struct gpu *gpu, char *buf, size_t len);
bool gpu_users(const struct gpu *gpu, char *buf, size_t len);
bool gpu_log(const struct gpu *gpu, char *buf, size_t len);

#endif
