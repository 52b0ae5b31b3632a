/* SPDX-License-Identifier: GPL-2.0-only */
/* How pictures begin and end. */
#ifndef _PCOUNTER_TOOL_PICTURE_H
#define _PCOUNTER_TOOL_PICTURE_H

#include <cairo.h>
#include <stdbool.h>

#define PICTURE_FONT	11	/* pixels */

cairo_t *picture_begin(cairo_surface_t *surface);
bool picture_end(cairo_t *cr, cairo_surface_t *surface, const char *path, bool png);

#endif
