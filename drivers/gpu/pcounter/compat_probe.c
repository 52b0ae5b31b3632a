// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the kernel: the Makefile compiles this file once, and defines each
 * PCOUNTER_HAVE_* whose line causes no error. The result is not linked.
 */
#include <linux/build_bug.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/pm_runtime.h>

static struct pmu *pmu __maybe_unused;

#line 1 "PCOUNTER_HAVE_HRTIMER_SETUP"
static_assert(__same_type(hrtimer_setup, hrtimer_setup));

#line 1 "PCOUNTER_HAVE_NAMESPACE_WORD"
MODULE_IMPORT_NS(PCOUNTER);

#line 1 "PCOUNTER_HAVE_PMU_PARENT"
static_assert(sizeof(pmu->parent));

#line 1 "PCOUNTER_HAVE_PMU_CAP_SAMPLING"
static_assert(PERF_PMU_CAP_SAMPLING);

#line 1 "PCOUNTER_HAVE_PM_GET_IF_ACTIVE_DEV"
static_assert(sizeof(pm_runtime_get_if_active(NULL)));

#line 1 "PCOUNTER_HAVE_CPU_PMU_CONTEXT"
static_assert(sizeof(pmu->cpu_pmu_context->hrtimer));

#line 1 "PCOUNTER_HAVE_CPU_PMU_CONTEXT_PTR"
static_assert(sizeof((*pmu->cpu_pmu_context)->hrtimer));

#line 1 "PCOUNTER_HAVE_PMU_CPU_CONTEXT"
static_assert(sizeof(pmu->pmu_cpu_context->hrtimer));
