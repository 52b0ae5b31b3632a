/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watching GPUs in intervals.
 */
#ifndef _PCOUNTER_TOOL_WATCH_H
#define _PCOUNTER_TOOL_WATCH_H

#include "gpu/count.h"
#include "gpu/gpu.h"
#include "verbs/rows.h"

#define MAX_WISHES	32
#define PLAIN_MAX	4	/* signals counted beside a clock */

/**
 * struct wish - an event that the user wants to see
 * @pmu: of this PMU only; empty: of all
 * @event: terms, or a pattern for names
 * @seen: there is such a thing
 */
struct wish {
	char pmu[32];
	char event[EVENT_TEXT];
	bool seen;
};

/**
 * struct wishes - what the user wants to see
 * @all: every named signal
 * @lean: without a wish: only what tells how busy units are
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
 * @plain: what each tells of an engine
 * @event: what they are; event[n] is the clock
 * @count: their counters
 * @last: their counts at the end of the last interval
 * @last_running: and for how long they had run
 * @turn: of those chunks of a domain that take turns, which; negative: it always counts
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
void watch_turn(struct watch *w);
int watch_rows(struct watch *w, struct top_rows *rows);

#endif
