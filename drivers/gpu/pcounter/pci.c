// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: arrival, removal and changes of driver of NVIDIA's display functions, their
 * PMUs, and the system's notifications. A function belongs to the graphics driver, if any:
 * pcounter never binds it and never claims its regions, but maps its registers. The
 * device lock of a function is held while it is examined, so that no driver binds or
 * unbinds.
 */
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/swab.h>
#include <linux/time64.h>
#include <linux/workqueue.h>

#include "debugfs.h"
#include "device.h"
#include "hw/regs.h"
#include "params.h"
#include "pci_io.h"
#include "perf/types.h"
#include "record/record.h"
#include "rules/chip.h"

/* COMMAND bits that are restored after the last access. */
#define RESTORED_BITS		(PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY)

module_param_named(unverified, pcounter_unverified, bool, 0444);
MODULE_PARM_DESC(unverified, "Use chips that may lack PCOUNTER, as far as documents tell, Maxwell and later chips, and record mode of Fermi and Kepler chips (default: no)");
module_param_named(record_ring_kb, pcounter_record_ring_kb, uint, 0444);
MODULE_PARM_DESC(record_ring_kb, "Memory for the packets of a domain in KiB, 64 to 4096 (default 1024)");

/* The page about callbacks has the order of all locks. */
static LIST_HEAD(pcounter_pcis);
static DEFINE_MUTEX(pcounter_pcis_lock);	/* protects pcounter_pcis */

/* ---- one GPU ---- */

static int pcounter_pci_map(struct pcounter_pci *pp)
{
	if (pci_resource_len(pp->pdev, PCOUNTER_BAR) < PCOUNTER_BAR_SIZE)
		return -ENODEV;
	pp->map = ioremap(pci_resource_start(pp->pdev, PCOUNTER_BAR), PCOUNTER_BAR_SIZE);
	return pp->map ? 0 : -ENOMEM;
}

static void pcounter_pci_unmap(struct pcounter_pci *pp)
{
	if (pp->map)
		iounmap(pp->map);
	pp->map = NULL;
}

/*
 * PMC.BOOT_1 reads the same in both byte orders, and contains the order of all
 * registers. Return PMC.BOOT_0.
 */
static u32 pcounter_pci_read_boot(const struct pcounter_pci *pp, bool *swapped)
{
	u32 boot_0;

	*swapped = readl(pp->map + NV_PMC_BOOT_1) == NV_PMC_BOOT_1_BIG_ENDIAN;
	boot_0 = readl(pp->map + NV_PMC_BOOT_0);
	return *swapped ? swab32(boot_0) : boot_0;
}

/* Look up the chip by PMC.BOOT_0, and log the reason for not using a function. */
static const struct pcounter_chip *pcounter_pci_identify(struct pcounter_pci *pp)
{
	const struct pcounter_chip *chip = NULL;
	u32 boot_0 = pp->io.boot_0;
	int chipset = pcounter_boot_chipset(boot_0);

	if (chipset == -ENXIO) {
		/* its GPU may answer later */
		pci_info(pp->pdev, "pcounter: the GPU does not answer (PMC.BOOT_0 0x%08x)\n",
			 boot_0);
		return NULL;
	}
	pp->hopeless = true;
	if (chipset >= 0)
		chip = pcounter_chip_find(chipset);
	if (chipset < 0)
		pci_info(pp->pdev, "pcounter: older than NV10, no PCOUNTER (PMC.BOOT_0 0x%08x)\n",
			 boot_0);
	else if (!chip && chipset > pcounter_chips[pcounter_nr_chips - 1].chipset)
		pci_info(pp->pdev, "pcounter: chipset 0x%03x is newer than Pascal: not supported\n",
			 chipset);
	else if (!chip)
		pci_info(pp->pdev, "pcounter: unknown chipset 0x%03x\n", chipset);
	else if (chip->presence == PCOUNTER_ABSENT)
		pci_info(pp->pdev, "pcounter: %s has no PCOUNTER\n", chip->name);
	else if (chip->bucket >= PCOUNTER_BUCKET_GM107 && !pcounter_unverified)
		pci_info(pp->pdev, "pcounter: too little is known of PCOUNTER on %s, left alone (parameter unverified=1 tries, and reads before it writes)\n",
			 chip->name);
	else if (chip->presence == PCOUNTER_UNVERIFIED && !pcounter_unverified)
		pci_info(pp->pdev, "pcounter: whether %s has PCOUNTER is not known, left alone (parameter unverified=1 tries)\n",
			 chip->name);
	else
		pp->hopeless = false;
	return pp->hopeless ? NULL : chip;
}

/* Undo pcounter_device_suspend(): a driver has bound or unbound, or the system wakes. */
static void pcounter_pci_resume(struct pcounter_pci *pp)
{
	bool swapped;

	if (!pp->ppmu)
		return;
	if (pcounter_pci_get(pp->pdev)) {
		/* the driver, or a reset, may have changed the byte order */
		if (pcounter_pci_decodes(pp->pdev) &&
		    !pcounter_is_dead(pcounter_pci_read_boot(pp, &swapped)))
			WRITE_ONCE(pp->io.swapped, swapped);
		pcounter_pci_put(pp->pdev);
	}
	pcounter_device_resume(pp->ppmu);
}

/* Create a function's PMU if its GPU, which is awake, has counters. */
static int pcounter_pci_create(struct pcounter_pci *pp)
{
	const struct pcounter_chip *chip;
	struct pcounter_pmu *ppmu;
	int err = pcounter_pci_map(pp);

	if (err)
		return err;
	pp->io = (struct pcounter_io) {
		.ops = &pcounter_pci_ops,
		.dev = &pp->pdev->dev,
		.slow_ns = (u64)pcounter_test_params.slow_read_us * NSEC_PER_USEC,
	};
	pp->io.boot_0 = pcounter_pci_read_boot(pp, &pp->io.swapped);
	chip = pcounter_pci_identify(pp);
	if (!chip)
		return 0;
	err = pcounter_pci_enable(pp);
	if (err)
		return err;
	pp->io.straps = pcounter_rd32(&pp->io, NV_STRAPS);
	pcounter_pci_power_init(pp);
	ppmu = pcounter_device_create(&pp->pdev->dev, THIS_MODULE, chip->chipset, &pp->io);
	if (IS_ERR(ppmu))
		return PTR_ERR(ppmu);
	pp->ppmu = ppmu;
	pci_info(pp->pdev, "pcounter: %s, %u domains, %s\n", chip->name,
		 ppmu->gpu.topo.nr, ppmu->base.name);
	return 0;
}

/*
 * Enable a function without a driver as long as it has a PMU. Identify a function without
 * enabling it if its registers can be read, so that a GPU that gets no PMU does not change.
 */
static void pcounter_pci_start(struct pcounter_pci *pp)
{
	int err = 0;

	if (!pcounter_pci_decodes(pp->pdev))
		err = pcounter_pci_enable(pp);
	if (!err && pcounter_pci_decodes(pp->pdev))
		err = pcounter_pci_create(pp);
	if (err)
		pci_warn(pp->pdev, "pcounter: no PMU (error %d)\n", err);
	if (pp->ppmu)
		return;
	pcounter_pci_unmap(pp);
	pcounter_pci_disable(pp, RESTORED_BITS);
}

/*
 * Remove a function's PMU. Open events keep their last valid count. Restore the registers,
 * unless the function is lent to other code.
 */
static void pcounter_pci_stop(struct pcounter_pci *pp, bool restore)
{
	lockdep_assert_held(&pcounter_pcis_lock);
	if (!pp->ppmu)
		return;
	restore = restore && pci_device_is_present(pp->pdev) && pcounter_pci_decodes(pp->pdev);
	pcounter_device_remove(pp->ppmu, restore);
	pp->ppmu = NULL;
	pcounter_pci_unmap(pp);
	pcounter_pci_disable(pp, RESTORED_BITS);
}

/* ---- the bus ---- */

static bool pcounter_pci_is_gpu(const struct pci_dev *pdev)
{
	return pdev->vendor == PCI_VENDOR_ID_NVIDIA &&
	       pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY;
}

/*
 * Leave a function alone that belongs to a guest or to user space, and return true. @soon:
 * its driver has not been called yet.
 */
static bool pcounter_pci_yield(struct pcounter_pci *pp, bool soon)
{
	if (!pcounter_owner_check(pp->pdev, !pp->logged))
		return false;
	pp->logged = true;
	pcounter_pci_stop(pp, soon);
	return true;
}

/*
 * Only a register identifies the GPU, so wake the function once to identify it,
 * and never again.
 */
static bool pcounter_pci_get_once(struct pcounter_pci *pp)
{
	if (pcounter_pci_get(pp->pdev))
		return true;
	if (pp->ppmu || pp->woken)
		return false;
	pp->woken = pcounter_pci_wake(pp->pdev);
	if (!pp->woken && !pp->logged)
		pci_info(pp->pdev, "pcounter: switched off, left alone\n");
	pp->logged |= !pp->woken;
	return pp->woken;
}

/* Check a function that may have changed its driver, or been switched on. */
static void pcounter_pci_look(struct pcounter_pci *pp)
{
	if (pp->hopeless || pcounter_pci_yield(pp, false))
		return;
	if (pp->ppmu && (pp->pdev->dev.driver || READ_ONCE(pp->share)))
		return;
	if (!pcounter_pci_get_once(pp))
		return;
	if (pp->ppmu)
		pcounter_pci_enable(pp);
	else
		pcounter_pci_start(pp);
	pcounter_pci_put(pp->pdev);
}

static struct pcounter_pci *pcounter_pci_find(const struct pci_dev *pdev)
{
	struct pcounter_pci *pp;

	lockdep_assert_held(&pcounter_pcis_lock);
	list_for_each_entry(pp, &pcounter_pcis, node)
		if (pp->pdev == pdev)
			return pp;
	return NULL;
}

static struct pcounter_pci *pcounter_pci_add(struct pci_dev *pdev)
{
	struct pcounter_pci *pp = kzalloc(sizeof(*pp), GFP_KERNEL);

	if (!pp)
		return NULL;
	pp->pdev = pci_dev_get(pdev);
	list_add_tail(&pp->node, &pcounter_pcis);
	return pp;
}

/* The PCI core announces a function before it assigns the BARs: wait for the rescan. */
static void pcounter_pci_scan(struct work_struct *work)
{
	struct pci_dev *pdev = NULL;
	struct pcounter_pci *pp;

	pci_lock_rescan_remove();
	for_each_pci_dev(pdev) {
		if (!pcounter_pci_is_gpu(pdev))
			continue;
		device_lock(&pdev->dev);
		scoped_guard(mutex, &pcounter_pcis_lock) {
			pp = pcounter_pci_find(pdev) ?: pcounter_pci_add(pdev);
			if (pp)
				pcounter_pci_look(pp);
		}
		device_unlock(&pdev->dev);
	}
	pci_unlock_rescan_remove();
}

static DECLARE_WORK(pcounter_pci_scan_work, pcounter_pci_scan);

static void pcounter_pci_changes_hands(struct pcounter_pci *pp, unsigned long action)
{
	device_lock_assert(&pp->pdev->dev);
	switch (action) {
	case BUS_NOTIFY_BIND_DRIVER:
		/*
		 * give the function up, so that the driver enables it and makes it a
		 * bus master as usual; the driver owns video memory
		 */
		pp->logged = false;
		if (pcounter_pci_yield(pp, true) || !pp->ppmu)
			break;
		pcounter_device_suspend(pp->ppmu);
		pcounter_pci_disable(pp, PCI_COMMAND_MASTER);
		break;
	case BUS_NOTIFY_UNBIND_DRIVER:
		/*
		 * the driver will switch bus mastering off, and DMA checkers attribute
		 * all DMA mappings to it: end record mode, and unmap its memory
		 */
		if (pp->ppmu)
			pcounter_device_suspend(pp->ppmu);
		break;
	case BUS_NOTIFY_UNBOUND_DRIVER:
		pp->logged = false;
		pcounter_pci_clear_master(pp);
		fallthrough;
	case BUS_NOTIFY_BOUND_DRIVER:
		pcounter_pci_look(pp);
		pcounter_pci_resume(pp);
		break;
	case BUS_NOTIFY_DRIVER_NOT_BOUND:
		pcounter_pci_resume(pp);
		/*
		 * the driver core releases the driver's resources only after
		 * this notification
		 */
		schedule_work(&pcounter_pci_scan_work);
		break;
	}
}

static void pcounter_pci_removed(struct pci_dev *pdev)
{
	struct pcounter_pci *pp;

	pci_dev_get(pdev);
	device_lock(&pdev->dev);
	scoped_guard(mutex, &pcounter_pcis_lock) {
		pp = pcounter_pci_find(pdev);
		if (pp) {
			list_del(&pp->node);
			pcounter_pci_stop(pp, true);
			pci_dev_put(pdev);
			kfree(pp);
		}
	}
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
}

static int pcounter_pci_notify(struct notifier_block *nb, unsigned long action,
			       void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);
	struct pcounter_pci *pp;

	if (!pcounter_pci_is_gpu(pdev))
		return NOTIFY_DONE;
	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
		schedule_work(&pcounter_pci_scan_work);
		return NOTIFY_DONE;
	case BUS_NOTIFY_DEL_DEVICE:
		pcounter_pci_removed(pdev);
		return NOTIFY_DONE;
	}
	guard(mutex)(&pcounter_pcis_lock);
	pp = pcounter_pci_find(pdev);
	if (pp)
		pcounter_pci_changes_hands(pp, action);
	return NOTIFY_DONE;
}

static struct notifier_block pcounter_pci_nb = {
	.notifier_call = pcounter_pci_notify,
};

/* ---- the system ---- */

/*
 * Called before the first driver switches a device off, and after all devices
 * are on again.
 */
static int pcounter_pm_notify(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct pcounter_pci *pp;

	guard(mutex)(&pcounter_pcis_lock);
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		list_for_each_entry(pp, &pcounter_pcis, node)
			if (pp->ppmu)
				pcounter_device_suspend(pp->ppmu);
		pcounter_pci_sleep(true);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		pcounter_pci_sleep(false);
		list_for_each_entry(pp, &pcounter_pcis, node)
			pcounter_pci_resume(pp);
		/* other functions were skipped only because they slept */
		schedule_work(&pcounter_pci_scan_work);
		break;
	}
	return NOTIFY_DONE;
}

/* Let the next kernel, for example by kexec, find unused registers. */
static int pcounter_reboot_notify(struct notifier_block *nb, unsigned long action,
				  void *data)
{
	struct pcounter_pci *pp;

	guard(mutex)(&pcounter_pcis_lock);
	list_for_each_entry(pp, &pcounter_pcis, node)
		if (pp->ppmu) {
			pcounter_device_suspend(pp->ppmu);
			pcounter_gpu_leave(&pp->ppmu->gpu, true);
		}
	return NOTIFY_DONE;
}

static struct notifier_block pcounter_reboot_nb = {
	.notifier_call = pcounter_reboot_notify,
};

static struct notifier_block pcounter_pm_nb = {
	.notifier_call = pcounter_pm_notify,
};

/* Also after a failed pcounter_init(): notifiers that are not registered do no harm. */
static void pcounter_exit(void)
{
	struct pcounter_pci *pp, *next;

	unregister_reboot_notifier(&pcounter_reboot_nb);
	unregister_pm_notifier(&pcounter_pm_nb);
	bus_unregister_notifier(&pci_bus_type, &pcounter_pci_nb);
	cancel_work_sync(&pcounter_pci_scan_work);
	list_for_each_entry_safe(pp, next, &pcounter_pcis, node)
		pcounter_pci_removed(pp->pdev);
	pcounter_debugfs_exit();
	pcounter_base_module_exit();
}
module_exit(pcounter_exit);

static int __init pcounter_init(void)
{
	int err = pcounter_base_module_init();

	if (err)
		return err;
	pcounter_debugfs_init();
	err = register_pm_notifier(&pcounter_pm_nb) ?:
	      register_reboot_notifier(&pcounter_reboot_nb) ?:
	      bus_register_notifier(&pci_bus_type, &pcounter_pci_nb);
	if (err)
		pcounter_exit();
	else
		pcounter_pci_scan(NULL);
	return err;
}
module_init(pcounter_init);

/*
 * There is no device table: udev would load the module at every boot, although
 * the driver was never tried on a card. An administrator loads it.
 */
MODULE_DESCRIPTION("Performance counters (PCOUNTER) of NVIDIA GPUs as a perf PMU");
MODULE_LICENSE("GPL");
#ifdef PCOUNTER_VERSION
MODULE_VERSION(PCOUNTER_VERSION);
#endif
