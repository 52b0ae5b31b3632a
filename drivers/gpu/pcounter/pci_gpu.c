// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU on PCI. The function belongs to the graphics driver, if any: pcounter
 * never binds it and never claims its regions, but maps only the pages of the
 * counters.
 */
#include <linux/err.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/swab.h>
#include <linux/time64.h>

#include "device.h"
#include "hw/io.h"
#include "hw/layout.h"
#include "params.h"
#include "pci_gpu.h"
#include "perf/types.h"
#include "record/session.h"
#include "rules/chip.h"

#define PCOUNTER_BAR		0
/* COMMAND bits that are restored after the last access. */
#define RESTORED_BITS		(PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY)

static bool unverified;
module_param(unverified, bool, 0444);
MODULE_PARM_DESC(unverified, "Use chips that may lack PCOUNTER, as far as documents tell, and Maxwell and later chips (default: no)");

static void __iomem *pcounter_pci_map(struct pci_dev *pdev, u32 base, u32 size)
{
	if (base + size > pci_resource_len(pdev, PCOUNTER_BAR))
		return NULL;
	return ioremap(pci_resource_start(pdev, PCOUNTER_BAR) + base, size);
}

/* Look up the chip, and log the reason for not using a function. */
static const struct pcounter_chip *pcounter_pci_find_chip(struct pcounter_pci *pp, u32 boot_0)
{
	const struct pcounter_chip *chip = NULL;
	int chipset = pcounter_boot_chipset(boot_0);

	if (chipset == -ENXIO) {
		/* its GPU may answer later */
		pci_info(pp->pdev, "pcounter: the GPU does not answer (PMC.BOOT_0 0x%08x)\n",
			 boot_0);
		return NULL;
	}
	pp->hopeless = true;
	if (chipset >= 0)
		chip = pcounter_chip_find(chipset);
	if (chipset < 0)
		pci_info(pp->pdev, "pcounter: older than NV10, no PCOUNTER (PMC.BOOT_0 0x%08x)\n",
			 boot_0);
	else if (!chip && chipset > pcounter_chips[pcounter_nr_chips - 1].chipset)
		pci_info(pp->pdev, "pcounter: chipset 0x%03x is newer than Pascal: not supported\n",
			 chipset);
	else if (!chip)
		pci_info(pp->pdev, "pcounter: unknown chipset 0x%03x\n", chipset);
	else if (chip->presence == PCOUNTER_ABSENT)
		pci_info(pp->pdev, "pcounter: %s has no PCOUNTER\n", chip->name);
	else if (chip->bucket >= PCOUNTER_BUCKET_GM107 && !unverified)
		pci_info(pp->pdev, "pcounter: too little is known of PCOUNTER on %s, left alone (parameter unverified=1 tries, and reads before it writes)\n",
			 chip->name);
	else if (chip->presence == PCOUNTER_UNVERIFIED && !unverified)
		pci_info(pp->pdev, "pcounter: whether %s has PCOUNTER is not known, left alone (parameter unverified=1 tries)\n",
			 chip->name);
	else
		pp->hopeless = false;
	return pp->hopeless ? NULL : chip;
}

/* Read a register of a window that is mapped for this read only. */
static bool pcounter_pci_read_once(struct pcounter_pci *pp, const struct pcounter_window *w,
				   u32 at, u32 *val)
{
	void __iomem *reg = pcounter_pci_map(pp->pdev, w->base, w->size);

	if (!reg)
		return false;
	*val = readl(reg + at);
	if (pp->swapped)
		*val = swab32(*val);
	iounmap(reg);
	return true;
}

/*
 * PMC.BOOT_1 reads the same in both byte orders, and contains the order of all
 * registers.
 */
static bool pcounter_pci_read_boot(struct pcounter_pci *pp, u32 *boot_0)
{
	u32 boot_1;

	if (!pcounter_pci_read_once(pp, &pcounter_id_window, sizeof(u32), &boot_1))
		return false;
	pp->swapped = pcounter_boot_swapped(boot_1);
	return pcounter_pci_read_once(pp, &pcounter_id_window, 0, boot_0);
}

/* Read PMC.BOOT_0 and look the chip up. */
static const struct pcounter_chip *pcounter_pci_identify(struct pcounter_pci *pp)
{
	return pcounter_pci_read_boot(pp, &pp->boot_0) ?
	       pcounter_pci_find_chip(pp, pp->boot_0) : NULL;
}

/* The bind or unbind of a driver, or a reset, may have changed the byte order. */
static void pcounter_pci_read_order(struct pcounter_pci *pp)
{
	u32 boot_0;

	if (!pcounter_pci_get(pp->pdev))
		return;
	if (pcounter_pci_decodes(pp->pdev) && pcounter_pci_read_boot(pp, &boot_0) &&
	    !pcounter_is_dead(boot_0))
		WRITE_ONCE(pp->io.swapped, pp->swapped);
	pcounter_pci_put(pp->pdev);
}

/**
 * pcounter_pci_resume() - count again after a bind or unbind, or a system sleep
 * @pp: the function, after pcounter_device_suspend(); or without a PMU
 */
void pcounter_pci_resume(struct pcounter_pci *pp)
{
	if (!pp->ppmu)
		return;
	pcounter_pci_read_order(pp);
	pcounter_record_allow(&pp->ppmu->gpu);
}

static void pcounter_pci_unmap(struct pcounter_pci *pp)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_WINDOWS; i++) {
		if (pp->map[i])
			iounmap(pp->map[i]);
		pp->map[i] = NULL;
	}
}

static int pcounter_pci_map_windows(struct pcounter_pci *pp)
{
	const struct pcounter_window *w = pp->gen->table->windows;
	unsigned int i;

	for (i = 0; w[i].size; i++) {
		pp->map[i] = pcounter_pci_map(pp->pdev, w[i].base, w[i].size);
		if (!pp->map[i])
			return -ENOMEM;
	}
	return 0;
}

static int pcounter_pci_create(struct pcounter_pci *pp, const struct pcounter_chip *chip)
{
	struct pcounter_pmu *ppmu;
	int err;

	pp->io = (struct pcounter_io) {
		.ops = &pcounter_pci_ops,
		.dev = &pp->pdev->dev,
		.boot_0 = pp->boot_0,
		.slow_ns = (u64)pcounter_test_params.slow_read_us * NSEC_PER_USEC,
		.swapped = pp->swapped,
	};
	pcounter_pci_read_once(pp, &pcounter_strap_window, 0, &pp->io.straps);
	pp->gen = pcounter_gen_find(chip);
	err = pcounter_pci_map_windows(pp);
	if (!err) {
		pcounter_pci_power_init(pp);
		ppmu = pcounter_device_create(&pp->pdev->dev, THIS_MODULE,
					      chip->chipset, &pp->io);
		err = PTR_ERR_OR_ZERO(ppmu);
	}
	if (err) {
		pcounter_pci_unmap(pp);
		return err;
	}
	pp->ppmu = ppmu;
	pci_info(pp->pdev, "pcounter: %s, %u domains, %s\n", chip->name,
		 ppmu->gpu.topo.nr, ppmu->base.name);
	return 0;
}

/* Enable only functions without a driver. */
static const struct pcounter_chip *pcounter_pci_look_up(struct pcounter_pci *pp)
{
	const struct pcounter_chip *chip;

	if (pcounter_pci_decodes(pp->pdev))
		return pcounter_pci_identify(pp);
	if (pp->pdev->dev.driver || pcounter_pci_enable(pp))
		return NULL;
	chip = pcounter_pci_identify(pp);
	pcounter_pci_disable(pp, RESTORED_BITS);
	return chip;
}

/**
 * pcounter_pci_start() - create a function's PMU if its GPU has counters
 * @pp: the function, awake and without a PMU
 */
void pcounter_pci_start(struct pcounter_pci *pp)
{
	const struct pcounter_chip *chip = pcounter_pci_look_up(pp);
	int err = 0;

	if (!chip)
		return;
	if (!pp->pdev->dev.driver)
		err = pcounter_pci_enable(pp);
	if (!err)
		err = pcounter_pci_create(pp, chip);
	if (!err)
		return;
	pci_warn(pp->pdev, "pcounter: no PMU (error %d)\n", err);
	pcounter_pci_disable(pp, RESTORED_BITS);
}

/**
 * pcounter_pci_stop() - remove a function's PMU
 * @pp: the function
 * @restore: true to restore the registers, if the function is not lent to other code
 *
 * Open events keep their last valid count.
 */
void pcounter_pci_stop(struct pcounter_pci *pp, bool restore)
{
	if (!pp->ppmu)
		return;
	restore = restore && pci_device_is_present(pp->pdev) && pcounter_pci_decodes(pp->pdev);
	pcounter_device_remove(pp->ppmu, restore);
	pp->ppmu = NULL;
	pcounter_pci_unmap(pp);
	pcounter_pci_disable(pp, RESTORED_BITS);
}
