// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulated GPU: the hardware model behind the driver's register access, so
 * that perf can be tried on any machine. Loading the module creates one.
 */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "device.h"
#include "hw/io.h"
#include "pcmodel.h"

/*
 * Simulated time passes only at register accesses. An access catches up with
 * real time, but by at most this much, since interrupts are off. While events
 * count, the driver reads a register about once a second.
 */
#define SIM_MAX_CATCH_UP_NS	(3ULL * NSEC_PER_SEC)
/*
 * Catching up takes at most about this long; the model drops the remaining time
 * if the machine is too slow.
 */
#define SIM_MOST_NS		(50 * NSEC_PER_MSEC)
#define SIM_SLOW_NS		(4 * SIM_MOST_NS)
/* Number of measurements of the time that ktime_get_ns() takes */
#define SIM_CLOCK_TRIES		10

static char *chip = "g84";
module_param(chip, charp, 0444);
MODULE_PARM_DESC(chip, "Chip to simulate: nv10 to gk208 by its name in lower case, or a chipset id (default g84)");

static unsigned int clock = 1000000;
module_param(clock, uint, 0444);
MODULE_PARM_DESC(clock, "Reference clock in Hz, 1000 to 10000000 (default 1000000)");

static char *scenario = "signal 1 0xc8 duty 30/100;signal 1 0xc9 const 1";
module_param(scenario, charp, 0444);
MODULE_PARM_DESC(scenario, "Signals and clocks, see Documentation/model.rst; lines separated by ';'");

/*
 * For "make bench": the rate of packets. Simulated time excludes the cost of
 * packets and of register accesses, so the remaining time is the driver's.
 */
static unsigned int rate;
module_param(rate, uint, 0644);
MODULE_PARM_DESC(rate, "Packets per second of each domain in record mode, to measure the driver by (default 0: as many as the clock makes)");

/**
 * struct pcounter_sim - the simulated GPU
 * @io: the driver's view; its lock serialises all access
 * @model: the hardware
 * @seen_ns: real time until which the model has run
 * @rest: remainder of the conversion to clocks, in 1/NSEC_PER_SEC clocks
 * @spent_ns: real time spent in register accesses
 * @clock_ns: duration of ktime_get_ns()
 * @dropped: logs dropped time, outside of perf's callbacks
 * @pdev: represents the card
 * @ppmu: its PMU
 */
struct pcounter_sim {
	struct pcounter_io io;
	struct pcmodel *model;
	u64 seen_ns;
	u64 rest;
	u64 spent_ns;
	u64 clock_ns;
	struct irq_work dropped;
	struct platform_device *pdev;
	struct pcounter_pmu *ppmu;
};

static struct pcounter_sim sim;

module_param_named(spent_ns, sim.spent_ns, ullong, 0444);
MODULE_PARM_DESC(spent_ns, "Time spent in register accesses so far, which a measurement leaves out");

static void sim_flow(u64 packets)
{
	bool flows = pcmodel_stream_flow(sim.model, packets);
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, sim.model->domains, PCMODEL_SET); i++)
		flows |= pcmodel_record_flow(sim.model, i, packets);
	/* otherwise effects that take a clock or two would never happen */
	if (!flows)
		pcmodel_run(sim.model, 1);
}

static void sim_tell_dropped(struct irq_work *work)
{
	pr_warn_once("pcounter_sim: this machine is too slow for clock=%u: simulated time is dropped\n",
		     clock);
}

static bool sim_is_late(void *began)
{
	return ktime_get_ns() - *(u64 *)began > SIM_MOST_NS;
}

/*
 * If the simulation takes longer than the simulated time, do not simulate its
 * own duration: the next access would be late as well.
 */
static void sim_run(u64 cycles, u64 elapsed, u64 began)
{
	u64 left = pcmodel_run_some(sim.model, cycles, sim_is_late, &began);
	u64 now = ktime_get_ns();

	if (left || now - began > elapsed)
		sim.seen_ns = now;
	if (left)
		irq_work_queue(&sim.dropped);
}

static void sim_catch_up(u64 now)
{
	u64 elapsed = min_t(u64, now - sim.seen_ns, SIM_MAX_CATCH_UP_NS);
	u64 passed;

	sim.seen_ns = now;
	sim.rest += elapsed * (rate ?: clock);
	passed = div64_u64_rem(sim.rest, NSEC_PER_SEC, &sim.rest);
	if (rate)
		sim_flow(passed);
	else
		sim_run(passed, elapsed, now);
}

static void sim_spend(u64 began)
{
	u64 now = ktime_get_ns();

	/* includes half of the first ktime_get_ns(), and half of the second */
	sim.spent_ns += now - began + sim.clock_ns;
	if (rate)
		sim.seen_ns = now;
}

static u32 sim_rd32(struct pcounter_io *io, u32 addr)
{
	u64 began = ktime_get_ns();
	u32 val;

	sim_catch_up(began);
	val = pcmodel_rd32(sim.model, addr);
	sim_spend(began);
	return val;
}

static void sim_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	u64 began = ktime_get_ns();

	sim_catch_up(began);
	pcmodel_wr32(sim.model, addr, val);
	sim_spend(began);
}

/* The model's DMA: coherent memory of a platform device that is behind no IOMMU. */
static void *sim_memory(u64 addr, size_t len)
{
	phys_addr_t phys = dma_to_phys(&sim.pdev->dev, addr);

	if (!pfn_valid(PHYS_PFN(phys)) || offset_in_page(phys) + len > PAGE_SIZE)
		return NULL;
	return phys_to_virt(phys);
}

static int sim_dma_read(void *ctx, u64 addr, void *buf, size_t len)
{
	void *from = sim_memory(addr, len);

	if (from)
		memcpy(buf, from, len);
	return from ? 0 : -EFAULT;
}

static int sim_dma_write(void *ctx, u64 addr, const void *buf, size_t len)
{
	void *to = sim_memory(addr, len);

	if (to)
		memcpy(to, buf, len);
	return to ? 0 : -EFAULT;
}

static int sim_dma(struct pcounter_io *io, bool on)
{
	return on ? dma_set_mask_and_coherent(&sim.pdev->dev, DMA_BIT_MASK(40)) : 0;
}

static const struct pcounter_io_ops sim_ops = {
	.rd32 = sim_rd32,
	.wr32 = sim_wr32,
	.dma = sim_dma,
};

static const struct pcmodel_bus sim_bus = {
	.read = sim_dma_read,
	.write = sim_dma_write,
};

/* Return the shortest of some measurements, since an interrupt prolongs a measurement. */
static u64 sim_clock_ns(void)
{
	u64 least = NSEC_PER_USEC, began;
	unsigned int i;

	for (i = 0; i < SIM_CLOCK_TRIES; i++) {
		began = ktime_get_ns();
		least = min(least, ktime_get_ns() - began);
	}
	return least;
}

static int sim_setup(void)
{
	u32 chipset = pcmodel_find_chip(chip);
	char err[80];
	int ret;

	ret = pcmodel_init(sim.model, chipset);
	if (ret) {
		pr_err("pcounter_sim: chip '%s' cannot be simulated\n", chip);
		return ret;
	}
	pcmodel_set_bus(sim.model, &sim_bus);
	ret = pcmodel_scenario(sim.model, scenario, err, sizeof(err));
	if (ret) {
		pr_err("pcounter_sim: scenario: %s\n", err);
		return ret;
	}
	sim.clock_ns = sim_clock_ns();
	sim.seen_ns = ktime_get_ns();
	sim.ppmu = pcounter_device_create(&sim.pdev->dev, THIS_MODULE, chipset,
					  &sim.io);
	return PTR_ERR_OR_ZERO(sim.ppmu);
}

static int __init pcounter_sim_init(void)
{
	int err;

	if (clock < 1000 || clock > 10000000)
		return -EINVAL;
	sim.model = kvzalloc(sizeof(*sim.model), GFP_KERNEL);
	if (!sim.model)
		return -ENOMEM;
	sim.pdev = platform_device_register_simple("pcounter_sim",
						   PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(sim.pdev)) {
		err = PTR_ERR(sim.pdev);
		goto err_free;
	}
	init_irq_work(&sim.dropped, sim_tell_dropped);
	sim.io.ops = &sim_ops;
	sim.io.dev = &sim.pdev->dev;
	/* slow reads of a simulation are not the fault of a GPU */
	sim.io.slow_ns = SIM_SLOW_NS;
	err = sim_setup();
	if (err)
		goto err_unregister;
	return 0;

err_unregister:
	irq_work_sync(&sim.dropped);
	platform_device_unregister(sim.pdev);
err_free:
	kvfree(sim.model);
	return err;
}
module_init(pcounter_sim_init);

static void __exit pcounter_sim_exit(void)
{
	pcounter_device_remove(sim.ppmu, true);
	irq_work_sync(&sim.dropped);
	platform_device_unregister(sim.pdev);
	kvfree(sim.model);
}
module_exit(pcounter_sim_exit);

MODULE_DESCRIPTION("Simulated GPU for pcounter");
MODULE_LICENSE("GPL");
