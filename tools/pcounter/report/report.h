/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verb "report".
 */
#ifndef _PCOUNTER_TOOL_REPORT_H
#define _PCOUNTER_TOOL_REPORT_H

#include "lib/tool.h"

extern const struct verb verb_report;

#endif
