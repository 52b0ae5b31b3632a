// SPDX-License-Identifier: GPL-2.0-only
/*
 * The chips that can be modelled: hw/chips.md 3 and 4, trailer bases and USER
 * signals of hw/signals.md 3. Those of the NV40 family are not known to anybody;
 * the ones here are made up.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

static const struct pcmodel_chip chips[] = {
	{
		.chipset = 0x40, .name = "nv40",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x41, .name = "nv41",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x42, .name = "nv42",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x43, .name = "nv43",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x44, .name = "nv44",
		.variant = PCMODEL_NV40, .domains = 4,
		.trailer = { 0x6, 0xe, 0xe, 0x6 },
	},
	{
		.chipset = 0x45, .name = "nv45",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x46, .name = "g72",
		.variant = PCMODEL_NV40, .domains = 4,
		.trailer = { 0x6, 0xe, 0xe, 0x6 },
	},
	{
		.chipset = 0x47, .name = "g70",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x49, .name = "g71",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x4a, .name = "nv44a",
		.variant = PCMODEL_NV40, .domains = 4,
		.trailer = { 0x6, 0xe, 0xe, 0x6 },
	},
	{
		.chipset = 0x4b, .name = "g73",
		.variant = PCMODEL_NV40, .domains = 5,
		.trailer = { 0x6, 0xe, 0xe, 0x6, 0x6 },
	},
	{
		.chipset = 0x63, .name = "mcp73",
		.variant = PCMODEL_NV40, .domains = 4,
		.trailer = { 0x6, 0xe, 0xe, 0x6 },
	},
	{
		.chipset = 0x50, .name = "g80",
		.variant = PCMODEL_G80, .domains = 5,
		.trailer = { 0x2, 0xe, 0xe, 0x2, 0x2 },
	},
	{
		.chipset = 0x84, .name = "g84",
		.variant = PCMODEL_G84, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xe },
	},
	{
		.chipset = 0x86, .name = "g86",
		.variant = PCMODEL_G84, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xc },
	},
	{
		.chipset = 0x92, .name = "g92",
		.variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xe },
	},
	{
		.chipset = 0x94, .name = "g94",
		.variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xe },
	},
	{
		.chipset = 0x96, .name = "g96",
		.variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x4, 0xa, 0xe },
	},
	{
		.chipset = 0x98, .name = "g98",
		.variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x4, 0xe, 0x8, 0x2, 0x4, 0x6, 0xa, 0xa },
	},
	{
		.chipset = 0xa0, .name = "g200",
		.variant = PCMODEL_G92, .domains = 8,
		.trailer = { 0x6, 0xe, 0xe, 0x2, 0x6, 0x6, 0xa, 0x8 },
	},
	{
		.chipset = 0xaa, .name = "mcp77",
		.variant = PCMODEL_G92, .domains = 7,
		.trailer = { 0x8, 0xe, 0xe, 0x2, 0x0, 0xa, 0xa },
	},
	{
		.chipset = 0xac, .name = "mcp79",
		.variant = PCMODEL_G92, .domains = 7,
		.trailer = { 0x8, 0xe, 0xe, 0x2, 0x0, 0xa, 0xa },
	},
	{
		.chipset = 0xa3, .name = "gt215",
		.variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0xe, 0xe, 0xc, 0x2, 0x6, 0x6, 0xc, 0xe },
		.user = { 0x2a, 0x69, 0x9e, 0x13, 0x3b, 0x10, 0x10, 0x4f },
	},
	{
		.chipset = 0xa5, .name = "gt216",
		.variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0xe, 0xe, 0xc, 0x2, 0x6, 0x6, 0xc, 0xe },
		.user = { 0x2a, 0x69, 0x9e, 0x13, 0x3b, 0x10, 0x10, 0x3e },
	},
	{
		.chipset = 0xa8, .name = "gt218",
		.variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0xe, 0xe, 0xc, 0x2, 0x6, 0x6, 0xc, 0xc },
		.user = { 0x2a, 0x69, 0x9e, 0x13, 0x37, 0x10, 0x10, 0x3e },
	},
	{
		.chipset = 0xaf, .name = "mcp89",
		.variant = PCMODEL_GT215, .domains = 8,
		.trailer = { 0x8, 0xe, 0xc, 0x2, 0xe, 0x6, 0xe, 0xe },
		.user = { 0x3a, 0x69, 0x9e, 0x13, 0x6a, 0x10, 0x10, 0x1e },
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
 * pcmodel_find_chip() - chipset id by name
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
