// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source muxes as data (hw:muxes/gf100, hw:muxes/gf100-memory, hw:muxes/tesla).
 */
#include <linux/bits.h>

#include "hw/io.h"
#include "hw/mux_table.h"
#include "hw/regs.h"
#include "rules/chip.h"
#include "rules/topo.h"

/* First chips of a range, by chipset id; the ids rise with time in both tables. */
#define G80	0x050
#define G84	0x084
#define G200	0x0a0
#define FERMI	0x0c0
#define GF108	0x0c1
#define GF106	0x0c3
#define GF117	0x0d7	/* GF119, too */
#define KEPLER	0x0e4
#define GK20A	0x0ea
#define GK110	0x0f0
#define GK208	0x106
#define GM107	0x110
#define GM200	0x120
#define END	0x200

/* Units that contain muxes; after a TPC of G80 the same of G200. */
enum mux_place {
	GPC, TPC, ROP, HUB, FB, PBFB, PMFB, SUBP1, SUBP2, SUBP4, LTC, LTS,
	GATE, G80_TPC, G200_TPC, G80_TPC_ALONE, G200_TPC_ALONE, PLACES
};

/* Domains of a set, struct place.doms. */
#define ANY	0xff
#define FIRST	BIT(0)
#define SECOND	BIT(1)
#define THIRD	BIT(2)

/**
 * struct place - the location of muxes
 * @base: address of the first mux
 * @unit_stride: distance from one GPC or partition to the next
 * @stride: distance from one TPC to the next; here and below "TPC" includes the
 *	other units that the term "tpc" counts
 * @most: highest number of TPCs
 * @set: kind of the domains that show the muxes; PCOUNTER_SET_KINDS: any
 * @doms: numbers of these domains
 * @apart_since: first chip on which each TPC has its own wires; on older chips the first
 *	enabled TPC drives the wires of all TPCs
 */
struct place {
	u32 base;
	u32 unit_stride;
	u32 stride;
	u8 most;
	u8 set;
	u8 doms;
	u16 apart_since;
};

static const struct place places[PLACES] = {
	[GPC] = { 0x500000, 0x8000, 0, 1, PCOUNTER_SET_GPC, ANY, 0 },
	[TPC] = { 0x504000, 0x8000, 0x800, 8, PCOUNTER_SET_GPC, ANY, KEPLER },
	[ROP] = { 0x410000, 0x400, 0, 1, PCOUNTER_SET_PART, ANY, 0 },
	[HUB] = { 0, 0, 0, 1, PCOUNTER_SET_HUB, ANY, 0 },
	[FB] = { 0, 0, 0, 1, PCOUNTER_SET_PART, FIRST, 0 },
	[PBFB] = { 0x110000, 0, 0x1000, 2, PCOUNTER_SET_PART, FIRST, 0 },
	[PMFB] = { 0x140000, 0x2000, 0, 1, PCOUNTER_SET_PART, FIRST, 0 },
	[SUBP1] = { 0x141200, 0x2000, 0x400, 1, PCOUNTER_SET_PART, FIRST, END },
	[SUBP2] = { 0x141200, 0x2000, 0x400, 2, PCOUNTER_SET_PART, FIRST, END },
	[SUBP4] = { 0x141200, 0x2000, 0x400, 4, PCOUNTER_SET_PART, FIRST, END },
	[LTC] = { 0, 0, 0, 1, PCOUNTER_SET_PART, SECOND, 0 },
	[LTS] = { 0x140400, 0x2000, 0x200, 4, PCOUNTER_SET_PART, SECOND | THIRD, 0 },
	[GATE] = { 0, 0, 0, 1, PCOUNTER_SET_KINDS, ANY, 0 },
	[G80_TPC] = { 0x408000, 0, 0x1000, 8, PCOUNTER_SET_HUB, ANY, END },
	[G200_TPC] = { 0x408000, 0, 0x800, 16, PCOUNTER_SET_HUB, ANY, END },
	/* for these muxes NVIDIA's driver does not clear other TPCs */
	[G80_TPC_ALONE] = { 0x408000, 0, 0x1000, 8, PCOUNTER_SET_HUB, ANY, 0 },
	[G200_TPC_ALONE] = { 0x408000, 0, 0x800, 16, PCOUNTER_SET_HUB, ANY, 0 },
};

#define ON	BIT(31)

/*
 * GF100-. The numbers are ABI: append only. The falcons' muxes are missing,
 * since it is unknown which domains show them.
 */
static const struct pcounter_mux_type gf100_types[] = {
	{ 1, "GPC.UNK380", GPC, FERMI, 0x384, .field = GENMASK(3, 0), ON },
	{ 2, "GPC.PROP", GPC, FERMI, 0x4a0, .field = GENMASK(7, 0), ON },
	{ 3, "GPC.UNK600", GPC, FERMI, 0x604, .field = GENMASK(3, 0), ON },
	{ 4, "GPC.UNK680", GPC, FERMI, 0x680, .field = GENMASK(3, 0), ON },
	{ 5, "GPC.UNK700", GPC, FERMI, 0x714, .field = GENMASK(3, 0), ON },
	{ 6, "GPC.ESETUP", GPC, FERMI, 0x81c, .field = GENMASK(4, 0), ON },
	{ 7, "GPC.FFB_B", GPC, FERMI, 0x8c8, .field = GENMASK(3, 0), ON },
	{ 8, "GPC.TPBUS", GPC, FERMI, 0xb04, .field = GENMASK(3, 0), ON },
	{ 9, "GPC.TPCONF", GPC, FERMI, 0xc04, .field = GENMASK(6, 0), ON, .on_since = KEPLER },
	{ 10, "GPC.UNKC80", GPC, FERMI, 0xc88, .field = GENMASK(5, 0), ON, .on_since = KEPLER },
	{ 11, "GPC.UNKD00", GPC, FERMI, 0xd00, .field = GENMASK(4, 0), ON, .on_since = KEPLER },
	{ 12, "GPC.UNKE00", GPC, FERMI, 0xe08, .field = GENMASK(4, 0), ON, .on_since = KEPLER },
	{ 13, "GPC.UNKF00", GPC, FERMI, 0xf08, .field = GENMASK(4, 0), ON, .on_since = KEPLER },
	{ 14, "GPC.CCACHE_A", GPC, FERMI, 0x100c, .field = GENMASK(2, 0) },
	{ 15, "GPC.CCACHE_B", GPC, FERMI, 0x1018, .field = GENMASK(2, 0) },
	{ 16, "TPC.POLY", TPC, FERMI, 0x054, .field = GENMASK(7, 0) },
	{ 17, "TPC.TEX_A", TPC, FERMI, 0x2b0, .field = GENMASK(5, 0), ON },
	{ 18, "TPC.TEX_B", TPC, FERMI, 0x2bc, .field = GENMASK(2, 0), ON, .until = KEPLER },
	{ 18, "TPC.TEX_B", TPC, KEPLER, 0x2bc, .field = GENMASK(3, 0), ON },
	{ 19, "TPC.TEX_C", TPC, FERMI, 0x2c0, .field = GENMASK(3, 0), ON },
	{ 20, "TPC.TEX_D", TPC, FERMI, 0x2c0, .field = GENMASK(10, 8), ON, .until = GK110 },
	{ 20, "TPC.TEX_D", TPC, GK110, 0x2c0, .field = GENMASK(11, 8), ON },
	{ 21, "TPC.UNK400", TPC, FERMI, 0x40c, .field = GENMASK(5, 0), ON },
	{ 22, "TPC.L1", TPC, FERMI, 0x4a8, .field = GENMASK(5, 0), ON },
	{ 23, "TPC.MASTER", TPC, FERMI, 0x52c, .field = GENMASK(3, 0), ON },
	/* PerfKit also sets bits 7 and 31 (hw:real-cards/events) */
	{ 24, "TPC.MP", TPC, FERMI, 0x600, .field = GENMASK(7, 0), ON, .until = KEPLER },
	{ 25, "ROP.ZROP_A", ROP, FERMI, 0x00c, .field = GENMASK(5, 0), ON },
	{ 26, "ROP.ZROP_B", ROP, FERMI, 0x00c, .field = GENMASK(19, 16), ON },
	{ 27, "ROP.CROP_A", ROP, FERMI, 0x110, .field = GENMASK(5, 0), ON },
	{ 28, "ROP.CROP_B", ROP, FERMI, 0x184, .field = GENMASK(5, 0), ON },
	{ 29, "HUB.DISPATCH", HUB, FERMI, 0x40415c, .field = GENMASK(4, 0), ON, .on_since = GK110 },
	{ 30, "HUB.UNK5800", HUB, FERMI, 0x405850, .field = GENMASK(4, 0), ON, .on_since = GK110 },
	{ 31, "HUB.UNK5900", HUB, FERMI, 0x405908, .field = GENMASK(4, 0), ON, .on_since = KEPLER },
	{ 32, "HUB.UNK6000", HUB, FERMI, 0x406024, .field = GENMASK(6, 0), ON },
	{ 33, "HUB.TPBUS", HUB, FERMI, 0x407808, .field = GENMASK(3, 0), ON },
	{ 34, "HUB.CCACHE", HUB, FERMI, 0x40803c, .field = GENMASK(4, 0), ON, .on_since = GK110 },
	{ 35, "TPC.TEX_E", TPC, GF117, 0x2b8, .field = GENMASK(7, 0), ON },
	{ 36, "TPC.TEX_F", TPC, FERMI, 0x2c8, .field = GENMASK(4, 0), ON },
	{ 37, "PBFB.ALL", FB, FERMI, 0x10f100, .field = GENMASK(9, 4), BIT(0), .until = GK110 },
	{ 37, "PBFB.ALL", FB, GK110, 0x10f100, .field = GENMASK(10, 4), BIT(0) },
	{ 38, "PBFB", PBFB, GF108, 0x100, .field = GENMASK(9, 4), BIT(0), .until = GF106 },
	{ 38, "PBFB", PBFB, GF117, 0x100, .field = GENMASK(9, 4), BIT(0), .until = KEPLER },
	{ 39, "PMFB", PMFB, FERMI, 0x028, .field = GENMASK(13, 1), BIT(0), .until = GM107 },
	{ 40, "PMFB.UNK16", PMFB, FERMI, 0x028, .field = GENMASK(18, 16), BIT(0), .until = GM107 },
	{ 41, "PMFB.UNK24", PMFB, FERMI, 0x028, .field = GENMASK(25, 24), BIT(0), .until = GM107 },
	{ 42, "PMFB.SLICE", PMFB, FERMI, 0x028, .field = BIT(29), BIT(0), .until = GM107 },
	/* with the highest number of subpartitions that was seen */
	{ 43, "SUBP", SUBP1, GF117, 0x05c, .field = GENMASK(13, 1), BIT(0), .until = KEPLER },
	{ 43, "SUBP", SUBP4, KEPLER, 0x05c, .field = GENMASK(13, 1), BIT(0), .until = GK20A },
	{ 43, "SUBP", SUBP1, GK20A, 0x05c, .field = GENMASK(13, 1), BIT(0), .until = GK110 },
	{ 43, "SUBP", SUBP4, GK110, 0x05c, .field = GENMASK(13, 1), BIT(0), .until = GK208 },
	{ 43, "SUBP", SUBP2, GK208, 0x05c, .field = GENMASK(13, 1), BIT(0), .until = GM107 },
	{ 44, "LTC.ALL", LTC, GM107, 0x17e350, .field = GENMASK(13, 1), BIT(0) },
	{ 45, "LTC.LTS", LTS, GM107, 0x150, .field = GENMASK(13, 1), BIT(0), .until = GM200 },
	{ PCOUNTER_MUX_GATE, "HUB.DISPATCH", GATE, GM107, 0x40415c, .field = 0, ON },
	{}
};

/*
 * G80:GF100, numbered separately. These muxes are in PGRAPH, and most of them
 * belong to the graphics context (hw:muxes/context).
 */
static const struct pcounter_mux_type g80_types[] = {
	{ 1, "VFETCH", HUB, G80, 0x400c0c, .field = BIT(0), .until = G84 },
	{ 1, "VFETCH", HUB, G84, 0x400c0c, .field = GENMASK(1, 0) },
	{ 2, "TPC.MPC_0", G80_TPC, G80, 0x330, .field = GENMASK(7, 0), BIT(0), 4, 0x33c },
	{ 3, "TPC.MPC_1", G80_TPC, G80, 0x330, .field = GENMASK(15, 8), BIT(0), 4, 0x33c },
	{ 4, "TPC.MPC_2", G80_TPC, G80, 0x330, .field = GENMASK(23, 16), BIT(0), 4, 0x33c },
	{ 5, "TPC.MPC_3", G80_TPC, G80, 0x330, .field = GENMASK(31, 24), BIT(0), 4, 0x33c },
	{ 6, "TPC.TEX", G80_TPC, G80, 0x808, .field = GENMASK(15, 12), BIT(11), 0, 0x508 },
	{ 7, "TPC.TEX_UNK1C", G80_TPC_ALONE, G80, 0x81c, .field = 0, BIT(11), 0, 0x51c },
	{ 8, "TPC.PROP", G80_TPC, G80, 0xe50, .field = GENMASK(4, 0), ON, 0, 0x750 },
	{ 9, "TPC.RAST", G80_TPC, G80, 0xc08, .field = 0, BIT(0), 0, 0x088 },
	{ 10, "TPC.GEOM_0", G80_TPC, G80, 0x40c, .field = GENMASK(5, 0), BIT(24), 4, 0x40c },
	{ 11, "TPC.GEOM_1", G80_TPC, G80, 0x40c, .field = GENMASK(13, 8), BIT(24), 4, 0x40c },
	{ 12, "TPC.GEOM_2", G80_TPC, G80, 0x40c, .field = GENMASK(21, 16), BIT(24), 4, 0x40c },
	{ 13, "TPC.GEOM_3", G80_TPC, G80, 0x40c, .field = GENMASK(29, 24), BIT(24), 4, 0x40c },
	{ 14, "TPC.GEOM_4", G80_TPC, G80, 0x410, .field = GENMASK(5, 0), BIT(24), 0, 0x410 },
	{ 15, "TPC.GEOM_5", G80_TPC, G80, 0x410, .field = GENMASK(13, 8), BIT(24), 0, 0x410 },
	{ 16, "TPC.GEOM_6", G80_TPC, G80, 0x410, .field = GENMASK(21, 16), BIT(24), 0, 0x410 },
	{ 17, "CROP_A", HUB, G80, 0x407008, .field = GENMASK(2, 0), ON, .until = G84 },
	{ 17, "CROP_A", HUB, G84, 0x407008, .field = GENMASK(3, 0), ON },
	{ 18, "CROP_B", HUB, G80, 0x407008, .field = GENMASK(18, 16), ON, .until = G200 },
	{ 18, "CROP_B", HUB, G200, 0x407008, .field = GENMASK(20, 16), ON },
	{ 19, "ZROP_A", HUB, G80, 0x40708c, .field = GENMASK(3, 0), ON },
	{ 20, "ZROP_B", HUB, G80, 0x40708c, .field = GENMASK(19, 16), ON },
	{ 21, "ZBAR_0", HUB, G80, 0x407c04, .field = GENMASK(7, 0) },
	{ 22, "ZBAR_1", HUB, G80, 0x407c04, .field = GENMASK(15, 8) },
	{ 23, "ZBAR_2", HUB, G80, 0x407c04, .field = GENMASK(23, 16) },
	{ 24, "ZBAR_3", HUB, G80, 0x407c04, .field = GENMASK(31, 24) },
	{ 25, "CBAR_MUX0_0", HUB, G80, 0x407d10, .field = GENMASK(7, 0) },
	{ 26, "CBAR_MUX0_1", HUB, G80, 0x407d10, .field = GENMASK(15, 8) },
	{ 27, "CBAR_MUX0_2", HUB, G80, 0x407d10, .field = GENMASK(23, 16) },
	{ 28, "CBAR_MUX0_3", HUB, G80, 0x407d10, .field = GENMASK(31, 24) },
	{ 29, "CBAR_MUX1_0", HUB, G80, 0x407d14, .field = GENMASK(7, 0) },
	{ 30, "CBAR_MUX1_1", HUB, G80, 0x407d14, .field = GENMASK(15, 8) },
	{ 31, "CBAR_MUX1_2", HUB, G80, 0x407d14, .field = GENMASK(23, 16) },
	{ 32, "CBAR_MUX1_3", HUB, G80, 0x407d14, .field = GENMASK(31, 24) },
	{ 33, "ZCULL", HUB, G80, 0x402ca4, .field = GENMASK(14, 0) },
	{}
};

static const struct pcounter_mux_type *table_of(const struct pcounter_chip *chip)
{
	return chip->chipset < FERMI ? g80_types : gf100_types;
}

/**
 * pcounter_mux_find() - find a mux of a chip
 * @chip: the chip
 * @id: the term "mux"
 * @type: the mux; @type->id is 0 if the chip does not have it
 *
 * Return: true if the chip has it.
 */
bool pcounter_mux_find(const struct pcounter_chip *chip, unsigned int id,
		       struct pcounter_mux_type *type)
{
	const struct pcounter_mux_type *row = table_of(chip);
	const struct place *p;

	while (row->id && (row->id != id || chip->chipset < row->since ||
			   (row->until && chip->chipset >= row->until)))
		row++;
	*type = *row;
	if (chip->chipset < type->on_since)
		type->enable = 0;
	if (type->g200_offset && chip->chipset >= G200) {
		type->offset = type->g200_offset;
		type->place++;
	}
	p = &places[type->place];
	type->tpcs = p->most;
	type->shared = type->enable && chip->chipset < p->apart_since;
	type->counted = type->shared || (type->tpcs > 1 && chip->chipset < FERMI);
	return type->id;
}

/**
 * pcounter_mux_exists() - check whether any chip of this table has a mux
 * @chip: the chip
 * @id: the term "mux"
 *
 * Return: true if a chip has.
 */
bool pcounter_mux_exists(const struct pcounter_chip *chip, unsigned int id)
{
	const struct pcounter_mux_type *t;

	for (t = table_of(chip); t->id; t++)
		if (t->id == id)
			return true;
	return false;
}

/**
 * pcounter_mux_misfit() - find out why a domain does not show a mux
 * @t: the mux
 * @chip: the chip
 * @id: the domain
 * @tpc: the term "tpc"
 *
 * Return: the reason, NULL if the domain shows it.
 */
const char *pcounter_mux_misfit(const struct pcounter_mux_type *t,
				const struct pcounter_chip *chip,
				const struct pcounter_dom_id *id, unsigned int tpc)
{
	const struct place *p = &places[t->place];

	if (p->set != PCOUNTER_SET_KINDS && id->set != p->set)
		return "the mux belongs to another kind of domain";
	if (!(p->doms & BIT(id->dom)))
		return "the mux feeds another domain of its partition";
	if (p->most == 1 && tpc)
		return "the mux is of no TPC";
	/* from GK104 on a domain of a GPC shows only one TPC (hw:real-cards/r5) */
	if (t->place == TPC && chip->chipset >= KEPLER && id->tpc != tpc)
		return "the domain shows another TPC, or no register shows which";
	if (tpc >= p->most)
		return "tpc exceeds the number of units that have this mux";
	/* two slices in each domain (hw:muxes/gf100-memory) */
	if (t->place == LTS && id->dom != 1 + tpc / 2)
		return "the mux feeds another domain of its partition";
	return NULL;
}

/**
 * pcounter_mux_addr() - get the register with a mux's select field
 * @t: the mux
 * @id: the domain that shows it
 * @nr: the TPC, by the hardware's number
 *
 * Return: BAR0 address.
 */
u32 pcounter_mux_addr(const struct pcounter_mux_type *t,
		      const struct pcounter_dom_id *id, unsigned int nr)
{
	const struct place *p = &places[t->place];

	return p->base + id->unit * p->unit_stride + nr * p->stride + t->offset;
}

/**
 * pcounter_mux_present() - find the TPCs, or other units, that the term "tpc" counts
 * @t: the mux
 * @id: the domain that shows it
 * @io: access to the registers
 *
 * Return: bit mask by the hardware's numbers, which have gaps before GF100. 0 if
 * the GPU does not answer.
 */
u32 pcounter_mux_present(const struct pcounter_mux_type *t,
			 const struct pcounter_dom_id *id, struct pcounter_io *io)
{
	const struct place *p = &places[t->place];
	u32 all = GENMASK(p->most - 1, 0), found;

	switch (t->place) {
	case TPC:
		found = pcounter_rd32(io, GF100_GPC_TPC_COUNT(id->unit));
		if (pcounter_is_dead(found))
			return 0;
		return all & (BIT(found & GF100_GPC_TPC_COUNT_MASK) - 1);
	case G80_TPC:
	case G200_TPC:
	case G80_TPC_ALONE:
	case G200_TPC_ALONE:
		found = pcounter_rd32(io, G80_UNITS);
		return pcounter_is_dead(found) ? 0 : all & found;
	default:
		return all;
	}
}
