// SPDX-License-Identifier: GPL-2.0-only
/*
 * TLB flushes for record mode, by a register that the graphics driver writes, too.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/dev_printk.h>
#include <linux/errno.h>
#include <linux/types.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "record/record.h"

#define FLUSH_POLL_US		50
/* Flushes of other engines may come in between as often. */
#define FLUSH_TRIES		8
/* that a mask has room for; there are fewer */
#define ENGINES			32

/* A flush of another engine was asked for while ours was: one of them may be lost. */
static bool flush_collides(struct pcounter_record *r, u32 val, u32 engine)
{
	u32 other = pcounter_tlb_engine(val);

	if (other == engine) {
		r->flush_tells |= engine && !pcounter_tlb_busy(val);
		return false;
	}
	/* without a flush, 0 may be PGRAPH's number or say nothing */
	if (!pcounter_tlb_busy(val) && !other && !r->flush_tells)
		return false;
	if (other < ENGINES)
		r->flushes_owed |= BIT(other);
	return true;
}

/*
 * Nobody else's may be in progress. From the look at that to the write it is two
 * register accesses, without an interrupt in between.
 */
static bool flush_begin(struct pcounter_gpu *gpu, u32 engine, u32 *val)
{
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);
	bool begun;

	*val = PCOUNTER_DEAD;
	begun = awake && pcounter_tlb_flush(gpu->io, engine, val);
	pcounter_gpu_end(gpu, flags, awake);
	return begun;
}

/* Waits for a flush by another driver, which that has begun before. */
static bool flush_await(struct pcounter_gpu *gpu)
{
	return pcounter_gpu_wait(gpu, pcounter_tlb_state, pcounter_tlb_busy, FLUSH_POLL_US);
}

/* Returns 0 if it is done, and was alone as far as can be seen; -EAGAIN; -EIO. */
static int flush_once(struct pcounter_gpu *gpu, u32 engine)
{
	struct pcounter_record *r = gpu->record;
	bool collision;
	unsigned int i;
	u32 val;

	if (!flush_await(gpu))
		return -EIO;
	if (!flush_begin(gpu, engine, &val))
		return val == PCOUNTER_DEAD ? -EIO : -EAGAIN;
	collision = flush_collides(r, val, engine);
	for (i = 0; i < PCOUNTER_WAIT_POLLS && pcounter_tlb_busy(val); i++) {
		usleep_range(FLUSH_POLL_US, 2 * FLUSH_POLL_US);
		val = pcounter_gpu_read(gpu, pcounter_tlb_state);
		if (val == PCOUNTER_DEAD)
			return -EIO;
		collision |= flush_collides(r, val, engine);
	}
	if (pcounter_tlb_busy(val))
		return -EIO;
	return collision ? -EAGAIN : 0;
}

static bool flush_engine_certainly(struct pcounter_gpu *gpu, u32 engine)
{
	unsigned int i;
	int err = -EAGAIN;

	for (i = 0; err == -EAGAIN && i < FLUSH_TRIES; i++)
		err = flush_once(gpu, engine);
	return !err;
}

/*
 * The driver that asked for them believes that they are done. Not PGRAPH's: that may
 * hang when it is flushed while it works (hw:memory/tlb), and only its driver
 * can halt it.
 */
static void flush_for_others(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	u32 owed = r->flushes_owed & ~BIT(G80_VM_ENGINE_PGRAPH);
	unsigned int i;

	if (r->flushes_owed & BIT(G80_VM_ENGINE_PGRAPH))
		dev_warn_once(gpu->io->dev,
			      "pcounter: a TLB flush of the graphics driver may have been lost\n");
	r->flushes_owed = 0;
	for (i = 0; i < ENGINES; i++)
		if (owed & BIT(i))
			flush_engine_certainly(gpu, i);
	r->flushes_owed = 0;
}

/**
 * pcounter_record_flush() - let PCOUNTER forget all translations
 * @gpu: the GPU
 *
 * The graphics driver flushes by the same register, with a lock that we cannot
 * take, and one of two flushes at once may be lost. Where the register tells that
 * there were two, it is done again, for both; twice in any case.
 *
 * Return: whether that is certain.
 */
bool pcounter_record_flush(struct pcounter_gpu *gpu)
{
	unsigned int i;
	bool done = true;

	for (i = 0; done && i < 2; i++)
		done = flush_engine_certainly(gpu, G80_VM_ENGINE_PCOUNTER);
	flush_for_others(gpu);
	return done;
}

/**
 * pcounter_record_keep() - the GPU may still know memory: that is lost from now on
 * @gpu: the GPU
 *
 * Better a leak than a GPU that writes into what somebody else has got.
 */
void pcounter_record_keep(struct pcounter_gpu *gpu)
{
	if (!gpu->record->stuck)
		dev_warn(gpu->io->dev,
			 "pcounter: the TLB is not flushed: record mode ends, its memory is kept\n");
	gpu->record->stuck = true;
}
