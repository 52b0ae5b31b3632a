// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model in single event mode (hw:modes/single).
 */
#include "model_test.h"

#define DOM	1
#define INACTIVE	0
#define WAIT_PRE	1
#define WAIT_START	2
#define COUNTING	3

/* PRE pulses at 0x30, START at 0x31, EVENT at 0x32, STOP at 0x33. */
static void single_on(uint32_t ctrl)
{
	chip(0x84);
	say("signal 1 0x30 duty 1/10 phase 8");	/* cycles 2, 12, ... */
	say("signal 1 0x31 duty 1/10 phase 6");	/* cycles 4, 14, ... */
	say("signal 1 0x32 const 1");
	say("signal 1 0x33 duty 1/10 phase 2");	/* cycles 8, 18, ... */
	wr(CTRL, DOM, ctrl);
	wr(PRE_SRC, DOM, 0x30);
	wr(START_SRC, DOM, 0x31);
	wr(START_OP, DOM, SOURCE_0);
	wr(EVENT_SRC, DOM, 0x32);
	wr(EVENT_OP, DOM, SOURCE_0);
	wr(STOP_SRC, DOM, 0x33);
	wr(STOP_OP, DOM, SOURCE_0);
}

static void begin(void)
{
	wr(PRE_OP, DOM, SOURCE_0);
}

/*
 * hw:modes/single: INACTIVE -> WAIT_FOR_PRE -> WAIT_FOR_START -> COUNTING ->
 * INACTIVE
 */
TEST(test_state_machine)
{
	single_on(SINGLE);
	pcmodel_run(m, 1);
	assert_int_equal(single_state(DOM), INACTIVE);
	begin();
	assert_int_equal(single_state(DOM), WAIT_PRE);
	pcmodel_run(m, 1);	/* cycle 1 */
	assert_int_equal(single_state(DOM), WAIT_PRE);
	pcmodel_run(m, 1);	/* cycle 2: PRE */
	assert_int_equal(single_state(DOM), WAIT_START);
	pcmodel_run(m, 2);	/* cycle 4: START */
	assert_int_equal(single_state(DOM), COUNTING);
	pcmodel_run(m, 3);
	assert_int_equal(single_state(DOM), COUNTING);
	pcmodel_run(m, 1);	/* cycle 8: STOP */
	assert_int_equal(single_state(DOM), INACTIVE);
	assert_int_equal(rd(CTR_EVENT, DOM), 4);
	assert_int_equal(rd(CTR_CYCLES, DOM), 4);
	assert_int_equal(rd(CTR_START, DOM), 1);
	pcmodel_run(m, 100);
	assert_int_equal(rd(CTR_EVENT, DOM), 4);
}

/* hw:modes/single: these writes force INACTIVE; PRE_OP and acks do not */
TEST(test_writes_that_abort)
{
	static const unsigned int abort[] = {
		PRE_SRC, START_SRC, START_OP, EVENT_SRC, EVENT_OP, STOP_SRC, STOP_OP,
		SETFLAG_OP, CLRFLAG_OP, CTR_PRE, CTR_STOP, THRESHOLD, CTRL,
	};
	static const unsigned int harmless[] = { PRE_OP, QUAD_ACK, SPEC_SRC };

	for (unsigned int i = 0; i < sizeof(abort) / sizeof(*abort); i++) {
		single_on(SINGLE);
		begin();
		wr(abort[i], DOM, 0);
		assert_int_equal(single_state(DOM), INACTIVE);
	}
	for (unsigned int i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		single_on(SINGLE);
		begin();
		wr(harmless[i], DOM, 0);
		assert_int_equal(single_state(DOM), WAIT_PRE);
	}
}

/*
 * hw:inputs/flag: in single mode the flag is frozen in INACTIVE, cleared on
 * entry to WAIT_FOR_PRE
 */
TEST(test_flag_in_single_mode)
{
	single_on(SINGLE);
	wr(SETFLAG_OP, DOM, ALWAYS);
	pcmodel_run(m, 5);
	assert_false(m->dom[DOM].flag);
	begin();
	pcmodel_run(m, 1);
	assert_true(m->dom[DOM].flag);
	wr(SETFLAG_OP, DOM, 0);
	wr(CLRFLAG_OP, DOM, ALWAYS);
	pcmodel_run(m, 5);
	assert_true(m->dom[DOM].flag);	/* INACTIVE */
	wr(CLRFLAG_OP, DOM, 0);
	begin();
	assert_false(m->dom[DOM].flag);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
