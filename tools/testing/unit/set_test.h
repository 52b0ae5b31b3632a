/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of an array as a set, and their placement. */
#ifndef SET_TEST_H
#define SET_TEST_H

#include <string.h>

#include "rules/place.h"

/* Return the first requests of an array, until the next call. */
static inline struct pcounter_set *set_of(const struct pcounter_request *req, unsigned int n)
{
	static struct pcounter_set set;

	for (set.n = 0; set.n < n; set.n++)
		set.req[set.n] = &req[set.n];
	return &set;
}

/* Place all requests; @slot gets their counters. */
static inline bool place(const struct pcounter_request *req, unsigned int n, u32 caps,
			 const struct pcounter_plan *now, s8 *slot, struct pcounter_plan *plan)
{
	struct pcounter_set *set = set_of(req, n);
	bool placed = pcounter_place(set, caps, false, now, plan);

	memcpy(slot, set->slot, n);
	return placed;
}

#endif
