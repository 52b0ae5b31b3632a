/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL	0

static inline void *kvcalloc(size_t n, size_t size, int flags)
{
	(void)flags;
	return calloc(n, size);
}

static inline void *kzalloc(size_t size, int flags)
{
	(void)flags;
	return calloc(1, size);
}

static inline void *kvzalloc(size_t size, int flags)
{
	return kzalloc(size, flags);
}

static inline void kfree(void *p)
{
	free(p);
}

static inline void kvfree(void *p)
{
	free(p);
}

#endif
