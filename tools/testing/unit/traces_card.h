/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card before a recorded run, with the driver on it: the registers that the driver
 * writes, and registers without effect.
 */
#ifndef _TRACES_CARD_H
#define _TRACES_CARD_H

#include "count_test.h"
#include "rules/terms.h"
#include "traces_events.h"

#define CTRL_UNK18	0x40000
#define GF100_TRIGGER	0x2d	/* from the trailer base: hw:real-cards/r1 */
#define G84_TRIGGER	0x0f

/* Registers that the driver has written, with their previous values. */
static struct reg touched[REGS];
static unsigned int nr_touched;

/* Return the bit that enables a mux: hw:muxes/gf100-memory, hw:muxes/tesla. */
static inline uint32_t enable_bit(const struct row *row, uint32_t addr)
{
	if (!is_gf100(row))
		return 1;
	return addr >= 0x404000 ? 1u << 31 : 1;
}

/*
 * Return true if a mux has no effect: it is not enabled. Tesla: a select of its own has
 * no enable.
 */
static inline bool is_idle(const struct row *row, const struct reg *reg)
{
	return is_gf100(row) && !(reg->val & enable_bit(row, reg->addr));
}

/* Mask the bits of CTRL that only the hardware writes. */
static inline uint32_t now_in(const struct row *row, uint32_t addr)
{
	uint32_t val = pcmodel_rd32(g.m, addr);
	bool ctrl = is_gf100(row) ? is_pcounter(row, addr) && (addr & 0x1ff) == R_CTRL :
				    (addr & ~0x1fu) == 0xa7c0;

	return ctrl ? val & ~0x33000000u : val;
}

static inline bool is_context(const struct row *row, uint32_t addr, uint32_t diff)
{
	return is_gf100(row) && is_pcounter(row, addr) && (addr & 0x1ff) == R_CTRL &&
	       diff == CTRL_UNK18;
}

static inline unsigned int trigger_of(const struct row *row, unsigned int dom)
{
	return g.gpu.topo.dom[dom].trailer + (is_gf100(row) ? GF100_TRIGGER : G84_TRIGGER);
}

static inline void set_term(struct pcounter_config *config, enum pcounter_term term, u64 value)
{
	const struct pcounter_term_info *info = &pcounter_term_info[term];

	assert_in_range(value, 0, GENMASK_ULL(info->hi - info->lo, 0));
	config->word[info->word] |= value << info->lo;
	assert_int_equal(pcounter_config_get(config, term), value);
}

static inline void watch_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	unsigned int before = nr_touched;
	struct reg *reg = reg_find(touched, &nr_touched, addr);

	if (nr_touched > before)
		reg->found = pcmodel_rd32(g.m, addr);
	gpu_wr32(io, addr, val);
}

/* Set up the card before the run: muxes as recorded, swaps by a command stream's trigger. */
static inline void new_card(const struct row *row, const struct reg *reg, unsigned int n)
{
	static const struct pcounter_io_ops ops = {
		.rd32 = gpu_rd32, .wr32 = watch_wr32,
	};

	gpu_new(row->card->chip);
	free(g.gpu.record);
	pcounter_gpu_free(&g.gpu);
	card_units(row->card);
	assert_int_equal(pcounter_gpu_init(&g.gpu, g.gpu.chip, g.gpu.gen, &g.io), 0);
	assert_int_equal(pcounter_record_setup(&g.gpu), 0);
	for (unsigned int i = 0; i < n; i++) {
		if (!is_pcounter(row, reg[i].addr))
			pcmodel_wr32(g.m, reg[i].addr, reg[i].found);
		/* what a former user may have left in a register of 0 after reset */
		else if (is_gf100(row) && (reg[i].addr & 0x1ff) == R_FILTER)
			pcmodel_wr32(g.m, reg[i].addr, ~reg[i].val);
	}
	for (unsigned int i = 0; i < g.m->domains && !is_gf100(row); i++)
		pcmodel_wr32(g.m, 0xa560 + i * 4, g.m->dom[i].trailer + G84_TRIGGER);
	g.io.ops = &ops;
	nr_touched = 0;
}

#endif
