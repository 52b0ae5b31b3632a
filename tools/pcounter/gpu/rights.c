// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may count. kernel.perf_event_paranoid has levels from -1 to 2; above 2 the
 * kernels of Debian and its children refuse every event to all but CAP_SYS_ADMIN,
 * while the mainline kernel takes 3 for 2. Which of both it is, a trial tells.
 */
#include <endian.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "gpu/count.h"
#include "gpu/open.h"
#include "lib/tool.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define PARANOID	"kernel.perf_event_paranoid"
#define LEVEL_UNKNOWN	2	/* as the kernel begins */
#define LEVEL_COUNT	0	/* up to here all may count system-wide */
#define LEVEL_ALL	2	/* above, Debian's kernels refuse all events */

/**
 * struct rights - the rights of this process, and the kernel's rules
 * @level: kernel.perf_event_paranoid
 * @known: that could be read
 * @admin: CAP_SYS_ADMIN
 * @perfmon: CAP_PERFMON, or the other, which includes it
 * @inherited: a program that this one starts has the capability, too
 * @closed: the kernel refuses every event
 */
struct rights {
	long level;
	bool known;
	bool admin;
	bool perfmon;
	bool inherited;
	bool closed;
};

/* An event that any level of the mainline kernel grants: of this process, in user space. */
static bool refuses_all(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	int fd = perf_open(&attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd == -EACCES;
}

/* The effective capabilities of this process; the kernel says, /proc may be absent. */
static unsigned long long effective_caps(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	syscall(SYS_capget, &head, data);
	return data[0].effective | (unsigned long long)data[1].effective << 32;
}

static struct rights find_rights(void)
{
	struct rights rights = { .level = LEVEL_UNKNOWN };
	unsigned long long caps = effective_caps();
	char text[64];

	if (file_read(text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid") && *text) {
		rights.level = strtol(text, NULL, 10);
		rights.known = true;
	}
	rights.admin = caps & 1ULL << CAP_SYS_ADMIN;
	rights.perfmon = rights.admin || caps & 1ULL << CAP_PERFMON;
	/* programs that root starts have root's capabilities */
	rights.inherited = !geteuid() ||
			   prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_PERFMON, 0, 0) > 0;
	rights.closed = rights.level > LEVEL_ALL && !rights.admin && refuses_all();
	return rights;
}

/**
 * may_count() - has this process the right to count?
 * @record: in record mode
 *
 * Return: true if the kernel's own rules for system-wide events allow it. In record
 * mode the GPU writes to memory, which takes CAP_PERFMON.
 */
bool may_count(bool record)
{
	struct rights rights = find_rights();

	return (rights.perfmon || (!record && rights.level <= LEVEL_COUNT)) && !rights.closed;
}

/* As setcap has made it. */
static bool has_perfmon(const char *file)
{
	struct vfs_ns_cap_data caps = {};

	return getxattr(file, "security.capability", &caps, sizeof(caps)) > 0 &&
	       le32toh(caps.data[CAP_PERFMON / 32].permitted) & 1U << CAP_PERFMON % 32;
}

/**
 * rights_help_perf() - a command that gives perf the right to count
 *
 * Return: the command; NULL if perf has the right, or this program has it by
 * other means than setcap.
 */
const char *rights_help_perf(void)
{
	struct rights rights = find_rights();
	char perf[256];

	if (rights.level <= LEVEL_COUNT || rights.inherited ||
	    !find_program("perf", perf, sizeof(perf)) || has_perfmon(perf))
		return NULL;
	return text_tmp("sudo setcap cap_perfmon+ep %s", perf);
}

/**
 * rights_text() - why this process may count, or may not
 * @record: in record mode
 *
 * Return: the words, for immediate use.
 */
const char *rights_text(bool record)
{
	struct rights rights = find_rights();
	const char *level = rights.known ? text_tmp("%ld", rights.level) : "unknown";

	if (may_count(record))
		return text_tmp(PARANOID " is %s%s", level,
			       rights.admin ? " and this process has CAP_SYS_ADMIN" :
			       rights.perfmon ? " and this process has CAP_PERFMON" :
			       "; record mode needs CAP_PERFMON, too");
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
 * rights_help() - a command that gives this process the right
 *
 * Return: the command, for immediate use.
 */
const char *rights_help(void)
{
	struct rights rights = find_rights();
	char exe[256] = "pcounter";
	ssize_t got = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (got > 0)
		exe[got] = 0;
	else
		find_program("pcounter", exe, sizeof(exe));
	return text_tmp("%s%s%s", rights.closed ? "sudo sysctl " PARANOID "=2" : "",
		       rights.closed && !rights.perfmon ? " && " : "",
		       rights.perfmon ? "" : text_tmp("sudo setcap cap_perfmon+ep %s", exe));
}
