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

/* Return the tile of a packet. A loss begins a new tile, while there are enough tiles. */
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
	tile->packets++;
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
	struct stat_tile *tile = tile_of(stat, walk);
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
		stat->bin[k][(unsigned int)min(share * STAT_STEPS + 0.5, STAT_BINS - 1.0)]++;
		tile->total[k] += count;
		tile->min[k] = min_t(float, tile->min[k], share);
		tile->max[k] = max_t(float, tile->max[k], share);
	}
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
