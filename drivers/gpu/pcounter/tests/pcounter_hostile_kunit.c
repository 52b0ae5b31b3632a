// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU that answers with any value, or slowly: the driver's work stays
 * bounded, it corrupts no memory, and afterwards all state is as before.
 */
#include <linux/ktime.h>
#include <linux/processor.h>
#include <linux/string.h>

#include "pcounter_fake.h"

#define ROUNDS	100	/* for each chip; rounds on chips with many domains are slow */
/* A domain's registers twice, and the polls of all its waits. */
#define MOST_READS	2000

static const struct pcounter_fake_chip hostile_chips[] = {
	{ 0x10, "nv10" }, { 0x20, "nv20" }, { 0x31, "nv31" }, { 0x40, "nv40" },
	{ 0x84, "g84" }, { 0x98, "g98" }, { 0xa3, "gt215" }, { 0xc0, "gf100" },
	{ 0xe4, "gk104" },
};

static void hostile_name(const struct pcounter_fake_chip *chip, char *desc)
{
	strscpy(desc, chip->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hostile, hostile_chips, hostile_name);

static struct pcounter_fake *hostile_gpu(struct kunit *test)
{
	const struct pcounter_fake_chip *chip = test->param_value;

	return pcounter_fake_create_chip(test, chip->chipset);
}

static u32 next(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Return a random request within the GPU's topology, for a counter or the clock. */
static struct pcounter_request any_request(struct pcounter_fake *fake, u64 *state)
{
	unsigned int dom = next(state) % fake->gpu.topo.nr;

	if (next(state) % 4)
		return pcounter_fake_request(dom, next(state) % 0x40);
	return pcounter_fake_clk(dom);
}

static void use_once(struct kunit *test, struct pcounter_fake *fake, u64 *state)
{
	struct pcounter_request req[3];
	struct pcounter_gpu *gpu = &fake->gpu;
	int user[ARRAY_SIZE(req)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(req); i++) {
		req[i] = any_request(fake, state);
		KUNIT_ASSERT_EQ(test, pcounter_domain_get(gpu, &req[i]), 0);
		user[i] = pcounter_domain_add(gpu, &req[i]);
	}
	for (i = 0; i < 4; i++) {
		u64 reads = fake->model->reads;

		pcounter_gpu_commit(gpu);
		gpu->snapshot++;
		pcounter_domain_sync(&gpu->dom[req[0].dom]);
		pcounter_gpu_poll(gpu);
		KUNIT_EXPECT_LT(test, fake->model->reads - reads, MOST_READS);
		pcmodel_run(fake->model, 100);
	}
	for (i = 0; i < ARRAY_SIZE(req); i++)
		if (user[i] >= 0)
			pcounter_domain_del(&gpu->dom[req[i].dom], user[i]);
	pcounter_gpu_commit(gpu);
	for (i = 0; i < ARRAY_SIZE(req); i++)
		pcounter_domain_put(gpu, &req[i]);
}

static void anything_on_any_read(struct kunit *test)
{
	struct pcounter_fake *fake = hostile_gpu(test);
	u64 state = 1;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		fake->model->hostile = i + 1;
		use_once(test, fake, &state);
	}
	for (i = 0; i < fake->gpu.topo.nr; i++)
		KUNIT_EXPECT_EQ(test, fake->gpu.dom[i].refs, 0);
	KUNIT_EXPECT_EQ(test, fake->gpu.depth, 0);
}

/* Answer with any value also while the driver reads the masks of units. */
static void anything_at_probe(struct kunit *test)
{
	struct pcounter_fake *fake = hostile_gpu(test);
	struct pcounter_gpu *gpu = kunit_kzalloc(test, sizeof(*gpu), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, gpu);
	for (i = 0; i < ROUNDS; i++) {
		fake->model->hostile = i + 1;
		memset(gpu, 0, sizeof(*gpu));
		KUNIT_ASSERT_EQ(test, 0, pcounter_gpu_init(gpu, fake->gpu.chip,
							   fake->gpu.gen, &fake->io));
		KUNIT_EXPECT_LE(test, gpu->topo.nr, PCOUNTER_MAX_DOMAINS);
		pcounter_gpu_free(gpu);
	}
}

/* ---- slowness ---- */

static unsigned int slow_reads;

static u32 slow_rd32(struct pcounter_io *io, u32 addr)
{
	struct pcounter_fake *fake = container_of(io, struct pcounter_fake, io);
	u64 end = ktime_get_ns() + 5 * NSEC_PER_MSEC;

	slow_reads++;
	/* mdelay() may be too short if the time base is not steady */
	while (ktime_get_ns() < end)
		cpu_relax();
	return pcmodel_rd32(fake->model, addr);
}

static void slow_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	struct pcounter_fake *fake = container_of(io, struct pcounter_fake, io);

	pcmodel_wr32(fake->model, addr, val);
}

static const struct pcounter_io_ops slow_ops = {
	.rd32 = slow_rd32,
	.wr32 = slow_wr32,
};

static void slow_reads_are_given_up(struct kunit *test)
{
	struct pcounter_fake *fake = hostile_gpu(test);
	const struct pcounter_io_ops *ops = fake->io.ops;
	struct pcounter_request req = pcounter_fake_clk(0);
	struct pcounter_gpu *gpu = &fake->gpu;
	unsigned int i;
	int user;

	pcounter_fake_get(fake, 0);
	user = pcounter_domain_add(gpu, &req);
	KUNIT_ASSERT_GE(test, user, 0);
	KUNIT_ASSERT_TRUE(test, pcounter_gpu_commit(gpu));
	/* a pause of the machine before one of these reads made the read slow */
	pcounter_io_retry(&fake->io);
	slow_reads = 0;
	fake->io.ops = &slow_ops;
	for (i = 0; i < PCOUNTER_SLOW_READS; i++)
		pcounter_gpu_poll(gpu);
	KUNIT_EXPECT_EQ(test, slow_reads, PCOUNTER_SLOW_READS);
	KUNIT_EXPECT_EQ(test, gpu->dom[0].unit.fault, PCOUNTER_FAULT_SLOW);
	KUNIT_EXPECT_EQ(test, pcounter_domain_add(gpu, &req), -EIO);
	pcounter_domain_del(&gpu->dom[0], user);
	pcounter_gpu_commit(gpu);
	pcounter_fake_put(fake, 0);
	KUNIT_EXPECT_EQ(test, slow_reads, PCOUNTER_SLOW_READS);
	/* the next caller waits as long, but only once */
	pcounter_fake_get(fake, 0);
	user = pcounter_domain_add(gpu, &req);
	pcounter_gpu_commit(gpu);
	for (i = 0; i < PCOUNTER_SLOW_READS; i++)
		pcounter_gpu_poll(gpu);
	KUNIT_EXPECT_EQ(test, slow_reads, 2 * PCOUNTER_SLOW_READS);
	if (user >= 0)
		pcounter_domain_del(&gpu->dom[0], user);
	pcounter_gpu_commit(gpu);
	pcounter_fake_put(fake, 0);
	/* or the next caller finds a healthy GPU */
	fake->io.ops = ops;
	pcounter_fake_get(fake, 0);
	user = pcounter_domain_add(gpu, &req);
	KUNIT_EXPECT_GE(test, user, 0);
	KUNIT_EXPECT_TRUE(test, pcounter_gpu_commit(gpu));
	KUNIT_EXPECT_EQ(test, gpu->dom[0].unit.fault, PCOUNTER_OK);
	pcounter_domain_del(&gpu->dom[0], user);
	pcounter_gpu_commit(gpu);
	pcounter_fake_put(fake, 0);
}

static struct kunit_case hostile_cases[] = {
	KUNIT_CASE_PARAM(anything_on_any_read, hostile_gen_params),
	KUNIT_CASE_PARAM(anything_at_probe, hostile_gen_params),
	KUNIT_CASE_PARAM(slow_reads_are_given_up, hostile_gen_params),
	{}
};

static struct kunit_suite hostile_suite = {
	.name = "pcounter_hostile",
	.test_cases = hostile_cases,
};

kunit_test_suite(hostile_suite);

MODULE_LICENSE("GPL");
