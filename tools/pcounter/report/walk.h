/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From packet to packet of what is asked for, and where on the axis that is.
 */
#ifndef _PCOUNTER_TOOL_REPORT_WALK_H
#define _PCOUNTER_TOOL_REPORT_WALK_H

#include "report/types.h"

bool report_take(struct report *report, const struct report_stream *rs,
		 struct read_walk *walk, struct read_piece *piece);
double report_x(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		u64 cycle);
const char *report_unit(const struct report_stream *rs);
void report_progress_end(struct report *report);

#endif
