/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces in Perfetto's own format.
 */
#ifndef _PCOUNTER_TOOL_REPORT_PERFETTO_H
#define _PCOUNTER_TOOL_REPORT_PERFETTO_H

#include "report/sink.h"

void perfetto_begin(struct sink *s, const struct report *report);
void perfetto_stream(struct sink *s);
void perfetto_row(struct sink *s, const struct row *row);
void perfetto_end(struct sink *s);

#endif
