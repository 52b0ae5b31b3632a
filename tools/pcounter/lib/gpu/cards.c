// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marketing names of cards, from the system's list of PCI ids or the tables of chips.
 */
#include <pci/pci.h>
#include <setjmp.h>

#include "gpu/gpu.h"
#include "gpu/texts.h"
#include "lib/util.h"

static jmp_buf broken_list;

/*
 * These replace the functions that pci_init() would set; pci_init() also scans for devices.
 * After an error libpci cannot go on, so the function for errors must not return.
 */
static void say_nothing(char *msg, ...)
{
}

static PCI_NONRET void give_up(char *msg, ...)
{
	longjmp(broken_list, 1);
}

/* Return false if the list does not have the GPU, or is broken. */
static bool look_up(struct pci_access *pci, const struct gpu *gpu, char *text, size_t len)
{
	if (setjmp(broken_list))
		return false;
	return pci_lookup_name(pci, text, len, PCI_LOOKUP_DEVICE | PCI_LOOKUP_NO_NUMBERS |
			       PCI_LOOKUP_NO_HWDB, (int)gpu->vendor, (int)gpu->device);
}

/**
 * gpu_card() - return the marketing name of a GPU
 * @gpu: the GPU
 *
 * The environment variable PCI_IDS may name another list.
 *
 * Return: the name, or that of a card with the same chip if the system's list has none, for
 * immediate use; empty if there is none.
 */
const char *gpu_card(const struct gpu *gpu)
{
	const struct pcounter_chip *chip = gpu->pmu ? gpu->pmu->topo.chip : NULL;
	struct pci_access *pci = pci_alloc();
	const char *list = secure_getenv("PCI_IDS"), *card, *open, *close;
	char text[256];
	unsigned int i;

	pci->debug = say_nothing;
	pci->warning = say_nothing;
	pci->error = give_up;
	/* no file of names below the user's home; libpci 3.13 also leaks its name */
	pci_set_param(pci, "net.cache_name", "");
	if (list)
		pci_set_name_list_path(pci, (char *)list, 0);
	card = look_up(pci, gpu, text, sizeof(text)) ? text_plain(text) : "";
	/* "G84 [GeForce 8600 GT]" */
	open = strchr(card, '[');
	close = open ? strrchr(open, ']') : NULL;
	if (close)
		card = text_tmp("%.*s", (int)(close - open - 1), open + 1);
	for (i = 0; i < nr_chip_names && chip && gpu->vendor && !*card; i++)
		if (chip_names[i].chipset == chip->chipset && strchr(chip_names[i].name, ' '))
			card = text_tmp("e.g. %s", chip_names[i].name);
	pci_cleanup(pci);
	return card;
}
