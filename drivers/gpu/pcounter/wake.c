// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells that a GPU wakes. Runtime power management has no notifier for it, but
 * resumes what a device depends on before the device itself. So a GPU that sleeps
 * gets a supplier, a device of ours that is nothing but this notification.
 */
#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "pci_power.h"
#include "wake.h"

#define WAKE_NAME	"pcounter_wake"

/**
 * struct pcounter_wake - a GPU that sleeps, and what tells that it wakes
 * @gpu: the GPU, referenced
 * @supplier: is resumed before the GPU is; NULL until @change has made it
 * @look: looks at the GPU
 * @change: makes the supplier, or takes it away and frees all of this
 * @rang: the supplier was resumed
 * @off: the GPU is not watched any more
 */
struct pcounter_wake {
	struct pci_dev *gpu;
	struct platform_device *supplier;
	struct work_struct *look;
	struct work_struct change;
	atomic_t rang;
	bool off;
};

static struct workqueue_struct *wake_wq;

static void wake_ring(struct pcounter_wake *wake)
{
	atomic_set(&wake->rang, 1);
	schedule_work(wake->look);
}

static int wake_runtime_suspend(struct device *dev)
{
	return 0;
}

/* The GPU waits for this, and is not awake yet. */
static int wake_runtime_resume(struct device *dev)
{
	wake_ring(dev_get_drvdata(dev));
	return 0;
}

static const struct dev_pm_ops wake_pm_ops = {
	SET_RUNTIME_PM_OPS(wake_runtime_suspend, wake_runtime_resume, NULL)
};

static struct platform_driver wake_driver = {
	.driver = {
		.name = WAKE_NAME,
		.pm = &wake_pm_ops,
		.suppress_bind_attrs = true,
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

/* What is left to the core when this returns needs nothing of ours. */
static void wake_del_supplier(struct platform_device *supplier)
{
	pm_runtime_disable(&supplier->dev);
	platform_device_unregister(supplier);
}

static struct platform_device *wake_add_supplier(struct pcounter_wake *wake)
{
	struct platform_device *supplier =
		platform_device_alloc(WAKE_NAME, PLATFORM_DEVID_AUTO);
	int err;

	if (!supplier)
		return NULL;
	platform_set_drvdata(supplier, wake);
	err = platform_device_add(supplier);
	if (err) {
		platform_device_put(supplier);
		return NULL;
	}
	pm_runtime_enable(&supplier->dev);
	/* stateless: it says nothing about drivers, and does not go with them */
	if (supplier->dev.driver &&
	    device_link_add(&wake->gpu->dev, &supplier->dev,
			    DL_FLAG_STATELESS | DL_FLAG_PM_RUNTIME))
		return supplier;
	wake_del_supplier(supplier);
	return NULL;
}

/* What removes a GPU holds the rescan lock, and calls pcounter_wake_remove() under it. */
static void wake_begin(struct pcounter_wake *wake)
{
	struct platform_device *supplier = NULL;

	pci_lock_rescan_remove();
	if (!READ_ONCE(wake->off))
		supplier = wake_add_supplier(wake);
	pci_unlock_rescan_remove();
	if (!supplier && !READ_ONCE(wake->off))
		pci_warn(wake->gpu, "pcounter: cannot notice that it wakes\n");
	/* pairs with pcounter_wake_rearm() */
	smp_store_release(&wake->supplier, supplier);
	/* it may have begun to wake before it had a supplier */
	if (!pm_runtime_status_suspended(&wake->gpu->dev))
		wake_ring(wake);
}

static void wake_end(struct pcounter_wake *wake)
{
	if (wake->supplier) {
		/* the GPU may be gone, and the link with it */
		device_link_remove(&wake->gpu->dev, &wake->supplier->dev);
		wake_del_supplier(wake->supplier);
	}
	pci_dev_put(wake->gpu);
	kfree(wake);
}

static void wake_change(struct work_struct *work)
{
	struct pcounter_wake *wake = container_of(work, struct pcounter_wake, change);

	if (READ_ONCE(wake->off))
		wake_end(wake);
	else
		wake_begin(wake);
}

/**
 * pcounter_wake_create() - watch a GPU that sleeps
 * @pdev: the GPU; it is not woken
 * @look: is scheduled when the GPU begins to wake
 *
 * Devices are made and removed by a work: a caller may be notified by a bus, and
 * the platform bus may have something to notify, too.
 *
 * Return: what to give to pcounter_wake_remove(), NULL without memory.
 */
struct pcounter_wake *pcounter_wake_create(struct pci_dev *pdev, struct work_struct *look)
{
	struct pcounter_wake *wake = kzalloc(sizeof(*wake), GFP_KERNEL);

	if (!wake)
		return NULL;
	wake->gpu = pci_dev_get(pdev);
	wake->look = look;
	INIT_WORK(&wake->change, wake_change);
	queue_work(wake_wq, &wake->change);
	return wake;
}

/**
 * pcounter_wake_remove() - don't watch it any more
 * @wake: what pcounter_wake_create() has returned, or NULL
 *
 * After pcounter_wake_flush() its work is not scheduled any more.
 */
void pcounter_wake_remove(struct pcounter_wake *wake)
{
	if (!wake)
		return;
	WRITE_ONCE(wake->off, true);
	queue_work(wake_wq, &wake->change);
}

/**
 * pcounter_wake_flush() - wait until all that has been asked for is done
 */
void pcounter_wake_flush(void)
{
	flush_workqueue(wake_wq);
}

/**
 * pcounter_wake_rang() - has the GPU begun to wake since this was asked last?
 * @wake: what watches it, or NULL
 *
 * Return: true if so.
 */
bool pcounter_wake_rang(struct pcounter_wake *wake)
{
	return wake && atomic_xchg(&wake->rang, 0);
}

#ifdef CONFIG_PM

static bool wake_in_transit(const struct device *dev)
{
	int status = READ_ONCE(dev->power.runtime_status);

	return status == RPM_RESUMING || status == RPM_SUSPENDING;
}

/**
 * pcounter_wake_wait() - wait until a GPU that begins to wake is awake
 * @pdev: the GPU
 *
 * Not by pm_runtime_barrier(), which takes back that it is going to sleep again.
 */
void pcounter_wake_wait(struct pci_dev *pdev)
{
	wait_event(pdev->dev.power.wait_queue, !wake_in_transit(&pdev->dev));
}

#else

static bool wake_in_transit(const struct device *dev)
{
	return false;
}

void pcounter_wake_wait(struct pci_dev *pdev)
{
}

#endif

/**
 * pcounter_wake_rearm() - the GPU was looked at, and sleeps again
 * @wake: what watches it, or NULL
 *
 * Only a supplier that is suspended is resumed, and it is not suspended while the
 * GPU is awake.
 *
 * Return: true if the GPU has begun to wake meanwhile and must be looked at again.
 */
bool pcounter_wake_rearm(struct pcounter_wake *wake)
{
	struct platform_device *supplier;
	enum pcounter_pci_hold how;

	/* pairs with wake_begin() */
	supplier = wake ? smp_load_acquire(&wake->supplier) : NULL;
	if (!supplier || pm_runtime_suspend(&supplier->dev) >= 0)
		return false;
	if (wake_in_transit(&wake->gpu->dev))
		return true;
	how = pcounter_pci_get(wake->gpu);
	pcounter_pci_put(wake->gpu, how);
	return how != PCOUNTER_PCI_ASLEEP;
}

/**
 * pcounter_wake_module_init() - set up what all GPUs share
 *
 * Return: 0 or a negative errno.
 */
int pcounter_wake_module_init(void)
{
	int err;

	wake_wq = alloc_workqueue("pcounter_wake", WQ_UNBOUND, 0);
	if (!wake_wq)
		return -ENOMEM;
	err = platform_driver_register(&wake_driver);
	if (err)
		destroy_workqueue(wake_wq);
	return err;
}

/**
 * pcounter_wake_module_exit() - undo pcounter_wake_module_init()
 */
void pcounter_wake_module_exit(void)
{
	destroy_workqueue(wake_wq);
	platform_driver_unregister(&wake_driver);
}
