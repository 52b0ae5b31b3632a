/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name: there is one thread. */
#ifndef _SHIM_LINUX_RCUPDATE_H
#define _SHIM_LINUX_RCUPDATE_H

static inline void synchronize_rcu(void)
{
}

#endif
