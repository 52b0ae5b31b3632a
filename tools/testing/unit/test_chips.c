// SPDX-License-Identifier: GPL-2.0-only
/*
 * What chips have of their own: bases that are only inferred, units that are disabled.
 */
#include "count_test.h"

/*
 * A base that is only inferred is asked for before a period depends on it: the
 * domain may have another one, or none that answers.
 */
static void test_inferred_trailer(void **state)
{
	static const struct {
		const char *chip, *domain, *base;
		unsigned int dom;
		bool counts;
	} cases[] = {
		{ "gf100", "hub6", NULL, 6, true },
		{ "gf100", "hub6", "0xa0", 6, true },
		{ "gf100", "hub6", "none", 6, false },
		{ "gf106", "gpc0.0", NULL, 8, true },
		{ "gf106", "gpc0.0", "0xc0", 8, true },
		{ "gf106", "gpc0.0", "none", 8, false },
		{ "gf119", "part0.0", "0xa0", 10, true },
		{ "gk104", "gpc0.1", "0x60", 9, true },
		{ "gk104", "gpc0.1", "none", 9, false },
		{ "gk110", "gpc1.2", "0x20", 14, true },
		{ "gk110b", "part1.0", "0xa0", 18, true },
	};
	enum pcounter_fault fault;
	char line[64];
	u64 val[1], was[1];

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group grp = { .n = 1, .req = { ask_clk(cases[i].dom) } };

		gpu_new(cases[i].chip);
		assert_true(group_settle(&grp, 0));
		if (cases[i].base) {
			snprintf(line, sizeof(line), "trailer %s %s", cases[i].domain,
				 cases[i].base);
			say(line);
		}
		assert_true(group_start(&grp));
		fault = PCOUNTER_OK;
		if (!cases[i].counts)
			fault = PCOUNTER_FAULT_NO_TRAILER;
		assert_int_equal(g.gpu.dom[cases[i].dom].fault, fault);
		if (cases[i].counts) {
			pcmodel_run(g.m, 20);
			pcmodel_run(g.m, 100 - group_read(&grp, was));
			group_read(&grp, val);
			assert_int_equal(val[0] - was[0], 100);
		}
		group_stop(&grp);
		gpu_free();
	}
}

/* A mask takes partitions away, and the numbers of the others close up. */
static void test_masked_partitions(void **state)
{
	const struct pcounter_chip *chip = pcounter_chip_find(0xc8);
	u32 gpcs, parts;

	(void)state;
	gpu_new("gf110");
	say("units gpc 4 0 8");
	say("units part 6 1 0");
	g.gpu.gen->ops->units(g.gpu.gen, &g.io, &gpcs, &parts);
	assert_int_equal(gpcs, 0x7);
	assert_int_equal(parts, 0x1f);
	pcounter_gpu_free(&g.gpu);
	assert_int_equal(pcounter_gpu_init(&g.gpu, chip, pcounter_gen_find(chip), &g.io), 0);
	assert_int_equal(g.gpu.topo.nr, g.m->domains);
	g.m->lint.absent = 0;
	for (unsigned int i = 0; i < g.gpu.topo.nr; i++) {
		struct group grp = { .n = 1, .req = { ask_clk(i) } };

		assert_true(group_settle(&grp, 0));
		assert_true(group_start(&grp));
		assert_int_equal(g.gpu.dom[i].fault, PCOUNTER_OK);
		group_stop(&grp);
	}
	assert_int_equal(g.m->lint.absent, 0);
	gpu_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inferred_trailer),
		cmocka_unit_test(test_masked_partitions),
	};

	return cmocka_run_group_tests_name("chips", tests, NULL, NULL);
}
