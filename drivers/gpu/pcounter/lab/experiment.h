/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Experiments: small programs of register accesses, each of which tells how a
 * GPU reads one point that the documents leave open (hw:ambiguities). The same
 * programs run on a card and on the model.
 */
#ifndef _PCOUNTER_EXPERIMENT_H
#define _PCOUNTER_EXPERIMENT_H

#include <linux/bits.h>
#include <linux/types.h>

#include "hw/registers.h"
#include "rules/topo.h"

#define PCOUNTER_EXP_VARS	6
#define PCOUNTER_EXP_SAVED	96	/* registers that an experiment may change */
#define PCOUNTER_EXP_ACCESSES	60000	/* of one experiment, at most */
#define PCOUNTER_EXP_READINGS	4	/* one of them ends the list */
#define PCOUNTER_EXP_CONDITIONS	4

struct pcounter_gen;
struct pcounter_bench;

/* ---- what an experiment is ---- */

#define PCOUNTER_EXP_NONE	0xff	/* in place of a variable: 0 */

/**
 * struct pcounter_condition - variable @a less variable @b is in a range
 * @a: a variable
 * @b: another, or PCOUNTER_EXP_NONE; the same: there is no condition
 * @least: least value
 * @most: greatest one
 */
struct pcounter_condition {
	u8 a;
	u8 b;
	s64 least;
	s64 most;
};

/* What an experiment needs beside its capabilities. */
#define PCOUNTER_NEEDS_TWO	BIT(0)	/* two domains of a set that run */
#define PCOUNTER_NEEDS_RATIO	BIT(1)	/* the second five times as fast */
#define PCOUNTER_NEEDS_CTRL	BIT(2)	/* CTRL shared by two domains */
#define PCOUNTER_NEEDS_SPACE	BIT(3)	/* a word of SIG_STATUS above a trailer */
#define PCOUNTER_NEEDS_RAW	BIT(4)	/* no domain that runs, and none is set up */
#define PCOUNTER_NEEDS_BUS	BIT(5)	/* signals that show register accesses */
#define PCOUNTER_NEEDS_IDLE	BIT(6)	/* an idle counter of PDAEMON */
#define PCOUNTER_NEEDS_LEVELS	BIT(7)	/* two idle signals that differ */
#define PCOUNTER_NEEDS_MEMORY	BIT(8)	/* memory to record into */
#define PCOUNTER_NEEDS_TABLES	BIT(9)	/* whose page table is that of all of a window */
#define PCOUNTER_NEEDS_FAULT	BIT(10)	/* a fault has stopped the first domain */
#define PCOUNTER_NEEDS_PTIMER	BIT(11)	/* a signal that shows PTIMER's time; nothing is written */

/**
 * struct pcounter_experiment - one experiment
 * @name: its name; that of the model's quirk
 * @caps: capabilities without which there is nothing to ask
 * @absent: capabilities with which there is nothing to ask
 * @from: first chipset that can be asked; 0: any
 * @to: last one; 0: any
 * @needs: PCOUNTER_NEEDS_*
 * @open: where no reading fits the answer is "undecided", not a contradiction
 * @fault: a fault is one of its answers
 * @make: the program; sets the variables of the bench
 * @reading: ways in which the hardware may be built, and what the variables show
 *	then; the first that fits is the answer, one without a condition ends the list
 */
struct pcounter_experiment {
	const char *name;
	u32 caps;
	u32 absent;
	u16 from;
	u16 to;
	u32 needs;
	bool open;
	bool fault;
	void (*make)(struct pcounter_bench *bench);
	struct pcounter_condition reading[PCOUNTER_EXP_READINGS][PCOUNTER_EXP_CONDITIONS];
};

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
 * struct pcounter_differs - a register that does not read what it should
 * @addr: which; 0: none
 * @wanted: what it should have read
 * @got: what it read
 */
struct pcounter_differs {
	u32 addr;
	u32 wanted;
	u32 got;
};

/**
 * struct pcounter_finding - what an experiment has found
 * @verdict: enum pcounter_verdict
 * @reading: NAMED: which
 * @why: UNDECIDED: the reason
 * @var: its variables, which are the evidence
 * @accesses: register accesses, set-up and restoring included
 * @culprit: NOT_RESTORED, CONTRADICTS: the register in question
 */
struct pcounter_finding {
	enum pcounter_verdict verdict;
	unsigned int reading;
	const char *why;
	u32 var[PCOUNTER_EXP_VARS];
	u32 accesses;
	struct pcounter_differs culprit;
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
 * @access: read a register, or write it where @read is NULL; false: the GPU cannot be
 *	reached, or was taken away
 * @wait: let at least this many microseconds pass; false: the run is to stop
 * @now: the time in microseconds; accesses and waits take longer than asked for
 * @lend: give memory to a domain, by its index in the topology, and bind a channel;
 *	with a page table of its own, or one for all of its window. False: it cannot
 * @take: take it back; the domain is not in record mode any more, or is to leave it
 */
struct pcounter_bench_ops {
	bool (*access)(struct pcounter_bench *bench, u32 addr, u32 *read, u32 write);
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
 * @rate: of all domains that were looked at: clocks in 1024 us; 0: not known
 * @listed: trailer bases as the tables have them, where they are sure
 * @base: and as they were found, of the first unit of each kind of set
 * @low: of each of @dom: a signal that stays 0, or -1
 * @settle: us after which a write has taken effect
 * @delay: us that a write needs
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
 * @var: variables of the running experiment
 * @var_addr: the registers that they were read from; 0: none
 * @accesses: of the running experiment
 * @culprit: the first register that did not hold what it should
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
	u32 var[PCOUNTER_EXP_VARS];
	u32 var_addr[PCOUNTER_EXP_VARS];
	u32 accesses;
	struct pcounter_differs culprit;
	unsigned int nr_saved;
	struct pcounter_saved saved[PCOUNTER_EXP_SAVED];
};

void pcounter_bench_init(struct pcounter_bench *bench, const struct pcounter_bench_ops *ops,
			 const struct pcounter_gen *gen, const struct pcounter_topo *topo);
const struct pcounter_experiment *pcounter_experiment_find(const char *name);
void pcounter_experiment_run(struct pcounter_bench *bench,
			     const struct pcounter_experiment *exp,
			     struct pcounter_finding *found);
const char *pcounter_verdict_text(enum pcounter_verdict verdict);

#endif
