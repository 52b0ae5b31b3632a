// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode under conditions that invite wrong counts or forbidden accesses: full
 * counters, packets in pieces, flushes beside another driver's, posted writes, and long
 * work with interrupts off.
 */
#include "record_test.h"

#include <linux/ktime.h>

#define RING_KB		1024
#define RING		(RING_KB * 1024)
#define PACKET		32
#define FLUSH		0x100c80
#define BUSY		1
#define PCOUNTER	0xb
#define PCE0		0xd
#define PGRAPH		0

/* ---- full counters ---- */

/* Packets are slower than counters fill: full counters are left out, with their cycles. */
TEST(test_full)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	begin("g92");
	say("signal 1 0x10 const 1");
	say("signal 1 0x11 duty 1/4");
	begin_counts(&grp, 2, 5, false);
	for (i = 0; i < 40; i++) {
		/* each stall delays the next packet, whose counter is then full */
		if (i % 8 == 4)
			say("record 1 stall 100000");
		pcmodel_run(g.m, 50000);
		poll();
	}
	group_read_once(&grp, val);
	assert_in_range(stream()->loss.saturated, 1, 10);
	assert_true(val[2] > 500000);
	assert_int_equal(val[0], val[2]);
	assert_in_range(val[1], val[2] / 4 - 16, val[2] / 4 + 16);
	end_counts(&grp);
}

/*
 * Two full counters look like a packet of which a piece is missing. Without a packet behind
 * it the driver gives it time, and then takes it for what it is.
 */
TEST(test_full_at_the_end)
{
	struct group grp;

	begin("g92");
	say("signal 1 0x10 const 1");
	say("signal 1 0x11 const 1");
	begin_counts(&grp, 2, 5, false);
	settle();
	say("record 1 stall 100000");
	while (g.m->rec[DOM].stats.landed < 2)
		pcmodel_run(g.m, 64);
	say("clock 1 0/1");
	for (unsigned int i = 0; i < 20; i++)
		poll();
	assert_int_equal(stream()->loss.packets, 2);
	assert_int_equal(stream()->loss.saturated, 1);
	assert_int_equal(stream()->loss.missing, 0);
	say("clock 1 1/1");
	end_counts(&grp);
}

/* Full counters do not affect events that only count the clock. */
TEST(test_full_unused)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS];

	begin("g92");
	say("quirk record_latency 80000");
	begin_counts(&grp, 0, 5, false);
	pcmodel_run(g.m, 2000000);
	poll();
	group_read_once(&grp, val);
	assert_true(val[0] > 1800000);
	assert_int_equal(stream()->loss.saturated, 0);
	end_counts(&grp);
}

/* With full counters only, the driver reports it instead of a count that stands still. */
TEST(test_only_full)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	say("signal 1 0x10 const 1");
	say("quirk record_latency 80000");
	begin_counts(&grp, 1, 5, false);
	for (i = 0; i < 8 && !g.gpu.dom[DOM].unit.fault; i++) {
		pcmodel_run(g.m, 800000);
		poll();
	}
	assert_int_equal(g.gpu.dom[DOM].unit.fault, PCOUNTER_FAULT_SATURATED);
	end_counts(&grp);
}

/* ---- packets in pieces ---- */

static void pieces(const char *chip, bool brief)
{
	struct group grp;
	unsigned int i;
	u64 from;

	begin(chip);
	from = begin_counts(&grp, brief ? 4 : SIGNALS, 1, brief);
	for (i = 0; i < 300; i++) {
		if (i % 3 == 1)
			say("record 1 split 1");
		pcmodel_run(g.m, 900);
		poll();
		check(&grp, from);
	}
	assert_int_equal(stream()->loss.missing + stream()->loss.saturated, 0);
	end_counts(&grp);
}

TEST(test_pieces)
{
	pieces("g84", false);
	pieces("gt215", false);
	pieces("g92", true);
}

/* Packets whose counters no event reads are copied whole, too. */
TEST(test_pieces_copied)
{
	unsigned int i, k, n, got = 0;
	u32 copy[64 * PACKET / sizeof(u32)];
	struct pcounter_batch batch;
	struct group grp;

	begin("gt215");
	begin_counts(&grp, 0, 1, false);
	settle();
	poll();
	for (i = 0; i < 20; i++) {
		pcmodel_run(g.m, 4 * 1024);
		say("record 1 split 1");
		pcmodel_run(g.m, 1024);
		n = pcounter_record_read(stream(), 64, (u8 *)copy, &batch);
		for (k = 0; k < n * PACKET / sizeof(u32); k++)
			assert_int_not_equal(copy[k], U32_MAX);
		got += n;
	}
	assert_int_equal(got, i * 5 - 1);
	end_counts(&grp);
}

/* A packet in flight at the first look, in a slot that was not empty: no hole shows. */
TEST(test_in_flight)
{
	struct group grp;
	u64 was[PCOUNTER_MAX_REQUESTS], val[PCOUNTER_MAX_REQUESTS];

	begin("g92");
	say("signal 1 0x10 const 0");
	begin_counts(&grp, 1, 1, false);
	settle();
	pcmodel_run(g.m, 4000 * PERIOD(1));
	settle();
	settle();
	assert_true(stream()->loss.overrun > 0);
	say("signal 1 0x10 const 1");
	pcmodel_run(g.m, 2 * PERIOD(1));
	settle();
	settle();
	group_read_once(&grp, was);
	say("record 1 split 1");
	for (unsigned int i = 0; i < 2; i++) {
		pcmodel_run(g.m, PERIOD(1));
		poll();
	}
	settle();
	group_read_once(&grp, val);
	assert_int_equal(val[1] - was[1], 2 * PERIOD(1));
	assert_int_equal(val[0] - was[0], 2 * PERIOD(1));
	end_counts(&grp);
}

/* Garbage in flight at the first look: the driver empties its page later than that. */
TEST(test_garbage_in_flight)
{
	const unsigned int clocks = 200 * PERIOD(1);
	u64 val[PCOUNTER_MAX_REQUESTS];
	struct group grp;

	begin("g92");
	say("signal 1 0x10 const 0");
	begin_counts(&grp, 1, 1, false);
	for (unsigned int i = 0; i < 40; i++) {
		pcmodel_run(g.m, 100 * PERIOD(1));
		poll();
	}
	group_stop(&grp);
	say("quirk record_latency %u", clocks);
	/* its cycles are later than those of the first packets */
	g.step = PERIOD(1);
	assert_true(group_start(&grp));
	g.step = 0;
	say("quirk record_latency 0");
	assert_true(g.m->rec[DOM].pending);
	poll();
	pcmodel_run(g.m, clocks);
	for (unsigned int i = 0; i < pcounter_stream_slots(stream()); i++) {
		pcmodel_run(g.m, PERIOD(1));
		poll();
	}
	group_read_once(&grp, val);
	assert_int_equal(val[0], 0);
	assert_int_equal(stream()->loss.missing, 0);
	end_counts(&grp);
}

/* ---- flushes of another driver ---- */

/**
 * struct flusher - the register of TLB flushes, and its other writer
 * @keeps: after a flush it shows the engine
 * @engine: engine of the last requested flush
 * @busy: reads until it is done
 * @before: another driver's engine + 1, whose flush begins before our first access
 * @between: its engine + 1, after our read and before our write
 * @during: its engine + 1, after our write
 * @done: flushes that ended, of each engine
 * @lost: flushes that were replaced by another one, of each engine
 */
static struct flusher {
	bool keeps;
	u32 engine;
	u32 busy;
	u32 before;
	u32 between;
	u32 during;
	unsigned int done[16];
	unsigned int lost[16];
} fl;

static void flusher_write(u32 engine)
{
	if (fl.busy)
		fl.lost[fl.engine]++;
	fl.engine = engine;
	fl.busy = 3;
}

static void flusher_foreign(u32 *engine)
{
	if (*engine)
		flusher_write(*engine - 1);
	*engine = 0;
}

static u32 flusher_rd32(struct pcounter_io *io, u32 addr)
{
	u32 val;

	if (addr != FLUSH)
		return gpu_rd32(io, addr);
	flusher_foreign(&fl.before);
	if (fl.busy && !--fl.busy) {
		fl.done[fl.engine]++;
		if (fl.engine == PCOUNTER)
			gpu_wr32(io, FLUSH, PCOUNTER << 16 | BUSY);
	}
	val = fl.busy || fl.keeps ? fl.engine << 16 : 0;
	return val | (fl.busy ? BUSY : 0);
}

static void flusher_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	if (addr != FLUSH) {
		gpu_wr32(io, addr, val);
		return;
	}
	flusher_foreign(&fl.between);
	flusher_write(val >> 16);
	flusher_foreign(&fl.during);
}

static const struct pcounter_io_ops flusher_ops = {
	.rd32 = flusher_rd32, .wr32 = flusher_wr32, .dma = dma_switch,
};

/* Open a stream while another driver flushes as @now describes. */
static void beside(struct flusher now)
{
	begin("g92");
	g.io.ops = &flusher_ops;
	fl = now;
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), 0);
	pcounter_record_put(&g.gpu.dom[DOM]);
	end();
	assert_true(fl.done[PCOUNTER] >= 2);
}

/* The driver waits for a flush in progress: none is lost. */
TEST(test_flush_before)
{
	unsigned int i, keeps;

	for (keeps = 0; keeps < 2; keeps++) {
		beside((struct flusher){ .keeps = keeps, .before = PGRAPH + 1 });
		assert_int_equal(fl.done[PGRAPH], 1);
		beside((struct flusher){ .keeps = keeps, .before = PCE0 + 1 });
		for (i = 0; i < ARRAY_SIZE(fl.lost); i++)
			assert_int_equal(fl.lost[i], 0);
	}
}

/* If one flush replaced another, the driver repeats the lost one. */
TEST(test_flush_collision)
{
	unsigned int keeps;

	for (keeps = 0; keeps < 2; keeps++) {
		beside((struct flusher){ .keeps = keeps, .during = PCE0 + 1 });
		assert_int_equal(fl.lost[PCOUNTER], 1);
		/* the other driver's, and ours on its behalf */
		assert_int_equal(fl.done[PCE0], 2);
		/* open and close flush twice each, and repeat lost flushes */
		assert_int_equal(fl.done[PCOUNTER], 4);
		/* PGRAPH could hang: the driver repeats only its own flush */
		beside((struct flusher){ .keeps = keeps, .during = PGRAPH + 1 });
		assert_int_equal(fl.done[PGRAPH], 1);
		assert_int_equal(fl.done[PCOUNTER], 4);
	}
}

/* ---- posted writes ---- */

static struct {
	u32 addr;
	u32 val;
} posted[64];
static unsigned int nr_posted;

static void post_flush(void)
{
	unsigned int i;

	for (i = 0; i < nr_posted; i++)
		pcmodel_wr32(g.m, posted[i].addr, posted[i].val);
	nr_posted = 0;
}

static u32 posted_rd32(struct pcounter_io *io, u32 addr)
{
	post_flush();
	return gpu_rd32(io, addr);
}

static void posted_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	assert_true(nr_posted < ARRAY_SIZE(posted));
	posted[nr_posted].addr = addr;
	posted[nr_posted++].val = val;
}

/* The channel has already been freed at this call. */
static int posted_dma(struct pcounter_io *io, bool on)
{
	if (!on)
		assert_int_equal(nr_posted, 0);
	return dma_switch(io, on);
}

static const struct pcounter_io_ops posted_ops = {
	.rd32 = posted_rd32, .wr32 = posted_wr32, .dma = posted_dma,
};

TEST(test_posted)
{
	struct group grp;

	begin("g92");
	g.io.ops = &posted_ops;
	begin_counts(&grp, 2, 1, false);
	pcmodel_run(g.m, 100000);
	poll();
	stop(&grp);
	post_flush();
	end();
}

/* ---- how much at once ---- */

static struct group ample(unsigned int periodic)
{
	begin("g92");
	g.gpu.most_ns = pcounter_io_dark_ns(g.gpu.io);
	pcounter_record_ring_kb = RING_KB;
	return recorded(1, periodic, false);
}

/* One poll takes a limited number of packets, with any backlog; all of it is in time. */
TEST(test_take_budget)
{
	struct group grp = ample(1);
	u64 before, all, from;
	unsigned int i;

	from = start(&grp);
	settle();
	pcmodel_run(g.m, 20000 * 1024);
	all = g.m->rec[DOM].stats.landed;
	/* a slow processor: each read of the clock takes 5 us */
	shim_clock_step = 5000;
	before = stream()->loss.packets;
	poll();
	assert_in_range(stream()->loss.packets - before, 32, 1000);
	assert_in_range(pcounter_gpu_collect_ns(&g.gpu), 1, 200000);
	shim_clock_step = 0;
	before = stream()->loss.packets;
	poll();
	assert_in_range(stream()->loss.packets - before, 1000, 5000);
	for (i = 0; i < 6; i++)
		poll();
	assert_in_range(stream()->loss.packets, all - 1, all);
	assert_int_equal(stream()->loss.overrun + stream()->loss.missing, 0);
	assert_true(pcounter_gpu_collect_ns(&g.gpu) > 500000);
	check(&grp, from);
	end_counts(&grp);
}

static unsigned int ones(const u8 *ring)
{
	unsigned int i, n = 0;

	for (i = 0; i < RING; i++)
		n += ring[i] == 0xff;
	return n;
}

/* The driver empties a used ring in pieces, and lets the GPU use them. */
TEST(test_fill_budget)
{
	struct group grp = ample(1);
	unsigned int i, k, before, after;
	u8 *ring;
	u64 from;

	start(&grp);
	settle();
	group_del(&grp, grp.n);
	pcounter_gpu_commit(&g.gpu);
	ring = stream()->own->mem.cpu;
	memset(ring, 0, RING);
	g.gpu.snapshot++;
	for (k = 0; k < grp.n; k++)
		grp.user[k] = pcounter_domain_add(&g.gpu, &grp.req[k]);
	assert_true(pcounter_gpu_commit(&g.gpu));
	from = pcmodel_cycle(g.m, DOM);
	assert_in_range(ones(ring), 8192, 256 * 1024);
	assert_in_range(pcounter_gpu_collect_ns(&g.gpu), 1, 1000000);
	for (i = 0; i < 80; i++) {
		before = ones(ring);
		poll();
		after = ones(ring);
		assert_true(after <= before + 256 * 1024);
		pcmodel_run(g.m, 600 * 1024);
	}
	/* two rounds: no old data is taken for a packet */
	poll();
	assert_true(check(&grp, from) > 79 * 600 * 1024);
	assert_int_equal(stream()->loss.gaps + stream()->loss.missing, 0);
	end_counts(&grp);
}

/*
 * A level of USER_1, driven with no event open, stays, though USER_0 of the same
 * register, which cannot be read, requests packets.
 */
TEST(test_user_1_stays)
{
	struct group grp;
	unsigned int i;
	u64 from;

	begin("gt215");
	assert_int_equal(pcounter_quad_user(&g.gpu.dom[DOM], BIT(1), 0), 0);
	for (i = 0; i < 2; i++) {
		from = begin_counts(&grp, 1, 1, false);
		settle();
		pcmodel_run(g.m, 10 * PERIOD(1));
		check(&grp, from);
		stop(&grp);
		/* the last requested event has its clock, too */
		pcmodel_run(g.m, 1);
		assert_int_equal(g.m->dom[DOM].user, BIT(1));
	}
	end();
}

/* ---- packets of before ---- */

/*
 * An event joins while packets are unread, or arrive with each register write: it counts
 * only packets that are its own from the first clock on.
 */
static void joins(const char *chip, bool sampled, unsigned int step)
{
	struct group one, two;
	const struct pcounter_client *user;
	unsigned int i;

	begin(chip);
	say("signal 1 0x40 const 1");
	one = recorded(2, 1, false);
	start(&one);
	settle();
	if (sampled)
		g.gpu.dom[DOM].sampled++;
	pcmodel_run(g.m, 10 * PERIOD(1) + 500);
	two = recorded(1, 1, false);
	two.req[0].in.sig[0] = 0x40;
	g.step = step;
	assert_true(group_start(&two));
	g.step = 0;
	if (sampled)
		g.gpu.dom[DOM].sampled--;
	for (i = 0; i < 20; i++) {
		pcmodel_run(g.m, 4 * PERIOD(1));
		poll();
	}
	assert_true(pcounter_record_settled(&g.gpu.dom[DOM]));
	user = g.gpu.dom[DOM].client;
	assert_true(user[two.user[0]].total > 16 * 4 * PERIOD(1));
	assert_int_equal(user[two.user[0]].total,
			 user[two.user[1]].total - user[two.user[1]].begun);
	group_stop(&two);
	stop(&one);
	end();
}

TEST(test_joins_unread)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		joins(chips[i], true, 0);
}

TEST(test_joins_slowly)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		joins(chips[i], false, PERIOD(1));
		joins(chips[i], true, PERIOD(1));
	}
}

/*
 * Nothing has been read when packets are overwritten: the next one belongs to the event,
 * too.
 */
TEST(test_first_after_loss)
{
	struct pcounter_batch packet;
	struct group grp;
	unsigned int i;

	begin("g92");
	begin_counts(&grp, 1, 1, false);
	g.gpu.dom[DOM].sampled++;
	for (i = 0; i < 8; i++) {
		pcmodel_run(g.m, PERIOD(1));
		pcounter_record_look(stream(), false);
	}
	/* the GPU may use the whole ring */
	assert_int_equal(stream()->w.ready, stream()->w.end);
	pcmodel_run(g.m, 2 * pcounter_stream_slots(stream()) * PERIOD(1));
	pcounter_record_look(stream(), false);
	assert_true(stream()->loss.overrun > 0);
	assert_int_equal(g.gpu.dom[DOM].swaps, g.gpu.dom[DOM].client[grp.user[0]].since);
	assert_true(pcounter_record_read(stream(), 1, NULL, &packet));
	assert_true(pcounter_record_is_for(&g.gpu.dom[DOM],
					   &g.gpu.dom[DOM].client[grp.user[0]], &packet));
	g.gpu.dom[DOM].sampled--;
	end_counts(&grp);
}

/*
 * Drains may only have time to deliver samples. A packet that has arrived is not late then,
 * after any number of looks.
 */
TEST(test_looks_without_reads)
{
	struct pcounter_batch packets;
	struct group grp;
	unsigned int i;

	begin("g92");
	begin_counts(&grp, 1, 1, false);
	g.gpu.dom[DOM].sampled++;
	pcmodel_run(g.m, 8 * PERIOD(1));
	for (i = 0; i < 4 * PCOUNTER_LATE_LOOKS; i++)
		pcounter_record_look(stream(), false);
	assert_int_equal(stream()->loss.missing, 0);
	assert_int_equal(pcounter_record_read(stream(), 16, NULL, &packets), 8);
	g.gpu.dom[DOM].sampled--;
	end_counts(&grp);
}

/* Packets that come faster than they are read end the first round, and no other one. */
TEST(test_goes_round)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	begin_counts(&grp, 1, 1, false);
	for (i = 0; i < 40; i++) {
		pcmodel_run(g.m, 2 * pcounter_stream_slots(stream()) * PERIOD(1));
		poll();
	}
	assert_int_equal(stream()->loss.gaps, 1);
	assert_true(stream()->loss.overrun > 10 * pcounter_stream_slots(stream()));
	end_counts(&grp);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
