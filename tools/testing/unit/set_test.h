/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of an array as a set, for placement. */
#ifndef SET_TEST_H
#define SET_TEST_H

#include "rules/place.h"

/* Return the first requests of an array, until the next call. */
static inline const struct pcounter_set *set_of(const struct pcounter_request *req, unsigned int n)
{
	static struct pcounter_set set;

	for (set.n = 0; set.n < n; set.n++)
		set.req[set.n] = &req[set.n];
	return &set;
}

#endif
