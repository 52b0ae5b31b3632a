/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the members of a group can count at the same time. Pure: for the
 * kernel, and for programs that explain its decisions.
 */
#ifndef _PCOUNTER_RULES_GROUP_H
#define _PCOUNTER_RULES_GROUP_H

#include "rules/place.h"

/**
 * struct pcounter_group - the members of a group that share a domain
 * @dom: index of the domain
 * @process: identifies the group
 * @differ: members have different settings for the domain
 * @set: settings of all members
 * @reqs: requests of all members
 *
 * First the settings of all members are added, then their requests.
 */
struct pcounter_group {
	unsigned int dom;
	u64 process;
	bool differ;
	struct pcounter_settings set;
	struct pcounter_set reqs;
};

void pcounter_group_constrain(struct pcounter_group *g, const struct pcounter_request *raw);
int pcounter_group_add(struct pcounter_group *g, const struct pcounter_request *raw);
bool pcounter_group_fits(const struct pcounter_group *g, u32 caps,
			 struct pcounter_plan *plan, struct pcounter_conflict *why);
bool pcounter_group_fits_partner(const struct pcounter_group *partner,
				 const struct pcounter_plan *plan, u32 caps,
				 struct pcounter_conflict *why);

#endif
