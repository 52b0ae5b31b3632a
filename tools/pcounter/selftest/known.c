// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stage 2: counts of signals whose count is known. The stage writes only the registers
 * that perf's events write, and pulses of USER signals.
 */
#include <math.h>

#include "gpu/count.h"
#include "hw/registers.h"
#include "lib/util.h"
#include "rules/chip.h"
#include "selftest/selftest.h"

#define LOOKS		5	/* at a clock, until its two measurements agree */
#define STEADY		0.1	/* two measurements that differ by less agree */
#define LEAST_HZ	10e3	/* no clock is slower */
#define PULSES		16
#define USER_1		BIT(1)

#define ALWAYS_1	"sig=0,op=0xffff"
#define GF100_PERIODIC	0x2e
#define GF100_ZERO	0x2f

/**
 * struct place - a domain in a run
 * @test: the run
 * @pmu: the PMU
 * @dom: index of the domain
 */
struct place {
	struct selftest *test;
	const struct pmu *pmu;
	unsigned int dom;
};

static const struct pcounter_dom_id *id_of(const struct place *at)
{
	return &at->pmu->topo.dom[at->dom];
}

/* ---- counting ---- */

/* Read the counts of open events. Return a negative errno if they cannot be read. */
static int read_count(struct count *count)
{
	return count_read(count) && count->now->running ? 0 : -EIO;
}

static int count_for(unsigned int ms, const struct event *event, unsigned int n, uint64_t *value)
{
	struct count count;
	int err = count_open(&count, event, n);
	unsigned int i;

	if (err)
		return err;
	count_enable(&count, true);
	/* PERIODIC begins after its events do */
	count_read(&count);
	wait_ms(ms);
	err = read_count(&count);
	for (i = 0; i < n && !err; i++)
		value[i] = count.now->value[i] - count.before->value[i];
	count_close(&count);
	return err;
}

/* Report a check, with the counts as evidence, and the error that ended them. */
static void report(const struct place *at, const char *name, bool ok, const uint64_t *value,
		   unsigned int n, int err)
{
	json_t *all = selftest_numbers(value, n);

	json_array_append_new(all, json_integer(err));
	selftest_check(at->test, name, ok && !err, id_of(at)->name, all);
}

/* ---- signals that are always 0, always 1, or regular ---- */

/* Expected relation of a count to the clocks. */
enum expectation { IS_SHARE, IS_ZERO, IS_ALL };

/**
 * struct known - a signal whose count is known
 * @name: name of the check
 * @caps: capabilities that the check needs
 * @absent: capabilities with which a better check replaces this one
 * @terms: terms of the event, or of one for each counter; %u is the number of the signal
 * @offset: offset of the signal from the trailer: on GF100 and later, and before
 * @expect: expected relation of the count to the clocks
 * @bits: IS_SHARE only: one in 2^bits clocks
 */
struct known {
	const char *name;
	u32 caps;
	u32 absent;
	const char *terms[PCOUNTER_SLOTS];
	unsigned int offset[2];
	enum expectation expect;
	unsigned int bits;
};

static const struct known known[] = {
	{ .name = "PRE, START, EVENT, STOP of always 1 equal cycles", .caps = PCOUNTER_CAP_QUAD,
	  .terms = { [PCOUNTER_PRE] = ALWAYS_1 ",pre", [PCOUNTER_START] = ALWAYS_1 ",start",
		     [PCOUNTER_EVENT] = ALWAYS_1 ",event", [PCOUNTER_STOP] = ALWAYS_1 ",stop" },
	  .expect = IS_ALL },
	{ .name = "always 1 equals cycles", .absent = PCOUNTER_CAP_QUAD, .terms = { ALWAYS_1 },
	  .expect = IS_ALL },
	{ .name = "ZERO stays 0", .caps = PCOUNTER_CAP_SWAP_SRC, .terms = { "sig=%u" },
	  .offset = { GF100_ZERO, 0x0c }, .expect = IS_ZERO },
	{ .name = "PERIODIC has a period of 1024 clocks", .caps = PCOUNTER_CAP_PERIODIC,
	  .terms = { "sig=%u,periodic=1" }, .offset = { GF100_PERIODIC, 0x0d }, .bits = 10 },
	{ .name = "PERIODIC has a period of 8192 clocks", .caps = PCOUNTER_CAP_PERIODIC,
	  .terms = { "sig=%u,periodic=4" }, .offset = { GF100_PERIODIC, 0x0d }, .bits = 13 },
	{ .name = "PERIODIC has a period of 65536 clocks", .caps = PCOUNTER_CAP_PERIODIC,
	  .terms = { "sig=%u,periodic=7" }, .offset = { GF100_PERIODIC, 0x0d }, .bits = 16 },
};

static bool fits(const struct known *k, u32 caps, uint64_t count, uint64_t clocks)
{
	/* without a latch both are read at slightly different moments */
	uint64_t slack = caps & PCOUNTER_CAP_QUAD ? 0 : clocks / 20 + 1000;

	switch (k->expect) {
	case IS_ZERO:
		return !count;
	case IS_ALL:
		return near(count, clocks, slack);
	default:
		return count >= clocks >> k->bits && count <= (clocks >> k->bits) + 1;
	}
}

static void check_known(const struct place *at, const struct known *k)
{
	unsigned int sig = id_of(at)->trailer, n, i;
	u32 caps = at->pmu->topo.caps;
	uint64_t value[PCOUNTER_SLOTS + 1] = {};
	struct event event[PCOUNTER_SLOTS + 1];
	int err;

	if ((caps & k->caps) != k->caps || caps & k->absent)
		return;
	if (k->offset[0] && !trailer_known(id_of(at)))
		return;
	sig += k->offset[caps & PCOUNTER_CAP_SETS ? 0 : 1];
	for (n = 0; n < PCOUNTER_SLOTS && k->terms[n]; n++)
		wire_event(at->pmu, at->dom, text_tmp(k->terms[n], sig), &event[n]);
	wire_event(at->pmu, at->dom, "clk", &event[n]);
	err = count_for(COUNT_MS, event, n + 1, value);
	/* a stopped clock is no fault */
	if (!err && !value[n])
		return;
	for (i = 0; i < n && fits(k, caps, value[i], value[n]); i++)
		;
	report(at, k->name, i == n, value, n + 1, err);
	/* each event has a counter of its own: name that of the first wrong count */
	if (!err && i < n && n > 1)
		selftest_at(at->test, pcounter_reg_addr(pcounter_gen_find(at->pmu->topo.chip),
							PCOUNTER_REG_CTR + i, id_of(at)->block),
			    value[n], value[i]);
}

/* ---- USER signals ---- */

/* Return the original levels of USER_1 and of the USER signals after it. */
static unsigned int found_levels(const struct place *at, unsigned int sig)
{
	unsigned int last = at->pmu->topo.caps & PCOUNTER_CAP_SETS ? 3 : 1, n, levels = 0;

	for (n = 1; n <= last; n++)
		levels |= level_of(&at->test->levels[at->dom], sig + n - 1) << n;
	return levels;
}

/* Set USER_1 low, then pulse it between two reads of the counts. */
static int give_pulses(const struct place *at, struct count *count, unsigned int levels)
{
	int err = user_drive(at->pmu, at->dom, levels & ~USER_1, 0) ?: read_count(count);
	unsigned int i;

	for (i = 0; i < PULSES && !err; i++) {
		err = user_drive(at->pmu, at->dom, levels | USER_1, USER_1);
		wait_ms(1);
	}
	return err ?: read_count(count);
}

static void check_user(const struct place *at)
{
	/* USER_0 belongs to the driver */
	int first = user_first(at->pmu, at->dom), sig = first + 1, err, last;
	unsigned int levels, i;
	uint64_t value[2] = {};
	struct event event[2];
	struct count count;

	if (first < 0 || !at->test->file)
		return;
	levels = found_levels(at, sig);
	wire_event(at->pmu, at->dom, text_tmp("sig=%u", sig), &event[0]);
	wire_event(at->pmu, at->dom, "clk", &event[1]);
	err = count_open(&count, event, 2);
	if (!err) {
		/* the driver saves USER_0 now, and restores it at the end */
		count_enable(&count, true);
		err = give_pulses(at, &count, levels);
		last = user_drive(at->pmu, at->dom, levels, 0);
		for (i = 0; i < 2; i++)
			value[i] = count.now->value[i] - count.before->value[i];
		count_close(&count);
		err = err ?: last;
	}
	report(at, "16 pulses of USER_1 are counted", value[0] == PULSES, value, 2, err);
}

/* ---- clocks ---- */

static bool agree(double a, double b)
{
	return fabs(a - b) <= fmax(a, b) * STEADY;
}

/* Measure the clocks twice, until each was the same; a busy machine needs longer looks. */
static void look_at_clocks(const struct selftest *test, double *hz, double *again)
{
	const struct pmu *pmu = test->gpu->pmu;
	unsigned int look, i, left = 1;

	for (look = 0; look < LOOKS && left && !selftest_over(test); look++) {
		measure_clocks(pmu, COUNT_MS << look, hz);
		measure_clocks(pmu, COUNT_MS << look, again);
		for (left = 0, i = 0; i < pmu->topo.nr; i++)
			left += !agree(hz[i], again[i]);
	}
}

/*
 * Check a clock, measured against real time. A stopped clock is no fault, but note the
 * address of its cycle counter.
 */
static void check_clock(const struct place *at, const struct pcounter_gen *gen, double hz,
			double again)
{
	bool good = hz >= 0 && again >= 0 && agree(hz, again) &&
		    (!again || (again >= LEAST_HZ && again <= gen->table->max_clock_hz));

	selftest_check(at->test, "clock", good, id_of(at)->name,
		       selftest_numbers((uint64_t[]){ (int64_t)hz, (int64_t)again }, 2));
	if (!hz && !again)
		selftest_at(at->test, pcounter_reg_addr(gen, PCOUNTER_REG_CYCLES,
							id_of(at)->block), 1, 0);
}

static void check_domain(const struct place *at)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(known) && !selftest_over(at->test); k++)
		check_known(at, &known[k]);
	if (!selftest_over(at->test))
		check_user(at);
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
	/* read the PMU again: the driver may have found trailers that no document has */
	gpu_again(&test->gpu, false, &test->again);
	at.pmu = test->gpu->pmu;
	for (at.dom = 0; at.dom < at.pmu->topo.nr && !selftest_over(test); at.dom++) {
		check_clock(&at, gen, hz[at.dom], again[at.dom]);
		/* only the first of identical units */
		if (again[at.dom] > 0 && !id_of(&at)->unit)
			check_domain(&at);
	}
}
