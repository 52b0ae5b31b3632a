/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The experiments of the laboratory, described for people.
 */
#ifndef _PCOUNTER_TOOL_EXPERIMENTS_H
#define _PCOUNTER_TOOL_EXPERIMENTS_H

#include <stdbool.h>

#define EXPERIMENT_READINGS	3

/**
 * struct experiment - an experiment
 * @name: its name in the laboratory
 * @row: row of hw:ambiguities; 0: another page
 * @record: it records, or examines the effects of recording; only with --record
 * @check: check of stage 3, for an experiment that answers no open question, and writes
 *	only registers that counting writes
 * @question: its question
 * @touches: the registers or memory that it writes
 * @reading: the answers, by their numbers
 */
struct experiment {
	const char *name;
	unsigned int row;
	bool record;
	const char *check;
	const char *question;
	const char *touches;
	const char *reading[EXPERIMENT_READINGS + 1];
};

/* All experiments; the last entry has no name. */
extern const struct experiment experiments[];

const struct experiment *experiment_find(const char *name);

#endif
