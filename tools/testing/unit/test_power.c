// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU that another driver switches off and on: the driver first explains an odd read
 * by that; a GPU is dead only if it stays silent, until it answers again. A GPU that
 * sleeps, or that nothing keeps awake, is never touched.
 */
#include "count_test.h"

#include <linux/ktime.h>
#include <linux/time64.h>

#define SIG		0x08
#define CLOCKS		1000
/* Delay in clocks of a swap, or of the start of a process. */
#define SLACK		10

/* State of the power, in memory: it follows the registers. */
static bool known_on;
/* References that keep the GPU awake, and accesses while it slept or had none. */
static int refs;
static unsigned int touched;
/* Registers except PMC.BOOT_0 read 0. */
static bool zero;

static u32 power_rd32(struct pcounter_io *io, u32 addr)
{
	touched += !refs || !known_on;
	return zero && addr ? 0 : gpu_rd32(io, addr);
}

static void power_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	touched += !refs || !known_on;
	gpu_wr32(io, addr, val);
}

static bool power_awake(struct pcounter_io *io)
{
	return known_on;
}

static bool power_get(struct pcounter_io *io)
{
	refs += known_on;
	return known_on;
}

static void power_put(struct pcounter_io *io)
{
	refs--;
}

static const struct pcounter_io_ops power_ops = {
	.rd32 = power_rd32, .wr32 = power_wr32, .awake = power_awake, .get = power_get,
	.put = power_put,
};

static struct group grp;
static const struct bucket *bucket;

static void begin(const struct bucket *b)
{
	gpu_new(b->name);
	bucket = b;
	known_on = true;
	zero = false;
	touched = 0;
	refs = 0;
	g.io.ops = &power_ops;
	assert_non_null(pcounter_gpu_get(&g.gpu));
	say("garbage 7");
	say("signal %u %u const 1", b->dom, SIG);
	grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, SIG));
	assert_true(group_settle(&grp, 0));
}

/* Let go of the GPU after the last close. */
static void let_go(void)
{
	assert_int_equal(g.gpu.depth, 0);
	assert_false(pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK));
	pcounter_gpu_put(&g.gpu);
	assert_int_equal(refs, 0);
	assert_int_equal(touched, 0);
	gpu_free();
}

static void end(void)
{
	group_stop(&grp);
	let_go();
}

static u64 total(unsigned int i)
{
	return g.gpu.dom[bucket->dom].client[grp.user[i]].total;
}

/* Read the count, and accept that the GPU is off. */
static u64 read_anyhow(void)
{
	g.gpu.snapshot++;
	pcounter_domain_sync(&g.gpu.dom[bucket->dom]);
	return total(0);
}

/* After a wake the driver programs everything again, and both counts are of the same clocks. */
static void counts_on(u64 was)
{
	u64 val[2], before[2];

	assert_true(pcounter_gpu_commit(&g.gpu));
	group_read(&grp, before);
	assert_in_range(before[0], was, was + SLACK);
	pcmodel_run(g.m, CLOCKS);
	group_read(&grp, val);
	assert_in_range(val[0] - before[0], CLOCKS - SLACK, CLOCKS + SLACK);
	assert_int_equal(val[1] - before[1], val[0] - before[0]);
}

static enum pcounter_fault fault(void)
{
	return g.gpu.dom[bucket->dom].unit.fault;
}

/* Power goes off: the registers are gone at once, the state in memory follows later. */
TEST(test_off_and_on)
{
	u64 val[2];

	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		begin(b);
		assert_true(group_start(&grp));
		for (unsigned int i = 0; i < 3; i++) {
			pcmodel_run(g.m, CLOCKS);
			group_read(&grp, val);
			say("fault dead 1");
			assert_int_equal(read_anyhow(), val[0]);
			pcounter_gpu_poll(&g.gpu);
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EAGAIN);
			assert_false(pcounter_gpu_commit(&g.gpu));
			known_on = false;
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EAGAIN);
			shim_clock += 10 * NSEC_PER_SEC;
			assert_int_equal(read_anyhow(), val[0]);
			/* on again: the state shows it before the GPU answers */
			known_on = true;
			assert_false(pcounter_gpu_commit(&g.gpu));
			say("reset");
			say("fault dead 0");
			shim_clock += NSEC_PER_SEC / 2;
			if (pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK))
				fail_msg("%s %u: %s", b->name, i, pcounter_fault_text[fault()]);
			counts_on(val[0]);
			assert_int_equal(g.gpu.sleeps, i + 1);
		}
		end();
	}
}

/* The GPU stays silent without a sign that it is off; then it is back. */
TEST(test_dead)
{
	u64 val[2], asks;

	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		begin(b);
		assert_true(group_start(&grp));
		pcmodel_run(g.m, CLOCKS);
		group_read(&grp, val);
		say("fault dead 1");
		read_anyhow();
		asks = g.m->reads;
		for (unsigned int i = 0; i < 999; i++) {
			shim_clock += NSEC_PER_MSEC;
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EAGAIN);
		}
		assert_int_equal(g.m->reads - asks, 99);
		assert_false(pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK));
		for (unsigned int i = 0; i < 100; i++) {
			shim_clock += NSEC_PER_MSEC;
			pcounter_domain_add(&g.gpu, &grp.req[0]);
		}
		assert_int_equal(fault(), PCOUNTER_FAULT_DEAD);
		assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EIO);
		assert_true(pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK));
		assert_int_equal(pcounter_gpu_log_fault(&g.gpu, &g.gpu.dom[b->dom].unit),
				 PCOUNTER_FAULT_DEAD);
		assert_int_equal(total(0), val[0]);
		say("fault dead 0");
		shim_clock += NSEC_PER_SEC;
		counts_on(val[0]);
		assert_int_equal(fault(), PCOUNTER_OK);
		assert_false(pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK));
		end();
	}
}

/* Values read from a GPU that is off are not restored. */
TEST(test_found)
{
	struct pcounter_image found, now;

	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		begin(b);
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &found);
		say("fault dead 1");
		assert_true(group_start(&grp));
		assert_int_equal(fault(), PCOUNTER_OK);
		say("fault dead 0");
		shim_clock += NSEC_PER_SEC / 2;
		counts_on(0);
		group_stop(&grp);
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &now);
		assert_memory_equal(&now, &found, sizeof(now));
		let_go();
	}
}

/* Start the group, and return its count after some clocks. */
static u64 started(const struct bucket *b)
{
	u64 val[2];

	begin(b);
	assert_true(group_start(&grp));
	pcmodel_run(g.m, CLOCKS);
	group_read(&grp, val);
	return val[0];
}

/* Nothing touches a GPU that sleeps; events may be closed meanwhile. */
TEST(test_closed_asleep)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		u64 was = started(b);

		known_on = false;
		assert_int_equal(read_anyhow(), was);
		assert_true(g.gpu.asleep);
		assert_true(g.gpu.want & PCOUNTER_WANT_RESCHED);
		pcounter_gpu_poll(&g.gpu);
		pcounter_gpu_collect(&g.gpu);
		assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EAGAIN);
		assert_false(pcounter_gpu_commit(&g.gpu));
		assert_int_equal(total(0), was);
		group_stop(&grp);
		assert_int_equal(g.gpu.sleeps, 1);
		let_go();
	}
}

/* Values of a former user survive a sleep that loses nothing. */
TEST(test_found_survives)
{
	struct pcounter_image found, now;

	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		u64 was;

		begin(b);
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &found);
		assert_true(group_start(&grp));
		pcmodel_run(g.m, CLOCKS);
		known_on = false;
		was = read_anyhow();
		known_on = true;
		counts_on(was);
		group_stop(&grp);
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &now);
		assert_memory_equal(&now, &found, sizeof(now));
		let_go();
	}
}

/*
 * A level of USER_1 that is driven after such a sleep, before the events count again, is
 * no register that somebody else has written: it stays, beside the former user's values.
 */
TEST(test_found_survives_user_1)
{
	struct pcounter_image found, now;

	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		const struct pcounter_reg_table *table;
		u64 was;

		begin(b);
		table = g.gpu.gen->table;
		if (!has(PCOUNTER_CAP_USER)) {
			let_go();
			continue;
		}
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &found);
		assert_true(group_start(&grp));
		pcmodel_run(g.m, CLOCKS);
		known_on = false;
		was = read_anyhow();
		known_on = true;
		assert_int_equal(pcounter_quad_user(&g.gpu.dom[b->dom], BIT(1), 0), 0);
		counts_on(was);
		group_stop(&grp);
		assert_int_equal(g.m->dom[b->dom].user & BIT(1), BIT(1));
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &now);
		/* the other levels that can be driven are 0 now */
		found.user &= ~table->user_levels;
		found.user |= BIT(1) & table->user_read;
		assert_memory_equal(&now, &found, sizeof(now));
		let_go();
	}
}

/* A reset that only the registers show, or only a number of its driver. */
TEST(test_reset)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int told = 0; told < 2; told++) {
			u64 was = started(b);

			say("reset");
			g.io.losses += told;
			pcmodel_run(g.m, CLOCKS);
			assert_int_equal(read_anyhow(), was);
			if (fault() != PCOUNTER_OK)
				fail_msg("%s, told %u: %s", b->name, told,
					 pcounter_fault_text[fault()]);
			assert_true(g.gpu.want & PCOUNTER_WANT_COMMIT);
			counts_on(was);
			assert_int_equal(g.gpu.resets, 1);
			end();
		}
	}
}

/*
 * From GT215 on a read that times out returns 0 (hw:coexistence/clocks). It looks like a
 * reset, but new values do not stay in the registers either.
 */
TEST(test_registers_read_zero)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		u64 was = started(b);

		if (!has(PCOUNTER_CAP_READS_ZERO))
			goto next;
		zero = true;
		pcmodel_run(g.m, CLOCKS);
		read_anyhow();
		assert_int_equal(fault(), PCOUNTER_OK);
		assert_true(g.gpu.want & PCOUNTER_WANT_COMMIT);
		pcounter_gpu_commit(&g.gpu);
		assert_int_equal(fault(), PCOUNTER_FAULT_NOT_KEPT);
		assert_true(pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK));
		assert_false(g.gpu.want & PCOUNTER_WANT_COMMIT);
		assert_int_equal(total(0), was);
next:
		end();
	}
}

/* Power goes off in the middle of a section that touches registers. */
TEST(test_off_in_the_middle)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		u64 was = started(b);

		assert_non_null(pcounter_gpu_hold(&g.gpu));
		say("fault dead 1");
		read_anyhow();
		assert_int_equal(fault(), PCOUNTER_FAULT_DEAD);
		known_on = false;
		pcounter_gpu_drop(&g.gpu);
		assert_int_equal(fault(), PCOUNTER_OK);
		assert_true(g.gpu.asleep);
		assert_int_equal(total(0), was);
		end();
	}
}

/* perf's callbacks may use only the references that they got; no value is lost. */
TEST(test_without_a_reference)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		u64 was = started(b), val[2];

		pcounter_gpu_put(&g.gpu);
		pcmodel_run(g.m, CLOCKS);
		assert_int_equal(read_anyhow(), was);
		pcounter_gpu_poll(&g.gpu);
		assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EAGAIN);
		assert_int_equal(touched, 0);
		assert_false(g.gpu.asleep);
		assert_non_null(pcounter_gpu_get(&g.gpu));
		group_read(&grp, val);
		assert_in_range(val[0] - was, CLOCKS, CLOCKS + SLACK);
		end();
	}
}

/* A GPU that leaves gets its registers back, though nothing keeps it awake any more. */
TEST(test_leaves_without_a_reference)
{
	struct pcounter_image found, now;

	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		begin(b);
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &found);
		assert_true(group_start(&grp));
		pcounter_gpu_put(&g.gpu);
		pcounter_gpu_leave(&g.gpu, true);
		assert_int_equal(refs, 0);
		assert_int_equal(touched, 0);
		pcounter_regs_load(&g.gpu.dom[b->dom].block, &now);
		assert_memory_equal(&now, &found, sizeof(now));
		group_stop(&grp);
		gpu_free();
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
