// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random event sets on every bucket: an accepted set counts exactly as an independent
 * evaluation of the script, clock by clock; a refused set is impossible, shown by trying
 * everything (on small sets).
 */
#include "count_test.h"
#include "oracle_test.h"

#define POOL		6	/* signals that the sets are made of */
#define FIRST_SIG	0x08
#define RUN_IN		150	/* clocks after which delays and the flag have settled */
#define CLOCKS		400
#define ROUNDS		300

/*
 * The flag as a signal of its own domain; hw:signals/bases, for known trailers.
 */
static int flag_signal(unsigned int dom)
{
	const struct pcounter_dom_id *id = &g.gpu.topo.dom[dom];

	if (id->trailer == PCOUNTER_TRAILER_UNKNOWN || id->disputed)
		return -1;
	if (has(PCOUNTER_CAP_SETS))
		return id->trailer + 0x3f - id->dom;
	return id->trailer + 0x1f - id->dom;
}

static void random_signals(unsigned int dom)
{
	for (unsigned int sig = FIRST_SIG; sig < FIRST_SIG + POOL; sig++) {
		switch (rnd(3)) {
		case 0:
			say("signal %u %u random %u/65536 seed %u", dom, sig, rnd(65536),
			    rnd(1000));
			break;
		case 1:
			say("signal %u %u duty %u/%u phase %u", dom, sig, 1 + rnd(6), 7 + rnd(20),
			    rnd(9));
			break;
		default:
			say("signal %u %u const %u", dom, sig, rnd(2));
		}
	}
}

static unsigned int random_signal(unsigned int dom)
{
	int flag = flag_signal(dom);

	if (flag >= 0 && !rnd(5))
		return flag;
	return FIRST_SIG + rnd(POOL);
}

static struct pcounter_request random_request(unsigned int dom)
{
	static const u16 ops[] = {
		0xaaaa, 0xaaaa, 0x5555, 0x8888, 0xeeee, 0x6666, 0x2222, 0xf0f0,
		0xff00, 0xcaca, 0x8000, 0xffff,
	};
	struct pcounter_request req = ask(dom, rnd(3) ? PCOUNTER_ROLE_ANY : rnd(8), 0);

	if (req.role == PCOUNTER_ROLE_CLK)
		return ask_clk(dom);
	for (unsigned int i = 0; i < PCOUNTER_ARGS; i++)
		req.in.sig[i] = random_signal(dom);
	req.in.op = rnd(3) ? ops[rnd(ARRAY_SIZE(ops))] : 1 + rnd(0xffff);
	if (!rnd(3))
		req.in.delay = rnd(has(PCOUNTER_CAP_DELAY23) ? 16 : 4);
	if (has(PCOUNTER_CAP_FLAG_ARG) && !rnd(6) && !(req.in.delay & BIT(3)) &&
	    (req.role == PCOUNTER_ROLE_ANY || req.role == PCOUNTER_ROLE_EVENT ||
	     req.role == PCOUNTER_ROLE_STOP))
		req.in.flag = true;
	return req;
}

/* Choose a counter mode, and members of the group for its integer. */
static void random_sum(struct group *grp, unsigned int dom)
{
	unsigned int ctr = 1 + rnd(4);
	struct pcounter_request *req;

	if (!has(PCOUNTER_CAP_QUAD) || rnd(3) ||
	    (ctr > 1 && !has(PCOUNTER_CAP_SUM_EXTRA)))
		return;
	req = &grp->req[grp->n++];
	*req = random_request(dom);
	req->role = PCOUNTER_ROLE_START;
	req->in.flag = false;
	req->set.ctr = ctr;
	if (ctr == 3 && rnd(2))
		return;
	req = &grp->req[grp->n++];
	*req = random_request(dom);
	req->role = PCOUNTER_ROLE_EVENT;
	req->in.flag &= has(PCOUNTER_CAP_FLAG_ARG);
}

static void random_group(struct group *grp, unsigned int dom, unsigned int max)
{
	unsigned int n = 1 + rnd(max);

	grp->n = 0;
	random_sum(grp, dom);
	while (grp->n < n)
		grp->req[grp->n++] = random_request(dom);
}

/* ---- expected counts: an independent evaluation ---- */

static bool level(unsigned int dom, unsigned int sig, u64 clock, const bool *flag)
{
	/* hw:inputs/flag: the flag is visible two clocks later */
	if ((int)sig == flag_signal(dom))
		return flag[-2];
	return pcmodel_script_level(&g.m->dom[dom].sig[sig], clock);
}

static bool eval(const struct pcounter_request *req, u64 clock, const bool *flag,
		 bool setflag)
{
	const struct pcounter_input *in = &req->in;
	unsigned int row = 0;

	for (unsigned int k = 0; k < 4; k++) {
		bool delayed = in->delay >> k & 1;
		unsigned int source = delayed ? k & 1 : k;
		bool arg;

		if (k == 3 && in->flag)
			arg = setflag;
		else
			arg = level(req->dom, in->sig[source], clock - delayed,
				    flag - delayed);
		row |= arg << k;
	}
	return in->op >> row & 1;
}

static unsigned int integer(const struct pcounter_request *req, unsigned int first,
			    unsigned int n, u64 clock, const bool *flag)
{
	unsigned int value = 0;

	for (unsigned int i = 0; req && i < n; i++)
		value |= level(req->dom, req->in.sig[first + i], clock, flag) << i;
	return value;
}

/* hw:modes/sums */
static unsigned int increment(const struct group *grp, unsigned int i, u64 clock,
			      const bool *flag, bool setflag)
{
	const struct pcounter_request *start = by_role(grp, PCOUNTER_ROLE_START);
	const struct pcounter_request *event = by_role(grp, PCOUNTER_ROLE_EVENT);
	const struct pcounter_request *req = &grp->req[i];
	bool out = eval(req, clock, flag, setflag);
	unsigned int b4 = 0, b6 = 0;

	if (req->role == PCOUNTER_ROLE_CLK)
		return 1;
	if (req->set.ctr) {
		b4 = integer(start, 0, 4, clock, flag);
		b6 = b4 | integer(event, 2, 2, clock, flag) << 4;
	}
	if (req->role == PCOUNTER_ROLE_EVENT && req->set.ctr == 1)
		return out ? b4 : 0;
	if (req->role == PCOUNTER_ROLE_EVENT && req->set.ctr == 2)
		return out ? b6 : 0;
	if (req->role == PCOUNTER_ROLE_EVENT && req->set.ctr == 4)
		return integer(event, 0, 2, clock, flag);
	if (req->role == PCOUNTER_ROLE_START && req->set.ctr == 3)
		return b4;
	if (req->role == PCOUNTER_ROLE_START && req->set.ctr == 4)
		return b6;
	return out;
}

static bool run_flag(const struct group *grp, u64 clock, bool *flag)
{
	const struct pcounter_request *set = by_role(grp, PCOUNTER_ROLE_SETFLAG);
	const struct pcounter_request *clr = by_role(grp, PCOUNTER_ROLE_CLRFLAG);
	bool s = set && eval(set, clock, flag, false);

	*flag = flag[-1];
	if (clr && eval(clr, clock, flag, false))
		*flag = false;
	else if (s)
		*flag = true;
	return s;
}

/*
 * Evaluate from @from on, with the flag as @initial. While the flag is unknown, sums in
 * @sum are wrong: the caller compares both initial values.
 */
static void oracle(const struct group *grp, u64 from, unsigned int clocks,
		   bool initial, u64 *sum)
{
	static bool history[RUN_IN + CLOCKS + 4];
	bool *flag = history + 4;

	memset(sum, 0, grp->n * sizeof(*sum));
	memset(history, initial, sizeof(history));
	for (unsigned int c = 0; c < clocks; c++) {
		bool set = run_flag(grp, from + c, &flag[c]);

		for (unsigned int i = 0; i < grp->n && c >= RUN_IN; i++)
			if (grp->req[i].role != PCOUNTER_ROLE_SETFLAG &&
			    grp->req[i].role != PCOUNTER_ROLE_CLRFLAG)
				sum[i] += increment(grp, i, from + c, &flag[c], set);
	}
}

static unsigned int compared, unknown;

static void count_and_compare(struct group *grp)
{
	u64 from = pcmodel_cycle(g.m, grp->req[0].dom), before[PCOUNTER_MAX_REQUESTS];
	u64 after[PCOUNTER_MAX_REQUESTS], want[2][PCOUNTER_MAX_REQUESTS];

	pcmodel_run(g.m, RUN_IN);
	pcmodel_run(g.m, CLOCKS - group_read(grp, before));
	group_read(grp, after);
	oracle(grp, from, RUN_IN + CLOCKS, false, want[0]);
	oracle(grp, from, RUN_IN + CLOCKS, true, want[1]);
	for (unsigned int i = 0; i < grp->n; i++) {
		if (want[0][i] != want[1][i]) {
			unknown++;
			continue;
		}
		compared++;
		if (after[i] - before[i] != want[0][i])
			fail_msg("%s: member %u of %u (role %u, ctr %u): %llu, not %llu",
				 g.gpu.chip->name, i, grp->n, grp->req[i].role,
				 grp->req[i].set.ctr,
				 (unsigned long long)(after[i] - before[i]),
				 (unsigned long long)want[0][i]);
	}
}

/* ---- the property ---- */

/* The other readings of hw:ambiguities that affect counts here. */
static const char *const quirks[] = {
	"quirk junk 1", "quirk prev_new 1", "quirk self_event 1", "quirk cycles_alt 1",
	"quirk ack_swapped 1", "quirk clrflag_setflag_src 1", "quirk quad_clear 1",
	"quirk quad_state_reset 1", "quirk wrap32 1", "quirk extra_b4_gated 1",
};

static void one_round(const struct bucket *b, unsigned int round, unsigned int *refused)
{
	struct group grp = {};
	bool started;
	int at[PCOUNTER_MAX_REQUESTS];

	gpu_new(b->name);
	if (round & 1)
		pcmodel_garbage(g.m, round);
	if (round % 3 == 1)
		say(quirks[rnd(ARRAY_SIZE(quirks))]);
	random_signals(b->dom);
	random_group(&grp, b->dom, round % 3 ? 4 : 7);
	assert_true(group_settle(&grp, 0));
	pcmodel_run(g.m, 100);
	started = group_start(&grp);
	if (grp.n <= 4 && started != possible(grp.req, grp.n, g.gpu.gen->caps, 0, at))
		fail_msg("%s: round %u: placement says %d", b->name, round, started);
	if (started) {
		count_and_compare(&grp);
		group_stop(&grp);
	} else {
		for (unsigned int i = 0; i < grp.n; i++)
			assert_true(grp.user[i] >= 0 || grp.user[i] == -EAGAIN);
		(*refused)++;
	}
	gpu_free();
}

TEST(test_placement_and_counts)
{
	const struct bucket *b;
	unsigned int refused;

	for (b = buckets; b < BUCKETS_END; b++) {
		refused = 0;
		compared = 0;
		unknown = 0;
		for (unsigned int i = 0; i < ROUNDS; i++)
			one_round(b, i, &refused);
		/* both outcomes must occur */
		assert_in_range(refused, ROUNDS / 20, ROUNDS - ROUNDS / 10);
		assert_in_range(compared, ROUNDS / 8, 10 * ROUNDS);
		assert_in_range(unknown, 0, compared / 2);
	}
}

/*
 * An event that comes may move another, and restarts the counters of a domain without
 * periods: what they have counted until then stays. The members of a group, the clock among
 * them, miss the same cycles.
 */
TEST(test_counts_stay_when_others_come)
{
	for (const struct bucket *b = NULL; next_bucket(&b);) {
		struct group grp = { .req = { ask_clk(b->dom),
					      ask(b->dom, PCOUNTER_ROLE_ANY, 0x10) } };
		unsigned int came = 0;
		bool moved = false;
		u64 val[2];

		g.step = 20;
		say("signal %u 0x10 const 1", b->dom);
		/* without periods there is one counter, and the clock */
		grp.n = has(PCOUNTER_CAP_QUAD) ? 2 : 1;
		group_begin(&grp, 0);
		for (unsigned int role = PCOUNTER_ROLE_PRE; role <= PCOUNTER_ROLE_STOP; role++) {
			struct group rival = { .n = 1, .req = { ask(b->dom, role, 0x11) } };
			s8 slot = g.gpu.dom[b->dom].client[grp.user[grp.n - 1]].slot;

			if (grp.n == 1 && role != PCOUNTER_ROLE_EVENT)
				continue;
			pcmodel_run(g.m, 10000);
			group_begin(&rival, 0);
			came++;
			moved |= g.gpu.dom[b->dom].client[grp.user[grp.n - 1]].slot != slot;
			pcmodel_run(g.m, 100);
			group_read(&grp, val);
			group_stop(&rival);
			assert_true(val[0] >= came * 10100);
			assert_int_equal(val[grp.n - 1], val[0]);
		}
		assert_int_equal(moved, grp.n > 1);
		group_stop(&grp);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
