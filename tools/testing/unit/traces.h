/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings of real cards: traces/CHIP.txt; traces/README describes the format.
 */
#ifndef _TRACES_H
#define _TRACES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#define TRACE_CALLS	8192	/* spelled out in a file */

/**
 * struct trace_op - a register operation
 * @run: number of its run in the file
 * @write: it is a write
 * @addr: BAR0 address
 * @val: the written value, or the card's answer
 */
struct trace_op {
	unsigned int run;
	bool write;
	uint32_t addr;
	uint32_t val;
};

/**
 * struct trace - all operations of a chip
 * @op: the operations
 * @n: their number
 * @room: allocated operations
 * @name: of each run
 * @runs: number of runs
 * @first: first operation of each call that is written out
 * @behind: the operation after its last
 * @calls: their number
 */
struct trace {
	struct trace_op *op;
	unsigned int n;
	unsigned int room;
	char name[256][64];
	unsigned int runs;
	unsigned int first[TRACE_CALLS];
	unsigned int behind[TRACE_CALLS];
	unsigned int calls;
};

/**
 * struct card - a card of the recordings
 * @chip: its chip, and the file
 * @set: end of the names of its runs, if it is not the first card of the chip
 * @name: its marketing name, and the date if the card has several sets of runs
 * @gpcs: number of used GPCs; 0 before GF100
 * @parts: value of 0x022438
 * @part_mask: value of 0x022548, from GM107 on of 0x021d38
 * @tpc_mask: value of 0x4008fc (before GF100)
 * @lost: TPCs that GPC 0 has lost; the recordings only show that one of the first is
 * @absent: a mux that other cards of the chip have, and that keeps no value here
 */
struct card {
	const char *chip;
	const char *set;
	const char *name;
	unsigned int gpcs;
	unsigned int parts;
	unsigned int part_mask;
	uint32_t tpc_mask;
	uint32_t lost;
	uint32_t absent;
};

static const struct card cards[] = {
	{ "g96", "", "GeForce 9500 GT", .tpc_mask = 0x00c30003 },
	{ "gt215", "", "GeForce GT 220", .tpc_mask = 0x70030006 },
	{ "gt218", "", "not named", .tpc_mask = 0x30010001 },
	{ "g200", "", "GeForce GTX 280", .tpc_mask = 0x70ff03ff },
	{ "gf100", "", "GeForce GTX 470", .gpcs = 4, .parts = 6, .part_mask = 1 },
	{ "gf100", ".b", "Quadro 4000", .gpcs = 4, .parts = 6, .part_mask = 0x21 },
	{ "gf100", ".c", "GeForce GTX 470 (first)", .gpcs = 4, .parts = 6, .part_mask = 1 },
	{ "gf104", "", "not named", .gpcs = 2, .parts = 4 },
	{ "gf108", "", "GeForce GT 440", .gpcs = 1, .parts = 1 },
	{ "gf108", ".a", "GeForce GT 430", .gpcs = 1, .parts = 1, .absent = 0x111100 },
	{ "gf108", ".b", "Quadro 600", .gpcs = 1, .parts = 1 },
	{ "gf108", ".c", "GeForce GT 440 (first)", .gpcs = 1, .parts = 1 },
	{ "gf110", "", "GeForce GTX 570", .gpcs = 4, .parts = 6, .part_mask = 1 },
	{ "gf114", "", "GeForce GTX 560", .gpcs = 2, .parts = 4 },
	{ "gf116", "", "GeForce GTX 550 Ti", .gpcs = 1, .parts = 3 },
	{ "gf116", ".a", "GeForce GTX 550 Ti (2013)", .gpcs = 1, .parts = 3 },
	{ "gf119", "", "GeForce GT 610", .gpcs = 1, .parts = 1 },
	{ "gf119", ".a", "NVS 4200M", .gpcs = 1, .parts = 1 },
	{ "gf119", ".c", "GeForce GT 610 (first)", .gpcs = 1, .parts = 1 },
	{ "gk104", "", "GeForce GTX 770", .gpcs = 4, .parts = 4 },
	{ "gk104", ".a", "GeForce GTX 680", .gpcs = 4, .parts = 4 },
	{ "gk106", "", "GeForce GTX 660", .gpcs = 3, .parts = 3 },
	{ "gk106", ".a", "GeForce GTX 660 (2013)", .gpcs = 3, .parts = 3 },
	{ "gk107", "", "Quadro K2000", .gpcs = 1, .parts = 2 },
	{ "gk110", "", "Tesla K20Xm", .gpcs = 5, .parts = 6 },
	{ "gk208", "", "GeForce GT 720", .gpcs = 1, .parts = 1 },
	{ "gm107", "", "GeForce GTX 750", .gpcs = 1, .parts = 2, .lost = 1 },
	{ "gm206", "", "GeForce GTX 960", .gpcs = 2, .parts = 2 },
};

#define CARDS	(sizeof(cards) / sizeof(*cards))
#define CHIPS	18

/* Find the card of a run, by the chip and the end of the run's name. */
static inline const struct card *card_of(const char *chip, const char *run)
{
	const struct card *card = NULL;

	for (unsigned int i = 0; i < CARDS; i++) {
		size_t set = strlen(cards[i].set), len = strlen(run);

		if (!strcasecmp(cards[i].chip, chip) && len > set &&
		    !strcmp(run + len - set, cards[i].set))
			card = &cards[i];
	}
	if (!card)
		fail_msg("%s is no chip of the recordings", chip);
	return card;
}

/* Write a card as the tables of the pages spell it. */
static inline void card_print(FILE *file, const struct card *card)
{
	for (const char *s = card->chip; *s; s++)
		fputc(*s >= 'a' ? *s - 'a' + 'A' : *s, file);
	fprintf(file, ",%s,%s", card->set, card->name);
}

/* Give the model the units of a card. */
static inline void card_units(const struct card *card)
{
	if (!card->gpcs) {
		say("units tpc 0x%x", card->tpc_mask);
		return;
	}
	say("units gpc %u 0 0", card->gpcs);
	say("units part %u %u 0", card->parts, card->part_mask);
	if (card->lost)
		say("units tpc 0 0x%x 0", card->lost);
	if (card->absent)
		say("fault sticky 0x%x 0", card->absent);
}

static inline void trace_add(struct trace *t, bool write, uint32_t addr, uint32_t val)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->op = realloc(t->op, t->room * sizeof(*t->op));
		assert_non_null(t->op);
	}
	t->op[t->n++] = (struct trace_op){ t->runs - 1, write, addr, val };
}

static inline void trace_again(struct trace *t, unsigned int call)
{
	assert_in_range(call, 0, t->calls - 1);
	for (unsigned int i = t->first[call]; i < t->behind[call]; i++) {
		struct trace_op op = t->op[i];

		trace_add(t, op.write, op.addr, op.val);
	}
}

static inline void trace_line(struct trace *t, const char *line, bool *open)
{
	unsigned int addr, val, call;
	char kind;

	if (sscanf(line, "%c %x %x", &kind, &addr, &val) == 3) {
		assert_true(*open);
		trace_add(t, kind == 'w', addr, val);
		t->behind[t->calls - 1] = t->n;
	} else if (!strncmp(line, "call", 4)) {
		assert_in_range(t->calls, 0, TRACE_CALLS - 1);
		t->first[t->calls++] = t->n;
		*open = true;
	} else if (sscanf(line, "again %u", &call) == 1) {
		trace_again(t, call);
		*open = false;
	} else if (sscanf(line, "run %63s", t->name[t->runs]) == 1) {
		assert_in_range(++t->runs, 1, 255);
		*open = false;
	} else {
		fail_msg("not a line of a trace: %s", line);
	}
}

static inline struct trace *trace_read(const char *chip)
{
	struct trace *t = calloc(1, sizeof(*t));
	char line[80], path[64];
	bool open = false;
	FILE *file;

	assert_non_null(t);
	snprintf(path, sizeof(path), "traces/%s.txt", chip);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is not there: run this where it lies", path);
	while (fgets(line, sizeof(line), file))
		trace_line(t, line, &open);
	fclose(file);
	return t;
}

/* Write the numbers that the pages show, or compare them with the file. */
static inline void settle_numbers(const char *name, void (*print)(FILE *file), bool update)
{
	char now[4096] = "", then[4096] = "";
	FILE *file = fmemopen(now, sizeof(now), "w");

	assert_non_null(file);
	print(file);
	fclose(file);
	file = fopen(name, update ? "w" : "r");
	assert_non_null(file);
	if (update)
		fputs(now, file);
	else
		then[fread(then, 1, sizeof(then) - 1, file)] = '\0';
	fclose(file);
	if (!update)
		assert_string_equal(then, now);
}

static inline void trace_free(struct trace *t)
{
	free(t->op);
	free(t);
}

#endif
