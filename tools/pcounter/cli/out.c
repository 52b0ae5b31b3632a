// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for programs, and JSON. A report may have hundreds of millions of rows, so they
 * are formatted without a library. The buffer is written only between two rows, so that
 * the output of an interrupted run can be parsed.
 */
#include <math.h>
#include <stdio_ext.h>

#include "cli/out.h"

#define LONGEST_ROW	8192
#define NUMBER		20	/* digits of the greatest number */

/**
 * put_quoted() - write a text in double quotes
 * @f: the output
 * @text: the text
 * @csv: escape characters as in CSV; else as in JSON
 */
void put_quoted(FILE *f, const char *text, bool csv)
{
	putc_unlocked('"', f);
	for (; *text; text++) {
		if (*text > 0 && *text < ' ' && !csv) {
			fprintf(f, "\\u%04x", *text);
			continue;
		}
		if (*text == '"' || (*text == '\\' && !csv))
			putc_unlocked(csv ? '"' : '\\', f);
		putc_unlocked(*text, f);
	}
	putc_unlocked('"', f);
}

static void put_number(FILE *f, uint64_t n)
{
	char text[NUMBER], *p = text + sizeof(text);

	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n);
	fwrite_unlocked(p, 1, text + sizeof(text) - p, f);
}

/* Format a number; in JSON always with a point, so that all values of a column have one type. */
static void put_real(FILE *f, double value, bool json)
{
	char text[NUMBER];

	snprintf(text, sizeof(text), "%.9g", value);
	fputs_unlocked(text, f);
	if (json && !strpbrk(text, ".e"))
		fputs_unlocked(".0", f);
}

static void put_cell(FILE *f, const struct cell *cell, bool json)
{
	unsigned int i;

	switch (cell->kind) {
	case CELL_INT:
		if (cell->i < 0)
			putc_unlocked('-', f);
		put_number(f, cell->i < 0 ? -(uint64_t)cell->i : (uint64_t)cell->i);
		break;
	case CELL_COUNT:
		put_number(f, cell->n);
		break;
	case CELL_REAL:
		put_real(f, cell->r, json);
		break;
	case CELL_TEXT:
		if (json || strpbrk(cell->s, ",\"\n"))
			put_quoted(f, cell->s, !json);
		else
			fputs_unlocked(cell->s, f);
		break;
	case CELL_LIST:
		for (i = 0; i < cell->nr; i++) {
			putc_unlocked(i ? ',' : '[', f);
			put_real(f, cell->list[i], json);
		}
		fputs_unlocked(cell->nr ? "]" : "[]", f);
		break;
	case CELL_NULL:
		fputs_unlocked(json ? "null" : "", f);
		break;
	}
}

/**
 * out_open() - open an output; write the names of the columns for CSV
 * @out: the output, with its kind and columns
 * @path: file to write, NULL for stdout
 *
 * Return: false, with a message, if it cannot be opened.
 */
bool out_open(struct out *out, const char *path)
{
	int fd = path ? create_file(path, 0666, out->whole ? out->scrap : NULL) : -1;
	unsigned int i;

	out->path = path;
	out->f = !path ? stdout : fd < 0 ? NULL : fdopen(fd, "w");
	if (!out->f)
		return false;
	if (path || out->kind != OUT_TEXT)
		setvbuf(out->f, out->buf, _IOFBF, sizeof(out->buf));
	for (i = 0; out->kind == OUT_CSV && out->columns[i]; i++)
		fprintf(out->f, "%s%s", i ? "," : "", out->columns[i]);
	if (i)
		fputc('\n', out->f);
	return true;
}

/**
 * out_row() - write a row
 * @out: the output
 * @cells: a value for each column
 */
void out_row(struct out *out, const struct cell *cells)
{
	bool json = out->kind == OUT_JSONL;
	unsigned int i;

	if (__fpending(out->f) > sizeof(out->buf) - LONGEST_ROW)
		fflush(out->f);
	for (i = 0; out->columns[i]; i++) {
		if (i || json)
			putc_unlocked(i ? ',' : '{', out->f);
		if (json) {
			put_quoted(out->f, out->columns[i], false);
			putc_unlocked(':', out->f);
		}
		put_cell(out->f, &cells[i], json);
	}
	fputs_unlocked(json ? "}\n" : "\n", out->f);
}

/**
 * out_close() - flush an output, and close it unless it is stdout or stderr
 * @out: the output
 *
 * Return: false, with a message, if a write has failed.
 */
bool out_close(struct out *out)
{
	bool good = !ferror(out->f) && !fflush(out->f);

	if (out->f != stdout && out->f != stderr)
		good = !fclose(out->f) && good;
	if (!good)
		complain("%s: %s", out->path ?: "output", strerror(errno));
	return name_file(out->path, out->scrap, good);
}

/**
 * take_kind() - handle an option for rows: JSON Lines or CSV
 * @o: the option; its target is the kind of rows, and @least the kind to use
 * @text: NULL
 *
 * Return: true.
 */
bool take_kind(const struct option_doc *o, const char *text)
{
	*(enum out_kind *)o->to = o->least;
	return true;
}

/**
 * take_json() - handle the option for one JSON array
 * @o: the option; its target gets an empty array, and is NULL without the option
 * @text: NULL
 *
 * Return: true.
 */
bool take_json(const struct option_doc *o, const char *text)
{
	*(json_t **)o->to = json_array();
	return true;
}

/**
 * print_json() - write the array of take_json() to stdout, and free it
 * @list: the array, NULL: write nothing
 */
void print_json(json_t *list)
{
	if (!list)
		return;
	json_dumpf(list, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(list);
}
