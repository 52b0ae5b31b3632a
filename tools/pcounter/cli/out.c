// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for programs, and JSON. A report may have hundreds of millions of rows, so their
 * numbers are formatted without a library. The buffer is written only between two rows,
 * so that the output of an interrupted run can be parsed.
 */
#include <math.h>
#include <stdio_ext.h>

#include "cli/out.h"

#define LONGEST_ROW	8192	/* usually; a longer one is written in parts */
#define PIECE		1024	/* of a row; its names and numbers need less */
#define REAL_DIGITS	9

/**
 * put_quoted() - write a text in double quotes
 * @f: the output
 * @text: the text
 * @csv: escape characters as in CSV; else by backslashes
 */
void put_quoted(FILE *f, const char *text, bool csv)
{
	putc_unlocked('"', f);
	for (; *text; text++) {
		if (*text == '"' || (*text == '\\' && !csv))
			putc_unlocked(csv ? '"' : '\\', f);
		putc_unlocked(*text, f);
	}
	putc_unlocked('"', f);
}

/* Two digits of each number below 100, which a division would take longer to find. */
static char digits[100][2];

static void make_digits(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(digits); i++) {
		digits[i][0] = '0' + i / 10;
		digits[i][1] = '0' + i % 10;
	}
}

static char *add_number(char *end, uint64_t n)
{
	if (n < 10) {
		*end = '0' + n;
		return end + 1;
	}
	if (n >= 100)
		end = add_number(end, n / 100);
	return mempcpy(end, digits[n % 100], sizeof(*digits));
}

/* Add a number; in JSON with a point, so that all values of a column have one type. */
static inline char *add_cell(char *end, const struct cell *cell, bool json)
{
	char *begin = end;
	uint64_t n = cell->i;

	if (cell->kind == CELL_INT) {
		*end = '-';
		return add_number(end + (cell->i < 0), cell->i < 0 ? -n : n);
	}
	if (cell->kind == CELL_NULL)
		return json ? stpcpy(end, "null") : end;
	end += sprintf(end, "%.*g", REAL_DIGITS, cell->r);
	return json && !strpbrk(begin, ".e") ? stpcpy(end, ".0") : end;
}

static json_t *list_json(const struct cell *cell)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < cell->nr; i++)
		json_array_append_new(list, json_real(cell->list[i]));
	return list;
}

/* Write a text or a list. The words of a command may be no UTF-8, which JSON is. */
static void put_long(FILE *f, const struct cell *cell, bool json)
{
	json_t *value;

	if (json) {
		value = cell->kind == CELL_LIST ? list_json(cell) :
			json_string(cell->s) ?: json_string(text_plain(cell->s));
		json_dumpf(value, f,
			   JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
		json_decref(value);
	} else if (strpbrk(cell->s, ",\"\n")) {
		put_quoted(f, cell->s, true);
	} else {
		fputs_unlocked(cell->s, f);
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

	make_digits();
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
	char text[PIECE], *end = text;
	const char *const *name;

	if (__fpending(out->f) > sizeof(out->buf) - LONGEST_ROW)
		fflush(out->f);
	if (json)
		*end++ = '{';
	for (name = out->columns; *name; name++, cells++) {
		if (json) {
			end = stpcpy(stpcpy(end, "\""), *name);
			end = stpcpy(end, "\":");
		}
		if (cells->kind < CELL_TEXT) {
			end = add_cell(end, cells, json);
		} else {
			fwrite_unlocked(text, 1, end - text, out->f);
			end = text;
			put_long(out->f, cells, json);
		}
		*end++ = ',';
	}
	/* instead of the last comma */
	end = stpcpy(end - 1, json ? "}\n" : "\n");
	fwrite_unlocked(text, 1, end - text, out->f);
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
	json_dumpf(list, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER |
		   JSON_REAL_PRECISION(REAL_DIGITS));
	putchar('\n');
	json_decref(list);
}
