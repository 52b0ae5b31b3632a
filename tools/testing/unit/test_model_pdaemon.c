// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model's idle counters of PDAEMON (hw:idle), by the addresses of
 * the document.
 */
#include "model_test.h"

#define PDAEMON		0x10a000
#define SIGNALS		(PDAEMON + 0x500)
#define MASK(i)		(PDAEMON + 0x504 + (i) * 0x10)
#define COUNT(i)	(PDAEMON + 0x508 + (i) * 0x10)
#define MODE(i)		(PDAEMON + 0x50c + (i) * 0x10)
#define MASK_1(i)	(PDAEMON + 0xa34 + (i) * 8)
#define FILTER		4
#define CLEAR		0x80000000

#define GT215		0xa3
#define GF100		0xc0
#define GK104		0xe4
#define GM107		0x117

static char reply[80];

static uint32_t get(uint32_t addr)
{
	return pcmodel_rd32(m, addr);
}

static void slot(unsigned int i, uint32_t mask, uint32_t mode)
{
	pcmodel_wr32(m, MASK(i), mask);
	pcmodel_wr32(m, MODE(i), mode);
}

static uint64_t ask(const char *line)
{
	assert_int_equal(pcmodel_command(m, line, reply, sizeof(reply)), 0);
	return strtoull(reply, NULL, 0);
}

static void refused(const char *line)
{
	assert_int_not_equal(pcmodel_command(m, line, reply, sizeof(reply)), 0);
}

TEST(test_modes)
{
	chip(GT215);
	say("idle signal 0 duty 30/100");
	say("idle signal 19 duty 50/100 phase 90");
	slot(0, 1, 1);
	slot(1, 1, 2);
	slot(2, 1, 3);
	slot(3, 1 | 1 << 19, 1);
	pcmodel_run(m, 1000);
	assert_int_equal(get(COUNT(0)), 300);
	assert_int_equal(get(COUNT(1)), 700);
	assert_int_equal(get(COUNT(2)), 1000);
	/* bit 0 is 1 from clock 0 to 29 of 100, bit 19 from 10 to 59 */
	assert_int_equal(get(COUNT(3)), 200);
	slot(1, 1 | 1 << 19, 2);
	pcmodel_wr32(m, COUNT(1), CLEAR);
	pcmodel_run(m, 1000);
	assert_int_equal(get(COUNT(1)), 800);
	assert_int_equal(m->lint.absent + m->lint.bits, 0);
}

TEST(test_levels)
{
	chip(GK104);
	say("idle signal 0 const 1");
	say("idle signal 29 bits 01");
	assert_int_equal(get(SIGNALS), 1);
	pcmodel_run(m, 1);
	assert_int_equal(get(SIGNALS), 0x20000001);
}

TEST(test_foreign)
{
	chip(GF100);
	say("idle foreign 7 0x200001 2");
	assert_int_equal(get(MASK(7)), 0x200001);
	slot(6, 1, 1);
	assert_int_equal(ask("idle foreign_writes"), 0);
	pcmodel_wr32(m, COUNT(7), CLEAR);
	assert_int_equal(ask("idle foreign_writes"), 1);
	refused("idle foreign 8 1 1");
	refused("idle signal 32 const 1");
	refused("idle signal 3 duty 4/3");
	refused("idle");
	chip(0x84);
	refused("idle signal 0 const 1");
}

/* From GM107 on a mask has a second word, and MODE the bit FILTER. */
TEST(test_second_word)
{
	chip(GM107);
	say("idle signal 0 duty 30/100");
	say("idle signal 40 duty 50/100 phase 90");
	slot(7, 1, 1);
	pcmodel_run(m, 100);
	assert_int_equal(get(COUNT(7)), 30);
	pcmodel_wr32(m, MASK_1(7), 1 << 8);
	assert_int_equal(get(MASK_1(7)), 1 << 8);
	assert_int_equal(get(MASK(7)), 1);
	assert_int_equal(get(MASK_1(6)), 0);
	/* signal 40 is 1 from clock 10 to 59 of 100 */
	pcmodel_run(m, 100);
	assert_int_equal(get(COUNT(7)), 30 + 20);
	slot(7, 1, FILTER | 1);
	assert_int_equal(get(MODE(7)), FILTER | 1);
	assert_int_equal(get(MASK_1(7)), 1 << 8);
	pcmodel_run(m, 100);
	assert_int_equal(get(COUNT(7)), 30 + 20 + 20);
	say("idle foreign 0 0x200001 6");
	say("idle foreign 1 0x100000000 0");
	pcmodel_wr32(m, MASK_1(1), 0);
	assert_int_equal(ask("idle foreign_writes"), 1);
	assert_int_equal(m->lint.absent + m->lint.bits, 0);
	get(MASK_1(8));
	get(MASK_1(0) + 4);
	assert_int_equal(m->lint.absent, 2);
	chip(GK104);
	refused("idle foreign 0 0x100000000 1");
	refused("idle foreign 0 1 5");
	get(MASK_1(0));
	assert_int_equal(m->lint.absent, 1);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
