// SPDX-License-Identifier: GPL-2.0-only
/*
 * A switch for guest tests: it turns a GPU off and on again without runtime power
 * management, as laptops with two GPUs do, beside a driver or without one.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/pci.h>

static char *gpu = "";
module_param(gpu, charp, 0444);
MODULE_PARM_DESC(gpu, "The GPU: DOMAIN:BUS:DEVICE.FUNCTION");
static unsigned int delay_ms = 100;
module_param(delay_ms, uint, 0444);
MODULE_PARM_DESC(delay_ms, "Length of each step, in which the GPU does not answer (default 100)");

static struct pci_dev *switch_pdev;
static bool switch_on = true;
static unsigned int switch_delay;

static void switch_turn_off(struct pci_dev *pdev)
{
	pci_save_state(pdev);
	if (pci_is_enabled(pdev))
		pci_disable_device(pdev);
	pci_set_power_state(pdev, PCI_D3hot);
}

/* A GPU that gets its power back does not decode memory until that is restored. */
static int switch_turn_on(struct pci_dev *pdev)
{
	u16 command;

	pci_set_power_state(pdev, PCI_D0);
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	pci_write_config_word(pdev, PCI_COMMAND, command & ~PCI_COMMAND_MEMORY);
	msleep(delay_ms);
	pci_restore_state(pdev);
	return pci_enable_device(pdev);
}

static int switch_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(val, &on);

	if (err || on == switch_on)
		return err;
	if (!switch_pdev)
		return -EBUSY;
	switch_on = on;
	if (on)
		return switch_turn_on(switch_pdev);
	switch_turn_off(switch_pdev);
	return 0;
}

static const struct kernel_param_ops switch_ops = {
	.set = switch_set,
	.get = param_get_bool,
};

module_param_cb(on, &switch_ops, &switch_on, 0644);
MODULE_PARM_DESC(on, "Whether the GPU is switched on");

static int __init switch_init(void)
{
	unsigned int domain, bus, slot, function;

	if (sscanf(gpu, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return -EINVAL;
	switch_pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!switch_pdev)
		return -ENODEV;
	switch_delay = switch_pdev->d3hot_delay;
	switch_pdev->d3hot_delay = delay_ms;
	return 0;
}
module_init(switch_init);

static void __exit switch_exit(void)
{
	if (!switch_on)
		switch_turn_on(switch_pdev);
	switch_pdev->d3hot_delay = switch_delay;
	pci_dev_put(switch_pdev);
}
module_exit(switch_exit);

MODULE_DESCRIPTION("A switch for a GPU, for tests");
MODULE_LICENSE("GPL");
