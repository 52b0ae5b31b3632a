// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two simulations of time must agree: clock by clock, and 64 clocks at a time. Random
 * programs on random chips; all visible and hidden state is compared.
 */
#include "twin_test.h"

#define PROGRAMS	300
#define STEPS		12

static void both_write(uint32_t addr, uint32_t val)
{
	pcmodel_wr32(m, addr, val);
	pcmodel_wr32(other, addr, val);
}

static void random_signal(void)
{
	unsigned int dom = rnd(m->domains), sig = rnd(8) * 4;
	uint32_t period = 1 + rnd(rnd(2) ? 12 : 300);

	switch (rnd(4)) {
	case 0:
		both_say("signal %u %u const %u", dom, sig, rnd(2));
		break;
	case 1:
		both_say("signal %u %u duty %u/%u phase %u", dom, sig, rnd(period + 1), period,
			 rnd(1000));
		break;
	case 2:
		both_say("signal %u %u random %u/65536 seed %u", dom, sig, rnd(65537), rnd(1000));
		break;
	default:
		/* storage for bits is small */
		if (m->bits_used <= 60)
			both_say("signal %u %u bits 0110%u%u011%u", dom, sig, rnd(2), rnd(2),
				 rnd(2));
	}
}

/* Share of sources in the trailer, which differs between programs; 0: none. */
static unsigned int trailer_share;

static uint32_t random_source(unsigned int dom)
{
	if (trailer_share && !rnd(trailer_share))
		return m->dom[dom].trailer + rnd(0x20);
	return rnd(8) * 4;
}

static void random_register(void)
{
	static const unsigned int src[] = { PRE_SRC, START_SRC, EVENT_SRC, STOP_SRC };
	static const unsigned int op[] = {
		PRE_OP, START_OP, EVENT_OP, STOP_OP, SETFLAG_OP, CLRFLAG_OP,
	};
	static const uint32_t tables[] = {
		0xaaaa, 0x8888, 0x6666, 0xcccc, 0xf0f0, 0xff00, 0x5555, 0xffff, 0,
	};
	unsigned int dom = rnd(m->domains);
	uint32_t base = WINDOW + dom * 4;

	switch (rnd(12)) {
	case 10:
		both_write(WINDOW + (rnd(2) ? GCTRL : USER_TRIGGER + dom * 4),
			   rnd(2) ? 0x10 : rnd(16));
		break;
	case 11:
		/* a single mode process from its beginning */
		both_write(base + CTRL, rnd(5) << 4 | rnd(2) << 8);
		both_write(base + CTR_PRE, rnd(3));
		both_write(base + CTR_STOP, rnd(4));
		both_write(base + PRE_OP, tables[rnd(9)]);
		break;
	case 0:
	case 1:
	case 2:
		both_write(base + src[rnd(4)],
			   random_source(dom) | random_source(dom) << 8 |
			   random_source(dom) << 16 | random_source(dom) << 24);
		break;
	case 3:
	case 4:
	case 5:
		both_write(base + op[rnd(6)], tables[rnd(9)] | rnd(32) << 16);
		break;
	case 6:
		both_write(base + CTRL, (rnd(4) ? QUAD : SINGLE) | rnd(5) << 4 |
			   rnd(2) << 8 | rnd(2) << 11 | rnd(2) << 13 | rnd(3) << 21);
		break;
	case 7:
		both_write(base + SPEC_SRC,
			   rnd(3) ? m->dom[dom].trailer + 0xcu :
			   random_source(dom));
		break;
	case 8:
		both_write(rnd(2) ? DEBUG_1 : base + QUAD_ACK,
			   rnd(2) ? 0x20 : 1);
		break;
	default:
		both_write(base + (rnd(2) ? THRESHOLD : CTR_STOP), rnd(50));
	}
}

/* Scripts point into the model itself, the rest must be identical. */
static void assert_same(unsigned int program)
{
	for (unsigned int d = 0; d < m->domains; d++) {
		struct pcmodel_domain *a = &m->dom[d], *b = &other->dom[d];

		for (unsigned int s = 0; s < PCMODEL_SIGNALS; s++)
			if (a->sig[s].bits)
				b->sig[s].bits = a->sig[s].bits;
		if (memcmp(a, b, sizeof(*a)))
			fail_msg("program %u, domain %u differs", program, d);
	}
	assert_int_equal(m->time, other->time);
}

static const char *const quirks[] = {
	"single_restart", "start_cycle", "no_stop_cycle", "junk", "prev_new",
	"self_event", "pulse_keep", "pulse_early", "periodic_phase",
	"periodic_restart", "quad_clear", "quad_state_reset", "flush_0e",
};

#define QUIRKS	(sizeof(quirks) / sizeof(*quirks))

TEST(test_skipping_equals_stepping)
{
	static const uint32_t chips[] = { 0x40, 0x50, 0x84, 0x98, 0xa3 };
	uint64_t skipped = 0, clocks = 0;

	for (unsigned int program = 0; program < PROGRAMS; program++) {
		uint32_t chipset = chips[program % 5];

		rng = program;
		assert_int_equal(pcmodel_init(m, chipset), 0);
		assert_int_equal(pcmodel_init(other, chipset), 0);
		other->stepping = true;
		if (rnd(2)) {
			uint32_t seed = rnd(1000);

			pcmodel_garbage(m, seed);
			pcmodel_garbage(other, seed);
		}
		if (rnd(2))
			both_say("clock %u %u/%u", rnd(m->domains), rnd(5), 1 + rnd(4));
		if (!rnd(4))
			both_say("quirk swap_latency 3");
		if (!rnd(4))
			both_say("quirk write_delay 2");
		for (unsigned int i = rnd(3); i; i--)
			both_say("quirk %s 1", quirks[rnd(QUIRKS)]);
		trailer_share = program % 3 ? program % 3 * 30 - 22 : 0;
		for (unsigned int i = 0; i < 25; i++)
			random_signal();
		for (unsigned int d = 0; d < m->domains; d++) {
			/* park the swaps, or nothing would ever be skipped */
			both_write(WINDOW + SPEC_SRC + d * 4,
				   (m->chip->trailer[d] << 4) + 0xc);
			both_write(WINDOW + CTRL + d * 4, QUAD);
			for (unsigned int s = 0; s < 4; s++)
				both_write(WINDOW + PRE_SRC + s * 0x40 + d * 4,
					   rnd(8) * 4);
		}
		for (unsigned int i = 0; i < STEPS; i++) {
			for (unsigned int k = rnd(3); k; k--)
				random_register();
			pcmodel_run(m, 1 + i * 53);
			pcmodel_run(other, 1 + i * 53);
			assert_same(program);
		}
		skipped += m->skipped;
		for (unsigned int d = 0; d < m->domains; d++)
			clocks += m->dom[d].cycle;
	}
	/* the fast path must have been taken often, but not always */
	assert_in_range(skipped, clocks / 5, clocks * 9 / 10);
}

/* ---- the other layouts: the same clocks behind other registers ---- */

static const uint32_t gf100_blocks[] = {
	0x1b0000, 0x1b0200, 0x1b0400, 0x1b0600, 0x1b0800, 0x1b0a00, 0x1b0c00,
	0x1b0e00, 0x181000, 0x183000, 0x1a0000, 0x1a0200, 0x1a2000, 0x1a2200,
};

static uint32_t random_sources(unsigned int dom)
{
	return random_source(dom) | random_source(dom) << 8 |
	       random_source(dom) << 16 | random_source(dom) << 24;
}

static void random_nv10_register(void)
{
	unsigned int dom = rnd(m->domains);
	uint32_t base = WINDOW + dom * 0x100;

	switch (rnd(8)) {
	case 0:
	case 1:
		both_write(base + 0x400 + rnd(6) * 8, random_sources(dom));
		break;
	case 2:
	case 3:
		both_write(base + 0x404 + rnd(6) * 8, rnd(0x10000) | rnd(4) << 16);
		break;
	case 4:
		/* a process from its beginning */
		both_write(base + 0x620, rnd(3));
		both_write(base + 0x624, rnd(4));
		both_write(base + 0x404, rnd(2) ? 0xffff : 0xaaaa);
		break;
	case 5:
		both_write(WINDOW + 0x73c, rnd(2) << 2 | rnd(4) << 8 | rnd(2) << 16 |
			   rnd(2) << 18);
		break;
	case 6:
		both_write(rnd(2) ? DEBUG_1 : WINDOW + 0x738, rnd(2) ? 0x20 : 0x101);
		break;
	default:
		both_write(base + 0x628, rnd(50));
	}
}

static void random_gf100_register(void)
{
	unsigned int dom = rnd(m->domains);
	uint32_t base = gf100_blocks[dom];

	switch (rnd(8)) {
	case 0:
	case 1:
		both_write(base + 0x40 + rnd(4) * 8, random_sources(dom));
		break;
	case 2:
	case 3:
		both_write(base + (rnd(3) ? 0x44 + rnd(4) * 8 : 0x60 + rnd(2) * 4),
			   rnd(0x10000) | rnd(4) << 16);
		break;
	case 4:
		both_write(base + 0x6c, rnd(3) ? m->dom[dom].trailer + 0x27u :
						 random_source(dom));
		break;
	case 5:
		both_write(base + 0x9c, (rnd(5) ? 2 : 0) | rnd(5) << 3 | rnd(4) << 7 |
			   rnd(3) << 21);
		break;
	case 6:
		both_write(base + 0xec, rnd(256));
		break;
	default:
		both_write(base + 0xa0, 1);
	}
}

TEST(test_other_layouts)
{
	static const uint32_t chips[] = { 0x10, 0x15, 0x20, 0x31, 0xc0 };
	uint64_t skipped = 0;

	for (unsigned int program = 0; program < PROGRAMS / 2; program++) {
		uint32_t chipset = chips[program % 5];

		rng = program;
		assert_int_equal(pcmodel_init(m, chipset), 0);
		assert_int_equal(pcmodel_init(other, chipset), 0);
		other->stepping = true;
		if (rnd(2)) {
			pcmodel_garbage(m, program);
			pcmodel_garbage(other, program);
		}
		trailer_share = program % 3 ? 40 : 0;
		for (unsigned int i = 0; i < 25; i++)
			random_signal();
		for (unsigned int i = 0; i < STEPS; i++) {
			for (unsigned int k = rnd(4); k; k--) {
				if (chipset == 0xc0)
					random_gf100_register();
				else
					random_nv10_register();
			}
			pcmodel_run(m, 1 + i * 53);
			pcmodel_run(other, 1 + i * 53);
			assert_same(program);
		}
		skipped += m->skipped;
	}
	assert_true(skipped > 100000);
}

/* A word of a script equals its levels, a count their sum. */
TEST(test_scripts)
{
	for (unsigned int i = 0; i < 2000; i++) {
		uint64_t bits[2] = { 0x123456789abcdef1ULL, 0x5ULL }, from, word, sum = 0;
		struct pcmodel_script s = { .bits = bits, .nbits = 70 };

		rng = i;
		s.kind = rnd(4);
		s.level = rnd(2);
		s.period = 1 + rnd(200);
		s.high = rnd(s.period + 1);
		s.phase = rnd(500);
		s.share = rnd(65537);
		s.seed = i;
		from = rnd(100000);
		word = pcmodel_script_word(&s, from);
		for (unsigned int c = 0; c < 64; c++)
			assert_int_equal(word >> c & 1,
					 pcmodel_script_level(&s, from + c));
		for (unsigned int c = 0; c < 300; c++) {
			assert_int_equal(pcmodel_script_count(&s, from, from + c), sum);
			sum += pcmodel_script_level(&s, from + c);
		}
	}
}

#define HUGE	30000000
#define MOST	50000

/* A machine on which each cycle takes a nanosecond; 0: they take no time. */
static u64 most_ns, began;

static bool is_late(void *ctx)
{
	return most_ns && m->time - began >= most_ns;
}

/* Work that exceeds the time limit waits, and nothing else changes. */
TEST(test_time_runs_out)
{
	u64 left;

	assert_int_equal(pcmodel_init(m, 0x84), 0);
	assert_int_equal(pcmodel_init(other, 0x84), 0);
	both_say("signal 1 0x10 random 20000/65536 seed 3");
	both_write(WINDOW + CTRL + 4, QUAD);
	both_write(WINDOW + EVENT_SRC + 4, 0x10);
	both_write(WINDOW + EVENT_OP + 4, SOURCE_0);
	began = m->time;
	most_ns = MOST;
	left = pcmodel_run_some(m, HUGE, is_late, NULL);
	assert_in_range(HUGE - left, MOST, 2 * MOST + 1024);
	pcmodel_run(other, HUGE - left);
	most_ns = 0;
	assert_int_equal(pcmodel_run_some(m, left, is_late, NULL), 0);
	pcmodel_run(other, left);
	assert_int_equal(m->time, other->time);
	both_write(WINDOW + PRE_OP + 4, 0);
	assert_int_equal(rd(CTR_EVENT, 1), pcmodel_rd32(other, WINDOW + CTR_EVENT + 4));
	assert_int_not_equal(rd(CTR_EVENT, 1), 0);
}

int main(void)
{
	return unit_run(two_models, free_both);
}
