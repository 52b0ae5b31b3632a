// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TPCs, GPCs and partitions, and from GF100 on their domains:
 * hw:muxes/tesla, hw:registers/window.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

static const u32 unit_regs[6] = {
	0x022430, 0x022504, 0x022584, 0x022438, 0x022548, 0x0225c8,
};

/* The same mask as 0x022548, GM107-: hw:registers/gf100-units. */
#define PART_FUSES	0x021d38

/* Number of TPCs of a GPC, hw:registers/gf100-units. */
#define GPC_TPCS	0x502608
#define GPC_STRIDE	0x8000
#define GPCS_END	0x600000

/* Masks of lost TPCs of the GPC in each place, hw:registers/gf100-units. */
#define TPC_LOST_HW	0x022508	/* GF100:GM107 */
#define TPC_LOST_SW	0x022588
#define TPC_LOST	0x021c38	/* GM107- */

/* Values of the quirk tpc_domains. */
#define TWO_BEFORE	1
#define LOST_ANSWER	2

static unsigned int gpc_domains(const struct pcmodel *m)
{
	return m->gpc_domains;
}

static unsigned int part_domains(const struct pcmodel *m)
{
	return m->chip->part_domains ?: 2;
}

/* From GK104 on each TPC has a separate domain, after the GPC's domain. */
static unsigned int design_tpcs(const struct pcmodel *m)
{
	return m->chip->variant == PCMODEL_GF100 ? 4 : m->chip->gpc_domains - 1;
}

/* Return the place of a clear bit of a mask. */
static unsigned int nth_clear(u32 mask, unsigned int n)
{
	unsigned int place;

	for (place = 0; place < 31; place++)
		if (!(mask & BIT(place)) && !n--)
			break;
	return place;
}

/* Return the TPCs that a GPC has lost: its masks are at its place, not at its number. */
u32 pcmodel_gpc_lost(const struct pcmodel *m, unsigned int gpc)
{
	unsigned int place = nth_clear(m->units[1] | m->units[2], gpc);

	if (place >= PCMODEL_GPC_PLACES)
		return 0;
	return (m->lost[place][0] | m->lost[place][1]) & GENMASK(design_tpcs(m) - 1, 0);
}

/* Number of TPCs of a GPC. Their registers are numbered without gaps. */
unsigned int pcmodel_gpc_tpcs(const struct pcmodel *m, unsigned int gpc)
{
	return design_tpcs(m) - hweight32(pcmodel_gpc_lost(m, gpc));
}

static bool two_before(const struct pcmodel *m)
{
	return gpc_domains(m) > m->chip->gpc_domains;
}

/* Return true if a domain does not answer, since its TPC is lost. */
bool pcmodel_domain_lost(const struct pcmodel *m, unsigned int gpc, unsigned int dom)
{
	return m->chip->variant != PCMODEL_GF100 && dom && !two_before(m) &&
	       m->quirks.tpc_domains != LOST_ANSWER &&
	       pcmodel_gpc_lost(m, gpc) & BIT(dom - 1);
}

/* Return the domain that shows the muxes of a TPC (hw:real-cards/r5). */
static unsigned int tpc_domain(const struct pcmodel *m, unsigned int gpc, unsigned int tpc)
{
	if (m->chip->variant == PCMODEL_GF100)
		return 0;
	return two_before(m) ? tpc + 2 : nth_clear(pcmodel_gpc_lost(m, gpc), tpc) + 1;
}

/*
 * Numbers are logical: masks disable units, and the other units are numbered
 * without gaps. A GF110 with count 6 and mask 1 has partitions 0 to 4; for GPCs
 * this is inferred.
 */
static unsigned int nr_units(const struct pcmodel *m, bool part)
{
	const u32 *u = &m->units[part ? 3 : 0];
	unsigned int count = min_t(u32, u[0], 32);

	if (!count)
		return 0;
	count -= hweight32((u[1] | u[2]) & GENMASK(count - 1, 0));
	return min_t(unsigned int, count, part ? PCMODEL_PARTS : PCMODEL_GPCS);
}

bool pcmodel_unit_present(const struct pcmodel *m, bool part, unsigned int unit)
{
	return unit < nr_units(m, part);
}

static void add_set(struct pcmodel *m, unsigned int count, const u8 *trailer)
{
	unsigned int first = m->domains, i;

	for (i = 0; i < count; i++) {
		unsigned int dom = m->domains++;
		struct pcmodel_domain *d = &m->dom[dom];

		d->first = first;
		d->count = count;
		d->trailer = m->base[dom] ? m->base[dom] - 1 : trailer[i] << 4;
	}
}

/* A second domain of the GPC itself is like the first. */
static void add_gpc(struct pcmodel *m)
{
	u8 trailer[PCMODEL_GPC_DOMAINS + 1];
	unsigned int i;

	for (i = 0; i < gpc_domains(m); i++)
		trailer[i] = m->chip->gpc_trailer[i && two_before(m) ? i - 1 : i];
	add_set(m, gpc_domains(m), trailer);
}

/* Number the domains: HUB, then GPC by GPC, then partition by partition. */
void pcmodel_enumerate(struct pcmodel *m)
{
	unsigned int i;

	m->domains = 0;
	m->gpc_domains = m->chip->gpc_domains;
	m->gpc_domains += m->chip->variant != PCMODEL_GF100 &&
			  m->quirks.tpc_domains == TWO_BEFORE;
	add_set(m, m->chip->domains, m->chip->trailer);
	for (i = 0; i < nr_units(m, false); i++)
		add_gpc(m);
	for (i = 0; i < nr_units(m, true); i++)
		add_set(m, part_domains(m), m->chip->part_trailer);
}

/* Return the index of a set's domain, NO_DOMAIN if it does not exist. */
unsigned int pcmodel_domain_of(const struct pcmodel *m, unsigned int kind,
			       unsigned int unit, unsigned int dom)
{
	unsigned int gpcs = m->chip->domains, parts;

	parts = gpcs + nr_units(m, false) * gpc_domains(m);
	if (kind == 0)
		return dom < gpcs ? dom : NO_DOMAIN;
	if (!pcmodel_unit_present(m, kind == 2, unit))
		return NO_DOMAIN;
	if (kind == 1)
		return dom < gpc_domains(m) ? gpcs + unit * gpc_domains(m) + dom : NO_DOMAIN;
	return dom < part_domains(m) ? parts + unit * part_domains(m) + dom : NO_DOMAIN;
}

/* Return the number of a domain's set: 0 for HUB, then GPCs, then partitions. */
unsigned int pcmodel_set_of(const struct pcmodel *m, unsigned int dom)
{
	unsigned int gpcs = m->chip->domains, parts;

	parts = gpcs + nr_units(m, false) * gpc_domains(m);
	if (dom >= parts)
		return 1 + PCMODEL_GPCS + (dom - parts) / part_domains(m);
	return dom < gpcs ? 0 : 1 + (dom - gpcs) / gpc_domains(m);
}

/* Parse a number of one or two digits before @end; return the following text. */
static const char *number(const char *s, const char *end, unsigned int *value)
{
	const char *first = s;

	for (*value = 0; s < end && s - first < 2 && *s >= '0' && *s <= '9'; s++)
		*value = *value * 10 + *s - '0';
	return s == first ? NULL : s;
}

/**
 * pcmodel_find_domain() - find the index of a domain by name
 * @m: the model
 * @name: "hub3", "gpc1.0", "part2.1"; "gpc1.tpc2": the domain that shows this TPC
 * @len: its length
 *
 * Return: the index, -EINVAL if there is no such domain.
 */
int pcmodel_find_domain(const struct pcmodel *m, const char *name, size_t len)
{
	static const char *const kinds[] = { "hub", "gpc", "part" };
	const char *end = name + len, *s;
	unsigned int kind, unit = 0, dom, n;
	bool tpc;

	for (kind = 0; pcmodel_is_gf100(m) && kind < ARRAY_SIZE(kinds); kind++) {
		n = strlen(kinds[kind]);
		if (len <= n || strncmp(name, kinds[kind], n))
			continue;
		s = name + n;
		if (kind) {
			s = number(s, end, &unit);
			if (!s || s == end || *s++ != '.')
				return -EINVAL;
		}
		tpc = kind == 1 && end - s > 3 && !strncmp(s, "tpc", 3);
		if (number(tpc ? s + 3 : s, end, &dom) != end ||
		    (tpc && (!pcmodel_unit_present(m, false, unit) ||
			     dom >= pcmodel_gpc_tpcs(m, unit))))
			return -EINVAL;
		if (tpc)
			dom = tpc_domain(m, unit, dom);
		n = pcmodel_domain_of(m, kind, unit, dom);
		return n == NO_DOMAIN ? -EINVAL : (int)n;
	}
	return -EINVAL;
}

/* Read a mask of lost TPCs; return false for another register. */
static bool lost_read(const struct pcmodel *m, u32 addr, u32 *val)
{
	bool gm107 = m->chip->variant >= PCMODEL_GM107, sw = !gm107 && addr >= TPC_LOST_SW;
	unsigned int place = (addr - (gm107 ? TPC_LOST : sw ? TPC_LOST_SW : TPC_LOST_HW)) / 4;

	if (!pcmodel_is_gf100(m) || addr & 3 || place >= PCMODEL_GPC_PLACES)
		return false;
	*val = m->lost[place][sw] | (gm107 ? m->lost[place][1] : 0);
	return true;
}

/* Read a register with numbers or masks of units; return false for another register. */
bool pcmodel_unit_read(const struct pcmodel *m, u32 addr, u32 *val)
{
	unsigned int i;

	if (pcmodel_is_tesla(m) && addr == REG_TPCS) {
		*val = m->tpcs;
		return true;
	}
	if (pcmodel_is_gf100(m) && addr >= GPC_TPCS && addr < GPCS_END &&
	    (addr - GPC_TPCS) % GPC_STRIDE == 0 &&
	    pcmodel_unit_present(m, false, (addr - GPC_TPCS) / GPC_STRIDE)) {
		*val = pcmodel_gpc_tpcs(m, (addr - GPC_TPCS) / GPC_STRIDE);
		return true;
	}
	if (lost_read(m, addr, val))
		return true;
	if (m->chip->variant >= PCMODEL_GM107 && addr == PART_FUSES)
		addr = unit_regs[4];
	for (i = 0; pcmodel_is_gf100(m) && i < ARRAY_SIZE(unit_regs); i++) {
		if (addr != unit_regs[i])
			continue;
		*val = m->units[i];
		return true;
	}
	return false;
}
