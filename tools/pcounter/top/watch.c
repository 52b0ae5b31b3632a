// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watching GPUs in intervals: choice of events, their order, and their shares.
 */
#include <fnmatch.h>

#include "top/top.h"

static void watch_close(struct watch *w)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		count_close(&w->chunk[i].count);
	w->open = false;
}

/* ---- choice of events ---- */

static struct chunk *new_chunk(struct watch *w, int dom)
{
	w->chunk = grow(w->chunk, w->nr, sizeof(*w->chunk));
	w->chunk[w->nr].dom = dom;
	return &w->chunk[w->nr++];
}

static bool is_plain(const struct event *event)
{
	return event_only(event, WIRE_TERMS | BIT_ULL(PCOUNTER_TERM_OP));
}

/* Add a signal. Plain signals of a domain share a chunk; any other event has its own. */
static void add_signal(struct watch *w, const char *name, const struct plain *plain,
		       const struct event *event)
{
	struct chunk *last = w->nr ? &w->chunk[w->nr - 1] : NULL;
	int dom = event_domain(event);
	struct event clock;

	if (!clock_event(event->pmu, dom, &clock))
		return;
	if (!last || last->dom != dom || !is_plain(event) || !last->n ||
	    !is_plain(&last->event[0]) || last->n >= event->pmu->counters || last->n == PLAIN_MAX)
		last = new_chunk(w, dom);
	last->event[last->n + 1] = clock;
	last->event[last->n] = *event;
	last->plain[last->n] = plain;
	last->name[last->n++] = name;
}

static bool of_pmu(const struct wish *wish, const struct pmu *pmu)
{
	return !*wish->pmu || !strcmp(wish->pmu, pmu->name);
}

/* Return true for a signal of the page: one for the whole, and each idle counter once. */
static bool tells_first(const struct pmu *pmu, const struct pmu_name *name, bool lean)
{
	if (!strcmp(name->plain.label, PLAIN_WHOLE))
		return !strcmp(name->name, GPU_BUSY);
	if (pmu->idle && name->plain.idle)
		return false;
	return name->plain.kind == PLAIN_BUSY || (name->plain.kind && !lean);
}

/* Match a name. A clock needs its full name: it is counted with every signal anyway. */
static bool wish_names(const struct wish *wish, const struct pmu_name *name)
{
	return name->clock ? !strcmp(wish->event, name->name) :
			     !fnmatch(wish->event, name->name, 0);
}

static bool wanted(struct wishes *wishes, const struct pmu *pmu, const struct pmu_name *name)
{
	/* gpu_busy of PCOUNTER, beside that of the idle counters */
	bool second = !strcmp(name->name, GPU_BUSY) && !pmu->idle &&
		      pmu_with(pmu, GPU_BUSY) != pmu;
	bool found = false;
	unsigned int i;

	if (wishes->all)
		return !name->clock && !second && !(pmu->idle && name->plain.idle);
	if (!wishes->nr)
		return !second && tells_first(pmu, name, wishes->lean);
	for (i = 0; i < wishes->nr; i++) {
		struct wish *wish = &wishes->wish[i];

		if (!of_pmu(wish, pmu) || !wish_names(wish, name) || (second && !*wish->pmu))
			continue;
		wish->seen = true;
		found = true;
	}
	return found;
}

/* Add signals domain by domain, so that neighbours can share a group. */
static void add_names(struct watch *w, const struct pmu *pmu, struct wishes *wishes)
{
	bool sets = pmu->topo.caps & PCOUNTER_CAP_SETS;
	unsigned int dom, i;

	for (dom = 0; dom < (pmu->idle ? 1 : pmu->topo.nr); dom++) {
		for (i = 0; i < pmu->nr_names; i++) {
			const struct pmu_name *name = &pmu->names[i];
			struct event event = {};

			if (!wanted(wishes, pmu, name))
				continue;
			/* a name stands for the signal in all GPCs, or in all partitions */
			if (!event_terms(pmu, text_tmp(sets ? "%s,unit=%u" : "%s", name->terms,
						       pmu->topo.dom[dom].unit), &event) ||
			    (!pmu->idle && event_domain(&event) != (int)dom))
				continue;
			add_signal(w, name->name, &name->plain, &event);
		}
	}
}

/* Add raw terms. Return false if they are invalid. */
static bool add_raw(struct watch *w, struct wishes *wishes)
{
	unsigned int i;

	for (i = 0; i < wishes->nr; i++) {
		struct wish *wish = &wishes->wish[i];
		struct event event = {};

		if (!strchr(wish->event, '=') || !of_pmu(wish, w->gpu->pmu))
			continue;
		if (!event_terms(w->gpu->pmu, wish->event, &event))
			return complain("%s: %s", wish->event, event.error);
		if (event_domain(&event) < 0)
			return complain("%s: %s has no such domain", wish->event,
					w->gpu->pmu->name);
		add_signal(w, wish->event, NULL, &event);
		wish->seen = true;
	}
	return true;
}

/**
 * watch_init() - choose the events to count
 * @w: the watched GPU, all zero but for @gpu; or one that has come back
 * @wishes: the events that the user asks for
 *
 * The clock of a domain is counted in a chunk of its own, so that it never takes turns.
 *
 * Return: false, with a message, if an event does not exist.
 */
bool watch_init(struct watch *w, struct wishes *wishes)
{
	const struct gpu *gpu = w->gpu;
	unsigned int i;

	watch_close(w);
	w->nr = 0;
	snprintf(w->card, sizeof(w->card), "%s", gpu_card(gpu));
	for (i = 0; i < gpu->pmu->topo.nr; i++)
		wire_event(gpu->pmu, i, "clk", &new_chunk(w, i)->event[0]);
	if (gpu->pmu->beside)
		add_names(w, gpu->pmu->beside, wishes);
	add_names(w, gpu->pmu, wishes);
	return add_raw(w, wishes);
}

/* ---- counting ---- */

/**
 * watch_free() - stop counting, and free what watch_init() and watch_rows() have allocated
 * @w: the GPU
 */
void watch_free(struct watch *w)
{
	watch_close(w);
	free(w->chunk);
	free(w->row);
	gpus_free(&w->found);
}

/* Return the number of chunks of a domain that take turns, among the first @n. */
static unsigned int turns_of(const struct watch *w, unsigned int n, int dom)
{
	unsigned int i, turns = 0;

	for (i = 0; i < n; i++)
		turns += w->chunk[i].turn >= 0 && w->chunk[i].dom == dom;
	return turns;
}

/**
 * watch_turn() - let the next chunk of each domain count
 * @w: the GPU
 */
void watch_turn(struct watch *w)
{
	unsigned int i, n, enable;

	if (!w->open)
		return;
	/* disable first: that makes room for the chunks of the next turn */
	for (enable = 0; enable < 2; enable++) {
		for (i = 0; i < w->nr; i++) {
			const struct chunk *chunk = &w->chunk[i];

			n = turns_of(w, w->nr, chunk->dom);
			if (chunk->turn >= 0 && (enable ? chunk->turn == (int)(w->now % n) : n > 1))
				count_enable(&chunk->count, enable);
		}
	}
	w->now++;
}

/**
 * watch_open() - start counting
 * @w: the GPU, awake
 *
 * One chunk of each domain counts at a time. perf could rotate the chunks, but it stops at
 * the first group that does not fit, even for other domains, and all waiting groups would
 * delay the groups of other programs.
 *
 * Return: 0, or the negative errno of the first chunk if all chunks failed.
 */
int watch_open(struct watch *w)
{
	unsigned int i, failed = 0;
	int first = 0, err;

	w->turns = 0;
	for (i = 0; i < w->nr; i++) {
		struct chunk *chunk = &w->chunk[i];

		err = count_open(&chunk->count, chunk->event, chunk->n + 1);
		first = first ?: err;
		failed += !!err;
		chunk->turn = -1;
		if (err || !chunk->n || chunk->dom < 0)
			continue;
		chunk->turn = turns_of(w, i, chunk->dom);
		w->turns = max(w->turns, chunk->turn + 1U);
	}
	for (i = 0; i < w->nr; i++)
		if (w->chunk[i].turn < 0)
			count_enable(&w->chunk[i].count, true);
	w->open = failed < w->nr;
	w->counted = true;
	watch_turn(w);
	return failed == w->nr ? first : 0;
}

static struct top_row *new_row(struct watch *w, const char *state)
{
	struct top_row *row;

	w->row = grow(w->row, w->nr_rows, sizeof(*w->row));
	row = &w->row[w->nr_rows++];
	row->state = state;
	row->busy = NAN;
	row->hz = NAN;
	return row;
}

static void signal_row(struct watch *w, const struct chunk *chunk, const char *state,
		       unsigned int k, uint64_t running)
{
	const struct reading *now = chunk->count.now, *before = chunk->count.before;
	bool clock = k == chunk->n;
	struct top_row *row = new_row(w, state);
	const char *unit = clock ? UNIT_CLOCK : chunk->name[k];
	const struct pmu *pmu = w->gpu->pmu;

	row->name = clock ? "cycles" : chunk->name[k];
	row->plain = clock ? NULL : chunk->plain[k];
	row->clock = chunk->dom < 0 ? NULL : pmu->topo.dom[chunk->dom].clock;
	strcpy(row->domain, chunk->dom < 0 ? IDLE_DOMAIN : pmu->topo.dom[chunk->dom].name);
	snprintf(row->unit, sizeof(row->unit), "%.*s", (int)strcspn(unit, "_="), unit);
	if (chunk->count.n) {
		row->total_events = now->value[k];
		row->total_cycles = now->value[chunk->n];
		row->total_running = now->running;
	}
	if (!running)
		return;
	row->events = now->value[k] - before->value[k];
	row->cycles = now->value[chunk->n] - before->value[chunk->n];
	row->hz = row->cycles * 1e9 / running;
	if (row_kind(row) == PLAIN_BUSY)
		row->busy = row->plain->idle ? 1 - row_share(row) : row_share(row);
}

/* Add the rows of a chunk. Return true if it has counted in this interval. */
static bool chunk_rows(struct watch *w, struct chunk *chunk)
{
	const char *state = "counting";
	uint64_t running = 0;
	unsigned int k = 0;

	if (!chunk->count.n) {
		state = "refused";
	} else if (!count_read(&chunk->count)) {
		state = "stopped";
	} else {
		running = chunk->count.now->running - chunk->count.before->running;
		if (!running)
			state = "waiting";
	}
	/* a chunk without signals has a row for its clock */
	do {
		signal_row(w, chunk, state, k, running);
	} while (++k < chunk->n);
	return running;
}

/**
 * watch_rows() - make the rows of an interval
 * @w: the GPU
 * @wishes: the events that the user asks for
 */
void watch_rows(struct watch *w, struct wishes *wishes)
{
	const char *power = gpu_power(w->gpu);
	unsigned int i;

	w->nr_rows = 0;
	if (strcmp(power, "awake")) {
		watch_close(w);
		new_row(w, power);
		return;
	}
	/* look the GPU up if events are to be opened, or none has counted: it may be back */
	if ((!w->open || !w->counted) && gpu_again(&w->gpu, w->open, &w->found))
		watch_init(w, wishes);
	/* the GPU has just woken up or come back: its first interval is the next one */
	if (!w->open) {
		if (watch_open(w))
			new_row(w, "refused");
		return;
	}
	w->counted = false;
	for (i = 0; i < w->nr; i++)
		w->counted |= chunk_rows(w, &w->chunk[i]);
}
