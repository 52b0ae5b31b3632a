/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inner loop of reports: all words of some packets of the same length.
 */
#ifndef _PCOUNTER_TOOL_READ_SUM_H
#define _PCOUNTER_TOOL_READ_SUM_H

#include "read_stat.h"

#define FULL		0xffff
#define SUM_BLOCK	64
#define SUM_LEAST	(2 * STAT_STEPS + 1)	/* cycles that the fast loop can do */

/**
 * struct sums - what is found in packets of the same length, by word
 * @total: sum
 * @bottom: least value
 * @top: greatest
 * @idle: packets without an event in a row, at the end
 * @idle_max: and at most
 * @busy: the same for an event in each cycle
 * @busy_max: at most
 */
struct sums {
	u32 total[READ_WORDS];
	u16 bottom[READ_WORDS];
	u16 top[READ_WORDS];
	u16 idle[READ_WORDS];
	u16 idle_max[READ_WORDS];
	u16 busy[READ_WORDS];
	u16 busy_max[READ_WORDS];
};

void stat_sum_plain(const struct read_packet *packet, unsigned int nr, u64 length, struct sums *s,
		    struct stat_bins *bins);
void stat_sum_avx2(const struct read_packet *packet, unsigned int nr, unsigned int length,
		   struct sums *s, struct stat_bins *bins);

#endif
