/* SPDX-License-Identifier: GPL-2.0-only */
/* One GPU on PCI: creation of its PMU, and access to its registers. */
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
 * @enable: pcounter's share in enabling it; held only while it has a PMU, and no
 *	driver
 * @hopeless: it is no known GPU, and is never examined again
 * @logged: the log has the reason for not using it
 * @swapped: its registers had the opposite byte order at the last read of PMC.BOOT_1
 * @woken: it was woken once, to be identified
 * @boot_0: PMC.BOOT_0 when it was examined
 * @power: its power state; the PMU's lock protects it
 * @io: register access
 * @gen: its generation, for the windows
 * @map: one mapping for each window
 * @awake_ref: record mode's reference that keeps it awake
 * @master: record mode has made it a bus master, and not undone it
 * @ppmu: its PMU, or NULL
 *
 * The device lock of the function and pcounter_pcis_lock protect its arrival, its
 * removal, and the creation and removal of its PMU.
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
