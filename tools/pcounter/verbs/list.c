// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter list: list GPUs, and their domains and clocks.
 */
#include "gpu/count.h"
#include "gpu/gpu.h"
#include "gpu/trigger.h"
#include "cli/out.h"

#define MEASURE_MS	100
#define TICKS		PCOUNTER_MAX_DOMAINS	/* of the idle counters, behind the domains */
#define CLOCKS		(TICKS + 1)

static json_t *list;
static const char *wish;

static const struct option_doc options[] = {
	{ 'j', "json", NULL, "one JSON array of all GPUs", OPT_JSON(&list) },
	OPTION_DEVICE(&wish),
	{ }
};

/* Measure the clocks of a GPU, -1 if unknown. Return why none is known, NULL if any can be. */
static const char *find_clocks(const struct gpu *gpu, double hz[CLOCKS])
{
	unsigned int i;

	for (i = 0; i < CLOCKS; i++)
		hz[i] = -1;
	if (gpu_asleep(gpu))
		return "not measured: asleep";
	if (!may_count(false))
		return "not measured: no right to count (pcounter doctor)";
	measure_clocks(gpu->pmu, MEASURE_MS, hz);
	if (gpu->pmu->beside)
		measure_clocks(gpu->pmu->beside, MEASURE_MS, hz + TICKS);
	return NULL;
}

static unsigned int named_signals(const struct pmu *pmu)
{
	unsigned int i, n = 0;

	for (i = 0; i < pmu->nr_names; i++)
		n += !pmu->names[i].clock;
	return n;
}

static json_t *words_json(const char *text)
{
	char *rest = text_keep(strdup(text)), *word;
	json_t *words = json_array();

	while ((word = strsep(&rest, " ")))
		if (*word)
			json_array_append_new(words, json_string(word));
	return words;
}

/* Return a number, null if it is not known. */
static json_t *number_json(bool known, json_int_t number)
{
	return known ? json_integer(number) : json_null();
}

static json_t *hz_json(double hz)
{
	return hz >= 0 ? json_real(hz) : json_null();
}

static json_t *domain_json(const struct pmu *pmu, unsigned int dom, double hz)
{
	static const char *const sets[] = { "hub", "gpc", "part" };
	const struct pcounter_dom_id *id = &pmu->topo.dom[dom];
	bool in_set = pmu->topo.caps & PCOUNTER_CAP_SETS;

	return json_pack("{s:s, s:i, s:s?, s:o, s:o, s:s?, s:o}",
			 "name", id->name, "dom", id->dom, "set", in_set ? sets[id->set] : NULL,
			 "unit", number_json(in_set, id->unit), "signals",
			 number_json(trailer_known(id), pcounter_dom_signals(id, pmu->topo.caps)),
			 "clock", id->clock, "clock_hz", hz_json(hz));
}

static json_t *gpu_json(const struct gpu *gpu, const double *hz)
{
	const struct pmu *pmu = gpu->pmu;
	json_t *domains, *all;
	unsigned int i;
	const char *why;

	all = json_pack("{s:s, s:s?, s:o, s:o, s:s?, s:o, s:s, s:s?, s:s?, s:s?}",
			"address", gpu->address, "card", or_null(gpu_card(gpu)),
			"vendor", number_json(gpu->vendor, gpu->vendor),
			"device", number_json(gpu->vendor, gpu->device),
			"driver", or_null(gpu->driver), "nodes", words_json(gpu->nodes),
			"power", gpu_power(gpu), "pmu", pmu ? pmu->name : NULL,
			"idle_pmu", pmu && pmu->beside ? pmu->beside->name : NULL,
			"unsupported", pmu ? NULL : gpu_why_not(gpu));
	if (!pmu)
		return all;
	domains = json_array();
	for (i = 0; i < pmu->topo.nr; i++)
		json_array_append_new(domains, domain_json(pmu, i, hz[i]));
	json_object_update_new(all,
			       json_pack("{s:s, s:o, s:s?, s:o, s:i, s:o, s:o}",
					 "chip", pmu->chip_name, "modes", words_json(pmu->modes),
					 "trigger", trigger_path(gpu, &why),
					 "counters", json_integer(pmu->counters),
					 "named_signals", named_signals(pmu), "domains", domains,
					 "idle_ticks_hz", hz_json(hz[TICKS])));
	return all;
}

static void print_pmu(const struct gpu *gpu, const double *hz, const char *why)
{
	const struct pmu *pmu = gpu->pmu;
	const char *no_trigger = NULL, *trigger = trigger_path(gpu, &no_trigger);
	bool all_known = true;
	unsigned int i;

	printf("  pmu       %s%s%s\n", pmu->name, pmu->beside ? " " : "",
	       pmu->beside ? pmu->beside->name : "");
	printf("  modes     %s; %lu counters in each domain\n", pmu->modes, pmu->counters);
	printf("  trigger   %s%s\n", trigger ? "" : "none: ", trigger ?: no_trigger);
	printf("  signals   %u named\n", named_signals(pmu));
	printf("  domains   %u; clocks %s\n", pmu->topo.nr, why ?: "measured");
	for (i = 0; i < pmu->topo.nr; i++) {
		const struct pcounter_dom_id *id = &pmu->topo.dom[i];

		all_known &= trailer_known(id);
		printf("    %-8s %3s signals  ", id->name, trailer_known(id) ?
		       text_tmp("%u", pcounter_dom_signals(id, pmu->topo.caps)) : "?");
		if (hz[i] >= 0)
			printf("%10.3f MHz  ", hz[i] / 1e6);
		puts(id->clock ?: "clock unknown");
	}
	if (hz[TICKS] >= 0)
		printf("  idle      ticks %10.3f MHz\n", hz[TICKS] / 1e6);
	if (!all_known)
		puts("    ? signals: no document says how many; root can ask a GPU that is awake");
}

static void print_gpu(const struct gpu *gpu, const double *hz, const char *why)
{
	const char *card = gpu_card(gpu);

	printf("%s  ", gpu->address);
	if (gpu->vendor)
		printf("%04lx:%04lx  ", gpu->vendor, gpu->device);
	printf("%s%s%s%s  %s\n", gpu->pmu ? gpu->pmu->chip_name : "-", *card ? " (" : "", card,
	       *card ? ")" : "", gpu_power(gpu));
	printf("  driver    %s%s\n", *gpu->driver ? gpu->driver : "none", gpu->nodes);
	if (gpu->pmu)
		print_pmu(gpu, hz, why);
	else
		printf("  pmu       none: %s\n", gpu_why_not(gpu));
}

static int run_list(char **args)
{
	double hz[CLOCKS];
	int status = STATUS_OK;
	const char *why = NULL;
	unsigned int i;
	struct gpus gpus;

	gpus_find(&gpus, wish, false);
	for (i = 0; i < gpus.nr; i++) {
		if (gpus.gpu[i].pmu)
			why = find_clocks(&gpus.gpu[i], hz);
		if (list)
			json_array_append_new(list, gpu_json(&gpus.gpu[i], hz));
		else
			print_gpu(&gpus.gpu[i], hz, why);
	}
	if (!list && !gpus.nr)
		complain("no GPU%s%s", wish ? " " : "", wish ?: "");
	if (wish && !gpus.nr)
		status = STATUS_NO_GPU;
	print_json(list);
	gpus_free(&gpus);
	return status;
}

const struct verb verb_list = {
	.name = "list",
	.args = "",
	.summary = "show every GPU, its counters and clocks, or why it has none",
	.options = options,
	.counts = true,
	.run = run_list,
};
