/* SPDX-License-Identifier: GPL-2.0-only */
/* "pcounter report": a window cuts packets that are added up together. */
#ifndef _TEST_REPORT_WINDOW_H
#define _TEST_REPORT_WINDOW_H

/* Add up the packets of a window, at most @most of them together. */
static struct tally *tally_window(struct report *report, struct report_stream *rs,
				  unsigned int most)
{
	/* tiles of a thousand packets */
	struct tally *tally = stat_begin(1000 * STAT_TILES, rs->s->period, rs->counters);
	struct read_walk walk;

	report->taken = 0;
	read_begin(&walk, rs->s);
	while (report_take(report, rs, &walk, min(most, stat_room(tally))))
		stat_add(tally, &walk);
	assert_int_equal(tally->packets, report->taken);
	return tally;
}

/* A window cuts packets that are taken together, at both ends or inside of them. */
TEST(test_windows_cut_packets_taken_together)
{
	/* in s: 8 packets at 600 MHz are 13.7 us */
	static const double ends[] = {
		NAN, -1, 0, 0.000004, 0.000013, 0.000014, 0.005, 0.008, 0.009, 9
	};
	struct report report = {};
	struct report_stream rs = { .counters = GENMASK(READ_COUNTERS - 1, 0) };
	struct tally *one, *all;
	struct read_walk walk;
	struct made made;
	unsigned int i;

	made_many(&made, 6000);
	assert_true(read_parse(&report.file, made.data, made.size));
	rs.s = report.file.stream;
	for (read_begin(&walk, rs.s); read_next(&walk, READ_MANY);)
		clock_add(&rs.clock, &walk);
	clock_fit(&rs.clock, rs.s);
	for (i = 0; i < ARRAY_SIZE(ends) * ARRAY_SIZE(ends); i++) {
		report.from = ends[i / ARRAY_SIZE(ends)];
		report.to = ends[i % ARRAY_SIZE(ends)];
		one = tally_window(&report, &rs, 1);
		all = tally_window(&report, &rs, READ_MANY);
		assert_int_equal(all->packets, one->packets);
		assert_int_equal(all->cycles, one->cycles);
		assert_memory_equal(all->bin, one->bin, sizeof(one->bin));
		assert_int_equal(all->signal[11].best[BUSY], one->signal[11].best[BUSY]);
		assert_int_equal(all->signal[0].total, one->signal[0].total);
		free(one);
		free(all);
	}
	free(rs.clock.epoch);
	read_close(&report.file);
	made_free(&made);
}

#endif
