/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configurations with correct counts on a card, and the registers of their runs:
 * traces/events.csv, traces/README.
 */
#ifndef _TRACES_EVENTS_H
#define _TRACES_EVENTS_H

#include "rules/chip.h"
#include "rules/place.h"
#include "traces.h"

#define EVENTS		"traces/events.csv"
#define COLUMNS		17
#define REGS		64	/* of a configuration */

#define GF100_FIRST	0x180000
#define GF100_END	0x1b4000	/* after the last block of a domain */
#define GF100_MAIN_END	0x1b4200
#define NV40_FIRST	0x00a000
#define NV40_END	0x00b000
#define NV40_ACK	0x00a7e0
#define DEBUG_1		0x400084
#define R_PRE_OP	0x44
#define R_SWAP_SRC	0x6c
#define R_CTRL		0x9c
#define R_FILTER	0x100
#define R_ACK		0xa0

/**
 * struct row - a configuration: a line of events.csv
 * @card: where it was recorded
 * @trace: name of the run
 * @set: number of the kind of set
 * @unit: GPC or partition
 * @dom: domain in its set
 * @ctrl: CTRL
 * @used: inputs in use
 * @src: their sources
 * @op: their truth tables
 * @slot: input whose counter was read; PCOUNTER_SLOTS: CYCLES
 * @read: value of the counter
 * @has_cycles: CYCLES was read, too
 * @cycles: value of CYCLES
 */
struct row {
	const struct card *card;
	char trace[64];
	unsigned int set, unit, dom;
	uint32_t ctrl;
	bool used[PCOUNTER_SLOTS];
	uint32_t src[PCOUNTER_SLOTS], op[PCOUNTER_SLOTS];
	unsigned int slot;
	uint32_t read;
	bool has_cycles;
	uint32_t cycles;
};

/**
 * struct reg - a register of a recording
 * @addr: its address
 * @found: its value before the run
 * @val: its value while the counters ran
 */
struct reg {
	uint32_t addr, found, val;
};

static inline unsigned int set_of(const char *set)
{
	return !strcmp(set, "gpc") ? PCOUNTER_SET_GPC :
	       !strcmp(set, "part") ? PCOUNTER_SET_PART : PCOUNTER_SET_HUB;
}

static inline unsigned int slot_of(const char *counter)
{
	static const char *const names[] = { "pre", "start", "event", "stop", "cycles" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], counter))
			return i;
	fail_msg("%s is no counter", counter);
	return 0;
}

static inline struct row row_read(char *line)
{
	char *field[COLUMNS];
	struct row row = {};

	for (unsigned int i = 0; i < COLUMNS; i++) {
		field[i] = strsep(&line, ",");
		assert_non_null(field[i]);
	}
	row.card = card_of(field[0], field[1]);
	snprintf(row.trace, sizeof(row.trace), "%s", field[1]);
	row.set = set_of(field[2]);
	row.unit = strtoul(field[3], NULL, 10);
	row.dom = strtoul(field[4], NULL, 10);
	row.ctrl = strtoul(field[5], NULL, 16);
	for (unsigned int i = 0; i < PCOUNTER_SLOTS; i++)
		row.used[i] = sscanf(field[7 + i], "%x/%x", &row.src[i], &row.op[i]) == 2;
	row.slot = slot_of(field[13]);
	row.read = strtoul(field[14], NULL, 10);
	row.has_cycles = *field[15];
	row.cycles = strtoul(field[15], NULL, 10);
	return row;
}

/* Replace the name of a run that is an alias. */
static inline void resolve(const struct row *row, char *name, size_t size)
{
	char line[256], chip[16], from[64], to[64];
	FILE *file = fopen("traces/aliases.csv", "r");

	snprintf(name, size, "%s", row->trace);
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%15[^,],%63[^,],%63s", chip, from, to) == 3 &&
		    !strcasecmp(chip, row->card->chip) && !strcmp(from, row->trace))
			snprintf(name, size, "%s", to);
	fclose(file);
}

static inline bool is_gf100(const struct row *row)
{
	return row->card->gpcs;
}

static inline unsigned int ctr_of(const struct row *row)
{
	return row->ctrl >> (is_gf100(row) ? 3 : 4) & 7;
}

static inline bool is_pcounter(const struct row *row, uint32_t addr)
{
	return is_gf100(row) ? addr >= GF100_FIRST && addr < GF100_END :
			       addr >= NV40_FIRST && addr < NV40_END;
}

/*
 * Return true for registers that trigger a request and hold no value, and for the start
 * of the block that all domains share, which counting does not need (hw:real-cards/r3).
 */
static inline bool is_other(const struct row *row, uint32_t addr)
{
	if (!is_gf100(row))
		return (addr & ~0x1fu) == NV40_ACK || addr == DEBUG_1;
	return (is_pcounter(row, addr) && (addr & 0x1ff) == R_ACK) ||
	       (addr >= GF100_END && addr < GF100_MAIN_END);
}

static inline struct reg *reg_find(struct reg *reg, unsigned int *n, uint32_t addr)
{
	for (unsigned int i = 0; i < *n; i++)
		if (reg[i].addr == addr)
			return &reg[i];
	assert_in_range(*n, 0, REGS - 1);
	reg[*n] = (struct reg){ .addr = addr };
	return &reg[(*n)++];
}

/*
 * Collect the registers that a run has written up to the look at the counters, without
 * the ones above. Two drivers of May 2013 clear the muxes after the look.
 */
static inline unsigned int regs_of(const struct trace *t, const struct row *row, struct reg *reg)
{
	bool written[REGS] = {};
	unsigned int n = 0, run, out = 0;
	char name[64];

	resolve(row, name, sizeof(name));
	for (run = 0; run < t->runs && strcmp(t->name[run], name); run++)
		;
	if (run == t->runs)
		fail_msg("%s has no run %s", row->card->chip, name);
	for (unsigned int i = 0; i < t->n; i++) {
		const struct trace_op *op = &t->op[i];
		struct reg *r;

		if (op->run != run || is_other(row, op->addr))
			continue;
		if (!op->write && is_pcounter(row, op->addr))
			break;
		r = reg_find(reg, &n, op->addr);
		if (!op->write && !written[r - reg])
			r->found = op->val;
		if (op->write)
			r->val = op->val;
		written[r - reg] |= op->write;
	}
	for (unsigned int i = 0; i < n; i++)
		if (written[i])
			reg[out++] = reg[i];
	return out;
}

#endif
