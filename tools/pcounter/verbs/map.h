/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps of a survey.
 */
#ifndef _PCOUNTER_TOOL_MAP_H
#define _PCOUNTER_TOOL_MAP_H

#include <stdio.h>

#include "verbs/survey.h"

void map_print(const struct survey *survey, FILE *f);
bool map_draw(const struct survey *const *surveys, unsigned int n, const char *path);

#endif
