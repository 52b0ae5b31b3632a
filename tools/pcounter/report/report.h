/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of "pcounter report".
 */
#ifndef _PCOUNTER_TOOL_REPORT_H
#define _PCOUNTER_TOOL_REPORT_H

#include "capture/capture.h"
#include "cli/out.h"

#define REPORT_EVENTS	16

/**
 * struct report_stream - a stream of the report
 * @s: the stream
 * @number: its number
 * @counters: bitmask of the reported counters
 * @clock: its clock
 * @lost: number of packets missing between the numbers
 * @stat: its sums, NULL if they are not needed
 */
struct report_stream {
	const struct read_stream *s;
	unsigned int number;
	unsigned int counters;
	struct clock clock;
	u64 lost;
	struct tally *stat;
};

/**
 * struct report - a run
 * @path: the capture
 * @file: its contents
 * @stream: the streams
 * @nr: number of streams
 * @events: patterns, ended by NULL: report only counters whose name contains one of
 *	them; none: report all counters
 * @domain: the only domain to report, negative: all
 * @from: begin of the window, in s since the capture began; NAN: begin of the capture
 * @to: end of the window, in s since the capture began; NAN: end of the capture
 * @bucket: ns of packets to join into a row; 0: do not join; NAN: join those of a trace if
 *	there are too many for viewers
 * @kind: format of the output
 * @output: file of the output, NULL: stdout
 * @picture: file of the picture, NULL: none
 * @trace: file of the trace, NULL: none
 * @append: appends to the trace, whose descriptor it gets; NULL: nothing is appended
 * @taken: number of packets within the window
 */
struct report {
	const char *path;
	struct read_file file;
	struct report_stream stream[READ_STREAMS];
	unsigned int nr;
	const char *events[REPORT_EVENTS + 1];
	long domain;
	double from;
	double to;
	double bucket;
	enum out_kind kind;
	const char *output;
	const char *picture;
	const char *trace;
	bool (*append)(int fd);
	u64 taken;
};

/* Columns of rows. ROW_PACKET is the number of a row's first packet. */
enum {
	ROW_STREAM, ROW_GPU, ROW_DOMAIN, ROW_PACKET, ROW_PACKETS, ROW_EPOCH, ROW_CYCLE, ROW_TIME,
	ROW_CYCLES, ROW_REQUESTS, ROW_COUNTERS, ROW_COLUMNS = ROW_COUNTERS + READ_COUNTERS,
};

/**
 * struct sink - a destination of rows
 * @out: output of rows in CSV and JSON Lines; for a trace only its stream is used
 * @trace: it is a trace
 * @report: the run
 * @bucket: ns of packets to join into a row; 0: do not join
 * @rs: the stream
 * @row: the row: a packet, or a bucket of packets
 * @begin: in a trace, begin of the row, in ns since the capture began
 * @end: in a trace, end of the row, in ns since the capture began
 * @joined: in a trace, no packet is missing between the previous row and this one
 * @open: a row has been written to the trace, and @last_end is valid
 * @last_end: end of the last written row, in ns since the capture began
 * @last: last written share of each counter, NAN: none
 */
struct sink {
	struct out out;
	bool trace;
	struct report *report;
	s64 bucket;
	const struct report_stream *rs;
	struct cell row[ROW_COLUMNS];
	s64 begin;
	s64 end;
	bool joined;
	bool open;
	s64 last_end;
	double last[READ_COUNTERS];
};

#define LEAST_KNOWN	0.1	/* columns with a smaller known part are left blank */

/**
 * struct report_column - shares in a part of the time
 * @cycles: known cycles
 * @known: known part of the time
 * @total: events of each counter
 * @min: least share of a packet, by counter
 * @max: greatest share of a packet, by counter
 */
struct report_column {
	double cycles;
	double known;
	double total[READ_COUNTERS];
	double min[READ_COUNTERS];
	double max[READ_COUNTERS];
};

/**
 * struct report_columns - shares over time
 * @nr: number of columns
 * @from: begin of the first column, in report_unit()
 * @to: end of the last column, in report_unit()
 * @column: the columns; free() frees them
 */
struct report_columns {
	unsigned int nr;
	double from;
	double to;
	struct report_column *column;
};

/* Return false if too little of a column is known: it should be left blank. */
static inline bool report_column(const struct report_columns *columns, unsigned int i)
{
	return columns->column[i].cycles > 0 && columns->column[i].known > LEAST_KNOWN;
}

/* Return the mean share of a counter in a column. */
static inline double report_mean(const struct report_columns *columns, unsigned int k,
				 unsigned int i)
{
	return columns->column[i].total[k] / columns->column[i].cycles;
}

/* Return true if only a part of the time is reported. */
static inline bool report_has_window(const struct report *report)
{
	return !isnan(report->from) || !isnan(report->to);
}

void report_columns(const struct report *report, const struct report_stream *rs, unsigned int nr,
		    struct report_columns *columns);

int report_file(struct report *report);

bool report_rows(struct report *report, bool trace);

bool report_text(const struct report *report);

bool report_draw(const struct report *report);

bool report_take(struct report *report, const struct report_stream *rs, struct read_walk *walk,
		 unsigned int most);
double report_x(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		u64 cycle);
void report_ends(const struct report *report, const struct report_stream *rs, double *first,
		 double *last);
const char *report_unit(const struct report_stream *rs);
const char *report_name(const struct report_stream *rs, unsigned int k);

void perfetto_begin(struct sink *s);
void perfetto_stream(struct sink *s);
void perfetto_row(struct sink *s);
void perfetto_end(struct sink *s);

#endif
