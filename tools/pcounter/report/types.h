/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of "pcounter report" share.
 */
#ifndef _PCOUNTER_TOOL_REPORT_TYPES_H
#define _PCOUNTER_TOOL_REPORT_TYPES_H

#include "capture/types.h"
#include "lib/tool.h"

#define REPORT_EVENTS	16

/**
 * struct report_stream - a stream of which is told
 * @s: the stream
 * @number: its number
 * @counters: which counters, a bit for each
 * @clock: its clock
 * @stat: what it amounts to, NULL if nobody wants to know
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
 * @file: what it holds
 * @stream: the streams
 * @nr: how many
 * @events: only counters whose name has one of these in it
 * @nr_events: how many; 0: all
 * @domain: only this domain, negative: all
 * @from: only from then on, in s since the capture began; NAN: from its begin
 * @to: only up to then, NAN: to its end
 * @bucket: ns that are put together; 0: none
 * @kind: what goes to stdout
 * @output: or there
 * @png: where to draw, NULL: nowhere
 * @svg: the same
 * @trace: where a trace goes, NULL: nowhere
 * @done: packets that are behind us, for the progress
 * @todo: packets there are
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
	enum out_kind kind;
	const char *output;
	const char *png;
	const char *svg;
	const char *trace;
	u64 done;
	u64 todo;
	double said;
};

int report_file(struct report *report);
void report_free(struct report *report);
bool report_take(struct report *report, const struct report_stream *rs,
		 struct read_walk *walk, struct read_piece *piece);
double report_x(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		u64 cycle);
const char *report_unit(const struct report_stream *rs);

/**
 * struct report_columns - shares along the time
 * @nr: how many columns
 * @from: where the first begins, in report_unit()
 * @to: and the last ends
 * @cycles: of which something is known
 * @known: what part of it they are
 * @total: and the events in them
 */
struct report_columns {
	unsigned int nr;
	double from;
	double to;
	double *cycles;
	double *known;
	double *total[READ_COUNTERS];
};

bool report_column(const struct report_columns *columns, unsigned int i);
bool report_columns(const struct report *report, const struct report_stream *rs, unsigned int nr,
		    struct report_columns *columns);
void report_columns_free(struct report_columns *columns);

void report_text(const struct report *report, FILE *f);
bool report_draw(const struct report *report, const char *path, bool svg);
bool report_rows(struct report *report, FILE *f);
bool report_trace(struct report *report, FILE *f);

#endif
