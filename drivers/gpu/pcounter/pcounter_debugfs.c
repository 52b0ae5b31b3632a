// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs: pcounter/pcounter_<N>/status says what each domain is doing, and why
 * one has stopped. For people only; answers from memory.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "pcounter_pmu.h"

static struct dentry *pcounter_debugfs_root;

static int status_show(struct seq_file *m, void *unused)
{
	struct pcounter_pmu *ppmu = m->private;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned int i, k;

	seq_printf(m, "chip %s (0x%03x) on %s\n", gpu->chip->name,
		   gpu->chip->chipset, dev_name(ppmu->parent));
	for (i = 0; i < gpu->chip->domains; i++) {
		const struct pcounter_domain *d = &gpu->dom[i];
		unsigned int counting = 0;

		for (k = 0; k < PCOUNTER_MAX_REQUESTS; k++)
			counting += d->user[k].placed;
		seq_printf(m, "domain %u (%s): %u open, %u counting, %s\n", i,
			   gpu->chip->clocks[i], d->refs, counting,
			   pcounter_fault_text(d->fault));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

/**
 * pcounter_debugfs_init() - make the module's folder
 */
void pcounter_debugfs_init(void)
{
	pcounter_debugfs_root = debugfs_create_dir("pcounter", NULL);
}

/**
 * pcounter_debugfs_exit() - remove it
 */
void pcounter_debugfs_exit(void)
{
	debugfs_remove(pcounter_debugfs_root);
}

/**
 * pcounter_debugfs_add() - make a PMU's folder
 * @ppmu: the PMU
 */
void pcounter_debugfs_add(struct pcounter_pmu *ppmu)
{
	ppmu->debugfs = debugfs_create_dir(ppmu->name, pcounter_debugfs_root);
	debugfs_create_file("status", 0400, ppmu->debugfs, ppmu, &status_fops);
}

/**
 * pcounter_debugfs_remove() - remove it; waits for readers
 * @ppmu: the PMU
 */
void pcounter_debugfs_remove(struct pcounter_pmu *ppmu)
{
	debugfs_remove(ppmu->debugfs);
}
