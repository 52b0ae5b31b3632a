// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first page of "pcounter top": one line for each engine, by a plain name,
 * with a bar and its history; the clocks below.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/engines.h"

#define LABEL		20
#define BAR		20

/* What the first part of a name means; the first that fits is taken. */
static const struct {
	const char *prefix;
	const char *label;
} labels[] = {
	{ "gr_", "3D engine" }, { "pgraph_", "3D engine" }, { "gpu_", "3D engine" },
	{ "shader_", "shaders" }, { "geom_", "geometry" },
	{ "input_assembler_", "vertex fetch" }, { "texture_", "textures" },
	{ "rop_", "ROP" }, { "crop_", "ROP, colour" }, { "zrop_", "ROP, depth" },
	{ "stream_out_", "stream output" }, { "pvld_", "video, bitstream" },
	{ "pvdec_", "video, decoder" }, { "ppdec_", "video, decoder" },
	{ "pppp_", "video, output" }, { "pvcomp_", "video, compositor" },
	{ "vuc_", "video, processor" }, { "pvenc_", "video, encoder" },
	{ "pcopy0_", "copy engine 0" }, { "pcopy1_", "copy engine 1" },
	{ "pcopy2_", "copy engine 2" }, { "pcopy_", "copy engine" },
	{ "psec_", "encryption" }, { "pdaemon_mmio_", "power manager, bus" },
	{ "pdaemon_", "power manager" },
};

static void label_of(const char *name, char *buf, size_t len)
{
	const char *end = strstr(name, "_busy");
	unsigned int i;

	for (i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		if (strncmp(name, labels[i].prefix, strlen(labels[i].prefix)))
			continue;
		snprintf(buf, len, "%s", labels[i].label);
		return;
	}
	if (!end)
		end = strstr(name, "_idle");
	snprintf(buf, len, "%.*s", (int)(end ? end - name : (long)strlen(name)), name);
}

/* Several signals may tell of one engine: the first does. */
static struct engine *engine_of(struct engines *e, const struct top_row *row)
{
	char label[32];
	unsigned int i;

	label_of(row->name, label, sizeof(label));
	for (i = 0; i < e->nr; i++)
		if (e->engine[i].gpu == row->gpu && !strcmp(e->engine[i].label, label))
			return strcmp(e->engine[i].name, row->name) ? NULL : &e->engine[i];
	if (e->nr == ENGINES_MAX)
		return NULL;
	e->engine[e->nr] = (struct engine){ .gpu = row->gpu, .name = row->name };
	strcpy(e->engine[e->nr].label, label);
	return &e->engine[e->nr++];
}

static void note(struct engine *engine, double busy)
{
	if (engine->n == ENGINE_HISTORY)
		memmove(engine->busy, engine->busy + 1,
			--engine->n * sizeof(*engine->busy));
	engine->busy[engine->n++] = busy;
}

static bool tells_busy(const struct top_row *row)
{
	return row->name && strcmp(row->unit, "clock") &&
	       (strstr(row->name, "_busy") || strstr(row->name, "_idle"));
}

/**
 * engines_note() - remember what an interval has brought
 * @e: the engines
 * @rows: the interval
 */
void engines_note(struct engines *e, const struct top_rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];
		struct engine *engine = tells_busy(row) ? engine_of(e, row) : NULL;

		if (engine)
			note(engine, row->has_busy ? row->busy : -1);
	}
}

static size_t add(char *line, size_t at, const char *text)
{
	if (at < ENGINE_LINE)
		snprintf(line + at, ENGINE_LINE - at, "%s", text);
	return at + strlen(text);
}

static size_t add_history(const struct engines *e, const struct engine *engine, char *line,
			  size_t at)
{
	static const char *const fine[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char *const coarse[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *sign = e->unicode ? fine : coarse;
	unsigned int i;

	for (i = 0; i < engine->n; i++) {
		double busy = engine->busy[i] > 1 ? 1 : engine->busy[i];

		at = add(line, at, busy < 0 ? "?" : sign[lround(busy * 8)]);
	}
	return at;
}

static void engine_line(const struct engines *e, const struct engine *engine,
			unsigned int width, char *line)
{
	double busy = engine->busy[engine->n - 1];
	char text[80];
	size_t at = 0;
	int i, full;

	if (busy < 0) {
		snprintf(line, ENGINE_LINE, "  %-*s not counted", LABEL, engine->label);
		return;
	}
	full = busy > 1 ? BAR : (int)lround(busy * BAR);
	snprintf(text, sizeof(text), "  %-*s [", LABEL, engine->label);
	at = add(line, at, text);
	for (i = 0; i < BAR; i++)
		at = add(line, at, i < full ? "|" : " ");
	/* more than all clocks cannot be: say so, do not hide it */
	snprintf(text, sizeof(text), "] %5.1f %%%s ", 100 * busy, busy > 1 ? "!" : " ");
	at = add(line, at, text);
	if (width >= 2 + LABEL + 2 + BAR + 11 + ENGINE_HISTORY)
		add_history(e, engine, line, at);
}

/* The clock of each domain, once, as many as the width has room for. */
static void clock_line(const struct top_rows *rows, const struct gpu *gpu, unsigned int width,
		       char *line)
{
	const char *last = "";
	char text[64];
	size_t at = add(line, 0, "  clocks in MHz       ");
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		if (row->gpu != gpu || strcmp(row->unit, "clock") || row->hz < 0 ||
		    !strcmp(row->domain, last))
			continue;
		last = row->domain;
		snprintf(text, sizeof(text), " %s: %.0f", row->domain, row->hz / 1e6);
		if (at + strlen(text) + 4 > width) {
			add(line, at, " ...");
			return;
		}
		at = add(line, at, text);
	}
}

static int busiest_first(const void *a, const void *b)
{
	const struct engine *const *x = a, *const *y = b;
	double p = (*x)->busy[(*x)->n - 1], q = (*y)->busy[(*y)->n - 1];

	return (p < q) - (p > q);
}

static unsigned int gpu_lines(const struct engines *e, const struct top_rows *rows,
			      const struct gpu *gpu, unsigned int width, unsigned int most,
			      char line[][ENGINE_LINE])
{
	const struct engine *order[ENGINES_MAX];
	unsigned int i, n = 0, used = 0;

	for (i = 0; i < e->nr; i++)
		if (e->engine[i].gpu == gpu)
			order[n++] = &e->engine[i];
	if (e->sorted)
		qsort(order, n, sizeof(*order), busiest_first);
	for (i = 0; i < n && used < most; i++)
		engine_line(e, order[i], width, line[used++]);
	if (!n && used < most)
		snprintf(line[used++], ENGINE_LINE,
			 "  nothing known tells how busy its engines are: Tab shows the clocks");
	if (used < most)
		clock_line(rows, gpu, width, line[used++]);
	return used;
}

/**
 * engines_lines() - the page as text
 * @e: the engines
 * @rows: the last interval
 * @width: columns that there are
 * @most: lines that there are
 * @line: gets the lines
 *
 * Return: how many lines.
 */
unsigned int engines_lines(const struct engines *e, const struct top_rows *rows,
			   unsigned int width, unsigned int most, char line[][ENGINE_LINE])
{
	const struct gpu *gpu = NULL;
	unsigned int i, used = 0;

	for (i = 0; i < rows->nr && used < most; i++) {
		const struct top_row *row = &rows->row[i];

		if (row->gpu == gpu)
			continue;
		gpu = row->gpu;
		snprintf(line[used++], ENGINE_LINE, "%s  %s  %s%s%s", gpu->pmu->name,
			 gpu->pmu->chip_name, gpu->address, row->name ? "" : "  ",
			 row->name ? "" : row->state);
		if (row->name)
			used += gpu_lines(e, rows, gpu, width, most - used, line + used);
	}
	return used;
}
