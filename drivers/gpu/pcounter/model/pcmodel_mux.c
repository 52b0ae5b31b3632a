// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source muxes, hw:muxes/tesla, hw:muxes/gf100: where they are, what they hold,
 * and which signals they decide about.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "pcmodel_regs.h"

/* ---- G80:GF100: in TPCs, hw:muxes/tesla ---- */

#define TESLA_TPC		0x408000
#define TESLA_TPC_END		0x410000
#define TESLA_TPC_MASK		GENMASK(9, 0)

/* In a TPC: PM_GROUP_SEL and PM_OUT_ENABLE of MPC, two registers of TEX. */
static const u16 tesla_muxes[] = { 0x330, 0x334, 0x808, 0x81c };
static const u16 g200_muxes[] = { 0x33c, 0x340, 0x508, 0x51c };

/* Is this a mux of a TPC that is there? */
static bool tesla_mux(const struct pcmodel *m, u32 addr)
{
	bool g200 = m->chip->chipset >= 0xa0;
	const u16 *muxes = g200 ? g200_muxes : tesla_muxes;
	u32 stride = g200 ? 0x800 : 0x1000, at = addr - TESLA_TPC;
	unsigned int i;

	if (addr < TESLA_TPC || addr >= TESLA_TPC_END ||
	    !(m->tpcs & TESLA_TPC_MASK & BIT(at / stride)))
		return false;
	for (i = 0; i < ARRAY_SIZE(tesla_muxes); i++)
		if (at % stride == muxes[i])
			return true;
	return false;
}

/* ---- GF100-: in GPCs, partitions and HUB, hw:muxes/gf100 ---- */

#define GPC_MUX			0x500000
#define GPC_STRIDE		0x8000
#define TPC_MUX			0x4000	/* in a GPC */
#define TPC_STRIDE		0x800
#define ROP_MUX			0x410000
#define ROP_STRIDE		0x400
#define HUB_MUX			0x404000
#define HUB_MUX_END		0x409000
#define GPC_MUX_END		0x600000

#define PMFB_MUX		0x140028
#define SUBP_MUX		0x14125c	/* GK104- */
#define PMFB_STRIDE		0x2000
#define SUBP_STRIDE		0x400
#define SUBPS			4	/* of each PMFB */
#define PBFB_MUX		0x10f100
#define GF108_PBFB_MUX		0x110100
#define GF108_PBFB_STRIDE	0x1000
#define GM107_PMFB_MUX		0x17e350
#define CHIPSET_GF108		0x0c1

/* A mux of a PMFB, or of its subpartitions. */
static bool pmfb_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	u32 at = (addr - PMFB_MUX) % PMFB_STRIDE;

	if (addr < PMFB_MUX || addr >= PMFB_MUX + PCMODEL_PARTS * PMFB_STRIDE)
		return false;
	*present = pcmodel_unit_present(m, true, (addr - PMFB_MUX) / PMFB_STRIDE);
	if (!at)
		return true;
	at -= SUBP_MUX - PMFB_MUX;
	return m->chip->variant >= PCMODEL_GK104 && !(at % SUBP_STRIDE) &&
	       at / SUBP_STRIDE < SUBPS;
}

/* Muxes of the memory, hw:muxes/gf100: one for all, one for each partition. */
static bool memory_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	*present = true;
	if (m->chip->chipset == CHIPSET_GF108)
		if (addr == GF108_PBFB_MUX || addr == GF108_PBFB_MUX + GF108_PBFB_STRIDE)
			return true;
	if (addr == PBFB_MUX)
		return true;
	if (addr == GM107_PMFB_MUX)
		return m->chip->variant >= PCMODEL_GM107;
	return pmfb_mux(m, addr, present);
}

/* Is this an address of a unit that muxes are in; and is the unit there? */
static bool gf100_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	u32 at = addr - GPC_MUX;

	if (addr >= GPC_MUX && addr < GPC_MUX_END) {
		*present = pcmodel_unit_present(m, false, at / GPC_STRIDE);
		at %= GPC_STRIDE;
		if (at >= TPC_MUX && (at - TPC_MUX) / TPC_STRIDE >= pcmodel_gpc_tpcs(m))
			*present = false;
		return true;
	}
	if (addr >= ROP_MUX && addr < GPC_MUX) {
		*present = pcmodel_unit_present(m, true, (addr - ROP_MUX) / ROP_STRIDE);
		return true;
	}
	if (memory_mux(m, addr, present))
		return true;
	*present = true;
	return addr >= HUB_MUX && addr < HUB_MUX_END;
}

/* ---- registers ---- */

/* Registers come up with something in them, so that no driver relies on 0. */
static u32 mux_value(const struct pcmodel *m, u32 addr)
{
	unsigned int i;

	for (i = 0; i < m->nmux; i++)
		if (m->mux[i].addr == addr)
			return m->mux[i].val;
	return addr * 0x9e3779b1 >> 4 & 0x00ff0f0f;
}

static void keep(struct pcmodel *m, u32 addr, u32 val)
{
	unsigned int i;

	for (i = 0; i < m->nmux && m->mux[i].addr != addr; i++)
		;
	if (i == PCMODEL_MUX_REGS) {
		m->lint.absent++;
		return;
	}
	m->mux[i].addr = addr;
	m->mux[i].val = val;
	m->nmux = max(m->nmux, i + 1);
}

/* Is there a mux at this address, and the unit that it is in? */
static bool is_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	*present = true;
	if (pcmodel_is_tesla(m))
		return tesla_mux(m, addr);
	return pcmodel_is_gf100(m) && gf100_mux(m, addr, present);
}

/* False: not a mux. */
bool pcmodel_mux_read(struct pcmodel *m, u32 addr, u32 *val)
{
	bool present;

	if (!is_mux(m, addr, &present))
		return false;
	m->lint.absent += present ? 0 : 1;
	*val = present ? mux_value(m, addr) : BAD_TARGET;
	return true;
}

bool pcmodel_mux_write(struct pcmodel *m, u32 addr, u32 val)
{
	bool present;

	if (!is_mux(m, addr, &present))
		return false;
	m->lint.absent += present ? 0 : 1;
	if (present)
		keep(m, addr, val);
	return true;
}

/* ---- signals ---- */

/* The mux that decides about a signal, NULL if none does. */
const struct pcmodel_muxed *pcmodel_muxed(const struct pcmodel *m,
					  unsigned int dom, unsigned int sig)
{
	unsigned int i;

	for (i = 0; i < m->nmuxed; i++)
		if (m->muxed[i].dom == dom && m->muxed[i].sig == sig)
			return &m->muxed[i];
	return NULL;
}

/* Does the mux let the signal through? */
bool pcmodel_mux_holds(const struct pcmodel *m, const struct pcmodel_muxed *x)
{
	return (mux_value(m, x->addr) & x->mask) == x->value;
}
