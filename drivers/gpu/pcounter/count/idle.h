/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The idle counters of PDAEMON (GT215 and later): clocks in which engines were
 * idle, or were not, and clocks at all.
 */
#ifndef _PCOUNTER_COUNT_IDLE_H
#define _PCOUNTER_COUNT_IDLE_H

#include <linux/types.h>

#include "count/unit.h"
#include "hw/idle.h"
#include "hw/io.h"
#include "rules/chip.h"

/**
 * struct pcounter_idle_slot - one counter
 */
struct pcounter_idle_slot {
	/**
	 * @unit: while it is FREE, somebody else uses the counter; while it is
	 * PROGRAMMED, the registers have @mask and @mode
	 */
	struct pcounter_unit unit;
	/** @mask: value of MASK */
	u32 mask;
	/**
	 * @mode: value of MODE; PCOUNTER_IDLE_OFF if there is nothing to
	 * restore
	 */
	u32 mode;
	/** @kept: COUNT of the guard, a stopped counter; 0: not the guard */
	u32 kept;
	/** @client: all events that count with it, and their count */
	struct pcounter_client client;
};

/**
 * struct pcounter_idle - the idle counters of one GPU; the GPU's lock protects them
 */
struct pcounter_idle {
	/* Constant. */
	/** @io: register access */
	struct pcounter_io *io;
	/** @chip: which chip it is */
	const struct pcounter_chip *chip;
	/** @nr: number of counters */
	unsigned int nr;

	/** @claimed: events are open, and it is known which slots are ours */
	bool claimed;
	/**
	 * @snapshot: pcounter_gpu.snapshot in which perf/idle.c read the
	 * counters last
	 */
	u32 snapshot;
	/**
	 * @read_ns: duration of a read in the fastest series of reads; 0: none
	 * yet
	 */
	u64 read_ns;
	/** @slot: the counters */
	struct pcounter_idle_slot slot[PCOUNTER_IDLE_SLOTS];
};

bool pcounter_idle_init(struct pcounter_idle *idle, const struct pcounter_chip *chip,
			struct pcounter_io *io);
unsigned int pcounter_idle_ours(const struct pcounter_idle *idle);
int pcounter_idle_check(u32 mask, u32 mode, const char **why);
int pcounter_idle_add(struct pcounter_idle *idle, u32 mask, u32 mode);
bool pcounter_idle_latch(struct pcounter_idle *idle);
void pcounter_idle_forget(struct pcounter_idle *idle);
void pcounter_idle_restore(struct pcounter_idle *idle, bool awake);

#endif
