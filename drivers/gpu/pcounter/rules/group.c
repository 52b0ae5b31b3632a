// SPDX-License-Identifier: GPL-2.0-only
/*
 * The members of a group, and whether there is room for all of them at once.
 */
#include "rules/place.h"

/**
 * pcounter_group_constrain() - add a member's settings for its domain
 * @g: the group
 * @raw: the member, of any domain
 */
void pcounter_group_constrain(struct pcounter_group *g, const struct pcounter_request *raw)
{
	if (raw->dom == g->dom && pcounter_settings_merge(&g->set, &raw->set))
		g->differ = true;
}

/**
 * pcounter_group_add() - add a member's request
 * @g: the group, with the settings of all members
 * @raw: the member, of any domain
 *
 * Return: its index among the group's requests, -1 for none.
 */
int pcounter_group_add(struct pcounter_group *g, const struct pcounter_request *raw)
{
	struct pcounter_request *req = &g->store[g->reqs.n];
	int at;

	if (raw->dom != g->dom || g->differ)
		return -1;
	*req = *raw;
	pcounter_request_apply(req, &g->set, g->process);
	at = pcounter_set_add(&g->reqs, req);
	if (at < 0)
		g->differ = true;
	return at;
}

/**
 * pcounter_muxes_clash() - check whether two muxes cannot be set at the same time
 * @a: one mux and its position
 * @b: the other; @b may be the same mux
 *
 * One mux cannot be in two positions, and wires do not show two TPCs.
 *
 * Return: true if the muxes clash.
 */
bool pcounter_muxes_clash(const struct pcounter_mux_setting *a,
			  const struct pcounter_mux_setting *b)
{
	return a->id && b->id && a->reg == b->reg &&
	       (a->tpc != b->tpc || (a->id == b->id && a->sel != b->sel));
}

static bool requests_clash(const struct pcounter_request *a, const struct pcounter_request *b)
{
	unsigned int i, k;

	for (i = 0; i < PCOUNTER_REQUEST_MUXES; i++)
		for (k = 0; k < PCOUNTER_REQUEST_MUXES; k++)
			if (pcounter_muxes_clash(&a->mux[i], &b->mux[k]))
				return true;
	return false;
}

static bool muxes_fit(const struct pcounter_set *set)
{
	unsigned int i, k;

	for (i = 0; i < set->n; i++)
		for (k = 0; k < i; k++)
			if (requests_clash(set->req[i], set->req[k]))
				return false;
	return true;
}

/**
 * pcounter_group_place() - find places for all members on a domain
 * @g: the members on the domain, complete
 * @partner: the members on the domain that shares its CTRL, if one does
 * @caps: capabilities of the generation
 * @why: set to the reason if there is no room; @why->b is -1 if no single request
 *	is the reason
 *
 * Return: true if there is room, and both domains can be programmed at once.
 */
bool pcounter_group_place(struct pcounter_group *g, struct pcounter_group *partner,
			  u32 caps, struct pcounter_conflict *why)
{
	struct pcounter_plan plan, theirs;

	*why = (struct pcounter_conflict){ .a = -1, .b = -1 };
	if (g->differ)
		why->why = "members of the group differ in a setting of the domain";
	else if (!pcounter_place(&g->reqs, caps, true, NULL, &plan))
		pcounter_place_conflict(&g->reqs, caps, why);
	else if (!muxes_fit(&g->reqs))
		why->why = "the group wants a mux in two positions, or two TPCs on the same wires";
	else if (!partner->differ &&
		 pcounter_place(&partner->reqs, caps, true, NULL, &theirs) &&
		 pcounter_plans_clash(&plan, &theirs, caps))
		why->why = "both domains have one counter mode, and the group wants two";
	return !why->why;
}
