// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter doctor: find everything that prevents a user from counting. For each subject
 * the finding is the first cause that applies; its command removes the cause.
 */
#include <libkmod.h>
#include <stdarg.h>
#include <sys/utsname.h>

#include "gpu/count.h"
#include "gpu/gpu.h"
#include "cli/out.h"

#define TRIAL_MS	50
#define OLDEST_KERNEL	"6.1"
#define DKMS_KEY	"/var/lib/dkms/mok.pub"
#define SWITCHEROO	"/sys/kernel/debug/vgaswitcheroo/switch"
#define RELOAD		"sudo modprobe -r pcounter && sudo modprobe pcounter "
#define NOT_BUILT	"pcounter is not loaded, nor built for this kernel"

static json_t *list;
static const char *wish;

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "one JSON array of all findings", OPT_JSON(&list) },
	OPTION_DEVICE(&wish),
	{ }
};

enum finding { GOOD, NOTE, BAD };

static unsigned int bad;	/* findings that prevent counting on the machine, or on a GPU */

#define command(...)	text_tmp(__VA_ARGS__)	/* that removes a cause */

/* Report a finding. @help: a command that would help, or NULL */
__printf(4, 5)
static void say(enum finding finding, const char *subject, const char *help, const char *fmt, ...)
{
	static const char *const words[] = { "ok", "note", "FAIL" };
	static const char *const colour[] = { "\033[32m", "\033[33m", "\033[31m" };
	bool coloured = colours(stdout);
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	bad += finding == BAD;
	if (list)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s?}", "subject", subject,
						      "finding", words[finding], "text", text,
						      "help", help));
	else
		printf("%s%-4s%s  %-13s %s%s%s\n", coloured ? colour[finding] : "", words[finding],
		       coloured ? "\033[0m" : "", subject, text, help ? "; do: " : "", help ?: "");
}

/* ---- the machine ---- */

static bool file_says(const char *path, const char *what)
{
	return !strcmp(file_text(path), what);
}

static void check_kernel(const struct utsname *name)
{
	bool sys = file_exists("/sys/bus");

	if (strverscmp(name->release, OLDEST_KERNEL) < 0)
		say(NOTE, "kernel", NULL, "%s is older than any that was tried", name->release);
	else
		say(GOOD, "kernel", NULL, "%s", name->release);
	if (!sys)
		say(BAD, "/sys", command("sudo mount -t sysfs none /sys"),
		    "nothing is mounted there");
	if (!file_exists("/proc/sys/kernel"))
		say(NOTE, "/proc", command("sudo mount -t proc none /proc"),
		    "nothing is mounted there");
	if (sys && !file_exists("/sys/bus/event_source/devices/software"))
		say(BAD, "perf events", NULL, "missing: this kernel lacks CONFIG_PERF_EVENTS");
	else
		say(GOOD, "perf events", NULL, "in this kernel");
}

/**
 * struct module - state of the kernel module, and the kernel's requirements for it
 * @loaded: the module is loaded
 * @built: the module is installed for this kernel
 * @is_signed: the module is signed
 * @locked: why the kernel accepts only signed modules, empty if it accepts any
 */
struct module {
	bool loaded;
	bool built;
	bool is_signed;
	char locked[64];
};

/* Check for lockdown, which also makes files of debugfs read-only. */
static void check_lockdown(struct module *module)
{
	const char *level;
	bool lockdown;

	if (file_says("/sys/module/module/parameters/sig_enforce", "Y"))
		strcpy(module->locked, "module.sig_enforce is set");
	level = strchr(file_text("/sys/kernel/security/lockdown"), '[');
	lockdown = level && strncmp(level, "[none]", strlen("[none]"));
	if (lockdown)
		snprintf(module->locked, sizeof(module->locked), "%.*s",
			 (int)strcspn(level + 1, "]"), level + 1);
	if (lockdown && module->loaded)
		say(NOTE, "lockdown", NULL,
		    "%s: pcounter selftest leaves out what writes to debugfs", module->locked);
	else if (module->loaded || !*module->locked)
		say(GOOD, "lockdown", NULL, "none");
	else if (module->built && module->is_signed && file_exists(DKMS_KEY))
		say(NOTE, "lockdown", command("%ssudo mokutil --import " DKMS_KEY,
					      find_program("mokutil") ? "" :
					      "sudo apt-get install mokutil && "),
		    "%s: only modules can be loaded whose key the firmware knows", module->locked);
	else
		say(NOTE, "lockdown", NULL, "%s: only signed modules can be loaded",
		    module->locked);
}

/* Find the module, and read its file like modinfo. */
static void find_module(struct module *module)
{
	const char *no_config = NULL;
	struct kmod_ctx *kmod = kmod_new(NULL, &no_config);
	struct kmod_list *info = NULL, *line;
	struct kmod_module *file = NULL;

	memset(module, 0, sizeof(*module));
	module->loaded = file_exists("/sys/module/pcounter");
	/* a module that is not there is no error */
	kmod_set_log_priority(kmod, 0);
	kmod_module_new_from_name(kmod, "pcounter", &file);
	module->built = kmod_module_get_info(file, &info) > 0;
	kmod_list_foreach(line, info)
		module->is_signed |= !strcmp(kmod_module_info_get_key(line), "sig_id");
	kmod_module_info_free_list(info);
	kmod_module_unref(file);
	kmod_unref(kmod);
}

static void explain_missing_build(const struct utsname *name)
{
	bool headers = file_exists(text_tmp("/lib/modules/%s/build/Makefile", name->release));

	if (strstr(name->version, "PREEMPT_RT"))
		say(BAD, "module", NULL,
		    NOT_BUILT ", which has PREEMPT_RT: it does not build for that");
	/* each kernel package of Debian has a matching package of headers */
	else if (!headers)
		say(BAD, "module", strstr(name->version, "Debian") ?
		    command("sudo apt-get install linux-headers-%s", name->release) : NULL,
		    NOT_BUILT ", whose headers are missing");
	else if (file_exists("/var/lib/dkms/pcounter"))
		say(BAD, "module", command("sudo dkms autoinstall"),
		    NOT_BUILT ": DKMS has not done it");
	else if (file_exists("/usr/src/pcounter-" PCOUNTER_VERSION "/dkms.conf"))
		say(BAD, "module", command("sudo dkms install pcounter/" PCOUNTER_VERSION),
		    NOT_BUILT ": DKMS does not know it");
	else
		say(BAD, "module", NULL, NOT_BUILT ": build it from its sources");
}

static void check_module(const struct module *module, const struct utsname *name)
{
	const char *version = file_text("/sys/module/pcounter/version");

	if (module->loaded && *version && strcmp(version, PCOUNTER_VERSION))
		say(NOTE, "module", NULL,
		    "pcounter %s is loaded, this program is of version " PCOUNTER_VERSION, version);
	else if (module->loaded)
		say(GOOD, "module", NULL, "pcounter " PCOUNTER_VERSION " is loaded");
	else if (file_exists("/proc/sys/kernel") && !file_exists("/proc/modules"))
		say(BAD, "module", NULL,
		    "pcounter is not loaded: this kernel loads none (CONFIG_MODULES)");
	else if (file_says("/proc/sys/kernel/modules_disabled", "1"))
		say(BAD, "module", NULL,
		    "pcounter is not loaded: kernel.modules_disabled is 1 until the next boot");
	else if (module->built && !module->is_signed && *module->locked)
		say(BAD, "module", NULL,
		    "pcounter is not loaded, nor signed, as this kernel demands");
	else if (module->built)
		say(BAD, "module", command("sudo modprobe pcounter"), "pcounter is not loaded");
	else
		explain_missing_build(name);
}

static void check_rights(void)
{
	if (!may_count(false)) {
		say(BAD, "permission", rights_help(), "none: %s", rights_text(false));
		return;
	}
	say(GOOD, "permission", NULL, "granted: %s", rights_text(false));
	if (rights_help_perf())
		say(NOTE, "permission", rights_help_perf(), "perf itself has none");
}

/* ---- a GPU ---- */

static void check_names(const struct gpu *gpu)
{
	const struct pmu *pmu = gpu->pmu;
	const struct pcounter_chip *chip = pmu ? pmu->topo.chip : NULL;
	const char *name = gpu_card(gpu);

	if (*name)
		say(GOOD, gpu->address, NULL, "%s%s%s", name, pmu ? ", chip " : "",
		    pmu ? pmu->chip_name : "");
	if (pmu && !strcmp(gpu->driver, "nvidia"))
		say(NOTE, gpu->address, NULL,
		    "the nvidia driver may use PCOUNTER itself: counts stop when it does");
	else if (pmu && gpu->vendor)
		say(GOOD, gpu->address, NULL, "driver: %s", *gpu->driver ? gpu->driver : "none");
	if (chip && chip->presence == PCOUNTER_UNVERIFIED)
		say(NOTE, gpu->address, NULL,
		    "%s is not known well: try counts first on something that is known",
		    pmu->chip_name);
}

/* Report GPCs that have lost TPCs. */
static void check_tpcs(const struct gpu *gpu)
{
	const struct pcounter_topo *topo = &gpu->pmu->topo;
	unsigned int i;
	int first;

	for (i = 0; i < PCOUNTER_MAX_GPCS; i++) {
		if (!(topo->lost >> i & 1))
			continue;
		first = pcounter_topo_find(topo, PCOUNTER_SET_GPC, i, 1);
		if (first >= 0 && topo->dom[first].tpc == PCOUNTER_NO_TPC)
			say(NOTE, gpu->address, NULL,
			    "GPC %u lacks TPCs, and no register shows the domains of the others: their muxes are refused",
			    i);
		else
			say(NOTE, gpu->address, NULL,
			    "GPC %u lacks TPCs: which domains show the others is unverified",
			    i);
	}
}

/* Check the power of a GPU; root can see vga_switcheroo's lines "1:DIS: :Off:0000:01:00.0". */
static void check_power(const struct gpu *gpu)
{
	const char *power = text_tmp(PCI_DEVICES "/%s/power", gpu->address);
	const char *control = file_text(text_tmp("%s/control", power));
	const char *status = file_text(text_tmp("%s/runtime_status", power));

	if (!gpu_asleep(gpu))
		return;
	if (!strcmp(control, "auto") && !strncmp(status, "suspend", strlen("suspend")))
		say(BAD, gpu->address,
		    command("echo on | sudo tee " PCI_DEVICES "/%s/power/control", gpu->address),
		    "asleep: nothing counts until something uses it");
	else if (strstr(file_text(SWITCHEROO), text_tmp("Off:%s", gpu->address)))
		say(BAD, gpu->address, command("echo ON | sudo tee " SWITCHEROO),
		    "asleep: switched off by vga_switcheroo");
	else
		say(BAD, gpu->address, NULL,
		    "asleep: switched off, and not by runtime power management");
}

static void explain_missing_pmu(const struct gpu *gpu)
{
	const char *help = NULL, *log = gpu_log(gpu);

	/* drivers that pass a GPU to a program or to a virtual machine */
	if (strstr(gpu->driver, "vfio") || !strcmp(gpu->driver, "pci-stub")) {
		say(BAD, gpu->address,
		    command("echo %s | sudo tee " PCI_DEVICES "/%s/driver/unbind", gpu->address,
			    gpu->address), "no PMU: %s lends it to somebody else", gpu->driver);
		return;
	}
	if (log && strstr(log, "unverified=1"))
		help = command(RELOAD "unverified=1");
	else if (log && strstr(log, "owner="))
		help = command(RELOAD "owner=%s", gpu->driver);
	say(BAD, gpu->address, help, "no PMU: %s", gpu_why_not(gpu));
}

/* Try to count the cycles of every domain for a moment. */
static void try_to_count(const struct gpu *gpu)
{
	const char *why = "others use it, or they have stopped, as the kernel's log says";
	unsigned int nr = gpu->pmu->topo.nr, known = 0, still = 0, i;
	double hz[PCOUNTER_MAX_DOMAINS];
	int err = measure_clocks(gpu->pmu, TRIAL_MS, hz);
	const char *text = "";

	for (i = 0; i < nr; i++) {
		known += hz[i] >= 0;
		if (!hz[i])
			text = text_tmp("%s%s%s", text, still++ ? ", " :
					"; these clocks stand still: ", dom_name(gpu->pmu, i));
	}
	if (known < nr)
		say(known > still ? NOTE : BAD, gpu->address, NULL,
		    "%u of %u domains %s in %u ms: %s%s", nr - known, nr,
		    err ? "were refused" : "had no turn", TRIAL_MS,
		    err ? count_explain(err, false) : why, text);
	else if (still == nr)
		say(BAD, gpu->address, NULL, "all %u clocks stand still%s", still,
		    *gpu->driver ? "" : ": no graphics driver has started them");
	else
		say(GOOD, gpu->address, NULL, "%s counts: %u domains%s", gpu->pmu->name, nr,
		    text);
}

/* Check a GPU. Return true if counting works on it. */
static bool check_gpu(const struct gpu *gpu)
{
	unsigned int machine = bad;
	const char *users = gpu->pmu ? gpu_users(gpu) : NULL;

	check_names(gpu);
	if (gpu->pmu)
		check_tpcs(gpu);
	if (users)
		say(NOTE, gpu->address, NULL, "others use it: %s", users);
	check_power(gpu);
	if (!gpu->pmu && bad == machine)
		explain_missing_pmu(gpu);
	else if (gpu->pmu && !bad)
		try_to_count(gpu);
	return !bad;
}

/* Print the final verdict: one line, or one for each of several GPUs. */
static void say_verdict(const struct gpu *gpu, bool works, bool several)
{
	if (list && gpu)
		say(works ? GOOD : BAD, gpu->address, NULL, "counting will %swork",
		    works ? "" : "not ");
	else if (!list)
		printf("Counting will %swork%s%s.\n", works ? "" : "not ", several ? " on " : "",
		       !several ? "" : works ? gpu->pmu->name : gpu->address);
}

/* Check all GPUs. Return the number of GPUs on which counting works. */
static unsigned int check_gpus(void)
{
	unsigned int machine = bad, i, n = 0, good = 0;
	struct gpus gpus;
	bool *works;

	gpus_find(&gpus, wish);
	works = need(gpus.nr, sizeof(*works));
	for (i = 0; i < gpus.nr; i++) {
		const struct gpu *gpu = &gpus.gpu[i];

		if (!wish && !gpu->pmu && gpu->vendor != VENDOR_NVIDIA)
			continue;
		bad = machine;
		works[n] = check_gpu(gpu);
		good += works[n];
		/* move the checked GPUs to the front */
		gpus.gpu[n++] = *gpu;
	}
	if (!n)
		say(BAD, "GPU", NULL, wish ? "there is none of this address or name" :
		    "there is no NVIDIA GPU");
	for (i = 0; i < n && n > 1; i++)
		say_verdict(&gpus.gpu[i], works[i], true);
	if (n < 2)
		say_verdict(n ? gpus.gpu : NULL, good, false);
	free(works);
	gpus_free(&gpus);
	return good;
}

static int run_doctor(char **args)
{
	struct module module;
	struct utsname name;
	unsigned int good;

	uname(&name);
	find_module(&module);
	check_kernel(&name);
	check_lockdown(&module);
	check_module(&module, &name);
	check_rights();
	good = check_gpus();
	print_json(list);
	return good ? STATUS_OK : STATUS_NO;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "check everything between you and a count",
	.options = options,
	.counts = true,
	.run = run_doctor,
};
