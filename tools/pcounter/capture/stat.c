// SPDX-License-Identifier: GPL-2.0-only
/*
 * What packets amount to.
 */
#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "capture/clock.h"
#include "capture/stat.h"

#define FULL		0xffff

/* ---- the inner loop ---- */

/**
 * struct sums - what is found in packets of the same length, by word
 * @total: sum
 * @bottom: least value
 * @top: greatest
 * @idle: packets without an event in a row, at the end
 * @idle_max: and at most
 * @busy: the same for an event in each cycle
 * @busy_max: at most
 */
struct sums {
	u32 total[READ_WORDS];
	u16 bottom[READ_WORDS];
	u16 top[READ_WORDS];
	u16 idle[READ_WORDS];
	u16 idle_max[READ_WORDS];
	u16 busy[READ_WORDS];
	u16 busy_max[READ_WORDS];
};

static void sum_packet(const __le16 *packet, float inverse, u16 cycles, struct sums *s,
		       struct stat_signal *signal)
{
	unsigned int l;

	for (l = READ_FIRST; l < READ_WORDS; l++) {
		u16 value = le16toh(packet[l]);

		s->total[l] += value;
		s->bottom[l] = min(s->bottom[l], value);
		s->top[l] = max(s->top[l], value);
		s->idle[l] = value ? 0 : s->idle[l] + 1;
		s->idle_max[l] = max(s->idle_max[l], s->idle[l]);
		s->busy[l] = value >= cycles ? s->busy[l] + 1 : 0;
		s->busy_max[l] = max(s->busy_max[l], s->busy[l]);
		signal[l - READ_FIRST].bin[min_t(u32, value * inverse + 0.5f, STAT_BINS - 1)]++;
	}
}

static void sum(const struct read_packet *packet, unsigned int nr, u64 length, struct sums *s,
		struct stat_signal *signal)
{
	float inverse = (float)STAT_STEPS / length;
	unsigned int i;

	memset(s, 0, sizeof(*s));
	memset(s->bottom, 0xff, sizeof(s->bottom));
	for (i = 0; i < nr; i++)
		sum_packet(packet[i].word, inverse, min_t(u64, length, FULL), s, signal);
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
 * @nr: how many
 * @length: of each
 * @epoch: their epoch
 * @begin: cycle counter when the first began
 */
struct even {
	const struct read_packet *packet;
	unsigned int nr;
	u64 length;
	unsigned int epoch;
	u64 begin;
};

/* Packet by packet; @busy: or idle. */
static void stretch_scan(struct stat_stretch *now, struct stat_stretch *best,
			 const struct even *even, unsigned int word, bool busy)
{
	unsigned int i, value, full = min_t(u64, even->length, FULL);

	for (i = 0; i < even->nr; i++) {
		value = le16toh(even->packet[i].word[word]);
		if (busy ? value >= full : !value)
			stretch_on(now, best, even->length, even->epoch,
				   even->begin + i * even->length);
		else
			now->cycles = 0;
	}
}

/*
 * @run packets at the end are in a stretch, and at most @longest anywhere. Only
 * what may be a record is looked at more closely.
 */
static void stretch(struct stat_stretch *now, struct stat_stretch *best, const struct even *even,
		    unsigned int word, bool busy, unsigned int run, unsigned int longest)
{
	if (run == even->nr) {
		stretch_on(now, best, run * even->length, even->epoch, even->begin);
	} else if (now->cycles + longest * even->length > best->cycles) {
		stretch_scan(now, best, even, word, busy);
	} else {
		now->epoch = even->epoch;
		now->cycles = run * even->length;
		now->begin = even->begin + (even->nr - run) * even->length;
	}
}

/* ---- all of it ---- */

/* Such packets are rare: how many is counted where there is one. */
static void count_odd(struct stat_signal *signal, const struct even *even, unsigned int word)
{
	unsigned int i, value;

	for (i = 0; i < even->nr; i++) {
		value = le16toh(even->packet[i].word[word]);
		signal->full += value == FULL;
		signal->over += value > even->length;
	}
}

static void add_signal(struct stat_signal *signal, const struct even *even,
		       const struct sums *sums, unsigned int word)
{
	signal->total += sums->total[word];
	signal->share += (double)sums->total[word] / even->length;
	signal->min = min(signal->min, (double)sums->bottom[word] / even->length);
	signal->max = max(signal->max, (double)sums->top[word] / even->length);
	if (sums->top[word] == FULL || sums->top[word] > even->length)
		count_odd(signal, even, word);
	stretch(&signal->idle_now, &signal->idle, even, word, false, sums->idle[word],
		sums->idle_max[word]);
	stretch(&signal->busy_now, &signal->busy, even, word, true, sums->busy[word],
		sums->busy_max[word]);
}

static struct stat_tile *tile_of(struct tally *stat, const struct read_piece *piece)
{
	struct stat_tile *tile = stat->nr_tiles ? &stat->tile[stat->nr_tiles - 1] : NULL;
	unsigned int k;

	/* what is lost lies between tiles, as long as there are enough */
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
	tile->packets += piece->nr;
	if (tile->epoch == piece->epoch)
		tile->last = piece->cycle[piece->nr - 1];
	return tile;
}

static void break_stretches(struct tally *stat)
{
	unsigned int i;

	for (i = 0; i < READ_COUNTERS; i++) {
		stat->signal[i].idle_now.cycles = 0;
		stat->signal[i].busy_now.cycles = 0;
	}
}

static void add_even(struct tally *stat, const struct even *even, struct stat_tile *tile)
{
	unsigned int k, word;
	struct sums sums;

	sum(even->packet, even->nr, even->length, &sums, stat->signal);
	for (k = 0; k < READ_COUNTERS; k++) {
		word = READ_FIRST + k;
		tile->total[k] += sums.total[word];
		tile->min[k] = min(tile->min[k], (float)sums.bottom[word] / even->length);
		tile->max[k] = max(tile->max[k], (float)sums.top[word] / even->length);
		add_signal(&stat->signal[k], even, &sums, word);
	}
}

/* How many, from @at on, are as long as the first of them. */
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
 * stat_begin() - begin with nothing
 * @stat: what comes
 * @packets: how many packets there will be, about
 *
 * Return: false if there is no memory.
 */
bool stat_begin(struct tally *stat, u64 packets)
{
	unsigned int k;

	memset(stat, 0, sizeof(*stat));
	for (k = 0; k < READ_COUNTERS; k++)
		stat->signal[k].min = INFINITY;
	stat->tile_packets = packets / STAT_TILES + 1;
	stat->tile = calloc(STAT_TILES, sizeof(*stat->tile));
	return stat->tile && epochs_begin(&stat->epochs);
}

/**
 * stat_add() - add packets
 * @stat: what came before
 * @piece: the packets
 */
void stat_add(struct tally *stat, const struct read_piece *piece)
{
	struct stat_tile *tile = tile_of(stat, piece);
	unsigned int epochs = stat->epochs.nr;

	epochs_add(&stat->epochs, piece);
	stat->packets += piece->nr;
	stat->lost += piece->lost;
	if (piece->lost || epochs != stat->epochs.nr || piece->cycle[0] == piece->begin)
		break_stretches(stat);
	if (piece->cycle[0] == piece->begin)
		stat->unknown++;
	else
		add_known(stat, piece, tile);
}

/**
 * stat_free() - forget it
 * @stat: what came
 */
void stat_free(struct tally *stat)
{
	free(stat->tile);
	free(stat->epochs.epoch);
}

/**
 * stat_quantile() - below which share some packets are
 * @stat: what came
 * @signal: number of the counter
 * @q: what part of the packets
 *
 * Return: the share, right to half a step; of those above 1 their greatest.
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
