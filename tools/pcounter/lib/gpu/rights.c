// SPDX-License-Identifier: GPL-2.0-only
/*
 * The right to count. kernel.perf_event_paranoid has levels from -1 to 2. Above 2 the
 * kernels of Debian and its derivatives refuse every event without CAP_SYS_ADMIN, while
 * the mainline kernel treats 3 like 2. A trial tells both kinds of kernels apart.
 */
#include <limits.h>
#include <sys/capability.h>

#include "gpu/count.h"
#include "lib/util.h"

#define PARANOID	"kernel.perf_event_paranoid"
#define KEEPER		"pcounter-rights"
#define KEPT		"/etc/sysctl.d/00-pcounter.conf"	/* KEEPER's file */
#define LEVEL_UNKNOWN	2	/* the kernel's default */
#define LEVEL_COUNT	0	/* up to this level every user may count system-wide */
#define LEVEL_ALL	2	/* above this level Debian's kernels refuse all events */

/**
 * struct rights - the rights of this process, and the kernel's rules
 * @level: kernel.perf_event_paranoid
 * @known: @level could be read
 * @admin: this process has CAP_SYS_ADMIN
 * @perfmon: this process has CAP_PERFMON, or CAP_SYS_ADMIN, which includes it
 * @inherited: programs that this process starts get the capability, too
 * @closed: the kernel refuses every event
 * @nested: the process is in a user namespace, whose capabilities perf does not accept
 */
struct rights {
	long level;
	bool known;
	bool admin;
	bool perfmon;
	bool inherited;
	bool closed;
	bool nested;
};

/* Return true in any user namespace but the first one, which maps all users to themselves. */
static bool is_nested(void)
{
	unsigned int inside, outside, n;

	return sscanf(file_text("/proc/self/uid_map"), "%u %u %u", &inside, &outside, &n) == 3 &&
	       n != UINT_MAX;
}

/* Try an event that the mainline kernel grants at any level. */
static bool refuses_all(void)
{
	int fd = own_open();

	if (fd >= 0)
		close(fd);
	return fd == -EACCES;
}

static bool has_cap(cap_t caps, cap_flag_t set, cap_value_t cap)
{
	cap_flag_value_t value = CAP_CLEAR;

	cap_get_flag(caps, cap, set, &value);
	return value == CAP_SET;
}

static struct rights find_rights(void)
{
	struct rights rights = { .level = LEVEL_UNKNOWN };
	cap_t caps = cap_get_proc();
	const char *level = file_text("/proc/sys/kernel/perf_event_paranoid");

	rights.known = *level;
	if (rights.known)
		rights.level = strtol(level, NULL, 10);
	rights.nested = is_nested();
	rights.admin = !rights.nested && has_cap(caps, CAP_EFFECTIVE, CAP_SYS_ADMIN);
	rights.perfmon = rights.admin ||
			 (!rights.nested && has_cap(caps, CAP_EFFECTIVE, CAP_PERFMON));
	cap_free(caps);
	/* programs that root starts have root's capabilities */
	rights.inherited = rights.nested || !geteuid() || cap_get_ambient(CAP_PERFMON) > 0;
	rights.closed = rights.level > LEVEL_ALL && !rights.admin && refuses_all();
	return rights;
}

/**
 * may_count() - check the right of this process to count
 * @record: in record mode
 *
 * In record mode the GPU writes to memory, which requires CAP_PERFMON.
 *
 * Return: true if the kernel's own rules for system-wide events allow counting.
 */
bool may_count(bool record)
{
	struct rights rights = find_rights();

	return (rights.perfmon || (!record && rights.level <= LEVEL_COUNT)) && !rights.closed;
}

/* Return true if KEEPER is installed beside this program. */
static bool has_keeper(void)
{
	char exe[256] = "";

	return readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0 &&
	       file_exists(text_tmp("%s-rights", exe));
}

/* Return true if KEEPER's file, which names users and programs, has a word. */
static bool keeps(const char *word)
{
	return strstr(file_text(KEPT), word);
}

/* Say how long a right lasts that is not root's own. */
static const char *how_long(const struct rights *rights)
{
	if (rights->admin)
		return "";
	if (rights->level == LEVEL_ALL && keeps("/bin/pcounter"))
		return "; " KEEPER " keeps both";
	return text_tmp("; a boot may end the level%s",
			rights->perfmon ? ", an upgrade the capability" : "");
}

/* Return true if setcap has given CAP_PERFMON to a file. */
static bool has_perfmon(const char *file)
{
	cap_t caps = cap_get_file(file);
	bool has = has_cap(caps, CAP_PERMITTED, CAP_PERFMON);

	cap_free(caps);
	return has;
}

/**
 * rights_help_perf() - return a command that gives perf the right to count
 *
 * Return: the command; NULL if perf is not installed, has the right by the level or by
 * setcap, or inherits the right from this process.
 */
const char *rights_help_perf(void)
{
	struct rights rights = find_rights();
	const char *perf = find_program("perf");

	if (rights.level <= LEVEL_COUNT || rights.inherited || !perf || has_perfmon(perf))
		return NULL;
	if (has_keeper())
		return text_tmp("sudo " KEEPER " %s perf # lasts; perf can watch all programs",
				keeps(" group ") ? "group" : "all");
	return text_tmp("sudo setcap cap_perfmon+ep %s", perf);
}

/**
 * rights_text() - explain why this process may or may not count
 * @record: in record mode
 *
 * Return: the explanation, for immediate use.
 */
const char *rights_text(bool record)
{
	struct rights rights = find_rights();
	const char *level = rights.known ? text_tmp("%ld", rights.level) : "unknown";

	if (may_count(record))
		return text_tmp(PARANOID " is %s%s%s", level,
			       rights.admin ? " and this process has CAP_SYS_ADMIN" :
			       rights.perfmon ? " and this process has CAP_PERFMON" :
			       "; record mode needs CAP_PERFMON, too", how_long(&rights));
	if (rights.nested)
		return text_tmp("%s, and perf does not accept those of this user namespace",
				record ? "record mode needs a capability" :
				text_tmp(PARANOID " is %s: counting needs 0 or a capability",
					 level));
	if (rights.closed)
		return text_tmp(PARANOID " is %s: %s", level,
			       "above 2 this kernel refuses all events without CAP_SYS_ADMIN");
	if (record)
		return "record mode needs CAP_PERFMON: the GPU writes to memory";
	if (!rights.known)
		return "CAP_PERFMON is missing";
	return text_tmp(PARANOID " is %s (needed: 0 or less) and CAP_PERFMON is missing", level);
}

/**
 * rights_help() - return a command that gives this process the right to count
 *
 * Return: the command, for immediate use.
 */
const char *rights_help(void)
{
	struct rights rights = find_rights();
	char exe[256] = "";
	const char *file = exe;

	if (rights.nested)
		return "sudo sysctl " PARANOID "=0 # outside of this namespace, or count there";
	if (has_keeper())
		return rights.perfmon ? "sudo " KEEPER " level # lasts" :
		       "sudo " KEEPER " all # lasts; \"group\": only members of pcounter";
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) <= 0)
		file = find_program("pcounter") ?: "pcounter";
	return text_tmp("%s%s%s", rights.closed ? "sudo sysctl " PARANOID "=2" : "",
		       rights.closed && !rights.perfmon ? " && " : "",
		       rights.perfmon ? "" : text_tmp("sudo setcap cap_perfmon+ep %s", file));
}

/**
 * count_explain() - explain why the kernel refused an event, and how to get the right
 * @err: negative errno
 * @record: the event is of record mode
 *
 * Return: the words, for immediate use.
 */
const char *count_explain(int err, bool record)
{
	if (err == -EMFILE)
		return text_tmp("%s: the limit is ulimit -n", strerror(-err));
	if (err != -EACCES && err != -EPERM)
		return strerror(-err);
	if (may_count(record))
		return text_tmp("%s although the rights are there: %s", strerror(-err),
			       "a container or a security module forbids it");
	return text_tmp("no right to count: %s; do: %s", rights_text(record), rights_help());
}
