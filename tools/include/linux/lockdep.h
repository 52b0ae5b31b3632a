/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name: nothing is watched. */
#ifndef _SHIM_LINUX_LOCKDEP_H
#define _SHIM_LINUX_LOCKDEP_H

struct lockdep_map {
	int type;
};

#define LD_WAIT_CONFIG	0

#define DEFINE_WAIT_OVERRIDE_MAP(_name, _type) \
	struct lockdep_map _name = { .type = (_type) }

static inline void lock_map_acquire_try(struct lockdep_map *map)
{
}

static inline void lock_map_release(struct lockdep_map *map)
{
}

#endif
