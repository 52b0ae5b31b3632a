// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for programs, and JSON. A report may have hundreds of millions of rows, so they
 * are formatted without a library. The buffer is written only between two rows, so that
 * the output of an interrupted run can be parsed.
 */
#include <math.h>
#include <stdio_ext.h>

#include "cli/out.h"

#define LONGEST_ROW	8192	/* usually; a longer one is written in parts */
#define PIECE		4096	/* of a row; the numbers of all columns need less than half */
#define LONGEST_TEXT	64	/* longer ones are no part of a piece */
#define NUMBER		20	/* letters of a real number, at most */

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

/**
 * struct piece - a piece of a row
 * @f: the output
 * @json: JSON, else CSV
 * @text: the piece; functions that add to it take and return its end
 */
struct piece {
	FILE *f;
	bool json;
	char text[PIECE];
};

static char *write_piece(struct piece *p, const char *end)
{
	fwrite_unlocked(p->text, 1, end - p->text, p->f);
	return p->text;
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
	memcpy(end, digits[n % 100], sizeof(*digits));
	return end + sizeof(*digits);
}

/* Add a number; in JSON always with a point, so that all values of a column have one type. */
static char *add_real(char *end, double value, bool json)
{
	char text[NUMBER];

	snprintf(text, sizeof(text), "%.9g", value);
	end = stpcpy(end, text);
	return json && !strpbrk(text, ".e") ? stpcpy(end, ".0") : end;
}

/* Return true if a text is short, and has no character that is escaped. */
static bool is_plain(const char *text)
{
	const char *s;

	for (s = text; (unsigned char)*s >= ' ' && *s != '"' && *s != ',' && *s != '\\';)
		s++;
	return !*s && s - text < LONGEST_TEXT;
}

static char *add_text(struct piece *p, char *end, const char *text)
{
	bool plain = is_plain(text);

	if (end > p->text + PIECE / 2 || !plain)
		end = write_piece(p, end);
	if (plain) {
		*end = '"';
		end = stpcpy(end + p->json, text);
		*end = '"';
		return end + p->json;
	}
	if (p->json || strpbrk(text, ",\"\n"))
		put_quoted(p->f, text, !p->json);
	else
		fputs_unlocked(text, p->f);
	return end;
}

static char *add_list(struct piece *p, char *end, const struct cell *cell)
{
	unsigned int i;

	for (i = 0; i < cell->nr; i++) {
		*end++ = i ? ',' : '[';
		end = write_piece(p, add_real(end, cell->list[i], p->json));
	}
	return stpcpy(end, cell->nr ? "]" : "[]");
}

static char *add_cell(struct piece *p, char *end, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_INT:
		*end = '-';
		return add_number(end + (cell->i < 0), cell->i < 0 ? -cell->n : cell->n);
	case CELL_COUNT:
		return add_number(end, cell->n);
	case CELL_REAL:
		return add_real(end, cell->r, p->json);
	case CELL_TEXT:
		return add_text(p, end, cell->s);
	case CELL_LIST:
		return add_list(p, end, cell);
	default:
		return p->json ? stpcpy(end, "null") : end;
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
	const char *const *name = out->columns;
	struct piece p;
	char *end = p.text;

	p.f = out->f;
	p.json = out->kind == OUT_JSONL;
	if (__fpending(out->f) > sizeof(out->buf) - LONGEST_ROW)
		fflush(out->f);
	if (p.json)
		*end++ = '{';
	for (; *name; name++, cells++) {
		if (p.json) {
			end = add_text(&p, end, *name);
			*end++ = ':';
		}
		/* of most cells, without the way through a table */
		end = cells->kind == CELL_COUNT ? add_number(end, cells->n) :
						  add_cell(&p, end, cells);
		*end++ = ',';
	}
	/* instead of the last comma */
	write_piece(&p, stpcpy(end - 1, p.json ? "}\n" : "\n"));
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
