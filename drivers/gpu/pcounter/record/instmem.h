/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channel structure of record mode in video memory, for GPUs that do not
 * take it from system memory.
 */
#ifndef _PCOUNTER_RECORD_INSTMEM_H
#define _PCOUNTER_RECORD_INSTMEM_H

#include <linux/types.h>

struct pcounter_gpu;

/**
 * struct pcounter_instmem - a piece of video memory that is borrowed
 * @addr: where it begins, 0 for none
 * @words: how many 32-bit words are to be kept up to date, and put back
 * @found: what was in it
 */
struct pcounter_instmem {
	u64 addr;
	unsigned int words;
	u32 *found;
};

int pcounter_instmem_borrow(struct pcounter_gpu *gpu);
bool pcounter_instmem_write(struct pcounter_gpu *gpu);
void pcounter_instmem_give_back(struct pcounter_gpu *gpu);
void pcounter_instmem_forget(struct pcounter_gpu *gpu);

#endif
