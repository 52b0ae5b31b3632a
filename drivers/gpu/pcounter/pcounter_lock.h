/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A spinlock that knows who has it: a BPF program may read an event wherever it
 * runs, and that may be where this CPU has the lock.
 */
#ifndef _PCOUNTER_LOCK_H
#define _PCOUNTER_LOCK_H

#include <linux/compiler.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

/**
 * struct pcounter_lock - the lock of a GPU
 * @raw: protects what struct pcounter_gpu and struct pcounter_base say
 * @owner: the CPU that has it, -1: nobody
 */
struct pcounter_lock {
	raw_spinlock_t raw;
	int owner;
};

static inline void pcounter_lock_init(struct pcounter_lock *lock)
{
	raw_spin_lock_init(&lock->raw);
	lock->owner = -1;
}

/* With interrupts off; returns what pcounter_unlock() wants. */
static inline unsigned long pcounter_lock(struct pcounter_lock *lock)
	__acquires(&lock->raw)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock->raw, flags);
	WRITE_ONCE(lock->owner, raw_smp_processor_id());
	return flags;
}

static inline void pcounter_unlock(struct pcounter_lock *lock, unsigned long flags)
	__releases(&lock->raw)
{
	WRITE_ONCE(lock->owner, -1);
	raw_spin_unlock_irqrestore(&lock->raw, flags);
}

/* To be asked with interrupts off. */
static inline bool pcounter_lock_is_mine(const struct pcounter_lock *lock)
{
	return READ_ONCE(lock->owner) == raw_smp_processor_id();
}

#endif
