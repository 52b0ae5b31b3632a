/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One GPU on PCI: how it gets a PMU, and how its registers are reached.
 */
#ifndef _PCOUNTER_PCI_GPU_H
#define _PCOUNTER_PCI_GPU_H

#include <linux/list.h>
#include <linux/pci.h>
#include <linux/types.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "owner.h"
#include "pci_power.h"

struct pcounter_pmu;

/**
 * struct pcounter_pci - a display function of NVIDIA
 * @node: in pcounter_pcis
 * @pdev: the function, referenced
 * @enable: our share in its being enabled; held only while it has a PMU, and no
 *	driver
 * @hopeless: it is no GPU that we know, and is never looked at again
 * @logged: the log says why it is left alone
 * @swapped: the order of bytes of its registers when last looked at
 * @woken: it was woken up to be identified, which happens once
 * @boot_0: PMC.BOOT_0 when it was looked at
 * @power: whether it sleeps; the PMU's lock protects it
 * @io: register access
 * @gen: its generation, for the windows
 * @map: one mapping for each window
 * @awake_ref: the reference by which record mode keeps it awake
 * @master: we have made it a bus master, and not undone it
 * @ppmu: its PMU, or NULL
 *
 * The device lock of the function and pcounter_pcis_lock are held where one comes
 * or goes, gets a PMU or loses it.
 */
struct pcounter_pci {
	struct list_head node;
	struct pci_dev *pdev;
	struct pcounter_enable enable;
	bool hopeless;
	bool logged;
	bool swapped;
	bool woken;
	u32 boot_0;
	struct pcounter_pci_power power;
	struct pcounter_io io;
	const struct pcounter_gen *gen;
	void __iomem *map[PCOUNTER_MAX_WINDOWS];
	enum pcounter_pci_ref awake_ref;
	bool master;
	struct pcounter_pmu *ppmu;
};

void pcounter_pci_start(struct pcounter_pci *pp);
void pcounter_pci_stop(struct pcounter_pci *pp, bool restore);
void pcounter_pci_resume(struct pcounter_pci *pp);
void pcounter_pci_clear_master(struct pcounter_pci *pp);

#endif
