// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals: scripts, which are pure functions of the cycle number, and what the
 * engine itself drives.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pcmodel_regs.h"

#define WORD	64

/* A well mixed 64-bit function of seed and cycle (the splitmix64 finaliser). */
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

/* Runs of ones and zeroes, as many as fit into a word. */
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

/**
 * pcmodel_script_level() - a signal's level
 * @s: its script
 * @cycle: in this cycle of its domain
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
		return (mix(s->seed, cycle) & 0xffff) < s->share;
	default:
		return s->level;
	}
}

/**
 * pcmodel_script_word() - a signal's levels in 64 cycles
 * @s: its script
 * @cycle: the first of them
 *
 * Return: bit n is the level in @cycle + n.
 */
u64 pcmodel_script_word(const struct pcmodel_script *s, u64 cycle)
{
	unsigned int i;
	u64 word = 0;

	if (s->kind == PCMODEL_CONST)
		return s->level ? ~0ULL : 0;
	if (s->kind == PCMODEL_DUTY)
		return duty_word(s, cycle);
	for (i = 0; i < WORD; i++)
		word |= (u64)pcmodel_script_level(s, cycle + i) << i;
	return word;
}

/**
 * pcmodel_script_count() - what a scenario says: cycles at 1
 * @s: the script
 * @from: first cycle
 * @to: behind the last
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

/* ---- signals, hw/signals.md 3 ---- */

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

static bool pulse_waits(const struct pcmodel *m, const struct pcmodel_import *in)
{
	return in->edges[m->quirks.pulse_early ? 0 : 1] != in->seen;
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
	if (from == dom)
		return flag ? d->flag_old : d->event;
	return pulse ? pulse_waits(m, in) : in->level[1];
}

/* A PERIODIC generator's highest number, at which it pulses; 0: it is off. */
u32 pcmodel_periodic_mask(const struct pcmodel_domain *d)
{
	u32 n = FIELD_GET(CTRL_PERIODIC, d->ctrl);

	return n ? BIT(9 + n) - 1 : 0;
}

/* Clocks before its next pulse. */
static u32 periodic_distance(const struct pcmodel *m, const struct pcmodel_domain *d)
{
	u32 mask = pcmodel_periodic_mask(d);

	if (!mask || m->gctrl & GCTRL_PERIODIC_RESET)
		return ~0;
	return mask - (d->periodic & mask);
}

/* Is it a trailer signal that the engine itself drives? */
static bool is_trailer(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	unsigned int at = sig - pcmodel_trailer(m, dom);
	bool g84 = m->chip->variant >= PCMODEL_G84;

	if (at == TRAILER_0E)
		return !g84 && !m->quirks.flush_0e;
	return at < TRAILER_SIZE &&
	       at >= (g84 ? TRAILER_ZERO_G84 : TRAILER_0E);
}

static bool is_user(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	return m->chip->variant == PCMODEL_GT215 && sig - m->chip->user[dom] < 2;
}

static bool is_absent(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	return sig >= pcmodel_trailer(m, dom) + TRAILER_SIZE;
}

/* ambiguities.md 9: what is not there reads anything */
static bool junk_level(unsigned int sig, u64 cycle)
{
	return (cycle * 0x9e3779b1 + sig) >> 7 & 1;
}

static bool trailer_level(const struct pcmodel *m, unsigned int dom, unsigned int at)
{
	const struct pcmodel_domain *d = &m->dom[dom];

	if (at >= TRAILER_FLAG)
		return import_level(m, dom, TRAILER_SIZE - 1 - at, true);
	if (at >= TRAILER_EVENT)
		return import_level(m, dom, TRAILER_FLAG - 1 - at, false);
	if (at == TRAILER_PM_TRIGGER)
		return d->pm_trigger;
	/* before G84 there is no such place */
	return at == TRAILER_PERIODIC && !periodic_distance(m, d);
}

bool pcmodel_level(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	const struct pcmodel_domain *d = &m->dom[dom];

	if (is_trailer(m, dom, sig))
		return trailer_level(m, dom, sig - pcmodel_trailer(m, dom));
	if (is_user(m, dom, sig))
		return d->user >> (sig - m->chip->user[dom]) & 1;
	if (m->quirks.junk && is_absent(m, dom, sig))
		return junk_level(sig, d->cycle);
	return pcmodel_script_level(&d->sig[sig], d->cycle);
}

/* 64 clocks of a signal that comes from no domain's output. */
u64 pcmodel_word(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	unsigned int at = sig - pcmodel_trailer(m, dom), i;
	u64 word = 0;
	u32 pulse;

	if (is_trailer(m, dom, sig)) {
		pulse = periodic_distance(m, d);
		return at == TRAILER_PERIODIC && pulse < WORD ? BIT_ULL(pulse) : 0;
	}
	if (is_user(m, dom, sig))
		return d->user >> (sig - m->chip->user[dom]) & 1 ? ~0ULL : 0;
	if (!m->quirks.junk || !is_absent(m, dom, sig))
		return pcmodel_script_word(&d->sig[sig], d->cycle);
	for (i = 0; i < WORD; i++)
		word |= (u64)junk_level(sig, d->cycle + i) << i;
	return word;
}

/* Does this signal stay as it is while nobody writes a register? */
bool pcmodel_is_constant(const struct pcmodel *m, unsigned int dom, unsigned int sig)
{
	if (is_trailer(m, dom, sig))
		return sig - pcmodel_trailer(m, dom) != TRAILER_PERIODIC;
	if (is_user(m, dom, sig))
		return true;
	if (m->quirks.junk && is_absent(m, dom, sig))
		return false;
	return m->dom[dom].sig[sig].kind == PCMODEL_CONST;
}

/* The domain whose EVENT or FLAG a signal is, NO_DOMAIN if it is none. */
unsigned int pcmodel_output_of(const struct pcmodel *m, unsigned int dom,
			       unsigned int sig)
{
	unsigned int at = sig - pcmodel_trailer(m, dom), from;

	if (!is_trailer(m, dom, sig) || at < TRAILER_EVENT)
		return NO_DOMAIN;
	from = 7 - at % PCMODEL_DOMAINS;
	return from < m->chip->domains ? from : NO_DOMAIN;
}
