// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode: the counts, the time of a packet, its contents and its destination
 * (hw:modes/record, hw:memory/packets, hw:memory/alias).
 */
#include <errno.h>

#include "memory_test.h"

#define DOM		1

/* Twelve signals, one for each counter; 0x40 is the STOP input. */
static void wire(unsigned int dom)
{
	wr(PRE_SRC, dom, 0x03020100);
	wr(START_SRC, dom, 0x07060504);
	wr(EVENT_SRC, dom, 0x0b0a0908);
	wr(STOP_SRC, dom, 0x40);
	wr(STOP_OP, dom, SOURCE_0);
}

static void start(uint32_t chipset)
{
	set_up(chipset);
	wire(DOM);
}

/* Pulse STOP in every @period'th clock, for the first time in clock @period. */
static void stop_every(unsigned int dom, unsigned int period)
{
	say("signal %u 0x40 duty 1/%u phase %u", dom, period,
	    (unsigned int)(1 + period - pcmodel_cycle(m, dom) % period));
}

static uint64_t packet(unsigned int n)
{
	return BUFFER + 32 * n;
}

TEST(test_packet_layout)
{
	unsigned int i, k;

	start(0x84);
	for (i = 0; i < 12; i++)
		say("signal 1 %u duty %u/100", i, i * 7 + 1);
	stop_every(DOM, 100);
	record(DOM, 0x40, NEVER_LIMIT, 0);
	pcmodel_run(m, 1000);
	assert_int_equal(position(DOM), 0x40 + 10 * 32);
	for (i = 0; i < 10; i++) {
		uint64_t p = BUFFER + 0x40 + 32 * i;

		assert_int_equal(packet_cycles(p), 100 * (i + 1));
		assert_int_equal(packet_stop(p), 1);
		for (k = 0; k < 12; k++)
			assert_int_equal(packet_ctr(p, k), k * 7 + 1);
	}
	assert_int_equal(packet_cycles(BUFFER + 0x40 + 320), 0);
	assert_int_equal(packet_cycles(BUFFER), 0);
}

/* "requested when STOP input is 1, or when any event counter is >= 0xf000" */
TEST(test_trigger)
{
	unsigned int i;

	for (i = 0; i < 12; i++) {
		start(0x92);
		say("signal 1 %u const 1", i);
		record(DOM, 0, NEVER_LIMIT, 0);
		pcmodel_run(m, 0xefff);
		assert_int_equal(position(DOM), 0);
		pcmodel_run(m, 1);
		assert_int_equal(position(DOM), 32);
		assert_int_equal(packet_ctr(packet(0), i), 0xf000);
		assert_int_equal(packet_ctr(packet(0), (i + 1) % 12), 0);
		assert_int_equal(packet_stop(packet(0)), 0);
		assert_int_equal(packet_cycles(packet(0)), 0xf000);
	}
}

TEST(test_saturation)
{
	start(0x84);
	say("signal 1 0 const 1");
	say("signal 1 1 duty 1/2");
	say("quirk record_latency 70000");
	record(DOM, 0, NEVER_LIMIT, 0);
	pcmodel_run(m, 61440 + 70000 + 70000);
	assert_int_equal(packet_ctr(packet(0), 0), 61440);
	assert_int_equal(packet_cycles(packet(1)), 61440 + 70000);
	assert_int_equal(packet_ctr(packet(1), 0), 0xffff);
	assert_int_equal(packet_ctr(packet(1), 1), 35000);
	assert_int_equal(m->rec[DOM].stats.saturated, 2);

	start(0x84);
	say("signal 1 0x40 const 1");
	say("quirk record_latency 5000");
	record(DOM, 0, NEVER_LIMIT, 0);
	pcmodel_run(m, 10001);
	assert_int_equal(packet_stop(packet(0)), 1);
	assert_int_equal(packet_stop(packet(1)), 0xfff);
	assert_int_equal(packet_cycles(packet(1)), 5001);
}

/* "while one is pending, further requests merge into later packets" */
TEST(test_merging)
{
	static const struct { unsigned int cycles, stop; } expected[] = {
		{ 100, 1 }, { 350, 2 }, { 600, 3 }, { 850, 2 },
	};
	unsigned int i;

	start(0x84);
	say("signal 1 5 const 1");
	say("quirk record_latency 250");
	stop_every(DOM, 100);
	record(DOM, 0, NEVER_LIMIT, 0);
	pcmodel_run(m, 349);
	assert_int_equal(packet_cycles(packet(0)), 0);
	pcmodel_run(m, 1);
	assert_int_equal(packet_cycles(packet(0)), 100);
	pcmodel_run(m, 750);
	for (i = 0; i < 4; i++) {
		assert_int_equal(packet_cycles(packet(i)), expected[i].cycles);
		assert_int_equal(packet_stop(packet(i)), expected[i].stop);
		assert_int_equal(packet_ctr(packet(i), 5), i ? 250 : 100);
	}
	/* the packet of clock 1100 is under way */
	assert_int_equal(m->rec[DOM].stats.sent, 5);
	assert_int_equal(m->rec[DOM].stats.landed, 4);
	assert_int_equal(m->rec[DOM].stats.merged, 1 + 2 + 1 + 2);
}

/* "after a packet is written at an address >= LIMIT ..." */
TEST(test_limit)
{
	start(0x84);
	stop_every(DOM, 10);
	record(DOM, 0, 0x60, 0);
	pcmodel_run(m, 100);
	assert_int_equal(position(DOM), 0x80);	/* 0, 0x20, 0x40, 0x60 */
	assert_int_equal(m->rec[DOM].stats.dropped, 6);
	assert_int_equal(packet_cycles(packet(4)), 0);

	/* one packet always succeeds; the cycle counter restarts */
	wr(RECORD_START, DOM, 0x200);
	pcmodel_run(m, 100);
	assert_int_equal(position(DOM), 0x220);
	assert_int_equal(packet_cycles(BUFFER + 0x200), 10);

	/* a dropped packet is lost */
	say("signal 1 0 const 1");
	wr(RECORD_LIMIT, DOM, NEVER_LIMIT);
	pcmodel_run(m, 55);
	wr(RECORD_START, DOM, 0x400);
	pcmodel_run(m, 5);
	assert_int_equal(packet_ctr(BUFFER + 0x400, 0), 5);
}

/* "only if the domain is already in record mode, clears the counters" */
TEST(test_start_clears)
{
	start(0x84);
	say("signal 1 0 const 1");
	stop_every(DOM, 100);
	record(DOM, 0, NEVER_LIMIT, 0);
	pcmodel_run(m, 150);
	wr(RECORD_START, DOM, 0x400);
	assert_int_equal(position(DOM), 0x400);
	assert_int_equal(rd(RECORD_START, DOM), 0x400);
	pcmodel_run(m, 50);
	assert_int_equal(packet_ctr(BUFFER + 0x400, 0), 50);
	assert_int_equal(packet_cycles(BUFFER + 0x400), 50);
	assert_int_equal(packet_stop(BUFFER + 0x400), 1);
	/* outside of it the cycle counter stands still, as the bogus packet shows */
	wr(CTRL, DOM, QUAD);
	pcmodel_run(m, 1000);
	wr(RECORD_START, DOM, 0x800);
	wr(CTRL, DOM, RECORD);
	pcmodel_run(m, 1);
	assert_int_equal(packet_cycles(BUFFER + 0x800), 51);
}

/* "forces all record counters of all domains to 0" */
TEST(test_record_reset)
{
	unsigned int dom;

	start(0x84);
	wire(2);
	for (dom = 1; dom <= 2; dom++) {
		stop_every(dom, 100);
		record(dom, dom * 0x1000, NEVER_LIMIT, 0);
	}
	say("signal 1 0 const 1");
	say("signal 2 0 const 1");
	pcmodel_run(m, 150);
	wr(GCTRL, 0, RECORD_RESET);
	pcmodel_run(m, 200);	/* with two STOPs */
	assert_int_equal(position(1), 0x1020);
	assert_int_equal(rd(GCTRL, 0), RECORD_RESET);
	wr(GCTRL, 0, 0);
	pcmodel_run(m, 50);
	for (dom = 1; dom <= 2; dom++) {
		assert_int_equal(packet_cycles(BUFFER + dom * 0x1000 + 32), 50);
		assert_int_equal(packet_ctr(BUFFER + dom * 0x1000 + 32, 0), 50);
	}
}

TEST(test_short)
{
	start(0x84);
	say("signal 1 3 const 1");
	say("signal 1 4 const 1");
	stop_every(DOM, 100);
	record(DOM, 0x10, NEVER_LIMIT, SHORT);
	pcmodel_run(m, 200);
	assert_int_equal(position(DOM), 0x30);
	assert_int_equal(packet_cycles(BUFFER + 0x20), 200);
	assert_int_equal(packet_ctr(BUFFER + 0x20, 3), 100);
	assert_int_equal(packet_cycles(BUFFER + 0x30), 0);
}

/* Eight directory entries that share a table: 4 GiB of the same 128 KiB */
static void endless(unsigned int first)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		set_pde(first + i, TABLE | PDE_SMALL);
	for (i = 32; i < 0x20000; i++)
		set_pte(i, (BUFFER + i % 32 * 0x1000) | PTE_SYSTEM);
}

/* "Position is 32 bits and wraps at 4 GiB without carry" */
TEST(test_wrap)
{
	static const uint32_t chips[] = { 0x84, 0x92, 0xa3 };
	unsigned int i, k;

	for (i = 0; i < 3; i++) {
		bool high = chips[i] != 0x84;

		start(chips[i]);
		endless(high ? 0x18 : 0);
		if (high)
			wr(RECORD_HIGH, DOM, 3);
		stop_every(DOM, 10);
		record(DOM, 0xffffffa0, NEVER_LIMIT, 0);
		pcmodel_run(m, 60);
		assert_int_equal(faulted(DOM), 0);
		assert_int_equal(position(DOM), 0x60);
		for (k = 0; k < 6; k++)
			assert_int_equal(packet_cycles(BUFFER + (0x1ffa0 + 32 * k) % 0x20000),
					 10 * (k + 1));
		assert_int_equal(high ? rd(RECORD_HIGH, DOM) : 3, 3);
	}
	/* SHORT packets reach LIMIT */
	start(0x92);
	endless(0);
	stop_every(DOM, 10);
	record(DOM, 0xffffffc0, NEVER_LIMIT, SHORT);
	pcmodel_run(m, 100);
	assert_int_equal(position(DOM), 0);
	assert_int_equal(m->rec[DOM].stats.landed, 4);
}

/* Each domain has its own start, limit and position. */
TEST(test_domains)
{
	unsigned int dom;

	set_up(0x84);
	say("clock 3 1/2");
	for (dom = 0; dom < 8; dom++) {
		wire(dom);
		say("signal %u %u const 1", dom, dom);
		stop_every(dom, 100 + dom);
		record(dom, dom * 0x2000, dom * 0x2000 + 0x1000, 0);
	}
	pcmodel_run(m, 5000);
	for (dom = 0; dom < 8; dom++) {
		unsigned int n = (dom == 3 ? 2500 : 5000) / (100 + dom);
		uint64_t last = BUFFER + dom * 0x2000 + (n - 1) * 32;

		assert_int_equal(position(dom), dom * 0x2000 + n * 32);
		assert_int_equal(packet_cycles(last), n * (100 + dom));
		assert_int_equal(packet_ctr(last, dom), 100 + dom);
		assert_int_equal(packet_ctr(last, (dom + 1) % 8), 0);
	}
}

/* Set a new buffer while a packet is under way to the old one */
TEST(test_restart_under_way)
{
	start(0x84);
	say("quirk record_latency 50");
	stop_every(DOM, 100);
	record(DOM, 0, 0, 0);
	pcmodel_run(m, 120);
	wr(RECORD_START, DOM, 0x400);
	wr(RECORD_LIMIT, DOM, NEVER_LIMIT);
	pcmodel_run(m, 60);
	assert_int_equal(packet_cycles(packet(0)), 100);
	assert_int_equal(position(DOM), 0x400);
	pcmodel_run(m, 100);
	assert_int_equal(packet_cycles(BUFFER + 0x400), 80);
	assert_int_equal(position(DOM), 0x420);
}

/* The 48-bit counter wraps. */
TEST(test_cycles_wrap)
{
	start(0x84);
	stop_every(DOM, 10);
	record(DOM, 0, NEVER_LIMIT, 0);
	m->rec[DOM].cycles = 0xffffffffffffULL - 12;
	pcmodel_run(m, 20);
	assert_int_equal(packet_cycles(packet(0)), 0xffffffffffffULL - 2);
	assert_int_equal(packet_cycles(packet(1)), 7);
}

/* Only reported losses occur: all packets together are the signal. */
TEST(test_conservation)
{
	unsigned int latency, i, k;

	for (latency = 0; latency < 700; latency += 67) {
		uint64_t sum[12] = { }, stops = 0, last = 0;

		start(0x84);
		m->quirks.record_stop_next = latency & 1;
		m->quirks.record_latency = latency;
		for (i = 0; i < 12; i++)
			say("signal 1 %u random %u/65536 seed %u", i, 5000 * (i + 1), latency + i);
		say("signal 1 0x40 random 300/65536 seed 9");
		record(DOM, 0, NEVER_LIMIT, 0);
		pcmodel_run(m, 200000);
		for (i = 0; i < position(DOM) / 32; i++) {
			for (k = 0; k < 12; k++)
				sum[k] += packet_ctr(packet(i), k);
			stops += packet_stop(packet(i));
			last = packet_cycles(packet(i));
		}
		assert_in_range(i, 250, 1000);
		for (k = 0; k < 12; k++)
			assert_int_equal(sum[k], pcmodel_script_count(&m->dom[DOM].sig[k], 0,
								      last));
		assert_int_equal(stops, pcmodel_script_count(&m->dom[DOM].sig[0x40], 0,
							     last + (latency & 1)));
	}
}

/* Behaviour of a broken or hostile device */
TEST(test_lies)
{
	start(0x84);
	stop_every(DOM, 10);
	record(DOM, 0, NEVER_LIMIT, 0);
	pcmodel_run(m, 100);

	say("record 1 shows 0xdeadbee0");
	assert_int_equal(rd(RECORD_STATUS, DOM), 0xdeadbee0);
	say("record 1 honest");
	say("record 1 back 0x40");
	assert_int_equal(position(DOM), 10 * 32 - 0x40);
	assert_int_equal(position(DOM), 10 * 32);
	assert_int_equal(position(DOM), 10 * 32 - 0x40);
	say("record 1 honest");

	say("record 1 vanish 2");
	pcmodel_run(m, 30);
	assert_int_equal(position(DOM), 13 * 32);
	assert_int_equal(packet_cycles(packet(10)), 0);
	assert_int_equal(packet_cycles(packet(11)), 0);
	assert_int_equal(packet_cycles(packet(12)), 130);

	say("record 1 rewrite 1");
	pcmodel_run(m, 20);
	assert_int_equal(packet_cycles(packet(11)), 0);
	assert_int_equal(packet_stop(packet(12)), 0x5a5a);
	assert_int_equal(packet_cycles(packet(13)), 140);
	assert_int_equal(packet_cycles(packet(14)), 150);

	say("record 1 stall 25");
	pcmodel_run(m, 10);
	assert_int_equal(position(DOM), 15 * 32);
	pcmodel_run(m, 25);
	assert_int_equal(position(DOM), 17 * 32);
	assert_int_equal(packet_cycles(packet(15)), 160);
	assert_int_equal(packet_cycles(packet(16)), 185);
	assert_int_equal(packet_stop(packet(16)), 2);

	say("record 1 position 0x1ff0");
	assert_int_equal(position(DOM), 0x1ff0);
}

TEST(test_commands)
{
	static const char *const bad[] = {
		"record", "record 9", "record 1 shows", "record 1 fault 16", "record 1 lie 1",
		"vm vram", "vm size 1", "record reset 1",
	};
	char reply[300];
	unsigned int i;

	start(0x84);
	stop_every(DOM, 10);
	record(DOM, 0x100, 0x120, 0);
	pcmodel_run(m, 45);
	assert_int_equal(pcmodel_command(m, "record 1", reply, sizeof(reply)), 0);
	assert_string_equal(reply,
			    "valid 0 position 0x140 pending 0 sent 2 landed 2 dropped 2 merged 0 saturated 0 vanished 0 fault none");
	say("record 1 fault 0xf");
	wr(RECORD_START, DOM, 0);
	pcmodel_run(m, 10);
	assert_int_equal(pcmodel_command(m, "record 1", reply, sizeof(reply)), 0);
	assert_non_null(strstr(reply, "fault dmaobj_limit"));
	assert_int_equal(pcmodel_command(m, "dma", reply, sizeof(reply)), 0);
	assert_string_equal(reply,
			    "reads 3 writes 2 vram 0 blocked 0 stale 0 unflushed 0 full 0 flushes 0 lost_flushes 0");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(pcmodel_command(m, bad[i], reply, sizeof(reply)), -EINVAL);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
