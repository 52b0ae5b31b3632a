// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs, for people: pcounter/pcounter_<N>/
 *   status   mode of each domain, reason of a stop, losses of packets; from memory,
 *	      so asleep or awake is the state at the last use. Also VSTATUS of domains
 *	      in use while the GPU is awake
 *   signals  levels of all signals of all domains, from SIG_STATUS, of their
 *            selected sources, and of PDAEMON's idle signals
 *   user     write "DOMAIN LEVELS PULSES" to drive the USER signals
 *   lab/     files of the laboratory, see lent.c
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "debugfs.h"
#include "hw/idle.h"
#include "hw/io.h"
#include "hw/registers.h"
#include "lent.h"
#include "perf/types.h"
#include "record/record.h"
#include "rules/chip.h"

#define SIGNALS_PER_WORD	32

static struct dentry *pcounter_debugfs_root;

static void idle_status_show(struct seq_file *m, struct pcounter_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->idle.nr; i++) {
		const struct pcounter_idle_slot *slot = &gpu->idle.slot[i];

		guard(raw_spinlock_irqsave)(&gpu->lock);
		seq_printf(m, "idle counter %u: %s, %u counting, %s\n", i,
			   slot->unit.state == PCOUNTER_UNIT_FREE ? "not ours" : "ours",
			   slot->client.refs,
			   pcounter_fault_text[slot->unit.fault]);
	}
}

static void record_status_show(struct seq_file *m, struct pcounter_gpu *gpu)
{
	const struct pcounter_domain *d;
	const struct pcounter_loss *loss;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		guard(raw_spinlock_irqsave)(&gpu->lock);
		if (!d->stream)
			continue;
		loss = &d->stream->loss;
		seq_printf(m, "domain %s records: %llu packets, %llu overrun, %llu missing, %llu merged, %llu saturated, %llu gaps\n",
			   d->id->name,
			   loss->packets, loss->overrun, loss->missing, loss->merged,
			   loss->saturated, loss->gaps);
	}
}

static void domain_status_show(struct seq_file *m, const struct pcounter_domain *d, bool awake)
{
	const char *vstatus = awake ? pcounter_read_vstatus(&d->block) : NULL;
	const struct pcounter_dom_id *id = d->id;
	const struct pcounter_client *client;
	unsigned int counting = 0;

	lockdep_assert_held(&d->gpu->lock);
	for (client = d->client; client < d->client + d->clients; client++)
		counting += client->placed;
	seq_printf(m, "domain %s (%s): %u open, %u counting, %s",
		   id->name, id->clock ?: "clock unknown", d->refs, counting,
		   pcounter_fault_text[d->unit.fault]);
	if (d->missed)
		seq_printf(m, ", %llu periods lost", d->missed);
	if (vstatus)
		seq_printf(m, ", VSTATUS %s", vstatus);
	seq_putc(m, '\n');
}

static void gpu_status_show(struct seq_file *m, const struct pcounter_pmu *ppmu)
{
	const struct pcounter_gpu *gpu = &ppmu->gpu;
	unsigned int i;

	seq_printf(m, "chip %s (0x%03x) on %s\n", gpu->chip->name,
		   gpu->chip->chipset, dev_name(ppmu->base.parent));
	seq_printf(m, "PMC.BOOT_0 %08x straps %08x\n", gpu->io->boot_0, gpu->io->straps);
	seq_printf(m, "%s%s, %u times found asleep, %u times reset\n",
		   gpu->asleep ? "asleep" : "awake",
		   gpu->record->channel != PCOUNTER_CHANNEL_NONE ? " for record mode" : "",
		   gpu->sleeps, gpu->resets);
	for (i = 0; i < PCOUNTER_FAULTS; i++)
		if (gpu->faults[i])
			seq_printf(m, "%u times: %s\n", gpu->faults[i],
				   pcounter_fault_text[i]);
	if (gpu->muxes.failures)
		seq_printf(m, "%u times: a source mux could not be set\n",
			   gpu->muxes.failures);
}

static int status_show(struct seq_file *m, void *unused)
{
	struct pcounter_pmu *ppmu = m->private;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	const struct pcounter_domain *d;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		gpu_status_show(m, ppmu);
	/* drop the lock between domains, to keep interrupts off only briefly */
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		guard(raw_spinlock_irqsave)(&gpu->lock);
		CLASS(pcounter_hold, awake)(d->refs ? gpu : NULL);

		domain_status_show(m, d, awake);
	}
	record_status_show(m, gpu);
	idle_status_show(m, gpu);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static bool domain_signals_show(struct seq_file *m, const struct pcounter_domain *d)
{
	const struct pcounter_dom_id *id = d->id;
	struct pcounter_gpu *gpu = d->gpu;
	u32 sources = pcounter_reg_addr(gpu->gen, PCOUNTER_REG_SRC_STATUS, id->block), levels;
	unsigned int signals = 0, word;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		signals = pcounter_dom_signals(id, gpu->gen->caps);
	seq_printf(m, "domain %s:", id->name);
	for (word = 0; word * SIGNALS_PER_WORD < signals; word++) {
		if (!pcounter_gpu_access(gpu, pcounter_status_addr(gpu->gen, id->block, word),
					 &levels, 0))
			return false;
		seq_printf(m, " %08x", levels);
	}
	if (sources) {
		if (!pcounter_gpu_access(gpu, sources, &levels, 0))
			return false;
		seq_printf(m, " sources=%06x", levels);
	}
	seq_putc(m, '\n');
	return true;
}

/*
 * debugfs keeps the GPU's operations while a file is read. Return -EAGAIN if
 * the GPU sleeps.
 */
static int signals_show(struct seq_file *m, void *unused)
{
	struct pcounter_pmu *ppmu = m->private;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	const struct pcounter_domain *d;
	bool awake = true;
	u32 idle = 0;

	CLASS(pcounter_ref, ref)(gpu);
	if (!ref)
		return -EAGAIN;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		awake = awake && domain_signals_show(m, d);
		/* a hundred domains of a slow GPU take seconds */
		cond_resched();
	}
	if (awake && gpu->idle.nr) {
		pcounter_gpu_access(gpu, PDAEMON_IDLE_SIGNALS, &idle, 0);
		seq_printf(m, "idle: %08x\n", idle);
	}
	if (awake)
		return 0;
	return gpu->gone ? -ENODEV : -EAGAIN;
}
DEFINE_SHOW_ATTRIBUTE(signals);

/* Find a domain by its name: "hub3", "gpc1.0", "2". */
static struct pcounter_domain *find_domain(const struct pcounter_gpu *gpu, const char *text)
{
	struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (!strcmp(text, d->id->name))
			return d;
	return NULL;
}

static int user_drive(struct pcounter_gpu *gpu, char *line)
{
	char *name = strsep(&line, " "), *levels = strsep(&line, " ");
	struct pcounter_domain *d;
	u32 level, pulse;

	if (!levels || !line || kstrtou32(levels, 0, &level) ||
	    kstrtou32(strim(line), 0, &pulse))
		return -EINVAL;
	d = find_domain(gpu, name);
	if (!d)
		return -EINVAL;
	CLASS(pcounter_ref, ref)(gpu);
	if (!ref)
		return -EAGAIN;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	return pcounter_quad_user(d, level, pulse);
}

static ssize_t user_write(struct file *file, const char __user *buf, size_t count,
			  loff_t *ppos)
{
	struct pcounter_pmu *ppmu = file->private_data;
	char line[64];
	int err;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = 0;
	err = user_drive(&ppmu->gpu, line);
	return err ? err : count;
}

static const struct file_operations user_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = user_write,
};

/* ---- folders ---- */

/**
 * pcounter_debugfs_init() - create the module's folder
 */
void __init pcounter_debugfs_init(void)
{
	pcounter_debugfs_root = debugfs_create_dir("pcounter", NULL);
}

/**
 * pcounter_debugfs_exit() - remove the module's folder
 */
void pcounter_debugfs_exit(void)
{
	debugfs_remove(pcounter_debugfs_root);
}

/**
 * pcounter_debugfs_add() - create a PMU's folder
 * @ppmu: the PMU; its owner removes @debugfs, which waits for readers
 */
void pcounter_debugfs_add(struct pcounter_pmu *ppmu)
{
	ppmu->debugfs = debugfs_create_dir(ppmu->base.name, pcounter_debugfs_root);
	debugfs_create_file("status", 0400, ppmu->debugfs, ppmu, &status_fops);
	debugfs_create_file("signals", 0400, ppmu->debugfs, ppmu, &signals_fops);
	if (ppmu->gpu.gen->caps & PCOUNTER_CAP_USER)
		debugfs_create_file("user", 0200, ppmu->debugfs, ppmu, &user_fops);
}
