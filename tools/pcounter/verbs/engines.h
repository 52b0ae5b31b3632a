/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first page of "pcounter top": one line for each engine.
 */
#ifndef _PCOUNTER_TOOL_ENGINES_H
#define _PCOUNTER_TOOL_ENGINES_H

#include "verbs/rows.h"

#define ENGINE_LINE	400	/* bytes: a sign may take three */
#define ENGINE_HISTORY	24	/* intervals */
#define ENGINES_MAX	64

/**
 * struct engine - how busy an engine has been
 * @gpu: whose
 * @name: the signal or counter that tells
 * @label: plain name
 * @n: how many intervals are known
 * @busy: the last of them, the oldest first; below 0: not counted
 */
struct engine {
	const struct gpu *gpu;
	const char *name;
	char label[32];
	unsigned int n;
	double busy[ENGINE_HISTORY];
};

/**
 * struct engines - all of them
 * @nr: how many
 * @sorted: show the busiest first
 * @unicode: the terminal knows more than ASCII
 * @engine: the engines, GPU by GPU
 */
struct engines {
	unsigned int nr;
	bool sorted;
	bool unicode;
	struct engine engine[ENGINES_MAX];
};

void engines_note(struct engines *e, const struct top_rows *rows);
unsigned int engines_lines(const struct engines *e, const struct top_rows *rows,
			   unsigned int width, unsigned int most, char line[][ENGINE_LINE]);

#endif
