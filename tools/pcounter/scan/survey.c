// SPDX-License-Identifier: GPL-2.0-only
/*
 * A survey of all signals of a GPU in few rounds. One counter watches four wires for any
 * change from the level that SIG_STATUS showed. The survey counts wires one by one only
 * if they changed then, or if SIG_STATUS showed both levels; record mode counts many
 * wires at a time.
 */
#include <math.h>

#include "gpu/count.h"
#include "gpu/pmu.h"
#include "lib/tool.h"
#include "rules/place.h"
#include "scan/survey.h"

#define LOOKS		32	/* reads of SIG_STATUS */
#define LOOK_MS		1
#define WORD_BITS	32
#define CLK		"clk"
#define RECORD		"record,periodic=1"	/* the shortest packets: the fewest are left out */
#define CLK_RECORD	CLK "," RECORD

/* Return true for a trailer signal that counting itself moves. */
static bool is_own(const struct pcounter_topo *topo, const struct pcounter_dom_id *id,
		   unsigned int sig)
{
	return trailer_known(id) && sig >= id->trailer + pcounter_trailer_of(topo->caps)->own;
}

/*
 * Open the clock of each domain. The driver restores a domain's registers and frees its
 * memory for packets when its last event is closed; an open clock avoids that between
 * two rounds.
 */
static int keep_domains(const struct survey *survey, const char *clk, struct count *keep)
{
	const struct pmu *pmu = survey->gpu->pmu;
	struct event *event = need(pmu->topo.nr, sizeof(*event));
	unsigned int i;
	int err;

	for (i = 0; i < pmu->topo.nr; i++)
		wire_event(pmu, i, clk, &event[i]);
	err = count_open(keep, event, pmu->topo.nr);
	free(event);
	return err;
}

/**
 * survey_begin() - prepare a survey
 * @survey: the survey, with window, context and progress
 * @gpu: the GPU, awake
 *
 * Return: 0 or a negative errno.
 */
int survey_begin(struct survey *survey, const struct gpu *gpu)
{
	/* EVENT is visible as a signal in all domains, at an unknown number */
	static const char *const no_event[] = { "pre", "start", "stop" };
	const struct pcounter_topo *topo = &gpu->pmu->topo;
	unsigned int i, k;

	survey->gpu = gpu;
	survey->dom = need(topo->nr, sizeof(*survey->dom));
	survey->nr_roles = gpu->pmu->counters;
	for (i = 0; i < topo->nr; i++) {
		const struct pcounter_dom_id *id = &topo->dom[i];

		if (id->trailer == PCOUNTER_TRAILER_UNKNOWN && gpu->pmu->counters > 1) {
			survey->roles = no_event;
			survey->nr_roles = ARRAY_SIZE(no_event);
		}
		survey->dom[i].nr = pcounter_dom_signals(id, topo->caps);
		for (k = 0; k < survey->dom[i].nr; k++) {
			survey->dom[i].wire[k].own = is_own(topo, id, k);
			survey->dom[i].wire[k].certainty = NAN;
		}
	}
	/* record mode needs more rights than counting, and no other program that records */
	survey->record = topo->caps & PCOUNTER_CAP_RECORD &&
			 !keep_domains(survey, CLK_RECORD, &survey->streams);
	return keep_domains(survey, CLK, &survey->keep);
}

/**
 * survey_end() - free a survey
 * @survey: the survey
 */
void survey_end(struct survey *survey)
{
	count_close(&survey->keep);
	count_close(&survey->streams);
	free(survey->dom);
	survey->dom = NULL;
}

/* Take the words "00000000 00010000 ..." of a domain. */
static void look_at(struct survey_dom *dom, const char *words)
{
	unsigned long word = 0;
	unsigned int sig;
	char *end;

	for (sig = 0; sig < dom->nr; sig++, word >>= 1) {
		if (!(sig % WORD_BITS)) {
			word = strtoul(words, &end, 16);
			if (end == words)
				return;
			words = end;
		}
		dom->wire[sig].seen |= word & 1 ? SEEN_HIGH : SEEN_LOW;
	}
}

/**
 * survey_levels() - read SIG_STATUS several times
 * @survey: the survey
 *
 * Only root may read it. Without, the survey expects all wires at 0.
 */
void survey_levels(struct survey *survey)
{
	char text[65536], *rest, *words;
	unsigned int look, dom;
	const char *name;

	for (look = 0; look < LOOKS; look++) {
		if (!file_read(text, sizeof(text), text_tmp(DEBUGFS "/%s/signals",
							  survey->gpu->pmu->name)))
			return;
		survey->levels = true;
		rest = text;
		for (dom = 0; dom < survey->gpu->pmu->topo.nr && (words = dom_line(&rest, &name));
		     dom++)
			look_at(&survey->dom[dom], words);
		if (!wait_ms(LOOK_MS))
			return;
	}
}

/**
 * sample_share() - compute the share of clocks in which a wire was 1
 * @sample: the counts of the wire
 *
 * Return: the share, NAN if unknown.
 */
double sample_share(const struct sample *sample)
{
	return sample->cycles ? (double)sample->events / sample->cycles : NAN;
}

/* ---- plans ---- */

static struct job *add_job(struct survey_dom *dom)
{
	struct job *job = &dom->job[dom->nr_jobs++];

	return memset(job, 0, sizeof(*job));
}

static void add_wire(struct job *job, unsigned int sig, bool level)
{
	job->levels |= level << job->n;
	job->sig[job->n++] = sig;
}

static void add_count(struct survey_dom *dom, unsigned int sig)
{
	struct job *job = add_job(dom);

	job->count = true;
	add_wire(job, sig, false);
}

static bool is_constant(const struct sample *sample)
{
	return sample->cycles && (!sample->events || sample->events == sample->cycles);
}

/**
 * wire_tolerance() - return the difference of shares that is noise of a wire
 * @wire: the wire
 * @tolerance: the difference for a wire that moves
 *
 * Return: the difference; 0 for a wire that was constant.
 */
double wire_tolerance(const struct wire *wire, double tolerance)
{
	return is_constant(&wire->before) ? 0 : tolerance;
}

/**
 * wire_suspicious() - check whether the command seems to have changed a wire
 * @wire: the wire
 * @tolerance: as for survey_plan()
 *
 * Return: true if its shares without and with the command differ by more than noise.
 */
bool wire_suspicious(const struct wire *wire, double tolerance)
{
	return !wire->own && wire->still.n && wire->driven.n &&
	       fabs(wire->still.share[0] - wire->driven.share[0]) > wire_tolerance(wire, tolerance);
}

/* Return true if the wire should be constant, at @level. */
static bool expected(const struct wire *wire, enum survey_phase phase, bool *level)
{
	if (phase == SURVEY_BEFORE) {
		*level = wire->seen == SEEN_HIGH;
		return wire->seen != (SEEN_LOW | SEEN_HIGH);
	}
	*level = wire->before.events;
	return phase == SURVEY_DURING && is_constant(&wire->before);
}

static void plan_domain(struct survey_dom *dom, enum survey_phase phase, double tolerance)
{
	struct job watch = {};
	unsigned int i;
	bool level;

	dom->nr_jobs = 0;
	for (i = 0; i < dom->nr; i++) {
		struct wire *wire = &dom->wire[i];

		wire->now = (struct sample){};
		if ((wire->own && phase != SURVEY_BEFORE) ||
		    (phase > SURVEY_DURING && !wire_suspicious(wire, tolerance)))
			continue;
		/* a wire that counting itself moves would spoil a job with other wires */
		if (wire->own || !expected(wire, phase, &level)) {
			add_count(dom, i);
			continue;
		}
		add_wire(&watch, i, level);
		if (watch.n < JOB_WIRES)
			continue;
		*add_job(dom) = watch;
		watch.n = 0;
		watch.levels = 0;
	}
	if (watch.n)
		*add_job(dom) = watch;
}

static unsigned int nr_counts(const struct survey_dom *dom)
{
	unsigned int i, n = 0;

	for (i = 0; i < dom->nr_jobs; i++)
		n += dom->job[i].count;
	return n;
}

/* Return true if record mode is faster for this number of wires. */
static bool to_record(const struct survey *survey, unsigned int counts)
{
	return survey->record && counts > survey->nr_roles;
}

static unsigned int rounds_of(unsigned int jobs, unsigned int a_round)
{
	return (jobs + a_round - 1) / a_round;
}

static unsigned int rounds_left(const struct survey *survey)
{
	unsigned int roles = survey->nr_roles, i, n, counts, most = 0;

	for (i = 0; i < survey->gpu->pmu->topo.nr; i++) {
		counts = nr_counts(&survey->dom[i]);
		n = survey->dom[i].nr_jobs;
		if (to_record(survey, counts))
			n = rounds_of(counts, PCOUNTER_RECORD_SLOTS) +
			    rounds_of(n - counts, roles);
		else
			n = rounds_of(n, roles);
		most = max(most, n);
	}
	return most;
}

/**
 * survey_plan() - plan the jobs of a phase
 * @survey: the survey
 * @phase: the phase
 * @tolerance: difference of the shares of a moving wire that is noise
 *
 * Return: the number of rounds, if no wire behaves unexpectedly.
 */
unsigned int survey_plan(struct survey *survey, enum survey_phase phase, double tolerance)
{
	unsigned int i;

	for (i = 0; i < survey->gpu->pmu->topo.nr; i++)
		plan_domain(&survey->dom[i], phase, tolerance);
	return rounds_left(survey);
}

/* ---- rounds ---- */

/* Return the truth table of "any wire of the job is not at its level". */
static unsigned int any_left(const struct job *job)
{
	unsigned int mask = (1u << job->n) - 1, row, op = 0;

	for (row = 0; row < 16; row++)
		if ((row ^ job->levels) & mask)
			op |= 1u << row;
	return op;
}

/* Make the event of a job; after the last job of this round, the event of the clock. */
static void job_event(const struct survey *survey, unsigned int dom, unsigned int counter,
		      struct event *event)
{
	static const char *const sources[JOB_WIRES] = { "sig", "sig1", "sig2", "sig3" };
	const struct survey_dom *d = &survey->dom[dom];
	const struct job *job = &d->job[counter];
	char terms[EVENT_TEXT] = "";
	unsigned int i;

	if (counter == d->nr_now) {
		wire_event(survey->gpu->pmu, dom, d->recorded ? CLK_RECORD : CLK, event);
		return;
	}
	text_add(terms, sizeof(terms), "%s",
		 d->recorded ? RECORD : survey->roles ? survey->roles[counter] : "");
	for (i = 0; i < job->n; i++)
		text_add(terms, sizeof(terms), "%s%s=0x%x", *terms ? "," : "", sources[i],
			 job->sig[i]);
	if (!job->count)
		text_add(terms, sizeof(terms), ",op=0x%x", any_left(job));
	wire_event(survey->gpu->pmu, dom, terms, event);
}

static int counts_first(const void *a, const void *b)
{
	return ((const struct job *)b)->count - ((const struct job *)a)->count;
}

/* Choose the next jobs. Record mode takes only jobs that count: watching needs truth tables. */
static void choose_jobs(const struct survey *survey, struct survey_dom *dom)
{
	unsigned int counts = nr_counts(dom);

	dom->recorded = to_record(survey, counts);
	dom->nr_now = min(dom->nr_jobs, survey->nr_roles);
	if (!dom->recorded)
		return;
	qsort(dom->job, dom->nr_jobs, sizeof(*dom->job), counts_first);
	dom->nr_now = min_t(unsigned int, counts, PCOUNTER_RECORD_SLOTS);
}

/* Open the first jobs of some domains and the clocks of these domains as one group. */
static int open_jobs(const struct survey *survey, unsigned int from, unsigned int to,
		     struct count *count)
{
	struct event *event = NULL;
	unsigned int dom, i, n = 0;
	int err;

	for (dom = from; dom < to; dom++) {
		for (i = 0; survey->dom[dom].nr_now && i <= survey->dom[dom].nr_now; i++) {
			event = grow(event, n, sizeof(*event));
			job_event(survey, dom, i, &event[n++]);
		}
	}
	err = n ? count_open(count, event, n) : 0;
	free(event);
	return err;
}

/* Store the result of a job; add jobs for wires that it leaves in doubt. */
static void take_job(struct survey_dom *dom, const struct job *job, uint64_t events,
		     uint64_t cycles, bool latched)
{
	unsigned int k;

	/*
	 * Without a latch, events and cycles are read at different moments, with no
	 * bound on the time between them. Add an inverse job to find out whether the
	 * wire is always 1.
	 */
	if (job->count && !latched && events && cycles) {
		events = min(events, cycles - 1);
		add_wire(add_job(dom), job->sig[0], true);
	}
	for (k = 0; k < job->n; k++) {
		struct sample *sample = &dom->wire[job->sig[k]].now;
		uint64_t still = job->levels & 1 << k ? cycles : 0;

		if (job->count || !events || !cycles)
			*sample = (struct sample){ job->count ? events : still, cycles };
		else if (!sample->cycles)
			add_count(dom, job->sig[k]);
	}
}

/* Store the results of the first @n jobs of a domain, and remove the jobs. */
static void take_jobs(const struct survey *survey, struct survey_dom *dom, unsigned int n,
		      const uint64_t *value, bool running)
{
	bool latched = survey->gpu->pmu->topo.caps & PCOUNTER_CAP_QUAD;
	struct job done[PCOUNTER_RECORD_SLOTS];
	unsigned int i;

	memcpy(done, dom->job, n * sizeof(*done));
	dom->nr_jobs -= n;
	memmove(dom->job, dom->job + n, dom->nr_jobs * sizeof(*done));
	for (i = 0; i < n; i++)
		take_job(dom, &done[i], value[i], running ? value[n] : 0, latched);
}

static int take_all(struct survey *survey, unsigned int from, unsigned int to,
		    struct count *count)
{
	unsigned int dom, n, at = 0;

	if (!count->n)
		return 0;
	if (!count_read(count))
		return -EIO;
	/* another program uses a domain: open the domains apart, so that the others count */
	if (!count->running && !survey->apart) {
		survey->apart = true;
		return 0;
	}
	for (dom = from; dom < to; dom++) {
		n = survey->dom[dom].nr_now;
		if (!n)
			continue;
		take_jobs(survey, &survey->dom[dom], n, count->value + at, count->running);
		at += n + 1;
	}
	return 0;
}

static int run_round(struct survey *survey)
{
	unsigned int nr = survey->gpu->pmu->topo.nr, i;
	unsigned int groups = survey->apart ? nr : 1, step = survey->apart ? 1 : nr;
	struct count *count = need(groups, sizeof(*count));
	int err = 0;

	for (i = 0; i < nr; i++)
		choose_jobs(survey, &survey->dom[i]);
	for (i = 0; i < groups && !err; i++)
		err = open_jobs(survey, i * step, (i + 1) * step, &count[i]);
	for (i = 0; i < groups && !err; i++)
		count_enable(&count[i], true);
	if (!err && !survey->window(survey->context))
		err = -EINTR;
	for (i = 0; i < groups && !err; i++)
		count_enable(&count[i], false);
	for (i = 0; i < groups && !err; i++)
		err = take_all(survey, i * step, (i + 1) * step, &count[i]);
	for (i = 0; i < groups; i++)
		count_close(&count[i]);
	free(count);
	survey->rounds++;
	return err;
}

/* Add a share to each wire that this phase has counted. */
static void note_shares(struct survey *survey, enum survey_phase phase)
{
	bool driven = phase == SURVEY_DURING || phase == SURVEY_REPEAT;
	unsigned int dom, sig;

	for (dom = 0, sig = 0; survey_has_wire(survey, &dom, &sig); sig++) {
		struct wire *wire = &survey->dom[dom].wire[sig];
		struct shares *shares = driven ? &wire->driven : &wire->still;
		double share = sample_share(&wire->now);

		if (phase == SURVEY_BEFORE)
			wire->before = wire->now;
		if (!isnan(share) && shares->n < ARRAY_SIZE(shares->share))
			shares->share[shares->n++] = share;
	}
}

/**
 * survey_phase() - run the jobs of survey_plan()
 * @survey: the survey
 * @phase: the phase
 *
 * Return: 0, -EINTR if the window function returned false, or another negative errno.
 */
int survey_phase(struct survey *survey, enum survey_phase phase)
{
	static const char *const what[] = {
		"without the command", "with the command", "without it again", "with it again",
	};
	unsigned int left;
	int err = 0;

	while (!err && (left = rounds_left(survey))) {
		if (survey->progress)
			survey->progress(survey, what[phase], phase, left);
		err = run_round(survey);
	}
	if (!err)
		note_shares(survey, phase);
	return err;
}
