/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_CLEANUP_H
#define _SHIM_LINUX_CLEANUP_H

#include <stdbool.h>
#include <stdlib.h>

/* Tests have one thread. */
static inline bool shim_guard_mutex(const void *lock) { return true; }
static inline bool shim_guard_raw_spinlock_irqsave(const void *lock) { return true; }

#define guard(kind)	shim_guard_##kind
#define scoped_guard(kind, lock) \
	for (bool once = shim_guard_##kind(lock); once; once = false)

/* A variable of a class, here a pointer: @init gets it, @exit puts it when its scope ends. */
#define DEFINE_CLASS(name, type, exit, init, arg)				\
static inline type shim_get_##name(arg) { return init; }			\
static inline void shim_put_##name(void **var) { type _T = *var; exit; }

#define CLASS(name, var)							\
	void *(var) __attribute__((__cleanup__(shim_put_##name))) = shim_get_##name

static inline void shim_free_kfree(void *var) { free(*(void **)var); }

static inline void *shim_give(void *var)
{
	void *given = *(void **)var;

	*(void **)var = NULL;
	return given;
}

/* Memory that is freed when the scope ends, unless it is given away. */
#define __free(kind)	__attribute__((__cleanup__(shim_free_##kind)))
#define no_free_ptr(p)	shim_give(&(p))

#endif
