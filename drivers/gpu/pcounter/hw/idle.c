// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of PDAEMON's idle counters, hw:idle.
 */
#include <linux/bits.h>

#include "hw/idle.h"
#include "hw/io.h"
#include "hw/regs.h"

#define GT215			0x0a3
#define MCP89			0x0af
#define GF100			0x0c0
#define GK104			0x0e4
#define KEPLER			0x108	/* its last chip */
#define GP100			0x130
#define LAST			0xfff

/*
 * hw:idle/signals, which also names the signals of rnndb. Of GM107 and later other
 * sources name GR and PCOPY2 only.
 */
const struct pcounter_idle_engine pcounter_idle_engines[PCOUNTER_IDLE_ENGINES] = {
	{ "gr", 0, GT215, LAST, LAST },
	{ "gr_hub", 1, GF100, LAST, 0 },
	{ "gr_gpc", 2, GF100, LAST, 0 },
	{ "gr_rop", 3, GF100, LAST, 0 },
	{ "pvld", 4, GT215, LAST, KEPLER },
	{ "ppdec", 5, GT215, LAST, KEPLER },
	{ "pppp", 6, GT215, LAST, KEPLER },
	{ "mc", 8, GT215, MCP89, MCP89 },
	{ "mc", 7, GF100, LAST, KEPLER },
	{ "pvenc", 17, GK104, LAST, 0 },
	{ "pcopy0", 19, GT215, LAST, KEPLER },
	{ "pcopy1", 20, GF100, LAST, KEPLER },
	{ "pcopy2", 21, GK104, LAST, LAST },
	{ "pvenc1", 22, GP100, LAST, 0 },
	{ "pcie", 29, GF100, LAST, 0 },
};

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
 * pcounter_pdaemon_runs() - check whether PDAEMON's registers can be used
 * @io: the GPU
 * @chip: its chip, which has idle counters
 *
 * Return: false if PDAEMON is held in reset. True if the reset register reads all
 * ones; then PDAEMON's own registers show a dead GPU.
 */
bool pcounter_pdaemon_runs(struct pcounter_io *io, const struct pcounter_chip *chip)
{
	if (chip->bucket >= PCOUNTER_BUCKET_GF100)
		return pcounter_rd32(io, NV_PMC_ENABLE) & NV_PMC_ENABLE_PDAEMON;
	return pcounter_rd32(io, GT215_PDAEMON_RESET) & GT215_PDAEMON_RESET_ENABLE;
}
