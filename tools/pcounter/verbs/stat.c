// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter stat: count metrics of a GPU while a command runs.
 */
#include <sys/wait.h>

#include "gpu/event.h"
#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "gpu/names.h"
#include "gpu/pmu.h"
#include "lib/out.h"
#include "verbs/verbs.h"

#define MOST_TIME	(3600 * NS_S)
#define MAX_USES	64

static const char *device, *list;
static bool json;
static double duration = NS_S;

static const struct option_doc options[] = {
	{ 'M', "metrics", "METRIC,...", "these, or events, or expressions of events",
	  OPT_TEXT(&list) },
	{ 'j', "json", NULL, "one JSON object", OPT_FLAG(&json) },
	OPTION_DEVICE(&device),
	{ 't', "time", "TIME", "without a command: for so long: 2s, 200ms, ms (default 1s)",
	  OPT_TIME(&duration, NS_MS, MOST_TIME, NS_MS) },
	{ }
};

/**
 * struct stat_run - a run
 * @gpu: the GPU
 * @n: number of metrics
 * @use: the metrics
 * @made: metrics made of the user's events and expressions
 * @command: the command to run while they count, NULL for none
 * @status: status of the command, from waitpid()
 * @took: duration of the run, in seconds
 */
struct stat_run {
	const struct gpu *gpu;
	unsigned int n;
	struct metric_use use[MAX_USES];
	struct metric made[MAX_USES];
	char **command;
	int status;
	double took;
};

static bool add_metric(struct stat_run *run, const struct metric *metric)
{
	struct metric_use *use = &run->use[run->n];
	char why[WHY_TEXT];
	int err;

	if (!metric_prepare(run->gpu->pmu, metric, use, why)) {
		complain("%s: %s", metric->name, why);
		return false;
	}
	err = metric_open(use);
	if (err) {
		complain("%s: %s", metric->name, count_explain(err, false));
		return false;
	}
	run->n++;
	return true;
}

/* Find a metric by name, or make one of an event; a metric takes precedence. */
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

static int add_wanted(struct stat_run *run, char *rest)
{
	const struct metric *metric;
	char *name;

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

/* Add the metrics for the first question, as far as the chip has their events. */
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
		metric_enable(&run->use[i], on);
}

static void count(struct stat_run *run)
{
	double begin = seconds();
	unsigned int i;

	enable_all(run, true);
	if (run->command)
		run->status = run_command(run->command, false, 0);
	else
		wait_ms(duration / NS_MS);
	enable_all(run, false);
	run->took = seconds() - begin;
	for (i = 0; i < run->n; i++)
		metric_read(&run->use[i]);
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

/* Return the reason why no metric has a value, NULL if a metric has one. */
static const char *why_nothing(const struct stat_run *run)
{
	unsigned int i;

	for (i = 0; i < run->n; i++)
		if (run->use[i].share > 0)
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

	/* stdout belongs to the command */
	fprintf(stderr, "\n %s (%s) for %s:\n\n", gpu->address, gpu->pmu->chip_name,
		run->command ? run->command[0] : "the whole system");
	if (nothing)
		fprintf(stderr, " nothing was counted: %s\n", nothing);
	for (i = 0; i < run->n && !nothing; i++) {
		const struct metric_use *use = &run->use[i];

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

static void show_json(const struct stat_run *run)
{
	json_t *metrics = json_array();
	unsigned int i;

	for (i = 0; i < run->n; i++)
		json_array_append_new(metrics, use_json(&run->use[i]));
	print_json(json_pack("{s:s, s:s, s:s, s:f, s:s?, s:o}", "gpu", run->gpu->address, "pmu",
			     run->gpu->pmu->name, "chip", run->gpu->pmu->chip_name, "seconds",
			     run->took, "not_counted", why_nothing(run), "metrics", metrics));
}

static int stat_gpu(struct stat_run *run)
{
	char *names = list ? strdup(list) : NULL;
	int status = list ? add_wanted(run, names) : add_first(run);

	if (!status) {
		catch_signals();
		count(run);
		if (json)
			show_json(run);
		else
			print_text(run);
		status = stopped ? STATUS_INTERRUPTED :
			 WIFEXITED(run->status) ? WEXITSTATUS(run->status) : STATUS_NO;
	}
	while (run->n)
		metric_close(&run->use[--run->n]);
	free(names);
	return status;
}

static int run_stat(const struct verb *verb, int argc, char **argv)
{
	static struct stat_run run;
	struct gpus gpus;
	int status = STATUS_NO_GPU;

	argv += verb_options(verb, argc, argv);
	run.command = *argv ? argv : NULL;
	if (*argv && !can_run(*argv)) {
		complain("%s: %s", *argv, strerror(errno));
		return STATUS_NO;
	}
	run.gpu = gpus_choose(&gpus, device, "counts");
	if (run.gpu)
		status = stat_gpu(&run);
	gpus_free(&gpus);
	return status;
}

const struct verb verb_stat = {
	.name = "stat",
	.args = "[-- COMMAND...]",
	.summary = "count metrics of a GPU while a command runs",
	.options = options,
	.run = run_stat,
};
