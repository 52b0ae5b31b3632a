/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_DELAY_H
#define _SHIM_LINUX_DELAY_H

/* What others do while somebody sleeps. */
#pragma weak shim_asleep
void (*shim_asleep)(void);

/* The model has its own time. */
#define udelay(us)		((void)(us))

static inline void usleep_range(unsigned long min, unsigned long max)
{
	if (shim_asleep)
		shim_asleep();
}

#endif
