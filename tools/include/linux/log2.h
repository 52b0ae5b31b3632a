/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_LOG2_H
#define _SHIM_LINUX_LOG2_H

#define rounddown_pow_of_two(n)	(1UL << (63 - __builtin_clzl(n)))

#endif
