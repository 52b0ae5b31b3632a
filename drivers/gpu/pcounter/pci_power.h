/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a PCI function may be touched. It belongs to another driver, or to
 * none: it is woken up once, to be identified, and kept awake for an access only.
 */
#ifndef _PCOUNTER_PCI_POWER_H
#define _PCOUNTER_PCI_POWER_H

#include <linux/atomic.h>
#include <linux/pci.h>
#include <linux/types.h>

/* The kind of reference on a function. */
enum pcounter_pci_ref {
	PCOUNTER_PCI_ASLEEP,
	PCOUNTER_PCI_UNMANAGED,		/* awake, and nothing to give back */
	PCOUNTER_PCI_REF,
};

/**
 * struct pcounter_pci_power - the power state of a function
 * @pdev: the function
 * @refs: references of runtime power management by pcounter_pci_power_get()
 * @resting: its owner was done with it
 * @busy: when its owner used it last, in that moment
 * @slept_ns: time that it has been suspended up to when it was taken last
 * @slept_before_ns: the part that is known; the GPU's lock protects it and @sleeps
 * @sleeps: system sleeps that are known
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
