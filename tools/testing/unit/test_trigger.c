// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periods that a signal ends. The driver's own periods ignore a command stream's trigger,
 * and a group with triggered periods has one moment for all domains of a chip
 * (hw:real-cards/r2). With any signal a request counts whole periods.
 */
#include "count_test.h"

#define SIG		0x10
#define DOMAINS		48	/* at least as many as a chip has */
#define NAMED		5
#define ROUNDS		400

/* Domains of several sets; without names all domains of the chip. */
static const struct chip_case {
	const char *chip;
	unsigned int n;
	const char *dom[NAMED];
} chip_cases[] = {
	{ "gf100", 4, { "gpc0.0", "gpc1.0", "part0.0", "part1.0" } },
	{ "gk104", 5, { "hub0", "gpc0.1", "gpc1.2", "part0.0", "part1.1" } },
	{ "gk110", 5, { "hub0", "gpc0.3", "gpc1.2", "part0.0", "part1.0" } },
	{ "g96", 5, { "0", "1", "3", "4", "7" } },
	{ "gt215", 5, { "0", "1", "2", "5", "7" } },
}, whole_chips[] = {
	{ .chip = "g84" }, { .chip = "gt215" }, { .chip = "gk104" },
};

static unsigned int domains;	/* of the case */

static unsigned int find(const char *name)
{
	int dom;

	if (!has(PCOUNTER_CAP_SETS))
		return strtoul(name, NULL, 10);
	dom = pcmodel_find_domain(g.m, name, strlen(name));
	if (dom < 0)
		fail_msg("%s has no domain %s", g.gpu.chip->name, name);
	return dom;
}

/* Build a signal and the clock in each domain, like one group of events. */
static void build(const struct chip_case *c, struct group *grp, bool swap)
{
	gpu_new(c->chip);
	domains = c->n ?: g.gpu.topo.nr;
	assert_true(domains <= DOMAINS);
	for (unsigned int i = 0; i < domains; i++) {
		unsigned int dom = c->n ? find(c->dom[i]) : i;

		say("signal %s %u random 20000/65536 seed %u", g.gpu.topo.dom[dom].name, SIG, i);
		grp[i].n = 2;
		grp[i].req[0] = ask(dom, PCOUNTER_ROLE_ANY, SIG);
		grp[i].req[1] = ask_clk(dom);
		if (swap)
			grp[i].req[0].set.swap = g.m->dom[dom].trailer +
				pcounter_trailer_of(g.gpu.gen->caps)->trigger;
		assert_true(group_settle(&grp[i], 0));
	}
}

static void start(struct group *grp)
{
	for (unsigned int i = 0; i < domains; i++)
		assert_true(group_start(&grp[i]));
}

static void stop_events(struct group *grp)
{
	for (unsigned int i = 0; i < domains; i++) {
		assert_int_equal(g.gpu.dom[grp[i].req[0].dom].unit.fault, PCOUNTER_OK);
		group_stop(&grp[i]);
	}
}

static void stop(struct group *grp)
{
	stop_events(grp);
	gpu_free();
}

/* Take one snapshot like perf for a group: totals of each domain. */
static void read_all(struct group *grp, u64 val[DOMAINS][2])
{
	g.gpu.snapshot++;
	for (unsigned int i = 0; i < domains; i++)
		for (unsigned int k = 0; k < 2; k++)
			val[i][k] = group_value(&grp[i], k);
}

/* Number of the driver's access at which a command stream triggers, and accesses so far. */
static unsigned int due, accesses;

static void count_access(void)
{
	accesses++;
	if (due && !--due)
		say("trigger");
}

static u32 triggered_rd32(struct pcounter_io *io, u32 addr)
{
	count_access();
	return gpu_rd32(io, addr);
}

static void triggered_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	count_access();
	gpu_wr32(io, addr, val);
}

static const struct pcounter_io_ops triggered = {
	.rd32 = triggered_rd32, .wr32 = triggered_wr32,
};

/* The driver's own periods: triggers come and go. */
TEST(test_shielded)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(chip_cases); n++) {
		const struct chip_case *c = &chip_cases[n];
		struct group grp[DOMAINS] = {};
		u64 val[DOMAINS][2];

		build(c, grp, false);
		start(grp);
		for (unsigned int i = 0; i < domains; i++) {
			u64 was[2], now[2];
			unsigned int clocks;

			pcmodel_run(g.m, 10);
			clocks = group_read(&grp[i], was);
			for (unsigned int k = 0; k < 10; k++) {
				say("trigger");
				pcmodel_run(g.m, 100 - clocks);
				clocks = group_read(&grp[i], now);
				assert_int_equal(now[1] - was[1], 100 * (k + 1));
			}
		}
		g.io.ops = &triggered;
		for (unsigned int round = 0; round < ROUNDS / 4; round++) {
			due = 1 + rnd(20);
			read_all(grp, val);
			pcmodel_run(g.m, rnd(50));
		}
		due = 0;
		stop(grp);
	}
}

/*
 * A trigger at any register access, also during the programming of the domains: all
 * domains always have the same number of periods.
 */
TEST(test_one_moment)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(chip_cases) * 20; n++) {
		const struct chip_case *c = &chip_cases[n % ARRAY_SIZE(chip_cases)];
		struct group grp[DOMAINS] = {};
		u64 val[DOMAINS][2], first = 0;

		build(c, grp, true);
		g.io.ops = &triggered;
		g.step = 1;
		due = 1 + rnd(60 * domains);
		start(grp);
		for (unsigned int round = 0; round < ROUNDS / 2; round++) {
			if (!due)
				due = 1 + rnd(40);
			pcmodel_run(g.m, 30 + rnd(200));
			read_all(grp, val);
			for (unsigned int i = 1; i < domains; i++)
				assert_int_equal(val[i][1], val[0][1]);
			first = first ?: val[0][1];
		}
		/* and it counts */
		assert_true(val[0][1] > first);
		due = 0;
		stop(grp);
	}
}

/* Return the clocks between the ends of the domains' last periods. */
static unsigned int skew_of(const struct group *grp)
{
	u64 low = ~0ULL, high = 0;

	for (unsigned int i = 0; i < domains; i++) {
		u64 since = g.m->dom[grp[i].req[0].dom].hidden_cycles;

		low = min(low, since);
		high = max(high, since);
	}
	return high - low;
}

/*
 * The driver's swaps of several domains are register accesses apart, each of which takes
 * the bus's time; the trigger swaps all at once. These numbers are on the pages.
 */
TEST(test_skew)
{
	enum { STEP = 10 };

	for (unsigned int n = 0; n < ARRAY_SIZE(chip_cases); n++) {
		const struct chip_case *c = &chip_cases[n];
		unsigned int skew[2], reads[2];

		for (unsigned int swap = 0; swap < 2; swap++) {
			struct group grp[DOMAINS] = {};
			u64 val[DOMAINS][2];

			build(c, grp, swap);
			g.io.ops = &triggered;
			start(grp);
			for (unsigned int i = 0; i < 2; i++) {
				g.step = 0;
				pcmodel_run(g.m, 1000);
				if (swap)
					say("trigger");
				pcmodel_run(g.m, 3);
				g.step = STEP;
				accesses = 0;
				read_all(grp, val);
				reads[swap] = accesses;
			}
			skew[swap] = skew_of(grp);
			stop(grp);
		}
		printf("# %s, %u domains: driver %u reads and writes, skew %u; trigger %u, %u\n",
		       c->chip, domains, reads[0], skew[0] / STEP, reads[1], skew[1]);
		assert_int_equal(skew[0] / STEP, 5 * (domains - 1));
		assert_int_equal(skew[1], 0);
	}
}

/* Let whoever can send the trigger do so: the driver on Tesla, else a command stream. */
static void pull(bool driver)
{
	if (driver)
		assert_int_equal(pcounter_gpu_trigger(&g.gpu), 0);
	else if (has(PCOUNTER_CAP_SETS))
		say("method 0x144 0xa097");
	else
		say("method 0x140 0x502d");
}

/*
 * All domains of a chip count the clocks between two triggers, and no other clock. On a real
 * card two of them differ by at most one (hw:real-cards/r2).
 */
static void whole_chip(const struct chip_case *c, bool driver)
{
	static struct group grp[DOMAINS];
	u64 val[DOMAINS][2], begun = 0, pulled;

	memset(grp, 0, sizeof(grp));
	build(c, grp, true);
	if (driver && !pcounter_has_trigger(g.gpu.gen)) {
		gpu_free();
		return;
	}
	g.step = 1;
	start(grp);
	for (unsigned int round = 0; round < 30; round++) {
		pcmodel_run(g.m, 1 + rnd(5000));
		g.step = 0;
		pull(driver);
		begun = begun ?: g.m->time;
		pulled = g.m->time;
		/* the pulse's own clock is part of the new period */
		pcmodel_run(g.m, 2);
		g.step = 1;
		read_all(grp, val);
		for (unsigned int i = 0; i < domains; i++) {
			const struct pcounter_domain *d = &g.gpu.dom[grp[i].req[0].dom];

			assert_int_equal(val[i][1], val[0][1]);
			assert_int_equal(d->missed, 0);
		}
		assert_int_equal(val[0][1], pulled - begun);
	}
	stop(grp);
}

TEST(test_whole_chip)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(whole_chips); n++) {
		whole_chip(&whole_chips[n], false);
		whole_chip(&whole_chips[n], true);
	}
}

/* The driver pulls the trigger only where it reaches nobody else, and PGRAPH is on. */
TEST(test_pull_refused)
{
	static const struct chip_case some = { "g84", 1, { "1" } };
	struct group grp[DOMAINS] = {};

	gpu_new("g80");
	assert_false(pcounter_has_trigger(g.gpu.gen));
	gpu_free();
	gpu_new("gf100");
	assert_false(pcounter_has_trigger(g.gpu.gen));
	gpu_free();
	build(&some, grp, true);
	assert_true(pcounter_has_trigger(g.gpu.gen));
	start(grp);
	say("pmc 0xffffefff");
	accesses = g.m->writes;
	assert_int_equal(pcounter_gpu_trigger(&g.gpu), -EIO);
	say("pmc 0xffffffff");
	g.m->dead = true;
	assert_int_equal(pcounter_gpu_trigger(&g.gpu), -EIO);
	assert_int_equal(g.m->writes, accesses);
	g.m->dead = false;
	assert_int_equal(pcounter_gpu_trigger(&g.gpu), 0);
	assert_int_equal(g.m->writes, accesses + 1);
	stop_events(grp);
	assert_int_equal(pcounter_gpu_lend(&g.gpu), 0);
	assert_int_equal(pcounter_gpu_trigger(&g.gpu), -EBUSY);
	pcounter_gpu_leave(&g.gpu, true);
	assert_int_equal(pcounter_gpu_trigger(&g.gpu), -ENODEV);
	gpu_free();
}

/* Start the events of all domains by one commit, as perf does for a group. */
static void start_together(struct group *grp)
{
	g.gpu.snapshot++;
	for (unsigned int i = 0; i < domains; i++)
		for (unsigned int k = 0; k < grp[i].n; k++) {
			pcounter_domain_get(&g.gpu, &grp[i].req[k]);
			grp[i].user[k] = pcounter_domain_add(&g.gpu, &grp[i].req[k]);
			assert_true(grp[i].user[k] >= 0);
		}
	assert_true(pcounter_gpu_end_group(&g.gpu));
	pcounter_gpu_commit(&g.gpu);
}

/* Let the periods of all domains be @clocks, by PERIODIC. */
static void use_periodic(struct group *grp)
{
	u8 periodic = pcounter_trailer_of(g.gpu.gen->caps)->periodic;

	for (unsigned int i = 0; i < domains; i++) {
		struct pcounter_settings *set = &grp[i].req[0].set;

		set->swap = g.m->dom[grp[i].req[0].dom].trailer + periodic;
		set->periodic = 1;
		assert_true(group_settle(&grp[i], 0));
	}
}

/*
 * hw:inputs/periodic: the generators of domains with one clock pulse together, since the
 * driver holds them while it programs the domains of a group. Events that come later do not
 * disturb them.
 */
TEST(test_periodic_together)
{
	enum { CLOCKS = 1024 };

	for (unsigned int n = 0; n < ARRAY_SIZE(whole_chips); n++) {
		struct group grp[DOMAINS] = {};
		u64 val[DOMAINS][2], start;

		build(&whole_chips[n], grp, false);
		use_periodic(grp);
		/* from GF100 on each set has its own switch, so its domains only: the HUB's */
		domains = has(PCOUNTER_CAP_SETS) ? 4 : domains - 1;
		g.step = 7;
		start_together(grp);
		pcmodel_run(g.m, CLOCKS);
		start = g.m->time - g.m->dom[0].hidden_cycles;
		for (unsigned int round = 0; round < 20; round++) {
			pcmodel_run(g.m, 900);
			if (round == 10)
				assert_true(group_start(&grp[domains]));
			read_all(grp, val);
			assert_int_equal(skew_of(grp), 0);
			assert_int_equal(g.m->dom[0].hidden_cycles,
					 (g.m->time - start) % CLOCKS);
		}
		domains++;
		stop(grp);
	}
}

/* A request that joins counts whole periods only, even if an older period is unread. */
static void join_by_signal(unsigned int dom)
{
	struct group first = { .n = 2, .req = { ask(dom, PCOUNTER_ROLE_PRE, SIG), ask_clk(dom) } };
	struct group late = { .n = 1, .req = { ask(dom, PCOUNTER_ROLE_ANY, SIG + 2) } };
	u64 val[2];

	say("signal %u %u duty 1/1000 phase 1", dom, SIG + 1);
	say("signal %u %u const 1", dom, SIG + 2);
	first.req[1].set.swap = SIG + 1;
	late.req[0].set.swap = SIG + 1;
	assert_true(group_settle(&first, 0));
	assert_true(group_settle(&late, 0));
	assert_true(group_start(&first));
	pcmodel_run(g.m, 1500);
	group_read_once(&first, val);
	pcmodel_run(g.m, 700);
	assert_true(group_start(&late));
	for (unsigned int i = 1; i <= 3; i++) {
		pcmodel_run(g.m, 1000);
		group_read_once(&late, val);
		assert_int_equal(val[0], 1000 * (i - 1));
		group_read_once(&first, val);
		assert_int_equal(val[1], 1000 * (i + 1));
	}
	group_stop(&late);
	group_stop(&first);
}

TEST(test_join_by_signal)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		if (has(PCOUNTER_CAP_SWAP_SRC))
			join_by_signal(b->dom);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
