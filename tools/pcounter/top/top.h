/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watching GPUs in intervals, and showing their activity.
 */
#ifndef _PCOUNTER_TOOL_TOP_H
#define _PCOUNTER_TOOL_TOP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gpu/count.h"
#include "gpu/gpu.h"
#include "lib/util.h"

#define TOP_UNIT	24
#define UNIT_CLOCK	"clock"

/**
 * struct top_row - a signal or a clock in one interval
 * @state: "counting", "waiting", "asleep", "gone", "stopped", "refused"
 * @domain: its domain
 * @clock: documented name of the domain's clock, NULL if it has none
 * @unit: its part of the GPU; UNIT_CLOCK: the row of the domain's clock
 * @name: the signal, NULL if the GPU has no values in this interval
 * @plain: its meaning for an engine, NULL if it has none
 * @events: clocks in which it was 1
 * @cycles: clocks for which it was counted
 * @busy: share of time in which its unit was busy, NAN if unknown
 * @hz: frequency of the domain, NAN if it was not counted in this interval
 * @total_events: @events since counting began
 * @total_cycles: @cycles since counting began
 * @total_running: ns for which it was counted since counting began
 */
struct top_row {
	const char *state;
	char domain[PCOUNTER_DOM_NAME];
	const char *clock;
	char unit[TOP_UNIT];
	const char *name;
	const struct plain *plain;
	uint64_t events;
	uint64_t cycles;
	double busy;
	double hz;
	uint64_t total_events;
	uint64_t total_cycles;
	uint64_t total_running;
};

static inline bool row_is_clock(const struct top_row *row)
{
	return !strcmp(row->unit, UNIT_CLOCK);
}

/* Return the share of the clocks in which a signal was 1, NAN if it is unknown. */
static inline double row_share(const struct top_row *row)
{
	return row->cycles ? (double)row->events / row->cycles : NAN;
}

static inline enum plain_kind row_kind(const struct top_row *row)
{
	return row->plain ? row->plain->kind : PLAIN_OTHER;
}

#define MAX_WISHES	32
#define PLAIN_MAX	4	/* signals counted beside a clock */

/**
 * struct wish - an event that the user wants to see
 * @pmu: name of the only PMU, empty: all PMUs
 * @event: terms, or a pattern for names
 * @seen: a GPU has a matching event
 */
struct wish {
	char pmu[32];
	char event[EVENT_TEXT];
	bool seen;
};

/**
 * struct wishes - the interval, which keys change, and the events that the user asks for
 * @ms: length of an interval
 * @all: count every named signal
 * @lean: without a wish, count only the busy signals of units
 * @nr: number of @wish
 * @wish: events
 */
struct wishes {
	unsigned long ms;
	bool all;
	bool lean;
	unsigned int nr;
	struct wish wish[MAX_WISHES];
};

/**
 * struct chunk - signals and a clock that are counted as one group
 * @dom: index of their domain, -1 for the idle counters
 * @n: number of signals, without the clock
 * @name: names of the signals
 * @plain: meaning of each signal for an engine, NULL if it has none
 * @event: the events; event[n] is the clock
 * @count: the group; closed if the kernel refuses it
 * @turn: position among the chunks of the domain that take turns; negative: always counts
 */
struct chunk {
	int dom;
	unsigned int n;
	const char *name[PLAIN_MAX];
	const struct plain *plain[PLAIN_MAX];
	struct event event[PLAIN_MAX + 1];
	struct count count;
	int turn;
};

#define ENGINE_HISTORY	40	/* intervals */
#define ENGINES_MAX	64

/**
 * struct engine - an engine, or a kind of traffic
 * @name: name of the signal or counter that shows it
 * @plain: its meaning in plain words
 * @waits: share of the interval in which it waited; negative: unknown
 * @waits_for: the engine that it waited for most
 * @value: shares or rates of the last intervals, the oldest first; negative: not counted,
 *	NAN: before the first interval
 */
struct engine {
	char name[LONGEST_NAME + 1];
	struct plain plain;
	double waits;
	char waits_for[32];
	double value[ENGINE_HISTORY];
};

/**
 * struct watch - a watched GPU
 * @gpu: the GPU
 * @found: the GPU, if it has come back
 * @card: its marketing name, may be empty
 * @facts: the facts from its graphics driver, for the screen
 * @nr: number of @chunk
 * @chunk: the groups of signals to count
 * @open: the groups are open
 * @counted: a group has counted in the last interval, or the groups were just opened
 * @turns: greatest number of chunks of a domain that take turns
 * @now: number of turns so far
 * @nr_rows: number of @row; 0 if the GPU has woken up in this interval
 * @row: signals and clocks in the last interval; of a GPU that is not awake, its state
 * @nr_engines: number of @engine
 * @engine: its engines, and the kinds of its traffic
 */
struct watch {
	const struct gpu *gpu;
	struct gpus found;
	char card[96];
	struct drm_facts facts;
	unsigned int nr;
	struct chunk *chunk;
	bool open;
	bool counted;
	unsigned int turns;
	unsigned int now;
	unsigned int nr_rows;
	struct top_row *row;
	unsigned int nr_engines;
	struct engine engine[ENGINES_MAX];
};

/**
 * struct watches - all watched GPUs, and how the screen shows them
 * @nr: number of GPUs
 * @watch: the GPUs
 * @only: the only GPU to show, NULL: all
 * @sorted: show the busiest engines first
 * @unicode: the terminal can show more than ASCII
 * @width: columns of a line
 * @f: takes the lines
 */
struct watches {
	unsigned int nr;
	struct watch *watch;
	const struct watch *only;
	bool sorted;
	bool unicode;
	unsigned int width;
	FILE *f;
};

bool watch_init(struct watch *w, struct wishes *wishes);
int watch_open(struct watch *w);
void watch_free(struct watch *w);
void watch_turn(struct watch *w);
void watch_rows(struct watch *w, struct wishes *wishes);

void engines_note(struct watch *w);
void engines_lines(const struct watches *all);

bool screen_begin(void);
void screen_draw(struct watches *all, const struct wishes *wishes);
bool screen_wait(struct watches *all, double wait, struct wishes *wishes);
void screen_end(void);

bool metrics_show(const char *path, const struct watches *all);

#endif
