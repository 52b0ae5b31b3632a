// SPDX-License-Identifier: GPL-2.0-only
/*
 * A survey of all signals of a GPU in few rounds. One counter watches four wires for any
 * change from the level that SIG_STATUS showed. The survey counts wires one by one only
 * if they changed then, or if SIG_STATUS showed both levels; record mode counts many
 * wires at a time.
 */
#include <math.h>

#include "gpu/count.h"
#include "lib/tool.h"
#include "rules/place.h"
#include "scan/survey.h"

#define SIGNALS		"/sys/kernel/debug/pcounter/%s/signals"
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
	return id->trailer != PCOUNTER_TRAILER_UNKNOWN && !id->disputed &&
	       sig >= id->trailer + pcounter_trailer_of(topo->caps)->own;
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
		for (k = 0; k < survey->dom[i].nr; k++)
			survey->dom[i].wire[k].own = is_own(topo, id, k);
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

/* "domain 3: 00000000 00010000" */
static void look_at(struct survey_dom *dom, const char *words)
{
	unsigned int sig = 0, i;
	unsigned long word;
	char *end;

	while (sig < dom->nr) {
		word = strtoul(words, &end, 16);
		if (end == words)
			return;
		words = end;
		for (i = 0; i < WORD_BITS && sig < dom->nr; i++, sig++)
			dom->wire[sig].seen |= word >> i & 1 ? SEEN_HIGH : SEEN_LOW;
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
	char text[65536], *rest, *line;
	unsigned int look, dom;

	for (look = 0; look < LOOKS; look++) {
		if (!file_read(text, sizeof(text), SIGNALS, survey->gpu->pmu->name))
			return;
		survey->levels = true;
		rest = text;
		for (dom = 0; dom < survey->gpu->pmu->topo.nr && (line = strsep(&rest, "\n"));
		     dom++)
			if (strchr(line, ':'))
				look_at(&survey->dom[dom], strchr(line, ':') + 1);
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
	return sample->known && sample->cycles ? (double)sample->events / sample->cycles : NAN;
}

/* ---- plans ---- */

static void add_count(struct survey_dom *dom, unsigned int sig)
{
	dom->job[dom->nr_jobs++] = (struct job){ .count = true, .n = 1, .sig = { sig } };
}

static void add_watch(struct survey_dom *dom, const unsigned int *sig, unsigned int n,
		      unsigned int levels)
{
	struct job *job = &dom->job[dom->nr_jobs++];

	*job = (struct job){ .n = n, .levels = levels };
	memcpy(job->sig, sig, n * sizeof(*sig));
}

static bool is_constant(const struct sample *sample)
{
	return sample->known && sample->cycles &&
	       (!sample->events || sample->events == sample->cycles);
}

static bool differ(const struct sample *a, const struct sample *b, double tolerance)
{
	return !(fabs(sample_share(a) - sample_share(b)) <= tolerance);
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
	return is_constant(&wire->sample[SURVEY_BEFORE]) ? 0 : tolerance;
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
	const struct sample *before = &wire->sample[SURVEY_BEFORE];
	const struct sample *during = &wire->sample[SURVEY_DURING];

	if (wire->own || isnan(sample_share(before)) || isnan(sample_share(during)))
		return false;
	return differ(before, during, wire_tolerance(wire, tolerance));
}

/* Return true if the wire should be constant, at @level. */
static bool expected(const struct survey *survey, const struct wire *wire,
		     enum survey_phase phase, bool *level)
{
	const struct sample *before = &wire->sample[SURVEY_BEFORE];

	if (phase == SURVEY_BEFORE) {
		*level = wire->seen == SEEN_HIGH;
		return wire->seen != (SEEN_LOW | SEEN_HIGH);
	}
	*level = before->events;
	return phase == SURVEY_DURING && is_constant(before);
}

static void plan_domain(struct survey *survey, struct survey_dom *dom,
			enum survey_phase phase, double tolerance)
{
	unsigned int group[JOB_WIRES], n = 0, levels = 0, i;
	bool level;

	dom->nr_jobs = 0;
	for (i = 0; i < dom->nr; i++) {
		const struct wire *wire = &dom->wire[i];

		if ((wire->own && phase != SURVEY_BEFORE) ||
		    (phase > SURVEY_DURING && !wire_suspicious(wire, tolerance)))
			continue;
		/* a wire that counting itself moves would spoil a job with other wires */
		if (wire->own || !expected(survey, wire, phase, &level)) {
			add_count(dom, i);
			continue;
		}
		levels |= level << n;
		group[n++] = i;
		if (n < JOB_WIRES)
			continue;
		add_watch(dom, group, n, levels);
		n = 0;
		levels = 0;
	}
	if (n)
		add_watch(dom, group, n, levels);
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
		plan_domain(survey, &survey->dom[i], phase, tolerance);
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

static void job_event(const struct survey *survey, unsigned int dom, unsigned int counter,
		      struct event *event)
{
	static const char *const sources[JOB_WIRES] = { "sig", "sig1", "sig2", "sig3" };
	const struct survey_dom *d = &survey->dom[dom];
	const struct job *job = &d->job[counter];
	char terms[EVENT_TEXT] = "";
	unsigned int i;

	text_add(terms, sizeof(terms), "%s",
		 d->recorded ? RECORD : survey->roles ? survey->roles[counter] : "");
	for (i = 0; i < job->n; i++)
		text_add(terms, sizeof(terms), "%s%s=0x%x", *terms ? "," : "", sources[i],
			 job->sig[i]);
	if (!job->count)
		text_add(terms, sizeof(terms), ",op=0x%x", any_left(job));
	wire_event(survey->gpu->pmu, dom, terms, event);
}

/* Choose the next jobs. Record mode takes only jobs that count: watching needs truth tables. */
static void choose_jobs(const struct survey *survey, struct survey_dom *dom)
{
	struct job watch[SURVEY_SIGNALS];
	const unsigned int most = PCOUNTER_RECORD_SLOTS;
	unsigned int counts = nr_counts(dom), i, n = 0, k = 0;

	dom->recorded = to_record(survey, counts);
	dom->nr_now = min(dom->nr_jobs, survey->nr_roles);
	if (!dom->recorded)
		return;
	for (i = 0; i < dom->nr_jobs; i++) {
		if (dom->job[i].count)
			dom->job[n++] = dom->job[i];
		else
			watch[k++] = dom->job[i];
	}
	memcpy(dom->job + n, watch, k * sizeof(*watch));
	dom->nr_now = min(counts, most);
}

/* Open the first jobs of some domains and the clocks of these domains as one group. */
static int open_jobs(const struct survey *survey, unsigned int from, unsigned int to,
		     struct count *count)
{
	unsigned int dom, i, n = 0;
	struct event *event;
	int err;

	for (dom = from; dom < to; dom++)
		n += survey->dom[dom].nr_now + 1;
	event = need(n, sizeof(*event));
	for (n = 0, dom = from; dom < to; dom++) {
		if (!survey->dom[dom].nr_now)
			continue;
		for (i = 0; i < survey->dom[dom].nr_now; i++)
			job_event(survey, dom, i, &event[n++]);
		wire_event(survey->gpu->pmu, dom,
			   survey->dom[dom].recorded ? CLK_RECORD : CLK, &event[n++]);
	}
	err = n ? count_open(count, event, n) : 0;
	free(event);
	return err;
}

/* Store the result of a job; add jobs for wires that it leaves in doubt. */
static void take_job(struct survey_dom *dom, const struct job *job, enum survey_phase phase,
		     uint64_t events, uint64_t cycles, bool latched)
{
	unsigned int k;

	/*
	 * Without a latch, events and cycles are read at different moments, with no
	 * bound on the time between them. Add an inverse job to find out whether the
	 * wire is always 1.
	 */
	if (job->count && !latched && events && cycles) {
		events = min(events, cycles - 1);
		add_watch(dom, job->sig, 1, 1);
	}
	for (k = 0; k < job->n; k++) {
		struct sample *sample = &dom->wire[job->sig[k]].sample[phase];
		uint64_t still = job->levels & 1 << k ? cycles : 0;

		if (job->count || !events || !cycles)
			*sample = (struct sample){ true, job->count ? events : still, cycles };
		else if (!sample->known)
			add_count(dom, job->sig[k]);
	}
}

/* Store the results of the first @n jobs of a domain, and remove the jobs. */
static void take_jobs(const struct survey *survey, struct survey_dom *dom, unsigned int n,
		      enum survey_phase phase, const uint64_t *value, bool running)
{
	bool latched = survey->gpu->pmu->topo.caps & PCOUNTER_CAP_QUAD;
	struct job done[PCOUNTER_RECORD_SLOTS];
	unsigned int i;

	memcpy(done, dom->job, n * sizeof(*done));
	dom->nr_jobs -= n;
	memmove(dom->job, dom->job + n, dom->nr_jobs * sizeof(*done));
	for (i = 0; i < n; i++)
		take_job(dom, &done[i], phase, value[i], running ? value[n] : 0, latched);
}

static int take_all(struct survey *survey, unsigned int from, unsigned int to,
		    enum survey_phase phase, struct count *count)
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
		take_jobs(survey, &survey->dom[dom], n, phase, count->value + at,
			  count->running);
		at += n + 1;
	}
	return 0;
}

static int run_round(struct survey *survey, enum survey_phase phase)
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
		err = take_all(survey, i * step, (i + 1) * step, phase, &count[i]);
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
		double share = sample_share(&wire->sample[phase]);

		if (isnan(share))
			continue;
		if (shares->n < ARRAY_SIZE(shares->share))
			shares->share[shares->n++] = share;
		if (phase > SURVEY_DURING)
			wire->sample[phase].known = false;
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
		err = run_round(survey, phase);
	}
	if (!err)
		note_shares(survey, phase);
	return err;
}
