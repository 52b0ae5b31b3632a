// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for programs, and JSON. A report may have hundreds of millions of rows, so they
 * are formatted without a library. The buffer is written only between two rows, so that
 * the output of an interrupted run can be parsed.
 */
#include <math.h>

#include "lib/out.h"
#include "lib/tool.h"

#define LONGEST_ROW	8192
#define NUMBER		20	/* digits of the greatest number */

/**
 * file_open() - open a file for output
 * @path: the file, NULL for stdout
 *
 * Return: the file; NULL, with a message, if it cannot be opened.
 */
FILE *file_open(const char *path)
{
	FILE *f = path ? fopen(path, "we") : stdout;

	if (!f)
		complain("%s: %s", path, strerror(errno));
	return f;
}

/**
 * file_close() - flush and close a file
 * @f: the file; stdout and stderr stay open
 * @path: its name for messages, NULL for stdout
 *
 * Return: false, with a message, if a write has failed.
 */
bool file_close(FILE *f, const char *path)
{
	bool good = !ferror(f) && !fflush(f);

	if (f != stdout && f != stderr)
		good = !fclose(f) && good;
	if (!good)
		complain("%s: %s", path ?: "output", strerror(errno));
	return good;
}

/**
 * quote() - put a text into double quotes
 * @to: gets the result: up to 6 bytes for each byte of @text, and 3 more
 * @text: the text
 * @csv: escape characters as in CSV; else as in JSON
 *
 * Return: the end of the result.
 */
char *quote(char *to, const char *text, bool csv)
{
	*to++ = '"';
	for (; *text; text++) {
		if (*text > 0 && *text < ' ' && !csv) {
			to += sprintf(to, "\\u%04x", *text);
			continue;
		}
		if (*text == '"' || (*text == '\\' && !csv))
			*to++ = csv ? '"' : '\\';
		*to++ = *text;
	}
	*to++ = '"';
	*to = 0;
	return to;
}

static void put(struct out *out, const char *text, size_t len)
{
	memcpy(out->buf + out->at, text, len);
	out->at += len;
}

static void put_number(struct out *out, uint64_t n)
{
	char text[NUMBER], *p = text + sizeof(text);

	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n);
	put(out, p, text + sizeof(text) - p);
}

/* Format a number; in JSON always with a point, so that all values of a column have one type. */
static void put_real(struct out *out, double value, bool json)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	put(out, text, strlen(text));
	if (json && !strpbrk(text, ".e"))
		put(out, ".0", 2);
}

static void put_text(struct out *out, const char *text, bool json)
{
	if (json || strpbrk(text, ",\"\n"))
		out->at = quote(out->buf + out->at, text, !json) - out->buf;
	else
		put(out, text, strlen(text));
}

static void put_cell(struct out *out, const struct cell *cell, bool json)
{
	switch (cell->kind) {
	case CELL_INT:
		if (cell->i < 0)
			put(out, "-", 1);
		put_number(out, cell->i < 0 ? -(uint64_t)cell->i : (uint64_t)cell->i);
		break;
	case CELL_COUNT:
		put_number(out, cell->n);
		break;
	case CELL_REAL:
		put_real(out, cell->r, json);
		break;
	case CELL_TEXT:
		put_text(out, cell->s, json);
		break;
	case CELL_NULL:
		if (json)
			put(out, "null", 4);
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
	unsigned int i;

	out->path = path;
	out->at = 0;
	out->f = file_open(path);
	if (!out->f)
		return false;
	for (i = 0; out->kind != OUT_TEXT && out->columns[i]; i++) {
		if (out->kind == OUT_CSV)
			fprintf(out->f, "%s%s", i ? "," : "", out->columns[i]);
		snprintf(out->before[i], sizeof(*out->before),
			 out->kind == OUT_CSV ? "," : ",\"%s\":", out->columns[i]);
	}
	if (out->kind == OUT_CSV)
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

	if (out->at > sizeof(out->buf) - LONGEST_ROW)
		out_flush(out);
	for (i = 0; out->columns[i]; i++) {
		if (i || json)
			put(out, out->before[i], strlen(out->before[i]));
		if (!i && json)
			out->buf[out->at - strlen(*out->before)] = '{';
		put_cell(out, &cells[i], json);
	}
	put(out, json ? "}\n" : "\n", json ? 2 : 1);
}

/**
 * out_flush() - write all buffered rows
 * @out: the output
 *
 * Return: false if writing fails.
 */
bool out_flush(struct out *out)
{
	fwrite(out->buf, 1, out->at, out->f);
	out->at = 0;
	return !fflush(out->f);
}

/**
 * out_close() - close an output
 * @out: the output
 *
 * Return: false, with a message, if a write has failed.
 */
bool out_close(struct out *out)
{
	out_flush(out);
	return file_close(out->f, out->path);
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
