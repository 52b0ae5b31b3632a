/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUs, and events as users write them: plain types.
 */
#ifndef _PCOUNTER_TOOL_GPU_TYPES_H
#define _PCOUNTER_TOOL_GPU_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/topo.h"

/**
 * enum plain_kind - property of an engine that an event counts
 * @PLAIN_OTHER: nothing that the first page shows
 * @PLAIN_BUSY: how busy it is
 * @PLAIN_WAITS: how long it waits for another engine
 * @PLAIN_TRAFFIC: traffic
 */
enum plain_kind { PLAIN_OTHER, PLAIN_BUSY, PLAIN_WAITS, PLAIN_TRAFFIC };

/**
 * struct plain - an event in plain words
 * @kind: the property
 * @rank: its place among all, on the page
 * @label: plain name of the engine, or of the traffic
 * @waits_for: of PLAIN_WAITS: for which engine
 * @idle: of PLAIN_BUSY: the event counts the clocks in which it is not
 * @bytes: of PLAIN_TRAFFIC: for each event; 0: it counts requests
 */
struct plain {
	enum plain_kind kind;
	unsigned int rank;
	char label[32];
	char waits_for[32];
	bool idle;
	unsigned int bytes;
};

#define PLAIN_WHOLE	"3D engine"	/* all graphics units together */

void plain_name(const char *name, struct plain *plain);

#define PCI_DEVICES	"/sys/bus/pci/devices"

#define PMU_WORDS	3	/* config, config1, config2 */
#define PMU_TERMS	64
#define EVENT_TERMS	40	/* in one event */
#define EVENT_TEXT	320
#define WHY_TEXT	200

/**
 * struct pmu_term - a file of format/
 * @name: name of the term
 * @word: number of the word of perf_event_attr
 * @lo: its first bit
 * @hi: its last bit
 */
struct pmu_term {
	char name[24];
	unsigned int word;
	unsigned int lo;
	unsigned int hi;
};

/**
 * struct pmu_name - a file of events/
 * @name: name of the event
 * @terms: its terms
 * @confidence: how well the name is known, empty if nothing is said
 * @unit: unit of its count, where the generated texts do not say
 * @text: description, where the generated texts do not say
 * @source: source of that, where the generated texts do not say
 * @plain: its meaning for an engine
 * @clock: it counts the clocks of its domain
 * @wire: it is a single signal, as it is
 * @set: kind of domain set of that wire
 * @dom: its domain
 * @sig: its number
 */
struct pmu_name {
	char name[64];
	char terms[256];
	char confidence[16];
	char unit[24];
	char text[128];
	char source[64];
	struct plain plain;
	bool clock;
	bool wire;
	unsigned int set;
	unsigned int dom;
	unsigned int sig;
};

/**
 * struct pmu - a PMU of this driver, or of a chip that is not there
 * @name: "pcounter_0"
 * @device: device that it belongs to
 * @chip_name: name of the chip
 * @modes: hardware modes, separated by spaces
 * @type: perf_event_attr.type
 * @cpu: the CPU that counts
 * @counters: counters of a domain
 * @idle: it is the PMU of the idle counters
 * @beside: the other PMU of the same GPU, NULL if there is none
 * @nr_terms: number of @term
 * @term: the terms of its events
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
	struct pmu_term term[PMU_TERMS];
	unsigned int nr_names;
	struct pmu_name *names;
	struct pcounter_topo topo;
};

/**
 * struct pmus - all PMUs of this driver
 * @nr: how many
 * @pmu: in the order of their names
 */
struct pmus {
	unsigned int nr;
	struct pmu **pmu;
};

/**
 * struct event - an event as a user writes it
 * @pmu: its PMU
 * @text: how it was written
 * @nr: number of terms
 * @at: which terms of the PMU
 * @value: and their values
 * @required: terms of the PMU without which it is not complete, a bit for each
 * @config: the words they make
 * @sampling: it asks for samples
 * @exclude: it excludes something
 * @error: it makes no sense to perf itself: why
 */
struct event {
	const struct pmu *pmu;
	char text[EVENT_TEXT];
	unsigned int nr;
	unsigned int at[EVENT_TERMS];
	uint64_t value[EVENT_TERMS];
	uint64_t required;
	uint64_t config[PMU_WORDS];
	bool sampling;
	bool exclude;
	char error[WHY_TEXT];
};

/**
 * struct group - events that are to count at the same time
 * @nr: how many
 * @event: the events; the first leads
 */
struct group {
	unsigned int nr;
	struct event *event;
};

/**
 * struct groups - the groups of one string
 * @nr: how many groups
 * @group: the groups; an event without braces is a group of one
 */
struct groups {
	unsigned int nr;
	struct group *group;
};

#endif
