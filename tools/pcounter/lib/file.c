// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small files of sysfs and procfs.
 */
#include <dirent.h>

#include "lib/util.h"

/**
 * file_read() - read a small file
 * @buf: gets its text without the final newline, empty if it cannot be read
 * @len: size of @buf
 * @path: the path
 *
 * Return: false if it cannot be read.
 */
bool file_read(char *buf, size_t len, const char *path)
{
	FILE *f = fopen(path, "re");
	bool good;
	size_t at;

	buf[0] = 0;
	if (!f)
		return false;
	at = fread(buf, 1, len - 1, f);
	good = !ferror(f);
	fclose(f);
	buf[at] = 0;
	while (at && buf[at - 1] == '\n')
		buf[--at] = 0;
	return good;
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
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
	int n = scandir(folder, &list, no_dot, versionsort), i;

	for (i = 0; i < n; i++) {
		take(context, list[i]->d_name);
		free(list[i]);
	}
	free(list);
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
	char text[64], *end;

	if (!file_read(text, sizeof(text), path))
		return false;
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
	char text[32];

	if (!file_exists(text_tmp(PCI_DEVICES "/%s", address)))
		return "gone";
	file_read(text, sizeof(text), text_tmp(PCI_DEVICES "/%s/power/runtime_status", address));
	if (!strncmp(text, "suspend", strlen("suspend")))
		return "asleep";
	file_read(text, sizeof(text), text_tmp(PCI_DEVICES "/%s/power_state", address));
	return !strncmp(text, "D3", 2) ? "asleep" : "awake";
}
