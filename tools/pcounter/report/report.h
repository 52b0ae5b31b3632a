/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of "pcounter report".
 */
#ifndef _PCOUNTER_TOOL_REPORT_H
#define _PCOUNTER_TOOL_REPORT_H

#include "capture/capture.h"
#include "lib/out.h"
#include "lib/tool.h"

#define REPORT_EVENTS	16

/**
 * struct report_stream - a stream that is reported
 * @s: the stream
 * @number: its number
 * @counters: which counters, a bit for each
 * @clock: its clock
 * @stat: its sums, NULL if they are not needed
 * @epochs: its epochs
 * @timed: all its times are known
 * @offset: else for each epoch: cycles before it
 */
struct report_stream {
	const struct read_stream *s;
	unsigned int number;
	unsigned int counters;
	struct stat_clock clock;
	struct tally *stat;
	struct stat_epochs *epochs;
	bool timed;
	double *offset;
};

/**
 * struct report - a run
 * @path: the capture
 * @file: its contents
 * @stream: the streams
 * @nr: how many
 * @events: only counters whose name has one of these in it
 * @nr_events: how many; 0: all
 * @domain: only this domain, negative: all
 * @from: only from then on, in s since the capture began; NAN: from its begin
 * @to: only up to then, NAN: to its end
 * @bucket: ns that are put together; 0: none
 * @unjoined: each packet by itself, however many there are
 * @most: bytes that a trace may have
 * @kind: the format of stdout
 * @output: or there
 * @picture: where to draw, NULL: nowhere
 * @trace: where a trace goes, NULL: nowhere
 * @done: packets that are behind us, for the progress
 * @todo: packets there are
 * @taken: packets within the window
 * @said: when progress was shown
 */
struct report {
	const char *path;
	struct read_file file;
	struct report_stream stream[READ_STREAMS];
	unsigned int nr;
	const char *events[REPORT_EVENTS];
	unsigned int nr_events;
	long domain;
	double from;
	double to;
	u64 bucket;
	bool unjoined;
	double most;
	enum out_kind kind;
	const char *output;
	const char *picture;
	const char *trace;
	u64 done;
	u64 todo;
	u64 taken;
	double said;
};

#define PARTS		1000000	/* in which shares are written */

/**
 * struct row - a packet, or a bucket of them
 * @packet: number of the first
 * @packets: how many
 * @epoch: epoch of the last
 * @cycle: cycle counter at its end
 * @timed: @time is known
 * @time: when it ended, in ns of perf's clock; of a bucket: when it began
 * @begin: when it began, in ns since the capture began
 * @end: and ended
 * @joined: nothing is missing between the row before and this one
 * @cycles: length of the packets whose length is known
 * @requests: that they answer
 * @count: the counters
 */
struct row {
	u64 packet;
	u64 packets;
	unsigned int epoch;
	u64 cycle;
	bool timed;
	s64 time;
	s64 begin;
	s64 end;
	bool joined;
	u64 cycles;
	u64 requests;
	u64 count[READ_COUNTERS];
};

/**
 * struct sink - where rows go
 * @out: rows of CSV and JSON Lines, or of a trace only its stream
 * @row: writes one
 * @timed: it wants to know when a row began and ended
 * @rs: the stream
 * @pid: number of the stream in a trace, from 1
 * @zero: perf's clock when the capture began
 * @open: a row has been written, which ended at ...
 * @end: ... ns since the capture began
 * @last: what was last written of each counter
 */
struct sink {
	struct out out;
	void (*row)(struct sink *sink, const struct row *row);
	bool timed;
	const struct report_stream *rs;
	unsigned int pid;
	u64 zero;
	bool open;
	s64 end;
	u64 last[READ_COUNTERS];
};

/**
 * struct report_columns - shares along the time
 * @nr: how many columns
 * @from: where the first begins, in report_unit()
 * @to: and the last ends
 * @cycles: of which something is known
 * @known: what part of it they are
 * @packets: how many in a column, on average of those that have any
 * @total: and the events in them
 * @min: least share of a packet
 * @max: greatest
 */
struct report_columns {
	unsigned int nr;
	double from;
	double to;
	double *cycles;
	double *known;
	double packets;
	double *total[READ_COUNTERS];
	double *min[READ_COUNTERS];
	double *max[READ_COUNTERS];
};

bool report_column(const struct report_columns *columns, unsigned int i);
void report_columns(const struct report *report, const struct report_stream *rs, unsigned int nr,
		    struct report_columns *columns);
void report_columns_free(struct report_columns *columns);

int report_file(struct report *report);
void report_free(struct report *report);

bool report_rows(struct report *report);
bool report_trace(struct report *report);

void report_text(const struct report *report, FILE *f);

bool report_draw(const struct report *report, const char *path);

bool report_take(struct report *report, const struct report_stream *rs,
		 struct read_walk *walk, struct read_piece *piece);
double report_x(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		u64 cycle);
void report_ends(const struct report *report, bool timed, double *first, double *last);
const char *report_unit(const struct report_stream *rs);
void report_progress_end(struct report *report);

void perfetto_begin(struct sink *s, const struct report *report);
void perfetto_stream(struct sink *s);
void perfetto_row(struct sink *s, const struct row *row);
void perfetto_end(struct sink *s);

#endif
