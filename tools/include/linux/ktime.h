/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name: a clock that tests set. */
#ifndef _SHIM_LINUX_KTIME_H
#define _SHIM_LINUX_KTIME_H

#include <linux/types.h>

/* nanoseconds, and how many pass with each look at the clock */
#pragma weak shim_clock
u64 shim_clock;
#pragma weak shim_clock_step
u64 shim_clock_step;

static inline u64 ktime_get_mono_fast_ns(void)
{
	shim_clock += shim_clock_step;
	return shim_clock;
}

#endif
