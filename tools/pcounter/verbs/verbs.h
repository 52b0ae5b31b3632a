/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs of the program.
 */
#ifndef _PCOUNTER_TOOL_VERBS_H
#define _PCOUNTER_TOOL_VERBS_H

#include "lib/tool.h"

extern const struct verb verb_list, verb_doctor, verb_explain, verb_top, verb_scan, verb_record;
extern const struct verb verb_events, verb_mark, verb_report, verb_selftest, verb_stat;
extern const struct verb verb_diff;

#endif
