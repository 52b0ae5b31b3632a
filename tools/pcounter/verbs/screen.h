/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen of "pcounter top".
 */
#ifndef _PCOUNTER_TOOL_SCREEN_H
#define _PCOUNTER_TOOL_SCREEN_H

#include "verbs/rows.h"

/**
 * struct screen_view - what the keys change of what is counted
 * @ms: length of an interval
 * @all: every named signal is counted
 */
struct screen_view {
	unsigned long ms;
	bool all;
};

bool screen_begin(bool by_engine);
void screen_draw(const struct top_rows *rows, const struct screen_view *view);
bool screen_wait(const struct top_rows *rows, double wait, struct screen_view *view);
void screen_end(void);

#endif
