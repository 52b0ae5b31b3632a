// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model's signals: trailer, flag, imports, generators, status registers
 * (hw:inputs, hw:signals/trailers).
 */
#include "model_test.h"

/*
 * GT215 trailers: domain 0 0xe0, 1 0xe0, 2 0xc0, 3 0x20
 * (hw:signals/bases-tesla)
 */
#define EVENT_OF(dom)	(0xe0 + 0x17 - (dom))

static void gt215(void)
{
	chip(0xa3);
	for (unsigned int d = 0; d < 8; d++)
		wr(CTRL, d, QUAD);
}

/* Count coincidences of a script's levels with its arrivals @lag clocks later. */
static unsigned int coincidences(unsigned int from, unsigned int lag)
{
	unsigned int sum = 0;

	for (uint64_t c = 100; c < 1100; c++)
		sum += pcmodel_script_level(&m->dom[1].sig[0x30], c) &&
		       pcmodel_script_level(&m->dom[from].sig[0x30], c - lag);
	return sum;
}

/*
 * hw:inputs/imports: directly is in the same clock, through the synchroniser it
 * is two local clocks ago: as an input that is counted, not only as a status
 * bit
 */
TEST(test_what_an_input_sees_of_events)
{
	for (unsigned int from = 1; from <= 2; from++) {
		gt215();
		say("signal 1 0x30 random 30000/65536 seed 1");
		say("signal 2 0x30 random 30000/65536 seed 2");
		wr(EVENT_SRC, from, 0x30);
		wr(EVENT_OP, from, SOURCE_0);
		wr(STOP_SRC, 1, 0x30 | EVENT_OF(from) << 8);
		wr(STOP_OP, 1, 0x8888);
		pcmodel_run(m, 100);
		wr(PRE_OP, 1, 0);
		pcmodel_run(m, 1000);
		wr(PRE_OP, 1, 0);
		assert_int_equal(rd(CTR_STOP, 1), coincidences(from, from == 1 ? 0 : 2));
	}
}

/*
 * hw:inputs/imports: several edges in a reference cycle are synchronised one by
 * one
 */
TEST(test_import_between_fast_domains)
{
	for (unsigned int pulse = 0; pulse < 2; pulse++) {
		gt215();
		say("clock 0 6/1");
		say("clock 1 6/1");
		say("clock 2 3/1");
		say("signal 0 0x30 bits 00001000000000000");
		wr(EVENT_SRC, 0, 0x30);
		wr(EVENT_OP, 0, SOURCE_0);
		wr(CTRL, 2, QUAD | pulse << 11);
		wr(EVENT_SRC, 1, EVENT_OF(0));
		wr(EVENT_OP, 1, SOURCE_0);
		wr(EVENT_SRC, 2, EVENT_OF(0) - 0x20);
		wr(EVENT_OP, 2, SOURCE_0);
		pcmodel_run(m, 17);	/* 102 clocks: pulses in 4, 21, ... 89 */
		wr(PRE_OP, 1, 0);
		wr(PRE_OP, 2, 0);
		assert_int_equal(rd(CTR_EVENT, 1), 6);
		/* every other edge samples: the pulses in 21, 55 and 89 */
		assert_int_equal(rd(CTR_EVENT, 2), pulse ? 6 : 3);
	}
}

static unsigned int count_in_domain_0(unsigned int cycles)
{
	wr(EVENT_SRC, 0, EVENT_OF(1));
	wr(EVENT_OP, 0, SOURCE_0);
	wr(PRE_OP, 0, 0);
	pcmodel_run(m, cycles);
	wr(PRE_OP, 0, 0);
	return rd(CTR_EVENT, 0);
}

/* A pulse shorter than the destination's clock: lost as a level, not as a pulse. */
TEST(test_import_into_a_slow_domain)
{
	for (unsigned int pulse = 0; pulse < 2; pulse++) {
		gt215();
		say("clock 0 1/10");
		say("signal 1 0x30 duty 1/40 phase 35");
		wr(EVENT_SRC, 1, 0x30);
		wr(EVENT_OP, 1, SOURCE_0);
		wr(CTRL, 0, QUAD | pulse << 11);
		assert_int_equal(count_in_domain_0(400), pulse ? 10 : 0);
	}
}

/* hw:signals/trailers: ZERO at +0x0c from G84, at +0x0e before */
TEST(test_zero_stays_zero)
{
	gt215();
	say("signal 1 0xec const 1");
	assert_int_equal(sig_level(1, 0xec), 0);
	chip(0x40);
	say("signal 1 0xee const 1");
	say("signal 1 0xec const 1");
	assert_int_equal(sig_level(1, 0xee), 0);
	assert_int_equal(sig_level(1, 0xec), 1);
}

/* hw:registers/nv40: SIG_STATUS word i holds signals 32i to 32i + 31 */
TEST(test_sig_status)
{
	gt215();
	say("signal 1 0x43 const 1");
	assert_int_equal(pcmodel_rd32(m, WINDOW + SIG_STATUS + 0x20 + 2 * 4), 8);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
