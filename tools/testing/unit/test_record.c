// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode: the driver's streams on the model's packets, through the driver's own
 * page tables.
 */
#include "record_test.h"

#include <linux/ktime.h>

#define PROP	8	/* number of the term "mux" */

/* Count @n signals for @looks polls, with some packets before each. */
static void counts_for(unsigned int looks, unsigned int n, unsigned int periodic, bool brief)
{
	struct group grp = recorded(n, periodic, brief);
	u64 from, clocks, least = PERIOD(periodic ?: 5) + 1000;
	unsigned int i;

	from = start(&grp);
	for (i = 0; i < looks; i++) {
		pcmodel_run(g.m, 7777);
		poll();
		clocks = check(&grp, from);
		assert_true(clocks <= (i + 1) * 7777);
		assert_true(clocks + least >= (i + 1) * 7777);
	}
	assert_int_equal(stream()->loss.overrun + stream()->loss.missing +
			 stream()->loss.merged + stream()->loss.saturated, 0);
	stop(&grp);
}

TEST(test_counts)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		counts_for(12, SIGNALS, 1, false);
		end();
		begin(chips[i]);
		counts_for(12, 4, 2, true);
		end();
		begin(chips[i]);
		counts_for(12, 2, 0, false);
		end();
	}
}

/* A request whose mux cannot be set counts nothing, and the others count. */
TEST(test_mux_that_keeps_nothing)
{
	struct group grp;
	u64 from;

	begin("g84");
	say("fault sticky 0x408e50 0x80000012");
	grp = recorded(2, 1, false);
	grp.req[0].mux[0] = (struct pcounter_mux_setting){ .id = PROP, .sel = 0x16 };
	from = start(&grp);
	pcmodel_run(g.m, 7777);
	shim_clock++;
	poll();
	assert_int_equal(g.gpu.muxes.failures, 1);
	assert_int_equal(g.gpu.dom[DOM].client[grp.user[0]].total, 0);
	assert_int_equal(g.gpu.dom[DOM].client[grp.user[0]].last_ns, 0);
	assert_int_not_equal(g.gpu.dom[DOM].client[grp.user[1]].last_ns, 0);
	assert_int_equal(group_value(&grp, 1), scripted(FIRST + 1, from,
							from + group_value(&grp, 2)));
	end_counts(&grp);
}

/* If software can, a read requests a packet. */
TEST(test_read_is_now)
{
	struct group grp;
	u64 from;

	begin("gt215");
	from = begin_counts(&grp, 3, 7, false);
	pcmodel_run(g.m, 12345);
	check(&grp, from);
	pcmodel_run(g.m, 1);
	assert_in_range(check(&grp, from), 12345, 12346);
	end_counts(&grp);
}

/* The other readings of hw:ambiguities/17 to hw:ambiguities/26. */
TEST(test_quirks)
{
	static const char *const quirks[] = {
		"record_stop_next 1", "record_bogus 1", "record_bogus 3", "position_early 1",
		"position_late 40", "limit_last 1", "short_all 1", "wedge_record_only 1",
		"wedge_others 1", "dma_limit_exclusive 1", "no_unpaged 1",
		"flush_busy 3", "record_latency 30", "record_latency 900",
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		for (k = 0; k < ARRAY_SIZE(quirks); k++) {
			begin(chips[i]);
			say("garbage 3");
			say("quirk %s", quirks[k]);
			/* garbage: no domain is idle, and none can be skipped */
			counts_for(2, 5, 1, false);
			end();
		}
	}
}

/* Registers have the other byte order; memory has not. */
TEST(test_byte_order)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		gpu_flip();
		assert_true(g.io.swapped);
		counts_for(2, 5, 1, false);
		end();
	}
}

/* Wrap around at the end of 4 GiB, or of a fraction of it. */
static void wraps(const char *chip, const char *quirk, bool brief, bool endless)
{
	struct group grp;
	unsigned int i;
	u64 from;

	begin(chip);
	if (quirk)
		say(quirk);
	pcounter_test_params.record_position =
		strcmp(chip, "g84") ? 0xffffe000 : (1u << 28) - 0x2000;
	from = begin_counts(&grp, 4, 1, brief);
	for (i = 0; i < 600; i++) {
		pcmodel_run(g.m, 1024);
		poll();
		if (endless)
			check(&grp, from);
	}
	assert_int_equal(stream()->loss.gaps, endless ? 0 : 1);
	/* reads request more packets, if they can */
	assert_in_range(stream()->loss.packets, brief ? 600 - 4 : 600 - 80,
			endless ? 1200 : 600);
	assert_int_equal(stream()->loss.overrun + stream()->loss.missing, 0);
	end_counts(&grp);
}

TEST(test_wrap)
{
	wraps("g92", NULL, false, true);
	wraps("gt215", NULL, false, true);
	wraps("gt215", "quirk limit_last 1", false, false);
	wraps("gt215", NULL, true, false);
	wraps("g84", NULL, false, false);
	wraps("g84", "quirk limit_last 1", false, false);
}

/*
 * A program reads every 10 us, and a packet comes every millisecond: wherever the position
 * stands in between, the GPU has not stopped there. Eight packets are 256 bytes, so that
 * the position stands at all places where LIMIT was, and at the end of the window.
 */
TEST(test_slow_packets)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(chips); i++) {
		struct group grp;
		unsigned int n, k;
		u64 from;

		begin(chips[i]);
		pcounter_test_params.record_position =
			strcmp(chips[i], "g84") ? 0xffff8000 : 0x8000;
		from = begin_counts(&grp, 4, 1, false);
		for (n = 0; n < 400; n++) {
			pcmodel_run(g.m, 8 * 1024);
			for (k = 0; k < 100; k++)
				poll_after(10 * NSEC_PER_USEC);
		}
		assert_in_range(check(&grp, from), (400 * 8 - 1) * 1024, 400 * 8 * 1024);
		assert_int_equal(stream()->loss.gaps, 0);
		end_counts(&grp);
	}
}

/* A position can equal GF100's answer to a failed access. */
TEST(test_position_bad)
{
	struct group grp;
	unsigned int i;
	u64 from;

	begin("gt215");
	pcounter_test_params.record_position = 0xbad00000 - 64 * 32;
	from = begin_counts(&grp, 4, 1, false);
	for (i = 0; i < 200; i++) {
		pcmodel_run(g.m, 1024);
		poll();
		check(&grp, from);
	}
	assert_int_equal(g.gpu.dom[DOM].unit.fault, 0);
	assert_in_range(stream()->loss.packets, 195, 400);
	end_counts(&grp);
}

/* No poll for longer than a ring lasts. */
TEST(test_overrun)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS], sent;
	unsigned int i;

	begin("g92");
	begin_counts(&grp, 2, 1, false);
	settle();
	pcmodel_run(g.m, 2500 * 1024);
	sent = g.m->rec[DOM].stats.sent;
	poll();
	/* the last packet is in a place with old data: the driver waits until it is whole */
	settle();
	assert_int_equal(stream()->loss.packets + stream()->loss.overrun, sent);
	assert_true(stream()->loss.overrun > 0);
	for (i = 0; i < 100; i++) {
		pcmodel_run(g.m, 10 * 1024);
		poll();
	}
	settle();
	/* counts and clocks are still in proportion */
	sent = g.m->rec[DOM].stats.sent;
	assert_int_equal(stream()->loss.packets + stream()->loss.overrun, sent);
	group_read_once(&grp, val);
	assert_in_range(val[0] * 65536 / val[2], 4900, 5100);
	end_counts(&grp);
}

static void lies(const char *line, bool fatal)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	begin_counts(&grp, 2, 1, false);
	for (i = 0; i < 10; i++) {
		pcmodel_run(g.m, 5000);
		poll();
	}
	say(line);
	for (i = 0; i < 200; i++) {
		pcmodel_run(g.m, 5000);
		poll();
	}
	assert_int_equal(g.gpu.dom[DOM].unit.fault != 0, fatal);
	end_counts(&grp);
}

TEST(test_lies)
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

TEST(test_missing)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	begin_counts(&grp, 2, 1, false);
	say("record 1 vanish 3");
	for (i = 0; i < 200; i++) {
		pcmodel_run(g.m, 4096);
		poll();
	}
	assert_int_equal(stream()->loss.missing, 3);
	assert_int_equal(stream()->loss.overrun, 0);
	end_counts(&grp);
}

/* A packet may arrive until the 17th look that finds the position behind it. */
TEST(test_late)
{
	unsigned int stall, looks, arrived = 0;
	struct group grp;

	for (stall = 700; stall < 1300; stall += 100) {
		begin("g92");
		say("quirk position_early 1");
		say("record 1 stall %u", stall);
		begin_counts(&grp, 2, 5, false);
		while (!g.m->rec[DOM].pending)
			pcmodel_run(g.m, 1);
		for (looks = 0; g.m->rec[DOM].pending; looks++) {
			poll();
			pcmodel_run(g.m, 64);
		}
		poll();
		assert_int_equal(stream()->loss.packets, looks <= PCOUNTER_LATE_LOOKS);
		assert_int_equal(stream()->loss.missing, looks > PCOUNTER_LATE_LOOKS);
		arrived += stream()->loss.packets;
		end_counts(&grp);
	}
	assert_in_range(arrived, 1, 5);
}

TEST(test_faults)
{
	static const unsigned int codes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 0xb, 0xf };
	struct group grp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		begin("gt215");
		begin_counts(&grp, 2, 1, false);
		pcmodel_run(g.m, 10000);
		poll();
		say("record 1 fault %u", codes[i]);
		pcmodel_run(g.m, 10000);
		poll();
		assert_int_equal(g.gpu.dom[DOM].unit.fault, PCOUNTER_FAULT_RECORD);
		stop(&grp);
		/* only a reset would help, and the driver knows of none */
		assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
		end();
	}
}

TEST(test_no_way)
{
	/* a TLB flush never ends: nothing is bound, all memory is free */
	begin("g92");
	say("quirk flush_busy 0xffffffff");
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	end();
	begin("g92");
	say("fault dead 1");
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	end();
	begin("g92");
	say("vm pd_offset 0x12340000");
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	end();
	/* another directory, which the MMU reports */
	begin("g92");
	say("vm pd_offset 0x400");
	counts_for(12, 3, 1, false);
	end();
}

TEST(test_no_memory)
{
	unsigned int i;
	int err = -ENOMEM;

	for (i = 1; err; i++) {
		begin("g92");
		shim_dma_fail = i;
		err = pcounter_record_get(&g.gpu.dom[DOM]);
		assert_int_equal(blocks(), err ? 0 : 3);
		shim_dma_fail = 0;
		if (err)
			assert_int_equal(err, -ENOMEM);
		else
			pcounter_record_put(&g.gpu.dom[DOM]);
		end();
	}
	/* ring, channel and page table */
	assert_int_equal(i, 5);
}

/* Two domains, one of which continues to count by periods. */
TEST(test_domains)
{
	struct group grp, quad = { .n = 1 };
	u64 from, val;

	begin("g84");
	say("signal 2 9 duty 30/100");
	quad.req[0] = ask(2, PCOUNTER_ROLE_ANY, 9);
	group_begin(&quad, 2);
	from = begin_counts(&grp, 3, 1, false);
	pcmodel_run(g.m, 100000);
	poll();
	check(&grp, from);
	group_read(&quad, &val);
	assert_int_equal(val, 30000);
	stop(&grp);
	group_stop(&quad);
	end();
}

static u64 since_begun(const struct group *grp, unsigned int i)
{
	const struct pcounter_client *user = &g.gpu.dom[DOM].client[grp->user[i]];

	return user->total - user->begun;
}

/*
 * Events that come later count whole packets of their own. They share the clock of the
 * first, and remember its value at their own start.
 */
TEST(test_joining)
{
	struct group one, two;
	u64 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	begin("g92");
	say("signal 1 0x40 const 1");
	one = recorded(2, 1, false);
	start(&one);
	pcmodel_run(g.m, 10500);
	two = recorded(1, 1, false);
	two.req[0].in.sig[0] = 0x40;
	assert_true(group_start(&two));
	assert_false(pcounter_record_settled(&g.gpu.dom[DOM]));
	for (i = 0; i < 50; i++) {
		pcmodel_run(g.m, 4096);
		poll();
	}
	group_read_once(&two, val);
	assert_true(pcounter_record_settled(&g.gpu.dom[DOM]));
	assert_true(val[0] > 49 * 4096);
	assert_int_equal(since_begun(&two, 0), val[0]);
	assert_int_equal(since_begun(&two, 1), val[0]);
	group_stop(&two);
	stop(&one);
	end();
}

/* One signal without the clock. */
static struct group alone(unsigned int sig)
{
	struct group grp = recorded(1, 1, false);

	grp.req[0].in.sig[0] = sig;
	grp.n = 1;
	return grp;
}

/*
 * An unused counter looks like one of signal 0: an event of that signal moves there. The
 * members of its group, the clock among them, miss the same packets.
 */
TEST(test_a_group_agrees_after_a_move)
{
	struct group grp, first, other;
	u64 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		say("signal 1 0 const 1");
		first = alone(FIRST);
		start(&first);
		grp = recorded(1, 1, false);
		grp.req[0].in.sig[0] = 0;
		assert_true(group_start(&grp));
		group_stop(&first);
		pcmodel_run(g.m, 10 * 1024);
		poll();
		assert_int_equal(g.gpu.dom[DOM].client[grp.user[0]].slot, 1);
		other = alone(FIRST + 1);
		assert_true(group_start(&other));
		assert_int_equal(g.gpu.dom[DOM].client[grp.user[0]].slot, 0);
		pcmodel_run(g.m, 10 * 1024);
		group_read_once(&grp, val);
		assert_true(val[0] > 12 * 1024);
		assert_int_equal(val[0], val[1]);
		group_stop(&other);
		end_counts(&grp);
	}
}

/*
 * With no event for longer than a ring lasts, nothing is written, and no old data is
 * counted.
 */
TEST(test_pause)
{
	struct group grp;
	unsigned int i, k;
	u64 from, writes;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		begin_counts(&grp, 4, 1, false);
		pcmodel_run(g.m, 100 * 1024);
		poll();
		group_del(&grp, grp.n);
		pcounter_gpu_commit(&g.gpu);
		pcmodel_run(g.m, 2 * 1024);
		writes = g.m->dma.writes;
		pcmodel_run(g.m, 5000 * 1024);
		assert_int_equal(g.m->dma.writes, writes);
		g.gpu.snapshot++;
		for (k = 0; k < grp.n; k++)
			grp.user[k] = pcounter_domain_add(&g.gpu, &grp.req[k]);
		assert_true(pcounter_gpu_commit(&g.gpu));
		from = pcmodel_cycle(g.m, DOM);
		for (k = 0; k < 10; k++) {
			pcmodel_run(g.m, 300 * 1024);
			poll();
		}
		assert_true(check(&grp, from) >= 2999 * 1024);
		assert_int_equal(stream()->loss.overrun + stream()->loss.missing, 0);
		end_counts(&grp);
	}
}

/* More packets than 31 bits can number. */
TEST(test_long)
{
	struct group grp;
	u64 from;

	begin("g92");
	from = begin_counts(&grp, 2, 1, false);
	pcmodel_run(g.m, 10 * 1024);
	poll();
	g.gpu.dom[DOM].swaps += BIT(31);
	pcmodel_run(g.m, 10 * 1024);
	poll();
	assert_true(check(&grp, from) >= 19 * 1024);
	end_counts(&grp);
}

/* A domain counts by periods, then by packets, then by periods again. */
TEST(test_modes_alternate)
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
		from = begin_counts(&grp, 3, 1, false);
		pcmodel_run(g.m, 5000);
		poll();
		check(&grp, from);
		stop(&grp);
	}
	end();
}

static unsigned int read_one(struct pcounter_batch *packet)
{
	return pcounter_record_read(stream(), 1, NULL, packet);
}

/* The packets show a square wave, with any phase. */
TEST(test_square_wave)
{
	struct pcounter_batch packet;
	struct group grp;
	unsigned int i, high, run, runs;

	for (i = 0; i < 12; i++) {
		begin(chips[i % 3]);
		say("signal 1 0x10 duty 16384/32768");
		pcmodel_run(g.m, i * 4321);
		begin_counts(&grp, 1, 1, false);
		pcmodel_run(g.m, 500000);
		g.gpu.dom[DOM].sampled = 1;
		for (high = run = runs = 0; read_one(&packet); run++) {
			unsigned int slot = g.gpu.dom[DOM].client[grp.user[0]].slot;

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
		end_counts(&grp);
	}
}

static void load(struct pcounter_image *img)
{
	pcounter_regs_load(&g.gpu.dom[DOM].block, img);
}

TEST(test_gone)
{
	struct group grp;
	struct pcounter_image found, left;
	u64 before, val[PCOUNTER_MAX_REQUESTS];

	begin("g92");
	load(&found);
	begin_counts(&grp, 2, 1, false);
	pcmodel_run(g.m, 10240);
	pcounter_record_stop_all(&g.gpu, -ENODEV);
	pcounter_gpu_leave(&g.gpu, true);
	load(&left);
	assert_memory_equal(&left, &found, sizeof(left));
	before = g.m->reads + g.m->writes;
	assert_int_equal(blocks(), 0);
	for (unsigned int i = 0; i < 3; i++)
		val[i] = g.gpu.dom[DOM].client[grp.user[i]].total;
	assert_int_equal(val[2], 10240);
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -ENODEV);
	stop(&grp);
	assert_int_equal(g.m->reads + g.m->writes, before);
	g.gpu.gone = false;
	end();
}

static struct group other;

static void other_begins(void)
{
	shim_asleep = NULL;
	assert_true(group_start(&other));
}

/*
 * A former user has left a domain in record mode, and another event begins to count
 * there while the driver watches its position.
 */
TEST(test_stranger)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		pcmodel_wr32(g.m, pcounter_reg_addr(g.gpu.gen, PCOUNTER_REG_CTRL, 2),
			     g.gpu.gen->table->ctrl[0].record | g.gpu.gen->table->ctrl[0].evpulse);
		other = (struct group){ .n = 1, .req = { ask_clk(2) } };
		assert_true(group_settle(&other, 1));
		shim_asleep = other_begins;
		begin_counts(&grp, 2, 1, false);
		assert_null(shim_asleep);
		pcmodel_run(g.m, 100 * PERIOD(1));
		group_read_once(&other, val);
		assert_true(val[0] >= 100 * PERIOD(1));
		stop(&grp);
		group_read_once(&other, val);
		group_stop(&other);
		end();
	}
}

/* ---- one by one, and many at once ---- */

#define MANY	300

/* Damage a packet: a full counter, a hole, a merged request, an old packet, none at all. */
static void damage(u8 *slot, unsigned int how)
{
	memset(slot + (how & 15) * 2, how & 16 ? 0xff : how, how & 32 ? 4 : 2);
}

static unsigned int all_of(bool at_once, unsigned int looks)
{
	struct pcounter_batch packet;
	unsigned int n = 0, got;

	while (looks--) {
		while ((got = pcounter_record_read(stream(), at_once ? MANY : 1, NULL, &packet)))
			n += got;
		pcounter_record_look(stream(), false);
	}
	return n;
}

TEST(test_at_once)
{
	static struct pcounter_stream before, after;
	static struct pcounter_domain dom_before, dom_after;
	static u8 ring_before[65536], ring_after[65536];
	unsigned int seed, i, n, bad;
	struct group grp;
	u8 *ring;

	for (seed = 0; seed < 60; seed++) {
		begin("gt215");
		srand(seed);
		begin_counts(&grp, SIGNALS, 1, false);
		g.gpu.dom[DOM].sampled = 1;
		pcmodel_run(g.m, MANY * PERIOD(1));
		ring = stream()->own->mem.cpu;
		bad = seed ? rand() % 8 : 0;
		for (i = 0; i < bad; i++)
			damage(ring + rand() % MANY * 32, rand());
		memcpy(ring_before, ring, sizeof(ring_before));
		before = *stream();
		dom_before = g.gpu.dom[DOM];
		n = all_of(false, 20);
		after = *stream();
		dom_after = g.gpu.dom[DOM];
		memcpy(ring_after, ring, sizeof(ring_after));
		memcpy(ring, ring_before, sizeof(ring_before));
		*stream() = before;
		g.gpu.dom[DOM] = dom_before;
		assert_int_equal(all_of(true, 20), n);
		assert_memory_equal(stream(), &after, sizeof(after));
		assert_memory_equal(&g.gpu.dom[DOM], &dom_after, sizeof(dom_after));
		assert_memory_equal(ring, ring_after, sizeof(ring_after));
		assert_true(bad || n >= MANY - 2);
		g.gpu.dom[DOM].sampled = 0;
		end_counts(&grp);
	}
}

/* An argument selects tests by name, with a pattern. */
int main(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return unit_run(NULL, NULL);
}
