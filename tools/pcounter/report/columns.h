/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares along the time.
 */
#ifndef _PCOUNTER_TOOL_REPORT_COLUMNS_H
#define _PCOUNTER_TOOL_REPORT_COLUMNS_H

#include "report/types.h"

/**
 * struct report_columns - shares along the time
 * @nr: how many columns
 * @from: where the first begins, in report_unit()
 * @to: and the last ends
 * @cycles: of which something is known
 * @known: what part of it they are
 * @packets: how many in a column, on average of those that have any
 * @total: and the events in them
 * @min: least share of a packet
 * @max: greatest
 */
struct report_columns {
	unsigned int nr;
	double from;
	double to;
	double *cycles;
	double *known;
	double packets;
	double *total[READ_COUNTERS];
	double *min[READ_COUNTERS];
	double *max[READ_COUNTERS];
};

bool report_column(const struct report_columns *columns, unsigned int i);
bool report_columns(const struct report *report, const struct report_stream *rs, unsigned int nr,
		    struct report_columns *columns);
void report_columns_free(struct report_columns *columns);

#endif
