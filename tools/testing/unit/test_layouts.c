// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register tables of the driver, compared with a second copy of the documents' numbers
 * (hw:registers): the address of each register in each domain, the bits of CTRL, and the
 * windows of BAR0.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/kernel.h>

#include "hw/registers.h"
#include "rules/chip.h"

#define PRE	PCOUNTER_PRE
#define START	PCOUNTER_START
#define EVENT	PCOUNTER_EVENT
#define STOP	PCOUNTER_STOP
#define SETFLAG	PCOUNTER_OP_SETFLAG
#define CLRFLAG	PCOUNTER_OP_CLRFLAG

/* First buckets of the documents' ranges; the last one is after GM107. */
enum { NV10 = PCOUNTER_BUCKET_NV10, NV30 = PCOUNTER_BUCKET_NV30, NV40 = PCOUNTER_BUCKET_NV40,
	G84 = PCOUNTER_BUCKET_G84, G92 = PCOUNTER_BUCKET_G92, GT215 = PCOUNTER_BUCKET_GT215,
	GF100 = PCOUNTER_BUCKET_GF100, END = PCOUNTER_BUCKETS };

/* A register: address in block 0, distance to the next block, first bucket, one after the last. */
struct reg {
	unsigned int reg;
	u32 base, stride;
	unsigned int from, before;
};

#define S	PCOUNTER_REG_SRC
#define O	PCOUNTER_REG_OP
#define C	PCOUNTER_REG_CTR

/* hw:registers/nv10, hw:inputs/swap, hw:coexistence */
static const struct reg nv10[] = {
	{ PCOUNTER_REG_SIG_STATUS, 0xa430, 0x100, NV10, NV40 },
	{ S + PRE, 0xa400, 0x100, NV10, NV40 }, { O + PRE, 0xa404, 0x100, NV10, NV40 },
	{ S + START, 0xa408, 0x100, NV10, NV40 }, { O + START, 0xa40c, 0x100, NV10, NV40 },
	{ S + EVENT, 0xa410, 0x100, NV10, NV40 }, { O + EVENT, 0xa414, 0x100, NV10, NV40 },
	{ S + STOP, 0xa418, 0x100, NV10, NV40 }, { O + STOP, 0xa41c, 0x100, NV10, NV40 },
	{ S + SETFLAG, 0xa420, 0x100, NV10, NV30 }, { O + SETFLAG, 0xa424, 0x100, NV10, NV40 },
	{ S + CLRFLAG, 0xa428, 0x100, NV10, NV30 }, { O + CLRFLAG, 0xa42c, 0x100, NV10, NV40 },
	{ PCOUNTER_REG_CYCLES, 0xa600, 0x100, NV10, NV40 },
	{ PCOUNTER_REG_CYCLES_ALT, 0xa608, 0x100, NV10, NV40 },
	{ C + EVENT, 0xa610, 0x100, NV10, NV40 }, { C + START, 0xa618, 0x100, NV10, NV40 },
	{ C + PRE, 0xa620, 0x100, NV10, NV40 }, { C + STOP, 0xa624, 0x100, NV10, NV40 },
	{ PCOUNTER_REG_THRESHOLD, 0xa628, 0x100, NV10, NV40 },
	{ PCOUNTER_REG_THRESHOLD_HI, 0xa62c, 0x100, NV10, NV30 },
	/* not used before NV30 */
	{ PCOUNTER_REG_ACK, 0xa738, 0, NV10, NV40 },
	{ PCOUNTER_REG_TRIGGER, 0x400084, 0, NV10, NV40 },
	{ PCOUNTER_REG_CTRL, 0xa73c, 0, NV10, NV40 },
};

/* hw:registers/nv40 */
static const struct reg nv40[] = {
	{ S + PRE, 0xa400, 4, NV40, GF100 }, { O + PRE, 0xa420, 4, NV40, GF100 },
	{ S + START, 0xa440, 4, NV40, GF100 }, { O + START, 0xa460, 4, NV40, GF100 },
	{ S + EVENT, 0xa480, 4, NV40, GF100 }, { O + EVENT, 0xa4a0, 4, NV40, GF100 },
	{ S + STOP, 0xa4c0, 4, NV40, GF100 }, { O + STOP, 0xa4e0, 4, NV40, GF100 },
	{ O + SETFLAG, 0xa500, 4, NV40, GF100 }, { O + CLRFLAG, 0xa520, 4, NV40, GF100 },
	{ PCOUNTER_REG_SIG_STATUS, 0xa800, 0x20, NV40, GF100 },
	{ PCOUNTER_REG_SRC_STATUS, 0xa540, 4, NV40, GF100 },
	/* an experiment looks for it before G84, too */
	{ PCOUNTER_REG_SWAP_SRC, 0xa560, 4, NV40, GF100 },
	{ PCOUNTER_REG_USER, 0xa580, 4, GT215, GF100 },
	{ PCOUNTER_REG_CYCLES, 0xa600, 4, NV40, GF100 },
	{ PCOUNTER_REG_CYCLES_ALT, 0xa640, 4, NV40, GF100 },
	{ C + EVENT, 0xa680, 4, NV40, GF100 }, { C + START, 0xa6c0, 4, NV40, GF100 },
	{ C + PRE, 0xa700, 4, NV40, GF100 }, { C + STOP, 0xa740, 4, NV40, GF100 },
	{ PCOUNTER_REG_RECORD_HIGH, 0xa6a0, 4, G92, GF100 },
	{ PCOUNTER_REG_RECORD_STATUS, 0xa6e0, 4, G84, GF100 },
	{ PCOUNTER_REG_RECORD_LIMIT, 0xa720, 4, G84, GF100 },
	{ PCOUNTER_REG_RECORD_START, 0xa760, 4, G84, GF100 },
	{ PCOUNTER_REG_THRESHOLD, 0xa780, 4, NV40, GF100 },
	{ PCOUNTER_REG_PERIODIC, 0xa7a8, 0, G84, GF100 },
	{ PCOUNTER_REG_CTRL, 0xa7c0, 4, NV40, GF100 },
	{ PCOUNTER_REG_ACK, 0xa7e0, 4, NV40, GF100 },
	{ PCOUNTER_REG_TRIGGER, 0x400084, 0, NV40, GF100 },
	/* not used before G84 */
};

/* hw:registers/gf100-domain, hw:registers/gf100-main, hw:registers/gf100-units */
static const struct reg gf100[] = {
	{ S + PRE, 0x180040, 0x200, GF100, END }, { O + PRE, 0x180044, 0x200, GF100, END },
	{ S + START, 0x180048, 0x200, GF100, END }, { O + START, 0x18004c, 0x200, GF100, END },
	{ S + EVENT, 0x180050, 0x200, GF100, END }, { O + EVENT, 0x180054, 0x200, GF100, END },
	{ S + STOP, 0x180058, 0x200, GF100, END }, { O + STOP, 0x18005c, 0x200, GF100, END },
	{ O + SETFLAG, 0x180060, 0x200, GF100, END }, { O + CLRFLAG, 0x180064, 0x200, GF100, END },
	{ PCOUNTER_REG_SIG_STATUS, 0x180000, 0x200, GF100, END },
	{ PCOUNTER_REG_SRC_STATUS, 0x180068, 0x200, GF100, END },
	{ PCOUNTER_REG_SWAP_SRC, 0x18006c, 0x200, GF100, END },
	{ PCOUNTER_REG_CYCLES, 0x180070, 0x200, GF100, END },
	{ C + EVENT, 0x180080, 0x200, GF100, END }, { C + START, 0x180088, 0x200, GF100, END },
	{ C + PRE, 0x18008c, 0x200, GF100, END }, { C + STOP, 0x180090, 0x200, GF100, END },
	{ PCOUNTER_REG_CTRL, 0x18009c, 0x200, GF100, END },
	{ PCOUNTER_REG_ACK, 0x1800a0, 0x200, GF100, END },
	{ PCOUNTER_REG_PRE_NEXT, 0x1800a8, 0x200, GF100, END },
	{ PCOUNTER_REG_VSTATUS, 0x1800c8, 0x200, GF100, END },
	{ PCOUNTER_REG_USER, 0x1800ec, 0x200, GF100, END },
	{ PCOUNTER_REG_FILTER, 0x180100, 0x200, GF100, END },
	/* not used before GK104 */
	{ PCOUNTER_REG_SLCG, 0x1b8018, 0, GF100, END },
	{ PCOUNTER_REG_SLCG + 1, 0x1bc018, 0, GF100, END },
	{ PCOUNTER_REG_SLCG + 2, 0x1be018, 0, GF100, END },
	{ PCOUNTER_REG_SLCG + 3, 0x1b4124, 0, GF100, END },
};

/* hw:registers/ctrl-nv10, hw:registers/ctrl-nv40, hw:registers/gf100-ctrl */
static const struct pcounter_ctrl nv10_ctrl[] = {
	{
		.mode = BIT(16), .quad = BIT(16), .ctr = BIT(2), .all = BIT(8),
		.quad_state = GENMASK(25, 24), .single_state = GENMASK(4, 3), .ack = BIT(0),
	}, {
		.mode = BIT(18), .quad = BIT(18), .ctr = BIT(2), .all = BIT(9),
		.quad_state = GENMASK(27, 26), .single_state = GENMASK(6, 5), .ack = BIT(8),
	},
};

static const struct pcounter_ctrl nv40_ctrl = {
	.mode = GENMASK(1, 0), .quad = 1, .record = 2, .brief = BIT(20), .ctr = GENMASK(6, 4),
	.all = BIT(8), .evpulse = BIT(11), .flagpulse = BIT(13), .periodic = GENMASK(23, 21),
	.quad_state = GENMASK(25, 24), .single_state = GENMASK(29, 28), .ack = BIT(0),
};

/* bit 18 as nouveau and nvatiming set it; record mode as in hw:stream/domain */
static const struct pcounter_ctrl gf100_ctrl = {
	.mode = GENMASK(2, 0), .off = BIT(18), .quad = 2 | BIT(18),
	.record = 5 | BIT(18), .ctr = GENMASK(5, 3),
	.all = BIT(6), .evpulse = BIT(7), .flagpulse = BIT(8), .periodic = GENMASK(23, 21),
	.quad_state = GENMASK(25, 24), .single_state = GENMASK(29, 28), .ack = BIT(0),
};

struct layout {
	const char *name;
	const struct reg *regs;
	unsigned int nr, blocks;
	const struct pcounter_ctrl *ctrl;
	u32 volatile_bits;	/* of CTRL, not to be written back */
	u32 user_levels, user_pulses;	/* hw:inputs/user; USER_0 of GF100 swaps */
};

static const struct layout layouts[] = {
	{ "nv10-pcounter", nv10, ARRAY_SIZE(nv10), 2, nv10_ctrl, 0, 0, 0 },
	{ "nv40-pcounter", nv40, ARRAY_SIZE(nv40), 8, &nv40_ctrl,
	  GENMASK(25, 24) | BIT(27) | GENMASK(29, 28), GENMASK(1, 0), 2 },
	/* 32 GPCs, 16 partitions, the HUB; each of 8 domains */
	{ "gf100-pcounter", gf100, ARRAY_SIZE(gf100), 0x188, &gf100_ctrl,
	  GENMASK(25, 24) | GENMASK(29, 28), GENMASK(3, 1), 4 },
};

static const struct layout *layout_of(const struct pcounter_gen *gen)
{
	const struct layout *layout = layouts;

	while (strcmp(layout->name, gen->table->layout))
		layout++;
	return layout;
}

/* Sets of GF100 have one each: GPCs from block 0 on, partitions from 0x100, the HUB. */
static u32 set_ctrl(unsigned int block)
{
	if (block < 0x100)
		return 0x1b8000 + block / 8 * 0x200;
	return block < 0x180 ? 0x1bc000 + (block - 0x100) / 8 * 0x200 : 0x1be000;
}

static u32 want(const struct pcounter_chip *chip, const struct layout *layout, unsigned int reg,
		unsigned int block)
{
	unsigned int i;

	if (reg == PCOUNTER_REG_PERIODIC && layout->regs == gf100)
		return set_ctrl(block);
	for (i = 0; i < layout->nr; i++)
		if (layout->regs[i].reg == reg && chip->bucket >= layout->regs[i].from &&
		    chip->bucket < layout->regs[i].before)
			return layout->regs[i].base + block * layout->regs[i].stride;
	return 0;
}

/*
 * Each register is where the documents have it, and nowhere on chips without it. No
 * register needs quad mode.
 */
TEST(test_addresses)
{
	unsigned int c, reg, block;

	for (c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_chip *chip = &pcounter_chips[c];
		const struct pcounter_gen *gen = pcounter_gen_find(chip);
		const struct layout *layout = layout_of(gen);
		struct pcounter_gen single = *gen;

		single.caps &= ~PCOUNTER_CAP_QUAD;
		for (reg = 0; reg < PCOUNTER_REGS; reg++) {
			for (block = 0; block < layout->blocks; block++) {
				u32 addr = want(chip, layout, reg, block);

				if (pcounter_reg_addr(gen, reg, block) != addr ||
				    pcounter_reg_addr(&single, reg, block) != addr)
					fail_msg("%s: register %u of %u is at %#x, not %#x",
						 chip->name, reg, block,
						 pcounter_reg_addr(gen, reg, block), addr);
			}
		}
	}
}

/*
 * hw:modes/counters: NV10:NV30 count 40 bits, the highest of which sticks. The bounds of
 * clocks are the driver's.
 */
TEST(test_counters)
{
	unsigned int c;

	for (c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_chip *chip = &pcounter_chips[c];
		const struct pcounter_gen *gen = pcounter_gen_find(chip);

		assert_int_equal(pcounter_counter_bits(gen),
				 chip->bucket < PCOUNTER_BUCKET_NV30 ? 39 : 32);
		assert_int_equal(gen->table->max_clock_hz,
				 chip->bucket < PCOUNTER_BUCKET_NV40 ? 1000000000 : 2000000000);
	}
}

static void check_ctrl(const struct pcounter_ctrl *is, const struct pcounter_ctrl *ctrl)
{
	assert_int_equal(is->mode, ctrl->mode);
	assert_int_equal(is->off, ctrl->off);
	assert_int_equal(is->quad, ctrl->quad);
	assert_int_equal(is->record, ctrl->record);
	assert_int_equal(is->brief, ctrl->brief);
	assert_int_equal(is->ctr, ctrl->ctr);
	assert_int_equal(is->all, ctrl->all);
	assert_int_equal(is->evpulse, ctrl->evpulse);
	assert_int_equal(is->flagpulse, ctrl->flagpulse);
	assert_int_equal(is->periodic, ctrl->periodic);
	assert_int_equal(is->quad_state, ctrl->quad_state);
	assert_int_equal(is->single_state, ctrl->single_state);
	assert_int_equal(is->ack, ctrl->ack);
}

static u32 config_of(const struct pcounter_ctrl *ctrl)
{
	return ctrl->mode | ctrl->brief | ctrl->ctr | ctrl->all | ctrl->evpulse |
	       ctrl->flagpulse | ctrl->periodic;
}

/* The fields of CTRL and of USER_TRIGGER are where the documents have them. */
TEST(test_ctrl)
{
	/* of both domains; TVOUT stays off */
	const u32 shared = BIT(2) | BIT(8) | BIT(9) | BIT(16) | BIT(18);
	unsigned int c, i;

	for (c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_gen *gen = pcounter_gen_find(&pcounter_chips[c]);
		const struct layout *layout = layout_of(gen);
		bool two = layout->ctrl == nv10_ctrl;

		assert_int_equal(pcounter_ctrl_config(gen), two ? shared : config_of(layout->ctrl));
		assert_int_equal(gen->table->user_levels, layout->user_levels);
		assert_int_equal(gen->table->user_pulses, layout->user_pulses);
		for (i = 0; i < (two ? 2 : 1); i++) {
			const struct pcounter_ctrl *is = &gen->table->ctrl[i];

			check_ctrl(is, &layout->ctrl[i]);
			assert_int_equal(pcounter_ctrl_fields(is), config_of(&layout->ctrl[i]));
			assert_int_equal(is->preserve_mask, two ? shared : ~layout->volatile_bits);
		}
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
