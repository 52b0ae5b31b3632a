/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SCHED_H
#define _SHIM_LINUX_SCHED_H

#define cond_resched()		((void)0)

#endif
