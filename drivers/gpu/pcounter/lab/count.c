// SPDX-License-Identifier: GPL-2.0-only
/*
 * Experiments that count, in single and in quad event mode. The variables of a
 * program do not depend on the duration of its accesses, unless the program
 * says so.
 */
#include <linux/minmax.h>

#include "hw/io.h"
#include "hw/regs.h"
#include "lab/bench.h"
#include "rules/lookup.h"

#define BOTH		0x8888				/* arguments 0 and 1 */
#define DELAY_0		BIT(16)	/* argument 0 is its value in the previous clock */
#define RISES		(DELAY_0 | 0x4444)	/* argument 1, and not 0 */
#define GATED		0x1ff
#define ARG_2		0xf0f0
#define ARG_3		0xff00
#define CTRL_BITS	(BIT(16) | BIT(30))	/* of NV40:GF100, without a name */

#define READS		100	/* of a signal that may count them, and the end of a period */
#define VRAM_WINDOW	0x700000	/* hw:memory/cpu */
#define FLUSH_BITS	(GENMASK(12, 8) | BIT(18))	/* of GCTRL, hw:registers/gctrl */
#define PULSES		16
#define ACK_OTHER	BIT(8)	/* of ACK, where domains share it */
#define SINGLE		1	/* MODE of GF100+ */
#define SINGLE_STATE	3	/* of STATE */

/* NVIDIA's driver writes MAIN_START once in each run (hw:real-cards/r3). */
#define MAIN_START	0x1b4000
#define MAIN_CONFIG	0x1b4008

/* Registers of a domain of GF100+ that only the laboratory uses (hw:registers/gf100-domain). */
#define AT_SINGLE_ABORT		0x94
#define AT_EVENT_NEXT		0xa4
#define AT_PRE_NEXT		0xa8
#define AT_STOP_NEXT		0xb0
#define AT_CYCLES_NEXT		0xbc
#define AT_SINGLE_BEGIN		0xe0
#define AT_STATE		0xe4

#define PHASE_BITS	4	/* of PERIODIC: a pulse every PHASE_PERIOD clocks */
#define PHASE_PERIOD	0x2000
#define CHANGE_PERIOD	0x4000	/* with one bit more */

/* ---- steps ---- */

static void ack(struct pcounter_bench *b, u32 bits)
{
	bench_pulse(b, bench_reg(b, 0, PCOUNTER_REG_ACK), bits);
	bench_wait(b, b->settle);
}

/* Acknowledge all domains that share the register, until the state is EMPTY. */
static void ack_all(struct pcounter_bench *b)
{
	u32 bits = BIT(0);
	unsigned int i;

	if (bench_has(b, PCOUNTER_CAP_ACK_SHARED))
		bits |= ACK_OTHER;
	for (i = 0; i < 3; i++)
		ack(b, bits);
}

static u32 quad_state(struct pcounter_bench *b, unsigned int which)
{
	return pcounter_ctrl_get(pcounter_ctrl_of(b->gen, bench_dom(b, which)->block)->quad_state,
				 bench_rd(b, bench_reg(b, which, PCOUNTER_REG_CTRL)));
}

/* Run a period of at least @clocks clocks. */
static void period(struct pcounter_bench *b, u32 clocks)
{
	bench_swap(b);
	bench_end_period(b, clocks);
}

static void cycles(struct pcounter_bench *b, unsigned int var)
{
	bench_get(b, var, 0, PCOUNTER_REG_CYCLES);
}

/* ---- single event mode ---- */

/* Begin a process between START and a STOP that never comes. */
static void begin_single(struct pcounter_bench *b)
{
	bench_op(b, 0, PCOUNTER_START, ALWAYS);
	bench_op(b, 0, PCOUNTER_STOP, 0);
	bench_start(b);
}

/* Run a process. A write of STOP_OP ends it, so that both counters stand still. */
static void run_single(struct pcounter_bench *b, u32 clocks)
{
	begin_single(b);
	bench_clocks(b, clocks);
	bench_op(b, 0, PCOUNTER_STOP, 0);
	cycles(b, 0);
}

/* PRE never comes: a restarted process waits for it, with CYCLES at 0. */
static void single_restart(struct pcounter_bench *b)
{
	begin_single(b);
	bench_clocks(b, 64);
	cycles(b, 0);
	bench_op(b, 0, PCOUNTER_PRE, 0);
	bench_clocks(b, 16);
	cycles(b, 1);
}

static void start_cycle(struct pcounter_bench *b)
{
	bench_op(b, 0, PCOUNTER_EVENT, ALWAYS);
	run_single(b, 64);
	bench_counter(b, 1, 0, PCOUNTER_EVENT);
}

/* Run the process of run_single(), then a process of one period of one clock. */
static void no_stop_cycle(struct pcounter_bench *b)
{
	start_cycle(b);
	bench_op(b, 0, PCOUNTER_STOP, ALWAYS);
	bench_start(b);
	bench_clocks(b, 16);
	cycles(b, 2);
	bench_counter(b, 3, 0, PCOUNTER_EVENT);
	/* CYCLES - EVENT of both: 2 + 1 against 0 + 3 */
	b->found.var[2] += b->found.var[1];
	b->found.var[0] += b->found.var[3];
}

static void cycles_alt(struct pcounter_bench *b)
{
	run_single(b, 64);
	bench_get(b, 1, 0, PCOUNTER_REG_CYCLES_ALT);
}

/* Set the flag always, and clear it by itself or by a signal that is 0. */
static void clrflag_setflag_src(struct pcounter_bench *b)
{
	u32 flag = bench_all(bench_flag(b, 0, 0));

	bench_src(b, 0, PCOUNTER_OP_SETFLAG, flag);
	bench_src(b, 0, PCOUNTER_OP_CLRFLAG, bench_all(b->low[0]));
	bench_input(b, 0, PCOUNTER_EVENT, flag, ARG_0);
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ALWAYS);
	bench_op(b, 0, PCOUNTER_OP_CLRFLAG, ARG_0);
	run_single(b, 256);
	bench_counter(b, 1, 0, PCOUNTER_EVENT);
}

static void pulse(struct pcounter_bench *b, u32 addr, u32 val)
{
	bench_pulse(b, addr, val);
	bench_wait(b, b->settle);
	bench_clocks(b, 64);
}

/*
 * Variables: SINGLE_STATE and CYCLES after a write of PRE_OP, and after one of
 * SINGLE_BEGIN_TRIGGER; CYCLES later; SINGLE_STATE after a write of
 * SINGLE_ABORT_TRIGGER.
 */
static void single_begin(struct pcounter_bench *b)
{
	u32 ctrl = bench_reg(b, 0, PCOUNTER_REG_CTRL), *var = b->found.var;
	unsigned int i;

	/* what single mode begins to count down from; the bench does not restore counters */
	bench_pulse(b, bench_block(b, AT_PRE_NEXT), 0);
	bench_pulse(b, bench_block(b, AT_STOP_NEXT), 0);
	bench_wr(b, ctrl, bench_now(b, ctrl) | SINGLE, 0);
	bench_op(b, 0, PCOUNTER_START, ALWAYS);
	for (i = 0; i < 2; i++) {
		if (i)
			pulse(b, bench_block(b, AT_SINGLE_BEGIN), 1);
		else
			bench_op(b, 0, PCOUNTER_PRE, ALWAYS);
		bench_clocks(b, 64);
		var[2 * i] = bench_rd(b, bench_block(b, AT_STATE)) & SINGLE_STATE;
		cycles(b, 2 * i + 1);
	}
	bench_clocks(b, 64);
	cycles(b, 4);
	pulse(b, bench_block(b, AT_SINGLE_ABORT), 1);
	var[5] = bench_rd(b, bench_block(b, AT_STATE)) & SINGLE_STATE;
}

/* ---- quad event mode ---- */

/* Let all counters count every clock. */
static void every_clock(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_SLOTS; i++)
		bench_op(b, 0, i, ALWAYS);
}

static void counters(struct pcounter_bench *b)
{
	unsigned int i;

	every_clock(b);
	period(b, 64);
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		bench_counter(b, i, 0, i);
	cycles(b, PCOUNTER_SLOTS);
}

/*
 * nvacounter's test of the bus signals. A swap is one read and one write before
 * G84, and one write since. Wait before each swap until the accesses before it
 * are over.
 */
static void accesses(struct pcounter_bench *b)
{
	static const u8 inputs[] = { PCOUNTER_START, PCOUNTER_EVENT, PCOUNTER_STOP };
	static const char *const signals[] = { BUS_READS, BUS_WRITES, BUS_BOTH };
	u32 counter = bench_reg(b, 0, PCOUNTER_REG_CTR + PCOUNTER_EVENT);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(inputs); i++)
		bench_input(b, 0, inputs[i], bench_all(bench_signal(b, signals[i])->sig), ARG_0);
	bench_end_period(b, 512);
	/* a write of PRE_OP swaps without a read, PM_TRIGGER does not */
	for (i = bench_has(b, PCOUNTER_CAP_SWAP_SHARED); i < 1001; i++)
		bench_rd(b, counter);
	for (i = 0; i < 200; i++)
		bench_op(b, 0, PCOUNTER_OP_SETFLAG, 0);
	bench_end_period(b, 4096);
	for (i = 0; i < ARRAY_SIZE(inputs); i++)
		bench_counter(b, i, 0, inputs[i]);
	b->found.var[3] = b->found.var[0] + b->found.var[1];
}

/* Read a register so often that a swap makes it READS + 1 reads of a period. */
static void read_often(struct pcounter_bench *b, u32 addr)
{
	unsigned int i;

	for (i = bench_has(b, PCOUNTER_CAP_SWAP_SHARED); i < READS + 1; i++)
		bench_rd(b, addr);
}

/*
 * nvacounter's search: look at four signals of domain 0 at a time. Variables: number of
 * signals that count each read, and the first; the same of those that count each thrice;
 * the number of PBUS_PCIE_RD by the tables; the number of signals.
 */
static void mmio_reads(struct pcounter_bench *b)
{
	u32 counter = bench_reg(b, 0, PCOUNTER_REG_CTR + PCOUNTER_EVENT), *var = b->found.var;
	const struct pcounter_signal *known = bench_signal(b, BUS_READS);
	unsigned int i, sig, count;

	var[4] = known ? known->sig : 0;
	if (bench_dom(b, 0)->dom)
		return;
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		bench_op(b, 0, i, ARG_0);
	for (; var[5] < bench_dom(b, 0)->trailer; var[5] += PCOUNTER_SLOTS) {
		for (i = 0; i < PCOUNTER_SLOTS; i++)
			bench_src(b, 0, i, bench_all(var[5] + i));
		bench_end_period(b, 8 * READS);
		read_often(b, counter);
		bench_end_period(b, 8 * READS);
		for (i = 0; i < PCOUNTER_SLOTS; i++) {
			count = bench_rd(b, bench_reg(b, 0, PCOUNTER_REG_CTR + i));
			sig = var[5] + i;
			if (count == READS + 1)
				var[1] = var[0]++ ? var[1] : sig;
			if (count == 3 * (READS + 1))
				var[3] = var[2]++ ? var[3] : sig;
		}
	}
}

/*
 * Signals of domain 2 of G80 (hw:signals/dispute-4, dispute-5). Variables: their counts
 * while the CPU reads VRAM; the first's count while it reads a counter.
 */
static void vram_reads(struct pcounter_bench *b)
{
	static const u8 signals[PCOUNTER_SLOTS] = { 0x5e, 0x64, 0x68, 0x6d };
	unsigned int i;

	b->dom[0] = 2;
	if (!b->rate[2])
		return;
	bench_quiet(b, 0);
	bench_ctrl(b, 0, BENCH_QUAD);
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		bench_input(b, 0, i, bench_all(signals[i]), ARG_0);
	bench_end_period(b, 64);
	read_often(b, VRAM_WINDOW);
	bench_end_period(b, 8 * READS);
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		bench_counter(b, i, 0, i);
	cycles(b, 5);
	bench_end_period(b, 64);
	read_often(b, bench_reg(b, 0, PCOUNTER_REG_CYCLES));
	bench_end_period(b, 8 * READS);
	bench_counter(b, 4, 0, PCOUNTER_PRE);
}

/*
 * Pulse PM_TRIGGER of PGRAPH without and with the bits. Variables: pulses of PM_TRIGGER and
 * of WRCACHE_FLUSH without, then with them; the bits that are kept.
 */
static void gctrl_pm(struct pcounter_bench *b)
{
	u32 gctrl = bench_reg(b, 0, PCOUNTER_REG_PERIODIC), trigger = NV_PGRAPH_DEBUG_1;
	u8 flush = bench_dom(b, 0)->trailer + OLD_TRAILER_FLUSH;
	unsigned int i, n;

	bench_input(b, 0, PCOUNTER_PRE, bench_all(flush + 1), ARG_0);
	bench_input(b, 0, PCOUNTER_EVENT, bench_all(flush), ARG_0);
	for (i = 0; i < 2; i++) {
		bench_wr(b, gctrl, (bench_rd(b, gctrl) & ~FLUSH_BITS) | (i ? FLUSH_BITS : 0), ~0);
		b->found.var[4] = bench_rd(b, gctrl) & FLUSH_BITS;
		bench_swap(b);
		for (n = 0; n < PULSES; n++)
			pulse(b, trigger, bench_rd(b, trigger) | BIT(PCOUNTER_TRIGGER_BIT));
		bench_swap(b);
		bench_counter(b, 2 * i, 0, PCOUNTER_PRE);
		bench_counter(b, 2 * i + 1, 0, PCOUNTER_EVENT);
	}
}

/*
 * Variables: number of CTR_*_NEXT that run; number of counters that have at least as much
 * after the period; CTR_CYCLES_NEXT, twice; CYCLES of the period; CTR_PRE_NEXT.
 */
static void next_counts(struct pcounter_bench *b)
{
	static const u8 order[PCOUNTER_SLOTS] = {
		PCOUNTER_EVENT, PCOUNTER_PRE, PCOUNTER_START, PCOUNTER_STOP,
	};
	u32 first[PCOUNTER_SLOTS], last[PCOUNTER_SLOTS], *var = b->found.var;
	unsigned int i;

	every_clock(b);
	bench_swap(b);
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		first[i] = bench_rd(b, bench_block(b, AT_EVENT_NEXT + 4 * i));
	var[2] = bench_rd(b, bench_block(b, AT_CYCLES_NEXT));
	bench_clocks(b, 1024);
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		last[i] = bench_rd(b, bench_block(b, AT_EVENT_NEXT + 4 * i));
	var[3] = bench_rd(b, bench_block(b, AT_CYCLES_NEXT));
	bench_end_period(b, 64);
	for (i = 0; i < PCOUNTER_SLOTS; i++) {
		if (last[i] <= first[i])
			continue;
		var[0]++;
		var[1] += bench_rd(b, bench_reg(b, 0, PCOUNTER_REG_CTR + order[i])) >= last[i];
	}
	cycles(b, 4);
	var[5] = last[1];
}

/*
 * Variables: the second signal of SPEC_SRC, as it reads; QUAD_STATE after some of its
 * pulses; CYCLES and two counters; the signal, which is PERIODIC.
 */
static void spec_src_8(struct pcounter_bench *b)
{
	b->found.var[5] = bench_periodic(b);
	bench_hold_periodic(b, false);
	every_clock(b);
	bench_write(b, 0, PCOUNTER_REG_SWAP_SRC, b->low[0] | b->found.var[5] << 8);
	b->found.var[0] = bench_rd(b, bench_reg(b, 0, PCOUNTER_REG_SWAP_SRC)) >> 8 & 0xff;
	bench_swap(b);
	ack_all(b);
	bench_clocks(b, 4096);
	b->found.var[1] = quad_state(b, 0);
	bench_swap(b);
	cycles(b, 2);
	bench_counter(b, 3, 0, PCOUNTER_PRE);
	bench_counter(b, 4, 0, PCOUNTER_STOP);
}

/* Variables: the bits of CTRL that are kept; CYCLES and two counters. */
static void ctrl_bits(struct pcounter_bench *b)
{
	u32 addr = bench_reg(b, 0, PCOUNTER_REG_CTRL);

	every_clock(b);
	bench_wr(b, addr, bench_now(b, addr) | CTRL_BITS, ~0);
	b->found.var[0] = bench_rd(b, addr) & CTRL_BITS;
	period(b, 64);
	cycles(b, 1);
	bench_counter(b, 2, 0, PCOUNTER_PRE);
	bench_counter(b, 3, 0, PCOUNTER_STOP);
}

/* Return 1 if an input with this op counts. */
static u32 counts(struct pcounter_bench *b, unsigned int input, u32 op)
{
	bench_op(b, 0, input, op);
	period(b, 64);
	return !!bench_rd(b, bench_reg(b, 0, PCOUNTER_REG_CTR + input));
}

/*
 * Sources 0 and 1 are 1, 2 and 3 are 0. Variables: for PRE and for EVENT, bit 2 * n + k
 * if bit 18 + n of OP makes argument 2 + k a 1; for EVENT, 1 if bit 18 does so with
 * source 1 at 0, so by SETFLAG.
 */
static void op_bits(struct pcounter_bench *b)
{
	static const u8 inputs[] = { PCOUNTER_PRE, PCOUNTER_EVENT };
	u8 low = b->low[0], flag = bench_flag(b, 0, 0);
	unsigned int i, n;

	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ALWAYS);
	for (i = 0; i < ARRAY_SIZE(inputs); i++) {
		bench_src(b, 0, inputs[i], bench_four(flag, flag, low, low));
		for (n = 0; n < 6; n++)
			b->found.var[i] |= counts(b, inputs[i], BIT(18 + n / 2) |
					    (n & 1 ? ARG_3 : ARG_2)) << n;
	}
	bench_src(b, 0, PCOUNTER_EVENT, bench_source(b, 0, 0, flag));
	b->found.var[2] = counts(b, PCOUNTER_EVENT, BIT(18) | ARG_3);
}

/* Count every clock of one stay in quad mode with STOP, and none of the next stay. */
static void quad_clear(struct pcounter_bench *b)
{
	bench_op(b, 0, PCOUNTER_STOP, ALWAYS);
	period(b, 32);
	bench_counter(b, 1, 0, PCOUNTER_STOP);
	bench_clocks(b, 32);
	bench_op(b, 0, PCOUNTER_STOP, 0);
	bench_ctrl(b, 0, BENCH_OFF);
	bench_ctrl(b, 0, BENCH_QUAD);
	bench_swap(b);
	bench_counter(b, 0, 0, PCOUNTER_STOP);
}

static void quad_state_reset(struct pcounter_bench *b)
{
	ack_all(b);
	bench_swap(b);
	b->found.var[0] = quad_state(b, 0);
	bench_ctrl(b, 0, BENCH_OFF);
	bench_ctrl(b, 0, BENCH_QUAD);
	b->found.var[1] = quad_state(b, 0);
}

static void ack_swapped(struct pcounter_bench *b)
{
	ack_all(b);
	bench_swap(b);
	ack(b, BIT(0));
	b->found.var[0] = quad_state(b, 0);
	b->found.var[1] = quad_state(b, 1);
}

/* Read at once: the result depends on the duration of an access, not on a clock. */
static void swap_latency(struct pcounter_bench *b)
{
	bench_op(b, 0, PCOUNTER_STOP, 0);
	bench_swap(b);
	bench_swap(b);
	bench_op(b, 0, PCOUNTER_STOP, ALWAYS);
	bench_clocks(b, 32);
	bench_trigger(b, 0);
	bench_wait(b, b->settle - 1);
	bench_counter(b, 0, 0, PCOUNTER_STOP);
	bench_clocks(b, 64);
	bench_counter(b, 1, 0, PCOUNTER_STOP);
}

/* Move the sources of an edge detector from a 0 to a 1. */
static void prev_new(struct pcounter_bench *b)
{
	u32 flag = bench_all(bench_flag(b, 0, 0));

	bench_clear_flag(b, 0);
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ALWAYS);
	bench_op(b, 0, PCOUNTER_EVENT, RISES);
	bench_input(b, 0, PCOUNTER_START, flag, ARG_0);
	bench_op(b, 0, PCOUNTER_STOP, ARG_0);
	bench_end_period(b, 16);
	bench_src(b, 0, PCOUNTER_EVENT, flag);
	bench_end_period(b, 16);
	bench_counter(b, 0, 0, PCOUNTER_EVENT);
	bench_counter(b, 1, 0, PCOUNTER_START);
	bench_counter(b, 2, 0, PCOUNTER_STOP);
}

static void self_event(struct pcounter_bench *b)
{
	bench_input(b, 0, PCOUNTER_EVENT, bench_all(bench_event(b, 0, 0)), NOT_ARG_0);
	period(b, 64);
	cycles(b, 0);
	bench_counter(b, 1, 0, PCOUNTER_EVENT);
}

static void wrap32(struct pcounter_bench *b)
{
	bench_op(b, 0, PCOUNTER_PRE, ALWAYS);
	/* the bench does not restore counters */
	bench_pulse(b, bench_reg(b, 0, PCOUNTER_REG_PRE_NEXT), 0xfffffff0);
	bench_clocks(b, 64);
	bench_get(b, 0, 0, PCOUNTER_REG_PRE_NEXT);
}

/* Source 0 of START is 1; first START and EVENT are 0, then 1. */
static void extra_b4_gated(struct pcounter_bench *b)
{
	bench_clear_flag(b, 0);
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ALWAYS);
	bench_src(b, 0, PCOUNTER_START, bench_source(b, 0, 0, bench_flag(b, 0, 0)));
	period(b, 64);
	bench_counter(b, 0, 0, PCOUNTER_START);
	bench_op(b, 0, PCOUNTER_START, ALWAYS);
	bench_op(b, 0, PCOUNTER_EVENT, ALWAYS);
	period(b, 64);
	bench_counter(b, 1, 0, PCOUNTER_START);
}

static void slcg_stops(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		/* gate the three kinds of sets, but not MAIN */
		bench_gate(b, 3, i ? 0 : GATED);
		period(b, 64);
		cycles(b, i);
	}
}

/* ---- signals of the trailer ---- */

static void flush_0e(struct pcounter_bench *b)
{
	bench_input(b, 0, PCOUNTER_PRE, bench_all(bench_dom(b, 0)->trailer + OLD_TRAILER_FLUSH),
		    ARG_0);
	period(b, 4096);
	bench_counter(b, 0, 0, PCOUNTER_PRE);
}

static void zero_2f(struct pcounter_bench *b)
{
	u32 zero = bench_all(bench_dom(b, 0)->trailer + TRAILER_ZERO);

	bench_input(b, 0, PCOUNTER_PRE, zero, ARG_0);
	bench_input(b, 0, PCOUNTER_START, zero, NOT_ARG_0);
	period(b, 4096);
	cycles(b, 0);
	bench_counter(b, 1, 0, PCOUNTER_PRE);
	bench_counter(b, 2, 0, PCOUNTER_START);
}

/*
 * Run one period without a write, and one after each of the writes with which
 * NVIDIA's driver begins.
 */
static void trigger_2d(struct pcounter_bench *b)
{
	bench_input(b, 0, PCOUNTER_START,
		    bench_all(bench_dom(b, 0)->trailer + bench_signals(b)->trigger), ARG_0);
	period(b, 4096);
	bench_counter(b, 0, 0, PCOUNTER_START);
	bench_wr(b, MAIN_START, 4, ~0);
	bench_wr(b, MAIN_START, 0, ~0);
	bench_end_period(b, 64);
	bench_counter(b, 1, 0, PCOUNTER_START);
	bench_wr(b, MAIN_CONFIG, 0x701, ~0);
	bench_end_period(b, 64);
	bench_counter(b, 2, 0, PCOUNTER_START);
}

/* ---- domains that use each other's outputs ---- */

/*
 * The EVENT of domain 1 is its flag. Domain 0 gets both in the same clock,
 * EVENT as a pulse and the flag as a level.
 */
static void pulse_early(struct pcounter_bench *b)
{
	u8 low = b->low[0], event = bench_event(b, 0, 1);
	unsigned int i;

	bench_input(b, 1, PCOUNTER_EVENT, bench_all(bench_flag(b, 1, 1)), ARG_0);
	bench_clear_flag(b, 1);
	bench_input(b, 0, PCOUNTER_PRE, bench_four(event, bench_flag(b, 0, 1), low, low), BOTH);
	bench_input(b, 0, PCOUNTER_START, bench_all(event), ARG_0);
	bench_end_period(b, 600);
	for (i = 0; i < 8; i++) {
		bench_op(b, 1, PCOUNTER_OP_SETFLAG, ALWAYS);
		bench_clocks(b, 16);
		bench_clear_flag(b, 1);
		bench_clocks(b, 16);
	}
	bench_swap(b);
	bench_counter(b, 0, 0, PCOUNTER_PRE);
	bench_counter(b, 1, 0, PCOUNTER_START);
}

/* Set the flag of domain 1, the fast one, when it is 0, and clear it when it is 1. */
static void pulse_keep(struct pcounter_bench *b)
{
	u8 flag = bench_flag(b, 1, 1);

	bench_clear_flag(b, 1);
	bench_input(b, 1, PCOUNTER_EVENT, bench_all(flag), ARG_0);
	bench_input(b, 1, PCOUNTER_STOP, bench_all(flag), RISES);
	bench_src(b, 1, PCOUNTER_PRE, bench_source(b, 1, 2, flag));
	bench_op(b, 1, PCOUNTER_OP_CLRFLAG, ARG_0);
	bench_input(b, 0, PCOUNTER_START, bench_all(bench_event(b, 0, 1)), ARG_0);
	bench_end_period(b, 600);
	bench_op(b, 1, PCOUNTER_OP_SETFLAG, ALWAYS);
	bench_clocks(b, 40);
	bench_op(b, 1, PCOUNTER_OP_SETFLAG, 0);
	bench_end_period(b, 2000);
	bench_counter(b, 0, 0, PCOUNTER_START);
	bench_counter(b, 1, 1, PCOUNTER_STOP);
}

/* ---- PERIODIC ---- */

/* Count with PRE until the first pulse sets the flag. */
static void count_until_pulse(struct pcounter_bench *b, unsigned int bits)
{
	bench_hold_periodic(b, true);
	bench_ctrl(b, 0, BENCH_QUAD | BENCH_PERIODIC(bits));
	bench_clear_flag(b, 0);
	bench_src(b, 0, PCOUNTER_START, bench_source(b, 0, 2, bench_periodic(b)));
	bench_input(b, 0, PCOUNTER_PRE, bench_all(bench_flag(b, 0, 0)), NOT_ARG_0);
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ARG_0);
	bench_swap(b);
	bench_hold_periodic(b, false);
	bench_swap(b);
}

/*
 * Variable 0: clocks from a swap before the release of the generator to a swap
 * after it. Variable 1: clocks from the second swap to the pulse, plus two.
 */
static void periodic_phase(struct pcounter_bench *b)
{
	count_until_pulse(b, PHASE_BITS);
	cycles(b, 0);
	bench_end_period(b, PHASE_PERIOD);
	bench_counter(b, 1, 0, PCOUNTER_PRE);
	b->found.var[2] = b->found.var[0] + b->found.var[1];
}

/* Measure the clocks to a pulse after a reset, and after a change of the period. */
static void periodic_restart(struct pcounter_bench *b)
{
	u32 *var = b->found.var;

	count_until_pulse(b, PHASE_BITS + 1);
	bench_end_period(b, CHANGE_PERIOD);
	bench_counter(b, 0, 0, PCOUNTER_PRE);
	bench_hold_periodic(b, true);
	bench_ctrl(b, 0, BENCH_QUAD | BENCH_PERIODIC(PHASE_BITS));
	bench_clear_flag(b, 0);
	bench_hold_periodic(b, false);
	bench_clocks(b, 1800);
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ARG_0);
	bench_ctrl(b, 0, BENCH_QUAD | BENCH_PERIODIC(PHASE_BITS + 1));
	bench_swap(b);
	bench_end_period(b, CHANGE_PERIOD);
	bench_counter(b, 1, 0, PCOUNTER_PRE);
	var[2] = max(var[0], var[1]) - min(var[0], var[1]);
}

const struct pcounter_experiment pcounter_count_experiments[] = {
	{ .name = "counters", .caps = PCOUNTER_CAP_QUAD, .mode = BENCH_QUAD, .make = counters,
	  .reading = { { VAR_EQ(0, 4, 0), VAR_EQ(1, 4, 0), VAR_EQ(2, 4, 0), VAR_EQ(3, 4, 0) } } },
	{ .name = "accesses", .caps = PCOUNTER_CAP_QUAD, .signal = BUS_READS,
	  .mode = BENCH_QUAD, .make = accesses,
	  .reading = { { EQ(0, 1001), EQ(1, 201), EQ(2, 1202) },
		       { GT(0, 1000), GT(1, 200), VAR_EQ(2, 3, 0) } } },
	{ .name = "single_restart", .caps = PCOUNTER_CAP_SINGLE, .make = single_restart,
	  .reading = { { GT(0, 0), VAR_GT(1, 0, 0) }, { GT(0, 0), EQ(1, 0) } } },
	{ .name = "start_cycle", .caps = PCOUNTER_CAP_SINGLE, .make = start_cycle,
	  .reading = { { GT(1, 0), VAR_EQ(0, 1, 0) }, { GT(1, 0), VAR_EQ(0, 1, 1) } } },
	{ .name = "no_stop_cycle", .caps = PCOUNTER_CAP_SINGLE, .make = no_stop_cycle,
	  .reading = { { GT(1, 0), EQ(3, 1), VAR_EQ(2, 0, 0) },
		       { GT(1, 0), EQ(3, 1), VAR_EQ(2, 0, -1) } } },
	{ .name = "cycles_alt", .caps = PCOUNTER_CAP_SINGLE, .make = cycles_alt,
	  .reading = { { GT(0, 0), VAR_EQ(1, 0, 0) }, { GT(0, 0) } } },
	{ .name = "ack_swapped", .caps = PCOUNTER_CAP_ACK_SHARED, .needs = PCOUNTER_NEEDS_TWO,
	  .mode = BENCH_QUAD, .make = ack_swapped,
	  .reading = { { EQ(0, 0), EQ(1, 1) }, { EQ(0, 1), EQ(1, 0) } } },
	{ .name = "clrflag_setflag_src", .caps = PCOUNTER_CAP_OWN_FLAG_SRC, .open = true,
	  .make = clrflag_setflag_src,
	  .reading = { { GT(0, 200), VAR_GT(1, 0, -64) }, { GT(0, 200), VAR_LT(1, 0, -63) } } },
	{ .name = "prev_new", .caps = PCOUNTER_CAP_QUAD, .mode = BENCH_QUAD, .open = true,
	  .make = prev_new,
	  .reading = { { EQ(0, 1), GT(1, 0), EQ(2, 0) }, { EQ(0, 0), GT(1, 0), EQ(2, 0) } } },
	{ .name = "self_event", .caps = PCOUNTER_CAP_IMPORT, .mode = BENCH_QUAD, .make = self_event,
	  .reading = { { GT(1, 0), VAR_LT(1, 0, -8) }, { GT(1, 0), VAR_EQ(1, 0, 0) } } },
	{ .name = "pulse_keep", .caps = PCOUNTER_CAP_IMPORT, .needs = PCOUNTER_NEEDS_RATIO,
	  .open = true, .mode = BENCH_QUAD | BENCH_EVPULSE, .make = pulse_keep,
	  .reading = { { GT(0, 0), VAR_LT(0, 1, 0) }, { GT(1, 8), VAR_EQ(0, 1, 0) } } },
	{ .name = "pulse_early", .caps = PCOUNTER_CAP_IMPORT, .needs = PCOUNTER_NEEDS_TWO,
	  .open = true, .mode = BENCH_QUAD | BENCH_EVPULSE, .make = pulse_early,
	  .reading = { { EQ(1, 8), EQ(0, 8) }, { EQ(1, 8), EQ(0, 0) } } },
	{ .name = "periodic_phase", .caps = PCOUNTER_CAP_PERIODIC, .make = periodic_phase,
	  .reading = { { LT(1, PHASE_PERIOD + 2), GT(2, PHASE_PERIOD) },
		       { LT(2, PHASE_PERIOD + 1) } } },
	{ .name = "periodic_restart", .caps = PCOUNTER_CAP_PERIODIC, .make = periodic_restart,
	  .reading = { { LT(0, CHANGE_PERIOD + 3), GT(2, 999) },
		       { LT(0, CHANGE_PERIOD + 3), LT(2, 1000) } } },
	{ .name = "quad_clear", .caps = PCOUNTER_CAP_QUAD, .mode = BENCH_QUAD, .make = quad_clear,
	  .reading = { { GT(1, 0), GT(0, 0) }, { GT(1, 0), EQ(0, 0) } } },
	{ .name = "quad_state_reset", .caps = PCOUNTER_CAP_QUAD, .mode = BENCH_QUAD,
	  .make = quad_state_reset,
	  .reading = { { EQ(0, 1), EQ(1, 1) }, { EQ(0, 1), EQ(1, 0) } } },
	{ .name = "spec_src_8", .caps = PCOUNTER_CAP_SWAP_SRC, .absent = PCOUNTER_CAP_SETS,
	  .open = true, .mode = BENCH_QUAD | BENCH_PERIODIC(1), .make = spec_src_8,
	  .reading = { { VAR_EQ(0, 5, 0), EQ(1, 0), VAR_EQ(3, 2, 0), VAR_EQ(4, 2, 0) },
		       { EQ(0, 0), EQ(1, 0), VAR_EQ(3, 2, 0), VAR_EQ(4, 2, 0) },
		       { GT(1, 0) } } },
	{ .name = "ctrl_bits", .caps = PCOUNTER_CAP_IMPORT, .absent = PCOUNTER_CAP_SETS,
	  .open = true, .mode = BENCH_QUAD, .make = ctrl_bits,
	  .reading = { { EQ(0, CTRL_BITS), GT(1, 0), VAR_EQ(2, 1, 0), VAR_EQ(3, 1, 0) },
		       { EQ(0, BIT(16)), GT(1, 0), VAR_EQ(2, 1, 0), VAR_EQ(3, 1, 0) },
		       { EQ(0, 0), GT(1, 0), VAR_EQ(2, 1, 0), VAR_EQ(3, 1, 0) } } },
	{ .name = "op_bits", .caps = PCOUNTER_CAP_SETS, .mode = BENCH_QUAD, .make = op_bits,
	  .reading = { { EQ(0, 0x24), EQ(1, 0x26), EQ(2, 1) },
		       { EQ(0, 0x09), EQ(1, 0x26), EQ(2, 1) },
		       { EQ(0, 0), EQ(1, 0), EQ(2, 0) } } },
	{ .name = "flush_0e", .absent = PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_CTRL_SHARED,
	  .open = true, .mode = BENCH_QUAD, .make = flush_0e,
	  .reading = { { NEVER }, { GT(0, 0) } } },
	{ .name = "zero_2f", .caps = PCOUNTER_CAP_SETS, .mode = BENCH_QUAD, .make = zero_2f,
	  .reading = { { GT(0, 0), EQ(1, 0), VAR_EQ(2, 0, 0) }, { GT(1, 0) } } },
	{ .name = "trigger_2d", .caps = PCOUNTER_CAP_SETS, .mode = BENCH_QUAD, .open = true,
	  .make = trigger_2d,
	  .reading = { { EQ(0, 0), EQ(1, 0), EQ(2, 0) }, { EQ(0, 0), GT(1, 0) },
		       { EQ(0, 0), EQ(1, 0), GT(2, 0) } } },
	{ .name = "swap_latency", .caps = PCOUNTER_CAP_QUAD, .absent = PCOUNTER_CAP_SETS,
	  .mode = BENCH_QUAD, .make = swap_latency,
	  .reading = { { GT(0, 0) }, { EQ(0, 0), GT(1, 0) } } },
	{ .name = "wrap32", .caps = PCOUNTER_CAP_SETS, .mode = BENCH_QUAD, .make = wrap32,
	  .reading = { { GT(0, 0x7fffffff) }, { LT(0, 0x40000000) } } },
	{ .name = "extra_b4_gated", .caps = PCOUNTER_CAP_SETS,
	  .mode = BENCH_QUAD | BENCH_SUM(PCOUNTER_CTR_EXTRA_B4), .make = extra_b4_gated,
	  .reading = { { GT(0, 0), GT(1, 0) }, { EQ(0, 0), GT(1, 0) } } },
	{ .name = "single_begin", .caps = PCOUNTER_CAP_SETS, .open = true, .make = single_begin,
	  .reading = { { EQ(0, 0), EQ(2, SINGLE_STATE), VAR_GT(4, 3, 0) },
		       { EQ(0, SINGLE_STATE), VAR_GT(4, 1, 0) },
		       { EQ(0, 0), EQ(2, 0), VAR_EQ(4, 3, 0) } } },
	{ .name = "gctrl_pm", .caps = PCOUNTER_CAP_PACKETS, .mode = BENCH_QUAD, .open = true,
	  .make = gctrl_pm,
	  .reading = { { EQ(0, PULSES), EQ(2, PULSES) }, { EQ(0, 0), EQ(2, PULSES) },
		       { EQ(0, PULSES), EQ(2, 0) } } },
	{ .name = "mmio_reads", .caps = PCOUNTER_CAP_IMPORT, .absent = PCOUNTER_CAP_SETS,
	  .from = FIRST_TESLA, .mode = BENCH_QUAD, .open = true, .make = mmio_reads,
	  .reading = { { GT(0, 0), GT(2, 0) }, { GT(0, 0), EQ(2, 0) }, { EQ(0, 0), GT(5, 0) } } },
	{ .name = "vram_reads", .from = FIRST_TESLA, .to = FIRST_TESLA, .open = true,
	  .make = vram_reads,
	  .reading = { { GT(0, READS - 1), EQ(4, 0) }, { EQ(0, 0), EQ(4, 0), GT(5, 0) } } },
	{ .name = "next_counts", .caps = PCOUNTER_CAP_SETS, .mode = BENCH_QUAD, .open = true,
	  .make = next_counts,
	  .reading = { { EQ(0, PCOUNTER_SLOTS), EQ(1, PCOUNTER_SLOTS) },
		       { GT(0, 0), VAR_EQ(1, 0, 0) } } },
	{ .name = "slcg_stops", .caps = PCOUNTER_CAP_SETS, .from = FIRST_GATED,
	  .mode = BENCH_QUAD, .make = slcg_stops,
	  .reading = { { GT(0, 0), GT(1, 0) }, { EQ(0, 0), GT(1, 0) } } },
	{ }
};
