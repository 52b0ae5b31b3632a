/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run of "pcounter report" is about: plain types.
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
 * @unjoined: each packet by itself, however many there are
 * @most: bytes that a trace may have
 * @kind: what goes to stdout
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

#endif
