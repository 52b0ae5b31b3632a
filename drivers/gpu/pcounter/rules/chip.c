// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chip identification (hw:chips/id, hw:chips/buckets).
 */
#include <linux/bitfield.h>
#include <linux/errno.h>

#include "hw/regs.h"
#include "rules/chip.h"

/**
 * pcounter_chip_decode() - chipset id from PMC.BOOT_0
 * @boot_0: the register's value
 *
 * Return: the chipset id, -ENXIO if the GPU does not answer (all ones: off the
 * bus, asleep, memory decoding off), -ENODEV if it is older than NV10.
 */
int pcounter_chip_decode(u32 boot_0)
{
	if (boot_0 == PCOUNTER_DEAD)
		return -ENXIO;
	if (!FIELD_GET(NV_PMC_BOOT_0_NV10, boot_0))
		return -ENODEV;
	return FIELD_GET(NV_PMC_BOOT_0_CHIPSET, boot_0);
}

/**
 * pcounter_chip_find() - look up what the documents say of a chip
 * @chipset: chipset id
 *
 * Return: the chip's row, or NULL if no document names it.
 */
const struct pcounter_chip *pcounter_chip_find(u32 chipset)
{
	unsigned int i;

	for (i = 0; i < pcounter_nr_chips; i++)
		if (pcounter_chips[i].chipset == chipset)
			return &pcounter_chips[i];
	return NULL;
}
