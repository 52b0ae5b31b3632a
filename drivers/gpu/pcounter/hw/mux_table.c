// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where source muxes are (hw:muxes/gf100, hw:muxes/gf100-memory, hw:muxes/tesla). The rows
 * of muxes are made from scripts/tables/muxes.csv.
 */
#include <linux/bits.h>
#include <linux/errno.h>

#include "hw/io.h"
#include "hw/mux.h"
#include "hw/regs.h"

/* First chips of a range, by chipset id; the ids rise with time from G80 on. */
#define FERMI	0x0c0
#define KEPLER	0x0e4
#define END	0x200

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

static const struct place places[] = {
	[PCOUNTER_IN_GPC] = { 0x500000, 0x8000, 0, 1, PCOUNTER_SET_GPC, ANY, 0 },
	[PCOUNTER_IN_TPC] = { 0x504000, 0x8000, 0x800, 8, PCOUNTER_SET_GPC, ANY, KEPLER },
	[PCOUNTER_IN_ROP] = { 0x410000, 0x400, 0, 1, PCOUNTER_SET_PART, ANY, 0 },
	[PCOUNTER_IN_HUB] = { 0, 0, 0, 1, PCOUNTER_SET_HUB, ANY, 0 },
	[PCOUNTER_IN_FB] = { 0, 0, 0, 1, PCOUNTER_SET_PART, FIRST, 0 },
	[PCOUNTER_IN_PBFB] = { 0x110000, 0, 0x1000, 2, PCOUNTER_SET_PART, FIRST, 0 },
	[PCOUNTER_IN_PMFB] = { 0x140000, 0x2000, 0, 1, PCOUNTER_SET_PART, FIRST, 0 },
	[PCOUNTER_IN_SUBP1] = { 0x141200, 0x2000, 0x400, 1, PCOUNTER_SET_PART, FIRST, END },
	[PCOUNTER_IN_SUBP2] = { 0x141200, 0x2000, 0x400, 2, PCOUNTER_SET_PART, FIRST, END },
	[PCOUNTER_IN_SUBP4] = { 0x141200, 0x2000, 0x400, 4, PCOUNTER_SET_PART, FIRST, END },
	[PCOUNTER_IN_LTC] = { 0, 0, 0, 1, PCOUNTER_SET_PART, SECOND, 0 },
	[PCOUNTER_IN_LTS] = { 0x140400, 0x2000, 0x200, 4, PCOUNTER_SET_PART, SECOND | THIRD, 0 },
	[PCOUNTER_IN_GATE] = { 0, 0, 0, 1, PCOUNTER_SET_KINDS, ANY, 0 },
	[PCOUNTER_IN_G80_TPC] = { 0x408000, 0, 0x1000, 8, PCOUNTER_SET_HUB, ANY, END },
	[PCOUNTER_IN_G200_TPC] = { 0x408000, 0, 0x800, 16, PCOUNTER_SET_HUB, ANY, END },
	/* for these muxes NVIDIA's driver does not clear other TPCs */
	[PCOUNTER_IN_G80_TPC_ALONE] = { 0x408000, 0, 0x1000, 8, PCOUNTER_SET_HUB, ANY, 0 },
	[PCOUNTER_IN_G200_TPC_ALONE] = { 0x408000, 0, 0x800, 16, PCOUNTER_SET_HUB, ANY, 0 },
};

static bool is_tesla(u16 chipset)
{
	return chipset < FERMI;
}

/**
 * pcounter_mux_find() - find a mux of a chip
 * @chip: the chip
 * @id: the term "mux"; before GF100 muxes are numbered separately
 * @type: the mux
 *
 * Return: 0; -EOPNOTSUPP if only other chips have it, -EINVAL if none has.
 */
int pcounter_mux_find(const struct pcounter_chip *chip, unsigned int id,
		      struct pcounter_mux_type *type)
{
	const struct pcounter_mux_type *row;
	const struct place *p;
	bool exists = false;

	for (row = pcounter_mux_rows; row->id; row++) {
		if (row->id != id || is_tesla(row->since) != is_tesla(chip->chipset))
			continue;
		exists = true;
		if (chip->chipset >= row->since && (!row->until || chip->chipset < row->until))
			break;
	}
	if (!row->id)
		return exists ? -EOPNOTSUPP : -EINVAL;
	*type = *row;
	p = &places[type->place];
	type->tpcs = p->most;
	type->shared = type->enable && chip->chipset < p->apart_since;
	type->counted = type->shared || (type->tpcs > 1 && is_tesla(chip->chipset));
	return 0;
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
	/* from GK104 on a domain of a GPC shows only one TPC (hw:real-cards/r5) */
	if (t->place == PCOUNTER_IN_TPC && chip->chipset >= KEPLER && id->tpc != tpc)
		return "the domain shows another TPC, or no register shows which";
	if (tpc >= p->most)
		return "tpc exceeds the number of units that have this mux";
	/* two slices in each domain (hw:muxes/gf100-memory) */
	if (t->place == PCOUNTER_IN_LTS && id->dom != 1 + tpc / 2)
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
	bool tpc = t->place == PCOUNTER_IN_TPC;
	u32 all = GENMASK(t->tpcs - 1, 0), found;

	if (!tpc && t->place < PCOUNTER_IN_G80_TPC)
		return all;
	found = pcounter_rd32(io, tpc ? GF100_GPC_TPC_COUNT(id->unit) : G80_UNITS);
	if (pcounter_is_dead(found))
		return 0;
	return all & (tpc ? BIT(found & GF100_GPC_TPC_COUNT_MASK) - 1 : found);
}
