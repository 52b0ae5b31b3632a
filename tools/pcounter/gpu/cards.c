// SPDX-License-Identifier: GPL-2.0-only
/*
 * What cards are called in shops, from the list of PCI ids that the system has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cards.h"

/* Where distributions have it. */
static const char *const lists[] = {
	"/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids", "/usr/share/pci.ids",
};

static FILE *open_list(void)
{
	const char *wish = getenv("PCI_IDS");
	unsigned int i;
	FILE *f = NULL;

	if (wish)
		return fopen(wish, "re");
	for (i = 0; i < sizeof(lists) / sizeof(*lists) && !f; i++)
		f = fopen(lists[i], "re");
	return f;
}

/* "G84 [GeForce 8600 GT]": what is in brackets, or all of it. */
static void take_name(const char *text, char *buf, size_t len)
{
	const char *open = strchr(text, '['), *close = strrchr(text, ']');

	if (open && close > open)
		snprintf(buf, len, "%.*s", (int)(close - open - 1), open + 1);
	else
		snprintf(buf, len, "%.*s", (int)strcspn(text, "\n"), text);
}

/**
 * card_name() - what a PCI device is called in shops
 * @vendor: PCI vendor id
 * @device: PCI device id
 * @buf: gets the name, empty if there is none
 * @len: room there
 *
 * The environment's PCI_IDS may name another list.
 *
 * Return: false if the system has no list, or the list has no such device.
 */
bool card_name(unsigned long vendor, unsigned long device, char *buf, size_t len)
{
	bool ours = false, found = false;
	unsigned int id;
	char line[256];
	FILE *f = open_list();

	*buf = 0;
	if (!f)
		return false;
	/* vendors stand at the margin, their devices behind one tab */
	while (!found && fgets(line, sizeof(line), f)) {
		bool is_device = line[0] == '\t' && line[1] != '\t';

		if (sscanf(line, "%4x", &id) != 1 || line[0] == '#')
			continue;
		if (line[0] != '\t')
			ours = id == vendor;
		found = ours && is_device && id == device && strlen(line) > strlen("\t0000  ");
	}
	fclose(f);
	if (found)
		take_name(line + strlen("\t0000  "), buf, len);
	return found;
}
