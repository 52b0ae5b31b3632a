/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From packets to the totals of requests.
 */
#ifndef _PCOUNTER_RECORD_PACKETS_H
#define _PCOUNTER_RECORD_PACKETS_H

#include "record/record.h"

/* PERIODIC_PERIOD where no event sets it: 2^14 clocks, 37 000 packets/s at 600 MHz */
#define PCOUNTER_PERIODIC_DEFAULT	5

unsigned int pcounter_record_read(struct pcounter_gpu *gpu, unsigned int dom, unsigned int most,
				  u8 *copy, struct pcounter_batch *batch);
unsigned int pcounter_record_count(struct pcounter_gpu *gpu, unsigned int dom,
				   unsigned int most);
void pcounter_record_drain(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_force(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_update(struct pcounter_gpu *gpu, unsigned int dom);
bool pcounter_record_update_some(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_update_last(struct pcounter_gpu *gpu, unsigned int dom);
u64 pcounter_record_period(const struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_join(struct pcounter_gpu *gpu, unsigned int dom);

/*
 * Return true if all requests of a domain count. A new one begins some packets later;
 * its @begun is the part of its total from before that.
 */
static inline bool pcounter_record_settled(const struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_domain *d = &gpu->dom[dom];
	const struct pcounter_stream *s;

	if (!d->mode || d->mode != gpu->record_mode)
		return true;
	s = pcounter_stream_of(gpu, dom);
	return !s || (s64)(d->swaps - s->joined) >= 0;
}

/*
 * Return true if the packets that were read last were made as a whole for this request.
 * The first packet behind a loss has no number of its own.
 */
static inline bool pcounter_record_is_for(const struct pcounter_gpu *gpu, unsigned int dom,
					  unsigned int client, const struct pcounter_batch *batch)
{
	const struct pcounter_domain *d = &gpu->dom[dom];
	const struct pcounter_client *u = &d->client[client];

	return u->placed && (s64)(d->swaps - u->since) >= (batch->clocks ? 1 : 0);
}

#endif
