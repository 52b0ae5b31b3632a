// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scripts: signals as pure functions of the cycle number.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pcmodel.h"

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
