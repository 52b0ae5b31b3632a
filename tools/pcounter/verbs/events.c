// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter events: list all named events and metrics.
 */
#include <fnmatch.h>

#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "cli/out.h"

enum { NAMES_ONLY = LONG_OWN, COUNTABLE, METRICS };

/* Arguments of the command line. */
static const char *pattern, *chip, *device;
static bool all, only_metrics, countable, names;
static json_t *list;

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "one JSON array of all events and metrics", OPT_JSON(&list) },
	OPTION_CHIP(&chip),
	OPTION_DEVICE(&device),
	{ 'a', "all", NULL, "signals, too, of which nothing but the name is known",
	  OPT_FLAG(&all) },
	{ METRICS, "metrics", NULL, "metrics alone", OPT_FLAG(&only_metrics) },
	{ COUNTABLE, "countable", NULL, "no metrics: what can be behind -e", OPT_FLAG(&countable) },
	{ NAMES_ONLY, "names", NULL, "nothing but names, for completion", OPT_FLAG(&names) },
	{ }
};

static unsigned int shown;

/* Return true if a name contains the pattern, or matches it as a shell pattern. */
static bool fits(const char *name)
{
	if (!pattern)
		return true;
	return strpbrk(pattern, "*?[") ? !fnmatch(pattern, name, 0) : !!strstr(name, pattern);
}

static json_t *row_json(const char *kind, const char *domain, const struct event_text *is,
			const char *confidence, const char *terms)
{
	return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:s}",
			 "name", is->name, "kind", kind, "unit", or_null(is->unit),
			 "domain", or_null(domain), "text", or_null(is->text),
			 "confidence", or_null(confidence), "source", or_null(is->source),
			 strcmp(kind, "metric") ? "terms" : "expression", terms);
}

/* Show an event or a metric. @terms: the expression of a metric */
static void show(const char *kind, const char *domain, const struct event_text *is,
		 const char *confidence, const char *terms)
{
	if (!fits(is->name))
		return;
	shown++;
	if (list)
		json_array_append_new(list, row_json(kind, domain, is, confidence, terms));
	else if (names)
		puts(is->name);
	else
		printf("%-40s %-7s %-8s %-10s %s\n", is->name, kind, domain, confidence, is->text);
}

static void show_name(const struct pmu *pmu, const struct pmu_name *name)
{
	struct event_text is = { name->name, name->unit, name->text, name->source };
	const char *kind = "signal", *domain = pmu->idle ? IDLE_DOMAIN : "";
	struct event event = {};
	int dom;

	if (name->clock && !*name->source)
		kind = "cycles";
	else if (*name->text || !strcmp(name->confidence, "user"))
		kind = "event";
	dom = event_terms(pmu, name->terms, &event) ? event_domain(&event) : -1;
	if (dom >= 0)
		domain = pmu->topo.dom[dom].name;
	if (!strcmp(kind, "event") || all || pattern)
		show(kind, domain, &is, name->confidence, name->terms);
}

static void show_metric(const struct pmu *pmu, const struct metric *metric)
{
	struct event_text is = { metric->name, metric->unit, metric->text, "" };

	if (metric_find(pmu, metric->name) == metric)
		show("metric", "", &is, metric_confidence(pmu, metric), metric->expression);
}

static void show_pmu(const struct pmu *pmu)
{
	const struct pmu *half;
	unsigned int i;

	for (half = pmu; half && !only_metrics; half = half == pmu ? pmu->beside : NULL)
		for (i = 0; i < half->nr_names; i++)
			show_name(half, &half->names[i]);
	for (i = 0; i < nr_metrics && !countable; i++)
		show_metric(pmu, &metrics[i]);
	if (pattern && !shown)
		complain("%s: no event or metric has such a name", pattern);
}

static int run_events(char **args)
{
	int status = chip ? STATUS_USAGE : STATUS_NO_GPU;
	struct gpus gpus = {};

	pattern = *args;
	if (chip ? pmus_offline(&gpus.pmus, chip) : gpus_counting(&gpus, device)) {
		/* the other GPUs may have other names */
		if (!chip)
			gpus_tell(&gpus, gpus.gpu, "shows");
		show_pmu(chip ? *gpus.pmus.pmu : gpus.gpu->pmu);
		print_json(list);
		status = pattern && !shown ? STATUS_NO : STATUS_OK;
	} else if (!chip) {
		complain("pcounter events --chip CHIP needs none");
	}
	gpus_free(&gpus);
	return status;
}

const struct verb verb_events = {
	.name = "events",
	.args = "[PATTERN]",
	.summary = "show the events and metrics of a GPU by name",
	.options = options,
	.run = run_events,
};
