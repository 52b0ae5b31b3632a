/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports for programs.
 */
#ifndef _PCOUNTER_TOOL_REPORT_ROWS_H
#define _PCOUNTER_TOOL_REPORT_ROWS_H

#include "report/types.h"

bool report_rows(struct report *report, FILE *f);
bool report_trace_fits(struct report *report);
bool report_trace(struct report *report, FILE *f);

#endif
