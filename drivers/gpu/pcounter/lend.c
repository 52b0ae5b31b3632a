// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interface for the laboratory: access to a GPU's registers one at a time, and the
 * exported symbols.
 */
#include <linux/export.h>

#include "compat.h"
#include "count/gpu.h"
#include "hw/idle.h"
#include "hw/io.h"
#include "hw/registers.h"
#include "lend.h"
#include "record/record.h"
#include "rules/lookup.h"
#include "rules/topo.h"

/**
 * pcounter_gpu_access() - read or write a register
 * @gpu: the GPU
 * @addr: the register
 * @read: set to the value; NULL: write
 * @write: the value to write; only while the GPU is lent
 *
 * Each call accesses only one register, since interrupts are off during the access.
 *
 * Return: false if the GPU sleeps, or has left.
 */
bool pcounter_gpu_access(struct pcounter_gpu *gpu, u32 addr, u32 *read, u32 write)
{
	CLASS(pcounter_ref, ref)(gpu);
	if (!ref)
		return false;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	if (awake && read)
		*read = pcounter_rd32(gpu->io, addr);
	else if (awake)
		pcounter_wr32(gpu->io, addr, write);
	return awake;
}
EXPORT_SYMBOL_NS_GPL(pcounter_gpu_access, PCOUNTER_NAMESPACE);

/*
 * Functions of other files. Their files are also built for user space, where the unit
 * tests call them, so they do not export them themselves.
 */
#define LENDS(name)	EXPORT_SYMBOL_NS_GPL(name, PCOUNTER_NAMESPACE)

/* The GPU as a whole, and memory for packets. */
LENDS(pcounter_gpu_lend);
LENDS(pcounter_gpu_reclaim);
LENDS(pcounter_record_get);
LENDS(pcounter_record_put);

/* Addresses of a chip's registers and signals: pure functions, which exist here already. */
LENDS(pcounter_reg_addr);
LENDS(pcounter_status_addr);
LENDS(pcounter_pdaemon_slots);
LENDS(pcounter_topo_find);
LENDS(pcounter_trailer_of);
LENDS(pcounter_dom_name);
LENDS(pcounter_signals);
LENDS(pcounter_signal_names);
