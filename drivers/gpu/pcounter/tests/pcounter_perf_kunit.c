// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU through perf's own interface: kernel counters on a modelled GPU.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "device.h"
#include "hw/regs.h"
#include "pcounter_perf_test.h"
#include "perf/glue.h"
#include "perf/types.h"

static const struct pcounter_fake_chip perf_chips[] = {
	{ 0x40, "nv40" }, { 0x50, "g80" }, { 0x84, "g84" },
	{ 0x92, "g92" }, { 0xa3, "gt215" },
};

KUNIT_ARRAY_PARAM(perf, perf_chips, pcounter_fake_describe);

static void event_counts_exactly(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *sig, *clk;
	u64 from, cycles;

	sig = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(sig));
	from = pcmodel_cycle(t->fake->model, DOM);
	pcmodel_run(t->fake->model, 10007);
	clk = open_event(t, DOM, CLK);
	KUNIT_ASSERT_FALSE(test, IS_ERR(clk));
	pcmodel_run(t->fake->model, 5003);
	cycles = pcmodel_cycle(t->fake->model, DOM) - from;
	KUNIT_EXPECT_EQ(test, read_event(sig),
			pcounter_fake_count(test, DOM, SIG, from, from + cycles));
	KUNIT_EXPECT_EQ(test, read_event(clk), 5003);
	perf_event_disable(sig);
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(sig),
			pcounter_fake_count(test, DOM, SIG, from, from + cycles));
	KUNIT_EXPECT_EQ(test, read_event(clk), 6003);
	perf_event_release_kernel(sig);
	perf_event_release_kernel(clk);
}

/* perf can leave an event outside of its leader's list; a walk must end nevertheless. */
static void ends_outside_of_its_group(struct kunit *test)
{
	struct perf_event *event = kunit_kcalloc(test, 2, sizeof(*event), GFP_KERNEL);
	struct perf_event *leader = event, *member = event + 1;

	KUNIT_ASSERT_NOT_NULL(test, event);
	INIT_LIST_HEAD(&leader->sibling_list);
	INIT_LIST_HEAD(&member->sibling_list);
	leader->group_leader = leader;
	member->group_leader = leader;
	KUNIT_EXPECT_NULL(test, pcounter_next_member(leader));
	KUNIT_EXPECT_NULL(test, pcounter_next_member(member));
	list_add_tail(&member->sibling_list, &leader->sibling_list);
	KUNIT_EXPECT_PTR_EQ(test, pcounter_next_member(leader), member);
	KUNIT_EXPECT_NULL(test, pcounter_next_member(member));
}

static unsigned int drains;

static void count_drain(struct pcounter_base *base, enum pcounter_drain why)
{
	drains++;
}

/* Without a sampling event no callback uses record mode, not even to check it. */
static void reading_drains_nothing(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct pcounter_backend ops = *t->ppmu->base.ops;
	struct perf_event *event;

	drains = 0;
	ops.drain = count_drain;
	t->ppmu->base.ops = &ops;
	event = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	pcmodel_run(t->fake->model, 100);
	KUNIT_EXPECT_EQ(test, read_event(event), 30);
	perf_event_disable(event);
	perf_event_release_kernel(event);
	pcounter_device_remove(t->ppmu, true);
	t->ppmu = NULL;
	KUNIT_EXPECT_EQ(test, drains, 0);
}

static void two_clients_do_not_see_each_other(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *a, *b;
	unsigned int i;
	u64 from;

	a = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(a));
	from = pcmodel_cycle(t->fake->model, DOM);
	for (i = 0; i < 20; i++) {
		pcmodel_run(t->fake->model, 999);
		b = open_event(t, config_of(DOM, SIG), 0);
		KUNIT_ASSERT_FALSE(test, IS_ERR(b));
		pcmodel_run(t->fake->model, 100);
		KUNIT_EXPECT_EQ(test, read_event(b), 30);
		perf_event_release_kernel(b);
	}
	KUNIT_EXPECT_EQ(test, read_event(a),
			pcounter_fake_count(test, DOM, SIG, from,
					    pcmodel_cycle(t->fake->model, DOM)));
	perf_event_release_kernel(a);
}

/* Let an event have its turn, and return its count. PRE and START take two clocks. */
static u64 have_turn(struct perf_test *t, struct perf_event *event, unsigned int clocks)
{
	u64 count;

	perf_event_enable(event);
	pcmodel_run(t->fake->model, clocks);
	count = read_event(event);
	perf_event_disable(event);
	return count;
}

/* Each turn of a process begins at 0. perf resets the count of an event by itself. */
static void processes_only_grow(struct kunit *test)
{
	const struct perf_event_attr attr = {
		.config = config_of(DOM, SIG + 1), .config1 = PROCESS, .disabled = 1,
	};
	struct perf_test *t = perf_test_start(test);
	struct perf_event *a = open_attr(t, attr), *b = open_attr(t, attr);

	KUNIT_ASSERT_FALSE(test, IS_ERR(a) || IS_ERR(b));
	KUNIT_EXPECT_EQ(test, have_turn(t, a, 1002), 1000);
	KUNIT_EXPECT_EQ(test, have_turn(t, b, 52), 50);
	KUNIT_EXPECT_EQ(test, have_turn(t, a, 102), 1100);
	KUNIT_EXPECT_EQ(test, have_turn(t, b, 502), 550);
	/* without a turn of another process it goes on, but does not count while it is disabled */
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, have_turn(t, b, 50), 600);
	local64_set(&b->count, 0);
	KUNIT_EXPECT_EQ(test, read_event(b), 0);
	KUNIT_EXPECT_EQ(test, have_turn(t, b, 10), 10);
	perf_event_release_kernel(a);
	perf_event_release_kernel(b);
}

/* perf does not touch a pinned event when another event joins its counter. */
static void joining_a_pinned_event(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *a, *b;

	a = open_attr(t, (struct perf_event_attr){
				.config = config_of(DOM, SIG), .pinned = 1 });
	KUNIT_ASSERT_FALSE(test, IS_ERR(a));
	pcmodel_run(t->fake->model, 1000);
	b = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(b));
	pcmodel_run(t->fake->model, 100);
	KUNIT_EXPECT_EQ(test, read_event(b), 30);
	KUNIT_EXPECT_EQ(test, read_event(a), 330);
	perf_event_release_kernel(b);
	perf_event_release_kernel(a);
}

static void refusals(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event_attr attr = {
		.type = t->ppmu->base.pmu.type, .size = sizeof(attr), .config = DOM,
		.sample_period = 1000,
	};
	const size_t known = offsetofend(struct perf_event_attr, sig_data);
	unsigned int i;

	/* perf record of 6.12 tries with and without this bit, as long as the error changes */
	for (i = 0; i < 2; i++) {
		attr.exclude_guest = i;
		KUNIT_EXPECT_EQ(test, PTR_ERR(open_attr(t, attr)), -EOPNOTSUPP);
	}
	attr.sample_period = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR(open_attr(t, attr)), -EINVAL);
	attr.exclude_guest = 0;
	/* a word that kernels after 6.1 have added */
	if (sizeof(attr) > known) {
		memset((u8 *)&attr + known, 1, 1);
		KUNIT_EXPECT_EQ(test, PTR_ERR(open_attr(t, attr)), -EINVAL);
	}
	/* a refused event leaves no trace */
	KUNIT_EXPECT_TRUE(test, list_empty(&t->ppmu->base.events));
	KUNIT_EXPECT_EQ(test, kref_read(&t->ppmu->base.kref), 1);
	KUNIT_EXPECT_EQ(test, t->fake->model->reads + t->fake->model->writes, 0);
}

/* An interrupt starts and stops timers, not perf's callbacks. */
static void idle_has_no_timer(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *event;

	KUNIT_EXPECT_FALSE(test, has_timer(t));
	event = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_TRUE(test, has_timer(t));
	perf_event_disable(event);
	KUNIT_EXPECT_FALSE(test, has_timer(t));
	perf_event_enable(event);
	KUNIT_EXPECT_TRUE(test, has_timer(t));
	perf_event_release_kernel(event);
	KUNIT_EXPECT_FALSE(test, has_timer(t));
}

/**
 * struct watched - the owner's power management of a GPU that may sleep
 * @ops: the GPU's access functions with it
 * @refs: references that the driver has
 * @refuses: it gives no reference
 */
static struct watched {
	struct pcounter_io_ops ops;
	atomic_t refs;
	bool refuses;
} watched;

static bool watched_get(struct pcounter_io *io)
{
	if (READ_ONCE(watched.refuses))
		return false;
	atomic_inc(&watched.refs);
	return true;
}

static void watched_put(struct pcounter_io *io)
{
	atomic_dec(&watched.refs);
}

static bool watched_unused(struct pcounter_io *io)
{
	return false;
}

static struct perf_test *watched_start(struct kunit *test)
{
	struct pcounter_fake *fake = test->priv;

	memset(&watched, 0, sizeof(watched));
	watched.ops = *fake->io.ops;
	watched.ops.get = watched_get;
	watched.ops.put = watched_put;
	watched.ops.put_sync = watched_put;
	watched.ops.unused = watched_unused;
	fake->io.ops = &watched.ops;
	return perf_test_start(test);
}

/* The watch of a GPU that may sleep ends soon after the last event is closed. */
static void idle_has_no_watch(struct kunit *test)
{
	struct perf_test *t = watched_start(test);
	struct perf_event *event[2];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(event); i++) {
		KUNIT_EXPECT_EQ(test, !!work_busy(&t->ppmu->lease.watch.work), !!i);
		event[i] = open_event(t, config_of(DOM, SIG), 0);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event[i]));
		/* all events share one reference */
		KUNIT_EXPECT_EQ(test, atomic_read(&watched.refs), 1);
	}
	perf_event_release_kernel(event[0]);
	KUNIT_EXPECT_TRUE(test, work_busy(&t->ppmu->lease.watch.work));
	KUNIT_EXPECT_EQ(test, atomic_read(&watched.refs), 1);
	perf_event_release_kernel(event[1]);
	KUNIT_EXPECT_EQ(test, atomic_read(&watched.refs), 0);
	/* the pending watch finds no lease, and ends */
	flush_delayed_work(&t->ppmu->lease.watch);
	KUNIT_EXPECT_FALSE(test, work_busy(&t->ppmu->lease.watch.work));
	pcounter_device_remove(t->ppmu, true);
	t->ppmu = NULL;
	KUNIT_EXPECT_EQ(test, atomic_read(&watched.refs), 0);
}

/*
 * An event gets its reference when it is opened: no time is lost between its enabling and
 * the interrupt that could get one.
 */
static void counts_from_its_enabling(struct kunit *test)
{
	struct perf_test *t = watched_start(test);
	struct perf_event *event;

	event = open_attr(t, (struct perf_event_attr){
				.config = config_of(DOM, SIG), .disabled = 1 });
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	WRITE_ONCE(watched.refuses, true);
	perf_event_enable(event);
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(event), 300);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, atomic_read(&watched.refs), 0);
}

/* Let perf reschedule all events of the CPU, for one that counts nothing. */
static struct perf_event *open_dummy(struct perf_test *t)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr), .pinned = 1,
	};

	return perf_event_create_kernel_counter(&attr, t->ppmu->base.cpu, NULL, NULL, NULL);
}

/*
 * The GPU loses its registers while events leave and come back at once: an
 * event must not get the entry of another event that has not been credited yet.
 */
static void forgotten_while_leaving(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *event[3], *other;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(event); i++) {
		event[i] = open_event(t, config_of(DOM, SIG + i), 0);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event[i]));
	}
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(event[0]), 300);
	t->fake->io.losses++;
	other = open_dummy(t);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	for (i = 0; i < ARRAY_SIZE(event); i++)
		KUNIT_EXPECT_LE(test, read_event(event[i]), 1000);
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(event[0]), 600);
	perf_event_release_kernel(other);
	for (i = 0; i < ARRAY_SIZE(event); i++)
		perf_event_release_kernel(event[i]);
}

/* Wait until the interrupt and the work item have reported to perf. */
static void wait_idle(struct perf_test *t)
{
	irq_work_sync(&t->ppmu->base.kick);
	flush_work(&t->ppmu->base.work);
}

/* A BPF program reads in a section that holds the lock. */
static void read_in_vain(void *event)
{
	raw_spinlock_t *lock = to_pcounter_event(event)->base->lock;

	guard(raw_spinlock)(lock);
	to_pcounter_event(event)->base->pmu.read(event);
}

/*
 * A read that finds the lock taken reports the older count with the time until then. If the
 * counts of this time turn out to be lost, the time that was reported stays.
 */
static void reported_time_stays(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	u64 enabled, before, after, reported;
	struct perf_event *event;

	event = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	irq_work_sync(&t->ppmu->base.kick);
	hrtimer_cancel(&t->ppmu->base.timer);
	pcmodel_run(t->fake->model, 1000);
	reported = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_EQ(test, perf_event_read_value(event, &enabled, &before), 300);
	msleep(20);
	pcmodel_run(t->fake->model, 1000);
	smp_call_function_single(t->ppmu->base.cpu, read_in_vain, event, true);
	reported = ktime_get_mono_fast_ns() - reported;
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 300);
	pcounter_fake_command(test, "fault dead 1");
	KUNIT_EXPECT_EQ(test, perf_event_read_value(event, &enabled, &after), 300);
	KUNIT_EXPECT_GT(test, after - before, reported / 2);
	perf_event_release_kernel(event);
}

/* A domain that cannot count does not stop the other domains of its PMU. */
static void faulty_event_blocks_no_other(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *faulty, *good;
	u64 enabled, running;

	faulty = open_event(t, config_of(DOM, SIG), 0);
	good = open_event(t, config_of(DOM + 1, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(faulty) || IS_ERR(good));
	pcmodel_run(t->fake->model, 1000);
	pcmodel_wr32(t->fake->model, fake_reg(PCOUNTER_REG_CTRL, DOM), 0);
	read_event(faulty);
	wait_idle(t);
	KUNIT_EXPECT_EQ(test, READ_ONCE(faulty->state), PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_EQ(test, READ_ONCE(good->state), PERF_EVENT_STATE_ACTIVE);
	/* the same after perf has removed and added all events */
	perf_event_disable(faulty);
	perf_event_enable(faulty);
	KUNIT_EXPECT_EQ(test, READ_ONCE(good->state), PERF_EVENT_STATE_ACTIVE);
	perf_event_read_value(good, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, running);
	perf_event_release_kernel(faulty);
	perf_event_release_kernel(good);
}

/* perf reschedules all events when another event comes, which costs no access. */
static void coming_back_costs_nothing(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *sig, *clk, *other;
	u64 accesses;

	sig = open_event(t, config_of(DOM, SIG), 0);
	clk = open_event(t, config_of(DOM, SIG + 1), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(sig) || IS_ERR(clk));
	accesses = t->fake->model->reads + t->fake->model->writes;
	other = open_dummy(t);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	perf_event_disable(other);
	perf_event_enable(other);
	KUNIT_EXPECT_EQ(test, t->fake->model->reads + t->fake->model->writes, accesses);
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(sig), 300);
	perf_event_release_kernel(other);
	perf_event_release_kernel(sig);
	perf_event_release_kernel(clk);
}

static struct kunit_case perf_cases[] = {
	KUNIT_CASE_PARAM(event_counts_exactly, perf_gen_params),
	KUNIT_CASE_PARAM(two_clients_do_not_see_each_other, perf_gen_params),
	KUNIT_CASE(processes_only_grow),
	KUNIT_CASE_PARAM(joining_a_pinned_event, perf_gen_params),
	KUNIT_CASE(ends_outside_of_its_group),
	KUNIT_CASE(reading_drains_nothing),
	KUNIT_CASE(refusals),
	KUNIT_CASE(idle_has_no_timer),
	KUNIT_CASE(idle_has_no_watch),
	KUNIT_CASE(counts_from_its_enabling),
	KUNIT_CASE_PARAM(reported_time_stays, perf_gen_params),
	KUNIT_CASE_PARAM(faulty_event_blocks_no_other, perf_gen_params),
	KUNIT_CASE_PARAM(coming_back_costs_nothing, perf_gen_params),
	KUNIT_CASE_PARAM(forgotten_while_leaving, perf_gen_params),
	{}
};

static struct kunit_suite perf_suite = {
	.name = "pcounter_perf",
	.init = perf_init,
	.test_cases = perf_cases,
};

kunit_test_suite(perf_suite);

MODULE_LICENSE("GPL");
