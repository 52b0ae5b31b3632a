/* SPDX-License-Identifier: GPL-2.0-only */
/* Chips and terms by their names. */
#ifndef _TERMS_TEST_H
#define _TERMS_TEST_H

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "rules/chip.h"
#include "rules/terms.h"

static inline const struct pcounter_chip *chip_named(const char *name)
{
	for (unsigned int c = 0; c < pcounter_nr_chips; c++)
		if (!strcmp(pcounter_chips[c].name, name))
			return &pcounter_chips[c];
	fail_msg("no chip %s", name);
	return NULL;
}

/* Return the words for terms of a chip as in sysfs; a unit that the user chooses is @unit. */
static inline struct pcounter_config words_of(const char *terms, unsigned int unit, u32 caps)
{
	struct pcounter_config config = {};
	char text[256], *rest = text, *one;

	assert_in_range(strlen(terms), 1, sizeof(text) - 1);
	strcpy(text, terms);
	while ((one = strsep(&rest, ","))) {
		char *equals = strchr(one, '=');
		unsigned int term = 0;

		assert_non_null(equals);
		*equals++ = 0;
		while (strcmp(pcounter_term_info[term].name, one))
			assert_in_range(++term, 0, PCOUNTER_NR_TERMS - 1);
		assert_true(pcounter_term_supported(term, caps));
		config.word[pcounter_term_info[term].word] |=
			(*equals == '?' ? unit : strtoull(equals, NULL, 0)) <<
			pcounter_term_info[term].lo;
	}
	return config;
}

#endif
