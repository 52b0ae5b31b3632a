// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pretended runqueue lock of perf's callbacks.
 */
#include <linux/sched.h>

#include "perf/callback.h"

#ifdef CONFIG_PROVE_LOCKING
static struct lock_class_key pcounter_callback_key;

struct lockdep_map pcounter_callback_map = {
	.name = "pcounter: a callback of perf, as if a runqueue were locked",
	.key = &pcounter_callback_key,
	.wait_type_outer = LD_WAIT_SPIN,
	.wait_type_inner = LD_WAIT_SPIN,
};

/**
 * pcounter_callback_teach() - show lockdep that a wake-up acquires this lock
 *
 * A wake-up acquires the task's pi_lock, then a runqueue's lock; so does this.
 */
void pcounter_callback_teach(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&current->pi_lock, flags);
	lock_map_acquire(&pcounter_callback_map);
	lock_map_release(&pcounter_callback_map);
	raw_spin_unlock_irqrestore(&current->pi_lock, flags);
}
#endif
