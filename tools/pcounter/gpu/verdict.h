/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's verdict on a group, and the counters of its events.
 */
#ifndef _PCOUNTER_TOOL_VERDICT_H
#define _PCOUNTER_TOOL_VERDICT_H

#include "gpu/types.h"
#include "rules/place.h"

#define GROUP_EVENTS	64	/* more in a group are not looked at */

/**
 * struct verdict - the kernel's verdict on a group
 * @err: 0 or the negative errno of the member that is refused
 * @member: number of that member
 * @other: number of the member that it conflicts with, or -1
 * @why: the reason
 * @req: what each member asks for, as a member of the group
 * @slot: where it goes (PCOUNTER_NO_SLOT: the clock)
 * @beside: how many other plain signals fit into each member's domain
 */
struct verdict {
	int err;
	unsigned int member;
	int other;
	char why[WHY_TEXT];
	struct pcounter_request req[GROUP_EVENTS];
	s8 slot[GROUP_EVENTS];
	unsigned int beside[GROUP_EVENTS];
};

void verdict_group(const struct group *group, struct verdict *v);

#endif
