// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running an experiment: set up a bench, take its domains, go through the steps,
 * put everything back, and compare what was seen with the readings.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "experiment/bench.h"
#include "hw/layout.h"
#include "rules/signals.h"

#define POLL_US		64	/* a write that shows later is none */
#define FLUSH_LOOKS	2000
#define STATUS_BITS	32
#define STATUS_WORDS	8
#define CTRL_LOOKS	8
#define NO_GATING	0
#define GATING		0x1ff

/**
 * struct run - a run of a program
 * @b: the bench
 * @exp: the experiment
 * @var: its variables
 * @addr: the registers that they were read from; 0: none
 * @loop: step behind the LOOP that is open
 * @left: how often it is still to be gone through
 */
struct run {
	struct pcounter_bench *b;
	const struct pcounter_experiment *exp;
	u32 var[PCOUNTER_EXP_VARS];
	u32 addr[PCOUNTER_EXP_VARS];
	const struct pcounter_step *loop;
	u32 left;
};

/* ---- wires ---- */

static u32 wire(const struct pcounter_bench *b, unsigned int which, u32 what)
{
	const struct pcounter_dom_id *id = pcounter_bench_dom(b, which);
	const struct pcounter_dom_id *other = b->dom[1] < 0 ? id : pcounter_bench_dom(b, !which);
	bool sets = b->gen->caps & PCOUNTER_CAP_SETS;
	u32 end = id->trailer + (sets ? 0x40 : 0x20);

	switch (what) {
	case PCOUNTER_WIRE_FLAG:
		return end - 1 - id->dom;
	case PCOUNTER_WIRE_EVENT:
		return end - 9 - id->dom;
	case PCOUNTER_WIRE_OTHER_FLAG:
		return end - 1 - other->dom;
	case PCOUNTER_WIRE_OTHER_EVENT:
		return end - 9 - other->dom;
	case PCOUNTER_WIRE_PERIODIC:
		return id->trailer + pcounter_trailer_of(b->gen->caps)->periodic;
	case PCOUNTER_WIRE_0E:
		return id->trailer + 0x0e;
	case PCOUNTER_WIRE_READS:
	case PCOUNTER_WIRE_WRITES:
	case PCOUNTER_WIRE_ACCESSES:
		return pcounter_bench_bus(b, what - PCOUNTER_WIRE_READS)->sig;
	case PCOUNTER_WIRE_2F:
		return id->trailer + 0x2f;
	case PCOUNTER_WIRE_TRIGGER:
		return id->trailer + pcounter_trailer_of(b->gen->caps)->trigger;
	default:
		return b->low[which];
	}
}

static u32 wires(const struct pcounter_bench *b, unsigned int which, u32 packed)
{
	unsigned int i;
	u32 src = 0;

	for (i = 0; i < 4; i++)
		src |= wire(b, which, packed >> (8 * i) & 0xff) << (8 * i);
	return src;
}

/* ---- steps that are more than an access ---- */

static u32 quad_state(struct pcounter_bench *b, unsigned int which)
{
	struct pcounter_ctrl c;
	u32 val = pcounter_bench_rd(b, pcounter_bench_reg(b, which, PCOUNTER_REG_CTRL));

	pcounter_ctrl_of(b->gen, pcounter_bench_dom(b, which)->block, &c);
	return (val & c.quad_state) >> (ffs(c.quad_state) - 1);
}

static void hold_periodic(struct pcounter_bench *b, unsigned int which, bool held)
{
	u32 addr = pcounter_bench_reg(b, which, PCOUNTER_REG_PERIODIC);
	u32 val = pcounter_bench_rd(b, addr) & ~BIT(PCOUNTER_PERIODIC_BIT);

	/* its other bits belong to others: they are not changed, and put back as now */
	pcounter_bench_wr(b, addr, val | (held ? BIT(PCOUNTER_PERIODIC_BIT) : 0), ~0);
	pcounter_bench_wait(b, b->settle);
}

static void clear_flag(struct pcounter_bench *b, unsigned int which)
{
	unsigned int set = PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG;
	unsigned int clr = PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG;

	pcounter_bench_write(b, which, set, 0);
	pcounter_bench_write(b, which, clr, PCOUNTER_OP_ALWAYS);
	pcounter_bench_clocks(b, 16);
	pcounter_bench_write(b, which, clr, 0);
}

static u32 poll_for(struct pcounter_bench *b, u32 addr, u32 wanted)
{
	u32 us;

	for (us = 0; us < POLL_US && pcounter_bench_rd(b, addr) != wanted; us++)
		pcounter_bench_wait(b, 1);
	return us;
}

static u32 flush(struct pcounter_bench *b)
{
	u32 addr = pcounter_bench_reg(b, 0, PCOUNTER_REG_FLUSH), n;

	pcounter_bench_pulse(b, addr, PCOUNTER_FLUSH_ENGINE);
	for (n = 0; n < FLUSH_LOOKS; n++) {
		if (!(pcounter_bench_rd(b, addr) & BIT(PCOUNTER_FLUSH_BUSY)))
			break;
		if (n > 16)
			pcounter_bench_wait(b, 1);
	}
	return n;
}

static u32 trailer_size(const struct pcounter_bench *b)
{
	return b->gen->caps & PCOUNTER_CAP_SETS ? 0x40 : 0x20;
}

/* First word of SIG_STATUS that is above the trailer of a domain. */
static unsigned int word_above(const struct pcounter_bench *b, unsigned int which)
{
	return (pcounter_bench_dom(b, which)->trailer + trailer_size(b)) / STATUS_BITS;
}

static u32 levels_above(struct pcounter_bench *b, unsigned int which)
{
	const struct pcounter_dom_id *id = pcounter_bench_dom(b, which);
	u32 levels = 0, addr;
	unsigned int w;

	for (w = word_above(b, which); w < STATUS_WORDS; w++) {
		addr = pcounter_status_addr(b->gen, id->block, w);
		levels |= addr ? pcounter_bench_rd(b, addr) : 0;
	}
	return levels;
}

static u32 reads_all(struct pcounter_bench *b)
{
	struct pcounter_ctrl c;

	pcounter_ctrl_of(b->gen, pcounter_bench_dom(b, 0)->block, &c);
	return !!(pcounter_bench_rd(b, pcounter_bench_reg(b, 0, PCOUNTER_REG_CTRL)) & c.all);
}

static void gate(struct pcounter_bench *b, bool on)
{
	unsigned int i;

	/* of the three kinds of sets; not of MAIN */
	for (i = 0; i < 3; i++)
		pcounter_bench_wr(b, pcounter_reg_addr(b->gen, PCOUNTER_REG_SLCG + i, 0),
				  on ? GATING : NO_GATING, ~0);
	pcounter_bench_wait(b, b->settle);
}

/* Trailer base of a domain by its number, not of those in use. */
static u32 trailer_of(struct pcounter_bench *b, unsigned int dom)
{
	int was = b->dom[0], other = b->dom[1];
	u32 base;

	b->dom[0] = dom;
	b->dom[1] = -1;
	pcounter_bench_quiet(b, 0);
	base = pcounter_bench_trailer(b, 0);
	b->dom[0] = was;
	b->dom[1] = other;
	return base;
}

/* Bits of a register that do not take both levels; the first one is remembered. */
static u32 lost_bits_of(struct pcounter_bench *b, unsigned int which, unsigned int reg)
{
	u32 addr = pcounter_bench_reg(b, which, reg), bits = pcounter_reg_bits(reg);
	u32 lost = 0, wanted, got;
	unsigned int i;

	for (i = 0; addr && i < 2; i++) {
		wanted = (i ? 0xaaaaaaaa : 0x55555555) & bits;
		pcounter_bench_write(b, which, reg, wanted);
		got = pcounter_bench_rd(b, addr) & bits;
		lost |= wanted ^ got;
		if (wanted == got || b->fault_addr)
			continue;
		b->fault_addr = addr;
		b->fault_wanted = wanted;
		b->fault_got = got;
	}
	return lost;
}

static u32 lost_bits(struct pcounter_bench *b, unsigned int which)
{
	unsigned int reg;
	u32 lost = 0;

	for (reg = PCOUNTER_REG_SRC; reg < PCOUNTER_REG_CTR; reg++)
		lost |= lost_bits_of(b, which, reg);
	if (b->gen->caps & PCOUNTER_CAP_SWAP_SRC)
		lost |= lost_bits_of(b, which, PCOUNTER_REG_SWAP_SRC);
	return lost;
}

static void make_reads(struct pcounter_bench *b, u32 addr, u32 n)
{
	/* a write of PRE_OP swaps without a read, PM_TRIGGER does not */
	if (!(b->gen->caps & PCOUNTER_CAP_SWAP_SHARED))
		n++;
	while (n-- && !b->lost)
		pcounter_bench_rd(b, addr);
}

static void make_writes(struct pcounter_bench *b, unsigned int which, unsigned int reg, u32 n)
{
	u32 val = pcounter_bench_now(b, pcounter_bench_reg(b, which, reg), 0);

	while (n-- && !b->lost)
		pcounter_bench_write(b, which, reg, val);
}

/* ---- going through the steps ---- */

static void swap_step(struct pcounter_bench *b, const struct pcounter_step *s)
{
	pcounter_bench_swap(b, s->dom);
	if (s->val && b->dom[1] >= 0 && !(b->gen->caps & PCOUNTER_CAP_SWAP_SHARED))
		pcounter_bench_swap(b, !s->dom);
	if (s->op == PCOUNTER_STEP_SWAP_NOW) {
		pcounter_bench_wait(b, b->delay);
		return;
	}
	pcounter_bench_wait(b, b->settle);
	pcounter_bench_clocks(b, 48);
}

static u32 ack_all(const struct pcounter_bench *b)
{
	return b->gen->caps & PCOUNTER_CAP_ACK_SHARED ? BIT(0) | BIT(PCOUNTER_ACK_OTHER) : BIT(0);
}

static void write_step(struct run *r, const struct pcounter_step *s)
{
	struct pcounter_bench *b = r->b;
	u32 addr = pcounter_bench_reg(b, s->dom, s->reg);

	switch (s->op) {
	case PCOUNTER_STEP_WRITE:
		/* a counter is not put back */
		if (s->reg == PCOUNTER_REG_PRE_NEXT)
			pcounter_bench_pulse(b, addr, s->val);
		else
			pcounter_bench_write(b, s->dom, s->reg, s->val);
		break;
	case PCOUNTER_STEP_SRC:
		pcounter_bench_write(b, s->dom, s->reg, wires(b, s->dom, s->val));
		break;
	case PCOUNTER_STEP_CTRL:
		pcounter_bench_ctrl(b, s->dom, s->val);
		break;
	case PCOUNTER_STEP_START:
		pcounter_bench_start(b, s->dom, s->val);
		break;
	case PCOUNTER_STEP_ACK:
		pcounter_bench_pulse(b, addr, s->val ?: ack_all(b));
		pcounter_bench_wait(b, b->settle);
		break;
	case PCOUNTER_STEP_CLEAR:
		clear_flag(b, s->dom);
		break;
	case PCOUNTER_STEP_HOLD:
		hold_periodic(b, s->dom, s->val);
		break;
	case PCOUNTER_STEP_READS:
		make_reads(b, addr, s->val);
		break;
	case PCOUNTER_STEP_WRITES:
		make_writes(b, s->dom, s->reg, s->val);
		break;
	case PCOUNTER_STEP_GATE:
		gate(b, s->val);
		break;
	case PCOUNTER_STEP_ENTER:
	case PCOUNTER_STEP_LIMIT:
	case PCOUNTER_STEP_RECORD:
		pcounter_bench_record(b, s);
		break;
	default:
		swap_step(b, s);
	}
}

static void look_step(struct run *r, const struct pcounter_step *s)
{
	struct pcounter_bench *b = r->b;
	u32 *var = &r->var[s->var];
	u32 addr = b->dom[0] < 0 ? 0 : pcounter_bench_reg(b, s->dom, s->reg);

	switch (s->op) {
	case PCOUNTER_STEP_READ:
		*var = pcounter_bench_rd(b, addr);
		r->addr[s->var] = addr;
		break;
	case PCOUNTER_STEP_STATE:
		*var = quad_state(b, s->dom);
		break;
	case PCOUNTER_STEP_POLL:
		pcounter_bench_wr(b, addr, s->val, ~0);
		*var = poll_for(b, addr, s->val);
		break;
	case PCOUNTER_STEP_FLUSH:
		*var = flush(b);
		break;
	case PCOUNTER_STEP_ABOVE:
		*var |= levels_above(b, s->dom);
		break;
	case PCOUNTER_STEP_ALL:
		*var += reads_all(b);
		break;
	case PCOUNTER_STEP_UNITS:
		pcounter_bench_units(b, r->var);
		break;
	case PCOUNTER_STEP_PTIMER:
		pcounter_bench_ptimer(b, r->var);
		break;
	case PCOUNTER_STEP_BASES:
		pcounter_bench_bases(b, r->var);
		break;
	case PCOUNTER_STEP_KEEP:
		*var |= lost_bits(b, s->dom);
		break;
	case PCOUNTER_STEP_IDLE:
		*var = pcounter_bench_idle(b, s->val);
		break;
	case PCOUNTER_STEP_IDLE_FULL:
		*var = pcounter_bench_idle_full(b);
		break;
	case PCOUNTER_STEP_ADD:
		*var += r->var[s->val];
		break;
	default:
		*var = trailer_of(b, s->val);
	}
}

static const struct pcounter_step *flow_step(struct run *r, const struct pcounter_step *s)
{
	switch (s->op) {
	case PCOUNTER_STEP_CLOCKS:
		pcounter_bench_clocks(r->b, s->val);
		break;
	case PCOUNTER_STEP_LOOP:
		r->loop = s + 1;
		r->left = s->val;
		break;
	case PCOUNTER_STEP_NEXT:
		if (--r->left)
			return r->loop;
		break;
	}
	return s + 1;
}

static void go_through(struct run *r)
{
	const struct pcounter_step *s = r->exp->step;

	while (s->op != PCOUNTER_STEP_END && !r->b->lost) {
		if (s->dom && r->b->dom[1] < 0)
			;
		else if (s->op < PCOUNTER_STEP_READ)
			write_step(r, s);
		else if (s->op >= PCOUNTER_STEP_POSITION && s->op < PCOUNTER_STEP_ADD)
			pcounter_bench_packets(r->b, s, &r->var[s->var]);
		else if (s->op < PCOUNTER_STEP_CLOCKS)
			look_step(r, s);
		s = flow_step(r, s);
	}
}

/* ---- comparing ---- */

static bool holds(const u32 *var, const struct pcounter_condition *c)
{
	s64 a = c->a == PCOUNTER_EXP_NUMBER ? 0 : var[c->a];
	s64 other = c->b == PCOUNTER_EXP_NUMBER ? 0 : var[c->b], b = other + c->add;
	s64 far = a > other ? a - other : other - a;

	switch (c->relation) {
	case PCOUNTER_EQUAL:
		return a == b;
	case PCOUNTER_DIFFERS:
		return a != b;
	case PCOUNTER_LESS:
		return a < b;
	case PCOUNTER_MORE:
		return a > b;
	case PCOUNTER_NEAR:
		return far < c->add;
	case PCOUNTER_FAR:
		return far >= c->add;
	default:
		return true;
	}
}

/* What is not as the first reading has it: a number that a register gave. */
static void find_culprit(const struct run *r, struct pcounter_bench *b)
{
	const struct pcounter_condition *c = r->exp->reading[0].when;
	unsigned int i;

	for (i = 0; i < PCOUNTER_EXP_CONDITIONS && !b->fault_addr; i++) {
		if (c[i].relation != PCOUNTER_EQUAL || holds(r->var, &c[i]) || !r->addr[c[i].a])
			continue;
		b->fault_addr = r->addr[c[i].a];
		b->fault_wanted = (c[i].b == PCOUNTER_EXP_NUMBER ? 0 : r->var[c[i].b]) + c[i].add;
		b->fault_got = r->var[c[i].a];
	}
}

static void compare(const struct run *r, struct pcounter_finding *found)
{
	const struct pcounter_reading *reading = r->exp->reading;
	unsigned int i, k;

	for (i = 0; reading[i].text; i++) {
		for (k = 0; k < PCOUNTER_EXP_CONDITIONS; k++)
			if (!holds(r->var, &reading[i].when[k]))
				break;
		if (k < PCOUNTER_EXP_CONDITIONS)
			continue;
		found->reading = i;
		found->verdict = PCOUNTER_NAMED;
		return;
	}
	found->verdict = r->exp->open ? PCOUNTER_UNDECIDED : PCOUNTER_CONTRADICTS;
}

/* ---- the whole ---- */

/* Does CTRL, which two domains share, give what was written? */
static void look_for_ctrl(struct pcounter_bench *b)
{
	u32 addr = pcounter_reg_addr(b->gen, PCOUNTER_REG_CTRL, 0), seen[2] = {}, val;
	struct pcounter_ctrl c;
	unsigned int i;

	if (!(b->gen->caps & PCOUNTER_CAP_CTRL_SHARED) || b->topo.nr < 2)
		return;
	pcounter_ctrl_of(b->gen, 0, &c);
	val = pcounter_bench_rd(b, addr) & c.keep;
	for (i = 0; i < 2 * CTRL_LOOKS; i++) {
		pcounter_bench_wr_last(b, addr, i & 1 ? val ^ c.all : val, c.keep);
		pcounter_bench_wait(b, b->settle);
		seen[i & 1] += !((pcounter_bench_rd(b, addr) ^ val) & c.all);
	}
	b->hidden = seen[0] != CTRL_LOOKS || seen[1];
	pcounter_bench_restore(b);
	if (b->hidden)
		b->why = "CTRL cannot be read, so it could not be put back";
}

static bool in_reach(const struct pcounter_bench *b, const struct pcounter_experiment *exp)
{
	u32 caps = b->gen->caps;
	u16 chipset = b->topo.chip->chipset;

	if ((caps & exp->caps) != exp->caps || caps & exp->absent)
		return false;
	if (exp->needs & PCOUNTER_NEEDS_CTRL && b->topo.nr < 2)
		return false;
	if (exp->needs & PCOUNTER_NEEDS_BUS && !pcounter_bench_bus(b, PCOUNTER_SHOWN_READS))
		return false;
	if (exp->needs & PCOUNTER_NEEDS_PTIMER && !pcounter_bench_bus(b, PCOUNTER_SHOWN_PTIMER))
		return false;
	if (exp->needs & PCOUNTER_NEEDS_G98 && chipset != 0x98)
		return false;
	if (exp->needs & PCOUNTER_NEEDS_IDLE && !pcounter_bench_has_idle(b))
		return false;
	return !(exp->needs & PCOUNTER_NEEDS_GATING) || chipset >= 0xe0;
}

/* What record mode needs. */
static const char *lacks_memory(const struct pcounter_bench *b, u32 needs)
{
	if (needs & PCOUNTER_NEEDS_FAULT)
		return b->wedged ? NULL : "there was no fault";
	if (!(needs & PCOUNTER_NEEDS_MEMORY))
		return NULL;
	if (b->wedged)
		return "a fault has stopped the domain until the GPU is reset";
	return b->ops->lend ? NULL : "there is no memory to record into";
}

static const char *lacks(struct pcounter_bench *b, const struct pcounter_experiment *exp)
{
	if (exp->needs & PCOUNTER_NEEDS_IDLE)
		return pcounter_bench_find_idle(b, exp->needs & PCOUNTER_NEEDS_LEVELS);
	if (exp->needs & (PCOUNTER_NEEDS_PTIMER | PCOUNTER_NEEDS_SOURCE))
		return NULL;
	if (b->why)
		return b->why;
	if (exp->needs & PCOUNTER_NEEDS_TWO && b->dom[1] < 0)
		return "only one domain of a set runs";
	if (exp->needs & PCOUNTER_NEEDS_BUS &&
	    pcounter_bench_dom(b, 0)->dom != pcounter_bench_bus(b, PCOUNTER_SHOWN_READS)->dom)
		return "the clock of the domain that shows register accesses stands still";
	if (exp->needs & PCOUNTER_NEEDS_RATIO && b->pair[0] < 0)
		return "no two domains of a set whose clocks are far enough apart";
	if (exp->needs & PCOUNTER_NEEDS_SPACE && word_above(b, 0) >= STATUS_WORDS &&
	    (b->dom[1] < 0 || word_above(b, 1) >= STATUS_WORDS))
		return "no signal number is above a trailer";
	return lacks_memory(b, exp->needs);
}

static void use_pair(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		swap(b->dom[i], b->pair[i]);
		swap(b->clocks[i], b->pair_clocks[i]);
	}
}

static void run_steps(struct run *r)
{
	struct pcounter_bench *b = r->b;
	bool two = r->exp->needs & (PCOUNTER_NEEDS_TWO | PCOUNTER_NEEDS_RATIO);
	bool raw = r->exp->needs & (PCOUNTER_NEEDS_RAW | PCOUNTER_NEEDS_IDLE |
				    PCOUNTER_NEEDS_PTIMER | PCOUNTER_NEEDS_SOURCE);
	int first = b->dom[0], other = b->dom[1];

	if (!two && !(r->exp->needs & PCOUNTER_NEEDS_SPACE))
		b->dom[1] = -1;
	/* where none was found this one will do: its clock does not matter */
	if (first < 0)
		b->dom[0] = 0;
	if (!raw)
		pcounter_bench_quiet(b, 0);
	if (two)
		pcounter_bench_quiet(b, 1);
	go_through(r);
	pcounter_bench_look_for_fault(b);
	b->dom[0] = first;
	b->dom[1] = other;
}

/* How long does a write take? Until this is known, waits are long. */
static void learn_delay(struct pcounter_bench *b)
{
	u32 addr = pcounter_reg_addr(b->gen, PCOUNTER_REG_SRC + PCOUNTER_STOP,
				     b->topo.dom[0].block), us = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pcounter_bench_wr(b, addr, i ? 0x01020304 : 0, ~0);
		us = max(us, poll_for(b, addr, i ? 0x01020304 : 0));
	}
	pcounter_bench_restore(b);
	if (us == POLL_US)
		return;
	b->delay = us;
	b->settle = us + 1;
}

static void make_ready(struct pcounter_bench *b)
{
	if (b->ready)
		return;
	b->ready = true;
	learn_delay(b);
	look_for_ctrl(b);
	if (!b->hidden)
		pcounter_bench_setup(b);
	pcounter_bench_restore(b);
}

static void conclude(const struct run *r, struct pcounter_finding *found, bool kept)
{
	struct pcounter_bench *b = r->b;

	memcpy(found->var, r->var, sizeof(found->var));
	found->accesses = b->accesses;
	if (b->lost) {
		found->verdict = PCOUNTER_STOPPED;
	} else {
		compare(r, found);
		/* what was seen then says nothing else */
		if (b->wedged && r->exp->needs & PCOUNTER_NEEDS_MEMORY && !r->exp->fault) {
			found->verdict = PCOUNTER_UNDECIDED;
			found->why = "a fault has stopped the domain until the GPU is reset";
		}
		if (found->verdict == PCOUNTER_CONTRADICTS)
			find_culprit(r, b);
		if (!kept)
			found->verdict = PCOUNTER_NOT_RESTORED;
		found->addr = b->fault_addr;
		found->wanted = b->fault_wanted;
		found->got = b->fault_got;
	}
}

/**
 * pcounter_experiment_run() - make an experiment
 * @bench: where
 * @exp: which
 * @found: what came of it
 *
 * All registers are as they were found afterwards, unless the verdict says
 * otherwise. The first experiment on a bench looks for domains that run, which
 * takes longer.
 */
void pcounter_experiment_run(struct pcounter_bench *bench,
			     const struct pcounter_experiment *exp,
			     struct pcounter_finding *found)
{
	struct run r = { .b = bench, .exp = exp };
	bool ratio = exp->needs & PCOUNTER_NEEDS_RATIO, kept;

	memset(found, 0, sizeof(*found));
	bench->accesses = 0;
	bench->fault_addr = 0;
	found->verdict = PCOUNTER_ABSENT_HERE;
	if (!in_reach(bench, exp))
		return;
	if (!(exp->needs & PCOUNTER_NEEDS_PTIMER))
		make_ready(bench);
	found->verdict = PCOUNTER_UNDECIDED;
	if (exp->needs & PCOUNTER_NEEDS_RAW && !bench->lost) {
		found->verdict = PCOUNTER_NAMED;
		found->reading = bench->hidden;
		found->accesses = bench->accesses;
		return;
	}
	/* a bench that is lost may have no domains */
	if (!bench->lost)
		found->why = lacks(bench, exp);
	if (found->why)
		return;
	if (exp->needs & PCOUNTER_NEEDS_MEMORY && !bench->lost &&
	    !pcounter_bench_lend(bench, exp->needs & PCOUNTER_NEEDS_TABLES)) {
		found->why = "record mode could not be set up";
		return;
	}
	if (ratio)
		use_pair(bench);
	if (!bench->lost)
		run_steps(&r);
	kept = pcounter_bench_restore(bench);
	if (ratio)
		use_pair(bench);
	pcounter_bench_take(bench);
	conclude(&r, found, kept);
}

/**
 * pcounter_bench_init() - a bench for a GPU
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
	pcounter_bench_use_none(bench);
	pcounter_bench_forget_bases(bench);
	bench->settle = POLL_US;
	bench->delay = POLL_US;
}

/**
 * pcounter_verdict_text() - a verdict in words
 * @verdict: the verdict
 *
 * Return: a constant string.
 */
const char *pcounter_verdict_text(enum pcounter_verdict verdict)
{
	static const char *const text[PCOUNTER_VERDICTS] = {
		[PCOUNTER_NAMED] = "decided",
		[PCOUNTER_ABSENT_HERE] = "absent",
		[PCOUNTER_UNDECIDED] = "undecided",
		[PCOUNTER_CONTRADICTS] = "contradicts",
		[PCOUNTER_STOPPED] = "stopped",
		[PCOUNTER_NOT_RESTORED] = "not-restored",
	};

	return text[verdict];
}
