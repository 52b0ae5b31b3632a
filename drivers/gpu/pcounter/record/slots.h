/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slots of a ring and the packets in them.
 */
#ifndef _PCOUNTER_RECORD_SLOTS_H
#define _PCOUNTER_RECORD_SLOTS_H

#include <linux/types.h>

struct pcounter_batch;
struct pcounter_stream;

#define PCOUNTER_PACKET_LONG	32
#define PCOUNTER_PACKET_SHORT	16
/* A packet that the position is past gets this many looks to arrive. */
#define PCOUNTER_LATE_LOOKS	16
/* After this many looks, every write that was in flight at the first one has landed. */
#define PCOUNTER_CLEAN_LOOKS	2

void pcounter_slots_empty(const struct pcounter_stream *s, u64 position, u32 bytes);
bool pcounter_slots_landed(const struct pcounter_stream *s);
unsigned int pcounter_slots_read(const struct pcounter_stream *s, unsigned int most, u8 *copy,
				 struct pcounter_batch *batch);
unsigned int pcounter_slots_skim(const struct pcounter_stream *s, unsigned int most,
				 u64 period, struct pcounter_batch *batch);

#endif
