/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUs from sysfs and of absent chips, their events, and events as users write them.
 */
#ifndef _PCOUNTER_TOOL_PMU_H
#define _PCOUNTER_TOOL_PMU_H

#include <linux/bits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/chip.h"
#include "rules/place.h"
#include "rules/terms.h"

/**
 * enum plain_kind - property of an engine that an event counts
 * @PLAIN_OTHER: a property that the first page does not show
 * @PLAIN_BUSY: share of time in which it is busy
 * @PLAIN_WAITS: share of time in which it waits for another engine
 * @PLAIN_TRAFFIC: traffic
 */
enum plain_kind { PLAIN_OTHER, PLAIN_BUSY, PLAIN_WAITS, PLAIN_TRAFFIC };

/**
 * struct plain - an event in plain words
 * @kind: the property
 * @rank: position on the page
 * @label: plain name of the engine, or of the traffic
 * @waits_for: PLAIN_WAITS only: the engine that it waits for
 * @engine: PLAIN_BUSY only: the name of the event, without the state at its end
 * @idle: PLAIN_BUSY only: the event counts idle clocks instead of busy ones
 * @bytes: PLAIN_TRAFFIC only: bytes for each count; 0: the event counts requests
 */
struct plain {
	enum plain_kind kind;
	unsigned int rank;
	char label[32];
	char waits_for[32];
	char engine[64];
	bool idle;
	unsigned int bytes;
};

#define PLAIN_WHOLE	"3D engine"	/* all graphics units together */

void plain_name(const char *name, struct plain *plain);

#define EVENT_TEXT	320
#define WHY_TEXT	200

/**
 * struct pmu_name - a file of events/
 * @name: name of the event
 * @terms: its terms
 * @confidence: confidence of the name, empty if unknown
 * @unit: unit of its count, may be empty
 * @text: description, may be empty
 * @source: documents that describe it, may be empty
 * @plain: its meaning for an engine
 * @clock: it counts the clocks of its domain
 * @wire: it counts a single signal, unchanged
 * @set: kind of domain set of the signal
 * @dom: domain of the signal
 * @sig: number of the signal
 */
struct pmu_name {
	char name[64];
	char terms[256];
	char confidence[16];
	char unit[24];
	char text[160];
	char source[192];
	struct plain plain;
	bool clock;
	bool wire;
	unsigned int set;
	unsigned int dom;
	unsigned int sig;
};

/**
 * struct pmu - a PMU of this driver, or of an absent chip
 * @name: its name, as in "pcounter_0"
 * @device: its device
 * @chip_name: name of the chip
 * @modes: hardware modes, separated by spaces
 * @type: perf_event_attr.type
 * @cpu: CPU to open its events on
 * @counters: number of counters of a domain
 * @idle: it is the PMU of the idle counters
 * @beside: the other PMU of the same GPU, NULL if there is none
 * @nr_terms: number of @term
 * @term: the terms of such PMUs
 * @has: bitmask of the terms that this one has
 * @nr_names: number of @names
 * @names: its named events
 * @topo: its domains; topo.chip is NULL if the chip is unknown
 */
struct pmu {
	char name[32];
	char device[64];
	char chip_name[16];
	char modes[64];
	unsigned long type;
	unsigned long cpu;
	unsigned long counters;
	bool idle;
	struct pmu *beside;
	unsigned int nr_terms;
	const struct pcounter_term_info *term;
	uint64_t has;
	unsigned int nr_names;
	struct pmu_name *names;
	struct pcounter_topo topo;
};

/**
 * struct pmus - all PMUs of this driver
 * @nr: number of PMUs
 * @pmu: the PMUs, in the order of their names
 */
struct pmus {
	unsigned int nr;
	struct pmu **pmu;
};

/**
 * struct event - an event as a user writes it
 * @pmu: its PMU
 * @text: the user's text
 * @terms: bitmask of the terms of the PMU that the event has
 * @required: bitmask of the terms of the PMU that the event must have
 * @config: the encoded terms
 * @sampling: the event requests samples
 * @pinned: its group never takes turns
 * @exclude: the event has an exclude modifier
 * @error: error that perf itself would find, empty if there is none
 */
struct event {
	const struct pmu *pmu;
	char text[EVENT_TEXT];
	uint64_t terms;
	uint64_t required;
	struct pcounter_config config;
	bool sampling;
	bool pinned;
	bool exclude;
	char error[WHY_TEXT];
};

/**
 * struct group - events to count at the same time
 * @nr: number of events
 * @event: the events; the first is the leader
 */
struct group {
	unsigned int nr;
	struct event *event;
};

/**
 * struct groups - the groups of one string
 * @nr: number of groups
 * @group: the groups; an event without braces is a group of one
 */
struct groups {
	unsigned int nr;
	struct group *group;
};

/* ---- pmus.c, user.c ---- */

#define DEBUGFS		"/sys/kernel/debug/pcounter"

#define WORD_SIGNALS	32
#define MOST_WORDS	8	/* 256 signals of a domain, at most */

/**
 * struct dom_levels - levels of the signals of a domain, as SIG_STATUS shows them
 * @n: number of words, 0 if unknown
 * @word: the words
 */
struct dom_levels {
	unsigned int n;
	uint32_t word[MOST_WORDS];
};

/* Return the level of a signal, false if unknown. */
static inline bool level_of(const struct dom_levels *levels, unsigned int sig)
{
	return sig < levels->n * WORD_SIGNALS &&
	       levels->word[sig / WORD_SIGNALS] >> sig % WORD_SIGNALS & 1;
}

bool trailer_known(const struct pcounter_dom_id *id);
unsigned int pmu_levels(const struct pmu *pmu, struct dom_levels *levels);
bool pmu_same(const struct pmu *pmu);
void pmus_find(struct pmus *pmus);
void pmus_free(struct pmus *pmus);
struct pmu *pmu_offline(const char *chip);
bool pmus_offline(struct pmus *pmus, const char *chip);
void pmu_free(struct pmu *pmu);
int user_first(const struct pmu *pmu, unsigned int dom);
int user_drive(const struct pmu *pmu, unsigned int dom, unsigned int levels,
	       unsigned int pulses);
const struct pmu_name *pmu_wire_name(const struct pmu *pmu, const struct pcounter_dom_id *id,
				     unsigned int sig);

/* ---- event.c ---- */

/* Terms of an event that counts one signal. */
#define WIRE_TERMS	(BIT_ULL(PCOUNTER_TERM_DOM) | BIT_ULL(PCOUNTER_TERM_SET) | \
			 BIT_ULL(PCOUNTER_TERM_UNIT) | BIT_ULL(PCOUNTER_TERM_SIG))

bool event_terms(const struct pmu *pmu, const char *terms, struct event *event);
uint64_t event_value(const struct event *event, const char *name);
int event_domain(const struct event *event);
bool event_has(const struct event *event, const char *term);
bool event_only(const struct event *event, uint64_t terms);
bool event_complete(struct event *event);
const struct pmu *event_pmu(const struct pmus *pmus, const char *name);
bool groups_parse(const struct pmus *pmus, const char *text, struct groups *groups);
void groups_join(struct groups *groups);
void groups_free(struct groups *groups);

/* ---- verdict.c ---- */

#define GROUP_EVENTS	64	/* further members of a group are ignored */

/**
 * struct verdict - the kernel's verdict on a group
 * @err: 0 or the negative errno of the refused member
 * @member: number of the refused member
 * @why: the reason
 * @req: request of each member, with the settings of the group
 * @slot: counter of each member (PCOUNTER_NO_SLOT: the clock)
 */
struct verdict {
	int err;
	unsigned int member;
	char why[WHY_TEXT];
	struct pcounter_request req[GROUP_EVENTS];
	s8 slot[GROUP_EVENTS];
};

void verdict_group(const struct event *event, unsigned int n, struct verdict *v);

/* ---- names.c ---- */

#define LONGEST_NAME	63
/* Busy clocks of the graphics engine; scripts/tables/metrics.csv has its sources. */
#define GPU_BUSY	"gpu_busy"
#define IDLE_DOMAIN	"pdaemon"	/* the idle counters run at its clock */
#define IDLE_TICKS	"ticks"	/* time base of the idle counters */

struct event_text;
const struct event_text *event_text(const char *name);
unsigned int confidence_rank(const char *word);
const struct pmu *pmu_with(const struct pmu *pmu, const char *name);
struct pmu_name *pmu_name_add(struct pmu *pmu);
const struct pmu_name *event_named(const struct pmu *pmu, const char *name);
const struct pcounter_chip *chip_find(const char *text, const char **why);

void user_names_add(struct pmu *pmu);

#endif
