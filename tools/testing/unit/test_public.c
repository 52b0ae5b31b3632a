// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare events with public names with the rows of their table: the registers of an
 * event are the registers of its row, except for values without function: sources that
 * the truth table ignores, and the signal that stands for a constant 0
 * (hw:real-cards/r14).
 */
#include "public_regs.h"
#include "rows_test.h"
#include "rules/lookup.h"

#define TABLE		"traces/verified-events.csv"
#define COLUMNS		13

enum { EVENT, CHIPS, DOMAIN, MODE, PRE, START, EVENT_INPUT, STOP, MUX, FORMULA, CONFIDENCE };

static unsigned int compared, traced;

static void read_want(const char *text, u32 *src, u16 *op)
{
	unsigned int s, o;
	int got = sscanf(text, "%8x/%4x", &s, &o);

	assert_int_equal(got, 2);
	*src = s;
	*op = o;
}

static void check_inputs(const struct pcounter_dom_id *id)
{
	static const unsigned int columns[] = { PRE, START, EVENT_INPUT, STOP };
	u32 src[4] = {};
	u16 op[4] = {};

	for (unsigned int i = 0; i < 4; i++)
		if (*cell[columns[i]])
			read_want(cell[columns[i]], &src[i], &op[i]);
	same_inputs(id, counter_mode(id), src, op);
}

/* hw:muxes/tesla: each byte of the select serves four signals. */
static u32 groups_needed(void)
{
	u32 want, mask = 0;
	u16 op;

	read_want(cell[EVENT_INPUT], &want, &op);
	for (unsigned int i = 0; i < 4; i++) {
		u8 signal = want >> 8 * i;

		if (looks_at(op, i) && signal < 16)
			mask |= 0xffU << signal / 4 * 8;
	}
	return mask;
}

/* Handle every register of the row's muxes: set it to 0 before, check its value after. */
static void muxes(bool before)
{
	char text[256], *rest = text, *one;

	strcpy(text, cell[MUX]);
	while ((one = strsep(&rest, ";")) && *one) {
		unsigned int addr, val;
		u32 mask;
		int got;

		/* clears the other TPCs, which are clear here */
		if (!strncmp(one, "TPCALL.", strlen("TPCALL.")))
			continue;
		mask = ~0U;
		got = sscanf(strchr(one, '@'), "@%x=bit%u", &addr, &val);
		if (got == 2) {
			mask = BIT(val);
			val = mask;
		} else {
			got = sscanf(strchr(one, '@'), "@%x=%x", &addr, &val);
		}
		assert_int_equal(got, 2);
		if (strstr(one, "MPC_PM_GROUP_SEL"))
			mask = groups_needed();
		/* the first TPC of the G80 of the pages is TPC 3, here it is TPC 0 */
		if (g.gpu.chip->chipset == 0x50 && addr >= 0x40b000 && addr < 0x40c000)
			addr -= 0x3000;
		if (before)
			pcmodel_wr32(g.m, addr, 0);
		else
			assert_int_equal(pcmodel_rd32(g.m, addr) & mask, val & mask);
	}
}

static void check_registers(const struct pcounter_public *event)
{
	static const char *const modes[] = {
		"SIMPLE", "EVENT_B4", "EVENT_B6", "", "", "", "MODE6", "MODE7",
	};
	struct group grp = { .n = 1 };
	const struct pcounter_dom_id *id;
	const char *why = NULL;
	int err;

	err = pcounter_config_parse(&event->config, &g.gpu.topo, &grp.req[0], &why);
	if (!err)
		err = pcounter_mux_check(&grp.req[0], &g.gpu.topo.dom[grp.req[0].dom],
					 g.gpu.chip, &why);
	if (err)
		fail_msg("%s %s: %s", g.gpu.chip->name, event->name, why);
	id = &g.gpu.topo.dom[grp.req[0].dom];
	muxes(true);
	group_begin(&grp, 0);
	assert_int_equal(g.gpu.dom[grp.req[0].dom].unit.fault, PCOUNTER_OK);
	if (strcmp(cell[MODE], "CYCLES")) {
		assert_string_equal(modes[counter_mode(id)], cell[MODE]);
		check_inputs(id);
	} else {
		assert_int_equal(grp.req[0].role, PCOUNTER_ROLE_CLK);
	}
	muxes(false);
	group_stop(&grp);
	compared++;
	traced += event->confidence == PCOUNTER_PUBLIC_TRACED;
}

static void check_row(const char *chip_name)
{
	const struct pcounter_public *event;
	char name[16];

	for (unsigned int i = 0; i <= strlen(chip_name); i++)
		name[i] = chip_name[i] | (chip_name[i] >= 'A' && chip_name[i] <= 'Z' ? 32 : 0);
	gpu_new(name);
	event = find_event(g.gpu.chip, cell[EVENT]);
	if (event)
		check_registers(event);
	gpu_free();
}

TEST(test_registers_are_those_of_the_table)
{
	FILE *file = open_rows(TABLE, COLUMNS);
	char *chip, *rest;

	assert_string_equal(cell[EVENT], "event");
	while (next_row(file, COLUMNS)) {
		rest = cell[CHIPS];
		while ((chip = strsep(&rest, " ")))
			if (strcmp(cell[CONFIDENCE], "broken"))
				check_row(chip);
	}
	fclose(file);
	print_message("# %u events compared, %u of them traced\n", compared, traced);
	assert_true(compared > 400);
	assert_true(traced > 50);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
