// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which domains a GPU has (hw:chips/domains, hw:registers/gf100-units).
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "rules/chip.h"

/* A domain's SRC fields are 8 bits wide. */
#define MAX_SIGNALS		256

/* hw:signals/trailers; the trigger of GF100: hw:real-cards/r2 */
static const struct pcounter_trailer nv10_trailer = {
	.size = 0x20,
	.own = 0x1d,		/* PM_TRIGGER, FLAGs */
};

static const struct pcounter_trailer nv40_trailer = {
	.size = 0x20,
	.own = 0x0f,		/* PM_TRIGGER, EVENTs, FLAGs */
};

static const struct pcounter_trailer g84_trailer = {
	.size = 0x20,
	.own = 0x10,		/* EVENTs, FLAGs */
	.zero = 0x0c,
	.trigger = 0x0f,	/* PM_TRIGGER */
	.periodic = 0x0d,
};

static const struct pcounter_trailer gf100_trailer = {
	.size = 0x40,
	.own = 0x27,		/* USER signals and all that follow */
	.zero = 0x27,		/* USER_0 */
	.trigger = 0x2d,
	.periodic = 0x2e,
};

static void name_dom(struct pcounter_dom_id *id, u32 caps)
{
	if (id->set == PCOUNTER_SET_HUB)
		snprintf(id->name, sizeof(id->name), "%s%u",
			 caps & PCOUNTER_CAP_SETS ? "hub" : "", id->dom);
	else
		snprintf(id->name, sizeof(id->name), "%s%u.%u",
			 id->set == PCOUNTER_SET_GPC ? "gpc" : "part", id->unit, id->dom);
}

static void add_set(struct pcounter_topo *t, unsigned int set, unsigned int unit,
		    unsigned int block)
{
	const struct pcounter_chip_set *from = &t->chip->set[set];
	unsigned int i;

	for (i = 0; i < from->domains; i++) {
		struct pcounter_dom_id *id = &t->dom[t->nr++];

		id->set = set;
		id->unit = unit;
		id->dom = i;
		id->tpc = i - 1;
		id->block = block + i;
		id->trailer = from->trailer[i];
		id->disputed = from->disputed & BIT(i);
		name_dom(id, t->caps);
		if (set == PCOUNTER_SET_HUB) {
			id->user = t->chip->user[i];
			id->clock = t->chip->clocks[i];
		}
	}
}

/**
 * pcounter_topo_build() - number a GPU's domains
 * @topo: where to store them
 * @chip: the chip
 * @caps: PCOUNTER_CAP_* of its generation
 * @gpc_mask: mask of the GPCs of the GPU
 * @part_mask: mask of the partitions of the GPU
 */
void pcounter_topo_build(struct pcounter_topo *topo,
			 const struct pcounter_chip *chip, u32 caps,
			 u32 gpc_mask, u32 part_mask)
{
	unsigned int i;

	memset(topo, 0, sizeof(*topo));
	topo->chip = chip;
	topo->caps = caps;
	add_set(topo, PCOUNTER_SET_HUB, 0, caps & PCOUNTER_CAP_SETS ? GF100_HUB_BLOCK : 0);
	for (i = 0; i < PCOUNTER_MAX_GPCS; i++)
		if (gpc_mask & BIT(i))
			add_set(topo, PCOUNTER_SET_GPC, i,
				GF100_GPC_BLOCK + i * GF100_UNIT_BLOCKS);
	for (i = 0; i < PCOUNTER_MAX_PARTS; i++)
		if (part_mask & BIT(i))
			add_set(topo, PCOUNTER_SET_PART, i,
				GF100_PART_BLOCK + i * GF100_UNIT_BLOCKS);
}

/**
 * pcounter_topo_lose() - number the TPCs of a GPC that has lost some
 * @topo: the GPU's domains
 * @gpc: the GPC
 * @doms: mask of its domain 0 and of the domains of the TPCs that are left, in their
 *	order; the others are removed. 0: the TPC of each domain is unknown
 */
void pcounter_topo_lose(struct pcounter_topo *topo, unsigned int gpc, u32 doms)
{
	struct pcounter_dom_id *id = topo->dom;
	unsigned int tpc = 0, i;

	for (i = 0; i < topo->nr; i++) {
		*id = topo->dom[i];
		if (id->set == PCOUNTER_SET_GPC && id->unit == gpc) {
			if (doms && !(doms & BIT(id->dom)))
				continue;
			if (id->dom)
				id->tpc = doms ? tpc++ : PCOUNTER_NO_TPC;
		}
		id++;
	}
	topo->nr = id - topo->dom;
	topo->lost |= BIT(gpc);
}

/**
 * pcounter_topo_find() - look up a domain
 * @topo: the GPU's domains
 * @set: kind of set
 * @unit: which GPC or partition
 * @dom: number within the set
 *
 * Return: its index, -1 if it is not there.
 */
int pcounter_topo_find(const struct pcounter_topo *topo, unsigned int set,
		       unsigned int unit, unsigned int dom)
{
	unsigned int i;

	for (i = 0; i < topo->nr; i++)
		if (topo->dom[i].set == set && topo->dom[i].unit == unit &&
		    topo->dom[i].dom == dom)
			return i;
	return -1;
}

/**
 * pcounter_trailer_of() - find the trailer signals of a generation
 * @caps: PCOUNTER_CAP_* of the generation
 *
 * Return: the trailer.
 */
const struct pcounter_trailer *pcounter_trailer_of(u32 caps)
{
	if (caps & PCOUNTER_CAP_SETS)
		return &gf100_trailer;
	if (caps & PCOUNTER_CAP_SWAP_SRC)
		return &g84_trailer;
	return caps & PCOUNTER_CAP_IMPORT ? &nv40_trailer : &nv10_trailer;
}

/**
 * pcounter_dom_signals() - get the number of signals of a domain
 * @id: the domain
 * @caps: PCOUNTER_CAP_* of the generation
 *
 * If the trailer's base is unknown or disputed, every number that fits the
 * register is allowed.
 *
 * Return: number of signals, 256 at most.
 */
unsigned int pcounter_dom_signals(const struct pcounter_dom_id *id, u32 caps)
{
	if (id->trailer == PCOUNTER_TRAILER_UNKNOWN || id->disputed)
		return MAX_SIGNALS;
	return id->trailer + pcounter_trailer_of(caps)->size;
}
