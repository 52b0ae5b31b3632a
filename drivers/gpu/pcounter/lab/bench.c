// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register accesses of experiments. The bench counts and bounds the accesses,
 * reads a register before it writes it for the first time, and puts it back at
 * the end.
 */
#include "lab/bench.h"

static bool spend_access(struct pcounter_bench *b)
{
	if (!b->lost && b->found.accesses++ >= PCOUNTER_EXP_ACCESSES)
		b->lost = true;
	return !b->lost;
}

/**
 * bench_rd() - read a register
 * @b: the bench
 * @addr: which
 *
 * Return: its value, 0 once the bench is lost.
 */
u32 bench_rd(struct pcounter_bench *b, u32 addr)
{
	u32 val = 0;

	if (spend_access(b) && !b->ops->access(b, addr, &val, 0))
		b->lost = true;
	return b->lost ? 0 : val;
}

/**
 * bench_pulse() - write a register without saving its old value
 * @b: the bench
 * @addr: which
 * @val: the value
 */
void bench_pulse(struct pcounter_bench *b, u32 addr, u32 val)
{
	if (spend_access(b) && !b->ops->access(b, addr, NULL, val))
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

/**
 * bench_wr() - save a register, write it, and wait until the write has taken effect
 * @b: the bench
 * @addr: which
 * @val: the value
 * @mask: bits that are put back
 */
void bench_wr(struct pcounter_bench *b, u32 addr, u32 val, u32 mask)
{
	struct pcounter_saved *s = find_saved(b, addr);

	if (!s && b->nr_saved == PCOUNTER_EXP_SAVED)
		b->lost = true;
	if (!s && !b->lost) {
		s = &b->saved[b->nr_saved];
		s->addr = addr;
		s->found = bench_rd(b, addr);
		s->mask = mask;
		b->nr_saved += !b->lost;
	}
	if (b->lost)
		return;
	s->mask |= mask;
	s->now = val;
	bench_pulse(b, addr, val);
	bench_wait(b, b->settle);
}

/**
 * bench_now() - get the value that was written last
 * @b: the bench
 * @addr: the register
 *
 * Return: the value, 0 if the register was not written.
 */
u32 bench_now(struct pcounter_bench *b, u32 addr)
{
	const struct pcounter_saved *s = find_saved(b, addr);

	return s ? s->now : 0;
}

/**
 * bench_wait() - let time pass
 * @b: the bench
 * @us: at least this many microseconds
 */
void bench_wait(struct pcounter_bench *b, unsigned int us)
{
	if (us && !b->lost && !b->ops->wait(b, us))
		b->lost = true;
}

/**
 * bench_differs() - note a register with an unexpected value
 * @b: the bench; it keeps only the first register
 * @addr: the register
 * @wanted: the expected value
 * @got: the value that was read
 */
void bench_differs(struct pcounter_bench *b, u32 addr, u32 wanted, u32 got)
{
	if (!b->found.culprit.addr)
		b->found.culprit = (struct pcounter_differs){
			.addr = addr, .wanted = wanted, .got = got,
		};
}

static bool compare_found(struct pcounter_bench *b)
{
	unsigned int i;
	u32 val;

	for (i = 0; i < b->nr_saved; i++) {
		const struct pcounter_saved *s = &b->saved[i];

		if (!b->ops->access(b, s->addr, &val, 0))
			return false;
		if (!((val ^ s->found) & s->mask))
			continue;
		bench_differs(b, s->addr, s->found & s->mask, val & s->mask);
		return false;
	}
	return true;
}

/**
 * bench_restore() - put all registers back
 * @b: the bench; tries also after a lost bench, since a lost bench may only mean that
 *	the run was interrupted
 *
 * Write the registers in the opposite order. Programs change the CTRL of a domain
 * before its other registers: written last, it ends a process which a write of PRE_OP
 * has begun.
 *
 * Return: false if a register does not read its old value.
 */
bool bench_restore(struct pcounter_bench *b)
{
	unsigned int i;
	bool kept;

	for (i = b->nr_saved; i--; )
		b->ops->access(b, b->saved[i].addr, NULL, b->saved[i].found & b->saved[i].mask);
	b->ops->wait(b, b->settle);
	kept = compare_found(b);
	b->found.accesses += 2 * b->nr_saved;
	b->nr_saved = 0;
	return kept;
}
