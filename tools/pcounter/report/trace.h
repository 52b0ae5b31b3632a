/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces in JSON.
 */
#ifndef _PCOUNTER_TOOL_REPORT_TRACE_H
#define _PCOUNTER_TOOL_REPORT_TRACE_H

#include "report/sink.h"

void trace_begin(struct sink *s, const struct report *report);
void trace_stream(struct sink *s);
void trace_row(struct sink *s, const struct row *row);
void trace_end(struct sink *s);

#endif
