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

/*
 * hw:modes/single: CTR_PRE + 1 PRE pulses are needed; CTR_STOP + 1 periods are
 * counted
 */
TEST(test_initial_values)
{
	single_on(SINGLE);
	wr(CTR_PRE, DOM, 2);
	wr(CTR_STOP, DOM, 3);
	begin();
	pcmodel_run(m, 20);
	assert_int_equal(rd(CTR_PRE, DOM), 0);
	assert_int_equal(single_state(DOM), WAIT_PRE);
	pcmodel_run(m, 3);	/* third pulse at 22 */
	assert_int_equal(single_state(DOM), WAIT_START);
	pcmodel_run(m, 10);	/* one period: 24 to 28 */
	assert_int_equal(rd(CTR_STOP, DOM), 2);
	pcmodel_run(m, 100);
	assert_int_equal(single_state(DOM), INACTIVE);
	assert_int_equal(rd(CTR_START, DOM), 4);
}

/*
 * hw:modes/single: with period mode ONE each period starts from 0, with ALL
 * they add up
 */
TEST(test_event_ctr_period)
{
	for (unsigned int all = 0; all < 2; all++) {
		single_on(SINGLE | all << 8);
		wr(CTR_STOP, DOM, 2);
		begin();
		pcmodel_run(m, 100);
		assert_int_equal(rd(CTR_EVENT, DOM), all ? 12 : 4);
		assert_int_equal(rd(CTR_CYCLES, DOM), 4);
	}
}

/* hw:modes/single: START counts periods in which EVENT reached THRESHOLD */
TEST(test_threshold)
{
	for (unsigned int threshold = 7; threshold <= 9; threshold++) {
		single_on(SINGLE | 1 << 8);
		wr(CTR_STOP, DOM, 4);
		wr(THRESHOLD, DOM, threshold);	/* 4, 8, 12, 16, 20 */
		begin();
		pcmodel_run(m, 100);
		assert_int_equal(rd(CTR_START, DOM), threshold == 9 ? 3 : 4);
	}
}

/* hw:modes/single: the counters are live, there is no shadow */
TEST(test_counters_are_live)
{
	single_on(SINGLE);
	wr(STOP_OP, DOM, 0);
	wr(START_OP, DOM, ALWAYS);
	wr(PRE_OP, DOM, ALWAYS);
	pcmodel_run(m, 2);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(rd(CTR_EVENT, DOM), 10 * i);
		assert_int_equal(rd(CTR_CYCLES, DOM), 10 * i);
		pcmodel_run(m, 10);
	}
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
 * hw:modes/sums: EXTRA modes add to CTR_PRE in every clock of a counting period
 */
TEST(test_extra_modes)
{
	for (unsigned int mode = 3; mode <= 4; mode++) {
		single_on(SINGLE | mode << 4);
		say("signal 1 0x34 const 1");
		wr(START_SRC, DOM, 0x00340031);	/* B4 = 4, and START's own pulse */
		wr(EVENT_SRC, DOM, 0x34000034);	/* B2 = 1, B6 high bits 2 */
		begin();
		pcmodel_run(m, 9);
		assert_int_equal(rd(CTR_PRE, DOM), mode == 3 ? 4 * 4 : 4 * (4 + 32));
		assert_int_equal(rd(CTR_EVENT, DOM), 4);
	}
}

/* hw:ambiguities/2: a PRE_OP write restarts only from INACTIVE, or always */
TEST(test_restart_quirk)
{
	for (unsigned int restart = 0; restart < 2; restart++) {
		single_on(SINGLE);
		m->quirks.single_restart = restart;
		begin();
		pcmodel_run(m, 6);
		assert_int_equal(single_state(DOM), COUNTING);
		begin();
		assert_int_equal(single_state(DOM), restart ? WAIT_PRE : COUNTING);
	}
}

/* hw:ambiguities/3: are START's and STOP's own cycles counted? */
TEST(test_cycle_quirks)
{
	for (unsigned int i = 0; i < 4; i++) {
		single_on(SINGLE);
		m->quirks.start_cycle = i & 1;
		m->quirks.no_stop_cycle = i >> 1;
		begin();
		pcmodel_run(m, 9);
		assert_int_equal(rd(CTR_CYCLES, DOM), 4 + (i & 1) - (i >> 1));
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
