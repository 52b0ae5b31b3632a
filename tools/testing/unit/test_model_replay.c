// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replay recordings of NVIDIA's own driver on real cards, on the model (traces/README).
 *
 * An access is explained if the model knows the register, keeps the written value, and a
 * read gives the card's value. One input comes from the trace, since the recordings do not
 * have its cause: the rates of the signals behind a counter. The test drives the signals so
 * that they would make the card's count; the model has to reproduce it with the counter
 * mode, the truth table, the origin of a swap and its time.
 *
 * All other accesses need an excuse. The excuses of each card are in traces/replayed.csv,
 * the source for the pages. With --update the numbers are written, not compared.
 */
#include "model_test.h"
#include "traces.h"
#include "traces_drive.h"

#define NUMBERS		"traces/replayed.csv"
#define GF100_BASE	0x180000
#define GF100_SIZE	0x34000
#define BLOCKS		(GF100_SIZE / 0x200)
#define STATUS_BITS	0x33000000u
#define WORTH_PRINTING	5

/* Excuses, the last columns of replayed.csv. */
enum excuse {
	GIVEN,		/* a mux before the run has touched it: the model gets the answer */
	IMAGE,		/* a mux out of the image of a graphics context */
	OTHER_CARD,	/* units of another card in that machine */
	MEMORY,		/* a register of the memory controller, read once a run */
	EXCUSES,
	NONE = EXCUSES
};

static const char *const excuse_names[] = { "given", "image", "other_card", "memory_controller" };

/* Reads of registers that are not this card's, or another engine's. */
static const struct {
	const char *chip;
	uint32_t addr;
	uint32_t val;	/* 0: any */
	enum excuse excuse;
} foreign[] = {
	{ "gk106", 0x022438, 6, OTHER_CARD },	/* beside the answer 3 */
	{ "gk106", 0x022548, 1, OTHER_CARD },
	{ "gf116", 0x022438, 4, OTHER_CARD },	/* beside the answer 3 */
	{ NULL, 0x1410dc, 0, MEMORY },
};

/*
 * GK106, GK107, with the driver of 2015: there the driver reads muxes of the memory from
 * the image of the graphics context. From the second pass on an answer may be an older
 * value, the value of another of these muxes, or the fill pattern of the image; never
 * anything else.
 */
#define IMAGE_FIRST	0x140000
#define IMAGE_LAST	0x147fff
#define IMAGE_EMPTY	0x0bad0bad
#define IMAGE_VALUES	64

/**
 * struct replay - the state of a replay
 * @card: the card
 * @t: its recording
 * @m: the model
 * @block: blocks of the domains
 * @touched: addresses that this run has used
 * @ntouched: their number
 * @image: values of memory muxes in this run
 * @nimage: their number
 * @fresh: the present access is the first read of a mux
 * @runs: runs of the card
 * @accesses: their accesses
 * @explained: accesses that the model explains
 * @excused: accesses with an excuse
 * @wrong: all other accesses
 */
static struct replay {
	const struct card *card;
	struct trace *t;
	struct traced block[BLOCKS];
	uint32_t touched[256];
	unsigned int ntouched;
	uint32_t image[IMAGE_VALUES];
	unsigned int nimage;
	bool fresh;
	unsigned int runs, accesses, explained, excused[EXCUSES], wrong;
} r;

static struct replay done[CARDS];
static bool update;

static bool is_gf100(void)
{
	return r.card->gpcs;
}

/* ---- where things are ---- */

enum what { OTHER, SRC, OP, MODE, ACK, COUNTER, CYCLES };

/* Classify an address: return its kind, with its block and slot. */
static enum what find(uint32_t addr, struct traced **b, unsigned int *slot)
{
	static const uint16_t gf100[] = { 0x8c, 0x88, 0x80, 0x90 };
	static const uint16_t nv40[] = { CTR_PRE, CTR_START, CTR_EVENT, CTR_STOP };
	uint32_t reg = addr & 0x1ff;

	if (is_gf100() && addr - GF100_BASE < GF100_SIZE) {
		*b = &r.block[(addr - GF100_BASE) / 0x200];
		if (reg >= 0x40 && reg < 0x60) {
			*slot = (reg - 0x40) / 8;
			return reg & 4 ? OP : SRC;
		}
		for (*slot = 0; *slot < TRACED_SLOTS; ++*slot)
			if (reg == gf100[*slot])
				return COUNTER;
		return reg == 0x9c ? MODE : reg == 0x70 ? CYCLES : reg == 0xa0 ? ACK : OTHER;
	}
	if (is_gf100() || addr - WINDOW >= 0x1000)
		return OTHER;
	reg = (addr - WINDOW) & ~0x1fu;
	*b = &r.block[(addr - WINDOW) % 0x20 / 4];
	*slot = (reg - PRE_SRC) / 0x40;
	if (reg >= PRE_SRC && reg < SETFLAG_OP)
		return reg & 0x20 ? OP : SRC;
	for (*slot = 0; *slot < TRACED_SLOTS; ++*slot)
		if (reg == nv40[*slot])
			return COUNTER;
	return reg == CTRL ? MODE : reg == CTR_CYCLES ? CYCLES : reg == QUAD_ACK ? ACK : OTHER;
}

/* Return the model's domain of a block. */
static int domain_of(unsigned int block)
{
	unsigned int at = block * 0x200;
	char name[16];

	if (!is_gf100())
		return block < m->domains ? (int)block : -1;
	if (at < 0x20000)
		snprintf(name, sizeof(name), "gpc%u.%u", at / 0x1000, block % 8);
	else if (at < 0x30000)
		snprintf(name, sizeof(name), "part%u.%u", (at - 0x20000) / 0x1000, block % 8);
	else
		snprintf(name, sizeof(name), "hub%u", block % 8);
	return pcmodel_find_domain(m, name, strlen(name));
}

/* ---- a period ---- */

/* Find the card's answers that follow, up to the next programming. */
static void look_ahead(unsigned int at)
{
	unsigned int run = r.t->op[at].run, slot = 0;
	struct traced *b;

	for (; at < r.t->n && r.t->op[at].run == run; at++) {
		const struct trace_op *op = &r.t->op[at];
		enum what what = find(op->addr, &b, &slot);

		if (op->write && (what == MODE || op->addr == DEBUG_1))
			return;
		if (op->write || !b || !b->armed)
			continue;
		if (what == COUNTER && !b->has[slot]) {
			b->has[slot] = true;
			b->ctr[slot] = op->val;
		} else if (what == CYCLES && !b->has_cycles) {
			b->has_cycles = true;
			b->cycles = op->val;
		}
	}
}

/* A command stream's PM_TRIGGER begins the period and ends it. */
static void run_period(unsigned int at)
{
	uint32_t longest = 1;

	look_ahead(at);
	for (unsigned int i = 0; i < m->domains; i++)
		pcmodel_set_clock(m, i, 0, 1);
	for (unsigned int i = 0; i < BLOCKS; i++) {
		struct traced *b = &r.block[i];

		b->clocks = b->armed ? traced_period(b) : 0;
		longest = b->clocks > longest ? b->clocks : longest;
	}
	for (unsigned int i = 0; i < BLOCKS; i++) {
		struct traced *b = &r.block[i];

		if (!b->clocks)
			continue;
		traced_drive(b);
		pcmodel_set_clock(m, b->dom, b->clocks, longest);
	}
	say("trigger");
	pcmodel_run(m, longest);
	for (unsigned int i = 0; i < BLOCKS; i++)
		if (r.block[i].clocks)
			pcmodel_set_clock(m, r.block[i].dom, 1, 1);
	say("trigger");
	pcmodel_run(m, 1);
	for (unsigned int i = 0; i < BLOCKS; i++) {
		struct traced *b = &r.block[i];

		b->armed = false;
		b->has_cycles = false;
		memset(b->has, 0, sizeof(b->has));
		memset(b->ctr, 0, sizeof(b->ctr));
	}
}

/* ---- the accesses ---- */

static uint64_t lints(void)
{
	return m->lint.absent + m->lint.bits + m->lint.direction + m->lint.width +
	       m->lint.tvout + m->lint.pmc;
}

static bool first_touch(uint32_t addr)
{
	for (unsigned int i = 0; i < r.ntouched; i++)
		if (r.touched[i] == addr)
			return false;
	assert_in_range(r.ntouched, 0, 255);
	r.touched[r.ntouched++] = addr;
	return true;
}

static bool is_mux(uint32_t addr)
{
	if (!is_gf100())
		return addr >= 0x408000 && addr < 0x410000;
	return addr == 0x10f100 || addr == 0x110100 || addr == 0x111100 ||
	       (addr >= 0x140000 && addr < 0x180000) ||
	       (addr >= 0x404000 && addr < 0x600000);
}

/*
 * Return the bits that a register keeps; 0 for a register that triggers an action, or is
 * absent.
 */
static uint32_t kept(uint32_t addr, enum what what)
{
	if (what == ACK || addr == DEBUG_1 || addr == r.card->absent)
		return 0;
	return what == MODE ? ~STATUS_BITS : ~0u;
}

static bool replay_write(const struct trace_op *op)
{
	unsigned int slot = 0;
	struct traced *b = NULL;
	enum what what = find(op->addr, &b, &slot);
	uint32_t mask = kept(op->addr, what);
	uint64_t before = lints();
	int dom;

	first_touch(op->addr);
	pcmodel_wr32(m, op->addr, op->val);
	/* PM_TRIGGER: each block with a period begins a new one */
	for (unsigned int i = 0; i < BLOCKS && op->addr == DEBUG_1; i++)
		r.block[i].armed |= r.block[i].used;
	if (mask && (pcmodel_rd32(m, op->addr) ^ op->val) & mask)
		return false;
	if (what == SRC)
		b->src[slot] = op->val;
	if (what == OP)
		b->op[slot] = op->val;
	if (what == MODE) {
		dom = domain_of(b - r.block);
		b->m = m;
		b->sets = is_gf100();
		b->mode = is_gf100() ? op->val >> 3 & 7 : op->val >> 4 & 7;
		b->armed = dom >= 0;
		b->used = dom >= 0;
		b->dom = dom;
	}
	return lints() == before;
}

static bool replay_read(unsigned int at)
{
	const struct trace_op *op = &r.t->op[at];
	unsigned int slot = 0;
	struct traced *b = NULL;
	enum what what = find(op->addr, &b, &slot);
	uint64_t before = lints();

	r.fresh = first_touch(op->addr) && is_mux(op->addr);
	if (r.fresh)
		pcmodel_wr32(m, op->addr, op->val);
	if ((what == COUNTER || what == CYCLES) && b->armed)
		run_period(at);
	return pcmodel_rd32(m, op->addr) == op->val && lints() == before;
}

/* Reset the card for a new run, with any values in the muxes. */
static void new_run(void)
{
	assert_int_equal(pcmodel_init(m, pcmodel_find_chip(r.card->chip)), 0);
	memset(r.block, 0, sizeof(r.block));
	r.ntouched = 0;
	r.nimage = 0;
	card_units(r.card);
	if (is_gf100())
		return;
	/* the state after boot: a command stream's trigger swaps */
	for (unsigned int dom = 0; dom < m->domains; dom++)
		wr(SPEC_SRC, dom, m->dom[dom].trailer + 0x0f);
}

/* Return the excuse for a read of a foreign register, or NONE. */
static enum excuse foreign_excuse(const struct trace_op *op)
{
	for (unsigned int i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
		if (op->write || op->addr != foreign[i].addr)
			continue;
		if (foreign[i].chip && strcmp(foreign[i].chip, r.card->chip))
			continue;
		if (!foreign[i].val || op->val == foreign[i].val)
			return foreign[i].excuse;
	}
	return NONE;
}

static bool has_image(const struct trace_op *op)
{
	bool card = !strcmp(r.card->chip, "gk106") || !strcmp(r.card->chip, "gk107");

	return card && !*r.card->set && op->addr >= IMAGE_FIRST && op->addr <= IMAGE_LAST;
}

/* Return true if one of these muxes has had the value. */
static bool is_image(const struct trace_op *op)
{
	if (op->write || !has_image(op))
		return false;
	for (unsigned int i = 0; i < r.nimage; i++)
		if (r.image[i] == op->val)
			return true;
	return op->val == IMAGE_EMPTY;
}

static void remember_image(const struct trace_op *op)
{
	if (!has_image(op) || is_image(op))
		return;
	for (unsigned int i = 0; i < r.nimage; i++)
		if (r.image[i] == op->val)
			return;
	assert_in_range(r.nimage, 0, IMAGE_VALUES - 1);
	r.image[r.nimage++] = op->val;
}

static void replay_op(unsigned int at)
{
	const struct trace_op *op = &r.t->op[at];
	enum excuse excuse = foreign_excuse(op);

	r.accesses++;
	r.fresh = false;
	if (op->write ? replay_write(op) : replay_read(at)) {
		remember_image(op);
		if (r.fresh)
			r.excused[GIVEN]++;
		else
			r.explained++;
	} else if (is_image(op)) {
		r.excused[IMAGE]++;
	} else if (excuse != NONE) {
		r.excused[excuse]++;
	} else if (r.wrong++ < WORTH_PRINTING) {
		printf("# %s %s: %s 0x%06x 0x%x: the model has 0x%x\n", r.card->chip,
		       r.t->name[op->run], op->write ? "write" : "read", op->addr, op->val,
		       pcmodel_rd32(m, op->addr));
	}
}

static void test_replay(void **state)
{
	r = (struct replay){ .card = *state };
	if (!pcmodel_find_chip(r.card->chip))
		fail_msg("%s is not modelled", r.card->chip);
	r.t = trace_read(r.card->chip);
	for (unsigned int i = 0; i < r.t->n; i++) {
		if (card_of(r.card->chip, r.t->name[r.t->op[i].run]) != r.card)
			continue;
		if (!i || r.t->op[i].run != r.t->op[i - 1].run) {
			new_run();
			r.runs++;
		}
		replay_op(i);
	}
	printf("# %s%s: %u runs, %u accesses, %u explained", r.card->chip, r.card->set, r.runs,
	       r.accesses, r.explained);
	for (unsigned int i = 0; i < EXCUSES; i++)
		printf(", %s %u", excuse_names[i], r.excused[i]);
	printf(", unexplained %u\n", r.wrong);
	assert_true(r.runs);
	trace_free(r.t);
	assert_int_equal(r.wrong, 0);
	done[r.card - cards] = r;
}

static void print_numbers(FILE *file)
{
	fprintf(file, "chip,set,card,runs,accesses,explained");
	for (unsigned int i = 0; i < EXCUSES; i++)
		fprintf(file, ",%s", excuse_names[i]);
	fprintf(file, "\n");
	for (unsigned int i = 0; i < CARDS; i++) {
		card_print(file, &cards[i]);
		fprintf(file, ",%u,%u,%u", done[i].runs, done[i].accesses, done[i].explained);
		for (unsigned int k = 0; k < EXCUSES; k++)
			fprintf(file, ",%u", done[i].excused[k]);
		fprintf(file, "\n");
	}
}

/* The pages have each excuse with its number of accesses. */
static void test_numbers(void **state)
{
	settle_numbers(NUMBERS, print_numbers, update);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[CARDS + 1] = {
		[CARDS] = cmocka_unit_test(test_numbers),
	};
	unsigned int n;

	update = argc > 1 && !strcmp(argv[1], "--update");
	for (n = 0; n < CARDS; n++) {
		tests[n].name = cards[n].name;
		tests[n].test_func = test_replay;
		tests[n].initial_state = (void *)&cards[n];
	}
	return cmocka_run_group_tests(tests, new_model, free_model);
}
