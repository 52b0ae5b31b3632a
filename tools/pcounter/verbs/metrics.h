/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is watched, for Prometheus and those that read its formats.
 */
#ifndef _PCOUNTER_TOOL_METRICS_H
#define _PCOUNTER_TOOL_METRICS_H

#include "verbs/watch.h"

/**
 * struct metrics - where metrics go
 * @path: a file, which is replaced after each interval; NULL: none
 * @listen: "[ADDRESS:]PORT" for HTTP; NULL: none
 * @fd: the socket, or -1
 * @text: what was found out last, in OpenMetrics ...
 * @plain: ... and in the older text format
 */
struct metrics {
	const char *path;
	const char *listen;
	int fd;
	char *text;
	char *plain;
};

bool metrics_begin(struct metrics *m);
bool metrics_show(struct metrics *m, const struct top_rows *rows);
bool metrics_wait(struct metrics *m, double ms);
void metrics_end(struct metrics *m);

#endif
