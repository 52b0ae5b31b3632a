// SPDX-License-Identifier: GPL-2.0-only
/*
 * Terms of an event: every bit of the three words either has a meaning, or is refused
 * with the documented errno.
 */
#include "rows_test.h"

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "hw/io.h"
#include "hw/registers.h"
#include "rules/chip.h"
#include "rules/terms.h"

#define CAPS_G84	(PCOUNTER_CAP_QUAD | PCOUNTER_CAP_FLAG_ARG | PCOUNTER_CAP_SINGLE |	\
			 PCOUNTER_CAP_PERIOD | PCOUNTER_CAP_SUM_B4 |			\
			 PCOUNTER_CAP_SUM_EXTRA | PCOUNTER_CAP_IMPORT |			\
			 PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_PERIODIC)
#define CAPS_G92	(CAPS_G84 | PCOUNTER_CAP_DELAY23)

static struct pcounter_config words(uint64_t config, uint64_t config1,
				    uint64_t config2)
{
	return (struct pcounter_config){ { config, config1, config2 } };
}

static int parse(struct pcounter_config config, u32 caps,
		 struct pcounter_request *req)
{
	static struct pcounter_topo topo;
	const char *why = NULL;
	int err;

	pcounter_topo_build(&topo, pcounter_chip_find(0x84), caps, 0, 0);
	err = pcounter_config_parse(&config, &topo, req, &why);

	/* a refusal always has a reason */
	assert_true(!err == !why);
	return err;
}

static int parse_words(uint64_t config, uint64_t config1, uint64_t config2)
{
	struct pcounter_request req;

	return parse(words(config, config1, config2), CAPS_G84, &req);
}

/* Columns of released.csv, which holds the positions that users' scripts rely on. */
enum { NAME, TERMS, CHIPS, COLUMNS };

TEST(test_positions_are_abi)
{
	FILE *file = open_rows(TABLES "released.csv", COLUMNS);
	unsigned int term, word, lo, hi;

	while (next_row(file, COLUMNS)) {
		struct pcounter_config set = {}, others = words(~0ULL, ~0ULL, ~0ULL);
		u64 bits;

		if (strcmp(cell[CHIPS], "term"))
			continue;
		for (term = 0; strcmp(pcounter_term_info[term].name, cell[NAME]);)
			assert_in_range(++term, 0, PCOUNTER_NR_TERMS - 1);
		word = 0;
		if (sscanf(cell[TERMS], "config:%u-%u", &lo, &hi) != 2)
			assert_int_equal(sscanf(cell[TERMS], "config%u:%u-%u", &word, &lo, &hi), 3);
		bits = GENMASK_ULL(hi, lo);
		set.word[word] = bits;
		others.word[word] = ~bits;
		assert_int_equal(pcounter_config_get(&set, term), bits >> lo);
		assert_int_equal(pcounter_config_get(&others, term), 0);
	}
	fclose(file);
}

/* init, threshold and bit0 to bit3 belong to different events, so they share their bits. */
static bool shares_bits(unsigned int term)
{
	return term == PCOUNTER_TERM_THRESHOLD || term == PCOUNTER_TERM_INIT ||
	       (term >= PCOUNTER_TERM_BIT0 && term <= PCOUNTER_TERM_BIT3);
}

static void check_overlaps(u32 caps)
{
	for (unsigned int i = 0; i < PCOUNTER_NR_TERMS; i++)
		for (unsigned int k = 0; k < i; k++) {
			const struct pcounter_term_info *a = &pcounter_term_info[i];
			const struct pcounter_term_info *b = &pcounter_term_info[k];

			if (!pcounter_term_supported(i, caps) ||
			    !pcounter_term_supported(k, caps) ||
			    (shares_bits(i) && shares_bits(k)))
				continue;
			if (a->word == b->word && a->lo <= b->hi && b->lo <= a->hi)
				fail_msg("caps %x: %s and %s", caps, a->name, b->name);
		}
}

/* On each chip a bit belongs to one term of format/. */
TEST(test_no_two_terms_overlap_but_init)
{
	for (unsigned int i = 0; i < pcounter_nr_chips; i++)
		check_overlaps(pcounter_gen_find(&pcounter_chips[i])->caps);
}

TEST(test_every_reserved_bit_is_refused)
{
	for (int bit = 11; bit <= 15; bit++)
		assert_int_equal(parse_words(1ULL << bit, 0, 0), -EINVAL);
	for (int bit = 60; bit < 64; bit++)
		assert_int_equal(parse_words(0, 0, 1ULL << bit), -EINVAL);
	assert_int_equal(parse_words(0, 1 << 5, 0), -EINVAL);
	assert_int_equal(parse_words(0, 1 << 15, 0), -EINVAL);
	assert_int_equal(parse_words(0, 1U << 31, 0), -EINVAL);
}

/* Required capabilities for each term, on every generation, from hw:modes/features. */
TEST(test_terms_by_capability)
{
	static const struct {
		struct pcounter_config words;
		u32 caps;
	} terms[] = {
		{ { { 0x10, 0, 0 } }, PCOUNTER_CAP_SETS },
		{ { { 0, 1 << 2, 0 } }, PCOUNTER_CAP_DELAY23 },
		{ { { 0, 1 << 4, 0 } }, PCOUNTER_CAP_FLAG_ARG },
		{ { { 0, 1 << 16, 0 } }, PCOUNTER_CAP_SINGLE },
		{ { { 0, 1 << 17, 0 } }, PCOUNTER_CAP_QUAD },
		{ { { 0, 1 << 18, 0 } }, PCOUNTER_CAP_RECORD },
		{ { { 0, 1 << 20, 0 } }, PCOUNTER_CAP_PERIOD },
		{ { { 0, 1 << 21, 0 } }, PCOUNTER_CAP_IMPORT },
		{ { { 0, 1 << 22, 0 } }, PCOUNTER_CAP_IMPORT },
		{ { { 0, 1 << 24, 0 } }, PCOUNTER_CAP_SUM_B4 },
		{ { { 0, 2 << 24, 0 } }, PCOUNTER_CAP_SUM_EXTRA },
		{ { { 0, 1 << 28, 0 } }, PCOUNTER_CAP_PERIODIC },
		{ { { 0, 1ULL << 32, 0 } }, PCOUNTER_CAP_SWAP_SRC },
		{ { { 0, 1ULL << 40, 0 } }, PCOUNTER_CAP_MUX },
		{ { { 0, 0, 1 } }, PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_QUAD },
		{ { { 0, 0, 1ULL << 32 } }, PCOUNTER_CAP_SINGLE },
		{ { { 0, 0, 1ULL << 34 } }, PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_MUX },
		{ { { 0, 0, 1ULL << 40 } }, PCOUNTER_CAP_MUX },
	};
	struct pcounter_request req;

	for (unsigned int i = 0; i < ARRAY_SIZE(terms); i++)
		assert_int_equal(parse(terms[i].words, ~terms[i].caps, &req), -EOPNOTSUPP);
	assert_int_equal(parse(words(0, 1 << 2, 0), CAPS_G92, &req), 0);
}

/* hw:modes/features: the terms that need the same capabilities, and no others. */
TEST(test_capabilities_of_each_term)
{
	static const struct {
		u32 caps;
		const char *terms;
	} want[] = {
		{ 0, "dom sig sig1 sig2 sig3 op d0 d1 pre start event stop setflag clrflag clk" },
		{ PCOUNTER_CAP_SETS, "set unit" },
		{ PCOUNTER_CAP_DELAY23, "d2 d3" },
		{ PCOUNTER_CAP_FLAG_ARG, "flag" },
		{ PCOUNTER_CAP_SINGLE, "single threshold init" },
		{ PCOUNTER_CAP_QUAD, "quad" },
		{ PCOUNTER_CAP_RECORD, "record" },
		{ PCOUNTER_CAP_PACKETS, "short" },
		{ PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_PERIOD, "all" },
		{ PCOUNTER_CAP_IMPORT, "evpulse flagpulse" },
		{ PCOUNTER_CAP_SUM_B4, "ctr" },
		{ PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_QUAD, "bit0 bit1 bit2 bit3" },
		{ PCOUNTER_CAP_PERIODIC, "periodic" },
		{ PCOUNTER_CAP_SWAP_SRC, "swap" },
		{ PCOUNTER_CAP_MUX, "mux sel tpc mux2 sel2" },
		{ PCOUNTER_CAP_MUX | PCOUNTER_CAP_SETS, "mux3" },
	};
	unsigned int found = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++) {
		char text[128], *rest = text, *name;

		strcpy(text, want[i].terms);
		while ((name = strsep(&rest, " "))) {
			unsigned int term = 0;

			while (strcmp(pcounter_term_info[term].name, name))
				assert_in_range(++term, 0, PCOUNTER_NR_TERMS - 1);
			assert_int_equal(pcounter_term_info[term].caps, want[i].caps);
			found++;
		}
	}
	assert_int_equal(found, PCOUNTER_NR_TERMS);
}

TEST(test_single_mode_terms)
{
	const uint64_t single = 1 << 16, stop = 1 << 11, all = 1 << 20;
	struct pcounter_request req;

	/* init and threshold share their place: counters that count down have init */
	assert_int_equal(parse(words(0, single | stop, 7), CAPS_G84, &req), 0);
	assert_int_equal(req.init, 7);
	assert_int_equal(req.set.threshold, 0);
	assert_int_equal(parse(words(0, single, 7), CAPS_G84, &req), 0);
	assert_int_equal(req.init, 0);
	assert_int_equal(req.set.threshold, 7);
	assert_int_equal(parse_words(0, single, 1ULL << 32), -EINVAL);
	assert_int_equal(parse(words(0, single, 1ULL << 39),
			       CAPS_G84 | PCOUNTER_CAP_CTR_40, &req), 0);
	assert_int_equal(parse(words(0, single | stop, 1ULL << 39),
			       CAPS_G84 | PCOUNTER_CAP_CTR_40, &req), -EINVAL);
	/* without single they are invalid */
	assert_int_equal(parse_words(0, stop, 7), -EINVAL);
	assert_int_equal(parse_words(0, all, 0), -EINVAL);
	assert_int_equal(parse_words(0, single | all, 0), 0);
	/* and the bits of quad mode are invalid with it */
	assert_int_equal(parse_words(0, single | 1 << 17, 0), -EINVAL);
	assert_int_equal(parse_words(0, single | 0x57ULL << 32, 0), -EINVAL);
}

/* A domain has one mode: two members of a group that name different ones never count. */
TEST(test_modes_of_a_group)
{
	static const uint64_t modes[] = { 0, 1 << 16, 1 << 17, 1 << 18 };
	const u32 caps = CAPS_G84 | PCOUNTER_CAP_RECORD;

	for (unsigned int i = 0; i < ARRAY_SIZE(modes) * ARRAY_SIZE(modes); i++) {
		uint64_t a = modes[i / ARRAY_SIZE(modes)], b = modes[i % ARRAY_SIZE(modes)];
		struct pcounter_group group = { .process = 1 }, partner = {};
		struct pcounter_conflict why;
		struct pcounter_request req[2];

		assert_int_equal(parse(words(0x10 << 16, a, 0), caps, &req[0]), 0);
		/* the clock has no counter of its own in any mode */
		assert_int_equal(parse(words(0, b | 1 << 14, 0), caps, &req[1]), 0);
		for (unsigned int k = 0; k < 2; k++)
			pcounter_group_constrain(&group, &req[k]);
		for (unsigned int k = 0; k < 2; k++)
			pcounter_group_add(&group, &req[k]);
		if (pcounter_group_place(&group, &partner, caps, &why) != (!a || !b || a == b))
			fail_msg("modes 0x%llx, 0x%llx", (long long)a, (long long)b);
	}
}

/* By itself, quad is the mode that a free count has anyway: both share a domain. */
TEST(test_quad_is_free)
{
	const struct pcounter_settings none = {};
	struct pcounter_request quad, plain;

	assert_int_equal(parse(words(0x10 << 16, 1 << 17, 0), CAPS_G84, &quad), 0);
	assert_int_equal(parse(words(0x10 << 16, 0, 0), CAPS_G84, &plain), 0);
	pcounter_request_apply(&quad, &none, 1);
	pcounter_request_apply(&plain, &none, 2);
	assert_true(pcounter_request_equal(&quad, &plain));
	/* a number to add up may have it, too */
	assert_int_equal(parse(words(1, 1 << 24 | 1 << 17, 0x13121110), CAPS_G84, &quad), 0);
	assert_true(quad.number);
}

TEST(test_counter_modes)
{
	struct pcounter_request req;

	for (unsigned int ctr = 5; ctr < 16; ctr++)
		assert_int_equal(parse_words(0, ctr << 24, 0),
				 ctr == 6 || ctr == 7 ? -EOPNOTSUPP : -EINVAL);
	/* GM107-: hw:real-cards/r9 */
	assert_int_equal(parse(words(0, 6 << 24, 0), CAPS_G84 | PCOUNTER_CAP_SUM_OWN, &req), 0);
	assert_int_equal(req.role, PCOUNTER_ROLE_PRE);
	assert_int_equal(parse(words(0, 7 << 24, 0), CAPS_G84 | PCOUNTER_CAP_SUM_OWN, &req), 0);
	assert_int_equal(req.role, PCOUNTER_ROLE_EVENT);
	assert_int_equal(parse(words(0, 5 << 24, 0), CAPS_G84 | PCOUNTER_CAP_SUM_OWN, &req),
			 -EINVAL);
	/* without a role the sum goes to the input that makes it */
	assert_int_equal(parse(words(0, 1 << 24, 0), CAPS_G84, &req), 0);
	assert_int_equal(req.role, PCOUNTER_ROLE_EVENT);
	assert_int_equal(parse(words(0, 3 << 24, 0), CAPS_G84, &req), 0);
	assert_int_equal(req.role, PCOUNTER_ROLE_START);
	/* NV10:NV30: counting freely, START is not free */
	assert_int_equal(parse(words(0, 1 << 24, 0), CAPS_G84 & ~PCOUNTER_CAP_QUAD,
			       &req), -EINVAL);
}

/* hw:modes/sums: the number is START's sources, EVENT adds it up */
TEST(test_number_of_a_sum)
{
	const uint64_t b4 = 1 << 24, extra = 3 << 24, start = 1 << 9, single = 1 << 16;
	struct pcounter_request req;

	assert_int_equal(parse(words(1, b4, 0x13121110), CAPS_G84, &req), 0);
	assert_int_equal(req.role, PCOUNTER_ROLE_EVENT);
	assert_true(req.number);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(req.start.sig[i], 0x10 + i);
	assert_int_equal(parse(words(1, 2 * b4, 0x10), CAPS_G84, &req), 0);
	assert_true(req.number);
	/* without one a member of the group decides */
	assert_int_equal(parse(words(1, b4, 0), CAPS_G84, &req), 0);
	assert_false(req.number);
	/* START has its own sources, and EXTRA sums none of EVENT's */
	assert_int_equal(parse_words(1, b4 | start, 0x10), -EINVAL);
	assert_int_equal(parse_words(1, extra, 0x10), -EINVAL);
	assert_int_equal(parse_words(1, 0, 0x10), -EINVAL);
	assert_int_equal(parse_words(1, b4, 1ULL << 32), -EINVAL);
	/* in single mode it is the threshold */
	assert_int_equal(parse(words(1, b4 | single, 0x10), CAPS_G84, &req), 0);
	assert_false(req.number);
	assert_int_equal(req.set.threshold, 0x10);
	/* G84 domain 0 has 0x60 signals */
	assert_int_equal(parse_words(0, b4, 0x60000000), -EINVAL);
	assert_int_equal(parse_words(0, b4, 0x5f000000), 0);
}

/*
 * hw:real-cards/r9: there the bits come from the counter's own sources, and START has
 * the others
 */
TEST(test_number_of_its_own)
{
	const u32 caps = CAPS_G84 | PCOUNTER_CAP_SUM_OWN;
	const uint64_t b5 = 6 << 24, own = 7 << 24, delayed = 1;
	const uint64_t fifth = 1 | 0x14 << 16, gate = fifth | 0x8888ULL << 48 | 0x15 << 24;
	struct pcounter_request req;

	assert_int_equal(parse(words(gate, own, 0x13121110), caps, &req), 0);
	assert_int_equal(req.role, PCOUNTER_ROLE_EVENT);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(req.in.sig[i], 0x10 + i);
	assert_int_equal(req.in.op, PCOUNTER_OP_ALWAYS);
	assert_int_equal(req.start.op, 0x8888);
	assert_int_equal(req.start.sig[0], 0x14);
	assert_int_equal(req.start.sig[1], 0x15);
	assert_int_equal(parse(words(fifth, b5, 0x13121110), caps, &req), 0);
	assert_int_equal(req.role, PCOUNTER_ROLE_PRE);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(req.in.sig[i], 0x10 + i);
	assert_int_equal(req.start.sig[0], 0x14);
	assert_int_equal(req.start.op, PCOUNTER_OP_ALWAYS);
	/* it has no gate */
	assert_int_equal(parse(words(gate, b5, 0x10), caps, &req), -EINVAL);
	assert_int_equal(parse(words(fifth, b5 | delayed, 0x10), caps, &req), -EINVAL);
}

TEST(test_second_mux)
{
	const uint64_t mux = 1ULL << 40, sel = 1ULL << 46, tpc = 1ULL << 60;
	const u32 caps = CAPS_G84 | PCOUNTER_CAP_MUX;
	struct pcounter_request req;

	assert_int_equal(parse(words(1, 3 * mux | 5 * sel | 2 * tpc, 4 * mux | 6 * sel), caps,
			       &req), 0);
	assert_int_equal(req.mux[0].id, 3);
	assert_int_equal(req.mux[0].sel, 5);
	assert_int_equal(req.mux[1].id, 4);
	assert_int_equal(req.mux[1].sel, 6);
	/* a TPC is that of both */
	assert_int_equal(req.mux[1].tpc, 2);
	assert_int_equal(parse(words(1, 3 * mux | 2 * tpc, 0), caps, &req), 0);
	assert_int_equal(req.mux[1].tpc, 0);
	assert_int_equal(parse(words(1, 0, 4 * mux), caps, &req), -EINVAL);
	assert_int_equal(parse(words(1, 4 * mux, 4 * mux | sel), caps, &req), -EINVAL);
	assert_int_equal(parse(words(1, 4 * mux, sel), caps, &req), -EINVAL);
	assert_int_equal(parse(words(1, sel, 0), caps, &req), -EINVAL);
}

TEST(test_third_mux)
{
	const uint64_t mux = 1ULL << 40, sel = 1ULL << 46, tpc = 1ULL << 60, mux3 = 1ULL << 34;
	const uint64_t two = 3 * mux | 5 * sel | 2 * tpc, b4 = 1 << 24, single = 1 << 16;
	const u32 tesla = CAPS_G84 | PCOUNTER_CAP_MUX;
	const u32 caps = (tesla & ~PCOUNTER_CAP_SINGLE) | PCOUNTER_CAP_SETS;
	struct pcounter_request req;

	assert_int_equal(parse(words(1, two, 4 * mux | 6 * sel | 35 * mux3), caps, &req), 0);
	assert_int_equal(req.mux[1].id, 4);
	assert_int_equal(req.mux[2].id, 35);
	assert_int_equal(req.mux[2].sel, 0);
	assert_int_equal(req.mux[2].tpc, 2);
	/* it is not part of the number in the bits below */
	assert_int_equal(parse(words(1, two | b4, 4 * mux | 7 * mux3 | 0x13121110), caps, &req), 0);
	assert_int_equal(req.start.sig[3], 0x13);
	/* a missing place, a duplicate mux, a GPU whose threshold has the bits */
	assert_int_equal(parse(words(1, two, 7 * mux3), caps, &req), -EINVAL);
	assert_int_equal(parse(words(1, 0, 7 * mux3), caps, &req), -EINVAL);
	assert_int_equal(parse(words(1, two, 4 * mux | 3 * mux3), caps, &req), -EINVAL);
	assert_int_equal(parse(words(1, two, 4 * mux | 4 * mux3), caps, &req), -EINVAL);
	assert_int_equal(parse(words(1, single, 7 * mux3), CAPS_G84, &req), -EINVAL);
	assert_int_equal(parse(words(1, two, 4 * mux | 7 * mux3), tesla, &req), -EINVAL);
	assert_int_equal(parse(words(1, two | single, 4 * mux | 9), tesla, &req), 0);
	assert_int_equal(req.set.threshold, 9);
	assert_int_equal(parse(words(1, 0, 7 * mux3), CAPS_G84 & ~PCOUNTER_CAP_SINGLE, &req),
			 -EOPNOTSUPP);
}

/*
 * hw:signals/trailers, G84 domain 1: trailer 0xe0, EVENTs at +0x10, FLAGs at
 * +0x18
 */
TEST(test_imports)
{
	static const struct {
		unsigned int sig;
		u8 imports;
	} cases[] = {
		{ 0xef, 0 }, { 0xf0, 1 }, { 0xf7, 1 }, { 0xf6, 0 },
		{ 0xf8, 2 }, { 0xff, 2 }, { 0xfe, 0 }, { 0x10, 0 },
	};
	struct pcounter_request req;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(words(1 | cases[i].sig << 16, 0, 0), CAPS_G84,
				       &req), 0);
		assert_int_equal(req.imports, cases[i].imports);
	}
}

TEST(test_absent_domain_and_signal)
{
	assert_int_equal(parse_words(7, 0, 0), 0);
	assert_int_equal(parse_words(8, 0, 0), -EINVAL);
	/*
	 * G84 domain 0: trailer base 0x40, 0x60 signals
	 * (hw:signals/bases-tesla)
	 */
	assert_int_equal(parse_words(0x5f << 16, 0, 0), 0);
	assert_int_equal(parse_words(0x60 << 16, 0, 0), -EINVAL);
	assert_int_equal(parse_words(0x6000000000, 0, 0), -EINVAL);
}

TEST(test_one_input_flag_at_most)
{
	struct pcounter_request req;

	for (int a = 8; a <= 14; a++) {
		assert_int_equal(parse(words(1, 1 << a, 0), CAPS_G84, &req), 0);
		/* PRE to CLRFLAG, CLK */
		assert_int_equal(req.role, PCOUNTER_ROLE_PRE + a - 8);
		for (int b = a + 1; b <= 14; b++)
			assert_int_equal(parse_words(1, 1 << a | 1 << b, 0),
					 -EINVAL);
	}
}

TEST(test_clock_takes_no_signal)
{
	assert_int_equal(parse_words(1, 1 << 14, 0), 0);
	assert_int_equal(parse_words(1 | 0xc8 << 16, 1 << 14, 0), -EINVAL);
	assert_int_equal(parse_words(1 | 0xffffULL << 48, 1 << 14, 0), -EINVAL);
	assert_int_equal(parse_words(1, 1 << 14 | 1, 0), -EINVAL);
}

TEST(test_op_zero_is_source_0)
{
	struct pcounter_request a, b;

	assert_int_equal(parse(words(1 | 0xc8 << 16, 0, 0), CAPS_G84, &a), 0);
	assert_int_equal(parse(words(1 | 0xc8 << 16 | 0xaaaaULL << 48, 0, 0),
			       CAPS_G84, &b), 0);
	assert_true(pcounter_request_equal(&a, &b));
	assert_int_equal(a.in.op, 0xaaaa);
}

TEST(test_flag_argument_rules)
{
	assert_int_equal(parse_words(1 | 0x8000ULL << 48, 1 << 4, 0), 0);
	/* PRE and START have no such argument */
	assert_int_equal(parse_words(1 | 0x8000ULL << 48, 1 << 4 | 1 << 8, 0),
			 -EINVAL);
	assert_int_equal(parse_words(1 | 0x8000ULL << 48, 1 << 4 | 1 << 11, 0), 0);
}

/* hw:chips/id */
TEST(test_boot_0)
{
	assert_int_equal(pcounter_boot_chipset(0x084700a2), 0x84);
	assert_int_equal(pcounter_boot_chipset(0x108000a1), 0x108);
	assert_int_equal(pcounter_boot_chipset(0xffffffff), -ENXIO);
	assert_int_equal(pcounter_boot_chipset(0x20004000), -ENODEV);
	assert_null(pcounter_chip_find(0x1ff));
}

int main(void)
{
	return unit_run(NULL, NULL);
}
