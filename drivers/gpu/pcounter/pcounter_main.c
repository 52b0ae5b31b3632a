// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module, and GPUs on PCI. The PCI function belongs to the graphics
 * driver, if any: it is never bound and its regions are never claimed, only
 * the few pages that the counters need are mapped.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "pcounter_chip.h"
#include "pcounter_gen.h"
#include "pcounter_io.h"
#include "pcounter_pmu.h"
#include "pcounter_regs.h"

#define PCOUNTER_BAR		0
#define PCOUNTER_DMA_BITS	40	/* hw/record-memory.md 9 */

static bool unverified;
module_param(unverified, bool, 0444);
MODULE_PARM_DESC(unverified, "Drive chips of which no document says for sure that they have PCOUNTER (default: no)");

module_param_named(record_ring_kb, pcounter_record_params.ring_kb, uint, 0444);
MODULE_PARM_DESC(record_ring_kb, "Memory for the packets of a domain in KiB, 64 to 4096 (default 1024)");
module_param_named(record_poll_us, pcounter_record_params.poll_us, uint, 0444);
MODULE_PARM_DESC(record_poll_us, "How often packets are taken in us, 100 to 1000000 (default 0: four times while a ring fills)");
module_param_named(record_own_tables, pcounter_record_params.own_tables, bool, 0444);
MODULE_PARM_DESC(record_own_tables, "Record mode: eight page tables of 1 MiB for a domain instead of one (default: no)");
module_param_named(record_position, pcounter_record_params.position, uint, 0444);
MODULE_PARM_DESC(record_position, "Record mode: where in its window a stream begins, for tests (default 0)");

/**
 * struct pcounter_pci - a GPU on PCI
 * @node: in pcounter_pcis
 * @pdev: the function, referenced and enabled
 * @io: register access
 * @gen: its generation, for the windows
 * @map: one mapping for each window
 * @master: we have made it a bus master
 * @ppmu: its PMU
 */
struct pcounter_pci {
	struct list_head node;
	struct pci_dev *pdev;
	struct pcounter_io io;
	const struct pcounter_gen *gen;
	void __iomem *map[PCOUNTER_MAX_WINDOWS];
	bool master;
	struct pcounter_pmu *ppmu;
};

static LIST_HEAD(pcounter_pcis);
static DEFINE_MUTEX(pcounter_pcis_lock);	/* protects pcounter_pcis */

static void __iomem *pcounter_pci_reg(struct pcounter_io *io, u32 addr)
{
	struct pcounter_pci *pp = container_of(io, struct pcounter_pci, io);
	const struct pcounter_window *w = pp->gen->windows;
	unsigned int i;

	for (i = 0; w[i].size; i++)
		if (addr - w[i].base < w[i].size)
			return pp->map[i] + (addr - w[i].base);
	return NULL;
}

static u32 pcounter_pci_rd32(struct pcounter_io *io, u32 addr)
{
	void __iomem *reg = pcounter_pci_reg(io, addr);

	return WARN_ON_ONCE(!reg) ? PCOUNTER_DEAD : readl(reg);
}

static void pcounter_pci_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	void __iomem *reg = pcounter_pci_reg(io, addr);

	if (!WARN_ON_ONCE(!reg))
		writel(val, reg);
}

/*
 * Record mode. A graphics driver has set the DMA mask and made the GPU a bus
 * master; without one that is ours to do, and to undo.
 */
static int pcounter_pci_dma(struct pcounter_io *io, bool on)
{
	struct pcounter_pci *pp = container_of(io, struct pcounter_pci, io);
	int err = 0;

	if (!on) {
		if (pp->master && !pp->pdev->driver)
			pci_clear_master(pp->pdev);
		pp->master = false;
		return 0;
	}
	if (!pp->pdev->driver)
		err = dma_set_mask_and_coherent(&pp->pdev->dev, DMA_BIT_MASK(PCOUNTER_DMA_BITS));
	if (!err && !pp->pdev->is_busmaster) {
		pci_set_master(pp->pdev);
		pp->master = true;
	}
	return err;
}

static const struct pcounter_io_ops pcounter_pci_ops = {
	.rd32 = pcounter_pci_rd32,
	.wr32 = pcounter_pci_wr32,
	.dma = pcounter_pci_dma,
};

static bool pcounter_pci_is_gpu(const struct pci_dev *pdev)
{
	return pdev->vendor == PCI_VENDOR_ID_NVIDIA &&
	       pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY;
}

static void __iomem *pcounter_pci_map(struct pci_dev *pdev, u32 base, u32 size)
{
	if (base + size > pci_resource_len(pdev, PCOUNTER_BAR))
		return NULL;
	return ioremap(pci_resource_start(pdev, PCOUNTER_BAR) + base, size);
}

/* Read PMC.BOOT_0 and look the chip up; says in the log what it is not. */
static const struct pcounter_chip *pcounter_pci_identify(struct pci_dev *pdev)
{
	const struct pcounter_chip *chip;
	void __iomem *pmc;
	u32 boot_0;
	int chipset;

	pmc = pcounter_pci_map(pdev, NV_PMC_BOOT_0, NV_PMC_SIZE);
	if (!pmc)
		return NULL;
	boot_0 = readl(pmc + NV_PMC_BOOT_0);
	iounmap(pmc);
	chipset = pcounter_chip_decode(boot_0);
	if (chipset < 0) {
		pci_info(pdev, "pcounter: %s (PMC.BOOT_0 0x%08x)\n",
			 chipset == -ENXIO ? "the GPU does not answer" :
			 "older than NV10, no PCOUNTER", boot_0);
		return NULL;
	}
	chip = pcounter_chip_find(chipset);
	if (!chip) {
		pci_info(pdev, "pcounter: unknown chipset 0x%03x\n", chipset);
		return NULL;
	}
	if (chip->presence == PCOUNTER_ABSENT) {
		pci_info(pdev, "pcounter: %s has no PCOUNTER\n", chip->name);
		return NULL;
	}
	if (chip->presence == PCOUNTER_UNVERIFIED && !unverified) {
		pci_info(pdev, "pcounter: whether %s has PCOUNTER is not known, left alone (parameter unverified=1 tries)\n",
			 chip->name);
		return NULL;
	}
	return chip;
}

static void pcounter_pci_free(struct pcounter_pci *pp)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_WINDOWS; i++)
		if (pp->map[i])
			iounmap(pp->map[i]);
	pci_disable_device(pp->pdev);
	pci_dev_put(pp->pdev);
	kfree(pp);
}

static int pcounter_pci_map_windows(struct pcounter_pci *pp)
{
	const struct pcounter_window *w = pp->gen->windows;
	unsigned int i;

	for (i = 0; w[i].size; i++) {
		pp->map[i] = pcounter_pci_map(pp->pdev, w[i].base, w[i].size);
		if (!pp->map[i])
			return -ENOMEM;
	}
	return 0;
}

/* Enabling is reference counted: a graphics driver may do it as well. */
static int pcounter_pci_attach(struct pci_dev *pdev)
{
	const struct pcounter_chip *chip;
	struct pcounter_pci *pp;
	int err;

	/* Never wake a sleeping GPU, and enabling would. */
	if (pdev->current_state != PCI_D0 && pdev->current_state != PCI_UNKNOWN) {
		pci_info(pdev, "pcounter: asleep, left alone\n");
		return -ENODEV;
	}
	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	chip = pcounter_pci_identify(pdev);
	pp = chip ? kzalloc(sizeof(*pp), GFP_KERNEL) : NULL;
	if (!pp) {
		pci_disable_device(pdev);
		return chip ? -ENOMEM : -ENODEV;
	}
	pp->pdev = pci_dev_get(pdev);
	pp->io.ops = &pcounter_pci_ops;
	pp->io.dev = &pdev->dev;
	pp->gen = pcounter_gen_find(chip);
	err = pcounter_pci_map_windows(pp);
	if (err)
		goto err_free;
	pp->ppmu = pcounter_pmu_create(&pdev->dev, THIS_MODULE, chip->chipset,
				       &pp->io);
	if (IS_ERR(pp->ppmu)) {
		err = PTR_ERR(pp->ppmu);
		goto err_free;
	}
	pci_info(pdev, "pcounter: %s, %u domains, %s\n", chip->name,
		 pp->ppmu->gpu.topo.nr, pp->ppmu->base.name);
	list_add_tail(&pp->node, &pcounter_pcis);
	return 0;

err_free:
	pcounter_pci_free(pp);
	return err;
}

static void pcounter_pci_detach(struct pcounter_pci *pp)
{
	list_del(&pp->node);
	pcounter_pmu_remove(pp->ppmu);
	pcounter_pci_free(pp);
}

static bool pcounter_pci_known(const struct pci_dev *pdev)
{
	struct pcounter_pci *pp;

	list_for_each_entry(pp, &pcounter_pcis, node)
		if (pp->pdev == pdev)
			return true;
	return false;
}

static void pcounter_pci_scan(void)
{
	struct pci_dev *pdev = NULL;

	mutex_lock(&pcounter_pcis_lock);
	for_each_pci_dev(pdev)
		if (pcounter_pci_is_gpu(pdev) && !pcounter_pci_known(pdev))
			pcounter_pci_attach(pdev);
	mutex_unlock(&pcounter_pcis_lock);
}

/* A function is announced before its BARs are assigned: wait for the rescan. */
static void pcounter_pci_scan_work(struct work_struct *work)
{
	pci_lock_rescan_remove();
	pcounter_pci_scan();
	pci_unlock_rescan_remove();
}

static DECLARE_WORK(pcounter_pci_work, pcounter_pci_scan_work);

static void pcounter_pci_removed(struct pci_dev *pdev)
{
	struct pcounter_pci *pp, *next;

	mutex_lock(&pcounter_pcis_lock);
	list_for_each_entry_safe(pp, next, &pcounter_pcis, node)
		if (pp->pdev == pdev)
			pcounter_pci_detach(pp);
	mutex_unlock(&pcounter_pcis_lock);
}

static int pcounter_pci_notify(struct notifier_block *nb, unsigned long action,
			       void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);

	if (!pcounter_pci_is_gpu(pdev))
		return NOTIFY_DONE;
	if (action == BUS_NOTIFY_ADD_DEVICE)
		schedule_work(&pcounter_pci_work);
	else if (action == BUS_NOTIFY_DEL_DEVICE)
		pcounter_pci_removed(pdev);
	return NOTIFY_DONE;
}

static struct notifier_block pcounter_pci_nb = {
	.notifier_call = pcounter_pci_notify,
};

static int __init pcounter_init(void)
{
	int err = pcounter_pmu_module_init();

	if (err)
		return err;
	err = bus_register_notifier(&pci_bus_type, &pcounter_pci_nb);
	if (err) {
		pcounter_pmu_module_exit();
		return err;
	}
	pcounter_pci_scan();
	return 0;
}
module_init(pcounter_init);

static void __exit pcounter_exit(void)
{
	struct pcounter_pci *pp, *next;

	bus_unregister_notifier(&pci_bus_type, &pcounter_pci_nb);
	cancel_work_sync(&pcounter_pci_work);
	list_for_each_entry_safe(pp, next, &pcounter_pcis, node)
		pcounter_pci_detach(pp);
	pcounter_pmu_module_exit();
}
module_exit(pcounter_exit);

/* Not a driver of these functions, but the right module to have for them. */
static const struct pci_device_id pcounter_pci_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID),
	  .class = PCI_BASE_CLASS_DISPLAY << 16, .class_mask = 0xff << 16 },
	{ }
};
MODULE_DEVICE_TABLE(pci, pcounter_pci_ids);

MODULE_DESCRIPTION("Performance counters (PCOUNTER) of NVIDIA GPUs as a perf PMU");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
