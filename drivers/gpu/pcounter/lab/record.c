// SPDX-License-Identifier: GPL-2.0-only
/*
 * Experiments with record mode: the first domain gets memory, and writes
 * packets to it. After a fault the domain records no more until the GPU is
 * reset.
 */
#include <linux/compiler.h>
#include <linux/string.h>

#include "hw/record.h"
#include "lab/bench.h"

#define STATUS_FAULT	1	/* RECORD_STATUS: a fault; the position is all but the low bits */
#define STATUS_LOW	0xf
#define GARBAGE		0x8000	/* place for packets that no program reads */
#define USED		0x4000U	/* bytes from START that programs read */
#define LAST_PACKET	(USED - FULL_PACKET)
#define HALF_GIB	0x20000000
#define LOOKS		40	/* at position and memory, 1 us apart */

/* Half words of a packet: low half of the cycles, count of PRE's source 0. */
#define PACKET_CYCLES	0
#define PACKET_PRE	8

static u32 status(struct pcounter_bench *b)
{
	return bench_rd(b, bench_reg(b, 0, PCOUNTER_REG_RECORD_STATUS));
}

/* Return the bytes from START to the position. */
static u32 position(struct pcounter_bench *b)
{
	return (status(b) & ~STATUS_LOW) - b->ring.base - b->begin;
}

/* The GPU may write the memory at any time. */
static u32 half(const struct pcounter_bench *b, u32 at)
{
	const u8 *mem = b->ring.mem + (at & (b->ring.bytes - 1));

	return READ_ONCE(mem[0]) | READ_ONCE(mem[1]) << 8;
}

/* The fourth half word of a packet is at most 0xfff; empty memory is all ones. */
static bool has_landed(const struct pcounter_bench *b, u32 at)
{
	return half(b, b->begin + at + 6) != 0xffff;
}

/* Return the bytes from START to the end of the last packet that has arrived. */
static u32 arrived(const struct pcounter_bench *b)
{
	u32 at;

	for (at = 0; at < USED && has_landed(b, at); at += FULL_PACKET)
		;
	return at;
}

/* ---- memory ---- */

/**
 * bench_lend() - get memory for the first domain, and a channel
 * @b: the bench; nothing has been written to the domain yet
 * @share: use it beyond the first 512 MiB, where the same page table is
 *
 * Return: false if there is no memory.
 */
bool bench_lend(struct pcounter_bench *b, bool share)
{
	u32 high;

	b->ring.share = share;
	if (!b->ops->lend(b, b->dom[0], &b->ring)) {
		b->ring.mem = NULL;
		return false;
	}
	high = bench_reg(b, 0, PCOUNTER_REG_RECORD_HIGH);
	if (high)
		bench_pulse(b, high, b->ring.high);
	return true;
}

/**
 * bench_look_for_fault() - note a fault, which stops the first domain
 * @b: the bench; the program has ended
 */
void bench_look_for_fault(struct pcounter_bench *b)
{
	bool fault;

	if (!b->ring.mem)
		return;
	if (bench_has(b, PCOUNTER_CAP_SETS))
		fault = FIELD_GET(GF100_RECORD_STATUS_STATE, bench_rd(b, GF100_RECORD_STATUS)) ==
			GF100_RECORD_FAULTED;
	else
		fault = status(b) & STATUS_FAULT;
	b->wedged |= fault;
}

/**
 * bench_take() - give the memory back, if there is any
 * @b: the bench; all registers have been restored
 */
void bench_take(struct pcounter_bench *b)
{
	if (b->ring.mem)
		b->ops->take(b, b->dom[0]);
	b->ring.mem = NULL;
}

/* ---- steps ---- */

/* Do not restore LIMIT and START: a later user of record mode writes them first. */
static void set(struct pcounter_bench *b, unsigned int reg, u32 at)
{
	bench_pulse(b, bench_reg(b, 0, reg), b->ring.base + at);
	bench_wait(b, b->settle);
}

/* Record from @at on, into empty memory. */
static void record_from(struct pcounter_bench *b, u32 at)
{
	b->begin = at;
	memset(b->ring.mem + (at & (b->ring.bytes - 1)), 0xff, USED);
	set(b, PCOUNTER_REG_RECORD_START, at);
}

/* Record all packets that programs read. */
static void record_into(struct pcounter_bench *b, u32 at)
{
	set(b, PCOUNTER_REG_RECORD_LIMIT, at + LAST_PACKET);
	record_from(b, at);
}

/* Send packets that entering the mode makes (hw:ambiguities/18) elsewhere. */
static void enter(struct pcounter_bench *b, u32 ctrl)
{
	record_into(b, GARBAGE);
	bench_ctrl(b, 0, BENCH_RECORD | ctrl);
	bench_clocks(b, 64);
}

/* Record packets at the highest possible rate. */
static void record_all(struct pcounter_bench *b, u32 last, u32 from)
{
	set(b, PCOUNTER_REG_RECORD_LIMIT, last);
	bench_op(b, 0, PCOUNTER_STOP, ALWAYS);
	record_from(b, from);
}

/* A read waits until the GPU's earlier writes have arrived. */
static void count_packets(struct pcounter_bench *b, unsigned int var)
{
	status(b);
	b->found.var[var] = arrived(b) / FULL_PACKET;
}

static void get_half(struct pcounter_bench *b, unsigned int var, u32 at)
{
	status(b);
	b->found.var[var] = half(b, at);
}

/* Read memory after the position: all packets before the position should be there. */
static bool look_ahead(struct pcounter_bench *b)
{
	u32 at = position(b);

	return at && at <= USED && !has_landed(b, at - FULL_PACKET);
}

/* Read memory before the position. */
static bool look_behind(struct pcounter_bench *b)
{
	u32 at = arrived(b);

	return position(b) < at;
}

static void count_looks(struct pcounter_bench *b, bool (*look)(struct pcounter_bench *b))
{
	unsigned int i;

	for (i = 0; i < LOOKS; i++) {
		b->found.var[0] += look(b);
		bench_wait(b, 1);
	}
}

/* Record one packet in 1024 clocks. */
static void record_some(struct pcounter_bench *b)
{
	bench_input(b, 0, PCOUNTER_STOP, bench_all(bench_periodic(b)), ARG_0);
	record_from(b, 0);
}

/* ---- programs ---- */

/* Find out whether a packet or the next one counts the signal that requested the packet. */
static void record_stop_next(struct pcounter_bench *b)
{
	u32 periodic = bench_source(b, 0, 0, bench_periodic(b));

	bench_hold_periodic(b, false);
	enter(b, BENCH_PERIODIC(1));
	bench_src(b, 0, PCOUNTER_PRE, periodic);
	bench_input(b, 0, PCOUNTER_STOP, periodic, ARG_0);
	record_into(b, 0);
	bench_clocks(b, 4096);
	count_packets(b, 2);
	get_half(b, 0, PACKET_PRE);
	get_half(b, 1, FULL_PACKET + PACKET_PRE);
}

static void record_bogus(struct pcounter_bench *b)
{
	record_into(b, 0);
	bench_ctrl(b, 0, BENCH_RECORD);
	bench_clocks(b, 256);
	b->found.var[0] = position(b);
	count_packets(b, 1);
}

static void position_early(struct pcounter_bench *b)
{
	bench_hold_periodic(b, false);
	enter(b, BENCH_PERIODIC(1));
	record_all(b, LAST_PACKET, 0);
	count_looks(b, look_ahead);
	count_packets(b, 1);
	record_some(b);
	count_looks(b, look_ahead);
}

/* Variable 1 is the number of clocks in which the first reads were made. */
static void position_late(struct pcounter_bench *b)
{
	bench_hold_periodic(b, false);
	enter(b, BENCH_PERIODIC(1));
	record_all(b, LAST_PACKET, 0);
	count_looks(b, look_behind);
	status(b);
	b->found.var[1] = half(b, b->begin + arrived(b) - FULL_PACKET);
	count_packets(b, 2);
	record_some(b);
	count_looks(b, look_behind);
}

/* Set the limit between the first and the last byte of the fourth packet. */
static void limit_last(struct pcounter_bench *b)
{
	enter(b, 0);
	record_all(b, 3 * FULL_PACKET + FULL_PACKET / 2, 0);
	bench_clocks(b, 256);
	b->found.var[0] = position(b);
}

/* EVENT's source 0 is 1; packets show its count as soon as they are long. */
static void short_all(struct pcounter_bench *b)
{
	enter(b, BENCH_SHORT);
	bench_clear_flag(b, 0);
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ALWAYS);
	bench_src(b, 0, PCOUNTER_EVENT, bench_source(b, 0, 0, bench_flag(b, 0, 0)));
	record_into(b, 0);
	bench_clocks(b, 0xf200);
	b->found.var[0] = position(b);
	bench_ctrl(b, 0, BENCH_RECORD);
	bench_clocks(b, 256);
	b->found.var[1] = position(b);
}

static void record_latency(struct pcounter_bench *b)
{
	enter(b, 0);
	record_all(b, LAST_PACKET, 0);
	bench_clocks(b, 256);
	get_half(b, 0, FULL_PACKET + PACKET_CYCLES);
	get_half(b, 1, 2 * FULL_PACKET + PACKET_CYCLES);
	count_packets(b, 2);
}

/* Record where the memory appears; with a shared page table, in the next page table. */
static void record_there(struct pcounter_bench *b)
{
	u32 at = b->ring.share ? HALF_GIB : 0;

	enter(b, 0);
	record_all(b, at + LAST_PACKET, at);
	bench_clocks(b, 256);
	count_packets(b, 0);
	b->found.var[1] = status(b) & STATUS_FAULT;
}

/* Check that two domains count in quad mode: make the second period longer than the first. */
static void wedged(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		bench_op(b, i, PCOUNTER_START, ALWAYS);
	bench_swap(b);
	for (i = 0; i < 2; i++) {
		bench_end_period(b, i ? 1024 : 64);
		bench_counter(b, i, 0, PCOUNTER_START);
		bench_counter(b, i + 2, 1, PCOUNTER_START);
	}
}

#define RECORDS						\
	.caps = PCOUNTER_CAP_PACKETS,			\
	.needs = PCOUNTER_NEEDS_MEMORY

const struct pcounter_experiment pcounter_record_experiments[] = {
	{ .name = "no_system_channel", RECORDS, .fault = true, .make = record_there,
	  .reading = { { GT(0, 0), EQ(1, 0) }, { EQ(0, 0), EQ(1, 1) } } },
	{ .name = "record_stop_next", RECORDS, .make = record_stop_next,
	  .reading = { { GT(2, 1), EQ(0, 1), EQ(1, 1) }, { GT(2, 1), EQ(0, 0), EQ(1, 1) } } },
	{ .name = "record_bogus", RECORDS, .make = record_bogus,
	  .reading = { { EQ(0, FULL_PACKET), EQ(1, 1) }, { EQ(0, 0), EQ(1, 0) }, { GT(1, 1) } } },
	{ .name = "position_early", RECORDS, .make = position_early,
	  .reading = { { GT(1, 0), EQ(0, 0) }, { GT(1, 0), GT(0, 0) } } },
	{ .name = "position_late", RECORDS, .make = position_late,
	  .reading = { { GT(2, 0), EQ(0, 0), LT(1, 3 * LOOKS / 2) }, { GT(2, 0), GT(0, 0) },
		       { GT(2, 0), EQ(0, 0) } } },
	{ .name = "limit_last", RECORDS, .make = limit_last,
	  .reading = { { EQ(0, 5 * FULL_PACKET) }, { EQ(0, 4 * FULL_PACKET) } } },
	{ .name = "short_all", RECORDS, .make = short_all,
	  .reading = { { EQ(0, 0), GT(1, 0) }, { GT(0, 0), GT(1, 0) } } },
	{ .name = "record_latency", RECORDS, .make = record_latency,
	  .reading = { { GT(2, 2), VAR_EQ(1, 0, 1) }, { GT(2, 2) } } },
	{ .name = "no_shared_tables", .caps = PCOUNTER_CAP_PACKETS | PCOUNTER_CAP_RECORD_HIGH,
	  .needs = PCOUNTER_NEEDS_MEMORY | PCOUNTER_NEEDS_TABLES, .fault = true,
	  .make = record_there,
	  .reading = { { GT(0, 0), EQ(1, 0) }, { EQ(0, 0), EQ(1, 1) } } },
	{ .name = "wedge_record_only", .caps = PCOUNTER_CAP_PACKETS, .needs = PCOUNTER_NEEDS_FAULT,
	  .mode = BENCH_QUAD, .make = wedged,
	  .reading = { { VAR_EQ(1, 0, 0) }, { GT(0, 0), VAR_GT(1, 0, 0) } } },
	{ .name = "wedge_others", .caps = PCOUNTER_CAP_PACKETS,
	  .needs = PCOUNTER_NEEDS_FAULT | PCOUNTER_NEEDS_TWO, .open = true,
	  .mode = BENCH_QUAD, .make = wedged,
	  .reading = { { VAR_EQ(1, 0, 0), GT(2, 0), VAR_GT(3, 2, 0) },
		       { VAR_EQ(1, 0, 0), VAR_EQ(3, 2, 0) } } },
	{ }
};
