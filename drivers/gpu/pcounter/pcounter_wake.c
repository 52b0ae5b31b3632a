// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who tells that a GPU wakes. Runtime power management has no notifier for it, but
 * resumes what a device depends on before the device itself. So a GPU that sleeps
 * gets a supplier, a device of ours that is nothing but this notification.
 */
#include <linux/err.h>
#include <linux/device.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "pcounter_pci_power.h"
#include "pcounter_wake.h"

#define WAKE_NAME	"pcounter_wake"

/**
 * struct pcounter_wake - a GPU that sleeps, and who tells that it wakes
 * @gpu: the GPU, referenced
 * @supplier: is resumed before the GPU is
 * @work: looks at the GPU
 * @rang: the supplier was resumed
 */
struct pcounter_wake {
	struct pci_dev *gpu;
	struct platform_device *supplier;
	struct work_struct *work;
	bool rang;
};

static int wake_runtime_suspend(struct device *dev)
{
	return 0;
}

static void wake_ring(struct pcounter_wake *wake)
{
	WRITE_ONCE(wake->rang, true);
	schedule_work(wake->work);
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

static int wake_add_supplier(struct pcounter_wake *wake)
{
	struct platform_device *supplier =
		platform_device_alloc(WAKE_NAME, PLATFORM_DEVID_AUTO);
	int err;

	if (!supplier)
		return -ENOMEM;
	platform_set_drvdata(supplier, wake);
	err = platform_device_add(supplier);
	if (err) {
		platform_device_put(supplier);
		return err;
	}
	wake->supplier = supplier;
	pm_runtime_enable(&supplier->dev);
	/* stateless: it says nothing about drivers, and does not go with them */
	if (supplier->dev.driver &&
	    device_link_add(&wake->gpu->dev, &supplier->dev,
			    DL_FLAG_STATELESS | DL_FLAG_PM_RUNTIME))
		return 0;
	pm_runtime_disable(&supplier->dev);
	platform_device_unregister(supplier);
	return -ENODEV;
}

/**
 * pcounter_wake_create() - watch a GPU that sleeps
 * @pdev: the GPU; it is not woken
 * @work: is scheduled when the GPU begins to wake
 *
 * Return: what to give to pcounter_wake_remove(), NULL if it cannot be watched.
 */
struct pcounter_wake *pcounter_wake_create(struct pci_dev *pdev, struct work_struct *work)
{
	struct pcounter_wake *wake = kzalloc(sizeof(*wake), GFP_KERNEL);
	int err;

	if (!wake)
		return NULL;
	wake->gpu = pci_dev_get(pdev);
	wake->work = work;
	err = wake_add_supplier(wake);
	if (!err) {
		/* it may have begun to wake before it had a supplier */
		if (!pm_runtime_status_suspended(&pdev->dev))
			wake_ring(wake);
		return wake;
	}
	pci_warn(pdev, "pcounter: cannot notice that it wakes (error %d)\n", err);
	pci_dev_put(pdev);
	kfree(wake);
	return NULL;
}

/**
 * pcounter_wake_remove() - don't watch it any more
 * @wake: what pcounter_wake_create() has returned, or NULL
 *
 * When this returns the work is not scheduled any more, but may be on its way.
 */
void pcounter_wake_remove(struct pcounter_wake *wake)
{
	if (!wake)
		return;
	device_link_remove(&wake->gpu->dev, &wake->supplier->dev);
	pm_runtime_disable(&wake->supplier->dev);
	/* the core may still hold it for a moment, which needs nothing of ours */
	platform_device_unregister(wake->supplier);
	pci_dev_put(wake->gpu);
	kfree(wake);
}

/**
 * pcounter_wake_rang() - has the GPU begun to wake since this was asked last?
 * @wake: what watches it, or NULL
 *
 * Return: true if so.
 */
bool pcounter_wake_rang(struct pcounter_wake *wake)
{
	return wake && xchg(&wake->rang, false);
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
	enum pcounter_pci_hold how;

	if (!wake || pm_runtime_suspend(&wake->supplier->dev) >= 0)
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
	return platform_driver_register(&wake_driver);
}

/**
 * pcounter_wake_module_exit() - undo pcounter_wake_module_init()
 */
void pcounter_wake_module_exit(void)
{
	platform_driver_unregister(&wake_driver);
}
