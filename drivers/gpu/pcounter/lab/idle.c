// SPDX-License-Identifier: GPL-2.0-only
/*
 * Experiments with an idle counter of PDAEMON that nobody uses: its MASK and
 * MODE are 0. The driver takes the first free counter, experiments the last
 * one.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "hw/idle.h"
#include "hw/io.h"
#include "hw/regs.h"
#include "lab/bench.h"

#define LOOKS		16
#define LOOK_US		5
#define COUNT_US	256U
#define CLOCK_US	4096U
#define FULL_US		10000000	/* do not wait for a slower counter */
#define FULL_LOOKS	24
#define COUNT_CLEAR	BIT(31)		/* written to COUNT */
#define WRAPPED		1
#define STOPPED		2

static void set_mode(struct pcounter_bench *b, u32 mode)
{
	bench_wr(b, PDAEMON_IDLE_MODE(b->idle), mode, ~0);
}

static u32 count(struct pcounter_bench *b)
{
	return bench_rd(b, PDAEMON_IDLE_COUNT(b->idle)) & PDAEMON_IDLE_COUNT_VALUE;
}

static bool find_slot(struct pcounter_bench *b)
{
	bool mask_1 = pcounter_pdaemon_has_mask_1(b->topo.chip);
	unsigned int i;

	for (i = pcounter_pdaemon_slots(b->topo.chip); i--; ) {
		if (bench_rd(b, PDAEMON_IDLE_MASK(i)) || bench_rd(b, PDAEMON_IDLE_MODE(i)) ||
		    (mask_1 && bench_rd(b, PDAEMON_IDLE_MASK_1(i))))
			continue;
		b->idle = i;
		return true;
	}
	return false;
}

/* Find a signal that stays 1, and one that stays 0, in all of some reads. */
static bool find_levels(struct pcounter_bench *b)
{
	u32 ones = ~0, zeros = ~0, val;
	unsigned int i;

	for (i = 0; i < LOOKS; i++) {
		val = bench_rd(b, PDAEMON_IDLE_SIGNALS);
		ones &= val;
		zeros &= ~val;
		bench_wait(b, LOOK_US);
	}
	b->idle_high = ones & -ones;
	b->idle_low = zeros & -zeros;
	return ones && zeros;
}

/**
 * bench_find_idle() - find an idle counter to use
 * @b: the bench
 * @levels: also find idle signals whose levels differ
 *
 * Return: a text that names the missing part, NULL on success.
 */
const char *bench_find_idle(struct pcounter_bench *b, bool levels)
{
	bool pmc = bench_has(b, PCOUNTER_CAP_SETS);
	u32 on = bench_rd(b, pmc ? NV_PMC_ENABLE : GT215_PDAEMON_RESET);

	if (!(on & (pmc ? NV_PMC_ENABLE_PDAEMON : GT215_PDAEMON_RESET_ENABLE)))
		return "PDAEMON is held in reset";
	if (pcounter_is_dead(bench_rd(b, PDAEMON_IDLE_MODE(0))))
		return "PDAEMON does not answer";
	if (!find_slot(b))
		return "no idle counter is free";
	if (levels && !find_levels(b))
		return "no two idle signals whose levels differ";
	return NULL;
}

/* Return the counter's increase in this mode with these signals. */
static u32 moved(struct pcounter_bench *b, enum pcounter_idle_mode mode, u32 mask)
{
	u32 before;

	bench_wr(b, PDAEMON_IDLE_MASK(b->idle), mask, ~0);
	before = count(b);
	set_mode(b, mode);
	bench_wait(b, COUNT_US);
	set_mode(b, PCOUNTER_IDLE_OFF);
	return (count(b) - before) & PDAEMON_IDLE_COUNT_VALUE;
}

/* Count two signals together, then each alone, to check that it stays as it is. */
static void idle_none(struct pcounter_bench *b)
{
	b->found.var[0] = moved(b, PCOUNTER_IDLE_NOT_ALL, b->idle_high | b->idle_low);
	b->found.var[1] = moved(b, PCOUNTER_IDLE_NOT_ALL, b->idle_low);
	b->found.var[2] = moved(b, PCOUNTER_IDLE_NOT_ALL, b->idle_high);
	b->found.var[3] = moved(b, PCOUNTER_IDLE_ALL, b->idle_low);
}

/* Variables: ticks of the time base, and the nanoseconds of PTIMER in which they came. */
static void idle_clock(struct pcounter_bench *b)
{
	u32 before, begun;

	set_mode(b, PCOUNTER_IDLE_ALWAYS);
	begun = bench_rd(b, NV_PTIMER_TIME_LOW);
	before = count(b);
	bench_wait(b, CLOCK_US);
	b->found.var[0] = (count(b) - before) & PDAEMON_IDLE_COUNT_VALUE;
	b->found.var[1] = bench_rd(b, NV_PTIMER_TIME_LOW) - begun;
	set_mode(b, PCOUNTER_IDLE_OFF);
}

/*
 * Wait for half of the time in which the counter should become full, until it is: it
 * has wrapped, or it stays full. Then clear it, so that it can be used again.
 */
static void idle_saturate(struct pcounter_bench *b)
{
	u32 last = count(b), now = last, us = COUNT_US;
	unsigned int i;
	u64 begun;

	set_mode(b, PCOUNTER_IDLE_ALWAYS);
	for (i = 0; i < FULL_LOOKS && us <= FULL_US / 2 && !b->lost; i++, last = now) {
		begun = b->ops->now(b);
		bench_wait(b, us);
		now = count(b);
		if (now <= last)
			break;
		us = min_t(u64, div_u64((PDAEMON_IDLE_COUNT_VALUE - now) *
					(b->ops->now(b) - begun), now - last) / 2, FULL_US);
		us = max(us, COUNT_US);
	}
	if (now < last)
		b->found.var[0] = WRAPPED;
	else if (now == PDAEMON_IDLE_COUNT_VALUE)
		b->found.var[0] = STOPPED;
	set_mode(b, PCOUNTER_IDLE_OFF);
	if (b->found.var[0] == STOPPED)
		bench_pulse(b, PDAEMON_IDLE_COUNT(b->idle), COUNT_CLEAR);
}

const struct pcounter_experiment pcounter_idle_experiments[] = {
	{ .name = "idle_none",
	  .needs = PCOUNTER_NEEDS_RAW | PCOUNTER_NEEDS_IDLE | PCOUNTER_NEEDS_LEVELS, .open = true,
	  .make = idle_none,
	  .reading = { { GT(0, 0), GT(1, 0), EQ(2, 0), EQ(3, 0) },
		       { EQ(0, 0), GT(1, 0), EQ(2, 0), EQ(3, 0) } } },
	{ .name = "idle_clock", .needs = PCOUNTER_NEEDS_RAW | PCOUNTER_NEEDS_IDLE, .open = true,
	  .make = idle_clock,
	  .reading = { { GT(0, 0), GT(1, 0) }, { EQ(0, 0), GT(1, 0) } } },
	{ .name = "idle_saturate", .needs = PCOUNTER_NEEDS_RAW | PCOUNTER_NEEDS_IDLE,
	  .open = true, .make = idle_saturate,
	  .reading = { { EQ(0, WRAPPED) }, { EQ(0, STOPPED) } } },
	{ }
};
