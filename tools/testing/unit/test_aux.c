// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of readers: packets in pages of another owner, which the driver does not count. All
 * tests run twice: with pages at another address for the device, so that a missing sync
 * shows; and with the same address for both.
 */
#include "record_test.h"

#include <linux/err.h>
#include <linux/mm.h>

#define PAGES		16
#define PAGE		4096
#define BYTES		(PAGES * PAGE)
#define PACKET		32
#define CYCLES		1024	/* of a packet */

/**
 * struct reader - the reader that has mapped the pages
 * @memory: all pages
 * @page: addresses of the pages
 * @ring: the driver's ring
 * @overwrite: old packets may be overwritten
 * @head: bytes that the driver has given
 * @tail: bytes that have been read
 * @cycles: cycle counter of the packet that was read last
 * @young: packets since it began
 * @turns: number of restarts
 * @packets: packets read
 * @missing: missing packets
 * @full: the ring had no room for another packet
 */
static struct reader {
	u8 *memory;
	void *page[PAGES];
	struct pcounter_ring *ring;
	bool overwrite;
	u64 head;
	u64 tail;
	u64 cycles;
	unsigned int young;
	unsigned int turns;
	u64 packets;
	u64 missing;
	bool full;
} rd;

static int reader_attach(bool overwrite)
{
	unsigned int i;

	rd = (struct reader){ .memory = aligned_alloc(PAGE, BYTES), .overwrite = overwrite };
	for (i = 0; i < PAGES; i++)
		rd.page[i] = rd.memory + i * PAGE;
	/* looks like packets */
	memset(rd.memory, 0, BYTES);
	rd.ring = pcounter_reader_add(&g.gpu.dom[DOM], rd.page, PAGES, overwrite,
				      g.gpu.dom[DOM].stream_refs);
	return PTR_ERR_OR_ZERO(rd.ring);
}

/* Return the error of another reader, whose group has a number of events. */
static int another_error(unsigned int pages, unsigned int members)
{
	return PTR_ERR(pcounter_reader_add(&g.gpu.dom[DOM], rd.page, pages, false, members));
}

static void reader_detach(void)
{
	pcounter_reader_del(&g.gpu.dom[DOM], rd.ring);
	assert_int_equal(pages_mapped(), 0);
	free(rd.memory);
}

/* Return the room like perf: one byte less than the free space. */
static u64 reader_room(void)
{
	return rd.overwrite ? BYTES : BYTES - 1 - (rd.head - rd.tail);
}

static void reader_begin(void)
{
	pcounter_reader_start(stream(), rd.head, reader_room());
}

static void reader_start(void)
{
	reader_begin();
	pcounter_domain_want(&g.gpu.dom[DOM], PCOUNTER_WANT_COMMIT);
	assert_true(pcounter_gpu_commit(&g.gpu));
}

static void reader_give(void)
{
	rd.head += pcounter_reader_give(stream());
	rd.full = pcounter_reader_is_full(stream());
	if (!rd.full)
		reader_begin();
}

/* The driver looks at the position, and counts nothing. */
static void look_after(u64 ns)
{
	shim_clock += ns;
	g.gpu.snapshot++;
	pcounter_record_look(stream(), false);
}

static void look(void)
{
	look_after(NSEC_PER_MSEC);
}

static void reader_take(void)
{
	look();
	reader_give();
}

static u64 cycles_of(const u8 *packet)
{
	u64 cycles = 0;

	memcpy(&cycles, packet, 6);
	return le64toh(cycles);
}

/* Read packets, and check that each is whole and of the current round. */
static void reader_read(u64 most)
{
	unsigned int requests;

	while (rd.tail < rd.head && most--) {
		const u8 *packet = rd.memory + rd.tail % BYTES;
		u64 cycles = cycles_of(packet);
		bool missing = packet[7] & 0xf0;

		requests = packet[6] | (packet[7] & 0xf) << 8;
		rd.tail += PACKET;
		if (missing) {
			rd.missing++;
			rd.cycles += CYCLES;
			continue;
		}
		if (cycles < rd.cycles) {
			rd.turns++;
			rd.young = 0;
		}
		if (++rd.young > 1)
			assert_int_equal(cycles - rd.cycles, CYCLES);
		assert_int_equal(requests, 1);
		rd.cycles = cycles;
		rd.packets++;
	}
}

static void run_and_read(unsigned int rounds, unsigned int packets)
{
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		pcmodel_run(g.m, packets * CYCLES);
		reader_take();
		reader_read(~0ULL);
	}
}

/* Count @signals signals from packets that go to a reader. */
static struct group reading(unsigned int signals, bool overwrite)
{
	struct group grp = recorded(signals, 1, false);

	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), 0);
	assert_int_equal(reader_attach(overwrite), 0);
	assert_true(group_start(&grp));
	reader_start();
	settle();
	return grp;
}

static void finish(struct group *grp)
{
	stop(grp);
	reader_detach();
	end();
}

/* Many rounds, without a missing or duplicate packet. */
TEST(test_in_place)
{
	struct group grp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(3, false);
		run_and_read(50, 333);
		assert_in_range(rd.packets, 16649, 16651);
		assert_int_equal(rd.turns + rd.missing, 0);
		assert_int_equal(stream()->loss.overrun, 0);
		finish(&grp);
	}
}

/* No packet is decoded: the totals stand still, and no packet is requested. */
TEST(test_not_counted)
{
	struct group grp;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(4, false);
		run_and_read(20, 300);
		poll();
		pcounter_gpu_poll(&g.gpu);
		for (k = 0; k < PCOUNTER_MAX_REQUESTS; k++)
			assert_int_equal(g.gpu.dom[DOM].client[k].total, 0);
		run_and_read(20, 300);
		assert_in_range(rd.packets, 40 * 300 - 1, 40 * 300);
		finish(&grp);
	}
}

static unsigned int slots_read;

__le64 *__real_pcounter_ring_slot(const struct pcounter_ring *ring, u64 position);
__le64 *__wrap_pcounter_ring_slot(const struct pcounter_ring *ring, u64 position);

__le64 *__wrap_pcounter_ring_slot(const struct pcounter_ring *ring, u64 position)
{
	slots_read++;
	return __real_pcounter_ring_slot(ring, position);
}

/* A look costs the same for 16 times as many packets, whatever is counted, in each round. */
TEST(test_cost)
{
	static const unsigned int per_look[] = { 20, 320 };
	unsigned int cost[ARRAY_SIZE(per_look)], i;
	struct group grp;

	begin("g92");
	grp = reading(SIGNALS, false);
	for (i = 0; i < ARRAY_SIZE(per_look); i++) {
		slots_read = 0;
		run_and_read(100, per_look[i]);
		cost[i] = slots_read;
	}
	assert_true(cost[0] > 0);
	assert_int_equal(cost[0], cost[1]);
	finish(&grp);
}

/* A signal joins while packets are given: the bytes go on. */
TEST(test_joins)
{
	struct group grp, other;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		say("signal 1 40 const 1");
		grp = reading(3, false);
		other = (struct group){ .n = 1, .req = { ask(DOM, PCOUNTER_ROLE_ANY, 40) } };
		other.req[0].set = grp.req[0].set;
		run_and_read(20, 333);
		assert_true(group_start(&other));
		run_and_read(20, 333);
		group_stop(&other);
		run_and_read(20, 333);
		assert_in_range(rd.packets, 60 * 333 - 1, 60 * 333);
		assert_int_equal(rd.missing + rd.turns, 0);
		finish(&grp);
	}
}

/*
 * A packet in pieces is given when the rest is there, or the next one; also in a slot that
 * was not empty, where no hole shows.
 */
TEST(test_split)
{
	struct group grp;
	u64 head;

	for (unsigned int rounds = 3; rounds < 100; rounds *= 30) {
		begin("g92");
		grp = reading(2, false);
		run_and_read(rounds, 100);
		say("record 1 split 1");
		reader_take();
		head = rd.head;
		run_and_read(1, 1);
		assert_int_equal(rd.head, head);
		run_and_read(1, 1);
		assert_in_range(rd.head, head + PACKET, head + 2 * PACKET);
		finish(&grp);
	}
}

/* With a reader that does not read, the GPU stops before the unread packets. */
static void full(const char *chip, const char *quirk, bool before)
{
	struct group grp;
	u8 *copy = malloc(BYTES);
	unsigned int round, i;
	u64 sent;

	begin(chip);
	if (quirk)
		say(quirk);
	grp = reading(2, false);
	if (before)
		run_and_read(7, 100);
	for (round = 0; round < 2; round++) {
		sent = rd.packets;
		for (i = 0; !rd.full && i < 100; i++) {
			pcmodel_run(g.m, 150 * CYCLES);
			reader_take();
		}
		assert_true(rd.full);
		assert_int_equal(rd.head - rd.tail, BYTES - PACKET);
		memcpy(copy, rd.memory, BYTES);
		/* perf takes a while to disable the event */
		for (i = 0; i < 5; i++) {
			pcmodel_run(g.m, 500 * CYCLES);
			look();
		}
		assert_memory_equal(copy, rd.memory, BYTES);
		reader_read(~0ULL);
		assert_int_equal(rd.packets - sent, BYTES / PACKET - 1);
		assert_int_equal(rd.turns, round);
		rd.full = false;
		reader_start();
	}
	assert_int_equal(stream()->loss.overrun, 0);
	finish(&grp);
	free(copy);
}

TEST(test_full)
{
	full("g92", NULL, false);
	full("g92", NULL, true);
	full("g92", "quirk limit_last 1", true);
	full("gt215", "quirk record_latency 900", true);
	full("gt215", "quirk position_early 1", true);
	full("g84", NULL, true);
	full("g84", "quirk position_late 40", false);
}

/* A slow reader reads a little at a time; LIMIT follows, and nothing is overwritten. */
TEST(test_slow)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	grp = reading(2, false);
	pcmodel_run(g.m, 2000 * CYCLES);
	reader_take();
	assert_in_range(rd.head, 1999 * PACKET, 2001 * PACKET);
	for (i = 0; i < 500; i++) {
		reader_read(i % 2 ? 21 : 0);
		pcmodel_run(g.m, 10 * CYCLES);
		reader_take();
		assert_false(rd.full);
	}
	reader_read(~0ULL);
	assert_int_equal(rd.turns + rd.missing, 0);
	assert_int_equal(rd.packets, rd.head / PACKET);
	finish(&grp);
}

/* Move LIMIT after the GPU has stopped there: the driver makes the GPU continue. */
TEST(test_too_late)
{
	struct group grp;
	unsigned int i;
	u64 before;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(2, false);
		run_and_read(3, 100);
		pcmodel_run(g.m, 10 * CYCLES);
		look();
		rd.head += pcounter_reader_give(stream());
		rd.full = pcounter_reader_is_full(stream());
		assert_false(rd.full);
		pcmodel_run(g.m, 3000 * CYCLES);
		reader_read(~0ULL);
		reader_begin();
		before = rd.packets;
		run_and_read(50, 10);
		assert_in_range(rd.packets - before, 2300, 2560);
		assert_int_equal(rd.turns, 1);
		assert_int_equal(stream()->loss.overrun, 0);
		finish(&grp);
	}
}

/* Wrap around at the end of 4 GiB, or of a fraction of it. */
static void wraps(const char *chip, const char *quirk, bool slow, unsigned int gaps)
{
	struct group grp;
	unsigned int i;

	begin(chip);
	if (quirk)
		say(quirk);
	pcounter_test_params.record_position =
		strcmp(chip, "g84") ? 0xffff0000 : (1u << 28) - 0x10000;
	grp = reading(2, false);
	if (slow) {
		pcmodel_run(g.m, 1500 * CYCLES);
		reader_take();
	}
	for (i = 0; i < 400; i++) {
		pcmodel_run(g.m, 20 * CYCLES);
		reader_take();
		reader_read(slow && i < 60 ? 19 : ~0ULL);
		assert_false(rd.full);
	}
	assert_int_equal(rd.turns, gaps);
	assert_int_equal(rd.missing, 0);
	assert_int_equal(stream()->loss.gaps, gaps + 1);
	assert_int_equal(stream()->loss.overrun, 0);
	if (!gaps)
		assert_in_range(rd.packets, slow ? 9499 : 7999, slow ? 9501 : 8001);
	finish(&grp);
}

TEST(test_wrap)
{
	wraps("g92", NULL, false, 0);
	wraps("gt215", NULL, false, 0);
	wraps("gt215", "quirk limit_last 1", false, 1);
	wraps("g84", NULL, false, 1);
	wraps("g92", NULL, true, 1);
	wraps("g84", NULL, true, 1);
}

/* The reader looks often, and packets are slow: the GPU has not stopped in between. */
TEST(test_slow_packets)
{
	struct group grp;
	unsigned int i, k;

	begin("g92");
	pcounter_test_params.record_position = 0xfffe0000;
	grp = reading(2, false);
	for (i = 0; i < 1000; i++) {
		pcmodel_run(g.m, 8 * CYCLES);
		for (k = 0; k < 100; k++) {
			look_after(10 * NSEC_PER_USEC);
			reader_give();
		}
		reader_read(~0ULL);
		assert_false(rd.full);
	}
	assert_int_equal(rd.turns + rd.missing, 0);
	assert_in_range(rd.packets, 7999, 8001);
	/* the stream of the driver's ring ended as the reader's began */
	assert_int_equal(stream()->loss.gaps, 1);
	finish(&grp);
}

/* The GPU wraps around at 4 GiB unnoticed: the driver reports it and stops recording. */
TEST(test_collision)
{
	struct group grp;

	begin("g92");
	pcounter_test_params.record_position = 0xffff0000;
	grp = reading(2, false);
	pcmodel_run(g.m, 700 * CYCLES);
	reader_take();
	reader_read(~0ULL);
	reader_take();
	assert_false(rd.full);
	pcmodel_run(g.m, 3000 * CYCLES);
	reader_take();
	assert_true(rd.full);
	assert_in_range(stream()->loss.overrun, 3000 - BYTES / PACKET, 3001 - BYTES / PACKET);
	assert_int_equal(stream()->state, PCOUNTER_STREAM_SPOILT);
	rd.tail = rd.head;
	rd.cycles = 0;
	rd.young = 0;
	reader_start();
	run_and_read(20, 100);
	assert_int_equal(stream()->state, PCOUNTER_STREAM_RUNNING);
	assert_int_equal(rd.turns, 0);
	finish(&grp);
}

/* The last packets are always present, in order. */
TEST(test_overwrite)
{
	struct group grp;
	u64 last, at;
	unsigned int i;

	begin("gt215");
	grp = reading(2, true);
	for (i = 0; i < 100; i++) {
		pcmodel_run(g.m, 300 * CYCLES);
		reader_take();
		assert_false(rd.full);
	}
	assert_in_range(rd.head / PACKET, 29999, 30001);
	last = cycles_of(rd.memory + (rd.head - PACKET) % BYTES);
	/* the oldest place holds a new packet that may be incomplete */
	for (i = 1; i < BYTES / PACKET - 1; i++) {
		at = rd.head - (i + 1) * PACKET;
		assert_int_equal(cycles_of(rd.memory + at % BYTES), last - i * CYCLES);
	}
	/* no poll for longer than the ring lasts */
	pcmodel_run(g.m, 10000 * CYCLES);
	reader_take();
	assert_in_range(rd.head / PACKET, 39999, 40001);
	finish(&grp);
}

/* The slots of packets that never arrive stay empty. */
TEST(test_missing)
{
	struct group grp;

	begin("g92");
	grp = reading(2, false);
	run_and_read(5, 100);
	say("record 1 vanish 3");
	run_and_read(200, 10);
	assert_int_equal(rd.missing, 3);
	finish(&grp);
}

/* The reader's pages hold anything: the driver gives no byte before the position. */
TEST(test_scribble)
{
	struct group grp;
	unsigned int i;
	u64 before;

	begin("g92");
	grp = reading(2, false);
	run_and_read(1, 10);
	before = rd.head;
	memset(rd.memory + 10 * PACKET, 0, BYTES - 10 * PACKET);
	reader_take();
	assert_int_equal(rd.head, before);
	memset(rd.memory, 0xff, BYTES);
	pcmodel_run(g.m, 100 * CYCLES);
	memset(rd.memory, 0xff, BYTES);
	reader_take();
	/* the device may have a copy of its own */
	assert_true(rd.head == before || !shim_pages_seen);
	/* nobody waits for ever for what is not there */
	for (i = 0; i < 2 * PCOUNTER_LATE_LOOKS; i++)
		reader_take();
	assert_in_range(rd.head, before + 99 * PACKET, before + 101 * PACKET);
	finish(&grp);
}

/* Events of the group count in the driver's ring once the reader has left. */
TEST(test_back)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(2, false);
		run_and_read(10, 100);
		stream()->reader.open = false;
		pcounter_domain_want(&g.gpu.dom[DOM], PCOUNTER_WANT_COMMIT);
		pcounter_gpu_commit(&g.gpu);
		assert_false(pcounter_reader_runs(stream()));
		pcmodel_run(g.m, 100 * CYCLES);
		reader_detach();
		assert_true(pcounter_gpu_commit(&g.gpu));
		pcmodel_run(g.m, 100 * CYCLES);
		poll();
		group_read_once(&grp, val);
		assert_in_range(val[grp.n - 1], 99 * CYCLES, 100 * CYCLES);
		assert_int_equal(g.gpu.dom[DOM].unit.fault, 0);
		stop(&grp);
		end();
	}
}

/* Take the pages away while recording: the driver stops the GPU first, then the domain. */
TEST(test_taken_away)
{
	struct group grp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(2, false);
		run_and_read(3, 100);
		reader_detach();
		assert_int_equal(g.gpu.dom[DOM].unit.fault, PCOUNTER_FAULT_RECORD_LOST);
		pcmodel_run(g.m, 100 * CYCLES);
		stop(&grp);
		end();
	}
}

/* The GPU leaves, or the system sleeps, with mapped pages. */
TEST(test_shut)
{
	static const int errs[] = { -ENODEV, -EAGAIN };
	struct group grp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errs); i++) {
		begin("gt215");
		grp = reading(2, false);
		run_and_read(3, 100);
		pcounter_record_stop_all(&g.gpu, errs[i]);
		assert_int_equal(pages_mapped(), 0);
		assert_int_equal(blocks(), 0);
		/* the reader has lost it for good */
		assert_null(stream());
		assert_int_equal(another_error(PAGES, 1), errs[i]);
		stop(&grp);
		reader_detach();
		pcounter_record_allow(&g.gpu);
		end();
	}
}

/* Close the event first: its stream stays until the reader returns the pages. */
TEST(test_closed_first)
{
	struct group grp;

	begin("g92");
	grp = reading(2, false);
	run_and_read(3, 100);
	stop(&grp);
	assert_non_null(stream());
	pcmodel_run(g.m, 100 * CYCLES);
	reader_detach();
	assert_null(stream());
	end();
}

#include "aux_begin_test.h"

TEST(test_refusals)
{
	struct group grp;

	begin("g92");
	assert_int_equal(reader_attach(false), -EIO);
	free(rd.memory);
	grp = recorded(2, 1, false);
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), 0);
	assert_true(group_start(&grp));
	assert_int_equal(reader_attach(false), 0);
	assert_int_equal(another_error(PAGES, 2), -EBUSY);
	/* the packets belong to the reader */
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EBUSY);
	reader_detach();
	/* another event counts them */
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), 0);
	assert_int_equal(another_error(PAGES, 1), -EBUSY);
	pcounter_record_put(&g.gpu.dom[DOM]);
	assert_int_equal(another_error(PAGES / 2, 1), -EINVAL);
	stop(&grp);
	end();
}

TEST(test_no_memory)
{
	unsigned int i;
	int err = -ENOMEM;

	begin("g92");
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), 0);
	for (i = 1; err; i++) {
		shim_dma_fail = i;
		err = reader_attach(false);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(pages_mapped(), 0);
		free(rd.memory);
	}
	shim_dma_fail = 0;
	/* each page, and a table */
	assert_int_equal(i, PAGES + 2);
	reader_detach();
	pcounter_record_put(&g.gpu.dom[DOM]);
	end();
}

/* A TLB whose flush fails: pages that the GPU may still address leak. */
TEST(test_stuck)
{
	struct group grp;
	unsigned int i;

	begin("g92");
	grp = reading(2, false);
	run_and_read(3, 100);
	stop(&grp);
	shim_pages_kept = 0;
	say("quirk flush_busy 0xffffffff");
	pcounter_reader_del(&g.gpu.dom[DOM], rd.ring);
	assert_int_equal(shim_pages_kept, PAGES);
	assert_int_equal(pages_mapped(), PAGES);
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	for (i = 0; i < SHIM_PAGES; i++)
		shim_pages[i].cpu = NULL;
	for (i = 0; i < SHIM_DMA_BLOCKS; i++)
		if (shim_dma[i].size)
			dma_free_coherent(NULL, 0, shim_dma[i].cpu, shim_dma_address(i));
	free(rd.memory);
	gpu_free();
}

int main(void)
{
	int failed = unit_run(NULL, NULL);

	shim_pages_seen = true;
	return failed | unit_run(NULL, NULL);
}
