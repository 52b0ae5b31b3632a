// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modelled chips: hw:chips/buckets, hw:chips/domains, trailer bases and
 * USER signals of hw:signals/trailers. For GF100 and later, the bases of the
 * first domain of a GPC (GF100:GK104), of the last one (GK104-) and of
 * partition domain 0 are the signals by which NVIDIA's driver ends periods on
 * real cards. The other domains of TPCs are assumed to be like the last.
 * Unknown trailer bases are invented: those of NV25, NV2A, NV30, NV36, of the
 * NV40 family, of HUB domains before GK104, of GF106 and GF117, and of domain 0
 * of a GPC and partition domain 1 on most chips.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

/*
 * The features of chips that differ in their names alone, by the first of them. Chips with
 * features of their own have them in the table.
 */
#define NV15_FEATURES \
	.layout = &pcmodel_layout_nv10, .variant = PCMODEL_NV15, .domains = 1, \
	.trailer = { 0x8 }

#define NV20_FEATURES \
	.layout = &pcmodel_layout_nv10, .variant = PCMODEL_NV20, .domains = 2, \
	.trailer = { 0xa, 0x2 }

#define NV30_FEATURES \
	.layout = &pcmodel_layout_nv10, .variant = PCMODEL_NV30, .domains = 2, \
	.trailer = { 0xe, 0x2 }

#define NV40_FEATURES \
	.layout = &pcmodel_layout_nv40, .variant = PCMODEL_NV40, .domains = 5, \
	.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 }

#define NV44_FEATURES \
	.layout = &pcmodel_layout_nv40, .variant = PCMODEL_NV40, .domains = 4, \
	.trailer = { 0x6, 0xe, 0xe, 0x6 }

#define G94_FEATURES \
	.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G92, .domains = 8, \
	.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xe }, \
	.access = 0x2d

#define MCP77_FEATURES \
	.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G92, .domains = 7, \
	.trailer = { 0x8, 0xe, 0xe, 0x2, 0x0, 0xa, 0xa }

#define GF104_FEATURES \
	.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GF100, .domains = 8, \
	.trailer = { 0x4, 0x2, 0x6, 0x2, 0x4, 0x0, 0x8, 0x2 }, \
	.gpc_domains = 1, .gpc_trailer = { 0xc }, \
	.part_trailer = { 0x4, 0x4 }

#define GF106_FEATURES \
	.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GF100, .domains = 8, \
	.trailer = { 0x4, 0x2, 0x6, 0x2, 0x4, 0x0, 0x8, 0x2 }, \
	.gpc_domains = 1, .gpc_trailer = { 0xa }, \
	.part_trailer = { 0xa, 0x4 }

#define GK104_FEATURES \
	.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GK104, .domains = 8, \
	.trailer = { 0x2, 0x0, 0x2, 0x2, 0x0, 0x2, 0x8, 0x2 }, \
	.gpc_domains = 3, .gpc_trailer = { 0xa, 0x4, 0x4 }, \
	.part_trailer = { 0x2, 0x2 }

#define GK110_FEATURES \
	.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GK104, .domains = 8, \
	.trailer = { 0x2, 0x0, 0x2, 0x2, 0x0, 0x2, 0x8, 0x2 }, \
	.gpc_domains = 4, .gpc_trailer = { 0xa, 0x6, 0x6, 0x6 }, \
	.part_trailer = { 0x2, 0x2 }

#define GK208_FEATURES \
	.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GK104, .domains = 8, \
	.trailer = { 0x2, 0x0, 0x2, 0x2, 0x0, 0x2, 0x8, 0x2 }, \
	.gpc_domains = 3, .gpc_trailer = { 0xa, 0x6, 0x6 }, \
	.part_trailer = { 0x2, 0x2 }

#define GM204_FEATURES \
	.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GM107, .domains = 8, \
	.trailer = { 0x2, 0x0, 0x2, 0x2, 0x0, 0x2, 0x8, 0x2 }, \
	.gpc_domains = 5, .gpc_trailer = { 0x6, 0xa, 0xa, 0xa, 0xa }, \
	.part_trailer = { 0x2, 0x4 }

static const struct pcmodel_chip chips[] = {
	{
		.chipset = 0x10, .name = "nv10",
		.layout = &pcmodel_layout_nv10, .variant = PCMODEL_NV10, .domains = 1,
		.trailer = { 0x8 },
	},
	{ .chipset = 0x15, .name = "nv15", NV15_FEATURES },
	{ .chipset = 0x1f, .name = "nv1f", NV15_FEATURES },
	{ .chipset = 0x20, .name = "nv20", NV20_FEATURES },
	{ .chipset = 0x25, .name = "nv25", NV20_FEATURES },
	{ .chipset = 0x28, .name = "nv28", NV20_FEATURES },
	{ .chipset = 0x2a, .name = "nv2a", NV20_FEATURES },
	{ .chipset = 0x30, .name = "nv30", NV30_FEATURES },
	{ .chipset = 0x31, .name = "nv31", NV30_FEATURES },
	{ .chipset = 0x34, .name = "nv34", NV30_FEATURES },
	{ .chipset = 0x35, .name = "nv35", NV30_FEATURES },
	{ .chipset = 0x36, .name = "nv36", NV30_FEATURES },
	{ .chipset = 0x40, .name = "nv40", NV40_FEATURES },
	{ .chipset = 0x41, .name = "nv41", NV40_FEATURES },
	{ .chipset = 0x42, .name = "nv42", NV40_FEATURES },
	{ .chipset = 0x43, .name = "nv43", NV40_FEATURES },
	{ .chipset = 0x44, .name = "nv44", NV44_FEATURES },
	{ .chipset = 0x45, .name = "nv45", NV40_FEATURES },
	{ .chipset = 0x46, .name = "g72", NV44_FEATURES },
	{ .chipset = 0x47, .name = "g70", NV40_FEATURES },
	{ .chipset = 0x49, .name = "g71", NV40_FEATURES },
	{ .chipset = 0x4a, .name = "nv44a", NV44_FEATURES },
	{ .chipset = 0x4b, .name = "g73", NV40_FEATURES },
	{ .chipset = 0x63, .name = "mcp73", NV44_FEATURES },
	{
		.chipset = 0x50, .name = "g80",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G80, .domains = 5,
		.trailer = { 0x2, 0xe, 0xe, 0x2, 0x2 },
		.access = 0x1d,
	},
	{
		.chipset = 0x84, .name = "g84",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G84, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xe },
		.access = 0x22,
	},
	{
		.chipset = 0x86, .name = "g86",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G84, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xc },
		.access = 0x22,
	},
	{
		.chipset = 0x92, .name = "g92",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xe },
		.access = 0x2a,
	},
	{ .chipset = 0x94, .name = "g94", G94_FEATURES },
	{ .chipset = 0x96, .name = "g96", G94_FEATURES },
	{
		.chipset = 0x98, .name = "g98",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x6, 0xa, 0xa },
		.access = 0x2d,
	},
	{
		.chipset = 0xa0, .name = "g200",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x6, 0xe, 0xe, 0x2, 0x6, 0x6, 0xa, 0x8 },
		.access = 0x31,
	},
	{ .chipset = 0xaa, .name = "mcp77", MCP77_FEATURES },
	{ .chipset = 0xac, .name = "mcp79", MCP77_FEATURES },
	{
		.chipset = 0xa3, .name = "gt215",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0xe, 0xe, 0xc, 0x2, 0x6, 0x6, 0xc, 0xe },
		.user = { 0x2a, 0x69, 0x9e, 0x13, 0x3b, 0x10, 0x10, 0x4f },
		.access = 0x99,
	},
	{
		.chipset = 0xa5, .name = "gt216",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0xe, 0xe, 0xc, 0x2, 0x6, 0x6, 0xc, 0xe },
		.user = { 0x2a, 0x69, 0x9e, 0x13, 0x3b, 0x10, 0x10, 0x3e },
		.access = 0x99,
	},
	{
		.chipset = 0xa8, .name = "gt218",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0xe, 0xe, 0xc, 0x2, 0x6, 0x6, 0xc, 0xc },
		.user = { 0x2a, 0x69, 0x9e, 0x13, 0x37, 0x10, 0x10, 0x3e },
		.access = 0x99,
	},
	{
		.chipset = 0xaf, .name = "mcp89",
		.layout = &pcmodel_layout_nv40, .variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0x8, 0xe, 0xc, 0x2, 0xe, 0x6, 0xe, 0xe },
		.user = { 0x3a, 0x69, 0x9e, 0x13, 0x6a, 0x10, 0x10, 0x1e },
	},
	{
		.chipset = 0xc0, .name = "gf100",
		.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GF100, .domains = 8,
		.trailer = { 0x4, 0x2, 0x6, 0x2, 0x4, 0x0, 0x4, 0x2 },
		.gpc_domains = 1, .gpc_trailer = { 0xc },
		.part_trailer = { 0x4, 0x4 },
	},
	{
		.chipset = 0xc1, .name = "gf108",
		.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GF100, .domains = 8,
		.trailer = { 0x4, 0x2, 0x6, 0x2, 0x4, 0x0, 0x8, 0x2 },
		.gpc_domains = 1, .gpc_trailer = { 0xa },
		.part_trailer = { 0x2, 0x4 },
	},
	{ .chipset = 0xc3, .name = "gf106", GF106_FEATURES },
	{ .chipset = 0xc4, .name = "gf104", GF104_FEATURES },
	{ .chipset = 0xc8, .name = "gf110", GF104_FEATURES },
	{ .chipset = 0xce, .name = "gf114", GF104_FEATURES },
	{ .chipset = 0xcf, .name = "gf116", GF104_FEATURES },
	{ .chipset = 0xd7, .name = "gf117", GF106_FEATURES },
	{
		.chipset = 0xd9, .name = "gf119",
		.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GF100, .domains = 8,
		.trailer = { 0x4, 0x2, 0x6, 0x2, 0x4, 0x0, 0x8, 0x2 },
		.gpc_domains = 1, .gpc_trailer = { 0xc },
		.part_trailer = { 0x2, 0x4 },
	},
	{ .chipset = 0xe4, .name = "gk104", GK104_FEATURES },
	{ .chipset = 0xe6, .name = "gk106", GK104_FEATURES },
	{ .chipset = 0xe7, .name = "gk107", GK104_FEATURES },
	{ .chipset = 0xf0, .name = "gk110", GK110_FEATURES },
	{ .chipset = 0xf1, .name = "gk110b", GK110_FEATURES },
	{ .chipset = 0x106, .name = "gk208b", GK208_FEATURES },
	{ .chipset = 0x108, .name = "gk208", GK208_FEATURES },
	{
		.chipset = 0x117, .name = "gm107",
		.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GM107, .domains = 8,
		.trailer = { 0x2, 0x0, 0x2, 0x2, 0x0, 0x2, 0x8, 0x2 },
		.gpc_domains = 6, .gpc_trailer = { 0x6, 0xa, 0xa, 0xa, 0xa, 0xa },
		.part_domains = 3, .part_trailer = { 0x0, 0x4, 0x4 },
	},
	{ .chipset = 0x124, .name = "gm204", GM204_FEATURES },
	{ .chipset = 0x126, .name = "gm206", GM204_FEATURES },
	{
		.chipset = 0x134, .name = "gp104",
		.layout = &pcmodel_layout_gf100, .variant = PCMODEL_GM107, .domains = 8,
		.trailer = { 0x2, 0x0, 0x2, 0x2, 0x0, 0x2, 0x8, 0x2 },
		.gpc_domains = 6, .gpc_trailer = { 0x4, 0x8, 0x8, 0x8, 0x8, 0x8 },
		.part_trailer = { 0x4, 0x2 },
	},
};

/**
 * pcmodel_chip() - look up a chip
 * @chipset: chipset id
 *
 * Return: the chip, NULL if it is not modelled.
 */
const struct pcmodel_chip *pcmodel_chip(u32 chipset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (chips[i].chipset == chipset)
			return &chips[i];
	return NULL;
}

static u32 parse_hex(const char *s)
{
	u32 value = 0;

	for (; *s; s++) {
		if (*s >= '0' && *s <= '9')
			value = value * 16 + *s - '0';
		else if (*s >= 'a' && *s <= 'f')
			value = value * 16 + *s - 'a' + 10;
		else
			return 0;
	}
	return value;
}

/**
 * pcmodel_find_chip() - find a chipset id by name
 * @name: "g84", or a chipset id as "0x84"
 *
 * Return: the chipset id, 0 if it is not modelled.
 */
u32 pcmodel_find_chip(const char *name)
{
	unsigned int i;
	u32 chipset;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (!strcmp(chips[i].name, name))
			return chips[i].chipset;
	if (strncmp(name, "0x", 2))
		return 0;
	chipset = parse_hex(name + 2);
	return pcmodel_chip(chipset) ? chipset : 0;
}
