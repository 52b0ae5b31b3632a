/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics: shares and rates made of events.
 */
#ifndef _PCOUNTER_TOOL_METRIC_H
#define _PCOUNTER_TOOL_METRIC_H

#include "gpu/count.h"
#include "gpu/texts.h"

#define METRIC_EVENTS	8

/**
 * struct metric_use - a metric of a GPU
 * @metric: the metric
 * @n: how many events it is made of
 * @word: the words of the expression that stand for them
 * @event: these events
 * @groups: number of groups in which they are open: one, or one for each event
 * @count: the groups
 * @value: what each event has counted, or would have if it had not taken turns
 * @seconds: for how long
 * @share: of that time in which the group counted, or that which had the least
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
bool metric_known(const char *name);
const char *any_nearest(const struct pmu *pmu, const char *name);
bool metric_make(const struct pmu *pmu, const char *text, struct metric *metric, char *why);
bool metric_prepare(const struct pmu *pmu, const struct metric *metric,
		    struct metric_use *use, char *why);
int metric_open(struct metric_use *use);
void metric_enable(const struct metric_use *use, bool on);
void metric_read(struct metric_use *use);
void metric_close(struct metric_use *use);
bool metric_value(const struct metric_use *use, double *value);

#endif
