/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures: SVG, whose texts can be searched, and whose elements have titles that viewers
 * show at the pointer.
 */
#ifndef _PCOUNTER_TOOL_PICTURE_H
#define _PCOUNTER_TOOL_PICTURE_H

#include "cli/verb.h"

#define PICTURE_FONT	11	/* pixels */

#define OPT_PICTURE(target)	.take = take_picture, .to = target

bool take_picture(const struct option_doc *o, const char *text);
FILE *picture_begin(const char *path, unsigned int width, unsigned int height);
void picture_text(FILE *f, double x, double y, const char *text);
void picture_rect(FILE *f, double x, double y, double width, double height, const char *style,
		  const char *title);
double picture_key(FILE *f, double x, double y, const char *colour, const char *text);
bool picture_end(void);

#endif
