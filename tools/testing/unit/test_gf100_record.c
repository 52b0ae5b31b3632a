// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of GF100 and later (hw:stream): the driver's streams on the model's records.
 * Under both readings of each open question counts are right, or the domain stops.
 */
#include "gf100_test.h"
#include "hw/record.h"
#include "rules/terms.h"

TEST(test_counts)
{
	static const char *const names[] = { "gf100", "gf119", "gk104", "gk110", "gk208" };

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		for (unsigned int n = 0; n < MOST; n++) {
			struct pcounter_domain *d;
			struct group grp;

			begin_chip(names[i]);
			d = hub(2);
			grp = signals_of(d, 0, n);
			start_on(d, &grp);
			run_and_poll(30, 5000);
			if (d->unit.fault)
				fail_msg("%s: %s", names[i], pcounter_fault_text[d->unit.fault]);
			check_parts(d, &grp, 0);
			assert_in_range(count(d, &grp, n), 60 * STREAM_PERIOD, 300000);
			assert_int_equal(d->stream->loss.overrun + d->stream->loss.missing +
					 d->stream->loss.gaps + d->stream->loss.merged, 0);
			stop_on(d, &grp);
			end_stream(false);
		}
}

#define RIGHT(q)		{ .quirk = q }
#define REFUSED(q, f)		{ .quirk = q, .fault = PCOUNTER_FAULT_##f }
/* The memory is kept, since the unit may still write to it. */
#define KEPT(q, f)		{ .quirk = q, .fault = PCOUNTER_FAULT_##f, .kept = true }

/* All readings: right, or refused with a reason. */
TEST(test_readings)
{
	static const struct {
		const char *quirk;
		enum pcounter_fault fault;
		bool kept;
	} rows[] = {
		RIGHT("quirk stream_id 1"),
		RIGHT("quirk stream_id 2"),
		RIGHT("quirk stream_sum 1"),
		RIGHT("quirk stream_bind_first 1"),
		RIGHT("quirk stream_overwrite 1"),
		RIGHT("quirk stream_clear 1"),
		KEPT("quirk stream_empty 1", RECORD),
		RIGHT("quirk stream_empty 2"),
		RIGHT("quirk stream_clock 1"),
		RIGHT("quirk stream_clock 2"),
		REFUSED("quirk stream_short 1", RECORDS),
		REFUSED("quirk stream_short 2", RECORDS),
		RIGHT("quirk stream_word_6 1"),
		RIGHT("quirk stream_fault 1"),
		RIGHT("quirk stream_fault 2"),
		REFUSED("quirk stream_mode 1", NO_PERIOD),
		REFUSED("quirk stream_mode 2", RECORDS),
		RIGHT("quirk stream_position 1"),
		RIGHT("quirk stream_position 2"),
		RIGHT("quirk stream_request 1"),
		REFUSED("quirk stream_request 2", SUMS),
		RIGHT("quirk stream_restart 1"),
		RIGHT("quirk stream_restart 2"),
		RIGHT("quirk stream_restart 3"),
		RIGHT("quirk stream_latency 100"),
		RIGHT("quirk stream_latency 3000"),
		RIGHT("quirk stream_latency 100; quirk stream_count_late 1"),
		RIGHT("quirk stream_latency 100; quirk stream_count_late 3000"),
		RIGHT("quirk stream_split 30"),
		RIGHT("quirk stream_latency 400; quirk stream_split 700"),
		RIGHT("quirk stream_wrap 1"),
		RIGHT("quirk stream_delay_latched 1"),
		RIGHT("quirk stream_sum 1; quirk wrap32 1"),
		KEPT("quirk no_system_channel 1", RECORD),
		KEPT("quirk pde_bit_0 1", RECORD),
		KEPT("stream fault 1", RECORD),
		REFUSED("stream vanish 1", LATE),
		REFUSED("quirk stream_fault 1; stream fault 1", LATE),
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned int n = 1; n <= MOST; n += n == 1 ? 2 : 1) {
			char line[200], *next = line, *part;
			struct pcounter_domain *d;
			struct group grp;

			begin_chip("gk104");
			d = hub(2);
			snprintf(line, sizeof(line), "%s", rows[i].quirk);
			while ((part = strsep(&next, ";")))
				say("%s", part + strspn(part, " "));
			grp = signals_of(d, 0, n);
			start_on(d, &grp);
			for (unsigned int k = 0; k < 60; k++) {
				pcmodel_run(g.m, 5000 + 37 * k);
				poll_after(20 * NSEC_PER_MSEC);
				pcounter_gpu_commit(&g.gpu);
			}
			if (d->unit.fault != rows[i].fault)
				fail_msg("%s, %u signals: %s", rows[i].quirk, n,
					 pcounter_fault_text[d->unit.fault]);
			check_parts(d, &grp, 0);
			if (!rows[i].fault)
				assert_true(count(d, &grp, n) > 200 * STREAM_PERIOD);
			else
				assert_true(count(d, &grp, n) < 20 * STREAM_PERIOD);
			stop_on(d, &grp);
			end_stream(rows[i].kept);
		}
}

/* A second run begins somewhere in the ring, unless the unit keeps its position. */
TEST(test_again)
{
	for (unsigned int reading = 0; reading < 4; reading++) {
		struct pcounter_domain *d;
		struct group grp;

		begin_chip("gk104");
		say("quirk stream_restart %u", reading);
		d = hub(2);
		for (unsigned int round = 0; round < 3; round++) {
			bool lost = reading & 1 && round;

			grp = signals_of(d, 0, 2);
			start_on(d, &grp);
			for (unsigned int k = 0; k < 20; k++) {
				pcmodel_run(g.m, 5000);
				poll_after(5 * NSEC_PER_MSEC);
			}
			assert_int_equal(d->unit.fault, lost ? PCOUNTER_FAULT_LATE : PCOUNTER_OK);
			check_parts(d, &grp, 0);
			assert_int_equal(count(d, &grp, 2) > 40 * STREAM_PERIOD, !lost);
			stop_on(d, &grp);
			g.step = 0;
		}
		end_stream(false);
	}
}

/* All inputs have events: the first records prove something, and count nothing. */
TEST(test_four_signals)
{
	for (unsigned int sums = 0; sums < 2; sums++)
		for (unsigned int known = 0; known < 2; known++) {
			struct pcounter_domain *d;
			struct group grp;

			begin_chip("gf100");
			say("quirk stream_sum %u", sums);
			d = hub(1);
			if (known) {
				grp = signals_of(d, 1, 2);
				start_on(d, &grp);
				run_and_poll(5, 5000);
				stop_on(d, &grp);
				g.step = 0;
			}
			grp = signals_of(d, 0, 4);
			start_on(d, &grp);
			run_and_poll(2, 5000);
			pcounter_gpu_commit(&g.gpu);
			run_and_poll(20, 5000);
			assert_int_equal(d->unit.fault, PCOUNTER_OK);
			check_parts(d, &grp, 0);
			assert_in_range(count(d, &grp, 4), 80 * STREAM_PERIOD, 110 * STREAM_PERIOD);
			assert_int_equal(d->stream->loss.overrun, 0);
			stop_on(d, &grp);
			end_stream(false);
		}
}

/* A full ring: told, and counted on. */
TEST(test_overflow)
{
	static const char *const quirks[] = {
		"quirk stream_sum 0", "quirk stream_sum 1", "quirk stream_overwrite 1",
		"quirk stream_clear 1", "quirk stream_latency 200",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(quirks); i++) {
		struct pcounter_domain *d;
		struct group grp;
		u64 before;

		begin_chip("gk104");
		say("%s", quirks[i]);
		d = hub(2);
		grp = signals_of(d, 0, 2);
		start_on(d, &grp);
		for (unsigned int round = 1; round < 4; round++) {
			run_and_poll(10, 5000);
			assert_int_equal(d->stream->loss.gaps, round - 1);
			before = count(d, &grp, 2);
			pcmodel_run(g.m, 2100 * STREAM_PERIOD);
			run_and_poll(4, 5000);
			assert_int_equal(d->unit.fault, PCOUNTER_OK);
			assert_int_equal(d->stream->loss.gaps, round);
			assert_int_equal(d->stream->loss.overrun, 2048 * round);
			assert_true(count(d, &grp, 2) - before < 25 * STREAM_PERIOD);
			check_parts(d, &grp, 0);
		}
		stop_on(d, &grp);
		end_stream(false);
	}
}

/* Late records are told; what they count is right in both readings. */
TEST(test_delays)
{
	for (unsigned int latched = 0; latched < 2; latched++) {
		struct pcounter_domain *d;
		struct group grp;

		begin_chip("gk104");
		say("quirk stream_delay_latched %u", latched);
		d = hub(2);
		grp = signals_of(d, 0, 2);
		start_on(d, &grp);
		for (unsigned int k = 0; k < 20; k++) {
			say("stream delay hub2 %u", 7 * k + 1);
			run_and_poll(1, 5000);
		}
		assert_int_equal(d->unit.fault, PCOUNTER_OK);
		assert_in_range(d->stream->loss.merged, 18, 20);
		check_parts(d, &grp, 0);
		stop_on(d, &grp);
		end_stream(false);
	}
}

/* Single bits of a record's first words, which nothing may believe. */
TEST(test_lies)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		bool samples = bit >= 48 && bit < 61, time = bit < 40;
		struct pcounter_domain *d;
		struct group grp;

		begin_chip("gk104");
		d = hub(2);
		grp = signals_of(d, 0, 2);
		start_on(d, &grp);
		run_and_poll(5, 5000);
		say("stream flip %u 0x%x", bit / 32, 1u << bit % 32);
		for (unsigned int k = 0; k < 10; k++) {
			pcmodel_run(g.m, 5000);
			poll_after(10 * NSEC_PER_MSEC);
		}
		if (!samples && !time)
			assert_int_equal(d->unit.fault, bit == 62 ? PCOUNTER_FAULT_LATE :
					 PCOUNTER_FAULT_RECORDS);
		else if (samples)
			assert_int_equal(d->unit.fault, PCOUNTER_OK);
		else
			assert_true(d->unit.fault == PCOUNTER_OK ||
				    d->unit.fault == PCOUNTER_FAULT_RECORDS);
		check_parts(d, &grp, 0);
		stop_on(d, &grp);
		end_stream(false);
	}
}

/* Registers that lie: all ones, error patterns, impossible numbers. */
TEST(test_registers)
{
	static const struct {
		u32 addr, val;
		enum pcounter_fault fault;
	} rows[] = {
		{ GF100_RECORD_BYTES, 16, PCOUNTER_FAULT_POSITION },
		{ GF100_RECORD_BYTES, 0x10020, PCOUNTER_FAULT_POSITION },
		{ GF100_RECORD_BYTES, 0x80000000, PCOUNTER_FAULT_POSITION },
		{ GF100_RECORD_BYTES, ~0u, PCOUNTER_FAULT_DEAD },
		{ GF100_RECORD_BYTES, 0xbad00100, PCOUNTER_FAULT_DEAD },
		/* places that no record has reached are still empty */
		{ GF100_RECORD_BYTES, 0x8000, PCOUNTER_OK },
		{ GF100_RECORD_STATUS, ~0u, PCOUNTER_FAULT_DEAD },
		{ GF100_RECORD_STATUS, 6, PCOUNTER_FAULT_RECORD },
		{ GF100_RECORD_CTRL, ~0u, PCOUNTER_FAULT_DEAD },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcounter_domain *d;
		struct group grp;

		begin_chip("gk104");
		d = hub(2);
		grp = signals_of(d, 0, 2);
		start_on(d, &grp);
		run_and_poll(5, 5000);
		say("fault sticky 0x%x 0x%x", rows[i].addr, rows[i].val);
		for (unsigned int k = 0; k < 5; k++) {
			pcmodel_run(g.m, 5000);
			poll_after(20 * NSEC_PER_MSEC);
		}
		if (d->unit.fault != rows[i].fault)
			fail_msg("row %u: %s", i, pcounter_fault_text[d->unit.fault]);
		check_parts(d, &grp, 0);
		say("fault none");
		stop_on(d, &grp);
		end_stream(false);
	}
}

/* ---- several domains in one ring ---- */

TEST(test_domains)
{
	struct pcounter_domain *d[8];
	struct group grp[8];

	for (unsigned int n = 2; n <= 8; n += 3)
		for (unsigned int sums = 0; sums < 2; sums++) {
			begin_chip("gk104");
			say("quirk stream_sum %u", sums);
			say("clock hub1 3/2");
			for (unsigned int i = 0; i < n; i++) {
				d[i] = hub(i);
				grp[i] = signals_of(d[i], i % 3, 2);
				start_on(d[i], &grp[i]);
				run_and_poll(2, 5000);
			}
			run_and_poll(40, 5000);
			for (unsigned int i = 0; i < n; i++) {
				assert_int_equal(d[i]->unit.fault, PCOUNTER_OK);
				check_parts(d[i], &grp[i], i % 3);
				assert_in_range(count(d[i], &grp[i], 2), 150 * STREAM_PERIOD,
						400 * STREAM_PERIOD);
				assert_int_equal(d[i]->stream->loss.overrun, 0);
			}
			/* the others go on */
			for (unsigned int i = 0; i < n; i++) {
				stop_on(d[i], &grp[i]);
				g.step = 0;
				run_and_poll(2, 5000);
				for (unsigned int k = i + 1; k < n; k++)
					assert_int_equal(d[k]->unit.fault, PCOUNTER_OK);
			}
			end_stream(false);
		}
}

/* Without ids there is one domain at a time. */
TEST(test_no_ids)
{
	struct group grp[2];

	begin_chip("gk104");
	say("quirk stream_id 2");
	for (unsigned int i = 0; i < 2; i++)
		grp[i] = signals_of(hub(i), 0, 2);
	start_on(hub(0), &grp[0]);
	start_on(hub(1), &grp[1]);
	run_and_poll(5, 5000);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(hub(i)->unit.fault, PCOUNTER_FAULT_RECORDS);
		stop_on(hub(i), &grp[i]);
		g.step = 0;
	}
	start_on(hub(0), &grp[0]);
	run_and_poll(5, 5000);
	assert_int_equal(hub(0)->unit.fault, PCOUNTER_OK);
	assert_int_equal(pcounter_record_get(hub(1)), -EOPNOTSUPP);
	assert_true(count(hub(0), &grp[0], 2));
	stop_on(hub(0), &grp[0]);
	end_stream(false);
}

TEST(test_reader)
{
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int n = i & 1 ? 8 : 1;
		bool late = i & 2;
		struct group grp[8];

		begin_chip("gk104");
		shim_pages_seen = true;
		for (unsigned int i = 0; i < n; i++) {
			grp[i] = signals_of(hub(i), 0, 2);
			assert_int_equal(pcounter_record_get(hub(i)), 0);
			if (late)
				assert_true(group_start(&grp[i]));
		}
		/* an area of domains that record already */
		if (late)
			run_and_poll(5, 20000);
		map_area(hub(0), 16, n);
		if (late)
			run_and_poll(2, 20000);
		assert_int_equal(PTR_ERR(pcounter_reader_add(hub(0), area.pages, 16, false, n)),
				 -EBUSY);
		assert_int_equal(pcounter_record_get(hub(n % 8)), -EBUSY);
		give_room(hub(0));
		for (unsigned int i = 0; i < n && !late; i++)
			assert_true(group_start(&grp[i]));
		pcounter_gpu_commit(&g.gpu);
		/* a reader that keeps up loses nothing */
		for (unsigned int k = 0; k < 500; k++) {
			pcmodel_run(g.m, 20000);
			poll();
			for (unsigned int i = 0; i < n; i++)
				if (hub(i)->unit.fault)
					fail_msg("%s", pcounter_fault_text[hub(i)->unit.fault]);
			read_area(hub(0));
		}
		assert_in_range(area.seen, 9500 * n, 9800 * n);
		if (!late)
			assert_int_equal(hub(0)->stream->loss.gaps, 0);
		for (unsigned int i = 0; i < n; i++)
			assert_int_equal(hub(i)->stream->loss.overrun, 0);
		for (unsigned int i = 0; i < n; i++)
			group_stop(&grp[i]);
		g.step = 50;
		pcounter_reader_del(hub(0), area.ring);
		for (unsigned int i = 0; i < n; i++)
			pcounter_record_put(hub(i));
		assert_int_equal(pages_mapped(), 0);
		shim_pages_seen = false;
		free(area.memory);
		end_stream(false);
	}
}

/* An area gets no record in which an event has lent its input. */
TEST(test_reader_of_four)
{
	struct group grp;

	begin_chip("gk104");
	shim_pages_seen = true;
	grp = signals_of(hub(0), 0, 4);
	assert_int_equal(pcounter_record_get(hub(0)), 0);
	map_area(hub(0), 16, 1);
	give_room(hub(0));
	assert_true(group_start(&grp));
	for (unsigned int k = 0; k < 50; k++) {
		pcmodel_run(g.m, 20000);
		poll();
		pcounter_gpu_commit(&g.gpu);
		if (hub(0)->unit.fault)
			fail_msg("%s", pcounter_fault_text[hub(0)->unit.fault]);
		read_area(hub(0));
	}
	assert_in_range(area.seen, 900, 960);
	assert_in_range(area.halves, area.seen - 1, area.seen);
	group_stop(&grp);
	g.step = 50;
	pcounter_reader_del(hub(0), area.ring);
	pcounter_record_put(hub(0));
	shim_pages_seen = false;
	free(area.memory);
	end_stream(false);
}

/* A reader that is too slow: the area is full, it reads all, and records begin anew. */
TEST(test_slow_reader)
{
	struct group grp;

	begin_chip("gk104");
	shim_pages_seen = true;
	grp = signals_of(hub(0), 0, 2);
	assert_int_equal(pcounter_record_get(hub(0)), 0);
	map_area(hub(0), 16, 1);
	give_room(hub(0));
	assert_true(group_start(&grp));
	for (unsigned int round = 0; round < 5; round++) {
		u64 seen;

		for (unsigned int k = 0; k < 30; k++) {
			pcmodel_run(g.m, 20 * STREAM_PERIOD);
			poll();
			read_area(hub(0));
		}
		assert_int_equal(hub(0)->stream->loss.gaps, 2 * round);
		for (unsigned int k = 0; k < 4; k++) {
			pcmodel_run(g.m, 700 * STREAM_PERIOD);
			poll();
			area.head += pcounter_reader_give(hub(0)->stream);
		}
		assert_true(area.head - area.tail <= area.size - 32);
		assert_true(pcounter_reader_is_full(hub(0)->stream));
		area.tail = area.head;
		give_room(hub(0));
		pcounter_gpu_commit(&g.gpu);
		run_and_poll(4, STREAM_PERIOD);
		assert_false(pcounter_reader_is_full(hub(0)->stream));
		seen = area.seen;
		area.seen = 0;
		read_area(hub(0));
		area.seen += seen;
	}
	assert_int_equal(hub(0)->unit.fault, PCOUNTER_OK);
	group_stop(&grp);
	g.step = 50;
	pcounter_reader_del(hub(0), area.ring);
	pcounter_record_put(hub(0));
	shim_pages_seen = false;
	free(area.memory);
	end_stream(false);
}

/* A domain stops and begins again while another goes on: its old records count nothing. */
TEST(test_join)
{
	static const unsigned int latencies[] = { 0, 300, 5000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(latencies); i++) {
		struct group grp, other, next;

		begin_chip("gk104");
		say("quirk stream_latency %u", latencies[i]);
		say("quirk stream_sum %u", i % 2);
		grp = signals_of(hub(0), 0, 2);
		other = signals_of(hub(1), 0, 2);
		next = signals_of(hub(1), 2, 2);
		start_on(hub(0), &grp);
		for (unsigned int round = 0; round < 10; round++) {
			start_on(hub(1), &other);
			run_and_poll(3, 5000);
			check_parts(hub(1), &other, 0);
			/* another group, with other signals in the same counters */
			group_stop(&other);
			assert_true(group_start(&next));
			run_and_poll(7, 5000);
			check_parts(hub(1), &next, 2);
			assert_true(count(hub(1), &next, 2));
			group_stop(&next);
			pcounter_record_put(hub(1));
			run_and_poll(1, 5000);
		}
		check_parts(hub(0), &grp, 0);
		assert_int_equal(hub(0)->unit.fault, PCOUNTER_OK);
		stop_on(hub(0), &grp);
		end_stream(false);
	}
}

/* Everything ends while a reader has the records of two domains. */
TEST(test_ends)
{
	for (unsigned int way = 0; way < 3; way++) {
		struct group grp[2];

		begin_chip("gk104");
		shim_pages_seen = true;
		for (unsigned int i = 0; i < 2; i++) {
			grp[i] = signals_of(hub(i), 0, 1);
			assert_int_equal(pcounter_record_get(hub(i)), 0);
		}
		map_area(hub(0), 16, 2);
		give_room(hub(0));
		for (unsigned int i = 0; i < 2; i++)
			assert_true(group_start(&grp[i]));
		for (unsigned int k = 0; k < 5; k++) {
			pcmodel_run(g.m, 20000);
			poll();
			read_area(hub(0));
		}
		g.step = 50;
		if (way == 0)
			pcounter_record_stop_all(&g.gpu, -ENODEV);
		else if (way == 1)
			pcmodel_wr32(g.m, GF100_RECORD_CHAN, 0);
		pcounter_reader_del(hub(0), area.ring);
		assert_int_equal(pages_mapped(), 0);
		for (unsigned int i = 0; i < 2; i++) {
			if (way != 1)
				assert_int_equal(hub(i)->unit.fault, PCOUNTER_FAULT_RECORD_LOST);
			group_stop(&grp[i]);
			pcounter_record_put(hub(i));
		}
		shim_pages_seen = false;
		free(area.memory);
		end_stream(false);
	}
}

#include "gf100_sound_test.h"

/* Only with unverified=1, and not on GM107 and later. */
TEST(test_gate)
{
	static const struct {
		const char *chip;
		bool unverified, record, packets;
	} rows[] = {
		{ "gt215", false, true, true }, { "gt215", true, true, true },
		{ "gf100", false, false, false }, { "gf100", true, true, false },
		{ "gk208", false, false, false }, { "gk208", true, true, false },
		{ "gm107", true, false, false }, { "g80", true, false, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		pcounter_unverified = rows[i].unverified;
		begin(rows[i].chip);
		assert_int_equal(!!g.gpu.record_mode, rows[i].record);
		assert_int_equal(pcounter_term_supported(PCOUNTER_TERM_RECORD, g.gpu.topo.caps),
				 rows[i].record);
		assert_int_equal(pcounter_term_supported(PCOUNTER_TERM_SHORT, g.gpu.topo.caps),
				 rows[i].packets);
		gpu_free();
	}
}

/* A box takes the records of its own domain: eight of them fill as slowly as one. */
TEST(test_interval)
{
	struct group grp[8];
	u64 one = 0;

	begin_chip("gk104");
	pcounter_record_ring_kb = 1024;
	for (unsigned int i = 0; i < 8; i++) {
		grp[i] = signals_of(hub(i), 0, 2);
		start_on(hub(i), &grp[i]);
		run_and_poll(4, 2 * STREAM_PERIOD);
		one = one ?: pcounter_gpu_collect_ns(&g.gpu);
		assert_int_equal(pcounter_gpu_collect_ns(&g.gpu), one);
	}
	for (unsigned int i = 0; i < 8; i++)
		stop_on(hub(i), &grp[i]);
	end_stream(false);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
