/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register access. Everything the driver reads or writes on a GPU goes through
 * this table: real MMIO, or a hardware model.
 */
#ifndef _PCOUNTER_IO_H
#define _PCOUNTER_IO_H

#include <linux/types.h>

/*
 * Some machines stall for milliseconds on each read of a sick GPU (5 ms have been
 * seen), with interrupts off. So many in a row, each slower than that, are no
 * accident: from then on the registers are left alone.
 */
#define PCOUNTER_SLOW_NS	4000000
#define PCOUNTER_SLOW_READS	10

struct device;
struct pcounter_io;

/**
 * struct pcounter_io_ops - how to reach the registers of one GPU
 * @rd32: read the register at a BAR0 byte address
 * @wr32: write it; may be posted, a later read of any register orders it
 * @hold: keep a GPU that is awake from falling asleep; false if it sleeps: it is
 *	never woken. NULL where registers can always be reached
 * @drop: undo a successful @hold, and let the GPU sleep when it would have
 * @latch_ns: how often to take in counts, so that all of them are known when it
 *	falls asleep; 0 or NULL: it does not matter
 * @keep: keep a GPU that is awake so for long, or not any more; returns 0, or
 *	-EAGAIN if it sleeps. May sleep; NULL where registers can always be reached
 * @dma: let the GPU reach memory, or not any more; NULL if it cannot. May sleep.
 *	Returns 0 or a negative errno
 *
 * All but the last two are called with interrupts off and a raw spinlock held,
 * the first two between @hold and @drop, @dma while the GPU is kept awake.
 */
struct pcounter_io_ops {
	u32 (*rd32)(struct pcounter_io *io, u32 addr);
	void (*wr32)(struct pcounter_io *io, u32 addr, u32 val);
	bool (*hold)(struct pcounter_io *io);
	void (*drop)(struct pcounter_io *io);
	u64 (*latch_ns)(struct pcounter_io *io);
	int (*keep)(struct pcounter_io *io, bool awake);
	int (*dma)(struct pcounter_io *io, bool on);
};

/**
 * struct pcounter_io - one GPU's registers; embedded by whoever provides them
 * @ops: the access functions
 * @dev: the device whose DMA it is, with @ops->dma
 * @losses: how often the registers are known to have lost what was written; only
 *	@hold of @ops counts it up
 * @slow_ns: a read that takes so long is slow; 0 for PCOUNTER_SLOW_NS
 * @slow: slow reads in a row
 * @stuck: they were too many: nothing is read any more
 */
struct pcounter_io {
	const struct pcounter_io_ops *ops;
	struct device *dev;
	u32 losses;
	u64 slow_ns;
	unsigned int slow;
	bool stuck;
};

u32 pcounter_rd32(struct pcounter_io *io, u32 addr);
void pcounter_wr32(struct pcounter_io *io, u32 addr, u32 val);
void pcounter_io_retry(struct pcounter_io *io);

#endif
