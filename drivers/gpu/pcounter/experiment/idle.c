// SPDX-License-Identifier: GPL-2.0-only
/*
 * Idle counters of PDAEMON as experiments use them: one that nobody does, which
 * has neither MASK nor MODE. The driver takes the first of these, experiments
 * the last.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "experiment/bench.h"
#include "hw/idle.h"
#include "hw/io.h"

#define LOOKS		16
#define LOOK_US		5
#define COUNT_US	256
#define FULL_US		10000000	/* a counter that takes longer is not waited for */
#define FULL_LOOKS	24
#define FULL_SHARE	16		/* so many of them to where it should be full */
#define WRAPPED		1
#define STOPPED		2

static u32 rd(struct pcounter_bench *b, enum pcounter_idle_reg reg, unsigned int slot)
{
	return pcounter_bench_rd(b, pcounter_pdaemon_addr(reg, slot));
}

static void wr(struct pcounter_bench *b, enum pcounter_idle_reg reg, u32 val)
{
	pcounter_bench_wr(b, pcounter_pdaemon_addr(reg, b->idle), val, ~0);
	pcounter_bench_wait(b, b->settle);
}

static u32 count(struct pcounter_bench *b)
{
	return rd(b, PCOUNTER_IDLE_REG_COUNT, b->idle) & PDAEMON_IDLE_COUNT_VALUE;
}

/**
 * pcounter_bench_has_idle() - has the chip idle counters?
 * @b: the bench
 *
 * Return: true if so.
 */
bool pcounter_bench_has_idle(const struct pcounter_bench *b)
{
	return pcounter_pdaemon_slots(b->topo.chip);
}

static bool find_slot(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = pcounter_pdaemon_slots(b->topo.chip); i--; ) {
		if (rd(b, PCOUNTER_IDLE_REG_MASK, i) || rd(b, PCOUNTER_IDLE_REG_MODE, i))
			continue;
		b->idle = i;
		return true;
	}
	return false;
}

/* One signal that stays 1, and one that stays 0, as far as some looks tell. */
static bool find_levels(struct pcounter_bench *b)
{
	u32 ones = ~0, zeros = ~0, val;
	unsigned int i;

	for (i = 0; i < LOOKS; i++) {
		val = rd(b, PCOUNTER_IDLE_REG_SIGNALS, 0);
		ones &= val;
		zeros &= ~val;
		pcounter_bench_wait(b, LOOK_US);
	}
	b->idle_high = ones & -ones;
	b->idle_low = zeros & -zeros;
	return ones && zeros;
}

/**
 * pcounter_bench_find_idle() - find an idle counter to use
 * @b: the bench
 * @levels: and idle signals whose levels differ
 *
 * Return: what is lacking, NULL if nothing is.
 */
const char *pcounter_bench_find_idle(struct pcounter_bench *b, bool levels)
{
	u32 bit, addr = pcounter_pdaemon_switch(b->topo.chip, &bit);

	if (!(pcounter_bench_rd(b, addr) & bit))
		return "PDAEMON is held in reset";
	if (pcounter_is_dead(rd(b, PCOUNTER_IDLE_REG_MODE, 0)))
		return "PDAEMON does not answer";
	if (!find_slot(b))
		return "no idle counter is free";
	if (levels && !find_levels(b))
		return "no two idle signals whose levels differ";
	return NULL;
}

/**
 * pcounter_bench_idle() - let the idle counter count for a while
 * @b: the bench
 * @what: PCOUNTER_EXP_IDLE_*
 *
 * Return: by how much it has moved.
 */
u32 pcounter_bench_idle(struct pcounter_bench *b, u32 what)
{
	u32 mask = 0, before;

	mask |= what & PCOUNTER_EXP_IDLE_HIGH ? b->idle_high : 0;
	mask |= what & PCOUNTER_EXP_IDLE_LOW ? b->idle_low : 0;
	wr(b, PCOUNTER_IDLE_REG_MASK, mask);
	before = count(b);
	wr(b, PCOUNTER_IDLE_REG_MODE, FIELD_GET(PCOUNTER_EXP_IDLE_MODE, what));
	pcounter_bench_wait(b, COUNT_US);
	wr(b, PCOUNTER_IDLE_REG_MODE, PCOUNTER_IDLE_OFF);
	return (count(b) - before) & PDAEMON_IDLE_COUNT_VALUE;
}

/* Microseconds until the counter, which runs, should be full; at most 32 bits of them. */
static u32 time_left(struct pcounter_bench *b)
{
	u64 begun = b->ops->now(b), took;
	u32 before = count(b), moved;

	pcounter_bench_wait(b, COUNT_US);
	moved = (count(b) - before) & PDAEMON_IDLE_COUNT_VALUE;
	took = b->ops->now(b) - begun;
	/* one that is full already may stay that */
	if (!moved)
		return before == PDAEMON_IDLE_COUNT_VALUE ? COUNT_US : U32_MAX;
	return min_t(u64, div_u64((PDAEMON_IDLE_COUNT_VALUE - before) * took, moved), U32_MAX);
}

/*
 * The counter runs, and was at @last before: what does it do when it is full? 0: it
 * was not seen.
 */
static u32 look_at_full(struct pcounter_bench *b, u32 last, u32 us)
{
	unsigned int i;
	u32 now;

	for (i = 0; i < FULL_LOOKS && !b->lost; i++) {
		pcounter_bench_wait(b, us / FULL_SHARE + 1);
		now = count(b);
		if (now < last)
			return WRAPPED;
		if (now == last && now == PDAEMON_IDLE_COUNT_VALUE)
			return STOPPED;
		last = now;
	}
	return 0;
}

/**
 * pcounter_bench_idle_full() - let the idle counter count until it is full
 * @b: the bench
 *
 * One that has stopped there is cleared, so that it is of use again.
 *
 * Return: 1 if it wraps, 2 if it stops, 0 if it takes too long.
 */
u32 pcounter_bench_idle_full(struct pcounter_bench *b)
{
	u32 before = count(b), now, us = COUNT_US, seen = 0;

	wr(b, PCOUNTER_IDLE_REG_MODE, PCOUNTER_IDLE_ALWAYS);
	/* it may be past that already, or stand still */
	now = count(b);
	if (now >= before && now != PDAEMON_IDLE_COUNT_VALUE)
		us = time_left(b);
	if (us <= FULL_US)
		seen = look_at_full(b, before, us);
	wr(b, PCOUNTER_IDLE_REG_MODE, PCOUNTER_IDLE_OFF);
	if (seen == STOPPED)
		pcounter_bench_pulse(b, pcounter_pdaemon_addr(PCOUNTER_IDLE_REG_COUNT, b->idle),
				     PDAEMON_IDLE_COUNT_CLEAR);
	return seen;
}
