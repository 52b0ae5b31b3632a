/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface for the laboratory, a separate module. Beside the functions here the
 * laboratory calls pure functions, and pcounter_gpu_lend(), pcounter_gpu_reclaim(),
 * pcounter_record_get(), pcounter_record_put() and pcounter_gf100_bind(). Of a GPU it reads
 * only constant members (chip, gen, topo), and the ring of the stream that it has got, which
 * stays during the experiment: a suspend waits for the end of the experiment.
 */
#ifndef _PCOUNTER_LENT_H
#define _PCOUNTER_LENT_H

#include <linux/fs.h>
#include <linux/types.h>

struct pcounter_gpu;
struct pcounter_pmu;

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

void pcounter_lent_add(struct pcounter_pmu *ppmu);
void pcounter_lent_remove(struct pcounter_pmu *ppmu);

void pcounter_lend_files(const struct pcounter_lab *lab);
bool pcounter_gpu_access(struct pcounter_gpu *gpu, u32 addr, u32 *read, u32 write);

#endif
