/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_DELAY_H
#define _SHIM_LINUX_DELAY_H

/* The model has its own time. */
#define udelay(us)		((void)(us))
#define usleep_range(min, max)	((void)(min), (void)(max))

#endif
