/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports for people.
 */
#ifndef _PCOUNTER_TOOL_REPORT_TEXT_H
#define _PCOUNTER_TOOL_REPORT_TEXT_H

#include "report/types.h"

void report_text(const struct report *report, FILE *f);

#endif
