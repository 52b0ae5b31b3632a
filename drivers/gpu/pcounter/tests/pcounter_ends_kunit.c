// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways in which reading ends: the running time ends with the last reading, so that it
 * fits the count. The modelled GPU keeps up with the clock that perf measures.
 */
#include <kunit/device.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/time64.h>

#include "compat.h"
#include "device.h"
#include "hw/registers.h"
#include "pcounter_fake.h"
#include "perf/types.h"
#include "record/record.h"

#define POLL_MS		1000
#define CLOCK_NS	(10 * NSEC_PER_USEC)
/* Nobody reads for this time, less than the interval of any poll but record mode's. */
#define UNREAD_MS	200
/* An event of a process takes turns with another one; none waits for as many times as this. */
#define TURNS		100
/* A machine that is busy is late. Lost readings of UNREAD_MS are more. */
#define TOLERANCE_NS	(60 * NSEC_PER_MSEC)
/* A timer that is later than its period shows that the host has stopped the processor. */
#define WATCH_NS	(5 * NSEC_PER_MSEC)

#define CLK		BIT_ULL(14)
#define SINGLE		BIT_ULL(16)
#define RECORD		BIT_ULL(18)
#define PERIODIC_1	BIT_ULL(28)
#define TICKS		BIT_ULL(33)

/* hw:idle/registers */
#define IDLE_MODE(slot)	(0x10a50c + (slot) * 0x10)

/**
 * struct ends_kind - what counts clocks
 * @chip: a chip and the name of its way to count
 * @config: of the event
 * @config1: of the event
 * @idle: the event is of the idle counters
 */
struct ends_kind {
	struct pcounter_fake_chip chip;
	u64 config;
	u64 config1;
	bool idle;
};

static const struct ends_kind ends_kinds[] = {
	{ { 0x84, "quad" }, 1, CLK },
	{ { 0x40, "quad, a shared trigger" }, 1, CLK },
	{ { 0xc0, "quad, sets" }, 0, CLK },
	{ { 0x10, "single, free" }, 0, CLK },
	{ { 0x84, "single, a process" }, 1, CLK | SINGLE },
	{ { 0x84, "record" }, 1, CLK | RECORD | PERIODIC_1 },
	{ { 0xa3, "idle" }, TICKS, 0, true },
};

static void ends_describe(const struct ends_kind *kind, char *desc)
{
	pcounter_fake_describe(&kind->chip, desc);
}

KUNIT_ARRAY_PARAM(ends, ends_kinds, ends_describe);

/**
 * struct ends_test - a registered PMU with an event that counts clocks
 * @fake: the GPU
 * @ops: its access functions, with time and power
 * @kind: what counts
 * @ppmu: the PMU, NULL once removed
 * @event: counts clocks
 * @passed: time until which the model has run
 * @late_ns: running time before the event begins to count
 * @slack_ns: duration of the longest read
 * @watch: measures @stopped_ns
 * @stopped_ns: time in which the processor stood still: the driver's clock went on after a
 *	reading, or the model's before it
 * @awake: it is on
 * @used: its owner uses it
 * @pattern: what all registers but the first read as, unless it is ~0
 */
static struct ends_test {
	struct pcounter_fake *fake;
	struct pcounter_io_ops ops;
	const struct ends_kind *kind;
	struct pcounter_pmu *ppmu;
	struct perf_event *event;
	u64 passed;
	u64 late_ns;
	u64 slack_ns;
	struct hrtimer watch;
	u64 stopped_ns;
	bool awake;
	bool used;
	u32 pattern;
} ends;

/* Let the model's clock follow, by at least a clock, since a swap may take one. */
static void pass(void)
{
	u64 now = max(ktime_get_mono_fast_ns(), ends.passed + CLOCK_NS);
	u64 clocks = div_u64(now - ends.passed, CLOCK_NS);

	pcmodel_run(ends.fake->model, clocks);
	ends.passed += clocks * CLOCK_NS;
}

static u32 ends_rd32(struct pcounter_io *io, u32 addr)
{
	pass();
	return ends.pattern != ~0U && addr ? ends.pattern : pcmodel_rd32(ends.fake->model, addr);
}

static void ends_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	pass();
	pcmodel_wr32(ends.fake->model, addr, val);
}

static bool ends_awake(struct pcounter_io *io)
{
	return READ_ONCE(ends.awake);
}

static void ends_put(struct pcounter_io *io)
{
}

/* The owner has not used the GPU for long: it sleeps now. */
static void ends_put_sync(struct pcounter_io *io)
{
	WRITE_ONCE(ends.awake, false);
}

static bool ends_unused(struct pcounter_io *io)
{
	return !READ_ONCE(ends.awake) || !READ_ONCE(ends.used);
}

static enum hrtimer_restart ends_watch(struct hrtimer *timer)
{
	s64 late = ktime_get_mono_fast_ns() - ktime_to_ns(hrtimer_get_expires(timer));

	if (late > (s64)WATCH_NS)
		WRITE_ONCE(ends.stopped_ns, ends.stopped_ns + late);
	hrtimer_forward_now(timer, WATCH_NS);
	return HRTIMER_RESTART;
}

/* On the CPU that reads. */
static void ends_start_watch(void *unused)
{
	hrtimer_start(&ends.watch, WATCH_NS, HRTIMER_MODE_REL_PINNED_HARD);
}

static void ends_remove(void *unused)
{
	hrtimer_cancel(&ends.watch);
	if (!IS_ERR_OR_NULL(ends.event))
		perf_event_release_kernel(ends.event);
	if (ends.ppmu)
		pcounter_device_remove(ends.ppmu, true);
}

static void ends_hook(void)
{
	ends.ops = *ends.fake->io.ops;
	ends.ops.rd32 = ends_rd32;
	ends.ops.wr32 = ends_wr32;
	ends.ops.awake = ends_awake;
	ends.ops.get = ends_awake;
	ends.ops.put = ends_put;
	ends.ops.put_sync = ends_put_sync;
	ends.ops.unused = ends_unused;
	ends.fake->io.ops = &ends.ops;
	/* the model is slow */
	ends.fake->io.slow_ns = NSEC_PER_SEC;
}

static struct perf_event *open_event(bool disabled)
{
	struct pcounter_base *base = ends.kind->idle ? &ends.ppmu->idle : &ends.ppmu->base;
	struct perf_event_attr attr = {
		.type = base->pmu.type, .size = sizeof(attr), .config = ends.kind->config,
		.config1 = ends.kind->config1, .disabled = disabled,
	};

	return perf_event_create_kernel_counter(&attr, base->cpu, NULL, NULL, NULL);
}

static int ends_init(struct kunit *test)
{
	const struct ends_kind *kind = test->param_value;
	struct device *dev;

	memset(&ends, 0, sizeof(ends));
	ends.fake = pcounter_fake_create_chip(test, kind->chip.chipset);
	dev = kunit_device_register(test, "pcounter-fake");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dev);
	pcounter_fake_dma(test, dev);
	ends.kind = kind;
	ends.awake = true;
	ends.used = true;
	ends.pattern = ~0;
	ends.passed = ktime_get_mono_fast_ns();
	ends_hook();
	ends.ppmu = pcounter_device_create(dev, THIS_MODULE, kind->chip.chipset, &ends.fake->io);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ends.ppmu);
	pcounter_fake_lock_runqueue(ends.ppmu);
	hrtimer_setup(&ends.watch, ends_watch, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	smp_call_function_single(ends.ppmu->base.cpu, ends_start_watch, NULL, true);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, ends_remove, NULL));
	ends.event = open_event(false);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ends.event);
	return 0;
}

static void say(struct kunit *test, const char *line)
{
	char reply[80];
	int err;

	scoped_guard(raw_spinlock_irqsave, &ends.ppmu->gpu.lock)
		err = pcmodel_command(ends.fake->model, line, reply, sizeof(reply));
	KUNIT_EXPECT_EQ_MSG(test, err, 0, "%s: %s", line, reply);
}

/* Read the event, and compare its count with its running time, which never goes back. */
static u64 expect_right(struct kunit *test, u64 before)
{
	u64 enabled, running, count, began = ktime_get_mono_fast_ns();

	count = perf_event_read_value(ends.event, &enabled, &running) * CLOCK_NS;
	/* the host may stop the processor between perf's look at its clock and the reading */
	ends.slack_ns = max(ends.slack_ns, ktime_get_mono_fast_ns() - began);
	/* the model takes long to begin */
	ends.late_ns = ends.late_ns ?: running - min(running, count);
	KUNIT_EXPECT_LE_MSG(test, abs_diff(count + ends.late_ns, running),
			    TOLERANCE_NS + ends.slack_ns + READ_ONCE(ends.stopped_ns),
			    "counted %llu us, running %llu us, enabled %llu us",
			    div_u64(count, NSEC_PER_USEC), div_u64(running, NSEC_PER_USEC),
			    div_u64(enabled, NSEC_PER_USEC));
	KUNIT_EXPECT_GE(test, running, before);
	return running;
}

/* Count for a while, without a reading at the end. */
static u64 count_unread(struct kunit *test, u64 before)
{
	u64 running;

	msleep(20);
	running = expect_right(test, before);
	msleep(UNREAD_MS);
	return running;
}

/* The running time stands still. */
static u64 expect_still(struct kunit *test, u64 before)
{
	u64 running = expect_right(test, before);

	msleep(UNREAD_MS);
	KUNIT_EXPECT_LE(test, expect_right(test, running) - running, NSEC_PER_MSEC);
	return running;
}

/* Reading has ended: the running time ends, too. */
static void expect_end(struct kunit *test, u64 before)
{
	u64 running = expect_still(test, before);

	perf_event_disable(ends.event);
	KUNIT_EXPECT_LE(test, expect_right(test, running) - running, NSEC_PER_MSEC);
}

/* The driver has read once more at the end. */
static void expect_all(struct kunit *test, u64 before)
{
	u64 running = expect_right(test, before);

	KUNIT_EXPECT_GE(test, running - before, UNREAD_MS * NSEC_PER_MSEC - TOLERANCE_NS);
	expect_end(test, running);
}

/* The event counts, or waits for its turn. */
static bool counts_on(void)
{
	unsigned int i;

	for (i = 0; i < TURNS && READ_ONCE(ends.event->state) != PERF_EVENT_STATE_ACTIVE; i++)
		msleep(UNREAD_MS);
	return i < TURNS;
}

/* The registers are lost. An event counts on, but for record mode. */
static void expect_loss(struct kunit *test, u64 before)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		before = expect_right(test, before);
		msleep(UNREAD_MS / 4);
	}
	/* recording ends, and idle counters do if nobody knows of the reset */
	if (!(ends.kind->config1 & RECORD) && (!ends.kind->idle || ends.fake->io.losses))
		KUNIT_EXPECT_TRUE(test, counts_on());
	expect_right(test, before);
	perf_event_disable(ends.event);
	expect_right(test, before);
}

static void leave(bool restore)
{
	struct pcounter_pmu *ppmu = ends.ppmu;

	ends.ppmu = NULL;
	pcounter_device_remove(ppmu, restore);
}

static void removed(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	leave(true);
	if (ends.kind->idle)
		KUNIT_EXPECT_EQ(test, pcmodel_rd32(ends.fake->model, IDLE_MODE(0)), 0);
	expect_all(test, before);
}

static void unplugged(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	WRITE_ONCE(ends.awake, false);
	leave(false);
	expect_end(test, before);
}

/* The registers of domains, and MODE of idle counters, are as a reset leaves them. */
static void expect_unused(struct kunit *test)
{
	const struct pcounter_image unused = {};
	struct pcounter_gpu *gpu = &ends.ppmu->gpu;
	struct pcounter_image now;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++) {
		memset(&now, 0, sizeof(now));
		pcounter_regs_load(&gpu->dom[i].block, &now);
		KUNIT_EXPECT_EQ(test, memcmp(&now, &unused, sizeof(now)), 0);
	}
	for (i = 0; i < gpu->idle.nr; i++)
		KUNIT_EXPECT_EQ(test, pcmodel_rd32(ends.fake->model, IDLE_MODE(i)), 0);
}

/* Experiments need the registers for themselves. */
static void lent(struct kunit *test)
{
	struct pcounter_gpu *gpu = &ends.ppmu->gpu;

	KUNIT_EXPECT_EQ(test, pcounter_gpu_lend(gpu), -EBUSY);
	perf_event_release_kernel(ends.event);
	expect_unused(test);
	KUNIT_ASSERT_EQ(test, pcounter_gpu_lend(gpu), 0);
	ends.event = open_event(false);
	pcounter_gpu_reclaim(gpu);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(ends.event), -EBUSY);
}

/* The next kernel finds registers that nobody uses. */
static void shut_down(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	pcounter_device_suspend(ends.ppmu);
	pcounter_gpu_leave(&ends.ppmu->gpu, true);
	expect_unused(test);
	msleep(UNREAD_MS);
	expect_all(test, before);
	expect_unused(test);
}

static void system_sleeps(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	pcounter_device_suspend(ends.ppmu);
	WRITE_ONCE(ends.awake, false);
	msleep(UNREAD_MS);
	expect_all(test, before);
}

/* Record mode keeps the GPU awake. */
static void falls_asleep(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	WRITE_ONCE(ends.used, false);
	msleep(UNREAD_MS);
	expect_all(test, before);
}

/* Other code switches it off and on, without runtime power management. */
static void switched_off_and_on(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	WRITE_ONCE(ends.awake, false);
	say(test, "reset");
	msleep(UNREAD_MS);
	before = expect_still(test, before);
	WRITE_ONCE(ends.awake, true);
	msleep(UNREAD_MS);
	expect_loss(test, before);
}

/* It was off between two readings; only the provider knows. */
static void was_off(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	say(test, "reset");
	ends.fake->io.losses++;
	expect_loss(test, before);
}

/* The first to notice it is a reschedule for another event, which reads no count. */
static void was_off_at_a_reschedule(struct kunit *test)
{
	struct perf_event *other = open_event(true);
	u64 before = count_unread(test, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, other);
	say(test, "reset");
	ends.fake->io.losses++;
	perf_event_enable(other);
	expect_loss(test, before);
	perf_event_release_kernel(other);
}

static void reset_in_silence(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	say(test, "reset");
	expect_loss(test, before);
}

static void all_ones(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	say(test, "fault dead 1");
	expect_end(test, before);
}

/* hw:registers/window; from GT215 on reads that time out read 0 */
static void error_pattern(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	WRITE_ONCE(ends.pattern, PCOUNTER_ERROR | 0xda00);
	expect_right(test, before);
	WRITE_ONCE(ends.pattern, 0);
	expect_right(test, before);
}

static void too_slow(struct kunit *test)
{
	u64 before = count_unread(test, 0);

	ends.fake->io.slow_ns = 1;
	while (!READ_ONCE(ends.fake->io.stuck))
		before = expect_right(test, before);
	/* record mode notices it at the next poll */
	msleep(UNREAD_MS);
	expect_end(test, before);
	ends.fake->io.slow_ns = NSEC_PER_SEC;
}

/* A fault of one domain or counter. */
static void changed_by_others(struct kunit *test)
{
	u64 before = count_unread(test, 0);
	const struct pcounter_domain *d;

	if (ends.kind->idle) {
		say(test, "idle foreign 0 0x10 2");
	} else {
		guard(raw_spinlock_irqsave)(&ends.ppmu->gpu.lock);
		d = &ends.ppmu->gpu.dom[ends.kind->config];
		pcounter_reg_write(&d->block, PCOUNTER_REG_CTRL,
				   d->hw.ctrl ^ pcounter_ctrl_config(d->block.gen));
	}
	/* record mode notices it when it polls the registers */
	if (ends.kind->config1 & RECORD)
		msleep(POLL_MS + UNREAD_MS);
	expect_end(test, before);
}

/* An event that has never been read has never run: perf prints "<not counted>". */
static void never_read(struct kunit *test)
{
	u64 enabled, running, count;

	msleep(20);
	ends.fake->io.losses++;
	say(test, "fault dead 1");
	count = perf_event_read_value(ends.event, &enabled, &running);
	msleep(20);
	perf_event_disable(ends.event);
	KUNIT_EXPECT_EQ(test, perf_event_read_value(ends.event, &enabled, &running), count);
	/* packets are in memory, and can be read nevertheless */
	if (!(ends.kind->config1 & RECORD))
		KUNIT_EXPECT_EQ(test, count, 0);
	KUNIT_EXPECT_EQ(test, !running, !count);
}

static struct kunit_case ends_cases[] = {
	KUNIT_CASE_PARAM(removed, ends_gen_params),
	KUNIT_CASE_PARAM(unplugged, ends_gen_params),
	KUNIT_CASE_PARAM(lent, ends_gen_params),
	KUNIT_CASE_PARAM(shut_down, ends_gen_params),
	KUNIT_CASE_PARAM(system_sleeps, ends_gen_params),
	KUNIT_CASE_PARAM(falls_asleep, ends_gen_params),
	KUNIT_CASE_PARAM(switched_off_and_on, ends_gen_params),
	KUNIT_CASE_PARAM(was_off, ends_gen_params),
	KUNIT_CASE_PARAM(was_off_at_a_reschedule, ends_gen_params),
	KUNIT_CASE_PARAM(reset_in_silence, ends_gen_params),
	KUNIT_CASE_PARAM(all_ones, ends_gen_params),
	KUNIT_CASE_PARAM(error_pattern, ends_gen_params),
	KUNIT_CASE_PARAM(too_slow, ends_gen_params),
	KUNIT_CASE_PARAM(changed_by_others, ends_gen_params),
	KUNIT_CASE_PARAM(never_read, ends_gen_params),
	{}
};

static struct kunit_suite ends_suite = {
	.name = "pcounter_ends",
	.init = ends_init,
	.test_cases = ends_cases,
};

kunit_test_suite(ends_suite);

MODULE_LICENSE("GPL");
