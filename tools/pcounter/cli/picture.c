// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation and writing of pictures. rsvg-convert makes a PNG of an SVG.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <wchar.h>

#include "cli/out.h"
#include "cli/picture.h"
#include "cli/verb.h"

#define CONVERTER	"rsvg-convert"
#define SPACING		0.62	/* width of a character of the font, in its heights */

static bool is_svg(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".svg");
}

/**
 * picture_possible() - check that a picture can be written, before the work for it
 * @path: the file; NULL: no picture
 *
 * Return: false, with a message, if the program is missing that makes PNGs.
 */
bool picture_possible(const char *path)
{
	if (!path || is_svg(path) || find_program(CONVERTER))
		return true;
	return complain("%s: a PNG needs %s (Debian: librsvg2-bin); an SVG does not: %s", path,
			CONVERTER, "name it .svg");
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
 * @width: in pixels
 * @height: in pixels
 *
 * Return: the picture, in memory.
 */
FILE *picture_begin(unsigned int width, unsigned int height)
{
	int fd = memfd_create("picture", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!f) {
		complain("picture: %s", strerror(errno));
		exit(STATUS_NO);
	}
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

/* Write the PNG of an SVG. */
static bool convert(FILE *svg, struct out *out)
{
	int status = -1;
	pid_t pid;

	rewind(svg);
	pid = fork();
	if (!pid) {
		dup2(fileno(svg), STDIN_FILENO);
		dup2(fileno(out->f), STDOUT_FILENO);
		execlp(CONVERTER, CONVERTER, NULL);
		_exit(EXEC_FAILED);
	}
	if (pid > 0)
		RETRY(waitpid(pid, &status, 0));
	return !status || complain("%s: " CONVERTER " failed", out->path);
}

static bool copy(FILE *svg, struct out *out)
{
	char buf[BUFSIZ];
	size_t n;

	for (rewind(svg); (n = fread(buf, 1, sizeof(buf), svg));)
		fwrite(buf, 1, n, out->f);
	return !ferror(svg);
}

/**
 * picture_end() - write a picture, and free it
 * @f: from picture_begin()
 * @path: the file; SVG if its name ends in .svg, else PNG
 *
 * Return: false, with a message, if it cannot be written.
 */
bool picture_end(FILE *f, const char *path)
{
	static struct out out;
	bool good;

	fputs("</svg>\n", f);
	good = !fflush(f) && !ferror(f);
	if (!good)
		complain("%s: %s", path, strerror(errno));
	good = good && out_open(&out, path);
	if (good) {
		good = is_svg(path) ? copy(f, &out) : convert(f, &out);
		good = out_close(&out) && good;
	}
	fclose(f);
	return good;
}
