/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System memory for tests of record mode, with structures built by hand from hw:memory.
 */
#ifndef _MEMORY_TEST_H
#define _MEMORY_TEST_H

#include "model_test.h"

#define RECORD_HIGH	0x6a0
#define RECORD_STATUS	0x6e0
#define RECORD_LIMIT	0x720
#define RECORD_START	0x760
#define RECORD_CHAN	0x7a0
#define RECORD_DMA	0x7a4
#define TLB_FLUSH	0x100c80
#define PRAMIN		0x700000
#define PRAMIN_BASE	0x1700

#define RECORD		2
#define SHORT		0x100000
#define RECORD_RESET	1
#define NEVER_LIMIT	0xfffffff0

/* Bus addresses; above 4 GiB, so that a lost high bit shows. */
#define RAM_BASE	0x1234560000ULL
#define RAM_SIZE	0x200000
#define CHAN		(RAM_BASE + 0x1000)
#define DIRECTORY	(CHAN + 0x200)
#define OBJECT		(CHAN + 0x4200)
#define SELECTOR	0x420
#define TABLE		(RAM_BASE + 0x10000)
#define BUFFER		(RAM_BASE + 0x180000)
#define OTHER_BUFFER	(RAM_BASE + 0x1c0000)

#define SNOOPED		2
#define PDE_SMALL	(0x3 | SNOOPED << 2)
#define PTE_SYSTEM	0x21ULL
#define PAGED		0x7fc00000

static uint8_t ram[RAM_SIZE];
static unsigned int ram_writes;

static inline uint8_t *at(uint64_t addr, size_t len)
{
	if (addr < RAM_BASE || addr - RAM_BASE > RAM_SIZE - len)
		return NULL;
	return ram + (addr - RAM_BASE);
}

/* @ctx: memory other than this one */
static inline int ram_read(void *ctx, u64 addr, void *buf, size_t len)
{
	const uint8_t *base = ctx ? ctx : ram;

	if (!at(addr, len))
		return -1;
	memcpy(buf, base + (addr - RAM_BASE), len);
	return 0;
}

static inline int ram_write(void *ctx, u64 addr, const void *buf, size_t len)
{
	uint8_t *base = ctx ? ctx : ram;

	ram_writes++;
	if (!at(addr, len))
		return -1;
	memcpy(base + (addr - RAM_BASE), buf, len);
	return 0;
}

static inline void poke32(uint64_t addr, uint32_t val)
{
	for (unsigned int i = 0; i < 4; i++)
		*at(addr + i, 1) = val >> 8 * i;
}

static inline void poke64(uint64_t addr, uint64_t val)
{
	poke32(addr, val);
	poke32(addr + 4, val >> 32);
}

static inline unsigned int peek16(uint64_t addr)
{
	return *at(addr, 1) | *at(addr + 1, 1) << 8;
}

static inline void set_pde(unsigned int entry, uint64_t val)
{
	poke64(DIRECTORY + 8 * entry, val);
}

static inline void set_pte(unsigned int entry, uint64_t val)
{
	poke64(TABLE + 8 * entry, val);
}

static inline void set_object(uint32_t word0, uint64_t base, uint64_t limit)
{
	poke32(OBJECT, word0);
	poke32(OBJECT + 4, limit);
	poke32(OBJECT + 8, base);
	poke32(OBJECT + 12, base >> 32 | (limit >> 32) << 24);
	poke32(OBJECT + 16, 0);
	poke32(OBJECT + 20, 0);
}

static inline void bind(uint32_t selector, uint64_t chan, unsigned int target)
{
	wr(RECORD_DMA, 0, selector);
	wr(RECORD_CHAN, 0, chan >> 12 | target << 28 | 1u << 31);
}

static inline void flush(void)
{
	pcmodel_wr32(m, TLB_FLUSH, 0xb0001);
}

/* 32 small pages from address 0 on, in system memory, through the one object. */
static inline void set_up(uint32_t chipset)
{
	const struct pcmodel_bus bus = { .read = ram_read, .write = ram_write };

	chip(chipset);
	memset(ram, 0, sizeof(ram));
	ram_writes = 0;
	pcmodel_set_bus(m, &bus);
	m->dma.audit = true;
	set_pde(0, TABLE | PDE_SMALL);
	for (unsigned int i = 0; i < 32; i++)
		set_pte(i, (BUFFER + i * 0x1000) | PTE_SYSTEM);
	set_object(PAGED, 0, 0xffffffffffULL);
	bind(SELECTOR, CHAN, SNOOPED);
}

/* Start recording in the document's order: first the mode, then the buffer. */
static inline void record(unsigned int dom, uint32_t start, uint32_t limit, uint32_t ctrl)
{
	wr(CTRL, dom, RECORD | ctrl);
	wr(RECORD_LIMIT, dom, limit);
	wr(RECORD_START, dom, start);
}

static inline uint32_t position(unsigned int dom)
{
	return rd(RECORD_STATUS, dom) & ~0xfu;
}

static inline unsigned int faulted(unsigned int dom)
{
	return rd(RECORD_STATUS, dom) & 1;
}

static inline uint64_t packet_cycles(uint64_t addr)
{
	return peek16(addr) | peek16(addr + 2) << 16 | (uint64_t)peek16(addr + 4) << 32;
}

static inline unsigned int packet_stop(uint64_t addr)
{
	return peek16(addr + 6);
}

static inline unsigned int packet_ctr(uint64_t addr, unsigned int n)
{
	return peek16(addr + 8 + 2 * n);
}

#endif
