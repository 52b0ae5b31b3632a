/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of commands while metrics of GPUs are counted, and their values.
 */
#ifndef _PCOUNTER_TOOL_RUNS_H
#define _PCOUNTER_TOOL_RUNS_H

#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "cli/sample.h"

#define MAX_USES	64

/**
 * struct member - a metric of a GPU, and its values
 * @use: the metric
 * @made: its definition, if it is made of the user's events and expressions
 * @value: the values
 * @clock: frequency of the clock of its cycles(EVENT) in the last run, in Hz; NAN: none
 * @enabled: seconds for which its events were enabled
 * @running: seconds for which they counted
 */
struct member {
	struct metric_use use;
	struct metric made;
	struct sample value;
	double clock;
	double enabled;
	double running;
};

/**
 * struct counts - the metrics of a GPU in the runs of a command
 * @gpu: the GPU
 * @found: the GPU, if it has come back
 * @turn: number of the command
 * @names: the words of the list of metrics
 * @n: number of metrics
 * @member: the metrics; behind them the duration of a run, without events
 */
struct counts {
	const struct gpu *gpu;
	struct gpus found;
	unsigned int turn;
	char *names;
	unsigned int n;
	struct member member[MAX_USES + 1];
};

/**
 * struct runs - what the user asks for, and its values
 * @list: the metrics, NULL: those for the first question
 * @line: the metrics to print in one line
 * @versus: the second command, as the user writes it
 * @separator: separates the fields of perf stat -x
 * @interval: length of an interval in ns, 0: print the values of whole runs
 * @repeat: number of runs of each command
 * @command: the commands, which run by turns; NULL: none, only time passes
 * @turns: number of commands
 * @date: the begin of the first run
 * @when: end of the last interval, in seconds from its begin
 * @out: the output
 * @nr: number of @counts
 * @counts: one for each GPU, or for each command
 */
struct runs {
	const char *list;
	const char *line;
	const char *versus;
	const char *separator;
	double interval;
	unsigned long repeat;
	char **command[2];
	unsigned int turns;
	char date[64];
	double when;
	struct out out;
	unsigned int nr;
	struct counts *counts;
};

/* Return the runs that count, and their durations. */
static inline const struct member *durations(const struct counts *counts)
{
	return &counts->member[counts->n];
}

extern const struct metric elapsed;
extern const char *const stat_columns[];

bool runs_text(const struct runs *runs);
void runs_head(const struct runs *runs);
void runs_show(struct runs *runs);

#endif
