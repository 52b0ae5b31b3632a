// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter events: list all named events and metrics.
 */
#include <fnmatch.h>

#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "cli/out.h"

enum { NAMES_ONLY = LONG_OWN, COUNTABLE, METRICS };

/**
 * struct entry - an event or a metric
 * @kind: "event", "signal", "cycles", "metric"
 * @name: its name
 * @unit: unit of its count
 * @domain: its domain, empty for metrics
 * @text: its description
 * @confidence: confidence of its name, may be empty
 * @source: documents that describe it, may be empty
 * @terms: its terms; the expression of a metric
 */
struct entry {
	const char *kind;
	const char *name;
	const char *unit;
	const char *domain;
	const char *text;
	const char *confidence;
	const char *source;
	const char *terms;
};

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

static json_t *entry_json(const struct entry *e)
{
	return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:s}",
			 "name", e->name, "kind", e->kind, "unit", or_null(e->unit),
			 "domain", or_null(e->domain), "text", or_null(e->text),
			 "confidence", or_null(e->confidence), "source", or_null(e->source),
			 !strcmp(e->kind, "metric") ? "expression" : "terms", e->terms);
}

static void show(const struct entry *e)
{
	if (!fits(e->name))
		return;
	shown++;
	if (list)
		json_array_append_new(list, entry_json(e));
	else if (names)
		puts(e->name);
	else
		printf("%-40s %-7s %-8s %-10s %s\n", e->name, e->kind, e->domain,
		       e->confidence, e->text);
}

static void show_name(const struct pmu *pmu, const struct pmu_name *name)
{
	bool told = *name->text || !strcmp(name->confidence, "user");
	struct entry e = { .kind = name->clock && !*name->source ? "cycles" :
				   told ? "event" : "signal",
			   .name = name->name, .unit = name->unit, .domain = "",
			   .text = name->text, .confidence = name->confidence,
			   .source = name->source, .terms = name->terms };
	struct event event = {};
	int dom = -1;

	if (event_terms(pmu, name->terms, &event))
		dom = event_domain(&event);
	if (pmu->idle)
		e.domain = IDLE_DOMAIN;
	else if (dom >= 0)
		e.domain = dom_name(pmu, dom);
	if (!strcmp(e.kind, "event") || all || pattern)
		show(&e);
}

static void show_metrics(const struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++) {
		if (metric_find(pmu, metrics[i].name) != &metrics[i])
			continue;
		show(&(struct entry){
			.kind = "metric", .name = metrics[i].name, .unit = metrics[i].unit,
			.domain = "", .text = metrics[i].text,
			.confidence = metric_confidence(pmu, &metrics[i]), .source = "",
			.terms = metrics[i].expression,
		});
	}
}

static void show_pmu(const struct pmu *pmu)
{
	const struct pmu *half;
	unsigned int i;

	for (half = pmu; half && !only_metrics; half = half == pmu ? pmu->beside : NULL)
		for (i = 0; i < half->nr_names; i++)
			show_name(half, &half->names[i]);
	if (!countable)
		show_metrics(pmu);
	if (pattern && !shown)
		complain("%s: no event or metric has such a name%s", pattern,
			 did_you_mean(any_nearest(pmu, pattern)));
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
