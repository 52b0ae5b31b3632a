// SPDX-License-Identifier: GPL-2.0-only
/*
 * Truth tables of four arguments as formulas: the shortest sum of products, or XOR
 * where the table is one.
 */
#include <limits.h>

#include "lib/util.h"

#define ROWS		16
#define COST		8	/* of a product, beside 1 for each condition */

/* Bitmasks of the arguments with a given value: products of few conditions first. */
static const uint8_t cares[ROWS] = { 0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15 };

/**
 * struct cover - a sum of products
 * @cost: what it costs to read
 * @nr: number of products
 * @values: the products by the arguments with a given value: a bitmask of these values
 */
struct cover {
	unsigned int cost;
	unsigned int nr;
	uint16_t values[ROWS];
};

/* Return the rows in which the arguments of @care have the given values. */
static uint16_t product_rows(unsigned int care, unsigned int value)
{
	uint16_t rows = 0;
	unsigned int i;

	for (i = 0; i < ROWS; i++)
		rows |= ((i & care) == value) << i;
	return rows;
}

/*
 * Cover the rows of @rest by products of a table, at the least cost below @limit: one of
 * the products covers the first row. Of several choices take the one with fewest conditions
 * in the first product. If there is none, the cost is @limit.
 */
static struct cover cover(uint16_t table, uint16_t rest, unsigned int limit)
{
	struct cover best = { .cost = rest ? limit : 0 }, more;
	unsigned int i, care, value, cost;
	uint16_t rows;

	for (i = 0; rest && i < ROWS; i++) {
		care = cares[i];
		value = care & __builtin_ctz(rest);
		rows = product_rows(care, value);
		cost = COST + __builtin_popcount(care);
		if (rows & ~table || cost >= best.cost)
			continue;
		more = cover(table, rest & ~rows, best.cost - cost);
		if (cost + more.cost >= best.cost)
			continue;
		best = more;
		best.cost += cost;
		best.nr++;
		best.values[care] |= 1 << value;
	}
	return best;
}

/* Format the arguments of a mask, with a word between them. */
static const char *args_text(unsigned int mask, unsigned int inverted, const char *word,
			     const char *const names[FORMULA_ARGS])
{
	const char *text = "";
	unsigned int i;

	for (i = 0; i < FORMULA_ARGS; i++)
		if (mask & 1 << i)
			text = text_tmp("%s%s%s%s", text, *text ? word : "",
					inverted & 1 << i ? "NOT " : "", names[i]);
	return text;
}

/* Format the XOR of two or more arguments, or its inverse; return NULL for other tables. */
static const char *parity(uint16_t table, const char *const names[FORMULA_ARGS])
{
	unsigned int mask, i;

	for (mask = 3; mask < ROWS; mask++) {
		uint16_t odd = 0;

		if (__builtin_popcount(mask) < 2)
			continue;
		for (i = 0; i < ROWS; i++)
			odd |= (__builtin_popcount(i & mask) & 1) << i;
		if (table == odd)
			return args_text(mask, 0, " XOR ", names);
		if ((table ^ odd) == 0xffff)
			return text_tmp("NOT (%s)", args_text(mask, 0, " XOR ", names));
	}
	return NULL;
}

/**
 * formula() - format a truth table as a formula
 * @table: the value for each row is bit (a0 + 2 a1 + 4 a2 + 8 a3)
 * @names: names of the arguments
 *
 * Return: the formula, for immediate use.
 */
const char *formula(uint16_t table, const char *const names[FORMULA_ARGS])
{
	const char *text = "", *one;
	unsigned int i, care, value;
	struct cover sum;

	if (!table || table == 0xffff)
		return table ? "always" : "never";
	one = parity(table, names);
	if (one)
		return one;
	sum = cover(table, table, UINT_MAX);
	for (i = 0; i < ROWS * ROWS; i++) {
		care = cares[i / ROWS];
		value = i % ROWS;
		if (!(sum.values[care] >> value & 1))
			continue;
		one = args_text(care, ~value, " AND ", names);
		if (sum.nr > 1 && __builtin_popcount(care) > 1)
			one = text_tmp("(%s)", one);
		text = text_tmp("%s%s%s", text, *text ? " OR " : "", one);
	}
	return text;
}
