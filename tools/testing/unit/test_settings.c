// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings that all inputs of a domain share (hw:registers/nv40,
 * hw:registers/ctrl-nv40): requests with different constraints cannot be active
 * together, nor share a counter.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/kernel.h>

#include "rules/chip.h"
#include "rules/place.h"
#include "set_test.h"

#define CAPS	PCOUNTER_CAP_QUAD

static struct pcounter_request input(enum pcounter_role role, uint8_t sig)
{
	struct pcounter_request req = {
		.role = role, .in = { .sig = { sig }, .op = PCOUNTER_OP_SOURCE_0 },
		.set = { .mode = PCOUNTER_MODE_SINGLE },
	};

	pcounter_input_normalise(&req.in, 0);
	return req;
}

static bool fit(const struct pcounter_request *a, const struct pcounter_request *b)
{
	struct pcounter_request pair[] = { *a, *b };
	s8 slot[PCOUNTER_MAX_REQUESTS];
	struct pcounter_plan plan;

	return place(pair, 2, CAPS, NULL, slot, &plan);
}

/* In either order: refused, and for that reason. */
static void refused(const struct pcounter_request *a, const struct pcounter_request *b,
		    const char *reason)
{
	for (int turn = 0; turn < 2; turn++) {
		struct pcounter_request pair[] = { turn ? *b : *a, turn ? *a : *b };
		struct pcounter_conflict why;

		assert_false(fit(&pair[0], &pair[1]));
		pcounter_place_conflict(set_of(pair, 2), CAPS, &why);
		assert_int_equal(why.a, 0);
		assert_int_equal(why.b, 1);
		assert_string_equal(why.why, reason);
	}
}

TEST(test_each_setting_is_one_for_all)
{
	const struct pcounter_request a = input(PCOUNTER_ROLE_PRE, 1);
	struct pcounter_request b = input(PCOUNTER_ROLE_START, 2), c;

	assert_true(fit(&a, &b));
#define DIFFERS(field, value, reason)	\
	do {				\
		c = b;			\
		c.field = value;	\
		refused(&a, &c, reason); \
	} while (0)
	DIFFERS(set.mode, PCOUNTER_MODE_FREE, "the domain's mode");
	DIFFERS(process, 1, "the domain, which a process owns");
	DIFFERS(set.swap, 1, "what ends a period");
	DIFFERS(set.brief, true, "packet format");
#undef DIFFERS
}

/*
 * perf checks a member beside the members that are open by then, so two that are opened at
 * the same time may differ. Neither may count with the settings of the other.
 */
TEST(test_members_that_differ_never_fit)
{
	static const struct pcounter_settings sets[][2] = {
		{ { .ctr = PCOUNTER_CTR_EVENT_B4 }, { .ctr = PCOUNTER_CTR_EVENT_B6 } },
		{ { .periodic = 1 }, { .periodic = 2 } },
		{ { .swap = 1 }, { .swap = 2 } },
		{ { .threshold = 1 }, { .threshold = 2 } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sets); i++) {
		struct pcounter_request a = input(PCOUNTER_ROLE_PRE, 1);
		struct pcounter_request b = input(PCOUNTER_ROLE_START, 2);
		struct pcounter_settings group = sets[i][0];

		a.set = sets[i][0];
		b.set = sets[i][1];
		assert_int_not_equal(pcounter_settings_merge(&group, &b.set), 0);
		pcounter_request_apply(&a, &group, 1);
		pcounter_request_apply(&b, &group, 1);
		assert_false(fit(&a, &b));
	}
}

/* A constraint and none agree, two constraints must be equal. */
TEST(test_constraints)
{
	struct pcounter_request a = input(PCOUNTER_ROLE_PRE, 1);
	struct pcounter_request b = input(PCOUNTER_ROLE_START, 2);

	a.set.periodic = 3;
	assert_true(fit(&a, &b) && fit(&b, &a));
	b.set.periodic = 3;
	assert_true(fit(&a, &b));
	b.set.periodic = 4;
	refused(&a, &b, "PERIODIC period");

	a.set.periodic = 0;
	b.set.periodic = 0;
	a.set.threshold = 1000;
	assert_true(fit(&a, &b) && fit(&b, &a));
	b.set.threshold = 1001;
	assert_false(fit(&a, &b));

	a.set.threshold = 0;
	b.set.threshold = 0;
	a.set.ctr = PCOUNTER_CTR_EVENT_B4;
	assert_true(pcounter_settings_merge(&b.set, &a.set) == 0);
	assert_int_equal(b.set.ctr, PCOUNTER_CTR_EVENT_B4);
	b.set.ctr = PCOUNTER_CTR_EVENT_B6;
	refused(&a, &b, "counter mode");
	assert_true(pcounter_settings_merge(&b.set, &a.set) < 0);

	b.set.ctr = PCOUNTER_CTR_EVENT_B4;
	a.set.swap = 1;
	assert_true(pcounter_settings_merge(&b.set, &a.set) == 0);
	assert_int_equal(b.set.swap, 1);
	a.set.swap = 2;
	assert_true(pcounter_settings_merge(&b.set, &a.set) < 0);

	a.set.swap = 1;
	a.set.periodic = 1;
	assert_true(pcounter_settings_merge(&b.set, &a.set) == 0);
	assert_int_equal(b.set.periodic, 1);
	a.set.periodic = 2;
	assert_true(pcounter_settings_merge(&b.set, &a.set) < 0);
}

/* An import mode matters only to requests with an imported signal. */
TEST(test_import_modes)
{
	struct pcounter_request a = input(PCOUNTER_ROLE_PRE, 1);
	struct pcounter_request b = input(PCOUNTER_ROLE_START, 2);

	a.set.evpulse = true;
	assert_true(fit(&a, &b) && fit(&b, &a));
	b.imports = PCOUNTER_IMPORTS_FLAG;
	assert_true(fit(&a, &b) && fit(&b, &a));
	b.imports = PCOUNTER_IMPORTS_EVENT;
	refused(&a, &b, "EVENT import mode");
	b.set.evpulse = true;
	assert_true(fit(&a, &b) && fit(&b, &a));

	a.set.evpulse = false;
	b.set.evpulse = false;
	a.set.flagpulse = true;
	assert_true(fit(&a, &b) && fit(&b, &a));
	b.imports = PCOUNTER_IMPORTS_FLAG;
	refused(&a, &b, "FLAG import mode");
	b.set.flagpulse = true;
	assert_true(fit(&a, &b) && fit(&b, &a));
}

/* Each field distinguishes requests; equal ones share an index. */
TEST(test_every_field_tells_requests_apart)
{
	static const size_t fields[] = {
		offsetof(struct pcounter_request, dom),
		offsetof(struct pcounter_request, role),
		offsetof(struct pcounter_request, init),
		offsetof(struct pcounter_request, process),
		offsetof(struct pcounter_request, mux[0].id),
		offsetof(struct pcounter_request, mux[0].tpc),
		offsetof(struct pcounter_request, mux[0].sel),
		offsetof(struct pcounter_request, mux[1].id),
		offsetof(struct pcounter_request, mux[1].tpc),
		offsetof(struct pcounter_request, mux[1].sel),
		offsetof(struct pcounter_request, mux[2].id),
		offsetof(struct pcounter_request, number),
		offsetof(struct pcounter_request, start.sig[0]),
		offsetof(struct pcounter_request, set.mode),
		offsetof(struct pcounter_request, set.ctr),
		offsetof(struct pcounter_request, set.periodic),
		offsetof(struct pcounter_request, set.swap),
		offsetof(struct pcounter_request, set.brief),
		offsetof(struct pcounter_request, set.all),
		offsetof(struct pcounter_request, set.evpulse),
		offsetof(struct pcounter_request, set.flagpulse),
		offsetof(struct pcounter_request, set.threshold),
		offsetof(struct pcounter_request, in.sig[0]),
		offsetof(struct pcounter_request, in.op),
		offsetof(struct pcounter_request, in.delay),
		offsetof(struct pcounter_request, in.flag),
	};
	const struct pcounter_request a = input(PCOUNTER_ROLE_EVENT, 1);
	struct pcounter_request b, more[PCOUNTER_MAX_REQUESTS];
	struct pcounter_set set = {};
	int want = 0;

	/* the index of each domain fits into a request */
	b.dom = PCOUNTER_MAX_DOMAINS - 1;
	assert_int_equal(b.dom, PCOUNTER_MAX_DOMAINS - 1);
	assert_int_equal(pcounter_set_add(&set, &a), want);
	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++) {
		b = a;
		((u8 *)&b)[fields[i]] ^= 1;
		assert_false(pcounter_request_equal(&a, &b));
		assert_false(pcounter_request_equal(&b, &a));
		assert_true(pcounter_request_equal(&b, &b));
	}
	assert_int_equal(pcounter_set_add(&set, &a), want);
	b = a;
	while (set.n < PCOUNTER_MAX_REQUESTS) {
		b.init++;
		more[set.n] = b;
		assert_int_equal(pcounter_set_add(&set, &more[set.n]), ++want);
	}
	b.init++;
	assert_int_equal(pcounter_set_add(&set, &b), -1);
}

/*
 * hw:registers/ctrl-nv10: the nv10 layout has one counter mode for both
 * domains.
 */
TEST(test_shared_counter_mode)
{
	static const struct {
		u8 ctr_a, ctr_b, used_a, used_b;
		bool clash;
	} rows[] = {
		{ 0, 0, BIT(PCOUNTER_EVENT), BIT(PCOUNTER_EVENT), false },
		{ 1, 1, BIT(PCOUNTER_EVENT), BIT(PCOUNTER_EVENT), false },
		{ 1, 2, 0, 0, true },
		{ 1, 0, BIT(PCOUNTER_EVENT), BIT(PCOUNTER_EVENT), true },
		{ 1, 0, BIT(PCOUNTER_EVENT), BIT(PCOUNTER_START), false },
		{ 0, 1, BIT(PCOUNTER_EVENT), BIT(PCOUNTER_START), true },
		{ 0, 1, BIT(PCOUNTER_START), BIT(PCOUNTER_EVENT), false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcounter_plan a = { .set.ctr = rows[i].ctr_a, .used = rows[i].used_a };
		struct pcounter_plan b = { .set.ctr = rows[i].ctr_b, .used = rows[i].used_b };

		assert_int_equal(pcounter_plans_clash(&a, &b, PCOUNTER_CAP_CTRL_SHARED),
				 rows[i].clash);
		assert_false(pcounter_plans_clash(&a, &b, 0));
	}
}

/* hw:modes/record: twelve counters in a packet, four in a SHORT one. */
TEST(test_packets_have_so_many_counters)
{
	struct pcounter_request req[PCOUNTER_MAX_REQUESTS];
	s8 slot[PCOUNTER_MAX_REQUESTS];
	struct pcounter_plan plan;

	for (int brief = 0; brief < 2; brief++) {
		unsigned int most = brief ? 4 : 12;

		for (unsigned int i = 0; i < ARRAY_SIZE(req); i++) {
			req[i] = input(PCOUNTER_ROLE_ANY, i + 1);
			req[i].set.mode = PCOUNTER_MODE_RECORD;
			req[i].set.brief = brief;
		}
		assert_true(place(req, most, CAPS, NULL, slot, &plan));
		assert_false(place(req, most + 1, CAPS, NULL, slot, &plan));
	}
}

TEST(test_gated_process_counts_at_event)
{
	const struct pcounter_settings set = { .mode = PCOUNTER_MODE_SINGLE };
	struct pcounter_request req = input(PCOUNTER_ROLE_ANY, 1);

	pcounter_request_apply(&req, &set, 7);
	assert_int_equal(req.role, PCOUNTER_ROLE_EVENT);
	assert_int_equal(req.process, 7);
	req = input(PCOUNTER_ROLE_START, 1);
	pcounter_request_apply(&req, &set, 8);
	assert_int_equal(req.role, PCOUNTER_ROLE_START);
	assert_int_equal(req.process, 8);
}

/* One PRE has one initial value. */
TEST(test_process_has_each_gate_once)
{
	struct pcounter_request a = input(PCOUNTER_ROLE_PRE, 1), b = a;

	assert_true(fit(&a, &b));
	a.process = 7;
	b.process = 7;
	b.init = 1;
	refused(&a, &b, "counters and sources");
}

static struct pcounter_request sum_of(uint8_t first)
{
	struct pcounter_request req = input(PCOUNTER_ROLE_EVENT, 9);

	req.set.mode = PCOUNTER_MODE_FREE;
	req.set.ctr = PCOUNTER_CTR_EVENT_B4;
	req.number = true;
	for (unsigned int i = 0; i < PCOUNTER_ARGS; i++)
		req.start.sig[i] = first + i;
	req.start.op = PCOUNTER_OP_ALWAYS;
	return req;
}

/* EVENT's request claims START too, with the sources of its number. */
TEST(test_number_claims_start)
{
	struct pcounter_request req[4] = { sum_of(1) }, start, flag;
	s8 slot[PCOUNTER_MAX_REQUESTS];
	struct pcounter_plan plan;

	assert_true(place(req, 1, CAPS, NULL, slot, &plan));
	assert_int_equal(slot[0], PCOUNTER_EVENT);
	assert_int_equal(plan.used, BIT(PCOUNTER_EVENT) | BIT(PCOUNTER_START));
	assert_int_equal(plan.in[PCOUNTER_START].op, PCOUNTER_OP_ALWAYS);
	for (unsigned int i = 0; i < PCOUNTER_ARGS; i++)
		assert_int_equal(plan.in[PCOUNTER_START].sig[i], 1 + i);
	/* two counters are left, in any order of arrival */
	for (unsigned int at = 0; at < 3; at++) {
		for (unsigned int i = 0; i < 4; i++) {
			req[i] = input(PCOUNTER_ROLE_ANY, 0x20 + i);
			req[i].set.mode = PCOUNTER_MODE_FREE;
		}
		req[at] = sum_of(1);
		assert_true(place(req, 3, CAPS, NULL, slot, &plan));
		assert_false(place(req, 4, CAPS, NULL, slot, &plan));
	}
	/* only an identical request for START fits */
	req[0] = sum_of(1);
	start = input(PCOUNTER_ROLE_START, 1);
	start.set.mode = PCOUNTER_MODE_FREE;
	start.set.ctr = PCOUNTER_CTR_EVENT_B4;
	assert_false(fit(&req[0], &start) || fit(&start, &req[0]));
	start.in = plan.in[PCOUNTER_START];
	start.in.op = PCOUNTER_OP_ALWAYS;
	for (unsigned int i = 0; i < PCOUNTER_ARGS; i++)
		start.in.sig[i] = 1 + i;
	assert_true(fit(&req[0], &start) && fit(&start, &req[0]));
	/* SETFLAG borrows sources 2 and 3 of START (hw:inputs/flag-sources) */
	flag = input(PCOUNTER_ROLE_SETFLAG, 1);
	flag.set.mode = PCOUNTER_MODE_FREE;
	assert_false(fit(&req[0], &flag) || fit(&flag, &req[0]));
	flag.in.sig[0] = 3;
	assert_true(fit(&req[0], &flag) && fit(&flag, &req[0]));
}

TEST(test_limits)
{
	struct pcounter_request req[PCOUNTER_MAX_REQUESTS] = {};
	s8 slot[PCOUNTER_MAX_REQUESTS];
	struct pcounter_plan plan;

	for (unsigned int i = 0; i < ARRAY_SIZE(req); i++)
		req[i].role = PCOUNTER_ROLE_CLK;
	/* the clock costs nothing */
	assert_int_equal(pcounter_role_slots(&req[0]), 0);
	assert_true(place(req, PCOUNTER_MAX_REQUESTS, CAPS, NULL, slot, &plan));
}

int main(void)
{
	return unit_run(NULL, NULL);
}
