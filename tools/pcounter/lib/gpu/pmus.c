// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMUs of the driver, read from sysfs, and those that absent chips would have.
 */
#include "gpu/pmu.h"
#include "gpu/texts.h"
#include "hw/idle.h"
#include "hw/registers.h"
#include "lib/util.h"
#include "rules/lookup.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define PREFIX		"pcounter_"
#define IDLE_PREFIX	"pcounter_idle_"

/* The terms of a PMU of idle counters. */
static const struct pcounter_term_info idle_terms[] = {
	{ .name = "mask", .lo = 0, .hi = 31 },
	{ .name = "when", .lo = 32, .hi = 33 },
};

/* Make a PMU with the terms of its kind, whose bits are ABI. */
static struct pmu *pmu_new(const char *name)
{
	struct pmu *pmu = need(1, sizeof(*pmu));

	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	pmu->idle = !strncmp(name, IDLE_PREFIX, strlen(IDLE_PREFIX));
	pmu->term = pmu->idle ? idle_terms : pcounter_term_info;
	pmu->nr_terms = pmu->idle ? ARRAY_SIZE(idle_terms) : PCOUNTER_NR_TERMS;
	return pmu;
}

/*
 * Set the signal of an event that counts nothing but one signal. An event named by NVIDIA's
 * tools or by the user may do so, too, but its name is not the name of that signal.
 */
static void name_wire(const struct pmu *pmu, struct pmu_name *name)
{
	struct event event = {};

	if (!event_terms(pmu, name->terms, &event) || !event_only(&event, WIRE_TERMS))
		return;
	name->set = event_value(&event, "set");
	name->dom = event_value(&event, "dom");
	name->sig = event_value(&event, "sig");
	name->wire = event_has(&event, "sig") &&
		     confidence_rank(name->confidence) < confidence_rank("user");
}

/* Return the confidence of an event of the idle counters; all sources have the time base. */
static const char *idle_confidence(const struct pmu *pmu, const struct pmu_name *name)
{
	const struct pcounter_chip *chip = pmu->beside ? pmu->beside->topo.chip : NULL;
	struct event event = {};
	unsigned int i;
	u64 mask;

	if (!chip || !event_terms(pmu, name->terms, &event))
		return "";
	mask = event_value(&event, "mask");
	if (mask & (mask - 1) && event_value(&event, "when"))
		return "disputed";
	for (i = 0; i < PCOUNTER_IDLE_ENGINES; i++) {
		const struct pcounter_idle_engine *engine = &pcounter_idle_engines[i];

		if (mask == engine->mask && pcounter_pdaemon_has(chip, engine))
			return chip->chipset <= engine->several ? "several" : "one";
	}
	return mask ? "" : "several";
}

/* Describe an event of the idle counters. */
static void name_idle(const struct pmu *pmu, struct pmu_name *name)
{
	const char *state = strrchr(name->name, '_'), *engines;

	strcpy(name->confidence, idle_confidence(pmu, name));
	strcpy(name->unit, "clocks");
	if (!state)
		return;
	engines = text_tmp("%.*s is", (int)(state - name->name), name->name);
	if (!strcmp(engines, "gr_copy is"))
		engines = strcmp(state, "_idle") ? "gr or a copy engine is" :
						   "gr and the copy engines are";
	snprintf(name->text, sizeof(name->text), "clocks of PDAEMON in which %s %s", engines,
		 state + 1);
}

/* Describe an event: the generated texts come first, then what the kind of event tells. */
static void name_describe(const struct pmu *pmu, struct pmu_name *name)
{
	const struct event_text *text = event_text(name->name);

	if (pmu->idle)
		name_idle(pmu, name);
	if (name->clock && !text) {
		strcpy(name->unit, "clocks");
		strcpy(name->text, "clocks of the domain");
	}
	if (!text)
		return;
	strcpy(name->unit, text->unit);
	strcpy(name->text, text->text);
	if (!*name->source)
		strcpy(name->source, text->source);
}

/* Give a PMU the event gpu_busy: the event of the first row of that metric that it has. */
static void add_gpu_busy(struct pmu *pmu)
{
	const struct pmu_name *found = NULL;
	struct pmu_name *entry;
	bool inverse = false;
	unsigned int i;
	char name[64];

	for (i = 0; i < nr_metrics && !found; i++) {
		if (strcmp(metrics[i].name, GPU_BUSY))
			continue;
		inverse = sscanf(metrics[i].expression, "1 - %63s", name) == 1;
		if (inverse || sscanf(metrics[i].expression, "%63s", name) == 1)
			found = event_named(pmu, name);
	}
	if (!found || event_named(pmu, GPU_BUSY))
		return;
	entry = pmu_name_add(pmu);
	*entry = *event_named(pmu, name);
	strcpy(entry->name, GPU_BUSY);
	strcpy(entry->source, name);
	if (inverse)
		strcat(entry->terms, ",op=0x5555");
}

/* Complete the names of a PMU after all PMUs have been read. */
static void names_settle(struct pmu *pmu)
{
	unsigned int i;

	add_gpu_busy(pmu);
	user_names_add(pmu);
	for (i = 0; i < pmu->nr_names; i++) {
		struct pmu_name *name = &pmu->names[i];

		name_wire(pmu, name);
		name->clock = strstr(name->terms, "clk") || !strcmp(name->name, IDLE_TICKS);
		name_describe(pmu, name);
		plain_name(name->name, &name->plain);
		/* only clocks make a share of the clocks */
		if (name->plain.kind != PLAIN_TRAFFIC && !name->wire &&
		    strcmp(name->unit, "clocks"))
			memset(&name->plain, 0, sizeof(name->plain));
	}
}

static void name_add(struct pmu *pmu, const char *name, const char *terms, const char *confidence)
{
	struct pmu_name *entry = pmu_name_add(pmu);

	snprintf(entry->name, sizeof(entry->name), "%s", name);
	snprintf(entry->terms, sizeof(entry->terms), "%s", terms);
	snprintf(entry->confidence, sizeof(entry->confidence), "%s", confidence);
}

static void read_names(struct pmu *pmu)
{
	const char *folder = text_tmp(DEVICES "/%s/events", pmu->name), *terms;
	char **file;

	for (file = files_of(folder); *file; file++) {
		/* "name.unit" and the like describe "name" */
		if (strchr(*file, '.') || strlen(*file) >= sizeof(pmu->names->name))
			continue;
		terms = file_text(text_tmp("%s/%s", folder, *file));
		if (*terms)
			name_add(pmu, *file, terms, "");
	}
}

/* The program has the driver's tables of names, with the confidence of each. */
static void take_confidences(struct pmu *pmu)
{
	struct pcounter_named named;
	unsigned int i, k;

	for (i = 0; i < pcounter_nr_named(pmu->topo.chip); i++) {
		pcounter_named_get(&pmu->topo, i, &named);
		for (k = 0; k < pmu->nr_names; k++)
			if (!strcmp(pmu->names[k].name, named.name))
				strcpy(pmu->names[k].confidence, named.confidence);
	}
}

/*
 * Find the existing units of each set, and the domains of GPCs: each domain has an event of
 * its cycles.
 */
static void read_units(const struct pmu *pmu, u32 units[PCOUNTER_SET_KINDS],
		       u32 doms[PCOUNTER_MAX_GPCS])
{
	unsigned int i, set, unit;

	for (i = 0; i < pmu->nr_names; i++) {
		struct event event = {};

		if (!event_terms(pmu, pmu->names[i].terms, &event) || !event_has(&event, "clk"))
			continue;
		set = event_value(&event, "set");
		unit = event_value(&event, "unit");
		if (set >= PCOUNTER_SET_KINDS || unit >= PCOUNTER_MAX_GPCS)
			continue;
		units[set] |= BIT(unit);
		if (set == PCOUNTER_SET_GPC)
			doms[unit] |= BIT(event_value(&event, "dom") & 31);
	}
}

/* Read which GPCs have lost TPCs. If all of their domains are there, none is known. */
static void read_lost(struct pmu *pmu, const u32 doms[PCOUNTER_MAX_GPCS])
{
	u32 all = BIT(pmu->topo.chip->set[PCOUNTER_SET_GPC].domains) - 1;
	unsigned long lost;
	unsigned int i;

	if (!file_number(&lost, text_tmp(DEVICES "/%s/caps/unverified_gpcs", pmu->name)))
		return;
	for (i = 0; i < PCOUNTER_MAX_GPCS; i++)
		if (lost >> i & 1)
			pcounter_topo_lose(&pmu->topo, i, doms[i] == all ? 0 : doms[i]);
}

/**
 * trailer_known() - check whether a domain's number of signals is certain
 * @id: the domain
 *
 * Return: true if it is documented, or the driver could read it.
 */
bool trailer_known(const struct pcounter_dom_id *id)
{
	return id->trailer != PCOUNTER_TRAILER_UNKNOWN && !id->disputed;
}

/* Return true if the hardware may be asked for the number of signals of a domain. */
static bool asks_signals(const struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->topo.nr; i++)
		if (!trailer_known(&pmu->topo.dom[i]))
			return strcmp(device_power(pmu->device), "asleep");
	return false;
}

/**
 * pmu_levels() - read the levels of all signals
 * @pmu: the PMU
 * @levels: gets the levels of each domain
 *
 * Reads registers of the GPU. Only root may do so.
 *
 * Return: the number of domains that were read.
 */
unsigned int pmu_levels(const struct pmu *pmu, struct dom_levels *levels)
{
	char *line, *rest = file_text(text_tmp(DEBUGFS "/%s/signals", pmu->name));
	unsigned int dom = 0;
	int at, len;

	while (dom < pmu->topo.nr && (line = strsep(&rest, "\n"))) {
		at = 0;
		if (sscanf(line, "domain %*[^:]:%n", &at) < 0 || !at)
			continue;
		/* the last word may be "sources=" of SRC_STATUS */
		for (levels->n = 0; levels->n < MOST_WORDS &&
		     sscanf(line + at, "%8x%n", &levels->word[levels->n], &len) == 1; levels->n++)
			at += len;
		dom++;
		levels++;
	}
	return dom;
}

/*
 * Take the number of signals of domains for which no document gives it. The driver finds
 * it in the hardware, and shows that many levels.
 */
static void read_signals(struct pmu *pmu)
{
	struct dom_levels levels[PCOUNTER_MAX_DOMAINS];
	struct pcounter_topo *topo = &pmu->topo;
	const struct pcounter_dom_id first = {};
	unsigned int n = pmu_levels(pmu, levels), dom, nr;
	unsigned int least = pcounter_dom_signals(&first, topo->caps);

	for (dom = 0; dom < n; dom++) {
		struct pcounter_dom_id *id = &topo->dom[dom];

		nr = levels[dom].n * WORD_SIGNALS;
		if (nr < least || nr == pcounter_dom_signals(id, topo->caps))
			continue;
		id->disputed = false;
		id->trailer = nr - least;
	}
}

static const char *cap_text(const struct pmu *pmu, const char *name)
{
	return file_text(text_tmp(DEVICES "/%s/caps/%s", pmu->name, name));
}

static void read_chip(struct pmu *pmu)
{
	unsigned long chipset;
	const struct pcounter_chip *chip;
	u32 units[PCOUNTER_SET_KINDS] = {}, doms[PCOUNTER_MAX_GPCS] = {};

	snprintf(pmu->chip_name, sizeof(pmu->chip_name), "%s", cap_text(pmu, "chip"));
	snprintf(pmu->modes, sizeof(pmu->modes), "%s", cap_text(pmu, "modes"));
	if (!file_number(&chipset, text_tmp(DEVICES "/%s/identifier", pmu->name)))
		return;
	chip = pcounter_chip_find(chipset);
	if (!chip)
		return;
	read_units(pmu, units, doms);
	pcounter_topo_build(&pmu->topo, chip, pcounter_gen_find(chip)->caps,
			    units[PCOUNTER_SET_GPC], units[PCOUNTER_SET_PART]);
	/* from GF100 on the driver has it only if it is asked for */
	if (strstr(pmu->modes, "record"))
		pmu->topo.caps |= PCOUNTER_CAP_RECORD;
	read_lost(pmu, doms);
	take_confidences(pmu);
	if (asks_signals(pmu))
		read_signals(pmu);
}

static void read_pmu(struct pmus *pmus, const char *name)
{
	unsigned long type;
	struct pmu *pmu;
	unsigned int i;

	if (strncmp(name, PREFIX, strlen(PREFIX)) ||
	    !file_number(&type, text_tmp(DEVICES "/%s/type", name)))
		return;
	pmu = pmu_new(name);
	pmu->type = type;
	file_number(&pmu->cpu, text_tmp(DEVICES "/%s/cpumask", name));
	file_number(&pmu->counters, text_tmp(DEVICES "/%s/caps/counters", name));
	snprintf(pmu->device, sizeof(pmu->device), "%s", cap_text(pmu, "device"));
	for (i = 0; i < pmu->nr_terms; i++)
		pmu->has |= (u64)file_exists(text_tmp(DEVICES "/%s/format/%s", name,
							pmu->term[i].name)) << i;
	read_names(pmu);
	if (!pmu->idle)
		read_chip(pmu);
	/* "pcounter_idle_3" comes after "pcounter_3" */
	for (i = 0; i < pmus->nr && pmu->idle; i++) {
		struct pmu *other = pmus->pmu[i];

		if (other->idle || strcmp(strrchr(name, '_'), strrchr(other->name, '_')))
			continue;
		pmu->beside = other;
		other->beside = pmu;
	}
	pmus->pmu = grow(pmus->pmu, pmus->nr, sizeof(*pmus->pmu));
	pmus->pmu[pmus->nr++] = pmu;
}

/**
 * pmu_same() - check that the name and the type of a PMU still stand for its GPU
 * @pmu: the PMU
 *
 * A GPU that leaves and comes back gets another number, which another GPU may have had.
 *
 * Return: false if sysfs has another PMU, or none, by that name.
 */
bool pmu_same(const struct pmu *pmu)
{
	const struct pmu *of = pmu->beside && pmu->idle ? pmu->beside : pmu;
	unsigned long type;

	return file_number(&type, text_tmp(DEVICES "/%s/type", pmu->name)) && type == pmu->type &&
	       !strcmp(cap_text(of, "device"), of->device);
}

/**
 * pmus_find() - read all PMUs of this driver from sysfs
 * @pmus: gets the PMUs; pmus_free() frees them
 *
 * Accesses no register of a GPU.
 */
void pmus_find(struct pmus *pmus)
{
	unsigned int i;
	char **name;

	*pmus = (struct pmus){};
	for (name = files_of(DEVICES); *name; name++)
		read_pmu(pmus, *name);
	for (i = 0; i < pmus->nr; i++)
		names_settle(pmus->pmu[i]);
}

/**
 * pmu_free() - free a PMU, and the PMU of its idle counters
 * @pmu: the PMU, or NULL
 */
void pmu_free(struct pmu *pmu)
{
	if (pmu && !pmu->idle)
		pmu_free(pmu->beside);
	if (pmu)
		free(pmu->names);
	free(pmu);
}

/**
 * pmus_free() - free the PMUs of pmus_find()
 * @pmus: the PMUs
 */
void pmus_free(struct pmus *pmus)
{
	/* PMUs of idle counters come last, and belong to the PMU of their GPU */
	while (pmus->nr) {
		struct pmu *pmu = pmus->pmu[--pmus->nr];

		if (!pmu->idle || !pmu->beside)
			pmu_free(pmu);
	}
	free(pmus->pmu);
	pmus->pmu = NULL;
}

static void idle_name_add(struct pmu *idle, const char *engine, const char *state,
			  unsigned long mask, unsigned int when)
{
	name_add(idle, text_tmp("%s%s", engine, state),
		 text_tmp("mask=0x%lx,when=0x%x", mask, when), "");
}

/* Make the PMU of the idle counters of a chip. */
static struct pmu *idle_offline(struct pmu *pmu)
{
	const struct pcounter_chip *chip = pmu->topo.chip;
	struct pmu *idle;
	unsigned int i;

	if (!pcounter_pdaemon_slots(chip))
		return NULL;
	idle = pmu_new(IDLE_PREFIX "0");
	idle->has = ~0ULL;
	idle->beside = pmu;
	idle->counters = pcounter_pdaemon_slots(chip);
	idle_name_add(idle, IDLE_TICKS, "", 0, 2);
	for (i = 0; i < PCOUNTER_IDLE_ENGINES; i++) {
		const struct pcounter_idle_engine *engine = &pcounter_idle_engines[i];

		if (!pcounter_pdaemon_has(chip, engine))
			continue;
		idle_name_add(idle, engine->name, "_idle", engine->mask, 0);
		idle_name_add(idle, engine->name, "_busy", engine->mask, 1);
	}
	return idle;
}

/**
 * pmu_offline() - make the PMU that a chip would have
 * @chip: name or chipset id of the chip as for chip_find()
 *
 * The PMU and the PMU of its idle counters have the terms and events that the driver
 * would show in sysfs, except for the cycles of domains. A chip from GF100 on has GPC 0
 * and 1, partition 0 and 1.
 *
 * Return: the PMU, pmu_free() frees it; NULL if the chip is unknown or has no counters.
 */
struct pmu *pmu_offline(const char *chip)
{
	const char *why;
	const struct pcounter_chip *found = chip_find(chip, &why);
	struct pcounter_named named;
	struct pmu *pmu;
	unsigned int i;
	u32 caps;

	if (!found || found->presence == PCOUNTER_ABSENT)
		return NULL;
	pmu = pmu_new(PREFIX "0");
	caps = pcounter_gen_find(found)->caps;
	snprintf(pmu->chip_name, sizeof(pmu->chip_name), "%s", found->name);
	pmu->counters = caps & PCOUNTER_CAP_QUAD ? PCOUNTER_SLOTS : 1;
	for (i = 0; i < PCOUNTER_NR_TERMS; i++)
		pmu->has |= (u64)pcounter_term_supported(i, caps) << i;
	pcounter_topo_build(&pmu->topo, found, caps, GENMASK(1, 0), GENMASK(1, 0));
	for (i = 0; i < pcounter_nr_named(found); i++)
		if (pcounter_named_get(&pmu->topo, i, &named) >= 0)
			name_add(pmu, named.name, named.terms, named.confidence);
	pmu->beside = idle_offline(pmu);
	names_settle(pmu);
	if (pmu->beside)
		names_settle(pmu->beside);
	return pmu;
}

/**
 * pmus_offline() - make the PMUs that a chip would have
 * @pmus: gets the PMUs; pmus_free() frees them
 * @chip: as for pmu_offline()
 *
 * Return: false, with a message, if the chip is unknown or has no counters.
 */
bool pmus_offline(struct pmus *pmus, const char *chip)
{
	struct pmu *pmu = pmu_offline(chip);
	const char *why;

	if (!pmu) {
		chip_find(chip, &why);
		return complain("%s: %s", chip, why);
	}
	pmus->pmu = need(2, sizeof(*pmus->pmu));
	pmus->pmu[0] = pmu;
	pmus->pmu[1] = pmu->beside;
	pmus->nr = pmu->beside ? 2 : 1;
	return true;
}

/**
 * pmu_wire_name() - find the name of a signal
 * @pmu: the PMU
 * @id: its domain
 * @sig: its number
 *
 * Return: the name, NULL if the signal has none.
 */
const struct pmu_name *pmu_wire_name(const struct pmu *pmu, const struct pcounter_dom_id *id,
				     unsigned int sig)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_names; i++) {
		const struct pmu_name *name = &pmu->names[i];

		if (name->wire && name->set == id->set && name->dom == id->dom && name->sig == sig)
			return name;
	}
	return NULL;
}

/**
 * user_first() - find the USER signals of a domain
 * @pmu: the PMU
 * @dom: the domain
 *
 * Return: the number of USER_0, -1 if it is unknown, or if there are none.
 */
int user_first(const struct pmu *pmu, unsigned int dom)
{
	const struct pcounter_dom_id *id = &pmu->topo.dom[dom];

	if (!(pmu->topo.caps & PCOUNTER_CAP_USER))
		return -1;
	if (!(pmu->topo.caps & PCOUNTER_CAP_SETS))
		return id->user ?: -1;
	return id->trailer == PCOUNTER_TRAILER_UNKNOWN ? -1 :
	       (int)(id->trailer + pcounter_trailer_of(pmu->topo.caps)->zero);
}

/**
 * user_drive() - drive the USER signals of a domain; for root
 * @pmu: the PMU
 * @dom: the domain
 * @levels: levels, bit by bit
 * @pulses: signals that fall again after one clock
 *
 * Return: 0, or the negative errno of the driver.
 */
int user_drive(const struct pmu *pmu, unsigned int dom, unsigned int levels,
	       unsigned int pulses)
{
	FILE *file = fopen(text_tmp(DEBUGFS "/%s/user", pmu->name), "we");

	if (!file)
		return -errno;
	fprintf(file, "%s %u %u\n", pmu->topo.dom[dom].name, levels, pulses);
	return fclose(file) ? -errno : 0;
}
