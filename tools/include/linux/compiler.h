/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H

#include <endian.h>
#include <linux/types.h>

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), val, __ATOMIC_RELAXED)
#define cpu_to_le32(x)		((__le32)htole32(x))
#define le32_to_cpu(x)		((u32)le32toh(x))
#define cpu_to_le64(x)		((__le64)htole64(x))
#define le64_to_cpu(x)		((u64)le64toh(x))
#define dma_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)

/* for sparse */
#define __acquires(...)
#define __releases(...)

#endif
