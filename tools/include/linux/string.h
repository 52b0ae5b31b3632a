/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <stddef.h>
#include <string.h>

#define memset_startat(obj, v, member) ({				\
	typeof(obj) shim_obj = (obj);					\
	char *shim_at = (char *)shim_obj + offsetof(typeof(*shim_obj), member); \
	memset(shim_at, v, (char *)(shim_obj + 1) - shim_at);		\
})

#endif
