// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf removes all events and adds them again, in its order, at each new or closed event
 * and at many task switches, with interrupts off. This must not cost a search for each
 * waiting event, and still every event gets its turn.
 */
#include "count_test.h"
#include "set_test.h"

#define EVENTS		256
#define FEW		4	/* searches: one to add, plus the ones to program */
#define MOST_FAILURES	2	/* failed searches in a domain */
#define SIGNALS		200

static struct event {
	struct pcounter_request req;
	int user;		/* -1: it waits */
	bool counted;		/* at some time */
} events[EVENTS];

static unsigned int nr, searches;

typeof(pcounter_place) __real_pcounter_place, __wrap_pcounter_place;

bool __wrap_pcounter_place(struct pcounter_set *set, u32 caps, bool partial,
			   const struct pcounter_plan *now, struct pcounter_plan *plan)
{
	searches++;
	return __real_pcounter_place(set, caps, partial, now, plan);
}

static void begin(const char *chip)
{
	gpu_new(chip);
	nr = 0;
}

static void end(void)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (events[i].user >= 0)
			pcounter_client_del(&g.gpu, &g.gpu.dom[events[i].req.dom]
							.client[events[i].user]);
	}
	pcounter_gpu_commit(&g.gpu);
	for (unsigned int i = 0; i < nr; i++)
		pcounter_domain_put(&g.gpu, &events[i].req);
	gpu_free();
}

/* An event without a group. */
static void open_event(struct pcounter_request req, u64 id)
{
	struct pcounter_settings set = req.set;

	pcounter_request_apply(&req, &set, id);
	assert_int_equal(pcounter_domain_get(&g.gpu, &req), 0);
	events[nr++] = (struct event){ .req = req, .user = -1 };
}

/* Reschedule like perf; return the number of searches. */
static unsigned int reschedule(void)
{
	searches = 0;
	g.gpu.snapshot++;
	for (unsigned int i = 0; i < nr; i++)
		if (events[i].user >= 0)
			pcounter_client_del(&g.gpu, &g.gpu.dom[events[i].req.dom]
							.client[events[i].user]);
	for (unsigned int i = 0; i < nr; i++) {
		struct event *e = &events[i];

		e->user = pcounter_domain_add(&g.gpu, &e->req);
		if (e->user >= 0 && !pcounter_gpu_end_group(&g.gpu)) {
			pcounter_client_del(&g.gpu, &g.gpu.dom[e->req.dom].client[e->user]);
			e->user = -EAGAIN;
		}
		e->counted |= e->user >= 0;
	}
	pcounter_gpu_commit(&g.gpu);
	return searches;
}

/* Move the first counting event to the end of the queue. */
static unsigned int rotate(void)
{
	struct event first;
	unsigned int i = 0;

	while (i < nr - 1 && events[i].user < 0)
		i++;
	first = events[i];
	memmove(&events[i], &events[i + 1], (nr - 1 - i) * sizeof(*events));
	/* it stays on until all events are taken down */
	events[nr - 1] = first;
	return reschedule();
}

static void open_signals(unsigned int dom, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		open_event(ask(dom, PCOUNTER_ROLE_ANY, 1 + i % SIGNALS), i);
}

static unsigned int counting(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr; i++)
		n += events[i].user >= 0;
	return n;
}

/* ---- cases ---- */

TEST(nothing_changed)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		begin(b->name);
		open_signals(b->dom, EVENTS - 1);
		open_event(ask_clk(b->dom), 0);
		reschedule();
		assert_in_range(counting(), 2, EVENTS / 2);
		assert_int_equal(reschedule(), 0);
		end();
	}
}

/* With a shared CTRL each domain checks the other one. */
TEST(two_domains)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		begin(b->name);
		open_signals(b->dom, 20);
		if (g.gpu.topo.nr > 1)
			open_signals(b->dom ^ 1, 20);
		reschedule();
		assert_in_range(counting(), 1, 20);
		assert_int_equal(reschedule(), 0);
		end();
	}
}

TEST(turns)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		unsigned int before;

		begin(b->name);
		open_signals(b->dom, EVENTS);
		reschedule();
		before = counting();
		for (unsigned int i = 0; i < EVENTS; i++) {
			assert_in_range(rotate(), 1, FEW);
			/* 56 signals occur twice, and share a counter */
			assert_in_range(counting(), before / 2, 2 * before);
		}
		for (unsigned int i = 0; i < nr; i++)
			assert_true(events[i].counted);
		end();
	}
}

/* An event that fits counts at once, with any number waiting before it. */
TEST(room_beside)
{
	struct pcounter_request flag;

	begin("g84");
	open_signals(1, 100);
	open_event(ask_clk(1), 0);
	open_event(ask(1, PCOUNTER_ROLE_ANY, 2), 0);
	flag = ask(1, PCOUNTER_ROLE_SETFLAG, 3);
	open_event(flag, 0);
	open_event(ask(2, PCOUNTER_ROLE_ANY, 1), 0);
	reschedule();
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(events[i].user >= 0, i < 4 || i >= 100);
	assert_int_equal(reschedule(), 0);
	end();
}

/* Gated processes own their domain, one after the other. */
TEST(processes)
{
	begin("g84");
	for (unsigned int i = 0; i < 50; i++) {
		struct pcounter_request req = ask(1, PCOUNTER_ROLE_EVENT, 1 + i);

		req.set.mode = PCOUNTER_MODE_SINGLE;
		open_event(req, 1 + i);
	}
	open_signals(1, 50);
	reschedule();
	assert_int_equal(counting(), 1);
	assert_int_equal(reschedule(), 0);
	for (unsigned int i = 0; i < 100; i++)
		assert_in_range(rotate(), 0, FEW + MOST_FAILURES);
	for (unsigned int i = 0; i < nr; i++)
		assert_true(events[i].counted);
	end();
}

static struct pcounter_request random_request(unsigned int dom)
{
	struct pcounter_request req = ask(dom, rnd(2) ? PCOUNTER_ROLE_ANY : rnd(8), 0);

	if (req.role == PCOUNTER_ROLE_CLK)
		return ask_clk(dom);
	for (unsigned int i = 0; i < PCOUNTER_ARGS; i++)
		req.in.sig[i] = 1 + rnd(8);
	req.in.op = rnd(2) ? PCOUNTER_OP_SOURCE_0 : 1 + rnd(0xfffe);
	req.in.delay = rnd(3) ? 0 : rnd(4);
	return req;
}

static bool fits_alone(struct pcounter_request req)
{
	struct pcounter_settings set = req.set;
	struct pcounter_plan plan;

	pcounter_request_apply(&req, &set, 1);
	return __real_pcounter_place(set_of(&req, 1), g.gpu.gen->caps, false, NULL, &plan);
}

/* Inputs with roles, whose sources compete: searches decide whether they fit. */
TEST(anything)
{
	for (const struct bucket *b = buckets; b < BUCKETS_END; b++) {
		begin(b->name);
		while (nr < EVENTS) {
			struct pcounter_request req = random_request(b->dom);

			if (fits_alone(req))
				open_event(req, nr);
		}
		reschedule();
		assert_in_range(reschedule(), 0, MOST_FAILURES);
		for (unsigned int i = 0; i < EVENTS; i++)
			assert_in_range(rotate(), 0, PCOUNTER_MAX_REQUESTS * FEW);
		for (unsigned int i = 0; i < nr; i++)
			assert_true(events[i].counted);
		end();
	}
}

/* An event adds up the number of another event: without the other it cannot continue. */
TEST(member_leaves)
{
	struct pcounter_request sum = ask(1, PCOUNTER_ROLE_EVENT, 1);
	struct pcounter_request number = ask(1, PCOUNTER_ROLE_START, 2);
	int user;

	begin("g84");
	sum.set.ctr = PCOUNTER_CTR_EVENT_B4;
	number.set.ctr = PCOUNTER_CTR_EVENT_B4;
	open_event(sum, 1);
	pcounter_domain_get(&g.gpu, &number);
	pcounter_request_apply(&number, &sum.set, 1);
	g.gpu.snapshot++;
	events[0].user = pcounter_domain_add(&g.gpu, &events[0].req);
	user = pcounter_domain_add(&g.gpu, &number);
	assert_true(events[0].user >= 0 && user >= 0);
	assert_true(pcounter_gpu_end_group(&g.gpu));
	assert_true(pcounter_gpu_commit(&g.gpu));
	g.gpu.snapshot++;
	pcounter_client_del(&g.gpu, &g.gpu.dom[1].client[user]);
	pcounter_gpu_commit(&g.gpu);
	open_event(ask_clk(1), 2);
	reschedule();
	assert_true(events[0].user < 0);
	assert_true(events[1].user >= 0);
	pcounter_domain_put(&g.gpu, &number);
	end();
}

int main(void)
{
	return unit_run(NULL, NULL);
}
