// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first page of "pcounter top": one line for each engine, by a plain name,
 * with a bar, its history and what it waits for; then what passes, and the clocks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/engines.h"

#define LABEL		19
#define WIDE		112	/* columns from which on there is room for more */
#define LITTLE		0.1	/* busy: not worth a word */

/* ---- what an interval has brought ---- */

/* What differs less than what is shown is equal, and does not change its place. */
static long shown(double share)
{
	return lround(100 * share);
}

/* Several signals may tell of one engine: the first does. What passes is a sum. */
static struct engine *engine_of(struct engines *e, const struct top_row *row)
{
	const struct plain *plain = row->plain;
	struct engine *engine;
	unsigned int i;

	for (i = 0; i < e->nr; i++) {
		engine = &e->engine[i];
		if (engine->gpu != row->gpu || strcmp(engine->plain.label, plain->label))
			continue;
		if (plain->kind == PLAIN_BUSY && strcmp(engine->name, row->name))
			return NULL;
		return engine;
	}
	if (e->nr == ENGINES_MAX || plain->kind == PLAIN_WAITS)
		return NULL;
	engine = &e->engine[e->nr++];
	*engine = (struct engine){ .gpu = row->gpu, .name = row->name, .plain = *plain };
	return engine;
}

/* What engines wait for, or all else. */
static void note_row(struct engines *e, const struct top_row *row, bool waits)
{
	const struct plain *plain = row->plain;
	struct engine *engine;
	double share;

	if (waits ? plain->kind != PLAIN_WAITS : plain->kind == PLAIN_WAITS)
		return;
	engine = plain->kind ? engine_of(e, row) : NULL;
	if (!engine)
		return;
	share = row->counted && row->cycles ? (double)row->events / row->cycles : -1;
	if (plain->kind == PLAIN_WAITS) {
		if (shown(share) > shown(engine->waits)) {
			engine->waits = share;
			strcpy(engine->waits_for, plain->waits_for);
		}
		return;
	}
	engine->rows++;
	if (plain->kind == PLAIN_BUSY ? !row->has_busy : share < 0)
		return;
	engine->parts++;
	if (plain->kind == PLAIN_BUSY)
		engine->sum += row->busy;
	else
		engine->sum += share * row->hz * (plain->bytes ? plain->bytes : 1);
}

/* The mean of all GPCs; the sum of all partitions, if none is missing. */
static void note_engine(struct engine *engine)
{
	bool busy = engine->plain.kind == PLAIN_BUSY;
	double value = -1;

	if (!engine->rows)
		return;
	if (busy && engine->parts)
		value = engine->sum / engine->parts;
	else if (!busy && engine->parts == engine->rows)
		value = engine->sum;
	if (engine->n == ENGINE_HISTORY)
		memmove(engine->value, engine->value + 1,
			--engine->n * sizeof(*engine->value));
	engine->value[engine->n++] = value;
}

static bool is_clock(const struct top_row *row)
{
	return !strcmp(row->unit, "clock");
}

/**
 * engines_note() - remember what an interval has brought
 * @e: the engines
 * @rows: the interval
 */
void engines_note(struct engines *e, const struct top_rows *rows)
{
	unsigned int i, waits;

	for (i = 0; i < e->nr; i++) {
		e->engine[i].rows = 0;
		e->engine[i].parts = 0;
		e->engine[i].sum = 0;
		e->engine[i].waits = -1;
	}
	/* an engine is there before what it waits for */
	for (waits = 0; waits < 2; waits++)
		for (i = 0; i < rows->nr; i++)
			if (rows->row[i].name && !is_clock(&rows->row[i]))
				note_row(e, &rows->row[i], waits);
	for (i = 0; i < e->nr; i++)
		note_engine(&e->engine[i]);
}

/* ---- lines ---- */

static double now_of(const struct engine *engine)
{
	return engine->n ? engine->value[engine->n - 1] : -1;
}

static double most_of(const struct engine *engine)
{
	double most = 0;
	unsigned int i;

	for (i = 0; i < engine->n; i++)
		most = fmax(most, engine->value[i]);
	return most;
}

static size_t add(char *line, size_t at, const char *text)
{
	if (at < ENGINE_LINE)
		snprintf(line + at, ENGINE_LINE - at, "%s", text);
	return at + strlen(text);
}

static size_t add_history(const struct engines *e, const struct engine *engine, double most,
			  unsigned int width, char *line, size_t at)
{
	static const char *const fine[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char *const coarse[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *sign = e->unicode ? fine : coarse;
	unsigned int first = engine->n > width ? engine->n - width : 0, i;

	/* now is on the right */
	for (i = engine->n - first; i < width; i++)
		at = add(line, at, " ");
	for (i = first; i < engine->n; i++) {
		double part = most > 0 ? fmin(engine->value[i] / most, 1) : 0;

		at = add(line, at, engine->value[i] < 0 ? "?" : sign[lround(part * 8)]);
	}
	return at;
}

static unsigned int bar_width(unsigned int width)
{
	return width < WIDE ? 18 : 30;
}

static unsigned int history_width(unsigned int width)
{
	return width < WIDE ? 14 : ENGINE_HISTORY;
}

static void busy_line(const struct engines *e, const struct engine *engine,
		      unsigned int width, char *line)
{
	double busy = now_of(engine);
	char text[80];
	size_t at = 0;
	unsigned int i, bar = bar_width(width);

	snprintf(text, sizeof(text), " %-*.*s", LABEL, LABEL, engine->plain.label);
	at = add(line, at, text);
	for (i = 0; i < bar; i++)
		at = add(line, at, i < lround(fmin(fmax(busy, 0), 1) * bar) ?
			 (e->unicode ? "█" : "#") : (e->unicode ? "░" : "."));
	/* more than all clocks cannot be: say so, do not hide it */
	if (busy < 0)
		snprintf(text, sizeof(text), "       ? ");
	else
		snprintf(text, sizeof(text), " %5.1f %%%s", 100 * busy,
			 shown(busy) > 100 ? "!" : " ");
	at = add(line, at, text);
	at = add_history(e, engine, 1, history_width(width), line, at);
	if (busy < 0)
		snprintf(text, sizeof(text), "  not counted");
	else if (engine->waits > 0)
		snprintf(text, sizeof(text), "  %s %.0f %%", engine->waits_for,
			 100 * engine->waits);
	else
		*text = 0;
	add(line, at, text);
}

static void rate_text(double rate, bool bytes, char *buf, size_t len)
{
	static const char *const prefix[] = { "", "k", "M", "G" };
	unsigned int i = 0;

	for (; rate >= 1000 && i < 3; i++)
		rate /= 1000;
	snprintf(buf, len, "%.*f %s%s/s", i ? 1 : 0, rate, prefix[i], bytes ? "B" : "");
}

static void traffic_line(const struct engines *e, const struct engine *engine,
			 unsigned int width, char *line)
{
	char text[80], rate[40];
	bool bytes = engine->plain.bytes;
	size_t at = 0;

	if (now_of(engine) < 0)
		strcpy(rate, "not counted");
	else
		rate_text(now_of(engine), bytes, rate, sizeof(rate));
	snprintf(text, sizeof(text), " %-*s%*s ", LABEL, engine->plain.label,
		 bar_width(width) + 8, rate);
	at = add(line, at, text);
	at = add_history(e, engine, most_of(engine), history_width(width), line, at);
	rate_text(most_of(engine), bytes, rate, sizeof(rate));
	snprintf(text, sizeof(text), "  most %s", rate);
	add(line, at, text);
}

/**
 * struct clock_range - a clock by its plain name
 * @name: the name
 * @lo: the slowest of its domains, MHz
 * @hi: the fastest
 */
struct clock_range {
	char name[16];
	double lo;
	double hi;
};

/* "core A" and "core B" are one clock here; without a name it is that of a set. */
static void clock_name(const struct top_row *row, char *buf, size_t len)
{
	const struct pcounter_topo *topo = &row->gpu->pmu->topo;
	char name[PCOUNTER_DOM_NAME];
	unsigned int i;

	for (i = 0; i < topo->nr; i++) {
		const char *clock = topo->dom[i].clock;

		if (clock && !strcmp(pcounter_dom_name(topo, i, name, sizeof(name)),
				     row->domain)) {
			snprintf(buf, len, "%.*s", (int)strcspn(clock, " "), clock);
			return;
		}
	}
	snprintf(buf, len, "%.*s", (int)strcspn(row->domain, "0123456789"), row->domain);
	if (!*buf)
		snprintf(buf, len, "%.11s", row->domain);
}

static unsigned int find_clocks(const struct top_rows *rows, const struct gpu *gpu,
				struct clock_range *clocks, unsigned int most)
{
	unsigned int i, k, n = 0;
	char name[16];

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		if (row->gpu != gpu || !is_clock(row) || row->hz < 0)
			continue;
		clock_name(row, name, sizeof(name));
		for (k = 0; k < n && strcmp(clocks[k].name, name); k++)
			;
		if (k == most)
			continue;
		if (k == n) {
			clocks[n++] = (struct clock_range){ .lo = INFINITY };
			strcpy(clocks[k].name, name);
		}
		clocks[k].lo = fmin(clocks[k].lo, row->hz / 1e6);
		clocks[k].hi = fmax(clocks[k].hi, row->hz / 1e6);
	}
	return n;
}

static void clock_line(const struct top_rows *rows, const struct gpu *gpu, unsigned int width,
		       char *line)
{
	struct clock_range clocks[8];
	unsigned int i, n = find_clocks(rows, gpu, clocks, 8);
	size_t at = add(line, 0, " clocks in MHz ");
	char text[64];

	for (i = 0; i < n; i++) {
		int lo = lround(clocks[i].lo), hi = lround(clocks[i].hi);

		snprintf(text, sizeof(text), lo < hi ? "  %s %d-%d" : "  %s %d",
			 clocks[i].name, lo, hi);
		if (at + strlen(text) + 4 > width) {
			add(line, at, " ...");
			return;
		}
		at = add(line, at, text);
	}
}

static bool is_whole(const struct engine *engine)
{
	return !strcmp(engine->plain.label, PLAIN_WHOLE);
}

/* The whole is busy whenever a part is: the part tells more. */
static bool tells_more(const struct engine *engine, const struct engine *than)
{
	if (now_of(engine) < LITTLE)
		return false;
	if (!than || is_whole(engine) != is_whole(than))
		return !than || is_whole(than);
	return shown(now_of(engine)) > shown(now_of(than));
}

/* The answer, for those who read one line. */
static void answer_line(const struct engine *const *order, unsigned int n, char *line)
{
	const struct engine *most = NULL;
	bool known = false;
	unsigned int i;
	size_t at;

	for (i = 0; i < n; i++) {
		known |= now_of(order[i]) >= 0;
		if (tells_more(order[i], most))
			most = order[i];
	}
	if (!most) {
		add(line, 0, known ? " Little to do: no engine is busy for 10 % of the time." :
				     " No engine was counted.");
		return;
	}
	at = snprintf(line, ENGINE_LINE, " Busiest: %s, %.0f %% of the time", most->plain.label,
		      100 * now_of(most));
	if (most->waits >= LITTLE)
		at += snprintf(line + at, ENGINE_LINE - at, "; waiting for %s: %.0f %%",
			       most->waits_for, 100 * most->waits);
	add(line, at, ".");
}

static void heading(const struct engines *e, const struct engine *const *order, unsigned int n,
		    unsigned int width, char *line)
{
	bool waits = false;
	char text[160];
	unsigned int i;

	for (i = 0; i < n; i++)
		waits |= order[i]->waits > 0;
	/* an arrow is three bytes in one column */
	snprintf(text, sizeof(text), " %-*s%-*s%*s%s", LABEL, "", bar_width(width) + 8, "busy",
		 history_width(width) + (e->unicode ? 3 : 1),
		 e->unicode ? "before → now" : "before > now", waits ? "  waits for" : "");
	add(line, 0, text);
}

static int as_listed(const void *a, const void *b)
{
	const struct engine *const *x = a, *const *y = b;

	return (int)(*x)->plain.rank - (int)(*y)->plain.rank;
}

static int busiest_first(const void *a, const void *b)
{
	const struct engine *const *x = a, *const *y = b;
	long p = shown(now_of(*x)), q = shown(now_of(*y));

	return p == q ? as_listed(a, b) : (p < q) - (p > q);
}

static unsigned int collect(const struct engines *e, const struct gpu *gpu,
			    enum plain_kind kind, const struct engine **order)
{
	unsigned int i, n = 0;

	for (i = 0; i < e->nr; i++)
		if (e->engine[i].gpu == gpu && e->engine[i].plain.kind == kind)
			order[n++] = &e->engine[i];
	qsort(order, n, sizeof(*order), e->sorted ? busiest_first : as_listed);
	return n;
}

static unsigned int gpu_lines(const struct engines *e, const struct top_rows *rows,
			      const struct gpu *gpu, unsigned int width, unsigned int most,
			      char line[][ENGINE_LINE])
{
	const struct engine *order[ENGINES_MAX];
	unsigned int i, n, used = 0;

	n = collect(e, gpu, PLAIN_BUSY, order);
	if (n && used < most)
		answer_line(order, n, line[used++]);
	if (n && used < most)
		heading(e, order, n, width, line[used++]);
	for (i = 0; i < n && used < most; i++)
		busy_line(e, order[i], width, line[used++]);
	if (!n && used < most)
		snprintf(line[used++], ENGINE_LINE,
			 " nothing known tells how busy its engines are: Tab shows the clocks");
	n = collect(e, gpu, PLAIN_TRAFFIC, order);
	for (i = 0; i < n && used < most; i++)
		traffic_line(e, order[i], width, line[used++]);
	if (used < most)
		clock_line(rows, gpu, width, line[used++]);
	return used;
}

/* What is known of a GPU, in a line. */
static void gpu_line(const struct engines *e, const struct top_row *row, char *line)
{
	const struct engine_gpu *about = NULL;
	const struct gpu *gpu = row->gpu;
	unsigned int i;
	size_t at;

	for (i = 0; i < e->nr_gpus; i++)
		if (e->about[i].gpu == gpu)
			about = &e->about[i];
	at = snprintf(line, ENGINE_LINE, "%s%s%s  %s  %s",
		      about && *about->card ? about->card : "",
		      about && *about->card ? "  " : "", gpu->pmu->chip_name, gpu->address,
		      gpu->pmu->name);
	if (!row->name)
		at += snprintf(line + at, ENGINE_LINE - at, "  %s", row->state);
	if (about && about->facts.has_celsius)
		at += snprintf(line + at, ENGINE_LINE - at, "  %.0f °C", about->facts.celsius);
	if (about && about->facts.clients)
		at += snprintf(line + at, ENGINE_LINE - at, "  %u client%s",
			       about->facts.clients, about->facts.clients > 1 ? "s" : "");
	if (about && about->facts.has_vram)
		snprintf(line + at, ENGINE_LINE - at, ", VRAM %.0f MiB",
			 about->facts.vram / 1048576.0);
}

/* The next GPU that has rows. */
static const struct top_row *next_gpu(const struct top_rows *rows, const struct gpu *only,
				      unsigned int *i)
{
	const struct gpu *before = *i ? rows->row[*i - 1].gpu : NULL;

	for (; *i < rows->nr; ++*i) {
		const struct top_row *row = &rows->row[*i];

		if (row->gpu == before || (only && row->gpu != only))
			continue;
		++*i;
		return row;
	}
	return NULL;
}

/**
 * engines_lines() - the page as text
 * @e: the engines
 * @rows: the last interval
 * @only: this GPU only, NULL for all
 * @width: columns that there are
 * @most: lines that there are
 * @line: gets the lines
 *
 * Return: how many lines.
 */
unsigned int engines_lines(const struct engines *e, const struct top_rows *rows,
			   const struct gpu *only, unsigned int width, unsigned int most,
			   char line[][ENGINE_LINE])
{
	const struct top_row *row;
	unsigned int i = 0, used = 0;

	while (used < most && (row = next_gpu(rows, only, &i))) {
		gpu_line(e, row, line[used++]);
		if (row->name)
			used += gpu_lines(e, rows, row->gpu, width, most - used, line + used);
	}
	return used;
}

/* What of the first page counts by a clock. */
static void add_engines(const struct top_rows *rows, const struct top_row *clock, char *line,
			size_t at)
{
	const char *last = "";
	char text[48];
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		if (row->gpu != clock->gpu || is_clock(row) || !row->name ||
		    strcmp(row->domain, clock->domain))
			continue;
		if (row->plain->kind == PLAIN_OTHER || row->plain->kind == PLAIN_WAITS ||
		    strstr(line, row->plain->label))
			continue;
		snprintf(text, sizeof(text), "%s%s", *last ? "; " : "   ", row->plain->label);
		last = row->name;
		at = add(line, at, text);
	}
}

/**
 * engines_clocks() - the page of clocks as text
 * @e: the engines
 * @rows: the last interval
 * @only: this GPU only, NULL for all
 * @most: lines that there are
 * @line: gets the lines
 *
 * Return: how many lines.
 */
unsigned int engines_clocks(const struct engines *e, const struct top_rows *rows,
			    const struct gpu *only, unsigned int most,
			    char line[][ENGINE_LINE])
{
	const struct gpu *gpu = NULL;
	unsigned int i, used = 0;
	char name[16];
	size_t at;

	for (i = 0; i < rows->nr && used < most; i++) {
		const struct top_row *row = &rows->row[i];

		if (only && row->gpu != only)
			continue;
		if (row->gpu != gpu)
			gpu_line(e, row, line[used++]);
		gpu = row->gpu;
		if (!row->name || !is_clock(row) || used == most)
			continue;
		clock_name(row, name, sizeof(name));
		at = snprintf(line[used], ENGINE_LINE, " %-8s %-8s", row->domain, name);
		if (row->hz < 0)
			at += snprintf(line[used] + at, ENGINE_LINE - at, " %14s", row->state);
		else
			at += snprintf(line[used] + at, ENGINE_LINE - at, " %10.3f MHz",
				       row->hz / 1e6);
		add_engines(rows, row, line[used++], at);
	}
	return used;
}
