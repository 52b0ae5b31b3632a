// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware that fails, lies, is slow, or is used by another driver: a count is
 * right or it stops, but it is never wrong.
 */
#include <linux/math64.h>
#include <linux/string.h>

#include "hw/registers.h"
#include "hw/regs.h"
#include "pcounter_fake.h"

#define DOM	1
#define SIG	0x20

/**
 * struct fault_test - one counting domain
 * @fake: the GPU
 * @sig: request for a signal that is 1 in 30 of 100 cycles
 * @clk: request for the domain's cycles
 * @from: cycle at which both began
 */
struct fault_test {
	struct pcounter_fake *fake;
	unsigned int sig;
	unsigned int clk;
	u64 from;
};

static void sync_now(struct fault_test *t)
{
	t->fake->gpu.snapshot++;
	pcounter_domain_sync(&t->fake->gpu.dom[DOM]);
}

static enum pcounter_fault fault_of(struct fault_test *t)
{
	return t->fake->gpu.dom[DOM].unit.fault;
}

static u64 sig_total(struct fault_test *t)
{
	return t->fake->gpu.dom[DOM].client[t->sig].total;
}

static u64 clk_total(struct fault_test *t)
{
	return t->fake->gpu.dom[DOM].client[t->clk].total;
}

static int add(struct fault_test *t, struct pcounter_request req)
{
	pcounter_fake_get(t->fake, DOM);
	return pcounter_domain_add(&t->fake->gpu, &req);
}

static void start(struct kunit *test, struct fault_test *t)
{
	t->fake = test->priv;
	t->sig = add(t, pcounter_fake_request(DOM, SIG));
	t->clk = add(t, pcounter_fake_clk(DOM));
	KUNIT_ASSERT_TRUE(test, pcounter_gpu_commit(&t->fake->gpu));
	t->from = pcmodel_cycle(t->fake->model, DOM);
}

static void expect_exact(struct kunit *test, struct fault_test *t)
{
	u64 to = pcmodel_cycle(t->fake->model, DOM);

	KUNIT_EXPECT_EQ(test, fault_of(t), PCOUNTER_OK);
	KUNIT_EXPECT_EQ(test, clk_total(t), to - t->from);
	KUNIT_EXPECT_EQ(test, sig_total(t),
			pcounter_fake_count(test, DOM, SIG, t->from, to));
}

static int fault_init(struct kunit *test)
{
	pcounter_fake_create(test);
	pcounter_fake_command(test, "signal 1 0x20 duty 30/100");
	return 0;
}

static void expect_stopped(struct kunit *test, struct fault_test *t,
			   enum pcounter_fault fault, u64 last_right)
{
	struct pcounter_request req = pcounter_fake_request(DOM, SIG);

	KUNIT_EXPECT_EQ(test, fault_of(t), fault);
	KUNIT_EXPECT_EQ(test, sig_total(t), last_right);
	KUNIT_EXPECT_TRUE(test, pcounter_gpu_take_resched(&t->fake->gpu, PCOUNTER_WANT_CHECK));
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_take_resched(&t->fake->gpu, PCOUNTER_WANT_CHECK));
	KUNIT_EXPECT_EQ(test, pcounter_domain_add(&t->fake->gpu, &req), -EIO);
	pcmodel_run(t->fake->model, 1000);
	sync_now(t);
	KUNIT_EXPECT_EQ(test, sig_total(t), last_right);
}

static void dead_gpu(struct kunit *test)
{
	struct fault_test t;
	u64 right;

	start(test, &t);
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	right = sig_total(&t);
	pcmodel_run(t.fake->model, 1000);
	pcounter_fake_command(test, "fault dead 1");
	sync_now(&t);
	expect_stopped(test, &t, PCOUNTER_FAULT_DEAD, right);
}

static void dead_from_the_start(struct kunit *test)
{
	struct fault_test t = { .fake = test->priv };

	pcounter_fake_command(test, "fault dead 1");
	KUNIT_EXPECT_GE(test, add(&t, pcounter_fake_request(DOM, SIG)), 0);
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_commit(&t.fake->gpu));
	KUNIT_EXPECT_EQ(test, fault_of(&t), PCOUNTER_FAULT_DEAD);
	KUNIT_EXPECT_EQ(test, t.fake->model->writes, 0);
}

static void foreign_swap(struct kunit *test)
{
	struct fault_test t;
	bool shared;
	u64 right;

	start(test, &t);
	shared = t.fake->gpu.gen->caps & PCOUNTER_CAP_SWAP_SHARED;
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	right = sig_total(&t);
	pcmodel_run(t.fake->model, 500);
	if (shared)
		pcmodel_wr32(t.fake->model, NV_PGRAPH_DEBUG_1, BIT(PCOUNTER_TRIGGER_BIT));
	else
		pcmodel_wr32(t.fake->model, fake_reg(PCOUNTER_REG_OP + PCOUNTER_PRE, DOM), 0);
	pcmodel_run(t.fake->model, 500);
	sync_now(&t);
	expect_stopped(test, &t, PCOUNTER_FAULT_FOREIGN_SWAP, right);
}

/* G84+: an unused swap input selects a constant 0, so a command stream cannot swap. */
static void parked_swap_ignores_pm_trigger(struct kunit *test)
{
	struct fault_test t;

	start(test, &t);
	if (t.fake->gpu.gen->caps & PCOUNTER_CAP_SWAP_SHARED)
		return;
	pcmodel_run(t.fake->model, 1000);
	pcmodel_wr32(t.fake->model, NV_PGRAPH_DEBUG_1, BIT(PCOUNTER_TRIGGER_BIT));
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	expect_exact(test, &t);
}

static void foreign_mode_change(struct kunit *test)
{
	struct fault_test t;

	start(test, &t);
	pcmodel_run(t.fake->model, 1000);
	pcmodel_wr32(t.fake->model, fake_reg(PCOUNTER_REG_CTRL, DOM), 0);
	sync_now(&t);
	expect_stopped(test, &t, PCOUNTER_FAULT_FOREIGN_WRITE, 0);
}

/* The next poll notices a changed source: reads do not check for it. */
static void foreign_source_change(struct kunit *test)
{
	struct fault_test t;
	unsigned int slot;
	u64 right;

	start(test, &t);
	slot = t.fake->gpu.dom[DOM].client[t.sig].slot;
	pcmodel_run(t.fake->model, 1000);
	pcounter_gpu_poll(&t.fake->gpu);
	expect_exact(test, &t);
	right = sig_total(&t);
	pcmodel_wr32(t.fake->model, fake_reg(PCOUNTER_REG_SRC + slot, DOM), 0x01020304);
	pcmodel_run(t.fake->model, 1000);
	pcounter_gpu_poll(&t.fake->gpu);
	expect_stopped(test, &t, PCOUNTER_FAULT_FOREIGN_WRITE, right);
}

/* Another driver that uses the domain now keeps its registers. */
static void foreign_registers_are_left_alone(struct kunit *test)
{
	struct fault_test t;
	u64 writes;

	start(test, &t);
	pcmodel_wr32(t.fake->model, fake_reg(PCOUNTER_REG_CTRL, DOM), 0);
	sync_now(&t);
	pcounter_domain_del(&t.fake->gpu.dom[DOM], t.sig);
	pcounter_domain_del(&t.fake->gpu.dom[DOM], t.clk);
	pcounter_gpu_commit(&t.fake->gpu);
	writes = t.fake->model->writes;
	pcounter_fake_put(t.fake, DOM);
	pcounter_fake_put(t.fake, DOM);
	KUNIT_EXPECT_EQ(test, t.fake->model->writes, writes);
	/* the next first use begins from scratch */
	start(test, &t);
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	expect_exact(test, &t);
}

/* hw:modes/counters: counters stop at all ones */
static void saturated_counter(struct kunit *test)
{
	struct fault_test t;
	char line[40];

	start(test, &t);
	pcmodel_run(t.fake->model, 1000);
	snprintf(line, sizeof(line), "fault sticky 0x%x 0xffffffff",
		 fake_reg(PCOUNTER_REG_CYCLES, DOM));
	pcounter_fake_command(test, line);
	sync_now(&t);
	expect_stopped(test, &t, PCOUNTER_FAULT_SATURATED, 0);
}

/* "No plausibility against wall time": a stopped clock is no error. */
static void stopped_clock(struct kunit *test)
{
	struct fault_test t;
	unsigned int i;

	start(test, &t);
	pcmodel_run(t.fake->model, 1000);
	pcounter_fake_command(test, "clock 1 0/1");
	for (i = 0; i < 3; i++) {
		sync_now(&t);
		pcmodel_run(t.fake->model, 1000);
	}
	pcounter_fake_command(test, "clock 1 1/1");
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	expect_exact(test, &t);
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	expect_exact(test, &t);
}

/*
 * The first swap cannot take effect yet: it later publishes counts of a former
 * user's settings.
 */
static void stopped_from_the_start(struct kunit *test)
{
	struct fault_test t;

	pcounter_fake_command(test, "garbage 3");
	pcounter_fake_command(test, "quirk swap_latency 3");
	pcounter_fake_command(test, "clock 1 0/1");
	start(test, &t);
	sync_now(&t);
	pcounter_fake_command(test, "clock 1 1/1");
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	KUNIT_EXPECT_EQ(test, clk_total(&t), 0);
	pcmodel_run(t.fake->model, 1000);
	sync_now(&t);
	KUNIT_EXPECT_EQ(test, fault_of(&t), PCOUNTER_OK);
	KUNIT_EXPECT_EQ(test, clk_total(&t), 1000);
	KUNIT_EXPECT_EQ(test, sig_total(&t), 300);
}

static void gone_gpu_is_not_touched(struct kunit *test)
{
	struct pcounter_request req = pcounter_fake_request(DOM, SIG);
	struct fault_test t;
	u64 accesses;

	start(test, &t);
	accesses = t.fake->model->reads + t.fake->model->writes;
	t.fake->gpu.gone = true;
	sync_now(&t);
	pcounter_gpu_poll(&t.fake->gpu);
	KUNIT_EXPECT_EQ(test, pcounter_domain_add(&t.fake->gpu, &req), -ENODEV);
	KUNIT_EXPECT_FALSE(test, pcounter_gpu_commit(&t.fake->gpu));
	pcounter_fake_put(t.fake, DOM);
	pcounter_fake_put(t.fake, DOM);
	KUNIT_EXPECT_EQ(test, t.fake->model->reads + t.fake->model->writes,
			accesses);
}

/**
 * struct reading - another reading of a row of hw:ambiguities
 * @row: the row, for the test's name
 * @line: the model's command for it
 */
struct reading {
	const char *row;
	const char *line;
};

static const struct reading readings[] = {
	{ "none", "" },
	{ "row 1", "quirk write_delay 1" },
	{ "row 1 late", "quirk write_delay 9" },
	{ "row 4", "quirk cycles_alt 1" },
	{ "row 7", "quirk spec_src 1" },
	{ "row 9", "quirk junk 1" },
	{ "row 10", "quirk prev_new 1" },
	{ "row 11", "quirk self_event 1" },
	{ "row 12 kept", "quirk pulse_keep 1" },
	{ "row 12 early", "quirk pulse_early 1" },
	{ "row 13 phase", "quirk periodic_phase 100" },
	{ "row 13 change", "quirk periodic_restart 1" },
	{ "row 15 counters", "quirk quad_clear 1" },
	{ "row 15 state", "quirk quad_state_reset 1" },
	{ "row 16", "garbage 7" },
	{ "row 27 G98", "quirk g98_trailer 1" },
	{ "row 27 G80", "quirk flush_0e 1" },
	{ "row 28", "quirk swap_latency 1" },
	{ "row 28 late", "quirk swap_latency 30" },
};

static void reading_desc(const struct reading *r, char *desc)
{
	strscpy(desc, r->row, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(readings, readings, reading_desc);

#define READING_ROUNDS	10

/*
 * With a clock that runs during the accesses the window is not known to the
 * cycle, but it is the same for all counters, and no cycle of it is lost.
 */
static void check_reading(struct kunit *test, u32 chipset, const char *line)
{
	struct pcounter_fake *fake;
	struct fault_test t;
	unsigned int one, i;
	u64 elapsed, last = 0;

	fake = pcounter_fake_create_chip(test, chipset);
	pcounter_fake_command(test, "signal 1 0x20 duty 30/100");
	pcounter_fake_command(test, "signal 1 0x21 const 1");
	pcounter_fake_command(test, line);
	fake->step = 4;
	t.fake = fake;
	t.sig = add(&t, pcounter_fake_request(DOM, SIG));
	one = add(&t, pcounter_fake_request(DOM, 0x21));
	t.clk = add(&t, pcounter_fake_clk(DOM));
	KUNIT_ASSERT_TRUE(test, pcounter_gpu_commit(&fake->gpu));
	t.from = pcmodel_cycle(fake->model, DOM);
	for (i = 0; i < READING_ROUNDS; i++) {
		pcmodel_run(fake->model, 1000 + 37 * i);
		last = pcmodel_cycle(fake->model, DOM);
		sync_now(&t);
		KUNIT_EXPECT_EQ(test, clk_total(&t),
				fake->gpu.dom[DOM].client[one].total);
	}
	KUNIT_EXPECT_EQ(test, fault_of(&t), PCOUNTER_OK);
	elapsed = last - t.from;
	/* the whole window, and at most the accesses around it: 4 cycles each */
	KUNIT_EXPECT_GE(test, clk_total(&t), elapsed);
	KUNIT_EXPECT_LE(test, clk_total(&t), elapsed + 4 * 2 * READING_ROUNDS);
	KUNIT_EXPECT_GE(test, sig_total(&t) + 30, div_u64(clk_total(&t) * 30, 100));
	KUNIT_EXPECT_LE(test, sig_total(&t), div_u64(clk_total(&t) * 30, 100) + 30);
}

static void right_under_every_reading(struct kunit *test)
{
	static const u32 chipsets[] = { 0x40, 0x50, 0x84, 0x92, 0x98, 0xa3 };
	const struct reading *r = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chipsets); i++)
		check_reading(test, chipsets[i], r->line);
}

/*
 * hw:signals/disputes gives two trailer bases for G98's domains 2 and 5; the
 * flag shows the right one.
 */
static void disputed_trailer_is_found(struct kunit *test)
{
	static const struct {
		unsigned int dom;
		u8 zero[2];
	} expect[] = { { 2, { 0x8c, 0xcc } }, { 5, { 0x6c, 0xec } } };
	struct pcounter_request req;
	struct pcounter_fake *fake;
	unsigned int i, wiki;

	for (i = 0; i < ARRAY_SIZE(expect); i++) {
		for (wiki = 0; wiki < 2; wiki++) {
			fake = pcounter_fake_create_chip(test, 0x98);
			fake->step = 5;
			fake->model->quirks.g98_trailer = wiki;
			req = pcounter_fake_request(expect[i].dom, SIG);
			pcounter_domain_get(&fake->gpu, &req);
			KUNIT_EXPECT_GE(test, pcounter_domain_add(&fake->gpu, &req), 0);
			KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(&fake->gpu));
			KUNIT_EXPECT_EQ(test, fake->gpu.dom[req.dom].hw.swap_src,
					expect[i].zero[wiki]);
		}
	}
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE_PARAM(dead_gpu, pcounter_fake_chips),
	KUNIT_CASE_PARAM(dead_from_the_start, pcounter_fake_chips),
	KUNIT_CASE_PARAM(foreign_swap, pcounter_fake_chips),
	KUNIT_CASE_PARAM(parked_swap_ignores_pm_trigger, pcounter_fake_chips),
	KUNIT_CASE_PARAM(foreign_mode_change, pcounter_fake_chips),
	KUNIT_CASE_PARAM(foreign_source_change, pcounter_fake_chips),
	KUNIT_CASE_PARAM(foreign_registers_are_left_alone, pcounter_fake_chips),
	KUNIT_CASE_PARAM(saturated_counter, pcounter_fake_chips),
	KUNIT_CASE_PARAM(stopped_clock, pcounter_fake_chips),
	KUNIT_CASE_PARAM(stopped_from_the_start, pcounter_fake_chips),
	KUNIT_CASE_PARAM(gone_gpu_is_not_touched, pcounter_fake_chips),
	KUNIT_CASE_PARAM(right_under_every_reading, readings_gen_params),
	KUNIT_CASE(disputed_trailer_is_found),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "pcounter_fault",
	.init = fault_init,
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);

MODULE_LICENSE("GPL");
