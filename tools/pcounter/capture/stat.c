// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums over packets.
 */
#include <endian.h>
#include <math.h>

#include "capture/capture.h"
#include "capture/packet.h"
#include "lib/tool.h"

/* ---- the inner loop ---- */

/**
 * struct sums - sums over packets of the same length, by counter
 * @total: sum of the values
 * @bottom: least value
 * @top: greatest value
 * @run: consecutive packets at the end, without an event, and with one in each cycle
 * @longest: longest sequence of consecutive packets of each kind
 */
struct sums {
	u32 total[READ_COUNTERS];
	u16 bottom[READ_COUNTERS];
	u16 top[READ_COUNTERS];
	u16 run[STRETCHES][READ_COUNTERS];
	u16 longest[STRETCHES][READ_COUNTERS];
};

static void sum_packet(const __le16 *ctr, float inverse, u16 cycles, struct sums *s,
		       struct stat_signal *signal)
{
	unsigned int k;

	for (k = 0; k < READ_COUNTERS; k++) {
		u16 value = le16toh(ctr[k]);

		s->total[k] += value;
		s->bottom[k] = min(s->bottom[k], value);
		s->top[k] = max(s->top[k], value);
		s->run[IDLE][k] = value ? 0 : s->run[IDLE][k] + 1;
		s->longest[IDLE][k] = max(s->longest[IDLE][k], s->run[IDLE][k]);
		s->run[BUSY][k] = value >= cycles ? s->run[BUSY][k] + 1 : 0;
		s->longest[BUSY][k] = max(s->longest[BUSY][k], s->run[BUSY][k]);
		signal[k].bin[min_t(u32, value * inverse + 0.5f, STAT_BINS - 1)]++;
	}
}

static void sum(const struct pcounter_record_packet *packet, unsigned int nr, u64 length,
		struct sums *s, struct stat_signal *signal)
{
	float inverse = (float)STAT_STEPS / length;
	unsigned int i;

	memset(s, 0, sizeof(*s));
	memset(s->bottom, 0xff, sizeof(s->bottom));
	for (i = 0; i < nr; i++)
		sum_packet(packet[i].ctr, inverse, min_t(u64, length, PACKET_FULL), s,
			   signal);
}

/* ---- stretches ---- */

static void stretch_on(struct stat_stretch *now, struct stat_stretch *best, u64 cycles,
		       unsigned int epoch, u64 begin)
{
	if (!now->cycles) {
		now->epoch = epoch;
		now->begin = begin;
	}
	now->cycles += cycles;
	if (now->cycles > best->cycles)
		*best = *now;
}

/**
 * struct even - packets of the same length
 * @packet: the packets
 * @nr: number of packets
 * @length: length of each packet
 * @epoch: their epoch
 * @begin: cycle counter at the begin of the first packet
 */
struct even {
	const struct pcounter_record_packet *packet;
	unsigned int nr;
	u64 length;
	unsigned int epoch;
	u64 begin;
};

/* Extend the stretches packet by packet. @busy: with an event in each cycle; else without. */
static void stretch_scan(struct stat_stretch *now, struct stat_stretch *best,
			 const struct even *even, unsigned int k, bool busy)
{
	unsigned int i, value, full = min_t(u64, even->length, PACKET_FULL);

	for (i = 0; i < even->nr; i++) {
		value = le16toh(even->packet[i].ctr[k]);
		if (busy ? value >= full : !value)
			stretch_on(now, best, even->length, even->epoch,
				   even->begin + i * even->length);
		else
			now->cycles = 0;
	}
}

/*
 * Extend the stretches. @run packets at the end continue a stretch; no stretch has more
 * than @longest packets. Scan packet by packet only if a stretch may become the longest.
 */
static void stretch(struct stat_stretch *now, struct stat_stretch *best, const struct even *even,
		    unsigned int k, bool busy, unsigned int run, unsigned int longest)
{
	if (run == even->nr) {
		stretch_on(now, best, run * even->length, even->epoch, even->begin);
	} else if (now->cycles + longest * even->length > best->cycles) {
		stretch_scan(now, best, even, k, busy);
	} else {
		now->epoch = even->epoch;
		now->cycles = run * even->length;
		now->begin = even->begin + (even->nr - run) * even->length;
	}
}

/* ---- all of it ---- */

/* Count saturated packets and packets above 1. They are rare, so this is a second pass. */
static void count_odd(struct stat_signal *signal, const struct even *even, unsigned int k)
{
	unsigned int i, value;

	for (i = 0; i < even->nr; i++) {
		value = le16toh(even->packet[i].ctr[k]);
		signal->full += value == PACKET_FULL;
		signal->over += value > even->length;
	}
}

static void add_signal(struct stat_signal *signal, const struct even *even,
		       const struct sums *sums, unsigned int k)
{
	unsigned int which;

	signal->total += sums->total[k];
	signal->share += (double)sums->total[k] / even->length;
	signal->min = min(signal->min, (double)sums->bottom[k] / even->length);
	signal->max = max(signal->max, (double)sums->top[k] / even->length);
	if (sums->top[k] == PACKET_FULL || sums->top[k] > even->length)
		count_odd(signal, even, k);
	for (which = 0; which < STRETCHES; which++)
		stretch(&signal->now[which], &signal->best[which], even, k, which == BUSY,
			sums->run[which][k], sums->longest[which][k]);
}

static struct stat_tile *tile_of(struct tally *stat, const struct read_piece *piece)
{
	struct stat_tile *tile = stat->nr_tiles ? &stat->tile[stat->nr_tiles - 1] : NULL;
	unsigned int k;

	/* a loss begins a new tile, while there are enough tiles */
	if (!tile || (stat->nr_tiles < STAT_TILES &&
		      (stat->tile_nr >= stat->tile_packets || piece->lost ||
		       tile->epoch != piece->epoch))) {
		tile = &stat->tile[stat->nr_tiles++];
		*tile = (struct stat_tile){ .epoch = piece->epoch, .first = piece->begin };
		for (k = 0; k < READ_COUNTERS; k++)
			tile->min[k] = INFINITY;
		stat->tile_nr = 0;
	}
	stat->tile_nr += piece->nr;
	if (tile->epoch == piece->epoch)
		tile->last = piece->cycle[piece->nr - 1];
	return tile;
}

static void add_even(struct tally *stat, const struct even *even, struct stat_tile *tile)
{
	unsigned int k;
	struct sums sums;

	sum(even->packet, even->nr, even->length, &sums, stat->signal);
	for (k = 0; k < READ_COUNTERS; k++) {
		tile->total[k] += sums.total[k];
		tile->min[k] = min(tile->min[k], (float)sums.bottom[k] / even->length);
		tile->max[k] = max(tile->max[k], (float)sums.top[k] / even->length);
		add_signal(&stat->signal[k], even, &sums, k);
	}
}

/* Return the number of packets from @at on that have the length of the first. */
static unsigned int count_even(const struct read_piece *piece, unsigned int at, u64 length)
{
	u64 end = piece->cycle[at];
	unsigned int i;

	for (i = at + 1; i < piece->nr; i++) {
		end += length;
		if (piece->cycle[i] != end)
			break;
	}
	return i - at;
}

static void add_known(struct tally *stat, const struct read_piece *piece, struct stat_tile *tile)
{
	struct even even = { .epoch = piece->epoch, .begin = piece->begin };
	unsigned int at;

	for (at = 0; at < piece->nr; at += even.nr) {
		even.length = piece->cycle[at] - even.begin;
		even.packet = piece->packet + at;
		even.nr = count_even(piece, at, even.length);
		add_even(stat, &even, tile);
		even.begin += even.nr * even.length;
	}
	stat->cycles += even.begin - piece->begin;
	tile->cycles += even.begin - piece->begin;
}

/**
 * stat_begin() - initialise the sums
 * @stat: gets empty sums
 * @packets: expected number of packets, approximately
 */
void stat_begin(struct tally *stat, u64 packets)
{
	unsigned int k;

	memset(stat, 0, sizeof(*stat));
	for (k = 0; k < READ_COUNTERS; k++)
		stat->signal[k].min = INFINITY;
	stat->tile_packets = packets / STAT_TILES + 1;
	stat->tile = need(STAT_TILES, sizeof(*stat->tile));
}

/**
 * stat_add() - add packets
 * @stat: the sums
 * @piece: the packets to add
 */
void stat_add(struct tally *stat, const struct read_piece *piece)
{
	struct stat_tile *tile = tile_of(stat, piece);
	bool unknown = piece->cycle[0] == piece->begin;
	unsigned int epochs = stat->epochs.nr, k;

	epochs_add(&stat->epochs, piece);
	stat->packets += piece->nr;
	stat->lost += piece->lost;
	stat->unknown += unknown;
	if (piece->lost || epochs != stat->epochs.nr || unknown)
		for (k = 0; k < READ_COUNTERS; k++)
			memset(stat->signal[k].now, 0, sizeof(stat->signal[k].now));
	if (!unknown)
		add_known(stat, piece, tile);
}

/**
 * stat_free() - free the sums
 * @stat: the sums
 */
void stat_free(struct tally *stat)
{
	free(stat->tile);
	free(stat->epochs.epoch);
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
		sum += s->bin[bin];
		if (sum >= q * packets)
			return (double)bin / STAT_STEPS;
	}
	return s->max;
}
