// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a public name to the terms of an event. Pure; also built for user space
 * by the unit tests and the program.
 */
#include <linux/kernel.h>

#include "rules/chip.h"
#include "rules/public.h"
#include "rules/topo.h"

static const struct pcounter_public_list *find_list(const struct pcounter_chip *chip)
{
	unsigned int i;

	for (i = 0; i < pcounter_nr_public_lists; i++)
		if (pcounter_public_lists[i].chipset == chip->chipset)
			return &pcounter_public_lists[i];
	return NULL;
}

/**
 * pcounter_public_count() - count the events of a chip that have a public name
 * @chip: the chip
 *
 * Return: their number.
 */
unsigned int pcounter_public_count(const struct pcounter_chip *chip)
{
	const struct pcounter_public_list *list = find_list(chip);

	return list ? list->nr : 0;
}

/**
 * pcounter_public_get() - an event with a public name
 * @chip: the chip
 * @i: which of its events, less than pcounter_public_count()
 *
 * Return: the event.
 */
const struct pcounter_public *pcounter_public_get(const struct pcounter_chip *chip,
						  unsigned int i)
{
	return &pcounter_public_events[pcounter_public_index[find_list(chip)->first + i]];
}

/**
 * pcounter_public_unit() - the first GPC or partition that has an event
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
 * pcounter_public_terms() - the terms of an event
 * @event: the event
 * @topo: the GPU's domains
 * @buf: room for them
 * @len: PCOUNTER_PUBLIC_TERMS
 *
 * threshold and init share the bits of bit0 to bit3 and are of no event here.
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
 * pcounter_public_confidence() - how well an event is known
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
