/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timelines as pictures.
 */
#ifndef _PCOUNTER_TOOL_REPORT_DRAW_H
#define _PCOUNTER_TOOL_REPORT_DRAW_H

#include "report/types.h"

bool report_draw(const struct report *report, const char *path);

#endif
