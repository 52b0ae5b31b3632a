/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals that have a name, and events by the names that NVIDIA's own tools gave
 * them: each is a whole configuration, not a signal. scripts/gen-tables.py
 * generates both tables from scripts/tables/.
 */
#ifndef _PCOUNTER_RULES_LOOKUP_H
#define _PCOUNTER_RULES_LOOKUP_H

#include <linux/bits.h>
#include <linux/types.h>

#include "rules/terms.h"

/* How well a name is documented: struct pcounter_signal.flags. */
#define PCOUNTER_SIGNAL_CONFIDENCE	GENMASK(1, 0)
#define PCOUNTER_SIGNAL_ONE		0	/* by one document */
#define PCOUNTER_SIGNAL_SEVERAL		1
#define PCOUNTER_SIGNAL_DISPUTED	2	/* documents disagree */
#define PCOUNTER_SIGNAL_TPC		BIT(2)	/* @mux is one of a TPC */
#define PCOUNTER_SIGNAL_TPC_SHIFT	3	/* of this one, in the bits from here on */

/**
 * struct pcounter_signal - a signal of a chip
 * @name: number of its name in pcounter_signal_names
 * @set: kind of its domain's set
 * @dom: number of the domain within the set
 * @sig: its number, the lowest of four with @ctr
 * @mux: mux that it comes from, as the term counts them; 0: none that can be set
 * @ctr: four signals are a number, which this counter mode adds up; 0: it is one signal
 * @flags: PCOUNTER_SIGNAL_*
 */
struct pcounter_signal {
	u16 name;
	u8 set : 4;
	u8 dom : 4;
	u8 sig;
	u8 mux;
	u8 ctr;
	u8 flags;
};

extern const char *const pcounter_signal_names[];
extern const struct pcounter_signal pcounter_signals[];

/* Return the named signals of a chip; chip->signals.nr is their number. */
static inline const struct pcounter_signal *pcounter_signals_of(const struct pcounter_chip *chip)
{
	return &pcounter_signals[chip->signals.first];
}

/* How well an event is known. */
enum pcounter_public_confidence {
	PCOUNTER_PUBLIC_DOCUMENTS,	/* a document has it, untested */
	PCOUNTER_PUBLIC_CHECKED,	/* a document says that it was compared on a card */
	PCOUNTER_PUBLIC_TRACED,		/* NVIDIA's driver was seen to write the same */
	PCOUNTER_PUBLIC_CONFIDENCES
};

/**
 * struct pcounter_public - an event with a public name
 * @name: its name
 * @confidence: enum pcounter_public_confidence
 * @config: its words, for unit 0
 */
struct pcounter_public {
	const char *name;
	u8 confidence;
	struct pcounter_config config;
};

extern const struct pcounter_public pcounter_public_events[];
extern const u16 pcounter_public_index[];

/* Return an event of a chip, of chip->events.nr. */
static inline const struct pcounter_public *pcounter_public_get(const struct pcounter_chip *chip,
								unsigned int i)
{
	return &pcounter_public_events[pcounter_public_index[chip->events.first + i]];
}

#define PCOUNTER_NAMED_TERMS	256	/* room for the terms of any name */

/**
 * struct pcounter_named - a signal or an event with a public name, as sysfs shows it
 * @name: its name
 * @confidence: how well it is known, in a word
 * @terms: the terms that count it
 */
struct pcounter_named {
	const char *name;
	const char *confidence;
	char terms[PCOUNTER_NAMED_TERMS];
};

/* Return the number of names of a chip: its signals, then its events. */
static inline unsigned int pcounter_nr_named(const struct pcounter_chip *chip)
{
	return chip->signals.nr + chip->events.nr;
}

int pcounter_named_get(const struct pcounter_topo *topo, unsigned int i,
		       struct pcounter_named *named);

#endif
