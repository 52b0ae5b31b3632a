// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode as experiments use it: memory that is lent to the first domain, and
 * packets in it. Where a fault shows, the domain records no more until the GPU is
 * reset.
 */
#include <linux/compiler.h>
#include <linux/string.h>

#include "experiment/bench.h"
#include "hw/layout.h"

#define LONG		32
#define STATUS_FAULT	1	/* RECORD_STATUS: a fault; the position is all but the low bits */
#define STATUS_LOW	0xf
#define GARBAGE		0x8000	/* where packets go that nobody looks at */
#define USED		0x4000U	/* bytes from START on that programs look at */

static u32 status(struct pcounter_bench *b)
{
	return pcounter_bench_rd(b, pcounter_bench_reg(b, 0, PCOUNTER_REG_RECORD_STATUS));
}

static u32 position(struct pcounter_bench *b)
{
	return (status(b) & ~STATUS_LOW) - b->ring.base - b->begin;
}

/* The GPU writes it at any time. */
static u32 half(const struct pcounter_bench *b, u32 at)
{
	const u8 *mem = b->ring.mem + (at & (b->ring.bytes - 1));

	return READ_ONCE(mem[0]) | READ_ONCE(mem[1]) << 8;
}

/* A packet has at most 0xfff in its fourth half word, and empty memory all ones. */
static bool has_landed(const struct pcounter_bench *b, u32 at)
{
	return half(b, b->begin + at + 6) != 0xffff;
}

/**
 * pcounter_bench_lend() - get memory for the first domain, and a channel
 * @b: the bench; nothing has been written to the domain yet
 * @share: one page table for all of its window
 *
 * Return: false if there is none.
 */
bool pcounter_bench_lend(struct pcounter_bench *b, bool share)
{
	u32 high;

	if (!b->ops->lend(b, b->dom[0], share, &b->ring)) {
		b->ring.mem = NULL;
		return false;
	}
	high = pcounter_bench_reg(b, 0, PCOUNTER_REG_RECORD_HIGH);
	if (high)
		pcounter_bench_pulse(b, high, b->ring.high);
	return true;
}

/**
 * pcounter_bench_look_for_fault() - has there been one?
 * @b: the bench; a program has ended
 */
void pcounter_bench_look_for_fault(struct pcounter_bench *b)
{
	if (b->ring.mem && status(b) & STATUS_FAULT)
		b->wedged = true;
}

/**
 * pcounter_bench_take() - give the memory back, if there is any
 * @b: the bench; all else is as it was found
 */
void pcounter_bench_take(struct pcounter_bench *b)
{
	if (b->ring.mem)
		b->ops->take(b, b->dom[0]);
	b->ring.mem = NULL;
}

static void set(struct pcounter_bench *b, unsigned int reg, u32 at)
{
	pcounter_bench_pulse(b, pcounter_bench_reg(b, 0, reg), b->ring.base + at);
	pcounter_bench_wait(b, b->settle);
}

static void start(struct pcounter_bench *b, u32 at)
{
	b->begin = at;
	memset(b->ring.mem + (at & (b->ring.bytes - 1)), 0xff, USED);
	set(b, PCOUNTER_REG_RECORD_START, at);
}

static void enter(struct pcounter_bench *b, u32 what)
{
	set(b, PCOUNTER_REG_RECORD_LIMIT, GARBAGE + USED - LONG);
	start(b, GARBAGE);
	pcounter_bench_ctrl(b, 0, what);
	pcounter_bench_clocks(b, 64);
}

/**
 * pcounter_bench_record() - where packets may go
 * @b: the bench
 * @s: an ENTER, LIMIT or RECORD step
 *
 * LIMIT and START are not put back: a user of record mode writes them first.
 */
void pcounter_bench_record(struct pcounter_bench *b, const struct pcounter_step *s)
{
	if (s->op == PCOUNTER_STEP_ENTER)
		enter(b, s->val);
	else if (s->op == PCOUNTER_STEP_LIMIT)
		set(b, PCOUNTER_REG_RECORD_LIMIT, s->val);
	else
		start(b, s->val);
}

static u32 landed(const struct pcounter_bench *b)
{
	u32 at;

	for (at = 0; at < USED && has_landed(b, at); at += LONG)
		;
	return at;
}

/* Memory is looked at last: whatever the position is past should be there. */
static u32 is_ahead(struct pcounter_bench *b)
{
	u32 at = position(b);

	return at && at <= USED && !has_landed(b, at - LONG);
}

/* And here first. */
static u32 is_behind(struct pcounter_bench *b)
{
	u32 at = landed(b);

	return position(b) < at;
}

/**
 * pcounter_bench_packets() - look at packets
 * @b: the bench
 * @s: the step
 * @var: its variable
 */
void pcounter_bench_packets(struct pcounter_bench *b, const struct pcounter_step *s, u32 *var)
{
	/* what the GPU has written before arrives before the answer */
	if (s->op == PCOUNTER_STEP_LANDED || s->op == PCOUNTER_STEP_PACKET ||
	    s->op == PCOUNTER_STEP_LAST)
		status(b);
	switch (s->op) {
	case PCOUNTER_STEP_POSITION:
		*var = position(b);
		break;
	case PCOUNTER_STEP_LANDED:
		*var = landed(b) / LONG;
		break;
	case PCOUNTER_STEP_PACKET:
		*var = half(b, s->val);
		break;
	case PCOUNTER_STEP_LAST:
		*var = half(b, b->begin + landed(b) - LONG);
		break;
	case PCOUNTER_STEP_AHEAD:
		*var += is_ahead(b);
		pcounter_bench_wait(b, 1);
		break;
	case PCOUNTER_STEP_BEHIND:
		*var += is_behind(b);
		pcounter_bench_wait(b, 1);
		break;
	default:
		*var = status(b) & STATUS_FAULT;
	}
}
