// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rotation at the wrong moment, for guest tests: whenever perf stops an event of a PMU,
 * it is deleted and added again at once, as perf's timer may do before the code that has
 * stopped the event continues.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

static unsigned int type;
module_param(type, uint, 0444);
MODULE_PARM_DESC(type, "perf's number of the PMU");
static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "The CPU of its events");

/* An event of the PMU, which keeps the PMU. */
static struct perf_event *rotate_event;
static void (*rotate_real_stop)(struct perf_event *event, int flags);

static void rotate_stop(struct perf_event *event, int flags)
{
	struct pmu *pmu = event->pmu;

	rotate_real_stop(event, flags);
	pmu->pmu_disable(pmu);
	pmu->del(event, PERF_EF_UPDATE);
	WARN_ON(pmu->add(event, PERF_EF_START));
	pmu->pmu_enable(pmu);
}

static int __init rotate_init(void)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.disabled = 1,
	};

	rotate_event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(rotate_event))
		return PTR_ERR(rotate_event);
	rotate_real_stop = rotate_event->pmu->stop;
	rotate_event->pmu->stop = rotate_stop;
	return 0;
}
module_init(rotate_init);

static void __exit rotate_exit(void)
{
	rotate_event->pmu->stop = rotate_real_stop;
	/* a call of rotate_stop() may be on its way */
	synchronize_rcu();
	perf_event_release_kernel(rotate_event);
}
module_exit(rotate_exit);

MODULE_DESCRIPTION("A rotation whenever perf stops an event, for tests");
MODULE_LICENSE("GPL");
