// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter doctor: everything that stands between a user and a count.
 *
 * Facts about the machine, or about one GPU, are collected first. A table of causes
 * says what follows from them: of the causes of a subject the first that is true is
 * the finding. The command of a cause removes it.
 */
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "gpu/cards.h"
#include "gpu/count.h"
#include "gpu/gpu.h"
#include "gpu/rights.h"
#include "lib/tool.h"
#include "verbs/verbs.h"

#define TRIAL_MS	50
#define OLDEST_MAJOR	6
#define OLDEST_MINOR	1
#define DKMS_KEY	"/var/lib/dkms/mok.pub"
#define SWITCHEROO	"/sys/kernel/debug/vgaswitcheroo/switch"
#define RELOAD		"sudo modprobe -r pcounter && sudo modprobe pcounter "
/* modinfo is where users have no way to */
#define MODINFO		"PATH=$PATH:/usr/sbin:/sbin modinfo -F signer pcounter 2>/dev/null"

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "one JSON array of all findings" },
	{ 'd', "device", "GPU", "only this one: PCI address or name of the PMU" },
	{ }
};

enum finding { GOOD, NOTE, BAD };

/* Facts, and the texts that belong to them. A table of causes points at them. */
static struct {
	json_t *json;
	bool colour;

	/* the machine */
	bool no_sys, no_proc, is_old, no_perf;
	bool loaded, same_version, loads_none, modules_disabled, realtime;
	bool built, is_unsigned, is_refused, has_key, takes_it, debugfs_closed;
	bool no_headers, has_package, has_dkms;
	bool may_not, perf_may_not;
	unsigned int bad;
	char release[80], version[64], lockdown[64], mokutil[48];
	char rights[WHY_TEXT], rights_help[WHY_TEXT + 256], perf_help[WHY_TEXT + 256];

	/* the GPU that is looked at */
	bool has_name, is_nvidia, has_driver, is_uncertain, in_use;
	bool suspended, off_by_switcheroo, asleep, lent, unverified, stranger, no_pmu;
	bool untried, all_fail, all_still, some_fail;
	char address[64], card[CARD_NAME + 32], chip[16], driver[32], unbind[200];
	char log[WHY_TEXT], users[256];
	char fails[WHY_TEXT * 3], counts[500];
} doc;

/**
 * struct cause - something that may be so
 * @subject: what it is about; NULL: the same as the cause before it, which is not so
 * @finding: what that means
 * @is: is it so? NULL: it is
 * @text: what to say, NULL: nothing
 * @arg: the "%s" of that
 * @help: a command that removes the cause
 * @help_arg: the "%s" of that
 */
struct cause {
	const char *subject;
	enum finding finding;
	const bool *is;
	const char *text;
	const char *arg;
	const char *help;
	const char *help_arg;
};

#define THE_GPU		""	/* the subject is its address */
#define NOT_BUILT	"pcounter is not loaded, nor built for this kernel"

static const struct cause machine[] = {
	{ "kernel", NOTE, &doc.is_old, .text = "%s is older than any that was tried",
	  .arg = doc.release },
	{ NULL, GOOD, NULL, .text = "%s", .arg = doc.release },
	{ "/sys", BAD, &doc.no_sys, .text = "nothing is mounted there",
	  .help = "sudo mount -t sysfs none /sys" },
	{ "/proc", NOTE, &doc.no_proc, .text = "nothing is mounted there",
	  .help = "sudo mount -t proc none /proc" },
	{ "perf events", BAD, &doc.no_perf,
	  .text = "missing: this kernel lacks CONFIG_PERF_EVENTS" },
	{ NULL, GOOD, NULL, .text = "in this kernel" },
	{ "lockdown", NOTE, &doc.debugfs_closed,
	  .text = "%s: pcounter selftest leaves out what writes to debugfs", .arg = doc.lockdown },
	{ NULL, GOOD, &doc.takes_it, .text = "none" },
	{ NULL, NOTE, &doc.has_key,
	  .text = "%s: only modules can be loaded whose key the firmware knows",
	  .arg = doc.lockdown,
	  .help = "%ssudo mokutil --import " DKMS_KEY, .help_arg = doc.mokutil },
	{ NULL, NOTE, NULL, .text = "%s: only signed modules can be loaded", .arg = doc.lockdown },
	{ "module", GOOD, &doc.same_version, .text = "pcounter " PCOUNTER_VERSION " is loaded" },
	{ NULL, NOTE, &doc.loaded,
	  .text = "pcounter %s is loaded, this program is of version " PCOUNTER_VERSION,
	  .arg = doc.version },
	{ NULL, BAD, &doc.loads_none,
	  .text = "pcounter is not loaded: this kernel loads none (CONFIG_MODULES)" },
	{ NULL, BAD, &doc.modules_disabled,
	  .text = "pcounter is not loaded: kernel.modules_disabled is 1 until the next boot" },
	{ NULL, BAD, &doc.is_refused,
	  .text = "pcounter is not loaded, nor signed, as this kernel demands" },
	{ NULL, BAD, &doc.built, .text = "pcounter is not loaded",
	  .help = "sudo modprobe pcounter" },
	{ NULL, BAD, &doc.realtime,
	  .text = NOT_BUILT ", which has PREEMPT_RT: it does not build for that" },
	{ NULL, BAD, &doc.has_package, .text = NOT_BUILT ", whose headers are missing",
	  .help = "sudo apt-get install linux-headers-%s", .help_arg = doc.release },
	{ NULL, BAD, &doc.no_headers, .text = NOT_BUILT ", whose headers are missing" },
	{ NULL, BAD, &doc.has_dkms, .text = NOT_BUILT ": DKMS has not done it",
	  .help = "sudo dkms autoinstall" },
	{ NULL, BAD, NULL, .text = NOT_BUILT ": build it from its sources" },
	{ "permission", BAD, &doc.may_not, .text = "none: %s", .arg = doc.rights,
	  .help = "%s", .help_arg = doc.rights_help },
	{ NULL, GOOD, NULL, .text = "granted: %s", .arg = doc.rights },
	{ "permission", NOTE, &doc.perf_may_not, .text = "perf itself has none",
	  .help = "%s", .help_arg = doc.perf_help },
	{ }
};

static const struct cause one_gpu[] = {
	{ THE_GPU, GOOD, &doc.has_name, .text = "%s", .arg = doc.card },
	{ THE_GPU, NOTE, &doc.is_nvidia,
	  .text = "the nvidia driver may use PCOUNTER itself: counts stop when it does" },
	{ NULL, GOOD, &doc.has_driver, .text = "driver: %s", .arg = doc.driver },
	{ THE_GPU, NOTE, &doc.is_uncertain,
	  .text = "%s is not known well: try counts first on something that is known",
	  .arg = doc.chip },
	{ THE_GPU, NOTE, &doc.in_use, .text = "others use it: %s", .arg = doc.users },
	{ THE_GPU, BAD, &doc.suspended, .text = "asleep: nothing counts until something uses it",
	  .help = "echo on | sudo tee " PCI_DEVICES "/%s/power/control", .help_arg = doc.address },
	{ NULL, BAD, &doc.off_by_switcheroo, .text = "asleep: switched off by vga_switcheroo",
	  .help = "echo ON | sudo tee " SWITCHEROO },
	{ NULL, BAD, &doc.asleep,
	  .text = "asleep: switched off, and not by runtime power management" },
	{ NULL, BAD, &doc.lent, .text = "no PMU: %s lends it to somebody else", .arg = doc.driver,
	  .help = "%s", .help_arg = doc.unbind },
	{ NULL, BAD, &doc.unverified, .text = "no PMU: %s", .arg = doc.log,
	  .help = RELOAD "unverified=1" },
	{ NULL, BAD, &doc.stranger, .text = "no PMU: %s", .arg = doc.log,
	  .help = RELOAD "owner=%s", .help_arg = doc.driver },
	{ NULL, BAD, &doc.no_pmu, .text = "no PMU: %s", .arg = doc.log },
	{ NULL, GOOD, .is = &doc.untried },
	{ NULL, BAD, &doc.all_fail, .text = "%s", .arg = doc.fails },
	{ NULL, BAD, &doc.all_still, .text = "%s", .arg = doc.counts },
	{ NULL, NOTE, &doc.some_fail, .text = "%s", .arg = doc.fails },
	{ NULL, GOOD, NULL, .text = "%s", .arg = doc.counts },
	{ }
};

/* @help: a command that would help, or NULL */
static void say(enum finding finding, const char *subject, const char *text, const char *help)
{
	static const char *const words[] = { "ok", "note", "FAIL" };
	static const char *const colour[] = { "\033[32m", "\033[33m", "\033[31m" };

	if (doc.json) {
		json_array_append_new(doc.json,
				      json_pack("{s:s, s:s, s:s, s:s?}", "subject", subject,
						"finding", words[finding], "text", text,
						"help", help));
		return;
	}
	printf("%s%-4s%s  %-13s %s%s%s\n", doc.colour ? colour[finding] : "", words[finding],
	       doc.colour ? "\033[0m" : "", subject, text, help ? "; do: " : "",
	       help ? help : "");
}

/* Returns how many prevent counting. */
static unsigned int find_causes(const struct cause *cause)
{
	const char *subject = NULL;
	char text[700], help[700];
	unsigned int bad = 0;
	bool found = false;

	for (; cause->subject || cause->is || cause->text; cause++) {
		if (cause->subject)
			found = false;
		if (cause->subject)
			subject = *cause->subject ? cause->subject : doc.address;
		if (found || (cause->is && !*cause->is))
			continue;
		found = true;
		bad += cause->finding == BAD;
		snprintf(text, sizeof(text), cause->text ?: "", cause->arg);
		snprintf(help, sizeof(help), cause->help ?: "", cause->help_arg);
		if (cause->text)
			say(cause->finding, subject, text, *help ? help : NULL);
	}
	return bad;
}

/* ---- the machine ---- */

static bool file_says(const char *path, const char *what)
{
	char text[64];

	return file_read(text, sizeof(text), "%s", path) && !strcmp(text, what);
}

/* Does the kernel take signed modules only? Lockdown closes files of debugfs, too. */
static void ask_lockdown(void)
{
	char text[64], *level;
	bool locked;

	if (file_says("/sys/module/module/parameters/sig_enforce", "Y"))
		snprintf(doc.lockdown, sizeof(doc.lockdown), "module.sig_enforce is set");
	file_read(text, sizeof(text), "/sys/kernel/security/lockdown");
	level = strchr(text, '[');
	locked = level && strncmp(level, "[none]", strlen("[none]"));
	if (locked)
		snprintf(doc.lockdown, sizeof(doc.lockdown), "%.*s",
			 (int)strcspn(level + 1, "]"), level + 1);
	doc.debugfs_closed = locked && doc.loaded;
	doc.takes_it = doc.loaded || !*doc.lockdown;
	doc.is_refused = doc.is_unsigned && !doc.takes_it;
	doc.has_key = doc.built && !doc.is_unsigned && file_exists(DKMS_KEY);
	if (!can_run("mokutil"))
		snprintf(doc.mokutil, sizeof(doc.mokutil), "sudo apt-get install mokutil && ");
}

/* Is the module there for this kernel, and who has signed it? */
static void ask_modinfo(void)
{
	char signer[128] = "\n";
	FILE *f = popen(MODINFO, "re");

	if (f)
		fgets(signer, sizeof(signer), f);
	doc.built = f && !pclose(f);
	doc.is_unsigned = doc.built && *signer == '\n';
}

static void ask_module(const struct utsname *name)
{
	doc.loaded = file_exists("/sys/module/pcounter");
	file_read(doc.version, sizeof(doc.version), "/sys/module/pcounter/version");
	doc.same_version = doc.loaded && (!*doc.version || !strcmp(doc.version, PCOUNTER_VERSION));
	doc.loads_none = !doc.no_proc && !file_exists("/proc/modules");
	doc.modules_disabled = file_says("/proc/sys/kernel/modules_disabled", "1");
	if (!doc.loaded)
		ask_modinfo();
	doc.no_headers = !file_exists("/lib/modules/%s/build/Makefile", name->release);
	/* a kernel that is a package of Debian has a package of its headers beside it */
	doc.has_package = doc.no_headers && strstr(name->version, "Debian");
	doc.has_dkms = file_exists("/var/lib/dkms/pcounter");
}

static void ask_machine(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	uname(&name);
	snprintf(doc.release, sizeof(doc.release), "%s", name.release);
	doc.is_old = sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
		     (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR));
	doc.realtime = strstr(name.version, "PREEMPT_RT");
	doc.no_sys = !file_exists("/sys/bus");
	doc.no_proc = !file_exists("/proc/sys/kernel");
	doc.no_perf = !doc.no_sys && !file_exists("/sys/bus/event_source/devices/software");
	ask_module(&name);
	ask_lockdown();
	doc.may_not = !may_count();
	if (doc.may_not) {
		rights_missing(false, doc.rights, sizeof(doc.rights));
		rights_help(false, doc.rights_help, sizeof(doc.rights_help));
	} else {
		rights_granted(doc.rights, sizeof(doc.rights));
		doc.perf_may_not = perf_lacks_rights(doc.perf_help, sizeof(doc.perf_help));
	}
}

/* ---- a GPU ---- */

/* vga_switcheroo tells root. A line is "1:DIS: :Off:0000:01:00.0". */
static void ask_power(const struct gpu *gpu)
{
	char control[16], status[32], switches[1024], off[80];

	snprintf(off, sizeof(off), "Off:%s", gpu->address);
	file_read(control, sizeof(control), PCI_DEVICES "/%s/power/control", gpu->address);
	file_read(status, sizeof(status), PCI_DEVICES "/%s/power/runtime_status", gpu->address);
	file_read(switches, sizeof(switches), SWITCHEROO);
	doc.asleep = gpu_asleep(gpu);
	doc.suspended = doc.asleep && !strcmp(control, "auto") &&
			!strncmp(status, "suspend", strlen("suspend"));
	doc.off_by_switcheroo = doc.asleep && strstr(switches, off);
}

static void ask_pmu(const struct gpu *gpu)
{
	bool told;

	doc.no_pmu = !gpu->pmu;
	doc.in_use = gpu->pmu && gpu_users(gpu, doc.users, sizeof(doc.users));
	told = doc.no_pmu && gpu_log(gpu, doc.log, sizeof(doc.log));
	doc.unverified = told && strstr(doc.log, "unverified=1");
	doc.stranger = told && strstr(doc.log, "owner=");
	/* as kernels name those that lend a GPU to a program or another system */
	doc.lent = doc.no_pmu && (strstr(gpu->driver, "vfio") || !strcmp(gpu->driver, "pci-stub"));
	snprintf(doc.unbind, sizeof(doc.unbind),
		 "echo %s | sudo tee " PCI_DEVICES "/%s/driver/unbind", gpu->address, gpu->address);
	if (doc.no_pmu)
		gpu_why_not(gpu, doc.log, sizeof(doc.log));
}

static void ask_names(const struct gpu *gpu)
{
	const struct pcounter_chip *chip = gpu->pmu ? gpu->pmu->topo.chip : NULL;
	char name[CARD_NAME];

	snprintf(doc.chip, sizeof(doc.chip), "%s", gpu->pmu ? gpu->pmu->chip_name : "");
	doc.is_uncertain = chip && chip->presence == PCOUNTER_UNVERIFIED;
	doc.has_name = gpu->pci && card_name(gpu->vendor, gpu->device, name, sizeof(name));
	if (doc.has_name)
		snprintf(doc.card, sizeof(doc.card), "%s%s%s", name, gpu->pmu ? ", chip " : "",
			 doc.chip);
	snprintf(doc.driver, sizeof(doc.driver), "%s", *gpu->driver ? gpu->driver : "none");
	doc.is_nvidia = gpu->pmu && !strcmp(gpu->driver, "nvidia");
	doc.has_driver = gpu->pmu && gpu->pci;
}

static void tell_counts(const struct pmu *pmu, const double *hz, unsigned int still)
{
	char name[PCOUNTER_DOM_NAME];
	unsigned int i;
	size_t at;

	at = snprintf(doc.counts, sizeof(doc.counts), "%s counts: %u domains%s", pmu->name,
		      pmu->topo.nr, still ? "; these clocks stand still: " : "");
	for (i = 0; i < pmu->topo.nr && at < sizeof(doc.counts); i++)
		if (!hz[i])
			at += snprintf(doc.counts + at, sizeof(doc.counts) - at, "%s%s",
				       pcounter_dom_name(&pmu->topo, i, name, sizeof(name)),
				       --still ? ", " : "");
}

/* The proof: count the cycles of every domain for a moment. */
static void try_to_count(const struct gpu *gpu)
{
	char why[WHY_TEXT * 2] = "others use it, or they have stopped, as the kernel's log says";
	unsigned int nr = gpu->pmu->topo.nr, known, still = 0, i;
	double hz[PCOUNTER_MAX_DOMAINS];
	int err;

	known = measure_clocks(gpu->pmu, TRIAL_MS, hz, &err);
	for (i = 0; i < nr; i++)
		still += !hz[i];
	if (err)
		count_explain(err, false, why, sizeof(why));
	snprintf(doc.fails, sizeof(doc.fails), "%u of %u domains %s in %u ms: %s", nr - known, nr,
		 err ? "were refused" : "had no turn", TRIAL_MS, why);
	doc.all_fail = !known;
	doc.some_fail = known < nr;
	doc.all_still = still == known;
	if (doc.all_still)
		snprintf(doc.counts, sizeof(doc.counts), "all %u clocks stand still%s", still,
			 *gpu->driver ? "" : ": no graphics driver has started them");
	else
		tell_counts(gpu->pmu, hz, still);
}

/* Returns true if counting works on it. */
static bool check_gpu(const struct gpu *gpu)
{
	snprintf(doc.address, sizeof(doc.address), "%s", gpu->address);
	ask_names(gpu);
	ask_power(gpu);
	ask_pmu(gpu);
	doc.untried = doc.bad || !gpu->pmu || doc.asleep;
	if (!doc.untried)
		try_to_count(gpu);
	return !find_causes(one_gpu) && !doc.bad;
}

/* The last line, or one for each of several GPUs. */
static void tell_verdict(const struct gpu *gpu, bool works, bool several)
{
	if (doc.json && gpu)
		say(works ? GOOD : BAD, gpu->address,
		    works ? "counting will work" : "counting will not work", NULL);
	else if (!doc.json)
		printf("Counting will %swork%s%s.\n", works ? "" : "not ", several ? " on " : "",
		       !several ? "" : works ? gpu->pmu->name : gpu->address);
}

static bool is_meant(const struct gpu *gpu, const char *wish)
{
	return gpu_chosen(gpu, wish) && (wish || gpu->pmu || gpu->vendor == VENDOR_NVIDIA);
}

/* Returns on how many GPUs counting works. */
static unsigned int check_gpus(const char *wish)
{
	unsigned int i, n = 0, good = 0;
	struct gpus gpus;
	bool *works;

	gpus_find(&gpus);
	works = calloc(gpus.nr + 1, sizeof(*works));
	for (i = 0; works && i < gpus.nr; i++) {
		if (!is_meant(&gpus.gpu[i], wish))
			continue;
		works[n] = check_gpu(&gpus.gpu[i]);
		good += works[n];
		/* those that were looked at come first */
		gpus.gpu[n++] = gpus.gpu[i];
	}
	if (!n)
		say(BAD, "GPU", wish ? "there is none of this address or name" :
			 "there is no NVIDIA GPU", NULL);
	for (i = 0; i < n && n > 1; i++)
		tell_verdict(&gpus.gpu[i], works[i], true);
	if (n < 2)
		tell_verdict(n ? gpus.gpu : NULL, good, false);
	free(works);
	gpus_free(&gpus);
	return good;
}

static int run_doctor(const struct verb *verb, int argc, char **argv)
{
	const char *wish = NULL;
	unsigned int good;
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
	doc.colour = colours(stdout);
	ask_machine();
	doc.bad = find_causes(machine);
	good = check_gpus(wish);
	if (json) {
		json_dumpf(doc.json, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
	}
	json_decref(doc.json);
	return good ? STATUS_OK : STATUS_NO;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "check everything between you and a count",
	.text =
		"Checks kernel, lockdown, module, permission, and every NVIDIA GPU: asleep,\n"
		"lent to somebody else, used by others. At the end it counts the cycles of all\n"
		"domains for a moment. Each finding is a line; where a command would help it\n"
		"is named. The last line says whether counting will work; where there are\n"
		"several GPUs, each has such a line.\n"
		"\n"
		"The exit status is 0 if counting will work on a GPU, else 1; --device asks\n"
		"about one. A sleeping GPU is left asleep, and none is kept awake.\n",
	.options = options,
	.example = "pcounter doctor",
	.run = run_doctor,
};
