// SPDX-License-Identifier: GPL-2.0-only
/*
 * The channel structure of record mode in video memory (hw:memory/cpu),
 * for GPUs that do not take it from system memory. No source shows one that does.
 *
 * Nobody lends video memory to a module beside the graphics driver: this is for
 * GPUs without one. What the piece held is put back afterwards.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "params.h"
#include "record/record.h"

/* The VBIOS has the last MiB; what is before it belongs to whoever drives the GPU. */
#define INSTMEM_FROM_END	0x200000
#define INSTMEM_LEAST		0x1000000
/* Words at a time, with interrupts off. */
#define INSTMEM_CHUNK		16U
#define FLUSH_POLL_US		10

/*
 * @n words from number @first on, through the window, which is put back to where it
 * was. Asleep or dead: false.
 */
static bool move(struct pcounter_gpu *gpu, unsigned int first, unsigned int n,
		 u32 *words, bool out)
{
	struct pcounter_instmem *mem = &gpu->record->instmem;
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);
	bool moved = awake && pcounter_pramin_move(gpu->io, mem->addr, first, n, words, out);

	pcounter_gpu_end(gpu, flags, awake);
	return moved;
}

static bool move_found(struct pcounter_gpu *gpu, bool out)
{
	struct pcounter_instmem *mem = &gpu->record->instmem;
	unsigned int i;

	for (i = 0; i < mem->words; i += INSTMEM_CHUNK)
		if (!move(gpu, i, min(INSTMEM_CHUNK, mem->words - i), mem->found + i, out))
			return false;
	return true;
}

/* The GPU sees what was written through a BAR only after this. */
static bool flush(struct pcounter_gpu *gpu)
{
	pcounter_gpu_write(gpu, pcounter_bar_flush);
	return pcounter_gpu_wait(gpu, pcounter_bar_state, pcounter_bar_busy, FLUSH_POLL_US);
}

/**
 * pcounter_instmem_borrow() - find a place in video memory
 * @gpu: the GPU, its channel structure made and not yet bound
 *
 * Return: 0, also if system memory is to be used; -EIO if the GPU does not say how
 * much memory it has, or it does not keep what is written; -ENOMEM.
 */
int pcounter_instmem_borrow(struct pcounter_gpu *gpu)
{
	struct pcounter_instmem *mem = &gpu->record->instmem;
	u32 val;
	u64 size;

	if (!pcounter_record_params.vram)
		return 0;
	val = pcounter_gpu_read(gpu, pcounter_vram_read_size);
	size = pcounter_vram_bytes(val);
	if (pcounter_is_dead(val) || size < INSTMEM_LEAST)
		return -EIO;
	mem->words = gpu->record->vm.chan.size / sizeof(u32);
	mem->found = kvcalloc(mem->words, sizeof(u32), GFP_KERNEL);
	if (!mem->found)
		return -ENOMEM;
	mem->addr = (size - INSTMEM_FROM_END) & ~(u64)(G80_PRAMIN_PAGE - 1);
	gpu->record->vm.vram = mem->addr;
	if (move_found(gpu, false)) {
		if (pcounter_instmem_write(gpu))
			return 0;
	} else {
		mem->words = 0;
	}
	pcounter_instmem_give_back(gpu);
	return -EIO;
}

/**
 * pcounter_instmem_write() - the channel structure has changed
 * @gpu: the GPU
 *
 * Return: false if it is to be in video memory, and could not be put there.
 */
bool pcounter_instmem_write(struct pcounter_gpu *gpu)
{
	struct pcounter_instmem *mem = &gpu->record->instmem;
	const __le32 *ours = gpu->record->vm.chan.cpu;
	unsigned int object = pcounter_vm_selector(&gpu->record->vm) * 4, i, k;
	u32 words[INSTMEM_CHUNK], kept;

	if (!mem->words || READ_ONCE(gpu->record->lost))
		return true;
	for (i = 0; i < mem->words; i += k) {
		for (k = 0; k < min(INSTMEM_CHUNK, mem->words - i); k++)
			words[k] = le32_to_cpu(ours[i + k]);
		if (!move(gpu, i, k, words, true))
			return false;
	}
	return flush(gpu) && move(gpu, object, 1, &kept, false) &&
	       kept == le32_to_cpu(ours[object]);
}

/**
 * pcounter_instmem_give_back() - the GPU has forgotten the channel
 * @gpu: the GPU
 */
void pcounter_instmem_give_back(struct pcounter_gpu *gpu)
{
	struct pcounter_instmem *mem = &gpu->record->instmem;

	if (mem->words && !gpu->gone && move_found(gpu, true))
		flush(gpu);
	kvfree(mem->found);
	*mem = (struct pcounter_instmem){ };
}

/**
 * pcounter_instmem_forget() - the GPU has forgotten its memory, too
 * @gpu: the GPU
 *
 * Nothing is put back.
 */
void pcounter_instmem_forget(struct pcounter_gpu *gpu)
{
	gpu->record->instmem.words = 0;
}
