// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set-up of a bench: find the duration of writes, the running domains,
 * their clocks and their trailers.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "lab/bench.h"

#define POLL_US		64	/* a write that shows later has failed */
#define CTRL_LOOKS	8
#define MOST_US		4096	/* a slower clock stands still */
#define ENOUGH_CLOCKS	128	/* to measure a clock */
#define LOW_LOOKS	8
#define PROBE_ROUNDS	12
#define RATIO		5

/* ---- writes ---- */

/* Return the microseconds until a register reads @wanted. */
static u32 poll_for(struct pcounter_bench *b, u32 addr, u32 wanted)
{
	u32 us;

	for (us = 0; us < POLL_US && bench_rd(b, addr) != wanted; us++)
		bench_wait(b, 1);
	return us;
}

/* Measure the duration of a write; if that fails, waits are long. */
static void learn_delay(struct pcounter_bench *b)
{
	u32 addr = pcounter_reg_addr(b->gen, PCOUNTER_REG_SRC + PCOUNTER_STOP,
				     b->topo.dom[0].block), us = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		bench_wr(b, addr, i ? 0x01020304 : 0, ~0);
		us = max(us, poll_for(b, addr, i ? 0x01020304 : 0));
	}
	b->settle = us + 1;
	bench_restore(b);
}

/* Find out whether CTRL, which two domains share, can be read back. */
static void look_for_ctrl(struct pcounter_bench *b)
{
	u32 addr = pcounter_reg_addr(b->gen, PCOUNTER_REG_CTRL, 0), seen[2] = {}, val;
	const struct pcounter_ctrl *c = pcounter_ctrl_of(b->gen, 0);
	unsigned int i;

	if (!bench_has(b, PCOUNTER_CAP_CTRL_SHARED) || b->topo.nr < 2)
		return;
	val = bench_rd(b, addr) & c->preserve_mask;
	for (i = 0; i < 2 * CTRL_LOOKS; i++) {
		bench_wr(b, addr, i & 1 ? val ^ c->all : val, c->preserve_mask);
		seen[i & 1] += !((bench_rd(b, addr) ^ val) & c->all);
	}
	b->hidden = seen[0] != CTRL_LOOKS || seen[1];
	bench_restore(b);
	if (b->hidden)
		b->why = "CTRL cannot be read, so it could not be put back";
}

/* ---- trailers ---- */

static void drive_flag(struct pcounter_bench *b, bool level)
{
	bench_op(b, 0, PCOUNTER_OP_CLRFLAG, level ? 0 : ALWAYS);
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, level ? ALWAYS : 0);
	if (!bench_has(b, PCOUNTER_CAP_QUAD))
		bench_start(b);
	bench_clocks(b, 16);
}

/* Return the words of SIG_STATUS whose bit for the flag has this level. */
static u32 words_with(struct pcounter_bench *b, unsigned int dom, bool level)
{
	u32 flag = BIT(STATUS_BITS - 1 - b->topo.dom[dom].dom), words = 0;
	unsigned int w;

	for (w = 0; w < STATUS_WORDS; w++)
		if (!(bench_levels(b, dom, w) & flag) == !level)
			words |= BIT(w);
	return words;
}

/*
 * Find the base of the trailer of a domain, or PCOUNTER_TRAILER_UNKNOWN: set
 * and clear the flag until only one word of SIG_STATUS has followed every time.
 */
static u32 find_trailer(struct pcounter_bench *b, unsigned int dom)
{
	unsigned int i, last = bench_has(b, PCOUNTER_CAP_SETS) ? 1 : 0;
	u32 words = GENMASK(STATUS_WORDS - 1, last);

	bench_ctrl(b, 0, BENCH_QUAD);
	bench_op(b, 0, PCOUNTER_START, ALWAYS);
	for (i = 0; i < PROBE_ROUNDS && words; i++) {
		drive_flag(b, i & 1);
		words &= words_with(b, dom, i & 1);
	}
	drive_flag(b, false);
	bench_op(b, 0, PCOUNTER_OP_CLRFLAG, 0);
	bench_ctrl(b, 0, BENCH_OFF);
	if (hweight32(words) != 1)
		return PCOUNTER_TRAILER_UNKNOWN;
	return (ffs(words) - 1 - last) * STATUS_BITS;
}

/* ---- clocks ---- */

/* Count the clocks of a wait; @took is the longest time that the wait may have taken. */
static u32 count_for(struct pcounter_bench *b, unsigned int us, u64 *took)
{
	bool quad = bench_has(b, PCOUNTER_CAP_QUAD);
	u64 begun = b->ops->now(b);

	if (quad)
		bench_swap(b);
	else
		bench_start(b);
	bench_wait(b, us);
	if (quad)
		bench_trigger(b, 0);
	else
		bench_op(b, 0, PCOUNTER_STOP, 0);
	*took = b->ops->now(b) - begun;
	if (quad)
		bench_show(b);
	return bench_rd(b, bench_reg(b, 0, PCOUNTER_REG_CYCLES));
}

/* Return the domain's clocks in 1024 us, a lower bound; 0: it stands still. */
static u32 measure(struct pcounter_bench *b)
{
	unsigned int us;
	u32 clocks = 0;
	u64 took = 1;

	bench_ctrl(b, 0, BENCH_QUAD);
	bench_op(b, 0, PCOUNTER_START, ALWAYS);
	for (us = 16; us <= MOST_US && clocks < ENOUGH_CLOCKS && !b->lost; us *= 4)
		clocks = count_for(b, us, &took);
	bench_ctrl(b, 0, BENCH_OFF);
	return min_t(u64, div_u64((u64)clocks * 1024, max_t(u32, took, 1)), U32_MAX);
}

/* ---- domains ---- */

/* Make this domain the first one of the bench, and measure its clock. */
static u32 try_domain(struct pcounter_bench *b, unsigned int dom)
{
	struct pcounter_dom_id *id = &b->topo.dom[dom];
	u32 found;

	b->dom[0] = dom;
	b->dom[1] = -1;
	b->low[0] = -1;
	bench_quiet(b, 0);
	found = find_trailer(b, dom);
	if (found == PCOUNTER_TRAILER_UNKNOWN)
		return 0;
	if (id->trailer != PCOUNTER_TRAILER_UNKNOWN && !id->disputed && id->trailer != found)
		b->unlike++;
	b->base[dom] = found;
	id->trailer = found;
	id->disputed = false;
	bench_quiet(b, 0);
	return measure(b);
}

static bool same_set(const struct pcounter_bench *b, unsigned int x, unsigned int y)
{
	return b->topo.dom[x].set == b->topo.dom[y].set &&
	       b->topo.dom[x].unit == b->topo.dom[y].unit;
}

static void use_none(struct pcounter_bench *b)
{
	memset(b->dom, -1, sizeof(b->dom));
	memset(b->pair, -1, sizeof(b->pair));
	memset(b->low, -1, sizeof(b->low));
}

/* Find the first two running domains of a set, and two with very different clocks. */
static void find_domains(struct pcounter_bench *b)
{
	const u32 *clocks = b->rate;
	unsigned int x, y;

	use_none(b);
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

/* Find a signal that stays 0; from G84 on the trailer has one. */
static int find_low(struct pcounter_bench *b, unsigned int which)
{
	const struct pcounter_dom_id *id = bench_dom(b, which);
	u32 moved[STATUS_WORDS] = {};
	unsigned int i, w;

	if (bench_has(b, PCOUNTER_CAP_SETS))
		return id->trailer + TRAILER_ZERO;
	if (bench_has(b, PCOUNTER_CAP_SWAP_SRC))
		return id->trailer + bench_signals(b)->zero;
	for (i = 0; i < LOW_LOOKS; i++, bench_clocks(b, 7))
		for (w = 0; w < STATUS_WORDS; w++)
			moved[w] |= bench_levels(b, b->dom[which], w);
	for (i = 0; i < id->trailer; i++)
		if (!(moved[i / STATUS_BITS] & BIT(i % STATUS_BITS)))
			return i;
	return -1;
}

/* Find the running domains and their properties. */
static void set_up(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < b->topo.nr && !b->lost; i++) {
		/* one unit of a repeated set is enough */
		if (b->topo.dom[i].unit)
			continue;
		/* gated clocks look like clocks that stand still */
		bench_gate(b, PCOUNTER_GATES, 0);
		b->rate[i] = try_domain(b, i);
		/* restore each domain before trying the next */
		if (!bench_restore(b))
			return;
	}
	bench_gate(b, PCOUNTER_GATES, 0);
	find_domains(b);
	for (i = 0; i < 2; i++)
		if (b->dom[i] >= 0)
			b->low[i] = find_low(b, i);
	if (b->dom[0] < 0)
		b->why = "no domain was found whose clock runs and whose flag shows";
	else if (b->low[0] < 0)
		b->why = "no signal was found that stays 0";
}

/**
 * bench_make_ready() - find the domains and timings for programs, once for each bench
 * @b: the bench; @why names the missing part
 */
void bench_make_ready(struct pcounter_bench *b)
{
	if (b->ready)
		return;
	b->ready = true;
	learn_delay(b);
	look_for_ctrl(b);
	if (!b->hidden)
		set_up(b);
	bench_restore(b);
}

/**
 * pcounter_bench_init() - make a bench for a GPU
 * @bench: the bench
 * @ops: how to reach its registers
 * @gen: its generation
 * @topo: its domains
 */
void pcounter_bench_init(struct pcounter_bench *bench, const struct pcounter_bench_ops *ops,
			 const struct pcounter_gen *gen, const struct pcounter_topo *topo)
{
	memset(bench, 0, sizeof(*bench));
	bench->ops = ops;
	bench->gen = gen;
	bench->topo = *topo;
	use_none(bench);
	/* PCOUNTER_TRAILER_UNKNOWN */
	memset(bench->base, -1, sizeof(bench->base));
}
