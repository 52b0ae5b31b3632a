/* SPDX-License-Identifier: GPL-2.0-only */
/* Creation and writing of pictures. */
#ifndef _PCOUNTER_TOOL_PICTURE_H
#define _PCOUNTER_TOOL_PICTURE_H

#include <cairo.h>
#include <stdbool.h>

#define PICTURE_FONT	11	/* pixels */

cairo_t *picture_begin(const char *path, unsigned int width, unsigned int height);
double picture_key(cairo_t *cr, double x, double y, const double *rgb, const char *text);
void picture_colour(cairo_t *cr, const double *rgb);
void picture_text(cairo_t *cr, double x, double y, const char *text);
bool picture_end(cairo_t *cr, const char *path);

#endif
