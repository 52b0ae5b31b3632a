/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Captures: their contents, and sums of them. A file is checked and copied
 * once; packets may hold anything.
 */
#ifndef _PCOUNTER_TOOL_CAPTURE_H
#define _PCOUNTER_TOOL_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/pcounter_capture.h>
#include <linux/pcounter_record.h>
#include <linux/types.h>

#define READ_COUNTERS	PCOUNTER_CAPTURE_COUNTERS
#define READ_STREAMS	256	/* more than any machine has domains */
#define READ_EPOCHS	4096
#define READ_PIECE	256	/* packets */
#define READ_LENGTH	0x7fffffffULL
#define READ_WHY	160
#define READ_CLOCKS	2
#define READ_SLACK	1000000	/* ns of enabled time that may not have counted */
#define READ_TIME	(INT64_MAX / 4)	/* ns: differences of such times fit */

#define STAT_STEPS	500			/* shares are told apart by 0.2 % */
#define STAT_BINS	(STAT_STEPS + 2)	/* the last: more than all cycles */
#define STAT_TILES	16384

/**
 * struct read_run - packets that stand together in the file
 * @at: where, in bytes
 * @first: number of the first
 * @nr: how many
 * @before: packets of the stream before it, in this file
 */
struct read_run {
	u64 at;
	u64 first;
	u64 nr;
	u64 before;
};

/**
 * struct read_pair - the GPU's clock and perf's
 * @cycle: cycle counter
 * @time: perf's clock in ns
 * @error: by how much @time can be too late
 * @before: packets of the stream before it, in this file
 */
struct read_pair {
	u64 cycle;
	u64 time;
	u64 error;
	u64 before;
};

/**
 * enum loss - accounts of what is missing, as struct pcounter_capture_loss has them
 * @LOSS_OVERRUN: packets overwritten before they were taken
 * @LOSS_MISSING: packets that never arrived
 * @LOSS_MERGED: requests that found the packet before on its way
 * @LOSS_SATURATED: packets with a full counter
 * @LOSS_GAPS: times that recording began anew
 * @LOSS_UNREAD: packets that the reader had no room for
 * @LOSSES: how many accounts
 */
enum loss {
	LOSS_OVERRUN, LOSS_MISSING, LOSS_MERGED, LOSS_SATURATED, LOSS_GAPS, LOSS_UNREAD, LOSSES
};

/**
 * struct read_times - how much of the time was recorded
 * @known: the file says so
 * @early: a signal ended it before its time
 * @span: ns from begin to end
 * @enabled: for which it was to be recorded
 * @running: and for which it was
 * @begun: how often recording began
 */
struct read_times {
	bool known;
	bool early;
	u64 span;
	u64 enabled;
	u64 running;
	unsigned int begun;
};

/**
 * struct read_stream - packets of a domain
 * @known: the file has described it
 * @ended: it ended in order
 * @has_loss: there was an account of losses
 * @pmu: name of the PMU
 * @gpu: PCI address
 * @chipset: number of the chip
 * @domain: number of the domain
 * @packet: bytes of a packet
 * @period: clocks between two packets, or 0
 * @hz: clock when the capture began, or 0
 * @name: names of the counters; empty: not used
 * @loss: the latest accounts of what is missing
 * @times: how much of the time was recorded
 * @packets: how many there are
 * @skipped: how many the numbers leave out
 * @run: the packets
 * @nr_runs: how many runs
 * @pair: the clocks
 * @nr_pairs: how many pairs
 */
struct read_stream {
	bool known;
	bool ended;
	bool has_loss;
	char pmu[PCOUNTER_CAPTURE_NAME];
	char gpu[PCOUNTER_CAPTURE_NAME];
	unsigned int chipset;
	unsigned int domain;
	unsigned int packet;
	u64 period;
	u64 hz;
	char name[READ_COUNTERS][PCOUNTER_CAPTURE_NAME];
	u64 loss[LOSSES];
	struct read_times times;
	u64 packets;
	u64 skipped;
	struct read_run *run;
	size_t nr_runs;
	struct read_pair *pair;
	size_t nr_pairs;
};

/**
 * struct read_clocks - clocks of the system at one moment, in ns
 * @perf: perf's
 * @real: CLOCK_REALTIME
 * @monotonic: CLOCK_MONOTONIC
 * @boot: CLOCK_BOOTTIME
 */
struct read_clocks {
	u64 perf;
	u64 real;
	u64 monotonic;
	u64 boot;
};

/**
 * struct read_file - a capture
 * @data: the file
 * @size: its bytes
 * @mapped: @data is a mapping
 * @real_time: CLOCK_REALTIME when the capture began
 * @perf_time: and perf's clock
 * @clocks: clocks at its begin and its end
 * @nr_clocks: how many of both are known
 * @stream: its streams, by number
 * @nr: how many
 * @cut: bytes of a block at the end that is not whole
 * @why: what is wrong with the rest, and at which byte; empty: nothing
 */
struct read_file {
	const u8 *data;
	u64 size;
	bool mapped;
	u64 real_time;
	u64 perf_time;
	struct read_clocks clocks[READ_CLOCKS];
	unsigned int nr_clocks;
	struct read_stream *stream;
	unsigned int nr;
	u64 cut;
	char why[READ_WHY];
};

/**
 * struct read_walk - on the way through the packets of a stream
 * @file: the capture
 * @stream: the stream
 * @max: upper bound on packets taken at once
 * @run: the run
 * @at: packets of it that are behind
 * @cycle: cycle counter of the packet before
 * @known: there is one
 * @next: number that the next packet should have
 * @epoch: how often the cycle counter began anew
 */
struct read_walk {
	const struct read_file *file;
	const struct read_stream *stream;
	unsigned int max;
	size_t run;
	u64 at;
	u64 cycle;
	bool known;
	u64 next;
	unsigned int epoch;
};

/**
 * struct read_piece - packets with nothing between them
 * @nr: how many
 * @epoch: how often the cycle counter began anew before
 * @before: packets of the stream before it, in this file
 * @number: number of the first
 * @lost: how many are missing right before it
 * @begin: cycle counter when the first began; if that is unknown, when it
 *	ended, and the piece has one packet
 * @cycle: cycle counter when each ended; of more packets than one each has from
 *	1 to READ_LENGTH cycles
 * @packet: the packets, SHORT ones with zeros behind
 * @room: for SHORT ones
 */
struct read_piece {
	unsigned int nr;
	unsigned int epoch;
	u64 before;
	u64 number;
	u64 lost;
	u64 begin;
	u64 cycle[READ_PIECE];
	const struct pcounter_record_packet *packet;
	struct pcounter_record_packet room[READ_PIECE];
};

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

enum stretch { IDLE, BUSY, STRETCHES };

/**
 * struct stat_signal - a counter
 * @total: events in packets whose length is known
 * @share: sum of the shares of all those packets
 * @min: least share of a packet
 * @max: greatest
 * @full: packets in which it was full
 * @over: packets with more events than cycles
 * @bin: packets by share
 * @best: longest stretches without an event, and with one in each cycle
 * @now: those that may go on
 */
struct stat_signal {
	u64 total;
	double share;
	double min;
	double max;
	u64 full;
	u64 over;
	u64 bin[STAT_BINS];
	struct stat_stretch best[STRETCHES];
	struct stat_stretch now[STRETCHES];
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
 * @min: least share of one of them
 * @max: greatest
 * @packets: how many
 */
struct stat_tile {
	unsigned int epoch;
	u64 first;
	u64 last;
	u64 cycles;
	u64 total[READ_COUNTERS];
	float min[READ_COUNTERS];
	float max[READ_COUNTERS];
	u64 packets;
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
 * @used: number of pairs behind the longest line
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

extern const char *const loss_name[LOSSES];

bool read_open(struct read_file *file, const char *path);
bool read_parse(struct read_file *file, const void *data, u64 size);
void read_close(struct read_file *file);
void read_walk_begin(struct read_walk *walk, const struct read_file *file,
		     const struct read_stream *stream);
bool read_walk_next(struct read_walk *walk, struct read_piece *piece);

void stat_begin(struct tally *stat, u64 packets);
void stat_add(struct tally *stat, const struct read_piece *piece);
void stat_free(struct tally *stat);
double stat_quantile(const struct tally *stat, unsigned int signal, double q);

void epochs_begin(struct stat_epochs *epochs);
void epochs_add(struct stat_epochs *epochs, const struct read_piece *piece);
void clock_fit(struct stat_clock *clock, const struct read_stream *s,
	       const struct stat_epochs *epochs);
bool clock_time(const struct stat_clock *clock, unsigned int epoch, u64 cycle, s64 *time);
void clock_free(struct stat_clock *clock);

#endif
