// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model in quad event mode, and the end of a process in single event mode. What the
 * counters count, test_property and test_process compare with evaluations of their own.
 */
#include "model_test.h"

#define DOM		1
#define INACTIVE	0
#define WAIT_PRE	1

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

/* hw:modes/single: these writes force INACTIVE; PRE_OP and acks do not */
TEST(test_writes_that_abort)
{
	static const struct {
		unsigned int reg;
		bool aborts;
	} writes[] = {
		{ PRE_SRC, true }, { START_SRC, true }, { START_OP, true }, { EVENT_SRC, true },
		{ EVENT_OP, true }, { STOP_SRC, true }, { STOP_OP, true }, { SETFLAG_OP, true },
		{ CLRFLAG_OP, true }, { CTR_PRE, true }, { CTR_STOP, true }, { THRESHOLD, true },
		{ CTRL, true }, { PRE_OP, false }, { QUAD_ACK, false }, { SPEC_SRC, false },
	};

	for (unsigned int i = 0; i < sizeof(writes) / sizeof(*writes); i++) {
		chip(0x84);
		wr(CTRL, DOM, SINGLE);
		wr(PRE_OP, DOM, SOURCE_0);
		assert_int_equal(single_state(DOM), WAIT_PRE);
		wr(writes[i].reg, DOM, 0);
		assert_int_equal(single_state(DOM), writes[i].aborts ? INACTIVE : WAIT_PRE);
	}
}

int main(void)
{
	return unit_run(new_model, free_model);
}
