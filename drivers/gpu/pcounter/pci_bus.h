/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All GPUs on PCI.
 */
#ifndef _PCOUNTER_PCI_BUS_H
#define _PCOUNTER_PCI_BUS_H

#include <linux/list.h>
#include <linux/mutex.h>

/*
 * Locks are taken in this order: the rescan lock, the function's device lock,
 * pcounter_pcis_lock.
 */
extern struct list_head pcounter_pcis;
extern struct mutex pcounter_pcis_lock;	/* protects pcounter_pcis */

void pcounter_pci_bus_scan(void);
int pcounter_pci_bus_init(void);
void pcounter_pci_bus_exit(void);

#endif
