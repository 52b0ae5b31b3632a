// SPDX-License-Identifier: GPL-2.0-only
/* The register layout of each chip. */
#include "hw/layout.h"

const struct pcounter_window pcounter_id_window = { 0x000000, 0x1000 };
const struct pcounter_window pcounter_strap_window = { 0x101000, 0x1000 };

static const struct pcounter_gen *const gens[PCOUNTER_BUCKETS] = {
	[PCOUNTER_BUCKET_NV10] = &pcounter_gen_nv10,
	[PCOUNTER_BUCKET_NV15] = &pcounter_gen_nv15,
	[PCOUNTER_BUCKET_NV20] = &pcounter_gen_nv15,
	[PCOUNTER_BUCKET_NV30] = &pcounter_gen_nv30,
	[PCOUNTER_BUCKET_NV40] = &pcounter_gen_nv40,
	[PCOUNTER_BUCKET_G84] = &pcounter_gen_g84,
	[PCOUNTER_BUCKET_G92] = &pcounter_gen_g92,
	[PCOUNTER_BUCKET_GT215] = &pcounter_gen_gt215,
	[PCOUNTER_BUCKET_GF100] = &pcounter_gen_gf100,
	[PCOUNTER_BUCKET_GM107] = &pcounter_gen_gm107,
};

/* First chips of a bucket with more registers, by chipset id. */
#define CHIPSET_G80	0x050
#define CHIPSET_GK104	0x0e4

/**
 * pcounter_gen_find() - find the descriptor of a chip
 * @chip: the chip
 *
 * Return: the descriptor.
 */
const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip)
{
	if (chip->bucket == PCOUNTER_BUCKET_NV40 && chip->chipset == CHIPSET_G80)
		return &pcounter_gen_g80;
	if (chip->bucket == PCOUNTER_BUCKET_GF100 && chip->chipset >= CHIPSET_GK104)
		return &pcounter_gen_gk104;
	return gens[chip->bucket];
}
