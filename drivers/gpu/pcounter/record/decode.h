/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of record mode, hw:memory/packets: what the bytes say, for the driver and for
 * the program. No state but the decoder's own, and no access but to the packets.
 *
 * The first 8 bytes are the cycle counter and the number of requests that the packet
 * answers; an empty slot is filled with ones, with which no packet begins. Counters follow.
 *
 * Records of GF100 and later, hw:stream/record, begin with the time, the domain's id and
 * flags; struct pcounter_record_stream has the rest.
 */
#ifndef _PCOUNTER_RECORD_DECODE_H
#define _PCOUNTER_RECORD_DECODE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>

#include "rules/place.h"

#define PCOUNTER_PACKET_LONG	32
#define PCOUNTER_PACKET_SHORT	16
#define PCOUNTER_PACKET_WORDS	(PCOUNTER_PACKET_LONG / sizeof(u64))
#define PCOUNTER_PACKET_EMPTY	0xff	/* each byte of an empty slot */

#define PCOUNTER_PACKET_CYCLES		GENMASK_ULL(47, 0)
#define PCOUNTER_PACKET_STOP_SHIFT	48
#define PCOUNTER_PACKET_STOP		GENMASK_ULL(59, 48)
#define PCOUNTER_PACKET_MERGED		GENMASK_ULL(59, 49)	/* two requests or more */
#define PCOUNTER_PACKET_ZERO		GENMASK_ULL(63, 60)	/* set in an empty slot */
/* Cycle counters of neighbours differ by less than this. */
#define PCOUNTER_PACKET_MOST_CLOCKS	BIT_ULL(47)

/* PERIODIC_PERIOD n is 2^(9 + n) clocks. Where no event sets it: 37 000 packets/s at 600 MHz */
#define PCOUNTER_PERIODIC_SHIFT		9
#define PCOUNTER_PERIODIC_DEFAULT	5

/* A packet that the position is past gets this many looks to arrive. */
#define PCOUNTER_LATE_LOOKS	16
/* After this many looks, every write that was in flight at the first one has landed. */
#define PCOUNTER_CLEAN_LOOKS	2

/* A word has four counters, which stop when they are full. */
#define PCOUNTER_WORD_CTRS	4
#define PCOUNTER_CTR_BITS	16
#define PCOUNTER_CTR_FULL	0xffff

/* The first word of a record of GF100 and later. */
#define PCOUNTER_TIMED_CLOCK		GENMASK_ULL(39, 0)
#define PCOUNTER_TIMED_WRAP		24	/* bits that the time lacks */
#define PCOUNTER_TIMED_ID_SHIFT	40
#define PCOUNTER_TIMED_SAMPLES		GENMASK_ULL(59, 48)
#define PCOUNTER_TIMED_SAMPLES_SHIFT	48
#define PCOUNTER_TIMED_DELAYED		BIT_ULL(60)
#define PCOUNTER_TIMED_HALF		BIT_ULL(61)
#define PCOUNTER_TIMED_EMPTY		BIT_ULL(62)
#define PCOUNTER_TIMED_ZERO		GENMASK_ULL(63, 62)	/* set in an empty slot */

/**
 * struct pcounter_batch - consecutive packets, decoded and added up
 * @n: number of packets
 * @merged: requests beyond the first one that a packet answers
 * @full: a used counter is full; the batch is this one packet, and is not counted
 * @cycles: cycle counter of the last packet, 48 bits
 * @clocks: cycles that the packets cover, 0 if unknown
 * @ctr: sums of the used counters
 */
struct pcounter_batch {
	unsigned int n;
	unsigned int merged;
	bool full;
	u64 cycles;
	u64 clocks;
	u64 ctr[PCOUNTER_RECORD_SLOTS];
};

/**
 * struct pcounter_decoder - packets that are decoded together
 * @used: number of words behind the first one that have used counters
 * @cycles: first word of the packet before
 * @copy: where to copy the next packet, NULL for no copy
 * @even: sums of counters 0 and 2 of each word
 * @odd: sums of counters 1 and 3
 */
struct pcounter_decoder {
	unsigned int used;
	u64 cycles;
	u8 *copy;
	u64 even[PCOUNTER_PACKET_WORDS];
	u64 odd[PCOUNTER_PACKET_WORDS];
};

static inline u64 pcounter_packet_head(const __le64 *slot)
{
	return le64_to_cpu(READ_ONCE(*slot));
}

/* Return true if a packet begins with @head, and is not older than one with @cycles. */
static inline bool pcounter_packet_has_begun(u64 head, u64 cycles)
{
	return !(head & PCOUNTER_PACKET_ZERO) &&
	       !((head - cycles) & PCOUNTER_PACKET_MOST_CLOCKS);
}

/* Return true if a packet with @next follows one with @head, which is then complete. */
static inline bool pcounter_packet_follows(u64 next, u64 head)
{
	return pcounter_packet_has_begun(next, head) && (next - head) & PCOUNTER_PACKET_CYCLES;
}

/* Return how many requests beyond the first one a packet answers. */
static inline unsigned int pcounter_packet_merged(u64 head)
{
	return head & PCOUNTER_PACKET_MERGED ?
	       ((head & PCOUNTER_PACKET_STOP) >> PCOUNTER_PACKET_STOP_SHIFT) - 1 : 0;
}

static inline u8 pcounter_timed_id(u64 head)
{
	return head >> PCOUNTER_TIMED_ID_SHIFT;
}

/* Return the number of requests from one record of a domain to another; 0 if it stands still. */
static inline unsigned int pcounter_timed_requests(u64 head, u64 before)
{
	u64 samples = (head & PCOUNTER_TIMED_SAMPLES) - (before & PCOUNTER_TIMED_SAMPLES);

	return (samples & PCOUNTER_TIMED_SAMPLES) >> PCOUNTER_TIMED_SAMPLES_SHIFT;
}

/* Return true if the time of a record is later than that of another one. */
static inline bool pcounter_timed_follows(u64 head, u64 before)
{
	return (s64)((head - before) << PCOUNTER_TIMED_WRAP) > 0;
}

/* Return the time of a record without its wrap-around: the one that is nearest to @near. */
static inline u64 pcounter_timed_clock(u64 head, u64 near)
{
	return near + ((s64)((head - near) << PCOUNTER_TIMED_WRAP) >> PCOUNTER_TIMED_WRAP);
}

/* Load a packet with @head; @words may be 2, for a SHORT one or one of 4 counters. */
static __always_inline void pcounter_packet_load(const __le64 *slot, u64 head,
						 unsigned int words, u64 *packet)
{
	packet[0] = head;
	packet[1] = le64_to_cpu(READ_ONCE(slot[1]));
	packet[2] = words > 2 ? le64_to_cpu(READ_ONCE(slot[2])) : 0;
	packet[3] = words > 2 ? le64_to_cpu(READ_ONCE(slot[3])) : 0;
}

/* Samples are packed: a packet in one may begin anywhere. */
static __always_inline u8 *pcounter_packet_put(u8 *copy, u64 word)
{
	__le64 raw = cpu_to_le64(word);

	memcpy(copy, &raw, sizeof(raw));
	return copy + sizeof(raw);
}

/* Copy a packet, which is SHORT if it is @brief; return the place behind the copy. */
static __always_inline u8 *pcounter_packet_copy(u8 *copy, const u64 *packet, bool brief)
{
	copy = pcounter_packet_put(pcounter_packet_put(copy, packet[0]), packet[1]);
	return brief ? copy :
	       pcounter_packet_put(pcounter_packet_put(copy, packet[2]), packet[3]);
}

/*
 * Return after how many looks a packet that no other one follows is certainly whole. The bus
 * transfers 4 bytes at once. Two full counters look like a piece that is not there yet, and a
 * slot that was not empty shows no such piece.
 */
static inline unsigned int pcounter_packet_looks(const u64 *packet, bool was_empty)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_PACKET_WORDS; i++)
		if ((u32)packet[i] == U32_MAX || packet[i] >> 32 == U32_MAX)
			return PCOUNTER_LATE_LOOKS;
	return was_empty ? 0 : PCOUNTER_CLEAN_LOOKS;
}

bool pcounter_packet_is_full(const u64 *packet, u16 used);

unsigned int pcounter_decode_run(struct pcounter_decoder *d, const __le64 *slot,
				 unsigned int most);
void pcounter_decode_one(struct pcounter_decoder *d, const u64 *packet, bool brief,
			 struct pcounter_batch *batch);
void pcounter_decode_end(const struct pcounter_decoder *d, u64 cycles,
			 struct pcounter_batch *batch);

#endif
