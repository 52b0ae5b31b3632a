// SPDX-License-Identifier: GPL-2.0-only
/*
 * The logic ops of a domain, hw:inputs/op: for one clock, and for up to 64 at a time.
 */
#include <linux/bitops.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define WORD		64

/* Properties of an argument, beside the number of its source. */
enum { DELAYED = 4, BY_SETFLAG = 8 };

/*
 * Return the number of the source for argument @arg, with DELAYED if it is that
 * of the previous clock; or BY_SETFLAG. Bits that a chip lacks are never
 * stored.
 */
static unsigned int argument(const struct pcmodel_domain *d, unsigned int op, unsigned int arg)
{
	bool counts = op == EVENT || op == STOP, late = counts || d->late_ops;
	u32 reg = d->op[op];

	switch (arg) {
	case 0:
		return reg & OP_DELAY_0 ? 0 | DELAYED : 0;
	case 1:
		return reg & OP_DELAY_1 ? 1 | DELAYED : 1;
	case 2:
		return reg & (late ? OP_19 : OP_18) ? 0 | DELAYED : 2;
	default:
		if (counts && reg & OP_18)
			return BY_SETFLAG;
		return reg & (late ? OP_20 : OP_19) ? 1 | DELAYED : 3;
	}
}

/* Apply the truth table to words, one argument after the other. */
static u64 table_words(u32 table, const u64 arg[4])
{
	u64 row[16];
	unsigned int i, k, n;

	for (i = 0; i < 16; i++)
		row[i] = table & BIT(i) ? ~0ULL : 0;
	for (k = 0, n = 8; k < 4; k++, n /= 2)
		for (i = 0; i < n; i++)
			row[i] = (row[2 * i] & ~arg[k]) | (row[2 * i + 1] & arg[k]);
	return row[0];
}

static u64 op_words(const struct pcmodel_domain *d, const struct pcmodel_clocks *c,
		    unsigned int op)
{
	u32 table = d->op[op] & OP_TABLE;
	unsigned int k, what;
	u64 arg[4];

	if (!table || table == OP_TABLE)
		return table ? ~0ULL : 0;
	for (k = 0; k < 4; k++) {
		what = argument(d, op, k);
		if (what == BY_SETFLAG) {
			arg[k] = c->out[SETFLAG];
			continue;
		}
		arg[k] = c->src[op][what & 3];
		if (what & DELAYED)
			arg[k] = arg[k] << 1 | (d->prev[op] >> (what & 3) & 1);
	}
	return table_words(table, arg);
}

/* Compute the outputs of the six ops from the levels of the 16 sources. */
void pcmodel_eval_words(const struct pcmodel_domain *d, struct pcmodel_clocks *c,
			u64 mask)
{
	static const u8 order[] = { SETFLAG, CLRFLAG, PRE, START, EVENT, STOP };
	unsigned int i;

	for (i = 0; i < PCMODEL_OPS; i++)
		c->out[order[i]] = op_words(d, c, order[i]) & mask;
}

/* Look the result of one clock up in the truth table. */
static bool op_level(const struct pcmodel_domain *d, const struct pcmodel_clocks *c,
		     unsigned int op)
{
	u32 table = d->op[op] & OP_TABLE;
	unsigned int k, what, row = 0;

	if (!table || table == OP_TABLE)
		return table;
	for (k = 0; k < 4; k++) {
		what = argument(d, op, k);
		if (what == BY_SETFLAG)
			row |= (c->out[SETFLAG] & 1) << k;
		else if (what & DELAYED)
			row |= (d->prev[op] >> (what & 3) & 1) << k;
		else
			row |= (c->src[op][what] & 1) << k;
	}
	return table >> row & 1;
}

/* Make the last of @n clocks "the previous clock". */
void pcmodel_keep_previous(struct pcmodel_domain *d, const struct pcmodel_clocks *c,
			   unsigned int n)
{
	unsigned int op;

	for (op = 0; op < PCMODEL_OPS; op++) {
		const u64 *src = c->src[op];

		d->prev[op] = (src[0] >> (n - 1) & 1) | (src[1] >> (n - 1) & 1) << 1 |
			      (src[2] >> (n - 1) & 1) << 2 | (src[3] >> (n - 1) & 1) << 3;
	}
}

/* Return the sources that affect an op's output: bit 4 * slot + source. */
u32 pcmodel_op_needs(const struct pcmodel_domain *d, unsigned int op)
{
	static const u16 rows[] = { 0xaaaa, 0xcccc, 0xf0f0, 0xff00 };
	u32 table = d->op[op] & OP_TABLE, needs = 0;
	unsigned int k, what;

	for (k = 0; k < 4; k++) {
		/* the table has equal rows for both levels of this argument */
		if ((table & rows[k]) >> BIT(k) == (table & ~rows[k]))
			continue;
		what = argument(d, op, k);
		if (what == BY_SETFLAG)
			continue;	/* an op of its own */
		needs |= PCMODEL_NEED(op, what & 3);
	}
	return needs;
}

/* ---- one clock ---- */

/* Read the levels of the sources, one by one. */
static void look(const struct pcmodel *m, unsigned int dom, struct pcmodel_clocks *c)
{
	unsigned int i;

	for (i = 0; i < PCMODEL_OPS * 4; i++)
		c->src[i / 4][i % 4] =
			pcmodel_level(m, dom, pcmodel_source(m, dom, i / 4, i % 4));
}

static bool looks_at_itself(const struct pcmodel *m, unsigned int dom)
{
	unsigned int i;

	for (i = 0; i < PCMODEL_OPS * 4; i++)
		if (pcmodel_output_of(m, dom, pcmodel_source(m, dom, i / 4, i % 4)) == dom)
			return true;
	return false;
}

/*
 * Compute the next 64 clocks, except for outputs of domains and the ops that
 * depend on them.
 */
static void look_ahead(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];
	struct pcmodel_ahead *a = &m->ahead[dom];
	struct pcmodel_clocks c;
	unsigned int i, sig;

	a->from = d->cycle;
	a->until = d->cycle + WORD;
	a->outputs = 0;
	for (i = 0; i < PCMODEL_OPS * 4; i++) {
		sig = pcmodel_source(m, dom, i / 4, i % 4);
		c.src[i / 4][i % 4] = pcmodel_word(m, dom, sig);
		if (pcmodel_output_of(m, dom, sig) == NO_DOMAIN)
			continue;
		a->outputs |= BIT(i);
		a->wire[i] = pcmodel_wire_of_output(m, dom, sig);
	}
	pcmodel_eval_words(d, &c, ~0ULL);
	a->itself = looks_at_itself(m, dom);
	a->open = 0;
	for (i = 0; i < PCMODEL_OPS; i++)
		if (pcmodel_op_needs(d, i) & a->outputs)
			a->open |= BIT(i);
	if (a->open & BIT(SETFLAG))
		a->open |= BIT(EVENT) | BIT(STOP);
	memcpy(a->src, c.src, sizeof(a->src));
	memcpy(a->out, c.out, sizeof(a->out));
}

/* Read the present levels of sources that are outputs of domains. */
static void look_at_outputs(const struct pcmodel *m, unsigned int dom,
			    struct pcmodel_clocks *c)
{
	const struct pcmodel_ahead *a = &m->ahead[dom];
	u32 left;

	for (left = a->outputs; left; left &= left - 1) {
		unsigned int i = ffs(left) - 1;

		c->src[i / 4][i % 4] = pcmodel_output_level(m, dom, a->wire[i]);
	}
}

static void look_again(const struct pcmodel *m, unsigned int dom, bool ahead,
		       struct pcmodel_clocks *c)
{
	if (ahead)
		look_at_outputs(m, dom, c);
	else
		look(m, dom, c);
}

/* Return the ops to evaluate; the results of the others for this clock are in @c. */
static u32 begin_clock(struct pcmodel *m, unsigned int dom, bool ahead,
		       struct pcmodel_clocks *c)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	const struct pcmodel_ahead *a = &m->ahead[dom];
	unsigned int i, at;

	if (!ahead) {
		look(m, dom, c);
		return ~0u;
	}
	if (d->cycle >= a->until)
		look_ahead(m, dom);
	at = d->cycle - a->from;
	for (i = 0; i < PCMODEL_OPS; i++) {
		c->src[i][0] = a->src[i][0] >> at & 1;
		c->src[i][1] = a->src[i][1] >> at & 1;
		c->src[i][2] = a->src[i][2] >> at & 1;
		c->src[i][3] = a->src[i][3] >> at & 1;
		c->out[i] = a->out[i] >> at & 1;
	}
	look_at_outputs(m, dom, c);
	return a->open;
}

/*
 * Evaluate a domain's ops for one clock. An EVENT that depends on itself,
 * directly or indirectly, sees its last value (hw:ambiguities/11); all other
 * users of EVENT see the new value.
 */
void pcmodel_eval_clock(struct pcmodel *m, unsigned int dom, struct pcmodel_clocks *c)
{
	static const u8 order[] = { SETFLAG, CLRFLAG, PRE, START, STOP };
	struct pcmodel_domain *d = &m->dom[dom];
	bool last = d->event && !m->quirks.self_event;
	/* the effect of a write ends with this clock */
	bool ahead = !m->stepping && !d->pm_trigger && !d->user_pulse;
	unsigned int i;
	u32 open;

	d->event = last;
	if (!ahead)
		m->ahead[dom].until = 0;
	open = begin_clock(m, dom, ahead, c);
	if (open & BIT(SETFLAG))
		c->out[SETFLAG] = op_level(d, c, SETFLAG);
	if (open & BIT(EVENT))
		c->out[EVENT] = op_level(d, c, EVENT);
	d->event = c->out[EVENT];
	if (d->event != last && (ahead ? m->ahead[dom].itself : looks_at_itself(m, dom)))
		look_again(m, dom, ahead, c);
	for (i = 0; i < sizeof(order); i++)
		if (open & BIT(order[i]))
			c->out[order[i]] = op_level(d, c, order[i]);
}

/* Discard the computed clocks, since registers may have changed. */
void pcmodel_forget_ahead(struct pcmodel *m)
{
	unsigned int i;

	for (i = 0; i < m->domains; i++)
		m->ahead[i].until = 0;
}
