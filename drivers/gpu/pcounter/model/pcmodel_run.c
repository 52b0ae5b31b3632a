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
#define SATURATED	0xffffffff
/* Longest piece that is run at once, so that products stay within 64 bits. */
#define RUN_CHUNK	BIT(20)

/* Clocks after which a domain has seen all that others did before. */
#define SETTLE_CLOCKS	4

/* hw/registers.md 4.3: where SETFLAG and CLRFLAG take their sources */
static const struct {
	u8 op;
	u8 source;
} flag_source[2][4] = {
	{ { START, 2 }, { START, 3 }, { PRE, 0 }, { PRE, 1 } },
	{ { PRE, 2 }, { PRE, 3 }, { START, 0 }, { START, 1 } },
};

static bool is_g84(const struct pcmodel *m)
{
	return m->chip->variant >= PCMODEL_G84;
}

static bool is_g92(const struct pcmodel *m)
{
	return m->chip->variant >= PCMODEL_G92;
}

/* ---- signals ---- */

/*
 * The trailer base; signals.md 6.1, 6.2: the sources dispute two of G98's.
 */
unsigned int pcmodel_trailer(const struct pcmodel *m, unsigned int dom)
{
	if (m->quirks.g98_trailer && m->chip->chipset == 0x98) {
		if (dom == 2)
			return 0xc0;
		if (dom == 5)
			return 0xe0;
	}
	return m->chip->trailer[dom] << 4;
}

/* Section 4.8: how another domain's output arrives; its own comes directly. */
static bool import_level(const struct pcmodel *m, unsigned int dom,
			 unsigned int from, bool flag)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	const struct pcmodel_import *in = flag ? &d->in_flag[from] :
						 &d->in_event[from];
	bool pulse = d->ctrl & (flag ? CTRL_FLAG_PULSE : CTRL_EVENT_PULSE);

	if (from >= m->chip->domains)
		return false;
	if (from == dom) {
		if (flag)
			return d->flag_old;
		return m->quirks.self_event ? false : d->event;
	}
	return pulse ? in->edges[1] != in->seen : in->level[1];
}

static u32 periodic_mask(const struct pcmodel_domain *d)
{
	u32 n = FIELD_GET(CTRL_PERIODIC, d->ctrl);

	return n ? BIT(9 + n) - 1 : 0;
}

static bool trailer_level(struct pcmodel *m, unsigned int dom, unsigned int at)
{
	struct pcmodel_domain *d = &m->dom[dom];

	if (at >= TRAILER_FLAG)
		return import_level(m, dom, TRAILER_SIZE - 1 - at, true);
	if (at >= TRAILER_EVENT)
		return import_level(m, dom, TRAILER_FLAG - 1 - at, false);
	if (at == TRAILER_PM_TRIGGER)
		return d->pm_trigger;
	if (at == TRAILER_PERIODIC && is_g84(m))
		return periodic_mask(d) && d->periodic == periodic_mask(d);
	return false;
}

static bool has_trailer_signal(const struct pcmodel *m, unsigned int at)
{
	if (at >= TRAILER_0E)
		return true;
	return is_g84(m) && at >= TRAILER_ZERO_G84;
}

/* Does anything but the scenario decide this signal's level? */
static bool is_dynamic(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	unsigned int at = sig - pcmodel_trailer(m, dom);

	if (m->chip->variant == PCMODEL_GT215 &&
	    sig - m->chip->user[dom] < 2)
		return true;
	return at < TRAILER_SIZE && at >= TRAILER_PERIODIC && at != TRAILER_0E &&
	       has_trailer_signal(m, at);
}

bool pcmodel_level(struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	struct pcmodel_domain *d = &m->dom[dom];
	unsigned int at = sig - pcmodel_trailer(m, dom);

	if (m->chip->variant == PCMODEL_GT215 && sig - m->chip->user[dom] < 2)
		return d->user >> (sig - m->chip->user[dom]) & 1;
	if (at < TRAILER_SIZE && has_trailer_signal(m, at))
		return trailer_level(m, dom, at);
	if (sig >= pcmodel_trailer(m, dom) + TRAILER_SIZE && m->quirks.junk)
		return (d->cycle * 0x9e3779b1 + sig) >> 7 & 1;
	return pcmodel_script_level(&d->sig[sig], d->cycle);
}

/* Number of the signal that source @source of op @op selects. */
unsigned int pcmodel_source(const struct pcmodel_domain *d, unsigned int op,
			    unsigned int source)
{
	unsigned int at = op;

	if (op >= SETFLAG) {
		at = flag_source[op - SETFLAG][source].op;
		source = flag_source[op - SETFLAG][source].source;
	}
	return d->src[at] >> (source * 8) & 0xff;
}

/* ---- logic ops, section 4.2; T is bool for one clock or u64 for 64 ---- */

/* Bits of the OP register that replace arguments 2 and 3. */
static u32 delay_bit(unsigned int op, unsigned int arg)
{
	if (op == EVENT || op == STOP)
		return arg == 2 ? OP_19 : OP_20;
	return arg == 2 ? OP_18 : OP_19;
}

/*
 * Words: bit n is clock n. @now: levels of the sources; @prev: the same one
 * clock earlier; @setflag: SETFLAG in the same clock.
 */
static u64 op_words(const struct pcmodel *m, u32 reg, unsigned int op,
		    const u64 now[4], const u64 prev[4], u64 setflag)
{
	bool counts = op == EVENT || op == STOP;
	u64 arg[4] = { now[0], now[1], now[2], now[3] };
	u64 out = 0;
	unsigned int row;

	if (reg & OP_DELAY_0)
		arg[0] = prev[0];
	if (reg & OP_DELAY_1)
		arg[1] = prev[1];
	if (is_g92(m) && reg & delay_bit(op, 2))
		arg[2] = prev[0];
	if (is_g92(m) && reg & delay_bit(op, 3))
		arg[3] = prev[1];
	if (counts && reg & OP_18)
		arg[3] = setflag;
	if (!(reg & OP_TABLE))
		return 0;
	for (row = 0; row < 16; row++) {
		if (!(reg & BIT(row)))
			continue;
		out |= (row & 1 ? arg[0] : ~arg[0]) & (row & 2 ? arg[1] : ~arg[1]) &
		       (row & 4 ? arg[2] : ~arg[2]) & (row & 8 ? arg[3] : ~arg[3]);
	}
	return out;
}

/**
 * struct clocks - what happens in a domain in up to 64 clocks
 * @src: levels of all sources
 * @out: results of the logic ops
 */
struct clocks {
	u64 src[PCMODEL_SLOTS][4];
	u64 out[PCMODEL_OPS];
};

/* From the levels of the 16 sources to the outputs of the six ops. */
static void eval_ops(const struct pcmodel *m, const struct pcmodel_domain *d,
		     struct clocks *c)
{
	static const u8 order[] = { SETFLAG, CLRFLAG, PRE, START, EVENT, STOP };
	unsigned int i, k;

	for (i = 0; i < PCMODEL_OPS; i++) {
		unsigned int op = order[i];
		u64 now[4], prev[4];

		if (!(d->op[op] & OP_TABLE)) {
			c->out[op] = 0;
			continue;
		}
		for (k = 0; k < 4; k++) {
			now[k] = op < SETFLAG ? c->src[op][k] :
				 c->src[flag_source[op - SETFLAG][k].op]
				       [flag_source[op - SETFLAG][k].source];
			prev[k] = now[k] << 1 | (d->prev[op] >> k & 1);
		}
		c->out[op] = op_words(m, d->op[op], op, now, prev, c->out[SETFLAG]);
	}
}

/* The last of @n clocks becomes "the previous clock". */
static void keep_previous(struct pcmodel_domain *d, const struct clocks *c,
			  unsigned int n)
{
	unsigned int op, k;

	for (op = 0; op < PCMODEL_OPS; op++) {
		d->prev[op] = 0;
		for (k = 0; k < 4; k++) {
			u64 now = op < SETFLAG ? c->src[op][k] :
				  c->src[flag_source[op - SETFLAG][k].op]
					[flag_source[op - SETFLAG][k].source];

			d->prev[op] |= (now >> (n - 1) & 1) << k;
		}
	}
}

/* ---- counters, section 6.1 ---- */

static void count(u32 *ctr, u64 n)
{
	*ctr = min_t(u64, *ctr + n, SATURATED);
}

/* Sum over the clocks in @mask of an integer whose bits are @bit[0..n-1]. */
static u64 integer_sum(const u64 *const bit[], unsigned int n, u64 mask)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < n; i++)
		sum += (u64)hweight64(*bit[i] & mask) << i;
	return sum;
}

static u64 sum_b4(const struct clocks *c, u64 mask)
{
	const u64 *const bit[] = {
		&c->src[START][0], &c->src[START][1],
		&c->src[START][2], &c->src[START][3],
	};

	return integer_sum(bit, 4, mask);
}

static u64 sum_b6(const struct clocks *c, u64 mask)
{
	const u64 *const bit[] = {
		&c->src[START][0], &c->src[START][1],
		&c->src[START][2], &c->src[START][3],
		&c->src[EVENT][2], &c->src[EVENT][3],
	};

	return integer_sum(bit, 6, mask);
}

static u64 sum_b2(const struct clocks *c, u64 mask)
{
	const u64 *const bit[] = { &c->src[EVENT][0], &c->src[EVENT][1] };

	return integer_sum(bit, 2, mask);
}

/* What the EVENT counter grows by. */
static u64 event_sum(u32 ctrl, const struct clocks *c, u64 mask)
{
	switch (FIELD_GET(CTRL_CTR_MODE, ctrl)) {
	case CTR_EVENT_B4:
		return sum_b4(c, c->out[EVENT] & mask);
	case CTR_EVENT_B6:
		return sum_b6(c, c->out[EVENT] & mask);
	case CTR_EXTRA_B6_EVENT_B2:
		return sum_b2(c, mask);
	default:
		return hweight64(c->out[EVENT] & mask);
	}
}

/* The EXTRA sum, if the mode has one: START in quad mode, PRE in single mode. */
static bool extra_sum(u32 ctrl, const struct clocks *c, u64 mask, u64 *sum)
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

/* ---- quad event mode, section 6.3 ---- */

void pcmodel_swap(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];
	unsigned int i;

	for (i = 0; i < PCMODEL_SLOTS; i++) {
		d->ctr[i] = d->hidden[i];
		d->hidden[i] = 0;
	}
	d->cycles = d->hidden_cycles;
	d->hidden_cycles = 0;
	d->quad_state = d->quad_state == QUAD_EMPTY ? QUAD_VALID : QUAD_OVERFLOW;
}

static void quad_count(struct pcmodel_domain *d, const struct clocks *c, u64 mask)
{
	u64 extra;

	count(&d->hidden[PRE], hweight64(c->out[PRE] & mask));
	if (!extra_sum(d->ctrl, c, mask, &extra))
		extra = hweight64(c->out[START] & mask);
	count(&d->hidden[START], extra);
	count(&d->hidden[EVENT], event_sum(d->ctrl, c, mask));
	count(&d->hidden[STOP], hweight64(c->out[STOP] & mask));
	count(&d->hidden_cycles, hweight64(mask));
}

static void quad_clock(struct pcmodel *m, unsigned int dom, const struct clocks *c)
{
	struct pcmodel_domain *d = &m->dom[dom];
	bool swap = false;

	if (is_g84(m))
		swap = pcmodel_level(m, dom, d->spec_src & 0xff);
	if (d->swap_wait && !--d->swap_wait)
		swap = true;
	/* before counting: what happens in this clock is of the new period */
	if (swap)
		pcmodel_swap(m, dom);
	quad_count(d, c, 1);
}

/* ---- single event mode, section 6.2 ---- */

void pcmodel_begin_single(struct pcmodel_domain *d)
{
	d->ctr[EVENT] = 0;
	d->ctr[START] = 0;
	d->cycles = 0;
	d->ctr[PRE] = d->init_pre;
	d->ctr[STOP] = d->init_stop;
	d->flag = false;
	d->single_state = SINGLE_WAIT_PRE;
}

static void single_counting(struct pcmodel *m, struct pcmodel_domain *d,
			    const struct clocks *c)
{
	bool stop = c->out[STOP] & 1;
	u64 extra;

	if (!stop || !m->quirks.no_stop_cycle)
		count(&d->cycles, 1);
	count(&d->ctr[EVENT], event_sum(d->ctrl, c, 1));
	if (extra_sum(d->ctrl, c, 1, &extra))
		count(&d->ctr[PRE], extra);
	if (!stop)
		return;
	if (d->ctr[EVENT] >= d->threshold)
		count(&d->ctr[START], 1);
	if (d->ctr[STOP]) {
		d->ctr[STOP]--;
		d->single_state = SINGLE_WAIT_START;
	} else {
		d->single_state = SINGLE_INACTIVE;
	}
}

static void single_clock(struct pcmodel *m, struct pcmodel_domain *d,
			 const struct clocks *c)
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
		if (!(d->ctrl & CTRL_PERIOD_ALL))
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

static void import_clock(struct pcmodel_import *in,
			 const struct pcmodel_output *from, bool keep)
{
	/* what was visible in this clock has been turned into a pulse */
	if (in->edges[1] != in->seen)
		in->seen = keep ? in->seen + 1 : in->edges[1];
	in->level[1] = in->level[0];
	in->level[0] = from->level;
	in->edges[1] = in->edges[0];
	in->edges[0] = from->edges;
}

static bool flag_runs(const struct pcmodel_domain *d)
{
	return FIELD_GET(CTRL_MODE, d->ctrl) != MODE_SINGLE ||
	       d->single_state != SINGLE_INACTIVE;
}

/* Section 4.9: CLRFLAG wins over SETFLAG; visible two clocks later. */
static void flag_clock(struct pcmodel_domain *d, bool set, bool clr, bool runs)
{
	d->flag_old = d->flag;
	if (runs && (set || clr))
		d->flag = !clr;
}

static void periodic_clock(const struct pcmodel *m, struct pcmodel_domain *d,
			   u64 clocks)
{
	u32 mask = periodic_mask(d);

	if (m->gctrl & GCTRL_PERIODIC_RESET)
		d->periodic = 0;
	else if (mask)
		d->periodic = (d->periodic + clocks) & mask;
}

static void domain_clock(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];
	bool runs = flag_runs(d);
	struct clocks c;
	unsigned int i, k;

	for (i = 0; i < PCMODEL_SLOTS; i++)
		for (k = 0; k < 4; k++)
			c.src[i][k] = pcmodel_level(m, dom, pcmodel_source(d, i, k));
	eval_ops(m, d, &c);
	for (i = 0; i < PCMODEL_OPS; i++)
		c.out[i] &= 1;
	switch (FIELD_GET(CTRL_MODE, d->ctrl)) {
	case MODE_SINGLE:
		single_clock(m, d, &c);
		break;
	case MODE_QUAD:
		quad_clock(m, dom, &c);
		break;
	}
	keep_previous(d, &c, 1);
	flag_clock(d, c.out[SETFLAG], c.out[CLRFLAG], runs);
	d->event = c.out[EVENT];
	for (i = 0; i < m->chip->domains; i++) {
		import_clock(&d->in_event[i], &m->snap_event[i], m->quirks.pulse_keep);
		import_clock(&d->in_flag[i], &m->snap_flag[i], m->quirks.pulse_keep);
	}
	drive(&d->out_event, d->event);
	drive(&d->out_flag, d->flag_old);
	periodic_clock(m, d, 1);
	d->pm_trigger = false;
	d->user &= ~d->user_pulse;
	d->user_pulse = 0;
	d->cycle++;
}

/* ---- 64 clocks at a time ---- */

static bool op_matters(const struct pcmodel_domain *d, unsigned int op)
{
	return d->op[op] & OP_TABLE;
}

/* Could something that happens now change what a later clock does? */
static bool can_skip(const struct pcmodel *m, unsigned int dom)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	unsigned int op, k;

	if (FIELD_GET(CTRL_MODE, d->ctrl) == MODE_SINGLE &&
	    d->single_state != SINGLE_INACTIVE)
		return false;
	if (d->swap_wait || d->pm_trigger || d->user_pulse || m->quirks.junk ||
	    m->quirks.pulse_keep)
		return false;
	if (is_g84(m) && FIELD_GET(CTRL_MODE, d->ctrl) == MODE_QUAD) {
		unsigned int sig = d->spec_src & 0xff;

		if (is_dynamic(m, dom, sig) || d->sig[sig].kind != PCMODEL_CONST ||
		    d->sig[sig].level)
			return false;
	}
	for (op = 0; op < PCMODEL_SLOTS; op++)
		for (k = 0; k < 4; k++)
			if (is_dynamic(m, dom, pcmodel_source(d, op, k)))
				return false;
	return true;
}

static void flag_words(struct pcmodel_domain *d, const struct clocks *c,
		       unsigned int n, bool runs)
{
	u64 set = c->out[SETFLAG], clr = c->out[CLRFLAG];
	unsigned int i;

	if (!set && !clr)
		n = 1;	/* a flag that rests looks the same from then on */
	for (i = 0; i < n; i++) {
		flag_clock(d, set >> i & 1, clr >> i & 1, runs);
		drive(&d->out_flag, d->flag_old);
	}
}

static void event_words(struct pcmodel_domain *d, u64 event, unsigned int n)
{
	u64 before = event << 1 | d->event;

	d->out_event.edges += hweight64(event & ~before);
	d->event = event >> (n - 1) & 1;
	d->out_event.level = d->event;
}

/* A source no op looks at still is "the previous clock" of a later one. */
static void domain_clocks(struct pcmodel *m, unsigned int dom, unsigned int n)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u64 mask = n == WORD ? ~0ULL : BIT_ULL(n) - 1;
	struct clocks c;
	unsigned int i, k;

	for (i = 0; i < PCMODEL_SLOTS; i++)
		for (k = 0; k < 4; k++)
			c.src[i][k] = pcmodel_script_word(&d->sig[pcmodel_source(d, i, k)],
							  d->cycle) & mask;
	eval_ops(m, d, &c);
	for (i = 0; i < PCMODEL_OPS; i++)
		c.out[i] &= mask;
	if (FIELD_GET(CTRL_MODE, d->ctrl) == MODE_QUAD)
		quad_count(d, &c, mask);
	keep_previous(d, &c, n);
	flag_words(d, &c, n, flag_runs(d));
	event_words(d, c.out[EVENT], n);
	periodic_clock(m, d, n);
	d->cycle += n;
}

/* Nothing selects, nothing counts but cycles: skip them all at once. */
static bool is_idle(const struct pcmodel_domain *d)
{
	unsigned int op;

	for (op = 0; op < PCMODEL_OPS; op++)
		if (op_matters(d, op) || d->prev[op])
			return false;
	for (op = 0; op < PCMODEL_SLOTS; op++)
		if (d->src[op])
			return false;
	return d->sig[0].kind == PCMODEL_CONST && !d->sig[0].level && !d->event &&
	       d->flag == d->flag_old && d->flag_old == d->out_flag.level;
}

static void domain_skip(struct pcmodel *m, unsigned int dom, u64 n)
{
	struct pcmodel_domain *d = &m->dom[dom];

	if (is_idle(d)) {
		if (FIELD_GET(CTRL_MODE, d->ctrl) == MODE_QUAD)
			count(&d->hidden_cycles, n);
		periodic_clock(m, d, n);
		d->cycle += n;
		return;
	}
	for (; n >= WORD; n -= WORD)
		domain_clocks(m, dom, WORD);
	if (n)
		domain_clocks(m, dom, n);
}

/* ---- reference cycles ---- */

/*
 * Edges in time order, ties by domain number; what one domain sees of another
 * is its output before this reference cycle.
 */
static void reference_cycle(struct pcmodel *m)
{
	unsigned int i;

	for (i = 0; i < m->chip->domains; i++) {
		m->snap_event[i] = m->dom[i].out_event;
		m->snap_flag[i] = m->dom[i].out_flag;
	}
	for (i = 0; i < m->chip->domains; i++) {
		struct pcmodel_domain *d = &m->dom[i];

		for (d->acc += d->num; d->acc >= d->den; d->acc -= d->den)
			domain_clock(m, i);
	}
	m->time++;
}

static void step(struct pcmodel *m, u64 cycles)
{
	while (cycles--)
		reference_cycle(m);
}

/* Reference cycles in which every running domain has SETTLE_CLOCKS clocks. */
static u64 settle_time(const struct pcmodel *m)
{
	unsigned int i;
	u64 time = 0;

	for (i = 0; i < m->chip->domains; i++)
		if (m->dom[i].num)
			time = max(time, div_u64((u64)SETTLE_CLOCKS * m->dom[i].den,
						 m->dom[i].num) + 1);
	return time;
}

static bool all_can_skip(const struct pcmodel *m)
{
	unsigned int i;

	for (i = 0; i < m->chip->domains; i++)
		if (!can_skip(m, i))
			return false;
	return !m->stepping;
}

/*
 * The last clocks are always stepped, which leaves the synchronisers between
 * the domains as stepping all of them would have.
 */
static void run_chunk(struct pcmodel *m, u64 cycles)
{
	u64 settle = settle_time(m);
	unsigned int i;
	u32 rem;

	if (cycles <= settle || !all_can_skip(m)) {
		step(m, cycles);
		return;
	}
	cycles -= settle;
	for (i = 0; i < m->chip->domains; i++) {
		struct pcmodel_domain *d = &m->dom[i];
		u64 clocks = div_u64_rem(d->acc + cycles * d->num, d->den, &rem);

		d->acc = rem;
		domain_skip(m, i, clocks);
	}
	m->time += cycles;
	m->skipped += cycles;
	step(m, settle);
}

static void apply_due(struct pcmodel *m)
{
	while (m->queue_head != m->queue_tail &&
	       m->queue[m->queue_head].due <= m->time) {
		unsigned int at = m->queue_head;

		m->queue_head = (at + 1) % PCMODEL_QUEUE;
		pcmodel_apply_write(m, m->queue[at].addr, m->queue[at].val);
	}
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
		/* what keeps from skipping is often over soon: look again */
		if (!all_can_skip(m))
			n = min_t(u64, n, WORD);
		run_chunk(m, n);
		cycles -= n;
		apply_due(m);
	}
}

/**
 * pcmodel_cycle() - a domain's clock
 * @m: the model
 * @dom: domain number
 *
 * Return: its cycles since init.
 */
u64 pcmodel_cycle(const struct pcmodel *m, unsigned int dom)
{
	return m->dom[dom].cycle;
}
