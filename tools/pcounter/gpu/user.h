/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that a user has written down.
 */
#ifndef _PCOUNTER_TOOL_USER_H
#define _PCOUNTER_TOOL_USER_H

#include "gpu/types.h"

void user_names_add(struct pmu *pmu);

#endif
