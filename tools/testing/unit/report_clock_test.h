/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "pcounter report": generate clocks with known rates, and check the estimates from
 * their pairs.
 */
#ifndef _TEST_REPORT_CLOCK_H
#define _TEST_REPORT_CLOCK_H

static void clock_of(const struct made *made, struct read_file *file, struct clock *clock)
{
	struct read_walk walk;

	assert_true(read_parse(file, made->data, made->size));
	*clock = (struct clock){};
	read_begin(&walk, &file->stream[0]);
	while (read_next(&walk, 1))
		clock_add(clock, &walk);
	clock_fit(clock, &file->stream[0]);
}

/* Make a clock of 543.21 MHz; pairs are late by a random time up to the stated error. */
static void make_clock(struct made *made, u64 error, unsigned int epochs)
{
	static const u16 count[COUNTERS];
	unsigned int epoch, i;
	size_t block;

	rng = error;
	made_begin(made, 0, 0);
	made_stream(made, 0, 1, 0, 0, 0, names);
	for (epoch = 0; epoch < epochs; epoch++) {
		for (i = 1; i <= 50; i++) {
			u64 cycle = i * 1000000ULL;
			u64 time = 1000000000ULL * (1 + epoch) + cycle / 0.54321;

			block = made_packets(made, 0, epoch * 50 + i);
			made_packet(made, block, 0, cycle, 1, count);
			made_pair(made, 0, cycle, time + (error ? rnd(error) : 0), error);
		}
	}
	made_end(made, 0);
}

/*
 * Check times against the stated error, with a little room for rounding. Some pairs are
 * hardly late, so times are right to a fraction of a pair's error.
 */
static void check_times(const struct clock *clock, unsigned int epoch, u64 late)
{
	static const u64 cycles[] = { 1000000, 25000000, 50000000 };
	double want;
	unsigned int i;
	s64 time;

	for (i = 0; i < ARRAY_SIZE(cycles); i++) {
		want = 1e9 * (1 + epoch) + cycles[i] / 0.54321;
		assert_true(clock_time(clock, epoch, cycles[i], &time));
		assert_true(fabs(time - want) <= 1.05 * clock->epoch[epoch].error + 2);
		assert_true(fabs(time - want) <= late / 4.0 + 2);
	}
}

TEST(test_clock_and_its_bounds)
{
	static const u64 errors[] = { 1, 100, 10000, 1000000 };
	struct clock clock;
	struct read_file file;
	struct made made;
	unsigned int i, epoch;
	s64 time;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		make_clock(&made, errors[i], 3);
		clock_of(&made, &file, &clock);
		assert_int_equal(clock.nr, 3);
		assert_false(clock.bent);
		/* rounding to ns limits the precision */
		assert_true(clock.hz_min <= 543210000 + 20 && clock.hz_max >= 543210000 - 20);
		/* two ends of 90 ms, each late by the error, would leave more */
		assert_true(clock.hz_max - clock.hz_min <= 543210000 * errors[i] / 45e6 + 30);
		for (epoch = 0; epoch < 3; epoch++) {
			check_times(&clock, epoch, errors[i]);
			assert_true(clock.epoch[epoch].error <= errors[i] + 1);
		}
		assert_false(clock_time(&clock, 3, 0, &time));
		free(clock.epoch);
		read_close(&file);
		made_free(&made);
	}
}

/*
 * Make a second at 600 MHz like a recording: one pair per poll (67 ms), of the newest
 * packet, which may be as old as the previous poll.
 */
static void make_polls(struct made *made, u64 first_error)
{
	static const u16 count[COUNTERS];
	const u64 poll = 67000000;
	unsigned int i;
	size_t block;

	made_begin(made, 0, 0);
	made_stream(made, 0, 1, 0, 0, 0, names);
	for (i = 1; i <= 15; i++) {
		u64 cycle = i * poll * 6 / 10;

		block = made_packets(made, 0, i);
		made_packet(made, block, 0, cycle, 1, count);
		made_pair(made, 0, cycle, 1000000000 + i * poll, i == 1 ? first_error : poll);
	}
	made_end(made, 0);
}

/* Some captures claim that the first pair is exact to the ns. */
TEST(test_clock_of_polls)
{
	static const u64 errors[] = { 67000000, 0 };
	struct clock clock;
	struct read_file file;
	struct made made;
	unsigned int i;
	s64 time;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		make_polls(&made, errors[i]);
		clock_of(&made, &file, &clock);
		assert_false(clock.bent);
		assert_true(clock.hz_min < 600000001 && clock.hz_max > 599999999);
		/* with a correct error the bounds are the same at all pairs */
		if (errors[i])
			assert_true(fabs(clock.hz - 600000000) < 100000);
		assert_true(clock_time(&clock, 0, 15 * 40200000, &time));
		assert_true(fabs((double)time - 2005000000) <= clock.epoch[0].error + 1);
		assert_true(clock.epoch[0].error <= 67000001);
		free(clock.epoch);
		read_close(&file);
		made_free(&made);
	}
}

#endif
