// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation of files. A folder may belong to others, who plant links and files at names that
 * they can guess; and a name may be that of a device, which is not the program's to remove.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "lib/util.h"

#define HOW	(O_WRONLY | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC)

/* Return the descriptor of the program that a path stands for, -1 if it stands for none. */
static int descriptor_of(const char *path)
{
	int fd;

	if (sscanf(path, "/dev/fd/%d", &fd) == 1)
		return fd;
	return !strcmp(path, "/dev/stdout") ? STDOUT_FILENO :
	       !strcmp(path, "/dev/stderr") ? STDERR_FILENO : -1;
}

/* Return true for a device or a FIFO of the user or of root. */
static bool is_device(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) &&
	       (!st.st_uid || st.st_uid == geteuid());
}

/**
 * may_replace() - check for a name that is free, or that of a regular file of the user's own
 * @path: the name
 *
 * Return: true if a new file may take the name, or the file may be removed.
 */
bool may_replace(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_mode & 0200;
}

static bool refuse(const char *path)
{
	return complain("%s: %s", path, errno ? strerror(errno) :
			"a link, write-protected, or not this user's file: it stays");
}

/**
 * keep_old() - rename a regular file that is not empty to NAME.old
 * @path: its name
 *
 * Return: false, with a message, if it cannot be renamed.
 */
bool keep_old(const char *path)
{
	const char *old = text_tmp("%s.old", path);
	struct stat st;

	/* create_file() refuses what may not be replaced */
	if (lstat(path, &st) || !st.st_size || !may_replace(path))
		return true;
	errno = 0;
	return (may_replace(old) && !rename(path, old)) || refuse(old);
}

/**
 * create_file() - create a file, or open a device or a FIFO
 * @path: its name
 * @mode: permissions of a new file, before the umask
 * @scrap: gets the name that a new file has until name_file(), else an empty text; NULL: the
 *	file gets its own name at once
 *
 * A new file replaces only a regular file of the user's own. Devices and FIFOs of the user or
 * of root are written into.
 *
 * Return: a descriptor; negative, with a message, if there is none.
 */
int create_file(const char *path, mode_t mode, char *scrap)
{
	char name[PATH_MAX], *new = scrap ?: name;
	int fd = descriptor_of(path);

	*new = 0;
	errno = 0;
	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	} else if (may_replace(path)) {
		snprintf(new, PATH_MAX, "%s.%llx", path,
			 (unsigned long long)clock_ns(CLOCK_MONOTONIC));
		fd = open(new, HOW | O_CREAT | O_EXCL, mode);
	} else if (is_device(path)) {
		fd = open(path, HOW);
	}
	if (fd < 0)
		refuse(path);
	return fd < 0 || scrap || name_file(path, new, true) ? fd : -1;
}

/**
 * name_file() - give a new file its name, or remove it
 * @path: the name
 * @scrap: from create_file()
 * @good: it is complete
 *
 * Return: false, with a message unless @good was false, if the file has not got its name.
 */
bool name_file(const char *path, const char *scrap, bool good)
{
	if (!*scrap)
		return good;
	if (good && rename(scrap, path))
		good = complain("%s: %s", path, strerror(errno));
	if (!good)
		unlink(scrap);
	return good;
}
