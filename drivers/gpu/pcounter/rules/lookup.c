// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the name of a signal, or of an event of NVIDIA's tools, to the terms of an
 * event. Pure; also built for user space by the unit tests and the program.
 */
#include <linux/kernel.h>

#include "rules/lookup.h"
#include "rules/place.h"
#include "rules/topo.h"

static int signal_get(const struct pcounter_topo *topo, const struct pcounter_signal *signal,
		      struct pcounter_named *named)
{
	static const char *const words[PCOUNTER_SIGNAL_CONFIDENCE + 1] = {
		[PCOUNTER_SIGNAL_ONE] = "one",
		[PCOUNTER_SIGNAL_SEVERAL] = "several",
		[PCOUNTER_SIGNAL_DISPUTED] = "disputed",
	};
	const size_t len = sizeof(named->terms);
	unsigned int dom = signal->dom;
	char *buf = named->terms;
	int at;

	named->name = pcounter_signal_names[signal->name];
	named->confidence = words[signal->flags & PCOUNTER_SIGNAL_CONFIDENCE];
	if (signal->flags & PCOUNTER_SIGNAL_TPC)
		dom = pcounter_topo_tpc_dom(topo, signal->set, dom);
	at = pcounter_topo_terms(topo, signal->set, dom, buf, len);
	if (signal->flags & PCOUNTER_SIGNAL_SUM4)
		at += scnprintf(buf + at, len - at, ",ctr=0x%x", PCOUNTER_CTR_EXTRA_B4);
	at += scnprintf(buf + at, len - at, ",sig=0x%x", signal->sig);
	if (signal->flags & PCOUNTER_SIGNAL_SUM4)
		at += scnprintf(buf + at, len - at, ",sig1=0x%x,sig2=0x%x,sig3=0x%x",
				signal->sig + 1, signal->sig + 2, signal->sig + 3);
	if (signal->mux)
		at += scnprintf(buf + at, len - at, ",mux=0x%x,sel=0x0", signal->mux);
	if (signal->flags & PCOUNTER_SIGNAL_TPC)
		scnprintf(buf + at, len - at, ",tpc=0x%x",
			  topo->lost ? PCOUNTER_OWN_TPC :
				       signal->flags >> PCOUNTER_SIGNAL_TPC_SHIFT);
	return pcounter_topo_unit(topo, signal->set, dom);
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
	const size_t len = sizeof(named->terms);
	char *buf = named->terms;
	unsigned int term, value;
	int at;

	named->name = event->name;
	named->confidence = words[event->confidence];
	dom = pcounter_topo_tpc_dom(topo, set, dom);
	at = pcounter_topo_terms(topo, set, dom, buf, len);
	for (term = PCOUNTER_TERM_SIG; term < PCOUNTER_NR_TERMS; term++) {
		if (term == PCOUNTER_TERM_THRESHOLD || term == PCOUNTER_TERM_INIT)
			continue;
		value = pcounter_config_get(&event->config, term);
		if (value && topo->lost && term == PCOUNTER_TERM_TPC && set == PCOUNTER_SET_GPC)
			value = PCOUNTER_OWN_TPC;
		if (value)
			at += scnprintf(buf + at, len - at, ",%s=0x%x",
					pcounter_term_info[term].name, value);
	}
	return pcounter_topo_unit(topo, set, dom);
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
