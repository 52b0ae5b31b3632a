// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small files of sysfs and procfs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>

#include "lib/tool.h"

#define MAX_PATH	512

static bool read_text(char *buf, size_t len, const char *fmt, va_list ap)
{
	char path[MAX_PATH];
	size_t at = 0;
	ssize_t got;
	int fd;

	buf[0] = 0;
	vsnprintf(path, sizeof(path), fmt, ap);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		got = read(fd, buf + at, len - 1 - at);
		at += got > 0 ? got : 0;
	} while (got > 0 && at < len - 1);
	close(fd);
	buf[at] = 0;
	while (at && buf[at - 1] == '\n')
		buf[--at] = 0;
	return got >= 0;
}

/**
 * file_read() - read a small file
 * @buf: gets its text without the final newline, empty if it cannot be read
 * @len: size of @buf
 * @fmt: the path, as for printf
 *
 * Return: false if it cannot be read.
 */
bool file_read(char *buf, size_t len, const char *fmt, ...)
{
	va_list ap;
	bool good;

	va_start(ap, fmt);
	good = read_text(buf, len, fmt, ap);
	va_end(ap);
	return good;
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_version(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/**
 * each_file() - call a function for each file of a folder, sorted by numbers in the names
 * @folder: the folder; may be absent
 * @take: the function
 * @context: argument of @take
 *
 * Files whose names begin with a dot are left out.
 */
void each_file(const char *folder, void (*take)(void *context, const char *name), void *context)
{
	struct dirent **list = NULL;
	int n = scandir(folder, &list, no_dot, by_version), i;

	for (i = 0; i < n; i++) {
		take(context, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

/**
 * file_number() - read a file that holds a number
 * @value: gets the number
 * @fmt: the path, as for printf
 *
 * Return: false if the file cannot be read or holds no number.
 */
bool file_number(unsigned long *value, const char *fmt, ...)
{
	char text[64], *end;
	va_list ap;
	bool good;

	va_start(ap, fmt);
	good = read_text(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (good)
		*value = strtoul(text, &end, 0);
	return good && end != text && !*end;
}
