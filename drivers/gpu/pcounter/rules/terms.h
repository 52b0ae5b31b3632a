/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terms of an event. Bit positions are ABI: the sysfs format files and the
 * decoder use one table.
 */
#ifndef _PCOUNTER_RULES_TERMS_H
#define _PCOUNTER_RULES_TERMS_H

#include <linux/types.h>

#include "rules/chip.h"
#include "rules/place.h"

/*
 * The terms; their places are in pcounter_term_info. sig to sig3, d0 to d3 and
 * bit0 to bit3 follow each other, pre to clk as the roles do, and single to record as the
 * modes do.
 */
enum pcounter_term {
	PCOUNTER_TERM_DOM,
	PCOUNTER_TERM_SET,
	PCOUNTER_TERM_UNIT,
	PCOUNTER_TERM_SIG,
	PCOUNTER_TERM_SIG1,
	PCOUNTER_TERM_SIG2,
	PCOUNTER_TERM_SIG3,
	PCOUNTER_TERM_OP,
	PCOUNTER_TERM_D0,
	PCOUNTER_TERM_D1,
	PCOUNTER_TERM_D2,
	PCOUNTER_TERM_D3,
	PCOUNTER_TERM_FLAG,
	PCOUNTER_TERM_PRE,
	PCOUNTER_TERM_START,
	PCOUNTER_TERM_EVENT,
	PCOUNTER_TERM_STOP,
	PCOUNTER_TERM_SETFLAG,
	PCOUNTER_TERM_CLRFLAG,
	PCOUNTER_TERM_CLK,
	PCOUNTER_TERM_SINGLE,
	PCOUNTER_TERM_QUAD,
	PCOUNTER_TERM_RECORD,
	PCOUNTER_TERM_SHORT,
	PCOUNTER_TERM_ALL,
	PCOUNTER_TERM_EVPULSE,
	PCOUNTER_TERM_FLAGPULSE,
	PCOUNTER_TERM_CTR,
	PCOUNTER_TERM_PERIODIC,
	PCOUNTER_TERM_SWAP,
	PCOUNTER_TERM_MUX,
	PCOUNTER_TERM_SEL,
	PCOUNTER_TERM_TPC,
	PCOUNTER_TERM_THRESHOLD,
	PCOUNTER_TERM_INIT,
	PCOUNTER_TERM_BIT0,
	PCOUNTER_TERM_BIT1,
	PCOUNTER_TERM_BIT2,
	PCOUNTER_TERM_BIT3,
	PCOUNTER_TERM_MUX2,
	PCOUNTER_TERM_SEL2,
	PCOUNTER_TERM_MUX3,
	PCOUNTER_NR_TERMS
};

/**
 * struct pcounter_term_info - the place of a term
 * @name: its name in an event and in format/
 * @word: number of the word: config, config1, config2
 * @lo: first bit
 * @hi: last bit
 * @caps: PCOUNTER_CAP_* without which a generation does not have it
 */
struct pcounter_term_info {
	const char *name;
	u8 word;
	u8 lo;
	u8 hi;
	u32 caps;
};

extern const struct pcounter_term_info pcounter_term_info[PCOUNTER_NR_TERMS];

#define PCOUNTER_WORDS	3

/**
 * struct pcounter_config - the words of a perf event
 * @word: perf_event_attr.config, config1, config2
 */
struct pcounter_config {
	u64 word[PCOUNTER_WORDS];
};

u64 pcounter_config_get(const struct pcounter_config *config,
			enum pcounter_term term);
bool pcounter_term_supported(enum pcounter_term term, u32 caps);
int pcounter_config_parse(const struct pcounter_config *config,
			  const struct pcounter_topo *topo,
			  struct pcounter_request *req, const char **why);

#endif
