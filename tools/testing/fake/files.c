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
#include "lib/util.h"

#define PCI	"/sys/bus/pci/devices"
#define PMUS	"/sys/bus/event_source/devices"
#define NUMBERS	4	/* a test may give a GPU any of these */
#define TYPE	112	/* of the first PMU; that of its idle counters is one more */
#define MADE	"/usr/share/made"	/* the tree exists, perhaps changed by a test */

static const char *place(const char *path)
{
	static const char *const ours[] = { "/sys/", "/proc/", "/dev/kmsg", "/lib/modules/",
					    "/usr/share/", "/usr/src/", "/var/lib/", "/sbin/",
					    "/usr/bin/pcounter", "/etc/sysctl.d/",
					    "/dev/dri/" };
	static char there[2][1024];
	static unsigned int turn;
	unsigned int i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		if (strncmp(path, ours[i], strlen(ours[i])))
			continue;
		turn ^= 1;
		snprintf(there[turn], sizeof(there[turn]), "%s%s", getenv("FAKE_ROOT"), path);
		return there[turn];
	}
	return path;
}

/* The script: "uid 1" if the user is another one. */
uid_t __wrap_geteuid(void)
{
	return __real_geteuid() + fake_value("uid", 0);
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

/* The script: "denied 1" if the user may not open DRM nodes; root may open all. */
int __wrap_access(const char *path, int mode)
{
	if (!strncmp(path, "/dev/dri/", strlen("/dev/dri/")) && fake_value("denied", 0)) {
		errno = EACCES;
		return -1;
	}
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
	ssize_t got = __real_readlink(place(path), buf, len);

	/* the program itself is real unless a test has another idea */
	return got < 0 ? __real_readlink(path, buf, len) : got;
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
		put(text, PMUS "/%s/events/%s%u_dom%u_cycles", pmu->name, sets[id->set], id->unit,
		    id->dom);
	}
}

/* Write the names of the driver; a name that the program adds has another name as its source. */
static void put_names(const struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_names; i++)
		if (!event_named(pmu, pmu->names[i].source))
			put(pmu->names[i].terms, PMUS "/%s/events/%s", pmu->name,
			    pmu->names[i].name);
}

static void put_number(unsigned long value, const struct pmu *pmu, const char *file)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", value);
	put(text, PMUS "/%s/%s", pmu->name, file);
}

/* Write the files that PMUs of both kinds have. */
static void put_common(const struct pmu *pmu)
{
	put_names(pmu);
	put_number(pmu->type, pmu, "type");
	put_number(0, pmu, "cpumask");
	put_number(pmu->counters, pmu, "caps/counters");
}

static void put_idle(const struct pmu *pmu)
{
	put("config:0-31", PMUS "/%s/format/mask", pmu->name);
	put("config:32-33", PMUS "/%s/format/when", pmu->name);
	put_common(pmu);
}

static void put_pmu(const struct pmu *pmu)
{
	char text[160], word[4];
	unsigned int i;

	for (i = 0; i < pmu->nr_terms; i++) {
		const struct pcounter_term_info *term = &pmu->term[i];

		if (!(pmu->has >> i & 1))
			continue;
		snprintf(word, sizeof(word), "%.0u", term->word);
		snprintf(text, sizeof(text), "config%s:%u-%u", word, term->lo, term->hi);
		put(text, PMUS "/%s/format/%s", pmu->name, term->name);
	}
	put_common(pmu);
	put_cycles(pmu);
	put(pmu->device, PMUS "/%s/caps/device", pmu->name);
	put(pmu->chip_name, PMUS "/%s/caps/chip", pmu->name);
	put("quad single record", PMUS "/%s/caps/modes", pmu->name);
	snprintf(text, sizeof(text), "0x%02x", pmu->topo.chip->chipset);
	put(text, PMUS "/%s/identifier", pmu->name);
}

/* Return the chip of a GPU, NULL if the machine does not have that GPU. */
static const char *chip_of(unsigned int gpu)
{
	return gpu ? getenv("FAKE_SECOND") : getenv("FAKE_CHIP") ?: "G84";
}

/**
 * fake_pmu() - return the kernel's PMU of a GPU
 * @gpu: its index
 *
 * Return: the PMU, without names added by the user.
 */
struct pmu *fake_pmu(unsigned int gpu)
{
	char *config = strdup(getenv("XDG_CONFIG_HOME") ?: "");
	struct pmu *pmu;

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	pmu = pmu_offline(chip_of(gpu));
	setenv("XDG_CONFIG_HOME", config, 1);
	free(config);
	snprintf(pmu->name, sizeof(pmu->name), "pcounter_%u", gpu);
	snprintf(pmu->device, sizeof(pmu->device), "0000:%02x:00.0", gpu + 1);
	pmu->type = TYPE + 2 * gpu;
	if (pmu->beside) {
		snprintf(pmu->beside->name, sizeof(pmu->name), "pcounter_idle_%u", gpu);
		pmu->beside->type = pmu->type + 1;
	}
	return pmu;
}

static void put_gpu(unsigned int gpu)
{
	struct pmu *pmu = fake_pmu(gpu);

	put_pmu(pmu);
	if (pmu->beside)
		put_idle(pmu->beside);
	put("0x030000", PCI "/%s/class", pmu->device);
	put("0x10de", PCI "/%s/vendor", pmu->device);
	put(getenv("FAKE_CARD") ?: "0x0400", PCI "/%s/device", pmu->device);
	put("D0", PCI "/%s/power_state", pmu->device);
	pmu_free(pmu);
}

static void put_machine(void)
{
	unsigned int gpu;

	for (gpu = 0; gpu < FAKE_GPUS && chip_of(gpu); gpu++)
		put_gpu(gpu);
	put(PCOUNTER_VERSION, "/sys/module/pcounter/version");
	put("[none] integrity", "/sys/kernel/security/lockdown");
	put("1", "/sys/bus/event_source/devices/software/type");
	put("", MADE);
}

/* ---- PMUs, as a test may have changed them ---- */

static bool has_type(const char *name, uint32_t type)
{
	char path[128];
	unsigned long number;

	snprintf(path, sizeof(path), PMUS "/%s/type", name);
	return file_number(&number, path) && number == type;
}

/**
 * fake_type() - find the PMU and the GPU of an event by its type
 * @event: the event, with its type; gets them
 *
 * Return: false if no PMU of the driver has this type.
 */
bool fake_type(struct fake_event *event)
{
	const char *device;
	unsigned int i;

	for (i = 0; i < 2 * NUMBERS; i++) {
		snprintf(event->pmu, sizeof(event->pmu), "pcounter_%s%u", i % 2 ? "idle_" : "",
			 i / 2);
		if (!has_type(event->pmu, event->type))
			continue;
		device = file_text(text_tmp(PMUS "/pcounter_%u/caps/device", i / 2));
		if (*device)
			event->gpu = device[strlen("0000:0")] - '1';
		event->idle = i % 2;
		return true;
	}
	return false;
}

/**
 * fake_left() - check whether the GPU of an event has left
 * @event: the event
 *
 * A test moves the files of its PMU, or writes the file "left" if events keep the PMU.
 *
 * Return: true if the PMU counts no more.
 */
bool fake_left(const struct fake_event *event)
{
	char path[128];

	snprintf(path, sizeof(path), PMUS "/%s/left", event->pmu);
	return !has_type(event->pmu, event->type) || !__wrap_access(path, F_OK);
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

/* "asleep 1": the first GPU, "asleep2 1": the second one */
static void put_power(unsigned int gpu)
{
	char path[128];

	snprintf(path, sizeof(path), PCI "/0000:%02x:00.0/device", gpu + 1);
	if (!__wrap_access(path, F_OK))
		put(fake_value(gpu ? "asleep2" : "asleep", 0) ? "suspended" : "active",
		    PCI "/0000:%02x:00.0/power/runtime_status", gpu + 1);
}

/**
 * fake_tree() - write the kernel's files
 *
 * The script: "noproc 1" if nothing is mounted at /proc.
 */
void fake_tree(void)
{
	unsigned int gpu;
	char text[64];

	/* most of it does not change between runs */
	if (__wrap_access(MADE, F_OK))
		put_machine();
	for (gpu = 0; gpu < FAKE_GPUS && chip_of(gpu); gpu++)
		put_power(gpu);
	if (fake_value("noproc", 0))
		return;
	snprintf(text, sizeof(text), "%.0f", fake_value("paranoid", -1));
	put(text, "/proc/sys/kernel/perf_event_paranoid");
	put("", "/proc/modules");
}
