/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BITFIELD_H
#define _SHIM_LINUX_BITFIELD_H

#include <linux/bits.h>

#define FIELD_GET(mask, reg)	(((reg) & (mask)) >> __builtin_ctzll(mask))
#define FIELD_PREP(mask, val)	(((typeof(mask))(val) << __builtin_ctzll(mask)) & (mask))

#define FIELD_MAX(mask)		((mask) >> __builtin_ctzll(mask))

#endif
