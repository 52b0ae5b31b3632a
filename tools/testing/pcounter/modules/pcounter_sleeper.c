// SPDX-License-Identifier: GPL-2.0-only
/*
 * A graphics driver for guest tests: it binds any GPU and does nothing but
 * sleep, with the calls that nouveau makes (hw:coexistence/power).
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

static int delay_ms = 400;
module_param(delay_ms, int, 0444);
MODULE_PARM_DESC(delay_ms, "Autosuspend delay (default 400)");
static int use_ms;
module_param(use_ms, int, 0444);
MODULE_PARM_DESC(use_ms, "Use the GPU for a short time that often (default 0: never)");
static bool veto;
module_param(veto, bool, 0644);
MODULE_PARM_DESC(veto, "An idle GPU must not sleep (default no)");

/**
 * struct sleeper - a bound GPU
 * @dev: the GPU
 * @use: the work that uses the GPU periodically
 */
struct sleeper {
	struct device *dev;
	struct delayed_work use;
};

static bool master;
module_param(master, bool, 0444);
MODULE_PARM_DESC(master, "Make the GPU a bus master, as nouveau does (default: no)");

static int sleeper_enable(struct pci_dev *pdev)
{
	int err = pci_enable_device(pdev);

	if (!err && master)
		pci_set_master(pdev);
	return err;
}

static int sleeper_suspend(struct device *dev)
{
	struct pci_dev *pdev = to_pci_dev(dev);

	pci_save_state(pdev);
	pci_disable_device(pdev);
	return pci_set_power_state(pdev, PCI_D3hot);
}

static int sleeper_resume(struct device *dev)
{
	struct pci_dev *pdev = to_pci_dev(dev);

	pci_set_power_state(pdev, PCI_D0);
	pci_restore_state(pdev);
	return sleeper_enable(pdev);
}

/* Like nouveau, count the question whether the GPU may sleep as a use. */
static int sleeper_idle(struct device *dev)
{
	if (READ_ONCE(veto))
		return -EBUSY;
	pm_runtime_mark_last_busy(dev);
	pm_runtime_autosuspend(dev);
	return 1;
}

static const struct dev_pm_ops sleeper_pm_ops = {
	.suspend = sleeper_suspend,
	.resume = sleeper_resume,
	.freeze = sleeper_suspend,
	.thaw = sleeper_resume,
	.restore = sleeper_resume,
	.runtime_suspend = sleeper_suspend,
	.runtime_resume = sleeper_resume,
	.runtime_idle = sleeper_idle,
};

static void sleeper_let_go(struct device *dev)
{
	pm_runtime_mark_last_busy(dev);
	if (veto)
		pm_runtime_put(dev);
	else
		pm_runtime_put_autosuspend(dev);
}

static void sleeper_use(struct work_struct *work)
{
	struct sleeper *s = container_of(work, struct sleeper, use.work);

	pm_runtime_get_sync(s->dev);
	sleeper_let_go(s->dev);
	schedule_delayed_work(&s->use, msecs_to_jiffies(use_ms));
}

static int sleeper_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct sleeper *s = devm_kzalloc(&pdev->dev, sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return -ENOMEM;
	err = sleeper_enable(pdev);
	if (err)
		return err;
	s->dev = &pdev->dev;
	INIT_DELAYED_WORK(&s->use, sleeper_use);
	pci_set_drvdata(pdev, s);
	pm_runtime_use_autosuspend(&pdev->dev);
	pm_runtime_set_autosuspend_delay(&pdev->dev, delay_ms);
	pm_runtime_allow(&pdev->dev);
	sleeper_let_go(&pdev->dev);
	if (use_ms)
		schedule_delayed_work(&s->use, msecs_to_jiffies(use_ms));
	return 0;
}

static void sleeper_remove(struct pci_dev *pdev)
{
	struct sleeper *s = pci_get_drvdata(pdev);

	cancel_delayed_work_sync(&s->use);
	pm_runtime_get_sync(&pdev->dev);
	pm_runtime_forbid(&pdev->dev);
	pm_runtime_dont_use_autosuspend(&pdev->dev);
	pci_disable_device(pdev);
}

static const struct pci_device_id sleeper_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID),
	  .class = PCI_BASE_CLASS_DISPLAY << 16, .class_mask = 0xff << 16 },
	{ }
};

static struct pci_driver sleeper_driver = {
	.name = "pcounter_sleeper",
	.id_table = sleeper_ids,
	.probe = sleeper_probe,
	.remove = sleeper_remove,
	.driver.pm = &sleeper_pm_ops,
};
module_pci_driver(sleeper_driver);

MODULE_DESCRIPTION("A graphics driver for tests that only sleeps");
MODULE_LICENSE("GPL");
