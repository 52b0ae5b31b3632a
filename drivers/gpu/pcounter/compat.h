/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place where kernel versions differ. PCOUNTER_HAVE_* is defined for each
 * probe of compat_probe.c that compiles; version numbers do not matter.
 */
#ifndef _PCOUNTER_COMPAT_H
#define _PCOUNTER_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pm_runtime.h>
#include <linux/refcount.h>
#include <linux/sysfs.h>

/* Outside of a kernel tree nobody reads our Kconfig. */
#ifdef CONFIG_PREEMPT_RT
#error "pcounter: not for PREEMPT_RT: locks that sleep are taken where perf allows none"
#endif
#ifndef CONFIG_PERF_EVENTS
#error "pcounter: wants a kernel with PERF_EVENTS: perf is its only interface"
#endif
/* Samples are delivered by perf_tp_event(). */
#ifndef CONFIG_EVENT_TRACING
#error "pcounter: wants a kernel with EVENT_TRACING: samples are delivered by perf_tp_event()"
#endif
/* Without, synchronize_rcu_tasks() is synchronize_rcu(), which preempted tasks pass. */
#if defined(CONFIG_PREEMPTION) && !defined(CONFIG_TASKS_RCU)
#error "pcounter: wants a kernel with TASKS_RCU: a preempted task may be in a PMU that is freed"
#endif

/* Since 6.18 the generator of a test's parameters gets the test. */
#ifdef PCOUNTER_HAVE_KUNIT_GENERATOR_TEST
#define pcounter_generator(name) \
	const void *(name)(struct kunit *test, const void *prev, char *desc)
#else
#define pcounter_generator(name) \
	const void *(name)(const void *prev, char *desc)
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

/* 6.9 took the second argument away. */
static inline int pcounter_pm_get_if_active(struct device *dev)
{
#ifdef PCOUNTER_HAVE_PM_GET_IF_ACTIVE_DEV
	return pm_runtime_get_if_active(dev);
#else
	return pm_runtime_get_if_active(dev, true);
#endif
}

/* Words of an event that came after config2, and that no term of ours uses. */
static inline bool pcounter_attr_has_more(const struct perf_event_attr *attr)
{
#ifdef PCOUNTER_HAVE_CONFIG4
	if (attr->config4)
		return true;
#endif
#ifdef PCOUNTER_HAVE_CONFIG3
	return attr->config3;
#else
	return false;
#endif
}

/* 6.13 made a string of the namespace of symbols: this one is the laboratory's. */
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

/* After 6.12 the attribute that a read function is given became constant. */
#ifdef PCOUNTER_HAVE_CONST_BIN_ATTRIBUTE
#define PCOUNTER_BIN_CONST	const
#else
#define PCOUNTER_BIN_CONST
#endif

/*
 * Where a PMU's timers and its context of a CPU are: 6.2 renamed the structure, later
 * kernels point to it. PCOUNTER_CONTEXT_OWN: references of a context that are no event's.
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

/* How many events, of whichever PMU, refer to a PMU's context of a CPU. */
static inline int pcounter_compat_events(struct pmu *pmu, int cpu)
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
