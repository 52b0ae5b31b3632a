/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen of "pcounter top".
 */
#ifndef _PCOUNTER_TOOL_SCREEN_H
#define _PCOUNTER_TOOL_SCREEN_H

#include "verbs/rows.h"

bool screen_begin(bool by_engine);
void screen_draw(const struct top_rows *rows, unsigned int ms);
bool screen_wait(const struct top_rows *rows, double wait, unsigned int ms);
void screen_end(void);

#endif
