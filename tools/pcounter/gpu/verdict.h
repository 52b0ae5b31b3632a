/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's verdict on a group, and the counters of its events.
 */
#ifndef _PCOUNTER_TOOL_VERDICT_H
#define _PCOUNTER_TOOL_VERDICT_H

#include "gpu/pmu.h"
#include "rules/place.h"

#define GROUP_EVENTS	64	/* further members of a group are ignored */

/**
 * struct verdict - the kernel's verdict on a group
 * @err: 0 or the negative errno of the refused member
 * @member: number of the refused member
 * @why: the reason
 * @req: request of each member, with the settings of the group
 * @slot: counter of each member (PCOUNTER_NO_SLOT: the clock)
 * @beside: number of other plain signals that fit into each member's domain
 */
struct verdict {
	int err;
	unsigned int member;
	char why[WHY_TEXT];
	struct pcounter_request req[GROUP_EVENTS];
	s8 slot[GROUP_EVENTS];
	unsigned int beside[GROUP_EVENTS];
};

void verdict_group(const struct group *group, struct verdict *v);

#endif
