// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs, for root: pcounter/pcounter_<N>/experiment
 *   write the name of an experiment (hw:experiments) to make it, or "look"
 *   read what came of it
 *
 * Nothing else can be asked for: programs are part of the module, bounded in
 * accesses and in time, and put back what they change before the write returns,
 * also if a signal ends it. While one runs no event can be opened, and while
 * events are open none runs.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bench.h"
#include "count/gpu.h"
#include "experiment/experiment.h"
#include "hw/io.h"
#include "hw/layout.h"
#include "perf/types.h"
#include "record/record.h"

#define MOST_SECONDS	20	/* of one experiment */
#define SPIN_US		10	/* shorter waits do not sleep */
#define NAME_SIZE	32
#define TEXT_SIZE	768

/**
 * struct pcounter_try - an open file
 * @bench: the bench; what it has found out is kept from one write to the next
 * @gpu: the GPU
 * @mutex: one write or read at a time; protects all of this
 * @until: when the running experiment is stopped, by ktime_get()
 * @text: what came of the last one
 */
struct pcounter_try {
	struct pcounter_bench bench;
	struct pcounter_gpu *gpu;
	struct mutex mutex;	/* see above */
	ktime_t until;
	char text[TEXT_SIZE];
};

static struct pcounter_try *try_of(struct pcounter_bench *bench)
{
	return container_of(bench, struct pcounter_try, bench);
}

/* One register at a time: interrupts are off meanwhile. */
static bool try_access(struct pcounter_bench *bench, u32 addr, u32 *read, u32 write)
{
	struct pcounter_gpu *gpu = try_of(bench)->gpu;
	unsigned long flags;
	bool awake = pcounter_gpu_begin(gpu, &flags);

	if (awake && read)
		*read = pcounter_rd32(gpu->io, addr);
	else if (awake)
		pcounter_wr32(gpu->io, addr, write);
	pcounter_gpu_end(gpu, flags, awake);
	return awake;
}

static bool try_rd32(struct pcounter_bench *bench, u32 addr, u32 *val)
{
	return try_access(bench, addr, val, 0);
}

static bool try_wr32(struct pcounter_bench *bench, u32 addr, u32 val)
{
	return try_access(bench, addr, NULL, val);
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

static bool try_lend(struct pcounter_bench *bench, unsigned int dom, bool share,
		     struct pcounter_bench_ring *lent)
{
	const struct pcounter_ring *ring;

	if (pcounter_record_lend(try_of(bench)->gpu, dom, share, &ring))
		return false;
	lent->mem = ring->mem.cpu;
	lent->bytes = pcounter_ring_bytes(ring);
	lent->high = ring->high;
	lent->base = ring->base;
	return true;
}

static void try_take(struct pcounter_bench *bench, unsigned int dom)
{
	pcounter_record_take(try_of(bench)->gpu, dom);
}

static const struct pcounter_bench_ops try_ops = {
	.rd32 = try_rd32,
	.wr32 = try_wr32,
	.wait = try_wait,
	.now = try_now,
	.lend = try_lend,
	.take = try_take,
};

static void tell(struct pcounter_try *try, const struct pcounter_experiment *exp,
		 const struct pcounter_finding *found)
{
	size_t len = sizeof(try->text), at = 0;
	unsigned int i;

	at += scnprintf(try->text, len, "experiment %s\nverdict %s\n", exp->name,
			pcounter_verdict_text(found->verdict));
	if (found->verdict == PCOUNTER_NAMED)
		at += scnprintf(try->text + at, len - at, "reading %u\ntext %s\n", found->reading,
				exp->reading[found->reading].text);
	if (found->why)
		at += scnprintf(try->text + at, len - at, "why %s\n", found->why);
	if (found->addr)
		at += scnprintf(try->text + at, len - at, "register %06x wanted %08x got %08x\n",
				found->addr, found->wanted, found->got);
	at += scnprintf(try->text + at, len - at, "accesses %u\nevidence", found->accesses);
	for (i = 0; i < PCOUNTER_EXP_VARS; i++)
		at += scnprintf(try->text + at, len - at, " %u", found->var[i]);
	scnprintf(try->text + at, len - at, "\n");
}

/* The configuration of all domains as one number: are registers as found? */
static void look(struct pcounter_try *try)
{
	u32 sum = pcounter_bench_sum(&try->bench);

	if (try->bench.lost)
		scnprintf(try->text, sizeof(try->text), "verdict stopped\n");
	else
		scnprintf(try->text, sizeof(try->text), "sum %08x\n", sum);
	try->bench.lost = false;
}

static int try_make(struct pcounter_try *try, const char *name)
{
	const struct pcounter_experiment *exp = pcounter_experiment_find(name);
	struct pcounter_finding found;

	if (!exp && strcmp(name, "look"))
		return -EINVAL;
	/* what a run that was stopped had not found out is to be asked again */
	if (try->bench.lost)
		pcounter_bench_init(&try->bench, &try_ops, try->gpu->gen, &try->gpu->topo);
	try->until = ktime_add_ms(ktime_get(), MOST_SECONDS * MSEC_PER_SEC);
	if (!exp) {
		look(try);
		return 0;
	}
	pcounter_experiment_run(&try->bench, exp, &found);
	tell(try, exp, &found);
	return 0;
}

static int try_on_gpu(struct pcounter_try *try, const char *name)
{
	int err;

	/* no document says what is at these addresses: nothing is written for trial */
	if (try->gpu->gen->ops->is_known)
		return -EOPNOTSUPP;
	if (!pcounter_gpu_get(try->gpu))
		return -EAGAIN;
	err = pcounter_gpu_lend(try->gpu);
	if (!err) {
		err = try_make(try, name);
		pcounter_gpu_reclaim(try->gpu);
	}
	pcounter_gpu_put(try->gpu);
	return err;
}

static int try_open(struct inode *inode, struct file *file)
{
	struct pcounter_pmu *ppmu = inode->i_private;
	struct pcounter_try *try = kvzalloc(sizeof(*try), GFP_KERNEL);

	if (!try)
		return -ENOMEM;
	try->gpu = &ppmu->gpu;
	mutex_init(&try->mutex);
	pcounter_bench_init(&try->bench, &try_ops, try->gpu->gen, &try->gpu->topo);
	file->private_data = try;
	return 0;
}

static int try_release(struct inode *inode, struct file *file)
{
	kvfree(file->private_data);
	return 0;
}

static ssize_t try_write(struct file *file, const char __user *buf, size_t count,
			 loff_t *ppos)
{
	struct pcounter_try *try = file->private_data;
	char name[NAME_SIZE];
	int err;

	if (count >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, buf, count))
		return -EFAULT;
	name[count] = 0;
	err = mutex_lock_interruptible(&try->mutex);
	if (err)
		return err;
	err = try_on_gpu(try, strim(name));
	mutex_unlock(&try->mutex);
	return err ? err : count;
}

static ssize_t try_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct pcounter_try *try = file->private_data;
	ssize_t got;

	mutex_lock(&try->mutex);
	got = simple_read_from_buffer(buf, count, ppos, try->text, strlen(try->text));
	mutex_unlock(&try->mutex);
	return got;
}

const struct file_operations pcounter_bench_fops = {
	.owner = THIS_MODULE,
	.open = try_open,
	.read = try_read,
	.write = try_write,
	.release = try_release,
	.llseek = default_llseek,
};
