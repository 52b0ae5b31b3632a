// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's instance block and page tables of GF100 and later (hw:memory/gf100), and the
 * ring that it binds: a domain of the model is set by hand, and writes through them.
 */
#include <linux/err.h>

#include "record_test.h"
#include "record/memory.h"

#define CTRL(d)		(0x1b009c + (d) * 0x200)
#define SWAP_SRC(d)	(0x1b006c + (d) * 0x200)
#define ID(d)		(0x1b0074 + (d) * 0x200)
#define HUB_DOM		2
#define AREA		32	/* pages of a reader */
#define RECORDS		0x200005	/* MODE 5, PERIODIC of 1024 clocks */

static struct pcounter_domain *d;

static void begin_chip(const char *chip, const char *quirk)
{
	begin(chip);
	if (*quirk)
		say("%s", quirk);
	d = &g.gpu.dom[pcounter_topo_find(&g.gpu.topo, PCOUNTER_SET_HUB, 0, HUB_DOM)];
}

static void begin_channel(const char *chip, const char *quirk)
{
	begin_chip(chip, quirk);
	assert_int_equal(pcounter_channel_alloc(&g.gpu), 0);
}

static struct pcounter_ring *new_ring(void **pages, unsigned int nr_pages)
{
	struct pcounter_ring *ring = pcounter_ring_alloc(d, pages, nr_pages);

	if (IS_ERR(ring))
		fail_msg("no ring of %u pages: %ld", nr_pages, PTR_ERR(ring));
	return ring;
}

static void run_domain(struct pcounter_ring *ring, u32 offset)
{
	pcounter_gf100_bind(&g.gpu, ring, offset);
	pcmodel_wr32(g.m, SWAP_SRC(HUB_DOM), g.m->dom[d->index].trailer + 0x2e);
	pcmodel_wr32(g.m, ID(HUB_DOM), 0x22 << 16);
	pcmodel_wr32(g.m, CTRL(HUB_DOM), RECORDS);
}

/* Let the domain make records; the clocks of domains differ. */
static void run_records(unsigned int n)
{
	for (unsigned int i = 0; g.m->stream.stats.sent < n && !g.m->stream.stuck; i++) {
		assert_true(i < 100000);
		pcmodel_run(g.m, 1);
	}
	g.m->stream.stats.sent = 0;
}

static void stop_domain(void)
{
	pcmodel_wr32(g.m, CTRL(HUB_DOM), 2);
}

/* Return true if a record is in this slot. */
static bool landed(struct pcounter_ring *ring, u64 at)
{
	pcounter_ring_sync(ring, at, 32, true);
	return le64_to_cpu(*pcounter_ring_slot(ring, at)) >> 62 == 0;
}

static void put_ring(struct pcounter_ring *ring)
{
	pcounter_channel_wait(d);
	pcounter_ring_put_pages(&g.gpu, ring);
	free(ring);
}

/* Free memory that the driver keeps for ever. */
static void forget_blocks(void)
{
	for (unsigned int i = 0; i < SHIM_DMA_BLOCKS; i++)
		if (shim_dma[i].size)
			dma_free_coherent(NULL, 0, shim_dma[i].cpu, shim_dma_address(i));
}

static void end_chip(void)
{
	pcounter_channel_free(&g.gpu);
	for (u32 at = 0x70; at < 0x80; at += 4)
		assert_int_equal(pcmodel_rd32(g.m, 0x1b4000 + at), 0);
	assert_int_equal(g.m->lint.bits + g.m->lint.direction, 0);
	end();
}

/* Records land from any slot on, around the end of the ring, as long as there is room. */
TEST(test_ring)
{
	static const char *const names[] = { "gf100", "gf119", "gk104", "gk110", "gk208" };
	static const u32 offsets[] = { 0, 32, 0x8000, 0xffe0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(names) * ARRAY_SIZE(offsets); i++) {
		u32 offset = offsets[i % ARRAY_SIZE(offsets)], bytes = 0x10000;
		struct pcounter_ring *ring;

		begin_channel(names[i / ARRAY_SIZE(offsets)], "");
		ring = new_ring(NULL, bytes / PCOUNTER_VM_PAGE);
		run_domain(ring, offset);
		run_records(5);
		for (unsigned int n = 0; n < 8; n++)
			assert_int_equal(landed(ring, offset + 32 * n), n < 5);
		pcmodel_stream_flow(g.m, bytes / 32 - 5);
		for (unsigned int n = 0; n < bytes; n += 32)
			assert_true(landed(ring, n));
		assert_int_equal(pcmodel_rd32(g.m, 0x1b4084), bytes);
		assert_int_equal(pcmodel_rd32(g.m, 0x1b4000), 0);
		stop_domain();
		put_ring(ring);
		end_chip();
	}
}

/* Both sizes of a directory entry, and rings that need several tables. */
TEST(test_large_rings)
{
	for (unsigned int half = 0; half < 2; half++)
		for (u32 pages = 16; pages <= PCOUNTER_VM_HALF; pages *= 4) {
			struct pcounter_ring *ring;
			u64 last = (u64)pages * PCOUNTER_VM_PAGE - 32;

			begin_channel("gk104", half ? "vm half_entries 1" : "");
			ring = new_ring(NULL, pages);
			run_domain(ring, last);
			run_records(3);
			assert_true(landed(ring, last));
			assert_true(landed(ring, 32));
			assert_false(landed(ring, 64));
			stop_domain();
			put_ring(ring);
			end_chip();
		}
}

/* Both orders of the bind, and of a directory entry. */
TEST(test_readings)
{
	static const struct {
		const char *quirk;
		unsigned int records;
	} rows[] = {
		{ "quirk stream_bind_first 1", 3 },
		{ "quirk stream_clear 1", 3 },
		{ "quirk flush_busy 3", 3 },
		{ "quirk pde_bit_0 1", 0 },
		{ "quirk no_system_channel 1", 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcounter_ring *ring;
		unsigned int n;

		begin_channel("gk104", rows[i].quirk);
		ring = new_ring(NULL, 16);
		run_domain(ring, 0);
		run_records(3);
		for (n = 0; n < 5; n++)
			assert_int_equal(landed(ring, n * 32), n < rows[i].records);
		assert_int_equal(g.m->stream.stats.faults, rows[i].records ? 0 : 1);
		stop_domain();
		/* a fault keeps the unit full, and its memory */
		pcounter_channel_wait(d);
		assert_int_equal(g.gpu.record->channel, rows[i].records ?
				 PCOUNTER_CHANNEL_BOUND : PCOUNTER_CHANNEL_STUCK);
		pcounter_ring_put_pages(&g.gpu, ring);
		assert_int_equal(blocks() > 1, !rows[i].records);
		free(ring);
		if (rows[i].records) {
			end_chip();
		} else {
			assert_int_equal(g.m->dma.writes, 0);
			forget_blocks();
			gpu_free();
		}
	}
}

/* A reader's pages come and go while the driver's ring stays. */
TEST(test_reader)
{
	u8 (*area)[PCOUNTER_VM_PAGE] = aligned_alloc(PCOUNTER_VM_PAGE, AREA * sizeof(*area));
	struct pcounter_ring *own, *ring;
	void *pages[AREA];

	for (unsigned int i = 0; i < AREA; i++)
		pages[i] = area[AREA - 1 - i];
	begin_channel("gf100", "");
	own = new_ring(NULL, 16);
	for (unsigned int round = 0; round < 3; round++) {
		u64 writes;

		run_domain(own, 0);
		run_records(3);
		ring = new_ring(pages, AREA);
		stop_domain();
		pcounter_channel_wait(d);
		run_domain(ring, 0x1000 - 32);
		run_records(3);
		assert_true(landed(ring, 0x1000 - 32));
		assert_true(landed(ring, 0x1020));
		assert_false(landed(ring, 0x1040));
		stop_domain();
		put_ring(ring);
		assert_int_equal(pages_mapped(), 0);
		/* a domain that goes on writes nowhere */
		writes = g.m->dma.writes;
		pcmodel_wr32(g.m, CTRL(HUB_DOM), RECORDS);
		run_records(3);
		assert_int_equal(g.m->dma.writes, writes);
		stop_domain();
	}
	put_ring(own);
	free(area);
	end_chip();
}

/* Records that are still on their way are waited for; else the memory is kept. */
TEST(test_last_records)
{
	static const struct {
		const char *quirk;
		bool kept;
	} rows[] = {
		{ "quirk stream_empty 2", false },
		{ "quirk stream_empty 1", true },
		{ "quirk stream_latency 4000000000", true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcounter_ring *ring;

		begin_channel("gk104", rows[i].quirk);
		ring = new_ring(NULL, 16);
		run_domain(ring, 0);
		run_records(3);
		stop_domain();
		put_ring(ring);
		assert_int_equal(blocks() > 1, rows[i].kept);
		pcounter_channel_free(&g.gpu);
		assert_int_equal(blocks() > 0, rows[i].kept);
		/* nothing begins after that */
		if (rows[i].kept)
			assert_int_equal(pcounter_record_get(d), -EIO);
		forget_blocks();
		gpu_free();
	}
	/* a flush that never ends */
	begin_channel("gk104", "");
	struct pcounter_ring *ring = new_ring(NULL, 16);

	run_domain(ring, 0);
	run_records(3);
	stop_domain();
	say("quirk flush_busy 0xffffffff");
	put_ring(ring);
	assert_true(blocks() > 1);
	assert_int_equal(g.gpu.record->channel, PCOUNTER_CHANNEL_STUCK);
	forget_blocks();
	gpu_free();
}

/* Somebody else records, the GPU is not there, or there is no memory. */
TEST(test_refusals)
{
	static const struct {
		u32 addr, val;
		int err;
	} rows[] = {
		{ 0x1b4070, 1u << 31, -EBUSY },
		{ CTRL(1), 5, -EBUSY },
		{ CTRL(1), 3, -EBUSY },
		{ CTRL(1), 2, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		begin_chip("gk104", "");
		pcmodel_wr32(g.m, rows[i].addr, rows[i].val);
		assert_int_equal(pcounter_channel_alloc(&g.gpu), rows[i].err);
		assert_int_equal(blocks(), rows[i].err ? 0 : 1);
		assert_int_equal(pcmodel_rd32(g.m, rows[i].addr), rows[i].val);
		if (!rows[i].err)
			pcounter_channel_free(&g.gpu);
		gpu_free();
	}
	for (unsigned int fail = 1; fail <= 3; fail++) {
		begin_chip("gk104", "");
		shim_dma_fail = fail;
		if (fail == 1) {
			assert_int_equal(pcounter_channel_alloc(&g.gpu), -ENOMEM);
		} else {
			assert_int_equal(pcounter_channel_alloc(&g.gpu), 0);
			assert_int_equal(PTR_ERR(pcounter_ring_alloc(d, NULL, 16)), -ENOMEM);
		}
		shim_dma_fail = 0;
		pcounter_channel_free(&g.gpu);
		end();
	}
	begin_chip("gk104", "fault dead 1");
	assert_int_equal(pcounter_channel_alloc(&g.gpu), -EIO);
	gpu_free();
}

int main(void)
{
	return unit_run(NULL, NULL);
}
