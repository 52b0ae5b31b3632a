// SPDX-License-Identifier: GPL-2.0-only
/*
 * The laboratory: experiments on the GPUs of pcounter, for root, by files in
 * debugfs (pcounter/pcounter_<N>/lab/):
 *   registers   configuration of all domains; no counters, and no register that
 *               holds a memory address
 *   experiment  write the name of an experiment to run it, read its result
 *
 * The files take no other request. Programs are part of the module, bounded in
 * accesses and in time. They put back all registers before the write returns,
 * also if a signal ends it. No event can be opened while an experiment runs,
 * and no experiment runs while events are open.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "count/gpu.h"
#include "hw/registers.h"
#include "hw/regs.h"
#include "lab/bench.h"
#include "lent.h"
#include "record/memory.h"

#define MOST_SECONDS	20	/* of one experiment */
#define SPIN_US		10	/* shorter waits do not sleep */
#define NAME_SIZE	32

/* ---- experiment ---- */

/**
 * struct pcounter_try - an open file
 * @bench: the bench; it keeps its set-up from one write to the next
 * @gpu: the GPU
 * @until: time limit of the running experiment, by ktime_get()
 *
 * The lock of its seq_file, which reads take, protects all fields.
 */
struct pcounter_try {
	struct pcounter_bench bench;
	struct pcounter_gpu *gpu;
	ktime_t until;
};

static struct pcounter_try *try_of(struct pcounter_bench *bench)
{
	return container_of(bench, struct pcounter_try, bench);
}

static bool try_access(struct pcounter_bench *bench, u32 addr, u32 *read, u32 write)
{
	return pcounter_gpu_access(try_of(bench)->gpu, addr, read, write);
}

static bool try_wait(struct pcounter_bench *bench, unsigned int us)
{
	if (us <= SPIN_US)
		udelay(us);
	else
		usleep_range(us, us + us / 4 + SPIN_US);
	return !signal_pending(current) && ktime_before(ktime_get(), try_of(bench)->until);
}

static u64 try_now(struct pcounter_bench *bench)
{
	return ktime_to_us(ktime_get());
}

static bool try_lend(struct pcounter_bench *bench, unsigned int dom,
		     struct pcounter_bench_ring *lent)
{
	struct pcounter_gpu *gpu = try_of(bench)->gpu;
	struct pcounter_ring *ring;

	/* the reader of a closed event still has a stream; no event can be opened now */
	if (READ_ONCE(gpu->dom[dom].stream) || pcounter_record_get(&gpu->dom[dom]))
		return false;
	ring = gpu->dom[dom].stream->own;
	if (bench_has(bench, PCOUNTER_CAP_SETS)) {
		guard(raw_spinlock_irqsave)(&gpu->lock);
		pcounter_gf100_bind(gpu, ring, 0);
	}
	lent->mem = ring->mem.cpu;
	lent->bytes = pcounter_ring_bytes(ring);
	lent->high = ring->address >> 32;
	lent->base = ring->address;
	return true;
}

static void try_take(struct pcounter_bench *bench, unsigned int dom)
{
	pcounter_record_put(&try_of(bench)->gpu->dom[dom]);
}

static const struct pcounter_bench_ops try_ops = {
	.access = try_access,
	.wait = try_wait,
	.now = try_now,
	.lend = try_lend,
	.take = try_take,
};

static int try_make(struct pcounter_try *try, const char *name)
{
	const struct pcounter_experiment *exp = pcounter_experiment_find(name);
	const struct pcounter_gpu *gpu = try->gpu;
	int err;

	if (!exp)
		return -EINVAL;
	/* no document describes the registers here: do not write them as a probe */
	if (gpu->gen->caps & PCOUNTER_CAP_INFERRED)
		return -EOPNOTSUPP;
	err = pcounter_gpu_lend(try->gpu);
	if (err)
		return err;
	/* an interrupted set-up is incomplete: begin anew */
	if (!try->bench.ops || try->bench.lost)
		pcounter_bench_init(&try->bench, &try_ops, gpu->gen, &gpu->topo);
	try->until = ktime_add_ms(ktime_get(), MOST_SECONDS * MSEC_PER_SEC);
	pcounter_experiment_run(&try->bench, exp);
	pcounter_gpu_reclaim(try->gpu);
	return 0;
}

static ssize_t try_write(struct file *file, const char __user *buf, size_t count,
			 loff_t *ppos)
{
	struct seq_file *m = file->private_data;
	char name[NAME_SIZE];
	int err;

	if (count >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, buf, count))
		return -EFAULT;
	name[count] = 0;
	err = mutex_lock_interruptible(&m->lock);
	if (err)
		return err;
	err = try_make(m->private, strim(name));
	mutex_unlock(&m->lock);
	return err ? err : count;
}

/* Write an answer as a JSON object. No text of the laboratory needs an escape. */
static void finding_show(struct seq_file *m, const struct pcounter_finding *found)
{
	const struct pcounter_differs *culprit = &found->culprit;
	unsigned int i;

	seq_printf(m, "{\"verdict\": \"%s\"", pcounter_verdict_text[found->verdict]);
	if (found->verdict == PCOUNTER_NAMED)
		seq_printf(m, ", \"reading\": %u", found->reading);
	if (found->why)
		seq_printf(m, ", \"why\": \"%s\"", found->why);
	if (culprit->addr)
		seq_printf(m, ", \"register\": [%u, %u, %u]", culprit->addr, culprit->wanted,
			   culprit->got);
	seq_printf(m, ", \"accesses\": %u, \"evidence\": ", found->accesses);
	for (i = 0; i < PCOUNTER_EXP_VARS; i++)
		seq_printf(m, "%s%u", i ? ", " : "[", found->var[i]);
	seq_puts(m, "]}\n");
}

static int try_show(struct seq_file *m, void *unused)
{
	struct pcounter_try *try = m->private;

	if (try->bench.ops)
		finding_show(m, &try->bench.found);
	return 0;
}

static int try_open(struct inode *inode, struct file *file)
{
	struct pcounter_try *try = kvzalloc(sizeof(*try), GFP_KERNEL);
	int err;

	if (!try)
		return -ENOMEM;
	try->gpu = inode->i_private;
	err = single_open(file, try_show, try);
	if (err)
		kvfree(try);
	return err;
}

static int try_release(struct inode *inode, struct file *file)
{
	kvfree(((struct seq_file *)file->private_data)->private);
	return single_release(inode, file);
}

static const struct file_operations try_fops = {
	.owner = THIS_MODULE,
	.open = try_open,
	.read = seq_read,
	.write = try_write,
	.release = try_release,
	.llseek = seq_lseek,
};

/* ---- registers ---- */

/* Configuration registers of a domain. */
static const struct {
	u8 reg;
	u8 number;
	u32 caps;
	u16 chipset;
} kept_registers[] = {
	/* and OP; every chip has the first of these registers */
	{ .reg = PCOUNTER_REG_SRC, .number = 2 * PCOUNTER_OPS },
	{ .reg = PCOUNTER_REG_CTRL, .number = 1 },
	{ .reg = PCOUNTER_REG_SWAP_SRC, .number = 1, .caps = PCOUNTER_CAP_SWAP_SRC },
	{ .reg = PCOUNTER_REG_USER, .number = 1, .caps = PCOUNTER_CAP_SETS },
	{ .reg = PCOUNTER_REG_FILTER, .number = 1, .caps = PCOUNTER_CAP_SETS },
	{ .reg = PCOUNTER_REG_PERIODIC, .number = 1, .caps = PCOUNTER_CAP_PERIODIC },
	{ .reg = PCOUNTER_REG_SLCG, .number = PCOUNTER_GATES, .chipset = FIRST_GATED },
};

/* Return true for the value of a failed read, if the GPU does not answer at all. */
static bool check_unread(struct pcounter_gpu *gpu, u32 val)
{
	u32 boot_0;

	return pcounter_is_dead(val) && pcounter_gpu_access(gpu, NV_PMC_BOOT_0, &boot_0, 0) &&
	       pcounter_is_dead(boot_0);
}

static int register_show(struct seq_file *m, struct pcounter_gpu *gpu, unsigned int block,
			 unsigned int reg, bool first)
{
	u32 addr = pcounter_reg_addr(gpu->gen, reg, block), val;

	if (!addr)
		return 0;
	if (!pcounter_gpu_access(gpu, addr, &val, 0))
		return gpu->gone ? -ENODEV : -EAGAIN;
	if (check_unread(gpu, val))
		return -EIO;
	if (reg == PCOUNTER_REG_CTRL)
		val &= pcounter_ctrl_of(gpu->gen, block)->preserve_mask;
	seq_printf(m, "%s%06x=%08x", first ? "" : " ", addr, val);
	return 0;
}

static int domain_show(struct seq_file *m, struct pcounter_gpu *gpu, unsigned int block)
{
	unsigned int i, k;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(kept_registers); i++) {
		if ((gpu->gen->caps & kept_registers[i].caps) != kept_registers[i].caps ||
		    gpu->chip->chipset < kept_registers[i].chipset)
			continue;
		for (k = 0; k < kept_registers[i].number && !err; k++)
			err = register_show(m, gpu, block, kept_registers[i].reg + k, !i && !k);
	}
	return err;
}

/* Write a JSON object with the registers of each domain as a text. */
static int registers_show(struct seq_file *m, void *unused)
{
	struct pcounter_gpu *gpu = m->private;
	unsigned int i;
	int err = 0;

	/* no document describes these addresses on this chip */
	if (gpu->gen->caps & PCOUNTER_CAP_INFERRED)
		return -EOPNOTSUPP;
	for (i = 0; i < gpu->topo.nr && !err; i++) {
		seq_printf(m, "%s\"%s\": \"", i ? ",\n " : "{", gpu->topo.dom[i].name);
		err = domain_show(m, gpu, gpu->topo.dom[i].block);
		seq_putc(m, '"');
		cond_resched();
	}
	seq_puts(m, "}\n");
	return err;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static const struct pcounter_lab lab = {
	.experiment = &try_fops,
	.registers = &registers_fops,
};

static int __init pcounter_lab_init(void)
{
	pcounter_lend_files(&lab);
	return 0;
}
module_init(pcounter_lab_init);

static void __exit pcounter_lab_exit(void)
{
	pcounter_lend_files(NULL);
}
module_exit(pcounter_lab_exit);

MODULE_DESCRIPTION("Experiments on GPUs of pcounter, for pcounter selftest");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(PCOUNTER_NAMESPACE);
