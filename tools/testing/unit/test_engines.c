// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first page of "pcounter top", as text.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "top/top.h"

#define LINES	24

static struct pmu pmu = { .name = "pcounter_0", .chip_name = "GT215" };
static struct gpu gpu = { .address = "0000:01:00.0", .pmu = &pmu };
static struct watch watch = { .gpu = &gpu, .facts = { .celsius = NAN, .vram = NAN } };
static const struct watches one = { .nr = 1, .watch = &watch };
static struct watches settings;

/* Begin anew, and make rows the last interval of the only GPU. */
static const struct watches *interval(struct top_row *row, unsigned int n)
{
	memset(&settings, 0, sizeof(settings));
	watch.nr_engines = 0;
	watch.row = row;
	watch.nr_rows = n;
	return &one;
}

static void note(const struct watches *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		engines_note(&all->watch[i]);
}

/* Return the explanation of a name; it stays allocated until the tests end. */
static const struct plain *plain_of(const char *name)
{
	static struct {
		const char *name;
		struct plain plain;
	} known[LINES];
	unsigned int i;

	for (i = 0; known[i].name && strcmp(known[i].name, name); i++)
		;
	known[i].name = name;
	plain_name(name, &known[i].plain);
	return &known[i].plain;
}

static struct top_row busy(const char *name, double share)
{
	struct top_row row = {
		.state = "counting", .domain = "1", .unit = "unit", .name = name,
		.plain = plain_of(name),
		.busy = share < 0 ? NAN : share, .hz = 500e6,
	};

	return row;
}

static struct top_row clock_of(const char *domain, double hz)
{
	struct top_row row = {
		.state = "counting", .unit = "clock", .name = "cycles",
		.hz = hz < 0 ? NAN : hz,
	};

	strcpy(row.domain, domain);
	return row;
}

static char *line[LINES], *text;

static unsigned int draw(const struct watches *all, const struct watch *of, unsigned int width)
{
	struct watches page = settings;
	unsigned int n = 0;
	char *rest;
	size_t size;

	free(text);
	page.nr = all->nr;
	page.watch = all->watch;
	page.only = of;
	page.width = width;
	page.f = open_memstream(&text, &size);
	engines_lines(&page);
	fclose(page.f);
	for (rest = text; *rest; n++) {
		assert_in_range(n, 0, LINES - 1);
		line[n] = strsep(&rest, "\n");
	}
	return n;
}

static void page_is(const struct watches *all, unsigned int width,
		    const char *const *want)
{
	unsigned int n, i;

	n = draw(all, NULL, width);
	for (i = 0; want[i]; i++) {
		assert_true(i < n);
		assert_string_equal(line[i], want[i]);
	}
	assert_int_equal(n, i);
}

static struct top_row counted(const char *name, double share, double hz)
{
	struct top_row row = busy(name, -1);

	row.cycles = share >= 0 ? 1000 : 0;
	row.events = share >= 0 ? share * 1000 : 0;
	row.hz = hz;
	return row;
}

TEST(test_page)
{
	static const char *const first[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" Busiest of those known: shaders, 100 % of the time.",
		" Not known: video, bitstream; odd.",
		"                    busy                         before > now",
		" 3D engine          #########.........  50.0 %              =",
		" shaders            ################## 100.0 %              @",
		" video, bitstream   ..................       ?              ?  not counted",
		" odd                ################## 110.0 %!             @",
		" clocks in MHz   0 277  1 500",
		NULL
	};
	static const char *const sorted[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" Busiest: shaders, 50 % of the time.",
		"                    busy                         before → now",
		" shaders            █████████░░░░░░░░░  50.0 %             █▄",
		" video, bitstream   █████░░░░░░░░░░░░░  25.0 %             ?▂",
		" 3D engine          ░░░░░░░░░░░░░░░░░░   0.0 %             ▄ ",
		" odd                ░░░░░░░░░░░░░░░░░░   0.0 %             █ ",
		" clocks in MHz   0 277  1 500",
		NULL
	};
	struct top_row row[] = {
		busy("gr_busy", 0.5), busy("shader_busy", 1), busy("pvld_idle", -1),
		/* a second description of the 3D engine */
		busy("pgraph_idle", 0.7), busy("odd_idle", 1.1),
		clock_of("0", 277e6), clock_of("1", 500e6), clock_of("1", 500e6),
	};
	const struct watches *all = interval(row, ARRAY_SIZE(row));

	note(all);
	page_is(all, 80, first);
	row[0] = busy("gr_busy", 0);
	row[1] = busy("shader_busy", 0.5);
	row[2] = busy("pvld_idle", 0.25);
	row[4] = busy("odd_idle", 0);
	note(all);
	settings.sorted = true;
	settings.unicode = true;
	page_is(all, 80, sorted);
}

/* Show the longest wait; a whole is not the answer if one of its parts is busy. */
TEST(test_waits)
{
	static const char *const page[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" Busiest: shaders, 60 % of the time; waiting for memory: 25 %.",
		"                    busy                         before > now  waits for",
		" 3D engine          ################..  90.0 %              #",
		" shaders            ###########.......  60.0 %              +  memory 25 %",
		" clocks in MHz ",
		NULL
	};
	static const char *const idle[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" Little to do: no engine is busy for 10 % of the time.",
		"                    busy                         before > now",
		" 3D engine          #.................   7.0 %             #.",
		" shaders            ..................   0.0 %             + ",
		" clocks in MHz ",
		NULL
	};
	struct top_row row[] = {
		/* a row of an engine before the engine itself */
		counted("shader_waits_for_rop", 0.125, 1e6), busy("gr_busy", 0.9),
		busy("shader_busy", 0.6), counted("shader_waits_for_fb", 0.25, 1e6),
		counted("nobody_waits_for_rop", 0.5, 1e6),
	};
	const struct watches *all = interval(row, ARRAY_SIZE(row));

	note(all);
	page_is(all, 80, page);
	row[0] = counted("shader_waits_for_rop", -1, 1e6);
	row[1] = busy("gr_busy", 0.07);
	row[2] = busy("shader_busy", 0);
	row[3] = row[0];
	note(all);
	page_is(all, 80, idle);
}

/* The answer is about engines that were counted, as they can be; it names the others. */
TEST(test_unknown)
{
	static const char *const unknown = " Not known: shaders; memory controller.";
	struct top_row row[] = {
		busy("geom_busy", 0.5), busy("shader_busy", -1), busy("mc_busy", 1.19),
	};
	const struct watches *all = interval(row, ARRAY_SIZE(row));

	note(all);
	draw(all, NULL, 80);
	assert_string_equal(line[1], " Busiest of those known: geometry, 50 % of the time.");
	assert_string_equal(line[2], unknown);
	draw(all, NULL, 32);
	assert_string_equal(line[2], " Not known: shaders;");
	assert_string_equal(line[3], " memory controller.");
	row[0].busy = 0.05;
	note(all);
	draw(all, NULL, 80);
	assert_string_equal(line[1],
			    " No engine whose share is known is busy for 10 % of the time.");
	assert_string_equal(line[2], unknown);
	/* all that is shown as 100 % is possible */
	row[1].busy = 1.004;
	row[2].busy = 0.2;
	note(all);
	draw(all, NULL, 80);
	assert_string_equal(line[1], " Busiest: shaders, 100 % of the time.");
	row[0] = busy("geom_busy", -1);
	row[1] = busy("shader_busy", -1);
	row[2].busy = 3;
	note(all);
	draw(all, NULL, 80);
	assert_string_equal(line[1], " No share of an engine is known.");
	assert_non_null(strstr(line[2], "before > now"));
}

/* Rows that differ by less than the displayed precision keep their order. */
TEST(test_ties)
{
	struct top_row row[] = {
		busy("shader_busy", 0.5), busy("texture_busy", 0.5),
		counted("shader_waits_for_rop", 0.25, 1e6),
		counted("shader_waits_for_fb", 0.25, 1e6),
	};
	const struct watches *all = interval(row, ARRAY_SIZE(row));
	unsigned int i;

	settings.sorted = true;
	for (i = 0; i < 4; i++) {
		row[i % 2].busy += 0.002;
		row[2 + i % 2].events += 2;
		note(all);
		draw(all, NULL, 80);
		assert_string_equal(line[1],
				    " Busiest: shaders, 50 % of the time; waiting for ROP: 25 %.");
		assert_non_null(strstr(line[3], " shaders "));
	}
	row[1].busy = 0.6;
	row[3].events = 300;
	note(all);
	draw(all, NULL, 80);
	assert_string_equal(line[1], " Busiest: textures, 60 % of the time.");
	assert_non_null(strstr(line[4], "memory 30 %"));
}

/* Traffic is the sum of all halves and partitions, or unknown. */
TEST(test_traffic)
{
	static const char *const page[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" nothing known tells how busy its engines are: top -a has its signals",
		" memory, read                         4.8 GB/s              @  most 4.8 GB/s",
		" PCIe, CPU reads                        500 /s              @  most 500 /s",
		" clocks in MHz ",
		NULL
	};
	static const char *const unknown[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" nothing known tells how busy its engines are: top -a has its signals",
		" memory, read                      not counted             @?  most 4.8 GB/s",
		" PCIe, CPU reads                       2.0 k/s             :@  most 2.0 k/s",
		" clocks in MHz ",
		NULL
	};
	struct top_row row[] = {
		counted("fb_subp0_read_sectors", 0.5, 100e6),
		counted("fb_subp1_read_sectors", 0.5, 100e6),
		counted("fb_subp0_read_sectors", 0.5, 100e6), counted("pbus_pcie_rd", 0.5, 1000),
	};
	const struct watches *all = interval(row, ARRAY_SIZE(row));

	note(all);
	page_is(all, 80, page);
	row[1] = counted("fb_subp1_read_sectors", -1, 100e6);
	row[3].hz = 4000;
	note(all);
	page_is(all, 80, unknown);
}

/* The history shows the last intervals that fit. */
TEST(test_history)
{
	struct top_row row[] = { busy("rop_busy", 0) };
	const struct watches *all = interval(row, ARRAY_SIZE(row));

	for (unsigned int i = 0; i < 2 * ENGINE_HISTORY; i++) {
		row[0].busy = i < ENGINE_HISTORY + 1 ? 1 : 0.5;
		note(all);
	}
	draw(all, NULL, 80);
	assert_non_null(strstr(line[3], "% =============="));
	draw(all, NULL, 132);
	assert_non_null(strstr(line[3], "% @======================================="));
}

TEST(test_gpus_without)
{
	static const char *const asleep[] = {
		"GT215  0000:01:00.0  pcounter_0  asleep", NULL
	};
	static const char *const none[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" nothing known tells how busy its engines are: top -a has its signals",
		" clocks in MHz   hub 100",
		NULL
	};
	struct top_row row[] = { { .state = "asleep" } };
	const struct watches *all = interval(row, ARRAY_SIZE(row));

	note(all);
	page_is(all, 80, asleep);
	row[0] = clock_of("hub0", 100e6);
	note(all);
	page_is(all, 80, none);
}

/* Show one of several GPUs, or all of them, with both headlines above all engines. */
TEST(test_gpus)
{
	static const char *const page[] = {
		"GT215  0000:01:00.0  pcounter_0",
		" Busiest: 3D engine, 50 % of the time.",
		"GT215  0000:02:00.0  pcounter_1",
		" Busiest: 3D engine, 25 % of the time.",
		"pcounter_0",
		"                    busy                         before > now",
		" 3D engine          #########.........  50.0 %              =",
		" clocks in MHz ",
		"pcounter_1",
		"                    busy                         before > now",
		" 3D engine          #####.............  25.0 %              :",
		" clocks in MHz ",
		NULL
	};
	static struct pmu second = { .name = "pcounter_1", .chip_name = "GT215" };
	static struct gpu gpu2 = { .address = "0000:02:00.0", .pmu = &second };
	struct top_row row[] = { busy("gr_busy", 0.5), busy("gr_busy", 0.25) };
	struct watch both[] = {
		{ .gpu = &gpu, .facts = watch.facts, .nr_rows = 1, .row = &row[0] },
		{ .gpu = &gpu2, .facts = watch.facts, .nr_rows = 1, .row = &row[1] },
	};
	const struct watches pair = { .nr = 2, .watch = both }, *all = &pair;

	note(all);
	page_is(all, 80, page);
	assert_int_equal(draw(all, &both[1], 80), 5);
	assert_non_null(strstr(line[0], "0000:02:00.0"));
	assert_non_null(strstr(line[3], " 25.0 %"));
}

int main(void)
{
	return unit_run(NULL, NULL);
}
