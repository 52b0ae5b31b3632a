/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that depends on kernel versions. The Makefile defines
 * PCOUNTER_HAVE_* for each probe of compat_probe.c that compiles; the code
 * never compares version numbers.
 */
#ifndef _PCOUNTER_COMPAT_H
#define _PCOUNTER_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pm_runtime.h>
#include <linux/refcount.h>
#include <linux/stddef.h>
#include <linux/string.h>

/* Outside of a kernel tree, Kconfig does not read the driver's Kconfig file. */
#ifdef CONFIG_PREEMPT_RT
#error "pcounter: not for PREEMPT_RT: locks that sleep are taken where perf allows none"
#endif
#ifndef CONFIG_PERF_EVENTS
#error "pcounter: wants a kernel with PERF_EVENTS: perf is its only interface"
#endif
/* perf_tp_event() delivers the samples. */
#ifndef CONFIG_EVENT_TRACING
#error "pcounter: wants a kernel with EVENT_TRACING: samples are delivered by perf_tp_event()"
#endif
/*
 * Without this option synchronize_rcu_tasks() is synchronize_rcu(), which does
 * not wait for preempted tasks.
 */
#if defined(CONFIG_PREEMPTION) && !defined(CONFIG_TASKS_RCU)
#error "pcounter: wants a kernel with TASKS_RCU: a preempted task may be in a PMU that is freed"
#endif

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

/* 6.9 removed the second argument. */
static inline int pcounter_pm_get_if_active(struct device *dev)
{
#ifdef PCOUNTER_HAVE_PM_GET_IF_ACTIVE_DEV
	return pm_runtime_get_if_active(dev);
#else
	return pm_runtime_get_if_active(dev, true);
#endif
}

/* Check words of an event that were added after sig_data, and that no term uses. */
static inline bool pcounter_attr_has_more(const struct perf_event_attr *attr)
{
	size_t known = offsetofend(struct perf_event_attr, sig_data);

	return memchr_inv((const u8 *)attr + known, 0, sizeof(*attr) - known);
}

/*
 * 6.13 changed the namespace of symbols to a string. This namespace is for the
 * laboratory.
 */
#ifdef PCOUNTER_HAVE_NAMESPACE_WORD
#define PCOUNTER_NAMESPACE	PCOUNTER
#else
#define PCOUNTER_NAMESPACE	"PCOUNTER"
#endif

/* Since 6.7 a PMU can link to the device it counts for. */
static inline void pcounter_compat_set_parent(struct pmu *pmu, struct device *parent)
{
#ifdef PCOUNTER_HAVE_PMU_PARENT
	pmu->parent = parent;
#endif
}

/*
 * "perf: Rework event_init checks" of August 2025, which no kernel has yet, lets a PMU say
 * that it has samples, by the bit that says the opposite until then.
 */
#ifdef PCOUNTER_HAVE_PMU_CAP_SAMPLING
#define PERF_PMU_CAP_NO_INTERRUPT	0
#else
#define PERF_PMU_CAP_SAMPLING		0
#endif

/*
 * The place of a PMU's timers and of its context of a CPU: 6.2 renamed the
 * structure, later kernels point to it. PCOUNTER_CONTEXT_OWN: references of a
 * context that belong to no event.
 */
#if defined(PCOUNTER_HAVE_CPU_PMU_CONTEXT)
#define pcounter_compat_pmu_on_cpu(pmu, cpu)	per_cpu_ptr((pmu)->cpu_pmu_context, cpu)
#define PCOUNTER_CONTEXT_OWN			0
#elif defined(PCOUNTER_HAVE_CPU_PMU_CONTEXT_PTR)
#define pcounter_compat_pmu_on_cpu(pmu, cpu)	(*per_cpu_ptr((pmu)->cpu_pmu_context, cpu))
#define PCOUNTER_CONTEXT_OWN			1
#elif defined(PCOUNTER_HAVE_PMU_CPU_CONTEXT)
#define pcounter_compat_pmu_on_cpu(pmu, cpu)	per_cpu_ptr((pmu)->pmu_cpu_context, cpu)
#define PCOUNTER_CONTEXT_OWN			1
#else
#error "pcounter: where does this kernel have the timers that rotate a PMU's events?"
#endif

/* Return the number of events, of any PMU, that refer to a PMU's context of a CPU. */
static inline int pcounter_compat_events(const struct pmu *pmu, int cpu)
{
#if defined(PCOUNTER_HAVE_PMU_CPU_CONTEXT)
	return refcount_read(&pcounter_compat_pmu_on_cpu(pmu, cpu)->ctx.refcount) -
	       PCOUNTER_CONTEXT_OWN;
#else
	struct perf_event_pmu_context *epc = &pcounter_compat_pmu_on_cpu(pmu, cpu)->epc;

	return READ_ONCE(epc->ctx) ? atomic_read(&epc->refcount) - PCOUNTER_CONTEXT_OWN : 0;
#endif
}

#endif
