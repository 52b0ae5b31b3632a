/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of record mode, and the loop that adds up runs of ordinary ones: pure, for the
 * driver and for programs that read captures. The device may be writing the packets, so
 * each word is read once, then checked, then used.
 */
#ifndef _PCOUNTER_RECORD_DECODE_H
#define _PCOUNTER_RECORD_DECODE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/dma-mapping.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#define PCOUNTER_PACKET_LONG	32
#define PCOUNTER_PACKET_SHORT	16

/* Packet, hw:memory/packets: the first 8 bytes are cycles and STOP count. */
#define PACKET_CYCLES		GENMASK_ULL(47, 0)
#define PACKET_STOP_SHIFT	48
#define PACKET_STOP		GENMASK_ULL(59, 48)
#define PACKET_MERGED		GENMASK_ULL(59, 49)	/* answers two requests or more */
#define PACKET_ZERO		GENMASK_ULL(63, 60)	/* set in an empty slot */
#define PACKET_WORDS		(PCOUNTER_PACKET_LONG / sizeof(u64))
/* Cycle counters of neighbours differ by less than this. */
#define PACKET_MAX_CLOCKS	BIT_ULL(47)

#define CTR_BITS		16
#define CTR_FULL		0xffff
/* A word has four counters. Two words with two of them each have room for sums. */
#define WORD_CTRS		4
#define WORD_PAIR		0x0000ffff0000ffffULL
#define WORD_ONES		0x0001000100010001ULL

/**
 * struct pcounter_decoder - packets that are decoded together
 * @used: number of words behind the first one that have used counters
 * @cycles: cycle counter of the packet before
 * @copy: where to copy the next packet, NULL for no copy
 * @even: sums of counters 0 and 2 of each word
 * @odd: sums of counters 1 and 3
 */
struct pcounter_decoder {
	unsigned int used;
	u64 cycles;
	u8 *copy;
	u64 even[PACKET_WORDS];
	u64 odd[PACKET_WORDS];
};

static inline u64 packet_read_head(const __le64 *slot)
{
	return le64_to_cpu(READ_ONCE(*slot));
}

/* Return true if a packet begins with @head, and is not older than one with @cycles. */
static inline bool packet_has_begun(u64 head, u64 cycles)
{
	return !(head & PACKET_ZERO) && !((head - cycles) & PACKET_MAX_CLOCKS);
}

/* Return true if @head begins an ordinary packet, which is newer than @cycles. */
static inline bool packet_is_plain(u64 head, u64 cycles)
{
	return packet_has_begun(head, cycles) && !(head & PACKET_MERGED) && (u32)head != U32_MAX;
}

/*
 * Return true if @next is plain behind a plain @head: the same bits above, and @period more
 * cycles; 0: any more.
 */
static __always_inline bool packet_is_plain_next(u64 next, u64 head, u64 period)
{
	if (period ? next - head != period : next - head - 1 >= PACKET_MAX_CLOCKS)
		return false;
	return (u32)next != U32_MAX;
}

/* Load a packet with @head; @words may be 2, for a SHORT one or one of 4 counters. */
static __always_inline void packet_load(const __le64 *slot, u64 head, unsigned int words,
					u64 *packet)
{
	packet[0] = head;
	packet[1] = le64_to_cpu(READ_ONCE(slot[1]));
	packet[2] = words > 2 ? le64_to_cpu(READ_ONCE(slot[2])) : 0;
	packet[3] = words > 2 ? le64_to_cpu(READ_ONCE(slot[3])) : 0;
}

/* Return true if one of the four counters of a word is full, and rarely if none is. */
static inline bool word_looks_full(u64 word)
{
	return (~word - WORD_ONES) & word & (WORD_ONES << (CTR_BITS - 1));
}

/* Return true if a counter in the used words may be full. */
static __always_inline bool packet_looks_full(const u64 *packet, unsigned int used)
{
	return (used > 0 && word_looks_full(packet[1])) ||
	       (used > 1 && (word_looks_full(packet[2]) || word_looks_full(packet[3])));
}

static __always_inline void packet_add_word(struct pcounter_decoder *d, const u64 *packet,
					    unsigned int i)
{
	d->even[i] += packet[i] & WORD_PAIR;
	d->odd[i] += packet[i] >> CTR_BITS & WORD_PAIR;
}

static __always_inline void packet_add(struct pcounter_decoder *d, const u64 *packet,
				       unsigned int used)
{
	if (used > 0)
		packet_add_word(d, packet, 1);
	if (used > 1) {
		packet_add_word(d, packet, 2);
		packet_add_word(d, packet, 3);
	}
}

/* Return the sum of a counter, of at most 65536 packets. */
static inline u32 packet_sum(const struct pcounter_decoder *d, unsigned int ctr)
{
	return (ctr % 2 ? d->odd : d->even)[1 + ctr / WORD_CTRS] >> ctr % WORD_CTRS / 2 * 32;
}

/* Samples are packed: a packet in one may begin anywhere. */
static __always_inline u8 *packet_put_word(u8 *copy, u64 word)
{
	__le64 raw = cpu_to_le64(word);

	memcpy(copy, &raw, sizeof(raw));
	return copy + sizeof(raw);
}

static __always_inline u8 *packet_copy(u8 *copy, const u64 *packet, bool brief)
{
	copy = packet_put_word(packet_put_word(copy, packet[0]), packet[1]);
	if (brief)
		return copy;
	return packet_put_word(packet_put_word(copy, packet[2]), packet[3]);
}

/*
 * Decode LONG packets up to one that may not be ordinary: no plain packet follows it in
 * @period cycles (0: any), or it has a full counter. There are millions of packets in a
 * second, and nearly all of them are decoded here: with constants as arguments, the compiler
 * makes a loop for each case.
 */
static __always_inline unsigned int packet_run(struct pcounter_decoder *d, const __le64 *slot,
					       unsigned int most, unsigned int used, bool copies,
					       u64 period)
{
	const unsigned int words = copies ? PACKET_WORDS : 1 + used;
	u64 packet[PACKET_WORDS], head = packet_read_head(slot), next;
	u8 *copy = d->copy;
	unsigned int n;

	if (!packet_is_plain(head, d->cycles))
		return 0;
	for (n = 0; n < most; n++, slot += PACKET_WORDS, head = next) {
		next = packet_read_head(slot + PACKET_WORDS);
		if (!packet_is_plain_next(next, head, period))
			break;
		dma_rmb();
		packet_load(slot, head, words, packet);
		if (packet_looks_full(packet, used))
			break;
		packet_add(d, packet, used);
		if (copies)
			copy = packet_copy(copy, packet, false);
		d->cycles = head;
	}
	d->copy = copy;
	return n;
}

#endif
