// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures. Browsers show them; rsvg-convert makes PNGs of them.
 */
#include <wchar.h>

#include "cli/out.h"
#include "cli/picture.h"

#define SPACING		0.62	/* width of a character of the font, in its heights */

static struct out out;

/**
 * take_picture() - store the argument of an option, the file of a picture
 * @o: the option
 * @text: the argument
 *
 * Return: false, with a message, if the name is one of a PNG.
 */
bool take_picture(const struct option_doc *o, const char *text)
{
	const char *dot = strrchr(text, '.');

	if (dot && !strcmp(dot, ".png"))
		return complain("%s: pictures are SVG; rsvg-convert makes a PNG of one", text);
	*(const char **)o->to = text;
	return true;
}

/* XML has no other characters, escaped or not. */
static bool is_xml(wchar_t c)
{
	return (c >= ' ' && c < 0xd800) || (c >= 0xe000 && c < 0xfffe) ||
	       (c > 0xffff && c <= 0x10ffff);
}

/* Write a text of any bytes; "?" is for those that are no characters of the user's locale. */
static void put_text(FILE *f, const char *text)
{
	const char *end = text + strlen(text);
	mbstate_t state = {};
	wchar_t c;
	size_t n;

	for (; text < end; text += n) {
		n = mbrtowc(&c, text, end - text, &state);
		if (n > (size_t)(end - text) || !is_xml(c)) {
			state = (mbstate_t){};
			n = 1;
			c = '?';
		}
		if (c > '~' || strchr("<>&\"", c))
			fprintf(f, "&#%lu;", (unsigned long)c);
		else
			fputc(c, f);
	}
}

/**
 * picture_begin() - create a picture with a white background
 * @path: the file
 * @width: in pixels
 * @height: in pixels
 *
 * Return: the picture; NULL, with a message, if the file cannot be created.
 */
FILE *picture_begin(const char *path, unsigned int width, unsigned int height)
{
	FILE *f = out_open(&out, path) ? out.f : NULL;

	if (!f)
		return NULL;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", f);
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\"", f);
	fprintf(f, " width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"", width, height, width,
		height);
	fprintf(f, " font-family=\"monospace\" font-size=\"%u\">\n", PICTURE_FONT);
	picture_rect(f, 0, 0, width, height, "fill=\"#fff\"", NULL);
	return f;
}

/**
 * picture_text() - draw a text
 * @f: from picture_begin()
 * @x: position in pixels from the left
 * @y: position in pixels from the top
 * @text: the text
 */
void picture_text(FILE *f, double x, double y, const char *text)
{
	fprintf(f, "<text x=\"%g\" y=\"%g\">", x, y);
	put_text(f, text);
	fputs("</text>\n", f);
}

/**
 * picture_rect() - draw a rectangle
 * @f: from picture_begin()
 * @x: position in pixels from the left
 * @y: position in pixels from the top
 * @width: in pixels
 * @height: in pixels
 * @style: attributes
 * @title: text that a viewer shows at the pointer, NULL for none
 */
void picture_rect(FILE *f, double x, double y, double width, double height, const char *style,
		  const char *title)
{
	fprintf(f, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" %s", x, y, width, height,
		style);
	if (title) {
		fputs("><title>", f);
		put_text(f, title);
		fputs("</title></rect>\n", f);
	} else {
		fputs("/>\n", f);
	}
}

/**
 * picture_key() - draw a colour and its meaning
 * @f: from picture_begin()
 * @x: position in pixels from the left
 * @y: position of the text in pixels from the top
 * @colour: the colour
 * @text: the meaning
 *
 * Return: position of the next one.
 */
double picture_key(FILE *f, double x, double y, const char *colour, const char *text)
{
	picture_rect(f, x, y - PICTURE_FONT + 1, PICTURE_FONT, PICTURE_FONT,
		     text_tmp("fill=\"%s\"", colour), NULL);
	picture_text(f, x + 1.5 * PICTURE_FONT, y, text);
	return x + (3 + SPACING * strlen(text)) * PICTURE_FONT;
}

/**
 * picture_end() - end the picture of picture_begin()
 *
 * Return: false, with a message, if it cannot be written.
 */
bool picture_end(void)
{
	fputs("</svg>\n", out.f);
	return out_close(&out);
}
