/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What perf's callbacks must not do, as a rule that lockdep checks.
 *
 * perf calls add, del, start, stop and read from the scheduler, too, with a
 * runqueue's lock held. A wake-up acquires such a lock, so a callback must not
 * wake a task, queue work, print, or acquire a lock that is held around a
 * wake-up. The scheduler's calls are rare and a deadlock needs a race; so each
 * callback pretends to hold a runqueue's lock, and lockdep complains in any
 * test.
 */
#ifndef _PCOUNTER_PERF_CALLBACK_H
#define _PCOUNTER_PERF_CALLBACK_H

#include <linux/lockdep.h>

#ifdef CONFIG_PROVE_LOCKING
extern struct lockdep_map pcounter_callback_map;

void pcounter_callback_teach(void);

/* Recursive: a BPF program may read an event inside of a callback. */
static inline void pcounter_callback_begin(void)
{
	lock_map_acquire_read(&pcounter_callback_map);
}

static inline void pcounter_callback_end(void)
{
	lock_map_release(&pcounter_callback_map);
}
#else
static inline void pcounter_callback_teach(void)
{
}

static inline void pcounter_callback_begin(void)
{
}

static inline void pcounter_callback_end(void)
{
}
#endif

#endif
