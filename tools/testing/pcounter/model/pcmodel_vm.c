// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of packets and records to memory, hw:memory: address space, TLB,
 * faults. And the windows through which the CPU accesses VRAM.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

/* hw:memory/gf100-tlb, hw:memory/gf100-faults */
#define REG_FLUSH_QUEUE		0x100c80	/* GF100- */
#define   QUEUE_HALF_ENTRIES	BIT(0)		/* a directory entry has 64 MiB */
#define   QUEUE_EMPTY		BIT(15)
#define   QUEUE_FREE		GENMASK(23, 16)
#define REG_FLUSH		0x100cb4	/* three words */
#define   FLUSH_ADDR		GENMASK(31, 4)	/* address >> 12 */
#define   FLUSH_ALL_PAGES	BIT(0)
#define   FLUSH_ALL_DIRECTORIES	BIT(1)
#define   FLUSH_NOW		BIT(31)
#define REG_FAULTED_UNITS	0x00259c
#define REG_FAULT		0x002930	/* four words */
#define   FAULT_HUB		BIT(6)
#define   FAULT_WRITE		BIT(7)
#define   FAULT_CLIENT		GENMASK(12, 8)
#define   CLIENT_PCOUNTER	0x11
#define   UNIT_PCOUNTER		BIT(19)

enum flush_word { FLUSH_PAGE, FLUSH_DIRECTORY, FLUSH_START };

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
/* hw:memory/channel, hw:memory/tlb, hw:memory/system */
#define REG_TLB_FLUSH		0x100c80
#define   TLB_FLUSH_BUSY	BIT(0)
#define   TLB_FLUSH_ENGINE	GENMASK(31, 16)
#define   ENGINE_PCOUNTER	0xb
#define REG_PD_OFFSET		0x100c9c
#define REG_SYSIF		0x100f04

#define SYSIF_FROM		0xd0		/* GF119- */
#define PD_OFFSET_G84		0x200
#define VRAM_SIZE		0x10000000
#define NEVER			0xffffffff

#define ACCESS_READ_ONLY	1
#define PRIVILEGE_SUPERVISOR	2

#define VA_BITS			GENMASK_ULL(39, 0)

/* ---- TLB, hw:memory/tlb ---- */

static struct pcmodel_tlb_entry *tlb_find(struct pcmodel_tlb *tlb,
					  const struct pcmodel_object *o, u64 va)
{
	struct pcmodel_tlb_entry *e;

	for (e = tlb->entry; e < tlb->entry + PCMODEL_TLB; e++)
		if (e->valid && e->directory == o->directory && e->page == va >> e->shift)
			return e;
	return NULL;
}

/*
 * A cached translation stays valid until a flush, even if the tables change. So
 * does an absent page, where those are cached.
 */
static enum pcmodel_fault look_up(struct pcmodel *m, const struct pcmodel_object *o,
				  unsigned int dom, u64 va, struct pcmodel_leaf *leaf)
{
	const struct pcmodel_tables *tables = pcmodel_tables(m);
	struct pcmodel_tlb *tlb = &m->vm.tlb[dom];
	struct pcmodel_tlb_entry *e = tlb_find(tlb, o, va), fresh = { .valid = true };

	if (!e) {
		fresh.code = tables->walk(m, o, va, &fresh.leaf, &fresh.shift);
		if (fresh.code != PCMODEL_NO_FAULT &&
		    !(fresh.code == PCMODEL_PAGE_NOT_PRESENT && tables->caches_absent))
			return fresh.code;
		fresh.directory = o->directory;
		fresh.page = va >> fresh.shift;
		e = &tlb->entry[tlb->n++ % PCMODEL_TLB];
		*e = fresh;
	}
	*leaf = e->leaf;
	leaf->addr += va & (BIT_ULL(e->shift) - 1);
	return e->code;
}

/* GF100 and later: return true if the requested flush includes this entry. */
static bool is_flushed(const struct pcmodel_vm *vm, const struct pcmodel_tlb_entry *e)
{
	u32 request = vm->flush[FLUSH_START];

	if (!(request & FLUSH_ALL_DIRECTORIES) &&
	    FIELD_GET(FLUSH_ADDR, vm->flush[FLUSH_DIRECTORY]) != e->directory >> 12)
		return false;
	return request & FLUSH_ALL_PAGES ||
	       FIELD_GET(FLUSH_ADDR, vm->flush[FLUSH_PAGE]) == e->page;
}

static void tlb_flush(struct pcmodel *m)
{
	struct pcmodel_tlb_entry *e = m->vm.tlb[0].entry;
	unsigned int i;

	m->dma.flushes++;
	if (!pcmodel_is_gf100(m))
		memset(m->vm.tlb, 0, sizeof(m->vm.tlb));
	for (i = 0; pcmodel_is_gf100(m) && i < PCMODEL_TLB; i++)
		e[i].valid &= !is_flushed(&m->vm, &e[i]);
}

/* hw:ambiguities/26: finish at once, later, or never; only one flush at a time. */
static void flush_begin(struct pcmodel *m)
{
	m->vm.flushing = m->quirks.flush_busy;
	if (!m->vm.flushing)
		tlb_flush(m);
}

static void flush_write(struct pcmodel *m, u32 val)
{
	if (!(val & TLB_FLUSH_BUSY) || FIELD_GET(TLB_FLUSH_ENGINE, val) != ENGINE_PCOUNTER)
		return;
	if (m->vm.flushing)
		m->dma.lost_flushes++;
	else
		flush_begin(m);
}

/* Return true if a flush was busy before this read. */
static bool flush_was_busy(struct pcmodel *m)
{
	if (!m->vm.flushing)
		return false;
	if (m->vm.flushing != NEVER && !--m->vm.flushing)
		tlb_flush(m);
	return true;
}

static u32 flush_read(struct pcmodel *m)
{
	return flush_was_busy(m) ?
		FIELD_PREP(TLB_FLUSH_ENGINE, ENGINE_PCOUNTER) | TLB_FLUSH_BUSY : 0;
}

/* ---- hw:memory/descriptor ---- */

/* Bind a channel with the DMA object of a selector, or an instance block. */
void pcmodel_vm_bind(struct pcmodel *m, u32 chan, u16 selector)
{
	struct pcmodel_vm *vm = &m->vm;

	vm->chan = (u64)FIELD_GET(RECORD_CHAN_ADDR, chan) << 12;
	vm->chan_target = FIELD_GET(RECORD_CHAN_TARGET, chan);
	vm->selector = selector;
	vm->bound = vm->chan_target == VRAM ||
		    (vm->chan_target != INVALID && !m->quirks.no_system_channel);
	if (vm->bound)
		vm->fault = pcmodel_tables(m)->open(m, &vm->object);
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
	u8 shift = 0;

	if (beyond_limit(m, o, va + len - 1) || va & ~VA_BITS)
		return PCMODEL_DMAOBJ_LIMIT;
	memset(leaf, 0, sizeof(*leaf));
	if (o->target) {
		if (m->quirks.no_unpaged)
			return PCMODEL_WRONG_MEMTYPE;
		leaf->target = o->target == 1 ? VRAM : o->target;
		leaf->addr = va;
	} else if (tlb) {
		code = look_up(m, o, dom, va, leaf);
	} else {
		code = pcmodel_tables(m)->walk(m, o, va, leaf, &shift);
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

	if (pcmodel_tables(m)->open(m, &now) != PCMODEL_NO_FAULT)
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
	if (m->vm.fault != PCMODEL_NO_FAULT)
		return m->vm.fault;
	code = translate(m, o, dom, addr + o->base, len, true, &leaf);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (m->dma.audit)
		audit(m, dom, addr, len, &leaf);
	*(leaf.target == VRAM ? &m->dma.vram : &m->dma.writes) += 1;
	pcmodel_memory_write(m, leaf.target, leaf.addr, data, len);
	return PCMODEL_NO_FAULT;
}

/* hw:memory/gf100-faults; hw:ambiguities/62: no source has a reason for the last three. */
static u32 fault_reason(enum pcmodel_fault code)
{
	static const u8 reasons[PCMODEL_NO_FAULT] = {
		[PCMODEL_PT_NOT_PRESENT] = 0x0,
		[PCMODEL_PT_TOO_SHORT] = 0x1,
		[PCMODEL_PAGE_NOT_PRESENT] = 0x2,
		[PCMODEL_DMAOBJ_LIMIT] = 0x3,
		[PCMODEL_NO_CHANNEL] = 0x4,
		[PCMODEL_SUPERVISOR_ONLY] = 0x5,
		[PCMODEL_READ_ONLY] = 0x6,
		[PCMODEL_WRONG_MEMTYPE] = 0xc,
		[PCMODEL_NULL_DMAOBJ] = 0xc,
		[PCMODEL_VRAM_LIMIT] = 0xc,
	};

	return reasons[code];
}

static void report_fault(struct pcmodel *m, u64 addr, enum pcmodel_fault code)
{
	u32 report[] = {
		m->vm.chan >> 12, addr, addr >> 32,
		fault_reason(code) | FAULT_HUB | FAULT_WRITE |
		FIELD_PREP(FAULT_CLIENT, CLIENT_PCOUNTER),
	};

	memcpy(m->vm.report, report, sizeof(report));
	m->vm.reported = true;
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
		if (code != PCMODEL_NO_FAULT && pcmodel_is_gf100(m))
			report_fault(m, addr, code);
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

static bool owns_gf100(const struct pcmodel *m, u32 addr)
{
	switch (addr) {
	case REG_FAULTED_UNITS:
	case REG_FAULT ... REG_FAULT + 12:
	case REG_FLUSH_QUEUE:
	case REG_FLUSH ... REG_FLUSH + 8:
		return true;
	default:
		return addr == REG_SYSIF && m->chip->chipset >= SYSIF_FROM;
	}
}

static u32 read_gf100(struct pcmodel *m, u32 addr)
{
	struct pcmodel_vm *vm = &m->vm;
	bool busy;

	switch (addr) {
	case REG_FAULTED_UNITS:
		return vm->reported ? UNIT_PCOUNTER : 0;
	case REG_FAULT ... REG_FAULT + 12:
		return vm->report[(addr - REG_FAULT) / 4];
	case REG_FLUSH_QUEUE:
		busy = flush_was_busy(m);
		return (vm->half_entries ? QUEUE_HALF_ENTRIES : 0) |
		       (busy ? 0 : QUEUE_EMPTY | FIELD_PREP(QUEUE_FREE, 1));
	case REG_SYSIF:
		return vm->sysif;
	default:
		return vm->flush[(addr - REG_FLUSH) / 4];
	}
}

/* The queue has one place. A write during a flush gets lost. */
static void write_gf100(struct pcmodel *m, u32 addr, u32 val)
{
	struct pcmodel_vm *vm = &m->vm;

	if (addr == REG_FAULTED_UNITS) {
		vm->reported &= !(val & UNIT_PCOUNTER);
	} else if (addr < REG_FLUSH || addr > REG_FLUSH + 8) {
		m->lint.direction++;
	} else if (vm->flushing) {
		m->dma.lost_flushes++;
	} else {
		vm->flush[(addr - REG_FLUSH) / 4] = val;
		if (addr == REG_FLUSH + 8 && val & FLUSH_NOW)
			flush_begin(m);
	}
}

/* Return true if the chip has this register, and this file implements it. */
bool pcmodel_vm_owns(const struct pcmodel *m, u32 addr)
{
	if (pcmodel_is_gf100(m))
		return owns_gf100(m, addr);
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

	pcmodel_memory_read(m, target, addr, raw, sizeof(raw));
	return pcmodel_get32(raw);
}

static void window_wr32(struct pcmodel *m, u8 target, u64 addr, u32 val)
{
	u8 raw[4];

	pcmodel_put32(raw, val);
	m->vm.dirty |= target == VRAM;
	pcmodel_memory_write(m, target, addr, raw, sizeof(raw));
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

static u32 read_g84(struct pcmodel *m, u32 addr)
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

static void write_g84(struct pcmodel *m, u32 addr, u32 val)
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

u32 pcmodel_vm_rd32(struct pcmodel *m, u32 addr)
{
	return pcmodel_is_gf100(m) ? read_gf100(m, addr) : read_g84(m, addr);
}

void pcmodel_vm_wr32(struct pcmodel *m, u32 addr, u32 val)
{
	if (pcmodel_is_gf100(m))
		write_gf100(m, addr, val);
	else
		write_g84(m, addr, val);
}

/* ---- set-up ---- */

void pcmodel_vm_init(struct pcmodel *m)
{
	m->vm.pd_offset = PD_OFFSET_G84;
	m->vm.vram_size = VRAM_SIZE;
}
