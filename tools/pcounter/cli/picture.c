// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation and writing of pictures.
 */
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>

#include "cli/out.h"
#include "cli/picture.h"
#include "cli/verb.h"

static struct out file;

static cairo_status_t put(void *unused, const unsigned char *data, unsigned int size)
{
	return file.f && fwrite(data, 1, size, file.f) == size ? CAIRO_STATUS_SUCCESS :
								  CAIRO_STATUS_WRITE_ERROR;
}

static bool is_svg(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".svg");
}

/**
 * picture_begin() - create a picture with a white background
 * @path: the file; SVG if its name ends in .svg, else PNG
 * @width: in pixels
 * @height: in pixels
 *
 * Return: a context for drawing, with the font of all pictures.
 */
cairo_t *picture_begin(const char *path, unsigned int width, unsigned int height)
{
	cairo_surface_t *surface = is_svg(path) ?
		cairo_svg_surface_create_for_stream(put, NULL, width, height) :
		cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
	cairo_t *cr = cairo_create(surface);

	cairo_surface_destroy(surface);
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	cairo_select_font_face(cr, "monospace", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, PICTURE_FONT);
	return cr;
}

/**
 * picture_text() - draw a text
 * @cr: from picture_begin()
 * @x: position in pixels from the left
 * @y: position in pixels from the top
 * @text: the text
 */
void picture_text(cairo_t *cr, double x, double y, const char *text)
{
	cairo_set_source_rgb(cr, 0, 0, 0);
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, text);
}

/**
 * picture_colour() - set the colour of the drawing operations that follow
 * @cr: from picture_begin()
 * @rgb: red, green and blue
 */
void picture_colour(cairo_t *cr, const double *rgb)
{
	cairo_set_source_rgb(cr, rgb[0], rgb[1], rgb[2]);
}

/**
 * picture_key() - draw a colour and its meaning
 * @cr: from picture_begin()
 * @x: position in pixels from the left
 * @y: position of the text in pixels from the top
 * @rgb: the colour
 * @text: the meaning
 *
 * Return: position of the next one.
 */
double picture_key(cairo_t *cr, double x, double y, const double *rgb, const char *text)
{
	picture_colour(cr, rgb);
	cairo_rectangle(cr, x, y - PICTURE_FONT + 1, PICTURE_FONT, PICTURE_FONT);
	cairo_fill(cr);
	picture_text(cr, x + 1.5 * PICTURE_FONT, y, text);
	return x + (3 + 0.62 * strlen(text)) * PICTURE_FONT;
}

/**
 * picture_end() - write a picture, and free it
 * @cr: from picture_begin()
 * @path: the file
 *
 * Return: false, with a message, if it cannot be written.
 */
bool picture_end(cairo_t *cr, const char *path)
{
	cairo_surface_t *surface = cairo_surface_reference(cairo_get_target(cr));
	cairo_status_t status = cairo_status(cr);
	bool good;

	cairo_destroy(cr);
	file.f = NULL;
	good = status == CAIRO_STATUS_SUCCESS ? out_open(&file, path) :
	       complain("%s: %s", path, cairo_status_to_string(status));
	if (good && !is_svg(path))
		cairo_surface_write_to_png_stream(surface, put, NULL);
	cairo_surface_finish(surface);
	cairo_surface_destroy(surface);
	/* a leak checker would report the caches of fonts */
	cairo_debug_reset_static_data();
	FcFini();
	return good && out_close(&file);
}
