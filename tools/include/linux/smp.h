/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name: there is one CPU. */
#ifndef _SHIM_LINUX_SMP_H
#define _SHIM_LINUX_SMP_H

#define raw_smp_processor_id()	0

#endif
