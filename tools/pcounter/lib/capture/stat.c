// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums over packets.
 */
#include <math.h>

#include "capture/capture.h"
#include "lib/util.h"

#define WORDS		16	/* of a packet */
#define NO_COUNTERS	4	/* the first of them */
#define BIAS		0x8000

/**
 * struct range - counters in packets of equal length, by the words of the packets
 * @total: sum of the counts
 * @least: least count - BIAS, so that most processors compare many words at once
 * @most: greatest count - BIAS
 * @now: number of packets without an event, or with one in each cycle, at the end
 * @best: greatest @now
 */
struct range {
	u32 total[WORDS];
	s16 least[WORDS];
	s16 most[WORDS];
	s16 now[STRETCHES][WORDS];
	s16 best[STRETCHES][WORDS];
};

static unsigned int bin_of(double share)
{
	return min(share * STAT_STEPS + 0.5, STAT_BINS - 1.0);
}

/* Return the tile of packets. A loss begins a new tile, while there are enough tiles. */
static struct stat_tile *tile_of(struct tally *stat, const struct read_walk *walk)
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
	tile->packets += walk->nr;
	if (tile->epoch == walk->epoch)
		tile->last = walk->cycle;
	return tile;
}

/**
 * stat_begin() - allocate empty sums
 * @packets: expected number of packets, approximately
 * @period: cycles of most packets, 0 if unknown, or for records
 * @counters: bitmask of the counters whose sums are needed
 *
 * Return: the sums; the caller frees them.
 */
struct tally *stat_begin(u64 packets, u64 period, unsigned int counters)
{
	struct tally *stat = need(1, sizeof(*stat));
	unsigned int k, i;

	for (k = 0; k < READ_COUNTERS; k++)
		stat->signal[k].min = INFINITY;
	stat->counters = counters;
	stat->tile_packets = packets / STAT_TILES + 1;
	stat->period = period;
	for (i = 0; period && i <= PCOUNTER_CTR_FULL; i++)
		stat->bin_of[i] = bin_of(i / (double)period);
	return stat;
}

/**
 * stat_room() - return the number of packets that stat_add() can take together
 * @stat: the sums
 *
 * Return: the number: up to the end of the tile.
 */
unsigned int stat_room(const struct tally *stat)
{
	u64 taken = stat->nr_tiles ? stat->tile[stat->nr_tiles - 1].packets : 0;

	if (stat->nr_tiles == STAT_TILES)
		return READ_MANY;
	return min_t(u64, READ_MANY, stat->tile_packets - taken % stat->tile_packets);
}

/* Add a packet to a range. Compilers make a few instructions of each loop. */
static void add_words(struct range *r, const struct pcounter_record_packet *packet, s16 all)
{
	u16 raw[WORDS];
	s16 w[WORDS];
	unsigned int i;

	memcpy(raw, packet, sizeof(raw));
	for (i = 0; i < WORDS; i++)
		r->total[i] += le16toh(raw[i]);
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

/* Return the least count of a packet that has an event in each cycle, as far as that shows. */
static unsigned int all_of(const struct read_walk *walk)
{
	return min_t(u64, walk->length, PCOUNTER_CTR_FULL);
}

/* Find the range of the counts, and add the packets to their bins. */
static struct range find_range(struct tally *stat, const struct read_walk *walk)
{
	const struct pcounter_record_packet *packet, *end = walk->packet + walk->nr;
	const bool alone = walk->length != stat->period;
	const s16 all = all_of(walk) ^ BIAS;
	struct range r = {};
	unsigned int k;

	for (k = 0; k < WORDS; k++) {
		r.least[k] = S16_MAX;
		r.most[k] = S16_MIN;
	}
	for (packet = walk->packet; packet < end; packet++) {
		add_words(&r, packet, all);
		/* a packet of another length is alone */
		if (alone)
			break;
#pragma GCC unroll 12
		for (k = 0; k < READ_COUNTERS; k++)
			stat->bin[k][stat->bin_of[packet_counter(packet, k)]]++;
	}
	return r;
}

static unsigned int count_above(const struct read_walk *walk, unsigned int k, u64 limit)
{
	unsigned int i, above = 0;

	for (i = 0; i < walk->nr; i++)
		above += walk_count(walk, i, k) > limit;
	return above;
}

/* Find the "range" of a record, whose counts have no room in a word of a packet. */
static struct range range_of_record(const struct read_walk *walk)
{
	struct range r = {};
	unsigned int k;

	for (k = 0; k < READ_RECORD_COUNTERS; k++) {
		r.total[NO_COUNTERS + k] = walk->count[k];
		r.now[IDLE][NO_COUNTERS + k] = !walk->count[k];
		r.now[BUSY][NO_COUNTERS + k] = walk->count[k] >= walk->length;
	}
	memcpy(r.best, r.now, sizeof(r.best));
	return r;
}

/* Return the number of packets that continue a stretch from before the first of them. */
static unsigned int continued(const struct read_walk *walk, unsigned int k, enum stretch kind)
{
	unsigned int i, count;

	for (i = 0; i < walk->nr; i++) {
		count = packet_counter(walk->packet + i, k);
		if (kind == IDLE ? count : count < all_of(walk))
			break;
	}
	return i;
}

static __always_inline void extend(struct stat_signal *s, unsigned int k, enum stretch kind,
				   const struct read_walk *walk, const struct range *range)
{
	u64 now = range->now[kind][NO_COUNTERS + k], best = range->best[kind][NO_COUNTERS + k];
	bool all = now == walk->nr;
	u64 first = all ? now : walk->nr > 1 && s->now[kind] ? continued(walk, k, kind) : 0;

	first = s->now[kind] + first * walk->length;
	s->best[kind] = max3(s->best[kind], first, best * walk->length);
	s->now[kind] = all ? first : now * walk->length;
}

static void add_counter(struct tally *stat, struct stat_tile *tile, unsigned int k,
			const struct read_walk *walk, const struct range *range)
{
	const unsigned int word = NO_COUNTERS + k;
	struct stat_signal *s = &stat->signal[k];
	double share = (double)range->total[word] / walk->length, least = share, most = share;

	if (walk->nr > 1) {
		least = (double)(range->least[word] + BIAS) / walk->length;
		most = (double)(range->most[word] + BIAS) / walk->length;
	}
	if (walk->length != stat->period)
		stat->bin[k][bin_of(share)]++;
	if (most > 1)
		s->over += count_above(walk, k, walk->length);
	if (range->most[word] == PCOUNTER_CTR_FULL - BIAS)
		s->full += count_above(walk, k, PCOUNTER_CTR_FULL - 1);
	s->total += range->total[word];
	s->share += share;
	s->min = min(s->min, least);
	s->max = max(s->max, most);
	extend(s, k, IDLE, walk, range);
	extend(s, k, BUSY, walk, range);
	tile->total[k] += range->total[word];
	tile->min[k] = min_t(float, tile->min[k], least);
	tile->max[k] = max_t(float, tile->max[k], most);
}

/**
 * stat_add() - add packets
 * @stat: the sums
 * @walk: the packets
 */
void stat_add(struct tally *stat, const struct read_walk *walk)
{
	struct stat_tile *tile = tile_of(stat, walk);
	u64 cycles = walk->nr * walk->length, span = cycles ? walk->cycle - walk->begin : 0;
	struct range range;
	unsigned int k;

	stat->packets += walk->nr;
	stat->lost += walk->lost;
	stat->unknown += !cycles;
	stat->span += span;
	stat->cycles += cycles;
	tile->span += span;
	tile->cycles += cycles;
	for (k = 0; k < READ_COUNTERS && !(walk->joined && cycles); k++)
		memset(stat->signal[k].now, 0, sizeof(stat->signal[k].now));
	if (!cycles)
		return;
	range = walk->stream->records ? range_of_record(walk) : find_range(stat, walk);
	for (k = 0; k < READ_COUNTERS; k++)
		if (stat->counters & BIT(k))
			add_counter(stat, tile, k, walk, &range);
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
