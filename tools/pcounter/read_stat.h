/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a capture amounts to: sums, shares, runs; and which time it was.
 */
#ifndef _PCOUNTER_TOOL_READ_STAT_H
#define _PCOUNTER_TOOL_READ_STAT_H

#include "read.h"

#define STAT_STEPS	500			/* shares are told apart by 0.2 % */
#define STAT_BINS	(STAT_STEPS + 2)	/* the last: more than all cycles */
#define STAT_TILES	16384

/**
 * struct stat_stretch - a stretch of cycles
 * @cycles: how long
 * @epoch: where: how often the cycle counter began anew before,
 * @begin: and its value
 */
struct stat_stretch {
	u64 cycles;
	unsigned int epoch;
	u64 begin;
};

/**
 * struct stat_signal - a counter
 * @total: events in packets whose length is known
 * @share: sum of the shares of all those packets
 * @min: least share of a packet
 * @max: greatest
 * @full: packets in which it was full
 * @over: packets with more events than cycles
 * @bin: packets by share
 * @idle: longest stretch without an event
 * @busy: longest stretch with an event in each cycle
 * @idle_now: the one that may go on
 * @busy_now: the same
 */
struct stat_signal {
	u64 total;
	double share;
	double min;
	double max;
	u64 full;
	u64 over;
	u64 bin[STAT_BINS];
	struct stat_stretch idle;
	struct stat_stretch busy;
	struct stat_stretch idle_now;
	struct stat_stretch busy_now;
};

/**
 * struct stat_epoch - as long as the cycle counter ran on
 * @before: packets before it
 * @first: cycle counter when its first packet began
 * @last: and when its last one ended
 */
struct stat_epoch {
	u64 before;
	u64 first;
	u64 last;
};

/**
 * struct stat_epochs - all of a stream
 * @epoch: each
 * @nr: how many; more than READ_EPOCHS are not told apart
 */
struct stat_epochs {
	struct stat_epoch *epoch;
	unsigned int nr;
};

/**
 * struct stat_tile - some packets in a row
 * @epoch: which epoch
 * @first: cycle counter when the first began
 * @last: and when the last ended
 * @cycles: of packets whose length is known
 * @total: their events
 */
struct stat_tile {
	unsigned int epoch;
	u64 first;
	u64 last;
	u64 cycles;
	u64 total[READ_COUNTERS];
};

/**
 * struct tally - a stream
 * @packets: packets that arrived
 * @unknown: of these, those of unknown length
 * @cycles: of the others, their cycles
 * @lost: numbers left out
 * @signal: the counters
 * @epochs: the epochs
 * @tile: the same in short
 * @nr_tiles: how many
 * @tile_packets: packets in a tile, at least
 * @tile_nr: packets in the last
 */
struct tally {
	u64 packets;
	u64 unknown;
	u64 cycles;
	u64 lost;
	struct stat_signal signal[READ_COUNTERS];
	struct stat_epochs epochs;
	struct stat_tile *tile;
	unsigned int nr_tiles;
	u64 tile_packets;
	u64 tile_nr;
};

bool stat_begin(struct tally *stat, u64 packets);
void stat_add(struct tally *stat, const struct read_piece *piece);
void stat_free(struct tally *stat);
double stat_quantile(const struct tally *stat, unsigned int signal, double q);

bool epochs_begin(struct stat_epochs *epochs);
void epochs_add(struct stat_epochs *epochs, const struct read_piece *piece);

/**
 * struct stat_line - cycles and time, along a straight line
 * @known: there is one
 * @cycle: a cycle
 * @time: and its time, in ns of perf's clock
 * @slope: ns per cycle
 * @error: by how much times may be wrong, either way, in ns; NAN: unknown
 */
struct stat_line {
	bool known;
	u64 cycle;
	s64 time;
	double slope;
	double error;
};

/**
 * struct stat_clock - the clock of a stream
 * @line: a line for each epoch
 * @nr: how many
 * @pairs: how many pairs there were
 * @used: the longest line rests on so many of them
 * @hz: by that line, or as the file says; 0: unknown
 * @hz_min: least that agrees with all pairs, 0: unknown
 * @hz_max: greatest
 * @bent: no straight line agrees with all pairs
 */
struct stat_clock {
	struct stat_line *line;
	unsigned int nr;
	u64 pairs;
	unsigned int used;
	double hz;
	double hz_min;
	double hz_max;
	bool bent;
};

bool clock_fit(struct stat_clock *clock, const struct read_stream *s,
	       const struct stat_epochs *epochs);
bool clock_time(const struct stat_clock *clock, unsigned int epoch, u64 cycle, s64 *time);
void clock_free(struct stat_clock *clock);

#endif
