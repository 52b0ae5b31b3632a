/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_OVERFLOW_H
#define _SHIM_LINUX_OVERFLOW_H

#include <stddef.h>

#define struct_size(p, member, n)	offsetof(typeof(*(p)), member[n])

#endif
