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
#include "record/session.h"
#include "rules/signals.h"
#include "rules/topo.h"

/**
 * pcounter_lab_access() - read or write a register
 * @gpu: the GPU
 * @addr: the register
 * @read: set to the value; NULL: write
 * @write: the value to write; only while the GPU is lent
 *
 * Each call accesses only one register, since interrupts are off during the access.
 *
 * Return: false if the GPU sleeps, or has left.
 */
bool pcounter_lab_access(struct pcounter_gpu *gpu, u32 addr, u32 *read, u32 write)
{
	unsigned long flags;
	bool awake;

	if (!pcounter_gpu_get(gpu))
		return false;
	awake = pcounter_gpu_begin(gpu, &flags);
	if (awake && read)
		*read = pcounter_rd32(gpu->io, addr);
	else if (awake)
		pcounter_wr32(gpu->io, addr, write);
	pcounter_gpu_end(gpu, flags, awake);
	pcounter_gpu_put(gpu);
	return awake;
}
EXPORT_SYMBOL_NS_GPL(pcounter_lab_access, PCOUNTER_NAMESPACE);

/*
 * Functions of other files. Their files are also built for user space, where the unit
 * tests call them, so they do not export them themselves.
 */
#define LAB_NEEDS(name)	EXPORT_SYMBOL_NS_GPL(name, PCOUNTER_NAMESPACE)

/* The GPU as a whole, and memory for packets. */
LAB_NEEDS(pcounter_gpu_lend);
LAB_NEEDS(pcounter_gpu_reclaim);
LAB_NEEDS(pcounter_record_lend);
LAB_NEEDS(pcounter_record_put);

/* Addresses of a chip's registers and signals: pure functions, which exist here already. */
LAB_NEEDS(pcounter_reg_addr);
LAB_NEEDS(pcounter_status_addr);
LAB_NEEDS(pcounter_pdaemon_slots);
LAB_NEEDS(pcounter_topo_find);
LAB_NEEDS(pcounter_trailer_of);
LAB_NEEDS(pcounter_dom_name);
LAB_NEEDS(pcounter_signals);
LAB_NEEDS(pcounter_signal_names);
