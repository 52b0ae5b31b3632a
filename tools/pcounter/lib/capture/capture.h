/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of captures, and sums over their packets. read_parse() checks the
 * blocks of a file once; packets may hold any value.
 */
#ifndef _PCOUNTER_TOOL_CAPTURE_H
#define _PCOUNTER_TOOL_CAPTURE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/pcounter_record.h>
#include <linux/types.h>

#include "capture/format.h"
#include "record/decode.h"

/* ---- packets, as the GPU wrote them ---- */

/* Return the cycle counter at the end of a packet. */
static inline u64 packet_cycle(const void *packet)
{
	return pcounter_packet_head(packet) & PCOUNTER_PACKET_CYCLES;
}

/* Return true if the GPU has not written to this slot. */
static inline bool packet_is_missing(const void *packet)
{
	return pcounter_packet_head(packet) & PCOUNTER_PACKET_ZERO;
}

/* Return the count of a counter. */
static inline u16 packet_counter(const struct pcounter_record_packet *packet, unsigned int counter)
{
	return le16toh(packet->ctr[counter]);
}

/* ---- contents of captures ---- */

#define READ_COUNTERS	PCOUNTER_CAPTURE_COUNTERS
#define READ_RECORD_COUNTERS	4	/* of a record */
#define READ_STREAMS	256	/* no machine has as many domains */
#define READ_EPOCHS	4096
#define READ_WHY	160
#define READ_CLOCKS	2	/* times at which a capture has the clocks of the system */
#define SYSTEM_CLOCKS	4	/* perf's, CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME */
#define READ_SLACK	1000000	/* ns: running may be shorter than enabled */
#define READ_PERIOD	U32_MAX	/* clocks between two records, at most */
#define READ_TIME	(INT64_MAX / 4)	/* ns: a difference of two times fits */

#define STAT_STEPS	500			/* resolution of shares: 0.2 % */
#define STAT_BINS	(STAT_STEPS + 2)	/* the last bin: shares above 1 */
#define STAT_TILES	16384

/**
 * struct read_run - a run of consecutive packets in the file
 * @packets: the packets
 * @first: number of the first packet
 * @nr: number of packets
 * @sums: the counters of its records run on
 * @anew: numbers of requests begin anew with it
 */
struct read_run {
	const u8 *packets;
	u64 first;
	u64 nr;
	bool sums;
	bool anew;
};

/**
 * struct read_pair - a moment by the GPU's clock and by perf's
 * @cycle: cycle counter, or time of a record
 * @time: perf's clock in ns
 * @error: upper bound on the delay of @time, in ns
 * @next: number of the packet after those that precede this pair in the file
 */
struct read_pair {
	u64 cycle;
	u64 time;
	u64 error;
	u64 next;
};

/**
 * enum loss - accounts of losses, in the order of struct pcounter_capture_loss
 * @LOSS_OVERRUN: packets overwritten before the driver read them
 * @LOSS_MISSING: packets that never arrived
 * @LOSS_MERGED: requests that came while the previous packet was on its way
 * @LOSS_SATURATED: packets with a saturated counter
 * @LOSS_GAPS: number of restarts of recording
 * @LOSS_DELAYED: records that came late: they and the next ones are of unknown length
 * @LOSSES: number of accounts
 */
enum loss {
	LOSS_OVERRUN, LOSS_MISSING, LOSS_MERGED, LOSS_SATURATED, LOSS_GAPS, LOSS_DELAYED, LOSSES
};

/* Return true if the events of an account are not in the next packet. */
static inline bool is_loss(enum loss account)
{
	return account != LOSS_MERGED && account != LOSS_DELAYED;
}

/**
 * struct read_times - the recorded part of the time, all zero if it is unknown
 * @early: a signal ended the capture early
 * @span: ns from begin to end
 * @enabled: ns for which the events were enabled
 * @running: ns for which the events recorded
 * @begun: number of times that recording began
 */
struct read_times {
	bool early;
	u64 span;
	u64 enabled;
	u64 running;
	unsigned int begun;
};

/**
 * struct read_stream - packets of a domain, or records (of GF100 and later)
 * @known: the file describes the stream
 * @ended: the file has the end of the stream
 * @has_loss: the file has an account of losses
 * @pmu: name of the PMU
 * @gpu: PCI address
 * @card: marketing name and chip of the GPU, empty in old captures
 * @chipset: number of the chip
 * @domain: number of the domain
 * @records: it has records
 * @ring: number of the stream with the same records that is the first of these
 * @sharing: in the first one, how many have the same records
 * @packet: size of a packet in bytes
 * @period: clocks between two packets, or 0
 * @hz: frequency of the clock when the capture began, or 0
 * @name: names of the counters; empty: unused counter
 * @loss: the latest account of losses
 * @times: the recorded part of the time
 * @packets: number of packets; of records: the share of one domain, approximately
 * @next: number of the packet after the last one
 * @run: the runs of packets
 * @nr_runs: number of runs
 * @pair: the pairs of clocks
 * @nr_pairs: number of pairs
 */
struct read_stream {
	bool known;
	bool ended;
	bool has_loss;
	char pmu[PCOUNTER_CAPTURE_NAME];
	char gpu[PCOUNTER_CAPTURE_NAME];
	char card[PCOUNTER_CAPTURE_NAME];
	unsigned int chipset;
	unsigned int domain;
	bool records;
	unsigned int ring;
	unsigned int sharing;
	unsigned int packet;
	u64 period;
	u64 hz;
	char name[READ_COUNTERS][PCOUNTER_CAPTURE_NAME];
	u64 loss[LOSSES];
	struct read_times times;
	u64 packets;
	u64 next;
	struct read_run *run;
	size_t nr_runs;
	struct read_pair *pair;
	size_t nr_pairs;
};

/**
 * struct read_file - a capture
 * @data: the file
 * @size: size of the file in bytes
 * @mapped: @data is a mapping
 * @real_time: CLOCK_REALTIME when the capture began
 * @perf_time: perf's clock when the capture began
 * @clocks: clocks at the begin and the end of the capture, in ns
 * @nr_clocks: number of known entries of @clocks
 * @stream: the streams, by number
 * @nr: number of streams
 * @cut: size in bytes of an incomplete block at the end
 * @why: first error in the file and its offset; empty: no error
 */
struct read_file {
	const u8 *data;
	u64 size;
	bool mapped;
	u64 real_time;
	u64 perf_time;
	u64 clocks[READ_CLOCKS][SYSTEM_CLOCKS];
	unsigned int nr_clocks;
	struct read_stream *stream;
	unsigned int nr;
	u64 cut;
	char why[READ_WHY];
};

#define READ_MANY	S16_MAX	/* packets that are taken together, at most */

/**
 * struct read_walk - an iterator over the packets of a stream, and the taken packets: one, or
 *	several without a gap that are a period of the stream apart
 * @stream: the stream
 * @run: index of the current run
 * @at: packets of the current run already taken
 * @number: number of the first packet
 * @nr: number of packets
 * @lost: number of packets missing right before the first packet
 * @joined: no packet is missing before it, and the cycle counter did not restart; in a domain's
 *	first record false
 * @epoch: number of restarts of the cycle counter so far
 * @begin: cycle counter at the begin of the first packet; @cycle if that is unknown
 * @cycle: cycle counter at the end of the last packet; of a record: the time
 * @length: cycles of each packet; 0: unknown
 * @packet: the packets
 * @padded: a SHORT packet, followed by zeros
 * @head: first word of a record, 0 before the first one of a recording
 * @time: time of the latest record of any domain
 * @torn: the next record does not follow the one before
 * @requests: of a record: requests since the one before
 * @raw: counters of a record as the GPU wrote them
 * @count: counts of a record
 */
struct read_walk {
	const struct read_stream *stream;
	size_t run;
	u64 at;
	u64 number;
	unsigned int nr;
	u64 lost;
	bool joined;
	unsigned int epoch;
	u64 begin;
	u64 cycle;
	u64 length;
	const struct pcounter_record_packet *packet;
	struct pcounter_record_packet padded;
	u64 head;
	u64 time;
	bool torn;
	unsigned int requests;
	u32 raw[READ_RECORD_COUNTERS];
	u32 count[READ_COUNTERS];
};

/* Return a count of one of the taken packets. */
static inline u32 walk_count(const struct read_walk *walk, unsigned int packet,
			     unsigned int counter)
{
	return walk->stream->records ? walk->count[counter] :
				       packet_counter(walk->packet + packet, counter);
}

enum stretch { IDLE, BUSY, STRETCHES };

/**
 * struct stat_signal - a counter
 * @total: events in packets of known length
 * @share: sum of the shares of the packets of known length
 * @min: least share of a packet
 * @max: greatest share of a packet
 * @full: number of packets with this counter saturated
 * @over: number of packets with more events than cycles
 * @now: cycles without an event, or with one in each cycle, up to the last packet
 * @best: greatest @now
 */
struct stat_signal {
	u64 total;
	double share;
	double min;
	double max;
	u64 full;
	u64 over;
	u64 now[STRETCHES];
	u64 best[STRETCHES];
};

/**
 * struct stat_tile - sums over consecutive packets
 * @packets: number of packets
 * @epoch: epoch of the packets
 * @first: cycle counter at the begin of the first packet
 * @last: cycle counter at the end of the last packet
 * @span: the same as @cycles, by the clock of @first and @last
 * @cycles: cycles of the packets of known length
 * @total: events of the packets of known length
 * @min: least share of a packet
 * @max: greatest share of a packet
 */
struct stat_tile {
	u64 packets;
	unsigned int epoch;
	u64 first;
	u64 last;
	u64 span;
	u64 cycles;
	u64 total[READ_COUNTERS];
	float min[READ_COUNTERS];
	float max[READ_COUNTERS];
};

/**
 * struct tally - sums over a stream
 * @counters: bitmask of the counters in use
 * @packets: number of packets that arrived
 * @unknown: number of packets of unknown length among them
 * @span: the same as @cycles, by the clock of the stream
 * @cycles: cycles of the packets of known length
 * @lost: number of packets missing between the numbers
 * @signal: sums by counter
 * @bin: number of packets by counter and share
 * @period: the period of the stream, 0 for records
 * @bin_of: which bin a count of a packet of this length belongs to
 * @tile_packets: packets of a tile
 * @nr_tiles: number of tiles
 * @tile: sums over consecutive packets
 */
struct tally {
	unsigned int counters;
	u64 packets;
	u64 unknown;
	u64 span;
	u64 cycles;
	u64 lost;
	struct stat_signal signal[READ_COUNTERS];
	u64 bin[READ_COUNTERS][STAT_BINS];
	u64 period;
	u16 bin_of[PCOUNTER_CTR_FULL + 1];
	u64 tile_packets;
	unsigned int nr_tiles;
	struct stat_tile tile[STAT_TILES];
};

/**
 * struct clock_epoch - packets between two restarts of the cycle counter
 * @number: number of the first packet
 * @first: cycle counter at the begin of the first packet
 * @last: cycle counter at the end of the last packet
 * @before: cycles of the epochs before
 * @pair: the first pair, NULL if there is none
 * @known: the times of cycles are known, by a straight line
 * @time: perf's clock at the cycle of @pair, by that line, in ns
 * @slope: ns per cycle
 * @error: greatest error of a time in either direction, in ns; NAN: unknown
 */
struct clock_epoch {
	u64 number;
	u64 first;
	u64 last;
	double before;
	const struct read_pair *pair;
	bool known;
	s64 time;
	double slope;
	double error;
};

/**
 * struct clock - the clock of a stream
 * @epoch: the epochs; all beyond READ_EPOCHS are left out
 * @nr: number of epochs
 * @timed: the times of all epochs are known
 * @span: cycles of the longest line
 * @used: number of pairs that the longest line is fitted to
 * @hz: frequency by that line, or from the file; 0: unknown
 * @hz_min: least frequency that agrees with all pairs, 0: unknown
 * @hz_max: greatest frequency that agrees with all pairs
 * @bent: no straight line agrees with all pairs
 */
struct clock {
	struct clock_epoch *epoch;
	unsigned int nr;
	bool timed;
	double span;
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
void read_begin(struct read_walk *walk, const struct read_stream *stream);
bool read_next(struct read_walk *walk, unsigned int most);
void read_back(struct read_walk *walk, unsigned int nr);

struct tally *stat_begin(u64 packets, u64 period, unsigned int counters);
unsigned int stat_room(const struct tally *stat);
void stat_add(struct tally *stat, const struct read_walk *walk);
double stat_quantile(const struct tally *stat, unsigned int signal, double q);

void clock_add(struct clock *clock, const struct read_walk *walk);
void clock_fit(struct clock *clock, const struct read_stream *s);
bool clock_time(const struct clock *clock, unsigned int epoch, u64 cycle, s64 *time);

#endif
