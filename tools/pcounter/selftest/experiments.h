/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The experiments of the laboratory, for people.
 */
#ifndef _PCOUNTER_TOOL_EXPERIMENTS_H
#define _PCOUNTER_TOOL_EXPERIMENTS_H

#include <stdbool.h>

#define EXPERIMENT_READINGS	3

/**
 * struct experiment - an experiment
 * @name: its name, by which the laboratory knows it
 * @row: row of hw:ambiguities; 0: another page
 * @record: it records, or asks of what that has done; only with --record
 * @workload: it asks nothing that is open, and writes what counting writes
 * @question: what it asks
 * @touches: what it writes
 * @reading: the answers, by their numbers
 */
struct experiment {
	const char *name;
	unsigned int row;
	bool record;
	bool workload;
	const char *question;
	const char *touches;
	const char *reading[EXPERIMENT_READINGS + 1];
};

/* The last has no name. */
extern const struct experiment experiments[];

const struct experiment *experiment_find(const char *name);

#endif
