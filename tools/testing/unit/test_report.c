// SPDX-License-Identifier: GPL-2.0-only
/*
 * "pcounter report": read generated captures, and compare the reports with their known
 * contents. The expectations do not come from the reader.
 */
#include "unit.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "../capture/capture.h"
#include "capture/capture.h"
#include "report/report.h"

#define MAX_PACKETS	20000
#define MUCH		1000000
#define COUNTERS	12
#define CSV_PACKET	"stream,gpu,domain,packet,packets,epoch,cycle,time_ns,cycles,requests"
#define CSV_COUNTERS	"c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11"

/**
 * struct known - a packet with known contents
 * @number: its number
 * @cycle: cycle counter
 * @length: cycles, 0 if a reader cannot know them
 * @breaks: it does not follow the previous packet
 * @epoch: number of restarts of the cycle counter
 * @count: events
 */
struct known {
	u64 number;
	u64 cycle;
	u64 length;
	bool breaks;
	unsigned int epoch;
	u16 count[COUNTERS];
};

static const char *const names[] = {
	"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", NULL
};

static struct known known[MAX_PACKETS];
static unsigned int nr_known;
static u64 together;	/* packets that were added together with the one before */

/* Begin a capture of one stream, and its packets. */
static size_t begin(struct made *made)
{
	made_begin(made, 0, 0);
	made_stream(made, 0, 1, 0, 0, 0, names);
	return made_packets(made, 0, 0);
}

#include "report_clock_test.h"

/* ---- a capture with everything in it ---- */

static void any_counts(u16 *count, u64 length)
{
	unsigned int k;

	for (k = 0; k < COUNTERS; k++) {
		/* between mostly 0 and mostly 1 */
		u64 full = min_t(u64, length, 0xffff);

		count[k] = rnd(COUNTERS) < k ? full : rnd(3) ? 0 : rnd(full + 1);
		if (!rnd(500))
			count[k] = rnd(2) ? 0xffff : min_t(u64, full + 5, 0xffff);
	}
}

static u64 any_length(u64 usual)
{
	switch (rnd(200)) {
	case 0:
		return 1 + rnd(70000);
	case 1:
		return 1 + ((u64)rnd(BIT(31)) << rnd(8));
	default:
		return usual;
	}
}

static void make_capture(struct made *made, u64 seed, int brief)
{
	static const u64 usual[] = { 1024, 16384, 61440, 70000, 999, 1000, 3 };
	u64 number = 0, cycle = 0, period = usual[seed % ARRAY_SIZE(usual)];
	bool lost = false;
	unsigned int epoch = 0, i, n, k;
	size_t block;

	rng = seed;
	nr_known = 0;
	made_begin(made, 0, 0);
	made_stream(made, 0, 1, brief, period, 0, names);
	for (i = 0; i < 40; i++) {
		u64 length = rnd(2) ? period : usual[rnd(ARRAY_SIZE(usual))];
		/* it shows only if the cycle counter goes back */
		bool anew = cycle > MUCH && !rnd(3);

		if (i && !rnd(3)) {
			lost = true;
			number += 1 + rnd(50);
			cycle += 5000000;
		}
		if (anew) {
			cycle = 0;
			epoch++;
		}
		block = made_packets(made, 0, number);
		for (n = 1 + rnd(450); n; n--) {
			struct known *p = &known[nr_known++];
			u64 now = anew ? length : any_length(length);

			*p = (struct known){ .number = number++, .epoch = epoch };
			any_counts(p->count, now);
			for (k = 4; k < COUNTERS && brief; k++)
				p->count[k] = 0;
			cycle += now;
			p->cycle = cycle;
			p->length = lost ? 0 : now;
			p->breaks = lost || anew;
			lost = false;
			anew = false;
			made_packet(made, block, brief, cycle, 1, p->count);
		}
	}
	made_end(made, 0);
}

/* Add up a capture, in tiles for @scale times as many packets. */
static struct tally *tally_of(const struct made *made, unsigned int scale)
{
	struct read_file file;
	struct read_walk walk;
	struct tally *tally;

	assert_true(read_parse(&file, made->data, made->size));
	assert_string_equal(file.why, "");
	tally = stat_begin(file.stream[0].packets * scale, file.stream[0].period,
			   GENMASK(READ_COUNTERS - 1, 0));
	read_begin(&walk, &file.stream[0]);
	for (together = 0; read_next(&walk, stat_room(tally));) {
		stat_add(tally, &walk);
		together += walk.nr - 1;
	}
	read_close(&file);
	return tally;
}

/* ---- the same, packet by packet ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static u64 longest(unsigned int k, bool busy)
{
	u64 now = 0, best = 0;
	unsigned int i;

	for (i = 0; i < nr_known; i++) {
		const struct known *p = &known[i];
		bool in = busy ? p->count[k] >= min_t(u64, p->length, 0xffff) : !p->count[k];

		if (p->breaks || !p->length)
			now = 0;
		now = in && p->length ? now + p->length : 0;
		best = max(best, now);
	}
	return best;
}

static void check_quantiles(const struct tally *tally, unsigned int k, double *share,
			    unsigned int n)
{
	static const double q[] = { 0.05, 0.25, 0.5, 0.9, 0.95, 0.99 };
	unsigned int i;
	double want, got;

	qsort(share, n, sizeof(*share), by_value);
	for (i = 0; i < ARRAY_SIZE(q); i++) {
		want = share[(unsigned int)ceil(q[i] * n) - 1];
		got = stat_quantile(tally, k, q[i]);
		if (want > 1.002 ? got != tally->signal[k].max : fabs(got - want) > 0.0021)
			fail_msg("c%u: quantile %g is %g, not %g", k, q[i], got, want);
	}
}

static void check_signal(const struct tally *tally, unsigned int k)
{
	static double share[MAX_PACKETS];
	const struct stat_signal *s = &tally->signal[k];
	double sum = 0, least = INFINITY, most = 0;
	unsigned int i, n = 0, full = 0, over = 0;
	u64 total = 0;

	for (i = 0; i < nr_known; i++) {
		if (!known[i].length)
			continue;
		share[n] = (double)known[i].count[k] / known[i].length;
		sum += share[n];
		least = fmin(least, share[n]);
		most = fmax(most, share[n++]);
		total += known[i].count[k];
		full += known[i].count[k] == 0xffff;
		over += known[i].count[k] > known[i].length;
	}
	assert_int_equal(s->total, total);
	assert_int_equal(s->full, full);
	assert_int_equal(s->over, over);
	assert_true(fabs(s->share - sum) < 0.000001 * (1 + sum));
	assert_true(fabs(s->min - least) < 0.000001);
	assert_true(fabs(s->max - most) < 0.000001 * most + 0.000001);
	assert_int_equal(s->best[IDLE], longest(k, false));
	assert_int_equal(s->best[BUSY], longest(k, true));
	check_quantiles(tally, k, share, n);
}

static void check_tiles(const struct tally *tally, unsigned int k)
{
	const struct stat_tile *tile = tally->tile;
	const struct known *p = known;
	float share, least, most;
	u64 i, total;

	for (; tile < tally->tile + tally->nr_tiles; tile++) {
		least = INFINITY;
		most = 0;
		for (i = total = 0; i < tile->packets; i++, p++) {
			if (!p->length)
				continue;
			share = (double)p->count[k] / p->length;
			least = fmin(least, share);
			most = fmax(most, share);
			total += p->count[k];
		}
		assert_int_equal(tile->total[k], total);
		assert_true(tile->min[k] == least && tile->max[k] == most);
	}
	assert_ptr_equal(p, known + nr_known);
}

static void check_tally(const struct tally *tally)
{
	unsigned int i, k, unknown = 0;
	u64 cycles = 0;

	for (i = 0; i < nr_known; i++) {
		cycles += known[i].length;
		unknown += !known[i].length;
	}
	assert_int_equal(tally->packets, nr_known);
	assert_int_equal(tally->unknown, unknown);
	assert_int_equal(tally->cycles, cycles);
	assert_int_equal(tally->lost, known[nr_known - 1].number + 1 - nr_known);
	for (k = 0; k < COUNTERS; k++) {
		check_signal(tally, k);
		check_tiles(tally, k);
	}
}

TEST(test_sums_and_shares)
{
	struct tally *tally;
	struct made made;
	unsigned int seed;

	for (seed = 0; seed < 24; seed++) {
		bool brief = seed % 4 == 3;

		make_capture(&made, seed, brief);
		tally = tally_of(&made, 1 + seed % 3 * 50);
		check_tally(tally);
		if (!brief && seed % 3)
			assert_in_range(together, nr_known / 16, nr_known);
		free(tally);
		made_free(&made);
	}
}

/* Shares that equal a step exactly. */
TEST(test_steps_are_met)
{
	static const u16 lengths[] = { 1500, 5000, 30000, 65000 };
	struct made made;
	struct tally *tally;
	u16 count[COUNTERS] = {};
	unsigned int i, step;
	size_t block;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		block = begin(&made);
		for (step = 0; step <= STAT_STEPS; step++) {
			count[7] = step * lengths[i] / STAT_STEPS;
			made_packet(&made, block, 0, (step + 1) * lengths[i], 1, count);
		}
		tally = tally_of(&made, 1);
		for (step = 0; step <= STAT_STEPS; step++)
			assert_int_equal(tally->bin[7][step], 1);
		free(tally);
		made_free(&made);
	}
}

/* ---- damaged files ---- */

/* Check taken packets; @p is the first one. */
static void check_packets(const struct read_walk *walk, const struct known *p)
{
	unsigned int i;

	assert_int_equal(walk->number, p->number);
	assert_int_equal(walk->joined, !p->breaks);
	assert_int_equal(walk->cycle, p[walk->nr - 1].cycle);
	assert_int_equal(walk->cycle - walk->begin, walk->nr * walk->length);
	for (i = 0; i < walk->nr; i++) {
		assert_int_equal(walk->length, p[i].length);
		assert_int_equal(walk->epoch, p[i].epoch);
		assert_int_equal(packet_counter(walk->packet + i, 3), p[i].count[3]);
	}
}

/* Count the packets that a reader finds, and gives back in part; each must be a known one. */
static u64 count_packets(struct read_file *file)
{
	struct read_walk walk;
	u64 n = 0;

	if (!file->nr)
		return 0;
	read_begin(&walk, &file->stream[0]);
	while (read_next(&walk, 1 + n % 50)) {
		check_packets(&walk, &known[n]);
		read_back(&walk, walk.nr / 3);
		check_packets(&walk, &known[n]);
		n += walk.nr;
	}
	return n;
}

TEST(test_cut_at_every_byte)
{
	u64 size, packets, before = 0;
	struct read_file file;
	struct made made;
	void *copy;

	make_capture(&made, 2, 0);
	made.size = min_t(size_t, made.size, 20000);
	for (size = 0; size < made.size; size++) {
		/* the sanitizer detects an overrun */
		copy = malloc(size + !size);
		memcpy(copy, made.data, size);
		if (read_parse(&file, copy, size)) {
			packets = count_packets(&file);
			assert_true(packets >= before);
			before = packets;
			assert_string_equal(file.why, "");
			assert_true(file.cut < size);
		} else {
			assert_true(size < sizeof(struct pcounter_capture_header));
			assert_non_null(strstr(file.why, "at byte"));
		}
		read_close(&file);
		free(copy);
	}
	assert_true(before > 0);
	made_free(&made);
}

TEST(test_says_where_it_is_wrong)
{
	static const struct {
		unsigned int at;
		u8 value;
		bool readable;
		const char *why;
	} cases[] = {
		{ 0, 'X', false, "at byte 0: no capture of pcounter" },
		{ 8, 3, false, "at byte 8: version 3 needs a newer pcounter" },
		{ 12, 16, false, "at byte 12: a header of 16 bytes" },
		{ 12, 40, false, "at byte 12: a header of 40 bytes" },
		{ 32 + 4, 1, true, "at byte 992: stream 0 is not described" },
		{ 32 + 5, 1, true, "at byte 48: stream 256: too many" },
		{ 32 + 8, 0xff, true, "at byte 32: a block of 1023 bytes" },
		{ 48 + 134, 9, true, "at byte 182: format 9 of packets is unknown" },
		{ 976 + 8, 0x11, true, "at byte 976: a block of 17 bytes" },
		{ 976, 1, true, "at byte 992: block of type 1 with 16 bytes" },
		{ 976 + 16 + 16 + 4, 1, true, "at byte 1024: stream 1 is not described" },
	};
	struct read_file file;
	struct made made;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		made_begin(&made, 0, 0);
		made_stream(&made, 0, 1, 0, 0, 0, names);
		made_packets(&made, 0, 7);
		made_end(&made, 0);
		made.data[cases[i].at] = cases[i].value;
		assert_int_equal(read_parse(&file, made.data, made.size), cases[i].readable);
		assert_string_equal(file.why, cases[i].why);
		read_close(&file);
		made_free(&made);
	}
}

TEST(test_unknown_blocks_are_passed_over)
{
	struct read_file file;
	struct made made;

	make_capture(&made, 4, 0);
	/* turn an end into an unknown block */
	made.data[made.size - 16] = 77;
	assert_true(read_parse(&file, made.data, made.size));
	assert_string_equal(file.why, "");
	assert_int_equal(file.cut, 0);
	assert_false(file.stream[0].ended);
	assert_int_equal(count_packets(&file), nr_known);
	read_close(&file);
	made_free(&made);
}

TEST(test_places_without_packet_are_lost)
{
	static const u16 count[COUNTERS] = { 100 };
	struct tally *tally;
	struct made made;
	unsigned int i;
	size_t block;

	block = begin(&made);
	for (i = 1; i <= 10; i++)
		made_packet(&made, block, 0, i * 1000, i == 4 ? 0xffff : 1, count);
	made_end(&made, 0);
	tally = tally_of(&made, 1);
	assert_int_equal(tally->packets, 9);
	assert_int_equal(tally->lost, 1);
	assert_int_equal(tally->unknown, 1);
	assert_int_equal(tally->cycles, 8000);
	assert_int_equal(tally->signal[0].total, 800);
	free(tally);
	made_free(&made);
}

/* ---- output ---- */

/* Run a report into a file; return its text. */
static char *written(const struct made *made, struct report *wish, int status)
{
	char path[] = "/tmp/test_report.XXXXXX";
	static struct report report;
	int fd = mkstemp(path);
	char *text;
	off_t size;

	assert_true(fd >= 0);
	close(fd);
	report = *wish;
	if (report.trace)
		report.trace = path;
	report.path = "capture";
	report.domain = -1;
	report.output = report.trace ? "/dev/null" : path;
	assert_true(read_parse(&report.file, made->data, made->size));
	assert_int_equal(report_file(&report), status);
	read_close(&report.file);
	/* it is a new file */
	fd = open(path, O_RDONLY);
	size = lseek(fd, 0, SEEK_END);
	text = calloc(1, size + 1);
	assert_int_equal(pread(fd, text, size, 0), size);
	close(fd);
	unlink(path);
	return text;
}

static u64 member(const json_t *row, const char *name)
{
	json_t *value = json_object_get(row, name);

	return json_is_null(value) ? 0 : (u64)json_integer_value(value);
}

static void check_json_row(const char *line, const struct known *p)
{
	json_t *row = json_loads(line, 0, NULL);
	unsigned int k;
	char name[8];

	assert_non_null(row);
	assert_int_equal(json_object_size(row), 22);
	assert_int_equal(member(row, "packet"), p->number);
	assert_int_equal(member(row, "cycle"), p->cycle);
	assert_int_equal(member(row, "cycles"), p->length);
	assert_int_equal(json_is_null(json_object_get(row, "cycles")), !p->length);
	assert_int_equal(member(row, "epoch"), p->epoch);
	for (k = 0; k < COUNTERS; k++) {
		snprintf(name, sizeof(name), "c%u", k);
		assert_int_equal(member(row, name), p->count[k]);
	}
	json_decref(row);
}

TEST(test_json_lines)
{
	struct report wish = { .kind = OUT_JSONL, .from = NAN, .to = NAN };
	char *text, *line, *save;
	struct made made;
	unsigned int n = 0;

	make_capture(&made, 11, 0);
	text = written(&made, &wish, STATUS_NO);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		check_json_row(line, &known[n++]);
	assert_int_equal(n, nr_known);
	free(text);
	made_free(&made);
}

static const char csv_columns[] = CSV_PACKET "," CSV_COUNTERS;

TEST(test_csv)
{
	struct report wish = { .kind = OUT_CSV, .from = NAN, .to = NAN };
	unsigned int n = 0, c[COUNTERS], k;
	char *text, *line, *save;
	struct made made;

	make_capture(&made, 12, 0);
	text = written(&made, &wish, STATUS_NO);
	line = strtok_r(text, "\n", &save);
	assert_string_equal(line, csv_columns);
	while ((line = strtok_r(NULL, "\n", &save))) {
		const struct known *p = &known[n++];
		char want[400];
		int len;

		len = snprintf(want, sizeof(want), "0,0000:01:00.0,1,%lu,1,%u,%lu,,", p->number,
			       p->epoch, p->cycle);
		if (p->length)
			len += snprintf(want + len, sizeof(want) - len, "%lu", p->length);
		len += snprintf(want + len, sizeof(want) - len, ",1");
		for (k = 0; k < ARRAY_SIZE(c); k++)
			len += snprintf(want + len, sizeof(want) - len, ",%u", p->count[k]);
		assert_string_equal(line, want);
	}
	assert_int_equal(n, nr_known);
	free(text);
	made_free(&made);
}

/* Buckets of 1 ms of the square wave: its rate, and no row for the lost part. */
TEST(test_buckets_show_the_gap)
{
	struct report wish = { .kind = OUT_JSONL, .from = NAN, .to = NAN, .bucket = 1000000 };
	char *text, *line, *save;
	struct made made;
	bool seen[21] = {};
	u64 packets;

	made_square(&made);
	text = written(&made, &wish, STATUS_NO);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *row = json_loads(line, 0, NULL);
		int ms = (member(row, "time_ns") - 5000000000ULL) / 1000000;
		u64 cycles = member(row, "cycles"), high = member(row, "c0");

		packets = member(row, "packets");
		json_decref(row);
		if (packets < 3)
			continue;
		assert_in_range(ms, 0, 20);
		seen[ms] = true;
		/* a packet at each end may belong to the neighbour */
		assert_true(ms % 2 ? high + 2 * 1024 >= cycles : high <= 2 * 1024);
	}
	assert_true(seen[8] && !seen[9] && seen[10] && seen[19]);
	free(text);
	made_free(&made);
}

TEST(test_text_shows_wave_and_gap)
{
	struct report wish = { .from = NAN, .to = NAN };
	struct made made;
	char *text;

	/* 20 columns of 1 ms */
	setenv("COLUMNS", "27", 1);
	made_square(&made);
	text = written(&made, &wish, STATUS_NO);
	unsetenv("COLUMNS");
	assert_non_null(strstr(text, "loss     overrun 586"));
	assert_non_null(strstr(text, "  c2  222222222 2222222222\n"));
	free(text);
	made_free(&made);
}

/* One packet of 20 is full: the mean of a column alone would hide that. */
TEST(test_bursts_are_seen)
{
	struct report wish = { .from = NAN, .to = NAN };
	static const char *const two[] = { "a", "b", NULL };
	u16 count[COUNTERS] = { 0, 512 };
	struct made made;
	unsigned int n;
	size_t block;
	char *text;

	setenv("COLUMNS", "27", 1);
	made_begin(&made, 0, 0);
	made_stream(&made, 0, 1, 0, 0, 0, two);
	block = made_packets(&made, 0, 0);
	for (n = 1; n <= 20000; n++) {
		count[0] = n % 20 ? 0 : 1024;
		made_packet(&made, block, 0, n * 1024, 1, count);
	}
	made_end(&made, 0);
	text = written(&made, &wish, STATUS_OK);
	unsetenv("COLUMNS");
	assert_non_null(strstr(text, "mean of each column of "));
	assert_non_null(strstr(text, "\n  c0  ....................\n  max ####################\n"
				     "  c1  55555555555555555555\n"));
	free(text);
	made_free(&made);
}

/* A clock with a curve far below 0, and a capture that began far above. */
TEST(test_times_that_are_far_apart)
{
	static const u64 begin[] = { INT64_MAX, INT64_MAX / 2, INT64_MAX / 4 };
	static const u16 count[COUNTERS];
	struct report wish = { .kind = OUT_JSONL, .from = NAN, .to = 1, .bucket = 1 };
	struct read_file file;
	struct made made;
	unsigned int i;
	size_t block;

	for (i = 0; i < ARRAY_SIZE(begin); i++) {
		made_begin(&made, 0, begin[i]);
		made_stream(&made, 0, 1, 0, 0, 0, names);
		block = made_packets(&made, 0, 0);
		made_packet(&made, block, 0, 1, 1, count);
		made_packet(&made, block, 0, 1000, 1, count);
		made_pair(&made, 0, 1, 1, 0);
		made_pair(&made, 0, 1ULL << 46, 2, 0);
		made_pair(&made, 0, 1ULL << 47, begin[i], 0);
		made_end(&made, 0);
		if (read_parse(&file, made.data, made.size)) {
			assert_string_equal(file.why, "");
			free(written(&made, &wish, STATUS_OK));
		} else {
			assert_non_null(strstr(file.why, "a time that cannot be"));
		}
		read_close(&file);
		made_free(&made);
	}
}

/* The second epoch begins before the window, and ends within it, at earlier times. */
TEST(test_packets_outside_are_a_gap)
{
	static const u64 cycles[] = { 1000000, 2000000, 500000, 1500000, 2500000 };
	static const bool joined[] = { true, true, false, true };
	struct report report = { .from = 0.001, .to = 0.005 };
	static const u16 count[COUNTERS];
	struct report_stream rs = {};
	struct read_walk walk;
	struct made made;
	unsigned int i;
	size_t block;

	made_begin(&made, 0, 0);
	made_stream(&made, 0, 1, 0, 0, 0, names);
	for (i = 0; i < ARRAY_SIZE(cycles); i++) {
		block = made_packets(&made, 0, i);
		made_packet(&made, block, 0, cycles[i], 1, count);
		made_pair(&made, 0, cycles[i], cycles[i] + (i < 2 ? 2000000 : 0), 0);
	}
	assert_true(read_parse(&report.file, made.data, made.size));
	rs.s = report.file.stream;
	for (read_begin(&walk, rs.s); read_next(&walk, 1);)
		clock_add(&rs.clock, &walk);
	clock_fit(&rs.clock, rs.s);
	read_begin(&walk, rs.s);
	for (i = 0; report_take(&report, &rs, &walk, 1); i++)
		assert_int_equal(walk.joined, joined[i]);
	assert_int_equal(i, ARRAY_SIZE(joined));
	free(rs.clock.epoch);
	read_close(&report.file);
	made_free(&made);
}

#include "report_window_test.h"

/* The exit status shows whether the capture is complete. */
TEST(test_status)
{
	struct report wish = { .from = NAN, .to = NAN };
	static const u16 count[COUNTERS];
	u64 loss[6] = {};
	struct made made;
	unsigned int i;
	size_t block;

	for (i = 0; i < 10; i++) {
		memset(loss, 0, sizeof(loss));
		if (i < 6)
			loss[i] = 1;
		block = begin(&made);
		made_packet(&made, block, 0, 1024, 1, count);
		made_loss(&made, 0, loss);
		if (i != 7)
			made_end(&made, 0);
		/* memory is allocated in advance */
		if (i == 8)
			made.size += 5;
		/* cut off directly after the file header */
		if (i == 9)
			made.size = sizeof(struct pcounter_capture_header);
		/* a merged request, the third, loses nothing; the last number is reserved */
		free(written(&made, &wish, i == 2 || i == 5 || i == 6 ? STATUS_OK : STATUS_NO));
		made_free(&made);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
