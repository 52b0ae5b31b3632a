// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals: scripts, which are pure functions of the cycle number, and signals
 * that the engine itself drives.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pcmodel_regs.h"

#define WORD	64

/* Mix seed and cycle to 64 bits (the splitmix64 finaliser). */
static u64 mix(u64 seed, u64 cycle)
{
	u64 z = seed * 0x9e3779b97f4a7c15ULL + cycle + 1;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static u32 rem_u64(u64 value, u32 divisor)
{
	u32 rem;

	div_u64_rem(value, divisor, &rem);
	return rem;
}

static u64 ones(unsigned int n)
{
	return n >= WORD ? ~0ULL : (1ULL << n) - 1;
}

/* Return runs of ones and zeroes that fill a word. */
static u64 duty_word(const struct pcmodel_script *s, u64 cycle)
{
	u32 at = rem_u64(cycle + s->phase, s->period);
	unsigned int pos = 0;
	u64 word = 0;

	while (pos < WORD) {
		u32 end = at < s->high ? s->high : s->period;
		unsigned int n = min_t(u32, end - at, WORD - pos);

		if (at < s->high)
			word |= ones(n) << pos;
		pos += n;
		at += n;
		if (at == s->period)
			at = 0;
	}
	return word;
}

static bool random_level(const struct pcmodel_script *s, u64 cycle)
{
	return (mix(s->seed, cycle) & 0xffff) < s->share;
}

static u64 random_word(const struct pcmodel_script *s, u64 cycle)
{
	u64 word = 0;
	unsigned int i;

	for (i = 0; i < WORD; i++)
		word |= (u64)random_level(s, cycle + i) << i;
	return word;
}

static u64 bits_word(const struct pcmodel_script *s, u64 cycle)
{
	u32 bit = rem_u64(cycle, s->nbits);
	u64 word = 0;
	unsigned int i;

	for (i = 0; i < WORD; i++) {
		word |= (s->bits[bit / WORD] >> (bit % WORD) & 1) << i;
		bit = bit + 1 < s->nbits ? bit + 1 : 0;
	}
	return word;
}

/**
 * pcmodel_script_valid() - check whether a script is valid
 * @s: the script
 *
 * Return: true if it is.
 */
bool pcmodel_script_valid(const struct pcmodel_script *s)
{
	if (s->kind == PCMODEL_DUTY)
		return s->period && s->high <= s->period;
	return s->kind != PCMODEL_BITS || (s->nbits && s->bits);
}

/**
 * pcmodel_script_level() - get a signal's level
 * @s: its script
 * @cycle: the cycle, of its domain's clock
 *
 * Return: the level.
 */
bool pcmodel_script_level(const struct pcmodel_script *s, u64 cycle)
{
	u32 bit;

	switch (s->kind) {
	case PCMODEL_DUTY:
		return rem_u64(cycle + s->phase, s->period) < s->high;
	case PCMODEL_BITS:
		bit = rem_u64(cycle, s->nbits);
		return s->bits[bit / WORD] >> (bit % WORD) & 1;
	case PCMODEL_RANDOM:
		return random_level(s, cycle);
	default:
		return s->level;
	}
}

/**
 * pcmodel_script_word() - get a signal's levels in 64 cycles
 * @s: its script
 * @cycle: the first cycle
 *
 * Return: bit n is the level in @cycle + n.
 */
u64 pcmodel_script_word(const struct pcmodel_script *s, u64 cycle)
{
	switch (s->kind) {
	case PCMODEL_DUTY:
		return duty_word(s, cycle);
	case PCMODEL_BITS:
		return bits_word(s, cycle);
	case PCMODEL_RANDOM:
		return random_word(s, cycle);
	default:
		return s->level ? ~0ULL : 0;
	}
}

/**
 * pcmodel_script_count() - count the cycles at 1
 * @s: the script
 * @from: first cycle
 * @to: cycle after the last
 *
 * Return: their number.
 */
u64 pcmodel_script_count(const struct pcmodel_script *s, u64 from, u64 to)
{
	u64 count = 0;

	for (; to - from >= WORD && from < to; from += WORD)
		count += hweight64(pcmodel_script_word(s, from));
	if (from < to)
		count += hweight64(pcmodel_script_word(s, from) & ones(to - from));
	return count;
}

/* ---- sources ---- */

/* hw:inputs/flag-sources: the sources of SETFLAG and CLRFLAG */
static const struct {
	u8 op;
	u8 source;
} flag_source[2][4] = {
	{ { START, 2 }, { START, 3 }, { PRE, 0 }, { PRE, 1 } },
	{ { PRE, 2 }, { PRE, 3 }, { START, 0 }, { START, 1 } },
};

/* Return the number of the signal that source @source of op @op selects. */
unsigned int pcmodel_source(const struct pcmodel *m, unsigned int dom,
			    unsigned int op, unsigned int source)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	unsigned int at = op;

	if (op >= SETFLAG && !pcmodel_is_wide(m)) {
		at = flag_source[op - SETFLAG][source].op;
		source = flag_source[op - SETFLAG][source].source;
	}
	if (op == CLRFLAG && pcmodel_is_wide(m) && m->quirks.clrflag_setflag_src)
		at = SETFLAG;
	return d->src[at] >> (source * 8) & 0xff;
}

/* ---- signals, hw:signals/trailers ---- */

/*
 * Return the trailer base; hw:signals/dispute-1, hw:signals/dispute-2: the
 * sources contradict each other about two of G98's bases.
 */
unsigned int pcmodel_trailer(const struct pcmodel *m, unsigned int dom)
{
	if (m->quirks.g98_trailer && m->chip->chipset == 0x98) {
		if (dom == 2)
			return 0xc0;
		if (dom == 5)
			return 0xe0;
	}
	return m->dom[dom].trailer;
}

/* Kinds of signals; SCRIPT is a wire that a script drives. */
enum wire_kind { SCRIPT, ZERO, PERIODIC, PM_TRIGGER, EVENT_OF, FLAG_OF, USER, ACCESS,
		 VRAM_READ, PTIMER, PAUSED };

/* hw:real-cards/n1: signals that show register accesses, relative to the signal of reads */
#define ACCESS_READ	0x00
#define ACCESS_THRICE	(-1u)	/* hw:ambiguities/73 */
#define ACCESS_ANY	0x0c
#define ACCESS_WRITE	0x0d

/**
 * struct wire - the meaning of a signal
 * @kind: its kind
 * @n: EVENT, FLAG: number of the domain in its set; USER: number of the USER signal; ACCESS:
 *	ACCESS_*
 */
struct wire {
	enum wire_kind kind;
	unsigned int n;
};

static struct wire nv10_wire(const struct pcmodel *m, unsigned int at)
{
	if (at == 0x1f)
		return (struct wire){ FLAG_OF, 0 };
	if (m->chip->variant < PCMODEL_NV20)
		return (struct wire){ .kind = SCRIPT };
	if (at == 0x1e)
		return (struct wire){ FLAG_OF, 1 };
	return (struct wire){ .kind = at == 0x1d ? PM_TRIGGER : SCRIPT };
}

static struct wire nv40_wire(const struct pcmodel *m, unsigned int at)
{
	bool g84 = m->chip->variant >= PCMODEL_G84;

	if (at >= TRAILER_FLAG)
		return (struct wire){ FLAG_OF, TRAILER_SIZE - 1 - at };
	if (at >= TRAILER_EVENT)
		return (struct wire){ EVENT_OF, TRAILER_FLAG - 1 - at };
	if (at == TRAILER_PM_TRIGGER)
		return (struct wire){ .kind = PM_TRIGGER };
	if (at == TRAILER_0E)
		return (struct wire){ .kind = g84 || m->quirks.flush_0e ? SCRIPT : ZERO };
	if (g84 && at == TRAILER_PERIODIC)
		return (struct wire){ .kind = PERIODIC };
	return (struct wire){ .kind = g84 && at == TRAILER_ZERO_G84 ? ZERO : SCRIPT };
}

static struct wire gf100_wire(unsigned int at)
{
	if (at >= 0x38)
		return (struct wire){ FLAG_OF, 0x3f - at };
	if (at >= 0x30)
		return (struct wire){ EVENT_OF, 0x37 - at };
	/* NVIDIA's driver swaps by the TRIGGER signal, and PerfKit uses ZERO as 0 */
	if (at == TRAILER_GF100_TRIGGER)
		return (struct wire){ .kind = PM_TRIGGER };
	if (at == TRAILER_GF100_ZERO)
		return (struct wire){ .kind = ZERO };
	if (at == TRAILER_GF100_PERIODIC)
		return (struct wire){ .kind = PERIODIC };
	if (at >= 0x27 && at <= 0x2a)
		return (struct wire){ USER, at - 0x27 };
	if (at == TRAILER_GF100_PAUSED)
		return (struct wire){ .kind = PAUSED };
	return (struct wire){ .kind = SCRIPT };
}

static unsigned int trailer_size(const struct pcmodel *m)
{
	return m->chip->variant < PCMODEL_GF100 ? TRAILER_SIZE : TRAILER_SIZE_GF100;
}

/* Return true if the signal shows accesses; a script that drives it takes precedence. */
static bool shows_accesses(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	const struct pcmodel_script *s = &m->dom[dom].sig[sig];
	unsigned int at = sig - m->chip->access;

	if (dom || !m->chip->access || s->kind != PCMODEL_CONST || s->level)
		return false;
	return at == ACCESS_READ || at == ACCESS_ANY || at == ACCESS_WRITE ||
	       (at == ACCESS_THRICE && !m->quirks.mmio_reads);
}

/* hw:ambiguities/74: a signal of G80 that shows reads of VRAM by the CPU */
static bool shows_vram(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	return m->chip->chipset == 0x50 && dom == 2 && sig == 0x5e && !m->quirks.vram_reads &&
	       m->dom[dom].sig[sig].kind == PCMODEL_CONST;
}

static struct wire wire_of(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	unsigned int at = sig - pcmodel_trailer(m, dom);

	if (shows_accesses(m, dom, sig))
		return (struct wire){ ACCESS, sig - m->chip->access };
	if (shows_vram(m, dom, sig))
		return (struct wire){ .kind = VRAM_READ };
	if (!dom && m->ptimer && sig == m->ptimer)
		return (struct wire){ .kind = PTIMER };
	if (m->chip->variant == PCMODEL_GT215 && sig - m->chip->user[dom] < 2)
		return (struct wire){ USER, sig - m->chip->user[dom] };
	if (at >= trailer_size(m))
		return (struct wire){ .kind = SCRIPT };
	if (m->chip->variant < PCMODEL_NV40)
		return nv10_wire(m, at);
	if (m->chip->variant < PCMODEL_GF100)
		return nv40_wire(m, at);
	return gf100_wire(at);
}

static bool pulse_waits(const struct pcmodel *m, const struct pcmodel_import *in)
{
	return in->edges[m->quirks.pulse_early ? 0 : 1] != in->seen;
}

/*
 * hw:inputs/imports: return another domain's output as it arrives; a domain's
 * own output arrives directly.
 */
static bool import_level(const struct pcmodel *m, unsigned int dom,
			 unsigned int from, bool flag)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	const struct pcmodel_import *in = flag ? &d->in_flag[from] :
						 &d->in_event[from];
	bool pulse = d->ctrl & (flag ? CTRL_FLAG_PULSE : CTRL_EVENT_PULSE);

	if (from >= d->count)
		return false;
	if (d->first + from == dom)
		return flag ? d->flag_old : d->event;
	return pulse ? pulse_waits(m, in) : in->level[1];
}

/* hw:inputs/imports: clock two registers in a row, with the importing domain's clock. */
static void import_clock(const struct pcmodel *m, struct pcmodel_import *in,
			 const struct pcmodel_output *from)
{
	u32 edges = in->edges[m->quirks.pulse_early ? 0 : 1];

	/* the edges that were visible in this clock have become a pulse */
	if (edges != in->seen)
		in->seen = m->quirks.pulse_keep ? in->seen + 1 : edges;
	in->level[1] = in->level[0];
	in->level[0] = from->level;
	in->edges[1] = in->edges[0];
	in->edges[0] = from->edges;
}

/* After a clock of the domain: import the present outputs of the others. */
void pcmodel_import_all(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];
	unsigned int i;

	for (i = 0; i < d->count; i++) {
		const struct pcmodel_domain *from = &m->dom[d->first + i];

		import_clock(m, &d->in_event[i], &from->out_event);
		import_clock(m, &d->in_flag[i], &from->out_flag);
	}
}

/* Return a PERIODIC generator's highest number, at which it pulses; 0: it is off. */
u32 pcmodel_periodic_mask(const struct pcmodel_domain *d)
{
	u32 n = FIELD_GET(CTRL_PERIODIC, d->ctrl);

	return n ? BIT(9 + n) - 1 : 0;
}

/* CTRL of a set holds its generators in reset; before GF100 GCTRL does. */
bool pcmodel_periodic_held(const struct pcmodel *m, unsigned int dom)
{
	u32 ctrl = m->gctrl;

	if (pcmodel_is_gf100(m))
		ctrl = m->set_ctrl[pcmodel_set_of(m, dom)];
	return ctrl & GCTRL_PERIODIC_RESET;
}

/* Return the number of clocks before the generator's next pulse. */
static u32 periodic_distance(const struct pcmodel *m, unsigned int dom)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	u32 mask = pcmodel_periodic_mask(d);

	if (!mask || pcmodel_periodic_held(m, dom))
		return ~0;
	return mask - (d->periodic & mask);
}

/* ---- register accesses ---- */

static u64 clocks_until(u64 until, u64 cycle)
{
	return until > cycle ? until - cycle : 0;
}

/*
 * hw:real-cards/n1: an access is a pulse of one clock of domain 0. Accesses
 * take no time in the model, so their pulses queue up, reads before writes.
 */
void pcmodel_note_access(struct pcmodel *m, bool write)
{
	u64 now = m->dom[0].cycle;
	u64 reads = clocks_until(m->read_until, now);
	u64 all = clocks_until(m->access_until, now);
	u64 thrice = clocks_until(m->thrice_until, now);

	m->read_until = now + reads + !write;
	m->access_until = now + all + 1;
	m->thrice_until = now + thrice + (write ? 0 : 3);
}

/* A read of VRAM by the window at 0x700000 is a pulse of one clock of domain 2. */
void pcmodel_note_vram(struct pcmodel *m)
{
	u64 now = m->dom[2].cycle;

	m->vram_until = now + clocks_until(m->vram_until, now) + 1;
}

/* Return 64 clocks of a signal that is 1 until a clock. */
static u64 until_word(u64 until, u64 now)
{
	return ones(min_t(u64, clocks_until(until, now), WORD));
}

/* Return 64 clocks of a signal that shows accesses. */
static u64 access_word(const struct pcmodel *m, unsigned int which)
{
	u64 now = m->dom[0].cycle;
	u64 reads = until_word(m->read_until, now);
	u64 all = until_word(m->access_until, now);

	if (which == ACCESS_READ)
		return reads;
	if (which == ACCESS_THRICE)
		return until_word(m->thrice_until, now);
	return which == ACCESS_WRITE ? all & ~reads : all;
}

/* hw:signals: bit 17 of PTIMER's time, at a cycle of domain 0 */
static bool ptimer_level(const struct pcmodel *m, u64 cycle)
{
	const struct pcmodel_domain *d = &m->dom[0];
	u64 time = m->run_time;

	if (d->num)
		time += div_u64((cycle - m->run_cycle) * d->den, d->num);
	return time * PTIMER_NS >> PTIMER_BIT & 1;
}

/* Note the time before a run in which domains may not be in step. */
void pcmodel_note_run(struct pcmodel *m)
{
	m->run_time = m->time;
	m->run_cycle = m->dom[0].cycle;
}

static u64 ptimer_word(const struct pcmodel *m)
{
	u64 word = 0;
	unsigned int i;

	for (i = 0; i < WORD; i++)
		word |= (u64)ptimer_level(m, m->dom[0].cycle + i) << i;
	return word;
}

static bool is_absent(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	return sig >= pcmodel_trailer(m, dom) + trailer_size(m);
}

/* hw:ambiguities/9: absent signals have random levels */
static bool junk_level(unsigned int sig, u64 cycle)
{
	return (cycle * 0x9e3779b1 + sig) >> 7 & 1;
}

static const struct pcmodel_script *script_of(const struct pcmodel *m,
					      unsigned int dom, unsigned int sig)
{
	const struct pcmodel_muxed *x = pcmodel_muxed(m, dom, sig);
	static const struct pcmodel_script never = { .kind = PCMODEL_CONST };

	if (!x)
		return &m->dom[dom].sig[sig];
	return pcmodel_mux_holds(m, x) ? &x->script : &never;
}

bool pcmodel_level(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	struct wire w = wire_of(m, dom, sig);

	switch (w.kind) {
	case ZERO:
		return false;
	case PERIODIC:
		return !periodic_distance(m, dom);
	case PM_TRIGGER:
		return d->pm_trigger;
	case EVENT_OF:
		return import_level(m, dom, w.n, false);
	case FLAG_OF:
		return import_level(m, dom, w.n, true);
	case USER:
		return d->user >> w.n & 1;
	case ACCESS:
		return access_word(m, w.n) & 1;
	case VRAM_READ:
		return m->vram_until > d->cycle;
	case PTIMER:
		return ptimer_level(m, d->cycle);
	case PAUSED:	/* 0 while it counts */
		return m->quirks.halted_pauses && FIELD_GET(CTRL_MODE, d->ctrl) == MODE_HALTED;
	default:
		break;
	}
	if (m->quirks.junk && is_absent(m, dom, sig))
		return junk_level(sig, d->cycle);
	return pcmodel_script_level(script_of(m, dom, sig), d->cycle);
}

/* Return 64 clocks of a signal that is not a domain's output. */
u64 pcmodel_word(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	struct wire w = wire_of(m, dom, sig);
	u64 word = 0;
	unsigned int i;
	u32 pulse;

	if (w.kind == USER)
		return d->user >> w.n & 1 ? ~0ULL : 0;
	if (w.kind == PERIODIC) {
		pulse = periodic_distance(m, dom);
		return pulse < WORD ? BIT_ULL(pulse) : 0;
	}
	if (w.kind == ACCESS)
		return access_word(m, w.n);
	if (w.kind == VRAM_READ)
		return until_word(m->vram_until, d->cycle);
	if (w.kind == PTIMER)
		return ptimer_word(m);
	if (w.kind != SCRIPT)
		return 0;
	if (!m->quirks.junk || !is_absent(m, dom, sig))
		return pcmodel_script_word(script_of(m, dom, sig), d->cycle);
	for (i = 0; i < WORD; i++)
		word |= (u64)junk_level(sig, d->cycle + i) << i;
	return word;
}

/* Return true if this signal changes only by register writes. */
bool pcmodel_is_constant(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	struct wire w = wire_of(m, dom, sig);

	if (w.kind == ACCESS)
		return max(m->access_until, m->thrice_until) <= m->dom[dom].cycle;
	if (w.kind == VRAM_READ)
		return m->vram_until <= m->dom[dom].cycle;
	if (w.kind != SCRIPT)
		return w.kind != PERIODIC && w.kind != PTIMER;
	if (m->quirks.junk && is_absent(m, dom, sig))
		return false;
	return script_of(m, dom, sig)->kind == PCMODEL_CONST;
}

/* Return true if the engine itself drives this signal. */
bool pcmodel_is_driven(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	return wire_of(m, dom, sig).kind != SCRIPT;
}

/* Return the domain whose EVENT or FLAG the signal is, NO_DOMAIN if it is neither. */
unsigned int pcmodel_output_of(const struct pcmodel *m, unsigned int dom,
			       unsigned int sig)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	struct wire w = wire_of(m, dom, sig);

	if ((w.kind != EVENT_OF && w.kind != FLAG_OF) || w.n >= d->count)
		return NO_DOMAIN;
	return d->first + w.n;
}

/* Return the number of the output for pcmodel_output_level(). */
u8 pcmodel_wire_of_output(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	struct wire w = wire_of(m, dom, sig);

	return w.n << 1 | (w.kind == FLAG_OF);
}

/* Return the level of a domain's output, as @dom sees it now. */
bool pcmodel_output_level(const struct pcmodel *m, unsigned int dom, u8 wire)
{
	return import_level(m, dom, wire >> 1, wire & 1);
}
