// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of "pcounter top": a line for each engine with its plain name, a bar, its
 * history and its longest wait; then the traffic and the clocks.
 */
#include <math.h>

#include "top/top.h"

#define LABEL		19
#define VALUE		9	/* columns of a share */
#define BAR		18
#define WIDE		112	/* columns that a wide page needs */
#define NOW		(ENGINE_HISTORY - 1)	/* the last interval */
#define LITTLE		0.1	/* smaller shares are not mentioned */

/* ---- an interval ---- */

/* Round a share as the page shows it, so that equal shares on the page keep their order. */
static long shown(double share)
{
	return lround(100 * share);
}

/* Return true if a row is about an engine. Only the first of several busy signals is used. */
static bool is_about(const struct top_row *row, const struct engine *engine)
{
	return row_kind(row) != PLAIN_OTHER && !strcmp(row->plain->label, engine->plain.label) &&
	       (row_kind(row) != PLAIN_BUSY || !strcmp(row->name, engine->name));
}

/* Add the engine, or the kind of traffic, of a row, if it is new. */
static void add_engine(struct watch *w, const struct top_row *row)
{
	unsigned int i, k;

	for (i = 0; i < w->nr_engines; i++)
		if (!strcmp(w->engine[i].plain.label, row->plain->label))
			return;
	if (i == ENGINES_MAX)
		return;
	w->nr_engines++;
	w->engine[i] = (struct engine){ .plain = *row->plain };
	strcpy(w->engine[i].name, row->name);
	for (k = 0; k < ENGINE_HISTORY; k++)
		w->engine[i].value[k] = NAN;
}

/* Keep the longest wait of an engine. */
static void note_wait(struct engine *engine, const struct top_row *row)
{
	double share = row_share(row);

	if (isnan(share) || shown(share) <= shown(engine->waits))
		return;
	engine->waits = share;
	strcpy(engine->waits_for, row->plain->waits_for);
}

/* Store the value of an interval: mean of all GPCs, or sum of all partitions if none is missing. */
static void note_engine(struct engine *engine, const struct watch *w)
{
	bool busy = engine->plain.kind == PLAIN_BUSY, any = false;
	const struct top_row *row;
	double sum = 0, value;
	unsigned int n = 0;

	engine->waits = -1;
	for (row = w->row; row < w->row + w->nr_rows; row++) {
		if (!is_about(row, engine))
			continue;
		if (row_kind(row) == PLAIN_WAITS) {
			note_wait(engine, row);
			continue;
		}
		any = true;
		value = busy ? row->busy : row_share(row) * row->hz * (row->plain->bytes ?: 1);
		if (busy && isnan(value))
			continue;
		sum += value;
		n++;
	}
	if (!any)
		return;
	memmove(engine->value, engine->value + 1, NOW * sizeof(*engine->value));
	value = busy ? sum / n : sum;
	engine->value[NOW] = isnan(value) ? -1 : value;
}

/**
 * engines_note() - add the last interval to the engines of a GPU
 * @w: the GPU
 */
void engines_note(struct watch *w)
{
	unsigned int i;

	for (i = 0; i < w->nr_rows; i++)
		if (row_kind(&w->row[i]) == PLAIN_BUSY || row_kind(&w->row[i]) == PLAIN_TRAFFIC)
			add_engine(w, &w->row[i]);
	for (i = 0; i < w->nr_engines; i++)
		note_engine(&w->engine[i], w);
}

/* ---- lines ---- */

static double now_of(const struct engine *engine)
{
	return engine->value[NOW];
}

static double most_of(const struct engine *engine)
{
	double most = 0;
	unsigned int i;

	for (i = 0; i < ENGINE_HISTORY; i++)
		most = fmax(most, engine->value[i]);
	return most;
}

/* Return the width of a bar: the shares have to fit behind it. */
static unsigned int bar_width(const struct watches *all)
{
	return all->width < WIDE ? clamp((int)all->width - 1 - LABEL - VALUE, 4, BAR) : 30;
}

static unsigned int history_width(const struct watches *all)
{
	int left = (int)(all->width - 1 - LABEL - bar_width(all)) - VALUE;

	return all->width < WIDE ? clamp(left, 0, 14) : ENGINE_HISTORY;
}

static void put_history(const struct watches *all, const struct engine *engine, double most)
{
	static const char *const fine[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char *const coarse[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *sign = all->unicode ? fine : coarse;
	unsigned int i;

	/* the current interval is on the right */
	for (i = ENGINE_HISTORY - history_width(all); i < ENGINE_HISTORY; i++) {
		double part = most > 0 && engine->value[i] > 0 ? engine->value[i] / most : 0;

		fputs(engine->value[i] < 0 ? "?" : sign[lround(fmin(part, 1) * 8)], all->f);
	}
}

/* Return the columns of a text: a letter of several bytes has one column. */
static size_t columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* Write a line. A new line in it is where it may break; a blank then replaces the next letter. */
static void put_parts(const struct watches *all, const char *line)
{
	char *rest = text_keep(strdup(line)), *part;
	size_t at = 0;

	while ((part = strsep(&rest, "\n"))) {
		if (*part && at + columns(part) > all->width) {
			fputs(at ? "\n" : "", all->f);
			*part = at ? ' ' : *part;
			at = 0;
		}
		fputs(part, all->f);
		at += columns(part);
	}
	fputc('\n', all->f);
}

static void put_bar(const struct watches *all, double share, unsigned int width)
{
	unsigned int i;

	for (i = 0; i < width; i++)
		fputs(i < lround(fmin(fmax(share, 0), 1) * width) ?
		      (all->unicode ? "█" : "#") : (all->unicode ? "░" : "."), all->f);
}

static void busy_line(const struct watches *all, const struct engine *engine)
{
	double busy = now_of(engine);

	fprintf(all->f, " %-*.*s", LABEL, LABEL, engine->plain.label);
	put_bar(all, busy, bar_width(all));
	/* a share above 1 is impossible: show it, do not hide it */
	if (busy < 0)
		fprintf(all->f, "       ? ");
	else
		fprintf(all->f, " %5.1f %%%s", 100 * busy, shown(busy) > 100 ? "!" : " ");
	put_history(all, engine, 1);
	if (busy < 0)
		fprintf(all->f, "  not counted");
	else if (engine->waits > 0)
		fprintf(all->f, "  %s %.0f %%", engine->waits_for, 100 * engine->waits);
	fputc('\n', all->f);
}

static const char *rate_text(double rate, bool bytes)
{
	static const char *const prefix[] = { "", "k", "M", "G" };
	unsigned int i = 0;

	for (; rate >= 1000 && i < 3; i++)
		rate /= 1000;
	return text_tmp("%.*f %s%s/s", i ? 1 : 0, rate, prefix[i], bytes ? "B" : "");
}

static void traffic_line(const struct watches *all, const struct engine *engine)
{
	double now = now_of(engine), most = most_of(engine);
	bool bytes = engine->plain.bytes;

	fprintf(all->f, " %-*s%*s ", LABEL, engine->plain.label, bar_width(all) + 8,
		now < 0 ? "not counted" : rate_text(now, bytes));
	put_history(all, engine, most);
	fprintf(all->f, "  most %s\n", rate_text(most, bytes));
}

/* Name a clock: "core A" and "core B" are the same clock; without a name use the set's. */
static const char *clock_name(const struct top_row *row)
{
	int len = strcspn(row->domain, "0123456789");

	if (row->clock)
		return text_tmp("%.*s", (int)strcspn(row->clock, " "), row->clock);
	return len ? text_tmp("%.*s", len, row->domain) : row->domain;
}

/* Write each clock of a GPU once, with the slowest and the fastest of its domains in MHz. */
static void clock_line(const struct watches *all, const struct watch *w)
{
	const struct top_row *end = w->row + w->nr_rows, *row, *other;
	const char *line = " clocks in MHz ";

	for (row = w->row; row < end; row++) {
		const struct top_row *first = NULL;
		double slow = INFINITY, fast = 0;

		for (other = w->row; other < end; other++) {
			if (!row_is_clock(other) || isnan(other->hz) ||
			    strcmp(clock_name(other), clock_name(row)))
				continue;
			first = first ?: other;
			slow = fmin(slow, other->hz / 1e6);
			fast = fmax(fast, other->hz / 1e6);
		}
		if (first == row)
			line = text_tmp(lround(slow) < lround(fast) ? "%s\n  %s %ld-%ld" :
					"%s\n  %s %ld", line, clock_name(row), lround(slow),
					lround(fast));
	}
	put_parts(all, line);
}

static bool is_whole(const struct engine *engine)
{
	return !strcmp(engine->plain.label, PLAIN_WHOLE);
}

/* Return true if a share was counted, and is possible. */
static bool is_known(const struct engine *engine)
{
	return now_of(engine) >= 0 && shown(now_of(engine)) <= 100;
}

/* Return true if an engine says more: a part beats the whole, which is busy if a part is. */
static bool tells_more(const struct engine *engine, const struct engine *than)
{
	if (!is_known(engine) || now_of(engine) < LITTLE)
		return false;
	if (!than || is_whole(engine) != is_whole(than))
		return !than || is_whole(than);
	return shown(now_of(engine)) > shown(now_of(than));
}

/* Write the answer in one line, and another one for engines whose shares are not known. */
static void answer_line(const struct watches *all, const struct engine *const *order,
			unsigned int n)
{
	const char *unknown = "", *waits = "";
	const struct engine *most = NULL;
	unsigned int i, known = 0;

	for (i = 0; i < n; i++) {
		if (is_known(order[i]))
			known++;
		else
			unknown = text_tmp("%s%s\n %s", unknown, *unknown ? ";" : "",
					   order[i]->plain.label);
		if (tells_more(order[i], most))
			most = order[i];
	}
	if (most && most->waits >= LITTLE)
		waits = text_tmp("\n; waiting for %s: %.0f %%", most->waits_for, 100 * most->waits);
	put_parts(all, most ? text_tmp(" Busiest%s: %s, %.0f %% of the time%s.",
				       *unknown ? " of those known" : "", most->plain.label,
				       100 * now_of(most), waits) :
		  !known ? " No share of an engine is known." : *unknown ?
		  " No engine whose share is known is busy for 10 % of the time." :
		  " Little to do: no engine is busy for 10 % of the time.");
	/* the busiest one may be among them */
	if (known && *unknown)
		put_parts(all, text_tmp(" Not known:%s.", unknown));
}

static void heading(const struct watches *all, const struct engine *const *order, unsigned int n)
{
	bool waits = false;
	unsigned int i;

	for (i = 0; i < n; i++)
		waits |= order[i]->waits > 0;
	fprintf(all->f, " %-*s%-*s", LABEL, "", bar_width(all) + VALUE - 1, "busy");
	/* an arrow is three bytes in one column */
	if (history_width(all) >= strlen("before > now"))
		fprintf(all->f, "%*s%s", history_width(all) + (all->unicode ? 3 : 1),
			all->unicode ? "before → now" : "before > now",
			waits ? "  waits for" : "");
	fputc('\n', all->f);
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

static unsigned int collect(const struct watches *all, const struct watch *watch,
			    enum plain_kind kind, const struct engine **order)
{
	unsigned int i, n = 0;

	for (i = 0; i < watch->nr_engines; i++)
		if (watch->engine[i].plain.kind == kind)
			order[n++] = &watch->engine[i];
	qsort(order, n, sizeof(*order), all->sorted ? busiest_first : as_listed);
	return n;
}

/* Write the heading of a GPU: its names, and the facts from its graphics driver. */
static void gpu_line(const struct watches *all, const struct watch *w)
{
	const struct drm_facts *about = &w->facts;
	const struct gpu *gpu = w->gpu;
	const char *facts = "";

	if (!w->row->name)
		facts = text_tmp("  %s", w->row->state);
	if (!isnan(about->celsius))
		facts = text_tmp("%s  %.0f %sC", facts, about->celsius, all->unicode ? "°" : "");
	if (about->clients)
		facts = text_tmp("%s  %u client%s", facts, about->clients,
				 about->clients > 1 ? "s" : "");
	if (!isnan(about->vram))
		facts = text_tmp("%s, VRAM %.0f MiB", facts, about->vram / 1048576);
	put_parts(all, text_tmp("%s%s%s\n  %s  %s\n%s",
				all->unicode ? w->card : text_plain(w->card),
				*w->card ? "  " : "", gpu->pmu->chip_name, gpu->address,
				gpu->pmu->name, facts));
}

/* Write a GPU's name and the answer. */
static void headline(const struct watches *all, const struct watch *w)
{
	const struct engine *order[ENGINES_MAX];
	unsigned int n = collect(all, w, PLAIN_BUSY, order);

	gpu_line(all, w);
	if (n && w->row->name)
		answer_line(all, order, n);
}

static void gpu_lines(const struct watches *all, const struct watch *watch)
{
	const struct engine *order[ENGINES_MAX];
	unsigned int i, n;

	n = collect(all, watch, PLAIN_BUSY, order);
	if (n)
		heading(all, order, n);
	else
		fputs(" nothing known tells how busy its engines are: top -a has its signals\n",
		      all->f);
	for (i = 0; i < n; i++)
		busy_line(all, order[i]);
	n = collect(all, watch, PLAIN_TRAFFIC, order);
	for (i = 0; i < n; i++)
		traffic_line(all, order[i]);
	clock_line(all, watch);
}

/* Return the next GPU to be shown, the first one after NULL; NULL at the end. */
static const struct watch *shown_gpu(const struct watches *all, const struct watch *w)
{
	for (w = w ? w + 1 : all->watch; w < all->watch + all->nr; w++)
		if (w->nr_rows && (!all->only || w == all->only))
			return w;
	return NULL;
}

/**
 * engines_lines() - write the page of engines
 * @all: the GPUs
 *
 * The headlines of several GPUs come first, so that they share a screen.
 */
void engines_lines(const struct watches *all)
{
	const struct watch *w = shown_gpu(all, NULL);
	bool several = w && shown_gpu(all, w);

	for (; w; w = shown_gpu(all, w))
		headline(all, w);
	while ((w = shown_gpu(all, w))) {
		if (!w->row->name)
			continue;
		if (several)
			fprintf(all->f, "%s\n", w->gpu->pmu->name);
		gpu_lines(all, w);
	}
}
