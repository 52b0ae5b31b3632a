/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics: shares and rates computed from events.
 */
#ifndef _PCOUNTER_TOOL_METRIC_H
#define _PCOUNTER_TOOL_METRIC_H

#include "gpu/count.h"
#include "gpu/texts.h"

#define METRIC_EVENTS	8

/**
 * struct metric_use - a metric in use on a GPU
 * @metric: the metric
 * @n: number of its events
 * @word: the word of the expression for each event
 * @event: the events
 * @groups: number of open groups: one, or one for each event
 * @count: the groups
 * @value: count of each event between two reads, extrapolated if it took turns
 * @seconds: time for which the events were enabled between two reads
 * @share: part of that time in which the group counted; the least of several groups
 */
struct metric_use {
	const struct metric *metric;
	unsigned int n;
	char word[METRIC_EVENTS][80];
	struct event event[METRIC_EVENTS];
	unsigned int groups;
	struct count count[METRIC_EVENTS];
	double value[METRIC_EVENTS];
	double seconds;
	double share;
};

const struct metric *metric_find(const struct pmu *pmu, const char *name);
const char *metric_make(const struct pmu *pmu, const char *text, struct metric *metric);
const char *metric_prepare(const struct pmu *pmu, const struct metric *metric,
			   struct metric_use *use);
int metric_open(struct metric_use *use);
void metric_read(struct metric_use *use);
void metric_close(struct metric_use *use);
const char *metric_confidence(const struct pmu *pmu, const struct metric *metric);
bool metric_value(const struct metric_use *use, double *value);
double metric_peak(const struct pmu *pmu, const char *name, double share);

#endif
