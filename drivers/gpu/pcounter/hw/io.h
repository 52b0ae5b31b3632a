/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register access. Every register access of the driver goes through this table:
 * to real MMIO, or to a hardware model.
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

/*
 * Some machines stall for milliseconds, with interrupts off, on each read of a
 * faulty GPU (5 ms have been seen). After ten consecutive slow reads the driver
 * stops accessing the registers.
 */
#define PCOUNTER_SLOW_NS	4000000
#define PCOUNTER_SLOW_READS	10

struct device;
struct pcounter_io;

/**
 * struct pcounter_io_ops - access to the registers of one GPU
 * @rd32: read the register at a BAR0 byte address
 * @wr32: write it; may be posted, a later read of any register orders it
 * @awake: return true if a GPU with a reference is on. Other code may switch it off
 *	without runtime power management. Reads memory only; NULL if the registers
 *	can always be reached
 * @get: keep a GPU that is awake from falling asleep; return false if it
 *	sleeps, without waking it. Called in process context, or in an interrupt
 *	without locks. NULL if the registers can always be reached
 * @put: undo a successful @get, so that the GPU can sleep again
 * @put_sync: as @put, and wait until the owner has decided whether the GPU sleeps now;
 *	in process context
 * @unused: return true if only the driver's reference keeps the GPU awake, or other
 *	code has switched it off
 * @dma: enable the GPU's access to memory, and keep an awake GPU from sleeping, or undo
 *	both; in process context. Return 0, -EAGAIN if the GPU sleeps, or another negative
 *	errno. NULL if the GPU cannot access memory
 *
 * @rd32, @wr32 and @awake are called with interrupts off and a raw spinlock held,
 * possibly with a runqueue's lock as well; the caller of @rd32 and @wr32 keeps the
 * GPU awake. Ops with @get also have @put, @put_sync and @unused.
 */
struct pcounter_io_ops {
	u32 (*rd32)(struct pcounter_io *io, u32 addr);
	void (*wr32)(struct pcounter_io *io, u32 addr, u32 val);
	bool (*awake)(struct pcounter_io *io);
	bool (*get)(struct pcounter_io *io);
	void (*put)(struct pcounter_io *io);
	void (*put_sync)(struct pcounter_io *io);
	bool (*unused)(struct pcounter_io *io);
	int (*dma)(struct pcounter_io *io, bool on);
};

/**
 * struct pcounter_io - one GPU's registers; the provider of a GPU embeds it
 * @ops: the access functions
 * @dev: the device that owns the memory for DMA, with @ops->dma
 * @boot_0: PMC.BOOT_0 at the start, 0 if it was not read
 * @straps: the first strap register, 0 if it was not read
 * @losses: number of times that the registers are known to have lost their values;
 *	only @awake of @ops increments it
 * @slow_ns: duration of a slow read, 0 for PCOUNTER_SLOW_NS
 * @slow: consecutive slow reads
 * @ended: time at the end of the last read
 * @stuck: too many reads were slow: the driver reads no register any more
 * @swapped: the registers have the opposite byte order to PCI's; the owner of the
 *	GPU has set it
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

bool pcounter_is_dead(u32 val);
int pcounter_boot_chipset(u32 boot_0);
bool pcounter_io_ask(struct pcounter_io *io);
u64 pcounter_io_dark_ns(const struct pcounter_io *io);
u32 pcounter_rd32(struct pcounter_io *io, u32 addr);
void pcounter_wr32(struct pcounter_io *io, u32 addr, u32 val);
void pcounter_io_retry(struct pcounter_io *io);

#endif
