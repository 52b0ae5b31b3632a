// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gated processes of single event mode. Random processes on every bucket against a
 * second implementation of the state machine of hw:modes/single.
 */
#include "count_test.h"

#define FIRST_SIG	0x08
#define POOL		6
#define ROUNDS		200

static void random_signals(unsigned int dom)
{
	for (unsigned int i = 0; i < POOL; i++) {
		say("signal %u %u random %u/65536 seed %u", dom, FIRST_SIG + i, 2000 + rnd(40000),
		    rnd(1000));
	}
}

static struct pcounter_request gate(unsigned int dom, enum pcounter_role role)
{
	static const u16 ops[] = { 0xaaaa, 0x5555, 0x8888, 0xeeee, 0x6666, 0xffff };
	struct pcounter_request req = ask(dom, role, 0);

	for (unsigned int i = 0; i < PCOUNTER_ARGS; i++)
		req.in.sig[i] = FIRST_SIG + rnd(POOL);
	req.in.op = ops[rnd(ARRAY_SIZE(ops))];
	req.set.mode = PCOUNTER_MODE_SINGLE;
	return req;
}

static void random_process(struct group *grp, unsigned int dom)
{
	static const u8 roles[] = {
		PCOUNTER_ROLE_EVENT, PCOUNTER_ROLE_START, PCOUNTER_ROLE_STOP,
		PCOUNTER_ROLE_PRE, PCOUNTER_ROLE_CLK,
	};
	unsigned int ctr = rnd(2) ? 0 : 1 + rnd(has(PCOUNTER_CAP_SUM_EXTRA) ? 4 : 1);

	grp->n = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(roles); i++) {
		struct pcounter_request *req = &grp->req[grp->n];

		/* an integer needs the first two */
		if (!(ctr && i < 2) && !rnd(4))
			continue;
		*req = roles[i] == PCOUNTER_ROLE_CLK ? ask_clk(dom) : gate(dom, roles[i]);
		if (roles[i] == PCOUNTER_ROLE_PRE || roles[i] == PCOUNTER_ROLE_STOP)
			req->init = rnd(2) ? 0 : rnd(12);
		grp->n++;
	}
	if (!grp->n)
		grp->req[grp->n++] = gate(dom, PCOUNTER_ROLE_EVENT);
	grp->req[0].set.mode = PCOUNTER_MODE_SINGLE;
	grp->req[0].set.ctr = ctr;
	grp->req[0].set.threshold = rnd(2) ? 0 : rnd(9);
	grp->req[0].set.all = has(PCOUNTER_CAP_PERIOD) && rnd(2);
}

/* ---- the machine of 6.2 ---- */

struct machine {
	enum { INACTIVE, WAIT_PRE, WAIT_START, COUNTING } state;
	u64 event, start, cycles, pre, stop, extra;
};

static bool wire(const struct pcounter_request *req, unsigned int source, u64 clock)
{
	return pcmodel_script_level(&g.m->dom[req->dom].sig[req->in.sig[source]], clock);
}

static bool out(const struct pcounter_request *req, u64 clock, bool otherwise)
{
	unsigned int row = 0;

	if (!req)
		return otherwise;
	for (unsigned int k = 0; k < 4; k++)
		row |= wire(req, k, clock) << k;
	return req->in.op >> row & 1;
}

static unsigned int bits(const struct pcounter_request *req, unsigned int first,
			 unsigned int n, u64 clock)
{
	unsigned int value = 0;

	for (unsigned int i = 0; req && i < n; i++)
		value |= wire(req, first + i, clock) << i;
	return value;
}

static void counting(struct machine *m, const struct group *grp, u64 clock)
{
	const struct pcounter_request *start = by_role(grp, PCOUNTER_ROLE_START);
	const struct pcounter_request *event = by_role(grp, PCOUNTER_ROLE_EVENT);
	unsigned int b4 = bits(start, 0, 4, clock);
	unsigned int b6 = b4 | bits(event, 2, 2, clock) << 4;
	bool e = out(event, clock, false);

	m->cycles++;
	switch (grp->req[0].set.ctr) {
	case 1:
		m->event += e ? b4 : 0;
		break;
	case 2:
		m->event += e ? b6 : 0;
		break;
	case 3:
		m->event += e;
		m->extra += b4;
		break;
	case 4:
		m->event += bits(event, 0, 2, clock);
		m->extra += b6;
		break;
	default:
		m->event += e;
	}
	if (!out(by_role(grp, PCOUNTER_ROLE_STOP), clock, false))
		return;
	m->start += m->event >= grp->req[0].set.threshold;
	m->state = m->stop ? WAIT_START : INACTIVE;
	m->stop -= m->stop ? 1 : 0;
}

static void clock_machine(struct machine *m, const struct group *grp, u64 clock)
{
	switch (m->state) {
	case WAIT_PRE:
		if (!out(by_role(grp, PCOUNTER_ROLE_PRE), clock, true))
			break;
		if (!m->pre)
			m->state = WAIT_START;
		else
			m->pre--;
		break;
	case WAIT_START:
		if (!out(by_role(grp, PCOUNTER_ROLE_START), clock, true))
			break;
		m->cycles = 0;
		if (!grp->req[0].set.all)
			m->event = 0;
		m->state = COUNTING;
		break;
	case COUNTING:
		counting(m, grp, clock);
		break;
	default:
		break;
	}
}

/* STOP counts down; what counts are the pulses that it has skipped. */
static u64 wanted(const struct machine *m, const struct pcounter_request *req)
{
	switch (req->role) {
	case PCOUNTER_ROLE_EVENT:
		return m->event;
	case PCOUNTER_ROLE_START:
		return m->start;
	case PCOUNTER_ROLE_STOP:
		return req->init - m->stop;
	case PCOUNTER_ROLE_PRE:
		return m->extra;
	case PCOUNTER_ROLE_CLK:
		return m->cycles;
	default:
		return 0;
	}
}

static unsigned int ended;

static void follow(struct group *grp, struct machine *m, unsigned int clocks)
{
	u64 from = pcmodel_cycle(g.m, grp->req[0].dom), val[PCOUNTER_MAX_REQUESTS];

	for (unsigned int i = 0; i < clocks; i++)
		clock_machine(m, grp, from + i);
	pcmodel_run(g.m, clocks);
	group_read(grp, val);
	ended += m->state == INACTIVE;
	for (unsigned int i = 0; i < grp->n; i++)
		if (val[i] != wanted(m, &grp->req[i]))
			fail_msg("%s: role %u: %llu, not %llu", g.gpu.chip->name,
				 grp->req[i].role, (unsigned long long)val[i],
				 (unsigned long long)wanted(m, &grp->req[i]));
}

static void one_round(const struct bucket *b, unsigned int round)
{
	const struct pcounter_request *req;
	struct machine m = { .state = WAIT_PRE };
	struct group grp;

	gpu_new(b->name);
	if (!has(PCOUNTER_CAP_SINGLE))
		goto out;
	if (round % 3)
		pcmodel_garbage(g.m, round);
	if (round % 2)
		say("quirk single_restart 1");
	random_signals(b->dom);
	random_process(&grp, b->dom);
	group_begin(&grp, 1);
	req = by_role(&grp, PCOUNTER_ROLE_PRE);
	m.pre = req ? req->init : 0;
	req = by_role(&grp, PCOUNTER_ROLE_STOP);
	m.stop = req ? req->init : 0;
	for (unsigned int i = 0; i < 4; i++)
		follow(&grp, &m, 1 + rnd(60));
	/* perf removes events and adds them again: the process continues */
	g.gpu.snapshot++;
	group_del(&grp, grp.n);
	for (unsigned int i = 0; i < grp.n; i++)
		grp.user[i] = pcounter_domain_add(&g.gpu, &grp.req[i]);
	pcounter_gpu_commit(&g.gpu);
	follow(&grp, &m, 40);
	group_stop(&grp);
out:
	gpu_free();
}

TEST(test_random_processes)
{
	const struct bucket *b;

	for (b = buckets; b < BUCKETS_END; b++) {
		ended = 0;
		for (unsigned int i = 0; i < ROUNDS; i++)
			one_round(b, i);
		/* both endless and finite ones */
		if (ended)
			assert_in_range(ended, ROUNDS / 4, 5 * ROUNDS - ROUNDS);
	}
}

/* EVENT counts the flag, set and cleared by members of the group. */
TEST(test_flag_in_a_process)
{
	u64 val[3];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .n = 3, .req = {
			ask(b->dom, PCOUNTER_ROLE_EVENT, 0),
			ask(b->dom, PCOUNTER_ROLE_SETFLAG, FIRST_SIG),
			ask(b->dom, PCOUNTER_ROLE_CLRFLAG, 0) } };

		/* by its source 1: before NV30 both flags have the same sources */
		grp.req[2].in.sig[1] = FIRST_SIG + 1;
		grp.req[2].in.op = 0xcccc;
		if (!has(PCOUNTER_CAP_SINGLE))
			continue;
		/* clocks 10 and 60 of each hundred */
		say("signal %u %u duty 1/100 phase 90", b->dom, FIRST_SIG);
		say("signal %u %u duty 1/100 phase 40", b->dom, FIRST_SIG + 1);
		grp.req[0].in.sig[0] = g.m->dom[b->dom].trailer + 0x1f -
				       g.gpu.topo.dom[b->dom].dom;
		grp.req[0].set.mode = PCOUNTER_MODE_SINGLE;
		group_begin(&grp, 1);
		pcmodel_run(g.m, 1000);
		group_read(&grp, val);
		assert_int_equal(val[0], 500);
		assert_int_equal(val[1], 0);
		assert_int_equal(val[2], 0);
		group_stop(&grp);
	}
}

/* A second process does not share the domain with the first. */
TEST(test_a_process_owns_its_domain)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group a = { .n = 1 }, c = { .n = 1 }, other = { .n = 1 };

		if (!has(PCOUNTER_CAP_SINGLE))
			continue;
		a.req[0] = gate(b->dom, PCOUNTER_ROLE_EVENT);
		c.req[0] = a.req[0];
		other.req[0] = ask_clk(b->dom);
		group_settle(&a, 1);
		group_settle(&c, 2);
		group_settle(&other, 0);
		assert_true(group_start(&a));
		assert_false(group_start(&c));
		assert_false(group_start(&other));
		group_stop(&a);
		assert_true(group_start(&other));
		group_stop(&other);
	}
}

/* perf closes the members of a group one by one. */
TEST(test_member_of_an_integer_goes)
{
	u64 val[2];

	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group sum = { .n = 2, .req = {
			ask(b->dom, PCOUNTER_ROLE_EVENT, FIRST_SIG),
			ask(b->dom, PCOUNTER_ROLE_START, FIRST_SIG + 1) } };
		struct group other = { .n = 1, .req = { ask(b->dom, PCOUNTER_ROLE_START,
							    FIRST_SIG + 3) } };

		if (!has(PCOUNTER_CAP_QUAD))
			continue;
		for (unsigned int i = 0; i < 4; i++)
			say("signal %u %u const 1", b->dom, FIRST_SIG + i);
		sum.req[0].set.ctr = 1;
		assert_true(group_settle(&sum, 0));
		assert_true(group_settle(&other, 0));
		assert_true(group_start(&sum));
		g.gpu.snapshot++;
		pcounter_client_del(&g.gpu, &g.gpu.dom[b->dom].client[sum.user[1]]);
		pcounter_gpu_commit(&g.gpu);
		/* the bits keep their old values */
		assert_false(group_start(&other));
		pcmodel_run(g.m, 100);
		sum.n = 1;
		group_read(&sum, val);
		assert_int_equal(val[0], 100);
		group_del(&sum, 1);
		pcounter_gpu_commit(&g.gpu);
		assert_true(group_start(&other));
		group_stop(&other);
	}
}

/* EVENT_B4 of one event: it adds up its number in clocks in which its op is 1. */
TEST(test_number_of_one_event)
{
	struct group grp = with_clk(ask(1, PCOUNTER_ROLE_EVENT, 0x20));
	u64 val[2], was[2];

	gpu_new("g84");
	say("signal 1 0x10 const 1");
	say("signal 1 0x11 const 0");
	say("signal 1 0x12 const 1");
	say("signal 1 0x13 const 0");
	say("signal 1 0x20 duty 1/4");
	grp.req[0].set.ctr = PCOUNTER_CTR_EVENT_B4;
	grp.req[0].number = true;
	grp.req[0].start.op = PCOUNTER_OP_ALWAYS;
	for (unsigned int i = 0; i < PCOUNTER_ARGS; i++)
		grp.req[0].start.sig[i] = 0x10 + i;
	group_begin(&grp, 0);
	pcmodel_run(g.m, 20);
	group_read(&grp, was);
	pcmodel_run(g.m, 400);
	group_read(&grp, val);
	/* 5 in each fourth clock */
	assert_in_range((val[0] - was[0]) * 4, (val[1] - was[1] - 4) * 5,
			(val[1] - was[1] + 4) * 5);
	group_stop(&grp);
	gpu_free();
}

int main(void)
{
	return unit_run(NULL, NULL);
}
