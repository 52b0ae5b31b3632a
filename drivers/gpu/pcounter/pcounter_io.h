/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register access. Everything the driver reads or writes on a GPU goes through
 * this table: real MMIO, or a hardware model.
 */
#ifndef _PCOUNTER_IO_H
#define _PCOUNTER_IO_H

#include <linux/types.h>

struct device;
struct pcounter_io;

/**
 * struct pcounter_io_ops - how to reach the registers of one GPU
 * @rd32: read the register at a BAR0 byte address
 * @wr32: write it; may be posted, a later read of any register orders it
 *
 * @dma: let the GPU reach memory, or not any more; NULL if it cannot. May sleep.
 *	Returns 0 or a negative errno
 *
 * The first two are called with interrupts off and a raw spinlock held.
 */
struct pcounter_io_ops {
	u32 (*rd32)(struct pcounter_io *io, u32 addr);
	void (*wr32)(struct pcounter_io *io, u32 addr, u32 val);
	int (*dma)(struct pcounter_io *io, bool on);
};

/**
 * struct pcounter_io - one GPU's registers; embedded by whoever provides them
 * @ops: the access functions
 * @dev: the device whose DMA it is, with @ops->dma
 */
struct pcounter_io {
	const struct pcounter_io_ops *ops;
	struct device *dev;
};

static inline u32 pcounter_rd32(struct pcounter_io *io, u32 addr)
{
	return io->ops->rd32(io, addr);
}

static inline void pcounter_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	io->ops->wr32(io, addr, val);
}

#endif
