/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmocka, with the headers that it needs before it; a list of a test's cases; and random
 * numbers.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct CMUnitTest cases[128];

/* Begin the function of a case. The cases run in their order in the file. */
#define TEST(_name)								\
	static void case_##_name(void **unused);				\
	__attribute((constructor)) static void add_##_name(void)		\
	{									\
		cases[__COUNTER__] = (struct CMUnitTest){			\
			.name = #_name, .test_func = case_##_name,		\
		};								\
	}									\
	static void case_##_name(void **unused)

/* Run all cases, between a function before the first and one after the last. */
static inline int unit_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	return cmocka_run_group_tests(cases, setup, teardown);
}

static uint64_t rng = 1;

/* Return a number below @n; @rng is the seed of all that follow. */
static inline uint32_t rnd(uint32_t n)
{
	rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (rng >> 33) % n;
}

#endif
