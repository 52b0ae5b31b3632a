/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SPINLOCK_H
#define _SHIM_LINUX_SPINLOCK_H

#include <linux/cleanup.h>
#include <linux/compiler.h>

/* Tests have one thread. */
struct shim_spinlock {
	int unused;
};

#define raw_spinlock_t		struct shim_spinlock

#define raw_spin_lock_init(lock)			((void)(lock))
#define raw_spin_lock_irqsave(lock, flags)		((void)(lock), (flags) = 0)
#define raw_spin_unlock_irqrestore(lock, flags)		((void)(lock), (void)(flags))

#endif
