// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode clock by clock and 64 clocks at a time: the same packets at the same
 * places, the same state. Random programs.
 */
#include "memory_test.h"
#include "twin_test.h"

#define PROGRAMS	60
#define STEPS		10

static uint8_t other_ram[RAM_SIZE];

static void both_write(unsigned int reg, unsigned int dom, uint32_t val)
{
	wr(reg, dom, val);
	pcmodel_wr32(other, WINDOW + reg + dom * 4, val);
}

static void random_signal(unsigned int dom, unsigned int sig)
{
	uint32_t period = 1 + rnd(rnd(2) ? 40 : 3000);

	switch (rnd(4)) {
	case 0:
	case 1:
		both_say("signal %u %u const %u", dom, sig, rnd(3) > 0);
		break;
	case 2:
		both_say("signal %u %u duty %u/%u phase %u", dom, sig, rnd(period + 1), period,
			 rnd(1000));
		break;
	default:
		both_say("signal %u %u random %u/65536 seed %u", dom, sig, rnd(65537), rnd(1000));
	}
}

static void random_trigger(unsigned int dom)
{
	/* never, PERIODIC, a script, or always */
	both_write(STOP_SRC, dom, rnd(2) ? m->dom[dom].trailer + 0x0du : 0x40);
	both_write(STOP_OP, dom, rnd(3) ? SOURCE_0 : rnd(8) ? 0 : ALWAYS);
	both_say("signal %u 0x40 random %u/65536 seed %u", dom, rnd(rnd(3) ? 500 : 20000),
		 rnd(100));
}

static void random_buffer(unsigned int dom)
{
	uint32_t at = rnd(2) ? dom * 0x4000 + rnd(0x2000) * 16 % 0x1f000 : rnd(8) * 0x4000;

	if (!rnd(3))
		both_write(RECORD_LIMIT, dom, rnd(2) ? NEVER_LIMIT : at + rnd(0x100) * 16);
	both_write(RECORD_START, dom, at);
}

static void random_step(unsigned int dom)
{
	static const char *const acts[] = { "stall", "vanish", "rewrite", "fault" };

	switch (rnd(9)) {
	case 0:
	case 1:
		random_trigger(dom);
		break;
	case 2:
		random_signal(dom, rnd(12));
		break;
	case 3:
		both_write(CTRL, dom, (rnd(5) ? RECORD : rnd(2)) | rnd(8) << 21 |
			   (rnd(3) ? 0 : SHORT) | rnd(2) << 27);
		break;
	case 4:
	case 5:
		random_buffer(dom);
		break;
	case 6:
		both_write(GCTRL, 0, rnd(4) ? 0 : rnd(2) | rnd(2) << 4);
		break;
	case 7:
		both_say("record %u %s %u", dom, acts[rnd(rnd(6) ? 3 : 4)],
			 rnd(rnd(2) ? 4 : 5000) % 16);
		break;
	default:
		both_write(PRE_OP, dom, rnd(2) ? SOURCE_0 : ALWAYS);
	}
}

static const char *const quirks[] = {
	"record_stop_next 1", "record_bogus 1", "record_bogus 4", "position_early 1",
	"position_late 30", "position_late 900", "limit_last 1", "short_all 1",
	"wedge_record_only 1", "wedge_others 1", "dma_limit_exclusive 1",
	"record_latency 1", "record_latency 63", "record_latency 64",
	"record_latency 65", "record_latency 700", "record_latency 70000", "write_delay 3",
};

#define QUIRKS	(sizeof(quirks) / sizeof(*quirks))

/* Set up a model with a memory of its own, like set_up(). */
static void set_up_other(uint32_t chipset)
{
	const struct pcmodel_bus bus = {
		.read = ram_read, .write = ram_write, .ctx = other_ram,
	};

	memcpy(other_ram, ram, sizeof(ram));
	assert_int_equal(pcmodel_init(other, chipset), 0);
	pcmodel_set_bus(other, &bus);
	other->dma.audit = true;
	other->stepping = true;
	pcmodel_wr32(other, WINDOW + RECORD_DMA, SELECTOR);
	pcmodel_wr32(other, WINDOW + RECORD_CHAN,
		     CHAN >> 12 | SNOOPED << 28 | 1u << 31);
}

static void program(unsigned int number)
{
	static const uint32_t chips[] = { 0x84, 0x92, 0xa3 };
	unsigned int dom, i;

	rng = number;
	set_up(chips[number % 3]);
	set_up_other(chips[number % 3]);
	for (i = rnd(4); i; i--)
		both_say("quirk %s", quirks[rnd(QUIRKS)]);
	for (dom = 0; dom < 8; dom++) {
		/* three domains are enough for conflicts */
		both_say("clock %u %u/%u", dom, dom < 3 ? 1 + rnd(3) : 0, 1 + rnd(3));
		for (i = 0; i < 12; i++)
			random_signal(dom, i);
		both_write(SPEC_SRC, dom, m->dom[dom].trailer + 0xc);
		both_write(PRE_SRC, dom, 0x03020100);
		both_write(START_SRC, dom, 0x07060504);
		both_write(EVENT_SRC, dom, 0x0b0a0908);
		random_trigger(dom);
		both_write(CTRL, dom, RECORD | rnd(8) << 21);
		both_write(RECORD_LIMIT, dom, NEVER_LIMIT);
		random_buffer(dom);
	}
}

static void assert_same(unsigned int number)
{
	unsigned int dom;

	for (dom = 0; dom < 8; dom++) {
		if (memcmp(&m->rec[dom], &other->rec[dom], sizeof(m->rec[dom])))
			fail_msg("program %u, domain %u differs", number, dom);
		if (memcmp(&m->dom[dom], &other->dom[dom], sizeof(m->dom[dom])))
			fail_msg("program %u, quad or flag of domain %u differs", number, dom);
	}
	if (memcmp(&m->dma, &other->dma, sizeof(m->dma)))
		fail_msg("program %u: other traffic", number);
}

TEST(test_skipping_equals_stepping)
{
	uint64_t skipped = 0, clocks = 0, landed = 0, faults = 0;
	unsigned int number, i, k, dom;

	for (number = 0; number < PROGRAMS; number++) {
		program(number);
		for (i = 0; i < STEPS; i++) {
			uint32_t cycles = 1 + rnd(i == 5 && !(number % 4) ? 70000 : 2000);

			pcmodel_run(m, cycles);
			pcmodel_run(other, cycles);
			assert_same(number);
			for (k = rnd(3); k; k--)
				random_step(rnd(3));
		}
		/* buffers of domains overlap, so their order in memory is free */
		skipped += m->skipped;
		for (dom = 0; dom < 8; dom++) {
			clocks += m->dom[dom].cycle;
			landed += m->rec[dom].stats.landed;
			faults += m->rec[dom].wedged;
		}
	}
	assert_in_range(skipped, clocks / 4, clocks - clocks / 20);
	assert_true(landed > 2000);
	assert_in_range(faults, 5, PROGRAMS * 2);
}

/* With one domain, its packets in memory are identical. */
TEST(test_same_memory)
{
	unsigned int number, i, dom;

	for (number = 0; number < PROGRAMS / 2; number++) {
		program(number);
		for (dom = 1; dom < 8; dom++)
			both_say("clock %u 0/1", dom);
		for (i = 0; i < STEPS; i++) {
			uint32_t cycles = 1 + rnd(i == 5 && !(number % 4) ? 100000 : 2000);

			pcmodel_run(m, cycles);
			pcmodel_run(other, cycles);
			random_step(0);
		}
		assert_memory_equal(ram, other_ram, sizeof(ram));
	}
}

/* Hours of a constant signal, which only the fast path can simulate in time. */
TEST(test_long_runs)
{
	set_up(0x84);
	say("signal 1 0 const 1");
	wr(CTRL, 1, RECORD);
	wr(RECORD_LIMIT, 1, NEVER_LIMIT);
	wr(RECORD_START, 1, 0);
	pcmodel_run(m, 0xf000 * 500ULL);
	assert_int_equal(position(1), 500 * 32);
	assert_int_equal(packet_cycles(BUFFER + 499 * 32), 0xf000 * 500ULL);
	assert_true(m->skipped > 0xf000 * 490ULL);
}

/* Packets without clocks in between, up to LIMIT. */
TEST(test_flow)
{
	const uint32_t clocks = 1024, last = 200 * 32;
	unsigned int i;

	set_up(0x84);
	say("signal 1 0 const 1");
	wr(CTRL, 1, RECORD | 1 << 21);
	wr(RECORD_LIMIT, 1, last);
	wr(RECORD_START, 1, 0);
	assert_false(pcmodel_record_flow(m, 2, 100));
	for (i = 0; i < 3; i++)
		assert_true(pcmodel_record_flow(m, 1, 60));
	assert_int_equal(position(1), 180 * 32);
	assert_true(pcmodel_record_flow(m, 1, 60));
	assert_int_equal(position(1), last + 32);
	for (i = 0; i <= last / 32; i++) {
		assert_int_equal(packet_cycles(BUFFER + i * 32), (i + 1) * clocks);
		assert_int_equal(packet_stop(BUFFER + i * 32), 1);
		assert_int_equal(packet_ctr(BUFFER + i * 32, 0), clocks);
	}
}

int main(void)
{
	return unit_run(two_models, free_both);
}
