// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the kernel: the Makefile compiles this file once, and defines each
 * PCOUNTER_HAVE_* whose lines cause no error. The result is not linked.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/pm_runtime.h>
#include <linux/sysfs.h>
#include <kunit/test.h>

#line 1 "PCOUNTER_HAVE_HRTIMER_SETUP"
void *hrtimer_setup_probe(void);
void *hrtimer_setup_probe(void)
{
	return hrtimer_setup;
}

#line 1 "PCOUNTER_HAVE_NAMESPACE_WORD"
MODULE_IMPORT_NS(PCOUNTER);

#line 1 "PCOUNTER_HAVE_PMU_PARENT"
void *pmu_parent_probe(struct pmu *pmu);
void *pmu_parent_probe(struct pmu *pmu)
{
	return pmu->parent;
}

#line 1 "PCOUNTER_HAVE_PM_GET_IF_ACTIVE_DEV"
int pm_get_if_active_probe(struct device *dev);
int pm_get_if_active_probe(struct device *dev)
{
	return pm_runtime_get_if_active(dev);
}

#line 1 "PCOUNTER_HAVE_CONST_BIN_ATTRIBUTE"
ssize_t bin_attribute_probe(const struct bin_attribute *attr);
ssize_t bin_attribute_probe(const struct bin_attribute *attr)
{
	return attr->read(NULL, NULL, attr, NULL, 0, 0);
}

#line 1 "PCOUNTER_HAVE_KUNIT_GENERATOR_TEST"
const void *generator_probe(struct kunit_case *test_case);
const void *generator_probe(struct kunit_case *test_case)
{
	return test_case->generate_params(NULL, NULL, NULL);
}

#line 1 "PCOUNTER_HAVE_CPU_PMU_CONTEXT"
void *cpu_pmu_context_probe(struct pmu *pmu);
void *cpu_pmu_context_probe(struct pmu *pmu)
{
	return &per_cpu_ptr(pmu->cpu_pmu_context, 0)->hrtimer;
}

#line 1 "PCOUNTER_HAVE_CPU_PMU_CONTEXT_PTR"
void *cpu_pmu_context_ptr_probe(struct pmu *pmu);
void *cpu_pmu_context_ptr_probe(struct pmu *pmu)
{
	return &(*per_cpu_ptr(pmu->cpu_pmu_context, 0))->hrtimer;
}

#line 1 "PCOUNTER_HAVE_PMU_CPU_CONTEXT"
void *pmu_cpu_context_probe(struct pmu *pmu);
void *pmu_cpu_context_probe(struct pmu *pmu)
{
	return &per_cpu_ptr(pmu->pmu_cpu_context, 0)->hrtimer;
}
