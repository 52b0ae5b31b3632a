// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables in memory, hw:memory: those of G84:GF100 behind a DMA object, and
 * those of GF100 and later behind an instance block.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define PD_OFFSET_BITS		GENMASK(31, 3)

/* hw:memory/dma-object */
#define OBJECT_BYTES		16	/* the other bytes are for compression, encryption */
#define OBJECT_TARGET		GENMASK(17, 16)
#define OBJECT_ACCESS		GENMASK(19, 18)
#define OBJECT_PRIVILEGE	GENMASK(21, 20)
#define OBJECT_KIND		GENMASK(28, 22)
#define OBJECT_SUPERVISOR	BIT(31)
#define OBJECT_BASE_HIGH	GENMASK(7, 0)
#define OBJECT_LIMIT_HIGH	GENMASK(31, 24)

/* hw:memory/pde */
#define PDE_SHIFT		29
#define PDE_SPAN		BIT(PDE_SHIFT)
#define PDE_COUNT		0x800
#define PDE_PAGES		GENMASK_ULL(1, 0)
#define   PAGES_SMALL		3
#define PDE_TARGET		GENMASK_ULL(3, 2)
#define PDE_SIZE		GENMASK_ULL(6, 5)
#define PDE_ADDR		GENMASK_ULL(39, 12)

/* hw:memory/pte */
#define PTE_PRESENT		BIT_ULL(0)
#define PTE_READ_ONLY		BIT_ULL(3)
#define PTE_TARGET		GENMASK_ULL(5, 4)
#define PTE_SUPERVISOR		BIT_ULL(6)
#define PTE_CONTIG		GENMASK_ULL(9, 7)
#define PTE_ADDR		GENMASK_ULL(39, 12)
#define PTE_KIND		GENMASK_ULL(46, 40)

#define PAGE_SHIFT_SMALL	12

#define ENTRY_BYTES		8

static enum pcmodel_fault fetch_entry(struct pcmodel *m, u8 target, u64 addr,
				      u64 *entry)
{
	u8 raw[ENTRY_BYTES];

	if (target == INVALID)
		return PCMODEL_WRONG_MEMTYPE;
	if (!pcmodel_fetch(m, target, addr, raw, sizeof(raw)))
		return PCMODEL_VRAM_LIMIT;
	*entry = pcmodel_get32(raw) | (u64)pcmodel_get32(raw + 4) << 32;
	return PCMODEL_NO_FAULT;
}

/* ---- G84:GF100 ---- */

static u64 directory(const struct pcmodel *m, unsigned int entry)
{
	return m->vm.chan + (m->vm.pd_offset & PD_OFFSET_BITS) +
	       entry * ENTRY_BYTES;
}

/* hw:ambiguities/25: return true if another directory entry points to this table. */
static bool is_shared(struct pcmodel *m, unsigned int entry, u64 pde)
{
	u64 other;
	unsigned int i;

	for (i = 0; i < PDE_COUNT; i++) {
		if (i == entry ||
		    fetch_entry(m, m->vm.chan_target, directory(m, i), &other) !=
		    PCMODEL_NO_FAULT)
			continue;
		if (FIELD_GET(PDE_PAGES, other) && !((pde ^ other) & (PDE_TARGET | PDE_ADDR)))
			return true;
	}
	return false;
}

/* Only tables of 4 KiB pages are modelled. */
static enum pcmodel_fault find_table(struct pcmodel *m, u64 va, u64 *pde)
{
	unsigned int entry = va >> PDE_SHIFT;
	enum pcmodel_fault code;

	code = fetch_entry(m, m->vm.chan_target, directory(m, entry), pde);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (FIELD_GET(PDE_PAGES, *pde) != PAGES_SMALL)
		return PCMODEL_PT_NOT_PRESENT;
	if (m->quirks.no_shared_tables && is_shared(m, entry, *pde))
		return PCMODEL_PT_NOT_PRESENT;
	return PCMODEL_NO_FAULT;
}

/*
 * Translate a virtual address to a page. In a contig block all entries have the
 * address of its first page.
 */
static enum pcmodel_fault walk_g84(struct pcmodel *m, const struct pcmodel_object *o, u64 va,
				   struct pcmodel_leaf *leaf, u8 *shift)
{
	static const u32 entries[] = { 0x20000, 0x8000, 0x4000, 0x2000 };
	enum pcmodel_fault code;
	u64 pde, pte;
	u32 index, in_block;

	code = find_table(m, va, &pde);
	if (code != PCMODEL_NO_FAULT)
		return code;
	*shift = PAGE_SHIFT_SMALL;
	index = (va & (PDE_SPAN - 1)) >> *shift;
	if (index >= entries[FIELD_GET(PDE_SIZE, pde)])
		return PCMODEL_PT_TOO_SHORT;
	code = fetch_entry(m, FIELD_GET(PDE_TARGET, pde),
			   (pde & PDE_ADDR) + index * ENTRY_BYTES, &pte);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (!(pte & PTE_PRESENT))
		return PCMODEL_PAGE_NOT_PRESENT;
	in_block = index & (BIT(FIELD_GET(PTE_CONTIG, pte)) - 1);
	leaf->addr = (pte & PTE_ADDR) + ((u64)in_block << *shift);
	leaf->target = FIELD_GET(PTE_TARGET, pte);
	leaf->kind = FIELD_GET(PTE_KIND, pte);
	leaf->read_only = pte & PTE_READ_ONLY;
	leaf->supervisor = pte & PTE_SUPERVISOR;
	return PCMODEL_NO_FAULT;
}

/* Read the DMA object that is bound. */
static enum pcmodel_fault open_g84(struct pcmodel *m, struct pcmodel_object *o)
{
	u8 raw[OBJECT_BYTES];
	u32 word[4];
	unsigned int i;

	if (!m->vm.selector)
		return PCMODEL_NULL_DMAOBJ;
	if (!pcmodel_fetch(m, m->vm.chan_target, m->vm.chan + m->vm.selector * 16, raw,
			   sizeof(raw)))
		return PCMODEL_NO_CHANNEL;
	for (i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = pcmodel_get32(raw + 4 * i);
	o->target = FIELD_GET(OBJECT_TARGET, word[0]);
	o->access = FIELD_GET(OBJECT_ACCESS, word[0]);
	o->privilege = FIELD_GET(OBJECT_PRIVILEGE, word[0]);
	o->kind = FIELD_GET(OBJECT_KIND, word[0]);
	o->supervisor = word[0] & OBJECT_SUPERVISOR;
	o->limit = word[1] | (u64)FIELD_GET(OBJECT_LIMIT_HIGH, word[3]) << 32;
	o->base = word[2] | (u64)FIELD_GET(OBJECT_BASE_HIGH, word[3]) << 32;
	return PCMODEL_NO_FAULT;
}

/* ---- GF100 and later, hw:memory/gf100 ---- */

#define INSTANCE_SPACE		0x200		/* directory, then limit */
#define INSTANCE_TARGET		GENMASK(1, 0)
#define INSTANCE_LOW		GENMASK(31, 12)
#define INSTANCE_HIGH		GENMASK(7, 0)
#define PAGE_OFFSET_BITS	GENMASK(11, 0)

#define GF100_PDE_SHIFT		27
#define GF100_PDE_SIZE		GENMASK_ULL(3, 2)
#define GF100_PDE_THERE		BIT_ULL(32)	/* by rnndb */
#define GF100_PDE_TARGET	GENMASK_ULL(33, 32)
#define GF100_PDE_ADDR		GENMASK_ULL(63, 36)	/* address >> 12 */
#define GF100_LARGEST_SHORT	BIT(27)

#define GF100_PTE_PRESENT	BIT_ULL(0)
#define GF100_PTE_SUPERVISOR	BIT_ULL(1)
#define GF100_PTE_READ_ONLY	BIT_ULL(2)
#define GF100_PTE_ADDR		GENMASK_ULL(31, 4)	/* address >> 12 */
#define GF100_PTE_TARGET	GENMASK_ULL(34, 33)
#define GF100_PTE_KIND		GENMASK_ULL(43, 36)
#define GF100_PTE_NO_WRITE	BIT_ULL(63)

/* The limit is the last address; its low bits do not matter. */
static enum pcmodel_fault open_gf100(struct pcmodel *m, struct pcmodel_object *o)
{
	u8 raw[16];

	if (!pcmodel_fetch(m, m->vm.chan_target, m->vm.chan + INSTANCE_SPACE, raw, sizeof(raw)))
		return PCMODEL_NO_CHANNEL;
	memset(o, 0, sizeof(*o));
	o->kind = KIND_FROM_TABLES;
	o->directory_target = FIELD_GET(INSTANCE_TARGET, pcmodel_get32(raw));
	o->directory = (pcmodel_get32(raw) & INSTANCE_LOW) |
		       (u64)FIELD_GET(INSTANCE_HIGH, pcmodel_get32(raw + 4)) << 32;
	o->limit = (pcmodel_get32(raw + 8) & INSTANCE_LOW) | PAGE_OFFSET_BITS |
		   (u64)FIELD_GET(INSTANCE_HIGH, pcmodel_get32(raw + 12)) << 32;
	return PCMODEL_NO_FAULT;
}

/* A field of 2 bits shortens a table: 64 MiB, 32 MiB, 16 MiB. */
static bool is_too_short(u64 pde, u64 offset)
{
	unsigned int size = FIELD_GET(GF100_PDE_SIZE, pde);

	return size && offset >= GF100_LARGEST_SHORT >> size;
}

static enum pcmodel_fault walk_gf100(struct pcmodel *m, const struct pcmodel_object *o, u64 va,
				     struct pcmodel_leaf *leaf, u8 *shift)
{
	unsigned int span = GF100_PDE_SHIFT - m->vm.half_entries;
	u64 pde, pte, offset = va & (BIT_ULL(span) - 1);
	enum pcmodel_fault code;

	code = fetch_entry(m, o->directory_target, o->directory + (va >> span) * ENTRY_BYTES,
			   &pde);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (!(pde & (m->quirks.pde_bit_0 ? GF100_PDE_THERE : GF100_PDE_TARGET)))
		return PCMODEL_PT_NOT_PRESENT;
	if (is_too_short(pde, offset))
		return PCMODEL_PT_TOO_SHORT;
	*shift = PAGE_SHIFT_SMALL;
	code = fetch_entry(m, FIELD_GET(GF100_PDE_TARGET, pde) == 1 ? VRAM :
			   FIELD_GET(GF100_PDE_TARGET, pde),
			   (FIELD_GET(GF100_PDE_ADDR, pde) << 12) +
			   (offset >> *shift) * ENTRY_BYTES, &pte);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (!(pte & GF100_PTE_PRESENT))
		return PCMODEL_PAGE_NOT_PRESENT;
	leaf->addr = FIELD_GET(GF100_PTE_ADDR, pte) << 12;
	leaf->target = FIELD_GET(GF100_PTE_TARGET, pte);
	leaf->kind = FIELD_GET(GF100_PTE_KIND, pte);
	leaf->read_only = pte & (GF100_PTE_READ_ONLY | GF100_PTE_NO_WRITE);
	leaf->supervisor = pte & GF100_PTE_SUPERVISOR;
	return PCMODEL_NO_FAULT;
}

/* ---- both ---- */

const struct pcmodel_tables *pcmodel_tables(const struct pcmodel *m)
{
	static const struct pcmodel_tables g84 = {
		.open = open_g84,
		.walk = walk_g84,
	};
	static const struct pcmodel_tables gf100 = {
		.open = open_gf100,
		.walk = walk_gf100,
		.caches_absent = true,
	};

	return pcmodel_is_gf100(m) ? &gf100 : &g84;
}
