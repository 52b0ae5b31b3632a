/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the laboratory, a module of its own, has of this one. Beside these functions it
 * calls some that are pure, and pcounter_gpu_lend(), pcounter_gpu_reclaim(),
 * pcounter_record_lend() and pcounter_record_put(). Of a GPU it reads what does not
 * change: chip, gen, topo.
 */
#ifndef _PCOUNTER_LEND_H
#define _PCOUNTER_LEND_H

#include <linux/types.h>

struct file_operations;
struct pcounter_gpu;
struct pcounter_pmu;

/**
 * struct pcounter_lab - files of the laboratory, which each GPU has in debugfs
 * @experiment: makes experiments
 * @registers: shows registers; nobody can write it, so that lockdown lets it be read
 *
 * inode->i_private is the GPU. It stays until all calls into an open file have returned.
 */
struct pcounter_lab {
	const struct file_operations *experiment;
	const struct file_operations *registers;
};

void pcounter_lab_attach(const struct pcounter_lab *lab);
void pcounter_lab_detach(void);
bool pcounter_lab_access(struct pcounter_gpu *gpu, u32 addr, u32 *read, u32 write);

void pcounter_lab_add(struct pcounter_pmu *ppmu);
void pcounter_lab_remove(struct pcounter_pmu *ppmu);

#endif
