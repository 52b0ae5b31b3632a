// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults that end a domain's counting. The last right value stays, and nothing is added
 * to it.
 */
#include "signals_test.h"

#include <linux/ktime.h>
#include <linux/time64.h>

#define PULSE		0x0a

static void poll_after(unsigned int clocks)
{
	pcmodel_run(g.m, clocks);
	pcounter_gpu_poll(&g.gpu);
}

/* ---- reads that fail ---- */

/* hw:registers/window: the engine is off, a timeout, a missing GPC, a refusal */
TEST(test_error_patterns)
{
	static const u32 patterns[] = {
		0xbad0da40, 0xbad00122, 0xbadf1000, 0xbadf3000, 0xbadf5040,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(patterns); i++) {
		const struct bucket *b = BUCKETS_END - 1 - i % 2;
		struct group grp = { .n = 1, .req = { ask_clk(b->dom) } };
		u64 val;

		gpu_new(b->name);
		assert_true(has(PCOUNTER_CAP_SETS));
		group_begin(&grp, 0);
		pcmodel_run(g.m, 100);
		group_read(&grp, &val);
		say("fault sticky %u %u", reg_of(b, PCOUNTER_REG_CTRL), patterns[i]);
		poll_after(100);
		poll_after(100);
		assert_int_equal(g.gpu.dom[b->dom].unit.fault, PCOUNTER_FAULT_DEAD);
		assert_in_range(g.gpu.dom[b->dom].client[grp.user[0]].total, val, val + 1);
		say("fault none");
		group_stop(&grp);
		gpu_free();
	}
}

/* A GPU that is dead at the first use is not written. */
TEST(test_dead_from_the_start)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask_clk(b->dom) } };

		say("fault dead 1");
		group_begin(&grp, 0);
		assert_int_equal(g.gpu.dom[b->dom].unit.fault, PCOUNTER_FAULT_DEAD);
		group_stop(&grp);
		assert_int_equal(g.m->writes, 0);
	}
}

/* ---- reads that are slow ---- */

static unsigned int slow_reads;

static u32 slow_rd32(struct pcounter_io *io, u32 addr)
{
	shim_clock += 5 * NSEC_PER_MSEC;
	slow_reads++;
	return gpu_rd32(io, addr);
}

/* The driver gives up after some slow reads in a row, and again for the next caller. */
TEST(test_slow)
{
	static const struct pcounter_io_ops slow = { .rd32 = slow_rd32, .wr32 = gpu_wr32 };

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask_clk(b->dom) } };
		const struct pcounter_io_ops *healthy;
		u64 writes;

		healthy = g.io.ops;
		slow_reads = 0;
		group_begin(&grp, 0);
		g.io.ops = &slow;
		for (unsigned int caller = 1; caller <= 2; caller++) {
			for (unsigned int i = 0; i < PCOUNTER_SLOW_READS; i++)
				pcounter_gpu_poll(&g.gpu);
			assert_int_equal(slow_reads, caller * PCOUNTER_SLOW_READS);
			assert_int_equal(g.gpu.dom[b->dom].unit.fault, PCOUNTER_FAULT_SLOW);
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EIO);
			writes = g.m->writes;
			pcounter_wr32(&g.io, reg_of(b, PCOUNTER_REG_CTRL), 0);
			group_stop(&grp);
			assert_int_equal(g.m->writes, writes);
			assert_int_equal(slow_reads, caller * PCOUNTER_SLOW_READS);
			if (caller == 2)
				g.io.ops = healthy;
			assert_true(group_start(&grp));
		}
		/* the GPU has recovered */
		assert_int_equal(g.gpu.dom[b->dom].unit.fault, PCOUNTER_OK);
		group_stop(&grp);
	}
}

/* ---- any answers ---- */

#define HOSTILE_ROUNDS	100
/* A domain's registers twice, and the polls of all its waits. */
#define MOST_READS	2000

static void use_once(void)
{
	struct pcounter_request req[3];
	int user[ARRAY_SIZE(req)];

	for (unsigned int i = 0; i < ARRAY_SIZE(req); i++) {
		req[i] = ask(rnd(g.gpu.topo.nr), rnd(4) ? PCOUNTER_ROLE_ANY : PCOUNTER_ROLE_CLK,
			     rnd(0x40));
		assert_int_equal(pcounter_domain_get(&g.gpu, &req[i]), 0);
		user[i] = pcounter_domain_add(&g.gpu, &req[i]);
	}
	for (unsigned int i = 0; i < 4; i++) {
		u64 reads = g.m->reads;

		pcounter_gpu_commit(&g.gpu);
		g.gpu.snapshot++;
		pcounter_domain_sync(&g.gpu.dom[req[0].dom]);
		pcounter_gpu_poll(&g.gpu);
		assert_in_range(g.m->reads - reads, 0, MOST_READS);
		pcmodel_run(g.m, 100);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(req); i++)
		if (user[i] >= 0)
			pcounter_client_del(&g.gpu, &g.gpu.dom[req[i].dom].client[user[i]]);
	pcounter_gpu_commit(&g.gpu);
	for (unsigned int i = 0; i < ARRAY_SIZE(req); i++)
		pcounter_domain_put(&g.gpu, &req[i]);
}

/* A GPU answers with any value, also while the driver looks for units: work stays bounded. */
TEST(test_any_value)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		for (unsigned int round = 1; round <= HOSTILE_ROUNDS; round++) {
			g.m->hostile = round;
			use_once();
			for (unsigned int i = 0; i < g.gpu.topo.nr; i++)
				assert_int_equal(g.gpu.dom[i].refs, 0);
			assert_int_equal(g.gpu.depth, 0);
		}
		for (unsigned int round = 1; round <= HOSTILE_ROUNDS; round++) {
			struct pcounter_gpu gpu = {};

			g.m->hostile = round;
			assert_int_equal(pcounter_gpu_init(&gpu, g.gpu.chip, g.gpu.gen, &g.io), 0);
			assert_in_range(gpu.topo.nr, 0, PCOUNTER_MAX_DOMAINS);
			pcounter_gpu_free(&gpu);
		}
	}
}

/* ---- counters that run full ---- */

/*
 * Counters that saturate at all ones. A period in which one saturated does not count at
 * all, not even its clock, which is far from full.
 */
TEST(test_saturated_counter)
{
	u64 last[2];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_EVENT, OTHER));
		const struct pcounter_domain *d;

		if (!has(PCOUNTER_CAP_QUAD))
			continue;
		d = &g.gpu.dom[b->dom];
		signals(b->dom);
		group_begin(&grp, 0);
		pcmodel_run(g.m, 1000);
		group_read(&grp, last);
		/* a swap by a pulse is pending, and still has to be added */
		pcmodel_run(g.m, 1);
		group_read_once(&grp, last);
		pcmodel_run(g.m, 1);
		say("preset %u event 0xffffffce", b->dom);
		poll_after(100);
		poll_after(1);
		assert_int_equal(d->unit.fault, PCOUNTER_FAULT_SATURATED);
		/* perf learns of a fault that another processor has logged already */
		assert_int_equal(pcounter_gpu_log_fault(&g.gpu, &g.gpu.dom[b->dom].unit),
				 d->unit.fault);
		assert_true(pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK));
		last[0] = d->client[grp.user[0]].total;
		last[1] = d->client[grp.user[1]].total;
		assert_in_range(last[0], 1000, 1005);
		assert_int_equal(last[1], last[0]);
		for (unsigned int i = 0; i < 3; i++) {
			poll_after(1000);
			g.gpu.snapshot++;
			pcounter_domain_sync(&g.gpu.dom[b->dom]);
			pcounter_gpu_commit(&g.gpu);
			assert_int_equal(d->client[grp.user[0]].total, last[0]);
			assert_int_equal(d->client[grp.user[1]].total, last[1]);
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EIO);
		}
		group_stop(&grp);
		/* the last close ends it */
		assert_true(group_start(&grp));
		group_stop(&grp);
	}
}

/* ---- another program acknowledges a period ---- */

/* The counter whose read it waits for, and its write to QUAD_ACK_TRIGGER. */
static struct {
	u32 counter, addr, val;
} foreign;

static u32 foreign_rd32(struct pcounter_io *io, u32 addr)
{
	u32 val = gpu_rd32(io, addr);

	if (addr == foreign.counter)
		pcmodel_wr32(g.m, foreign.addr, foreign.val);
	return val;
}

/*
 * Where PM_TRIGGER is shared the driver looks at the state again after the values: a
 * period that another program has acknowledged in between does not count.
 */
TEST(test_foreign_ack)
{
	static const struct pcounter_io_ops ops = { .rd32 = foreign_rd32, .wr32 = gpu_wr32 };
	u64 was[2];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_EVENT, OTHER));
		const struct pcounter_domain *d;

		if (!has(PCOUNTER_CAP_QUAD) || !has(PCOUNTER_CAP_SWAP_SHARED))
			continue;
		d = &g.gpu.dom[b->dom];
		signals(b->dom);
		group_begin(&grp, 0);
		pcmodel_run(g.m, 1000);
		group_read(&grp, was);
		foreign.counter = reg_of(b, PCOUNTER_REG_CTR + PCOUNTER_EVENT);
		foreign.addr = reg_of(b, PCOUNTER_REG_ACK);
		foreign.val = has(PCOUNTER_CAP_CTRL_SHARED) ? BIT(8 * b->dom) : 1;
		g.io.ops = &ops;
		poll_after(1000);
		poll_after(1000);
		if (d->unit.fault != PCOUNTER_FAULT_FOREIGN_SWAP)
			fail_msg("%s: %s", b->name, pcounter_fault_text[d->unit.fault]);
		for (unsigned int i = 0; i < 2; i++)
			assert_in_range(d->client[grp.user[i]].total, was[i], was[i] + 1);
		group_stop(&grp);
	}
}

/*
 * Another driver that uses the domain keeps its registers, after the last close, too; the
 * next first use begins from scratch.
 */
TEST(test_left_alone)
{
	u64 grown, writes;

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask_clk(b->dom) } };
		u32 ctrl;

		group_begin(&grp, 0);
		ctrl = reg_of(b, PCOUNTER_REG_CTRL);
		pcmodel_wr32(g.m, ctrl, pcmodel_rd32(g.m, ctrl) ^ 0x1c);
		pcounter_gpu_poll(&g.gpu);
		assert_int_equal(g.gpu.dom[b->dom].unit.fault, PCOUNTER_FAULT_FOREIGN_WRITE);
		writes = g.m->writes;
		group_stop(&grp);
		assert_int_equal(g.m->writes, writes);
		assert_true(group_start(&grp));
		group_grow(&grp, 1000, &grown);
		assert_int_equal(grown, 1000);
		group_stop(&grp);
	}
}

/* ---- a clock that runs, and periods that never end ---- */

/*
 * Return true if a signal can show that the clock runs. It can if the trailer's place is
 * known.
 */
static bool shows_life(const struct bucket *b)
{
	return has(PCOUNTER_CAP_SETS) ||
	       g.gpu.topo.dom[b->dom].trailer != PCOUNTER_TRAILER_UNKNOWN;
}

/* Make QUAD_STATE read @state from now on, independent of the hardware. */
static void freeze_state(const struct bucket *b, u32 state)
{
	unsigned int shift = 24 + (has(PCOUNTER_CAP_CTRL_SHARED) ? 2 * b->dom : 0);
	u32 ctrl = reg_of(b, PCOUNTER_REG_CTRL);

	say("fault sticky %u %u", ctrl,
	    (pcmodel_rd32(g.m, ctrl) & ~(3u << shift)) | state << shift);
}

static void noise(unsigned int dom)
{
	for (unsigned int sig = 0; sig < 8; sig++)
		say("signal %u %u random 32768/65536 seed %u", dom, sig, sig + 1);
}

/*
 * A swap that publishes nothing, or a state that never becomes EMPTY while the clock
 * runs: a fault at the second poll. With a stopped clock it is no fault.
 */
TEST(test_no_period_ends)
{
	const struct bucket *b;
	u64 was[2];

	for (b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int way = 0; way < 4; way++) {
			bool full = way & 1, stopped = way & 2, told;
			struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, OTHER));

			gpu_new(b->name);
			if (!has(PCOUNTER_CAP_QUAD))
				goto next;
			signals(b->dom);
			noise(b->dom);
			told = shows_life(b) && !stopped;
			group_begin(&grp, 0);
			pcmodel_run(g.m, 100);
			group_read(&grp, was);
			pcmodel_run(g.m, 1);
			if (full) {
				/* the state at a first use */
				g.gpu.dom[b->dom].phase = PCOUNTER_PHASE_UNKNOWN;
				freeze_state(b, 3);
			} else {
				freeze_state(b, 0);
			}
			say("clock %u %u/1", b->dom, !stopped);
			poll_after(1000);
			assert_int_equal(g.gpu.dom[b->dom].unit.fault, PCOUNTER_OK);
			poll_after(1000);
			if (g.gpu.dom[b->dom].unit.fault != (told ? PCOUNTER_FAULT_NO_PERIOD :
							       PCOUNTER_OK))
				fail_msg("%s, way %u: %s", b->name, way,
					 pcounter_fault_text[g.gpu.dom[b->dom].unit.fault]);
			poll_after(1000);
			/* the last right value stays */
			assert_in_range(g.gpu.dom[b->dom].client[grp.user[1]].total, was[1],
					was[1] + 1);
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]) == -EIO, told);
			say("fault none");
			group_stop(&grp);
next:
			gpu_free();
		}
	}
}

/* The clock shows in the ordinary signals, up to the last one, and not in the trailer. */
TEST(test_life_of_signals)
{
	static const unsigned int counts[] = { 0x05, 0x20, 0x25 };
	u32 without, with;

	gpu_new("g84");
	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		const struct pcounter_block *b = &g.gpu.dom[1].block;

		without = pcounter_life_of_signals(b, counts[i]);
		with = pcounter_life_of_signals(b, counts[i] + 1);
		say("signal 1 %u const 1", counts[i]);
		pcmodel_run(g.m, 1);
		assert_int_equal(pcounter_life_of_signals(b, counts[i]), without);
		assert_int_not_equal(pcounter_life_of_signals(b, counts[i] + 1), with);
	}
	gpu_free();
}

/*
 * A clock stands still for a while: no cycle is lost, nor added. If it stood still at the
 * first use, no counts of a former user's settings are added.
 */
TEST(test_stopped_clock)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int from_start = 0; from_start < 2; from_start++) {
			struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, OTHER));
			u64 val[2];

			gpu_new(b->name);
			if (!has(PCOUNTER_CAP_QUAD) || has(PCOUNTER_CAP_SETS))
				goto next;
			signals(b->dom);
			say("garbage 3");
			say(from_start ? "quirk swap_latency 3" : "quirk swap_latency 0");
			if (from_start)
				say("clock %u 0/1", b->dom);
			group_begin(&grp, 0);
			if (!from_start)
				pcmodel_run(g.m, 1000);
			say("clock %u 0/1", b->dom);
			for (unsigned int i = 0; i < 3; i++) {
				group_read(&grp, val);
				pcmodel_run(g.m, 1000);
			}
			say("clock %u 1/1", b->dom);
			pcmodel_run(g.m, 1000);
			group_read(&grp, val);
			assert_int_equal(val[1], from_start ? 0 : 2000);
			pcmodel_run(g.m, 1000);
			group_read(&grp, val);
			assert_int_equal(val[1], from_start ? 1000 : 3000);
			assert_int_equal(val[0], val[1]);
			group_stop(&grp);
next:
			gpu_free();
		}
	}
}

/*
 * The state of a process shows late, and another process has to begin: no fault, it begins
 * at a reading after that.
 */
TEST(test_process_begins_late)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask(b->dom, PCOUNTER_ROLE_EVENT, SIG) } };
		u64 was, now;

		if (!has(PCOUNTER_CAP_SINGLE))
			continue;
		signals(b->dom);
		grp.req[0].set.mode = PCOUNTER_MODE_SINGLE;
		group_begin(&grp, 1);
		pcmodel_run(g.m, 100);
		freeze_state(b, 0);
		g.gpu.snapshot++;
		group_del(&grp, 1);
		grp.req[0].in.sig[0] = OTHER;
		grp.user[0] = pcounter_domain_add(&g.gpu, &grp.req[0]);
		pcounter_gpu_commit(&g.gpu);
		say("fault none");
		group_read(&grp, &was);
		pcmodel_run(g.m, 100);
		group_read(&grp, &now);
		assert_in_range(now - was, 98, 100);
		group_stop(&grp);
	}
}

/* ---- a GPU that leaves while events are open ---- */

static void load(const struct bucket *b, struct pcounter_image *img)
{
	memset(img, 0, sizeof(*img));
	pcounter_regs_load(&g.gpu.dom[b->dom].block, img);
}

/*
 * The driver reads the departing GPU once more, also where a signal ends the periods, and
 * restores its registers, if they are reachable and have no other owner. It touches nothing
 * afterwards, and the last right count stays.
 */
TEST(test_leaves)
{
	const struct bucket *b;

	for (b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int way = 0; way < 4; way++) {
			bool restore = way & 1, signalled = way & 2;
			struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, SIG));
			struct pcounter_image found, left, now;
			u64 val[2], more, accesses;

			gpu_new(b->name);
			say("garbage 11");
			load(b, &found);
			signals(b->dom);
			say("signal %u %u duty 1/1000 phase 1", b->dom, PULSE);
			signalled = signalled && has(PCOUNTER_CAP_SWAP_SRC);
			if (signalled)
				grp.req[1].set.swap = PULSE;
			group_begin(&grp, 0);
			pcmodel_run(g.m, 1500);
			group_read(&grp, val);
			pcmodel_run(g.m, 700);
			load(b, &left);
			/* a swap may take a clock */
			g.step = 1;
			pcounter_gpu_leave(&g.gpu, restore);
			g.step = 0;
			load(b, &now);
			if (memcmp(&now, restore ? &found : &left, sizeof(now)))
				fail_msg("%s: registers are not as they were %s", b->name,
					 restore ? "found" : "left");
			accesses = g.m->reads + g.m->writes;
			more = g.gpu.dom[b->dom].client[grp.user[1]].total - val[1];
			/* one period of the signal has ended since */
			if (signalled)
				assert_int_equal(more, restore ? 1000 : 0);
			else
				assert_in_range(more, restore ? 700 : 0, restore ? 800 : 0);
			g.gpu.snapshot++;
			pcounter_domain_sync(&g.gpu.dom[b->dom]);
			pcounter_gpu_poll(&g.gpu);
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -ENODEV);
			assert_false(pcounter_gpu_commit(&g.gpu));
			group_stop(&grp);
			assert_int_equal(g.m->reads + g.m->writes, accesses);
			gpu_free();
		}
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
