/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of GF100 and later while something else happens: registers that lie, clocks that
 * stand, another driver, memory that goes away.
 */
#ifndef _TEST_GF100_SOUND_H
#define _TEST_GF100_SOUND_H

/* A domain joins others while registers lie: nothing is believed, and it counts later. */
TEST(test_join_lies)
{
	static const struct {
		u32 addr, val;
	} rows[] = {
		{ GF100_RECORD_BYTES, ~0u }, { GF100_RECORD_BYTES, 0xbad00110 },
		{ GF100_RECORD_BYTES, 0x80000000 }, { GF100_RECORD_STATUS, ~0u },
		{ GF100_RECORD_STATUS, 0xbad00110 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct group grp[2];

		begin_chip("gk104");
		for (unsigned int k = 0; k < 2; k++)
			grp[k] = signals_of(hub(k), 0, 2);
		start_on(hub(0), &grp[0]);
		run_and_poll(5, 5000);
		assert_int_equal(pcounter_record_get(hub(1)), 0);
		say("fault sticky 0x%x 0x%x", rows[i].addr, rows[i].val);
		assert_true(group_start(&grp[1]));
		say("fault none");
		run_and_poll(1000, 1000);
		for (unsigned int k = 0; k < 2; k++) {
			if (hub(k)->unit.fault)
				fail_msg("row %u: %s", i, pcounter_fault_text[hub(k)->unit.fault]);
			assert_true(count(hub(k), &grp[k], 2) > 700 * STREAM_PERIOD);
			check_parts(hub(k), &grp[k], 0);
			stop_on(hub(k), &grp[k]);
			g.step = 0;
		}
		end_stream(false);
	}
}

/* The clocks of two CPUs differ a little, and what was late once may be late again. */
TEST(test_late_clock)
{
	struct pcounter_domain *d;
	struct group grp;

	begin_chip("gk104");
	d = hub(2);
	grp = signals_of(d, 0, 2);
	start_on(d, &grp);
	run_and_poll(5, 5000);
	for (unsigned int k = 0; k < 3; k++) {
		say("fault sticky 0x%x 0x8000", GF100_RECORD_BYTES);
		poll();
		shim_clock -= 1000;
		poll_after(0);
		assert_int_equal(d->unit.fault, PCOUNTER_OK);
		say("fault none");
		poll_after(30 * NSEC_PER_MSEC);
	}
	run_and_poll(5, 5000);
	assert_int_equal(d->unit.fault, PCOUNTER_OK);
	stop_on(d, &grp);
	end_stream(false);
}

/* Nothing is written to a domain that somebody else has taken. */
TEST(test_foreign)
{
	static const u32 others[] = { 1, 2, 7 }, shadow = 3 << 24;
	struct group grp[2];

	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		u32 ctrl;

		begin_chip("gk104");
		for (unsigned int k = 0; k < 2; k++) {
			grp[k] = signals_of(hub(k), 0, 2);
			start_on(hub(k), &grp[k]);
		}
		run_and_poll(5, 5000);
		ctrl = ((hub(0)->hw.ctrl ^ BIT(6)) & ~(7 | shadow)) | others[i];
		pcmodel_wr32(g.m, 0x1b009c, ctrl);
		memset(&g.m->lint, 0, sizeof(g.m->lint));
		pcounter_gpu_poll(&g.gpu);
		assert_int_equal(hub(0)->unit.fault, PCOUNTER_FAULT_FOREIGN_WRITE);
		/* a full ring, after which all domains begin anew */
		pcmodel_run(g.m, 2100 * STREAM_PERIOD);
		run_and_poll(5, 5000);
		assert_int_equal(hub(1)->stream->loss.gaps, 1);
		assert_int_equal(pcmodel_rd32(g.m, 0x1b009c) & ~shadow, ctrl);
		assert_int_equal(hub(1)->unit.fault, PCOUNTER_OK);
		check_parts(hub(1), &grp[1], 0);
		stop_on(hub(0), &grp[0]);
		assert_int_equal(pcmodel_rd32(g.m, 0x1b009c) & ~shadow, ctrl);
		stop_on(hub(1), &grp[1]);
		end_stream(false);
	}
}

/* A full area is freed before its event has begun anew: the domain records no more. */
TEST(test_full_and_freed)
{
	struct group grp, next;

	begin_chip("gk104");
	shim_pages_seen = true;
	grp = signals_of(hub(0), 0, 2);
	assert_int_equal(pcounter_record_get(hub(0)), 0);
	map_area(hub(0), 16, 1);
	give_room(hub(0));
	assert_true(group_start(&grp));
	/* all places but perf's are full, and no record is lost */
	while (!pcounter_reader_is_full(hub(0)->stream)) {
		pcmodel_run(g.m, STREAM_PERIOD / 2);
		poll();
		area.head += pcounter_reader_give(hub(0)->stream);
	}
	assert_int_equal(hub(0)->stream->loss.gaps, 0);
	area.tail = area.head;
	give_room(hub(0));
	g.step = 50;
	pcounter_reader_del(hub(0), area.ring);
	assert_int_equal(pcmodel_rd32(g.m, 0x1b009c) & 7, 2);
	assert_int_equal(pages_mapped(), 0);
	group_stop(&grp);
	g.step = 0;
	/* another domain */
	next = signals_of(hub(1), 0, 2);
	start_on(hub(1), &next);
	run_and_poll(5, 5000);
	assert_int_equal(hub(1)->unit.fault, PCOUNTER_OK);
	stop_on(hub(1), &next);
	pcounter_record_put(hub(0));
	shim_pages_seen = false;
	free(area.memory);
	end_stream(false);
}

/* Domains wait for a start: the last records may still land in the ring that they leave. */
TEST(test_rest_of_a_ring)
{
	struct group grp[2];

	begin_chip("gk104");
	say("quirk stream_latency 20000");
	for (unsigned int i = 0; i < 2; i++) {
		grp[i] = signals_of(hub(i), 0, 2);
		start_on(hub(i), &grp[i]);
	}
	pcmodel_run(g.m, 1030 * STREAM_PERIOD);
	poll();
	assert_true(g.gpu.record->stopping);
	assert_false(pcmodel_rd32(g.m, GF100_RECORD_STATUS) & GF100_RECORD_STATUS_EMPTY);
	g.step = 500;
	pcounter_channel_wait(hub(0));
	assert_int_equal(g.gpu.record->channel, PCOUNTER_CHANNEL_BOUND);
	g.step = 0;
	assert_true(pcmodel_rd32(g.m, GF100_RECORD_STATUS) & GF100_RECORD_STATUS_EMPTY);
	for (unsigned int i = 0; i < 2; i++) {
		stop_on(hub(i), &grp[i]);
		g.step = 0;
	}
	end_stream(false);
}

/* An id register that cannot be read is neither believed nor written. */
TEST(test_dead_id)
{
	static const u32 ids[] = { 0x1b0074, 0x1b007c };

	for (unsigned int i = 0; i < ARRAY_SIZE(ids); i++) {
		struct group grp;

		begin_chip("gk104");
		grp = signals_of(hub(0), 0, 2);
		assert_int_equal(pcounter_record_get(hub(0)), 0);
		say("fault sticky 0x%x 0xbad00110", ids[i]);
		assert_true(group_start(&grp));
		say("fault none");
		run_and_poll(5, 5000);
		assert_int_equal(hub(0)->unit.fault, PCOUNTER_FAULT_DEAD);
		assert_false(g.gpu.record->no_ids);
		stop_on(hub(0), &grp);
		assert_int_equal(pcmodel_rd32(g.m, ids[i]), 0);
		end_stream(false);
	}
}

/* A domain joins while records of another one are on their way: its gap is told. */
TEST(test_join_gap)
{
	struct group grp[2];

	begin_chip("gk104");
	for (unsigned int i = 0; i < 2; i++)
		grp[i] = signals_of(hub(i), 0, 2);
	say("quirk stream_latency 100");
	start_on(hub(0), &grp[0]);
	run_and_poll(5, 5000);
	while (pcmodel_rd32(g.m, GF100_RECORD_STATUS) & GF100_RECORD_STATUS_EMPTY)
		pcmodel_run(g.m, 100);
	start_on(hub(1), &grp[1]);
	run_and_poll(10, 5000);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(hub(i)->unit.fault, PCOUNTER_OK);
		assert_int_equal(hub(i)->stream->loss.gaps, i ? 0 : 1);
		check_parts(hub(i), &grp[i], 0);
	}
	for (unsigned int i = 0; i < 2; i++) {
		stop_on(hub(i), &grp[i]);
		g.step = 0;
	}
	end_stream(false);
}

/* A clock that stands, for longer than a period of the time, and again: no fault. */
TEST(test_standing_clock)
{
	struct pcounter_domain *d;
	struct group grp;

	begin_chip("gk104");
	d = hub(2);
	grp = signals_of(d, 0, 2);
	start_on(d, &grp);
	for (unsigned int k = 0; k < 4; k++) {
		run_and_poll(20, 5000);
		for (unsigned int n = 0; n < 3; n++)
			poll_after(600 * NSEC_PER_MSEC);
		/* the GPU's time goes on: 13 minutes of 18 */
		g.m->time += 800ULL * NSEC_PER_SEC / 32;
	}
	run_and_poll(20, 5000);
	if (d->unit.fault)
		fail_msg("%s", pcounter_fault_text[d->unit.fault]);
	check_parts(d, &grp, 0);
	stop_on(d, &grp);
	end_stream(false);
}

#define TIME_NS	1000	/* of the model's time */

/* The time goes round soon after the first record, whose time has its highest bit. */
TEST(test_time_goes_round)
{
	struct pcounter_domain *d;
	struct group grp;

	begin_chip("gk104");
	g.m->time = BIT_ULL(40) / TIME_NS - 200 * STREAM_PERIOD;
	d = hub(2);
	grp = signals_of(d, 0, 2);
	start_on(d, &grp);
	run_and_poll(20, 20000);
	if (d->unit.fault)
		fail_msg("%s", pcounter_fault_text[d->unit.fault]);
	assert_true(g.m->time > BIT_ULL(40) / TIME_NS);
	check_parts(d, &grp, 0);
	stop_on(d, &grp);
	end_stream(false);
}

/* A GPU has more domains than a word has bits. */
TEST(test_last_domain)
{
	struct pcounter_domain *d;

	begin_chip("gk104");
	say("units gpc 32 0 0");
	free(g.gpu.record);
	pcounter_gpu_free(&g.gpu);
	assert_int_equal(pcounter_gpu_init(&g.gpu, pcounter_chip_find(0xe4),
					   pcounter_gen_find(pcounter_chip_find(0xe4)), &g.io), 0);
	assert_int_equal(pcounter_record_setup(&g.gpu), 0);
	d = &g.gpu.dom[g.gpu.topo.nr - 1];
	assert_in_range(d->index, 64, 223);
	assert_int_equal(pcounter_record_get(d), 0);
	pcounter_record_put(d);
	end_stream(false);
}

/* The default period follows the number of domains, and is the same in all of them. */
TEST(test_default_period)
{
	struct group grp[8];

	for (unsigned int n = 1; n <= 8; n += 7) {
		begin_chip("gk104");
		for (unsigned int i = 0; i < n; i++) {
			grp[i] = signals_of(hub(i), 0, 2);
			for (unsigned int k = 0; k < grp[i].n; k++)
				grp[i].req[k].set.periodic = 0;
			assert_int_equal(pcounter_record_get(hub(i)), 0);
		}
		for (unsigned int i = 0; i < n; i++) {
			assert_true(group_start(&grp[i]));
			assert_int_equal(hub(i)->plan.set.periodic, n == 1 ? 5 : 7);
		}
		for (unsigned int i = 0; i < n; i++)
			stop_on(hub(i), &grp[i]);
		end_stream(false);
	}
}

/* All domains have one look in a snapshot. */
TEST(test_one_look)
{
	struct group grp[8];
	u64 reads;

	begin_chip("gk104");
	for (unsigned int i = 0; i < 8; i++) {
		grp[i] = signals_of(hub(i), 0, 2);
		start_on(hub(i), &grp[i]);
	}
	run_and_poll(5, 5000);
	reads = g.reads;
	run_and_poll(1, 5000);
	assert_in_range(g.reads - reads, 3, 5);
	for (unsigned int i = 0; i < 8; i++)
		stop_on(hub(i), &grp[i]);
	end_stream(false);
}

#endif
