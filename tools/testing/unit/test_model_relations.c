// SPDX-License-Identifier: GPL-2.0-only
/*
 * Relations between values of real cards (traces/README) hold between values of the
 * model: the same registers, signals at the rates of the card.
 */
#include "model_test.h"
#include "traces.h"

#define GF100_BASE	0x180000
#define BLOCKS		(0x34000 / 0x200)
#define LOOKS		64	/* reads of counters in a call */

/* Offsets in a domain's block, hw:registers/gf100-domain */
#define R_PRE_SRC	0x40
#define R_START_OP	0x4c
#define R_CYCLES	0x70
#define R_EVENT		0x80
#define R_START		0x88
#define R_PRE		0x8c
#define R_STOP		0x90
#define R_CTRL		0x9c

static const char *const chips[] = {
	"gf100", "gf104", "gf108", "gf110", "gf114", "gf116", "gf119", "gk104", "gk106", "gk107",
	"gk110", "gk208", "gm107", "gm206",
};

/* Set up all domains of a card in the recordings, and more. */
static void new_card(const char *chip)
{
	assert_int_equal(pcmodel_init(m, pcmodel_find_chip(chip)), 0);
	say(!strcmp(chip, "gk110") ? "units gpc 5 0 0" : "units gpc 4 0 0");
	say("units part 6 1 0");
}

static int domain_of(uint32_t addr)
{
	unsigned int at = addr - GF100_BASE;
	char name[16];

	if (at < 0x20000)
		snprintf(name, sizeof(name), "gpc%u.%u", at / 0x1000, at % 0x1000 / 0x200);
	else
		snprintf(name, sizeof(name), "part%u.%u", (at - 0x20000) / 0x1000,
			 at % 0x1000 / 0x200);
	return pcmodel_find_domain(m, name, strlen(name));
}

static bool is_counter(const struct trace_op *op, unsigned int reg)
{
	return !op->write && op->addr - GF100_BASE < BLOCKS * 0x200 &&
	       (op->addr & 0x1ff) == reg;
}

static bool is_look(const struct trace_op *op)
{
	return is_counter(op, R_CYCLES) || is_counter(op, R_PRE) || is_counter(op, R_START) ||
	       is_counter(op, R_EVENT) || is_counter(op, R_STOP);
}

/* Result of a call: a register of each domain, and the card's value. */
struct look {
	unsigned int n;
	uint32_t addr[LOOKS];
	uint32_t card[LOOKS];
};

static struct look look_of(const struct trace *t, unsigned int at, unsigned int reg)
{
	struct look l = {};

	for (unsigned int i = at; i < t->n && t->op[i].call == t->op[at].call; i++) {
		if (!is_counter(&t->op[i], reg))
			continue;
		assert_in_range(l.n, 0, LOOKS - 1);
		l.addr[l.n] = t->op[i].addr;
		l.card[l.n++] = t->op[i].val;
	}
	return l;
}

/* Drive the signals behind a domain's counters at the card's rates. */
static void drive(uint32_t block, uint32_t share)
{
	int dom = domain_of(block);

	for (unsigned int slot = 0; slot < 4; slot++) {
		uint32_t src = pcmodel_rd32(m, block + R_PRE_SRC + slot * 8);

		for (unsigned int k = 0; k < 4; k++) {
			struct pcmodel_script s = { .kind = PCMODEL_RANDOM, .share = share,
						    .seed = rnd(1 << 20) };

			pcmodel_set_signal(m, dom, src >> 8 * k & 0xff, &s);
		}
	}
}

static uint32_t rate_of(const struct trace *t, unsigned int at, uint32_t block,
			uint32_t cycles)
{
	uint32_t most = 0;

	for (unsigned int i = at; i < t->n && t->op[i].call == t->op[at].call; i++)
		if (!t->op[i].write && (t->op[i].addr & ~0x1ffu) == block &&
		    (t->op[i].addr & 0x1ff) != R_CYCLES && t->op[i].val > most)
			most = t->op[i].val;
	return most < cycles ? (uint64_t)most * 65536 / cycles : 65536;
}

/*
 * One command stream begins and ends the period of all domains. Their clocks run at one
 * rate, each with a phase of its own.
 */
static void period(void)
{
	for (unsigned int dom = 0; dom < m->domains; dom++) {
		pcmodel_set_clock(m, dom, 7, 10);
		m->dom[dom].acc = rnd(10);
	}
	say("trigger");
	pcmodel_run(m, 1000 + rnd(3000));
	say("trigger");
	pcmodel_run(m, 3);
}

struct found {
	unsigned int groups, same, starts, values;
};

/* Several domains: their CYCLES are equal, or differ by 1. */
static void check_cycles(const struct look *l, struct found *f)
{
	uint32_t low = ~0u, high = 0, card_low = ~0u, card_high = 0;

	for (unsigned int i = 0; i < l->n; i++) {
		uint32_t val = pcmodel_rd32(m, l->addr[i]);

		low = val < low ? val : low;
		high = val > high ? val : high;
		card_low = l->card[i] < card_low ? l->card[i] : card_low;
		card_high = l->card[i] > card_high ? l->card[i] : card_high;
	}
	if (l->n < 2)
		return;
	assert_in_range(card_high - card_low, 0, 1);
	assert_in_range(high - low, 0, 1);
	f->groups++;
	f->same += card_high == card_low;
}

/* Always-true START counts every clock, in each of the sum modes. */
static void check_starts(const struct look *start, const struct look *cycles,
			 struct found *f)
{
	for (unsigned int i = 0; i < start->n; i++) {
		uint32_t block = start->addr[i] & ~0x1ffu;
		uint32_t mode = pcmodel_rd32(m, block + R_CTRL) >> 3 & 7;

		if ((pcmodel_rd32(m, block + R_START_OP) & 0xffff) != 0xffff || mode > 4)
			continue;
		for (unsigned int k = 0; k < cycles->n; k++) {
			if ((cycles->addr[k] & ~0x1ffu) != block)
				continue;
			assert_int_equal(start->card[i], cycles->card[k]);
			assert_int_equal(pcmodel_rd32(m, start->addr[i]),
					 pcmodel_rd32(m, cycles->addr[k]));
			f->starts++;
		}
	}
}

/* Return the maximum that a clock can add to a counter. */
static unsigned int weight(unsigned int mode, unsigned int reg)
{
	if (reg == R_EVENT && mode == 2)
		return 63;
	if (reg == R_PRE && mode == 6)
		return 31;
	if (reg == R_EVENT && (mode == 1 || mode == 7))
		return 15;
	return mode == 5 ? 0 : 1;
}

/* No counter exceeds the maximum of its mode in these cycles. */
static void check_values(const struct trace *t, unsigned int at, const struct look *cycles,
			 struct found *f)
{
	static const unsigned int regs[] = { R_PRE, R_START, R_EVENT, R_STOP };

	for (unsigned int r = 0; r < 4; r++) {
		struct look l = look_of(t, at, regs[r]);

		for (unsigned int i = 0; i < l.n; i++) {
			uint32_t block = l.addr[i] & ~0x1ffu;
			unsigned int most = weight(pcmodel_rd32(m, block + R_CTRL) >> 3 & 7,
						   regs[r]);

			for (unsigned int k = 0; k < cycles->n; k++) {
				if ((cycles->addr[k] & ~0x1ffu) != block)
					continue;
				assert_true(l.card[i] <= most * cycles->card[k]);
				assert_true(pcmodel_rd32(m, l.addr[i]) <=
					    most * pcmodel_rd32(m, cycles->addr[k]));
				f->values++;
			}
		}
	}
}

/* Check the periods of all domains that the recording reads. */
static void check_periods(const struct trace *t, unsigned int at)
{
	for (unsigned int i = at; i < t->n && t->op[i].call == t->op[at].call; i++)
		if (is_look(&t->op[i]))
			assert_true(pcmodel_rd32(m, (t->op[i].addr & ~0x1ffu) + R_CYCLES) > 500);
}

static void check_call(const struct trace *t, unsigned int at, struct found *f)
{
	struct look cycles = look_of(t, at, R_CYCLES), start = look_of(t, at, R_START);

	for (unsigned int i = 0; i < cycles.n; i++)
		drive(cycles.addr[i] & ~0x1ffu,
		      rate_of(t, at, cycles.addr[i] & ~0x1ffu, cycles.card[i]));
	period();
	check_periods(t, at);
	check_cycles(&cycles, f);
	check_starts(&start, &cycles, f);
	check_values(t, at, &cycles, f);
}

TEST(test_relations)
{
	struct found f = {};

	for (unsigned int c = 0; c < sizeof(chips) / sizeof(*chips); c++) {
		struct trace *t = trace_read(chips[c]);

		for (unsigned int i = 0; i < t->n; i++) {
			if (!i || t->op[i].run != t->op[i - 1].run)
				new_card(chips[c]);
			if (t->op[i].write && t->op[i].addr - GF100_BASE < BLOCKS * 0x200)
				pcmodel_wr32(m, t->op[i].addr, t->op[i].val);
			else if ((!i || t->op[i].call != t->op[i - 1].call) &&
				 is_look(&t->op[i]))
				check_call(t, i, &f);
		}
		trace_free(t);
	}
	printf("# %u groups of domains, %u of them alike on the card; %u STARTs, %u values\n",
	       f.groups, f.same, f.starts, f.values);
	/* the number in the recordings */
	assert_int_equal(f.groups, 325);
	assert_int_equal(f.same, 240);
	assert_int_equal(f.starts, 758);
	assert_true(f.values > 4000);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
