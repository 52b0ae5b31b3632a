// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the name of a signal, or of an event of NVIDIA's tools, to the terms of an
 * event. Pure; also built for user space by the unit tests and the program.
 */
#include <linux/kernel.h>

#include "rules/place.h"
#include "rules/public.h"
#include "rules/signals.h"
#include "rules/topo.h"

/* ---- signals ---- */

static unsigned int dom_of(const struct pcounter_signal *signal,
			   const struct pcounter_topo *topo)
{
	return signal->flags & PCOUNTER_SIGNAL_TPC ?
	       pcounter_topo_tpc_dom(topo, signal->set, signal->dom) : signal->dom;
}

/**
 * pcounter_signal_unit() - find the first GPC or partition that has a signal
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
 * pcounter_signal_terms() - write the terms that count a signal
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
 * pcounter_signal_confidence() - describe how well a name is documented
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

/* ---- events with public names ---- */

/**
 * pcounter_public_unit() - find the first GPC or partition that has an event
 * @event: the event
 * @topo: the GPU's domains
 *
 * Return: its number, -1 if there is none.
 */
int pcounter_public_unit(const struct pcounter_public *event,
			 const struct pcounter_topo *topo)
{
	unsigned int set = pcounter_config_get(&event->config, PCOUNTER_TERM_SET);
	unsigned int dom = pcounter_config_get(&event->config, PCOUNTER_TERM_DOM);

	return pcounter_topo_unit(topo, set, pcounter_topo_tpc_dom(topo, set, dom));
}

/**
 * pcounter_public_terms() - write the terms of an event
 * @event: the event
 * @topo: the GPU's domains
 * @buf: room for them
 * @len: PCOUNTER_PUBLIC_TERMS
 *
 * No event has threshold or init, which share the bits of bit0 to bit3.
 *
 * Return: length of the text in @buf.
 */
int pcounter_public_terms(const struct pcounter_public *event,
			  const struct pcounter_topo *topo, char *buf, size_t len)
{
	unsigned int set = pcounter_config_get(&event->config, PCOUNTER_TERM_SET);
	unsigned int dom = pcounter_config_get(&event->config, PCOUNTER_TERM_DOM);
	int at = pcounter_topo_terms(topo, set, pcounter_topo_tpc_dom(topo, set, dom), buf, len);
	unsigned int term, value;

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
	return at;
}

/**
 * pcounter_public_confidence() - describe how well an event is known
 * @event: the event
 *
 * Return: "traced", "checked" or "documents".
 */
const char *pcounter_public_confidence(const struct pcounter_public *event)
{
	static const char *const words[PCOUNTER_PUBLIC_CONFIDENCES] = {
		[PCOUNTER_PUBLIC_DOCUMENTS] = "documents",
		[PCOUNTER_PUBLIC_CHECKED] = "checked",
		[PCOUNTER_PUBLIC_TRACED] = "traced",
	};

	return words[event->confidence];
}
