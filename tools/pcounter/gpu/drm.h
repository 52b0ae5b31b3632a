/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the graphics driver of a GPU tells.
 */
#ifndef _PCOUNTER_TOOL_DRM_H
#define _PCOUNTER_TOOL_DRM_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

/**
 * struct drm_facts - what the graphics driver tells of a GPU
 * @has_celsius: it has a temperature
 * @celsius: the temperature
 * @clients: programs' handles to the GPU that this user may see
 * @has_vram: the driver says how much memory these have
 * @vram: bytes of the GPU's memory that these have
 */
struct drm_facts {
	bool has_celsius;
	double celsius;
	unsigned int clients;
	bool has_vram;
	uint64_t vram;
};

void drm_look(const struct gpu *gpu, struct drm_facts *facts);

#endif
