// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle counters of PDAEMON, hw:idle: GT215 and later.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define PDAEMON			0x10a000
#define PDAEMON_SIZE		0x1000
#define IDLE_SIGNALS		0x500
#define IDLE_SLOTS		0x500	/* the registers of slot 0 begin at + 4 */
#define IDLE_STRIDE		0x10
#define IDLE_MASK		0x4
#define IDLE_COUNT		0x8
#define IDLE_MODE		0xc
#define IDLE_MASK_1		0xa34	/* second word of slot 0's mask, GM107+ */
#define IDLE_MASK_1_STRIDE	8
#define COUNT_BITS		GENMASK(30, 0)
#define COUNT_CLEAR		BIT(31)
#define MODE_ALL		BIT(0)
#define MODE_NOT_ALL		BIT(1)
#define MODE_VALUE		(MODE_ALL | MODE_NOT_ALL)
#define MODE_FILTER		BIT(2)	/* GM107+; the sources only switch it off */

#define GT215_RESET		0x022210
#define   GT215_RESET_ENABLE	BIT(0)
#define PMC_PDAEMON		BIT(13)	/* GF100+ */
#define DISABLED		0xbadf1000	/* an arbitrary value */

#define WORD			64

static unsigned int slots(const struct pcmodel *m)
{
	if (m->chip->variant < PCMODEL_GT215)
		return 0;
	return m->chip->variant < PCMODEL_GF100 ? 4 : 8;
}

static unsigned int signals(const struct pcmodel *m)
{
	return m->chip->variant < PCMODEL_GM107 ? 32 : PCMODEL_IDLE_SIGNALS;
}

static u32 mode_bits(const struct pcmodel *m)
{
	return m->chip->variant < PCMODEL_GM107 ? MODE_VALUE : MODE_VALUE | MODE_FILTER;
}

static bool enabled(const struct pcmodel *m)
{
	if (m->chip->variant < PCMODEL_GF100)
		return m->idle.gt215_reset & GT215_RESET_ENABLE;
	return m->pmc_enable & PMC_PDAEMON;
}

/* hw:idle/power: a reset loses all settings. */
static void check_reset(struct pcmodel *m)
{
	if (slots(m) && !enabled(m))
		memset(m->idle.slot, 0, sizeof(m->idle.slot));
}

/* Set PDAEMON to its reset state. */
void pcmodel_pdaemon_init(struct pcmodel *m)
{
	m->idle.num = 1;
	m->idle.den = 1;
	m->idle.gt215_reset = GT215_RESET_ENABLE;
}

/* Handle a write of PMC.ENABLE. */
void pcmodel_pdaemon_pmc(struct pcmodel *m)
{
	if (m->chip->variant >= PCMODEL_GF100)
		check_reset(m);
}

/* ---- registers ---- */

static u32 levels(const struct pcmodel *m)
{
	u32 value = 0;
	unsigned int i;

	/* no source has a register with the levels of the second word */
	for (i = 0; i < 32; i++)
		value |= (u32)pcmodel_script_level(&m->idle.sig[i],
						   m->idle.cycle) << i;
	return value;
}

/* Return the slot whose second word of the mask is at this offset, or NULL. */
static struct pcmodel_idle_slot *mask_1_at(struct pcmodel *m, u32 offset)
{
	u32 i = (offset - IDLE_MASK_1) / IDLE_MASK_1_STRIDE;

	if (signals(m) == 32 || offset < IDLE_MASK_1 || i >= slots(m) ||
	    (offset - IDLE_MASK_1) % IDLE_MASK_1_STRIDE)
		return NULL;
	return &m->idle.slot[i];
}

static u32 window_read(struct pcmodel *m, u32 offset)
{
	const struct pcmodel_idle_slot *second = mask_1_at(m, offset);
	unsigned int i = (offset - IDLE_SLOTS) / IDLE_STRIDE;

	if (!enabled(m)) {
		m->lint.absent++;
		return DISABLED;
	}
	if (offset == IDLE_SIGNALS)
		return levels(m);
	if (second)
		return second->mask >> 32;
	if (offset < IDLE_SLOTS || i >= slots(m))
		return pcmodel_absent(m, PDAEMON + offset);
	switch (offset % IDLE_STRIDE) {
	case IDLE_MASK:
		return m->idle.slot[i].mask;
	case IDLE_COUNT:
		return m->idle.slot[i].count;
	case IDLE_MODE:
		return m->idle.slot[i].mode;
	default:
		return pcmodel_absent(m, PDAEMON + offset);
	}
}

static void window_write(struct pcmodel *m, u32 offset, u32 val)
{
	unsigned int i = (offset - IDLE_SLOTS) / IDLE_STRIDE;
	struct pcmodel_idle_slot *s = mask_1_at(m, offset);

	if (!enabled(m) || offset < IDLE_SLOTS || (!s && i >= slots(m))) {
		m->lint.absent++;
		return;
	}
	if (s) {
		m->idle.foreign_writes += s->foreign ? 1 : 0;
		s->mask = (u64)val << 32 | (u32)s->mask;
		return;
	}
	s = &m->idle.slot[i];
	m->idle.foreign_writes += s->foreign ? 1 : 0;
	switch (offset % IDLE_STRIDE) {
	case IDLE_MASK:
		s->mask = (s->mask & GENMASK_ULL(63, 32)) | val;
		break;
	case IDLE_COUNT:
		m->lint.bits += val & ~COUNT_CLEAR ? 1 : 0;
		if (val & COUNT_CLEAR)
			s->count = 0;
		break;
	case IDLE_MODE:
		m->lint.bits += val & ~mode_bits(m) ? 1 : 0;
		s->mode = val & mode_bits(m);
		break;
	default:
		m->lint.absent++;
	}
}

/* Return false if the address is not a register of PDAEMON. */
bool pcmodel_pdaemon_read(struct pcmodel *m, u32 addr, u32 *val)
{
	if (!slots(m))
		return false;
	if (addr == GT215_RESET && m->chip->variant < PCMODEL_GF100) {
		*val = m->idle.gt215_reset;
		return true;
	}
	if (addr - PDAEMON >= PDAEMON_SIZE)
		return false;
	*val = window_read(m, addr - PDAEMON);
	return true;
}

bool pcmodel_pdaemon_write(struct pcmodel *m, u32 addr, u32 val)
{
	if (!slots(m))
		return false;
	if (addr == GT215_RESET && m->chip->variant < PCMODEL_GF100) {
		m->idle.gt215_reset = val;
		check_reset(m);
		return true;
	}
	if (addr - PDAEMON >= PDAEMON_SIZE)
		return false;
	window_write(m, addr - PDAEMON, val);
	return true;
}

/* ---- time ---- */

/* Return a word: bit n is set if the slot counts in the n-th clock from @cycle. */
static u64 counts(const struct pcmodel *m, const struct pcmodel_idle_slot *s,
		  u64 cycle)
{
	u64 all = ~0ULL, none = ~0ULL;
	unsigned int i;

	for (i = 0; i < PCMODEL_IDLE_SIGNALS; i++) {
		if (s->mask & BIT_ULL(i)) {
			u64 word = pcmodel_script_word(&m->idle.sig[i], cycle);

			all &= word;
			none &= ~word;
		}
	}
	if ((s->mode & MODE_VALUE) == MODE_ALL)
		return all;
	return m->quirks.idle_none ? none : ~all;
}

static void slot_run(const struct pcmodel *m, struct pcmodel_idle_slot *s,
		     u64 clocks)
{
	u64 count = s->count, at = m->idle.cycle, end = at + clocks;
	u32 mode = s->mode & MODE_VALUE;

	if (!mode)
		return;
	if (mode == MODE_VALUE)
		count += clocks;
	for (; mode != MODE_VALUE && at < end; at += WORD) {
		u64 left = min_t(u64, end - at, WORD);
		u64 word = counts(m, s, at);

		count += hweight64(left < WORD ? word & ((1ULL << left) - 1) : word);
	}
	if (m->quirks.idle_saturate)
		s->count = min_t(u64, count, COUNT_BITS);
	else
		s->count = count & COUNT_BITS;
}

/* Run PDAEMON's own clock; no other part of the model uses these counters. */
void pcmodel_pdaemon_run(struct pcmodel *m, u64 cycles)
{
	unsigned int i;
	u64 clocks;
	u32 rem;

	if (!slots(m))
		return;
	clocks = div_u64_rem(m->idle.acc + cycles * m->idle.num, m->idle.den, &rem);
	m->idle.acc = rem;
	if (enabled(m))
		for (i = 0; i < slots(m); i++)
			slot_run(m, &m->idle.slot[i], clocks);
	m->idle.cycle += clocks;
}

/* ---- commands of scenarios ---- */

/**
 * pcmodel_idle_foreign() - give a slot to another driver, or take it back
 * @m: the model
 * @slot: number of the slot
 * @mask: its COUNTER_MASK, both words
 * @mode: its COUNTER_MODE; if that is 0 and @mask, too, the slot is free
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_idle_foreign(struct pcmodel *m, unsigned int slot, u64 mask, u32 mode)
{
	if (slot >= slots(m) || mode & ~mode_bits(m) || (signals(m) == 32 && mask >> 32))
		return -EINVAL;
	m->idle.slot[slot].mask = mask;
	m->idle.slot[slot].mode = mode;
	m->idle.slot[slot].foreign = mask || mode;
	return 0;
}

/**
 * pcmodel_idle_preset() - set a counter, so that it wraps soon
 * @m: the model
 * @slot: number of the slot
 * @value: its new value
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_idle_preset(struct pcmodel *m, unsigned int slot, u32 value)
{
	if (slot >= slots(m) || value & ~COUNT_BITS)
		return -EINVAL;
	m->idle.slot[slot].count = value;
	return 0;
}

/**
 * pcmodel_idle_signal() - let a script drive an idle signal
 * @m: the model
 * @bit: number of the signal
 * @s: the script; 1 means idle
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_idle_signal(struct pcmodel *m, unsigned int bit,
			const struct pcmodel_script *s)
{
	if (!slots(m) || bit >= signals(m) || !pcmodel_script_valid(s))
		return -EINVAL;
	m->idle.sig[bit] = *s;
	return 0;
}

/**
 * pcmodel_idle_clock() - set PDAEMON's clock
 * @m: the model
 * @num: its clocks for each @den reference cycles
 * @den: see @num
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_idle_clock(struct pcmodel *m, u32 num, u32 den)
{
	if (!slots(m) || !den)
		return -EINVAL;
	m->idle.num = num;
	m->idle.den = den;
	m->idle.acc = 0;
	return 0;
}

/**
 * pcmodel_idle_reset() - reset PDAEMON, like the graphics driver
 * @m: the model
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_idle_reset(struct pcmodel *m)
{
	if (!slots(m))
		return -EINVAL;
	memset(m->idle.slot, 0, sizeof(m->idle.slot));
	return 0;
}
