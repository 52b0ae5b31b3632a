// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter list: what there is.
 */
#include <getopt.h>
#include <jansson.h>
#include <string.h>

#include "gpu/cards.h"
#include "gpu/count.h"
#include "gpu/gpu.h"
#include "gpu/rights.h"
#include "lib/tool.h"
#include "verbs/verbs.h"

#define MEASURE_MS	100

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "one JSON array of all GPUs" },
	{ 'd', "device", "GPU", "only this one: PCI address or name of the PMU" },
	{ }
};

/**
 * struct clocks - measured clocks of a GPU
 * @known: how many domains have one
 * @hz: by domain, -1 where it is unknown
 * @why: why none is known, if so
 */
struct clocks {
	unsigned int known;
	double hz[PCOUNTER_MAX_DOMAINS];
	const char *why;
};

static void find_clocks(const struct gpu *gpu, struct clocks *clocks)
{
	int err;

	memset(clocks, 0, sizeof(*clocks));
	if (gpu_asleep(gpu))
		clocks->why = "not measured: asleep";
	else if (!may_count())
		clocks->why = "not measured: no right to count (pcounter doctor)";
	else
		clocks->known = measure_clocks(gpu->pmu, MEASURE_MS, clocks->hz, &err);
}

static unsigned int named_signals(const struct pmu *pmu)
{
	unsigned int i, n = 0;

	for (i = 0; i < pmu->nr_names; i++)
		n += !pmu->names[i].clock;
	return n;
}

static json_t *text_or_null(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static json_t *words_json(const char *text)
{
	json_t *list = json_array();
	size_t len;

	for (; *text; text += len + strspn(text + len, " ")) {
		len = strcspn(text, " ");
		json_array_append_new(list, json_stringn(text, len));
	}
	return list;
}

/* Where documents are silent the GPU is asked, if it is awake and root asks. */
static bool signals_known(const struct pcounter_dom_id *id)
{
	return id->trailer != PCOUNTER_TRAILER_UNKNOWN && !id->disputed;
}

static json_t *domains_json(const struct pmu *pmu, const struct clocks *clocks)
{
	static const char *const sets[] = { "hub", "gpc", "part" };
	json_t *list = json_array(), *domain;
	char name[PCOUNTER_DOM_NAME];
	unsigned int i;

	for (i = 0; i < pmu->topo.nr; i++) {
		const struct pcounter_dom_id *id = &pmu->topo.dom[i];
		bool known = clocks->known && clocks->hz[i] >= 0;
		bool in_set = pmu->topo.caps & PCOUNTER_CAP_SETS;

		domain = json_pack("{s:s, s:i, s:s?, s:o, s:o, s:s?, s:o}", "name",
				   pcounter_dom_name(&pmu->topo, i, name, sizeof(name)),
				   "dom", id->dom, "set", in_set ? sets[id->set] : NULL,
				   "unit", in_set ? json_integer(id->unit) : json_null(),
				   "signals", signals_known(id) ?
				   json_integer(pcounter_dom_signals(id, pmu->topo.caps)) :
				   json_null(),
				   "clock", id->clock, "clock_hz",
				   known ? json_real(clocks->hz[i]) : json_null());
		json_array_append_new(list, domain);
	}
	return list;
}

static json_t *gpu_json(const struct gpu *gpu, const struct clocks *clocks)
{
	json_t *nodes = json_array(), *json;
	const struct pmu *pmu = gpu->pmu;
	char why[WHY_TEXT], card[CARD_NAME] = "";
	unsigned int i;

	if (gpu->pci)
		card_name(gpu->vendor, gpu->device, card, sizeof(card));
	for (i = 0; i < gpu->nr_nodes; i++)
		json_array_append_new(nodes, json_string(gpu->node[i]));
	json = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o}",
			 "address", gpu->address, "card", text_or_null(card),
			 "vendor", gpu->pci ? json_integer(gpu->vendor) : json_null(),
			 "device", gpu->pci ? json_integer(gpu->device) : json_null(),
			 "driver", text_or_null(gpu->driver),
			 "nodes", nodes,
			 "power", gpu_power(gpu),
			 "pmu", text_or_null(pmu ? pmu->name : NULL),
			 "idle_pmu", text_or_null(pmu && pmu->beside ? pmu->beside->name : NULL));
	if (!pmu) {
		gpu_why_not(gpu, why, sizeof(why));
		json_object_set_new(json, "unsupported", json_string(why));
		return json;
	}
	json_object_set_new(json, "unsupported", json_null());
	json_object_set_new(json, "chip", text_or_null(pmu->chip_name));
	json_object_set_new(json, "modes", words_json(pmu->modes));
	json_object_set_new(json, "counters", json_integer(pmu->counters));
	json_object_set_new(json, "named_signals", json_integer(named_signals(pmu)));
	json_object_set_new(json, "domains", domains_json(pmu, clocks));
	return json;
}

static void print_pmu(const struct pmu *pmu, const struct clocks *clocks)
{
	char name[PCOUNTER_DOM_NAME];
	bool all_known = true;
	unsigned int i;

	printf("  modes     %s; %lu counters in each domain\n", pmu->modes, pmu->counters);
	printf("  signals   %u named\n", named_signals(pmu));
	printf("  domains   %u; clocks %s\n", pmu->topo.nr, clocks->why ? clocks->why : "measured");
	for (i = 0; i < pmu->topo.nr; i++) {
		const struct pcounter_dom_id *id = &pmu->topo.dom[i];

		pcounter_dom_name(&pmu->topo, i, name, sizeof(name));
		all_known &= signals_known(id);
		if (signals_known(id))
			printf("    %-8s %3u signals  ", name,
			       pcounter_dom_signals(id, pmu->topo.caps));
		else
			printf("    %-8s   ? signals  ", name);
		if (clocks->known && clocks->hz[i] >= 0)
			printf("%10.3f MHz  ", clocks->hz[i] / 1e6);
		printf("%s\n", id->clock ? id->clock : "clock unknown");
	}
	if (!all_known)
		puts("    ? signals: no document says how many; root can ask a GPU that is awake");
}

static void print_gpu(const struct gpu *gpu, const struct clocks *clocks)
{
	char why[WHY_TEXT], card[CARD_NAME] = "";
	unsigned int i;

	if (gpu->pci)
		card_name(gpu->vendor, gpu->device, card, sizeof(card));
	printf("%s  ", gpu->address);
	if (gpu->pci)
		printf("%04lx:%04lx  ", gpu->vendor, gpu->device);
	printf("%s%s%s%s  %s\n", gpu->pmu ? gpu->pmu->chip_name : "-", *card ? " (" : "", card,
	       *card ? ")" : "", gpu_power(gpu));
	printf("  driver    %s", *gpu->driver ? gpu->driver : "none");
	for (i = 0; i < gpu->nr_nodes; i++)
		printf(" %s", gpu->node[i]);
	if (gpu->pmu) {
		printf("\n  pmu       %s%s%s\n", gpu->pmu->name, gpu->pmu->beside ? " " : "",
		       gpu->pmu->beside ? gpu->pmu->beside->name : "");
		print_pmu(gpu->pmu, clocks);
	} else {
		gpu_why_not(gpu, why, sizeof(why));
		printf("\n  pmu       none: %s\n", why);
	}
}

static int run_list(const struct verb *verb, int argc, char **argv)
{
	const char *wish = NULL;
	json_t *json = NULL;
	struct clocks clocks;
	struct gpus gpus;
	unsigned int i, shown = 0;
	int c;

	while ((c = verb_getopt(verb, argc, argv)) != -1) {
		if (c == 'j')
			json = json ? json : json_array();
		else
			wish = optarg;
	}
	if (optind < argc) {
		verb_usage(verb, stderr);
		json_decref(json);
		return STATUS_USAGE;
	}
	gpus_find(&gpus);
	for (i = 0; i < gpus.nr; i++) {
		if (!gpu_chosen(&gpus.gpu[i], wish))
			continue;
		if (gpus.gpu[i].pmu)
			find_clocks(&gpus.gpu[i], &clocks);
		if (json)
			json_array_append_new(json, gpu_json(&gpus.gpu[i], &clocks));
		else
			print_gpu(&gpus.gpu[i], &clocks);
		shown++;
	}
	if (json) {
		json_dumpf(json, stdout,
			   JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
		putchar('\n');
	} else if (!shown) {
		complain("no GPU%s%s", wish ? " " : "", wish ? wish : "");
	}
	json_decref(json);
	gpus_free(&gpus);
	return wish && !shown ? STATUS_NO_GPU : STATUS_OK;
}

const struct verb verb_list = {
	.name = "list",
	.args = "",
	.summary = "show every GPU, its counters and clocks, or why it has none",
	.text =
		"Shows every GPU that libdrm or PCI knows: address, chip, what the card is\n"
		"called in shops (if the system has pci.ids, see hwdata), kernel driver and\n"
		"DRM nodes, PMU, hardware modes, number of named signals, and the domains\n"
		"with their measured clocks. Of a GPU without counters it says why.\n"
		"\n"
		"A sleeping GPU is shown as asleep and is not woken: its clocks are not\n"
		"measured. Without GPUs the list is empty, and the exit status 0.\n",
	.options = options,
	.example = "pcounter list --json",
	.run = run_list,
};
