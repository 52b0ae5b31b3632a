// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of GF100 and later, hw:stream: the domains in MODE 5 send their
 * counters into one ring in memory, which the reader acknowledges.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

/* Offsets from 0x1b4000, hw:stream/registers */
enum stream_reg {
	STREAM_CTRL = 0x00,
	STREAM_MEM_BLOCK = 0x70,
	STREAM_OUTBASE = 0x74,
	STREAM_OUTBASE_HIGH = 0x78,
	STREAM_OUTSIZE = 0x7c,
	STREAM_POS = 0x80,
	STREAM_BYTES = 0x84,
	STREAM_BUMP = 0x88,
	STREAM_STATUS = 0xa4,
};

#define CTRL_OVERFLOWED		BIT(4)
#define CTRL_CLEAR		BIT(5)
#define MEM_BLOCK_BITS		(RECORD_CHAN_ADDR | RECORD_CHAN_TARGET | RECORD_CHAN_VALID)
#define RING_BITS		GENMASK(31, 5)
#define ADDRESS_HIGH_BITS	GENMASK(7, 0)
#define BYTES_BITS		GENMASK(31, 4)
#define STATUS_STATE		GENMASK(2, 0)
#define   STATE_BUSY		1
#define   STATE_FAULTED		6
#define STATUS_EMPTY		BIT(4)

/* hw:stream/record */
#define LONG_SIZE		32
#define SHORT_SIZE		16
#define HEAD_SIZE		8
#define HEAD_TIME		GENMASK(7, 0)
#define HEAD_ID			GENMASK(15, 8)
#define HEAD_SAMPLES		GENMASK(27, 16)
#define HEAD_DS			BIT(28)
#define HEAD_SZ			BIT(29)
#define FIRST_COUNTER		2
#define WORD_TRIGGERS		6
#define OTHER_CONTENT		0x5a5a5a5a
#define GUESSED_PERIOD		4

/* hw:ambiguities/52: candidates for the register of a domain's id */
#define REG_74_ID		GENMASK(23, 16)
#define REG_7C_ID		GENMASK(7, 0)

#define TIME_STEP		GENMASK_ULL(63, 5)	/* PTIMER's */

/* Values of quirks */
enum { ID_IN_74, ID_IN_7C, ID_ZERO };
enum { CLOCK_PTIMER, CLOCK_HUB_0, CLOCK_48_BITS };
enum { SHORT_NEVER, SHORT_HALF, SHORT_EXTRA };
enum { FAULT_STOPS, FAULT_DROPS, FAULT_STOPS_ALL };
enum { MODE_5_RECORDS, MODE_5_NOTHING, MODE_5_OTHER };
enum { POSITION_ADDRESS, POSITION_OFFSET, POSITION_ZERO };
enum { REQUEST_SWAP, REQUEST_PERIODIC, REQUEST_STOP };
#define RESTART_KEEPS_POSITION	BIT(0)
#define RESTART_KEEPS_FIFO	BIT(1)
#define EMPTY_ALWAYS		2

static struct pcmodel_sent *sent(struct pcmodel_stream *s, unsigned int n)
{
	return &s->sent[(s->head + n) % PCMODEL_STREAM_FIFO];
}

/* Return true if a domain counts for records, and sends them. */
bool pcmodel_streams(const struct pcmodel *m, unsigned int dom)
{
	return pcmodel_is_gf100(m) && FIELD_GET(CTRL_MODE, m->dom[dom].ctrl) == MODE_RECORD &&
	       !(m->set_ctrl[pcmodel_set_of(m, dom)] & GCTRL_RECORD_RESET);
}

/* Return true if a fault of the unit has stopped the counters of all domains. */
bool pcmodel_stream_wedged(const struct pcmodel *m)
{
	return m->stream.stuck && m->quirks.stream_fault == FAULT_STOPS_ALL;
}

/* ---- time: one clock for all domains ---- */

/* Note the state of the clocks before a run, in which domains may not be in step. */
void pcmodel_stream_begin(struct pcmodel *m)
{
	struct pcmodel_source *from = m->stream.from;
	unsigned int i;

	for (i = 0; i < m->domains; i++) {
		from[i].cycle = m->dom[i].cycle;
		from[i].acc = m->dom[i].acc;
	}
}

/* Return the time in ns of the clock that a domain is in. */
static u64 now(const struct pcmodel *m, unsigned int dom)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	const struct pcmodel_source *from = &m->stream.from[dom];
	u64 edges = d->cycle - from->cycle + 1;

	return m->run_time * PTIMER_NS +
	       div_u64((edges * d->den - from->acc) * PTIMER_NS, d->num);
}

/* hw:ambiguities/58: the unit of the time */
static u64 time_of(const struct pcmodel *m, u64 ns)
{
	const struct pcmodel_source *hub = &m->stream.from[0];
	const struct pcmodel_domain *d = &m->dom[0];
	u64 run = ns - m->run_time * PTIMER_NS;

	if (m->quirks.stream_clock != CLOCK_HUB_0)
		return ns & TIME_STEP;
	return hub->cycle + div_u64(hub->acc + div_u64(run * d->num, PTIMER_NS), d->den);
}

/* ---- records ---- */

static u8 id_of(const struct pcmodel *m, unsigned int dom)
{
	const struct pcmodel_source *from = &m->stream.from[dom];

	switch (m->quirks.stream_id) {
	case ID_IN_74:
		return FIELD_GET(REG_74_ID, from->reg_74);
	case ID_IN_7C:
		return FIELD_GET(REG_7C_ID, from->reg_7c);
	default:
		return 0;
	}
}

static void fill_head(const struct pcmodel *m, struct pcmodel_sent *r, bool late)
{
	u64 time = time_of(m, r->made);
	u8 id = m->quirks.stream_clock == CLOCK_48_BITS ? time >> 40 : id_of(m, r->dom);

	r->word[0] = time;
	r->word[1] = FIELD_PREP(HEAD_TIME, time >> 32 & 0xff) | FIELD_PREP(HEAD_ID, id) |
		     FIELD_PREP(HEAD_SAMPLES, m->stream.from[r->dom].requests & 0xfff) |
		     (late ? HEAD_DS : 0) | (r->size == SHORT_SIZE ? HEAD_SZ : 0);
}

static void fill_counters(const struct pcmodel *m, struct pcmodel_sent *r)
{
	static const u8 order[PCMODEL_SLOTS] = { EVENT, PRE, START, STOP };
	const struct pcmodel_domain *d = &m->dom[r->dom];
	unsigned int i;

	for (i = 0; i < PCMODEL_SLOTS; i++)
		r->word[FIRST_COUNTER + i] = d->hidden[order[i]];
	if (m->quirks.stream_word_6)
		r->word[WORD_TRIGGERS] = m->stream.from[r->dom].requests;
}

static void begin_period(const struct pcmodel *m, struct pcmodel_domain *d)
{
	if (!m->quirks.stream_sum)
		memset(d->hidden, 0, sizeof(d->hidden));
	d->hidden_cycles = 0;
}

static bool is_later(const struct pcmodel_sent *a, const struct pcmodel_sent *b)
{
	return a->made > b->made || (a->made == b->made && a->dom > b->dom);
}

/* Put a record into the FIFO, in front of later ones that have no place yet. */
static void enqueue(struct pcmodel_stream *s, const struct pcmodel_sent *r)
{
	unsigned int i = s->n++;

	for (; i && !sent(s, i - 1)->placed && is_later(sent(s, i - 1), r); i--)
		*sent(s, i) = *sent(s, i - 1);
	*sent(s, i) = *r;
	s->stats.sent++;
}

static void make(struct pcmodel *m, struct pcmodel_sent *r, u8 size, bool late)
{
	struct pcmodel_stream *s = &m->stream;
	unsigned int i;

	memset(r->word, 0, sizeof(r->word));
	r->size = size;
	fill_head(m, r, late);
	fill_counters(m, r);
	if (m->quirks.stream_mode == MODE_5_OTHER)
		swap(r->word[0], r->word[PCMODEL_STREAM_WORDS - 1]);
	for (i = 0; i < PCMODEL_STREAM_WORDS; i++)
		r->word[i] ^= s->flip[i];
	memset(s->flip, 0, sizeof(s->flip));
	enqueue(s, r);
}

/* Send a record; return false if the FIFO has no room. */
static bool send(struct pcmodel *m, unsigned int dom, u64 made, bool late)
{
	struct pcmodel_sent r = { .made = made, .dom = dom };
	struct pcmodel_stream *s = &m->stream;
	u32 kind = m->quirks.stream_short;

	if (s->n + 2 > PCMODEL_STREAM_FIFO)
		pcmodel_stream_run(m, made);
	if (s->n + 2 > PCMODEL_STREAM_FIFO)
		return false;
	s->stats.delayed += late;
	make(m, &r, kind == SHORT_HALF && s->from[dom].records % 2 ? SHORT_SIZE : LONG_SIZE,
	     late);
	s->from[dom].records++;
	begin_period(m, &m->dom[dom]);
	if (kind == SHORT_EXTRA) {
		make(m, &r, SHORT_SIZE, false);
		sent(s, s->n - 1)->word[FIRST_COUNTER] = OTHER_CONTENT;
	}
	return true;
}

static bool makes_none(const struct pcmodel *m)
{
	return m->stream.stuck || m->quirks.stream_mode == MODE_5_NOTHING;
}

/*
 * Handle the request of a record. Requests while a domain cannot send merge into
 * a late record.
 */
void pcmodel_stream_request(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_source *from = &m->stream.from[dom];
	struct pcmodel_domain *d = &m->dom[dom];
	u32 delay = from->delay;

	from->requests++;
	if (from->wait)
		return;
	if (makes_none(m)) {
		begin_period(m, d);
		return;
	}
	from->delay = 0;
	if (delay && !m->quirks.stream_delay_latched)
		from->wait = delay;
	else if (!send(m, dom, now(m, dom) +
		       div_u64((u64)delay * d->den * PTIMER_NS, d->num), delay))
		from->wait = 1;
}

/* Run a clock of a domain whose record is late. */
void pcmodel_stream_clock(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_source *from = &m->stream.from[dom];

	if (from->wait && !--from->wait && !makes_none(m) && !send(m, dom, now(m, dom), true))
		from->wait = 1;
}

/* ---- the way to memory ---- */

/*
 * Choose the place of a record. hw:ambiguities/55: a full ring; hw:ambiguities/68:
 * the end of the ring.
 */
static void place(struct pcmodel *m, struct pcmodel_sent *r)
{
	struct pcmodel_stream *s = &m->stream;
	u32 need = r->size;

	if (m->quirks.stream_wrap && s->position + r->size > s->size)
		need += s->size - s->position;
	r->placed = true;
	s->overflow |= s->bound && s->used + need > s->size;
	if (!s->bound || s->ended || s->size < LONG_SIZE ||
	    (s->used + need > s->size && !m->quirks.stream_overwrite)) {
		s->stats.dropped++;
		r->size = 0;
		return;
	}
	if (s->used + need > s->size) {
		s->stats.overwritten += need;
		s->used -= need;
		s->bytes -= min(s->bytes, need);
	}
	if (need > r->size)
		s->position = 0;
	s->used += need;
	r->need = need;
	r->start = s->base;
	r->at = s->base + s->position;
	r->room = min_t(u32, r->size, s->size - s->position);
	s->position = (s->position + r->size) % s->size;
	r->counted = !m->quirks.stream_count_late;
	s->bytes += r->counted ? need : 0;
}

/* Write a part of a record, around the end of the ring. */
static enum pcmodel_fault write_part(struct pcmodel *m, const struct pcmodel_sent *r, u8 from,
				     u8 to)
{
	enum pcmodel_fault code = PCMODEL_NO_FAULT;
	u8 raw[LONG_SIZE];
	unsigned int i;

	for (i = 0; i < PCMODEL_STREAM_WORDS; i++)
		pcmodel_put32(raw + 4 * i, r->word[i]);
	if (from < r->room) {
		i = min(to, r->room);
		code = pcmodel_vm_write(m, 0, r->at + from, raw + from, i - from);
		from = i;
	}
	if (from < to && code == PCMODEL_NO_FAULT)
		code = pcmodel_vm_write(m, 0, r->start + (from - r->room), raw + from, to - from);
	return code;
}

/* hw:ambiguities/62: the unit stands still, or drops the record. */
static void fail(struct pcmodel *m, struct pcmodel_sent *r, enum pcmodel_fault code)
{
	m->stream.stats.faults++;
	m->stream.code = code;
	m->stream.stuck = m->quirks.stream_fault != FAULT_DROPS;
	if (!m->stream.stuck)
		r->landed = r->size;
}

/* Write the bytes of a record up to @to that are not in memory yet. */
static void land(struct pcmodel *m, struct pcmodel_sent *r, u8 to)
{
	struct pcmodel_stream *s = &m->stream;
	enum pcmodel_fault code = PCMODEL_NO_FAULT;

	if (s->stuck || r->landed >= to)
		return;
	if (s->fault)
		code = s->fault - 1;
	else if (!s->vanish)
		code = write_part(m, r, r->landed, to);
	s->fault = 0;
	if (code != PCMODEL_NO_FAULT) {
		fail(m, r, code);
		return;
	}
	r->landed = to;
	s->vanish -= s->vanish && to == r->size;
	s->stats.landed += to == r->size;
}

/* Let a record land, and MEM_BYTES count it, as far as it is time. */
static void carry(struct pcmodel *m, struct pcmodel_sent *r, u64 ns)
{
	const struct pcmodel_quirks *q = &m->quirks;
	u64 due = r->made + (u64)q->stream_latency * PTIMER_NS;
	u64 rest = due + (u64)q->stream_split * PTIMER_NS;

	if (!r->placed)
		place(m, r);
	if (due <= ns)
		land(m, r, rest <= ns ? r->size : min_t(u8, r->size, HEAD_SIZE));
	if (r->counted || m->stream.stuck ||
	    due + (u64)(max(q->stream_count_late, 1u) - 1) * PTIMER_NS > ns)
		return;
	m->stream.bytes += r->need;
	r->counted = true;
}

/* Do all that is due at a time: records get their places in the order of their time. */
void pcmodel_stream_run(struct pcmodel *m, u64 ns)
{
	struct pcmodel_stream *s = &m->stream;
	unsigned int i;

	for (i = 0; i < s->n && sent(s, i)->made <= ns; i++)
		carry(m, sent(s, i), ns);
	while (s->n && sent(s, 0)->placed && sent(s, 0)->landed == sent(s, 0)->size &&
	       (sent(s, 0)->counted || !sent(s, 0)->size)) {
		s->head = (s->head + 1) % PCMODEL_STREAM_FIFO;
		s->n--;
	}
}

/* Return the number of clocks between requests; of signals but PERIODIC it is a guess. */
static u32 period_of(const struct pcmodel *m, unsigned int dom)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	bool swaps = (d->spec_src & 0xff) == pcmodel_trailer(m, dom) + TRAILER_GF100_PERIODIC;

	if (m->quirks.stream_request == REQUEST_SWAP ? swaps :
						       m->quirks.stream_request == REQUEST_PERIODIC)
		return pcmodel_periodic_mask(d) + 1;
	return GUESSED_PERIOD;
}

/*
 * Return the number of reference cycles for which the FIFO has room, at most @cycles.
 * If it is full within them, the order of records follows the domains, not the time.
 */
u64 pcmodel_stream_room(const struct pcmodel *m, u64 cycles)
{
	unsigned int i, streams = 0, room = PCMODEL_STREAM_FIFO - m->stream.n;
	u64 period = cycles;

	for (i = 0; i < m->domains; i++) {
		const struct pcmodel_domain *d = &m->dom[i];

		if (!d->num || !pcmodel_streams(m, i))
			continue;
		streams++;
		period = min(period, div_u64((u64)period_of(m, i) * d->den, d->num));
	}
	return streams ? min(cycles, max_t(u64, div_u64(period * room, 2 * streams), 1)) : cycles;
}

/* ---- registers ---- */

u32 pcmodel_stream_read(const struct pcmodel *m, u32 at)
{
	const struct pcmodel_stream *s = &m->stream;
	bool empty = !s->n;

	switch (at) {
	case STREAM_CTRL:
		return s->word[0] | (s->overflow ? CTRL_OVERFLOWED : 0);
	case STREAM_POS:
		if (m->quirks.stream_position == POSITION_ZERO)
			return 0;
		return s->position + (m->quirks.stream_position ? 0 : s->base);
	case STREAM_BYTES:
		return s->bytes;
	case STREAM_BUMP:
		return 0;
	case STREAM_STATUS:
		if (m->quirks.stream_empty)
			empty = m->quirks.stream_empty == EMPTY_ALWAYS;
		return (empty ? STATUS_EMPTY : 0) |
		       FIELD_PREP(STATUS_STATE, s->stuck ? STATE_FAULTED : s->n ? STATE_BUSY : 0);
	default:
		return s->word[at / 4];
	}
}

static u32 bits_of(u32 at)
{
	switch (at) {
	case STREAM_MEM_BLOCK:
		return MEM_BLOCK_BITS;
	case STREAM_OUTBASE:
	case STREAM_OUTSIZE:
		return RING_BITS;
	case STREAM_OUTBASE_HIGH:
		return ADDRESS_HIGH_BITS;
	case STREAM_BUMP:
		return BYTES_BITS;
	default:
		return ~0u;
	}
}

/* Take address and size of the ring from their registers. */
static void take_ring(struct pcmodel *m, bool start)
{
	struct pcmodel_stream *s = &m->stream;

	s->base = (u64)s->word[STREAM_OUTBASE_HIGH / 4] << 32 | s->word[STREAM_OUTBASE / 4];
	s->size = s->word[STREAM_OUTSIZE / 4];
	if (start && !(m->quirks.stream_restart & RESTART_KEEPS_POSITION))
		s->position = 0;
	if (s->position >= s->size)
		s->position = 0;
}

/* hw:ambiguities/54: a bind takes the ring as it is, or forgets it. */
static void bind(struct pcmodel *m, u32 val)
{
	struct pcmodel_stream *s = &m->stream;

	s->bound = val & RECORD_CHAN_VALID;
	s->ended = false;
	if (!s->bound)
		return;
	pcmodel_vm_bind(m, val, 0);
	if (m->quirks.stream_bind_first)
		memset(&s->word[STREAM_OUTBASE / 4], 0, 3 * sizeof(u32));
	take_ring(m, true);
}

static void acknowledge(struct pcmodel_stream *s, u32 bytes)
{
	u32 n = min(bytes, s->bytes);

	s->stats.excess += bytes - n;
	s->bytes -= n;
	s->used -= n;
}

void pcmodel_stream_write(struct pcmodel *m, u32 at, u32 val)
{
	struct pcmodel_stream *s = &m->stream;

	m->lint.bits += val & ~bits_of(at) ? 1 : 0;
	m->lint.direction += at == STREAM_BYTES || at == STREAM_STATUS ? 1 : 0;
	val &= bits_of(at);
	s->word[at / 4] = val;
	switch (at) {
	case STREAM_CTRL:
		s->word[0] &= ~(CTRL_OVERFLOWED | CTRL_CLEAR);
		s->overflow &= !(val & CTRL_CLEAR);
		s->ended |= m->quirks.stream_clear && val & CTRL_CLEAR;
		break;
	case STREAM_MEM_BLOCK:
		bind(m, val);
		break;
	case STREAM_OUTBASE:
	case STREAM_OUTBASE_HIGH:
	case STREAM_OUTSIZE:
		if (m->quirks.stream_bind_first)
			take_ring(m, at == STREAM_OUTBASE);
		break;
	case STREAM_BUMP:
		acknowledge(s, val);
		break;
	}
}

/* hw:ambiguities/66: RECORD_RESET empties the FIFO, or old records still come. */
static void discard(struct pcmodel_stream *s, struct pcmodel_sent *r)
{
	s->used -= r->need;
	s->bytes -= r->counted ? r->need : 0;
	r->size = 0;
	r->landed = 0;
	r->placed = true;
}

/* RECORD_RESET of a set holds its counters at 0. */
void pcmodel_stream_held(struct pcmodel *m, unsigned int set)
{
	struct pcmodel_stream *s = &m->stream;
	unsigned int i;

	for (i = 0; i < m->domains; i++) {
		if (pcmodel_set_of(m, i) != set)
			continue;
		s->from[i].requests = 0;
		s->from[i].records = 0;
		s->from[i].wait = 0;
		if (FIELD_GET(CTRL_MODE, m->dom[i].ctrl) == MODE_RECORD)
			memset(m->dom[i].hidden, 0, sizeof(m->dom[i].hidden));
	}
	for (i = 0; i < s->n && !(m->quirks.stream_restart & RESTART_KEEPS_FIFO); i++)
		if (pcmodel_set_of(m, sent(s, i)->dom) == set && sent(s, i)->size)
			discard(s, sent(s, i));
	pcmodel_stream_run(m, m->time * PTIMER_NS);
}

/* ---- records without clocks ---- */

/* Set the counters of a period from the present levels of the sources. */
static void count_levels(struct pcmodel *m, unsigned int dom, u32 clocks)
{
	struct pcmodel_domain *d = &m->dom[dom];
	struct pcmodel_clocks c;
	unsigned int i;

	for (i = 0; i < PCMODEL_OPS * 4; i++)
		c.src[i / 4][i % 4] = pcmodel_level(m, dom, pcmodel_source(m, dom, i / 4, i % 4));
	pcmodel_eval_words(d, &c, 1);
	for (i = 0; i < PCMODEL_SLOTS; i++)
		d->hidden[i] = (u32)(d->hidden[i] + c.out[i] * clocks);
	d->cycle += clocks;
}

/**
 * pcmodel_stream_flow() - make records without the clocks between them
 * @m: the model
 * @periods: number of requests of PERIODIC in each domain in MODE 5
 *
 * All these domains must have the same clock and PERIODIC. Inputs that are 1 count all
 * clocks of a period. All other clocked state stands still: this is for tests of the rate
 * of records, not of their contents.
 *
 * Return: false, without any effect, if no domain has MODE 5 and PERIODIC.
 */
bool pcmodel_stream_flow(struct pcmodel *m, u64 periods)
{
	unsigned int i, first;
	u32 clocks;

	for (first = 0; first < m->domains && !pcmodel_streams(m, first); first++)
		;
	if (first == m->domains || !pcmodel_periodic_mask(&m->dom[first]))
		return false;
	clocks = pcmodel_periodic_mask(&m->dom[first]) + 1;
	for (; periods; periods--) {
		m->time += div_u64((u64)clocks * m->dom[first].den, m->dom[first].num);
		for (i = first; i < m->domains; i++) {
			if (!pcmodel_streams(m, i) || makes_none(m))
				continue;
			count_levels(m, i, clocks);
			m->stream.from[i].requests++;
			send(m, i, m->time * PTIMER_NS, false);
		}
		pcmodel_stream_run(m, m->time * PTIMER_NS);
	}
	return true;
}
