// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode as one of the ways in which a domain counts (count/mode.h).
 * gpu->lock is held but for setup and release.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "count/gpu.h"
#include "count/mode.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "record/record.h"

/* Out of record mode, whatever the registers hold meanwhile. */
static void record_mode_off(struct pcounter_gpu *gpu, unsigned int dom)
{
	unsigned int block = gpu->topo.dom[dom].block;
	struct pcounter_domain *d = &gpu->dom[dom];
	u32 ctrl;

	if (!pcounter_ctrl_records(gpu->io, block, &ctrl))
		return;
	ctrl = pcounter_ctrl_in_quad(ctrl);
	pcounter_ctrl_write(gpu->io, block, ctrl);
	if (pcounter_domain_is_saved(d))
		d->hw.ctrl = ctrl;
	pcounter_domain_unprogram(d);
}

/**
 * pcounter_record_halt() - nothing is written to memory any more
 * @gpu: the GPU, held
 * @dom: domain index
 */
void pcounter_record_halt(struct pcounter_gpu *gpu, unsigned int dom)
{
	pcounter_stream_stop(gpu, dom);
	record_mode_off(gpu, dom);
}

static void record_rest(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	if (s && s->running && !s->divert)
		pcounter_record_halt(gpu, dom);
}

static void record_collect(struct pcounter_gpu *gpu, unsigned int dom)
{
	if (!gpu->dom[dom].sampled)
		pcounter_record_look(gpu, dom);
	pcounter_record_drain(gpu, dom);
}

static bool record_intact(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_domain *d = &gpu->dom[dom];

	return pcounter_read_quad_state(&d->block, &d->hw) < PCOUNTER_QUAD_FOREIGN;
}

static bool record_refuses(const struct pcounter_gpu *gpu, unsigned int dom)
{
	return gpu->record->wedged & BIT(dom);
}

static const struct pcounter_mode_ops record_mode = {
	.program = pcounter_stream_program,
	.update = pcounter_record_update,
	.collect = record_collect,
	.collect_ns = pcounter_record_poll_ns,
	.intact = record_intact,
	.stop = pcounter_stream_stop,
	.rest = record_rest,
	.refuses = record_refuses,
	.lost = pcounter_stream_lost,
};

/**
 * pcounter_record_setup() - prepare record mode; writes no register
 * @gpu: the GPU, after pcounter_gpu_init()
 *
 * Return: 0 or -ENOMEM.
 */
int pcounter_record_setup(struct pcounter_gpu *gpu)
{
	gpu->record = kzalloc(sizeof(*gpu->record), GFP_KERNEL);
	if (!gpu->record)
		return -ENOMEM;
	mutex_init(&gpu->record->mutex);
	if (gpu->topo.caps & PCOUNTER_CAP_RECORD)
		gpu->record_mode = &record_mode;
	return 0;
}

/**
 * pcounter_record_release() - undo pcounter_record_setup()
 * @gpu: the GPU; all streams are closed
 */
void pcounter_record_release(struct pcounter_gpu *gpu)
{
	kfree(gpu->record);
}
