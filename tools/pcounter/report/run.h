/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of "pcounter report".
 */
#ifndef _PCOUNTER_TOOL_REPORT_RUN_H
#define _PCOUNTER_TOOL_REPORT_RUN_H

#include "report/types.h"

int report_file(struct report *report);
void report_free(struct report *report);

#endif
