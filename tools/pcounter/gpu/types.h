/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types for PMUs, and for events as users write them.
 */
#ifndef _PCOUNTER_TOOL_GPU_TYPES_H
#define _PCOUNTER_TOOL_GPU_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/terms.h"
#include "rules/topo.h"

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
 * @idle: PLAIN_BUSY only: the event counts idle clocks instead of busy ones
 * @bytes: PLAIN_TRAFFIC only: bytes for each count; 0: the event counts requests
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
#define EVENT_TERMS	40	/* in one event */
#define EVENT_TEXT	320
#define WHY_TEXT	200

/**
 * struct pmu_name - a file of events/
 * @name: name of the event
 * @terms: its terms
 * @confidence: confidence of the name, empty if unknown
 * @unit: unit of its count, if the generated texts do not have it
 * @text: description, if the generated texts do not have it
 * @source: source of the description, if the generated texts do not have it
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
 * @nr: number of terms
 * @at: indices of the terms in the PMU
 * @value: values of the terms
 * @required: bitmask of the terms of the PMU that the event must have
 * @config: the encoded terms
 * @sampling: the event requests samples
 * @exclude: the event has an exclude modifier
 * @error: error that perf itself would find, empty if there is none
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

#endif
