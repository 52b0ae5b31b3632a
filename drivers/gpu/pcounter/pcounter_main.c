// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module, and GPUs on PCI. The PCI function belongs to the graphics
 * driver, if any: it is never bound and its regions are never claimed, only
 * the few pages that the counters need are mapped.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/time64.h>
#include <linux/workqueue.h>

#include "pcounter_chip.h"
#include "pcounter_gen.h"
#include "pcounter_io.h"
#include "pcounter_pci_power.h"
#include "pcounter_pmu.h"
#include "pcounter_regs.h"

#define PCOUNTER_BAR		0
#define PCOUNTER_DMA_BITS	40	/* hw/record-memory.md 9 */

/* How often to look whether a GPU that slept has woken; looking does not wake it. */
#define PCOUNTER_LOOK_MS	2000

static bool unverified;
module_param(unverified, bool, 0444);
MODULE_PARM_DESC(unverified, "Drive chips of which no document says for sure that they have PCOUNTER (default: no)");

module_param_named(record_ring_kb, pcounter_record_params.ring_kb, uint, 0444);
MODULE_PARM_DESC(record_ring_kb, "Memory for the packets of a domain in KiB, 64 to 4096 (default 1024)");
module_param_named(record_poll_us, pcounter_record_params.poll_us, uint, 0444);
MODULE_PARM_DESC(record_poll_us, "How often packets are taken in us, 100 to 1000000 (default 0: four times while a ring fills)");
module_param_named(record_own_tables, pcounter_record_params.own_tables, bool, 0444);
MODULE_PARM_DESC(record_own_tables, "Record mode: eight page tables of 1 MiB for a domain instead of one (default: no)");
module_param_named(record_position, pcounter_record_params.position, uint, 0444);
MODULE_PARM_DESC(record_position, "Record mode: where in its window a stream begins, for tests (default 0)");

static unsigned int slow_read_us;
module_param(slow_read_us, uint, 0444);
MODULE_PARM_DESC(slow_read_us, "Ten register reads in a row of so many us are a sick GPU (default 0: 4000); for GPUs that are programs");

static char *instmem = "system";
module_param(instmem, charp, 0444);
MODULE_PARM_DESC(instmem, "Record mode: memory for the channel structure, \"system\" (default) or \"vram\", which needs a GPU without graphics driver");

/**
 * struct pcounter_pci - a GPU on PCI
 * @node: in pcounter_pcis
 * @pdev: the function, referenced; enabled if it has a PMU
 * @power: whether it sleeps; the PMU's lock protects it
 * @io: register access
 * @gen: its generation, for the windows
 * @map: one mapping for each window
 * @kept: what record mode keeps it awake by
 * @master: we have made it a bus master
 * @ppmu: its PMU, NULL if it has slept since it was found
 */
struct pcounter_pci {
	struct list_head node;
	struct pci_dev *pdev;
	struct pcounter_pci_power power;
	struct pcounter_io io;
	const struct pcounter_gen *gen;
	void __iomem *map[PCOUNTER_MAX_WINDOWS];
	enum pcounter_pci_hold kept;
	bool master;
	struct pcounter_pmu *ppmu;
};

static LIST_HEAD(pcounter_pcis);
static DEFINE_MUTEX(pcounter_pcis_lock);	/* protects pcounter_pcis */

static void __iomem *pcounter_pci_reg(struct pcounter_io *io, u32 addr)
{
	struct pcounter_pci *pp = container_of(io, struct pcounter_pci, io);
	const struct pcounter_window *w = pp->gen->windows;
	unsigned int i;

	for (i = 0; w[i].size; i++)
		if (addr - w[i].base < w[i].size)
			return pp->map[i] + (addr - w[i].base);
	return NULL;
}

static u32 pcounter_pci_rd32(struct pcounter_io *io, u32 addr)
{
	void __iomem *reg = pcounter_pci_reg(io, addr);

	return WARN_ON_ONCE(!reg) ? PCOUNTER_DEAD : readl(reg);
}

static void pcounter_pci_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	void __iomem *reg = pcounter_pci_reg(io, addr);

	if (!WARN_ON_ONCE(!reg))
		writel(val, reg);
}

static struct pcounter_pci *io_to_pci(struct pcounter_io *io)
{
	return container_of(io, struct pcounter_pci, io);
}

static bool pcounter_pci_awake(struct pcounter_io *io)
{
	return pcounter_pci_power_awake(&io_to_pci(io)->power, &io->losses);
}

static bool pcounter_pci_take(struct pcounter_io *io)
{
	return pcounter_pci_power_get(&io_to_pci(io)->power);
}

static void pcounter_pci_give(struct pcounter_io *io)
{
	pcounter_pci_power_put(&io_to_pci(io)->power);
}

static void pcounter_pci_rest(struct pcounter_io *io)
{
	pcounter_pci_power_rest(&io_to_pci(io)->power);
}

static bool pcounter_pci_unused(struct pcounter_io *io)
{
	return pcounter_pci_power_unused(&io_to_pci(io)->power);
}

static u64 pcounter_pci_watch_ns(struct pcounter_io *io)
{
	return pcounter_pci_power_watch_ns(&io_to_pci(io)->power);
}

static int pcounter_pci_keep(struct pcounter_io *io, bool awake)
{
	struct pcounter_pci *pp = io_to_pci(io);

	if (!awake) {
		pcounter_pci_put(pp->pdev, pp->kept);
		return 0;
	}
	pp->kept = pcounter_pci_get(pp->pdev);
	return pp->kept == PCOUNTER_PCI_ASLEEP ? -EAGAIN : 0;
}

/*
 * Record mode. A graphics driver has set the DMA mask and made the GPU a bus
 * master; without one that is ours to do, and to undo.
 */
static int pcounter_pci_dma(struct pcounter_io *io, bool on)
{
	struct pcounter_pci *pp = io_to_pci(io);
	int err = 0;

	if (!on) {
		if (pp->master && !pp->pdev->driver)
			pci_clear_master(pp->pdev);
		pp->master = false;
		return 0;
	}
	/* its memory is its driver's */
	if (pp->pdev->driver && pcounter_record_params.vram)
		err = -EBUSY;
	if (!pp->pdev->driver)
		err = dma_set_mask_and_coherent(&pp->pdev->dev, DMA_BIT_MASK(PCOUNTER_DMA_BITS));
	if (!err && !pp->pdev->is_busmaster) {
		pci_set_master(pp->pdev);
		pp->master = true;
	}
	return err;
}

static const struct pcounter_io_ops pcounter_pci_ops = {
	.rd32 = pcounter_pci_rd32,
	.wr32 = pcounter_pci_wr32,
	.awake = pcounter_pci_awake,
	.get = pcounter_pci_take,
	.put = pcounter_pci_give,
	.rest = pcounter_pci_rest,
	.unused = pcounter_pci_unused,
	.watch_ns = pcounter_pci_watch_ns,
	.keep = pcounter_pci_keep,
	.dma = pcounter_pci_dma,
};

static bool pcounter_pci_is_gpu(const struct pci_dev *pdev)
{
	return pdev->vendor == PCI_VENDOR_ID_NVIDIA &&
	       pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY;
}

static void __iomem *pcounter_pci_map(struct pci_dev *pdev, u32 base, u32 size)
{
	if (base + size > pci_resource_len(pdev, PCOUNTER_BAR))
		return NULL;
	return ioremap(pci_resource_start(pdev, PCOUNTER_BAR) + base, size);
}

/* Read PMC.BOOT_0 and look the chip up; says in the log what it is not. */
static const struct pcounter_chip *pcounter_pci_identify(struct pci_dev *pdev)
{
	const struct pcounter_chip *chip;
	void __iomem *pmc;
	u32 boot_0;
	int chipset;

	pmc = pcounter_pci_map(pdev, NV_PMC_BOOT_0, NV_PMC_SIZE);
	if (!pmc)
		return NULL;
	boot_0 = readl(pmc + NV_PMC_BOOT_0);
	iounmap(pmc);
	chipset = pcounter_chip_decode(boot_0);
	if (chipset < 0) {
		pci_info(pdev, "pcounter: %s (PMC.BOOT_0 0x%08x)\n",
			 chipset == -ENXIO ? "the GPU does not answer" :
			 "older than NV10, no PCOUNTER", boot_0);
		return NULL;
	}
	chip = pcounter_chip_find(chipset);
	if (!chip) {
		pci_info(pdev, "pcounter: unknown chipset 0x%03x\n", chipset);
		return NULL;
	}
	if (chip->presence == PCOUNTER_ABSENT) {
		pci_info(pdev, "pcounter: %s has no PCOUNTER\n", chip->name);
		return NULL;
	}
	if (chip->presence == PCOUNTER_UNVERIFIED && !unverified) {
		pci_info(pdev, "pcounter: whether %s has PCOUNTER is not known, left alone (parameter unverified=1 tries)\n",
			 chip->name);
		return NULL;
	}
	return chip;
}

static void pcounter_pci_unmap(struct pcounter_pci *pp)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_WINDOWS; i++) {
		if (pp->map[i])
			iounmap(pp->map[i]);
		pp->map[i] = NULL;
	}
}

static int pcounter_pci_map_windows(struct pcounter_pci *pp)
{
	const struct pcounter_window *w = pp->gen->windows;
	unsigned int i;

	for (i = 0; w[i].size; i++) {
		pp->map[i] = pcounter_pci_map(pp->pdev, w[i].base, w[i].size);
		if (!pp->map[i])
			return -ENOMEM;
	}
	return 0;
}

static int pcounter_pci_create(struct pcounter_pci *pp, const struct pcounter_chip *chip)
{
	struct pcounter_pmu *ppmu;
	int err;

	pp->gen = pcounter_gen_find(chip);
	err = pcounter_pci_map_windows(pp);
	if (!err) {
		pcounter_pci_power_init(&pp->power, pp->pdev);
		ppmu = pcounter_pmu_create(&pp->pdev->dev, THIS_MODULE,
					   chip->chipset, &pp->io);
		err = PTR_ERR_OR_ZERO(ppmu);
	}
	if (err) {
		pcounter_pci_unmap(pp);
		return err;
	}
	pp->ppmu = ppmu;
	pci_info(pp->pdev, "pcounter: %s, %u domains, %s\n", chip->name,
		 ppmu->gpu.topo.nr, ppmu->base.name);
	return 0;
}

/* Enabling is reference counted: a graphics driver may do it as well. */
static int pcounter_pci_start_awake(struct pcounter_pci *pp)
{
	const struct pcounter_chip *chip;
	int err;

	err = pci_enable_device_mem(pp->pdev);
	if (err)
		return err;
	chip = pcounter_pci_identify(pp->pdev);
	err = chip ? pcounter_pci_create(pp, chip) : -ENODEV;
	if (err)
		pci_disable_device(pp->pdev);
	return err;
}

/* What a GPU is cannot be found out while it sleeps, and enabling would wake it. */
static int pcounter_pci_start(struct pcounter_pci *pp)
{
	enum pcounter_pci_hold how = pcounter_pci_get(pp->pdev);
	int err;

	if (how == PCOUNTER_PCI_ASLEEP)
		return -EAGAIN;
	err = pcounter_pci_start_awake(pp);
	pcounter_pci_put(pp->pdev, how);
	return err;
}

static void pcounter_pci_detach(struct pcounter_pci *pp)
{
	list_del(&pp->node);
	if (pp->ppmu) {
		pcounter_pmu_remove(pp->ppmu);
		pcounter_pci_unmap(pp);
		pci_disable_device(pp->pdev);
	}
	pci_dev_put(pp->pdev);
	kfree(pp);
}

static void pcounter_pci_attach(struct pci_dev *pdev)
{
	struct pcounter_pci *pp = kzalloc(sizeof(*pp), GFP_KERNEL);
	int err;

	if (!pp)
		return;
	pp->pdev = pci_dev_get(pdev);
	pp->io.ops = &pcounter_pci_ops;
	pp->io.slow_ns = (u64)slow_read_us * NSEC_PER_USEC;
	pp->io.dev = &pdev->dev;
	list_add_tail(&pp->node, &pcounter_pcis);
	err = pcounter_pci_start(pp);
	if (err == -EAGAIN)
		pci_info(pdev, "pcounter: asleep, left alone until it wakes\n");
	else if (err)
		pcounter_pci_detach(pp);
}

static bool pcounter_pci_known(const struct pci_dev *pdev)
{
	struct pcounter_pci *pp;

	list_for_each_entry(pp, &pcounter_pcis, node)
		if (pp->pdev == pdev)
			return true;
	return false;
}

/* Those that slept until now; true if one still does. */
static bool pcounter_pci_start_woken(void)
{
	struct pcounter_pci *pp, *next;
	bool asleep = false;
	int err;

	list_for_each_entry_safe(pp, next, &pcounter_pcis, node) {
		err = pp->ppmu ? 0 : pcounter_pci_start(pp);
		if (err == -EAGAIN)
			asleep = true;
		else if (err)
			pcounter_pci_detach(pp);
	}
	return asleep;
}

static void pcounter_pci_look_work(struct work_struct *work);
/* not deferrable: a CPU without work would put it off for as long as it idles */
static DECLARE_DELAYED_WORK(pcounter_pci_look, pcounter_pci_look_work);

static void pcounter_pci_scan(bool all)
{
	struct pci_dev *pdev = NULL;

	mutex_lock(&pcounter_pcis_lock);
	if (all)
		for_each_pci_dev(pdev)
			if (pcounter_pci_is_gpu(pdev) && !pcounter_pci_known(pdev))
				pcounter_pci_attach(pdev);
	if (pcounter_pci_start_woken())
		schedule_delayed_work(&pcounter_pci_look,
				      msecs_to_jiffies(PCOUNTER_LOOK_MS));
	mutex_unlock(&pcounter_pcis_lock);
}

static void pcounter_pci_look_work(struct work_struct *work)
{
	pci_lock_rescan_remove();
	pcounter_pci_scan(false);
	pci_unlock_rescan_remove();
}

/* A function is announced before its BARs are assigned: wait for the rescan. */
static void pcounter_pci_scan_work(struct work_struct *work)
{
	pci_lock_rescan_remove();
	pcounter_pci_scan(true);
	pci_unlock_rescan_remove();
}

static DECLARE_WORK(pcounter_pci_work, pcounter_pci_scan_work);

static void pcounter_pci_removed(struct pci_dev *pdev)
{
	struct pcounter_pci *pp, *next;

	mutex_lock(&pcounter_pcis_lock);
	list_for_each_entry_safe(pp, next, &pcounter_pcis, node)
		if (pp->pdev == pdev)
			pcounter_pci_detach(pp);
	mutex_unlock(&pcounter_pcis_lock);
}

/*
 * A driver that goes switches bus mastering off, and whoever looks after DMA
 * believes that what is mapped was its own: memory the GPU writes to is taken back.
 * To one that comes, video memory belongs.
 */
static void pcounter_pci_driver(struct pci_dev *pdev, bool begin)
{
	struct pcounter_pci *pp;

	mutex_lock(&pcounter_pcis_lock);
	list_for_each_entry(pp, &pcounter_pcis, node) {
		if (pp->pdev != pdev || !pp->ppmu)
			continue;
		if (begin)
			pcounter_pmu_suspend(pp->ppmu);
		else
			pcounter_pmu_resume(pp->ppmu);
	}
	mutex_unlock(&pcounter_pcis_lock);
}

static int pcounter_pci_notify(struct notifier_block *nb, unsigned long action,
			       void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);

	if (!pcounter_pci_is_gpu(pdev))
		return NOTIFY_DONE;
	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
		schedule_work(&pcounter_pci_work);
		break;
	case BUS_NOTIFY_BIND_DRIVER:
		if (pcounter_record_params.vram)
			pcounter_pci_driver(pdev, true);
		break;
	case BUS_NOTIFY_UNBIND_DRIVER:
		pcounter_pci_driver(pdev, true);
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
	case BUS_NOTIFY_DRIVER_NOT_BOUND:
	case BUS_NOTIFY_UNBOUND_DRIVER:
		pcounter_pci_driver(pdev, false);
		break;
	case BUS_NOTIFY_DEL_DEVICE:
		pcounter_pci_removed(pdev);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block pcounter_pci_nb = {
	.notifier_call = pcounter_pci_notify,
};

/* Before any driver begins to switch devices off, and after all have woken. */
static int pcounter_pm_notify(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct pcounter_pci *pp;

	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		mutex_lock(&pcounter_pcis_lock);
		list_for_each_entry(pp, &pcounter_pcis, node)
			if (pp->ppmu)
				pcounter_pmu_suspend(pp->ppmu);
		pcounter_pci_sleep(true);
		mutex_unlock(&pcounter_pcis_lock);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		mutex_lock(&pcounter_pcis_lock);
		pcounter_pci_sleep(false);
		list_for_each_entry(pp, &pcounter_pcis, node)
			if (pp->ppmu)
				pcounter_pmu_resume(pp->ppmu);
		mutex_unlock(&pcounter_pcis_lock);
		break;
	}
	return NOTIFY_DONE;
}

/* Whoever comes next, by kexec maybe, is to find nobody at the registers. */
static int pcounter_reboot_notify(struct notifier_block *nb, unsigned long action,
				  void *data)
{
	return pcounter_pm_notify(nb, PM_SUSPEND_PREPARE, data);
}

static struct notifier_block pcounter_reboot_nb = {
	.notifier_call = pcounter_reboot_notify,
};

static struct notifier_block pcounter_pm_nb = {
	.notifier_call = pcounter_pm_notify,
};

static int __init pcounter_init(void)
{
	int err;

	pcounter_record_params.vram = sysfs_streq(instmem, "vram");
	if (!pcounter_record_params.vram && !sysfs_streq(instmem, "system"))
		return -EINVAL;
	err = pcounter_pmu_module_init();
	if (err)
		return err;
	err = register_pm_notifier(&pcounter_pm_nb);
	if (err)
		goto err_exit;
	err = register_reboot_notifier(&pcounter_reboot_nb);
	if (err)
		goto err_unregister_pm;
	err = bus_register_notifier(&pci_bus_type, &pcounter_pci_nb);
	if (err)
		goto err_unregister;
	pcounter_pci_scan_work(NULL);
	return 0;

err_unregister:
	unregister_reboot_notifier(&pcounter_reboot_nb);
err_unregister_pm:
	unregister_pm_notifier(&pcounter_pm_nb);
err_exit:
	pcounter_pmu_module_exit();
	return err;
}
module_init(pcounter_init);

static void __exit pcounter_exit(void)
{
	struct pcounter_pci *pp, *next;

	bus_unregister_notifier(&pci_bus_type, &pcounter_pci_nb);
	unregister_reboot_notifier(&pcounter_reboot_nb);
	unregister_pm_notifier(&pcounter_pm_nb);
	cancel_work_sync(&pcounter_pci_work);
	cancel_delayed_work_sync(&pcounter_pci_look);
	list_for_each_entry_safe(pp, next, &pcounter_pcis, node)
		pcounter_pci_detach(pp);
	pcounter_pmu_module_exit();
}
module_exit(pcounter_exit);

/* Not a driver of these functions, but the right module to have for them. */
static const struct pci_device_id pcounter_pci_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID),
	  .class = PCI_BASE_CLASS_DISPLAY << 16, .class_mask = 0xff << 16 },
	{ }
};
MODULE_DEVICE_TABLE(pci, pcounter_pci_ids);

MODULE_DESCRIPTION("Performance counters (PCOUNTER) of NVIDIA GPUs as a perf PMU");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
