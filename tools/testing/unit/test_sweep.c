// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open, commit, poll and close every named event of every chip, with every value of
 * every term, unless the driver refuses it. The sanitizers look for array indices out of
 * bounds, divisions by 0 and shifts that are too wide.
 */
#include <linux/time64.h>

#include "record_test.h"
#include "terms_test.h"
#include "rules/place.h"
#include "rules/lookup.h"

static unsigned int opened, refused, without_place;

/* Fields of at most this many bits have all of their values. */
#define SMALL_FIELD	6

/* Return the event with another value of one term. */
static struct pcounter_config with(const struct pcounter_config *config, unsigned int term,
				   u64 value)
{
	const struct pcounter_term_info *info = &pcounter_term_info[term];
	u64 mask = GENMASK_ULL(info->hi, info->lo);
	struct pcounter_config other = *config;
	u64 *word = &other.word[info->word];

	*word = (*word & ~mask) | (value << info->lo & mask);
	return other;
}

/* Check an event on its own, like perf's event_init. */
static bool decode(const struct pcounter_config *config, struct pcounter_request *req)
{
	const struct pcounter_topo *topo = &g.gpu.topo;
	struct pcounter_conflict conflict;
	struct pcounter_group group = {}, partner = {};
	const char *why;

	if (pcounter_config_parse(config, topo, req, &why) ||
	    pcounter_mux_check(req, &topo->dom[req->dom], topo->chip, &why))
		return false;
	group.dom = req->dom;
	group.process = 1;
	pcounter_group_constrain(&group, req);
	pcounter_group_add(&group, req);
	return pcounter_group_place(&group, &partner, topo->caps, &conflict);
}

static void poll_all(struct group *grp)
{
	u64 val[1];

	pcounter_gpu_poll_ns(&g.gpu);
	if (pcounter_gpu_collect_ns(&g.gpu) < NSEC_PER_SEC)
		assert_int_not_equal(pcounter_gpu_collect_ns(&g.gpu), 0);
	pcounter_gpu_collect(&g.gpu);
	pcounter_gpu_poll(&g.gpu);
	if (!g.gpu.dom[grp->req[0].dom].unit.fault)
		group_read_once(grp, val);
}

static void try(const struct pcounter_config *config)
{
	struct group grp = { .n = 1 };
	bool record;

	if (!decode(config, &grp.req[0])) {
		refused++;
		return;
	}
	record = grp.req[0].set.mode == PCOUNTER_MODE_RECORD;
	assert_true(group_settle(&grp, 1));
	if (record)
		assert_int_equal(pcounter_record_get(&g.gpu.dom[grp.req[0].dom]), 0);
	if (group_start(&grp)) {
		opened++;
		poll_all(&grp);
		group_stop(&grp);
	} else {
		without_place++;
	}
	if (record)
		pcounter_record_put(&g.gpu.dom[grp.req[0].dom]);
}

static void try_value(const struct pcounter_config *config, unsigned int term, u64 value)
{
	struct pcounter_config other = with(config, term, value);

	if (value != pcounter_config_get(config, term))
		try(&other);
}

static void all_values(const struct pcounter_config *config)
{
	for (unsigned int term = 0; term < PCOUNTER_NR_TERMS; term++) {
		const struct pcounter_term_info *info = &pcounter_term_info[term];
		unsigned int bits = info->hi - info->lo + 1;

		/* init is the lower part of threshold */
		if (!pcounter_term_supported(term, g.gpu.topo.caps) || term == PCOUNTER_TERM_INIT)
			continue;
		for (u64 value = 0; bits <= SMALL_FIELD && value < BIT_ULL(bits); value++)
			try_value(config, term, value);
		for (unsigned int bit = 0; bits > SMALL_FIELD && bit < bits; bit++) {
			try_value(config, term, BIT_ULL(bit));
			try_value(config, term, BIT_ULL(bit + 1) - 1);
		}
	}
}

/* Signals of a domain differ only in their number: one of each kind gets all values. */
static bool same_kind(const struct pcounter_signal *a, const struct pcounter_signal *b)
{
	return a->set == b->set && a->dom == b->dom && a->mux == b->mux &&
	       a->flags == b->flags;
}

static bool is_first(const struct pcounter_signal *signals, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (same_kind(&signals[k], &signals[i]))
			return false;
	return true;
}

static void signals_of(const struct pcounter_chip *chip)
{
	const struct pcounter_signal *signals = pcounter_signals_of(chip);
	struct pcounter_config config;
	struct pcounter_named named;

	for (unsigned int i = 0; i < chip->signals.nr; i++) {
		pcounter_named_get(&g.gpu.topo, i, &named);
		assert_non_null(named.confidence);
		config = words_of(named.terms, 0, g.gpu.topo.caps);
		try(&config);
		if (is_first(signals, i))
			all_values(&config);
	}
}

static void public_of(const struct pcounter_chip *chip)
{
	struct pcounter_named named;

	for (unsigned int i = 0; i < chip->events.nr; i++) {
		const struct pcounter_public *event = pcounter_public_get(chip, i);

		pcounter_named_get(&g.gpu.topo, chip->signals.nr + i, &named);
		assert_non_null(named.confidence);
		try(&event->config);
		all_values(&event->config);
	}
}

/* Use the model of the previous chip for a chip without one. */
static void gpu_of(const struct pcounter_chip *chip)
{
	static const struct pcmodel_bus bus = { .read = dma_read, .write = dma_write };
	static u32 modelled;

	if (pcmodel_chip(chip->chipset))
		modelled = chip->chipset;
	memset(&g, 0, sizeof(g));
	g.io.ops = &record_ops;
	g.m = model_new();
	assert_int_equal(pcmodel_init(g.m, modelled), 0);
	pcmodel_set_bus(g.m, &bus);
	assert_int_equal(pcounter_gpu_init(&g.gpu, chip, pcounter_gen_find(chip), &g.io), 0);
	assert_int_equal(pcounter_record_setup(&g.gpu), 0);
}

TEST(test_every_event)
{
	struct pcounter_config clk = {};

	for (unsigned int i = 0; i < pcounter_nr_chips; i++) {
		const struct pcounter_chip *chip = &pcounter_chips[i];

		if (chip->presence == PCOUNTER_ABSENT)
			continue;
		gpu_of(chip);
		all_values(&clk);
		signals_of(chip);
		public_of(chip);
		gpu_free();
	}
	print_message("# %u counted, %u refused, %u need other events beside them\n",
		      opened, refused, without_place);
	assert_true(opened > 100000);
}

/* The numbers of domains are indices; two domains that share CTRL are 0 and 1. */
TEST(test_chips_fit)
{
	for (unsigned int i = 0; i < pcounter_nr_chips; i++) {
		const struct pcounter_chip *chip = &pcounter_chips[i];
		u32 caps = pcounter_gen_find(chip)->caps;

		assert_in_range(chip->set[PCOUNTER_SET_HUB].domains, 0,
				caps & PCOUNTER_CAP_CTRL_SHARED ? 2 : PCOUNTER_SET_DOMAINS);
		assert_in_range(chip->set[PCOUNTER_SET_GPC].domains, 0, PCOUNTER_GPC_DOMAINS);
		assert_in_range(chip->set[PCOUNTER_SET_PART].domains, 0, PCOUNTER_PART_DOMAINS);
		assert_int_not_equal(pcounter_gen_find(chip)->table->max_clock_hz, 0);
	}
}

#define CLOCKS	100

/* Return the growth of a counter per clock with all signals at 1. */
static u64 growth(unsigned int dom, enum pcounter_ctr ctr)
{
	struct group grp = { .n = 3, .req = {
		ask(dom, PCOUNTER_ROLE_PRE, 0x10), ask(dom, PCOUNTER_ROLE_START, 0x10),
		ask(dom, PCOUNTER_ROLE_EVENT, 0x10) } };
	u64 grown[3], most = 0;

	for (unsigned int i = 0; i < 3; i++) {
		memset(grp.req[i].in.sig, 0x10, sizeof(grp.req[i].in.sig));
		grp.req[i].in.op = PCOUNTER_OP_ALWAYS;
		grp.req[i].set.ctr = ctr;
	}
	group_begin(&grp, 0);
	pcmodel_run(g.m, 30);
	group_grow(&grp, CLOCKS, grown);
	for (unsigned int i = 0; i < 3; i++)
		most = max(most, grown[i] / CLOCKS);
	return most;
}

/* At the fastest clock, polls come before a counter is full, in each counter mode. */
TEST(test_polled_before_full)
{
	static const struct {
		const char *chip;
		unsigned int ctrs;
	} cases[] = {
		{ "g84", PCOUNTER_CTR_NONE }, { "gk104", PCOUNTER_CTR_NONE },
		{ "gm206", PCOUNTER_CTRS },
	};
	u64 grown, ns, clocks;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned int ctr = 0; ctr < cases[i].ctrs; ctr++) {
			if (ctr == PCOUNTER_CTR_NONE)
				continue;
			gpu_new(cases[i].chip);
			say("signal %s 0x10 const 1", g.gpu.topo.dom[1].name);
			grown = growth(1, ctr);
			ns = pcounter_gpu_poll_ns(&g.gpu);
			assert_true(grown >= (ctr ? 15 : 1));
			clocks = ns * g.gpu.gen->table->max_clock_hz / NSEC_PER_SEC;
			/* half of it: a poll may come late */
			assert_in_range(clocks * grown, 1,
					BIT_ULL(pcounter_counter_bits(g.gpu.gen) - 1));
			/* registers are compared once a second */
			assert_in_range(ns, 1, NSEC_PER_SEC);
			gpu_free();
		}
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
