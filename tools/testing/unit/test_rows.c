// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals and events with public names, as the lookups return them on each chip, compared
 * with the rows that the compiled tables are made from.
 */
#include "public_regs.h"
#include "rows_test.h"
#include "terms_test.h"
#include "rules/lookup.h"

#define MOST_CHIPS	128

/* Columns of both tables. */
enum { NAME, CHIPS, TERMS, CONFIDENCE };

/* Look up a name of a chip. Return its number, -1 if there is none. */
static int find_named(const struct pcounter_topo *topo, const char *name,
		      struct pcounter_named *named, int *unit)
{
	for (unsigned int i = 0; i < pcounter_nr_named(topo->chip); i++) {
		*unit = pcounter_named_get(topo, i, named);
		if (!strcmp(named->name, name))
			return i;
	}
	return -1;
}

static unsigned int count_events(const struct pcounter_chip *chip)
{
	return chip->events.nr;
}

/* They are in the order of domain and number; a sum follows its lowest bit. */
static unsigned int count_signals(const struct pcounter_chip *chip)
{
	const struct pcounter_signal *signal = pcounter_signals_of(chip);
	u32 last = 0;

	for (unsigned int i = 0; i < chip->signals.nr; i++) {
		u32 place = signal[i].set << 16 | signal[i].dom << 12 | signal[i].sig << 4 |
			    (signal[i].ctr ? 2 : 1);

		assert_true(last < place);
		last = place;
	}
	return chip->signals.nr;
}

TEST(test_terms_and_names)
{
	struct pcounter_named named;
	struct pcounter_topo topo;
	int unit;

	for (unsigned int c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_chip *chip = &pcounter_chips[c];
		unsigned int nr = chip->events.nr;

		if (chip->presence == PCOUNTER_ABSENT)
			continue;
		pcounter_topo_build(&topo, chip, pcounter_gen_find(chip)->caps, BIT(2), BIT(0));
		for (unsigned int i = 0; i < nr; i++) {
			const struct pcounter_public *event = pcounter_public_get(chip, i);
			struct pcounter_config config;

			/* no signal has the name */
			assert_int_equal(find_named(&topo, event->name, &named, &unit),
					 chip->signals.nr + i);
			/* the terms in sysfs and the words mean the same */
			assert_in_range(strlen(named.terms), 1, PCOUNTER_NAMED_TERMS - 2);
			config = words_of(named.terms, 0, topo.caps);
			assert_memory_equal(&config, &event->config, sizeof(config));
			/* they are in the order of their names */
			assert_true(!i || strcmp(pcounter_public_get(chip, i - 1)->name,
						 event->name) < 0);
			assert_ptr_equal(find_event(chip, event->name), event);
		}
	}
}

/* Copy the terms that are not 0. The unit is one of the GPU, and in no row. */
static const char *copy_terms(char *to, const char *terms)
{
	char text[PCOUNTER_NAMED_TERMS], *rest = text, *one;

	snprintf(text, sizeof(text), "%s", terms);
	for (*to = 0; (one = strsep(&rest, ","));)
		if (strcmp(one + strcspn(one, "="), "=0x0") && strncmp(one, "unit=", 5))
			strcat(strcat(to, one), ",");
	return to;
}

/* Compare the event of the row on a chip. Without GPC 0 no domain replaces another. */
static void check_listed(const struct pcounter_chip *chip, bool public)
{
	char got[PCOUNTER_NAMED_TERMS + 1], want[sizeof(got)];
	struct pcounter_named named;
	struct pcounter_topo topo;
	int i, unit;

	pcounter_topo_build(&topo, chip, pcounter_gen_find(chip)->caps, BIT(2), BIT(0));
	i = find_named(&topo, cell[NAME], &named, &unit);
	if (i < 0)
		fail_msg("%s lacks %s", chip->name, cell[NAME]);
	assert_int_equal(i >= chip->signals.nr, public);
	assert_string_equal(named.confidence, cell[CONFIDENCE]);
	assert_int_equal(unit, strncmp(cell[TERMS], "set=0x1", 7) ? 0 : 2);
	assert_string_equal(copy_terms(got, named.terms), copy_terms(want, cell[TERMS]));
}

TEST(test_lookups_return_the_rows)
{
	static const struct {
		const char *file;
		unsigned int columns;
		bool public;
		unsigned int (*count)(const struct pcounter_chip *chip);
	} tables[] = {
		{ TABLES "events.csv", 7, true, count_events },
		{ TABLES "signals.csv", 11, false, count_signals },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(tables); i++) {
		FILE *file = open_rows(tables[i].file, tables[i].columns);
		unsigned int rows[MOST_CHIPS] = {};
		char *rest, *name;

		assert_in_range(pcounter_nr_chips, 1, MOST_CHIPS);
		assert_string_equal(cell[CONFIDENCE], "confidence");
		while (next_row(file, tables[i].columns)) {
			if (!*cell[NAME] || !*cell[TERMS])
				continue;
			for (rest = cell[CHIPS]; (name = strsep(&rest, " "));) {
				const struct pcounter_chip *chip = chip_named(name);

				check_listed(chip, tables[i].public);
				rows[chip - pcounter_chips]++;
			}
		}
		fclose(file);
		for (unsigned int c = 0; c < pcounter_nr_chips; c++)
			assert_int_equal(tables[i].count(&pcounter_chips[c]), rows[c]);
	}
}

/* GPC 2 is the only one: the user chooses its number. */
TEST(test_unit_that_is_not_0)
{
	const struct pcounter_chip *chip = pcounter_chip_find(0xc0);
	struct pcounter_named named;
	struct pcounter_topo topo;
	int unit;

	pcounter_topo_build(&topo, chip, pcounter_gen_find(chip)->caps, BIT(2), BIT(0));
	assert_true(find_named(&topo, "inst_executed", &named, &unit) >= 0);
	assert_int_equal(unit, 2);
	assert_non_null(strstr(named.terms, "unit=?"));
	pcounter_topo_build(&topo, chip, pcounter_gen_find(chip)->caps, 0, BIT(0));
	assert_true(find_named(&topo, "inst_executed", &named, &unit) >= 0);
	assert_int_equal(unit, -1);
	assert_int_equal(pcounter_chip_find(0x10)->events.nr, 0);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
