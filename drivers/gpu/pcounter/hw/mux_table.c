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
#define MAXWELL	0x110
#define GM200	0x120
#define END	0x200

/* Units that contain muxes. */
enum mux_place {
	GPC, TPC, ROP, HUB, FB, PBFB, PMFB, SUBP1, SUBP2, SUBP4, LTC, LTS,
	GATE, GR, G80_TPC, G200_TPC, G80_TPC_ALONE, G200_TPC_ALONE, PLACES
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
	[GR] = { 0, 0, 0, 1, PCOUNTER_SET_HUB, ANY, 0 },
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
	{ 1, "GPC.UNK380", GPC, FERMI, END, 0x384, GENMASK(3, 0), ON, 0 },
	{ 2, "GPC.PROP", GPC, FERMI, END, 0x4a0, GENMASK(7, 0), ON, 0 },
	{ 3, "GPC.UNK600", GPC, FERMI, END, 0x604, GENMASK(3, 0), ON, 0 },
	{ 4, "GPC.UNK680", GPC, FERMI, END, 0x680, GENMASK(3, 0), ON, 0 },
	{ 5, "GPC.UNK700", GPC, FERMI, END, 0x714, GENMASK(3, 0), ON, 0 },
	{ 6, "GPC.ESETUP", GPC, FERMI, END, 0x81c, GENMASK(4, 0), ON, 0 },
	{ 7, "GPC.FFB_B", GPC, FERMI, END, 0x8c8, GENMASK(3, 0), ON, 0 },
	{ 8, "GPC.TPBUS", GPC, FERMI, END, 0xb04, GENMASK(3, 0), ON, 0 },
	{ 9, "GPC.TPCONF", GPC, FERMI, KEPLER, 0xc04, GENMASK(6, 0), 0, 0 },
	{ 9, "GPC.TPCONF", GPC, KEPLER, END, 0xc04, GENMASK(6, 0), ON, 0 },
	{ 10, "GPC.UNKC80", GPC, FERMI, KEPLER, 0xc88, GENMASK(5, 0), 0, 0 },
	{ 10, "GPC.UNKC80", GPC, KEPLER, END, 0xc88, GENMASK(5, 0), ON, 0 },
	{ 11, "GPC.UNKD00", GPC, FERMI, KEPLER, 0xd00, GENMASK(4, 0), 0, 0 },
	{ 11, "GPC.UNKD00", GPC, KEPLER, END, 0xd00, GENMASK(4, 0), ON, 0 },
	{ 12, "GPC.UNKE00", GPC, FERMI, KEPLER, 0xe08, GENMASK(4, 0), 0, 0 },
	{ 12, "GPC.UNKE00", GPC, KEPLER, END, 0xe08, GENMASK(4, 0), ON, 0 },
	{ 13, "GPC.UNKF00", GPC, FERMI, KEPLER, 0xf08, GENMASK(4, 0), 0, 0 },
	{ 13, "GPC.UNKF00", GPC, KEPLER, END, 0xf08, GENMASK(4, 0), ON, 0 },
	{ 14, "GPC.CCACHE_A", GPC, FERMI, END, 0x100c, GENMASK(2, 0), 0, 0 },
	{ 15, "GPC.CCACHE_B", GPC, FERMI, END, 0x1018, GENMASK(2, 0), 0, 0 },
	{ 16, "TPC.POLY", TPC, FERMI, END, 0x054, GENMASK(7, 0), 0, 0 },
	{ 17, "TPC.TEX_A", TPC, FERMI, END, 0x2b0, GENMASK(5, 0), ON, 0 },
	{ 18, "TPC.TEX_B", TPC, FERMI, KEPLER, 0x2bc, GENMASK(2, 0), ON, 0 },
	{ 18, "TPC.TEX_B", TPC, KEPLER, END, 0x2bc, GENMASK(3, 0), ON, 0 },
	{ 19, "TPC.TEX_C", TPC, FERMI, END, 0x2c0, GENMASK(3, 0), ON, 0 },
	{ 20, "TPC.TEX_D", TPC, FERMI, GK110, 0x2c0, GENMASK(10, 8), ON, 0 },
	{ 20, "TPC.TEX_D", TPC, GK110, END, 0x2c0, GENMASK(11, 8), ON, 0 },
	{ 21, "TPC.UNK400", TPC, FERMI, END, 0x40c, GENMASK(5, 0), ON, 0 },
	{ 22, "TPC.L1", TPC, FERMI, END, 0x4a8, GENMASK(5, 0), ON, 0 },
	{ 23, "TPC.MASTER", TPC, FERMI, END, 0x52c, GENMASK(3, 0), ON, 0 },
	/* PerfKit also sets bits 7 and 31 (hw:real-cards/events) */
	{ 24, "TPC.MP", TPC, FERMI, KEPLER, 0x600, GENMASK(7, 0), ON, 0 },
	{ 25, "ROP.ZROP_A", ROP, FERMI, END, 0x00c, GENMASK(5, 0), ON, 0 },
	{ 26, "ROP.ZROP_B", ROP, FERMI, END, 0x00c, GENMASK(19, 16), ON, 0 },
	{ 27, "ROP.CROP_A", ROP, FERMI, END, 0x110, GENMASK(5, 0), ON, 0 },
	{ 28, "ROP.CROP_B", ROP, FERMI, END, 0x184, GENMASK(5, 0), ON, 0 },
	{ 29, "HUB.DISPATCH", HUB, FERMI, GK110, 0x40415c, GENMASK(4, 0), 0, 0 },
	{ 29, "HUB.DISPATCH", HUB, GK110, END, 0x40415c, GENMASK(4, 0), ON, 0 },
	{ 30, "HUB.UNK5800", HUB, FERMI, GK110, 0x405850, GENMASK(4, 0), 0, 0 },
	{ 30, "HUB.UNK5800", HUB, GK110, END, 0x405850, GENMASK(4, 0), ON, 0 },
	{ 31, "HUB.UNK5900", HUB, FERMI, KEPLER, 0x405908, GENMASK(4, 0), 0, 0 },
	{ 31, "HUB.UNK5900", HUB, KEPLER, END, 0x405908, GENMASK(4, 0), ON, 0 },
	{ 32, "HUB.UNK6000", HUB, FERMI, END, 0x406024, GENMASK(6, 0), ON, 0 },
	{ 33, "HUB.TPBUS", HUB, FERMI, END, 0x407808, GENMASK(3, 0), ON, 0 },
	{ 34, "HUB.CCACHE", HUB, FERMI, GK110, 0x40803c, GENMASK(4, 0), 0, 0 },
	{ 34, "HUB.CCACHE", HUB, GK110, END, 0x40803c, GENMASK(4, 0), ON, 0 },
	{ 35, "TPC.TEX_E", TPC, GF117, END, 0x2b8, GENMASK(7, 0), ON, 0 },
	{ 36, "TPC.TEX_F", TPC, FERMI, END, 0x2c8, GENMASK(4, 0), ON, 0 },
	{ 37, "PBFB.ALL", FB, FERMI, GK110, 0x10f100, GENMASK(9, 4), BIT(0), 0 },
	{ 37, "PBFB.ALL", FB, GK110, END, 0x10f100, GENMASK(10, 4), BIT(0), 0 },
	{ 38, "PBFB", PBFB, GF108, GF106, 0x100, GENMASK(9, 4), BIT(0), 0 },
	{ 38, "PBFB", PBFB, GF117, KEPLER, 0x100, GENMASK(9, 4), BIT(0), 0 },
	{ 39, "PMFB", PMFB, FERMI, MAXWELL, 0x028, GENMASK(13, 1), BIT(0), 0 },
	{ 40, "PMFB.UNK16", PMFB, FERMI, MAXWELL, 0x028, GENMASK(18, 16), BIT(0), 0 },
	{ 41, "PMFB.UNK24", PMFB, FERMI, MAXWELL, 0x028, GENMASK(25, 24), BIT(0), 0 },
	{ 42, "PMFB.SLICE", PMFB, FERMI, MAXWELL, 0x028, BIT(29), BIT(0), 0 },
	/* with the highest number of subpartitions that was seen */
	{ 43, "SUBP", SUBP1, GF117, KEPLER, 0x05c, GENMASK(13, 1), BIT(0), 0 },
	{ 43, "SUBP", SUBP4, KEPLER, GK20A, 0x05c, GENMASK(13, 1), BIT(0), 0 },
	{ 43, "SUBP", SUBP1, GK20A, GK110, 0x05c, GENMASK(13, 1), BIT(0), 0 },
	{ 43, "SUBP", SUBP4, GK110, GK208, 0x05c, GENMASK(13, 1), BIT(0), 0 },
	{ 43, "SUBP", SUBP2, GK208, MAXWELL, 0x05c, GENMASK(13, 1), BIT(0), 0 },
	{ 44, "LTC.ALL", LTC, MAXWELL, END, 0x17e350, GENMASK(13, 1), BIT(0), 0 },
	{ 45, "LTC.LTS", LTS, MAXWELL, GM200, 0x150, GENMASK(13, 1), BIT(0), 0 },
	{ PCOUNTER_MUX_GATE, "HUB.DISPATCH", GATE, MAXWELL, END, 0x40415c, 0, ON, 0 },
	{}
};

/*
 * G80:GF100, numbered separately. These muxes are in PGRAPH, and most of them
 * belong to the graphics context (hw:muxes/context).
 */
static const struct pcounter_mux_type g80_types[] = {
	{ 1, "VFETCH", GR, G80, G84, 0x400c0c, BIT(0), 0, 0 },
	{ 1, "VFETCH", GR, G84, FERMI, 0x400c0c, GENMASK(1, 0), 0, 0 },
	{ 2, "TPC.MPC_0", G80_TPC, G80, G200, 0x330, GENMASK(7, 0), BIT(0), 0x334 },
	{ 2, "TPC.MPC_0", G200_TPC, G200, FERMI, 0x33c, GENMASK(7, 0), BIT(0), 0x340 },
	{ 3, "TPC.MPC_1", G80_TPC, G80, G200, 0x330, GENMASK(15, 8), BIT(0), 0x334 },
	{ 3, "TPC.MPC_1", G200_TPC, G200, FERMI, 0x33c, GENMASK(15, 8), BIT(0), 0x340 },
	{ 4, "TPC.MPC_2", G80_TPC, G80, G200, 0x330, GENMASK(23, 16), BIT(0), 0x334 },
	{ 4, "TPC.MPC_2", G200_TPC, G200, FERMI, 0x33c, GENMASK(23, 16), BIT(0), 0x340 },
	{ 5, "TPC.MPC_3", G80_TPC, G80, G200, 0x330, GENMASK(31, 24), BIT(0), 0x334 },
	{ 5, "TPC.MPC_3", G200_TPC, G200, FERMI, 0x33c, GENMASK(31, 24), BIT(0), 0x340 },
	{ 6, "TPC.TEX", G80_TPC, G80, G200, 0x808, GENMASK(15, 12), BIT(11), 0 },
	{ 6, "TPC.TEX", G200_TPC, G200, FERMI, 0x508, GENMASK(15, 12), BIT(11), 0 },
	{ 7, "TPC.TEX_UNK1C", G80_TPC_ALONE, G80, G200, 0x81c, 0, BIT(11), 0 },
	{ 7, "TPC.TEX_UNK1C", G200_TPC_ALONE, G200, FERMI, 0x51c, 0, BIT(11), 0 },
	{ 8, "TPC.PROP", G80_TPC, G80, G200, 0xe50, GENMASK(4, 0), ON, 0 },
	{ 8, "TPC.PROP", G200_TPC, G200, FERMI, 0x750, GENMASK(4, 0), ON, 0 },
	{ 9, "TPC.RAST", G80_TPC, G80, G200, 0xc08, 0, BIT(0), 0 },
	{ 9, "TPC.RAST", G200_TPC, G200, FERMI, 0x088, 0, BIT(0), 0 },
	{ 10, "TPC.GEOM_0", G80_TPC, G80, G200, 0x40c, GENMASK(5, 0), BIT(24), 0x410 },
	{ 10, "TPC.GEOM_0", G200_TPC, G200, FERMI, 0x40c, GENMASK(5, 0), BIT(24), 0x410 },
	{ 11, "TPC.GEOM_1", G80_TPC, G80, G200, 0x40c, GENMASK(13, 8), BIT(24), 0x410 },
	{ 11, "TPC.GEOM_1", G200_TPC, G200, FERMI, 0x40c, GENMASK(13, 8), BIT(24), 0x410 },
	{ 12, "TPC.GEOM_2", G80_TPC, G80, G200, 0x40c, GENMASK(21, 16), BIT(24), 0x410 },
	{ 12, "TPC.GEOM_2", G200_TPC, G200, FERMI, 0x40c, GENMASK(21, 16), BIT(24), 0x410 },
	{ 13, "TPC.GEOM_3", G80_TPC, G80, G200, 0x40c, GENMASK(29, 24), BIT(24), 0x410 },
	{ 13, "TPC.GEOM_3", G200_TPC, G200, FERMI, 0x40c, GENMASK(29, 24), BIT(24), 0x410 },
	{ 14, "TPC.GEOM_4", G80_TPC, G80, G200, 0x410, GENMASK(5, 0), BIT(24), 0 },
	{ 14, "TPC.GEOM_4", G200_TPC, G200, FERMI, 0x410, GENMASK(5, 0), BIT(24), 0 },
	{ 15, "TPC.GEOM_5", G80_TPC, G80, G200, 0x410, GENMASK(13, 8), BIT(24), 0 },
	{ 15, "TPC.GEOM_5", G200_TPC, G200, FERMI, 0x410, GENMASK(13, 8), BIT(24), 0 },
	{ 16, "TPC.GEOM_6", G80_TPC, G80, G200, 0x410, GENMASK(21, 16), BIT(24), 0 },
	{ 16, "TPC.GEOM_6", G200_TPC, G200, FERMI, 0x410, GENMASK(21, 16), BIT(24), 0 },
	{ 17, "CROP_A", GR, G80, G84, 0x407008, GENMASK(2, 0), ON, 0 },
	{ 17, "CROP_A", GR, G84, FERMI, 0x407008, GENMASK(3, 0), ON, 0 },
	{ 18, "CROP_B", GR, G80, G200, 0x407008, GENMASK(18, 16), ON, 0 },
	{ 18, "CROP_B", GR, G200, FERMI, 0x407008, GENMASK(20, 16), ON, 0 },
	{ 19, "ZROP_A", GR, G80, FERMI, 0x40708c, GENMASK(3, 0), ON, 0 },
	{ 20, "ZROP_B", GR, G80, FERMI, 0x40708c, GENMASK(19, 16), ON, 0 },
	{ 21, "ZBAR_0", GR, G80, FERMI, 0x407c04, GENMASK(7, 0), 0, 0 },
	{ 22, "ZBAR_1", GR, G80, FERMI, 0x407c04, GENMASK(15, 8), 0, 0 },
	{ 23, "ZBAR_2", GR, G80, FERMI, 0x407c04, GENMASK(23, 16), 0, 0 },
	{ 24, "ZBAR_3", GR, G80, FERMI, 0x407c04, GENMASK(31, 24), 0, 0 },
	{ 25, "CBAR_MUX0_0", GR, G80, FERMI, 0x407d10, GENMASK(7, 0), 0, 0 },
	{ 26, "CBAR_MUX0_1", GR, G80, FERMI, 0x407d10, GENMASK(15, 8), 0, 0 },
	{ 27, "CBAR_MUX0_2", GR, G80, FERMI, 0x407d10, GENMASK(23, 16), 0, 0 },
	{ 28, "CBAR_MUX0_3", GR, G80, FERMI, 0x407d10, GENMASK(31, 24), 0, 0 },
	{ 29, "CBAR_MUX1_0", GR, G80, FERMI, 0x407d14, GENMASK(7, 0), 0, 0 },
	{ 30, "CBAR_MUX1_1", GR, G80, FERMI, 0x407d14, GENMASK(15, 8), 0, 0 },
	{ 31, "CBAR_MUX1_2", GR, G80, FERMI, 0x407d14, GENMASK(23, 16), 0, 0 },
	{ 32, "CBAR_MUX1_3", GR, G80, FERMI, 0x407d14, GENMASK(31, 24), 0, 0 },
	{ 33, "ZCULL", GR, G80, FERMI, 0x402ca4, GENMASK(14, 0), 0, 0 },
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
 *
 * Return: the mux, NULL if this chip does not have it.
 */
const struct pcounter_mux_type *pcounter_mux_find(const struct pcounter_chip *chip,
						  unsigned int id)
{
	const struct pcounter_mux_type *t;

	for (t = table_of(chip); t->id; t++)
		if (t->id == id && chip->chipset >= t->since && chip->chipset < t->until)
			return t;
	return NULL;
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
 * pcounter_mux_counts_tpcs() - check whether the term "tpc" has a meaning for a mux
 * @t: the mux
 *
 * Return: true if there are several of its units.
 */
bool pcounter_mux_counts_tpcs(const struct pcounter_mux_type *t)
{
	return places[t->place].most > 1;
}

/**
 * pcounter_mux_shares_wires() - check whether the muxes of all TPCs share wires
 * @t: the mux
 * @chip: the chip
 *
 * Return: true if the first enabled TPC drives the wires of all TPCs.
 */
bool pcounter_mux_shares_wires(const struct pcounter_mux_type *t,
			       const struct pcounter_chip *chip)
{
	return t->enable && chip->chipset < places[t->place].apart_since;
}

/**
 * pcounter_mux_is_counted() - check whether the hardware has a mask of its TPCs
 * @t: the mux
 * @chip: the chip
 *
 * Return: true if the term "tpc" counts the TPCs of pcounter_mux_present().
 */
bool pcounter_mux_is_counted(const struct pcounter_mux_type *t,
			     const struct pcounter_chip *chip)
{
	return pcounter_mux_shares_wires(t, chip) ||
	       (chip->chipset < FERMI && pcounter_mux_counts_tpcs(t));
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
 * pcounter_mux_enable_addr() - get the register with a mux's enable bit
 * @t: the mux
 * @id: the domain that shows it
 * @nr: the TPC, by the hardware's number
 *
 * Return: BAR0 address, often that of the select field.
 */
u32 pcounter_mux_enable_addr(const struct pcounter_mux_type *t,
			     const struct pcounter_dom_id *id, unsigned int nr)
{
	u32 addr = pcounter_mux_addr(t, id, nr);

	return t->enable_offset ? addr - t->offset + t->enable_offset : addr;
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
