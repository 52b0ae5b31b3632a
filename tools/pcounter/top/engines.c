// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of "pcounter top". The first has a line for each engine with its plain name, a
 * bar, its history and its longest wait; then the traffic and the clocks.
 */
#include <math.h>

#include "gpu/pmu.h"
#include "lib/tool.h"
#include "top/top.h"

#define LABEL		19
#define VALUE		9	/* columns of a share */
#define BAR		18
#define SIGNAL		31	/* columns of a signal's name */
#define WIDE		112	/* columns that a wide page needs */
#define LITTLE		0.1	/* smaller shares are not mentioned */

/* ---- an interval ---- */

/* Round a share as the page shows it, so that equal shares on the page keep their order. */
static long shown(double share)
{
	return lround(100 * share);
}

/* Find the engine of a row. Only the first of several busy signals is used; traffic adds up. */
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

/* Add a row to its engine, if it is a wait and @waits is set, or if neither. */
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
	share = isnan(row_share(row)) ? -1 : row_share(row);
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

/* Store the value of an interval: mean of all GPCs, or sum of all partitions if none is missing. */
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

/**
 * engines_note() - add an interval
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
	/* engines first: a wait needs an existing engine */
	for (waits = 0; waits < 2; waits++)
		for (i = 0; i < rows->nr; i++)
			if (rows->row[i].name && !row_is_clock(&rows->row[i]))
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

#define add(line, ...)	text_add(line, ENGINE_LINE, __VA_ARGS__)

/**
 * struct page - lines of a page under construction
 * @line: the lines
 * @used: number of lines used
 * @most: number of lines available
 * @width: columns of a line
 * @spare: takes the lines that do not fit
 */
struct page {
	char (*line)[ENGINE_LINE];
	unsigned int used;
	unsigned int most;
	unsigned int width;
	char spare[ENGINE_LINE];
};

static char *next_line(struct page *page)
{
	char *line = page->used < page->most ? page->line[page->used++] : page->spare;

	*line = 0;
	return line;
}

static void add_history(const struct engines *e, const struct engine *engine, double most,
			unsigned int width, char *line)
{
	static const char *const fine[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char *const coarse[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *sign = e->unicode ? fine : coarse;
	unsigned int first = engine->n > width ? engine->n - width : 0, i;

	/* the current interval is on the right */
	add(line, "%*s", (int)(width - (engine->n - first)), "");
	for (i = first; i < engine->n; i++) {
		double part = most > 0 ? fmin(engine->value[i] / most, 1) : 0;

		add(line, "%s", engine->value[i] < 0 ? "?" : sign[lround(part * 8)]);
	}
}

/* Return the width of a bar: the shares have to fit behind it. */
static unsigned int bar_width(unsigned int width)
{
	return width < WIDE ? clamp((int)width - 1 - LABEL - VALUE, 4, BAR) : 30;
}

static unsigned int history_width(unsigned int width)
{
	int left = (int)(width - 1 - LABEL - bar_width(width)) - VALUE;

	return width < WIDE ? clamp(left, 0, 14) : ENGINE_HISTORY;
}

/* Add a text to a line, or to a new line if it does not fit. Return the line. */
static char *add_or_wrap(struct page *page, char *line, const char *text)
{
	/* a letter of several bytes has one column */
	if (mbstowcs(NULL, line, 0) + mbstowcs(NULL, text, 0) <= page->width) {
		add(line, "%s", text);
		return line;
	}
	line = next_line(page);
	/* its first character separates it from the text before */
	add(line, " %s", text + 1);
	return line;
}

static void add_bar(const struct engines *e, double share, unsigned int width, char *line)
{
	unsigned int i;

	for (i = 0; i < width; i++)
		add(line, "%s", i < lround(fmin(fmax(share, 0), 1) * width) ?
		    (e->unicode ? "█" : "#") : (e->unicode ? "░" : "."));
}

static void busy_line(const struct engines *e, const struct engine *engine,
		      unsigned int width, char *line)
{
	double busy = now_of(engine);

	add(line, " %-*.*s", LABEL, LABEL, engine->plain.label);
	add_bar(e, busy, bar_width(width), line);
	/* a share above 1 is impossible: show it, do not hide it */
	if (busy < 0)
		add(line, "       ? ");
	else
		add(line, " %5.1f %%%s", 100 * busy, shown(busy) > 100 ? "!" : " ");
	add_history(e, engine, 1, history_width(width), line);
	if (busy < 0)
		add(line, "  not counted");
	else if (engine->waits > 0)
		add(line, "  %s %.0f %%", engine->waits_for, 100 * engine->waits);
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
	char rate[40] = "not counted";
	bool bytes = engine->plain.bytes;

	if (now_of(engine) >= 0)
		rate_text(now_of(engine), bytes, rate, sizeof(rate));
	add(line, " %-*s%*s ", LABEL, engine->plain.label, bar_width(width) + 8, rate);
	add_history(e, engine, most_of(engine), history_width(width), line);
	rate_text(most_of(engine), bytes, rate, sizeof(rate));
	add(line, "  most %s", rate);
}

/**
 * struct clock_range - a clock with a plain name
 * @name: the name
 * @lo: frequency of the slowest domain, in MHz
 * @hi: frequency of the fastest domain, in MHz
 */
struct clock_range {
	char name[16];
	double lo;
	double hi;
};

/* Name a clock: "core A" and "core B" are the same clock; without a name use the set's. */
static void clock_name(const struct top_row *row, char *buf, size_t len)
{
	const struct pcounter_topo *topo = &row->gpu->pmu->topo;
	unsigned int i;

	for (i = 0; i < topo->nr; i++) {
		const char *clock = topo->dom[i].clock;

		if (clock && !strcmp(dom_name(row->gpu->pmu, i), row->domain)) {
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

		if (row->gpu != gpu || !row_is_clock(row) || row->hz < 0)
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

static void clock_line(const struct top_rows *rows, const struct gpu *gpu, struct page *page)
{
	struct clock_range clocks[8];
	unsigned int i, n = find_clocks(rows, gpu, clocks, 8);
	char text[64], *line = next_line(page);

	add(line, " clocks in MHz ");
	for (i = 0; i < n; i++) {
		int lo = lround(clocks[i].lo), hi = lround(clocks[i].hi);

		snprintf(text, sizeof(text), lo < hi ? "  %s %d-%d" : "  %s %d",
			 clocks[i].name, lo, hi);
		line = add_or_wrap(page, line, text);
	}
}

static bool is_whole(const struct engine *engine)
{
	return !strcmp(engine->plain.label, PLAIN_WHOLE);
}

/* Return true if an engine says more: a part beats the whole, which is busy if a part is. */
static bool tells_more(const struct engine *engine, const struct engine *than)
{
	if (now_of(engine) < LITTLE)
		return false;
	if (!than || is_whole(engine) != is_whole(than))
		return !than || is_whole(than);
	return shown(now_of(engine)) > shown(now_of(than));
}

/* Write the answer in one line. */
static void answer_line(const struct engine *const *order, unsigned int n, struct page *page)
{
	const struct engine *most = NULL;
	char *line = next_line(page);
	bool known = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		known |= now_of(order[i]) >= 0;
		if (tells_more(order[i], most))
			most = order[i];
	}
	if (!most) {
		add(line, known ? " Little to do: no engine is busy for 10 %% of the time." :
				  " No engine was counted.");
		return;
	}
	add(line, " Busiest: %s, %.0f %% of the time", most->plain.label, 100 * now_of(most));
	if (most->waits >= LITTLE)
		line = add_or_wrap(page, line, text_tmp("; waiting for %s: %.0f %%",
							most->waits_for, 100 * most->waits));
	add(line, ".");
}

static void heading(const struct engines *e, const struct engine *const *order, unsigned int n,
		    unsigned int width, char *line)
{
	bool waits = false;
	unsigned int i;

	for (i = 0; i < n; i++)
		waits |= order[i]->waits > 0;
	add(line, " %-*s%-*s", LABEL, "", bar_width(width) + VALUE - 1, "busy");
	/* an arrow is three bytes in one column */
	if (history_width(width) >= strlen("before > now"))
		add(line, "%*s%s", history_width(width) + (e->unicode ? 3 : 1),
		    e->unicode ? "before → now" : "before > now", waits ? "  waits for" : "");
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

/* Write the heading of a GPU: its names, and the facts from its graphics driver. */
static void gpu_line(const struct engines *e, const struct top_row *row, struct page *page)
{
	const struct gpu *gpu = row->gpu;
	struct engine_gpu about = {};
	char *line = next_line(page), facts[80] = "";
	unsigned int i;

	for (i = 0; i < e->nr_gpus; i++)
		if (e->about[i].gpu == gpu)
			about = e->about[i];
	add(line, "%s%s%s", about.card, *about.card ? "  " : "", gpu->pmu->chip_name);
	line = add_or_wrap(page, line, text_tmp("  %s  %s", gpu->address, gpu->pmu->name));
	if (!row->name)
		text_add(facts, sizeof(facts), "  %s", row->state);
	if (about.facts.has_celsius)
		text_add(facts, sizeof(facts), "  %.0f °C", about.facts.celsius);
	if (about.facts.clients)
		text_add(facts, sizeof(facts), "  %u client%s", about.facts.clients,
			 about.facts.clients > 1 ? "s" : "");
	if (about.facts.has_vram)
		text_add(facts, sizeof(facts), ", VRAM %.0f MiB", about.facts.vram / 1048576.0);
	add_or_wrap(page, line, facts);
}

/* Write a GPU's name and the answer. */
static void headline(const struct engines *e, const struct top_row *row, struct page *page)
{
	const struct engine *order[ENGINES_MAX];
	unsigned int n = collect(e, row->gpu, PLAIN_BUSY, order);

	gpu_line(e, row, page);
	if (n && row->name)
		answer_line(order, n, page);
}

static void gpu_lines(const struct engines *e, const struct top_rows *rows,
		      const struct gpu *gpu, struct page *page)
{
	const struct engine *order[ENGINES_MAX];
	unsigned int i, n;

	n = collect(e, gpu, PLAIN_BUSY, order);
	if (n)
		heading(e, order, n, page->width, next_line(page));
	else
		add(next_line(page),
		    " nothing known tells how busy its engines are: Tab shows the clocks");
	for (i = 0; i < n; i++)
		busy_line(e, order[i], page->width, next_line(page));
	n = collect(e, gpu, PLAIN_TRAFFIC, order);
	for (i = 0; i < n; i++)
		traffic_line(e, order[i], page->width, next_line(page));
	clock_line(rows, gpu, page);
}

/* Return true if a row is the first one of a GPU to be shown. */
static bool begins_gpu(const struct top_rows *rows, unsigned int i, const struct gpu *only)
{
	const struct gpu *gpu = rows->row[i].gpu;

	return (!only || gpu == only) && (!i || gpu != rows->row[i - 1].gpu);
}

/**
 * engines_lines() - format the page of engines
 * @e: the engines
 * @rows: the last interval
 * @only: the only GPU to show, NULL: all
 * @width: columns available
 * @most: lines available
 * @line: gets the lines
 *
 * The headlines of several GPUs come first, so that they share a screen.
 *
 * Return: the number of lines.
 */
unsigned int engines_lines(const struct engines *e, const struct top_rows *rows,
			   const struct gpu *only, unsigned int width, unsigned int most,
			   char line[][ENGINE_LINE])
{
	struct page page = { .line = line, .most = most, .width = width };
	bool several = !only && rows->nr && rows->row[0].gpu != rows->row[rows->nr - 1].gpu;
	unsigned int i;

	for (i = 0; i < rows->nr && several; i++)
		if (begins_gpu(rows, i, only))
			headline(e, &rows->row[i], &page);
	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		if (!begins_gpu(rows, i, only))
			continue;
		if (several && row->name)
			add(next_line(&page), "%s", row->gpu->pmu->name);
		else if (!several)
			headline(e, row, &page);
		if (row->name)
			gpu_lines(e, rows, row->gpu, &page);
	}
	return page.used;
}

/* Add the engines whose signals count clocks of this domain. */
static void add_engines(const struct top_rows *rows, const struct top_row *clock, char *line)
{
	const char *between = "   ";
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		if (row->gpu != clock->gpu || row_is_clock(row) || !row->name ||
		    strcmp(row->domain, clock->domain) || row->plain->kind == PLAIN_OTHER ||
		    row->plain->kind == PLAIN_WAITS || strstr(line, row->plain->label))
			continue;
		add(line, "%s%s", between, row->plain->label);
		between = "; ";
	}
}

/**
 * engines_clocks() - format the page of clocks
 * @e: the engines
 * @rows: the last interval
 * @only: the only GPU to show, NULL: all
 * @width: columns available
 * @most: lines available
 * @line: gets the lines
 *
 * Return: the number of lines.
 */
unsigned int engines_clocks(const struct engines *e, const struct top_rows *rows,
			    const struct gpu *only, unsigned int width, unsigned int most,
			    char line[][ENGINE_LINE])
{
	struct page page = { .line = line, .most = most, .width = width };
	char name[16], *text;
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		if (begins_gpu(rows, i, only))
			gpu_line(e, row, &page);
		if ((only && row->gpu != only) || !row->name || !row_is_clock(row))
			continue;
		clock_name(row, name, sizeof(name));
		text = next_line(&page);
		add(text, " %-8s %-8s", row->domain, name);
		if (row->hz < 0)
			add(text, " %14s", row->state);
		else
			add(text, " %10.3f MHz", row->hz / 1e6);
		add_engines(rows, row, text);
	}
	return page.used;
}

/**
 * row_value() - format the value of a row, a number or a word
 * @row: the row, of a clock or of a signal
 * @buf: gets the text
 * @len: size of @buf
 *
 * Return: the text.
 */
const char *row_value(const struct top_row *row, char *buf, size_t len)
{
	if (strcmp(row->state, "counting"))
		return row->state;
	if (!row->counted)
		return "not counted";
	if (!row_is_clock(row) && !row->cycles)
		return "clock stands still";
	if (row_is_clock(row))
		snprintf(buf, len, "%10.3f MHz", row->hz / 1e6);
	else
		snprintf(buf, len, "%6.1f %%", 100 * row_share(row));
	return buf;
}

/**
 * engines_signals() - format the page of signals
 * @e: the engines
 * @rows: the last interval
 * @only: the only GPU to show, NULL: all
 * @width: columns available
 * @most: lines available
 * @line: gets the lines
 *
 * Return: the number of lines.
 */
unsigned int engines_signals(const struct engines *e, const struct top_rows *rows,
			     const struct gpu *only, unsigned int width, unsigned int most,
			     char line[][ENGINE_LINE])
{
	struct page page = { .line = line, .most = most, .width = width };
	unsigned int bar = clamp((int)width - SIGNAL - VALUE - 10, 0, BAR);
	unsigned int name = clamp((int)(width - bar) - VALUE - 10, 8, SIGNAL), i;
	char value[40], *text;
	const char *share;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		if (begins_gpu(rows, i, only))
			gpu_line(e, row, &page);
		if (begins_gpu(rows, i, only) && row->name)
			clock_line(rows, row->gpu, &page);
		if ((only && row->gpu != only) || !row->name || row_is_clock(row))
			continue;
		text = next_line(&page);
		add(text, " %-8s %-*.*s", row->domain, name, name, row->name);
		add_bar(e, row_share(row), bar, text);
		/* a word in the place of a number */
		share = row_value(row, value, sizeof(value));
		add(text, "%s%s%s", *share == ' ' ? "" : "  ", share,
		    row_share(row) > 1 ? "!" : "");
	}
	return page.used;
}
