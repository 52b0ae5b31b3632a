/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells that a GPU wakes.
 */
#ifndef _PCOUNTER_WAKE_H
#define _PCOUNTER_WAKE_H

#include <linux/pci.h>
#include <linux/types.h>

struct pcounter_wake;
struct work_struct;

struct pcounter_wake *pcounter_wake_create(struct pci_dev *pdev, struct work_struct *look);
void pcounter_wake_remove(struct pcounter_wake *wake);
void pcounter_wake_flush(void);
bool pcounter_wake_rang(struct pcounter_wake *wake);
bool pcounter_wake_rearm(struct pcounter_wake *wake);
void pcounter_wake_wait(struct pci_dev *pdev);

int pcounter_wake_module_init(void);
void pcounter_wake_module_exit(void);

#endif
