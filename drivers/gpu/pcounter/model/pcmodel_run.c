// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time: what a domain does in a clock, and how many clocks there are.
 *
 * Two ways give the same result: clock by clock, and 64 clocks at a time as
 * bit words where nothing in the domain depends on its own outputs.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pcmodel_regs.h"

#define WORD		64
/* Fewer are not worth a word, which looks at each of the sources. */
#define FEW_CLOCKS	4
#define SATURATED	0xffffffff
/* Longest piece that is run at once, so that products stay within 64 bits. */
#define RUN_CHUNK	BIT(20)
/* First piece for a caller that may run out of time. */
#define RUN_PIECE	1024

/* Clocks after which a domain has seen all that others did before. */
#define SETTLE_CLOCKS	4

/* G84-: a signal can swap. */
static bool is_g84(const struct pcmodel *m)
{
	return m->chip->variant >= PCMODEL_G84;
}

static u32 mode(const struct pcmodel_domain *d)
{
	return FIELD_GET(CTRL_MODE, d->ctrl);
}

/* ---- counters, hw:modes/sums ---- */

#define WIDE_BITS	GENMASK_ULL(38, 0)
#define WIDE_STICKY	BIT_ULL(39)

/* 40 bits: the low 39 wrap, the highest sticks. 32 bits: they saturate. */
static void count(const struct pcmodel *m, u64 *ctr, u64 n)
{
	u64 sum;

	if (!n)
		return;
	if (pcmodel_is_wide(m)) {
		sum = (*ctr & WIDE_BITS) + n;
		*ctr = (*ctr & WIDE_STICKY) | (sum & WIDE_BITS) |
		       (sum > WIDE_BITS ? WIDE_STICKY : 0);
		return;
	}
	sum = *ctr + n;
	if (m->chip->variant >= PCMODEL_GF100 && m->quirks.wrap32)
		*ctr = (u32)sum;
	else
		*ctr = min_t(u64, sum, SATURATED);
}

/* Most words are of one clock. */
static u64 weight(u64 word)
{
	return word > 1 ? hweight64(word) : word;
}

/* Sum over the clocks in @mask of an integer, whose bits are @n words from @bit. */
static u64 integer_sum(const u64 *bit, unsigned int n, u64 mask)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < n; i++)
		sum += (u64)weight(bit[i] & mask) << i;
	return sum;
}

static u64 sum_b4(const struct pcmodel_clocks *c, u64 mask)
{
	return integer_sum(c->src[START], 4, mask);
}

static u64 sum_b6(const struct pcmodel_clocks *c, u64 mask)
{
	return sum_b4(c, mask) + (integer_sum(&c->src[EVENT][2], 2, mask) << 4);
}

static u64 sum_b2(const struct pcmodel_clocks *c, u64 mask)
{
	return integer_sum(c->src[EVENT], 2, mask);
}

/* What the EVENT counter grows by. */
static u64 event_sum(u32 ctrl, const struct pcmodel_clocks *c, u64 mask)
{
	switch (FIELD_GET(CTRL_CTR_MODE, ctrl)) {
	case CTR_EVENT_B4:
		return sum_b4(c, c->out[EVENT] & mask);
	case CTR_EVENT_B6:
		return sum_b6(c, c->out[EVENT] & mask);
	case CTR_EXTRA_B6_EVENT_B2:
		return sum_b2(c, mask);
	case CTR_EVENT_OWN_B4:
		return integer_sum(c->src[EVENT], 4, c->out[START] & mask);
	default:
		return weight(c->out[EVENT] & mask);
	}
}

/* The EXTRA sum, if the mode has one: START in quad mode, PRE in single mode. */
static bool extra_sum(u32 ctrl, const struct pcmodel_clocks *c, u64 mask, u64 *sum)
{
	switch (FIELD_GET(CTRL_CTR_MODE, ctrl)) {
	case CTR_EXTRA_B4:
		*sum = sum_b4(c, mask);
		return true;
	case CTR_EXTRA_B6_EVENT_B2:
		*sum = sum_b6(c, mask);
		return true;
	default:
		return false;
	}
}

/* ---- quad event mode, hw:modes/quad ---- */

/* hw:modes/sums, a remark about GF100+: "also needs input on start/event" */
static u64 gate_extra(const struct pcmodel *m, const struct pcmodel_domain *d,
		      const struct pcmodel_clocks *c, u64 mask)
{
	if (m->chip->variant < PCMODEL_GF100 || !m->quirks.extra_b4_gated)
		return mask;
	return mask & c->out[START];
}

/* What the PRE and START counters grow by. */
static u64 pre_sum(u32 ctr, const struct pcmodel_clocks *c, u64 mask)
{
	if (ctr == CTR_PRE_B5)
		return integer_sum(c->src[PRE], 4, mask) +
		       (integer_sum(c->src[START], 1, mask) << 4);
	return weight(c->out[PRE] & mask);
}

static u64 start_sum(const struct pcmodel *m, const struct pcmodel_domain *d,
		     const struct pcmodel_clocks *c, u64 mask)
{
	u64 extra;

	if (extra_sum(d->ctrl, c, gate_extra(m, d, c, mask), &extra))
		return extra;
	/* there START is a gate, or a bit of a sum: its counter read 0 */
	if (FIELD_GET(CTRL_CTR_MODE, d->ctrl) >= CTR_PRE_B5)
		return 0;
	return weight(c->out[START] & mask);
}

static void quad_count(const struct pcmodel *m, unsigned int dom,
		       struct pcmodel_domain *d, const struct pcmodel_clocks *c, u64 mask,
		       u64 times)
{
	u32 ctr = FIELD_GET(CTRL_CTR_MODE, d->ctrl);

	if (pcmodel_gf100_gated(m, dom))
		return;
	count(m, &d->hidden_cycles, weight(mask) * times);
	/* real cards: all four read 0 while CYCLES ran */
	if (ctr == CTR_NONE)
		return;
	count(m, &d->hidden[PRE], pre_sum(ctr, c, mask) * times);
	count(m, &d->hidden[START], start_sum(m, d, c, mask) * times);
	count(m, &d->hidden[EVENT], event_sum(d->ctrl, c, mask) * times);
	count(m, &d->hidden[STOP], weight(c->out[STOP] & mask) * times);
}

static void quad_clock(struct pcmodel *m, unsigned int dom, const struct pcmodel_clocks *c)
{
	struct pcmodel_domain *d = &m->dom[dom];
	bool swap = false;

	if (is_g84(m))
		swap = pcmodel_level(m, dom, d->spec_src & 0xff);
	if (d->swap_wait && !--d->swap_wait)
		swap = true;
	/* before counting: what happens in this clock is of the new period */
	if (swap)
		pcmodel_swap(d);
	quad_count(m, dom, d, c, 1, 1);
}

/* ---- single event mode, hw:modes/single ---- */

static void single_counting(struct pcmodel *m, struct pcmodel_domain *d,
			    const struct pcmodel_clocks *c)
{
	bool stop = c->out[STOP] & 1;
	u64 extra;

	if (!stop || !m->quirks.no_stop_cycle)
		count(m, &d->cycles, 1);
	count(m, &d->ctr[EVENT], event_sum(d->ctrl, c, 1));
	if (extra_sum(d->ctrl, c, 1, &extra))
		count(m, &d->ctr[PRE], extra);
	if (!stop)
		return;
	if (d->ctr[EVENT] >= d->threshold)
		count(m, &d->ctr[START], 1);
	if (d->ctr[STOP]) {
		d->ctr[STOP]--;
		d->single_state = SINGLE_WAIT_START;
	} else {
		d->single_state = SINGLE_INACTIVE;
	}
}

static void single_clock(struct pcmodel *m, struct pcmodel_domain *d,
			 const struct pcmodel_clocks *c)
{
	switch (d->single_state) {
	case SINGLE_WAIT_PRE:
		if (!(c->out[PRE] & 1))
			break;
		if (d->ctr[PRE])
			d->ctr[PRE]--;
		else
			d->single_state = SINGLE_WAIT_START;
		break;
	case SINGLE_WAIT_START:
		if (!(c->out[START] & 1))
			break;
		d->cycles = m->quirks.start_cycle;
		if (!(d->ctrl & CTRL_PERIOD_ALL) || m->chip->variant == PCMODEL_NV10)
			d->ctr[EVENT] = 0;
		d->single_state = SINGLE_COUNTING;
		break;
	case SINGLE_COUNTING:
		single_counting(m, d, c);
		break;
	}
}

/* ---- one clock ---- */

static void drive(struct pcmodel_output *out, bool level)
{
	out->edges += level && !out->level;
	out->level = level;
}

static bool flag_runs(const struct pcmodel_domain *d)
{
	return mode(d) != MODE_SINGLE || d->single_state != SINGLE_INACTIVE;
}

/* hw:inputs/flag: CLRFLAG wins over SETFLAG; visible two clocks later. */
static void flag_clock(struct pcmodel_domain *d, bool set, bool clr, bool runs)
{
	drive(&d->out_flag, d->flag_old);
	d->flag_old = d->flag;
	if (runs && (set || clr))
		d->flag = !clr;
}

static void periodic_clock(struct pcmodel *m, unsigned int dom, u64 clocks)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u32 mask = pcmodel_periodic_mask(d);

	if (pcmodel_periodic_held(m, dom))
		d->periodic = m->quirks.periodic_phase;
	else if (mask)
		d->periodic = (d->periodic + clocks) & mask;
}

static void domain_clock(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];
	bool runs = flag_runs(d);
	struct pcmodel_clocks c;

	pcmodel_eval_clock(m, dom, &c);
	switch (pcmodel_wedged(m, dom) ? MODE_HALTED : mode(d)) {
	case MODE_SINGLE:
		single_clock(m, d, &c);
		break;
	case MODE_QUAD:
		quad_clock(m, dom, &c);
		break;
	}
	pcmodel_record_clock(m, dom, c.src, c.out[STOP] & 1);
	pcmodel_keep_previous(d, &c, 1);
	flag_clock(d, c.out[SETFLAG], c.out[CLRFLAG], runs);
	drive(&d->out_event, d->event);
	periodic_clock(m, dom, 1);
	d->pm_trigger = false;
	d->user &= ~d->user_pulse;
	d->user_pulse = 0;
	d->cycle++;
}

/* ---- 64 clocks at a time ---- */

#define NEED_START		GENMASK(START * 4 + 3, START * 4)

static u32 domain_needs(const struct pcmodel_domain *d)
{
	unsigned int op;
	u32 needs = 0;

	for (op = 0; op < PCMODEL_OPS; op++)
		needs |= pcmodel_op_needs(d, op);
	if (mode(d) == MODE_RECORD)
		needs |= GENMASK(EVENT * 4 + 3, 0);
	switch (FIELD_GET(CTRL_CTR_MODE, d->ctrl)) {
	case CTR_EVENT_B4:
	case CTR_EXTRA_B4:
		return needs | NEED_START;
	case CTR_EVENT_B6:
		return needs | NEED_START | PCMODEL_NEED(EVENT, 2) |
		       PCMODEL_NEED(EVENT, 3);
	case CTR_EXTRA_B6_EVENT_B2:
		return needs | NEED_START | GENMASK(EVENT * 4 + 3, EVENT * 4);
	case CTR_PRE_B5:
		return needs | GENMASK(PRE * 4 + 3, PRE * 4) |
		       PCMODEL_NEED(START, 0);
	case CTR_EVENT_OWN_B4:
		return needs | GENMASK(EVENT * 4 + 3, EVENT * 4);
	default:
		return needs;
	}
}

static bool swaps_by_signal(const struct pcmodel *m, const struct pcmodel_domain *d)
{
	return is_g84(m) && mode(d) == MODE_QUAD;
}

/**
 * struct plan - how a domain can be run
 * @needs: sources that matter
 * @own: it looks at its own outputs: clock by clock
 * @others: it looks at other domains' outputs, and goes in step with them: bit mask of
 *	their numbers in the set
 * @steady: nothing that it looks at changes
 */
struct plan {
	u32 needs;
	bool own;
	bool steady;
	u8 others;
};

static void plan_signal(const struct pcmodel *m, unsigned int dom,
			unsigned int sig, struct plan *p)
{
	unsigned int from = pcmodel_output_of(m, dom, sig);

	if (from == dom)
		p->own = true;
	else if (from != NO_DOMAIN)
		p->others |= BIT(from - m->dom[dom].first);
	p->steady &= pcmodel_is_constant(m, dom, sig);
}

static void plan_domain(const struct pcmodel *m, unsigned int dom, struct plan *p)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	unsigned int i;

	p->needs = domain_needs(d);
	p->own = false;
	p->steady = true;
	p->others = 0;
	for (i = 0; i < PCMODEL_OPS * 4; i++)
		if (p->needs & BIT(i))
			plan_signal(m, dom, pcmodel_source(m, dom, i / 4, i % 4), p);
	if (swaps_by_signal(m, d))
		plan_signal(m, dom, d->spec_src & 0xff, p);
}

static void flag_words(struct pcmodel_domain *d, const struct pcmodel_clocks *c,
		       unsigned int n, bool runs)
{
	u64 set = c->out[SETFLAG], clr = c->out[CLRFLAG];
	unsigned int i;

	/* a flag that rests looks the same after three clocks */
	if (!runs || (!set && !clr))
		n = min_t(unsigned int, n, 3);
	for (i = 0; i < n; i++)
		flag_clock(d, set >> i & 1, clr >> i & 1, runs);
}

static void event_words(struct pcmodel_domain *d, u64 event, unsigned int n)
{
	u64 before = event << 1 | d->event;

	d->out_event.edges += hweight64(event & ~before);
	d->event = event >> (n - 1) & 1;
	d->out_event.level = d->event;
}

/* Could a state change in these clocks? Those are not for words. */
static bool state_changes(const struct pcmodel *m, unsigned int dom,
			  const struct pcmodel_clocks *c, u64 mask)
{
	const struct pcmodel_domain *d = &m->dom[dom];

	if (mode(d) == MODE_QUAD)
		return is_g84(m) && pcmodel_word(m, dom, d->spec_src & 0xff) & mask;
	if (mode(d) != MODE_SINGLE)
		return false;
	switch (d->single_state) {
	case SINGLE_WAIT_PRE:
		return c->out[PRE];
	case SINGLE_WAIT_START:
		return c->out[START];
	case SINGLE_COUNTING:
		return c->out[STOP];
	default:
		return false;
	}
}

static void count_words(const struct pcmodel *m, unsigned int dom,
			struct pcmodel_domain *d, const struct pcmodel_clocks *c, u64 mask,
			u64 times)
{
	u64 extra;

	if (mode(d) == MODE_QUAD)
		quad_count(m, dom, d, c, mask, times);
	if (mode(d) != MODE_SINGLE || d->single_state != SINGLE_COUNTING)
		return;
	count(m, &d->cycles, hweight64(mask) * times);
	count(m, &d->ctr[EVENT], event_sum(d->ctrl, c, mask) * times);
	if (extra_sum(d->ctrl, c, mask, &extra))
		count(m, &d->ctr[PRE], extra * times);
}

/* @times times @n clocks that are all alike; false: not this way. */
static bool domain_words(struct pcmodel *m, unsigned int dom, const struct plan *p,
			 unsigned int n, u64 times)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u64 mask = n == WORD ? ~0ULL : BIT_ULL(n) - 1;
	struct pcmodel_clocks c = { };
	unsigned int i;

	for (i = 0; i < PCMODEL_OPS * 4; i++)
		if (p->needs & BIT(i))
			c.src[i / 4][i % 4] =
				pcmodel_word(m, dom,
					     pcmodel_source(m, dom, i / 4, i % 4)) & mask;
	pcmodel_eval_words(d, &c, mask);
	if (state_changes(m, dom, &c, mask) ||
	    !pcmodel_record_words(m, dom, c.src, c.out[STOP], mask, times))
		return false;
	if (!pcmodel_wedged(m, dom))
		count_words(m, dom, d, &c, mask, times);
	pcmodel_keep_previous(d, &c, n);
	flag_words(d, &c, n, flag_runs(d));
	event_words(d, c.out[EVENT], n);
	periodic_clock(m, dom, n * times);
	d->cycle += n * times;
	m->skipped += n * times;
	return true;
}

/*
 * In @n clocks a state changes. Halves that do not have it go as words, so that few
 * clocks are left to go one by one; returns how many it was to the end of those.
 */
static unsigned int run_to_change(struct pcmodel *m, unsigned int dom, const struct plan *p,
				  unsigned int n)
{
	unsigned int half, done = 0;

	while (n > FEW_CLOCKS) {
		half = n / 2;
		if (domain_words(m, dom, p, half, 1)) {
			done += half;
			n -= half;
		} else {
			n = half;
		}
	}
	done += n;
	while (n--)
		domain_clock(m, dom);
	return done;
}

static void domain_skip(struct pcmodel *m, unsigned int dom, const struct plan *p,
			u64 clocks)
{
	struct pcmodel_domain *d = &m->dom[dom];
	bool settled = false;
	unsigned int n;
	u64 times;

	while (clocks) {
		n = min_t(u64, clocks, WORD);
		/* what a write has started is over soon */
		if (p->own || d->pm_trigger || d->user_pulse || d->swap_wait) {
			domain_clock(m, dom);
			clocks--;
			continue;
		}
		/* after a word of its own the flag rests, the delays are over */
		times = settled && n == WORD ?
			pcmodel_record_room(m, dom, clocks / WORD) : 1;
		if (domain_words(m, dom, p, n, times)) {
			clocks -= n * times;
			settled = p->steady;
			continue;
		}
		clocks -= run_to_change(m, dom, p, n);
		settled = false;
	}
}

/* ---- reference cycles ---- */

/*
 * A domain's next edge comes @at / num of the way through the reference cycle; beyond
 * num it is not in this one.
 */
static bool edge_before(const struct pcmodel_domain *a, const struct pcmodel_domain *b)
{
	return a->at * b->num < b->at * a->num;
}

/* Marks the domains whose edge comes next, all at the same time; false: none is left. */
static bool next_edges(struct pcmodel *m)
{
	const struct pcmodel_domain *first = NULL;
	struct pcmodel_domain *d;

	for (d = m->dom; d < m->dom + m->domains; d++)
		if (d->stepped && d->at <= d->num && (!first || edge_before(d, first)))
			first = d;
	for (d = m->dom; d < m->dom + m->domains; d++)
		d->edge = first && d->stepped && d->at <= d->num && !edge_before(first, d);
	return first;
}

/*
 * Edges in time order. Of simultaneous ones all domains first do their clock,
 * which looks only at what the synchronisers hold; then the synchronisers take
 * the new outputs. So the order among the domains does not matter.
 */
static void reference_cycle(struct pcmodel *m)
{
	struct pcmodel_domain *d;
	unsigned int i;

	for (d = m->dom; d < m->dom + m->domains; d++)
		d->at = (u64)d->den - d->acc;
	while (next_edges(m)) {
		for (i = 0; i < m->domains; i++)
			if (m->dom[i].edge)
				domain_clock(m, i);
		for (i = 0; i < m->domains; i++) {
			if (!m->dom[i].edge)
				continue;
			pcmodel_import_all(m, i);
			m->dom[i].at += m->dom[i].den;
		}
	}
	for (d = m->dom; d < m->dom + m->domains; d++)
		if (d->stepped)
			d->acc = (u64)d->den + d->num - d->at;
}

/* Those domains that go in step. */
static void step(struct pcmodel *m, u64 cycles)
{
	for (; cycles; cycles--) {
		reference_cycle(m);
		m->time++;
	}
}

static void step_all(struct pcmodel *m, u64 cycles)
{
	unsigned int i;

	for (i = 0; i < m->domains; i++)
		m->dom[i].stepped = true;
	step(m, cycles);
}

/* Reference cycles in which every running domain has SETTLE_CLOCKS clocks. */
static u64 settle_time(const struct pcmodel *m)
{
	unsigned int i;
	u64 time = 0;

	for (i = 0; i < m->domains; i++)
		if (m->dom[i].num)
			time = max(time, div_u64((u64)SETTLE_CLOCKS * m->dom[i].den,
						 m->dom[i].num) + 1);
	return time;
}

/* How many pulses wait, or which domains rest, depends on all that came before. */
static bool can_skip(const struct pcmodel *m)
{
	return !m->stepping && !m->quirks.pulse_keep && !m->quirks.wedge_others;
}

/* A domain that looks at others goes in step with them; false: it did so before. */
static bool add_step(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];
	bool more = false;
	struct plan plan;
	unsigned int i;

	plan_domain(m, dom, &plan);
	if (!plan.others || !d->num)
		return false;
	for (i = 0; i < d->count; i++) {
		if (!(plan.others & BIT(i)))
			continue;
		more |= !m->dom[d->first + i].stepped;
		m->dom[d->first + i].stepped = true;
	}
	more |= !d->stepped;
	d->stepped = true;
	return more;
}

/* Which domains go in step; false: none. */
static bool choose_steps(struct pcmodel *m)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < m->domains; i++)
		m->dom[i].stepped = false;
	for (i = 0; i < m->domains; i++)
		any |= add_step(m, i);
	return any;
}

/*
 * Domains that do not look at each other run one after the other. The last
 * clocks are stepped, which leaves the synchronisers between them, and sources
 * that nothing looked at, as stepping all of them would have.
 */
static void run_chunk(struct pcmodel *m, u64 cycles)
{
	u64 settle = settle_time(m);
	struct plan plan;
	unsigned int i;
	u32 rem;

	pcmodel_note_run(m);
	pcmodel_forget_ahead(m);
	if (cycles <= settle || !can_skip(m)) {
		step_all(m, cycles);
		return;
	}
	cycles -= settle;
	if (choose_steps(m))
		step(m, cycles);
	else
		m->time += cycles;
	for (i = 0; i < m->domains; i++) {
		struct pcmodel_domain *d = &m->dom[i];
		u64 clocks;

		if (d->stepped)
			continue;
		clocks = div_u64_rem(d->acc + cycles * d->num, d->den, &rem);
		d->acc = rem;
		plan_domain(m, i, &plan);
		domain_skip(m, i, &plan, clocks);
	}
	step_all(m, settle);
}

/**
 * pcmodel_run() - let time pass
 * @m: the model
 * @cycles: reference cycles
 */
void pcmodel_run(struct pcmodel *m, u64 cycles)
{
	while (cycles) {
		u64 n = min_t(u64, cycles, RUN_CHUNK);

		if (m->queue_head != m->queue_tail)
			n = min_t(u64, n, m->queue[m->queue_head].due - m->time);
		run_chunk(m, n);
		pcmodel_pdaemon_run(m, n);
		cycles -= n;
		pcmodel_apply_due(m);
	}
}

/**
 * pcmodel_run_some() - let time pass until the caller has no more time for it
 * @m: the model
 * @cycles: reference cycles
 * @late: asked before each piece: is it to end?
 * @ctx: for @late
 *
 * The first piece is short, and the next ones double: the last one is about as long
 * as all before it.
 *
 * Return: how many cycles are left.
 */
u64 pcmodel_run_some(struct pcmodel *m, u64 cycles, bool (*late)(void *ctx), void *ctx)
{
	u64 piece = RUN_PIECE, n;

	for (; cycles && !late(ctx); cycles -= n) {
		n = min(cycles, piece);
		pcmodel_run(m, n);
		piece = min_t(u64, 2 * piece, RUN_CHUNK);
	}
	return cycles;
}
