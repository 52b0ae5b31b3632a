/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A survey of all signals of a GPU, and the effect of a command on them.
 */
#ifndef _PCOUNTER_TOOL_SURVEY_H
#define _PCOUNTER_TOOL_SURVEY_H

#include <stdio.h>

#include "gpu/count.h"
#include "gpu/gpu.h"

#define SURVEY_SIGNALS	256	/* of a domain, at most */
#define JOB_WIRES	4	/* wires that one counter watches */
#define JUDGE_MOST	12	/* greatest number of windows of each kind for the second look */
#define SEEN_LOW	1
#define SEEN_HIGH	2

/* Phases of a survey. */
enum survey_phase {
	SURVEY_BEFORE,
	SURVEY_DURING,	/* while the command ran */
	SURVEY_AGAIN,	/* second look at suspicious wires, without the command, ... */
	SURVEY_REPEAT,	/* ... and with the command; both several times */
};

/**
 * struct sample - counts of a wire in a phase
 * @events: clocks in which it was 1
 * @cycles: clocks for which it was counted, 0 if it was not
 */
struct sample {
	uint64_t events;
	uint64_t cycles;
};

/**
 * struct shares - the shares of a wire in windows of the same length
 * @n: number of shares
 * @share: the shares; the first one is that of the first look
 */
struct shares {
	unsigned int n;
	double share[1 + JUDGE_MOST];
};

/**
 * struct wire - a signal
 * @seen: levels that SIG_STATUS showed, as SEEN_*
 * @own: counting itself moves the wire
 * @rank: rank by the size of the change, from 1; 0: the command did not change the wire
 * @certainty: certainty of the change, from 0 to 1; NAN: it did not seem to change, or is unknown
 * @before: the counts of the wire without the command
 * @now: the counts of the wire in this phase
 * @still: shares without the command
 * @driven: shares with the command
 */
struct wire {
	unsigned int seen;
	bool own;
	unsigned int rank;
	double certainty;
	struct sample before;
	struct sample now;
	struct shares still;
	struct shares driven;
};

/**
 * struct job - the task of one counter
 * @count: count one wire; else watch several wires for any change of level
 * @n: number of wires
 * @sig: the wires
 * @levels: bitmask of the expected levels of the wires
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
 * @nr_jobs: number of waiting jobs
 * @job: the waiting jobs
 * @nr_now: number of jobs of this round
 * @recorded: this round uses record mode
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
 * @gpu: the GPU
 * @levels: SIG_STATUS could be read
 * @roles: inputs to use, NULL: any
 * @nr_roles: number of counters to use in a domain
 * @record: record mode is available, which counts more wires in a round
 * @apart: open each domain as a group of its own
 * @rounds: number of rounds so far
 * @dom: its domains
 * @keep: clocks of all domains, open but disabled
 * @streams: clocks of all domains in record mode, open but disabled
 * @window: waits for the time of a round; returns false to end the survey
 * @context: argument of @window
 * @progress: reports the progress of a phase
 */
struct survey {
	const struct gpu *gpu;
	bool levels;
	const char *const *roles;
	unsigned int nr_roles;
	bool record;
	bool apart;
	unsigned int rounds;
	struct survey_dom *dom;
	struct count keep;
	struct count streams;
	bool (*window)(void *context);
	void *context;
	void (*progress)(const struct survey *survey, const char *what, enum survey_phase phase,
			 unsigned int left);
};

/* Return true if there is a wire at @dom and @sig; move past the end of a domain to the next. */
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

#define JUDGE_CERTAIN	0.99	/* a lower certainty is noise */
#define JUDGE_FEWEST	5	/* least number of windows of each kind for the second look */

unsigned int judge_windows(struct survey *survey, double tolerance);
void survey_judge(struct survey *survey, double tolerance);
double shares_mean(const struct shares *shares);

void map_print(const struct survey *survey, FILE *f);
bool map_draw(const struct survey *const *surveys, unsigned int n, const char *path);

#endif
