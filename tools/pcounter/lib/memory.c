// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocation of memory, and texts that grow. If memory runs out, the program ends with a
 * message.
 */
#include <err.h>
#include <stdarg.h>

#include "lib/util.h"

static void *check(void *memory)
{
	if (!memory)
		errx(EXIT_FAILURE, "out of memory");
	return memory;
}

/**
 * need() - allocate memory for an array
 * @nr: number of elements
 * @size: size of an element in bytes
 *
 * Return: the memory, all zero; the program ends if there is none.
 */
void *need(size_t nr, size_t size)
{
	return check(calloc(nr ?: 1, size));
}

/**
 * grow() - make room for one more element of an array
 * @array: the array, NULL at first; only this function may grow it
 * @nr: number of its elements
 * @size: size of an element in bytes
 *
 * Return: the array; the new element is all zero. The program ends if there is no memory.
 */
void *grow(void *array, size_t nr, size_t size)
{
	/* the capacity is always a power of 2 */
	if (!(nr & (nr - 1)))
		array = check(reallocarray(array, nr ? 2 * nr : 1, size));
	memset((char *)array + nr * size, 0, size);
	return array;
}

static char **texts;
static size_t nr_texts;

/**
 * text_keep() - make a text one for immediate use
 * @text: the text, allocated by libc
 *
 * Return: the text, valid until texts_free(); the program ends if it is NULL.
 */
char *text_keep(char *text)
{
	texts = grow(texts, nr_texts, sizeof(*texts));
	texts[nr_texts++] = check(text);
	return text;
}

/**
 * text_tmp() - format a text for immediate use
 * @fmt: as for printf
 *
 * Return: the text, valid until texts_free().
 */
const char *text_tmp(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return text_keep(text);
}

/**
 * texts_free() - free all texts for immediate use
 *
 * For the turns of a loop that may run for days.
 */
void texts_free(void)
{
	while (nr_texts)
		free(texts[--nr_texts]);
}

/**
 * text_plain() - copy a text of somebody else's file for immediate use
 * @text: the text, which may hold commands of the terminal, new lines, and no UTF-8
 *
 * Return: the text in printable ASCII, with "?" for any other byte, as of text_tmp().
 */
const char *text_plain(const char *text)
{
	char *copy = text_keep(strdup(text)), *at;

	for (at = copy; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return copy;
}

/**
 * date_text() - format a time of day
 * @time: seconds of CLOCK_REALTIME
 *
 * Return: the text, in UTC.
 */
const char *date_text(time_t time)
{
	struct tm tm;
	char date[64] = "";

	if (gmtime_r(&time, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm);
	return text_tmp("%s", date);
}
