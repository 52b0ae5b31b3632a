// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every feature of hw:modes/features on every bucket: each feature of a chip counts
 * exactly, under both readings of ambiguous documents.
 */
#include "signals_test.h"

/* The other readings of hw:ambiguities that affect counting. */
static const char *const quirks[] = {
	"", "quirk single_restart 1", "quirk start_cycle 1", "quirk no_stop_cycle 1",
	"quirk cycles_alt 1", "quirk ack_swapped 1", "quirk clrflag_setflag_src 1",
	"quirk spec_src 1", "quirk junk 1",
	"quirk prev_new 1", "quirk self_event 1", "quirk pulse_keep 1",
	"quirk pulse_early 1", "quirk periodic_phase 77", "quirk periodic_restart 1",
	"quirk quad_clear 1", "quirk quad_state_reset 1", "quirk flush_0e 1",
	"quirk wrap32 1", "quirk extra_b4_gated 1",
};

/* Delays of writes and swaps, which need time between accesses. */
static const char *const late[] = {
	"quirk write_delay 1", "quirk write_delay 5", "quirk swap_latency 3",
	"quirk write_delay 9", "quirk swap_latency 30", "quirk periodic_phase 100",
};

static u64 count_of(unsigned int dom, unsigned int sig, u64 from, u64 to)
{
	return pcmodel_script_count(&g.m->dom[dom].sig[sig], from, to);
}

static void no_lint(void)
{
	const struct pcmodel_lint none = {};

	assert_memory_equal(&g.m->lint, &none, sizeof(none));
}

/* Counting begins with the commit; in single mode after PRE and START. */
static void free_count(const struct bucket *b)
{
	unsigned int lead = has(PCOUNTER_CAP_QUAD) ? 0 : 2;
	struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, SIG));
	u64 val[2], from, now;

	signals(b->dom);
	group_begin(&grp, 0);
	from = pcmodel_cycle(g.m, b->dom) + lead;
	for (unsigned int i = 0; i < 2; i++) {
		pcmodel_run(g.m, i ? 10007 : 4321);
		now = pcmodel_cycle(g.m, b->dom);
		group_read(&grp, val);
		if (val[0] != count_of(b->dom, SIG, from, now))
			fail_msg("%s: %llu, not %llu", b->name, (unsigned long long)val[0],
				 (unsigned long long)count_of(b->dom, SIG, from, now));
		/* hw:ambiguities/3: the cycle of START may be one of them */
		assert_int_equal(val[1], now - from + (lead && g.m->quirks.start_cycle));
	}
	group_stop(&grp);
}

TEST(test_free_count)
{
	const struct bucket *b;

	for (b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int q = 0; q < ARRAY_SIZE(quirks); q++) {
			gpu_new(b->name);
			say(quirks[q]);
			pcmodel_garbage(g.m, q + 1);
			free_count(b);
			no_lint();
			gpu_free();
		}
	}
}

/* hw:ambiguities/8, the reading in which CTRL cannot be read at all. */
TEST(test_ctrl_that_cannot_be_read)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask_clk(b->dom) } };
		bool pair;

		pair = has(PCOUNTER_CAP_CTRL_SHARED) && g.m->domains > 1;
		say("quirk status_overlap 1");
		group_begin(&grp, 0);
		assert_int_equal(g.gpu.dom[b->dom].unit.fault,
				 pair ? PCOUNTER_FAULT_NO_CTRL : PCOUNTER_OK);
		group_stop(&grp);
	}
}

/* With late effects, ratios inside a group stay exact. */
TEST(test_late_writes)
{
	const struct bucket *b;
	u64 val[2];

	for (b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int q = 0; q < ARRAY_SIZE(late); q++) {
			struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, OTHER));

			gpu_new(b->name);
			signals(b->dom);
			say(late[q]);
			pcmodel_garbage(g.m, 9);
			g.step = 2;
			group_begin(&grp, 0);
			for (unsigned int i = 0; i < 3; i++) {
				pcmodel_run(g.m, 5000);
				group_read_once(&grp, val);
				/* without a latch the reads are one after the other */
				assert_in_range(val[1] - val[0] + 40, 0,
						has(PCOUNTER_CAP_QUAD) ? 40 : 80);
				if (has(PCOUNTER_CAP_QUAD))
					assert_int_equal(val[0], val[1]);
				assert_in_range(val[1], 5000 * (i + 1) - 400,
						5000 * (i + 1) + 400);
			}
			group_stop(&grp);
			gpu_free();
		}
	}
}

/* ---- registers are put back ---- */

struct state_of_domain {
	u32 src[PCMODEL_OPS], op[PCMODEL_OPS], ctrl, raw_ctrl, spec_src, filter, user;
	u64 threshold;
};

static struct state_of_domain state_of(unsigned int dom)
{
	const struct pcmodel_domain *d = &g.m->dom[dom];
	struct state_of_domain s = {
		.ctrl = d->ctrl, .raw_ctrl = d->raw_ctrl, .spec_src = d->spec_src,
		.filter = d->filter, .user = d->user, .threshold = d->threshold,
	};

	memcpy(s.src, d->src, sizeof(s.src));
	memcpy(s.op, d->op, sizeof(s.op));
	return s;
}

TEST(test_registers_are_put_back)
{
	struct state_of_domain before[PCMODEL_DOMAINS], after;
	u32 debug_1, gctrl;

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		pcmodel_garbage(g.m, 1234);
		for (unsigned int i = 0; i < g.m->domains; i++)
			before[i] = state_of(i);
		debug_1 = g.m->debug_1;
		gctrl = g.m->gctrl;
		free_count(b);
		for (unsigned int i = 0; i < g.m->domains; i++) {
			after = state_of(i);
			assert_memory_equal(&before[i], &after, sizeof(after));
			assert_int_equal(g.m->dom[i].single_state, 0);
		}
		assert_int_equal(g.m->debug_1, debug_1);
		assert_int_equal(g.m->gctrl, gctrl);
	}
}

/* GF100+: our swap is a USER signal; if a former user left it at 1, no swap would happen. */
TEST(test_user_signals_left_at_1)
{
	static const struct bucket left[] = {
		{ "gf100", 8 }, { "gf100", 0 }, { "gk104", 6 }, { "gk104", 8 },
	};

	for (const struct bucket *b = left; b < left + ARRAY_SIZE(left); b++) {
		for (u8 user = 1; user < BIT(4); user += 7) {
			struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, OTHER));
			u64 val[2];

			gpu_new(b->name);
			signals(b->dom);
			g.m->dom[b->dom].user = user;
			/* time must pass between an acknowledge and the poll */
			g.step = 2;
			group_begin(&grp, 0);
			pcmodel_run(g.m, 5000);
			group_read_once(&grp, val);
			assert_in_range(val[1], 4900, 5100);
			assert_int_equal(val[0], val[1]);
			group_stop(&grp);
			assert_int_equal(g.m->dom[b->dom].user, user);
			no_lint();
			gpu_free();
		}
	}
}

/* ---- wrapped counters ---- */

/* Counters of 32 bits stop when they are full, see test_faults. */
TEST(test_wrap)
{
	u64 val[2], was[2];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_EVENT, OTHER));

		if (!has(PCOUNTER_CAP_CTR_40))
			continue;
		signals(b->dom);
		group_begin(&grp, 0);
		pcmodel_run(g.m, 100);
		/* 50 clocks before the end; twice, since bit 39 sticks */
		for (unsigned int i = 0; i < 2; i++) {
			say("preset %u event %llu", b->dom,
			    (i ? 1ULL << 39 : 0) | ((1ULL << 39) - 50));
			/* the read position, then the rest of the way */
			group_read(&grp, was);
			pcmodel_run(g.m, 100);
			group_read(&grp, val);
			assert_int_equal(val[0] - was[0], 100);
		}
		group_stop(&grp);
	}
}

/* ---- faults ---- */

enum trouble { DEAD, REWRITTEN, RESELECTED, SWAPPED, DISABLED, TROUBLES };

/* Cause the trouble; return true if the chip can have it. */
static bool make_trouble(const struct bucket *b, enum trouble trouble)
{
	u32 ctrl = reg_of(b, PCOUNTER_REG_CTRL), src = reg_of(b, PCOUNTER_REG_SRC + PCOUNTER_EVENT);
	u32 modes = g.gpu.gen->table->ctrl[0].ctr;

	switch (trouble) {
	case DEAD:
		say("fault dead 1");
		return true;
	case REWRITTEN:
		pcmodel_wr32(g.m, ctrl, pcmodel_rd32(g.m, ctrl) ^ (modes & -modes));
		return true;
	case RESELECTED:
		pcmodel_wr32(g.m, src, ~pcmodel_rd32(g.m, src));
		return true;
	case SWAPPED:
		if (!has(PCOUNTER_CAP_QUAD) || has(PCOUNTER_CAP_SETS))
			return false;
		/* PM_TRIGGER before G84, a PRE_OP write from then on */
		if (has(PCOUNTER_CAP_SWAP_SHARED))
			pcmodel_wr32(g.m, 0x400084, 0x20);
		else
			pcmodel_wr32(g.m, reg_of(b, PCOUNTER_REG_OP + PCOUNTER_PRE), 0);
		return true;
	default:
		if (has(PCOUNTER_CAP_SETS))
			say("pmc 0");
		return has(PCOUNTER_CAP_SETS);
	}
}

TEST(test_faults)
{
	static const enum pcounter_fault expected[TROUBLES] = {
		[DEAD] = PCOUNTER_FAULT_DEAD,
		[REWRITTEN] = PCOUNTER_FAULT_FOREIGN_WRITE,
		[RESELECTED] = PCOUNTER_FAULT_FOREIGN_WRITE,
		[SWAPPED] = PCOUNTER_FAULT_FOREIGN_SWAP,
		/* like after a reset: programmed again */
		[DISABLED] = PCOUNTER_OK,
	};
	const struct bucket *b;
	u64 was[2];

	for (b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int t = 0; t < TROUBLES; t++) {
			struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_EVENT, SIG));
			const struct pcounter_domain *d;
			u64 writes;

			gpu_new(b->name);
			d = &g.gpu.dom[b->dom];
			signals(b->dom);
			group_begin(&grp, 0);
			pcmodel_run(g.m, 1000);
			group_read(&grp, was);
			if (make_trouble(b, t)) {
				pcmodel_run(g.m, 1000);
				pcounter_gpu_poll(&g.gpu);
				if (d->unit.fault != expected[t])
					fail_msg("%s, trouble %u: %s", b->name, t,
						 pcounter_fault_text[d->unit.fault]);
				/* perf is told once */
				assert_int_equal(pcounter_gpu_take_resched(&g.gpu,
									   PCOUNTER_WANT_CHECK),
						 d->unit.fault != PCOUNTER_OK);
				assert_false(pcounter_gpu_take_resched(&g.gpu,
								       PCOUNTER_WANT_CHECK));
				/* the last right count stays, and no new event is accepted */
				for (unsigned int i = 0; i < 2; i++)
					assert_in_range(d->client[grp.user[i]].total, was[i],
							was[i] + 1);
				assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]),
						 d->unit.fault ? -EIO : grp.user[0]);
				assert_int_equal(g.gpu.want & PCOUNTER_WANT_COMMIT,
						 d->unit.fault ? 0 : PCOUNTER_WANT_COMMIT);
				if (!d->unit.fault)
					pcounter_client_del(&g.gpu, &g.gpu.dom[b->dom]
									.client[grp.user[0]]);
			}
			writes = g.m->writes;
			group_stop(&grp);
			/* a dead GPU, or one that another driver uses, is left alone */
			if (expected[t] == PCOUNTER_FAULT_DEAD ||
			    expected[t] == PCOUNTER_FAULT_FOREIGN_WRITE)
				assert_int_equal(g.m->writes, writes);
			gpu_free();
		}
	}
}

/* ---- between domains ---- */

/* Return the signal for EVENT or FLAG of domain @from in domain @dom. */
static unsigned int import_signal(unsigned int dom, unsigned int from, bool flag)
{
	unsigned int trailer = g.m->dom[dom].trailer, n = g.gpu.topo.dom[from].dom;

	if (has(PCOUNTER_CAP_SETS))
		return trailer + (flag ? 0x3f : 0x37) - n;
	if (has(PCOUNTER_CAP_CTRL_SHARED))
		return trailer + 0x1f - n;
	return trailer + (flag ? 0x1f : 0x17) - n;
}

/*
 * Domain 0 sets a flag for good in its clock n: domain 0 sees FLAG in clock n + 2
 * (hw:inputs/flag), and domain 1 two clocks later (hw:inputs/imports).
 */
TEST(test_flag_gates_another_domain)
{
	u64 val[1], from;

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group setter = { .n = 1, .req = { ask(0, PCOUNTER_ROLE_SETFLAG, SIG) } };
		struct group gated = { .n = 1 };
		unsigned int flag, first = 0;

		if (g.m->domains < 2)
			continue;
		flag = import_signal(1, 0, true);
		gated.req[0] = ask(1, PCOUNTER_ROLE_EVENT, OTHER);
		gated.req[0].in.sig[1] = flag;
		gated.req[0].in.op = 0x8888;
		say("signal 0 8 const 0");
		say("signal 1 %u const 1", OTHER);
		/* clear old flags */
		assert_true(group_settle(&setter, 0));
		assert_true(group_settle(&gated, 0));
		assert_true(group_start(&setter));
		assert_true(group_start(&gated));
		pcmodel_run(g.m, 50);
		group_read(&gated, val);
		assert_int_equal(val[0], 0);
		from = pcmodel_cycle(g.m, 1);
		say("signal 0 8 const 1");
		pcmodel_run(g.m, 1000);
		first = group_read(&gated, val);
		assert_int_equal(val[0], pcmodel_cycle(g.m, 1) - first - from - 4);
		group_stop(&gated);
		group_stop(&setter);
	}
}

/*
 * hw:inputs/imports: each rising edge of another domain's EVENT is one local
 * clock.
 */
TEST(test_import_modes)
{
	const struct bucket *b;
	u64 grown[1];

	for (b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int pulse = 0; pulse < 2; pulse++) {
			struct group source = { .n = 1, .req = {
				ask(0, PCOUNTER_ROLE_EVENT, SIG) } };
			struct group sink = { .n = 1 };

			gpu_new(b->name);
			if (!has(PCOUNTER_CAP_IMPORT))
				goto next;
			sink.req[0] = ask(1, PCOUNTER_ROLE_ANY, import_signal(1, 0, false));
			sink.req[0].set.evpulse = pulse;
			/* runs of 3 ones in 10 clocks */
			say("signal 0 8 duty 3/10");
			assert_true(group_settle(&source, 0));
			assert_true(group_settle(&sink, 0));
			assert_true(group_start(&source));
			assert_true(group_start(&sink));
			pcmodel_run(g.m, 80);
			group_grow(&sink, 1000, grown);
			assert_int_equal(grown[0], pulse ? 100 : 300);
			group_stop(&sink);
			group_stop(&source);
next:
			gpu_free();
		}
	}
}

/* ---- periods that a signal ends ---- */

/* In any counter, PRE included, though some layouts swap by a write of PRE_OP. */
static void swap_by_signal(const struct bucket *b, enum pcounter_role role)
{
	struct group grp = with_clk(ask(b->dom, role, SIG));
	u64 val[2];

	signals(b->dom);
	/* one pulse in 1000 clocks */
	say("signal %u 0x11 duty 1/1000 phase 1", b->dom);
	grp.req[1].set.swap = 0x11;
	group_begin(&grp, 0);
	pcmodel_run(g.m, 1500);
	group_read_once(&grp, val);
	/* it ended a period that began before the driver's first one */
	assert_int_equal(val[1], 0);
	for (unsigned int i = 1; i <= 3; i++) {
		pcmodel_run(g.m, 1000);
		group_read_once(&grp, val);
		assert_int_equal(val[1], 1000 * i);
		assert_int_equal(val[0], 300 * i);
	}
	/* two ends without a poll: lost, and reported */
	assert_int_equal(g.gpu.dom[b->dom].missed, 0);
	pcmodel_run(g.m, 2000);
	group_read_once(&grp, val);
	assert_int_equal(val[1], 3000);
	assert_int_equal(g.gpu.dom[b->dom].missed, 1);
	pcmodel_run(g.m, 1000);
	group_read_once(&grp, val);
	assert_int_equal(val[1], 4000);
	assert_int_equal(g.gpu.dom[b->dom].unit.fault, PCOUNTER_OK);
	group_stop(&grp);
}

TEST(test_swap_by_signal)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int role = PCOUNTER_ROLE_ANY; role <= PCOUNTER_ROLE_STOP; role++) {
			gpu_new(b->name);
			if (has(PCOUNTER_CAP_SWAP_SRC))
				swap_by_signal(b, role);
			gpu_free();
		}
	}
}

/*
 * hw:inputs/periodic: a pulse every 2^(9+n) clocks, also if a former user held the
 * generators.
 */
TEST(test_periodic)
{
	u64 val[1];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask_clk(b->dom) } };
		unsigned int trailer;
		u32 *held;

		if (!has(PCOUNTER_CAP_PERIODIC))
			continue;
		held = has(PCOUNTER_CAP_SETS) ? &g.m->set_ctrl[1] : &g.m->gctrl;
		if (has(PCOUNTER_CAP_SETS) && b->dom == 6)
			held = &g.m->set_ctrl[0];
		*held = BIT(4);
		trailer = g.m->dom[b->dom].trailer;
		grp.req[0].set.periodic = 3;
		grp.req[0].set.swap = trailer + (has(PCOUNTER_CAP_SETS) ? 0x2e : 0x0d);
		group_begin(&grp, 0);
		assert_int_equal(*held, 0);
		for (unsigned int i = 0; i < 6; i++) {
			pcmodel_run(g.m, 4096);
			group_read_once(&grp, val);
		}
		assert_int_equal(val[0], 5 * 4096);
		group_stop(&grp);
		assert_int_equal(*held, BIT(4));
	}
}

/* A USER pulse can also be the driver's swap: it needs its clock. */
static void drive(unsigned int dom, u32 levels, u32 pulses)
{
	if (!pcounter_quad_user(&g.gpu.dom[dom], levels, pulses))
		return;
	assert_true(has(PCOUNTER_CAP_SETS));
	pcmodel_run(g.m, 1);
	assert_int_equal(pcounter_quad_user(&g.gpu.dom[dom], levels, pulses), 0);
}

TEST(test_user_signals)
{
	u64 val[2], was[2];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 2 };
		unsigned int user, all;

		if (!has(PCOUNTER_CAP_USER))
			continue;
		user = has(PCOUNTER_CAP_SETS) ? g.m->dom[b->dom].trailer + 0x28u :
						(unsigned int)g.m->chip->user[b->dom] + 1;
		grp.req[0] = ask(b->dom, PCOUNTER_ROLE_ANY, user);
		grp.req[1] = ask_clk(b->dom);
		group_begin(&grp, 0);
		pcmodel_run(g.m, 10);
		/* a level survives the driver's own swaps, a pulse lasts one clock */
		drive(b->dom, BIT(1), 0);
		pcmodel_run(g.m, 50);
		group_grow(&grp, 70, val);
		assert_int_equal(val[0], 70);
		drive(b->dom, 0, 0);
		pcmodel_run(g.m, 70);
		pcmodel_run(g.m, 70 - group_read(&grp, was));
		drive(b->dom, BIT(1), BIT(1));
		pcmodel_run(g.m, 70);
		group_read(&grp, val);
		assert_int_equal(val[0] - was[0], 1);
		/* the driver knows the level of each free signal */
		all = has(PCOUNTER_CAP_SETS) ? GENMASK(3, 1) : GENMASK(1, 0);
		drive(b->dom, all, 0);
		assert_int_equal(g.gpu.dom[b->dom].hw.user, all);
		/* and the driver does not restore the value that it found */
		drive(b->dom, BIT(1), 0);
		group_stop(&grp);
		assert_int_equal(g.m->dom[b->dom].user, BIT(1));
	}
}

/* ---- shared registers ---- */

/* NV30:G84: DEBUG_1 is the graphics driver's; its other bits survive. */
TEST(test_debug_1)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		free_count(b);
		for (u64 i = 0; i < g.m->log_pos && i < PCMODEL_LOG; i++) {
			const struct pcmodel_access *a = &g.m->log[i];

			if (a->addr != 0x400084)
				continue;
			assert_true(has(PCOUNTER_CAP_SWAP_SHARED));
			if (a->write)
				assert_int_equal(a->val & ~BIT(5), g.m->debug_1);
		}
	}
}

/* hw:ambiguities/5: either way round the bits are found out, whichever domain is first. */
TEST(test_shared_ack)
{
	u64 val[2];

	for (unsigned int way = 0; way < 4; way++) {
		struct group grp[2];

		gpu_new("nv31");
		assert_true(has(PCOUNTER_CAP_ACK_SHARED));
		say(way & 1 ? "quirk ack_swapped 1" : "quirk ack_swapped 0");
		pcmodel_garbage(g.m, 7 + way);
		for (unsigned int i = 0; i < 2; i++) {
			unsigned int dom = i ^ way >> 1;

			signals(dom);
			grp[i] = with_clk(ask(dom, PCOUNTER_ROLE_ANY, OTHER));
			group_begin(&grp[i], 0);
			pcmodel_run(g.m, 1000);
		}
		for (unsigned int i = 0; i < 2; i++) {
			group_read(&grp[i], val);
			assert_int_equal(val[0], i ? 1000 : 2000);
			assert_int_equal(val[1], val[0]);
			group_stop(&grp[i]);
		}
		gpu_free();
	}
}

/* GF100+: set bit 28 of PMC.ENABLE only if it is clear. */
TEST(test_pmc_enable)
{
	static const u32 found[] = { 0xffffffff, 0xe0001111, 0x10001000 };
	const struct bucket *b;

	for (b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(found); i++) {
			gpu_new(b->name);
			say("pmc %u", found[i]);
			free_count(b);
			assert_int_equal(g.m->lint.pmc, 0);
			assert_int_equal(g.m->pmc_enable,
					 has(PCOUNTER_CAP_SETS) ? found[i] | BIT(28) :
								  found[i]);
			gpu_free();
		}
	}
}

/* Two domains share one CTRL: a process of one must survive a change of the other. */
TEST(test_shared_ctrl)
{
	static const char *const chips[] = { "nv20", "nv30" };
	u64 val[2], from;

	for (unsigned int i = 0; i < ARRAY_SIZE(chips); i++) {
		struct group process = { .n = 1, .req = { ask(0, PCOUNTER_ROLE_EVENT, OTHER) } };
		struct group sum = { .n = 2, .req = { ask(1, PCOUNTER_ROLE_EVENT, SIG),
						      ask(1, PCOUNTER_ROLE_START, SIG) } };
		struct group plain = { .n = 1, .req = { ask_clk(1) } };

		gpu_new(chips[i]);
		signals(0);
		signals(1);
		process.req[0].set.mode = PCOUNTER_MODE_SINGLE;
		process.req[0].set.all = true;
		group_begin(&process, 1);
		from = pcmodel_cycle(g.m, 0) + 2;
		pcmodel_run(g.m, 100);
		/* EVENT_B4 for domain 1 would be EVENT_B4 for domain 0 */
		sum.req[0].set.ctr = 1;
		sum.req[0].set.mode = PCOUNTER_MODE_SINGLE;
		assert_true(group_settle(&sum, 2));
		assert_false(group_start(&sum));
		/* accept a group with the same CTRL; NV30 would need quad mode */
		assert_true(group_settle(&plain, 0));
		if (group_start(&plain)) {
			assert_false(has(PCOUNTER_CAP_QUAD));
			pcmodel_run(g.m, 100);
			group_read(&plain, val);
			assert_int_equal(val[0], 98);
			group_stop(&plain);
		} else {
			assert_true(has(PCOUNTER_CAP_QUAD));
			pcmodel_run(g.m, 100);
		}
		pcmodel_run(g.m, 100);
		group_read(&process, val);
		assert_int_equal(val[0], pcmodel_cycle(g.m, 0) - from);
		group_stop(&process);
		assert_int_equal(g.m->lint.tvout, 0);
		gpu_free();
	}
}

/* GK104-: with clock gating the engine does not count, in one reading of the documents. */
TEST(test_clock_gating)
{
	static const u32 on[] = { 0x1ff, 0x1ff, 0x1ff, 1 }, off[ARRAY_SIZE(on)];
	struct group a = { .n = 1, .req = { ask_clk(6) } };
	struct group b = { .n = 1, .req = { ask_clk(9) } };
	u64 grown;

	gpu_new("gk104");
	say("quirk slcg_stops 1");
	memcpy(g.m->slcg, on, sizeof(on));
	group_settle(&a, 0);
	group_settle(&b, 0);
	assert_true(group_start(&a));
	assert_true(group_start(&b));
	assert_memory_equal(g.m->slcg, off, sizeof(off));
	for (unsigned int lost = 0; lost < 2; lost++) {
		group_grow(&b, 100, &grown);
		assert_int_equal(grown, 100);
		/* power goes and comes, and the owner restores its own settings */
		pcmodel_reset(g.m);
		memcpy(g.m->slcg, on, sizeof(on));
		g.io.losses++;
		pcounter_gpu_poll(&g.gpu);
		pcounter_gpu_commit(&g.gpu);
		assert_memory_equal(g.m->slcg, off, sizeof(off));
	}
	group_stop(&a);
	assert_memory_equal(g.m->slcg, off, sizeof(off));
	group_stop(&b);
	assert_memory_equal(g.m->slcg, on, sizeof(on));
	/* bits that another driver has set in between stay */
	assert_true(group_start(&a));
	g.m->slcg[0] = 0x100;
	group_stop(&a);
	assert_int_equal(g.m->slcg[0], 0x100);
	gpu_free();
}

int main(void)
{
	return unit_run(NULL, NULL);
}
