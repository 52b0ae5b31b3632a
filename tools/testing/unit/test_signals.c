// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals by name: on every chip with names, each of them counts its wire, or what the
 * engine or the driver drives.
 */
#include "count_test.h"
#include "terms_test.h"
#include "rules/lookup.h"

#define GK104	0xe4
#define GK20A	0xea	/* not modelled */
#define GK110	0xf0
#define CYCLES	300
#define FEW	40	/* if domains see each other, the model runs clock by clock */
/*
 * A signal of another domain arrives up to two of that domain's clocks late,
 * and is then read.
 */
#define LATE	8
#define PERIOD	1024	/* of the PERIODIC generator with periodic=1 */

/* An event that counts. */
static struct group grp;

/* Make the GPU of the next chip with named signals; return false after the last. */
static bool next_chip(const struct pcounter_chip **chip)
{
	const struct pcounter_chip *end = pcounter_chips + pcounter_nr_chips;
	char id[8];

	if (*chip)
		gpu_free();
	*chip = *chip ? *chip + 1 : pcounter_chips;
	while (*chip < end && (!(*chip)->signals.nr || (*chip)->chipset == GK20A))
		++*chip;
	if (*chip == end)
		return false;
	snprintf(id, sizeof(id), "0x%x", (*chip)->chipset);
	return gpu_new(id);
}

/* Return the terms of a name, NULL if the chip has no such name. */
static char *find(const char *name)
{
	static struct pcounter_named named;

	for (unsigned int i = 0; i < g.gpu.chip->signals.nr; i++) {
		pcounter_named_get(&g.gpu.topo, i, &named);
		if (!strcmp(named.name, name))
			return named.terms;
	}
	return NULL;
}

static void open_terms(char *terms, u64 periodic)
{
	const struct pcounter_config config = words_of(terms, 0, g.gpu.topo.caps);
	const char *why = NULL;

	grp = (struct group){ .n = 1 };
	if (pcounter_config_parse(&config, &g.gpu.topo, &grp.req[0], &why))
		fail_msg("%s: %s", g.gpu.chip->name, why);
	grp.req[0].set.periodic = periodic ?: grp.req[0].set.periodic;
	assert_true(group_settle(&grp, 1));
	assert_true(group_start(&grp));
}

/* Return the count of a name over @cycles, and its first and last cycle. */
static u64 count_range(char *terms, unsigned int dom, unsigned int cycles, u64 *from, u64 *to)
{
	u64 count;

	open_terms(terms, 0);
	/* single mode: PRE and START need a clock each */
	*from = pcmodel_cycle(g.m, dom) + (has(PCOUNTER_CAP_QUAD) ? 0 : 2);
	pcmodel_run(g.m, cycles);
	*to = pcmodel_cycle(g.m, dom);
	group_read(&grp, &count);
	group_stop(&grp);
	return count;
}

static u64 count_name(const char *name, u64 periodic, unsigned int cycles)
{
	char *terms = find(name);
	u64 count;

	if (!terms)
		fail_msg("%s: no %s", g.gpu.chip->name, name);
	open_terms(terms, periodic);
	pcmodel_run(g.m, cycles);
	group_read(&grp, &count);
	group_stop(&grp);
	return count;
}

/* Give every wire a different script. */
static void script_wires(const struct pcounter_signal *signal, int dom)
{
	char line[64];

	for (unsigned int bit = 0; bit < (signal->ctr ? 4 : 1); bit++) {
		snprintf(line, sizeof(line), "signal %d %u random 32768/65536 seed %u", dom,
			 signal->sig + bit, dom * 256 + signal->sig + bit);
		say(line);
	}
}

static u64 expected(const struct pcounter_signal *signal, int dom, u64 from, u64 to)
{
	u64 sum = 0;

	for (unsigned int bit = 0; bit < (signal->ctr ? 4 : 1); bit++)
		sum += pcmodel_script_count(&g.m->dom[dom].sig[signal->sig + bit], from, to) << bit;
	return sum;
}

/* Return true if the engine itself or software drives the signal. */
static bool is_driven(const struct pcounter_signal *signal, const char *name, int dom)
{
	unsigned int trailer = g.gpu.topo.dom[dom].trailer;
	unsigned int first = has(PCOUNTER_CAP_SETS) ? 0x1f : has(PCOUNTER_CAP_IMPORT) ? 0x0c : 0x1d;

	if (trailer != PCOUNTER_TRAILER_UNKNOWN && signal->sig >= trailer + first)
		return true;
	return has(PCOUNTER_CAP_USER) && !strncmp(name, "dom", 3) && strstr(name, "_user_");
}

static void test_wires(void **state)
{
	const struct pcounter_chip *chip = NULL;
	u64 from, to, count;

	while (next_chip(&chip)) {
		const struct pcounter_signal *signal = pcounter_signals_of(chip);
		unsigned int wires = 0;

		for (unsigned int i = 0; i < chip->signals.nr; i++, signal++) {
			const char *name = pcounter_signal_names[signal->name];
			int dom = pcounter_topo_find(&g.gpu.topo, signal->set, 0, signal->dom);

			assert_in_range(dom, 0, g.m->domains - 1);
			if (is_driven(signal, name, dom))
				continue;
			script_wires(signal, dom);
			count = count_range(find(name), dom, CYCLES, &from, &to);
			if (count != expected(signal, dom, from, to))
				fail_msg("%s: %s counts %llu", chip->name, name,
					 (unsigned long long)count);
			wires++;
		}
		/* only trailers of GK110 have names */
		assert_int_equal(!wires, chip->chipset == GK110);
	}
}

/**
 * struct place - domains of one set
 * @prefix: the prefix of their names
 * @set: the kind of set
 * @domains: number of domains
 */
struct place {
	const char *prefix;
	unsigned int set;
	unsigned int domains;
};

static struct place place_of(unsigned int set)
{
	static const char *const prefix[] = {
		[PCOUNTER_SET_HUB] = "hub_", [PCOUNTER_SET_GPC] = "gpc_",
		[PCOUNTER_SET_PART] = "part_",
	};

	return (struct place){
		has(PCOUNTER_CAP_SETS) ? prefix[set] : "", set, g.gpu.chip->set[set].domains,
	};
}

/* Is there a name for this signal? */
static bool is_named(const struct pcounter_chip *chip, unsigned int set, unsigned int dom,
		     unsigned int sig)
{
	const struct pcounter_signal *signal = pcounter_signals_of(chip);

	for (unsigned int i = 0; i < chip->signals.nr; i++)
		if (signal[i].set == set && signal[i].dom == dom && signal[i].sig == sig)
			return true;
	return false;
}

/*
 * Use the chip table, since the topology also contains bases that the driver
 * has found. A set's base may be known although none of its signals has a name.
 */
static bool has_trailer(const struct place *p, unsigned int dom)
{
	u16 trailer = g.gpu.chip->set[p->set].trailer[dom];

	if (trailer == PCOUNTER_TRAILER_UNKNOWN)
		return false;
	return !has(PCOUNTER_CAP_SETS) ||
	       is_named(g.gpu.chip, p->set, dom,
			trailer + pcounter_trailer_of(PCOUNTER_CAP_SETS)->zero);
}

/* Let domain @in count the output of domain @of: all its cycles at 1, or none. */
static void expect_output(const struct place *p, const char *what, unsigned int of,
			  unsigned int in, bool one)
{
	char name[48];
	u64 count;

	if (of == in)
		snprintf(name, sizeof(name), "%sdom%u_%s", p->prefix, of, what);
	else
		snprintf(name, sizeof(name), "%sdom%u_%s_in_dom%u", p->prefix, of, what, in);
	if (!has_trailer(p, in)) {
		assert_null(find(name));
		return;
	}
	count = count_name(name, 0, FEW);
	if (one ? count < FEW - LATE : count)
		fail_msg("%s: %s counts %llu", g.gpu.chip->name, name, (unsigned long long)count);
}

/* Start an event that is always 1; return it. */
static struct group always(const struct place *p, unsigned int dom, enum pcounter_role role)
{
	struct group always = { .n = 1, .req = {
		ask(pcounter_topo_find(&g.gpu.topo, p->set, 0, dom), role, 0) } };

	always.req[0].in.op = PCOUNTER_OP_ALWAYS;
	assert_true(group_settle(&always, 2));
	assert_true(group_start(&always));
	return always;
}

/* While one domain's output is 1, all domains of its set see this output at 1. */
static void output_of(const struct place *p, unsigned int of, bool flag)
{
	const char *what = flag ? "flag" : "event";
	unsigned int next = (of + 1) % p->domains;
	struct group output;

	output = always(p, of, flag ? PCOUNTER_ROLE_SETFLAG : PCOUNTER_ROLE_EVENT);
	/* until all domains see it */
	pcmodel_run(g.m, LATE);
	for (unsigned int in = 0; in < p->domains; in++)
		expect_output(p, what, of, in, true);
	/* the last count made EVENT 1 there: wait until its trace is gone */
	pcmodel_run(g.m, LATE);
	if (next != of)
		expect_output(p, what, next, of, false);
	group_stop(&output);
	if (!flag)
		return;
	output = always(p, of, PCOUNTER_ROLE_CLRFLAG);
	pcmodel_run(g.m, LATE);
	group_stop(&output);
}

/* Call a function for each domain of one unit of each set, on each chip. */
static void each_domain(void (*check)(const struct place *p, unsigned int dom))
{
	const struct pcounter_chip *chip = NULL;

	while (next_chip(&chip)) {
		/* new settings begin when the preceding swap has had its clock */
		g.step = has(PCOUNTER_CAP_SETS) ? 1 : 0;
		for (unsigned int set = 0; set < PCOUNTER_SET_KINDS; set++) {
			struct place p = place_of(set);

			for (unsigned int dom = 0; dom < p.domains; dom++)
				check(&p, dom);
		}
	}
}

static void outputs_of(const struct place *p, unsigned int dom)
{
	output_of(p, dom, true);
	if (has(PCOUNTER_CAP_IMPORT))
		output_of(p, dom, false);
}

static void test_flags_and_events(void **state)
{
	each_domain(outputs_of);
}

/* Each period has one pulse, in its own domain, if there is a generator. */
static void generator_of(const struct place *p, unsigned int dom)
{
	char name[48];

	snprintf(name, sizeof(name), "%sdom%u_periodic", p->prefix, dom);
	if (has(PCOUNTER_CAP_PERIODIC) && has_trailer(p, dom))
		assert_in_range(count_name(name, 1, 4 * PERIOD), 3, 5);
	else
		assert_null(find(name));
}

static void test_generators(void **state)
{
	each_domain(generator_of);
}

static u64 count_user(const struct place *p, unsigned int dom, unsigned int n, u32 levels)
{
	struct pcounter_domain *d = &g.gpu.dom[pcounter_topo_find(&g.gpu.topo, p->set, 0, dom)];
	char name[48];

	assert_int_equal(pcounter_quad_user(d, levels, 0), 0);
	snprintf(name, sizeof(name), "%sdom%u_user_%u", p->prefix, dom, n);
	return count_name(name, 0, CYCLES);
}

/* The USER signals that the driver can drive; USER_0 of a set swaps. */
static void users_of(const struct place *p, unsigned int dom)
{
	bool sets = has(PCOUNTER_CAP_SETS);

	if (sets ? !has_trailer(p, dom) : !has(PCOUNTER_CAP_USER))
		return;
	for (unsigned int n = sets; n < (sets ? 4 : 2); n++) {
		assert_in_range(count_user(p, dom, n, BIT(n)), CYCLES - LATE, CYCLES + LATE);
		assert_int_equal(count_user(p, dom, n, 0xe & ~BIT(n)), 0);
	}
}

static void test_user_signals(void **state)
{
	each_domain(users_of);
}

static void test_the_unmodelled_chip_has_part_of_a_list(void **state)
{
	const struct pcounter_chip *chip = pcounter_chip_find(GK20A);
	const struct pcounter_signal *ours = pcounter_signals_of(chip);

	assert_true(chip->signals.nr);
	for (unsigned int i = 0; i < chip->signals.nr; i++)
		assert_true(is_named(pcounter_chip_find(GK104), ours[i].set, ours[i].dom,
				     ours[i].sig));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wires),
		cmocka_unit_test(test_flags_and_events),
		cmocka_unit_test(test_generators),
		cmocka_unit_test(test_user_signals),
		cmocka_unit_test(test_the_unmodelled_chip_has_part_of_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
