/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which time it was.
 */
#ifndef _PCOUNTER_TOOL_CLOCK_H
#define _PCOUNTER_TOOL_CLOCK_H

#include "capture/types.h"

bool epochs_begin(struct stat_epochs *epochs);
void epochs_add(struct stat_epochs *epochs, const struct read_piece *piece);
bool clock_fit(struct stat_clock *clock, const struct read_stream *s,
	       const struct stat_epochs *epochs);
bool clock_time(const struct stat_clock *clock, unsigned int epoch, u64 cycle, s64 *time);
void clock_free(struct stat_clock *clock);

#endif
