/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What "pcounter top" finds out in an interval.
 */
#ifndef _PCOUNTER_TOOL_ROWS_H
#define _PCOUNTER_TOOL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

#define TOP_UNIT	24

/**
 * struct top_row - one thing in one interval
 * @gpu: whose
 * @state: "counting", "waiting", "asleep", "gone", "stopped", "refused"
 * @domain: which domain
 * @unit: part of the GPU that it belongs to; "clock": the domain itself
 * @name: the signal
 * @plain: what it tells of an engine
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
 * @room: for how many there is room
 * @row: the rows, GPU by GPU
 */
struct top_rows {
	unsigned int nr;
	unsigned int room;
	struct top_row *row;
};

#endif
