// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of packets to memory on G84:GF100, hw:memory: channel, DMA object,
 * page directory, page tables, TLB. And VRAM, with the windows through which
 * the CPU accesses it.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

/* hw:memory/cpu */
#define REG_PRAMIN_BASE		0x001700
#define   PRAMIN_PAGE		GENMASK(23, 0)	/* address >> 16 */
#define   PRAMIN_TARGET		GENMASK(25, 24)
#define REG_BAR_CHANNEL		0x001704	/* the first of four */
#define REG_PEEPHOLE_MODE	0x001710
#define   PEEPHOLE_VM		BIT(31)
#define REG_PEEPHOLE_ADDR	0x060010
#define REG_PEEPHOLE_DATA	0x060014
#define REG_BAR_FLUSH		0x070000
#define REG_VRAM_SIZE		0x10020c
#define REG_PRAMIN		0x700000
#define REG_PRAMIN_SIZE		0x100000
/* hw:memory/channel, hw:memory/tlb, hw:memory/system */
#define REG_TLB_FLUSH		0x100c80
#define   TLB_FLUSH_BUSY	BIT(0)
#define   TLB_FLUSH_ENGINE	GENMASK(31, 16)
#define   ENGINE_PCOUNTER	0xb
#define REG_PD_OFFSET		0x100c9c
#define REG_SYSIF		0x100f04
#define   SYSIF_HIGH		GENMASK(23, 0)	/* address >> 40 */

#define PD_OFFSET_G84		0x200
#define PD_OFFSET_BITS		GENMASK(31, 3)
#define VRAM_SIZE		0x10000000
#define NEVER			0xffffffff

enum target { VRAM, INVALID, SNOOPED, NOT_SNOOPED };

/* hw:memory/dma-object */
#define OBJECT_BYTES		16	/* the other bytes are for compression, encryption */
#define OBJECT_TARGET		GENMASK(17, 16)
#define OBJECT_ACCESS		GENMASK(19, 18)
#define   ACCESS_READ_ONLY	1
#define OBJECT_PRIVILEGE	GENMASK(21, 20)
#define   PRIVILEGE_SUPERVISOR	2
#define OBJECT_KIND		GENMASK(28, 22)
#define   KIND_FROM_TABLES	0x7f
#define OBJECT_SUPERVISOR	BIT(31)
#define OBJECT_BASE_HIGH	GENMASK(7, 0)
#define OBJECT_LIMIT_HIGH	GENMASK(31, 24)

/* hw:memory/pde */
#define PDE_SHIFT		29
#define PDE_SPAN		BIT(PDE_SHIFT)
#define PDE_COUNT		0x800
#define PDE_PAGES		GENMASK_ULL(1, 0)
#define   PAGES_NONE		0
#define   PAGES_MEDIUM		2
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
#define PTE_KIND		GENMASK_ULL(46, 40)

#define VA_BITS			GENMASK_ULL(39, 0)
#define ENTRY_BYTES		8

/* ---- memory ---- */

/* Return the contents of memory that has not been written yet. */
static u8 vram_junk(u64 addr)
{
	return (addr >> 3) * 0x9d ^ 0xc5;
}

static u8 *vram_page(struct pcmodel_vm *vm, u64 addr, bool make)
{
	u32 page = addr / PCMODEL_PAGE + 1;
	unsigned int i, k;

	for (i = 0; i < PCMODEL_VRAM_PAGES && vm->vram_page[i]; i++)
		if (vm->vram_page[i] == page)
			return vm->vram[i];
	if (!make || i == PCMODEL_VRAM_PAGES)
		return NULL;
	vm->vram_page[i] = page;
	for (k = 0; k < PCMODEL_PAGE; k++)
		vm->vram[i][k] = vram_junk(addr - addr % PCMODEL_PAGE + k);
	return vm->vram[i];
}

static void vram_read(struct pcmodel *m, u64 addr, u8 *buf, size_t len)
{
	const u8 *page;

	for (; len; len--, addr++, buf++) {
		page = vram_page(&m->vm, addr, false);
		*buf = page ? page[addr % PCMODEL_PAGE] : vram_junk(addr);
	}
}

static void vram_write(struct pcmodel *m, u64 addr, const u8 *buf, size_t len)
{
	u8 *page;

	for (; len; len--, addr++, buf++) {
		page = vram_page(&m->vm, addr, true);
		if (page)
			page[addr % PCMODEL_PAGE] = *buf;
		else
			m->dma.full++;
	}
}

static u64 bus_address(const struct pcmodel *m, u64 addr)
{
	return (addr & VA_BITS) | (u64)(m->vm.sysif & SYSIF_HIGH) << 40;
}

static void bus_read(struct pcmodel *m, u64 addr, u8 *buf, size_t len)
{
	if (!m->dead && m->bus.read &&
	    !m->bus.read(m->bus.ctx, bus_address(m, addr), buf, len))
		return;
	/* no answer: all ones */
	memset(buf, 0xff, len);
	m->dma.blocked++;
}

static void bus_write(struct pcmodel *m, u64 addr, const u8 *buf, size_t len)
{
	if (m->dead || !m->bus.write ||
	    m->bus.write(m->bus.ctx, bus_address(m, addr), buf, len))
		m->dma.blocked++;
}

/* Read a structure of the channel; return false beyond the end of VRAM. */
static bool fetch(struct pcmodel *m, u8 target, u64 addr, u8 *buf, size_t len)
{
	m->dma.reads++;
	if (target != VRAM) {
		bus_read(m, addr, buf, len);
		return true;
	}
	if (addr + len > m->vm.vram_size)
		return false;
	m->dma.unflushed += m->vm.dirty;
	vram_read(m, addr, buf, len);
	return true;
}

static u32 get32(const u8 *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (u32)at[3] << 24;
}

static u64 get64(const u8 *at)
{
	return get32(at) | (u64)get32(at + 4) << 32;
}

static void put32(u8 *at, u32 value)
{
	at[0] = value;
	at[1] = value >> 8;
	at[2] = value >> 16;
	at[3] = value >> 24;
}

/* ---- page tables ---- */

/* Kinds of pages, by their number in a directory entry. */
static const struct {
	u8 shift;
	u64 addr;
} pages[] = {
	{ },
	{ 16, GENMASK_ULL(39, 16) },
	{ 14, GENMASK_ULL(39, 14) },
	{ 12, GENMASK_ULL(39, 12) },
};

static enum pcmodel_fault fetch_entry(struct pcmodel *m, u8 target, u64 addr,
				      u64 *entry)
{
	u8 raw[ENTRY_BYTES];

	if (target == INVALID)
		return PCMODEL_WRONG_MEMTYPE;
	if (!fetch(m, target, addr, raw, sizeof(raw)))
		return PCMODEL_VRAM_LIMIT;
	*entry = get64(raw);
	return PCMODEL_NO_FAULT;
}

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

static enum pcmodel_fault find_table(struct pcmodel *m, u64 va, u64 *pde)
{
	unsigned int entry = va >> PDE_SHIFT;
	enum pcmodel_fault code;

	code = fetch_entry(m, m->vm.chan_target, directory(m, entry), pde);
	if (code != PCMODEL_NO_FAULT)
		return code;
	switch (FIELD_GET(PDE_PAGES, *pde)) {
	case PAGES_NONE:
		return PCMODEL_PT_NOT_PRESENT;
	case PAGES_MEDIUM:
		if (m->chip->variant < PCMODEL_GT215)
			return PCMODEL_PT_NOT_PRESENT;
		break;
	}
	if (m->quirks.no_shared_tables && is_shared(m, entry, *pde))
		return PCMODEL_PT_NOT_PRESENT;
	return PCMODEL_NO_FAULT;
}

/* Return the number of entries of a table; only tables of small pages can be shorter. */
static u32 table_entries(u64 pde)
{
	static const u32 small[] = { 0x20000, 0x8000, 0x4000, 0x2000 };
	unsigned int kind = FIELD_GET(PDE_PAGES, pde);

	if (kind == PAGES_SMALL)
		return small[FIELD_GET(PDE_SIZE, pde)];
	return PDE_SPAN >> pages[kind].shift;
}

/*
 * Translate a virtual address to a page. In a contig block all entries have the
 * address of its first page.
 */
static enum pcmodel_fault walk(struct pcmodel *m, u64 va,
			       struct pcmodel_leaf *leaf, u8 *shift)
{
	enum pcmodel_fault code;
	u64 pde, pte;
	u32 index, in_block;

	code = find_table(m, va, &pde);
	if (code != PCMODEL_NO_FAULT)
		return code;
	*shift = pages[FIELD_GET(PDE_PAGES, pde)].shift;
	index = (va & (PDE_SPAN - 1)) >> *shift;
	if (index >= table_entries(pde))
		return PCMODEL_PT_TOO_SHORT;
	code = fetch_entry(m, FIELD_GET(PDE_TARGET, pde),
			   (pde & PDE_ADDR) + index * ENTRY_BYTES, &pte);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (!(pte & PTE_PRESENT))
		return PCMODEL_PAGE_NOT_PRESENT;
	in_block = index & (BIT(FIELD_GET(PTE_CONTIG, pte)) - 1);
	leaf->addr = (pte & pages[FIELD_GET(PDE_PAGES, pde)].addr) +
		     ((u64)in_block << *shift);
	leaf->target = FIELD_GET(PTE_TARGET, pte);
	leaf->kind = FIELD_GET(PTE_KIND, pte);
	leaf->read_only = pte & PTE_READ_ONLY;
	leaf->supervisor = pte & PTE_SUPERVISOR;
	return PCMODEL_NO_FAULT;
}

/* ---- TLB, hw:memory/tlb ---- */

static bool tlb_find(const struct pcmodel_tlb *tlb, u64 va,
		     struct pcmodel_leaf *leaf, u8 *shift)
{
	unsigned int i;

	for (i = 0; i < PCMODEL_TLB; i++) {
		if (!tlb->entry[i].valid ||
		    tlb->entry[i].page != va >> tlb->entry[i].shift)
			continue;
		*leaf = tlb->entry[i].leaf;
		*shift = tlb->entry[i].shift;
		return true;
	}
	return false;
}

static void tlb_fill(struct pcmodel_tlb *tlb, u64 va,
		     const struct pcmodel_leaf *leaf, u8 shift)
{
	unsigned int at = tlb->n++ % PCMODEL_TLB;

	tlb->entry[at].page = va >> shift;
	tlb->entry[at].shift = shift;
	tlb->entry[at].leaf = *leaf;
	tlb->entry[at].valid = true;
}

/* A cached translation stays valid until a flush, even if the tables change. */
static enum pcmodel_fault look_up(struct pcmodel *m, unsigned int dom, u64 va,
				  struct pcmodel_leaf *leaf)
{
	enum pcmodel_fault code;
	u8 shift;

	if (!tlb_find(&m->vm.tlb[dom], va, leaf, &shift)) {
		code = walk(m, va, leaf, &shift);
		if (code != PCMODEL_NO_FAULT)
			return code;
		tlb_fill(&m->vm.tlb[dom], va, leaf, shift);
	}
	leaf->addr += va & (BIT_ULL(shift) - 1);
	return PCMODEL_NO_FAULT;
}

static void tlb_flush(struct pcmodel *m)
{
	memset(m->vm.tlb, 0, sizeof(m->vm.tlb));
	m->dma.flushes++;
}

/* hw:ambiguities/26: finish at once, later, or never; only one flush at a time. */
static void flush_write(struct pcmodel *m, u32 val)
{
	if (!(val & TLB_FLUSH_BUSY) || FIELD_GET(TLB_FLUSH_ENGINE, val) != ENGINE_PCOUNTER)
		return;
	if (m->vm.flushing) {
		m->dma.lost_flushes++;
		return;
	}
	m->vm.flushing = m->quirks.flush_busy;
	if (!m->vm.flushing)
		tlb_flush(m);
}

static u32 flush_read(struct pcmodel *m)
{
	if (!m->vm.flushing)
		return 0;
	if (m->vm.flushing != NEVER && !--m->vm.flushing)
		tlb_flush(m);
	return FIELD_PREP(TLB_FLUSH_ENGINE, ENGINE_PCOUNTER) | TLB_FLUSH_BUSY;
}

/* ---- hw:memory/descriptor, hw:memory/dma-object ---- */

static bool read_object(struct pcmodel *m, struct pcmodel_object *o)
{
	u8 raw[OBJECT_BYTES];
	u32 word[4];
	unsigned int i;

	if (!fetch(m, m->vm.chan_target, m->vm.chan + m->vm.selector * 16, raw, sizeof(raw)))
		return false;
	for (i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = get32(raw + 4 * i);
	o->target = FIELD_GET(OBJECT_TARGET, word[0]);
	o->access = FIELD_GET(OBJECT_ACCESS, word[0]);
	o->privilege = FIELD_GET(OBJECT_PRIVILEGE, word[0]);
	o->kind = FIELD_GET(OBJECT_KIND, word[0]);
	o->supervisor = word[0] & OBJECT_SUPERVISOR;
	o->limit = word[1] | (u64)FIELD_GET(OBJECT_LIMIT_HIGH, word[3]) << 32;
	o->base = word[2] | (u64)FIELD_GET(OBJECT_BASE_HIGH, word[3]) << 32;
	return true;
}

/* RECORD_CHAN with VALID: bind the channel, then the DMA object in it. */
void pcmodel_vm_bind(struct pcmodel *m)
{
	struct pcmodel_vm *vm = &m->vm;

	vm->chan = (u64)FIELD_GET(RECORD_CHAN_ADDR, m->record_chan) << 12;
	vm->chan_target = FIELD_GET(RECORD_CHAN_TARGET, m->record_chan);
	vm->selector = m->record_dma;
	vm->null = !vm->selector;
	vm->bound = vm->chan_target == VRAM ||
		    (vm->chan_target != INVALID && !m->quirks.no_system_channel);
	if (vm->bound && !vm->null)
		vm->bound = read_object(m, &vm->object);
}

/* ---- accesses ---- */

static bool beyond_limit(const struct pcmodel *m, const struct pcmodel_object *o,
			 u64 last)
{
	return m->quirks.dma_limit_exclusive ? last >= o->limit : last > o->limit;
}

static enum pcmodel_fault check_rights(const struct pcmodel_object *o,
				       const struct pcmodel_leaf *leaf)
{
	bool supervisor = o->privilege ? o->privilege == PRIVILEGE_SUPERVISOR :
					 leaf->supervisor;
	bool read_only = o->access ? o->access == ACCESS_READ_ONLY : leaf->read_only;
	u8 kind = o->kind == KIND_FROM_TABLES ? leaf->kind : o->kind;

	if (supervisor && !o->supervisor)
		return PCMODEL_SUPERVISOR_ONLY;
	if (read_only)
		return PCMODEL_READ_ONLY;
	if (leaf->target == INVALID || kind)
		return PCMODEL_WRONG_MEMTYPE;
	return PCMODEL_NO_FAULT;
}

/* Find the target of @len bytes of one page, through the DMA object @o. */
static enum pcmodel_fault translate(struct pcmodel *m, const struct pcmodel_object *o,
				    unsigned int dom, u64 va, size_t len, bool tlb,
				    struct pcmodel_leaf *leaf)
{
	enum pcmodel_fault code = PCMODEL_NO_FAULT;
	u8 shift;

	if (beyond_limit(m, o, va + len - 1) || va & ~VA_BITS)
		return PCMODEL_DMAOBJ_LIMIT;
	memset(leaf, 0, sizeof(*leaf));
	if (o->target) {
		if (m->quirks.no_unpaged)
			return PCMODEL_WRONG_MEMTYPE;
		leaf->target = o->target == 1 ? VRAM : o->target;
		leaf->addr = va;
	} else if (tlb) {
		code = look_up(m, dom, va, leaf);
	} else {
		code = walk(m, va, leaf, &shift);
		leaf->addr += va & (BIT_ULL(shift) - 1);
	}
	if (code != PCMODEL_NO_FAULT)
		return code;
	code = check_rights(o, leaf);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (leaf->target == VRAM && leaf->addr + len > m->vm.vram_size)
		return PCMODEL_VRAM_LIMIT;
	return PCMODEL_NO_FAULT;
}

/* Return true if the present structures lead to another address, or nowhere. */
static bool leads_elsewhere(struct pcmodel *m, unsigned int dom, u64 addr, size_t len,
			    const struct pcmodel_leaf *leaf)
{
	struct pcmodel_object now;
	struct pcmodel_leaf fresh;

	if (!read_object(m, &now))
		return true;
	return translate(m, &now, dom, addr + now.base, len, false, &fresh) !=
	       PCMODEL_NO_FAULT || fresh.addr != leaf->addr ||
	       fresh.target != leaf->target;
}

/* Compare without counting accesses; if the structures cannot be read, report no error. */
static void audit(struct pcmodel *m, unsigned int dom, u64 addr, size_t len,
		  const struct pcmodel_leaf *leaf)
{
	struct pcmodel_dma before = m->dma;
	bool stale = leads_elsewhere(m, dom, addr, len, leaf) &&
		     m->dma.blocked == before.blocked;

	m->dma = before;
	m->dma.stale += stale;
}

/* Write at most a page, and not across its end. */
static enum pcmodel_fault write_piece(struct pcmodel *m, unsigned int dom,
				      u64 addr, const u8 *data, size_t len)
{
	const struct pcmodel_object *o = &m->vm.object;
	struct pcmodel_leaf leaf;
	enum pcmodel_fault code;

	if (!m->vm.bound)
		return PCMODEL_NO_CHANNEL;
	if (m->vm.null)
		return PCMODEL_NULL_DMAOBJ;
	code = translate(m, o, dom, addr + o->base, len, true, &leaf);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (m->dma.audit)
		audit(m, dom, addr, len, &leaf);
	if (leaf.target == VRAM) {
		m->dma.vram++;
		vram_write(m, leaf.addr, data, len);
	} else {
		m->dma.writes++;
		bus_write(m, leaf.addr, data, len);
	}
	return PCMODEL_NO_FAULT;
}

/* PCOUNTER writes to a logical address of 40 bits; the low 32 bits wrap without a carry. */
enum pcmodel_fault pcmodel_vm_write(struct pcmodel *m, unsigned int dom,
				    u64 addr, const u8 *data, size_t len)
{
	enum pcmodel_fault code = PCMODEL_NO_FAULT;
	size_t n;

	while (len && code == PCMODEL_NO_FAULT) {
		n = min_t(size_t, len, PCMODEL_PAGE - addr % PCMODEL_PAGE);
		code = write_piece(m, dom, addr, data, n);
		addr = (addr & ~GENMASK_ULL(31, 0)) | (u32)(addr + n);
		data += n;
		len -= n;
	}
	return code;
}

/* ---- registers ---- */

static bool in_pramin(u32 addr)
{
	return addr - REG_PRAMIN < REG_PRAMIN_SIZE;
}

/* Return true if the chip has this register, and this file implements it. */
bool pcmodel_vm_owns(const struct pcmodel *m, u32 addr)
{
	if (!pcmodel_has_record(m))
		return false;
	switch (addr) {
	case REG_PRAMIN_BASE ... REG_PEEPHOLE_MODE:
	case REG_PEEPHOLE_ADDR:
	case REG_PEEPHOLE_DATA:
	case REG_BAR_FLUSH:
	case REG_VRAM_SIZE:
	case REG_TLB_FLUSH:
	case REG_PD_OFFSET:
	case REG_SYSIF:
		return true;
	default:
		return in_pramin(addr);
	}
}

static u32 window_rd32(struct pcmodel *m, u8 target, u64 addr)
{
	u8 raw[4] = { };

	if (target == VRAM)
		vram_read(m, addr, raw, sizeof(raw));
	else
		bus_read(m, addr, raw, sizeof(raw));
	return get32(raw);
}

static void window_wr32(struct pcmodel *m, u8 target, u64 addr, u32 val)
{
	u8 raw[4];

	put32(raw, val);
	if (target != VRAM) {
		bus_write(m, addr, raw, sizeof(raw));
		return;
	}
	m->vm.dirty = true;
	vram_write(m, addr, raw, sizeof(raw));
}

static u64 pramin_addr(const struct pcmodel *m, u32 addr)
{
	return ((u64)FIELD_GET(PRAMIN_PAGE, m->vm.pramin) << 16) + (addr - REG_PRAMIN);
}

static u32 peephole_next(struct pcmodel *m)
{
	u32 addr = m->vm.peephole;

	/* accesses through a DMA object are not modelled */
	m->lint.absent += m->vm.bar[3] & PEEPHOLE_VM ? 1 : 0;
	m->vm.peephole += 4;
	return addr;
}

u32 pcmodel_vm_rd32(struct pcmodel *m, u32 addr)
{
	struct pcmodel_vm *vm = &m->vm;

	switch (addr) {
	case REG_PRAMIN_BASE:
		return vm->pramin;
	case REG_BAR_CHANNEL ... REG_PEEPHOLE_MODE:
		return vm->bar[(addr - REG_BAR_CHANNEL) / 4];
	case REG_PEEPHOLE_ADDR:
		return vm->peephole;
	case REG_PEEPHOLE_DATA:
		return window_rd32(m, VRAM, peephole_next(m));
	case REG_BAR_FLUSH:
		return 0;
	case REG_VRAM_SIZE:
		return (vm->vram_size & GENMASK(31, 8)) | vm->vram_size >> 32;
	case REG_TLB_FLUSH:
		return flush_read(m);
	case REG_PD_OFFSET:
		return vm->pd_offset;
	case REG_SYSIF:
		return vm->sysif;
	default:
		return window_rd32(m, FIELD_GET(PRAMIN_TARGET, vm->pramin),
				   pramin_addr(m, addr));
	}
}

void pcmodel_vm_wr32(struct pcmodel *m, u32 addr, u32 val)
{
	struct pcmodel_vm *vm = &m->vm;

	switch (addr) {
	case REG_PRAMIN_BASE:
		vm->pramin = val & (PRAMIN_PAGE | PRAMIN_TARGET);
		break;
	case REG_BAR_CHANNEL ... REG_PEEPHOLE_MODE:
		vm->bar[(addr - REG_BAR_CHANNEL) / 4] = val;
		break;
	case REG_PEEPHOLE_ADDR:
		vm->peephole = val & GENMASK(31, 2);
		break;
	case REG_PEEPHOLE_DATA:
		window_wr32(m, VRAM, peephole_next(m), val);
		break;
	case REG_BAR_FLUSH:
		vm->dirty &= !(val & BIT(0));
		break;
	case REG_TLB_FLUSH:
		flush_write(m, val);
		break;
	case REG_VRAM_SIZE:
	case REG_PD_OFFSET:
	case REG_SYSIF:
		/* only the graphics driver may write these */
		m->lint.direction++;
		break;
	default:
		window_wr32(m, FIELD_GET(PRAMIN_TARGET, vm->pramin),
			    pramin_addr(m, addr), val);
	}
}

/* ---- set-up ---- */

void pcmodel_vm_init(struct pcmodel *m)
{
	m->vm.pd_offset = PD_OFFSET_G84;
	m->vm.vram_size = VRAM_SIZE;
}

/**
 * pcmodel_set_bus() - give the GPU system memory
 * @m: the model
 * @bus: its access functions; NULL: no memory
 */
void pcmodel_set_bus(struct pcmodel *m, const struct pcmodel_bus *bus)
{
	if (bus)
		m->bus = *bus;
	else
		memset(&m->bus, 0, sizeof(m->bus));
}
