// SPDX-License-Identifier: GPL-2.0-only
/*
 * Truth tables of four arguments in words: the shortest sum of products, or
 * XOR where it is one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/formula.h"

#define ROWS		16
#define MAX_PRIMES	32	/* of four arguments there are never so many */

/**
 * struct cube - a product: those rows in which some arguments have given values
 * @care: which arguments
 * @value: their values
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

/* Products that are in the table and in no greater one that is. */
static unsigned int find_primes(uint16_t table, struct cube *prime)
{
	unsigned int n = 0, care, value, i;

	/* few conditions first */
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

/**
 * struct cover - the search for the fewest products
 * @prime: the products to choose from
 * @n: how many
 * @best: chosen, a bit for each
 * @cost: of @best
 */
struct cover {
	const struct cube *prime;
	unsigned int n;
	uint32_t best;
	unsigned int cost;
};

static void search(struct cover *c, uint16_t rest, uint32_t chosen, unsigned int cost)
{
	unsigned int i;
	uint16_t row = rest & -rest;

	if (cost >= c->cost)
		return;
	if (!rest) {
		c->best = chosen;
		c->cost = cost;
		return;
	}
	/* one of those that have the first row must be chosen */
	for (i = 0; i < c->n; i++) {
		uint16_t rows = cube_rows(&c->prime[i]);

		if (rows & row)
			search(c, rest & ~rows, chosen | 1u << i,
			       cost + 8 + __builtin_popcount(c->prime[i].care));
	}
}

static size_t add(char *buf, size_t len, size_t at, const char *text)
{
	if (at < len)
		snprintf(buf + at, len - at, "%s", text);
	return at + strlen(text);
}

static size_t add_cube(const struct cube *cube, bool alone,
		       const char *const names[FORMULA_ARGS], char *buf, size_t len,
		       size_t at)
{
	bool brackets = !alone && __builtin_popcount(cube->care) > 1;
	const char *between = "";
	unsigned int i;

	at = add(buf, len, at, brackets ? "(" : "");
	for (i = 0; i < FORMULA_ARGS; i++) {
		if (!(cube->care & 1 << i))
			continue;
		at = add(buf, len, at, between);
		at = add(buf, len, at, cube->value & 1 << i ? "" : "NOT ");
		at = add(buf, len, at, names[i]);
		between = " AND ";
	}
	return add(buf, len, at, brackets ? ")" : "");
}

/* Two or more arguments, XOR of all, or its opposite. */
static bool parity(uint16_t table, const char *const names[FORMULA_ARGS], char *buf,
		   size_t len)
{
	unsigned int mask, i;
	size_t at = 0;

	for (mask = 3; mask < ROWS; mask++) {
		const char *between = "";
		uint16_t odd = 0;

		if (__builtin_popcount(mask) < 2)
			continue;
		for (i = 0; i < ROWS; i++)
			odd |= (__builtin_popcount(i & mask) & 1) << i;
		if (table != odd && (table ^ odd) != 0xffff)
			continue;
		at = add(buf, len, at, table == odd ? "" : "NOT (");
		for (i = 0; i < FORMULA_ARGS; i++) {
			if (!(mask & 1 << i))
				continue;
			at = add(buf, len, at, between);
			at = add(buf, len, at, names[i]);
			between = " XOR ";
		}
		add(buf, len, at, table == odd ? "" : ")");
		return true;
	}
	return false;
}

/**
 * formula() - a truth table in words
 * @table: bit (a0 + 2 a1 + 4 a2 + 8 a3)
 * @names: what the arguments are called
 * @buf: room for it
 * @len: how much
 */
void formula(uint16_t table, const char *const names[FORMULA_ARGS], char *buf, size_t len)
{
	struct cube prime[MAX_PRIMES];
	struct cover c = { .prime = prime, .cost = ~0u };
	const char *between = "";
	unsigned int i;
	size_t at = 0;

	if (!table || table == 0xffff) {
		snprintf(buf, len, table ? "always" : "never");
		return;
	}
	if (parity(table, names, buf, len))
		return;
	c.n = find_primes(table, prime);
	search(&c, table, 0, 0);
	for (i = 0; i < c.n; i++) {
		if (!(c.best & 1u << i))
			continue;
		at = add(buf, len, at, between);
		at = add_cube(&prime[i], c.best == 1u << i, names, buf, len, at);
		between = " OR ";
	}
}
