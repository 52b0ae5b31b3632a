// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of readers: packets in pages of another owner. All tests run three times: with
 * pages at another address for the device, so that a missing sync shows; with the same
 * address for both; and with the clocks as the only counters, for which the driver does
 * not check each packet.
 */
#include "record_test.h"

#include <linux/mm.h>

#define PAGES		16
#define PAGE		4096
#define BYTES		(PAGES * PAGE)
#define PACKET		32
#define CYCLES		1024	/* of a packet */

/* No signal is counted. */
static bool clocks_only;

/**
 * struct reader - the reader that has mapped the pages
 * @memory: all pages
 * @page: addresses of the pages
 * @ring: the driver's ring
 * @overwrite: old packets may be overwritten
 * @head: bytes that the driver has given
 * @tail: bytes that have been read
 * @cycles: cycle counter of the packet that was read last
 * @young: packets since it began; the first may be short, where software asked for one
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
	return pcounter_reader_add(&g.gpu.dom[DOM], rd.page, PAGES, overwrite, &rd.ring);
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
	assert_true(pcounter_reader_start(&g.gpu.dom[DOM], rd.ring, rd.head, reader_room()));
}

static void reader_start(void)
{
	reader_begin();
	pcounter_domain_want(&g.gpu.dom[DOM], PCOUNTER_WANT_PROGRAM);
	assert_true(pcounter_gpu_commit(&g.gpu));
}

static void reader_give(void)
{
	rd.head += pcounter_reader_give(&g.gpu.dom[DOM], &rd.full);
	if (!rd.full)
		reader_begin();
}

static void reader_take(void)
{
	poll();
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
	while (rd.tail < rd.head && most--) {
		const u8 *packet = rd.memory + rd.tail % BYTES;
		u64 cycles = cycles_of(packet);

		rd.tail += PACKET;
		if (packet[7] & 0xf0) {
			rd.missing++;
			rd.cycles += CYCLES;
			continue;
		}
		if (cycles < rd.cycles) {
			rd.turns++;
			rd.young = 0;
		}
		/* without checks of packets, the last one before it is seen later */
		if (++rd.young > (clocks_only ? 3 : 2))
			assert_int_equal(cycles - rd.cycles, CYCLES);
		assert_int_equal(packet[6] | (packet[7] & 0xf) << 8, 1);
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

/* After software has requested a packet, this packet and the next are short. */
static void after_request(void)
{
	rd.young = 0;
	run_and_read(1, 3);
}

/* Count @signals signals from packets that go to a reader. */
static struct group reading(unsigned int signals, bool overwrite)
{
	struct group grp = recorded(clocks_only ? 0 : signals, 1, false);

	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM], true), 0);
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
static void test_in_place(void **state)
{
	struct group grp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(3, false);
		run_and_read(50, 333);
		assert_in_range(rd.packets, 16649, 16651);
		assert_int_equal(rd.turns + rd.missing, 0);
		assert_int_equal(stream()->loss.overrun + stream()->loss.missing, 0);
		finish(&grp);
	}
}

/* Counts are the same with any destination of packets. */
static void test_counts(void **state)
{
	struct group grp;
	u64 from;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = recorded(clocks_only ? 0 : 4, 1, false);
		assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM], true), 0);
		assert_int_equal(reader_attach(false), 0);
		reader_begin();
		assert_true(group_start(&grp));
		from = pcmodel_cycle(g.m, DOM);
		run_and_read(20, 300);
		assert_true(check(&grp, from) >= 20 * 300 * CYCLES - CYCLES);
		finish(&grp);
	}
}

/* Samples come from a reader's packets as well: the packets stay in place. */
static void test_copied(void **state)
{
	u8 copy[16 * PACKET];
	struct pcounter_batch batch;
	struct group grp;
	unsigned int n;

	begin("g92");
	grp = reading(2, false);
	run_and_read(3, 100);
	g.gpu.dom[DOM].sampled++;
	pcmodel_run(g.m, 20 * CYCLES);
	pcounter_record_look(&g.gpu.dom[DOM]);
	n = pcounter_record_read(&g.gpu.dom[DOM], 16, copy, &batch);
	assert_int_equal(n, 16);
	assert_memory_equal(copy, rd.memory + rd.head, n * PACKET);
	g.gpu.dom[DOM].sampled--;
	run_and_read(3, 100);
	assert_int_equal(rd.missing, 0);
	finish(&grp);
}

/* Count a second signal later, in places with data of earlier rounds. */
static void test_joins(void **state)
{
	u64 val[PCOUNTER_MAX_REQUESTS], packets;
	struct group grp, other;
	unsigned int i, round;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		say("signal 1 40 const 1");
		grp = reading(3, false);
		other = (struct group){ .n = 1, .req = { ask(DOM, PCOUNTER_ROLE_ANY, 40) } };
		other.req[0].set = grp.req[0].set;
		for (round = 0; round < 2; round++) {
			run_and_read(20, 333);
			packets = rd.packets;
			assert_true(group_start(&other));
			after_request();
			run_and_read(20, 333);
			group_read_once(&other, val);
			assert_in_range(val[0], 6657 * CYCLES, 6664 * CYCLES);
			after_request();
			group_stop(&other);
			after_request();
			assert_in_range(rd.packets - packets, 6660 + 9, 6660 + 9 + 4);
		}
		assert_int_equal(rd.missing + stream()->loss.missing, 0);
		assert_int_equal(stream()->loss.overrun, 0);
		finish(&grp);
	}
}

/*
 * With irregular periods the driver checks each packet and empties its place. Nothing
 * else changes.
 */
static void test_irregular(void **state)
{
	struct group grp;
	u64 packets;

	begin("gt215");
	grp = reading(2, false);
	run_and_read(20, 333);
	assert_int_equal((s32)(stream()->stale - stream()->tail) > 0,
			 shim_pages_seen && clocks_only);
	packets = rd.packets;
	g.gpu.dom[DOM].plan.set.periodic++;
	run_and_read(20, 333);
	assert_true((s32)(stream()->stale - stream()->tail) <= 0);
	assert_in_range(rd.packets - packets, 20 * 333 - 1, 20 * 333 + 1);
	assert_int_equal(rd.missing + stream()->loss.missing + stream()->loss.overrun, 0);
	finish(&grp);
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
			poll();
		}
		assert_memory_equal(copy, rd.memory, BYTES);
		reader_read(~0ULL);
		assert_int_equal(rd.packets - sent, BYTES / PACKET - 1);
		assert_int_equal(rd.turns, round);
		rd.full = false;
		reader_start();
	}
	assert_int_equal(stream()->loss.overrun + stream()->loss.missing, 0);
	finish(&grp);
	free(copy);
}

static void test_full(void **state)
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
static void test_slow(void **state)
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
static void test_too_late(void **state)
{
	struct group grp;
	unsigned int i;
	u64 before;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(2, false);
		run_and_read(3, 100);
		pcmodel_run(g.m, 10 * CYCLES);
		poll();
		rd.head += pcounter_reader_give(&g.gpu.dom[DOM], &rd.full);
		assert_false(rd.full);
		pcmodel_run(g.m, 3000 * CYCLES);
		reader_read(~0ULL);
		reader_begin();
		before = rd.packets;
		run_and_read(50, 10);
		assert_in_range(rd.packets - before, 2300, 2560);
		assert_int_equal(rd.turns, 1);
		assert_int_equal(stream()->loss.overrun + stream()->loss.missing, 0);
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

static void test_wrap(void **state)
{
	wraps("g92", NULL, false, 0);
	wraps("gt215", NULL, false, 0);
	wraps("gt215", "quirk limit_last 1", false, 1);
	wraps("g84", NULL, false, 1);
	wraps("g92", NULL, true, 1);
	wraps("g84", NULL, true, 1);
}

/* The reader looks often, and packets are slow: the GPU has not stopped in between. */
static void test_slow_packets(void **state)
{
	struct group grp;
	unsigned int i, k;

	begin("g92");
	pcounter_test_params.record_position = 0xfffe0000;
	grp = reading(2, false);
	for (i = 0; i < 1000; i++) {
		pcmodel_run(g.m, 8 * CYCLES);
		for (k = 0; k < 100; k++) {
			poll_after(10 * NSEC_PER_USEC);
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
static void test_collision(void **state)
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
static void test_overwrite(void **state)
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

/*
 * If the driver checks packets, it detects packets that never arrive; in the first round
 * their places are empty anyway.
 */
static void test_missing(void **state)
{
	struct group grp;

	begin("g92");
	grp = reading(2, false);
	run_and_read(5, 100);
	say("record 1 vanish 3");
	run_and_read(200, 10);
	assert_int_equal(rd.missing, 3);
	assert_int_equal(stream()->loss.missing, clocks_only ? 0 : 3);
	finish(&grp);
}

/* Data that does not look like a packet of the GPU is ignored, from any writer. */
static void test_scribble(void **state)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS], before;

	begin("g92");
	grp = reading(2, false);
	run_and_read(1, 10);
	before = stream()->loss.packets;
	memset(rd.memory + 10 * PACKET, 0, BYTES - 10 * PACKET);
	poll();
	group_read_once(&grp, val);
	assert_int_equal(stream()->loss.packets, before);
	finish(&grp);
}

/* Other events continue in the driver's ring when the reader stops, and when it leaves. */
static void test_back(void **state)
{
	struct group grp;
	u64 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		grp = reading(2, false);
		run_and_read(10, 100);
		pcounter_reader_stop(&g.gpu.dom[DOM]);
		pcounter_domain_want(&g.gpu.dom[DOM], PCOUNTER_WANT_PROGRAM);
		pcounter_gpu_commit(&g.gpu);
		assert_false(pcounter_reader_runs(&g.gpu.dom[DOM]));
		reader_detach();
		pcmodel_run(g.m, 100 * CYCLES);
		poll();
		group_read_once(&grp, val);
		/* except for packets that were incomplete at the move */
		assert_in_range(val[grp.n - 1], 1097 * CYCLES, 1100 * CYCLES);
		assert_int_equal(g.gpu.dom[DOM].unit.fault, 0);
		stop(&grp);
		end();
	}
}

/* Take the pages away while recording: the driver stops the GPU first, then the domain. */
static void test_taken_away(void **state)
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
static void test_shut(void **state)
{
	static const int errs[] = { -ENODEV, -EAGAIN };
	struct pcounter_ring *other;
	struct group grp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errs); i++) {
		begin("gt215");
		grp = reading(2, false);
		run_and_read(3, 100);
		pcounter_record_stop_all(&g.gpu, errs[i]);
		assert_int_equal(pages_mapped(), 0);
		assert_int_equal(blocks(), 0);
		assert_false(pcounter_reader_start(&g.gpu.dom[DOM], rd.ring, rd.head, BYTES));
		assert_int_equal(pcounter_reader_add(&g.gpu.dom[DOM], rd.page, PAGES, false,
						     &other),
				 errs[i]);
		stop(&grp);
		reader_detach();
		pcounter_record_allow(&g.gpu);
		end();
	}
}

/* Close the event first: its stream stays until the reader returns the pages. */
static void test_closed_first(void **state)
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

/*
 * Recording begins anew where the reader has left less room than a page, after garbage:
 * the GPU writes to nothing that the reader has not read.
 */
static void test_little_room(void **state)
{
	u8 before[BYTES];
	struct group grp;
	u64 room, i;

	for (room = PACKET; room <= 2 * PAGE; room += 8 * PACKET - room % (8 * PACKET)) {
		begin("g92");
		say("quirk record_bogus 3");
		grp = reading(2, false);
		run_and_read(3, 100);
		pcounter_record_stop(&g.gpu.dom[DOM]);
		pcmodel_run(g.m, 2 * CYCLES);
		assert_true(pcounter_reader_start(&g.gpu.dom[DOM], rd.ring, rd.head, room));
		memcpy(before, rd.memory, BYTES);
		pcounter_domain_want(&g.gpu.dom[DOM], PCOUNTER_WANT_PROGRAM);
		/* clocks pass between the accesses */
		g.step = 100;
		pcounter_gpu_commit(&g.gpu);
		g.step = 0;
		for (i = 0; i < 16; i++) {
			pcmodel_run(g.m, 100 * CYCLES);
			poll();
		}
		assert_int_equal(stream()->loss.overrun, 0);
		assert_int_equal(stream()->state, PCOUNTER_STREAM_RUNNING);
		assert_in_range(stream()->head - rd.head, room - room % PACKET - PACKET, room);
		for (i = room; i < BYTES; i++)
			if (rd.memory[(rd.head + i) % BYTES] != before[(rd.head + i) % BYTES])
				fail_msg("room %llu: byte %llu is overwritten", room, i);
		finish(&grp);
	}
}

static void test_refusals(void **state)
{
	struct pcounter_ring *other;
	struct group grp;

	begin("g92");
	assert_int_equal(reader_attach(false), -EIO);
	free(rd.memory);
	grp = recorded(2, 1, false);
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM], true), 0);
	assert_true(group_start(&grp));
	assert_int_equal(reader_attach(false), 0);
	assert_int_equal(pcounter_reader_add(&g.gpu.dom[DOM], rd.page, PAGES, false, &other),
			 -EBUSY);
	reader_detach();
	assert_int_equal(pcounter_reader_add(&g.gpu.dom[DOM], rd.page, PAGES / 2, false, &other),
			 -EINVAL);
	stop(&grp);
	end();
}

static void test_no_memory(void **state)
{
	unsigned int i;
	int err = -ENOMEM;

	begin("g92");
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM], true), 0);
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
static void test_stuck(void **state)
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
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM], true), -EIO);
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
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_place), cmocka_unit_test(test_counts),
		cmocka_unit_test(test_copied), cmocka_unit_test(test_joins),
		cmocka_unit_test(test_irregular),
		cmocka_unit_test(test_full), cmocka_unit_test(test_slow),
		cmocka_unit_test(test_too_late),
		cmocka_unit_test(test_wrap), cmocka_unit_test(test_slow_packets),
		cmocka_unit_test(test_collision),
		cmocka_unit_test(test_overwrite), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_scribble), cmocka_unit_test(test_back),
		cmocka_unit_test(test_taken_away), cmocka_unit_test(test_shut),
		cmocka_unit_test(test_closed_first), cmocka_unit_test(test_little_room),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_stuck),
	};

	int failed = cmocka_run_group_tests_name("aux, synced", tests, NULL, NULL);

	shim_pages_seen = true;
	failed |= cmocka_run_group_tests_name("aux, seen", tests, NULL, NULL);
	clocks_only = true;
	return failed | cmocka_run_group_tests_name("aux, clocks only", tests, NULL, NULL);
}
