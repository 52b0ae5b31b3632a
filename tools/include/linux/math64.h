/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MATH64_H
#define _SHIM_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *rem)
{
	*rem = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#ifdef __SIZEOF_INT128__
/* On x86 a quotient that does not fit is an exception, as a division by 0 is. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	__uint128_t quotient = (__uint128_t)a * b / c;

	if (quotient >> 64)
		__builtin_trap();
	return quotient;
}
#endif

#endif
