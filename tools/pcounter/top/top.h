/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watching GPUs in intervals, and showing what they do.
 */
#ifndef _PCOUNTER_TOOL_TOP_H
#define _PCOUNTER_TOOL_TOP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gpu/count.h"
#include "gpu/gpu.h"
#include "gpu/types.h"
#include "lib/tool.h"

#define TOP_UNIT	24
#define UNIT_CLOCK	"clock"

/**
 * struct top_row - one thing in one interval
 * @gpu: whose
 * @state: "counting", "waiting", "asleep", "gone", "stopped", "refused"
 * @domain: which domain
 * @unit: part of the GPU that it belongs to; UNIT_CLOCK: the domain itself
 * @name: the signal
 * @plain: its meaning for an engine
 * @counted: it was counted for at least a part of the interval
 * @events: clocks in which it was 1
 * @cycles: clocks in which it was looked at
 * @has_busy: it tells how busy its unit is
 * @busy: how busy
 * @hz: clock of the domain, negative if unknown
 * @total_events: @events since counting began
 * @total_cycles: @cycles since then
 * @total_running: ns for which it was counted since then
 */
struct top_row {
	const struct gpu *gpu;
	const char *state;
	char domain[PCOUNTER_DOM_NAME];
	char unit[TOP_UNIT];
	const char *name;
	const struct plain *plain;
	bool counted;
	uint64_t events;
	uint64_t cycles;
	bool has_busy;
	double busy;
	double hz;
	uint64_t total_events;
	uint64_t total_cycles;
	uint64_t total_running;
};

/**
 * struct top_rows - all of an interval
 * @nr: how many
 * @row: the rows, GPU by GPU
 */
struct top_rows {
	unsigned int nr;
	struct top_row *row;
};

static inline bool row_is_clock(const struct top_row *row)
{
	return !strcmp(row->unit, UNIT_CLOCK);
}

/* Share of the clocks in which a signal was 1, NAN if it is unknown. */
static inline double row_share(const struct top_row *row)
{
	return row->counted && row->cycles ? (double)row->events / row->cycles : NAN;
}

#define MAX_WISHES	32
#define PLAIN_MAX	4	/* signals counted beside a clock */

/**
 * struct wish - an event that the user wants to see
 * @pmu: of this PMU only; empty: of all
 * @event: terms, or a pattern for names
 * @seen: a GPU has such an event
 */
struct wish {
	char pmu[32];
	char event[EVENT_TEXT];
	bool seen;
};

/**
 * struct wishes - the events that the user asks for
 * @all: every named signal
 * @lean: without a wish, count only how busy units are
 * @nr: number of @wish
 * @wish: events
 */
struct wishes {
	bool all;
	bool lean;
	unsigned int nr;
	struct wish wish[MAX_WISHES];
};

/**
 * struct chunk - signals that are counted together, and clocks beside them
 * @pmu: their PMU
 * @domain: name of their domain
 * @n: how many; the clock is one more
 * @name: their names
 * @plain: the meaning of each for an engine
 * @event: what they are; event[n] is the clock
 * @count: their counters
 * @last: their counts at the end of the last interval
 * @last_running: and for how long they had run
 * @turn: its place among the chunks of its domain that take turns; negative: it always counts
 * @err: why they cannot be counted
 */
struct chunk {
	const struct pmu *pmu;
	char domain[PCOUNTER_DOM_NAME];
	unsigned int n;
	const char *name[PLAIN_MAX];
	const struct plain *plain[PLAIN_MAX];
	struct event event[PLAIN_MAX + 1];
	struct count count;
	uint64_t last[PLAIN_MAX + 1];
	uint64_t last_running;
	int turn;
	int err;
};

/**
 * struct watch - a GPU that is watched
 * @gpu: the GPU
 * @nr: number of @chunk
 * @chunk: what is counted
 * @open: it is being counted
 * @turns: most chunks of any domain that take turns
 * @now: how many turns there were
 */
struct watch {
	const struct gpu *gpu;
	unsigned int nr;
	struct chunk *chunk;
	bool open;
	unsigned int turns;
	unsigned int now;
};

bool watch_init(struct watch *w, const struct gpu *gpu, struct wishes *wishes);
int watch_open(struct watch *w);
void watch_close(struct watch *w);
void watch_free(struct watch *w);
void watch_turn(struct watch *w);
int watch_rows(struct watch *w, struct top_rows *rows);
const char *row_value(const struct top_row *row, char *buf, size_t len);

#define ENGINE_LINE	400	/* bytes: a sign may take three */
#define ENGINE_HISTORY	40	/* intervals */
#define ENGINES_MAX	64
#define ENGINE_GPUS	16

/**
 * struct engine - an engine, or a kind of traffic
 * @gpu: whose
 * @name: of an engine: the signal or counter that tells
 * @plain: the same in plain words
 * @rows: rows of this interval that tell
 * @parts: how many of them were counted
 * @sum: the sum of their shares or rates
 * @waits: the share in which it waited, in this interval; below 0: not known
 * @waits_for: the engine that it waited for most
 * @n: how many intervals are known
 * @value: the last of them, the oldest first; below 0: not counted
 */
struct engine {
	const struct gpu *gpu;
	const char *name;
	struct plain plain;
	unsigned int rows;
	unsigned int parts;
	double sum;
	double waits;
	char waits_for[32];
	unsigned int n;
	double value[ENGINE_HISTORY];
};

/**
 * struct engine_gpu - facts about a GPU beside its counters
 * @gpu: the GPU
 * @card: its marketing name, may be empty
 * @facts: the facts of its graphics driver
 */
struct engine_gpu {
	const struct gpu *gpu;
	char card[80];
	struct drm_facts facts;
};

/**
 * struct engines - all of them
 * @nr: how many
 * @sorted: show the busiest first
 * @unicode: the terminal knows more than ASCII
 * @engine: the engines, GPU by GPU
 * @nr_gpus: number of @about
 * @about: their GPUs
 */
struct engines {
	unsigned int nr;
	bool sorted;
	bool unicode;
	struct engine engine[ENGINES_MAX];
	unsigned int nr_gpus;
	struct engine_gpu about[ENGINE_GPUS];
};

void engines_note(struct engines *e, const struct top_rows *rows);
unsigned int engines_lines(const struct engines *e, const struct top_rows *rows,
			   const struct gpu *only, unsigned int width, unsigned int most,
			   char line[][ENGINE_LINE]);
unsigned int engines_clocks(const struct engines *e, const struct top_rows *rows,
			    const struct gpu *only, unsigned int most,
			    char line[][ENGINE_LINE]);

/**
 * struct screen_view - the settings that keys change
 * @ms: length of an interval
 * @all: every named signal is counted
 */
struct screen_view {
	unsigned long ms;
	bool all;
};

bool screen_begin(bool by_engine);
void screen_draw(const struct top_rows *rows, const struct screen_view *view);
bool screen_wait(const struct top_rows *rows, double wait, struct screen_view *view);
void screen_end(void);

bool metrics_show(const char *path, const struct top_rows *rows);

#endif
