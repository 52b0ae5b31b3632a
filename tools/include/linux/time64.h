/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_TIME64_H
#define _SHIM_LINUX_TIME64_H

#define NSEC_PER_USEC	1000L
#define NSEC_PER_SEC	1000000000L
#define NSEC_PER_MSEC	1000000L

#endif
