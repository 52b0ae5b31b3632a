/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A survey of all signals of a GPU, and the effect of a command on them.
 */
#ifndef _PCOUNTER_TOOL_SURVEY_H
#define _PCOUNTER_TOOL_SURVEY_H

#include <stdio.h>

#include "gpu/count.h"
#include "gpu/gpu.h"

#define SURVEY_SIGNALS	256	/* of a domain */
#define JOB_WIRES	4	/* that one counter watches */
#define JUDGE_MOST	12	/* windows of a kind in which a wire is looked at again */
#define SEEN_LOW	1
#define SEEN_HIGH	2

/* When a wire was looked at. */
enum survey_phase {
	SURVEY_BEFORE,
	SURVEY_DURING,	/* while the command ran */
	SURVEY_AGAIN,	/* suspicious wires, without the command, ... */
	SURVEY_REPEAT,	/* ... and with it; both several times */
	SURVEY_PHASES
};

/**
 * struct sample - counts of a wire in a phase
 * @known: it was looked at
 * @events: clocks in which it was 1
 * @cycles: clocks in which it was looked at
 */
struct sample {
	bool known;
	uint64_t events;
	uint64_t cycles;
};

/**
 * struct shares - the shares of a wire in windows of the same length
 * @n: how many
 * @share: the shares, that of the first look at the beginning
 */
struct shares {
	unsigned int n;
	double share[1 + JUDGE_MOST];
};

/**
 * struct wire - a signal
 * @seen: SEEN_* by SIG_STATUS
 * @own: the counting itself moves it
 * @changed: the command changed it
 * @rank: by how much, from 1
 * @certainty: how sure that is, from 0 to 1; NAN: it did not seem to change
 * @sample: the counts of the wire
 * @still: without the command
 * @driven: and with it
 */
struct wire {
	unsigned int seen;
	bool own;
	bool changed;
	unsigned int rank;
	double certainty;
	struct sample sample[SURVEY_PHASES];
	struct shares still;
	struct shares driven;
};

/**
 * struct job - the task of one counter
 * @count: the count of one wire; else: has any of several left its level?
 * @n: number of wires
 * @sig: the wires
 * @levels: where they were, a bit for each
 */
struct job {
	bool count;
	unsigned int n;
	unsigned int sig[JOB_WIRES];
	unsigned int levels;
};

/**
 * struct survey_dom - a domain
 * @nr: number of its signals
 * @wire: its signals
 * @nr_jobs: jobs that wait
 * @job: the jobs
 * @nr_now: number of jobs that are done in this round ...
 * @recorded: ... in record mode
 */
struct survey_dom {
	unsigned int nr;
	struct wire wire[SURVEY_SIGNALS];
	unsigned int nr_jobs;
	struct job job[SURVEY_SIGNALS];
	unsigned int nr_now;
	bool recorded;
};

/**
 * struct survey - a survey
 * @gpu: of which GPU
 * @levels: SIG_STATUS could be read
 * @roles: inputs that may be used, NULL: any
 * @nr_roles: counters of a domain that are used
 * @record: record mode may be used, which counts more wires in a round
 * @apart: each domain counts as a group of its own
 * @rounds: how many there were
 * @judged: survey_judge() has seen it
 * @dom: its domains
 * @keep: clocks of all domains, open but not counting
 * @streams: the same in record mode
 * @window: lets a round's time pass; false to end
 * @context: for @window
 * @progress: tells how far a phase is
 */
struct survey {
	const struct gpu *gpu;
	bool levels;
	const char *const *roles;
	unsigned int nr_roles;
	bool record;
	bool apart;
	unsigned int rounds;
	bool judged;
	struct survey_dom *dom;
	struct count keep;
	struct count streams;
	bool (*window)(void *context);
	void *context;
	void (*progress)(const struct survey *survey, const char *what, enum survey_phase phase,
			 unsigned int left);
};

/* Is there a wire at @dom and @sig? Goes on to the next domain where one ends. */
static inline bool survey_has_wire(const struct survey *survey, unsigned int *dom,
				   unsigned int *sig)
{
	for (; *dom < survey->gpu->pmu->topo.nr; ++*dom, *sig = 0)
		if (*sig < survey->dom[*dom].nr)
			return true;
	return false;
}

int survey_begin(struct survey *survey, const struct gpu *gpu);
void survey_end(struct survey *survey);
void survey_levels(struct survey *survey);
int survey_phase(struct survey *survey, enum survey_phase phase);
unsigned int survey_plan(struct survey *survey, enum survey_phase phase, double tolerance);
double wire_tolerance(const struct wire *wire, double tolerance);
bool wire_suspicious(const struct wire *wire, double tolerance);
double sample_share(const struct sample *sample);

#define JUDGE_CERTAIN	0.99	/* less is noise */
#define JUDGE_FEWEST	5	/* windows of a kind in which a wire is looked at again */

unsigned int judge_windows(struct survey *survey, double tolerance);
void survey_judge(struct survey *survey, double tolerance);
double shares_mean(const struct shares *shares);

void map_print(const struct survey *survey, FILE *f);
bool map_draw(const struct survey *const *surveys, unsigned int n, const char *path);

#endif
