// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hand-written tables of the driver, compared with a second copy of the documents'
 * numbers on each chip: source muxes (hw:muxes/gf100, hw:muxes/gf100-memory,
 * hw:muxes/tesla), idle signals of PDAEMON (hw:idle/signals), and what chips.csv says of
 * the counters.
 */
#include "terms_test.h"

#include <stdio.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/kernel.h>

#include "hw/idle.h"
#include "hw/mux.h"
#include "rules/chip.h"
#include "rules/place.h"

/* First chips of the documents' ranges; the last one is after Pascal. */
enum { G80 = 0x50, G84 = 0x84, G200 = 0xa0, GT215 = 0xa3, GF100 = 0xc0, GF108, GF106 = 0xc3,
	GF117 = 0xd7, GK104 = 0xe4, GK20A = 0xea, GK110 = 0xf0, GK208B = 0x106, GM107 = 0x117,
	GM200 = 0x120, GP100 = 0x130, ALL = 0x13c };

/* Units that contain muxes: address, distances from one to the next, number, domains. */
static const struct unit {
	const char *name;
	unsigned int set, doms;
	u32 base, unit_stride, stride, most;
} units[] = {
	{ "gpc", PCOUNTER_SET_GPC, 0xff, 0x500000, 0x8000, 0, 1 },
	{ "tpc", PCOUNTER_SET_GPC, 0xff, 0x504000, 0x8000, 0x800, 8 },
	{ "rop", PCOUNTER_SET_PART, 0xff, 0x410000, 0x400, 0, 1 },
	{ "hub", PCOUNTER_SET_HUB, 0xff, 0, 0, 0, 1 },
	{ "pbfbs", PCOUNTER_SET_PART, 1, 0, 0, 0, 1 },
	{ "pbfb", PCOUNTER_SET_PART, 1, 0x110000, 0, 0x1000, 2 },
	{ "pmfb", PCOUNTER_SET_PART, 1, 0x140000, 0x2000, 0, 1 },
	{ "subp", PCOUNTER_SET_PART, 1, 0x141200, 0x2000, 0x400, 1 },
	{ "subp2", PCOUNTER_SET_PART, 1, 0x141200, 0x2000, 0x400, 2 },
	{ "subp4", PCOUNTER_SET_PART, 1, 0x141200, 0x2000, 0x400, 4 },
	{ "ltc", PCOUNTER_SET_PART, 2, 0, 0, 0, 1 },
	{ "g80", PCOUNTER_SET_HUB, 0xff, 0x408000, 0, 0x1000, 8 },
	{ "g200", PCOUNTER_SET_HUB, 0xff, 0x408000, 0, 0x800, 16 },
};

#define NO_BIT	99

/* From chip, before chip; lowest and highest bit of the field; bit and place of the enable. */
static const struct mux {
	unsigned int id;
	const char *name;
	const char *unit;
	u32 from, before, offset;
	unsigned int low, high, enable;
	u32 enable_offset;
} muxes[] = {
	{ 1, "GPC.UNK380", "gpc", GF100, ALL, 0x384, 0, 3, 31, 0 },
	{ 2, "GPC.PROP", "gpc", GF100, ALL, 0x4a0, 0, 7, 31, 0 },
	{ 3, "GPC.UNK600", "gpc", GF100, ALL, 0x604, 0, 3, 31, 0 },
	{ 4, "GPC.UNK680", "gpc", GF100, ALL, 0x680, 0, 3, 31, 0 },
	{ 5, "GPC.UNK700", "gpc", GF100, ALL, 0x714, 0, 3, 31, 0 },
	{ 6, "GPC.ESETUP", "gpc", GF100, ALL, 0x81c, 0, 4, 31, 0 },
	{ 7, "GPC.FFB_B", "gpc", GF100, ALL, 0x8c8, 0, 3, 31, 0 },
	{ 8, "GPC.TPBUS", "gpc", GF100, ALL, 0xb04, 0, 3, 31, 0 },
	{ 9, "GPC.TPCONF", "gpc", GF100, GK104, 0xc04, 0, 6, NO_BIT, 0 },
	{ 9, "GPC.TPCONF", "gpc", GK104, ALL, 0xc04, 0, 6, 31, 0 },
	{ 10, "GPC.UNKC80", "gpc", GF100, GK104, 0xc88, 0, 5, NO_BIT, 0 },
	{ 10, "GPC.UNKC80", "gpc", GK104, ALL, 0xc88, 0, 5, 31, 0 },
	{ 11, "GPC.UNKD00", "gpc", GF100, GK104, 0xd00, 0, 4, NO_BIT, 0 },
	{ 11, "GPC.UNKD00", "gpc", GK104, ALL, 0xd00, 0, 4, 31, 0 },
	{ 12, "GPC.UNKE00", "gpc", GF100, GK104, 0xe08, 0, 4, NO_BIT, 0 },
	{ 12, "GPC.UNKE00", "gpc", GK104, ALL, 0xe08, 0, 4, 31, 0 },
	{ 13, "GPC.UNKF00", "gpc", GF100, GK104, 0xf08, 0, 4, NO_BIT, 0 },
	{ 13, "GPC.UNKF00", "gpc", GK104, ALL, 0xf08, 0, 4, 31, 0 },
	{ 14, "GPC.CCACHE_A", "gpc", GF100, ALL, 0x100c, 0, 2, NO_BIT, 0 },
	{ 15, "GPC.CCACHE_B", "gpc", GF100, ALL, 0x1018, 0, 2, NO_BIT, 0 },
	{ 16, "TPC.POLY", "tpc", GF100, ALL, 0x054, 0, 7, NO_BIT, 0 },
	{ 17, "TPC.TEX_A", "tpc", GF100, ALL, 0x2b0, 0, 5, 31, 0 },
	{ 18, "TPC.TEX_B", "tpc", GF100, GK104, 0x2bc, 0, 2, 31, 0 },
	{ 18, "TPC.TEX_B", "tpc", GK104, ALL, 0x2bc, 0, 3, 31, 0 },
	{ 19, "TPC.TEX_C", "tpc", GF100, ALL, 0x2c0, 0, 3, 31, 0 },
	{ 20, "TPC.TEX_D", "tpc", GF100, GK110, 0x2c0, 8, 10, 31, 0 },
	{ 20, "TPC.TEX_D", "tpc", GK110, ALL, 0x2c0, 8, 11, 31, 0 },
	{ 21, "TPC.UNK400", "tpc", GF100, ALL, 0x40c, 0, 5, 31, 0 },
	{ 22, "TPC.L1", "tpc", GF100, ALL, 0x4a8, 0, 5, 31, 0 },
	{ 23, "TPC.MASTER", "tpc", GF100, ALL, 0x52c, 0, 3, 31, 0 },
	/* bits 0 to 6 in rnndb; NVIDIA's driver writes 0x80000000 and bit 7, too */
	{ 24, "TPC.MP", "tpc", GF100, GK104, 0x600, 0, 7, 31, 0 },
	{ 25, "ROP.ZROP_A", "rop", GF100, ALL, 0x00c, 0, 5, 31, 0 },
	{ 26, "ROP.ZROP_B", "rop", GF100, ALL, 0x00c, 16, 19, 31, 0 },
	{ 27, "ROP.CROP_A", "rop", GF100, ALL, 0x110, 0, 5, 31, 0 },
	{ 28, "ROP.CROP_B", "rop", GF100, ALL, 0x184, 0, 5, 31, 0 },
	{ 29, "HUB.DISPATCH", "hub", GF100, GK110, 0x40415c, 0, 4, NO_BIT, 0 },
	{ 29, "HUB.DISPATCH", "hub", GK110, ALL, 0x40415c, 0, 4, 31, 0 },
	{ 30, "HUB.UNK5800", "hub", GF100, GK110, 0x405850, 0, 4, NO_BIT, 0 },
	{ 30, "HUB.UNK5800", "hub", GK110, ALL, 0x405850, 0, 4, 31, 0 },
	{ 31, "HUB.UNK5900", "hub", GF100, GK104, 0x405908, 0, 4, NO_BIT, 0 },
	{ 31, "HUB.UNK5900", "hub", GK104, ALL, 0x405908, 0, 4, 31, 0 },
	{ 32, "HUB.UNK6000", "hub", GF100, ALL, 0x406024, 0, 6, 31, 0 },
	{ 33, "HUB.TPBUS", "hub", GF100, ALL, 0x407808, 0, 3, 31, 0 },
	{ 34, "HUB.CCACHE", "hub", GF100, GK110, 0x40803c, 0, 4, NO_BIT, 0 },
	{ 34, "HUB.CCACHE", "hub", GK110, ALL, 0x40803c, 0, 4, 31, 0 },
	{ 35, "TPC.TEX_E", "tpc", GF117, ALL, 0x2b8, 0, 7, 31, 0 },
	{ 36, "TPC.TEX_F", "tpc", GF100, ALL, 0x2c8, 0, 4, 31, 0 },
	{ 37, "PBFB.ALL", "pbfbs", GF100, GK110, 0x10f100, 4, 9, 0, 0 },
	{ 37, "PBFB.ALL", "pbfbs", GK110, ALL, 0x10f100, 4, 10, 0, 0 },
	{ 38, "PBFB", "pbfb", GF108, GF106, 0x100, 4, 9, 0, 0 },
	{ 38, "PBFB", "pbfb", GF117, GK104, 0x100, 4, 9, 0, 0 },
	{ 39, "PMFB", "pmfb", GF100, GM107, 0x28, 1, 13, 0, 0 },
	{ 40, "PMFB.UNK16", "pmfb", GF100, GM107, 0x28, 16, 18, 0, 0 },
	{ 41, "PMFB.UNK24", "pmfb", GF100, GM107, 0x28, 24, 25, 0, 0 },
	{ 42, "PMFB.SLICE", "pmfb", GF100, GM107, 0x28, 29, 29, 0, 0 },
	{ 43, "SUBP", "subp", GF117, GK104, 0x5c, 1, 13, 0, 0 },
	{ 43, "SUBP", "subp4", GK104, GK20A, 0x5c, 1, 13, 0, 0 },
	{ 43, "SUBP", "subp", GK20A, GK110, 0x5c, 1, 13, 0, 0 },
	{ 43, "SUBP", "subp4", GK110, GK208B, 0x5c, 1, 13, 0, 0 },
	{ 43, "SUBP", "subp2", GK208B, GM107, 0x5c, 1, 13, 0, 0 },
	{ 44, "LTC.ALL", "ltc", GM107, ALL, 0x17e350, 1, 13, 0, 0 },
	/* G80:GF100; G80's mux of TEX is documented with other bits, see hw:muxes/tesla */
	{ 1, "VFETCH", "hub", G80, G84, 0x400c0c, 0, 0, NO_BIT, 0 },
	{ 1, "VFETCH", "hub", G84, GF100, 0x400c0c, 0, 1, NO_BIT, 0 },
	{ 2, "TPC.MPC_0", "g80", G80, G200, 0x330, 0, 7, 0, 0x334 },
	{ 2, "TPC.MPC_0", "g200", G200, GF100, 0x33c, 0, 7, 0, 0x340 },
	{ 3, "TPC.MPC_1", "g80", G80, G200, 0x330, 8, 15, 0, 0x334 },
	{ 3, "TPC.MPC_1", "g200", G200, GF100, 0x33c, 8, 15, 0, 0x340 },
	{ 4, "TPC.MPC_2", "g80", G80, G200, 0x330, 16, 23, 0, 0x334 },
	{ 4, "TPC.MPC_2", "g200", G200, GF100, 0x33c, 16, 23, 0, 0x340 },
	{ 5, "TPC.MPC_3", "g80", G80, G200, 0x330, 24, 31, 0, 0x334 },
	{ 5, "TPC.MPC_3", "g200", G200, GF100, 0x33c, 24, 31, 0, 0x340 },
	{ 6, "TPC.TEX", "g80", G80, G200, 0x808, 12, 15, 11, 0 },
	{ 6, "TPC.TEX", "g200", G200, GF100, 0x508, 12, 15, 11, 0 },
	{ 7, "TPC.TEX_UNK1C", "g80", G80, G200, 0x81c, NO_BIT, 0, 11, 0 },
	{ 7, "TPC.TEX_UNK1C", "g200", G200, GF100, 0x51c, NO_BIT, 0, 11, 0 },
	{ 8, "TPC.PROP", "g80", G80, G200, 0xe50, 0, 4, 31, 0 },
	{ 8, "TPC.PROP", "g200", G200, GF100, 0x750, 0, 4, 31, 0 },
	{ 9, "TPC.RAST", "g80", G80, G200, 0xc08, NO_BIT, 0, 0, 0 },
	{ 9, "TPC.RAST", "g200", G200, GF100, 0x088, NO_BIT, 0, 0, 0 },
	{ 10, "TPC.GEOM_0", "g80", G80, G200, 0x40c, 0, 5, 24, 0x410 },
	{ 10, "TPC.GEOM_0", "g200", G200, GF100, 0x40c, 0, 5, 24, 0x410 },
	{ 11, "TPC.GEOM_1", "g80", G80, G200, 0x40c, 8, 13, 24, 0x410 },
	{ 11, "TPC.GEOM_1", "g200", G200, GF100, 0x40c, 8, 13, 24, 0x410 },
	{ 12, "TPC.GEOM_2", "g80", G80, G200, 0x40c, 16, 21, 24, 0x410 },
	{ 12, "TPC.GEOM_2", "g200", G200, GF100, 0x40c, 16, 21, 24, 0x410 },
	{ 13, "TPC.GEOM_3", "g80", G80, G200, 0x40c, 24, 29, 24, 0x410 },
	{ 13, "TPC.GEOM_3", "g200", G200, GF100, 0x40c, 24, 29, 24, 0x410 },
	{ 14, "TPC.GEOM_4", "g80", G80, G200, 0x410, 0, 5, 24, 0 },
	{ 14, "TPC.GEOM_4", "g200", G200, GF100, 0x410, 0, 5, 24, 0 },
	{ 15, "TPC.GEOM_5", "g80", G80, G200, 0x410, 8, 13, 24, 0 },
	{ 15, "TPC.GEOM_5", "g200", G200, GF100, 0x410, 8, 13, 24, 0 },
	{ 16, "TPC.GEOM_6", "g80", G80, G200, 0x410, 16, 21, 24, 0 },
	{ 16, "TPC.GEOM_6", "g200", G200, GF100, 0x410, 16, 21, 24, 0 },
	{ 17, "CROP_A", "hub", G80, G84, 0x407008, 0, 2, 31, 0 },
	{ 17, "CROP_A", "hub", G84, GF100, 0x407008, 0, 3, 31, 0 },
	{ 18, "CROP_B", "hub", G80, G200, 0x407008, 16, 18, 31, 0 },
	{ 18, "CROP_B", "hub", G200, GF100, 0x407008, 16, 20, 31, 0 },
	{ 19, "ZROP_A", "hub", G80, GF100, 0x40708c, 0, 3, 31, 0 },
	{ 20, "ZROP_B", "hub", G80, GF100, 0x40708c, 16, 19, 31, 0 },
	{ 21, "ZBAR_0", "hub", G80, GF100, 0x407c04, 0, 7, NO_BIT, 0 },
	{ 22, "ZBAR_1", "hub", G80, GF100, 0x407c04, 8, 15, NO_BIT, 0 },
	{ 23, "ZBAR_2", "hub", G80, GF100, 0x407c04, 16, 23, NO_BIT, 0 },
	{ 24, "ZBAR_3", "hub", G80, GF100, 0x407c04, 24, 31, NO_BIT, 0 },
	{ 25, "CBAR_MUX0_0", "hub", G80, GF100, 0x407d10, 0, 7, NO_BIT, 0 },
	{ 26, "CBAR_MUX0_1", "hub", G80, GF100, 0x407d10, 8, 15, NO_BIT, 0 },
	{ 27, "CBAR_MUX0_2", "hub", G80, GF100, 0x407d10, 16, 23, NO_BIT, 0 },
	{ 28, "CBAR_MUX0_3", "hub", G80, GF100, 0x407d10, 24, 31, NO_BIT, 0 },
	{ 29, "CBAR_MUX1_0", "hub", G80, GF100, 0x407d14, 0, 7, NO_BIT, 0 },
	{ 30, "CBAR_MUX1_1", "hub", G80, GF100, 0x407d14, 8, 15, NO_BIT, 0 },
	{ 31, "CBAR_MUX1_2", "hub", G80, GF100, 0x407d14, 16, 23, NO_BIT, 0 },
	{ 32, "CBAR_MUX1_3", "hub", G80, GF100, 0x407d14, 24, 31, NO_BIT, 0 },
	{ 33, "ZCULL", "hub", G80, GF100, 0x402ca4, 0, 14, NO_BIT, 0 },
};

#define LAST_HERE	44
#define SLICE		45	/* LTC.LTS, see test_slices() */

static const struct unit *unit_of(const struct mux *mux)
{
	const struct unit *unit = units;

	while (strcmp(unit->name, mux->unit))
		unit++;
	return unit;
}

static void check_mux(const struct mux *mux, const struct pcounter_chip *chip)
{
	const struct unit *unit = unit_of(mux);
	struct pcounter_dom_id id = { .set = unit->set, .unit = 1 };
	u32 at = unit->base + unit->unit_stride, more = mux->enable_offset ?: mux->offset;
	struct pcounter_mux_type t;
	unsigned int tpc, dom, set;

	if (pcounter_mux_find(chip, mux->id, &t))
		fail_msg("%s has no %s", chip->name, mux->name);
	if (strcmp(t.name, mux->name) ||
	    t.field != (mux->low == NO_BIT ? 0 : GENMASK(mux->high, mux->low)) ||
	    t.enable != (mux->enable == NO_BIT ? 0 : BIT(mux->enable)))
		fail_msg("%s: %s %#x %#x", chip->name, mux->name, t.field, t.enable);
	assert_int_equal(t.tpcs > 1, unit->most > 1);
	/* registers tell the number of TPCs, see test_mux */
	if (unit->most < 8)
		assert_int_equal(pcounter_mux_present(&t, &id, NULL),
				 GENMASK(unit->most - 1, 0));
	for (tpc = 0; tpc < unit->most; tpc++) {
		assert_int_equal(pcounter_mux_addr(&t, &id, tpc),
				 at + tpc * unit->stride + mux->offset);
		assert_int_equal(pcounter_mux_addr(&t, &id, tpc) + t.enable_offset,
				 at + tpc * unit->stride + more);
	}
	for (set = 0; set < PCOUNTER_SET_KINDS; set++) {
		for (dom = 0; dom < PCOUNTER_SET_DOMAINS; dom++) {
			/* the domains of TPCs are tested with lost TPCs */
			if (!strcmp(mux->unit, "tpc") && chip->chipset >= GK104)
				continue;
			id.set = set;
			id.dom = dom;
			assert_int_equal(!pcounter_mux_misfit(&t, chip, &id, unit->most - 1),
					 set == unit->set && (unit->doms & BIT(dom)));
			assert_non_null(pcounter_mux_misfit(&t, chip, &id, unit->most));
		}
	}
}

/* Each chip has the muxes of the documents, in their places, and no others. */
TEST(test_muxes)
{
	unsigned int i, c, found, id;
	struct pcounter_mux_type t;

	for (c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_chip *chip = &pcounter_chips[c];

		if (chip->chipset < G80 || chip->bucket < PCOUNTER_BUCKET_NV40)
			continue;
		for (id = 1; id <= LAST_HERE; id++) {
			found = 0;
			for (i = 0; i < ARRAY_SIZE(muxes); i++) {
				if (muxes[i].id != id || chip->chipset < muxes[i].from ||
				    chip->chipset >= muxes[i].before)
					continue;
				check_mux(&muxes[i], chip);
				found++;
			}
			assert_int_equal(found, !pcounter_mux_find(chip, id, &t));
		}
		assert_int_not_equal(pcounter_mux_find(chip, 0, &t), 0);
	}
}

/* Slices of the second level cache on GM107: 0 and 1 feed domain 1, 2 and 3 domain 2. */
TEST(test_slices)
{
	struct pcounter_dom_id id = { .set = PCOUNTER_SET_PART, .unit = 1 };
	const struct pcounter_chip *chip = pcounter_chip_find(GM107);
	unsigned int slice, c;
	struct pcounter_mux_type t;

	assert_int_equal(pcounter_mux_find(chip, SLICE, &t), 0);
	assert_string_equal(t.name, "LTC.LTS");
	assert_int_equal(t.field, GENMASK(13, 1));
	assert_int_equal(t.enable, BIT(0));
	assert_int_equal(pcounter_mux_present(&t, &id, NULL), GENMASK(3, 0));
	for (slice = 0; slice < 4; slice++) {
		assert_int_equal(pcounter_mux_addr(&t, &id, slice), 0x142550 + slice * 0x200);
		assert_int_equal(pcounter_mux_addr(&t, &id, slice) + t.enable_offset,
				 0x142550 + slice * 0x200);
		for (id.dom = 0; id.dom < 3; id.dom++)
			assert_int_equal(!pcounter_mux_misfit(&t, chip, &id, slice),
					 id.dom == (slice < 2 ? 1 : 2));
	}
	assert_non_null(pcounter_mux_misfit(&t, chip, &id, 4));
	id.dom = 1;
	id.set = PCOUNTER_SET_GPC;
	assert_non_null(pcounter_mux_misfit(&t, chip, &id, 0));
	for (c = 0; c < pcounter_nr_chips; c++)
		if (pcounter_chips[c].chipset != GM107)
			assert_int_not_equal(pcounter_mux_find(&pcounter_chips[c], SLICE, &t), 0);
}

/* NVIDIA's driver sets the enable bit of HUB.DISPATCH from GM107 on (hw:ambiguities/43). */
TEST(test_gate)
{
	struct pcounter_dom_id id = {};
	struct pcounter_mux_type t;
	unsigned int c;
	bool has;

	for (c = 0; c < pcounter_nr_chips; c++) {
		has = !pcounter_mux_find(&pcounter_chips[c], PCOUNTER_MUX_GATE, &t);
		assert_int_equal(has, pcounter_chips[c].chipset >= GM107 &&
				 pcounter_chips[c].bucket == PCOUNTER_BUCKET_GM107);
		if (!has)
			continue;
		assert_string_equal(t.name, "HUB.DISPATCH");
		assert_int_equal(pcounter_mux_addr(&t, &id, 0) + t.enable_offset, 0x40415c);
		assert_int_equal(t.enable, BIT(31));
		assert_int_equal(t.field, 0);
		for (id.set = 0; id.set < PCOUNTER_SET_KINDS; id.set++)
			assert_null(pcounter_mux_misfit(&t, &pcounter_chips[c], &id, 0));
		/* one for all GPCs and partitions */
		id.set = 0;
		id.unit = 1;
		assert_int_equal(pcounter_mux_addr(&t, &id, 0) + t.enable_offset, 0x40415c);
		id.unit = 0;
	}
}

/* ---- chips ---- */

/* Call a function for each chip of a list of names. */
static void each_chip(const char *names, void (*check)(const struct pcounter_chip *chip,
						       const void *with), const void *with)
{
	char text[256], *rest = text, *name;

	snprintf(text, sizeof(text), "%s", names);
	while ((name = strsep(&rest, " ")))
		check(chip_named(name), with);
}

/* hw:chips/buckets; from GF100 on the ids of rnndb */
TEST(test_ids)
{
	static const struct {
		const char *name;
		u32 id;
	} want[] = {
		{ "NV10", 0x10 }, { "NV15", 0x15 }, { "NV1A", 0x1a }, { "NV11", 0x11 },
		{ "NV17", 0x17 }, { "NV1F", 0x1f }, { "NV18", 0x18 }, { "NV20", 0x20 },
		{ "NV2A", 0x2a }, { "NV25", 0x25 }, { "NV28", 0x28 }, { "NV30", 0x30 },
		{ "NV35", 0x35 }, { "NV31", 0x31 }, { "NV36", 0x36 }, { "NV34", 0x34 },
		{ "NV40", 0x40 }, { "NV45", 0x45 }, { "NV41", 0x41 }, { "NV42", 0x42 },
		{ "NV43", 0x43 }, { "NV44", 0x44 }, { "NV44A", 0x4a }, { "G70", 0x47 },
		{ "G72", 0x46 }, { "G71", 0x49 }, { "G73", 0x4b }, { "C51", 0x4e },
		{ "MCP61", 0x4c }, { "MCP67", 0x67 }, { "MCP68", 0x68 }, { "MCP73", 0x63 },
		{ "RSX", 0x4d }, { "G80", 0x50 }, { "G84", 0x84 }, { "G86", 0x86 },
		{ "G92", 0x92 }, { "G94", 0x94 }, { "G96", 0x96 }, { "G98", 0x98 },
		{ "G200", 0xa0 }, { "MCP77", 0xaa }, { "MCP79", 0xac }, { "GT215", 0xa3 },
		{ "GT216", 0xa5 }, { "GT218", 0xa8 }, { "MCP89", 0xaf }, { "GF100", 0xc0 },
		{ "GF104", 0xc4 }, { "GF106", 0xc3 }, { "GF114", 0xce }, { "GF116", 0xcf },
		{ "GF108", 0xc1 }, { "GF110", 0xc8 }, { "GF119", 0xd9 }, { "GF117", 0xd7 },
		{ "GK104", 0xe4 }, { "GK107", 0xe7 }, { "GK106", 0xe6 }, { "GK110", 0xf0 },
		{ "GK110B", 0xf1 }, { "GK208", 0x108 }, { "GK208B", 0x106 }, { "GK20A", 0xea },
		{ "GM107", 0x117 }, { "GM200", 0x120 }, { "GM204", 0x124 }, { "GM206", 0x126 },
		{ "GM20B", 0x12b }, { "GP100", 0x130 }, { "GP102", 0x132 }, { "GP104", 0x134 },
		{ "GP106", 0x136 }, { "GP107", 0x137 }, { "GP108", 0x138 }, { "GP10B", 0x13b },
	};
	unsigned int i;

	assert_int_equal(ARRAY_SIZE(want), pcounter_nr_chips);
	for (i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(chip_named(want[i].name)->chipset, want[i].id);
}

static void check_bucket(const struct pcounter_chip *chip, const void *bucket)
{
	if (chip->bucket != *(const enum pcounter_bucket *)bucket)
		fail_msg("%s is of bucket %d", chip->name, chip->bucket);
}

/* hw:chips/buckets */
TEST(test_buckets)
{
	static const struct {
		enum pcounter_bucket bucket;
		const char *chips;
	} want[] = {
		{ PCOUNTER_BUCKET_NV10, "NV10" },
		{ PCOUNTER_BUCKET_NV15, "NV15 NV1F NV11 NV17 NV18 NV1A" },
		{ PCOUNTER_BUCKET_NV20, "NV20 NV25 NV28 NV2A" },
		{ PCOUNTER_BUCKET_NV30, "NV30 NV31 NV34 NV35 NV36" },
		{ PCOUNTER_BUCKET_NV40, "NV40 NV41 NV42 NV43 NV44 NV44A NV45 G70 G71 G72 G73" },
		{ PCOUNTER_BUCKET_NV40, "C51 MCP61 MCP67 MCP68 MCP73 RSX G80" },
		{ PCOUNTER_BUCKET_G84, "G84 G86" },
		{ PCOUNTER_BUCKET_G92, "G92 G94 G96 G98 G200 MCP77 MCP79" },
		{ PCOUNTER_BUCKET_GT215, "GT215 GT216 GT218 MCP89" },
		{ PCOUNTER_BUCKET_GF100, "GF100 GF104 GF106 GF108 GF110 GF114 GF116 GF117 GF119" },
		{ PCOUNTER_BUCKET_GF100, "GK104 GK106 GK107 GK110 GK110B GK208 GK208B GK20A" },
		{ PCOUNTER_BUCKET_GM107, "GM107 GM200 GM204 GM206 GM20B GP100 GP102 GP104 GP106" },
		{ PCOUNTER_BUCKET_GM107, "GP107 GP108 GP10B" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		each_chip(want[i].chips, check_bucket, &want[i].bucket);
}

static void check_presence(const struct pcounter_chip *chip, const void *presence)
{
	assert_int_equal(chip->presence, *(const enum pcounter_presence *)presence);
}

/* hw:chips/absent; from Maxwell on nobody has confirmed the engine */
TEST(test_presence)
{
	static const struct {
		enum pcounter_presence presence;
		const char *chips;
	} want[] = {
		{ PCOUNTER_ABSENT, "NV11 NV1A NV17 NV18 C51" },
		{ PCOUNTER_UNVERIFIED, "NV2A NV25 NV30 NV36 MCP61 MCP67 MCP68 RSX" },
		{ PCOUNTER_PRESENT, "NV10 NV15 NV1F NV20 NV28 NV31 NV34 NV35" },
		{ PCOUNTER_PRESENT, "NV40 NV41 NV42 NV43 NV44 NV44A NV45 G70 G71 G72 G73 MCP73" },
		{ PCOUNTER_PRESENT, "G80 G84 G86 G92 G94 G96 G98 G200 MCP77 MCP79" },
		{ PCOUNTER_PRESENT, "GT215 GT216 GT218 MCP89" },
		{ PCOUNTER_PRESENT, "GF100 GF104 GF106 GF108 GF110 GF114 GF116 GF117 GF119" },
		{ PCOUNTER_PRESENT, "GK104 GK106 GK107 GK110 GK110B GK208 GK208B GK20A" },
		{ PCOUNTER_UNVERIFIED, "GM107 GM200 GM204 GM206 GM20B" },
		{ PCOUNTER_UNVERIFIED, "GP100 GP102 GP104 GP106 GP107 GP108 GP10B" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		each_chip(want[i].chips, check_presence, &want[i].presence);
}

struct bases {
	const char *chips;
	unsigned int set;
	const char *bases;
};

static void check_bases(const struct pcounter_chip *chip, const void *with)
{
	const struct bases *want = with;
	const struct pcounter_chip_set *set = &chip->set[want->set];
	char text[64] = "";
	unsigned int i;

	for (i = 0; i < set->domains; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 set->trailer[i] == PCOUNTER_TRAILER_UNKNOWN ? "%s?" : "%s%02x",
			 i ? " " : "", set->trailer[i]);
		strcat(text, set->disputed & BIT(i) ? "!" : "");
	}
	if (strcmp(text, want->bases))
		fail_msg("%s: %s", chip->name, text);
}

/* hw:signals/bases, hw:real-cards/r1: number of domains, base of each trailer, "!" if in doubt */
TEST(test_trailers)
{
	static const struct bases want[] = {
		{ "NV10 NV15 NV1F", 0, "80" }, { "NV20 NV28", 0, "a0 20" },
		{ "NV31 NV34 NV35", 0, "e0 20" }, { "NV2A NV25 NV30 NV36", 0, "? ?" },
		{ "NV40 NV41 NV42 NV43 NV45 G70 G71 G73", 0, "? ? ? ? ?" },
		{ "NV44 NV44A G72 MCP61 MCP67 MCP68 MCP73", 0, "? ? ? ?" },
		{ "G80", 0, "20 e0 e0 20 20" },
		{ "G84 G92 G94 G96", 0, "40 e0 80 20 40 40 a0 e0" },
		{ "G86", 0, "40 e0 80 20 40 40 a0 c0" },
		{ "G98", 0, "40 e0 80! 20 40 60! a0 a0" },
		{ "G200", 0, "60 e0 e0 20 60 60 a0 80" },
		{ "MCP77 MCP79", 0, "80 e0 e0 20 00 a0 a0" },
		{ "GT215 GT216", 0, "e0 e0 c0 20 60 60 c0 e0" },
		{ "GT218", 0, "e0 e0 c0 20 60 60 c0 c0" },
		{ "MCP89", 0, "80 e0 c0 20 e0 60 e0 e0" },
		{ "GF104 GF110 GF114 GF116", 0, "? ? ? ? ? ? ? ?" },
		{ "GK104 GK106 GK107", 0, "20 00 20 20 00 20 80 20" },
		{ "GK20A", 0, "20 00 20 20" },
		{ "GF100 GF104 GF110 GF114 GF116", PCOUNTER_SET_GPC, "c0" },
		{ "GF108", PCOUNTER_SET_GPC, "a0" },
		{ "GK106 GK107", PCOUNTER_SET_GPC, "a0 40 40" },
		{ "GK104", PCOUNTER_SET_GPC, "a0 40! 40" },
		{ "GK110", PCOUNTER_SET_GPC, "? 60! 60! 60" },
		{ "GM206", PCOUNTER_SET_GPC, "? a0! a0! a0! a0" },
		{ "GF100 GF104 GF110 GF114 GF116", PCOUNTER_SET_PART, "40 ?" },
		{ "GF108", PCOUNTER_SET_PART, "20 ?" },
		{ "GK104 GK106 GK107", PCOUNTER_SET_PART, "20 20" },
		{ "GK110", PCOUNTER_SET_PART, "20 ?" },
		{ "GM206", PCOUNTER_SET_PART, "20 40" },
		{ "GF119", PCOUNTER_SET_GPC, "c0" }, { "GF119", PCOUNTER_SET_PART, "20 ?" },
		{ "GK208", PCOUNTER_SET_GPC, "? 60! 60" },
		{ "GK208", PCOUNTER_SET_PART, "20 ?" },
		{ "GM107", PCOUNTER_SET_GPC, "? a0! a0! a0! a0! a0" },
		{ "GM107", PCOUNTER_SET_PART, "00 40 40" },
		{ "GF100", 0, "? ? ? ? ? ? 40! ?" }, { "GF108 GF119", 0, "? ? ? ? 40! ? ? ?" },
		{ "GF106 GF117", 0, "? ? ? ? ? ? ? ?" },
		{ "GF106 GF117", PCOUNTER_SET_GPC, "a0!" },
		{ "GF106 GF117", PCOUNTER_SET_PART, "a0! ?" },
		{ "GK110 GK110B GK208 GK208B GM107 GM200 GM204 GM206", 0, "? ? ? ? ? ? ? ?" },
		{ "GK110B", PCOUNTER_SET_GPC, "? 60! 60! 60!" },
		{ "GK208B", PCOUNTER_SET_GPC, "? 60! 60!" },
		{ "GK110B GK208B", PCOUNTER_SET_PART, "20! ?" },
		{ "GK20A", PCOUNTER_SET_GPC, "a0 ?" }, { "GK20A", PCOUNTER_SET_PART, "20" },
		{ "GM200 GM204", PCOUNTER_SET_GPC, "? ? ? ? ?" },
		{ "GM200 GM204", PCOUNTER_SET_PART, "? ?" },
		{ "GM20B GP10B", 0, "? ? ? ?" }, { "GM20B GP10B", PCOUNTER_SET_GPC, "? ? ?" },
		{ "GM20B GP10B", PCOUNTER_SET_PART, "?" },
		{ "GP100 GP102 GP104 GP106 GP107 GP108", 0, "? ? ? ? ? ? ? ?" },
		{ "GP100 GP102 GP104 GP106", PCOUNTER_SET_GPC, "? ? ? ? ? ?" },
		{ "GP107 GP108", PCOUNTER_SET_GPC, "? ? ? ?" },
		{ "GP100 GP102 GP104 GP106 GP107 GP108", PCOUNTER_SET_PART, "? ?" },
		{ "NV11 NV1A NV17 NV18 C51 RSX", 0, "" },
	};
	unsigned int i, c;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		each_chip(want[i].chips, check_bases, &want[i]);
	/* hw:chips/domains: GPCs and partitions from GF100 on */
	for (c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_chip *chip = &pcounter_chips[c];
		bool units = chip->bucket >= PCOUNTER_BUCKET_GF100;

		assert_int_equal(!!chip->set[PCOUNTER_SET_GPC].domains, units);
		assert_int_equal(!!chip->set[PCOUNTER_SET_PART].domains, units);
		for (i = 0; i < PCOUNTER_SET_KINDS; i++)
			assert_int_equal(chip->set[i].disputed >> chip->set[i].domains, 0);
	}
}

/* USER_0 of each domain: tesla.rst of envytools; later chips have it in the trailer */
TEST(test_users)
{
	static const struct {
		const char *name;
		u8 user[PCOUNTER_SET_DOMAINS];
	} want[] = {
		{ "GT215", { 0x2a, 0x69, 0x9e, 0x13, 0x3b, 0x10, 0x10, 0x4f } },
		{ "GT216", { 0x2a, 0x69, 0x9e, 0x13, 0x3b, 0x10, 0x10, 0x3e } },
		{ "GT218", { 0x2a, 0x69, 0x9e, 0x13, 0x37, 0x10, 0x10, 0x3e } },
		{ "MCP89", { 0x3a, 0x69, 0x9e, 0x13, 0x6a, 0x10, 0x10, 0x1e } },
	};
	static const u8 none[PCOUNTER_SET_DOMAINS];
	unsigned int i, c;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		assert_memory_equal(chip_named(want[i].name)->user, want[i].user, sizeof(none));
	for (c = 0; c < pcounter_nr_chips; c++)
		if (pcounter_chips[c].bucket != PCOUNTER_BUCKET_GT215)
			assert_memory_equal(pcounter_chips[c].user, none, sizeof(none));
}

/* Each chip has the idle signals of the documents, each at its bit. */
TEST(test_idle_signals)
{
	static const struct {
		const char *name;
		u32 mask;
		u32 from, before;
		u32 several;	/* first chip without several sources */
	} signals[] = {
		{ "gr", BIT(0), GT215, ALL, ALL }, { "gr_hub", BIT(1), GF100, ALL, 0 },
		{ "gr_gpc", BIT(2), GF100, ALL, 0 }, { "gr_rop", BIT(3), GF100, ALL, 0 },
		{ "pvld", BIT(4), GT215, ALL, GM107 }, { "ppdec", BIT(5), GT215, ALL, GM107 },
		{ "pppp", BIT(6), GT215, ALL, GM107 }, { "mc", BIT(7), GF100, ALL, GM107 },
		{ "mc", BIT(8), GT215, GF100, GF100 }, { "pvenc", BIT(17), GK104, ALL, 0 },
		{ "pcopy0", BIT(19), GT215, ALL, GM107 }, { "pcopy1", BIT(20), GF100, ALL, GM107 },
		{ "pcopy2", BIT(21), GK104, ALL, ALL }, { "pvenc1", BIT(22), GP100, ALL, 0 },
		{ "pcie", BIT(29), GF100, ALL, 0 },
		/* one counter for GR and the copy engines */
		{ "gr_copy", 0x080001, GT215, GF100, GF100 },
		{ "gr_copy", 0x180001, GF100, GK104, GK104 },
		{ "gr_copy", 0x380001, GK104, ALL, GM107 },
	};
	unsigned int c, i, k, found;

	assert_int_equal(ARRAY_SIZE(signals), PCOUNTER_IDLE_ENGINES);
	for (c = 0; c < pcounter_nr_chips; c++) {
		u32 chipset = pcounter_chips[c].chipset;

		if (!pcounter_pdaemon_slots(&pcounter_chips[c]))
			continue;
		for (i = 0; i < ARRAY_SIZE(signals); i++) {
			for (found = 0, k = 0; k < PCOUNTER_IDLE_ENGINES; k++) {
				const struct pcounter_idle_engine *e = &pcounter_idle_engines[k];

				if (strcmp(e->name, signals[i].name) ||
				    e->mask != signals[i].mask ||
				    !pcounter_pdaemon_has(&pcounter_chips[c], e))
					continue;
				assert_int_equal(chipset <= e->several,
						 chipset < signals[i].several);
				found++;
			}
			if (found != (chipset >= signals[i].from && chipset < signals[i].before))
				fail_msg("%s: %s", pcounter_chips[c].name, signals[i].name);
		}
	}
}

/* hw:signals/trailers, hw:real-cards/r2: a trailer's size and signals; 0 where none is needed */
TEST(test_trailer_signals)
{
	static const struct {
		u32 caps;
		unsigned int size, own, zero, trigger, periodic;
	} want[] = {
		{ 0, 0x20, 0x1d, 0, 0, 0 },
		{ PCOUNTER_CAP_IMPORT, 0x20, 0x0f, 0, 0, 0 },
		{ PCOUNTER_CAP_IMPORT | PCOUNTER_CAP_SWAP_SRC, 0x20, 0x10, 0x0c, 0x0f, 0x0d },
		{ PCOUNTER_CAP_SETS, 0x40, 0x27, 0x27, 0x2d, 0x2e },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		const struct pcounter_trailer *trailer = pcounter_trailer_of(want[i].caps);

		assert_int_equal(trailer->size, want[i].size);
		assert_int_equal(trailer->own, want[i].own);
		assert_int_equal(trailer->zero, want[i].zero);
		assert_int_equal(trailer->trigger, want[i].trigger);
		assert_int_equal(trailer->periodic, want[i].periodic);
	}
}

/* ---- counter modes ---- */

/*
 * hw:modes/sums: highest number, input with the sum, its sources, counters that change;
 * whether the terms bit0 to bit3 have a meaning.
 */
TEST(test_sums)
{
	static const struct {
		enum pcounter_ctr ctr;
		u32 caps;
		unsigned int increment, role;
		unsigned int pre, start, event;	/* sources */
		unsigned int quad, single;	/* counters: 1 PRE, 2 START, 4 EVENT */
		unsigned int needs, number;
	} want[] = {
		{ PCOUNTER_CTR_SIMPLE, 0,
		  1, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ PCOUNTER_CTR_EVENT_B4, PCOUNTER_CAP_SUM_B4,
		  0xf, PCOUNTER_ROLE_EVENT, 0, 0xf, 0, 4, 4, 2, 1 },
		{ PCOUNTER_CTR_EVENT_B6, PCOUNTER_CAP_SUM_EXTRA,
		  0x3f, PCOUNTER_ROLE_EVENT, 0, 0xf, 0xc, 4, 4, 6, 1 },
		{ PCOUNTER_CTR_EXTRA_B4, PCOUNTER_CAP_SUM_EXTRA,
		  0xf, PCOUNTER_ROLE_START, 0, 0xf, 0, 2, 1, 2, 0 },
		{ PCOUNTER_CTR_EXTRA_B6_EVENT_B2, PCOUNTER_CAP_SUM_EXTRA,
		  0x3f, PCOUNTER_ROLE_EVENT, 0, 0xf, 0xf, 6, 5, 6, 0 },
		/* in quad mode only, as all of GM107; START's counter reads 0 */
		{ PCOUNTER_CTR_PRE_B5, PCOUNTER_CAP_SUM_OWN,
		  0x1f, PCOUNTER_ROLE_PRE, 0xf, 1, 0, 3, 0, 3, 1 },
		{ PCOUNTER_CTR_EVENT_OWN_B4, PCOUNTER_CAP_SUM_OWN,
		  0xf, PCOUNTER_ROLE_EVENT, 0, 0, 0xf, 6, 0, 6, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		const struct pcounter_ctr_mode *mode = &pcounter_ctr_modes[want[i].ctr];

		assert_int_equal(mode->caps, want[i].caps);
		assert_int_equal(mode->increment, want[i].increment);
		assert_int_equal(mode->role, want[i].role);
		assert_int_equal(mode->sources[PCOUNTER_PRE], want[i].pre);
		assert_int_equal(mode->sources[PCOUNTER_START], want[i].start);
		assert_int_equal(mode->sources[PCOUNTER_EVENT], want[i].event);
		assert_int_equal(mode->sources[PCOUNTER_STOP], 0);
		assert_int_equal(mode->quad, want[i].quad);
		assert_int_equal(mode->single, want[i].single);
		assert_int_equal(mode->needs, want[i].needs);
		assert_int_equal(mode->number, want[i].number);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
