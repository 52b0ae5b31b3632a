// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events by name: on every chip with names, open each file in events/ through
 * perf and check that it counts its signal.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <kunit/device.h>

#include "device.h"
#include "hw/regs.h"
#include "pcounter_fake.h"
#include "perf/types.h"
#include "rules/lookup.h"
#include "rules/terms.h"

#define GK110	0x0f0
#define CYCLES	300
#define FEW	40	/* if domains see each other, the model runs clock by clock */
/*
 * A signal of another domain arrives up to two of that domain's clocks late,
 * and is then read.
 */
#define LATE	8
#define PERIOD	1024	/* of the PERIODIC generator with periodic=1 */

/**
 * struct names_test - a GPU and its PMU
 * @fake: the GPU
 * @dev: the device that represents the card
 * @ppmu: the PMU
 * @page: for show functions
 */
struct names_test {
	struct pcounter_fake *fake;
	struct device *dev;
	struct pcounter_pmu *ppmu;
	char *page;
};

#define GK104	0xe4
#define GK20A	0xea	/* not modelled; the_unmodelled_chip_has_part_of_a_list() */

static pcounter_generator(names_gen_params)
{
	const struct pcounter_chip *chip = prev, *end = pcounter_chips + pcounter_nr_chips;

	chip = chip ? chip + 1 : pcounter_chips;
	while (chip < end && (!chip->signals.nr || chip->chipset == GK20A))
		chip++;
	if (chip >= end)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "0x%03x", chip->chipset);
	return chip;
}

static void names_remove(void *data)
{
	struct names_test *t = data;

	pcounter_device_remove(t->ppmu, true);
}

static int names_init(struct kunit *test)
{
	const struct pcounter_chip *chip = test->param_value;
	struct names_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	if (!chip)
		return 0;
	t->fake = pcounter_fake_create_chip(test, chip->chipset);
	t->page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->page);
	t->dev = kunit_device_register(test, "pcounter-names");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->dev);
	t->ppmu = pcounter_device_create(t->dev, THIS_MODULE, chip->chipset, &t->fake->io);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->ppmu);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, names_remove, t));
	t->fake->step = 0;
	test->priv = t;
	return 0;
}

/* The helpers of the suites look for the GPU in the test's private data. */
static void command(struct kunit *test, const char *line)
{
	struct names_test *t = test->priv;
	char reply[80];

	KUNIT_ASSERT_EQ_MSG(test, 0,
			    pcmodel_command(t->fake->model, line, reply, sizeof(reply)),
			    "%s: %s", line, reply);
}

static u64 scripted(struct kunit *test, unsigned int dom, unsigned int sig, u64 from, u64 to)
{
	struct names_test *t = test->priv;
	u64 count;

	test->priv = t->fake;
	count = pcounter_fake_count(test, dom, sig, from, to);
	test->priv = t;
	return count;
}

static struct device_attribute *find_file(struct names_test *t, const char *name)
{
	struct attribute **attr = t->ppmu->base.events_dir.group.attrs;

	while (*attr && strcmp((*attr)->name, name))
		attr++;
	return *attr ? container_of(*attr, struct device_attribute, attr) : NULL;
}

static void add_term(struct kunit *test, struct pcounter_config *config, char *term)
{
	const char *name = strsep(&term, "=");
	u64 value = 1;
	unsigned int i;

	for (i = 0; i < PCOUNTER_NR_TERMS; i++)
		if (!strcmp(pcounter_term_info[i].name, name))
			break;
	KUNIT_ASSERT_LT_MSG(test, i, PCOUNTER_NR_TERMS, "term %s", name);
	/* perf marks a required term by "?": choose GPC 1 or 3 */
	if (term && !strcmp(term, "?"))
		value = 3;
	else if (term)
		KUNIT_ASSERT_EQ_MSG(test, 0, kstrtoull(term, 0, &value), "%s", term);
	config->word[pcounter_term_info[i].word] |= value << pcounter_term_info[i].lo;
}

/* Open an event like perf: the terms of a file, then the user's terms. */
static struct perf_event *open_terms(struct kunit *test, char *terms, const char *more)
{
	struct names_test *t = test->priv;
	struct pcounter_config config = {};
	struct perf_event_attr attr = {
		.type = t->ppmu->base.pmu.type, .size = sizeof(attr),
	};
	char buf[64], *rest = buf;

	strscpy(buf, more, sizeof(buf));
	while (terms && *terms)
		add_term(test, &config, strsep(&terms, ","));
	while (rest && *rest)
		add_term(test, &config, strsep(&rest, ","));
	attr.config = config.word[0];
	attr.config1 = config.word[1];
	attr.config2 = config.word[2];
	return perf_event_create_kernel_counter(&attr, t->ppmu->base.cpu, NULL, NULL, NULL);
}

static struct perf_event *open_file(struct kunit *test, struct device_attribute *file,
				    const char *more)
{
	struct names_test *t = test->priv;
	struct perf_event *event;

	KUNIT_ASSERT_GT(test, file->show(t->ppmu->base.pmu.dev, file, t->page), 0);
	event = open_terms(test, strim(t->page), more);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%s: %ld", file->attr.name,
			       PTR_ERR(event));
	return event;
}

/* Read twice: if a swap is a pulse, it takes effect only in the next clock. */
static u64 read_event(struct kunit *test, struct perf_event *event)
{
	struct names_test *t = test->priv;
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	if (!(t->ppmu->gpu.gen->caps & PCOUNTER_CAP_SETS))
		return perf_event_read_value(event, &enabled, &running);
	pcmodel_run(t->fake->model, 1);
	return perf_event_read_value(event, &enabled, &running);
}

/* Return the count of a name over @cycles, and the cycle of its start in @from. */
static u64 count_file(struct kunit *test, struct device_attribute *file, const char *more,
		      unsigned int dom, unsigned int cycles, u64 *from, u64 *to)
{
	struct names_test *t = test->priv;
	bool quad = t->ppmu->gpu.gen->caps & PCOUNTER_CAP_QUAD;
	struct perf_event *event = open_file(test, file, more);
	u64 count;

	/* single mode: PRE and START need a clock each */
	*from = pcmodel_cycle(t->fake->model, dom) + (quad ? 0 : 2);
	pcmodel_run(t->fake->model, cycles);
	*to = pcmodel_cycle(t->fake->model, dom);
	count = read_event(test, event);
	perf_event_release_kernel(event);
	return count;
}

static u64 count_name(struct kunit *test, const char *name, const char *more,
		      unsigned int cycles)
{
	struct device_attribute *file = find_file(test->priv, name);
	u64 from, to;

	KUNIT_ASSERT_NOT_NULL_MSG(test, file, "%s", name);
	return count_file(test, file, more, 0, cycles, &from, &to);
}

/* Return the model's index of a domain: HUB first, then the present units in order. */
static int domain_of(struct names_test *t, const struct pcounter_signal *signal)
{
	struct pcounter_topo *topo = &t->ppmu->gpu.topo;

	return pcounter_topo_find(topo, signal->set, 0, signal->dom);
}

/* Give every wire a different script. */
static void script_wires(struct kunit *test, const struct pcounter_signal *signal, int dom)
{
	unsigned int bit, bits = signal->ctr ? 4 : 1;
	char line[64];

	for (bit = 0; bit < bits; bit++) {
		snprintf(line, sizeof(line), "signal %d %u random 32768/65536 seed %u", dom,
			 signal->sig + bit, dom * 256 + signal->sig + bit);
		command(test, line);
	}
}

static u64 expected(struct kunit *test, const struct pcounter_signal *signal, int dom,
		    u64 from, u64 to)
{
	unsigned int bit, bits = signal->ctr ? 4 : 1;
	u64 sum = 0;

	for (bit = 0; bit < bits; bit++)
		sum += scripted(test, dom, signal->sig + bit, from, to) << bit;
	return sum;
}

/* Return true if the engine itself drives the signal; other tests cover it. */
static bool in_trailer(struct names_test *t, const struct pcounter_signal *signal, int dom)
{
	const struct pcounter_dom_id *id = &t->ppmu->gpu.topo.dom[dom];
	u32 caps = t->ppmu->gpu.topo.caps;
	unsigned int first = caps & PCOUNTER_CAP_SETS ? 0x1f :
			     caps & PCOUNTER_CAP_IMPORT ? 0x0c : 0x1d;

	return id->trailer != PCOUNTER_TRAILER_UNKNOWN && signal->sig >= id->trailer + first;
}

/* Return true for the USER signals of a domain, not of a unit. */
static bool is_user(struct names_test *t, const char *name)
{
	return t->ppmu->gpu.gen->caps & PCOUNTER_CAP_USER && !strncmp(name, "dom", 3) &&
	       strstr(name, "_user_");
}

static void names_count_their_wires(struct kunit *test)
{
	struct names_test *t = test->priv;
	const struct pcounter_signal *signal;
	struct device_attribute *file;
	unsigned int i, wires = 0;
	u64 from, to, count;
	const char *name;
	int dom;

	signal = pcounter_signals_of(t->ppmu->gpu.chip);
	for (i = 0; i < t->ppmu->gpu.chip->signals.nr; i++, signal++) {
		name = pcounter_signal_names[signal->name];
		file = find_file(t, name);
		KUNIT_ASSERT_NOT_NULL_MSG(test, file, "%s", name);
		dom = domain_of(t, signal);
		KUNIT_ASSERT_GE(test, dom, 0);
		/* the engine itself or software drives it: other cases cover it */
		if (in_trailer(t, signal, dom) || is_user(t, name)) {
			perf_event_release_kernel(open_file(test, file, ""));
			continue;
		}
		script_wires(test, signal, dom);
		count = count_file(test, file, "", dom, CYCLES, &from, &to);
		KUNIT_EXPECT_EQ_MSG(test, count, expected(test, signal, dom, from, to),
				    "%s", name);
		wires++;
	}
	/* only trailers of GK110 have names */
	KUNIT_EXPECT_EQ(test, !wires, t->ppmu->gpu.chip->chipset == GK110);
}

/**
 * struct place - domains of one set
 * @prefix: the prefix of their names
 * @terms: terms that select the set and unit
 * @set: the set as a number
 * @unit: the unit as a number
 * @domains: number of domains
 */
struct place {
	const char *prefix;
	const char *terms;
	unsigned int set;
	unsigned int unit;
	unsigned int domains;
};

static struct place place_of(struct names_test *t, unsigned int set)
{
	unsigned int domains = t->ppmu->gpu.chip->set[set].domains;

	if (!(t->ppmu->gpu.topo.caps & PCOUNTER_CAP_SETS))
		return (struct place){ "", "", 0, 0, domains };
	if (set == PCOUNTER_SET_GPC)
		return (struct place){ "gpc_", "set=1,", 1, 0, domains };
	if (set == PCOUNTER_SET_PART)
		return (struct place){ "part_", "set=2,", 2, 0, domains };
	return (struct place){ "hub_", "", 0, 0, domains };
}

/* Is there a name for this signal? */
static bool is_named(const struct pcounter_chip *chip, unsigned int set,
		     unsigned int dom, unsigned int sig)
{
	const struct pcounter_signal *signal = pcounter_signals_of(chip);
	unsigned int i;

	for (i = 0; i < chip->signals.nr; i++)
		if (signal[i].set == set && signal[i].dom == dom && signal[i].sig == sig)
			return true;
	return false;
}

/*
 * Use the chip table, since the topology also contains bases that the driver
 * has found. A set's base may be known although none of its signals has a name.
 */
static bool has_trailer(struct names_test *t, const struct place *p, unsigned int dom)
{
	const struct pcounter_chip *chip = t->ppmu->gpu.chip;
	const u16 *trailer = chip->set[p->set].trailer;

	if (trailer[dom] == PCOUNTER_TRAILER_UNKNOWN)
		return false;
	if (!(t->ppmu->gpu.topo.caps & PCOUNTER_CAP_SETS))
		return true;
	return is_named(chip, p->set, dom,
			trailer[dom] + pcounter_trailer_of(PCOUNTER_CAP_SETS)->zero);
}

/* Let domain @in count the output of domain @of: all its cycles at 1, or none. */
static void expect_output(struct kunit *test, const struct place *p, const char *what,
			  unsigned int of, unsigned int in, bool one)
{
	char name[48];
	u64 count;

	if (of == in)
		snprintf(name, sizeof(name), "%sdom%u_%s", p->prefix, of, what);
	else
		snprintf(name, sizeof(name), "%sdom%u_%s_in_dom%u", p->prefix, of, what, in);
	if (!has_trailer(test->priv, p, in)) {
		KUNIT_EXPECT_NULL_MSG(test, find_file(test->priv, name), "%s", name);
		return;
	}
	count = count_name(test, name, "", FEW);
	if (one)
		KUNIT_EXPECT_GE_MSG(test, count, FEW - LATE, "%s", name);
	else
		KUNIT_EXPECT_EQ_MSG(test, count, 0, "%s", name);
}

static struct perf_event *open_always(struct kunit *test, const struct place *p,
				      unsigned int dom, const char *role)
{
	struct perf_event *event;
	char terms[48];

	snprintf(terms, sizeof(terms), "%sdom=%u,op=0xffff", p->terms, dom);
	event = open_terms(test, terms, role);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%s: %ld", role, PTR_ERR(event));
	return event;
}

/* While one domain's output is 1, all domains of its set see this output at 1. */
static void output_of(struct kunit *test, const struct place *p, unsigned int of, bool flag)
{
	const char *what = flag ? "flag" : "event";
	struct names_test *t = test->priv;
	unsigned int in, next = (of + 1) % p->domains;
	struct perf_event *output;

	output = open_always(test, p, of, flag ? "setflag" : "event");
	/* until all domains see it */
	pcmodel_run(t->fake->model, LATE);
	for (in = 0; in < p->domains; in++)
		expect_output(test, p, what, of, in, true);
	/* the last count made EVENT 1 there: wait until its trace is gone */
	pcmodel_run(t->fake->model, LATE);
	if (next != of)
		expect_output(test, p, what, next, of, false);
	perf_event_release_kernel(output);
	if (!flag)
		return;
	output = open_always(test, p, of, "clrflag");
	pcmodel_run(t->fake->model, LATE);
	perf_event_release_kernel(output);
}

static void names_of_flags_and_events(struct kunit *test)
{
	struct names_test *t = test->priv;
	u32 caps = t->ppmu->gpu.topo.caps;
	unsigned int set, dom;
	struct place p;

	/* on these chips new settings begin when the preceding swap has had its clock */
	t->fake->step = caps & PCOUNTER_CAP_SETS ? 1 : 0;
	for (set = 0; set < PCOUNTER_SET_KINDS; set++) {
		p = place_of(t, set);
		for (dom = 0; dom < p.domains; dom++) {
			output_of(test, &p, dom, true);
			if (caps & PCOUNTER_CAP_IMPORT)
				output_of(test, &p, dom, false);
		}
	}
}

/* Each period has one pulse, in its own domain, if there is a generator. */
static void names_of_generators(struct kunit *test)
{
	struct names_test *t = test->priv;
	bool has = t->ppmu->gpu.topo.caps & PCOUNTER_CAP_PERIODIC;
	unsigned int set, dom;
	struct place p;
	char name[48];
	u64 count;

	for (set = 0; set < PCOUNTER_SET_KINDS; set++) {
		p = place_of(t, set);
		for (dom = 0; dom < p.domains; dom++) {
			snprintf(name, sizeof(name), "%sdom%u_periodic", p.prefix, dom);
			if (!has || !has_trailer(t, &p, dom)) {
				KUNIT_EXPECT_NULL_MSG(test, find_file(t, name), "%s", name);
				continue;
			}
			count = count_name(test, name, "periodic=1", 4 * PERIOD);
			KUNIT_EXPECT_GE_MSG(test, count, 3, "%s", name);
			KUNIT_EXPECT_LE_MSG(test, count, 5, "%s", name);
		}
	}
}

static u64 count_user(struct kunit *test, const struct place *p, unsigned int dom,
		      unsigned int n, u32 levels)
{
	struct names_test *t = test->priv;
	struct pcounter_gpu *gpu = &t->ppmu->gpu;
	int i = pcounter_topo_find(&gpu->topo, p->set, p->unit, dom);
	unsigned long flags;
	char name[48];

	raw_spin_lock_irqsave(&gpu->lock, flags);
	KUNIT_EXPECT_EQ(test, 0, pcounter_quad_user(&gpu->dom[i], levels, 0));
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	snprintf(name, sizeof(name), "%sdom%u_user_%u", p->prefix, dom, n);
	return count_name(test, name, "", CYCLES);
}

/* The USER signals that the driver can drive; USER_0 of a set swaps. */
static void names_of_user_signals(struct kunit *test)
{
	struct names_test *t = test->priv;
	bool sets = t->ppmu->gpu.topo.caps & PCOUNTER_CAP_SETS;
	unsigned int set, dom, n;
	struct place p;

	for (set = 0; set < PCOUNTER_SET_KINDS; set++) {
		p = place_of(t, set);
		for (dom = 0; dom < p.domains; dom++) {
			if (sets ? !has_trailer(t, &p, dom) :
				   !(t->ppmu->gpu.gen->caps & PCOUNTER_CAP_USER))
				continue;
			for (n = sets ? 1 : 0; n < (sets ? 4 : 2); n++) {
				KUNIT_EXPECT_GE(test, count_user(test, &p, dom, n, BIT(n)),
						CYCLES - LATE);
				KUNIT_EXPECT_EQ(test, count_user(test, &p, dom, n,
								 0xe & ~BIT(n)), 0);
			}
		}
	}
}

static void the_unmodelled_chip_has_part_of_a_list(struct kunit *test)
{
	const struct pcounter_chip *chip = pcounter_chip_find(GK20A);
	const struct pcounter_chip *other = pcounter_chip_find(GK104);
	const struct pcounter_signal *ours = pcounter_signals_of(chip);
	unsigned int i;

	KUNIT_EXPECT_GT(test, chip->signals.nr, 0);
	for (i = 0; i < chip->signals.nr; i++)
		KUNIT_EXPECT_TRUE(test, is_named(other, ours[i].set, ours[i].dom, ours[i].sig));
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE_PARAM(names_count_their_wires, names_gen_params),
	KUNIT_CASE_PARAM(names_of_flags_and_events, names_gen_params),
	KUNIT_CASE_PARAM(names_of_generators, names_gen_params),
	KUNIT_CASE_PARAM(names_of_user_signals, names_gen_params),
	KUNIT_CASE(the_unmodelled_chip_has_part_of_a_list),
	{}
};

static struct kunit_suite names_suite = {
	.name = "pcounter_names",
	.init = names_init,
	.test_cases = names_cases,
};

kunit_test_suite(names_suite);

MODULE_DESCRIPTION("KUnit: events by name");
MODULE_LICENSE("GPL");
