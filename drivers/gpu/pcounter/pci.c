// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: its parameters, and the system's notifications.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "device.h"
#include "params.h"
#include "pci_bus.h"
#include "pci_gpu.h"
#include "pci_power.h"

module_param_named(record_ring_kb, pcounter_record_ring_kb, uint, 0444);
MODULE_PARM_DESC(record_ring_kb, "Memory for the packets of a domain in KiB, 64 to 4096 (default 1024)");

/*
 * Called before the first driver switches a device off, and after all devices
 * are on again.
 */
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
				pcounter_device_suspend(pp->ppmu);
		pcounter_pci_sleep(true);
		mutex_unlock(&pcounter_pcis_lock);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		mutex_lock(&pcounter_pcis_lock);
		pcounter_pci_sleep(false);
		list_for_each_entry(pp, &pcounter_pcis, node)
			pcounter_pci_resume(pp);
		mutex_unlock(&pcounter_pcis_lock);
		/* other functions were skipped only because they slept */
		pcounter_pci_bus_scan();
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
	err = pcounter_pci_bus_init();
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
	pcounter_pci_bus_exit();
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
