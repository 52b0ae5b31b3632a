/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bench: a GPU whose registers an experiment may change. The bench restores
 * them afterwards. This file also declares the steps of programs of experiments.
 */
#ifndef _PCOUNTER_LAB_BENCH_H
#define _PCOUNTER_LAB_BENCH_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>

#include "hw/layout.h"
#include "lab/experiment.h"

struct pcounter_signal;

#define FIRST_GATED	0xe0	/* chipset, GK104 */

#define ALWAYS		0xffff	/* logic ops: 1, */
#define ARG_0		0xaaaa	/* argument 0, */
#define NOT_ARG_0	0x5555	/* its opposite */

#define STATUS_BITS	32	/* in a word of SIG_STATUS */
#define STATUS_WORDS	8	/* in a domain */

/* Signals that only the laboratory uses, counted from the base of a trailer. */
#define TRAILER_ZERO		0x2f	/* GF100- */
#define OLD_TRAILER_FLUSH	0x0e	/* or ZERO */

#define FULL_PACKET	32	/* bytes of a packet that is not SHORT */

/* Values for bench_ctrl(): mode, counter mode, imports, PERIODIC_PERIOD. */
#define BENCH_OFF	0
#define BENCH_QUAD	BIT(0)
#define BENCH_EVPULSE	BIT(1)
#define BENCH_RECORD	BIT(2)
#define BENCH_CTR	GENMASK(7, 4)
#define BENCH_PERIOD	GENMASK(11, 8)
#define BENCH_SHORT	BIT(12)
#define BENCH_PERIODIC(n)	FIELD_PREP(BENCH_PERIOD, n)

/* Conditions of readings: variable A minus B + N, or variable A against N. */
#define VAR_EQ(_a, _b, n)	{ .a = _a, .b = _b, .range = { [0 ... 1] = (n) } }
#define VAR_LT(_a, _b, n)	{ .a = _a, .b = _b, .range = { S64_MIN, (s64)(n) - 1 } }
#define VAR_GT(_a, _b, n)	{ .a = _a, .b = _b, .range = { (s64)(n) + 1, S64_MAX } }
#define EQ(a, n)		VAR_EQ(a, PCOUNTER_EXP_NONE, n)
#define LT(a, n)		VAR_LT(a, PCOUNTER_EXP_NONE, n)
#define GT(a, n)		VAR_GT(a, PCOUNTER_EXP_NONE, n)
#define NEVER			EQ(0, -1)

/* Signals of domain 0: register accesses of the whole GPU, and its time. */
#define BUS_READS	"pbus_pcie_rd"
#define BUS_WRITES	"pbus_pcie_wr"
#define BUS_BOTH	"pbus_pcie_trans"
#define PTIMER_TIME	"ptimer_time_b12"

/* ---- bench.c: accesses ---- */

u32 bench_rd(struct pcounter_bench *b, u32 addr);
void bench_pulse(struct pcounter_bench *b, u32 addr, u32 val);
void bench_wr(struct pcounter_bench *b, u32 addr, u32 val, u32 mask);
void bench_wr_ctrl(struct pcounter_bench *b, u32 addr, u32 val, u32 mask);
u32 bench_now(struct pcounter_bench *b, u32 addr);
void bench_wait(struct pcounter_bench *b, unsigned int us);
void bench_differs(struct pcounter_bench *b, u32 addr, u32 wanted, u32 got);
bool bench_restore(struct pcounter_bench *b);

/* ---- domain.c: domains of a program ---- */

bool bench_has(const struct pcounter_bench *b, u32 caps);
u32 bench_reg(const struct pcounter_bench *b, unsigned int which, unsigned int reg);
void bench_write(struct pcounter_bench *b, unsigned int which, unsigned int reg, u32 val);
void bench_get(struct pcounter_bench *b, unsigned int var, unsigned int which,
	       unsigned int reg);
void bench_ctrl_of(const struct pcounter_gen *gen, unsigned int block,
		   struct pcounter_ctrl *ctrl);
void bench_ctrl(struct pcounter_bench *b, unsigned int which, u32 what);
void bench_start(struct pcounter_bench *b, unsigned int which, u32 pre_op);
void bench_trigger(struct pcounter_bench *b, unsigned int which);
void bench_show(struct pcounter_bench *b);
void bench_swap(struct pcounter_bench *b, bool both);
void bench_clocks(struct pcounter_bench *b, u32 clocks);
void bench_quiet(struct pcounter_bench *b, unsigned int which);
void bench_hold_periodic(struct pcounter_bench *b, bool held);
void bench_clear_flag(struct pcounter_bench *b, unsigned int which);
void bench_gate(struct pcounter_bench *b, unsigned int nr, u32 gates);
u32 bench_levels(struct pcounter_bench *b, unsigned int dom, unsigned int word);
u32 bench_trailer_end(const struct pcounter_bench *b, unsigned int which);
const struct pcounter_signal *bench_signal(const struct pcounter_bench *b, const char *name);

/* ---- setup.c: which domains run ---- */

void bench_make_ready(struct pcounter_bench *b);

/* ---- idle.c ---- */

const char *bench_find_idle(struct pcounter_bench *b, bool levels);

/* ---- record.c ---- */

bool bench_lend(struct pcounter_bench *b, bool share);
void bench_look_for_fault(struct pcounter_bench *b);
void bench_take(struct pcounter_bench *b);

/* Experiments by topic; an entry without a name ends each list. */
extern const struct pcounter_experiment pcounter_register_experiments[];
extern const struct pcounter_experiment pcounter_count_experiments[];
extern const struct pcounter_experiment pcounter_idle_experiments[];
extern const struct pcounter_experiment pcounter_record_experiments[];

static inline const struct pcounter_dom_id *bench_dom(const struct pcounter_bench *b,
						      unsigned int which)
{
	return &b->topo.dom[b->dom[which]];
}

static inline const struct pcounter_trailer *bench_signals(const struct pcounter_bench *b)
{
	return pcounter_trailer_of(b->gen->caps);
}

/* Select one signal for all four sources. */
static inline u32 bench_all(u8 sig)
{
	return sig * 0x01010101u;
}

static inline u32 bench_four(u8 sig, u8 sig1, u8 sig2, u8 sig3)
{
	return sig | sig1 << 8 | sig2 << 16 | (u32)sig3 << 24;
}

/* Return the signal by which domain @which sees the flag, or EVENT, of @of. */
static inline u8 bench_flag(const struct pcounter_bench *b, unsigned int which, unsigned int of)
{
	return bench_trailer_end(b, which) - 1 - bench_dom(b, of)->dom;
}

static inline u8 bench_event(const struct pcounter_bench *b, unsigned int which, unsigned int of)
{
	return bench_trailer_end(b, which) - 9 - bench_dom(b, of)->dom;
}

static inline u8 bench_periodic(const struct pcounter_bench *b)
{
	return bench_dom(b, 0)->trailer + bench_signals(b)->periodic;
}

static inline void bench_src(struct pcounter_bench *b, unsigned int which, unsigned int input,
			     u32 src)
{
	bench_write(b, which, PCOUNTER_REG_SRC + input, src);
}

static inline void bench_op(struct pcounter_bench *b, unsigned int which, unsigned int input,
			    u32 op)
{
	bench_write(b, which, PCOUNTER_REG_OP + input, op);
}

static inline void bench_counter(struct pcounter_bench *b, unsigned int var, unsigned int which,
				 unsigned int slot)
{
	bench_get(b, var, which, PCOUNTER_REG_CTR + slot);
}

#endif
