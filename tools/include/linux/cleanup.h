/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_CLEANUP_H
#define _SHIM_LINUX_CLEANUP_H

static inline void shim_guard(const void *lock) { }

/* Tests have one thread. */
#define guard(kind)			shim_guard
#define scoped_guard(kind, lock)	if (shim_guard(lock), 1)

#endif
