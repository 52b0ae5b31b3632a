// SPDX-License-Identifier: GPL-2.0-only
/*
 * The steps of programs of experiments: the two domains of a program, their
 * registers and signals, periods, clocks.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "lab/bench.h"
#include "rules/lookup.h"

#define UNKNOWN_CLOCKS_US	128	/* while the clock is unknown */
#define SWAP_CLOCKS		48	/* at most, until the end of a period shows */
#define USER_LEVELS		0xf
#define USER_0_PULSE		0x11

/**
 * bench_has() - check whether the generation has all capabilities
 * @b: the bench
 * @caps: PCOUNTER_CAP_*
 *
 * Return: true if it has all of @caps.
 */
bool bench_has(const struct pcounter_bench *b, u32 caps)
{
	return (b->gen->caps & caps) == caps;
}

/* ---- registers ---- */

/**
 * bench_reg() - find a register of a domain
 * @b: the bench
 * @which: 0 or 1
 * @reg: enum pcounter_reg
 *
 * Return: its address, 0 if there is none, or no such domain.
 */
u32 bench_reg(const struct pcounter_bench *b, unsigned int which, unsigned int reg)
{
	return b->dom[which] < 0 ? 0 : pcounter_reg_addr(b->gen, reg, bench_dom(b, which)->block);
}

/**
 * bench_write() - write a register of a domain
 * @b: the bench
 * @which: 0 or 1
 * @reg: enum pcounter_reg
 * @val: the value
 */
void bench_write(struct pcounter_bench *b, unsigned int which, unsigned int reg, u32 val)
{
	u32 addr = bench_reg(b, which, reg);

	if (!addr)
		return;
	bench_wr(b, addr, val, ~0);
}

/**
 * bench_get() - read a register into a variable
 * @b: the bench
 * @var: the variable
 * @which: 0 or 1
 * @reg: enum pcounter_reg
 */
void bench_get(struct pcounter_bench *b, unsigned int var, unsigned int which, unsigned int reg)
{
	u32 addr = bench_reg(b, which, reg);

	if (b->dom[which] < 0)
		return;
	b->found.var[var] = bench_rd(b, addr);
	b->found.addr[var] = addr;
}

/**
 * bench_ctrl() - set a domain's CTRL
 * @b: the bench
 * @which: 0 or 1
 * @what: BENCH_*, the value for its fields
 */
void bench_ctrl(struct pcounter_bench *b, unsigned int which, u32 what)
{
	u32 addr = bench_reg(b, which, PCOUNTER_REG_CTRL), val;
	const struct pcounter_ctrl *c;

	if (!addr)
		return;
	c = pcounter_ctrl_of(b->gen, bench_dom(b, which)->block);
	val = bench_now(b, addr) ?: bench_rd(b, addr);
	val &= c->preserve_mask & ~pcounter_ctrl_fields(c);
	if (what & BENCH_RECORD)
		val |= c->record;
	else
		val |= what & BENCH_QUAD && bench_has(b, PCOUNTER_CAP_QUAD) ? c->quad : c->off;
	val |= pcounter_ctrl_put(c->ctr, FIELD_GET(BENCH_CTR, what));
	val |= pcounter_ctrl_put(c->periodic, FIELD_GET(BENCH_PERIOD, what));
	val |= what & BENCH_EVPULSE ? c->evpulse : 0;
	val |= what & BENCH_SHORT ? c->brief : 0;
	bench_wr(b, addr, val, c->preserve_mask);
}

/**
 * bench_start() - begin a process of single mode in the first domain
 * @b: the bench
 */
void bench_start(struct pcounter_bench *b)
{
	bench_pulse(b, bench_reg(b, 0, PCOUNTER_REG_CTR + PCOUNTER_PRE), 0);
	bench_pulse(b, bench_reg(b, 0, PCOUNTER_REG_CTR + PCOUNTER_STOP), 0);
	bench_op(b, 0, PCOUNTER_PRE, ALWAYS);
}

/**
 * bench_clear_flag() - clear the flag of a domain; SETFLAG can set it again
 * @b: the bench
 * @which: 0 or 1
 */
void bench_clear_flag(struct pcounter_bench *b, unsigned int which)
{
	bench_op(b, which, PCOUNTER_OP_SETFLAG, 0);
	bench_op(b, which, PCOUNTER_OP_CLRFLAG, ALWAYS);
	bench_clocks(b, 16);
	bench_op(b, which, PCOUNTER_OP_CLRFLAG, 0);
}

/**
 * bench_gate() - set the clock gating of the engine
 * @b: the bench
 * @nr: number of gating registers to write, from the first of: GPCs, partitions,
 *	HUB, MAIN
 * @gates: units to gate; 0: none, so that all counters run
 */
void bench_gate(struct pcounter_bench *b, unsigned int nr, u32 gates)
{
	unsigned int i;

	if (!bench_has(b, PCOUNTER_CAP_SETS) || b->topo.chip->chipset < FIRST_GATED)
		return;
	for (i = 0; i < nr; i++)
		bench_wr(b, pcounter_reg_addr(b->gen, PCOUNTER_REG_SLCG + i, 0), gates, ~0);
}

/**
 * bench_hold_periodic() - hold the PERIODIC generators, or let them run
 * @b: the bench
 * @held: hold them
 */
void bench_hold_periodic(struct pcounter_bench *b, bool held)
{
	u32 addr = bench_reg(b, 0, PCOUNTER_REG_PERIODIC);
	u32 val = bench_rd(b, addr) & ~BIT(PCOUNTER_PERIODIC_BIT);

	/* other engines own its other bits: write and restore them unchanged */
	bench_wr(b, addr, val | (held ? BIT(PCOUNTER_PERIODIC_BIT) : 0), ~0);
}

/* ---- time ---- */

/**
 * bench_clocks() - let clocks pass
 * @b: the bench
 * @clocks: at least this many in each domain in use
 */
void bench_clocks(struct pcounter_bench *b, u32 clocks)
{
	u32 rate = b->dom[0] < 0 ? 0 : b->rate[b->dom[0]];

	if (b->dom[1] >= 0)
		rate = min(rate, b->rate[b->dom[1]]);
	bench_wait(b, rate ? div_u64((u64)clocks * 1280, rate) + 2 : UNKNOWN_CLOCKS_US);
}

static void pulse_trigger(struct pcounter_bench *b)
{
	u32 addr = bench_reg(b, 0, PCOUNTER_REG_TRIGGER), val = bench_rd(b, addr);

	/* the last read of a period whose accesses are counted */
	if (b->rate[b->dom[0]])
		bench_clocks(b, 4);
	bench_pulse(b, addr, val | BIT(PCOUNTER_TRIGGER_BIT));
}

/**
 * bench_trigger() - end a period
 * @b: the bench
 * @which: 0 or 1; before G84 both
 */
void bench_trigger(struct pcounter_bench *b, unsigned int which)
{
	u32 addr = bench_reg(b, which, PCOUNTER_REG_OP + PCOUNTER_PRE);

	if (bench_has(b, PCOUNTER_CAP_SWAP_SHARED))
		pulse_trigger(b);
	else if (bench_has(b, PCOUNTER_CAP_SETS))
		bench_pulse(b, bench_reg(b, which, PCOUNTER_REG_USER), USER_0_PULSE);
	else
		bench_pulse(b, addr, bench_now(b, addr));
}

/**
 * bench_show() - wait until the end of a period shows
 * @b: the bench
 */
void bench_show(struct pcounter_bench *b)
{
	bench_wait(b, b->settle);
	bench_clocks(b, SWAP_CLOCKS);
}

/**
 * bench_swap() - end a period of all domains in use, and wait until the end shows
 * @b: the bench
 */
void bench_swap(struct pcounter_bench *b)
{
	bench_trigger(b, 0);
	if (b->dom[1] >= 0 && !bench_has(b, PCOUNTER_CAP_SWAP_SHARED))
		bench_trigger(b, 1);
	bench_show(b);
}

/**
 * bench_end_period() - let clocks pass, and end a period as bench_swap() does
 * @b: the bench
 * @clocks: at least this many in each domain in use
 */
void bench_end_period(struct pcounter_bench *b, u32 clocks)
{
	bench_clocks(b, clocks);
	bench_swap(b);
}

/* ---- signals ---- */

/**
 * bench_signal() - find a signal by name
 * @b: the bench
 * @name: its name
 *
 * Return: the signal, NULL if the tables have none for this chip.
 */
const struct pcounter_signal *bench_signal(const struct pcounter_bench *b, const char *name)
{
	const struct pcounter_signal *signals = pcounter_signals_of(b->topo.chip);
	unsigned int i;

	for (i = 0; i < b->topo.chip->signals.nr; i++)
		if (!strcmp(pcounter_signal_names[signals[i].name], name))
			return &signals[i];
	return NULL;
}

/**
 * bench_levels() - read the levels of 32 signals
 * @b: the bench
 * @dom: the domain, an index of the topology
 * @word: signals 32 * @word and up
 *
 * Return: the levels, 0 where there are no signals.
 */
u32 bench_levels(struct pcounter_bench *b, unsigned int dom, unsigned int word)
{
	u32 addr = pcounter_status_addr(b->gen, b->topo.dom[dom].block, word);

	return addr ? bench_rd(b, addr) : 0;
}

/**
 * bench_trailer_end() - find the first signal behind the trailer of a domain
 * @b: the bench
 * @which: 0 or 1
 *
 * Return: its number.
 */
u32 bench_trailer_end(const struct pcounter_bench *b, unsigned int which)
{
	return bench_dom(b, which)->trailer + bench_signals(b)->size;
}

/* ---- a domain with known settings ---- */

static void park_swap(struct pcounter_bench *b, unsigned int which)
{
	const struct pcounter_dom_id *id = bench_dom(b, which);
	u32 user = bench_reg(b, which, PCOUNTER_REG_USER);

	if (bench_has(b, PCOUNTER_CAP_SETS))
		bench_wr(b, user, 0, USER_LEVELS);
	else if (user)
		bench_pulse(b, user, 0);
	if (bench_has(b, PCOUNTER_CAP_SWAP_SRC) && id->trailer != PCOUNTER_TRAILER_UNKNOWN)
		bench_wr(b, bench_reg(b, which, PCOUNTER_REG_SWAP_SRC),
			 id->trailer + bench_signals(b)->zero,
			 bench_has(b, PCOUNTER_CAP_SETS) ? 0xff : 0xffff);
}

/**
 * bench_quiet() - prepare a domain: stop its counters and hold its signals
 * @b: the bench
 * @which: 0 or 1
 */
void bench_quiet(struct pcounter_bench *b, unsigned int which)
{
	u32 low = b->low[which] >= 0 ? bench_all(b->low[which]) : 0;
	unsigned int i;

	bench_ctrl(b, which, BENCH_OFF);
	park_swap(b, which);
	for (i = 0; i < PCOUNTER_OPS; i++) {
		bench_src(b, which, i, low);
		bench_op(b, which, i, 0);
	}
	bench_write(b, which, PCOUNTER_REG_FILTER, 0);
	/* end the process that a write of PRE_OP begins in single mode */
	bench_op(b, which, PCOUNTER_STOP, 0);
}
