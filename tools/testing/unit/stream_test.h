/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of GF100 and later: a ring in system memory, and domains that write to it, by
 * hw:stream and hw:memory/gf100.
 */
#ifndef _STREAM_TEST_H
#define _STREAM_TEST_H

#include "memory_test.h"

#define CTRL_ADDR	0x1b4000
#define CHAN_ADDR	0x1b4070
#define BASE		0x1b4074
#define BASE_HIGH	0x1b4078
#define SIZE		0x1b407c
#define POS		0x1b4080
#define BYTES		0x1b4084
#define BUMP		0x1b4088
#define STATUS		0x1b40a4
#define HUB_SET		0x1be000
#define HUB(d, reg)	(0x1b0000 + (d) * 0x200 + (reg))

#define INSTANCE	(RAM_BASE + 0x1000)
#define PAGES		(RAM_BASE + 0x10000)	/* a full table of 4 KiB pages */
#define PAGE_DIR	(RAM_BASE + 0x60000)	/* a full directory */
#define RING		0x9a08000000ULL
#define ID		0x25
#define OTHER_ID	0x41

static inline void put(uint32_t addr, uint32_t val)
{
	pcmodel_wr32(m, addr, val);
}

static inline uint32_t get(uint32_t addr)
{
	return pcmodel_rd32(m, addr);
}

static inline uint32_t peek32(uint64_t addr)
{
	return peek16(addr) | peek16(addr + 2) << 16;
}

static inline void map(uint32_t page, uint64_t entry)
{
	poke64(PAGES + 8 * page, entry);
}

static inline uint64_t page_entry(uint64_t addr)
{
	return addr >> 8 | 1 | 5ULL << 32;
}

/* A chip with an instance block, a directory, and 128 pages of ring in system memory. */
static inline void tables(uint32_t chipset)
{
	const struct pcmodel_bus bus = { .read = ram_read, .write = ram_write };

	chip(chipset);
	memset(ram, 0, sizeof(ram));
	pcmodel_set_bus(m, &bus);
	m->dma.audit = true;
	poke64(INSTANCE + 0x200, PAGE_DIR | 6);
	poke64(INSTANCE + 0x208, RING + 0x7ffffff);
	poke64(PAGE_DIR + 8 * (RING >> 27), (PAGES >> 8 | 6) << 32);
	for (unsigned int i = 0; i < 128; i++)
		map(i, page_entry(BUFFER + i * 0x1000));
}

static inline void write_ring(uint32_t size)
{
	put(BASE, (uint32_t)RING);
	put(BASE_HIGH, RING >> 32);
	put(SIZE, size);
}

static inline void bind_chan(void)
{
	put(CHAN_ADDR, INSTANCE >> 12 | 2 << 28 | 1u << 31);
}

/* A ring in the order of GK20A. */
static inline void start_ring(uint32_t size)
{
	memset(at(BUFFER, size), 0xff, size);
	put(CTRL_ADDR, 0x20);
	put(BUMP, get(BYTES));
	write_ring(size);
	bind_chan();
}

/* Count in a domain of the HUB: EVENT 1, PRE 1/2, START 1/4, STOP 1/8; PERIODIC 1K. */
static inline void start_domain(unsigned int dom)
{
	static const char *const scripts[] = { "duty 1/2", "duty 1/4", "const 1", "duty 1/8" };
	char line[60];

	for (unsigned int i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "signal hub%u %u %s", dom, i, scripts[i]);
		say(line);
		put(HUB(dom, 0x40 + 8 * i), i);
		put(HUB(dom, 0x44 + 8 * i), SOURCE_0);
	}
	put(HUB(dom, 0x6c), m->dom[dom].trailer + 0x2e);
	put(HUB(dom, 0x74), (ID + dom) << 16);
	put(HUB(dom, 0x7c), OTHER_ID + dom);
	put(HUB(dom, 0x9c), 1 << 21 | 5);
}

#endif
