/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <stddef.h>
#include <string.h>

/* Set all bytes of a structure after a member. */
#define memset_after(obj, val, member) do {						\
	__typeof__(obj) __obj = (obj);							\
	size_t __end = offsetof(__typeof__(*__obj), member) + sizeof(__obj->member);	\
	memset((char *)__obj + __end, val, sizeof(*__obj) - __end);			\
} while (0)

#endif
