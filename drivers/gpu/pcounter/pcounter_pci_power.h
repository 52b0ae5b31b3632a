/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a PCI function may be touched. It belongs to another driver, or to
 * none: it is never woken, and it is not kept awake for longer than an access.
 */
#ifndef _PCOUNTER_PCI_POWER_H
#define _PCOUNTER_PCI_POWER_H

#include <linux/pci.h>
#include <linux/types.h>

/* What has to be given back. */
enum pcounter_pci_hold {
	PCOUNTER_PCI_ASLEEP,
	PCOUNTER_PCI_UNMANAGED,		/* awake, and nothing to give back */
	PCOUNTER_PCI_HELD,
};

/**
 * struct pcounter_pci_power - the power state of a function; who uses it locks
 * @pdev: the function
 * @how: what it is held by
 * @slept_ns: time that it has been suspended up to when it was held last
 * @sleeps: system sleeps up to then
 */
struct pcounter_pci_power {
	struct pci_dev *pdev;
	enum pcounter_pci_hold how;
	u64 slept_ns;
	unsigned int sleeps;
};

enum pcounter_pci_hold pcounter_pci_get(struct pci_dev *pdev);
void pcounter_pci_put(struct pci_dev *pdev, enum pcounter_pci_hold how);

void pcounter_pci_power_init(struct pcounter_pci_power *power, struct pci_dev *pdev);
bool pcounter_pci_power_hold(struct pcounter_pci_power *power, u32 *losses);
void pcounter_pci_power_drop(struct pcounter_pci_power *power);
u64 pcounter_pci_power_latch_ns(const struct pcounter_pci_power *power);
void pcounter_pci_sleep(bool asleep);

#endif
