// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU that sleeps, wakes with empty registers, or is reset without a
 * notification: the driver never accesses a sleeping GPU, and totals go on.
 */
#include <linux/string.h>
#include <linux/time64.h>

#include "pcounter_fake.h"

#define DOM	1
#define SIG	0x20

/**
 * struct power_test - a GPU that can sleep
 * @fake: the GPU
 * @ops: its access functions, including functions for sleeping
 * @real: the access functions of the fake
 * @awake: it does not sleep
 * @zero: registers except PMC.BOOT_0 read 0
 * @refs: references that keep it awake
 * @touched: accesses while it slept or had no reference
 * @sig: request for a signal that is 1 in 30 of 100 cycles
 */
struct power_test {
	struct pcounter_fake *fake;
	struct pcounter_io_ops ops;
	const struct pcounter_io_ops *real;
	bool awake;
	bool zero;
	int refs;
	unsigned int touched;
	unsigned int sig;
};

static struct power_test power;

static u32 power_rd32(struct pcounter_io *io, u32 addr)
{
	power.touched += !power.refs || !power.awake ? 1 : 0;
	return power.zero && addr ? 0 : power.real->rd32(io, addr);
}

static void power_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	power.touched += !power.refs || !power.awake ? 1 : 0;
	power.real->wr32(io, addr, val);
}

static bool power_awake(struct pcounter_io *io)
{
	return power.awake;
}

static bool power_get(struct pcounter_io *io)
{
	power.refs += power.awake ? 1 : 0;
	return power.awake;
}

static void power_put(struct pcounter_io *io)
{
	power.refs--;
}

static int power_init(struct kunit *test)
{
	memset(&power, 0, sizeof(power));
	power.fake = pcounter_fake_create(test);
	power.real = power.fake->io.ops;
	power.ops = (struct pcounter_io_ops) {
		.rd32 = power_rd32, .wr32 = power_wr32,
		.awake = power_awake, .get = power_get, .put = power_put,
	};
	power.fake->io.ops = &power.ops;
	power.awake = true;
	KUNIT_ASSERT_TRUE(test, pcounter_gpu_get(&power.fake->gpu));
	pcounter_fake_command(test, "signal 1 0x20 duty 30/100");
	return 0;
}

static int power_add(void)
{
	struct pcounter_request req = pcounter_fake_request(DOM, SIG);

	pcounter_fake_get(power.fake, DOM);
	return pcounter_domain_add(&power.fake->gpu, &req);
}

static void power_sync(void)
{
	power.fake->gpu.snapshot++;
	pcounter_domain_sync(&power.fake->gpu.dom[DOM]);
}

static u64 power_total(void)
{
	return power.fake->gpu.dom[DOM].client[power.sig].total;
}

static void power_start(struct kunit *test)
{
	int user = power_add();

	KUNIT_ASSERT_GE(test, user, 0);
	power.sig = user;
	KUNIT_ASSERT_TRUE(test, pcounter_gpu_commit(&power.fake->gpu));
}

static void expect_balanced(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, power.fake->gpu.depth, 0);
	pcounter_gpu_put(&power.fake->gpu);
	KUNIT_EXPECT_EQ(test, power.refs, 0);
	KUNIT_EXPECT_EQ(test, power.touched, 0);
}

/* Switch power off and on again; the engine loses its state. */
static void sleep_now(struct kunit *test)
{
	power.awake = false;
	power_sync();
	pcounter_fake_command(test, "reset");
}

static void asleep_is_not_touched(struct kunit *test)
{
	struct pcounter_gpu *gpu = &power.fake->gpu;
	u64 right;

	power_start(test);
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	right = power_total();
	KUNIT_EXPECT_EQ(test, right, 300);
	sleep_now(test);
	KUNIT_EXPECT_TRUE(test, gpu->asleep);
	KUNIT_EXPECT_TRUE(test, gpu->want & PCOUNTER_WANT_RESCHED);
	KUNIT_EXPECT_EQ(test, gpu->sleeps, 1);
	pcounter_gpu_poll(gpu);
	pcounter_gpu_collect(gpu);
	KUNIT_EXPECT_EQ(test, pcounter_quad_user(&gpu->dom[DOM], 0, 0), -EAGAIN);
	KUNIT_EXPECT_EQ(test, power_add(), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_commit(gpu));
	KUNIT_EXPECT_EQ(test, power_total(), right);
	pcounter_domain_del(&gpu->dom[DOM], power.sig);
	pcounter_gpu_commit(gpu);
	pcounter_fake_put(power.fake, DOM);
	pcounter_fake_put(power.fake, DOM);
	KUNIT_EXPECT_EQ(test, gpu->sleeps, 1);
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_take_resched(gpu, PCOUNTER_WANT_CHECK));
	expect_balanced(test);
}

static void totals_go_on_after_sleep(struct kunit *test)
{
	struct pcounter_gpu *gpu = &power.fake->gpu;
	unsigned int i;

	power_start(test);
	for (i = 1; i <= 3; i++) {
		pcmodel_run(power.fake->model, 1000);
		power_sync();
		/* not read before the sleep, so lost */
		pcmodel_run(power.fake->model, 100);
		sleep_now(test);
		pcmodel_run(power.fake->model, 500);
		power.awake = true;
		KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(gpu));
		KUNIT_EXPECT_EQ(test, power_total(), 300 * i);
	}
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	KUNIT_EXPECT_EQ(test, power_total(), 1200);
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_take_resched(gpu, PCOUNTER_WANT_CHECK));
	expect_balanced(test);
}

/* The GPU sleeps and wakes between two reads; only the provider notices. */
static void sleep_between_two_looks(struct kunit *test)
{
	power_start(test);
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	pcounter_fake_command(test, "reset");
	power.fake->io.losses++;
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	KUNIT_EXPECT_EQ(test, power_total(), 300);
	KUNIT_EXPECT_TRUE(test, power.fake->gpu.want & PCOUNTER_WANT_COMMIT);
	KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(&power.fake->gpu));
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	KUNIT_EXPECT_EQ(test, power_total(), 600);
	expect_balanced(test);
}

static void silent_reset(struct kunit *test)
{
	unsigned int i;

	power_start(test);
	for (i = 1; i <= 3; i++) {
		pcmodel_run(power.fake->model, 1000);
		power_sync();
		KUNIT_EXPECT_EQ(test, power_total(), 300 * i);
		pcounter_fake_command(test, "reset");
		power_sync();
		KUNIT_EXPECT_TRUE(test, power.fake->gpu.want & PCOUNTER_WANT_COMMIT);
		KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(&power.fake->gpu));
		KUNIT_EXPECT_EQ(test, power.fake->gpu.resets, i);
	}
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_take_resched(&power.fake->gpu, PCOUNTER_WANT_CHECK));
	expect_balanced(test);
}

/*
 * From GT215 on a read that times out returns 0 (hw:coexistence/clocks). It
 * looks like a reset, but new values do not stay in the registers either.
 */
static void registers_read_zero(struct kunit *test)
{
	struct pcounter_gpu *gpu = &power.fake->gpu;
	struct pcounter_domain *d = &gpu->dom[DOM];

	power_start(test);
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	power.zero = true;
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	KUNIT_EXPECT_EQ(test, d->unit.fault, PCOUNTER_OK);
	KUNIT_EXPECT_TRUE(test, gpu->want & PCOUNTER_WANT_COMMIT);
	pcounter_gpu_commit(gpu);
	KUNIT_EXPECT_EQ(test, d->unit.fault, PCOUNTER_FAULT_NOT_KEPT);
	KUNIT_EXPECT_TRUE(test, pcounter_gpu_take_resched(gpu, PCOUNTER_WANT_CHECK));
	KUNIT_EXPECT_FALSE(test, gpu->want & PCOUNTER_WANT_COMMIT);
	KUNIT_EXPECT_EQ(test, power_total(), 300);
	expect_balanced(test);
}

/*
 * Other code switches the GPU off without a notification: the driver does not
 * blame the GPU for its reads.
 */
static void off_in_the_middle(struct kunit *test)
{
	struct pcounter_gpu *gpu = &power.fake->gpu;

	power_start(test);
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	KUNIT_ASSERT_NOT_NULL(test, pcounter_gpu_hold(gpu));
	pcounter_fake_command(test, "fault dead 1");
	power_sync();
	KUNIT_EXPECT_EQ(test, gpu->dom[DOM].unit.fault, PCOUNTER_FAULT_DEAD);
	power.awake = false;
	pcounter_gpu_drop(gpu);
	KUNIT_EXPECT_EQ(test, gpu->dom[DOM].unit.fault, PCOUNTER_OK);
	KUNIT_EXPECT_TRUE(test, gpu->asleep);
	KUNIT_EXPECT_EQ(test, power_total(), 300);
	expect_balanced(test);
}

/* As above, but the GPU is on again before the driver has noticed. */
static void off_and_on_unknown(struct kunit *test)
{
	struct pcounter_gpu *gpu = &power.fake->gpu;

	power_start(test);
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	pcounter_fake_command(test, "fault dead 1");
	power_sync();
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_take_resched(gpu, PCOUNTER_WANT_CHECK));
	KUNIT_EXPECT_TRUE(test, gpu->asleep);
	KUNIT_EXPECT_EQ(test, power_add(), -EAGAIN);
	pcounter_fake_put(power.fake, DOM);
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_commit(gpu));
	pcounter_fake_command(test, "reset");
	pcounter_fake_command(test, "fault dead 0");
	/* the driver asks the owner now and then */
	gpu->asked_ns -= NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(gpu));
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	KUNIT_EXPECT_EQ(test, power_total(), 600);
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_take_resched(gpu, PCOUNTER_WANT_CHECK));
	expect_balanced(test);
}

/* A former user's values survive a sleep that loses nothing. */
static void found_registers_survive(struct kunit *test)
{
	struct pcounter_gpu *gpu = &power.fake->gpu;
	u32 src;

	pcounter_fake_command(test, "garbage 5");
	src = power.fake->model->dom[DOM].src[0];
	power_start(test);
	power.awake = false;
	power_sync();
	power.awake = true;
	KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(gpu));
	pcounter_domain_del(&gpu->dom[DOM], power.sig);
	pcounter_gpu_commit(gpu);
	pcounter_fake_put(power.fake, DOM);
	KUNIT_EXPECT_EQ(test, power.fake->model->dom[DOM].src[0], src);
	expect_balanced(test);
}

/* perf's callbacks may use only the references that they got. */
static void not_touched_without_a_reference(struct kunit *test)
{
	struct pcounter_gpu *gpu = &power.fake->gpu;
	u64 right;

	power_start(test);
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	right = power_total();
	pcounter_gpu_put(gpu);
	pcmodel_run(power.fake->model, 1000);
	power_sync();
	pcounter_gpu_poll(gpu);
	KUNIT_EXPECT_EQ(test, power_add(), -EAGAIN);
	KUNIT_EXPECT_EQ(test, power_total(), right);
	KUNIT_EXPECT_EQ(test, power.touched, 0);
	/* no value was lost */
	KUNIT_EXPECT_FALSE(test, gpu->asleep);
	KUNIT_ASSERT_TRUE(test, pcounter_gpu_get(gpu));
	power_sync();
	KUNIT_EXPECT_EQ(test, power_total(), 2 * right);
	expect_balanced(test);
}

/* The lease may just have put its reference. */
static void registers_are_put_back_without_a_lease(struct kunit *test)
{
	const u32 *src = power.fake->model->dom[DOM].src;
	struct pcounter_gpu *gpu = &power.fake->gpu;
	u32 found[PCMODEL_OPS];

	pcounter_fake_command(test, "garbage 5");
	memcpy(found, src, sizeof(found));
	power_start(test);
	KUNIT_EXPECT_NE(test, memcmp(found, src, sizeof(found)), 0);
	pcounter_gpu_put(gpu);
	pcounter_gpu_leave(gpu, true);
	KUNIT_EXPECT_EQ(test, memcmp(found, src, sizeof(found)), 0);
	KUNIT_EXPECT_EQ(test, power.refs, 0);
	KUNIT_EXPECT_EQ(test, power.touched, 0);
}

static struct kunit_case power_cases[] = {
	KUNIT_CASE_PARAM(registers_are_put_back_without_a_lease, pcounter_fake_chips),
	KUNIT_CASE_PARAM(not_touched_without_a_reference, pcounter_fake_chips),
	KUNIT_CASE_PARAM(asleep_is_not_touched, pcounter_fake_chips),
	KUNIT_CASE_PARAM(totals_go_on_after_sleep, pcounter_fake_chips),
	KUNIT_CASE_PARAM(sleep_between_two_looks, pcounter_fake_chips),
	KUNIT_CASE_PARAM(silent_reset, pcounter_fake_chips),
	KUNIT_CASE_PARAM(registers_read_zero, pcounter_fake_chips),
	KUNIT_CASE_PARAM(off_in_the_middle, pcounter_fake_chips),
	KUNIT_CASE_PARAM(off_and_on_unknown, pcounter_fake_chips),
	KUNIT_CASE_PARAM(found_registers_survive, pcounter_fake_chips),
	{}
};

static struct kunit_suite power_suite = {
	.name = "pcounter_power",
	.init = power_init,
	.test_cases = power_cases,
};

kunit_test_suite(power_suite);

MODULE_LICENSE("GPL");
