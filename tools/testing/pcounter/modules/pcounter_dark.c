// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure how long a module keeps interrupts off under its locks, for guest
 * tests on kernels that trace both.
 *
 * Tracepoints report when interrupts go off and on, and each acquired lock. The
 * class of a lock is an address in the module that created it. A period with
 * interrupts off counts as the module's if it acquires one of the module's
 * locks during the period, whatever has disabled interrupts.
 *
 * A write of N to calibrate measures the permitted work: N reads of a register,
 * and a copy of 64 KiB, with interrupts off. It reports the time of each, and
 * the longest time that the host steals from this processor during the
 * measurement.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/percpu.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#define COPY_BYTES	SZ_64K
#define SPIN_NS		(5 * NSEC_PER_MSEC)	/* with interrupts off */
#define SPINS		100
#define REGISTER	0	/* PMC.BOOT_0 */

static unsigned long from;
module_param(from, ulong, 0444);
MODULE_PARM_DESC(from, "First address of the watched module");
static unsigned long to;
module_param(to, ulong, 0444);
MODULE_PARM_DESC(to, "Where it ends");

/**
 * struct dark - one CPU
 * @off_ns: time when interrupts went off
 * @off_ip: code address where interrupts went off
 * @held_ns: time when the first lock of the module was acquired after @off_ns,
 *	0: none was
 */
struct dark {
	u64 off_ns;
	unsigned long off_ip;
	u64 held_ns;
};

static DEFINE_PER_CPU(struct dark, dark_cpu);

/* The longest of all CPUs. A race may lose one value of two that are equally good. */
static u64 dark_longest_ns;
static u64 dark_total;
static unsigned long dark_off_ip;
static unsigned long dark_on_ip;

static void dark_off(void *unused, unsigned long ip, unsigned long parent)
{
	struct dark *d = this_cpu_ptr(&dark_cpu);

	d->off_ip = ip;
	d->held_ns = 0;
	d->off_ns = ktime_get_mono_fast_ns();
}

static void dark_on(void *unused, unsigned long ip, unsigned long parent)
{
	struct dark *d = this_cpu_ptr(&dark_cpu);
	u64 ns;

	if (!d->held_ns)
		return;
	ns = ktime_get_mono_fast_ns() - d->off_ns;
	d->held_ns = 0;
	WRITE_ONCE(dark_total, READ_ONCE(dark_total) + 1);
	if (ns <= READ_ONCE(dark_longest_ns))
		return;
	WRITE_ONCE(dark_longest_ns, ns);
	WRITE_ONCE(dark_off_ip, d->off_ip);
	WRITE_ONCE(dark_on_ip, ip);
}

static void dark_lock(void *unused, struct lockdep_map *lock, unsigned int subclass,
		      int trylock, int read, int check, struct lockdep_map *next,
		      unsigned long ip)
{
	unsigned long key = (unsigned long)lock->key;
	struct dark *d;

	if (key < from || key >= to || !irqs_disabled())
		return;
	d = this_cpu_ptr(&dark_cpu);
	if (!d->held_ns)
		d->held_ns = ktime_get_mono_fast_ns();
}

/* These tracepoints are not exported: find them by name. */
static struct dark_point {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} dark_points[] = {
	{ "irq_disable", dark_off },
	{ "irq_enable", dark_on },
	{ "lock_acquire", dark_lock },
};

static void dark_find(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dark_points); i++)
		if (!strcmp(tp->name, dark_points[i].name))
			dark_points[i].tp = tp;
}

/* ---- calibration ---- */

static void __iomem *dark_regs;
static void *dark_copies[2];

static u64 dark_time_reads(unsigned int number)
{
	unsigned long flags;
	u64 begin, end;

	local_irq_save(flags);
	begin = ktime_get_mono_fast_ns();
	while (number--)
		readl(dark_regs + REGISTER);
	end = ktime_get_mono_fast_ns();
	local_irq_restore(flags);
	return end - begin;
}

static u64 dark_time_copy(void)
{
	unsigned long flags;
	u64 begin, end;

	local_irq_save(flags);
	begin = ktime_get_mono_fast_ns();
	memcpy(dark_copies[0], dark_copies[1], COPY_BYTES);
	end = ktime_get_mono_fast_ns();
	local_irq_restore(flags);
	return end - begin;
}

/* Measure gaps between iterations of this loop: the host runs other code in a gap. */
static u64 dark_time_hole(void)
{
	u64 begin, last, now, hole = 0;
	unsigned long flags;

	local_irq_save(flags);
	begin = ktime_get_mono_fast_ns();
	last = begin;
	do {
		now = ktime_get_mono_fast_ns();
		hole = max(hole, now - last);
		last = now;
	} while (now - begin < SPIN_NS);
	local_irq_restore(flags);
	return hole;
}

/* ---- debugfs ---- */

static struct dentry *dark_dir;
static u64 dark_reads_ns, dark_copy_ns, dark_hole_ns;

/*
 * Report the shortest of some reads and copies: longer times include other work
 * of the machine.
 */
static int dark_calibrate(void *unused, u64 number)
{
	unsigned int i;

	if (!number || number > 4096)
		return -EINVAL;
	dark_reads_ns = U64_MAX;
	dark_copy_ns = U64_MAX;
	for (i = 0; i < 8; i++) {
		dark_reads_ns = min(dark_reads_ns, dark_time_reads(number));
		dark_copy_ns = min(dark_copy_ns, dark_time_copy());
	}
	dark_hole_ns = 0;
	for (i = 0; i < SPINS; i++) {
		dark_hole_ns = max(dark_hole_ns, dark_time_hole());
		usleep_range(1000, 2000);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(dark_calibrate_fops, NULL, dark_calibrate, "%llu\n");

static int dark_reset(void *unused, u64 value)
{
	dark_longest_ns = 0;
	dark_total = 0;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(dark_reset_fops, NULL, dark_reset, "%llu\n");

static int dark_where_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%pS to %pS\n", (void *)dark_off_ip, (void *)dark_on_ip);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dark_where);

static void dark_files(void)
{
	dark_dir = debugfs_create_dir("pcounter_dark", NULL);
	debugfs_create_file("calibrate", 0200, dark_dir, NULL, &dark_calibrate_fops);
	debugfs_create_file("reset", 0200, dark_dir, NULL, &dark_reset_fops);
	debugfs_create_file("where", 0400, dark_dir, NULL, &dark_where_fops);
	debugfs_create_u64("longest_ns", 0400, dark_dir, &dark_longest_ns);
	debugfs_create_u64("total", 0400, dark_dir, &dark_total);
	debugfs_create_u64("reads_ns", 0400, dark_dir, &dark_reads_ns);
	debugfs_create_u64("copy_ns", 0400, dark_dir, &dark_copy_ns);
	debugfs_create_u64("hole_ns", 0400, dark_dir, &dark_hole_ns);
}

/* ---- load and unload ---- */

static int dark_map(void)
{
	struct pci_dev *pdev = pci_get_device(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID, NULL);
	int err = -ENOMEM;

	if (!pdev)
		return -ENODEV;
	dark_regs = ioremap(pci_resource_start(pdev, 0), PAGE_SIZE);
	pci_dev_put(pdev);
	dark_copies[0] = vzalloc(COPY_BYTES);
	dark_copies[1] = vzalloc(COPY_BYTES);
	if (dark_regs && dark_copies[0] && dark_copies[1])
		err = 0;
	return err;
}

static void dark_unmap(void)
{
	vfree(dark_copies[0]);
	vfree(dark_copies[1]);
	if (dark_regs)
		iounmap(dark_regs);
}

static void dark_unhook(unsigned int number)
{
	while (number--)
		tracepoint_probe_unregister(dark_points[number].tp, dark_points[number].probe,
					    NULL);
	tracepoint_synchronize_unregister();
}

static int dark_hook(void)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(dark_find, NULL);
	for (i = 0; i < ARRAY_SIZE(dark_points); i++) {
		err = dark_points[i].tp ?
			tracepoint_probe_register(dark_points[i].tp, dark_points[i].probe, NULL) :
			-EOPNOTSUPP;
		if (err) {
			dark_unhook(i);
			return err;
		}
	}
	return 0;
}

static int __init dark_init(void)
{
	int err = dark_map();

	if (!err)
		err = dark_hook();
	if (err) {
		dark_unmap();
		return err;
	}
	dark_files();
	return 0;
}

static void __exit dark_exit(void)
{
	debugfs_remove_recursive(dark_dir);
	dark_unhook(ARRAY_SIZE(dark_points));
	dark_unmap();
}

module_init(dark_init);
module_exit(dark_exit);

MODULE_DESCRIPTION("How long interrupts are off, for tests");
MODULE_LICENSE("GPL");
