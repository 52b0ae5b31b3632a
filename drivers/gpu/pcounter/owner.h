/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owner of a PCI function: nobody, a graphics driver beside which the
 * counters work, or a driver that lends the function to a guest or to user
 * space.
 */
#ifndef _PCOUNTER_OWNER_H
#define _PCOUNTER_OWNER_H

#include <linux/pci.h>
#include <linux/types.h>

/* pcounter uses the function only with one of the first two. */
enum pcounter_owner {
	PCOUNTER_OWNER_NONE,
	PCOUNTER_OWNER_GRAPHICS,
	PCOUNTER_OWNER_LENDER,		/* its driver lends it to a guest, or reserves it */
	PCOUNTER_OWNER_STRANGER,	/* its driver is not a known graphics driver */
	PCOUNTER_OWNER_USER,		/* user space controls its DMA */
};

/* pcounter's share in enabling a function. */
enum pcounter_share {
	PCOUNTER_SHARE_NONE,
	PCOUNTER_SHARE_OURS,		/* pcounter must still call pci_disable_device() */
	PCOUNTER_SHARE_TAKEN,		/* other code has called it for pcounter */
};

/**
 * struct pcounter_enable - pcounter's share in enabling a function
 * @share: enum pcounter_share
 * @found: the COMMAND register before the share
 */
struct pcounter_enable {
	int share;
	u16 found;
};

enum pcounter_owner pcounter_owner_of(struct pci_dev *pdev);
void pcounter_owner_tell(struct pci_dev *pdev, enum pcounter_owner whose);
bool pcounter_owner_user_dma(struct pci_dev *pdev);

int pcounter_enable_get(struct pcounter_enable *en, struct pci_dev *pdev);
bool pcounter_enable_lasts(struct pcounter_enable *en, const struct pci_dev *pdev);
void pcounter_enable_put(struct pcounter_enable *en, struct pci_dev *pdev, u16 bits);

static inline bool pcounter_owner_lends(enum pcounter_owner whose)
{
	return whose > PCOUNTER_OWNER_GRAPHICS;
}

#endif
