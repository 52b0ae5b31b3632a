/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BITOPS_H
#define _SHIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

#define ffs(w)			__builtin_ffs(w)
#define fls(w)			((w) ? 32 - __builtin_clz(w) : 0)
#define hweight8(w)		((unsigned int)__builtin_popcount((u8)(w)))
#define hweight32(w)		((unsigned int)__builtin_popcount((u32)(w)))
#define hweight64(w)		((unsigned int)__builtin_popcountll(w))

/* Return the number of the n-th bit that is set, the number of bits if there is none. */
static inline unsigned long fns(unsigned long word, unsigned int n)
{
	unsigned int bit;

	for (bit = 0; bit < BITS_PER_LONG; bit++)
		if (word >> bit & 1 && !n--)
			break;
	return bit;
}

#endif
