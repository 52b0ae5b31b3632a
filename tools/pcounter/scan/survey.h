/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A survey of all signals of a GPU, and the effect of a command on them.
 */
#ifndef _PCOUNTER_TOOL_SURVEY_H
#define _PCOUNTER_TOOL_SURVEY_H

#include "gpu/count.h"
#include "gpu/gpu.h"

#define SURVEY_SIGNALS	256	/* of a domain, at most */
#define JOB_WIRES	4	/* wires that one counter watches */
#define JUDGE_MOST	12	/* greatest number of windows of each kind for the second look */

/* Phases of a survey. */
enum survey_phase {
	SURVEY_BEFORE,
	SURVEY_DURING,	/* while the command ran */
	SURVEY_AGAIN,	/* second look at suspicious wires, without the command, ... */
	SURVEY_REPEAT,	/* ... and with the command; both several times */
};

/* Return true if the command runs in a phase. */
static inline bool phase_driven(enum survey_phase phase)
{
	return phase == SURVEY_DURING || phase == SURVEY_REPEAT;
}

/* Behaviour of a wire without the command. */
enum wire_state { WIRE_LOW, WIRE_ACTIVE, WIRE_HIGH, WIRE_UNKNOWN, WIRE_OWN };

/**
 * struct wire_count - counts of a wire in a phase
 * @events: clocks in which it was 1
 * @cycles: clocks for which it was counted, 0 if it was not
 */
struct wire_count {
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
 * @dom: index of its domain
 * @sig: its number
 * @seen: levels that SIG_STATUS showed, as a bitmask
 * @own: counting itself moves the wire
 * @rank: rank by the size of the change, from 1; 0: the command did not change the wire
 * @certainty: certainty of the change, from 0 to 1; NAN: it did not seem to change, or is unknown
 * @before: the counts of the wire without the command
 * @now: the counts of the wire in this phase
 * @still: shares without the command
 * @driven: shares with the command
 */
struct wire {
	unsigned int dom;
	unsigned int sig;
	unsigned int seen;
	bool own;
	unsigned int rank;
	double certainty;
	struct wire_count before;
	struct wire_count now;
	struct shares still;
	struct shares driven;
};

/**
 * struct job - the task of one counter: clocks in which any wire is not at its level
 * @n: number of wires
 * @sig: the wires
 * @levels: bitmask of the levels of the wires
 */
struct job {
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
 * @count: the first jobs and the clock, open during a round
 */
struct survey_dom {
	unsigned int nr;
	struct wire *wire;
	unsigned int nr_jobs;
	struct job job[SURVEY_SIGNALS];
	struct count count;
};

/**
 * struct survey - a survey
 * @gpu: the GPU
 * @tolerance: difference of the shares of a moving wire that is noise
 * @levels: SIG_STATUS could be read
 * @roles: inputs to use, NULL: any
 * @nr_roles: number of counters to use in a domain
 * @rounds: number of rounds so far
 * @dom: its domains
 * @nr: number of all wires
 * @wire: all wires, by domain
 * @keep: clocks of all domains, open but disabled
 * @suspects: number of wires that the command seems to have changed
 * @unjudged: number of further such wires, which were not counted in each window
 * @changed: number of wires that it has changed for certain
 * @suspect: these wires; survey_judge() keeps only the changed ones, by rank
 */
struct survey {
	const struct gpu *gpu;
	double tolerance;
	bool levels;
	const char *const *roles;
	unsigned int nr_roles;
	unsigned int rounds;
	struct survey_dom *dom;
	unsigned int nr;
	struct wire *wire;
	struct count keep;
	unsigned int suspects;
	unsigned int unjudged;
	unsigned int changed;
	struct wire **suspect;
};

int survey_begin(struct survey *survey, const struct gpu *gpu);
void survey_end(struct survey *survey);
void survey_levels(struct survey *survey);
unsigned int survey_plan(struct survey *survey, enum survey_phase phase);
unsigned int survey_left(const struct survey *survey);
int survey_round(struct survey *survey, bool (*window)(void));
void survey_note(struct survey *survey, enum survey_phase phase);
double wire_share(const struct wire_count *count);
bool wire_constant(const struct wire_count *count);
enum wire_state wire_state(const struct wire *wire);

#define JUDGE_CERTAIN	0.99	/* a lower certainty is noise */
#define JUDGE_FEWEST	5	/* least number of windows of each kind for the second look */

unsigned int judge_windows(struct survey *survey);
void survey_judge(struct survey *survey);
double shares_mean(const struct shares *shares);
double wire_change(const struct wire *wire);

#endif
