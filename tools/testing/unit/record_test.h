/* SPDX-License-Identifier: GPL-2.0-only */
/* The driver's streams on the model's packets, for tests of record mode. */
#ifndef _RECORD_TEST_H
#define _RECORD_TEST_H

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/time64.h>

#include "count_test.h"
#include "params.h"
#include "record/record.h"

#define DOM		1
#define FIRST		0x10	/* signals of the tests */
#define SIGNALS		12
#define PERIOD(n)	(1u << (9 + (n)))

static bool dma_on;

static inline u8 *dma_at(u64 addr, size_t len)
{
	unsigned int block = (addr - SHIM_DMA_BASE) >> 28;
	u64 offset = (addr - SHIM_DMA_BASE) & ((1 << 28) - 1);
	u64 page = (addr - SHIM_PAGES_BASE) / SHIM_PAGE;

	if (dma_on && page < SHIM_PAGES && shim_pages[page].cpu)
		return shim_page_memory(&shim_pages[page]) + addr % SHIM_PAGE;
	if (!dma_on || addr < SHIM_DMA_BASE || block >= SHIM_DMA_BLOCKS ||
	    offset + len > shim_dma[block].size)
		return NULL;
	return (u8 *)shim_dma[block].cpu + offset;
}

static inline int dma_read(void *ctx, u64 addr, void *buf, size_t len)
{
	u8 *from = dma_at(addr, len);

	if (from)
		memcpy(buf, from, len);
	return from ? 0 : -1;
}

static inline int dma_write(void *ctx, u64 addr, const void *buf, size_t len)
{
	u8 *to = dma_at(addr, len);

	if (to)
		memcpy(to, buf, len);
	return to ? 0 : -1;
}

static inline int dma_switch(struct pcounter_io *io, bool on)
{
	dma_on = on;
	return 0;
}

static const struct pcounter_io_ops record_ops = {
	.rd32 = gpu_rd32, .wr32 = gpu_wr32, .dma = dma_switch,
};

static const char *const chips[] = { "g84", "g92", "gt215" };

static inline void begin(const char *name)
{
	static const struct pcmodel_bus bus = { .read = dma_read, .write = dma_write };
	unsigned int i;

	gpu_new(name);
	g.io.ops = &record_ops;
	pcmodel_set_bus(g.m, &bus);
	g.m->dma.audit = true;
	dma_on = false;
	for (i = 0; i < SHIM_DMA_BLOCKS; i++)
		shim_dma[i].size = 0;
	pcounter_record_ring_kb = 64;
	pcounter_test_params.record_position = 0;
	for (i = 0; i < SIGNALS; i++)
		say("signal %u %u random %u/65536 seed %u", DOM, FIRST + i, 5000 * (i + 1), i + 7);
}

static inline unsigned int blocks(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < SHIM_DMA_BLOCKS; i++)
		n += shim_dma[i].size ? 1 : 0;
	return n;
}

static inline unsigned int pages_mapped(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < SHIM_PAGES; i++)
		n += shim_pages[i].cpu ? 1 : 0;
	return n;
}

static inline void end(void)
{
	u64 writes = g.m->dma.writes;

	pcmodel_run(g.m, 3 * PERIOD(5));
	assert_int_equal(g.m->dma.writes, writes);
	assert_int_equal(g.m->dma.stale, 0);
	assert_int_equal(blocks(), 0);
	assert_int_equal(pages_mapped(), 0);
	assert_false(dma_on);
	gpu_free();
}

static inline u64 scripted(unsigned int sig, u64 from, u64 to)
{
	char line[64], reply[64];

	snprintf(line, sizeof(line), "count %u %u %llu %llu", DOM, sig,
		 (unsigned long long)from, (unsigned long long)to);
	assert_int_equal(pcmodel_command(g.m, line, reply, sizeof(reply)), 0);
	return strtoull(reply, NULL, 0);
}

static inline struct group recorded(unsigned int n, unsigned int periodic, bool brief)
{
	struct group grp = { .n = n + 1 };
	unsigned int i;

	for (i = 0; i <= n; i++) {
		grp.req[i] = i < n ? ask(DOM, PCOUNTER_ROLE_ANY, FIRST + i) : ask_clk(DOM);
		grp.req[i].set.mode = PCOUNTER_MODE_RECORD;
		grp.req[i].set.periodic = periodic;
		grp.req[i].set.brief = brief;
	}
	assert_true(group_settle(&grp, 1));
	return grp;
}

static inline struct pcounter_stream *stream(void)
{
	return g.gpu.dom[DOM].stream;
}

static inline u64 start(struct group *grp)
{
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), 0);
	assert_true(group_start(grp));
	assert_int_equal(g.gpu.dom[DOM].unit.fault, 0);
	return pcmodel_cycle(g.m, DOM);
}

static inline void stop(struct group *grp)
{
	group_stop(grp);
	pcounter_record_put(&g.gpu.dom[DOM]);
}

/* Let signals and the clock count packets; return the clock of their domain. */
static inline u64 begin_counts(struct group *grp, unsigned int n, unsigned int periodic, bool brief)
{
	*grp = recorded(n, periodic, brief);
	return start(grp);
}

static inline void end_counts(struct group *grp)
{
	stop(grp);
	end();
}

/* Poll after some time, in which no clock of the GPU has passed. */
static inline void poll_after(u64 ns)
{
	shim_clock += ns;
	g.gpu.snapshot++;
	pcounter_gpu_collect(&g.gpu);
}

static inline void poll(void)
{
	poll_after(NSEC_PER_MSEC);
}

/* Poll until the GPU may use the whole ring. */
static inline void settle(void)
{
	poll();
	poll();
}

/* Compare the counts with the script, for the clocks that were counted. */
static inline u64 check(struct group *grp, u64 from)
{
	u64 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i, n = grp->n - 1;

	group_read_once(grp, val);
	for (i = 0; i < n; i++)
		if (val[i] != scripted(FIRST + i, from, from + val[n]))
			fail_msg("%s: signal %u: %llu in %llu clocks", g.gpu.chip->name, i,
				 (unsigned long long)val[i], (unsigned long long)val[n]);
	return val[n];
}

#endif
