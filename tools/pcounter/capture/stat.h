/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a capture amounts to: sums, shares, runs.
 */
#ifndef _PCOUNTER_TOOL_STAT_H
#define _PCOUNTER_TOOL_STAT_H

#include "capture/types.h"

bool stat_begin(struct tally *stat, u64 packets);
void stat_add(struct tally *stat, const struct read_piece *piece);
void stat_free(struct tally *stat);
double stat_quantile(const struct tally *stat, unsigned int signal, double q);

#endif
