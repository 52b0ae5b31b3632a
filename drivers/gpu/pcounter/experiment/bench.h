/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bench: a GPU whose registers an experiment may change, and which gets them
 * back as they were.
 */
#ifndef _PCOUNTER_EXPERIMENT_BENCH_H
#define _PCOUNTER_EXPERIMENT_BENCH_H

#include <linux/bits.h>

#include "experiment/experiment.h"

struct pcounter_signal;

/* Signals that show something of the whole GPU, all of domain 0. */
enum pcounter_shown {
	PCOUNTER_SHOWN_READS,
	PCOUNTER_SHOWN_WRITES,
	PCOUNTER_SHOWN_ACCESSES,
	PCOUNTER_SHOWN_PTIMER,
};

u32 pcounter_bench_rd(struct pcounter_bench *b, u32 addr);
void pcounter_bench_pulse(struct pcounter_bench *b, u32 addr, u32 val);
void pcounter_bench_wr(struct pcounter_bench *b, u32 addr, u32 val, u32 mask);
void pcounter_bench_wr_last(struct pcounter_bench *b, u32 addr, u32 val, u32 mask);
u32 pcounter_bench_now(const struct pcounter_bench *b, u32 addr, u32 otherwise);
void pcounter_bench_wait(struct pcounter_bench *b, unsigned int us);
bool pcounter_bench_restore(struct pcounter_bench *b);

/* ---- setup.c ---- */

u32 pcounter_bench_reg(const struct pcounter_bench *b, unsigned int which, unsigned int reg);
void pcounter_bench_write(struct pcounter_bench *b, unsigned int which, unsigned int reg,
			  u32 val);
void pcounter_bench_ctrl(struct pcounter_bench *b, unsigned int which, u32 what);
void pcounter_bench_start(struct pcounter_bench *b, unsigned int which, u32 pre_op);
void pcounter_bench_swap(struct pcounter_bench *b, unsigned int which);
void pcounter_bench_clocks(struct pcounter_bench *b, u32 clocks);
const struct pcounter_signal *pcounter_bench_bus(const struct pcounter_bench *b,
						 enum pcounter_shown what);
void pcounter_bench_quiet(struct pcounter_bench *b, unsigned int which);
u32 pcounter_bench_trailer(struct pcounter_bench *b, unsigned int which);
bool pcounter_bench_setup(struct pcounter_bench *b);
void pcounter_bench_ptimer(struct pcounter_bench *b, u32 *var);
void pcounter_bench_units(struct pcounter_bench *b, u32 *var);
void pcounter_bench_bases(const struct pcounter_bench *b, u32 *var);

/* ---- idle.c ---- */

bool pcounter_bench_has_idle(const struct pcounter_bench *b);
const char *pcounter_bench_find_idle(struct pcounter_bench *b, bool levels);
u32 pcounter_bench_idle(struct pcounter_bench *b, u32 what);
u32 pcounter_bench_idle_full(struct pcounter_bench *b);

/* ---- record.c ---- */

bool pcounter_bench_lend(struct pcounter_bench *b, bool share);
void pcounter_bench_look_for_fault(struct pcounter_bench *b);
void pcounter_bench_take(struct pcounter_bench *b);
void pcounter_bench_record(struct pcounter_bench *b, const struct pcounter_step *s);
void pcounter_bench_packets(struct pcounter_bench *b, const struct pcounter_step *s, u32 *var);

/* No domain has been found yet. */
static inline void pcounter_bench_use_none(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		b->dom[i] = -1;
		b->pair[i] = -1;
		b->low[i] = -1;
	}
}

/* Trailers: none has been found yet. */
static inline void pcounter_bench_forget_bases(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < b->topo.nr; i++) {
		b->listed[i] = b->topo.dom[i].disputed ? PCOUNTER_TRAILER_UNKNOWN :
							 b->topo.dom[i].trailer;
		b->base[i] = PCOUNTER_TRAILER_UNKNOWN;
	}
}

static inline const struct pcounter_dom_id *pcounter_bench_dom(const struct pcounter_bench *b,
							       unsigned int which)
{
	return &b->topo.dom[b->dom[which]];
}

#endif
