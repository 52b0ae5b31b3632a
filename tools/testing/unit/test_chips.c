// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of single chips: inferred bases, disabled units; and chips with little
 * documentation.
 */
#include "count_test.h"

/*
 * The driver probes an inferred base before a period depends on it: the domain may have
 * another base, or none that answers.
 */
TEST(test_inferred_trailer)
{
	static const struct {
		const char *chip, *domain, *base;
		unsigned int dom;
		bool counts;
	} cases[] = {
		{ "gf100", "hub6", NULL, 6, true },
		{ "gf100", "hub6", "0xa0", 6, true },
		{ "gf100", "hub6", "none", 6, false },
		{ "gf106", "gpc0.0", NULL, 8, true },
		{ "gf106", "gpc0.0", "0xc0", 8, true },
		{ "gf106", "gpc0.0", "none", 8, false },
		{ "gk208", "gpc0.1", "0x20", 9, true },
		{ "gk104", "gpc0.1", "0x60", 9, true },
		{ "gk104", "gpc0.1", "none", 9, false },
		{ "gk110", "gpc1.2", "0x20", 14, true },
		{ "gk110b", "part1.0", "0xa0", 18, true },
	};
	enum pcounter_fault fault;
	u64 grown[1];

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group grp = { .n = 1, .req = { ask_clk(cases[i].dom) } };

		gpu_new(cases[i].chip);
		assert_true(group_settle(&grp, 0));
		if (cases[i].base)
			say("trailer %s %s", cases[i].domain, cases[i].base);
		assert_true(group_start(&grp));
		fault = PCOUNTER_OK;
		if (!cases[i].counts)
			fault = PCOUNTER_FAULT_NO_TRAILER;
		assert_int_equal(g.gpu.dom[cases[i].dom].unit.fault, fault);
		if (cases[i].counts) {
			group_grow(&grp, 100, grown);
			assert_int_equal(grown[0], 100);
		}
		group_stop(&grp);
		gpu_free();
	}
}

/* ---- bases of a chip whose levels cannot be read ---- */

#define USER_0		0x27	/* from the base */
#define PROBE_READS	160	/* of registers at the first use of a domain, at most */

static unsigned int reads;
static char noise[40];

static u32 noisy_rd32(struct pcounter_io *io, u32 addr)
{
	reads++;
	return gpu_rd32(io, addr);
}

/* A signal that follows each write to USER of HUB's domain 2, like those of a bus. */
static void noisy_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	gpu_wr32(io, addr, val);
	if (!*noise || addr != 0x1b04ec)
		return;
	for (unsigned int level = 2; level--;) {
		say("signal %s const %u", noise, level);
		pcmodel_run(g.m, 1);
	}
}

/* hw:ambiguities/44: USER_0 is found by the periods that its pulses end. */
TEST(test_probe_without_levels)
{
	static const struct pcounter_io_ops ops = {
		.rd32 = noisy_rd32, .wr32 = noisy_wr32,
	};
	static const struct {
		const char *base, *script, *noise;
		u16 found;
	} cases[] = {
		{ "0x00", NULL, NULL, 0x00 },
		{ "0x20", NULL, NULL, 0x20 },
		{ "0xa0", NULL, NULL, 0xa0 },
		{ "0xc0", NULL, NULL, 0xc0 },
		/* ordinary signals at the places that are tried before */
		{ "0x80", "0x47 const 1", NULL, 0x80 },
		{ "0x80", "0x47 duty 1/2", NULL, 0x80 },
		{ "0x80", "0x67 duty 1/100", NULL, 0x80 },
		{ "0x80", NULL, "hub2 0x67", 0x80 },
		{ "none", NULL, NULL, PCOUNTER_TRAILER_UNKNOWN },
		{ "none", NULL, "hub2 0x67", PCOUNTER_TRAILER_UNKNOWN },
	};
	static const char *const quirks[] = {
		"no_levels 1", "no_levels 2", "swap_latency 3", "write_delay 2",
	};
	unsigned int most = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases) * ARRAY_SIZE(quirks) * 2; i++) {
		unsigned int at = i / 2 / ARRAY_SIZE(quirks);
		struct group grp = { .n = 1, .req = { ask_clk(2) } };
		bool known = cases[at].found != PCOUNTER_TRAILER_UNKNOWN;
		struct pcmodel_domain *dom;
		u64 grown[1];

		gpu_new("gm206");
		g.io.ops = &ops;
		g.step = 1 + i % 2 * 6;
		dom = &g.m->dom[2];
		say("quirk no_levels 1");
		say("quirk %s", quirks[i / 2 % ARRAY_SIZE(quirks)]);
		say("trailer hub2 %s", cases[at].base);
		if (cases[at].script)
			say("signal hub2 %s", cases[at].script);
		for (unsigned int sig = USER_0; sig < cases[at].found && known; sig += 0x20)
			if (!cases[at].script)
				say("signal hub2 0x%x random %u/65536 seed %u", sig,
				    3000 * i % 20011, i);
		snprintf(noise, sizeof(noise), "%s", cases[at].noise ?: "");
		dom->spec_src = i % 3 ? 0x5a : 0;
		dom->user = BIT(2);
		assert_true(group_settle(&grp, 0));
		reads = 0;
		assert_true(group_start(&grp));
		most = max(most, reads);
		assert_int_equal(g.gpu.topo.dom[2].trailer, cases[at].found);
		assert_int_equal(g.gpu.dom[2].unit.fault,
				 known ? PCOUNTER_OK : PCOUNTER_FAULT_NO_TRAILER);
		assert_int_equal(dom->user & ~BIT(0), BIT(2));
		if (known) {
			*noise = 0;
			g.step = 1;
			assert_int_equal(dom->spec_src, cases[at].found + USER_0);
			pcmodel_run(g.m, 30);
			group_grow(&grp, 1000, grown);
			assert_in_range(grown[0], 950, 1050);
		}
		group_stop(&grp);
		pcmodel_run(g.m, 20);
		assert_int_equal(dom->spec_src, i % 3 ? 0x5a : 0);
		assert_int_equal(dom->user, BIT(2));
		gpu_free();
	}
	assert_in_range(most, 1, PROBE_READS);
}

/* hw:signals/disputes gives two bases for G98's domains 2 and 5: the flag shows the right one. */
TEST(test_disputed_trailer)
{
	static const struct {
		unsigned int dom;
		u32 zero[2];
	} cases[] = { { 2, { 0x8c, 0xcc } }, { 5, { 0x6c, 0xec } } };

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct group grp = { .n = 1, .req = { ask_clk(cases[i / 2].dom) } };

		gpu_new("g98");
		g.step = 5;
		g.m->quirks.g98_trailer = i & 1;
		group_begin(&grp, 0);
		assert_int_equal(g.gpu.dom[cases[i / 2].dom].hw.swap_src, cases[i / 2].zero[i & 1]);
		group_stop(&grp);
		gpu_free();
	}
}

/* Base 0 is known: the driver counts the domain without a probe, which would fail here. */
TEST(test_base_0)
{
	struct group grp = { .n = 1, .req = { ask_clk(20) } };

	gpu_new("gm107");
	assert_int_equal(g.gpu.topo.dom[20].set, PCOUNTER_SET_PART);
	assert_int_equal(g.gpu.topo.dom[20].trailer, 0);
	assert_true(group_settle(&grp, 0));
	say("trailer part0.0 none");
	assert_true(group_start(&grp));
	assert_int_equal(g.gpu.dom[20].unit.fault, PCOUNTER_OK);
	assert_int_equal(g.gpu.dom[20].zero, 0x27);
	group_stop(&grp);
	gpu_free();
}

/* A mask removes partitions, and the others are renumbered without gaps. */
TEST(test_masked_partitions)
{
	const struct pcounter_chip *chip = pcounter_chip_find(0xc8);
	u32 gpcs, parts;

	gpu_new("gf110");
	say("units gpc 4 0 8");
	say("units part 6 1 0");
	g.gpu.gen->table->units(g.gpu.gen, &g.io, &gpcs, &parts);
	assert_int_equal(gpcs, 0x7);
	assert_int_equal(parts, 0x1f);
	pcounter_gpu_free(&g.gpu);
	assert_int_equal(pcounter_gpu_init(&g.gpu, chip, pcounter_gen_find(chip), &g.io), 0);
	assert_int_equal(g.gpu.topo.nr, g.m->domains);
	g.m->lint.absent = 0;
	for (unsigned int i = 0; i < g.gpu.topo.nr; i++) {
		struct group grp = { .n = 1, .req = { ask_clk(i) } };

		group_begin(&grp, 0);
		assert_int_equal(g.gpu.dom[i].unit.fault, PCOUNTER_OK);
		group_stop(&grp);
	}
	assert_int_equal(g.m->lint.absent, 0);
	gpu_free();
}

/* GM107 has its mask of partitions elsewhere; no source says what the old ones read. */
TEST(test_mask_of_gm107)
{
	u32 gpcs, parts;

	gpu_new("gm107");
	say("units part 2 1 0");
	g.m->sticky[0].addr = 0x022548;
	g.m->sticky[0].val = 0xbadf1100;
	g.m->sticky[1].addr = 0x0225c8;
	g.m->sticky[1].val = 3;
	g.m->nsticky = 2;
	g.gpu.gen->table->units(g.gpu.gen, &g.io, &gpcs, &parts);
	assert_int_equal(parts, 0x1);
	gpu_free();
}

/* ---- GM107-, of which little is known ---- */

#define HUB_UNK6000	32	/* number of a mux of HUB */

static u32 junk_addr, junk_val;
static unsigned int writes;

static u32 junk_rd32(struct pcounter_io *io, u32 addr)
{
	u32 val = gpu_rd32(io, addr);

	return addr == junk_addr ? junk_val : val;
}

static void counted_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	writes++;
	gpu_wr32(io, addr, val);
}

/* The driver does not write to a domain with unexpected contents. */
TEST(test_reads_before_it_writes)
{
	static const struct pcounter_io_ops ops = {
		.rd32 = junk_rd32, .wr32 = counted_wr32,
	};
	/* registers of HUB's domain 2: OPs, SWAP_SRC, CTRL; levels may not be readable */
	static const struct {
		u32 addr, val;
		bool counts;
	} cases[] = {
		{ 0, 0, true },
		{ 0x1b046c, 0xbadf1000, false },
		{ 0x1b046c, 0x100, false },
		{ 0x1b046c, 0xff, true },
		{ 0x1b0444, 0x80000000, false },
		{ 0x1b0464, 0xbadf5040, false },
		{ 0x1b049c, 0xffffffff, false },
		{ 0x1b0400, 0xbad0011f, true },
		{ 0x022430, 0, false },
		{ 0x022438, 0xbadf1000, false },
		{ 0x000200, 0xefffffff, false },
		{ 0x000200, 0xffffffff, true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group grp = { .n = 1, .req = { ask_clk(2) } };

		gpu_new("gm206");
		/* nor to the muxes of its events */
		grp.req[0].mux[0] = (struct pcounter_mux_setting){ .id = HUB_UNK6000, .sel = 1 };
		g.io.ops = &ops;
		junk_addr = cases[i].addr;
		junk_val = cases[i].val;
		writes = 0;
		group_begin(&grp, 0);
		if (cases[i].counts) {
			assert_int_equal(g.gpu.dom[2].unit.fault, PCOUNTER_OK);
			assert_true(writes);
		} else {
			assert_int_equal(g.gpu.dom[2].unit.fault, PCOUNTER_FAULT_NOT_KNOWN);
			assert_int_equal(pcounter_quad_user(&g.gpu.dom[2], 2, 0), -EAGAIN);
			assert_int_equal(writes, 0);
		}
		group_stop(&grp);
		if (!cases[i].counts)
			assert_int_equal(writes, 0);
		gpu_free();
	}
}

/* Counter modes 6 and 7, and the number of domains of a GPC: hw:real-cards/r5, r9. */
TEST(test_maxwell)
{
	static const struct {
		const char *chip;
		unsigned int gpc_domains;
	} cases[] = { { "gm107", 6 }, { "gm204", 5 }, { "gm206", 5 }, { "gp104", 6 } };

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int dom = 8 + cases[i].gpc_domains - 1;
		struct group grp = { .n = 3, .req = {
			ask(dom, PCOUNTER_ROLE_EVENT, 0x10), ask(dom, PCOUNTER_ROLE_START, 0x14),
			ask_clk(dom) } };
		u64 grown[3];

		gpu_new(cases[i].chip);
		assert_int_equal(g.gpu.topo.dom[dom].set, PCOUNTER_SET_GPC);
		assert_int_equal(g.gpu.topo.dom[dom + 1].dom, 0);
		for (unsigned int k = 0; k < 5; k++) {
			say("signal gpc0.%u 0x%x const 1", cases[i].gpc_domains - 1, 0x10 + k);
			grp.req[0].in.sig[k % 4] = 0x10 + k % 4;
		}
		grp.req[0].in.op = PCOUNTER_OP_ALWAYS;
		grp.req[0].set.ctr = PCOUNTER_CTR_EVENT_OWN_B4;
		group_begin(&grp, 0);
		assert_int_equal(g.gpu.dom[dom].unit.fault, PCOUNTER_OK);
		group_grow(&grp, 100, grown);
		assert_int_equal(grown[2], 100);
		assert_int_equal(grown[0], 1500);
		assert_int_equal(grown[1], 0);
		group_stop(&grp);
		/* and with a fifth bit */
		grp.req[0].role = PCOUNTER_ROLE_PRE;
		for (unsigned int k = 0; k < 3; k++)
			grp.req[k].set.ctr = PCOUNTER_CTR_PRE_B5;
		grp.req[1].in.op = PCOUNTER_OP_ALWAYS;
		group_begin(&grp, 0);
		group_grow(&grp, 100, grown);
		assert_int_equal(grown[0], 3100);
		group_stop(&grp);
		gpu_free();
	}
}

/* With either byte order set by the owner; before NV1A there is no switch. */
TEST(test_byte_order)
{
	u64 val[2], was[2];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = with_clk(ask(b->dom, PCOUNTER_ROLE_ANY, 0x10));
		bool flips;

		flips = g.gpu.chip->chipset >= 0x1a;
		say("signal %u 0x10 duty 3/10", b->dom);
		assert_true(group_settle(&grp, 0));
		for (unsigned int times = 0; times < 3; times++) {
			gpu_flip();
			assert_int_equal(g.io.swapped, flips && times != 1);
			assert_int_equal(pcounter_boot_chipset(pcounter_rd32(&g.io, 0)),
					 g.gpu.chip->chipset);
			g.m->lint.absent = 0;
			assert_true(group_start(&grp));
			pcmodel_run(g.m, 1000);
			group_read(&grp, was);
			pcmodel_run(g.m, 10000);
			group_read(&grp, val);
			/* the duty cycle is not in step with the period */
			assert_in_range((val[0] - was[0]) * 10, (val[1] - was[1]) * 3 - 30,
					(val[1] - was[1]) * 3 + 30);
			assert_int_equal(g.m->lint.absent, 0);
			group_stop(&grp);
		}
	}
}

/*
 * USER_0 of a set is the driver's swap while events count. Driving the other signals
 * leaves it unchanged. The driver drives no signal while another user has the GPU.
 */
TEST(test_user_0_stays)
{
	static const struct {
		const char *chip;
		unsigned int dom;
	} cases[] = { { "gf100", 8 }, { "gk104", 6 } };

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group grp = { .n = 1, .req = { ask_clk(cases[i].dom) } };
		struct pcmodel_domain *dom;
		u64 val[1];

		gpu_new(cases[i].chip);
		dom = &g.m->dom[cases[i].dom];
		dom->user = BIT(0);
		assert_true(group_settle(&grp, 0));
		assert_int_equal(pcounter_quad_user(&g.gpu.dom[cases[i].dom], BIT(1), 0), 0);
		assert_int_equal(dom->user, BIT(0) | BIT(1));
		assert_true(group_start(&grp));
		pcmodel_run(g.m, 1000);
		group_read(&grp, val);
		assert_true(val[0] >= 1000);
		assert_int_equal(dom->user & BIT(1), BIT(1));
		group_stop(&grp);
		assert_int_equal(dom->user, BIT(0) | BIT(1));
		assert_int_equal(pcounter_quad_user(&g.gpu.dom[cases[i].dom], 0, 0), 0);
		assert_int_equal(dom->user, BIT(0));
		assert_int_equal(pcounter_gpu_lend(&g.gpu), 0);
		assert_int_equal(pcounter_quad_user(&g.gpu.dom[cases[i].dom], BIT(1), 0), -EBUSY);
		assert_int_equal(dom->user, BIT(0));
		gpu_free();
	}
}

/*
 * hw:inputs/src-status, hw:ambiguities/46, hw:registers/gf100-main: levels of the selected
 * sources and VSTATUS can be read; the second signal of SPEC_SRC stays.
 */
TEST(test_statuses)
{
	static const char *const texts[] = { "idle", "busy", "2", "waiting", "4", "blocked",
					     "faulted", "paused" };

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask(b->dom, PCOUNTER_ROLE_STOP, 0x10) } };
		u32 caps, spec;
		const struct pcounter_block *block;
		bool sets;

		block = &g.gpu.dom[b->dom].block;
		caps = g.gpu.gen->caps;
		sets = caps & PCOUNTER_CAP_SETS;
		spec = caps & PCOUNTER_CAP_SWAP_SRC && !sets ? 0x3300 : 0;
		g.m->dom[b->dom].spec_src = spec;
		if (!(caps & PCOUNTER_CAP_QUAD))
			grp.req[0].role = PCOUNTER_ROLE_ANY;
		say("signal %u 0x10 const 1", b->dom);
		assert_true(group_settle(&grp, 0));
		assert_null(!sets ? pcounter_read_vstatus(block) : NULL);
		if (sets)
			assert_string_equal(pcounter_read_vstatus(block), "idle");
		assert_true(group_start(&grp));
		assert_int_equal(g.m->dom[b->dom].spec_src & 0xff00, spec);
		assert_int_equal(pcounter_reg_read(block, PCOUNTER_REG_SRC_STATUS) & 0xf000,
				 caps & PCOUNTER_CAP_IMPORT ? 0x1000 : 0);
		if (sets)
			assert_string_equal(pcounter_read_vstatus(block), "busy");
		for (unsigned int i = 0; sets && i < ARRAY_SIZE(texts); i++) {
			say("fault sticky 0x%x 0x%x",
			    pcounter_reg_addr(g.gpu.gen, PCOUNTER_REG_VSTATUS, block->nr),
			    0x100 | i);
			assert_string_equal(pcounter_read_vstatus(block), texts[i]);
			say("fault none");
		}
		say("fault dead 1");
		assert_null(pcounter_read_vstatus(block));
		say("fault dead 0");
		group_stop(&grp);
		assert_int_equal(g.m->dom[b->dom].spec_src, spec);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
