/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPUs, with or without a PMU, and facts from their graphics drivers.
 */
#ifndef _PCOUNTER_TOOL_GPU_H
#define _PCOUNTER_TOOL_GPU_H

#include "gpu/pmu.h"

#define VENDOR_NVIDIA	0x10de
#define DRM_NODES	"/dev/dri/"

/**
 * struct gpu - a GPU
 * @address: PCI address, or name of the device
 * @vendor: PCI vendor id, 0 if it is no PCI function
 * @device: PCI device id
 * @driver: name of the bound kernel driver, may be empty
 * @nodes: its DRM nodes, each behind a space
 * @pmu: its PMU, NULL if it has none
 */
struct gpu {
	char address[64];
	unsigned long vendor;
	unsigned long device;
	char driver[32];
	char nodes[128];
	const struct pmu *pmu;
};

/**
 * struct gpus - the GPUs that the user chose, or all
 * @nr: number of GPUs
 * @gpu: the GPUs, in the order of their addresses
 * @pmus: the PMUs of all GPUs
 */
struct gpus {
	unsigned int nr;
	struct gpu *gpu;
	struct pmus pmus;
};

void gpus_find(struct gpus *gpus, const char *wish, bool counting);
bool pmu_left(const struct pmu *pmu);
bool gpu_again(const struct gpu **gpu, bool open, struct gpus *found);
void gpus_free(struct gpus *gpus);
bool gpus_counting(struct gpus *gpus, const char *wish);
const char *gpus_list(const struct gpus *gpus);
void gpus_tell(const struct gpus *gpus, const struct gpu *gpu, const char *does);
const char *gpu_card(const struct gpu *gpu);
const char *gpu_power(const struct gpu *gpu);
bool gpu_asleep(const struct gpu *gpu);
const char *gpu_why_not(const struct gpu *gpu);
const char *gpu_users(const struct gpu *gpu);
const char *gpu_log(const struct gpu *gpu);

/**
 * struct drm_facts - facts from a GPU's graphics driver
 * @celsius: the temperature, NAN if unknown
 * @clients: number of clients of the GPU that this user may see
 * @vram: bytes of the GPU's memory that belong to the clients, NAN if unknown
 */
struct drm_facts {
	double celsius;
	unsigned int clients;
	double vram;
};

void drm_look(const struct gpu *gpu, struct drm_facts *facts);

#endif
