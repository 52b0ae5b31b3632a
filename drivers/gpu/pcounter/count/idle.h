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
 * @mask: value of MASK
 * @mode: value of MODE; PCOUNTER_IDLE_OFF if there is nothing to restore
 * @events: events that count with it
 * @ours: not in use by others
 * @stale: the registers may have lost their values
 * @running: @last is valid
 * @last: value of COUNT at the last valid read
 * @last_ns: time of that read
 * @val: value of COUNT in the last series of reads
 * @total: sum of all valid steps of COUNT
 * @unit: why it does not count any more
 */
struct pcounter_idle_slot {
	u32 mask;
	u32 mode;
	unsigned int events;
	bool ours;
	bool stale;
	bool running;
	u32 last;
	u64 last_ns;
	u32 val;
	u64 total;
	struct pcounter_unit unit;
};

/**
 * struct pcounter_idle - the idle counters of one GPU; the GPU's lock protects
 * them
 * @io: register access
 * @chip: which chip it is
 * @claimed: events are open, and @ours of each slot is known
 * @snapshot: pcounter_gpu.snapshot in which perf/idle.c read the counters last
 * @nr: number of counters
 * @read_ns: duration of a read in the fastest series of reads; 0: none yet
 * @slot: the counters
 */
struct pcounter_idle {
	struct pcounter_io *io;
	const struct pcounter_chip *chip;
	bool claimed;
	u32 snapshot;
	unsigned int nr;
	u64 read_ns;
	struct pcounter_idle_slot slot[PCOUNTER_IDLE_SLOTS];
};

bool pcounter_idle_init(struct pcounter_idle *idle, const struct pcounter_chip *chip,
			struct pcounter_io *io);
unsigned int pcounter_idle_ours(const struct pcounter_idle *idle);
int pcounter_idle_check(u32 mask, u32 mode, const char **why);
int pcounter_idle_add(struct pcounter_idle *idle, u32 mask, u32 mode);
void pcounter_idle_del(struct pcounter_idle *idle, unsigned int slot);
bool pcounter_idle_latch(struct pcounter_idle *idle);
void pcounter_idle_forget(struct pcounter_idle *idle);
void pcounter_idle_restore(struct pcounter_idle *idle, bool awake);

#endif
