/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's streams of GF100 and later, on the model's records: signals of domains, and
 * a reader's area.
 */
#ifndef _GF100_TEST_H
#define _GF100_TEST_H

#include <linux/err.h>

#include "record_test.h"

#define CONSTANT	4	/* signals of the tests: 1, a quarter, an eighth */
#define MOST		4
#define STREAM_PERIOD	1024

static inline struct pcounter_domain *hub(unsigned int dom)
{
	return &g.gpu.dom[pcounter_topo_find(&g.gpu.topo, PCOUNTER_SET_HUB, 0, dom)];
}

static const char *const scripts[MOST] = { "const 1", "duty 1/4", "duty 1/8", "duty 1/2" };
static const unsigned int parts[MOST] = { 1, 4, 8, 2 };

static inline void begin_chip(const char *chip)
{
	pcounter_unverified = true;
	begin(chip);
	for (unsigned int dom = 0; dom < 8; dom++)
		for (unsigned int i = 0; hub(dom)->id && i < MOST; i++)
			say("signal hub%u %u %s", dom, CONSTANT + i, scripts[i]);
}

/* Signals from @first on, and the clock. */
static inline struct group signals_of(struct pcounter_domain *d, unsigned int first, unsigned int n)
{
	struct group grp = { .n = n + 1 };
	unsigned int i;

	for (i = 0; i <= n; i++) {
		grp.req[i] = i < n ? ask(d->index, PCOUNTER_ROLE_ANY, CONSTANT + first + i) :
				     ask_clk(d->index);
		grp.req[i].set.mode = PCOUNTER_MODE_RECORD;
		grp.req[i].set.periodic = 1;
	}
	assert_true(group_settle(&grp, 1));
	return grp;
}

static inline void start_on(struct pcounter_domain *d, struct group *grp)
{
	assert_int_equal(pcounter_record_get(d), 0);
	assert_true(group_start(grp));
}

/* Time passes while the driver waits. */
static inline void stop_on(struct pcounter_domain *d, struct group *grp)
{
	g.step = 50;
	group_stop(grp);
	pcounter_record_put(d);
}

static inline u64 count(const struct pcounter_domain *d, const struct group *grp, unsigned int i)
{
	return d->client[grp->user[i]].total;
}

/* Each count is its part of the clocks; a part of a clock for each record. */
static inline void check_parts(const struct pcounter_domain *d, const struct group *grp,
			       unsigned int first)
{
	u64 clocks = count(d, grp, grp->n - 1);

	for (unsigned int i = 0; i + 1 < grp->n; i++)
		if (count(d, grp, i) > clocks / parts[first + i] + clocks / 512 + 1 ||
		    count(d, grp, i) + clocks / 512 + 1 < clocks / parts[first + i])
			fail_msg("signal %u: %llu in %llu clocks", i,
				 (unsigned long long)count(d, grp, i), (unsigned long long)clocks);
}

static inline void run_and_poll(unsigned int times, unsigned int clocks)
{
	while (times--) {
		pcmodel_run(g.m, clocks);
		poll();
	}
}

static inline void end_stream(bool kept)
{
	static const u32 zero[] = { 0x1b4070, 0x1b4074, 0x1b4078, 0x1b407c };
	u64 writes = g.m->dma.writes;

	for (unsigned int i = 0; i < ARRAY_SIZE(zero); i++)
		assert_int_equal(pcmodel_rd32(g.m, zero[i]), 0);
	pcmodel_run(g.m, 100000);
	assert_int_equal(g.m->dma.writes, writes);
	assert_int_equal(g.m->dma.stale, 0);
	assert_int_equal(g.m->lint.bits + g.m->lint.direction, 0);
	assert_int_equal(blocks() > 0, kept);
	for (unsigned int i = 0; i < SHIM_DMA_BLOCKS; i++)
		if (shim_dma[i].size)
			dma_free_coherent(NULL, 0, shim_dma[i].cpu, shim_dma_address(i));
	gpu_free();
}

static struct {
	u8 *memory;
	void *pages[64];
	struct pcounter_ring *ring;
	u64 head, tail;		/* of perf, and of the reader */
	u64 seen;
	u64 halves;		/* records in which STOP has counted half of the clocks */
	u32 size;
} area;

static inline void map_area(struct pcounter_domain *d, unsigned int pages, unsigned int members)
{
	memset(&area, 0, sizeof(area));
	area.size = pages * PCOUNTER_VM_PAGE;
	area.memory = aligned_alloc(PCOUNTER_VM_PAGE, area.size);
	for (unsigned int i = 0; i < pages; i++)
		area.pages[i] = area.memory + i * PCOUNTER_VM_PAGE;
	area.ring = pcounter_reader_add(d, area.pages, pages, false, members);
	assert_false(IS_ERR(area.ring));
}

/* What perf does: room is one byte less than what is free. */
static inline void give_room(struct pcounter_domain *d)
{
	pcounter_reader_start(d->stream, area.head, area.size - 1 - (area.head - area.tail));
	pcounter_domain_want(d, PCOUNTER_WANT_COMMIT);
}

/* Take all bytes that were given; records of domains are in order, without a gap. */
static inline void read_area(struct pcounter_domain *d)
{
	static u16 samples[256];

	area.head += pcounter_reader_give(d->stream);
	for (; area.tail != area.head; area.tail += 32, area.seen++) {
		const u8 *rec = area.memory + area.tail % area.size;
		unsigned int id = rec[5], n = (rec[6] | rec[7] << 8) & 0xfff;

		assert_in_range(id, 32, 32 + 7);
		if (area.seen > 64)
			assert_int_equal(n, (samples[id] + 1) & 0xfff);
		samples[id] = n;
		area.halves += (rec[20] | rec[21] << 8) == STREAM_PERIOD / 2;
	}
	pcounter_reader_start(d->stream, area.head, area.size - 1);
}

#endif
