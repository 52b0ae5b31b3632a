/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows for programs: JSON Lines or CSV, with the same columns; and JSON.
 */
#ifndef _PCOUNTER_TOOL_OUT_H
#define _PCOUNTER_TOOL_OUT_H

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/verb.h"

enum out_kind { OUT_TEXT, OUT_JSONL, OUT_CSV };

/**
 * struct out - an output of rows
 * @f: the stream
 * @path: its name, NULL for stdout
 * @kind: format of the rows
 * @whole: a new file has its name only when it is complete
 * @scrap: its name until then
 * @columns: names of the columns, ended by NULL
 * @buf: the stream's buffer for rows
 */
struct out {
	FILE *f;
	const char *path;
	enum out_kind kind;
	bool whole;
	char scrap[PATH_MAX];
	const char *const *columns;
	char buf[65536];
};

enum cell_kind { CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT, CELL_LIST };

/**
 * struct cell - one value of a row
 * @kind: selects the member with the value; CELL_NULL: unknown value
 * @i: an integer
 * @r: a real number
 * @s: a text
 * @list: @nr real numbers; not in CSV
 * @nr: their number
 */
struct cell {
	enum cell_kind kind;
	union {
		int64_t i;
		double r;
		const char *s;
		const double *list;
	};
	unsigned int nr;
};

static inline struct cell cell_int(bool known, int64_t i)
{
	return (struct cell){ .kind = known ? CELL_INT : CELL_NULL, .i = i };
}

/* Make a cell of a number; NAN is unknown. */
static inline struct cell cell_real(double r)
{
	return (struct cell){ .kind = isfinite(r) ? CELL_REAL : CELL_NULL, .r = r };
}

/* Make a cell of a text; NULL and an empty text are unknown. */
static inline struct cell cell_text(const char *s)
{
	return (struct cell){ .kind = s && *s ? CELL_TEXT : CELL_NULL, .s = s };
}

void put_quoted(FILE *f, const char *text, bool csv);
bool out_open(struct out *out, const char *path);
void out_row(struct out *out, const struct cell *cells);
bool out_close(struct out *out);
bool take_kind(const struct option_doc *o, const char *text);
bool take_json(const struct option_doc *o, const char *text);
void print_json(json_t *list);

#define OPT_ROWS(target, rows)	.take = take_kind, .to = target, .least = rows
#define OPT_JSON(target)	.take = take_json, .to = target

#endif
