/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The laboratory's bench on the model. Accesses take no time.
 */
#ifndef EXPERIMENT_TEST_H
#define EXPERIMENT_TEST_H

#include "hw/io.h"
#include "hw/registers.h"
#include "lab/bench.h"
#include "memory_test.h"

#define GCTRL_ADDR	(WINDOW + GCTRL)
#define VRAM_CHAN	0x40000
#define RING_PAGES	32

static bool model_access(struct pcounter_bench *bench, u32 addr, u32 *read, u32 write)
{
	if (read)
		*read = pcmodel_rd32(m, addr);
	else
		pcmodel_wr32(m, addr, write);
	return true;
}

/* Remaining waits. */
static unsigned int patience;

static bool model_wait(struct pcounter_bench *bench, unsigned int us)
{
	pcmodel_run(m, us);
	return !patience || --patience;
}

static u64 model_now(struct pcounter_bench *bench)
{
	return m->time;
}

/* A channel in system memory failed: the GPU is reset, as an owner does then. */
static bool channel_in_vram;
static uint32_t found_gctrl, found_chan, found_dma;

static void vram_put(uint64_t addr, uint64_t val)
{
	uint32_t base = pcmodel_rd32(m, PRAMIN_BASE);

	pcmodel_wr32(m, PRAMIN_BASE, addr >> 16);
	pcmodel_wr32(m, PRAMIN + (addr & 0xffff), val);
	pcmodel_wr32(m, PRAMIN + (addr & 0xffff) + 4, val >> 32);
	pcmodel_wr32(m, PRAMIN_BASE, base);
}

static void put_channel(bool share)
{
	unsigned int i;

	set_pde(0, TABLE | PDE_SMALL);
	set_pde(1, share ? TABLE | PDE_SMALL : 0);
	for (i = 0; i < RING_PAGES; i++)
		set_pte(i, (BUFFER + i * 0x1000) | PTE_SYSTEM);
	set_object(PAGED, 0, 0xffffffffffULL);
	if (!channel_in_vram) {
		bind(SELECTOR, CHAN, SNOOPED);
		return;
	}
	vram_put(VRAM_CHAN + 0x200, TABLE | PDE_SMALL);
	vram_put(VRAM_CHAN + 0x208, share ? TABLE | PDE_SMALL : 0);
	vram_put(VRAM_CHAN + 0x4200, PAGED | 0xffffffffULL << 32);
	vram_put(VRAM_CHAN + 0x4208, 0xff000000ULL << 32);
	bind(SELECTOR, VRAM_CHAN, 0);
}

static bool model_lend(struct pcounter_bench *bench, unsigned int dom,
		       struct pcounter_bench_ring *ring)
{
	const struct pcmodel_bus bus = { .read = ram_read, .write = ram_write };

	found_gctrl = pcmodel_rd32(m, GCTRL_ADDR);
	found_chan = rd(RECORD_CHAN, 0);
	found_dma = rd(RECORD_DMA, 0);
	pcmodel_wr32(m, GCTRL_ADDR, found_gctrl & ~RECORD_RESET);
	memset(ram, 0, sizeof(ram));
	pcmodel_set_bus(m, &bus);
	put_channel(ring->share);
	flush();
	ring->mem = ram + (BUFFER - RAM_BASE);
	ring->bytes = RING_PAGES * 0x1000;
	ring->high = 0;
	ring->base = 0;
	/* a write takes time */
	pcmodel_run(m, 16);
	return true;
}

static void model_take(struct pcounter_bench *bench, unsigned int dom)
{
	pcmodel_run(m, 64);
	wr(RECORD_DMA, 0, 0);
	wr(RECORD_CHAN, 0, rd(RECORD_CHAN, 0) | 1u << 31);
	wr(RECORD_DMA, 0, found_dma);
	wr(RECORD_CHAN, 0, found_chan & ~(1u << 31));
	pcmodel_wr32(m, GCTRL_ADDR, found_gctrl);
	pcmodel_run(m, 16);
}

static const struct pcounter_bench_ops model_ops = {
	.access = model_access, .wait = model_wait,
	.now = model_now, .lend = model_lend, .take = model_take,
};

static u32 model_rd32(struct pcounter_io *io, u32 addr)
{
	return pcmodel_rd32(m, addr);
}

static void bench_new(struct pcounter_bench *bench)
{
	static const struct pcounter_io_ops io_ops = { .rd32 = model_rd32 };
	struct pcounter_io io = { .ops = &io_ops };
	const struct pcounter_chip *chip = pcounter_chip_find(m->chip->chipset);
	const struct pcounter_gen *gen = pcounter_gen_find(chip);
	static struct pcounter_topo topo;

	/* the model has two GPCs and two partitions */
	pcounter_topo_build(&topo, chip, gen->caps, 3, 3);
	if (gen->table->tpcs)
		gen->table->tpcs(&io, &topo);
	pcounter_bench_init(bench, &model_ops, gen, &topo);
}

/* ---- contents of registers ---- */

static uint32_t snapshot[0x10000];

/* Return true for words that time and counting do not change. */
static bool is_configuration(uint32_t addr)
{
	uint32_t at;

	if (addr >= 0x1b4000)
		return true;
	at = addr & 0x1ff;
	if (addr >= 0x180000)
		return (at >= 0x40 && at < 0x68) || at == 0x6c || at == 0x98 || at == 0x9c ||
		       at == 0xec || at == 0x100;
	at = addr - 0xa000;
	if (m->chip->layout == pcmodel_chip(0x10)->layout)
		return ((at & ~0x100) >= 0x400 && (at & ~0x100) < 0x430) || at == 0x73c ||
		       (at & ~0x100) == 0x628;
	return (at >= 0x400 && at < 0x540) || (at >= 0x560 && at < 0x580) || at >= 0x780;
}

/* Return CTRL without its state bits. */
static uint32_t configuration(uint32_t addr)
{
	uint32_t val = pcmodel_rd32(m, addr);

	if (addr == 0xa73c)
		return val & ~0x0f000078;
	if (addr >= 0x180000 ? (addr & 0x1ff) == 0x9c && addr < 0x1b4000 :
			       addr >= 0xa7c0 && addr < 0xa7e0)
		return val & ~0x33000000;
	return val;
}

static void look_at_registers(bool compare)
{
	bool gf100 = m->chip->layout == pcmodel_chip(0xc0)->layout;
	uint32_t first = gf100 ? 0x180000 : 0xa400, end = gf100 ? 0x1c0000 : 0xa7e0;
	uint32_t addr;

	for (addr = first; addr < end; addr += 4) {
		uint32_t *word = &snapshot[(addr - first) / 4];

		if (!is_configuration(addr))
			continue;
		if (compare && *word != configuration(addr))
			fail_msg("%s: 0x%06x was %08x, is %08x", m->chip->name, addr, *word,
				 configuration(addr));
		*word = configuration(addr);
	}
}

#endif
