// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter doctor: find everything that prevents a user from counting. For each subject
 * the finding is the first cause that applies; its command removes the cause.
 */
#include <libkmod.h>
#include <sys/utsname.h>

#include "gpu/count.h"
#include "gpu/gpu.h"
#include "cli/out.h"

#define TRIAL_MS	50
#define OLDEST_KERNEL	"6.1"
#define DKMS_KEY	"/var/lib/dkms/mok.pub"
#define SWITCHEROO	"/sys/kernel/debug/vgaswitcheroo/switch"
#define RELOAD		"sudo modprobe -r pcounter && sudo modprobe pcounter "
#define NOT_LOADED	"pcounter is not loaded"
#define NOT_BUILT	NOT_LOADED ", nor built for this kernel"

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
static void say(enum finding finding, const char *subject, const char *text, const char *help)
{
	static const char *const words[] = { "ok", "note", "FAIL" };
	static const char *const colour[] = { "\033[32m", "\033[33m", "\033[31m" };
	bool coloured = colours(stdout);

	bad += finding == BAD;
	if (list)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s?}", "subject", subject,
						      "finding", words[finding], "text", text,
						      "help", help));
	else
		printf("%s%-4s%s  %-13s %s%s%s\n", coloured ? colour[finding] : "", words[finding],
		       coloured ? "\033[0m" : "", subject, text, help ? "; do: " : "", help ?: "");
}

/**
 * struct cause - a possible finding
 * @is: it applies
 * @finding: how bad it is
 * @text: the finding in words
 * @help: a command that would help, or NULL
 */
struct cause {
	bool is;
	enum finding finding;
	const char *text;
	const char *help;
};

/* Report the first cause that applies. The list ends with one that always does. */
static void say_first(const char *subject, const struct cause *cause)
{
	while (!cause->is)
		cause++;
	say(cause->finding, subject, cause->text, cause->help);
}

/* ---- the machine ---- */

static bool file_says(const char *path, const char *what)
{
	return !strcmp(file_text(path), what);
}

static void check_kernel(const struct utsname *name)
{
	bool old = strverscmp(name->release, OLDEST_KERNEL) < 0, sys = file_exists("/sys/bus");
	bool perf = !sys || file_exists("/sys/bus/event_source/devices/software");

	say(old ? NOTE : GOOD, "kernel",
	    text_tmp("%s%s", name->release, old ? " is older than any that was tried" : ""), NULL);
	if (!sys)
		say(BAD, "/sys", "nothing is mounted there",
		    command("sudo mount -t sysfs none /sys"));
	if (!file_exists("/proc/sys/kernel"))
		say(NOTE, "/proc", "nothing is mounted there",
		    command("sudo mount -t proc none /proc"));
	say(perf ? GOOD : BAD, "perf events", perf ? "in this kernel" :
	    "missing: this kernel lacks CONFIG_PERF_EVENTS", NULL);
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
	const char *locked;
};

/* Check for lockdown, which also makes files of debugfs read-only. */
static void check_lockdown(struct module *module)
{
	const char *level = strchr(file_text("/sys/kernel/security/lockdown"), '[');
	bool lockdown = level && strncmp(level, "[none]", strlen("[none]"));
	const char *locked = lockdown ?
		text_tmp("%.*s", (int)strcspn(level + 1, "]"), level + 1) :
		file_says("/sys/module/module/parameters/sig_enforce", "Y") ?
		"module.sig_enforce is set" : "";
	const struct cause causes[] = {
		{ lockdown && module->loaded, NOTE,
		  text_tmp("%s: pcounter selftest leaves out what writes to debugfs", locked),
		  NULL },
		{ module->loaded || !*locked, GOOD, "none", NULL },
		{ module->built && module->is_signed && file_exists(DKMS_KEY), NOTE,
		  text_tmp("%s: only modules can be loaded whose key the firmware knows", locked),
		  command("%ssudo mokutil --import " DKMS_KEY, find_program("mokutil") ? "" :
			  "sudo apt-get install mokutil && ") },
		{ true, NOTE, text_tmp("%s: only signed modules can be loaded", locked), NULL },
	};

	module->locked = locked;
	say_first("lockdown", causes);
}

/* Find the module, and read its file like modinfo. */
static void find_module(struct module *module)
{
	const char *no_config = NULL;
	struct kmod_ctx *kmod = kmod_new(NULL, &no_config);
	struct kmod_list *info = NULL, *line;
	struct kmod_module *file = NULL;

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

static void check_module(const struct module *module, const struct utsname *name)
{
	const char *version = file_text("/sys/module/pcounter/version");
	bool headers = file_exists(text_tmp("/lib/modules/%s/build/Makefile", name->release));
	const struct cause causes[] = {
		{ module->loaded && *version && strcmp(version, PCOUNTER_VERSION), NOTE,
		  text_tmp("pcounter %s is loaded, this program is of version " PCOUNTER_VERSION,
			   version), NULL },
		{ module->loaded, GOOD, "pcounter " PCOUNTER_VERSION " is loaded", NULL },
		{ file_exists("/proc/sys/kernel") && !file_exists("/proc/modules"), BAD,
		  NOT_LOADED ": this kernel loads none (CONFIG_MODULES)", NULL },
		{ file_says("/proc/sys/kernel/modules_disabled", "1"), BAD,
		  NOT_LOADED ": kernel.modules_disabled is 1 until the next boot", NULL },
		{ module->built && !module->is_signed && *module->locked, BAD,
		  NOT_LOADED ", nor signed, as this kernel demands", NULL },
		{ module->built, BAD, NOT_LOADED, command("sudo modprobe pcounter") },
		{ strstr(name->version, "PREEMPT_RT"), BAD,
		  NOT_BUILT ", which has PREEMPT_RT: it does not build for that", NULL },
		/* each kernel package of Debian has a matching package of headers */
		{ !headers, BAD, NOT_BUILT ", whose headers are missing",
		  strstr(name->version, "Debian") ?
		  command("sudo apt-get install linux-headers-%s", name->release) : NULL },
		{ file_exists("/var/lib/dkms/pcounter"), BAD, NOT_BUILT ": DKMS has not done it",
		  command("sudo dkms autoinstall") },
		{ file_exists("/usr/src/pcounter-" PCOUNTER_VERSION "/dkms.conf"), BAD,
		  NOT_BUILT ": DKMS does not know it",
		  command("sudo dkms install pcounter/" PCOUNTER_VERSION) },
		{ true, BAD, NOT_BUILT ": build it from its sources", NULL },
	};

	say_first("module", causes);
}

static void check_rights(void)
{
	bool may = may_count(false);

	say(may ? GOOD : BAD, "permission",
	    text_tmp("%s: %s", may ? "granted" : "none", rights_text(false)),
	    may ? NULL : rights_help());
	if (may && rights_help_perf())
		say(NOTE, "permission", "perf itself has none", rights_help_perf());
}

/* ---- a GPU ---- */

/* Name a GPU with a PMU, and its driver. */
static void check_names(const struct gpu *gpu)
{
	const struct pcounter_chip *chip = gpu->pmu->topo.chip;

	if (!strcmp(gpu->driver, "nvidia"))
		say(NOTE, gpu->address,
		    "the nvidia driver may use PCOUNTER itself: counts stop when it does", NULL);
	else if (gpu->vendor)
		say(GOOD, gpu->address,
		    text_tmp("driver: %s", *gpu->driver ? gpu->driver : "none"), NULL);
	if (chip && chip->presence == PCOUNTER_UNVERIFIED)
		say(NOTE, gpu->address,
		    text_tmp("%s is not known well: try counts first on something that is known",
			     gpu->pmu->chip_name), NULL);
}

/* Report GPCs that have lost TPCs. */
static void check_tpcs(const struct gpu *gpu)
{
	static const char *const how[] = {
		": which domains show the others is unverified",
		", and no register shows the domains of the others: their muxes are refused",
	};
	const struct pcounter_topo *topo = &gpu->pmu->topo;
	unsigned int i;
	int first;

	for (i = 0; i < PCOUNTER_MAX_GPCS; i++) {
		if (!(topo->lost >> i & 1))
			continue;
		first = pcounter_topo_find(topo, PCOUNTER_SET_GPC, i, 1);
		say(NOTE, gpu->address,
		    text_tmp("GPC %u lacks TPCs%s", i,
			     how[first >= 0 && topo->dom[first].tpc == PCOUNTER_NO_TPC]), NULL);
	}
}

/* Tell why a GPU sleeps; root can see vga_switcheroo's lines "1:DIS: :Off:0000:01:00.0". */
static void explain_sleep(const struct gpu *gpu)
{
	const char *power = text_tmp(PCI_DEVICES "/%s/power", gpu->address);
	const char *control = file_text(text_tmp("%s/control", power));
	const char *status = file_text(text_tmp("%s/runtime_status", power));
	const struct cause causes[] = {
		{ !strcmp(control, "auto") && !strncmp(status, "suspend", strlen("suspend")), BAD,
		  "asleep: nothing counts until something uses it",
		  command("echo on | sudo tee " PCI_DEVICES "/%s/power/control", gpu->address) },
		{ strstr(file_text(SWITCHEROO), text_tmp("Off:%s", gpu->address)), BAD,
		  "asleep: switched off by vga_switcheroo",
		  command("echo ON | sudo tee " SWITCHEROO) },
		{ true, BAD, "asleep: switched off, and not by runtime power management", NULL },
	};

	say_first(gpu->address, causes);
}

static void explain_missing_pmu(const struct gpu *gpu)
{
	const char *why = text_tmp("no PMU: %s", gpu_why_not(gpu)), *log = gpu_log(gpu) ?: "";
	const struct cause causes[] = {
		/* drivers that pass a GPU to a program or to a virtual machine */
		{ strstr(gpu->driver, "vfio") || !strcmp(gpu->driver, "pci-stub"), BAD,
		  text_tmp("no PMU: %s lends it to somebody else", gpu->driver),
		  command("echo %s | sudo tee " PCI_DEVICES "/%s/driver/unbind", gpu->address,
			  gpu->address) },
		{ strstr(log, "unverified=1"), BAD, why, command(RELOAD "unverified=1") },
		{ strstr(log, "owner="), BAD, why, command(RELOAD "owner=%s", gpu->driver) },
		{ true, BAD, why, NULL },
	};

	say_first(gpu->address, causes);
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
					"; these clocks stand still: ", gpu->pmu->topo.dom[i].name);
	}
	if (known < nr)
		say(known > still ? NOTE : BAD, gpu->address,
		    text_tmp("%u of %u domains %s in %u ms: %s%s", nr - known, nr,
			     err ? "were refused" : "had no turn", TRIAL_MS,
			     err ? count_explain(err, false) : why, text), NULL);
	else if (still == nr)
		say(BAD, gpu->address,
		    text_tmp("all %u clocks stand still%s", still,
			     *gpu->driver ? "" : ": no graphics driver has started them"), NULL);
	else
		say(GOOD, gpu->address, text_tmp("%s counts: %u domains%s", gpu->pmu->name, nr,
						 text), NULL);
}

/* Check a GPU. Return true if counting works on it. */
static bool check_gpu(const struct gpu *gpu)
{
	const char *name = gpu_card(gpu), *users = gpu->pmu ? gpu_users(gpu) : NULL;
	unsigned int machine = bad;

	if (*name)
		say(GOOD, gpu->address, text_tmp("%s%s%s", name, gpu->pmu ? ", chip " : "",
						 gpu->pmu ? gpu->pmu->chip_name : ""), NULL);
	if (gpu->pmu) {
		check_names(gpu);
		check_tpcs(gpu);
	}
	if (users)
		say(NOTE, gpu->address, text_tmp("others use it: %s", users), NULL);
	if (gpu_asleep(gpu))
		explain_sleep(gpu);
	if (!gpu->pmu && bad == machine)
		explain_missing_pmu(gpu);
	else if (gpu->pmu && !bad)
		try_to_count(gpu);
	return !bad;
}

/* Print the final verdict: one line, or one for each of several GPUs. */
static void say_verdict(const struct gpu *gpu, bool works, bool several)
{
	const char *text = text_tmp("ounting will %swork", works ? "" : "not ");

	if (list && gpu)
		say(works ? GOOD : BAD, gpu->address, text_tmp("c%s", text), NULL);
	else if (!list)
		printf("C%s%s%s.\n", text, several ? " on " : "",
		       !several ? "" : works ? gpu->pmu->name : gpu->address);
}

/* Check all GPUs. Return the number of GPUs on which counting works. */
static unsigned int check_gpus(void)
{
	unsigned int machine = bad, i, n = 0, good = 0;
	struct gpus gpus;
	bool *works;

	gpus_find(&gpus, wish, false);
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
		say(BAD, "GPU", wish ? "there is none of this address or name" :
		    "there is no NVIDIA GPU", NULL);
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
	struct module module = {};
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
