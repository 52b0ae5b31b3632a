// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter stat: metrics of a GPU while a command runs.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/event.h"
#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "gpu/names.h"
#include "gpu/pmu.h"
#include "lib/tool.h"
#include "verbs/verbs.h"

#define DEFAULT_MS	1000
#define MAX_MS		3600000
#define MAX_USES	64
#define MAX_LIST	8192

static const struct option_doc options[] = {
	{ 'M', "metrics", "METRIC,...", "these, or events, or expressions of events" },
	{ 'j', "json", NULL, "one JSON object" },
	{ 'd', "device", "GPU", "of this one: PCI address or name of the PMU" },
	{ 't', "time", "TIME", "without a command: for so long: 2s, 200ms, ms (default 1s)" },
	{ }
};

/**
 * struct stat_run - what is counted
 * @gpu: of which GPU
 * @n: how many metrics
 * @use: the metrics
 * @made: those that were made of what was written
 * @list: names and expressions, for @made
 * @command: runs meanwhile, NULL for none
 * @ms: else: for how long
 * @status: the command's exit status
 * @took: how long it was, in seconds
 */
struct stat_run {
	const struct gpu *gpu;
	unsigned int n;
	struct metric_use *use[MAX_USES];
	struct metric made[MAX_USES];
	char list[MAX_LIST];
	char **command;
	unsigned long ms;
	int status;
	double took;
};

static bool add_metric(struct stat_run *run, const struct metric *metric)
{
	const struct pmu *pmu = run->gpu->pmu;
	struct metric_use *use = calloc(1, sizeof(*use));
	char why[WHY_TEXT], reason[512];
	int err;

	if (!use) {
		complain("out of memory");
		return false;
	}
	if (!metric_prepare(pmu, metric, use, why)) {
		complain("%s: %s", metric->name, why);
		free(use);
		return false;
	}
	err = metric_open(use);
	if (err) {
		count_explain(err, false, reason, sizeof(reason));
		complain("%s: %s", metric->name, reason);
		free(use);
		return false;
	}
	run->use[run->n++] = use;
	return true;
}

/* A metric goes before an event of that name. */
static const struct metric *wanted_metric(struct stat_run *run, const char *name)
{
	const struct pmu *pmu = run->gpu->pmu;
	const struct metric *metric = metric_find(pmu, name);
	struct metric *made = &run->made[run->n];
	char why[WHY_TEXT];

	if (metric)
		return metric;
	if (metric_known(name) && !pmu_with(pmu, name)) {
		complain("%s: this chip lacks the events for it", name);
		return NULL;
	}
	if (metric_make(pmu, name, made, why))
		return made;
	complain("%s: %s", name, why);
	return NULL;
}

static int add_wanted(struct stat_run *run, const char *list)
{
	char *rest = run->list, *name;
	const struct metric *metric;

	if (strlen(list) >= sizeof(run->list)) {
		complain("too many metrics");
		return STATUS_USAGE;
	}
	strcpy(run->list, list);
	while ((name = strsep(&rest, ","))) {
		metric = run->n < MAX_USES ? wanted_metric(run, name) : NULL;
		if (run->n == MAX_USES)
			complain("more than %u metrics", MAX_USES);
		if (!metric)
			return STATUS_USAGE;
		if (!add_metric(run, metric))
			return STATUS_NO;
	}
	return STATUS_OK;
}

/* Those that answer the first question, as far as the chip has them. */
static int add_first(struct stat_run *run)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++) {
		if (!metrics[i].first || metric_find(run->gpu->pmu, metrics[i].name) != &metrics[i])
			continue;
		if (!add_metric(run, &metrics[i]))
			return STATUS_NO;
	}
	if (run->n)
		return STATUS_OK;
	complain("%s: no metric is known for this chip; pcounter events shows what is",
		 run->gpu->pmu->chip_name);
	return STATUS_NO;
}

static void enable_all(const struct stat_run *run, bool on)
{
	unsigned int i;

	for (i = 0; i < run->n; i++)
		metric_enable(run->use[i], on);
}

static void run_command(struct stat_run *run)
{
	int fd, status;
	pid_t pid = start_command(run->command, false, &fd);

	if (fd >= 0) {
		wait_fd(fd, -1);
		close(fd);
	}
	if (pid < 0)
		return;
	status = stopped ? end_command(pid) : 0;
	if (!stopped)
		waitpid(pid, &status, 0);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_NO;
}

static void count(struct stat_run *run)
{
	double begin = seconds();
	unsigned int i;

	enable_all(run, true);
	if (run->command)
		run_command(run);
	else
		wait_ms(run->ms);
	enable_all(run, false);
	run->took = seconds() - begin;
	for (i = 0; i < run->n; i++)
		metric_read(run->use[i]);
}

static void print_value(const struct metric_use *use)
{
	int digits = 0;
	double value;

	if (!metric_value(use, &value)) {
		fprintf(stderr, "%16s %-14s",
			use->share > 0 ? "nothing to divide by" : "not counted", "");
		return;
	}
	if (use->metric->scale > 1 || value < 1e4)
		digits = 2;
	fprintf(stderr, "%16.*f %-14s", digits, value, use->metric->unit);
}

/* Why no metric has a value, NULL if one has. */
static const char *why_nothing(const struct stat_run *run)
{
	unsigned int i;

	for (i = 0; i < run->n; i++)
		if (run->use[i]->share > 0)
			return NULL;
	if (gpu_asleep(run->gpu))
		return "the GPU is asleep, and stat does not wake it";
	return "others have its counters (pcounter doctor)";
}

static void print_text(const struct stat_run *run)
{
	const char *nothing = why_nothing(run);
	const struct gpu *gpu = run->gpu;
	unsigned int i;

	/* what the command says goes to stdout */
	fprintf(stderr, "\n %s (%s) for %s:\n\n", gpu->address, gpu->pmu->chip_name,
		run->command ? run->command[0] : "the whole system");
	if (nothing)
		fprintf(stderr, " nothing was counted: %s\n", nothing);
	for (i = 0; i < run->n && !nothing; i++) {
		const struct metric_use *use = run->use[i];

		print_value(use);
		fprintf(stderr, " %-28s", use->metric->name);
		if (use->share > 0 && use->share < 0.9995)
			fprintf(stderr, " (%.1f %% of the time)", 100 * use->share);
		fputc('\n', stderr);
	}
	fprintf(stderr, "\n%16.6f s elapsed\n\n", run->took);
}

static json_t *use_json(const struct metric_use *use)
{
	double value;
	bool known = metric_value(use, &value);

	return json_pack("{s:s, s:o, s:s, s:f, s:s}", "metric", use->metric->name,
			 "value", known ? json_real(value) : json_null(),
			 "unit", use->metric->unit, "running", use->share,
			 "text", use->metric->text);
}

static void print_json(const struct stat_run *run)
{
	json_t *list = json_array(), *all;
	unsigned int i;

	for (i = 0; i < run->n; i++)
		json_array_append_new(list, use_json(run->use[i]));
	all = json_pack("{s:s, s:s, s:s, s:f, s:s?, s:o}", "gpu", run->gpu->address, "pmu",
			run->gpu->pmu->name, "chip", run->gpu->pmu->chip_name, "seconds",
			run->took, "not_counted", why_nothing(run), "metrics", list);
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(all);
}

static int stat_gpu(struct stat_run *run, const char *list, bool json)
{
	int status = list ? add_wanted(run, list) : add_first(run);
	unsigned int i;

	if (!status) {
		catch_signals();
		count(run);
		if (json)
			print_json(run);
		else
			print_text(run);
		status = stopped ? STATUS_INTERRUPTED : run->status;
	}
	for (i = 0; i < run->n; i++) {
		metric_close(run->use[i]);
		free(run->use[i]);
	}
	return status;
}

static int run_stat(const struct verb *verb, int argc, char **argv)
{
	const char *device = NULL, *list = NULL;
	struct stat_run run = {};
	double ns = DEFAULT_MS * NS_MS;
	bool json = false;
	struct gpus gpus;
	char others[256];
	int c, status = STATUS_NO_GPU;

	while ((c = verb_getopt(verb, argc, argv)) != -1) {
		if (c == 'M')
			list = optarg;
		else if (c == 'j')
			json = true;
		else if (c == 'd')
			device = optarg;
		else if (!verb_duration(optarg, NS_MS, NS_MS, MAX_MS * NS_MS, &ns))
			return STATUS_USAGE;
	}
	run.ms = ns / NS_MS;
	run.command = optind < argc ? argv + optind : NULL;
	if (run.command && !can_run(*run.command)) {
		complain("%s: %s", *run.command, strerror(errno));
		return STATUS_NO;
	}
	gpus_find(&gpus);
	run.gpu = gpus_first(&gpus, device, others, sizeof(others));
	if (*others)
		complain("counts %s of %s; -d GPU chooses", run.gpu->address, others);
	if (run.gpu)
		status = stat_gpu(&run, list, json);
	else
		complain("no GPU with counters%s%s (pcounter doctor)", device ? ": " : "",
			 device ? device : "");
	gpus_free(&gpus);
	return status;
}

const struct verb verb_stat = {
	.name = "stat",
	.args = "[-- COMMAND...]",
	.summary = "count metrics of a GPU while a command runs",
	.text =
		"Counts metrics, shares and rates made of events, of a GPU while COMMAND\n"
		"runs, or for a second. Without --metrics those are shown that say why it is\n"
		"slow: what is busy, what waits, what the caches answer, as far as the chip\n"
		"has the events for them; pcounter events lists all. Like perf stat it counts\n"
		"for the whole GPU, whoever uses it, and writes its own output to stderr, but\n"
		"for --json.\n"
		"\n"
		"--metrics takes events, too, and expressions of events: their names,\n"
		"cycles(EVENT) for the clocks of its domain meanwhile, seconds, numbers,\n"
		"+ - * / and brackets, as in \"shader_busy / cycles(shader_busy)\".\n"
		"\n"
		"The events of a metric count at the same time if they can. Metrics for which\n"
		"there are not counters or muxes enough take turns, and so do the events of a\n"
		"metric that need one counter or mux each for itself; then the share of the\n"
		"time is shown. A metric of which nothing was counted has no value.\n"
		"\n"
		"The exit status is that of COMMAND.\n",
	.options = options,
	.example = "pcounter stat -M gpu_busy,shader_busy -- glxgears",
	.run = run_stat,
};
