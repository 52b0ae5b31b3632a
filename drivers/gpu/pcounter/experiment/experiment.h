/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Experiments: small programs of register accesses, each of which tells how a
 * GPU reads one point that the documents leave open (hw:ambiguities). They are
 * data; the same programs run on a card and on the model.
 */
#ifndef _PCOUNTER_EXPERIMENT_H
#define _PCOUNTER_EXPERIMENT_H

#include <linux/types.h>

#include "hw/registers.h"
#include "rules/topo.h"

#define PCOUNTER_EXP_VARS	6
#define PCOUNTER_EXP_SAVED	96	/* registers that an experiment may change */
#define PCOUNTER_EXP_ACCESSES	60000	/* of one experiment, at most */
#define PCOUNTER_EXP_READINGS	3

struct pcounter_gen;
struct pcounter_bench;

/* ---- programs ---- */

/* What a source of a program looks at, as its domain sees it. */
enum pcounter_wire {
	PCOUNTER_WIRE_LOW,	/* a signal that stays at 0 */
	PCOUNTER_WIRE_FLAG,	/* its own flag */
	PCOUNTER_WIRE_EVENT,	/* its own EVENT */
	PCOUNTER_WIRE_OTHER_FLAG,	/* those of the other domain of the program */
	PCOUNTER_WIRE_OTHER_EVENT,
	PCOUNTER_WIRE_PERIODIC,
	PCOUNTER_WIRE_0E,	/* trailer + 0x0e before G84 */
	PCOUNTER_WIRE_READS,	/* register reads, writes, and both (hw:real-cards/n1) */
	PCOUNTER_WIRE_WRITES,
	PCOUNTER_WIRE_ACCESSES,
	PCOUNTER_WIRE_2F,	/* trailer + 0x2f from GF100 on */
	PCOUNTER_WIRE_TRIGGER,	/* what is pulsed in all sets at once (hw:real-cards/r2) */
	PCOUNTER_WIRES
};

enum pcounter_step_op {
	PCOUNTER_STEP_END,
	PCOUNTER_STEP_WRITE,	/* @reg = @val; waits until it has taken effect */
	PCOUNTER_STEP_SRC,	/* SRC @reg = four wires, packed in @val */
	PCOUNTER_STEP_CTRL,	/* CTRL = PCOUNTER_EXP_* of @val */
	PCOUNTER_STEP_START,	/* single mode: begin, with PRE_OP = @val */
	PCOUNTER_STEP_SWAP,	/* end a period, of both domains if @val; wait until it shows */
	PCOUNTER_STEP_SWAP_NOW,	/* do not wait longer than a write needs */
	PCOUNTER_STEP_ACK,	/* QUAD_ACK = @val, 0: of all domains that share it */
	PCOUNTER_STEP_CLEAR,	/* the flag is 0, and stays so until it is set */
	PCOUNTER_STEP_HOLD,	/* hold the PERIODIC generators, or let them run */
	PCOUNTER_STEP_READS,	/* so many reads, and that which a swap may lack */
	PCOUNTER_STEP_WRITES,	/* so many writes of what SETFLAG_OP holds */
	PCOUNTER_STEP_GATE,	/* clock gating of all sets on, or off */
	PCOUNTER_STEP_ENTER,	/* record mode with CTRL @val; its garbage goes elsewhere */
	PCOUNTER_STEP_LIMIT,	/* record mode: LIMIT is @val bytes from the ring's start */
	PCOUNTER_STEP_RECORD,	/* likewise START; the ring is empty then */
	PCOUNTER_STEP_READ,	/* @var = @reg */
	PCOUNTER_STEP_STATE,	/* @var = QUAD_STATE */
	PCOUNTER_STEP_POLL,	/* @var = us until @reg, which is written, is @val */
	PCOUNTER_STEP_FLUSH,	/* @var = looks until a TLB flush is over */
	PCOUNTER_STEP_ABOVE,	/* @var |= levels of signals above the trailers */
	PCOUNTER_STEP_ALL,	/* @var += EVENT_CTR_PERIOD as CTRL reads it */
	PCOUNTER_STEP_TRAILER,	/* @var = trailer base of domain @val */
	PCOUNTER_STEP_UNITS,	/* variables 0 to 2: pcounter_bench_units() */
	PCOUNTER_STEP_PTIMER,	/* all variables: pcounter_bench_ptimer() */
	PCOUNTER_STEP_BASES,	/* all variables: pcounter_bench_bases() */
	PCOUNTER_STEP_KEEP,	/* @var |= bits that SRC, OP and SWAP_SRC do not keep */
	PCOUNTER_STEP_IDLE,	/* @var = what an idle counter counts, PCOUNTER_EXP_IDLE_* */
	PCOUNTER_STEP_IDLE_FULL,	/* @var = 1 if one that is full wraps, 2 if it stops */
	PCOUNTER_STEP_POSITION,	/* @var = bytes from START to the position */
	PCOUNTER_STEP_LANDED,	/* @var = LONG packets that have arrived since START */
	PCOUNTER_STEP_PACKET,	/* @var = 16 bits of the ring, @val bytes from its start */
	PCOUNTER_STEP_LAST,	/* @var = cycles of the packet that has arrived last */
	PCOUNTER_STEP_AHEAD,	/* @var += is the position past what has arrived? Waits 1 us */
	PCOUNTER_STEP_BEHIND,	/* @var += is it behind? Waits 1 us */
	PCOUNTER_STEP_FAULT,	/* @var = the fault bit */
	PCOUNTER_STEP_ADD,	/* @var += variable @val */
	PCOUNTER_STEP_CLOCKS,	/* wait until @val clocks have passed */
	PCOUNTER_STEP_LOOP,	/* as far as NEXT, @val times */
	PCOUNTER_STEP_NEXT,
};

/* CTRL of a program: mode, counter mode, imports, PERIODIC_PERIOD. */
#define PCOUNTER_EXP_OFF	0
#define PCOUNTER_EXP_QUAD	BIT(0)
#define PCOUNTER_EXP_ALL	BIT(1)
#define PCOUNTER_EXP_EVPULSE	BIT(2)
#define PCOUNTER_EXP_RECORD	BIT(3)
#define PCOUNTER_EXP_CTR	GENMASK(7, 4)
#define PCOUNTER_EXP_PERIODIC	GENMASK(11, 8)
#define PCOUNTER_EXP_SHORT	BIT(12)

/* Idle counters: the mode, and which signals: one that stays 1, one that stays 0. */
#define PCOUNTER_EXP_IDLE_MODE	GENMASK(1, 0)
#define PCOUNTER_EXP_IDLE_HIGH	BIT(4)
#define PCOUNTER_EXP_IDLE_LOW	BIT(5)

/**
 * struct pcounter_step - a step of a program
 * @op: enum pcounter_step_op
 * @dom: 0 or 1: which of the two domains of the program
 * @reg: enum pcounter_reg
 * @var: which variable
 * @val: see @op
 */
struct pcounter_step {
	u8 op;
	u8 dom;
	u8 reg;
	u8 var;
	u32 val;
};

enum pcounter_relation {
	PCOUNTER_ALWAYS,
	PCOUNTER_EQUAL,
	PCOUNTER_DIFFERS,
	PCOUNTER_LESS,
	PCOUNTER_MORE,
	PCOUNTER_NEAR,		/* the distance is less than the number */
	PCOUNTER_FAR,
};

#define PCOUNTER_EXP_NUMBER	0xff	/* in place of a variable: 0 */

/**
 * struct pcounter_condition - variable @a against variable @b plus @add, or for
 * NEAR and FAR their distance against @add
 * @a: a variable
 * @relation: enum pcounter_relation
 * @b: a variable, or PCOUNTER_EXP_NUMBER
 * @add: a number
 */
struct pcounter_condition {
	u8 a;
	u8 relation;
	u8 b;
	s32 add;
};

#define PCOUNTER_EXP_CONDITIONS	4

/**
 * struct pcounter_reading - one way in which the hardware may be built
 * @text: what it is, NULL after the last
 * @when: what the variables show then, all of it
 */
struct pcounter_reading {
	const char *text;
	struct pcounter_condition when[PCOUNTER_EXP_CONDITIONS];
};

/* What an experiment needs beside its capabilities. */
#define PCOUNTER_NEEDS_TWO	BIT(0)	/* two domains of a set that run */
#define PCOUNTER_NEEDS_RATIO	BIT(1)	/* the second five times as fast */
#define PCOUNTER_NEEDS_CTRL	BIT(2)	/* CTRL shared by two domains */
#define PCOUNTER_NEEDS_G98	BIT(3)
#define PCOUNTER_NEEDS_SPACE	BIT(4)	/* a word of SIG_STATUS above a trailer */
#define PCOUNTER_NEEDS_GATING	BIT(5)	/* GK104 and later */
#define PCOUNTER_NEEDS_RAW	BIT(6)	/* the bench is not set up */
#define PCOUNTER_NEEDS_BUS	BIT(7)	/* signals that show register accesses */
#define PCOUNTER_NEEDS_SOURCE	BIT(14)	/* a source of any domain, and nothing else */
#define PCOUNTER_NEEDS_PTIMER	BIT(13)	/* a signal that shows PTIMER's time; nothing is written */
#define PCOUNTER_NEEDS_IDLE	BIT(8)	/* an idle counter of PDAEMON, and no domain */
#define PCOUNTER_NEEDS_LEVELS	BIT(9)	/* two idle signals that differ */
#define PCOUNTER_NEEDS_MEMORY	BIT(10)	/* memory to record into */
#define PCOUNTER_NEEDS_TABLES	BIT(11)	/* whose page table is that of all of a window */
#define PCOUNTER_NEEDS_FAULT	BIT(12)	/* a fault has stopped the first domain */

/**
 * struct pcounter_experiment - one experiment
 * @name: its name; that of the model's quirk
 * @row: row of hw:ambiguities; 0: another page
 * @question: what it asks
 * @touches: what it writes
 * @caps: capabilities without which there is nothing to ask
 * @absent: capabilities with which there is nothing to ask
 * @needs: PCOUNTER_NEEDS_*
 * @open: that no reading fits is no contradiction, it is undecided
 * @record: it records, or asks of what that has done; only with --record
 * @fault: a fault is one of its answers
 * @workload: it asks nothing that is open, and writes what counting writes
 * @step: the program
 * @reading: the readings; the first that fits is the answer
 */
struct pcounter_experiment {
	const char *name;
	u8 row;
	const char *question;
	const char *touches;
	u32 caps;
	u32 absent;
	u32 needs;
	bool open;
	bool record;
	bool fault;
	bool workload;
	const struct pcounter_step *step;
	struct pcounter_reading reading[PCOUNTER_EXP_READINGS + 1];
};

extern const struct pcounter_experiment pcounter_experiments[];
extern const unsigned int pcounter_nr_experiments;

/* ---- running them ---- */

enum pcounter_verdict {
	PCOUNTER_NAMED,		/* one reading fits */
	PCOUNTER_ABSENT_HERE,	/* the chip has nothing to ask about */
	PCOUNTER_UNDECIDED,	/* it cannot be told on this GPU */
	PCOUNTER_CONTRADICTS,	/* none of the readings fits */
	PCOUNTER_STOPPED,	/* the GPU left, or the run was interrupted */
	PCOUNTER_NOT_RESTORED,	/* a register does not take back what it held */
	PCOUNTER_VERDICTS
};

/**
 * struct pcounter_finding - what an experiment has found
 * @verdict: enum pcounter_verdict
 * @reading: NAMED: which
 * @why: UNDECIDED: the reason
 * @var: its variables, which are the evidence
 * @accesses: register accesses, those of set-up and restoring included
 * @addr: NOT_RESTORED, CONTRADICTS: the register in question; 0: no single one
 * @wanted: what @addr should have read
 * @got: what it read
 */
struct pcounter_finding {
	enum pcounter_verdict verdict;
	unsigned int reading;
	const char *why;
	u32 var[PCOUNTER_EXP_VARS];
	u32 accesses;
	u32 addr;
	u32 wanted;
	u32 got;
};

/**
 * struct pcounter_bench_ring - memory that a domain may record into
 * @mem: where the CPU sees it; NULL: there is none
 * @bytes: how much, a power of 2 and at least 64 KiB
 * @high: bits 32 to 39 of its address for the GPU
 * @base: the others; where it is to be shared it is there again every 512 MiB
 */
struct pcounter_bench_ring {
	u8 *mem;
	u32 bytes;
	u32 high;
	u32 base;
};

/**
 * struct pcounter_bench_ops - how a bench reaches its GPU
 * @rd32: read a register; false: the GPU cannot be reached, or was taken away
 * @wr32: write it; likewise
 * @wait: let at least so many microseconds pass; false: to be stopped
 * @now: the time in microseconds; accesses and waits take longer than asked for
 * @lend: give memory to a domain, by its index in the topology, and bind a channel;
 *	with a page table of its own, or one for all of its window. False: it cannot
 * @take: and take it back; the domain is not in record mode any more, or is to leave it
 */
struct pcounter_bench_ops {
	bool (*rd32)(struct pcounter_bench *bench, u32 addr, u32 *val);
	bool (*wr32)(struct pcounter_bench *bench, u32 addr, u32 val);
	bool (*wait)(struct pcounter_bench *bench, unsigned int us);
	u64 (*now)(struct pcounter_bench *bench);
	bool (*lend)(struct pcounter_bench *bench, unsigned int dom, bool share,
		     struct pcounter_bench_ring *ring);
	void (*take)(struct pcounter_bench *bench, unsigned int dom);
};

/**
 * struct pcounter_saved - a register that was written
 * @addr: which
 * @found: what it held before
 * @now: what was written last
 * @mask: bits that are put back
 * @last: put back after all others
 */
struct pcounter_saved {
	u32 addr;
	u32 found;
	u32 now;
	u32 mask;
	bool last;
};

/**
 * struct pcounter_bench - a GPU on which experiments are made
 * @ops: how to reach it
 * @gen: how its registers work
 * @topo: its domains; unknown trailers are filled in
 * @dom: the two domains in use, indices of @topo; the second is -1 if there is
 *	only one
 * @pair: for PCOUNTER_NEEDS_RATIO: a slow and a fast one, or -1
 * @clocks: of each of @dom: clocks in 1024 us
 * @pair_clocks: and of each of @pair
 * @rate: of all domains that were looked at: clocks in 1024 us
 * @listed: trailer bases as the tables have them, where they are sure
 * @base: and as they were found, of the first unit of each kind of set
 * @low: of each of @dom: a signal that stays 0, or -1
 * @settle: us after which a write has taken effect
 * @delay: us that a write needs; what a finding has told
 * @ready: the domains have been found
 * @hidden: CTRL cannot be read
 * @lost: the GPU cannot be reached, or the run is to end
 * @wedged: a fault has stopped the first domain; only a reset of the GPU helps
 * @idle: the idle counter in use
 * @idle_high: an idle signal that stays 1, as a mask
 * @idle_low: and one that stays 0
 * @ring: memory to record into
 * @begin: bytes from its start to RECORD_START
 * @why: why the bench could not be set up
 * @accesses: of the running experiment
 * @fault_addr: a register that did not take back what it held; 0: none
 * @fault_wanted: what that was
 * @fault_got: what it reads
 * @nr_saved: number of @saved
 * @saved: registers that were written
 */
struct pcounter_bench {
	const struct pcounter_bench_ops *ops;
	const struct pcounter_gen *gen;
	struct pcounter_topo topo;
	int dom[2];
	int pair[2];
	u32 clocks[2];
	u32 pair_clocks[2];
	u32 rate[PCOUNTER_MAX_DOMAINS];
	u16 listed[PCOUNTER_MAX_DOMAINS];
	u16 base[PCOUNTER_MAX_DOMAINS];
	int low[2];
	unsigned int settle;
	unsigned int delay;
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
	u32 accesses;
	u32 fault_addr;
	u32 fault_wanted;
	u32 fault_got;
	unsigned int nr_saved;
	struct pcounter_saved saved[PCOUNTER_EXP_SAVED];
};

void pcounter_bench_init(struct pcounter_bench *bench, const struct pcounter_bench_ops *ops,
			 const struct pcounter_gen *gen, const struct pcounter_topo *topo);
u32 pcounter_bench_sum(struct pcounter_bench *bench);
const struct pcounter_experiment *pcounter_experiment_find(const char *name);
void pcounter_experiment_run(struct pcounter_bench *bench,
			     const struct pcounter_experiment *exp,
			     struct pcounter_finding *found);
const char *pcounter_verdict_text(enum pcounter_verdict verdict);

#endif
