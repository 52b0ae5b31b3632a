/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface for the laboratory, a separate module. Beside these functions
 * it calls pure functions, and pcounter_gpu_lend(), pcounter_gpu_reclaim(),
 * pcounter_record_get() and pcounter_record_put(). It reads only the constant
 * members of a GPU, chip, gen, topo, and the ring of the stream that it has got:
 * a suspend waits for the experiment.
 */
#ifndef _PCOUNTER_LEND_H
#define _PCOUNTER_LEND_H

#include <linux/fs.h>
#include <linux/types.h>

struct pcounter_gpu;

/**
 * struct pcounter_lab - the laboratory's files in debugfs, for each GPU
 * @experiment: runs experiments
 * @registers: shows registers; read-only, since lockdown then permits reads
 *
 * inode->i_private is the GPU. The GPU stays until all calls into an open file have returned.
 */
struct pcounter_lab {
	const struct file_operations *experiment;
	const struct file_operations *registers;
};

void pcounter_lend_files(const struct pcounter_lab *lab);
bool pcounter_gpu_access(struct pcounter_gpu *gpu, u32 addr, u32 *read, u32 write);

#endif
