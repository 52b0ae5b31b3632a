// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source muxes: set while an event needs them, with the others on the same wires off,
 * and all restored by the last close.
 */
#include "count_test.h"
#include "rules/place.h"

#define L1_GPC1_TPC0	0x50c4a8	/* 0x500000 + 0x8000 + 0x4000 + 0x4a8 */
/* numbers of the term "mux" */
enum { GPC_PROP = 2, TEX_A = 17, UNK400 = 21, L1, PBFB_ALL = 37, PBFB, PMFB, SLICE = 42, SUBP };
enum { MPC_0 = 2, MPC_1, TEX = 6, TEX_UNK1C, PROP };

static struct group muxed(unsigned int dom, unsigned int sel)
{
	struct group grp = with_clk(ask(dom, PCOUNTER_ROLE_ANY, 0x10));

	grp.req[0].mux[0].id = L1;
	grp.req[0].mux[0].sel = sel;
	group_settle(&grp, 0);
	return grp;
}

/* One event, or the clock, with a mux. */
static struct group one(unsigned int dom, unsigned int sig, u8 id, u8 tpc, u16 sel)
{
	struct group grp = with_clk(ask(dom, PCOUNTER_ROLE_ANY, sig));

	grp.req[0].mux[0].id = id;
	grp.req[0].mux[0].tpc = tpc;
	grp.req[0].mux[0].sel = sel;
	group_settle(&grp, 0);
	return grp;
}

/* Check the counts of a group whose signal is 1 in @want of 100 clocks. */
static void check_counts(struct group *grp, unsigned int want)
{
	u64 grown[2];

	group_grow(grp, 100, grown);
	assert_int_equal(grown[0], want);
	assert_int_equal(grown[1], 100);
}

TEST(test_mux)
{
	struct group five, again, six;
	u32 found;

	gpu_new("gf100");
	found = pcmodel_rd32(g.m, L1_GPC1_TPC0);
	assert_int_not_equal(found, 0);
	say("mux 0x50c4a8 0x8000003f 0x80000005 gpc1.0 0x10 const 1");
	five = muxed(9, 5);
	again = muxed(9, 5);
	six = muxed(9, 6);
	assert_true(group_start(&five));
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0),
			 (found & ~0x8000003f) | 0x80000005);
	check_counts(&five, 100);
	/* one position at a time; the same one is shared */
	assert_false(group_start(&six));
	assert_true(group_start(&again));
	group_stop(&five);
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0),
			 (found & ~0x8000003f) | 0x80000005);
	/* the last user restores the original value */
	group_stop(&again);
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0), found);
	assert_true(group_start(&six));
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0),
			 (found & ~0x8000003f) | 0x80000006);
	group_stop(&six);
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0), found);
	gpu_free();
}

/* Two muxes of one event: both set, both put back; one position of each at a time. */
TEST(test_two_muxes)
{
	const u32 tex = 0x50c2b0;	/* TEX A of that TPC */
	struct group both, tex_only = { .n = 1 };
	u32 found[2];

	gpu_new("gf100");
	found[0] = pcmodel_rd32(g.m, L1_GPC1_TPC0);
	found[1] = pcmodel_rd32(g.m, tex);
	both = muxed(9, 5);
	both.req[0].mux[1] = (struct pcounter_mux_setting){ .id = TEX_A, .sel = 7 };
	tex_only.req[0] = ask_clk(9);
	tex_only.req[0].mux[0] = (struct pcounter_mux_setting){ .id = TEX_A, .sel = 8 };
	group_settle(&tex_only, 0);
	assert_true(group_start(&both));
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0),
			 (found[0] & ~0x8000003f) | 0x80000005);
	assert_int_equal(pcmodel_rd32(g.m, tex), (found[1] & ~0x8000003f) | 0x80000007);
	assert_false(group_start(&tex_only));
	group_stop(&both);
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0), found[0]);
	assert_int_equal(pcmodel_rd32(g.m, tex), found[1]);
	/* in the other order the first mux is released again */
	assert_true(group_start(&tex_only));
	assert_false(group_start(&both));
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0), found[0]);
	group_stop(&tex_only);
	assert_true(group_start(&both));
	group_stop(&both);
	gpu_free();
}

/* A second mux that cannot be set affects only its event, like the first one. */
TEST(test_bad_second_mux)
{
	struct pcounter_mux_failure failure;
	struct group grp;

	gpu_new("gf100");
	grp = muxed(9, 5);
	say("fault sticky 0x5084a0 0x80000012");
	grp.req[0].mux[1] = (struct pcounter_mux_setting){ .id = GPC_PROP, .sel = 0x13 };
	assert_true(group_start(&grp));
	assert_true(pcounter_mux_next_failure(&g.gpu.muxes, &failure));
	assert_memory_equal(&failure.setting, &grp.req[0].mux[1], sizeof(failure.setting));
	group_del(&grp, grp.n);
	pcounter_gpu_commit(&g.gpu);
	assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EIO);
	for (unsigned int i = 0; i < grp.n; i++)
		pcounter_domain_put(&g.gpu, &grp.req[i]);
	gpu_free();
}

/* TEX C and D: two fields of one register, one enable bit for both. */
TEST(test_muxes_in_one_register)
{
	struct group c = { .n = 1 }, d = { .n = 1 };
	const u32 reg = 0x50c2c0;
	u32 found;

	for (unsigned int order = 0; order < 2; order++) {
		gpu_new("gk104");
		found = pcmodel_rd32(g.m, reg);
		/* gpc1.1: TPC 0 of GPC 1 */
		c.req[0] = ask_clk(12);
		d.req[0] = ask_clk(12);
		c.req[0].mux[0].id = 19;
		c.req[0].mux[0].sel = 7;
		d.req[0].mux[0].id = 20;
		d.req[0].mux[0].sel = 2;
		group_settle(&c, 0);
		group_settle(&d, 0);
		assert_true(group_start(&c));
		assert_true(group_start(&d));
		assert_int_equal(pcmodel_rd32(g.m, reg),
				 (found & ~0x8000070f) | 0x80000207);
		group_stop(order ? &c : &d);
		assert_int_equal(pcmodel_rd32(g.m, reg) >> 31, 1);
		group_stop(order ? &d : &c);
		assert_int_equal(pcmodel_rd32(g.m, reg), found);
		gpu_free();
	}
}

/* One event counts; mux @bad of another event cannot be set, which affects only that event. */
static void check_bad_mux(struct pcounter_mux_setting bad, const char *why)
{
	struct group other = { .n = 1, .req = { ask(9, PCOUNTER_ROLE_ANY, 0x11) } };
	struct group good = muxed(9, 5);
	struct pcounter_mux_failure failure;

	other.req[0].mux[0] = bad;
	group_settle(&other, 0);
	assert_true(group_start(&good));
	for (unsigned int round = 0; round < 2; round++) {
		/* the failure shows when it is to count */
		assert_true(group_start(&other));
		assert_int_equal(g.gpu.dom[9].unit.fault, PCOUNTER_OK);
		assert_true(g.gpu.want & PCOUNTER_WANT_RESCHED);
		g.gpu.want &= ~PCOUNTER_WANT_RESCHED;
		assert_true(pcounter_mux_next_failure(&g.gpu.muxes, &failure));
		assert_memory_equal(&failure.setting, &other.req[0].mux[0], sizeof(bad));
		assert_string_equal(failure.why, why);
		assert_false(pcounter_mux_next_failure(&g.gpu.muxes, &failure));
		check_counts(&good, 100);
		assert_int_equal(g.gpu.dom[9].client[other.user[0]].total, 0);
		/* from then on it is refused without another message */
		group_del(&other, 1);
		pcounter_gpu_commit(&g.gpu);
		assert_int_equal(pcounter_domain_add(&g.gpu, &other.req[0]), -EIO);
		pcounter_gpu_commit(&g.gpu);
		assert_false(g.gpu.want & PCOUNTER_WANT_RESCHED);
		assert_false(pcounter_mux_next_failure(&g.gpu.muxes, &failure));
		/* until it is closed */
		pcounter_domain_put(&g.gpu, &other.req[0]);
	}
	check_counts(&good, 100);
	group_stop(&good);
	assert_int_equal(g.gpu.dom[9].unit.fault, PCOUNTER_OK);
}

TEST(test_mux_of_an_absent_unit)
{
	gpu_new("gf100");
	say("mux 0x50c4a8 0x8000003f 0x80000005 gpc1.0 0x10 const 1");
	/* not on the wires of the working event */
	check_bad_mux((struct pcounter_mux_setting){ .id = UNK400, .tpc = 5, .sel = 5 },
		      "its unit does not answer");
	gpu_free();
}

TEST(test_mux_that_keeps_nothing)
{
	const u32 prop = 0x5084a0;

	gpu_new("gf100");
	say("mux 0x50c4a8 0x8000003f 0x80000005 gpc1.0 0x10 const 1");
	say("fault sticky 0x5084a0 0x80000012");
	check_bad_mux((struct pcounter_mux_setting){ .id = 2, .sel = 0x13 },
		      "its register does not keep the written value");
	assert_int_equal(pcmodel_rd32(g.m, prop), 0x80000012);
	gpu_free();
}

TEST(test_mux_of_a_silent_unit)
{
	struct pcounter_mux_failure failure;
	struct group grp;

	gpu_new("gf100");
	say("mux 0x50c4a8 0x8000003f 0x80000005 gpc1.0 0x10 const 1");
	say("fault sticky 0x5084a0 0xffffffff");
	check_bad_mux((struct pcounter_mux_setting){ .id = GPC_PROP, .sel = 0x13 },
		      "its unit does not answer");
	gpu_free();
	/* the select answers, and the enable in the register behind it does not */
	gpu_new("g80");
	say("units tpc 0xff");
	say("fault sticky 0x408334 0xffffffff");
	grp = one(3, 0x10, MPC_0, 0, 0x14);
	assert_true(group_start(&grp));
	assert_true(pcounter_mux_next_failure(&g.gpu.muxes, &failure));
	assert_string_equal(failure.why, "its unit does not answer");
	group_stop(&grp);
	gpu_free();
}

/* A dead GPU does not count as a failure of the mux. */
TEST(test_mux_of_a_dead_gpu)
{
	struct group clk = { .n = 1, .req = { ask_clk(9) } }, grp;
	struct pcounter_mux_failure failure;

	gpu_new("gf100");
	grp = muxed(9, 5);
	group_begin(&clk, 0);
	say("fault dead 1");
	assert_true(group_start(&grp));
	assert_int_equal(g.gpu.dom[9].unit.fault, PCOUNTER_FAULT_DEAD);
	assert_false(pcounter_mux_next_failure(&g.gpu.muxes, &failure));
	group_stop(&grp);
	group_stop(&clk);
	gpu_free();
}

/* A fault of one domain, which no reset explains, leaves the muxes of others as they are. */
TEST(test_mux_beside_a_fault)
{
	struct group clk = { .n = 1, .req = { ask_clk(8) } }, grp;
	const struct pcounter_domain *faulty;
	u32 found;

	gpu_new("gf100");
	found = pcmodel_rd32(g.m, L1_GPC1_TPC0);
	grp = muxed(9, 5);
	group_settle(&clk, 0);
	assert_true(group_start(&grp));
	assert_true(group_start(&clk));
	faulty = &g.gpu.dom[8];
	pcounter_reg_write(&faulty->block, PCOUNTER_REG_CTRL, faulty->hw.ctrl ^ 0x1c);
	pcounter_gpu_poll(&g.gpu);
	assert_int_equal(faulty->unit.fault, PCOUNTER_FAULT_FOREIGN_WRITE);
	assert_int_equal(g.gpu.resets, 0);
	group_stop(&grp);
	assert_int_equal(pcmodel_rd32(g.m, L1_GPC1_TPC0), found);
	group_stop(&clk);
	gpu_free();
}

/* Widths, and domains of TPCs; test_documents has the places of all muxes. */
TEST(test_mux_refusals)
{
	static const struct {
		const char *chip;
		unsigned int dom;
		u8 id, tpc;
		u16 sel;
		int err;
	} cases[] = {
		{ "gf100", 8, 1, 0, 15, 0 },
		{ "gf100", 8, 1, 0, 16, -EINVAL },	/* 4 bits */
		{ "gf100", 8, 63, 0, 0, -EINVAL },
		{ "gf100", 8, 18, 0, 8, -EINVAL },	/* wider from GK104 on */
		{ "gk104", 9, 18, 0, 8, 0 },
		{ "gk104", 8, 24, 0, 0, -EOPNOTSUPP },
		/* from GK104 on domain 1 + t of a GPC is TPC t's */
		{ "gk104", 8, 22, 0, 63, -EINVAL },
		{ "gk104", 9, 22, 0, 63, 0 },
		{ "gk104", 9, 22, 1, 63, -EINVAL },
		{ "gk104", 10, 22, 1, 63, 0 },
		{ "gk104", 10, 22, 0, 63, -EINVAL },
		{ "gk110", 11, 22, 2, 63, 0 },
		{ "gk110", 11, 22, 0, 63, -EINVAL },
		{ "gk107", 8, 22, 7, 63, -EINVAL },
		/* Tesla has a numbering of its own */
		{ "g84", 2, 1, 0, 3, 0 },
		{ "g84", 2, 1, 0, 4, -EINVAL },
		{ "g80", 2, 1, 0, 2, -EINVAL },
		{ "g84", 2, 7, 0, 1, -EINVAL },		/* only an enable bit */
		{ "g84", 2, 34, 0, 0, -EINVAL },
	};
	const char *why;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pcounter_request wish = { .mux = { {
			.id = cases[i].id, .tpc = cases[i].tpc, .sel = cases[i].sel,
		} } };
		int err;

		gpu_new(cases[i].chip);
		err = pcounter_mux_check(&wish, &g.gpu.topo.dom[cases[i].dom], g.gpu.chip,
					 &why);
		if (err != cases[i].err)
			fail_msg("%s, domain %u, mux %u, tpc %u, sel %u: %d", cases[i].chip,
				 cases[i].dom, cases[i].id, cases[i].tpc, cases[i].sel, err);
		gpu_free();
	}
}

/* ---- wires that several units share ---- */

static unsigned int dom_of(const char *name)
{
	int dom = pcmodel_find_domain(g.m, name, strlen(name));

	assert_true(dom >= 0);
	return dom;
}

/* Fermi: the wires show the first enabled TPC. */
TEST(test_others_are_cleared)
{
	const u32 first = 0x50c4a8, stride = 0x800, before[4] = {
		0x8000002a, 0x00000003, 0x80000001, 0x00000000,
	};
	struct group mine, other, again;
	unsigned int dom;

	gpu_new("gf100");
	dom = dom_of("gpc1.0");
	for (unsigned int i = 0; i < 4; i++)
		pcmodel_wr32(g.m, first + i * stride, before[i]);
	say("mux 0x50cca8 0x8000003f 0x80000005 gpc1.0 0x10 const 1");
	say("mux 0x50dca8 0x8000003f 0x80000007 gpc1.0 0x11 const 1");
	mine = one(dom, 0x10, L1, 1, 5);
	other = one(dom, 0x11, L1, 3, 7);
	again = one(dom, 0x10, L1, 1, 5);
	assert_true(group_start(&mine));
	assert_int_equal(pcmodel_rd32(g.m, first), 0x2a);
	assert_int_equal(pcmodel_rd32(g.m, first + stride), 0x80000005);
	assert_int_equal(pcmodel_rd32(g.m, first + 2 * stride), 1);
	check_counts(&mine, 100);
	/* the wires show one TPC at a time */
	assert_false(group_start(&other));
	assert_true(group_start(&again));
	group_stop(&mine);
	check_counts(&again, 100);
	group_stop(&again);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(pcmodel_rd32(g.m, first + i * stride), before[i]);
	assert_true(group_start(&other));
	check_counts(&other, 100);
	group_stop(&other);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(pcmodel_rd32(g.m, first + i * stride), before[i]);
	gpu_free();
}

/* Two open events take turns on the wires: the waiting one leaves nothing behind. */
TEST(test_turns_on_shared_wires)
{
	const u32 first = 0x50c4a8, last = 0x50dca8;
	struct group a, b;
	u32 found[2];

	gpu_new("gf110");
	found[0] = pcmodel_rd32(g.m, first);
	found[1] = pcmodel_rd32(g.m, last);
	a = one(dom_of("gpc1.0"), 0x10, L1, 0, 5);
	b = one(dom_of("gpc1.0"), 0x11, L1, 3, 7);
	say("mux 0x50c4a8 0x8000003f 0x80000005 gpc1.0 0x10 const 1");
	say("mux 0x50dca8 0x8000003f 0x80000007 gpc1.0 0x11 const 1");
	assert_true(group_start(&a));
	for (unsigned int i = 0; i < b.n; i++)
		pcounter_domain_get(&g.gpu, &b.req[i]);
	/* perf takes one down and the other up */
	for (unsigned int turn = 0; turn < 3; turn++) {
		g.gpu.snapshot++;
		group_del(&a, a.n);
		for (unsigned int i = 0; i < b.n; i++)
			b.user[i] = pcounter_domain_add(&g.gpu, &b.req[i]);
		pcounter_gpu_commit(&g.gpu);
		assert_int_equal(pcmodel_rd32(g.m, first), found[0]);
		check_counts(&b, 100);
		g.gpu.snapshot++;
		group_del(&b, b.n);
		for (unsigned int i = 0; i < a.n; i++)
			a.user[i] = pcounter_domain_add(&g.gpu, &a.req[i]);
		pcounter_gpu_commit(&g.gpu);
		assert_int_equal(pcmodel_rd32(g.m, last), found[1]);
		check_counts(&a, 100);
	}
	for (unsigned int i = 0; i < b.n; i++)
		pcounter_domain_put(&g.gpu, &b.req[i]);
	group_stop(&a);
	assert_int_equal(pcmodel_rd32(g.m, first), found[0]);
	assert_int_equal(pcmodel_rd32(g.m, last), found[1]);
	gpu_free();
}

/* From GK104 on each TPC has a domain: the driver leaves all others alone. */
TEST(test_others_are_left_alone)
{
	const u32 addr[] = { 0x50c4a8, 0x50cca8 };
	struct group tpc1;

	gpu_new("gk104");
	pcmodel_wr32(g.m, addr[0], 0x80000001);
	say("mux 0x50cca8 0x8000003f 0x80000005 gpc1.2 0x10 const 1");
	tpc1 = one(dom_of("gpc1.2"), 0x10, L1, 1, 5);
	assert_true(group_start(&tpc1));
	check_counts(&tpc1, 100);
	assert_int_equal(pcmodel_rd32(g.m, addr[0]), 0x80000001);
	group_stop(&tpc1);
	gpu_free();
}

/* A group with two TPCs on the same wires never fits. */
TEST(test_group_of_two_tpcs)
{
	static const struct {
		const char *chip, *dom[2];
		u8 id, tpc[2];
		bool fits;
	} cases[] = {
		{ "gf100", { "gpc1.0", "gpc1.0" }, L1, { 0, 0 }, true },
		{ "gf100", { "gpc1.0", "gpc1.0" }, L1, { 0, 1 }, false },
		{ "gk104", { "part1.0", "part1.0" }, SUBP, { 2, 3 }, false },
		{ "gk104", { "part1.0", "part1.0" }, SUBP, { 2, 2 }, true },
	};
	struct pcounter_group partner = {};
	struct pcounter_conflict conflict;
	const char *why;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pcounter_group grp = { };

		gpu_new(cases[i].chip);
		for (unsigned int k = 0; k < 2; k++) {
			unsigned int dom = dom_of(cases[i].dom[k]);
			struct pcounter_request req = ask(dom, PCOUNTER_ROLE_ANY, k);

			req.mux[0].id = cases[i].id;
			req.mux[0].tpc = cases[i].tpc[k];
			assert_int_equal(pcounter_mux_check(&req, &g.gpu.topo.dom[dom],
							    g.gpu.chip, &why), 0);
			grp.dom = dom;
			assert_true(pcounter_group_add(&grp, &req) >= 0);
		}
		assert_int_equal(pcounter_group_place(&grp, &partner, g.gpu.gen->caps, &conflict),
				 cases[i].fits);
		gpu_free();
	}
}

/* ---- memory ---- */

/* ---- Tesla ---- */

/*
 * Masks of TPCs, and NVIDIA's writes for the first TPC: on a GT 220, whose mask is 6,
 * that is TPC 1.
 */
static const struct tesla {
	const char *chip;
	u32 tpcs, first, other;	/* mask, address of the first TPC, of another one */
	u16 select, enable, tex, tex_1c, prop;
} teslas[] = {
	{ "g80", 0xff, 0x408000, 0x40b000, 0x330, 0x334, 0x808, 0x81c, 0xe50 },
	{ "g96", 0x00c30003, 0x408000, 0x409000, 0x330, 0x334, 0x808, 0x81c, 0xe50 },
	{ "g200", 0x70ff03ff, 0x408000, 0x40c800, 0x33c, 0x340, 0x508, 0x51c, 0x750 },
	{ "gt215", 0x70030006, 0x408800, 0x409000, 0x33c, 0x340, 0x508, 0x51c, 0x750 },
	{ "gt218", 0x30010001, 0x408000, 0, 0x33c, 0x340, 0x508, 0x51c, 0x750 },
};

static void tesla_new(const struct tesla *t)
{
	gpu_new(t->chip);
	say("units tpc 0x%x", t->tpcs);
}

static u32 reg(u32 addr)
{
	return pcmodel_rd32(g.m, addr);
}

/* Shader groups: the select in one register, the enable in another. */
TEST(test_shader_groups)
{
	for (const struct tesla *t = teslas; t < teslas + ARRAY_SIZE(teslas); t++) {
		struct group grp;
		u32 found;

		tesla_new(t);
		pcmodel_wr32(g.m, t->first + t->enable, 0);
		if (t->other)
			pcmodel_wr32(g.m, t->other + t->enable, 1);
		found = reg(t->first + t->select);
		say("mux 0x%x 0xffff 0x2814 3 0x10 const 1", t->first + t->select);
		grp = one(3, 0x10, MPC_0, 0, 0x14);
		grp.req[1].mux[0] = (struct pcounter_mux_setting){ .id = MPC_1, .sel = 0x28 };
		group_begin(&grp, 0);
		assert_int_equal(reg(t->first + t->select), (found & ~0xffff) | 0x2814);
		assert_int_equal(reg(t->first + t->enable), 1);
		if (t->other)
			assert_int_equal(reg(t->other + t->enable), 0);
		group_stop(&grp);
		assert_int_equal(reg(t->first + t->select), found);
		assert_int_equal(reg(t->first + t->enable), 0);
		if (t->other)
			assert_int_equal(reg(t->other + t->enable), 1);
		assert_int_equal(g.m->lint.absent, 0);
		gpu_free();
	}
}

/* Texture: bit 11 of two registers of the first TPC, and of no other. */
TEST(test_texture)
{
	for (const struct tesla *t = teslas; t < teslas + ARRAY_SIZE(teslas); t++) {
		struct group grp;

		tesla_new(t);
		pcmodel_wr32(g.m, t->first + t->tex, 0x003);
		pcmodel_wr32(g.m, t->first + t->tex_1c, 0x100);
		if (t->other) {
			pcmodel_wr32(g.m, t->other + t->tex, 0x803);
			pcmodel_wr32(g.m, t->other + t->tex_1c, 0x900);
		}
		grp = one(2, 0x10, TEX, 0, 0);
		grp.req[1].mux[0].id = TEX_UNK1C;
		group_begin(&grp, 0);
		assert_int_equal(reg(t->first + t->tex), 0x803);
		assert_int_equal(reg(t->first + t->tex_1c), 0x900);
		if (t->other) {
			assert_int_equal(reg(t->other + t->tex), 0x003);
			/* NVIDIA's driver leaves it alone */
			assert_int_equal(reg(t->other + t->tex_1c), 0x900);
		}
		group_stop(&grp);
		assert_int_equal(reg(t->first + t->tex), 0x003);
		assert_int_equal(reg(t->first + t->tex_1c), 0x100);
		if (t->other)
			assert_int_equal(reg(t->other + t->tex), 0x803);
		gpu_free();
	}
}

/* The muxes belong to the graphics context: a context switch changes their values. */
TEST(test_another_context)
{
	const u32 prop = 0x408e50;
	struct pcounter_mux_failure failure;
	u64 val[2], was[2];

	for (unsigned int poll = 0; poll < 2; poll++) {
		struct group grp;

		gpu_new("g84");
		say("mux 0x408e50 0x8000001f 0x80000016 2 0x10 const 1");
		grp = one(2, 0x10, PROP, 0, 0x16);
		assert_true(group_start(&grp));
		check_counts(&grp, 100);
		group_read(&grp, was);
		say("context");
		pcmodel_run(g.m, 100);
		if (poll)
			pcounter_gpu_poll(&g.gpu);
		group_read(&grp, val);
		/* the signal stops at its last verified value, the clock continues */
		assert_int_equal(val[0], was[0]);
		assert_true(val[1] >= was[1] + 100);
		assert_true(g.gpu.want & PCOUNTER_WANT_RESCHED);
		assert_true(pcounter_mux_next_failure(&g.gpu.muxes, &failure));
		assert_string_equal(failure.name, "TPC.PROP");
		assert_string_equal(failure.why,
				    "another program has changed it, or another graphics context");
		assert_int_equal(g.gpu.muxes.failures, 1);
		/* the value belongs to that context: the driver does not touch it */
		was[0] = reg(prop);
		group_stop(&grp);
		assert_int_equal(reg(prop), was[0]);
		gpu_free();
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
