/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SPINLOCK_H
#define _SHIM_LINUX_SPINLOCK_H

/* Tests have one thread. */
typedef struct {
	int unused;
} raw_spinlock_t;

#define raw_spin_lock_init(lock)	((void)(lock))

#endif
