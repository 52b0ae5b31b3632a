/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Experiments: small programs of register accesses. Each finds out how a GPU
 * behaves in one point that the documents leave open (hw:ambiguities). The same
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
#define PCOUNTER_EXP_ACCESSES	60000	/* at most, in one experiment */
#define PCOUNTER_EXP_READINGS	4	/* including the end of the list */
#define PCOUNTER_EXP_CONDITIONS	4

struct pcounter_gen;
struct pcounter_bench;

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
#define PCOUNTER_NEEDS_BUS	BIT(5)	/* signals that show register accesses */
#define PCOUNTER_NEEDS_IDLE	BIT(6)	/* an idle counter of PDAEMON */
#define PCOUNTER_NEEDS_LEVELS	BIT(7)	/* two idle signals that differ */
#define PCOUNTER_NEEDS_MEMORY	BIT(8)	/* memory for packets */
#define PCOUNTER_NEEDS_TABLES	BIT(9)	/* with one page table for all of its window */
#define PCOUNTER_NEEDS_FAULT	BIT(10)	/* a fault must have stopped the first domain */
#define PCOUNTER_NEEDS_PTIMER	BIT(11)	/* a signal shows PTIMER's time; nothing is written */

/**
 * struct pcounter_experiment - one experiment
 * @name: its name; the model's quirk has the same name
 * @caps: capabilities that the experiment needs
 * @absent: capabilities that make the experiment pointless
 * @from: first chipset for which it makes sense; 0: any
 * @to: last chipset; 0: any
 * @needs: PCOUNTER_NEEDS_*
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
 * @accesses: register accesses, including set-up and restoring
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
 * @mem: its address for the CPU; NULL: no memory
 * @bytes: its size, a power of 2 and at least 64 KiB
 * @high: bits 32 to 39 of its address for the GPU
 * @base: bits 0 to 31; with a shared page table the memory repeats every 512 MiB
 */
struct pcounter_bench_ring {
	u8 *mem;
	u32 bytes;
	u32 high;
	u32 base;
};

/**
 * struct pcounter_bench_ops - how a bench reaches its GPU
 * @access: read a register, or write it if @read is NULL; return false if the GPU
 *	cannot be reached, or was removed
 * @wait: let at least this many microseconds pass; return false to stop the run
 * @now: return the time in microseconds; accesses and waits take longer than
 *	requested
 * @lend: give memory to a domain, by its index in the topology, and bind a channel;
 *	use a page table of its own, or one for all of its window. Return false
 *	on failure
 * @take: take the memory back; end record mode if the domain is still in it
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
 * struct pcounter_saved - a register that the experiment has written
 * @addr: the register
 * @found: its value before
 * @now: the value that was written last
 * @mask: bits to restore
 * @last: restore it after all others
 */
struct pcounter_saved {
	u32 addr;
	u32 found;
	u32 now;
	u32 mask;
	bool last;
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
 * @listed: trailer bases of the tables, if they are certain
 * @base: trailer bases that the set-up has found, of the first unit of each kind of set
 * @low: a signal of each domain of @dom that stays 0, or -1
 * @settle: us after which a write has taken effect
 * @delay: us that a write takes
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
 * @var: variables of the running experiment
 * @var_addr: the register from which each variable was read; 0: none
 * @accesses: register accesses of the running experiment
 * @culprit: the first register with an unexpected value
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
