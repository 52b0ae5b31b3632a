// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a named signal to the terms of an event. Pure; also built for user
 * space by the unit tests.
 */
#include <linux/kernel.h>

#include "rules/chip.h"
#include "rules/place.h"
#include "rules/signals.h"
#include "rules/topo.h"

/**
 * pcounter_signals_find() - the named signals of a chip
 * @chip: the chip
 * @nr: where to store how many there are
 *
 * Return: the first of them, NULL if there is none.
 */
const struct pcounter_signal *pcounter_signals_find(const struct pcounter_chip *chip,
						    unsigned int *nr)
{
	unsigned int i;

	for (i = 0; i < pcounter_nr_signal_lists; i++) {
		const struct pcounter_signal_list *list = &pcounter_signal_lists[i];

		if (list->chipset != chip->chipset)
			continue;
		*nr = list->nr;
		return &pcounter_signals[list->first];
	}
	*nr = 0;
	return NULL;
}

static unsigned int dom_of(const struct pcounter_signal *signal,
			   const struct pcounter_topo *topo)
{
	return signal->flags & PCOUNTER_SIGNAL_TPC ?
	       pcounter_topo_tpc_dom(topo, signal->set, signal->dom) : signal->dom;
}

/**
 * pcounter_signal_unit() - the first GPC or partition that has a signal
 * @signal: the signal
 * @topo: the GPU's domains
 *
 * Return: its number, -1 if there is none.
 */
int pcounter_signal_unit(const struct pcounter_signal *signal,
			 const struct pcounter_topo *topo)
{
	return pcounter_topo_unit(topo, signal->set, dom_of(signal, topo));
}

/**
 * pcounter_signal_terms() - the terms that count a signal
 * @signal: the signal
 * @topo: the GPU's domains
 * @buf: room for them
 * @len: PCOUNTER_SIGNAL_TERMS
 *
 * Return: length of the text in @buf.
 */
int pcounter_signal_terms(const struct pcounter_signal *signal,
			  const struct pcounter_topo *topo, char *buf, size_t len)
{
	int at = pcounter_topo_terms(topo, signal->set, dom_of(signal, topo), buf, len);

	if (signal->flags & PCOUNTER_SIGNAL_SUM4)
		at += scnprintf(buf + at, len - at, ",ctr=0x%x", PCOUNTER_CTR_EXTRA_B4);
	at += scnprintf(buf + at, len - at, ",sig=0x%x", signal->sig);
	if (signal->flags & PCOUNTER_SIGNAL_SUM4)
		at += scnprintf(buf + at, len - at, ",sig1=0x%x,sig2=0x%x,sig3=0x%x",
				signal->sig + 1, signal->sig + 2, signal->sig + 3);
	if (signal->mux)
		at += scnprintf(buf + at, len - at, ",mux=0x%x,sel=0x0", signal->mux);
	if (signal->flags & PCOUNTER_SIGNAL_TPC)
		at += scnprintf(buf + at, len - at, ",tpc=0x%x",
				topo->lost ? PCOUNTER_OWN_TPC :
					     signal->flags >> PCOUNTER_SIGNAL_TPC_SHIFT);
	return at;
}

/**
 * pcounter_signal_confidence() - how well a name is documented
 * @signal: the signal
 *
 * Return: "several", "one" or "disputed".
 */
const char *pcounter_signal_confidence(const struct pcounter_signal *signal)
{
	static const char *const words[PCOUNTER_SIGNAL_CONFIDENCE + 1] = {
		[PCOUNTER_SIGNAL_ONE] = "one",
		[PCOUNTER_SIGNAL_SEVERAL] = "several",
		[PCOUNTER_SIGNAL_DISPUTED] = "disputed",
	};

	return words[signal->flags & PCOUNTER_SIGNAL_CONFIDENCE];
}
