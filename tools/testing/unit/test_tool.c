// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program "pcounter": formulas, event strings, verdicts; no GPU needed.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>

#include "gpu/pmu.h"
#include "lib/util.h"

/* ---- formulas: read again by an evaluator of our own ---- */

static const char *const letters[] = { "a", "b", "c", "d" };

static bool eval_or(const char **s, unsigned int row);

static bool take(const char **s, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*s, word, len))
		return false;
	*s += len;
	return true;
}

static bool eval_factor(const char **s, unsigned int row)
{
	bool value;

	if (take(s, "NOT "))
		return !eval_factor(s, row);
	if (take(s, "(")) {
		value = eval_or(s, row);
		assert_true(take(s, ")"));
		return value;
	}
	value = row >> (**s - 'a') & 1;
	assert_in_range(**s, 'a', 'd');
	(*s)++;
	return value;
}

static bool eval_and(const char **s, unsigned int row)
{
	bool value = eval_factor(s, row);

	for (;;) {
		if (take(s, " AND "))
			value &= eval_factor(s, row);
		else if (take(s, " XOR "))
			value ^= eval_factor(s, row);
		else
			return value;
	}
}

static bool eval_or(const char **s, unsigned int row)
{
	bool value = eval_and(s, row);

	while (take(s, " OR "))
		value |= eval_and(s, row);
	return value;
}

static bool eval(const char *text, unsigned int row)
{
	bool value;

	if (!strcmp(text, "always") || !strcmp(text, "never"))
		return *text == 'a';
	value = eval_or(&text, row);
	assert_string_equal(text, "");
	return value;
}

TEST(test_formula_of_every_table)
{
	unsigned int table, row;
	const char *text;

	for (table = 0; table < 0x10000; table++) {
		text = formula(table, letters);
		for (row = 0; row < 16; row++)
			if (eval(text, row) != (table >> row & 1))
				fail_msg("0x%04x: %s", table, text);
		texts_free();
	}
}

TEST(test_formula_is_short)
{
	static const struct {
		uint16_t table;
		const char *text;
	} known[] = {
		{ 0xaaaa, "a" }, { 0x5555, "NOT a" }, { 0x8888, "a AND b" },
		{ 0x2222, "a AND NOT b" }, { 0xeeee, "a OR b" }, { 0x6666, "a XOR b" },
		{ 0x9999, "NOT (a XOR b)" }, { 0xff00, "d" }, { 0xaa00, "a AND d" },
		{ 0xf888, "(a AND b) OR (c AND d)" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		assert_string_equal(formula(known[i].table, letters), known[i].text);
}

TEST(test_formula_of_long_names)
{
	char name[1001];
	const char *const names[] = { name, name, name, name };

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(strlen(formula(0x6996, names)), 4000 + 3 * strlen(" XOR "));
	assert_int_equal(strlen(formula(0xf888, names)),
			 4000 + strlen("( AND ) OR ( AND )"));
}

/* ---- event strings ---- */

/**
 * struct one - the only GPU, and the parsed string
 * @list: its PMUs
 * @groups: the groups
 */
struct one {
	struct pmus list;
	struct groups groups;
};

static bool parse(struct one *one, const char *chip, const char *text)
{
	memset(one, 0, sizeof(*one));
	one->list.pmu = calloc(2, sizeof(*one->list.pmu));
	one->list.pmu[0] = pmu_offline(chip);
	assert_non_null(one->list.pmu[0]);
	one->list.pmu[1] = one->list.pmu[0]->beside;
	one->list.nr = one->list.pmu[1] ? 2 : 1;
	return groups_parse(&one->list, text, &one->groups);
}

static void forget(struct one *one)
{
	groups_free(&one->groups);
	pmus_free(&one->list);
}

TEST(test_words_of_an_event)
{
	struct one one;
	const struct event *event;

	assert_true(parse(&one, "G84", "pcounter_0/dom=1,sig=0xc8,event/"));
	event = &one.groups.group[0].event[0];
	assert_string_equal(event->error, "");
	/* the bits are ABI: include/uapi/linux/pcounter.h */
	assert_int_equal(event->config.word[0], 0xc80001);
	assert_int_equal(event->config.word[1], 0x400);
	assert_int_equal(event->config.word[2], 0);
	forget(&one);
}

TEST(test_names_stand_for_their_terms)
{
	const struct event *event;
	struct one one;

	/* hw:signals: PGRAPH.IDLE of a G84 is 0xbd of domain 1 */
	assert_true(parse(&one, "G84", "pcounter_0/pgraph_idle,event/"));
	event = &one.groups.group[0].event[0];
	assert_int_equal(event->config.word[0], 0xbd0001);
	assert_int_equal(event->config.word[1], 0x400);
	assert_string_equal(pmu_wire_name(event->pmu, &event->pmu->topo.dom[1], 0xbd)->name,
			    "pgraph_idle");
	assert_null(pmu_wire_name(event->pmu, &event->pmu->topo.dom[2], 0xbd));
	forget(&one);
	/* the values of a repeated term are combined bit by bit */
	assert_true(parse(&one, "G84", "pcounter_0/pgraph_idle,sig=2/"));
	assert_int_equal(one.groups.group[0].event[0].config.word[0], 0xbf0001);
	forget(&one);
}

TEST(test_a_name_may_require_a_term)
{
	struct pmu_name needy = { .name = "needy", .terms = "set=1,unit=?,dom=0,sig=3" };
	struct groups groups = {};
	struct pmus list = {};
	struct pmu *pmu;

	pmu = pmu_offline("GF100");
	list.nr = 1;
	list.pmu = &pmu;
	free(pmu->names);
	pmu->names = &needy;
	pmu->nr_names = 1;
	assert_true(groups_parse(&list, "pcounter_0/needy/,pcounter_0/needy,unit=1/", &groups));
	assert_string_equal(groups.group[0].event[0].error, "it needs a value for unit");
	assert_string_equal(groups.group[1].event[0].error, "");
	assert_int_equal(groups.group[1].event[0].config.word[0], 0x30050);
	groups_free(&groups);
	pmu->names = NULL;
	pmu_free(pmu);
}

TEST(test_groups_and_lists)
{
	struct one one;

	assert_true(parse(&one, "0x84",
			  "{pcounter_0/clk/,pcounter_0/dom=2,clk/}:S,pcounter/dom=1,clk/u"));
	assert_int_equal(one.groups.nr, 2);
	assert_int_equal(one.groups.group[0].nr, 2);
	assert_int_equal(one.groups.group[1].nr, 1);
	assert_false(one.groups.group[0].event[1].exclude);
	assert_true(one.groups.group[1].event[0].exclude);
	forget(&one);
}

TEST(test_nonsense_is_refused)
{
	static const char *const text[] = {
		"", "cycles", "pcounter_0", "pcounter_0/", "pcounter_1/clk/", "{pcounter_0/clk/",
		"pcounter_0/clk/,", "pcounter_0/clk/,,pcounter_0/clk/", "{}", "pcounter_0/clk/}",
		"{pcounter_0/clk/,}", ",",
	};
	FILE *err = stderr;
	struct one one;
	unsigned int i;
	size_t len;
	char *why;

	for (i = 0; i < ARRAY_SIZE(text); i++) {
		stderr = open_memstream(&why, &len);
		if (parse(&one, "G84", text[i]))
			fail_msg("\"%s\" was understood", text[i]);
		fclose(stderr);
		stderr = err;
		assert_int_equal(strncmp(why, "pcounter: ", 10), 0);
		assert_true(len > 11);
		free(why);
		forget(&one);
	}
}

TEST(test_what_perf_refuses_itself)
{
	static const char *const terms[] = {
		"dom=16", "sig=0x100", "nosuch", "nosuch=1", "sig=", "sig=x", "sig=1x", "d2",
		"clk=2",
	};
	struct one one;
	unsigned int i;
	char text[64];

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		snprintf(text, sizeof(text), "pcounter_0/%s/", terms[i]);
		assert_true(parse(&one, "G84", text));
		if (!*one.groups.group[0].event[0].error)
			fail_msg("%s was taken", terms[i]);
		forget(&one);
	}
}

/* ---- verdicts ---- */

static void verdict_of(const char *chip, const char *text, struct verdict *v)
{
	struct one one;

	assert_true(parse(&one, chip, text));
	verdict_group(one.groups.group[0].event, one.groups.group[0].nr, v);
	forget(&one);
}

#define IDLE(mask) "pcounter_idle_0/mask=" #mask "/"
#define FOUR "pcounter_0/sig=1/,pcounter_0/sig=2/,pcounter_0/sig=3/,pcounter_0/sig=4/"

TEST(test_verdicts)
{
	static const struct {
		const char *chip;
		const char *text;
		int err;
		unsigned int member;
	} cases[] = {
		{ "G84", "pcounter_0/dom=1,sig=1/", 0, 0 },
		/* five inputs on four counters; the clock costs none */
		{ "G84", "{" FOUR ",pcounter_0/clk/}", 0, 0 },
		{ "G84", "{" FOUR ",pcounter_0/sig=5/}", -EINVAL, 4 },
		/* the same event twice is one counter */
		{ "G84", "{" FOUR ",pcounter_0/sig=4/}", 0, 0 },
		/* one counter before NV30 */
		{ "NV20", "{pcounter_0/sig=1/,pcounter_0/sig=2/}", -EINVAL, 1 },
		{ "G84", "{pcounter_0/sig=1,event/,pcounter_0/sig=2,event/}", -EINVAL, 1 },
		{ "G84", "pcounter_0/dom=8,clk/", -EINVAL, 0 },
		{ "G84", "pcounter_0/dom=3,sig=0x40/", -EINVAL, 0 },
		{ "G84", "pcounter_0/sig=1,config1=0x4/", -EOPNOTSUPP, 0 },
		{ "G84", "pcounter_0/sig=1,config=0x800/", -EINVAL, 0 },
		{ "G84", "pcounter_0/sig=1,period=1000/", -EOPNOTSUPP, 0 },
		{ "G84", "pcounter_0/sig=1/u", -EINVAL, 0 },
		{ "GF100", "{pcounter_0/set=1,mux=22,sel=5/,pcounter_0/set=1,sig=2,mux=22,sel=6/}",
		  -EINVAL, 1 },
		{ "NV20", "{pcounter_0/single,ctr=1,event/,pcounter_0/dom=1,sig=1/}", -EINVAL, 1 },
		{ "GK208", "{pcounter_idle_0/gr_busy/,pcounter_idle_0/ticks/}", 0, 0 },
		{ "GK208", "gpu_busy", 0, 0 },
		{ "GP104", "{gpu_busy,pcounter_idle_0/pvenc1_busy/,pcounter_idle_0/ticks/}", 0, 0 },
		{ "GK208", "pcounter_idle_0/mask=3,when=0/", 0, 0 },
		{ "GK208", "pcounter_idle_0/mask=3,when=1/", 0, 0 },
		{ "GK208", "pcounter_idle_0/mask=0/", -EINVAL, 0 },
		{ "GK208", "pcounter_idle_0/gr_busy,config1=1/", -EINVAL, 0 },
		{ "GK208", "pcounter_idle_0/gr_busy,period=1000/", -EOPNOTSUPP, 0 },
		{ "GK208", "{pcounter_idle_0/gr_busy/,pcounter_0/sig=1/}", -EINVAL, 1 },
		{ "GT215", "{" IDLE(1) "," IDLE(2) "," IDLE(4) "," IDLE(8) "," IDLE(8) "}", 0, 0 },
		{ "GT215", "{" IDLE(1) "," IDLE(2) "," IDLE(4) "," IDLE(8) "," IDLE(16) "}",
		  -EINVAL, 4 },
	};
	struct verdict v;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		verdict_of(cases[i].chip, cases[i].text, &v);
		if (v.err != cases[i].err || (v.err && v.member != cases[i].member))
			fail_msg("%s %s: %d for event %u: %s", cases[i].chip, cases[i].text,
				 v.err, v.member, v.why);
		assert_int_equal(!v.err, !*v.why);
	}
}

TEST(test_slots)
{
	struct verdict v;

	verdict_of("G84",
		   "{pcounter_0/dom=2,clk/,pcounter_0/dom=1,sig=7/,pcounter_0/dom=1,sig=8,stop/,pcounter_0/dom=1,sig=9,event/}",
		   &v);
	assert_int_equal(v.slot[0], PCOUNTER_NO_SLOT);
	/* places of later members leave no counter but these two */
	assert_true(v.slot[1] == PCOUNTER_PRE || v.slot[1] == PCOUNTER_START);
	assert_int_equal(v.slot[2], PCOUNTER_STOP);
	assert_int_equal(v.slot[3], PCOUNTER_EVENT);
	assert_int_equal(v.req[3].in.sig[0], 9);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
