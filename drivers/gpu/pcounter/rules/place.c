// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of requests on the inputs of one domain. Pure: the same code
 * answers event_init, add, and the user-space tests.
 *
 * Requests compete for the four counters, and for the 16 source selectors of their
 * inputs. From NV30 on the flag's two inputs have no selectors of their own:
 * they borrow four each from PRE and START (hw:inputs/flag-sources).
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "rules/chip.h"
#include "rules/place.h"

/* Return true if the truth table's result depends on argument @arg. */
static bool op_depends(u16 op, unsigned int arg)
{
	/* the bits of a truth table at which the argument is 0 */
	static const u16 without[PCOUNTER_ARGS] = { 0x5555, 0x3333, 0x0f0f, 0x00ff };

	return (op ^ op >> BIT(arg)) & without[arg];
}

/* Return the source that feeds argument @arg, -1 if none does (SETFLAG). */
static int arg_source(const struct pcounter_input *in, unsigned int arg)
{
	if (arg == 3 && in->flag)
		return -1;
	if (arg >= 2 && in->delay & BIT(arg))
		return arg - 2;
	return arg;
}

/**
 * pcounter_input_sources() - find the sources that affect an input
 * @in: the input
 *
 * A selector that no argument uses may have any value.
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
 * pcounter_input_normalise() - clear fields that have no effect
 * @in: the input
 * @keep: sources that another input needs
 *
 * Afterwards two inputs with the same effect compare equal, unless their truth
 * tables differ only in the order of arguments.
 */
void pcounter_input_normalise(struct pcounter_input *in, u8 keep)
{
	unsigned int i;
	u8 sources;

	for (i = 0; i < PCOUNTER_ARGS; i++)
		if (!op_depends(in->op, i))
			in->delay &= ~BIT(i);
	if (!op_depends(in->op, 3))
		in->flag = false;
	sources = pcounter_input_sources(in) | keep;
	for (i = 0; i < PCOUNTER_ARGS; i++)
		if (!(sources & BIT(i)))
			in->sig[i] = 0;
}

/**
 * pcounter_input_equal() - compare two inputs in normal form
 * @a: one input
 * @b: the other
 *
 * Return: true if so.
 */
bool pcounter_input_equal(const struct pcounter_input *a,
			  const struct pcounter_input *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Numbers are made of sources, whatever the logic ops say (hw:modes/sums). */
const struct pcounter_ctr_mode pcounter_ctr_modes[PCOUNTER_CTRS] = {
	[PCOUNTER_CTR_SIMPLE] = {
		.increment = 1,
	},
	[PCOUNTER_CTR_EVENT_B4] = {
		.increment = 15,
		.caps = PCOUNTER_CAP_SUM_B4,
		.role = PCOUNTER_ROLE_EVENT,
		.number = true,
		.sources = { [PCOUNTER_START] = GENMASK(3, 0) },
		.quad = BIT(PCOUNTER_EVENT),
		.single = BIT(PCOUNTER_EVENT),
		.needs = BIT(PCOUNTER_START),
	},
	[PCOUNTER_CTR_EVENT_B6] = {
		.increment = 63,
		.caps = PCOUNTER_CAP_SUM_EXTRA,
		.role = PCOUNTER_ROLE_EVENT,
		.number = true,
		.sources = { [PCOUNTER_START] = GENMASK(3, 0), [PCOUNTER_EVENT] = GENMASK(3, 2) },
		.quad = BIT(PCOUNTER_EVENT),
		.single = BIT(PCOUNTER_EVENT),
		.needs = BIT(PCOUNTER_START) | BIT(PCOUNTER_EVENT),
	},
	[PCOUNTER_CTR_EXTRA_B4] = {
		.increment = 15,
		.caps = PCOUNTER_CAP_SUM_EXTRA,
		.role = PCOUNTER_ROLE_START,
		.extra = true,
		.sources = { [PCOUNTER_START] = GENMASK(3, 0) },
		.quad = BIT(PCOUNTER_START),
		.single = BIT(PCOUNTER_PRE),
		.needs = BIT(PCOUNTER_START),
	},
	[PCOUNTER_CTR_EXTRA_B6_EVENT_B2] = {
		.increment = 63,
		.caps = PCOUNTER_CAP_SUM_EXTRA,
		.role = PCOUNTER_ROLE_EVENT,
		.extra = true,
		.sources = { [PCOUNTER_START] = GENMASK(3, 0), [PCOUNTER_EVENT] = GENMASK(3, 0) },
		.quad = BIT(PCOUNTER_START) | BIT(PCOUNTER_EVENT),
		.single = BIT(PCOUNTER_PRE) | BIT(PCOUNTER_EVENT),
		.needs = BIT(PCOUNTER_START) | BIT(PCOUNTER_EVENT),
	},
	[PCOUNTER_CTR_NONE] = {
		.increment = 1,
	},
	[PCOUNTER_CTR_PRE_B5] = {
		.increment = 31,
		.caps = PCOUNTER_CAP_SUM_OWN,
		.role = PCOUNTER_ROLE_PRE,
		.number = true,
		.start = PCOUNTER_START_BIT,
		.sources = { [PCOUNTER_PRE] = GENMASK(3, 0), [PCOUNTER_START] = BIT(0) },
		.quad = BIT(PCOUNTER_PRE) | BIT(PCOUNTER_START),
		.needs = BIT(PCOUNTER_PRE) | BIT(PCOUNTER_START),
	},
	[PCOUNTER_CTR_EVENT_OWN_B4] = {
		.increment = 15,
		.caps = PCOUNTER_CAP_SUM_OWN,
		.role = PCOUNTER_ROLE_EVENT,
		.number = true,
		.start = PCOUNTER_START_GATE,
		.sources = { [PCOUNTER_EVENT] = GENMASK(3, 0) },
		.quad = BIT(PCOUNTER_START) | BIT(PCOUNTER_EVENT),
		.needs = BIT(PCOUNTER_START) | BIT(PCOUNTER_EVENT),
	},
};

/* Return true if both values are set, and differ. */
static bool differs(u64 a, u64 b)
{
	return a && b && a != b;
}

/**
 * pcounter_settings_merge() - merge two settings
 * @into: settings; the settings of @from are added
 * @from: settings to add
 *
 * Return: 0; -EINVAL if they differ, and nothing was added.
 */
int pcounter_settings_merge(struct pcounter_settings *into,
			    const struct pcounter_settings *from)
{
	if (differs(into->mode, from->mode) || differs(into->ctr, from->ctr) ||
	    differs(into->periodic, from->periodic) || differs(into->swap, from->swap) ||
	    differs(into->threshold, from->threshold))
		return -EINVAL;
	into->mode |= from->mode;
	into->ctr |= from->ctr;
	into->periodic |= from->periodic;
	into->swap |= from->swap;
	into->threshold |= from->threshold;
	into->brief |= from->brief;
	into->all |= from->all;
	into->evpulse |= from->evpulse;
	into->flagpulse |= from->flagpulse;
	return 0;
}

/**
 * pcounter_request_apply() - apply the settings of a group to a request
 * @req: the request as it was decoded; brought to normal form
 * @group: settings of the group for the domain
 * @process: identifies the group
 */
void pcounter_request_apply(struct pcounter_request *req,
			    const struct pcounter_settings *group, u64 process)
{
	u8 keep = 0;

	/* a member that differs keeps its own settings, with which it does not fit */
	pcounter_settings_merge(&req->set, group);
	if (req->set.mode == PCOUNTER_MODE_QUAD)
		req->set.mode = PCOUNTER_MODE_FREE;
	if (group->mode == PCOUNTER_MODE_SINGLE) {
		req->process = process;
		if (req->role == PCOUNTER_ROLE_ANY)
			req->role = PCOUNTER_ROLE_EVENT;
	}
	if (req->role >= PCOUNTER_ROLE_PRE && req->role <= PCOUNTER_ROLE_STOP)
		keep = pcounter_ctr_modes[group->ctr].sources[req->role - PCOUNTER_ROLE_PRE];
	if (req->role != PCOUNTER_ROLE_CLK)
		pcounter_input_normalise(&req->in, keep);
}

/**
 * pcounter_request_equal() - check whether two requests can share a counter
 * @a: one request
 * @b: the other
 *
 * Return: true if they count the same input in the same place.
 */
bool pcounter_request_equal(const struct pcounter_request *a,
			    const struct pcounter_request *b)
{
	static_assert(sizeof(*a) == 80, "a request has no holes");
	return !memcmp(a, b, sizeof(*a));
}

/**
 * pcounter_role_slots() - get the counters and inputs for the role of a request
 * @req: the request
 *
 * Return: bit mask of enum pcounter_op; 0 for the clock.
 */
u8 pcounter_role_slots(const struct pcounter_request *req)
{
	u8 mask = GENMASK(PCOUNTER_SLOTS - 1, 0);

	if (req->role == PCOUNTER_ROLE_CLK)
		return 0;
	if (req->role != PCOUNTER_ROLE_ANY)
		mask = BIT(req->role - PCOUNTER_ROLE_PRE);
	if (req->in.flag)
		mask &= BIT(PCOUNTER_EVENT) | BIT(PCOUNTER_STOP);
	return mask;
}

/* Return the counters and inputs that a request may take on this GPU. */
static u8 allowed_slots(const struct pcounter_request *req,
			const struct pcounter_settings *set, u32 caps)
{
	u8 mask = pcounter_role_slots(req), changed;

	/* a free count in single mode has one counter */
	if (set->mode == PCOUNTER_MODE_FREE && !(caps & PCOUNTER_CAP_QUAD))
		mask &= BIT(PCOUNTER_EVENT) | BIT(PCOUNTER_OP_SETFLAG) |
			BIT(PCOUNTER_OP_CLRFLAG);
	changed = pcounter_sum_slots(set);
	/* a request for a sum names its input */
	if (!req->set.ctr || req->role == PCOUNTER_ROLE_ANY)
		mask &= ~changed;
	return mask;
}

/**
 * pcounter_selector() - find the selector of a source
 * @op: the input
 * @source: number of the source
 * @caps: PCOUNTER_CAP_* of the generation
 * @at: set to the input that has the selector
 *
 * Flag inputs borrow selectors of PRE and START. Sources 0 and 1 of SETFLAG use sources 2
 * and 3 of START, sources 2 and 3 use sources 0 and 1 of PRE; CLRFLAG uses PRE and START the
 * other way round. If flag inputs have selectors, it is disputed whether CLRFLAG uses its
 * own selectors or the selectors of SETFLAG (hw:ambiguities/6): let both be the same.
 *
 * Return: the number of the source in @at.
 */
unsigned int pcounter_selector(unsigned int op, unsigned int source, u32 caps, unsigned int *at)
{
	*at = op;
	if (op < PCOUNTER_SLOTS)
		return source;
	*at = PCOUNTER_OP_SETFLAG;
	if (caps & PCOUNTER_CAP_OWN_FLAG_SRC)
		return source;
	*at = (op == PCOUNTER_OP_SETFLAG) == (source < 2) ? PCOUNTER_START : PCOUNTER_PRE;
	return source ^ 2;
}

/**
 * struct selectors - source selectors in use
 * @sig: the signal that is selected
 * @claimed: bit mask over sources, for each slot
 */
struct selectors {
	u8 sig[PCOUNTER_OPS][PCOUNTER_ARGS];
	u8 claimed[PCOUNTER_OPS];
};

/* Claim all selectors that a request needs when it sits at @op. */
static bool claim(struct selectors *sel, unsigned int op,
		  const struct pcounter_input *in, unsigned int ctr, u32 caps)
{
	u8 sources = pcounter_input_sources(in) | pcounter_ctr_modes[ctr].sources[op];
	unsigned int i, slot, source;

	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (!(sources & BIT(i)))
			continue;
		source = pcounter_selector(op, i, caps, &slot);
		if (sel->claimed[slot] & BIT(source) &&
		    sel->sig[slot][source] != in->sig[i])
			return false;
		sel->claimed[slot] |= BIT(source);
		sel->sig[slot][source] = in->sig[i];
	}
	return true;
}

/**
 * struct search - state of one placement
 * @set: the requests, and the result for each
 * @caps: PCOUNTER_CAP_*
 * @partial: missing members may follow
 * @sums: inputs whose request uses the domain's counter mode
 * @now: the current plan, to keep running counters where they are
 * @plan: result for each input
 */
struct search {
	struct pcounter_set *set;
	u32 caps;
	bool partial;
	u8 sums;
	const struct pcounter_plan *now;
	struct pcounter_plan *plan;
};

static bool place_from(struct search *s, unsigned int i,
		       const struct selectors *sel);

/* Give an input and selectors to a request; return false if others use them differently. */
static bool occupy(struct search *s, unsigned int op, const struct pcounter_input *in,
		   const struct pcounter_request *req, struct selectors *sel)
{
	/* a process has each gate once, with its own initial value */
	if (s->plan->used & BIT(op) &&
	    (req->process || !pcounter_input_equal(&s->plan->in[op], in)))
		return false;
	if (!claim(sel, op, in, req->set.ctr, s->caps))
		return false;
	s->plan->used |= BIT(op);
	s->plan->in[op] = *in;
	if (req->set.ctr)
		s->sums |= BIT(op);
	return true;
}

/*
 * Place request @i at @op, and the later requests; undo all of it if one has no place. A
 * request with a number to add up takes START, too.
 */
static bool place_at(struct search *s, unsigned int i, unsigned int op,
		     const struct selectors *sel)
{
	const struct pcounter_request *req = s->set->req[i];
	u8 sums = s->sums, used = s->plan->used;
	struct selectors next = *sel;

	s->set->slot[i] = op;
	if (occupy(s, op, &req->in, req, &next) &&
	    (!req->number || occupy(s, PCOUNTER_START, &req->start, req, &next)) &&
	    place_from(s, i + 1, &next))
		return true;
	s->sums = sums;
	s->plan->used = used;
	return false;
}

/*
 * Order in which a request without a role tries the counters: first the ones from
 * which no flag input borrows; PRE last, since its OP may double as the swap.
 */
static const u8 slot_order[PCOUNTER_OPS] = {
	PCOUNTER_EVENT, PCOUNTER_STOP, PCOUNTER_START, PCOUNTER_PRE,
	PCOUNTER_OP_SETFLAG, PCOUNTER_OP_CLRFLAG,
};

/*
 * Return true if the request at @op takes nothing away from others: a search that fails
 * with the request fails without it, too.
 */
static bool shares(const struct search *s, const struct pcounter_request *req, unsigned int op)
{
	return s->plan->used & BIT(op) && !req->process && !req->set.ctr &&
	       pcounter_input_equal(&s->plan->in[op], &req->in);
}

static bool place_from(struct search *s, unsigned int i,
		       const struct selectors *sel)
{
	const struct pcounter_request *req;
	u8 allowed, pass, preferred = 0;
	unsigned int k;

	if (i == s->set->n)
		return s->partial || !(pcounter_ctr_modes[s->plan->set.ctr].needs & ~s->sums);
	req = s->set->req[i];
	if (req->role == PCOUNTER_ROLE_CLK) {
		s->set->slot[i] = PCOUNTER_NO_SLOT;
		return place_from(s, i + 1, sel);
	}
	allowed = allowed_slots(req, &s->plan->set, s->caps);
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
		u8 slots = allowed & (pass ? ~preferred : preferred);

		for (k = 0; k < PCOUNTER_OPS; k++) {
			u8 op = slot_order[k];

			if (!(slots & BIT(op)))
				continue;
			if (place_at(s, i, op, sel))
				return true;
			if (shares(s, req, op))
				return false;
		}
	}
	return false;
}

/* Return the setting that keeps two requests out of one domain, NULL if none does. */
static const char *settings_clash(const struct pcounter_request *a,
				  const struct pcounter_request *b)
{
	const struct pcounter_settings *s = &a->set, *t = &b->set;

	if (s->mode != t->mode)
		return "the domain's mode";
	if (a->process != b->process)
		return "the domain, which a process owns";
	if (differs(s->ctr, t->ctr))
		return "counter mode";
	if (s->swap != t->swap)
		return "what ends a period";
	if (s->brief != t->brief)
		return "packet format";
	if (differs(s->periodic, t->periodic))
		return "PERIODIC period";
	/* a request that imports must have the same mode as one that sets it */
	if (s->evpulse != t->evpulse && (s->evpulse ? b : a)->imports & PCOUNTER_IMPORTS_EVENT)
		return "EVENT import mode";
	if (s->flagpulse != t->flagpulse && (s->flagpulse ? b : a)->imports & PCOUNTER_IMPORTS_FLAG)
		return "FLAG import mode";
	return NULL;
}

static bool merge_settings(const struct pcounter_set *set, struct pcounter_plan *plan)
{
	unsigned int i, k;

	for (i = 0; i < set->n; i++) {
		const struct pcounter_request *req = set->req[i];

		for (k = 0; k < i; k++)
			if (settings_clash(req, set->req[k]))
				return false;
		if (pcounter_settings_merge(&plan->set, &req->set))
			return false;
		plan->process = req->process;
		if (req->role == PCOUNTER_ROLE_PRE)
			plan->init_pre = req->init;
		if (req->role == PCOUNTER_ROLE_STOP)
			plan->init_stop = req->init;
	}
	return true;
}

/* Return the number of inputs or signals that can be counted at once. */
static unsigned int counters_of(const struct pcounter_settings *set, u32 caps)
{
	if (set->mode == PCOUNTER_MODE_RECORD)
		return set->brief || caps & PCOUNTER_CAP_SETS ? PCOUNTER_SLOTS :
								PCOUNTER_RECORD_SLOTS;
	return set->mode == PCOUNTER_MODE_FREE && !(caps & PCOUNTER_CAP_QUAD) ? 1 : PCOUNTER_SLOTS;
}

const u8 pcounter_record_inputs[PCOUNTER_SLOTS] = {
	PCOUNTER_EVENT, PCOUNTER_PRE, PCOUNTER_START, PCOUNTER_STOP,
};

/* Return the input of a counter, and which of its sources the counter counts. */
static unsigned int record_input(u32 caps, unsigned int k, unsigned int *source)
{
	*source = caps & PCOUNTER_CAP_SETS ? 0 : k % PCOUNTER_ARGS;
	return caps & PCOUNTER_CAP_SETS ? pcounter_record_inputs[k] : k / PCOUNTER_ARGS;
}

/* Find a free counter of record mode, preferably one that counts the signal already. */
static int record_find(const struct search *s, u8 sig, u16 used)
{
	bool running = s->now && s->now->set.mode == PCOUNTER_MODE_RECORD;
	int slots = counters_of(&s->plan->set, s->caps), found = PCOUNTER_NO_SLOT, k;
	unsigned int source, input;

	for (k = 0; k < slots; k++) {
		if (used & BIT(k))
			continue;
		input = record_input(s->caps, k, &source);
		if (running && s->now->in[input].sig[source] == sig)
			return k;
		if (found == PCOUNTER_NO_SLOT)
			found = k;
	}
	return found;
}

/* Place requests in record mode, the running ones first: a signal can have any counter. */
static bool place_record(struct search *s)
{
	unsigned int i, input, source;
	u16 used = 0;

	for (i = 0; i < s->set->n; i++) {
		u8 sig = s->set->req[i]->in.sig[0];
		int k;

		s->set->slot[i] = PCOUNTER_NO_SLOT;
		if (s->set->req[i]->role == PCOUNTER_ROLE_CLK)
			continue;
		k = record_find(s, sig, used);
		if (k == PCOUNTER_NO_SLOT)
			return false;
		s->set->slot[i] = k;
		input = record_input(s->caps, k, &source);
		s->plan->in[input].sig[source] = sig;
		s->plan->in[input].op = s->caps & PCOUNTER_CAP_SETS ? PCOUNTER_OP_SOURCE_0 : 0;
		used |= BIT(k);
	}
	s->plan->used = BIT(PCOUNTER_PRE) | BIT(PCOUNTER_START) | BIT(PCOUNTER_EVENT);
	return true;
}

/**
 * pcounter_place() - assign all requests of one domain
 * @set: the requests, to which their groups' settings have been applied; gets their
 *	counters
 * @caps: PCOUNTER_CAP_* of the generation
 * @partial: more members of a group are still to come
 * @now: the current plan, or NULL; running inputs stay if they can
 * @plan: set to the new plan
 *
 * The search is complete: if it finds no assignment, there is none.
 *
 * Return: true if all fit.
 */
bool pcounter_place(struct pcounter_set *set, u32 caps, bool partial,
		    const struct pcounter_plan *now, struct pcounter_plan *plan)
{
	struct search s = {
		.set = set, .caps = caps, .partial = partial, .now = now, .plan = plan,
	};
	struct selectors sel = {};

	memset(plan, 0, sizeof(*plan));
	if (!merge_settings(set, plan))
		return false;
	if (plan->set.mode == PCOUNTER_MODE_RECORD)
		return place_record(&s);
	return place_from(&s, 0, &sel);
}

/* Return true for one of the four counters, false for a flag input or the clock. */
static bool needs_counter(const struct pcounter_request *req)
{
	return req->role <= PCOUNTER_ROLE_STOP;
}

/* Return true if no request before this one has the same input. */
static bool is_new_input(const struct pcounter_set *there, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (needs_counter(there->req[i]) &&
		    pcounter_input_equal(&there->req[i]->in, &there->req[n]->in))
			return false;
	return true;
}

/**
 * pcounter_place_excludes() - check for a lack of room without a search
 * @there: requests that fit together
 * @req: one more, which differs from all of them
 * @caps: PCOUNTER_CAP_* of the generation
 *
 * Return: true if their settings exclude it, or if no counter is left.
 */
bool pcounter_place_excludes(const struct pcounter_set *there,
			     const struct pcounter_request *req, u32 caps)
{
	bool record = req->set.mode == PCOUNTER_MODE_RECORD, shares = !needs_counter(req);
	unsigned int taken = 0, i;

	for (i = 0; i < there->n; i++) {
		if (settings_clash(there->req[i], req))
			return true;
		if (!needs_counter(there->req[i]))
			continue;
		shares |= !record && pcounter_input_equal(&there->req[i]->in, &req->in);
		taken += record || is_new_input(there, i);
	}
	return !shares && taken >= counters_of(&req->set, caps);
}

/**
 * pcounter_plans_clash() - check whether two domains exclude each other's plans
 * @a: plan of one domain
 * @b: plan of the other
 * @caps: PCOUNTER_CAP_* of the generation
 *
 * On the nv10 layout there is one counter mode for both
 * (hw:registers/ctrl-nv10); it matters to a domain only if its EVENT is in use.
 *
 * Return: true if so.
 */
bool pcounter_plans_clash(const struct pcounter_plan *a,
			  const struct pcounter_plan *b, u32 caps)
{
	if (!(caps & PCOUNTER_CAP_CTRL_SHARED) || a->set.ctr == b->set.ctr)
		return false;
	if (a->set.ctr && b->set.ctr)
		return true;
	return (a->set.ctr ? b : a)->used & BIT(PCOUNTER_EVENT);
}

/**
 * pcounter_set_add() - add a request to the requests of one domain
 * @set: distinct requests
 * @req: one more, which the caller keeps as long as the set
 *
 * Return: its index in the set, or -1 if there are more distinct requests than ever fit.
 */
int pcounter_set_add(struct pcounter_set *set, const struct pcounter_request *req)
{
	unsigned int i;

	for (i = 0; i < set->n; i++)
		if (pcounter_request_equal(set->req[i], req))
			return i;
	if (set->n == PCOUNTER_MAX_REQUESTS)
		return -1;
	set->req[set->n] = req;
	return set->n++;
}

/**
 * pcounter_place_conflict() - explain why the last request does not fit
 * @set: requests; without the last one they fit together
 * @caps: PCOUNTER_CAP_* of the generation
 * @why: the first request that can never be together with the last one or, if each can,
 *	the last one, for which no counter is left
 */
void pcounter_place_conflict(const struct pcounter_set *set, u32 caps,
			     struct pcounter_conflict *why)
{
	struct pcounter_set pair = { .n = 2, .req[1] = set->req[set->n - 1] };
	struct pcounter_plan plan;
	unsigned int i;

	*why = (struct pcounter_conflict){
		.a = -1, .b = set->n - 1, .why = "counters and sources",
	};
	for (i = 0; i + 1 < set->n; i++) {
		pair.req[0] = set->req[i];
		if (pcounter_place(&pair, caps, true, NULL, &plan))
			continue;
		why->a = i;
		why->why = settings_clash(pair.req[0], pair.req[1]) ?: why->why;
		return;
	}
}
