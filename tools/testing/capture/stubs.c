// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stubs of the rest of the program, for tests of reports: no output.
 */
#include "lib/util.h"

atomic_int stopped;

bool complain(const char *fmt, ...)
{
	return false;
}

bool colours(FILE *f)
{
	return false;
}

uint64_t clock_ns(clockid_t clock)
{
	return 0;
}
