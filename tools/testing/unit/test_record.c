// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode: the driver's streams on the model's packets, through page tables
 * that the driver made.
 */
#include <linux/dma-mapping.h>

#include "count_test.h"

#define DOM		1
#define FIRST		0x10	/* signals of the tests */
#define SIGNALS		12
#define PERIOD(n)	(1u << (9 + (n)))

static bool dma_on;

static u8 *dma_at(u64 addr, size_t len)
{
	unsigned int block = (addr - SHIM_DMA_BASE) >> 28;
	u64 offset = (addr - SHIM_DMA_BASE) & ((1 << 28) - 1);

	if (!dma_on || addr < SHIM_DMA_BASE || block >= SHIM_DMA_BLOCKS ||
	    offset + len > shim_dma[block].size)
		return NULL;
	return (u8 *)shim_dma[block].cpu + offset;
}

static int dma_read(void *ctx, u64 addr, void *buf, size_t len)
{
	u8 *from = dma_at(addr, len);

	(void)ctx;
	if (from)
		memcpy(buf, from, len);
	return from ? 0 : -1;
}

static int dma_write(void *ctx, u64 addr, const void *buf, size_t len)
{
	u8 *to = dma_at(addr, len);

	(void)ctx;
	if (to)
		memcpy(to, buf, len);
	return to ? 0 : -1;
}

static int dma_switch(struct pcounter_io *io, bool on)
{
	(void)io;
	dma_on = on;
	return 0;
}

static const struct pcounter_io_ops record_ops = {
	.rd32 = gpu_rd32, .wr32 = gpu_wr32, .dma = dma_switch,
};

static const char *const chips[] = { "g84", "g92", "gt215" };

static void begin(const char *name)
{
	static const struct pcmodel_bus bus = { .read = dma_read, .write = dma_write };
	char line[64];
	unsigned int i;

	gpu_new(name);
	g.io.ops = &record_ops;
	pcmodel_set_bus(g.m, &bus);
	g.m->dma.audit = true;
	dma_on = false;
	for (i = 0; i < SHIM_DMA_BLOCKS; i++)
		shim_dma[i].size = 0;
	pcounter_record_params = (struct pcounter_record_params){ .ring_kb = 64 };
	for (i = 0; i < SIGNALS; i++) {
		snprintf(line, sizeof(line), "signal %u %u random %u/65536 seed %u", DOM,
			 FIRST + i, 5000 * (i + 1), i + 7);
		say(line);
	}
}

static unsigned int blocks(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < SHIM_DMA_BLOCKS; i++)
		n += shim_dma[i].size ? 1 : 0;
	return n;
}

static void end(void)
{
	u64 writes = g.m->dma.writes;

	pcmodel_run(g.m, 3 * PERIOD(5));
	assert_int_equal(g.m->dma.writes, writes);
	assert_int_equal(g.m->dma.stale, 0);
	assert_int_equal(blocks(), 0);
	assert_false(dma_on);
	gpu_free();
}

static u64 scripted(unsigned int sig, u64 from, u64 to)
{
	char line[64], reply[64];

	snprintf(line, sizeof(line), "count %u %u %llu %llu", DOM, sig,
		 (unsigned long long)from, (unsigned long long)to);
	assert_int_equal(pcmodel_command(g.m, line, reply, sizeof(reply)), 0);
	return strtoull(reply, NULL, 0);
}

static struct group recorded(unsigned int n, unsigned int periodic, bool brief)
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

static struct pcounter_stream *stream(void)
{
	return g.gpu.record.stream[DOM];
}

static u64 start(struct group *grp)
{
	assert_int_equal(pcounter_record_open(&g.gpu, DOM), 0);
	assert_true(group_start(grp));
	assert_int_equal(g.gpu.dom[DOM].fault, 0);
	return pcmodel_cycle(g.m, DOM);
}

static void stop(struct group *grp)
{
	group_stop(grp);
	pcounter_record_close(&g.gpu, DOM);
}

static void poll(void)
{
	g.gpu.epoch++;
	pcounter_gpu_collect(&g.gpu);
}

/* What was counted must be what the script says of the clocks that were counted. */
static u64 check(struct group *grp, u64 from)
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

static void counts_exactly(const char *chip, unsigned int n, unsigned int periodic, bool brief)
{
	struct group grp = recorded(n, periodic, brief);
	u64 from, clocks, least = PERIOD(periodic ?: 5) + 1000;
	unsigned int i;

	from = start(&grp);
	for (i = 0; i < 12; i++) {
		pcmodel_run(g.m, 7777);
		poll();
		clocks = check(&grp, from);
		assert_true(clocks <= (i + 1) * 7777);
		assert_true(clocks + least >= (i + 1) * 7777);
	}
	assert_int_equal(stream()->loss.overrun + stream()->loss.missing +
			 stream()->loss.merged + stream()->loss.saturated, 0);
	stop(&grp);
	(void)chip;
}

static void test_counts(void **state)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		counts_exactly(chips[i], SIGNALS, 1, false);
		end();
		begin(chips[i]);
		counts_exactly(chips[i], 4, 2, true);
		end();
		begin(chips[i]);
		counts_exactly(chips[i], 2, 0, false);
		end();
	}
}

/* Where software can, a read asks for a packet. */
static void test_read_is_now(void **state)
{
	struct group grp;
	u64 from;

	begin("gt215");
	grp = recorded(3, 7, false);
	from = start(&grp);
	pcmodel_run(g.m, 12345);
	check(&grp, from);
	pcmodel_run(g.m, 1);
	assert_in_range(check(&grp, from), 12345, 12346);
	stop(&grp);
	end();
}

/* The other readings of hw/ambiguities.md 17 to 26. */
static void test_quirks(void **state)
{
	static const char *const quirks[] = {
		"record_stop_next 1", "record_bogus 1", "record_bogus 3", "position_early 1",
		"position_late 40", "limit_last 1", "short_all 1", "wedge_record_only 1",
		"wedge_others 1", "dma_limit_exclusive 1", "no_unpaged 1",
		"flush_busy 3", "record_latency 30", "record_latency 900",
	};
	char line[64];
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		for (k = 0; k < ARRAY_SIZE(quirks); k++) {
			begin(chips[i]);
			say("garbage 3");
			snprintf(line, sizeof(line), "quirk %s", quirks[k]);
			say(line);
					counts_exactly(chips[i], 5, 1, false);
			end();
		}
		begin(chips[i]);
		say("quirk no_shared_tables 1");
		pcounter_record_params.own_tables = true;
		counts_exactly(chips[i], 5, 1, false);
		end();
	}
}

/* Over the end of 4 GiB, or of a share of it. */
static void wraps(const char *chip, const char *quirk, bool brief, bool endless)
{
	struct group grp;
	unsigned int i;
	u64 from;

	begin(chip);
	if (quirk)
		say(quirk);
	pcounter_record_params.position = strcmp(chip, "g84") ? 0xffffe000 : (1u << 29) - 0x2000;
	grp = recorded(4, 1, brief);
	from = start(&grp);
	for (i = 0; i < 600; i++) {
		pcmodel_run(g.m, 1024);
		poll();
		if (endless)
			check(&grp, from);
	}
	assert_int_equal(stream()->loss.gaps, endless ? 0 : 1);
	/* reads ask for more, where they can */
	assert_in_range(stream()->loss.packets, 600 - 80, endless ? 1200 : 600);
	assert_int_equal(stream()->loss.overrun + stream()->loss.missing, 0);
	stop(&grp);
	end();
}

static void test_wrap(void **state)
{
	wraps("g92", NULL, false, true);
	wraps("gt215", NULL, false, true);
	wraps("gt215", "quirk limit_last 1", false, false);
	wraps("gt215", NULL, true, false);
	wraps("g84", NULL, false, false);
	wraps("g84", "quirk limit_last 1", false, false);
}

/* Nobody looks for longer than a ring lasts. */
static void test_overrun(void **state)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS], sent;
	unsigned int i;

	begin("g92");
	grp = recorded(2, 1, false);
	start(&grp);
	pcmodel_run(g.m, 2500 * 1024);
	sent = g.m->rec[DOM].stats.sent;
	poll();
	assert_int_equal(stream()->loss.packets + stream()->loss.overrun, sent);
	assert_true(stream()->loss.overrun > 0);
	for (i = 0; i < 100; i++) {
		pcmodel_run(g.m, 10 * 1024);
		poll();
	}
	/* what is counted is still a share of the clocks that are */
	sent = g.m->rec[DOM].stats.sent;
	assert_int_equal(stream()->loss.packets + stream()->loss.overrun, sent);
	group_read_once(&grp, val);
	assert_in_range(val[0] * 65536 / val[2], 4900, 5100);
	stop(&grp);
	end();
}

static void lies(const char *line, bool fatal)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	grp = recorded(2, 1, false);
	start(&grp);
	for (i = 0; i < 10; i++) {
		pcmodel_run(g.m, 5000);
		poll();
	}
	say(line);
	for (i = 0; i < 200; i++) {
		pcmodel_run(g.m, 5000);
		poll();
	}
	assert_int_equal(g.gpu.dom[DOM].fault != 0, fatal);
	stop(&grp);
	end();
}

static void test_lies(void **state)
{
	lies("record 1 shows 0x12345670", true);
	lies("record 1 shows 0x10", true);
	lies("record 1 back 32", false);
	lies("record 1 back 0x1000", true);
	lies("record 1 back 0x20000000", true);
	lies("record 1 vanish 7", false);
	lies("record 1 rewrite 9", false);
	lies("record 1 stall 100000", false);
}

static void test_missing(void **state)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	grp = recorded(2, 1, false);
	start(&grp);
	say("record 1 vanish 3");
	for (i = 0; i < 200; i++) {
		pcmodel_run(g.m, 4096);
		poll();
	}
	assert_int_equal(stream()->loss.missing, 3);
	assert_int_equal(stream()->loss.overrun, 0);
	stop(&grp);
	end();
}

static void test_faults(void **state)
{
	static const unsigned int codes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 0xb, 0xf };
	struct group grp;
	char line[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		begin("gt215");
		grp = recorded(2, 1, false);
		start(&grp);
		pcmodel_run(g.m, 10000);
		poll();
		snprintf(line, sizeof(line), "record 1 fault %u", codes[i]);
		say(line);
		pcmodel_run(g.m, 10000);
		poll();
		assert_int_equal(g.gpu.dom[DOM].fault, PCOUNTER_FAULT_RECORD);
		stop(&grp);
		/* only a reset would help, and nobody has told us of one */
		assert_int_equal(pcounter_record_open(&g.gpu, DOM), -EIO);
		end();
	}
}

static void test_no_way(void **state)
{
	/* a TLB that is never flushed: nothing is bound, all memory is free */
	begin("g92");
	say("quirk flush_busy 0xffffffff");
	assert_int_equal(pcounter_record_open(&g.gpu, DOM), -EIO);
	end();
	begin("g92");
	say("fault dead 1");
	assert_int_equal(pcounter_record_open(&g.gpu, DOM), -EIO);
	end();
	begin("g92");
	say("vm pd_offset 0x12340000");
	assert_int_equal(pcounter_record_open(&g.gpu, DOM), -EIO);
	end();
	/* another directory, which the MMU says */
	begin("g92");
	say("vm pd_offset 0x400");
	counts_exactly("g92", 3, 1, false);
	end();
}

static void test_no_memory(void **state)
{
	unsigned int i;
	int err = -ENOMEM;

	for (i = 1; err; i++) {
		begin("g92");
		pcounter_record_params.own_tables = true;
		shim_dma_fail = i;
		err = pcounter_record_open(&g.gpu, DOM);
		assert_int_equal(blocks(), err ? 0 : 10);
		shim_dma_fail = 0;
		if (err)
			assert_int_equal(err, -ENOMEM);
		else
			pcounter_record_close(&g.gpu, DOM);
		end();
	}
	assert_int_equal(i, 12);
}

/* Two domains, and one of them goes on counting otherwise. */
static void test_domains(void **state)
{
	struct group grp, quad = { .n = 1 };
	u64 from, val;

	begin("g84");
	say("signal 2 9 duty 30/100");
	quad.req[0] = ask(2, PCOUNTER_ROLE_ANY, 9);
	assert_true(group_settle(&quad, 2));
	assert_true(group_start(&quad));
	grp = recorded(3, 1, false);
	from = start(&grp);
	pcmodel_run(g.m, 100000);
	poll();
	check(&grp, from);
	group_read(&quad, &val);
	assert_int_equal(val, 30000);
	stop(&grp);
	group_stop(&quad);
	end();
}

/* Events that come later count whole packets of their own. */
static void test_joining(void **state)
{
	struct group one, two;
	u64 val[PCOUNTER_MAX_REQUESTS], before;
	unsigned int i;

	begin("g92");
	one = recorded(2, 1, false);
	start(&one);
	pcmodel_run(g.m, 10500);
	two = recorded(1, 1, false);
	two.req[0].in.sig[0] = FIRST + 11;
	assert_true(group_start(&two));
	/* it shares the clock of the first */
	before = g.gpu.dom[DOM].user[two.user[1]].total;
	for (i = 0; i < 50; i++) {
		pcmodel_run(g.m, 4096);
		poll();
	}
	group_read_once(&two, val);
	assert_in_range(val[0] * 65536 / (val[1] - before), 59000, 61000);
	group_stop(&two);
	stop(&one);
	end();
}

/* A domain counts by periods, then by packets, then by periods again. */
static void test_modes_alternate(void **state)
{
	struct group quad = { .n = 1 }, grp;
	u64 val, from;
	unsigned int i;

	begin("g92");
	quad.req[0] = ask(DOM, PCOUNTER_ROLE_ANY, FIRST);
	assert_true(group_settle(&quad, 2));
	for (i = 0; i < 3; i++) {
		from = pcmodel_cycle(g.m, DOM);
		assert_true(group_start(&quad));
		pcmodel_run(g.m, 5000);
		group_read(&quad, &val);
		assert_int_equal(val, scripted(FIRST, from, from + 5000));
		group_stop(&quad);
		grp = recorded(3, 1, false);
		from = start(&grp);
		pcmodel_run(g.m, 5000);
		poll();
		check(&grp, from);
		stop(&grp);
	}
	end();
}

/* A square wave comes out as one, wherever it begins. */
static void test_square_wave(void **state)
{
	struct pcounter_packet packet;
	struct group grp;
	unsigned int i, high, run, runs;

	for (i = 0; i < 12; i++) {
		begin(chips[i % 3]);
		say("signal 1 0x10 duty 16384/32768");
		pcmodel_run(g.m, i * 4321);
		grp = recorded(1, 1, false);
		start(&grp);
		pcmodel_run(g.m, 500000);
		g.gpu.dom[DOM].sampled = 1;
		for (high = run = runs = 0; pcounter_record_next(&g.gpu, DOM, &packet); run++) {
			unsigned int slot = g.gpu.dom[DOM].user[grp.user[0]].slot;

			assert_int_equal(packet.clocks, min_t(u64, packet.cycles, 1024));
			if (high ? packet.ctr[slot] > 512 : packet.ctr[slot] <= 512)
				continue;
			high = !high;
			if (runs++ > 1)
				assert_int_equal(run, 16);
			run = 0;
		}
		assert_in_range(runs, 29, 32);
		g.gpu.dom[DOM].sampled = 0;
		stop(&grp);
		end();
	}
}

static void test_gone(void **state)
{
	struct group grp;
	u64 before, val[PCOUNTER_MAX_REQUESTS];

	begin("g92");
	grp = recorded(2, 1, false);
	start(&grp);
	pcmodel_run(g.m, 10240);
	pcounter_record_shut(&g.gpu);
	g.gpu.gone = true;
	before = g.m->reads + g.m->writes;
	assert_int_equal(blocks(), 0);
	for (unsigned int i = 0; i < 3; i++)
		val[i] = g.gpu.dom[DOM].user[grp.user[i]].total;
	assert_int_equal(val[2], 10240);
	assert_int_equal(pcounter_record_open(&g.gpu, DOM), -ENODEV);
	stop(&grp);
	assert_int_equal(g.m->reads + g.m->writes, before);
	g.gpu.gone = false;
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_read_is_now),
		cmocka_unit_test(test_quirks), cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_overrun), cmocka_unit_test(test_lies),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_no_way), cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_domains), cmocka_unit_test(test_joining),
		cmocka_unit_test(test_modes_alternate), cmocka_unit_test(test_gone),
		cmocka_unit_test(test_square_wave),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
