// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register traffic in Documentation/admin-guide/perf/pcounter-traffic.rst matches
 * the model's count; and no event misses cycles because of others.
 */
#include "count_test.h"
#include <linux/ktime.h>

#define PAGE	"../../../Documentation/admin-guide/perf/pcounter-traffic.rst"
#define CHIPS	3
#define SIZES	4

static u64 reads, writes;

static void begin(void)
{
	reads = g.m->reads;
	writes = g.m->writes;
}

/* Compare the page's line of a step with the numbers in its @n columns. */
static void page_says(const char *step, unsigned int n, unsigned int want[][2])
{
	FILE *page = fopen(PAGE, "r");
	unsigned int found = 0;
	char line[256], *at;
	int len;

	assert_non_null(page);
	while (fgets(line, sizeof(line), page)) {
		if (strncmp(line, step, strlen(step)) || line[strlen(step)] != ' ')
			continue;
		at = line + strlen(step);
		while (found < n && sscanf(at, " %u R, %u W%n", &want[found][0],
					   &want[found][1], &len) == 2) {
			at += len;
			found++;
		}
	}
	fclose(page);
	if (found != n)
		fail_msg("the page does not tell of \"%s\"", step);
}

static void check_column(const char *step, unsigned int n, unsigned int column)
{
	unsigned int want[SIZES][2];

	page_says(step, n, want);
	if (g.m->reads - reads != want[column][0] || g.m->writes - writes != want[column][1])
		fail_msg("%s, %s, %u: %llu R, %llu W", g.gpu.chip->name, step, column,
			 (unsigned long long)(g.m->reads - reads),
			 (unsigned long long)(g.m->writes - writes));
}

static void check(unsigned int chip, const char *step)
{
	check_column(step, CHIPS, chip);
}

static const struct {
	const char *name;
	unsigned int dom;
} chips[CHIPS] = { { "nv40", 1 }, { "g84", 1 }, { "gf100", 8 } };

/* Start four signals and the clock; count the register accesses from here on. */
static void begin_five(unsigned int chip, struct group *grp)
{
	/* a swap by a pulse needs a clock */
	g.step = has(PCOUNTER_CAP_SETS);
	grp->n = 5;
	for (unsigned int i = 0; i < 4; i++)
		grp->req[i] = ask(chips[chip].dom, PCOUNTER_ROLE_ANY, 0x10 + i);
	grp->req[4] = ask_clk(chips[chip].dom);
	group_settle(grp, 0);
	begin();
}

/* Replace the first event by another, while the others continue to count. */
static void replace_first(struct group *grp, unsigned int sig)
{
	struct pcounter_request old = grp->req[0];

	grp->req[0] = ask(old.dom, PCOUNTER_ROLE_ANY, sig);
	assert_int_equal(pcounter_domain_get(&g.gpu, &grp->req[0]), 0);
	g.gpu.snapshot++;
	pcounter_domain_sync(&g.gpu.dom[old.dom]);
	pcounter_client_del(&g.gpu, &g.gpu.dom[old.dom].client[grp->user[0]]);
	grp->user[0] = pcounter_domain_add(&g.gpu, &grp->req[0]);
	pcounter_gpu_commit(&g.gpu);
	pcounter_domain_put(&g.gpu, &old);
}

/* The domain has had no user since the GPU was switched on. */
TEST(test_page_clean)
{
	for (unsigned int c = 0; c < CHIPS; c++) {
		struct group grp = {};

		gpu_new(chips[c].name);
		begin_five(c, &grp);
		assert_true(group_start(&grp));
		check(c, "first enable, clean");
		group_stop(&grp);
		gpu_free();
	}
}

TEST(test_page)
{
	u64 val[5];

	for (unsigned int c = 0; c < CHIPS; c++) {
		struct group grp = {};

		gpu_new(chips[c].name);
		pcmodel_garbage(g.m, 5);
		begin_five(c, &grp);
		assert_true(group_start(&grp));
		check(c, "first enable of the domain");
		pcmodel_run(g.m, 1000);
		begin();
		group_read_once(&grp, val);
		check(c, "read");
		begin();
		replace_first(&grp, 0x18);
		check(c, "another event in one's place");
		pcmodel_run(g.m, 1000);
		begin();
		g.gpu.snapshot++;
		pcounter_domain_sync(&g.gpu.dom[chips[c].dom]);
		group_del(&grp, grp.n);
		pcounter_gpu_commit(&g.gpu);
		check(c, "disable");
		begin();
		g.gpu.snapshot++;
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

/* Set up a chip with the maximum number of units in its window. */
static void full_chip(const char *name)
{
	gpu_new(name);
	say("units gpc 32 0 0");
	say("units part 16 0 0");
	pcounter_gpu_free(&g.gpu);
	assert_int_equal(pcounter_gpu_init(&g.gpu, g.gpu.chip, g.gpu.gen, &g.io), 0);
	/* a swap by a pulse needs a clock */
	g.step = 1;
}

/* An event in each of several domains: the cost of all together, on the page. */
TEST(test_page_of_many)
{
	static const struct {
		const char *name;
		unsigned int domains;
	} sizes[SIZES] = { { "gk104", 8 }, { "gk104", 32 }, { "gk104", 136 }, { "gm107", 248 } };

	for (unsigned int c = 0; c < SIZES; c++) {
		static struct group one[PCMODEL_DOMAINS];
		unsigned int n = sizes[c].domains;

		full_chip(sizes[c].name);
		assert_true(g.gpu.topo.nr >= n);
		begin();
		pcounter_gpu_poll(&g.gpu);
		pcounter_gpu_commit(&g.gpu);
		check_column("no event", SIZES, c);
		g.gpu.snapshot++;
		for (unsigned int i = 0; i < n; i++) {
			one[i] = (struct group){
				.n = 1, .req = { ask(i, PCOUNTER_ROLE_ANY, 0x10) },
			};
			group_settle(&one[i], 0);
			pcounter_domain_get(&g.gpu, &one[i].req[0]);
			one[i].user[0] = pcounter_domain_add(&g.gpu, &one[i].req[0]);
			assert_true(one[i].user[0] >= 0);
		}
		begin();
		pcounter_gpu_commit(&g.gpu);
		check_column("first enable of all", SIZES, c);
		begin();
		g.gpu.snapshot++;
		for (unsigned int i = 0; i < n; i++)
			group_value(&one[i], 0);
		check_column("a sample of all", SIZES, c);
		begin();
		pcounter_gpu_poll(&g.gpu);
		check_column("a poll of all", SIZES, c);
		for (unsigned int i = 0; i < n; i++)
			group_del(&one[i], 1);
		pcounter_gpu_commit(&g.gpu);
		begin();
		for (unsigned int i = 0; i < n; i++)
			pcounter_domain_put(&g.gpu, &one[i].req[0]);
		check_column("last close of all", SIZES, c);
		begin();
		pcounter_gpu_poll(&g.gpu);
		check_column("no event", SIZES, c);
		gpu_free();
	}
}

#define TURNS	24
#define GROUPS	6
#define SLOTS	4

/*
 * One of the events that take turns: a signal held at 1, so that it counts as the clock
 * does.
 */
struct turn {
	struct pcounter_request req;
	int user;
	bool on;
	u64 events;
	u64 cycles;
};

static u64 total(unsigned int dom, int user)
{
	return g.gpu.dom[dom].client[user].total;
}

/* Take turns like perf: remove all, then add as many as fit. */
static void take_turns(struct turn *turn, unsigned int first, const struct pcounter_request *clk,
		       int *clk_user)
{
	unsigned int dom = clk->dom;

	g.gpu.snapshot++;
	for (unsigned int i = 0; i < GROUPS; i++)
		if (turn[i].on)
			pcounter_client_del(&g.gpu, &g.gpu.dom[dom].client[turn[i].user]);
	if (*clk_user >= 0)
		pcounter_client_del(&g.gpu, &g.gpu.dom[dom].client[*clk_user]);
	*clk_user = pcounter_domain_add(&g.gpu, clk);
	for (unsigned int i = 0; i < GROUPS; i++) {
		struct turn *t = &turn[(first + i) % GROUPS];

		if (i >= SLOTS) {
			t->on = false;
			continue;
		}
		t->user = pcounter_domain_add(&g.gpu, &t->req);
		assert_true(t->user >= 0);
	}
	pcounter_gpu_commit(&g.gpu);
	for (unsigned int i = 0; i < SLOTS; i++) {
		struct turn *t = &turn[(first + i) % GROUPS];

		if (t->on)
			continue;
		t->on = true;
		t->events = total(dom, t->user);
		t->cycles = total(dom, *clk_user);
	}
}

TEST(test_turns)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		struct pcounter_request clk;
		struct turn turn[GROUPS] = {};
		int clk_user = -1;

		gpu_new(b->name);
		if (!has(PCOUNTER_CAP_QUAD)) {
			gpu_free();
			continue;
		}
		g.step = 3;
		clk = ask_clk(b->dom);
		pcounter_domain_get(&g.gpu, &clk);
		for (unsigned int i = 0; i < GROUPS; i++) {
			turn[i].req = ask(b->dom, PCOUNTER_ROLE_ANY, 0x10 + i);
			pcounter_domain_get(&g.gpu, &turn[i].req);
			say("signal %u %u const 1", b->dom, 0x10 + i);
		}
		for (unsigned int n = 0; n < TURNS; n++) {
			take_turns(turn, n, &clk, &clk_user);
			pcmodel_run(g.m, 1000);
			g.gpu.snapshot++;
			pcounter_domain_sync(&g.gpu.dom[b->dom]);
			for (unsigned int i = 0; i < GROUPS; i++) {
				if (!turn[i].on)
					continue;
				assert_int_equal(total(b->dom, turn[i].user) - turn[i].events,
						 total(b->dom, clk_user) - turn[i].cycles);
			}
		}
		gpu_free();
	}
}

/* Without users, and with another user that asks the same, nothing is written. */
TEST(test_nothing_to_do)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct pcounter_request req = ask_clk(b->dom);
		struct group grp = { .n = 1, .req = { req } };

		begin();
		assert_false(pcounter_gpu_commit(&g.gpu));
		pcounter_domain_sync(&g.gpu.dom[b->dom]);
		pcounter_gpu_poll(&g.gpu);
		pcounter_domain_get(&g.gpu, &req);
		pcounter_domain_put(&g.gpu, &req);
		assert_int_equal(g.m->reads, reads);
		assert_int_equal(g.m->writes, writes);
		group_begin(&grp, 0);
		pcmodel_run(g.m, 100);
		begin();
		assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), grp.user[0]);
		pcounter_gpu_commit(&g.gpu);
		assert_int_equal(g.m->writes, writes);
		group_del(&grp, 1);
		group_stop(&grp);
	}
}

/*
 * perf removes all events and adds them again whenever one is opened. This costs no cycle,
 * nor does a read of another domain.
 */
TEST(test_coming_back)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 1, .req = { ask_clk(b->dom) } };
		struct group other = { .n = 1, .req = { ask_clk(0) } };
		u64 start[2], now[2];

		if (!b->dom || !has(PCOUNTER_CAP_QUAD))
			continue;
		group_settle(&grp, 0);
		group_begin(&other, 0);
		assert_true(group_start(&grp));
		group_read(&other, &start[0]);
		group_read(&grp, &start[1]);
		for (unsigned int i = 0; i < 10; i++) {
			pcmodel_run(g.m, 1001);
			group_read_once(i & 1 ? &grp : &other, now);
			group_del(&grp, 1);
			pcmodel_run(g.m, 17);
			assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), grp.user[0]);
			pcounter_gpu_commit(&g.gpu);
		}
		group_read(&other, &now[0]);
		group_read(&grp, &now[1]);
		for (unsigned int i = 0; i < 2; i++)
			assert_in_range(now[i] - start[i], 10180, 10182);
		/* disabled for a while: a period that a read of the other ends is no fault */
		group_del(&grp, 1);
		pcounter_gpu_commit(&g.gpu);
		pcmodel_run(g.m, 100);
		group_read(&other, &now[0]);
		grp.user[0] = pcounter_domain_add(&g.gpu, &grp.req[0]);
		pcounter_gpu_commit(&g.gpu);
		group_read(&grp, &start[1]);
		pcmodel_run(g.m, 1000);
		group_read(&grp, &now[1]);
		assert_in_range(now[1] - start[1], 1000, 1001);
		group_stop(&grp);
		group_stop(&other);
	}
}

/*
 * After a wake dozens of domains may need programming: each call programs one if the
 * clock shows that the time is up, and all calls together write the same as one call
 * without a limit.
 */
TEST(test_many_domains)
{
	const unsigned int step = 1000;
	u64 writes[2];

	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		for (unsigned int pieces = 0; pieces < 2; pieces++) {
			unsigned int calls = 0, wanted;

			gpu_new(b->name);
			wanted = g.gpu.topo.nr;
			for (unsigned int i = 0; i < wanted; i++) {
				struct pcounter_request req = ask_clk(i);

				assert_int_equal(pcounter_domain_get(&g.gpu, &req), 0);
				assert_true(pcounter_domain_add(&g.gpu, &req) >= 0);
			}
			g.gpu.most_ns = pieces ? step : U64_MAX;
			shim_clock_step = step;
			writes[pieces] = g.m->writes;
			do {
				pcounter_gpu_commit(&g.gpu);
				calls++;
			} while (g.gpu.want & PCOUNTER_WANT_COMMIT);
			shim_clock_step = 0;
			writes[pieces] = g.m->writes - writes[pieces];
			assert_int_equal(calls, pieces ? wanted : 1);
			for (unsigned int i = 0; i < wanted; i++)
				assert_false(g.gpu.dom[i].want & PCOUNTER_WANT_COMMIT);
			gpu_free();
		}
		assert_int_equal(writes[1], writes[0]);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
