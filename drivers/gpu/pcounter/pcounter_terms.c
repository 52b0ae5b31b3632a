// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a perf event's words to a request for the hardware. Pure: values in,
 * values out. Also built for user space by the unit tests.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <uapi/linux/pcounter.h>

#include "pcounter_chip.h"
#include "pcounter_terms.h"

#define TERM(_term, _name, _word)			\
	[PCOUNTER_TERM_##_term] = {			\
		.name = _name,				\
		.word = _word,				\
		.lo = PCOUNTER_##_term##_LO,		\
		.hi = PCOUNTER_##_term##_HI,		\
	}

const struct pcounter_term_info pcounter_term_info[PCOUNTER_NR_TERMS] = {
	TERM(DOM, "dom", 0),
	TERM(SET, "set", 0),
	TERM(UNIT, "unit", 0),
	TERM(SIG, "sig", 0),
	TERM(SIG1, "sig1", 0),
	TERM(SIG2, "sig2", 0),
	TERM(SIG3, "sig3", 0),
	TERM(OP, "op", 0),
	TERM(D0, "d0", 1),
	TERM(D1, "d1", 1),
	TERM(D2, "d2", 1),
	TERM(D3, "d3", 1),
	TERM(FLAG, "flag", 1),
	TERM(PRE, "pre", 1),
	TERM(START, "start", 1),
	TERM(EVENT, "event", 1),
	TERM(STOP, "stop", 1),
	TERM(SETFLAG, "setflag", 1),
	TERM(CLRFLAG, "clrflag", 1),
	TERM(CLK, "clk", 1),
	TERM(SINGLE, "single", 1),
	TERM(QUAD, "quad", 1),
	TERM(RECORD, "record", 1),
	TERM(SHORT, "short", 1),
	TERM(ALL, "all", 1),
	TERM(EVPULSE, "evpulse", 1),
	TERM(FLAGPULSE, "flagpulse", 1),
	TERM(CTR, "ctr", 1),
	TERM(PERIODIC, "periodic", 1),
	TERM(SWAP, "swap", 1),
	TERM(THRESHOLD, "threshold", 2),
	TERM(INIT, "init", 2),
};

static u64 word_of(const struct pcounter_config *config, unsigned int word)
{
	const u64 words[] = { config->config, config->config1, config->config2 };

	return words[word];
}

/**
 * pcounter_config_get() - value of one term
 * @config: the event's words
 * @term: which term
 *
 * Return: the value, 0 where the user gave none.
 */
u64 pcounter_config_get(const struct pcounter_config *config,
			enum pcounter_term term)
{
	const struct pcounter_term_info *info = &pcounter_term_info[term];

	return (word_of(config, info->word) & GENMASK_ULL(info->hi, info->lo)) >>
	       info->lo;
}

/**
 * pcounter_term_supported() - does this GPU know a term?
 * @term: which term
 * @caps: PCOUNTER_CAP_* bits of the GPU's generation
 *
 * Return: true if the term has a meaning here; its format file is shown and
 * its bits may be set.
 */
bool pcounter_term_supported(enum pcounter_term term, u32 caps)
{
	switch (term) {
	case PCOUNTER_TERM_DOM:
	case PCOUNTER_TERM_SIG:
	case PCOUNTER_TERM_SIG1:
	case PCOUNTER_TERM_SIG2:
	case PCOUNTER_TERM_SIG3:
	case PCOUNTER_TERM_OP:
	case PCOUNTER_TERM_D0:
	case PCOUNTER_TERM_D1:
	case PCOUNTER_TERM_PRE:
	case PCOUNTER_TERM_START:
	case PCOUNTER_TERM_EVENT:
	case PCOUNTER_TERM_STOP:
	case PCOUNTER_TERM_SETFLAG:
	case PCOUNTER_TERM_CLRFLAG:
	case PCOUNTER_TERM_CLK:
		return true;
	case PCOUNTER_TERM_D2:
	case PCOUNTER_TERM_D3:
		return caps & PCOUNTER_CAP_DELAY23;
	case PCOUNTER_TERM_FLAG:
		return caps & PCOUNTER_CAP_FLAG_ARG;
	case PCOUNTER_TERM_QUAD:
		return caps & PCOUNTER_CAP_QUAD;
	default:
		return false;
	}
}

static bool reserved_bits_set(const struct pcounter_config *config)
{
	const struct pcounter_term_info *info;
	u64 known[3] = {};
	unsigned int i;

	for (i = 0; i < PCOUNTER_NR_TERMS; i++) {
		info = &pcounter_term_info[i];
		known[info->word] |= GENMASK_ULL(info->hi, info->lo);
	}
	return config->config & ~known[0] || config->config1 & ~known[1] ||
	       config->config2 & ~known[2];
}

static int parse_role(const struct pcounter_config *config)
{
	static const struct {
		enum pcounter_term term;
		enum pcounter_role role;
	} roles[] = {
		{ PCOUNTER_TERM_PRE, PCOUNTER_ROLE_PRE },
		{ PCOUNTER_TERM_START, PCOUNTER_ROLE_START },
		{ PCOUNTER_TERM_EVENT, PCOUNTER_ROLE_EVENT },
		{ PCOUNTER_TERM_STOP, PCOUNTER_ROLE_STOP },
		{ PCOUNTER_TERM_SETFLAG, PCOUNTER_ROLE_SETFLAG },
		{ PCOUNTER_TERM_CLRFLAG, PCOUNTER_ROLE_CLRFLAG },
		{ PCOUNTER_TERM_CLK, PCOUNTER_ROLE_CLK },
	};
	int role = PCOUNTER_ROLE_ANY;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		if (!pcounter_config_get(config, roles[i].term))
			continue;
		if (role != PCOUNTER_ROLE_ANY)
			return -EINVAL;
		role = roles[i].role;
	}
	return role;
}

static void parse_input(const struct pcounter_config *config,
			struct pcounter_input *in)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_ARGS; i++) {
		in->sig[i] = pcounter_config_get(config, PCOUNTER_TERM_SIG + i);
		if (pcounter_config_get(config, PCOUNTER_TERM_D0 + i))
			in->delay |= BIT(i);
	}
	in->flag = pcounter_config_get(config, PCOUNTER_TERM_FLAG);
	in->op = pcounter_config_get(config, PCOUNTER_TERM_OP);
	if (!in->op)
		in->op = PCOUNTER_OP_SOURCE_0;
}

static int check_input(const struct pcounter_request *req, unsigned int signals,
		       const char **why)
{
	const struct pcounter_input *in = &req->in;
	unsigned int i;

	if (in->flag && in->delay & BIT(3)) {
		*why = "argument 3 cannot be both SETFLAG and delayed";
		return -EINVAL;
	}
	if (in->flag && !(pcounter_role_slots(req) &
			  (BIT(PCOUNTER_EVENT) | BIT(PCOUNTER_STOP)))) {
		*why = "only EVENT and STOP can take SETFLAG as argument 3";
		return -EINVAL;
	}
	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (in->sig[i] >= signals) {
			*why = "the domain has no such signal";
			return -EINVAL;
		}
	}
	return 0;
}

/* The clock has no input: whatever was said about one is a mistake. */
static int parse_clk(struct pcounter_request *req, const char **why)
{
	static const struct pcounter_input nothing = {
		.op = PCOUNTER_OP_SOURCE_0,
	};

	if (!pcounter_input_equal(&req->in, &nothing)) {
		*why = "clk takes no signals";
		return -EINVAL;
	}
	return 0;
}

/**
 * pcounter_config_parse() - decode and check an event on its own
 * @config: the event's words
 * @chip: the GPU
 * @caps: PCOUNTER_CAP_* bits of its generation
 * @req: what the event asks for, in normal form
 * @why: reason of a refusal, for a debug message
 *
 * Return: 0; -EINVAL for what is malformed or absent; -EOPNOTSUPP for a
 * feature that this GPU or this driver does not have.
 */
int pcounter_config_parse(const struct pcounter_config *config,
			  const struct pcounter_chip *chip, u32 caps,
			  struct pcounter_request *req, const char **why)
{
	unsigned int term;
	int role;

	memset(req, 0, sizeof(*req));
	if (reserved_bits_set(config)) {
		*why = "reserved bits are set";
		return -EINVAL;
	}
	for (term = 0; term < PCOUNTER_NR_TERMS; term++) {
		if (pcounter_config_get(config, term) &&
		    !pcounter_term_supported(term, caps)) {
			*why = "a term is not supported on this GPU";
			return -EOPNOTSUPP;
		}
	}
	req->dom = pcounter_config_get(config, PCOUNTER_TERM_DOM);
	if (req->dom >= chip->domains) {
		*why = "the chip has no such domain";
		return -EINVAL;
	}
	role = parse_role(config);
	if (role < 0) {
		*why = "more than one input flag";
		return role;
	}
	req->role = role;
	parse_input(config, &req->in);
	if (role == PCOUNTER_ROLE_CLK)
		return parse_clk(req, why);
	if (check_input(req, pcounter_chip_signals(chip, req->dom), why))
		return -EINVAL;
	pcounter_input_normalise(&req->in);
	return 0;
}
