// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a perf event's words to a request for the hardware. Pure: values in,
 * values out. Also built for user space by the unit tests.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/string.h>

#include <uapi/linux/pcounter.h>

#include "rules/terms.h"

#define TERM(_term, _name, _word, _caps)		\
	[PCOUNTER_TERM_##_term] = {			\
		.name = _name,				\
		.word = _word,				\
		.lo = PCOUNTER_##_term##_LO,		\
		.hi = PCOUNTER_##_term##_HI,		\
		.caps = _caps,				\
	}

const struct pcounter_term_info pcounter_term_info[PCOUNTER_NR_TERMS] = {
	TERM(DOM, "dom", 0, 0),
	TERM(SET, "set", 0, PCOUNTER_CAP_SETS),
	TERM(UNIT, "unit", 0, PCOUNTER_CAP_SETS),
	TERM(SIG, "sig", 0, 0),
	TERM(SIG1, "sig1", 0, 0),
	TERM(SIG2, "sig2", 0, 0),
	TERM(SIG3, "sig3", 0, 0),
	TERM(OP, "op", 0, 0),
	TERM(D0, "d0", 1, 0),
	TERM(D1, "d1", 1, 0),
	TERM(D2, "d2", 1, PCOUNTER_CAP_DELAY23),
	TERM(D3, "d3", 1, PCOUNTER_CAP_DELAY23),
	TERM(FLAG, "flag", 1, PCOUNTER_CAP_FLAG_ARG),
	TERM(PRE, "pre", 1, 0),
	TERM(START, "start", 1, 0),
	TERM(EVENT, "event", 1, 0),
	TERM(STOP, "stop", 1, 0),
	TERM(SETFLAG, "setflag", 1, 0),
	TERM(CLRFLAG, "clrflag", 1, 0),
	TERM(CLK, "clk", 1, 0),
	TERM(SINGLE, "single", 1, PCOUNTER_CAP_SINGLE),
	TERM(QUAD, "quad", 1, PCOUNTER_CAP_QUAD),
	TERM(RECORD, "record", 1, PCOUNTER_CAP_RECORD),
	TERM(SHORT, "short", 1, PCOUNTER_CAP_PACKETS),
	TERM(ALL, "all", 1, PCOUNTER_CAP_PERIOD | PCOUNTER_CAP_SINGLE),
	TERM(EVPULSE, "evpulse", 1, PCOUNTER_CAP_IMPORT),
	TERM(FLAGPULSE, "flagpulse", 1, PCOUNTER_CAP_IMPORT),
	TERM(CTR, "ctr", 1, PCOUNTER_CAP_SUM_B4),
	TERM(PERIODIC, "periodic", 1, PCOUNTER_CAP_PERIODIC),
	TERM(SWAP, "swap", 1, PCOUNTER_CAP_SWAP_SRC),
	TERM(MUX, "mux", 1, PCOUNTER_CAP_MUX),
	TERM(SEL, "sel", 1, PCOUNTER_CAP_MUX),
	TERM(TPC, "tpc", 1, PCOUNTER_CAP_MUX),
	TERM(THRESHOLD, "threshold", 2, PCOUNTER_CAP_SINGLE),
	TERM(INIT, "init", 2, PCOUNTER_CAP_SINGLE),
	TERM(BIT0, "bit0", 2, PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_QUAD),
	TERM(BIT1, "bit1", 2, PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_QUAD),
	TERM(BIT2, "bit2", 2, PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_QUAD),
	TERM(BIT3, "bit3", 2, PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_QUAD),
	TERM(MUX2, "mux2", 2, PCOUNTER_CAP_MUX),
	TERM(SEL2, "sel2", 2, PCOUNTER_CAP_MUX),
	TERM(MUX3, "mux3", 2, PCOUNTER_CAP_MUX | PCOUNTER_CAP_SETS),
};

/**
 * pcounter_config_get() - get the value of one term
 * @config: the event's words
 * @term: which term
 *
 * Return: the value, 0 if the event does not have the term.
 */
u64 pcounter_config_get(const struct pcounter_config *config,
			enum pcounter_term term)
{
	const struct pcounter_term_info *info = &pcounter_term_info[term];

	return (config->word[info->word] & GENMASK_ULL(info->hi, info->lo)) >> info->lo;
}

/**
 * pcounter_term_supported() - check whether a GPU knows a term
 * @term: which term
 * @caps: PCOUNTER_CAP_* bits of the GPU's generation
 *
 * Return: true if the term has a meaning here; its format file is shown and
 * its bits may be set.
 */
bool pcounter_term_supported(enum pcounter_term term, u32 caps)
{
	return !(pcounter_term_info[term].caps & ~caps);
}

/* Return true if bits are set that are in no term of a GPU with these capabilities. */
static bool stray_bits(const struct pcounter_config *config, u32 caps)
{
	const struct pcounter_term_info *info;
	struct pcounter_config rest = *config;
	unsigned int i;

	for (i = 0; i < PCOUNTER_NR_TERMS; i++) {
		info = &pcounter_term_info[i];
		if (pcounter_term_supported(i, caps))
			rest.word[info->word] &= ~GENMASK_ULL(info->hi, info->lo);
	}
	for (i = 0; i < PCOUNTER_WORDS; i++)
		if (rest.word[i])
			return true;
	return false;
}

static int refuse(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

/*
 * Return the number of the one term that an event has of some that exclude each other,
 * counted from 1; 0 for none, -EINVAL for more than one.
 */
static int parse_choice(const struct pcounter_config *config, enum pcounter_term first,
			enum pcounter_term last)
{
	enum pcounter_term term;
	int choice = 0;

	for (term = first; term <= last; term++) {
		if (!pcounter_config_get(config, term))
			continue;
		if (choice)
			return -EINVAL;
		choice = term - first + 1;
	}
	return choice;
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

/*
 * Return the outputs of other domains that an input uses, if their place is known.
 */
static u8 parse_imports(const struct pcounter_input *in,
			const struct pcounter_dom_id *id, u32 caps)
{
	u8 sources = pcounter_input_sources(in), imports = 0;
	unsigned int i, first, at;

	if (id->trailer == PCOUNTER_TRAILER_UNKNOWN || !(caps & PCOUNTER_CAP_IMPORT))
		return 0;
	first = pcounter_dom_signals(id, caps) - 2 * PCOUNTER_SET_DOMAINS;
	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (!(sources & BIT(i)) || in->sig[i] < first)
			continue;
		/* EVENTs, then FLAGs, each from domain 7 down to 0 */
		at = in->sig[i] - first;
		if (PCOUNTER_SET_DOMAINS - 1 - at % PCOUNTER_SET_DOMAINS == id->dom)
			continue;
		imports |= at < PCOUNTER_SET_DOMAINS ? PCOUNTER_IMPORTS_EVENT :
						       PCOUNTER_IMPORTS_FLAG;
	}
	return imports;
}

/* Check an input. The clock has no input: terms of an input are an error. */
static int check_input(const struct pcounter_request *req, unsigned int signals,
		       const char **why)
{
	static const struct pcounter_input nothing = {
		.op = PCOUNTER_OP_SOURCE_0,
	};
	const struct pcounter_input *in = &req->in;
	unsigned int i;

	if (req->role == PCOUNTER_ROLE_CLK && !pcounter_input_equal(in, &nothing))
		return refuse(why, "clk takes no signals");
	if (in->flag && in->delay & BIT(3))
		return refuse(why, "argument 3 cannot be both SETFLAG and delayed");
	if (in->flag && !pcounter_role_slots(req))
		return refuse(why, "only EVENT and STOP can take SETFLAG as argument 3");
	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (in->sig[i] >= signals || req->start.sig[i] >= signals)
			return refuse(why, "the domain has no such signal");
	}
	if (req->set.swap >= signals)
		return refuse(why, "the domain has no such signal to end a period");
	return 0;
}

/*
 * The signals of bit0 to bit3 are the sources of START, or of the counter itself.
 * Then START has the event's other terms, which are its gate or a fifth bit.
 */
static void place_bits(struct pcounter_request *req, const struct pcounter_input *bits, u8 start)
{
	if (start == PCOUNTER_START_NUMBER) {
		req->start = *bits;
		return;
	}
	if (start == PCOUNTER_START_GATE) {
		req->start = req->in;
		pcounter_input_normalise(&req->start, 0);
	} else {
		req->start.op = PCOUNTER_OP_ALWAYS;
		req->start.sig[0] = req->in.sig[0];
	}
	req->in = *bits;
}

static int parse_number(u64 value, struct pcounter_request *req, const char **why)
{
	const struct pcounter_ctr_mode *mode = &pcounter_ctr_modes[req->set.ctr];
	struct pcounter_input bits = { .op = PCOUNTER_OP_ALWAYS };
	unsigned int i;

	if (value >> 32)
		return refuse(why, "threshold needs single");
	if (!value)
		return 0;
	if (req->role != mode->role)
		return refuse(why, "bit0 to bit3 are for the input whose counter adds them up");
	if (mode->start == PCOUNTER_START_BIT &&
	    (req->in.op != PCOUNTER_OP_SOURCE_0 || req->in.delay || req->in.flag))
		return refuse(why,
			      "beside bit0 to bit3 this counter mode has one more bit, and no logic op");
	req->number = true;
	for (i = 0; i < PCOUNTER_ARGS; i++)
		bits.sig[i] = value >> 8 * i;
	place_bits(req, &bits, mode->start);
	return 0;
}

/*
 * init, threshold and bit0 to bit3 share their bits. init is for PRE and STOP, threshold
 * for all others in single event mode; the bits are for numbers in quad event mode.
 */
static int parse_values(const struct pcounter_config *config, u32 caps,
			struct pcounter_request *req, const char **why)
{
	bool counts_down = req->role == PCOUNTER_ROLE_PRE ||
			   req->role == PCOUNTER_ROLE_STOP;
	bool wide = caps & PCOUNTER_CAP_CTR_40 && !counts_down;
	u64 value = pcounter_config_get(config, PCOUNTER_TERM_THRESHOLD);

	/* where there is no threshold, mux3 has some of its upper bits */
	if (pcounter_term_supported(PCOUNTER_TERM_MUX3, caps))
		value &= ~GENMASK_ULL(PCOUNTER_MUX3_HI, PCOUNTER_MUX3_LO);
	if (pcounter_ctr_modes[req->set.ctr].number && caps & PCOUNTER_CAP_QUAD &&
	    req->set.mode != PCOUNTER_MODE_SINGLE)
		return parse_number(value, req, why);
	if (value >> 32 && !wide)
		return refuse(why, "init and threshold have 32 bits here");
	if (counts_down)
		req->init = value;
	else
		req->set.threshold = value;
	if ((value || req->set.all) && req->set.mode != PCOUNTER_MODE_SINGLE)
		return refuse(why, "init, threshold and all need single");
	return 0;
}

static int check_ctr(const struct pcounter_request *req, u32 caps, const char **why)
{
	if (req->set.ctr >= PCOUNTER_CTRS || req->set.ctr == PCOUNTER_CTR_NONE)
		return refuse(why, "there is no such counter mode");
	if (pcounter_ctr_modes[req->set.ctr].caps & ~caps) {
		*why = "this GPU does not have that counter mode";
		return -EOPNOTSUPP;
	}
	/* for a free count START must stay true in single mode */
	if (req->set.ctr && !(caps & PCOUNTER_CAP_QUAD) &&
	    req->set.mode != PCOUNTER_MODE_SINGLE)
		return refuse(why, "counter modes need single on this GPU");
	return 0;
}

/* Record mode counts signals as they are; terms that change them are errors. */
static int check_record(const struct pcounter_request *req, const char **why)
{
	const struct pcounter_settings *set = &req->set;

	if (set->mode != PCOUNTER_MODE_RECORD)
		return set->brief ? refuse(why, "short needs record") : 0;
	if (req->role != PCOUNTER_ROLE_ANY && req->role != PCOUNTER_ROLE_CLK)
		return refuse(why, "record counts no inputs, only signals");
	if (req->in.op != PCOUNTER_OP_SOURCE_0 || req->in.delay || req->in.flag)
		return refuse(why, "record has no logic ops");
	if (set->ctr || set->swap)
		return refuse(why, "record has neither sums nor periods of quad mode");
	return 0;
}

static int parse_settings(const struct pcounter_config *config, u32 caps,
			  struct pcounter_request *req, const char **why)
{
	struct pcounter_settings *set = &req->set;
	int mode = parse_choice(config, PCOUNTER_TERM_SINGLE, PCOUNTER_TERM_RECORD), err;

	if (mode < 0)
		return refuse(why, "more than one mode");
	set->mode = mode;
	set->brief = pcounter_config_get(config, PCOUNTER_TERM_SHORT);
	set->ctr = pcounter_config_get(config, PCOUNTER_TERM_CTR);
	set->all = pcounter_config_get(config, PCOUNTER_TERM_ALL);
	set->evpulse = pcounter_config_get(config, PCOUNTER_TERM_EVPULSE);
	set->flagpulse = pcounter_config_get(config, PCOUNTER_TERM_FLAGPULSE);
	set->periodic = pcounter_config_get(config, PCOUNTER_TERM_PERIODIC);
	set->swap = pcounter_config_get(config, PCOUNTER_TERM_SWAP);
	if (set->mode == PCOUNTER_MODE_SINGLE && set->swap)
		return refuse(why, "single has no periods of quad mode");
	err = check_record(req, why);
	if (!err)
		err = check_ctr(req, caps, why);
	if (err)
		return err;
	/* a sum without a role gets the input that makes it */
	if (set->ctr && req->role == PCOUNTER_ROLE_ANY)
		req->role = pcounter_ctr_modes[set->ctr].role;
	return parse_values(config, caps, req, why);
}

/* Return true if there is a mux before this one, and none of them is the same. */
static bool is_beside(const struct pcounter_mux_setting *mux, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!mux[i].id || mux[i].id == mux[n].id)
			return false;
	return true;
}

static int parse_mux(const struct pcounter_config *config, u32 caps,
		     struct pcounter_request *req, const char **why)
{
	unsigned int tpc = pcounter_config_get(config, PCOUNTER_TERM_TPC), i;
	struct pcounter_mux_setting *mux = req->mux;

	mux[0].id = pcounter_config_get(config, PCOUNTER_TERM_MUX);
	mux[0].sel = pcounter_config_get(config, PCOUNTER_TERM_SEL);
	mux[1].id = pcounter_config_get(config, PCOUNTER_TERM_MUX2);
	mux[1].sel = pcounter_config_get(config, PCOUNTER_TERM_SEL2);
	/* elsewhere threshold has these bits */
	if (pcounter_term_supported(PCOUNTER_TERM_MUX3, caps))
		mux[2].id = pcounter_config_get(config, PCOUNTER_TERM_MUX3);
	if (!mux[0].id && (mux[0].sel || tpc))
		return refuse(why, "sel and tpc without mux");
	if (mux[1].sel && !mux[1].id)
		return refuse(why, "sel2 without mux2");
	for (i = 0; i < PCOUNTER_REQUEST_MUXES; i++) {
		if (!mux[i].id)
			continue;
		mux[i].tpc = tpc;
		if (!is_beside(mux, i))
			return refuse(why, "mux2 and mux3 are for more muxes, beside others");
	}
	return 0;
}

static int check_terms(const struct pcounter_config *config, u32 caps,
		       const char **why)
{
	if (stray_bits(config, ~0))
		return refuse(why, "reserved bits are set");
	if (stray_bits(config, caps)) {
		*why = "a term is not supported on this GPU";
		return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * pcounter_config_parse() - decode and check an event on its own
 * @config: the event's words
 * @topo: the GPU's domains
 * @req: set to the request; pcounter_request_apply() finishes it
 * @why: reason of a refusal, for a debug message
 *
 * Return: 0; -EINVAL for malformed terms and absent domains; -EOPNOTSUPP for a
 * feature that this GPU or this driver does not have.
 */
int pcounter_config_parse(const struct pcounter_config *config,
			  const struct pcounter_topo *topo,
			  struct pcounter_request *req, const char **why)
{
	const struct pcounter_dom_id *id;
	int dom, role, err;

	memset(req, 0, sizeof(*req));
	err = check_terms(config, topo->caps, why);
	if (err)
		return err;
	dom = pcounter_topo_find(topo,
				 pcounter_config_get(config, PCOUNTER_TERM_SET),
				 pcounter_config_get(config, PCOUNTER_TERM_UNIT),
				 pcounter_config_get(config, PCOUNTER_TERM_DOM));
	if (dom < 0)
		return refuse(why, "the chip has no such domain");
	req->dom = dom;
	role = parse_choice(config, PCOUNTER_TERM_PRE, PCOUNTER_TERM_CLK);
	if (role < 0)
		return refuse(why, "more than one input flag");
	req->role = role;
	parse_input(config, &req->in);
	err = parse_settings(config, topo->caps, req, why);
	if (!err)
		err = parse_mux(config, topo->caps, req, why);
	if (err)
		return err;
	id = &topo->dom[dom];
	err = check_input(req, pcounter_dom_signals(id, topo->caps), why);
	req->imports = parse_imports(&req->in, id, topo->caps) |
		       parse_imports(&req->start, id, topo->caps);
	return err;
}
