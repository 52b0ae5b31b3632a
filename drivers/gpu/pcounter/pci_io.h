/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to a PCI function and its registers. The function belongs to another driver, or
 * to none: pcounter wakes it only once, to identify it, and keeps it awake only while its
 * owner uses it, or for record mode.
 */
#ifndef _PCOUNTER_PCI_IO_H
#define _PCOUNTER_PCI_IO_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/pci.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "hw/io.h"

struct pcounter_pmu;

#define PCOUNTER_BAR		0
#define PCOUNTER_BAR_SIZE	SZ_16M	/* at least, on all chips (hw:chips/windows) */

/* pcounter's share in enabling a function. */
enum pcounter_share {
	PCOUNTER_SHARE_NONE,
	PCOUNTER_SHARE_OURS,		/* pcounter must still call pci_disable_device() */
	PCOUNTER_SHARE_TAKEN,		/* other code has called it for pcounter */
};

/**
 * struct pcounter_pci - a display function of NVIDIA
 * @node: in pcounter_pcis
 * @pdev: the function, referenced
 * @share: enum pcounter_share; held only without a driver, while the function has a PMU or
 *	is identified
 * @found: the COMMAND register before the share
 * @hopeless: it is no known GPU, and is never examined again
 * @logged: the log has the reason for not using it
 * @woken: it was woken once, to be identified
 * @io: register access
 * @map: its registers, mapped while it is examined or has a PMU
 * @refs: references of runtime power management by @io
 * @resting: its owner had finished using it
 * @busy: time of the owner's last use when @resting was set
 * @slept_ns: suspended time up to the last reference by @io
 * @slept_before_ns: the part that has been counted; the GPU's lock protects it and @sleeps
 * @sleeps: system sleeps that have been counted
 * @master: record mode has made it a bus master, and not undone it
 * @ppmu: its PMU, or NULL
 *
 * The device lock of the function and pcounter_pcis_lock protect its arrival, its
 * removal, and the creation and removal of its PMU.
 */
struct pcounter_pci {
	struct list_head node;
	struct pci_dev *pdev;
	int share;
	u16 found;
	bool hopeless;
	bool logged;
	bool woken;
	struct pcounter_io io;
	void __iomem *map;
	atomic_t refs;
	bool resting;
	u64 busy;
	u64 slept_ns;
	u64 slept_before_ns;
	unsigned int sleeps;
	bool master;
	struct pcounter_pmu *ppmu;
};

extern const struct pcounter_io_ops pcounter_pci_ops;

bool pcounter_owner_check(struct pci_dev *pdev, bool tell);
int pcounter_pci_enable(struct pcounter_pci *pp);
void pcounter_pci_disable(struct pcounter_pci *pp, u16 bits);
bool pcounter_pci_get(struct pci_dev *pdev);
bool pcounter_pci_wake(struct pci_dev *pdev);
void pcounter_pci_put(struct pci_dev *pdev);
bool pcounter_pci_decodes(struct pci_dev *pdev);
void pcounter_pci_power_init(struct pcounter_pci *pp);
void pcounter_pci_clear_master(struct pcounter_pci *pp);
void pcounter_pci_sleep(bool asleep);

#endif
