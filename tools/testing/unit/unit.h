/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmocka, with the headers that it needs before it; and random numbers.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint64_t rng = 1;

/* Return a number below @n; @rng is the seed of all that follow. */
static inline uint32_t rnd(uint32_t n)
{
	rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (rng >> 33) % n;
}

#endif
