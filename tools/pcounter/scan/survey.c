// SPDX-License-Identifier: GPL-2.0-only
/*
 * A survey of all signals of a GPU in few rounds. One counter watches four wires for any
 * change from the level that SIG_STATUS showed. The survey counts wires one by one only
 * if they changed then, or if SIG_STATUS showed both levels.
 */
#include <math.h>

#include "lib/util.h"
#include "scan/survey.h"

#define LOOKS		32	/* reads of SIG_STATUS */
#define LOOK_MS		1
#define CLK		"clk"

/*
 * Open the clock of each domain. The driver restores a domain's registers when its last
 * event is closed; an open clock avoids that between two rounds.
 */
static int keep_domains(struct survey *survey)
{
	const struct pmu *pmu = survey->gpu->pmu;
	struct event *event = need(pmu->topo.nr, sizeof(*event));
	unsigned int i;
	int err;

	for (i = 0; i < pmu->topo.nr; i++)
		wire_event(pmu, i, CLK, &event[i]);
	err = count_open(&survey->keep, event, pmu->topo.nr);
	free(event);
	return err;
}

/**
 * survey_begin() - prepare a survey
 * @survey: the survey, all zero but for its tolerance
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
	survey->wire = need(topo->nr * SURVEY_SIGNALS, sizeof(*survey->wire));
	survey->nr_roles = gpu->pmu->counters;
	for (i = 0; i < topo->nr; i++) {
		const struct pcounter_dom_id *id = &topo->dom[i];
		struct survey_dom *dom = &survey->dom[i];
		unsigned int own = trailer_known(id) ?
			id->trailer + pcounter_trailer_of(topo->caps)->own : SURVEY_SIGNALS;

		if (id->trailer == PCOUNTER_TRAILER_UNKNOWN && gpu->pmu->counters > 1) {
			survey->roles = no_event;
			survey->nr_roles = ARRAY_SIZE(no_event);
		}
		dom->wire = survey->wire + survey->nr;
		dom->nr = pcounter_dom_signals(id, topo->caps);
		survey->nr += dom->nr;
		for (k = 0; k < dom->nr; k++)
			dom->wire[k] = (struct wire){
				.dom = i, .sig = k, .own = k >= own, .certainty = NAN,
			};
	}
	return keep_domains(survey);
}

/**
 * survey_end() - free a survey
 * @survey: the survey
 */
void survey_end(struct survey *survey)
{
	count_close(&survey->keep);
	free(survey->dom);
	free(survey->wire);
	free(survey->suspect);
	memset(survey, 0, sizeof(*survey));
}

/**
 * survey_levels() - read SIG_STATUS several times
 * @survey: the survey
 *
 * Only root may read it. Without, the survey expects all wires at 0.
 */
void survey_levels(struct survey *survey)
{
	struct dom_levels levels[PCOUNTER_MAX_DOMAINS];
	unsigned int look, n, i;

	for (look = 0; look < LOOKS; look++) {
		n = pmu_levels(survey->gpu->pmu, levels);
		survey->levels |= n;
		for (i = 0; i < survey->nr; i++) {
			struct wire *wire = &survey->wire[i];
			const struct dom_levels *of = &levels[wire->dom];

			if (wire->dom < n && wire->sig < of->n * WORD_SIGNALS)
				wire->seen |= BIT(level_of(of, wire->sig));
		}
		if (!n || !wait_ms(LOOK_MS))
			return;
	}
}

/**
 * wire_share() - compute the share of clocks in which a wire was 1
 * @count: the counts of the wire
 *
 * Return: the share, NAN if unknown.
 */
double wire_share(const struct wire_count *count)
{
	return count->cycles ? (double)count->events / count->cycles : NAN;
}

/**
 * wire_constant() - check whether a wire kept its level
 * @count: the counts of the wire
 *
 * Return: true if it was always 0, or always 1.
 */
bool wire_constant(const struct wire_count *count)
{
	return count->cycles && (!count->events || count->events == count->cycles);
}

/**
 * wire_state() - tell the behaviour of a wire without the command
 * @wire: the wire
 *
 * Return: the behaviour.
 */
enum wire_state wire_state(const struct wire *wire)
{
	double share = wire_share(&wire->before);

	if (wire->own)
		return WIRE_OWN;
	if (isnan(share))
		return WIRE_UNKNOWN;
	return share <= 0 ? WIRE_LOW : share >= 1 ? WIRE_HIGH : WIRE_ACTIVE;
}

/* ---- plans ---- */

/* Add a job for one wire. */
static void add_job(struct survey_dom *dom, unsigned int sig, bool level)
{
	dom->job[dom->nr_jobs++] = (struct job){ .n = 1, .sig = { sig }, .levels = level };
}

/* Return true for a job that counts one wire, without a truth table. */
static bool is_count(const struct job *job)
{
	return job->n == 1 && !job->levels;
}

/* Return true if the wire should be constant, at @level. */
static bool expected(const struct wire *wire, enum survey_phase phase, bool *level)
{
	if (phase == SURVEY_BEFORE) {
		*level = wire->seen == BIT(1);
		/* a wire that counting itself moves would spoil a job with other wires */
		return !wire->own && wire->seen != (BIT(0) | BIT(1));
	}
	*level = wire->before.events;
	return phase == SURVEY_DURING && wire_constant(&wire->before);
}

static void plan_domain(struct survey_dom *dom, enum survey_phase phase)
{
	struct job watch = {};
	unsigned int i;
	bool level;

	dom->nr_jobs = 0;
	for (i = 0; i < dom->nr; i++) {
		struct wire *wire = &dom->wire[i];

		wire->now = (struct wire_count){};
		if ((wire->own && phase != SURVEY_BEFORE) ||
		    (phase > SURVEY_DURING && isnan(wire->certainty)))
			continue;
		if (!expected(wire, phase, &level)) {
			add_job(dom, i, false);
			continue;
		}
		watch.levels |= level << watch.n;
		watch.sig[watch.n++] = i;
		if (watch.n == JOB_WIRES) {
			dom->job[dom->nr_jobs++] = watch;
			watch = (struct job){};
		}
	}
	if (watch.n)
		dom->job[dom->nr_jobs++] = watch;
}

/**
 * survey_left() - count the rounds of the waiting jobs
 * @survey: the survey
 *
 * Return: the number of rounds, if no wire behaves unexpectedly.
 */
unsigned int survey_left(const struct survey *survey)
{
	unsigned int i, most = 0;

	for (i = 0; i < survey->gpu->pmu->topo.nr; i++)
		most = max(most, survey->dom[i].nr_jobs);
	return DIV_ROUND_UP(most, survey->nr_roles);
}

/**
 * survey_plan() - plan the jobs of a phase
 * @survey: the survey
 * @phase: the phase
 *
 * Return: as for survey_left().
 */
unsigned int survey_plan(struct survey *survey, enum survey_phase phase)
{
	unsigned int i;

	for (i = 0; i < survey->gpu->pmu->topo.nr; i++)
		plan_domain(&survey->dom[i], phase);
	return survey_left(survey);
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

/* Make the event of a job. @counter: number of the job in its domain */
static void job_event(const struct survey *survey, unsigned int dom, unsigned int counter,
		      struct event *event)
{
	static const char *const sources[JOB_WIRES] = { "sig", "sig1", "sig2", "sig3" };
	const struct job *job = &survey->dom[dom].job[counter];
	const char *terms = survey->roles ? survey->roles[counter] : "";
	unsigned int i;

	for (i = 0; i < job->n; i++)
		terms = text_tmp("%s%s%s=0x%x", terms, *terms ? "," : "", sources[i], job->sig[i]);
	if (!is_count(job))
		terms = text_tmp("%s,op=0x%x", terms, any_left(job));
	wire_event(survey->gpu->pmu, dom, terms, event);
}

/* Open the first jobs of a domain and its clock as a group. */
static int open_jobs(struct survey *survey, unsigned int index)
{
	struct survey_dom *dom = &survey->dom[index];
	unsigned int n = min(dom->nr_jobs, survey->nr_roles), i;
	struct event event[PCOUNTER_SLOTS + 1];

	for (i = 0; i < n; i++)
		job_event(survey, index, i, &event[i]);
	wire_event(survey->gpu->pmu, index, CLK, &event[n]);
	return n ? count_open(&dom->count, event, n + 1) : 0;
}

/* Store the result of a job; add jobs for wires that it leaves in doubt. */
static void take_job(struct survey_dom *dom, const struct job *job, uint64_t events,
		     uint64_t cycles, bool latched)
{
	bool counted = is_count(job);
	unsigned int k;

	/*
	 * Without a latch, events and cycles are read at different moments, with no
	 * bound on the time between them. Add an inverse job to find out whether the
	 * wire is always 1.
	 */
	if (counted && !latched && events && cycles) {
		events = min(events, cycles - 1);
		add_job(dom, job->sig[0], true);
	}
	for (k = 0; k < job->n; k++) {
		struct wire_count *sample = &dom->wire[job->sig[k]].now;
		uint64_t still = job->levels & 1 << k ? cycles : 0;

		if (counted || !events || !cycles)
			*sample = (struct wire_count){ counted ? events : still, cycles };
		else if (!sample->cycles)
			add_job(dom, job->sig[k], false);
	}
}

/* Store the results of the open jobs of a domain, and remove the jobs. */
static int take_jobs(const struct survey *survey, struct survey_dom *dom)
{
	bool latched = survey->gpu->pmu->topo.caps & PCOUNTER_CAP_QUAD;
	struct job done[PCOUNTER_SLOTS];
	struct count *count = &dom->count;
	unsigned int n = count->n - 1, i;

	if (!count->n)
		return 0;
	if (!count_read(count))
		return -EIO;
	memcpy(done, dom->job, n * sizeof(*done));
	dom->nr_jobs -= n;
	memmove(dom->job, dom->job + n, dom->nr_jobs * sizeof(*done));
	/* another program may use the domain */
	for (i = 0; i < n; i++)
		take_job(dom, &done[i], count->now->value[i],
			 count->now->running ? count->now->value[n] : 0, latched);
	return 0;
}

/**
 * survey_round() - run the next jobs of survey_plan()
 * @survey: the survey
 * @window: waits for the time of the round; returns false to end the survey
 *
 * Return: 0, -EINTR if @window returned false, or another negative errno.
 */
int survey_round(struct survey *survey, bool (*window)(void))
{
	unsigned int nr = survey->gpu->pmu->topo.nr, i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = open_jobs(survey, i);
	for (i = 0; i < nr && !err; i++)
		count_enable(&survey->dom[i].count, true);
	if (!err && !window())
		err = -EINTR;
	for (i = 0; i < nr && !err; i++)
		count_enable(&survey->dom[i].count, false);
	for (i = 0; i < nr && !err; i++)
		err = take_jobs(survey, &survey->dom[i]);
	for (i = 0; i < nr; i++)
		count_close(&survey->dom[i].count);
	survey->rounds++;
	return err;
}

/**
 * survey_note() - add a share to each wire that a phase has counted
 * @survey: the survey
 * @phase: the phase
 */
void survey_note(struct survey *survey, enum survey_phase phase)
{
	struct wire *wire;

	for (wire = survey->wire; wire < survey->wire + survey->nr; wire++) {
		struct shares *shares = phase_driven(phase) ? &wire->driven : &wire->still;
		double share = wire_share(&wire->now);

		if (phase == SURVEY_BEFORE)
			wire->before = wire->now;
		if (!isnan(share) && shares->n < ARRAY_SIZE(shares->share))
			shares->share[shares->n++] = share;
	}
}
