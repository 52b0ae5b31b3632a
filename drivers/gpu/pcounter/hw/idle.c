// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of PDAEMON's idle counters, hw:idle. The engines are made from
 * scripts/tables/idle.csv.
 */
#include "hw/idle.h"
#include "hw/io.h"
#include "hw/regs.h"

/**
 * pcounter_pdaemon_has() - check whether a chip has an engine's idle signal
 * @chip: the chip
 * @engine: one of pcounter_idle_engines
 *
 * Return: true if it has.
 */
bool pcounter_pdaemon_has(const struct pcounter_chip *chip,
			  const struct pcounter_idle_engine *engine)
{
	return chip->chipset >= engine->from && chip->chipset <= engine->to;
}

/**
 * pcounter_pdaemon_slots() - get the number of a chip's counters
 * @chip: the chip
 *
 * Return: their number, 0 if it has none.
 */
unsigned int pcounter_pdaemon_slots(const struct pcounter_chip *chip)
{
	if (chip->bucket < PCOUNTER_BUCKET_GT215)
		return 0;
	return chip->bucket >= PCOUNTER_BUCKET_GF100 ? PCOUNTER_IDLE_SLOTS :
						       PCOUNTER_IDLE_SLOTS / 2;
}

/**
 * pcounter_pdaemon_check() - check whether PDAEMON's registers can be used
 * @io: the GPU
 * @chip: its chip, which has idle counters
 *
 * Return: false if PDAEMON is held in reset. True if the reset register reads all
 * ones; then PDAEMON's own registers show a dead GPU.
 */
bool pcounter_pdaemon_check(struct pcounter_io *io, const struct pcounter_chip *chip)
{
	if (chip->bucket >= PCOUNTER_BUCKET_GF100)
		return pcounter_rd32(io, NV_PMC_ENABLE) & NV_PMC_ENABLE_PDAEMON;
	return pcounter_rd32(io, GT215_PDAEMON_RESET) & GT215_PDAEMON_RESET_ENABLE;
}
