// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first page of "pcounter top", as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/kernel.h>

#include "verbs/engines.h"

#define LINES	24

static struct pmu pmu = { .name = "pcounter_0", .chip_name = "GT215" };
static struct gpu gpu = { .address = "0000:01:00.0", .pmu = &pmu };

static struct top_row busy(const char *name, double share)
{
	struct top_row row = {
		.gpu = &gpu, .state = "counting", .domain = "1", .unit = "unit", .name = name,
		.counted = share >= 0, .has_busy = share >= 0, .busy = share, .hz = 500e6,
	};

	return row;
}

static struct top_row clock_of(const char *domain, double hz)
{
	struct top_row row = {
		.gpu = &gpu, .state = "counting", .unit = "clock", .name = "cycles", .hz = hz,
	};

	strcpy(row.domain, domain);
	return row;
}

static void page_is(const struct engines *e, const struct top_rows *rows, unsigned int width,
		    const char *const *want)
{
	static char line[LINES][ENGINE_LINE];
	unsigned int n, i;

	memset(line, 0, sizeof(line));
	n = engines_lines(e, rows, width, LINES, line);
	for (i = 0; want[i]; i++) {
		assert_true(i < n);
		assert_string_equal(line[i], want[i]);
	}
	assert_int_equal(n, i);
}

static void test_page(void **state)
{
	static const char *const first[] = {
		"pcounter_0  GT215  0000:01:00.0",
		"  3D engine            [||||||||||          ]  50.0 %  =",
		"  shaders              [||||||||||||||||||||] 100.0 %  @",
		"  video, bitstream     not counted",
		"  odd                  [||||||||||||||||||||] 110.0 %! @",
		"  clocks in MHz        0: 277 1: 500",
		NULL
	};
	static const char *const sorted[] = {
		"pcounter_0  GT215  0000:01:00.0",
		"  shaders              [||||||||||          ]  50.0 %  █▄",
		"  video, bitstream     [|||||               ]  25.0 %  ?▂",
		"  3D engine            [                    ]   0.0 %  ▄ ",
		"  odd                  [                    ]   0.0 %  █ ",
		"  clocks in MHz        0: 277 1: 500",
		NULL
	};
	static const char *const narrow[] = {
		"pcounter_0  GT215  0000:01:00.0",
		"  3D engine            [                    ]   0.0 %  ",
		"  shaders              [||||||||||          ]  50.0 %  ",
		"  video, bitstream     [|||||               ]  25.0 %  ",
		"  odd                  [                    ]   0.0 %  ",
		"  clocks in MHz        0: 277 ...",
		NULL
	};
	struct top_row row[] = {
		busy("gr_busy", 0.5), busy("shader_busy", 1), busy("pvld_idle", -1),
		/* a second one that tells of the 3D engine */
		busy("pgraph_idle", 0.7), busy("odd_idle", 1.1),
		clock_of("0", 277e6), clock_of("1", 500e6), clock_of("1", 500e6),
	};
	struct top_rows rows = { ARRAY_SIZE(row), ARRAY_SIZE(row), row };
	struct engines *e = calloc(1, sizeof(*e));

	(void)state;
	assert_non_null(e);
	engines_note(e, &rows);
	page_is(e, &rows, 132, first);
	row[0] = busy("gr_busy", 0);
	row[1] = busy("shader_busy", 0.5);
	row[2] = busy("pvld_idle", 0.25);
	row[4] = busy("odd_idle", 0);
	engines_note(e, &rows);
	e->sorted = true;
	e->unicode = true;
	page_is(e, &rows, 132, sorted);
	e->sorted = false;
	page_is(e, &rows, 36, narrow);
	free(e);
}

/* As many intervals are shown as there is room for: the last ones. */
static void test_history(void **state)
{
	struct top_row row[] = { busy("rop_busy", 0) };
	struct top_rows rows = { 1, 1, row };
	struct engines *e = calloc(1, sizeof(*e));
	static char line[LINES][ENGINE_LINE];

	(void)state;
	assert_non_null(e);
	for (unsigned int i = 0; i < 2 * ENGINE_HISTORY; i++) {
		row[0].busy = i < ENGINE_HISTORY + 1 ? 1 : 0.5;
		engines_note(e, &rows);
	}
	assert_int_equal(e->engine[0].n, ENGINE_HISTORY);
	memset(line, 0, sizeof(line));
	engines_lines(e, &rows, 80, LINES, line);
	assert_non_null(strstr(line[1], "%  @======================="));
	assert_true(strlen(line[1]) <= 84);
	free(e);
}

static void test_gpus_without(void **state)
{
	static const char *const asleep[] = {
		"pcounter_0  GT215  0000:01:00.0  asleep", NULL
	};
	static const char *const none[] = {
		"pcounter_0  GT215  0000:01:00.0",
		"  nothing known tells how busy its engines are: Tab shows the clocks",
		"  clocks in MHz        hub0: 100",
		NULL
	};
	struct top_row row[] = { { .gpu = &gpu, .state = "asleep" } };
	struct top_rows rows = { 1, 1, row };
	struct engines *e = calloc(1, sizeof(*e));

	(void)state;
	assert_non_null(e);
	engines_note(e, &rows);
	page_is(e, &rows, 80, asleep);
	row[0] = clock_of("hub0", 100e6);
	engines_note(e, &rows);
	page_is(e, &rows, 80, none);
	free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_gpus_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
