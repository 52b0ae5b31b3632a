// SPDX-License-Identifier: GPL-2.0-only
/*
 * What reports need of the rest of the program, for tests: nobody listens.
 */
#include "lib/tool.h"

atomic_int stopped;

void complain(const char *fmt, ...)
{
}

bool colours(FILE *f)
{
	return false;
}

int wait_fd(int fd, double seconds)
{
	return 0;
}

double seconds(void)
{
	return 0;
}
