/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals at the rates of a card: drive the signals behind a domain's inputs so that a
 * period of the card's length would give the card's values. The model has to reproduce
 * them with the counter mode, the truth table, the origin of a swap and its time.
 */
#ifndef _TRACES_DRIVE_H
#define _TRACES_DRIVE_H

#include "pcmodel.h"

#define TRACED_SLOTS	4

/**
 * struct traced - a domain of a card, as it was recorded
 * @m: the model
 * @sets: domains come in sets (GF100-)
 * @dom: the model's number of the domain
 * @src: its sources, PRE to STOP
 * @op: its truth tables
 * @mode: counter mode
 * @used: the recording programs it
 * @armed: it has a period that was not read yet
 * @has: counters that the recording reads after that period
 * @has_cycles: it reads CYCLES, too
 * @ctr: values of these counters
 * @cycles: value of CYCLES
 * @clocks: length of the period
 */
struct traced {
	struct pcmodel *m;
	bool sets;
	unsigned int dom;
	uint32_t src[TRACED_SLOTS], op[TRACED_SLOTS];
	unsigned int mode;
	bool used, armed;
	bool has[TRACED_SLOTS], has_cycles;
	uint32_t ctr[TRACED_SLOTS], cycles;
	uint32_t clocks;
};

/*
 * Return true if the engine itself drives it, or nothing drives it. Offsets as in
 * hw:signals/trailers.
 */
static inline bool traced_is_wired(const struct traced *b, unsigned int sig)
{
	unsigned int base = b->m->dom[b->dom].trailer;

	if (!b->sets)
		return sig >= base;
	return sig >= base + 0x27 && sig != base + 0x2b && sig != base + 0x2c;
}

/* Drive one level in the first @n clocks of the period, and the other in the rest. */
static inline void traced_level(const struct traced *b, unsigned int sig, uint32_t n,
				bool level, bool others)
{
	struct pcmodel_script s = { .kind = PCMODEL_CONST, .level = others };
	uint64_t begin = pcmodel_cycle(b->m, b->dom);

	if (traced_is_wired(b, sig))
		return;
	if (n && level != others) {
		s.kind = PCMODEL_DUTY;
		s.period = b->clocks;
		s.high = level ? n : b->clocks - n;
		begin += level ? 0 : n;
		s.phase = b->clocks - begin % b->clocks;
	}
	assert_int_equal(pcmodel_set_signal(b->m, b->dom, sig, &s), 0);
}

static inline unsigned int traced_source(const struct traced *b, unsigned int slot, unsigned int k)
{
	return b->src[slot] >> 8 * k & 0xff;
}

/* Make an input true in @n clocks. */
static inline void traced_op(const struct traced *b, unsigned int slot, uint32_t n)
{
	uint32_t table = b->op[slot] & 0xffff;
	unsigned int yes = 16, no = 16;

	for (unsigned int row = 0; row < 16; row++) {
		bool possible = true;

		for (unsigned int k = 0; k < 4; k++)
			if (row >> k & 1 && traced_is_wired(b, traced_source(b, slot, k)))
				possible = false;
		if (possible && table >> row & 1)
			yes = yes < 16 ? yes : row;
		else if (possible)
			no = no < 16 ? no : row;
	}
	if (yes == 16 || no == 16)
		return;		/* no signal can be driven */
	for (unsigned int k = 0; k < 4; k++)
		if ((yes ^ no) >> k & 1 || (yes & no) >> k & 1)
			traced_level(b, traced_source(b, slot, k), n, yes >> k & 1, no >> k & 1);
}

/* Make the integer of these signals sum up to @sum. */
static inline void traced_sum(const struct traced *b, const unsigned int *sig,
			      unsigned int bits, uint32_t sum)
{
	uint32_t each = sum / b->clocks, more = sum % b->clocks;

	for (unsigned int k = 0; k < bits; k++)
		traced_level(b, sig[k], more, (each + 1) >> k & 1, each >> k & 1);
}

static inline void traced_slots(const struct traced *b, unsigned int slots)
{
	for (unsigned int i = 0; i < TRACED_SLOTS; i++)
		if (slots >> i & 1)
			traced_op(b, i, b->has[i] ? b->ctr[i] : 0);
}

/* Drive the signals for a counter mode: hw:modes/sums; 5 to 7 by the values of the cards. */
static inline void traced_drive(const struct traced *b)
{
	enum { PRE, START, EVENT };
	unsigned int sig[5];

	switch (b->mode) {
	case 0:
		traced_slots(b, 0xf);
		return;
	case 1:
	case 2:
		for (unsigned int k = 0; k < 4; k++)
			sig[k] = traced_source(b, START, k);
		traced_op(b, EVENT, b->clocks);
		traced_sum(b, sig, 4, b->ctr[EVENT]);
		traced_slots(b, 0x9);
		return;
	case 6:
		for (unsigned int k = 0; k < 4; k++)
			sig[k] = traced_source(b, PRE, k);
		sig[4] = traced_source(b, START, 0);
		traced_sum(b, sig, 5, b->ctr[PRE]);
		return;
	case 7:
		for (unsigned int k = 0; k < 4; k++)
			sig[k] = traced_source(b, EVENT, k);
		traced_op(b, START, b->clocks);
		traced_sum(b, sig, 4, b->ctr[EVENT]);
		return;
	default:
		return;		/* all counts are 0: leave the signals undriven */
	}
}

/* Return the length of the period: the card's CYCLES, else enough for its counts. */
static inline uint32_t traced_period(const struct traced *b)
{
	uint32_t clocks = 1000;

	if (b->has_cycles)
		return b->cycles;
	for (unsigned int i = 0; i < TRACED_SLOTS; i++)
		if (b->has[i] && b->ctr[i] >= clocks)
			clocks = b->ctr[i] + 1;
	return clocks;
}

#endif
