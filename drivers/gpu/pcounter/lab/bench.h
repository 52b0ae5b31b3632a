/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Experiments: small programs of register accesses. Each finds out how a GPU
 * behaves in one point that the documents leave open (hw:ambiguities). The same
 * programs run on a card and on the model.
 *
 * A bench is a GPU whose registers an experiment may change. The bench restores
 * them afterwards. The functions here are the steps of programs.
 */
#ifndef _PCOUNTER_LAB_BENCH_H
#define _PCOUNTER_LAB_BENCH_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>

#include "hw/registers.h"
#include "rules/chip.h"

#define PCOUNTER_EXP_VARS	6
#define PCOUNTER_EXP_SAVED	96	/* registers that an experiment may change */
#define PCOUNTER_EXP_ACCESSES	60000	/* at most, in one experiment */
#define PCOUNTER_EXP_READINGS	4	/* including the end of the list */
#define PCOUNTER_EXP_CONDITIONS	4

struct pcounter_bench;
struct pcounter_signal;

/* ---- experiments ---- */

#define PCOUNTER_EXP_NONE	0xff	/* in place of a variable: the number 0 */

/**
 * struct pcounter_condition - a range for variable @a minus variable @b
 * @a: a variable
 * @b: another, or PCOUNTER_EXP_NONE; the same as @a: no condition
 * @range: lowest and highest value
 */
struct pcounter_condition {
	u8 a;
	u8 b;
	s64 range[2];
};

/* Requirements of an experiment beside its capabilities. */
#define PCOUNTER_NEEDS_TWO	BIT(0)	/* two running domains of one set */
#define PCOUNTER_NEEDS_RATIO	BIT(1)	/* two running domains, one at least five times as fast */
#define PCOUNTER_NEEDS_CTRL	BIT(2)	/* CTRL shared by two domains */
#define PCOUNTER_NEEDS_SPACE	BIT(3)	/* a word of SIG_STATUS above a trailer */
#define PCOUNTER_NEEDS_RAW	BIT(4)	/* needs no running domain; none is prepared */
#define PCOUNTER_NEEDS_IDLE	BIT(5)	/* an idle counter of PDAEMON */
#define PCOUNTER_NEEDS_LEVELS	BIT(6)	/* two idle signals that differ */
#define PCOUNTER_NEEDS_MEMORY	BIT(7)	/* memory for packets */
#define PCOUNTER_NEEDS_TABLES	BIT(8)	/* with one page table for all of its window */
#define PCOUNTER_NEEDS_FAULT	BIT(9)	/* a fault must have stopped the first domain */
#define PCOUNTER_NEEDS_READS	BIT(10)	/* nothing but reads: no set-up */

/**
 * struct pcounter_experiment - one experiment
 * @name: its name; the model's quirk has the same name
 * @caps: capabilities that the experiment needs
 * @absent: capabilities that make the experiment pointless
 * @from: first chipset for which it makes sense; 0: any
 * @to: last chipset; 0: any
 * @needs: PCOUNTER_NEEDS_*
 * @signal: a signal that it needs by name, or NULL
 * @mode: BENCH_* of the first domain, which the second one follows, when the program starts
 * @open: if no reading fits, the verdict is "undecided", not a contradiction
 * @fault: a fault is one of its possible results
 * @make: the program; sets the variables of the bench
 * @reading: possible behaviours of the hardware, as conditions on the variables; the
 *	first reading that fits is the result; a reading without a condition ends the list
 */
struct pcounter_experiment {
	const char *name;
	u32 caps;
	u32 absent;
	u16 from;
	u16 to;
	u32 needs;
	const char *signal;
	u32 mode;
	bool open;
	bool fault;
	void (*make)(struct pcounter_bench *bench);
	struct pcounter_condition reading[PCOUNTER_EXP_READINGS][PCOUNTER_EXP_CONDITIONS];
};

/* ---- running them ---- */

enum pcounter_verdict {
	PCOUNTER_NAMED,		/* one reading fits */
	PCOUNTER_ABSENT_HERE,	/* the chip has nothing to ask about */
	PCOUNTER_UNDECIDED,	/* this GPU does not permit an answer */
	PCOUNTER_CONTRADICTS,	/* none of the readings fits */
	PCOUNTER_STOPPED,	/* the GPU left, or the run was interrupted */
	PCOUNTER_NOT_RESTORED,	/* a register did not read its old value */
	PCOUNTER_VERDICTS
};

/**
 * struct pcounter_differs - a register with an unexpected value
 * @addr: the register; 0: none
 * @wanted: the expected value
 * @got: the value that was read
 */
struct pcounter_differs {
	u32 addr;
	u32 wanted;
	u32 got;
};

/**
 * struct pcounter_finding - the result of an experiment
 * @verdict: enum pcounter_verdict
 * @reading: NAMED: its index
 * @why: UNDECIDED: the reason
 * @var: its variables, as evidence
 * @addr: the register from which each variable was read; 0: none
 * @accesses: register accesses, including set-up and restoring
 * @culprit: NOT_RESTORED, CONTRADICTS: the first register with an unexpected value
 */
struct pcounter_finding {
	enum pcounter_verdict verdict;
	unsigned int reading;
	const char *why;
	u32 var[PCOUNTER_EXP_VARS];
	u32 addr[PCOUNTER_EXP_VARS];
	u32 accesses;
	struct pcounter_differs culprit;
};

/**
 * struct pcounter_bench_ring - memory that a domain may record into
 * @mem: its address for the CPU; NULL: no memory
 * @bytes: its size, a power of 2 and at least 64 KiB
 * @high: bits 32 to 39 of its address for the GPU
 * @base: bits 0 to 31; the memory repeats in each 512 MiB
 * @share: write beyond the first 512 MiB, which all have one page table
 */
struct pcounter_bench_ring {
	u8 *mem;
	u32 bytes;
	u32 high;
	u32 base;
	bool share;
};

/**
 * struct pcounter_bench_ops - how a bench reaches its GPU
 * @access: read a register, or write it if @read is NULL; return false if the GPU
 *	cannot be reached, or was removed
 * @wait: let at least this many microseconds pass; return false to stop the run
 * @now: return the time in microseconds; accesses and waits take longer than
 *	requested
 * @lend: give memory to a domain, by its index in the topology, and bind a channel;
 *	@ring->share is set before. Return false on failure
 * @take: take the memory back; end record mode if the domain is still in it
 */
struct pcounter_bench_ops {
	bool (*access)(struct pcounter_bench *bench, u32 addr, u32 *read, u32 write);
	bool (*wait)(struct pcounter_bench *bench, unsigned int us);
	u64 (*now)(struct pcounter_bench *bench);
	bool (*lend)(struct pcounter_bench *bench, unsigned int dom,
		     struct pcounter_bench_ring *ring);
	void (*take)(struct pcounter_bench *bench, unsigned int dom);
};

/**
 * struct pcounter_saved - a register that the experiment has written
 * @addr: the register
 * @found: its value before
 * @now: the value that was written last
 * @mask: bits to restore
 */
struct pcounter_saved {
	u32 addr;
	u32 found;
	u32 now;
	u32 mask;
};

/**
 * struct pcounter_bench - a GPU for experiments
 * @ops: access to it
 * @gen: its generation
 * @topo: its domains; unknown trailers are filled in
 * @dom: the two domains in use, indices of @topo; the second is -1 if there is
 *	only one
 * @pair: for PCOUNTER_NEEDS_RATIO: a slow and a fast domain, or -1
 * @rate: clocks of each measured domain in 1024 us; 0: unknown
 * @base: trailer bases that the set-up has found, of the first unit of each kind of set
 * @unlike: number of these that differ from the tables, where the tables are certain
 * @low: a signal of each domain of @dom that stays 0, or -1
 * @settle: us after which a write has taken effect, one more than it takes
 * @ready: the domains have been found
 * @hidden: CTRL cannot be read
 * @lost: the GPU cannot be reached, or the run must stop
 * @wedged: a fault has stopped the first domain; only a reset of the GPU helps
 * @idle: the idle counter in use
 * @idle_high: an idle signal that stays 1, as a mask
 * @idle_low: an idle signal that stays 0, as a mask
 * @ring: memory to record into
 * @begin: bytes from its start to RECORD_START
 * @why: reason why the bench could not be set up
 * @found: the result of the running experiment
 * @nr_saved: number of @saved
 * @saved: registers that were written
 */
struct pcounter_bench {
	const struct pcounter_bench_ops *ops;
	const struct pcounter_gen *gen;
	struct pcounter_topo topo;
	int dom[2];
	int pair[2];
	u32 rate[PCOUNTER_MAX_DOMAINS];
	u16 base[PCOUNTER_MAX_DOMAINS];
	unsigned int unlike;
	int low[2];
	unsigned int settle;
	bool ready;
	bool hidden;
	bool lost;
	bool wedged;
	unsigned int idle;
	u32 idle_high;
	u32 idle_low;
	struct pcounter_bench_ring ring;
	u32 begin;
	const char *why;
	struct pcounter_finding found;
	unsigned int nr_saved;
	struct pcounter_saved saved[PCOUNTER_EXP_SAVED];
};

void pcounter_bench_init(struct pcounter_bench *bench, const struct pcounter_bench_ops *ops,
			 const struct pcounter_gen *gen, const struct pcounter_topo *topo);
const struct pcounter_experiment *pcounter_experiment_find(const char *name);
const struct pcounter_finding *
pcounter_experiment_run(struct pcounter_bench *bench, const struct pcounter_experiment *exp);
extern const char *const pcounter_verdict_text[PCOUNTER_VERDICTS];

/* ---- numbers of programs ---- */

#define FIRST_TESLA	0x50	/* chipset, G80 */
#define FIRST_GATED	0xe0	/* GK104 */
#define LAST_KEPLER	0x10f

#define ALWAYS		0xffff	/* logic ops: 1, */
#define ARG_0		0xaaaa	/* argument 0, */
#define NOT_ARG_0	0x5555	/* its opposite */

#define STATUS_BITS	32	/* in a word of SIG_STATUS */
#define STATUS_WORDS	8	/* in a domain */

/* Signals that only the laboratory uses, counted from the base of a trailer. */
#define TRAILER_ZERO		0x2f	/* GF100- */
#define OLD_TRAILER_FLUSH	0x0e	/* or ZERO */

#define AT_CTRL		0x9c	/* CTRL in the block of a domain, GF100- */
#define FULL_PACKET	32	/* bytes of a packet that is not SHORT */

/* Values for bench_ctrl(): mode, counter mode, imports, PERIODIC_PERIOD. */
#define BENCH_OFF	0
#define BENCH_QUAD	BIT(0)
#define BENCH_EVPULSE	BIT(1)
#define BENCH_RECORD	BIT(2)
#define BENCH_CTR	GENMASK(7, 4)
#define BENCH_PERIOD	GENMASK(11, 8)
#define BENCH_SHORT	BIT(12)
/* FIELD_PREP() is for functions only. */
#define BENCH_PERIODIC(n)	((n) << 8)
#define BENCH_SUM(ctr)		((ctr) << 4)

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
void bench_ctrl(struct pcounter_bench *b, unsigned int which, u32 what);
void bench_start(struct pcounter_bench *b);
void bench_trigger(struct pcounter_bench *b, unsigned int which);
void bench_show(struct pcounter_bench *b);
void bench_swap(struct pcounter_bench *b);
void bench_end_period(struct pcounter_bench *b, u32 clocks);
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
extern const struct pcounter_experiment pcounter_stream_experiments[];

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

/* Select a signal for one source, and a signal that stays 0 for the others. */
static inline u32 bench_source(const struct pcounter_bench *b, unsigned int which,
			       unsigned int source, u8 sig)
{
	return bench_all(b->low[which]) ^ (u32)(sig ^ b->low[which]) << 8 * source;
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

/* Return the address of a register in the first domain's block, GF100-. */
static inline u32 bench_block(const struct pcounter_bench *b, u32 offset)
{
	return pcounter_reg_addr(b->gen, PCOUNTER_REG_CTRL, bench_dom(b, 0)->block) - AT_CTRL +
	       offset;
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

/* Select the sources of an input, and its logic op. */
static inline void bench_input(struct pcounter_bench *b, unsigned int which, unsigned int input,
			       u32 src, u32 op)
{
	bench_src(b, which, input, src);
	bench_op(b, which, input, op);
}

static inline void bench_counter(struct pcounter_bench *b, unsigned int var, unsigned int which,
				 unsigned int slot)
{
	bench_get(b, var, which, PCOUNTER_REG_CTR + slot);
}

#endif
