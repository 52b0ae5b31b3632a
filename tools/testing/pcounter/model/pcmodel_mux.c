// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source muxes, hw:muxes/tesla, hw:muxes/gf100: their addresses, their values,
 * and the signals behind them.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "pcmodel_regs.h"

/* ---- G80:GF100: in TPCs, hw:muxes/tesla ---- */

#define TESLA_TPC		0x408000
#define TESLA_TPC_END		0x410000
#define TESLA_TPC_MASK		GENMASK(9, 0)

/* VFETCH, ZCULL, CROP and ZROP of ROP 0, ZBAR, CBAR. */
static const u32 tesla_gr_muxes[] = {
	0x400c0c, 0x402ca4, 0x407008, 0x40708c, 0x407c04, 0x407d10, 0x407d14,
};

/*
 * A mux in a TPC: offset of its select field, offset and number of its enable
 * bit, and whether the select field belongs to the graphics context.
 */
struct tpc_mux {
	u16 select;
	u16 enable;
	u8 bit;
	bool context;
};

static const struct tpc_mux tesla_muxes[] = {
	{ 0x330, 0x334, 0, true },	/* MPC: PM_GROUP_SEL, PM_OUT_ENABLE */
	{ 0x334, 0x334, 0, false },
	{ 0x808, 0x808, 11, true },	/* TEX */
	{ 0x81c, 0x81c, 11, false },
	{ 0xe50, 0xe50, 31, true },	/* PROP */
	{ 0xc08, 0xc08, 0, true },	/* RAST */
	{ 0x40c, 0x410, 24, true },	/* GEOM */
	{ 0x410, 0x410, 24, true },
};

static const struct tpc_mux g200_muxes[ARRAY_SIZE(tesla_muxes)] = {
	{ 0x33c, 0x340, 0, true },
	{ 0x340, 0x340, 0, true },
	{ 0x508, 0x508, 11, true },
	{ 0x51c, 0x51c, 11, false },
	{ 0x750, 0x750, 31, true },
	{ 0x088, 0x088, 0, true },
	{ 0x40c, 0x410, 24, true },
	{ 0x410, 0x410, 24, true },
};

static u32 tesla_stride(const struct pcmodel *m)
{
	return m->chip->chipset >= 0xa0 ? 0x800 : 0x1000;
}

/* Return the mux of an existing TPC, NULL if there is none at this address. */
static const struct tpc_mux *tesla_tpc_mux(const struct pcmodel *m, u32 addr)
{
	const struct tpc_mux *muxes = m->chip->chipset >= 0xa0 ? g200_muxes : tesla_muxes;
	u32 stride = tesla_stride(m), at = addr - TESLA_TPC;
	unsigned int i;

	if (addr < TESLA_TPC || addr >= TESLA_TPC_END ||
	    !(m->tpcs & TESLA_TPC_MASK & BIT(at / stride)))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(tesla_muxes); i++)
		if (at % stride == muxes[i].select)
			return &muxes[i];
	return NULL;
}

static bool tesla_mux(const struct pcmodel *m, u32 addr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tesla_gr_muxes); i++)
		if (addr == tesla_gr_muxes[i])
			return true;
	return tesla_tpc_mux(m, addr);
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
#define SUBP_MUX		0x14125c	/* GF117- */
#define PMFB_STRIDE		0x2000
#define SUBP_STRIDE		0x400
#define SUBPS			4	/* of each PMFB */
#define PBFB_MUX		0x10f100
#define GF108_PBFB_MUX		0x110100
#define GF108_PBFB_STRIDE	0x1000
#define GM107_PMFB_MUX		0x17e350
#define GM107_LTS_MUX		0x140550
#define LTS_STRIDE		0x200
#define LTS			4	/* of each partition */
#define CHIPSET_GF108		0x0c1
#define CHIPSET_GF117		0x0d7	/* GF119, too */

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
	return m->chip->chipset >= CHIPSET_GF117 && !(at % SUBP_STRIDE) &&
	       at / SUBP_STRIDE < SUBPS;
}

/* GM107: slices of the L2 cache, hw:muxes/gf100-memory. */
static bool lts_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	u32 at = addr - GM107_LTS_MUX;

	if (m->chip->variant < PCMODEL_GM107 || at >= PCMODEL_PARTS * PMFB_STRIDE)
		return false;
	*present = pcmodel_unit_present(m, true, at / PMFB_STRIDE);
	at %= PMFB_STRIDE;
	return !(at % LTS_STRIDE) && at / LTS_STRIDE < LTS;
}

/* Muxes of the memory, hw:muxes/gf100: one for all, one for each partition. */
static bool memory_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	*present = true;
	if (m->chip->chipset == CHIPSET_GF108 ||
	    (m->chip->chipset >= CHIPSET_GF117 && m->chip->variant == PCMODEL_GF100))
		if (addr == GF108_PBFB_MUX || addr == GF108_PBFB_MUX + GF108_PBFB_STRIDE)
			return true;
	if (addr == PBFB_MUX)
		return true;
	if (addr == GM107_PMFB_MUX)
		return m->chip->variant >= PCMODEL_GM107;
	return lts_mux(m, addr, present) || pmfb_mux(m, addr, present);
}

/*
 * Return true if the address is in a unit with muxes; @present is set if the
 * unit exists.
 */
static bool gf100_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	u32 at = addr - GPC_MUX, gpc = at / GPC_STRIDE;

	if (addr >= GPC_MUX && addr < GPC_MUX_END) {
		*present = pcmodel_unit_present(m, false, gpc);
		at %= GPC_STRIDE;
		if (at >= TPC_MUX && (at - TPC_MUX) / TPC_STRIDE >= pcmodel_gpc_tpcs(m, gpc))
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

/* The reset value depends on the address, so that no driver relies on 0. */
static u32 mux_value(const struct pcmodel *m, u32 addr)
{
	unsigned int i;

	for (i = 0; i < m->nmux; i++)
		if (m->mux[i].addr == addr)
			return m->mux[i].val;
	return (addr + m->contexts) * 0x9e3779b1 >> 4 & 0x00ff0f0f;
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

/* Return true if there is a mux at this address; @present is set if its unit exists. */
static bool is_mux(const struct pcmodel *m, u32 addr, bool *present)
{
	*present = true;
	if (pcmodel_is_tesla(m))
		return tesla_mux(m, addr);
	return pcmodel_is_gf100(m) && gf100_mux(m, addr, present);
}

/* Return false if the address is not a mux. */
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

/*
 * Switch to another graphics context: before GF100 most muxes belong to it, and
 * get its values. Return false if no mux of this chip does (hw:muxes/context).
 */
bool pcmodel_mux_context(struct pcmodel *m)
{
	const struct tpc_mux *mux;
	unsigned int i, n = 0;

	if (!pcmodel_is_tesla(m))
		return false;
	for (i = 0; i < m->nmux; i++) {
		mux = tesla_tpc_mux(m, m->mux[i].addr);
		if (mux && !mux->context)
			m->mux[n++] = m->mux[i];
	}
	m->nmux = n;
	m->contexts++;
	return true;
}

/* ---- wires ---- */

/* Return true if any of @n units, from @addr on, has its enable bit set. */
static bool any_enabled(const struct pcmodel *m, u32 addr, u32 stride, unsigned int n, u32 bit)
{
	while (n--) {
		if (mux_value(m, addr) & bit)
			return true;
		addr += stride;
	}
	return false;
}

/* The TPCs of Tesla share one bus: return true if an earlier existing TPC is enabled. */
static bool tesla_hidden(const struct pcmodel *m, u32 addr)
{
	const struct tpc_mux *mux = tesla_tpc_mux(m, addr);
	u32 stride = tesla_stride(m), tpc;

	for (tpc = 0; mux && tpc < (addr - TESLA_TPC) / stride; tpc++)
		if (m->tpcs & BIT(tpc) &&
		    mux_value(m, TESLA_TPC + tpc * stride + mux->enable) & BIT(mux->bit))
			return true;
	return false;
}

/*
 * The first enabled unit drives the wires of all units: TPCs of a GPC before
 * GK104 (hw:muxes/gf100-tpc), subpartitions of a PMFB.
 */
static bool hidden(const struct pcmodel *m, u32 addr)
{
	u32 at;

	if (pcmodel_is_tesla(m))
		return tesla_hidden(m, addr);
	at = (addr - GPC_MUX) % GPC_STRIDE;
	if (addr >= GPC_MUX && addr < GPC_MUX_END && at >= TPC_MUX) {
		at -= TPC_MUX;
		return m->chip->variant < PCMODEL_GK104 &&
		       any_enabled(m, addr - at + at % TPC_STRIDE, TPC_STRIDE,
				   at / TPC_STRIDE, BIT(31));
	}
	at = (addr - PMFB_MUX) % PMFB_STRIDE;
	if (addr < PMFB_MUX || addr >= PMFB_MUX + PCMODEL_PARTS * PMFB_STRIDE || !at)
		return false;
	at -= SUBP_MUX - PMFB_MUX;
	return any_enabled(m, addr - at, SUBP_STRIDE, at / SUBP_STRIDE, BIT(0));
}

/* ---- signals ---- */

/* Return true if the mux selects the signal. */
bool pcmodel_mux_holds(const struct pcmodel *m, const struct pcmodel_muxed *x)
{
	return (mux_value(m, x->addr) & x->mask) == x->value && !hidden(m, x->addr);
}

/*
 * Return the mux of a signal, NULL if there is none. If there are several,
 * prefer the one that selects the signal.
 */
const struct pcmodel_muxed *pcmodel_muxed(const struct pcmodel *m,
					  unsigned int dom, unsigned int sig)
{
	const struct pcmodel_muxed *found = NULL, *x;

	for (x = m->muxed; x < m->muxed + m->nmuxed; x++) {
		if (x->dom != dom || x->sig != sig)
			continue;
		if (pcmodel_mux_holds(m, x))
			return x;
		found = x;
	}
	return found;
}
