// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small files of sysfs and procfs.
 */
#include <dirent.h>

#include "lib/util.h"

/**
 * file_text() - read a file that holds text
 * @path: the path
 *
 * Return: the text without its final newline, for immediate use, and the caller may write to
 * it; empty, with errno, if the file cannot be read.
 */
char *file_text(const char *path)
{
	FILE *f = fopen(path, "re");
	ssize_t len = 0;
	char *text = NULL;
	size_t room = 0;
	int err = errno;

	if (f) {
		errno = 0;
		len = getdelim(&text, &room, 0, f);
		err = errno;
		fclose(f);
	}
	while (len > 0 && text[len - 1] == '\n')
		len--;
	text = text_keep(text ?: strdup(""));
	text[max_t(ssize_t, len, 0)] = 0;
	errno = err;
	return text;
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/**
 * files_of() - list the files of a folder, sorted by numbers in the names
 * @folder: the folder; may be absent
 *
 * Files whose names begin with a dot are left out.
 *
 * Return: the names, ended by NULL, for immediate use.
 */
char **files_of(const char *folder)
{
	struct dirent **list = NULL;
	int n = scandir(folder, &list, no_dot, versionsort), i;
	char **names = need(max(n, 0) + 1, sizeof(*names));

	for (i = 0; i < n; i++) {
		names[i] = text_keep(strdup(list[i]->d_name));
		free(list[i]);
	}
	free(list);
	text_keep((char *)names);
	return names;
}

/**
 * file_number() - read a file that holds a number
 * @value: gets the number
 * @path: the path
 *
 * Return: false if the file cannot be read or holds no number.
 */
bool file_number(unsigned long *value, const char *path)
{
	char *text = file_text(path), *end;

	*value = strtoul(text, &end, 0);
	return end != text && !*end;
}

/**
 * device_power() - return the power state of a PCI function
 * @address: its address
 *
 * Return: "awake", "asleep", or "gone".
 */
const char *device_power(const char *address)
{
	const char *folder = text_tmp(PCI_DEVICES "/%s", address);

	if (!file_exists(folder))
		return "gone";
	return strncmp(file_text(text_tmp("%s/power/runtime_status", folder)), "suspend", 7) &&
	       strncmp(file_text(text_tmp("%s/power_state", folder)), "D3", 2) ? "awake" : "asleep";
}
