/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BITS_H
#define _SHIM_LINUX_BITS_H

#define BITS_PER_BYTE		8
#define BITS_PER_LONG		(__SIZEOF_LONG__ * BITS_PER_BYTE)
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (__SIZEOF_LONG__ * 8 - 1 - (h))))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))

#endif
