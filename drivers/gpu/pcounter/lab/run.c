// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run an experiment: set up a bench, take its domains, run the program, restore
 * all registers, and compare the variables with the readings.
 */
#include <linux/string.h>

#include "hw/idle.h"
#include "lab/bench.h"
#include "rules/lookup.h"

static const struct pcounter_experiment *const tables[] = {
	pcounter_register_experiments,
	pcounter_count_experiments,
	pcounter_idle_experiments,
	pcounter_record_experiments,
	pcounter_stream_experiments,
};

/**
 * pcounter_experiment_find() - find an experiment by name
 * @name: its name
 *
 * Return: the experiment, or NULL.
 */
const struct pcounter_experiment *pcounter_experiment_find(const char *name)
{
	const struct pcounter_experiment *exp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (exp = tables[i]; exp->name; exp++)
			if (!strcmp(exp->name, name))
				return exp;
	return NULL;
}

const char *const pcounter_verdict_text[PCOUNTER_VERDICTS] = {
	[PCOUNTER_NAMED] = "decided",
	[PCOUNTER_ABSENT_HERE] = "absent",
	[PCOUNTER_UNDECIDED] = "undecided",
	[PCOUNTER_CONTRADICTS] = "contradicts",
	[PCOUNTER_STOPPED] = "stopped",
	[PCOUNTER_NOT_RESTORED] = "not-restored",
};

/* ---- comparing ---- */

static s64 value(const struct pcounter_bench *b, u8 var)
{
	return var == PCOUNTER_EXP_NONE ? 0 : b->found.var[var];
}

static bool holds(const struct pcounter_bench *b, const struct pcounter_condition *c)
{
	s64 difference = value(b, c->a) - value(b, c->b);

	return c->a == c->b || (difference >= c->range[0] && difference <= c->range[1]);
}

/* Find the first number, read from a register, that differs from the first reading. */
static void find_culprit(struct pcounter_bench *b, const struct pcounter_experiment *exp)
{
	const struct pcounter_condition *c = exp->reading[0];
	unsigned int i;

	for (i = 0; i < PCOUNTER_EXP_CONDITIONS; i++) {
		if (c[i].range[0] != c[i].range[1] || holds(b, &c[i]) || !b->found.addr[c[i].a])
			continue;
		bench_differs(b, b->found.addr[c[i].a], value(b, c[i].b) + c[i].range[0],
			      b->found.var[c[i].a]);
	}
}

static enum pcounter_verdict compare(struct pcounter_bench *b,
				     const struct pcounter_experiment *exp)
{
	unsigned int i, k;

	for (i = 0; exp->reading[i][0].a != exp->reading[i][0].b; i++) {
		for (k = 0; k < PCOUNTER_EXP_CONDITIONS; k++)
			if (!holds(b, &exp->reading[i][k]))
				break;
		if (k < PCOUNTER_EXP_CONDITIONS)
			continue;
		b->found.reading = i;
		return PCOUNTER_NAMED;
	}
	return exp->open ? PCOUNTER_UNDECIDED : PCOUNTER_CONTRADICTS;
}

/* ---- needs of an experiment ---- */

static bool in_reach(const struct pcounter_bench *b, const struct pcounter_experiment *exp)
{
	u16 chipset = b->topo.chip->chipset;

	if (!bench_has(b, exp->caps) || b->gen->caps & exp->absent)
		return false;
	if (chipset < exp->from || (exp->to && chipset > exp->to))
		return false;
	if (exp->needs & PCOUNTER_NEEDS_CTRL && b->topo.nr < 2)
		return false;
	if (exp->signal && !bench_signal(b, exp->signal))
		return false;
	return !(exp->needs & PCOUNTER_NEEDS_IDLE) || pcounter_pdaemon_slots(b->topo.chip);
}

static bool has_space(const struct pcounter_bench *b, unsigned int which)
{
	return b->dom[which] >= 0 &&
	       bench_trailer_end(b, which) / STATUS_BITS < STATUS_WORDS;
}

static const char *lacks_domains(const struct pcounter_bench *b,
				 const struct pcounter_experiment *exp)
{
	u32 needs = exp->needs;

	if (b->why)
		return b->why;
	if (needs & PCOUNTER_NEEDS_TWO && b->dom[1] < 0)
		return "only one domain of a set runs";
	if (exp->signal && bench_dom(b, 0)->dom != bench_signal(b, exp->signal)->dom)
		return "the clock of the domain that shows register accesses stands still";
	if (needs & PCOUNTER_NEEDS_RATIO && b->pair[0] < 0)
		return "no two domains of a set whose clocks are far enough apart";
	if (needs & PCOUNTER_NEEDS_SPACE && !has_space(b, 0) && !has_space(b, 1))
		return "no signal number is above a trailer";
	return NULL;
}

static const char *lacks_memory(struct pcounter_bench *b, u32 needs)
{
	if (needs & PCOUNTER_NEEDS_FAULT)
		return b->wedged ? NULL : "there was no fault";
	if (!(needs & PCOUNTER_NEEDS_MEMORY))
		return NULL;
	if (b->wedged)
		return "a fault has stopped the domain until the GPU is reset";
	return bench_lend(b, needs & PCOUNTER_NEEDS_TABLES) ? NULL :
							      "record mode could not be set up";
}

static const char *lacks(struct pcounter_bench *b, const struct pcounter_experiment *exp)
{
	if (exp->needs & PCOUNTER_NEEDS_IDLE)
		return bench_find_idle(b, exp->needs & PCOUNTER_NEEDS_LEVELS);
	if (exp->needs & PCOUNTER_NEEDS_RAW)
		return NULL;
	return lacks_domains(b, exp) ?: lacks_memory(b, exp->needs);
}

/* ---- the whole run ---- */

static void run_program(struct pcounter_bench *b, const struct pcounter_experiment *exp)
{
	bool two = exp->needs & (PCOUNTER_NEEDS_TWO | PCOUNTER_NEEDS_RATIO);
	int first = b->dom[0], other = b->dom[1];

	if (exp->needs & PCOUNTER_NEEDS_RATIO)
		memcpy(b->dom, b->pair, sizeof(b->dom));
	if (!two && !(exp->needs & PCOUNTER_NEEDS_SPACE))
		b->dom[1] = -1;
	/* without a running domain use this one: its clock does not matter */
	if (b->dom[0] < 0)
		b->dom[0] = 0;
	if (!(exp->needs & PCOUNTER_NEEDS_RAW))
		bench_quiet(b, 0);
	if (two)
		bench_quiet(b, 1);
	if (exp->mode) {
		bench_ctrl(b, 0, exp->mode);
		bench_ctrl(b, 1, BENCH_QUAD);
	}
	exp->make(b);
	bench_look_for_fault(b);
	b->dom[0] = first;
	b->dom[1] = other;
}

static void conclude(struct pcounter_bench *b, const struct pcounter_experiment *exp, bool kept)
{
	struct pcounter_finding *found = &b->found;

	if (b->lost) {
		found->verdict = PCOUNTER_STOPPED;
		return;
	}
	found->verdict = compare(b, exp);
	/* a fault makes the variables meaningless */
	if (b->wedged && exp->needs & PCOUNTER_NEEDS_MEMORY && !exp->fault) {
		found->verdict = PCOUNTER_UNDECIDED;
		found->why = "a fault has stopped the domain until the GPU is reset";
	}
	if (found->verdict == PCOUNTER_CONTRADICTS)
		find_culprit(b, exp);
	if (!kept)
		found->verdict = PCOUNTER_NOT_RESTORED;
}

/**
 * pcounter_experiment_run() - run an experiment
 * @bench: the bench
 * @exp: the experiment
 *
 * Restores all registers, unless the verdict says otherwise. The first experiment
 * on a bench takes longer, since it searches for running domains.
 *
 * Return: the result, valid until the next run.
 */
const struct pcounter_finding *
pcounter_experiment_run(struct pcounter_bench *bench, const struct pcounter_experiment *exp)
{
	struct pcounter_finding *found = &bench->found;
	bool kept;

	*found = (struct pcounter_finding){ .verdict = PCOUNTER_ABSENT_HERE };
	if (!in_reach(bench, exp))
		return found;
	if (!(exp->needs & PCOUNTER_NEEDS_READS))
		bench_make_ready(bench);
	found->verdict = PCOUNTER_UNDECIDED;
	/* a bench that is lost may have no domains */
	if (!bench->lost)
		found->why = lacks(bench, exp);
	if (found->why)
		return found;
	if (!bench->lost)
		run_program(bench, exp);
	kept = bench_restore(bench);
	bench_take(bench);
	conclude(bench, exp, kept);
	return found;
}
