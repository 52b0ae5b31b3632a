// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's tables of muxes, chips and idle signals, compared with the rows that they are
 * made from, and with the model, which has trailers and USER signals of its own. Places of
 * muxes (hw:muxes/gf100, hw:muxes/gf100-memory, hw:muxes/tesla), trailers and counter modes
 * are compared with a second copy of the documents' numbers.
 */
#include "rows_test.h"
#include "terms_test.h"

#include <linux/bits.h>
#include <linux/kernel.h>

#include "hw/idle.h"
#include "hw/mux.h"
#include "pcmodel.h"
#include "rules/chip.h"
#include "rules/place.h"

#define GK104		0xe4
#define NO_CHIP		0x200	/* after the last one */
#define MOST_CHIPS	128

/* Return the id of the chip in a cell; if the cell is empty, @otherwise. */
static u32 chip_in(const char *text, u32 otherwise)
{
	return *text ? chip_named(text)->chipset : otherwise;
}

/* ---- muxes ---- */

#define MUX_IDS		128

/* Columns of muxes.csv. */
enum { MUX, NAME, PLACE, FIRST, END, OFFSET, SELECT, ENABLE, ENABLE_OFFSET, MUX_COLUMNS };

/* Units that contain muxes: address, distances from one to the next, number, domains. */
static const struct unit {
	const char *place;
	unsigned int set, doms;
	u32 base, unit_stride, stride, most;
} units[] = {
	{ "GPC", PCOUNTER_SET_GPC, 0xff, 0x500000, 0x8000, 0, 1 },
	{ "TPC", PCOUNTER_SET_GPC, 0xff, 0x504000, 0x8000, 0x800, 8 },
	{ "ROP", PCOUNTER_SET_PART, 0xff, 0x410000, 0x400, 0, 1 },
	{ "HUB", PCOUNTER_SET_HUB, 0xff, 0, 0, 0, 1 },
	{ "FB", PCOUNTER_SET_PART, 1, 0, 0, 0, 1 },
	{ "PBFB", PCOUNTER_SET_PART, 1, 0x110000, 0, 0x1000, 2 },
	{ "PMFB", PCOUNTER_SET_PART, 1, 0x140000, 0x2000, 0, 1 },
	{ "SUBP1", PCOUNTER_SET_PART, 1, 0x141200, 0x2000, 0x400, 1 },
	{ "SUBP2", PCOUNTER_SET_PART, 1, 0x141200, 0x2000, 0x400, 2 },
	{ "SUBP4", PCOUNTER_SET_PART, 1, 0x141200, 0x2000, 0x400, 4 },
	{ "LTC", PCOUNTER_SET_PART, 2, 0, 0, 0, 1 },
	{ "LTS", PCOUNTER_SET_PART, 6, 0x140400, 0x2000, 0x200, 4 },
	/* one for all GPCs and partitions (hw:ambiguities/43) */
	{ "GATE", PCOUNTER_SET_KINDS, 0xff, 0, 0, 0, 1 },
	{ "G80_TPC", PCOUNTER_SET_HUB, 0xff, 0x408000, 0, 0x1000, 8 },
	{ "G80_TPC_ALONE", PCOUNTER_SET_HUB, 0xff, 0x408000, 0, 0x1000, 8 },
	{ "G200_TPC", PCOUNTER_SET_HUB, 0xff, 0x408000, 0, 0x800, 16 },
	{ "G200_TPC_ALONE", PCOUNTER_SET_HUB, 0xff, 0x408000, 0, 0x800, 16 },
};

static const struct unit *unit_of_row(void)
{
	const struct unit *unit = units;

	while (strcmp(unit->place, cell[PLACE]))
		unit++;
	return unit;
}

/* Return the mask of the bits "low-high" in a cell, or of its one bit. */
static u32 bits_of(const char *text)
{
	unsigned int low, high;
	int got = sscanf(text, "%u-%u", &low, &high);

	if (got < 1)
		return 0;
	return got == 2 ? GENMASK(high, low) : BIT(low);
}

/* Return the domains that show a mux of the unit; two slices feed each domain. */
static unsigned int domains_of(const struct unit *unit, unsigned int tpc)
{
	return strcmp(unit->place, "LTS") ? unit->doms : BIT(1 + tpc / 2);
}

static void check_domains(const struct pcounter_mux_type *t, const struct pcounter_chip *chip)
{
	const struct unit *unit = unit_of_row();
	struct pcounter_dom_id id = {};

	/* the domains of TPCs are tested with lost TPCs */
	if (!strcmp(unit->place, "TPC") && chip->chipset >= GK104)
		return;
	for (id.set = 0; id.set < PCOUNTER_SET_KINDS; id.set++) {
		bool shown = unit->set == id.set || unit->set == PCOUNTER_SET_KINDS;

		for (id.dom = 0; id.dom < PCOUNTER_SET_DOMAINS; id.dom++) {
			for (unsigned int tpc = 0; tpc < unit->most; tpc++)
				assert_int_equal(!pcounter_mux_misfit(t, chip, &id, tpc),
						 shown && domains_of(unit, tpc) & BIT(id.dom));
			assert_non_null(pcounter_mux_misfit(t, chip, &id, unit->most));
		}
	}
}

static void check_mux(const struct pcounter_chip *chip)
{
	const struct unit *unit = unit_of_row();
	struct pcounter_dom_id id = { .set = unit->set, .unit = 1 };
	u32 at = unit->base + unit->unit_stride + strtoul(cell[OFFSET], NULL, 0);
	struct pcounter_mux_type t;

	if (pcounter_mux_find(chip, strtoul(cell[MUX], NULL, 10), &t))
		fail_msg("%s has no %s", chip->name, cell[NAME]);
	if (strcmp(t.name, cell[NAME]) || t.field != bits_of(cell[SELECT]) ||
	    t.enable != bits_of(cell[ENABLE]))
		fail_msg("%s: %s %#x %#x", chip->name, cell[NAME], t.field, t.enable);
	assert_int_equal(t.enable_offset, strtoul(cell[ENABLE_OFFSET], NULL, 0));
	assert_int_equal(t.tpcs > 1, unit->most > 1);
	/* registers tell the number of TPCs, see test_mux */
	if (unit->most < 8)
		assert_int_equal(pcounter_mux_present(&t, &id, NULL),
				 GENMASK(unit->most - 1, 0));
	for (unsigned int tpc = 0; tpc < unit->most; tpc++)
		assert_int_equal(pcounter_mux_addr(&t, &id, tpc), at + tpc * unit->stride);
	check_domains(&t, chip);
}

/* Each chip has the muxes of the rows, in their places, and no others. */
TEST(test_muxes)
{
	bool listed[MOST_CHIPS][MUX_IDS] = {};
	FILE *file = open_rows(TABLES "muxes.csv", MUX_COLUMNS);
	struct pcounter_mux_type t;

	while (next_row(file, MUX_COLUMNS)) {
		for (unsigned int c = 0; c < pcounter_nr_chips; c++) {
			u32 chipset = pcounter_chips[c].chipset;

			if (chipset < chip_in(cell[FIRST], 0) ||
			    chipset >= chip_in(cell[END], NO_CHIP))
				continue;
			check_mux(&pcounter_chips[c]);
			listed[c][strtoul(cell[MUX], NULL, 10)] = true;
		}
	}
	fclose(file);
	for (unsigned int c = 0; c < pcounter_nr_chips; c++)
		for (unsigned int id = 0; id < MUX_IDS; id++)
			assert_int_equal(listed[c][id],
					 !pcounter_mux_find(&pcounter_chips[c], id, &t));
}

/* ---- chips ---- */

/* Columns of chips.csv. */
enum { CHIPSET, CHIP, OTHER_NAMES, FAMILY, BUCKET, PRESENCE, HUB_DOMAINS, GPC_DOMAINS,
	PART_DOMAINS, CLOCKS, BASES, NOTES, CHIP_COLUMNS };

/* Return the index of a text in a list, which has it. */
static unsigned int index_of(const char *text, const char *const *list)
{
	unsigned int i = 0;

	while (strcmp(text, list[i]))
		i++;
	return i;
}

/* Compare a domain's base and its doubt with "hub0=0x40 document", or "gpc0=unknown". */
static void check_base(const struct pcounter_chip *chip, const char *text)
{
	static const char *const sets[] = { "hub", "gpc", "part" };
	const struct pcounter_chip_set *set;
	char name[8], source[16];
	unsigned int i, base = PCOUNTER_TRAILER_UNKNOWN;

	assert_true(sscanf(text, "%7[a-z]%u", name, &i) == 2);
	set = &chip->set[index_of(name, sets)];
	if (sscanf(strchr(text, '='), "=0x%x %15s", &base, source) < 2)
		assert_string_equal(strchr(text, '='), "=unknown");
	assert_int_equal(set->trailer[i], base);
	assert_int_equal(set->disputed >> i & 1, base != PCOUNTER_TRAILER_UNKNOWN &&
			 (!strcmp(source, "disputed") || !strcmp(source, "inferred")));
}

TEST(test_chips)
{
	static const char *const buckets[] = {
		"nv10", "nv15", "nv20", "nv30", "nv40", "g84", "g92", "gt215", "gf100", "gm107",
	};
	static const char *const presences[] = {
		[PCOUNTER_ABSENT] = "no", [PCOUNTER_UNVERIFIED] = "unverified",
		[PCOUNTER_PRESENT] = "yes",
	};
	FILE *file = open_rows(TABLES "chips.csv", CHIP_COLUMNS);
	unsigned int rows = 0;
	char *rest, *base;

	for (; next_row(file, CHIP_COLUMNS); rows++) {
		const struct pcounter_chip *chip = chip_named(cell[CHIP]);

		assert_int_equal(chip->chipset, strtoul(cell[CHIPSET], NULL, 16));
		assert_int_equal(chip->bucket, index_of(cell[BUCKET], buckets));
		assert_int_equal(chip->presence, index_of(cell[PRESENCE], presences));
		for (unsigned int i = 0; i < PCOUNTER_SET_KINDS; i++) {
			assert_int_equal(chip->set[i].domains,
					 strtoul(cell[HUB_DOMAINS + i], NULL, 10));
			assert_int_equal(chip->set[i].disputed >> chip->set[i].domains, 0);
		}
		for (rest = cell[BASES]; (base = strsep(&rest, ";")) && *base;)
			check_base(chip, base);
	}
	fclose(file);
	assert_int_equal(rows, pcounter_nr_chips);
}

/* The model has the same domains, trailers and USER signals, from the documents. */
TEST(test_chips_of_the_model)
{
	static const u8 none[PCOUNTER_SET_DOMAINS];

	for (unsigned int c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_chip *chip = &pcounter_chips[c];
		const struct pcmodel_chip *model = pcmodel_chip(chip->chipset);
		const u8 *trailer[] = {
			model ? model->trailer : NULL, model ? model->gpc_trailer : NULL,
			model ? model->part_trailer : NULL,
		};

		assert_memory_equal(chip->user, model ? model->user : none, sizeof(none));
		if (!model)
			continue;
		assert_int_equal(chip->set[PCOUNTER_SET_HUB].domains, model->domains);
		assert_int_equal(chip->set[PCOUNTER_SET_GPC].domains, model->gpc_domains);
		for (unsigned int i = 0; i < PCOUNTER_SET_KINDS; i++)
			for (unsigned int k = 0; k < chip->set[i].domains; k++)
				if (chip->set[i].trailer[k] != PCOUNTER_TRAILER_UNKNOWN)
					assert_int_equal(chip->set[i].trailer[k],
							 trailer[i][k] << 4);
	}
}

/* ---- idle signals ---- */

/* Columns of idle.csv. */
enum { ENGINE, BITS, FROM, LAST, SEVERAL, IDLE_COLUMNS };

/* Return true if several sources name the signal of the row on a chip. */
static bool has_several(u32 chipset)
{
	if (!strcmp(cell[SEVERAL], "all"))
		return true;
	return chipset <= chip_in(cell[SEVERAL], 0);
}

/* Each chip has the idle signals of the rows, each at its bits. */
TEST(test_idle_signals)
{
	const struct pcounter_idle_engine *e = pcounter_idle_engines;
	FILE *file = open_rows(TABLES "idle.csv", IDLE_COLUMNS);
	char *bit;

	for (; next_row(file, IDLE_COLUMNS); e++) {
		u32 from = chip_in(cell[FROM], 0), last = chip_in(cell[LAST], NO_CHIP), mask = 0;

		while ((bit = strsep(&cell[BITS], " ")))
			mask |= BIT(strtoul(bit, NULL, 10));
		assert_string_equal(e->name, cell[ENGINE]);
		assert_int_equal(e->mask, mask);
		for (unsigned int c = 0; c < pcounter_nr_chips; c++) {
			u32 chipset = pcounter_chips[c].chipset;

			if (!pcounter_pdaemon_slots(&pcounter_chips[c]))
				continue;
			assert_int_equal(pcounter_pdaemon_has(&pcounter_chips[c], e),
					 chipset >= from && chipset <= last);
			assert_int_equal(chipset <= e->several, has_several(chipset));
		}
	}
	fclose(file);
	assert_int_equal(e - pcounter_idle_engines, PCOUNTER_IDLE_ENGINES);
}

/* ---- trailers ---- */

/* hw:signals/trailers, hw:real-cards/r2: a trailer's size and signals; 0 where none is needed */
TEST(test_trailer_signals)
{
	static const struct {
		u32 caps;
		unsigned int size, own, zero, trigger, periodic;
	} want[] = {
		{ 0, 0x20, 0x1d, 0, 0, 0 },
		{ PCOUNTER_CAP_IMPORT, 0x20, 0x0f, 0, 0, 0 },
		{ PCOUNTER_CAP_IMPORT | PCOUNTER_CAP_SWAP_SRC, 0x20, 0x10, 0x0c, 0x0f, 0x0d },
		{ PCOUNTER_CAP_SETS, 0x40, 0x27, 0x27, 0x2d, 0x2e },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		const struct pcounter_trailer *trailer = pcounter_trailer_of(want[i].caps);

		assert_int_equal(trailer->size, want[i].size);
		assert_int_equal(trailer->own, want[i].own);
		assert_int_equal(trailer->zero, want[i].zero);
		assert_int_equal(trailer->trigger, want[i].trigger);
		assert_int_equal(trailer->periodic, want[i].periodic);
	}
}

/* ---- counter modes ---- */

/*
 * hw:modes/sums: highest number, input with the sum, its sources, counters that change;
 * whether the terms bit0 to bit3 have a meaning.
 */
TEST(test_sums)
{
	static const struct {
		enum pcounter_ctr ctr;
		u32 caps;
		unsigned int increment, role;
		unsigned int pre, start, event;	/* sources */
		unsigned int quad, single;	/* counters: 1 PRE, 2 START, 4 EVENT */
		unsigned int needs, number;
	} want[] = {
		{ PCOUNTER_CTR_SIMPLE, 0,
		  1, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ PCOUNTER_CTR_EVENT_B4, PCOUNTER_CAP_SUM_B4,
		  0xf, PCOUNTER_ROLE_EVENT, 0, 0xf, 0, 4, 4, 2, 1 },
		{ PCOUNTER_CTR_EVENT_B6, PCOUNTER_CAP_SUM_EXTRA,
		  0x3f, PCOUNTER_ROLE_EVENT, 0, 0xf, 0xc, 4, 4, 6, 1 },
		{ PCOUNTER_CTR_EXTRA_B4, PCOUNTER_CAP_SUM_EXTRA,
		  0xf, PCOUNTER_ROLE_START, 0, 0xf, 0, 2, 1, 2, 0 },
		{ PCOUNTER_CTR_EXTRA_B6_EVENT_B2, PCOUNTER_CAP_SUM_EXTRA,
		  0x3f, PCOUNTER_ROLE_EVENT, 0, 0xf, 0xf, 6, 5, 6, 0 },
		/* in quad mode only, as all of GM107; START's counter reads 0 */
		{ PCOUNTER_CTR_PRE_B5, PCOUNTER_CAP_SUM_OWN,
		  0x1f, PCOUNTER_ROLE_PRE, 0xf, 1, 0, 3, 0, 3, 1 },
		{ PCOUNTER_CTR_EVENT_OWN_B4, PCOUNTER_CAP_SUM_OWN,
		  0xf, PCOUNTER_ROLE_EVENT, 0, 0, 0xf, 6, 0, 6, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		const struct pcounter_ctr_mode *mode = &pcounter_ctr_modes[want[i].ctr];

		assert_int_equal(mode->caps, want[i].caps);
		assert_int_equal(mode->increment, want[i].increment);
		assert_int_equal(mode->role, want[i].role);
		assert_int_equal(mode->sources[PCOUNTER_PRE], want[i].pre);
		assert_int_equal(mode->sources[PCOUNTER_START], want[i].start);
		assert_int_equal(mode->sources[PCOUNTER_EVENT], want[i].event);
		assert_int_equal(mode->sources[PCOUNTER_STOP], 0);
		assert_int_equal(mode->quad, want[i].quad);
		assert_int_equal(mode->single, want[i].single);
		assert_int_equal(mode->needs, want[i].needs);
		assert_int_equal(mode->number, want[i].number);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
