/* SPDX-License-Identifier: GPL-2.0-only */
/* One GPU on PCI: creation and removal of its PMU. */
#ifndef _PCOUNTER_PCI_GPU_H
#define _PCOUNTER_PCI_GPU_H

#include "pci_io.h"

void pcounter_pci_start(struct pcounter_pci *pp);
void pcounter_pci_stop(struct pcounter_pci *pp, bool restore);
void pcounter_pci_resume(struct pcounter_pci *pp);

#endif
