// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register traffic that Documentation/admin-guide/perf/pcounter-traffic.rst
 * tells of is what the model counts.
 */
#include "count_test.h"

#define PAGE	"../../../Documentation/admin-guide/perf/pcounter-traffic.rst"
#define CHIPS	3

static u64 reads, writes;

static void begin(void)
{
	reads = g.m->reads;
	writes = g.m->writes;
}

/* The page's line of a step, and its numbers for each chip. */
static void page_says(const char *step, unsigned int want[CHIPS][2])
{
	FILE *page = fopen(PAGE, "r");
	char line[256];
	int found = 0;

	assert_non_null(page);
	while (fgets(line, sizeof(line), page)) {
		if (strncmp(line, step, strlen(step)) || line[strlen(step)] != ' ')
			continue;
		found = sscanf(line + strlen(step), " %u R, %u W %u R, %u W %u R, %u W",
			       &want[0][0], &want[0][1], &want[1][0], &want[1][1],
			       &want[2][0], &want[2][1]);
	}
	fclose(page);
	if (found != 2 * CHIPS)
		fail_msg("the page does not tell of \"%s\"", step);
}

static void check(unsigned int chip, const char *step)
{
	unsigned int want[CHIPS][2];

	page_says(step, want);
	if (g.m->reads - reads != want[chip][0] || g.m->writes - writes != want[chip][1])
		fail_msg("%s, %s: %llu R, %llu W", g.gpu.chip->name, step,
			 (unsigned long long)(g.m->reads - reads),
			 (unsigned long long)(g.m->writes - writes));
}

static void test_page(void **state)
{
	static const struct {
		const char *name;
		unsigned int dom;
	} chips[CHIPS] = { { "nv40", 1 }, { "g84", 1 }, { "gf100", 8 } };
	u64 val[5];

	(void)state;
	for (unsigned int c = 0; c < CHIPS; c++) {
		struct group grp = { .n = 5 };

		gpu_new(chips[c].name);
		pcmodel_garbage(g.m, 5);
		/* a swap by a pulse needs a clock */
		g.step = has(PCOUNTER_CAP_SETS);
		for (unsigned int i = 0; i < 4; i++)
			grp.req[i] = ask(chips[c].dom, PCOUNTER_ROLE_ANY, 0x10 + i);
		grp.req[4] = ask_clk(chips[c].dom);
		group_settle(&grp, 0);
		begin();
		assert_true(group_start(&grp));
		check(c, "first enable of the domain");
		pcmodel_run(g.m, 1000);
		begin();
		group_read_once(&grp, val);
		check(c, "read");
		begin();
		g.gpu.epoch++;
		pcounter_domain_sync(&g.gpu, chips[c].dom);
		group_del(&grp, grp.n);
		pcounter_gpu_commit(&g.gpu);
		check(c, "disable");
		begin();
		g.gpu.epoch++;
		for (unsigned int i = 0; i < grp.n; i++)
			grp.user[i] = pcounter_domain_add(&g.gpu, &grp.req[i]);
		pcounter_gpu_commit(&g.gpu);
		check(c, "enable again");
		group_del(&grp, grp.n);
		pcounter_gpu_commit(&g.gpu);
		begin();
		for (unsigned int i = 0; i < grp.n; i++)
			pcounter_domain_put(&g.gpu, &grp.req[i]);
		check(c, "last close");
		gpu_free();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
