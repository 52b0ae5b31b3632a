// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU of a PMU: events move when it goes offline, and reschedules and interrupts on two
 * CPUs.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "pcounter_perf_test.h"
#include "perf/glue.h"
#include "perf/types.h"

/* Tracepoints of hrtimer_start() and hrtimer_try_to_cancel(). */
static struct tracepoint *timer_points[2];

/**
 * struct timer_changes - starts and stops of a PMU's timer by its interrupt
 * @base: the PMU
 * @all: number of changes
 * @unlocked: number of changes without the timer's lock
 */
struct timer_changes {
	struct pcounter_base *base;
	unsigned int all;
	unsigned int unlocked;
};

static void timer_points_find(struct tracepoint *point, void *unused)
{
	if (!strcmp(point->name, "hrtimer_start"))
		timer_points[0] = point;
	if (!strcmp(point->name, "hrtimer_cancel"))
		timer_points[1] = point;
}

/* hrtimer_start has another argument, the mode. */
static void timer_changes(void *data, struct hrtimer *timer)
{
	struct timer_changes *changes = data;

	if (timer != &changes->base->timer || !in_hardirq())
		return;
	changes->all++;
	changes->unlocked += !raw_spin_is_locked(&changes->base->timer_lock);
}

static void watch_timer(struct kunit *test, struct timer_changes *changes)
{
	unsigned int i;

	for_each_kernel_tracepoint(timer_points_find, NULL);
	for (i = 0; i < ARRAY_SIZE(timer_points); i++) {
		KUNIT_ASSERT_NOT_NULL(test, timer_points[i]);
		KUNIT_ASSERT_EQ(test, 0, tracepoint_probe_register(timer_points[i],
								   timer_changes, changes));
	}
}

static void unwatch_timer(struct timer_changes *changes)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(timer_points); i++)
		tracepoint_probe_unregister(timer_points[i], timer_changes, changes);
	tracepoint_synchronize_unregister();
}

/*
 * The interrupt may run on two CPUs: one that saw no event must not stop the timer that the
 * other has started for a new event. Only the lock keeps a look and its change together.
 */
static void the_lock_keeps_the_timer(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct timer_changes changes = { .base = &t->ppmu->base };
	struct perf_event *event;

	watch_timer(test, &changes);
	event = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_EXPECT_TRUE(test, has_timer(t));
	perf_event_release_kernel(event);
	KUNIT_EXPECT_FALSE(test, has_timer(t));
	unwatch_timer(&changes);
	KUNIT_EXPECT_GE(test, changes.all, 2);
	KUNIT_EXPECT_EQ(test, changes.unlocked, 0);
}

/* How long an interrupt stands still after the GPU has left; the removal takes less. */
#define STUCK_MS	100
#define STUCK_MOST_MS	10000

/**
 * struct stuck_get - an interrupt that stands still while it gets a reference to the GPU
 * @gpu: the GPU
 * @due: the next interrupt is
 * @begun: it is
 * @ended: it is not any more
 */
static struct stuck_get {
	const struct pcounter_gpu *gpu;
	bool due;
	bool begun;
	bool ended;
} stuck_get;

static bool get_stuck(struct pcounter_io *io)
{
	unsigned int ms;

	if (!in_hardirq() || !xchg(&stuck_get.due, false))
		return false;
	WRITE_ONCE(stuck_get.begun, true);
	for (ms = 0; ms < STUCK_MOST_MS && !READ_ONCE(stuck_get.gpu->gone); ms++)
		mdelay(1);
	mdelay(STUCK_MS);
	WRITE_ONCE(stuck_get.ended, true);
	return false;
}

static void kick_other(void *base)
{
	pcounter_base_kick(base);
}

/* Let the interrupt run on a CPU, where it stands still, and then on this one. */
static void kick_on_both(struct perf_test *t, int cpu)
{
	struct pcounter_base *base = &t->ppmu->base;
	unsigned int ms;

	t->ppmu->lease.tried = jiffies - HZ;
	WRITE_ONCE(stuck_get.due, true);
	smp_call_function_single(cpu, kick_other, base, true);
	for (ms = 0; ms < STUCK_MOST_MS && !READ_ONCE(stuck_get.begun); ms++)
		mdelay(1);
	pcounter_base_kick(base);
}

/*
 * After the removal no interrupt uses the GPU. When an irq_work ends, irq_work_sync() does
 * not wait for the same one on another CPU.
 */
static void interrupts_end_with_the_gpu(struct kunit *test)
{
	struct pcounter_fake *fake = test->priv;
	struct pcounter_io_ops ops = *fake->io.ops;
	struct perf_event *event;
	struct perf_test *t;
	int cpu, other;

	ops.get = get_stuck;
	fake->io.ops = &ops;
	t = perf_test_start(test);
	cpu = t->ppmu->base.cpu;
	other = cpumask_any_but(cpu_online_mask, cpu);
	KUNIT_ASSERT_LT(test, other, nr_cpu_ids);
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	stuck_get = (struct stuck_get){ .gpu = &t->ppmu->gpu };
	event = open_event(t, config_of(DOM, SIG), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	kick_on_both(t, other);
	KUNIT_EXPECT_TRUE(test, stuck_get.begun);
	KUNIT_EXPECT_FALSE(test, stuck_get.ended);
	pcounter_device_remove(t->ppmu, false);
	KUNIT_EXPECT_TRUE(test, stuck_get.ended);
	t->ppmu = NULL;
	perf_event_release_kernel(event);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* An event whose opening stops half-way, until its CPU has gone and come back if that can be. */
static struct slow_open {
	struct pmu *pmu;
	int (*init)(struct perf_event *event);
	struct completion begun;
	struct completion moved;
	struct work_struct work;
} slow_open;

static int slow_init(struct perf_event *event)
{
	int err = slow_open.init(event);

	if (!err && event->pmu == slow_open.pmu && !pcounter_glue_is_probe(event)) {
		complete(&slow_open.begun);
		wait_for_completion_timeout(&slow_open.moved, HZ / 5);
	}
	return err;
}

static void go_and_come(struct work_struct *work)
{
	int cpu = to_pcounter_base(slow_open.pmu)->cpu;

	wait_for_completion(&slow_open.begun);
	remove_cpu(cpu);
	add_cpu(cpu);
	complete(&slow_open.moved);
}

static struct perf_event *open_slowly(struct perf_test *t)
{
	struct pmu *pmu = &t->ppmu->base.pmu;
	struct perf_event *event;

	slow_open.pmu = pmu;
	slow_open.init = pmu->event_init;
	init_completion(&slow_open.begun);
	init_completion(&slow_open.moved);
	INIT_WORK(&slow_open.work, go_and_come);
	pmu->event_init = slow_init;
	queue_work(system_unbound_wq, &slow_open.work);
	event = open_event(t, config_of(DOM, SIG + 1), 0);
	flush_work(&slow_open.work);
	pmu->event_init = slow_open.init;
	return event;
}

/* perf moves only events that its context of the old CPU has: no other may be left there. */
static void opened_while_the_cpu_goes(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct perf_event *event, *other;
	int cpu = t->ppmu->base.cpu;

	KUNIT_ASSERT_GT(test, num_online_cpus(), 1);
	t->ppmu->base.cpu = cpumask_any_but(cpu_online_mask, 0);
	other = open_event(t, DOM, CLK);
	event = open_slowly(t);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event) || IS_ERR(other));
	KUNIT_EXPECT_EQ(test, READ_ONCE(event->cpu), t->ppmu->base.cpu);
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(event), 1000);
	KUNIT_EXPECT_TRUE(test, has_timer(t));
	perf_event_release_kernel(event);
	perf_event_release_kernel(other);
	t->ppmu->base.cpu = cpu;
}

/* Reschedule like perf: on the PMU's CPU, with interrupts off. */
static void begin_reschedule(void *data)
{
	struct perf_test *t = data;
	struct pmu *pmu = &t->ppmu->base.pmu;

	pmu->pmu_disable(pmu);
}

/* The rest of the commit has to wait. */
static void end_reschedule(void *data)
{
	struct perf_test *t = data;
	struct pmu *pmu = &t->ppmu->base.pmu;

	pmu->pmu_enable(pmu);
	pcmodel_run(t->fake->model, 1000);
}

static bool is_committed(struct perf_test *t)
{
	struct pcounter_gpu *gpu = &t->ppmu->gpu;
	unsigned long flags;
	bool done;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	done = !(gpu->want & PCOUNTER_WANT_COMMIT);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return done;
}

/* An event that shares a running counter begins with the other new events of its domain. */
static void begins_with_the_rest(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	const u64 configs[] = {
		config_of(0, SIG), config_of(DOM, SIG + 1), config_of(DOM, SIG + 2),
	};
	struct perf_event *old, *event[3];
	unsigned int i;

	pcounter_fake_command(test, "signal 1 0x22 const 1");
	old = open_event(t, config_of(DOM, SIG + 1), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(old));
	for (i = 0; i < ARRAY_SIZE(event); i++) {
		event[i] = open_attr(t, (struct perf_event_attr){
					.config = configs[i], .disabled = 1 });
		KUNIT_ASSERT_FALSE(test, IS_ERR(event[i]));
	}
	/* commit one domain at a time */
	t->ppmu->gpu.most_ns = 0;
	smp_call_function_single(t->ppmu->base.cpu, begin_reschedule, t, true);
	for (i = 0; i < ARRAY_SIZE(event); i++)
		perf_event_enable(event[i]);
	smp_call_function_single(t->ppmu->base.cpu, end_reschedule, t, true);
	/* the timer continues the commit on the PMU's CPU, later if that CPU is busy */
	for (i = 0; i < 1000 && !is_committed(t); i++)
		msleep(20);
	pcmodel_run(t->fake->model, 500);
	KUNIT_EXPECT_EQ(test, read_event(event[2]), 500);
	KUNIT_EXPECT_EQ(test, read_event(event[1]), 500);
	KUNIT_EXPECT_EQ(test, read_event(old), 1500);
	for (i = 0; i < ARRAY_SIZE(event); i++)
		perf_event_release_kernel(event[i]);
	perf_event_release_kernel(old);
}

/* An event that leaves one CPU, and another one that comes to the other CPU. */
struct move {
	struct perf_event *old;
	struct perf_event *new;
	int err;
};

static void leave_old_cpu(void *data)
{
	struct move *move = data;
	struct pmu *pmu = move->old->pmu;

	pmu->pmu_disable(pmu);
	pmu->del(move->old, PERF_EF_UPDATE);
}

static void come_to_new_cpu(void *data)
{
	struct move *move = data;
	struct pmu *pmu = move->new->pmu;

	pmu->pmu_disable(pmu);
	move->err = pmu->add(move->new, PERF_EF_START);
	if (!move->err)
		pmu->del(move->new, PERF_EF_UPDATE);
	pmu->pmu_enable(pmu);
}

static void return_to_old_cpu(void *data)
{
	struct move *move = data;
	struct pmu *pmu = move->old->pmu;

	pmu->add(move->old, PERF_EF_START);
	pmu->pmu_enable(pmu);
}

/* What an event has left on its CPU until the commit must not be handled on another one. */
static void waits_for_the_other_cpu(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	int cpu = t->ppmu->base.cpu, other = cpumask_any_but(cpu_online_mask, cpu);
	struct move move = {
		.old = open_event(t, config_of(DOM, 0x21), 0),
		.new = open_attr(t, (struct perf_event_attr){
					.config = config_of(DOM, 0x22), .disabled = 1 }),
	};

	KUNIT_ASSERT_FALSE(test, IS_ERR(move.old) || IS_ERR(move.new));
	KUNIT_ASSERT_LT(test, other, nr_cpu_ids);
	smp_call_function_single(cpu, leave_old_cpu, &move, true);
	smp_call_function_single(other, come_to_new_cpu, &move, true);
	smp_call_function_single(cpu, return_to_old_cpu, &move, true);
	KUNIT_EXPECT_EQ(test, move.err, -EAGAIN);
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(move.old), 1000);
	perf_event_release_kernel(move.new);
	perf_event_release_kernel(move.old);
}

static void begin_section(void *pmu)
{
	((struct pmu *)pmu)->pmu_disable(pmu);
}

static void end_section(void *pmu)
{
	((struct pmu *)pmu)->pmu_enable(pmu);
}

/* An event is closed while perf reschedules on another CPU: nothing of it may be left. */
static void closes_beside_the_other_cpu(struct kunit *test)
{
	struct perf_test *t = perf_test_start(test);
	struct pcounter_base *base = &t->ppmu->base;
	int other = cpumask_any_but(cpu_online_mask, base->cpu);
	struct perf_event *stays = open_event(t, config_of(DOM, 0x21), 0);
	struct perf_event *closed = open_event(t, config_of(DOM, SIG), 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(stays) || IS_ERR(closed));
	KUNIT_ASSERT_LT(test, other, nr_cpu_ids);
	smp_call_function_single(other, begin_section, &base->pmu, true);
	perf_event_disable(closed);
	KUNIT_EXPECT_TRUE(test, list_empty(&base->deferred));
	perf_event_release_kernel(closed);
	smp_call_function_single(other, end_section, &base->pmu, true);
	pcmodel_run(t->fake->model, 1000);
	KUNIT_EXPECT_EQ(test, read_event(stays), 1000);
	perf_event_release_kernel(stays);
}

static struct kunit_case cpu_cases[] = {
	KUNIT_CASE(the_lock_keeps_the_timer),
	KUNIT_CASE(interrupts_end_with_the_gpu),
	KUNIT_CASE(begins_with_the_rest),
	KUNIT_CASE(waits_for_the_other_cpu),
	KUNIT_CASE(closes_beside_the_other_cpu),
	KUNIT_CASE_SLOW(opened_while_the_cpu_goes),
	{}
};

static struct kunit_suite cpu_suite = {
	.name = "pcounter_cpu",
	.init = perf_init,
	.test_cases = cpu_cases,
};

kunit_test_suite(cpu_suite);

MODULE_LICENSE("GPL");
