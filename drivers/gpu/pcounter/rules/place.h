/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Placement: which request goes to which counter of a domain, which requests conflict,
 * and whether the members of a group can count at the same time. Pure data in, pure data
 * out: for the kernel, and for programs that explain its decisions.
 */
#ifndef _PCOUNTER_RULES_PLACE_H
#define _PCOUNTER_RULES_PLACE_H

#include <linux/bits.h>
#include <linux/types.h>

/*
 * The inputs of a domain that have a logic op, in register order: the inputs of the four
 * counters, which are the slots of the same numbers, then the two inputs of the flag.
 */
enum pcounter_op {
	PCOUNTER_PRE,
	PCOUNTER_START,
	PCOUNTER_EVENT,
	PCOUNTER_STOP,
	PCOUNTER_SLOTS,
	PCOUNTER_OP_SETFLAG = PCOUNTER_SLOTS,
	PCOUNTER_OP_CLRFLAG,
	PCOUNTER_OPS
};

#define PCOUNTER_ARGS		4	/* arguments of a logic op */
#define PCOUNTER_OP_SOURCE_0	0xaaaa	/* truth table "source 0 alone" */
#define PCOUNTER_OP_ALWAYS	0xffff
#define PCOUNTER_OP_NEVER	0x0000

/* The role of a request: any free counter, a given input, or the clock. */
enum pcounter_role {
	PCOUNTER_ROLE_ANY,
	PCOUNTER_ROLE_PRE,
	PCOUNTER_ROLE_START,
	PCOUNTER_ROLE_EVENT,
	PCOUNTER_ROLE_STOP,
	PCOUNTER_ROLE_SETFLAG,
	PCOUNTER_ROLE_CLRFLAG,
	PCOUNTER_ROLE_CLK,
};

/**
 * struct pcounter_input - a logic op and its sources
 * @sig: signal number of each source
 * @op: truth table; bit (a0 + 2 a1 + 4 a2 + 8 a3)
 * @delay: bit n: argument n is delayed (arguments 2 and 3: sources 0 and 1
 *	delayed)
 * @flag: argument 3 is SETFLAG
 */
struct pcounter_input {
	u8 sig[PCOUNTER_ARGS];
	u16 op;
	u8 delay;
	bool flag;
};

/* How a domain counts: freely, or as one of the terms "single" to "record" asks. */
enum pcounter_mode {
	PCOUNTER_MODE_FREE,	/* freely: quad mode, or single mode with open gates */
	PCOUNTER_MODE_SINGLE,	/* a gated process in single event mode */
	PCOUNTER_MODE_QUAD,	/* freely, and in no group of another mode; else as FREE */
	PCOUNTER_MODE_RECORD,	/* packets in memory */
};

/*
 * Counter modes, by the hardware's codes (hw:registers/ctrl-nv40,
 * hw:modes/sums).
 */
enum pcounter_ctr {
	PCOUNTER_CTR_SIMPLE,
	PCOUNTER_CTR_EVENT_B4,
	PCOUNTER_CTR_EVENT_B6,
	PCOUNTER_CTR_EXTRA_B4,
	PCOUNTER_CTR_EXTRA_B6_EVENT_B2,
	PCOUNTER_CTR_NONE,		/* no counter counts its op: hw:real-cards/r9 */
	PCOUNTER_CTR_PRE_B5,		/* GM107- */
	PCOUNTER_CTR_EVENT_OWN_B4,	/* GM107-; START is its gate */
	PCOUNTER_CTRS
};

/**
 * struct pcounter_settings - settings of a whole domain; 0 means any
 * @mode: enum pcounter_mode
 * @ctr: enum pcounter_ctr
 * @periodic: PERIODIC_PERIOD code
 * @swap: signal that ends a counting period
 * @brief: record mode: SHORT packets
 * @all: EVENT_CTR_PERIOD is ALL
 * @evpulse: EVENT_IMPORT_MODE is PULSE
 * @flagpulse: FLAG_IMPORT_MODE is PULSE
 * @threshold: single event mode
 */
struct pcounter_settings {
	u8 mode;
	u8 ctr;
	u8 periodic;
	u8 swap;
	bool brief;
	bool all;
	bool evpulse;
	bool flagpulse;
	u64 threshold;
};

/* The part of START in a counter mode that adds up bits 0 to 3. */
enum pcounter_start {
	PCOUNTER_START_NUMBER,	/* the bits are its sources */
	PCOUNTER_START_GATE,	/* the bits are the counter's own sources, START is the gate */
	PCOUNTER_START_BIT,	/* the same, and source 0 of START is bit 4 */
};

/**
 * struct pcounter_ctr_mode - a counter mode: which numbers it adds up
 * @increment: most by which a counter grows in one clock
 * @caps: PCOUNTER_CAP_* without which a GPU does not have it
 * @role: the input whose counter holds the sum
 * @number: quad mode: an event may bring the number as bit0 to bit3
 * @start: enum pcounter_start
 * @extra: the counters of EXTRA add up
 * @sources: sources of each input that are bits of the number
 * @quad: counters that mean something else in quad mode ...
 * @single: ... and in single mode
 * @needs: inputs without which the number is not whole
 */
struct pcounter_ctr_mode {
	u8 increment;
	u32 caps;
	u8 role;
	bool number;
	u8 start;
	bool extra;
	u8 sources[PCOUNTER_OPS];
	u8 quad;
	u8 single;
	u8 needs;
};

extern const struct pcounter_ctr_mode pcounter_ctr_modes[PCOUNTER_CTRS];

/* Counters that the counter mode changes: bit mask of slots. */
static inline u8 pcounter_sum_slots(const struct pcounter_settings *set)
{
	const struct pcounter_ctr_mode *mode = &pcounter_ctr_modes[set->ctr];

	return set->mode == PCOUNTER_MODE_SINGLE ? mode->single : mode->quad;
}

/**
 * struct pcounter_mux_setting - position of a source mux that an event needs
 * @id: which mux, 0 for none
 * @tpc: which TPC, subpartition or PBFB
 * @sel: value of its select field
 * @reg: address of its enable bit, or of its select field if it has no enable bit. If the
 *	wires show one TPC at a time, the address on the first TPC
 */
struct pcounter_mux_setting {
	u8 id;
	u8 tpc;
	u16 sel;
	u32 reg;
};

/* Signals that a request uses, struct pcounter_request.imports. */
#define PCOUNTER_IMPORTS_EVENT	BIT(0)	/* EVENT of another domain */
#define PCOUNTER_IMPORTS_FLAG	BIT(1)	/* FLAG of another domain */

/* Terms mux, mux2 and mux3, and PCOUNTER_MUX_GATE. */
#define PCOUNTER_REQUEST_MUXES	4

/**
 * struct pcounter_request - the request of one event to its domain
 * @dom: index of the domain
 * @role: which input it needs
 * @imports: PCOUNTER_IMPORTS_*
 * @number: it brings a number to add up, and needs START for it
 * @init: initial CTR_PRE or CTR_STOP, with the role of one of these
 * @in: the input to count
 * @start: with @number, the input of START
 * @set: settings of the domain that it needs
 * @process: gated process that it belongs to, 0 for none
 * @mux: source muxes that must be set, those with an id
 *
 * None of its structures has a hole, so requests can be compared as memory.
 */
struct pcounter_request {
	u8 dom;
	u8 role;
	u8 imports;
	bool number;
	u32 init;
	struct pcounter_input in;
	struct pcounter_input start;
	struct pcounter_settings set;
	u64 process;
	struct pcounter_mux_setting mux[PCOUNTER_REQUEST_MUXES];
};

/*
 * Record mode counts the sources of PRE, START and EVENT; in SHORT packets only the
 * sources of PRE.
 */
#define PCOUNTER_RECORD_SLOTS		12
#define PCOUNTER_RECORD_SLOTS_SHORT	4
/* From GF100 on a record has the counters of these inputs. */
extern const u8 pcounter_record_inputs[];

/*
 * Distinct requests that a domain can serve at once. Record mode: all signals,
 * and the clock; otherwise each of four counters for its own role and for
 * "any", two flag inputs, the clock.
 */
#define PCOUNTER_MAX_REQUESTS	(PCOUNTER_RECORD_SLOTS + 1)

#define PCOUNTER_NO_SLOT	(-1)

/**
 * struct pcounter_set - distinct requests of one domain
 * @n: how many
 * @req: the requests, which the owner of the set keeps
 * @slot: the counter of each request (PCOUNTER_NO_SLOT for the clock), by
 *	pcounter_place()
 */
struct pcounter_set {
	unsigned int n;
	const struct pcounter_request *req[PCOUNTER_MAX_REQUESTS];
	s8 slot[PCOUNTER_MAX_REQUESTS];
};

/**
 * struct pcounter_plan - the configuration of a domain
 * @used: bit mask of inputs (enum pcounter_op) in use
 * @in: their contents
 * @set: settings
 * @init_pre: initial CTR_PRE
 * @init_stop: initial CTR_STOP
 * @process: gated process that owns the domain, 0 for none
 */
struct pcounter_plan {
	u8 used;
	struct pcounter_input in[PCOUNTER_OPS];
	struct pcounter_settings set;
	u32 init_pre;
	u32 init_stop;
	u64 process;
};

/**
 * struct pcounter_conflict - why requests do not fit together
 * @a: index of a request that can never be together with @b, or -1
 * @b: index of the last request; -1 if no request is the reason
 * @why: the resource for which they compete
 */
struct pcounter_conflict {
	int a;
	int b;
	const char *why;
};

/**
 * struct pcounter_group - the members of a group that share a domain
 * @dom: index of the domain
 * @process: identifies the group
 * @differ: members have different settings for the domain
 * @set: settings of all members
 * @reqs: requests of all members
 * @store: room for @reqs, and for one more to compare with them
 *
 * First the settings of all members are added, then their requests.
 */
struct pcounter_group {
	unsigned int dom;
	u64 process;
	bool differ;
	struct pcounter_settings set;
	struct pcounter_set reqs;
	struct pcounter_request store[PCOUNTER_MAX_REQUESTS + 1];
};

void pcounter_input_normalise(struct pcounter_input *in, u8 keep);
bool pcounter_input_equal(const struct pcounter_input *a,
			  const struct pcounter_input *b);
int pcounter_settings_merge(struct pcounter_settings *into,
			    const struct pcounter_settings *from);
void pcounter_request_apply(struct pcounter_request *req,
			    const struct pcounter_settings *group, u64 process);
bool pcounter_request_equal(const struct pcounter_request *a,
			    const struct pcounter_request *b);
u8 pcounter_input_sources(const struct pcounter_input *in);
u8 pcounter_role_slots(const struct pcounter_request *req);
unsigned int pcounter_selector(unsigned int op, unsigned int source, u32 caps,
			       unsigned int *at);
bool pcounter_place(struct pcounter_set *set, u32 caps, bool partial,
		    const struct pcounter_plan *now, struct pcounter_plan *plan);
bool pcounter_place_excludes(const struct pcounter_set *there,
			     const struct pcounter_request *req, u32 caps);
bool pcounter_plans_clash(const struct pcounter_plan *a,
			  const struct pcounter_plan *b, u32 caps);
int pcounter_set_add(struct pcounter_set *set, const struct pcounter_request *req);
void pcounter_place_conflict(const struct pcounter_set *set, u32 caps,
			     struct pcounter_conflict *why);

bool pcounter_muxes_clash(const struct pcounter_mux_setting *a,
			  const struct pcounter_mux_setting *b);
void pcounter_group_constrain(struct pcounter_group *g, const struct pcounter_request *raw);
int pcounter_group_add(struct pcounter_group *g, const struct pcounter_request *raw);
bool pcounter_group_place(struct pcounter_group *g, struct pcounter_group *partner,
			  u32 caps, struct pcounter_conflict *why);

#endif
