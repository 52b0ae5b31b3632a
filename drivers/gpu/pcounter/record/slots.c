// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots of a ring: when has a packet arrived, and what does it say? All that
 * the device writes is read once, then checked, then used.
 *
 * A free slot is filled with ones. A packet may arrive in pieces, so its place
 * in the ring is looked at as a whole, not its first word alone.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/dma-mapping.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "record/record.h"

/* Packet, hw:memory/packets: the first 8 bytes are cycles and STOP count. */
#define PACKET_CYCLES		GENMASK_ULL(47, 0)
#define PACKET_STOP		GENMASK_ULL(59, 48)
#define PACKET_STOP_SHIFT	48
#define PACKET_MERGED		GENMASK_ULL(59, 49)	/* more requests than one */
#define PACKET_ZERO		GENMASK_ULL(63, 60)
#define PACKET_EMPTY		(~0ULL)		/* what no packet begins with */
#define PACKET_EMPTY_BYTE	0xff

#define PACKET_LONG		(sizeof(u64) * PCOUNTER_PACKET_WORDS)
#define CTR_BITS		16
/* Four counters at once: two of them in one word, with room for a sum. */
#define CTR_PAIR		0x0000ffff0000ffffULL
#define CTR_ONES		0x0001000100010001ULL
#define CTR_WORDS		(PCOUNTER_PACKET_WORDS - 1)

/* So many of the last packets may still be on their way. */
#define SKIM_LATE		4
/* So many looks, and what was on its way at the first of them has arrived. */
#define CLEAN_LOOKS		2
/* Cycle counters of neighbours differ by less than this, the highest of their bits. */
#define PACKET_MAX_CLOCKS	BIT_ULL(47)

static u32 ring_offset(const struct pcounter_stream *s, u32 position)
{
	return (position - s->ring->base) & (pcounter_ring_bytes(s->ring) - 1);
}

static void *slot_at(const struct pcounter_stream *s, u32 position)
{
	u32 offset = ring_offset(s, position);

	return s->ring->page[offset / PCOUNTER_VM_PAGE] + offset % PCOUNTER_VM_PAGE;
}

/* Debugging of the DMA API takes spinlock_t, perf calls with a raw one held. */
static DEFINE_WAIT_OVERRIDE_MAP(sync_map, LD_WAIT_CONFIG);

/* Pages of a reader may lie elsewhere as far as the device is concerned. */
static void sync_slots(const struct pcounter_stream *s, u32 position, u32 bytes, bool to_cpu)
{
	const struct pcounter_ring *ring = s->ring;
	u32 offset, n;

	if (!ring->sync)
		return;
	lock_map_acquire_try(&sync_map);
	for (; bytes; bytes -= n, position += n) {
		dma_addr_t page;

		offset = ring_offset(s, position);
		page = ring->dma[offset / PCOUNTER_VM_PAGE];
		offset %= PCOUNTER_VM_PAGE;
		n = min_t(u32, bytes, PCOUNTER_VM_PAGE - offset);
		if (to_cpu)
			dma_sync_single_for_cpu(ring->dev, page + offset, n,
						DMA_BIDIRECTIONAL);
		else
			dma_sync_single_for_device(ring->dev, page + offset, n,
						   DMA_BIDIRECTIONAL);
	}
	lock_map_release(&sync_map);
}

/**
 * pcounter_slots_empty() - mark slots as free, which the device must not write to now
 * @s: the stream
 * @position: of the first
 * @bytes: how many
 */
void pcounter_slots_empty(const struct pcounter_stream *s, u32 position, u32 bytes)
{
	u32 at = position, left = bytes, n;

	for (; left; left -= n, at += n) {
		n = min_t(u32, left, PCOUNTER_VM_PAGE - ring_offset(s, at) % PCOUNTER_VM_PAGE);
		memset(slot_at(s, at), PACKET_EMPTY_BYTE, n);
	}
	sync_slots(s, position, bytes, false);
}

/* ---- has it arrived? ---- */

static u64 cycles_between(u64 from, u64 to)
{
	return (to - from) & PACKET_CYCLES;
}

/* Does what @position holds follow a packet that begins with @first? */
static bool follows(const struct pcounter_stream *s, u32 position, u64 first)
{
	const __le64 *slot = slot_at(s, position);
	u64 next, clocks;

	sync_slots(s, position, sizeof(*slot), true);
	next = le64_to_cpu(READ_ONCE(*slot));
	clocks = cycles_between(first, next);
	return !(next & PACKET_ZERO) && clocks && clocks < PACKET_MAX_CLOCKS;
}

/* The bus hands over 4 bytes at once: none of them may look as if it were free. */
static bool has_hole(const struct pcounter_stream *s, const u64 word[PCOUNTER_PACKET_WORDS])
{
	unsigned int i;

	for (i = 0; i < s->packet / sizeof(u64); i++)
		if ((u32)word[i] == U32_MAX || word[i] >> 32 == U32_MAX)
			return true;
	return false;
}

/*
 * Two full counters look like a hole, and what has not been emptied shows none:
 * then a packet is whole when the next has arrived, or has had its time.
 */
static bool is_whole(const struct pcounter_stream *s, const u64 word[PCOUNTER_PACKET_WORDS])
{
	bool stale = s->ring->overwrite || (s32)(s->stale - s->tail) > 0;

	if (!stale && !has_hole(s, word))
		return true;
	return s->late >= (stale && !has_hole(s, word) ? CLEAN_LOOKS : PCOUNTER_LATE_LOOKS) ||
	       follows(s, s->tail + s->packet, word[0]);
}

static bool read_slot(const struct pcounter_stream *s, u64 word[PCOUNTER_PACKET_WORDS])
{
	const __le64 *slot = slot_at(s, s->tail);
	unsigned int i;

	sync_slots(s, s->tail, s->packet, true);
	word[0] = le64_to_cpu(READ_ONCE(slot[0]));
	if (word[0] & PACKET_ZERO)
		return false;
	dma_rmb();
	for (i = 1; i < s->packet / sizeof(u64); i++)
		word[i] = le64_to_cpu(READ_ONCE(slot[i]));
	return is_whole(s, word);
}

/**
 * pcounter_slot_landed() - has the next packet arrived?
 * @s: the stream
 *
 * Return: true if so.
 */
bool pcounter_slot_landed(const struct pcounter_stream *s)
{
	u64 word[PCOUNTER_PACKET_WORDS] = {};

	return read_slot(s, word);
}

static bool decode(const struct pcounter_stream *s, const u64 word[PCOUNTER_PACKET_WORDS],
		   struct pcounter_packet *packet)
{
	unsigned int i, ctrs = (s->packet - sizeof(u64)) * BITS_PER_BYTE / CTR_BITS;

	packet->cycles = word[0] & PACKET_CYCLES;
	packet->stop = (word[0] & PACKET_STOP) >> PACKET_STOP_SHIFT;
	packet->clocks = cycles_between(s->cycles, packet->cycles);
	/* of an earlier time: it had been on its way when this stream began */
	if (packet->clocks >= PACKET_MAX_CLOCKS)
		return false;
	for (i = 0; i < PCOUNTER_PACKET_WORDS; i++)
		packet->raw[i] = cpu_to_le64(word[i]);
	for (i = 0; i < PCOUNTER_RECORD_SLOTS; i++)
		packet->ctr[i] = i >= ctrs ? 0 : word[1 + i / 4] >> i % 4 * CTR_BITS;
	return true;
}

/**
 * pcounter_slot_read() - read the next packet, if it has arrived
 * @s: the stream; @s->tail does not move
 * @packet: where to leave it
 *
 * Return: whether there was one.
 */
bool pcounter_slot_read(const struct pcounter_stream *s, struct pcounter_packet *packet)
{
	u64 word[PCOUNTER_PACKET_WORDS] = {};

	if (!read_slot(s, word) || !decode(s, word, packet))
		return false;
	/* a reader has yet to see it */
	if (!s->ring->reader)
		pcounter_slots_empty(s, s->tail, s->packet);
	return true;
}

/* ---- many at once ---- */

/**
 * enum look - which counters of a packet are looked at
 * @LOOK_NONE: none: nobody asks for one
 * @LOOK_FIRST: the four of the first word
 * @LOOK_ALL: all of them
 */
enum look {
	LOOK_NONE,
	LOOK_FIRST,
	LOOK_ALL,
};

static enum look look_at(u16 used)
{
	if (!used)
		return LOOK_NONE;
	return used < BIT(sizeof(u64) * BITS_PER_BYTE / CTR_BITS) ? LOOK_FIRST : LOOK_ALL;
}

/**
 * struct lanes - sums of counters, two in a word
 * @even: of counters 0 and 2 of each word of a packet
 * @odd: of 1 and 3
 */
struct lanes {
	u64 even[CTR_WORDS];
	u64 odd[CTR_WORDS];
};

/* Is one of the four counters full? A hole is two of them that are. */
static bool any_full(u64 word)
{
	return (~word - CTR_ONES) & word & (CTR_ONES << (CTR_BITS - 1));
}

static void lane_add(struct lanes *lanes, unsigned int i, u64 word)
{
	lanes->even[i] += word & CTR_PAIR;
	lanes->odd[i] += word >> CTR_BITS & CTR_PAIR;
}

/* Its head has arrived, behind that of @cycles, and it answers one request at most. */
static bool is_plain(u64 head, u64 cycles)
{
	return !(head & (PACKET_ZERO | PACKET_MERGED)) && (u32)head != U32_MAX &&
	       !((head - cycles) & PACKET_MAX_CLOCKS);
}

/*
 * A packet that has arrived without doubt, and in which nothing is full: all else is
 * pcounter_slot_read()'s. Written without loops, which some compilers leave as they are:
 * there are millions of packets in a second.
 */
static bool sum_slot(const __le64 *slot, __le64 raw[PCOUNTER_PACKET_WORDS], u64 *cycles,
		     struct lanes *lanes)
{
	u64 head, ctr0, ctr1, ctr2;

	raw[0] = READ_ONCE(slot[0]);
	head = le64_to_cpu(raw[0]);
	if (!is_plain(head, *cycles))
		return false;
	dma_rmb();
	raw[1] = READ_ONCE(slot[1]);
	raw[2] = READ_ONCE(slot[2]);
	raw[3] = READ_ONCE(slot[3]);
	ctr0 = le64_to_cpu(raw[1]);
	ctr1 = le64_to_cpu(raw[2]);
	ctr2 = le64_to_cpu(raw[3]);
	if (any_full(ctr0) || any_full(ctr1) || any_full(ctr2))
		return false;
	*cycles = head & PACKET_CYCLES;
	lane_add(lanes, 0, ctr0);
	lane_add(lanes, 1, ctr1);
	lane_add(lanes, 2, ctr2);
	return true;
}

/* What memset() becomes for so few bytes takes longer than all else. */
static void empty_slot(__le64 *slot)
{
	WRITE_ONCE(slot[0], cpu_to_le64(PACKET_EMPTY));
	WRITE_ONCE(slot[1], cpu_to_le64(PACKET_EMPTY));
	WRITE_ONCE(slot[2], cpu_to_le64(PACKET_EMPTY));
	WRITE_ONCE(slot[3], cpu_to_le64(PACKET_EMPTY));
}

/* Stops before the first packet that is not plain; without @keep slots are free again. */
static unsigned int sum_slots(__le64 *slot, unsigned int n, bool keep, u64 *cycles,
			      struct lanes *lanes, u8 *copy)
{
	__le64 raw[PCOUNTER_PACKET_WORDS];
	unsigned int i;

	for (i = 0; i < n; i++, slot += PCOUNTER_PACKET_WORDS) {
		if (!sum_slot(slot, raw, cycles, lanes))
			break;
		if (copy)
			memcpy(copy + i * sizeof(raw), raw, sizeof(raw));
		if (!keep)
			empty_slot(slot);
	}
	return i;
}

/* Samples are packed: a packet in one begins anywhere. */
static __always_inline void put_word(u8 *packet, unsigned int i, __le64 word)
{
	memcpy(packet + i * sizeof(word), &word, sizeof(word));
}

static __always_inline void copy_packet(u8 *copy, u64 head, __le64 raw, const __le64 *slot)
{
	put_word(copy, 0, cpu_to_le64(head));
	put_word(copy, 1, raw);
	put_word(copy, 2, READ_ONCE(slot[2]));
	put_word(copy, 3, READ_ONCE(slot[3]));
}

/*
 * As sum_slots(), but each packet is followed by a plain one. So it is whole, and
 * counters that nobody asks for are not looked at.
 */
static __always_inline unsigned int sum_followed(__le64 *slot, unsigned int n, bool first,
						 bool copies, bool keep, u64 *cycles,
						 struct lanes *lanes, u8 *copy)
{
	const __le64 *begin = slot, *last = slot + (n - 1) * PCOUNTER_PACKET_WORDS;
	u64 head = le64_to_cpu(READ_ONCE(*slot)), before = *cycles, next;
	struct lanes sum = {};
	__le64 raw = 0;

	if (!is_plain(head, before))
		return 0;
	for (; slot < last; slot += PCOUNTER_PACKET_WORDS, head = next) {
		next = le64_to_cpu(READ_ONCE(slot[PCOUNTER_PACKET_WORDS]));
		if (!is_plain(next, head))
			break;
		dma_rmb();
		if (first || copies)
			raw = READ_ONCE(slot[1]);
		if (first && any_full(le64_to_cpu(raw)))
			break;
		if (first)
			lane_add(&sum, 0, le64_to_cpu(raw));
		if (copies) {
			copy_packet(copy, head, raw, slot);
			copy += PACKET_LONG;
		}
		if (!keep)
			empty_slot(slot);
		before = head;
	}
	lanes->even[0] += sum.even[0];
	lanes->odd[0] += sum.odd[0];
	*cycles = before & PACKET_CYCLES;
	return (slot - begin) / PCOUNTER_PACKET_WORDS;
}

/*
 * So that no packet decides what is the same for all of them. A reader's packets are
 * seldom copied as well: that is sum_slots()'s.
 */
static unsigned int sum_most(__le64 *slot, unsigned int n, enum look look, bool keep,
			     u64 *cycles, struct lanes *lanes, u8 *copy)
{
	if (look == LOOK_ALL || (copy && keep))
		return 0;
	if (look == LOOK_FIRST && copy)
		return sum_followed(slot, n, true, true, false, cycles, lanes, copy);
	if (look == LOOK_FIRST)
		return sum_followed(slot, n, true, false, keep, cycles, lanes, NULL);
	if (copy)
		return sum_followed(slot, n, false, true, false, cycles, lanes, copy);
	return sum_followed(slot, n, false, false, keep, cycles, lanes, NULL);
}

/* The packets of a page; stops before the first that is not plain. */
static unsigned int sum_page(__le64 *slot, unsigned int n, enum look look, bool keep,
			     u64 *cycles, struct lanes *lanes, u8 *copy)
{
	unsigned int got = sum_most(slot, n, look, keep, cycles, lanes, copy);

	return got + sum_slots(slot + got * PCOUNTER_PACKET_WORDS, n - got, keep, cycles, lanes,
			       copy ? copy + got * PACKET_LONG : NULL);
}

/*
 * Cycle counter of a packet that is as many periods behind the last one that was read
 * as its place says, give or take a half; 0 if it is not.
 */
static u64 due_cycles(const struct pcounter_stream *s, unsigned int i, u64 period)
{
	const __le64 *slot = slot_at(s, s->tail + i * s->packet);
	u64 head = le64_to_cpu(READ_ONCE(*slot));
	u64 early = cycles_between(s->cycles, head) - i * period;

	if (!is_plain(head, s->cycles) || early <= period / 2 || early >= period + period / 2)
		return 0;
	return head & PACKET_CYCLES;
}

/**
 * pcounter_slots_skim() - packets that have arrived, by the clocks of the last two
 * @s: the stream; @s->tail does not move
 * @most: packets at most, which the position is past
 * @period: clocks between two of them
 * @sum: where to leave how many there are, and their clocks
 *
 * The GPU writes packets one after the other. So if there are as many periods as places
 * in between, each place has its packet, and none answers two requests. The last one
 * shows that the one before is whole.
 */
void pcounter_slots_skim(const struct pcounter_stream *s, unsigned int most, u64 period,
			 struct pcounter_sum *sum)
{
	unsigned int n, late;

	memset(sum, 0, sizeof(*sum));
	for (late = 0, n = most; late < SKIM_LATE && n > 1; late++, n--) {
		if (!due_cycles(s, n - 1, period))
			continue;
		sum->cycles = due_cycles(s, n - 2, period);
		if (!sum->cycles)
			continue;
		sum->n = n - 1;
		sum->clocks = cycles_between(s->cycles, sum->cycles);
		return;
	}
}

/**
 * pcounter_slots_sum() - add up packets, as long as nothing is special about them
 * @s: the stream; @s->tail does not move
 * @most: packets at most, no more than 65536
 * @sum: where to leave the sums, of counters that somebody has asked for
 * @copy: where to leave the packets, NULL if nobody wants them
 *
 * Of the packets of the driver's ring the slots are free again.
 */
void pcounter_slots_sum(const struct pcounter_stream *s, unsigned int most,
			struct pcounter_sum *sum, u8 *copy)
{
	const struct pcounter_ring *ring = s->ring;
	struct lanes lanes = {};
	u64 cycles = s->cycles;
	unsigned int i, n, got;
	u32 at = s->tail;

	sum->n = 0;
	if (s->packet != PACKET_LONG || ring->sync || ring->overwrite ||
	    (s32)(s->stale - s->tail) > 0)
		return;
	while (sum->n < most) {
		n = (PCOUNTER_VM_PAGE - ring_offset(s, at) % PCOUNTER_VM_PAGE) / s->packet;
		n = min(n, most - sum->n);
		got = sum_page(slot_at(s, at), n, look_at(s->used), ring->reader, &cycles, &lanes,
			       copy ? copy + sum->n * s->packet : NULL);
		sum->n += got;
		at += got * s->packet;
		if (got < n)
			break;
	}
	sum->cycles = cycles;
	sum->clocks = cycles_between(s->cycles, cycles);
	for (i = 0; i < PCOUNTER_RECORD_SLOTS; i++)
		sum->ctr[i] = (i % 2 ? lanes.odd : lanes.even)[i / 4] >> i % 4 / 2 * 32;
}
