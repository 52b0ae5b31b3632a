/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs files of a GPU.
 */
#ifndef _PCOUNTER_DEBUGFS_H
#define _PCOUNTER_DEBUGFS_H

struct pcounter_pmu;

void pcounter_debugfs_init(void);
void pcounter_debugfs_exit(void);
void pcounter_debugfs_add(struct pcounter_pmu *ppmu);

#endif
