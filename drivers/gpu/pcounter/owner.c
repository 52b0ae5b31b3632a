// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner of a PCI function, and pcounter's share in enabling the function.
 * Callers hold the function's device lock, except for pcounter_owner_user_dma()
 * and pcounter_enable_lasts().
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/iommu.h>
#include <linux/module.h>
#include <linux/string.h>

#include "owner.h"

static char *owner[8];
static int owners;
module_param_array(owner, charp, &owners, 0444);
MODULE_PARM_DESC(owner, "More drivers beside which GPUs are counted, NAME[,NAME]; nouveau and others are known");

/* Drivers that use a GPU for this system. */
static const char * const graphics_drivers[] = {
	"nouveau", "nvidia", "nvidiafb", "rivafb", "nova_core", "NovaCore",
};

static bool is_graphics_driver(const char *name)
{
	return match_string(graphics_drivers, ARRAY_SIZE(graphics_drivers), name) >= 0 ||
	       match_string((const char * const *)owner, owners, name) >= 0;
}

#ifdef CONFIG_IOMMU_API

/* The caller holds the group's mutex, so the domain stays. */
static int has_user_domain(struct device *dev, void *unused)
{
	const struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && (domain->type == IOMMU_DOMAIN_BLOCKED ||
			  domain->type == IOMMU_DOMAIN_UNMANAGED);
}

/**
 * pcounter_owner_user_dma() - check whether user space owns the DMA of a function
 * @pdev: the function
 *
 * User space gets all functions that an IOMMU cannot tell apart, including functions
 * without a driver. A claimed group alone does not prove it: each ordinary driver in
 * the group, for example the driver of the GPU's sound, claims the group for the kernel.
 *
 * Return: true if it does.
 */
bool pcounter_owner_user_dma(struct pci_dev *pdev)
{
	struct iommu_group *group = iommu_group_get(&pdev->dev);
	bool user;

	if (!group)
		return false;
	user = iommu_group_dma_owner_claimed(group) &&
	       iommu_group_for_each_dev(group, NULL, has_user_domain);
	iommu_group_put(group);
	return user;
}

#else

bool pcounter_owner_user_dma(struct pci_dev *pdev)
{
	return false;
}

#endif

/**
 * pcounter_owner_of() - find the owner of a function
 * @pdev: the function
 *
 * Return: its owner.
 */
enum pcounter_owner pcounter_owner_of(struct pci_dev *pdev)
{
	struct device_driver *driver = pdev->dev.driver;

	if (!driver)
		return pcounter_owner_user_dma(pdev) ? PCOUNTER_OWNER_USER :
						       PCOUNTER_OWNER_NONE;
	/* pci-stub, vfio-pci and its variants */
	if (to_pci_driver(driver)->driver_managed_dma)
		return PCOUNTER_OWNER_LENDER;
	return is_graphics_driver(driver->name) ? PCOUNTER_OWNER_GRAPHICS :
						  PCOUNTER_OWNER_STRANGER;
}

/**
 * pcounter_owner_tell() - log the reason for not using a function
 * @pdev: the function
 * @whose: result of pcounter_owner_of()
 */
void pcounter_owner_tell(struct pci_dev *pdev, enum pcounter_owner whose)
{
	if (whose == PCOUNTER_OWNER_LENDER)
		pci_info(pdev, "pcounter: bound to %s, which lends the GPU to somebody else: left alone\n",
			 pdev->dev.driver->name);
	else if (whose == PCOUNTER_OWNER_STRANGER)
		pci_info(pdev, "pcounter: bound to %s, which is not known as a graphics driver: left alone (parameter owner=%s says it is one)\n",
			 pdev->dev.driver->name, pdev->dev.driver->name);
	else if (whose == PCOUNTER_OWNER_USER)
		pci_info(pdev, "pcounter: user space owns its DMA: left alone\n");
}

/* ---- enabling ---- */

/**
 * pcounter_enable_get() - enable a function that has no driver
 * @en: pcounter's share, not held
 * @pdev: the function, awake
 *
 * The PCI core counts shares. If pcounter held one while a driver has the function,
 * the driver's pci_enable_device() and pci_disable_device() would do nothing, and
 * bus mastering would outlive the driver.
 *
 * Return: 0 or a negative errno.
 */
int pcounter_enable_get(struct pcounter_enable *en, struct pci_dev *pdev)
{
	int err;

	pci_read_config_word(pdev, PCI_COMMAND, &en->found);
	err = pci_enable_device_mem(pdev);
	if (!err)
		WRITE_ONCE(en->share, PCOUNTER_SHARE_OURS);
	return err;
}

/**
 * pcounter_enable_lasts() - check whether a function without driver is still enabled
 * @en: pcounter's share
 * @pdev: the function
 *
 * Root or a switch module may disable a function without notifying its users. Then
 * pcounter has lost its share: the next enable by other code makes a new one, which
 * belongs to that code. The function counts as enabled while there is a share.
 *
 * Read memory only.
 *
 * Return: false if other code has disabled the function.
 */
bool pcounter_enable_lasts(struct pcounter_enable *en, const struct pci_dev *pdev)
{
	if (atomic_read(&pdev->enable_cnt))
		return true;
	/* pcounter_enable_put() has given the share up before the count falls */
	cmpxchg(&en->share, PCOUNTER_SHARE_OURS, PCOUNTER_SHARE_TAKEN);
	return READ_ONCE(en->share) == PCOUNTER_SHARE_NONE;
}

/**
 * pcounter_enable_put() - give the share up, and restore bits of COMMAND
 * @en: pcounter's share
 * @pdev: the function
 * @bits: PCI_COMMAND_MASTER, and after the last access to a register PCI_COMMAND_MEMORY
 *
 * pci_disable_device() switches off bus mastering only, so memory decoding stays on
 * and the registers remain accessible to a driver that binds. If firmware left bus
 * mastering on, restore it for the driver.
 */
void pcounter_enable_put(struct pcounter_enable *en, struct pci_dev *pdev, u16 bits)
{
	u16 command, restored;
	int share;

	pcounter_enable_lasts(en, pdev);
	share = xchg(&en->share, PCOUNTER_SHARE_NONE);
	if (share == PCOUNTER_SHARE_NONE)
		return;
	if (share == PCOUNTER_SHARE_OURS)
		pci_disable_device(pdev);
	else
		bits &= ~en->found;	/* leave bits off that other code has switched off */
	/* enabled by root, in sysfs */
	if (pci_is_enabled(pdev))
		return;
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	restored = (command & ~bits) | (en->found & bits);
	if (restored != command)
		pci_write_config_word(pdev, PCI_COMMAND, restored);
}
