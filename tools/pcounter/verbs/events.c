// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter events: what can be counted, by name.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/event.h"
#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "gpu/names.h"
#include "gpu/pmu.h"
#include "lib/tool.h"
#include "verbs/verbs.h"

enum { NAMES_ONLY = 256, COUNTABLE };

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "one JSON array of all events and metrics" },
	{ 'c', "chip", "CHIP", "as if this machine had such a chip (G84, 0xa3)" },
	{ 'd', "device", "GPU", "of this one: PCI address or name of the PMU" },
	{ 'a', "all", NULL, "signals, too, of which nothing but the name is known" },
	{ 'm', "metrics", NULL, "metrics alone" },
	{ COUNTABLE, "countable", NULL, "no metrics: what can be behind -e" },
	{ NAMES_ONLY, "names", NULL, "nothing but names, for completion" },
	{ }
};

/**
 * struct entry - an event or a metric
 * @kind: "event", "signal", "cycles", "metric"
 * @name: its name
 * @unit: what its count is a number of
 * @domain: where it counts, empty for metrics
 * @text: what it counts
 * @confidence: how well it is known, may be empty
 * @source: documents that have it, may be empty
 * @terms: what it stands for; the expression of a metric
 */
struct entry {
	const char *kind;
	const char *name;
	const char *unit;
	char domain[PCOUNTER_DOM_NAME];
	const char *text;
	const char *confidence;
	const char *source;
	const char *terms;
};

/**
 * struct wish - what is to be shown
 * @pattern: names with a part like this, or all that fit a shell pattern
 * @all: signals, too
 * @metrics: metrics alone
 * @countable: no metrics
 * @names: names alone
 * @json: gets the entries, NULL for text
 * @shown: how many
 */
struct wish {
	const char *pattern;
	bool all;
	bool metrics;
	bool countable;
	bool names;
	json_t *json;
	unsigned int shown;
};

static bool fits(const struct wish *wish, const char *name)
{
	const char *pattern = wish->pattern;

	if (!pattern)
		return true;
	return strpbrk(pattern, "*?[") ? !fnmatch(pattern, name, 0) : !!strstr(name, pattern);
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static json_t *entry_json(const struct entry *e)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "name", e->name,
			 "kind", e->kind, "unit", text_or_null(e->unit),
			 "domain", text_or_null(e->domain), "text", text_or_null(e->text),
			 "confidence", text_or_null(e->confidence),
			 "source", text_or_null(e->source),
			 !strcmp(e->kind, "metric") ? "expression" : "terms", e->terms);
}

static void show(struct wish *wish, const struct entry *e)
{
	if (!fits(wish, e->name))
		return;
	wish->shown++;
	if (wish->json) {
		json_array_append_new(wish->json, entry_json(e));
	} else if (wish->names) {
		puts(e->name);
	} else {
		printf("%-40s %-7s %-8s %-10s %s\n", e->name, e->kind, e->domain,
		       e->confidence, e->text);
	}
}

static void entry_of(const struct pmu *pmu, const struct pmu_name *name, struct entry *e)
{
	const struct event_text *text = event_text(name->name);
	struct event event = {};
	int dom = -1;

	*e = (struct entry){ .kind = "signal", .name = name->name, .unit = name->unit,
			     .text = name->text, .confidence = name->confidence,
			     .source = name->source, .terms = name->terms };
	if (text) {
		e->kind = "event";
		e->unit = text->unit;
		e->text = text->text;
		e->source = *name->source ? name->source : text->source;
	} else if (name->clock) {
		e->kind = "cycles";
		e->unit = "clocks";
		e->text = "clocks of the domain";
	} else if (pmu->idle || !strcmp(name->confidence, "user")) {
		e->kind = "event";
	}
	if (event_terms(pmu, name->terms, &event))
		dom = event_domain(pmu, &event);
	if (pmu->idle)
		strcpy(e->domain, IDLE_DOMAIN);
	else if (dom >= 0)
		pcounter_dom_name(&pmu->topo, dom, e->domain, sizeof(e->domain));
}

static void show_metrics(struct wish *wish, const struct pmu *pmu)
{
	const struct metric *metric;
	unsigned int i;

	for (i = 0; i < nr_metrics; i++) {
		struct entry e = { .kind = "metric", .confidence = "", .source = "" };

		metric = metric_find(pmu, metrics[i].name);
		if (metric != &metrics[i])
			continue;
		e.name = metric->name;
		e.unit = metric->unit;
		e.text = metric->text;
		e.terms = metric->expression;
		show(wish, &e);
	}
}

static void show_names(struct wish *wish, const struct pmu *pmu)
{
	struct entry e;
	unsigned int i;

	for (i = 0; i < pmu->nr_names && !wish->metrics; i++) {
		entry_of(pmu, &pmu->names[i], &e);
		if (!strcmp(e.kind, "event") || wish->all || wish->pattern)
			show(wish, &e);
	}
}

static void show_pmu(struct wish *wish, const struct pmu *pmu)
{
	char hint[HINT_TEXT];

	show_names(wish, pmu);
	if (pmu->beside)
		show_names(wish, pmu->beside);
	if (!wish->countable)
		show_metrics(wish, pmu);
	if (!wish->pattern || wish->shown)
		return;
	complain("%s: no event or metric has such a name%s", wish->pattern,
		 did_you_mean(any_nearest(pmu, wish->pattern), hint));
}

static int show_chip(struct wish *wish, const char *chip)
{
	struct pmu *pmu = pmu_offline(chip);

	if (!pmu) {
		complain("%s: %s", chip, chip_why_not(chip));
		return STATUS_USAGE;
	}
	show_pmu(wish, pmu);
	pmu_free(pmu);
	return STATUS_OK;
}

static int show_gpus(struct wish *wish, const char *device)
{
	const struct gpu *found;
	struct gpus gpus;
	char others[256];

	gpus_find(&gpus);
	found = gpus_first(&gpus, device, others, sizeof(others));
	/* the others may have other names */
	if (*others)
		complain("shows %s of %s; -d GPU chooses", found->address, others);
	if (found)
		show_pmu(wish, found->pmu);
	gpus_free(&gpus);
	if (!found)
		complain("no GPU with counters; events --chip CHIP does without");
	return found ? STATUS_OK : STATUS_NO_GPU;
}

static int run_events(const struct verb *verb, int argc, char **argv)
{
	const char *chip = NULL, *device = NULL;
	struct wish wish = {};
	int c, status;

	while ((c = verb_getopt(verb, argc, argv)) != -1) {
		if (c == 'j')
			wish.json = wish.json ? wish.json : json_array();
		else if (c == 'c')
			chip = optarg;
		else if (c == 'd')
			device = optarg;
		else if (c == 'a')
			wish.all = true;
		else if (c == 'm')
			wish.metrics = true;
		else if (c == COUNTABLE)
			wish.countable = true;
		else
			wish.names = true;
	}
	if (argc - optind > 1) {
		verb_usage(verb, stderr);
		json_decref(wish.json);
		return STATUS_USAGE;
	}
	wish.pattern = argv[optind];
	status = chip ? show_chip(&wish, chip) : show_gpus(&wish, device);
	if (wish.json && !status) {
		json_dumpf(wish.json, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
	}
	json_decref(wish.json);
	if (!status && wish.pattern && !wish.shown)
		status = STATUS_NO;
	return status;
}

const struct verb verb_events = {
	.name = "events",
	.args = "[PATTERN]",
	.summary = "show the events and metrics of a GPU by name",
	.text =
		"Shows what can be counted by name: the name, its kind, the domain, how well\n"
		"it is known, and what it counts. Events are the counters of NVIDIA's tools,\n"
		"for perf stat -e and for explain; metrics are for pcounter stat -M. With\n"
		"PATTERN all names that contain it, or fit it if it has * or ?; signals and\n"
		"cycles of domains are shown then, too, and with --all.\n"
		"\n"
		"How well: traced (NVIDIA's driver was seen to write the same on such a card),\n"
		"checked (compared with NVIDIA's tool on such a card), documents (neither);\n"
		"of signals one, several or disputed documents.\n"
		"\n"
		"~/.config/pcounter/CHIP.events may add names, one in a line:\n"
		"NAME,\"TERMS\",UNIT,TEXT,SOURCE. The program knows them, perf does not. A line\n"
		"that makes no sense is told by its number, and left out.\n",
	.options = options,
	.example = "pcounter events --chip GF100 'l1_*'",
	.run = run_events,
};
