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

/*
 * hw:inputs/flag-sources: SETFLAG = START 2, START 3, PRE 0, PRE 1; CLRFLAG =
 * PRE 2, PRE 3, START 0, START 1
 */
TEST(test_flag_sources)
{
	static const struct {
		unsigned int reg, reg_src, byte, arg;
	} where[] = {
		{ SETFLAG_OP, START_SRC, 2, 0 }, { SETFLAG_OP, START_SRC, 3, 1 },
		{ SETFLAG_OP, PRE_SRC, 0, 2 }, { SETFLAG_OP, PRE_SRC, 1, 3 },
		{ CLRFLAG_OP, PRE_SRC, 2, 0 }, { CLRFLAG_OP, PRE_SRC, 3, 1 },
		{ CLRFLAG_OP, START_SRC, 0, 2 }, { CLRFLAG_OP, START_SRC, 1, 3 },
	};
	static const uint32_t only[] = { 0xaaaa, 0xcccc, 0xf0f0, 0xff00 };

	for (unsigned int i = 0; i < 8; i++) {
		gt215();
		say("signal 1 0x30 const 1");
		m->dom[1].flag = where[i].reg == CLRFLAG_OP;
		wr(where[i].reg_src, 1, 0x30u << (8 * where[i].byte));
		wr(where[i].reg, 1, only[where[i].arg]);
		pcmodel_run(m, 1);
		assert_int_equal(m->dom[1].flag, where[i].reg == SETFLAG_OP);
	}
}

/*
 * hw:inputs/imports: a domain sees its own EVENT directly, another's two local clocks
 * later
 */
TEST(test_event_between_domains)
{
	gt215();
	say("signal 1 0x30 bits 00001000000000000000000000000000");
	wr(EVENT_SRC, 1, 0x30);
	wr(EVENT_OP, 1, SOURCE_0);
	pcmodel_run(m, 5);
	assert_int_equal(sig_level(1, EVENT_OF(1)), 1);
	assert_int_equal(sig_level(0, EVENT_OF(1)), 0);
	pcmodel_run(m, 1);	/* clock 6 sees clock 4 */
	assert_int_equal(sig_level(1, EVENT_OF(1)), 0);
	assert_int_equal(sig_level(0, EVENT_OF(1)), 1);
	pcmodel_run(m, 1);
	assert_int_equal(sig_level(0, EVENT_OF(1)), 0);
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

/* hw:ambiguities/12: edges closer than a destination clock merge, or are all kept */
TEST(test_pulse_merge_quirk)
{
	char line[128];

	for (unsigned int keep = 0; keep < 2; keep++) {
		gt215();
		m->quirks.pulse_keep = keep;
		say("clock 0 1/10");
		/* in every hundred clocks five edges, then a long rest */
		memset(line, '0', sizeof(line));
		memcpy(line, "signal 1 0x30 bits 101010101", 28);
		line[19 + 100] = 0;
		say(line);
		wr(EVENT_SRC, 1, 0x30);
		wr(EVENT_OP, 1, SOURCE_0);
		wr(CTRL, 0, QUAD | 1 << 11);
		assert_int_equal(count_in_domain_0(400), keep ? 20 : 4);
	}
}

/*
 * hw:inputs/periodic: one pulse every 2^(9+n) clocks; GCTRL bit 4 holds all
 * generators
 */
TEST(test_periodic)
{
	for (unsigned int n = 1; n <= 7; n++) {
		gt215();
		wr(CTRL, 1, QUAD | n << 21);
		wr(GCTRL, 0, 0x10);
		pcmodel_run(m, 100);
		wr(GCTRL, 0, 0);
		wr(EVENT_SRC, 1, 0xed);
		wr(EVENT_OP, 1, SOURCE_0);
		wr(PRE_OP, 1, 0);
		pcmodel_run(m, 10 * (512u << n));
		wr(PRE_OP, 1, 0);
		assert_int_equal(rd(CTR_EVENT, 1), 10);
	}
}

/*
 * hw:inputs/periodic: held in reset there are no pulses; hw:ambiguities/13: a new period
 * continues the old count, or restarts it
 */
TEST(test_periodic_while_running)
{
	for (unsigned int restart = 0; restart < 2; restart++) {
		gt215();
		m->quirks.periodic_restart = restart;
		wr(CTRL, 1, QUAD | 2 << 21);	/* 0x800 clocks */
		pcmodel_run(m, 0x700);
		wr(CTRL, 1, QUAD | 1 << 21);	/* 0x400 clocks */
		pcmodel_run(m, 0xff);
		assert_int_equal(sig_level(1, 0xed), !restart);
		pcmodel_run(m, 0x300);
		assert_int_equal(sig_level(1, 0xed), restart);
		wr(GCTRL, 0, 0x10);
		assert_int_equal(sig_level(1, 0xed), 0);
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

/* hw:ambiguities/27: G80's register at +0x0e; from G84 on it is WRCACHE_FLUSH */
TEST(test_flush_quirk)
{
	for (unsigned int flush = 0; flush < 2; flush++) {
		chip(0x50);
		m->quirks.flush_0e = flush;
		say("signal 1 0xee const 1");
		assert_int_equal(sig_level(1, 0xee), flush);
	}
	gt215();
	say("signal 1 0xee const 1");
	assert_int_equal(sig_level(1, 0xee), 1);
}

/*
 * hw:real-cards/n1: a pulse in domain 0 for each register read (0x22), write
 * (0x2f), and either (0x2e), the same clock by clock and in words
 */
TEST(test_accesses)
{
	unsigned int i;

	for (unsigned int stepping = 0; stepping < 2; stepping++) {
		chip(0x84);
		m->stepping = stepping;
		wr(START_SRC, 0, 0x22);
		wr(EVENT_SRC, 0, 0x2f);
		wr(STOP_SRC, 0, 0x2e);
		wr(START_OP, 0, SOURCE_0);
		wr(EVENT_OP, 0, SOURCE_0);
		wr(STOP_OP, 0, SOURCE_0);
		wr(CTRL, 0, QUAD);
		pcmodel_run(m, 100);
		wr(PRE_OP, 0, 0);
		for (i = 0; i < 70; i++)
			rd(CTR_CYCLES, 0);
		pcmodel_run(m, 30);
		for (i = 0; i < 200; i++)
			wr(SETFLAG_OP, 0, 0);
		rd(CTR_CYCLES, 0);
		pcmodel_run(m, 1000);
		wr(PRE_OP, 0, 0);
		assert_int_equal(rd(CTR_START, 0), 71);
		/*
		 * the period includes the event that begins it, and excludes the event
		 * that ends it
		 */
		assert_int_equal(rd(CTR_EVENT, 0), 201);
		assert_int_equal(rd(CTR_STOP, 0), 272);
	}
	/* a scenario overrides the signal */
	say("signal 0 0x22 const 1");
	assert_int_equal(sig_level(0, 0x22), 1);
	pcmodel_run(m, 1000);
	assert_int_equal(sig_level(0, 0x22), 1);
}

/* hw:signals: bit 17 of the time, 131 us at 0 and 131 at 1, in words as clock by clock */
TEST(test_ptimer)
{
	for (unsigned int stepping = 0; stepping < 2; stepping++) {
		chip(0x84);
		assert_int_equal(pcmodel_set_clock(m, 0, 27, 10), 0);
		m->stepping = stepping;
		m->ptimer = 0x2c;
		wr(START_SRC, 0, 0x2c);
		wr(START_OP, 0, SOURCE_0);
		wr(CTRL, 0, QUAD);
		wr(PRE_OP, 0, 0);
		for (unsigned int i = 0; i < 40; i++) {
			pcmodel_run(m, 65);
			assert_int_equal(sig_level(0, 0x2c),
					 pcmodel_rd32(m, 0x9400) >> 17 & 1);
		}
		wr(PRE_OP, 0, 0);
		/* 2600 us are 9.9 periods of 262 us */
		assert_in_range(rd(CTR_START, 0), 1289 * 27 / 10 - 3, 1290 * 27 / 10 + 3);
	}
}

/*
 * hw:inputs/src-status: bits 0-3 PRE, 4-7 START, 8-11 EVENT, 12-15 STOP sources
 */
TEST(test_src_status)
{
	gt215();
	say("signal 1 0x30 const 1");
	wr(PRE_SRC, 1, 0x30);
	wr(START_SRC, 1, 0x3000);
	wr(EVENT_SRC, 1, 0x300000);
	wr(STOP_SRC, 1, 0x30000000);
	assert_int_equal(rd(SRC_STATUS, 1), 1 << 0 | 1 << 5 | 1 << 10 | 1 << 15);
}

/* hw:registers/nv40: SIG_STATUS word i holds signals 32i to 32i + 31 */
TEST(test_sig_status)
{
	gt215();
	say("signal 1 0x43 const 1");
	assert_int_equal(pcmodel_rd32(m, WINDOW + SIG_STATUS + 0x20 + 2 * 4), 8);
}

/* hw:ambiguities/9, hw:ambiguities/11, hw:ambiguities/13, hw:ambiguities/7 */
TEST(test_small_quirks)
{
	unsigned int ones = 0;

	chip(0x84);
	for (int i = 0; i < 64; i++, pcmodel_run(m, 7))
		assert_int_equal(sig_level(0, 0xf0), 0);
	assert_int_equal(rd(0x5a0, 0), 0);
	say("quirk junk 1");
	assert_int_not_equal(rd(0x5a0, 0), 0);
	for (int i = 0; i < 64; i++, pcmodel_run(m, 7))
		ones += sig_level(0, 0xf0);
	assert_in_range(ones, 1, 63);

	for (unsigned int quirk = 0; quirk < 2; quirk++) {
		gt215();
		m->quirks.self_event = quirk;
		/* EVENT = not its own last value: every other clock, or always */
		wr(EVENT_SRC, 1, EVENT_OF(1));
		wr(EVENT_OP, 1, 0x5555);
		wr(PRE_OP, 1, 0);
		pcmodel_run(m, 100);
		wr(PRE_OP, 1, 0);
		assert_int_equal(rd(CTR_EVENT, 1), quirk ? 100 : 50);

		gt215();
		m->quirks.periodic_phase = quirk ? 1000 : 0;
		wr(CTRL, 1, QUAD | 1 << 21);
		wr(GCTRL, 0, 0x10);
		wr(GCTRL, 0, 0);
		pcmodel_run(m, 23);
		assert_int_equal(sig_level(1, 0xed), quirk);
		/* held in reset just before its pulse it does not pulse */
		m->quirks.periodic_phase = quirk ? 1023 : 0;
		wr(GCTRL, 0, 0x10);
		assert_int_equal(sig_level(1, 0xed), 0);
		wr(GCTRL, 0, 0);
		assert_int_equal(sig_level(1, 0xed), quirk);

		chip(0x40);
		m->quirks.spec_src = quirk;
		wr(SPEC_SRC, 1, 0x12);
		assert_int_equal(rd(SPEC_SRC, 1), quirk ? 0x12 : 0);
	}
}

int main(void)
{
	return unit_run(new_model, free_model);
}
