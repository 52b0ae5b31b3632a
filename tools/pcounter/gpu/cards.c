// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marketing names of cards, from the system's list of PCI ids.
 */
#include <pci/pci.h>

#include "gpu/gpu.h"
#include "lib/tool.h"

/* Replaces the functions that pci_init() would set; pci_init() also scans for devices. */
static void say_nothing(char *msg, ...)
{
}

/**
 * card_name() - look up the marketing name of a PCI device
 * @vendor: PCI vendor id
 * @device: PCI device id
 * @buf: gets the name, empty if there is none
 * @len: size of @buf
 *
 * The environment variable PCI_IDS may name another list.
 *
 * Return: false if the system has no list, or the list has no such device.
 */
bool card_name(unsigned long vendor, unsigned long device, char *buf, size_t len)
{
	struct pci_access *pci = pci_alloc();
	char *list = getenv("PCI_IDS"), text[256], *open, *close;
	const char *name;

	pci->debug = say_nothing;
	pci->warning = say_nothing;
	if (list)
		pci_set_name_list_path(pci, list, 0);
	name = pci_lookup_name(pci, text, sizeof(text), PCI_LOOKUP_DEVICE |
			       PCI_LOOKUP_NO_NUMBERS | PCI_LOOKUP_NO_HWDB, (int)vendor,
			       (int)device);
	snprintf(buf, len, "%s", name ?: "");
	/* "G84 [GeForce 8600 GT]" */
	open = name ? strchr(text, '[') : NULL;
	close = open ? strrchr(open, ']') : NULL;
	if (close)
		snprintf(buf, len, "%.*s", (int)(close - open - 1), open + 1);
	pci_cleanup(pci);
	return name;
}
