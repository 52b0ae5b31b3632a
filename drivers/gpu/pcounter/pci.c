// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: arrival, removal and changes of driver of NVIDIA's display functions, and
 * the system's notifications. The device lock of a function is held while it is examined,
 * so that no driver binds or unbinds.
 */
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "device.h"
#include "owner.h"
#include "params.h"
#include "pci_gpu.h"

module_param_named(record_ring_kb, pcounter_record_ring_kb, uint, 0444);
MODULE_PARM_DESC(record_ring_kb, "Memory for the packets of a domain in KiB, 64 to 4096 (default 1024)");

/*
 * Locks are taken in this order: the rescan lock, the function's device lock,
 * pcounter_pcis_lock.
 */
static LIST_HEAD(pcounter_pcis);
static DEFINE_MUTEX(pcounter_pcis_lock);	/* protects pcounter_pcis */

/* ---- the bus ---- */

static bool pcounter_pci_is_gpu(const struct pci_dev *pdev)
{
	return pdev->vendor == PCI_VENDOR_ID_NVIDIA &&
	       pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY;
}

/* Return true if a function belongs to a guest or to user space: then leave it alone. */
static bool pcounter_pci_is_lent(struct pcounter_pci *pp)
{
	if (!pcounter_owner_lends(pp->pdev, !pp->logged))
		return false;
	pp->logged = true;
	pcounter_pci_stop(pp, false);
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
	if (pp->hopeless || pcounter_pci_is_lent(pp))
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

static void pcounter_pci_delete(struct pcounter_pci *pp)
{
	list_del(&pp->node);
	pcounter_pci_stop(pp, true);
	pci_dev_put(pp->pdev);
	kfree(pp);
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

/*
 * Give the function up before a driver binds, so that the driver enables it and
 * makes it a bus master as usual. The new driver owns video memory.
 */
static void pcounter_pci_bind(struct pcounter_pci *pp)
{
	pp->logged = false;
	if (pcounter_pci_is_lent(pp) || !pp->ppmu)
		return;
	pcounter_device_suspend(pp->ppmu);
	pcounter_pci_disable(pp, PCI_COMMAND_MASTER);
}

/* Count again: a driver has bound or unbound. */
static void pcounter_pci_settled(struct pcounter_pci *pp)
{
	if (!pp->pdev->dev.driver) {
		pp->logged = false;
		pcounter_pci_clear_master(pp);
	}
	pcounter_pci_look(pp);
	pcounter_pci_resume(pp);
}

/*
 * A driver that unbinds switches bus mastering off, and DMA checkers attribute
 * all DMA mappings to the driver. So end record mode, and unmap its memory.
 */
static void pcounter_pci_changes_hands(struct pcounter_pci *pp, unsigned long action)
{
	switch (action) {
	case BUS_NOTIFY_BIND_DRIVER:
		pcounter_pci_bind(pp);
		break;
	case BUS_NOTIFY_UNBIND_DRIVER:
		if (pp->ppmu)
			pcounter_device_suspend(pp->ppmu);
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
	case BUS_NOTIFY_UNBOUND_DRIVER:
		pcounter_pci_settled(pp);
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
		if (pp)
			pcounter_pci_delete(pp);
	}
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
}

/* The device lock is held when a driver binds or unbinds. */
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

static int pcounter_pci_init(void)
{
	int err = bus_register_notifier(&pci_bus_type, &pcounter_pci_nb);

	if (!err)
		pcounter_pci_scan(NULL);
	return err;
}

static void pcounter_pci_exit(void)
{
	struct pcounter_pci *pp, *next;

	bus_unregister_notifier(&pci_bus_type, &pcounter_pci_nb);
	cancel_work_sync(&pcounter_pci_scan_work);
	list_for_each_entry_safe(pp, next, &pcounter_pcis, node)
		pcounter_pci_removed(pp->pdev);
}

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

/* Stop counting, so that the next kernel, for example by kexec, finds unused registers. */
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

	err = pcounter_device_init();
	if (err)
		return err;
	err = register_pm_notifier(&pcounter_pm_nb);
	if (err)
		goto err_exit;
	err = register_reboot_notifier(&pcounter_reboot_nb);
	if (err)
		goto err_unregister_pm;
	err = pcounter_pci_init();
	if (err)
		goto err_unregister;
	return 0;

err_unregister:
	unregister_reboot_notifier(&pcounter_reboot_nb);
err_unregister_pm:
	unregister_pm_notifier(&pcounter_pm_nb);
err_exit:
	pcounter_device_exit();
	return err;
}
module_init(pcounter_init);

static void __exit pcounter_exit(void)
{
	unregister_reboot_notifier(&pcounter_reboot_nb);
	unregister_pm_notifier(&pcounter_pm_nb);
	pcounter_pci_exit();
	pcounter_device_exit();
}
module_exit(pcounter_exit);

/*
 * There is no device table: udev would load the module at every boot, although
 * the driver was never tried on a card. An administrator loads it.
 */
MODULE_DESCRIPTION("Performance counters (PCOUNTER) of NVIDIA GPUs as a perf PMU");
MODULE_LICENSE("GPL");
#ifdef PCOUNTER_VERSION
MODULE_VERSION(PCOUNTER_VERSION);
#endif
