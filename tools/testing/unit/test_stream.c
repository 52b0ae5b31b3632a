// SPDX-License-Identifier: GPL-2.0-only
/*
 * "pcounter record": feed generated perf buffers, and check the file. The test needs no
 * GPU and no perf.
 */
#include "unit.h"

#include <endian.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "capture/capture.h"
#include "capture/stream.h"

#define DATA_SIZE	65536
#define AUX_SIZE	65536
#define PAGE		4096
#define ENTRY		12	/* perf's fields before the driver's data */

/**
 * struct fake - a stream whose buffers are filled by hand
 * @s: the stream
 * @group: its group
 * @event: with an event
 * @pmu: of this PMU
 * @file: the file that it writes
 * @path: name of the file
 * @head: bytes in the AUX area so far
 * @said: bytes that perf has reported
 * @used: used counters, as the kernel reports them
 * @flags: PERF_AUX_FLAG_*, for the next packets
 * @sums: flags of the kernel's header
 * @periodic: its code of the period, of records
 * @other: a second domain, with records
 */
struct fake {
	struct stream s;
	struct group group;
	struct event event;
	struct pmu pmu;
	struct capture file;
	char path[32];
	uint64_t head;
	uint64_t said;
	unsigned int used;
	uint64_t flags;
	unsigned int sums;
	unsigned int periodic;
	struct stream other;
};

static void fake_begin(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	strcpy(f->path, "/tmp/test_stream.XXXXXX");
	close(mkstemp(f->path));
	strcpy(f->pmu.name, "pcounter_0");
	strcpy(f->event.text, "pcounter_0/sig=0x10,dom=1,record/");
	f->event.pmu = &f->pmu;
	f->group = (struct group){ .nr = 1, .event = &f->event };
	f->s.group = &f->group;
	f->s.ring = &f->s;
	f->s.verdict.req[0].dom = 1;
	f->s.packet = sizeof(struct pcounter_record_packet);
	f->used = 1;
	f->s.count.size = AUX_SIZE;
	f->s.count.aux = calloc(1, AUX_SIZE);
	f->s.count.page = calloc(1, PAGE + DATA_SIZE);
	f->s.count.page->data_offset = PAGE;
	f->s.count.page->data_size = DATA_SIZE;
	assert_true(capture_create(&f->file, f->path, 1, false));
	assert_true(stream_describe(&f->s, &f->file));
}

/* Read the file back. */
static void fake_read(struct fake *f, struct read_file *file)
{
	assert_true(read_open(file, f->path));
	assert_string_equal(file->why, "");
	assert_int_equal(file->cut, 0);
	assert_int_equal(file->nr, 1);
}

static void fake_end(struct fake *f)
{
	fclose(f->file.f);
	unlink(f->path);
	free(f->s.count.aux);
	free(f->s.seen);
	free(f->s.count.page);
}

static void say(struct fake *f, unsigned int type, const void *body, size_t size)
{
	struct perf_event_header head = { .type = type, .size = sizeof(head) + size };
	char *data = (char *)f->s.count.page + PAGE, whole[256];
	size_t i;

	memcpy(whole, &head, sizeof(head));
	memcpy(whole + sizeof(head), body, size);
	for (i = 0; i < head.size; i++)
		data[f->s.count.page->data_head++ % DATA_SIZE] = whole[i];
}

/* Report packets like the kernel: a sample with only a header, then a record of packets. */
static void say_packets(struct fake *f, uint64_t cycle, uint64_t time, unsigned int slot,
			uint64_t first, uint64_t overrun)
{
	struct {
		__le64 period;
		__le32 size;
		char entry[ENTRY];
		struct pcounter_record_header head;
	} __attribute((packed)) sample = { .size = ENTRY + sizeof(sample.head), .head = {
		.magic = htole32(PCOUNTER_RECORD_MAGIC),
		.version = htole16(PCOUNTER_RECORD_VERSION),
		.size = htole16(sizeof(sample.head)),
		.domain = htole16(1), .slot = htole16(slot), .first = htole64(first),
		.format = htole16(f->s.records ? PCOUNTER_RECORD_STREAM : PCOUNTER_RECORD_LONG),
		.used = htole16(f->used), .flags = htole16(f->sums),
		.periodic = htole16(f->periodic),
		.pair_cycle = htole64(cycle), .pair_time = htole64(time),
		.overrun = htole64(overrun),
	} };
	uint64_t aux[] = { f->said, f->head - f->said, f->flags };

	say(f, PERF_RECORD_SAMPLE, &sample, sizeof(sample));
	say(f, PERF_RECORD_AUX, aux, sizeof(aux));
	f->said = f->head;
	f->s.count.page->aux_head = f->head;
}

static void packet(struct fake *f, uint64_t cycle, unsigned int stop)
{
	struct pcounter_record_packet packet = { .stop = htole16(stop) };
	unsigned int i;

	for (i = 0; i < 3; i++)
		packet.cycles[i] = htole16(cycle >> 16 * i);
	memcpy(f->s.count.aux + f->head % AUX_SIZE, &packet, sizeof(packet));
	f->head += sizeof(packet);
}

static void packets(struct fake *f, unsigned int nr, uint64_t begin)
{
	unsigned int i;

	for (i = 1; i <= nr; i++)
		packet(f, begin + i * 1000, 1);
}

TEST(test_names_are_as_given)
{
	struct read_file file;
	struct fake f;

	fake_begin(&f);
	fake_read(&f, &file);
	assert_string_equal(file.stream[0].name[0], "sig=0x10,dom=1,record");
	assert_string_equal(file.stream[0].pmu, "pcounter_0");
	read_close(&file);
	fake_end(&f);
}

/*
 * Return the time in an epoch. An epoch is 100 packets of 1000 clocks at 1 GHz, and 1 ms
 * later than the previous one.
 */
static uint64_t time_of(unsigned int epoch, uint64_t cycle)
{
	return 1000000 * (1 + epoch) + cycle;
}

static void check_epochs(struct fake *f, unsigned int nr)
{
	struct clock clock = {};
	struct read_file file;
	struct read_walk walk;
	unsigned int i;
	s64 time;

	fake_read(f, &file);
	read_begin(&walk, &file.stream[0]);
	while (read_next(&walk, 1))
		clock_add(&clock, &walk);
	assert_int_equal(clock.nr, nr);
	clock_fit(&clock, &file.stream[0]);
	for (i = 0; i < nr; i++) {
		if (!clock_time(&clock, i, 100000, &time))
			fail_msg("epoch %u of %u has no times", i, nr);
		assert_true(fabs((double)time - time_of(i, 100000)) <= clock.epoch[i].error + 1);
	}
	free(clock.epoch);
	read_close(&file);
}

/* Recording has restarted with each drain, as with a small area, or within one. */
TEST(test_pairs_belong_to_their_packets)
{
	unsigned int epoch, at_once;
	struct fake f;

	for (at_once = 1; at_once <= 3; at_once++) {
		fake_begin(&f);
		f.s.time = time_of(0, 0);
		for (epoch = 0; epoch < 6; epoch++) {
			packets(&f, 50, 0);
			say_packets(&f, 50000, time_of(epoch, 50000), 0, 0, 0);
			packets(&f, 50, 50000);
			say_packets(&f, 100000, time_of(epoch, 100000), 0, 0, 0);
			if (epoch % at_once == at_once - 1)
				assert_true(stream_drain(&f.s, &f.file));
		}
		check_epochs(&f, 6);
		fake_end(&f);
	}
}

TEST(test_errors_of_pairs)
{
	struct read_file file;
	struct fake f;

	fake_begin(&f);
	f.s.time = 1000;
	/* the same packet as before it was enabled: nothing new */
	packets(&f, 1, 0);
	say_packets(&f, 1000, 900, 0, 0, 0);
	packets(&f, 1, 1000);
	say_packets(&f, 2000, 5000, 0, 0, 0);
	packets(&f, 1, 2000);
	say_packets(&f, 3000, 6000, 0, 0, 0);
	assert_true(stream_drain(&f.s, &f.file));
	fake_read(&f, &file);
	assert_int_equal(file.stream[0].nr_pairs, 2);
	assert_int_equal(file.stream[0].pair[0].cycle, 2000);
	assert_int_equal(file.stream[0].pair[0].time, 5000);
	assert_int_equal(file.stream[0].pair[0].error, 4000);
	assert_int_equal(file.stream[0].pair[1].error, 1000);
	read_close(&file);
	fake_end(&f);
}

TEST(test_packets_that_never_arrived)
{
	struct read_file file;
	struct fake f;

	fake_begin(&f);
	packets(&f, 10, 0);
	packet(&f, 0xffffffffffff, 0xffff);
	packets(&f, 5, 11000);
	say_packets(&f, 16000, 5000, 0, 0, 0);
	assert_true(stream_drain(&f.s, &f.file));
	assert_int_equal(f.s.count.page->aux_tail, f.head);
	fake_read(&f, &file);
	assert_int_equal(file.stream[0].packets, 15);
	assert_int_equal(file.stream[0].nr_runs, 2);
	assert_int_equal(file.stream[0].run[1].first, 11);
	read_close(&file);
	fake_end(&f);
}

/* Losses that packets show are counted here, since the kernel decodes none. */
TEST(test_losses_in_packets)
{
	struct pcounter_record_packet *third;
	struct read_file file;
	struct fake f;

	fake_begin(&f);
	packets(&f, 5, 0);
	packet(&f, 6000, 3);
	packet(&f, 7000, 0xf000);
	packets(&f, 2, 7000);
	third = (struct pcounter_record_packet *)f.s.count.aux + 2;
	third->ctr[0] = 0xffff;
	third[1].ctr[1] = 0xffff;
	say_packets(&f, 9000, 5000, 0, 9, 0);
	assert_true(stream_drain(&f.s, &f.file));
	fake_read(&f, &file);
	assert_int_equal(file.stream[0].loss[LOSS_MERGED], 2);
	assert_int_equal(file.stream[0].loss[LOSS_MISSING], 1);
	/* a counter that no event uses does not matter */
	assert_int_equal(file.stream[0].loss[LOSS_SATURATED], 1);
	assert_int_equal(file.stream[0].loss[LOSS_OVERRUN] + file.stream[0].loss[LOSS_GAPS], 0);
	read_close(&file);
	fake_end(&f);
}

/* Later rounds find the packet of the round before in the place of one that never arrived. */
TEST(test_packets_of_the_round_before)
{
	unsigned int round, nr = AUX_SIZE / sizeof(struct pcounter_record_packet);
	struct read_file file;
	struct fake f;

	fake_begin(&f);
	for (round = 0; round < 3; round++) {
		packets(&f, nr / 2, round * nr * 1000);
		if (round == 1)
			f.head += 2 * sizeof(struct pcounter_record_packet);
		packets(&f, nr / 2 - (round == 1 ? 2 : 0), round * nr * 1000 + nr * 500);
		say_packets(&f, (round + 1) * nr * 1000, time_of(0, 0), 0, round * nr, 0);
		assert_true(stream_drain(&f.s, &f.file));
	}
	fake_read(&f, &file);
	assert_int_equal(file.stream[0].loss[LOSS_MISSING], 2);
	assert_int_equal(file.stream[0].packets, 3 * nr - 2);
	assert_int_equal(f.s.times.begun, 1);
	read_close(&file);
	fake_end(&f);
}

/* The domain has been recorded before, or not. */
TEST(test_losses_of_others)
{
	static const unsigned int before[] = { 1000, 0 };
	struct read_file file;
	unsigned int i, own;
	struct fake f;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		own = before[i] ? 0 : 5;
		fake_begin(&f);
		packets(&f, 100, 0);
		say_packets(&f, 100000, 5000, 0, before[i] + 100, 5);
		packets(&f, 100, 100000);
		say_packets(&f, 200000, 6000, 0, before[i] + 200, 7);
		assert_true(stream_drain(&f.s, &f.file));
		fake_read(&f, &file);
		assert_int_equal(file.stream[0].loss[LOSS_OVERRUN], own + 2);
		assert_int_equal(file.stream[0].run[0].first, own);
		assert_int_equal(file.stream[0].run[1].first, own + 102);
		read_close(&file);
		fake_end(&f);
	}
}

/* The area was full at the end: later packets are missing. */
TEST(test_full_at_the_end)
{
	struct read_file file;
	struct fake f;

	fake_begin(&f);
	packets(&f, 100, 0);
	f.flags = PERF_AUX_FLAG_TRUNCATED;
	say_packets(&f, 100000, time_of(0, 100000), 0, 100, 0);
	f.s.times = (struct read_times){ .span = 5000000, .enabled = 100000, .running = 100000 };
	assert_true(stream_rest(&f.s, &f.file));
	assert_true(f.s.paused);
	assert_true(stream_lost(&f.s));
	assert_true(stream_end(&f.s, &f.file));
	fake_read(&f, &file);
	assert_int_equal(file.stream[0].loss[LOSS_GAPS], 1);
	read_close(&file);
	fake_end(&f);
}

/* Other events record the domain, and the kernel has moved our event to another counter. */
TEST(test_counters_elsewhere)
{
	static const struct {
		int planned;
		unsigned int real, used;
		bool good;
	} cases[] = {
		{ 0, 0, 1, true }, { 0, 1, 2, false }, { 2, 2, 4, true }, { 0, 0xffff, 1, false },
		{ PCOUNTER_NO_SLOT, 0xffff, 0, true }, { PCOUNTER_NO_SLOT, 0, 1, false },
		/* our event is in its place, but not alone */
		{ 0, 0, 3, false }, { PCOUNTER_NO_SLOT, 0xffff, 4, false },
	};
	struct read_file file;
	unsigned int i;
	struct fake f;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_begin(&f);
		f.s.verdict.slot[0] = cases[i].planned;
		f.used = cases[i].used;
		packets(&f, 10, 0);
		say_packets(&f, 10000, 5000, cases[i].real, 10, 0);
		assert_int_equal(stream_drain(&f.s, &f.file), cases[i].good);
		/* nor later, at the end of the run */
		assert_int_equal(stream_rest(&f.s, &f.file), cases[i].good);
		fake_read(&f, &file);
		assert_int_equal(file.stream[0].packets, 10 * cases[i].good);
		read_close(&file);
		fake_end(&f);
	}
}

/* ---- records of GF100 and later ---- */

/* Record two domains, 1 and 2, into one area. */
static void fake_records(struct fake *f)
{
	fake_begin(f);
	fclose(f->file.f);
	f->s.records = true;
	f->s.next = &f->other;
	f->other = (struct stream){
		.number = 1, .records = true, .ring = &f->s, .group = &f->group,
	};
	f->other.verdict.req[0].dom = 2;
	f->sums = PCOUNTER_RECORD_SUMS;
	f->periodic = PCOUNTER_PERIODIC_DEFAULT;
	assert_true(capture_create(&f->file, f->path, 1, true));
	assert_true(stream_describe(&f->s, &f->file) && stream_describe(&f->other, &f->file));
}

static void record(struct fake *f, uint64_t time, unsigned int id, unsigned int flags)
{
	struct pcounter_record_stream record = {
		.time = htole32(time), .time_high = time >> 32, .id = id, .flags = htole16(flags),
	};

	memcpy(f->s.count.aux + f->head % AUX_SIZE, &record, sizeof(record));
	f->head += sizeof(record);
}

static void check_loss(const struct stream *s, uint64_t missing, uint64_t merged, uint64_t gaps,
		       uint64_t delayed)
{
	const uint64_t want[LOSSES] = {
		[LOSS_MISSING] = missing, [LOSS_MERGED] = merged, [LOSS_GAPS] = gaps,
		[LOSS_DELAYED] = delayed,
	};

	for (unsigned int k = 0; k < LOSSES; k++)
		if (s->loss[k] != want[k])
			fail_msg("domain %u: %s %llu", s->verdict.req[0].dom, loss_name[k],
				 (unsigned long long)s->loss[k]);
}

TEST(test_records_of_two_domains)
{
	struct read_file file;
	struct read_walk walk;
	unsigned int i, n;
	struct fake f;

	fake_records(&f);
	for (i = 1; i <= 50; i++) {
		record(&f, 0xffffff0000 + i * 2048, 33, i);
		if (i % 2)
			record(&f, 0xffffff0000 + i * 2048 + 7, 34, (i / 2 + 4090) % 4096);
		/* a record that never arrived, one that was late, and two that were lost */
		if (i == 10)
			record(&f, ~0ULL, 0xff, 0xffff);
	}
	record(&f, 0x10000, 33, 53);
	record(&f, 0x11000, 34, 22 | PCOUNTER_RECORD_DELAYED);
	/* before the kernel's header nothing is known of the counters */
	f.s.count.page->aux_head = f.head;
	assert_true(stream_drain(&f.s, &f.file));
	assert_int_equal(f.s.tail, 0);
	say_packets(&f, 0x10000, 5000, 0, 78, 0);
	assert_true(stream_rest(&f.s, &f.file) && stream_rest(&f.other, &f.file));
	assert_int_equal(f.s.count.page->aux_tail, f.head);
	check_loss(&f.s, 2, 0, 0, 0);
	check_loss(&f.other, 0, 3, 0, 1);
	assert_true(stream_lost(&f.s) && !stream_lost(&f.other));
	assert_true(stream_end(&f.s, &f.file) && stream_end(&f.other, &f.file));
	assert_true(read_open(&file, f.path));
	assert_string_equal(file.why, "");
	assert_int_equal(file.nr, 2);
	for (i = 0; i < 2; i++) {
		assert_true(file.stream[i].ended && file.stream[i].run->sums);
		assert_int_equal(file.stream[i].nr_pairs, 1);
		assert_int_equal(file.stream[i].pair->cycle, 0x10000010000);
		for (n = 0, read_begin(&walk, &file.stream[i]); read_next(&walk, 1);)
			n++;
		assert_int_equal(n, i ? 26 : 51);
		assert_int_equal(n, (i ? &f.other : &f.s)->taken);
	}
	read_close(&file);
	fake_end(&f);
}

/* Recording begins anew where the area was full: numbers of requests do so, too. */
TEST(test_records_that_begin_anew)
{
	struct read_file file;
	struct read_walk walk;
	struct fake f;
	unsigned int i;

	fake_records(&f);
	for (i = 0; i < 2; i++) {
		record(&f, 0x1000 + i * 0x100000, 33, 1);
		record(&f, 0x2000 + i * 0x100000, 33, 2);
		f.flags = i ? 0 : PERF_AUX_FLAG_TRUNCATED;
		say_packets(&f, 0x2000 + i * 0x100000, 5000 + i * 100, 0, 2 * i, 0);
		assert_true(stream_drain(&f.s, &f.file));
		f.s.full = false;
	}
	assert_true(stream_rest(&f.s, &f.file));
	check_loss(&f.s, 0, 0, 1, 0);
	assert_true(read_open(&file, f.path));
	for (i = 0, read_begin(&walk, file.stream); read_next(&walk, 1); i++) {
		assert_int_equal(walk.number, i);
		assert_int_equal(walk.lost, 0);
		assert_int_equal(walk.joined, i % 2);
	}
	assert_int_equal(i, 4);
	read_close(&file);
	fake_end(&f);
}

/* What cannot be ends the recording, and is not in the file. */
TEST(test_records_that_cannot_be)
{
	static const struct {
		unsigned int id, flags;
		uint64_t time;
		bool good;
		unsigned int gaps;
		bool alone;
	} cases[] = {
		{ 33, 2, 0x1800, true, 0, false }, { 33, 2, 0x800, true, 1, false },
		{ 35, 2, 0x1800, false, 0, false }, { 0, 2, 0x1800, false, 0, false },
		{ 33, 2 | PCOUNTER_RECORD_HALF, 0x1800, false, 0, false },
		/* a GPU that does not number its only domain */
		{ 0, 2, 0x1800, true, 0, true }, { 34, 2, 0x1800, false, 0, true },
	};
	struct read_file file;
	unsigned int i;
	struct fake f;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_records(&f);
		if (cases[i].alone)
			f.s.next = NULL;
		record(&f, 0x1000, 33, 1);
		record(&f, cases[i].time, cases[i].id, cases[i].flags);
		say_packets(&f, 0x1000, 5000, 0, 2, 0);
		if (stream_drain(&f.s, &f.file) != cases[i].good)
			fail_msg("case %u", i);
		assert_int_equal(stream_rest(&f.s, &f.file), cases[i].good);
		if (cases[i].good)
			check_loss(&f.s, 0, 0, cases[i].gaps, 0);
		assert_true(read_open(&file, f.path));
		assert_int_equal(file.stream[0].run->nr, 1 + cases[i].good);
		read_close(&file);
		fake_end(&f);
	}
}

/* A file whose periods are not those of the GPU would show wrong shares. */
TEST(test_records_of_another_period)
{
	static const struct {
		unsigned int asked, second, periodic;
		bool good;
	} cases[] = {
		{ 0, 0, 5, true }, { 7, 0, 7, true }, { 0, 7, 7, true }, { 0, 0, 6, false },
		{ 7, 0, 5, false }, { 1, 0, 0, false }, { 1, 0, 0xffff, false },
	};
	unsigned int i;
	struct fake f;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_records(&f);
		f.group.nr = 2;
		f.s.verdict.req[0].set.periodic = cases[i].asked;
		f.s.verdict.req[1].set.periodic = cases[i].second;
		f.periodic = cases[i].periodic;
		record(&f, 0x1000, 33, 1);
		say_packets(&f, 0x1000, 5000, 0, 2, 0);
		if (stream_drain(&f.s, &f.file) != cases[i].good)
			fail_msg("case %u", i);
		assert_int_equal(f.s.taken, cases[i].good);
		fake_end(&f);
	}
}

static off_t size_of(const struct fake *f)
{
	struct stat stat;

	assert_int_equal(fstat(fileno(f->file.f), &stat), 0);
	return stat.st_size;
}

/* Room comes back after a torn block: a later write would become part of it. */
TEST(test_nothing_after_a_failed_write)
{
	struct rlimit old, limit;
	struct read_file file;
	struct fake f;
	off_t size;

	signal(SIGXFSZ, SIG_IGN);
	fake_begin(&f);
	packets(&f, 100, 0);
	say_packets(&f, 100000, 5000, 0, 100, 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = size_of(&f) + 1000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_false(stream_drain(&f.s, &f.file));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	size = size_of(&f);
	assert_int_equal(size, limit.rlim_cur);
	packets(&f, 100, 100000);
	say_packets(&f, 200000, 6000, 0, 200, 0);
	assert_false(stream_drain(&f.s, &f.file));
	assert_false(stream_rest(&f.s, &f.file));
	assert_int_equal(size_of(&f), size);
	assert_true(read_open(&file, f.path));
	assert_string_equal(file.why, "");
	assert_true(file.cut > 0);
	read_close(&file);
	fake_end(&f);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
