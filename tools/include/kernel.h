/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's headers of these names have more than the system's of the same names:
 * bits.h, types.h, kernel.h, string.h, swab.h and sched.h. The compiler reads this file
 * first.
 */
#ifndef _SHIM_KERNEL_H
#define _SHIM_KERNEL_H

/* As in the kernel: 64 bits are a long long, also on 64 bit PowerPC. */
#ifndef __SANE_USERSPACE_TYPES__
#define __SANE_USERSPACE_TYPES__
#endif
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/const.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

typedef u64 dma_addr_t;

#define S16_MIN			INT16_MIN
#define S16_MAX			INT16_MAX
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define S64_MIN			INT64_MIN
#define S64_MAX			INT64_MAX

#define BITS_PER_BYTE		8
#define BITS_PER_LONG		(__SIZEOF_LONG__ * BITS_PER_BYTE)
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP		__KERNEL_DIV_ROUND_UP
#define WARN_ON_ONCE(cond)	(cond)
#define swab32(x)		__builtin_bswap32(x)
#define cond_resched()		((void)0)

#define struct_group(name, ...) \
	union { struct { __VA_ARGS__ }; struct { __VA_ARGS__ } name; }

#define memset_startat(obj, v, member) ({				\
	typeof(obj) shim_obj = (obj);					\
	char *shim_at = (char *)shim_obj + offsetof(typeof(*shim_obj), member); \
	memset(shim_at, v, (char *)(shim_obj + 1) - shim_at);		\
})

__attribute((format(printf, 3, 4)))
static inline int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	if (len < (int)size)
		return len;
	return size ? size - 1 : 0;
}

#endif
