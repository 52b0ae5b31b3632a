/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock of a GPU. perf's callbacks acquire it with a runqueue's lock held,
 * so code under it wakes no task and acquires no other lock.
 */
#ifndef _PCOUNTER_COUNT_LOCK_H
#define _PCOUNTER_COUNT_LOCK_H

#include <linux/compiler.h>
#include <linux/spinlock.h>

/**
 * struct pcounter_lock - the lock of a GPU
 * @raw: protects what struct pcounter_gpu and struct pcounter_base say
 */
struct pcounter_lock {
	raw_spinlock_t raw;
};

static inline void pcounter_lock_init(struct pcounter_lock *lock)
{
	raw_spin_lock_init(&lock->raw);
}

/* Disables interrupts; returns the flags for pcounter_unlock(). */
static inline unsigned long pcounter_lock(struct pcounter_lock *lock)
	__acquires(&lock->raw)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock->raw, flags);
	return flags;
}

/*
 * For a read. A BPF program may read an event inside of a section that holds
 * this lock. An event that cannot be read at once keeps its last count.
 */
#define pcounter_trylock(lock, flags)	raw_spin_trylock_irqsave(&(lock)->raw, flags)

static inline void pcounter_unlock(struct pcounter_lock *lock, unsigned long flags)
	__releases(&lock->raw)
{
	raw_spin_unlock_irqrestore(&lock->raw, flags);
}

#endif
