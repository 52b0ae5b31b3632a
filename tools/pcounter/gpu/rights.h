/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may count.
 */
#ifndef _PCOUNTER_TOOL_RIGHTS_H
#define _PCOUNTER_TOOL_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

bool may_count(void);
bool may_record(void);
bool perf_lacks_rights(char *help, size_t len);
void rights_granted(char *buf, size_t len);
void rights_missing(bool record, char *buf, size_t len);
void rights_help(bool record, char *buf, size_t len);

#endif
