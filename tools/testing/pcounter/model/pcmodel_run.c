// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time: the work of a domain in a clock, and the number of clocks.
 *
 * Two ways give the same result: clock by clock, and 64 clocks at a time as bit
 * words. Words need a domain in which nothing depends on its own outputs.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pcmodel_regs.h"

#define WORD		64
/* Run fewer clocks one by one: a word reads each of the sources. */
#define FEW_CLOCKS	4
#define SATURATED	0xffffffff
/* Longest piece for one run, so that products fit in 64 bits. */
#define RUN_CHUNK	BIT(20)
/* First piece for a caller with limited time. */
#define RUN_PIECE	1024

/* After this many clocks a domain has seen all earlier outputs of the others. */
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

/* Return true if a domain counts by periods, for its registers or for records. */
static bool has_periods(const struct pcmodel *m, unsigned int dom)
{
	return mode(&m->dom[dom]) == MODE_QUAD || pcmodel_streams(m, dom);
}

static bool is_wedged(const struct pcmodel *m, unsigned int dom)
{
	return pcmodel_wedged(m, dom) || pcmodel_stream_wedged(m);
}

/* Return the number of the signal that ends periods. hw:ambiguities/65: that of records. */
static unsigned int swap_signal(const struct pcmodel *m, unsigned int dom)
{
	if (m->quirks.stream_request == 1 && pcmodel_streams(m, dom))
		return pcmodel_trailer(m, dom) + TRAILER_GF100_PERIODIC;
	return m->dom[dom].spec_src & 0xff;
}

/* ---- counters, hw:modes/sums ---- */

#define WIDE_BITS	GENMASK_ULL(38, 0)
#define WIDE_STICKY	BIT_ULL(39)

/*
 * Add to a counter. 40 bits: the low 39 wrap, the highest stays set. 32 bits:
 * it saturates.
 */
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

/* Count the bits; most words are of one clock. */
static u64 weight(u64 word)
{
	return word > 1 ? hweight64(word) : word;
}

/* Sum an integer over the clocks in @mask. Its bits are in @n words from @bit. */
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

/* Return the increase of the EVENT counter. */
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

/* Compute the EXTRA sum if the mode has one: START in quad mode, PRE in single mode. */
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

/* Return the increase of the PRE and START counters. */
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
	/* in these modes START is a gate, or a bit of a sum: its counter read 0 */
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

static bool asks_by_stop(const struct pcmodel *m, unsigned int dom)
{
	return m->quirks.stream_request == 2 && pcmodel_streams(m, dom);
}

static void quad_clock(struct pcmodel *m, unsigned int dom, const struct pcmodel_clocks *c)
{
	struct pcmodel_domain *d = &m->dom[dom];
	bool swap = false;

	pcmodel_stream_clock(m, dom);
	if (asks_by_stop(m, dom))
		swap = c->out[STOP] & 1;
	else if (is_g84(m))
		swap = pcmodel_level(m, dom, swap_signal(m, dom));
	if (d->swap_wait && !--d->swap_wait)
		swap = true;
	/* before counting: this clock belongs to the new period */
	if (swap && pcmodel_streams(m, dom))
		pcmodel_stream_request(m, dom);
	else if (swap)
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
	if (has_periods(m, dom) && !is_wedged(m, dom))
		quad_clock(m, dom, &c);
	else if (mode(d) == MODE_SINGLE && !is_wedged(m, dom))
		single_clock(m, d, &c);
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

static bool swaps_by_signal(const struct pcmodel *m, unsigned int dom)
{
	return is_g84(m) && has_periods(m, dom);
}

/**
 * struct plan - the way to run a domain
 * @needs: sources that affect it
 * @own: it uses its own outputs, and must run clock by clock
 * @others: domains whose outputs it uses, and with which it must run in step: bit mask of
 *	their numbers in the set
 * @steady: none of its sources changes
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
	if (swaps_by_signal(m, dom))
		plan_signal(m, dom, swap_signal(m, dom), p);
}

static void flag_words(struct pcmodel_domain *d, const struct pcmodel_clocks *c,
		       unsigned int n, bool runs)
{
	u64 set = c->out[SETFLAG], clr = c->out[CLRFLAG];
	unsigned int i;

	/* a constant flag is stable after three clocks */
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

/* Return true if a state could change in these clocks: then they cannot run as words. */
static bool state_changes(const struct pcmodel *m, unsigned int dom,
			  const struct pcmodel_clocks *c, u64 mask)
{
	const struct pcmodel_domain *d = &m->dom[dom];

	if (asks_by_stop(m, dom))
		return c->out[STOP];
	if (has_periods(m, dom))
		return is_g84(m) && pcmodel_word(m, dom, swap_signal(m, dom)) & mask;
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

	if (has_periods(m, dom))
		quad_count(m, dom, d, c, mask, times);
	if (mode(d) != MODE_SINGLE || d->single_state != SINGLE_COUNTING)
		return;
	count(m, &d->cycles, hweight64(mask) * times);
	count(m, &d->ctr[EVENT], event_sum(d->ctrl, c, mask) * times);
	if (extra_sum(d->ctrl, c, mask, &extra))
		count(m, &d->ctr[PRE], extra * times);
}

/*
 * Run @n equal clocks @times times as words. Return false, without any effect,
 * if they cannot run as words.
 */
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
	if (!is_wedged(m, dom))
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
 * Run the @n clocks in which a state changes. Halves without the change run as
 * words, so that few clocks run one by one. Return the number of clocks up to
 * the end of these.
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
		/* the effect of a write ends soon */
		if (p->own || d->pm_trigger || d->user_pulse || d->swap_wait ||
		    m->stream.from[dom].wait) {
			domain_clock(m, dom);
			clocks--;
			continue;
		}
		/* after a separate word the flag is stable, and the delays are over */
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
 * A domain's next edge is at the fraction @at / num of the reference cycle;
 * above num it is in a later cycle.
 */
static bool edge_before(const struct pcmodel_domain *a, const struct pcmodel_domain *b)
{
	return a->at * b->num < b->at * a->num;
}

/*
 * Mark the domains with the next edge, all at the same time. Return false if no
 * edge is left.
 */
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
 * Process edges in time order. With simultaneous edges, all domains first run
 * their clock, which reads only the synchronisers; then the synchronisers take
 * the new outputs. So the order of the domains does not matter.
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

/* Run the domains that must run in step. */
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

/* Return the reference cycles in which every running domain has SETTLE_CLOCKS clocks. */
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

/*
 * With these quirks the number of waiting pulses, or the stopped domains,
 * depend on the whole past.
 */
static bool can_skip(const struct pcmodel *m)
{
	return !m->stepping && !m->quirks.pulse_keep && !m->quirks.wedge_others;
}

/*
 * Let a domain that uses outputs of others run in step with them. Return false
 * if it already does.
 */
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

/* Choose the domains that run in step. Return false if there are none. */
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
 * Run domains that do not use outputs of each other one after the other. Run
 * the last clocks in step: then the synchronisers between them, and unused
 * sources, are as if all clocks had run in step.
 */
static void run_chunk(struct pcmodel *m, u64 cycles)
{
	u64 settle = settle_time(m);
	struct plan plan;
	unsigned int i;
	u32 rem;

	pcmodel_note_run(m);
	pcmodel_stream_begin(m);
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
		n = pcmodel_stream_room(m, n);
		run_chunk(m, n);
		pcmodel_stream_run(m, m->time * PTIMER_NS);
		pcmodel_pdaemon_run(m, n);
		cycles -= n;
		pcmodel_apply_due(m);
	}
}

/**
 * pcmodel_run_some() - let time pass while the caller has time
 * @m: the model
 * @cycles: reference cycles
 * @late: called before each piece; returns true to stop
 * @ctx: argument of @late
 *
 * The first piece is short, and each piece is twice as long as the previous one: the
 * last one is about as long as all pieces before it.
 *
 * Return: the number of remaining cycles.
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
