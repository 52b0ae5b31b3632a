// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of packets (record/decode.h). Each word that the device writes is read once,
 * then checked, then used.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/kernel.h>

#include "record/decode.h"

/* Two words with two counters each have room for sums. */
#define WORD_PAIR		0x0000ffff0000ffffULL
#define WORD_ONES		0x0001000100010001ULL

/**
 * pcounter_packet_is_full() - check for a full counter, which may have missed events
 * @packet: the packet
 * @used: mask of the counters that matter
 *
 * Return: true if one is full.
 */
bool pcounter_packet_is_full(const u64 *packet, u16 used)
{
	unsigned int i;

	for (i = 0; used >> i; i++)
		if (used & BIT(i) &&
		    (packet[1 + i / PCOUNTER_WORD_CTRS] >>
		     i % PCOUNTER_WORD_CTRS * PCOUNTER_CTR_BITS & PCOUNTER_CTR_FULL) ==
		    PCOUNTER_CTR_FULL)
			return true;
	return false;
}

/* Return true if one of the four counters of a word is full. */
static bool any_full(u64 word)
{
	return (~word - WORD_ONES) & word & (WORD_ONES << (PCOUNTER_CTR_BITS - 1));
}

/* Return true if a counter in the used words is full. */
static __always_inline bool looks_full(const u64 *packet, unsigned int used)
{
	return (used > 0 && any_full(packet[1])) ||
	       (used > 1 && (any_full(packet[2]) || any_full(packet[3])));
}

static __always_inline void add_word(struct pcounter_decoder *d, const u64 *packet,
				     unsigned int i)
{
	d->even[i] += packet[i] & WORD_PAIR;
	d->odd[i] += packet[i] >> PCOUNTER_CTR_BITS & WORD_PAIR;
}

static __always_inline void add_packet(struct pcounter_decoder *d, const u64 *packet,
				       unsigned int used)
{
	if (used > 0)
		add_word(d, packet, 1);
	if (used > 1) {
		add_word(d, packet, 2);
		add_word(d, packet, 3);
	}
}

/* Return true if @head begins an ordinary packet, which is newer than @cycles. */
static bool is_plain(u64 head, u64 cycles)
{
	return pcounter_packet_has_begun(head, cycles) && !(head & PCOUNTER_PACKET_MERGED) &&
	       (u32)head != U32_MAX;
}

/* Return true if @next is plain behind a plain @head: more cycles, the same bits above. */
static bool is_plain_next(u64 next, u64 head)
{
	return next - head - 1 < PCOUNTER_PACKET_MOST_CLOCKS && (u32)next != U32_MAX;
}

static __always_inline unsigned int decode_run(struct pcounter_decoder *d, const __le64 *slot,
					       unsigned int most, unsigned int used, bool copies)
{
	const unsigned int words = copies ? PCOUNTER_PACKET_WORDS : 1 + used;
	u64 packet[PCOUNTER_PACKET_WORDS], head = pcounter_packet_head(slot), next;
	u8 *copy = d->copy;
	unsigned int n;

	if (!is_plain(head, d->cycles))
		return 0;
	for (n = 0; n < most; n++, slot += PCOUNTER_PACKET_WORDS, head = next) {
		next = pcounter_packet_head(slot + PCOUNTER_PACKET_WORDS);
		if (!is_plain_next(next, head))
			break;
		dma_rmb();
		pcounter_packet_load(slot, head, words, packet);
		if (looks_full(packet, used))
			break;
		add_packet(d, packet, used);
		if (copies)
			copy = pcounter_packet_copy(copy, packet, false);
		d->cycles = head;
	}
	d->copy = copy;
	return n;
}

/**
 * pcounter_decode_run() - decode LONG packets up to one that may not be ordinary
 * @d: the decoder
 * @slot: the first packet; the slot behind the last one can be read, too
 * @most: packets at most
 *
 * Stops where no plain packet follows, or a counter is full. There are millions of packets
 * in a second, and nearly all of them are decoded here: constants let the compiler make a
 * loop for each case.
 *
 * Return: the number of packets.
 */
unsigned int pcounter_decode_run(struct pcounter_decoder *d, const __le64 *slot,
				 unsigned int most)
{
	if (!d->copy)
		return decode_run(d, slot, most, d->used, false);
	if (!d->used)
		return decode_run(d, slot, most, 0, true);
	return decode_run(d, slot, most, d->used, true);
}

/**
 * pcounter_decode_one() - decode any packet
 * @d: the decoder
 * @packet: the packet, which is complete
 * @brief: it is SHORT
 * @batch: gets @merged; has @full if the packet's counts are to be left out
 */
void pcounter_decode_one(struct pcounter_decoder *d, const u64 *packet, bool brief,
			 struct pcounter_batch *batch)
{
	if (!batch->full)
		add_packet(d, packet, d->used);
	batch->merged += pcounter_packet_merged(packet[0]);
	if (d->copy)
		d->copy = pcounter_packet_copy(d->copy, packet, brief);
	d->cycles = packet[0];
}

/**
 * pcounter_decode_end() - put the sums of a batch together
 * @d: the decoder
 * @cycles: cycle counter of the packet before the first one
 * @batch: gets the sums
 */
void pcounter_decode_end(const struct pcounter_decoder *d, u64 cycles,
			 struct pcounter_batch *batch)
{
	unsigned int i;

	batch->cycles = d->cycles & PCOUNTER_PACKET_CYCLES;
	batch->clocks = (d->cycles - cycles) & PCOUNTER_PACKET_CYCLES;
	for (i = 0; i < PCOUNTER_RECORD_SLOTS; i++)
		batch->ctr[i] = (u32)((i % 2 ? d->odd : d->even)[1 + i / PCOUNTER_WORD_CTRS] >>
				      i % PCOUNTER_WORD_CTRS / 2 * 32);
}
