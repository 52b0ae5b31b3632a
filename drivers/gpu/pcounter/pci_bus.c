// SPDX-License-Identifier: GPL-2.0-only
/*
 * Display functions of NVIDIA come and go, change hands, and wake. Each is looked
 * at under its device lock, so that no driver is just getting it or leaving it.
 */
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "device.h"
#include "pci_bus.h"
#include "pci_gpu.h"
#include "wake.h"

LIST_HEAD(pcounter_pcis);
DEFINE_MUTEX(pcounter_pcis_lock);	/* protects pcounter_pcis, and the next */

/* The module is on its way out: nothing is watched any more. */
static bool pcounter_pci_leaving;

static bool pcounter_pci_is_gpu(const struct pci_dev *pdev)
{
	return pdev->vendor == PCI_VENDOR_ID_NVIDIA &&
	       pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY;
}

static void pcounter_pci_unwatch(struct pcounter_pci *pp)
{
	pcounter_wake_remove(pp->wake);
	pp->wake = NULL;
}

/* Is it lent to somebody else? Then nothing of it is touched. */
static bool pcounter_pci_is_lent(struct pcounter_pci *pp)
{
	enum pcounter_owner whose = pcounter_owner_of(pp->pdev);

	if (!pcounter_owner_lends(whose))
		return false;
	pcounter_pci_unwatch(pp);
	pcounter_pci_stop(pp, false);
	if (!pp->logged)
		pcounter_owner_tell(pp->pdev, whose);
	pp->logged = true;
	return true;
}

static void pcounter_pci_woken(struct work_struct *work);
static DECLARE_WORK(pcounter_pci_woken_work, pcounter_pci_woken);

/* What a GPU is cannot be found out while it sleeps, and enabling would wake it. */
static void pcounter_pci_watch(struct pcounter_pci *pp)
{
	if (pp->wake || pcounter_pci_leaving)
		return;
	pci_info(pp->pdev, "pcounter: asleep, left alone until it wakes\n");
	pp->wake = pcounter_wake_create(pp->pdev, &pcounter_pci_woken_work);
}

static void pcounter_pci_look_awake(struct pcounter_pci *pp)
{
	if (pp->ppmu) {
		pcounter_enable_get(&pp->enable, pp->pdev);
		return;
	}
	pcounter_pci_unwatch(pp);
	pcounter_pci_start(pp);
}

/* See to a function that may have changed hands, or woken. */
static void pcounter_pci_look(struct pcounter_pci *pp)
{
	enum pcounter_pci_hold how;

	if (pp->hopeless || pcounter_pci_is_lent(pp))
		return;
	if (pp->ppmu && (pp->pdev->dev.driver || READ_ONCE(pp->enable.share)))
		return;
	how = pcounter_pci_get(pp->pdev);
	if (how != PCOUNTER_PCI_ASLEEP) {
		pcounter_pci_look_awake(pp);
		pcounter_pci_put(pp->pdev, how);
	} else if (!pp->ppmu) {
		pcounter_pci_watch(pp);
	}
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
	pcounter_pci_unwatch(pp);
	pcounter_pci_stop(pp, true);
	pci_dev_put(pp->pdev);
	kfree(pp);
}

/* A function is announced before its BARs are assigned: wait for the rescan. */
static void pcounter_pci_scan(struct work_struct *work)
{
	struct pci_dev *pdev = NULL;
	struct pcounter_pci *pp;

	pci_lock_rescan_remove();
	for_each_pci_dev(pdev) {
		if (!pcounter_pci_is_gpu(pdev))
			continue;
		device_lock(&pdev->dev);
		mutex_lock(&pcounter_pcis_lock);
		pp = pcounter_pci_find(pdev) ?: pcounter_pci_add(pdev);
		if (pp)
			pcounter_pci_look(pp);
		mutex_unlock(&pcounter_pcis_lock);
		device_unlock(&pdev->dev);
	}
	pci_unlock_rescan_remove();
}

static DECLARE_WORK(pcounter_pci_scan_work, pcounter_pci_scan);

static struct pci_dev *pcounter_pci_next_woken(void)
{
	struct pci_dev *pdev = NULL;
	struct pcounter_pci *pp;

	mutex_lock(&pcounter_pcis_lock);
	list_for_each_entry(pp, &pcounter_pcis, node) {
		if (!pcounter_wake_rang(pp->wake))
			continue;
		pdev = pci_dev_get(pp->pdev);
		break;
	}
	mutex_unlock(&pcounter_pcis_lock);
	return pdev;
}

/* True if it has slept again, and now begins to wake. */
static bool pcounter_pci_look_again(struct pci_dev *pdev)
{
	struct pcounter_pci *pp;
	bool again = false;

	pcounter_wake_wait(pdev);
	device_lock(&pdev->dev);
	mutex_lock(&pcounter_pcis_lock);
	pp = pcounter_pci_find(pdev);
	if (pp) {
		pcounter_pci_look(pp);
		again = pcounter_wake_rearm(pp->wake);
	}
	mutex_unlock(&pcounter_pcis_lock);
	device_unlock(&pdev->dev);
	return again;
}

static void pcounter_pci_woken(struct work_struct *work)
{
	struct pci_dev *pdev;

	while ((pdev = pcounter_pci_next_woken())) {
		while (pcounter_pci_look_again(pdev))
			cond_resched();
		pci_dev_put(pdev);
	}
}

/*
 * A driver finds the function as if we were not there: it enables it, and makes
 * it a bus master. To one that comes, video memory belongs.
 */
static void pcounter_pci_bind(struct pcounter_pci *pp)
{
	pp->logged = false;
	if (pcounter_pci_is_lent(pp) || !pp->ppmu)
		return;
	pcounter_device_suspend(pp->ppmu);
	pcounter_enable_lend(&pp->enable, pp->pdev);
}

/* Its driver is there, or is gone. */
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
 * A driver that goes switches bus mastering off, and what is mapped for DMA is
 * taken for the driver's own: memory the GPU writes to is taken back.
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
		/* what the driver has reserved is given back only after this */
		schedule_work(&pcounter_pci_scan_work);
		break;
	}
}

static void pcounter_pci_removed(struct pci_dev *pdev)
{
	struct pcounter_pci *pp;

	device_lock(&pdev->dev);
	mutex_lock(&pcounter_pcis_lock);
	pp = pcounter_pci_find(pdev);
	if (pp)
		pcounter_pci_delete(pp);
	mutex_unlock(&pcounter_pcis_lock);
	device_unlock(&pdev->dev);
}

/* With the device lock held where a driver comes or goes. */
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
		break;
	case BUS_NOTIFY_DEL_DEVICE:
		pcounter_pci_removed(pdev);
		break;
	default:
		mutex_lock(&pcounter_pcis_lock);
		pp = pcounter_pci_find(pdev);
		if (pp)
			pcounter_pci_changes_hands(pp, action);
		mutex_unlock(&pcounter_pcis_lock);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block pcounter_pci_nb = {
	.notifier_call = pcounter_pci_notify,
};

/**
 * pcounter_pci_bus_scan() - look at all functions soon
 */
void pcounter_pci_bus_scan(void)
{
	schedule_work(&pcounter_pci_scan_work);
}

/**
 * pcounter_pci_bus_init() - look at all functions, and at what happens to them
 *
 * Return: 0 or a negative errno.
 */
int pcounter_pci_bus_init(void)
{
	int err = bus_register_notifier(&pci_bus_type, &pcounter_pci_nb);

	if (err)
		return err;
	pcounter_pci_scan(NULL);
	pcounter_wake_flush();
	return 0;
}

/**
 * pcounter_pci_bus_exit() - undo pcounter_pci_bus_init()
 */
void pcounter_pci_bus_exit(void)
{
	struct pcounter_pci *pp, *next;
	struct pci_dev *pdev;

	bus_unregister_notifier(&pci_bus_type, &pcounter_pci_nb);
	cancel_work_sync(&pcounter_pci_scan_work);
	/* the work is scheduled as long as a GPU is watched */
	mutex_lock(&pcounter_pcis_lock);
	pcounter_pci_leaving = true;
	list_for_each_entry(pp, &pcounter_pcis, node)
		pcounter_pci_unwatch(pp);
	mutex_unlock(&pcounter_pcis_lock);
	pcounter_wake_flush();
	cancel_work_sync(&pcounter_pci_woken_work);
	list_for_each_entry_safe(pp, next, &pcounter_pcis, node) {
		pdev = pci_dev_get(pp->pdev);
		device_lock(&pdev->dev);
		pcounter_pci_delete(pp);
		device_unlock(&pdev->dev);
		pci_dev_put(pdev);
	}
}
