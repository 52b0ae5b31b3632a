// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement against a search written another way: an accepted set must hold by the rules
 * of hw:inputs, a refused set must be impossible.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bits.h>
#include <linux/kernel.h>

#include "rules/chip.h"
#include "rules/place.h"
#include "oracle_test.h"
#include "set_test.h"

#define CAPS	PCOUNTER_CAP_QUAD	/* NV30:GF100 as far as free counting goes */

static struct pcounter_request request(enum pcounter_role role, uint16_t op,
				       uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	struct pcounter_request req = {
		.role = role, .in = { .sig = { a, b, c, d }, .op = op },
	};

	pcounter_input_normalise(&req.in, 0);
	return req;
}

static struct pcounter_request any(uint8_t sig)
{
	return request(PCOUNTER_ROLE_ANY, PCOUNTER_OP_SOURCE_0, sig, 0, 0, 0);
}

static bool fits(const struct pcounter_request *req, unsigned int n, s8 *slot)
{
	struct pcounter_plan plan;
	s8 unused[PCOUNTER_MAX_REQUESTS];

	return place(req, n, CAPS, NULL, slot ? slot : unused, &plan);
}

TEST(test_equals_exhaustive_search)
{
	static const uint16_t ops[] = {
		0xaaaa, 0xcccc, 0xf0f0, 0xff00, 0x8888, 0xa0a0, 0x8000, 0x6996, 0xffff,
	};
	unsigned int accepted = 0, refused = 0;

	for (int round = 0; round < 20000; round++) {
		unsigned int n = 1 + rnd(5);
		struct pcounter_request req[5];
		s8 slot[PCOUNTER_MAX_REQUESTS];
		int at[5];
		bool ok;

		for (unsigned int i = 0; i < n; i++)
			req[i] = request(rnd(2) ? PCOUNTER_ROLE_ANY :
					 PCOUNTER_ROLE_PRE + rnd(6),
					 ops[rnd(ARRAY_SIZE(ops))], rnd(2), rnd(2),
					 rnd(2), rnd(2));
		ok = fits(req, n, slot);
		assert_int_equal(ok, possible(req, n, CAPS, 0, at));
		if (!ok) {
			refused++;
			continue;
		}
		accepted++;
		for (unsigned int i = 0; i < n; i++)
			at[i] = slot[i];
		assert_true(wires_agree(req, n, CAPS, at) && inputs_agree(req, n, at));
	}
	/* a lopsided generator would prove nothing */
	assert_in_range(accepted, 2000, 18000);
	assert_in_range(refused, 2000, 18000);
}

TEST(test_five_counters_never_fit)
{
	struct pcounter_request req[] = { any(1), any(2), any(3), any(4), any(5) };
	struct pcounter_conflict why;

	assert_true(fits(req, 4, NULL));
	assert_false(fits(req, 5, NULL));
	pcounter_place_conflict(set_of(req, 5), CAPS, &why);
	assert_int_equal(why.a, -1);
	assert_int_equal(why.b, 4);
}

TEST(test_conflicting_pair_is_named)
{
	struct pcounter_request req[] = {
		any(7),
		request(PCOUNTER_ROLE_START, 0xaaaa, 1, 0, 0, 0),
		any(8),
		request(PCOUNTER_ROLE_START, 0xaaaa, 2, 0, 0, 0),
	};
	struct pcounter_conflict why;

	assert_false(fits(req, 4, NULL));
	pcounter_place_conflict(set_of(req, 4), CAPS, &why);
	assert_int_equal(why.a, 1);
	assert_int_equal(why.b, 3);
}

TEST(test_flag_argument_only_at_event_and_stop)
{
	struct pcounter_request req[3];
	s8 slot[PCOUNTER_MAX_REQUESTS];

	for (int i = 0; i < 3; i++) {
		req[i] = (struct pcounter_request){
			.role = PCOUNTER_ROLE_ANY,
			.in = { .sig = { i }, .op = 0xaa00, .flag = true },
		};
		pcounter_input_normalise(&req[i].in, 0);
	}
	assert_true(fits(req, 2, slot));
	assert_true(slot[0] == PCOUNTER_EVENT || slot[0] == PCOUNTER_STOP);
	assert_true(slot[1] == PCOUNTER_EVENT || slot[1] == PCOUNTER_STOP);
	assert_false(fits(req, 3, NULL));
}

TEST(test_running_inputs_stay)
{
	struct pcounter_request req[] = { any(1), any(2) };
	struct pcounter_plan now, plan;
	s8 before[PCOUNTER_MAX_REQUESTS], after[PCOUNTER_MAX_REQUESTS];

	assert_true(place(req, 2, CAPS, NULL, before, &now));
	/* alone, the second would have got the first one's counter */
	assert_true(place(&req[1], 1, CAPS, &now, after, &plan));
	assert_int_equal(after[0], before[1]);
}

TEST(test_equal_inputs_share)
{
	struct pcounter_request req[] = {
		any(3), request(PCOUNTER_ROLE_PRE, 0xaaaa, 3, 0, 0, 0),
		any(4), any(5), any(6),
	};
	s8 slot[PCOUNTER_MAX_REQUESTS];

	assert_true(fits(req, 5, slot));
	assert_int_equal(slot[0], PCOUNTER_PRE);
}

/* A shared input is not moved to make room for others: that would take minutes. */
TEST(test_sharing_is_not_searched)
{
	struct pcounter_request req[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS - 2; i++)
		req[i] = any(3);
	/* SETFLAG borrows START's signals */
	req[i] = request(PCOUNTER_ROLE_START, 0xf0f0, 0, 0, 1, 0);
	req[i + 1] = request(PCOUNTER_ROLE_SETFLAG, 0xaaaa, 2, 0, 0, 0);
	alarm(20);
	for (i = 0; i < 100; i++)
		assert_false(fits(req, PCOUNTER_MAX_REQUESTS, NULL));
	alarm(0);
	assert_true(fits(req, PCOUNTER_MAX_REQUESTS - 1, NULL));
}

TEST(test_unused_sources_do_not_matter)
{
	struct pcounter_request a = request(PCOUNTER_ROLE_ANY, 0xaaaa, 5, 1, 2, 3);
	struct pcounter_request b = request(PCOUNTER_ROLE_ANY, 0xaaaa, 5, 9, 8, 7);

	assert_true(pcounter_request_equal(&a, &b));
}

/* hw:inputs/op: a delayed argument 2 looks at source 0, so source 2 is free */
TEST(test_delayed_arguments_use_sources_0_and_1)
{
	struct pcounter_input in = {
		.sig = { 1, 2, 3, 4 }, .op = 0x8000, .delay = BIT(2) | BIT(3),
	};

	assert_int_equal(pcounter_input_sources(&in), 0x3);
	pcounter_input_normalise(&in, 0);
	assert_int_equal(in.sig[2], 0);
	assert_int_equal(in.sig[3], 0);
}

TEST(test_set_refuses_what_never_fits)
{
	struct pcounter_request req[PCOUNTER_MAX_REQUESTS];
	struct pcounter_set set = { 0 };

	for (int i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		req[i] = any(i);
		assert_int_equal(pcounter_set_add(&set, &req[i]), i);
		assert_int_equal(pcounter_set_add(&set, &req[i]), i);
	}
	assert_int_equal(pcounter_set_add(&set, &(struct pcounter_request){
					  .role = PCOUNTER_ROLE_CLK }), -1);
}

static bool excluded(const struct pcounter_request *req, unsigned int n, u32 caps)
{
	return pcounter_place_excludes(set_of(req, n - 1), &req[n - 1], caps);
}

/* A set that is refused without a search is refused by a search, too. */
TEST(test_exclusion_is_right)
{
	static const uint16_t ops[] = { 0xaaaa, 0xcccc, 0x8888, 0x6996 };
	unsigned int refused = 0;

	for (int round = 0; round < 20000; round++) {
		unsigned int n = 2 + rnd(6);
		struct pcounter_request req[7];

		for (unsigned int i = 0; i < n; i++)
			req[i] = request(rnd(3) ? PCOUNTER_ROLE_ANY : PCOUNTER_ROLE_PRE + rnd(6),
					 ops[rnd(ARRAY_SIZE(ops))], rnd(3), rnd(3),
					 rnd(3), rnd(3));
		if (!fits(req, n - 1, NULL) || !excluded(req, n, CAPS))
			continue;
		assert_false(fits(req, n, NULL));
		refused++;
	}
	assert_in_range(refused, 500, 10000);
}

TEST(test_exclusion_of_a_fifth_input)
{
	struct pcounter_request req[] = { any(1), any(2), any(3), any(4), any(5) };

	assert_false(excluded(req, 4, CAPS));
	assert_true(excluded(req, 5, CAPS));
	req[4] = request(PCOUNTER_ROLE_STOP, PCOUNTER_OP_SOURCE_0, 5, 0, 0, 0);
	assert_true(excluded(req, 5, CAPS));
	/* it may share */
	req[4] = any(2);
	assert_false(excluded(req, 5, CAPS));
	/* no counter is needed, or another request has it already */
	req[4] = (struct pcounter_request){ .role = PCOUNTER_ROLE_CLK };
	assert_false(excluded(req, 5, CAPS));
	req[4] = request(PCOUNTER_ROLE_SETFLAG, PCOUNTER_OP_SOURCE_0, 5, 0, 0, 0);
	assert_false(excluded(req, 5, CAPS));
	req[4] = any(5);
	req[0] = request(PCOUNTER_ROLE_EVENT, PCOUNTER_OP_SOURCE_0, 2, 0, 0, 0);
	assert_false(excluded(req, 5, CAPS));
	req[0] = request(PCOUNTER_ROLE_CLRFLAG, PCOUNTER_OP_SOURCE_0, 2, 0, 0, 0);
	assert_false(excluded(req, 5, CAPS));
}

TEST(test_exclusion_by_mode)
{
	struct pcounter_request req[PCOUNTER_RECORD_SLOTS + 1];
	unsigned int i;

	/* without quad mode there is one counter */
	req[0] = any(1);
	req[1] = any(2);
	assert_true(excluded(req, 2, 0));
	/* a process has the domain for itself */
	req[1].set.mode = PCOUNTER_MODE_SINGLE;
	req[1].process = 1;
	assert_true(excluded(req, 2, CAPS));
	/* except within the process, which has all counters */
	req[0].set.mode = PCOUNTER_MODE_SINGLE;
	req[0].process = 1;
	assert_false(excluded(req, 2, 0));
	for (i = 0; i < ARRAY_SIZE(req); i++) {
		req[i] = any(i);
		req[i].set.mode = PCOUNTER_MODE_RECORD;
	}
	assert_false(excluded(req, PCOUNTER_RECORD_SLOTS, CAPS));
	assert_true(excluded(req, PCOUNTER_RECORD_SLOTS + 1, CAPS));
	for (i = 0; i < ARRAY_SIZE(req); i++)
		req[i].set.brief = true;
	assert_false(excluded(req, PCOUNTER_RECORD_SLOTS_SHORT, CAPS));
	assert_true(excluded(req, PCOUNTER_RECORD_SLOTS_SHORT + 1, CAPS));
}

int main(void)
{
	return unit_run(NULL, NULL);
}
