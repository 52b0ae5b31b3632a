// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter top: what is busy now.
 */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu/count.h"
#include "gpu/event.h"
#include "gpu/pmu.h"
#include "lib/tool.h"
#include "verbs/screen.h"
#include "verbs/verbs.h"

#define MAX_WISHES	32
#define PLAIN_MAX	4	/* signals counted beside a clock */
#define ALL_PMUS	"pcounter/"
#define TICKS		"ticks"	/* time base of the idle counters */

static const struct option_doc options[] = {
	{ 'd', "device", "GPU", "only this one: PCI address or name of the PMU" },
	{ 'i', "interval", "TIME", "length of an interval: 2s, 200ms, or a number of ms" },
	{ 'n', "count", "N", "end after so many intervals" },
	{ 'e', "event", "EVENT", "show this: as for perf, or a name in which * matches; repeatable" },
	{ 'a', "all", NULL, "show every named signal" },
	{ 'J', "jsonl", NULL, "JSON Lines" },
	{ 'c', "csv", NULL, "CSV" },
	{ 'o', "output", "FILE", "write there instead of stdout" },
	{ }
};

static const char *const columns[] = {
	"time_ms", "gpu", "address", "state", "domain", "unit", "name", "events", "cycles",
	"share", "busy", "clock_hz", NULL
};

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
 * @nr: number of @wish
 * @wish: events
 */
struct wishes {
	bool all;
	unsigned int nr;
	struct wish wish[MAX_WISHES];
};

/**
 * struct chunk - signals that are counted together, and clocks beside them
 * @pmu: their PMU
 * @domain: name of their domain
 * @n: how many; the clock is one more
 * @name: their names
 * @event: what they are; event[n] is the clock
 * @count: their counters
 * @last: their counts at the end of the last interval
 * @last_running: and for how long they had run
 * @err: why they cannot be counted
 */
struct chunk {
	const struct pmu *pmu;
	char domain[PCOUNTER_DOM_NAME];
	unsigned int n;
	const char *name[PLAIN_MAX];
	struct event event[PLAIN_MAX + 1];
	struct count count;
	uint64_t last[PLAIN_MAX + 1];
	uint64_t last_running;
	int err;
};

/**
 * struct watch - a GPU that is watched
 * @gpu: the GPU
 * @nr: number of @chunk
 * @chunk: what is counted
 * @open: it is being counted
 */
struct watch {
	const struct gpu *gpu;
	unsigned int nr;
	struct chunk *chunk;
	bool open;
};

/* ---- what to count ---- */

static struct chunk *new_chunk(struct watch *w, const struct pmu *pmu, const char *domain)
{
	struct chunk *more = realloc(w->chunk, (w->nr + 1) * sizeof(*more));

	if (!more)
		return NULL;
	w->chunk = more;
	more += w->nr++;
	memset(more, 0, sizeof(*more));
	more->pmu = pmu;
	snprintf(more->domain, sizeof(more->domain), "%s", domain);
	return more;
}

static bool is_plain(const struct event *event)
{
	unsigned int i;

	for (i = 0; i < event->nr; i++) {
		const char *term = event->pmu->term[event->at[i]].name;

		if (strcmp(term, "dom") && strcmp(term, "set") && strcmp(term, "unit") &&
		    strcmp(term, "sig"))
			return false;
	}
	return true;
}

/* Plain signals of a domain share a chunk; anything else has its own. */
static void add_signal(struct watch *w, const char *name, const struct event *event)
{
	const struct pmu *pmu = event->pmu;
	int dom = pmu_domain_of(pmu, event);
	char domain[PCOUNTER_DOM_NAME];
	struct chunk *last = w->nr ? &w->chunk[w->nr - 1] : NULL;

	if (dom < 0)
		return;
	pcounter_dom_name(&pmu->topo, dom, domain, sizeof(domain));
	if (!last || strcmp(last->domain, domain) || !is_plain(event) || !last->n ||
	    !is_plain(&last->event[0]) || last->n >= pmu->counters || last->n == PLAIN_MAX) {
		last = new_chunk(w, pmu, domain);
		if (!last)
			return;
		clk_event(pmu, dom, &last->event[0]);
	}
	last->event[last->n + 1] = last->event[last->n];
	last->event[last->n] = *event;
	last->name[last->n++] = name;
}

static bool of_pmu(const struct wish *wish, const struct pmu *pmu)
{
	return !*wish->pmu || !strcmp(wish->pmu, pmu->name);
}

static bool wanted(struct wishes *wishes, const struct pmu *pmu, const struct pmu_name *name)
{
	bool found = false;
	unsigned int i;

	if (strstr(name->terms, "clk"))
		return false;
	if (wishes->all)
		return true;
	if (!wishes->nr)
		return name->wire && name_tells_busy(name->name);
	for (i = 0; i < wishes->nr; i++) {
		struct wish *wish = &wishes->wish[i];

		if (!of_pmu(wish, pmu) || fnmatch(wish->event, name->name, 0))
			continue;
		wish->seen = true;
		found = true;
	}
	return found;
}

/* Domain by domain, so that neighbours can share a group. */
static void add_names(struct watch *w, struct wishes *wishes)
{
	const struct pmu *pmu = w->gpu->pmu;
	char terms[EVENT_TEXT];
	unsigned int dom, i;

	for (dom = 0; dom < pmu->topo.nr; dom++) {
		for (i = 0; i < pmu->nr_names; i++) {
			struct event event = {};

			if (!wanted(wishes, pmu, &pmu->names[i]))
				continue;
			/* a name goes for all GPCs, or all partitions */
			snprintf(terms, sizeof(terms), "%s", pmu->names[i].terms);
			if (pmu->topo.caps & PCOUNTER_CAP_SETS)
				snprintf(terms, sizeof(terms), "%s,unit=%u", pmu->names[i].terms,
					 pmu->topo.dom[dom].unit);
			if (!event_terms(pmu, terms, &event) ||
			    pmu_domain_of(pmu, &event) != (int)dom)
				continue;
			event_encode(&event);
			add_signal(w, pmu->names[i].name, &event);
		}
	}
}

/* Raw terms; returns false for those that make no sense. */
static bool add_raw(struct watch *w, struct wishes *wishes)
{
	unsigned int i;

	for (i = 0; i < wishes->nr; i++) {
		struct wish *wish = &wishes->wish[i];
		struct event event = {};

		if (!strchr(wish->event, '=') || !of_pmu(wish, w->gpu->pmu))
			continue;
		if (!event_terms(w->gpu->pmu, wish->event, &event)) {
			complain("%s: %s", wish->event, event.error);
			return false;
		}
		if (pmu_domain_of(w->gpu->pmu, &event) < 0) {
			complain("%s: %s has no such domain", wish->event, w->gpu->pmu->name);
			return false;
		}
		event_encode(&event);
		add_signal(w, wish->event, &event);
		wish->seen = true;
	}
	return true;
}

/* Engines by their idle counters: each beside the time base. */
static void add_engines(struct watch *w, struct wishes *wishes)
{
	const struct pmu *pmu = w->gpu->idle;
	const char *domain = "pdaemon";
	struct event ticks = {};
	unsigned int i;

	if (!pmu || !event_terms(pmu, TICKS, &ticks))
		return;
	event_encode(&ticks);
	for (i = 0; i < pmu->nr_names; i++) {
		struct event event = {};
		struct chunk *chunk;

		if (!strstr(pmu->names[i].name, "_busy") ||
		    (wishes->nr && !wanted(wishes, pmu, &pmu->names[i])) ||
		    !event_terms(pmu, pmu->names[i].name, &event))
			continue;
		event_encode(&event);
		chunk = new_chunk(w, pmu, domain);
		if (!chunk)
			return;
		chunk->event[0] = event;
		chunk->event[1] = ticks;
		chunk->name[chunk->n++] = pmu->names[i].name;
	}
}

/* A domain's clock is counted by itself: it never has to take turns. */
static bool watch_init(struct watch *w, const struct gpu *gpu, struct wishes *wishes)
{
	char domain[PCOUNTER_DOM_NAME];
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->gpu = gpu;
	for (i = 0; i < gpu->pmu->topo.nr; i++) {
		struct chunk *chunk = new_chunk(w, gpu->pmu,
						pcounter_dom_name(&gpu->pmu->topo, i, domain,
								  sizeof(domain)));

		if (!chunk)
			return false;
		clk_event(gpu->pmu, i, &chunk->event[0]);
	}
	add_engines(w, wishes);
	add_names(w, wishes);
	return add_raw(w, wishes);
}

/* ---- counting ---- */

static void watch_close(struct watch *w)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		count_close(&w->chunk[i].count);
	w->open = false;
}

/* Returns the errno that all chunks failed with, or 0. */
static int watch_open(struct watch *w)
{
	unsigned int i, failed = 0;

	for (i = 0; i < w->nr; i++) {
		struct chunk *chunk = &w->chunk[i];

		chunk->err = count_open(&chunk->count, chunk->pmu, chunk->event, chunk->n + 1);
		failed += !!chunk->err;
		memset(chunk->last, 0, sizeof(chunk->last));
		chunk->last_running = 0;
	}
	for (i = 0; i < w->nr; i++)
		count_enable(&w->chunk[i].count, true);
	w->open = true;
	return w->nr && failed == w->nr ? w->chunk[0].err : 0;
}

static struct top_row *new_row(struct top_rows *rows, const struct watch *w,
			       const char *state)
{
	struct top_row *row;

	if (rows->nr == rows->room) {
		unsigned int room = 2 * rows->room + 64;

		row = realloc(rows->row, room * sizeof(*row));
		if (!row)
			return NULL;
		rows->row = row;
		rows->room = room;
	}
	row = &rows->row[rows->nr++];
	memset(row, 0, sizeof(*row));
	row->gpu = w->gpu;
	row->state = state;
	row->hz = -1;
	return row;
}

static void signal_row(struct top_rows *rows, const struct watch *w,
		       const struct chunk *chunk, const char *state, unsigned int k,
		       uint64_t running)
{
	bool clock = k == chunk->n;
	struct top_row *row = new_row(rows, w, state);
	const char *name = clock ? "cycles" : chunk->name[k];

	if (!row)
		return;
	snprintf(row->domain, sizeof(row->domain), "%s", chunk->domain);
	snprintf(row->unit, sizeof(row->unit), "%.*s", (int)strcspn(name, "_="), name);
	if (clock)
		strcpy(row->unit, "clock");
	row->name = name;
	row->counted = running;
	if (!running)
		return;
	row->events = chunk->count.value[k] - chunk->last[k];
	row->cycles = chunk->count.value[chunk->n] - chunk->last[chunk->n];
	row->hz = row->cycles * 1e9 / running;
	row->has_busy = !clock && name_tells_busy(name) && row->cycles;
	if (!row->has_busy)
		return;
	row->busy = (double)row->events / row->cycles;
	if (strstr(name, "_idle"))
		row->busy = 1 - row->busy;
}

static void chunk_rows(struct top_rows *rows, const struct watch *w, struct chunk *chunk)
{
	const char *state = "counting";
	uint64_t running = 0;
	unsigned int k;

	if (chunk->err) {
		state = "refused";
	} else if (!count_read(&chunk->count)) {
		state = "stopped";
	} else {
		running = chunk->count.running - chunk->last_running;
		/* the clock takes no turns: if it does not run, it never will */
		if (!running && !chunk->n)
			state = "stopped";
	}
	if (!chunk->n)
		signal_row(rows, w, chunk, state, 0, running);
	for (k = 0; k < chunk->n; k++)
		signal_row(rows, w, chunk, state, k, running);
	if (chunk->err)
		return;
	memcpy(chunk->last, chunk->count.value, (chunk->n + 1) * sizeof(*chunk->last));
	chunk->last_running = chunk->count.running;
}

static int take_interval(struct watch *w, struct top_rows *rows)
{
	const char *power = gpu_power(w->gpu);
	unsigned int i;

	if (strcmp(power, "awake")) {
		watch_close(w);
		new_row(rows, w, power);
		return 0;
	}
	/* it has just woken up: its first interval is the next */
	if (!w->open)
		return watch_open(w);
	for (i = 0; i < w->nr; i++)
		chunk_rows(rows, w, &w->chunk[i]);
	return 0;
}

/* ---- output ---- */

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static struct cell text_cell(const char *s)
{
	return s && *s ? CELL_S(s) : CELL_UNKNOWN;
}

static bool write_rows(struct out *out, const struct top_rows *rows, int64_t time)
{
	unsigned int i;
	bool good = true;

	for (i = 0; i < rows->nr && good; i++) {
		const struct top_row *row = &rows->row[i];
		bool share = row->counted && row->cycles;
		const struct cell cells[] = {
			CELL_I(time),
			CELL_S(row->gpu->pmu->name),
			CELL_S(row->gpu->address),
			CELL_S(row->state),
			text_cell(row->domain),
			text_cell(row->unit),
			text_cell(row->name),
			row->counted ? CELL_I(row->events) : CELL_UNKNOWN,
			row->counted ? CELL_I(row->cycles) : CELL_UNKNOWN,
			share ? CELL_R((double)row->events / row->cycles) : CELL_UNKNOWN,
			row->has_busy ? CELL_R(row->busy) : CELL_UNKNOWN,
			row->hz >= 0 ? CELL_R(row->hz) : CELL_UNKNOWN,
		};

		good = out_row(out, cells);
	}
	return good;
}

static bool print_rows(FILE *f, const struct top_rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		const struct top_row *row = &rows->row[i];

		fprintf(f, "%-12s %-8s %-10s %-26s ", row->gpu->pmu->name, row->domain,
			row->unit, row->name ? row->name : "");
		if (strcmp(row->state, "counting"))
			fprintf(f, "%s\n", row->state);
		else if (!strcmp(row->unit, "clock"))
			fprintf(f, "%10.3f MHz\n", row->hz / 1e6);
		else if (!row->counted || !row->cycles)
			fprintf(f, "%s\n", row->counted ? "clock stands still" : "not counted");
		else
			fprintf(f, "%6.1f %%%s\n", 100 * (row->has_busy ? row->busy :
				(double)row->events / row->cycles), row->has_busy ? " busy" : "");
	}
	fputc('\n', f);
	return !fflush(f);
}

/**
 * struct top - a run
 * @nr: number of @watch
 * @watch: the GPUs
 * @ms: length of an interval
 * @intervals: how many, 0: no end
 * @screen: on a screen
 * @out: rows go there otherwise
 */
struct top {
	unsigned int nr;
	struct watch *watch;
	unsigned long ms;
	unsigned long intervals;
	bool screen;
	struct out out;
};

static bool show(struct top *top, const struct top_rows *rows)
{
	if (top->screen) {
		screen_draw(rows, top->ms);
		return true;
	}
	if (top->out.kind == OUT_TEXT)
		return print_rows(top->out.f, rows);
	return write_rows(&top->out, rows, now_ms());
}

static int first_open(struct top *top)
{
	unsigned int i;
	char why[700];
	int err;

	for (i = 0; i < top->nr; i++) {
		if (gpu_asleep(top->watch[i].gpu))
			continue;
		err = watch_open(&top->watch[i]);
		if (!err)
			continue;
		count_explain(err, false, why, sizeof(why));
		complain("%s: %s", top->watch[i].gpu->pmu->name, why);
		return STATUS_NO;
	}
	return STATUS_OK;
}

static int run_intervals(struct top *top)
{
	struct top_rows rows = {};
	unsigned long done = 0;
	unsigned int i;
	int status = STATUS_OK;

	if (!top->screen)
		out_header(&top->out);
	while (!top->intervals || done < top->intervals) {
		if (!(top->screen ? screen_wait(&rows, top->ms) : wait_ms(top->ms)))
			break;
		rows.nr = 0;
		for (i = 0; i < top->nr; i++)
			take_interval(&top->watch[i], &rows);
		if (!show(top, &rows)) {
			status = STATUS_NO;
			break;
		}
		done++;
	}
	free(rows.row);
	return status;
}

static int run_watches(struct top *top, const char *path)
{
	int status = first_open(top);

	if (status != STATUS_OK)
		return status;
	top->screen = top->out.kind == OUT_TEXT && !path && isatty(STDOUT_FILENO) &&
		      isatty(STDIN_FILENO);
	if (top->screen && !screen_begin())
		top->screen = false;
	if (!top->screen && !out_open(&top->out, path))
		return STATUS_NO;
	catch_signals();
	status = run_intervals(top);
	if (top->screen)
		screen_end();
	else if (!out_close(&top->out))
		status = STATUS_NO;
	return status;
}

static int watch_gpus(struct top *top, const struct gpus *gpus, const char *wish,
		      struct wishes *wishes)
{
	unsigned int i;

	top->watch = calloc(gpus->nr + 1, sizeof(*top->watch));
	for (i = 0; i < gpus->nr && top->watch; i++) {
		const struct gpu *gpu = &gpus->gpu[i];

		if (!gpu->pmu || !gpu_chosen(gpu, wish))
			continue;
		if (!watch_init(&top->watch[top->nr++], gpu, wishes))
			return STATUS_USAGE;
	}
	if (!top->nr) {
		complain("no GPU%s%s with counters; pcounter doctor says why", wish ? " " : "",
			 wish ? wish : "");
		return STATUS_NO_GPU;
	}
	for (i = 0; i < wishes->nr; i++) {
		if (wishes->wish[i].seen)
			continue;
		complain("%s: no GPU here has such an event", wishes->wish[i].event);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static void forget(struct top *top)
{
	unsigned int i;

	for (i = 0; i < top->nr; i++) {
		watch_close(&top->watch[i]);
		free(top->watch[i].chunk);
	}
	free(top->watch);
}

/**
 * struct choices - what the command line says beside struct top
 * @wish: which GPU
 * @path: where to write
 * @wishes: which signals
 */
struct choices {
	const char *wish;
	const char *path;
	struct wishes wishes;
};

/* "terms", "name*", or as perf has it "pcounter_0/terms/". */
static bool take_event(const char *text, struct wishes *wishes)
{
	struct wish *wish = &wishes->wish[wishes->nr];
	const char *slash = strchr(text, '/'), *end = slash ? strchr(slash + 1, '/') : NULL;

	if (wishes->nr == MAX_WISHES) {
		complain("no more than %u events", MAX_WISHES);
		return false;
	}
	if ((slash && (!end || end[1])) || strlen(text) >= sizeof(wish->event)) {
		complain("%s: not an event", text);
		return false;
	}
	if (slash && strncmp(text, ALL_PMUS, slash - text + 1))
		snprintf(wish->pmu, sizeof(wish->pmu), "%.*s", (int)(slash - text), text);
	if (slash)
		snprintf(wish->event, sizeof(wish->event), "%.*s", (int)(end - slash - 1),
			 slash + 1);
	else
		strcpy(wish->event, text);
	wishes->nr++;
	return true;
}

static bool take_option(int c, struct top *top, struct choices *ch)
{
	double ns;

	switch (c) {
	case 'd':
		ch->wish = optarg;
		return true;
	case 'i':
		if (!verb_duration(optarg, NS_MS, 10 * NS_MS, 3600 * NS_S, &ns))
			return false;
		top->ms = ns / NS_MS;
		return true;
	case 'n':
		return verb_number(optarg, 1, 1000000000, &top->intervals);
	case 'e':
		return take_event(optarg, &ch->wishes);
	case 'a':
		ch->wishes.all = true;
		return true;
	case 'J':
		top->out.kind = OUT_JSONL;
		return true;
	case 'c':
		top->out.kind = OUT_CSV;
		return true;
	default:
		ch->path = optarg;
		return true;
	}
}

static int run_top(const struct verb *verb, int argc, char **argv)
{
	struct top top = { .ms = 1000, .out.columns = columns };
	struct choices ch = {};
	struct gpus gpus;
	int c, status;

	while ((c = verb_getopt(verb, argc, argv)) != -1)
		if (!take_option(c, &top, &ch))
			return STATUS_USAGE;
	if (optind < argc) {
		verb_usage(verb, stderr);
		return STATUS_USAGE;
	}
	gpus_find(&gpus);
	status = watch_gpus(&top, &gpus, ch.wish, &ch.wishes);
	if (status == STATUS_OK)
		status = run_watches(&top, ch.path);
	forget(&top);
	gpus_free(&gpus);
	return status;
}

const struct verb verb_top = {
	.name = "top",
	.args = "",
	.summary = "show what is busy now, on a screen or as JSON Lines or CSV",
	.text =
		"Shows in intervals the clock of every domain and the share of its clocks in\n"
		"which signals are 1: those named signals that tell how busy a unit is, and\n"
		"the engines that the idle counters of GT215 and later watch. Signals of a\n"
		"domain that are more than its counters take turns. A share is never cut off\n"
		"at 100 %: what is above is shown as it is.\n"
		"\n"
		"Without a terminal, or with -J, -c or -o, the same goes out as rows. Their\n"
		"columns: time_ms (milliseconds since 1970), gpu, address, state\n"
		"(counting, asleep, gone, stopped, refused), domain, unit, name, events,\n"
		"cycles, share, busy, clock_hz. What is unknown is null, or empty.\n"
		"\n"
		"A sleeping GPU is shown as asleep and left asleep. SIGINT ends a run after\n"
		"the last whole row, with exit status 0.\n",
	.options = options,
	.example = "pcounter top -J -i 100 -n 10",
	.run = run_top,
};
