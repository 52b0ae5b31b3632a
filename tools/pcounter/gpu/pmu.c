// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's PMUs, as sysfs shows them.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <linux/kernel.h>

#include "gpu/event.h"
#include "gpu/pmu.h"
#include "gpu/user.h"
#include "hw/layout.h"
#include "lib/tool.h"
#include "rules/public.h"
#include "rules/signals.h"
#include "rules/terms.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define DEBUG		"/sys/kernel/debug/pcounter"
#define PREFIX		"pcounter_"
#define IDLE_PREFIX	"pcounter_idle_"
#define LINE_BITS	32	/* signals in a word of debugfs */

static int by_version(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_pmu(const struct dirent *entry)
{
	return !strncmp(entry->d_name, PREFIX, strlen(PREFIX));
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* "config1:8-15" */
static bool parse_format(const char *text, struct pmu_term *term)
{
	int got;

	term->word = 0;
	if (sscanf(text, "config%u:", &term->word) != 1)
		term->word = 0;
	text = strchr(text, ':');
	if (!text || term->word >= PMU_WORDS)
		return false;
	got = sscanf(text, ":%u-%u", &term->lo, &term->hi);
	if (got == 1)
		term->hi = term->lo;
	return got >= 1 && term->lo <= term->hi && term->hi < 64;
}

static void read_formats(struct pmu *pmu)
{
	struct dirent **list;
	char path[128], text[64];
	int n, i;

	snprintf(path, sizeof(path), DEVICES "/%s/format", pmu->name);
	n = scandir(path, &list, is_file, by_version);
	for (i = 0; i < n; i++) {
		struct pmu_term *term = &pmu->term[pmu->nr_terms];

		if (pmu->nr_terms < PMU_TERMS &&
		    strlen(list[i]->d_name) < sizeof(term->name) &&
		    file_read(text, sizeof(text), "%s/%s", path, list[i]->d_name) &&
		    parse_format(text, term)) {
			strcpy(term->name, list[i]->d_name);
			pmu->nr_terms++;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

/*
 * Events by the names of NVIDIA's tools have words of their own for how well they
 * are known. What such an event looks at may be a single signal, but it is not
 * that signal's name.
 */
static bool is_public(const struct pmu_name *name)
{
	static const char *const words[] = { "traced", "checked", "documents" };
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(name->confidence, words[i]))
			return true;
	return false;
}

/* Is a named event nothing but a wire? */
static void name_wire(const struct pmu *pmu, struct pmu_name *name)
{
	struct event event = {};
	unsigned int i;

	if (!event_terms(pmu, name->terms, &event))
		return;
	for (i = 0; i < event.nr; i++) {
		const char *term = pmu->term[event.at[i]].name;

		if (strcmp(term, "dom") && strcmp(term, "sig") && strcmp(term, "set") &&
		    strcmp(term, "unit"))
			return;
	}
	name->set = event_value(&event, "set", 0);
	name->dom = event_value(&event, "dom", 0);
	name->sig = event_value(&event, "sig", ~0U);
	name->wire = name->sig != ~0U && !is_public(name);
}

/* Its line in the list of all names, if it has one. */
static void find_confidence(const char *line, struct pmu_name *name)
{
	size_t len = strlen(name->name);

	while (line && (strncmp(line, name->name, len) || line[len] != ' ')) {
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	if (line)
		sscanf(line + len, "%15s", name->confidence);
}

static void read_names(struct pmu *pmu)
{
	struct dirent **list;
	char path[128], confidence[32768];
	int n, i;

	snprintf(path, sizeof(path), DEVICES "/%s/events", pmu->name);
	n = scandir(path, &list, is_file, by_version);
	if (n < 0)
		return;
	file_read(confidence, sizeof(confidence), DEVICES "/%s/confidence", pmu->name);
	pmu->names = calloc(n ? n : 1, sizeof(*pmu->names));
	for (i = 0; i < n; i++) {
		struct pmu_name *name = &pmu->names[pmu->nr_names];
		const char *file = list[i]->d_name;

		/* "name.unit" and the like belong to "name" */
		if (pmu->names && !strchr(file, '.') && strlen(file) < sizeof(name->name) &&
		    file_read(name->terms, sizeof(name->terms), "%s/%s", path, file)) {
			strcpy(name->name, file);
			find_confidence(confidence, name);
			name_wire(pmu, name);
			pmu->nr_names++;
		}
		free(list[i]);
	}
	free(list);
}

/* Which GPCs and partitions there are is told by the cycles of their domains. */
static void read_units(const struct pmu *pmu, u32 *gpcs, u32 *parts)
{
	struct event event;
	unsigned int i, unit;

	*gpcs = 0;
	*parts = 0;
	for (i = 0; i < pmu->nr_names; i++) {
		memset(&event, 0, sizeof(event));
		if (!event_terms(pmu, pmu->names[i].terms, &event) ||
		    !event_value(&event, "clk", 0))
			continue;
		unit = event_value(&event, "unit", 0);
		if (event_value(&event, "set", 0) == PCOUNTER_SET_GPC)
			*gpcs |= BIT(unit);
		else if (event_value(&event, "set", 0) == PCOUNTER_SET_PART)
			*parts |= BIT(unit);
	}
}

/**
 * device_power() - is a PCI function awake?
 * @address: its address
 *
 * Return: "awake", "asleep", or "gone".
 */
const char *device_power(const char *address)
{
	char text[32];

	if (!file_exists(PCI_DEVICES "/%s", address))
		return "gone";
	file_read(text, sizeof(text), PCI_DEVICES "/%s/power/runtime_status", address);
	if (!strncmp(text, "suspend", strlen("suspend")))
		return "asleep";
	file_read(text, sizeof(text), PCI_DEVICES "/%s/power_state", address);
	return !strncmp(text, "D3", 2) ? "asleep" : "awake";
}

static bool signals_uncertain(const struct pcounter_topo *topo)
{
	unsigned int i;

	for (i = 0; i < topo->nr; i++)
		if (topo->dom[i].disputed || topo->dom[i].trailer == PCOUNTER_TRAILER_UNKNOWN)
			return true;
	return false;
}

/*
 * Where no document says how many signals a domain has, the driver asks the
 * hardware, and shows the result in debugfs. That file reads registers.
 */
static void read_signals(struct pmu *pmu)
{
	char text[65536], *line, *rest = text;
	struct pcounter_topo *topo = &pmu->topo;
	unsigned int dom = 0, nr;

	if (!signals_uncertain(topo) || !strcmp(device_power(pmu->device), "asleep") ||
	    !file_read(text, sizeof(text), DEBUG "/%s/signals", pmu->name))
		return;
	for (; (line = strsep(&rest, "\n")) && dom < topo->nr; dom++) {
		struct pcounter_dom_id *id = &topo->dom[dom];

		line = strchr(line, ':');
		for (nr = 0; line && (line = strchr(line, ' ')); line++)
			nr += LINE_BITS;
		if (!nr || nr == pcounter_dom_signals(id, topo->caps))
			continue;
		id->disputed = false;
		id->trailer = 0;
		id->trailer = nr - pcounter_dom_signals(id, topo->caps);
	}
}

static void read_chip(struct pmu *pmu)
{
	unsigned long chipset;
	const struct pcounter_chip *chip;
	u32 gpcs, parts;

	file_read(pmu->chip_name, sizeof(pmu->chip_name), DEVICES "/%s/caps/chip", pmu->name);
	file_read(pmu->modes, sizeof(pmu->modes), DEVICES "/%s/caps/modes", pmu->name);
	if (!file_number(&chipset, DEVICES "/%s/identifier", pmu->name))
		return;
	chip = pcounter_chip_find(chipset);
	if (!chip)
		return;
	read_units(pmu, &gpcs, &parts);
	pcounter_topo_build(&pmu->topo, chip, pcounter_gen_find(chip)->caps, gpcs, parts);
	read_signals(pmu);
}

static struct pmu *pmu_read(const char *name)
{
	struct pmu *pmu = calloc(1, sizeof(*pmu));

	if (!pmu)
		return NULL;
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	pmu->idle = !strncmp(name, IDLE_PREFIX, strlen(IDLE_PREFIX));
	if (!file_number(&pmu->type, DEVICES "/%s/type", name)) {
		free(pmu);
		return NULL;
	}
	file_number(&pmu->cpu, DEVICES "/%s/cpumask", name);
	file_number(&pmu->counters, DEVICES "/%s/caps/counters", name);
	file_read(pmu->device, sizeof(pmu->device), DEVICES "/%s/caps/device", name);
	read_formats(pmu);
	read_names(pmu);
	if (!pmu->idle)
		read_chip(pmu);
	user_names_add(pmu);
	return pmu;
}

/**
 * pmus_find() - read all PMUs of this driver from sysfs
 * @pmus: where to store them; pmus_free() frees
 *
 * Touches no GPU.
 */
void pmus_find(struct pmus *pmus)
{
	struct dirent **list;
	int n, i;

	pmus->nr = 0;
	pmus->pmu = NULL;
	n = scandir(DEVICES, &list, is_pmu, by_version);
	if (n < 0)
		return;
	pmus->pmu = calloc(n ? n : 1, sizeof(*pmus->pmu));
	for (i = 0; i < n; i++) {
		struct pmu *pmu = pmus->pmu ? pmu_read(list[i]->d_name) : NULL;

		if (pmu)
			pmus->pmu[pmus->nr++] = pmu;
		free(list[i]);
	}
	free(list);
}

/**
 * pmu_free() - free a PMU
 * @pmu: the PMU, or NULL
 */
void pmu_free(struct pmu *pmu)
{
	if (pmu)
		free(pmu->names);
	free(pmu);
}

/**
 * pmus_free() - free what pmus_find() found
 * @pmus: the PMUs
 */
void pmus_free(struct pmus *pmus)
{
	unsigned int i;

	for (i = 0; i < pmus->nr; i++)
		pmu_free(pmus->pmu[i]);
	free(pmus->pmu);
	pmus->nr = 0;
	pmus->pmu = NULL;
}

static const struct pcounter_chip *find_chip(const char *text)
{
	unsigned int i;
	char *end;
	unsigned long id = strtoul(text, &end, 16);

	for (i = 0; i < pcounter_nr_chips; i++)
		if (!strcasecmp(pcounter_chips[i].name, text))
			return &pcounter_chips[i];
	return *text && !*end ? pcounter_chip_find(id) : NULL;
}

/**
 * chip_why_not() - why there is no PMU for a chip
 * @text: its name, or its chipset id in hex, which pmu_offline() did not take
 *
 * Return: the reason, in words.
 */
const char *chip_why_not(const char *text)
{
	static const char *const newer[] = { "GV", "TU", "GA", "AD", "GH", "GB" };
	unsigned long id = strtoul(text, NULL, 16);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(newer); i++)
		if (!strncasecmp(text, newer[i], strlen(newer[i])) && isdigit(text[2]))
			id = ~0UL;
	return id > pcounter_chips[pcounter_nr_chips - 1].chipset ?
	       "newer than Pascal: not supported" : "no chip with counters";
}

/* The events that the driver would show. */
static void offline_names(struct pmu *pmu)
{
	const struct pcounter_topo *topo = &pmu->topo;
	const struct pcounter_signal *signal;
	unsigned int i, nr;

	signal = pcounter_signals_find(topo->chip, &nr);
	pmu->names = calloc(nr + pcounter_public_count(topo->chip) + 1, sizeof(*pmu->names));
	for (i = 0; i < nr && pmu->names; i++, signal++) {
		struct pmu_name *name = &pmu->names[pmu->nr_names];

		if (pcounter_signal_unit(signal, topo) < 0)
			continue;
		snprintf(name->name, sizeof(name->name), "%s",
			 pcounter_signal_names[signal->name]);
		pcounter_signal_terms(signal, topo, name->terms, sizeof(name->terms));
		snprintf(name->confidence, sizeof(name->confidence), "%s",
			 pcounter_signal_confidence(signal));
		name_wire(pmu, name);
		pmu->nr_names++;
	}
	for (i = 0; i < pcounter_public_count(topo->chip) && pmu->names; i++) {
		const struct pcounter_public *event = pcounter_public_get(topo->chip, i);
		struct pmu_name *name = &pmu->names[pmu->nr_names];

		if (pcounter_public_unit(event, topo) < 0)
			continue;
		snprintf(name->name, sizeof(name->name), "%s", event->name);
		pcounter_public_terms(event, topo, name->terms, sizeof(name->terms));
		snprintf(name->confidence, sizeof(name->confidence), "%s",
			 pcounter_public_confidence(event));
		pmu->nr_names++;
	}
}

/**
 * pmu_offline() - the PMU that a chip would have
 * @chip: name of the chip, or its chipset id in hex
 *
 * Its terms and events are those that the driver would show in sysfs, but for
 * the cycles of its domains. From GF100 on it has GPC 0 and 1, partition 0 and 1.
 *
 * Return: the PMU, pmu_free() frees; NULL if there is no such chip with
 * counters.
 */
struct pmu *pmu_offline(const char *chip)
{
	const struct pcounter_chip *found = find_chip(chip);
	struct pmu *pmu;
	unsigned int i;
	u32 caps;

	if (!found || found->presence == PCOUNTER_ABSENT)
		return NULL;
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return NULL;
	caps = pcounter_gen_find(found)->caps;
	strcpy(pmu->name, "pcounter_0");
	snprintf(pmu->chip_name, sizeof(pmu->chip_name), "%s", found->name);
	pmu->counters = caps & PCOUNTER_CAP_QUAD ? PCOUNTER_SLOTS : 1;
	for (i = 0; i < PCOUNTER_NR_TERMS; i++) {
		const struct pcounter_term_info *info = &pcounter_term_info[i];
		struct pmu_term *term = &pmu->term[pmu->nr_terms];

		if (!pcounter_term_supported(i, caps))
			continue;
		snprintf(term->name, sizeof(term->name), "%s", info->name);
		term->word = info->word;
		term->lo = info->lo;
		term->hi = info->hi;
		pmu->nr_terms++;
	}
	pcounter_topo_build(&pmu->topo, found, caps, GENMASK(1, 0), GENMASK(1, 0));
	offline_names(pmu);
	user_names_add(pmu);
	return pmu;
}

/**
 * pmu_wire_name() - what a signal is called
 * @pmu: the PMU
 * @id: its domain
 * @sig: its number
 * @confidence: where to store how sure that is, or NULL
 *
 * Return: the name, NULL if it has none.
 */
const char *pmu_wire_name(const struct pmu *pmu, const struct pcounter_dom_id *id,
			  unsigned int sig, const char **confidence)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_names; i++) {
		const struct pmu_name *name = &pmu->names[i];

		if (!name->wire || name->set != id->set || name->dom != id->dom ||
		    name->sig != sig)
			continue;
		if (confidence)
			*confidence = name->confidence;
		return name->name;
	}
	return NULL;
}

/**
 * name_tells_busy() - does a signal tell how busy a unit is?
 * @name: its name
 *
 * Return: true if so; of one that tells when it is idle, too.
 */
bool name_tells_busy(const char *name)
{
	return strstr(name, "_busy") || strstr(name, "_idle");
}
