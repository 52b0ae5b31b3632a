/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first page of "pcounter top": one line for each engine.
 */
#ifndef _PCOUNTER_TOOL_ENGINES_H
#define _PCOUNTER_TOOL_ENGINES_H

#include "gpu/drm.h"
#include "gpu/plain.h"
#include "verbs/rows.h"

#define ENGINE_LINE	400	/* bytes: a sign may take three */
#define ENGINE_HISTORY	40	/* intervals */
#define ENGINES_MAX	64
#define ENGINE_GPUS	16

/**
 * struct engine - what is known of an engine, or of what passes
 * @gpu: whose
 * @name: of an engine: the signal or counter that tells
 * @plain: the same in plain words
 * @rows: rows of this interval that tell
 * @parts: how many of them were counted
 * @sum: of what they tell
 * @waits: the share in which it waited, in this interval; below 0: not known
 * @waits_for: for what it waited most
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
 * struct engine_gpu - what is known of a GPU beside its counters
 * @gpu: the GPU
 * @card: what it is called in shops, may be empty
 * @facts: what its graphics driver tells
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

#endif
