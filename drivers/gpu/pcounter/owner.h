/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owner of a PCI function: nobody, a graphics driver beside which the
 * counters work, or a driver that lends the function to a guest or to user
 * space.
 */
#ifndef _PCOUNTER_OWNER_H
#define _PCOUNTER_OWNER_H

#include <linux/types.h>

struct pci_dev;

bool pcounter_owner_lends(struct pci_dev *pdev, bool tell);
bool pcounter_owner_user_dma(struct pci_dev *pdev);

#endif
