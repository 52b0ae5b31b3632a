/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place where kernel versions differ. PCOUNTER_HAVE_* come from
 * compile probes in the Makefile, not from version numbers.
 */
#ifndef _PCOUNTER_COMPAT_H
#define _PCOUNTER_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

/* 6.15 removed hrtimer_init(). */
#ifndef PCOUNTER_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/* Since 6.7 a PMU can link to the device it counts for. */
static inline void pcounter_pmu_set_parent(struct pmu *pmu, struct device *parent)
{
#ifdef PCOUNTER_HAVE_PMU_PARENT
	pmu->parent = parent;
#endif
}

#endif
