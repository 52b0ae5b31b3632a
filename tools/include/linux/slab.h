/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL	0

#define kvcalloc(n, size, flags)	calloc(n, size)
#define kvfree(p)			free(p)

#endif
