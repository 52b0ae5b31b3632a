// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event by its public name leaves the same registers as NVIDIA's driver for the same
 * count on a card: for each run of traces/events.csv with a public event, open the event
 * by its name on the unit and the TPC of the run.
 *
 * Allowed differences have no function: the choice of the input, sources that its truth
 * table ignores, the signal that stands for 0, bits of a mux that NVIDIA's driver did
 * not write, and muxes without effect. An event is called "traced" if and only if it has
 * been compared; an event that sets a mux that NVIDIA's driver did not touch has not
 * been compared.
 */
#include "public_regs.h"
#include "traces_card.h"

#include "hw/mux.h"

#define NAMES		"traces/public.csv"
#define GPC_MUXES	0x500000
#define GPC_STRIDE	0x8000
#define TPC_MUXES	0x4000
#define TPC_STRIDE	0x800
#define R_INPUTS	0x40	/* SRC and OP of the four inputs */
#define R_INPUTS_END	0x60
#define CTR_MODE_5	5
#define MAX_EVENTS	128	/* of a chip */

static unsigned int compared, kept, filler, context;

/* Return the public event of a run, NULL if it has none. */
static const struct pcounter_public *event_of(const struct row *row)
{
	char line[128], name[64], from[64], to[64];
	const struct pcounter_public *event;
	FILE *file;

	snprintf(name, sizeof(name), "%s", row->trace);
	name[strlen(name) - strlen(row->card->set)] = '\0';
	event = find_event(g.gpu.chip, name);
	file = fopen(NAMES, "r");
	assert_non_null(file);
	while (!event && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63[^,],%63s", from, to) == 2 && !strcmp(from, name))
			event = find_event(g.gpu.chip, to);
	fclose(file);
	return event;
}

/* Return the TPC whose muxes the run has set; 0: none. */
static unsigned int tpc_of(const struct row *row, const struct reg *reg, unsigned int n)
{
	uint32_t first = GPC_MUXES + row->unit * GPC_STRIDE + TPC_MUXES;

	for (unsigned int i = 0; i < n; i++)
		if (reg[i].addr >= first && reg[i].addr < first + GPC_STRIDE - TPC_MUXES &&
		    !is_idle(row, &reg[i]))
			return (reg[i].addr - first) / TPC_STRIDE;
	return 0;
}

/* Return the event's terms with the unit and the TPC of the run, and its trigger. */
static struct pcounter_config config_of(const struct row *row,
					const struct pcounter_public *event,
					const struct reg *reg, unsigned int n)
{
	struct pcounter_config config = event->config;
	const struct pcounter_term_info *tpc = &pcounter_term_info[PCOUNTER_TERM_TPC];

	set_term(&config, PCOUNTER_TERM_UNIT, row->unit);
	set_term(&config, PCOUNTER_TERM_SWAP,
		 trigger_of(row, pcounter_topo_find(&g.gpu.topo, row->set, row->unit, row->dom)));
	assert_int_equal(pcounter_config_get(&config, PCOUNTER_TERM_DOM), row->dom);
	assert_int_equal(pcounter_config_get(&config, PCOUNTER_TERM_SET), row->set);
	if (row->set == PCOUNTER_SET_GPC && pcounter_config_get(&config, PCOUNTER_TERM_MUX)) {
		config.word[tpc->word] &= ~GENMASK_ULL(tpc->hi, tpc->lo);
		set_term(&config, PCOUNTER_TERM_TPC, tpc_of(row, reg, n));
	}
	return config;
}

/* Compare a register of the domain, without its inputs. */
static void same_setting(const struct row *row, const struct reg *reg)
{
	uint32_t diff = now_in(row, reg->addr) ^ reg->val;

	if (diff && is_context(row, reg->addr, diff))
		context++;
	else if (diff)
		fail_msg("%s %s: 0x%06x has 0x%08x, the card had 0x%08x", row->card->chip,
			 row->trace, reg->addr, now_in(row, reg->addr), reg->val);
}

/* Compare a mux; bits that NVIDIA's driver found and kept come from the event here. */
static void same_mux(const struct row *row, const struct reg *reg)
{
	uint32_t now = pcmodel_rd32(g.m, reg->addr), diff = now ^ reg->val;
	struct reg ours = { .addr = reg->addr, .val = now };

	if (!diff)
		return;
	if (is_idle(row, reg) && is_idle(row, &ours))
		return;
	if (diff & (reg->val ^ reg->found))
		fail_msg("%s %s: mux 0x%06x has 0x%08x, the card had 0x%08x, and 0x%08x before",
			 row->card->chip, row->trace, reg->addr, now, reg->val, reg->found);
	kept++;
}

static bool is_input(const struct row *row, uint32_t addr)
{
	return is_pcounter(row, addr) && (addr & 0x1ff) >= R_INPUTS &&
	       (addr & 0x1ff) < R_INPUTS_END;
}

/* Compare the input of NVIDIA's counter with the driver's own EVENT. */
static void compare_inputs(const struct row *row, const struct pcounter_dom_id *id)
{
	u32 src[PCOUNTER_SLOTS] = {};
	u16 op[PCOUNTER_SLOTS] = {};

	if (row->slot == PCOUNTER_SLOTS)
		return;
	for (unsigned int i = 0; i < PCOUNTER_SLOTS; i++) {
		src[i] = row->src[i];
		op[i] = row->op[i];
	}
	if (!ctr_of(row)) {
		src[PCOUNTER_EVENT] = row->src[row->slot];
		op[PCOUNTER_EVENT] = row->op[row->slot];
	}
	assert_int_equal(counter_mode(id), ctr_of(row));
	same_inputs(id, ctr_of(row), src, op);
	for (unsigned int i = 0; i < PCOUNTER_SLOTS; i++)
		filler += row->used[i] && row->src[i] != pcmodel_rd32(g.m, src_addr(id, i));
}

/* Return true if the event sets a mux that NVIDIA's driver did not. */
static bool sets_more(const struct row *row, struct reg *reg, unsigned int n)
{
	for (unsigned int i = 0; i < nr_touched; i++) {
		const struct reg *t = &touched[i];
		unsigned int k = 0;

		while (k < n && reg[k].addr != t->addr)
			k++;
		if (k == n && !is_other(row, t->addr) && !is_pcounter(row, t->addr) &&
		    pcmodel_rd32(g.m, t->addr) != t->found)
			return true;
	}
	return false;
}

/*
 * Return false for texture events of GK106: the driver of 2015 has counter mode 5 for
 * them, which no event has, that of 2013 mode 2.
 */
static bool has_mode(const struct row *row, const struct pcounter_public *event)
{
	return ctr_of(row) != CTR_MODE_5 ||
	       pcounter_config_get(&event->config, PCOUNTER_TERM_CTR) == CTR_MODE_5;
}

static void compare_run(const struct row *row, const struct trace *t, bool *seen)
{
	const struct pcounter_public *event;
	struct group grp = { .n = 1 };
	struct pcounter_config config;
	struct reg reg[REGS] = {};
	const char *why = "";
	unsigned int n;
	bool same;

	n = regs_of(t, row, reg);
	new_card(row, reg, n);
	event = event_of(row);
	if (event && has_mode(row, event)) {
		config = config_of(row, event, reg, n);
		if (pcounter_config_parse(&config, &g.gpu.topo, &grp.req[0], &why) ||
		    pcounter_mux_check(&grp.req[0], &g.gpu.topo.dom[grp.req[0].dom],
				       g.gpu.chip, &why))
			fail_msg("%s %s: %s", row->card->chip, event->name, why);
		group_begin(&grp, 0);
		assert_int_equal(g.gpu.dom[grp.req[0].dom].unit.fault, PCOUNTER_OK);
		compare_inputs(row, &g.gpu.topo.dom[grp.req[0].dom]);
		for (unsigned int i = 0; i < n; i++) {
			if (!is_pcounter(row, reg[i].addr))
				same_mux(row, &reg[i]);
			else if (!is_input(row, reg[i].addr))
				same_setting(row, &reg[i]);
		}
		same = !sets_more(row, reg, n);
		group_stop(&grp);
		compared += same;
		for (unsigned int i = 0; i < g.gpu.chip->events.nr; i++)
			seen[i] |= same && pcounter_public_get(g.gpu.chip, i) == event;
	}
	gpu_free();
}

/* Compare the runs of all cards of a chip. */
static void test_chip(void **state)
{
	const struct card *card = *state;
	const struct pcounter_chip *chip = pcounter_chip_find(pcmodel_find_chip(card->chip));
	struct trace *t = trace_read(card->chip);
	FILE *file = fopen(EVENTS, "r");
	bool seen[MAX_EVENTS] = {};
	char line[1024];

	compared = 0;
	kept = 0;
	filler = 0;
	context = 0;
	assert_non_null(chip);
	assert_in_range(chip->events.nr, 0, MAX_EVENTS);
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		struct row row = row_read(line);

		if (!strcmp(row.card->chip, card->chip))
			compare_run(&row, t, seen);
	}
	fclose(file);
	trace_free(t);
	printf("# %s: %u runs compared; kept %u, filler %u, context %u\n", card->chip, compared,
	       kept, filler, context);
	for (unsigned int i = 0; i < chip->events.nr; i++) {
		const struct pcounter_public *event = pcounter_public_get(chip, i);

		bool traced = event->confidence == PCOUNTER_PUBLIC_TRACED;

		if (seen[i] != traced)
			fail_msg("%s %s: %s", card->chip, event->name,
				 seen[i] ? "compared, but not called traced" :
					   "called traced, but there is no run");
	}
}

int main(void)
{
	struct CMUnitTest tests[CHIPS] = {};
	unsigned int n = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned int i = 0; i < CARDS; i++) {
		if (*cards[i].set)
			continue;
		tests[n].name = cards[i].chip;
		tests[n].test_func = test_chip;
		tests[n++].initial_state = (void *)&cards[i];
	}
	assert_int_equal(n, CHIPS);
	return cmocka_run_group_tests_name("traced", tests, NULL, NULL);
}
