// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums over packets.
 */
#include <math.h>

#include "capture/capture.h"
#include "lib/util.h"

static void extend(struct stat_signal *s, enum stretch kind, bool in, u64 cycles)
{
	s->now[kind] = in ? s->now[kind] + cycles : 0;
	s->best[kind] = max(s->best[kind], s->now[kind]);
}

/* Add a count of a packet of known length. */
static void add_count(struct stat_signal *s, unsigned int count, u64 cycles, double share)
{
	s->total += count;
	s->share += share;
	s->min = min(s->min, share);
	s->max = max(s->max, share);
	if (count == PCOUNTER_CTR_FULL)
		s->full++;
	if (count > cycles)
		s->over++;
	extend(s, IDLE, !count, cycles);
	extend(s, BUSY, count >= min_t(u64, cycles, PCOUNTER_CTR_FULL), cycles);
}

static unsigned int bin_of(double share)
{
	return min(share * STAT_STEPS + 0.5, STAT_BINS - 1.0);
}

/*
 * Return the tile of @n packets, the last one of @walk. A loss begins a new tile, while there
 * are enough tiles.
 */
static struct stat_tile *tile_of(struct tally *stat, const struct read_walk *walk,
				 unsigned int n)
{
	struct stat_tile *tile = stat->nr_tiles ? &stat->tile[stat->nr_tiles - 1] : NULL;
	unsigned int k;

	if (!tile || (stat->nr_tiles < STAT_TILES &&
		      (tile->packets >= stat->tile_packets || walk->lost ||
		       tile->epoch != walk->epoch))) {
		tile = &stat->tile[stat->nr_tiles++];
		*tile = (struct stat_tile){ .epoch = walk->epoch, .first = walk->begin };
		for (k = 0; k < READ_COUNTERS; k++)
			tile->min[k] = INFINITY;
	}
	tile->packets += n;
	if (tile->epoch == walk->epoch)
		tile->last = walk->cycle;
	return tile;
}

/**
 * stat_begin() - allocate empty sums
 * @packets: expected number of packets, approximately
 * @counters: bitmask of the counters whose sums are needed
 *
 * Return: the sums; the caller frees them.
 */
struct tally *stat_begin(u64 packets, unsigned int counters)
{
	struct tally *stat = need(1, sizeof(*stat));
	unsigned int k;

	for (k = 0; k < READ_COUNTERS; k++)
		stat->signal[k].min = INFINITY;
	stat->counters = counters;
	stat->tile_packets = packets / STAT_TILES + 1;
	return stat;
}

/**
 * stat_add() - add a packet
 * @stat: the sums
 * @walk: the packet
 */
void stat_add(struct tally *stat, const struct read_walk *walk)
{
	struct stat_tile *tile = tile_of(stat, walk, 1);
	u64 cycles = walk->cycle - walk->begin;
	unsigned int k, count;
	double length = cycles, share;

	stat->packets++;
	stat->lost += walk->lost;
	stat->unknown += !cycles;
	stat->cycles += cycles;
	tile->cycles += cycles;
	for (k = 0; k < READ_COUNTERS; k++) {
		struct stat_signal *s = &stat->signal[k];

		if (!walk->joined || !cycles)
			memset(s->now, 0, sizeof(s->now));
		if (!cycles || !(stat->counters & BIT(k)))
			continue;
		count = packet_counter(&walk->packet, k);
		share = count / length;
		add_count(s, count, cycles, share);
		stat->bin[k][bin_of(share)]++;
		tile->total[k] += count;
		tile->min[k] = min_t(float, tile->min[k], share);
		tile->max[k] = max_t(float, tile->max[k], share);
	}
}

/* ---- packets of equal length ---- */

#define WORDS		16	/* of a packet */
#define NO_COUNTERS	4	/* the first of them */

/**
 * struct range - counters in packets of equal length
 * @least: least count - BIAS, so that most processors compare many words at once
 * @most: greatest count - BIAS
 * @now: number of packets without an event, or with one in each cycle, at the end
 * @best: greatest @now
 */
struct range {
	s16 least[WORDS];
	s16 most[WORDS];
	s16 now[STRETCHES][WORDS];
	s16 best[STRETCHES][WORDS];
};

#define BIAS		0x8000

/* Make the table of bins for packets of this length. */
static void set_bins(struct tally *stat, u64 cycles)
{
	unsigned int i;

	if (stat->cycles_of_bins == cycles)
		return;
	stat->cycles_of_bins = cycles;
	for (i = 0; i <= PCOUNTER_CTR_FULL; i++)
		stat->bin_of[i] = bin_of(i / (double)cycles);
}

/* Add a packet to a range. Compilers make a few instructions of each loop. */
static void add_words(struct range *r, const u8 *packet, s16 all)
{
	u16 raw[WORDS];
	s16 w[WORDS];
	unsigned int i;

	memcpy(raw, packet, sizeof(raw));
	for (i = 0; i < WORDS; i++)
		w[i] = le16toh(raw[i]) ^ BIAS;
	for (i = 0; i < WORDS; i++)
		r->least[i] = min(r->least[i], w[i]);
	for (i = 0; i < WORDS; i++)
		r->most[i] = max(r->most[i], w[i]);
	for (i = 0; i < WORDS; i++)
		r->now[IDLE][i] = w[i] == S16_MIN ? r->now[IDLE][i] + 1 : 0;
	for (i = 0; i < WORDS; i++)
		r->now[BUSY][i] = w[i] >= all ? r->now[BUSY][i] + 1 : 0;
	for (i = 0; i < WORDS; i++)
		r->best[IDLE][i] = max(r->best[IDLE][i], r->now[IDLE][i]);
	for (i = 0; i < WORDS; i++)
		r->best[BUSY][i] = max(r->best[BUSY][i], r->now[BUSY][i]);
}

static void find_range(struct tally *stat, const struct read_even *even, struct range *range)
{
	const u8 *packet = even->packets, *end = packet + even->nr * PCOUNTER_PACKET_LONG;
	const s16 all = min_t(u64, even->cycles, PCOUNTER_CTR_FULL) ^ BIAS;
	struct range r = {};
	unsigned int k;

	for (k = 0; k < WORDS; k++) {
		r.least[k] = S16_MAX;
		r.most[k] = S16_MIN;
	}
	for (; packet < end; packet += PCOUNTER_PACKET_LONG) {
		add_words(&r, packet, all);
#pragma GCC unroll 12
		for (k = 0; k < READ_COUNTERS; k++)
			stat->bin[k][stat->bin_of[packet_counter(packet, k)]]++;
	}
	*range = r;
}

static unsigned int count_over(const struct read_even *even, unsigned int k)
{
	unsigned int i, over = 0;

	for (i = 0; i < even->nr; i++)
		over += packet_counter(even->packets + i * PCOUNTER_PACKET_LONG, k) > even->cycles;
	return over;
}

/* Return the number of packets that continue a stretch from before the first of them. */
static unsigned int continued(const struct read_even *even, unsigned int k, enum stretch kind)
{
	u64 all = min_t(u64, even->cycles, PCOUNTER_CTR_FULL);
	unsigned int i, count;

	for (i = 0; i < even->nr; i++) {
		count = packet_counter(even->packets + i * PCOUNTER_PACKET_LONG, k);
		if (kind == IDLE ? count : count < all)
			break;
	}
	return i;
}

static void extend_even(struct stat_signal *s, unsigned int k, enum stretch kind,
			const struct read_even *even, const struct range *range)
{
	u64 now = range->now[kind][NO_COUNTERS + k], best = range->best[kind][NO_COUNTERS + k];
	bool all = now == even->nr;
	u64 first = all ? now : s->now[kind] ? continued(even, k, kind) : 0;

	first = s->now[kind] + first * even->cycles;
	s->best[kind] = max3(s->best[kind], first, best * even->cycles);
	s->now[kind] = all ? first : now * even->cycles;
}

static void add_even(struct stat_signal *s, struct stat_tile *tile, unsigned int k,
		     const struct read_even *even, const struct range *range)
{
	double least = range->least[NO_COUNTERS + k] + BIAS;
	double most = range->most[NO_COUNTERS + k] + BIAS;
	u64 total = even->batch.ctr[k];

	if (most > even->cycles)
		s->over += count_over(even, k);
	least /= even->cycles;
	most /= even->cycles;
	s->total += total;
	s->share += (double)total / even->cycles;
	s->min = min(s->min, least);
	s->max = max(s->max, most);
	extend_even(s, k, IDLE, even, range);
	extend_even(s, k, BUSY, even, range);
	tile->total[k] += total;
	tile->min[k] = min_t(float, tile->min[k], least);
	tile->max[k] = max_t(float, tile->max[k], most);
}

/**
 * stat_room() - return the number of packets that stat_add_even() can take now
 * @stat: the sums, with a packet at least
 *
 * Return: the number: up to the end of the tile.
 */
unsigned int stat_room(const struct tally *stat)
{
	const struct stat_tile *tile = &stat->tile[stat->nr_tiles - 1];

	if (stat->nr_tiles == STAT_TILES)
		return READ_EVEN;
	return min_t(u64, READ_EVEN, stat->tile_packets - tile->packets);
}

/**
 * stat_add_even() - add packets of equal length
 * @stat: the sums
 * @walk: the last one of them
 * @even: the packets, which follow the last added one
 */
void stat_add_even(struct tally *stat, const struct read_walk *walk, const struct read_even *even)
{
	struct stat_tile *tile = tile_of(stat, walk, even->nr);
	struct range range;
	unsigned int k;

	set_bins(stat, even->cycles);
	find_range(stat, even, &range);
	stat->packets += even->nr;
	stat->cycles += even->nr * even->cycles;
	tile->cycles += even->nr * even->cycles;
	for (k = 0; k < READ_COUNTERS; k++)
		if (stat->counters & BIT(k))
			add_even(&stat->signal[k], tile, k, even, &range);
}

/**
 * stat_quantile() - find a quantile of the shares of a counter
 * @stat: the sums
 * @signal: number of the counter
 * @q: part of the packets below the quantile
 *
 * Return: the share, exact to half a step; for a quantile above 1 the greatest share.
 */
double stat_quantile(const struct tally *stat, unsigned int signal, double q)
{
	const struct stat_signal *s = &stat->signal[signal];
	u64 packets = stat->packets - stat->unknown, sum = 0;
	unsigned int bin;

	if (!packets)
		return NAN;
	for (bin = 0; bin < STAT_BINS - 1; bin++) {
		sum += stat->bin[signal][bin];
		if (sum >= q * packets)
			return (double)bin / STAT_STEPS;
	}
	return s->max;
}
