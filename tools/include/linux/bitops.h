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

#endif
