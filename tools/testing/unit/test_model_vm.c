// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets on their way to memory (hw:memory): every structure, every fault code, the
 * TLB, and VRAM as the CPU accesses it.
 */
#include <errno.h>

#include "memory_test.h"

#define DOM		1
#define VRAM_BUFFER	0x40000
#define VRAM_CHAN	0x50000
#define BAR_FLUSH	0x70000
#define PEEPHOLE_ADDR	0x60010
#define PEEPHOLE_DATA	0x60014

/* hw:memory/faults */
enum fault {
	PT_NOT_PRESENT, PT_TOO_SHORT, PAGE_NOT_PRESENT, SUPERVISOR_ONLY,
	READ_ONLY, NO_CHANNEL, NULL_DMAOBJ, WRONG_MEMTYPE, VRAM_LIMIT = 0xb,
	DMAOBJ_LIMIT = 0xf, NONE,
};

/* Send a packet every ten clocks to the current position. */
static void start(uint32_t chipset)
{
	set_up(chipset);
	wr(STOP_SRC, DOM, 0x40);
	wr(STOP_OP, DOM, SOURCE_0);
	say("signal 1 0x40 duty 1/10 phase 1");
}

/* Send one packet to @addr; return its fault. */
static enum fault send_to(uint64_t addr)
{
	wr(CTRL, DOM, RECORD);
	if (m->chip->chipset != 0x84)
		wr(RECORD_HIGH, DOM, addr >> 32);
	wr(RECORD_LIMIT, DOM, 0);
	wr(RECORD_START, DOM, addr);
	pcmodel_run(m, 10);
	assert_int_equal(faulted(DOM), m->rec[DOM].wedged);
	assert_int_equal(position(DOM), (uint32_t)addr + (faulted(DOM) ? 0 : 32));
	return m->rec[DOM].wedged ? (enum fault)m->rec[DOM].code : NONE;
}

/* Start again as after a GPU reset */
static void again(void)
{
	say("record reset");
	memset(at(BUFFER, 0x80000), 0, 0x80000);
	flush();
	bind(SELECTOR, CHAN, SNOOPED);
}

/* Check that a packet to @addr arrives at @where. */
static void assert_lands(uint64_t addr, uint64_t where)
{
	memset(at(where, 32), 0, 32);
	assert_int_equal(send_to(addr), NONE);
	assert_int_equal(packet_cycles(where), 10);
}

TEST(test_pd_offset)
{
	start(0x84);
	assert_int_equal(pcmodel_rd32(m, 0x100c9c), 0x200);
	say("vm pd_offset 0x1407");	/* the low three bits are ignored */
	assert_int_equal(pcmodel_rd32(m, 0x100c9c), 0x1407);
	poke64(CHAN + 0x1400, TABLE | PDE_SMALL);
	poke64(DIRECTORY, 0);
	assert_lands(0, BUFFER);
}

/* "table size, small pages only" */
TEST(test_table_sizes)
{
	static const unsigned int entries[] = { 0x20000, 0x8000, 0x4000, 0x2000 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		start(0x84);
		set_pde(0, TABLE | PDE_SMALL | i << 5);
		set_pte(entries[i] - 1, BUFFER | PTE_SYSTEM);
		set_pte(entries[i], BUFFER | PTE_SYSTEM);
		flush();
		assert_lands((entries[i] - 1) * 0x1000ULL, BUFFER);
		if (i)
			assert_int_equal(send_to(entries[i] * 0x1000ULL), PT_TOO_SHORT);
	}
	/* other pages are not modelled */
	start(0x84);
	set_pde(0, TABLE | 1 | SNOOPED << 2);
	assert_int_equal(send_to(0), PT_NOT_PRESENT);
}

/* All entries of a contig block have the address of its first page. */
TEST(test_contig)
{
	unsigned int order, i;

	for (order = 0; order < 6; order++) {
		start(0x84);
		/* the physical start need not be aligned */
		for (i = 0; i < 1u << order; i++)
			set_pte((1 << order) + i, (BUFFER + 0x3000) | PTE_SYSTEM | order << 7);
		for (i = 0; i < 1u << order; i++)
			assert_lands(((1 << order) + i) * 0x1000, BUFFER + 0x3000 + i * 0x1000);
	}
}

TEST(test_rights)
{
	static const struct {
		uint32_t object;	/* access and privilege; bit 31: supervisor */
		uint32_t entry;		/* read only, supervisor */
		enum fault fault;
	} cases[] = {
		{ 0, 0x08, READ_ONLY },
		{ 0, 0x40, SUPERVISOR_ONLY },
		{ 1u << 31, 0x40, NONE },
		{ 1u << 31, 0x48, READ_ONLY },
		{ 1 << 18, 0, READ_ONLY },
		{ 2 << 18, 0x08, NONE },
		{ 1 << 20, 0x40, NONE },
		{ 2 << 20, 0, SUPERVISOR_ONLY },
		{ 2 << 20 | 1u << 31, 0, NONE },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		start(0x84);
		set_pte(0, BUFFER | PTE_SYSTEM | cases[i].entry);
		set_object(PAGED | cases[i].object, 0, 0xffffffffff);
		bind(SELECTOR, CHAN, SNOOPED);
		assert_int_equal(send_to(0), cases[i].fault);
	}
}

TEST(test_memory_types)
{
	/* target 1 in an entry of either kind, storage types */
	start(0x84);
	set_pte(0, BUFFER | 0x11);
	assert_int_equal(send_to(0), WRONG_MEMTYPE);
	again();
	set_pte(0, BUFFER | PTE_SYSTEM | 0x70ULL << 40);
	assert_int_equal(send_to(0), WRONG_MEMTYPE);
	again();
	set_object(0, 0, 0xffffffffff);		/* pitch, with any kind in the entry */
	bind(SELECTOR, CHAN, SNOOPED);
	assert_lands(0, BUFFER);
	set_pte(0, BUFFER | PTE_SYSTEM);
	set_object(0x70 << 22, 0, 0xffffffffff);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_int_equal(send_to(0), WRONG_MEMTYPE);
	again();
	set_object(PAGED, 0, 0xffffffffff);
	set_pde(0, TABLE | 3 | 1 << 2);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_int_equal(send_to(0), WRONG_MEMTYPE);
	/* memory without snooping works as well */
	again();
	set_pde(0, TABLE | 3 | 3 << 2);
	set_pte(0, BUFFER | 0x31);
	assert_lands(0, BUFFER);
}

TEST(test_channel_faults)
{
	const struct pcmodel_bus bus = { .read = ram_read, .write = ram_write };

	/* never bound */
	start(0x84);
	chip(0x84);
	pcmodel_set_bus(m, &bus);
	wr(STOP_OP, DOM, ALWAYS);
	assert_int_equal(send_to(0), NO_CHANNEL);
	/* stored only */
	say("record reset");
	wr(RECORD_DMA, 0, SELECTOR);
	wr(RECORD_CHAN, 0, CHAN >> 12 | SNOOPED << 28);
	assert_int_equal(rd(RECORD_CHAN, 0), CHAN >> 12 | SNOOPED << 28);
	assert_int_equal(send_to(0), NO_CHANNEL);
	/* an invalid target */
	say("record reset");
	bind(SELECTOR, CHAN, 1);
	assert_int_equal(send_to(0), NO_CHANNEL);
	/* selector 0 */
	again();
	bind(0, CHAN, SNOOPED);
	assert_int_equal(send_to(0), NULL_DMAOBJ);
	again();
	assert_int_equal(send_to(0), NONE);
}

/* "logical address + base -> compared with limit" */
TEST(test_limits)
{
	start(0x92);
	set_object(PAGED, 0x4000, 0x6fff);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_lands(0, BUFFER + 0x4000);
	assert_lands(0x2fe0, BUFFER + 0x6fe0);
	assert_int_equal(send_to(0x3000), DMAOBJ_LIMIT);
	again();
	set_object(PAGED, 0x4000, 0x6ffe);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_int_equal(send_to(0x2fe0), DMAOBJ_LIMIT);
	/* both have 40 bits; the window moves with the base */
	start(0x84);
	set_pde(0x10, TABLE | PDE_SMALL);
	set_object(PAGED, 0x10ULL << 29, (0x10ULL << 29) + 0xffff);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_lands(0x2000, BUFFER + 0x2000);
	assert_int_equal(send_to(0x10000), DMAOBJ_LIMIT);
}

/* hw:ambiguities/24 */
TEST(test_unpaged)
{
	start(0x84);
	set_object(0x001a0000, BUFFER + 0x8000, BUFFER + 0x8fff);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_lands(0x40, BUFFER + 0x8040);
	assert_int_equal(send_to(0x1000), DMAOBJ_LIMIT);

	start(0x84);
	set_object(0x00190000, VRAM_BUFFER, 0xffffffffff);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_int_equal(send_to(0x20), NONE);
	assert_int_equal(ram_writes, 0);
	assert_int_equal(m->dma.vram, 1);
	pcmodel_wr32(m, PRAMIN_BASE, VRAM_BUFFER >> 16);
	assert_int_equal(pcmodel_rd32(m, PRAMIN + 0x20), 10);
	/* 256 MiB, as in the register */
	assert_int_equal(pcmodel_rd32(m, 0x10020c), 0x10000000);
	say("vm vram 0x41000");
	assert_int_equal(pcmodel_rd32(m, 0x10020c), 0x41000);
	assert_int_equal(send_to(0xfe0), NONE);
	assert_int_equal(send_to(0x1000), VRAM_LIMIT);
}

/* A LONG packet that begins 16 bytes before the end of a page */
TEST(test_page_crossing)
{
	start(0x84);
	set_pte(0, (BUFFER + 0x5000) | PTE_SYSTEM);
	set_pte(1, (BUFFER + 0x2000) | PTE_SYSTEM);
	say("signal 1 11 const 1");
	wr(EVENT_SRC, DOM, 11 << 24);
	assert_int_equal(send_to(0xff0), NONE);
	assert_int_equal(packet_cycles(BUFFER + 0x5ff0), 10);
	assert_int_equal(peek16(BUFFER + 0x2000 + 0xe), 10);
	/* and before the end of 4 GiB */
	set_pde(7, TABLE | PDE_SMALL);
	set_pte(0x1ffff, (BUFFER + 0x6000) | PTE_SYSTEM);
	set_pte(0, (BUFFER + 0x7000) | PTE_SYSTEM);
	flush();
	assert_int_equal(send_to(0xfffffff0), NONE);
	assert_int_equal(packet_cycles(BUFFER + 0x6ff0), 10);
	assert_int_equal(peek16(BUFFER + 0x7000 + 0xe), 10);
	set_pte(2, 0);
	assert_int_equal(send_to(0x1ff0), PAGE_NOT_PRESENT);
}

TEST(test_tlb)
{
	start(0x84);
	assert_lands(0, BUFFER);
	set_pte(0, OTHER_BUFFER | PTE_SYSTEM);
	assert_lands(0x40, BUFFER + 0x40);
	assert_int_equal(m->dma.stale, 1);
	/* nor does a new bind forget, nor a flush of another engine */
	bind(SELECTOR, CHAN, SNOOPED);
	pcmodel_wr32(m, TLB_FLUSH, 0x00001);
	pcmodel_wr32(m, TLB_FLUSH, 0xd0001);
	pcmodel_wr32(m, TLB_FLUSH, 0xb0000);
	assert_lands(0x80, BUFFER + 0x80);
	/* not even an unmapped entry */
	set_pte(0, 0);
	set_pde(0, 0);
	assert_lands(0xc0, BUFFER + 0xc0);
	assert_int_equal(m->dma.stale, 3);
	set_pde(0, TABLE | PDE_SMALL);
	set_pte(0, OTHER_BUFFER | PTE_SYSTEM);
	flush();
	assert_int_equal(pcmodel_rd32(m, TLB_FLUSH) & 1, 0);
	assert_lands(0x100, OTHER_BUFFER + 0x100);
	assert_int_equal(m->dma.stale, 3);
	assert_int_equal(m->dma.flushes, 1);
}

/* hw:ambiguities/26 */
TEST(test_flush)
{
	unsigned int i;

	start(0x84);
	assert_lands(0, BUFFER);
	set_pte(0, OTHER_BUFFER | PTE_SYSTEM);
	say("quirk flush_busy 3");
	flush();
	for (i = 0; i < 3; i++) {
		assert_lands(0, BUFFER);
		if (i == 1)
			flush();	/* lost: one at a time */
		assert_int_equal(pcmodel_rd32(m, TLB_FLUSH), 0xb0001);
	}
	assert_int_equal(pcmodel_rd32(m, TLB_FLUSH), 0);
	assert_int_equal(m->dma.flushes, 1);
	assert_int_equal(m->dma.lost_flushes, 1);
	assert_lands(0, OTHER_BUFFER);

	say("quirk flush_busy 0xffffffff");
	flush();
	for (i = 0; i < 1000; i++)
		assert_int_equal(pcmodel_rd32(m, TLB_FLUSH), 0xb0001);
	set_pte(0, BUFFER | PTE_SYSTEM);
	assert_lands(0, OTHER_BUFFER);
}

/* The DMA object is read when it is bound, and not again. */
TEST(test_object_cache)
{
	start(0x84);
	set_object(PAGED, 0x3000, 0xffffffffff);
	wr(RECORD_DMA, 0, 1);
	assert_lands(0, BUFFER);
	assert_int_equal(m->dma.stale, 1);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_lands(0, BUFFER + 0x3000);
	/* so is the selector; another object in the same structure */
	poke32(CHAN + 0x10, PAGED);
	poke32(CHAN + 0x14, 0xffffffff);
	poke32(CHAN + 0x18, 0x7000);
	poke32(CHAN + 0x1c, 0xff000000);
	assert_int_equal(rd(RECORD_DMA, 0), SELECTOR);
	wr(RECORD_DMA, 0, 1);
	assert_lands(0, BUFFER + 0x3000);
	bind(1, CHAN, SNOOPED);
	assert_lands(0, BUFFER + 0x7000);
}

/* 0x100f04 has bits 40 to 63 of all system addresses. */
TEST(test_sysif)
{
	start(0x84);
	say("vm sysif 1");
	assert_int_equal(pcmodel_rd32(m, 0x100f04), 1);
	bind(SELECTOR, CHAN, SNOOPED);
	assert_int_equal(m->dma.blocked, 1);
	assert_int_not_equal(send_to(0), NONE);
	assert_int_equal(ram_writes, 0);
}

/* No device answers: reads are all ones, writes get lost, without a notification. */
TEST(test_blocked)
{
	start(0x84);
	set_pte(0, (RAM_BASE + RAM_SIZE) | PTE_SYSTEM);
	assert_int_equal(send_to(0), NONE);
	assert_int_equal(m->dma.blocked, 1);
	assert_lands(0x1000, BUFFER + 0x1000);
	pcmodel_set_bus(m, NULL);
	assert_int_equal(send_to(0x1040), NONE);	/* by the TLB */
	assert_int_equal(m->dma.blocked, 2);
	assert_int_equal(packet_cycles(BUFFER + 0x1040), 0);
	assert_int_equal(m->dma.stale, 0);
	/* entries of all ones */
	assert_int_equal(send_to(0x2000), SUPERVISOR_ONLY);
	assert_int_equal(m->dma.blocked, 4);
}

static void vram_put(uint64_t addr, uint64_t val)
{
	pcmodel_wr32(m, PRAMIN_BASE, addr >> 16);
	pcmodel_wr32(m, PRAMIN + (addr & 0xffff), val);
	pcmodel_wr32(m, PRAMIN + (addr & 0xffff) + 4, val >> 32);
}

/* Channel and table in VRAM, the buffer in system memory */
TEST(test_vram_channel)
{
	start(0x84);
	say("quirk no_system_channel 1");
	vram_put(VRAM_CHAN + 0x200, (VRAM_CHAN + 0x5000) | 3);
	vram_put(VRAM_CHAN + 0x5000, BUFFER | PTE_SYSTEM);
	vram_put(VRAM_CHAN + 0x4200, PAGED | 0xffffffffULL << 32);
	vram_put(VRAM_CHAN + 0x4208, 0xff000000ULL << 32);
	assert_int_equal(pcmodel_rd32(m, PRAMIN_BASE), VRAM_CHAN >> 16);
	assert_int_equal(pcmodel_rd32(m, PRAMIN + 0x5000), (uint32_t)BUFFER | 0x21);
	pcmodel_wr32(m, BAR_FLUSH, 1);
	assert_int_equal(pcmodel_rd32(m, BAR_FLUSH) & 2, 0);
	bind(SELECTOR, VRAM_CHAN, 0);
	assert_lands(0x60, BUFFER + 0x60);
	assert_int_equal(m->dma.unflushed, 0);
	assert_int_equal(m->lint.absent, 0);

	vram_put(VRAM_CHAN + 0x5008, BUFFER | PTE_SYSTEM);
	pcmodel_wr32(m, BAR_FLUSH, 0);
	assert_lands(0x1000, BUFFER);
	assert_true(m->dma.unflushed > 0);
	/* beyond the end */
	bind(SELECTOR, 0x10000000, 0);
	assert_int_equal(send_to(0), NO_CHANNEL);
}

/* A table beyond the end of VRAM, and an entry that points there */
TEST(test_vram_limit)
{
	start(0x84);
	set_pte(0, 0x10000000 | 1);
	assert_int_equal(send_to(0), VRAM_LIMIT);
	again();
	set_pte(0, 0x0ffff000 | 1);
	assert_int_equal(send_to(0), NONE);
	set_pde(0, 0x10000000 | 3);
	flush();
	assert_int_equal(send_to(0), VRAM_LIMIT);
}

TEST(test_windows)
{
	unsigned int i;

	start(0x84);
	/* unwritten memory has any value, but not by chance 0 */
	pcmodel_wr32(m, PRAMIN_BASE, 0x12);
	assert_int_not_equal(pcmodel_rd32(m, PRAMIN), 0);
	/* the whole of 1 MiB; the PEEPHOLE sees the same, and increments its address */
	pcmodel_wr32(m, PRAMIN + 0xffff8, 0x11111111);
	pcmodel_wr32(m, PRAMIN + 0xffffc, 0x22222222);
	pcmodel_wr32(m, PEEPHOLE_ADDR, 0x120000 + 0xffff8);
	assert_int_equal(pcmodel_rd32(m, PEEPHOLE_DATA), 0x11111111);
	assert_int_equal(pcmodel_rd32(m, PEEPHOLE_DATA), 0x22222222);
	assert_int_equal(pcmodel_rd32(m, PEEPHOLE_ADDR), 0x220000);
	pcmodel_wr32(m, PEEPHOLE_DATA, 0x33333333);
	pcmodel_wr32(m, PRAMIN_BASE, 0x22);
	assert_int_equal(pcmodel_rd32(m, PRAMIN), 0x33333333);
	/* target 2: system memory */
	pcmodel_wr32(m, PRAMIN_BASE, RAM_BASE >> 16 | 2 << 24);
	pcmodel_wr32(m, PRAMIN + (BUFFER & 0xfffff), 0x44332211);
	assert_int_equal(peek16(RAM_BASE + (BUFFER & 0xfffff)), 0x2211);
	assert_int_equal(pcmodel_rd32(m, PRAMIN + (BUFFER & 0xfffff)), 0x44332211);
	/* VRAM has room for some pages; writes to more get lost, and are reported */
	for (i = 0; i < 40; i++) {
		pcmodel_wr32(m, PRAMIN_BASE, i);
		pcmodel_wr32(m, PRAMIN, i);
	}
	assert_true(m->dma.full > 0);
}

/* Only the graphics driver writes these. */
TEST(test_foreign_registers)
{
	static const uint32_t regs[] = { 0x10020c, 0x100c9c, 0x100f04 };
	unsigned int i;

	start(0x84);
	for (i = 0; i < 3; i++) {
		uint32_t before = pcmodel_rd32(m, regs[i]);

		pcmodel_wr32(m, regs[i], ~before);
		assert_int_equal(pcmodel_rd32(m, regs[i]), before);
		assert_int_equal(m->lint.direction, i + 1);
	}
	/* bit 30 does not belong to RECORD_CHAN */
	assert_int_equal(m->lint.bits, 0);
	wr(RECORD_CHAN, 0, 1 << 30);
	assert_int_equal(m->lint.bits, 1);
	assert_int_equal(rd(RECORD_CHAN, 0), 0);
	/* before G84 none of them exists */
	chip(0x50);
	pcmodel_wr32(m, PRAMIN, 0);
	assert_int_equal(m->lint.absent, 1);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
