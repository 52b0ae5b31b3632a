/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <stddef.h>
#include <string.h>

#define memset_startat(obj, v, member) \
	memset((char *)(obj) + offsetof(typeof(*(obj)), member), v, \
	       sizeof(*(obj)) - offsetof(typeof(*(obj)), member))

#define memset_after(obj, v, member) ({							\
	size_t shim_at = offsetof(typeof(*(obj)), member) + sizeof((obj)->member);	\
	memset((char *)(obj) + shim_at, v, sizeof(*(obj)) - shim_at);			\
})

#endif
