/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_STDDEF_H
#define _SHIM_LINUX_STDDEF_H

#include_next <linux/stddef.h>
#include <stddef.h>

#endif
