// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting in a domain, on every kind of chip: counts are exact to the cycle,
 * and the cost is as documented.
 */
#include <linux/time64.h>

#include "hw/regs.h"
#include "pcounter_fake.h"

#define DOM	1
#define SIG	0x20	/* far from any trailer of domain 1 */

static struct pcounter_fake *fake_of(struct kunit *test)
{
	return test->priv;
}

static bool shared_swap(struct pcounter_fake *fake)
{
	return fake->gpu.gen->caps & PCOUNTER_CAP_SWAP_SHARED;
}

static unsigned int add(struct kunit *test, struct pcounter_request req)
{
	struct pcounter_fake *fake = fake_of(test);
	int user;

	pcounter_domain_get(&fake->gpu, &req);
	user = pcounter_domain_add(&fake->gpu, &req);
	KUNIT_ASSERT_GE(test, user, 0);
	return user;
}

static u64 total(struct kunit *test, unsigned int dom, unsigned int user)
{
	return fake_of(test)->gpu.dom[dom].client[user].total;
}

/* All reads of one snapshot come from one swap. */
static void sync_now(struct kunit *test, unsigned int dom)
{
	struct pcounter_fake *fake = fake_of(test);

	fake->gpu.snapshot++;
	pcounter_domain_sync(&fake->gpu.dom[dom]);
}

static void commit(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(&fake_of(test)->gpu));
}

static int domain_init(struct kunit *test)
{
	pcounter_fake_create(test);
	pcounter_fake_command(test, "signal 1 0x20 duty 30/100");
	pcounter_fake_command(test, "signal 1 0x21 const 1");
	pcounter_fake_command(test, "signal 1 0x22 const 0");
	pcounter_fake_command(test, "signal 1 0x23 random 21845/65536 seed 5");
	pcounter_fake_command(test, "signal 0 0x10 duty 1/7 phase 3");
	return 0;
}

static void counts_are_exact(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	unsigned int duty, one, zero, rnd, clk, i;
	u64 from, to;

	duty = add(test, pcounter_fake_request(DOM, SIG));
	one = add(test, pcounter_fake_request(DOM, 0x21));
	zero = add(test, pcounter_fake_request(DOM, 0x22));
	rnd = add(test, pcounter_fake_request(DOM, 0x23));
	clk = add(test, pcounter_fake_clk(DOM));
	pcmodel_run(fake->model, 12345);
	commit(test);
	from = pcmodel_cycle(fake->model, DOM);
	for (i = 1; i < 50; i++) {
		pcmodel_run(fake->model, 97 * i);
		sync_now(test, DOM);
		to = pcmodel_cycle(fake->model, DOM);
		KUNIT_EXPECT_EQ(test, total(test, DOM, clk), to - from);
		KUNIT_EXPECT_EQ(test, total(test, DOM, one), to - from);
		KUNIT_EXPECT_EQ(test, total(test, DOM, zero), 0);
		KUNIT_EXPECT_EQ(test, total(test, DOM, duty),
				pcounter_fake_count(test, DOM, SIG, from, to));
		KUNIT_EXPECT_EQ(test, total(test, DOM, rnd),
				pcounter_fake_count(test, DOM, 0x23, from, to));
	}
}

/* hw:inputs/op: truth table 0x8888 is the AND of sources 0 and 1 */
static void logic_op_of_two_signals(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	struct pcounter_request req = pcounter_fake_request(DOM, SIG);
	u64 cycle, expected = 0;
	unsigned int user;

	req.in.sig[1] = 0x23;
	req.in.op = 0x8888;
	user = add(test, req);
	commit(test);
	cycle = pcmodel_cycle(fake->model, DOM);
	pcmodel_run(fake->model, 3000);
	for (; cycle < pcmodel_cycle(fake->model, DOM); cycle++)
		expected += pcounter_fake_count(test, DOM, SIG, cycle, cycle + 1) &&
			    pcounter_fake_count(test, DOM, 0x23, cycle, cycle + 1);
	sync_now(test, DOM);
	KUNIT_EXPECT_EQ(test, total(test, DOM, user), expected);
}

/* d0 with the same signal twice: an edge detector, one count for each period */
static void delayed_argument_finds_edges(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	struct pcounter_request req = pcounter_fake_request(DOM, SIG);
	unsigned int user;

	req.in.sig[1] = SIG;
	req.in.op = 0x4444;	/* source 1 and not source 0 delayed */
	req.in.delay = BIT(0);
	user = add(test, req);
	commit(test);
	/* start after the first cycle, whose previous value is unknown */
	pcmodel_run(fake->model, 50);
	sync_now(test, DOM);
	fake->gpu.dom[DOM].client[user].total = 0;
	pcmodel_run(fake->model, 100 * 40);
	sync_now(test, DOM);
	KUNIT_EXPECT_EQ(test, total(test, DOM, user), 40);
}

/* DESIGN 5: one swap, n + 1 counter reads, one state read, one ack */
static void cost_of_a_group_read(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	struct pcmodel *model = fake->model;
	u64 reads, writes;
	unsigned int i;

	for (i = 0; i < 4; i++)
		add(test, pcounter_fake_request(DOM, SIG + i));
	add(test, pcounter_fake_clk(DOM));
	commit(test);
	pcmodel_run(model, 100);
	reads = model->reads;
	writes = model->writes;
	fake->gpu.snapshot++;
	for (i = 0; i < 5; i++)
		pcounter_domain_sync(&fake->gpu.dom[DOM]);
	/*
	 * The shared trigger is a read-modify-write, and other drivers may
	 * pulse it while the driver reads the counters: that costs one more
	 * read of the state.
	 */
	KUNIT_EXPECT_EQ(test, model->reads - reads, shared_swap(fake) ? 8 : 6);
	KUNIT_EXPECT_EQ(test, model->writes - writes, 2);
}

static unsigned int count_writes(struct pcmodel *model, u64 since, u32 addr)
{
	unsigned int n = 0;

	for (; since < model->log_pos; since++) {
		const struct pcmodel_access *a =
			&model->log[since % ARRAY_SIZE(model->log)];

		n += a->write && a->addr == addr;
	}
	return n;
}

/* DESIGN 5: write each differing register once, and one swap */
static void cost_of_enabling(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	struct pcmodel *model = fake->model;
	u64 log, writes;
	unsigned int i;

	add(test, pcounter_fake_request(DOM, SIG));
	commit(test);
	log = model->log_pos;
	writes = model->writes;
	for (i = 1; i < 4; i++)
		add(test, pcounter_fake_request(DOM, SIG + i));
	commit(test);
	for (i = 0; i < PCOUNTER_SLOTS; i++) {
		u32 src = fake_reg(PCOUNTER_REG_SRC + i, DOM);
		u32 op = fake_reg(PCOUNTER_REG_OP + i, DOM);

		KUNIT_EXPECT_LE(test, count_writes(model, log, src), 1);
		KUNIT_EXPECT_LE(test, count_writes(model, log, op), 1);
	}
	/* three inputs, of which the OP of one may be the swap itself; and the ack */
	KUNIT_EXPECT_EQ(test, model->writes - writes,
			3 * 2 + 1 + (shared_swap(fake) ? 1 : 0));
	/* enabling the same again changes nothing and costs nothing */
	writes = model->writes;
	commit(test);
	KUNIT_EXPECT_EQ(test, model->writes, writes);
}

static void nothing_open_costs_nothing(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);

	KUNIT_EXPECT_FALSE(test, pcounter_gpu_commit(&fake->gpu));
	sync_now(test, DOM);
	pcounter_gpu_poll(&fake->gpu);
	pcounter_fake_get(fake, DOM);
	pcounter_fake_put(fake, DOM);
	KUNIT_EXPECT_EQ(test, fake->model->reads + fake->model->writes, 0);
}

static void equal_requests_share(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	unsigned int a, b;
	u64 writes;

	a = add(test, pcounter_fake_request(DOM, SIG));
	commit(test);
	pcmodel_run(fake->model, 100);
	b = add(test, pcounter_fake_request(DOM, SIG));
	KUNIT_EXPECT_EQ(test, a, b);
	writes = fake->model->writes;
	commit(test);
	KUNIT_EXPECT_EQ(test, fake->model->writes, writes);
}

/* perf reschedules all events whenever an event is opened. */
static void coming_back_costs_no_cycle(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	struct pcounter_request req = pcounter_fake_request(DOM, SIG);
	unsigned int user = add(test, req), i;
	u64 from, to;

	commit(test);
	from = pcmodel_cycle(fake->model, DOM);
	for (i = 0; i < 10; i++) {
		pcmodel_run(fake->model, 1001);
		sync_now(test, DOM);
		pcounter_domain_del(&fake->gpu.dom[DOM], user);
		pcmodel_run(fake->model, 17);
		KUNIT_EXPECT_EQ(test, pcounter_domain_add(&fake->gpu, &req), user);
		commit(test);
	}
	pcmodel_run(fake->model, 7);
	sync_now(test, DOM);
	to = pcmodel_cycle(fake->model, DOM);
	KUNIT_EXPECT_EQ(test, total(test, DOM, user),
			pcounter_fake_count(test, DOM, SIG, from, to));
}

/* A request for a certain counter moves a request that can use any counter. */
static void moving_keeps_the_count(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	struct pcounter_request req;
	unsigned int any, clk;
	u64 from;

	any = add(test, pcounter_fake_request(DOM, 0x21));
	clk = add(test, pcounter_fake_clk(DOM));
	commit(test);
	from = pcmodel_cycle(fake->model, DOM);
	pcmodel_run(fake->model, 5000);
	req = pcounter_fake_request(DOM, SIG);
	req.role = PCOUNTER_ROLE_PRE + fake->gpu.dom[DOM].client[any].slot;
	add(test, req);
	commit(test);
	pcmodel_run(fake->model, 5000);
	sync_now(test, DOM);
	KUNIT_EXPECT_EQ(test, total(test, DOM, any),
			pcmodel_cycle(fake->model, DOM) - from);
	KUNIT_EXPECT_EQ(test, total(test, DOM, clk), total(test, DOM, any));
}

static void domains_do_not_disturb_each_other(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	unsigned int a, b, i;
	u64 from_0, from_1;

	a = add(test, pcounter_fake_request(0, 0x10));
	b = add(test, pcounter_fake_request(DOM, SIG));
	commit(test);
	from_0 = pcmodel_cycle(fake->model, 0);
	from_1 = pcmodel_cycle(fake->model, DOM);
	for (i = 0; i < 20; i++) {
		pcmodel_run(fake->model, 333);
		sync_now(test, i & 1);
	}
	sync_now(test, 0);
	sync_now(test, DOM);
	KUNIT_EXPECT_EQ(test, total(test, 0, a),
			pcounter_fake_count(test, 0, 0x10, from_0,
					    pcmodel_cycle(fake->model, 0)));
	KUNIT_EXPECT_EQ(test, total(test, DOM, b),
			pcounter_fake_count(test, DOM, SIG, from_1,
					    pcmodel_cycle(fake->model, DOM)));
}

static void snapshot(struct pcounter_fake *fake, u32 *regs)
{
	unsigned int d, i;

	for (d = 0; d < fake->gpu.topo.nr; d++) {
		for (i = 0; i < PCOUNTER_SLOTS; i++)
			*regs++ = pcmodel_rd32(fake->model, fake_reg(PCOUNTER_REG_SRC + i, d));
		for (i = 0; i < PCOUNTER_OPS; i++)
			*regs++ = pcmodel_rd32(fake->model, fake_reg(PCOUNTER_REG_OP + i, d));
		*regs++ = pcmodel_rd32(fake->model, fake_reg(PCOUNTER_REG_SWAP_SRC, d));
		*regs++ = pcmodel_rd32(fake->model, fake_reg(PCOUNTER_REG_CTRL, d)) &
			  ~(GENMASK(25, 24) | GENMASK(29, 28));
	}
	*regs = pcmodel_rd32(fake->model, NV_PGRAPH_DEBUG_1);
}

/* Values that a former user left in the registers do no harm, and are restored. */
static void garbage_is_put_back(struct kunit *test)
{
	struct pcounter_fake *fake = fake_of(test);
	const size_t words = PCOUNTER_MAX_DOMAINS * 12 + 1;
	u32 *before = kunit_kcalloc(test, 2 * words, sizeof(u32), GFP_KERNEL);
	u32 *after = before + words;
	unsigned int seed, user;
	u64 from;

	KUNIT_ASSERT_NOT_NULL(test, before);
	for (seed = 1; seed < 20; seed++) {
		pcmodel_garbage(fake->model, seed);
		snapshot(fake, before);
		user = add(test, pcounter_fake_request(DOM, SIG));
		commit(test);
		from = pcmodel_cycle(fake->model, DOM);
		pcmodel_run(fake->model, 1234);
		sync_now(test, DOM);
		KUNIT_EXPECT_EQ(test, total(test, DOM, user),
				pcounter_fake_count(test, DOM, SIG, from,
						    from + 1234));
		pcounter_domain_del(&fake->gpu.dom[DOM], user);
		pcounter_gpu_commit(&fake->gpu);
		pcounter_fake_put(fake, DOM);
		snapshot(fake, after);
		KUNIT_EXPECT_MEMEQ(test, before, after, words * sizeof(u32));
	}
}

static void no_room_is_no_error(struct kunit *test)
{
	struct pcounter_request req = pcounter_fake_request(DOM, SIG + 4);
	struct pcounter_fake *fake = fake_of(test);
	unsigned int first = 0, i;

	for (i = 0; i < 4; i++)
		first = add(test, pcounter_fake_request(DOM, SIG + i));
	KUNIT_EXPECT_EQ(test, pcounter_domain_add(&fake->gpu, &req), -EAGAIN);
	commit(test);
	pcounter_domain_del(&fake->gpu.dom[DOM], first);
	KUNIT_EXPECT_GE(test, pcounter_domain_add(&fake->gpu, &req), 0);
	commit(test);
}

static void poll_interval_is_half_of_full(struct kunit *test)
{
	struct pcounter_fake *fake = pcounter_fake_create_chip(test, 0x40);

	add(test, pcounter_fake_request(DOM, SIG));
	KUNIT_ASSERT_TRUE(test, pcounter_gpu_commit(&fake->gpu));
	/* registers are compared once a second */
	KUNIT_EXPECT_EQ(test, pcounter_gpu_poll_ns(&fake->gpu), NSEC_PER_SEC);
	/* 2^31 at 2 GHz; anchors F.2 requires at least a factor of two */
	fake->gpu.dom[DOM].plan.set.ctr = PCOUNTER_CTR_EVENT_B6;
	KUNIT_EXPECT_EQ(test, pcounter_gpu_poll_ns(&fake->gpu), 17043521);
}

static struct kunit_case domain_cases[] = {
	KUNIT_CASE_PARAM(counts_are_exact, pcounter_fake_chips),
	KUNIT_CASE_PARAM(logic_op_of_two_signals, pcounter_fake_chips),
	KUNIT_CASE_PARAM(delayed_argument_finds_edges, pcounter_fake_chips),
	KUNIT_CASE_PARAM(cost_of_a_group_read, pcounter_fake_chips),
	KUNIT_CASE_PARAM(cost_of_enabling, pcounter_fake_chips),
	KUNIT_CASE_PARAM(nothing_open_costs_nothing, pcounter_fake_chips),
	KUNIT_CASE_PARAM(equal_requests_share, pcounter_fake_chips),
	KUNIT_CASE_PARAM(coming_back_costs_no_cycle, pcounter_fake_chips),
	KUNIT_CASE_PARAM(moving_keeps_the_count, pcounter_fake_chips),
	KUNIT_CASE_PARAM(domains_do_not_disturb_each_other, pcounter_fake_chips),
	KUNIT_CASE_PARAM(garbage_is_put_back, pcounter_fake_chips),
	KUNIT_CASE_PARAM(no_room_is_no_error, pcounter_fake_chips),
	KUNIT_CASE(poll_interval_is_half_of_full),
	{}
};

static struct kunit_suite domain_suite = {
	.name = "pcounter_domain",
	.init = domain_init,
	.test_cases = domain_cases,
};

kunit_test_suite(domain_suite);

MODULE_LICENSE("GPL");
