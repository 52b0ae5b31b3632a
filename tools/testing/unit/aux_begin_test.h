/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AUX areas: begin to record with little room, and while a processor stops between the
 * accesses. The GPU writes only where the reader has given room.
 */
#ifndef _TEST_AUX_BEGIN_H
#define _TEST_AUX_BEGIN_H

/*
 * Recording begins anew where the reader has left less room than a page, after garbage:
 * the GPU writes to nothing that the reader has not read. @step: clocks between accesses.
 */
static void little_room(const char *chip, unsigned int step)
{
	u8 before[BYTES];
	struct group grp;
	u64 room, i;

	for (room = PACKET; room <= 2 * PAGE; room += 8 * PACKET - room % (8 * PACKET)) {
		begin(chip);
		say("quirk record_bogus 3");
		grp = reading(2, false);
		run_and_read(3, 100);
		pcounter_record_stop(stream());
		pcmodel_run(g.m, 2 * CYCLES);
		pcounter_reader_start(stream(), rd.head, room);
		memcpy(before, rd.memory, BYTES);
		pcounter_domain_want(&g.gpu.dom[DOM], PCOUNTER_WANT_COMMIT);
		g.step = step;
		pcounter_gpu_commit(&g.gpu);
		g.step = 0;
		for (i = 0; i < 16; i++) {
			pcmodel_run(g.m, 100 * CYCLES);
			look();
		}
		assert_int_equal(stream()->loss.overrun, 0);
		assert_int_equal(stream()->state, PCOUNTER_STREAM_RUNNING);
		assert_in_range(stream()->w.head - rd.head, room - room % PACKET - PACKET, room);
		for (i = room; i < BYTES; i++)
			if (rd.memory[(rd.head + i) % BYTES] != before[(rd.head + i) % BYTES])
				fail_msg("room %llu: byte %llu is overwritten", room, i);
		finish(&grp);
	}
}

TEST(test_little_room)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		little_room(chips[i], 100);
		/* a processor that stops: each access finds more packets */
		little_room(chips[i], 5 * CYCLES);
	}
}

/* A processor that stops while recording begins: no packet is left behind the position. */
TEST(test_slow_begin)
{
	struct group grp;
	unsigned int i;
	u64 at;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin(chips[i]);
		g.step = 5 * CYCLES;
		grp = reading(2, false);
		g.step = 0;
		run_and_read(1, 100);
		assert_int_equal(rd.missing, 0);
		for (at = stream()->w.head; at < BYTES; at += PACKET)
			if (!(rd.memory[at + 7] & 0xf0))
				fail_msg("%s: a packet in slot %llu", chips[i], at / PACKET);
		finish(&grp);
	}
}

#endif
