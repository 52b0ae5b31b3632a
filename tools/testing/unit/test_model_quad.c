// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model in quad event mode; each test names its clause.
 */
#include "model_test.h"

#define DOM	1

/* Set up domain 1 of a G84 with one signal on EVENT, and park swaps on ZERO. */
static void quad_on(uint32_t chipset)
{
	chip(chipset);
	say("signal 1 0x20 duty 3/10");
	say("signal 1 0x21 const 1");
	say("signal 1 0x22 random 20000/65536 seed 9");
	wr(CTRL, DOM, QUAD);
	wr(SPEC_SRC, DOM, 0xec);
	wr(EVENT_SRC, DOM, 0x20);
	wr(EVENT_OP, DOM, SOURCE_0);
}

static void end_period(void)
{
	if (m->chip->variant < PCMODEL_G84)
		trigger();
	else
		wr(PRE_OP, DOM, rd(PRE_OP, DOM));
}

/*
 * hw:modes/quad-swap: a swap raises the state one step, OVERFLOW stays; ack
 * steps it down, EMPTY stays
 */
TEST(test_states)
{
	quad_on(0x84);
	assert_int_equal(quad_state(DOM), EMPTY);
	wr(QUAD_ACK, DOM, 1);
	assert_int_equal(quad_state(DOM), EMPTY);
	end_period();
	assert_int_equal(quad_state(DOM), VALID);
	end_period();
	assert_int_equal(quad_state(DOM), OVERFLOWED);
	end_period();
	assert_int_equal(quad_state(DOM), OVERFLOWED);
	wr(QUAD_ACK, DOM, 0);
	assert_int_equal(quad_state(DOM), OVERFLOWED);
	wr(QUAD_ACK, DOM, 1);
	assert_int_equal(quad_state(DOM), VALID);
	wr(QUAD_ACK, DOM, 1);
	assert_int_equal(quad_state(DOM), EMPTY);
}

/* hw:modes/counters: 32 bits, saturating at all ones */
TEST(test_saturation)
{
	quad_on(0x84);
	m->dom[DOM].hidden[2] = 0xfffffff0;
	m->dom[DOM].hidden_cycles = 0xfffffff0;
	wr(EVENT_SRC, DOM, 0x21);
	pcmodel_run(m, 15);
	assert_int_equal(m->dom[DOM].hidden[2], 0xffffffff);
	pcmodel_run(m, 1000);
	end_period();
	assert_int_equal(rd(CTR_EVENT, DOM), 0xffffffff);
	assert_int_equal(rd(CTR_CYCLES, DOM), 0xffffffff);
}

/*
 * hw:inputs/op: bit number of the truth table is a0 + 2 a1 + 4 a2 + 8 a3, on
 * every slot
 */
TEST(test_truth_tables)
{
	static const unsigned int src[] = { PRE_SRC, START_SRC, EVENT_SRC, STOP_SRC };
	static const unsigned int ctr[] = { CTR_PRE, CTR_START, CTR_EVENT, CTR_STOP };

	for (unsigned int slot = 0; slot < 4; slot++) {
		for (unsigned int row = 0; row < 16; row++) {
			quad_on(0x84);
			/* four signals that step through all combinations */
			say("signal 1 0x30 duty 1/2 phase 1");
			say("signal 1 0x31 duty 2/4 phase 2");
			say("signal 1 0x32 duty 4/8 phase 4");
			say("signal 1 0x33 duty 8/16 phase 8");
			wr(src[slot], DOM, 0x33323130);
			wr(src[slot] + 0x20, DOM, 1u << row);
			end_period();
			pcmodel_run(m, row);
			end_period();
			assert_int_equal(rd(ctr[slot], DOM), 0);
			pcmodel_run(m, 1);
			end_period();
			assert_int_equal(rd(ctr[slot], DOM), 1);
			pcmodel_run(m, 15);
			end_period();
			assert_int_equal(rd(ctr[slot], DOM), 0);
		}
	}
}

static uint32_t count_with(uint32_t chipset, unsigned int slot, uint32_t op)
{
	static const unsigned int ctr[] = { CTR_PRE, CTR_START, CTR_EVENT, CTR_STOP };

	quad_on(chipset);
	/* sources 0 and 1: pulses; 2 and 3: never */
	say("signal 1 0x30 duty 1/10");
	say("signal 1 0x31 duty 1/5");
	say("signal 1 0x32 const 0");
	wr(PRE_SRC + slot * 0x40, DOM, 0x32323130);
	wr(PRE_OP + slot * 0x40, DOM, op);
	pcmodel_run(m, 10);
	end_period();
	pcmodel_run(m, 100);
	end_period();
	return rd(ctr[slot], DOM);
}

/*
 * hw:inputs/op: G92+ replace arguments 2 and 3 by delayed sources 0 and 1: bits
 * 18, 19 on PRE and START, 19, 20 on EVENT and STOP
 */
TEST(test_delayed_replacements)
{
	for (unsigned int slot = 0; slot < 4; slot++) {
		unsigned int bit = slot < 2 ? 18 : 19;

		assert_int_equal(count_with(0x92, slot, 0xf0f0), 0);
		assert_int_equal(count_with(0x92, slot, 0xf0f0 | 1u << bit), 10);
		assert_int_equal(count_with(0x92, slot, 0xff00 | 2u << bit), 20);
		/* not before G92 */
		assert_int_equal(count_with(0x84, slot, 0xf0f0 | 1u << bit), 0);
		assert_int_equal(count_with(0x84, slot, 0xff00 | 2u << bit), 0);
	}
}

/* hw:modes/sums: the integers of the multi-bit modes, in quad mode */
TEST(test_counter_modes)
{
	static const struct {
		unsigned int mode, event, start;
	} expect[] = {
		/* EVENT is 1 every other clock; B4 = 5, B6 = 5 + 16 * 3, B2 = 2 */
		{ 0, 50, 0 },
		{ 1, 50 * 5, 0 },
		{ 2, 50 * (5 + 48), 0 },
		{ 3, 50, 100 * 5 },
		{ 4, 100 * 2, 100 * (5 + 48) },
	};

	for (unsigned int i = 0; i < 5; i++) {
		quad_on(0x84);
		say("signal 1 0x30 const 1");
		say("signal 1 0x31 const 0");
		say("signal 1 0x32 duty 1/2");
		wr(CTRL, DOM, QUAD | expect[i].mode << 4);
		wr(START_SRC, DOM, 0x31303130);		/* 0b0101 */
		wr(START_OP, DOM, 0);
		wr(EVENT_SRC, DOM, 0x30303031);		/* B2 = 0b10, high bits 11 */
		wr(EVENT_OP, DOM, ALWAYS);
		if (i < 4) {
			/* a gate that is 1 in every other clock: EVENT source 0 */
			wr(EVENT_SRC, DOM, 0x30303032);
			wr(EVENT_OP, DOM, SOURCE_0);
		}
		end_period();
		pcmodel_run(m, 100);
		end_period();
		assert_int_equal(rd(CTR_EVENT, DOM), expect[i].event);
		assert_int_equal(rd(CTR_START, DOM), expect[i].start);
		assert_int_equal(rd(CTR_CYCLES, DOM), 100);
	}
}

/* hw:ambiguities/28: the swap may show some clocks later, without losses */
TEST(test_swap_latency)
{
	quad_on(0x84);
	say("quirk swap_latency 5");
	wr(PRE_OP, DOM, 0);
	pcmodel_run(m, 4);
	assert_int_equal(quad_state(DOM), EMPTY);
	pcmodel_run(m, 1);
	assert_int_equal(quad_state(DOM), VALID);
	assert_int_equal(rd(CTR_CYCLES, DOM), 4);
	wr(QUAD_ACK, DOM, 1);
	/* a pending swap gets lost with the mode */
	wr(PRE_OP, DOM, 0);
	wr(CTRL, DOM, SINGLE);
	wr(CTRL, DOM, QUAD);
	pcmodel_run(m, 10);
	assert_int_equal(quad_state(DOM), EMPTY);
}

/* hw:ambiguities/15: hidden counters and QUAD_STATE on entering quad mode */
TEST(test_entering_quad_mode)
{
	quad_on(0x84);
	end_period();
	pcmodel_run(m, 10);
	wr(CTRL, DOM, SINGLE);
	wr(CTRL, DOM, QUAD);
	assert_int_equal(quad_state(DOM), VALID);
	end_period();
	assert_int_equal(rd(CTR_CYCLES, DOM), 10);
	say("quirk quad_clear 1");
	say("quirk quad_state_reset 1");
	pcmodel_run(m, 10);
	wr(CTRL, DOM, SINGLE);
	wr(CTRL, DOM, QUAD);
	assert_int_equal(quad_state(DOM), EMPTY);
	end_period();
	assert_int_equal(rd(CTR_CYCLES, DOM), 0);
}

/* hw:ambiguities/1: a write may take effect later */
TEST(test_write_delay)
{
	quad_on(0x84);
	say("quirk write_delay 3");
	wr(EVENT_SRC, DOM, 0x21);
	assert_int_equal(rd(EVENT_SRC, DOM), 0x20);
	pcmodel_run(m, 2);
	assert_int_equal(rd(EVENT_SRC, DOM), 0x20);
	pcmodel_run(m, 1);
	assert_int_equal(rd(EVENT_SRC, DOM), 0x21);
}

/* hw:ambiguities/4, hw:ambiguities/10 */
TEST(test_small_quirks)
{
	quad_on(0x84);
	pcmodel_run(m, 10);
	end_period();
	assert_int_equal(rd(CTR_CYCLES_ALT, DOM), 10);
	say("quirk cycles_alt 1");
	assert_int_not_equal(rd(CTR_CYCLES_ALT, DOM), 10);

	/* previous value of a source that was just reselected, from 0 to 1 */
	for (unsigned int new = 0; new < 2; new++) {
		quad_on(0x84);
		m->quirks.prev_new = new;
		wr(EVENT_SRC, DOM, 0x30);
		wr(EVENT_OP, DOM, SOURCE_0 | 1 << 16);
		pcmodel_run(m, 5);
		wr(EVENT_SRC, DOM, 0x21);
		end_period();
		pcmodel_run(m, 1);
		end_period();
		assert_int_equal(rd(CTR_EVENT, DOM), new);
	}
}

int main(void)
{
	return unit_run(new_model, free_model);
}
