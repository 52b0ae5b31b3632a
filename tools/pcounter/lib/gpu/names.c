// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of events, with their descriptions, and names of chips.
 */
#include <ctype.h>
#include <strings.h>

#include "gpu/pmu.h"
#include "gpu/texts.h"
#include "lib/util.h"

#define BOOT_IDS	0x200	/* chipset ids have nine bits */

static int by_name(const void *key, const void *entry)
{
	return strcmp(key, ((const struct event_text *)entry)->name);
}

/**
 * event_text() - find the description of an event with a public name
 * @name: its name
 *
 * Return: the description, NULL if there is none.
 */
const struct event_text *event_text(const char *name)
{
	return bsearch(name, event_texts, nr_event_texts, sizeof(*event_texts), by_name);
}

/**
 * confidence_rank() - compare the confidence of names
 * @word: word for the confidence, may be empty
 *
 * Return: a number that grows with the confidence: signals first, then events.
 */
unsigned int confidence_rank(const char *word)
{
	static const char *const words[] = {
		"", "disputed", "one", "several", "user", "documents", "checked", "traced"
	};
	unsigned int i = 0;

	while (i + 1 < ARRAY_SIZE(words) && strcmp(words[i], word))
		i++;
	return i;
}

/**
 * event_named() - find an event by its name
 * @pmu: its PMU
 * @name: the name
 *
 * Return: the event, NULL if there is none.
 */
const struct pmu_name *event_named(const struct pmu *pmu, const char *name)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_names; i++)
		if (!strcmp(pmu->names[i].name, name))
			return &pmu->names[i];
	return NULL;
}

/**
 * pmu_with() - find the PMU of a GPU that has an event
 * @pmu: the GPU's PMU
 * @name: name of the event
 *
 * A name of both PMUs is the one of PCOUNTER, as in perf. Only gpu_busy is counted by the
 * idle counters, which need no domain that other events may use.
 *
 * Return: @pmu, the PMU of the idle counters, or NULL.
 */
const struct pmu *pmu_with(const struct pmu *pmu, const char *name)
{
	bool idle = pmu->beside && event_named(pmu->beside, name);

	if (event_named(pmu, name) && !(idle && !strcmp(name, GPU_BUSY)))
		return pmu;
	return idle ? pmu->beside : NULL;
}

/**
 * pmu_name_add() - add a named event to a PMU
 * @pmu: its PMU
 *
 * Return: the event, all zero.
 */
struct pmu_name *pmu_name_add(struct pmu *pmu)
{
	pmu->names = grow(pmu->names, pmu->nr_names, sizeof(*pmu->names));
	return &pmu->names[pmu->nr_names++];
}

/* ---- chips ---- */

/*
 * Return true if @text is the end of a name, or with @word words of it. Case and blanks make
 * no difference.
 */
static bool name_fits(const char *name, const char *text, bool word)
{
	const char *at, *end;

	for (at = text, end = name; *at && tolower(*at) == tolower(*end); at++, end++) {
		at += strspn(at + 1, " ");
		end += strspn(end + 1, " ");
	}
	if (!*at && (!*end || (word && end[-1] == ' ')))
		return true;
	name = strchr(name, ' ');
	return name && name_fits(name + 1, text, word);
}

/* Return true for a chipset id above those of the table, or a name of a newer generation. */
static bool is_newer(const char *text)
{
	static const char *const newer[] = { "GV", "TU", "GA", "AD", "GH", "GB" };
	unsigned long id = strtoul(text, NULL, 16);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(newer); i++)
		if (!strncasecmp(text, newer[i], strlen(newer[i])) && isdigit(text[2]))
			return true;
	return id > pcounter_chips[pcounter_nr_chips - 1].chipset && id < BOOT_IDS;
}

/**
 * chip_find() - find a chip by its name
 * @text: a name of the chip, its chipset id in hex, or the name of a card or words of it
 * @why: gets the reason, for immediate use, why there is no chip with counters
 *
 * Return: the chip, NULL if there is none or there are several.
 */
const struct pcounter_chip *chip_find(const char *text, const char **why)
{
	const struct pcounter_chip *found = NULL;
	unsigned int i, word, n = 0;
	const char *chips = "";

	for (word = 0; word < 2 && *text && !n; word++) {
		for (i = 0; i < nr_chip_names; i++) {
			if ((found && found->chipset == chip_names[i].chipset) ||
			    !name_fits(chip_names[i].name, text, word))
				continue;
			found = pcounter_chip_find(chip_names[i].chipset);
			chips = text_tmp("%s%s%s", chips, n++ ? ", " : "", found->name);
		}
	}
	*why = is_newer(text) ? "newer than Pascal: not supported" : "no chip with counters";
	if (n > 1)
		*why = text_tmp("cards with different chips; choose one of %s", chips);
	return n == 1 ? found : NULL;
}
