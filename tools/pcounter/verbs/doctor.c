// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter doctor: everything that stands between a user and a count.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gpu/cards.h"
#include "gpu/count.h"
#include "gpu/gpu.h"
#include "gpu/rights.h"
#include "lib/tool.h"
#include "verbs/verbs.h"

#define TRIAL_MS	50
#define PCI_COMMAND	4
#define PCI_MASTER	0x4
#define OLDEST_MAJOR	6
#define OLDEST_MINOR	1

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "one JSON array of all findings" },
	{ 'd', "device", "GPU", "only this one: PCI address or name of the PMU" },
	{ }
};

enum finding { GOOD, NOTE, BAD };

/**
 * struct doctor - the findings so far
 * @json: array of them, NULL to print
 * @bad: how many prevent counting
 * @colour: findings may be coloured
 */
struct doctor {
	json_t *json;
	unsigned int bad;
	bool colour;
};

/* @help: a command that would help, or NULL */
__printf(5, 6)
static void say(struct doctor *doc, enum finding finding, const char *subject,
		const char *help, const char *fmt, ...)
{
	static const char *const words[] = { "ok", "note", "FAIL" };
	static const char *const colour[] = { "\033[32m", "\033[33m", "\033[31m" };
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	doc->bad += finding == BAD;
	if (doc->json) {
		json_array_append_new(doc->json,
				      json_pack("{s:s, s:s, s:s, s:s?}", "subject", subject,
						"finding", words[finding], "text", text,
						"help", help));
		return;
	}
	printf("%s%-4s%s  %-13s %s%s%s\n", doc->colour ? colour[finding] : "", words[finding],
	       doc->colour ? "\033[0m" : "", subject, text, help ? "; do: " : "",
	       help ? help : "");
}

/* Is a line in the configuration of the running kernel? -1: nobody knows. */
static int config_has(const char *release, const char *line)
{
	char path[128], text[256];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/boot/config-%.80s", release);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (!found && fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = 0;
		found = !strcmp(text, line);
	}
	fclose(f);
	return found;
}

static void check_kernel(struct doctor *doc)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	uname(&name);
	if (sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	    (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR)))
		say(doc, NOTE, "kernel", NULL, "%s is older than any that was tried (%u.%u)",
		    name.release, OLDEST_MAJOR, OLDEST_MINOR);
	else
		say(doc, GOOD, "kernel", NULL, "%s", name.release);
	if (file_exists("/proc/sys/kernel/perf_event_paranoid"))
		say(doc, GOOD, "perf events", NULL, "in this kernel");
	else
		say(doc, BAD, "perf events", NULL, "missing: this kernel lacks CONFIG_PERF_EVENTS");
	if (!config_has(name.release, "CONFIG_MODULES=y"))
		say(doc, BAD, "modules", NULL, "this kernel loads none (CONFIG_MODULES)");
	if (config_has(name.release, "CONFIG_MODULE_SIG_FORCE=y") == 1)
		say(doc, NOTE, "modules", NULL, "this kernel takes signed modules only");
}

static void check_lockdown(struct doctor *doc)
{
	bool loaded = file_exists("/sys/module/pcounter");
	char text[128];

	if (!file_read(text, sizeof(text), "/sys/kernel/security/lockdown") ||
	    strstr(text, "[none]"))
		say(doc, GOOD, "lockdown", NULL, "none");
	else
		say(doc, loaded ? NOTE : BAD, "lockdown",
		    loaded ? NULL : "sign the module, or switch secure boot off",
		    "%s: only signed modules can be loaded", text);
}

static void check_module(struct doctor *doc)
{
	char version[64];

	if (!file_exists("/sys/module/pcounter")) {
		say(doc, BAD, "module", "sudo modprobe pcounter", "pcounter is not loaded");
		return;
	}
	file_read(version, sizeof(version), "/sys/module/pcounter/version");
	say(doc, GOOD, "module", NULL, "pcounter %s is loaded", version);
	if (*version && strcmp(version, PCOUNTER_VERSION))
		say(doc, NOTE, "module", NULL, "its version is not that of this program, %s",
		    PCOUNTER_VERSION);
}

static void check_rights(struct doctor *doc)
{
	char text[WHY_TEXT], help[WHY_TEXT + 256];

	if (may_count()) {
		rights_granted(text, sizeof(text));
		say(doc, GOOD, "permission", NULL, "granted: %s", text);
		if (perf_lacks_rights(help, sizeof(help)))
			say(doc, NOTE, "permission", help, "perf itself has none");
		return;
	}
	rights_missing(false, text, sizeof(text));
	rights_help(false, help, sizeof(help));
	say(doc, BAD, "permission", help, "none: %s", text);
}

/* Reading configuration space wakes a GPU: only of one that is awake. */
static void check_master(struct doctor *doc, const struct gpu *gpu)
{
	unsigned char command = 0;
	char path[128];
	int fd;

	if (!gpu->pci)
		return;
	snprintf(path, sizeof(path), PCI_DEVICES "/%s/config", gpu->address);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (pread(fd, &command, 1, PCI_COMMAND) == 1 && !(command & PCI_MASTER))
		say(doc, NOTE, gpu->address, NULL,
		    "bus mastering is off; record mode switches it on for as long as it is open");
	close(fd);
}

/* Why a domain has stopped is told by debugfs, to root. */
static void check_status(struct doctor *doc, const struct gpu *gpu)
{
	char text[8192], *line, *rest = text;

	if (!file_read(text, sizeof(text), "/sys/kernel/debug/pcounter/%s/status",
		       gpu->pmu->name))
		return;
	while ((line = strsep(&rest, "\n"))) {
		unsigned int open;
		char *colon = strstr(line, "): ");

		if (!colon || sscanf(colon, "): %u open", &open) != 1 || !open)
			continue;
		say(doc, NOTE, gpu->address, NULL, "others use it: %s", line);
	}
}

/* The proof: count the cycles of every domain for a moment. */
static void check_trial(struct doctor *doc, const struct gpu *gpu)
{
	double hz[PCOUNTER_MAX_DOMAINS];
	unsigned int nr = gpu->pmu->topo.nr, i, known, still = 0;
	char why[WHY_TEXT * 4];
	int err;

	known = measure_clocks(gpu->pmu, TRIAL_MS, hz, &err);
	for (i = 0; i < nr; i++)
		still += !hz[i];
	if (err) {
		count_explain(err, false, why, sizeof(why));
		say(doc, BAD, gpu->address, NULL, "%u of %u domains are refused: %s", nr - known,
		    nr, why);
	} else if (known < nr) {
		say(doc, BAD, gpu->address, NULL,
		    "%u of %u domains had no turn in %u ms: others use it, or they have stopped%s",
		    nr - known, nr, TRIAL_MS, "; sudo dmesg | grep pcounter tells which");
	} else {
		say(doc, GOOD, gpu->address, NULL, "%s counts: %u domains%s", gpu->pmu->name,
		    known, still ? ", some of whose clocks stand still" : "");
	}
}

/* Drivers that use the counters themselves. */
static void check_driver(struct doctor *doc, const struct gpu *gpu)
{
	if (!strcmp(gpu->driver, "nvidia"))
		say(doc, NOTE, gpu->address, NULL,
		    "the nvidia driver may use PCOUNTER itself: counts stop when it does");
	else if (gpu->pci)
		say(doc, GOOD, gpu->address, NULL, "driver: %s",
		    *gpu->driver ? gpu->driver : "none");
}

/* A chip of which little is known is driven because the module was told to. */
static void check_known(struct doctor *doc, const struct gpu *gpu)
{
	const struct pcounter_chip *chip = gpu->pmu->topo.chip;

	if (chip && chip->presence == PCOUNTER_UNVERIFIED)
		say(doc, NOTE, gpu->address, NULL,
		    "%s is not known well: counts are as good as that, try them first on what is known",
		    chip->name);
}

static void check_gpu(struct doctor *doc, const struct gpu *gpu)
{
	char why[WHY_TEXT], help[128], card[CARD_NAME];

	if (gpu->pci && card_name(gpu->vendor, gpu->device, card, sizeof(card)))
		say(doc, GOOD, gpu->address, NULL, "%s%s%s", card, gpu->pmu ? ", chip " : "",
		    gpu->pmu ? gpu->pmu->chip_name : "");
	if (!gpu->pmu) {
		gpu_why_not(gpu, why, sizeof(why));
		say(doc, BAD, gpu->address, NULL, "no PMU: %s", why);
		return;
	}
	check_driver(doc, gpu);
	check_known(doc, gpu);
	if (gpu_asleep(gpu)) {
		snprintf(help, sizeof(help),
			 "echo on | sudo tee " PCI_DEVICES "/%s/power/control", gpu->address);
		say(doc, BAD, gpu->address, help,
		    "asleep: nothing counts until something uses it");
		return;
	}
	check_master(doc, gpu);
	check_status(doc, gpu);
	if (may_count())
		check_trial(doc, gpu);
}

static void check_gpus(struct doctor *doc, const char *wish)
{
	struct gpus gpus;
	unsigned int i, n = 0;

	gpus_find(&gpus);
	for (i = 0; i < gpus.nr; i++) {
		const struct gpu *gpu = &gpus.gpu[i];

		if (!gpu_chosen(gpu, wish) || (!wish && !gpu->pmu && gpu->vendor != VENDOR_NVIDIA))
			continue;
		check_gpu(doc, gpu);
		n++;
	}
	if (!n)
		say(doc, BAD, "GPU", NULL, "there is no %s", wish ? wish : "NVIDIA GPU");
	gpus_free(&gpus);
}

static int run_doctor(const struct verb *verb, int argc, char **argv)
{
	struct doctor doc = { .colour = colours(stdout) };
	const char *wish = NULL;
	bool json = false;
	int c;

	while ((c = verb_getopt(verb, argc, argv)) != -1) {
		if (c == 'j')
			json = true;
		else
			wish = optarg;
	}
	if (optind < argc) {
		verb_usage(verb, stderr);
		return STATUS_USAGE;
	}
	if (json)
		doc.json = json_array();
	check_kernel(&doc);
	check_lockdown(&doc);
	check_module(&doc);
	check_rights(&doc);
	check_gpus(&doc, wish);
	if (json) {
		json_dumpf(doc.json, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
	} else {
		printf("%s\n", doc.bad ? "Counting will not work." : "Counting will work.");
	}
	json_decref(doc.json);
	return doc.bad ? STATUS_NO : STATUS_OK;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "check everything between you and a count",
	.text =
		"Checks kernel, lockdown, module, permission, and every NVIDIA GPU: asleep,\n"
		"used by others, bus mastering. At the end it counts the cycles of all\n"
		"domains for a moment. Each finding is a line; where a command would help it\n"
		"is named.\n"
		"\n"
		"The exit status is 0 if counting will work, else 1. A sleeping GPU is left\n"
		"asleep.\n",
	.options = options,
	.example = "pcounter doctor",
	.run = run_doctor,
};
