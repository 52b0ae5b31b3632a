// SPDX-License-Identifier: GPL-2.0-only
/*
 * A switch for guest tests: it turns a GPU off and on again without runtime
 * power management, like laptops with two GPUs, with or without a bound driver.
 * If the kernel has vga_switcheroo, the switch is one of its handlers. The host
 * bridge takes the place of the second GPU.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/vga_switcheroo.h>

static char *gpu = "";
module_param(gpu, charp, 0444);
MODULE_PARM_DESC(gpu, "The GPU: DOMAIN:BUS:DEVICE.FUNCTION");
static unsigned int delay_ms = 100;
module_param(delay_ms, uint, 0444);
MODULE_PARM_DESC(delay_ms, "Length of each step, in which the GPU does not answer (default 100)");

static struct pci_dev *switch_pdev;
static struct pci_dev *switch_bridge;
static bool switch_on = true;
static unsigned int switch_delay;

static void switch_turn_off(struct pci_dev *pdev)
{
	pci_save_state(pdev);
	if (pci_is_enabled(pdev))
		pci_disable_device(pdev);
	pci_set_power_state(pdev, PCI_D3hot);
}

/* A GPU that gets its power back decodes memory only after this bit is restored. */
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

static int switch_turn(bool on)
{
	if (on == switch_on)
		return 0;
	switch_on = on;
	if (on)
		return switch_turn_on(switch_pdev);
	switch_turn_off(switch_pdev);
	return 0;
}

static int switch_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(val, &on);

	if (err)
		return err;
	return switch_pdev ? switch_turn(on) : -EBUSY;
}

static const struct kernel_param_ops switch_ops = {
	.set = switch_set,
	.get = param_get_bool,
};

module_param_cb(on, &switch_ops, &switch_on, 0644);
MODULE_PARM_DESC(on, "Whether the GPU is switched on");

static void switch_set_gpu_state(struct pci_dev *pdev, enum vga_switcheroo_state state)
{
	if (pdev == switch_pdev)
		switch_turn(state == VGA_SWITCHEROO_ON);
}

static bool switch_can_switch(struct pci_dev *pdev)
{
	return true;
}

static const struct vga_switcheroo_client_ops switch_client_ops = {
	.set_gpu_state = switch_set_gpu_state,
	.can_switch = switch_can_switch,
};

static int switch_outputs(enum vga_switcheroo_client_id id)
{
	return 0;
}

static enum vga_switcheroo_client_id switch_client_id(struct pci_dev *pdev)
{
	return pdev == switch_pdev ? VGA_SWITCHEROO_DIS : VGA_SWITCHEROO_IGD;
}

static const struct vga_switcheroo_handler switch_handler = {
	.switchto = switch_outputs,
	.get_client_id = switch_client_id,
};

static int switch_register(void)
{
	int err = vga_switcheroo_register_handler(&switch_handler, 0);

	if (!err)
		err = vga_switcheroo_register_client(switch_bridge, &switch_client_ops, false);
	if (!err)
		err = vga_switcheroo_register_client(switch_pdev, &switch_client_ops, false);
	return err;
}

/* vga_switcheroo also accepts clients that are not registered */
static void switch_unregister(void)
{
	vga_switcheroo_unregister_client(switch_pdev);
	vga_switcheroo_unregister_client(switch_bridge);
	vga_switcheroo_unregister_handler();
	pci_dev_put(switch_bridge);
	pci_dev_put(switch_pdev);
}

static int __init switch_init(void)
{
	unsigned int domain, bus, slot, function;
	int err;

	if (sscanf(gpu, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return -EINVAL;
	switch_pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!switch_pdev)
		return -ENODEV;
	switch_bridge = pci_get_domain_bus_and_slot(domain, 0, 0);
	err = switch_bridge ? switch_register() : -ENODEV;
	if (err) {
		switch_unregister();
		return err;
	}
	switch_delay = switch_pdev->d3hot_delay;
	switch_pdev->d3hot_delay = delay_ms;
	return 0;
}
module_init(switch_init);

static void __exit switch_exit(void)
{
	switch_turn(true);
	switch_pdev->d3hot_delay = switch_delay;
	switch_unregister();
}
module_exit(switch_exit);

MODULE_DESCRIPTION("A switch for a GPU, for tests");
MODULE_LICENSE("GPL");
