// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open each configuration of traces/events.csv as a group of events, and compare the
 * registers with the registers that NVIDIA's driver wrote in the recording.
 *
 * With signals at the rates of the card the group then reads the card's values.
 *
 * A group ends its periods by the trigger, as NVIDIA's driver does; a second time without
 * swap=, by the driver itself. The muxes start with
 * the values that the recording read; all other registers with 0.
 * traces/not-expressed.csv lists the configurations that no event expresses, with the
 * reason; numbers for each chip are in traces/expressed.csv, the source for the pages.
 *
 * With --update the numbers are written, not compared.
 */
#include <stdarg.h>
#include <unistd.h>

#include <linux/bitops.h>

#include "count_test.h"
#include "traces_drive.h"
#include "traces_card.h"

#include "hw/mux.h"
#include "rules/terms.h"

#define MISSING		"traces/not-expressed.csv"
#define NUMBERS		"traces/expressed.csv"
#define ROWS		1102	/* of events.csv */
#define MUXES		8
#define LINES		16	/* of not-expressed.csv */
#define MAX_MUX_ID	63
#define MAX_TPC		15
#define MAX_SEL_BITS	14

#define GF100_ZERO	0x2f	/* hw:real-cards/r14 */
#define GM107_GATE	0x40415c	/* written with every mux: hw:real-cards/r8 */

/* Permitted differences of a register. */
enum kind { SAME, FILLER, CONTEXT, IDLE_MUX, KINDS, RIVAL };

static const char *const kind_names[] = { "", "filler", "context", "idle mux" };

/**
 * struct file - registers to try muxes on
 * @io: access to them; the first member
 * @n: their number
 * @reg: the registers; @found is their current value
 */
struct file {
	struct pcounter_io io;
	unsigned int n;
	struct reg reg[REGS];
};

/**
 * struct numbers - the results of a card
 * @rows: its configurations
 * @same: equal bit for bit
 * @function: of the same function
 * @missing: not expressed
 * @same_zero: those of @same of which the card counted 0
 * @function_zero: those of @function of which the card counted 0
 * @plain: those of @same that are equal but for is_own(), if the driver ends the periods
 * @kinds: differences of @function
 * @counted: configurations that count as the card did
 */
struct numbers {
	unsigned int rows, same, function, missing, same_zero, function_zero, plain;
	unsigned int kinds[KINDS], counted;
};

/* A line of not-expressed.csv. */
static struct line {
	char chip[16], what[64];
	unsigned int hits;
} missing[LINES];

static unsigned int nr_missing, unlisted;
static struct numbers found_numbers[CARDS];
static bool update, plain;

/* ---- the tables ---- */

static void read_missing(void)
{
	FILE *file = fopen(MISSING, "r");
	char line[512];

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	for (nr_missing = 0; fgets(line, sizeof(line), file); nr_missing++) {
		struct line *l = &missing[nr_missing];

		assert_in_range(nr_missing, 0, LINES - 1);
		if (sscanf(line, "%15[^,],%63[^,],", l->chip, l->what) != 2)
			fail_msg("not a line of " MISSING ": %s", line);
	}
	fclose(file);
}

/* ---- muxes ---- */

static u32 file_rd32(struct pcounter_io *io, u32 addr)
{
	struct file *f = (struct file *)io;
	unsigned int before = f->n;
	struct reg *reg = reg_find(f->reg, &f->n, addr);

	/* no mux of the recording: registers that list units, muxes of others */
	if (f->n > before)
		reg->found = pcmodel_rd32(g.m, addr);
	return reg->found;
}

static void file_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	struct file *f = (struct file *)io;

	reg_find(f->reg, &f->n, addr)->found = val;
}

static const struct pcounter_io_ops file_ops = {
	.rd32 = file_rd32, .wr32 = file_wr32,
};

static struct pcounter_mux_setting mux_setting(unsigned int id, unsigned int tpc,
					       unsigned int sel)
{
	return (struct pcounter_mux_setting){ .id = id, .tpc = tpc, .sel = sel };
}

static bool mux_exists(const struct row *row, unsigned int dom,
		       struct pcounter_mux_setting *mux)
{
	struct pcounter_request req = { .mux = { *mux } };
	const char *why;

	if (pcounter_mux_check(&req, &g.gpu.topo.dom[dom], g.gpu.chip, &why))
		return false;
	*mux = req.mux[0];
	return true;
}

/* Set a mux in a file; return false if it does not exist or has another position already. */
static bool mux_try(struct file *f, struct pcounter_muxes *muxes, unsigned int dom,
		    struct pcounter_mux_setting mux)
{
	const struct pcounter_request req = { .dom = dom, .mux = { mux } };

	f->io.ops = &file_ops;
	muxes->topo = &g.gpu.topo;
	muxes->io = &f->io;
	assert_int_equal(pcounter_mux_open(muxes, &req), 0);
	if (pcounter_mux_claim(muxes, &req))
		return false;
	return !pcounter_mux_sync(muxes, &req, &g.gpu.dom[dom].block, true);
}

/* Return the bits of a file that differ from the recording, in one register or in all. */
static unsigned int wrong_bits(const struct file *f, const struct reg *reg, unsigned int n,
			       uint32_t addr)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < f->n; i++) {
		if (addr && f->reg[i].addr != addr)
			continue;
		for (unsigned int k = 0; k < n; k++)
			if (reg[k].addr == f->reg[i].addr)
				wrong += hweight32(reg[k].val ^ f->reg[i].found);
	}
	return wrong;
}

/* Return the position that a register shows: between its first and last setting. */
static unsigned int position(const struct file *first, const struct file *last,
			     const struct reg *reg, unsigned int n)
{
	for (unsigned int i = 0; i < last->n; i++) {
		uint32_t mask = last->reg[i].found;

		for (unsigned int k = 0; k < first->n; k++)
			if (first->reg[k].addr == last->reg[i].addr)
				mask ^= first->reg[k].found;
		for (unsigned int k = 0; k < n && mask; k++)
			if (reg[k].addr == last->reg[i].addr)
				return (reg[k].val & mask) / (mask & -mask);
	}
	return 0;
}

/**
 * struct choice - the muxes of a configuration
 * @file: registers after the muxes are set
 * @muxes: the driver's own state
 * @n: their number
 * @mux: the muxes
 */
struct choice {
	struct file file;
	struct pcounter_muxes muxes;
	unsigned int n;
	struct pcounter_mux_setting mux[MUXES];
};

/* Return true if this mux moves a register towards the recording, and no other away. */
static bool choose_this(struct choice *c, const struct row *row, unsigned int dom,
			const struct reg *reg, unsigned int n, uint32_t addr,
			unsigned int id, unsigned int tpc)
{
	struct pcounter_mux_setting mux = mux_setting(id, tpc, 0);
	struct choice first = *c, last = *c;
	unsigned int bits = MAX_SEL_BITS;

	if (!mux_exists(row, dom, &mux) || !mux_try(&first.file, &first.muxes, dom, mux))
		return false;
	do {
		mux.sel = (1u << bits) - 1;
	} while (bits-- && !mux_exists(row, dom, &mux));
	if (!mux_try(&last.file, &last.muxes, dom, mux))
		return false;
	mux.sel = position(&first.file, &last.file, reg, n);
	if (!mux_exists(row, dom, &mux))
		return false;
	first = *c;
	if (!mux_try(&first.file, &first.muxes, dom, mux) ||
	    wrong_bits(&first.file, reg, n, addr) >= wrong_bits(&c->file, reg, n, addr) ||
	    wrong_bits(&first.file, reg, n, 0) >= wrong_bits(&c->file, reg, n, 0))
		return false;
	*c = first;
	assert_in_range(c->n, 0, MUXES - 1);
	c->mux[c->n++] = mux;
	return true;
}

static bool choose(struct choice *c, const struct row *row, unsigned int dom,
		   const struct reg *reg, unsigned int n, uint32_t addr)
{
	for (unsigned int id = 1; id <= MAX_MUX_ID; id++)
		for (unsigned int tpc = 0; tpc <= MAX_TPC; tpc++)
			if (choose_this(c, row, dom, reg, n, addr, id, tpc))
				return true;
	return false;
}

/* Choose all muxes of the row; return false, with the first failure in the last argument. */
static bool choose_all(struct choice *c, const struct row *row, unsigned int dom,
		       struct reg *reg, unsigned int n, char *what, size_t size)
{
	for (unsigned int i = 0; i < n; i++)
		if (!is_pcounter(row, reg[i].addr))
			*reg_find(c->file.reg, &c->file.n, reg[i].addr) = (struct reg){
				.addr = reg[i].addr, .found = reg[i].found,
			};
	for (unsigned int i = 0; i < n; i++) {
		if (is_pcounter(row, reg[i].addr) || reg[i].addr == GM107_GATE ||
		    is_idle(row, &reg[i]))
			continue;
		while (wrong_bits(&c->file, reg, n, reg[i].addr)) {
			if (choose(c, row, dom, reg, n, reg[i].addr))
				continue;
			snprintf(what, size, "mux 0x%06x", reg[i].addr);
			return false;
		}
	}
	return true;
}

/* ---- the events ---- */

/* Return true if neither a truth table nor a sum uses the source. */
static bool is_spare(const struct row *row, unsigned int slot, unsigned int k)
{
	if (ctr_of(row) >= PCOUNTER_CTRS || pcounter_ctr_modes[ctr_of(row)].sources[slot] >> k & 1)
		return false;
	for (unsigned int i = 0; i < 16; i++)
		if ((row->op[slot] >> i ^ row->op[slot] >> (i ^ 1 << k)) & 1)
			return false;
	return true;
}

/* Replace a signal beyond the last, which is 0, by the named 0 signal. */
static unsigned int source_of(const struct row *row, unsigned int dom, unsigned int slot,
			      unsigned int k)
{
	const struct pcounter_dom_id *id = &g.gpu.topo.dom[dom];
	unsigned int sig = row->src[slot] >> 8 * k & 0xff;

	if (sig < pcounter_dom_signals(id, g.gpu.topo.caps))
		return sig;
	return id->trailer + GF100_ZERO;
}

static struct pcounter_config base_config(const struct row *row, unsigned int dom)
{
	struct pcounter_config config = {};

	set_term(&config, PCOUNTER_TERM_DOM, row->dom);
	set_term(&config, PCOUNTER_TERM_SET, row->set);
	set_term(&config, PCOUNTER_TERM_UNIT, row->unit);
	if (!plain)
		set_term(&config, PCOUNTER_TERM_SWAP, trigger_of(row, dom));
	return config;
}

/* Open an event, which takes the next of the remaining muxes. */
static bool open_one(struct group *grp, struct choice *c, unsigned int *used,
		     struct pcounter_config *config, const char **why)
{
	struct pcounter_request *req = &grp->req[grp->n];

	if (*used < c->n) {
		set_term(config, PCOUNTER_TERM_MUX, c->mux[*used].id);
		set_term(config, PCOUNTER_TERM_SEL, c->mux[*used].sel);
		set_term(config, PCOUNTER_TERM_TPC, c->mux[*used].tpc);
		++*used;
	}
	if (pcounter_config_parse(config, &g.gpu.topo, req, why) ||
	    pcounter_mux_check(req, &g.gpu.topo.dom[req->dom], g.gpu.chip, why))
		return false;
	assert_in_range(++grp->n, 0, PCOUNTER_MAX_REQUESTS);
	return true;
}

/* Open the inputs and the clock; additional clock events carry the remaining muxes. */
static bool open_all(struct group *grp, const struct row *row, struct choice *c,
		     unsigned int dom, const char **why)
{
	unsigned int used = 0;
	struct pcounter_config config;

	for (unsigned int i = 0; i < PCOUNTER_SLOTS; i++) {
		if (!row->used[i])
			continue;
		config = base_config(row, dom);
		for (unsigned int k = 0; k < PCOUNTER_ARGS; k++)
			if (!is_spare(row, i, k))
				set_term(&config, PCOUNTER_TERM_SIG + k,
					 source_of(row, dom, i, k));
		set_term(&config, PCOUNTER_TERM_OP, row->op[i]);
		set_term(&config, PCOUNTER_TERM_PRE + i, 1);
		set_term(&config, PCOUNTER_TERM_CTR, ctr_of(row));
		if (!open_one(grp, c, &used, &config, why))
			return false;
	}
	do {
		config = base_config(row, dom);
		set_term(&config, PCOUNTER_TERM_CLK, 1);
		if (!open_one(grp, c, &used, &config, why))
			return false;
	} while (used < c->n);
	return true;
}

/* ---- the comparison ---- */

/* Return true if only sources differ that the truth table ignores, or that are 0. */
static bool is_filler(const struct row *row, unsigned int dom, uint32_t addr, uint32_t now)
{
	uint32_t reg = (addr & 0x1ff) - 0x40;

	if (!is_gf100(row) || reg >= 0x20 || reg & 4)
		return false;
	for (unsigned int k = 0; k < PCOUNTER_ARGS; k++)
		if ((now >> 8 * k & 0xff) != source_of(row, dom, reg / 8, k) &&
		    !is_spare(row, reg / 8, k))
			return false;
	return true;
}

/* Return true if a mux has no effect in either. */
static bool is_idle_mux(const struct row *row, const struct reg *reg, uint32_t now)
{
	const struct reg ours = { .addr = reg->addr, .val = now };

	return !is_pcounter(row, reg->addr) && is_idle(row, reg) && is_idle(row, &ours);
}

static enum kind compare(const struct row *row, unsigned int dom, const struct reg *reg,
			 uint32_t now)
{
	uint32_t diff = now ^ reg->val;

	if (!diff)
		return SAME;
	if (is_idle_mux(row, reg, now))
		return IDLE_MUX;
	if (!is_pcounter(row, reg->addr) && is_idle(row, reg))
		return RIVAL;
	if (is_pcounter(row, reg->addr) && is_filler(row, dom, reg->addr, now))
		return FILLER;
	if (is_context(row, reg->addr, diff))
		return CONTEXT;
	fail_msg("%s %s: 0x%06x has 0x%08x, the card had 0x%08x", row->card->chip, row->trace,
		 reg->addr, now, reg->val);
	return KINDS;
}

/* Return false if a mux that the card had cleared is still enabled. */
static bool compare_all(const struct row *row, unsigned int dom, const struct reg *reg,
			unsigned int n, struct numbers *numbers)
{
	bool kinds[RIVAL + 1] = {};
	unsigned int differ = 0;

	for (unsigned int i = 0; i < n; i++)
		kinds[compare(row, dom, &reg[i], now_in(row, reg[i].addr))] = true;
	if (kinds[RIVAL])
		return false;
	for (unsigned int kind = SAME + 1; kind < KINDS; kind++) {
		numbers->kinds[kind] += kinds[kind];
		differ += kinds[kind];
	}
	if (differ) {
		numbers->function++;
		numbers->function_zero += !row->read;
	} else {
		numbers->same++;
		numbers->same_zero += !row->read;
	}
	return true;
}

/* ---- and its counts ---- */

/* Return the model's number of the domain. */
static unsigned int model_dom(const struct row *row, unsigned int dom)
{
	const char *name = g.gpu.topo.dom[dom].name;
	int found = dom;

	if (is_gf100(row))
		found = pcmodel_find_domain(g.m, name, strlen(name));
	assert_true(found >= 0);
	return found;
}

/* Run a period of the card's length with the card's rates, between two triggers. */
static void card_period(const struct row *row, struct group *grp, unsigned int dom, u64 *val)
{
	struct traced t = {
		.m = g.m, .sets = is_gf100(row), .dom = model_dom(row, dom),
		.mode = ctr_of(row),
		.has_cycles = row->has_cycles, .cycles = row->cycles,
	};

	memcpy(t.src, row->src, sizeof(t.src));
	memcpy(t.op, row->op, sizeof(t.op));
	if (row->slot < PCOUNTER_SLOTS) {
		t.has[row->slot] = true;
		t.ctr[row->slot] = row->read;
	}
	t.clocks = traced_period(&t);
	traced_drive(&t);
	say("trigger");
	pcmodel_run(g.m, 1);
	group_read_once(grp, val);
	pcmodel_run(g.m, t.clocks - 1);
	say("trigger");
	pcmodel_run(g.m, 1);
	group_read_once(grp, val);
}

/* Compare the values of the events with the card's counters. */
static void check_values(const struct row *row, struct group *grp, unsigned int dom,
			 struct numbers *numbers)
{
	u64 val[PCOUNTER_MAX_REQUESTS];
	bool seen = false;

	card_period(row, grp, dom, val);
	for (unsigned int i = 0; i < grp->n; i++) {
		unsigned int role = grp->req[i].role;

		if (role == PCOUNTER_ROLE_CLK) {
			if (row->has_cycles)
				assert_int_equal(val[i], row->cycles);
			seen |= row->slot == PCOUNTER_SLOTS;
		} else if (role - PCOUNTER_ROLE_PRE == row->slot) {
			if (val[i] != row->read)
				fail_msg("%s %s: counts %u, the card %u", row->card->chip,
					 row->trace, (unsigned int)val[i], row->read);
			seen = true;
		}
	}
	assert_true(seen);
	numbers->counted++;
}

/* ---- a configuration ---- */

/* Check that all other registers the driver wrote hold their old values. */
static void check_others(const struct row *row, const struct reg *reg, unsigned int n)
{
	for (unsigned int i = 0; i < nr_touched; i++) {
		const struct reg *t = &touched[i];
		unsigned int k = 0;

		while (k < n && reg[k].addr != t->addr)
			k++;
		if (k < n || is_other(row, t->addr))
			continue;
		if (now_in(row, t->addr) != t->found)
			fail_msg("%s %s: the driver leaves 0x%x in 0x%06x, not 0x%x",
				 row->card->chip, row->trace, now_in(row, t->addr), t->addr,
				 t->found);
	}
}

/* The last close puts all muxes back, also the enable that every mux brings along. */
static void check_put_back(const struct row *row)
{
	for (unsigned int i = 0; i < nr_touched; i++) {
		const struct reg *t = &touched[i];

		if (!is_pcounter(row, t->addr) && !is_other(row, t->addr) &&
		    pcmodel_rd32(g.m, t->addr) != t->found)
			fail_msg("%s %s: 0x%06x is not put back", row->card->chip, row->trace,
				 t->addr);
	}
}

static void not_expressed(const struct row *row, const char *what, struct numbers *numbers)
{
	numbers->missing++;
	for (unsigned int i = 0; i < nr_missing; i++) {
		struct line *l = &missing[i];

		if ((!strcmp(l->chip, "any") || !strcasecmp(l->chip, row->card->chip)) &&
		    !strcmp(l->what, what)) {
			l->hits++;
			return;
		}
	}
	printf("# %s %s cannot be asked for: %s\n", row->card->chip, row->trace, what);
	unlisted++;
}

static bool is_absent(const struct row *row, const struct reg *reg, unsigned int n,
		      char *what, size_t size)
{
	for (unsigned int i = 0; i < n; i++)
		if (reg[i].addr == row->card->absent) {
			snprintf(what, size, "mux 0x%06x", reg[i].addr);
			return true;
		}
	return false;
}

/* Return true for registers that the driver needs to end periods: SWAP_SRC, and a free PRE. */
static bool is_own(const struct row *row, uint32_t addr)
{
	if (!is_gf100(row) || !is_pcounter(row, addr))
		return false;
	return (addr & 0x1ff) == R_SWAP_SRC ||
	       ((addr & 0x1ff) == R_PRE_OP && !row->used[PCOUNTER_PRE]);
}

/*
 * Open the configuration without swap=, so that the driver ends the periods. Return true
 * if all other registers of the recording are equal bit for bit.
 */
static bool plain_is_same(const struct row *row, const struct reg *reg, unsigned int n,
			  struct choice *c)
{
	struct group grp = {};
	const char *why;
	bool same = true;
	int dom;

	gpu_free();
	new_card(row, reg, n);
	dom = pcounter_topo_find(&g.gpu.topo, row->set, row->unit, row->dom);
	plain = true;
	assert_true(open_all(&grp, row, c, dom, &why));
	plain = false;
	group_begin(&grp, 0);
	assert_int_equal(g.gpu.dom[dom].unit.fault, PCOUNTER_OK);
	for (unsigned int i = 0; i < n; i++)
		if (!is_own(row, reg[i].addr))
			same &= now_in(row, reg[i].addr) == reg[i].val;
	group_stop(&grp);
	return same;
}

static void check_row(const struct row *row, const struct trace *t, struct numbers *numbers)
{
	unsigned int n, same = numbers->same;
	struct reg reg[REGS] = {};
	struct choice c = {}, none = {};
	struct group grp = {}, without = {};
	const char *why = "";
	char what[64];
	int dom;

	numbers->rows++;
	if (!pcounter_chip_find(pcmodel_find_chip(row->card->chip))) {
		not_expressed(row, "chip", numbers);
		return;
	}
	n = regs_of(t, row, reg);
	new_card(row, reg, n);
	dom = pcounter_topo_find(&g.gpu.topo, row->set, row->unit, row->dom);
	assert_in_range(dom, 0, g.gpu.topo.nr - 1);
	if (!open_all(&without, row, &none, dom, &why)) {
		not_expressed(row, why, numbers);
	} else if (is_absent(row, reg, n, what, sizeof(what))) {
		not_expressed(row, what, numbers);
	} else if (!choose_all(&c, row, dom, reg, n, what, sizeof(what))) {
		not_expressed(row, what, numbers);
	} else if (!open_all(&grp, row, &c, dom, &why)) {
		not_expressed(row, why, numbers);
	} else {
		group_begin(&grp, 0);
		assert_int_equal(g.gpu.dom[dom].unit.fault, PCOUNTER_OK);
		check_others(row, reg, n);
		if (compare_all(row, dom, reg, n, numbers))
			check_values(row, &grp, dom, numbers);
		else
			not_expressed(row, "rival", numbers);
		group_stop(&grp);
		check_put_back(row);
		if (numbers->same > same)
			numbers->plain += plain_is_same(row, reg, n, &c);
	}
	gpu_free();
}

static void test_card(void **state)
{
	const struct card *card = *state;
	struct trace *t = trace_read(card->chip);
	FILE *file = fopen(EVENTS, "r");
	struct numbers *numbers = &found_numbers[card - cards];
	char line[1024];

	unlisted = 0;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		struct row row = row_read(line);

		if (row.card == card)
			check_row(&row, t, numbers);
	}
	fclose(file);
	trace_free(t);
	printf("# %s%s: %u configurations: %u equal, %u in function, %u not; %u count as the card",
	       card->chip, card->set, numbers->rows, numbers->same, numbers->function,
	       numbers->missing, numbers->counted);
	for (unsigned int kind = SAME + 1; kind < KINDS; kind++)
		if (numbers->kinds[kind])
			printf("; %s %u", kind_names[kind], numbers->kinds[kind]);
	printf("\n");
	assert_int_equal(numbers->rows,
			 numbers->same + numbers->function + numbers->missing);
	assert_int_equal(unlisted, 0);
}

/* ---- the numbers of the pages ---- */

static void print_numbers(FILE *file)
{
	fputs("chip,set,card,configurations,equal,function,not_expressed,equal_zero,", file);
	fputs("function_zero,plain\n", file);
	for (unsigned int i = 0; i < CARDS; i++) {
		const struct numbers *n = &found_numbers[i];

		card_print(file, &cards[i]);
		fprintf(file, ",%u,%u,%u,%u,%u,%u,%u\n", n->rows, n->same, n->function,
			n->missing, n->same_zero, n->function_zero, n->plain);
	}
}

static void test_numbers(void **state)
{
	unsigned int rows = 0;

	for (unsigned int i = 0; i < CARDS; i++)
		rows += found_numbers[i].rows;
	assert_int_equal(rows, ROWS);
	settle_numbers(NUMBERS, print_numbers, update);
}

/* A reason that no longer applies has to go. */
static void test_missing_lines(void **state)
{
	for (unsigned int i = 0; i < nr_missing; i++)
		if (!missing[i].hits)
			fail_msg("%s: %s of %s can be asked for, the line has to go", MISSING,
				 missing[i].what, missing[i].chip);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[CARDS + 2] = {
		[CARDS] = cmocka_unit_test(test_missing_lines),
		[CARDS + 1] = cmocka_unit_test(test_numbers),
	};
	unsigned int n;

	update = argc > 1 && !strcmp(argv[1], "--update");
	setvbuf(stdout, NULL, _IOLBF, 0);
	read_missing();
	for (n = 0; n < CARDS; n++) {
		tests[n].name = cards[n].name;
		tests[n].test_func = test_card;
		tests[n].initial_state = (void *)&cards[n];
	}
	return cmocka_run_group_tests_name("configurations", tests, NULL, NULL);
}
