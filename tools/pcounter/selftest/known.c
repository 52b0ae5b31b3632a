// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stage 2: counts of signals whose count is known. The stage writes only the registers
 * that perf's events write, and pulses of USER signals.
 */
#include <math.h>

#include "gpu/count.h"
#include "gpu/pmu.h"
#include "hw/registers.h"
#include "lib/tool.h"
#include "rules/chip.h"
#include "selftest/selftest.h"

#define LOOKS		6	/* measurements of a clock, until two agree */
#define STEADY		0.1	/* two measurements that differ by less agree */
#define LEAST_HZ	10e3	/* no clock is slower */
#define PULSES		16
#define USER_1		BIT(1)
#define EVENT_LOOP	8	/* clocks: two domains, each delays by two, up and down */
#define FLAG_LOOP	16	/* clocks: a flag itself shows two clocks later */
#define LOOP_SLACK	100	/* a loop may be off by one part in this */
#define EQUAL		0.02	/* clocks that differ by less count as equal */
#define MOST_NEIGHBOURS	8	/* domains of a unit, at most */
#define MOST_EVENTS	6

#define GF100_PERIODIC	0x2e
#define GF100_ZERO	0x2f

/**
 * struct place - a domain in a run
 * @test: the run
 * @pmu: the PMU
 * @dom: index of the domain
 * @name: its name
 */
struct place {
	struct selftest *test;
	const struct pmu *pmu;
	unsigned int dom;
	char name[PCOUNTER_DOM_NAME];
};

static const struct pcounter_dom_id *id_of(const struct place *at)
{
	return &at->pmu->topo.dom[at->dom];
}

/* ---- counting ---- */

/* Read the counts of open events. Return a negative errno if they cannot be read. */
static int read_count(struct count *count, uint64_t *value)
{
	if (!count_read(count) || !count->running)
		return -EIO;
	memcpy(value, count->value, count->n * sizeof(*value));
	return 0;
}

static int count_for(unsigned int ms, const struct event *event, unsigned int n, uint64_t *value)
{
	struct count count;
	int err = count_open(&count, event, n);

	if (err)
		return err;
	count_enable(&count, true);
	wait_ms(ms);
	count_enable(&count, false);
	err = read_count(&count, value);
	count_close(&count);
	return err;
}

/* Report a check, with the counts as evidence, and the error that ended them. */
static void report(const struct place *at, const char *name, bool ok, const uint64_t *value,
		   unsigned int n, int err)
{
	json_t *all = json_array();
	unsigned int i;

	for (i = 0; i < n; i++)
		json_array_append_new(all, json_integer(value[i]));
	json_array_append_new(all, json_integer(err));
	selftest_check(at->test, name, ok && !err, at->name, all);
}

/* ---- signals that are always 0, always 1, or regular ---- */

/* Expected relation of a count to the clocks. */
enum expectation { IS_ZERO, IS_ALL, IS_SHARE };

/**
 * struct known - a signal whose count is known
 * @name: name of the check
 * @caps: capabilities that the check needs
 * @absent: capabilities with which a better check replaces this one
 * @terms: terms of the event; %u is the number of the signal
 * @offset: offset of the signal from the trailer: on GF100 and later, and before
 * @expect: expected relation of the count to the clocks
 * @bits: IS_SHARE only: one in 2^bits clocks
 */
struct known {
	const char *name;
	u32 caps;
	u32 absent;
	const char *terms;
	unsigned int offset[2];
	enum expectation expect;
	unsigned int bits;
};

static const struct known known[] = {
	{ "always 1 equals cycles", 0, PCOUNTER_CAP_QUAD, "sig=0,op=0xffff", { 0, 0 }, IS_ALL, 0 },
	{ "ZERO stays 0", PCOUNTER_CAP_SWAP_SRC, 0, "sig=%u", { GF100_ZERO, 0x0c }, IS_ZERO, 0 },
	{ "PERIODIC has a period of 1024 clocks", PCOUNTER_CAP_PERIODIC, 0, "sig=%u,periodic=1",
	  { GF100_PERIODIC, 0x0d }, IS_SHARE, 10 },
	{ "PERIODIC has a period of 8192 clocks", PCOUNTER_CAP_PERIODIC, 0, "sig=%u,periodic=4",
	  { GF100_PERIODIC, 0x0d }, IS_SHARE, 13 },
	{ "PERIODIC has a period of 65536 clocks", PCOUNTER_CAP_PERIODIC, 0, "sig=%u,periodic=7",
	  { GF100_PERIODIC, 0x0d }, IS_SHARE, 16 },
};

static bool fits(const struct known *k, u32 caps, const uint64_t value[2])
{
	/* without a latch both are read at slightly different moments */
	uint64_t clocks = value[1], slack = caps & PCOUNTER_CAP_QUAD ? 0 : clocks / 20 + 1000;

	switch (k->expect) {
	case IS_ZERO:
		return !value[0];
	case IS_ALL:
		return value[0] + slack >= clocks && clocks + slack >= value[0];
	default:
		return value[0] >= clocks >> k->bits && value[0] <= (clocks >> k->bits) + 1;
	}
}

static void check_known(const struct place *at, const struct known *k)
{
	u32 caps = at->pmu->topo.caps;
	uint64_t value[2] = {};
	struct event event[2];
	int err;

	if ((caps & k->caps) != k->caps || caps & k->absent)
		return;
	if (k->offset[0] && !trailer_known(id_of(at)))
		return;
	wire_event(at->pmu, at->dom, text_tmp(k->terms, id_of(at)->trailer +
					  k->offset[caps & PCOUNTER_CAP_SETS ? 0 : 1]), &event[0]);
	wire_event(at->pmu, at->dom, "clk", &event[1]);
	err = count_for(COUNT_MS, event, 2, value);
	/* a stopped clock is no fault */
	if (!err && !value[1])
		return;
	report(at, k->name, fits(k, caps, value), value, 2, err);
}

/* Check each of the four counters by itself; START is one of them. */
static void check_counters(const struct place *at)
{
	static const char *const terms[PCOUNTER_SLOTS] = {
		[PCOUNTER_PRE] = "sig=0,op=0xffff,pre",
		[PCOUNTER_START] = "sig=0,op=0xffff,start",
		[PCOUNTER_EVENT] = "sig=0,op=0xffff,event",
		[PCOUNTER_STOP] = "sig=0,op=0xffff,stop",
	};
	uint64_t value[PCOUNTER_SLOTS + 1] = {};
	struct event event[PCOUNTER_SLOTS + 1];
	int err, bad = -1;
	unsigned int i;

	if (!(at->pmu->topo.caps & PCOUNTER_CAP_QUAD))
		return;
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		wire_event(at->pmu, at->dom, terms[i], &event[i]);
	wire_event(at->pmu, at->dom, "clk", &event[i]);
	err = count_for(COUNT_MS, event, i + 1, value);
	for (i = 0; i < PCOUNTER_SLOTS && bad < 0; i++)
		if (value[i] != value[PCOUNTER_SLOTS])
			bad = i;
	report(at, "PRE, START, EVENT, STOP of always 1 equal cycles", bad < 0, value,
	       PCOUNTER_SLOTS + 1, err);
	if (!err && bad >= 0)
		selftest_at(at->test, pcounter_reg_addr(pcounter_gen_find(at->pmu->topo.chip),
							PCOUNTER_REG_CTR + bad, id_of(at)->block),
			    value[PCOUNTER_SLOTS], value[bad]);
}

/* ---- USER signals ---- */

/* Return the original levels of USER_1 and of the USER signals after it. */
static unsigned int found_levels(const struct place *at, unsigned int sig)
{
	unsigned int last = at->pmu->topo.caps & PCOUNTER_CAP_SETS ? 3 : 1, n, levels = 0;

	for (n = 1; n <= last; n++)
		levels |= selftest_level(at->test, at->name, sig + n - 1) << n;
	return levels;
}

/* Set USER_1 low, then pulse it; store the counts of that time in @value. */
static int give_pulses(const struct place *at, struct count *count, unsigned int levels,
		       uint64_t *value)
{
	uint64_t before[2];
	unsigned int i;
	int err = user_drive(at->pmu, at->dom, levels & ~USER_1, 0);

	err = err ?: read_count(count, before);
	for (i = 0; i < PULSES && !err; i++) {
		err = user_drive(at->pmu, at->dom, levels | USER_1, USER_1);
		wait_ms(1);
	}
	err = err ?: read_count(count, value);
	for (i = 0; i < 2 && !err; i++)
		value[i] -= before[i];
	return err;
}

static int count_pulses(const struct place *at, const struct event *event, unsigned int levels,
			uint64_t *value)
{
	struct count count;
	int err = count_open(&count, event, 2), last;

	if (err)
		return err;
	/* the driver saves USER_0 now, and restores it at the end */
	count_enable(&count, true);
	err = give_pulses(at, &count, levels, value);
	last = user_drive(at->pmu, at->dom, levels, 0);
	count_close(&count);
	return err ?: last;
}

static void check_user(const struct place *at)
{
	/* USER_0 belongs to the driver */
	int first = user_first(at->pmu, at->dom), sig = first + 1, err;
	uint64_t value[2] = {};
	struct event event[2];

	if (first < 0 || !at->test->file)
		return;
	wire_event(at->pmu, at->dom, text_tmp("sig=%u", sig), &event[0]);
	wire_event(at->pmu, at->dom, "clk", &event[1]);
	err = count_pulses(at, event, found_levels(at, sig), value);
	report(at, "16 pulses of USER_1 are counted", value[0] == PULSES, value, 2, err);
}

/* ---- outputs of other domains ---- */

/* Return the signal number of the EVENT or FLAG of domain @of as seen in domain @at. */
static unsigned int output_of(const struct place *at, const struct pcounter_dom_id *of, bool flag)
{
	unsigned int end = at->pmu->topo.caps & PCOUNTER_CAP_SETS ? 0x40 : 0x20;

	return id_of(at)->trailer + end - (flag ? 1 : 9) - of->dom;
}

/*
 * Make the events of a loop: one domain outputs the inverse of the other's output, and the
 * other repeats the first one's. Both oscillate, as fast as the outputs reach each other.
 */
static unsigned int loop_events(const struct place *at, const struct pcounter_dom_id *other,
				bool flag, bool turns, struct event *event)
{
	unsigned int sees = output_of(at, other, flag), own = output_of(at, id_of(at), flag), n = 0;
	const char *same = "", *opposite = ",op=0x5555";

	wire_event(at->pmu, at->dom, text_tmp("%s,sig=%u%s", flag ? "setflag" : "event", sees,
					      turns ? opposite : same), &event[n++]);
	if (flag)
		wire_event(at->pmu, at->dom, text_tmp("clrflag,sig=%u%s", sees,
						      turns ? same : opposite), &event[n++]);
	/* count changes from 0 to 1 */
	wire_event(at->pmu, at->dom, text_tmp("stop,sig=%u,sig1=%u,d0,op=0x4444", own, own),
		   &event[n++]);
	wire_event(at->pmu, at->dom, "clk", &event[n++]);
	return n;
}

static int run_loop(const struct place *at, const struct place *other, bool flag, uint64_t value[2])
{
	struct event event[MOST_EVENTS];
	uint64_t all[MOST_EVENTS];
	struct count turns, follows;
	unsigned int n;
	int err;

	n = loop_events(other, id_of(at), flag, false, event);
	err = count_open(&follows, event, n);
	if (err)
		return err;
	n = loop_events(at, id_of(other), flag, true, event);
	err = count_open(&turns, event, n);
	if (!err) {
		count_enable(&follows, true);
		count_enable(&turns, true);
		wait_ms(COUNT_MS);
		count_enable(&turns, false);
		err = read_count(&turns, all);
	}
	if (!err) {
		value[0] = all[n - 2];
		value[1] = all[n - 1];
	}
	count_close(&turns);
	count_close(&follows);
	return err;
}

static bool is_loop(const uint64_t value[2], unsigned int clocks)
{
	uint64_t wanted = value[1] / clocks, slack = wanted / LOOP_SLACK + 2;

	return value[0] + slack >= wanted && value[0] <= wanted + slack;
}

static void check_loop(const struct place *at, const struct place *other, bool flag)
{
	uint64_t value[2] = {};
	int err = run_loop(at, other, flag, value);

	report(at, flag ? "FLAG reaches another domain two clocks late" :
	       "EVENT reaches another domain two clocks late",
	       is_loop(value, flag ? FLAG_LOOP : EVENT_LOOP), value, 2, err);
}

static bool agree(double a, double b, double part)
{
	return fabs(a - b) <= fmax(a, b) * part;
}

/* Find the domains with a running clock in the unit of @at; @at itself is the first. */
static unsigned int neighbours(const struct place *at, const double *hz, struct place *all)
{
	const struct pcounter_topo *topo = &at->pmu->topo;
	const struct pcounter_dom_id *id;
	unsigned int i, n = 0;

	all[n++] = *at;
	for (i = 0; i < topo->nr && n < MOST_NEIGHBOURS; i++) {
		id = &topo->dom[i];
		if (i == at->dom || id->set != id_of(at)->set || id->unit != id_of(at)->unit ||
		    !trailer_known(id) || hz[i] <= 0)
			continue;
		all[n] = *at;
		all[n++].dom = i;
	}
	return n;
}

/*
 * Return the index of a neighbour with the same clock as the first domain, 0 if there is
 * none. All clocks are counted together, but a busy machine starts and stops them at
 * different times, which can differ by about the length of the first measurement. So
 * each measurement is twice as long as the last, while any neighbour is still possible.
 */
static unsigned int same_clock(const struct place *all, unsigned int n)
{
	struct event clocks[MOST_NEIGHBOURS];
	uint64_t value[MOST_NEIGHBOURS];
	unsigned int look, i;
	bool possible = true;

	for (i = 0; i < n; i++)
		wire_event(all->pmu, all[i].dom, "clk", &clocks[i]);
	for (look = 0; look < LOOKS && possible && !selftest_over(all->test); look++) {
		if (count_for(COUNT_MS << look, clocks, n, value))
			return 0;
		for (i = 1, possible = false; i < n; i++) {
			if (value[0] && agree(value[0], value[i], EQUAL))
				return i;
			possible |= agree(value[0], value[i], EQUAL + 1.0 / (1 << look));
		}
	}
	return 0;
}

/* Check the imports from a neighbour that runs at the same clock. */
static void check_imports(const struct place *at, const double *hz)
{
	struct place all[MOST_NEIGHBOURS];
	unsigned int other;

	if (!(at->pmu->topo.caps & PCOUNTER_CAP_IMPORT) || !trailer_known(id_of(at)))
		return;
	other = same_clock(all, neighbours(at, hz, all));
	if (!other)
		return;
	check_loop(at, &all[other], false);
	check_loop(at, &all[other], true);
}

/* ---- clocks ---- */

/* Return true if a clock, measured against real time, is stopped or within its bounds. */
static bool plausible(const struct pcounter_gen *gen, double hz)
{
	return !hz || (hz >= LEAST_HZ && hz <= gen->table->max_clock_hz);
}

/* Measure the clocks until each was the same twice, longer each time, at most LOOKS times. */
static void look_at_clocks(const struct selftest *test, double *hz, double *again)
{
	const struct pmu *pmu = test->gpu->pmu;
	double next[PCOUNTER_MAX_DOMAINS];
	unsigned int look, i, left = 1;

	measure_clocks(pmu, COUNT_MS, again);
	memcpy(hz, again, sizeof(next));
	for (look = 0; look < LOOKS && left && !selftest_over(test); look++) {
		measure_clocks(pmu, COUNT_MS << look, next);
		for (left = 0, i = 0; i < pmu->topo.nr; i++) {
			if (look && agree(hz[i], again[i], STEADY))
				continue;
			hz[i] = again[i];
			again[i] = next[i];
			left += !agree(hz[i], again[i], STEADY);
		}
	}
}

/* Check a clock. A stopped clock is no fault, but note the address of its cycle counter. */
static void check_clock(const struct place *at, const struct pcounter_gen *gen, double hz,
			double again)
{
	selftest_check(at->test, "clock", hz >= 0 && again >= 0 && agree(hz, again, STEADY) &&
		       plausible(gen, again), at->name,
		       json_pack("[I, I]", (json_int_t)hz, (json_int_t)again));
	if (!hz && !again)
		selftest_at(at->test, pcounter_reg_addr(gen, PCOUNTER_REG_CYCLES,
							id_of(at)->block), 1, 0);
}

static void check_domain(const struct place *at, const double *hz)
{
	unsigned int k;

	check_counters(at);
	for (k = 0; k < ARRAY_SIZE(known) && !selftest_over(at->test); k++)
		check_known(at, &known[k]);
	if (!selftest_over(at->test))
		check_user(at);
	if (!selftest_over(at->test))
		check_imports(at, hz);
}

/* Read the PMU again, for trailers that the driver has found and no document has. */
static void learn_trailers(struct selftest *test)
{
	const char *name = test->gpu->pmu->name;
	char others[16];

	gpus_find(&test->again);
	test->gpu = gpus_first(&test->again, name, others, sizeof(others)) ?: test->gpu;
}

/**
 * selftest_count() - run stage 2: count signals whose count is known
 * @test: the run
 */
void selftest_count(struct selftest *test)
{
	double hz[PCOUNTER_MAX_DOMAINS], again[PCOUNTER_MAX_DOMAINS];
	const struct pcounter_gen *gen = pcounter_gen_find(test->gpu->pmu->topo.chip);
	struct place at = { .test = test };

	selftest_stage(test, 2, "count", "counters, as perf does, and USER signals");
	look_at_clocks(test, hz, again);
	learn_trailers(test);
	at.pmu = test->gpu->pmu;
	for (at.dom = 0; at.dom < at.pmu->topo.nr && !selftest_over(test); at.dom++) {
		pcounter_dom_name(&at.pmu->topo, at.dom, at.name, sizeof(at.name));
		check_clock(&at, gen, hz[at.dom], again[at.dom]);
		/* only the first of identical units */
		if (again[at.dom] > 0 && !id_of(&at)->unit)
			check_domain(&at, again);
	}
}
