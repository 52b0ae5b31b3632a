// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of GF100 and later in captures: the model writes them, and the reader finds what
 * the model has counted, under each reading of hw:stream. Each case is a capture in the
 * folder REPORTS, too, for the test of traces.
 */
#include "stream_test.h"

#include <endian.h>
#include <math.h>

#include "../capture/capture.h"
#include "capture/capture.h"

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))
#define DOMAINS		8
#define RING_SIZE	0x40000
#define PERIOD		1024	/* clocks */
#define RECORDS		160	/* of a domain at the reference clock */
#define HALF_WAVE	20000	/* of the reference clock */
#define FIRST_DOMAIN	(ID - PCOUNTER_RECORD_ID)
#define RECORD_SIZE	sizeof(struct pcounter_record_stream)
#define PERF_BEGIN	7000000000ULL
#define CLOCK_NS	1000	/* of the reference clock */

static const char *const names[] = { "wave", "half", "quarter", "eighth", NULL };
/* clocks of the domains, in halves of the reference clock */
static const unsigned int speed[DOMAINS] = { 2, 3, 1, 2, 4, 2, 3, 2 };

/**
 * struct reading - what a record may mean
 * @quirk: the model's
 * @name: of the file
 * @flags: of the driver's header
 * @unit: ns of the time
 */
struct reading {
	const char *quirk;
	const char *name;
	uint32_t flags;
	unsigned int unit;
};

static const struct reading readings[] = {
	{ "", "periods", 0, 1 },
	{ "quirk stream_sum 1", "sums", PCOUNTER_RECORD_SUMS, 1 },
	{ "quirk stream_clock 1", "units", 0, CLOCK_NS },
	{ "quirk stream_latency 300", "latency", 0, 1 },
};

/* All domains of the HUB count one square wave at once, whatever their clocks are. */
static void start_wave(const char *quirk)
{
	char line[80];

	tables(0xe4);
	if (*quirk)
		say(quirk);
	start_ring(RING_SIZE);
	for (unsigned int i = 0; i < DOMAINS; i++) {
		snprintf(line, sizeof(line), "clock hub%u %u/2", i, speed[i]);
		say(line);
		start_domain(i);
		snprintf(line, sizeof(line), "signal hub%u 2 duty %u/%u", i,
			 HALF_WAVE * speed[i] / 2, HALF_WAVE * speed[i]);
		say(line);
	}
}

static uint64_t time_of(const uint8_t *record)
{
	return pcounter_packet_head((const void *)record) & PCOUNTER_TIMED_CLOCK;
}

/* Make a capture of the model's ring; @lost of its records, from @first on, are missing. */
static void capture_of(struct made *made, const struct reading *r, unsigned int first,
		       unsigned int lost)
{
	unsigned int n = get(BYTES) / RECORD_SIZE, i, next, step;
	const __le32 flags = htole32(r->flags);
	uint64_t loss[6] = {};
	size_t block;

	made_begin(made, 1600000000000000000ULL, PERF_BEGIN);
	for (i = 0; i < DOMAINS; i++)
		made_records(made, i, 0, FIRST_DOMAIN + i, PERIOD, names);
	for (i = 0; i < n; i = next) {
		step = i < first ? first - i : 100;
		next = i == first && lost ? i + lost : i + (step < n - i ? step : n - i);
		if (i == first && lost)
			continue;
		block = made_packets(made, 0, i);
		memcpy(made->data + block + 24, &flags, sizeof(flags));
		made_bytes(made, block, ram + (BUFFER - RAM_BASE) + i * RECORD_SIZE,
			   (next - i) * RECORD_SIZE);
		step = time_of(made->data + made->size - RECORD_SIZE);
		made_pair(made, 0, step, PERF_BEGIN + (uint64_t)step * r->unit, 100000);
	}
	for (i = 0; i < DOMAINS; i++) {
		made_loss(made, i, loss);
		made_end(made, i);
	}
}

static void write_capture(const struct made *made, const char *name)
{
	const char *folder = getenv("REPORTS");
	char path[200];
	FILE *f;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/gk104-%s.data", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(made->data, 1, made->size, f), made->size);
	assert_int_equal(fclose(f), 0);
}

/* Find the line of a stream's clock. */
static void clock_of(const struct read_stream *s, struct clock *clock)
{
	struct read_walk walk;

	*clock = (struct clock){};
	read_begin(&walk, s);
	while (read_next(&walk, READ_MANY))
		clock_add(clock, &walk);
	clock_fit(clock, s);
}

/* Return the number of ns in which the wave is 1 from the begin of the model to a moment. */
static double high_until(double ns)
{
	double half = (double)HALF_WAVE * CLOCK_NS, waves = floor(ns / (2 * half));

	return waves * half + fmin(ns - waves * 2 * half, half);
}

/* Check the records of a domain: each follows the one before, and has the wave of its time. */
static void check_domain(const struct read_stream *s, const struct reading *r, unsigned int i)
{
	double clock = CLOCK_NS * 2.0 / speed[i];
	struct read_walk walk;
	struct clock line;
	unsigned int n = 0;
	s64 time;

	clock_of(s, &line);
	assert_true(line.timed);
	for (read_begin(&walk, s); read_next(&walk, READ_MANY); n++) {
		double end = (double)walk.cycle * r->unit, begin = end - PERIOD * clock;

		assert_int_equal(walk.number, n);
		assert_int_equal(walk.requests, 1);
		assert_int_equal(walk.lost, 0);
		assert_int_equal(walk.length, n ? PERIOD : 0);
		assert_true(clock_time(&line, 0, walk.cycle, &time));
		assert_true(fabs(time - (PERF_BEGIN + end)) <= 1 + line.epoch->error);
		if (!n)
			continue;
		/* delays of the inputs, and what a record's time leaves out */
		if (fabs(walk.count[0] - (high_until(end) - high_until(begin)) / clock) > 4)
			fail_msg("domain %u, record %u: %u", i, n, walk.count[0]);
		assert_int_equal(walk.count[1], PERIOD / 2);
		assert_int_equal(walk.count[3], PERIOD / 8);
		assert_true(fabs((double)(walk.cycle - walk.begin) * r->unit - PERIOD * clock) <=
			    2 * CLOCK_NS);
	}
	assert_in_range(n, RECORDS * speed[i] / 2 - 1, RECORDS * speed[i] / 2);
	free(line.epoch);
}

TEST(test_domains_have_one_time)
{
	struct read_file file;
	struct made made;
	unsigned int k, i;

	for (k = 0; k < COUNT(readings); k++) {
		start_wave(readings[k].quirk);
		pcmodel_run(m, PERIOD * RECORDS + 500);
		capture_of(&made, &readings[k], 1000, 0);
		write_capture(&made, readings[k].name);
		assert_true(read_parse(&file, made.data, made.size));
		assert_string_equal(file.why, "");
		assert_int_equal(file.nr, DOMAINS);
		for (i = 0; i < DOMAINS; i++)
			check_domain(&file.stream[i], &readings[k], i);
		read_close(&file);
		made_free(&made);
	}
}

/* Make a record of one domain by hand. */
static void hand_record(struct made *made, size_t block, u64 time, unsigned int id,
			unsigned int flags, u32 count)
{
	struct pcounter_record_stream record = {
		.time = htole32(time), .time_high = time >> 32, .id = id,
		.flags = htole16(flags), .ctr = { htole32(count) },
	};

	made_bytes(made, block, &record, sizeof(record));
}

/* Each row is a record; a reader finds it with this length and loss, or not at all. */
TEST(test_a_reader_believes_nothing)
{
	static const struct {
		u64 time;
		unsigned int id, flags;
		bool found;
		u64 lost, length;
		unsigned int requests;
	} rows[] = {
		{ 0xfffffff000, 33, 1, true, 0, 0, 1 },
		{ 0xfffffff800, 33, 2, true, 0, PERIOD, 1 },
		/* another domain, and one that nobody has asked for */
		{ 0xfffffffa00, 34, 9, false, 0, 0, 0 },
		{ 0xfffffffa00, 31, 9, false, 0, 0, 0 },
		/* the time goes round */
		{ 0x000, 0, 3, true, 0, PERIOD, 1 },
		/* it never arrived; a part of it; 16 bytes; the samples go on */
		{ 0xffffffffff, 0xff, 0xffff, false, 0, 0, 0 },
		{ 0x400, 33, 4 | 0x8000, false, 0, 0, 0 },
		{ 0x800, 33, 5 | PCOUNTER_RECORD_HALF, false, 0, 0, 0 },
		{ 0xc00, 33, 6, true, 2, 0, 3 },
		{ 0x1400, 33, 7, true, 0, PERIOD, 1 },
		/* late, for two requests; the next one is short */
		{ 0x2480, 33, 9 | PCOUNTER_RECORD_DELAYED, true, 0, 0, 2 },
		{ 0x2c00, 33, 10, true, 0, 0, 1 },
		{ 0x3400, 33, 11, true, 0, PERIOD, 1 },
		/* the time runs back, and on */
		{ 0x3000, 33, 12, true, 1, 0, 1 },
		{ 0x3800, 33, 13, true, 0, PERIOD, 1 },
		/* the number goes round, or stands still */
		{ 0x4000, 33, 0xfff, true, 4081, 0, 4082 },
		{ 0x4800, 33, 0, true, 0, PERIOD, 1 },
		{ 0x5000, 33, 0, true, 0, PERIOD, 1 },
	};
	struct read_file file;
	struct read_walk walk;
	struct made made;
	unsigned int i, n = 0;
	size_t block;

	made_begin(&made, 0, 0);
	made_records(&made, 0, 0, 1, PERIOD, names);
	block = made_packets(&made, 0, 0);
	for (i = 0; i < COUNT(rows); i++)
		hand_record(&made, block, rows[i].time, rows[i].id, rows[i].flags, i);
	made_end(&made, 0);
	assert_true(read_parse(&file, made.data, made.size));
	assert_string_equal(file.why, "");
	read_begin(&walk, file.stream);
	for (i = 0; i < COUNT(rows); i++) {
		if (!rows[i].found)
			continue;
		assert_true(read_next(&walk, READ_MANY));
		n += n ? 1 + rows[i].lost : 1;
		if (walk.count[0] != i || walk.lost != rows[i].lost ||
		    walk.length != rows[i].length || walk.requests != rows[i].requests ||
		    walk.number + 1 != n)
			fail_msg("row %u: record %u, lost %llu, length %llu, requests %u", i,
				 walk.count[0], (unsigned long long)walk.lost,
				 (unsigned long long)walk.length, walk.requests);
		assert_int_equal(walk.nr, 1);
	}
	assert_false(read_next(&walk, READ_MANY));
	/* the time went round once */
	assert_int_equal(walk.cycle, 0x10000005000);
	read_close(&file);
	made_free(&made);
}

/* Records that the ring has lost show in each domain, and nothing is counted twice. */
TEST(test_records_that_are_lost)
{
	struct read_file file;
	struct read_walk walk;
	struct made made;
	u64 lost = 0, torn = 0;
	unsigned int i;

	start_wave("quirk stream_sum 1");
	pcmodel_run(m, PERIOD * RECORDS + 500);
	capture_of(&made, &readings[1], 400, 50);
	write_capture(&made, "lost");
	assert_true(read_parse(&file, made.data, made.size));
	for (i = 0; i < DOMAINS; i++) {
		for (read_begin(&walk, &file.stream[i]); read_next(&walk, 1);) {
			lost += walk.lost;
			torn += walk.number && !walk.joined;
			assert_int_equal(walk.length, walk.joined ? PERIOD : 0);
			if (walk.length)
				assert_int_equal(walk.count[1], PERIOD / 2);
		}
	}
	assert_int_equal(lost, 50);
	assert_int_equal(torn, DOMAINS);
	read_close(&file);
	made_free(&made);
}

/* A description that cannot be is refused with its place. */
TEST(test_descriptions)
{
	static const struct {
		uint32_t ring, owner;
		uint64_t period;
		const char *why;
	} rows[] = {
		{ 0, 0, PERIOD, "" },
		{ 1, 1, PERIOD, "" },
		{ 2, 0, PERIOD, "stream 1 cannot have the records of stream 2" },
		{ 0, 0, 1ULL << 32, "a period of 4294967296 clocks cannot be" },
		{ 0, 1, PERIOD, "stream 1 has its packets in stream 0" },
	};
	struct read_file file;
	struct made made;
	unsigned int i;

	for (i = 0; i < COUNT(rows); i++) {
		made_begin(&made, 0, 0);
		made_records(&made, 0, 0, 1, PERIOD, names);
		made_records(&made, 1, rows[i].ring, 2, rows[i].period, names);
		made_packets(&made, rows[i].owner, 0);
		assert_true(read_parse(&file, made.data, made.size));
		if (!strstr(file.why, rows[i].why) || !*file.why != !*rows[i].why)
			fail_msg("row %u: %s", i, file.why);
		read_close(&file);
		made_free(&made);
	}
}

int main(void)
{
	return unit_run(new_model, free_model);
}
