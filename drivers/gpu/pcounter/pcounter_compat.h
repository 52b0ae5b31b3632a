/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place where kernel versions differ. PCOUNTER_HAVE_* come from
 * compile probes in the Makefile, not from version numbers.
 */
#ifndef _PCOUNTER_COMPAT_H
#define _PCOUNTER_COMPAT_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
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

/*
 * perf_pmu_unregister() frees the timers that rotate a PMU's events without
 * stopping them (seen on 6.12.117: a crash within a rotation interval). With all
 * events closed nothing starts them again. 6.2 renamed their structure.
 */
static inline void pcounter_pmu_stop_rotation(struct pmu *pmu)
{
	int cpu __maybe_unused;

#if defined(PCOUNTER_HAVE_CPU_PMU_CONTEXT)
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->cpu_pmu_context, cpu)->hrtimer);
#elif defined(PCOUNTER_HAVE_PMU_CPU_CONTEXT)
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->pmu_cpu_context, cpu)->hrtimer);
#endif
}

#endif
