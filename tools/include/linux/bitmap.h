/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BITMAP_H
#define _SHIM_LINUX_BITMAP_H

#include <string.h>
#include <linux/bits.h>

#define SHIM_LONG_BITS		(8 * sizeof(long))
#define SHIM_LONGS(n)		(((n) + SHIM_LONG_BITS - 1) / SHIM_LONG_BITS)
#define DECLARE_BITMAP(name, n)	unsigned long name[SHIM_LONGS(n)]

static inline void __set_bit(unsigned int bit, unsigned long *map)
{
	map[bit / SHIM_LONG_BITS] |= 1UL << bit % SHIM_LONG_BITS;
}

static inline int test_bit(unsigned int bit, const unsigned long *map)
{
	return map[bit / SHIM_LONG_BITS] >> bit % SHIM_LONG_BITS & 1;
}

static inline void bitmap_zero(unsigned long *map, unsigned int n)
{
	memset(map, 0, SHIM_LONGS(n) * sizeof(long));
}

#define for_each_set_bit(bit, map, n)			\
	for ((bit) = 0; (bit) < (n); (bit)++)		\
		if (test_bit(bit, map))

#endif
