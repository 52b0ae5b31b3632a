// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that the engine reads and writes: system memory, by the bus of the
 * owner of the model, and VRAM.
 */
#include <linux/bitfield.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define SYSIF_HIGH		GENMASK(23, 0)	/* address >> 40, hw:memory/system */
#define BUS_BITS		GENMASK_ULL(39, 0)

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
	return (addr & BUS_BITS) | (u64)(m->vm.sysif & SYSIF_HIGH) << 40;
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

void pcmodel_memory_read(struct pcmodel *m, u8 target, u64 addr, u8 *buf, size_t len)
{
	if (target == VRAM)
		vram_read(m, addr, buf, len);
	else
		bus_read(m, addr, buf, len);
}

void pcmodel_memory_write(struct pcmodel *m, u8 target, u64 addr, const u8 *buf, size_t len)
{
	if (target == VRAM)
		vram_write(m, addr, buf, len);
	else
		bus_write(m, addr, buf, len);
}

/* Read a structure of the address space; return false beyond the end of VRAM. */
bool pcmodel_fetch(struct pcmodel *m, u8 target, u64 addr, u8 *buf, size_t len)
{
	m->dma.reads++;
	if (target == VRAM && addr + len > m->vm.vram_size)
		return false;
	m->dma.unflushed += target == VRAM && m->vm.dirty;
	pcmodel_memory_read(m, target, addr, buf, len);
	return true;
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
