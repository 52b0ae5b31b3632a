// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register access with its time limit, and identification by the first
 * register.
 */
#include <linux/bitfield.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/swab.h>
#include <linux/time64.h>

#include "hw/io.h"
#include "hw/regs.h"

/* Emulated GPUs come with slow processors: allow a tenth of a slow read if that is more. */
#define DARK_NS			(100 * NSEC_PER_USEC)
#define SLOW_READS_IN_THE_DARK	10

/**
 * pcounter_is_dead() - check for the value of a failed read
 * @val: the value
 *
 * Return: true for all ones and for GF100+'s error patterns; a counter
 * may hold the same number.
 */
bool pcounter_is_dead(u32 val)
{
	return val == PCOUNTER_DEAD ||
	       (val & PCOUNTER_ERROR_MASK) == PCOUNTER_ERROR;
}

/**
 * pcounter_io_dark_ns() - get the longest time with interrupts off for a GPU
 * @io: the GPU
 *
 * Return: nanoseconds; remaining work must wait for another interrupt.
 */
u64 pcounter_io_dark_ns(const struct pcounter_io *io)
{
	return max_t(u64, DARK_NS, io->slow_ns / SLOW_READS_IN_THE_DARK);
}

/**
 * pcounter_rd32() - read a register
 * @io: the GPU
 * @addr: BAR0 byte address
 *
 * Reading the clock is the slowest step here. So the time of a read begins at the
 * end of the previous read, unless that one was slow: then a pause may follow it.
 *
 * Return: its value; all ones, without an access, if the GPU is too slow.
 */
u32 pcounter_rd32(struct pcounter_io *io, u32 addr)
{
	u64 began;
	u32 val;

	if (io->stuck)
		return PCOUNTER_DEAD;
	began = io->slow ? ktime_get_mono_fast_ns() : io->ended;
	val = io->ops->rd32(io, addr);
	if (READ_ONCE(io->swapped))
		val = swab32(val);
	io->ended = ktime_get_mono_fast_ns();
	if (io->ended - began < (io->slow_ns ?: PCOUNTER_SLOW_NS))
		io->slow = 0;
	else if (++io->slow == PCOUNTER_SLOW_READS)
		io->stuck = true;
	return val;
}

/**
 * pcounter_wr32() - write a register
 * @io: the GPU
 * @addr: BAR0 byte address
 * @val: the value
 */
void pcounter_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	if (!io->stuck)
		io->ops->wr32(io, addr, READ_ONCE(io->swapped) ? swab32(val) : val);
}

/**
 * pcounter_io_retry() - try a GPU that was too slow once more
 * @io: the GPU
 */
void pcounter_io_retry(struct pcounter_io *io)
{
	io->slow = 0;
	io->stuck = false;
}

/**
 * pcounter_boot_chipset() - get the chipset id from PMC.BOOT_0 (hw:chips/id)
 * @boot_0: the register's value
 *
 * Return: the chipset id, -ENXIO if the GPU does not answer (all ones: off the
 * bus, asleep, memory decoding off), -ENODEV if it is older than NV10.
 */
int pcounter_boot_chipset(u32 boot_0)
{
	if (boot_0 == PCOUNTER_DEAD)
		return -ENXIO;
	if (!FIELD_GET(NV_PMC_BOOT_0_NV10, boot_0))
		return -ENODEV;
	return FIELD_GET(NV_PMC_BOOT_0_CHIPSET, boot_0);
}

/**
 * pcounter_io_ask() - check whether the GPU answers at all
 * @io: the GPU
 *
 * Return: false if it is off the bus, switched off, or too slow.
 */
bool pcounter_io_ask(struct pcounter_io *io)
{
	return pcounter_boot_chipset(pcounter_rd32(io, NV_PMC_BOOT_0)) >= 0;
}
