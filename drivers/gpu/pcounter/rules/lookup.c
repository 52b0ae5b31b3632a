// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the name of a signal, or of an event of NVIDIA's tools, to the terms of an
 * event. Pure; also built for user space by the unit tests and the program.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "rules/lookup.h"

/* Find a domain for an event that any TPC has: the last one up to @dom that GPC 0 has. */
static unsigned int find_dom(const struct pcounter_topo *topo, unsigned int dom)
{
	unsigned int last = dom, i;

	for (i = 0; i < topo->nr; i++)
		if (topo->dom[i].set == PCOUNTER_SET_GPC && !topo->dom[i].unit &&
		    topo->dom[i].dom <= dom)
			last = topo->dom[i].dom;
	return last;
}

/* Return the first GPC or partition that has a domain, -1 if there is none. */
static int find_unit(const struct pcounter_topo *topo, unsigned int set, unsigned int dom)
{
	unsigned int i;

	for (i = 0; i < topo->nr; i++)
		if (topo->dom[i].set == set && topo->dom[i].dom == dom)
			return topo->dom[i].unit;
	return -1;
}

/*
 * Begin with the terms that name the domain, of an event that each TPC has or one alone;
 * return its unit. perf ORs the user's terms onto these. A unit other than 0 would mix with
 * the user's unit, so where there is no unit 0 the user has to name one.
 */
static int begin_terms(const struct pcounter_topo *topo, unsigned int set, unsigned int dom,
		       bool any_tpc, struct pcounter_named *named)
{
	int unit;

	if (any_tpc && set == PCOUNTER_SET_GPC)
		dom = find_dom(topo, dom);
	unit = find_unit(topo, set, dom);
	if (topo->caps & PCOUNTER_CAP_SETS)
		scnprintf(named->terms, sizeof(named->terms), "set=0x%x,unit=%s,dom=0x%x", set,
			  unit ? "?" : "0x0", dom);
	else
		scnprintf(named->terms, sizeof(named->terms), "dom=0x%x", dom);
	return unit;
}

static void add_term(struct pcounter_named *named, enum pcounter_term term, unsigned int value)
{
	size_t at = strlen(named->terms);

	scnprintf(named->terms + at, sizeof(named->terms) - at, ",%s=0x%x",
		  pcounter_term_info[term].name, value);
}

static int signal_get(const struct pcounter_topo *topo, const struct pcounter_signal *signal,
		      struct pcounter_named *named)
{
	static const char *const words[PCOUNTER_SIGNAL_CONFIDENCE + 1] = {
		[PCOUNTER_SIGNAL_ONE] = "one",
		[PCOUNTER_SIGNAL_SEVERAL] = "several",
		[PCOUNTER_SIGNAL_DISPUTED] = "disputed",
	};
	bool tpc = signal->flags & PCOUNTER_SIGNAL_TPC;
	int unit = begin_terms(topo, signal->set, signal->dom, tpc, named);
	unsigned int i;

	named->name = pcounter_signal_names[signal->name];
	named->confidence = words[signal->flags & PCOUNTER_SIGNAL_CONFIDENCE];
	if (signal->ctr)
		add_term(named, PCOUNTER_TERM_CTR, signal->ctr);
	for (i = 0; i < (signal->ctr ? PCOUNTER_ARGS : 1); i++)
		add_term(named, PCOUNTER_TERM_SIG + i, signal->sig + i);
	if (signal->mux) {
		add_term(named, PCOUNTER_TERM_MUX, signal->mux);
		add_term(named, PCOUNTER_TERM_SEL, 0);
	}
	if (tpc)
		add_term(named, PCOUNTER_TERM_TPC, topo->lost ? PCOUNTER_OWN_TPC :
			 signal->flags >> PCOUNTER_SIGNAL_TPC_SHIFT);
	return unit;
}

/* No event has threshold or init, which share the bits of bit0 to bit3. */
static int public_get(const struct pcounter_topo *topo, const struct pcounter_public *event,
		      struct pcounter_named *named)
{
	static const char *const words[PCOUNTER_PUBLIC_CONFIDENCES] = {
		[PCOUNTER_PUBLIC_DOCUMENTS] = "documents",
		[PCOUNTER_PUBLIC_CHECKED] = "checked",
		[PCOUNTER_PUBLIC_TRACED] = "traced",
	};
	unsigned int set = pcounter_config_get(&event->config, PCOUNTER_TERM_SET);
	unsigned int dom = pcounter_config_get(&event->config, PCOUNTER_TERM_DOM);
	int unit = begin_terms(topo, set, dom, true, named);
	unsigned int term, value;

	named->name = event->name;
	named->confidence = words[event->confidence];
	for (term = PCOUNTER_TERM_SIG; term < PCOUNTER_NR_TERMS; term++) {
		value = pcounter_config_get(&event->config, term);
		if (!value || term == PCOUNTER_TERM_THRESHOLD || term == PCOUNTER_TERM_INIT)
			continue;
		if (topo->lost && term == PCOUNTER_TERM_TPC && set == PCOUNTER_SET_GPC)
			value = PCOUNTER_OWN_TPC;
		add_term(named, term, value);
	}
	return unit;
}

/**
 * pcounter_named_get() - look up a named signal or event of a GPU
 * @topo: the GPU's domains
 * @i: its number, below pcounter_nr_named()
 * @named: set to its name, confidence and terms
 *
 * Return: the first GPC or partition that has its domain, -1 if there is none.
 */
int pcounter_named_get(const struct pcounter_topo *topo, unsigned int i,
		       struct pcounter_named *named)
{
	const struct pcounter_chip *chip = topo->chip;

	if (i < chip->signals.nr)
		return signal_get(topo, pcounter_signals_of(chip) + i, named);
	return public_get(topo, pcounter_public_get(chip, i - chip->signals.nr), named);
}
