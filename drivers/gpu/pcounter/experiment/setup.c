// SPDX-License-Identifier: GPL-2.0-only
/*
 * What programs of experiments are made of, and the set-up: which domains run,
 * how fast, where their trailers are.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "experiment/bench.h"
#include "hw/io.h"
#include "hw/layout.h"
#include "rules/signals.h"

#define ALWAYS			0xffff
#define UNKNOWN_SETTLE_US	64	/* as long as nothing is known of it */
#define UNKNOWN_CLOCKS_US	128
#define SWAP_CLOCKS		48	/* a swap shows after so many, at most */
#define MOST_US			4096	/* a clock that is slower stands still */
#define ENOUGH_CLOCKS		128	/* to know how fast a clock is */
#define PROBE_ROUNDS		12
#define STATUS_WORDS		8
#define STATUS_BITS		32
#define LOW_LOOKS		8
#define USER_LEVELS		0xf
#define USER_0_PULSE		0x11
#define RATIO			5
#define PTIMER_LOOKS		24	/* at each level */
#define PTIMER_TRIES		1000
#define PTIMER_US		7

static bool has(const struct pcounter_bench *b, u32 caps)
{
	return (b->gen->caps & caps) == caps;
}

/**
 * pcounter_bench_reg() - where a register of a domain is
 * @b: the bench
 * @which: 0 or 1
 * @reg: enum pcounter_reg
 *
 * Return: its address, 0 if there is none.
 */
u32 pcounter_bench_reg(const struct pcounter_bench *b, unsigned int which, unsigned int reg)
{
	return pcounter_reg_addr(b->gen, reg, pcounter_bench_dom(b, which)->block);
}

/**
 * pcounter_bench_write() - write a register of a domain, and wait for it
 * @b: the bench
 * @which: 0 or 1
 * @reg: enum pcounter_reg
 * @val: the value
 */
void pcounter_bench_write(struct pcounter_bench *b, unsigned int which, unsigned int reg,
			  u32 val)
{
	u32 addr = pcounter_bench_reg(b, which, reg);

	if (!addr)
		return;
	pcounter_bench_wr(b, addr, val, ~0);
	pcounter_bench_wait(b, b->settle);
}

static u32 field(u32 mask, u32 val)
{
	return mask ? val << (ffs(mask) - 1) & mask : 0;
}

/**
 * pcounter_bench_ctrl() - set a domain's CTRL
 * @b: the bench
 * @which: 0 or 1
 * @what: PCOUNTER_EXP_*
 */
void pcounter_bench_ctrl(struct pcounter_bench *b, unsigned int which, u32 what)
{
	u32 addr = pcounter_bench_reg(b, which, PCOUNTER_REG_CTRL), val;
	struct pcounter_ctrl c;

	pcounter_ctrl_of(b->gen, pcounter_bench_dom(b, which)->block, &c);
	val = pcounter_bench_now(b, addr, 0);
	if (!val)
		val = pcounter_bench_rd(b, addr);
	val &= c.keep & ~c.config;
	if (what & PCOUNTER_EXP_RECORD)
		val |= c.record;
	else
		val |= what & PCOUNTER_EXP_QUAD ? c.quad : c.off;
	val |= field(c.ctr, FIELD_GET(PCOUNTER_EXP_CTR, what));
	val |= field(c.periodic, FIELD_GET(PCOUNTER_EXP_PERIODIC, what));
	val |= what & PCOUNTER_EXP_ALL ? c.all : 0;
	val |= what & PCOUNTER_EXP_EVPULSE ? c.evpulse : 0;
	val |= what & PCOUNTER_EXP_SHORT ? c.brief : 0;
	pcounter_bench_wr_last(b, addr, val, c.keep);
	pcounter_bench_wait(b, b->settle);
}

/**
 * pcounter_bench_start() - begin a process of single mode
 * @b: the bench
 * @which: 0 or 1
 * @pre_op: PRE_OP
 */
void pcounter_bench_start(struct pcounter_bench *b, unsigned int which, u32 pre_op)
{
	pcounter_bench_pulse(b, pcounter_bench_reg(b, which, PCOUNTER_REG_CTR + PCOUNTER_PRE), 0);
	pcounter_bench_pulse(b, pcounter_bench_reg(b, which, PCOUNTER_REG_CTR + PCOUNTER_STOP), 0);
	pcounter_bench_write(b, which, PCOUNTER_REG_OP + PCOUNTER_PRE, pre_op);
}

/* The slower of the domains in use decides. */
static u32 slowest(const struct pcounter_bench *b)
{
	if (b->dom[1] < 0)
		return b->clocks[0];
	return min(b->clocks[0], b->clocks[1]);
}

/**
 * pcounter_bench_clocks() - let clocks pass
 * @b: the bench
 * @clocks: at least so many in each domain in use
 */
void pcounter_bench_clocks(struct pcounter_bench *b, u32 clocks)
{
	u32 rate = slowest(b);

	if (rate)
		pcounter_bench_wait(b, div_u64((u64)clocks * 1280, rate) + 2);
	else
		pcounter_bench_wait(b, UNKNOWN_CLOCKS_US);
}

static void pulse_trigger(struct pcounter_bench *b)
{
	u32 addr = pcounter_bench_reg(b, 0, PCOUNTER_REG_TRIGGER);
	u32 val = pcounter_bench_rd(b, addr);

	/* of a period whose accesses are counted this read is the last one */
	if (b->clocks[0])
		pcounter_bench_clocks(b, 4);
	pcounter_bench_pulse(b, addr, val | BIT(PCOUNTER_TRIGGER_BIT));
}

/**
 * pcounter_bench_swap() - end a period
 * @b: the bench
 * @which: 0 or 1; before G84 both
 */
void pcounter_bench_swap(struct pcounter_bench *b, unsigned int which)
{
	u32 addr = pcounter_bench_reg(b, which, PCOUNTER_REG_OP + PCOUNTER_PRE);

	if (has(b, PCOUNTER_CAP_SWAP_SHARED))
		pulse_trigger(b);
	else if (has(b, PCOUNTER_CAP_SETS))
		pcounter_bench_pulse(b, pcounter_bench_reg(b, which, PCOUNTER_REG_USER),
				     USER_0_PULSE);
	else
		pcounter_bench_pulse(b, addr, pcounter_bench_now(b, addr, 0));
}

/**
 * pcounter_bench_bus() - a signal that shows register accesses, or the time
 * @b: the bench
 * @what: which
 *
 * Return: the signal, NULL if none is known.
 */
const struct pcounter_signal *pcounter_bench_bus(const struct pcounter_bench *b,
						 enum pcounter_shown what)
{
	static const char *const names[] = {
		[PCOUNTER_SHOWN_READS] = "pbus_pcie_rd",
		[PCOUNTER_SHOWN_WRITES] = "pbus_pcie_wr",
		[PCOUNTER_SHOWN_ACCESSES] = "pbus_pcie_trans",
		[PCOUNTER_SHOWN_PTIMER] = "ptimer_time_b12",
	};
	const struct pcounter_signal *signals;
	unsigned int i, nr;

	signals = pcounter_signals_find(b->topo.chip, &nr);
	for (i = 0; i < nr; i++)
		if (!strcmp(pcounter_signal_names[signals[i].name], names[what]))
			return &signals[i];
	return NULL;
}

static void swap_and_wait(struct pcounter_bench *b, unsigned int which)
{
	pcounter_bench_swap(b, which);
	pcounter_bench_wait(b, b->settle);
	pcounter_bench_clocks(b, SWAP_CLOCKS);
}

/* ---- a domain without a past ---- */

static void park_swap(struct pcounter_bench *b, unsigned int which)
{
	const struct pcounter_dom_id *id = pcounter_bench_dom(b, which);
	u32 addr = pcounter_bench_reg(b, which, PCOUNTER_REG_SWAP_SRC);
	u32 user = pcounter_bench_reg(b, which, PCOUNTER_REG_USER);

	if (has(b, PCOUNTER_CAP_SETS))
		pcounter_bench_wr(b, user, 0, USER_LEVELS);
	else if (user)
		pcounter_bench_pulse(b, user, 0);
	if (has(b, PCOUNTER_CAP_SWAP_SRC) && id->trailer != PCOUNTER_TRAILER_UNKNOWN)
		pcounter_bench_wr(b, addr, id->trailer + pcounter_trailer_of(b->gen->caps)->zero,
				  has(b, PCOUNTER_CAP_SETS) ? 0xff : 0xffff);
}

/**
 * pcounter_bench_quiet() - take a domain: nothing counts, nothing moves
 * @b: the bench
 * @which: 0 or 1
 */
void pcounter_bench_quiet(struct pcounter_bench *b, unsigned int which)
{
	u32 low = b->low[which] >= 0 ? (u32)b->low[which] * 0x01010101 : 0;
	unsigned int i;

	pcounter_bench_ctrl(b, which, PCOUNTER_EXP_OFF);
	park_swap(b, which);
	for (i = 0; i < PCOUNTER_OPS; i++) {
		pcounter_bench_write(b, which, PCOUNTER_REG_SRC + i, low);
		pcounter_bench_write(b, which, PCOUNTER_REG_OP + i, 0);
	}
	if (pcounter_bench_reg(b, which, PCOUNTER_REG_FILTER))
		pcounter_bench_write(b, which, PCOUNTER_REG_FILTER, 0);
	/* ends the process that a write of PRE_OP begins in single mode */
	pcounter_bench_write(b, which, PCOUNTER_REG_OP + PCOUNTER_STOP, 0);
}

/* Clock gating may be on: it would look like a clock that stands still. */
static void ungate(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < 4 && has(b, PCOUNTER_CAP_SETS) && b->topo.chip->chipset >= 0xe0; i++)
		pcounter_bench_wr(b, pcounter_reg_addr(b->gen, PCOUNTER_REG_SLCG + i, 0), 0, ~0);
}

/* ---- trailers ---- */

/* The level of a flag at a place of the trailer, in each word of SIG_STATUS. */
static u32 words_with(struct pcounter_bench *b, unsigned int which, bool level)
{
	const struct pcounter_dom_id *id = pcounter_bench_dom(b, which);
	u32 words = 0, addr, val;
	unsigned int w;

	for (w = 0; w < STATUS_WORDS; w++) {
		addr = pcounter_status_addr(b->gen, id->block, w);
		if (!addr)
			continue;
		val = pcounter_bench_rd(b, addr);
		if (!(val & BIT(STATUS_BITS - 1 - id->dom)) == !level)
			words |= BIT(w);
	}
	return words;
}

static void drive_flag(struct pcounter_bench *b, unsigned int which, bool level)
{
	pcounter_bench_write(b, which, PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG, level ? 0 : ALWAYS);
	pcounter_bench_write(b, which, PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG, level ? ALWAYS : 0);
	if (!has(b, PCOUNTER_CAP_QUAD))
		pcounter_bench_start(b, which, ALWAYS);
}

/**
 * pcounter_bench_trailer() - find the trailer of a domain by its flag
 * @b: the bench
 * @which: 0 or 1; the domain is quiet
 *
 * The flag is set and cleared until one word only of SIG_STATUS has followed
 * every time.
 *
 * Return: the base, or PCOUNTER_TRAILER_UNKNOWN.
 */
u32 pcounter_bench_trailer(struct pcounter_bench *b, unsigned int which)
{
	unsigned int i, last = has(b, PCOUNTER_CAP_SETS) ? 1 : 0;
	u32 words = GENMASK(STATUS_WORDS - 1, last);

	pcounter_bench_ctrl(b, which, PCOUNTER_EXP_QUAD);
	pcounter_bench_write(b, which, PCOUNTER_REG_OP + PCOUNTER_START, ALWAYS);
	for (i = 0; i < PROBE_ROUNDS && words; i++) {
		drive_flag(b, which, i & 1);
		pcounter_bench_clocks(b, 16);
		words &= words_with(b, which, i & 1);
	}
	drive_flag(b, which, false);
	pcounter_bench_clocks(b, 16);
	pcounter_bench_write(b, which, PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG, 0);
	pcounter_bench_ctrl(b, which, PCOUNTER_EXP_OFF);
	if (hweight32(words) != 1)
		return PCOUNTER_TRAILER_UNKNOWN;
	return (ffs(words) - 1 - last) * STATUS_BITS;
}

/* A signal that stays 0; from G84 on the trailer has one. */
static int find_low(struct pcounter_bench *b, unsigned int which)
{
	const struct pcounter_dom_id *id = pcounter_bench_dom(b, which);
	u32 moved[STATUS_WORDS] = {}, addr;
	unsigned int i, w;

	if (has(b, PCOUNTER_CAP_SETS))
		return id->trailer + 0x2f;
	if (has(b, PCOUNTER_CAP_SWAP_SRC))
		return id->trailer + pcounter_trailer_of(b->gen->caps)->zero;
	for (i = 0; i < LOW_LOOKS; i++, pcounter_bench_clocks(b, 7))
		for (w = 0; w < STATUS_WORDS; w++) {
			addr = pcounter_status_addr(b->gen, id->block, w);
			moved[w] |= addr ? pcounter_bench_rd(b, addr) : ~0u;
		}
	for (i = 0; i < id->trailer; i++)
		if (!(moved[i / STATUS_BITS] & BIT(i % STATUS_BITS)))
			return i;
	return -1;
}

/* ---- clocks ---- */

/* How many clocks there are in a wait, and how long it is at most. */
static u32 count_for(struct pcounter_bench *b, unsigned int us, u64 *took)
{
	bool quad = has(b, PCOUNTER_CAP_QUAD);
	u64 begun = b->ops->now(b);

	if (quad)
		swap_and_wait(b, 0);
	else
		pcounter_bench_start(b, 0, ALWAYS);
	pcounter_bench_wait(b, us);
	if (quad)
		pcounter_bench_swap(b, 0);
	else
		pcounter_bench_write(b, 0, PCOUNTER_REG_OP + PCOUNTER_STOP, 0);
	*took = b->ops->now(b) - begun;
	if (quad) {
		pcounter_bench_wait(b, b->settle);
		pcounter_bench_clocks(b, SWAP_CLOCKS);
	}
	return pcounter_bench_rd(b, pcounter_bench_reg(b, 0, PCOUNTER_REG_CYCLES));
}

/* Clocks of the domain in 1024 us, at least; 0: it stands still. */
static u32 measure(struct pcounter_bench *b)
{
	unsigned int us;
	u32 clocks = 0;
	u64 took = 1;

	b->clocks[0] = 0;
	pcounter_bench_ctrl(b, 0, PCOUNTER_EXP_QUAD);
	pcounter_bench_write(b, 0, PCOUNTER_REG_OP + PCOUNTER_START, ALWAYS);
	for (us = 16; us <= MOST_US && clocks < ENOUGH_CLOCKS && !b->lost; us *= 4)
		clocks = count_for(b, us, &took);
	pcounter_bench_ctrl(b, 0, PCOUNTER_EXP_OFF);
	return min_t(u64, div_u64((u64)clocks * 1024, max_t(u32, took, 1)), U32_MAX);
}

/* The first domain of the bench is this one; how fast is it? */
static u32 try_domain(struct pcounter_bench *b, unsigned int dom)
{
	struct pcounter_dom_id *id = &b->topo.dom[dom];
	u32 found;

	b->dom[0] = dom;
	b->dom[1] = -1;
	b->low[0] = -1;
	pcounter_bench_quiet(b, 0);
	found = pcounter_bench_trailer(b, 0);
	if (found == PCOUNTER_TRAILER_UNKNOWN)
		return 0;
	b->base[dom] = found;
	id->trailer = found;
	id->disputed = false;
	pcounter_bench_quiet(b, 0);
	return measure(b);
}

static bool same_set(const struct pcounter_bench *b, unsigned int x, unsigned int y)
{
	return b->topo.dom[x].set == b->topo.dom[y].set &&
	       b->topo.dom[x].unit == b->topo.dom[y].unit;
}

/* The first two domains of a set that run; and two whose clocks differ a lot. */
static void find_domains(struct pcounter_bench *b)
{
	const u32 *clocks = b->rate;
	unsigned int x, y;

	pcounter_bench_use_none(b);
	for (x = 0; x < b->topo.nr; x++) {
		if (!clocks[x])
			continue;
		if (b->dom[0] < 0)
			b->dom[0] = x;
		for (y = 0; y < b->topo.nr; y++) {
			if (x == y || !clocks[y] || !same_set(b, x, y))
				continue;
			if (b->dom[1] < 0 && (int)x == b->dom[0])
				b->dom[1] = y;
			if (b->pair[0] < 0 && clocks[y] / RATIO > clocks[x]) {
				b->pair[0] = x;
				b->pair[1] = y;
			}
		}
	}
}

/* Of a set that repeats, one unit is enough. */
static bool is_copy(const struct pcounter_bench *b, unsigned int dom)
{
	return b->topo.dom[dom].unit > 0;
}

/**
 * pcounter_bench_setup() - find domains that run, and all about them
 * @b: the bench
 *
 * Leaves the registers changed.
 *
 * Return: false if there are none; the reason is in @b.
 */
bool pcounter_bench_setup(struct pcounter_bench *b)
{
	unsigned int i;

	ungate(b);
	for (i = 0; i < b->topo.nr && !b->lost; i++) {
		if (is_copy(b, i))
			continue;
		b->rate[i] = try_domain(b, i);
		/* each domain is put back before the next is tried */
		if (!pcounter_bench_restore(b))
			return false;
		ungate(b);
	}
	find_domains(b);
	for (i = 0; i < 2; i++) {
		b->clocks[i] = b->dom[i] < 0 ? 0 : b->rate[b->dom[i]];
		b->pair_clocks[i] = b->pair[i] < 0 ? 0 : b->rate[b->pair[i]];
	}
	for (i = 0; i < 2; i++)
		if (b->dom[i] >= 0)
			b->low[i] = find_low(b, i);
	if (b->dom[0] < 0)
		b->why = "no domain was found whose clock runs and whose flag shows";
	else if (b->low[0] < 0)
		b->why = "no signal was found that stays 0";
	return b->dom[0] >= 0 && b->low[0] >= 0;
}

/* ---- PTIMER ---- */

/*
 * Levels of domain 0 at a moment that is not close to a change of the bit; gives the
 * bit. False: it was.
 */
static bool look_at_time(struct pcounter_bench *b, u32 levels[STATUS_WORDS], bool *bit)
{
	u32 reg = pcounter_reg_addr(b->gen, PCOUNTER_REG_PTIMER, 0), before, after, addr;
	unsigned int w, eighth;

	before = pcounter_bench_rd(b, reg);
	for (w = 0; w < STATUS_WORDS; w++) {
		addr = pcounter_status_addr(b->gen, b->topo.dom[0].block, w);
		levels[w] = addr ? pcounter_bench_rd(b, addr) : 0;
	}
	after = pcounter_bench_rd(b, reg);
	*bit = before & BIT(PCOUNTER_PTIMER_BIT);
	eighth = before >> (PCOUNTER_PTIMER_BIT - 3) & 7;
	return eighth && eighth != 7 && after - before < BIT(PCOUNTER_PTIMER_BIT - 3);
}

/**
 * pcounter_bench_ptimer() - find the signal that is a bit of PTIMER's time
 * @b: the bench; nothing is written
 * @var: gets how many signals are at the bit's level in all looks, the first of them,
 *	that of the tables, whether this one is, and looks at 0 and at 1
 */
void pcounter_bench_ptimer(struct pcounter_bench *b, u32 *var)
{
	u32 same[STATUS_WORDS], levels[STATUS_WORDS], *looks = &var[4];
	unsigned int i, w;
	bool bit;

	memset(same, 0xff, sizeof(same));
	for (i = 0; i < PTIMER_TRIES && (looks[0] < PTIMER_LOOKS || looks[1] < PTIMER_LOOKS); i++) {
		pcounter_bench_wait(b, PTIMER_US);
		if (!look_at_time(b, levels, &bit))
			continue;
		looks[bit]++;
		for (w = 0; w < STATUS_WORDS; w++)
			same[w] &= bit ? levels[w] : ~levels[w];
	}
	for (i = 0; i < STATUS_WORDS * STATUS_BITS; i++) {
		if (!(same[i / STATUS_BITS] & BIT(i % STATUS_BITS)))
			continue;
		var[1] = var[0]++ ? var[1] : i;
	}
	i = pcounter_bench_bus(b, PCOUNTER_SHOWN_PTIMER)->sig;
	var[2] = i;
	var[3] = !!(same[i / STATUS_BITS] & BIT(i % STATUS_BITS));
}

/* ---- GPCs and partitions ---- */

/**
 * pcounter_bench_units() - are units numbered without holes?
 * @b: the bench; nothing is written
 * @var: gets how many there are, as they are numbered now, for how many of these a
 *	block answers, and the masks of those that are disabled, partitions << 16
 */
void pcounter_bench_units(struct pcounter_bench *b, u32 *var)
{
	u32 ctrl, mask;
	unsigned int i;

	for (i = 0; i < b->topo.nr; i++) {
		if (b->topo.dom[i].set == PCOUNTER_SET_HUB || b->topo.dom[i].dom)
			continue;
		ctrl = pcounter_bench_rd(b, pcounter_reg_addr(b->gen, PCOUNTER_REG_CTRL,
							      b->topo.dom[i].block));
		var[0]++;
		var[1] += !pcounter_is_dead(ctrl);
	}
	for (i = 0; i < 4; i++) {
		mask = pcounter_bench_rd(b, pcounter_reg_addr(b->gen, PCOUNTER_REG_DISABLED + i,
							      0));
		var[2] |= (mask & 0xffff) << (i < 2 ? 0 : 16);
	}
}

/* ---- trailers, as they were found ---- */

/* Where the base of a domain has its byte: 8 of HUB, 8 of GPC 0, 4 of partition 0. */
static unsigned int base_byte(const struct pcounter_dom_id *id)
{
	return id->set * 8 + id->dom;
}

/**
 * pcounter_bench_bases() - trailer bases as they were found
 * @b: the bench
 * @var: gets a byte for each domain, 0xff where none was found, and in the last one
 *	how many are not where the tables have them
 */
void pcounter_bench_bases(const struct pcounter_bench *b, u32 *var)
{
	unsigned int i, at;

	for (i = 0; i < PCOUNTER_EXP_VARS - 1; i++)
		var[i] = ~0;
	var[PCOUNTER_EXP_VARS - 1] = 0;
	for (i = 0; i < b->topo.nr; i++) {
		if (b->base[i] == PCOUNTER_TRAILER_UNKNOWN)
			continue;
		at = base_byte(&b->topo.dom[i]);
		var[at / 4] &= ~(0xffU << (at % 4 * 8));
		var[at / 4] |= (u32)b->base[i] << (at % 4 * 8);
		var[PCOUNTER_EXP_VARS - 1] += b->listed[i] != PCOUNTER_TRAILER_UNKNOWN &&
					      b->listed[i] != b->base[i];
	}
}

/**
 * pcounter_bench_sum() - the configuration of all domains as one number
 * @b: the bench
 *
 * Reads only. Two numbers that differ tell that a register has changed.
 *
 * Return: the number.
 */
u32 pcounter_bench_sum(struct pcounter_bench *b)
{
	struct pcounter_ctrl c;
	unsigned int i, reg;
	u32 sum = 0, addr, val;

	b->accesses = 0;
	for (i = 0; i < b->topo.nr; i++) {
		pcounter_ctrl_of(b->gen, b->topo.dom[i].block, &c);
		for (reg = PCOUNTER_REG_SRC; reg < PCOUNTER_REG_CTR; reg++) {
			addr = pcounter_reg_addr(b->gen, reg, b->topo.dom[i].block);
			val = addr ? pcounter_bench_rd(b, addr) : 0;
			sum = (sum ^ val) * 0x9e3779b1;
		}
		addr = pcounter_reg_addr(b->gen, PCOUNTER_REG_CTRL, b->topo.dom[i].block);
		sum = (sum ^ (pcounter_bench_rd(b, addr) & c.keep)) * 0x9e3779b1;
	}
	return sum;
}
