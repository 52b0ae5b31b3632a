// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nv10-pcounter layout of the model. Register offsets come from hw:registers/nv10;
 * each test names its clause.
 */
#include "model_test.h"

/* hw:registers/nv10: offsets of domain 0, domain 1 is at +0x100 */
#define N10_PRE_SRC	0x400
#define N10_PRE_OP	0x404
#define N10_START_SRC	0x408
#define N10_START_OP	0x40c
#define N10_EVENT_SRC	0x410
#define N10_EVENT_OP	0x414
#define N10_STOP_SRC	0x418
#define N10_STOP_OP	0x41c
#define N10_SETFLAG_SRC	0x420
#define N10_SETFLAG_OP	0x424
#define N10_CLRFLAG_SRC	0x428
#define N10_CLRFLAG_OP	0x42c
#define N10_STATUS_0	0x430
#define N10_CYCLES	0x600
#define N10_CYCLES_ALT	0x608
#define N10_EVENT	0x610
#define N10_START	0x618
#define N10_PRE		0x620
#define N10_STOP	0x624
#define N10_THRESHOLD	0x628
#define N10_STATUS_1	0x630
#define N10_CTRL	0x73c
#define HI		4

#define B4		0x4
#define ALL_0		0x100
#define ALL_1		0x200
#define QUAD_0		0x10000
#define QUAD_1		0x40000
#define BOTH_QUAD	(QUAD_0 | QUAD_1)
#define INACTIVE	0
#define WAIT_PRE	1
#define COUNTING	3

static const uint32_t one_domain[] = { 0x10, 0x15, 0x1f };
static const uint32_t every[] = {
	0x10, 0x15, 0x1f, 0x20, 0x25, 0x28, 0x2a, 0x30, 0x31, 0x34, 0x35, 0x36,
};

#define N(list)		(sizeof(list) / sizeof((list)[0]))

static void put(unsigned int reg, unsigned int dom, uint32_t val)
{
	pcmodel_wr32(m, WINDOW + reg + dom * 0x100, val);
}

static uint32_t get(unsigned int reg, unsigned int dom)
{
	return pcmodel_rd32(m, WINDOW + reg + dom * 0x100);
}

static uint64_t get40(unsigned int reg, unsigned int dom)
{
	return (uint64_t)get(reg + HI, dom) << 32 | get(reg, dom);
}

static void ctrl(uint32_t val)
{
	pcmodel_wr32(m, WINDOW + N10_CTRL, val);
}

static unsigned int state(unsigned int dom)
{
	return get(N10_CTRL, 0) >> (3 + 2 * dom) & 3;
}

static unsigned int errors(void)
{
	return m->lint.absent + m->lint.bits + m->lint.direction + m->lint.width;
}

/* One free-running period: 6.2's last lines. Counting begins two clocks later. */
static void count_freely(unsigned int dom, uint32_t sig, uint32_t op)
{
	put(N10_EVENT_SRC, dom, sig);
	put(N10_EVENT_OP, dom, op);
	put(N10_START_OP, dom, ALWAYS);
	put(N10_STOP_OP, dom, 0);
	put(N10_PRE_OP, dom, ALWAYS);
}

/*
 * hw:registers/nv10, hw:inputs/op: sources and ops of each domain keep their own bits,
 * and only these
 */
TEST(test_inputs_keep_their_bits)
{
	static const unsigned int src[] = {
		N10_PRE_SRC, N10_START_SRC, N10_EVENT_SRC, N10_STOP_SRC,
	};

	for (unsigned int i = 0; i < N(every); i++) {
		bool nv30 = every[i] >= 0x30;

		chip(every[i]);
		for (unsigned int dom = 0; dom < m->domains; dom++) {
			for (unsigned int k = 0; k < 4; k++) {
				put(src[k], dom, 0x12345678 + k + dom * 16);
				put(src[k] + 4, dom, 0x3ffff - k - dom * 16);
			}
			put(N10_SETFLAG_OP, dom, 0x31111);
			put(N10_CLRFLAG_OP, dom, 0x12222);
			for (unsigned int k = 0; k < 4; k++) {
				assert_int_equal(get(src[k], dom),
						 0x12345678 + k + dom * 16);
				assert_int_equal(get(src[k] + 4, dom),
						 0x3ffff - k - dom * 16);
			}
			assert_int_equal(get(N10_SETFLAG_OP, dom), 0x31111);
			assert_int_equal(get(N10_CLRFLAG_OP, dom), 0x12222);
		}
		assert_int_equal(errors(), 0);
		/* bit 18: SETFLAG as an argument, of EVENT and STOP, from NV30 on */
		put(N10_EVENT_OP, 0, 0x40000);
		put(N10_STOP_OP, 0, 0x40000);
		assert_int_equal(get(N10_EVENT_OP, 0), nv30 ? 0x40000 : 0);
		assert_int_equal(get(N10_STOP_OP, 0), nv30 ? 0x40000 : 0);
		assert_int_equal(m->lint.bits, nv30 ? 0 : 2);
		m->lint.bits = 0;
		put(N10_EVENT_OP, 0, 0x180000);
		put(N10_PRE_OP, 0, 0x40000);
		assert_int_equal(m->lint.bits, 2);
		assert_int_equal(get(N10_EVENT_OP, 0) | get(N10_PRE_OP, 0), 0);
	}
}

/*
 * hw:registers/nv10: NV10:NV30 have flag sources and high words, NV30 does not;
 * domain 1 from NV20
 */
TEST(test_registers_that_some_lack)
{
	static const unsigned int wide[] = {
		N10_SETFLAG_SRC, N10_CLRFLAG_SRC, N10_CYCLES + HI,
		N10_CYCLES_ALT + HI, N10_EVENT + HI, N10_START + HI,
		N10_THRESHOLD + HI,
	};

	for (unsigned int i = 0; i < N(every); i++) {
		chip(every[i]);
		for (unsigned int k = 0; k < N(wide); k++)
			get(wide[k], m->domains - 1);
		assert_int_equal(m->lint.absent, every[i] < 0x30 ? 0 : N(wide));
	}
	for (unsigned int i = 0; i < N(one_domain); i++) {
		chip(one_domain[i]);
		put(N10_EVENT_SRC, 1, 0x20);
		assert_int_equal(get(N10_EVENT_SRC, 1), 0);
		get(N10_CYCLES, 1);
		get(N10_STATUS_0, 1);
		assert_int_equal(m->lint.absent, 4);
	}
	/* no SRC_STATUS anywhere: its place in the other layout has no function */
	chip(0x30);
	get(SRC_STATUS, 0);
	assert_int_equal(m->lint.absent, 1);
}

/* hw:registers/nv10, hw:modes/single: a threshold of 40 bits on NV10:NV30 */
TEST(test_threshold_high)
{
	static const uint64_t sums[] = { 0xfffffffe, 0xffffffff };

	for (unsigned int i = 0; i < 2; i++) {
		chip(0x15);
		put(N10_THRESHOLD, 0, 0);
		put(N10_THRESHOLD + HI, 0, 1);
		assert_int_equal(get40(N10_THRESHOLD, 0), 0x100000000);
		say("signal 0 0x10 const 1");
		say("signal 0 0x11 bits 0001000000000000");
		put(N10_STOP_SRC, 0, 0x11);
		count_freely(0, 0x10, SOURCE_0);
		put(N10_STOP_OP, 0, SOURCE_0);
		put(N10_PRE_OP, 0, ALWAYS);
		pcmodel_run(m, 3);
		m->dom[0].ctr[2] = sums[i];
		pcmodel_run(m, 1);
		assert_int_equal(state(0), INACTIVE);
		assert_int_equal(get40(N10_EVENT, 0), sums[i] + 1);
		assert_int_equal(get(N10_START, 0), i);
	}
	put(N10_THRESHOLD + HI, 0, 0x100);
	assert_int_equal(m->lint.bits, 1);
	assert_int_equal(get40(N10_THRESHOLD, 0), 0);
}

/* hw:registers/ctrl-nv10: which bits of CTRL each chip has */
TEST(test_ctrl_bits)
{
	for (unsigned int i = 0; i < N(every); i++) {
		uint32_t bits = B4;

		bits |= every[i] >= 0x15 ? ALL_0 : 0;
		bits |= every[i] >= 0x20 ? ALL_1 : 0;
		bits |= every[i] >= 0x30 ? BOTH_QUAD : 0;
		chip(every[i]);
		for (unsigned int k = 2; k < 32; k++) {
			bool read_only = (k >= 3 && k <= 6) || (k >= 24 && k <= 27);
			unsigned int before = m->lint.bits;

			ctrl(1U << k);
			assert_int_equal(get(N10_CTRL, 0), bits & 1U << k);
			assert_int_equal(m->lint.bits - before,
					 !(bits >> k & 1) && !read_only);
		}
		assert_int_equal(m->lint.tvout, 0);
		ctrl(2);
		ctrl(1);
		ctrl(0);
		assert_int_equal(m->lint.tvout, 2);
	}
}

/*
 * hw:modes/single: writes that end a process, and writes that do not; the other domain
 * continues
 */
TEST(test_writes_that_end_a_process)
{
	static const unsigned int ends[] = {
		N10_PRE_SRC, N10_START_SRC, N10_START_OP, N10_EVENT_SRC,
		N10_EVENT_OP, N10_STOP_SRC, N10_STOP_OP, N10_SETFLAG_SRC,
		N10_SETFLAG_OP, N10_CLRFLAG_SRC, N10_CLRFLAG_OP, N10_PRE, N10_STOP,
		N10_THRESHOLD, N10_THRESHOLD + HI,
	};

	for (unsigned int i = 0; i < N(ends); i++) {
		chip(0x28);
		for (unsigned int dom = 0; dom < 2; dom++)
			count_freely(dom, 0x10, SOURCE_0);
		pcmodel_run(m, 2);
		put(ends[i], 1, 0);
		assert_int_equal(state(1), INACTIVE);
		assert_int_equal(state(0), COUNTING);
		put(N10_PRE_OP, 0, ALWAYS);
		assert_int_equal(state(0), COUNTING);
		say("quirk single_restart 1");
		put(N10_PRE_OP, 0, ALWAYS);
		assert_int_equal(state(0), WAIT_PRE);
	}
}

/*
 * hw:registers/nv10: words 0-3 of a status at 0x430, words 4-7 at 0x630
 */
TEST(test_sig_status)
{
	chip(0x30);
	say("signal 0 0x05 const 1");
	say("signal 0 0x7f const 1");
	say("signal 0 0x80 const 1");
	say("signal 0 0xdf const 1");
	say("signal 1 0x1e const 1");
	say("signal 1 0xc3 const 1");
	say("signal 1 0xe4 const 1");
	assert_int_equal(get(N10_STATUS_0, 0), 0x20);
	assert_int_equal(get(N10_STATUS_0 + 4, 0), 0);
	assert_int_equal(get(N10_STATUS_0 + 12, 0), 0x80000000);
	assert_int_equal(get(N10_STATUS_1, 0), 1);
	assert_int_equal(get(N10_STATUS_1 + 8, 0), 0x80000000);
	assert_int_equal(get(N10_STATUS_0, 1), 0x40000000);
	ctrl(BOTH_QUAD);
	/* words 6 and 7 of domain 1 are QUAD_ACK and CTRL */
	assert_int_equal(get(N10_STATUS_1 + 12, 1), BOTH_QUAD);
	assert_int_equal(errors(), 0);
	assert_int_equal(get(N10_STATUS_1 + 8, 1), 0);
	assert_int_equal(m->lint.direction, 1);
}

/*
 * hw:signals/trailers: +0x1d is PM_TRIGGER from NV20 on, an ordinary signal
 * before
 */
TEST(test_pm_trigger_signal)
{
	static const struct {
		uint32_t chipset;
		unsigned int signal, pulses;
	} chips[] = {
		{ 0x15, 0x9d, 0 }, { 0x20, 0xbd, 1 }, { 0x31, 0xfd, 1 },
	};

	for (unsigned int i = 0; i < N(chips); i++) {
		chip(chips[i].chipset);
		count_freely(0, chips[i].signal, SOURCE_0);
		pcmodel_run(m, 10);
		trigger();
		pcmodel_run(m, 10);
		assert_int_equal(get(N10_EVENT, 0), chips[i].pulses);
	}
}

/* Leftovers of a former user have no TV-out bits; ops and CTRL have no foreign ones. */
TEST(test_garbage)
{
	for (unsigned int i = 0; i < N(every); i++) {
		uint32_t seen = 0, op = 0, top = 0;

		for (unsigned int seed = 1; seed < 40; seed++) {
			chip(every[i]);
			pcmodel_garbage(m, seed);
			seen |= get(N10_CTRL, 0);
			op |= get(N10_START_OP, m->domains - 1);
			top |= every[i] < 0x30 ? get(N10_EVENT + HI, 0) : 0xff;
			assert_int_equal(errors() + m->lint.tvout, 0);
		}
		assert_int_equal(seen & 3, 0);
		assert_int_equal(seen & B4, B4);
		assert_int_equal(seen & BOTH_QUAD, every[i] >= 0x30 ? BOTH_QUAD : 0);
		assert_int_equal(op, 0x3ffff);
		assert_int_equal(top, 0xff);
	}
}

int main(void)
{
	return unit_run(new_model, free_model);
}
