// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of a fake machine: files below /sys and other system folders are below
 * FAKE_ROOT, and the driver's part is made from its own tables.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fake.h"
#include "wrap.h"
#include "gpu/pmu.h"

#define DEVICE	"/sys/bus/pci/devices/0000:01:00.0"
#define PMU	"/sys/bus/event_source/devices/pcounter_0"
#define IDLE	"/sys/bus/event_source/devices/pcounter_idle_0"
#define MADE	"/usr/share/made"	/* the tree exists, perhaps changed by a test */

static const char *place(const char *path)
{
	static const char *const ours[] = { "/sys/", "/proc/", "/dev/kmsg", "/lib/modules/",
					    "/usr/share/", "/var/lib/", "/sbin/" };
	static char there[2][1024];
	static unsigned int turn;
	unsigned int i;

	/* the program itself is real */
	if (!strcmp(path, "/proc/self/exe"))
		return path;
	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		if (strncmp(path, ours[i], strlen(ours[i])))
			continue;
		turn ^= 1;
		snprintf(there[turn], sizeof(there[turn]), "%s%s", getenv("FAKE_ROOT"), path);
		return there[turn];
	}
	return path;
}

int __wrap_open(const char *path, int flags, ...)
{
	unsigned int mode;
	va_list ap;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, unsigned int) : 0;
	va_end(ap);
	return __real_open(place(path), flags, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return __real_fopen(place(path), mode);
}

int __wrap_access(const char *path, int mode)
{
	return __real_access(place(path), mode);
}

DIR *__wrap_opendir(const char *path)
{
	return __real_opendir(place(path));
}

int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **))
{
	return __real_scandir(place(path), list, filter, compare);
}

ssize_t __wrap_readlink(const char *path, char *buf, size_t len)
{
	return __real_readlink(place(path), buf, len);
}

/* ---- the tree ---- */

__attribute((format(printf, 2, 3)))
static void put(const char *text, const char *fmt, ...)
{
	char path[1024], *slash;
	size_t at;
	va_list ap;
	FILE *f;

	at = snprintf(path, sizeof(path), "%s", getenv("FAKE_ROOT"));
	va_start(ap, fmt);
	vsnprintf(path + at, sizeof(path) - at, fmt, ap);
	va_end(ap);
	mkdir(getenv("FAKE_ROOT"), 0777);
	for (slash = strchr(path + at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
	f = __real_fopen(path, "we");
	if (!f) {
		perror(path);
		exit(99);
	}
	fprintf(f, "%s\n", text);
	fclose(f);
}

/* From GF100 on these names show the GPCs and partitions of the GPU. */
static void put_cycles(const struct pmu *pmu)
{
	static const char *const sets[] = { "hub", "gpc", "part" };
	char text[64];
	unsigned int i;

	if (!(pmu->topo.caps & PCOUNTER_CAP_SETS))
		return;
	for (i = 0; i < pmu->topo.nr; i++) {
		const struct pcounter_dom_id *id = &pmu->topo.dom[i];

		snprintf(text, sizeof(text), "set=%u,unit=%u,dom=%u,clk", id->set, id->unit,
			 id->dom);
		put(text, PMU "/events/%s%u_dom%u_cycles", sets[id->set], id->unit, id->dom);
	}
}

/* Write the names of the driver; names that the program adds have a source. */
static void put_names(const struct pmu *pmu, const char *folder)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_names; i++)
		if (!*pmu->names[i].source)
			put(pmu->names[i].terms, "%s/events/%s", folder, pmu->names[i].name);
}

static void put_idle(const struct pmu *pmu)
{
	char text[64];

	if (!pmu)
		return;
	put("config:0-31", IDLE "/format/mask");
	put("config:32-33", IDLE "/format/when");
	put_names(pmu, IDLE);
	put("113", IDLE "/type");
	put("0", IDLE "/cpumask");
	snprintf(text, sizeof(text), "%lu", pmu->counters);
	put(text, IDLE "/caps/counters");
}

static void put_pmu(const struct pmu *pmu)
{
	char text[160], word[4], confidence[32768];
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < pmu->nr_terms; i++) {
		const struct pcounter_term_info *term = &pmu->term[i];

		if (!(pmu->has >> i & 1))
			continue;
		snprintf(word, sizeof(word), "%.0u", term->word);
		snprintf(text, sizeof(text), "config%s:%u-%u", word, term->lo, term->hi);
		put(text, PMU "/format/%s", term->name);
	}
	put_names(pmu, PMU);
	for (i = 0; i < pmu->nr_names; i++)
		at += snprintf(confidence + at, sizeof(confidence) - at, "%s %s\n",
			       pmu->names[i].name, pmu->names[i].confidence);
	put(confidence, PMU "/confidence");
	put_cycles(pmu);
	put("112", PMU "/type");
	put("0", PMU "/cpumask");
	snprintf(text, sizeof(text), "%lu", pmu->counters);
	put(text, PMU "/caps/counters");
	put(strrchr(DEVICE, '/') + 1, PMU "/caps/device");
	put(pmu->chip_name, PMU "/caps/chip");
	put("quad single record", PMU "/caps/modes");
	snprintf(text, sizeof(text), "0x%02x", pmu->topo.chip->chipset);
	put(text, PMU "/identifier");
}

/**
 * fake_pmu() - return the kernel's PMU
 *
 * Return: the PMU, without names added by the user.
 */
struct pmu *fake_pmu(void)
{
	char *config = strdup(getenv("XDG_CONFIG_HOME") ?: "");
	struct pmu *pmu;

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	pmu = pmu_offline(getenv("FAKE_CHIP") ?: "G84");
	setenv("XDG_CONFIG_HOME", config, 1);
	free(config);
	return pmu;
}

static void put_device(void)
{
	struct pmu *pmu = fake_pmu();

	put_pmu(pmu);
	put_idle(pmu->beside);
	pmu_free(pmu);
	put("0x030000", DEVICE "/class");
	put("0x10de", DEVICE "/vendor");
	put(getenv("FAKE_CARD") ?: "0x0400", DEVICE "/device");
	put("D0", DEVICE "/power_state");
	put(PCOUNTER_VERSION, "/sys/module/pcounter/version");
	put("[none] integrity", "/sys/kernel/security/lockdown");
	put("1", "/sys/bus/event_source/devices/software/type");
	put("", MADE);
}

/*
 * The script: "rt 1" is PREEMPT_RT, "old 1" an untested kernel, "debian 1" a kernel
 * package of Debian.
 */
int __wrap_uname(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	snprintf(name->release, sizeof(name->release), "%s",
		 fake_value("old", 0) ? "5.10.0-1-amd64" : "6.12.0-1-amd64");
	snprintf(name->version, sizeof(name->version), "#1 SMP %s%s",
		 fake_value("rt", 0) ? "PREEMPT_RT" : "PREEMPT_DYNAMIC",
		 fake_value("debian", 0) ? " Debian 6.12.1-1" : "");
	return 0;
}

int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const *argv, char *const *env)
{
	return __real_posix_spawn(pid, place(path), actions, attr, argv, env);
}

/* Modules are below FAKE_ROOT, too. */
struct kmod_ctx *__wrap_kmod_new(const char *folder, const char *const *config)
{
	struct utsname name;
	char path[100];

	__wrap_uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s", name.release);
	return __real_kmod_new(place(path), config);
}

/**
 * fake_tree() - write the kernel's files
 *
 * The script: "noproc 1" if nothing is mounted at /proc.
 */
void fake_tree(void)
{
	char text[64];

	/* most of it does not change between runs */
	if (__wrap_access(MADE, F_OK))
		put_device();
	if (!__wrap_access(DEVICE "/device", F_OK))
		put(fake_value("asleep", 0) ? "suspended" : "active",
		    DEVICE "/power/runtime_status");
	if (fake_value("noproc", 0))
		return;
	snprintf(text, sizeof(text), "%.0f", fake_value("paranoid", -1));
	put(text, "/proc/sys/kernel/perf_event_paranoid");
	put("", "/proc/modules");
}
