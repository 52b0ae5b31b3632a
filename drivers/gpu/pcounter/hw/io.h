/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register access. Everything the driver reads or writes on a GPU goes through
 * this table: real MMIO, or a hardware model.
 */
#ifndef _PCOUNTER_HW_IO_H
#define _PCOUNTER_HW_IO_H

#include <linux/bits.h>
#include <linux/types.h>

/* Every read of a GPU that is off the bus or asleep returns this. */
#define PCOUNTER_DEAD		0xffffffff
/* GF100+: the pattern of a failed access, hw:registers/window */
#define PCOUNTER_ERROR_MASK	GENMASK(31, 20)
#define PCOUNTER_ERROR		0xbad00000

/**
 * pcounter_is_dead() - check for a value that says that the read has failed
 * @val: the value
 *
 * Return: true for all ones and for GF100+'s error patterns; a counter may
 * hold such a number, too.
 */
static inline bool pcounter_is_dead(u32 val)
{
	return val == PCOUNTER_DEAD ||
	       (val & PCOUNTER_ERROR_MASK) == PCOUNTER_ERROR;
}

/*
 * Some machines stall for milliseconds on each read of a faulty GPU (5 ms have been
 * seen), with interrupts off. After ten slow reads in a row the driver does not access
 * the registers any more.
 */
#define PCOUNTER_SLOW_NS	4000000
#define PCOUNTER_SLOW_READS	10

struct device;
struct pcounter_io;

/**
 * struct pcounter_io_ops - how to reach the registers of one GPU
 * @rd32: read the register at a BAR0 byte address
 * @wr32: write it; may be posted, a later read of any register orders it
 * @awake: return true if a GPU with a reference is on. Somebody may switch it off
 *	without runtime power management. Looks at memory only; NULL where registers
 *	can always be reached
 * @get: keep a GPU that is awake from falling asleep; false if it sleeps, it is
 *	never woken. In process context, or in an interrupt without locks. NULL where
 *	registers can always be reached
 * @put: undo a successful @get, and let the GPU sleep when it would have
 * @put_sync: the same, and wait until the owner has been asked whether it sleeps now.
 *	May sleep
 * @unused: return true if only our reference keeps the GPU awake, or somebody has
 *	switched it off
 * @watch_ns: how often to ask @unused
 * @stay_awake: keep a GPU that is awake from sleeping for a long time, or let it sleep
 *	again; returns 0, or -EAGAIN if it sleeps. May sleep; NULL where registers
 *	can always be reached
 * @dma: let the GPU reach memory, or not any more; NULL if it cannot. May sleep.
 *	Returns 0 or a negative errno
 *
 * @rd32, @wr32 and @awake are called with interrupts off and a raw spinlock held,
 * possibly with a runqueue's lock as well; the first two and @dma while the GPU is
 * kept awake. With @get there are all of @put, @put_sync, @unused and @watch_ns.
 */
struct pcounter_io_ops {
	u32 (*rd32)(struct pcounter_io *io, u32 addr);
	void (*wr32)(struct pcounter_io *io, u32 addr, u32 val);
	bool (*awake)(struct pcounter_io *io);
	bool (*get)(struct pcounter_io *io);
	void (*put)(struct pcounter_io *io);
	void (*put_sync)(struct pcounter_io *io);
	bool (*unused)(struct pcounter_io *io);
	u64 (*watch_ns)(struct pcounter_io *io);
	int (*stay_awake)(struct pcounter_io *io, bool awake);
	int (*dma)(struct pcounter_io *io, bool on);
};

/**
 * struct pcounter_io - one GPU's registers; its provider embeds this
 * @ops: the access functions
 * @dev: the device whose DMA it is, with @ops->dma
 * @boot_0: PMC.BOOT_0 as it was at the start, 0 where it was not read
 * @straps: the first strap register, 0 where it was not read
 * @losses: how often the registers are known to have lost what was written; only
 *	@awake of @ops counts it up
 * @slow_ns: duration of a slow read, 0 for PCOUNTER_SLOW_NS
 * @slow: slow reads in a row
 * @ended: time at the end of the last read
 * @stuck: there were too many slow reads: the driver reads nothing any more
 * @swapped: all registers are in the other order of bytes than PCI's; the owner of
 *	the GPU has set that
 */
struct pcounter_io {
	const struct pcounter_io_ops *ops;
	struct device *dev;
	u32 boot_0;
	u32 straps;
	u32 losses;
	u64 slow_ns;
	unsigned int slow;
	u64 ended;
	bool stuck;
	bool swapped;
};

int pcounter_boot_chipset(u32 boot_0);
bool pcounter_boot_swapped(u32 boot_1);
bool pcounter_io_answers(struct pcounter_io *io);
u64 pcounter_io_dark_ns(const struct pcounter_io *io);
u32 pcounter_rd32(struct pcounter_io *io, u32 addr);
void pcounter_wr32(struct pcounter_io *io, u32 addr, u32 val);
void pcounter_io_retry(struct pcounter_io *io);

#endif
