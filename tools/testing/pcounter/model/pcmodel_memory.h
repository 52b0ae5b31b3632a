/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path of packets and records to memory, hw:memory: its state, and faults.
 */
#ifndef _PCMODEL_MEMORY_H
#define _PCMODEL_MEMORY_H

#include <linux/types.h>

#define PCMODEL_TLBS		8	/* one for each domain of a set */
#define PCMODEL_TLB		32	/* entries for each domain */
#define PCMODEL_VRAM_PAGES	32	/* pages of VRAM with contents */
#define PCMODEL_PAGE		4096

/**
 * struct pcmodel_bus - the GPU's access to system memory
 * @read: read @len bytes at a bus address; return not 0 if nothing answers
 * @write: write @len bytes
 * @ctx: argument of both
 *
 * The bytes are in one page, and at most 32 except for pcmodel_record_flow().
 * pcmodel_run(), pcmodel_rd32() and pcmodel_wr32() call both functions, which must
 * not call the model. Without a bus nothing answers.
 */
struct pcmodel_bus {
	int (*read)(void *ctx, u64 addr, void *buf, size_t len);
	int (*write)(void *ctx, u64 addr, const void *buf, size_t len);
	void *ctx;
};

/* Fault codes, hw:memory/faults */
enum pcmodel_fault {
	PCMODEL_PT_NOT_PRESENT = 0x0,
	PCMODEL_PT_TOO_SHORT = 0x1,
	PCMODEL_PAGE_NOT_PRESENT = 0x2,
	PCMODEL_SUPERVISOR_ONLY = 0x3,
	PCMODEL_READ_ONLY = 0x4,
	PCMODEL_NO_CHANNEL = 0x5,
	PCMODEL_NULL_DMAOBJ = 0x6,
	PCMODEL_WRONG_MEMTYPE = 0x7,
	PCMODEL_VRAM_LIMIT = 0xb,
	PCMODEL_DMAOBJ_LIMIT = 0xf,
	PCMODEL_NO_FAULT,
};

/**
 * struct pcmodel_leaf - the target of an address
 * @addr: the address in @target
 * @target: 0 VRAM, 2 and 3 system memory
 * @kind: storage type
 * @read_only: no writes
 * @supervisor: supervisor only
 */
struct pcmodel_leaf {
	u64 addr;
	u8 target;
	u8 kind;
	bool read_only;
	bool supervisor;
};

/**
 * struct pcmodel_tlb_entry - a cached translation
 * @directory: GF100+: address of the page directory; 0 before
 * @page: the virtual address >> @shift
 * @shift: size of the page
 * @valid: it has not been flushed
 * @code: PCMODEL_NO_FAULT, or GF100+: the page is absent
 * @leaf: the target of the page
 */
struct pcmodel_tlb_entry {
	u64 directory;
	u64 page;
	u8 shift;
	bool valid;
	u8 code;
	struct pcmodel_leaf leaf;
};

/**
 * struct pcmodel_tlb - cached translations of a domain; GF100+: the first one has all
 * @n: entries filled so far; the oldest is replaced
 * @entry: the translations
 */
struct pcmodel_tlb {
	u32 n;
	struct pcmodel_tlb_entry entry[PCMODEL_TLB];
};

/**
 * struct pcmodel_object - a DMA object; GF100+: an instance block, without a base
 * @base: base address
 * @limit: limit
 * @target: 0: paged, otherwise as in a leaf
 * @access: 0: as the page tables, 1: read only, 2: read and write
 * @privilege: 0: as the page tables, 1: user and supervisor, 2: supervisor only
 * @kind: storage type; 0x7f: as the page tables
 * @supervisor: its accesses have supervisor rights
 * @directory: GF100+: address of the page directory
 * @directory_target: GF100+: memory that holds it
 */
struct pcmodel_object {
	u64 base;
	u64 limit;
	u8 target;
	u8 access;
	u8 privilege;
	u8 kind;
	bool supervisor;
	u64 directory;
	u8 directory_target;
};

/**
 * struct pcmodel_vm - the path to memory, hw:memory
 * @bound: RECORD_CHAN has bound a channel
 * @fault: the fault of the bind: no channel, or the DMA object of selector 0
 * @chan: address of the channel structure
 * @chan_target: memory that holds @chan
 * @selector: selector of the bound DMA object
 * @object: the DMA object's contents at the time of the bind
 * @tlb: the TLB of each domain
 * @pd_offset: offset of the page directory in the channel structure
 * @sysif: bits 40 to 63 of all addresses in system memory
 * @vram_size: size of VRAM in bytes
 * @flushing: reads until a TLB flush is done
 * @flush: GF100+: 0x100cb4 to 0x100cbc
 * @half_entries: GF100+: bit 0 of 0x100c80: a directory entry has 64 MiB, not 128
 * @reported: GF100+: PCOUNTER's bit in 0x00259c
 * @report: GF100+: 0x002930 to 0x00293c, the last fault
 * @pramin: base and target of the PRAMIN window
 * @peephole: address of the next word of the PEEPHOLE RW port
 * @bar: 0x1704, 0x1708, 0x170c, 0x1710
 * @dirty: writes of the CPU to VRAM since the last flush
 * @vram_page: number + 1 of the page that each piece of @vram holds
 * @vram: contents of VRAM pages
 */
struct pcmodel_vm {
	bool bound;
	u8 fault;
	u64 chan;
	u8 chan_target;
	u16 selector;
	struct pcmodel_object object;
	struct pcmodel_tlb tlb[PCMODEL_TLBS];
	u32 pd_offset;
	u32 sysif;
	u64 vram_size;
	u32 flushing;
	u32 flush[3];
	bool half_entries;
	bool reported;
	u32 report[4];
	u32 pramin;
	u32 peephole;
	u32 bar[4];
	bool dirty;
	u32 vram_page[PCMODEL_VRAM_PAGES];
	u8 vram[PCMODEL_VRAM_PAGES][PCMODEL_PAGE];
};

/**
 * struct pcmodel_dma - the GPU's accesses to memory
 * @audit: compare every write with the present tables
 * @reads: reads of structures
 * @writes: writes to system memory
 * @vram: writes to VRAM
 * @blocked: reads and writes that were not answered
 * @stale: with @audit: writes to addresses to which the tables no longer lead
 * @unflushed: uses of a channel or table in VRAM without the flush of BARs
 * @full: writes to VRAM without a free page in @vram
 * @flushes: TLB flushes of PCOUNTER
 * @lost_flushes: TLB flushes that were requested during another one
 */
struct pcmodel_dma {
	bool audit;
	u64 reads;
	u64 writes;
	u64 vram;
	u64 blocked;
	u64 stale;
	u64 unflushed;
	u64 full;
	u64 flushes;
	u64 lost_flushes;
};

#endif
