/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of PDAEMON's idle counters, GT215 and later (hw:idle), and the idle
 * signals of a chip. These functions take no lock, and do not check whether the
 * GPU is awake.
 */
#ifndef _PCOUNTER_HW_IDLE_H
#define _PCOUNTER_HW_IDLE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "rules/chip.h"

struct pcounter_io;

#define PDAEMON_IDLE_SIGNALS		0x10a500
#define PDAEMON_IDLE_MASK(slot)		(0x10a504 + (slot) * 0x10)
#define PDAEMON_IDLE_COUNT(slot)	(0x10a508 + (slot) * 0x10)
#define   PDAEMON_IDLE_COUNT_VALUE	GENMASK(30, 0)	/* the highest count */
#define PDAEMON_IDLE_MODE(slot)		(0x10a50c + (slot) * 0x10)
#define PDAEMON_IDLE_MASK_1(slot)	(0x10aa34 + (slot) * 8)	/* GM107 and later */
#define GT215_PDAEMON_RESET		0x022210	/* GT215:GF100 */
#define   GT215_PDAEMON_RESET_ENABLE	BIT(0)

#define PCOUNTER_IDLE_SLOTS		8

/* COUNTER_MODE; FILTER, bit 2, and other bits that are set belong to another driver */
enum pcounter_idle_mode {
	PCOUNTER_IDLE_OFF,
	PCOUNTER_IDLE_ALL,	/* all masked signals are idle */
	PCOUNTER_IDLE_NOT_ALL,
	PCOUNTER_IDLE_ALWAYS,
};

/**
 * struct pcounter_idle_engine - an idle signal, or several together, with a name
 * @name: the engine
 * @mask: in COUNTER_SIGNALS and COUNTER_MASK
 * @from: first chipset with the signal in this bit
 * @to: last one
 * @several: last chipset for which several sources name the signal; 0: none
 */
struct pcounter_idle_engine {
	const char *name;
	u32 mask;
	u16 from;
	u16 to;
	u16 several;
};

#define PCOUNTER_IDLE_ENGINES	18
extern const struct pcounter_idle_engine pcounter_idle_engines[PCOUNTER_IDLE_ENGINES];

/* Return true if COUNTER_MASK has a second word. */
static inline bool pcounter_pdaemon_has_mask_1(const struct pcounter_chip *chip)
{
	return chip->bucket >= PCOUNTER_BUCKET_GM107;
}

bool pcounter_pdaemon_has(const struct pcounter_chip *chip,
			  const struct pcounter_idle_engine *engine);
unsigned int pcounter_pdaemon_slots(const struct pcounter_chip *chip);
bool pcounter_pdaemon_check(struct pcounter_io *io, const struct pcounter_chip *chip);

#endif
