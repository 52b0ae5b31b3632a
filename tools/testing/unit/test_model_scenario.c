// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scenario language and the model as a test instrument.
 */
#include "model_test.h"

static char reply[120];

static int ask(const char *line)
{
	return pcmodel_command(m, line, reply, sizeof(reply));
}

TEST(test_good_lines)
{
	static const char *const lines[] = {
		"", "   ", "# nothing", "signal 0 0 const 1", "signal 0 0xff const 0 # x",
		"signal 1 3 duty 1/10", "signal 1 3 duty 0/10 phase 7",
		"signal 2 9 bits 01", "signal 2 9 random 1/65536 seed 0x12",
		"clock 3 7/2", "clock 3 0/1", "quirk junk 1", "fault dead 0",
		"fault sticky 0xa600 5", "fault none", "garbage 3", "stats reset",
	};

	chip(0x84);
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(ask(lines[i]), 0);
}

TEST(test_bad_lines_say_why)
{
	static const char *const lines[] = {
		"nonsense", "signal", "signal 8 0 const 1", "signal 0 256 const 1",
		"signal 0 0 const 2", "signal 0 0 const x", "signal 0 0 duty 11/10",
		"signal 0 0 duty 1/0", "signal 0 0 duty 1", "signal 0 0 bits 012",
		"signal 0 0 random 5 seed 1", "signal 0 0 wave 1", "clock 0 1/0",
		"clock 9 1/1", "quirk none 1", "quirk junk", "fault", "fault sticky 1",
		"count 0 0 5", "cycle 8", "garbage", "signal 0 0 const 0x1g",
		"signal 0 0 const 99999999999999999999999", "a b c d e f g h i j k l",
	};

	chip(0x84);
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_not_equal(ask(lines[i]), 0);
		assert_true(strlen(reply) > 0);
	}
}

TEST(test_scenario_names_the_line)
{
	chip(0x84);
	assert_int_equal(pcmodel_scenario(m, "clock 0 1/2\n\nsignal 0 1 const 1;clock 1 1/2",
					  reply, sizeof(reply)), 0);
	assert_int_not_equal(pcmodel_scenario(m, "clock 0 1/2\nclock 1 x\n", reply,
					      sizeof(reply)), 0);
	assert_non_null(strstr(reply, "line 2"));
}

TEST(test_lint)
{
	chip(0x40);
	wr(SPEC_SRC, 0, 1);		/* G84+ */
	wr(PRE_SRC, 7, 1);		/* five domains */
	rd(USER_TRIGGER, 0);		/* GT215+ */
	assert_int_equal(m->lint.absent, 3);
	wr(CTR_CYCLES, 0, 1);
	rd(QUAD_ACK, 0);
	assert_int_equal(m->lint.direction, 2);
	wr(CTRL, 0, 1 << 30);
	wr(EVENT_OP, 0, 1 << 21);
	wr(EVENT_OP, 0, 1 << 19);	/* G92+ */
	wr(CTRL, 0, 3);			/* the mode does not exist */
	assert_int_equal(m->lint.bits, 4);
	chip(0x92);
	wr(EVENT_OP, 0, 1 << 20 | 0xffff);
	wr(CTRL, 0, QUAD);
	wr(PRE_OP, 0, 0);
	wr(CTRL, 0, rd(CTRL, 0));	/* QUAD_STATE is read-only, not unknown */
	assert_int_equal(m->lint.bits, 0);
	wr(SIG_STATUS, 0, 0);
	assert_int_equal(m->lint.direction, 1);
}

/* hw:chips/id */
TEST(test_identity)
{
	assert_int_equal(pcmodel_find_chip("0x92"), 0x92);
	chip(0x92);
	assert_int_equal(pcmodel_rd32(m, 0) >> 20 & 0x1ff, 0x92);
	assert_int_equal(pcmodel_find_chip("nv4e"), 0);
	assert_int_equal(pcmodel_find_chip("0x4e"), 0);
	assert_int_not_equal(pcmodel_init(m, 0x4e), 0);
}

/* Garbage may be anything except undefined modes. */
TEST(test_garbage_is_legal)
{
	for (unsigned int seed = 0; seed < 200; seed++) {
		chip(seed & 1 ? 0x84 : 0x40);
		pcmodel_garbage(m, seed);
		for (unsigned int d = 0; d < m->domains; d++) {
			assert_in_range(rd(CTRL, d) & 3, 0, seed & 1 ? 2 : 1);
			assert_in_range(rd(CTRL, d) >> 4 & 7, 0, 4);
			assert_int_not_equal(quad_state(d), 2);
		}
	}
}

int main(void)
{
	return unit_run(new_model, free_model);
}
