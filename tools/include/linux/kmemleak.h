/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name: leaks are for ASan. */
#ifndef _SHIM_LINUX_KMEMLEAK_H
#define _SHIM_LINUX_KMEMLEAK_H

#define kmemleak_not_leak(ptr)	((void)(ptr))

#endif
