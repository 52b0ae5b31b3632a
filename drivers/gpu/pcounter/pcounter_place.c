// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of requests on the inputs of one domain. Pure: the same code
 * answers event_init, add, and the user-space tests.
 *
 * What competes: the four counters, and the 16 source selectors of their
 * inputs. From NV30 on the flag's two inputs have no selectors of their own:
 * they borrow four each from PRE and START (hw/registers.md 4.3).
 */
#include <linux/bits.h>
#include <linux/string.h>

#include "pcounter_place.h"

/* Where source n of SETFLAG and of CLRFLAG is selected: slot and source there. */
static const struct {
	u8 slot;
	u8 source;
} flag_selector[2][PCOUNTER_ARGS] = {
	{
		{ PCOUNTER_START, 2 }, { PCOUNTER_START, 3 },
		{ PCOUNTER_PRE, 0 }, { PCOUNTER_PRE, 1 },
	}, {
		{ PCOUNTER_PRE, 2 }, { PCOUNTER_PRE, 3 },
		{ PCOUNTER_START, 0 }, { PCOUNTER_START, 1 },
	},
};

/* Does the truth table's result ever depend on argument @arg? */
static bool op_depends(u16 op, unsigned int arg)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		if (!(op & BIT(i)) != !(op & BIT(i ^ BIT(arg))))
			return true;
	return false;
}

/* Which source feeds argument @arg, or -1 if none does (SETFLAG). */
static int arg_source(const struct pcounter_input *in, unsigned int arg)
{
	if (arg == 3 && in->flag)
		return -1;
	if (arg >= 2 && in->delay & BIT(arg))
		return arg - 2;
	return arg;
}

/**
 * pcounter_input_sources() - which of the four sources matter
 * @in: the input
 *
 * A selector that no argument looks at may hold anything.
 *
 * Return: bit mask of sources.
 */
u8 pcounter_input_sources(const struct pcounter_input *in)
{
	unsigned int arg;
	u8 mask = 0;

	for (arg = 0; arg < PCOUNTER_ARGS; arg++)
		if (op_depends(in->op, arg) && arg_source(in, arg) >= 0)
			mask |= BIT(arg_source(in, arg));
	return mask;
}

/**
 * pcounter_input_normalise() - clear whatever has no effect
 * @in: the input
 *
 * Afterwards two inputs that mean the same compare equal, unless their truth
 * tables differ only in the order of arguments.
 */
void pcounter_input_normalise(struct pcounter_input *in)
{
	unsigned int i;
	u8 sources;

	for (i = 0; i < PCOUNTER_ARGS; i++)
		if (!op_depends(in->op, i))
			in->delay &= ~BIT(i);
	if (!op_depends(in->op, 3))
		in->flag = false;
	sources = pcounter_input_sources(in);
	for (i = 0; i < PCOUNTER_ARGS; i++)
		if (!(sources & BIT(i)))
			in->sig[i] = 0;
}

/**
 * pcounter_input_equal() - are two inputs in normal form the same?
 * @a: one input
 * @b: the other
 *
 * Return: true if so.
 */
bool pcounter_input_equal(const struct pcounter_input *a,
			  const struct pcounter_input *b)
{
	return !memcmp(a->sig, b->sig, sizeof(a->sig)) && a->op == b->op &&
	       a->delay == b->delay && a->flag == b->flag;
}

/**
 * pcounter_request_equal() - can two requests share one counter?
 * @a: one request
 * @b: the other
 *
 * Return: true if they ask for the same thing in the same place.
 */
bool pcounter_request_equal(const struct pcounter_request *a,
			    const struct pcounter_request *b)
{
	return a->dom == b->dom && a->role == b->role &&
	       pcounter_input_equal(&a->in, &b->in);
}

/**
 * pcounter_role_slots() - where a request could go
 * @req: the request
 *
 * Return: bit mask of enum pcounter_slot and enum pcounter_op; 0 for the clock.
 */
u8 pcounter_role_slots(const struct pcounter_request *req)
{
	u8 mask;

	switch (req->role) {
	case PCOUNTER_ROLE_ANY:
		mask = GENMASK(PCOUNTER_SLOTS - 1, 0);
		break;
	case PCOUNTER_ROLE_CLK:
		return 0;
	default:
		mask = BIT(req->role - PCOUNTER_ROLE_PRE);
	}
	if (req->in.flag)
		mask &= BIT(PCOUNTER_EVENT) | BIT(PCOUNTER_STOP);
	return mask;
}

/**
 * pcounter_flag_selector() - which selector a flag input borrows
 * @op: PCOUNTER_OP_SETFLAG or PCOUNTER_OP_CLRFLAG
 * @source: source number of the flag input
 * @slot: where to store the counter slot whose selector it is
 *
 * Return: the source number in that slot.
 */
int pcounter_flag_selector(unsigned int op, unsigned int source,
			   unsigned int *slot)
{
	*slot = flag_selector[op - PCOUNTER_OP_SETFLAG][source].slot;
	return flag_selector[op - PCOUNTER_OP_SETFLAG][source].source;
}

/**
 * struct selectors - who holds which source selector
 * @sig: the signal that is selected
 * @claimed: bit mask over sources, for each slot
 */
struct selectors {
	u8 sig[PCOUNTER_SLOTS][PCOUNTER_ARGS];
	u8 claimed[PCOUNTER_SLOTS];
};

/* Claim all selectors that @in needs when it sits at @op; all or nothing. */
static bool claim(struct selectors *sel, unsigned int op,
		  const struct pcounter_input *in)
{
	struct selectors try = *sel;
	u8 sources = pcounter_input_sources(in);
	unsigned int i, slot, source;

	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (!(sources & BIT(i)))
			continue;
		slot = op;
		source = i;
		if (op >= PCOUNTER_SLOTS)
			source = pcounter_flag_selector(op, i, &slot);
		if (try.claimed[slot] & BIT(source) &&
		    try.sig[slot][source] != in->sig[i])
			return false;
		try.claimed[slot] |= BIT(source);
		try.sig[slot][source] = in->sig[i];
	}
	*sel = try;
	return true;
}

/**
 * struct search - state of one placement
 * @req: the requests
 * @n: how many
 * @now: what is programmed, to keep running counters where they are
 * @slot: result for each request
 * @plan: result for each input
 */
struct search {
	const struct pcounter_request *req;
	unsigned int n;
	const struct pcounter_plan *now;
	s8 *slot;
	struct pcounter_plan *plan;
};

static bool place_from(struct search *s, unsigned int i,
		       const struct selectors *sel);

/* Put request @i at @op and go on with the next; undo if that leads nowhere. */
static bool place_at(struct search *s, unsigned int i, unsigned int op,
		     const struct selectors *sel)
{
	const struct pcounter_input *in = &s->req[i].in;
	bool shared = s->plan->used & BIT(op);
	struct selectors next = *sel;

	if (shared && !pcounter_input_equal(&s->plan->in[op], in))
		return false;
	if (!shared && !claim(&next, op, in))
		return false;
	s->plan->used |= BIT(op);
	s->plan->in[op] = *in;
	s->slot[i] = op;
	if (place_from(s, i + 1, &next))
		return true;
	if (!shared)
		s->plan->used &= ~BIT(op);
	return false;
}

/*
 * Order in which a request without a wish tries the counters: those that no
 * flag input borrows from first, PRE last since its OP may double as the swap.
 */
static const u8 slot_order[] = {
	PCOUNTER_EVENT, PCOUNTER_STOP, PCOUNTER_START, PCOUNTER_PRE,
	PCOUNTER_OP_SETFLAG, PCOUNTER_OP_CLRFLAG,
};

static bool place_from(struct search *s, unsigned int i,
		       const struct selectors *sel)
{
	const struct pcounter_request *req;
	u8 wish, pass, preferred = 0;
	unsigned int k;

	if (i == s->n)
		return true;
	req = &s->req[i];
	if (req->role == PCOUNTER_ROLE_CLK) {
		s->slot[i] = PCOUNTER_NO_SLOT;
		return place_from(s, i + 1, sel);
	}
	wish = pcounter_role_slots(req);
	/* Share a counter first, then stay where the input already runs. */
	for (k = 0; k < PCOUNTER_SLOTS; k++) {
		const struct pcounter_plan *plan = s->plan;

		if (!(plan->used & BIT(k)))
			plan = s->now;
		if (plan && plan->used & BIT(k) &&
		    pcounter_input_equal(&plan->in[k], &req->in))
			preferred |= BIT(k);
	}
	for (pass = 0; pass < 2; pass++) {
		for (k = 0; k < PCOUNTER_OPS; k++) {
			u8 op = slot_order[k];

			if (!(wish & BIT(op)) || !(preferred & BIT(op)) == !pass)
				continue;
			if (place_at(s, i, op, sel))
				return true;
		}
	}
	return false;
}

/**
 * pcounter_place() - find a place for all requests of one domain
 * @req: the requests, in normal form
 * @n: how many; more than PCOUNTER_MAX_REQUESTS distinct ones never fit
 * @now: what is programmed now, or NULL; running inputs stay if they can
 * @slot: for each request, where it goes (PCOUNTER_NO_SLOT for the clock)
 * @plan: what every input is to hold
 *
 * The search is complete: if it finds nothing, there is nothing.
 *
 * Return: true if all fit.
 */
bool pcounter_place(const struct pcounter_request *req, unsigned int n,
		    const struct pcounter_plan *now, s8 *slot,
		    struct pcounter_plan *plan)
{
	struct search s = {
		.req = req, .n = n, .now = now, .slot = slot, .plan = plan,
	};
	struct selectors sel = {};

	memset(plan, 0, sizeof(*plan));
	if (n > PCOUNTER_MAX_REQUESTS)
		return false;
	return place_from(&s, 0, &sel);
}

/**
 * pcounter_set_add() - add a request to those of one domain
 * @set: distinct requests
 * @req: one more
 *
 * Return: its index in the set, or -1 if so many distinct ones never fit.
 */
int pcounter_set_add(struct pcounter_set *set, const struct pcounter_request *req)
{
	unsigned int i;

	for (i = 0; i < set->n; i++)
		if (pcounter_request_equal(&set->req[i], req))
			return i;
	if (set->n == PCOUNTER_MAX_REQUESTS)
		return -1;
	set->req[set->n] = *req;
	return set->n++;
}

/**
 * pcounter_place_conflict() - explain a refusal
 * @req: requests that do not fit together
 * @n: how many
 * @why: the first pair that can never be together or, if every pair can, the
 *	 first request for which no counter is left
 */
void pcounter_place_conflict(const struct pcounter_request *req, unsigned int n,
			     struct pcounter_conflict *why)
{
	struct pcounter_plan plan;
	s8 slot[PCOUNTER_MAX_REQUESTS];
	unsigned int i, k;

	for (k = 1; k < n; k++) {
		for (i = 0; i < k; i++) {
			struct pcounter_request pair[] = { req[i], req[k] };

			if (!pcounter_place(pair, 2, NULL, slot, &plan)) {
				why->a = i;
				why->b = k;
				return;
			}
		}
	}
	why->a = -1;
	for (k = 1; k <= n; k++) {
		why->b = k - 1;
		if (!pcounter_place(req, k, NULL, slot, &plan))
			return;
	}
	why->b = -1;
}
