// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner of a PCI function. Callers hold the function's device lock, except for
 * pcounter_owner_user_dma().
 */
#include <linux/device.h>
#include <linux/iommu.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "owner.h"

static char *owner[8];
static int owners;
module_param_array(owner, charp, &owners, 0444);
MODULE_PARM_DESC(owner, "More graphics drivers whose GPUs can be counted, NAME[,NAME]; nouveau and others are known");

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
 * pcounter_owner_lends() - check whether a function belongs to a guest or to user space
 * @pdev: the function
 * @tell: log the reason
 *
 * A driver that is not known as a graphics driver may lend the function, too.
 *
 * Return: true if pcounter must leave the function alone.
 */
bool pcounter_owner_lends(struct pci_dev *pdev, bool tell)
{
	struct device_driver *driver = pdev->dev.driver;

	if (!driver) {
		if (!pcounter_owner_user_dma(pdev))
			return false;
		if (tell)
			pci_info(pdev, "pcounter: user space owns its DMA: left alone\n");
	} else if (to_pci_driver(driver)->driver_managed_dma) {
		/* pci-stub, vfio-pci and its variants */
		if (tell)
			pci_info(pdev, "pcounter: bound to %s, which lends the GPU to somebody else: left alone\n",
				 driver->name);
	} else if (!is_graphics_driver(driver->name)) {
		if (tell)
			pci_info(pdev, "pcounter: bound to %s, which is not known as a graphics driver: left alone (parameter owner=%s says it is one)\n",
				 driver->name, driver->name);
	} else {
		return false;
	}
	return true;
}
