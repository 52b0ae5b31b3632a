/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A registered PMU on a modelled GPU, and its events as kernel counters.
 */
#ifndef _PCOUNTER_PERF_TEST_H
#define _PCOUNTER_PERF_TEST_H

#include <kunit/device.h>
#include <linux/perf_event.h>

#include "device.h"
#include "pcounter_fake.h"
#include "perf/types.h"

#define DOM	1
#define SIG	0x20
#define CLK	BIT(14)
#define PROCESS	(BIT(16) | BIT(10))	/* single,event */

/**
 * struct perf_test - a registered PMU
 * @fake: its GPU
 * @dev: the device that represents the card
 * @ppmu: the PMU, NULL once removed
 */
struct perf_test {
	struct pcounter_fake *fake;
	struct device *dev;
	struct pcounter_pmu *ppmu;
};

static inline struct perf_event *open_attr(struct perf_test *t, struct perf_event_attr attr)
{
	attr.type = t->ppmu->base.pmu.type;
	attr.size = sizeof(attr);
	return perf_event_create_kernel_counter(&attr, t->ppmu->base.cpu, NULL, NULL,
						NULL);
}

static inline struct perf_event *open_event(struct perf_test *t, u64 config, u64 config1)
{
	return open_attr(t, (struct perf_event_attr){
				.config = config, .config1 = config1 });
}

static inline u64 read_event(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static inline u64 config_of(unsigned int dom, unsigned int sig)
{
	return dom | (u64)sig << 16;
}

static inline void perf_test_remove(void *data)
{
	struct perf_test *t = data;

	if (t->ppmu)
		pcounter_device_remove(t->ppmu, true);
}

/* Make the test's GPU a device, which perf_test_begin() registers. */
static inline struct perf_test *perf_test_new(struct kunit *test)
{
	struct perf_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->fake = test->priv;
	t->dev = kunit_device_register(test, "pcounter-fake");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->dev);
	return t;
}

static inline struct perf_test *perf_test_begin(struct kunit *test, struct perf_test *t)
{
	t->ppmu = pcounter_device_create(t->dev, THIS_MODULE,
					 t->fake->gpu.chip->chipset, &t->fake->io);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->ppmu);
	pcounter_fake_lock_runqueue(t->ppmu);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, perf_test_remove, t));
	return t;
}

static inline struct perf_test *perf_test_start(struct kunit *test)
{
	return perf_test_begin(test, perf_test_new(test));
}

static inline int perf_init(struct kunit *test)
{
	const struct pcounter_fake_chip *chip = test->param_value;

	pcounter_fake_create_chip(test, chip ? chip->chipset : 0x84);
	pcounter_fake_command(test, "signal 1 0x20 duty 30/100");
	pcounter_fake_command(test, "signal 1 0x21 const 1");
	return 0;
}

static inline bool has_timer(struct perf_test *t)
{
	irq_work_sync(&t->ppmu->base.kick);
	return hrtimer_active(&t->ppmu->base.timer);
}

#endif
