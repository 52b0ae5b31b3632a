// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPCs that have lost TPCs (hw:real-cards/r5): every mask of every design, both readings
 * of the recordings, and masks that cannot be right.
 */
#include "count_test.h"
#include "terms_test.h"
#include "rules/lookup.h"

#define GPC		1	/* number of the GPC in the tests ... */
#define PLACE		3	/* ... and its place: the model's GPCs 0 and 2 are lost */
#define FIRST_GK104	0x0e4
#define TEX_A		17
#define TEX_A_ADDR(t)	(0x504000 + GPC * 0x8000 + (t) * 0x800 + 0x2b0)
#define TEX_A_FIELD	0x8000003f
#define SIGNAL		0x10
#define NR_TPCS		(0x502608 + GPC * 0x8000)

static const char *chip_name;

static unsigned int writes;

static void counted_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	writes++;
	gpu_wr32(io, addr, val);
}

/* Let the driver find the GPU again: it reads, and writes nothing. */
static void find_again(void)
{
	static const struct pcounter_io_ops ops = { .rd32 = gpu_rd32, .wr32 = counted_wr32 };
	const struct pcounter_io_ops *before = g.io.ops;
	const struct pcounter_chip *chip = g.gpu.chip;

	pcounter_gpu_free(&g.gpu);
	writes = 0;
	g.io.ops = &ops;
	assert_int_equal(pcounter_gpu_init(&g.gpu, chip, pcounter_gen_find(chip), &g.io), 0);
	g.io.ops = before;
	assert_int_equal(writes, 0);
}

/* A GPU whose GPC has lost TPCs. The places of lost GPCs read all ones. */
static void cut(const char *chip, u32 lost, unsigned int reading)
{
	chip_name = chip;
	gpu_new(chip);
	say("quirk tpc_domains %u", reading);
	say("units tpc %u 0x%x 0x%x", PLACE, lost & 0x15, lost & 0xa);
	say("units tpc 0 0xffffffff 0xffffffff");
	find_again();
}

static unsigned int design_tpcs(void)
{
	return g.gpu.chip->set[PCOUNTER_SET_GPC].domains - 1;
}

static int check_pair(unsigned int gpc, unsigned int dom, unsigned int tpc, const char **why)
{
	struct pcounter_request req = { .mux = { { .id = TEX_A, .tpc = tpc } } };
	int at = pcounter_topo_find(&g.gpu.topo, PCOUNTER_SET_GPC, gpc, dom);

	*why = "no such domain";
	if (at < 0)
		return -EINVAL;
	return pcounter_mux_check(&req, &g.gpu.topo.dom[at], g.gpu.chip, why);
}

/* Return the domain of the model that shows a TPC; -1: there is no such TPC. */
static int domain_of(unsigned int tpc)
{
	const unsigned int most = 8;
	char name[16];
	unsigned int dom;
	int want;

	snprintf(name, sizeof(name), "gpc%u.tpc%u", GPC, tpc);
	want = pcmodel_find_domain(g.m, name, strlen(name));
	for (dom = 0; dom < most; dom++) {
		snprintf(name, sizeof(name), "gpc%u.%u", GPC, dom);
		if (want >= 0 && pcmodel_find_domain(g.m, name, strlen(name)) == want)
			return dom;
	}
	return -1;
}

/* Check that an event of a TPC counts the TPC's share of the clocks. */
static void count_tpc(unsigned int tpc)
{
	int at = pcounter_topo_find(&g.gpu.topo, PCOUNTER_SET_GPC, GPC, domain_of(tpc));
	struct group grp = { .n = 2 };
	u64 grown[2];

	say("mux 0x%x 0x%x 0x%x gpc%u.tpc%u 0x%x duty %u/100", TEX_A_ADDR(tpc), TEX_A_FIELD,
	    0x80000007, GPC, tpc, SIGNAL, 10 + 7 * tpc);
	grp.req[0] = ask(at, PCOUNTER_ROLE_ANY, SIGNAL);
	grp.req[1] = ask_clk(at);
	grp.req[0].mux[0] = (struct pcounter_mux_setting){ .id = TEX_A, .tpc = tpc, .sel = 7 };
	group_begin(&grp, 0);
	assert_int_equal(g.gpu.dom[at].unit.fault, PCOUNTER_OK);
	group_grow(&grp, 100, grown);
	if (grown[0] != 10 + 7 * tpc)
		fail_msg("%s: TPC %u: %llu", chip_name, tpc, grown[0]);
	group_stop(&grp);
}

/* Every pair of a domain and a TPC: only those of the model are accepted. */
static void check_pairs(u32 lost, bool mapped)
{
	const unsigned int most = 7;
	unsigned int dom, tpc;
	const char *why;

	for (dom = 0; dom <= most; dom++) {
		for (tpc = 0; tpc <= most; tpc++) {
			bool right = mapped && (int)dom == domain_of(tpc);

			if (!check_pair(GPC, dom, tpc, &why) != right)
				fail_msg("%s, lost 0x%x: TPC %u in domain %u: %s", chip_name,
					 lost, tpc, dom, why);
		}
	}
}

static void one_mask(u32 lost)
{
	u32 mask = lost ? 1 << GPC : 0;

	assert_int_equal(g.gpu.topo.lost, mask);
	assert_int_equal(g.gpu.topo.nr, g.m->domains - __builtin_popcount(lost));
	check_pairs(lost, true);
	if (__builtin_popcount(lost) > 1)
		return;
	for (unsigned int tpc = 0; domain_of(tpc) >= 0; tpc++)
		count_tpc(tpc);
	assert_int_equal(g.m->lint.absent, 0);
}

static void one_refusal(u32 lost)
{
	const char *why;

	if (!lost) {
		/* a full GPC: domain 1 + t is of TPC t */
		assert_int_equal(g.gpu.topo.lost, 0);
		assert_int_equal(check_pair(GPC, 1, 0, &why), 0);
		return;
	}
	assert_int_equal(g.gpu.topo.lost, 1 << GPC);
	check_pairs(lost, false);
	assert_int_equal(check_pair(GPC, 1, 0, &why), -EINVAL);
	assert_non_null(strstr(why, "no register"));
	/* nothing is lost in the other GPC */
	assert_int_equal(check_pair(0, 1, 0, &why), 0);
}

/* Let the masks read 0 though the GPC has lost TPCs, and no GPC is lost. */
static void blind(u32 lost)
{
	say("units gpc 2 0 0");
	say("units tpc 0 0 0");
	say("units tpc %u 0x%x 0", GPC, lost);
	if (g.gpu.chip->bucket == PCOUNTER_BUCKET_GM107) {
		say("fault sticky 0x%x 0", 0x021c38 + GPC * 4);
	} else {
		say("fault sticky 0x%x 0", 0x022508 + GPC * 4);
		say("fault sticky 0x%x 0", 0x022588 + GPC * 4);
	}
	find_again();
}

static void one_blind(u32 lost, unsigned int reading)
{
	const u32 wrong[] = { 0, 0xffffffff, 0xbadf1000, design_tpcs() };
	/* the number of the design belongs to domains that all answer */
	unsigned int n = ARRAY_SIZE(wrong) - (reading || !lost ? 1 : 0), i;

	blind(lost);
	if (reading)
		one_refusal(lost);
	else
		one_mask(lost);
	for (i = 0; i < n; i++) {
		say("fault none");
		say("fault sticky 0x%x 0x%x", NR_TPCS, wrong[i]);
		blind(lost);
		check_pairs(lost, false);
	}
}

/* Try every mask of every design; reading A alone maps. */
static void every_mask(unsigned int reading)
{
	unsigned int tried = 0;

	for (unsigned int i = 0; i < pcounter_nr_chips; i++) {
		const struct pcounter_chip *chip = &pcounter_chips[i];
		const struct pcmodel_chip *modelled = pcmodel_chip(chip->chipset);
		unsigned int domains = chip->set[PCOUNTER_SET_GPC].domains;
		u32 all = domains ? (1 << (domains - 1)) - 1 : 0;

		if (!modelled || chip->chipset < FIRST_GK104 || chip->presence == PCOUNTER_ABSENT)
			continue;
		for (u32 lost = 0; lost < all; lost++, tried++) {
			cut(modelled->name, lost, reading);
			if (reading)
				one_refusal(lost);
			else
				one_mask(lost);
			one_blind(lost, reading);
			gpu_free();
		}
	}
	assert_in_range(tried, 50, 1000);
}

/* Reading A: each TPC that is left is counted in its domain, and in no other. */
TEST(test_every_mask)
{
	every_mask(0);
}

/* Reading B, and domains that answer though their TPC is lost: nothing is guessed. */
TEST(test_other_readings)
{
	every_mask(1);
	every_mask(2);
}

/* Values that cannot be right: the TPCs of the GPC are refused. */
TEST(test_impossible_masks)
{
	static const struct {
		const char *chip, *line;
		bool mapped;
	} cases[] = {
		{ "gk104", "fault sticky 0x022514 0xffffffff", false },
		/* the other mask, the number of TPCs and the domains are enough */
		{ "gk104", "fault sticky 0x022594 0xbad0da1c", true },
		{ "gk104", "fault sticky 0x022594 0xffffffff", false },
		{ "gk104", "fault sticky 0x022514 0x3", false },	/* no TPC is left */
		/* the number of TPCs and the domains are enough */
		{ "gk104", "fault sticky 0x022514 0", true },
		{ "gk104", "fault sticky 0x022514 0xbad00200", true },
		{ "gk104", "fault sticky 0x022514 2", false },
		{ "gk104", "fault sticky 0x022514 0xfffffff1", true },	/* beyond the design */
		{ "gm107", "fault sticky 0x021c44 0xffffffff", false },
		{ "gm107", "fault sticky 0x021c44 0xbad0011f", false },
		{ "gm107", "fault sticky 0x021c44 0x2", false },
		{ "gm107", "fault sticky 0x021c44 0x3", false },
		{ "gm107", "fault sticky 0x021c44 0", true },
		{ "gm107", "fault sticky 0x50a608 0", false },		/* number of TPCs */
		{ "gm107", "fault sticky 0x50a608 5", false },
		{ "gm107", "fault sticky 0x50a608 0xffffffff", false },
		{ "gm107", "fault sticky 0x50a608 0xbadf1000", false },
		{ "gm107", "fault sticky 0x50a608 0x01010004", true },	/* fields above */
		{ "gm107", "fault sticky 0x181c9c 0", false },		/* CTRL of domain 6 */
		{ "gk104", "fault sticky 0x18169c 0", false },		/* of domain 3 */
		{ "gk104", "fault sticky 0x18149c 0xbadf3000", false },	/* of domain 2 */
		{ "gk104", "pmc 0xefffffff", false },			/* the engine is off */
		{ "gm107", "fault dead 0", true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		cut(cases[i].chip, 1, 0);
		say(cases[i].line);
		find_again();
		check_pairs(1, cases[i].mapped);
		gpu_free();
	}
}

/*
 * GPC 0 of GK106 has one TPC by design, with nothing lost: TPC 0 is in domain 1 as
 * recorded, unless domains without a TPC answer.
 */
TEST(test_small_gpc)
{
	const char *why;

	for (unsigned int reading = 0; reading <= 2; reading += 2) {
		cut("gk106", 2, reading);
		blind(2);
		check_pairs(2, !reading);
		assert_int_equal(check_pair(GPC, 1, 0, &why), reading ? -EINVAL : 0);
		gpu_free();
	}
}

/* The engine is off where a GPC is full: all domains are silent, and that shows nothing. */
TEST(test_engine_off)
{
	cut("gk110", 0, 0);
	say("pmc 0xefffffff");
	find_again();
	assert_int_equal(g.gpu.topo.lost, 0);
	say("pmc 0xffffffff");
	check_pairs(0, true);
	gpu_free();
}

/* Masks of GPCs that are lost themselves, or are not in the design, matter to none. */
TEST(test_places)
{
	const char *why;

	cut("gk110", 0, 0);
	say("units tpc 2 0x7 0");
	say("units tpc 7 0x1 0");
	find_again();
	assert_int_equal(g.gpu.topo.lost, 0);
	say("units tpc 1 0 0x2");
	find_again();
	assert_int_equal(g.gpu.topo.lost, 1 << 0);
	assert_int_equal(check_pair(0, 3, 1, &why), 0);
	assert_int_equal(check_pair(0, 2, 1, &why), -EINVAL);
	assert_int_equal(check_pair(GPC, 2, 1, &why), 0);
	gpu_free();
}

/* ---- names ---- */

/* Check the terms of a name on a unit; return true if they are of a TPC's mux. */
static bool check_name(const char *name, const char *terms, unsigned int unit)
{
	struct pcounter_config config = words_of(terms, unit, g.gpu.topo.caps);
	struct pcounter_request req;
	const struct pcounter_dom_id *id;
	const char *why = "";
	int err;

	err = pcounter_config_parse(&config, &g.gpu.topo, &req, &why);
	if (!err)
		err = pcounter_mux_check(&req, &g.gpu.topo.dom[req.dom], g.gpu.chip, &why);
	if (err)
		fail_msg("%s: %s on unit %u: %s: %s", chip_name, name, unit, terms, why);
	id = &g.gpu.topo.dom[req.dom];
	if (!req.mux[0].id || id->set != PCOUNTER_SET_GPC)
		return false;
	assert_int_equal(req.mux[0].tpc, id->tpc);
	assert_int_equal(id->tpc + (id->unit == GPC), id->dom - 1 + (id->unit == GPC) -
			 __builtin_popcount(id->unit == GPC ? g.m->lost[PLACE][0] &
					    ((1u << (id->dom - 1)) - 1) : 0));
	return true;
}

static unsigned int check_names(unsigned int unit)
{
	const struct pcounter_topo *topo = &g.gpu.topo;
	const struct pcounter_signal *signal;
	struct pcounter_named named;
	unsigned int i, found = 0;

	signal = pcounter_signals_of(topo->chip);
	for (i = 0; i < topo->chip->signals.nr; i++, signal++) {
		if (signal->set != PCOUNTER_SET_GPC || !(signal->flags & PCOUNTER_SIGNAL_TPC))
			continue;
		assert_true(pcounter_named_get(topo, i, &named) >= 0);
		found += check_name(named.name, named.terms, unit);
	}
	for (i = 0; i < topo->chip->events.nr; i++) {
		const struct pcounter_public *event = pcounter_public_get(topo->chip, i);

		if (pcounter_config_get(&event->config, PCOUNTER_TERM_SET) != PCOUNTER_SET_GPC)
			continue;
		assert_true(pcounter_named_get(topo, topo->chip->signals.nr + i, &named) >= 0);
		found += check_name(named.name, named.terms, unit);
	}
	return found;
}

/* Names of TPCs' events are of a TPC that is left, on each GPC that has its domain. */
TEST(test_names)
{
	static const char *const chips[] = { "gk104", "gk110", "gk208", "gm107", "gm206" };

	for (unsigned int i = 0; i < ARRAY_SIZE(chips); i++) {
		u32 last;

		cut(chips[i], 1, 0);
		last = 1u << (design_tpcs() - 1);
		assert_int_not_equal(check_names(GPC), 0);
		check_names(0);
		gpu_free();

		/* the tables' domain is lost in GPC 0 */
		cut(chips[i], 0, 0);
		say("units tpc 1 0x%x 0", last);
		find_again();
		assert_int_equal(g.gpu.topo.lost, 1);
		check_names(0);
		check_names(GPC);
		gpu_free();
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
