// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for programs: numbers and texts of any length, as printf() and a reader of JSON have
 * them.
 */

#include "unit.h"
#include "cli/out.h"

#define ROWS	4000
#define LONG	9000	/* bytes of a text, more than a row usually has */

enum { COUNT, SIGNED, REAL, TEXT, LIST, NONE, COLUMNS };

static const char *const columns[COLUMNS + 1] = {
	"count", "signed", "real", "text", "list", "none", NULL
};

static struct out out = { .columns = columns };
static struct cell cells[COLUMNS];
static double list[LONG];
static char text[LONG + 1];

/* Return a number whose length is any; often it has as many digits as the next has not. */
static u64 any_number(void)
{
	u64 n = ((u64)rnd(1u << 31) << 33 | rnd(1u << 31)) >> rnd(64), power = 1;

	while (power <= n / 10)
		power *= 10;
	return rnd(3) ? n : power - rnd(2);
}

static void any_text(void)
{
	static const char some[] = "abc,\"\\\n\001\tx \303\244";
	unsigned int i, n = rnd(100) ? rnd(80) : LONG, special = rnd(2);

	for (i = 0; i < n; i++)
		text[i] = special && !rnd(20) ? some[rnd(10)] : (char)('a' + rnd(26));
	if (n > 1 && special)
		memcpy(text + n - 2, "\303\244", 2);
	text[n] = 0;
}

static void any_row(void)
{
	unsigned int i;

	any_text();
	for (i = 0; i < LONG; i++)
		list[i] = i / 7.0;
	cells[COUNT] = cell_int(true, any_number() & INT64_MAX);
	cells[SIGNED] = cell_int(true, rnd(50) ? (int64_t)any_number() : INT64_MIN);
	cells[REAL] = cell_real((double)any_number() / 1024);
	cells[TEXT] = cell_text(text);
	cells[LIST] = (struct cell){
		.kind = out.kind == OUT_CSV ? CELL_NULL : CELL_LIST, .list = list,
		.nr = rnd(200) ? rnd(4) : LONG,
	};
	cells[NONE] = cell_real(NAN);
}

static void each_row(enum out_kind kind, void (*check)(FILE *f))
{
	char path[] = "/tmp/pcounter-out-XXXXXX";
	u64 seed = rng;
	unsigned int i;
	FILE *f;

	close(mkstemp(path));
	out.kind = kind;
	assert_true(out_open(&out, path));
	for (i = 0; i < ROWS; i++) {
		any_row();
		out_row(&out, cells);
	}
	assert_true(out_close(&out));
	rng = seed;
	f = fopen(path, "r");
	assert_non_null(f);
	for (i = 0; i < ROWS + (kind == OUT_CSV); i++) {
		if (i || kind != OUT_CSV)
			any_row();
		check(f);
	}
	assert_int_equal(fgetc(f), EOF);
	fclose(f);
	unlink(path);
}

static void check_json(FILE *f)
{
	json_t *row = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL), *value;
	unsigned int i;

	assert_non_null(row);
	assert_int_equal(json_object_size(row), COLUMNS);
	assert_int_equal(json_integer_value(json_object_get(row, "count")), cells[COUNT].i);
	assert_int_equal(json_integer_value(json_object_get(row, "signed")), cells[SIGNED].i);
	assert_true(json_is_real(json_object_get(row, "real")));
	value = json_object_get(row, "text");
	assert_string_equal(*text ? json_string_value(value) : "", text);
	assert_true(*text || json_is_null(value));
	value = json_object_get(row, "list");
	assert_int_equal(json_array_size(value), cells[LIST].nr);
	for (i = 0; i < cells[LIST].nr; i++)
		assert_true(fabs(json_real_value(json_array_get(value, i)) - list[i]) < 0.00001);
	assert_true(json_is_null(json_object_get(row, "none")));
	json_decref(row);
	assert_int_equal(fgetc(f), '\n');
}

/* Check that the file goes on with a text. */
static void expect(FILE *f, const char *want)
{
	static char got[LONG + 1];
	size_t len = strlen(want);

	assert_int_equal(fread(got, 1, len, f), len);
	got[len] = 0;
	assert_string_equal(got, want);
}

static void check_csv(FILE *f)
{
	const bool quoted = strpbrk(text, ",\"\n");
	static bool begun;
	unsigned int i;

	if (!begun) {
		begun = true;
		expect(f, "count,signed,real,text,list,none\n");
		return;
	}
	expect(f, text_tmp("%lld,%lld,%.9g,%s", (long long)cells[COUNT].i,
			   (long long)cells[SIGNED].i, cells[REAL].r, quoted ? "\"" : ""));
	for (i = 0; text[i]; i++)
		expect(f, text[i] == '"' ? "\"\"" : text_tmp("%c", text[i]));
	expect(f, quoted ? "\",,\n" : ",,\n");
}

/* JSON is UTF-8, whatever a text is. */
TEST(test_json_bytes)
{
	static struct cell row[COLUMNS];
	FILE *f = tmpfile();
	json_t *read;

	assert_non_null(f);
	out = (struct out){ .columns = columns, .kind = OUT_JSONL, .f = f };
	row[TEXT] = cell_text("a\377b");
	out_row(&out, row);
	rewind(f);
	read = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);
	assert_string_equal(json_string_value(json_object_get(read, "text")), "a?b");
	json_decref(read);
	fclose(f);
}

TEST(test_json_rows)
{
	each_row(OUT_JSONL, check_json);
}

TEST(test_csv_rows)
{
	each_row(OUT_CSV, check_csv);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
