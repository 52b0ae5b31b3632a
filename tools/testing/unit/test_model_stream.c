// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of GF100 and later (hw:stream), and the page tables on their way to memory
 * (hw:memory/gf100). Each row is a sentence of these pages, under each reading.
 */
#include "stream_test.h"

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

#define EMPTY_BIT	0x10
#define DOM		3

/* Reasons of faults, hw:memory/gf100-faults */
enum reason { R_TABLE = 0, R_SHORT = 1, R_PAGE = 2, R_LIMIT = 3, R_CHANNEL = 4,
	      R_SUPERVISOR = 5, R_READ_ONLY = 6, R_TYPE = 0xc, R_NONE = 0xff };

/* The reader of hw:stream/reading. */
static struct reader {
	uint32_t at, size;
	unsigned int n;
	uint32_t word[64][8];
	unsigned int bytes[64];
} reader;

static void start(const char *quirk, uint32_t size)
{
	tables(0xe4);
	if (*quirk)
		say(quirk);
	reader = (struct reader){ .size = size };
	start_ring(size);
	start_domain(DOM);
}

/* Take the records that are counted and have landed; return their number. */
static unsigned int take(void)
{
	uint32_t left = get(BYTES), size, taken = 0;
	unsigned int n = 0;

	for (; left >= 16; left -= size, taken += size, n++) {
		uint32_t head = peek32(BUFFER + (reader.at + 4) % reader.size);

		if (head & 1 << 30)
			break;
		size = head & 1 << 29 ? 16 : 32;
		for (unsigned int i = 0; i < size; i += 4) {
			uint64_t word = BUFFER + (reader.at + i) % reader.size;

			reader.word[reader.n % 64][i / 4] = peek32(word);
			poke32(word, ~0u);
		}
		reader.bytes[reader.n++ % 64] = size;
		reader.at = (reader.at + size) % reader.size;
	}
	put(BUMP, taken);
	return n;
}

/* hw:stream/record: words of a record */
static void test_words(void **state)
{
	static const struct {
		const char *quirk;
		unsigned int record, word;
		uint32_t mask, value;
	} rows[] = {
		{ "", 2, 0, ~0u, 3072000 },
		{ "", 2, 1, 0xff, 0 },
		{ "", 2, 1, 0xff00, (ID + DOM) << 8 },
		{ "", 2, 1, 0xfff0000, 3 << 16 },
		{ "", 2, 1, 0xf0000000, 0 },
		{ "", 0, 2, ~0u, 1023 },
		{ "", 2, 2, ~0u, 1024 },
		{ "", 2, 3, ~0u, 512 },
		{ "", 2, 4, ~0u, 256 },
		{ "", 2, 5, ~0u, 128 },
		{ "", 2, 6, ~0u, 0 },
		{ "", 2, 7, ~0u, 0 },
		{ "stream flip 1 0x80002000", 0, 1, 0xf000ff00, 1u << 31 | (ID + DOM - 0x20) << 8 },
		{ "stream delay hub3 5", 0, 1, 1 << 28, 1 << 28 },
		{ "stream delay hub3 5", 0, 2, ~0u, 1028 },
		{ "stream delay hub3 5", 0, 0, ~0u, 1029000 & ~0x1f },
		{ "stream delay hub3 5", 1, 2, ~0u, 1019 },
		{ "quirk stream_delay_latched 1; stream delay hub3 5", 0, 1, 1 << 28, 1 << 28 },
		{ "quirk stream_delay_latched 1; stream delay hub3 5", 0, 2, ~0u, 1023 },
		{ "stream delay hub3 3000", 0, 1, 0xfff0000, 3 << 16 },
	};
	char err[80];

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		start("", 0x1000);
		assert_int_equal(pcmodel_scenario(m, rows[i].quirk, err, sizeof(err)), 0);
		pcmodel_run(m, 1024 * 5 + 1);
		take();
		if (reader.n <= rows[i].record)
			fail_msg("row %u: %u records", i, reader.n);
		if ((reader.word[rows[i].record][rows[i].word] & rows[i].mask) != rows[i].value)
			fail_msg("row %u: 0x%x", i, reader.word[rows[i].record][rows[i].word]);
		assert_int_equal(m->dma.stale, 0);
	}
}

/* What makes records, and how many in four periods */
static void test_requests(void **state)
{
	static const struct {
		const char *quirk;
		uint32_t swap, ctrl, set, records;
	} rows[] = {
		{ "", 0x2e, 1 << 21 | 5, 0, 4 },
		{ "", 0x2f, 1 << 21 | 5, 0, 0 },
		{ "", 0x2e, 5, 0, 0 },
		{ "", 0x2e, 2 << 21 | 5, 0, 2 },
		{ "", 0x2e, 1 << 21 | 2, 0, 0 },
		{ "", 0x2e, 1 << 21, 0, 0 },
		{ "", 0x2e, 1 << 21 | 5, 1, 0 },
		{ "", 0x2e, 1 << 21 | 5, 0x10, 0 },
	};

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		start(rows[i].quirk, 0x40000);
		put(HUB(DOM, 0x6c), m->dom[DOM].trailer + rows[i].swap);
		put(HUB(DOM, 0x9c), rows[i].ctrl);
		put(HUB_SET, rows[i].set);
		pcmodel_run(m, 4096);
		if (get(BYTES) != rows[i].records * 32)
			fail_msg("row %u: %u bytes", i, get(BYTES));
		assert_int_equal(m->lint.bits + m->lint.absent, 0);
	}
	put(HUB(DOM, 0x9c), 3);
	assert_int_equal(m->lint.bits, 1);
}

/* hw:ambiguities/68: the ring */
static void test_ring(void **state)
{
	/* full: the newest are lost, until the reader acknowledges */
	start("", 0x80);
	pcmodel_run(m, 1024 * 7);
	assert_int_equal(get(BYTES), 0x80);
	assert_int_equal(get(CTRL_ADDR), 0x10);
	assert_int_equal(m->stream.stats.dropped, 3);
	assert_int_equal(take(), 4);
	assert_int_equal(reader.word[0][1] >> 16, 1);
	pcmodel_run(m, 1024);
	assert_int_equal(get(CTRL_ADDR), 0x10);
	assert_int_equal(take(), 1);
	/* the gap shows in the samples */
	assert_int_equal(reader.word[4][1] >> 16, 8);
	put(CTRL_ADDR, 0x20);
	assert_int_equal(get(CTRL_ADDR), 0);
	pcmodel_run(m, 1024);
	assert_int_equal(take(), 1);
	/* more than is counted: nothing to acknowledge */
	put(BUMP, 0x40);
	assert_int_equal(get(BYTES), 0);
	assert_int_equal(m->stream.stats.excess, 0x40);

	/* a record around the end of the ring, or behind it */
	for (unsigned int skips = 0; skips < 2; skips++) {
		start("quirk stream_short 1", 0x40);
		m->quirks.stream_wrap = skips;
		for (unsigned int i = 0; i < 2; i++) {
			pcmodel_run(m, 1025);
			assert_int_equal(take(), 1);
		}
		pcmodel_run(m, 1024);
		assert_int_equal(get(BYTES), skips ? 48 : 32);
		assert_int_equal(peek32(BUFFER + (skips ? 0 : 0x30)), 3072000);
		assert_int_equal(take(), !skips);
	}
}

/* A register in several readings, after three records of which one is read. */
static void test_readings(void **state)
{
	static const struct {
		const char *quirk;
		uint32_t addr, value;
	} rows[] = {
		{ "", POS, (uint32_t)RING + 96 },
		{ "", STATUS, EMPTY_BIT },
		{ "quirk stream_latency 5000", STATUS, 1 },
		{ "", BYTES, 64 },
		{ "", BUMP, 0 },
		{ "", SIZE, 0x1000 },
	};
	char err[80];

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		start("", 0x101f);
		assert_int_equal(pcmodel_scenario(m, rows[i].quirk, err, sizeof(err)), 0);
		pcmodel_run(m, 3073);
		put(BUMP, 32);
		if (get(rows[i].addr) != rows[i].value)
			fail_msg("row %u: 0x%x", i, get(rows[i].addr));
	}
}

/* hw:ambiguities/67: clocks after a request in which it is counted, and its parts land */
static void test_landing(void **state)
{
	static const struct {
		const char *quirk;
		unsigned int counted, head, rest;
	} rows[] = {
		{ "", 0, 0, 0 },
		{ "quirk stream_latency 100", 0, 100, 100 },
		{ "quirk stream_latency 100; quirk stream_count_late 1", 100, 100, 100 },
		{ "quirk stream_latency 100; quirk stream_count_late 31", 130, 100, 100 },
		{ "quirk stream_latency 100; quirk stream_split 20", 0, 100, 120 },
	};
	char err[80];

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		start("", 0x1000);
		assert_int_equal(pcmodel_scenario(m, rows[i].quirk, err, sizeof(err)), 0);
		pcmodel_run(m, 1023);
		for (unsigned int clock = 0; clock < 200; clock++) {
			pcmodel_run(m, 1);
			assert_int_equal(get(BYTES), clock < rows[i].counted ? 0 : 32);
			assert_int_equal(peek32(BUFFER + 4) >> 30, clock < rows[i].head ? 3 : 0);
			assert_int_equal(peek32(BUFFER + 8), clock < rows[i].rest ? ~0u : 1023);
			assert_int_equal(get(STATUS) & EMPTY_BIT,
					 clock < rows[i].rest || clock < rows[i].counted ?
					 0 : EMPTY_BIT);
		}
	}
	/* a stop: records on their way still land */
	start("quirk stream_latency 300", 0x1000);
	pcmodel_run(m, 1030);
	put(HUB(DOM, 0x9c), 0);
	assert_int_equal(take(), 0);
	pcmodel_run(m, 300);
	assert_int_equal(get(STATUS), EMPTY_BIT);
	assert_int_equal(take(), 1);
	/* a record that never lands */
	start("stream vanish 1", 0x1000);
	pcmodel_run(m, 2050);
	assert_int_equal(get(BYTES), 64);
	assert_int_equal(take(), 0);
	assert_int_equal(peek32(BUFFER + 0x20), 2048000);
}

/* A start without a reset of the block, with records on their way */
static void test_restart(void **state)
{
	start("quirk stream_latency 100", 0x1000);
	pcmodel_run(m, 2048);
	put(HUB(DOM, 0x9c), 0);
	put(HUB_SET, 1);
	assert_int_equal(get(STATUS) & EMPTY_BIT, EMPTY_BIT);
	pcmodel_run(m, 200);
	put(HUB_SET, 0);
	start_ring(0x1000);
	put(HUB(DOM, 0x9c), 1 << 21 | 5);
	pcmodel_run(m, 1400);
	assert_int_equal(get(BYTES), 32);
	assert_int_equal(peek32(BUFFER + 4) >> 16, 1);
	/* a reset by PMC.ENABLE forgets all */
	put(0x200, ~(1u << 28));
	put(0x200, ~0u);
	assert_int_equal(get(BYTES) | get(CHAN_ADDR) | get(SIZE), 0);
	assert_int_equal(get(STATUS), EMPTY_BIT);
}

/* Make one record by the address that is bound; return the fault of its write. */
static enum reason fault_of_record(void)
{
	uint32_t reason;

	put(0x259c, ~0u);
	bind_chan();
	pcmodel_run(m, 1024);
	if (!(get(0x259c) & 1 << 19))
		return R_NONE;
	assert_int_equal(get(0x2930), INSTANCE >> 12);
	assert_int_equal(get(0x2934), (uint32_t)RING);
	assert_int_equal(get(0x2938), RING >> 32);
	reason = get(0x293c);
	assert_int_equal(reason & ~0xf, 1 << 6 | 1 << 7 | 0x11 << 8);
	return reason & 0xf;
}

/* hw:memory/gf100: an entry that is exchanged for another, and the reason of the fault */
static void test_faults(void **state)
{
	const uint64_t pde = PAGE_DIR + 8 * (RING >> 27), page = page_entry(BUFFER);
	const struct {
		const char *quirk;
		uint64_t addr, value;
		enum reason reason;
	} rows[] = {
		{ "", pde, (PAGES >> 8 | 6) << 32, R_NONE },
		{ "", pde, (PAGES >> 8 | 7) << 32, R_NONE },
		{ "", pde, 0, R_TABLE },
		/* a table of large pages alone */
		{ "", pde, PAGES >> 8 | 2, R_TABLE },
		{ "quirk pde_bit_0 1", pde, (PAGES >> 8 | 6) << 32, R_TABLE },
		{ "quirk pde_bit_0 1", pde, (PAGES >> 8 | 7) << 32, R_NONE },
		{ "", PAGES, page & ~1ULL, R_PAGE },
		{ "", PAGES, page | 2, R_SUPERVISOR },
		{ "", PAGES, page | 4, R_READ_ONLY },
		{ "", PAGES, page | 1ULL << 63, R_READ_ONLY },
		{ "", PAGES, page | 1ULL << 36, R_TYPE },
		{ "", PAGES, (page & ~(7ULL << 32)) | 3ULL << 32, R_TYPE },
		{ "", PAGES, page | 7ULL << 32, R_NONE },
		{ "", INSTANCE + 0x200, PAGE_DIR | 7, R_NONE },
		{ "", INSTANCE + 0x200, PAGE_DIR | 5, R_TYPE },
		/* limits: the last address, by its upper bits */
		{ "", INSTANCE + 0x208, RING, R_NONE },
		{ "", INSTANCE + 0x208, RING - 1, R_LIMIT },
		{ "quirk no_system_channel 1", PAGES, page, R_CHANNEL },
	};

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		enum reason found;

		start(rows[i].quirk, 0x1000);
		m->dma.audit = false;
		poke64(rows[i].addr, rows[i].value);
		found = fault_of_record();
		if (found != rows[i].reason)
			fail_msg("row %u: reason 0x%x", i, found);
		assert_int_equal(m->stream.stats.faults, found != R_NONE);
		assert_int_equal(m->stream.stats.landed, found == R_NONE);
	}
}

/* hw:ambiguities/62: after a fault */
static void test_after_fault(void **state)
{
	for (unsigned int reading = 0; reading < 3; reading++) {
		start("stream fault 2", 0x1000);
		m->quirks.stream_fault = reading;
		put(HUB(1, 0x9c), 2);
		put(HUB(1, 0x6c), m->dom[1].trailer + 0x27);
		pcmodel_run(m, 1025);
		assert_int_equal(get(STATUS), reading == 1 ? EMPTY_BIT : 6);
		assert_int_equal(get(BYTES), 32);
		pcmodel_run(m, 1024);
		assert_int_equal(get(BYTES), reading == 1 ? 64 : 32);
		assert_int_equal(m->stream.stats.landed, reading == 1);
		/* quad mode */
		put(HUB(1, 0xec), 0x11);
		pcmodel_run(m, 1);
		assert_int_equal(get(HUB(1, 0x70)), reading == 2 ? 0 : 2049);
		put(0x200, ~(1u << 28));
		put(0x200, ~0u);
		start_ring(0x1000);
		start_domain(DOM);
		pcmodel_run(m, 1025);
		assert_int_equal(take(), 1);
	}
}

static void next_lands(uint64_t where)
{
	uint32_t at = reader.at;

	memset(ram + (BUFFER - RAM_BASE), 0xff, 0x80000);
	pcmodel_run(m, 1024);
	put(BUMP, 32);
	reader.at += 32;
	assert_int_not_equal(peek32(where + at), ~0u);
}

/* hw:memory/gf100-tlb */
static void test_tlb(void **state)
{
	static const struct {
		uint32_t page, directory, start;
		unsigned int works;
	} flushes[] = {
		{ 0, 0, 0x80000007, 1 },
		{ 0, PAGE_DIR >> 8, 0x80000001, 1 },
		{ 0, PAGE_DIR >> 8, 0x80000005, 1 },
		{ 0, PAGE_DIR >> 8, 0x00000001, 0 },
		{ 0, (PAGE_DIR + 0x1000) >> 8, 0x80000001, 0 },
		{ (uint32_t)(RING >> 8), PAGE_DIR >> 8, 0x80000000, 1 },
		{ (uint32_t)((RING + 0x1000) >> 8), PAGE_DIR >> 8, 0x80000000, 0 },
	};

	for (unsigned int i = 0; i < COUNT(flushes); i++) {
		start("", 0x1000);
		next_lands(BUFFER);
		map(0, page_entry(OTHER_BUFFER));
		next_lands(BUFFER);
		assert_int_equal(m->dma.stale, 1);
		put(0x100cb4, flushes[i].page);
		put(0x100cb8, flushes[i].directory);
		put(0x100cbc, flushes[i].start);
		next_lands(flushes[i].works ? OTHER_BUFFER : BUFFER);
		assert_int_equal(m->dma.flushes, flushes[i].start >> 31);
	}
	/* nor does a bind forget, unless the directory lies elsewhere */
	start("", 0x1000);
	next_lands(BUFFER);
	map(0, page_entry(OTHER_BUFFER));
	bind_chan();
	reader.at = 0;
	next_lands(BUFFER);
	memcpy(at(PAGE_DIR + 0x10000, 0x10000), at(PAGE_DIR, 0x10000), 0x10000);
	poke64(INSTANCE + 0x200, (PAGE_DIR + 0x10000) | 6);
	bind_chan();
	reader.at = 0;
	next_lands(OTHER_BUFFER);
	/* an absent page stays absent */
	start("quirk stream_fault 1", 0x1000);
	map(0, 0);
	pcmodel_run(m, 1025);
	map(0, page_entry(BUFFER));
	pcmodel_run(m, 1024);
	assert_int_equal(m->stream.stats.faults, 2);
	put(0x100cbc, 0x80000007);
	pcmodel_run(m, 1024);
	assert_int_equal(m->stream.stats.landed, 1);
	/* a flush takes time; another one gets lost meanwhile */
	say("quirk flush_busy 2");
	put(0x100cbc, 0x80000007);
	put(0x100cbc, 0x80000007);
	assert_int_equal(get(0x100c80), 0);
	assert_int_equal(get(0x100c80), 0);
	assert_int_equal(get(0x100c80), 1 << 16 | 1 << 15);
	assert_int_equal(m->dma.flushes, 2);
	assert_int_equal(m->dma.lost_flushes, 1);
}

static void eight_domains(uint32_t size)
{
	tables(0xe4);
	reader = (struct reader){ .size = size };
	start_ring(size);
	for (unsigned int dom = 0; dom < 8; dom++)
		start_domain(dom);
}

/* Clocks in words of 64 and one by one make the same records at the same places. */
static void test_skipping_equals_stepping(void **state)
{
	static const char *const quirks[] = {
		"quirk stream_sum 1", "quirk stream_short 1", "quirk stream_latency 700",
		"quirk stream_split 30", "quirk stream_count_late 90", "quirk stream_request 2",
		"stream delay hub3 70", "quirk stream_delay_latched 1", "quirk stream_overwrite 1",
		"quirk stream_fault 2; stream fault 2", "quirk stream_clock 1", "",
	};
	static struct pcmodel_stream before;
	static uint8_t ring[0x2000];
	uint64_t skipped = 0;
	char err[80];

	for (unsigned int i = 0; i < COUNT(quirks); i++) {
		for (unsigned int stepping = 0; stepping < 2; stepping++) {
			eight_domains(sizeof(ring));
			m->stepping = stepping;
			say("clock hub2 7/3");
			say("clock hub5 1/9");
			put(HUB(6, 0x9c), 2 << 21 | 5);
			put(HUB(7, 0x9c), 1 << 21 | 2);
			say("signal hub3 3 random 700/65536 seed 3");
			assert_int_equal(pcmodel_scenario(m, quirks[i], err, sizeof(err)), 0);
			for (unsigned int k = 0; k < 4; k++) {
				pcmodel_run(m, 2500 * k + 7);
				put(BUMP, get(BYTES) / 2);
			}
			if (!stepping) {
				skipped += m->skipped;
				before = m->stream;
				memcpy(ring, at(BUFFER, sizeof(ring)), sizeof(ring));
			}
		}
		if (memcmp(ring, at(BUFFER, sizeof(ring)), sizeof(ring)))
			fail_msg("other records with %s", quirks[i]);
		assert_int_equal(before.bytes, m->stream.bytes);
		assert_memory_equal(&before.stats, &m->stream.stats, sizeof(before.stats));
		assert_int_not_equal(before.stats.sent, 0);
	}
	assert_true(skipped > 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_readings),
		cmocka_unit_test(test_landing),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_after_fault),
		cmocka_unit_test(test_tlb),
		cmocka_unit_test(test_skipping_equals_stepping),
	};

	return cmocka_run_group_tests(tests, new_model, free_model);
}
