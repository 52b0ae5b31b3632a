/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Placement: which request goes to which counter of a domain, and what
 * conflicts. Pure data in, pure data out.
 */
#ifndef _PCOUNTER_PLACE_H
#define _PCOUNTER_PLACE_H

#include <linux/types.h>

/* The four counters of a domain and the inputs that feed them, in register order. */
enum pcounter_slot {
	PCOUNTER_PRE,
	PCOUNTER_START,
	PCOUNTER_EVENT,
	PCOUNTER_STOP,
	PCOUNTER_SLOTS
};

/* The inputs with a logic op: the counters' four, then the flag's two. */
enum pcounter_op {
	PCOUNTER_OP_SETFLAG = PCOUNTER_SLOTS,
	PCOUNTER_OP_CLRFLAG,
	PCOUNTER_OPS
};

#define PCOUNTER_ARGS		4	/* arguments of a logic op */
#define PCOUNTER_OP_SOURCE_0	0xaaaa	/* truth table "source 0 alone" */

/* What a request wants to be: any free counter, a given input, or the clock. */
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
 * @delay: bit n: argument n is delayed (arguments 2 and 3: sources 0 and 1 delayed)
 * @flag: argument 3 is SETFLAG
 */
struct pcounter_input {
	u8 sig[PCOUNTER_ARGS];
	u16 op;
	u8 delay;
	bool flag;
};

/**
 * struct pcounter_request - what one event asks of its domain
 * @dom: domain number
 * @role: which input it wants
 * @in: what is to be counted there
 */
struct pcounter_request {
	u8 dom;
	u8 role;
	struct pcounter_input in;
};

/*
 * Distinct requests that a domain can serve at once: each of four counters for
 * its own role and for "any", two flag inputs, the clock.
 */
#define PCOUNTER_MAX_REQUESTS	(2 * PCOUNTER_SLOTS + 3)

#define PCOUNTER_NO_SLOT	(-1)

/**
 * struct pcounter_set - distinct requests of one domain
 * @n: how many
 * @req: the requests
 */
struct pcounter_set {
	unsigned int n;
	struct pcounter_request req[PCOUNTER_MAX_REQUESTS];
};

/**
 * struct pcounter_plan - what a domain's inputs are to be programmed with
 * @used: bit mask of inputs (enum pcounter_slot, enum pcounter_op) in use
 * @in: their contents
 */
struct pcounter_plan {
	u8 used;
	struct pcounter_input in[PCOUNTER_OPS];
};

/**
 * struct pcounter_conflict - why requests do not fit together
 * @a: index of the first of a pair that can never be together, or -1
 * @b: index of the second; with @a -1, the request for which no counter is left
 */
struct pcounter_conflict {
	int a;
	int b;
};

void pcounter_input_normalise(struct pcounter_input *in);
bool pcounter_input_equal(const struct pcounter_input *a,
			  const struct pcounter_input *b);
bool pcounter_request_equal(const struct pcounter_request *a,
			    const struct pcounter_request *b);
u8 pcounter_input_sources(const struct pcounter_input *in);
u8 pcounter_role_slots(const struct pcounter_request *req);
int pcounter_flag_selector(unsigned int op, unsigned int source,
			   unsigned int *slot);
bool pcounter_place(const struct pcounter_request *req, unsigned int n,
		    const struct pcounter_plan *now, s8 *slot,
		    struct pcounter_plan *plan);
int pcounter_set_add(struct pcounter_set *set, const struct pcounter_request *req);
void pcounter_place_conflict(const struct pcounter_request *req, unsigned int n,
			     struct pcounter_conflict *why);

#endif
