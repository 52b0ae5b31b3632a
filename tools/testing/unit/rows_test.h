/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of the tables in scripts/tables/ and traces/. */
#ifndef _ROWS_TEST_H
#define _ROWS_TEST_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#define TABLES		"../../../scripts/tables/"
#define MOST_COLUMNS	13

/* The cells of the present row. */
static char *cell[MOST_COLUMNS];

/* Read a row into @cell. No cell contains a quote or ends in another line. */
static inline bool next_row(FILE *file, unsigned int columns)
{
	static char line[1024];
	char *rest = line;

	if (!fgets(line, sizeof(line), file))
		return false;
	assert_non_null(strchr(line, '\n'));
	line[strcspn(line, "\n")] = 0;
	for (unsigned int i = 0; i < columns; i++) {
		assert_non_null(rest);
		if (*rest == '"') {
			rest++;
			cell[i] = strsep(&rest, "\"");
			assert_non_null(rest);
			assert_string_equal(strsep(&rest, ","), "");
		} else {
			cell[i] = strsep(&rest, ",");
		}
	}
	assert_null(rest);
	return true;
}

/* Open a table, and read its first row, the names of its columns. */
static inline FILE *open_rows(const char *path, unsigned int columns)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(next_row(file, columns));
	return file;
}

#endif
