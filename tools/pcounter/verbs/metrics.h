/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts for Prometheus, and for programs that read its formats.
 */
#ifndef _PCOUNTER_TOOL_METRICS_H
#define _PCOUNTER_TOOL_METRICS_H

#include "verbs/watch.h"

bool metrics_show(const char *path, const struct top_rows *rows);

#endif
