// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for programs. A row is written whole or not at all, so that what an
 * interrupted run leaves can be parsed.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tool.h"

/**
 * out_open() - begin
 * @out: kind and columns are set
 * @path: file to write, NULL for stdout
 *
 * Return: false, with a word on stderr, if that fails.
 */
bool out_open(struct out *out, const char *path)
{
	out->begun = false;
	out->f = path ? fopen(path, "we") : stdout;
	if (!out->f)
		complain("%s: %s", path, strerror(errno));
	return out->f;
}

static void csv_text(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\n")) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

static void csv_cell(FILE *f, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_INT:
		fprintf(f, "%lld", (long long)cell->i);
		break;
	case CELL_REAL:
		if (isfinite(cell->r))
			fprintf(f, "%.9g", cell->r);
		break;
	case CELL_TEXT:
		csv_text(f, cell->s);
		break;
	case CELL_NULL:
		break;
	}
}

static json_t *json_cell(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_INT:
		return json_integer(cell->i);
	case CELL_REAL:
		return isfinite(cell->r) ? json_real(cell->r) : json_null();
	case CELL_TEXT:
		return json_string(cell->s);
	default:
		return json_null();
	}
}

static void row_csv(struct out *out, const struct cell *cells)
{
	unsigned int i;

	for (i = 0; out->columns[i]; i++) {
		if (i)
			fputc(',', out->f);
		csv_cell(out->f, &cells[i]);
	}
	fputc('\n', out->f);
}

static void row_json(struct out *out, const struct cell *cells)
{
	json_t *row = json_object();
	unsigned int i;

	for (i = 0; out->columns[i]; i++)
		json_object_set_new(row, out->columns[i], json_cell(&cells[i]));
	json_dumpf(row, out->f, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	json_decref(row);
	fputc('\n', out->f);
}

/**
 * out_header() - write the names of the columns, where that is usual
 * @out: where to
 */
void out_header(struct out *out)
{
	unsigned int i;

	if (out->kind != OUT_CSV || out->begun)
		return;
	out->begun = true;
	for (i = 0; out->columns[i]; i++)
		fprintf(out->f, "%s%s", i ? "," : "", out->columns[i]);
	fputc('\n', out->f);
}

/**
 * out_row() - write a row
 * @out: where to
 * @cells: a value for each column
 *
 * Return: false if it could not be written.
 */
bool out_row(struct out *out, const struct cell *cells)
{
	out_header(out);
	if (out->kind == OUT_CSV)
		row_csv(out, cells);
	else
		row_json(out, cells);
	return !fflush(out->f);
}

/**
 * out_close() - end
 * @out: where rows went
 *
 * Return: false, with a word on stderr, if something was not written.
 */
bool out_close(struct out *out)
{
	bool good = !ferror(out->f) && !fflush(out->f);

	if (out->f != stdout)
		good = !fclose(out->f) && good;
	if (!good)
		complain("output: %s", strerror(errno));
	return good;
}
