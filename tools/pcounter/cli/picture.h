/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures: SVG, whose texts can be searched, and whose elements have titles that viewers
 * show at the pointer.
 */
#ifndef _PCOUNTER_TOOL_PICTURE_H
#define _PCOUNTER_TOOL_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#define PICTURE_FONT	11	/* pixels */

bool picture_possible(const char *path);
FILE *picture_begin(unsigned int width, unsigned int height);
void picture_text(FILE *f, double x, double y, const char *text);
void picture_rect(FILE *f, double x, double y, double width, double height, const char *style,
		  const char *title);
double picture_key(FILE *f, double x, double y, const char *colour, const char *text);
bool picture_end(FILE *f, const char *path);

#endif
