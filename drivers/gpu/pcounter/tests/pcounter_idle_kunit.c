// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle counters through perf's own interface, on a modelled PDAEMON.
 */
#include <kunit/device.h>
#include <linux/delay.h>
#include <linux/perf_event.h>

#include "device.h"
#include "pcounter_fake.h"
#include "perf/types.h"

#define GR		BIT_ULL(0)
#define PVLD		BIT_ULL(4)
#define BUSY		BIT_ULL(32)
#define TICKS		BIT_ULL(33)

/* hw:idle/registers */
#define IDLE_MASK(slot)	(0x10a504 + (slot) * 0x10)
#define IDLE_MODE(slot)	(0x10a50c + (slot) * 0x10)

/**
 * struct idle_test - a registered pair of PMUs
 * @fake: their GPU
 * @dev: the device that represents the card
 * @ppmu: PCOUNTER's PMU, NULL once removed
 * @ipmu: the PMU of the idle counters, as long as it has open events
 */
struct idle_test {
	struct pcounter_fake *fake;
	struct device *dev;
	struct pcounter_pmu *ppmu;
	struct pcounter_base *ipmu;
};

static const struct pcounter_fake_chip idle_chips[] = {
	{ 0xa3, "gt215" }, { 0xc0, "gf100" }, { 0xe4, "gk104" }, { 0x126, "gm206" },
};

static pcounter_generator(idle_params)
{
	const struct pcounter_fake_chip *chip = prev;

	chip = chip ? chip + 1 : idle_chips;
	if (chip == idle_chips + ARRAY_SIZE(idle_chips))
		return NULL;
	strscpy(desc, chip->name, KUNIT_PARAM_DESC_SIZE);
	return chip;
}

static struct perf_event *open_event(struct kunit *test, u64 config)
{
	struct idle_test *t = test->priv;
	struct perf_event_attr attr = {
		.type = t->ipmu->pmu.type, .size = sizeof(attr), .config = config,
	};

	return perf_event_create_kernel_counter(&attr, t->ipmu->cpu, NULL, NULL,
						NULL);
}

static struct perf_event *opened(struct kunit *test, u64 config)
{
	struct perf_event *event = open_event(test, config);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

static u64 read_event(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static void say(struct kunit *test, const char *line)
{
	struct idle_test *t = test->priv;
	char reply[80];

	KUNIT_ASSERT_EQ_MSG(test, 0, pcmodel_command(t->fake->model, line, reply,
						     sizeof(reply)),
			    "%s: %s", line, reply);
}

static void run(struct kunit *test, u64 cycles)
{
	struct idle_test *t = test->priv;

	pcmodel_run(t->fake->model, cycles);
}

static u32 reg(struct kunit *test, u32 addr)
{
	struct idle_test *t = test->priv;

	return pcmodel_rd32(t->fake->model, addr);
}

static void idle_test_remove(void *data)
{
	struct idle_test *t = data;

	if (t->ppmu)
		pcounter_device_remove(t->ppmu, true);
}

static int idle_init(struct kunit *test)
{
	const struct pcounter_fake_chip *chip = test->param_value ?: idle_chips;
	struct idle_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->fake = pcounter_fake_create_chip(test, chip->chipset);
	t->dev = kunit_device_register(test, "pcounter-fake");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->dev);
	t->ppmu = pcounter_device_create(t->dev, THIS_MODULE, chip->chipset, &t->fake->io);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->ppmu);
	pcounter_fake_lock_runqueue(t->ppmu);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, idle_test_remove, t));
	t->ipmu = &t->ppmu->idle;
	KUNIT_ASSERT_TRUE(test, t->ipmu->ready);
	test->priv = t;
	say(test, "idle signal 0 duty 30/100");
	say(test, "idle signal 4 duty 80/100");
	return 0;
}

static void shares_of_the_time_base(struct kunit *test)
{
	static const u64 config[] = { GR, GR | BUSY, GR | PVLD, TICKS };
	static const u64 count[] = { 300, 700, 300, 1000 };
	struct perf_event *event[ARRAY_SIZE(config)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(config); i++)
		event[i] = opened(test, config[i]);
	run(test, 1000);
	for (i = 0; i < ARRAY_SIZE(config); i++)
		KUNIT_EXPECT_EQ(test, read_event(event[i]), count[i]);
	for (i = 0; i < ARRAY_SIZE(config); i++)
		perf_event_release_kernel(event[i]);
}

/* The counter has 31 bits. One event joins late, and shares the counter. */
static void wraps(struct kunit *test)
{
	struct perf_event *first = opened(test, TICKS), *second;
	unsigned int i;

	say(test, "idle preset 0 0x7ffffe00");
	/* the preset itself is an impossible step */
	KUNIT_EXPECT_EQ(test, read_event(first), 0);
	perf_event_release_kernel(first);
	say(test, "idle preset 0 0x7ffffe00");
	first = opened(test, TICKS);
	run(test, 100);
	second = opened(test, TICKS);
	for (i = 0; i < 4; i++) {
		run(test, 0x90);
		KUNIT_EXPECT_EQ(test, read_event(first), 100 + (i + 1) * 0x90);
		KUNIT_EXPECT_EQ(test, read_event(second), (i + 1) * 0x90);
	}
	perf_event_release_kernel(second);
	perf_event_release_kernel(first);
}

static void restored_by_the_last_close(struct kunit *test)
{
	struct perf_event *a, *b;

	say(test, "idle foreign 1 0x10 2");
	a = opened(test, GR);
	b = opened(test, TICKS);
	KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(0)), 1);
	KUNIT_EXPECT_EQ(test, reg(test, IDLE_MASK(0)), 1);
	KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(2)), 3);
	perf_event_release_kernel(a);
	perf_event_release_kernel(b);
	KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(0)) | reg(test, IDLE_MASK(0)), 0);
	KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(2)) | reg(test, IDLE_MASK(2)), 0);
	KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(1)), 2);
	KUNIT_EXPECT_EQ(test, reg(test, IDLE_MASK(1)), 0x10);
}

/*
 * Wait until a work item has notified perf, which needs a mutex. The bound is
 * far above the needs of a busy machine.
 */
static bool becomes(struct perf_event *event, enum perf_event_state state)
{
	unsigned int i;

	for (i = 0; i < 1000 && READ_ONCE(event->state) != state; i++)
		msleep(20);
	return READ_ONCE(event->state) == state;
}

/* The event stays enabled, but is refused when perf adds its events again. */
static bool stopped(struct perf_event *event)
{
	return becomes(event, PERF_EVENT_STATE_INACTIVE);
}

static void stops_alone(struct kunit *test, const char *what)
{
	struct idle_test *t = test->priv;
	struct perf_event *gr = opened(test, GR), *pvld = opened(test, PVLD);

	run(test, 200);
	KUNIT_EXPECT_EQ(test, read_event(gr), 60);
	say(test, what);
	run(test, 100);
	KUNIT_EXPECT_EQ(test, read_event(gr), 60);
	KUNIT_EXPECT_TRUE(test, stopped(gr));
	KUNIT_EXPECT_EQ(test, read_event(pvld), 240);
	/* enabling it again neither starts it nor stops the other event */
	perf_event_disable(gr);
	perf_event_enable(gr);
	KUNIT_EXPECT_TRUE(test, stopped(gr));
	KUNIT_EXPECT_TRUE(test, becomes(pvld, PERF_EVENT_STATE_ACTIVE));
	run(test, 100);
	KUNIT_EXPECT_EQ(test, read_event(gr), 60);
	KUNIT_EXPECT_EQ(test, read_event(pvld), 320);
	perf_event_release_kernel(gr);
	perf_event_release_kernel(pvld);
	KUNIT_EXPECT_EQ(test, t->fake->model->idle.foreign_writes, 0);
}

static void foreign_at_run_time(struct kunit *test)
{
	stops_alone(test, "idle foreign 0 0x10 2");
}

static void cleared_by_somebody_else(struct kunit *test)
{
	stops_alone(test, "idle preset 0 0");
}

static void all_stop(struct kunit *test, const char *what, const char *after)
{
	struct perf_event *gr = opened(test, GR), *ticks = opened(test, TICKS);

	run(test, 200);
	KUNIT_EXPECT_EQ(test, read_event(gr), 60);
	KUNIT_EXPECT_EQ(test, read_event(ticks), 200);
	say(test, what);
	run(test, 100);
	KUNIT_EXPECT_EQ(test, read_event(gr), 60);
	KUNIT_EXPECT_EQ(test, read_event(ticks), 200);
	KUNIT_EXPECT_TRUE(test, stopped(gr));
	KUNIT_EXPECT_TRUE(test, stopped(ticks));
	perf_event_release_kernel(gr);
	perf_event_release_kernel(ticks);
	if (after)
		say(test, after);
	gr = opened(test, GR);
	run(test, 100);
	KUNIT_EXPECT_EQ(test, read_event(gr), 30);
	perf_event_release_kernel(gr);
}

static void pdaemon_reset(struct kunit *test)
{
	all_stop(test, "idle reset", NULL);
}

static void does_not_answer(struct kunit *test)
{
	all_stop(test, "fault dead 1", "fault none");
}

static void no_counter_free(struct kunit *test)
{
	struct idle_test *t = test->priv;
	struct perf_event *event[PCOUNTER_IDLE_SLOTS + 1];
	unsigned int i, nr = t->ppmu->gpu.idle.nr;

	for (i = 0; i <= nr; i++)
		event[i] = opened(test, BIT_ULL(i));
	/* count the added events until perf rotates; the model does not run here */
	for (i = 0; i <= nr; i++)
		perf_event_release_kernel(event[i]);
	KUNIT_EXPECT_EQ(test, t->fake->model->lint.bits + t->fake->model->lint.absent, 0);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(i)) | reg(test, IDLE_MASK(i)), 0);
}

static void refusals(struct kunit *test)
{
	static const struct {
		u64 config;
		int err;
	} bad[] = {
		{ 0, -EINVAL }, { BUSY, -EINVAL }, { GR | TICKS, -EINVAL },
		{ GR | PVLD | BUSY, -EOPNOTSUPP }, { GR | BUSY | TICKS, -EINVAL },
		{ GR | BIT_ULL(34), -EINVAL },
	};
	struct idle_test *t = test->priv;
	struct perf_event_attr attr = {
		.type = t->ipmu->pmu.type, .size = sizeof(attr), .config = GR,
		.sample_period = 1000, .exclude_guest = 1,
	};
	u64 before = t->fake->model->reads + t->fake->model->writes;
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, PTR_ERR(open_event(test, bad[i].config)),
				bad[i].err);
	event = perf_event_create_kernel_counter(&attr, t->ipmu->cpu, NULL, NULL, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(event), -EOPNOTSUPP);
	attr.sample_period = 0;
	attr.config = GR | PVLD | BUSY;
	event = perf_event_create_kernel_counter(&attr, t->ipmu->cpu, NULL, NULL, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(event), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, t->fake->model->reads + t->fake->model->writes, before);
}

/* Experiments use idle counters, too. */
static void not_beside_experiments(struct kunit *test)
{
	struct idle_test *t = test->priv;
	struct pcounter_gpu *gpu = &t->ppmu->gpu;
	struct perf_event *event = opened(test, GR);

	KUNIT_EXPECT_EQ(test, pcounter_gpu_lend(gpu), -EBUSY);
	perf_event_release_kernel(event);
	KUNIT_ASSERT_EQ(test, pcounter_gpu_lend(gpu), 0);
	event = open_event(test, GR);
	pcounter_gpu_reclaim(gpu);
	KUNIT_EXPECT_EQ(test, PTR_ERR(event), -EBUSY);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	perf_event_release_kernel(opened(test, GR));
}

static void gone_while_open(struct kunit *test)
{
	struct idle_test *t = test->priv;
	struct perf_event *event = opened(test, GR);
	u64 accesses;

	run(test, 1000);
	KUNIT_EXPECT_EQ(test, read_event(event), 300);
	pcounter_device_remove(t->ppmu, true);
	accesses = t->fake->model->reads + t->fake->model->writes;
	run(test, 1000);
	KUNIT_EXPECT_EQ(test, read_event(event), 300);
	KUNIT_EXPECT_EQ(test, PTR_ERR(open_event(test, GR)), -ENODEV);
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, read_event(event), 300);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, t->fake->model->reads + t->fake->model->writes, accesses);
	t->ppmu = NULL;
	/* both PMUs, and the number, are free again */
	t->ppmu = pcounter_device_create(t->dev, THIS_MODULE, t->fake->gpu.chip->chipset,
					 &t->fake->io);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->ppmu));
	KUNIT_EXPECT_TRUE(test, t->ppmu->idle.ready);
}

/* The kernel removes a card from its list, and finds it again. */
static void restored_when_it_leaves(struct kunit *test)
{
	struct idle_test *t = test->priv;
	unsigned int i, nr = t->ppmu->gpu.idle.nr;

	for (i = 0; i < 2; i++) {
		bool restore = i;
		struct perf_event *event = opened(test, GR);

		KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(0)), 1);
		pcounter_device_remove(t->ppmu, restore);
		KUNIT_EXPECT_EQ(test, reg(test, IDLE_MODE(0)), restore ? 0 : 1);
		KUNIT_EXPECT_EQ(test, reg(test, IDLE_MASK(0)), restore ? 0 : 1);
		perf_event_release_kernel(event);
		t->ppmu = NULL;
		if (!restore)
			say(test, "idle reset");
		t->ppmu = pcounter_device_create(t->dev, THIS_MODULE, t->fake->gpu.chip->chipset,
						 &t->fake->io);
		KUNIT_ASSERT_FALSE(test, IS_ERR(t->ppmu));
		t->ipmu = &t->ppmu->idle;
		KUNIT_ASSERT_TRUE(test, t->ipmu->ready);
		KUNIT_EXPECT_EQ(test, pcounter_idle_ours(&t->ppmu->gpu.idle), nr);
	}
}

static struct kunit_case idle_cases[] = {
	KUNIT_CASE_PARAM(shares_of_the_time_base, idle_params),
	KUNIT_CASE_PARAM(wraps, idle_params),
	KUNIT_CASE_PARAM(restored_by_the_last_close, idle_params),
	KUNIT_CASE_PARAM(foreign_at_run_time, idle_params),
	KUNIT_CASE(cleared_by_somebody_else),
	KUNIT_CASE_PARAM(pdaemon_reset, idle_params),
	KUNIT_CASE_PARAM(does_not_answer, idle_params),
	KUNIT_CASE_PARAM(no_counter_free, idle_params),
	KUNIT_CASE(refusals),
	KUNIT_CASE(not_beside_experiments),
	KUNIT_CASE_PARAM(gone_while_open, idle_params),
	KUNIT_CASE_PARAM(restored_when_it_leaves, idle_params),
	{}
};

static struct kunit_suite idle_suite = {
	.name = "pcounter_idle",
	.init = idle_init,
	.test_cases = idle_cases,
};

kunit_test_suite(idle_suite);

MODULE_LICENSE("GPL");
