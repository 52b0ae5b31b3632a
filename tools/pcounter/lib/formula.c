// SPDX-License-Identifier: GPL-2.0-only
/*
 * Truth tables of four arguments as formulas: the shortest sum of products, or XOR
 * where the table is one.
 */
#include <limits.h>

#include "lib/util.h"

#define ROWS		16
#define MAX_PRIMES	32	/* more than a table of four arguments can have */

/**
 * struct cube - a product: the rows in which some arguments have given values
 * @care: bitmask of the arguments with a given value
 * @value: values of these arguments
 */
struct cube {
	uint8_t care;
	uint8_t value;
};

static uint16_t cube_rows(const struct cube *cube)
{
	uint16_t rows = 0;
	unsigned int i;

	for (i = 0; i < ROWS; i++)
		if ((i & cube->care) == cube->value)
			rows |= 1 << i;
	return rows;
}

/* Find the prime implicants: products of the table that no other such product contains. */
static unsigned int find_primes(uint16_t table, struct cube *prime)
{
	unsigned int n = 0, care, value, i;

	/* products of few conditions first */
	for (i = 0; i <= FORMULA_ARGS; i++) {
		for (care = 0; care < ROWS; care++) {
			if ((unsigned int)__builtin_popcount(care) != i)
				continue;
			for (value = 0; value < ROWS; value++) {
				struct cube cube = { care, value };
				uint16_t rows = cube_rows(&cube);
				unsigned int k;

				if (value & ~care || rows & ~table)
					continue;
				for (k = 0; k < n; k++)
					if (!(rows & ~cube_rows(&prime[k])))
						break;
				if (k == n)
					prime[n++] = cube;
			}
		}
	}
	return n;
}

/*
 * Choose products that cover all rows of @rest at the least cost. Return a bitmask of them;
 * of several choices the one with the earliest products.
 */
static uint32_t cover(const struct cube *prime, unsigned int n, uint16_t rest, unsigned int *cost)
{
	uint16_t first = rest & -rest;
	uint32_t best = 0;
	unsigned int i;

	*cost = rest ? UINT_MAX : 0;
	for (i = 0; i < n; i++) {
		uint16_t rows = cube_rows(&prime[i]);
		unsigned int more;
		uint32_t others;

		if (!(rows & first))
			continue;
		others = cover(prime, n, rest & ~rows, &more);
		more += 8 + __builtin_popcount(prime[i].care);
		if (more >= *cost)
			continue;
		*cost = more;
		best = others | 1u << i;
	}
	return best;
}

/* Add the arguments of a mask, with a word between them. */
static void add_args(unsigned int mask, unsigned int inverted, const char *word,
		     const char *const names[FORMULA_ARGS], char *text)
{
	const char *between = "";
	unsigned int i;

	for (i = 0; i < FORMULA_ARGS; i++) {
		if (!(mask & 1 << i))
			continue;
		text_add(text, FORMULA_TEXT, "%s%s%s", between, inverted & 1 << i ? "NOT " : "",
			 names[i]);
		between = word;
	}
}

/* Format the XOR of two or more arguments, or its inverse. */
static bool parity(uint16_t table, const char *const names[FORMULA_ARGS], char *text)
{
	unsigned int mask, i;

	for (mask = 3; mask < ROWS; mask++) {
		uint16_t odd = 0;

		if (__builtin_popcount(mask) < 2)
			continue;
		for (i = 0; i < ROWS; i++)
			odd |= (__builtin_popcount(i & mask) & 1) << i;
		if (table != odd && (table ^ odd) != 0xffff)
			continue;
		text_add(text, FORMULA_TEXT, table == odd ? "" : "NOT (");
		add_args(mask, 0, " XOR ", names, text);
		text_add(text, FORMULA_TEXT, table == odd ? "" : ")");
		return true;
	}
	return false;
}

/**
 * formula() - format a truth table as a formula
 * @table: the value for each row is bit (a0 + 2 a1 + 4 a2 + 8 a3)
 * @names: names of the arguments
 *
 * Return: the formula, which the next call replaces.
 */
const char *formula(uint16_t table, const char *const names[FORMULA_ARGS])
{
	static char text[FORMULA_TEXT];
	struct cube prime[MAX_PRIMES];
	const char *between = "";
	unsigned int i, n, cost;
	uint32_t chosen;

	if (!table || table == 0xffff)
		return table ? "always" : "never";
	*text = 0;
	if (parity(table, names, text))
		return text;
	n = find_primes(table, prime);
	chosen = cover(prime, n, table, &cost);
	for (i = 0; i < n; i++) {
		bool brackets = chosen != 1u << i && __builtin_popcount(prime[i].care) > 1;

		if (!(chosen & 1u << i))
			continue;
		text_add(text, FORMULA_TEXT, "%s%s", between, brackets ? "(" : "");
		add_args(prime[i].care, ~prime[i].value, " AND ", names, text);
		text_add(text, FORMULA_TEXT, brackets ? ")" : "");
		between = " OR ";
	}
	return text;
}
