// SPDX-License-Identifier: GPL-2.0-only
/*
 * Behaviour of real cards that is not in the documents, piece by piece;
 * test_model_replay runs the whole recordings (traces/README).
 */
#include "model_test.h"

static void put(uint32_t addr, uint32_t val)
{
	pcmodel_wr32(m, addr, val);
}

static uint32_t get(uint32_t addr)
{
	return pcmodel_rd32(m, addr);
}

/* The bits of DEBUG_1 that cards kept; Celsius exchanges two of them. */
TEST(test_debug_1)
{
	static const struct {
		uint32_t chipset, keeps;
	} cards[] = {
		{ 0x10, 0xfe11f701 }, { 0x15, 0xfe71f701 }, { 0x20, 0x0011f7c1 },
		{ 0x31, 0x7012f7c1 }, { 0x40, 0x7010c7c1 }, { 0x50, 0 }, { 0x84, 0 },
	};

	for (unsigned int i = 0; i < sizeof(cards) / sizeof(*cards); i++) {
		chip(cards[i].chipset);
		put(DEBUG_1, 0xffffffff);
		assert_int_equal(get(DEBUG_1), cards[i].keeps);
		put(DEBUG_1, 0x40000000);
		assert_int_equal(get(DEBUG_1), cards[i].chipset < 0x20 ? 0x80000000 :
					       0x40000000 & cards[i].keeps);
	}
	chip(0x40);
	put(DEBUG_1, 0x401287c0);
	assert_int_equal(get(DEBUG_1), 0x401087c0);
}

/*
 * hw:inputs/methods: method 0x140 triggers if bit 15 of DEBUG_D is set, or for a 3D object
 * of NV30 to NV36; from G80 on the bit is not known to exist. Method 0x144 is one of 3D and
 * compute classes from Kepler on
 */
TEST(test_method_140)
{
	static const struct {
		uint32_t chipset, debug_d, class;
		bool legal;
	} cases[] = {
		{ 0x20, 0, 0x0097, false }, { 0x20, 0x8000, 0x0097, true },
		{ 0x20, 0xffff7fff, 0x0097, false }, { 0x31, 0, 0x0397, true },
		{ 0x34, 0, 0x0697, true }, { 0x35, 0, 0x0497, true }, { 0x35, 0, 0x0062, false },
		{ 0x35, 0x8000, 0x0062, true }, { 0x40, 0, 0x4097, false },
		{ 0x40, 0x8000, 0x4097, true }, { 0x50, 0, 0x5097, true },
		{ 0xc0, 0, 0x90c0, true }, { 0xc0, 0, 0x902d, true },
		{ 0xe4, 0, 0x902d, true }, { 0xe4, 0, 0xa0c0, true },
		{ 0xe4, 0, 0xa097, true },
	};
	char reply[40], line[40];

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		u32 kept = 0;

		if (cases[i].chipset < 0x50)
			kept = cases[i].debug_d;
		chip(cases[i].chipset);
		m->lint.absent = 0;
		pcmodel_wr32(m, 0x40008c, cases[i].debug_d);
		assert_int_equal(pcmodel_rd32(m, 0x40008c), kept);
		assert_int_equal(!m->lint.absent, cases[i].chipset < 0x50);
		snprintf(line, sizeof(line), "method 0x144 0x%x", cases[i].class);
		assert_int_equal(pcmodel_command(m, line, reply, sizeof(reply)), 0);
		assert_int_equal(m->dom[0].pm_trigger, cases[i].class >= 0xa000);
		pcmodel_run(m, 1);
		assert_false(m->dom[0].pm_trigger);
		line[11] = '0';
		assert_int_equal(!pcmodel_command(m, line, reply, sizeof(reply)), cases[i].legal);
		assert_int_equal(!*reply, cases[i].legal);
		assert_int_equal(m->dom[0].pm_trigger, cases[i].legal);
	}
}

/* The block at 0x1b4000: words that keep values, and a buffer that stays empty. */
TEST(test_shared_block)
{
	chip(0xe4);
	put(0x1b4000, 0x39);
	assert_int_equal(get(0x1b4000), 0x9);
	put(0x1b4008, 0x701);
	put(0x1b4104, 0xffffffff);
	put(0x1b4088, 0x40);
	assert_int_equal(get(0x1b4008), 0x701);
	assert_int_equal(get(0x1b4104), 0xffffffff);
	assert_int_equal(get(0x1b4084), 0);
	assert_int_equal(get(0x1b40a4), 0x10);
	/* the buffer: 32-byte packets, 40 bits of address */
	put(0x1b4074, 0x12345660);
	put(0x1b4078, 0x9a);
	put(0x1b4070, 0x93456789);
	assert_int_equal(get(0x1b4074), 0x12345660);
	assert_int_equal(get(0x1b4078), 0x9a);
	assert_int_equal(get(0x1b4070), 0x93456789);
	assert_int_equal(m->lint.absent + m->lint.direction + m->lint.bits, 0);
	put(0x1b4074, 0x1234567f);
	put(0x1b4078, 0x19a);
	assert_int_equal(get(0x1b4074), 0x12345660);
	assert_int_equal(get(0x1b4078), 0x9a);
	assert_int_equal(m->lint.bits, 2);
	put(0x1b4084, 1);
	assert_int_equal(m->lint.direction, 1);
	get(0x1b400c);
	assert_int_equal(m->lint.absent, 1);
	say("reset");
	assert_int_equal(get(0x1b4008), 0);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
