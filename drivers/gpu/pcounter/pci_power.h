/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to a PCI function's power state. The function belongs to another
 * driver, or to none: pcounter wakes it only once, to identify it, and keeps it
 * awake only for an access.
 */
#ifndef _PCOUNTER_PCI_POWER_H
#define _PCOUNTER_PCI_POWER_H

#include <linux/atomic.h>
#include <linux/pci.h>
#include <linux/types.h>

/* The kind of reference on a function. */
enum pcounter_pci_ref {
	PCOUNTER_PCI_ASLEEP,
	PCOUNTER_PCI_UNMANAGED,		/* awake, and there is no reference to put */
	PCOUNTER_PCI_REF,
};

/**
 * struct pcounter_pci_power - the power state of a function
 * @pdev: the function
 * @refs: references of runtime power management by pcounter_pci_power_get()
 * @resting: its owner had finished using it
 * @busy: time of the owner's last use when @resting was set
 * @slept_ns: suspended time up to the last pcounter_pci_power_get()
 * @slept_before_ns: the part that has been counted; the GPU's lock protects it and @sleeps
 * @sleeps: system sleeps that have been counted
 */
struct pcounter_pci_power {
	struct pci_dev *pdev;
	atomic_t refs;
	bool resting;
	u64 busy;
	u64 slept_ns;
	u64 slept_before_ns;
	unsigned int sleeps;
};

enum pcounter_pci_ref pcounter_pci_get(struct pci_dev *pdev);
enum pcounter_pci_ref pcounter_pci_wake(struct pci_dev *pdev);
void pcounter_pci_put(struct pci_dev *pdev, enum pcounter_pci_ref how);

void pcounter_pci_power_init(struct pcounter_pci_power *power, struct pci_dev *pdev);
bool pcounter_pci_power_get(struct pcounter_pci_power *power);
void pcounter_pci_power_put(struct pcounter_pci_power *power);
void pcounter_pci_power_put_sync(struct pcounter_pci_power *power);
bool pcounter_pci_power_awake(struct pcounter_pci_power *power, u32 *losses);
bool pcounter_pci_power_unused(const struct pcounter_pci_power *power);
u64 pcounter_pci_power_watch_ns(const struct pcounter_pci_power *power);
void pcounter_pci_sleep(bool asleep);

#endif
