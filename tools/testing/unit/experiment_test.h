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

/* A ring of GF100 (hw:memory/gf100), in the memory that record mode of Tesla has in tests. */
#define GF100_RING	0x9a08000000ULL
#define GF100_CHAN	0x1b4070
#define DIRECTORY_GF100	(RAM_BASE + 0x60000)

static void put_gf100(void)
{
	unsigned int i;

	poke64(CHAN + 0x200, DIRECTORY_GF100 | 6);
	poke64(CHAN + 0x208, GF100_RING + 0x7ffffff);
	poke64(DIRECTORY_GF100 + 8 * (GF100_RING >> 27), (TABLE >> 8 | 6) << 32);
	for (i = 0; i < RING_PAGES; i++)
		set_pte(i, (BUFFER + i * 0x1000) >> 8 | 1 | 5ULL << 32);
	pcmodel_wr32(m, GF100_CHAN, CHAN >> 12 | SNOOPED << 28 | 1u << 31);
}

static bool model_lend(struct pcounter_bench *bench, unsigned int dom,
		       struct pcounter_bench_ring *ring)
{
	const struct pcmodel_bus bus = { .read = ram_read, .write = ram_write };

	if (bench->gen->caps & PCOUNTER_CAP_SETS) {
		memset(ram, 0, sizeof(ram));
		pcmodel_set_bus(m, &bus);
		put_gf100();
		*ring = (struct pcounter_bench_ring){
			.mem = ram + (BUFFER - RAM_BASE), .bytes = RING_PAGES * 0x1000,
			.high = GF100_RING >> 32, .base = (u32)GF100_RING,
		};
		pcmodel_run(m, 16);
		return true;
	}
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
	if (bench->gen->caps & PCOUNTER_CAP_SETS) {
		for (uint32_t addr = GF100_CHAN; addr < GF100_CHAN + 16; addr += 4)
			pcmodel_wr32(m, addr, 0);
		pcmodel_run(m, 16);
		return;
	}
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

/* ---- GPUs at random ---- */

/* Set up PDAEMON at random: nearly full counters, a signal that stays 1, one that stays 0. */
static inline void new_idle(void)
{
	struct pcmodel_script s = {};
	unsigned int i;

	for (i = 0; i < PCMODEL_IDLE_SLOTS; i++)
		pcmodel_idle_preset(m, i, 0x7fffffff - rnd(4000));
	for (i = 0; i < 12; i++) {
		s.level = rnd(2);
		s.kind = rnd(4) ? PCMODEL_CONST : PCMODEL_DUTY;
		s.period = 7 + i;
		s.high = 3;
		pcmodel_idle_signal(m, i, &s);
	}
	pcmodel_idle_clock(m, 1 + rnd(20), 1 + rnd(3));
}

static inline void new_gpu(uint32_t chipset)
{
	static const uint8_t clocks[][2] = {
		{ 1, 1 }, { 2, 1 }, { 1, 2 }, { 3, 7 }, { 8, 1 }, { 1, 1 }, { 27, 10 },
	};
	static const struct pcmodel_script flush = {
		.kind = PCMODEL_DUTY, .period = 100, .high = 1,
	};
	unsigned int i, k;

	chip(chipset);
	for (i = 0; i < m->domains; i++) {
		k = rnd(ARRAY_SIZE(clocks));
		pcmodel_set_clock(m, i, clocks[k][0], clocks[k][1]);
		/* WRCACHE_FLUSH in one reading; elsewhere nothing special */
		if (rnd(2))
			pcmodel_set_signal(m, i, m->dom[i].trailer + 0x0e, &flush);
	}
	new_idle();
	/* bits 40 to 47 of PTIMER's time are not 0, and no id of an experiment */
	m->time = (1 + rnd(32)) * 1100000000ULL;
}

/* ---- contents of registers ---- */

static uint32_t snapshot[0x10000];

/* Return true for words that time and counting do not change. */
static bool is_configuration(uint32_t addr)
{
	uint32_t at;

	/* the position of records, and their state */
	if (addr >= 0x1b4080 && addr <= 0x1b40a4)
		return false;
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
	/* the ring has overflowed */
	if (addr == 0x1b4000)
		return val & ~0x10;
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
