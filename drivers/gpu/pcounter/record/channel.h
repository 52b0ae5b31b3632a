/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channel through which PCOUNTER writes packets.
 */
#ifndef _PCOUNTER_RECORD_CHANNEL_H
#define _PCOUNTER_RECORD_CHANNEL_H

#include <linux/types.h>

struct pcounter_gpu;

int pcounter_channel_alloc(struct pcounter_gpu *gpu);
int pcounter_channel_bind(struct pcounter_gpu *gpu);
void pcounter_channel_free(struct pcounter_gpu *gpu);
bool pcounter_channel_flush(struct pcounter_gpu *gpu);
bool pcounter_channel_forget(struct pcounter_gpu *gpu);
u32 pcounter_channel_wait(struct pcounter_gpu *gpu, unsigned int dom);

#endif
