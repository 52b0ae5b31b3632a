// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register accesses of experiments: counted, bounded, and undone. What is
 * written first is read first, and put back at the end.
 */
#include "experiment/bench.h"

static bool may_go_on(struct pcounter_bench *b)
{
	if (b->accesses++ >= PCOUNTER_EXP_ACCESSES)
		b->lost = true;
	return !b->lost;
}

/**
 * pcounter_bench_rd() - read a register
 * @b: the bench
 * @addr: which
 *
 * Return: its value, 0 once the bench is lost.
 */
u32 pcounter_bench_rd(struct pcounter_bench *b, u32 addr)
{
	u32 val = 0;

	if (may_go_on(b) && !b->ops->rd32(b, addr, &val))
		b->lost = true;
	return b->lost ? 0 : val;
}

/**
 * pcounter_bench_pulse() - write a register that keeps nothing
 * @b: the bench
 * @addr: which
 * @val: the value
 */
void pcounter_bench_pulse(struct pcounter_bench *b, u32 addr, u32 val)
{
	if (may_go_on(b) && !b->ops->wr32(b, addr, val))
		b->lost = true;
}

static struct pcounter_saved *find_saved(struct pcounter_bench *b, u32 addr)
{
	unsigned int i;

	for (i = 0; i < b->nr_saved; i++)
		if (b->saved[i].addr == addr)
			return &b->saved[i];
	return NULL;
}

static void write_saved(struct pcounter_bench *b, u32 addr, u32 val, u32 mask, bool last)
{
	struct pcounter_saved *s = find_saved(b, addr);

	if (!s && b->nr_saved == PCOUNTER_EXP_SAVED)
		b->lost = true;
	if (b->lost)
		return;
	if (!s) {
		s = &b->saved[b->nr_saved];
		s->addr = addr;
		s->found = pcounter_bench_rd(b, addr);
		s->mask = mask;
		s->last = last;
		if (b->lost)
			return;
		b->nr_saved++;
	}
	s->mask |= mask;
	s->now = val;
	pcounter_bench_pulse(b, addr, val);
}

/**
 * pcounter_bench_wr() - write a register that will be put back
 * @b: the bench
 * @addr: which
 * @val: the value
 * @mask: bits that are put back
 */
void pcounter_bench_wr(struct pcounter_bench *b, u32 addr, u32 val, u32 mask)
{
	write_saved(b, addr, val, mask, false);
}

/**
 * pcounter_bench_wr_last() - the same, to be put back after all others
 * @b: the bench
 * @addr: which
 * @val: the value
 * @mask: bits that are put back
 */
void pcounter_bench_wr_last(struct pcounter_bench *b, u32 addr, u32 val, u32 mask)
{
	write_saved(b, addr, val, mask, true);
}

/**
 * pcounter_bench_now() - what was written last
 * @b: the bench
 * @addr: the register
 * @otherwise: what to say of one that was not written
 *
 * Return: that.
 */
u32 pcounter_bench_now(const struct pcounter_bench *b, u32 addr, u32 otherwise)
{
	unsigned int i;

	for (i = 0; i < b->nr_saved; i++)
		if (b->saved[i].addr == addr)
			return b->saved[i].now;
	return otherwise;
}

/**
 * pcounter_bench_wait() - let time pass
 * @b: the bench
 * @us: at least so many microseconds
 */
void pcounter_bench_wait(struct pcounter_bench *b, unsigned int us)
{
	if (us && !b->lost && !b->ops->wait(b, us))
		b->lost = true;
}

static void put_back(struct pcounter_bench *b, bool last)
{
	unsigned int i;

	for (i = b->nr_saved; i--; )
		if (b->saved[i].last == last)
			b->ops->wr32(b, b->saved[i].addr, b->saved[i].found & b->saved[i].mask);
}

/* The first that differs is remembered. */
static bool is_as_found(struct pcounter_bench *b)
{
	unsigned int i;
	u32 val;

	for (i = 0; i < b->nr_saved; i++) {
		const struct pcounter_saved *s = &b->saved[i];

		if (!b->ops->rd32(b, s->addr, &val))
			return false;
		if (!((val ^ s->found) & s->mask))
			continue;
		if (b->fault_addr)
			return false;
		b->fault_addr = s->addr;
		b->fault_wanted = s->found & s->mask;
		b->fault_got = val & s->mask;
		return false;
	}
	return true;
}

/**
 * pcounter_bench_restore() - put all registers back
 * @b: the bench; also after it was lost, for one that is only to stop
 *
 * In the opposite order, and CTRL last, which ends what a write of PRE_OP has
 * begun.
 *
 * Return: false if one does not read as it was found.
 */
bool pcounter_bench_restore(struct pcounter_bench *b)
{
	bool kept;

	put_back(b, false);
	put_back(b, true);
	b->ops->wait(b, b->settle);
	kept = is_as_found(b);
	b->accesses += 2 * b->nr_saved;
	b->nr_saved = 0;
	return kept;
}
