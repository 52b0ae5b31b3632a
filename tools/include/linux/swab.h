/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SWAB_H
#define _SHIM_LINUX_SWAB_H

#define swab32(x)		__builtin_bswap32(x)

#endif
