// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds packets of record mode to the totals of requests. The caller holds gpu->lock in all
 * functions, and must not hold it for long: packets for which there is no time are left to
 * the next call.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>

#include "hw/registers.h"
#include "record/record.h"

/* Limits on packets of a domain that are read in one snapshot, with interrupts off. */
#define READ_MOST		4096U
#define READ_LEAST		32U
/* Polls for a packet that software has requested, 1 us apart. */
#define FORCE_POLLS		20
#define USER_0			BIT(0)

/* ---- reading ---- */

/**
 * pcounter_record_join() - let all requests of a domain count from the next packet on
 * @gpu: the GPU
 * @dom: domain index; a domain with a stream
 */
void pcounter_record_join(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];
	unsigned int i;

	pcounter_stream_of(gpu, dom)->joined = d->swaps;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		d->client[i].begun = d->client[i].total;
}

static void add_batch(struct pcounter_domain *d, const struct pcounter_batch *batch)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_client *client = &d->client[i];

		if (!pcounter_period_is_whole(d, client))
			continue;
		client->total += client->slot == PCOUNTER_NO_SLOT ? batch->clocks :
							       batch->ctr[client->slot];
		client->measured = true;
	}
}

/* Count a batch, unless the packet before it was lost: then nobody knows its cycles. */
static void take_batch(struct pcounter_gpu *gpu, unsigned int dom, struct pcounter_batch *batch)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	bool settled = pcounter_record_settled(gpu, dom);

	if (s->resync)
		batch->clocks = 0;
	else
		d->swaps += batch->n;
	if (!s->resync && !batch->full)
		add_batch(d, batch);
	if (!settled && pcounter_record_settled(gpu, dom))
		pcounter_record_join(gpu, dom);
	s->resync = false;
	s->tail += batch->n * s->packet;
	s->late = 0;
	s->cycles = batch->cycles;
	s->time = local_clock();
	s->full = batch->full ? s->full + 1 : 0;
	s->full_looks = batch->full ? s->full_looks : 0;
	s->loss.packets += batch->n;
	s->loss.merged += batch->merged;
	s->loss.saturated += batch->full;
}

/**
 * pcounter_record_read() - read and count packets that have arrived
 * @gpu: the GPU
 * @dom: domain index
 * @most: packets at most
 * @copy: where to copy the packets, NULL if only their counts are wanted
 * @batch: the packets, decoded
 *
 * Does not count the first packet after a loss. Does not count one with a full counter
 * either, for any request of the domain, so that events and cycles stay comparable. Such
 * packets, and packets that only some requests count, are batches of their own.
 *
 * Return: the number of packets.
 */
unsigned int pcounter_record_read(struct pcounter_gpu *gpu, unsigned int dom, unsigned int most,
				  u8 *copy, struct pcounter_batch *batch)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);

	batch->n = 0;
	if (!pcounter_stream_runs(s))
		return 0;
	/* user space can write to a reader's pages, too */
	if (s->ring->reader)
		most = min_t(u32, most, pcounter_stream_unread(s));
	if (s->resync || !pcounter_record_settled(gpu, dom))
		most = min(most, 1U);
	if (most && pcounter_slots_read(s, most, copy, batch))
		take_batch(gpu, dom, batch);
	return batch->n;
}

/*
 * Count packets that stay in a reader's ring. If all events count clocks, the number of
 * packets is enough. Only the last packet and irregular packets have to be read.
 */
static void skim(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_batch batch;
	s32 most;

	if (!pcounter_stream_runs(s) || s->resync || !pcounter_stream_skims(s) ||
	    !pcounter_record_settled(gpu, dom))
		return;
	most = pcounter_stream_unread(s);
	/* one packet alone is never skimmed */
	if (most < 2)
		return;
	s->skimmed = pcounter_slots_skim(s, most, pcounter_record_period(gpu, dom), &batch);
	if (s->skimmed)
		take_batch(gpu, dom, &batch);
}

/**
 * pcounter_record_count() - count packets that have arrived, without samples of them
 * @gpu: the GPU
 * @dom: domain index
 * @most: packets to read at most; any number is skimmed
 *
 * Return: the number of packets that were read.
 */
unsigned int pcounter_record_count(struct pcounter_gpu *gpu, unsigned int dom,
				   unsigned int most)
{
	struct pcounter_batch batch;
	unsigned int n, got = 1;

	skim(gpu, dom);
	for (n = 0; n < most && got; n += got)
		got = pcounter_record_read(gpu, dom, most - n, NULL, &batch);
	return n;
}

/* ---- reading all, in time ---- */

/**
 * pcounter_record_drain() - count packets that have arrived, without a register access
 * @gpu: the GPU
 * @dom: domain index
 *
 * Packets for which there is no time are read soon. Packets of which samples are made are
 * left to the caller of pcounter_record_read().
 */
void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	if (!s || gpu->dom[dom].sampled)
		return;
	if (r->epoch != gpu->epoch) {
		r->epoch = gpu->epoch;
		r->began = ktime_get_mono_fast_ns();
	}
	s->behind = false;
	/* no more than a ring: packets arrive while others are read */
	for (i = 0; i < min(s->slots, READ_MOST); i += READ_LEAST) {
		if (i && ktime_get_mono_fast_ns() - r->began >= gpu->most_ns)
			break;
		if (pcounter_record_count(gpu, dom, READ_LEAST) < READ_LEAST)
			return;
	}
	s->behind = true;
}

/**
 * pcounter_record_force() - request a packet now, if software can
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_force(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_stream *s = pcounter_stream_of(gpu, dom);
	struct pcounter_domain *d = &gpu->dom[dom];
	unsigned int i;

	if (!pcounter_stream_runs(s) || !gpu->topo.dom[dom].user || !pcounter_domain_ok(gpu, d))
		return;
	pcounter_drive_user(&d->block, &d->hw, d->hw.user | USER_0, USER_0);
	for (i = 0; i < FORCE_POLLS && !pcounter_slots_landed(s); i++)
		udelay(1);
}

/**
 * pcounter_record_update() - bring a domain's totals up to now
 * @gpu: the GPU
 * @dom: domain index
 */
void pcounter_record_update(struct pcounter_gpu *gpu, unsigned int dom)
{
	pcounter_record_drain(gpu, dom);
	pcounter_record_force(gpu, dom);
	pcounter_record_drain(gpu, dom);
}
